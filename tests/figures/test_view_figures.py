"""Figures of tensors and of composed layouts."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

from tla import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    Tensor,
    UndecidedError,
    get_tile,
    make_tensor,
    parse,
    row_major,
    tile_view,
)
from tla.figures.views import composed_figure, tensor_figure
from tla.testing import layouts, naive_coords, naive_size, shapes


def cells(figure: Any) -> list[Any]:
    return [cell for grid in figure.grids for row in grid.cells for cell in row]


def coordinates(layout: Any) -> list[Any]:
    """All coordinates, one int for each mode, in the order in which one reads."""
    if not isinstance(layout.shape, tuple):
        return list(range(int(layout.size)))
    return sorted(naive_coords(tuple(map(naive_size, layout.shape))))


@given(layouts(shapes(max_size=48), min_stride=0, padded=True), st.integers(0, 5))
@settings(max_examples=share(60), deadline=None)
def test_every_cell_is_an_element_of_the_tensor(layout: Any, start: int) -> None:
    data = list(range(1000, 1000 + start + int(layout.cosize)))
    tensor = Tensor(data, layout, data_offset=start)
    found = cells(tensor_figure(tensor, 64, 64, 64))
    for coord, cell in zip(coordinates(layout), found, strict=True):
        assert cell.offset == tensor(coord)
        assert cell.valid == tensor.is_valid(coord)
        assert cell.text == (str(tensor.element(coord)) if cell.valid else "")
        assert not cell.is_marked


@given(layouts(shapes(max_size=48), min_stride=0), st.integers(0, 3), st.integers(0, 2))
@settings(max_examples=share(60), deadline=None)
def test_every_cell_is_an_offset_of_the_composed_layout(layout: Any, bits: int, base: int) -> None:
    composed = ComposedLayout(Swizzle(bits, base, 3), 1, layout)
    figure = composed_figure(composed, 64, 64, 64)
    offsets = [composed(coord) for coord in coordinates(layout)]
    assert [cell.offset for cell in cells(figure)] == offsets
    assert figure.cosize == max(offsets) + 1 - min(offsets)
    order = sorted(cells(figure), key=lambda cell: cell.offset)
    assert [cell.colour for cell in order] == sorted(cell.colour for cell in order)


def test_a_tile_at_the_edge_has_the_offsets_of_the_whole() -> None:
    tile = tile_view(make_tensor("A", row_major(5, 7)), (1, 1), (4, 4))
    figure = tile.figure()
    assert [[cell.offset for cell in row] for row in figure.grids[0].cells[:2]] == [
        [32, 33, 34, 35],
        [39, 40, 41, 42],
    ]
    assert [[cell.valid for cell in row] for row in figure.grids[0].cells[:2]] == [
        [True, True, True, False],
        [False] * 4,
    ]
    assert figure.title == "Tensor 'A' in GM at (4,4): (4,4):(7,_1):(1,3)"


def test_elements_that_are_not_there_are_marked() -> None:
    found = cells(Tensor([5, 6, 7], Layout((2, 2), (2, 1))).figure())
    assert [(cell.text, cell.is_marked) for cell in found] == [
        ("5", False), ("6", False), ("7", False), ("?", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"ab", ["97", "98"]),
        (array("d", [0.125, 1 / 3]), ["0.125", "0.3333"]),
        (["a" * 99, None], ["aaaaaaaaa...", "None"]),
        ("ab", [None, None]),  # a name
        (None, [None, None]),
        ([[1], [2]], ["[1]", "[2]"]),
    ],
)
def test_data_of_many_kinds(data: Any, expected: list[str | None]) -> None:
    assert [cell.text for cell in cells(Tensor(data, Layout(2)).figure())] == expected


def test_data_of_two_dims_are_not_flat() -> None:
    numpy = pytest.importorskip("numpy")
    flat = numpy.arange(4)
    assert [cell.text for cell in cells(Tensor(flat, Layout((2, 2))).figure())] == ["0", "2", "1", "3"]
    assert {cell.text for cell in cells(Tensor(flat.reshape(2, 2), Layout((2, 2))).figure())} == {None}


def test_slices_and_corners() -> None:
    tensor = make_tensor("A", Layout((3, 4, 5), (20, 5, 1)))
    figure = tensor.figure(rows=2, columns=2, slices=2)
    assert [cell.offset for cell in cells(figure)] == [0, 1, 5, 6, 20, 21, 25, 26]
    assert (figure.slices, figure.size) == (3, 60)


def test_what_is_refused() -> None:
    with pytest.raises(LayoutError, match="is empty"):
        make_tensor("A", row_major(2, 2)).figure(rows=0)
    with pytest.raises(UndecidedError):
        make_tensor("A", parse("(M,4):(4,1)")).figure()
    with pytest.raises(UndecidedError):
        get_tile(make_tensor("A", parse("(M,4):(4,1)")), (0, 0), (2, 2)).figure()
    with pytest.raises(UndecidedError, match="has 131072 coordinates"):
        ComposedLayout(Swizzle(1, 0, 1), 0, Layout(1 << 17)).figure()


@pytest.mark.parametrize(
    "view",
    [
        lambda layout: layout,
        lambda layout: ComposedLayout(Swizzle(1, 0, 1), 0, layout),
        lambda layout: Tensor(range(10_000), layout),
    ],
)
def test_sixteen_rows_of_sixty_four_and_four_slices_unless_told(view: Any) -> None:
    grids = view(Layout((5, 17, 65))).figure().grids
    assert [(len(grid.cells), len(grid.cells[0])) for grid in grids] == [(16, 64)] * 4
