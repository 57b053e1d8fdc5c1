# SPDX-License-Identifier: Apache-2.0
"""Bars as lines of text: the parts of a buffer and their places.

>>> from tla.ground.figure import Bar, Bars
>>> bars = (Bar("A 0", 0, 20, 24, ((16, 20),)), Bar("A 1", 16, 36, 40, ()))
>>> print("\\n".join(bars_lines(Bars("L1", 64, bars), 48)))
L1, 64 bytes
A 0  [######!!!.                ]  [0,20) to 24
A 1  [      #########..         ]  [16,36) to 40
# written  . padding that is read
! written over  to: the end of the padded tile
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import bars_title, first_bars, reach_of, span_of, wrapped

if TYPE_CHECKING:
    from ...ground import Bar, Bars

_WIDEST: Final = 100


def bars_lines(bars: Bars, width: int | None = None) -> list[str]:
    """Return the title, a line for each bar, and what the marks that occur stand for.

    A mark is one part of the buffer; it shows the worst byte there. Of very many bars the first are
    drawn.
    """
    bars, more = first_bars(bars)
    shown = reach_of(bars) or 1
    labels = max(map(len, (b.label for b in bars.bars)), default=0)
    texts = [span_of(bar) for bar in bars.bars]
    others = labels + 6 + max(map(len, texts), default=0)
    cells = max(8, min(_WIDEST, width or _WIDEST) - others)
    drawn = [_cells(bar, shown or 1, cells) for bar in bars.bars]
    lines = [
        f"{bar.label:<{labels}}  {line}  {text}".rstrip()
        for bar, line, text in zip(bars.bars, drawn, texts, strict=True)
    ]
    if more > 0:
        lines.append(f"and {more} more")
    legend = {"#": bars.filled, ".": bars.beyond, "!": "written over", ">": "outside"}
    marks = [f"{mark} {what}" for mark, what in legend.items() if any(mark in line for line in drawn)]
    if any(bar.reach > bar.end for bar in bars.bars):
        marks.append(f"to: {bars.reach}")
    return [*wrapped(bars_title(bars), width), *lines, *_legend(marks, width)]


def _legend(marks: list[str], width: int | None) -> list[str]:
    lines = [""]
    for mark in marks:
        joined = f"{lines[-1]}  {mark}" if lines[-1] else mark
        if width is None or len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(mark)
    return lines


def _cells(bar: Bar, length: int, cells: int) -> str:
    """A row of marks, each for ``length / cells`` bytes; ``>`` ends it if the bar leaves the buffer."""
    row = [" "] * cells

    def mark(start: int, end: int, with_: str) -> None:
        # the cells that hold a byte of [start, end)
        for i in range(start * cells // length, min(cells, -(-end * cells // length))):
            row[i] = with_

    mark(bar.end, bar.reach, ".")
    mark(bar.start, bar.end, "#")
    for start, end in bar.clashes:
        mark(start, end, "!")
    return f"[{''.join(row)}{'>' if bar.reach > length else ']'}"
