# SPDX-License-Identifier: Apache-2.0
"""The number of blocks of each kind on each core, by formulas instead of a pass over all blocks.

A product has blocks of four kinds: whole, cut in m, cut in n, cut in both. Task ``t`` runs on core
``t % cores``, and an order of the blocks decides the block of task ``t``. In an order of `Bands` the
tasks of cut blocks form a few arithmetic progressions. Each is counted modulo the number of cores. In
`ColumnBlockSwizzle` a core has its own columns of blocks, each with all rows.

>>> from tla.ascend import GemmCoord, GemmShape
>>> work = loads(GemmCoord(300, 300, 64), GemmShape(128, 128, 64), cores=4, offset=1, direction=0)
>>> work.tasks, work.rounds
(9, 3)
>>> print(*work.shapes)
(128,128,64) (44,128,64) (128,44,64) (44,44,64)
>>> for load in work.cores:
...     print(load.times, load.counts, load.last)
1 (2, 0, 0, 0) 3
1 (2, 0, 0, 0) None
2 (0, 1, 1, 0) None

One of the four cores has two whole blocks and the corner. One has two whole blocks. Two have only cut
blocks.

Source: CATLASS gemm/block/block_swizzle.hpp; the orders are those of `tla.ascend.schedules`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from ..arch import FRACTAL_ROWS
from ..schedules import bands_of, share
from ..shapes import GemmCoord, rounded_up

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..schedules import Bands
    from ..shapes import GemmShape

_M, _N = 1, 2


class Load(NamedTuple):
    """The blocks of a core."""

    counts: tuple[int, ...]
    """The number of blocks of each of `Loads.shapes`, in the rounds in which every core has one."""
    last: int | None
    """The place in `Loads.shapes` of its block in a last round that is not full, or None."""
    times: int
    """The number of cores with this load."""


class Loads(NamedTuple):
    """The blocks of all cores: each different load once."""

    tasks: int
    rounds: int
    full_rounds: int
    """The number of rounds in which every core has a block."""
    shapes: tuple[GemmCoord, ...]
    """The extents of blocks: whole, cut in m, cut in n, cut in both, for each length in k."""
    cores: tuple[Load, ...]

    def blocks(self) -> list[int]:
        """The number of blocks of each shape."""
        totals = [0] * len(self.shapes)
        for load in self.cores:
            for shape, count in enumerate(load.counts):
                totals[shape] += load.times * count
            if load.last is not None:
                totals[load.last] += load.times
        return totals


def bands_over(problem: GemmCoord, tile: GemmShape, offset: int, direction: int) -> Bands:
    """Return the order of a product's blocks: direction 1 is direction 0 with the axes exchanged."""
    m, n, _ = tile.tiles_of(problem)
    rows, columns = (n, m) if direction else (m, n)
    return bands_of(rows, columns, min(offset, rows))


def loads(
    problem: GemmCoord,
    tile: GemmShape,
    *,
    cores: int,
    offset: int,
    direction: int,
    slices: Sequence[int] = (),
) -> Loads:
    """Return the number of blocks of each kind on each core.

    Time and memory grow as ``cores * offset`` for each slice. They do not depend on the number of
    blocks.

    Args:
        offset, direction: The arguments of `GemmIdentityBlockSwizzle`.
        slices: The extent in k of each slice; by default k is not cut.
    """
    bands = bands_over(problem, tile, offset, direction)
    return loads_in_bands(problem, tile, bands, cores=cores, direction=direction, slices=slices)


def loads_in_bands(
    problem: GemmCoord,
    tile: GemmShape,
    bands: Bands,
    *,
    cores: int,
    direction: int = 0,
    slices: Sequence[int] = (),
    pieces: Mapping[int, GemmCoord] | None = None,
) -> Loads:
    """Return the `loads` of an order in bands, without `Bands.zigzag`.

    Args:
        pieces: What the cores have in a last round, if that is not the last blocks of the order.
    """
    edges = _edges(problem, tile, direction)
    lengths = slices or (problem.k,)
    classes = list(dict.fromkeys(lengths))
    shapes = _shapes(problem, tile, classes)
    size = bands.rows * bands.columns
    tasks = size * len(lengths)
    full, tail = divmod(tasks, cores)
    limit = full * cores
    counts = [[0] * 4 * len(classes) for _ in range(cores)]
    for number, length in enumerate(lengths):
        _count_kinds(counts, 4 * classes.index(length), number * size, limit, bands, edges)
    groups: Counter[tuple[tuple[int, ...], int | None]] = Counter()
    for core, mine in enumerate(counts):
        last = None
        if pieces is not None:
            piece = pieces.get(core)
            if piece is not None:
                shapes = shapes if piece in shapes else (*shapes, piece)
                last = shapes.index(piece)
        elif core < tail:
            number, task = divmod(limit + core, size)
            last = 4 * classes.index(lengths[number]) + _kind_at(bands, task, edges)
        groups[tuple(mine), last] += 1
    more = (0,) * (len(shapes) - 4 * len(classes))  # shapes of pieces, in the last round alone
    each = (Load(mine + more, last, times) for (mine, last), times in groups.items())
    if pieces is not None:
        tasks = limit + len(pieces)
    return Loads(tasks, full + (tail > 0), full, shapes, tuple(each))


