"""Schedules: every recorded row of CATLASS's schedulers, and the laws of all of them."""

from __future__ import annotations

import pickle
from itertools import pairwise
from random import Random
from typing import Any

import fuzz_schedules
import pytest
from differences import CATLASS
from fuzz_schedules import SCHEDULERS
from hypothesis import given, strategies as st
from oracle import rows

from tla import CoordinateError, LayoutError, LimitError, ParseError
from tla.ascend import schedules
from tla.ascend.schedules import Block, Schedule, Task
from tla.ascend.schedules.order import bands_of, owner, share
from tla.ascend.shapes import GemmCoord
from tla.ground.limits import limit_of, limits

FILE = "catlass_tla.jsonl"


def catlass(op: str) -> pytest.MarkDecorator:
    """The rows of an operation, as parameters."""
    found = rows(FILE, op)
    return pytest.mark.parametrize("row", found, ids=[f"{op} {i}" for i in range(len(found))])


def made(row: dict[str, Any], name: str, **more: Any) -> Schedule:
    """The schedule that a row is of."""
    banded = (row["offset"], row["direction"]) if "offset" in row else ()
    cores = {"cores": row["core_num"]} if "core_num" in row else {}
    make: Any = getattr(schedules, name)
    schedule = make(row["problem"], row["tile"], *banded, **cores, **more)
    assert isinstance(schedule, Schedule)
    return schedule


def blocks(found: list[Any]) -> list[Block]:
    return [Block(GemmCoord(*coord), GemmCoord(*shape)) for coord, shape, *_ in found]


def same_blocks(schedule: Schedule, row: dict[str, Any]) -> None:
    want = blocks(row["blocks"])
    assert [schedule[i] for i in range(len(want))] == want
    assert len(schedule) == row["core_loops"]


# --- the recorded rows ---


@catlass("swizzle_identity")
def test_identity(row: dict[str, Any]) -> None:
    same_blocks(made(row, "identity"), row)


@catlass("swizzle_dynamic_identity")
def test_dynamic_identity(row: dict[str, Any]) -> None:
    schedule = made(row, "identity")
    assert [list(block.coord) for block in schedule][: len(row["coords"])] == row["coords"]
    assert len(schedule) == row["core_loops"]


@catlass("swizzle_splitk")
def test_splitk(row: dict[str, Any]) -> None:
    problem, tile = (f"({','.join(map(str, row[name]))})" for name in ("problem", "tile"))
    case = f"{problem} by {tile} in {row['splitk']}"
    ours = {d.case: d.ours for d in CATLASS if d.op == "swizzle_splitk"}.get(case)
    schedule = made(row, "splitk", splitk=row["splitk"])
    if ours is not None:
        # CATLASS's first slice reads behind the end of K, and its second begins there
        assert any(shape[2] > row["problem"][2] for _, shape, _ in row["blocks"])
        assert str([block.shape.k for block in schedule]) == ours
        schedule.proof()
        return
    same_blocks(schedule, row)
    assert [task.slice for task in schedule.tasks[: len(row["blocks"])]] == [b[2] for b in row["blocks"]]
    assert schedule.empty == sum(task.macs == 0 for task in schedule.tasks)


def test_one_recorded_row_of_splitk_wraps() -> None:
    assert len([d for d in CATLASS if d.op == "swizzle_splitk"]) == 1
    assert sum(b[1][2] >= 2**31 for row in rows(FILE, "swizzle_splitk") for b in row["blocks"]) == 1


@catlass("swizzle_tail_splitk")
def test_tail_splitk(row: dict[str, Any]) -> None:
    schedule = made(row, "tail_splitk")
    same_blocks(schedule, row)
    first = schedule.tasks[: len(row["blocks"])]
    assert [int(task.partial) for task in first] == [b[2] for b in row["blocks"]]
    assert schedule.factor == row["splitk"]
    whole = [task for task in schedule.tasks if not task.partial]
    assert len(whole) == row["normal_blocks"]
    assert schedule.blocks == row["normal_blocks"] + row["tail_blocks"]


