"""Where XLA puts an element: the exact meaning of ``minor_to_major`` and tiles.

Each tile splits the axes that the one before it made. A tile of k entries applies to the last k
axes: each axis ``d`` becomes a count ``ceil(d / t)`` and an inner axis ``t``, all counts before all
inner axes; a ``*`` first merges its axis into the next one. The offset is the row-major index in
the axes that result. Padding sits where a size was rounded up.

>>> shape = XlaShape("f32", (3, 5), tiles=[(2, 2)])
>>> physical_offset(shape, (2, 3)), physical_elements(shape), physical_bytes(shape)
(17, 24, 96)

A bounded dim ``<=N`` takes the memory of N: XLA strides over the bound, whatever the size is. The
memory of an unknown dim ``?`` is symbolic.

>>> shape = XlaShape("f32", ("<=3", "?"), tiles=[(2, 2)])
>>> print(*physical_dimensions(shape), physical_elements(shape))
2 (d1{min=0}+1)//2 2 2 8*((d1{min=0}+1)//2)

Where the size of a dynamic array is kept is up to the backend, and counted nowhere here.
XLA's own helpers see the first tile only; `xla_array_size_bytes` is what they compute.
Source: tiled_layout.md of XLA; shape_util.cc for the sizes.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, SupportsIndex

from ..errors import CoordinateError, UnsupportedError
from ..ints import IntLike, ceil_div, known_lt, leaf, less, round_up
from .shape import COMBINE, AnyShape, Tile, XlaShape, XlaTuple, check_tile

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "array_shape",
    "linear_index",
    "linear_index_with_tile",
    "logical_bytes",
    "physical_bytes",
    "physical_dimensions",
    "physical_elements",
    "physical_index",
    "physical_offset",
    "xla_array_size_bytes",
]


def physical_index(shape: AnyShape, index: Sequence[IntLike]) -> tuple[int, ...]:
    """Return the coordinates of an element in the axes of `physical_dimensions`, major first.

    >>> physical_index(XlaShape("f32", (3, 5), tiles=[(2, 2)]), (2, 3))
    (1, 1, 0, 1)

    In a bounded dim every index below the bound has a place, be it data or padding.

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    shape = array_shape(shape)
    at = tuple(map(leaf, index))
    if len(at) != shape.rank or not _inside(at, shape.dimensions):
        raise CoordinateError(
            f"index ({','.join(map(str, at))}) is not an element of {shape}",
            f"It needs {shape.rank} ints from 0 to below the dims.",
            index=at,
            shape=shape,
        )
    return tuple(x for x, _d in _tiled(shape, at))


def physical_dimensions(shape: AnyShape) -> tuple[int, ...]:
    """Return the sizes of the axes that the tiles make, major first; their product is the memory.

    >>> physical_dimensions(XlaShape("f32", (3, 5), tiles=[(2, 2)]))
    (2, 3, 2, 2)
    """
    shape = array_shape(shape)
    return tuple(d for _x, d in _tiled(shape, (0,) * shape.rank))


def _inside(index: Sequence[int], bounds: Sequence[int]) -> bool:
    """Whether each entry lies from 0 to below its bound; raise `UndecidedError` where that is open."""
    pairs = list(zip(index, bounds, strict=True))
    if any(known_lt(x, 0) is True or known_lt(x, d) is False for x, d in pairs):
        return False  # one that is outside settles it
    return all(not less(x, 0) and less(x, d) for x, d in pairs)


def _tiled(shape: XlaShape, index: tuple[int, ...]) -> list[tuple[int, int]]:
    """The (coordinate, size) of each axis after all tiles, major first."""
    axes = [(index[p], shape.dimensions[p]) for p in shape.major_to_minor]
    for tile in shape.tiles:
        axes = _under_tile(axes, tile)
    return axes


