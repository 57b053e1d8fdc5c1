# SPDX-License-Identifier: Apache-2.0
"""Panels as a scene: figures side by side, with signs between them.

>>> from tla.ground.figure import Panels
>>> from tla.show.scenes import scene_of
>>> figure = layout_figure(Layout(2))
>>> scene = scene_of(Panels("", (figure, figure, figure), ("o", "=")))
>>> [text.text for text in scene.texts], len(list(scene.all()))
(['o', '='], 4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import wrapped
from ..scene import Scene, width_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ground import Panels

_GAP: Final = 20
"""Between panels, and between a panel and a sign."""

_ROOM: Final = 1240
"""The width of a row of panels, unless one panel is wider."""


def draw_panels(panels: Panels, scene: Scene, x: float, y: float, draw: Callable[..., None]) -> None:
    """Draw figures in rows, each sign in the middle between its two figures."""
    if panels.title:
        y = scene.column(x, y, wrapped(panels.title, scene.letters(x, 110)), "title")
    at, bottom, before = x, y, 0.0
    for i, figure in enumerate(panels.figures):
        sign = panels.signs[i - 1] if i and panels.signs else ""
        part = Scene(scene.room - x - (width_of(sign, "sign") + _GAP if sign else 0))
        draw(figure, part)
        room = _GAP + width_of(sign, "sign") + _GAP if sign else _GAP
        if i and at + room + part.width > min(x + _ROOM, scene.room):
            at, y = x, bottom + _GAP / 2
            before = part.height
            room = width_of(sign, "sign") + _GAP if sign else 0.0
        if sign:
            middle = min(before, part.height) / 2
            scene.text(at + (room if at > x else room - _GAP) / 2, y + middle + 6, sign, "sign")
        if i:
            at += room
        scene.put(at, y, part)
        at, before, bottom = at + part.width, part.height, max(bottom, y + part.height)
    if panels.note:
        scene.column(x, bottom, wrapped(panels.note, scene.letters(x, 110)))
