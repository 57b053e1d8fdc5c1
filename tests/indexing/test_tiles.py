"""What a tile reads: a box that an enumeration confirms, or a point that shows there is none."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from itertools import product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import over, share

from tla.errors import TlaError, UndecidedError
from tla.hlo import read_instruction, read_module
from tla.indexing import IndexingMap, parse_map, propagate_tile, tile, tile_sizes

from .programs import program
from .random_maps import random_maps

if TYPE_CHECKING:
    from collections.abc import Sequence

    Place = tuple[int, ...]
    Images = dict[tuple[Place, Place], set[Place]]


DATA = Path(__file__).parent.parent / "data"


def images(m: IndexingMap, sizes: Sequence[int]) -> Images:
    """What each tile reads, for each value of the runtime variables."""
    out: Images = defaultdict(set)
    for point, results in m.points(1 << 20):
        place = tuple(d // n for d, n in zip(point.dims, sizes, strict=True))
        out[place, point.runtime].add(results)
    return out


def confirm(m: IndexingMap, sizes: Sequence[int]) -> bool:
    """Whether the tiles are boxes; all of them are enumerated."""
    found, true = tile(m, sizes), images(m, sizes)
    if not found.refusal:
        for (place, runtime), elements in true.items():
            assert set(found.elements(place, runtime)) == elements, (str(m), sizes, place)
    elif found.point is not None:
        place, element = found.point
        here = [elements for (at, _runtime), elements in true.items() if at == place]
        assert any((element in each) == found.refusal.endswith(" too") for each in here), (str(m), sizes)
    return not found.refusal


@pytest.mark.parametrize("count", [200, pytest.param(5000, marks=pytest.mark.slow)])
def test_random_maps(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the points are too many to enumerate, so that a few tiles have to show it."""
    random = Random(24)
    boxes = few = 0
    for number, m in enumerate(random_maps(random, share(count), sources=False)):
        sizes = [random.choice([1, 2, 3, 4, 8]) for _ in m.dims]
        try:
            boxes += confirm(m, sizes)
        except UndecidedError:
            assert m.is_undefined or m.box > 1 << 20
        if number % 3:
            continue
        with monkeypatch.context() as limit, suppress(UndecidedError):
            limit.setattr("tla.indexing.images.MOST_POINTS", 32)
            confirm(m, sizes)
            few += m.box > 32
    assert boxes > share(count) // 4
    assert few > share(count) // 30


# --- XLA's own cases --------------------------------------------------------------------------

CASES = [json.loads(line) for line in (DATA / "xla_symbolic_tiles.jsonl").read_text().splitlines()]
"""A map, sizes of a tile, and XLA's offset, size and stride of the first tile; null if it gives up."""

REVERSED = "(d0, d1) -> (-(d0 floordiv 6) + 7, -(d0 mod 6) + 5, d1), domain: d0 in [0, 47], d1 in [0, 3]"
COMBINED = (
    "(d0, d1, d2) -> (d0 * 24 - d1 * 6 - d2 + 23), domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 5]"
)


@over("row", CASES, ids=lambda row: f"{row['name']} {row['sizes']}")
def test_tiles_of_xla(row: dict[str, Any]) -> None:
    """The image of the first tile is XLA's box, where XLA has one; and ours where it has none."""
    m, sizes, xla = parse_map(row["map"]), row["sizes"], row["xla"]
    found = tile(m, sizes)
    assert not found.refusal
    if xla is not None:
        lines = [range(x, x + n * (by or 1), by or 1) for x, n, by in zip(*xla.values(), strict=True)]
        inside = [[i for i in line if i in b] for line, b in zip(lines, found.bounds, strict=True)]
        assert set(found.elements([0] * len(sizes), [0] * len(m.runtime))) == set(product(*inside))
    if m.box <= 100_000:
        confirm(m, sizes)


def test_where_xla_is_wrong() -> None:
    """``SplitReshapeOfReverse`` has no constraint on the tile, and tiles of 4 of 48 rows, 6 a block, are
    no boxes. ``ReverseOfCombiningReshape`` goes down from 23 also where it should go up to 47."""
    assert not confirm(parse_map(REVERSED), [4, 4])
    assert tile(parse_map(REVERSED), [4, 4]).point == ((1, 0), (6, 4, 0))
    assert confirm(parse_map(REVERSED), [3, 4])
    for sizes, size, stride in (([2, 4, 6], 48, 1), ([2, 4, 1], 8, 6), ([1, 4, 6], 24, 1)):
        found = tile(parse_map(COMBINED), sizes)
        assert (found.size, found.stride) == ((size,), (stride,))
        assert confirm(parse_map(COMBINED), sizes)


ROWS = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 7]")

BAD: list[tuple[Any, Any, str]] = [
    (ROWS, [4], "1 sizes are no tile of a map with 2 dims"),
    (ROWS, [4, 0], "a tile has at least 1 element in each dim, not 0"),
]


@pytest.mark.parametrize(("m", "sizes", "said"), BAD)
def test_bad_input(m: IndexingMap, sizes: Any, said: str) -> None:
    with pytest.raises(TlaError) as caught:
        tile(m, sizes)
    assert str(caught.value).splitlines()[0] == said


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_tiles_of_random_computations(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What all tiles need, added up, and whether their boxes are what they need, by the definitions.

    Every other one has too many points to enumerate at once.
    """
    for number in range(share(count)):
        monkeypatch.setattr("tla.indexing.images.MOST_POINTS", 60 if number % 2 else 1 << 20)
        random = Random(number)
        made = program(random, 2 + number % 5)
        entry = read_module(made.text()).entry
        if made.starts:
            continue
        sizes = [random.choice([1, 2, 3]) for _ in made.values[-1].sizes]
        try:
            found = {each.name: each for each in propagate_tile(entry, sizes).inputs}
        except UndecidedError:
            assert number % 2
            continue
        for k, name in enumerate(each.name for each in entry.parameters):
            need: Images = defaultdict(set)
            for result, element in made.truth(made.values[-1], k):
                need[tuple(d // n for d, n in zip(result, sizes, strict=True)), ()].add(element)
            if name not in found:
                assert not need
                continue
            array = found[name]
            assert array.computed == sum(map(len, need.values()))
            assert array.elements == len(set().union(*need.values()))
            if not any(each.refusal for each in array.tiles):
                for (place, _), elements in need.items():
                    boxes = {x for each in array.tiles for x in each.elements(place)}
                    assert boxes >= elements if len(array.tiles) > 1 else boxes == elements


def test_the_least_moves_first() -> None:
    """Every 16th column of 2048: a tile of 128 of them needs all."""
    x = "f32[512,2048]{1,0:T(8,128)} x"
    sums = read_instruction(
        f"s = f32[512,128]{{1,0:T(8,128)}} slice({x}), slice={{[0:512], [0:2048:16]}}"
    )
    best, *others = tile_sizes(sums, 1 << 20)
    assert best.faults == ()
    assert best.tile_bytes <= 1 << 20
    assert all(best.moved_bytes <= each.moved_bytes for each in others)
    with pytest.raises(TlaError, match="no tile of s fits into 100 bytes"):
        tile_sizes(sums, 100)


def test_refusals_without_a_point() -> None:
    assert tile(IndexingMap.undefined("a loop"), [4]).refusal == "what is read is not known: a loop"
    assert tile(parse_map("(d0) -> (d0), domain: d0 in [0, -1]"), [4]).refusal == "the map reads nothing"
