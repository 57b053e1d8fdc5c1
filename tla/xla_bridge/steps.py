# SPDX-License-Identifier: Apache-2.0
"""Tiles as pad, reshape and transpose: the other definition of XLA's document, step by step.

>>> found = tiling_steps(parse_shape("f32[3,5]{1,0:T(2,2)}"), (2, 3))
>>> for step in found.steps:
...     print(step.tile, step.action, step.argument, step.dimensions, step.coordinate)
None transpose (0, 1) (3, 5) (2, 3)
(2, 2) pad (4, 6) (4, 6) (2, 3)
(2, 2) reshape (2, 2, 3, 2) (2, 2, 3, 2) (1, 0, 1, 1)
(2, 2) transpose (0, 2, 1, 3) (2, 3, 2, 2) (1, 1, 0, 1)
None reshape (24,) (24,) (17,)

On an array these steps, numpy's ``transpose``, ``pad`` at the end of each axis and ``reshape``, produce
its memory. The coordinate after the last step is the offset.

Source: tiled_layout.md of XLA, "Tiling as pad-reshape-transpose".
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..ground import drawn_by, figure_of, html_of
from ..numbers import ceil_div, known_eq, round_up
from .tiling import array_shape, cut_by, index_of, row_major

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ground import Steps
    from ..numbers import IntLike
    from .rules import Tile
    from .shape import AnyShape, XlaShape


class TilingStep(NamedTuple):
    """One step, with the sizes and the coordinate after it.

    >>> tiling_steps(parse_shape("f32[3]{0:T(2)}"), (2,)).steps[1]
    TilingStep(action='pad', argument=(4,), dimensions=(4,), tile=(2,), coordinate=(2,))
    """

    action: Literal["transpose", "pad", "reshape"]
    argument: tuple[int, ...]
    """The new order of the axes for a transpose, the new sizes for a pad or reshape."""
    dimensions: tuple[int, ...]
    """The sizes of the axes after it, major first."""
    tile: Tile | None
    """The tile of the step; None for the first steps and the last."""
    coordinate: tuple[int, ...] | None
    """The coordinate of the caller's element after it; None without one."""


@drawn_by("tla.xla_bridge.step_words", "steps_figure")
class TilingExplanation(NamedTuple):
    """The steps from the array of a shape to its memory."""

    shape: XlaShape
    element: tuple[int, ...] | None
    """The index of the caller's element, or None."""
    steps: tuple[TilingStep, ...]

    @property
    def elements(self) -> int:
        """The number of elements in memory, all padding included."""
        return self.steps[-1].dimensions[0]

    @property
    def offset(self) -> int | None:
        """The offset of the caller's element, or None."""
        at = self.steps[-1].coordinate
        return None if at is None else at[0]

    def figure(self, pictures: bool = True) -> Steps:
        """Return the steps as a table of texts, as sentences, and as pictures of the array and memory.

        >>> print(tiling_steps(parse_shape("f32[3,5]{1,0:T(2,2)}")).figure().sentences[-1])
        Read row by row this is memory: 2 * 3 * 2 * 2 = 24 elements.

        Args:
            pictures: Whether to draw too. There is no picture if a size is unknown, or if the shape has
                no nested layout.
        """
        found: Steps = figure_of(self, pictures=pictures)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self.figure())


def tiling_steps(shape: AnyShape, index: Sequence[IntLike] | None = None) -> TilingExplanation:
    """Return the steps from an array to its memory, and the way of one element through them.

    The first step puts the dims in their order in memory. Then each tile pads, reshapes and transposes.
    Before that a ``*`` reshapes two axes into one, and a tile with more entries than axes adds axes of
    size 1. At the end there is one axis, which ``L`` may pad.

    >>> print(tiling_steps(parse_shape("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}")).steps[1].argument)
    (112, 110)

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UnsupportedError: the shape is no array.
    """
    array = array_shape(shape)
    at = None if index is None else index_of(array, index)
    walk = _Walk(array.dimensions, at)
    walk.transpose(array.major_to_minor)
    for tile in array.tiles:
        walk.under(tile)
    size = prod(walk.dims)
    walk.reshape((size,), (row_major(walk.at, walk.dims),))
    padded = round_up(size, array.tail_padding_alignment_in_elements)
    if known_eq(padded, size) is not True:
        walk.pad((padded,))
    return TilingExplanation(array, at, tuple(walk.steps))


class _Walk:
    """An array between two steps: its sizes, a coordinate, and the steps so far."""

    def __init__(self, dims: Sequence[int], at: Sequence[int] | None) -> None:
        self.dims = tuple(dims)
        self.at = (0,) * len(self.dims) if at is None else tuple(at)
        self._follows = at is not None
        self._tile: Tile | None = None
        self.steps: list[TilingStep] = []

    def under(self, tile: Tile) -> None:
        """Add the steps of one tile."""
        self._tile = tile
        sizes = self._prepare(tile)
        first = len(self.dims) - len(sizes)  # the axes before it stay as they are
        pairs = list(zip(self.dims[first:], sizes, strict=True))
        self.pad((*self.dims[:first], *(round_up(d, t) for d, t in pairs)))
        self.reshape(
            (*self.dims[:first], *(n for d, t in pairs for n in (ceil_div(d, t), t))),
            (
                *self.at[:first],
                *(n for x, t in zip(self.at[first:], sizes, strict=True) for n in (x // t, x % t)),
            ),
        )
        split = range(first, len(self.dims))
        self.transpose((*range(first), *split[::2], *split[1::2]))
        self._tile = None

    def _prepare(self, tile: Tile) -> tuple[int, ...]:
        """Add the reshape after which the tile has one axis for each size, with new or merged axes."""
        missing, kept, groups, sizes = cut_by(tile, list(zip(self.at, self.dims, strict=True)), (0, 1))
        merged = (prod(d for _x, d in group) for group in groups)
        places = (row_major(*zip(*group, strict=True)) for group in groups)
        if missing or len(sizes) < len(tile):
            self.reshape((*self.dims[:kept], *merged), (*self.at[:kept], *places))
        return sizes

    def transpose(self, order: Sequence[int]) -> None:
        self.dims = tuple(self.dims[p] for p in order)
        self.at = tuple(self.at[p] for p in order)
        self._note("transpose", tuple(order))

    def pad(self, dims: tuple[int, ...]) -> None:
        self.dims = dims
        self._note("pad", dims)

    def reshape(self, dims: tuple[int, ...], at: tuple[int, ...]) -> None:
        self.dims, self.at = dims, at
        self._note("reshape", dims)

    def _note(self, action: Literal["transpose", "pad", "reshape"], argument: tuple[int, ...]) -> None:
        at = self.at if self._follows else None
        self.steps.append(TilingStep(action, argument, self.dims, self._tile, at))
