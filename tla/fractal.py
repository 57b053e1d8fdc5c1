"""Row and column major, and the four fractal formats of the Ascend cube core.

A fractal format cuts a matrix into blocks. The small letter tells how elements lie in a block, the
capital how blocks lie in the matrix: ``z`` by rows, ``n`` by columns. The shape is rounded up to
whole blocks; the origin shape keeps the matrix's own size.

>>> print(zN(8, 12, block=(4, 4)))
((4,2),(4,3)):((4,16),(_1,32))
>>> print(zN(20, 48))
((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)

Source: the TLA document, and CATLASS ``MakeLayout<Element, Tag>``, where the element fixes the block.
"""

from __future__ import annotations

from typing import Any

from .assumed import carrying
from .coord import compact_row_major
from .errors import LayoutError
from .int_tuple import as_int_tuple, congruent, text_of
from .ints import IntLike, IntTuple, _1, _16, ceil_div, leaf, less, round_up
from .layout import AnyLayout, Layout

__all__ = ["col_major", "nN", "nZ", "row_major", "zN", "zZ"]


def row_major(*extents: IntTuple) -> AnyLayout:
    """Return the compact layout whose last mode is fastest.

    >>> print(row_major(2, 3))
    (2,3):(3,_1)
    """
    return Layout(extents, compact_row_major(as_int_tuple(extents)))


def col_major(*extents: IntTuple) -> AnyLayout:
    """Return the compact layout whose first mode is fastest.

    >>> print(col_major(2, 3))
    (2,3):(_1,2)
    """
    return Layout(extents)


def zN(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: rows within a block, columns of blocks.

    >>> print(zN(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((4,16),(_1,32))
    """
    return _fractal(rows, cols, block, rows_within=True, rows_of_blocks=False)


def nZ(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: columns within a block, rows of blocks.

    >>> print(nZ(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((_1,48),(4,16))
    """
    return _fractal(rows, cols, block, rows_within=False, rows_of_blocks=True)


def zZ(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: rows within a block, rows of blocks.

    >>> print(zZ(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((4,48),(_1,16))
    """
    return _fractal(rows, cols, block, rows_within=True, rows_of_blocks=True)


def nN(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: columns within a block, columns of blocks.

    >>> print(nN(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((_1,16),(4,32))
    """
    return _fractal(rows, cols, block, rows_within=False, rows_of_blocks=False)


@carrying
def _fractal(rows: Any, cols: Any, block: Any, rows_within: bool, rows_of_blocks: bool) -> AnyLayout:
    rows, cols, block = leaf(rows), leaf(cols), as_int_tuple(block)
    if any(less(n, 0) for n in (rows, cols)):
        raise LayoutError(f"a matrix of {rows} by {cols}: a size is negative", rows=rows, cols=cols)
    if not congruent(block, (0, 0)) or any(less(b, 1) for b in block):
        raise LayoutError(f"a block is two positive extents, not {text_of(block)}", block=block)
    high, wide = block
    area = high * wide
    row, col = (wide, _1) if rows_within else (_1, high)
    if rows_of_blocks:
        row_block, col_block = round_up(cols, wide) * high, area
    else:
        row_block, col_block = area, round_up(rows, high) * wide
    shape = ((high, ceil_div(rows, high)), (wide, ceil_div(cols, wide)))
    return Layout(shape, ((row, row_block), (col, col_block)), (rows, cols))
