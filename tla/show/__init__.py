# SPDX-License-Identifier: Apache-2.0
"""Pictures of figures. This room knows `tla.ground.figure`, and nothing else of layouts.

>>> from tla.show import html, latex, render, svg
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

- ``texts``: a figure as lines of text; ``terminal``: on standard output, in colour;
- ``scenes``: a figure as a ``scene``, boxes and lines with their places;
- ``vector``, ``raster``, ``markup`` and ``tikz``: a scene as SVG, as PNG, in a page of HTML, as LaTeX;
- ``facts``, ``turns`` and ``palette``: the words, columns and colours that all of these share;
- ``notebook``: the page that a notebook shows of a value.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .markup import html as html
    from .notebook import (
        CELLS as CELLS,
        CHARACTERS as CHARACTERS,
        figure_of as figure_of,
        html_of as html_of,
    )
    from .raster import png as png
    from .texts import render as render
    from .tikz import latex as latex
    from .vector import svg as svg

if TYPE_CHECKING:
    # for the rooms above
    from .facts import (
        MOST_CELLS as MOST_CELLS,
        borders as borders,
        corner_note as corner_note,
        memory_notes as memory_notes,
        padding_note as padding_note,
    )
    from .notebook import words_of as words_of
    from .palette import fill as fill
    from .terminal import Colour as Colour, write as write

lazy(__name__, guard=True)
