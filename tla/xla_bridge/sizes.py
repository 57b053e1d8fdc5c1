# SPDX-License-Identifier: Apache-2.0
"""The memory of a shape, and XLA's count of it, which differs for a few tiles.

XLA's ``ShapeUtil::ArraySize`` counts only the first tile, or only the dims if there is no tile. It is
the size of a buffer nevertheless. If it is too small, elements lie past the end of the buffer.

>>> use = size_of(parse_shape("f32[3,5]{1,0:T(3,4)(2,3)}"))
>>> use.data_bytes, use.physical_bytes, use.xla_bytes
(60, 192, 96)
>>> print(use.warning)
XLA counts 96 bytes, the tiles take 192: XLA sees the first tile, (3,4), and no padding of later ones

Source: shape_util.cc of XLA.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UnsupportedError
from ..ground import Bar, Bars, html_of
from ..numbers import known_eq, known_lt, round_up
from .rules import COMBINE, INT64
from .splits import largest_piece, max_split_size
from .tiling import array_shape, bytes_of, logical_bytes, physical_bytes

if TYPE_CHECKING:
    from .rules import Tile
    from .shape import AnyShape, XlaShape


class MemoryUse(NamedTuple):
    """The bytes of one array: of its data, of its memory, and in XLA's count.

    >>> size_of(parse_shape("bf16[3,200]{1,0:T(8,128)(2,1)}"))
    MemoryUse(data_bytes=1200, physical_bytes=4096, xla_bytes=4096, warning='')
    """

    data_bytes: int
    """Its `logical_bytes`."""
    physical_bytes: int
    """The bytes of the elements and all padding in one memory; of the largest piece if split."""
    xla_bytes: int | None
    """Its `xla_array_size_bytes`; None if that has no meaning."""
    warning: str
    """One sentence on why XLA's count differs; empty if it does not."""

    @property
    def differs(self) -> bool:
        """Whether XLA's count differs from the memory of the tiles, or may differ."""
        return bool(self.warning)

    def figure(self) -> Bars:
        """Return the picture of the three counts, as data.

        >>> [(bar.label, bar.end) for bar in size_of(parse_shape("u8[3]{0:T(8)}")).figure().bars]
        [('data', 3), ('memory', 8), ('XLA counts', 8)]
        """
        counts = {"data": self.data_bytes, "memory": self.physical_bytes, "XLA counts": self.xla_bytes}
        bars = tuple([Bar(name, 0, n, n, ()) for name, n in counts.items() if n is not None])
        return Bars("an array", max(bar.end for bar in bars), bars, "bytes")

    def _repr_html_(self) -> str | None:
        return html_of(self)


def size_of(shape: AnyShape) -> MemoryUse:
    """Return the memory of an array and XLA's count of it, and why the two differ.

    >>> size_of(parse_shape("bf16[3,5]{1,0:T(8,128)(2,1)}"))
    MemoryUse(data_bytes=30, physical_bytes=2048, xla_bytes=2048, warning='')
    >>> print(size_of(parse_shape("u8[100]{0:SC(0:30)}")).warning)
    XLA counts 100 bytes, the largest piece takes 70: without tiles XLA overlooks SC

    Raises:
        UnsupportedError: the shape is no array.
    """
    array = array_shape(shape)
    data, taken = logical_bytes(array), physical_bytes(largest_piece(array))
    try:
        counted = xla_array_size_bytes(array)
    except UnsupportedError as error:
        return MemoryUse(data, taken, None, error.summary)
    if known_lt(INT64, taken) is True:
        unfit = f"the memory of {array} does not fit in 64 bits: {taken} bytes"
        return MemoryUse(data, taken, counted, unfit)
    if known_eq(counted, taken) is True:
        return MemoryUse(data, taken, counted, "")
    what = "the largest piece takes" if array.split_configs else "the tiles take"
    if array.tiles:
        why = f"XLA sees the first tile, {_tile(array.tiles[0])}, and no padding of later ones"
    else:
        what = what if array.split_configs else "the array takes"
        names = [name for name, is_there in _uncounted(array) if is_there]
        why = f"without tiles XLA overlooks {' and '.join(names)}"
    return MemoryUse(data, taken, counted, f"XLA counts {counted} bytes, {what} {taken}: {why}")


def _uncounted(shape: XlaShape) -> list[tuple[str, bool]]:
    """The attributes that XLA does not count if there are no tiles."""
    return [
        ("L", shape.tail_padding_alignment_in_elements > 1),
        ("SC", bool(shape.split_configs)),
    ]


def _tile(tile: Tile) -> str:
    return f"({','.join(map(str, tile))})"


def xla_array_size_bytes(shape: AnyShape) -> int:
    """Return XLA's ``ShapeUtil::ArraySize``, the size of a buffer: it counts only the first tile.

    It differs from `physical_bytes` if a later tile pads, or if ``L`` stands without tiles.

    >>> shape = XlaShape("f32", (3, 5), tiles=[(3, 4), (2, 3)])
    >>> xla_array_size_bytes(shape), physical_bytes(shape)
    (96, 192)

    For a split array with tiles it counts the largest piece.

    >>> xla_array_size_bytes(parse_shape("u8[100]{0:T(8)SC(0:30)}"))
    72

    Raises:
        UnsupportedError: the first tile has a ``*``, for which XLA's formula has no meaning, or the
            bytes, which XLA counts in 64 bits, do not fit.
    """
    shape = array_shape(shape)
    if not shape.tiles:
        return bytes_of(shape, shape.elements)
    first = shape.tiles[0]
    if COMBINE in first:
        raise UnsupportedError(
            f"XLA's array size has no meaning for {shape}: its first tile has a '*'", shape=shape
        )
    sizes = [max_split_size(shape, p) for p in shape.major_to_minor]
    sizes = [1] * (len(first) - len(sizes)) + sizes
    untiled = len(sizes) - len(first)
    padded = [round_up(d, int(t)) for d, t in zip(sizes[untiled:], first, strict=True)]
    count = prod(sizes[:untiled]) * prod(padded)
    counted = bytes_of(shape, round_up(count, shape.tail_padding_alignment_in_elements))
    if known_lt(INT64, counted) is True:
        raise UnsupportedError(
            f"XLA's array size of {shape} does not fit in 64 bits: {counted} bytes", shape=shape
        )
    return counted
