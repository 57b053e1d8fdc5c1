# SPDX-License-Identifier: Apache-2.0
"""The schedule of attention: blocks of rows of Q and of heads, dealt out to the cores one by one.

>>> schedule = heads(batch=2, groups=2, size=3, rows=300, columns=512, tile=(128, 128, 128), cores=5)
>>> len(schedule), schedule.proof().points == 2 * 2 * 3 * 300 * 512
(36, True)
>>> [(task.core, task.start.m, task.start.n, task.shape.n) for task in schedule.tasks[:8:7]]
[(0, 0, 0, 128), (2, 1, 128, 128)]

The product's M counts heads, batch after batch, its N rows of Q, its K columns of K.

Source: CATLASS examples/23_flash_attention_infer, fai_kernel.cpp and kernel_common.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shapes import GemmCoord
from .order import bands_of
from .schedule import Schedule
from .tasks import CORES, Task, positive

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Heads(Schedule):
    """A task is some rows of Q for some heads that share one head of K and V."""

    __slots__ = ("_at_once", "_blocks_of_group", "_group", "_of_batch", "_rows", "bands")
    CPP = "FAInferKernel"
    IS_PRODUCT = False

    def __init__(
        self,
        batch: int,
        groups: int,
        size: int,
        rows: int,
        columns: int,
        tile: Sequence[int],
        cores: int,
    ) -> None:
        for name, n in (("batch", batch), ("groups", groups), ("size", size)):
            positive(name, n)
        super().__init__((batch * groups * size, rows, columns), tile, cores, self.CPP)
        block = self.tile.m
        # as many heads as fill a block of few rows of Q, an even number of them
        at_once = max(1, min(size, block // rows // 2 * 2)) if rows < block else 1
        self._group, self._at_once, self._rows = size, at_once, block
        self._blocks_of_group = -(-size // at_once)
        self._of_batch = groups * self._blocks_of_group
        down = -(-rows // block)
        self.loops = GemmCoord(batch * self._of_batch, down, 1)
        self.bands = bands_of(self._of_batch, down, self._of_batch)

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        batch, rest = divmod(number, self._of_batch * self.loops.n)
        row, block = divmod(rest, self._of_batch)
        kv_head, inside = divmod(block, self._blocks_of_group)
        first = inside * self._at_once
        heads_of_batch = self._of_batch // self._blocks_of_group * self._group
        start = GemmCoord(batch * heads_of_batch + kv_head * self._group + first, row * self._rows, 0)
        shape = GemmCoord(
            min(self._at_once, self._group - first),
            min(self._rows, self.problem.n - start.n),
            self.problem.k,
        )
        coord = GemmCoord(batch * self._of_batch + block, row, 0)
        return Task(number, core, turn, coord, start, shape)


def heads(
    *,
    batch: int,
    groups: int,
    size: int,
    rows: int,
    columns: int,
    tile: Sequence[int],
    cores: int = CORES,
) -> Schedule:
    """Return the schedule of attention: task t is on core ``t % cores``.

    >>> heads(batch=1, groups=1, size=8, rows=16, columns=64, tile=(128, 128, 64))[0].shape
    GemmCoord(m=8, n=16, k=64)

    Tasks go through the batches, in each through the rows of Q, and there through the heads. If Q has
    few rows, a task takes several heads of a group.

    Args:
        batch: The number of batches.
        groups: The number of heads of K and V.
        size: The number of heads of Q that share one of K and V.
        rows, columns: The lengths of the sequences of Q, and of K and V.
        tile: Rows of Q, columns of K and the size of a head.

    Raises:
        LayoutError: a number is below 1.
    """
    return _Heads(batch, groups, size, rows, columns, tile, cores)
