"""Variables that a map does not need: `remove_unused_symbols`, `remove_unused_vars`.

>>> from . import parse_map
>>> m = parse_map('''(d0)[s0, s1] -> (d0 + s1),
... domain: d0 in [0, 3], s0 in [0, 6], s1 in [0, 1], s0 mod 3 in [1, 1]''')
>>> print(remove_unused_symbols(m))
(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]

A range that only constraints speak of says that some value of it meets them. Where one does, whatever
the other variables are, range and constraints are left out; where there is none at all the map is known
empty; elsewhere they stay. This is decided, not assumed: by the bounds of the constraints, by
enumeration, or by `relation` where islpy is installed and the numbers are large. XLA leaves them out
unseen where a constraint speaks of unused variables alone, and keeps all others.

Source: XLA ``IndexingMap::RemoveUnusedSymbols``, ``RemoveUnusedVars``.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ..errors import UndecidedError, UnsupportedError
from ..numbers import Symbol, atoms_of, compute, rebind
from .constraints import lies_in
from .maps import IndexingMap, require_map
from .places import rearranged, symbol
from .variables import REPLICA, dim, place_of, rng

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..numbers import Value
    from .making import Constraint
    from .variables import RuntimeVariable

    Place = tuple[int, int]

_MOST: Final = 1 << 15
"""How many points of some variables are enumerated, or operations of isl taken."""


def remove_unused_symbols(map: IndexingMap) -> IndexingMap:
    """Return the map without the ranges and runtime variables that its pairs do not depend on.

    It takes each ``(dims, runtime)`` to the results that it took them to before. A runtime variable goes
    only if the map holds for every number that its source may read: its clamp, or its bounds where
    nothing is known of a source. The other variables are numbered anew.

    >>> from . import parse_map
    >>> text = "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in "
    >>> print(remove_unused_symbols(parse_map(text + "[3, 3]")))  # s0 = 3 - d0 always does
    (d0) -> (d0), domain: d0 in [0, 3]
    >>> print(remove_unused_symbols(parse_map(text + "[5, 5]")))  # not for d0 = 0
    (d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [5, 5]

    Source: XLA ``IndexingMap::RemoveUnusedSymbols``.
    """
    return _without_unused(map, (1, 2))


def remove_unused_vars(map: IndexingMap) -> IndexingMap:
    """Return the map without any variables that its results do not depend on, dims too.

    It takes the dims that are left to what it took them to for some values of the others.

    >>> from . import parse_map
    >>> m = parse_map("(d0, d1) -> (d1), domain: d0 in [0, 49], d1 in [0, 59], d0 mod 3 in [0, 0]")
    >>> print(remove_unused_vars(m))
    (d0) -> (d0), domain: d0 in [0, 59]

    Source: XLA ``IndexingMap::RemoveUnusedVars``.
    """
    return _without_unused(map, (0, 1, 2))


def _without_unused(map: IndexingMap, kinds: tuple[int, ...]) -> IndexingMap:
    require_map(map)
    if map.is_undefined or map.is_known_empty:
        return map
    within = map.within()
    constraints = [c for c in map.constraints if not lies_in(rebind(c.expr, within), c.bounds)]
    places = [(k, i) for k, vs in enumerate(map.kinds) for i in range(len(vs))]
    used = _needed(map, [place for place in places if place[0] not in kinds])
    while True:
        kept = list(constraints)
        for free, given, group in _groups(constraints, used):
            holds = _can_hold(map, sorted(free), sorted(given), group)
            if holds is False:
                return map.with_parts(is_known_empty=True)
            if holds:
                kept = [c for c in kept if c not in group]
        more = _closed(map, used | _places(c.expr for c in kept))
        if more == used:
            if len(used) == len(places) and len(kept) == len(map.constraints):
                return map
            by_kind = [[place for place in places if place in used and place[0] == k] for k in range(3)]
            return rearranged(map, by_kind, kept)
        used = more


# --- what is used -----------------------------------------------------------------------------


def _places(expressions: Iterable[Value]) -> set[Place]:
    return {place_of(a) for x in expressions for a in atoms_of(x) if type(a) is Symbol}


def _needed(map: IndexingMap, places: list[Place]) -> set[Place]:
    """The variables that stay in any case, the given ones among them."""
    results = [*map.results] if map.replica is None else [*map.results, map.replica]
    conditions = {(2, i) for i, v in enumerate(map.runtime) if not _is_free(v)}
    return _closed(map, _places(results) | conditions | set(places))


def _is_free(variable: RuntimeVariable) -> bool:
    """Whether the map holds for every number that is read."""
    source = variable.source
    if source is None:
        return True
    return source.instruction != REPLICA and source.clamp is not None and source.clamp in variable.bounds


def _closed(map: IndexingMap, places: set[Place]) -> set[Place]:
    """Some variables, and those that tell where their sources are read."""
    out: set[Place] = set()
    todo = list(places)
    while todo:
        place = todo.pop()
        if place not in out:
            out.add(place)
            source = map.runtime[place[1]].source if place[0] == 2 else None
            todo += _places(source.indices) if source is not None else ()
    return out


# --- constraints ------------------------------------------------------------------------------


def _groups(
    constraints: list[Constraint], used: set[Place]
) -> list[tuple[set[Place], set[Place], list[Constraint]]]:
    """The constraints on variables that are not used, together where they share one: these variables,
    the others, and the constraints.

    Runtime variables are among the others: what a program reads is not chosen to fit.
    """
    groups: list[tuple[set[Place], set[Place], list[Constraint]]] = []
    for c in constraints:
        places = _places([c.expr])
        free = {place for place in places - used if place[0] != 2}
        given, group = places - free, [c]
        apart: list[tuple[set[Place], set[Place], list[Constraint]]] = []
        for each in groups if free else ():
            if each[0] & free:
                free, given, group = free | each[0], given | each[1], each[2] + group
            else:
                apart.append(each)
        groups = [*apart, (free, given, group)] if free else groups
    return groups


def _can_hold(
    map: IndexingMap, free: list[Place], given: list[Place], constraints: list[Constraint]
) -> bool | None:
    """Whether some values of the free variables meet the constraints, for all values of the given ones.

    False if none do for any; None where it is so for some, or not known.
    """
    bounds = [map.kinds[kind][i].bounds for kind, i in (*given, *free)]
    if prod(each.size for each in bounds) > _MOST:
        return _proved(map, free, given, constraints)
    symbols = [symbol(*place) for place in (*given, *free)]
    found: bool | None = None
    for outer in product(*bounds[: len(given)]):
        here = any(
            _holds(constraints, dict(zip(symbols, (*outer, *inner), strict=True)))
            for inner in product(*bounds[len(given) :])
        )
        if found is not None and found != here:
            return None
        found = here
    return found


def _holds(constraints: list[Constraint], known: dict[Any, Any]) -> bool:
    return all(compute(x, {}, known) in bounds for x, bounds in constraints)


def _proved(
    map: IndexingMap, free: list[Place], given: list[Place], constraints: list[Constraint]
) -> bool | None:
    """The same by integer sets; None where there is no islpy, or no proof within its limit."""
    values: dict[Symbol, Value] = {symbol(*place): dim(i) for i, place in enumerate(given)}
    values.update({symbol(*place): rng(i) for i, place in enumerate(free)})
    dims, ranges = ([map.kinds[kind][i].bounds for kind, i in each] for each in (given, free))
    try:
        from .exact import relation

        conditions = [(rebind(x, values), bounds) for x, bounds in constraints]
        some = relation(IndexingMap([], dims, ranges, (), conditions), _MOST)
        if some.is_empty():
            return False
        return some.is_equal(relation(IndexingMap([], dims), _MOST)) or None
    except (UnsupportedError, UndecidedError):
        return None
