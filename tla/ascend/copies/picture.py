# SPDX-License-Identifier: Apache-2.0
"""The picture of a copy: a tile in its source and in its destination, each element at one place.

>>> from tla.ascend.copies import gm_to_l1
>>> tile = gm_to_l1(row_major(100, 100), "zN", arch="AtlasA2", element="half", tile=(4, 20), at=(96, 0))
>>> figure = tile.figure()
>>> figure.title
'GM->L1: RowMajor<half> to zN<half>'
>>> [[[cell.offset for cell in row[15:17]] for row in of.grids[0].cells[:2]] for of in figure.figures]
[[[9615, 9616], [9715, 9716]], [[15, 256], [31, 272]]]
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ...errors import LayoutError
from ...figures import axis_of, tile_colour
from ...ground import NO_COLOUR, Cell, Figure, Grid, Panels, plural
from ...layouts import idx2crd, leaves, text_of
from ..shapes import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import SupportsIndex

    from .calls import Calls
    from .matrix import Matrix

_FOLLOWED: Final = 1 << 17
"""The largest tile, in elements, whose colours show the call of each element."""


def picture(
    route: str,
    calls: Calls,
    src: Matrix,
    dst: Matrix,
    tile: tuple[int, ...],
    rows: SupportsIndex = 32,
    columns: SupportsIndex = 32,
    slices: SupportsIndex = 4,
) -> Panels:
    """Return the figure of a copy: the offsets of a tile's elements, read and written, side by side.

    An element has the same place and colour in both. Colours show the calls; for a single call they show
    the blocks of the destination.

    Args:
        rows, columns, slices: The largest corner shown.

    Raises:
        LayoutError: nothing would be shown.
    """
    limits = [index_of("slices", slices)] * len(tile)
    limits[-2:] = [index_of("rows", rows), index_of("columns", columns)][-len(limits) :]
    if min(limits, default=1) < 1:
        raise LayoutError(f"a figure of {text_of(tuple(limits))} elements is empty")
    corner = tuple(min(n, limit) for n, limit in zip(tile, limits, strict=True))
    writers = _writers(calls, prod(tile))

    def colour(coordinate: tuple[int, ...]) -> int:
        return _colour(dst, coordinate, writers)

    figures = (
        _figure(src, tile, corner, colour, "read from"),
        _figure(dst, tile, corner, colour, "written to"),
    )
    meaning = "the call that moves it" if writers else "the block of the destination"
    count = plural(len(calls), "call")
    title = f"{route}: {src} to {dst}"
    return Panels(title, figures, ("to",), f"{count}; the colour of an element is {meaning}")


def _writers(calls: Calls, elements: int) -> dict[int, int]:
    """The call that writes each offset; empty for one call, and for too large a tile."""
    if len(calls) == 1 or elements > _FOLLOWED:
        return {}
    return {move.dst: number for number, call in enumerate(calls) for move in call.moves()}


def _figure(
    matrix: Matrix,
    tile: tuple[int, ...],
    corner: tuple[int, ...],
    colour: Callable[[tuple[int, ...]], int],
    what: str,
) -> Figure:
    start = list(matrix.at)
    modes: Any = matrix.layout.shape
    high, wide = [1, *corner][-2:]

    def cell(coordinate: tuple[int, ...]) -> Cell:
        return Cell(matrix.offset(coordinate), True, colour(coordinate))

    axes = [
        axis_of(mode, range(s, s + n), size)
        for mode, s, n, size in zip(modes, start, corner, tile, strict=True)
    ]
    grids: list[Grid] = []
    for at in product(*map(range, corner[:-2])):
        ends = [[(i, j)[-len(corner) :] for j in range(wide)] for i in range(high)]
        cells = tuple(tuple(cell((*at, *end)) for end in row) for row in ends)
        place = tuple([s + i for s, i in zip(start, at)])  # noqa: B905 (rows and columns follow)
        grids.append(Grid(place, axes[-2] if len(axes) > 1 else None, axes[-1], cells))
    title = f"{what} {matrix} {matrix.layout}"
    if any(start):
        title += f" from {text_of(matrix.at)} on"
    size = prod(tile)
    return Figure(tuple(grids), prod(tile[:-2]), size, size, _span(matrix, tile), title, "tile")


def _span(matrix: Matrix, tile: Sequence[int]) -> int:
    """The span of the offsets of a tile, summed mode by mode."""
    span = 1
    for k, n in enumerate(tile):
        ends = [matrix.offset(tuple(i * (m == k) for m in range(len(tile)))) for i in range(n)]
        span += max(ends, default=0) - min(ends, default=0)
    return span


def _colour(dst: Matrix, coordinate: tuple[int, ...], writers: dict[int, int]) -> int:
    if writers:
        call = writers.get(dst.offset(coordinate))
        return NO_COLOUR if call is None else call % 8
    digits = [
        [*leaves(idx2crd(a + c, mode))]
        for a, c, mode in zip(dst.at, coordinate, dst.layout.shape, strict=True)
    ]
    # the leaf that runs fastest is inside of a block
    blocks = [sum(map(int, d[1:])) if len(d) > 1 else 0 for d in digits]
    row, column = ([0, *blocks])[-2:]
    return tile_colour(row, column)
