# SPDX-License-Identifier: Apache-2.0
"""The first tile of a layout, the result of `make_layout_tile`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..figures import tile_colour
from ..ground import Panels, Steps
from ..layouts import crd2idx, idx2crd, make_layout_tile, product, text_of
from ..numbers import is_open, is_tuple, known_eq, known_int
from .painting import has_picture, paint_layout
from .sentences import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..ground import AnyFigure, Cell, Figure
    from ..layouts import AnyLayout
    from ..numbers import IntTuple


def explain_tile(layout: AnyLayout, tile: IntTuple, *, exact: bool = True) -> Steps:
    """Return the steps to the layout of the first tile, with pictures of its place.

    >>> print(*explain_tile(parse("((4,2),(4,3)):((4,16),(1,32))"), (4, 4)).sentences, sep="\\n")
    Mode 0, (4,2): a tile of 4 of its 8 coordinates has the shape (4,1).
    Mode 1, (4,3): a tile of 4 of its 12 coordinates has the shape (4,1).

    Raises:
        TlaError: `make_layout_tile` raises it; `explain_error` draws the block that the tile cuts.
    """
    result = make_layout_tile(layout, tile, exact=exact)
    option = "" if exact else ", exact=false"
    is_drawn = has_picture(layout, result) and not any(map(is_open, _modes(tile)))
    return Steps(
        f"make_layout_tile({layout}, {text_of(tile)}{option})",
        ("the same strides on the first coordinates: T(c) = A(c) for each c in the tile",),
        (),
        (),
        (),
        str(result),
        tuple(_sentences(layout, tile, result)),
        tuple(_pictures(layout, tile, result)) if is_drawn else (),
    )


def _modes(x: Any) -> tuple[Any, ...]:
    return x if is_tuple(x) else (x,)


def _sentences(layout: AnyLayout, tile: Any, result: AnyLayout) -> Iterator[str]:
    modes = zip(_modes(layout.shape), _modes(tile), _modes(result.shape), strict=True)
    for i, (s, t, shape) in enumerate(modes):
        size = product(shape)
        whole = "" if known_eq(size, t) is not False else f", {number(size)} in whole blocks"
        yield (
            f"Mode {i}, {text_of(s)}: a tile of {number(t)} of its {number(product(s))} coordinates has"
            f" the shape {text_of(shape)}{whole}."
        )


def _pictures(layout: AnyLayout, tile: Any, result: AnyLayout) -> Iterator[AnyFigure]:
    def first(_k: int, cell: Cell) -> Cell:
        return cell._replace(colour=0)

    tiles = in_tiles(layout, tile, lambda _at: False, f"{layout} in tiles of {text_of(tile)}")
    yield Panels(
        "",
        (tiles, paint_layout(result, first, f"the first: {result}", "tile")),
        ("->",),
        "the same tiles in both",
    )


def in_tiles(
    layout: AnyLayout,
    tile: Any,
    is_marked: Callable[[list[int]], bool],
    title: str,
    around: int | None = None,
) -> Figure:
    """Return the figure of a layout with a colour for each tile, counted from the first coordinate.

    Args:
        is_marked: Whether a coordinate, one index for each mode, gets a mark.
    """
    shapes = _modes(layout.shape)
    extents = [max(1, known_int(t)) for t in _modes(tile)]

    def paint(x: int, cell: Cell) -> Cell:
        digits: Any = idx2crd(x, layout.shape)
        parts = digits if is_tuple(layout.shape) else (digits,)
        at = [known_int(crd2idx(c, s)) for c, s in zip(parts, shapes, strict=True)]
        *outer, row, column = [0, 0, *(c // t for c, t in zip(at, extents, strict=True))]
        return cell._replace(colour=tile_colour(row + 5 * sum(outer), column), is_marked=is_marked(at))

    return paint_layout(layout, paint, title, "tile", around=around)
