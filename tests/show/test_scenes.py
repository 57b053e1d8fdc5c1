"""Scenes: every cell is drawn with what stands in it, and nothing lies over anything else."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

from tla import Layout, layout_figure, parse, strip_figure, zN
from tla.ground.figure import AnyFigure, Bar, Bars, Figure, Panels, Steps, Strip, Timeline
from tla.show import render, svg
from tla.show.facts import MOST_CELLS, MOST_TEXT
from tla.show.scene import Box, Scene, Text, width_of
from tla.show.scenes import scene_of

from .figures import figures, grids, marked, panels, said, strips

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Area = tuple[float, float, float, float]


def placed(scene: Scene, x: float = 0, y: float = 0) -> Iterator[tuple[Any, float, float]]:
    """Boxes and texts with the corner of the scene that they are in."""
    for thing in (*scene.boxes, *scene.texts):
        yield thing, x, y
    for at, top, part in scene.parts:
        yield from placed(part, x + at, y + top)


def area(thing: Box | Text, x: float, y: float) -> Area:
    """Left, top, right and bottom; of letters the part above the line, which all have."""
    if isinstance(thing, Box):
        return x + thing.x, y + thing.y, x + thing.x + thing.width, y + thing.y + thing.height
    wide = width_of(thing.text, thing.role)
    left = x + thing.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[thing.anchor] * wide
    return left, y + thing.y - 7, left + wide, y + thing.y


def overlaps(a: Area, b: Area) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5


@given(figures())
def test_nothing_lies_over_anything_else_or_outside(figure: AnyFigure) -> None:
    scene = scene_of(figure)
    areas = [area(thing, x, y) for thing, x, y in placed(scene)]
    for left, top, right, bottom in areas:
        assert 0 <= left <= right <= scene.width + 0.5
        assert 0 <= top <= bottom <= scene.height + 0.5
    if len(areas) < 400:
        assert not [pair for pair in combinations(areas, 2) if overlaps(*pair)]


MODES = st.lists(st.integers(1, 12), min_size=1, max_size=3).map(tuple)


@settings(max_examples=share(100))
@given(MODES, MODES)
def test_no_labels_of_tiles_overlap(rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
    """However many tiles there are, and however small: as text and as an image."""
    scene = scene_of(layout_figure(Layout((rows, columns)), MOST_CELLS, MOST_CELLS))
    areas = [area(thing, x, y) for thing, x, y in placed(scene) if isinstance(thing, Text)]
    for one, other in combinations(areas, 2):
        assert not overlaps(one, other)


def test_borders_that_would_hide_the_cells_are_left_out() -> None:
    """Of each level by itself: of 512 rows with pairs in tiles of 8, the tiles have borders."""
    layout = parse("((2,4,160),(128,128)):((1,256,131072),(2,1024))")
    scene = scene_of(layout_figure(layout, MOST_CELLS, MOST_CELLS))
    (image,) = scene.images
    lines = [line for line in scene.lines if line.weight == "heavy" and line.y1 == line.y2]
    assert [line.y1 for line in lines] == [image.y + 16 * i for i in range(1, image.rows // 8)]
    assert image.rows % 8 == 0
    assert not any(line.weight == "thick" for line in scene.lines)
    # tiles first: each has the number of its first cell
    numbers = [text.text for text in scene.texts if text.role == "cell"]
    assert numbers == [str(layout((i, j))) for i in range(0, image.rows, 8) for j in range(0, 512, 128)]


KINDS: list[Callable[[Layout[Any, Any]], AnyFigure]] = [
    lambda layout: layout_figure(layout, MOST_TEXT, MOST_TEXT, 2),
    lambda layout: layout_figure(layout, MOST_CELLS, MOST_CELLS, 1),
    lambda layout: strip_figure(layout, 64),
]

STRIDES = st.lists(st.integers(0, 700), min_size=3, max_size=3)


@settings(max_examples=share(500))
@given(
    st.lists(st.tuples(MODES, STRIDES), min_size=1, max_size=3),
    st.sampled_from(KINDS),
    st.integers(300, 1200),
)
def test_any_layout_at_any_width(modes: list[Any], kind: Any, width: int) -> None:
    """No two labels overlap, no letter is smaller than 9 pixels, and the picture is as wide as asked."""
    shape, stride = zip(*((mode, tuple(d[: len(mode)])) for mode, d in modes), strict=True)
    figure = kind(Layout(shape, stride))
    scene = scene_of(figure, width)
    assert scene.width <= width
    areas = [area(thing, x, y) for thing, x, y in placed(scene) if isinstance(thing, Text)]
    areas.sort(key=lambda a: a[1])
    for i, one in enumerate(areas):
        for other in areas[i + 1 :]:
            if other[1] >= one[3]:
                break
            assert not overlaps(one, other)
    sizes = map(float, re.findall(r"font-size:([\d.]+)px", svg(figure, width=width)))
    assert min(sizes) >= 9


def texts(figure: AnyFigure) -> list[str]:
    return [box.text for scene in scene_of(figure).all() for box in scene.boxes if box.text]


@given(figures())
def test_every_cell_is_drawn(figure: AnyFigure) -> None:
    is_large = isinstance(figure, Figure) and any(
        max(len(grid.cells), len(grid.cells[0])) > MOST_TEXT for grid in figure.grids
    )
    if not isinstance(figure, Bars) and not is_large:
        assert sorted(texts(figure)) == sorted(filter(None, said(figure)))


@given(figures())
def test_what_is_marked_has_a_frame(figure: AnyFigure) -> None:
    lines = [line for line in scene_of(figure).lines if line.weight == "mark"]
    if isinstance(figure, (Figure, Strip)) and (texts(figure) or not marked(figure)):
        assert len(lines) == 4 * marked(figure)


@given(grids(marks=False))
def test_a_cell_fits_its_text_and_says_its_coordinate(figure: Figure) -> None:
    boxes = scene_of(figure).boxes
    assert all(width_of(box.text) < box.width for box in boxes)
    cells = [cell for grid in figure.grids for row in grid.cells for cell in row]
    for box, cell in zip(boxes, cells, strict=bool(boxes)):
        assert box.tip.endswith(f"-> {cell.offset}{'' if cell.valid else ', padding'}")
        assert (box.is_hatched, box.keys) == (not cell.valid, (cell.offset,))


@given(strips())
def test_places_of_memory_that_hold_nothing_are_hatched(strip: Strip) -> None:
    boxes = scene_of(strip).boxes
    assert [box.is_hatched for box in boxes] == [not (p.valid and p.hits) for p in strip.places]
    assert [int(box.tip.split(":")[0]) for box in boxes] == [p.offset for p in strip.places]


@pytest.mark.parametrize("n", [1, 8, 64])
def test_cells_are_of_one_size_whatever_the_figure(n: int) -> None:
    """As long as the numbers are as long."""
    figure = layout_figure(Layout((n, n), (0, 0)), 64, 64)
    assert {(box.width, box.height) for box in scene_of(figure).boxes} == {(24, 24)}


def test_text_gives_way_to_an_image_and_that_to_a_corner() -> None:
    def drawn(rows: int, columns: int) -> tuple[int, list[tuple[int, int]]]:
        scene = scene_of(layout_figure(Layout((rows, columns)), 1000, 1000))
        return len(scene.boxes), [(image.rows, image.columns) for image in scene.images]

    assert drawn(MOST_TEXT, MOST_TEXT) == (MOST_TEXT**2, [])
    assert drawn(MOST_TEXT + 1, 3) == (0, [(MOST_TEXT + 1, 3)])
    assert drawn(3, MOST_TEXT + 1) == (0, [(3, MOST_TEXT + 1)])
    assert drawn(700, 600) == (0, [(MOST_CELLS, MOST_CELLS)])


def test_the_totals_stand_beside_and_below_a_corner() -> None:
    scene = scene_of(layout_figure(Layout((700, 600)), 999, 999))
    (image,) = scene.images
    at = {text.text: text for text in scene.texts}
    assert "a corner of 700 x 600: 420000 coordinates, offsets that span 420000" in at
    columns, rows = at["... 600"], at["... 700"]
    assert columns.x > image.x + image.width
    assert image.y < columns.y < image.y + image.height
    assert rows.y > image.y + image.height


def test_a_tick_leads_from_each_name_to_the_rows_of_an_image() -> None:
    scene = scene_of(layout_figure(Layout((3, 200)), 999, 999))
    (image,) = scene.images
    assert [text.text for text in scene.texts][-3:] == ["0", "1", "2"]
    ticks = [line for line in scene.lines if line.y1 == line.y2 and line.x1 < image.x]
    assert [(line.x1, line.x2) for line in ticks] == [(image.x - 4, image.x)] * 3


def test_an_image_has_the_colours_of_its_cells() -> None:
    layout = zN(90, 70, block=(16, 16))
    scene = scene_of(layout_figure(layout, 128, 128, colour="tile"))
    (image,) = scene.images
    assert len(set(image.colours)) == len(image.colours) == 10
    for i in range(image.rows):
        for j in range(image.columns):
            number = image.pixels[i * image.columns + j]
            assert (number < 2) == (not layout.is_valid((i, j)))
            if layout.is_valid((i, j)):
                # the same within a tile, another in the tiles beside it
                assert number == image.pixels[i // 16 * 16 * image.columns + j // 16 * 16]
    assert image.pixels[0] != image.pixels[16] != image.pixels[16 * image.columns]
    assert [text.text for text in scene.texts][-1] == "chequered is padding: 6300 of 7680 hold data"


def test_borders_of_tiles_of_tiles_are_heavier() -> None:
    scene = scene_of(layout_figure(parse("((2,2,2),3):((1,2,4),8)")))
    assert [line.weight for line in scene.lines if line.y1 == line.y2 and line.x1 < line.x2].count(
        "heavy"
    ) == 1
    assert sum(line.weight == "thick" for line in scene.lines) == 2


@given(panels())
def test_signs_stand_between_their_figures(figure: Panels) -> None:
    scene = scene_of(figure)
    signs = [text for text in scene.texts if text.role == "sign"]
    assert [text.text for text in signs] == list(figure.signs)
    assert len(scene.parts) == len(figure.figures)
    for sign, (left, top, before), (right, below, part) in zip(
        signs, scene.parts, scene.parts[1:], strict=False
    ):
        if top == below:
            middle = (left + before.width + right) / 2
            assert sign.x == pytest.approx(middle)
            assert sign.y <= top + min(before.height, part.height) / 2 + 6


def test_a_long_title_is_not_cut() -> None:
    figure = layout_figure(parse("(2,2):(1,2)"))._replace(title="a layout of many words " * 20)
    scene = scene_of(figure)
    assert " ".join(text.text for text in scene.texts if text.role == "title").split() == (
        figure.title.split()
    )
    assert scene.width < 800


def test_a_bar_is_as_wide_as_its_bytes() -> None:
    bars = (Bar("x", 0, 16, 24, ((8, 16),)), Bar("y", 32, 80, 80, ()))
    scene = scene_of(Bars("L1", 64, bars))
    widths = [box.width for box in scene.boxes]
    assert widths == pytest.approx([16 * 7, 8 * 7, 48 * 7], abs=0.02)
    assert [box.is_hatched for box in scene.boxes] == [False, True, False]
    assert [text.text for text in scene.texts][-1] == (
        "hatched: padding that is read; to: the end of the padded tile; framed: written over by "
        "another; past the line: outside"
    )


def test_the_scale_below_bars_and_the_frame_of_what_two_write() -> None:
    scene = scene_of(Bars("L1", 64, (Bar("x", 0, 16, 24, ((8, 16),)),)))
    at = {text.text: text.x for text in scene.texts}
    room = at["64"] - at["0"]
    assert [at[n] - at["0"] for n in ("16", "32", "48")] == pytest.approx(
        [room / 4, room / 2, room * 3 / 4], abs=0.02
    )
    frame = [x for line in scene.lines if line.weight == "mark" for x in (line.x1, line.x2)]
    assert (min(frame), max(frame)) == pytest.approx((at["0"] + room / 8, at["16"]), abs=0.02)


def test_a_huge_layout_is_a_corner_at_once() -> None:
    n = 10**9
    scene = scene_of(layout_figure(Layout((n, n), (n, 1)), MOST_CELLS, MOST_CELLS))
    assert scene.images[0].rows == MOST_CELLS
    assert scene_of(strip_figure(Layout((n, n), (n, 1)))).boxes[-1].text == "(0,63)"


def test_kinds_of_which_nothing_is_there() -> None:
    empty: list[AnyFigure] = [
        layout_figure(parse("(0,3):(1,1)")),
        strip_figure(parse("(0,3):(1,1)")),
        Bars("L1", 0, ()),
        Bars("L1", 0, (Bar("A", 0, 0, 0, ()),)),
        Panels("", ()),
        Steps("", (), (), (), (), ""),
        Timeline("core", "round", "x", (), (), 0, 0, 0),
    ]
    for figure in empty:
        assert scene_of(figure).height >= 0
        assert render(figure, 20).count("\n") < 9
