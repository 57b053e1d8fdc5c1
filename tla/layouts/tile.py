# SPDX-License-Identifier: Apache-2.0
"""Tiles of a layout: the strides stay, the shape becomes the tile's.

A tile gives one extent for each top-level mode. A mode made of blocks, ``(block, count)`` or deeper,
keeps its blocks, and its last leaf counts as many as the tile needs.

>>> zN = parse("((4,2),(4,3)):((4,16),(1,32))")
>>> print(make_layout_tile(zN, (4, 4)))
((4,1),(4,1)):((4,16),(1,32))
>>> print(get_tile_layout(zN, (6, 8), coord=(4, 8)))
((4,2),(4,2)):((4,16),(1,32)):(4,4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import CongruenceError, CoordinateError, DivisibilityError
from ..ground import constexpr
from ..numbers import (
    IntTuple,
    _0,
    _1,
    at_least,
    ceil_div,
    comparison,
    divides,
    division,
    equal,
    is_static,
    is_tuple,
    keeps_assumptions,
    known_divides,
    known_eq,
    known_lt,
    less,
    max_,
    min_,
    neither_divides,
    of_domain,
    round_up,
)
from .coord import default_origin
from .int_tuple import (
    as_int_tuple,
    congruent,
    flatten_to_tuple,
    leaves,
    map_parts,
    product,
    repeat_like,
    text_of,
)
from .layout import AnyLayout, Layout, is_layout, of_coordinates, padded, rank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..numbers import Conditions, Question


@constexpr
@keeps_assumptions
@of_domain
def make_layout_tile(
    layout: AnyLayout, tile: IntTuple, exact: bool = True, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout of the first tile: ``result(c) == layout(c)`` for each ``c`` in the tile.

    >>> print(make_layout_tile(parse("(8,6):(6,1)"), (4, 3)))
    (4,3):(6,1)

    Args:
        tile: One extent for each top-level mode, in elements.
        exact: Demand that the tile divides each mode, and give a shape of just its size. Otherwise
            this is the `get_tile_layout` at coordinate 0: whole blocks, counts rounded up, and an
            origin shape that says how much of it is data.

    Raises:
        DivisibilityError: ``exact``, and an extent does not divide its mode along its leaves.
        CongruenceError: the tile is not one extent for each mode.
    Source: the TLA document's ``MakeLayoutTile``, which rounds up in silence.
    """
    tile = per_mode("tile", tile, layout)
    if not exact:
        return get_tile_layout(layout, tile, repeat_like(tile, _0))
    origin = map_parts(min_, tile, layout.origin_shape)
    try:
        # of the tile no more than all of it holds data
        return padded(Layout(map_parts(_front, tile, layout.shape), layout.stride), origin)
    except _UnevenError as uneven:
        raise DivisibilityError(
            f"tile {text_of(tile)} does not divide the shape {text_of(layout.shape)}",
            *uneven.args,
            layout=layout,
            tile=tile,
        ) from None


