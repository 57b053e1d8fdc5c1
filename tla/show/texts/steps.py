# SPDX-License-Identifier: Apache-2.0
"""Steps as lines of text: the title, below it the parts, indented, and then the pictures.

>>> from tla.ground.figure import Steps
>>> from tla.show.texts.spans import plain
>>> steps = Steps("f(x)", (), ("mode", "gives"), (("4:2", "4:1"),), (), "r", ("4 goes into 4.",))
>>> for line in steps_lines(steps, None, lambda figure, width, is_titled: []):
...     print(plain(line))
f(x)
  mode  gives
  4:2   4:1
  1. 4 goes into 4.
  = r
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import wrapped
from .spans import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...ground import AnyFigure, Steps
    from .spans import Line

_INDENT = Span("  ")


def steps_lines(
    steps: Steps, width: int | None, lines_of: Callable[[AnyFigure, int | None, bool], list[Line]]
) -> list[Line]:
    """Return the lines of steps, no wider than asked."""
    inner = None if width is None else max(width - len(_INDENT.text), 8)
    title: list[Line] = [(Span(line),) for line in wrapped(steps.title, width, "  ")]
    lines: list[Line] = [(Span(line),) for note in steps.notes for line in wrapped(note, inner, "  ")]
    for part in steps.parts:
        lines += steps_lines(part, inner, lines_of)
    lines += [(Span(line),) for line in _table(steps, inner)]
    for i, sentence in enumerate(steps.sentences, 1):
        number = f"{i}. "
        lines += [(Span(x),) for x in wrapped(number + sentence, inner, " " * len(number))]
    result = f"= {steps.result}" if steps.result else ""
    lines += [(Span(line, "strong"),) for line in wrapped(result, inner, "  ") if line]
    for picture in steps.pictures:
        lines += [(), *lines_of(picture, inner, True)]
    return [*title, *((_INDENT, *line) if line else () for line in lines)]


def _table(steps: Steps, width: int | None) -> list[str]:
    """Aligned columns; if the width is too short for them, each row as lines of its own."""
    if not steps.rows:
        return []
    table = [steps.columns, *steps.rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(f"{x:<{w}}" for x, w in zip(row, widths, strict=True)).rstrip() for row in table]
    if width is None or max(map(len, lines)) <= width:
        return lines
    return _records(steps, width)


def _records(steps: Steps, width: int) -> list[str]:
    """Each row as lines of its own, with the names of the columns before the cells."""
    lines: list[str] = []
    names = max(map(len, steps.columns)) + 2
    for row in steps.rows:
        lines += [""] if lines else []
        for name, text in zip(steps.columns, row, strict=True):
            lines += wrapped(f"{name:<{names}}{text}", width, " " * names) if text else []
    return [*lines, ""]
