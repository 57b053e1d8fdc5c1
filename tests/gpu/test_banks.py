"""Bank conflicts: the rows of the oracle, brute force, and what cannot be one access."""

from itertools import product
from random import Random
from typing import Any

import pytest
from cases import over
from oracle import cute_layout, rows

from tla import (
    ComposedLayout,
    CoordinateError,
    Layout,
    LayoutError,
    LimitError,
    Swizzle,
    UndecidedError,
    sym,
)
from tla.gpu import Access, bank_conflicts, best_swizzle, memory_lines


@over("row", rows("cute_linear.jsonl", "bank_conflicts"))
def test_rows_of_the_oracle(row: Any) -> None:
    given, wanted = row["inputs"], row["result"]
    found = bank_conflicts(
        cute_layout(given["A"]), given["access"],
        element_bits=given["elem_bits"], vector=8 * given["bytes"] // given["elem_bits"],
    )  # fmt: skip
    assert [phase.ways for phase in found.phases] == wanted["phase_ways"]
    assert (found.ways, found.wavefronts) == (wanted["max_ways"], wanted["wavefronts"])
    assert (found.ideal, found.extra) == (wanted["ideal"], wanted["extra"])


def naive(addresses: list[int], width: int, banks: int, bank_bytes: int) -> list[int]:
    """The ways of each phase of one warp, by every byte."""
    lanes = banks * bank_bytes // max(width, bank_bytes)
    ways = []
    for first in range(0, len(addresses), lanes):
        words = {(a + k) // bank_bytes for a in addresses[first : first + lanes] for k in range(width)}
        ways.append(max(sum(word % banks == bank for word in words) for bank in range(banks)))
    return ways


def random_case(rng: Random) -> tuple[Any, list[int], int, int]:
    """A layout, an index for each lane, the bytes of an element, the values of an instruction."""
    rows, columns = rng.choice([8, 16, 32]), rng.choice([32, 64, 128])
    layout: Any = Layout((rows, columns), (columns + rng.choice([0, 0, 0, 16]), 1))
    if rng.random() < 0.5:
        bits = rng.randint(1, 3)
        layout = ComposedLayout(Swizzle(bits, rng.randint(4, 5), rng.randint(bits, 5)), 0, layout)
    element, vector = rng.choice(
        [(4, 1), (4, 2), (4, 4), (2, 1), (2, 2), (2, 8), (1, 4), (1, 16), (8, 1)]
    )
    places, first = rows * columns // vector, rng.randrange(columns // vector)
    at = [rng.randrange(places) if rng.random() < 0.9 else first for _ in range(32)]
    if rng.random() < 0.3:  # down a column
        at = [lane % rows * (columns // vector) + first for lane in range(32)]
    return layout, [vector * i for i in at], element, vector


@pytest.mark.parametrize("draws", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_accesses_against_every_byte(draws: int) -> None:
    """All 20,000: ``pytest -m slow tests/gpu/test_banks.py``."""
    rng, seen = Random(draws), set()
    for _ in range(draws):
        layout, places, element, vector = random_case(rng)
        # a vector lies along a row, whose indices are as many apart as there are rows
        rows = layout.shape[0]
        columns = layout.shape[1]
        taken = [(i // columns) + rows * (i % columns) for i in places]
        found = bank_conflicts(layout, taken, element_bits=8 * element, vector=vector)
        addresses = [element * int(layout(i)) for i in taken]
        assert [phase.ways for phase in found.phases] == naive(addresses, element * vector, 32, 4)
        for phase in found.phases:
            assert len(phase.witness) == phase.ways
            assert all(address == addresses[thread] for thread, address in phase.witness)
        seen.add(found.ways)
    assert len(seen) > 5


def test_a_layout_of_threads_by_values_is_several_instructions() -> None:
    tile = Layout((16, 64), (64, 1))
    tv = Layout((32, 8), (16, 512))  # thread t takes column t of row 0, then column 32 + t, ...
    found = bank_conflicts(tile, Layout((32, 2), (16, 512)), element_bits=32)
    assert [phase.instruction for phase in found.phases] == [0, 1]
    with pytest.raises(CoordinateError):
        bank_conflicts(tile, tv, element_bits=32)


def test_a_lane_that_waits_for_itself_is_named_once() -> None:
    found = bank_conflicts(Layout(8), Layout(8), element_bits=4096)
    assert str(found).split("\n")[1] == "  lane 0 reaches 4 words of bank 0, at byte 0"


def test_threads_of_several_warps() -> None:
    found = bank_conflicts(Layout((64, 32), (32, 1)), list(range(64)), element_bits=32)
    assert [(phase.threads, phase.ways) for phase in found.phases] == [
        (range(32), 32),
        (range(32, 64), 32),
    ]


def test_a_vector_lies_together_and_is_aligned() -> None:
    tile = Layout((8, 64), (64, 1))
    with pytest.raises(
        LayoutError, match="thread 0 does not find its 4 values next to each other"
    ) as error:
        bank_conflicts(tile, Layout((8, 4), (8, 1)), element_bits=32, vector=4)
    assert (error.value.thread, error.value.value) == (0, 1)
    with pytest.raises(LayoutError, match="thread 1 reaches 128 bits at bit 32"):
        bank_conflicts(tile, [0, 8], element_bits=32, vector=4)
    with pytest.raises(LayoutError, match="a thread takes 3 values, which vectors of 2 do not divide"):
        bank_conflicts(tile, Layout((8, 3), (1, 8)), element_bits=32, vector=2)
    with pytest.raises(UndecidedError):
        bank_conflicts(Layout((8, sym("N")), (sym("N"), 1)), [0, 1], element_bits=32)


def test_the_best_swizzle_is_as_good_as_any() -> None:
    rng = Random(8)
    for _ in range(4):
        tile = Layout((8, 32), (32, 1))
        reads = [[rng.randrange(256) for _ in range(32)] for _ in range(2)]
        best = best_swizzle(tile, reads, element_bits=32)
        swizzles = [
            Swizzle(b, m, s)
            for b, m, s in product(range(5), range(8), range(-8, 9))
            if abs(s) >= b and b + m + abs(s) <= 8
        ]
        every = [
            sum(
                bank_conflicts(ComposedLayout(x, 0, tile), read, element_bits=32).wavefronts
                for read in reads
            )
            for x in swizzles
        ]
        assert best.wavefronts == min(every)
        assert best.before == every[0]
    # indices of vectors: a swizzle that tears one apart is no answer
    firsts = [4 * i for i in range(8)]  # a vector of 4 down each column of a column major tile
    cured = best_swizzle(
        Layout((4, 64), (1, 4)), [Access(firsts, 4), [0, 64, 128, 192]], element_bits=32
    )
    for first in firsts:
        found = [int(cured.layout(first + k)) for k in range(4)]
        assert found == list(range(found[0], found[0] + 4))
    # a tile whose memory ends inside the last row keeps its memory
    odd = Layout((3, 32), (32, 1))
    assert max(best_swizzle(odd, [[0, 1, 2]], element_bits=32).layout(i) for i in range(96)) < 96


def test_lines_of_global_memory() -> None:
    rng = Random(3)
    for _ in range(100):
        layout, places, element, vector = random_case(rng)
        taken = [i // layout.shape[1] + layout.shape[0] * (i % layout.shape[1]) for i in places]
        addresses = [element * int(layout(i)) for i in taken]
        lines = {(a + k) // 128 for a in addresses for k in range(element * vector)}
        assert memory_lines(layout, Access(taken, vector), element_bits=8 * element) == (len(lines),)


@over(
    "given", [{"element_bits": 0}, {"vector": -1}, {"banks": 0}, {"bank_bytes": -4}, {"line_bytes": 0}]
)
def test_numbers_are_positive(given: dict[str, int]) -> None:
    ((name, n),) = given.items()
    call: Any = memory_lines if name == "line_bytes" else bank_conflicts
    with pytest.raises(LayoutError, match=rf"^{name} is {n}: it must be at least 1"):
        call(Layout(64), [0, 1], **{"element_bits": 32, **given})


def test_an_access_has_a_limit() -> None:
    for tv in (range(10**30), Layout((32, 10**30))):
        with pytest.raises(LimitError, match="coordinates"):
            bank_conflicts(Layout(64), tv, element_bits=32)
    for given in ({"vector": 10**9}, {"element_bits": 10**9}):
        with pytest.raises(LimitError, match="bits at once"):
            memory_lines(Layout(64), [0], **{"element_bits": 32, **given})
    with pytest.raises(LimitError, match="coordinates"):
        best_swizzle(Layout((10**9, 2)), [[0]], element_bits=32)
