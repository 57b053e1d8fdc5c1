"""Tables on the terminal: numbers to the right, words to the left, as wide as they need to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["columns"]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> list[str]:
    """Return the lines of a table whose first columns are numbers.

    >>> print(*columns(["size", "name"], [["1 B", "a"], ["12 B", "b"]], 1), sep="\\n")
    size  name
     1 B  a
    12 B  b
    """
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines: list[str] = []
    for row in (head, *rows):
        cells = [
            cell.rjust(width) if i < numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
