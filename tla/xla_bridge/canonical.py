"""One shape for all shapes of the same function and size.

XLA keeps ``f32[8,128]{1,0:T(8,128)}`` and ``f32[8,128]{1,0}`` apart, although every element has the
same place in both. The canonical shape is built from what does not depend on the tiles: the digits of
the function, which are unique, and the size.

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

    Every index has the offset that it had, and `physical_elements` is what it was. The dims, the element
    type and ``L E S SC M`` are kept; the indices of ``SC`` follow their dims to where these now stand.
    The result is its own canonical shape.

    Take two shapes of equal dims, element type and ``L E S SC M``. If `to_layout` gives both a nested
    layout, and the digits of neither overlap, they have one canonical shape exactly where they are
    equal as functions and in size. So it is for every two shapes without ``*`` that have nested
    layouts. Each other shape is its own canonical shape: one without a nested layout, and one whose
    digits interleave, or take more room than it has, which only a ``*`` can do.

    Of the tilings that the construction and the list of TPU tiles offer, the canonical one has the
    fewest tiles; of these the least entries in all; then the first order of dims, row major first; then
    the least entries from the left. XLA may have yet another tiling with fewer tiles.

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
    if shape.is_unbounded_dynamic and align > 1:  # what it rounds up to is not known
        bare = canonicalize(_like(shape, shape.major_to_minor, shape.tiles, 1))
        return _like(bare, bare.major_to_minor, bare.tiles, align)
    reading = read_layout(layout, physical_elements(shape))
    with reading.assumed():
        return _of_reading(shape, reading)


def _of_reading(shape: XlaShape, reading: Reading) -> XlaShape:
    """The canonical shape by its digits and size; the shape itself where they do not lead to one."""
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
    """What tiles are to give, by the digits and the size alone; None where no tiles are known for it."""
    try:
        ordered = in_order(digits, reading.layout)
        if has_unknowns(ordered, *reading.dims, size):
            check_multiples(ordered, reading.layout)
            if not gives_room(ordered, size):
                return None
        elif size < room_of(ordered):  # tiles with `*` can do with less
            return None
    except (LayoutError, UndecidedError):
        return None
    return Request(ordered, reading.dims, _least_below(ordered, size, shape))


def _least_below(digits: Sequence[Digit], size: int, shape: XlaShape) -> int:
    """The least size that ``L`` rounds up to the size: one that needs no ``*`` where there is one."""
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