@constexpr
@keeps_assumptions
def get_tile_layout(
    layout: AnyLayout, tile: IntTuple, coord: IntTuple, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout of the tile that starts at ``coord``, relative to the tile's first element.

    ``layout(coord) + result(c) == layout(coord + c)`` for each valid ``c``, where ``coord`` lies on
    the blocks of each nested mode. The origin shape is what of the tile holds data; where the tile
    lies outside the data altogether it is 0. A layout seen through a function keeps the start inside:
    ``result(c) == layout(coord + c)``.

    >>> print(get_tile_layout(parse("(100,100):(100,_1)"), (32, 48), coord=(96, 96)))
    (32,48):(100,_1):(4,4)

    Args:
        tile: One extent for each top-level mode, in elements; it need not divide the mode.
        coord: The first element of the tile, one int for each top-level mode.

    Raises:
        CongruenceError: tile or coordinate is not one int for each mode.
        CoordinateError: the coordinate is negative.
    Source: CATLASS ``GetTileLayout``, layout.hpp; deeper modes by the same rule.
    """
    tile, coord = per_mode("tile", tile, layout), per_mode("coordinate", coord, layout)
    for c in leaves(coord):
        if not at_least(c, 0):
            raise CoordinateError(
                f"the tile cannot start at {text_of(coord)}: coordinates count from 0", coord=coord
            )
    if not is_layout(layout):
        seen: Any = layout
        inner = get_tile_layout(seen.inner, tile, coord)
        return seen.with_inner((inner, seen.inner.extended(coord)))[0]
    origin = map_parts(_crop, tile, coord, layout.origin_shape)
    return padded(Layout(map_parts(_blocks, tile, layout.shape), layout.stride), origin)


def blocks_kept(layout: Any, coord: Any, extent: Any) -> Iterator[tuple[int, Any, Question]]:
    """Ask of each mode and each size of its blocks whether a tile leaves blocks of that size whole.

    A tile does if it starts on an edge of a block, or if it ends before the next edge, counted in whole
    innermost blocks. If all answers are True, the law of `get_tile_layout` holds.

    >>> z = fractal_layout(64, 64, "zZ", ((4, 4),))
    >>> [(mode, block, answer) for mode, block, (answer, _) in blocks_kept(z, (16, 6), (40, 12))]
    [(0, 4, True), (1, 4, False)]

    Args:
        coord, extent: One int for each top-level mode.
    """
    shape = layout.shape if is_tuple(layout.shape) else (layout.shape,)
    for mode, (s, at, n) in enumerate(zip(shape, leaves(coord), leaves(extent), strict=True)):
        block: Any = _1
        whole: Any = None
        for size in flatten_to_tuple(s)[:-1]:
            block = block * size
            if known_eq(block, 1) is not True:
                if whole is None and known_lt(0, block) is True:
                    whole = round_up(n, block)
                yield mode, block, _is_kept(at, whole, block)


def _is_kept(at: Any, extent: Any, block: Any) -> Question:
    """Whether ``extent`` coordinates from ``at`` on start on an edge of a block, or end before one."""
    on_edge = division(block, at)
    if on_edge[0] is True or extent is None or known_lt(0, block) is not True:
        return on_edge
    end = at % block + extent
    beyond = known_lt(block, end)
    if beyond is None and on_edge[0] is False:
        return None, comparison(end, "<=", block)
    return (True, None) if beyond is False else on_edge


def _crop(extent: Any, start: Any, data: Any) -> int:
    """How much of ``extent`` elements from ``start`` on holds data."""
    return min_(extent, max_(_0, data - start))


def per_mode(what: str, x: Any, layout: Any) -> Any:
    """A tile or coordinate checked: one int for each top-level mode."""
    x = as_int_tuple(x)
    if not congruent(default_origin(of_coordinates(layout).shape), x):
        raise CongruenceError(
            f"{what} {text_of(x)} does not fit the layout {layout}",
            f"It needs one int for each of its {rank(layout):d} modes.",
            layout=layout,
        )
    return x


def _blocks(extent: Any, shape: Any) -> Any:
    """The shape of the first ``extent`` coordinates in whole blocks: only the last leaf counts."""
    if not is_tuple(shape):
        return extent
    if not shape:
        return shape
    block = product(shape[:-1])
    if known_eq(block, 0) is True:  # empty, whatever its last leaf counts
        return shape
    return (*shape[:-1], _blocks(ceil_div(extent, block), shape[-1]))


class _UnevenError(Exception):
    """A tile cannot be cut out; its arguments say why, and the way out."""


_ROUND = "With exact=False the tile is rounded up to whole blocks."


def _front(extent: Any, mode: Any) -> Any:
    """The shape of exactly the first ``extent`` coordinates; leaves above them become 1."""
    if not at_least(extent, 1):
        raise _UnevenError(f"{extent} is not positive.")
    if known_lt(product(mode), extent) is True or not less(_0, product(mode)):
        raise _UnevenError(f"{extent} exceeds the {product(mode)} coordinates of its mode.", _ROUND)
    shape, rest = _take(mode, extent, True)
    if not equal(rest, _1):
        raise _UnevenError(
            f"{extent} does not divide the {product(mode)} coordinates of its mode.", _ROUND
        )
    return shape


def _take(shape: Any, extent: Any, is_last: bool) -> tuple[Any, Any]:
    """The shape of the first ``extent`` coordinates, and the factor of ``extent`` that it lacks.

    Args:
        is_last: No leaf follows that could take more than this one has.
    """
    if is_tuple(shape):
        out: list[Any] = []
        for i, part in enumerate(shape):
            taken, extent = _take(part, extent, is_last and i == len(shape) - 1)
            out.append(taken)
        return tuple(out), extent
    # the last leaf is cut, and never gives a rest: a mode is not less than its tile
    if not is_last and known_divides(shape, extent) is True and known_eq(shape, 0) is not True:
        return shape, extent // shape
    if known_divides(extent, shape) is True:
        # of equal ints the static one
        taken = shape if is_static(shape) and known_eq(shape, extent) is True else extent
        return taken, extent // extent
    if known_divides(extent, shape) is None and (is_last or known_divides(shape, extent) is False):
        divides(extent, shape)
    neither_divides(extent, shape)
    raise _UnevenError(f"Neither of {extent} and {shape} divides the other.", _ROUND)
