"""Layouts as maps, maps as layouts: against the places of all elements, and against each other."""

from __future__ import annotations

import random
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from hypothesis import given, strategies as st
from xla_bridge.rows import TILED, array, indices

from tla import CongruenceError, KindError, Layout, UndecidedError, UnsupportedError, limits
from tla.hlo import read_instruction
from tla.indexing import (
    IndexingMap,
    Interval,
    RuntimeVariable,
    compose,
    dim,
    inverse,
    output_to_input,
    parse_map,
    rng,
    rt,
)
from tla.indexing.layouts import from_layout, layout_and_offset, to_layout
from tla.layouts.notation import parse
from tla.numbers import sym
from tla.testing import layouts
from tla.xla_bridge import (
    XlaShape,
    logical_index,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout as layout_of_shape,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tla.layouts.layout import AnyLayout

ROWS = over("row", TILED, ids=lambda row: str(row["text"]))


def values(m: IndexingMap) -> dict[tuple[int, ...], int]:
    """The one result of a map at each value of its dims and ranges."""
    return {(*point.dims, *point.ranges): result for point, (result,) in m.points()}


# --- XLA shapes ---


@ROWS
def test_the_map_of_a_shape_is_where_its_elements_lie(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    m = from_layout(shape)
    assert [v.bounds for v in m.dims] == [Interval(0, n - 1) for n in shape.dimensions] or not all(
        shape.dimensions
    )
    for index, at in row["samples"]:
        assert m.contains(index)
        assert m.evaluate(index) == (at,)
    if "offsets_row_major" in row:
        found = values(m)
        assert [found[index] for index in indices(shape.dimensions)] == row["offsets_row_major"]


@ROWS
def test_back_from_an_offset(row: dict[str, Any]) -> None:
    """To the element that lies there; no offset of padding is in the domain."""
    shape = array(row["text"])
    back = inverse(from_layout(shape))
    room = physical_elements(shape)
    at = {x for _i, x in row["samples"]} | set(range(0, room, max(1, room // 120)))
    if back.is_known_empty:
        assert not shape.elements
        return
    if not back.ranges:
        for offset in at:
            index = logical_index(shape, offset)
            assert back.contains((offset,)) == (index is not None)
            assert index is None or back.evaluate((offset,)) == index
    elif room <= 400:
        found = {(point.dims, results) for point, results in back.points()}
        assert found == {((physical_offset(shape, i),), i) for i in indices(shape.dimensions)}


@ROWS
def test_the_layout_of_the_map_is_that_of_the_shape(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    m = from_layout(shape)
    if row["nested_verdict"] == "nested":
        layout = to_layout(m)
        assert layout.is_static
        assert layout == layout_of_shape(shape).trimmed() or not shape.elements
        return
    with pytest.raises(UnsupportedError, match="no layout") as caught:
        to_layout(m)
    point: Any = caught.value.point
    assert m.evaluate(point) == (caught.value.value,)
    assert caught.value.value != caught.value.expected


def test_bounded_dims_count_by_their_bound_and_unknown_ones_are_refused() -> None:
    bounded = from_layout(parse_shape("f32[<=3,5]{1,0:T(2,2)}"))
    assert bounded == from_layout(parse_shape("f32[3,5]{1,0:T(2,2)}"))
    with pytest.raises(UnsupportedError, match="unknown size of dim 1"):
        from_layout(parse_shape("f32[3,?]{1,0:T(2,2)}"))
    with pytest.raises(UnsupportedError, match="tuple"):
        from_layout(parse_shape("(f32[3], f32[4])"))


def test_scalars_and_empty_arrays() -> None:
    scalar = from_layout(XlaShape("f32", ()))
    assert values(scalar) == {(): 0}
    assert str(to_layout(scalar)) == "():()"
    empty = from_layout(XlaShape("f32", (3, 0)))
    assert empty.is_known_empty
    assert to_layout(empty).size == 0


# --- layouts ---


@given(layouts(min_stride=-20, padded=True))
def test_the_map_of_a_layout(layout: AnyLayout) -> None:
    m = from_layout(layout)
    modes = [int(n) for n in _modes(layout.origin_shape)]
    if not prod(modes):
        assert m.is_known_empty
        return
    found = values(m)
    assert found == {i: _at(layout, i) for i in product(*map(range, modes))}
    by_leaf = from_layout(layout, by_leaf=True)
    assert sorted(values(by_leaf).values()) == sorted(found.values())


@given(layouts(min_stride=-20, padded=True))
def test_there_and_back(layout: AnyLayout) -> None:
    m = from_layout(layout)
    made = to_layout(m)
    if layout.size and not m.is_known_empty:
        assert values(from_layout(made)) == values(m)


def _modes(shape: Any) -> tuple[Any, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


def _at(layout: AnyLayout, index: tuple[int, ...]) -> int:
    return int(layout(index) if isinstance(layout.shape, tuple) else layout(*index))


def test_the_origin_is_the_domain() -> None:
    layout = parse("((4,2),(4,3)):((4,16),(1,32)):(5,10)")
    m = from_layout(layout)
    assert [str(v.bounds) for v in m.dims] == ["[0, 4]", "[0, 9]"]
    assert to_layout(m).origin_shape == (5, 10)
    by_leaf = from_layout(layout, by_leaf=True)
    assert len(list(by_leaf.points())) == 50
    assert set(values(by_leaf).values()) == set(values(m).values())


def test_unknowns_are_runtime_variables() -> None:
    rows, cols = sym("M", divisible_by=16, max=48), sym("K", max=3)
    m = from_layout(Layout(((16, rows // 16), cols), ((cols, 16 * cols), 1)))
    assert [v.name for v in m.runtime] == ["K", "M"]
    for k, n in product(range(1, 4), (16, 32, 48)):
        bound = from_layout(Layout(((16, n // 16), k), ((k, 16 * k), 1)))
        here = {p.dims: r for p, r in m.points() if p.runtime == (k, n)}
        assert here == {p.dims: r for p, r in bound.points()}
    assert {p.runtime for p, _r in m.points()} == set(product(range(1, 4), (16, 32, 48)))
    padded = Layout(((4, 2), cols), ((1, 4), 8), (rows // 16 + 3, cols))
    by_leaf = from_layout(padded, by_leaf=True)
    for k, n in product(range(1, 4), (16, 32, 48)):
        bound = from_layout(Layout(((4, 2), k), ((1, 4), 8), (n // 16 + 3, k)), by_leaf=True)
        here = {p.dims: r for p, r in by_leaf.points() if p.runtime == (k, n)}
        assert here == {p.dims: r for p, r in bound.points()}
    with pytest.raises(UnsupportedError, match="has no bounds"):
        from_layout(parse("(4,M):(M,1)"))


def test_sizes_are_row_major() -> None:
    assert to_layout(from_layout((4, 5, 6))) == parse("(4,5,6):(30,6,1)")
    for wrong in ("f32[3]", 7):
        with pytest.raises(KindError, match="a layout, an XLA shape or sizes"):
            from_layout(wrong)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- maps that are layouts ---


def fused(text: str) -> IndexingMap:
    """The map from the first output of an instruction to its first operand."""
    maps = output_to_input(read_instruction(text))
    return maps[0][0]


OPS = [
    ("%t = f32[6,4]{1,0} transpose(f32[4,6]{1,0} %x), dimensions={1,0}", "(6,4):(1,6)"),
    ("%b = f32[3,4,5] broadcast(f32[4] %x), dimensions={1}", "(3,4,5):(0,1,0)"),
    ("%r = f32[2,3,4] reshape(f32[6,4] %x)", "(2,3,4):(12,4,1)"),
    ("%r = f32[6,4] reshape(f32[4,2,3] %x)", "(6,4):(4,1)"),
    ("%d = f32[4,6] dot(f32[4,5] %x, f32[5,6] %y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "(4,6,5):(5,0,1)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "layout"), OPS)
def test_an_op_and_the_memory_of_its_operand(text: str, layout: str) -> None:
    shape = read_instruction(text).operands[0].shape
    assert isinstance(shape, XlaShape)
    m = fused(text)
    assert to_layout(m, into=shape) == parse(layout)
    offsets = compose(m, from_layout(shape))
    for point, results in m.points():
        assert offsets.evaluate(point.dims, point.ranges) == (physical_offset(shape, results),)


def test_a_slice_lies_behind_an_offset() -> None:
    m = parse_map("(d0, d1) -> (d0 * 2 + 3, d1 + 1), domain: d0 in [0, 2], d1 in [0, 3]")
    layout, offset = layout_and_offset(m, into=(10, 8))
    assert (str(layout), offset) == ("(_3,_4):(_16,_1)", 25)
    with pytest.raises(UnsupportedError, match="does not begin at offset 0") as caught:
        to_layout(m, into=(10, 8))
    assert caught.value.value == 25


def test_where_it_lies_may_be_read_at_run_time() -> None:
    start = RuntimeVariable("start", Interval(0, 3))
    m = IndexingMap([dim(0) + rt(0), rng(0)], [4], [8], [start])
    layout, offset = layout_and_offset(m, into=(7, 8))
    assert str(layout) == "(_4,_8):(_8,_1)"
    assert (offset - rt(0) * 8) == 0
    tiled = XlaShape("f32", (7, 8), tiles=[(2, 2)])
    with pytest.raises(UnsupportedError, match="what start is changes more than where it begins"):
        layout_and_offset(m, into=tiled)


def test_a_range_is_a_mode_behind_the_dims() -> None:
    m = parse_map("(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 3], s0 in [0, 7]")
    assert str(to_layout(m)) == "(_4,_8):(_8,_1)"


def test_a_proof_does_not_look_at_points() -> None:
    huge = XlaShape("bf16", (8, 1, 1280, 16384), (3, 2, 0, 1), [(8, 128), (2, 1)])
    m = from_layout(huge)
    assert to_layout(m) == layout_of_shape(huge)
    n = 1 << 40
    apart = parse_map(f"(d0) -> (d0 floordiv 4096, d0 mod 4096), domain: d0 in [0, {n - 1}]")
    assert str(to_layout(apart, into=(n // 4096, 4096))) == f"(_{n}):(_1)"


NO_LAYOUTS = [
    ("(d0, d1) -> (d0 * d1), domain: d0 in [0, 3], d1 in [0, 3]", (1, 1), 1, 0),
    ("(d0) -> (d0 floordiv 3 * 3 + d0 mod 2), domain: d0 in [0, 5]", (3,), 4, 1),
    ("(d0, d1) -> ((d0 + d1) mod 4), domain: d0 in [0, 3], d1 in [0, 3]", (1, 3), 0, 4),
    ("(d0) -> (d0 + 3), domain: d0 in [0, 5]", (0,), 3, 0),
]


@pytest.mark.parametrize(("text", "point", "value", "expected"), NO_LAYOUTS)
def test_a_point_where_no_layout_agrees(
    text: str, point: tuple[int, ...], value: int, expected: int
) -> None:
    with pytest.raises(UnsupportedError, match="no layout") as caught:
        to_layout(parse_map(text))
    error = caught.value
    assert (error.point, error.value, error.expected) == (point, value, expected)


def test_domains_that_are_no_box() -> None:
    for text, why in (
        ("(d0) -> (d0), domain: d0 in [2, 5]", "begins at 2"),
        ("(d0, d1) -> (d0), domain: d0 in [0, 5], d1 in [0, 3], d0 + d1 in [0, 6]", "no box"),
    ):
        with pytest.raises(UnsupportedError, match=why):
            to_layout(parse_map(text))
    held = parse_map("(d0, d1) -> (d0), domain: d0 in [0, 5], d1 in [0, 3], d0 + d1 in [0, 8]")
    assert str(to_layout(held)) == "(_6,_4):(_1,_0)"
    hard = "domain: d0 in [0, 999], d1 in [0, 999], d0 * d1 + d0 mod 7 - d1 in [-999, 998003]"
    with pytest.raises((UndecidedError, UnsupportedError)):
        to_layout(parse_map(f"(d0, d1) -> (d0), {hard}"))


def test_more_results_than_one_need_a_memory() -> None:
    m = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 3]")
    with pytest.raises(UnsupportedError, match="2 results is no layout"):
        to_layout(m)
    with pytest.raises(CongruenceError, match="no memory of 3 dims"):
        to_layout(m, into=(4, 4, 4))
    with pytest.raises(UnsupportedError, match="undefined"):
        to_layout(IndexingMap.undefined("unknown"))


@given(st.data())
def test_random_maps_are_layouts_exactly_where_some_layout_agrees(data: st.DataObject) -> None:
    """Digits with a weight each: a layout; with something else added: what the answer says holds."""
    n = data.draw(st.integers(1, 12), label="n")
    pieces: Any = 0
    for _piece in range(data.draw(st.integers(1, 3))):
        c, k = data.draw(st.integers(1, 6)), data.draw(st.integers(-4, 4))
        x = dim(0) * data.draw(st.integers(1, 3)) + dim(1) * data.draw(st.integers(0, 2))
        pieces = pieces + (x // c if data.draw(st.booleans()) else x % c) * k
    m = IndexingMap([pieces], [n, 3])
    table = values(m)
    fault: UnsupportedError | None = None
    try:
        layout, offset = layout_and_offset(m)
    except UnsupportedError as error:
        fault = error
    else:
        assert {i: offset + layout(i) for i in table} == table
    if fault is not None:
        at: Any = fault.point
        assert table[at] - table[0, 0] == fault.value
        assert fault.value != fault.expected


def test_no_layout_is_overlooked() -> None:
    """Where the answer is no, there is none: neither digits for each variable, nor do these add up."""
    draw = random.Random(7)
    answers = {True: 0, False: 0}
    for _time in range(400):
        sizes = [draw.choice([1, 2, 3, 4, 6, 8]) for _mode in range(draw.randint(1, 2))]
        x: Any = 0
        for _piece in range(draw.randint(1, 3)):
            y: Any = sum((dim(i) * draw.randint(0, 3) for i in range(len(sizes))), draw.randint(0, 2))
            c = draw.randint(1, 6)
            x = x + (y // c if draw.random() < 0.5 else y % c) * draw.randint(-3, 8)
        m = IndexingMap([x], sizes)
        table = {at: value - values(m)[(0,) * len(sizes)] for at, value in values(m).items()}
        answer = _answer(m)
        assert answer is _is_layout(table, sizes)
        answers[bool(answer)] += 1
    assert min(answers.values()) > 80


def _is_layout(table: dict[tuple[int, ...], int], sizes: list[int]) -> bool:
    alone = [[table[_only(i, v, len(sizes))] for v in range(n)] for i, n in enumerate(sizes)]
    adds_up = all(sum(f[v] for f, v in zip(alone, at, strict=True)) == y for at, y in table.items())
    return adds_up and all(any(_follows(f, shape) for shape in _shapes(len(f))) for f in alone)


def _only(i: int, v: int, count: int) -> tuple[int, ...]:
    return tuple(v if j == i else 0 for j in range(count))


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    """All shapes of digits that reach ``n`` coordinates."""
    if n <= 1:
        yield ()
    for size in range(2, n + 1):
        yield from ((size, *rest) for rest in _shapes(-(-n // size)))


def _follows(f: list[int], shape: tuple[int, ...]) -> bool:
    """Whether some strides give these values."""
    weights = [prod(shape[:i]) for i in range(len(shape))]
    digits = [[v // w % size for size, w in zip(shape, weights, strict=True)] for v in range(len(f))]
    return all(
        sum(x * f[w] for x, w in zip(at, weights, strict=True)) == y
        for at, y in zip(digits, f, strict=True)
    )


def test_the_divisor_of_an_unknown_is_a_constraint() -> None:
    m = from_layout(parse("(M{div=2,min=2,max=8}):(1)"))
    assert [m.contains((0,), (), (n,)) for n in (2, 3, 4, 5)] == [True, False, True, False]


def test_a_part_of_a_sum_steps_where_its_multiples_do() -> None:
    """``2*d0 + d1`` steps over a multiple of 4 with every second ``d0``: a proof, at any size."""
    n = 1 << 40
    m = parse_map(f"(d0, d1) -> ((d0 * 2 + d1) floordiv 4), domain: d0 in [0, {n - 1}], d1 in [0, 1]")
    assert str(to_layout(m)) == f"((_2,_{n // 2}),_2):((_0,_1),_0)"


def test_a_box_that_is_larger_than_what_is_checked() -> None:
    """One division of a sum: where all points say no, the ends of digits do; else it is open at most."""
    draw = random.Random(7)
    answers = {True: 0, False: 0}
    for _time in range(300):
        sizes = [draw.randint(2, 9) for _mode in range(draw.choice([2, 2, 3]))]
        y = sum((dim(i) for i in range(len(sizes)) if draw.random() < 0.8), dim(0) * 0)
        y, c = y + draw.choice([0, 0, 1, 3]), draw.randint(2, 9)
        x = (y // c if draw.random() < 0.5 else y % c) * draw.choice([-2, -1, 1, 3])
        m = IndexingMap([sum((dim(i) * draw.choice([0, 1, 4]) for i in range(len(sizes))), x)], sizes)
        with limits(indices=prod(sizes)):
            answer = _answer(m)
        assert answer is not None
        with limits(indices=prod(sizes) - 1):
            assert _answer(m) in ((True, None) if answer else (False,))
        answers[answer] += 1
    assert min(answers.values()) > 80


def _answer(m: IndexingMap) -> bool | None:
    try:
        layout_and_offset(m)
    except UnsupportedError:
        return False
    except UndecidedError:
        return None
    return True


def test_a_variable_is_read_as_far_as_is_checked() -> None:
    m = IndexingMap([dim(0) % 11 + dim(0) // 17], [100])
    answers = []
    for work in (8, 17, 18, 100):
        with limits(indices=work):
            answers.append(_answer(m))
    assert answers == [None, None, False, False]


def test_the_last_point_is_checked_first() -> None:
    with limits(indices=4):
        assert _answer(IndexingMap([(dim(0) + dim(1)) // 2 + dim(2) + dim(3)], [2, 2, 2, 2])) is False


@pytest.mark.parametrize(
    "text",
    [
        "(d0, d1) -> ((d0 + d1) floordiv 1998)",  # but at the last point: 0
        "(d0, d1) -> ((d0 + d1 + 498) floordiv 1000 + (d0 + 498) mod 500)",
        "(d0, d1) -> (d0 * d1)",
    ],
)
def test_large_maps_that_are_no_layouts_are_seen_at_their_ends(text: str) -> None:
    m = parse_map(f"{text}, domain: d0 in [0, 999], d1 in [0, 999]")
    with pytest.raises(UnsupportedError, match="no layout") as caught:
        to_layout(m)
    point: Any = caught.value.point
    (value,) = m.evaluate(point)
    (begin,) = m.evaluate((0, 0))
    assert value - begin == caught.value.value != caught.value.expected
