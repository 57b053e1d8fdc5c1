"""The limits: each has a name, a default, an error that names both, and two ways to raise it."""

import re
import threading
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product, repeat as repeat_for_ever
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from limited import limited_time

import tla
from tla import KindError, Layout, LimitError, ParseError, Swizzle, TlaError, limits, sym
from tla.ascend import gemm, registration, schedules, search
from tla.ascend.kernels import kernel, simulate
from tla.ground import LIMITS, shown
from tla.ground.limits import limit_of
from tla.hlo import read_instruction, read_module
from tla.hlo.lexing import end_of_brackets
from tla.indexing import (
    IndexingMap,
    computation_maps,
    layout_and_offset,
    output_to_input,
    parse_map,
    relation,
)
from tla.layouts import repeat
from tla.numbers.cases import cases
from tla.numbers.ints import limit_leaves, static_mask
from tla.testing import int_tuples
from tla.xla_bridge import OldLayout, padding_mask, parse_shape

A, B, C, D = map(sym, "ABCD")
DOCUMENT = Path(__file__).parents[2] / "docs" / "limits.md"

IRREGULAR = (
    "%y = f32[8] all-gather(f32[1] %x), replica_groups={{0,3,1,7,2,6,4,5}}, dimensions={0},"
    " use_global_device_ids=true, channel_id=1"
)
RAGGED = (
    "%r = f32[8,6] ragged-dot(f32[8,4] %a, f32[3,4,6] %b, s32[3] %s), lhs_contracting_dims={1},"
    " rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"
)
CALLS = read_module(
    """HloModule m
    f { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }
    g { x = f32[4] parameter(0)  ROOT r = f32[4] call(x), to_apply=f }
    ENTRY e { p = f32[4] parameter(0)  ROOT c = f32[4] call(p), to_apply=g }"""
)
SUMS = read_module(
    """ENTRY e {
    p = f32[9] parameter(0)
    q = f32[9] reverse(p), dimensions={0}
    ROOT r = f32[9] add(p, q) }"""
)


@kernel("AtlasA2", core="AIV")
def barriers(ctx: Any) -> None:
    """A kernel of four instructions."""
    for _turn in range(4):
        ctx.pipe_barrier("V")


def known(maps: list[list[Any]]) -> None:
    """Raise the reason of an undefined map."""
    for m in maps[0]:
        if m.is_undefined:
            raise TlaError(m.reason)


def tower(levels: int, part: Any = 1) -> Any:
    """A tuple of two parts that are one, of so many levels."""
    for _level in range(levels):
        part = (part, part)
    return part


