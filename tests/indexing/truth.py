"""Dependences by enumeration: what maps say, as sets of pairs, for values of the runtime variables."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from tla.indexing import dim, rng, rt
from tla.indexing.variables import place_of
from tla.numbers import free_symbols
from tla.numbers.evaluation import compute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tla.indexing import IndexingMap

    Index = tuple[int, ...]
    Pairs = set[tuple[Index, Index]]
    Read = Callable[[str, Index], int]


def pairs(maps: Iterable[IndexingMap], read: Read | None = None) -> Pairs:
    """All ``(dims, results)`` of some maps.

    ``read(instruction, index)`` is what the program reads there; without it a runtime variable takes all
    values in its bounds.
    """
    return {pair for m in maps for pair in _pairs(m, read)}


def replica_pairs(maps: Iterable[IndexingMap], replica: int) -> set[tuple[Index, tuple[int, Index]]]:
    """All ``(dims, (replica, results))`` of some maps, as one replica sees them."""
    out: set[tuple[Index, tuple[int, Index]]] = set()
    for m in maps:
        for dims, results, at in _points(m, lambda _name, _index: replica):
            source = replica if m.replica is None else compute(m.replica, {}, dict(at))
            out.add((dims, (source, results)))
    return out


def _pairs(m: IndexingMap, read: Read | None) -> Iterator[tuple[Index, Index]]:
    for dims, results, _at in _points(m, read):
        yield dims, results


def _points(m: IndexingMap, read: Read | None) -> Iterator[tuple[Index, Index, dict[Any, Any]]]:
    assert not m.is_undefined
    if m.is_known_empty:
        return
    places = [dim(i).symbols[0] for i in range(len(m.dims))]
    places += [rng(i).symbols[0] for i in range(len(m.ranges))]
    box = [list(v.bounds) for v in (*m.dims, *m.ranges)]
    for flat in itertools.product(*box):
        at: dict[Any, Any] = dict(zip(places, flat, strict=True))
        for values in _runtime(m, at, read):
            full: dict[Any, Any] = {
                **at,
                **{rt(i).symbols[0]: value for i, value in enumerate(values)},
            }
            if all(v in w.bounds for v, w in zip(values, m.runtime, strict=True)) and all(
                compute(x, {}, dict(full)) in bounds for x, bounds in m.constraints
            ):
                yield flat[: len(m.dims)], tuple(compute(x, {}, dict(full)) for x in m.results), full


def _runtime(m: IndexingMap, at: dict[Any, Any], read: Read | None) -> Iterator[Index]:
    if read is None:
        yield from itertools.product(*(list(v.bounds) for v in m.runtime))
        return
    known = dict(at)

    def value(i: int) -> int:
        """An index may depend on other runtime variables: they are read first."""
        place = rt(i).symbols[0]
        if place not in known:
            source = m.runtime[i].source
            assert source is not None
            for x in source.indices:
                for symbol in free_symbols(x):
                    if symbol not in known:
                        value(place_of(symbol)[1])
            found = read(source.instruction, tuple(compute(x, {}, dict(known)) for x in source.indices))
            if source.clamp is not None:
                found = min(max(found, source.clamp.lower), source.clamp.upper)
            known[place] = found
        number: int = known[place]
        return number

    yield tuple(value(i) for i in range(len(m.runtime)))
