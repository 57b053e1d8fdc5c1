# SPDX-License-Identifier: Apache-2.0
"""The tilings that a person expects: those of TPUs, with every order of dims that the strides allow.

The least tiling of a layout may be one that nobody uses. So the known tilings come first.

Source: ``tpu_tilings`` for the list; the orders are our own derivation.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ..numbers import ceil_div
from .peel import Tiling
from .tpu import tpu_tilings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ground import ElementType
    from .chain import Digit

_NEAR = 4
"""The number of dims, those with the smallest strides, among which are the two minor ones."""


def known_tilings(
    chain: Sequence[Digit], dims: Sequence[int], element_type: str | ElementType
) -> Iterator[Tiling]:
    """Yield the known tilings of the element type that may have the chain; the caller must verify each.

    >>> from .chain import Digit
    >>> chain = [Digit(0, 1, 3, 128, 8), Digit(1, 1, 5, 1, 128)]
    >>> next(known_tilings(chain, (3, 5), "f32"))
    Tiling(order=(0, 1), tiles=((8, 128),))

    Args:
        chain: Digits with their pitches, the greatest stride first.
        dims: The sizes of the dims, all of them ints.
    """
    room = prod(d.pitch for d in chain)
    orders = list(_orders(chain, dims))
    for tiles in tpu_tilings(element_type, len(dims)):
        first = [int(t) for t in tiles[0]]
        for order in orders:
            tiled = [1] * (len(first) - len(dims)) + [dims[dim] for dim in order[-len(first) :]]
            if any(t == 1 < n for t, n in zip(first, tiled, strict=True)):
                continue  # one row is the tile of a dim of one row
            counts = prod(ceil_div(n, t) for n, t in zip(tiled, first, strict=True))
            outside = prod(dims[dim] for dim in order[: -len(first)])
            if counts * prod(first) * outside == room:  # the later tiles pad nothing
                yield Tiling(order, tuple(tuple(map(int, tile)) for tile in tiles))


def _orders(chain: Sequence[Digit], dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Orders of the dims, major first: two minor dims, and the others by their greatest stride."""
    rank = len(dims)
    greatest = {d.dim: d.stride for d in reversed(chain) if d.size > 1}
    least = {d.dim: d.stride for d in chain if d.size > 1}
    fixed = sorted(least, key=lambda dim: least[dim])[:_NEAR]
    ones = [dim for dim in range(rank) if dim not in least]
    near = sorted({*fixed, *ones[-2:]}, reverse=True)
    for minor in near:
        for second in near:
            if second != minor:
                rest = [dim for dim in range(rank) if dim not in (minor, second)]
                yield (*_by_stride(rest, greatest), second, minor)
    if rank < 2:
        yield tuple(range(rank))


def _by_stride(rest: list[int], greatest: dict[int, int]) -> list[int]:
    """The dims with the greatest stride first; one that never moves as early as its number allows."""
    moving = sorted((dim for dim in rest if dim in greatest), key=lambda dim: -greatest[dim])
    still = [dim for dim in rest if dim not in greatest]
    out: list[int] = []
    while moving or still:
        heads = [dims[0] for dims in (moving, still) if dims]
        first = min(heads)
        (moving if moving and moving[0] == first else still).remove(first)
        out.append(first)
    return out
