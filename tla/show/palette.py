# SPDX-License-Identifier: Apache-2.0
"""Colours by number: light ones, on which dark text reads, that differ in lightness as well as in hue.

A picture never says anything by colour alone: tiles have thick borders, padding is hatched and in
brackets, and marked cells have a frame. So a picture reads in black and white, and with any colour
vision.

>>> fill("tile", 0), fill("tile", 8) == fill("tile", 0), fill("offset", 0) != fill("offset", 15)
('#8fe1fc', True, True)
>>> len({fill("bank", i) for i in range(32)})
32
>>> fill("", 3), fill("tile", -1)
('#ffffff', '#ffffff')
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ..ground import BANKS

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

# Light ones and darker ones in turn, so that tiles side by side are a chequerboard without hue. Found by
# a search for colours far apart for every kind of colour vision, as Machado, Oliveira and Fernandes
# simulate it, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
_EIGHT: Final = (
    "#8fe1fc", "#69ac7a", "#fdf9b2", "#b391db", "#f8ceba", "#b1974d", "#d8fcf9", "#ed90bf",
)  # fmt: skip

_LIGHT: Final = (255, 247, 214)
_DEEP: Final = (64, 146, 178)


@cache
def fill(scheme: Scheme, colour: int) -> str:
    """Return the colour of that number, as ``#rrggbb``."""
    if not scheme or colour < 0:
        return NOTHING
    most = 15 if scheme == "offset" else BANKS - 1
    if scheme in ("tile", "identity"):
        return _EIGHT[colour % len(_EIGHT)]
    part = min(colour, most) / most
    r, g, b = (round(x + (y - x) * part) for x, y in zip(_LIGHT, _DEEP, strict=True))
    return f"#{r:02x}{g:02x}{b:02x}"