@catlass("swizzle_streamk")
def test_streamk(row: dict[str, Any]) -> None:
    """A block that crosses into the next is two tasks here, of one core in one turn."""
    schedule = made(row, "streamk")
    want: list[tuple[Any, ...]] = []
    for number, block in enumerate(row["blocks"]):
        core = number % row["core_num"]
        want.append((core, block["sk"], block["coord"], block["shape"]))
        if block["cross"]:
            want.append((core, 1, block["coord2"], block["shape2"]))
    found = [
        (task.core, int(task.partial), list(task.coord), list(task.shape))
        for task in schedule.tasks[: len(want)]
    ]
    assert found == want
    turns = {(task.core, task.round) for task in schedule.tasks}
    assert len(turns) == row["core_loops"]
    assert sum(not task.partial for task in schedule.tasks) == row["normal_blocks"]
    shared = {task.coord[:2] for task in schedule.tasks if task.partial}
    assert len(shared) == row["streamk_blocks"]
    assert schedule.blocks == row["normal_blocks"] + row["streamk_blocks"]


@catlass("swizzle_single_core_splitk")
def test_single_core_splitk(row: dict[str, Any]) -> None:
    schedule = made(row, "single_core_splitk")
    tasks = schedule.of_core(row["core"])
    before = [task for core in range(row["core"]) for task in schedule.of_core(core)]
    assert sum(task.slice == 0 for task in before) == row["mn_start"]
    want = row["blocks"]
    assert [task.block for task in tasks[: len(want)]] == blocks(want)
    assert [int(task.adds) for task in tasks[: len(want)]] == [b[2] for b in want]
    assert len(tasks) == row["loops"]
    first = sum(task.slice == 0 for task in tasks)
    assert first == row["mn_len"]


@catlass("swizzle_l1_full_load")
def test_l1_full_load(row: dict[str, Any]) -> None:
    schedule = made(row, "l1_full_load")
    assert [list(block.coord) for block in schedule][: len(row["coords"])] == row["coords"]
    assert len(schedule) == row["core_loops"]


@catlass("swizzle_column")
def test_column(row: dict[str, Any]) -> None:
    tasks = made(row, "column").of_core(row["core"])
    want = row["blocks"]
    assert [task.block for task in tasks[: len(want)]] == blocks(want)
    assert len(tasks) == row["loops"]
    n = row["tile"][1]
    assert {task.start.n - task.coord.n * n for task in tasks} == {row["tail_offset"]}
    # in the tail a core has columns of its own, fewer than a tile's; all that is recorded is in it
    assert [int(task.shape.n < n) for task in tasks[: len(want)]] == [b[2] for b in want]


@catlass("scheduler_aswt")
def test_aswt(row: dict[str, Any]) -> None:
    schedule = made(row, "aswt")
    for core, turns in enumerate(row["per_core_rounds"]):
        tasks = schedule.of_core(core)
        found = [[list(task.start), list(task.shape)] for task in tasks]
        # a piece past the edge of its tile is empty there, and not in the list here
        assert found == [[start, shape] for start, shape in turns if shape[0] and shape[1]]


# --- laws ---


@pytest.mark.parametrize("name", SCHEDULERS)
def test_short_fuzz(name: str) -> None:
    tasks, faults = fuzz_schedules.run(300, 1, name)
    assert not faults, faults[0]
    assert tasks > 1000


def test_the_fuzz_sees_a_lost_task(monkeypatch: pytest.MonkeyPatch) -> None:
    class Short(Schedule):
        __slots__ = ("inner",)

        def __init__(self, inner: Schedule) -> None:
            super().__init__(inner.problem, inner.tile, inner.cores, inner.swizzle)
            self.inner = inner

        @property
        def count(self) -> int:
            return self.inner.count - 1

        def task(self, number: int) -> Task:
            return self.inner.task(number)

    identity = SCHEDULERS["identity"]
    monkeypatch.setitem(SCHEDULERS, "identity", lambda problem: Short(identity(problem)))
    _, faults = fuzz_schedules.run(5, 1, "identity")
    assert len(faults) == 5
    assert "no task computes the element" in faults[0]


