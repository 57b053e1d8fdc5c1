# SPDX-License-Identifier: Apache-2.0
"""Intervals of ints: `Bounds`, a pair of ends that may be open, and `Interval`, a value with both ends.

Bounds are the least and the greatest value, both inclusive; None where there is no end.

>>> add((0, 3), (1, None)), scale((1, 4), -2), multiply((-1, 2), (3, None))
((1, None), (-8, -2), (None, None))
>>> floor_divide((-7, 20), (1, 4)), remainder((5, 9), (4, 4))
((-7, 20), (0, 3))

Every function of bounds returns the least ones that hold the result for independent operands, but for
`remainder`, which is least only within one period. Divisors are positive.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Final, SupportsIndex, TypeAlias, final

from ..errors import KindError, ZeroDivisorError
from ..ground import Record, described
from .ints import plain_int

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Bounds: TypeAlias = "tuple[int | None, int | None]"
"""The ends of an expression's values."""

EVERY: Final[Bounds] = (None, None)
"""All ints."""


def is_nonnegative(a: Bounds) -> bool:
    """Whether no value is below 0."""
    return a[0] is not None and a[0] >= 0


def is_below(a: Bounds, n: int) -> bool | None:
    """Whether all values are less than ``n``, or none is; None where some are."""
    low, high = a
    if high is not None and high < n:
        return True
    return False if low is not None and low >= n else None


def add(a: Bounds, b: Bounds) -> Bounds:
    """The sums."""
    (low, high), (low2, high2) = a, b
    return (
        None if low is None or low2 is None else low + low2,
        None if high is None or high2 is None else high + high2,
    )


def scale(a: Bounds, k: int) -> Bounds:
    """The multiples ``k * x``."""
    low, high = a
    if k == 0:
        return 0, 0
    if k < 0:
        low, high = high, low
    return None if low is None else low * k, None if high is None else high * k


def multiply(a: Bounds, b: Bounds) -> Bounds:
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


def power(a: Bounds, n: int) -> Bounds:
    """The ``n``-th powers, ``n`` at least 1."""
    low, high = a
    first, last = None if low is None else low**n, None if high is None else high**n
    if n % 2 or (low is not None and low >= 0):
        return first, last
    if high is not None and high <= 0:
        return last, first
    return 0, None if first is None or last is None else max(first, last)


_INF: Final = float("inf")


def _times(x: float, y: float) -> float:
    """The product of two ends; 0 times an infinite one is 0, which no finite factor exceeds."""
    if x == 0 or y == 0:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return _INF if (x > 0) == (y > 0) else -_INF


def floor_divide(a: Bounds, b: Bounds) -> Bounds:
    """The quotients rounded down, by a positive divisor."""
    (low, high), (least, most) = a, b
    least = max(least or 1, 1)
    if low is not None:
        low = low // least if low < 0 else 0 if most is None else low // most
    if high is not None:
        high = high // least if high >= 0 else -1 if most is None else high // most
    return low, high


def remainder(a: Bounds, b: Bounds) -> Bounds:
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


def minimum(a: Bounds, b: Bounds) -> Bounds:
    """The lesser of both."""
    (low, high), (low2, high2) = a, b
    return (
        None if low is None or low2 is None else min(low, low2),
        high2 if high is None else high if high2 is None else min(high, high2),
    )


@final
class Interval(Record):
    """The ints from ``lower`` to ``upper``, both inclusive; none where ``lower`` is above ``upper``.

    >>> a, b = Interval(0, 9), Interval(-3, 2)
    >>> print(a + b, a - b, a * b, b // 2, -a, a & b, a | b, 10 in a, b in a, len(a))
    [-3, 11] [-2, 12] [-27, 18] [-2, 1] [-9, 0] [0, 2] [-3, 9] False False 10

    Of independent operands the arithmetic gives the least interval that holds all results; ``|`` gives
    the least that holds both.
    """

    __slots__ = ("lower", "upper")
    parts_in_order: ClassVar[tuple[str, ...]] = ("lower", "upper")

    lower: int
    upper: int

    def __init__(self, lower: SupportsIndex, upper: SupportsIndex) -> None:
        for end in (lower, upper):
            if type(end) is int:
                continue
            if plain_int(end) is None:
                raise KindError(f"the end of an interval is an int, not {described(end)}", value=end)
        object.__setattr__(self, "lower", index(lower))
        object.__setattr__(self, "upper", index(upper))

    @staticmethod
    def of(value: object) -> Interval:
        """Return the interval of a pair of ends, or ``[0, n-1]`` of a size ``n``."""
        if isinstance(value, Interval):
            return value
        ends: Any = value
        if isinstance(value, tuple) and len(ends) == 2:
            return Interval(*ends)
        size = plain_int(value)
        if size is None:
            said = f"expected an interval, a pair of ints or a size, got {described(ends)}"
            raise KindError(said, value=ends)
        return Interval(0, size - 1)

    @property
    def is_feasible(self) -> bool:
        """Whether it holds an int."""
        return self.lower <= self.upper

    @property
    def is_point(self) -> bool:
        """Whether it holds one int."""
        return self.lower == self.upper

    def __len__(self) -> int:
        return self.size

    @property
    def size(self) -> int:
        """How many ints it holds; `len` gives the same up to what a C index holds."""
        return max(0, self.upper - self.lower + 1)

    def __bool__(self) -> bool:
        return self.is_feasible

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lower, self.upper + 1))

    def __contains__(self, other: object) -> bool:
        if isinstance(other, Interval):
            return not other.is_feasible or (self.lower <= other.lower and other.upper <= self.upper)
        return isinstance(other, int) and self.lower <= other <= self.upper

    def __and__(self, other: Interval) -> Interval:
        if not isinstance(other, Interval):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return Interval(max(self.lower, other.lower), min(self.upper, other.upper))

    def __or__(self, other: Interval) -> Interval:
        if not isinstance(other, Interval):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        if not self.is_feasible or not other.is_feasible:
            return self if self.is_feasible else other
        return Interval(min(self.lower, other.lower), max(self.upper, other.upper))

    def __neg__(self) -> Interval:
        return Interval(-self.upper, -self.lower)

    def __add__(self, other: Interval | int) -> Interval:
        return self._with(other, add)

    def __sub__(self, other: Interval | int) -> Interval:
        return self._with(other, lambda a, b: add(a, scale(b, -1)))

    def __mul__(self, other: Interval | int) -> Interval:
        return self._with(other, multiply)

    def _with(self, other: object, results: Callable[[Bounds, Bounds], Bounds]) -> Interval:
        """The interval of all results; one without a value where an operand has none."""
        factor = Interval(other, other) if isinstance(other, int) else other
        if not isinstance(factor, Interval):
            return NotImplemented  # type: ignore[no-any-return]
        if not self or not factor:
            return Interval(0, -1)
        ends: Any = results(self._key(), factor._key())
        return Interval(*ends)

    def __floordiv__(self, divisor: int) -> Interval:
        if not self:
            return self
        n = plain_int(divisor)
        if n is None:
            return NotImplemented
        if not n:
            raise ZeroDivisorError(f"{self} divided by 0")
        ends = self.lower // n, self.upper // divisor
        return Interval(min(ends), max(ends))

    def __str__(self) -> str:
        return f"[{self.lower}, {self.upper}]"

    def __repr__(self) -> str:
        return f"Interval({self.lower}, {self.upper})"
