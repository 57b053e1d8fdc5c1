# SPDX-License-Identifier: Apache-2.0
"""Schedules that cut K: slices on several cores, slices of the last blocks only, slices on one core.

Slices are shares of the tiles of K (`order.share`). The first ones have one tile more, and the last tile
ends where K ends. If there are more slices than tiles of K, the last slices are empty. The cover is
still exact, but no core computes their partial sums. `Schedule.empty` counts them.

Source: CATLASS block_swizzle.hpp; splitk_matmul.hpp, tail_multi_core_splitk_matmul_tla.hpp,
single_core_slicek_matmul.hpp for the loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..shapes import GemmCoord
from .by_tile import BandWalk
from .order import Bands, owner, share
from .tasks import CORES, Task, positive

if TYPE_CHECKING:
    from ..shapes import ShapeLike
    from .schedule import Schedule


class SliceWalk(BandWalk):
    """A schedule whose tasks each have only some tiles of K."""

    __slots__ = ()

    def slice_task(
        self, number: int, core: int, turn: int, i: int, tiles: tuple[int, int], part: int
    ) -> Task:
        """The task of some tiles of K of block i in the order of bands; it makes a partial sum."""
        m, n = self.block_at(i)
        (row, col, _), (rows, columns, _) = self.tile_box(m, n)
        begin, end = (min(tile * self.tile.k, self.problem.k) for tile in tiles)
        return Task(
            number, core, turn, GemmCoord(m, n, tiles[0]),
            GemmCoord(row, col, begin), GemmCoord(rows, columns, end - begin), part, False, True,
        )  # fmt: skip


class _SplitK(SliceWalk):
    __slots__ = ("_factor",)
    CPP = "SplitkGemmIdentityBlockSwizzle"

    def __init__(
        self, problem: ShapeLike, tile: ShapeLike, offset: int, direction: int, factor: int, cores: int
    ) -> None:
        super().__init__(problem, tile, offset, direction, cores)
        self._factor = positive("splitk", factor)

    @property
    def factor(self) -> int:
        return self._factor

    @property
    def empty(self) -> int:
        return self.blocks * max(self._factor - self.loops.k, 0)

    @property
    def count(self) -> int:
        return self.blocks * self._factor

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        part, i = divmod(number, self.blocks)
        tiles = share(self.loops.k, self._factor, part)
        return self.slice_task(number, core, turn, i, tiles, part)


def splitk(
    problem: ShapeLike,
    tile: ShapeLike,
    offset: int = 1,
    direction: int = 0,
    *,
    splitk: int,
    cores: int = CORES,
) -> Schedule:
    """Return the schedule that cuts K into `splitk` slices, each in the order of `identity`.

    >>> schedule = splitk((128, 256, 1000), (128, 256, 256), splitk=3)
    >>> [(task.slice, task.start.k, task.shape.k) for task in schedule.tasks]
    [(0, 0, 512), (1, 512, 256), (2, 768, 232)]

    All blocks of slice 0 come first. Every task writes a partial sum into the workspace. If there are
    more slices than tiles of K, the last slices are empty. CATLASS's tasks run past the end of K there,
    unless K has whole tiles.

    Source: CATLASS SplitkGemmIdentityBlockSwizzle and its Dynamic form, block_swizzle.hpp.
    """
    return _SplitK(problem, tile, offset, direction, splitk, cores)


class Piece(NamedTuple):
    """Some tiles of K of a block, and the core that computes them."""

    core: int
    block: int
    """The number of the block among those that are cut."""
    tiles: tuple[int, int]
    part: int


class TailLast(SliceWalk):
    """A schedule of whole blocks for the full turns of all cores, and of pieces of the other blocks.

    Each core has at most one turn of pieces, and runs it before its last whole block. So the vector
    cores add up the partial sums while the core computes that block.
    """

    __slots__ = ("_tail", "_whole")

    def __init__(
        self, problem: ShapeLike, tile: ShapeLike, offset: int, direction: int, cores: int
    ) -> None:
        super().__init__(problem, tile, offset, direction, cores)
        self._tail = self.blocks % self.cores  # the number of blocks in pieces
        self._whole = self.blocks - self._tail  # the number of whole blocks, which have the first tasks

    def pieces(self, core: int) -> range:
        """The numbers of the pieces of a core."""
        raise NotImplementedError

    def piece(self, i: int) -> Piece:
        """The piece of a number, counted over all cores."""
        raise NotImplementedError

    def runs(self, core: int) -> tuple[range, ...]:
        whole = range(core, self._whole, self.cores)
        return whole[:-1], self.pieces(core), whole[-1:]

    def task(self, number: int) -> Task:
        if number >= self._whole:
            core, block, tiles, part = self.piece(number - self._whole)
            turn = max(self._whole // self.cores - 1, 0)  # the last turn but one, or turn 0
            return self.slice_task(number, core, turn, self._whole + block, tiles, part)
        turn, core = divmod(number, self.cores)
        last = number >= self._whole - self.cores
        turn += last and bool(self.pieces(core))
        return self.tile_task(number, core, turn, *self.block_at(number))


class _TailSplitK(TailLast):
    __slots__ = ()
    CPP = "TailSplitkGemmIdentityBlockSwizzle"

    @property
    def factor(self) -> int:
        return min(self.loops.k, self.cores // self._tail) if self._tail else 1

    @property
    def count(self) -> int:
        return self._whole + self._tail * self.factor

    def pieces(self, core: int) -> range:
        return range(self._whole + core, self.count, self.cores)

    def piece(self, i: int) -> Piece:
        block, part = divmod(i, self.factor)
        return Piece(i, block, share(self.loops.k, self.factor, part), part)


def tail_splitk(
    problem: ShapeLike, tile: ShapeLike, offset: int = 1, direction: int = 0, *, cores: int = CORES
) -> Schedule:
    """Return the schedule that cuts the blocks of the last turn along K, if the turn is not full.

    >>> schedule = tail_splitk((128, 1280, 512), (128, 256, 128), cores=4)
    >>> [(task.core, str(task.start), str(task.shape)) for task in schedule.tasks[4:6]]
    [(0, '(0,1024,0)', '(128,256,128)'), (1, '(0,1024,128)', '(128,256,128)')]

    The blocks are in the order of `identity`. The first ones, a multiple of the cores, are whole. Each
    of the rest has as many slices as there are cores for it, but at most one for each tile of K.

    Source: CATLASS TailSplitkGemmIdentityBlockSwizzle, block_swizzle.hpp.
    """
    return _TailSplitK(problem, tile, offset, direction, cores)


class _SingleCore(SliceWalk):
    __slots__ = ()
    CPP = "SingleCoreSplitkGemmIdentityBlockSwizzle"
    STAYS = "AB"

    def _make_bands(self) -> Bands:
        across, along = self._bands_by_columns()
        full = (across - 1) // self.offset
        last = across - full * self.offset
        # a short last band joins the one before: up to half a band of rows, less than half of columns
        half = self.offset // 2
        joins = full > 0 and (last <= half if self.direction == 0 else last < half)
        return Bands(across, along, self.offset, full - joins, zigzag=True)

    @property
    def factor(self) -> int:
        return self.loops.k

    @property
    def count(self) -> int:
        return self.blocks * self.loops.k

    def runs(self, core: int) -> tuple[range, ...]:
        begin, end = share(self.blocks, self.cores, core)
        return (range(begin * self.loops.k, end * self.loops.k),)

    def task(self, number: int) -> Task:
        k = self.loops.k
        core = owner(self.blocks, self.cores, number // k)
        begin, end = share(self.blocks, self.cores, core)
        turn = number - begin * k
        part, i = divmod(turn, end - begin)
        task = self.slice_task(number, core, turn, begin + i, (part, part + 1), part)
        return task._replace(adds=part > 0, partial=False)


def single_core_splitk(
    problem: ShapeLike, tile: ShapeLike, offset: int = 1, direction: int = 0, *, cores: int = CORES
) -> Schedule:
    """Return the schedule in which each core goes over its range of blocks once for each tile of K.

    >>> schedule = single_core_splitk((128, 512, 512), (128, 256, 256), cores=1)
    >>> [(str(task.coord), task.adds) for task in schedule.tasks]
    [('(0,0,0)', False), ('(0,1,0)', False), ('(0,0,1)', True), ('(0,1,1)', True)]

    The ranges are `share` of the blocks. A core adds every tile of K but the first to the sums that it
    has written. The order runs to and fro within the bands too. So each block shares a panel of A or B
    with the block before it, and the kernel keeps that panel in L1. A short last band joins the band
    before it. The numbers of the tasks run core after core.

    Source: CATLASS SingleCoreSplitkGemmIdentityBlockSwizzle and its Dynamic form, block_swizzle.hpp.
    """
    return _SingleCore(problem, tile, offset, direction, cores)
