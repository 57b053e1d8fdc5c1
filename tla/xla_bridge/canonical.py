# SPDX-License-Identifier: Apache-2.0
"""One shape for all shapes of the same function and size.

In XLA ``f32[8,128]{1,0:T(8,128)}`` and ``f32[8,128]{1,0}`` differ, although every element has the same
place in both. The canonical shape depends only on the digits of the function, which are unique, and on
the size. Both do not depend on the tiles.

>>> from .shape import XlaShape
>>> print(canonicalize(XlaShape("f32", (8, 128), tiles=[(8, 128)])))
f32[8,128]{1,0}
>>> print(canonicalize(XlaShape("bf16", (4096,), tiles=[(1024,), (128,), (2, 1)])))
bf16[4096]{0:T(128)(2,1)}

Source: our own definition; the same questions are open in XLA, which compares layouts by their fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import LayoutError, UndecidedError, UnsupportedError
from ..numbers import known_eq
from .candidates import Request, candidates, has_unknowns, is_verified
from .chain import check_multiples, gives_room, in_order, layout_digits, least_room, room_of
from .dynamic import read_layout
from .shape import replaced
from .tiling import array_shape, physical_elements
from .to_layout import to_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .chain import Digit
    from .dynamic import Reading
    from .rules import Tile
    from .shape import AnyShape, XlaShape


def canonicalize(shape: AnyShape) -> XlaShape:
    """Return a shape of the same function and size, the same one for all such shapes.

    >>> from .parse import parse_array
    >>> print(canonicalize(parse_array("f32[1,4]{0,1:T(2,2)(2,1)S(1)}")))
    f32[1,4]{1,0:T(2,2)S(1)}

    Every index keeps its offset, and the shape keeps its `physical_elements`, dims, element type and
    ``L E S SC M``. The indices of ``SC`` follow their dims to the new places. The result is its own
    canonical shape.

    Take two shapes of equal dims, element type and ``L E S SC M``. If `to_layout` gives both a nested
    layout, and the digits of neither overlap, they have one canonical shape if and only if they are
    equal as functions and in size. That holds for any two shapes without ``*`` that have nested layouts.
    Every other shape is its own canonical shape: a shape without a nested layout, or one whose digits
    interleave or need more room than it has. Only a ``*`` can cause the latter two.

    The canonical tiling is one of the construction, or of the list of TPU tiles. It has the fewest
    tiles. Among these it has the fewest entries in all, then the first order of dims, row major first,
    then the least entries from the left. XLA may have another tiling with fewer tiles.

    Raises:
        UnsupportedError: the shape is no array.
    """
    shape = array_shape(shape)
    if any(known_eq(n, 0) is True for n in shape.dimensions):
        return _like(shape, range(shape.rank), ())
    try:
        layout = to_layout(shape)
    except (UnsupportedError, UndecidedError):
        return _like(shape, shape.major_to_minor, shape.tiles)
    align = shape.tail_padding_alignment_in_elements
    if shape.is_unbounded_dynamic and align > 1:  # the size after rounding up is unknown
        bare = canonicalize(_like(shape, shape.major_to_minor, shape.tiles, 1))
        return _like(bare, bare.major_to_minor, bare.tiles, align)
    reading = read_layout(layout, physical_elements(shape))
    with reading.assumed():
        return _of_reading(shape, reading)


def _of_reading(shape: XlaShape, reading: Reading) -> XlaShape:
    """The canonical shape by its digits and size; the shape itself if they have none."""
    digits = layout_digits(reading.layout, reading.dims)
    size: Any = reading.room  # a size was given
    request = _request(shape, reading, size, digits)
    made = [] if request is None else list(candidates(request, shape.element_type))
    for tiling in sorted(made, key=lambda tiling: tiling.cost):
        try:
            found = _like(shape, tiling.order, tiling.tiles)
        except LayoutError:  # a tile entry beyond 64 bits
            continue
        if is_verified(found, digits, reading.dims, size):
            return found
    return _like(shape, shape.major_to_minor, shape.tiles)


def _request(shape: XlaShape, reading: Reading, size: int, digits: Sequence[Digit]) -> Request | None:
    """The request for tiles, by the digits and the size alone; None if no tiles are known for it."""
    try:
        ordered = in_order(digits, reading.layout)
        if has_unknowns(ordered, *reading.dims, size):
            check_multiples(ordered, reading.layout)
            if not gives_room(ordered, size):
                return None
        elif size < room_of(ordered):  # tiles with `*` may need less
            return None
    except (LayoutError, UndecidedError):
        return None
    return Request(ordered, reading.dims, _least_below(ordered, size, shape))


def _least_below(digits: Sequence[Digit], size: int, shape: XlaShape) -> int:
    """The least size that ``L`` rounds up to the size, if possible one that needs no ``*``."""
    align = shape.tail_padding_alignment_in_elements
    if align == 1:
        return size
    least = least_room(digits, size - align + 1)
    return least if least <= size else max(size - align + 1, room_of(digits))


def _like(
    shape: XlaShape, order: Sequence[int], tiles: Sequence[Tile], align: int | None = None
) -> XlaShape:
    """The shape with another order of dims, major first, and other tiles."""
    place = {dim: i for i, dim in enumerate(order)}
    splits = [(place[shape.major_to_minor[d]], at) for d, at in shape.split_configs]
    alignment = shape.tail_padding_alignment_in_elements if align is None else align
    return replaced(
        shape,
        minor_to_major=tuple(order)[::-1],
        tiles=tuple(tiles),
        tail_padding_alignment_in_elements=alignment,
        split_configs=tuple(sorted(splits)),
    )
