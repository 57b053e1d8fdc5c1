"""Figures on a terminal: plain text, with colour where the terminal has it and wants it."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from ..figure import Bars, Steps, Timeline
from .text import render

if TYPE_CHECKING:
    from ..figure import Figure

__all__ = ["write"]


def write(figure: Figure | Steps | Timeline | Bars) -> None:
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
    if isinstance(figure, Steps):
        styled.highlight_regex(r"(?m)^ *= .*$", "bold")
    elif isinstance(figure, Bars):
        styled.highlight_regex(r"!+(?=[#.! \]>])", "bold red")
        styled.highlight_regex(r">  ", "bold red")
    elif isinstance(figure, Timeline):
        styled.highlight_regex(r"[][|]", "bright_black")
        styled.highlight_regex(r"(?m)100%$", "bold")
    else:
        styled.highlight_regex(r"\(-?\d+\)", "dim yellow")
        styled.highlight_regex(r"[|+-]{2,}|\|", "bright_black")
    Console(highlight=False).print(styled, soft_wrap=True)
