# SPDX-License-Identifier: Apache-2.0
"""Layouts as figures: a grid of offsets, and memory with the coordinates of each place.

The last two modes are the rows and columns. Each coordinate of the modes before them has its own grid.

>>> grid = layout_figure(Layout((2, 3), (3, 1))).grids[0]
>>> [[cell.offset for cell in row] for row in grid.cells]
[[0, 1, 2], [3, 4, 5]]
>>> [place.coordinates for place in strip_figure(Layout((2, 2), (3, 1))).places]
[('(0,0)',), ('(0,1)',), (), ('(1,0)',), ('(1,1)',)]
"""

from __future__ import annotations

from itertools import accumulate, islice, product as cartesian, repeat
from math import prod
from operator import mul
from sys import maxsize
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from ..errors import CoordinateError, LayoutError, UnsupportedError
from ..ground import (
    NO_COLOUR,
    Axis,
    Cell,
    Figure,
    Grid,
    Place,
    Scheme,
    Strip,
    bank_of,
    limit_error,
    limit_of,
    shade,
    shown,
)
from ..layouts import as_layout, ends_of, idx2crd, leaves, offset_at, product, text_of
from ..numbers import Basis, ceil_div, is_tuple, known_int
from .cells import replace_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..layouts import AnyLayout

COLOURS: Final = 8
"""The number of colours of tiles; after the last colour the first comes again."""

BANK_SCHEMES: Final = tuple([scheme for scheme in get_args(Scheme) if scheme.startswith("bank")])


def tile_colour(row: int, column: int) -> int:
    """Return the colour of a tile by its place among the tiles; no tile that touches it has the same.

    >>> [[tile_colour(i, j) for j in range(4)] for i in range(2)]
    [[0, 3, 6, 1], [1, 4, 7, 2]]
    """
    return (row + 3 * column) % COLOURS


# --- grids ------------------------------------------------------------------------------------


def layout_figure(
    layout: AnyLayout,
    rows: int = 16,
    columns: int = 64,
    slices: int = 4,
    colour: Scheme | None = None,
    tiles: Sequence[Sequence[int]] | None = None,
) -> Figure:
    """Return the figure of a layout: at most ``slices`` slices of ``rows`` rows and ``columns`` columns.

    >>> figure = layout_figure(Layout((100, 100), (100, 1)), rows=2, columns=3)
    >>> [[cell.offset for cell in row] for row in figure.grids[0].cells], figure.size
    ([[0, 1, 2], [100, 101, 102]], 10000)

    Args:
        rows, columns, slices: The greatest extents of the figure; the rest is only counted.
        colour: ``"tile"`` for a colour of each of the largest tiles; ``"offset"`` for colours by offset;
            ``"bank"``, or ``"bank16"`` for elements of 16 bits, by the bank of shared memory; ``""``
            for none. The default is tiles if a matrix has up to eight, and else offsets.
        tiles: The sizes of tiles in rows and columns, the largest first, as in ``T(2,4)(2,1)``. The
            default is those of nested modes: all leaves but the last are the largest tile. Tiles of each
            level have borders.

    Raises:
        LayoutError: the figure would be empty, or a tile is.
        LimitError: the figure has more cells, rows, columns or slices than `tla.limits` allows.
        UnsupportedError: there is no such colour.
    """
    if min(rows, columns, slices) < 1:
        raise LayoutError(f"a figure of {rows} rows, {columns} columns, {slices} slices is empty")
    if colour not in (None, "", "tile", "offset") and colour not in BANK_SCHEMES:
        raise UnsupportedError(
            f"cells are coloured by tile, offset or bank, not by {shown(colour)}",
            f"By bank: {', '.join(BANK_SCHEMES)}, with the bits of an element.",
        )
    as_layout(layout)
    if any(isinstance(d, Basis) for d in leaves(layout.stride)):
        from ..algebra import numbered_layout

        places = numbered_layout(layout)
        return _of_coordinates(layout, layout_figure(places, rows, columns, slices, colour, tiles))
    modes = _modes(layout)
    extents = _extents(modes, tiles)
    sizes = [known_int(product(mode.shape)) for mode in modes]
    most = [slices] * len(sizes)
    most[-2:] = [rows, columns][-len(sizes) :] if sizes else []
    counts = list(map(min, sizes, most))
    high, wide = [1, 1, *counts][-2:]
    _check_cells(high, wide, min(slices, prod(counts[:-2])))
    lines = list(map(_Line.of, modes, sizes, counts, extents))
    if colour is None:
        sides = zip(sizes[-2:], extents[-2:], strict=True)
        tile_count = prod([ceil_div(size, extent[-1]) for size, extent in sides if extent])
        colour = "tile" if any(extents[-2:]) and tile_count <= COLOURS else "offset"
    outer, matrix = lines[:-2], lines[-2:]
    colours = Colours(colour, *ends_of(layout))
    grids = tuple(
        _grid(at, [line.places[i] for line, i in zip(outer, at, strict=True)], matrix, colours)
        for at in islice(cartesian(*(range(len(line.places)) for line in outer)), min(slices, maxsize))
    )
    return Figure(
        grids,
        prod(sizes[:-2]),
        known_int(layout.size),
        known_int(layout.valid_size),
        known_int(layout.cosize),
        str(layout),
        colour,
    )


