# SPDX-License-Identifier: Apache-2.0
"""Steps as a scene: the title, notes, parts, table, sentences and result, and the pictures below.

>>> from tla.ground.figure import Steps
>>> from tla.show.scenes import scene_of
>>> steps = Steps("f(x)", (), ("mode", "gives"), (("4:2", "4:1"),), (), "r", ("4 goes into 4.",))
>>> [text.text for text in scene_of(steps).texts]
['f(x)', 'mode', 'gives', '4:2', '4:1', '1. 4 goes into 4.', '= r']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import wrapped
from ..scene import LETTER, LINE, Scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ground import Steps

_WIDEST = 110


def draw_steps(steps: Steps, scene: Scene, x: float, y: float, draw: Callable[..., None]) -> float:
    """Draw steps, those they are made of indented, and return where they end."""
    y = scene.column(x, y, wrapped(steps.title, scene.letters(x, _WIDEST), "  "), "title")
    inner = x + 16
    for note in steps.notes:
        y = scene.column(inner, y, wrapped(note, scene.letters(inner, _WIDEST), "  "))
    for part in steps.parts:
        y = draw_steps(part, scene, inner, y, draw) + 6
    if steps.rows:
        y = _table(steps, scene, inner, y)
    for i, sentence in enumerate(steps.sentences, 1):
        y = scene.column(
            inner, y, wrapped(f"{i}. {sentence}", scene.letters(inner, _WIDEST), " " * len(f"{i}. "))
        )
    if steps.result:
        y = scene.column(
            inner, y, wrapped(f"= {steps.result}", scene.letters(inner, _WIDEST), "  "), "title"
        )
    for picture in steps.pictures:
        drawn = Scene(scene.room - inner)
        draw(picture, drawn)
        scene.put(inner, y + 10, drawn)
        y += 10 + drawn.height
    return y


def _table(steps: Steps, scene: Scene, x: float, y: float) -> float:
    """A table with a line below its head."""
    y += 4
    table = [steps.columns, *steps.rows]
    widths = [max(map(len, column)) * LETTER + 16 for column in zip(*table, strict=True)]
    for i, row in enumerate(table):
        y += LINE
        at = x
        for text, wide in zip(row, widths, strict=True):
            if text:
                scene.text(at, y - 5, text, "note", "start")
            at += wide
        if not i:
            scene.line(x, y, x + sum(widths) - 16, y)
    return y + 4
