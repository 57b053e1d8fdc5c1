"""Variables that are left out: the pairs stay, whatever the program reads."""

from __future__ import annotations

import sys

import fuzz_maps
import pytest
from fuzz_maps import unused_symbols, unused_variables

from tla.indexing import REPLICA, IndexingMap, Interval, RuntimeVariable, Source, dim, parse_map, rng, rt
from tla.indexing.unused import remove_unused_symbols, remove_unused_vars


@pytest.mark.parametrize("count", [80, pytest.param(400, marks=pytest.mark.slow)])
def test_random_maps(count: int) -> None:
    laws = {"symbols": unused_symbols, "variables": unused_variables}
    report = fuzz_maps.run(count, 3, laws)
    assert report.is_clean, str(report)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # alone: some value fits
        (
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 6], s0 mod 3 in [1, 1]",
            "(d0) -> (d0), domain: d0 in [0, 3]",
        ),
        # alone: none does
        ("(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 6], s0 mod 9 in [7, 8]", "KNOWN EMPTY"),
        # with a dim: some value for each of it, for some of it, for none of it
        (
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [3, 3]",
            "(d0) -> (d0), domain: d0 in [0, 3]",
        ),
        (
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [5, 5]",
            "(d0) -> (d0), domain: d0 in [2, 3]",
        ),
        (
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [5, 6]",
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [5, 6]",
        ),
        # what a constraint decides: an equality, the quotient of a digit, a residue
        (
            "(d0)[s0, s1] -> (s1, s0 * 2), domain: d0 in [0, 3], s0 in [0, 3], s1 in [2, 5], "
            "s0 - s1 in [0, 0]",
            "(d0)[s0] -> (s0, s0 * 2), domain: d0 in [0, 3], s0 in [2, 3]",
        ),
        (
            "(d0)[s0] -> (s0), domain: d0 in [0, 30], s0 in [0, 9], d0 - s0 * 4 in [0, 3]",
            "(d0) -> (d0 floordiv 4), domain: d0 in [0, 30]",
        ),
        (
            "(d0)[s0] -> (s0), domain: d0 in [0, 11], s0 in [0, 11], (d0 * 11 + s0) mod 12 in [0, 0]",
            "(d0) -> (d0), domain: d0 in [0, 11]",
        ),
        (
            "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], (d0 * 10 + s0 * 3) mod 12 in [0, 0]",
            "(d0)[s0] -> (s0), domain: d0 in [0, 9], s0 in [0, 9], (d0 * 10 + s0 * 3) mod 12 in [0, 0]",
        ),
        (
            "(d0)[s0] -> (d0), domain: d0 in [0, 3], s0 in [0, 3], d0 * 2 + s0 * 4 in [5, 5]",
            "KNOWN EMPTY",
        ),
        # together: each of two constraints can be met, both at once cannot
        (
            "(d0)[s0] -> (d0), "
            "domain: d0 in [0, 3], s0 in [0, 3], (d0 + s0) mod 2 in [0, 0], s0 mod 2 in [0, 0]",
            "(d0)[s0] -> (d0), "
            "domain: d0 in [0, 3], s0 in [0, 3], (d0 + s0) mod 2 in [0, 0], s0 mod 2 in [0, 0]",
        ),
        # one by one where they share no variable
        (
            "(d0)[s0, s1] -> (d0), "
            "domain: d0 in [0, 3], s0 in [0, 3], s1 in [0, 3], d0 + s0 in [3, 3], d0 + s1 in [4, 4]",
            "(d0) -> (d0), domain: d0 in [1, 3]",
        ),
        # a number that is read is not chosen to fit
        (
            "(d0)[s0]{rt0} -> (d0), "
            "domain: d0 in [0, 3], s0 in [0, 3], rt0 in [0, 3], d0 + rt0 in [3, 3]",
            "(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 3], d0 + rt0 in [3, 3]",
        ),
        (
            "(d0)[s0]{rt0} -> (d0), "
            "domain: d0 in [0, 3], s0 in [0, 3], rt0 in [0, 3], s0 + rt0 in [3, 3]",
            "(d0) -> (d0), domain: d0 in [0, 3]",
        ),
        # names that are not of their places stay
        (
            "(d0)[s0, warp, s2] -> (warp + s2), "
            "domain: d0 in [0, 3], s0 in [0, 3], warp in [0, 7], s2 in [0, 1]",
            "(d0)[warp, s1] -> (warp + s1), domain: d0 in [0, 3], warp in [0, 7], s1 in [0, 1]",
        ),
        ("UNDEFINED", "UNDEFINED"),
        ("KNOWN EMPTY", "KNOWN EMPTY"),
    ],
)
def test_symbols(before: str, after: str) -> None:
    assert str(remove_unused_symbols(parse_map(before))) == after


