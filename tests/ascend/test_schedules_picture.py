"""The picture of a schedule: what is in it, and its text in any width."""

from __future__ import annotations

import pytest
from fuzz_schedules import SCHEDULERS, random_problem
from hypothesis import given
from hypothesis import strategies as st

from tla import LayoutError
from tla.ascend import schedules
from tla.figure import Lane, Stretch, Timeline
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


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(SCHEDULERS)), st.integers(40, 200))
def test_any_width(rng: object, name: str, width: int) -> None:
    """Lines keep to the width but for one column, brackets are paired, every lane shown has a line."""
    assert hasattr(rng, "random")
    schedule = SCHEDULERS[name](random_problem(rng))  # type: ignore[arg-type]
    figure = schedule.timeline()
    table = [
        line for line in render(figure, width).splitlines() if not line.startswith(("each", "shown"))
    ]
    assert len([line for line in table[1:] if not line.endswith("...")]) == len(figure.lanes)
    columns = len([word for word in table[0].split() if word.isdigit()])
    if columns > 1:
        assert max(map(len, table)) <= width
    assert all(line.count("[") == line.count("]") for line in table)
    numbers = [int(word) for word in table[0].split() if word.isdigit()]
    assert numbers == sorted(set(numbers))
    assert set(numbers) <= set(figure.turns)


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
