"""The inverse of a map: the text of each step, and the pairs turned round."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tla.errors import UnsupportedError
from tla.indexing import REPLICA, IndexingMap, Interval, Source, dim, inverse, parse_map, rt

from .random_maps import pairs_of, random_maps
from .truth import pairs, replica_pairs

STEPS = {
    "a multiple": (
        "(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]",
        "(d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], (d0 - 3) mod 7 in [0, 0]",
    ),
    "a negative multiple": (
        "(d0) -> (d0 * -1 + 9), domain: d0 in [0, 9]",
        "(d0) -> (-d0 + 9), domain: d0 in [0, 9]",
    ),
    "digits": (
        "(d0, d1, d2) -> (d0 * 12 + d1 * 4 + d2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 3]",
        "(d0) -> (d0 floordiv 12, (d0 floordiv 4) mod 3, d0 mod 4), domain: d0 in [0, 59]",
    ),
    "a quotient and a remainder": (
        "(d0) -> (d0 mod 8, d0 floordiv 8), domain: d0 in [0, 31]",
        "(d0, d1) -> (d1 * 8 + d0), domain: d0 in [0, 7], d1 in [0, 3]",
    ),
    "cuts in cuts": (
        "(d0) -> (d0 mod 2, (d0 floordiv 2) mod 3, d0 floordiv 6), domain: d0 in [0, 23]",
        "(d0, d1, d2) -> (d1 * 2 + d2 * 6 + d0), domain: d0 in [0, 1], d1 in [0, 2], d2 in [0, 3]",
    ),
    "a quotient alone": (
        "(d0) -> (d0 floordiv 4), domain: d0 in [0, 7]",
        "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 1], s0 in [0, 3]",
    ),
    "a window": (
        "(d0)[s0] -> (d0 + s0), domain: d0 in [0, 2], s0 in [0, 4]",
        "(d0)[s0] -> (d0 - s0), domain: d0 in [0, 6], s0 in [0, 4], d0 - s0 in [0, 2]",
    ),
    "a window with a stride": (
        "(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 3], s0 in [0, 2]",
        "(d0)[s0] -> (s0), domain: d0 in [0, 8], s0 in [0, 3], d0 - s0 * 2 in [0, 2]",
    ),
    "multiples with a common divisor": (
        "(d0, d1) -> (d0 * 4 + d1 * 6), domain: d0 in [0, 5], d1 in [0, 5]",
        "(d0)[s0] -> ((d0 - s0 * 6) floordiv 4, s0), domain: d0 in [0, 50], s0 in [0, 5], "
        "(d0 - s0 * 6) mod 4 in [0, 0], d0 - s0 * 6 in [0, 23]",
    ),
    "a run-time start": (
        "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 4], rt0 in [0, 2]",
        "(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 6], rt0 in [0, 2], d0 - rt0 in [0, 4]",
    ),
    "what has one value": (
        "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [3, 3]",
        "(d0) -> (d0, 3), domain: d0 in [0, 4]",
    ),
    "no dims": (
        "(d0) -> (), domain: d0 in [0, 4]",
        "()[s0] -> (s0), domain: s0 in [0, 4]",
    ),
    "no results": (
        "() -> (5)",
        "(d0) -> (), domain: d0 in [5, 5]",
    ),
}


@pytest.mark.parametrize("what", STEPS)
def test_steps(what: str) -> None:
    text, back = STEPS[what]
    m = parse_map(text)
    assert str(inverse(m)) == back
    assert pairs([inverse(m)]) == {(b, a) for a, b in pairs([m])}


def test_the_maps_of_the_document() -> None:
    """Both directions of an op there are each other's inverse, in its text."""
    file = Path(__file__).parent.parent / "data" / "indexing_seed.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    ways: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.get("verdict") == "EXACT":
            ways.setdefault(row["name"], {})[row["direction"]] = row["seed_map"]
    checked = 0
    for name, way in ways.items():
        if len(way) < 2 or name == "reshape_generic_1":  # its text has another order of summands
            continue
        there, back = (parse_map(text) for text in way.values())
        assert (str(inverse(there)), str(inverse(back))) == (str(back), str(there)), name
        checked += 1
    assert checked >= 12


@pytest.mark.parametrize("count", [200, pytest.param(1500, marks=pytest.mark.slow)])
def test_random_maps(count: int) -> None:
    for m in random_maps(Random(5), count, runtime=True):
        back = inverse(m)
        if back.box < 50_000:
            assert pairs_of(back) == {(r, d, runtime) for d, r, runtime in pairs_of(m)}, m


def test_what_nothing_solves_stays_a_constraint() -> None:
    m = parse_map("(d0, d1) -> (min(d0, d1)), domain: d0 in [0, 5], d1 in [0, 5]")
    back = inverse(m)
    assert len(back.ranges) == 2
    assert pairs([back]) == {(b, a) for a, b in pairs([m])}


def test_empty_and_undefined() -> None:
    assert inverse(parse_map("(d0, d1) -> (d1), domain: d0 in [0, -1], d1 in [0, 3]")).is_known_empty
    unknown = IndexingMap.undefined("a custom call")
    assert inverse(unknown) is unknown


def test_another_replica() -> None:
    """All-gather over four replicas: element d0 of each comes from replica d0 // 2."""
    asks = ("replica", Interval(0, 3), Source(REPLICA))
    m = IndexingMap([dim(0) % 2], [8], runtime=[asks], replica=dim(0) // 2)
    back = inverse(m)
    there = {(r, d, at) for r in range(4) for d, at in replica_pairs([m], r)}
    assert {(at, (r, d)) for r, d, at in there} == {
        ((r, d), at) for r in range(4) for d, at in replica_pairs([back], r)
    }
    with pytest.raises(UnsupportedError, match="no variable for the one that asks"):
        inverse(IndexingMap([dim(0)], [8], replica=0))


def test_a_start_read_at_what_is_solved_for() -> None:
    """``rt0`` is read at ``d0``, which the inverse has as ``y - rt0``."""
    m = IndexingMap([dim(0) + rt(0)], [3], runtime=[("rt0", Interval(0, 2), Source("i", (dim(0),)))])
    for values in ((0, 0, 0), (2, 1, 0), (0, 1, 2), (2, 2, 1)):

        def read(_name: str, index: tuple[int, ...], values: tuple[int, ...] = values) -> int:
            return values[index[0]] if 0 <= index[0] < 3 else 0

        assert pairs([inverse(m)], read) == {(b, a) for a, b in pairs([m], read)}
