"""Tiled layouts pass a short fuzz, and the fuzz sees planted errors."""

from __future__ import annotations

from collections import Counter
from math import prod
from random import Random

import fuzz_xla
import pytest
from fuzz_xla import LAWS, MANY, Case, random_shape, shrunk

from tla.xla_bridge import COMBINE, XlaShape, physical_dimensions, physical_elements, physical_offset

SEED, COUNT, LONG = 20, 50, 300


@pytest.mark.parametrize("count", [COUNT, pytest.param(LONG, marks=pytest.mark.slow)])
def test_short_fuzz(capsys: pytest.CaptureFixture[str], count: int) -> None:
    report = fuzz_xla.run(count, SEED)
    with capsys.disabled():
        print(f"\n{report.shapes} shapes of the fuzz, seed {SEED}")
    assert report.is_clean, str(report)
    assert report.shapes == count


def test_what_is_drawn() -> None:
    """All ranks, up to four tiles, with and without ``*``, padding, and ten digits."""
    rng = Random(SEED)
    shapes = [random_shape(rng) for _ in range(3000)]
    assert {shape.rank for shape in shapes} == {0, 1, 2, 3, 4, 5}
    assert {len(shape.tiles) for shape in shapes} == {0, 1, 2, 3, 4}
    counts = Counter(
        {
            "star": sum(any(COMBINE in tile for tile in shape.tiles) for shape in shapes),
            "padded": sum(physical_elements(shape) > shape.elements for shape in shapes),
            "empty": sum(not shape.elements for shape in shapes),
            "ten": sum(sum(d > 1 for d in physical_dimensions(shape)) >= 10 for shape in shapes),
        }
    )
    assert min(counts.values()) >= 15, counts
    assert max(physical_elements(shape) for shape in shapes) <= MANY


# --- planted errors ---


def second_tile_forgotten(case: Case) -> str:
    """The law of the offset, of a library that sees the first tile only."""
    shape = case.shape
    seen = XlaShape("f32", shape.dimensions, shape.minor_to_major, shape.tiles[:1])
    got = [physical_offset(seen, index) for index in case.indices]
    return "" if got == case.offsets else "other offsets"


def test_a_planted_error_is_found_and_shrunk() -> None:
    report = fuzz_xla.run(200, SEED, {"first tile": second_tile_forgotten})
    assert not report.is_clean
    assert report.faults["first tile"] >= len(report.found) == fuzz_xla.SHRUNK
    least = report.found[0].shape
    assert len(least.tiles) == 2  # no less would show it
    assert prod(least.dimensions) <= 4
    assert f"first tile: {least}: other offsets" in str(report)


def test_a_crash_is_a_fault() -> None:
    def crash(case: Case) -> str:
        raise ZeroDivisionError(case.shape.rank)

    report = fuzz_xla.run(3, SEED, {"crash": crash})
    assert report.faults["crash"] == 3
    assert report.found[0].note == "ZeroDivisionError: 0"


def test_what_is_shrunk_still_fails() -> None:
    shape = XlaShape("f32", (4, 6, 5), tiles=[(2, 4), (3, 2), (2, 1)])
    least = shrunk(second_tile_forgotten, shape)
    assert fuzz_xla.fault_of(second_tile_forgotten, least)
    assert physical_elements(least) < physical_elements(shape)


# --- the command ---


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz_xla.main(["--count", "5", "--seed", "7", "--only", "offset", "--only", "size"]) == 0
    assert capsys.readouterr().out.startswith("seed 7: 5 shapes, ")
    with pytest.raises(SystemExit):
        fuzz_xla.main(["--only", "nothing"])
    assert "no law is called nothing; there are " + ", ".join(LAWS) in capsys.readouterr().err


def test_the_command_fails_with_the_law(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LAWS, "first tile", second_tile_forgotten)
    assert fuzz_xla.main(["--count", "60", "--seed", "7", "--only", "first tile"]) == 1
    assert "first tile: f32[" in capsys.readouterr().out
