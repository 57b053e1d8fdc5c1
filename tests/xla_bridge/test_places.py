"""From an offset back to the element, or to what pads the place."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from hypothesis import given

from tla import CoordinateError, LeafError, UnsupportedError, sym
from tla.xla_bridge import (
    PaddedAxis,
    Padding,
    XlaShape,
    element_at,
    logical_index,
    padding_offsets,
    parse_shape,
    physical_elements,
    physical_offset,
)

from .naive import memory_of
from .rows import TILED, array, indices
from .strategies import xla_shapes

if TYPE_CHECKING:
    from collections.abc import Callable

# --- laws ---


@given(xla_shapes())
def test_it_inverts_the_offset_and_is_none_on_the_rest(shape: XlaShape) -> None:
    elements = indices(shape.dimensions)
    want = [elements[k] if k >= 0 else None for k in memory_of(shape)]
    assert [logical_index(shape, offset) for offset in range(physical_elements(shape))] == want


@over("row", TILED, ids=lambda row: str(row["text"]))
def test_oracle_row(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    assert [logical_index(shape, at) for _index, at in row["samples"]] == [
        tuple(index) for index, _at in row["samples"]
    ]


@given(xla_shapes())
def test_padding_offsets_are_the_places_without_an_element(shape: XlaShape) -> None:
    taken = {physical_offset(shape, index) for index in indices(shape.dimensions)}
    free = [at for at in range(physical_elements(shape)) if at not in taken]
    assert list(padding_offsets(shape)) == free


@given(xla_shapes())
def test_padding_lies_between_a_size_and_the_padded_size(shape: XlaShape) -> None:
    for offset in padding_offsets(shape):
        found = element_at(shape, offset)
        assert isinstance(found, Padding)
        assert found.tile in shape.tiles
        assert found.axes
        for axis in found.axes:
            assert axis.size <= axis.coordinate < axis.padded
            if axis.is_whole:  # a dim, or some merged by '*'
                assert axis.size == prod(shape.dimensions[dim] for dim in axis.dims)


# --- examples ---


def test_the_seed_layout() -> None:
    shape = array("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")
    assert logical_index(shape, 167_772_159) == (7, 0, 1279, 16383)
    assert logical_index(shape, physical_offset(shape, (3, 0, 77, 5000))) == (3, 0, 77, 5000)


@pytest.mark.parametrize(
    ("text", "offset", "written"),
    [
        ("f32[3,5]{1,0:T(2,2)}", 18, "tile (2,2) pads dim 0 from 3 to 4, this is 3"),
        (
            "f32[3,5]{1,0:T(2,2)}",
            23,
            "tile (2,2) pads dim 0 from 3 to 4, this is 3 and dim 1 from 5 to 6, this is 5",
        ),
        ("f32[5]{0:T(8,128)}", 128, "tile (8,128) pads an axis of its own from 1 to 8, this is 1"),
        (
            "f32[5]{0:T(8,128)}",
            1023,
            "tile (8,128) pads an axis of its own from 1 to 8, this is 7 and dim 0 from 5 to 128,"
            " this is 127",
        ),
        ("f32[]{:T(128)}", 1, "tile (128) pads an axis of its own from 1 to 128, this is 1"),
        (
            "f32[3,4]{1,0:T(3,4)(2,3)}",
            7,
            "tile (2,3) pads a part of dim 1 from 4 to 6, this is 4",
        ),
        (
            "f32[3,5]{1,0:T(1,2)(*,*,*,8)}",
            19,
            "tile (*,*,*,8) pads a part of dims 0,1 from 18 to 24, this is 19",
        ),
        ("f32[3,4]{1,0:T(*,5)}", 12, "tile (*,5) pads dims 0,1 from 12 to 15, this is 12"),
        ("f32[3]{0:T(2)L(16)}", 4, "L rounds 4 elements up to 16"),
        ("f32[2,3]{0,1:T(5,3)}", 2, "tile (5,3) pads dim 0 from 2 to 3, this is 2"),
    ],
)
def test_what_pads(text: str, offset: int, written: str) -> None:
    found = element_at(array(text), offset)
    assert isinstance(found, Padding)
    assert str(found) == f"padding: {written}"


def test_the_record_of_padding() -> None:
    found = element_at(array("f32[3,5]{1,0:T(2,2)}"), 18)
    assert found == Padding((2, 2), (PaddedAxis((0,), True, 3, 4, 3),))


def test_a_bounded_dim_has_the_elements_of_its_bound() -> None:
    assert logical_index(array("f32[<=3,2]{1,0}"), 5) == (2, 1)


def test_numpy_ints_are_ints() -> None:
    import numpy as np

    offset: Any = np.int64(17)
    found = logical_index(array("f32[3,5]{1,0:T(2,2)}"), offset)
    assert found is not None
    assert found == (2, 3)
    assert all(type(x) is int for x in found)


# --- what is refused ---


@pytest.mark.parametrize(
    ("text", "offset", "way_out"),
    [
        ("f32[3,5]{1,0:T(2,2)}", 24, "It has the offsets from 0 to 23."),
        ("f32[3,5]{1,0:T(2,2)}", -1, "It has the offsets from 0 to 23."),
        ("f32[0,5]{1,0:T(2,2)}", 0, "It has no offset at all."),
    ],
)
def test_offsets_beyond_the_memory(text: str, offset: int, way_out: str) -> None:
    shape = array(text)
    with pytest.raises(CoordinateError) as caught:
        logical_index(shape, offset)
    assert caught.value.summary == f"the offset {offset} lies outside the memory of {shape}"
    assert caught.value.details == (way_out,)
    assert (caught.value.offset, caught.value.shape) == (offset, shape)


@pytest.mark.parametrize(
    "call",
    [
        lambda shape: logical_index(shape, 0),
        lambda shape: element_at(shape, 0),
        lambda shape: list(padding_offsets(shape)),
    ],
)
def test_unknown_sizes(call: Callable[[XlaShape], object]) -> None:
    with pytest.raises(UnsupportedError, match=r"depends on the size of dim 1") as caught:
        call(array("f32[3,?]{1,0}"))
    assert "a bound, '<=N', for dim 1" in str(caught.value)
    assert caught.value.dim == 1


def test_an_unknown_offset() -> None:
    with pytest.raises(UnsupportedError, match="depends on unknowns"):
        logical_index(array("f32[3]"), sym("M"))


@pytest.mark.parametrize("offset", [1.0, True, "1", None])
def test_offsets_that_are_no_ints(offset: Any) -> None:
    with pytest.raises(LeafError):
        logical_index(array("f32[3]"), offset)


def test_a_tuple_has_no_memory() -> None:
    with pytest.raises(UnsupportedError, match="no layout of its own"):
        logical_index(parse_shape("(f32[2], f32[3])"), 0)