def loads_in_groups(
    problems: Sequence[GemmCoord], tile: GemmShape, *, cores: int, offset: int, direction: int
) -> Loads:
    """Return the loads of several products, one behind the other, each in bands.

    Rows and columns of cut blocks count as whole fractals, so that there are few shapes.

    >>> from tla.ascend import GemmCoord, GemmShape
    >>> three = [GemmCoord(128, 128, 64), GemmCoord(300, 128, 64), GemmCoord(100, 128, 64)]
    >>> work = loads_in_groups(three, GemmShape(128, 128, 64), cores=4, offset=1, direction=0)
    >>> print(*work.shapes, work.blocks())
    (128,128,64) (48,128,64) (112,128,64) [3, 1, 1]
    """
    orders: list[Bands] = []
    starts = [0]
    for problem in problems:
        orders.append(bands_over(problem, tile, offset, direction))
        starts.append(starts[-1] + orders[-1].rows * orders[-1].columns)
    full, tail = divmod(starts[-1], cores)
    limit = full * cores
    numbers: dict[GemmCoord, int] = {}
    totals: list[Counter[int]] = [Counter() for _ in range(cores)]
    found: list[tuple[tuple[int, int], list[int]]] = []
    for problem, bands, first in zip(problems, orders, starts, strict=False):
        edges = _edges(problem, tile, direction)
        own = [[0] * 4 for _ in range(cores)]
        _count_kinds(own, 0, first, limit, bands, edges)
        shapes = [
            GemmCoord(rounded_up(shape.m, FRACTAL_ROWS), rounded_up(shape.n, FRACTAL_ROWS), shape.k)
            for shape in _shapes(problem, tile, [problem.k])
        ]
        places = [numbers.setdefault(shape, len(numbers)) for shape in shapes]
        found.append((edges, places))
        for total, mine in zip(totals, own, strict=True):
            for place, count in zip(places, mine, strict=True):
                if count:
                    total[place] += count
    groups: Counter[tuple[tuple[int, ...], int | None]] = Counter()
    for core, total in enumerate(totals):
        last = None
        if core < tail:
            group = bisect_right(starts, limit + core) - 1
            edges, places = found[group]
            last = places[_kind_at(orders[group], limit + core - starts[group], edges)]
        groups[tuple([total[i] for i in range(len(numbers))]), last] += 1
    used = {last for _, last in groups}
    used |= {place for mine, _ in groups for place, n in enumerate(mine) if n}
    kept = [i for i in range(len(numbers)) if i in used]
    each = (
        Load(tuple([mine[i] for i in kept]), None if last is None else kept.index(last), times)
        for (mine, last), times in groups.items()
    )
    shapes = [*numbers]
    return Loads(starts[-1], full + (tail > 0), full, tuple([shapes[i] for i in kept]), tuple(each))


def _edges(problem: GemmCoord, tile: GemmShape, direction: int) -> tuple[int, int]:
    """The kinds of the blocks in the last row and column of the bands; 0 if they are whole."""
    m, n = _M * (problem.m % tile.m > 0), _N * (problem.n % tile.n > 0)
    return (n, m) if direction else (m, n)


def _kind_at(bands: Bands, task: int, edges: tuple[int, int]) -> int:
    """The kind of the block of a task."""
    row, column = bands.at(task)
    return edges[0] * (row == bands.rows - 1) | edges[1] * (column == bands.columns - 1)


def _count_kinds(
    counts: list[list[int]], base: int, first: int, limit: int, bands: Bands, edges: tuple[int, int]
) -> None:
    """Count the blocks of a product from a first task on: whole ones, and those that are cut.

    Args:
        limit: The first task of the last round, whose tasks are not counted.
        edges: The kind of the blocks in the last row of the bands, and in the last column.
    """
    _count(counts, base, first, 1, _below(limit, first, 1, bands.rows * bands.columns))
    for progressions, kind in zip((_last_row, _last_column), edges, strict=True):
        for start, step, many in progressions(bands) if kind else ():
            _move(counts, base, base + kind, limit, (first + start, step, many))
    corner = first + _corner(bands)
    if all(edges) and corner < limit:  # both progressions have the corner
        mine = counts[corner % len(counts)]
        for kind, change in enumerate((1, -1, -1, 1)):
            mine[base + kind] += change


