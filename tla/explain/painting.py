# SPDX-License-Identifier: Apache-2.0
"""Figures of layouts with own colours, marks and texts, for pictures of operations."""

from __future__ import annotations

from itertools import product as cartesian
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..figures import axis_of, layout_figure, strip_figure
from ..ground import Cell, Figure, Grid, Place, Strip, shade
from ..layouts import Layout, crd2idx, is_layout, parse_int_tuple, product, trusted
from ..numbers import is_tuple, known_int

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..ground import Scheme
    from ..layouts import AnyLayout

ROWS: Final = 16
COLUMNS: Final = 32
SLICES: Final = 2
PLACES: Final = 64

Paint: TypeAlias = "Callable[[int, Cell], Cell]"
"""A function from the index of a coordinate and its cell to the new cell."""


def has_picture(*values: object) -> bool:
    """Whether all values are layouts of numbers with at least one coordinate."""
    return all(is_layout(x) and not x.symbols and bool(x.size) for x in values)


def sizes_of(layout: AnyLayout) -> list[int]:
    """Return the sizes of the top-level modes."""
    shape = layout.shape if is_tuple(layout.shape) else (layout.shape,)
    return [known_int(product(mode)) for mode in shape]


def counting(layout: AnyLayout) -> AnyLayout:
    """Return the layout of the same shape whose offsets are its indices."""
    return Layout(layout.shape)


def paint_layout(
    layout: AnyLayout,
    paint: Paint,
    title: str = "",
    scheme: Scheme = "identity",
    rows: int = ROWS,
    columns: int = COLUMNS,
    slices: int = SLICES,
    around: int | None = None,
    data: AnyLayout | None = None,
) -> Figure:
    """Return the figure of a layout with the cells that `paint` returns.

    Args:
        around: An index that the figure must show. If it lies outside the corner, the figure shows its
            surroundings instead.
        data: The layout whose coordinates hold data, if `layout` is an extension of it.
    """
    figure = layout_figure(layout, rows, columns, slices, "")
    if data is not None:
        figure = figure._replace(valid_size=known_int(data.valid_size))
    sizes = sizes_of(layout)
    grids: list[Grid] = []
    if around is not None and not _is_shown(around, sizes, rows, columns, slices):
        window = _window(layout, around, paint)
        return figure._replace(grids=(window,), scheme=scheme, title=title or figure.title)
    for grid, (base, down, right) in zip(figure.grids, _starts(sizes, slices), strict=True):
        cells = tuple(
            [
                tuple([paint(base + i * down + j * right, cell) for j, cell in enumerate(row)])
                for i, row in enumerate(grid.cells)
            ]
        )
        grids.append(grid._replace(cells=cells))
    return figure._replace(grids=tuple(grids), scheme=scheme, title=title or figure.title)


def _starts(sizes: list[int], slices: int) -> Iterator[tuple[int, int, int]]:
    """The index of the first cell of each grid, and the steps to the cell below and to the right."""
    weights = [1]
    for n in sizes:
        weights.append(weights[-1] * n)
    down, right = (0, 0, *weights[: len(sizes)])[-2:]
    outer = sizes[:-2]
    for count, at in enumerate(cartesian(*(range(min(n, slices)) for n in outer))):
        if count < slices:
            yield sum(i * w for i, w in zip(at, weights, strict=False)), down, right


def _is_shown(index: int, sizes: list[int], rows: int, columns: int, slices: int) -> bool:
    """Whether an index lies in the corner that the figure shows."""
    digits = digits_of(index, sizes)
    row, column = [0, 0, *digits][-2:]
    number = 0
    for c, n in zip(digits[:-2], sizes[:-2], strict=True):
        number = number * min(n, slices) + c
        if c >= slices:
            return False
    return row < rows and column < columns and number < slices


def digits_of(index: int, sizes: list[int]) -> list[int]:
    """Return the index of each mode, for an index of the whole layout."""
    digits: list[int] = []
    for n in sizes[:-1]:
        digits.append(index % n)
        index //= n
    return [*digits, index] if sizes else []


_WINDOW: Final = (8, 12)
"""The rows and columns of the figure around an index."""


def _window(layout: AnyLayout, index: int, paint: Paint) -> Grid:
    """The grid of the rows and columns around an index, in its slice."""
    sizes = sizes_of(layout)
    place = digits_of(index, sizes)
    shape: list[Any] = [*layout.shape] if is_tuple(layout.shape) else [layout.shape]
    lines = [
        range(first := max(0, min(c - most // 2, n - most)), min(n, first + most))
        for c, n, most in zip(place[-2:], sizes[-2:], _WINDOW[-len(place[-2:]) :], strict=True)
    ]
    weights = [1]
    for n in sizes:
        weights.append(weights[-1] * n)
    base = sum([c * w for c, w in zip(place[:-2], weights, strict=False)])
    down, right = [0, 0, *weights[: len(sizes)]][-2:]
    rows, columns = [range(1), *lines][-2:]

    def cell(k: int) -> Cell:
        return paint(k, Cell(known_int(layout(k)), layout.is_valid(k)))

    cells = tuple([tuple([cell(base + i * down + j * right) for j in columns]) for i in rows])
    is_matrix = len(place) > 1
    part = f"rows {rows[0]} to {rows[-1]}, " if is_matrix else ""
    return Grid(
        tuple(place[:-2]),
        axis_of(shape[-2], rows, len(rows)) if is_matrix else None,
        axis_of(shape[-1], columns, len(columns)),
        cells,
        f"{part}columns {columns[0]} to {columns[-1]}",
    )


def cells_of(layout: AnyLayout) -> list[int]:
    """Return the indices of the cells in the figure of `paint_layout`, in reading order."""
    indices: list[int] = []

    def note(index: int, cell: Cell) -> Cell:
        indices.append(index)
        return cell

    paint_layout(layout, note)
    return indices


def place_colour(layout: AnyLayout, index: int) -> int:
    """Return the colour of an index of a layout."""
    return shade(index, known_int(layout.size))


def same_profile(result: AnyLayout, like: AnyLayout) -> AnyLayout:
    """Return a layout as one mode if `like` has one mode, so that both have the same grid."""
    return as_vector(result) if not is_tuple(like.shape) else result


def as_vector(layout: AnyLayout) -> AnyLayout:
    """Return a layout as one mode, whose figure is one row."""
    return trusted((layout.shape,), (layout.stride,)) if is_tuple(layout.shape) else layout


def paint_strip(
    layout: AnyLayout,
    colour: Callable[[int], int],
    title: str = "",
    end: int | None = None,
    is_marked: Callable[[int], bool] = lambda offset: False,
    places: int = PLACES,
) -> Strip:
    """Return memory from the least offset on; the first index of a place decides its colour.

    Args:
        end: The end of the figure if the layout ends before it; the rest are holes.
    """
    strip = strip_figure(layout, places, "")
    row: list[Place] = []
    for place in strip.places:
        paint = colour(_index(place.coordinates[0], layout.shape)) if place.hits else place.colour
        row.append(place._replace(colour=paint, is_marked=is_marked(place.offset)))
    last = strip.end if end is None else max(end, strip.end)
    for offset in range(strip.start + len(row), min(last, strip.start + places)):
        row.append(Place(offset, (), 0, is_marked=is_marked(offset)))
    return Strip(title or strip.title, strip.start, last, tuple(row), "identity")


def _index(name: str, shape: Any) -> int:
    """The index of a coordinate from its name."""
    at: Any = parse_int_tuple(name)
    return known_int(crd2idx(at, shape))
