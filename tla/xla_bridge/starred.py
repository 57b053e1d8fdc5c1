# SPDX-License-Identifier: Apache-2.0
"""Tiles with ``*`` for digits that do not overlap but are no chain, and for sizes that are no multiple.

Tiles without ``*`` pad one axis, so each stride is a multiple of the one below. A tile of ``*`` and one
number at the end merges the most minor axes and pads them as a whole, to any size. So first come tiles
for the digits without the padding that no tile makes. Then the axes below each stride that is no
multiple are merged and padded up to it, from the minor end.

Source: our own construction.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .chain import spaced
from .peel import Tiling, tilings
from .rules import COMBINE
from .shape import XlaShape
from .tiling import physical_dimensions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .chain import Digit
    from .rules import Tile, TileDim


def starred_tilings(digits: Sequence[Digit], dims: Sequence[int], size: int) -> Iterator[Tiling]:
    """Yield tilings with these digits and this size.

    >>> from .chain import Digit
    >>> digits = [Digit(0, 1, 3, 75), Digit(2, 1, 9, 8), Digit(1, 1, 8, 1)]
    >>> next(starred_tilings(digits, (3, 8, 9), 225))
    Tiling(order=(0, 2, 1), tiles=(('*', 75),))
    >>> next(starred_tilings([Digit(0, 1, 4, 8), Digit(1, 1, 8, 1)], (4, 8), 33))
    Tiling(order=(0, 1), tiles=(('*', 33),))

    Args:
        digits: The digits, the greatest stride first, without overlaps; all ints are known.
        dims: The sizes of the dims.
        size: The elements of memory, at least those of the digits.
    """
    chain, rooms = _without_breaks(digits, dims, size)
    made = sorted(tilings(chain, dims), key=lambda tiling: tiling.cost)
    for tiling in made:
        axes = list(physical_dimensions(XlaShape("s8", dims, tiling.order[::-1], tiling.tiles)))
        tiles: list[Tile] = list(tiling.tiles)
        for taken, room in rooms:
            count = next(k for k in range(1, len(axes) + 1) if prod(axes[-k:]) == taken)
            merged: list[TileDim] = [COMBINE for _axis in range(1, count)]
            tiles.append((*merged, room))
            axes[-count:] = [1, room]
        yield Tiling(tiling.order, tuple(tiles))


def _without_breaks(
    digits: Sequence[Digit], dims: Sequence[int], size: int
) -> tuple[list[Digit], list[tuple[int, int]]]:
    """The chain of the digits without the padding that no tile can make.

    Returns:
        The chain, and for each break, from the minor end, the room of the digits below it without and
        with that padding.
    """
    chain = spaced(digits, size, len(dims))
    rooms: list[tuple[int, int]] = []
    above = size
    for i, digit in enumerate(digits):
        if above % digit.stride:
            chain[i] = digit._replace(pitch=digit.size)
            rooms.append((digit.size * digit.stride, above))
        above = digit.stride
    return chain, rooms[::-1]
