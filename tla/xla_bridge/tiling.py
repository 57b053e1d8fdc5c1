# SPDX-License-Identifier: Apache-2.0
"""The place of an element in XLA: the exact meaning of ``minor_to_major`` and tiles.

Each tile splits the axes of the tile before it. A tile of k entries applies to the last k axes. Each
axis ``d`` becomes a count ``ceil(d / t)`` and an inner axis ``t``, all counts before all inner axes. A
``*`` first merges its axis into the next one. The offset is the row-major index in the axes after the
last tile. There is padding wherever a size is rounded up.

>>> shape = XlaShape("f32", (3, 5), tiles=[(2, 2)])
>>> physical_offset(shape, (2, 3)), physical_elements(shape), physical_bytes(shape)
(17, 24, 96)

A bounded dim ``<=N`` has the memory of N, because XLA's strides follow the bound, for any size. The
memory of an unknown dim ``?`` is symbolic.

>>> shape = XlaShape("f32", ("<=3", "?"), tiles=[(2, 2)])
>>> print(*physical_dimensions(shape), physical_elements(shape))
2 (d1{min=0}+1)//2 2 2 8*((d1{min=0}+1)//2)

The backend decides where it keeps the size of a dynamic array, which does not count here. For these
functions one memory holds a whole split array; `split_piece` returns the pieces.
Source: tiled_layout.md of XLA.
"""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Generic, NamedTuple, SupportsIndex, TypeVar

from ..errors import CoordinateError, KindError, LeafError, UndecidedError, UnsupportedError
from ..ground import described, plural, shortened
from ..numbers import IntLike, ceil_div, is_open, known_eq, known_lt, leaf, less, round_up
from .rules import COMBINE, Tile, check_tile
from .shape import AnyShape, XlaBuffer, XlaShape, XlaTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

A = TypeVar("A")


class Cut(NamedTuple, Generic[A]):
    """The effect of a tile on some axes, major first: it keeps some, merges the others, and splits
    those.

    Attributes:
        missing: The number of axes of size 1 that it adds in front, to have one for each of its entries.
        kept: The number of axes that it leaves as they are.
        groups: The axes that it merges, and then splits by one of its sizes.
        sizes: These sizes.
    """

    missing: int
    kept: int
    groups: tuple[tuple[A, ...], ...]
    sizes: tuple[int, ...]


def cut_by(tile: Tile, axes: Sequence[A], one: A) -> Cut[A]:
    """Return the effect of a tile on some axes; ``one`` is an axis of size 1.

    >>> cut_by(("*", 8, 4), [3, 5, 7, 9], 1)
    Cut(missing=0, kept=1, groups=((5, 7), (9,)), sizes=(8, 4))
    """
    missing, kept = max(0, len(tile) - len(axes)), max(0, len(axes) - len(tile))
    groups: list[tuple[A, ...]] = []
    group: tuple[A, ...] = ()
    for entry, axis in zip(tile, (*[one] * missing, *axes[kept:]), strict=True):
        group = (*group, axis)
        if entry != COMBINE:
            groups.append(group)
            group = ()
    return Cut(missing, kept, tuple(groups), tuple(int(t) for t in tile if t != COMBINE))


