# SPDX-License-Identifier: Apache-2.0
"""Maps with their variables in other places, the basis of every edit of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..numbers import rebind
from .maps import IndexingMap
from .variables import RuntimeVariable, Variable, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..numbers import Interval, Symbol, Value
    from .making import Constraint

    Place = tuple[int, int]

_KINDS: Final = ((dim, "d"), (rng, "s"), (rt, "rt"))


def symbol(kind: int, i: int) -> Symbol:
    """Return the symbol of variable ``i`` of a kind: 0 for a dim, 1 for a range, 2 for a runtime one."""
    found: Symbol = _KINDS[kind][0](i).symbols[0]
    return found


def rearranged(
    map: IndexingMap,
    places: Sequence[Sequence[Place]],
    constraints: Iterable[Constraint] | None = None,
) -> IndexingMap:
    """Return the map with the variables of these old places, a kind and a number, for each kind.

    A variable with the name of its old place gets the name of its new place. Others keep their names if
    these stay unique, as in XLA.

    >>> from . import parse_map
    >>> m = parse_map("(d0)[s0, warp] -> (d0, warp), domain: d0 in [0, 3], s0 in [0, 1], warp in [0, 7]")
    >>> print(rearranged(m, [[(1, 1), (0, 0)], [(1, 0)], []]))
    (warp, d1)[s0] -> (d1, warp), domain: warp in [0, 7], d1 in [0, 3], s0 in [0, 1]

    Args:
        constraints: The constraints to keep; by default all.
    """
    values: dict[Symbol, Value] = {}
    found: list[list[Any]] = []
    names: set[str] = set()
    for (of, prefix), kind in zip(_KINDS, places, strict=True):
        found.append([])
        for i, (k, j) in enumerate(kind):
            values[symbol(k, j)] = of(i)
            variable = map.kinds[k][j]
            own = variable.name in (f"{_KINDS[k][1]}{j}", *names)
            name = f"{prefix}{i}" if own else variable.name
            names.add(name)
            if k == 2 and prefix == "rt":
                found[-1].append(variable._replace(name=name))
            else:
                found[-1].append(Variable(name, variable.bounds))
    return placed(map, values, found[0], found[1], found[2], constraints)


def placed(
    map: IndexingMap,
    values: dict[Symbol, Value],
    dims: Sequence[Variable | Interval],
    ranges: Sequence[Variable | Interval],
    runtime: Sequence[RuntimeVariable],
    constraints: Iterable[Constraint] | None = None,
) -> IndexingMap:
    """Return the map over other variables, with expressions of these for its symbols.

    >>> from . import Interval, parse_map
    >>> m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 4]")
    >>> print(placed(m, {symbol(1, 0): rng(0) * 2}, m.dims, [Variable("s0", Interval(0, 2))], ()))
    (d0)[s0] -> (d0 + s0 * 2), domain: d0 in [0, 3], s0 in [0, 2]

    Args:
        runtime: Variables whose sources are read at expressions of the old symbols, which change too.
        constraints: The constraints to keep, on the old symbols; by default all.
    """

    def put(x: Value) -> Value:
        return rebind(x, values)

    return IndexingMap(
        [put(x) for x in map.results],
        dims,
        ranges,
        [v.with_indices(put) for v in runtime],
        [(put(x), bounds) for x, bounds in (map.constraints if constraints is None else constraints)],
        None if map.replica is None else put(map.replica),
        map.is_known_empty,
    )