def test_dims_too() -> None:
    m = parse_map(
        "(d0, d1, d2) -> (d2), domain: d0 in [0, 3], d1 in [0, 3], d2 in [0, 8], d0 + d1 in [6, 9]"
    )
    assert str(remove_unused_vars(m)) == "(d0) -> (d0), domain: d0 in [0, 8]"
    assert str(remove_unused_symbols(m)) == str(m)


def test_large_numbers_are_proved() -> None:
    text = "(d0)[s0] -> (d0), domain: d0 in [0, 9999], s0 in [0, 99999], d0 + s0 in "
    proved = remove_unused_symbols(parse_map(text + "[9999, 10000]"))
    islpy = pytest.importorskip("islpy")
    assert islpy
    assert str(proved) == "(d0) -> (d0), domain: d0 in [0, 9999]"
    kept = parse_map(text + "[5, 8]")
    assert remove_unused_symbols(kept) == kept
    assert remove_unused_symbols(parse_map(text + "[5, 8], (d0 + s0) mod 10 in [1, 4]")).is_known_empty


def test_large_numbers_stay_without_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "islpy", None)
    m = parse_map(
        "(d0)[s0] -> (d0), domain: d0 in [0, 9999], s0 in [0, 99999], d0 + s0 * 2 in [9999, 10005]"
    )
    assert remove_unused_symbols(m) == m


# --- runtime variables ---


def reading(source: Source | None, bounds: tuple[int, int] = (0, 3)) -> IndexingMap:
    return IndexingMap([dim(0)], [4], [5], [RuntimeVariable("n", Interval(*bounds), source)])


@pytest.mark.parametrize(
    ("source", "goes"),
    [
        (None, True),
        (Source("n", (), Interval(0, 3)), True),
        (Source("n", (), Interval(1, 2)), True),
        (Source("n", (), Interval(0, 4)), False),  # not where 4 is read
        (Source("n"), False),
        (Source(REPLICA), False),
    ],
)
def test_a_number_goes_if_the_map_holds_for_all_that_may_be_read(
    source: Source | None, goes: bool
) -> None:
    assert len(remove_unused_symbols(reading(source)).runtime) == (not goes)


def test_where_a_number_is_read_stays() -> None:
    """The index of a source needs its variables, and those of the numbers that it needs."""
    first = RuntimeVariable("a", Interval(0, 3), Source("a", (rng(0),), Interval(0, 3)))
    second = RuntimeVariable("b", Interval(0, 3), Source("b", (rt(0), rng(1)), Interval(0, 3)))
    unused = RuntimeVariable("c", Interval(0, 3), Source("c", (rng(2),), Interval(0, 3)))
    m = IndexingMap([dim(0) + rt(1)], [4], [2, 3, 4], [first, second, unused])
    after = remove_unused_symbols(m)
    assert [v.name for v in after.runtime] == ["a", "b"]
    assert [v.bounds.size for v in after.ranges] == [2, 3]
    assert after.runtime[1].source == Source("b", (rt(0), rng(1)), Interval(0, 3))
    assert len(remove_unused_symbols(m.with_parts(results=[dim(0)])).variables) == 1


def test_a_replica_needs_its_variables() -> None:
    m = IndexingMap([dim(0)], [4], [2, 3], (), (), rng(1))
    after = remove_unused_symbols(m)
    assert [v.bounds.size for v in after.ranges] == [3]
    assert str(after.replica) == str(rng(0))


def test_a_constraint_that_stays_keeps_what_tells_where_its_number_is_read() -> None:
    """``s0`` could be anything that fits ``d0 + s0``, were it not the index that ``n`` is read at."""
    n = RuntimeVariable("n", Interval(0, 3), Source("n", (rng(0),), Interval(0, 3)))
    m = IndexingMap([dim(0)], [4], [4], [n], {rt(0) + dim(0): (0, 3), dim(0) + rng(0): (0, 3)})
    assert remove_unused_symbols(m) == m