def physical_index(shape: AnyShape, index: Sequence[IntLike]) -> tuple[int, ...]:
    """Return the coordinates of an element in the axes of `physical_dimensions`, major first.

    >>> physical_index(XlaShape("f32", (3, 5), tiles=[(2, 2)]), (2, 3))
    (1, 1, 0, 1)

    In a bounded dim every index below the bound has a place, for data or for padding.

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    shape = array_shape(shape)
    return tuple(x for x, _d in tiled_axes(shape, index_of(shape, index)))


def index_of(shape: XlaShape, index: Sequence[IntLike]) -> tuple[int, ...]:
    """Return the index of an element as a tuple of ints, or raise the errors of `physical_index`."""
    if isinstance(index, (int, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LeafError(
            f"an index needs an int for each dim, not {index!r}", "Write (2, 3).", value=index
        )
    at = tuple(map(leaf, index))
    try:
        if len(at) == shape.rank and _inside(at, shape.dimensions):
            return at
    except UndecidedError as error:
        from ..numbers import to_python

        names = [(i, d) for i, d in enumerate(shape.dimensions) if is_open(d)]
        dims = " and ".join(f"{to_python(d)} is the size of dim {i}" for i, d in names)
        where = f"The index ({','.join(map(str, at))}) of {shape} needs it."
        error.with_hint(lambda: f"{where} {dims}: a number settles it, or a bound, '<=N'.")
        raise
    written = f"index ({','.join(map(str, at))})"
    if len(at) != shape.rank:
        counts = f"has {plural(len(at), 'int')}, and {shape} has {plural(shape.rank, 'dim')}"
        last = ",".join(str(d - 1) for d in shape.dimensions)
        is_known = all(type(d) is int and d for d in shape.dimensions)
        ways = [f"The last element is ({last})."] if is_known else []
        raise CoordinateError(f"{written} {counts}", *ways, index=at, shape=shape)
    written += f" is not an element of {shape}"
    faults = [
        f"Dim {i} has no index {x}: it has"
        f" {'none' if known_eq(d, 0) is True else f'those from 0 to {d - 1}'}."
        for i, (x, d) in enumerate(zip(at, shape.dimensions, strict=True))
        if known_lt(x, 0) is True or known_lt(x, d) is False
    ]
    raise CoordinateError(written, *faults, index=at, shape=shape)


def physical_dimensions(shape: AnyShape) -> tuple[int, ...]:
    """Return the sizes of the axes after all tiles, major first; their product is the memory.

    >>> physical_dimensions(XlaShape("f32", (3, 5), tiles=[(2, 2)]))
    (2, 3, 2, 2)
    """
    shape = array_shape(shape)
    return tuple(d for _x, d in tiled_axes(shape, (0,) * shape.rank))


def _inside(index: Sequence[int], bounds: Sequence[int]) -> bool:
    """Whether each entry lies from 0 to below its bound; raise `UndecidedError` if that is open."""
    pairs = list(zip(index, bounds, strict=True))
    if any(known_lt(x, 0) is True or known_lt(x, d) is False for x, d in pairs):
        return False  # one outside decides it
    return all(not less(x, 0) and less(x, d) for x, d in pairs)


def tiled_axes(shape: XlaShape, index: Sequence[int]) -> list[tuple[int, int]]:
    """Return the (coordinate, size) of each axis after all tiles, major first; nothing is checked."""
    axes = [(index[p], shape.dimensions[p]) for p in shape.major_to_minor]
    for tile in shape.tiles:
        axes = _under_tile(axes, tile)
    return axes


def _under_tile(axes: list[tuple[int, int]], tile: Tile) -> list[tuple[int, int]]:
    """The (coordinate, size) of each axis after one tile, major first."""
    cut = cut_by(tile, axes, (0, 1))
    merged = [reduce(lambda a, b: (a[0] * b[1] + b[0], a[1] * b[1]), group) for group in cut.groups]
    counts = [(x // t, ceil_div(d, t)) for (x, d), t in zip(merged, cut.sizes, strict=True)]
    inner = [(x % t, t) for (x, _d), t in zip(merged, cut.sizes, strict=True)]
    return axes[: cut.kept] + counts + inner


def physical_offset(shape: AnyShape, index: Sequence[IntLike]) -> int:
    """Return the offset of an element in memory, in elements.

    >>> physical_offset(XlaShape("f32", (3, "<=5"), tiles=[(2, 2)]), (2, 3))
    17

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    shape = array_shape(shape)
    axes = tiled_axes(shape, index_of(shape, index))
    return row_major([x for x, _d in axes], [d for _x, d in axes])


def physical_elements(shape: AnyShape) -> int:
    """Return the number of elements of memory of a shape, all padding and ``L`` included.

    >>> physical_elements(parse_shape("f32[3,5]{1,0:T(2,2)}")), 3 * 5
    (24, 15)

    A bounded dim counts by its bound. The number is symbolic if the size of a dim is unknown.
    """
    shape = array_shape(shape)
    return round_up(prod(physical_dimensions(shape)), shape.tail_padding_alignment_in_elements)


def physical_bytes(shape: AnyShape) -> int:
    """Return the number of bytes of memory of a shape; ``E`` packs its elements.

    >>> physical_bytes(parse_shape("bf16[3,200]{1,0:T(8,128)(2,1)}")), 2 * 3 * 200
    (4096, 1200)
    """
    shape = array_shape(shape)
    return bytes_of(shape, physical_elements(shape))


