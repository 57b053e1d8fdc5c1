"""Figures of layouts, as data."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import LayoutError, layout_figure, parse
from tla.ground.figure import Steps
from tla.testing import layouts, naive_coords, naive_size, shapes


@given(layouts(shapes(min_extent=0), min_stride=-64, padded=True))
def test_a_figure_holds_every_offset(layout: Any) -> None:
    figure = layout_figure(layout, rows=64, columns=64, slices=64)
    assert (figure.size, figure.valid_size, figure.cosize) == (
        layout.size,
        layout.valid_size,
        layout.cosize,
    )
    cells = [cell for grid in figure.grids for row in grid.cells for cell in row]
    sizes = list(map(naive_size, layout.shape)) if isinstance(layout.shape, tuple) else [layout.size]
    places = sorted(naive_coords(tuple(sizes)))  # last mode fastest, as one reads
    coords = places if isinstance(layout.shape, tuple) else [at[0] for at in places]
    assert [(cell.offset, cell.valid) for cell in cells] == [
        (layout(at), layout.is_valid(at)) for at in coords
    ]
    assert not any(grid.is_cut for grid in figure.grids if cells)
    assert any(grid.has_padding for grid in figure.grids) == (not all(cell.valid for cell in cells))


@given(layouts(shapes(max_size=200)), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_a_cut_figure_is_the_corner_of_the_whole(
    layout: Any, rows: int, columns: int, some: int
) -> None:
    whole = layout_figure(layout, rows=200, columns=200, slices=200)
    corner = layout_figure(layout, rows=rows, columns=columns, slices=some)
    assert (corner.slices, corner.size) == (whole.slices, whole.size) == (len(whole.grids), layout.size)
    assert len(corner.grids) == min(some, whole.slices)
    for small, large in zip(corner.grids, whole.grids, strict=False):
        assert (small.title, small.rows, small.columns) == (large.title, large.rows, large.columns)
        assert small.cells == tuple(row[:columns] for row in large.cells[:rows])
        assert small.is_cut == (small.cells != large.cells)


def test_figures_are_plain_values() -> None:
    figure = layout_figure(tla.zN(8, 12, block=(4, 4)))
    assert figure.title == "((4,2),(4,3)):((4,16),(_1,32))"
    assert figure.grids == layout_figure(parse("((4,2),(4,3)):((4,16),(1,32))")).grids
    assert hash(figure) == hash(layout_figure(tla.zN(8, 12, block=(4, 4))))


def test_a_figure_of_nothing_is_refused() -> None:
    refused: list[dict[str, Any]] = [{"rows": 0}, {"columns": -1}, {"slices": 0}]
    for limits in refused:
        with pytest.raises(LayoutError, match="is empty"):
            layout_figure(parse("(2,3):(3,1)"), **limits)


TABLE = Steps("f(x)", ("a note",), ("mode", "gives"), (("4:2", "4:1"),), (), "r")


def test_steps_are_plain_values() -> None:
    assert hash(TABLE) == hash(TABLE._replace())
    assert TABLE._replace(notes=()) != TABLE
    with pytest.raises(AttributeError):
        TABLE.title = ""  # type: ignore[misc]  # ty: ignore[invalid-assignment]
