# SPDX-License-Identifier: Apache-2.0
"""Figures of indexing maps: the elements that are read for each element of the result.

>>> from tla.indexing import parse_map
>>> figure = map_figure(parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 1], d1 in [0, 2]"))
>>> result, read = figure.figures
>>> [[cell.text for cell in row] for row in result.grids[0].cells]
[['0', '1', '2'], ['3', '4', '5']]
>>> [[cell.text for cell in row] for row in read.grids[0].cells]
[['0', '3'], ['1', '4'], ['2', '5']]

The elements of the result have numbers, row by row. An element that is read shows the number of the
first element that reads it, and the number of the other readers.
"""

from __future__ import annotations

from itertools import islice, product
from math import prod
from sys import maxsize
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import CoordinateError, LayoutError
from ..figures import axis_of
from ..ground import Cell, Figure, Grid, Panels, shade
from ..numbers import Interval
from ..xla_bridge import row_major

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .maps import IndexingMap

_POINTS: Final = 1 << 14
"""The most points of a map that are enumerated."""


class Operand(NamedTuple):
    """An array that is read: its name, its dims, and the maps whose union is the set of elements read.

    >>> from tla.indexing import parse_map
    >>> row = parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 1], s0 in [0, 2]")
    >>> figure = reads_figure("sums of rows", (2,), [Operand("x", (2, 3), (row,))])
    >>> [[cell.text for cell in row] for row in figure.figures[1].grids[0].cells]
    [['0', '0', '0'], ['1', '1', '1']]

    Without dims it ends at the last element that is read.
    """

    title: str
    dims: tuple[int, ...] | None
    maps: tuple[IndexingMap, ...]


class _Reads(NamedTuple):
    """The elements of an operand that are read for the corner of the result."""

    readers: dict[tuple[int, ...], dict[int, None]]
    """For each element that is read, the numbers of its readers."""
    dims: tuple[int, ...]


def map_figure(
    m: IndexingMap,
    operand: Sequence[int] | None = None,
    rows: int = 16,
    columns: int = 32,
    slices: int = 4,
) -> Panels:
    """Return the result of a map beside the elements that it reads, where related elements share a
    colour.

    >>> from tla.indexing import parse_map
    >>> figure = map_figure(parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 2], s0 in [0, 1]"))
    >>> for grid in figure.figures:
    ...     [cell.text for cell in grid.grids[0].cells[0]]
    ['0', '1', '2']
    ['0', '0 +1', '1 +1', '2']

    The first element that reads anything has a mark, with all elements that it reads. Runtime variables
    have their least value. For a large map the figure has a corner of the result, and its reads.

    Args:
        operand: The dims of the operand; by default it ends at the last element that is read.
        rows, columns, slices: The greatest extents of the figure, for both.

    Raises:
        LayoutError: the figure would be empty.
        CoordinateError: the map reads outside the operand.
        UndecidedError: the map is undefined, or a single element reads too many.
    """
    sizes = tuple([max(0, v.bounds.upper + 1) for v in m.dims])
    of = Operand("what is read", None if operand is None else tuple(operand), (m,))
    return reads_figure(str(m), sizes, [of], rows, columns, slices)


def reads_figure(
    title: str,
    result: Sequence[int],
    operands: Sequence[Operand],
    rows: int = 16,
    columns: int = 32,
    slices: int = 4,
    counts: bool = False,
    of: str = "result",
) -> Panels:
    """Return a result beside each of its operands, as in `map_figure`.

    >>> from tla.indexing import parse_map
    >>> left = parse_map("(d0) -> (d0), domain: d0 in [0, 1]")
    >>> right = parse_map("(d0) -> (d0 - 2), domain: d0 in [2, 4]")
    >>> parts = [Operand("a", (2,), (left,)), Operand("b", (3,), (right,))]
    >>> figure = reads_figure("joined", (5,), parts)
    >>> for part in figure.figures:
    ...     part.title, [cell.text for cell in part.grids[0].cells[0]]
    ('result', ['0', '1', '2', '3', '4'])
    ('a', ['0', '1'])
    ('b', ['2', '3', '4'])

    Args:
        result: The dims of the result.
        counts: Whether an element of an operand shows how many elements of the result read it, and has
            a colour for each number.
        of: The title of the first figure.

    Raises:
        LayoutError, CoordinateError, UndecidedError: the same as for `map_figure`.
    """
    if min(rows, columns, slices) < 1:
        raise LayoutError(f"a figure of {rows} rows, {columns} columns, {slices} slices is empty")
    sizes, limits = tuple(result), (rows, columns, slices)
    maps = [m for operand in operands for m in operand.maps]
    if any(len(m.dims) != len(sizes) for m in maps if not m.is_undefined):
        raise LayoutError(f"the maps of the operands do not have the dims of the result, {sizes}")
    corner = _corner(maps, sizes, limits)
    found = [_reads(operand, sizes, corner) for operand in operands]
    active = {number for reads in found for numbers in reads.readers.values() for number in numbers}
    first = min(active, default=-1)

    def result_cell(at: tuple[int, ...]) -> Cell:
        number = row_major(at, sizes)
        if number not in active:
            return Cell(number, text="-", elements=())
        return Cell(number, True, shade(number, prod(sizes)), str(number), number == first, (number,))

    figures = [_figure(of, sizes, corner, limits, result_cell)]
    for operand, reads in zip(operands, found, strict=True):
        read = _cells(reads, sizes, first, counts)
        figures.append(_figure(operand.title, reads.dims, reads.dims, limits, read))
    signs = ("reads", *[""] * (len(figures) - 2))[: len(figures) - 1]
    return Panels(title, tuple(figures), signs, _note(maps, sizes, corner, active, counts))