def logical_bytes(shape: AnyShape) -> int:
    """Return the bytes of the data alone, without padding; a bounded dim counts by its bound.

    An element has the whole bytes of its type, or the bits of ``E`` if those are fewer. So the
    additional bits of a wider ``E`` are no data. XLA's memory reports count in the same way, except that
    they count a whole byte also for a packed element.

    >>> packed = XlaShape("s4", (3, 3), element_size_in_bits=4)
    >>> logical_bytes(packed), logical_bytes(XlaShape("s4", (3, 3)))
    (5, 9)
    """
    shape = array_shape(shape)
    whole = 8 * element_bytes(shape)
    return ceil_div(shape.elements * min(whole, shape.element_size_in_bits or whole), 8)


def linear_index(index: Sequence[IntLike], bounds: Sequence[IntLike]) -> int:
    """Return the row-major index, the document's formula: the last entry changes fastest.

    >>> linear_index((1, 1, 0, 1), (2, 3, 2, 2))
    17

    Raises:
        CoordinateError: the two have different lengths, or the index lies outside the bounds.
    """
    if len(index) != len(bounds):
        raise CoordinateError(
            f"index {described(index)} and bounds {described(bounds)} differ in length"
        )
    at, sizes = tuple(map(leaf, index)), tuple(map(leaf, bounds))
    if not _inside(at, sizes):
        raise CoordinateError(f"index {tuple(index)} is outside the bounds {tuple(bounds)}")
    return row_major(at, sizes)


def row_major(index: Sequence[int], bounds: Sequence[int]) -> int:
    """Return the row-major index of coordinates that lie inside the bounds."""
    total = 0
    for x, d in zip(index, bounds, strict=True):
        total = total * d + x
    return total


def coordinates(index: int, bounds: Sequence[int]) -> list[int]:
    """Return the coordinates of a row-major index; the first of them has no bound."""
    out: list[int] = []
    for d in bounds[:0:-1]:
        index, x = divmod(index, d)
        out.append(x)
    return [*([index] if bounds else []), *reversed(out)]


def linear_index_with_tile(
    index: Sequence[IntLike], bounds: Sequence[IntLike], tile: Sequence[SupportsIndex]
) -> int:
    """Return the index of an element under one tile, the document's formula.

    >>> linear_index_with_tile((2, 3), (3, 5), (2, 2))
    17

    Args:
        tile: As many entries as ``bounds``, or fewer for the last bounds.

    Raises:
        CoordinateError: the index is not one int for each bound, inside it.
    """
    linear_index(index, bounds)  # one int for each bound, inside it
    axes = list(zip(map(leaf, index), map(leaf, bounds), strict=True))
    tiled = _under_tile(axes, check_tile(tile))
    return row_major([x for x, _d in tiled], [d for _x, d in tiled])


def array_shape(shape: AnyShape) -> XlaShape:
    """Return an array shape itself, or the array of a buffer; a tuple has no memory layout.

    >>> print(array_shape(parse_shape("b(f32[4]{0})")))
    f32[4]{0}

    Raises:
        UnsupportedError: the shape is a tuple, a token or opaque.
        LayoutError: the shape comes from mode "xla", and XLA's validator refuses it.
    """
    if isinstance(shape, XlaBuffer):
        return array_shape(shape.array)
    if isinstance(shape, XlaTuple):
        raise UnsupportedError(
            f"{shortened(str(shape))} is a tuple of shapes, and has no layout of its own",
            "Take its elements one by one; of an instruction in a file they are FILE:%name#0, #1, ...",
            shape=shape,
        )
    if not isinstance(shape, XlaShape):  # pyright: ignore[reportUnnecessaryIsInstance]
        hint = "; parse_shape reads a text" if isinstance(shape, str) else ""
        raise KindError(f"expected an XlaShape, got {described(shape)}{hint}", value=shape)
    element_bytes(shape)
    shape.validate()
    return shape


def element_bytes(shape: XlaShape) -> int:
    """Return the bytes of a single element; a token or opaque has none."""
    size = shape.element_type.bytes
    if size is None:
        raise UnsupportedError(f"{shape} carries no data: it has no size and no layout", shape=shape)
    return size


def bytes_of(shape: XlaShape, count: int) -> int:
    """Return the number of bytes of ``count`` elements, which ``E`` may pack."""
    if shape.element_size_in_bits:
        return ceil_div(count * shape.element_size_in_bits, 8)
    return count * element_bytes(shape)
