# SPDX-License-Identifier: Apache-2.0
"""The rules of constraints: each is rewritten alone, congruences are merged, and bounds follow from
them.

The names C1 to C4 are those of XLA's rules. Three of those lose or gain points; here:

====  ===========================================================  ==================================
rule  identity                                                     needs
====  ===========================================================  ==================================
C1    ``x in [l, u]`` always, or never                             the range of ``x``
C2    ``x + c in [l, u]`` is ``x in [l-c, u-c]``
      ``x * k in [l, u]`` is ``x in [ceil(l/k), floor(u/k)]``      ends swapped for a negative ``k``;
                                                                   of a sum ``k`` is the greatest
                                                                   common divisor of its terms
      ``x floordiv c in [l, u]`` is ``x in [l*c, u*c + c-1]``      ``c > 0``; others are negated first
C3    ``a*g + b in [0, u]`` is ``a*g in [0, u]``                   every ``b`` in ``[0, g)``, and
                                                                   ``(u-b) // g == u // g`` for all
C4    ``x mod p = r`` and ``x mod q = t`` are ``x mod lcm = v``    ``v`` by the Chinese remainders
C5    bounds of a variable begin and end at its residues           also where they are negative
====  ===========================================================  ==================================

Source: XLA ``indexing_map.cc``; what is wrong in it: section 3 of the reference, by enumeration.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final

from ..numbers import (
    Expr,
    Interval,
    Least,
    Quotient,
    Remainder,
    Symbol,
    Value,
    bounds_of,
    expr_of,
    raw_sum,
)
from .making import Constraint

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER: Final = Constraint(0, Interval(1, 1))
"""The constraint that holds for no point."""


def lies_in(x: Value, bounds: Interval) -> bool:
    """Return whether all values of an expression are known to lie in an interval.

    >>> from .variables import bounded
    >>> lies_in(bounded(0, 0, 0, 9) // 4, Interval(0, 2)), lies_in(bounded(0, 0, 0, 9), Interval(1, 9))
    (True, False)
    """
    low, high = bounds_of(x)
    return low is not None and high is not None and Interval(low, high) in bounds


def reduced(x: Value, bounds: Interval) -> list[Constraint]:
    """Return constraints that are equivalent to ``x in bounds``; empty if it always holds.

    Args:
        x: An expression of variables within their bounds.

    >>> from .variables import bounded
    >>> d0, d1 = bounded(0, 0, 0, 9), bounded(0, 1, 5, 6)
    >>> reduced(d0 * -2 + 3, Interval(-4, 0)), reduced(d0 + d1, Interval(0, 15))
    ([Constraint(expr=d0, bounds=Interval(2, 3))], [])
    """
    while True:
        if type(x) is not Expr:
            return [] if x in bounds else [NEVER]
        low, high = bounds_of(x)
        if low is None or high is None:
            return [Constraint(x, bounds)]
        if Interval(low, high) in bounds:  # C1
            return []
        if not (Interval(low, high) & bounds).is_feasible:
            return [NEVER]
        if x.constant:  # C2
            bounds -= x.constant
            x = raw_sum(x, 1, -x.constant, 1)
            continue
        k = gcd(*x.terms.values())
        if len(x.terms) > 1 and k > 1:  # C2
            x = expr_of({monomial: each // k for monomial, each in x.terms.items()}, 0, x.kinds)
            bounds = _divided(bounds, k)
            continue
        if len(x.terms) > 1:
            high_part = _without_low_digit(x, bounds)
            if high_part is None:
                return [Constraint(x, bounds)]
            x = high_part
            continue
        ((monomial, k),) = x.terms.items()
        if k != 1:  # C2
            x, bounds = expr_of({monomial: 1}, 0, x.kinds), _divided(bounds, k)
            continue
        atom = monomial[0]
        if len(monomial) == 1 and type(atom) is Quotient and type(atom.divisor) is not Expr:  # C2
            c = atom.divisor
            x, bounds = atom.dividend, Interval(bounds.lower * c, bounds.upper * c + c - 1)
            continue
        if len(monomial) == 1 and type(atom) is Least and bounds.upper >= high:
            # min(x, y) >= l is x >= l and y >= l
            items = [(y, bounds_of(y)[1]) for y in atom.parts]
            return [c for y, top in items for c in reduced(y, Interval(bounds.lower, top or 0))]
        return [Constraint(x, bounds)]


def _divided(bounds: Interval, k: int) -> Interval:
    """The ints whose multiple by ``k`` lies in an interval."""
    low, high = (bounds.lower, bounds.upper) if k > 0 else (-bounds.upper, -bounds.lower)
    return Interval(-(-low // abs(k)), high // abs(k))


def _without_low_digit(x: Expr, bounds: Interval) -> Expr | None:
    """``a*g`` of a sum ``a*g + b`` in ``[0, u]`` by C3, or None if C3 does not apply."""
    if bounds.lower != 0:
        return None
    for g in sorted({abs(k) for k in x.terms.values()}, reverse=True):
        high = {m: k for m, k in x.terms.items() if k % g == 0}
        low = {m: k for m, k in x.terms.items() if k % g}
        if g == 1 or not low or not high:
            continue
        least, most = bounds_of(expr_of(low, 0, x.kinds))
        fits = least is not None and most is not None and least >= 0 and most < g
        if fits and (bounds.upper - (most or 0)) // g == bounds.upper // g:
            return expr_of(high, 0, x.kinds)
    return None


# --- congruences ------------------------------------------------------------------------------


def congruence(x: Value, bounds: Interval) -> tuple[Expr, int, int] | None:
    """Return ``y, m, r`` if a constraint means that ``y`` is ``r`` modulo ``m``, otherwise None.

    ``y`` has no constant, and ``r`` lies in ``[0, m)``.
    """
    if type(x) is not Expr or x.constant or len(x.terms) > 1:
        return None
    ((monomial, k),) = x.terms.items()
    atom = monomial[0]
    if k != 1 or len(monomial) > 1 or type(atom) is not Remainder or type(atom.divisor) is Expr:
        return None
    kept = bounds & Interval(0, atom.divisor - 1)
    y: Any = atom.dividend
    if type(y) is not Expr or not kept.is_point:
        return None
    return expr_of(y.terms, 0, y.kinds), atom.divisor, (kept.lower - y.constant) % atom.divisor


def merged(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return constraints with a single congruence for each expression.

    >>> from . import parse_map
    >>> m = parse_map("(d0) -> (d0), domain: d0 in [-5, 50], d0 mod 3 in [1, 1], d0 mod 5 in [3, 3]")
    >>> [(str(x), bounds) for x, bounds in merged(m.constraints)]
    [('d0{min=none}%15', Interval(13, 13))]
    """
    out: list[Constraint] = []
    found: dict[Any, int] = {}
    for constraint in constraints:
        residue = congruence(*constraint)
        place = None if residue is None else found.setdefault(residue[0].key, len(out))
        if residue is None or place is None or place == len(out):
            out.append(constraint)
            continue
        before = congruence(*out[place])
        assert before is not None
        one = both(before[1:], residue[1:])
        if one is None:
            return [NEVER]
        m, r = one
        first: Any = out[place].expr
        shift = (next(iter(first.terms)))[0].dividend.constant
        y: Any = raw_sum(residue[0], 1, shift, 1)
        out[place] = Constraint(y % m, Interval((r + shift) % m, (r + shift) % m))
    return out


def both(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    """The congruence that is equivalent to two, by the Chinese remainder theorem."""
    (p, r), (q, t) = a, b
    g = gcd(p, q)
    if (t - r) % g:
        return None
    step = (t - r) // g * pow(p // g, -1, q // g) if q // g > 1 else 0
    m = lcm(p, q)
    return m, (r + step * p) % m


def tightened(constraints: Iterable[Constraint], bounds_of_symbol: Any) -> list[Constraint]:
    """Return the bounds of each variable that has a congruence alone, between its residues (C5)."""
    out: list[Constraint] = []
    for constraint in constraints:
        residue = congruence(*constraint)
        if residue is None:
            continue
        y, m, r = residue
        (((atom, *others), k), *more) = y.terms.items()
        if k != 1 or others or more or type(atom) is not Symbol:
            continue
        old: Interval = bounds_of_symbol(atom)
        lower = old.lower + (r - old.lower) % m
        upper = old.upper - (old.upper - r) % m
        if (lower, upper) != (old.lower, old.upper):
            out.append(Constraint(y, Interval(lower, upper)))
    return out
