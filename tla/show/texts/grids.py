# SPDX-License-Identifier: Apache-2.0
"""Grids as lines of text: digits of the coordinates around, offsets within, padding in brackets.

>>> from tla.show.texts.spans import plain
>>> for line in figure_lines(layout_figure(parse("((2,2),3):((1,6),2)")), None):
...     print(plain(line))
        0   1   2
     +------------+
 0 0 |  0   2   4 |
   1 |  1   3   5 |
     +------------+
 1 0 |  6   8  10 |
   1 |  7   9  11 |
     +------------+

If there are tiles, lines are their borders, those of tiles of tiles doubled. If not, each cell has its
own border.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..facts import MOST_TEXT, borders, cell_text, corner_note, cut_to, padding_note, runs, wrapped
from ..palette import fill
from .spans import Span

if TYPE_CHECKING:
    from ...ground import Axis, Cell, Figure, Grid, Scheme
    from .spans import Line

_MORE = "..."
_RULES = "-=#"
"""The lines between tiles, tiles of tiles, and those of these."""


def figure_lines(figure: Figure, width: int | None, is_titled: bool = False) -> list[Line]:
    """Return the lines of a figure; columns that do not fit the width are left out."""
    lines: list[Line] = []
    if is_titled and figure.title:
        lines += [(Span(line, "strong"),) for line in wrapped(figure.title, width)]
    if not figure.size:
        return [*lines, (Span("(no elements)"),)]
    whole = figure
    figure = cut_to(figure, MOST_TEXT)
    is_narrowed = figure is not whole and figure != whole
    for grid in figure.grids:
        if grid.title:
            lines.append((Span(grid.title),))
        if grid.cells and grid.cells[0]:
            shown = _Shown(grid, width)
            is_narrowed = is_narrowed or shown.columns < len(grid.cells[0])
            lines += shown.lines(figure.scheme)
    notes = [padding_note(figure, "(n)"), corner_note(figure, is_narrowed)]
    if any(cell.is_marked for grid in figure.grids for row in grid.cells for cell in row):
        notes.insert(0, "[n] is marked")
    return [*lines, *((Span(line),) for note in notes if note for line in wrapped(note, width))]


class _Frame(NamedTuple):
    """The signs left and right of a number."""

    before: str
    after: str

    @classmethod
    def of(cls, cell: Cell) -> _Frame:
        before, after = ("", "") if cell.valid else ("(", ")")
        return cls(f"[{before}", f"{after}]") if cell.is_marked else cls(before, after)


class _Shown:
    """A grid within a width: the width of its cells, the columns that have room, and the lines."""

    def __init__(self, grid: Grid, width: int | None) -> None:
        self.grid = grid
        cells = [cell for row in grid.cells for cell in row]
        self.tail: int = max(1, *(len(_Frame.of(cell).after) for cell in cells))
        self.wide: int = max(len(cell_text(cell)) for cell in cells) + 2 * self.tail
        rows = grid.row_axis
        self.is_nested: bool = bool(grid.column_axis.tiles or (rows and rows.tiles))
        self.labels = _labels(rows, len(grid.cells))
        self.left: int = max(2, *map(len, self.labels)) + 1
        columns = len(grid.cells[0])
        self.bars: dict[int, int] = (
            borders(grid.column_axis) if self.is_nested else dict.fromkeys(range(1, columns), 1)
        )
        self.columns = columns
        if width is not None:
            room = width - self.left - len(" ||")
            if columns < grid.columns or self._end(columns) > room:
                room -= len(f" {_MORE}")
            while self.columns > 1 and self._end(self.columns) > room:
                self.columns -= 1

    def _start(self, column: int) -> int:
        """Where a column begins, from the first one on."""
        return column * self.wide + sum(_thick(n) for at, n in self.bars.items() if at <= column)

    def _end(self, columns: int) -> int:
        return self._start(columns - 1) + self.wide

    def lines(self, scheme: Scheme) -> list[Line]:
        """The axis above, and the rows with the lines between them."""
        grid, rows = self.grid, self.grid.row_axis
        more = Span(f" {_MORE}" if self.columns < grid.columns else "")
        head = self._head()
        lines: list[Line] = [*head[:-1], (*head[-1], more), self._rule("-")]
        lower = borders(rows) if self.is_nested and rows is not None else {}
        for i, (label, row) in enumerate(zip(self.labels, grid.cells, strict=True)):
            if i and not self.is_nested:
                lines.append(self._rule("-"))
            elif i in lower:
                lines.append(self._rule(_RULES[_thick(lower[i]) - 1]))
            spans = [Span(f"{label:>{self.left}} "), Span("|", "rule")]
            for j, cell in enumerate(row[: self.columns]):
                if j in self.bars:
                    spans.append(Span("|" * _thick(self.bars[j]), "rule"))
                spans.append(self._cell(cell, scheme))
            lines.append((*spans, Span("|", "rule"), more))
        lines.append(self._rule("-"))
        if grid.rows is not None and len(grid.cells) < grid.rows:
            lines.append((Span(f"{_MORE:>{self.left}}"),))
        return lines

    def _cell(self, cell: Cell, scheme: Scheme) -> Span:
        # numbers end where those above and below do, and the brackets stand around them
        frame = _Frame.of(cell)
        text = f"{frame.before}{cell_text(cell)}"
        text = f"{text:>{self.wide - self.tail}}{frame.after:<{self.tail}}"
        if cell.is_marked:
            return Span(text, "mark")
        if not cell.valid:
            return Span(text, "padding")
        return Span(text, "", fill(scheme, cell.colour) if scheme and cell.colour >= 0 else "")

    def _rule(self, mark: str) -> Line:
        parts = "+"
        for j in range(self.columns):
            parts += "+" * _thick(self.bars[j]) if j in self.bars else ""
            parts += mark * self.wide
        return Span(" " * (self.left + 1)), Span(f"{parts}+", "rule")

    def _head(self) -> list[Line]:
        """The digits above the columns; the digit of a tile is in the middle of the tile."""
        lines: list[Line] = []
        *outer, inner = self.grid.column_axis.levels
        for level in outer:
            text = ""
            for digit, first, end in runs(level[: self.columns]):
                start = self._start(first)
                wide = self._end(end) - start
                text = f"{text:<{start}}{digit:^{wide}}"
            lines.append((Span(f"{' ' * (self.left + 2)}{text}"),))
        text = ""
        for j, digit in enumerate(inner[: self.columns]):
            text = f"{text:<{self._start(j)}}{digit:>{self.wide - self.tail}}{' ' * self.tail}"
        return [*lines, (Span(f"{self.grid.corner_text:>{self.left}}  {text}"),)]


def _thick(levels: int) -> int:
    """How many bars a border has."""
    return min(levels, len(_RULES))


def _labels(axis: Axis | None, count: int) -> list[str]:
    """The digits left of each row; the digit of a tile is in its first row alone."""
    if axis is None:
        return [""] * count
    columns: list[list[str]] = []
    for k, level in enumerate(axis.levels):
        inner = k == len(axis.levels) - 1
        begins = {start for _digit, start, _end in runs(level)}
        wide = max(len(str(digit)) for digit in level)
        columns.append(
            [f"{digit if inner or i in begins else '':>{wide}}" for i, digit in enumerate(level)]
        )
    return [" ".join(digits) for digits in zip(*columns, strict=True)]
