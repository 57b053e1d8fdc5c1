# SPDX-License-Identifier: Apache-2.0
"""Figures as data for a page: what it draws, and nothing of how.

>>> data = figure_data(layout_figure(Layout((2, 3), (3, 1))))
>>> data["kind"], data["grids"][0]["offsets"], data["grids"][0]["columns"]["levels"]
('figure', [[0, 1, 2], [3, 4, 5]], [[0, 1, 2]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from ..ground import NO_COLOUR, Bars, Figure, Panels, Steps, Strip, Timeline
from ..show import borders, corner_note, fill, memory_notes, padding_note, svg

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ground import AnyFigure, Axis, Cell, Grid, Scheme


def figure_data(figure: AnyFigure) -> dict[str, Any]:
    """Return a figure as values of JSON."""
    if isinstance(figure, Figure):
        return _figure(figure)
    if isinstance(figure, Strip):
        return _strip(figure)
    if isinstance(figure, Panels):
        return {
            "kind": "panels",
            "title": figure.title,
            "figures": list(map(figure_data, figure.figures)),
            "signs": list(figure.signs),
            "note": figure.note,
        }
    if isinstance(figure, Steps):
        return {
            "kind": "steps",
            "title": figure.title,
            "notes": list(figure.notes),
            "columns": list(figure.columns),
            "rows": list(map(list, figure.rows)),
            "parts": list(map(figure_data, figure.parts)),
            "result": figure.result,
            "sentences": list(figure.sentences),
            "pictures": list(map(figure_data, figure.pictures)),
        }
    if isinstance(figure, (Bars, Timeline)):  # pyright: ignore[reportUnnecessaryIsInstance]
        return {"kind": "drawing", "svg": svg(figure, alone=False)}
    assert_never(figure)


def _figure(figure: Figure) -> dict[str, Any]:
    notes = (padding_note(figure, "hatched"), corner_note(figure))
    return {
        "kind": "figure",
        "title": figure.title,
        "scheme": figure.scheme,
        "size": figure.size,
        "grids": [_grid(grid, figure.scheme) for grid in figure.grids],
        "notes": [note for note in notes if note] if figure.size else ["no elements"],
    }


def _grid(grid: Grid, scheme: Scheme) -> dict[str, Any]:
    """A grid; what most grids have nowhere is left out: texts, padding, marks, elements."""
    cells = [cell for row in grid.cells for cell in row]
    numbers = sorted({cell.colour for cell in cells})
    colours = ["" if number == NO_COLOUR or not scheme else fill(scheme, number) for number in numbers]
    place = {number: i for i, number in enumerate(numbers)}
    data: dict[str, Any] = {
        "title": grid.title,
        "corner": grid.corner_text,
        "rows": None if grid.row_axis is None else _axis(grid.row_axis),
        "columns": _axis(grid.column_axis),
        "at": list(grid.at),
        "offsets": [[_plain(cell.offset) for cell in row] for row in grid.cells],
        "colours": colours,
        "fills": [place[cell.colour] for cell in cells],
        "padding": [i for i, cell in enumerate(cells) if not cell.valid],
        "marks": [i for i, cell in enumerate(cells) if cell.is_marked],
    }
    if any(cell.text is not None for cell in cells):
        data["texts"] = [cell.text for cell in cells]
    if any(cell.elements is not None for cell in cells):
        data["elements"] = [_elements(cell) for cell in cells]
    return data


def _elements(cell: Cell) -> list[int] | None:
    return None if cell.elements is None else list(cell.elements)


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "size": axis.size,
        "names": list(axis.names),
        "levels": list(map(list, axis.levels)),
        "borders": list(borders(axis).items()),
    }


def _strip(strip: Strip) -> dict[str, Any]:
    return {
        "kind": "strip",
        "title": strip.title,
        "start": strip.start,
        "end": strip.end,
        "places": [
            [
                place.offset,
                list(place.coordinates),
                place.hits,
                place.valid,
                fill(strip.scheme, place.colour) if place.hits and place.colour != NO_COLOUR else "",
                place.is_marked,
            ]
            for place in strip.places
        ],
        "notes": _sentences(memory_notes(strip)),
    }


def _sentences(notes: Iterable[str]) -> list[str]:
    return [note for note in notes if note]


def _plain(value: Any) -> Any:
    """An int as it is, a coordinate or what is larger than a double holds as text."""
    return int(value) if isinstance(value, int) and abs(value) < 1 << 53 else str(value)
