"""Refusals as pictures: the marked cells are those that speak against the operation."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st
from seeing import check_strip, marked, offsets

from tla import (
    CoordinateError,
    DivisibilityError,
    LayoutError,
    TlaError,
    algebra,
    complement,
    composition,
    left_inverse,
    logical_divide,
    logical_product,
    make_layout_tile,
    parse,
    zipped_divide,
)
from tla.explain import explain_error
from tla.ground.figure import Panels
from tla.show import render, svg
from tla.testing import int_tuples, layouts, naive_extended

from .test_operations import OPERATIONS, arguments_of

SHAPES = int_tuples(st.sampled_from([2, 2, 3, 4, 6]), max_rank=3)
LAYOUTS = layouts(SHAPES, max_stride=12)


def error_of(operation: Any, *arguments: Any) -> TlaError | None:
    """The error of an operation, if there is one."""
    try:
        operation(*arguments)
    except TlaError as error:
        return error
    return None


def refused(operation: Any, *arguments: Any, **options: Any) -> Any:
    """The error of an operation, and its picture."""
    with pytest.raises(TlaError) as caught:
        operation(*arguments, **options)
    return explain_error(caught.value)


# --- composition ---


def test_the_witness_of_a_composition() -> None:
    picture = refused(composition, parse("(6,2):(1,7)"), parse("(3,2):(2,3)"))
    assert [figure.title for figure in picture.figures] == ["A = (6,2):(1,7)", "B = (3,2):(2,3)"]
    assert picture.signs == ("o",)
    assert [marked(figure) for figure in picture.figures] == [[8], [7]]
    assert picture.note == "at (2,1) B is 7, and A(7) = 8; a layout would give 7"


@settings(max_examples=share(200))
@given(LAYOUTS, LAYOUTS)
def test_the_cells_marked_are_the_witness(a: Any, b: Any) -> None:
    """In B the coordinate of the error, in A the index that B has there."""
    error = error_of(composition, a, b)
    if not isinstance(error, DivisibilityError):
        return
    picture = explain_error(error)
    assert isinstance(picture, Panels)
    index = b(error.data["coord"])
    left, right = picture.figures
    assert marked(left) == [naive_extended(a, index)]
    assert marked(right) == [index]
    assert f"A({index}) = {naive_extended(a, index)};" in picture.note


def test_an_index_past_the_end_and_one_below_0() -> None:
    past = refused(composition, parse("8:1"), parse("4:3"), extend=False)
    assert [marked(figure) for figure in past.figures] == [[], [9]]
    assert past.note == "at 3 B is 9, and A has the indices 0 to 7"
    below = refused(composition, parse("8:1"), parse("4:-3"))
    assert [marked(figure) for figure in below.figures] == [[], [-3]]


def test_a_witness_far_away_is_seen() -> None:
    picture = refused(composition, parse("(1000,1000):(1,2000)"), parse("(999,3):(1,999)"))
    with pytest.raises(DivisibilityError) as caught:
        composition(parse("(1000,1000):(1,2000)"), parse("(999,3):(1,999)"))
    index = parse("(999,3):(1,999)")(caught.value.data["coord"])
    assert marked(picture.figures[1]) == [index]
    assert len(marked(picture.figures[0])) == 1


# --- tiles ---


def test_a_division_that_is_not_exact() -> None:
    picture = refused(logical_divide, parse("10:1"), 4, exact=True)
    (figure,) = picture.figures
    assert marked(figure) == [10, 11]
    assert picture.note.startswith("3 tiles of 4 take 12, the layout has 10")
    by_mode = refused(zipped_divide, parse("(8,6):(1,8)"), (3, 3), exact=True)
    assert marked(by_mode.figures[0]) == [8]


def test_tiles_with_gaps_mark_what_they_leave_out() -> None:
    picture = refused(logical_divide, parse("10:1"), parse("(2,2):(1,5)"), exact=True)
    left = marked(picture.figures[0])
    assert left
    result = logical_divide(parse("10:1"), parse("(2,2):(1,5)"))
    assert not set(left) & {x for x in offsets(result) if x < 10}


def test_a_division_by_a_composition_that_is_none() -> None:
    picture = refused(logical_divide, parse("(4,3):(1,5)"), 3)
    assert [marked(figure) for figure in picture.figures] == [[11], [9]]


@pytest.mark.parametrize(
    ("layout", "tile", "offsets_marked"),
    [
        ("(8,6):(6,1)", (3, 3), [36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47]),
        ("10:1", 4, [8, 9]),
        ("(4,3):(1,4)", (4, 2), [8, 9, 10, 11]),
        ("((4,2),2):((1,4),8)", (6, 2), [4, 12, 5, 13, 6, 14, 7, 15]),
        ("((4,2),2):((1,4),8)", (3, 2), [3, 11]),
    ],
)
def test_the_block_that_a_tile_cuts_is_marked(layout: str, tile: Any, offsets_marked: list[int]) -> None:
    picture = refused(make_layout_tile, parse(layout), tile)
    (figure,) = picture.figures
    assert marked(figure) == offsets_marked
    assert "do not fit mode" in picture.note


def test_a_tile_longer_than_its_mode() -> None:
    picture = refused(make_layout_tile, parse("(4,3):(1,4)"), (8, 3))
    assert marked(picture.figures[0]) == []
    assert picture.note == "a tile of 8 is longer than mode 0, 4"


@pytest.mark.parametrize("tile", [(0, 3), (-1, 3)])
def test_a_tile_without_elements_has_no_picture(tile: Any) -> None:
    error = error_of(make_layout_tile, parse("(4,3):(1,4)"), tile)
    assert error is not None
    assert explain_error(error) is None


def test_a_witness_far_away_in_a_mode_of_no_digits_is_seen() -> None:
    """Modes without digits are drawn as the one coordinate that they are."""
    picture = refused(logical_divide, parse("((6,8),2,()):((16,1),96,())"), 8)
    assert all(marked(figure) for figure in picture.figures)
    assert render(picture)
    assert svg(picture).startswith("<svg")


# --- memory ---


def test_an_offset_of_two_coordinates() -> None:
    picture = refused(complement, parse("(4,4):(1,2)"), 30)
    (strip,) = picture.figures
    assert marked(strip) == [2]
    assert strip.places[2].coordinates == ("(2,0)", "(0,1)")
    assert picture.note == "(2,0) and (0,1) lie at one offset, 2"


def test_modes_that_interleave() -> None:
    picture = refused(complement, parse("(2,2):(2,3)"))
    assert marked(picture.figures[0]) == [3]
    assert picture.note == "2:2 reaches up to 4, and 2:3 begins inside, at 3"


@settings(max_examples=share(150))
@given(LAYOUTS, st.sampled_from([complement, left_inverse]))
def test_the_place_marked_is_shared_or_where_the_next_mode_begins(layout: Any, operation: Any) -> None:
    error = error_of(operation, layout)
    if not isinstance(error, LayoutError):
        return
    picture = explain_error(error)
    assert isinstance(picture, Panels)
    (strip,) = picture.figures
    check_strip(strip, layout)
    (place,) = marked(strip)
    every = offsets(layout)
    assert every.count(place) > 1 or place in [d for _s, d in error.data["modes"]]
    if "one offset" in picture.note:
        assert every.count(place) > 1


def test_modes_that_run_backwards() -> None:
    picture = refused(complement, parse("(4,4):(1,-4)"))
    assert marked(picture.figures[0]) == list(range(-12, 0))
    assert marked(refused(left_inverse, parse("4:-1")).figures[0]) == [-3, -2, -1]


def test_a_left_inverse_whose_strides_do_not_divide() -> None:
    rng = random.Random(3)
    seen = 0
    while seen < 5:
        layout: Any = parse(f"(2,2,2):({rng.randint(1, 9)},{rng.randint(1, 20)},{rng.randint(1, 40)})")
        error = error_of(left_inverse, layout)
        if isinstance(error, DivisibilityError):
            picture: Any = explain_error(error)
            assert len(marked(picture.figures[0])) == 1
            seen += 1


def test_a_product_whose_copies_are_no_layout() -> None:
    picture = refused(logical_product, parse("(2,2):(1,6)"), parse("4:1"))
    assert [marked(figure) for figure in picture.figures] == [[12], [3]]


# --- all of them ---


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (complement, ("(4,0):(1,4)",)),
        (composition, ("(0,4):(1,4)", "2:1")),
        (lambda layout: logical_divide(layout, 3, exact=True), ("M:1",)),
    ],
)
def test_what_has_no_numbers_or_no_cells_has_no_picture(
    operation: Any, arguments: tuple[str, ...]
) -> None:
    error = error_of(operation, *map(parse, arguments))
    assert error is not None
    assert explain_error(error) is None


def test_an_error_of_something_else_has_no_picture() -> None:
    with pytest.raises(CoordinateError) as caught:
        parse("(4,2):(1,4)")(9, 9)
    assert explain_error(caught.value) is None
    with pytest.raises(TlaError) as parsing:
        parse("(4,2):(1")
    assert explain_error(parsing.value) is None


@pytest.mark.parametrize("operation", OPERATIONS)
def test_of_every_refusal_there_is_a_picture_or_none(operation: str) -> None:
    """Random layouts, empty and static ones among them: no error of its own."""
    rng = random.Random(f"refusals of {operation}")
    drawn = 0
    for _case in range(150):
        arguments = arguments_of(rng, operation)
        error = error_of(getattr(algebra, operation), *arguments)
        picture = None if error is None else explain_error(error)
        if picture is not None:
            drawn += 1
            if drawn % 10 == 0:
                assert render(picture)
                assert svg(picture).startswith("<svg")
    assert drawn or operation in ("coalesce", "right_inverse")
