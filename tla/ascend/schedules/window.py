# SPDX-License-Identifier: Apache-2.0
"""Adaptive sliding windows, ASWT: bands of four rows of tiles, with smaller tiles in the last turn.

Tile t in the order is on core ``t % cores`` in turn ``t // cores``. The order runs to and fro in bands
of `window` rows. The last band has the remaining rows, up to twice the window less one. If at most half
the cores have a tile in the last turn, each of its tiles is cut in M and N for the idle cores. The tiles
of a grouped product follow one another, group after group, without a gap.

Source: CATLASS block_scheduler_aswt.hpp, block_swizzle_grouped_aswt.hpp; the loops,
matmul_mix_fixpipe_opti.hpp and grouped_mx_matmul_slice_m_aswt_tla.hpp.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ...errors import KindError, LayoutError
from ...ground import described
from ...numbers import ceil_div, round_up
from ..shapes import GemmCoord, flag, gemm_shape, index_of
from .order import Bands
from .schedule import Schedule
from .tasks import CORES, Task, positive

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from ..shapes import ShapeLike

WINDOW = 4
CUBE = 16
LINE = 128
"""The least extent along the contiguous axis for a copy of its own, in elements."""


class _Group(NamedTuple):
    """Some rows of C."""

    number: int
    top: int
    rows: int
    height: int
    """The height of its tiles."""
    bands: Bands


class _Piece(NamedTuple):
    core: int
    tile: int
    """The number of its tile among the last ones."""
    at: tuple[int, int]
    shape: tuple[int, int]


_core_of = operator.attrgetter("core")


class _Windows(Schedule):
    """The tiles of some groups of rows, one after another, with those of the last turn cut."""

    __slots__ = ("_ends", "_groups", "_pieces", "_whole", "bands", "window")

    def __init__(
        self,
        problem: ShapeLike,
        tile: ShapeLike,
        cores: int,
        swizzle: str,
        window: int,
        rows: Sequence[int] = (),
        balanced: bool = False,
        split: bool = True,
    ) -> None:
        super().__init__(problem, tile, cores, swizzle)
        self.window = positive("window", window, self.CPP)
        self._groups = self._groups_of(rows or (self.problem.m,), balanced)
        self.bands = self._groups[-1].bands
        tiles = [group.bands.rows * group.bands.columns for group in self._groups]
        self._ends = list(accumulate(tiles))
        m = sum(group.bands.rows for group in self._groups)
        self.loops = self.loops._replace(m=m)
        busy = (self._ends[-1] - 1) % self.cores + 1  # the number of cores with a tile in the last turn
        self._pieces: list[_Piece] = []
        cut = min(busy, tiles[-1])
        self._whole = self._ends[-1]
        if split and 2 * busy <= self.cores and self._groups[-1].number == max(len(rows) - 1, 0):
            self._whole -= cut
            self._pieces = list(self._cut(busy, cut))

    def _groups_of(self, rows: Sequence[int], balanced: bool) -> list[_Group]:
        groups: list[_Group] = []
        top = 0
        for index, extent in enumerate(rows):
            if extent:
                height = self.tile.m
                if balanced:
                    even = ceil_div(extent, ceil_div(extent, height))
                    height = min(height, round_up(even, CUBE))
                m = ceil_div(extent, height)
                window = min(self.window, m)
                bands = Bands(m, self.loops.n, window, m // window - 1)
                groups.append(_Group(index, top, extent, height, bands))
            top += extent
        return groups

    def _parts(self, busy: int, cut: int, edge: tuple[int, int]) -> tuple[int, int]:
        """The number of parts of a tile of the last turn, in M and in N."""
        raise NotImplementedError

    def _steps(self, shape: tuple[int, int], parts: tuple[int, int]) -> tuple[int, int]:
        """The extents of the parts of a tile."""
        raise NotImplementedError

    def _cut(self, busy: int, cut: int) -> list[_Piece]:
        """The pieces of the last tiles; the number of the core decides the tile and the part."""
        group = self._groups[-1]
        edge = (
            group.rows - (group.bands.rows - 1) * group.height,
            self.problem.n - (self.loops.n - 1) * self.tile.n,
        )
        parts = self._parts(busy, cut, edge)
        each = parts[0] * parts[1]
        base = busy - cut
        pieces: list[_Piece] = []
        for core in range(base, base + cut * each):
            tile = (core - base) // each
            shape = self._tile(self._whole + tile)[2]
            steps = self._steps(shape, parts)
            part = core % each
            at = (part % parts[0] * steps[0], part // parts[0] * steps[1])
            rest = (min(shape[0] - at[0], steps[0]), min(shape[1] - at[1], steps[1]))
            if min(rest) > 0:
                pieces.append(_Piece(core, tile, at, rest))
        return pieces

    def _tile(self, i: int) -> tuple[int, tuple[int, int], tuple[int, int], tuple[int, int]]:
        """The group of tile i in the order, its place in there, its extents and its first element."""
        at = bisect_right(self._ends, i)
        group = self._groups[at]
        m, n = group.bands.at(i - (self._ends[at - 1] if at else 0))
        inside = m * group.height
        shape = (
            min(group.height, group.rows - inside),
            min(self.tile.n, self.problem.n - n * self.tile.n),
        )
        return group.number, (m, n), shape, (group.top + inside, n * self.tile.n)

    @property
    def last_blocks(self) -> dict[int, GemmCoord]:
        """The extents of the pieces of the last turn, by their cores."""
        return {piece.core: GemmCoord(*piece.shape, self.problem.k) for piece in self._pieces}

    @property
    def blocks(self) -> int:
        return self._ends[-1]

    @property
    def products(self) -> tuple[GemmCoord, ...]:
        return tuple(self.problem._replace(m=group.rows) for group in self._groups)

    @property
    def count(self) -> int:
        return self._whole + len(self._pieces)

    def runs(self, core: int) -> tuple[range, ...]:
        first = bisect_left(self._pieces, core, key=_core_of)
        behind = bisect_left(self._pieces, core + 1, key=_core_of)  # at most one piece is on a core
        pieces = range(self._whole + first, self._whole + behind)
        return range(core, self._whole, self.cores), pieces

    def task(self, number: int) -> Task:
        k = self.problem.k
        if number < self._whole:
            turn, core = divmod(number, self.cores)
            group, (m, n), (rows, columns), (i, j) = self._tile(number)
        else:
            core, tile, (down, right), (rows, columns) = self._pieces[number - self._whole]
            turn = (self._ends[-1] - 1) // self.cores
            group, (m, n), _, (i, j) = self._tile(self._whole + tile)
            i, j = i + down, j + right
        start, shape = GemmCoord(i, j, 0), GemmCoord(rows, columns, k)
        return Task(number, core, turn, GemmCoord(m, n, 0), start, shape, group=group)


def _lower(m: int, n: int, most: int) -> tuple[int, int]:
    """Two counts, the larger lowered by one again and again, until their product is at most `most`."""
    while m * n > most:
        m, n = (m - 1, n) if m >= n else (m, n - 1)
    return m, n


class _Aswt(_Windows):
    __slots__ = ()
    CPP = "BlockSchedulerAswt"

    def __init__(self, problem: ShapeLike, tile: ShapeLike, cores: int, split: bool) -> None:
        swizzle = f"{self.CPP}<L1TileShape,L0TileShape>"
        super().__init__(problem, tile, cores, swizzle, WINDOW, split=split)

    def _parts(self, busy: int, cut: int, edge: tuple[int, int]) -> tuple[int, int]:
        most = self.cores // busy
        m, n = _lower(min(edge[0], most), min(edge[1], most), most)
        m, n = (ceil_div(e, ceil_div(e, parts)) for e, parts in zip(edge, (m, n), strict=True))
        return m, n

    def _steps(self, shape: tuple[int, int], parts: tuple[int, int]) -> tuple[int, int]:
        return ceil_div(shape[0], parts[0]), ceil_div(shape[1], parts[1])


def aswt(problem: ShapeLike, tile: ShapeLike, *, cores: int = CORES, split: bool = True) -> Schedule:
    """Return the schedule of sliding windows of four rows of tiles.

    >>> schedule = aswt((512, 1280, 64), (128, 256, 64), cores=16)
    >>> for task in schedule.tasks[16:19]:
    ...     print(task)
    task 16 (core 0, round 1): [0:64,1024:1152,0:64]
    task 17 (core 1, round 1): [64:128,1024:1152,0:64]
    task 18 (core 2, round 1): [0:64,1152:1280,0:64]

    Args:
        split: Whether to cut the tiles of the last turn if at most half the cores have one. All of
            CATLASS's kernels do so, except for products of MX elements other than fp8.

    Source: CATLASS BlockSchedulerAswt, block_scheduler_aswt.hpp; 05_aswt.md.
    """
    return _Aswt(problem, tile, cores, flag("split", split))


class _GroupedAswt(_Windows):
    __slots__ = ("_least",)
    CPP = "GemmGroupedAswtTailSplitSwizzle"

    def __init__(
        self,
        problem: ShapeLike,
        tile: ShapeLike,
        cores: int,
        rows: Sequence[int],
        window: int,
        trans_a: bool,
        trans_b: bool,
        balanced: bool,
    ) -> None:
        self._least = (LINE if trans_a else 1, CUBE if trans_b else LINE)
        flags = ",".join(str(is_set).lower() for is_set in (trans_a, trans_b))
        swizzle = f"{self.CPP}<{window},{flags}>"
        super().__init__(problem, tile, cores, swizzle, window, rows, balanced)

    def _parts(self, busy: int, cut: int, edge: tuple[int, int]) -> tuple[int, int]:
        most = (self.cores - busy) // cut + 1
        m, n = (ceil_div(e, max(CUBE, least)) for e, least in zip(edge, self._least, strict=True))
        return _lower(min(m, most), min(n, most), most)

    def _steps(self, shape: tuple[int, int], parts: tuple[int, int]) -> tuple[int, int]:
        m, n = (
            round_up(ceil_div(extent, p), least)
            for extent, p, least in zip(shape, parts, self._least, strict=True)
        )
        return m, n


def grouped_aswt(
    problem: ShapeLike,
    tile: ShapeLike,
    rows: Sequence[SupportsIndex] = (),
    *,
    cores: int = CORES,
    window: int = WINDOW,
    trans_a: bool = False,
    trans_b: bool = True,
    balanced: bool = False,
) -> Schedule:
    """Return the schedule of sliding windows over groups of rows, each with its own B.

    >>> schedule = grouped_aswt((640, 256, 64), (128, 256, 64), (300, 0, 340), cores=4)
    >>> [(task.core, task.group, task.start.m, task.start.n) for task in schedule.tasks[2:6]]
    [(2, 0, 256, 0), (3, 2, 300, 0), (0, 2, 428, 0), (1, 2, 428, 128)]

    If at most half the cores have a tile in the last turn, the tiles of the last group there are cut. No
    part is narrower than 16 elements, or 128 along the contiguous axis.

    Args:
        rows: The rows of each group, which sum to M. A group without rows has no tiles. By default all
            rows are one group.
        window: The number of rows of tiles in a band.
        trans_a, trans_b: Whether A and B are column major.
        balanced: Whether the tiles of a group are lower, in steps of 16, so that they are even.

    Raises:
        LayoutError: the rows do not sum to M, or are negative.
    Source: CATLASS GemmGroupedAswtTailSplitSwizzle, block_swizzle_grouped_aswt.hpp.
    """
    named = {"trans_a": trans_a, "trans_b": trans_b, "balanced": balanced}
    flags = [flag(name, x) for name, x in named.items()]
    return _GroupedAswt(problem, tile, cores, group_rows(problem, rows), window, *flags)


def group_rows(problem: ShapeLike, rows: Sequence[SupportsIndex]) -> tuple[int, ...]:
    """Return the rows of each group as ints; none are one group.

    Raises:
        LayoutError: the rows do not sum to M, or are negative.
    """
    if isinstance(rows, str) or not hasattr(rows, "__iter__"):
        what = f"{described(rows)}"
        raise KindError(f"rows is a sequence of ints, one for each group, not {what}")
    extents = tuple(index_of("the rows of a group", n) for n in rows)
    whole = gemm_shape(problem, "problem").m
    if extents and (min(extents) < 0 or sum(extents) != whole):
        raise LayoutError(
            f"the rows of the groups, {', '.join(map(str, extents))}, sum to {sum(extents)}:"
            f" M is {whole}",
            "Every row of the product is in one group, and none has fewer than 0.",
            rows=extents,
        )
    return extents
