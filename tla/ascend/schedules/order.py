# SPDX-License-Identifier: Apache-2.0
"""The two orders of every schedule: even shares, and bands that run to and fro.

>>> [share(10, 4, i) for i in range(4)]
[(0, 3), (3, 6), (6, 8), (8, 10)]
>>> bands = bands_of(3, 4, height=2)
>>> [bands.at(i) for i in range(12)]
[(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (2, 2), (2, 1), (2, 0)]

Shares give the slices of K, and the ranges of blocks, tiles of K and columns of each core. Bands always
give the order of blocks in M and N.
"""

from __future__ import annotations

from typing import NamedTuple


def share(total: int, parts: int, i: int) -> tuple[int, int]:
    """Return the begin and end of part i; the first ``total % parts`` parts have one more.

    >>> [share(3, 5, i) for i in range(5)]
    [(0, 1), (1, 2), (2, 3), (3, 3), (3, 3)]
    """
    each, more = divmod(total, parts)
    begin = each * i + min(i, more)
    return begin, begin + each + (i < more)


def owner(total: int, parts: int, x: int) -> int:
    """Return the part in which x lies, for ``0 <= x < total``; it is the inverse of `share`.

    >>> [owner(10, 4, x) for x in range(10)]
    [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    """
    each, more = divmod(total, parts)
    long = more * (each + 1)
    return x // (each + 1) if x < long else more + (x - long) // each


class Bands(NamedTuple):
    """An order of a matrix in bands of rows: down each column of a band, in odd bands from right to
    left.

    The first `full` bands have `height` rows, and one last band has the remaining rows. With `zigzag`
    the odd columns run upwards. With `forth` every band runs from left to right.
    """

    rows: int
    columns: int
    height: int
    full: int
    zigzag: bool = False
    forth: bool = False

    def at(self, i: int) -> tuple[int, int]:
        """The row and the column of step i."""
        band = min(i // (self.height * self.columns), self.full)
        top = band * self.height
        high = self.height if band < self.full else self.rows - top
        column, row = divmod(i - top * self.columns, high)
        if band % 2 and not self.forth:
            column = self.columns - 1 - column
        if self.zigzag and column % 2:
            row = high - 1 - row
        return top + row, column


def bands_of(rows: int, columns: int, height: int) -> Bands:
    """Return the bands of a matrix by their height; the last may have fewer rows."""
    return Bands(rows, columns, height, (rows - 1) // height)
