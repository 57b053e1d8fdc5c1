"""Tiles in pictures: the largest have a colour, and those of each level have borders.

Both are compared with the sizes of the tiles, in every way of drawing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import accumulate, product
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any

import pytest
from cases import share
from hypothesis import assume, given, settings, strategies as st

from tla import Layout, LayoutError, layout_figure, parse, strip_figure
from tla.show import html, latex, render, svg
from tla.show.palette import PADDING, fill
from tla.show.texts.grids import figure_lines
from tla.xla_bridge import XlaShape, parse_array, physical_offset, tile_boxes, to_layout
from tla.xla_bridge.picture import with_letters

if TYPE_CHECKING:
    from tla.ground import Figure

FACTORS = st.lists(st.integers(1, 3), min_size=1, max_size=4)
CELLS = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)"[^>]* fill="(#\w+)"')
WIDTHS = {"in": 1, "out": 2, "far": 3}
STYLES = {"thick": 1, "heavy": 2, "heavier": 3}


def level(place: int, extents: list[int]) -> int:
    """How many levels of tiles end at a place."""
    return min(sum(place % extent == 0 for extent in extents), 3)


def check(figure: Figure, rows: list[int], columns: list[int]) -> None:
    """Compare colours and borders with the extents of the tiles, the smallest first."""
    (grid,) = figure.grids
    high, wide = len(grid.cells), len(grid.cells[0])
    largest = [extents[-1] if extents else 99 for extents in (rows, columns)]
    colours: dict[tuple[int, int], set[int]] = defaultdict(set)
    for i, j in product(range(high), range(wide)):
        colours[i // largest[0], j // largest[1]].add(grid.cells[i][j].colour)
    if figure.scheme == "tile":
        assert all(len(of_tile) == 1 for of_tile in colours.values())
        for i, j in colours:
            assert all(colours[i, j] != colours.get(other) for other in ((i + 1, j), (i, j + 1)))
    wanted = {
        *(("|", j, level(j, columns)) for j in range(1, wide) if level(j, columns)),
        *(("-", i, level(i, rows)) for i in range(1, high) if level(i, rows)),
    }
    cells = [cell for row in grid.cells for cell in row]
    fills = [fill(figure.scheme, cell.colour) if cell.valid else PADDING for cell in cells]
    assert in_text(figure, [colour for colour in fills if colour != PADDING]) == wanted
    for picture in (svg(figure), html(figure)):
        assert in_svg(picture, fills) == wanted
    assert in_latex(latex(figure), high, wide) == wanted


def in_text(figure: Figure, fills: list[str]) -> set[Any]:
    """The borders in the lines of a text, whose cells have these colours."""
    lines = figure_lines(figure, None)
    text = ["".join(span.text for span in line) for line in lines]
    first = next(i for i, line in enumerate(text) if "+-" in line)
    assert [span.fill for line in lines[first:] for span in line if span.fill] == fills
    found: set[Any] = set()
    row = 0
    for line in filter(lambda line: line[-1:] in ("|", "+"), text[first + 1 :]):
        if set(line) <= set(" +-=#"):
            if row < len(figure.grids[0].cells):
                found.add(("-", row, 1 + "-=#".index((set(line) - {" ", "+"}).pop())))
            continue
        row += 1
        column = 0
        for cell, bars in re.findall(r"([^|]+)(\|+)", line.split("|", 1)[1]):
            column += len(re.findall(r"\d+", cell))
            if column < len(figure.grids[0].cells[0]):
                found.add(("|", column, len(bars)))
    return found


def in_svg(picture: str, fills: list[str]) -> set[Any]:
    """The borders in an SVG, whose cells have these colours."""
    cells = [(float(x), float(y), colour) for x, y, colour in CELLS.findall(picture)]
    assert [colour for _x, _y, colour in cells] == fills
    across, down = (sorted({cell[k] for cell in cells}) for k in (0, 1))
    found: set[Any] = set()
    number = r'="([\d.]+)" '
    for x1, y1, x2, y2, of in re.findall(
        f'<line x1{number}y1{number}x2{number}y2{number.strip()} class="(in|out|far)"', picture
    ):
        if x1 == x2:
            found.add(("|", across.index(float(x1)), WIDTHS[of]))
        if y1 == y2:
            found.add(("-", down.index(float(y1)), WIDTHS[of]))
    return found


def in_latex(picture: str, high: int, wide: int) -> set[Any]:
    """The borders in a picture of TikZ."""
    line = r"\\draw\[tla (\w+)\] \(([\d.]+),([\d.]+)\) -- \(([\d.]+),([\d.]+)\)"
    lines = [(of, *map(float, ends)) for of, *ends in re.findall(line, picture)]
    edges = [ends for of, *ends in lines if of == "edge"]
    left, top, right, bottom = (
        f(ends) for f, ends in zip((min, min, max, max), zip(*edges, strict=True), strict=True)
    )
    found: set[Any] = set()
    for of, x1, y1, x2, y2 in lines:
        if of in STYLES and x1 == x2:
            found.add(("|", round((x1 - left) / (right - left) * wide), STYLES[of]))
        if of in STYLES and y1 == y2:
            found.add(("-", round((y1 - top) / (bottom - top) * high), STYLES[of]))
    return found


# --- nested layouts ---


@settings(max_examples=share(60))
@given(FACTORS, FACTORS)
def test_nested_modes(rows: list[int], columns: list[int]) -> None:
    """All leaves of a mode but the last are the largest tile; a mode of fewer leaves has fewer tiles."""
    assume(max(prod(rows), prod(columns)) <= 64)  # a text has no more of either
    layout = Layout((tuple(rows), tuple(columns)))
    figure = layout_figure(layout, 64, 64)
    along = [list(accumulate(sizes[:-1], mul)) for sizes in (rows, columns)]
    depth = max(map(len, along))
    extents = [
        [(own or [prod(sizes)])[0]] * (depth - len(own)) + own
        for own, sizes in zip(along, (rows, columns), strict=True)
    ]
    if depth:
        tiles = prod(prod(sizes) // own[-1] for sizes, own in zip((rows, columns), extents, strict=True))
        assert figure.scheme == ("tile" if tiles <= 8 else "offset")
        check(figure, *extents)
        check(layout_figure(layout, 64, 64, colour="tile"), *extents)
        strip = strip_figure(layout, 6561)
        cells = figure.grids[0].cells
        by_offset = {cell.offset: cell.colour for row in cells for cell in row}
        assert {place.offset: place.colour for place in strip.places} == by_offset
    else:
        assert figure.scheme == "offset"


# --- tiles of XLA ---


@pytest.mark.parametrize(
    ("text", "boxes"),
    [
        ("F32[3,5]{1,0:T(2,2)}", [(2, 2)]),
        ("F32[4,8]{1,0:T(2,4)(2,1)}", [(2, 4), (2, 1)]),
        ("f32[16,16]{0,1:T(8,4)(2,2)(1,2)}", [(4, 8), (2, 2), (2, 1)]),
        ("bf16[2,16,256]{2,1,0:T(8,128)(2,1)}", [(1, 8, 128), (1, 2, 1)]),
        ("f32[2,3,8]{2,1,0:T(*,3,4)}", [(1, 3, 4)]),
        ("f32[2,12]{1,0:T(4)(2)}", [(1, 4), (1, 2)]),
        ("f32[4,8]", []),
        ("f32[2,<=8]{1,0:T(2,4)}", None),
        ("f32[6]{0:T(4)(3)}", None),
    ],
)
def test_boxes(text: str, boxes: list[tuple[int, ...]] | None) -> None:
    shape = parse_array(text)
    assert tile_boxes(shape) == boxes
    if boxes and len(shape.dimensions) == 2:
        figure = shape.figure(16, 16)
        check(figure, *([box[k] for box in reversed(boxes)] for k in (0, 1)))
        plain = layout_figure(to_layout(shape), 16, 16, tiles=boxes)._replace(title=figure.title)
        assert figure == with_letters(plain, shape)
        assert all("y\\x" in picture for picture in (render(figure), svg(figure), html(figure)))


@st.composite
def tiled(draw: st.DrawFn) -> XlaShape:
    """A shape whose tiles each divide the tile before."""
    tiles: list[list[int]] = []
    for rank in sorted(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))):
        inner = tiles[0] if tiles else []
        inner = [1] * (rank - len(inner)) + inner
        tiles.insert(0, [n * draw(st.integers(1, 3)) for n in inner])
    dims = draw(st.lists(st.integers(1, 9), min_size=len(tiles[0]), max_size=3))
    return XlaShape("f32", dims, draw(st.permutations(range(len(dims)))), tiles)


@settings(max_examples=share(100))
@given(tiled())
def test_the_elements_of_a_tile_are_its_box(shape: XlaShape) -> None:
    """They lie in a run of memory as long as the tile."""
    boxes = tile_boxes(shape)
    assert boxes is not None
    indices = list(product(*map(range, shape.dimensions)))
    offsets = [physical_offset(shape, index) for index in indices]
    for tile in shape.tiles:
        runs: dict[int, set[Any]] = defaultdict(set)
        for index, offset in zip(indices, offsets, strict=True):
            runs[offset // prod(map(int, tile))].add(index)
        assert any(_is_grid(runs, box) for box in boxes), (tile, boxes)


def _is_grid(runs: dict[int, set[Any]], box: tuple[int, ...]) -> bool:
    """Whether each run has the elements of one box, and each box those of one run."""
    places = [
        {tuple(i // n for i, n in zip(index, box, strict=True)) for index in run}
        for run in runs.values()
    ]
    return all(len(place) == 1 for place in places) and len(set().union(*places)) == len(runs)


def test_bad_tiles() -> None:
    for tiles in ([(2,)], [(0, 2)], [(2, 2), (2, -1)]):
        with pytest.raises(LayoutError, match="need a size of 1 or more"):
            layout_figure(parse("(4,4):(4,1)"), tiles=tiles)