def loads_by_columns(problem: GemmCoord, tile: GemmShape, *, cores: int) -> Loads:
    """Return the loads of `ColumnBlockSwizzle`: each core has its own columns of blocks, with all rows.

    >>> from tla.ascend import GemmCoord, GemmShape
    >>> loads_by_columns(GemmCoord(300, 300, 64), GemmShape(128, 128, 64), cores=4).blocks()
    [8, 4]
    """
    whole, cut = divmod(problem.m, tile.m)
    heights = [(m, many) for m, many in ((tile.m, whole), (cut, 1)) if m * many]
    each, left = divmod(problem.n, cores * tile.n)
    widths = [end - begin for begin, end in (share(left, cores, core) for core in range(cores))]
    rows, tails = sum([many for _m, many in heights]), sum([width > 0 for width in widths])
    rounds, full = rows * (each + (tails > 0)), rows * (each + (tails == cores))
    numbers: dict[GemmCoord, int] = {}
    groups: Counter[tuple[tuple[tuple[int, int], ...], int | None]] = Counter()
    for width in widths:
        mine: Counter[int] = Counter()
        last = None
        for n, columns in ((tile.n, each), (width, 1)):
            for m, many in heights if n * columns else ():
                number = numbers.setdefault(GemmCoord(m, n, problem.k), len(numbers))
                mine[number] += many * columns
                last = number
        # A single round that some cores lack is the last one.
        if rounds - full == 1 and width and last is not None:
            mine[last] -= 1
        else:
            last = None
        groups[tuple(sorted(mine.items())), last] += 1
    every = tuple(
        Load(tuple([dict(mine).get(i, 0) for i in range(len(numbers))]), last, times)
        for (mine, last), times in groups.items()
    )
    return Loads(rows * (each * cores + tails), rounds, full, tuple(numbers), every)


def _shapes(problem: GemmCoord, tile: GemmShape, lengths: Sequence[int]) -> tuple[GemmCoord, ...]:
    whole = min(tile.m, problem.m), min(tile.n, problem.n)
    cut = problem.m % tile.m or whole[0], problem.n % tile.n or whole[1]
    pairs = ((whole[0], whole[1]), (cut[0], whole[1]), (whole[0], cut[1]), cut)
    return tuple(GemmCoord(m, n, length) for length in lengths for m, n in pairs)


def _last_row(bands: Bands) -> list[tuple[int, int, int]]:
    """The tasks of the last row of blocks, as progressions: first, step and length."""
    top = bands.full * bands.height
    high = bands.rows - top
    return [(top * bands.columns + high - 1, high, bands.columns)]


def _last_column(bands: Bands) -> list[tuple[int, int, int]]:
    """The tasks of the last column of blocks: in all full bands of each direction, and in the last."""
    height, columns, full = bands.height, bands.columns, bands.full
    size = height * columns
    progressions: list[tuple[int, int, int]] = []
    kinds = 1 if bands.forth else 2  # odd bands run backwards, unless all run forth
    for kind, inner in ((0, size - height), (1, 0))[:kinds]:
        number = (full - kind + kinds - 1) // kinds  # of the full bands of this direction
        progressions += [(kind * size + inner + i, kinds * size, number) for i in range(height)]
    high = bands.rows - full * height
    inner = 0 if _ends_backwards(bands) else (columns - 1) * high
    return [*progressions, (full * size + inner, 1, high)]


def _corner(bands: Bands) -> int:
    """The task of the last row and the last column."""
    top = bands.full * bands.height
    high = bands.rows - top
    column = 0 if _ends_backwards(bands) else bands.columns - 1
    return top * bands.columns + column * high + high - 1


def _ends_backwards(bands: Bands) -> bool:
    return bands.full % 2 > 0 and not bands.forth


def _move(
    counts: list[list[int]], old: int, new: int, limit: int, progression: tuple[int, int, int]
) -> None:
    """Count the members of a progression below a limit as the kind `new` instead of `old`."""
    start, step, many = progression
    many = _below(limit, start, step, many)
    _count(counts, new, start, step, many)
    _count(counts, old, start, step, many, -1)


def _below(limit: int, start: int, step: int, many: int) -> int:
    """The number of members of a progression below a limit."""
    return max(0, min(many, -(-(limit - start) // step)))


def _count(counts: list[list[int]], kind: int, start: int, step: int, many: int, sign: int = 1) -> None:
    """Add the members of a progression to the counts of their cores."""
    cores = len(counts)
    period = cores // gcd(step, cores)  # start + step * j is periodic in j modulo the cores
    whole, rest = divmod(many, period)
    for j in range(min(period, many)):
        counts[(start + step * j) % cores][kind] += sign * (whole + (j < rest))
