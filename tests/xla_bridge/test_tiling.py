"""Where an element lies, how much memory a shape takes: the exact meaning of tiles."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import over
from hypothesis import given

from tla import CoordinateError, LayoutError, LeafError, TlaError, UnsupportedError
from tla.xla_bridge import (
    XlaShape,
    linear_index,
    linear_index_with_tile,
    logical_bytes,
    parse_shape,
    physical_bytes,
    physical_dimensions,
    physical_elements,
    physical_index,
    physical_offset,
    xla_array_size_bytes,
)

from .naive import memory_of
from .rows import OUT_OF_MEMORY, TILED, array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


# --- the oracle ---


@over("row", TILED, ids=lambda row: str(row["text"]))
def test_oracle_row(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    assert [physical_offset(shape, index) for index, _at in row["samples"]] == [
        at for _index, at in row["samples"]
    ]
    if "offsets_row_major" in row:
        assert offsets(shape) == row["offsets_row_major"]
    assert physical_elements(shape) == row["physical_elements"]
    assert prod(physical_dimensions(shape)) == row["cosize"]  # before L
    if "xla_array_size_bytes" in row:
        assert physical_bytes(shape) == row["physical_bytes"]
        assert xla_array_size_bytes(shape) == row["xla_array_size_bytes"]


def test_the_oracle_is_whole() -> None:
    assert len(TILED) == 280
    assert sum("offsets_row_major" in row for row in TILED) == 200
    assert sum("xla_array_size_bytes" in row for row in TILED) == 250


def test_xla_counts_less_where_a_later_tile_pads() -> None:
    sized = [row for row in TILED if "xla_array_size_bytes" in row]
    differ = [row for row in sized if row["xla_array_size_bytes"] != row["physical_bytes"]]
    assert len(differ) == 68
    assert all(len(row["tiles"]) > 1 or row["L"] > 1 for row in differ)


def in_words(count: int) -> str:
    """A number of bytes as XLA's memory reports print it."""
    for unit, size in (("G", 2**30), ("M", 2**20)):
        if count >= size:
            return f"{count / size:.2f}{unit}"
    raise AssertionError("the reports list large arrays")


@pytest.mark.parametrize("row", OUT_OF_MEMORY, ids=lambda row: str(row["shape"]))
def test_sizes_of_public_out_of_memory_reports(row: dict[str, Any]) -> None:
    shape = array(row["shape"])
    if not shape.tiles:  # an old report: tiles were not printed, the default of 32 bits applied
        shape = XlaShape(shape.element_type.name, shape.dimensions, shape.minor_to_major, [(8, 128)])
    size, data = physical_bytes(shape), logical_bytes(shape)
    assert xla_array_size_bytes(shape) == size
    assert (in_words(size), in_words(data)) == (row["size"], row["unpadded"])
    assert row["expansion"] == ("-" if size == data else f"{size / data:.1f}x")


# --- the documents ---


def test_figure_1_of_the_tiling_document() -> None:
    """tiled_layout.md: F32[3,5]{1,0:T(2,2)}."""
    shape = array("F32[3,5]{1,0:T(2,2)}")
    assert physical_index(shape, (2, 3)) == (1, 1, 0, 1)
    assert physical_dimensions(shape) == (2, 3, 2, 2)
    assert physical_offset(shape, (2, 3)) == 17
    assert physical_elements(shape) == 24
    assert offsets(shape) == [0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20]


def test_figure_2_of_the_tiling_document() -> None:
    """tiled_layout.md: a 4x8 array under (2,4)(2,1); pairs of rows stand side by side."""
    shape = array("bf16[4,8]{1,0:T(2,4)(2,1)}")
    assert [offsets(shape)[i : i + 8] for i in range(0, 32, 8)] == [
        [0, 2, 4, 6, 8, 10, 12, 14],
        [1, 3, 5, 7, 9, 11, 13, 15],
        [16, 18, 20, 22, 24, 26, 28, 30],
        [17, 19, 21, 23, 25, 27, 29, 31],
    ]


def test_a_later_tile_may_reach_across_tiles() -> None:
    """tiled_layout.md: repeated tiling of the major dims, as in (8,128)(2,1,1,1)."""
    shape = array("f32[8,8]{1,0:T(2,4)(2,1,1,1)}")
    assert physical_offset(shape, (6, 5)) == 51


