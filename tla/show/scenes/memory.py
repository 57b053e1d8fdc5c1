# SPDX-License-Identifier: Apache-2.0
"""Memory as a scene: places side by side, in rows, each with the coordinate that leads there.

>>> from tla.show.scene import Scene
>>> scene = Scene()
>>> draw_strip(strip_figure(Layout((2, 2), (3, 1))), scene, 0, 0)
>>> [box.text for box in scene.boxes]
['(0,0)', '(0,1)', '', '(1,0)', '(1,1)']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import memory_notes, place_text, places_in_row, tip_of, wrapped
from ..palette import NOTHING, PADDING, fill
from ..scene import LINE, Box
from .grids import CELL, cell_width

if TYPE_CHECKING:
    from ...ground import Strip
    from ..scene import Scene

_ROOM: Final = 960
"""The greatest width of a row."""


def draw_strip(strip: Strip, scene: Scene, x: float, y: float) -> None:
    """Draw the places of memory with their offsets above, holes and padding hatched."""
    if strip.title:
        y = scene.column(x, y, wrapped(strip.title, scene.letters(x, 84)), "title")
    labels = [place_text(place) for place in strip.places]
    wide = cell_width(max([len(str(strip.end)), *map(len, labels)], default=1))
    row = places_in_row(len(strip.places), int(min(_ROOM, scene.room - x) // wide)) or 1
    for first in range(0, len(strip.places), row):
        y += LINE
        places = strip.places[first : first + row]
        for j, (place, text) in enumerate(zip(places, labels[first:], strict=False)):
            at = x + j * wide
            scene.text(at + wide / 2, y - 5, str(place.offset), "axis")
            is_data = place.valid and place.hits > 0
            paint = fill(strip.scheme, place.colour) if is_data else PADDING if place.hits else NOTHING
            scene.box(Box(at, y, wide, CELL, paint, text, tip_of(place), not is_data, (place.offset,)))
            if place.is_marked:
                scene.frame(at + 1, y + 1, wide - 2, CELL - 2, "mark")
        scene.frame(x, y, len(places) * wide, CELL, "edge")
        y += CELL + 4
    notes = memory_notes(strip)
    scene.column(x, y, [line for note in notes for line in wrapped(note, scene.letters(x, 84))])
