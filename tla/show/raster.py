# SPDX-License-Identifier: Apache-2.0
"""Figures as PNG, by resvg: the package resvg-py, imported when a picture is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import UnsupportedError
from .vector import svg

if TYPE_CHECKING:
    from ..ground import AnyFigure


def png(figure: AnyFigure, scale: float = 2, width: float | None = None) -> bytes:
    """Return a figure as a PNG file, the picture that `svg` draws, on a light ground.

    >>> from importlib.util import find_spec
    >>> find_spec("resvg_py") is None or png(layout_figure(Layout((2, 3))))[1:4] == b"PNG"
    True

    Args:
        scale: Pixels for a unit of SVG, of which an inch has 96.
        width: The greatest width, in these units.

    Raises:
        UnsupportedError: the package resvg-py is not installed; the text says how to get it.
    """
    try:
        resvg = import_module("resvg_py")
    except ImportError:
        raise UnsupportedError(
            "a picture as PNG needs the package resvg-py, which is not installed",
            "pip install 'tla-layouts[png]'; --svg needs no package.",
        ) from None
    return bytes(resvg.svg_to_bytes(svg_string=svg(figure, width=width), zoom=scale))
