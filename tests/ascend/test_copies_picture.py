"""Pictures of copies: each element at one place in both parts, with the colour of what moves it."""

from __future__ import annotations

from typing import Any

import pytest

from tla import LayoutError
from tla.ascend import make_layout
from tla.ascend.copies import gm_to_l1, l0c_to_gm, l1_to_bt, l1_to_l0a, l1_to_l0b


def load(rows: int = 100, columns: int = 100, **named: Any) -> Any:
    matrix = make_layout("half", "RowMajor", rows, columns)
    return gm_to_l1(matrix, "zN", arch="AtlasA2", element="half", **named)


TRANSFERS: dict[str, Any] = {
    "gm-l1": load(tile=(20, 24), at=(32, 48)),
    "edge": load(tile=(32, 48), at=(96, 96)),
    "row by row": load(64, 70000, tile=(8, 32)),
    "l1-l0a": l1_to_l0a(make_layout("half", "nZ", 96, 64), "zN", arch="Ascend950", element="half"),
    "l1-l0b": l1_to_l0b(make_layout("int8_t", "zN", 64, 48), "nZ", arch="AtlasA2", element="int8_t"),
}


def offsets(figure: Any) -> list[list[int]]:
    (grid,) = figure.grids
    return [[cell.offset for cell in row] for row in grid.cells]


@pytest.mark.parametrize("name", TRANSFERS)
def test_offsets_are_those_that_are_moved(name: str) -> None:
    transfer = TRANSFERS[name]
    moved = {move.dst: move.src for move in transfer.moves()}
    read, written = transfer.figure(128, 128).figures
    rows, columns = transfer.tile
    assert (len(offsets(read)), len(offsets(read)[0])) == (rows, columns)
    for sources, places in zip(offsets(read), offsets(written), strict=True):
        assert [moved[place] for place in places] == sources


@pytest.mark.parametrize("name", TRANSFERS)
def test_an_element_has_one_colour(name: str) -> None:
    transfer = TRANSFERS[name]
    read, written = transfer.figure().figures
    colours = [[cell.colour for row in of.grids[0].cells for cell in row] for of in (read, written)]
    assert colours[0] == colours[1]


def test_colours_are_calls_where_there_are_several() -> None:
    figure = TRANSFERS["row by row"].figure()
    rows = [[cell.colour for cell in row] for row in figure.figures[0].grids[0].cells]
    assert [set(row) for row in rows] == [{i} for i in range(8)]
    assert figure.note == "8 calls; the colour of an element is the call that moves it"


def test_axes_count_in_the_whole_matrix() -> None:
    figure = TRANSFERS["gm-l1"].figure(2, 2)
    (grid,) = figure.figures[0].grids
    assert (grid.row_axis.names, grid.column_axis.names) == (("32", "33"), ("48", "49"))
    assert figure.figures[0].title.endswith("(100,100):(100,_1) from (32,48) on")
    assert (grid.rows, grid.columns) == (20, 24)


def test_the_span_is_from_the_first_element_to_the_last() -> None:
    for figure in TRANSFERS["gm-l1"].figure(128, 128).figures:
        found = [x for row in offsets(figure) for x in row]
        assert figure.cosize == max(found) + 1 - min(found)


def test_sums_and_biases_are_drawn_too() -> None:
    sums = l0c_to_gm(
        make_layout("float", "L0C", 4, 4),
        make_layout("half", "RowMajor", 100, 100),
        arch="AtlasA2", element="half", accumulator="float", at=(96, 96),
    )  # fmt: skip
    assert len(offsets(sums.figure().figures[0])) == 4
    bias = l1_to_bt(
        make_layout("half", "VectorLayout", 32), "VectorLayout", arch="AtlasA2", element="half"
    )
    assert len(offsets(bias.figure(8, 8).figures[0])) == 1


def test_an_empty_figure_is_refused() -> None:
    with pytest.raises(LayoutError, match="is empty"):
        TRANSFERS["gm-l1"].figure(rows=0)
