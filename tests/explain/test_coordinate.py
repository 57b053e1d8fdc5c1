"""One coordinate's arithmetic, and the coordinates of an offset."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from seeing import equations, marked, offsets

from tla import CoordinateError, Layout, UndecidedError, UnsupportedError, idx2crd, parse
from tla.explain import explain_coordinate, explain_offset
from tla.ground.figure import Strip
from tla.testing import int_tuples, layouts

ZN: Any = parse("((4,2),(4,3)):((4,16),(1,32))")
SHAPES = int_tuples(st.sampled_from([1, 2, 2, 3, 4, 6]), max_rank=3)
LAYOUTS = layouts(SHAPES, min_stride=-6, max_stride=12)


def test_the_example_of_catlass() -> None:
    """CATLASS docs, 02_tla/01_layout.md: the element (1,5) of zN lies at 37."""
    found = ZN.explain((1, 5))
    assert found == ZN.explain(1, 5) == explain_coordinate(ZN, 1, 5)
    assert found.title == "((4,2),(4,3)):((4,16),(1,32)) at (1,5)"
    assert found.sentences == (
        "Mode 0, (4,2): 1 = 1 + 0*4, so (1,0).",
        "Mode 1, (4,3): 5 = 1 + 1*4, so (1,1).",
        "(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37",
    )
    assert found.result == "offset 37"
    grid, strip = found.pictures
    assert marked(grid) == marked(strip) == [37]
    assert {c.offset: c.colour for g in grid.grids for r in g.cells for c in r}[37] == 3


def test_an_index_falls_into_modes_first() -> None:
    assert ZN.explain(41).sentences[0] == "Index 41 = 1 + 5*8, so (1,5) of the modes."
    assert ZN.explain(41).sentences[-1].startswith("41 -> ((1,0),(1,1)) -> ")
    assert parse("(2,3):(3,1)").explain((1, 2)).sentences == ("(1,2) -> 1*3 + 2*1 = 5",)
    assert parse("8:2").explain(3).sentences == ("3 -> 3*2 = 6",)
    assert parse("():()").explain(()).sentences == ("() -> 0 = 0",)


def test_negative_strides_stand_in_parentheses() -> None:
    assert parse("4:-2").explain(3).sentences == ("3 -> 3*(-2) = -6",)


def test_padding_is_said() -> None:
    layout: Any = parse("((4,2),(4,3)):((4,16),(1,32)):(5,10)")
    assert layout.explain(6, 1).notes == ("padding: it lies outside the origin shape",)
    assert layout.explain(4, 1).notes == ()


@given(LAYOUTS, st.integers(0, 10**6))
def test_the_digits_times_the_strides_are_the_offset(layout: Any, index: int) -> None:
    assume(layout.size)
    index %= int(layout.size)
    found = explain_coordinate(layout, index)
    offset = offsets(layout)[index]
    assert found.result == f"offset {offset}"
    assert sum(int(row[-1]) for row in found.rows) == offset
    assert found.sentences[-1].endswith(f" = {offset}")
    assert sum(map(equations, found.sentences)) >= 0
    grid, strip = found.pictures
    assert marked(strip) == [offset]
    assert marked(grid)[:1] == [offset]
    assert found == explain_coordinate(layout, idx2crd(index, layout.shape))._replace(
        title=found.title, sentences=found.sentences
    )


@pytest.mark.parametrize(
    ("layout", "coord"),
    [
        ("(100,200):(200,1)", (70, 150)),
        ("((8,100),(4,500)):((4,3200),(1,32))", (700, 1999)),
        ("1000000000:7", (123456789,)),
        ("(5,6,100,200):(120000,20000,200,1)", (4, 5, 99, 199)),
        ("(5,6,3,4):(72,12,4,1)", (4, 5, 2, 3)),
    ],
)
def test_what_lies_far_away_is_shown_with_what_is_around_it(layout: str, coord: tuple[int, ...]) -> None:
    whole: Any = parse(layout)
    found = whole.explain(*coord)
    grid, strip = found.pictures
    assert marked(grid) == marked(strip) == [whole(*coord)]
    (shown,) = grid.grids
    assert len(shown.cells) <= 8
    assert all(len(row) <= 12 for row in shown.cells)
    names = [shown.column_axis.names]
    names = [shown.row_axis.names, *names] if shown.row_axis is not None else names
    for i, row in enumerate(shown.cells):
        for j, cell in enumerate(row):
            at = [name[k] for name, k in zip(names, [i, j][-len(names) :], strict=True)]
            digits = [parse(text) for text in at]
            assert cell.offset == whole(*coord[: len(coord) - len(names)], *digits)


@pytest.mark.parametrize("coord", [(4, 0, 0), (8, 0), (-1, 0), (0, 12), ((0, 2), 0), 96])
def test_what_is_no_coordinate_is_refused_as_by_the_layout(coord: Any) -> None:
    with pytest.raises(CoordinateError) as ours:
        ZN.explain(coord)
    with pytest.raises(CoordinateError) as theirs:
        ZN(coord)
    assert str(ours.value) == str(theirs.value)


def test_with_unknowns() -> None:
    layout: Any = parse("(4,8):(K,1)")
    found = layout.explain(2, 3)
    assert found.sentences == ("(2,3) -> 2*K + 3*1 = 2*K+3",)
    assert (found.pictures, found.notes) == ((), ("no picture: not all of it is a number",))
    with pytest.raises(UndecidedError):
        parse("(M,8):(8,1)").explain(2, 3)


# --- from an offset back ---


def test_one_coordinate_none_and_many() -> None:
    assert explain_offset(ZN, 37).result == "coordinate (1,5)"
    assert explain_offset(ZN, 37).sentences == (
        "(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37",
    )
    hole = explain_offset(parse("(2,2):(1,3)"), 2)
    assert (hole.result, hole.sentences) == ("no coordinate: a hole", ())
    assert explain_offset(parse("(2,2):(1,3)"), 5).result == "no coordinate: it reaches 0 to 4"
    assert explain_offset(parse("(2,0):(1,3)"), 0).result == "no coordinate: the layout is empty"
    shared = explain_offset(parse("(2,3):(1,1)"), 2)
    assert shared.result == "2 coordinates"
    assert shared.rows == (("(1,1)", "(1,1)", "yes"), ("(0,2)", "(0,2)", "yes"))


def test_many_are_counted_and_some_named() -> None:
    found = explain_offset(parse("(4,1000000000):(1,0)"), 3)
    assert found.result == "1000000000 coordinates"
    assert len(found.sentences) == 16
    assert explain_offset(parse("(100000,100000):(1,1)"), 90000).result == "more than 16 coordinates"


@given(LAYOUTS, st.integers(-40, 80))
def test_they_are_all_the_coordinates_there_are(layout: Any, offset: int) -> None:
    assume(layout.size)
    every = offsets(layout)
    found = explain_offset(layout, offset)
    count = every.count(offset)
    named = min(count, 16)
    assert len(found.rows) == len(found.sentences) == named
    for row in found.rows:
        assert layout(parse(row[0])) == layout(parse(row[1])) == offset
    if count > 1:
        assert found.result == f"{count} coordinates"
    grid, strip = found.pictures
    assert isinstance(strip, Strip)
    assert marked(strip) == [offset]
    for place in strip.places:
        assert place.hits == every.count(place.offset)
    assert set(marked(grid)) <= {offset}


def test_an_offset_of_unknowns_is_refused() -> None:
    with pytest.raises(UnsupportedError):
        explain_offset(parse("(M,8):(8,1)"), 3)


def test_a_method_of_every_layout() -> None:
    assert Layout((2, 3)).explain(1, 2).result == "offset 5"
