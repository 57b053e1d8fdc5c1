"""Simplification, inversion and composition, proved by integer sets on random maps."""

from __future__ import annotations

from random import Random

import pytest

from tla.errors import UndecidedError
from tla.indexing import IndexingMap, compose, inverse, parse_map, simplify

from .random_maps import random_map, random_maps, reading_map

pytest.importorskip("islpy")

from tla.indexing import relation
from tla.indexing.rescale import rescale_symbols
from tla.indexing.unused import remove_unused_symbols

SEEDS = range(8)
EACH = 250
"""Maps for each seed: 2,000 in all."""
FEW = 60


@pytest.mark.parametrize("seed", SEEDS)
def test_simplify_keeps_the_pairs(seed: int) -> None:
    for m in random_maps(Random(seed), EACH, most=500):
        assert relation(simplify(m, exact=False)) == relation(m), m


@pytest.mark.parametrize("seed", SEEDS)
def test_single_values_are_replaced_by_what_they_are(seed: int) -> None:
    for m in random_maps(Random(1000 + seed), FEW):
        assert relation(simplify(m, "replace", exact=False)) == relation(m), m


@pytest.mark.parametrize("seed", SEEDS)
def test_the_inverse_is_the_inverse(seed: int) -> None:
    for m in random_maps(Random(2000 + seed), EACH, most=500):
        assert relation(inverse(m)) == relation(m).inverse(), m


@pytest.mark.parametrize("seed", SEEDS)
def test_unused_ranges_do_not_matter(seed: int) -> None:
    for m in random_maps(Random(3000 + seed), FEW, sources=True):
        assert relation(remove_unused_symbols(m)) == relation(m), m


@pytest.mark.parametrize("seed", SEEDS)
def test_rescaling_keeps_the_pairs(seed: int) -> None:
    for m in random_maps(Random(4000 + seed), FEW):
        assert relation(rescale_symbols(m)) == relation(m), m


def test_compose_is_composition() -> None:
    random = Random(6)
    for _time in range(150):
        first = random_map(random, results=2, most=300)
        second = random_map(random, dims=2, most=300)
        assert relation(compose(first, second)) == relation(second).after(relation(first)), (
            first,
            second,
        )


def test_maps_that_read_at_the_point_and_on_other_replicas() -> None:
    """Sources whose indices are expressions of the point, and those of other replicas."""
    random, decided = Random(8), 0
    for time in range(60):
        if time % 2:
            n = random.randint(1, 2)
            first, second = reading_map(random, n, n), reading_map(random, n, 1)
        else:
            (first,) = random_maps(random, 1, most=200, replica=True, sources=True)
            second = random_map(random, dims=len(first.results), most=100, replica=True, sources=True)
        try:
            whole = relation(first)
            assert relation(simplify(first, exact=False)) == whole, first
            assert relation(remove_unused_symbols(first)) == whole, first
            assert relation(inverse(first)) == whole.inverse(), first
            assert relation(compose(first, second)) == relation(second).after(whole), (first, second)
        except UndecidedError:
            continue
        decided += 1
    assert decided > 50


def test_large_maps_too() -> None:
    """Sizes that no enumeration reaches: the bounds of random maps a thousand times as far."""
    random, decided = Random(4), 0
    while decided < 80:
        m = random_map(random, constraints=1)
        if m.is_known_empty:
            continue
        far = IndexingMap(
            m.results,
            [(v.bounds.lower, v.bounds.upper * 1000 + 7) for v in m.dims],
            [(v.bounds.lower, v.bounds.upper * 1000 + 7) for v in m.ranges],
            [v._replace(source=None) for v in m.runtime],
            m.constraints,
        )
        try:
            whole = relation(far, limit=500_000)
            assert relation(simplify(far, exact=False)) == whole, far
            assert relation(inverse(far)) == whole.inverse(), far
        except UndecidedError:
            continue
        decided += 1


def test_the_proofs_see_what_is_wrong() -> None:
    """The rules of XLA that change the points."""
    for right, wrong in [
        ("d0 in [0, 9], d1 in [5, 6], d0 * 10 + d1 in [0, 20]", "d0 in [0, 2], d1 in [5, 6]"),
        ("d0 in [0, 99], d1 in [0, 0], d0 floordiv 3 in [3, 4]", "d0 in [9, 15], d1 in [0, 0]"),
    ]:
        a, b = (relation(parse_map(f"(d0, d1) -> (d0, d1), domain: {t}")) for t in (right, wrong))
        assert a != b
