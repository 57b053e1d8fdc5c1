"""Figures on a terminal: plain text, with colour where the terminal has it and wants it.

Colours of cells are behind dark text, so that they read on light and dark terminals.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Final

from .palette import INK, MARK, NOTHING
from .texts import lines_of, render

if TYPE_CHECKING:
    from ..ground import AnyFigure
    from .texts import Span, Style

_STYLES: Final[dict[Style, str]] = {
    "": "",
    "rule": "bright_black",
    "padding": "dim",
    "mark": f"bold {NOTHING} on {MARK}",
    "strong": "bold",
    "bad": "bold red",
}


def write(figure: AnyFigure) -> None:
    """Write a figure to standard output: coloured on a terminal, plain into a pipe or file.

    ``NO_COLOR`` and ``TERM=dumb`` turn colour off.
    """
    if sys.stdout is None or not sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        print(render(figure))
        return
    width = shutil.get_terminal_size().columns
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        print(render(figure, width))
        return
    from rich.console import Console
    from rich.text import Text

    text = Text()
    for line in lines_of(figure, width):
        for span in line:
            text.append(span.text, _style(span))
        text.append("\n")
    Console(highlight=False).print(text, end="", soft_wrap=True)


def _style(span: Span) -> str:
    return f"{INK} on {span.fill}" if span.fill else _STYLES[span.style]
