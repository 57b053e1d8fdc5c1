"""Fuzz of schedules: random problems, each covered exactly once, each core in the order of its turns.

Run: python tests/fuzz_schedules.py [--count 10000] [--seed N] [--only SCHEDULER]

A problem has up to some 40 x 40 tiles with and without rests, up to 40 cores, offsets up to 9. Of each
schedule it is proved that it covers M x N x K (`Schedule.proof`), that the lists of the cores have every
task once, on its core and in turns without a gap, and that the schedule says truly how long it is. A
fault is printed with its problem, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tla import LayoutError
from tla.ascend import schedules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tla.ascend.schedules import Schedule

SHOWN = 5


class Problem(NamedTuple):
    """What a schedule is made for."""

    extents: tuple[int, int, int]
    tile: tuple[int, int, int]
    offset: int
    direction: int
    cores: int
    rng: Random


def random_problem(rng: Random) -> Problem:
    """A problem of few or many tiles; sizes of tiles that fit, and that leave a rest."""
    tile = [rng.choice((1, 2, 3, 5, 16, rng.randint(1, 256))) for _ in range(3)]
    loops = [rng.choice((1, 2, rng.randint(1, 9), rng.randint(1, 40))) for _ in range(3)]
    while loops[0] * loops[1] * loops[2] > 600:
        at = rng.randrange(3)
        loops[at] = max(1, loops[at] // 2)
    m, n, k = (
        max(1, n * t - rng.choice((0, rng.randrange(t)))) for n, t in zip(loops, tile, strict=True)
    )
    cores = rng.choice((1, 2, 20, 24, 32, rng.randint(1, 40)))
    return Problem(
        (m, n, k), (tile[0], tile[1], tile[2]), rng.randint(1, 9), rng.randint(0, 1), cores, rng
    )


def _banded(name: str) -> Callable[[Problem], Schedule]:
    make: Callable[..., Schedule] = getattr(schedules, name)
    return lambda p: make(p.extents, p.tile, p.offset, p.direction, cores=p.cores)


def _splitk(p: Problem) -> Schedule:
    tiles = -(-p.extents[2] // p.tile[2])
    return schedules.splitk(
        p.extents, p.tile, p.offset, p.direction, splitk=p.rng.randint(1, tiles + 2), cores=p.cores
    )


def _grouped(p: Problem) -> Schedule:
    m, n, k = p.extents
    groups = p.rng.randint(1, 6)
    cuts = sorted(p.rng.randint(0, m) for _ in range(groups - 1))
    rows = [b - a for a, b in zip([0, *cuts], [*cuts, m], strict=True)]
    return schedules.grouped_aswt(
        (m, n, k),
        p.tile,
        rows,
        cores=p.cores,
        window=p.offset,
        trans_a=bool(p.rng.randint(0, 1)),
        trans_b=bool(p.rng.randint(0, 1)),
        balanced=bool(p.rng.randint(0, 1)),
    )


def _in_groups(p: Problem) -> Schedule:
    """Products of any extents in a list, or of one problem cut along M or K, or all alike."""
    axes: tuple[schedules.Axis, ...] = ("m", "k", "batch", "list")
    axis = p.rng.choice(axes)
    index = 2 if axis == "k" else 0
    problems = [list(p.extents) for _ in range(p.rng.randint(1, 6))]
    for problem in problems if axis != "batch" else []:
        problem[index] = p.rng.choice((0, p.rng.randint(1, p.extents[index]), p.extents[index]))
        if axis == "list":
            problem[1] = p.rng.randint(1, p.extents[1])
    problems.append(list(p.extents))
    orders = [schedules.GemmIdentityBlockSwizzle(p.offset, p.direction), schedules.swizzle("aswt")]
    try:
        order = p.rng.choice(orders)
        return schedules.in_groups(problems, p.tile, order, axis=axis, cores=p.cores)
    except LayoutError:  # it would lose tiles
        return schedules.in_groups(problems, p.tile, orders[0], axis=axis, cores=p.cores)


def _heads(p: Problem) -> Schedule:
    m, _, k = p.extents
    size = p.rng.randint(1, 4)
    return schedules.heads(
        batch=p.rng.randint(1, 3), groups=p.rng.randint(1, 4), size=size, rows=m, columns=k,
        tile=p.tile, cores=p.cores,
    )  # fmt: skip


def _convolution(p: Problem) -> Schedule:
    ho, wo, cout = p.extents
    return schedules.convolution(
        batch=p.rng.randint(1, 2), ho=ho, wo=wo, cout=cout, tile=p.tile, offset=p.offset,
        direction=p.direction, cores=p.cores,
    )  # fmt: skip


def _rows(p: Problem) -> Schedule:
    m, _, n = p.extents
    return schedules.rows(m=m, n=n, tile=p.tile[0], split=p.rng.randint(1, min(n, 9)), cores=p.cores)


SCHEDULERS: dict[str, Callable[[Problem], Schedule]] = {
    "identity": _banded("identity"),
    "splitk": _splitk,
    "tail_splitk": _banded("tail_splitk"),
    "streamk": _banded("streamk"),
    "single_core_splitk": _banded("single_core_splitk"),
    "l1_full_load": _banded("l1_full_load"),
    "column": lambda p: schedules.column(p.extents, p.tile, cores=p.cores),
    "iterate_k": lambda p: schedules.iterate_k(p.extents, p.tile, cores=p.cores),
    "aswt": lambda p: schedules.aswt(p.extents, p.tile, cores=p.cores, split=bool(p.direction)),
    "grouped_aswt": _grouped,
    "in_groups": _in_groups,
    "heads": _heads,
    "convolution": _convolution,
    "rows": _rows,
}


def fault(schedule: Schedule) -> str:
    """What is wrong with a schedule, or nothing."""
    try:
        proof = schedule.proof()
    except schedules.CoverError as error:
        return str(error)
    if proof.tasks != len(schedule):
        return f"it has {proof.tasks} tasks and says {len(schedule)}"
    numbers: list[int] = []
    for core in range(schedule.cores):
        tasks = schedule.of_core(core)
        numbers += [task.number for task in tasks]
        if any(task.core != core for task in tasks):
            return f"a task in the list of core {core} is on another"
        turns = sorted({task.round for task in tasks})
        if [task.round for task in tasks] != sorted(task.round for task in tasks):
            return f"the turns of core {core} are out of order"
        if turns != list(range(len(turns))):
            return f"core {core} misses a turn: {turns}"
    return "" if sorted(numbers) == list(range(len(schedule))) else "the cores' lists are not the tasks"


def run(count: int, seed: int, name: str) -> tuple[int, list[str]]:
    """Check one scheduler on so many problems: how many tasks there were, and the faults."""
    tasks = 0
    faults: list[str] = []
    rng = Random(f"{name} {seed}")
    for _ in range(count):
        problem = random_problem(rng)
        schedule = SCHEDULERS[name](problem)
        tasks += len(schedule)
        found = fault(schedule)
        if found:
            faults.append(f"{schedule!r}, {problem[:-1]}: {found}")
    return tasks, faults


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=10000, help="problems per scheduler")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SCHEDULERS, help="one scheduler")
    options = parser.parse_args(arguments)
    bad = 0
    for name in [options.only] if options.only else SCHEDULERS:
        begun = time.perf_counter()
        tasks, faults = run(options.count, options.seed, name)
        bad += len(faults)
        seconds = time.perf_counter() - begun
        print(
            f"{name:20} {options.count} problems, {tasks} tasks, {len(faults)} faults, {seconds:.1f} s"
        )
        print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
