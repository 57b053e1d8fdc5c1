# SPDX-License-Identifier: Apache-2.0
"""Thread-value layouts as figures: the thread and the value of each cell of a tile."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..algebra import modes_of, preimage
from ..errors import CoordinateError, LayoutError, UnsupportedError
from ..figures import COLOURS
from ..ground import NO_COLOUR, limit_error, limit_of, shade
from ..layouts import Layout, as_layout, as_shape, crd2idx, leaves, product, text_of
from ..numbers import known_int
from .painting import COLUMNS, ROWS, SLICES, paint_layout
from .tiles import reach

if TYPE_CHECKING:
    from ..ground import Cell, Figure
    from ..layouts import AnyLayout
    from ..numbers import IntTuple

_MOST_HOLDERS: Final = 1000
"""The most holders of one cell that are counted."""


def tv_figure(
    layout: AnyLayout,
    tile: IntTuple | None = None,
    rows: int = ROWS,
    columns: int = COLUMNS,
    slices: int = SLICES,
) -> Figure:
    """Return the figure of a tile with the thread and value of each cell, and a colour for each thread.

    The layout maps (thread, value) to an index in the tile, counted column by column. The text of a cell
    is ``T3 V1``. A cell of several threads has the first, and the number of the others. A cell without a
    thread has ``-``, as padding.

    >>> grid = tv_figure(Layout(((2, 2), 2), ((1, 4), 2)), (4, 2)).grids[0]
    >>> [[cell.text for cell in row] for row in grid.cells]
    [['T0 V0', 'T2 V0'], ['T1 V0', 'T3 V0'], ['T0 V1', 'T2 V1'], ['T1 V1', 'T3 V1']]

    Args:
        tile: The shape of the tile; by default one row up to the greatest index of the layout.
        rows, columns, slices: The greatest extents of the figure.

    Raises:
        LayoutError: the layout does not have the two modes, thread and value.
        CoordinateError: a value lies outside the tile; the error names its thread.
        UnsupportedError: an int of the layout or the tile is unknown.
    Source: CuTe, "TV layouts", 0t_mma_atom.md; ``print_latex`` of a tiled copy or product.
    """
    as_layout(layout)
    count = len(modes_of(layout))
    if count != 2:
        raise LayoutError(
            f"{layout} is no layout of threads and values",
            f"It has {count} mode{'' if count == 1 else 's'}; mode 0 is the thread, mode 1 the value.",
            layout=layout,
        )
    shape = (reach(layout),) if tile is None and not layout.symbols else tile
    if layout.symbols or Layout(as_shape(shape)).symbols:
        raise UnsupportedError(
            f"which thread holds a cell of {layout} depends on unknowns",
            "Bind them to numbers first.",
            layout=layout,
        )
    cells = Layout(as_shape(shape))
    _require_inside(layout, cells)
    threads, values = layout.shape
    count = known_int(product(threads))
    is_few = count <= COLOURS  # each has a colour of its own; more have shades

    def holders(x: int, cell: Cell) -> Cell:
        indices = list(islice(preimage(layout, x), _MOST_HOLDERS))
        if not indices:
            return cell._replace(valid=False, text="-", colour=NO_COLOUR)
        t, v = (known_int(crd2idx(c, s)) for c, s in zip(indices[0], (threads, values), strict=True))
        more = ""
        if len(indices) > 1:
            more = f" +{len(indices) - 1}" if len(indices) < _MOST_HOLDERS else " +..."
        return cell._replace(text=f"T{t} V{v}{more}", colour=t if is_few else shade(t, count))

    title = f"{layout} on a tile of {text_of(cells.shape)}"
    figure = paint_layout(cells, holders, title, "tile" if is_few else "identity", rows, columns, slices)
    if any(" +" in (cell.text or "") for grid in figure.grids for row in grid.cells for cell in row):
        figure = figure._replace(title=f"{title}; +n: n more hold the cell")
    return figure._replace(valid_size=_cells_with_thread(layout, cells))


def _cells_with_thread(layout: AnyLayout, cells: AnyLayout) -> int:
    """The number of cells that have a thread; a bit for each cell counts them if modes interleave."""
    if not layout.size:
        return 0
    moving = [
        (known_int(n), known_int(d))
        for n, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True)
        if known_int(d) and known_int(n) > 1
    ]
    moving.sort(key=lambda mode: abs(mode[1]))
    span, count = 1, 1
    for n, d in moving:
        count = count * n if abs(d) >= span else 0  # 0 if it interleaves with the modes before it
        span += (n - 1) * abs(d)
    if count:
        return count
    if cells.size > limit_of("offsets"):
        raise limit_error(
            "offsets",
            f"which cells of {text_of(cells.shape)} {layout} leaves out was not counted",
            f"They are more than {limit_of('offsets')}, and its modes interleave.",
            needed=known_int(cells.size),
            layout=layout,
        )
    bits = 1
    for n, d in moving:
        have = 1  # the number of copies so far
        while have < n:
            more = min(have, n - have)
            bits |= bits << more * abs(d)
            have += more
    return bits.bit_count()


def _require_inside(layout: AnyLayout, cells: AnyLayout) -> None:
    """Raise CoordinateError for a value whose index is below 0 or past the tile."""
    if not layout.size:
        return
    size = known_int(cells.size)
    at: list[Any] = []
    for is_high in (False, True):
        at = [_extreme(mode, is_high) for mode in modes_of(layout)]
        index = known_int(layout(tuple(at)))
        if not 0 <= index < size:
            t, v = at
            raise CoordinateError(
                f"value {v} of thread {t} lies outside the tile",
                f"Its index is {index}; the tile {text_of(cells.shape)} has {size} cells.",
                layout=layout,
                coord=(t, v),
                index=index,
            )


def _extreme(mode: AnyLayout, is_high: bool) -> int:
    """The index in a mode with the greatest offset, or the least."""
    index, below = 0, 1
    for n, d in zip(leaves(mode.shape), leaves(mode.stride), strict=True):
        if (known_int(d) > 0) == is_high and known_int(d):
            index += (known_int(n) - 1) * below
        below *= known_int(n)
    return index
