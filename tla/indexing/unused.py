# SPDX-License-Identifier: Apache-2.0
"""Variables that a map does not need: `remove_unused_symbols`, `remove_unused_vars`.

>>> from . import parse_map
>>> m = parse_map('''(d0)[s0, s1] -> (d0 + s1),
... domain: d0 in [0, 3], s0 in [0, 6], s1 in [0, 1], s0 mod 3 in [1, 1]''')
>>> print(remove_unused_symbols(m))
(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]

A range that a constraint decides goes: ``s0 - s1 in [0, 0]`` puts ``s1`` in the place of ``s0``, and
``d0 - s0 * 4 in [0, 3]`` puts ``d0 floordiv 4`` there. A range that occurs only in constraints means
that some value of it fulfils them. If a value does for all values of the other variables, the range and
the constraints are removed. If no value does, the map is known empty. Otherwise they stay. The answer is
a proof: see `tla.indexing.deciding`. XLA removes constraints on unused variables alone without a proof,
and keeps all others.

Source: XLA ``IndexingMap::RemoveUnusedSymbols``, ``RemoveUnusedVars``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numbers import rebind, symbols_in
from .constraints import lies_in
from .deciding import can_hold
from .maps import require_map
from .places import rearranged
from .rewriting import rewritten
from .solving import decided, replaced_by_sum
from .variables import REPLICA, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..numbers import Value
    from .making import Constraint
    from .maps import IndexingMap
    from .variables import RuntimeVariable

    Place = tuple[int, int]


def remove_unused_symbols(map: IndexingMap) -> IndexingMap:
    """Return the map without the ranges and runtime variables that its pairs do not depend on.

    It has the same results for each ``(dims, runtime)``. A runtime variable disappears only if the map
    holds for every number of its source: its clamp, or its bounds if it has no source. The other
    variables get new numbers.

    >>> from . import parse_map
    >>> text = "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in "
    >>> print(remove_unused_symbols(parse_map(text + "[3, 3]")))  # s0 = 3 - d0 always does
    (d0) -> (d0), domain: d0 in [0, 3]
    >>> print(remove_unused_symbols(parse_map(text + "[5, 5]")))  # not for d0 = 0
    (d0) -> (d0), domain: d0 in [2, 3]

    Source: XLA ``IndexingMap::RemoveUnusedSymbols``.
    """
    return _without_unused(map, (1, 2))


def remove_unused_vars(map: IndexingMap) -> IndexingMap:
    """Return the map without any variables that its results do not depend on, also without such dims.

    It has, at the remaining dims, the results for some values of the others.

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
    before, map = map, _without_decided(map)
    if map.is_known_empty:
        return map
    narrowed = [(2, i) for i, v in enumerate(map.runtime) if v.bounds != before.runtime[i].bounds]
    within = map.within()
    constraints = [c for c in map.constraints if not lies_in(rebind(c.expr, within), c.bounds)]
    places = [(k, i) for k, vs in enumerate(map.kinds) for i in range(len(vs))]
    used = _with_places(map, [*narrowed, *(place for place in places if place[0] not in kinds)])
    while True:
        kept = list(constraints)
        for free, given, group in _groups(constraints, used):
            holds = can_hold(map, sorted(free), sorted(given), group)
            if holds is False:
                return map.with_parts(is_known_empty=True)
            if holds:
                kept = [c for c in kept if c not in group]
        more = _with_sources(map, used | _places(c.expr for c in kept))
        if more == used:
            if len(used) == len(places) and len(kept) == len(map.constraints):
                return map
            by_kind = [[place for place in places if place in used and place[0] == k] for k in range(3)]
            return rearranged(map, by_kind, kept)
        used = more


def _without_decided(map: IndexingMap) -> IndexingMap:
    """The map with expressions for the ranges that a constraint decides, those of no result first."""
    used = _places(map.results)
    found = decided(map, used.__contains__) or replaced_by_sum(map)
    return map if found is None else _without_decided(rewritten(found))


# --- used variables -----------------------------------------------------------------------------


def _places(expressions: Iterable[Value]) -> set[Place]:
    return {place_of(s) for x in expressions for s in symbols_in(x)}


def _with_places(map: IndexingMap, places: list[Place]) -> set[Place]:
    """The variables that stay in any case, with the given ones."""
    results = [*map.results] if map.replica is None else [*map.results, map.replica]
    conditions = {(2, i) for i, v in enumerate(map.runtime) if not _is_free(v)}
    return _with_sources(map, _places(results) | conditions | set(places))


def _is_free(variable: RuntimeVariable) -> bool:
    """Whether the map holds for every number of the source."""
    source = variable.source
    if source is None:
        return True
    return source.instruction != REPLICA and source.clamp is not None and source.clamp in variable.bounds


def _with_sources(map: IndexingMap, places: set[Place]) -> set[Place]:
    """Some variables, and those in the indices of their sources."""
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
    """The groups of constraints on unused variables, by shared variables: these, the others, the
    constraints.

    Runtime variables are among the others, because the program decides them.
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
