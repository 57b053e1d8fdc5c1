"""Figures as plain data: what there is to see, before anything is drawn.

A layout is seen as a grid of offsets. The last two modes are the rows and columns; each coordinate
of the modes before them gives one grid.

>>> grid = layout_figure(Layout((2, 3), (3, 1))).grids[0]
>>> [[cell.offset for cell in row] for row in grid.cells]
[[0, 1, 2], [3, 4, 5]]
"""

from __future__ import annotations

from itertools import islice
from itertools import product as cartesian
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .coord import offset_at
from .errors import LayoutError
from .int_tuple import product
from .ints import is_tuple, known_int
from .layout import as_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .layout import AnyLayout

__all__ = [
    "AnyFigure",
    "Bar",
    "Bars",
    "Cell",
    "Figure",
    "Grid",
    "Lane",
    "Steps",
    "Stretch",
    "Timeline",
    "layout_figure",
]


class Cell(NamedTuple):
    """One coordinate: its offset, and whether it holds data or is padding."""

    offset: int
    valid: bool


class Grid(NamedTuple):
    """A corner of a matrix of cells.

    ``rows`` and ``columns`` are the sizes of the whole; ``cells`` are the first of each. A vector
    is one row without a number: ``rows`` is None. ``title`` says which slice it is, or is empty.
    """

    title: str
    rows: int | None
    columns: int
    cells: tuple[tuple[Cell, ...], ...]

    @property
    def is_cut(self) -> bool:
        """Whether there is more than the cells show."""
        return len(self.cells) < (self.rows or 1) or any(len(r) < self.columns for r in self.cells)

    @property
    def has_padding(self) -> bool:
        """Whether a cell shown is padding."""
        return any(not cell.valid for row in self.cells for cell in row)


class Figure(NamedTuple):
    """The grids of a layout, and the totals of the whole of it."""

    grids: tuple[Grid, ...]
    slices: int
    """How many grids the whole layout has."""
    size: int
    valid_size: int
    cosize: int


class Steps(NamedTuple):
    """The steps of an operation: a table of texts, and the steps of the operations it is made of.

    ``rows`` are as long as ``columns``; ``notes`` stand above them, ``result`` below.
    """

    title: str
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    parts: tuple[Steps, ...]
    result: str


class Bar(NamedTuple):
    """Bytes of a buffer: written from ``start`` to ``end``, read as far as ``reach``."""

    label: str
    start: int
    end: int
    reach: int
    clashes: tuple[tuple[int, int], ...]
    """Ranges of it that another bar writes too."""


class Bars(NamedTuple):
    """What lies where in a buffer of ``length`` bytes."""

    title: str
    length: int
    bars: tuple[Bar, ...]


class Stretch(NamedTuple):
    """What a lane does in one turn, or a part of it: a name, and how much work it is."""

    label: str
    work: int


class Lane(NamedTuple):
    """One worker: its number, what it does in each turn shown, and all its work."""

    number: int
    cells: tuple[tuple[Stretch, ...], ...]
    work: int


class Timeline(NamedTuple):
    """Workers by turns: who does what when, and how much of it.

    ``turns`` are the numbers of the turns shown, as long as the cells of each lane; where numbers are
    left out, so are turns or lanes. ``most`` is the work of the busiest of all lanes.
    """

    lane: str
    """What a row is, in one word."""
    turn: str
    """What a column is."""
    legend: str
    """What the labels are."""
    turns: tuple[int, ...]
    lanes: tuple[Lane, ...]
    lane_count: int
    turn_count: int
    most: int


AnyFigure: TypeAlias = "Figure | Steps | Timeline | Bars"
"""What can be drawn."""


def layout_figure(layout: AnyLayout, rows: int = 16, columns: int = 64, slices: int = 4) -> Figure:
    """Return the figure of a layout: at most so many rows and columns of so many slices.

    Args:
        rows, columns, slices: The largest corner shown; the rest is only counted.
    """
    if min(rows, columns, slices) < 1:
        raise LayoutError(f"a figure of {rows} rows, {columns} columns, {slices} slices is empty")
    as_layout(layout)
    shape, stride, origin = layout.shape, layout.stride, layout.origin_shape
    if not is_tuple(shape):
        shape, stride, origin = (shape,), (stride,), (origin,)
    sizes = [known_int(product(s)) for s in shape]
    limits = [slices] * len(sizes)
    limits[-2:] = [rows, columns][-len(sizes) :] if sizes else []
    # the offset and validity of the first coordinates of each mode
    modes = [
        [Cell(int(offset_at(i, s, d, False)), i < n) for i in range(min(size, limit))]
        for s, d, n, size, limit in zip(shape, stride, origin, sizes, limits, strict=True)
    ]
    outer, matrix = modes[:-2], modes[-2:]
    grids = tuple(
        _grid(at, [mode[i] for mode, i in zip(outer, at, strict=True)], matrix, sizes)
        for at in islice(cartesian(*(range(len(mode)) for mode in outer)), slices)
    )
    return Figure(grids, prod(sizes[:-2]), int(layout.size), int(layout.valid_size), int(layout.cosize))


def _grid(at: tuple[int, ...], base: Sequence[Cell], matrix: list[list[Cell]], sizes: list[int]) -> Grid:
    """The grid of one slice: rows and columns added to the offset of its coordinates."""
    lines = [[Cell(0, True)]] * (2 - len(matrix)) + matrix
    cells = tuple(tuple(_sum([*base, row, column]) for column in lines[1]) for row in lines[0])
    title = f"[{','.join(map(str, at))},_,_]" if at else ""
    rows = sizes[-2] if len(sizes) > 1 else None
    return Grid(title, rows, sizes[-1] if sizes else 1, cells)


def _sum(cells: Sequence[Cell]) -> Cell:
    return Cell(sum(c.offset for c in cells), all(c.valid for c in cells))