def _cells(
    reads: _Reads, sizes: tuple[int, ...], first: int, counts: bool
) -> Callable[[tuple[int, ...]], Cell]:
    """The cells of an operand, by their coordinates."""

    def read(at: tuple[int, ...]) -> Cell:
        readers = reads.readers.get(at)
        offset = row_major(at, reads.dims)
        if not readers:
            return Cell(offset, text="", elements=())
        if counts:
            return Cell(offset, True, len(readers) - 1, str(len(readers)), first in readers)
        one, *more = readers
        text = f"{one} +{len(more)}" if more else str(one)
        is_first = first in readers
        return Cell(offset, True, shade(one, prod(sizes)), text, is_first, tuple(readers))

    return read


def _note(
    maps: Sequence[IndexingMap],
    sizes: tuple[int, ...],
    corner: tuple[int, ...],
    active: set[int],
    counts: bool,
) -> str:
    each = "numbers: the results that read it" if counts else "+n: and for n more"
    notes = [f"framed: the first element, and what it reads; {each}"] if active else []
    if len(active) < prod(corner):
        notes.append("-: reads nothing here")
    if prod(corner) < prod(sizes):
        notes.append(f"of {prod(sizes)} elements the first {prod(corner)} are followed")
    assumed = dict.fromkeys(f"{v.name} = {v.bounds.lower}" for m in maps for v in m.runtime)
    if assumed:
        notes.append(f"here {', '.join(assumed)}")
    if any(m.replica is not None for m in maps):
        notes.append("read on other replicas too")
    return "; ".join(notes)


def _corner(
    maps: Sequence[IndexingMap], sizes: tuple[int, ...], limits: tuple[int, int, int]
) -> tuple[int, ...]:
    """The number of values of each dim that are enumerated: fewer if each reads many elements."""
    rows, columns, slices = limits
    most = [slices] * len(sizes)
    most[-2:] = [rows, columns][-len(sizes) :] if sizes else []
    corner = [min(n, limit) for n, limit in zip(sizes, most, strict=True)]
    each = max((prod(v.bounds.size for v in m.ranges) for m in maps), default=1)
    while each * prod(corner) > _POINTS and max(corner, default=1) > 1:
        widest = max(range(len(corner)), key=corner.__getitem__)
        corner[widest] = (corner[widest] + 1) // 2
    return tuple(corner)


def _reads(operand: Operand, sizes: tuple[int, ...], corner: tuple[int, ...]) -> _Reads:
    """The elements of an operand that are read for the corner of the result."""
    readers: dict[tuple[int, ...], dict[int, None]] = {}
    for m in operand.maps:
        if m.is_known_empty:
            continue
        dims = [v._replace(bounds=_first(v.bounds, n)) for v, n in zip(m.dims, corner, strict=True)]
        runtime = [v._replace(bounds=_first(v.bounds, v.bounds.lower + 1)) for v in m.runtime]
        for point, element in m.with_parts(dims=dims, runtime=runtime).points(_POINTS):
            readers.setdefault(element, {})[row_major(point.dims, sizes)] = None
    rank = max((len(m.results) for m in operand.maps), default=0)
    if operand.dims is None:
        reach = [max((at[k] + 1 for at in readers), default=0) for k in range(rank)]
        found = _Reads(readers, tuple(reach))
    else:
        found = _Reads(readers, operand.dims)
    for at in readers:
        _check(at, found.dims, operand)
    return found


def _first(bounds: Interval, end: int) -> Interval:
    """The values of an interval below an end."""
    return Interval(bounds.lower, min(bounds.upper, end - 1))


def _check(at: tuple[int, ...], dims: tuple[int, ...], operand: Operand) -> None:
    """Raise CoordinateError for an element that the operand does not have."""
    if len(at) != len(dims):
        raise CoordinateError(
            f"a map of {len(at)} results reads no operand of {len(dims)} dims", operand=operand
        )
    for k, (i, n) in enumerate(zip(at, dims, strict=True)):
        if not 0 <= i < n:
            raise CoordinateError(
                f"the map reads index {i} of dim {k} of the operand, which has {n}", operand=operand
            )


def _figure(
    title: str,
    sizes: tuple[int, ...],
    shown: tuple[int, ...],
    limits: tuple[int, int, int],
    cell: Callable[[tuple[int, ...]], Cell],
) -> Figure:
    """The figure of an array: its last two dims are rows and columns."""
    rows, columns, slices = limits
    outer, matrix = shown[:-2], shown[-2:]
    high = min(matrix[0], rows) if len(matrix) > 1 else 1
    wide = min(matrix[-1], columns) if matrix else 1
    grids: list[Grid] = []
    for at in islice(product(*map(range, outer)), min(slices, maxsize)):
        cells = tuple(
            tuple(cell((*at, *(i, j)[2 - len(matrix) :])) for j in range(wide)) for i in range(high)
        )
        row_axis = axis_of(sizes[-2], range(high), sizes[-2]) if len(matrix) > 1 else None
        width = sizes[-1] if sizes else 1
        grids.append(Grid(at, row_axis, axis_of(width, range(wide), width), cells))
    size = prod(sizes)
    return Figure(tuple(grids), prod(sizes[:-2]), size, size, size, title, "identity")
