# SPDX-License-Identifier: Apache-2.0
"""Figures as plain data, before anything is drawn.

>>> from tla.figures.layouts import layout_figure
>>> grid = layout_figure(Layout((2, (2, 2)), (4, (1, 2)))).grids[0]
>>> [[cell.offset for cell in row] for row in grid.cells]
[[0, 1, 2, 3], [4, 5, 6, 7]]
>>> grid.column_axis.names[2], grid.column_axis.levels
('(0,1)', ((0, 0, 1, 1), (0, 1, 0, 1)))

A colour is a number in the ``scheme`` of the figure. `tla.show` decides what the colours look like, and
how a reader without colours tells them apart.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import UnsupportedError
from .arguments import guarded
from .display import figure_of, html_of
from .words import shown

Scheme: TypeAlias = Literal[
    "", "tile", "identity", "offset", "bank", "bank4", "bank8", "bank16", "bank64"
]
"""What a colour means: nothing; a tile; an element by its place among all, the same in each panel; how
far an offset is on the way from the least to the greatest; or the bank of shared memory that an element
of 32 bits begins in, or of as many bits as the name says. Neighbouring tiles have different colours."""

BANKS: Final = 32
"""The banks of shared memory, of 32 bits each."""

SHADES: Final = 16
"""The number of colours from the least offset, or the first element, to the last."""


@guarded
def bank_of(scheme: str, offset: int) -> int:
    """Return the bank in which an element begins.

    >>> [bank_of("bank16", offset) for offset in (0, 1, 2, 63, 64)]
    [0, 0, 1, 31, 0]
    """
    try:
        return offset * int(scheme[4:] or 32) // 32 % BANKS
    except ValueError:
        raise UnsupportedError(f"no colours by bank are called {shown(scheme)}") from None


@guarded
def shade(index: int, count: int) -> int:
    """Return the colour of an element by its place among all: near in order is near in colour.

    >>> [shade(i, 4) for i in range(4)], shade(10**9 - 1, 10**9)
    ([0, 5, 10, 15], 15)
    """
    return index * (SHADES - 1) // max(count - 1, 1)


NO_COLOUR: Final = -1


class Cell(NamedTuple):
    """One coordinate: its offset, and whether it holds data or is padding.

    >>> layout_figure(Layout((2, 3), (3, 1)), colour="").grids[0].cells[1][2]
    Cell(offset=5, valid=True, colour=-1, text=None, is_marked=False, elements=None)
    """

    offset: Any
    """An int; a coordinate where the layout has coordinates as values."""
    valid: bool = True
    colour: int = NO_COLOUR
    text: str | None = None
    """The text in the cell; if empty, the offset."""
    is_marked: bool = False
    """Whether the figure is about this cell."""
    elements: tuple[int, ...] | None = None
    """The elements that the cell shows, where they are not its offset. A page links cells that share
    one; colours link nothing, since few of them serve many elements."""


class Axis(NamedTuple):
    """One side of a grid: the size of a mode, and the coordinates of the places shown.

    >>> axis = layout_figure(Layout((2, (2, 2)), (4, (1, 2)))).grids[0].column_axis
    >>> axis.size, axis.names[1], axis.levels
    (4, '(1,0)', ((0, 0, 1, 1), (0, 1, 0, 1)))

    ``names`` are the coordinates as they nest. ``levels`` are their digits, those of the leaf that runs
    slowest first; a mode that is not nested has one level. ``tiles`` are the numbers of the tiles that
    the places are in, those of the smallest tiles first. A dim of XLA has the ``name`` of its letter.
    """

    size: int
    names: tuple[str, ...]
    levels: tuple[tuple[int, ...], ...]
    tiles: tuple[tuple[int, ...], ...] = ()
    name: str = ""

    @guarded
    def first(self, count: int) -> Axis:
        """Return the axis of its first places."""
        levels, tiles = (tuple([x[:count] for x in part]) for part in (self.levels, self.tiles))
        return self._replace(names=self.names[:count], levels=levels, tiles=tiles)


class Grid(NamedTuple):
    """A corner of a matrix of cells.

    >>> grid = layout_figure(Layout((2, 100), (100, 1)), columns=3).grids[0]
    >>> grid.rows, grid.columns, len(grid.cells[0]), grid.is_cut
    (2, 100, 3, True)

    A vector is one row without a number: ``row_axis`` is None.
    """

    at: tuple[int, ...]
    """Which slice it is: an index of each mode before its rows and columns."""
    row_axis: Axis | None
    column_axis: Axis
    cells: tuple[tuple[Cell, ...], ...]
    part: str = ""
    """The rows and columns of the corner, if it is not the first."""

    @property
    def title(self) -> str:
        """Which slice, and which part of it; empty where there is one slice, from its corner on."""
        slices = f"[{','.join(map(str, self.at))},_,_]" if self.at else ""
        return ", ".join(filter(None, (slices, self.part)))

    @property
    def rows(self) -> int | None:
        """How many rows the whole has; None of a vector."""
        return None if self.row_axis is None else self.row_axis.size

    @property
    def columns(self) -> int:
        """How many columns the whole has."""
        return self.column_axis.size

    @guarded
    def corner(self, rows: int, columns: int) -> Grid:
        """Return the grid of its first rows and columns."""
        return self._replace(
            row_axis=self.row_axis and self.row_axis.first(rows),
            column_axis=self.column_axis.first(columns),
            cells=tuple([row[:columns] for row in self.cells[:rows]]),
        )

    @property
    def corner_text(self) -> str:
        """The names of rows and columns, for the corner between them; empty if they have none."""
        names = [axis.name for axis in (self.row_axis, self.column_axis) if axis is not None]
        return "\\".join(names) if all(names) else ""

    @property
    def is_cut(self) -> bool:
        """Whether there is more than the cells show."""
        return len(self.cells) < (self.rows or 1) or any(len(r) < self.columns for r in self.cells)

    @property
    def has_padding(self) -> bool:
        """Whether a cell shown is padding."""
        return any(not cell.valid for row in self.cells for cell in row)


class Figure(NamedTuple):
    """The grids of a layout, and the totals of the whole of it.

    >>> figure = layout_figure(Layout((2, 3, 4), (1, 2, 6)), slices=1)
    >>> figure.grids[0].title, figure.slices, figure.size, figure.cosize
    ('[0,_,_]', 2, 24, 24)
    """

    grids: tuple[Grid, ...]
    slices: int
    """How many grids the whole layout has."""
    size: int
    valid_size: int
    cosize: int
    title: str = ""
    scheme: Scheme = ""

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Place(NamedTuple):
    """One offset, and the coordinates that lead there: none is a hole, several share it.

    >>> strip_figure(Layout((2, 2), (0, 2)), colour="").places[2]
    Place(offset=2, coordinates=('(0,1)', '(1,1)'), hits=2, valid=True, colour=-1, is_marked=False)
    """

    offset: int
    coordinates: tuple[str, ...]
    """The first of them."""
    hits: int
    """How many there are."""
    valid: bool = True
    """Whether one of them holds data."""
    colour: int = NO_COLOUR
    is_marked: bool = False


class Strip(NamedTuple):
    """Memory in its order: the first places of those from ``start`` to ``end - 1``.

    >>> strip = strip_figure(Layout((2, 3), (4, 1)))
    >>> strip.start, strip.end, strip.holes, strip.shared, strip.is_cut
    (0, 7, 1, 0, False)

    ``holes`` and ``shared`` count the places of no and of several coordinates, of those shown.
    """

    title: str
    start: int
    end: int
    places: tuple[Place, ...]
    scheme: Scheme = ""

    @property
    def is_cut(self) -> bool:
        """Whether there is more than the places show."""
        return len(self.places) < self.end - self.start

    @property
    def holes(self) -> int:
        """How many places shown have no coordinate."""
        return sum(not place.hits for place in self.places)

    @property
    def shared(self) -> int:
        """How many places shown have several coordinates."""
        return sum(place.hits > 1 for place in self.places)

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Panels(NamedTuple):
    """Figures side by side, with a sign between each and the next: ``A``, ``o``, ``B``, ``=``, ``C``.

    >>> a, b = map(layout_figure, (Layout((2, 2), (2, 1)), Layout((2, 2), (1, 2))))
    >>> print(show.render(Panels("by rows, by columns", (a, b))))
    by rows, by columns
    (2,2):(2,1)    (2,2):(1,2)
          0   1          0   1
        +---+---+      +---+---+
      0 | 0 | 1 |    0 | 0 | 2 |
        +---+---+      +---+---+
      1 | 2 | 3 |    1 | 1 | 3 |
        +---+---+      +---+---+
    """

    title: str
    figures: tuple[AnyFigure, ...]
    signs: tuple[str, ...] = ()
    """One less than figures, or none."""
    note: str = ""

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Steps(NamedTuple):
    """The steps of an operation: a table of texts, and the steps of the operations it is made of.

    >>> from tla.xla_bridge import parse_array, tiling_steps
    >>> steps = tiling_steps(parse_array("f32[3,5]{1,0}"), (2, 3)).figure()
    >>> steps.columns, steps.rows[-1]
    (('tile', 'step', 'dims', '(2,3) is at'), ('', 'reshape', '(15)', '(13)'))
    >>> steps.result
    'offset 13 of 15 elements'

    ``rows`` are as long as ``columns``; ``notes`` stand above them, ``result`` below.
    """

    title: str
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    parts: tuple[Steps, ...]
    result: str
    sentences: tuple[str, ...] = ()
    """The steps in words, with the numbers in place."""
    pictures: tuple[AnyFigure, ...] = ()
    """The pictures of before and after."""

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Bar(NamedTuple):
    """Bytes of a buffer: written from ``start`` to ``end``, read as far as ``reach``.

    >>> bar = Bar("A 1", start=65536, end=131072, reach=131072, clashes=((98304, 131072),))
    >>> bar.end - bar.start, bar.clashes
    (65536, ((98304, 131072),))
    """

    label: str
    start: int
    end: int
    reach: int
    clashes: tuple[tuple[int, int], ...]
    """Ranges of it that another bar writes too."""
    colour: int = NO_COLOUR
    """The number of its memory, or of its operand; without a number each bar has its own colour."""
    space: str = ""
    """The name of that memory, where bars of several stand below each other."""


class Bars(NamedTuple):
    """The parts of a buffer of ``length`` bytes, and their places.

    >>> bars = Bar("A", 0, 4096, 4096, ()), Bar("B", 4096, 6000, 8192, ())
    >>> print(show.render(Bars("L1", 8192, bars)))
    L1, 8192 bytes
    A  [#####################################                                     ]  [0,4096)
    B  [                                     ##################...................]  [4096,6000) to 8192
    # written  . padding that is read  to: the end of the padded tile
    """

    title: str
    length: int
    bars: tuple[Bar, ...]
    filled: str = "written"
    """The meaning of a bar up to its end."""
    beyond: str = "padding that is read"
    """The meaning of a bar from its end to its reach."""
    reach: str = "the end of the padded tile"
    """Where that is."""

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Stretch(NamedTuple):
    """The work of a lane in one turn, or a part of it: a name, and an amount.

    >>> Stretch("0,1", work=128 * 256 * 64)
    Stretch(label='0,1', work=2097152)
    """

    label: str
    work: int


class Lane(NamedTuple):
    """One worker: its number, its stretches in each turn shown, and its whole work.

    >>> lane = Lane(0, cells=((Stretch("0,0", 64),), (Stretch("1,0", 32),)), work=96)
    >>> sum(stretch.work for cell in lane.cells for stretch in cell) == lane.work
    True
    """

    number: int
    cells: tuple[tuple[Stretch, ...], ...]
    work: int
    name: str = ""
    """Its name, in place of the number."""

    @property
    def title(self) -> str:
        """The name, or the number."""
        return self.name or str(self.number)


class Timeline(NamedTuple):
    """Workers by turns: which work each worker does when, and how much.

    >>> first = Lane(0, ((Stretch("a", 4),), (Stretch("b", 2),)), 6)
    >>> second = Lane(1, ((Stretch("c", 4),), ()), 4)
    >>> print(show.render(Timeline("core", "round", "names of jobs", (0, 1), (first, second), 2, 2, 6)))
    round 0      1    work
        0 [a   ] [b]  100%
        1 [c   ]       66%
    each row a core; in brackets as wide as the work: names of jobs; work is of the busiest core's

    ``turns`` are the numbers of the turns shown, as long as the cells of each lane; where numbers are
    left out, so are turns or lanes. ``most`` is the work of the busiest of all lanes.
    """

    lane: str
    """One word for a row, such as ``core``."""
    turn: str
    """One word for a column."""
    legend: str
    """The meaning of the labels."""
    turns: tuple[int, ...]
    lanes: tuple[Lane, ...]
    lane_count: int
    turn_count: int
    most: int

    def _repr_html_(self) -> str | None:
        return html_of(self)


AnyFigure: TypeAlias = Figure | Strip | Panels | Steps | Timeline | Bars
"""Every class of figure."""


class Shown:
    """A value of coordinates and offsets: a notebook shows its picture; `figure` gives it as data."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(
        self, rows: int = 16, columns: int = 64, slices: int = 4, colour: Scheme | None = None
    ) -> Figure:
        """Return the picture of its offsets, as data, of at most so many rows, columns and slices.

        Of a tensor it shows the elements, where there are any.

        >>> [[cell.offset for cell in row] for row in Layout((2, 3), (3, 1)).figure().grids[0].cells]
        [[0, 1, 2], [3, 4, 5]]
        >>> swizzled = ComposedLayout(Swizzle(1, 0, 1), 0, Layout((2, 2), (2, 1)))
        >>> [[cell.offset for cell in row] for row in swizzled.figure().grids[0].cells]
        [[0, 1], [3, 2]]
        >>> tile = get_tile(Tensor("abcdefgh".encode(), row_major(2, 4)), (0, 1), (2, 2))
        >>> [[(cell.offset, cell.text) for cell in row] for row in tile.figure().grids[0].cells]
        [[(1, '98'), (2, '99')], [(5, '102'), (6, '103')]]

        Raises:
            LayoutError: nothing would be shown.
            UndecidedError: an int is unknown, or there are too many coordinates.
        """
        found: Figure = figure_of(self, rows=rows, columns=columns, slices=slices, colour=colour)
        return found
