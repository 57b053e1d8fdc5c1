# SPDX-License-Identifier: Apache-2.0
"""Why an operation fails, as a picture: its arguments, with marks at the coordinates that cause it.

>>> try:
...     composition(Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3)))
... except DivisibilityError as error:
...     panels = explain_error(error)
>>> [[cell.offset for row in f.grids[0].cells for cell in row if cell.is_marked] for f in panels.figures]
[[8], [7]]
>>> panels.note
'at (2,1) B is 7, and A(7) = 8; a layout would give 7'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..algebra import collision
from ..errors import (
    CoordinateError,
    DivisibilityError,
    LayoutError,
    OverlapError,
    TlaError,
    UndecidedError,
)
from ..ground import NO_COLOUR, Panels
from ..layouts import crd2idx, ends_of, flatten_to_tuple, is_layout, leaves, product, text_of
from ..numbers import SymbolicInt, is_tuple, known_int
from .coordinate import memory_around
from .first_tile import in_tiles
from .painting import COLUMNS, PLACES, ROWS, has_picture, paint_layout, paint_strip, place_colour
from .tiles import Tiles, extend_to, is_inside

if TYPE_CHECKING:
    from ..ground import Cell, Strip
    from ..layouts import AnyLayout


def explain_error(error: TlaError) -> Panels | None:
    """Return a picture of the arguments of an operation, with marks at the cells that cause its error.

    >>> try:
    ...     composition(parse("(4,4):(16,1)"), parse("6:1"))
    ... except TlaError as error:
    ...     print(explain_error(error).note)
    at 4 B is 4, and A(4) = 1; a layout would give 64

    There is a picture of a composition, division, tile, complement or left inverse that does not exist,
    if its arguments are numbers. For other errors the result is None.
    """
    data = error.data
    for has, draw in _KINDS:
        if has(error, data):
            picture = draw(data)
            if picture is not None:
                return picture
    return None


# --- composition ------------------------------------------------------------------------------


def _is_composition(error: TlaError, data: dict[str, Any]) -> bool:
    kinds = (DivisibilityError, CoordinateError)
    return isinstance(error, kinds) and has_picture(data.get("a"), data.get("b")) and "coord" in data


def _composition(data: dict[str, Any]) -> Panels | None:
    a, b, at = data["a"], data["b"], data["coord"]
    k = known_int(crd2idx(at, b.shape))
    index = known_int(b(at))
    whole = extend_to(a, b, False) if "layout_value" in data else a
    note = f"at {text_of(at)} B is {index}, "
    if "layout_value" in data:
        value, linear = (known_int(data[name]) for name in ("value", "layout_value"))
        note += f"and A({index}) = {value}; a layout would give {linear}"
    else:
        ends = f"0 to {known_int(a.size) - 1}"
        note += f"and A has the indices {ends}"
    colours: dict[int, int] = {}
    for i in range(min(known_int(b.size), ROWS * COLUMNS)):
        colours.setdefault(known_int(b(i)), place_colour(b, i))

    def of_a(x: int, cell: Cell) -> Cell:
        return cell._replace(
            colour=colours.get(x, NO_COLOUR),
            valid=is_inside(x, whole, a),
            is_marked=x == index,
            elements=(x,),
        )

    def of_b(i: int, cell: Cell) -> Cell:
        x = cell.offset
        return cell._replace(colour=colours.get(x, NO_COLOUR), is_marked=i == k, elements=(x,))

    title = f"A = {a}" if whole is a else f"A = {a}, which goes on as {whole}"
    figures = (
        paint_layout(whole, of_a, title, around=index if 0 <= index < whole.size else None, data=a),
        paint_layout(b, of_b, f"B = {b}", around=k),
    )
    return Panels("", figures, ("o",), note)


# --- tiles ------------------------------------------------------------------------------------


def _is_division(error: TlaError, data: dict[str, Any]) -> bool:
    return isinstance(error, DivisibilityError) and has_picture(data.get("layout"), data.get("tiler"))


def _division(data: dict[str, Any]) -> Panels | None:
    """The tiles, with marks at the coordinates past the end and at those in no tile."""
    layout, tiler = data["layout"], data["tiler"]
    try:
        tiles = Tiles(layout, tiler)
    except TlaError:
        return None
    marks = 0

    def paint(x: int, cell: Cell) -> Cell:
        nonlocal marks
        valid = is_inside(x, tiles.whole, layout)
        number = tiles.number(x)
        is_marked = not valid or number is None
        marks += is_marked
        return cell._replace(colour=tiles.colour(x), valid=valid, is_marked=is_marked)

    figure = paint_layout(tiles.whole, paint, f"{layout} by {tiler}", "tile", data=layout)
    size, count = known_int(layout.size), tiles.count * tiles.tile_size
    note = f"{tiles.count} tiles of {tiles.tile_size} take {count}, the layout has {size}"
    if marks:
        note += "; marked: what is past the end, or in no tile"
    return Panels("", (figure,), (), note)


def _is_tile(error: TlaError, data: dict[str, Any]) -> bool:
    return isinstance(error, DivisibilityError) and has_picture(data.get("layout")) and "tile" in data


def _tile(data: dict[str, Any]) -> Panels | None:
    """The first tile, with marks at the blocks that its end cuts."""
    layout, tile = data["layout"], data["tile"]
    is_nested = is_tuple(layout.shape)
    shape = layout.shape if is_nested else (layout.shape,)
    extents = tile if is_nested else (tile,)
    if any(isinstance(t, SymbolicInt) or known_int(t) < 1 for t in extents):
        return None
    cuts = [_cut_block(s, known_int(t)) for s, t in zip(shape, extents, strict=True)]
    notes: list[str] = []
    first = 0
    weight = 1
    for i, (s, t, cut) in enumerate(zip(shape, extents, cuts, strict=True)):
        if cut:
            where = f"{cut[0]} to {cut[-1]}" if len(cut) > 1 else f"{cut[0]}"
            notes.append(f"tiles of {known_int(t)} do not fit mode {i}, {text_of(s)}, at {where}")
            first += cut[0] * weight
        elif known_int(t) > known_int(product(s)):
            notes.append(f"a tile of {known_int(t)} is longer than mode {i}, {text_of(s)}")
        weight *= known_int(product(s))
    title = f"{layout} in tiles of {text_of(tile)}"

    def is_cut(at: list[int]) -> bool:
        return any(c in cut for c, cut in zip(at, cuts, strict=True))

    figure = in_tiles(layout, tile, is_cut, title, first if any(cuts) else None)
    return Panels("", (figure,), (), "; ".join(notes))


def _cut_block(shape: Any, extent: int) -> range:
    """The coordinates of the block of a mode that a tile cuts, or of the rest after the last tile."""
    size = known_int(product(shape))
    if not 0 < extent <= size:
        return range(0)
    block, rest = 1, extent  # the coordinates below the leaf, and the number of such blocks in the tile
    for n in map(known_int, flatten_to_tuple(shape)):
        if rest % n == 0:
            block, rest = block * n, rest // n
        elif n % rest == 0:
            return range(0)
        elif rest < n:
            return range(block * (n // rest * rest), block * n)
        else:
            first = (extent - 1) // (block * n) * (block * n)
            return range(first, min(size, first + block * n))
    return range(0)


# --- memory -----------------------------------------------------------------------------------


def _is_of_memory(error: TlaError, data: dict[str, Any]) -> bool:
    of = data.get("layout")
    kinds = (OverlapError, DivisibilityError)
    if not has_picture(of):
        return False
    if isinstance(error, kinds) and "modes" in data:
        return True
    negative = is_layout(of) and any(known_int(d) < 0 for d in leaves(of.stride))
    return isinstance(error, LayoutError) and negative


def _of_memory(data: dict[str, Any]) -> Panels | None:
    """Memory, with a mark at the place of two coordinates, or at the begin of the next mode."""
    layout: AnyLayout = data["layout"]
    if "modes" not in data:
        return _backwards(layout)
    (s, d), (t, e) = (tuple(map(known_int, mode)) for mode in data["modes"])
    try:
        twice = collision(layout)
    except UndecidedError:
        twice = None
    if twice is not None:
        place = known_int(layout(twice[0]))
        names = " and ".join(text_of(c) for c in twice)
        strip = _with_marks(layout, {place})
        return Panels("", (strip,), (), f"{names} lie at one offset, {place}")
    if e < s * d:
        note = f"{s}:{d} reaches up to {s * d}, and {t}:{e} begins inside, at {e}"
    else:
        note = f"{t}:{e} begins at {e}, which {d}, the stride of {s}:{d}, does not divide"
    return Panels("", (_with_marks(layout, {e}),), (), note)


def _backwards(layout: AnyLayout) -> Panels:
    low = ends_of(layout)[0]
    strip = _with_marks(layout, set(range(low, min(0, low + PLACES))))
    return Panels("", (strip,), (), f"offsets from {low} to -1 lie below 0")


def _with_marks(layout: AnyLayout, offsets: set[int]) -> Strip:
    """Memory with marks at some places."""
    low = ends_of(layout)[0]
    if len(offsets) == 1 and min(offsets) >= low + PLACES:
        around = memory_around(layout, min(offsets))
        if around is not None:
            return around
    return paint_strip(
        layout, lambda k: place_colour(layout, k), is_marked=lambda offset: offset in offsets
    )


_KINDS: Final = (
    (_is_composition, _composition),
    (_is_tile, _tile),
    (_is_division, _division),
    (_is_of_memory, _of_memory),
)