def test_combining_dims() -> None:
    """tiled_layout.md: F32[2,7,8,11,10] under (*,*,2,*,3) is F32[112,110] under (2,3)."""
    combined = array("F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}")
    flat = array("F32[112,110]{1,0:T(2,3)}")
    assert offsets(combined) == offsets(flat)
    assert physical_elements(combined) == physical_elements(flat) == 12432


LETTERS = np.array([list("abc"), list("def")])


def in_memory(shape: XlaShape, data: NDArray[Any], padding: str) -> str:
    """The data in the order of memory."""
    memory = [padding] * physical_elements(shape)
    for index in indices(shape.dimensions):
        memory[physical_offset(shape, index)] = data[index]
    return " ".join(memory)


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("f32[2,3]{0,1}", "a d b e c f"),
        ("f32[2,3]{1,0}", "a b c d e f"),
        # the older document pads [2,3] to [3,5]: now one tile over all of it
        ("f32[2,3]{0,1:T(5,3)}", "a d 0 b e 0 c f 0 0 0 0 0 0 0"),
        # tail padding: the count goes up to a multiple
        ("f32[2,3]{1,0:L(4)}", "a b c d e f 0 0"),
    ],
)
def test_order_in_memory(text: str, memory: str) -> None:
    """shapes.md: minor_to_major, and padding as an older version described it."""
    assert in_memory(array(text), LETTERS, "0") == memory


def test_linear_index_is_row_major() -> None:
    """tiled_layout.md: linear_index((1,1,0,1), (2,3,2,2)) = 17."""
    assert linear_index((1, 1, 0, 1), (2, 3, 2, 2)) == 17
    bounds = (2, 3, 4)
    assert [linear_index(index, bounds) for index in indices(bounds)] == list(range(24))
    assert linear_index((), ()) == 0