@given(st.integers(0, 300), st.integers(1, 40))
def test_shares_are_even_and_whole(total: int, parts: int) -> None:
    ranges = [share(total, parts, i) for i in range(parts)]
    assert [x for begin, end in ranges for x in range(begin, end)] == list(range(total))
    sizes = [end - begin for begin, end in ranges]
    assert max(sizes) - min(sizes) <= 1
    assert sizes == sorted(sizes, reverse=True)
    assert [owner(total, parts, x) for x in range(total)] == [
        i for i, (begin, end) in enumerate(ranges) for _ in range(begin, end)
    ]


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 14), st.booleans(), st.booleans())
def test_a_walk_visits_every_place_once(
    rows: int, columns: int, height: int, zigzag: bool, forth: bool
) -> None:
    bands = bands_of(rows, columns, height)._replace(zigzag=zigzag, forth=forth)
    seen = [bands.at(i) for i in range(rows * columns)]
    assert sorted(seen) == [(m, n) for m in range(rows) for n in range(columns)]
    assert [m // height for m, _ in seen] == sorted(m // height for m, _ in seen)


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 12), st.integers(0, 1))
def test_a_zigzag_takes_a_step_to_a_neighbour_within_a_band(
    m: int, n: int, offset: int, direction: int
) -> None:
    """Single-core split-K shares a panel with the block before, but from band to band."""
    tasks = schedules.single_core_splitk((m, n, 1), (1, 1, 1), offset, direction, cores=1).tasks
    steps = [abs(a.coord.m - b.coord.m) + abs(a.coord.n - b.coord.n) for a, b in pairwise(tasks)]
    bands = max(1, -(-(m if direction == 0 else n) // offset))
    assert sum(step > 1 for step in steps) <= bands - 1


@given(st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 30), st.integers(1, 9))
def test_both_directions_are_one_law(m: int, n: int, cores: int, offset: int) -> None:
    """Direction 1 of M x N is direction 0 of N x M, with M and N exchanged."""
    one = schedules.identity((m, n, 7), (100, 130, 7), offset, 1, cores=cores)
    other = schedules.identity((n, m, 7), (130, 100, 7), offset, 0, cores=cores)
    assert [(t.coord.m, t.coord.n, t.core, t.round) for t in one.tasks] == [
        (t.coord.n, t.coord.m, t.core, t.round) for t in other.tasks
    ]


def test_pieces_run_before_the_last_whole_block() -> None:
    """So their sums are added up while it is computed."""
    for name in ("tail_splitk", "streamk"):
        schedule = getattr(schedules, name)((128 * 10, 256, 1024), (128, 256, 128), cores=4)
        assert [task.partial for task in schedule.of_core(0)] == [False, True, False]
        assert [task.round for task in schedule.of_core(0)] == [0, 1, 2]


def test_a_group_of_no_rows_is_passed_over() -> None:
    with_empty = schedules.grouped_aswt((640, 512, 64), (128, 256, 64), (300, 0, 340), cores=24)
    without = schedules.grouped_aswt((640, 512, 64), (128, 256, 64), (300, 340), cores=24)
    assert [(t.core, t.start, t.shape) for t in with_empty.tasks] == [
        (t.core, t.start, t.shape) for t in without.tasks
    ]
    assert {t.group for t in with_empty.tasks} == {0, 2}
    assert with_empty.groups == 2


def test_a_last_group_of_no_rows_is_not_cut() -> None:
    """The last group alone is cut; if it is empty, none is."""
    cut = schedules.grouped_aswt((100, 256, 64), (128, 256, 64), (100,), cores=24)
    whole = schedules.grouped_aswt((100, 256, 64), (128, 256, 64), (100, 0), cores=24)
    assert len(cut) > len(whole) == 1


def test_one_group_is_what_no_groups_are() -> None:
    one, none = (
        schedules.grouped_aswt((900, 700, 64), (128, 256, 64), groups, cores=20)
        for groups in ((900,), ())
    )
    assert list(one.tasks) == list(none.tasks)


def test_no_part_is_narrower_than_a_line_of_memory() -> None:
    for trans_a, trans_b in ((False, False), (True, True), (True, False)):
        schedule = schedules.grouped_aswt(
            (256, 256, 64), (256, 256, 64), cores=24, trans_a=trans_a, trans_b=trans_b
        )
        assert {t.shape.m % 128 for t in schedule.tasks} == {0} or not trans_a
        assert {t.shape.n % 128 for t in schedule.tasks} == {0} or trans_b


# --- a schedule as a sequence ---


def test_nothing_is_made_before_it_is_asked_for() -> None:
    schedule = schedules.identity((1 << 30, 1 << 30, 1 << 30), (128, 256, 256), 3, 1)
    assert len(schedule) == (1 << 23) * (1 << 22)
    last = schedule[len(schedule) - 1]
    assert last == schedule[-1]
    assert next(iter(schedule)) == schedule[0]


def test_tasks_are_a_sequence() -> None:
    schedule = schedules.splitk((300, 300, 300), (128, 128, 128), splitk=2, cores=4)
    tasks = schedule.tasks
    assert [task.number for task in tasks] == list(range(len(tasks))) == list(range(18))
    assert [task.number for task in tasks[-2:]] == [16, 17]
    assert tasks[17] == tasks[-1]
    assert [task.block for task in tasks] == list(schedule)
    for number in (18, -19):
        with pytest.raises(CoordinateError, match="there are 18"):
            schedule[number]
    for core in (4, -1):
        with pytest.raises(CoordinateError, match=f"no core {core}: there are 4"):
            schedule.of_core(core)
    for bad in ("1", True, 1.0, None):
        with pytest.raises(TypeError, match=f"^core is an int, not {type(bad).__name__}"):
            schedule.of_core(bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        with pytest.raises(TypeError, match=r"^the number of a task is an int"):
            schedule[bad]  # type: ignore[index]  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.parametrize(
    "part", [slice(1, 3), slice(None), slice(-2, None), slice(None, None, -1), slice(5, 1, -2)]
)
def test_a_slice_is_that_of_the_list(name: str, part: slice) -> None:
    schedule = SCHEDULERS[name](fuzz_schedules.random_problem(Random(7)))
    assert schedule[part] == list(schedule)[part]
    assert schedule.tasks[part] == list(schedule.tasks)[part]


# --- more tasks than can be gone through ---

ENDLESS: dict[str, Schedule] = {
    "identity": schedules.identity((10**10,) * 3, (1, 1, 1), 3),
    "splitk": schedules.splitk((10**3,) * 3, (1, 1, 1), splitk=10**20),
    "tail_splitk": schedules.tail_splitk((10**10,) * 3, (1, 1, 1), 3),
    "streamk": schedules.streamk((10**10,) * 3, (1, 1, 1), 3),
    "single_core_splitk": schedules.single_core_splitk((10**10,) * 3, (1, 1, 1), 3),
    "l1_full_load": schedules.l1_full_load((10**10,) * 3, (1, 1, 1), 3),
    "column": schedules.column((10**10,) * 3, (1, 1, 1)),
    "iterate_k": schedules.iterate_k((10**10,) * 3, (1, 1, 1)),
    "aswt": schedules.aswt((10**10,) * 3, (1, 1, 1)),
    "grouped_aswt": schedules.grouped_aswt((10**10,) * 3, (1, 1, 1), (10**9, 9 * 10**9)),
    "rows": schedules.rows(m=10**32, n=1, tile=1),
    "convolution": schedules.convolution(batch=10**10, ho=10**10, wo=10**10, cout=10, tile=(1, 1, 1)),
    "heads": schedules.heads(
        batch=10**10, groups=10, size=10, rows=10**10, columns=10**10, tile=(1, 1, 1)
    ),
    "in_groups": schedules.in_groups([(10**10,) * 3, (10**9,) * 3], (1, 1, 1)),
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_more_tasks_than_63_bits_hold(name: str) -> None:
    """Each task is found all the same; what must see every one says that it will not."""
    schedule = ENDLESS[name]
    assert schedule.count > 2**63
    assert f" {schedule.count} tasks on " in repr(schedule)
    assert schedule[-1] == schedule[schedule.count - 1] == schedule[-1:][0]
    assert [task.number for task in schedule.tasks[10**19 : 10**19 + 2]] == [10**19, 10**19 + 1]
    assert next(iter(schedule)) == schedule[0]
    with pytest.raises(CoordinateError, match=f"there are {schedule.count}"):
        schedule[schedule.count]
    with pytest.raises(OverflowError, match=f"{schedule.count} tasks are more than len can say"):
        len(schedule)
    bytes_ = (lambda: schedule.traffic("half"), lambda: schedule.l2_reuse("half"))
    for walk in (
        schedule.proof, schedule.balance, schedule.timeline, schedule.walk_by_core,
        lambda: schedule[:], *(bytes_ if schedule.IS_PRODUCT else ()),
    ):  # fmt: skip
        with pytest.raises(LimitError, match=f"^{schedule.count} tasks are too many") as caught:
            walk()
        assert (caught.value.count, caught.value.most) == (schedule.count, limit_of("tasks"))
        assert caught.value.details[0].startswith("A tile larger than GemmShape<1,1,1> makes fewer")
    with pytest.raises(LimitError, match="tasks are too many to go through one by one"):
        schedule.of_core(0)


def test_the_most_tasks_that_are_walked() -> None:
    with limits(tasks=12):
        assert schedules.identity((4, 3, 1), (1, 1, 1)).proof().tasks == 12
        with pytest.raises(LimitError, match=r"^13 tasks are too many .*: at most 12"):
            schedules.identity((13, 1, 1), (1, 1, 1)).proof()
        assert len(schedules.identity((13, 2, 1), (1, 1, 1), cores=4).of_core(3)) == 6
        with pytest.raises(LimitError, match="fewer slices of K than 15"):
            schedules.splitk((1, 1, 1), (1, 1, 1), splitk=15).proof()


@pytest.mark.parametrize("name", SCHEDULERS)
def test_runs_are_the_lists_of_the_cores(name: str) -> None:
    """And all together are the tasks, each once."""
    schedule = SCHEDULERS[name](fuzz_schedules.random_problem(Random(11)))
    numbers = [[n for run in schedule.runs(core) for n in run] for core in range(schedule.cores)]
    assert numbers == [[t.number for t in schedule.of_core(core)] for core in range(schedule.cores)]
    assert numbers == [[task.number for task in tasks] for tasks in schedule.walk_by_core()]
    assert sorted(n for mine in numbers for n in mine) == list(range(schedule.count))


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_schedule_is_pickled(name: str) -> None:
    problem = fuzz_schedules.random_problem(Random(3))
    schedule = SCHEDULERS[name](problem)
    assert list(pickle.loads(pickle.dumps(schedule)).tasks) == list(schedule.tasks)


def test_a_large_problem_is_scheduled_and_proved() -> None:
    schedule = schedules.identity((4096, 4096, 4096), (128, 256, 256), 3)
    assert (len(schedule), schedule.proof().points) == (512, 4096**3)


# --- bad input ---

PROBLEM, TILE = (4096, 4096, 4096), (128, 256, 256)


@pytest.mark.parametrize(
    "name",
    ["identity", "tail_splitk", "streamk", "single_core_splitk", "l1_full_load"],
)
def test_offsets_directions_and_cores_are_checked(name: str) -> None:
    make = getattr(schedules, name)
    of = make(PROBLEM, TILE).CPP
    with pytest.raises(LayoutError, match=f"^offset of {of} = 0: it must be at least 1$") as caught:
        make(PROBLEM, TILE, 0, 0)
    assert caught.value.offset == 0
    with pytest.raises(LayoutError, match="direction = 2: a swizzle has direction 0 or 1"):
        make(PROBLEM, TILE, 1, 2)
    with pytest.raises(LayoutError, match="cores = 0"):
        make(PROBLEM, TILE, cores=0)
    with pytest.raises(LayoutError, match="cores = 100000: a kernel is started on at most 65535"):
        make(PROBLEM, TILE, cores=100000)
    with pytest.raises(LayoutError, match="problem has m = 0"):
        make((0, 4, 4), TILE)
    with pytest.raises(LayoutError, match="tile has k = 0"):
        make(PROBLEM, (1, 1, 0))
    with pytest.raises(ParseError, match="three extents"):
        make("4096,4096", TILE)
    for bad in (True, 1.0, "3"):
        with pytest.raises(TypeError):
            make(PROBLEM, TILE, bad)


def test_more_slices_than_tiles_of_k() -> None:
    """Those behind the end are empty, and the cover is exact."""
    schedule = schedules.splitk((128, 300, 300), (128, 256, 256), splitk=4)
    assert [task.shape.k for task in schedule.tasks] == [256, 256, 44, 44, 0, 0, 0, 0]
    assert [task.start.k for task in schedule.tasks] == [0, 0, 256, 256, 300, 300, 300, 300]
    assert (schedule.empty, schedule.proof().tasks) == (4, 8)
    assert schedules.splitk((128, 300, 300), (128, 256, 256), splitk=2).empty == 0
    with pytest.raises(LayoutError, match="splitk = 0: it must be at least 1"):
        schedules.splitk(PROBLEM, TILE, splitk=0)


def test_rows_of_groups_are_checked() -> None:
    with pytest.raises(LayoutError, match=r"100, 200, sum to 300: M is 4096"):
        schedules.grouped_aswt(PROBLEM, TILE, (100, 200))
    with pytest.raises(LayoutError, match="sum to 4096"):
        schedules.grouped_aswt(PROBLEM, TILE, (5000, -904))
    with pytest.raises(LayoutError, match="window of GemmGroupedAswtTailSplitSwizzle = 0: it must"):
        schedules.grouped_aswt(PROBLEM, TILE, window=0)
    for bad, what in ((5, "int 5"), ("4096", "str '4096'")):
        with pytest.raises(TypeError, match=f"^rows is a sequence of ints, .* not {what}"):
            schedules.grouped_aswt(PROBLEM, TILE, bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match=r"^the rows of a group is an int, not float 4096\.0"):
        schedules.grouped_aswt(PROBLEM, TILE, (4096.0,))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
