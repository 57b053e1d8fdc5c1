# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of one coordinate, and the way back from an offset.

>>> zN = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
>>> print(explain_coordinate(zN, (1, 5)).sentences[-1])
(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..algebra import preimage
from ..errors import UndecidedError
from ..figures import ends_of, tile_colour
from ..ground import NO_COLOUR, Place, Steps, Strip
from ..layouts import Layout, as_layout, crd2idx, flatten_to_tuple, idx2crd, leaves, product, text_of
from ..numbers import is_open, is_tuple, known_int, leaf
from .painting import digits_of, has_picture, paint_layout, sizes_of
from .sentences import factor, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..ground import AnyFigure, Cell, Scheme
    from ..layouts import AnyLayout
    from ..numbers import IntLike

_AROUND: Final = 16
"""The number of places of memory in the picture of one."""

_MOST_NAMES: Final = 16
"""The most coordinates of one offset in the text."""


def explain_coordinate(layout: AnyLayout, *coord: Any) -> Steps:
    """Return the steps from a coordinate to its offset: the sum of its digits times their strides.

    >>> print(*explain_coordinate(Layout(((4, 2), 3), ((1, 12), 4)), 6, 1).sentences, sep="\\n")
    Mode 0, (4,2): 6 = 2 + 1*4, so (2,1).
    (6,1) -> ((2,1),1) -> 2*1 + 1*12 + 1*4 = 18

    Args:
        coord: The arguments of a call of the layout: an index, one number for each mode, or nested
            digits.

    Raises:
        CoordinateError: the layout has no such coordinate.
    """
    as_layout(layout)
    at: Any = coord[0] if len(coord) == 1 else coord
    offset = layout(at)
    digits: Any = idx2crd(at, layout.shape)
    rows = [
        (str(i), number(c), str(n), str(d), number(c * d))
        for i, (c, n, d) in enumerate(
            zip(*(flatten_to_tuple(x) for x in (digits, layout.shape, layout.stride)), strict=True)
        )
    ]
    notes: list[str] = []
    if not layout.is_valid(at):
        notes.append("padding: it lies outside the origin shape")
    pictures = _pictures(layout, [digits], offset)
    if not pictures:
        notes.append("no picture: not all of it is a number")
    return Steps(
        f"{layout} at {text_of(at)}",
        tuple(notes),
        ("leaf", "digit", "of", "stride", "adds"),
        tuple(rows),
        (),
        f"offset {number(offset)}",
        (*_splits(layout, at, digits), _chain(layout, at, digits, offset)),
        pictures,
    )


def _chain(layout: AnyLayout, at: Any, digits: Any, offset: Any) -> str:
    """``(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37``."""
    terms = [
        f"{factor(c)}*{factor(d)}" for c, d in zip(leaves(digits), leaves(layout.stride), strict=True)
    ]
    way = [text_of(at)] if text_of(at) == text_of(digits) else [text_of(at), text_of(digits)]
    return f"{' -> '.join([*way, ' + '.join(terms) or '0'])} = {number(offset)}"


def _splits(layout: AnyLayout, at: Any, digits: Any) -> Iterator[str]:
    """The sentences that split an index, of a mode or of the whole layout, into digits."""
    shape = layout.shape
    if not is_tuple(shape):
        return
    if not is_tuple(at):
        sizes = [product(mode) for mode in shape]
        indices = tuple([crd2idx(c, s) for c, s in zip(digits, shape, strict=True)])
        if len(sizes) > 1:
            yield f"Index {number(at)} = {_sum(indices, sizes)}, so {text_of(indices)} of the modes."
        at = indices
    for i, (c, s, d) in enumerate(zip(at, shape, digits, strict=True)):
        if is_tuple(s) and not is_tuple(c):
            sizes = [product(mode) for mode in s]
            parts = [crd2idx(x, n) for x, n in zip(d, s, strict=True)]
            so = text_of(d)
            yield f"Mode {i}, {text_of(s)}: {number(c)} = {_sum(parts, sizes)}, so {so}."


def _sum(digits: Sequence[Any], sizes: Sequence[Any]) -> str:
    """``2 + 1*4``: digits times the number of coordinates below each."""
    terms: list[str] = []
    below: Any = 1
    for c, n in zip(digits, sizes, strict=True):
        terms.append(f"{factor(c)}*{factor(below)}" if terms else number(c))
        below = below * n
    return " + ".join(terms) or "0"


def explain_offset(layout: AnyLayout, offset: IntLike) -> Steps:
    """Return all coordinates with an offset, none, one or many, with the arithmetic of each.

    >>> print(*explain_offset(Layout((2, 3), (1, 1)), 2).sentences, sep="\\n")
    (1,1) -> 1*1 + 1*1 = 2
    (0,2) -> 0*1 + 2*1 = 2
    >>> explain_offset(Layout((2, 2), (1, 3)), 2).result
    'no coordinate: a hole'

    Raises:
        UnsupportedError: the layout or the offset depends on unknowns.
        UndecidedError: the search takes too many steps, because many modes have interleaved strides.
    """
    as_layout(layout)
    at = leaf(offset)
    coords = list(islice(preimage(layout, at), _MOST_NAMES + 1))
    place = known_int(at)
    low, high = ends_of(layout)
    if not coords:
        inside = low <= place <= high
        result = "no coordinate: a hole" if inside else f"no coordinate: it reaches {low} to {high}"
        result = result if layout.size else "no coordinate: the layout is empty"
    elif len(coords) == 1:
        result = f"coordinate {text_of(_by_mode(coords[0], layout.shape))}"
    else:
        hits = len(coords) if len(coords) <= _MOST_NAMES else _hits(layout, place)
        result = f"{f'more than {_MOST_NAMES}' if hits is None else hits} coordinates"
    coords = coords[:_MOST_NAMES]
    return Steps(
        f"{layout} at offset {place}",
        (),
        ("coordinate", "digits", "holds data"),
        tuple(
            [
                (text_of(_by_mode(c, layout.shape)), text_of(c), "yes" if layout.is_valid(c) else "no")
                for c in coords
            ]
        ),
        (),
        result,
        tuple([_chain(layout, _by_mode(c, layout.shape), c, place) for c in coords]),
        _pictures(layout, coords, place),
    )


def _by_mode(coord: Any, shape: Any) -> Any:
    """The index of each mode, for a coordinate of digits."""
    if not is_tuple(shape):
        return coord
    return tuple([crd2idx(c, s) for c, s in zip(coord, shape, strict=True)])


# --- pictures ---------------------------------------------------------------------------------


def _pictures(layout: AnyLayout, coords: list[Any], offset: Any) -> tuple[AnyFigure, ...]:
    """The grid with marks at the coordinates, and memory with a mark at the place."""
    if not has_picture(layout) or is_open(offset):
        return ()
    indices = {known_int(crd2idx(c, layout.shape)) for c in coords}
    sizes = sizes_of(layout)
    shape = layout.shape if is_tuple(layout.shape) else (layout.shape,)
    firsts = [max(1, known_int((*flatten_to_tuple(mode), 1)[0])) for mode in shape]
    is_nested = any(n > f for n, f in zip(sizes[-2:], firsts[-2:], strict=True))

    def colour(k: int) -> int:
        at = [c // f for c, f in zip(digits_of(k, sizes), firsts, strict=True)]
        row, column = [0, 0, *at][-2:]
        return tile_colour(row, column) if is_nested else NO_COLOUR

    def paint(k: int, cell: Cell) -> Cell:
        return cell._replace(colour=colour(k), is_marked=k in indices)

    scheme: Scheme = "tile" if is_nested else ""
    around = min(indices, default=0)
    strip = memory_around(layout, known_int(offset), colour)
    grid = paint_layout(layout, paint, scheme=scheme, slices=1, around=around)
    return (grid, *([] if strip is None else [strip]))


def memory_around(
    layout: AnyLayout, offset: int, colour: Callable[[int], int] | None = None
) -> Strip | None:
    """Return the places around an offset, which has a mark; None if a place has too many coordinates."""
    low, high = ends_of(layout)
    low, high = min(low, offset), max(high, offset)
    first = max(low, min(offset - _AROUND // 2, high + 1 - _AROUND))
    places: list[Place] = []
    for x in range(first, min(high + 1, first + _AROUND)):
        hits = _hits(layout, x)
        if hits is None:
            return None
        coords = list(islice(preimage(layout, x), _MOST_COUNTED if layout.is_padded else 4))
        names = tuple([text_of(c) for c in coords[:4]])
        valid = not coords or any(layout.is_valid(c) for c in coords)
        paint = NO_COLOUR
        if colour is not None and coords:
            paint = colour(known_int(crd2idx(coords[0], layout.shape)))
        places.append(Place(x, names, hits, valid, paint, x == offset))
    title = "in memory" if first == low and len(places) > high - low else f"in memory, around {offset}"
    return Strip(title, first, first + len(places), tuple(places), "tile" if colour else "")


_MOST_COUNTED: Final = 2000
"""The most coordinates of one place that are counted, without modes of stride 0."""


def _hits(layout: AnyLayout, offset: int) -> int | None:
    """The number of coordinates with an offset; None if there are too many to count."""
    moving: list[tuple[int, int]] = []
    still = 1
    for n, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True):
        if known_int(d):
            moving.append((known_int(n), known_int(d)))
        else:
            still *= known_int(n)
    if not moving:
        return still if offset == 0 else 0
    sizes, strides = zip(*moving, strict=True)
    try:
        count = sum(1 for _c in islice(preimage(Layout(sizes, strides), offset), _MOST_COUNTED))
    except UndecidedError:
        return None
    return None if count == _MOST_COUNTED else still * count
