# SPDX-License-Identifier: Apache-2.0
"""Any figure as lines of text: which module draws which class of figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from ...errors import ArgumentError
from ...ground import Bars, Figure, Panels, Steps, Strip, Timeline
from .bars import bars_lines
from .grids import figure_lines
from .memory import strip_lines
from .panels import panels_lines
from .spans import plain, styled
from .steps import steps_lines
from .timeline import timeline_lines

if TYPE_CHECKING:
    from ...ground import AnyFigure
    from .spans import Line, Style

_BARS: Final[tuple[tuple[str, Style], ...]] = ((r"!+(?=[#.! \]>])|>(?=  )", "bad"),)
_TIMELINE: Final[tuple[tuple[str, Style], ...]] = ((r"[][|]", "rule"), (r"100%$", "strong"))


def render(figure: AnyFigure, width: int | None = None) -> str:
    """Return a figure as lines of plain text, without a last line end.

    >>> print(render(layout_figure(Layout(100)), 24))
           0    1    2  ...
        +----+----+----+
        |  0 |  1 |  2 | ...
        +----+----+----+
    a corner of 100: 100
    coordinates, offsets
    that span 100

    Args:
        width: The most characters in a line; None for no limit. Columns that do not fit are left out,
            but for one.

    Raises:
        ArgumentError: the width is less than 1.
    """
    if width is not None and width < 1:
        raise ArgumentError(f"a line has a width of 1 or more, not {width}", value=width)
    return "\n".join(map(plain, lines_of(figure, width)))


def lines_of(figure: AnyFigure, width: int | None, is_titled: bool = False) -> list[Line]:
    """Return the lines of a figure.

    Args:
        width: The most characters in a line, unless one cell is longer; None for no limit.
        is_titled: Whether layouts have their title above them.
    """
    if isinstance(figure, Figure):
        return figure_lines(figure, width, is_titled)
    if isinstance(figure, Strip):
        return strip_lines(figure, width, is_titled)
    if isinstance(figure, Panels):
        return panels_lines(figure, width, lines_of)
    if isinstance(figure, Steps):
        return steps_lines(figure, width, lines_of)
    if isinstance(figure, Bars):
        return [styled(line, _BARS) for line in bars_lines(figure, width)]
    if isinstance(figure, Timeline):  # pyright: ignore[reportUnnecessaryIsInstance]
        return [styled(line, _TIMELINE) for line in timeline_lines(figure, width)]
    assert_never(figure)
