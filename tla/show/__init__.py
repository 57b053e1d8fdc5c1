"""Rendering of figures. Knows `tla.ground.figure` and nothing else of layouts.

>>> figure = layout_figure(Layout((2, 2), (2, 1)))
>>> print(render(figure))
      0   1
    +---+---+
  0 | 0 | 1 |
    +---+---+
  1 | 2 | 3 |
    +---+---+
>>> svg(figure)[:5], html(figure)[:15], latex(figure)[:14]
('<svg ', '<!doctype html>', '\\\\documentclass')

What a figure is to be written as is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .notebook import (
        CELLS as CELLS,
        CHARACTERS as CHARACTERS,
        figure_of as figure_of,
        html_of as html_of,
    )
    from .writing import html as html, latex as latex, render as render, svg as svg

if TYPE_CHECKING:
    # for the rooms above
    from .facts import MOST_CELLS as MOST_CELLS
    from .terminal import write as write

lazy(__name__)
