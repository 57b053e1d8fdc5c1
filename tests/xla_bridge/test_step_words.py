"""The steps of a tiling in words and as pictures."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given
from seeing import equations, marked

from tla import TlaError
from tla.ground.figure import Figure, Strip
from tla.xla_bridge import (
    XlaShape,
    array_shape,
    parse_shape,
    physical_elements,
    physical_offset,
    tiling_steps,
)

from .strategies import xla_shapes

SHAPE = "f32[3,5]{1,0:T(2,2)}"


def told(text: str, index: tuple[int, ...] | None = None) -> tuple[str, ...]:
    return tiling_steps(parse_shape(text), index).figure().sentences


def test_the_worked_example_of_the_tiling_document() -> None:
    assert told(SHAPE) == (
        "In memory the dims stand in the order (0,1), the last runs fastest: sizes (3,5).",
        "Tile (2,2): sizes (3,5) are padded to whole tiles, (4,6): 24 - 15 = 9 more elements.",
        "Each axis under the tile splits into tiles and places inside, 4 = 2 * 2 and 6 = 3 * 2: sizes"
        " (2,2,3,2).",
        "The numbers of the tiles go in front, the places inside behind: sizes (2,3,2,2). So tiles of"
        " 2 * 2 = 4 elements lie one after the other.",
        "Read row by row this is memory: 2 * 3 * 2 * 2 = 24 elements.",
    )


def test_an_element_goes_the_same_way() -> None:
    sentences = told(SHAPE, (2, 3))
    assert sentences[2].endswith("(2,3) is at (1,0,1,1), as 2 = 1*2 + 0 and 3 = 1*2 + 1.")
    assert sentences[4].endswith("(2,3) is at 1*12 + 1*4 + 0*2 + 1*1 = 17.")


def test_tiles_that_merge_add_axes_and_pad_the_end() -> None:
    assert told("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}")[1] == (
        "Tile (*,*,2,*,3): * merges axes, (2,7,8,11,10) becomes (112,110)."
    )
    sentences = told("f32[9]{0:T(2,4)L(64)}")
    assert sentences[1] == "Tile (2,4): axes of size 1 are added, (9) becomes (1,9)."
    assert sentences[-1] == "The end is padded from 24 to 64 elements."
    assert told("bf16[4,8]{1,0:T(2,4)(2,1)}")[1] == (
        "Tile (2,4): sizes (4,8) are whole tiles, nothing is padded."
    )


def test_a_scalar() -> None:
    assert told("f32[]", ()) == (
        "A scalar has no dims to put in order. () is at ().",
        "Memory is 1 element. () is at 0.",
    )


@given(xla_shapes())
def test_every_number_is_true(shape: Any) -> None:
    try:
        array = array_shape(shape)
    except TlaError:
        assume(False)
        return
    assume(all(array.dimensions) and array.is_static)
    element = tuple(n - 1 for n in array.dimensions)
    figure = tiling_steps(array, element).figure(pictures=False)
    assert len(figure.sentences) == len(figure.rows)
    for sentence in figure.sentences:
        equations(sentence)
        for whole, parts in re.findall(r"(\d+) = (\d+ ?\* ?\d+(?: \+ \d+)?)", sentence):
            assert eval(parts) == int(whole)
    at = physical_offset(array, element)
    assert figure.result == f"offset {at} of {physical_elements(array)} elements"


@pytest.mark.parametrize(
    ("text", "index"),
    [
        (SHAPE, (2, 3)),
        ("bf16[8,4,20,256]{3,2,0,1:T(8,128)(2,1)}", (5, 2, 13, 200)),
        ("f32[3,5]{0,1:T(2,2)}", (2, 4)),
        ("f32[5]{0:T(2,4)}", (4,)),
        ("f32[]", ()),
    ],
)
def test_the_element_is_marked_in_the_array_and_in_memory(text: str, index: tuple[int, ...]) -> None:
    shape = parse_shape(text)
    assert isinstance(shape, XlaShape)
    grid, strip = tiling_steps(shape, index).figure().pictures
    assert isinstance(grid, Figure)
    assert isinstance(strip, Strip)
    assert marked(grid) == marked(strip) == [physical_offset(shape, index)]


def test_a_colour_is_a_tile() -> None:
    (grid, strip) = tiling_steps(parse_shape(SHAPE)).figure().pictures
    assert isinstance(grid, Figure)
    assert isinstance(strip, Strip)
    colours = [[cell.colour for cell in row] for row in grid.grids[0].cells]
    assert colours == [[0, 0, 3, 3, 6, 6]] * 2 + [[1, 1, 4, 4, 7, 7]] * 2
    assert [place.colour for place in strip.places] == [c for c in (0, 3, 6, 1, 4, 7) for _i in range(4)]


def test_unknown_sizes_have_words_and_no_picture() -> None:
    figure = tiling_steps(parse_shape("f32[?,<=3]{0,1:T(2,2)}")).figure()
    assert figure.pictures == ()
    assert "(d0{min=0}+1)//2" in figure.sentences[2]


def test_a_tiling_that_is_no_layout_has_words_and_no_picture() -> None:
    figure = tiling_steps(parse_shape("f32[6,6]{1,0:T(4,4)(3,3)}")).figure()
    assert figure.sentences
    assert figure.pictures == ()
