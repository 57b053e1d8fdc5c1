"""Timelines as plain text: a row for each lane, a column for each turn, brackets as wide as the work.

>>> from tla.figure import Lane, Stretch, Timeline
>>> lanes = (Lane(0, ((Stretch("a", 4),), (Stretch("b", 4),)), 8), Lane(1, ((Stretch("c", 2),), ()), 2))
>>> print("\\n".join(timeline_lines(Timeline("core", "round", "job", (0, 1), lanes, 2, 2, 8), None)))
round 0      1       work
    0 [a   ] [b   ]  100%
    1 [c]             25%
each row a core; in brackets as wide as the work: job; work is of the busiest core's
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ..figure import Stretch, Timeline

__all__ = ["timeline_lines"]

_WIDTH: Final = 100  # where nothing is said
_GAP: Final = "..."
_AMPLE: Final = 4  # times the longest name, beyond which a column only takes room


class _Column(NamedTuple):
    """A turn of the figure."""

    at: int
    work: int
    """The most that a lane has in it."""
    least: int
    """How wide it is for its number, and for the names of what any lane does in it."""
    ample: int
    """How wide it is for every name, where all brackets are as wide as the work."""


def timeline_lines(figure: Timeline, width: int | None) -> list[str]:
    """Return the lines of a timeline; the turns in the middle go where the width does not hold all."""
    left = max(len(figure.lane), *(len(str(lane.number)) for lane in figure.lanes), len(figure.turn))
    room = (width or _WIDTH) - left - len("  100%") - 2
    shown = _fitting(_columns(figure), room)
    heads, body, before = "", ["" for _ in figure.lanes], -1
    for column, wide in shown:
        turn = figure.turns[column.at]
        gap = f" {_GAP}" if turn > before + 1 else ""
        heads += f"{gap} {turn:<{wide}}"
        for row, lane in enumerate(figure.lanes):
            cell = _cell(lane.cells[column.at], wide, column.work)
            body[row] += f"{' ' * len(gap)} {cell:<{wide}}"
        before = turn
    if before + 1 < figure.turn_count:
        heads += f" {_GAP}"
    end = max(map(len, [heads, *body]))
    lines = [f"{figure.turn:>{left}}{heads:<{end}}  work"]
    before = -1
    for lane, text in zip(figure.lanes, body, strict=True):
        if lane.number != before + 1:
            lines.append(f"{_GAP:>{left}}")
        before = lane.number
        part = f"{100 * lane.work // max(figure.most, 1)}%"
        lines.append(f"{lane.number:>{left}}{text:<{end}}  {part:>4}")
    if before + 1 < figure.lane_count:
        lines.append(f"{_GAP:>{left}}")
    return [*lines, *_legend(figure, shown)]


def _legend(figure: Timeline, shown: list[tuple[_Column, int]]) -> list[str]:
    said = f"each row a {figure.lane}; in brackets as wide as the work: {figure.legend}"
    lines = [f"{said}; work is of the busiest {figure.lane}'s"]
    notes: list[str] = []
    drawn = [
        (s, column, wide)
        for lane in figure.lanes
        for column, wide in shown
        for s in lane.cells[column.at]
    ]
    if any(s.work and _least(s) > round(wide * s.work / column.work) for s, column, wide in drawn):
        notes.append("where that is less than the name, as wide as the name")
    if any(not s.work for s, _, _ in drawn):
        notes.append("| has no work")
    lines += ["; ".join(notes)] if notes else []
    cut = [
        f"{part} of {whole} {name}s"
        for name, part, whole in (
            (figure.lane, len(figure.lanes), figure.lane_count),
            (figure.turn, len(shown), figure.turn_count),
        )
        if part < whole
    ]
    return [*lines, f"shown: {', '.join(cut)}"] if cut else lines


def _work(cell: tuple[Stretch, ...]) -> int:
    return sum(stretch.work for stretch in cell)


def _least(stretch: Stretch) -> int:
    return len(stretch.label) + 2 if stretch.work else 1


def _columns(figure: Timeline) -> list[_Column]:
    columns: list[_Column] = []
    for i in range(len(figure.turns)):
        cells = [lane.cells[i] for lane in figure.lanes]
        most = max(map(_work, cells), default=0)
        names = [(_least(s), s.work) for cell in cells for s in cell if s.work]
        least = max([len(str(figure.turns[i])), *(sum(map(_least, cell)) for cell in cells)])
        ample = max((-(-length * most // work) for length, work in names), default=2)
        columns.append(_Column(i, most, least, ample))
    return columns


def _fitting(columns: list[_Column], room: int) -> list[tuple[_Column, int]]:
    """The columns that fit a width, the first and the last, at least one; and how wide they are.

    Widths are in proportion to the work, as far as names have room. They are ample if they can be, down
    to the longest name; then columns go.
    """
    while True:
        most = max(1, *(column.work for column in columns))
        least = max(column.least for column in columns)
        ample = max((-(-c.ample * most // c.work) for c in columns if c.work), default=1)
        for unit in range(max(min(ample, _AMPLE * least), least), least - 1, -1):
            wide = [max(c.least, -(-unit * c.work // most)) for c in columns]
            fits = sum(wide) + len(wide) + 2 * (len(_GAP) + 1) <= room
            if fits or (len(columns) == 1 and unit == least):
                return list(zip(columns, wide, strict=True))
        columns = [c for i, c in enumerate(columns) if i != len(columns) // 2]


def _cell(cell: tuple[Stretch, ...], wide: int, most: int) -> str:
    """The stretches of a lane in one turn, in a column of so many characters for so much work.

    Each is as wide as its work, and no less than its name; what the others need is left to them.
    """
    text, done, needed = "", 0, sum(map(_least, cell))
    whole = max(needed, round(wide * _work(cell) / max(most, 1)))
    for stretch in cell:
        done += stretch.work
        needed -= _least(stretch)
        end = min(round(wide * done / max(most, 1)), whole - needed)
        length = max(end - len(text), _least(stretch))
        text += f"[{stretch.label:<{length - 2}}]" if stretch.work else "|"
    return text
