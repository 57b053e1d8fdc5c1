"""The picture of a schedule: what is in it, and its text in any width."""

from __future__ import annotations

import re

import pytest
from fuzz_schedules import SCHEDULERS, random_problem
from hypothesis import given, strategies as st

from tla import LayoutError
from tla.ascend import schedules
from tla.ascend.schedules import Balance, Schedule, Task
from tla.ground.figure import Lane, Stretch, Timeline
from tla.show import render


def test_blocks_are_as_wide_as_their_work() -> None:
    schedule = schedules.identity((300, 256, 64), (128, 256, 64), cores=2)
    assert render(schedule.timeline()).splitlines() == [
        "round 0               1       work",
        "    0 [0,0          ] [2,0 ]  100%",
        "    1 [1,0          ]          74%",
        "each row a core; in brackets as wide as the work: tile of M,N; work is of the busiest core's",
    ]


def test_two_tasks_in_one_turn() -> None:
    """The end of a block and the beginning of the next, side by side."""
    schedule = schedules.streamk((384, 256, 640), (128, 256, 128), cores=4)
    assert render(schedule.timeline()).splitlines()[:5] == [
        "round 0                             work",
        "    0 [0,0,0                     ]  100%",
        "    1 [0,0,4][1,0,0              ]  100%",
        "    2 [1,0,3       ][2,0,0       ]  100%",
        "    3 [2,0,2              ]          75%",
    ]
    lanes = schedule.timeline().lanes
    assert [[s.label for s in lane.cells[0]] for lane in lanes] == [
        ["0,0,0"], ["0,0,4", "1,0,0"], ["1,0,3", "2,0,0"], ["2,0,2"],
    ]  # fmt: skip
    assert [sum(s.work for s in lane.cells[0]) for lane in lanes] == [lane.work for lane in lanes]


@pytest.mark.parametrize("width", [30, 60, 100, 200])
@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCHEDULERS)))
def test_every_piece_that_is_shown_is_named(width: int, rng: object, name: str) -> None:
    """In the order of its core's turns, however narrow the column."""
    assert hasattr(rng, "random")
    figure = SCHEDULERS[name](random_problem(rng)).timeline()  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    lines = render(figure, width).splitlines()
    turns = [figure.turns.index(int(word)) for word in lines[0].split() if word.isdigit()]
    rows = [line for line in lines[1:] if line.split()[0].isdigit()]
    for lane, line in zip(figure.lanes, rows, strict=True):
        names = [s.label for turn in turns for s in lane.cells[turn] if s.work]
        assert [part.strip() for part in re.findall(r"\[(.*?)\]", line)] == names


def test_a_short_piece_beside_long_ones() -> None:
    """Its bracket is as wide as its name, and that is said; a piece without work is a line."""
    schedule = schedules.streamk((1000, 1000, 512), (128, 256, 128), cores=6)
    lines = render(schedule.timeline(), 100).splitlines()
    assert [line.split("[")[5].split("]")[0] for line in lines[1:7]] == [
        "7,1,0", "7,1,2", "7,0,0", "7,0,1", "7,0,2", "7,0,3",
    ]  # fmt: skip
    assert lines[8] == "a name needs its room, however little the work"
    lines = render(schedules.splitk((1, 1, 1), (1, 1, 1), splitk=2, cores=2).timeline()).splitlines()
    assert [line.split()[1] for line in lines[1:3]] == ["[0,0]", "|"]
    assert lines[-1] == "| has no work"


def test_only_the_turns_that_are_shown_are_made() -> None:
    """With the balance known, the picture of a million tasks makes a few."""
    made: list[int] = []

    class Counted(Schedule):
        __slots__ = ("inner",)

        def __init__(self, inner: Schedule) -> None:
            super().__init__(inner.problem, inner.tile, inner.cores, inner.swizzle)
            self.inner = inner

        @property
        def count(self) -> int:
            return self.inner.count

        def task(self, number: int) -> Task:
            made.append(number)
            return self.inner.task(number)

    schedule = Counted(schedules.identity((1 << 10, 1 << 10, 1), (1, 1, 1), cores=4))
    balance = Balance((1 << 18,) * 4, (1 << 18,) * 4, 1 << 18)
    figure = schedules.timeline(schedule, cores=3, rounds=5, balance=balance)
    assert figure.turns == (0, 1, 2, 262142, 262143)
    assert [s.label for (s,) in figure.lanes[0].cells] == [
        "0,0", "0,4", "0,8", "1023,7", "1023,3",
    ]  # fmt: skip
    assert len(made) == 3 * (5 + 2)


def test_k_is_named_where_it_is_cut_and_groups_where_there_are_some() -> None:
    tail = schedules.tail_splitk((128, 1280, 512), (128, 256, 128), cores=4).timeline()
    assert [s.label for lane in tail.lanes for cell in lane.cells for s in cell][:2] == ["0,4,0", "0,0"]
    assert tail.legend == "tile of M,N,K"
    grouped = schedules.grouped_aswt((256, 256, 64), (128, 256, 64), (128, 128), cores=2).timeline()
    assert [lane.cells[0][0].label for lane in grouped.lanes] == ["0,0@0", "0,0@1"]
    assert grouped.legend == "tile of M,N@group"


