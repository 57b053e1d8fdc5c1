"""The tile nearest to one that does not fit.

>>> from tla.ascend import Ascend950, element
>>> from tla.ascend.plans.policies import MmadPingpong
>>> half = element("half")
>>> tile = GemmShape(100, 256, 256), GemmShape(100, 256, 64)
>>> found = nearest(Ascend950, half, half, *tile, MmadPingpong())
>>> print(found.l1, found.l0)
GemmShape<96,256,256> GemmShape<96,256,64>

How far two tiles are apart is the sum of the absolute logarithms, to base 2, of the ratios of m, of n
and of k in L1: halving an extent counts as doubling it, and halving one as halving another. Of two
tiles as near the larger is taken, and with it the k of L0 that is nearest by the same measure.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from ..shapes import GemmShape
from .footprint import fits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..arch import Arch
    from ..elements import Element
    from .policies import Policy

__all__ = ["Nearest", "nearest"]


class Nearest(NamedTuple):
    """A tile that fits, and how far it is from the one asked for."""

    l1: GemmShape
    l0: GemmShape
    distance: float


def nearest(
    arch: Arch,
    a: Element,
    b: Element,
    l1: GemmShape,
    l0: GemmShape,
    policy: Policy,
    bias: Element | None = None,
    tags: Sequence[str] = ("RowMajor", "RowMajor", "RowMajor"),
    k: int | None = None,
) -> Nearest | None:
    """Return the tile nearest to this one that fits, or None where none does: of two, the larger.

    Its extents are multiples of 16 and of C0, and none is larger than the one asked for rounded up to
    such; the m and n of L0 are those of L1.
    """
    if arch.code not in policy.family.codes:
        return None
    unit_k = max(16, a.c0, b.c0)
    squared = any(rule.startswith("square") for rule in policy.family.asserts)
    unit = unit_k if squared or arch.code == 2201 else 16

    def takes(m: int, n: int, long: int, short: int) -> bool:
        tile, part = GemmShape(m, n, long), GemmShape(m, n, short)
        return fits(arch, a, b, tile, part, policy, bias, tags, k)

    if not takes(unit, unit, unit_k, unit_k):
        return None  # what the smallest tile breaks, every tile breaks
    longs, shorts = _near(l1.k, unit_k), _near(l0.k, unit_k)
    pairs = sorted((x + y, -m * n, m, n) for x, m in _near(l1.m, unit) for y, n in _near(l1.n, unit))
    best: Nearest | None = None
    for far, _size, m, n in pairs:
        if best is not None and far >= best.distance:
            break
        # L1 limits the one k and L0 the other; each fits up to a longest
        square = {"square M,K": m, "square K,N": n}
        same = next((square[rule] for rule in policy.family.asserts if rule in square), None)
        k1 = longs if same is None else [(abs(log2(same / l1.k)), same)]
        x, long = _longest(k1, partial(_first, takes, m, n, unit_k))
        if not long or (best is not None and far + x >= best.distance):
            continue
        _, short = _longest([s for s in shorts if s[1] <= long], partial(takes, m, n, long))
        best = Nearest(GemmShape(m, n, long), GemmShape(m, n, short), far + x)
    return best


def _first(takes: Callable[[int, int, int, int], bool], m: int, n: int, short: int, long: int) -> bool:
    return takes(m, n, long, short)


def _longest(near: list[tuple[float, int]], takes: Callable[[int], bool]) -> tuple[float, int]:
    """The nearest extent that is taken, where every one is up to a longest; (0, 0) where none is."""
    ordered = sorted(v for _, v in near)
    count = bisect_left(ordered, True, key=lambda v: not takes(v))
    most = ordered[count - 1] if count else 0
    return next(((x, v) for x, v in near if v <= most), (0.0, 0))


def _near(extent: int, unit: int) -> list[tuple[float, int]]:
    """Multiples of a unit and how far they are, the nearest first; at most one exceeds the extent."""
    top = -(-extent // unit) * unit
    # of a long extent, coarser steps below: no more than some hundred
    step = unit * max(1, top // unit // 128)
    values = {top, *range(unit, top, step)}
    if extent >= unit:
        values.add(extent // unit * unit)
    return sorted((abs(log2(v / extent)), v) for v in values)
