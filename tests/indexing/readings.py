"""What maps say on each replica, by enumeration; random maps that read elements of their choice."""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import TYPE_CHECKING, Any

from tla.indexing import REPLICA, RuntimeVariable, Source, dim, rng, rt
from tla.indexing.variables import place_of
from tla.numbers import free_symbols
from tla.numbers.evaluation import compute

from .random_maps import random_expr, random_map

if TYPE_CHECKING:
    from random import Random

    from tla.indexing import IndexingMap

    Index = tuple[int, ...]
    Dependences = set[tuple[Index, int, Index]]


@cache
def number(replica: int, instruction: str, index: Index) -> int:
    """What the program has in an element, on a replica: any number."""
    return random.Random(repr((replica, instruction, index))).randint(-1, 3)


def values(m: IndexingMap, at: dict[Any, int], asks: int) -> list[int]:
    """What the runtime variables are at a point; one may be read where another one says."""
    known: dict[Any, Any] = dict(at)

    def value(i: int) -> int:
        place = rt(i).symbols[0]
        source = m.runtime[i].source
        assert source is not None
        if place not in known:
            for x in source.indices:
                for symbol in free_symbols(x):
                    if symbol not in known:
                        value(place_of(symbol)[1])
            index = tuple(compute(x, {}, dict(known)) for x in source.indices)
            if source.instruction == REPLICA:
                known[place] = asks
            else:
                on, index = (index[0], index[1:]) if source.elsewhere else (asks, index)
                read = number(on, source.instruction, index)
                clamp = source.clamp
                known[place] = read if clamp is None else min(max(read, clamp.lower), clamp.upper)
        found: int = known[place]
        return found

    return [value(i) for i in range(len(m.runtime))]


def reached(m: IndexingMap, asks: int = 0) -> Dependences:
    """All ``(dims, replica, results)``."""
    out: Dependences = set()
    places = [dim(i).symbols[0] for i in range(len(m.dims))]
    places += [rng(i).symbols[0] for i in range(len(m.ranges))]
    if m.is_known_empty:
        return out
    for flat in itertools.product(*(v.bounds for v in (*m.dims, *m.ranges))):
        at: dict[Any, Any] = dict(zip(places, flat, strict=True))
        read = values(m, at, asks)
        at.update((rt(i).symbols[0], value) for i, value in enumerate(read))
        if all(value in v.bounds for value, v in zip(read, m.runtime, strict=True)) and all(
            compute(x, {}, dict(at)) in bounds for x, bounds in m.constraints
        ):
            on = asks if m.replica is None else compute(m.replica, {}, dict(at))
            out.add((flat[: len(m.dims)], on, tuple(compute(x, {}, dict(at)) for x in m.results)))
    return out


def reading_map(rand: Random, dims: int | None, results: int, replica: bool) -> IndexingMap:
    """A map whose runtime variables are read at elements that its variables choose."""
    m = random_map(rand, dims=dims, results=results, most=60, replica=replica, constraints=2)
    names: list[Any] = [dim(i) for i in range(len(m.dims))] + [rng(i) for i in range(len(m.ranges))]
    runtime: list[RuntimeVariable] = []
    for i, v in enumerate(m.runtime):
        if v.source is None or v.source.instruction != REPLICA:
            rank = rand.choice([0, 0, 1, 2])
            indices = tuple(random_expr(rand, names, rand.randint(0, 2)) for _ in range(rank))
            clamp = v.bounds if rand.random() < 0.6 and v.bounds.is_feasible else None
            source = Source(rand.choice("abc") + str(rank), indices, clamp)
            v = v._replace(source=source)
            if rand.random() < 0.5:
                names.append(rt(i))
        runtime.append(v)
    return m.with_parts(runtime=runtime)
