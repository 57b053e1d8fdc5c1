# SPDX-License-Identifier: Apache-2.0
"""Schedules of whole tiles: each task sums over all of K.

`identity` deals the tiles out to the cores one by one, in bands of some rows or columns of tiles.
`l1_full_load` gives each core a range of that order. `iterate_k` deals the tiles out row by row.
`column` gives each core its own columns of C.

Source: CATLASS block_swizzle.hpp, block_scheduler_iterateK.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shapes import GemmCoord
from .order import Bands, bands_of, share
from .schedule import Schedule
from .tasks import CORES, Task, direction_of, positive

if TYPE_CHECKING:
    from ..shapes import ShapeLike


class BandWalk(Schedule):
    """A schedule of the blocks of C in bands; by default task t is block t in that order."""

    __slots__ = ("bands", "direction", "offset")

    offset: int
    direction: int
    bands: Bands

    def __init__(
        self, problem: ShapeLike, tile: ShapeLike, offset: int, direction: int, cores: int
    ) -> None:
        self.offset = positive("offset", offset, self.CPP)
        self.direction = direction_of(direction)
        super().__init__(problem, tile, cores, f"{self.CPP}<{self.offset},{self.direction}>")
        self.bands = self._make_bands()

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        return self.tile_task(number, core, turn, *self.block_at(number))

    def _make_bands(self) -> Bands:
        return bands_of(*self._bands_by_columns(), self.offset)

    def _bands_by_columns(self) -> tuple[int, int]:
        """The number of tiles across the bands, and along them."""
        m, n, _ = self.loops
        return (m, n) if self.direction == 0 else (n, m)

    def block_at(self, i: int) -> tuple[int, int]:
        """The tile, in M and N, that is block i in the order of bands."""
        across, along = self.bands.at(i)
        return (across, along) if self.direction == 0 else (along, across)

    def tile_task(self, number: int, core: int, turn: int, m: int, n: int) -> Task:
        """The task of a tile with all of K."""
        start, shape = self.tile_box(m, n)
        return Task(number, core, turn, GemmCoord(m, n, 0), start, shape)

    def tile_box(self, m: int, n: int) -> tuple[GemmCoord, GemmCoord]:
        """The first element and the extents of a tile with all of K, cut at the edge of C."""
        (rows, columns, depth), tile = self.problem, self.tile
        i, j = m * tile.m, n * tile.n
        return GemmCoord(i, j, 0), GemmCoord(min(tile.m, rows - i), min(tile.n, columns - j), depth)


class _Identity(BandWalk):
    __slots__ = ()
    CPP = "GemmIdentityBlockSwizzle"


def identity(
    problem: ShapeLike, tile: ShapeLike, offset: int = 1, direction: int = 0, *, cores: int = CORES
) -> Schedule:
    """Return the schedule in which task t is block t in the order of bands, on core ``t % cores``.

    >>> schedule = identity((512, 768, 64), (128, 256, 64), offset=2, direction=0)
    >>> " ".join(f"{coord.m},{coord.n}" for coord, shape in schedule)
    '0,0 1,0 0,1 1,1 0,2 1,2 2,2 3,2 2,1 3,1 2,0 3,0'

    A band has `offset` rows of tiles (columns of tiles, if `direction` is 1). The order goes down each
    column of a band and then along the band, in odd bands backwards. The last band has the remaining
    rows.

    Args:
        problem, tile: M, N and K, in elements.
        cores: The number of cores.

    Raises:
        LayoutError: an offset, extent or number of cores is not positive; a direction is not 0 or 1.
    Source: CATLASS GemmIdentityBlockSwizzle and DynamicGemmIdentityBlockSwizzle, block_swizzle.hpp.
    """
    return _Identity(problem, tile, offset, direction, cores)


class _L1FullLoad(BandWalk):
    __slots__ = ()
    CPP = "GemmIdentityBlockSwizzleL1FullLoad"
    STAYS = "A"

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        first, _ = share(self.blocks, self.cores, core)
        return self.tile_task(number, core, turn, *self.block_at(first + turn))


def l1_full_load(
    problem: ShapeLike, tile: ShapeLike, offset: int = 1, direction: int = 0, *, cores: int = CORES
) -> Schedule:
    """Return the schedule in which each core has a range of blocks: turn r is block ``first + r``.

    >>> schedule = l1_full_load((512, 768, 64), (128, 256, 64), cores=5)
    >>> [str(task.coord) for task in schedule.of_core(1)]
    ['(1,2,0)', '(1,1,0)', '(1,0,0)']

    The blocks are in the order of `identity`, and the ranges are `share` of them. So a core stays in few
    rows. While it stays in a row, the kernel keeps A of that row in L1.

    Source: CATLASS GemmIdentityBlockSwizzleL1FullLoad, block_swizzle.hpp; matmul_full_loadA.hpp.
    """
    return _L1FullLoad(problem, tile, offset, direction, cores)


class _IterateK(BandWalk):
    __slots__ = ()
    CPP = "BlockSchedulerIterateK"

    def __init__(self, problem: ShapeLike, tile: ShapeLike, cores: int) -> None:
        super().__init__(problem, tile, 1, 0, cores)
        self.swizzle = f"{self.CPP}<ProblemShape,L1TileShape,L0TileShape>"

    def _make_bands(self) -> Bands:
        return super()._make_bands()._replace(forth=True)


def iterate_k(problem: ShapeLike, tile: ShapeLike, *, cores: int = CORES) -> Schedule:
    """Return the schedule in which task t is tile t, row by row, on core ``t % cores``.

    >>> [str(block.coord) for block in iterate_k((256, 512, 64), (128, 256, 64))]
    ['(0,0,0)', '(0,1,0)', '(1,0,0)', '(1,1,0)']

    CATLASS's host starts only the cores that the longest share needs: ``ceil(T / ceil(T / cores))`` for
    T tiles. Pass that number as `cores`.

    Source: CATLASS BlockSchedulerIterateK, block_scheduler_iterateK.hpp; sparse_matmul_tla.hpp.
    """
    return _IterateK(problem, tile, cores)


class _Column(Schedule):
    __slots__ = ("_each", "_left")
    CPP = "ColumnBlockSwizzle"

    def __init__(self, problem: ShapeLike, tile: ShapeLike, cores: int) -> None:
        super().__init__(problem, tile, cores, self.CPP)
        # full tiles of columns for each core, and the remaining columns, fewer than a tile for each core
        self._each, self._left = divmod(self.problem.n, self.cores * self.tile.n)

    @property
    def count(self) -> int:
        with_tail = min(self._left, self.cores)  # the number of cores that get some remaining columns
        return self.loops.m * (self._each * self.cores + with_tail)

    def runs(self, core: int) -> tuple[range, ...]:
        return (range(self._begin(core), self._begin(core + 1)),)

    def _begin(self, core: int) -> int:
        return self.loops.m * (self._each * core + min(self._left, core))

    def task(self, number: int) -> Task:
        with_tail = min(self._left, self.cores)
        rows, each = self.loops.m, self._each
        long = with_tail * (each + 1)  # the number of columns of blocks of those cores
        column = number // rows
        core = column // (each + 1) if column < long else with_tail + (column - long) // each
        turn = number - self._begin(core)
        local, m = divmod(turn, rows)
        if local < each:
            n, width = each * core + local, self.tile.n
            first = n * self.tile.n
        else:
            n = each * self.cores
            begin, end = share(self._left, self.cores, core)
            first, width = n * self.tile.n + begin, end - begin
        start = GemmCoord(m * self.tile.m, first, 0)
        shape = GemmCoord(min(self.tile.m, self.problem.m - start.m), width, self.problem.k)
        return Task(number, core, turn, GemmCoord(m, n, 0), start, shape)


def column(problem: ShapeLike, tile: ShapeLike, *, cores: int = CORES) -> Schedule:
    """Return the schedule in which each core computes its own columns of C, block by block downwards.

    >>> schedule = column((256, 1000, 64), (128, 256, 64), cores=3)
    >>> [(str(task.start), str(task.shape)) for task in schedule.of_core(2)][:4:2]
    [('(0,512,0)', '(128,256,64)'), ('(0,923,0)', '(128,77,64)')]

    All cores have the same number of whole tiles of columns. The remaining columns, fewer than a tile
    for each core, are divided by `share`. The numbers of the tasks run core after core.

    Source: CATLASS ColumnBlockSwizzle, block_swizzle.hpp.
    """
    return _Column(problem, tile, cores)
