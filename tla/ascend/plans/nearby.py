# SPDX-License-Identifier: Apache-2.0
"""The tile nearest to one that does not fit.

>>> from tla.ascend import Ascend950, element
>>> from tla.ascend.plans.families import MmadPingpong
>>> from tla.ascend.plans.tile import Tile
>>> half = element("half")
>>> tile = Tile(Ascend950, half, half, GemmShape(100, 256, 256), GemmShape(100, 256, 64), MmadPingpong())
>>> near = nearest(tile)
>>> print(near.l1, near.l0)
GemmShape<96,256,256> GemmShape<96,256,64>

The distance of two tiles is the sum of |log2| of the ratios of their m, n and k in L1. So halving an
extent counts as much as doubling it, and as much as halving another. Of two equally near tiles it is the
larger, with the k of L0 that is nearest by the same measure.

An extent is the caller's, rounded to whole blocks, or has at most three significant binary digits: 96,
112, 128, 160, 192, 224, 256, 320 ...
"""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from math import log2
from typing import TYPE_CHECKING, Final, NamedTuple

from ...numbers import round_down, round_up
from ..elements import accumulator
from ..shapes import GemmShape
from .footprint import fits

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tile import Tile

_ROWS: Final = 16
_SQUARE: Final = ("square M,K", "square K,N")
"""The assertions that k equals m, or n."""


class Nearest(NamedTuple):
    """A tile that fits, and its distance from the caller's tile.

    >>> from tla.ascend import gemm
    >>> near = gemm("AtlasA2", (512, 512, 512), "half", l1=(256, 256, 256)).check().nearest
    >>> print(near.l1, near.l0, near.distance)
    GemmShape<128,256,256> GemmShape<128,256,64> 1.0
    """

    l1: GemmShape
    l0: GemmShape
    distance: float


def nearest(tile: Tile) -> Nearest | None:
    """Return the nearest tile that fits, the one of fewer rows of two equally near; None if none fits.

    >>> from tla.ascend import AtlasA2, GemmShape, MmadPingpong, Tile, element
    >>> half, l1, l0 = element("half"), GemmShape(256, 256, 256), GemmShape(256, 256, 64)
    >>> nearest(Tile(AtlasA2, half, half, l1, l0, MmadPingpong()))
    Nearest(l1=GemmShape(m=128, n=256, k=256), l0=GemmShape(m=128, n=256, k=64), distance=1.0)

    Its k is a multiple of 16 and of C0. So are m and n, unless multiples of 16 alone fit. No extent
    exceeds the caller's rounded up to such a multiple. The m and n of L0 are those of L1.
    """
    arch, a, b, l1, l0, policy, *_ = tile
    if arch.code not in policy.family.codes:
        return None
    unit_k = max(_ROWS, a.c0, b.c0)
    least = unit_k if tile.k is None or not policy.family.one_tile else round_up(tile.k, unit_k)

    def takes(m: int, n: int, long: int, short: int) -> bool:
        return fits(tile._replace(l1=GemmShape(m, n, long), l0=GemmShape(m, n, short)))

    unit_m = _ROWS if takes(_ROWS, unit_k, least, unit_k) else unit_k
    unit_n = _ROWS if takes(unit_m, _ROWS, least, unit_k) else unit_k
    if not takes(unit_m, unit_n, least, unit_k):
        return None  # a rule that the smallest tile breaks is broken by every tile
    # a longer extent leaves no room in L1, or in L0C, for the smallest tile of the other operand
    most_k = arch.l1 * 8 // (_ROWS * b.bits)
    most = arch.l0c // (_ROWS * accumulator(a, b).sizeof)
    longs, shorts = _near(l1.k, unit_k, most_k, least), _near(l0.k, unit_k, most_k)
    ms, ns = _near(l1.m, unit_m, most), _near(l1.n, unit_n, most)
    pairs = sorted((x + y, m, n) for x, m in ms for y, n in ns)
    square = next((rule for rule in _SQUARE if rule in policy.family.asserts), None)
    best: Nearest | None = None
    for far, m, n in pairs:
        if best is not None and far >= best.distance:
            break
        # L1 limits one k and L0 the other; each fits up to a greatest length
        same = m if square == "square M,K" else n
        k1 = [(abs(log2(same / l1.k)), same)] if square else longs
        if not takes(m, n, same if square else least, unit_k):
            continue
        x, long = _longest(k1, partial(takes, m, n, short=unit_k))
        if not long or (best is not None and far + x >= best.distance):
            continue
        _, short = _longest([s for s in shorts if s[1] <= long], partial(takes, m, n, long))
        best = Nearest(GemmShape(m, n, long), GemmShape(m, n, short), far + x)
    return best


def _longest(near: list[tuple[float, int]], takes: Callable[[int], bool]) -> tuple[float, int]:
    """The nearest extent that fits, if all up to a longest one fit; (0, 0) if none fits."""
    extents = sorted(v for _, v in near)
    count = bisect_left(extents, True, key=lambda v: not takes(v))
    most = extents[count - 1] if count else 0
    return next(((x, v) for x, v in near if v <= most), (0.0, 0))


def _near(extent: int, unit: int, most: int, least: int = 0) -> list[tuple[float, int]]:
    """Multiples of a unit with their distances, the nearest first; at most one exceeds the extent."""
    least, up = max(least, unit), round_up(extent, unit)
    top = max(least, min(up, round_down(most, unit)))
    always = {least, up, round_down(extent, unit)}
    values = (v for v in range(least, top + 1, unit) if v in always or _is_short(v))
    return sorted((abs(log2(v / extent)), v) for v in values)


def _is_short(n: int) -> bool:
    return n % (1 << max(0, n.bit_length() - 3)) == 0