def test_many_cores_and_turns_are_cut_in_the_middle() -> None:
    schedule = schedules.identity((4096, 4096, 64), (128, 256, 64), 3, cores=24)
    figure = schedule.timeline(cores=5, rounds=4)
    assert [lane.number for lane in figure.lanes] == [0, 1, 2, 22, 23]
    assert figure.turns == (0, 1, 20, 21)
    assert (figure.lane_count, figure.turn_count) == (24, 22)
    lines = render(figure).splitlines()
    assert lines[0].split() == ["round", "0", "1", "...", "20", "21", "work"]
    assert [line.split()[0] for line in lines[1:7]] == ["0", "1", "2", "...", "22", "23"]
    assert lines[-1] == "shown: 5 of 24 cores, 4 of 22 rounds"
    with pytest.raises(LayoutError, match="0 cores and 16 rounds is empty"):
        schedule.timeline(cores=0)
    with pytest.raises(TypeError, match="cores is an int, not str 'a'"):
        schedule.timeline("a", 5)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="rounds is an int, not bool True"):
        schedule.timeline(3, True)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCHEDULERS)), st.integers(40, 200))
def test_any_width(rng: object, name: str, width: int) -> None:
    """Lines keep to the width but for one column, brackets are paired, every lane shown has a line."""
    assert hasattr(rng, "random")
    schedule = SCHEDULERS[name](random_problem(rng))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    figure = schedule.timeline()
    lines = render(figure, width).splitlines()
    table = lines[: next(i for i, line in enumerate(lines) if line.startswith("each"))]
    assert len([line for line in table[1:] if not line.endswith("...")]) == len(figure.lanes)
    columns = len([word for word in table[0].split() if word.isdigit()])
    if columns > 1:
        assert max(map(len, table)) <= width
    assert all(line.count("[") == line.count("]") for line in table)
    numbers = [int(word) for word in table[0].split() if word.isdigit()]
    assert numbers == sorted(set(numbers))
    assert set(numbers) <= set(figure.turns)


def test_a_column_is_as_wide_as_its_number() -> None:
    """With nothing to do in it too."""
    stretches = [(Stretch("a", 1),), *[(Stretch("none", 0),)] * 20]
    figure = Timeline(
        "core", "round", "job", tuple(range(90, 111)), (Lane(0, tuple(stretches), 1),), 1, 111, 1
    )
    for width in range(40, 120):
        head, row = render(figure, width).splitlines()[:2]
        assert len(head) <= width
        numbers = [match.start() for match in re.finditer(r"[0-9]+", head)]
        assert numbers == [match.start() for match in re.finditer(r"\[|\|", row)]


def test_a_wider_figure_shows_more_turns() -> None:
    figure = schedules.identity((4096, 4096, 64), (128, 256, 64), 3, cores=24).timeline(cores=2)
    shown = [len(render(figure, width).splitlines()[0].split()) for width in (40, 80, 120, 200)]
    assert shown == sorted(shown)
    assert shown[0] < shown[-1]


def test_a_timeline_of_nothing() -> None:
    figure = Timeline("core", "round", "job", (0,), (Lane(0, ((),), 0),), 1, 1, 0)
    assert render(figure).splitlines()[1].split() == ["0", "0%"]
    figure = Timeline("core", "round", "job", (0,), (Lane(0, ((Stretch("empty", 0),),), 0),), 1, 1, 0)
    assert "|" in render(figure)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCHEDULERS)))
def test_the_map_has_every_block_in_its_place(rng: object, name: str) -> None:
    """With core and round of its first task, and the number of the others; a grid for each group."""
    assert hasattr(rng, "random")
    schedule = SCHEDULERS[name](random_problem(rng))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    found: dict[tuple[int, int, int], list[Task]] = {}
    for task in schedule.tasks:
        found.setdefault((task.group, task.coord.m, task.coord.n), []).append(task)
    figure = schedules.block_map(schedule, 10**6, 10**6)
    groups = list(dict.fromkeys(at[0] for at in found))
    drawn = {
        (group, m, n): (cell.text, cell.valid)
        for group, grid in zip(groups, figure.grids, strict=True)
        for m, row in enumerate(grid.cells)
        for n, cell in enumerate(row)
    }
    for at, (first, *more) in found.items():
        others = f" +{len(more)}" if more else ""
        assert drawn.pop(at) == (f"c{first.core} r{first.round}{others}", True)
    assert set(drawn.values()) <= {("-", False)}
    assert figure.size == len(found)


def test_a_map_has_a_size() -> None:
    schedule = schedules.identity((300, 256, 64), (128, 256, 64), cores=2)
    with pytest.raises(LayoutError, match="0 rows and 32 columns"):
        schedules.block_map(schedule, 0)
