"""Figures on a terminal: plain text, with colour where the terminal has it and wants it."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Final

from ..figure import AnyFigure, Bars, Figure, Steps, Timeline
from .text import render

__all__ = ["write"]


_STYLES: Final[dict[type[AnyFigure], tuple[tuple[str, str], ...]]] = {
    Figure: ((r"\(-?\d+\)", "dim yellow"), (r"[|+-]{2,}|\|", "bright_black")),
    Steps: ((r"(?m)^ *= .*$", "bold"),),
    Timeline: ((r"[][|]", "bright_black"), (r"(?m)100%$", "bold")),
    Bars: ((r"!+(?=[#.! \]>])", "bold red"), (r">  ", "bold red")),
}
"""What is coloured of each kind of figure: patterns of its text, and their styles."""


def write(figure: AnyFigure) -> None:
    """Write a figure to standard output: coloured on a terminal, plain into a pipe or file.

    ``NO_COLOR`` and ``TERM=dumb`` turn colour off.
    """
    if sys.stdout is None or not sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        print(render(figure))
        return
    text = render(figure, shutil.get_terminal_size().columns)
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        print(text)
        return
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    for pattern, style in _STYLES[type(figure)]:
        styled.highlight_regex(pattern, style)
    Console(highlight=False).print(styled, soft_wrap=True)
