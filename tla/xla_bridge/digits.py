# SPDX-License-Identifier: Apache-2.0
"""Functions of one index by their digits, each in one form.

Digits ``(n_0, d_0), (n_1, d_1), ...``, minor first, give the function
``f(i) = (i mod n_0)*d_0 + (i div n_0 mod n_1)*d_1 + ...``; the last digit is not reduced by its size.
On the indices below an extent each such function has one form: no digit of size 1, no two neighbours in
line, and the last digit no longer than the extent needs. The reason: the first digit is as long as the
offsets from 0 on are multiples of the second offset. The digits above it are those of the function at
every multiple of its size.

>>> digits_of([(2, 1), (2, 2), (3, 6)], 10)
((4, 1), (3, 6))
>>> [value_at(((4, 1), (3, 6)), i) for i in range(10)]
[0, 1, 2, 3, 6, 7, 8, 9, 12, 13]
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..numbers import Int, SymbolicInt, _0, _1, ceil_div, known_eq

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Digits: TypeAlias = tuple[tuple[int, int], ...]
"""Pairs of size and stride, minor first."""


class Break(NamedTuple):
    """An index at which a function has no digits: ``f(at)`` is not ``f(low) + f(high)``.

    The indices below it decide the digits, and these have no carry between ``low`` and ``high``, the two
    parts of the index.
    """

    at: int
    low: int

    @property
    def high(self) -> int:
        return self.at - self.low


def digits_of(parts: Iterable[tuple[int, int]], extent: int) -> Digits:
    """Return the one form of the digits on the indices below ``extent``."""
    done: list[tuple[int, int]] = []
    weight = 1
    for size, stride in parts:
        if weight >= extent:
            break
        weight *= size
        if size == 1:
            continue
        if done and stride == done[-1][0] * done[-1][1]:
            done[-1] = (done[-1][0] * size, done[-1][1])
        else:
            done.append((size, stride))
    if done:
        done[-1] = (ceil_div(extent, top_weight(done)), done[-1][1])
    return tuple(done)


def mode_of(digits: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the shape and the stride of the mode with these digits; all known ints are static.

    >>> mode_of([(2, 1), (3, 4)]), mode_of([(2, 1)]), mode_of([])
    (((_2, _3), (_1, _4)), (_2, _1), (_1, _0))
    """
    if not digits:
        return _1, _0
    sizes, strides = (tuple(map(static, numbers)) for numbers in zip(*digits, strict=True))
    return (sizes, strides) if len(digits) > 1 else (sizes[0], strides[0])


def static(n: Any) -> Any:
    """Return an int as a static int; a symbolic int stays as it is."""
    return n if isinstance(n, SymbolicInt) else Int(n)


def in_line(digits: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return digits without those of size 1, where neighbours that are known to be in line are one."""
    done: list[tuple[Any, Any]] = []
    for size, stride in digits:
        if known_eq(size, 1) is True:
            continue
        if done and known_eq(stride, done[-1][0] * done[-1][1]) is True:
            done[-1] = (done[-1][0] * size, done[-1][1])
        else:
            done.append((size, stride))
    return done


def top_weight(digits: Sequence[tuple[int, int]]) -> int:
    """Return the weight of the last digit: the product of the sizes below it."""
    return prod(n for n, _d in digits[:-1])


def value_at(digits: Digits, i: int) -> int:
    """Return the function of the digits at an index."""
    total = 0
    for n, d in digits[:-1]:
        total += i % n * d
        i //= n
    return total + i * digits[-1][1] if digits else 0


def join_digits(low: Digits, high: Digits, t: int, extent: int) -> Digits | None:
    """Return the digits of ``x -> low(x mod t) + high(x div t)`` below ``extent``.

    It is None if ``t`` cuts the last digit of ``low`` unevenly and the extent has an index above it.

    >>> join_digits(((2, 1), (2, 6)), ((3, 12),), 4, 9)
    ((2, 1), (5, 6))
    >>> join_digits(((2, 1), (2, 6)), ((3, 12),), 3, 9) is None
    True
    """
    if extent <= t or t == 1:
        return digits_of(low if extent <= t else high, extent)
    weight = top_weight(low)
    if t % weight:
        return None
    return digits_of([*low[:-1], (t // weight, low[-1][1]), *high], extent)


def split_digits(
    digits: Digits, extents: Sequence[int], reaches: Sequence[int]
) -> tuple[Digits, ...] | None:
    """Return the digits of each axis, major first, if the row-major index of the axes has these digits.

    It is None if an extent cuts a digit unevenly, so that one axis carries into the next.

    >>> split_digits(((4, 1), (6, 5)), (3, 8), (3, 8))
    (((3, 10),), ((4, 1), (2, 5)))
    >>> split_digits(((4, 1), (6, 5)), (3, 6), (3, 6)) is None
    True

    Args:
        reaches: One more than the greatest coordinate of each axis, at most its extent.
    """
    parts: list[Digits] = []
    rest = digits
    for i in reversed(range(len(extents))):
        low: Digits = rest
        high: Digits = ()
        if any(reach > 1 for reach in reaches[:i]):
            found = _cut(rest, extents[i])
            if found is None:
                return None
            low, high = found
        parts.append(digits_of(low, reaches[i]))
        rest = high
    return tuple(reversed(parts))


def _cut(digits: Digits, t: int) -> tuple[Digits, Digits] | None:
    """The digits of ``x mod t`` and of ``x div t``, for some ``x`` from ``t`` on."""
    weight = 1
    for k, (n, d) in enumerate(digits):
        if t == weight:
            return digits[:k], digits[k:]
        is_top = k == len(digits) - 1
        if is_top or t < weight * n:
            m = t // weight
            if t % weight or (not is_top and n % m):
                return None
            return (*digits[:k], (m, d)), ((ceil_div(n, m), d * m), *digits[k + 1 :])
        weight *= n
    return digits, ()


def read_digits(values: Sequence[int]) -> Digits | Break:
    """Return the digits of a function with these values, or an index at which it has none.

    >>> read_digits([0, 1, 2, 3, 6, 7])
    ((4, 1), (2, 6))
    >>> read_digits([0, 1, 3, 4, 6])
    ((2, 1), (3, 3))
    >>> read_digits([0, 1, 2, 6, 7, 8, 9, 12])
    Break(at=7, low=1)
    """
    parts: list[tuple[int, int]] = []
    weight = 1
    while len(values) > 1:
        step = values[1]
        run = next((i for i, x in enumerate(values) if x != i * step), len(values))
        for i, x in enumerate(values):
            if x != values[i % run] + values[i - i % run]:
                return Break(i * weight, i % run * weight)
        parts.append((run, step))
        values = values[::run]
        weight *= run
    return tuple(parts)


def difference_of(a: Digits, b: Digits) -> int | None:
    """Return the first index at which two functions on one extent differ, or None.

    >>> difference_of(((4, 1), (3, 6)), ((2, 1), (5, 6))), difference_of(((4, 1),), ((4, 1),))
    (2, None)
    """
    weight = 1
    for (n, d), (m, e) in zip(a, b, strict=False):
        if d != e:
            return weight
        if n != m:
            return weight * min(n, m)
        weight *= n
    return None  # the digits cover the extent
