"""Rendering of figures. Knows `tla.ground.figure` and nothing else of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..ground import AnyFigure


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
    """
    from .texts import render as written

    return written(figure, width)


def svg(figure: AnyFigure, alone: bool = True) -> str:
    """Return a figure as an SVG element.

    >>> "<title>(1,2) -> 5</title>" in svg(layout_figure(Layout((2, 3), (3, 1))))
    True

    Args:
        alone: It is a file; else it is put into a page, and has the colour of the text there.
    """
    from .vector import svg as written

    return written(figure, alone)


def html(figure: AnyFigure, page: bool = True) -> str:
    """Return a figure as HTML: pictures as SVG, tables as tables, sentences as a list.

    >>> html(layout_figure(Layout(3)), page=False)[:24]
    '<div class="tla-figure">'

    Args:
        page: It is a whole document; else a part of one.
    """
    from .markup import html as written

    return written(figure, page)


def latex(figure: AnyFigure, alone: bool = True) -> str:
    r"""Return a figure as LaTeX with TikZ.

    >>> latex(layout_figure(Layout(3)), alone=False).split("\n")[-1]
    '\\end{tikzpicture}'

    Args:
        alone: It is a whole document; else a picture in one that has ``\usepackage{tikz}`` and
            ``\usetikzlibrary{patterns}``.
    """
    from .tikz import latex as written

    return written(figure, alone)
