# SPDX-License-Identifier: Apache-2.0
"""Grids as scenes: cells with text below the digits of their coordinates, or an image of many.

>>> from tla.show.scene import Scene
>>> scene = Scene()
>>> draw_figure(layout_figure(Layout((100, 100), (100, 1)), 100, 100), scene, 0, 0)
>>> len(scene.boxes), scene.images[0].columns
(0, 100)
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ..facts import (
    MOST_CELLS,
    MOST_TEXT,
    borders,
    cell_text,
    corner_note,
    cut_to,
    padding_note,
    runs,
    wrapped,
)
from ..palette import CHEQUER, NOTHING, PADDING, fill
from ..scene import LETTER, LINE, Box, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ground import Axis, Figure, Grid, Scheme
    from ..scene import Role, Scene, Weight

CELL: Final = 24
"""The height of a cell, and its least width."""

_WIDEST: Final = 84
"""The letters in a line of the title and of the notes."""

_IMAGE: Final = 768
"""The largest side of an image, unless its cells would be smaller than a pixel."""

_HIGH: Final = 14
"""The room of a label beside rows."""

_LABEL: Final = 15
"""The height of a tile with room for a number."""

_PIXEL: Final = 16
"""The largest side of a cell of an image."""


def draw_figure(figure: Figure, scene: Scene, x: float, y: float) -> None:
    """Draw the grids of a figure below each other, the title above and the totals below."""
    widest = scene.letters(x, _WIDEST)
    figure = cut_to(figure, MOST_CELLS)
    grids = [_fitting(grid, scene.room - x) for grid in figure.grids]
    figure = figure._replace(grids=tuple(grids))
    if figure.title:
        y = scene.column(x, y, wrapped(figure.title, widest), "title")
    for grid in figure.grids:
        if grid.title:
            y = scene.column(x, y, wrapped(grid.title, widest))
        if grid.cells and grid.cells[0]:
            y = _grid(grid, figure.scheme, scene, x, y)
    is_image = any(_is_image(grid, scene.room - x) for grid in grids)
    padding = padding_note(figure, "chequered" if is_image else "hatched")
    notes = [padding, corner_note(figure)] if figure.size else ["no elements"]
    if any(text.role == "cell" for text in scene.texts):
        notes.insert(0, "the number in a tile is that of its first cell")
    scene.column(x, y, [line for note in notes if note for line in wrapped(note, widest)])


def _is_image(grid: Grid, room: float) -> bool:
    """Whether there are too many cells for text."""
    if len(grid.cells) > MOST_TEXT or any(len(row) > MOST_TEXT for row in grid.cells):
        return True
    return room < inf and _beside(grid, False) + len(grid.cells[0]) * _width_of_text(grid) > room


def _width_of_text(grid: Grid) -> int:
    return cell_width(max([len(cell_text(cell)) for row in grid.cells for cell in row], default=0))


def _beside(grid: Grid, is_image: bool) -> float:
    """The room for the labels of rows, and for the totals beside a corner."""
    is_cut = is_image or len(grid.cells[0]) < grid.columns
    totals = width_of(f"... {grid.columns}", "axis") + 6 if is_cut else 0
    if grid.row_axis is None:
        return totals
    levels = _levels(grid.row_axis, is_image and (_high(grid), _HIGH))
    return sum(map(_level_width, levels)) + 4 + totals


def _pixels(grid: Grid, room: float) -> tuple[float, float]:
    """The width and the height of a cell of an image."""
    columns = len(grid.cells[0])
    widest = (room - _beside(grid, True)) // columns
    return max(1.0, min(_PIXEL, _IMAGE // columns, widest)), _high(grid)


def _high(grid: Grid) -> float:
    """The height of a cell of an image: tiles are as high as a label."""
    rows = len(grid.cells)
    tile = rows if grid.row_axis is None else _tile(grid.row_axis, rows)
    return max(1.0, min(_PIXEL, _IMAGE // rows), -(-_LABEL // tile) if 1 < tile < rows else 1)


def _tile(axis: Axis, count: int) -> int:
    """The extent of the largest tiles along an axis; without tiles the ``count`` of all."""
    levels_at = borders(axis)
    most = max(levels_at.values(), default=0)
    return next((at for at, levels in levels_at.items() if levels == most), count)


def _fitting(grid: Grid, room: float) -> Grid:
    """The corner of a grid that fits, if its cells are drawn as an image."""
    if not grid.cells or not grid.cells[0] or not _is_image(grid, room):
        return grid
    wide, high = _pixels(grid, room)
    columns = max(1, int(min(room - _beside(grid, True), 1e9) // wide))
    return grid.corner(max(int(_IMAGE // high), 1), columns)


def cell_width(longest: int) -> int:
    """The width of a cell that has room for ``longest`` letters."""
    return max(CELL, ceil(longest * LETTER) + 8)


def _grid(grid: Grid, scheme: Scheme, scene: Scene, x: float, y: float) -> float:
    """Draw a grid with its axes, and return where it ends."""
    rows, columns = len(grid.cells), len(grid.cells[0])
    is_image = _is_image(grid, scene.room - x)
    labels: list[list[str]] = []
    if is_image:
        wide, high = _pixels(grid, scene.room - x)
    else:
        labels = [list(map(cell_text, row)) for row in grid.cells]
        wide, high = cell_width(max([max(map(len, row)) for row in labels])), CELL
    levels = [] if grid.row_axis is None else _levels(grid.row_axis, is_image and (high, _HIGH))
    left = x + sum(map(_level_width, levels)) + (4 if levels else 0)
    column_levels = _levels(grid.column_axis, is_image and (wide, _width_of_labels(columns)))
    top = y + LINE * len(column_levels) + 4
    _columns_axis(column_levels, scene, left, y, wide)
    _rows_axis(levels, scene, x, top, high)
    if is_image:
        _image(grid, scheme, scene, (left, top, wide, high))
        _label_tiles(grid, scene, (left, top, wide, high))
    else:
        _cells(grid, labels, scheme, scene, (left, top, wide, high))
    right, bottom = left + columns * wide, top + rows * high
    scene.reach(right, bottom)
    close = _LABEL if is_image else _CLOSE
    for i, weight in _lines(grid.column_axis, wide, close):
        scene.line(left + i * wide, top, left + i * wide, bottom, weight)
    if grid.row_axis is not None:
        for i, weight in _lines(grid.row_axis, high, close):
            scene.line(left, top + i * high, right, top + i * high, weight)
    scene.frame(left, top, right - left, bottom - top, "edge")
    if grid.corner_text:
        scene.text(left - 4, top - 9, grid.corner_text, "axis", "end")
    if columns < grid.columns:
        scene.text(right + 6, top + 12, f"... {grid.columns}", "axis", "start")
    if grid.rows is not None and rows < grid.rows:
        scene.text(left, bottom + 13, f"... {grid.rows}", "axis", "start")
        bottom += LINE
    return bottom + 4


def _cells(
    grid: Grid, labels: list[list[str]], scheme: Scheme, scene: Scene, first: tuple[float, ...]
) -> None:
    """The cells, from the first one on: its corner, width and height."""
    left, top, wide, high = first
    names = None if grid.row_axis is None else grid.row_axis.names
    outer = "".join([f"{i}," for i in grid.at])
    columns = list(
        zip([left + j * wide for j in range(len(labels[0]))], grid.column_axis.names, strict=False)
    )
    marked: list[tuple[float, float]] = []
    add = scene.boxes.append
    for i, (row, texts) in enumerate(zip(grid.cells, labels, strict=True)):
        y = top + i * high
        begin = "" if names is None else f"({outer}{names[i]},"
        end = " -> " if names is None else ") -> "
        for cell, text, (x, name) in zip(row, texts, columns, strict=True):
            offset, valid, colour, _text, is_marked, elements = cell
            tip = f"{begin}{name}{end}{offset}"
            keys = (offset,) if elements is None else tuple([f"e{n}" for n in elements])
            if valid:
                add(Box(x, y, wide, high, fill(scheme, colour), text, tip, False, keys))
            else:
                add(Box(x, y, wide, high, PADDING, text, f"{tip}, padding", True, keys))
            if is_marked:
                marked.append((x, y))
    for x, y in marked:
        scene.frame(x + 1, y + 1, wide - 2, high - 2, "mark")


def _image(grid: Grid, scheme: Scheme, scene: Scene, first: tuple[float, ...]) -> None:
    """A pixel for each cell, from the first one on; padding is chequered, and cells without a colour are
    white.

    Colours that repeat are listed once.
    """
    numbers = sorted({cell.colour for row in grid.cells for cell in row})
    paints = [NOTHING if number < 0 else fill(scheme, number) for number in numbers]
    colours = (*CHEQUER, *dict.fromkeys(paints))
    pixel = {number: colours.index(paint, 2) for number, paint in zip(numbers, paints, strict=True)}
    pixels = bytes(
        [
            pixel[cell.colour] if cell.valid else (i + j) % 2
            for i, row in enumerate(grid.cells)
            for j, cell in enumerate(row)
        ]
    )
    scene.image(first, len(grid.cells[0]), len(grid.cells), pixels, colours)


def _label_tiles(grid: Grid, scene: Scene, first: tuple[float, ...]) -> None:
    """The number of the first cell of each of the largest tiles, where all have room for theirs."""
    left, top, wide, high = first
    rows, columns = len(grid.cells), len(grid.cells[0])
    down = rows if grid.row_axis is None else _tile(grid.row_axis, rows)
    right = _tile(grid.column_axis, columns)
    tiles = [
        (i, j, cell_text(grid.cells[i][j]))
        for i in range(0, rows, down)
        for j in range(0, columns, right)
    ]
    room = max([width_of(text, "axis") for _i, _j, text in tiles]) + 8
    if len(tiles) == 1 or high * down < _LABEL or wide * right < room:
        return
    for i, j, text in tiles:
        x, y = left + wide * j, top + high * i
        if wide * (columns - j) >= room and high * (rows - i) >= _LABEL:
            scene.text(x + 4, y + 11, text, "cell", "start")


# --- axes -------------------------------------------------------------------------------------


class _Label(NamedTuple):
    """One label along an axis, from one place to another."""

    text: str
    start: int
    end: int
    role: Role


def _width_of_labels(count: int) -> float:
    """The room for the number of a place, beside those of its neighbours."""
    return width_of(str(count), "axis") + LETTER


def _levels(axis: Axis, image: tuple[float, float] | Literal[False]) -> list[list[_Label]]:
    """The labels along an axis, the outermost level first.

    Beside an image there is no room for the digits of single cells. Some places are numbered instead,
    and the tiles of a level if each has room.

    Args:
        image: Of an image the size of a cell, and the room that a label takes.
    """
    inner = len(axis.levels) - 1
    levels = [
        [
            _Label(str(digit), start, end, "axis" if k == inner else "outer")
            for digit, start, end in runs(level)
        ]
        for k, level in enumerate(axis.levels)
    ]
    if not image:
        return levels
    size, room = image
    count, step = len(axis.names), 1
    while room > step * size:
        step *= 2
    wide = [[t for t in level if size * (t.end - t.start) >= room] for level in levels[:-1]]
    return [
        *filter(None, wide),
        [_Label(str(i), i, i, "axis") for i in range(0, count, step)],
    ]


def _lines(axis: Axis, size: float, close: float) -> list[tuple[int, Weight]]:
    """The places of the borders, those of tiles of tiles heavier; no level that would hide the cells."""
    levels_at: dict[int, int] = borders(axis)
    while levels_at and size * min(b - a for a, b in pairwise((0, *levels_at))) < close:
        smallest = min(levels_at.values())
        levels_at = {at: levels for at, levels in levels_at.items() if levels > smallest}
    return [(at, _WEIGHTS[min(levels, len(_WEIGHTS)) - 1]) for at, levels in levels_at.items()]


_WEIGHTS: Final[tuple[Weight, ...]] = ("thick", "heavy", "heavier")
_CLOSE: Final = 4


def _level_width(level: Sequence[_Label]) -> float:
    return 8 + max((ceil(width_of(label.text, "axis")) for label in level), default=0)


def _columns_axis(
    levels: Sequence[Sequence[_Label]], scene: Scene, left: float, y: float, wide: float
) -> None:
    for level in levels:
        y += LINE
        for text, start, end, role in level:
            if role == "outer":
                scene.line(left + start * wide + 2, y - 1, left + end * wide - 2, y - 1)
            if start == end:  # the place of an image, with a line to where it begins
                scene.line(left + start * wide, y, left + start * wide, y + 4)
            middle = left + (start + end) * wide / 2
            scene.text(middle, y - 5, text, role, "start" if start == end == 0 else "middle")


def _rows_axis(
    levels: Sequence[Sequence[_Label]], scene: Scene, x: float, top: float, high: float
) -> None:
    for level in levels:
        x += _level_width(level)
        for text, start, end, role in level:
            if role == "outer":
                scene.line(x, top + start * high + 2, x, top + end * high - 2)
            if start == end:
                scene.line(x, top + start * high, x + 4, top + start * high)
            middle = top + (start + end) * high / 2
            scene.text(x - 4, middle + (8 if start == end == 0 else 4), text, role, "end")
