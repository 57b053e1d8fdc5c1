# SPDX-License-Identifier: Apache-2.0
"""Reports on the terminal: tables as wide as they need to be, long lines broken, counts in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..ground import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WIDTH: Final = 100


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int) -> list[str]:
    """Return the lines of a table whose first columns are numbers; a cell is one line of `visible` text.

    >>> print(*columns(["size", "name"], [["1 B", "a"], ["12 B", "b"]], 1), sep="\\n")
    size  name
     1 B  a
    12 B  b
    """
    head, rows = [*map(visible, head)], [[*map(visible, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines: list[str] = []
    for row in (head, *rows):
        cells = [
            cell.rjust(width) if i < numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def wrapped(items: Iterable[str], indent: str) -> list[str]:
    """Return the lines of a list with commas; no line breaks within an item.

    >>> wrapped(["one", "two"], "  ")
    ['  one, two']
    """
    lines: list[str] = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= _WIDTH:  # a space before it, a comma behind it
            lines[-1] += f" {item},"
        else:
            lines.append(f"{indent}{item},")
    return [*lines[:-1], lines[-1][:-1]] if lines else []
