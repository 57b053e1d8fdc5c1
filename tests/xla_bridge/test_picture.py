"""Pictures of XLA shapes: every element where `physical_offset` says."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import pytest

from tla import UndecidedError, UnsupportedError
from tla.xla_bridge import parse_array, parse_shape, physical_offset
from tla.xla_bridge.picture import shape_figure, tuple_figure


@pytest.mark.parametrize(
    "text",
    [
        "f32[3,5]{1,0:T(2,2)}",
        "f32[3,5]{0,1:T(2,2)}",
        "bf16[3,9]{1,0:T(4,4)(2,1)}",
        "f32[2,3,5]{2,1,0:T(2,2)}",
        "f32[7]{0:T(4)}",
        "f32[4,4]",
        "f32[]",
    ],
)
def test_each_element_lies_where_it_does(text: str) -> None:
    shape = parse_array(text)
    figure = shape_figure(shape, 64, 64, 64)
    assert figure.title.startswith(f"{shape} = ")
    rank, dims = len(shape.dimensions), shape.dimensions
    found = {}
    for grid, outer in zip(figure.grids, product(*map(range, dims[:-2])), strict=False):
        for i, row in enumerate(grid.cells):
            for j, cell in enumerate(row):
                if cell.valid:
                    found[(*outer, *(i, j)[2 - min(rank, 2) :])] = cell.offset
    assert len(found) == prod(dims)
    assert found == {at: physical_offset(shape, at) for at in found}


def test_the_borders_are_those_of_the_tiles() -> None:
    (grid,) = shape_figure(parse_array("f32[4,6]{1,0:T(2,3)}")).grids
    assert grid.row_axis is not None
    assert grid.row_axis.levels == ((0, 0, 1, 1), (0, 1, 0, 1))
    assert grid.column_axis.levels == ((0, 0, 0, 1, 1, 1), (0, 1, 2, 0, 1, 2))


def test_a_tuple_is_its_arrays() -> None:
    shape: Any = parse_shape("(f32[2], token[], (s32[2,2], f32[?]))")
    figure = shape.figure()
    assert [each.title for each in figure.figures] == [
        "f32[2]{0} = (_2):(_1)",
        "s32[2,2]{1,0} = (_2,_2):(_2,_1)",
    ]
    assert figure.note == "2 of 4 arrays"
    many: Any = parse_shape(f"({', '.join(['f32[2]'] * 20)})")
    assert len(many.figure().figures) == 8


@pytest.mark.parametrize("text", ["token[]", "f32[3,5]{1,0:T(3,4)(2,3)}"])
def test_a_shape_without_a_layout(text: str) -> None:
    with pytest.raises(UnsupportedError):
        parse_shape(text).figure()


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UndecidedError):
        parse_shape("f32[?,3]").figure()
    for text in ("(token[])", "()"):
        shape: Any = parse_shape(text)
        with pytest.raises(UnsupportedError, match="has no array that can be drawn"):
            tuple_figure(shape)
