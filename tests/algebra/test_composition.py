"""Composition: ``c(i) == a.extended(b(i))`` where a layout can, and a proof that none can where not."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product as tuples_of
from math import prod
from typing import Any

import pytest
from cases import share
from hypothesis import assume, example, given, settings, strategies as st

import tla
from tla import (
    ComposedLayout,
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    Int,
    Layout,
    LayoutError,
    LeafError,
    Swizzle,
    TlaError,
    UndecidedError,
    _,
    composition,
    parse,
)
from tla.ground.limits import limit_of, way_out
from tla.numbers import assume as assuming, sym
from tla.testing import (
    layouts,
    naive_composition,
    naive_coords,
    naive_extended,
    naive_offset,
    naive_offsets,
    naive_refines,
    naive_size,
    shapes,
)

M, N = sym("M", min=2), sym("N", min=2)
SMALL = shapes(max_size=24, min_rank=1)


@st.composite
def right_sides(draw: st.DrawFn, a: Any, least: int = 0) -> Any:
    """A layout that steps mostly along the modes of another, at times past its end."""
    blocks = [1]
    for s in tla.flatten_to_tuple(a.shape):
        blocks += [blocks[-1] * n for n in range(2, s + 1) if s % n == 0]
    steps = st.sampled_from(sorted({0, *blocks})) | st.integers(least, 9)
    shape = draw(SMALL)
    return Layout(shape, tla.transform_leaf(lambda _n: draw(steps), shape))


@st.composite
def pairs(draw: st.DrawFn, least: int = 0) -> tuple[Any, Any]:
    a = draw(layouts(shapes(max_size=48, min_rank=1), min_stride=-3, max_stride=12, static=False))
    return a, draw(right_sides(a, least))


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # CuTe 02_layout_algebra.md, "Composition"
        ("(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),
        ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
        ("(_10,_2):(_16,_4)", "(_5,_4):(_1,_5)", "(_5,(_2,_2)):(_16,(_80,_4))"),
        # a mode is passed, ended within, split, or grows
        ("(4,6,8):(2,30,500)", "3:24", "3:500"),
        ("(4,6,8):(2,30,500)", "(3,2):(1,4)", "(3,2):(2,30)"),
        ("(4,6,8):(2,30,500)", "12:2", "(2,6):(4,30)"),
        ("(4,2):(2,1)", "6:4", "6:1"),
        ("1:1", "5:1", "5:1"),
        ("(8,2):(2,1)", "2:3", "2:6"),
        # steps that a single mode of the left side does not divide, but that add up
        ("(2,2):(2,1)", "2:3", "2:3"),
        ("(2,2,2):(1,3,5)", "(2,2):(1,3)", "(2,2):(1,4)"),
        # strides of 0 and below
        ("(4,2):(-1,9)", "(2,3):(2,0)", "(2,3):(-2,0)"),
        ("(4,2):(0,1)", "8:1", "(4,2):(0,1)"),
        ("4:2", "(1,2):(-9,1)", "(1,2):(0,2)"),
        # no coordinates, or no modes
        ("8:2", "(0,3):(1,5)", "(0,3):(2,10)"),
        ("(0,3):(1,2)", "(4,0):(2,1)", "(4,0):(0,0)"),
        ("(3,0):(1,2)", "6:1", "(3,2):(1,2)"),
    ],
)
def test_composition(a: str, b: str, expected: str) -> None:
    result = composition(parse(a), parse(b))
    assert str(result) == expected
    if naive_size(result.shape):
        assert naive_offsets(result) == naive_composition(parse(a), parse(b))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("():()", "_1:_7", "_1:_0"),
        ("():()", "4:0", "4:0"),
        ("_8:_2", "():()", "():()"),
        ("8:2", "():()", "():()"),
        ("8:2", "((),()):((),())", "((),()):((),())"),
        ("():()", "():()", "():()"),
    ],
)
def test_layouts_without_modes(a: str, b: str, expected: str) -> None:
    assert str(composition(parse(a), parse(b))) == expected


@example((parse("(3,4,(1,1,1)):(0,0,(0,0,1))"), parse("(1,(1,1,1),6):(0,(0,0,0),5)")))
@given(pairs(least=-2))
def test_a_layout_or_a_proof_that_there_is_none(pair: tuple[Any, Any]) -> None:
    check(*pair)


def check(a: Any, b: Any) -> None:
    if min(naive_offsets(b)) < 0:
        with pytest.raises(CoordinateError) as below:
            composition(a, b)
        assert naive_offset(b, below.value.coord) < 0
        return
    table = naive_composition(a, b)
    if table is None:
        with pytest.raises(DivisibilityError) as caught:
            composition(a, b)
        check_witness(a, b, caught.value)
        return
    result = composition(a, b)
    assert naive_offsets(result) == table
    assert naive_refines(result.shape, b.shape)


def small_pairs() -> Iterator[tuple[Any, Any]]:
    """Left sides of two and three modes, right sides of one and two: wherever carries begin."""
    left: list[Any] = [
        *(Layout(s, d) for s in tuples_of((2, 3, 4), (1, 2, 3)) for d in tuples_of((1, 2), (1, 3, 5))),
        *(Layout((2, s, 2), (1, d, e)) for s in (2, 3) for d in (2, 3) for e in (4, 5, 7)),
    ]
    right: list[Any] = [
        *(Layout(s, d) for s in range(1, 9) for d in range(6)),
        *(Layout(s, d) for s in tuples_of((2, 3), (2, 4)) for d in tuples_of((1, 2), (1, 2, 3, 6))),
    ]
    return ((a, b) for a in left for b in right)


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_every_small_pair(step: int) -> None:
    """Every ninth, and in CI every one."""
    for a, b in islice(small_pairs(), 0, None, step):
        check(a, b)


@given(layouts(shapes(max_size=48), min_stride=-9))
def test_identities(a: Any) -> None:
    """Composing with the indices of a shape only groups them anew."""
    for b in (Layout(a.shape), Layout(a.size)):
        result = composition(a, b)
        assert tla.same_function(result, a)
        assert naive_refines(result.shape, b.shape)
    assert tla.same_function(composition(Layout(a.size), parse("(2,3):(1,2)")), Layout(6))


@settings(max_examples=share(60))
@given(pairs(), st.data())
def test_associative(pair: tuple[Any, Any], data: st.DataObject) -> None:
    a, b = pair
    c = data.draw(right_sides(b))
    try:
        inner, outer = composition(a, b), composition(b, c)
        first, second = composition(inner, c), composition(a, outer)
    except TlaError:
        assume(False)
    # past its last coordinate A(B) grows by its own last mode, which need not be as A does at B
    assume(max(naive_offsets(c)) < naive_size(b.shape))
    assert naive_offsets(first) == naive_offsets(second)


# --- the proof --------------------------------------------------------------------------------


WAY_OUT = re.compile(r"(\d+)(?: or (\d+))? (?:there|as mode ([\d.]+))")
"""A size, or two, and the mode of the right side that would have it; a step may name several modes."""


def names(shape: Any, name: str = "") -> list[str]:
    """The names of the leaves of a shape: `0`, `1.0`, `1.1`."""
    if not isinstance(shape, tuple):
        return [name or "0"]
    return [x for i, s in enumerate(shape) for x in names(s, f"{name}.{i}" if name else str(i))]


def check_witness(a: Any, b: Any, error: Any) -> None:
    """At its coordinate A(B) is not what a layout that agrees below has, and its way out is one."""
    assert (error.a, error.b) == (a, b)
    coords = tla.flatten_to_tuple(error.coord)
    assert error.coord == tla.unflatten(coords, b.shape)
    assert naive_extended(a, naive_offset(b, error.coord)) == error.value != error.layout_value
    assert any(f"= {error.value}, a layout would give {error.layout_value}." in x for x in error.details)
    extents, steps = tla.flatten_to_tuple(b.shape), tla.flatten_to_tuple(b.stride)
    modes = list(zip(extents, steps, coords, strict=True))
    leaves = [predictions(a, *leaf) | parts_added(a, *leaf) for leaf in modes]
    assert error.layout_value in {sum(parts) for parts in tuples_of(*leaves)}
    way_out = error.details[-1]
    for size, or_size, mode in WAY_OUT.findall(way_out if way_out.endswith("gives a layout.") else ""):
        at = names(b.shape).index(mode) if mode else next(i for i, c in enumerate(coords) if c)
        for n in filter(None, (size, or_size)):
            other = (*extents[:at], int(n), *extents[at + 1 :])
            assert naive_composition(a, Layout(other, steps)) is not None


def predictions(a: Any, extent: int, step: int, c: int) -> set[int]:
    """What layouts of one mode have at ``c`` that agree with ``A(step * i)`` below.

    It is enough that they agree at the multiples of some weight that divides the extent.
    """
    table = [naive_extended(a, step * i) for i in range(c + 1)]
    weights = [w for w in range(1, extent + 1) if extent % w == 0 and c % w == 0]
    found = [set(continued(table[:c:w], extent // w, table[c])) for w in weights]
    return {x for values in found if len(values) == 1 for x in values}


def parts_added(a: Any, extent: int, step: int, c: int) -> set[int]:
    """What layouts of one mode have at ``c`` that agree with ``A(step * i)`` along each part."""
    table = [naive_extended(a, step * i) for i in range(extent)]
    found: set[int] = set()
    for factors in factorizations(extent):
        blocks = [prod(factors[:i]) for i in range(len(factors))]
        parts = list(zip(blocks, factors, strict=True))
        if all(table[n * k] == k * table[n] for n, f in parts for k in range(1, f)):
            found.add(sum(c // n % f * table[n] for n, f in parts if f > 1))
    return found


def continued(below: list[int], extent: int, image: int) -> Iterator[int]:
    """The offsets at ``len(below)`` of all layouts of one mode that begin with these offsets.

    ``image`` stands for the one offset that a layout is free to choose there, where a mode begins.
    """
    c = len(below)
    if c == 0:
        yield 0
        return
    table = [*below, image]
    for factors in factorizations(extent):
        blocks = [prod(factors[:i]) for i in range(len(factors))]
        blocks = [n for n in blocks if n <= c]  # the steps of the others do not show

        def offset(i: int, factors: list[int] = factors, blocks: list[int] = blocks) -> int:
            return sum(i // n % f * table[n] for n, f in zip(blocks, factors, strict=False))

        if [offset(i) for i in range(c)] == below:
            yield offset(c)


def factorizations(n: int) -> list[list[int]]:
    """All lists of factors above 1, in any order."""
    if n == 1:
        return [[]]
    return [[f, *rest] for f in range(2, n + 1) if n % f == 0 for rest in factorizations(n // f)]


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (
            "(6,2):(1,7)",
            "(3,2):(2,3)",
            "the composition of (6,2):(1,7) with (3,2):(2,3) is not a layout\n"
            "  Modes 0 (3:2) and 1 (2:3) of the right side carry into each other: 4 + 3 = 7, where"
            " 4 + 3 exceeds mode 0 of the left side of size 6.\n"
            "  At coordinate (2,1): A(B(2,1)) = A(7) = 8, a layout would give 7.\n"
            "  A mode of size 2 as mode 0 of the right side gives a layout.",
        ),
        (
            "(4,2):(2,1)",
            "6:1",
            "the composition of (4,2):(2,1) with 6:1 is not a layout\n"
            "  Mode 0 of the right side is 6:1. With each coordinate the offset grows by 2, but not from"
            " 3 to 4. A mode has one step, so the first 4 coordinates would be a mode of their own,"
            " and 4 does not divide 6.\n"
            "  At coordinate 4: A(B(4)) = A(4) = 1, a layout would give 8.\n"
            "  A mode of size 4 or 8 there gives a layout.",
        ),
        (
            "(4,2):(2,1)",
            "(3,4):(1,3)",
            "the composition of (4,2):(2,1) with (3,4):(1,3) is not a layout\n"
            "  Coordinates of mode 1 (4:3) of the right side carry into each other: 3 + 6 = 9, where"
            " 3 + 2 exceeds mode 0 of the left side of size 4.\n"
            "  At coordinate (0,3): A(B(0,3)) = A(9) = 4, a layout would give 11.",
        ),
    ],
)
def test_texts_of_refusals(a: str, b: str, text: str) -> None:
    with pytest.raises(DivisibilityError) as caught:
        composition(parse(a), parse(b))
    assert str(caught.value) == text
    check_witness(parse(a), parse(b), caught.value)


@pytest.mark.parametrize(
    ("a", "b", "named", "modes"),
    [
        ("(6,2):(1,7)", "((3,2),1):((2,3),0)", "Modes 0.0 (3:2) and 0.1 (2:3) of", ("0.0", "0.1")),
        ("(6,2):(1,7)", "(2,(3,2)):(0,(2,3))", "Modes 1.0 (3:2) and 1.1 (2:3) of", ("1.0", "1.1")),
        ("(4,2):(2,1)", "(2,(1,6)):(0,(0,1))", "Mode 1.1 of the right side is 6:1.", ("1.1",)),
        ("(4,2):(2,1)", "6:1", "Mode 0 of the right side is 6:1.", ("0",)),
    ],
)
def test_the_modes_of_a_refusal_are_leaves(a: str, b: str, named: str, modes: tuple[str, ...]) -> None:
    with pytest.raises(DivisibilityError) as caught:
        composition(parse(a), parse(b))
    assert caught.value.details[0].startswith(named)
    assert caught.value.modes == modes
    check_witness(parse(a), parse(b), caught.value)


def test_texts_where_there_is_no_offset() -> None:
    with pytest.raises(CoordinateError) as below:
        composition(parse("8:2"), parse("(2,4):(1,-1)"))
    assert str(below.value) == (
        "the composition of 8:2 with (2,4):(1,-1) is not defined\n"
        "  At coordinate (0,1) the right side is -1. The left side has no coordinate below 0."
    )
    assert below.value.coord == (0, 1)
    with pytest.raises(LayoutError) as empty:
        composition(parse("(0,3):(1,2)"), parse("4:2"))
    assert str(empty.value) == (
        "the composition of (0,3):(1,2) with 4:2 is not defined: the left side has no coordinates"
    )


# --- past the end -----------------------------------------------------------------------------


@given(pairs())
def test_without_growing(pair: tuple[Any, Any]) -> None:
    a, b = pair
    images = naive_offsets(b)
    if max(images) >= a.size:
        with pytest.raises(CoordinateError) as caught:
            composition(a, b, extend=False)
        coord = caught.value.coord
        assert coord in naive_coords(b.shape)
        assert naive_offset(b, coord) >= a.size
    elif naive_composition(a, b) is not None:
        assert composition(a, b, extend=False) == composition(a, b)
    else:
        with pytest.raises(DivisibilityError):
            composition(a, b, extend=False)


def test_text_of_a_right_side_that_is_too_long() -> None:
    with pytest.raises(CoordinateError) as caught:
        composition(parse("8:2"), parse("5:2"), extend=False)
    assert str(caught.value) == (
        "the composition of 8:2 with 5:2 reaches past the left side, of size 8\n"
        "  At coordinate 4 the right side is 8.\n"
        "  extend=True lets its last mode grow."
    )
    assert caught.value.coord == 4


# --- tilers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiler", "expected"),
    [
        (4, "4:1"),
        (Int(4), "4:1"),
        (parse("(3,4):(2,24)"), "(3,4):(2,24)"),
        (None, "((2,3),(4,2),5):((1,2),(6,24),48)"),
        (_, "((2,3),(4,2),5):((1,2),(6,24),48)"),
        ((), "():()"),
        ((2,), "(2):(1)"),
        ((2, 4, 5), "(2,4,5):(1,6,48)"),
        ((_, None, _), "((2,3),(4,2),5):((1,2),(6,24),48)"),
        ((None, parse("2:4")), "((2,3),2):((1,2),24)"),
        (((1, 2), (None, 1)), "((1,2),(4,1)):((0,2),(6,0))"),
        (((parse("2:0"),), 8), "((2),8):((0),6)"),
    ],
)
def test_tilers(tiler: Any, expected: str) -> None:
    layout = parse("((2,3),(4,2),5):((1,2),(6,24),48)")
    result = composition(layout, tiler)
    same_up_to_steps_of_ones(result, parse(expected))


def same_up_to_steps_of_ones(a: Any, b: Any) -> None:
    assert a.shape == b.shape
    assert naive_offsets(a) == naive_offsets(b)


@settings(max_examples=share(60))
@given(layouts(shapes(max_size=48).filter(tla.is_tuple)), st.data())
def test_by_mode(layout: Any, data: st.DataObject) -> None:
    """Each mode with its tiler, those past the tilers gone, those left alone as they were."""
    modes = list(layout)
    tilers = [data.draw(st.none() | right_sides(mode)) for mode in modes]
    tilers = tilers[: data.draw(st.integers(0, len(tilers)))]
    try:
        result = composition(layout, tuple(tilers))
    except TlaError as error:
        with pytest.raises(type(error)):
            [composition(mode, tiler) for mode, tiler in zip(modes, tilers, strict=False)]
        return
    assert list(result) == [composition(m, t) for m, t in zip(modes, tilers, strict=False)]


def test_origins() -> None:
    """A composition drops the origin, but of modes that are left alone."""
    padded = parse("(8,4):(1,8):(5,3)")
    assert str(composition(padded, parse("4:2"))) == "4:2"
    assert str(composition(padded, (4, _))) == "(4,4):(1,8):(4,3)"
    assert str(composition(padded, (None, 2))) == "(8,2):(1,8):(5,2)"
    assert composition(padded, _) is padded


@pytest.mark.parametrize(
    ("tiler", "error", "text"),
    [
        ((1, 2, 3), CongruenceError, "(1,2,3) has 3 parts, (8,4):(1,8) has 2 modes"),
        ((_, (None, 2)), CongruenceError, "(_,2) has 2 parts, 4:8 has 1 mode"),
        (-1, LayoutError, "shape -1 has the negative extent -1"),
        ("x", LeafError, "expected an int, got str 'x'"),
        ((2, True), LeafError, "expected an int, got bool True"),
        ((2, 2.0), LeafError, "expected an int, got float 2.0"),
    ],
)
def test_tilers_that_are_none(tiler: Any, error: type[TlaError], text: str) -> None:
    with pytest.raises(error) as caught:
        composition(parse("(8,4):(1,8)"), tiler)
    assert caught.value.summary == text


def test_a_left_side_that_is_no_layout() -> None:
    for wrong in (4, (2, 4), "4:1", None):
        with pytest.raises(TypeError, match=r"^expected a layout, got "):
            composition(wrong, Layout(2))  # type: ignore[call-overload]  # ty: ignore[no-matching-overload]


def test_a_swizzle_keeps_the_layout() -> None:
    swizzle, layout = Swizzle(2, 0, 3), parse("(8,8):(8,1)")
    result = composition(swizzle, layout)
    assert isinstance(result, ComposedLayout)
    assert (result.outer, result.inner) == (swizzle, layout)
    assert [result(i) for i in range(64)] == [swizzle(layout(i)) for i in range(64)]


# --- large, hard and symbolic -----------------------------------------------------------------


def composes(a: Any, b: Any, result: Any, indices: Iterable[int]) -> None:
    assert naive_refines(result.shape, b.shape)
    for i in indices:
        assert naive_extended(result, i) == naive_extended(a, naive_extended(b, i))


def test_sixty_modes() -> None:
    order = [(7 * i + 3) % 60 for i in range(60)]
    steps = {leaf: 2**k for k, leaf in enumerate(order)}
    a = Layout((2,) * 60, tuple(steps[i] for i in range(60)))
    for b in (Layout((2,) * 60, tuple(reversed([2**i for i in range(60)]))), Layout((2**30, 2**30))):
        composes(a, b, composition(a, b), [0, 1, 2**59 + 5, 2**60 - 1, 0x5A5A5A5A5A5A5A5])
    with pytest.raises(DivisibilityError) as caught:
        composition(a, Layout((2**30, 3), (1, 2**29)))
    error: Any = caught.value
    assert naive_extended(a, naive_offset(error.b, error.coord)) == error.value != error.layout_value


def test_ints_beyond_64_bits() -> None:
    a = Layout((10**12, 3 * 10**20), (-(7**40), 11**30))
    b = Layout((10**6, (10**6, 10**15)), (10**6, (1, 3 * 10**12)))
    result = composition(a, b)
    assert str(result.shape) == str(b.shape)
    composes(a, b, result, [0, 1, 10**6, 10**12, 10**27 - 1, 123456789012345678])
    with pytest.raises(DivisibilityError) as caught:
        composition(a, Layout(2 * 10**12 + 1, 1))
    assert caught.value.coord == 10**12
    assert caught.value.value == 11**30
    assert caught.value.layout_value == -(10**12) * 7**40


def corner(m: int) -> tuple[Any, Any]:
    """A pair whose only carries are two at the last coordinate of m*m, and cancel each other."""
    first = 2 * (m - 1)
    return Layout((first, m, 2), (1, first + 1, m * (first + 1) - 1)), Layout((m, m), (1, first + 1))


@pytest.mark.parametrize("m", [2, 3, 7, 300])
def test_carries_that_cancel(m: int) -> None:
    a, b = corner(m)
    result = composition(a, b)
    assert naive_refines(result.shape, b.shape)
    if m < 10:
        assert naive_offsets(result) == naive_composition(a, b)
    else:
        composes(a, b, result, [0, 1, m - 1, m, m * m - m, m * m - 2, m * m - 1])


def test_the_search_ends() -> None:
    a, b = corner(10**6)
    with pytest.raises(UndecidedError) as caught:
        composition(a, b)
    assert (caught.value.a, caught.value.b, caught.value.work) == (a, b, limit_of("steps"))
    assert caught.value.modes == ("0", "1")
    assert str(caught.value) == (
        f"whether the composition of {a} with {b} is a layout was not decided within 100000 steps\n"
        "  Modes 0, 1 of the right side carry between the modes of the left side, and wherever tried the"
        " carries cancelled each other.\n"
        "  Split the modes so that fewer carry, or compose one mode at a time.\n"
        f"  {way_out('steps')}"
    )


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Layout((4, M), (1, 4)), Layout(2, 2), "2:2"),
        (Layout((4, M), (N, 1)), Layout((2, M), (2, 4)), "(2,M{min=2}):(2*N{min=2},1)"),
        (Layout((M, 8), (1, 0)), Layout(3, M), "3:0"),
        (Layout(16, N), Layout((M, 4), (4, 1)), "(M{min=2},4):(4*N{min=2},N)"),
    ],
)
def test_unknown_ints(a: Any, b: Any, expected: str) -> None:
    result = composition(a, b)
    assert str(result) == expected
    for m, n in ((2, 3), (5, 7), (8, 2)):
        left, right, whole = (x.bind(M=m, N=n) for x in (a, b, result))
        assert naive_offsets(whole) == naive_composition(left, right)


def test_what_an_unknown_leaves_open() -> None:
    with pytest.raises(UndecidedError, match=r"^composition of .* with 2:2 needs M > 2\n") as caught:
        composition(Layout((M, 4), (1, 100)), Layout(2, 2))
    assert caught.value.obligation == (M > 2)
    with assuming(M > 2, M % 2 == 0):
        result = composition(Layout((M, 4), (1, 100)), Layout(2, 2))
    assert result == Layout(2, 2)
    assert (M > 2) in result.assumptions
    with pytest.raises(CoordinateError):
        composition(Layout((4, M), (1, 100)), Layout(2, -1))
