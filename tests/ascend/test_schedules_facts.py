"""Balance, bytes and L2 of schedules, against counting them block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cases import share
from fuzz_schedules import SCHEDULERS, random_problem
from hypothesis import given, settings, strategies as st

from tla import LayoutError, UnsupportedError
from tla.ascend import decisions, element, schedules
from tla.ascend.schedules import facts
from tla.ascend.schedules.facts import l2_reuse, tally

if TYPE_CHECKING:
    from random import Random

    from tla.ascend.schedules import Schedule

MIB = 1 << 20


@st.composite
def any_schedule(draw: st.DrawFn) -> Schedule:
    rng: Random = draw(st.randoms(use_true_random=False))
    name = draw(st.sampled_from(sorted(SCHEDULERS)))
    return SCHEDULERS[name](random_problem(rng))


def any_product() -> st.SearchStrategy[Schedule]:
    return any_schedule().filter(lambda schedule: schedule.IS_PRODUCT)


@given(any_schedule())
def test_all_work_is_on_some_core(schedule: Schedule) -> None:
    balance = schedule.balance()
    assert sum(balance.work) == schedule.proof().points
    assert sum(balance.tasks) == len(schedule)
    for core in range(schedule.cores):
        tasks = schedule.of_core(core)
        assert (balance.work[core], balance.tasks[core]) == (sum(t.macs for t in tasks), len(tasks))
    assert balance.rounds == max(t.round for t in schedule.tasks) + 1
    assert balance.idle == sum(work == 0 for work in balance.work)
    assert 0 < balance.efficiency <= 1
    assert balance.most == max(balance.work) >= balance.mean


@given(any_product())
def test_bytes_are_those_of_the_blocks(schedule: Schedule) -> None:
    traffic = schedule.traffic("half", "half", "float")
    a = b = 0
    for core in range(schedule.cores):
        before: tuple[int, ...] = (-1, -1, -1)
        for t in schedule.of_core(core):
            m, n, k = at = (t.coord.m, t.coord.n, t.start.k)
            kept = schedule.STAYS if before[2] == k else ""
            a += 2 * t.shape.m * t.shape.k * (not ("A" in kept and before[0] == m))
            b += 2 * t.shape.n * t.shape.k * (not ("B" in kept and before[1] == n))
            before = at
    assert (traffic.a, traffic.b) == (a, b)
    c = 4 * sum(m * n for m, n, _ in schedule.products)
    assert traffic.workspace_written == sum(
        4 * t.shape.m * t.shape.n for t in schedule.tasks if t.partial
    )
    assert traffic.workspace_read == traffic.workspace_written
    if not any(t.adds for t in schedule.tasks):
        assert traffic.c == c  # each element of C is written once
    else:
        assert traffic.c == c * schedule.loops.k
    assert traffic.total == traffic.read + traffic.written


@given(any_product(), st.integers(1, 1 << 22))
def test_l2_is_between_its_bounds(schedule: Schedule, capacity: int) -> None:
    reuse = schedule.l2_reuse("half", None, capacity)
    traffic = schedule.traffic("half")
    assert reuse.read == traffic.a + traffic.b
    assert reuse.once <= reuse.from_gm <= reuse.per_round <= reuse.read
    assert reuse.from_l2 == reuse.read - reuse.from_gm
    assert 0 <= reuse.hits < 1
    least, all_of_it = (schedule.l2_reuse("half", None, x).from_gm for x in (1, 1 << 50))
    assert all_of_it == reuse.once
    assert reuse.from_gm <= least <= reuse.per_round


@settings(max_examples=50)
@given(any_product())
def test_more_l2_is_never_worse(schedule: Schedule) -> None:
    found = [schedule.l2_reuse("half", None, 1 << power).from_gm for power in range(6, 26, 3)]
    assert found == sorted(found, reverse=True)


@settings(max_examples=share(60))
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 12), st.integers(1, 5), st.integers(1, 60))
def test_l2_by_its_definition(m: int, n: int, cores: int, offset: int, panels: int) -> None:
    """Panels of one size, a list of them by age: the oldest go at the end of each turn."""
    schedule = schedules.identity((16 * m, 16 * n, 64), (16, 16, 64), offset, cores=cores)
    size = 16 * 64 * 2
    resident: list[tuple[str, int]] = []
    misses = 0
    for turn in range(-(-m * n // cores)):
        blocks = [schedule[i] for i in range(turn * cores, min((turn + 1) * cores, m * n))]
        wanted = dict.fromkeys(panel for (i, j, _), _ in blocks for panel in (("A", i), ("B", j)))
        misses += len([panel for panel in wanted if panel not in resident])
        resident = [panel for panel in resident if panel not in wanted] + list(wanted)
        resident = resident[-panels:] if len(resident) > panels else resident
    assert schedule.l2_reuse("half", None, panels * size).from_gm == misses * size


def test_bands_of_three_read_less_than_rows() -> None:
    """<3,0> reads 3 panels of A and 8 of B in a turn of 24 cores, <1,0> 2 of A and 16 of B."""
    size = (4096, 4096, 4096), (128, 256, 256)
    banded, rows = (schedules.identity(*size, offset, 0) for offset in (3, 1))
    first = schedules.identity((3 * 128, 8 * 256, 4096), (128, 256, 256), 3, 0)
    assert first.balance().rounds == 1
    assert first.l2_reuse("half").per_round == (3 * 128 + 8 * 256) * 4096 * 2
    assert banded.l2_reuse("half").per_round == 416 * MIB
    assert rows.l2_reuse("half").per_round == 731 * MIB
    assert banded.l2_reuse("half").from_gm == rows.l2_reuse("half").from_gm == 64 * MIB
    small = 16 * MIB
    assert banded.l2_reuse("half", None, small).from_gm < rows.l2_reuse("half", None, small).from_gm


def test_a_grouped_product_reads_a_matrix_b_for_each_group() -> None:
    schedule = schedules.grouped_aswt((600, 256, 512), (128, 256, 512), (200, 0, 400))
    assert schedule.l2_reuse("half").once == 2 * (600 * 512 + 2 * 256 * 512)


def test_slices_of_k_read_each_row_of_b_once_and_write_a_c_each() -> None:
    schedule = schedules.in_groups([(256, 256, 96), (256, 256, 160)], (128, 256, 64), axis="k")
    assert schedule.l2_reuse("half").once == 2 * (256 + 256) * (96 + 160)
    assert schedule.traffic("half").c == 2 * 2 * 256 * 256


def test_known_balance() -> None:
    """A case of 11_matmul_optimization.md, 40.6 us with <3,1>, 35.3 us with <4,1>: the busiest cores."""
    size = (160, 6144, 2048), (128, 256, 256)
    three, four = (schedules.identity(*size, offset, 1, cores=20).balance() for offset in (3, 4))
    row = 256 * 2048
    assert (three.most, four.most) == (row * (128 + 128 + 32), row * (128 + 128))
    busiest = [[i for i, work in enumerate(b.work) if work == b.most] for b in (three, four)]
    assert busiest == [[1, 2, 5, 6], [12, 13, 14, 15]]


def test_what_stays_in_l1_is_not_read_again() -> None:
    """One core and one tile of K: a new panel of A or of B for each block, and of both for the first."""
    schedule = schedules.single_core_splitk((512, 512, 64), (128, 128, 64), 2, cores=1)
    traffic = schedule.traffic("half")
    panels = (traffic.a + traffic.b) // (128 * 64 * 2)
    assert panels == 2 + 15
    full = schedules.l1_full_load((512, 2048, 64), (128, 128, 64), cores=4).traffic("half")
    assert full.a == 512 * 64 * 2  # each core has one row of tiles
    assert full.b == 4 * 2048 * 64 * 2


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_bytes_are_those_of_the_formula(m: int, n: int, k: int) -> None:
    """MNK (1/m1 + 1/n1) elements, of CATLASS's 04_matmul_summary.md."""
    size, tile = (128 * m, 256 * n, 64 * k), (128, 256, 64)
    traffic = schedules.identity(size, tile, 3).traffic("half")
    assert traffic.read == decisions.data_read(size, tile)
    assert traffic.written == decisions.data_written(size, tile)
    slices = schedules.splitk(size, tile, splitk=k).traffic("half")
    if k > 1:
        assert slices.workspace_written == decisions.data_written(
            size, tile, "float", "splitk", factor=k
        )


