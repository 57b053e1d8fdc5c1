# SPDX-License-Identifier: Apache-2.0
"""From a place in memory back to the element there, or to the padding.

The tiles are run backwards, the last one first. Each count and its inner axis become one axis again, and
axes that ``*`` merged are split again. A coordinate past the end of its axis is padding of that tile.

>>> shape = parse_shape("f32[3,5]{1,0:T(2,2)}")
>>> logical_index(shape, 17), logical_index(shape, 18)
((2, 3), None)
>>> print(element_at(shape, 18))
padding: tile (2,2) pads dim 0 from 3 to 4, this is 3
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..errors import CoordinateError, UnsupportedError
from ..numbers import SymbolicInt, ceil_div, leaf
from .tiling import Cut, array_shape, coordinates, cut_by, physical_elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..numbers import IntLike
    from .rules import Tile
    from .shape import AnyShape, XlaShape


class PaddedAxis(NamedTuple):
    """An axis that a tile pads, with a coordinate of its padding.

    >>> from tla.xla_bridge import parse_array
    >>> axis = element_at(parse_array("f32[3,5]{1,0:T(2,2)}"), 18).axes[0]
    >>> axis.dims, axis.size, axis.padded, axis.coordinate
    ((0,), 3, 4, 3)
    """

    dims: tuple[int, ...]
    """The dims of the axis; empty for an axis that a longer tile adds."""
    is_whole: bool
    """Whether the axis is all of these dims, and not a part after an earlier tile."""
    size: int
    padded: int
    coordinate: int
    """``size <= coordinate < padded``."""

    def __str__(self) -> str:
        names = f"dim{'s' if len(self.dims) > 1 else ''} {','.join(map(str, self.dims))}"
        what = (
            "an axis of its own" if not self.dims else names if self.is_whole else f"a part of {names}"
        )
        return f"{what} from {self.size} to {self.padded}, this is {self.coordinate}"


class Padding(NamedTuple):
    """A place in memory without an element, and its cause.

    >>> from tla.xla_bridge import parse_array
    >>> place = element_at(parse_array("f32[3,5]{1,0:T(2,2)}"), 18)
    >>> print(place)
    padding: tile (2,2) pads dim 0 from 3 to 4, this is 3
    >>> place.tile, place.axes
    ((2, 2), (PaddedAxis(dims=(0,), is_whole=True, size=3, padded=4, coordinate=3),))
    """

    tile: Tile | None
    """The tile that pads; None for ``L``, which rounds the whole array up."""
    axes: tuple[PaddedAxis, ...]
    """The axes of the tile on which the place lies past the end; for ``L`` the array as one axis."""

    def __str__(self) -> str:
        if self.tile is None:
            (axis,) = self.axes
            return f"padding: L rounds {axis.size} elements up to {axis.padded}"
        tile = ",".join(map(str, self.tile))
        return f"padding: tile ({tile}) pads {' and '.join(map(str, self.axes))}"


def logical_index(shape: AnyShape, offset: IntLike) -> tuple[int, ...] | None:
    """Return the index of the element at an offset, or None for padding.

    ``logical_index(shape, physical_offset(shape, index)) == index`` for every element, and None for
    every other offset below ``physical_elements(shape)``. A bounded dim has the elements of its bound.

    >>> logical_index(parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}"), 167772159)
    (7, 0, 1279, 16383)

    Args:
        offset: The offset in elements, from 0 on.

    Raises:
        CoordinateError: the offset is negative, or beyond the memory of the shape.
        UnsupportedError: the size of a dim is unknown, or the shape is no array.
    """
    found = element_at(shape, offset)
    return None if isinstance(found, Padding) else found


def element_at(shape: AnyShape, offset: IntLike) -> tuple[int, ...] | Padding:
    """Return the index of the element at an offset, or the `Padding` there.

    >>> print(element_at(parse_shape("f32[3]{0:T(2)L(16)}"), 7))
    padding: L rounds 4 elements up to 16

    Raises:
        CoordinateError: the offset is negative, or beyond the memory of the shape.
        UnsupportedError: the size of a dim is unknown, or the shape is no array.
    """
    array = _array_of_known_sizes(shape)
    at, room = leaf(offset), physical_elements(array)
    if isinstance(at, SymbolicInt):
        raise UnsupportedError(
            f"the element of {array} at the offset {at} depends on unknowns",
            "Bind them to numbers first.",
            offset=at,
        )
    if not 0 <= at < room:
        raise CoordinateError(
            f"the offset {at} lies outside the memory of {array}",
            f"It has {f'the offsets from 0 to {room - 1}' if room else 'no offset at all'}.",
            offset=at,
            shape=array,
        )
    return _backwards(array).run(int(at))


def padding_offsets(shape: AnyShape) -> Iterator[int]:
    """Yield every offset without an element, in order.

    >>> list(padding_offsets(parse_shape("f32[3]{0:T(2)L(6)}")))
    [3, 4, 5]

    Raises:
        UnsupportedError: the size of a dim is unknown, or the shape is no array.
    """
    array = _array_of_known_sizes(shape)
    backwards = _backwards(array)
    for offset in range(physical_elements(array)):
        if isinstance(backwards.run(offset), Padding):
            yield offset


def _array_of_known_sizes(shape: AnyShape) -> XlaShape:
    """The array, whose sizes must all be known."""
    array = array_shape(shape)
    for i, size in enumerate(array.dimensions):
        if isinstance(size, SymbolicInt):
            raise UnsupportedError(
                f"which element of {array} lies at an offset depends on the size of dim {i}",
                f"It is not known. Write a number in place of '?', or a bound, '<=N', for dim {i}.",
                shape=array,
                dim=i,
            )
    return array


class _Axis(NamedTuple):
    """An axis after some tiles: its size, its dims, and whether it is all of them."""

    size: int
    dims: tuple[int, ...]
    is_whole: bool


class _Level(NamedTuple):
    """A tile, its cut of the axes before it, and the axes that it splits."""

    tile: Tile
    cut: Cut[_Axis]
    merged: list[_Axis]


class _Backwards:
    """The way back through the axes of a shape."""

    def __init__(self, shape: XlaShape) -> None:
        axes = [_Axis(shape.dimensions[p], (p,), True) for p in shape.major_to_minor]
        self._order, self._room = shape.major_to_minor, physical_elements(shape)
        self._levels: list[_Level] = []
        for tile in shape.tiles:
            cut = cut_by(tile, axes, _Axis(1, (), True))
            merged = list(map(_merged, cut.groups))
            self._levels.append(_Level(tile, cut, merged))
            counts = [
                _Axis(ceil_div(axis.size, t), axis.dims, axis.is_whole and t == 1)
                for t, axis in zip(cut.sizes, merged, strict=True)
            ]
            inner = [_Axis(t, axis.dims, False) for t, axis in zip(cut.sizes, merged, strict=True)]
            axes = axes[: cut.kept] + counts + inner
        self._sizes = [axis.size for axis in axes]
        self._held = prod(self._sizes)

    def run(self, offset: int) -> tuple[int, ...] | Padding:
        """The index of the element at an offset below the room."""
        if offset >= self._held:
            return Padding(None, (PaddedAxis((), True, self._held, self._room, offset),))
        at = coordinates(offset, self._sizes)
        for tile, cut, merged in reversed(self._levels):
            split = cut.kept + len(cut.sizes)
            counts, inner = at[cut.kept : split], at[split:]
            at = at[: cut.kept]
            past: list[PaddedAxis] = []
            parts = zip(cut.sizes, merged, cut.groups, counts, inner, strict=True)
            for t, axis, group, c, i in parts:
                x = c * t + i
                if x >= axis.size:
                    padded = ceil_div(axis.size, t) * t
                    past.append(PaddedAxis(axis.dims, axis.is_whole, axis.size, padded, x))
                at += coordinates(x, [part.size for part in group])
            if past:
                return Padding(tile, tuple(past))
            del at[: cut.missing]
        index = [0] * len(self._order)
        for p, x in zip(self._order, at, strict=True):
            index[p] = x
        return tuple(index)


@lru_cache(maxsize=64)
def _backwards(shape: XlaShape) -> _Backwards:
    return _Backwards(shape)  # its axes are the same for every offset


def _merged(group: tuple[_Axis, ...]) -> _Axis:
    """The axis that ``*`` makes of some."""
    dims = dict.fromkeys(dim for part in group for dim in part.dims)
    return _Axis(prod(part.size for part in group), tuple(dims), all(part.is_whole for part in group))
