# SPDX-License-Identifier: Apache-2.0
"""The cells of a figure by their coordinates.

>>> layout = Layout((2, 2), (2, 1))
>>> named = lambda coord, cell: cell._replace(text=str(coord))
>>> [[cell.text for cell in row] for row in replace_cells(layout, layout_figure(layout), named)[0].cells]
[['(0, 0)', '(0, 1)'], ['(1, 0)', '(1, 1)']]
"""

from __future__ import annotations

from itertools import cycle, islice, product
from typing import TYPE_CHECKING, Any

from ..errors import UndecidedError
from ..layouts import leaves
from ..numbers import is_tuple, known_int, round_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..ground import Cell, Figure, Grid
    from ..layouts import AnyLayout


def replace_cells(
    layout: AnyLayout, figure: Figure, cell: Callable[[Any, Cell], Cell]
) -> tuple[Grid, ...]:
    """The grids of a layout with new cells, each from its coordinate and the old cell."""
    grids: list[Grid] = []
    for grid, at in zip(figure.grids, _slices(layout, len(figure.grids)), strict=True):
        rows: list[tuple[Cell, ...]] = []
        for i, row in enumerate(grid.cells):
            ends = [(i, j) for j in range(len(row))]
            coords = [_coordinate(layout, (*at, *end)) for end in ends]
            rows.append(tuple(map(cell, coords, row)))
        grids.append(grid._replace(cells=tuple(rows)))
    return tuple(grids)


def _slices(layout: AnyLayout, count: int) -> Iterator[tuple[int, ...]]:
    """The coordinates of the first slices: of all modes but the last two."""
    if not is_tuple(layout.shape):
        return islice(cycle([()]), count)
    outer = layout.shape[:-2]
    # along each mode no more coordinates count than there are slices in the figure
    return islice(product(*(range(min(_size(mode), count)) for mode in outer)), count)


def _size(mode: Any) -> int:
    size = 1
    for n in leaves(mode):
        size *= known_int(n)
    return size


def _coordinate(layout: AnyLayout, at: tuple[int, ...]) -> Any:
    """The coordinate at an index of each mode, without the row of a vector and the place of a point."""
    if not is_tuple(layout.shape):
        return at[-1]
    return at[len(at) - len(layout.shape) :] if layout.shape else ()


def drawable(layout: AnyLayout) -> AnyLayout:
    """Return the layout if all its ints are numbers, which a picture needs.

    Raises:
        UndecidedError: the layout has unknowns; the error shows a layout that it could be.
    """
    if not layout.symbols:
        return layout
    values: dict[str, int] = {}
    for s in layout.symbols:
        least = round_up(s.least or 0, s.divisor)
        wanted = 2 * s.divisor if s.greatest is None else (s.greatest + 1) // 2
        values[s.name] = max(least, wanted // s.divisor * s.divisor)
    some = ", ".join(f"{name} = {n}" for name, n in values.items())
    raise UndecidedError(
        f"there is no picture of {layout} without numbers for {', '.join(values)}",
        f"Write them into the layout: with {some} it is {layout.bind(**values)}",
        layout=layout,
    )
