"""Pictures of operations: their numbers are those of the operation, one colour is one element."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cases import share
from hypothesis import assume, given, settings, strategies as st
from seeing import cells, check_strip, offsets, panels, sizes

from tla import Layout, TlaError, parse
from tla.explain import EXPLAINED, Explanation, explain
from tla.ground.figure import NO_COLOUR, Figure, Panels, Strip
from tla.show import render, svg
from tla.testing import int_tuples, layouts, naive_extended

from .test_operations import arguments_of

SHAPES = int_tuples(st.sampled_from([1, 2, 2, 3, 4, 6]), max_rank=3)
LAYOUTS = layouts(SHAPES, max_stride=12)


def pictures(operation: str, *arguments: Any) -> tuple[Any, ...]:
    return explain(operation, *arguments).figure().pictures


def drawn(found: Explanation) -> tuple[Any, ...]:
    return found.figure().pictures


def each(picture: Any) -> tuple[Any, ...]:
    """The figures of a picture."""
    return picture.figures if isinstance(picture, Panels) else (picture,)


def as_drawn(layout: Any, figure: Figure) -> Any:
    """The layout as one mode where it is drawn as one."""
    return layout if len(sizes(layout)) == 1 or figure.grids[0].row_axis else Layout(layout.size)


# --- composition ---


def check_composition(a: Any, b: Any, found: Explanation) -> None:
    (picture,) = drawn(found)
    left, right, result = panels(picture)
    assert picture.signs == ("o", "=")
    whole = parse(left.title.rpartition(" goes on as ")[2].removeprefix("A = "))
    ours = cells(left, whole)
    theirs = cells(right, b)
    every = offsets(b)
    for index, cell in ours.items():
        assert cell.offset == naive_extended(a, index)
        assert cell.valid == (index < a.size)
        assert (cell.colour == NO_COLOUR) == (index not in every)
        assert cell.elements == (index,)
    both = cells(result, as_drawn(found.result, result))
    assert both.keys() == theirs.keys()
    for k, cell in theirs.items():
        assert cell.offset == every[k]
        assert both[k].offset == naive_extended(a, every[k])
        assert both[k].colour == cell.colour != NO_COLOUR
        assert both[k].elements == cell.elements == (every[k],)
        if every[k] in ours:
            assert ours[every[k]].colour == cell.colour


@settings(max_examples=share(150))
@given(LAYOUTS, LAYOUTS)
def test_a_composition_carries_the_colours_of_b_through_a(a: Any, b: Any) -> None:
    assume(a.size and b.size)
    try:
        found = explain("composition", a, b)
    except TlaError:
        return  # refused, which is drawn otherwise
    check_composition(a, b, found)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(6,2):(8,2)", "(4,3):(3,1)"),
        ("(6,2):(8,2)", "12:1"),
        ("(6,2):(8,2)", "30:1"),
        ("(4,2,3):(2,1,8)", "(4,(2,3)):(2,(1,8))"),
        ("():()", "():()"),
        ("(1000,1000):(1,1000)", "(500,2):(2,1)"),
    ],
)
def test_compositions_of_documents_and_edges(a: str, b: str) -> None:
    left, right = parse(a), parse(b)
    figure = explain("composition", left, right).figure()
    assert len(figure.pictures) == 1
    if left.size <= 100:
        check_composition(left, right, explain("composition", left, right))


def test_the_worked_example_has_these_numbers() -> None:
    """CuTe 02_layout_algebra.md, "Composition", the first example."""
    (picture,) = pictures("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)"))
    result = picture.figures[2].grids[0].cells
    assert [[cell.offset for cell in row] for row in result] == [
        [0, 8, 16],
        [24, 32, 40],
        [2, 10, 18],
        [26, 34, 42],
    ]


def test_by_mode_the_right_side_says_coordinates() -> None:
    (picture,) = pictures("composition", parse("(6,8):(1,6)"), (2, parse("4:2")))
    middle = picture.figures[1].grids[0].cells
    assert [[cell.text for cell in row] for row in middle] == [
        ["(0,0)", "(0,2)", "(0,4)", "(0,6)"],
        ["(1,0)", "(1,2)", "(1,4)", "(1,6)"],
    ]
    after = picture.figures[2].grids[0].cells
    assert [cell.offset for cell in after[0]] == [0, 12, 24, 36]


# --- divide and product ---


DIVISIONS = ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"]


@pytest.mark.parametrize("operation", DIVISIONS)
@pytest.mark.parametrize("tiler", [4, (4, 3), (4, 4), (None, 2), parse("3:2"), (parse("2:4"), 3)])
def test_a_tile_keeps_its_colour(operation: str, tiler: Any) -> None:
    """Compact, so that an offset names an element: it has one colour before and after."""
    layout: Any = parse("(8,6):(1,8)")
    found = explain(operation, layout, tiler)
    (picture,) = drawn(found)
    before, after = panels(picture)
    colours = {c.offset: c.colour for g in before.grids for r in g.cells for c in r if c.valid}
    seen = set()
    for k, cell in cells(after, found.result).items():
        assert cell.offset == naive_extended(found.result, k)
        assert cell.colour != NO_COLOUR
        if cell.valid:
            assert colours[cell.offset] == cell.colour
            seen.add(cell.offset)
    if sum(map(len, after.grids[0].cells)) == found.result.size:
        assert seen == set(colours)  # every element is in a tile


def test_the_tiles_of_a_zipped_division_are_its_columns() -> None:
    (picture,) = pictures("zipped_divide", parse("(8,6):(1,8)"), (4, 3))
    columns = list(zip(*picture.figures[1].grids[0].cells, strict=True))
    assert [{cell.colour for cell in column} for column in columns] == [{0}, {1}, {3}, {4}]
    assert [cell.offset for cell in columns[1]] == [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23]


def test_what_a_division_adds_past_the_end_is_padding() -> None:
    (picture,) = pictures("logical_divide", parse("10:1"), 4)
    before, after = panels(picture)
    assert "past the end into padding" in picture.note
    assert [(figure.valid_size, figure.size) for figure in (before, after)] == [(10, 12), (10, 12)]
    assert [c.offset for c in before.grids[0].cells[0] if not c.valid] == [10, 11]
    assert [c.offset for row in after.grids[0].cells for c in row if not c.valid] == [10, 11]


PRODUCTS = ["logical_product", "zipped_product", "tiled_product", "flat_product"]


@pytest.mark.parametrize("operation", DIVISIONS)
def test_a_division_of_one_mode_by_no_tiler_leaves_it_whole(operation: str) -> None:
    (picture,) = pictures(operation, parse("4:2"), ())
    assert [sorted(c.offset for c in figure.grids[0].cells[0]) for figure in panels(picture)] == [
        [0, 2, 4, 6]
    ] * 2


@pytest.mark.parametrize("operation", [*PRODUCTS, "blocked_product", "raked_product"])
@pytest.mark.parametrize("tiler", ["(3,4):(1,3)", "(2,3):(3,1)", "6:1", "3:2"])
def test_a_copy_keeps_its_colour(operation: str, tiler: str) -> None:
    """Each copy is the block moved: its offsets less its least one are those of the block."""
    block: Any = parse("(2,2):(2,1)")
    over: Any = parse(tiler)
    found = explain(operation, block, over)
    picture, strip = drawn(found)
    result = panels(picture)[-1]
    shown = cells(result, found.result)
    if len(shown) == found.result.size and over.size <= 6:  # so that no two copies share a colour
        copies: dict[int, list[int]] = {}
        for cell in shown.values():
            copies.setdefault(cell.colour, []).append(cell.offset)
        assert len(copies) == over.size
        for copy in copies.values():
            assert sorted(x - min(copy) for x in copy) == [0, 1, 2, 3]
    check_strip(strip, found.result)
    colours = {cell.offset: cell.colour for cell in shown.values()}
    for place in strip.places:
        if place.hits and place.offset in colours:
            assert place.colour == colours[place.offset]


def test_a_product_by_mode_numbers_its_copies_over_all_modes() -> None:
    found = explain("logical_product", parse("(2,2):(1,2)"), (parse("2:1"), parse("2:2")))
    picture, _strip = drawn(found)
    assert len({c.colour for c in cells(picture.figures[1], found.result).values()}) == 4


# --- coalesce, complement, inverses ---


@given(LAYOUTS)
def test_coalescing_keeps_the_offset_and_colour_of_each_index(layout: Any) -> None:
    assume(layout.size)
    found = explain("coalesce", layout)
    (picture,) = drawn(found)
    before, after = panels(picture)
    left, right = cells(before, layout), cells(after, found.result)
    every = offsets(layout)
    for index in left.keys() & right.keys():
        assert left[index].offset == right[index].offset == every[index]
        assert left[index].colour == right[index].colour
        assert left[index].elements == right[index].elements == (index,)


@settings(max_examples=share(150))
@given(LAYOUTS, st.none() | st.integers(1, 60))
def test_a_complement_and_its_layout_fill_memory_together(layout: Any, target: int | None) -> None:
    assume(layout.size)
    try:
        found = explain("complement", layout, target)
    except TlaError:
        return  # refused, which is drawn otherwise
    alone, rest, both = drawn(found)
    together = Layout((layout.shape, found.result.shape), (layout.stride, found.result.stride))
    for strip, of in ((alone, layout), (rest, found.result), (both, together)):
        check_strip(strip, of)
        assert (strip.start, strip.end) == (alone.start, alone.end)
    size = layout.size
    every = offsets(together)
    first = {x: k // size for k, x in reversed(list(enumerate(every)))}
    for place in both.places:
        if place.hits:
            assert place.colour == first[place.offset] % 8


@pytest.mark.parametrize("operation", ["right_inverse", "left_inverse"])
@given(layout=LAYOUTS)
def test_an_inverse_has_offset_and_index_swapped(operation: str, layout: Any) -> None:
    assume(layout.size)
    try:
        found = explain(operation, layout)
    except TlaError:
        return  # refused, which is drawn otherwise
    (picture,) = drawn(found)
    before, after = panels(picture)
    left = cells(before, layout)
    right = cells(after, Layout(found.result.size))
    every, back = offsets(layout), offsets(found.result)
    for index, cell in left.items():
        assert cell.offset == every[index]
        is_pair = every[index] < len(back) and back[every[index]] == index
        assert (cell.colour != NO_COLOUR) == is_pair
        assert cell.elements == ((index,) if is_pair else ())
        if is_pair and every[index] in right:
            assert right[every[index]].colour == cell.colour
    for x, cell in right.items():
        assert cell.offset == back[x]
        is_pair = back[x] < len(every) and every[back[x]] == x
        assert (cell.colour != NO_COLOUR) == is_pair
        assert cell.elements == ((back[x],) if is_pair else ())


# --- all of them ---


@pytest.mark.parametrize("operation", sorted(EXPLAINED))
def test_there_is_a_picture_wherever_there_are_numbers(operation: str) -> None:
    """Random layouts, empty and static ones among them; each picture can be written."""
    rng = random.Random(f"pictures of {operation}")
    count = 0
    for _case in range(80):
        arguments = arguments_of(rng, operation)
        try:
            found = explain(operation, *arguments)
        except TlaError:
            continue
        figure = found.figure()
        given: Any = (*found.arguments, 1)
        of, tiler = given[:2]
        is_alone = tiler is None or repr(tiler) == "_"
        has_places = found.result.size and of.size and not is_alone
        assert bool(figure.pictures) == bool(has_places), arguments
        for picture in figure.pictures:
            assert isinstance(picture, (Panels, Strip))
            for figure_shown in each(picture) if isinstance(picture, Panels) else ():
                if isinstance(figure_shown, Figure):
                    shown = [c for grid in figure_shown.grids for row in grid.cells for c in row]
                    if len(shown) == figure_shown.size and not all(c.valid for c in shown):
                        assert len([c for c in shown if c.valid]) == figure_shown.valid_size, arguments
            count += 1
            if count % 20 == 0:
                assert render(picture)
                assert svg(picture).startswith("<svg")
    assert count > 20


def test_a_picture_of_something_large_is_a_part_of_it() -> None:
    layout: Any = parse("(32768,32768):(1,32768)")
    for operation, arguments in [
        ("composition", (layout, parse("(1024,1024):(32,65536)"))),
        ("zipped_divide", (layout, (128, 256))),
        ("logical_product", (layout, parse("(1000,1000):(1,1000)"))),
        ("complement", (layout, 1 << 40)),
        ("right_inverse", (layout,)),
        ("coalesce", (layout,)),
    ]:
        whole: tuple[Any, ...] = explain(operation, *arguments).figure().pictures
        for picture in whole:
            for figure in each(picture):
                if isinstance(figure, Strip):
                    assert len(figure.places) <= 64
                else:
                    assert sum([len(row) for g in figure.grids for row in g.cells]) <= 1024


def test_steps_without_pictures_have_none_and_say_no_more_than_the_steps() -> None:
    found = explain("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)"))
    assert found.figure(pictures=False).pictures == ()
    assert found.figure(pictures=False).notes == ()
    assert found.figure().notes == ("C = A o B: C(i) = A(B(i)) for each coordinate i of B",)
