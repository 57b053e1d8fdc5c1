# SPDX-License-Identifier: Apache-2.0
"""Timelines as scenes: a row for each lane, a column for each turn, boxes as wide as the work.

>>> from tla.ground.figure import Lane, Stretch, Timeline
>>> from tla.show.scene import Scene
>>> lanes = (Lane(0, ((Stretch("a", 4),), (Stretch("b", 4),)), 8), Lane(1, ((Stretch("c", 2),), ()), 2))
>>> scene = Scene()
>>> draw_timeline(Timeline("core", "round", "job", (0, 1), lanes, 2, 2, 8), scene, 0, 0)
>>> [box.tip for box in scene.boxes]
['core 0, round 0: a, work 4', 'core 0, round 1: b, work 4', 'core 1, round 0: c, work 2']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...ground import shade
from ..facts import wrapped
from ..palette import TILES, fill
from ..scene import LETTER, LINE, Box, width_of
from ..turns import GAP, placed, share_of, shown_note, turns_in, width_notes

if TYPE_CHECKING:
    from ...ground import Timeline
    from ..scene import Scene
    from ..turns import Column

_ROOM: Final = 140
"""The width of all turns, in letters."""

_HIGH: Final = 22
_SHARE: Final = 8
"""The letters beside the rows."""
_SPACE: Final = 6
"""Between turns."""


def draw_timeline(figure: Timeline, scene: Scene, x: float, y: float) -> None:
    """Draw lanes by turns; a colour is a name, or the turn if there are more names than colours."""
    numbers = [figure.lane, *(lane.title for lane in figure.lanes)]
    left = x + max(map(width_of, numbers)) + 10
    shown = turns_in(figure, int(min(_ROOM, (scene.room - left) // (LETTER + _SPACE) - _SHARE)))
    cells = [cell for lane in figure.lanes for cell in lane.cells]
    names = list(dict.fromkeys([stretch.label for cell in cells for stretch in cell]))
    colours = {name: i for i, name in enumerate(names)} if len(names) <= TILES else {}
    # where each turn begins, with room for the dots that stand for turns left out
    starts: list[float] = []
    at, before = left, -1
    y += LINE
    for column, wide in shown:
        turn = figure.turns[column.at]
        if turn > before + 1:
            scene.text(at, y - 5, GAP, "axis", "start")
            at += width_of(GAP, "axis") + _SPACE
        starts.append(at)
        scene.text(at, y - 5, f"{figure.turn} {turn}" if not before + 1 else str(turn), "axis", "start")
        at += max(wide * LETTER, width_of(f"{figure.turn} {turn}", "axis")) + _SPACE
        before = turn
    if before + 1 < figure.turn_count:
        scene.text(at, y - 5, GAP, "axis", "start")
        at += width_of(GAP, "axis") + _SPACE
    right = at
    scene.text(right + 4, y - 5, "work", "axis", "start")
    scene.text(left - 8, y - 5, figure.lane, "axis", "end")
    top, last = y, -1
    for lane in figure.lanes:
        if lane.number != last + 1:
            y = _dots(scene, left, y)
        last = lane.number
        y += 2
        scene.text(left - 8, y + 15, lane.title, "note", "end")
        for (column, wide), start in zip(shown, starts, strict=True):
            cell = lane.cells[column.at]
            for stretch, place, length in placed(cell, wide, column.work):
                begin = round(start + place * LETTER, 2)
                turn = figure.turns[column.at]
                tip = f"{figure.lane} {lane.title}, {figure.turn} {turn}: {stretch.label}"
                if stretch.work:
                    size = round(length * LETTER, 2)
                    paint = fill("identity", shade(turn, figure.turn_count))
                    if colours:
                        paint = fill("tile", colours[stretch.label])
                    scene.box(
                        Box(
                            begin,
                            y,
                            size,
                            _HIGH,
                            paint,
                            stretch.label,
                            f"{tip}, work {stretch.work}",
                            keys=(stretch.label,),
                        )
                    )
                else:
                    scene.line(begin, y, begin, y + _HIGH, "edge")
        share = share_of(lane, figure)
        scene.text(right + 4, y + 15, share, "note", "start")
        y += _HIGH + 2
    if last + 1 < figure.lane_count:
        y = _dots(scene, left, y)
    scene.line(left - 3, top, left - 3, y)
    scene.column(
        x,
        y + 2,
        [line for note in _notes(figure, shown) for line in wrapped(note, scene.letters(x, 110))],
    )


def _dots(scene: Scene, left: float, y: float) -> float:
    scene.text(left - 8, y + 9, GAP, "note", "end")
    return y + LINE


def _notes(figure: Timeline, shown: list[tuple[Column, int]]) -> list[str]:
    legend = f"each row a {figure.lane}, each box as wide as its work: {figure.legend}"
    notes = [legend, *width_notes(figure, shown, "a line"), shown_note(figure, len(shown))]
    return [note for note in notes if note]
