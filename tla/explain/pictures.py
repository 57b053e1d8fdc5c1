# SPDX-License-Identifier: Apache-2.0
"""Operations as pictures: the arguments and the result, where an element has one colour."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..algebra import is_left_alone, row, tiler_layout, tiler_text
from ..figures import tile_colour
from ..ground import NO_COLOUR, Panels
from ..layouts import is_layout, leaves, text_of
from ..numbers import is_tuple, known_int
from .painting import (
    as_vector,
    cells_of,
    counting,
    has_picture,
    paint_layout,
    paint_strip,
    place_colour,
    same_profile,
    sizes_of,
)
from .tiles import Copies, Tiles, extend_to, is_inside, reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..ground import AnyFigure, Cell, Figure
    from ..layouts import AnyLayout
    from .derivation import Derivation
    from .painting import Paint

_FEW = 4096
"""The most elements whose colours are all computed; of more only those in the figure."""


def pictures_of(derivation: Derivation) -> tuple[AnyFigure, ...]:
    """Return the pictures of an operation; none if an int is unknown, or if there is no element."""
    what = derivation.operation.rpartition("_")[2]
    count = 2 if what in ("composition", "divide", "product") else 1
    arguments = derivation.arguments[:count]
    layouts = [*_layouts(arguments), derivation.result]
    if not has_picture(*layouts) or not is_layout(derivation.arguments[0]):
        return ()
    return tuple(_PICTURES[what](derivation))


def unknowns_of(derivation: Derivation) -> list[str]:
    """Return the names of the unknowns in an operation."""
    every = [*_layouts(derivation.arguments), derivation.result]
    return sorted({s.name for x in every if is_layout(x) for s in x.symbols})


def _layouts(x: Any) -> Iterator[AnyLayout]:
    """The layouts in the arguments of an operation."""
    if is_tuple(x):
        for part in x:
            yield from _layouts(part)
    elif is_layout(x):
        yield x
    elif isinstance(x, int):
        yield tiler_layout(x)


# --- composition ------------------------------------------------------------------------------


def _composition(derivation: Derivation) -> Iterator[AnyFigure]:
    a, b = derivation.arguments[:2]
    if is_left_alone(b):
        return
    whole = extend_to(a, b, False)
    indices, sides = _right_side(whole, b)
    colours: dict[int, int] = {}
    for k in range(indices.size) if indices.size <= _FEW else cells_of(indices):
        colours.setdefault(known_int(indices(k)), place_colour(indices, k))
    title = f"A = {a}" if whole is a else f"A = {a}, which goes on as {whole}"
    after = paint_layout(
        same_profile(derivation.result, indices),
        lambda k, cell: _element(cell, known_int(indices(k)), colours),
        f"A o B = {derivation.result}",
    )
    before = paint_layout(
        whole,
        lambda x, cell: _element(cell, x, colours)._replace(valid=is_inside(x, whole, a)),
        title,
        data=a,
    )
    beside = paint_layout(
        indices,
        lambda _k, cell: _element(cell, cell.offset, colours)._replace(text=sides(cell.offset)),
        f"B = {tiler_text(b)}",
    )
    yield Panels(
        "", (before, beside, after), ("o", "="), "at i, A o B has the element of A whose index is B(i)"
    )


def _element(cell: Cell, element: int, colours: Mapping[int, int]) -> Cell:
    """A cell of one element, in the colour of the element."""
    return cell._replace(colour=colours.get(element, NO_COLOUR), elements=(element,))


def _right_side(whole: AnyLayout, b: Any) -> tuple[AnyLayout, Callable[[int], str | None]]:
    """The indices of A at the coordinates of B, and the function that gives the text of a cell."""
    if not is_tuple(b):
        return tiler_layout(b), lambda _x: None
    from ..algebra import composition

    return composition(counting(whole), b), lambda x: text_of(_by_mode(whole, x))


def _by_mode(layout: AnyLayout, index: int) -> Any:
    """The index of each mode, for an index of the whole layout."""
    at: list[int] = []
    for n in sizes_of(layout)[:-1]:
        index, c = divmod(index, n)
        at.append(c)
    return (*at, index)


def _in_colours(whole: AnyLayout, layout: AnyLayout, colour: Callable[[int], int]) -> Paint:
    """The paint of an extended layout: the colour of an index, and padding in the extension."""
    return lambda x, cell: cell._replace(colour=colour(x), valid=is_inside(x, whole, layout))


# --- divide, product --------------------------------------------------------------------------


def tiled_figure(tiles: Tiles, title: str = "") -> Figure:
    """Return the figure of a layout with a colour for each tile."""
    paint = _in_colours(tiles.whole, tiles.layout, tiles.colour)
    return paint_layout(tiles.whole, paint, title or str(tiles.layout), "tile", data=tiles.layout)


def divided_figure(tiles: Tiles, operation: str, result: AnyLayout, title: str = "") -> Figure:
    """Return the figure of a division with the colours of the tiles."""
    indices = tiles.indices(operation)

    def paint(k: int, cell: Cell) -> Cell:
        x = known_int(indices(k))
        return cell._replace(colour=tiles.colour(x), valid=is_inside(x, tiles.whole, tiles.layout))

    figure = paint_layout(result, paint, title or str(result), "tile")
    if tiles.whole is tiles.layout:
        return figure
    return figure._replace(valid_size=known_int(tiles.layout.valid_size) * _repeats(indices))


def _repeats(layout: AnyLayout) -> int:
    """The number of coordinates of a division for each of its indices; broadcast modes repeat them."""
    pairs = zip(leaves(layout.shape), leaves(layout.stride), strict=True)
    return prod(known_int(n) for n, d in pairs if known_int(d) == 0)


def _divide(derivation: Derivation) -> Iterator[AnyFigure]:
    operation, (layout, tiler, *_), result = derivation[:3]
    if is_left_alone(tiler):
        return
    tiles = Tiles(layout, tiler)
    note = "the same tiles in both"
    if tiles.whole is not layout:
        note += "; tiles reach past the end into padding, where the layout goes on"
    yield Panels("", (tiled_figure(tiles), divided_figure(tiles, operation, result)), ("=",), note)


def _product(derivation: Derivation) -> Iterator[AnyFigure]:
    operation, (block, tiler, *_), whole = derivation[:3]
    if is_left_alone(tiler):
        return
    copies = Copies(operation, block, tiler)
    result = paint_layout(whole, lambda k, cell: cell._replace(colour=copies.colour(k)), "", "tile")
    first = paint_layout(block, lambda _k, cell: cell._replace(colour=0), f"block {block}", "tile")
    if is_tuple(tiler):
        yield Panels("", (first, result), ("=",), "the same copies of the block in each")
    else:
        over = tiler_layout(tiler)
        each = paint_layout(
            over,
            lambda k, cell: cell._replace(colour=copies.colour_of(k), elements=()),
            f"copies {over}",
            "tile",
        )
        yield Panels("", (first, each, result), ("x", "="), "the same copies of the block in each")
    yield paint_strip(whole, copies.colour, f"in memory: {whole}")


# --- coalesce, complement, inverses -----------------------------------------------------------


def _coalesce(derivation: Derivation) -> Iterator[AnyFigure]:
    layout, result = derivation.arguments[0], derivation.result

    def paint(k: int, cell: Cell) -> Cell:
        return cell._replace(colour=place_colour(layout, k), elements=(k,))

    yield Panels(
        "",
        (paint_layout(layout, paint), paint_layout(result, paint)),
        ("=",),
        "an index has the same offset in both",
    )


def _complement(derivation: Derivation) -> Iterator[AnyFigure]:
    layout, rest = derivation.arguments[0], derivation.result
    both = row((layout, rest))
    size = known_int(layout.size)
    end = reach(both)
    if len(derivation.arguments) > 1 and not is_tuple(derivation.arguments[1]):
        end = max(end, known_int(derivation.arguments[1]))

    def copy(k: int) -> int:
        return tile_colour(k, 0)

    yield paint_strip(layout, lambda _k: 0, f"{layout}", end)
    yield paint_strip(rest, copy, f"its complement {rest}: where each copy begins", end)
    title = f"together, one colour for each copy: {both}"
    yield paint_strip(both, lambda k: copy(k // size), title, end)


def _inverse(derivation: Derivation) -> Iterator[AnyFigure]:
    layout, inverse = derivation.arguments[0], derivation.result

    def there(x: int, cell: Cell) -> Cell:
        k = cell.offset
        is_one = 0 <= k < layout.size and layout(k) == x
        return pair(cell, k if is_one else None)

    def here(k: int, cell: Cell) -> Cell:
        x = cell.offset
        is_one = 0 <= x < inverse.size and inverse(x) == k
        return pair(cell, k if is_one else None)

    def pair(cell: Cell, index: int | None) -> Cell:
        if index is None:
            return cell._replace(elements=())
        return cell._replace(colour=place_colour(layout, index), elements=(index,))

    name = "right" if derivation.operation == "right_inverse" else "left"
    yield Panels(
        "",
        (
            paint_layout(layout, here, f"{layout}: offset at each index"),
            paint_layout(as_vector(inverse), there, f"{name} inverse {inverse}: index at each offset"),
        ),
        ("<->",),
        "an index and its offset change places",
    )


_PICTURES: dict[str, Callable[[Derivation], Iterator[AnyFigure]]] = {
    "coalesce": _coalesce,
    "complement": _complement,
    "composition": _composition,
    "divide": _divide,
    "inverse": _inverse,
    "product": _product,
}