def _of_coordinates(layout: AnyLayout, figure: Figure) -> Figure:
    """A figure of the places of coordinates, with the coordinates as texts."""

    def cell(coord: Any, of: Cell) -> Cell:
        value = layout(coord)
        return of._replace(offset=value, text=text_of(value))

    return figure._replace(grids=replace_cells(layout, figure, cell), title=str(layout))


def _check_cells(rows: int, columns: int, slices: int) -> None:
    """Raise LimitError for a figure of too many rows, columns, slices, or cells in all."""
    cells = rows * columns * slices
    for name, n in (("rows", rows), ("columns", columns), ("slices", slices), ("cells", cells)):
        if n > limit_of(name):
            extents = f"{slices} x {rows} x {columns} cells (slices, rows, columns)"
            summary = f"a figure of {extents} has {n} {name}; at most {limit_of(name)} are drawn"
            raise limit_error(name, summary, needed=n)


class _Mode(NamedTuple):
    shape: Any
    stride: Any
    origin: Any


def _modes(layout: AnyLayout) -> list[_Mode]:
    shape, stride, origin = layout.shape, layout.stride, layout.origin_shape
    if not is_tuple(shape):
        return [_Mode(shape, stride, origin)]
    return [_Mode(*mode) for mode in zip(shape, stride, origin, strict=True)]


class _Line(NamedTuple):
    """The first coordinates of a mode: their offsets and validity, their axis, and their tiles."""

    places: list[tuple[int, bool]]
    axis: Axis
    tiles: Sequence[int]

    @classmethod
    def of(cls, mode: _Mode, size: int, count: int, extents: Sequence[int]) -> _Line:
        shape, stride, origin = mode
        places = [(known_int(offset_at(i, shape, stride, False)), i < origin) for i in range(count)]
        axis = axis_of(shape, range(count), size, extents)
        return cls(places, axis, axis.tiles[-1] if extents else [0] * count)


def _extents(modes: Sequence[_Mode], tiles: Sequence[Sequence[int]] | None) -> list[list[int]]:
    """The extents of the tiles along each mode, the smallest first; rows have as many as columns.

    A mode of fewer leaves begins with its smallest tile, or with one tile.
    """
    if tiles is None:
        nested = [_nested_extents(mode.shape) for mode in modes]
        depth = max(map(len, nested[-2:]), default=0)
        wholes = [known_int(product(mode.shape)) or 1 for mode in modes]
        return [
            [(own or [whole])[0]] * (depth - len(own)) + own
            for own, whole in zip(nested, wholes, strict=True)
        ]
    if any(len(tile) < len(modes[-2:]) or min(tile, default=1) < 1 for tile in tiles):
        raise LayoutError(f"the tiles {shown(tiles)} need a size of 1 or more for rows and for columns")
    sides = min(len(modes), 2)
    return [
        *[[]] * (len(modes) - sides),
        *([known_int(tile[-k]) for tile in reversed(tiles)] for k in range(sides, 0, -1)),
    ]


def _nested_extents(shape: Any) -> list[int]:
    """The extents of the tiles of a nested mode, the smallest first: of its first leaf, of two ..."""
    return list(accumulate([known_int(n) or 1 for n in leaves(shape)][:-1], mul))


