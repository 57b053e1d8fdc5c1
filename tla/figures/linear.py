# SPDX-License-Identifier: Apache-2.0
"""Linear layouts as figures: the matrix over F2, with a column for each bit that goes in.

>>> from tla.algebra import to_linear
>>> figure = linear_figure(to_linear(Swizzle(1, 0, 2)))
>>> [[cell.offset for cell in row] for row in figure.grids[0].cells]
[[1, 0, 1], [0, 1, 0], [0, 0, 1]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LayoutError
from ..ground import NO_COLOUR, Axis, Cell, Figure, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..algebra import LinearLayout


def linear_figure(f: LinearLayout, rows: int = 64, columns: int = 64) -> Figure:
    """Return the figure of the matrix: the cell of a row and a column is that bit of the column's image.

    Rows are the bits that come out, columns those that go in, the lowest first. Both are grouped by
    dim. The ones of a column have the colour of its dim.

    Args:
        rows, columns: The greatest extents of the figure.

    Raises:
        LayoutError: the figure would be empty.
    """
    if min(rows, columns) < 1:
        raise LayoutError(f"a figure of {rows} rows, {columns} columns is empty")
    down, across = _axis(f.outs), _axis(f.ins)
    dims = across.levels[0]
    cells = tuple(
        [
            tuple(
                [_cell(column >> i & 1, dim) for column, dim in zip(f.columns, dims, strict=True)][
                    :columns
                ]
            )
            for i in range(min(rows, down.size))
        ]
    )
    outs, ins = (", ".join(dict(of)) for of in (f.outs, f.ins))
    title = f"bits of {outs} by bits of {ins}" + (f", xor {f.constant}" if f.constant else "")
    grid = Grid((), down.first(rows), across.first(columns), cells)
    count = down.size * across.size
    return Figure((grid,), 1, count, count, 2, title, "tile")


def _cell(bit: int, dim: int) -> Cell:
    return Cell(bit, colour=dim if bit else NO_COLOUR, elements=())


def _axis(dims: Sequence[tuple[str, int]]) -> Axis:
    """An axis of all bits: the number of the dim, and that of the bit in it."""
    names = tuple([f"{name}={1 << bit}" for name, bits in dims for bit in range(bits)])
    which = tuple([dim for dim, (_name, bits) in enumerate(dims) for _bit in range(bits)])
    inner = tuple([bit for _name, bits in dims for bit in range(bits)])
    return Axis(len(names), names, (which, inner), (which,))
