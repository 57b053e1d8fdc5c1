# SPDX-License-Identifier: Apache-2.0
"""The turns of a timeline: which of them have room, and the place of each lane's work in them.

>>> from tla.ground.figure import Stretch
>>> [(s.label, start, length) for s, start, length in placed((Stretch("a", 3), Stretch("b", 1)), 16, 4)]
[('a', 0, 12), ('b', 12, 4)]

Lengths are in letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from ..ground import Lane, Stretch, Timeline

GAP: Final = "..."
"""The sign for turns and lanes that are left out."""

_AMPLE: Final = 4  # times the longest name, beyond which a column only takes room


class Column(NamedTuple):
    """A turn of the figure."""

    at: int
    work: int
    """The most work that a lane has in it."""
    least: int
    """The least width: room for its number, and for the names of the work of any lane."""
    ample: int
    """The width at which every name fits although all brackets are as wide as the work."""


def turns_in(figure: Timeline, room: int) -> list[tuple[Column, int]]:
    """The turns that fit a width, with their widths; if not all fit, the middle ones are left out."""
    return _fitting(_columns(figure), room) if figure.turns else []


def placed(cell: tuple[Stretch, ...], wide: int, most: int) -> list[tuple[Stretch, int, int]]:
    """The stretches of a lane in one turn, each with its place and its width.

    A column is ``wide`` letters for ``most`` work. A stretch is as wide as its work, and at least as
    wide as its name. It leaves room for the names of the others.
    """
    pieces: list[tuple[Stretch, int, int]] = []
    at, work, needed = 0, 0, sum(map(_least, cell))
    whole = max(needed, round(wide * _work(cell) / max(most, 1)))
    for stretch in cell:
        work += stretch.work
        needed -= _least(stretch)
        end = min(round(wide * work / max(most, 1)), whole - needed)
        length = max(end - at, _least(stretch)) if stretch.work else 1
        pieces.append((stretch, at, length))
        at += length
    return pieces


def width_notes(figure: Timeline, shown: list[tuple[Column, int]], idle: str) -> list[str]:
    """The notes on stretches whose width is not that of their work.

    Args:
        idle: The sign for a stretch without work.
    """
    drawn = [(s, column, wide) for column, wide in shown for s in _drawn_in(figure, column)]
    notes: list[str] = []
    if any(s.work and _least(s) > round(wide * s.work / column.work) for s, column, wide in drawn):
        notes.append("a name needs its room, however little the work")
    if any(not s.work for s, _column, _wide in drawn):
        notes.append(f"{idle} has no work")
    return notes


def _drawn_in(figure: Timeline, column: Column) -> list[Stretch]:
    """The stretches of all lanes in one turn."""
    return [stretch for lane in figure.lanes for stretch in lane.cells[column.at]]


def share_of(lane: Lane, figure: Timeline) -> str:
    """The work of a lane, as a part of the work of the busiest."""
    return f"{100 * lane.work // max(figure.most, 1)}%"


def shown_note(figure: Timeline, turns: int) -> str:
    """How many of the lanes and turns are shown; empty where all are."""
    cut = [
        f"{part} of {whole} {name}s"
        for name, part, whole in (
            (figure.lane, len(figure.lanes), figure.lane_count),
            (figure.turn, turns, figure.turn_count),
        )
        if part < whole
    ]
    return f"shown: {', '.join(cut)}" if cut else ""


def _work(cell: tuple[Stretch, ...]) -> int:
    return sum(stretch.work for stretch in cell)


def _least(stretch: Stretch) -> int:
    return len(stretch.label) + 2 if stretch.work else 1


def _columns(figure: Timeline) -> list[Column]:
    columns: list[Column] = []
    for i in range(len(figure.turns)):
        cells = [lane.cells[i] for lane in figure.lanes]
        most = max(map(_work, cells), default=0)
        names = [(_least(s), s.work) for cell in cells for s in cell if s.work]
        least = max([len(str(figure.turns[i])), *(sum(map(_least, cell)) for cell in cells)])
        ample = max((-(-length * most // work) for length, work in names), default=2)
        columns.append(Column(i, most, least, ample))
    return columns


def _fitting(columns: list[Column], room: int) -> list[tuple[Column, int]]:
    """The columns that fit a width, first ones and last ones, at least one; and their widths.

    Widths are in proportion to the work, as far as names have room. If the room is short, columns first
    shrink to the longest name; then columns are left out.
    """
    while True:
        most = max(1, *(column.work for column in columns))
        least = max(column.least for column in columns)
        ample = max((-(-c.ample * most // c.work) for c in columns if c.work), default=1)
        for unit in range(max(min(ample, _AMPLE * least), least), least - 1, -1):
            wide = [max(c.least, -(-unit * c.work // most)) for c in columns]
            fits = sum(wide) + len(wide) + 2 * (len(GAP) + 1) <= room
            if fits or (len(columns) == 1 and unit == least):
                return list(zip(columns, wide, strict=True))
        columns = [c for i, c in enumerate(columns) if i != len(columns) // 2]
