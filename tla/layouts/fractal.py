# SPDX-License-Identifier: Apache-2.0
"""Row and column major, and the fractal formats of the Ascend cube core, to any depth.

A fractal format cuts a matrix into blocks. The small letter tells how elements lie in a block, the
capital how blocks lie in the matrix: ``z`` by rows, ``n`` by columns. The shape is rounded up to
whole blocks; the origin shape keeps the matrix's own size.

>>> print(zN(8, 12, block=(4, 4)))
((4,2),(4,3)):((4,16),(_1,32))
>>> print(zN(20, 48))
((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)

`fractal_layout` is the rule behind them: blocks of blocks take a further capital each, and a batch of
matrices lies one after the other.

>>> print(fractal_layout(8, 12, "zNZ", blocks=((2, 2), (2, 3)), batch=5))
(5,(2,2,2),(2,3,2)):(96,(2,4,48),(_1,8,24))

Source: the TLA document, and CATLASS ``MakeLayout<Element, Tag>``, where the element fixes the block.
"""

from __future__ import annotations

from typing import Any

from ..errors import KindError, LayoutError
from ..ground import constexpr, described
from ..numbers import IntLike, IntTuple, _1, _16, ceil_div, is_tuple, keeps_assumptions, leaf, less
from .coord import compact_row_major
from .int_tuple import as_int_tuple, as_shape, congruent, product, product_each, text_of
from .layout import AnyLayout, Layout


@constexpr
def row_major(*extents: IntTuple) -> AnyLayout:
    """Return the compact layout whose last mode is fastest.

    >>> print(row_major(2, 3))
    (2,3):(3,_1)
    """
    return Layout(extents, compact_row_major(as_int_tuple(extents)))


@constexpr
def col_major(*extents: IntTuple) -> AnyLayout:
    """Return the compact layout whose first mode is fastest.

    >>> print(col_major(2, 3))
    (2,3):(_1,2)
    """
    return Layout(extents)


@constexpr
def zN(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: rows within a block, columns of blocks.

    >>> print(zN(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((4,16),(_1,32))
    """
    return fractal_layout(rows, cols, "zN", (block,))


@constexpr
def nZ(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: columns within a block, rows of blocks.

    >>> print(nZ(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((_1,48),(4,16))
    """
    return fractal_layout(rows, cols, "nZ", (block,))


@constexpr
def zZ(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: rows within a block, rows of blocks.

    >>> print(zZ(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((4,48),(_1,16))
    """
    return fractal_layout(rows, cols, "zZ", (block,))


@constexpr
def nN(rows: IntLike, cols: IntLike, block: IntTuple = (_16, _16)) -> AnyLayout:  # noqa: N802
    """Return the matrix in blocks: columns within a block, columns of blocks.

    >>> print(nN(8, 12, block=(4, 4)))
    ((4,2),(4,3)):((_1,16),(4,32))
    """
    return fractal_layout(rows, cols, "nN", (block,))


@constexpr
@keeps_assumptions
def fractal_layout(
    rows: IntLike,
    cols: IntLike,
    order: str = "zN",
    blocks: tuple[IntTuple, ...] = ((_16, _16),),
    batch: IntTuple = (),
) -> AnyLayout:
    """Return the layout of a matrix in blocks, in blocks of blocks, and so on, as its letters say.

    The offsets count the elements of an innermost block first, as the small letter says. Then they
    count those blocks within the next larger block, as the first capital says, and so on up to the
    blocks of the matrix. The matrices of a batch follow each other.

    >>> print(fractal_layout(8, 12, "zNZ", blocks=((2, 2), (2, 3))))
    ((2,2,2),(2,3,2)):((2,4,48),(_1,8,24))
    >>> fractal_layout(20, 48, "nZ") == nZ(20, 48), fractal_layout(20, 48, "z", ()) == row_major(20, 48)
    (True, True)

    Args:
        rows, cols: The size of the matrix, in elements; each is rounded up to whole outermost blocks.
        order: A small letter for the elements, then a capital for each level of blocks, the innermost
            first: ``z`` goes along rows, ``n`` down columns.
        blocks: (high, wide) for each level, the innermost first: the first in elements, each other in
            blocks of the level below.
        batch: One mode for each extent, before the rows; the last is fastest, and its stride is what a
            matrix takes, padding included.

    Raises:
        LayoutError: a size is negative, a block is not two positive extents, or the letters are not
            one for the elements and one for each level.
    """
    height: Any = leaf(rows)
    width: Any = leaf(cols)
    levels: Any = as_int_tuple(blocks)
    _check(height, width, order, levels)
    highs, wides = zip(*levels, strict=True) if levels else ((), ())
    down: Any = ceil_div(height, product(highs))
    across: Any = ceil_div(width, product(wides))
    area: Any = _1  # the elements counted off so far
    row: list[Any] = []
    col: list[Any] = []
    for letter, (h, w) in zip(order, (*levels, (down, across)), strict=True):
        along_rows = letter in "zZ"
        row.append(w * area if along_rows else area)
        col.append(area if along_rows else h * area)
        area = area * (h * w)
    shape: Any = ((*highs, down), (*wides, across)) if levels else (down, across)
    stride: Any = (tuple(row), tuple(col)) if levels else (*row, *col)
    matrix: AnyLayout = Layout(shape, stride, (height, width))
    many: Any = as_shape(batch if is_tuple(batch) else (batch,))
    return batch_of(matrix, many, area) if many else matrix


def batch_of(layout: AnyLayout, many: tuple[Any, ...], apart: Any) -> AnyLayout:
    """Return the layout of copies of one, counted by modes before its own, the last of them fastest.

    >>> print(batch_of(row_major(2, 3), (4, 5), 8))
    (4,5,2,3):(40,8,3,_1)

    Args:
        apart: The elements from one copy to the next.
    """
    steps: Any = compact_row_major((*many, apart))[:-1]
    origin = (*product_each(many), *layout.origin_shape)
    return Layout((*many, *layout.shape), (*steps, *layout.stride), origin)


def _check(rows: Any, cols: Any, order: Any, blocks: Any) -> None:
    """Raise the error of an argument of `fractal_layout` that is wrong."""
    if less(rows, 0) or less(cols, 0):
        raise LayoutError(
            f"a matrix of {text_of(rows)} by {text_of(cols)}: a size is negative", rows=rows, cols=cols
        )
    if not is_tuple(blocks):
        raise LayoutError(
            f"blocks are a tuple, the innermost first, as in ((16,16),(8,4)), not {blocks}",
            blocks=blocks,
        )
    for block in blocks:
        if not congruent(block, (0, 0)) or less(block[0], 1) or less(block[1], 1):
            summary = f"a block is two positive extents, not {text_of(block)}"
            way = "Write block=(16, 16), or blocks=((16, 16),) with one block for each level."
            raise LayoutError(summary, way, block=block)
    if not isinstance(order, str):
        raise KindError(f"an order is letters, as in 'zN', not {described(order)}", value=order)
    small, capitals = order[:1], order[1:]
    if not small or small not in "zn" or capitals.strip("ZN") or len(capitals) != len(blocks):
        raise LayoutError(
            f"the order {order!r} does not fit the blocks {text_of(blocks)}",
            "It is a small letter, z or n, for the elements of a block, then a capital, Z or N, for each"
            " level of blocks, the innermost first: z along rows, n down columns.",
            order=order,
            blocks=blocks,
        )
