"""The two orders that every schedule is made of: even shares, and bands walked to and fro.

>>> [share(10, 4, i) for i in range(4)]
[(0, 3), (3, 6), (6, 8), (8, 10)]
>>> bands = bands_of(3, 4, height=2)
>>> [bands.at(i) for i in range(12)]
[(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (2, 2), (2, 1), (2, 0)]

Slices of K, ranges of blocks per core, tiles of K per core and columns of elements per core are all
shares; the order of blocks in M and N is bands always.
"""

from __future__ import annotations

from typing import NamedTuple


def share(total: int, parts: int, i: int) -> tuple[int, int]:
    """Return where part i of the parts begins and ends: the first ``total % parts`` have one more.

    >>> [share(3, 5, i) for i in range(5)]
    [(0, 1), (1, 2), (2, 3), (3, 3), (3, 3)]
    """
    each, more = divmod(total, parts)
    begin = each * i + min(i, more)
    return begin, begin + each + (i < more)


def owner(total: int, parts: int, x: int) -> int:
    """Return the part that x is in, the inverse of `share`, for ``0 <= x < total``.

    >>> [owner(10, 4, x) for x in range(10)]
    [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]
    """
    each, more = divmod(total, parts)
    long = more * (each + 1)
    return x // (each + 1) if x < long else more + (x - long) // each


class Bands(NamedTuple):
    """A walk over a matrix in bands of rows: down each column of a band, odd bands from right to left.

    The first `full` bands have `height` rows, one last band has the rows that remain. Where `zigzag`
    is set the odd columns are walked upwards; where `forth` is set every band goes from left to right.
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
