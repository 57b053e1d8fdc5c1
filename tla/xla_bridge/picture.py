# SPDX-License-Identifier: Apache-2.0
"""The picture of an XLA shape: the place of each element, with the text of the shape and its layout.

>>> figure = shape_figure(parse_shape("f32[3,5]{1,0:T(2,2)}"))
>>> print(figure.title)
f32[3,5]{1,0:T(2,2)} = ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)
>>> [cell.offset for cell in figure.grids[0].cells[0]]
[0, 1, 4, 5, 8, 9]

The picture has the borders of the tiles of each level, and a colour for each of the largest tiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UnsupportedError
from ..figures import layout_figure
from ..ground import Panels
from .tiling import array_shape
from .to_layout import tile_boxes, to_layout

if TYPE_CHECKING:
    from ..ground import Figure, Scheme
    from .shape import AnyShape, XlaShape, XlaTuple


def shape_figure(
    shape: AnyShape,
    rows: int = 16,
    columns: int = 64,
    slices: int = 4,
    colour: Scheme | None = None,
) -> Figure:
    """Return the figure of the layout of an array.

    Args:
        rows, columns, slices, colour: The same as for `tla.layout_figure`.

    Raises:
        LayoutError: the figure would be empty.
        UnsupportedError: the shape is no array, or has no nested layout.
        UndecidedError: the size of a dim is unknown.
    """
    layout = to_layout(shape)
    figure = layout_figure(layout, rows, columns, slices, colour, tile_boxes(shape))
    return with_letters(figure._replace(title=f"{shape} = {layout}"), shape)


def with_letters(figure: Figure, shape: AnyShape) -> Figure:
    """Return the figure of an array with the letters of its dims, as y and x of two.

    >>> figure = parse_shape("f32[3,5]").figure()
    >>> print(figure.grids[0].corner_text)
    y\\x
    """
    letters = array_shape(shape).letters
    if not letters:
        return figure
    grids = [
        grid._replace(
            row_axis=grid.row_axis and grid.row_axis._replace(name=letters[-2]),
            column_axis=grid.column_axis._replace(name=letters[-1]),
        )
        for grid in figure.grids
    ]
    return figure._replace(grids=tuple(grids))


def tuple_figure(shape: XlaTuple, rows: int = 16, columns: int = 64, slices: int = 4) -> Panels:
    """Return the figures of the first eight arrays of a tuple that have one.

    Raises:
        UnsupportedError: the tuple has no array with a layout.
    """
    figures: list[Figure] = []
    for array in shape.arrays():
        if len(figures) == _ARRAYS:
            break
        if _has_picture(array):
            figures.append(shape_figure(array, rows, columns, slices))
    if not figures:
        raise UnsupportedError(f"{shape} has no array that can be drawn", shape=shape)
    count = len(shape.arrays())
    note = f"{len(figures)} of {count} arrays" if len(figures) < count else ""
    return Panels(str(shape), tuple(figures), (), note)


_ARRAYS = 8


def _has_picture(array: XlaShape) -> bool:
    """Whether an array has a layout, and a number for each size."""
    try:
        return not to_layout(array).symbols
    except UnsupportedError:
        return False
