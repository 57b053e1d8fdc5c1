# SPDX-License-Identifier: Apache-2.0
"""Panels as lines of text: side by side if the width allows, below each other if not.

>>> from tla.ground.figure import Panels
>>> from tla.show import render
>>> one = layout_figure(Layout(1, 1))
>>> for line in render(Panels("two", (one, one), ("=",)), 12).split("\\n")[:6]:
...     print(line)
two
1:1
      0
    +---+
    | 0 |
    +---+
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import wrapped
from .spans import GAP, Span, beside, width_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ground import AnyFigure, Panels
    from .spans import Line

_WIDTH: Final = 100  # without a limit


def panels_lines(
    panels: Panels, width: int | None, lines_of: Callable[[AnyFigure, int | None, bool], list[Line]]
) -> list[Line]:
    """Return the lines of panels: the title, rows of figures with signs between, and the note."""
    lines: list[Line] = []
    if panels.title:
        lines += [(Span(line, "strong"),) for line in wrapped(panels.title, width)]
    signs = ("", *(panels.signs or [""] * len(panels.figures)))
    row: list[list[Line]] = []
    between: list[str] = []
    used = 0
    for figure, sign in zip(panels.figures, signs, strict=False):
        block = lines_of(figure, width, True)
        wide = max(map(width_of, block), default=0)
        room = (GAP + len(sign) if sign else 0) + GAP + wide
        if row and used + room <= (width or _WIDTH):
            row, between, used = [*row, block], [*between, sign], used + room
            continue
        if row:
            lines += beside(row, between)
            lines.append((Span(f"  {sign}", "strong"),) if sign else ())
        row, between, used = [block], [], wide
    if row:
        lines += beside(row, between)
    return [*lines, *((Span(line),) for line in wrapped(panels.note, width) if panels.note)]
