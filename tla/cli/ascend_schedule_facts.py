# SPDX-License-Identifier: Apache-2.0
"""What ``tla ascend schedule`` finds out: schedules, proved, their facts, and the difference of two."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..ascend import arch, default_swizzle, gemm, gemm_shape, swizzle, tally
from ..errors import UnsupportedError
from ..ground import plural
from .common import numbers
from .progress import progress_bar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator

    from ..ascend import (
        Arch,
        Balance,
        BlockSwizzle,
        Element,
        GemmCoord,
        GemmShape,
        Reuse,
        Schedule,
        Task,
        Traffic,
    )

_SHOWS_PROGRESS: Final = 1 << 17  # tasks


class Request(NamedTuple):
    """What the command line asks for."""

    arch: Arch
    problem: GemmCoord
    tile: GemmShape
    elements: tuple[Element, Element, Element]
    orders: tuple[BlockSwizzle, ...]
    advised: bool
    """Whether the first swizzle is CATLASS's advice."""
    cores: int | None
    splitk: int | None
    rows: tuple[int, ...]

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """Read the options.

        Raises:
            UnsupportedError: the cube core does not multiply the elements, or its sums cannot become
                this C.
        """
        machine = arch(options.arch)
        problem = gemm_shape(options.problem, "problem")
        tile = None if options.tile is None else gemm_shape(options.tile)
        plan = gemm(machine, problem, options.element, l1=tile, l0=tile)  # it derives the type of C
        sums = machine.accumulator(plan.a, plan.b)
        written = dict.fromkeys((sums.name, "half", "bfloat16_t", "float", "int8_t", "uint8_t"))
        if plan.c.name not in written:
            raise UnsupportedError(
                f"no C of {plan.c} is made of sums of {plan.a} by {plan.b}",
                f"It is one of {', '.join(written)}.",
                element=plan.c,
            )
        first = default_swizzle(problem) if options.swizzle is None else swizzle(options.swizzle)
        second = () if options.versus is None else (swizzle(options.versus),)
        return cls(
            machine, plan.problem, plan.l1, (plan.a, plan.b, plan.c), (first, *second),
            options.swizzle is None, options.cores, options.splitk,
            () if options.rows is None else tuple(numbers(options.rows, "the rows of each group")),
        )  # fmt: skip


class Entry(NamedTuple):
    """A schedule, proved, and its facts."""

    order: BlockSwizzle
    schedule: Schedule
    balance: Balance
    traffic: Traffic
    reuse: Reuse

    @classmethod
    def of(cls, order: BlockSwizzle, request: Request) -> Entry:
        schedule = order.schedule(
            request.problem,
            request.tile,
            cores=request.arch.cores if request.cores is None else request.cores,
            splitk=request.splitk if order.splits else None,
            rows=request.rows if order.grouped else (),
        )
        a, b, c = request.elements
        with _progress("proving", schedule) as progress:
            schedule.proof(progress)
        with _progress("counting", schedule) as progress:
            balance, moved = tally(schedule, progress)
        with _progress("estimating L2", schedule) as progress:
            reuse = schedule.l2_reuse(a, b, request.arch.l2, progress)
        return cls(order, schedule, balance, moved.traffic(a, b, c), reuse)

    def facts(self, request: Request, blocks: bool) -> dict[str, Any]:
        """The facts as JSON has them."""
        _, schedule, balance, traffic, reuse = self
        facts: dict[str, Any] = {
            "swizzle": schedule.swizzle,
            "arch": request.arch.name,
            "elements": dict(zip("abc", (e.name for e in request.elements), strict=True)),
            "problem": list(schedule.problem),
            "tile": list(schedule.tile),
            "cores": schedule.cores,
            "tiles": schedule.blocks,
            "tasks": schedule.count,
            "slices": schedule.factor,
            "groups": schedule.groups,
            "rows": list(request.rows) if self.order.grouped and request.rows else [schedule.problem.m],
            "empty_tasks": schedule.empty,
            "covered_once": True,
            "rounds": balance.rounds,
            "idle_cores": balance.idle,
            "work_of_cores": list(balance.work),
            "tasks_of_cores": list(balance.tasks),
            "busy": balance.efficiency,
            "bytes": {"a": traffic.a, "b": traffic.b, "c": traffic.c,
                      "workspace_written": traffic.workspace_written,
                      "workspace_read": traffic.workspace_read,
                      "read": traffic.read, "written": traffic.written},
            "l2": {"capacity": reuse.capacity, "read": reuse.read, "from_gm": reuse.from_gm,
                   "per_round": reuse.per_round, "once": reuse.once, "hits": reuse.hits},
        }  # fmt: skip
        if blocks:
            facts["blocks"] = [_task_facts(task) for task in schedule.tasks]
        return facts


def _task_facts(task: Task) -> dict[str, Any]:
    facts = task._asdict()
    return {**facts, **{name: list(facts[name]) for name in ("coord", "start", "shape")}}


@contextmanager
def _progress(what: str, schedule: Schedule) -> Generator[Callable[[int], None] | None]:
    """A progress bar for a long walk over the tasks, on a terminal."""
    if schedule.count < _SHOWS_PROGRESS:
        yield None
        return
    with progress_bar(what) as tell:
        yield (lambda done: tell(done, schedule.count)) if tell else None


class Difference(NamedTuple):
    """How many blocks two schedules share, and how many of them they place differently."""

    same_blocks: int
    other_core: int
    other_round: int
    """How many of the shared blocks are on the same core in both."""
    all_blocks: bool
    """Whether they share all blocks."""

    def __str__(self) -> str:
        same, core, turn, whole = self
        if not same:
            return "no block is the same"
        if whole and not core and not turn:
            return "nothing: every block is on the same core in the same round"
        alike = "" if whole else f"{plural(same, 'block')} in both; "
        moved = f"{core} of {plural(same, 'block')} {'is' if core == 1 else 'are'} on another core"
        return f"{alike}{moved}, {turn} on the same core in another round"


def difference(one: Schedule, two: Schedule) -> Difference:
    place: dict[tuple[GemmCoord, GemmCoord], tuple[int, int]] = {}
    with _progress("comparing", one) as progress:
        place.update(((t.start, t.shape), (t.core, t.round)) for t in one.walk(progress))
    same = other_core = other_round = 0
    with _progress("comparing", two) as progress:
        for task in two.walk(progress):
            at = place.get((task.start, task.shape))
            if at is None:
                continue
            same += 1
            other_core += at[0] != task.core
            other_round += at[0] == task.core and at[1] != task.round
    return Difference(same, other_core, other_round, same == one.count == two.count)
