"""Lines of text in spans: the text, its style, and the colour behind it.

>>> line = (Span("0 "), Span("|", "rule"), Span(" 7 ", "", "#8fe1fc"))
>>> plain(line), width_of(line)
('0 | 7', 5)
>>> [plain(line) for line in beside([[(Span("ab"),), (Span("c"),)], [(Span("d"),)]], ["="])]
['ab  =  d', 'c']

The plain text of a line is the join of its spans: style alone never says anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ...ground import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 2
"""The blanks between blocks that stand side by side."""

Style: TypeAlias = Literal["", "rule", "padding", "mark", "strong", "bad"]


class Span(NamedTuple):
    """A stretch of a line; ``fill`` is the colour behind it, ``#rrggbb`` or empty."""

    text: str
    style: Style = ""
    fill: str = ""


Line: TypeAlias = "tuple[Span, ...]"


def plain(line: Line) -> str:
    """Return the text of a line, without blanks at its end; what is not printable is an escape."""
    return visible("".join([span.text for span in line]).rstrip(" "))


def width_of(line: Line) -> int:
    """Return how many characters a line has."""
    return len(plain(line))


def styled(text: str, patterns: Sequence[tuple[str, Style]]) -> Line:
    """Return a text in spans: text that matches a pattern has its style, the first pattern first.

    >>> [span.text for span in styled("[a] 10", ((r"[][]", "rule"),))]
    ['[', 'a', ']', ' 10']
    """
    if not patterns:
        return (Span(text),)
    (pattern, style), *others = patterns
    spans: list[Span] = []
    end = 0
    for match in re.finditer(pattern, text):
        if match.end() > match.start():
            spans += styled(text[end : match.start()], others) if match.start() > end else ()
            spans.append(Span(match[0], style))
            end = match.end()
    return (*spans, *(styled(text[end:], others) if end < len(text) else ()))


def beside(blocks: Sequence[Sequence[Line]], signs: Sequence[str] = ()) -> list[Line]:
    """Return blocks of lines side by side, each sign in the middle between its two blocks."""
    lines: list[Line] = [()] * max(map(len, blocks), default=0)
    at = 0
    for i, block in enumerate(blocks):
        if i:
            sign = signs[i - 1] if signs else ""
            middle = (min(len(blocks[i - 1]), len(block)) - 1) // 2
            if sign:
                lines[middle] = _moved(lines[middle], at + GAP, (Span(sign, "strong"),))
                at += GAP + len(sign)
            at += GAP
        for k, line in enumerate(block):
            lines[k] = _moved(lines[k], at, line)
        at += max(map(width_of, block), default=0)
    return lines


def _moved(before: Line, at: int, line: Line) -> Line:
    """A line, and after it another that begins at a place."""
    if not line:
        return before
    width = sum(len(span.text) for span in before)
    if width > at:  # blanks at the end of the line before
        before, width = (Span(plain(before)),), width_of(before)
    return (*before, Span(" " * (at - width)), *line)
