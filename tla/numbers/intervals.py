"""Intervals of ints: the least and the greatest value, both inclusive; None where there is no end.

>>> add((0, 3), (1, None)), scale((1, 4), -2), multiply((-1, 2), (3, None))
((1, None), (-8, -2), (None, None))
>>> floor_divide((-7, 20), (1, 4)), remainder((5, 9), (4, 4))
((-7, 20), (0, 3))

Every function returns the least interval that holds the result for independent operands, but for
`remainder`, which is least only within one period. Divisors are positive.
"""

from __future__ import annotations

from typing import Final, TypeAlias

Interval: TypeAlias = "tuple[int | None, int | None]"

EVERY: Final[Interval] = (None, None)
"""All ints."""


def is_nonnegative(a: Interval) -> bool:
    """Whether no value is below 0."""
    return a[0] is not None and a[0] >= 0


def is_below(a: Interval, n: int) -> bool | None:
    """Whether all values are less than ``n``, or none is; None where some are."""
    low, high = a
    if high is not None and high < n:
        return True
    return False if low is not None and low >= n else None


def add(a: Interval, b: Interval) -> Interval:
    """The sums."""
    (low, high), (low2, high2) = a, b
    return (
        None if low is None or low2 is None else low + low2,
        None if high is None or high2 is None else high + high2,
    )


def scale(a: Interval, k: int) -> Interval:
    """The multiples ``k * x``."""
    low, high = a
    if k == 0:
        return 0, 0
    if k < 0:
        low, high = high, low
    return None if low is None else low * k, None if high is None else high * k


def multiply(a: Interval, b: Interval) -> Interval:
    """The products."""
    (low, high), (low2, high2) = a, b
    if low is not None and low2 is not None and low >= 0 and low2 >= 0:  # as extents are
        if high is None or high2 is None:
            return low * low2, 0 if high == 0 or high2 == 0 else None
        return low * low2, high * high2
    ends = [
        _times(x, y)
        for x in (-_INF if a[0] is None else a[0], _INF if a[1] is None else a[1])
        for y in (-_INF if b[0] is None else b[0], _INF if b[1] is None else b[1])
    ]
    least, most = min(ends), max(ends)
    return (
        None if isinstance(least, float) else least,
        None if isinstance(most, float) else most,
    )


_INF: Final = float("inf")


def _times(x: float, y: float) -> float:
    """The product of two ends; 0 times an infinite one is 0, which no finite factor exceeds."""
    if x == 0 or y == 0:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return _INF if (x > 0) == (y > 0) else -_INF


def floor_divide(a: Interval, b: Interval) -> Interval:
    """The quotients rounded down, by a positive divisor."""
    (low, high), (least, most) = a, b
    least = max(least or 1, 1)
    if low is not None:
        low = low // least if low < 0 else 0 if most is None else low // most
    if high is not None:
        high = high // least if high >= 0 else -1 if most is None else high // most
    return low, high


def remainder(a: Interval, b: Interval) -> Interval:
    """The remainders, by a positive divisor."""
    (low, high), (least, most) = a, b
    least = max(least or 1, 1)
    if low is None or high is None:
        return 0, None if most is None else most - 1
    if low >= 0 and high < least:
        return a
    if least == most and low // least == high // least:
        return low % least, high % least
    if low >= 0 and (most is None or high < most - 1):
        return 0, high
    return 0, None if most is None else most - 1


def minimum(a: Interval, b: Interval) -> Interval:
    """The lesser of both."""
    (low, high), (low2, high2) = a, b
    return (
        None if low is None or low2 is None else min(low, low2),
        high2 if high is None else high if high2 is None else min(high, high2),
    )
