"""Bars as lines of text: what lies where in a buffer.

>>> from tla.figure import Bar, Bars
>>> bars = (Bar("A 0", 0, 20, 24, ((16, 20),)), Bar("A 1", 16, 36, 40, ()))
>>> print("\\n".join(bars_lines(Bars("L1", 64, bars), 48)))
L1, 64 bytes
A 0  [######!!!.                ]  [0,20) to 24
A 1  [      #########..         ]  [16,36) to 40
# written  . padding that is read  ! written over  to: the end of the padded tile
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..figure import Bar, Bars

__all__ = ["bars_lines"]

_WIDEST: Final = 100
_MOST: Final = 32
_LEGEND: Final = {"#": "written", ".": "padding that is read", "!": "written over", ">": "outside"}


def bars_lines(bars: Bars, width: int | None = None) -> list[str]:
    """Return the title, a line for each bar, and what the marks that occur stand for.

    A mark stands for a part of the buffer; it is the worst of what that part holds. Of very many bars
    the first are drawn.
    """
    more = len(bars.bars) - _MOST
    if more > 0:
        bars = bars._replace(bars=bars.bars[:_MOST])
    used = max((bar.reach for bar in bars.bars), default=0)
    # a small part of a buffer is shown large
    shown = bars.length if 4 * used > bars.length or not used else used
    cut = f", the first {shown} shown" if shown < bars.length else ""
    labels = max(map(len, (b.label for b in bars.bars)), default=0)
    texts = [_span(bar) for bar in bars.bars]
    taken = labels + 6 + max(map(len, texts), default=0)
    cells = max(8, min(_WIDEST, width or _WIDEST) - taken)
    drawn = [_cells(bar, shown, cells) for bar in bars.bars]
    lines = [
        f"{bar.label:<{labels}}  {line}  {text}".rstrip()
        for bar, line, text in zip(bars.bars, drawn, texts, strict=True)
    ]
    if more > 0:
        lines.append(f"and {more} more")
    marks = [f"{mark} {what}" for mark, what in _LEGEND.items() if any(mark in line for line in drawn)]
    if any(bar.reach > bar.end for bar in bars.bars):
        marks.append("to: the end of the padded tile")
    return [f"{bars.title}, {bars.length} bytes{cut}", *lines, "  ".join(marks)]


def _span(bar: Bar) -> str:
    return f"[{bar.start},{bar.end})" + (f" to {bar.reach}" if bar.reach > bar.end else "")


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