BEYOND: dict[str, list[tuple[int, Callable[[], Any]]]] = {
    "terms": [(4, lambda: (A + B) * (C + D) * (A + C) * (B + D) * (A + D)), (5, lambda: (A * B) ** 3)],
    "cells": [(12, lambda: tla.layout_figure(Layout((4, 4))))],
    "rows": [(3, lambda: tla.layout_figure(Layout((4, 4))))],
    "columns": [(3, lambda: tla.layout_figure(Layout(4)))],
    "slices": [(1, lambda: tla.layout_figure(Layout((2, 1, 1))))],
    "places": [(7, lambda: tla.strip_figure(Layout(8)))],
    "characters": [(5, lambda: str(A % 3 * (B % 5) + C // 7))],
    "digits": [
        (3, lambda: tla.parse("1234")),
        (3, lambda: tla.evaluate("product((99,99))")),
        (3, lambda: tla.read("zN<half>(1234,16)")),
        (3, lambda: schedules.identity("1024,512,512", "16,16,16")),
    ],
    "nesting": [
        (3, lambda: tla.parse("((((4))))")),
        (3, lambda: tla.parse("((((M+1)*2+1)*2+1)*2+1)")),
        (3, lambda: tla.evaluate("size(size(size(size(4))))")),
        (3, lambda: parse_shape("((((f32[2]))))")),
        (3, lambda: tla.from_cpp("tla::make_shape(1+((((4))))*2)")),
    ],
    "brackets": [(3, lambda: end_of_brackets("{{{{}}}}", 0))],
    "calls": [(1, lambda: known(computation_maps(CALLS.entry)))],
    "maps": [(1, lambda: known(computation_maps(SUMS.entry)))],
    "leaves": [(2048, lambda: tla.size(tower(12))), (9, lambda: Layout(tower(13), tower(13)))],
    "modes": [(9, lambda: repeat(4, 10))],
    "rank": [
        (5, lambda: tla.evaluate("append(4, 1, upto=6)")),
        (5, lambda: IndexingMap(range(6))),
    ],
    "coordinates": [
        (8, lambda: tla.offset_lists(Layout(9))),
        (8, lambda: list(parse_map("(d0) -> (d0), domain: d0 in [0, 8]").points())),
        (8, lambda: OldLayout((0,), (9,)).linear_memory((1,), "a")),
    ],
    "offsets": [(8, lambda: tla.offsets(Layout(9))), (8, lambda: padding_mask(parse_shape("f32[9]")))],
    "indices": [
        (15, lambda: tla.composition(Swizzle(1, 0, 3), Layout((4, 4))).figure()),
    ],
    "steps": [
        (4, lambda: tla.is_injective(Layout((2, 2, 2, 2, 2, 2), (101, 303, 997, 787, 617, 529)))),
        (300, lambda: tla.min_(*[sym(f"M{i}") for i in range(20)])),
    ],
    "operations": [(9, lambda: relation(parse_map("(d0) -> (d0 mod 3), domain: d0 in [0, 9]")).count())],
    "pieces": [(1, lambda: relation(list(map(parse_map, ("(d0) -> (1), domain: d0 in [0, 1]",
                                                         "(d0) -> (5), domain: d0 in [8, 9]")))))],
    "runs": [(1, lambda: output_to_input(read_instruction(IRREGULAR), devices=8))],
    "groups": [(2, lambda: output_to_input(read_instruction(RAGGED)))],
    "devices": [
        (
            7,
            lambda: output_to_input(
                read_instruction("%y = f32[2] all-reduce(f32[2] %x), replica_groups=[2,4]<=[8]")
            ),
        )
    ],
    "cases": [(3, lambda: list(cases(lambda unknown: [unknown().known_lt(i) for i in (3, 4, 5)])))],
    "questions": [(3, lambda: list(cases(lambda unknown: [unknown().known_lt(i) for i in (3, 4, 5)])))],
    "instructions": [(3, lambda: simulate(barriers))],
    "cores": [(4, lambda: gemm("AtlasA2", (64, 64, 64), "half", cores=7))],
    "tasks": [(12, lambda: schedules.identity((13, 1, 1), (1, 1, 1)).proof())],
    "tiles": [(2, lambda: registration(search("910B3", (512, 512, 512), "half", top=3, step=128)))],
}  # fmt: skip

EXAMPLES = [(name, i) for name, several in BEYOND.items() for i in range(len(several))]


def test_each_limit_has_an_example() -> None:
    assert BEYOND.keys() == LIMITS.keys()


@pytest.mark.parametrize(("name", "i"), EXAMPLES)
def test_a_limit_refuses_by_its_name_and_says_what_raises_it(name: str, i: int) -> None:
    """Under each limit that the error proposes, the request goes on; in the end it is granted."""
    if name in ("operations", "pieces") and not find_spec("islpy"):
        pytest.skip("islpy is not installed")
    low, act = BEYOND[name][i]
    most = low
    for _count in range(40):
        try:
            with limits(**{name: most}):
                act()
            break
        except TlaError as error:
            text = str(error)
        assert f"the limit '{name}'" in text.replace("The", "the")
        ways = re.findall(rf"tla\.limits\({name}=(\d+)\).* --limit {name}=(\d+)", text)
        if name not in ("calls", "maps"):  # whose error is the reason of a map
            assert f"{most}" in text
            assert len(ways) == 1
        more = int(ways[0][0]) if ways else 2 * most
        assert more > most
        most = more
    assert most > low
    assert limit_of(name) == LIMITS[name].default
    act()


def test_blocks_replace_what_they_name_and_end() -> None:
    defaults = {name: limit_of(name) for name in LIMITS}
    seen: list[int] = []
    with limits(cells=5, rows=6):
        with limits(rows=7) as nothing:
            assert nothing is None
            assert (limit_of("cells"), limit_of("rows")) == (5, 7)
        thread = threading.Thread(target=lambda: seen.append(limit_of("cells")))
        thread.start()
        thread.join()
        assert (limit_of("cells"), limit_of("rows")) == (5, 6)
    assert seen == [defaults["cells"]]
    again = limits(cells=1)
    with again, again:
        assert limit_of("cells") == 1
    assert {name: limit_of(name) for name in LIMITS} == defaults


def test_what_is_no_limit_is_refused() -> None:
    with pytest.raises(KindError, match="there is no limit 'cels'\n  Did you mean cells"):
        limits(cels=5)
    for bad in (-1, True, 1.5, "5", None, -(10**5000)):
        with pytest.raises(KindError, match="the limit 'cells' is an int from 0 on"):
            limits(cells=bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_an_error_knows_its_limit() -> None:
    with pytest.raises(LimitError) as caught, limits(places=5):
        tla.strip_figure(Layout(8))
    assert (caught.value.limit, caught.value.most) == ("places", 5)
    with pytest.raises(LimitError, match="The argument 31 sets the limit") as caught:
        tla.offsets(Layout(32), limit=31)
    assert (caught.value.limit, caught.value.most) == ("offsets", 31)


def test_the_document_has_the_table() -> None:
    text = DOCUMENT.read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| (.*) \|$", text, re.M)
    table = [(name, int(n.replace(",", "")), what) for name, n, what in rows]
    assert table == [(name, n, what) for name, (n, what) in LIMITS.items()]


@pytest.mark.parametrize("dims", [range(10**12), repeat_for_ever(8)])
def test_a_map_of_endless_parts(dims: Any) -> None:
    with pytest.raises(LimitError, match="an indexing map of more than 1000 variables or results"):
        IndexingMap((), dims)


def test_a_memory_of_many_dims() -> None:
    with pytest.raises(LimitError, match="an indexing map of more than 1000 variables or results"):
        layout_and_offset(parse_map("(d0) -> (d0), domain: d0 in [0, 7]"), range(10**6))


# --- values with shared parts, many modes, long names -----------------------------------------


def test_shared_parts_take_no_time_that_doubles() -> None:
    x: Any = sym("M")
    for i in range(9):
        x = x // (3 + i) * (x % (5 + i))
    assert len(str(x)) > 5_000
    assert x.size > 3_000
    for i in range(40):
        x = x // (3 + i) * (x % (5 + i))
    assert x.size > 10**15
    for write in (str, repr, tla.numbers.to_cpp, tla.numbers.to_mlir):
        with pytest.raises(
            LimitError, match="a symbolic int has a text of more than 1048576 characters"
        ):
            write(x)


WALKS: dict[str, Any] = {
    "Layout": Layout,
    "Layout of both": lambda x: Layout(x, x),
    "origin_shape": lambda x: Layout(8, 1, x),
    "make_tile": tla.make_tile,
    "make_tuple": tla.make_tuple,
    "size": tla.size,
    "depth": tla.depth,
    "rank": tla.rank,
    "flatten": tla.flatten,
    "product": tla.layouts.product,
    "product_each": tla.layouts.product_each,
    "product_like": lambda x: tla.layouts.product_like(x, x),
    "congruent": lambda x: tla.congruent(x, x),
    "weakly_congruent": lambda x: tla.weakly_congruent(x, x),
    "compatible": lambda x: tla.compatible(x, x),
    "is_static": tla.is_static,
    "static_mask": static_mask,
    "add": lambda x: tla.add(x, x),
    "max_": tla.max_,
    "text_of": tla.layouts.text_of,
    "shape_div": lambda x: tla.shape_div(x, 2),
    "shape_div by it": lambda x: tla.shape_div(4, x),
    "idx2crd": lambda x: tla.idx2crd(0, x),
    "crd2idx": lambda x: tla.crd2idx(x, x),
    "crd2offset": lambda x: tla.crd2offset(0, x, x),
    "a coordinate": Layout(8),
    "a slice": lambda x: Layout((8, 2))[tla._, x],
    "has_underscore": tla.layouts.has_underscore,
    "compact_row_major": tla.compact_row_major,
    "composition": lambda x: tla.composition(Layout(8), x),
    "coalesce": lambda x: tla.coalesce(Layout(sym("M")), x),
    "repeat_like": lambda x: tla.layouts.repeat_like(x, 1),
    "to_cpp": tla.to_cpp,
}


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
@pytest.mark.parametrize(("part", "shared"), [(1, 40), (tower(9), 1 << 12)], ids=["high", "wide"])
def test_a_tuple_whose_parts_are_shared_is_counted_before_it_is_walked(
    walk: Callable[[Any], Any], part: Any, shared: int
) -> None:
    x = tower(40) if part == 1 else (part,) * shared
    with limited_time(5), pytest.raises(LimitError, match=r"an int tuple of \d+ ints") as caught:
        walk(x)
    assert caught.value.limit == "leaves"
    assert len(str(caught.value)) < 500


@given(int_tuples(st.integers(1, 3), min_rank=1), st.integers(1, 30))
def test_leaves_are_counted_as_often_as_they_occur(x: Any, times: int) -> None:
    high = tower(11, (x,) * times)
    count = len(list(tla.layouts.leaves(x))) * times << 11
    with limits(leaves=count):
        limit_leaves(high)
    with pytest.raises(LimitError, match=f"an int tuple of {count} ints"), limits(leaves=count - 1):
        limit_leaves(high)


def test_an_error_shows_the_start_of_a_value_of_many_parts() -> None:
    assert shown(tower(40)) == f"{'(' * 37}..."
    assert shown(tower(9)) == f"{repr(tower(9))[:37]}..."
    assert shown({"a": [[1], (2,)] * 60}) == "{'a': [[1], (2,), [1], (2,), [1], (2,..."
    assert shown([{1}, ()] * 60) == f"{repr([{1}, ()] * 60)[:37]}..."


@pytest.mark.parametrize(("n", "m"), [*product((50, 400), (0, 1))])
def test_the_common_vector_of_many_modes(n: int, m: int) -> None:
    order = [(i * 7 + 3) % n for i in range(n)]
    a = Layout((2,) * n, tuple([2 ** order.index(i) for i in range(n)]))
    swapped = {n - 2: n - 1, n - 1: n - 2} if m else {}
    b = Layout(a.shape, tuple([2 ** swapped.get(order.index(i), order.index(i)) for i in range(n)]))
    assert tla.max_common_vector(a, b) == 2 ** (n - 2 if m else n)


def test_a_long_text_of_names_is_read_and_written() -> None:
    n = 3000
    text = f"({','.join(f'M{i}{{div={i + 2}}}' for i in range(n))})"
    shape = tla.parse(text)
    assert [x.divisor for x in shape] == list(range(2, n + 2))
    assert tla.layouts.text_of(shape) == text
    assert tla.cpp.rewritten("tla::C<" + "9" * 100_000 + "a>").endswith("9a>")
    with pytest.raises(ParseError):
        tla.from_cpp("tla::C<" + "9" * 100_000 + "a>")
