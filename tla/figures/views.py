# SPDX-License-Identifier: Apache-2.0
"""Figures of values with a layout: tensors with their data, and composed layouts.

>>> grid = tensor_figure(make_tensor([5, 6, 7, 8], row_major(2, 2))).grids[0]
>>> [[(cell.offset, cell.text) for cell in row] for row in grid.cells]
[[(0, '5'), (1, '6')], [(2, '7'), (3, '8')]]
>>> swizzled = ComposedLayout(Swizzle(1, 0, 2), 0, Layout((2, 4), (4, 1)))
>>> [[cell.offset for cell in row] for row in composed_figure(swizzled).grids[0].cells]
[[0, 1, 2, 3], [5, 4, 7, 6]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import CoordinateError
from ..ground import limit_error, limit_of, shortened
from ..layouts import is_composed
from ..numbers import known_int
from .cells import replace_cells
from .layouts import Colours, layout_figure

if TYPE_CHECKING:
    from ..ground import Cell, Figure, Scheme
    from ..layouts import AnyLayout, ComposedLayout, Tensor

_LONGEST: Final = 12
"""The greatest length of the text of an element."""


def tensor_figure(
    tensor: Tensor[Any, Any],
    rows: int = 16,
    columns: int = 64,
    slices: int = 4,
    colour: Scheme | None = None,
) -> Figure:
    """Return the figure of a view of data: the offset in the data at each coordinate of the view.

    >>> tile = tile_view(make_tensor(list("abcdefghijklmnopqrstuvwx"), row_major(4, 6)), (1, 0), (2, 3))
    >>> figure = tensor_figure(tile)
    >>> [[cell.text for cell in row] for row in figure.grids[0].cells]
    [['m', 'n', 'o'], ['s', 't', 'u']]

    The cells show the elements if the data are a flat sequence, and otherwise the offsets. A cell with
    an offset outside the data has a mark.

    Args:
        rows, columns, slices, colour: The same as for `layout_figure`.

    Raises:
        LayoutError: the figure would be empty.
        UndecidedError: a size, a stride or the place of the view is unknown.
    """
    layout: Any = tensor.layout
    draw: Any = composed_figure if is_composed(layout) else layout_figure
    figure = draw(layout, rows, columns, slices, colour)
    has_data = _is_flat(tensor.data)

    def cell(coord: Any, of: Cell) -> Cell:
        offset = known_int(tensor(coord))
        if not has_data:
            return of._replace(offset=offset)
        if not of.valid:
            return of._replace(offset=offset, text="")
        try:
            return of._replace(offset=offset, text=_short_text(tensor.element(coord)))
        except CoordinateError:
            return of._replace(offset=offset, text="?", is_marked=True)

    grids = replace_cells(_inmost(layout), figure, cell)
    drawn: Figure = figure._replace(grids=grids, title=repr(tensor)[1:-1])
    return drawn


def composed_figure(
    composed: ComposedLayout,
    rows: int = 16,
    columns: int = 64,
    slices: int = 4,
    colour: Scheme | None = None,
) -> Figure:
    """Return the figure of a composed layout, such as a swizzled one, at the coordinates of its inner
    part.

    >>> figure = composed_figure(composition(Swizzle(1, 0, 3), Layout((4, 4), (4, 1))))
    >>> [[cell.offset for cell in row] for row in figure.grids[0].cells[2:]]
    [[9, 8, 11, 10], [13, 12, 15, 14]]

    Args:
        rows, columns, slices: The same as for `layout_figure`.
        colour: The same as for `layout_figure`; by default by offset.

    Raises:
        LayoutError: the figure would be empty.
        UndecidedError: an int is unknown, or there are too many coordinates to find the range of
            offsets.
    """
    inner = _inmost(composed)
    figure = layout_figure(inner, rows, columns, slices, "offset" if colour is None else colour)
    most = limit_of("indices")
    if figure.size > most:
        raise limit_error(
            "indices",
            f"{shortened(str(composed))} has {figure.size} coordinates; at most {most} are drawn",
            needed=figure.size,
            composed=composed,
        )
    offsets = [known_int(composed(i)) for i in range(figure.size)]
    low, high = min(offsets, default=0), max(offsets, default=-1)
    colours = Colours(figure.scheme, low, high)

    def cell(coord: Any, of: Cell) -> Cell:
        offset = known_int(composed(coord))
        colour = of.colour if figure.scheme in ("", "tile") else colours.of_offset(offset)
        return of._replace(offset=offset, colour=colour)

    grids = replace_cells(inner, figure, cell)
    return figure._replace(grids=grids, cosize=high + 1 - low, title=str(composed))


def _inmost(layout: Any) -> AnyLayout:
    """The layout behind all functions, which has the coordinates."""
    while is_composed(layout):
        layout = layout.inner
    inmost: AnyLayout = layout
    return inmost


def _is_flat(data: Any) -> bool:
    """Whether data give their elements by offset."""
    if isinstance(data, str) or getattr(data, "ndim", 1) != 1:
        return False
    return hasattr(data, "__getitem__") and hasattr(data, "__len__")


def _short_text(element: object) -> str:
    """The text of an element, cut to fit a cell."""
    text = f"{element:.4g}" if isinstance(element, float) else str(element)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
