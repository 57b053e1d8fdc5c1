# SPDX-License-Identifier: Apache-2.0
"""Bars as a scene: the parts of a buffer and their places, a row for each part.

>>> from tla.ground.figure import Bar, Bars
>>> from tla.show.scene import Scene
>>> scene = Scene()
>>> bars = Bar("A 0", 0, 20, 24, ((16, 20),)), Bar("A 1", 16, 36, 36, ())
>>> draw_bars(Bars("L1", 64, bars), scene, 0, 0)
>>> [box.tip for box in scene.boxes]
['A 0: bytes [0,20) to 24', 'A 0: padding that is read', 'A 1: bytes [16,36)']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import bars_title, first_bars, reach_of, span_of, wrapped
from ..palette import PADDING, fill
from ..scene import LETTER, LINE, Box, width_of

if TYPE_CHECKING:
    from ...ground import Bars
    from ..scene import Scene

_ROOM: Final = 560
"""The width of the buffer."""

_HIGH: Final = 20


def draw_bars(bars: Bars, scene: Scene, x: float, y: float) -> None:
    """Draw the parts of a buffer: padding hatched, bytes that two parts write in a frame."""
    title = bars_title(bars)
    bars, more = first_bars(bars)
    y = scene.column(x, y, wrapped(title, scene.letters(x, 110)), "title") + 6
    shown = reach_of(bars)
    whole = max([shown, *(bar.reach for bar in bars.bars)]) or 1  # more where a bar leaves the buffer
    left = x + max((len(bar.label) for bar in bars.bars), default=0) * LETTER + 12
    spans = max((width_of(span_of(bar)) for bar in bars.bars), default=0.0)
    room = max(min(_ROOM, scene.room - left - spans - 18), 40)
    top, right = y, left + room * shown / whole

    def at(byte: int) -> float:
        return round(left + room * byte / whole, 2)

    for i, bar in enumerate(bars.bars):
        y += 3
        scene.text(left - 8, y + 14, bar.label, "note", "end")
        span = span_of(bar)
        start, end, reach = at(bar.start), at(bar.end), at(bar.reach)
        tip = f"{bar.label}: bytes {span}"
        if end > start:
            paint = fill("tile", i if bar.colour < 0 else bar.colour)
            scene.box(Box(start, y, end - start, _HIGH, paint, "", tip, keys=(i,)))
        if reach > end:
            tip = f"{bar.label}: {bars.beyond}"
            scene.box(Box(end, y, reach - end, _HIGH, PADDING, "", tip, True, (i,)))
        for low, high in bar.clashes:
            scene.frame(at(low), y, max(at(high) - at(low), 1.0), _HIGH, "mark")
        scene.text(left + room + 10, y + 14, span, "note", "start")
        y += _HIGH + 3
    scene.line(left, top, left, y, "edge")
    scene.line(right, top, right, y, "edge")
    scene.line(left, y, right, y)
    scene.text(left, y + 14, "0", "axis")
    scene.text(right, y + 14, str(shown), "axis")
    for part in (1, 2, 3):
        byte = shown * part // 4
        middle = at(byte)
        if right - left > 5 * width_of(str(shown), "axis") and byte * 4 == shown * part:
            scene.line(middle, y, middle, y + 4)
            scene.text(middle, y + 14, str(byte), "axis")
    y += LINE
    notes = [f"and {more} more"] if more else []
    legend: list[str] = []
    if any(bar.reach > bar.end for bar in bars.bars):
        legend.append(f"hatched: {bars.beyond}; to: {bars.reach}")
    if any(bar.clashes for bar in bars.bars):
        legend.append("framed: written over by another")
    if any(bar.space for bar in bars.bars):
        legend.append("one colour: one memory")
    if whole > shown:
        legend.append("past the line: outside")
    notes += ["; ".join(legend)] if legend else []
    scene.column(x, y, [line for note in notes for line in wrapped(note, scene.letters(x, 150))])