def test_known_bytes_of_single_core_splitk() -> None:
    """Every tile of K is added to C, in accumulators; another type of C takes a last step."""
    schedule = schedules.single_core_splitk((256, 256, 1024), (128, 128, 256), cores=4)
    direct = schedule.traffic("half", "half", "float")
    assert (direct.c, direct.workspace_written) == (4 * 65536 * 4, 0)
    cast = schedule.traffic("half", "half", "half")
    assert (cast.c, cast.workspace_written, cast.workspace_read) == (2 * 65536, 4 * 65536 * 4, 4 * 65536)


def test_four_bits_are_packed() -> None:
    traffic = schedules.identity((128, 128, 64), (128, 128, 64)).traffic("int4b_t", "int4b_t", "int32_t")
    assert (traffic.a, traffic.c) == (128 * 64 // 2, 4 * 128 * 128)


@given(any_product())
def test_one_walk_gives_what_two_give(schedule: Schedule) -> None:
    balance, moved = tally(schedule)
    types = element("half"), element("half"), element("float")
    assert balance == schedule.balance()
    assert moved.traffic(*types) == schedule.traffic(*types)


@pytest.mark.slow
def test_progress_is_told_in_every_walk() -> None:
    schedule = schedules.splitk((256, 256, 2), (1, 1, 1), splitk=2)
    ends = list(range(8192, 131073, 8192))
    seen: list[int] = []
    tally(schedule, seen.append)
    assert seen == ends
    seen = []
    schedule.l2_reuse("half", progress=seen.append)  # once for the cuts of K, once by turns
    assert [n // 8192 * 8192 for n in seen] == ends * 2


def test_cores_that_are_done_are_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn costs what its tasks cost, however many cores there are."""
    schedule = schedules.single_core_splitk((1, 1, 1000), (1, 1, 1), cores=6000)
    looks = 0
    after = next

    def counted(*arguments: Any) -> Any:
        nonlocal looks
        looks += 1
        return after(*arguments)

    monkeypatch.setattr(facts, "next", counted, raising=False)
    assert schedule.l2_reuse("half").read == 4 * 1000
    assert looks == 6000 + 1000


def test_bad_input() -> None:
    schedule = schedules.identity((128, 128, 64), (128, 128, 64))
    with pytest.raises(LayoutError, match="capacity = 0"):
        schedule.l2_reuse("half", None, 0)
    with pytest.raises(TypeError, match="capacity"):
        l2_reuse(schedule, "half")  # type: ignore[call-arg]  # ty: ignore[missing-argument]
    with pytest.raises(UnsupportedError, match="no cube core multiplies"):
        schedule.traffic("half", "int8_t")
    with pytest.raises(UnsupportedError, match="is not an element type"):
        schedule.traffic("hlaf")
    image = schedules.convolution(batch=1, ho=8, wo=8, cout=16, tile=(8, 8, 16))
    for count in (image.traffic, image.l2_reuse):
        with pytest.raises(LayoutError, match="the bytes of Conv2dIdentityBlockSwizzle<3,0> are not"):
            count("half")
