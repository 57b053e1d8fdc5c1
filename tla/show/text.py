"""Figures as plain text, for terminals, pipes and documents.

>>> from tla.figure import layout_figure
>>> print(render(layout_figure(parse("(2,4):(4,1):(2,3)"))))
      0   1   2   3
    +---+---+---+---+
  0 | 0 | 1 | 2 |(3)|
    +---+---+---+---+
  1 | 4 | 5 | 6 |(7)|
    +---+---+---+---+
(n) is padding: 6 of 8 hold data
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..figure import Bars, Steps, Timeline
from .bars import bars_lines
from .timeline import timeline_lines

if TYPE_CHECKING:
    from ..figure import AnyFigure, Cell, Figure, Grid

__all__ = ["render"]


def render(figure: AnyFigure, width: int | None = None) -> str:
    """Return a figure as lines of text, without a last line end.

    Args:
        width: Leave out the columns that would exceed so many characters; None for no limit.
    """
    if isinstance(figure, Steps):
        return "\n".join(_steps(figure))
    if isinstance(figure, Bars):
        return "\n".join(bars_lines(figure, width))
    if isinstance(figure, Timeline):
        return "\n".join(timeline_lines(figure, width))
    lines: list[str] = []
    for grid in figure.grids:
        if grid.title:
            lines += [grid.title]
        lines += _grid(grid, width)
    if not figure.size:
        return "(no elements)"
    lines += _legend(figure, width)
    return "\n".join(lines)


def _grid(grid: Grid, width: int | None) -> list[str]:
    if not grid.cells or not grid.cells[0]:
        return []
    shown = _columns_shown(grid, width)
    labels = ["" if grid.rows is None else str(i) for i in range(len(grid.cells))]
    left = max(2, *map(len, labels)) + 1
    wide = _cell_width(grid)
    more_rows = grid.rows is not None and len(grid.cells) < grid.rows
    more = "..." if shown < grid.columns else ""
    # numbers end one blank before the bar, so that a padding bracket fits around them
    head = " " * (left + 1) + "".join(f" {i:>{wide - 1}} " for i in range(shown))
    rule = " " * (left + 1) + f"+{'+'.join(['-' * wide] * shown)}+"
    lines = [(head + " " + more).rstrip(), rule]
    for label, row in zip(labels, grid.cells, strict=True):
        cells = "|".join(_cell(cell, wide) for cell in row[:shown])
        lines += [f"{label:>{left}} |{cells}| {more}".rstrip(), rule]
    if more_rows:
        lines.append(f"{'...':>{left}}")
    return lines


def _cell(cell: Cell, wide: int) -> str:
    if cell.valid:
        return f"{cell.offset:>{wide - 1}} "
    return f"{f'({cell.offset})':>{wide}}"


def _cell_width(grid: Grid) -> int:
    return max(len(str(cell.offset)) for row in grid.cells for cell in row) + 2


def _columns_shown(grid: Grid, width: int | None) -> int:
    columns = len(grid.cells[0])
    if width is None:
        return columns
    left = max(2, len(str(len(grid.cells) - 1))) + 3
    return max(1, min(columns, (width - left - 4) // (_cell_width(grid) + 1)))


def _legend(figure: Figure, width: int | None) -> list[str]:
    lines: list[str] = []
    if any(grid.has_padding for grid in figure.grids):
        lines.append(f"(n) is padding: {figure.valid_size} of {figure.size} hold data")
    elif figure.valid_size < figure.size:
        lines.append(f"the padding lies outside: {figure.valid_size} of {figure.size} hold data")
    narrowed = [
        grid
        for grid in figure.grids
        if grid.is_cut or (grid.cells and _columns_shown(grid, width) < grid.columns)
    ]
    if narrowed or len(figure.grids) < figure.slices:
        grid = figure.grids[0]
        matrix = f"{grid.rows} x {grid.columns}" if grid.rows is not None else f"{grid.columns}"
        whole = f"{figure.slices} slices of {matrix}" if figure.slices > 1 else matrix
        lines.append(
            f"a corner of {whole}: {figure.size} coordinates, offsets that span {figure.cosize}"
        )
    return lines


def _steps(steps: Steps) -> list[str]:
    """The title, and indented below it the notes, the parts, the table and the result."""
    lines = list(steps.notes)
    for part in steps.parts:
        lines += _steps(part)
    if steps.rows:
        table = [steps.columns, *steps.rows]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines += [
            "  ".join(f"{x:<{w}}" for x, w in zip(row, widths, strict=True)).rstrip() for row in table
        ]
    return [steps.title, *(f"  {line}".rstrip() for line in lines), f"  = {steps.result}"]
