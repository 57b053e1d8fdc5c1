# SPDX-License-Identifier: Apache-2.0
"""Any figure as a scene: which module draws which class of figure."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, assert_never

from ...ground import Bars, Figure, Panels, Steps, Strip, Timeline
from ..scene import Scene
from .bars import draw_bars
from .grids import draw_figure
from .memory import draw_strip
from .panels import draw_panels
from .steps import draw_steps
from .timeline import draw_timeline

if TYPE_CHECKING:
    from ...ground import AnyFigure

_MARGIN: Final = 8

_NARROWEST: Final = 200
"""The least width: below it not even a title can be read."""


def scene_of(figure: AnyFigure, width: float | None = None) -> Scene:
    """Return the scene of a figure, with a margin around it, at most ``width`` wide."""
    scene = Scene(inf if width is None else max(width, _NARROWEST) - _MARGIN)
    draw(figure, scene, _MARGIN, _MARGIN)
    scene.reach(scene.width + _MARGIN, scene.height + _MARGIN)
    return scene


def draw(figure: AnyFigure, scene: Scene, x: float = 0, y: float = 0) -> None:
    """Draw a figure with its corner at a point."""
    if isinstance(figure, Figure):
        draw_figure(figure, scene, x, y)
    elif isinstance(figure, Strip):
        draw_strip(figure, scene, x, y)
    elif isinstance(figure, Panels):
        draw_panels(figure, scene, x, y, draw)
    elif isinstance(figure, Steps):
        draw_steps(figure, scene, x, y, draw)
    elif isinstance(figure, Bars):
        draw_bars(figure, scene, x, y)
    elif isinstance(figure, Timeline):  # pyright: ignore[reportUnnecessaryIsInstance]
        draw_timeline(figure, scene, x, y)
    else:
        assert_never(figure)
