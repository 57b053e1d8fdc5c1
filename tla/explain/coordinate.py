# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of one coordinate, and the way back from an offset.

>>> zN = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
>>> print(explain_coordinate(zN, (1, 5)).sentences[-1])
(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..algebra import gives_coordinates, preimage
from ..errors import UndecidedError
from ..figures import tile_colour
from ..ground import NO_COLOUR, Place, Steps, Strip
from ..layouts import (
    Layout,
    as_layout,
    crd2idx,
    ends_of,
    flatten_to_tuple,
    idx2crd,
    is_composed,
    is_swizzle,
    leaves,
    of_coordinates,
    product,
    text_of,
)
from ..numbers import Basis, is_open, is_tuple, known_eq, known_int, leaf
from .painting import digits_of, has_picture, paint_layout, sizes_of
from .sentences import factor, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..ground import AnyFigure, Cell, Scheme
    from ..layouts import AnyLayout, ComposedLayout, Swizzle
    from ..numbers import IntTuple

_AROUND: Final = 16
"""The number of places of memory in the picture of one."""

_MOST_NAMES: Final = 16
"""The most coordinates of one offset in the text."""


def explain_coordinate(layout: AnyLayout | ComposedLayout, *coord: Any) -> Steps:
    """Return the steps from a coordinate to its offset: the sum of its digits times their strides.

    >>> print(*explain_coordinate(Layout(((4, 2), 3), ((1, 12), 4)), 6, 1).sentences, sep="\\n")
    Mode 0, (4,2): 6 = 2 + 1*4, so (2,1).
    (6,1) -> ((2,1),1) -> 2*1 + 1*12 + 1*4 = 18

    Behind a swizzle come the bits that it reads, those that it writes, and their xor.

    >>> swizzled = composition(Swizzle(2, 0, 3), Layout((8, 8), (8, 1)))
    >>> print(*explain_coordinate(swizzled, 2, 5).sentences, sep="\\n")
    (2,5) -> 2*8 + 5*1 = 21
    Sw<2,0,3> reads bits 3 to 4 of 21, which are 10, and writes the xor with bits 0 to 1: 10 ^ 01 = 11.
    So 0b10101 becomes 0b10111 = 23.

    Args:
        coord: The arguments of a call of the layout: an index, one number for each mode, or nested
            digits.

    Raises:
        CoordinateError: the layout has no such coordinate.
    """
    if is_composed(layout):
        return _explain_seen(layout, coord[0] if len(coord) == 1 else coord)
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
    is_place = not gives_coordinates(layout)
    pictures = _pictures(layout, [digits], offset) if is_place else ()
    if not pictures:
        why = "not all of it is a number" if is_place else "its values are coordinates"
        notes.append(f"no picture: {why}")
    return Steps(
        f"{layout} at {text_of(at)}",
        tuple(notes),
        ("leaf", "digit", "of", "stride", "adds"),
        tuple(rows),
        (),
        f"{'offset' if is_place else 'coordinate'} {number(offset)}",
        (*_splits(layout, at, digits), _chain(layout, at, digits, offset)),
        pictures,
    )


def _explain_seen(layout: ComposedLayout, at: Any) -> Steps:
    """`explain_coordinate` of a layout behind functions: the steps of each."""
    value, steps = _from_inside(layout, at)
    pictures = _pictures_seen(layout, at, value)
    return Steps(
        f"{layout} at {text_of(at)}",
        () if pictures else ("no picture: not all of it is a number",),
        ("step", "offset", "bits"),
        tuple([(step, number(x), "" if is_open(x) else bin(known_int(x))[2:]) for step, x, _s in steps]),
        (),
        f"offset {number(value)}",
        tuple([sentence for _step, _x, sentences in steps for sentence in sentences]),
        pictures,
    )


def _from_inside(layout: Any, at: Any) -> tuple[Any, list[tuple[str, Any, list[str]]]]:
    """The offset of a coordinate, and what each function behind another gives, with its sentences."""
    if not is_composed(layout):
        offset = layout(at)
        explained = explain_coordinate(layout, at)
        return offset, [(f"{layout}", offset, list(explained.sentences))]
    inner, steps = _from_inside(layout.inner, at)
    x = layout.offset + inner
    if known_eq(layout.offset, 0) is not True:
        added = f"{factor(inner)} + {factor(layout.offset)} = {number(x)} with the offset."
        steps.append((f"+ {number(layout.offset)}", x, [added]))
    value, outer = layout.through(inner), layout.outer
    if is_swizzle(outer) and not is_open(x):
        said = [*_bits_moved(outer, known_int(x), known_int(value))]
    else:
        said = [f"{outer} takes {number(x)} to {number(value)}."]
    return value, [*steps, (str(outer), value, said)]


def _bits_moved(swizzle: Swizzle, x: int, value: int) -> Iterator[str]:
    """The sentences of a swizzle: what it reads and writes, and what that makes of an offset."""
    count = int(swizzle.bits)
    if not count:
        yield f"{swizzle} moves nothing."
        return
    high, low = (int(swizzle.base) + max(0, i * int(swizzle.shift)) for i in (1, -1))
    read, beside, moved = (
        f"{(y >> i) % (1 << count):0{count}b}" for y, i in ((x, high), (x, low), (value, low))
    )
    of, to = (f"bit {i}" if count == 1 else f"bits {i} to {i + count - 1}" for i in (high, low))
    are = "is" if count == 1 else "are"
    yield (
        f"{swizzle} reads {of} of {x}, which {are} {read}, and writes the xor with {to}:"
        f" {read} ^ {beside} = {moved}."
    )
    width = max(x, value).bit_length() or 1
    yield f"So 0b{x:0{width}b} becomes 0b{value:0{width}b} = {value}."


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


def explain_offset(layout: AnyLayout | ComposedLayout, offset: IntTuple | Basis) -> Steps:
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
    seen: Any = of_coordinates(layout)
    return _explain_offset(seen, offset)


def _explain_offset(layout: Any, offset: Any) -> Steps:
    coords = list(islice(preimage(layout, offset), _MOST_NAMES + 1))
    is_seen = bool(is_composed(layout))
    is_plain = not is_seen and not gives_coordinates(layout)
    place: Any = known_int(leaf(offset)) if is_plain or is_seen else offset
    if not coords:
        low, high = ends_of(layout) if is_plain else (0, -1)
        result = f"no coordinate: it reaches {low} to {high}" if is_plain else "no coordinate"
        result = "no coordinate: a hole" if is_plain and low <= place <= high else result
        result = result if layout.size else "no coordinate: the layout is empty"
    elif len(coords) == 1:
        result = f"coordinate {text_of(_by_mode(coords[0], layout.shape))}"
    else:
        many = len(coords) > _MOST_NAMES
        hits = len(coords) if not many else _hits(layout, place) if is_plain else None
        result = f"{f'more than {_MOST_NAMES}' if hits is None else hits} coordinates"
    coords = coords[:_MOST_NAMES]
    return Steps(
        f"{layout} at {f'offset {place}' if is_plain else text_of(place)}",
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
        tuple([_chain(layout, _by_mode(c, layout.shape), c, place) for c in coords])
        if not is_seen
        else explain_coordinate(layout, coords[0]).sentences
        if coords
        else (),
        _pictures(layout, coords, place) if is_plain else (),
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


def _pictures_seen(layout: ComposedLayout, at: Any, value: Any) -> tuple[AnyFigure, ...]:
    """The grid of offsets behind functions, with a mark."""
    inmost: Any = layout
    while is_composed(inmost):
        inmost = inmost.inner
    if is_open(value) or layout.symbols or not has_picture(inmost):
        return ()
    index = known_int(crd2idx(at, layout.shape))

    def paint(k: int, cell: Cell) -> Cell:
        return cell._replace(offset=known_int(layout(k)), is_marked=k == index)

    return (paint_layout(inmost, paint, str(layout), "", slices=1, around=index),)


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
