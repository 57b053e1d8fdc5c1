# SPDX-License-Identifier: Apache-2.0
"""Colours by number: light ones, on which dark text reads, that differ in lightness as well as in hue.

A picture never says anything by colour alone: tiles have thick borders, padding is hatched and in
brackets, and marked cells have a frame. So a picture reads in black and white, and with any colour
vision.

>>> fill("tile", 0), fill("tile", 8) == fill("tile", 0), fill("offset", 0) != fill("offset", 15)
('#99ddff', True, True)
>>> len({fill("bank", i) for i in range(32)})
32
>>> fill("", 3), fill("tile", -1)
('#ffffff', '#ffffff')
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ..ground import BANKS, SHADES

if TYPE_CHECKING:
    from ..ground import Scheme

NOTHING: Final = "#ffffff"
"""The fill of cells without a colour of their own."""

INK: Final = "#1b1f24"
"""Text and lines on a cell."""

PADDING: Final = "#e9e9e9"

CHEQUER: Final = (PADDING, "#9a9a9a")
"""Padding in an image: its cells have no room for hatching."""

MARK: Final = "#980016"
"""The frame of marked cells."""


class Page(NamedTuple):
    """Text around cells, and its background."""

    ink: str
    ground: str


LIGHT: Final = Page(INK, "#ffffff")
DARK: Final = Page("#e6e6e6", "#16191d")

# The scheme "light" of Paul Tol, made for cells with dark text and for every kind of colour vision. Its
# grey is left out, since padding is grey here. Light ones and darker ones in turn, so that tiles side by
# side are a chequerboard without hue. Source: P. Tol, Colour Schemes, SRON/EPS/TN/09-002.
_EIGHT: Final = (
    "#99ddff", "#44bb99", "#bbcc33", "#77aadd", "#ffaabb", "#aaaa00", "#eedd88", "#ee8866",
)  # fmt: skip

TILES: Final = len(_EIGHT)
"""How many tiles have a colour of their own."""

# His scheme "iridescent", as far as dark text reads on it: lightness falls evenly.
_RAMP: Final = (
    "#fefbe9", "#fcf7d5", "#f5f3c1", "#eaf0b5", "#ddecbf", "#d0e7ca", "#c2e3d2", "#b5ddd8", "#a8d8dc",
    "#9bd2e1", "#8dcbe4", "#81c4e7", "#7bbce7", "#7eb2e4", "#88a5dd", "#9398d2", "#9b8ac4",
)  # fmt: skip


@cache
def fill(scheme: Scheme, colour: int) -> str:
    """Return the colour of that number, as ``#rrggbb``."""
    if not scheme or colour < 0:
        return NOTHING
    most = SHADES - 1 if scheme in ("offset", "identity") else BANKS - 1
    if scheme == "tile":
        return _EIGHT[colour % len(_EIGHT)]
    place = min(colour, most) / most * (len(_RAMP) - 1)
    below = _RAMP[int(place)], _RAMP[min(int(place) + 1, len(_RAMP) - 1)]
    pairs = [[int(paint[i : i + 2], 16) for paint in below] for i in (1, 3, 5)]
    return "#" + "".join([f"{round(low + (high - low) * (place % 1)):02x}" for low, high in pairs])
