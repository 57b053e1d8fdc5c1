# SPDX-License-Identifier: Apache-2.0
"""Timelines as plain text: a row for each lane, a column for each turn, brackets as wide as the work.

>>> from tla.ground.figure import Lane, Stretch, Timeline
>>> lanes = (Lane(0, ((Stretch("a", 4),), (Stretch("b", 4),)), 8), Lane(1, ((Stretch("c", 2),), ()), 2))
>>> print("\\n".join(timeline_lines(Timeline("core", "round", "job", (0, 1), lanes, 2, 2, 8), None)))
round 0      1       work
    0 [a   ] [b   ]  100%
    1 [c]             25%
each row a core; in brackets as wide as the work: job; work is of the busiest core's
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import wrapped
from ..turns import GAP, placed, share_of, shown_note, turns_in, width_notes

if TYPE_CHECKING:
    from ...ground import Stretch, Timeline
    from ..turns import Column

_WIDTH: Final = 100  # without a limit


def timeline_lines(figure: Timeline, width: int | None) -> list[str]:
    """Return the lines of a timeline; if the width is short, the turns in the middle are left out."""
    left = max(len(figure.lane), *(len(lane.title) for lane in figure.lanes), len(figure.turn))
    shown = turns_in(figure, (width or _WIDTH) - left - len("  100%") - 2)
    heads, body, before = "", ["" for _ in figure.lanes], -1
    for column, wide in shown:
        turn = figure.turns[column.at]
        gap = f" {GAP}" if turn > before + 1 else ""
        heads += f"{gap} {turn:<{wide}}"
        for row, lane in enumerate(figure.lanes):
            cell = _cell(lane.cells[column.at], wide, column.work)
            body[row] += f"{' ' * len(gap)} {cell:<{wide}}"
        before = turn
    if before + 1 < figure.turn_count:
        heads += f" {GAP}"
    end = max(map(len, [heads, *body]))
    lines = [f"{figure.turn:>{left}}{heads:<{end}}  work"]
    before = -1
    for lane, text in zip(figure.lanes, body, strict=True):
        if lane.number != before + 1:
            lines.append(f"{GAP:>{left}}")
        before = lane.number
        lines.append(f"{lane.title:>{left}}{text:<{end}}  {share_of(lane, figure):>4}")
    if before + 1 < figure.lane_count:
        lines.append(f"{GAP:>{left}}")
    legend = _legend(figure, shown)
    if width is not None:
        legend = [line for text in legend for line in wrapped(text, width)]
    return [*lines, *legend]


def _legend(figure: Timeline, shown: list[tuple[Column, int]]) -> list[str]:
    legend = f"each row a {figure.lane}; in brackets as wide as the work: {figure.legend}"
    lines = [
        f"{legend}; work is of the busiest {figure.lane}'s",
        "; ".join(width_notes(figure, shown, "|")),
        shown_note(figure, len(shown)),
    ]
    return [line for line in lines if line]


def _cell(cell: tuple[Stretch, ...], wide: int, most: int) -> str:
    return "".join(
        f"[{stretch.label:<{length - 2}}]" if stretch.work else "|"
        for stretch, _start, length in placed(cell, wide, most)
    )
