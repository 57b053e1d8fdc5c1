# SPDX-License-Identifier: Apache-2.0
"""From a nested layout to the XLA shape of the same function and size.

A layout is an XLA tiled layout without ``*`` if and only if its digits, sorted by stride, form a chain:
each stride is a multiple of the one below, and at least the room of the digit below. Every chain has
tiles. The tiles of TPUs come first, and then the digits are peeled off from the major end.

>>> layout = parse("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
>>> print(from_layout(layout, dtype="f32"))
f32[3,5]{1,0:T(2,2)}

An unknown size makes a dynamic dim: ``<=N`` if it has a bound and no stride depends on it, otherwise
``?``. Strides and sizes are then compared for every value of the unknowns.

>>> M, K = sym("M", max=100), sym("K")
>>> print(from_layout(Layout((M, K), (K, 1))), from_layout(Layout((K, M), (M, 1))))
f32[<=100,?]{1,0} f32[?,?]{1,0}

Source: our own theorem and construction; every tile chain gives such digits and the reverse.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ..errors import DivisibilityError, LayoutError, UnsupportedError
from ..ground import plural
from ..numbers import known_eq
from .candidates import Request, candidates, has_unknowns, is_verified
from .chain import (
    check_multiples,
    gives_room,
    in_order,
    is_chain,
    layout_digits,
    least_room,
    room_of,
    spaced,
)
from .dynamic import read_layout
from .peel import first_out_of_order, tilings
from .rules import INT64
from .shape import XlaShape

if TYPE_CHECKING:
    from ..ground import ElementType
    from ..layouts import AnyLayout
    from ..numbers import IntLike
    from .chain import Digit
    from .dynamic import Reading


def from_layout(
    layout: AnyLayout, dtype: str | ElementType = "f32", size: IntLike | None = None
) -> XlaShape:
    """Return an XLA shape with ``physical_offset(shape, index) == layout(*index)`` for all valid
    indices.

    >>> print(from_layout(parse("(3,5):(128,1)"), dtype="f32", size=1024))
    f32[3,5]{1,0:T(8,128)}
    >>> print(from_layout(parse("((2,(M+1)//2),4):((1,8),2):(M,4)")))
    f32[?,4]{1,0:T(2,1)}

    There is one for every chain of digits. If the digits do not overlap but are no chain, tiles with
    ``*`` make one:

    >>> print(from_layout(parse("(3,8,9):(75,1,8)")))
    f32[3,8,9]{1,2,0:T(*,75)}

    The answer has no tiles if none are needed. Otherwise it has the tiles of a TPU if they fit, or the
    fewest tiles that the construction finds. A check confirms that it has the layout's digits and size.

    A dim of unknown size must be a single symbol, such as ``M``. It becomes ``<=N`` if it is at most N,
    by its range or by its mode, and no stride depends on it. Otherwise it becomes ``?``. XLA has no more
    facts of it: a least size, a divisor and the name are lost. So two dims may no longer be one unknown.

    Args:
        layout: One top-level mode for each dim; its origin shape gives the dims.
        dtype: The element type, by XLA's name.
        size: The elements of memory of the shape; by default the least possible that holds the layout's
            cosize. If tiles on a chain do not have this size, ``L(size)`` rounds up to it. That moves no
            element, and XLA's own buffer size counts an ``L`` only after tiles.

    Raises:
        LayoutError: a stride is 0 or negative; or the size is less than the room of the digits, or does
            not fit 64 bits.
        OverlapError: two elements lie at one offset; or two digits interleave: no tiles without ``*``
            do that, and whether tiles with ``*`` do is not decided.
        DivisibilityError: ints are unknown, and a stride, or the size, is no multiple of the stride
            below. Whether tiles with ``*`` do that is not decided.
        UndecidedError: one of these depends on the value of an unknown.
        UnsupportedError: a dim is an expression of unknowns, an unknown is no dim, or a tile would have
            to be symbolic.
    """
    reading = read_layout(layout, size)
    with reading.assumed():
        return _shape_of(reading, dtype)


def _shape_of(reading: Reading, dtype: str | ElementType) -> XlaShape:
    """The shape of a reading."""
    given, dims, room = reading.given, reading.dims, reading.room
    if any(known_eq(n, 0) is True for n in dims):
        if room is not None and known_eq(room, 0) is not True:
            raise LayoutError(f"the empty layout {given} takes no memory, not {room} elements")
        return XlaShape(dtype, reading.written)
    digits = layout_digits(reading.layout, dims)
    request, alignment = _request_of(reading, in_order(digits, given))
    for tiling in candidates(request, dtype):
        try:
            shape = XlaShape(dtype, reading.written, tiling.order[::-1], tiling.tiles, alignment)
        except LayoutError as error:
            raise LayoutError(f"XLA has no shape for {given}: {error.summary}", layout=given) from None
        if is_verified(shape, digits, dims, request.size if room is None else room):
            return shape
    raise _no_tiles(request, given)


def _request_of(reading: Reading, digits: list[Digit]) -> tuple[Request, int]:
    """The request for tiles, and the ``L`` that rounds its size up to the caller's."""
    given, room, alignment = reading.given, reading.room, 1
    unknown = has_unknowns(digits, *reading.dims, room)
    if unknown:
        check_multiples(digits, given)
    least: int = least_room(digits, reading.layout.cosize if room is None else 0)
    size = least if room is None else room
    elements = prod(reading.dims)
    if not unknown and size < room_of(digits):
        if size < elements:
            summary = (
                f"{given} has {plural(elements, 'element')}, and cannot take {size} elements in memory"
            )
            raise LayoutError(summary, layout=given, size=size)
        raise LayoutError(
            f"{given} cannot take {size} elements in memory without '*'",
            f"Its {elements} elements take {room_of(digits)} there."
            " Whether tiles with '*' give the size is not decided.",
            layout=given,
            size=size,
        )
    if not gives_room(digits, size):
        if unknown:
            raise DivisibilityError(
                f"{given} cannot take {size} elements in memory without '*' and L",
                f"The size must be a multiple of {digits[0].stride}, at least {room_of(digits)}.",
                layout=given,
                size=size,
            )
        if is_chain(digits):
            size, alignment = least, size
    if not unknown and max(size, alignment) > INT64:
        raise LayoutError(
            f"XLA has no shape for {given} in {max(size, alignment)} elements:"
            " their number does not fit in 64 bits",
            layout=given,
            size=size,
        )
    return Request(digits, reading.dims, size), alignment


def _no_tiles(request: Request, given: AnyLayout) -> UnsupportedError:
    """The error of a chain without tiles of ints, because one of its ints is symbolic."""
    chain = spaced(request.digits, request.size, len(request.dims))
    pair = first_out_of_order(chain)
    if pair is not None:
        lower, higher = pair
        return UnsupportedError(
            f"no XLA shape of {given} is found",
            f"In dim {lower.dim} the greater part of the index, {lower.size}:{lower.stride},"
            f" lies inside the smaller one, {higher.size}:{higher.stride}.",
            "Tiles for it would have symbolic entries. Bind the unknowns to numbers.",
            layout=given,
        )
    entry = next(filter(None, (t.unknown_entry for t in tilings(chain, request.dims))), None)
    return UnsupportedError(
        f"{given} has no XLA shape: a tile would have the entry {entry}",
        "Tiles of XLA are made of ints: an unknown size can only be counted in tiles.",
        layout=given,
    )
