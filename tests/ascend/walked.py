"""The work of the cores by a pass over all tasks: the truth for the closed forms of the cost model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tla.ascend.tuning.loads import Load, Loads
from tla.ascend.tuning.pipes import Model, Work

if TYPE_CHECKING:
    from tla.ascend import Schedule
    from tla.ascend.shapes import GemmCoord, GemmShape


def loads_of(schedule: Schedule) -> Loads:
    """Return the blocks of all cores in a schedule of any kind, by a pass over its tasks.

    If some cores have two blocks more than others, all blocks count as blocks of full rounds.
    """
    of_core: list[list[GemmCoord]] = [[] for _ in range(schedule.cores)]
    for task in schedule.tasks:
        of_core[task.core].append(task.shape)
    number = {shape: i for i, shape in enumerate(dict.fromkeys(s for mine in of_core for s in mine))}
    rounds, full = max(map(len, of_core)), min(map(len, of_core))
    groups: Counter[tuple[tuple[int, ...], int | None]] = Counter()
    for mine in of_core:
        counts = [0] * len(number)
        # A single round that some cores lack is the last one. If there are more, they count as full.
        even = full if rounds - full == 1 else len(mine)
        for shape in mine[:even]:
            counts[number[shape]] += 1
        last = number[mine[even]] if len(mine) > even else None
        groups[tuple(counts), last] += 1
    each = (Load(mine, last, times) for (mine, last), times in groups.items())
    return Loads(sum(map(len, of_core)), rounds, full, tuple(number), tuple(each))


def work_by_walk(product: Model, l1: GemmShape) -> Work:
    """Return the work of the cores by a pass over the schedule of a tile."""
    parts = product.slices(l1) if product.swizzle.splits else None
    schedule = product.swizzle.schedule(product.problem, l1, cores=product.cores, splitk=parts)
    m, n, k = product.problem
    once = m * k * product.a.bits / 8, k * n * product.b.bits / 8
    if sum(once) <= product.arch.l2:
        return Work(loads_of(schedule), once)
    reuse = schedule.l2_reuse(product.a, product.b, product.arch.l2)
    return Work(loads_of(schedule), (reuse.a_from_gm, reuse.from_gm - reuse.a_from_gm))
