"""Arrays split over memories."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tla import CoordinateError, UnsupportedError
from tla.xla_bridge import (
    XlaShape,
    largest_piece,
    max_split_size,
    parse_shape,
    physical_offset,
    split_piece,
)

from .rows import array, indices


@st.composite
def split_shapes(draw: st.DrawFn) -> XlaShape:
    """Shapes of rank 1 to 3 with some dims split."""
    dims = draw(st.lists(st.integers(2, 7), min_size=1, max_size=3))
    order = draw(st.permutations(range(len(dims))))
    splits = []
    for place in draw(st.sets(st.integers(0, len(dims) - 1))):
        size = dims[order[len(dims) - 1 - place]]
        splits.append((place, sorted(draw(st.sets(st.integers(1, size - 1), min_size=1)))))
    return XlaShape("u8", dims, order, [(2,)], split_configs=splits)


def test_the_sizes_of_xlas_own_test() -> None:
    """layout_util_test.cc, MaxSplitSize and MaxElementsInPerSplit."""
    shape = array("f32[150,200,100]{0,1,2:SC(0:30)(1:40,130)}")
    assert [max_split_size(shape, dim) for dim in range(3)] == [150, 90, 70]
    assert largest_piece(shape).elements == 150 * 90 * 70


@given(split_shapes())
def test_the_pieces_part_the_array(shape: XlaShape) -> None:
    seen: dict[tuple[int, ...], set[int]] = {}
    shapes: dict[tuple[int, ...], XlaShape] = {}
    for index in indices(shape.dimensions):
        piece = split_piece(shape, index)
        offset = physical_offset(piece.shape, piece.element)
        offsets = seen.setdefault(piece.numbers, set())
        assert offset not in offsets
        offsets.add(offset)
        assert shapes.setdefault(piece.numbers, piece.shape) == piece.shape
    assert {numbers: len(offsets) for numbers, offsets in seen.items()} == {
        numbers: piece.elements for numbers, piece in shapes.items()
    }
    assert max(piece.elements for piece in shapes.values()) == largest_piece(shape).elements
    for dim in range(shape.rank):
        sizes = [piece.dimensions[dim] for piece in shapes.values()]
        assert max(sizes) == max_split_size(shape, dim)
    assert all(not piece.split_configs and piece.tiles == shape.tiles for piece in shapes.values())


def test_pieces_by_name() -> None:
    """The first, the one between and the last; the index that splits begins the next piece."""
    shape = array("f32[100]{0:SC(0:40,70)}")
    numbers = [split_piece(shape, (i,)).numbers for i in (0, 39, 40, 69, 70, 99)]
    assert numbers == [(0,), (0,), (1,), (1,), (2,), (2,)]
    assert [split_piece(shape, (i,)).element for i in (39, 40, 99)] == [(39,), (0,), (29,)]


def test_everything_else_stays() -> None:
    shape = array("s4[<=100,8]{1,0:T(8)L(4)E(4)S(1)SC(0:30)M(8)}")
    assert str(largest_piece(shape)) == "s4[<=70,8]{1,0:T(8)L(4)E(4)S(1)M(8)}"


def test_an_array_that_is_not_split_is_its_own_piece() -> None:
    shape = array("f32[3,5]{1,0:T(2,2)}")
    assert largest_piece(shape) == shape
    assert split_piece(shape, (2, 3)) == ((), shape, (2, 3))
    assert max_split_size(shape, -1) == 5


def test_what_is_refused() -> None:
    shape = array("f32[100]{0:SC(0:40)}")
    with pytest.raises(CoordinateError, match="there is no dim 1"):
        max_split_size(shape, 1)
    with pytest.raises(CoordinateError, match="not an element"):
        split_piece(shape, (100,))
    with pytest.raises(UnsupportedError, match="no layout"):
        largest_piece(parse_shape("(f32[3])"))
