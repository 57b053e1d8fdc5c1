# SPDX-License-Identifier: Apache-2.0
"""Stream-K: all cores share the tiles of K of the last blocks evenly, as one stream.

Source: CATLASS StreamkGemmIdentityBlockSwizzle, block_swizzle.hpp; streamk_matmul_tla.hpp for the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .by_k import Piece, TailLast
from .order import share
from .tasks import CORES

if TYPE_CHECKING:
    from ..shapes import ShapeLike
    from .schedule import Schedule


class _StreamK(TailLast):
    __slots__ = ("_firsts", "_pieces")
    CPP = "StreamkGemmIdentityBlockSwizzle"

    def __init__(
        self, problem: ShapeLike, tile: ShapeLike, offset: int, direction: int, cores: int
    ) -> None:
        super().__init__(problem, tile, offset, direction, cores)
        self._pieces: list[Piece] = []
        self._firsts = [0]  # the number of pieces before each core
        parts = [0] * self._tail
        k = self.loops.k
        for core in range(self.cores):
            at, end = share(self._tail * k, self.cores, core)
            while at < end:  # at most twice: a share is at most the tiles of one block
                block = at // k
                until = min(end, (block + 1) * k)
                tiles = (at - block * k, until - block * k)
                self._pieces.append(Piece(core, block, tiles, parts[block]))
                parts[block] += 1
                at = until
            self._firsts.append(len(self._pieces))

    @property
    def factor(self) -> int:
        return max((piece.part + 1 for piece in self._pieces), default=1)

    @property
    def count(self) -> int:
        return self._whole + len(self._pieces)

    def pieces(self, core: int) -> range:
        return range(self._whole + self._firsts[core], self._whole + self._firsts[core + 1])

    def piece(self, i: int) -> Piece:
        return self._pieces[i]


def streamk(
    problem: ShapeLike, tile: ShapeLike, offset: int = 1, direction: int = 0, *, cores: int = CORES
) -> Schedule:
    """Return the schedule in which all cores share the tiles of K of the last blocks.

    >>> schedule = streamk((384, 256, 512), (128, 256, 128), cores=2)
    >>> [(task.core, str(task.coord), str(task.shape)) for task in schedule.tasks[2:]]
    [(0, '(2,0,0)', '(128,256,256)'), (1, '(2,0,2)', '(128,256,256)')]

    The blocks are in the order of `identity`. The first ones, a multiple of the cores, are whole.
    `share` divides the tiles of K of the rest, block after block. A core with tiles of two blocks has
    two tasks in its turn: the end of one block and the beginning of the next.

    Source: CATLASS StreamkGemmIdentityBlockSwizzle and its Dynamic form, block_swizzle.hpp.
    """
    return _StreamK(problem, tile, offset, direction, cores)
