# SPDX-License-Identifier: Apache-2.0
"""The inverse map: from an element to the points that read it, by solving the results for the dims.

>>> from . import parse_map
>>> m = parse_map("(d0, d1)[s0] -> (d0 * 8 + d1, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 4]")
>>> print(inverse(m))
(d0, d1) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31], d1 in [0, 4]

The dims become ranges, and a constraint says that each result is the new dim of its place. `decided`
puts values for ranges; two steps prepare the others for it. Every step is an equivalence, so the result
is exact. An equation that no step solves stays as a constraint:

==========================  ============================================================================
an equation                 becomes
==========================  ============================================================================
``t = g*x + y``             ``x = t floordiv g`` and ``y = t mod g``, if every ``y`` lies in ``[0, g)``
with ``x floordiv c``       the same with ``x = c*q + r``, new ranges, ``r`` in ``[0, c)``, for ``x``
or ``x mod c`` in it        of a range with the coefficient 1 or -1
==========================  ============================================================================
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..numbers import (
    Expr,
    Interval,
    Quotient,
    Remainder,
    Symbol,
    Value,
    atoms_of,
    bounds_of,
    expr_of,
    free_symbols,
    rebind,
)
from .making import Constraint
from .maps import IndexingMap, require_map
from .places import placed, rearranged, symbol
from .rewriting import rewritten
from .solving import decided, lone_ranges
from .variables import Variable, dim, place_of, rng, rt

if TYPE_CHECKING:
    from collections.abc import Iterator


def inverse(map: IndexingMap) -> IndexingMap:
    """Return the map that goes from ``y`` to ``x`` if and only if the map goes from ``x`` to ``y``.

    It has a dim for each result of the map, within the least bounds found for it. Its ranges are the
    variables that the results leave open; none of them has a single value. Runtime variables stay. The
    map is simplified.

    >>> from . import parse_map
    >>> print(inverse(parse_map("(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]")))
    (d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], (d0 - 3) mod 7 in [0, 0]

    Raises:
        UnsupportedError: the elements lie on another replica, and the map has no variable for the one
            that asks.
    """
    require_map(map)
    if map.is_undefined:
        return map
    if map.is_known_empty:
        empty = Interval(0, -1)
        return IndexingMap([0] * len(map.dims), [empty] * len(map.results), is_known_empty=True)
    found: IndexingMap | None = _turned(map)
    while found is not None:
        map = found
        equations = [map.constraints[i] for i, _left, _right in _equations(map)]
        alone = [c for c in equations if len(_ranges(c.expr)) == 1]
        found = decided(map, _first, alone) or _with_digits(map) or _with_cuts(map)
        found = found or decided(map, _first, equations)
    return rewritten(_without_circles(_with_open_ranges(map)))


def _turned(map: IndexingMap) -> IndexingMap:
    """The map from the results, with its dims, and the replica that asks, as ranges to solve for."""
    asks = next((i for i, v in enumerate(map.runtime) if v.is_replica), None)
    places = [(k, i) for k in (0, 1) for i in range(len(map.kinds[k]))]
    equations: list[tuple[Any, Expr]] = [(x, dim(j)) for j, x in enumerate(map.results)]
    within, runtime = map.within(), list(map.runtime)
    hulls = [_hull(rebind(x, within)) for x in map.results]
    if map.replica is not None:
        if asks is None:
            raise UnsupportedError(
                "the map leads to another replica and has no variable for the one that asks",
                "A runtime variable with the source REPLICA says how many there are.",
            )
        places.append((2, asks))
        equations.append((map.replica, rt(asks)))
        runtime = [v._replace(source=v.source and v.source.on(rt(asks))) for v in runtime]
        runtime[asks] = runtime[asks]._replace(bounds=_hull(rebind(map.replica, within)))
    values: dict[Symbol, Value] = {symbol(*place): rng(i) for i, place in enumerate(places)}

    def put(x: Value) -> Any:
        return rebind(x, values)

    return IndexingMap(
        [rng(i) for i in range(len(map.dims))],
        hulls,
        [map.kinds[k][i].bounds for k, i in places],
        [v.with_indices(put) for v in runtime],
        [(put(x), b) for x, b in map.constraints] + [(put(x) - y, Interval(0, 0)) for x, y in equations],
        None if map.replica is None else rng(len(places) - 1),
    )


def _first(place: tuple[int, int]) -> int:
    """The dims are solved for before the ranges."""
    return place[1]


def _equations(map: IndexingMap) -> Iterator[tuple[int, Expr, Value]]:
    """The constraints ``left == right`` with ranges on the left alone, and their numbers."""
    for i, (x, bounds) in enumerate(map.constraints):
        if bounds.is_point and type(x) is Expr:
            terms = {m: k for m, k in x.terms.items() if _ranges(expr_of({m: k}, 0, 7))}
            if terms:
                left: Any = expr_of(terms, 0, x.kinds)
                yield i, left, bounds.lower - (x - left)


def _ranges(x: Value) -> set[Symbol]:
    return {s for s in free_symbols(x) if place_of(s)[0] == 1}


def _with_digits(map: IndexingMap) -> IndexingMap | None:
    """``g*x + y = t``, every ``y`` within ``g`` ints."""
    for i, left, right in _equations(map):
        for g in sorted({abs(k) for k in left.terms.values()}, reverse=True):
            x: Any = expr_of({m: k // g for m, k in left.terms.items() if k % g == 0}, 0, left.kinds)
            y: Any = expr_of({m: k for m, k in left.terms.items() if k % g}, 0, left.kinds)
            bounds = _hull(rebind(y, map.within()))
            if x.terms and y.terms and bounds.size <= g:
                t: Any = right - bounds.lower
                both = [x - t // g, y - bounds.lower - t % g]
                others = [*map.constraints[:i], *map.constraints[i + 1 :]]
                return map.with_parts(constraints=[*others, *((e, Interval(0, 0)) for e in both)])
    return None


def _with_cuts(map: IndexingMap) -> IndexingMap | None:
    """``c*q + r`` for a sum that is divided by ``c``, in a range of it that occurs once there."""
    for _i, left, _right in _equations(map):
        for atom in atoms_of(left):
            division: Any = atom
            if type(atom) not in (Quotient, Remainder) or type(division.divisor) is Expr:
                continue
            x, c, n = division.dividend, division.divisor, len(map.ranges)
            units = [(place_of(s)[1], s, k, rest) for s, k, rest in lone_ranges(x) if abs(k) == 1]
            for i, s, k, rest in sorted(units, key=itemgetter(0))[:1]:
                bounds = _hull(rebind(x, map.within()))
                ends = Interval(bounds.lower // c, bounds.upper // c), Interval(0, c - 1)
                more = [Variable(f"s{n + j}", each) for j, each in enumerate(ends)]
                value = (rng(n) * c + rng(n + 1) - rest) * k
                inside = Constraint(value, map.ranges[i].bounds)
                kinds = map.dims, [*map.ranges, *more], map.runtime
                return rewritten(placed(map, {s: value}, *kinds, [*map.constraints, inside]))
    return None


def _with_open_ranges(map: IndexingMap) -> IndexingMap:
    """The map with the ranges that occur and have several values alone, in the order of their use."""
    single: dict[Symbol, Value] = {
        symbol(1, i): v.bounds.lower for i, v in enumerate(map.ranges) if v.bounds.is_point
    }
    map = rewritten(placed(map, single, *map.kinds)) if single else map
    used = dict.fromkeys(place_of(s) for x in map.expressions for s in free_symbols(x))
    kept = [place for place in used if place[0] == 1]
    dims, runtime = ([(k, i) for i in range(len(map.kinds[k]))] for k in (0, 2))
    return rearranged(map, [dims, kept, runtime])


def _without_circles(map: IndexingMap) -> IndexingMap:
    """The map with a range for an index that depends on the number that is read at that index.

    For example ``y == d0 + rt0`` gives ``d0 = y - rt0``, where ``rt0`` may be read at element ``d0``.
    """
    places: dict[Symbol, int] = {rt(i).symbols[0]: i for i in range(len(map.runtime))}
    reads: list[set[int]] = [
        {places[a] for x in source.indices for a in free_symbols(x) if a in places} if source else set()
        for source in (v.source for v in map.runtime)
    ]
    for _step in reads:
        reads = [now.union(*(reads[j] for j in now)) for now in reads]
    knots = {i for i, now in enumerate(reads) if i in now}
    if map.is_known_empty or not knots:
        return map
    within = map.within()
    ranges, constraints = list(map.ranges), list(map.constraints)
    runtime = list(map.runtime)
    for i in knots:
        source = runtime[i].source
        assert source is not None
        indices = list(source.indices)
        for k, x in enumerate(indices):
            if any(places.get(a) in knots for a in free_symbols(x)):
                indices[k] = rng(len(ranges))
                ranges.append(Variable(f"s{len(ranges)}", _hull(rebind(x, within))))
                constraints.append(Constraint(x - indices[k], Interval(0, 0)))
        runtime[i] = runtime[i]._replace(source=source._replace(indices=tuple(indices)))
    return map.with_parts(ranges=ranges, runtime=runtime, constraints=constraints)


def _hull(x: Value) -> Interval:
    low, high = bounds_of(x)
    assert low is not None, x
    assert high is not None, x
    return Interval(low, high)