def _under_tile(axes: list[tuple[int, int]], tile: Tile) -> list[tuple[int, int]]:
    """The (coordinate, size) of each axis after one tile, major first."""
    axes = [(0, 1)] * (len(tile) - len(axes)) + axes
    split = len(axes) - len(tile)
    majors, tail, entries = axes[:split], axes[split:], list(tile)
    while COMBINE in entries:
        i = entries.index(COMBINE)
        (x, d), (x_minor, d_minor) = tail[i], tail[i + 1]
        tail[i : i + 2] = [(x * d_minor + x_minor, d * d_minor)]
        del entries[i]
    sizes = [int(t) for t in entries]
    counts = [(x // t, ceil_div(d, t)) for (x, d), t in zip(tail, sizes, strict=True)]
    inner = [(x % t, t) for (x, _d), t in zip(tail, sizes, strict=True)]
    return majors + counts + inner


def physical_offset(shape: AnyShape, index: Sequence[IntLike]) -> int:
    """Return the offset of an element in memory, in elements.

    >>> physical_offset(XlaShape("f32", (3, "<=5"), tiles=[(2, 2)]), (2, 3))
    17

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    return _row_major(physical_index(shape, index), physical_dimensions(shape))


def physical_elements(shape: AnyShape) -> int:
    """Return how many elements the shape takes in memory, all padding and ``L`` included.

    A bounded dim counts by its bound; the count is symbolic where a dim is unknown.
    """
    shape = array_shape(shape)
    return round_up(prod(physical_dimensions(shape)), shape.tail_padding_alignment_in_elements)


def physical_bytes(shape: AnyShape) -> int:
    """Return how many bytes the shape takes in memory; packed where ``E`` says so."""
    shape = array_shape(shape)
    return _bytes(shape, physical_elements(shape))


def logical_bytes(shape: AnyShape) -> int:
    """Return the bytes of the data alone, without padding; a bounded dim counts by its bound.

    An element takes the whole bytes of its type, or the bits of ``E`` where those are fewer. So an
    ``E`` that widens elements is no data; XLA's memory reports count the same, except that they
    take a whole byte for a packed element too.

    >>> packed = XlaShape("s4", (3, 3), element_size_in_bits=4)
    >>> logical_bytes(packed), logical_bytes(XlaShape("s4", (3, 3)))
    (5, 9)
    """
    shape = array_shape(shape)
    whole = 8 * _sized(shape)
    return ceil_div(shape.elements * min(whole, shape.element_size_in_bits or whole), 8)


def xla_array_size_bytes(shape: AnyShape) -> int:
    """Return XLA's ``ShapeUtil::ArraySize``, the size of a buffer: it sees the first tile only.

    It differs from `physical_bytes` where a later tile pads, or where ``L`` stands without tiles.

    >>> shape = XlaShape("f32", (3, 5), tiles=[(3, 4), (2, 3)])
    >>> xla_array_size_bytes(shape), physical_bytes(shape)
    (96, 192)

    Raises:
        UnsupportedError: the first tile has a ``*``, for which XLA's formula has no meaning.
    """
    shape = array_shape(shape)
    if not shape.tiles:
        return _bytes(shape, shape.elements)
    first = shape.tiles[0]
    if COMBINE in first:
        raise UnsupportedError(
            f"XLA's array size has no meaning for {shape}: its first tile has a '*'", shape=shape
        )
    sizes = [shape.dimensions[p] for p in shape.major_to_minor]
    sizes = [1] * (len(first) - len(sizes)) + sizes
    untiled = len(sizes) - len(first)
    padded = [round_up(d, int(t)) for d, t in zip(sizes[untiled:], first, strict=True)]
    count = prod(sizes[:untiled]) * prod(padded)
    return _bytes(shape, round_up(count, shape.tail_padding_alignment_in_elements))


def linear_index(index: Sequence[IntLike], bounds: Sequence[IntLike]) -> int:
    """Return the row-major index: the last entry changes fastest. The document's formula.

    >>> linear_index((1, 1, 0, 1), (2, 3, 2, 2))
    17

    Raises:
        CoordinateError: the two have different lengths, or the index lies outside the bounds.
    """
    if len(index) != len(bounds):
        raise CoordinateError(f"index {tuple(index)} and bounds {tuple(bounds)} differ in length")
    at, sizes = tuple(map(leaf, index)), tuple(map(leaf, bounds))
    if not _inside(at, sizes):
        raise CoordinateError(f"index {tuple(index)} is outside the bounds {tuple(bounds)}")
    return _row_major(at, sizes)


def _row_major(index: Sequence[int], bounds: Sequence[int]) -> int:
    """The row-major index of coordinates that lie inside the bounds."""
    total = 0
    for x, d in zip(index, bounds, strict=True):
        total = total * d + x
    return total


def linear_index_with_tile(
    index: Sequence[IntLike], bounds: Sequence[IntLike], tile: Sequence[SupportsIndex]
) -> int:
    """Return the index of an element under one tile. The document's formula.

    >>> linear_index_with_tile((2, 3), (3, 5), (2, 2))
    17

    Args:
        tile: As many entries as ``bounds``, or fewer: then it applies to the last ones.

    Raises:
        CoordinateError: the index is not one int for each bound, inside it.
    """
    linear_index(index, bounds)  # one int for each bound, inside it
    axes = list(zip(map(leaf, index), map(leaf, bounds), strict=True))
    tiled = _under_tile(axes, check_tile(tile))
    return _row_major([x for x, _d in tiled], [d for _x, d in tiled])


def array_shape(shape: AnyShape) -> XlaShape:
    """Return an array shape as it is; a tuple, which has no memory layout, is refused.

    Raises:
        UnsupportedError: the shape is a tuple, a token or opaque.
    """
    if not isinstance(shape, (XlaShape, XlaTuple)):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = "; parse_shape reads a text" if isinstance(shape, str) else ""
        raise TypeError(f"expected an XlaShape, got {type(shape).__name__} {shape!r}{hint}")
    if isinstance(shape, XlaTuple):
        raise UnsupportedError(
            "a tuple of shapes has no layout of its own",
            "Take its elements one by one.",
            shape=shape,
        )
    _sized(shape)
    return shape


def _sized(shape: XlaShape) -> int:
    """The bytes of one element; a token or opaque has none."""
    size = shape.element_type.bytes
    if size is None:
        raise UnsupportedError(f"{shape} carries no data: it has no size and no layout", shape=shape)
    return size


def _bytes(shape: XlaShape, count: int) -> int:
    if shape.element_size_in_bits:
        return ceil_div(count * shape.element_size_in_bits, 8)
    return count * _sized(shape)
