# SPDX-License-Identifier: Apache-2.0
"""The steps of a tiling in sentences with their numbers, and as pictures."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import UndecidedError, UnsupportedError
from ..explain import digits_of, has_picture, memory_around, number, paint_layout, paint_strip, sizes_of
from ..figures import tile_colour
from ..ground import Steps
from ..layouts import crd2idx
from ..numbers import SymbolicInt, known_eq, known_int
from .rules import COMBINE
from .to_layout import to_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ground import AnyFigure, Cell
    from ..layouts import AnyLayout
    from .rules import Tile
    from .shape import XlaShape
    from .steps import TilingExplanation, TilingStep


def steps_figure(found: TilingExplanation, pictures: bool = True) -> Steps:
    """Return the figure of `TilingExplanation.figure`."""
    columns = ["tile", "step", "dims"]
    result, title = f"{found.elements} elements", f"tiling {found.shape}"
    if found.element is not None:
        element = _tuple(found.element)
        columns.append(f"{element} is at")
        title += f" {element}"
        result = f"offset {found.offset} of {result}"
    return Steps(
        title,
        (),
        tuple(columns),
        tuple(_rows(found.steps)),
        (),
        result,
        tuple(sentences_of(found)),
        tuple(pictures_of(found)) if pictures else (),
    )


def _rows(steps: Sequence[TilingStep]) -> Iterator[tuple[str, ...]]:
    before: Tile | None = None
    for step in steps:
        by = f" {_tuple(step.argument)}" if step.action == "transpose" else ""
        name = "" if step.tile is None or step.tile is before else _tuple(step.tile)
        before = step.tile
        at = () if step.coordinate is None else (_tuple(step.coordinate),)
        yield name, step.action + by, _tuple(step.dimensions), *at


def sentences_of(found: TilingExplanation) -> Iterator[str]:
    """Yield one sentence for each step, with the way of the caller's element."""
    dims: Sequence[Any] = found.shape.dimensions
    at: Sequence[Any] | None = found.element
    after = [*found.steps[1:], None]
    for step, following in zip(found.steps, after, strict=True):
        merges = following is not None and following.action == "pad" and step.tile is not None
        sentence = _sentence(step, dims, merges)
        if at is not None and step.coordinate is not None and found.element is not None:
            sentence += f" {_tuple(found.element)} is at {_way(step, dims, at, merges)}."
        yield sentence
        dims, at = step.dimensions, step.coordinate


def _sentence(step: TilingStep, dims: Sequence[Any], merges: bool) -> str:
    now = _tuple(step.dimensions)
    if step.tile is None:
        if step.action == "transpose":
            order = _tuple(step.argument)
            if not dims:
                return "A scalar has no dims to put in order."
            return f"In memory the dims stand in the order {order}, the last runs fastest: sizes {now}."
        if step.action == "pad":
            more = f"from {_number(prod(dims))} to {_number(step.dimensions[0])} elements"
            return f"The end is padded {more}."
        if not dims:
            return "Memory is 1 element."
        count = " * ".join(map(_number, dims))
        end = "" if len(dims) == 1 else f" = {_number(prod(dims))}"
        return f"Read row by row this is memory: {count}{end} elements."
    tile = _tuple(["*" if t == COMBINE else t for t in step.tile])
    if step.action == "pad":
        return f"Tile {tile}: {_padding(step, dims, now)}"
    if step.action == "transpose":
        inside = step.dimensions[len(step.dimensions) - _sizes(step) :]
        size = " * ".join(map(_number, inside))
        size += f" = {_number(prod(inside))}" if len(inside) > 1 else ""
        return (
            f"The numbers of the tiles go in front, the places inside behind: sizes {now}. So tiles of"
            f" {size} elements lie one after the other."
        )
    if merges:
        what = "* merges axes" if len(step.dimensions) < len(dims) else "axes of size 1 are added"
        return f"Tile {tile}: {what}, {_tuple(dims)} becomes {now}."
    first = len(dims) - _sizes(step)
    parts = zip(dims[first:], step.dimensions[first::2], step.dimensions[first + 1 :: 2], strict=True)
    split = " and ".join(f"{_number(d)} = {_number(n)} * {_number(t)}" for d, n, t in parts)
    return f"Each axis under the tile splits into tiles and places inside, {split}: sizes {now}."


