# SPDX-License-Identifier: Apache-2.0
"""Figures on a terminal: plain text, with colour where the terminal has it and wants it.

Colours of cells are behind dark text, so that they read on light and dark terminals.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ..ground import guarded, put, say, terminal_width, visible
from .palette import INK, MARK, NOTHING
from .texts import lines_of, plain

if TYPE_CHECKING:
    from ..ground import AnyFigure
    from .texts import Line, Span, Style

Colour: TypeAlias = Literal["auto", "always", "never"]
"""When text has colour."""

_STYLES: Final[dict[Style, str]] = {
    "": "",
    "rule": "bright_black",
    "padding": "dim",
    "mark": f"bold {NOTHING} on {MARK}",
    "strong": "bold",
    "bad": "bold red",
}


@guarded
def write(figure: AnyFigure, colour: Colour = "auto", width: int | None = None) -> None:
    """Write a figure to standard output, on a terminal as wide as that.

    Args:
        colour: ``auto`` is colour on a terminal, but for ``TERM=dumb``; ``NO_COLOR`` turns it off, and
            ``FORCE_COLOR`` turns it on in a pipe too. ``always`` and ``never`` ask for neither.
        width: The greatest width; the default is that of the terminal.
    """
    most = terminal_width()
    lines = lines_of(figure, width or most)
    coloured = _coloured(lines) if is_colour_wanted(colour, most is not None) else None
    if coloured is None or sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        say(*map(plain, lines))
    else:
        put(coloured, sys.stdout)


def is_colour_wanted(colour: Colour, is_terminal: bool) -> bool:
    """Whether text has colour, by what is asked for, the environment and where it goes."""
    if colour != "auto":
        return colour == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal and os.environ.get("TERM") != "dumb")


def _coloured(lines: list[Line]) -> str | None:
    """The lines with the codes of their styles; None without the package that knows terminals."""
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError:
        return None
    text = Text()
    for line in lines:
        for span in line:
            text.append(visible(span.text), _style(span))
        text.append("\n")
    written = StringIO()
    system: Any = "standard" if os.environ.get("TERM") in ("dumb", "unknown") else "auto"
    console = Console(
        file=written, force_terminal=True, color_system=system, no_color=False, highlight=False
    )
    console.print(text, end="", soft_wrap=True)
    return written.getvalue()


def _style(span: Span) -> str:
    return f"{INK} on {span.fill}" if span.fill else _STYLES[span.style]
