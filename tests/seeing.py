"""What the tests of pictures read off them."""

from __future__ import annotations

import re
from itertools import islice, product as cartesian
from typing import TYPE_CHECKING, Any

from tla import Layout
from tla.ground.figure import Cell, Figure, Panels, Steps, Strip
from tla.layouts.int_tuple import flatten_to_tuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tla.layouts.layout import AnyLayout

_TERM = r"\(?-?\d+\)?"
_EQUATION = re.compile(rf"({_TERM}(?:\s?(?://|[*/+-])\s?{_TERM})+) = (-?\d+)")


def equations(sentence: str) -> int:
    """Check every equation of numbers in a sentence, and return how many there are."""
    found = 0
    for left, right in _EQUATION.findall(sentence):
        assert eval(left) == int(right), (left, right, sentence)
        found += 1
    return found


def all_steps(steps: Steps) -> Iterator[Steps]:
    """Steps and all those that they are made of."""
    yield steps
    for part in steps.parts:
        yield from all_steps(part)


def sizes(layout: AnyLayout) -> list[int]:
    """The sizes of the modes at the top."""
    modes = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    return [int(Layout(mode).size) for mode in modes]


def cells(figure: Any, layout: AnyLayout, slices: int = 2) -> dict[int, Cell]:
    """The cells that a figure of a layout shows, by index."""
    assert isinstance(figure, Figure)
    extents = sizes(layout)
    found: dict[int, Cell] = {}
    outer = islice(cartesian(*(range(min(n, slices)) for n in extents[:-2])), slices)
    for grid, at in zip(figure.grids, outer, strict=True):
        for i, row in enumerate(grid.cells):
            for j, cell in enumerate(row):
                place = [*at, *([i, j] if grid.row_axis is not None else [j] if extents else [])]
                index, below = 0, 1
                for c, n in zip(place, extents, strict=True):
                    index, below = index + c * below, below * n
                assert index not in found
                found[index] = cell
    return found


def marked(figure: Any) -> list[int]:
    """The offsets of the cells, or places, that are marked."""
    if isinstance(figure, Strip):
        return [place.offset for place in figure.places if place.is_marked]
    assert isinstance(figure, Figure)
    return [c.offset for grid in figure.grids for row in grid.cells for c in row if c.is_marked]


def panels(picture: Any) -> tuple[Any, ...]:
    """The figures side by side of a picture."""
    assert isinstance(picture, Panels)
    assert len(picture.signs) in (0, len(picture.figures) - 1)
    return picture.figures


def offsets(layout: AnyLayout) -> list[int]:
    """The offset of each index, by digits."""
    found: list[int] = []
    modes = list(
        zip(
            map(int, flatten_to_tuple(layout.shape)),
            map(int, flatten_to_tuple(layout.stride)),
            strict=True,
        )
    )
    for index in range(int(layout.size)):
        total = 0
        for n, d in modes:
            index, digit = divmod(index, n)
            total += digit * d
        found.append(total)
    return found


def check_strip(strip: Any, layout: AnyLayout) -> None:
    """Each place of memory has as many coordinates as lead there, and the first of them by name."""
    assert isinstance(strip, Strip)
    every = offsets(layout)
    for place in strip.places:
        assert place.hits == every.count(place.offset)
        assert len(place.coordinates) == min(place.hits, 4)
