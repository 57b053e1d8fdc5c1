# SPDX-License-Identifier: Apache-2.0
"""One map after another: `compose`.

>>> from . import parse_map
>>> transpose = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]")
>>> shift = parse_map("(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 5], d1 in [0, 1], s0 in [0, 2]")
>>> print(compose(transpose, shift))
(d0, d1)[s0] -> (d1, d0 + s0), domain: d0 in [0, 1], d1 in [0, 5], s0 in [0, 2]

Source: XLA ``ComposeIndexingMaps``, with its variables in its order. There the labels
of runtime variables are put together in another order than the variables (openxla/xla issue 49119);
here each bears its own.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from ..errors import CongruenceError
from ..numbers import rebind
from .maps import IndexingMap, require_map
from .places import placed
from .variables import RuntimeVariable, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..numbers import Symbol, Value


def compose(first: IndexingMap, second: IndexingMap) -> IndexingMap:
    """Return the composition: ``first``, and then ``second`` on its results.

    >>> from tla.indexing import parse_map
    >>> turn = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]")
    >>> flat = parse_map("(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 7], d1 in [0, 3]")
    >>> print(compose(turn, flat))
    (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]

    A point reaches ``z`` exactly if ``first`` takes it to some ``y`` in the domain of ``second``, and
    that takes ``y`` to ``z``. As in XLA the ranges of ``second`` come first, then those of ``first``;
    so do the runtime variables. Variables read from one source are one variable: a number that the
    program reads has one value. Nothing is simplified.

    Raises:
        CongruenceError: ``first`` has not as many results as ``second`` has dims.
    """
    for each in (first, second):
        require_map(each)
    for each in (first, second):
        if each.is_undefined:
            return each
    if len(first.results) != len(second.dims):
        raise CongruenceError(
            f"a map with {len(first.results)} results cannot go before one with {len(second.dims)} dims",
            f"first: {first}",
            f"second: {second}",
        )
    # the replica of second is the one that first goes to
    known: list[int] = (
        [] if first.replica is None else [i for i, v in enumerate(second.runtime) if v.is_replica]
    )
    kept = [i for i in range(len(second.runtime)) if i not in known]
    n_ranges = len(second.ranges)
    shift: dict[Symbol, Value] = {
        **{rng(i).symbols[0]: rng(n_ranges + i) for i in range(len(first.ranges))},
        **{rt(i).symbols[0]: rt(len(kept) + i) for i in range(len(first.runtime))},
    }

    def moved(x: Value) -> Value:
        return rebind(x, shift)

    results = [moved(x) for x in first.results]
    replica = None if first.replica is None else moved(first.replica)
    into: dict[Symbol, Value] = {
        **{dim(i).symbols[0]: x for i, x in enumerate(results)},
        **{rt(i).symbols[0]: rt(place) for place, i in enumerate(kept)},
    }
    if replica is not None:
        into.update({rt(i).symbols[0]: replica for i in known})

    def put(x: Value) -> Value:
        return rebind(x, into)

    constraints = [(put(x), bounds) for x, bounds in second.constraints]
    constraints += [(moved(x), bounds) for x, bounds in first.constraints]
    constraints += [(x, v.bounds) for x, v in zip(results, second.dims, strict=True)]
    constraints += [(put(rt(i)), second.runtime[i].bounds) for i in known]
    ranges = with_names([*second.ranges, *first.ranges], "s", first.dims)
    runtime = [_read_at(second.runtime[i], put, replica) for i in kept]
    runtime += [v.with_indices(moved) for v in first.runtime]
    return merged_sources(
        IndexingMap(
            [put(x) for x in second.results],
            first.dims,
            ranges,
            with_names(runtime, "rt", [*first.dims, *ranges]),
            constraints,
            replica if second.replica is None else put(second.replica),
            first.is_known_empty or second.is_known_empty,
        )
    )


def _read_at(
    variable: RuntimeVariable, put: Callable[[Value], Value], replica: Value | None
) -> RuntimeVariable:
    source = variable.with_indices(put).source
    return variable._replace(source=source and source.on(replica))


def with_names(variables: Sequence[Any], prefix: str, others: Iterable[Any] = ()) -> list[Any]:
    """Return variables under names that differ from each other and from those of ``others``.

    A variable keeps its own name. A name of the prefix and a number gets the new number.
    """
    names = {variable.name for variable in others}
    out: list[Any] = []
    for i, variable in enumerate(variables):
        name = variable.name
        if name in names or (name.startswith(prefix) and name[len(prefix) :].isdigit()):
            name = next(x for x in (f"{prefix}{k}" for k in count(i)) if x not in names)
        names.add(name)
        out.append(variable._replace(name=name))
    return out


def merged_sources(map: IndexingMap) -> IndexingMap:
    """Return the map with one variable for all runtime variables of one source."""
    found: dict[Any, int] = {}
    values: dict[Symbol, Value] = {}
    kept: list[RuntimeVariable] = []
    for i, variable in enumerate(map.runtime):
        source = variable.source
        key = None if source is None else source.key
        place = len(kept) if key is None else found.setdefault(key, len(kept))
        values[rt(i).symbols[0]] = rt(place)
        if place == len(kept):
            kept.append(variable)
        else:
            both = kept[place].bounds & variable.bounds
            kept[place] = kept[place]._replace(bounds=both)
    if len(kept) == len(map.runtime):
        return map
    runtime = with_names(kept, "rt", [*map.dims, *map.ranges])
    merged = placed(map, values, map.dims, map.ranges, runtime)
    return merged_sources(merged)  # sources that now have equal indices may be one, too
