# SPDX-License-Identifier: Apache-2.0
"""Reports on the terminal: tables as wide as they need to be, long lines broken, counts in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import terminal_width, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def line_width() -> int:
    """Return how many letters a line of prose has at most."""
    return min(terminal_width() or 100, 100)


def columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers: int, indent: str = ""
) -> list[str]:
    """Return the lines of a table whose first columns are numbers; a cell is one line of `visible` text.

    >>> print(*columns(["size", "name"], [["1 B", "a"], ["12 B", "b"]], 1), sep="\\n")
    size  name
     1 B  a
    12 B  b

    On a terminal that is too narrow, the columns that do not fit stand below the others.
    """
    head, rows = [*map(visible, head)], [[*map(visible, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    limit = terminal_width()
    lines: list[str] = []
    for row in (head, *rows):
        line = indent
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            if limit is not None and line.strip() and len(line) + width > limit:
                lines.append(line.rstrip())
                line = f"{indent}    "
            line += f"{cell.rjust(width) if i < numbers else cell.ljust(width)}  "
        lines.append(line.rstrip())
    return lines


def wrapped(items: Iterable[str], indent: str) -> list[str]:
    """Return the lines of a list with commas, as wide as a terminal; no line breaks within an item.

    >>> wrapped(["one", "two"], "  ")
    ['  one, two']
    """
    lines: list[str] = []
    most = line_width()
    for item in items:
        if lines and len(lines[-1]) + len(item) + 2 <= most:  # a space before it, a comma behind it
            lines[-1] += f" {item},"
        else:
            lines.append(f"{indent}{item},")
    return [*lines[:-1], lines[-1][:-1]] if lines else []