def test_linear_index_with_tile_is_the_formula_of_the_document() -> None:
    """tiled_layout.md: linear_index(tile, counts) * size of a tile + linear_index(inside, tile)."""
    assert linear_index_with_tile((2, 3), (3, 5), (2, 2)) == 17
    bounds, tile = (5, 7), (2, 3)
    for i, j in indices(bounds):
        whole = linear_index((i // 2, j // 3), (3, 3))
        inside = linear_index((i % 2, j % 3), tile)
        assert linear_index_with_tile((i, j), bounds, tile) == whole * 6 + inside


def test_a_tile_of_fewer_entries_applies_to_the_last_dims() -> None:
    shape = array("f32[2,3,5]{2,1,0:T(2,2)}")
    for i, j, k in indices((2, 3, 5)):
        offset = 24 * i + linear_index_with_tile((j, k), (3, 5), (2, 2))
        assert physical_offset(shape, (i, j, k)) == offset
        assert linear_index_with_tile((i, j, k), (2, 3, 5), (2, 2)) == offset


# --- against pad, reshape, transpose ---


@given(xla_shapes())
def test_offsets_are_pad_reshape_transpose(shape: XlaShape) -> None:
    memory = memory_of(shape)
    assert physical_elements(shape) == memory.size
    places = {int(element): place for place, element in enumerate(memory) if element >= 0}
    assert offsets(shape) == [places[i] for i in range(shape.elements)]


@given(xla_shapes())
def test_no_two_elements_share_a_place(shape: XlaShape) -> None:
    places = offsets(shape)
    assert len(set(places)) == shape.elements
    assert all(0 <= place < physical_elements(shape) for place in places)


# --- sizes ---


@pytest.mark.parametrize(
    ("text", "elements", "physical", "data"),
    [
        ("f32[]", 1, 4, 4),
        ("f32[]{:T(128)}", 128, 512, 4),
        ("f32[5]{0:T(8,128)}", 1024, 4096, 20),
        ("f32[0,5]{1,0:T(8,128)}", 0, 0, 0),
        ("pred[3]", 3, 3, 3),
        ("s4[3]", 3, 3, 3),  # a whole byte each, unless packed
        ("s4[3]{0:E(4)}", 3, 2, 2),
        ("s4[3]{0:T(8)E(4)}", 8, 4, 2),
        ("s2[5]{0:E(2)}", 5, 2, 2),
        ("pred[3]{0:E(32)}", 3, 12, 3),  # old TPUs: four bytes for a bool
        ("c64[3]{0:L(4)}", 4, 32, 24),
        ("c128[2]", 2, 32, 32),
        ("f32[3,5]{1,0:T(3,4)(2,3)}", 48, 192, 60),
    ],
)
def test_sizes(text: str, elements: int, physical: int, data: int) -> None:
    shape = array(text)
    sizes = physical_elements(shape), physical_bytes(shape), logical_bytes(shape)
    assert sizes == (elements, physical, data)


def test_xla_ignores_tail_padding_without_tiles() -> None:
    """ShapeUtil::ArraySize returns ByteSizeOfElements where there is no tile."""
    shape = array("f32[3]{0:L(8)}")
    assert (xla_array_size_bytes(shape), physical_bytes(shape)) == (12, 32)


# --- what is refused ---


@pytest.mark.parametrize("index", [(3, 0), (0, 5), (-1, 0), (0, -1), (0,), (0, 0, 0), ()])
def test_indices_that_are_no_element(index: tuple[int, ...]) -> None:
    shape = array("f32[3,5]{1,0:T(2,2)}")
    for function in (physical_offset, physical_index):
        with pytest.raises(CoordinateError) as caught:
            function(shape, index)
        written = ",".join(map(str, index))
        ints = f"{len(index)} int{'' if len(index) == 1 else 's'}, and"
        how = "is not an element of" if len(index) == 2 else f"has {ints}"
        how += " f32[3,5]{1,0:T(2,2)}" + ("" if len(index) == 2 else " has 2 dims")
        assert caught.value.summary == f"index ({written}) {how}"
        assert (caught.value.index, caught.value.shape) == (index, shape)


@pytest.mark.parametrize("index", [(0, 1.0), (True, 0), ("0", "1")])
def test_indices_that_are_no_ints(index: Any) -> None:
    with pytest.raises(LeafError):
        physical_offset(array("f32[3,5]"), index)


def test_numpy_ints_are_ints() -> None:
    index: Any = (np.int64(2), np.int8(1))
    offset = physical_offset(array("f32[3,5]"), index)
    assert (offset, type(offset)) == (11, int)


@pytest.mark.parametrize("text", ["(f32[2], u8[3])", "token[]", "opaque[]"])
@pytest.mark.parametrize(
    "function",
    [physical_elements, physical_bytes, logical_bytes, xla_array_size_bytes, physical_dimensions],
)
def test_what_has_no_memory_layout(text: str, function: Callable[[Any], object]) -> None:
    with pytest.raises(UnsupportedError, match="no layout") as caught:
        function(parse_shape(text))
    assert caught.value.shape == parse_shape(text)
    with pytest.raises(UnsupportedError):
        physical_offset(parse_shape(text), ())


def test_xla_array_size_of_combined_dims_has_no_meaning() -> None:
    with pytest.raises(UnsupportedError, match="its first tile has a '\\*'"):
        xla_array_size_bytes(array("f32[2,3]{1,0:T(*,3)}"))
    assert xla_array_size_bytes(array("f32[2,3]{1,0:T(2,3)(*,3)}")) == 24


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: linear_index((1, 2), (3,)), CoordinateError),
        (lambda: linear_index_with_tile((3, 3), (3, 5), (2, 2)), CoordinateError),
        (lambda: linear_index_with_tile((2, 3), (3, 5), (0, 2)), LayoutError),
        (lambda: linear_index_with_tile((2, 3), (3, 5), ()), LayoutError),
    ],
)
def test_formulas_refuse(call: Callable[[], int], error: type[TlaError]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("index", [(3,), (1, 2, 3), (), (3, 0), (0, 5), (-1, 0)])
def test_an_index_is_never_padded_or_cut(index: tuple[int, ...]) -> None:
    with pytest.raises(CoordinateError):
        linear_index_with_tile(index, (3, 5), (2, 2))


@pytest.mark.parametrize("index", [5, "12"])
def test_an_index_is_a_sequence(index: Any) -> None:
    with pytest.raises(LeafError, match="an index needs an int for each dim"):
        physical_offset(array("f32[3,5]"), index)
