# SPDX-License-Identifier: Apache-2.0
"""Ranges that a constraint decides, or bounds with others in a sum.

==================================  ====================================================================
a constraint                        decides
==================================  ====================================================================
``k*s + x in [l, u]``               ``s`` is ``(u - x) floordiv k``, if ``k`` is at least ``u - l + 1``
``k*s + x == r`` modulo ``m``       ``s`` is ``(r - x) * k^-1``, if ``k`` has an inverse and the range at
                                    most ``m`` values
==================================  ====================================================================

The value lies in the bounds of the range: that is a constraint of the result. If it always does, and
``k`` is 1 or -1, then ``k*s + x`` is a range of its own from ``l`` to ``u``, in the place of ``s``.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from ..numbers import Expr, Interval, Symbol, expr_of, free_symbols, rebind, sum_of
from .constraints import congruence, lies_in
from .making import Constraint
from .places import placed
from .variables import bounded, place_of, rng

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..numbers import Value
    from .maps import IndexingMap


def decided(
    map: IndexingMap,
    order: Callable[[tuple[int, int]], Any],
    constraints: Iterable[Constraint] | None = None,
) -> IndexingMap | None:
    """Return the map with a value for a range that a constraint decides, which then occurs nowhere.

    >>> from . import parse_map
    >>> m = parse_map("(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 2], d0 - s0 in [0, 0]")
    >>> print(decided(m, lambda place: place))
    (d0)[s0] -> (d0), domain: d0 in [0, 2], s0 in [0, 2]

    None if no constraint decides a range.

    Args:
        order: The key of the place of a range: of several ranges with a coefficient 1 or -1, or else of
            several others, the least one is replaced.
        constraints: The constraints that may decide; by default all.
    """
    for constraint in map.constraints if constraints is None else constraints:
        found = [(k > 1, order(place_of(s)), s, x) for k, s, x in _decided(map, constraint)]
        for _is_multiple, _key, s, value in sorted(found, key=lambda each: each[:2])[:1]:
            inside = Constraint(value, map.ranges[place_of(s)[1]].bounds)
            return placed(map, {s: value}, *map.kinds, [*map.constraints, inside])
    return None


def _decided(map: IndexingMap, constraint: Constraint) -> Iterator[tuple[int, Symbol, Value]]:
    """Ranges of which a constraint leaves one int, after their coefficients, and the int.

    The int may lie outside the range.
    """
    residue = congruence(*constraint)
    x, bounds = constraint if residue is None else (residue[0], Interval(residue[2], residue[2]))
    for s, k, rest in lone_ranges(x):
        inside, m = map.ranges[place_of(s)[1]].bounds, 0 if residue is None else residue[1]
        if m and gcd(k, m) == 1 and inside.size <= m:
            value = (bounds.lower - rest) * pow(k, -1, m) - inside.lower
            yield 1, s, inside.lower + (_near_zero(value, m) if type(value) is Expr else value) % m
        elif not m and abs(k) >= bounds.size:
            yield abs(k), s, (bounds.upper - rest) // k if k > 0 else (rest - bounds.lower) // -k


def replaced_by_sum(map: IndexingMap) -> IndexingMap | None:
    """Return the map with the sum that a constraint bounds in the place of a range in it.

    >>> from . import parse_map
    >>> m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 9], d0 + s0 in [4, 6]")
    >>> print(replaced_by_sum(m))
    (d0)[s0] -> (s0 + 4), domain: d0 in [0, 3], s0 in [0, 2]

    None if no range is free to take every value that the sum needs.
    """
    for constraint in map.constraints:
        for s, k, rest in lone_ranges(constraint.expr):
            i, low, high = place_of(s)[1], constraint.bounds.lower, constraint.bounds.upper
            value = (rng(i) + low - rest) * k
            within = {**map.within(), s: bounded(1, i, 0, high - low)}
            if abs(k) == 1 and lies_in(rebind(value, within), map.ranges[i].bounds):
                ranges = [*map.ranges]
                ranges[i] = ranges[i]._replace(bounds=Interval(0, high - low))
                others = [each for each in map.constraints if each is not constraint]
                return placed(map, {s: value}, map.dims, ranges, map.runtime, others)
    return None


def lone_ranges(x: Value) -> Iterator[tuple[Symbol, int, Any]]:
    """Yield the ranges that occur once in a sum, as summands: each, its coefficient, the other summands.

    >>> from .variables import dim, rng
    >>> [(s.name, k) for s, k, _others in lone_ranges(dim(0) + rng(0) * 4 + rng(1) + rng(1) // 2)]
    [('s0', 4)]
    """
    for atoms, k in x.terms.items() if type(x) is Expr else ():
        s = atoms[0]
        if len(atoms) == 1 and type(s) is Symbol and place_of(s)[0] == 1:
            rest: Any = x - expr_of({atoms: k}, 0, 0) if type(x) is Expr else x
            if s not in free_symbols(rest):
                yield s, k, rest


def _near_zero(x: Expr, m: int) -> Any:
    """An expression that is equal modulo ``m``, with coefficients near 0."""
    near = {atoms: (k + m // 2) % m - m // 2 for atoms, k in x.terms.items()}
    return sum_of([expr_of({atoms: k}, 0, x.kinds) for atoms, k in near.items() if k], x.constant % m)
