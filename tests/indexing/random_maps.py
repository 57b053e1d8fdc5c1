"""Random indexing maps, small enough to enumerate: every kind of variable, expression, constraint."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from tla.indexing import REPLICA, IndexingMap, Interval, Source, dim, rng, rt
from tla.numbers import greatest, least

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

DIVISORS = (2, 3, 4, 5, 6, 7, 8, 12, 16)
FACTORS = (-8, -3, -2, -1, 1, 1, 1, 2, 3, 4, 8, 12)


def random_interval(random: Random, most: int = 7, negative: bool = True) -> Interval:
    """An interval of up to ``most`` ints; a third of them have negative ones."""
    size = random.choice([1, 2, 3, random.randint(1, most), random.randint(1, most)])
    low = random.randint(-6, 4) if negative and random.random() < 0.35 else 0
    return Interval(low, low + size - 1)


def random_expr(random: Random, variables: list[Any], depth: int = 3, minima: bool = True) -> Any:
    """An expression of some variables: sums, multiples, nested quotients and remainders, minima."""
    if depth == 0 or random.random() < 0.15:
        return (
            random.choice(variables) if variables and random.random() < 0.85 else random.randint(-9, 9)
        )

    def part() -> Any:
        return random_expr(random, variables, depth - 1, minima)

    kind = random.choice(["sum", "sum", "sum", "multiple", "//", "//", "%", "%", "least"])
    if kind == "sum":
        return part() * random.choice(FACTORS) + part()
    if kind == "multiple":
        return part() * random.choice(FACTORS) + random.randint(-9, 9)
    if kind == "//":
        return part() // random.choice(DIVISORS)
    if kind == "%":
        return part() % random.choice(DIVISORS)
    if not minima:
        return part() + part()
    return random.choice([least, greatest])(part(), part())


def random_map(
    random: Random,
    *,
    dims: int | None = None,
    results: int | None = None,
    most: int = 2000,
    runtime: bool = True,
    minima: bool = True,
    constraints: int = 3,
    replica: bool = False,
    sources: bool = False,
) -> IndexingMap:
    """A map with at most ``most`` points within its bounds.

    Args:
        dims, results: How many; random where they are not given.
        runtime: Whether it may have runtime variables, without a source or with one of numbers.
        minima: Whether its expressions may have minima and maxima.
        constraints: How many it has at most.
        replica: Whether it may lead to another replica.
        sources: Whether all its runtime variables have a source.
    """
    while True:
        n_dims = random.randint(0, 3) if dims is None else dims
        n_ranges = random.choice([0, 0, 1, 1, 2])
        n_runtime = random.choice([0, 0, 0, 1, 2]) if runtime else 0
        boxes = [random_interval(random) for _ in range(n_dims + n_ranges + n_runtime)]
        if prod(box.size for box in boxes) <= most:
            break
    read = [_read(random, f"n{i}", box, sources) for i, box in enumerate(boxes[n_dims + n_ranges :])]
    names = [*map(dim, range(n_dims)), *map(rng, range(n_ranges)), *map(rt, range(n_runtime))]
    elsewhere: Any = None
    if replica and random.random() < 0.6:
        names.append(rt(n_runtime))
        read.append(("replica", Interval(0, random.randint(1, 3)), Source(REPLICA)))
        elsewhere = random_expr(random, names, 2, minima)
    count = random.randint(1, 3) if results is None else results
    given = [random_expr(random, names, random.randint(0, 4), minima) for _ in range(count)]
    facts = [_constraint(random, names, minima) for _ in range(random.randint(0, constraints))]
    return IndexingMap(given, boxes[:n_dims], boxes[n_dims : n_dims + n_ranges], read, facts, elsewhere)


def _read(random: Random, name: str, box: Interval, sources: bool) -> tuple[Any, ...]:
    kind = random.choice(["scalar", "element"] if sources else ["unknown", "scalar", "element"])
    if kind == "unknown":
        return name, box
    clamp = box if random.random() < 0.5 else None
    indices = () if kind == "scalar" else (random.randint(0, 3), random.randint(0, 3))
    return name, box, Source(f"{kind}.{name}", indices, clamp)


def _constraint(random: Random, names: list[Any], minima: bool) -> tuple[Any, Interval]:
    x = random_expr(random, names, random.randint(1, 3), minima)
    if random.random() < 0.4:
        period = random.choice(DIVISORS)
        x = x % period
        low = random.randint(0, period - 1)
        return x, Interval(low, random.randint(low, period - 1))
    low = random.randint(-12, 12)
    return x, Interval(low, low + random.choice([0, 3, 10, 40]))


def random_maps(random: Random, count: int, **choices: Any) -> Iterator[IndexingMap]:
    """Random maps, of which most have points."""
    made = 0
    while made < count:
        m = random_map(random, **choices)
        if next(m.points(), None) is not None or random.random() < 0.1:
            made += 1
            yield m


def reading_map(random: Random, dims: int, results: int) -> IndexingMap:
    """A map that reads one or two of three elements of ``of``, whose values are 0, 1, 2."""
    names: list[Any] = [*map(dim, range(dims)), *map(rng, range(random.randint(0, 1)))]
    count = random.choice([1, 1, 2])
    at = [random.choice([random.choice([0, 1, *names, *names]) % 3, 1]) for _ in range(count)]
    reads = [(f"r{i}", 3, Source("of", (x,), Interval(0, 2))) for i, x in enumerate(at)]
    terms = [*names, *map(rt, range(count)), rt(0), 1]
    out = [
        sum((random.choice(terms) * random.choice([1, 1, -1]) for _ in range(2)), 0) % 3
        for _ in range(results)
    ]
    facts = [(random.choice(terms) + random.choice(terms), (0, 3))] if random.random() < 0.5 else []
    return IndexingMap(out, [3] * dims, [2] * (len(names) - dims), reads, facts)


def pairs_of(m: IndexingMap) -> set[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """All ``(dims, results, runtime)`` of a map, by enumeration."""
    return {(point.dims, results, point.runtime) for point, results in m.points()}