def _padding(step: TilingStep, dims: Sequence[Any], now: str) -> str:
    if all(known_eq(a, b) is True for a, b in zip(dims, step.dimensions, strict=True)):
        return f"sizes {now} are whole tiles, nothing is padded."
    whole, data = prod(step.dimensions), prod(dims)
    return (
        f"sizes {_tuple(dims)} are padded to whole tiles, {now}: {_number(whole)} - {_number(data)} ="
        f" {_number(whole - data)} more elements."
    )


def _way(step: TilingStep, dims: Sequence[Any], at: Sequence[Any], merges: bool) -> str:
    """The sentence of the element's place after a step, with its arithmetic."""
    assert step.coordinate is not None
    here = _tuple(step.coordinate)
    if step.action != "reshape":
        return here
    if step.tile is None:
        weights = [prod(dims[i + 1 :]) for i in range(len(dims))]
        terms = [f"{_number(c)}*{_number(w)}" for c, w in zip(at, weights, strict=True)]
        return f"{' + '.join(terms)} = {_number(step.coordinate[0])}" if terms else "0"
    if merges:
        return here
    first = len(dims) - _sizes(step)
    parts = zip(at[first:], step.coordinate[first::2], step.coordinate[first + 1 :: 2], strict=True)
    sizes = step.dimensions[first + 1 :: 2]
    split = " and ".join(
        f"{_number(x)} = {_number(n)}*{_number(t)} + {_number(c)}"
        for (x, n, c), t in zip(parts, sizes, strict=True)
    )
    return f"{here}, as {split}"


def _sizes(step: TilingStep) -> int:
    """The number of axes of a tile."""
    assert step.tile is not None
    return len([t for t in step.tile if t != COMBINE])


def _tuple(items: Sequence[object]) -> str:
    return f"({','.join(map(str, items))})"


def _number(x: Any) -> str:
    text = number(x)
    return text if text.isalnum() or not isinstance(x, SymbolicInt) else f"({text})"


# --- pictures ---------------------------------------------------------------------------------


def pictures_of(found: TilingExplanation) -> Iterator[AnyFigure]:
    """Yield the offsets with a colour for each tile, and memory; nothing if a size is unknown."""
    try:
        layout = to_layout(found.shape).trimmed()
    except (UnsupportedError, UndecidedError):
        return
    if not has_picture(layout):
        return
    tiles = _tile_sizes(found.shape)
    sizes = sizes_of(layout)
    index = None if found.element is None else _index(layout, found.element)

    def colour(k: int) -> int:
        numbers = [c // t for c, t in zip(digits_of(k, sizes), tiles, strict=True)]
        row, column = [0, 0, *numbers][-2:]
        return tile_colour(row, column)

    def paint(k: int, cell: Cell) -> Cell:
        return cell._replace(colour=colour(k), is_marked=k == index)

    yield paint_layout(layout, paint, f"{found.shape} = {layout}", "tile", around=index)
    offset = found.offset
    strip = None if offset is None else memory_around(layout, known_int(offset), colour)
    whole = paint_strip(layout, colour, "in memory", known_int(found.elements))
    yield whole if strip is None else strip


def _tile_sizes(shape: XlaShape) -> list[int]:
    """The elements of each dim in one tile of the first level; 1 for a dim without a tile."""
    sizes = [1] * len(shape.dimensions)
    tile = shape.tiles[0] if shape.tiles else ()
    order = shape.major_to_minor
    for dim, t in zip(order[::-1], tile[::-1], strict=False):
        if t == COMBINE:
            break
        sizes[dim] = max(1, known_int(t))
    return sizes


def _index(layout: AnyLayout, element: Sequence[Any]) -> int:
    return known_int(crd2idx(tuple(element), layout.shape))
