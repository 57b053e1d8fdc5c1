"""Intervals of ints, against all pairs of small ints."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from tla.numbers import intervals
from tla.numbers.intervals import EVERY, Bounds, Interval

FAR = 40
"""An open end is as good as this far: the operands end at 5."""

ENDS: list[Any] = [None, *range(-5, 6)]
ANY: list[Bounds] = [
    (low, high) for low, high in product(ENDS, ENDS) if low is None or high is None or low <= high
]
POSITIVE: list[Bounds] = [(low, high) for low, high in ANY if low is not None and low > 0]


def members(a: Bounds) -> Iterator[int]:
    low, high = a
    return iter(range(-FAR if low is None else low, (FAR if high is None else high) + 1))


def hull(values: set[int]) -> tuple[int, int]:
    return min(values), max(values)


def check(name: str, a: Bounds, b: Bounds, op: Callable[[int, int], int], least: bool) -> None:
    """The result holds all values; if it is to be the least, each closed end is reached."""
    low, high = getattr(intervals, name)(a, b)
    values = {op(x, y) for x in members(a) for y in members(b)}
    found = hull(values)
    assert low is None or low <= found[0], f"{name}({a}, {b})"
    assert high is None or high >= found[1], f"{name}({a}, {b})"
    if least:
        assert low == found[0] if low is not None else found[0] <= -FAR // 6, f"{name}({a}, {b})"
        assert high == found[1] if high is not None else found[1] >= FAR // 6, f"{name}({a}, {b})"


SOME = [*ANY[::7], EVERY, (0, 0), (0, None), (None, 0), (-1, 1)]


@pytest.mark.parametrize("a", SOME, ids=str)
def test_sums_products_and_minima(a: Bounds) -> None:
    for b in SOME:
        check("add", a, b, lambda x, y: x + y, least=True)
        check("multiply", a, b, lambda x, y: x * y, least=True)
        check("minimum", a, b, min, least=True)


@pytest.mark.parametrize("a", SOME, ids=str)
def test_powers(a: Bounds) -> None:
    for n in (1, 2, 3, 4):
        low, high = intervals.power(a, n)
        values = {x**n for x in members(a)}
        assert min(values) == low if low is not None else min(values) <= -FAR
        assert max(values) == high if high is not None else max(values) >= FAR


@pytest.mark.parametrize("a", SOME, ids=str)
def test_divisions(a: Bounds) -> None:
    for b in POSITIVE[::2]:
        check("floor_divide", a, b, lambda x, y: x // y, least=False)
        check("remainder", a, b, lambda x, y: x % y, least=False)


def test_quotients_are_the_least_interval() -> None:
    """An open divisor lets every quotient come to 0 or -1; so closed ends are reached."""
    for a in ANY:
        for b in POSITIVE:
            low, high = intervals.floor_divide(a, b)
            values = {x // y for x in members(a) for y in members(b)}
            if low is not None:
                assert low == min(values), f"{a} // {b}"
            if high is not None:
                assert high == max(values), f"{a} // {b}"


def test_multiples() -> None:
    for a in ANY:
        for k in range(-4, 5):
            low, high = intervals.scale(a, k)
            values = {x * k for x in members(a)}
            assert low == min(values) if low is not None else min(values) <= -FAR
            assert high == max(values) if high is not None else max(values) >= FAR


def test_open_ends() -> None:
    assert EVERY == (None, None)
    assert intervals.add((0, None), (3, 4)) == (3, None)
    assert intervals.multiply((0, 0), EVERY) == (0, 0)
    assert intervals.multiply((0, None), (0, None)) == (0, None)
    assert intervals.multiply((None, -1), (None, -2)) == (2, None)
    assert intervals.floor_divide((5, 9), (1, None)) == (0, 9)
    assert intervals.floor_divide((-5, -1), (1, None)) == (-5, -1)
    assert intervals.remainder(EVERY, (4, 4)) == (0, 3)
    assert intervals.remainder((0, 7), (1, None)) == (0, 7)
    assert intervals.remainder((5, 6), (4, 4)) == (1, 2)
    assert intervals.remainder((0, 2), (3, None)) == (0, 2)
    assert intervals.minimum((0, None), (None, 7)) == (None, 7)


def test_a_divisor_is_positive_whatever_its_interval_says() -> None:
    assert intervals.floor_divide((-7, 7), (-3, 5)) == (-7, 7)
    assert intervals.remainder((0, 0), (-3, 5)) == (0, 0)


CLOSED = [Interval(low, high) for low, high in product(range(-3, 4), repeat=2) if low <= high + 1]
"""Those with one value, with more, and with none."""


@pytest.mark.parametrize("a", CLOSED, ids=str)
def test_arithmetic_of_values_gives_the_least_interval(a: Interval) -> None:
    """Of an interval without a value the result has none either."""
    results: list[tuple[Interval, list[int]]] = [(-a, [-x for x in a])]
    for b in CLOSED:
        pairs = list(product(a, b))
        results += [
            (a + b, [x + y for x, y in pairs]),
            (a - b, [x - y for x, y in pairs]),
            (a * b, [x * y for x, y in pairs]),
            (a & b, [x for x in a if x in b]),
            (a | b, [*a, *b]),
        ]
    for k in (-3, -1, 2, 5):
        results += [(a * k, [x * k for x in a]), (a // k, [x // k for x in a])]
    for found, values in results:
        assert (found == Interval(min(values), max(values))) if values else not found.is_feasible
