"""Figures as lines of text, for terminals, pipes and documents.

>>> from tla.ground import Panels
>>> from tla.show.texts.spans import plain
>>> from tla.show.texts import lines_of
>>> a, b = layout_figure(Layout(2, 3)), layout_figure(Layout(2, 1))
>>> print("\\n".join(plain(line) for line in lines_of(Panels("", (a, b), ("is 3 *",)), 80)))
2:3                    2:1
      0   1                  0   1
    +---+---+  is 3 *      +---+---+
    | 0 | 3 |              | 0 | 1 |
    +---+---+              +---+---+
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .rendering import lines_of as lines_of, render as render

if TYPE_CHECKING:
    # for the rooms above
    from .spans import Line as Line, Span as Span, Style as Style, plain as plain

lazy(__name__, guard=True)
