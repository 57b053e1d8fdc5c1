"""Tiles as pad, reshape and transpose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import over
from hypothesis import given

from tla import CoordinateError, UnsupportedError
from tla.show import render
from tla.xla_bridge import XlaShape, parse_shape, physical_elements, physical_offset, tiling_steps

from .rows import TILED, array, indices
from .strategies import xla_shapes


def carried_out(shape: XlaShape) -> list[int]:
    """The steps done by numpy on the numbers of the elements; -1 is padding."""
    data: Any = np.arange(shape.elements).reshape(shape.dimensions)
    for step in tiling_steps(shape).steps:
        if step.action == "pad":
            added = [(0, m - n) for n, m in zip(data.shape, step.argument, strict=True)]
            data = np.pad(data, added, constant_values=-1)
        else:
            data = getattr(data, step.action)(step.argument)
        assert data.shape == step.dimensions
    return [int(x) for x in data]


def check(shape: XlaShape) -> None:
    memory = carried_out(shape)
    assert len(memory) == physical_elements(shape)
    places = {element: place for place, element in enumerate(memory) if element >= 0}
    elements = indices(shape.dimensions)
    assert [physical_offset(shape, index) for index in elements] == [
        places[i] for i in range(len(elements))
    ]


@given(xla_shapes())
def test_carried_out_they_give_the_offset_of_every_element(shape: XlaShape) -> None:
    check(shape)


@over("row", TILED, ids=lambda row: str(row["text"]))
def test_oracle_row(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    for index, at in row["samples"]:
        assert tiling_steps(shape, index).offset == at
    if "offsets_row_major" in row:
        check(shape)


@given(xla_shapes())
def test_an_element_moves_with_the_array(shape: XlaShape) -> None:
    for index in indices(shape.dimensions)[:20]:
        found = tiling_steps(shape, index)
        assert found.offset == physical_offset(shape, index)
        assert all(
            step.coordinate is not None
            and all(0 <= x < d for x, d in zip(step.coordinate, step.dimensions, strict=True))
            for step in found.steps
        )


def test_the_worked_example_of_the_document() -> None:
    """tiled_layout.md: F32[3,5] under (2,2), element (2,3)."""
    figure = tiling_steps(array("F32[3,5]{1,0:T(2,2)}"), (2, 3)).figure(pictures=False)
    assert render(figure._replace(sentences=())).splitlines() == [
        "tiling f32[3,5]{1,0:T(2,2)} (2,3)",
        "  tile   step                 dims       (2,3) is at",
        "         transpose (0,1)      (3,5)      (2,3)",
        "  (2,2)  pad                  (4,6)      (2,3)",
        "         reshape              (2,2,3,2)  (1,0,1,1)",
        "         transpose (0,2,1,3)  (2,3,2,2)  (1,1,0,1)",
        "         reshape              (24)       (17)",
        "  = offset 17 of 24 elements",
    ]


def test_without_an_element() -> None:
    found = tiling_steps(array("bf16[4,8]{1,0:T(2,4)(2,1)}"))
    assert found.offset is None
    assert all(step.coordinate is None for step in found.steps)
    assert [step.tile for step in found.steps] == [None, *[(2, 4)] * 3, *[(2, 1)] * 3, None]
    assert found.figure().columns == ("tile", "step", "dims")
    assert found.figure().result == "32 elements"


def test_a_star_reshapes_and_so_does_a_tile_of_more_entries() -> None:
    stars = tiling_steps(array("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}")).steps
    assert [step.action for step in stars[1:4]] == ["reshape", "pad", "reshape"]
    assert [step.dimensions for step in stars[1:4]] == [(112, 110), (112, 111), (56, 2, 37, 3)]
    longer = tiling_steps(array("f32[5]{0:T(8,128)}")).steps
    assert [step.dimensions for step in longer[:3]] == [(5,), (1, 5), (8, 128)]


def test_tail_padding_is_the_last_step() -> None:
    last = tiling_steps(array("f32[3]{0:T(2)L(6)}"), (2,)).steps[-1]
    assert last == ("pad", (6,), (6,), None, (2,))


def test_an_equal_tile_twice_is_named_twice() -> None:
    rows = tiling_steps(array("f32[8]{0:T(2)(2)}")).figure().rows
    assert [row[0] for row in rows] == ["", "(2)", "", "", "(2)", "", "", ""]


def test_unknown_sizes_stay_symbolic() -> None:
    steps = tiling_steps(array("f32[?,3]{1,0:T(2,2)}")).steps
    assert str(steps[-1].dimensions[0]) == "8*((d0{min=0}+1)//2)"


def test_what_is_refused() -> None:
    with pytest.raises(CoordinateError, match=r"index \(3,0\) is not an element"):
        tiling_steps(array("f32[3,5]"), (3, 0))
    with pytest.raises(UnsupportedError, match="one by one"):
        tiling_steps(parse_shape("(f32[2], f32[3])"))
