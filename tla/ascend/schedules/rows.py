# SPDX-License-Identifier: Apache-2.0
"""The schedule of a product with a vector: blocks of rows of the matrix, in slices of columns.

>>> schedule = rows(m=100, n=70, tile=32, split=3, cores=4)
>>> len(schedule), schedule.proof().points == 100 * 70
(12, True)
>>> [(task.core, task.start.m, task.start.k, task.end.k) for task in schedule.tasks[:4]]
[(0, 0, 0, 23), (1, 0, 23, 46), (2, 0, 46, 70), (3, 32, 0, 23)]

M of the product counts rows, K columns; N is 1.

Source: CATLASS gemv/kernel/kernel_gemv_aiv.hpp, kernel_gemv_aic.hpp.
"""

from __future__ import annotations

from ...errors import LayoutError
from ..shapes import GemmCoord
from .order import bands_of
from .schedule import Schedule
from .tasks import CORES, Task, positive


class _Rows(Schedule):
    """A task is a block of rows and a slice of the columns; the last slice has the rest."""

    __slots__ = ("_slices", "bands")
    CPP = "KernelGemv"
    IS_PRODUCT = False

    def __init__(self, m: int, n: int, tile: int, split: int, cores: int) -> None:
        self._slices = positive("split", split)
        super().__init__((m, 1, n), (tile, 1, n), cores, self.CPP)
        if self._slices > self.problem.k:
            raise LayoutError(f"split = {split}: there are {n} columns", split=split, columns=n)
        self.loops = self.loops._replace(k=self._slices)
        self.bands = bands_of(self.loops.m, 1, 1)

    @property
    def count(self) -> int:
        return self.blocks * self._slices

    @property
    def factor(self) -> int:
        return self._slices

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        row, part = divmod(number, self._slices)
        (m, _, n), tall = self.problem, self.tile.m
        wide = n // self._slices
        start = GemmCoord(row * tall, 0, part * wide)
        end = n if part == self._slices - 1 else start.k + wide
        shape = GemmCoord(min(tall, m - start.m), 1, end - start.k)
        return Task(number, core, turn, GemmCoord(row, 0, part), start, shape, slice=part)


def rows(*, m: int, n: int, tile: int, split: int = 1, cores: int = CORES) -> Schedule:
    """Return the schedule of a product with a vector: task t is on core ``t % cores``.

    >>> rows(m=40, n=100, tile=32, cores=2)[1].shape
    GemmCoord(m=8, n=1, k=100)

    Args:
        m, n: Rows and columns of the matrix.
        tile: The rows of a block.
        split: The number of slices of the columns, which one core each adds up in memory.
        cores: The number of cores; vector cores are two to a cube core.

    Raises:
        LayoutError: a number is below 1, or there are more slices than columns.
    """
    return _Rows(m, n, tile, split, cores)
