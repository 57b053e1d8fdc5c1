"""Ranges scaled by their congruences, and variables of another kind: the points stay."""

from __future__ import annotations

import fuzz_maps
import pytest
from cases import over
from fuzz_maps import made_dims, rescaled, rows

from tla import CoordinateError
from tla.indexing import IndexingMap, Interval, Source, parse_map, rng, rt
from tla.indexing.rescale import ranges_to_dims, rescale_symbols, symbols_to_dims


@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_random_maps(count: int) -> None:
    report = fuzz_maps.run(count, 4, {"rescaled": rescaled, "dims": made_dims})
    assert report.is_clean, str(report)


@over("low", [-17, -6, -1, 0, 4])
@over("size", [1, 3, 20])
@over(
    "congruences",
    [
        "s0 mod 6 in [3, 3]",
        "s0 mod 6 in [3, 3], s0 mod 4 in [1, 1]",
        "s0 mod 6 in [3, 3], s0 mod 4 in [2, 2]",
        "s0 mod 2 in [1, 1], s0 mod 3 in [2, 2], s0 mod 5 in [0, 0]",
        "(s0 + 1) mod 4 in [0, 0]",
        "(-s0) mod 5 in [2, 2]",
        "(s0 * 3 + 1) mod 5 in [2, 2]",
        "(s0 * 4 + 1) mod 6 in [5, 5]",
        "s0 mod 3 in [2, 7]",
        "s0 mod 3 in [1, 1], s0 mod 4 in [1, 2], s0 * s0 in [0, 90]",
    ],
)
def test_each_value_that_fits_is_there_once(low: int, size: int, congruences: str) -> None:
    m = parse_map(f"()[s0] -> (s0), domain: s0 in [{low}, {low + size - 1}], {congruences}")
    after = rescale_symbols(m)
    assert rows(after) == rows(m)
    assert after.box >= len(rows(m))
    if not any(text in congruences for text in ("[1, 2]", "* 4")):  # others than plain congruences
        assert after.is_known_empty or after.box == len(rows(m))
        assert not after.constraints


def test_what_depends_on_a_range_follows_it() -> None:
    n = ("n", (0, 3), Source("n", (rng(0) + 1,)))
    m = IndexingMap([rt(0)], [], [10], [n], {rng(0) % 3: (1, 1), rng(0) + rt(0): (0, 8)}, rng(0))
    after = rescale_symbols(m)
    assert after.ranges[0].bounds == Interval(0, 2)
    assert after.replica == rng(0) * 3 + 1
    source = after.runtime[0].source
    assert source is not None
    assert source.indices == (rng(0) * 3 + 2,)
    assert [c.expr for c in after.constraints] == [rng(0) * 3 + rt(0) + 1]


@pytest.mark.parametrize(
    "text",
    [
        "(d0){rt0} -> (d0 + rt0), "
        "domain: d0 in [0, 9], rt0 in [0, 9], rt0 mod 3 in [1, 1], d0 mod 2 in [0, 0]",
        "(d0)[s0, s1] -> (d0), "
        "domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], (s0 + s1) mod 3 in [1, 1]",
        "()[s0] -> (s0), domain: s0 in [0, 9], s0 mod 4 in [1, 2]",
        "UNDEFINED",
        "KNOWN EMPTY",
    ],
)
def test_others_stay_as_they_are(text: str) -> None:
    m = parse_map(text)
    assert rescale_symbols(m) is m


# --- kinds of variables ---


def test_symbols_to_dims_forgets_what_is_read() -> None:
    m = IndexingMap([rng(0) + rt(0)], [2], [3], [("of", (0, 3), Source("of"))], {rng(0) + rt(0): (1, 4)})
    after = symbols_to_dims(m)
    assert str(after) == (
        "(d0, d1, of) -> (d1 + of), domain: d0 in [0, 1], d1 in [0, 2], of in [0, 3], d1 + of in [1, 4]"
    )
    assert symbols_to_dims(after) == after
    for text in ("UNDEFINED", "KNOWN EMPTY"):
        assert str(symbols_to_dims(parse_map(text))) == str(ranges_to_dims(parse_map(text), [])) == text


def test_ranges_to_dims() -> None:
    m = parse_map(
        "(d0)[s0, s1, n] -> (s0, s1, n), domain: d0 in [0, 1], s0 in [0, 2], s1 in [0, 3], n in [0, 4]"
    )
    assert str(ranges_to_dims(m, [2, 0])) == (
        "(d0, d1, n)[s0] -> (d1, s0, n), domain: d0 in [0, 1], d1 in [0, 2], n in [0, 4], s0 in [0, 3]"
    )
    assert ranges_to_dims(m, []) == m
    with pytest.raises(CoordinateError, match="the map has no range number 3"):
        ranges_to_dims(m, [0, 3])


def test_names_stay_apart() -> None:
    m = parse_map(
        "(s0)[d1, d0] -> (s0 + d1 * 2 + d0 * 4), domain: s0 in [0, 1], d1 in [0, 2], d0 in [0, 3]"
    )
    after = symbols_to_dims(m)
    assert len({v.name for v in after.dims}) == 3
    assert [v.bounds.size for v in after.dims] == [2, 3, 4]
    assert parse_map(str(after)) == after
