# SPDX-License-Identifier: Apache-2.0
"""The picture of a schedule: a row for each core, a column for each turn, a block in each cell.

>>> from tla.ascend.schedules import tail_splitk
>>> from tla.show import render
>>> print(render(timeline(tail_splitk((128, 1280, 512), (128, 256, 128), cores=4))))
round 0       1                             work
    0 [0,4,0] [0,0                       ]  100%
    1 [0,4,1] [0,1                       ]  100%
    2 [0,4,2] [0,2                       ]  100%
    3 [0,4,3] [0,3                       ]  100%
each row a core; in brackets as wide as the work: tile of M,N,K; work is of the busiest core's
"""

from __future__ import annotations

from itertools import chain, takewhile
from typing import TYPE_CHECKING

from ...errors import LayoutError
from ...figures import axis_of
from ...ground import Cell, Figure, Grid, Lane, Stretch, Timeline, shade
from ..shapes import index_of
from .facts import tally

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import SupportsIndex

    from .facts import Balance
    from .tasks import Assignment, Task


def timeline(
    schedule: Assignment,
    cores: SupportsIndex = 32,
    rounds: SupportsIndex = 16,
    balance: Balance | None = None,
) -> Timeline:
    """Return the figure of a schedule: cores by turns, each block as wide as its work.

    >>> from tla.ascend.schedules import tail_splitk
    >>> figure = timeline(tail_splitk((128, 1280, 512), (128, 256, 128), cores=4))
    >>> figure.lanes[1].cells[0], figure.most
    ((Stretch(label='0,4,1', work=4194304),), 20971520)

    The label of a block is its tile in M and N, and its first tile of K if K is cut.

    Args:
        cores, rounds: The greatest numbers of rows and columns. The figure has the first and the last of
            them, and the number of all.
        balance: The balance of the schedule, if the caller knows it.
    """
    most_cores, most_rounds = index_of("cores", cores), index_of("rounds", rounds)
    if min(most_cores, most_rounds) < 1:
        raise LayoutError(f"a figure of {most_cores} cores and {most_rounds} rounds is empty")
    balance = balance or tally(schedule)[0]
    turns = _ends_of(balance.rounds, most_rounds)
    whole, groups = schedule.problem.k, schedule.groups
    lanes: list[Lane] = []
    for core in _ends_of(schedule.cores, most_cores):
        cells: dict[int, list[Stretch]] = {turn: [] for turn in turns}
        for task in _tasks_in(schedule, core, cells):
            cells[task.round].append(Stretch(_label(task, whole, groups), task.macs))
        lanes.append(Lane(core, tuple(map(tuple, cells.values())), balance.work[core]))
    title = "tile of M,N" + (",K" if schedule.factor > 1 else "") + ("@group" if groups > 1 else "")
    return Timeline(
        "core", "round", title, turns, tuple(lanes), schedule.cores, balance.rounds, balance.most
    )


def block_map(schedule: Assignment, rows: SupportsIndex = 32, columns: SupportsIndex = 32) -> Figure:
    """Return the blocks of C in their places, each with its core and its round; the colour is the round.

    >>> from tla.ascend.schedules import tail_splitk
    >>> figure = block_map(tail_splitk((256, 512, 512), (128, 256, 128), cores=3))
    >>> [[cell.text for cell in row] for row in figure.grids[0].cells]
    [['c0 r1', 'c1 r1'], ['c0 r0 +2', 'c2 r1']]

    A block that several tasks compute has the first, and the number of the others. Each group is a grid.

    Args:
        rows, columns: The greatest extents of the figure.

    Raises:
        LimitError: the schedule has too many tasks to go through.
    """
    high, wide = index_of("rows", rows), index_of("columns", columns)
    if min(high, wide) < 1:
        raise LayoutError(f"a figure of {high} rows and {wide} columns is empty")
    schedule.check_walk(schedule.count)
    blocks: dict[int, dict[tuple[int, int], list[Task]]] = {}
    last = 0
    for task in map(schedule.task, range(schedule.count)):
        blocks.setdefault(task.group, {}).setdefault(task.coord[:2], []).append(task)
        last = max(last, task.round)
    grids: list[Grid] = []
    for group, tasks in blocks.items():
        sizes = [max(at) + 1 for at in zip(*tasks, strict=True)]
        lines = [range(min(n, most)) for n, most in zip(sizes, (high, wide), strict=True)]
        cells = [[_cell(tasks.get((m, n), []), last + 1) for n in lines[1]] for m in lines[0]]
        down, right = [axis_of(n, line, n) for n, line in zip(sizes, lines, strict=True)]
        at = (group,) if schedule.groups > 1 else ()
        grids.append(Grid(at, down, right, tuple(map(tuple, cells))))
    count = sum(map(len, blocks.values()))
    several = any(len(tasks) > 1 for group in blocks.values() for tasks in group.values())
    title = f"blocks of C, each with its core and its round{'; +n: n more tasks' if several else ''}"
    return Figure(tuple(grids), len(grids), count, count, count, title, "identity")


def _cell(tasks: list[Task], rounds: int) -> Cell:
    if not tasks:
        return Cell("no task", False, text="-")
    first, more = tasks[0], f" +{len(tasks) - 1}" if len(tasks) > 1 else ""
    where = f"core {first.core}, round {first.round}"
    text = f"c{first.core} r{first.round}{more}"
    return Cell(where, True, shade(first.round, rounds), text, elements=(first.core,))


def _tasks_in(schedule: Assignment, core: int, turns: Collection[int]) -> list[Task]:
    """The tasks of a core in the first and the last turns; it makes only two other tasks."""
    runs = schedule.runs(core)
    ahead, behind = chain(*runs), chain(*map(reversed, reversed(runs)))
    ends = [takewhile(lambda t: t.round in turns, map(schedule.task, way)) for way in (ahead, behind)]
    first, last = map(list, ends)
    return list({task.number: task for task in [*first, *reversed(last)]}.values())


def _label(task: Task, whole: int, groups: int) -> str:
    m, n, k = task.coord
    label = f"{m},{n}" if task.shape.k == whole else f"{m},{n},{k}"
    return f"{label}@{task.group}" if groups > 1 else label


def _ends_of(size: int, most: int) -> tuple[int, ...]:
    """The first and the last numbers below a size, at most `most` of them."""
    if size <= most:
        return tuple(range(size))
    last = most // 2
    return (*range(most - last), *range(size - last, size))
