"""Figures of indexing maps: every read is there, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

from tla import CoordinateError, LayoutError, UndecidedError
from tla.indexing import IndexingMap, dim, parse_map, rng
from tla.indexing.figures import Operand, map_figure, reads_figure

if TYPE_CHECKING:
    from tla.numbers import Value


def texts(figure: Any) -> list[list[str | None]]:
    (grid,) = figure.grids
    return [[cell.text for cell in row] for row in grid.cells]


@st.composite
def maps(draw: st.DrawFn) -> IndexingMap:
    """Maps of one or two results with no negative ones."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=0, max_size=2))
    ranges = draw(st.lists(st.integers(1, 3), max_size=1))
    variables = [dim(i) for i in range(len(sizes))] + [rng(i) for i in range(len(ranges))]

    def result() -> Value:
        total: Value = draw(st.integers(0, 2))
        for variable in variables:
            total = total + variable * draw(st.integers(0, 2))
        return total

    results = [result() for _ in range(draw(st.integers(1, 2)))]
    return IndexingMap(results, sizes, ranges)


@given(maps())
@settings(max_examples=share(100), deadline=None)
def test_each_element_names_what_it_is_read_for(m: IndexingMap) -> None:
    sizes = [v.bounds.size for v in m.dims]
    readers: dict[tuple[int, ...], list[int]] = {}
    for point, element in m.points():
        number = 0
        for i, n in zip(point.dims, sizes, strict=True):
            number = number * n + i
        found = readers.setdefault(element, [])
        if number not in found:
            found.append(number)
    figure: Any = map_figure(m, rows=32, columns=32).figures[1]
    (grid,) = figure.grids
    for i, row in enumerate(grid.cells):
        for j, cell in enumerate(row):
            at = (i, j)[2 - len(m.results) :]
            numbers = readers.pop(at, [])
            more = f" +{len(numbers) - 1}" if len(numbers) > 1 else ""
            assert cell.text == (f"{numbers[0]}{more}" if numbers else "")
            assert cell.is_marked == (0 in numbers)
    assert not readers


def test_the_same_element_has_the_same_colour() -> None:
    m = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 4]")
    parts: Any = map_figure(m).figures
    made, read = parts
    colours = [
        {cell.text: cell.colour for row in figure.grids[0].cells for cell in row}
        for figure in (made, read)
    ]
    assert colours[0] == colours[1]


def test_a_map_that_does_not_read_for_all() -> None:
    m = parse_map("(d0) -> (d0 - 1), domain: d0 in [0, 4], d0 - 1 in [0, 2]")
    figure = map_figure(m)
    assert [texts(each) for each in figure.figures] == [[["-", "1", "2", "3", "-"]], [["1", "2", "3"]]]
    assert "-: reads nothing here" in figure.note


def test_runtime_variables_have_their_least_value() -> None:
    figure = map_figure(parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [2, 4]"))
    assert texts(figure.figures[1]) == [["", "", "0", "1"]]
    assert figure.note.endswith("here rt0 = 2")


def test_a_large_map_is_a_corner() -> None:
    m = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 99999], d1 in [0, 99999]")
    figure = map_figure(m, rows=4, columns=3)
    made, read = figure.figures
    assert texts(made) == [[str(i * 100000 + j) for j in range(3)] for i in range(4)]
    assert texts(read) == [[str(i * 100000 + j) for i in range(3)] for j in range(3)]
    assert "of 10000000000 elements the first 12 are followed" in figure.note


def test_higher_ranks_are_slices() -> None:
    m = parse_map("(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 1], d1 in [0, 1], d2 in [0, 1]")
    parts: Any = map_figure(m).figures
    made, read = parts
    assert [grid.title for grid in made.grids] == ["[0,_,_]", "[1,_,_]"]
    assert [cell.text for row in read.grids[1].cells for cell in row] == ["1", "3", "5", "7"]


def test_several_operands_and_maps() -> None:
    """A concatenation reads two arrays; an update of a slice reads one by two maps."""
    x = parse_map("(d0) -> (d0), domain: d0 in [0, 0]")
    y = parse_map("(d0) -> (d0 - 1), domain: d0 in [1, 3]")
    operands = [Operand("x", (1,), (x,)), Operand("y", (3,), (y,))]
    figure = reads_figure("concatenate", (4,), operands)
    assert [texts(each) for each in figure.figures] == [
        [["0", "1", "2", "3"]],
        [["0"]],
        [["1", "2", "3"]],
    ]
    assert figure.signs == ("reads", "")
    both = reads_figure(
        "", (4,), [Operand("x", None, (x, parse_map("(d0) -> (d0), domain: d0 in [2, 3]")))]
    )
    assert texts(both.figures[1]) == [["0", "", "2", "3"]]


def test_a_map_that_goes_nowhere() -> None:
    m = IndexingMap([0], [4], is_known_empty=True)
    parts: Any = map_figure(m).figures
    assert [len(figure.grids) for figure in parts] == [1, 1]


def test_what_is_refused() -> None:
    m = parse_map("(d0) -> (d0 - 1), domain: d0 in [0, 4]")
    with pytest.raises(CoordinateError, match="reads index -1 of dim 0 of the operand, which has 4"):
        map_figure(m)
    with pytest.raises(CoordinateError, match="a map of 1 results reads no operand of 2 dims"):
        map_figure(m, (3, 3))
    with pytest.raises(LayoutError, match="is empty"):
        map_figure(m, rows=0)
    with pytest.raises(UndecidedError):
        map_figure(IndexingMap.undefined("a custom call"))
    with pytest.raises(UndecidedError):
        map_figure(IndexingMap([rng(0)], [2], [10**9]))


def test_of_elements_that_read_many_each_fewer_are_followed() -> None:
    m = parse_map("(d0)[s0] -> (d0 * 1000 + s0), domain: d0 in [0, 31], s0 in [0, 999]")
    assert "of 32 elements the first 16 are followed" in map_figure(m).note