def axis_of(shape: Any, line: range, size: int, extents: Sequence[int] | None = None) -> Axis:
    """Return the axis of a range of a mode: the names of its coordinates, and their digits by level.

    >>> axis = axis_of((4, 3), range(3, 6), 12)
    >>> axis.names, axis.levels, axis.tiles
    (('(3,0)', '(0,1)', '(1,1)'), ((0, 1, 1), (3, 0, 1)), ((0, 1, 1),))

    Args:
        extents: Those of the tiles, the smallest first; the default is the leaves of the mode.
    """
    sizes = [known_int(n) for n in leaves(shape)]
    if 0 in sizes and len(line):
        raise CoordinateError(f"the shape {text_of(shape)} has no coordinate {line[0]}")
    levels: list[tuple[int, ...]] = []
    step = 1
    for n in sizes:
        levels.append(tuple([i // step % n for i in line]))
        step *= n
    names = tuple([text_of(idx2crd(i, shape)) for i in line])
    extents = _nested_extents(shape) if extents is None else extents
    tiles = tuple([tuple([i // extent for i in line]) for extent in extents])
    return Axis(size, names, tuple(levels[::-1]) or ((0,) * len(line),), tiles)


class Colours:
    """The colour of a cell: by its tile, by its offset between the least and the greatest, by its bank.

    Args:
        low, high: The least and the greatest offset.
    """

    def __init__(self, scheme: Scheme, low: int, high: int) -> None:
        self.scheme = scheme
        self.low: int = low
        self.span: int = max(high - low, 1)

    def of_offset(self, offset: int) -> int:
        """The colour of an offset."""
        if self.scheme == "offset":
            return shade(offset - self.low, self.span + 1)
        return bank_of(self.scheme, offset)

    def row(self, tile: int, tiles: Sequence[int], offsets: Sequence[int]) -> Iterator[int]:
        """The colours of a row of cells."""
        if self.scheme == "tile":
            return iter([tile_colour(tile, column) for column in tiles])
        return map(self.of_offset, offsets) if self.scheme else repeat(NO_COLOUR)


def _grid(
    at: tuple[int, ...], base: Sequence[tuple[int, bool]], matrix: list[_Line], colours: Colours
) -> Grid:
    """The grid of one slice, at the offset of its coordinates."""
    point = _Line([(0, True)], Axis(1, ("0",), ((0,),)), [0])
    rows, columns = ([point, point, *matrix])[-2:]
    start = sum(offset for offset, _valid in base)
    is_data = all(valid for _offset, valid in base)
    steps = [offset for offset, _valid in columns.places]
    flags = [valid for _offset, valid in columns.places]
    nothing = [False] * len(flags)
    cells: list[tuple[Cell, ...]] = []
    for (offset, valid), tile in zip(rows.places, rows.tiles, strict=True):
        offsets = [start + offset + step for step in steps]
        data = flags if is_data and valid else nothing
        cells.append(tuple(map(Cell, offsets, data, colours.row(tile, columns.tiles, offsets))))
    return Grid(at, rows.axis if len(matrix) > 1 else None, columns.axis, tuple(cells))


# --- memory -----------------------------------------------------------------------------------


def strip_figure(
    layout: AnyLayout,
    places: int = 64,
    colour: Scheme | None = None,
    tiles: Sequence[Sequence[int]] | None = None,
) -> Strip:
    """Return memory from the least offset on, with the coordinates of each place.

    >>> strip = strip_figure(Layout((2, 2), (0, 2)))
    >>> [(place.offset, place.hits) for place in strip.places], strip.holes, strip.shared
    ([(0, 2), (1, 0), (2, 2)], 1, 2)

    It looks only for the coordinates of the places in the figure, so a layout may be of any size.

    Args:
        places: The greatest number of places in the figure; the rest is only counted.
        colour, tiles: The same as for `layout_figure`.

    Raises:
        LayoutError: the figure would be empty.
        LimitError: the figure has more places than `tla.limits` allows.
        UnsupportedError: there is no such colour.
    """
    if places < 1:
        raise LayoutError(f"a figure of {places} places is empty")
    figure = layout_figure(layout, 1, 1, 1, colour, tiles)
    largest = [extents[-1] if extents else maxsize for extents in _extents(_modes(layout), tiles)]
    low, high = ends_of(layout)
    count, most = min(places, high + 1 - low), limit_of("places")
    if count > most:
        summary = f"a figure of {count} places; at most {most} are drawn"
        raise limit_error("places", summary, needed=count)
    memory = _Memory(layout, low, count)
    colours = Colours(figure.scheme, low, high)
    row: list[Place] = []
    for offset in range(low, low + count):
        coordinates = memory.coordinates(offset, _MOST_NAMES)
        places_of = [_Coordinate(layout, digits, largest) for digits in coordinates]
        colour_of = NO_COLOUR
        if places_of:
            colour_of = next(colours.row(*places_of[0].tile, [offset]))
        names = tuple([place.name for place in places_of])
        hits, data = memory.counts(offset)
        row.append(Place(offset, names, hits, bool(data) or not hits, colour_of))
    return Strip(str(layout), low, high + 1, tuple(row), figure.scheme)


_MOST_NAMES: Final = 4
"""The most coordinates of one place whose names are in the figure."""


class _Memory:
    """A range of offsets from the least on, and the number of coordinates of each.

    A digit counts from the index at which its leaf adds least. So every leaf adds a multiple of its
    step. ``ways[k]`` has the numbers of coordinates of the first k leaves with each sum.
    """

    def __init__(self, layout: AnyLayout, low: int, count: int) -> None:
        self.low = low
        shape, stride = leaves(layout.shape), leaves(layout.stride)
        self.leaves = [(known_int(n), known_int(d)) for n, d in zip(shape, stride, strict=True)]
        one = [1] + [0] * (count - 1) if count > 0 else []
        self.ways = [one]
        for n, d in self.leaves:
            self.ways.append(_multiples(self.ways[-1], n, abs(d)))
        self.data = self.ways[-1]
        if layout.valid_size != layout.size:
            self.data = self._of_data(_modes(layout), one)

    def counts(self, offset: int) -> tuple[int, int]:
        """The number of coordinates with an offset, and the number of those that hold data."""
        return self.ways[-1][offset - self.low], self.data[offset - self.low]

    def coordinates(self, offset: int, most: int) -> list[tuple[int, ...]]:
        """The first coordinates with an offset, as digits, in the order of coordinates."""
        coords: list[tuple[int, ...]] = []

        def walk(k: int, rest: int, digits: tuple[int, ...]) -> None:
            if not self.ways[k][rest]:
                return
            if not k:
                coords.append(digits)
                return
            n, d = self.leaves[k - 1]
            step = abs(d)
            last = min(n - 1, rest // step) if step else n - 1
            # the first leaf must add the whole rest
            digits_of = range(last, last + 1) if k == 1 and step else range(last + 1)
            for j in digits_of if d >= 0 else reversed(digits_of):
                if len(coords) >= most:
                    return
                walk(k - 1, rest - j * step, (j if d >= 0 else n - 1 - j, *digits))

        walk(len(self.leaves), offset - self.low, ())
        return coords

    def _of_data(self, modes: list[_Mode], table: list[int]) -> list[int]:
        """The same counts for the coordinates in the origin shape, whose indices are below a bound.

        It goes from the lowest digit to the highest. An index is below a bound if its highest digit is
        smaller, or if that is equal and the lower digits are below those of the bound.
        """
        k = 0
        for mode in modes:
            bound = known_int(product(mode.origin))
            below, other = [0] * len(table), table
            for n, d in self.leaves[k : k + len(tuple(leaves(mode.shape)))]:
                digit, bound = (bound % n, bound // n) if n else (0, 0)
                step = abs(d)
                if d >= 0:
                    lower = _multiples(_sum(below, other), digit, step)
                    same = _shift(below, digit * step)
                else:  # digits count down to the offset
                    lower = _shift(_multiples(_sum(below, other), digit, step), (n - digit) * step)
                    same = _shift(below, (n - 1 - digit) * step)
                whole = _multiples(_sum(below, other), n, step)
                below = _sum(lower, same)
                other = [x - y for x, y in zip(whole, below, strict=True)]
                k += 1
            table = _sum(below, other) if bound else below  # the bound is the size
        return table


def _multiples(table: list[int], n: int, step: int) -> list[int]:
    """The numbers of ways to reach each sum after a further term of ``0 .. n - 1`` times a step."""
    if not step:
        return [n * x for x in table]
    out: list[int] = []
    for i, x in enumerate(table):
        before = out[i - step] if i >= step else 0
        out.append(before + x - (table[i - n * step] if i >= n * step else 0))
    return out


def _shift(table: list[int], by: int) -> list[int]:
    return ([0] * min(by, len(table)) + table)[: len(table)]


def _sum(a: list[int], b: list[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]


class _Coordinate:
    """The name and the tile of a coordinate, from its digits."""

    def __init__(self, layout: AnyLayout, digits: tuple[int, ...], largest: list[int]) -> None:
        names: list[str] = []
        tiles: list[int] = []
        rest = iter(digits)
        for mode, extent in zip(_modes(layout), largest, strict=True):
            sizes = [known_int(n) for n in leaves(mode.shape)]
            index, step = 0, 1
            for n in sizes:
                index, step = index + next(rest) * step, step * n
            names.append(text_of(idx2crd(index, mode.shape)))
            tiles.append(index // extent)
        self.name: str = f"({','.join(names)})" if is_tuple(layout.shape) else names[0]
        row, column = [0, 0, *tiles][-2:]
        self.tile: tuple[int, list[int]] = row, [column]
