# SPDX-License-Identifier: Apache-2.0
"""A drawing before it is written as SVG or TikZ: boxes, texts, lines and images with their places.

Units are those of SVG at its usual size, 96 to an inch; y grows downwards.

>>> scene = Scene()
>>> scene.boxes.append(Box(0, 0, 30, 20, "#ffffff", "7", "(0,1) is 7"))
>>> scene.text(0, 34, "offsets", "note", "start")
>>> scene.width, scene.height
(50.4, 38)
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LETTER: Final = 7.2
"""The width of a letter: all text is set in a font of one width."""

LINE: Final = 18
"""From one line of text to the next."""

Role: TypeAlias = Literal["title", "axis", "outer", "sign", "note", "cell"]
"""A title, digits beside cells, those of tiles, a sign, a note; a number on a colour."""
Anchor: TypeAlias = Literal["start", "middle", "end"]
Weight: TypeAlias = Literal["thin", "edge", "thick", "heavy", "heavier", "mark"]
"""Thin lines and edges are on the page, the others on cells."""

_LETTERS: Final[dict[Role, float]] = {
    "title": 7.8,
    "axis": 6,
    "outer": 6,
    "sign": 10.8,
    "note": 7.2,
    "cell": 6,
}


class Box(NamedTuple):
    """A cell: its fill, its text, and the title that shows when the mouse points at it."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    text: str
    tip: str
    is_hatched: bool = False
    keys: tuple[int | str, ...] = ()
    """Its elements: cells that share one are linked."""


class Text(NamedTuple):
    """A line of text; ``y`` is where it stands."""

    x: float
    y: float
    text: str
    role: Role
    anchor: Anchor


class Line(NamedTuple):
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    weight: Weight


class Image(NamedTuple):
    """A picture of one pixel for each cell: ``pixels`` are numbers of ``colours``, row by row."""

    x: float
    y: float
    width: float
    height: float
    columns: int
    rows: int
    pixels: bytes
    colours: tuple[str, ...]


class Scene:
    """The shapes drawn so far, and the room that they take.

    ``parts`` are scenes put into this one, each with the place of its corner.

    Args:
        room: How wide the drawing may be.
    """

    def __init__(self, room: float = inf) -> None:
        self.room: float = room
        self.boxes: list[Box] = []
        self.texts: list[Text] = []
        self.lines: list[Line] = []
        self.images: list[Image] = []
        self.parts: list[tuple[float, float, Scene]] = []
        self.width: float = 0
        self.height: float = 0

    def text(self, x: float, y: float, text: str, role: Role, anchor: Anchor = "middle") -> None:
        """Write a line of text."""
        self.texts.append(Text(x, y, text, role, anchor))
        part = {"start": 1.0, "middle": 0.5, "end": 0.0}[anchor]
        self.reach(x + part * width_of(text, role), y + 4)

    def letters(self, x: float, most: int) -> int:
        """How many letters of a title a line has that begins at ``x``, at most ``most``."""
        return int(max(8, min(most, (self.room - x) // _LETTERS["title"])))

    def column(self, x: float, y: float, texts: Sequence[str], role: Role = "note") -> float:
        """Write lines of text below each other, and return where they end."""
        for text in texts:
            y += LINE
            self.text(x, y - 5, text, role, "start")
        self.reach(x, y)
        return y

    def line(self, x1: float, y1: float, x2: float, y2: float, weight: Weight = "thin") -> None:
        """Draw a line."""
        self.lines.append(Line(x1, y1, x2, y2, weight))
        self.reach(max(x1, x2), max(y1, y2))

    def box(self, box: Box) -> None:
        """Draw a cell, and take the room for it."""
        self.boxes.append(box)
        self.reach(box.x + box.width, box.y + box.height)

    def frame(self, x: float, y: float, width: float, height: float, weight: Weight) -> None:
        """Draw the four sides of a box."""
        for x1, y1, x2, y2 in (
            (x, y, x + width, y),
            (x, y + height, x + width, y + height),
            (x, y, x, y + height),
            (x + width, y, x + width, y + height),
        ):
            self.line(x1, y1, x2, y2, weight)

    def image(
        self,
        first: tuple[float, ...],
        columns: int,
        rows: int,
        pixels: bytes,
        colours: tuple[str, ...],
    ) -> None:
        """Draw a picture from its first cell on: its corner, width and height."""
        x, y, wide, high = first
        self.images.append(Image(x, y, columns * wide, rows * high, columns, rows, pixels, colours))
        self.reach(x + columns * wide, y + rows * high)

    def put(self, x: float, y: float, part: Scene) -> None:
        """Put another scene into this one."""
        self.parts.append((x, y, part))
        self.reach(x + part.width, y + part.height)

    def reach(self, x: float, y: float) -> None:
        """Take room as far as a point."""
        self.width, self.height = max(self.width, x), max(self.height, y)

    def all(self) -> Iterator[Scene]:
        """This scene, and all scenes inside it."""
        yield self
        for _x, _y, part in self.parts:
            yield from part.all()


def width_of(text: str, role: Role = "note") -> float:
    """Return how wide a line of text is."""
    return len(text) * _LETTERS[role]
