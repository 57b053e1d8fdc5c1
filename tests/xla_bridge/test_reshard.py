"""What a change of sharding moves: each element that a device needs comes from one that has it."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tla.errors import LayoutError, UnsupportedError
from tla.xla_bridge import Iota, Sharding, moved_elements, moves_to, parse_sharding

if TYPE_CHECKING:
    from collections.abc import Sequence


@st.composite
def shardings(draw: st.DrawFn, factors: tuple[int, ...], rank: int) -> Sharding:
    """A sharding of an array of some rank over a mesh with these axes."""
    order = tuple(draw(st.permutations(range(len(factors)))))
    tiles, rest = [1] * rank, 1
    devices = Iota(factors, order)
    cut = draw(st.integers(0, len(factors)))
    ends = sorted(draw(st.integers(0, cut)) for _ in range(rank - 1))
    for dim, (start, stop) in enumerate(zip([0, *ends], [*ends, cut], strict=True)):
        tiles[dim] = prod(factors[d] for d in order[start:stop])
    rest = prod(factors[d] for d in order[cut:])
    groups = ("replicated",) if rest > 1 else ()
    return Sharding("tiled", (*tiles, *([rest] if rest > 1 else [])), groups, devices)


def elements(slices: Sequence[tuple[int, int]]) -> set[tuple[int, ...]]:
    return set(product(*(range(*each) for each in slices)))


@given(st.data())
def test_each_device_receives_what_it_lacks(data: st.DataObject) -> None:
    factors = data.draw(st.sampled_from([(2,), (2, 3), (2, 2, 2), (4, 2)]))
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=2))
    before, after = (data.draw(shardings(factors, len(shape))) for _ in range(2))
    has = {device: elements(before.slices(device, shape)) for device in range(prod(factors))}
    total = 0
    for device, own in has.items():
        received: set[tuple[int, ...]] = set()
        for move in moves_to(device, before, after, shape):
            part = elements(move.slices)
            assert part
            assert not part & (own | received)
            assert len(part) == move.elements
            assert all(part <= has[source] for source in move.sources)
            received |= part
        assert received == elements(after.slices(device, shape)) - own
        total += len(received)
    assert moved_elements(before, after, shape) == total
    assert before.figure().size == prod(before.dims)


def test_one_device_and_all() -> None:
    one, all_of_them = parse_sharding("{maximal device=2}"), parse_sharding("{replicated}")
    halves = parse_sharding("{devices=[2,2]<=[4] last_tile_dim_replicate}")
    assert moves_to(1, halves, one, (10,)) == ()
    assert [move[:2] for move in moves_to(2, halves, one, (10,))] == [((0, 1), 2)]
    assert moves_to(0, one, halves, (10,)) == (((2,), 0, ((0, 5),)),)
    assert [moved_elements(*pair, (10,)) for pair in ((one, halves), (halves, one))] == [15, 5]
    assert [moved_elements(*pair, (10,)) for pair in ((halves, all_of_them), (all_of_them, one))] == [
        20,
        0,
    ]
    assert moved_elements(one, parse_sharding("{maximal device=0}"), (10,)) == 10


def test_the_collectives_of_compiled_programs() -> None:
    """All-gather over both axes, all-to-all over one, and a permutation of devices."""
    rows = parse_sharding("{devices=[4,1]<=[4]}")
    assert moved_elements(rows, parse_sharding("{replicated}"), (64, 384)) == 4 * 3 * 16 * 384
    expert = parse_sharding("{devices=[1,4,1]<=[4]}")
    assert moved_elements(expert, parse_sharding("{devices=[2,2,1]<=[2,2]T(1,0)}"), (4, 256, 128)) == (
        4 * 4 * 64 * 128 // 2
    )
    turned = parse_sharding("{devices=[4,1]<=[2,2]T(1,0)}")
    assert moved_elements(turned, rows, (128, 256)) == 2 * 32 * 256


def test_a_mesh_that_does_not_match() -> None:
    four, two = parse_sharding("{devices=[4]<=[4]}"), parse_sharding("{devices=[2]<=[2]}")
    with pytest.raises(LayoutError, match="has 4 devices, and"):
        moved_elements(four, two, (8,))
    with pytest.raises(LayoutError, match="has 4 devices, and"):
        moves_to(0, four, two, (8,))
    with pytest.raises(UnsupportedError, match="has no tiles to draw"):
        parse_sharding("{replicated}").figure()
