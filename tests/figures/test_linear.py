"""The matrix of a linear layout."""

from __future__ import annotations

import pytest

from tla import Layout, Swizzle, composition
from tla.algebra import LinearLayout, to_linear
from tla.errors import LayoutError
from tla.show import html, render, svg


@pytest.mark.parametrize(
    "f",
    [
        to_linear(composition(Swizzle(2, 0, 3), Layout((4, (2, 8)), (16, (1, 2))))),
        LinearLayout({"register": 1, "lane": 2}, {"dim0": 1, "dim1": 2}, (0b010, 0b001, 0b100), 0b101),
        to_linear(Layout(1, 0)),
    ],
)
def test_a_cell_is_a_bit_of_the_image_of_a_bit(f: LinearLayout) -> None:
    figure = f.figure()
    (grid,) = figure.grids
    assert grid.row_axis is not None
    for i, row in enumerate(grid.cells):
        assert [cell.offset for cell in row] == [
            (f(1 << j) ^ f(0)) >> i & 1 for j in range(grid.column_axis.size)
        ]
    assert len(grid.cells) == sum(bits for _name, bits in f.outs)
    assert grid.column_axis.names == tuple(f"{name}={1 << i}" for name, n in f.ins for i in range(n))
    assert all((render(figure), svg(figure), html(figure)))


def test_a_corner() -> None:
    f = to_linear(Layout(1 << 9, 2))
    (grid,) = f.figure(rows=2, columns=3).grids
    assert ([len(row) for row in grid.cells], grid.is_cut) == ([3, 3], True)
    with pytest.raises(LayoutError, match="empty"):
        f.figure(rows=0)
