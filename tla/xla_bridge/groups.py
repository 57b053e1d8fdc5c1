# SPDX-License-Identifier: Apache-2.0
"""The layout over combined coordinates, for shapes in which a dim has no mode of its own.

Tiles may cut across dims merged by ``*``, or cut a part of a dim unevenly. Then there is no layout with
one mode for each dim. There is always one over other coordinates: those of the axes after the first
tiles, some of them merged as by ``*``.

>>> combined = combined_layout(parse_shape("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"))
>>> print(combined)
((_2,_56),(_3,_37)):((_3,_222),(_1,_6)):(_112,_110) over dims (0,1,2) and (3,4)
>>> combined.coordinates((1, 6, 7, 10, 9)), combined((1, 6, 7, 10, 9))
((111, 109), 12430)

Source: tiled_layout.md of XLA, "Combining dimensions using tiling".
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UndecidedError
from ..layouts import AnyLayout, Layout
from ..numbers import Int, IntLike
from .digits import mode_of
from .functions import TiledFunction
from .tiling import array_shape, index_of, row_major

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .digits import Digits
    from .rules import Tile
    from .shape import AnyShape, XlaShape


class CombinedLayout(NamedTuple):
    """A layout over groups of the axes after the first tiles of a shape.

    >>> combined = combined_layout(parse_shape("f32[2,4,5]{2,1,0:T(*,*,3)}"))
    >>> print(combined.layout)
    (_40):(_1)
    >>> combined.groups, combined.coordinates((1, 2, 3)), combined((1, 2, 3))
    (((0, 1, 2),), (33,), 33)

    Attributes:
        shape: The shape of the array.
        tiles: The number of tiles that made the axes; 0 if they are the dims.
        groups: The numbers of the axes of each group, major first. Axes count from the most major one.
            Without tiles they are the dims in their order in memory.
        extents: The sizes of the axes of each group.
        layout: One mode for each group: the offset at the row-major indices of the groups.
    """

    shape: XlaShape
    tiles: int
    groups: tuple[tuple[int, ...], ...]
    extents: tuple[tuple[int, ...], ...]
    layout: AnyLayout

    @property
    def dims(self) -> tuple[tuple[int, ...], ...] | None:
        """The dims of each group, major first; None if tiles have made other axes."""
        if self.tiles:
            return None
        order = self.shape.major_to_minor
        return tuple(tuple(order[i] for i in group) for group in self.groups)

    def coordinates(self, index: Sequence[IntLike]) -> tuple[int, ...]:
        """Return the row-major index of an element in each group.

        Raises:
            CoordinateError: the index is not an element of the shape.
        """
        at = function_of(self.shape).coordinates(index_of(self.shape, index), self.tiles)
        return tuple(
            row_major([at[i] for i in group], extents)
            for group, extents in zip(self.groups, self.extents, strict=True)
        )

    def __call__(self, index: Sequence[IntLike]) -> int:
        """Return the offset of an element: ``physical_offset(shape, index)``."""
        return int(self.layout(*self.coordinates(index)))

    def __str__(self) -> str:
        groups = self.groups if self.dims is None else self.dims
        names = ["({})".format(",".join(map(str, group))) for group in groups]
        listed = ", ".join(names[:-1]) + " and " * (len(names) > 1) + "".join(names[-1:])
        if self.dims is not None:
            return f"{self.layout} over dims {listed}" if names else f"{self.layout}, a scalar"
        made = "the first tile makes" if self.tiles == 1 else f"the first {self.tiles} tiles make"
        return f"{self.layout} over axes {listed} of those that {made}"


def combined_layout(shape: AnyShape) -> CombinedLayout:
    """Return a layout over combined coordinates: ``combined(index) == physical_offset(shape, index)``.

    >>> combined = combined_layout(parse_shape("f32[3,5]{1,0:T(3,4)(2,3)}"))
    >>> combined.tiles, combined.groups, combined.extents
    (1, ((0,), (1,), (2,), (3,)), ((1,), (2,), (3,), (4,)))
    >>> print(combined.layout)
    (_1,_2,(_2,_2),(_3,_2)):(_0,_24,(_3,_12),(_1,_6)):(_1,_2,_3,_4)

    It is the layout after the fewest tiles. Before the first tile it is over the dims, where those that
    the first tile merges are one group.

    Raises:
        UndecidedError: a dim is of unknown size.
        UnsupportedError: the shape is a tuple, a token or opaque.
    """
    shape = array_shape(shape)
    if shape.is_unbounded_dynamic:
        raise UndecidedError(
            f"the combined coordinates of {shape} depend on its unknown size",
            "Give the shape with a number for each '?'.",
            shape=shape,
        )
    return combined_of(shape, function_of(shape))


def function_of(shape: XlaShape, sizes: Sequence[int] | None = None) -> TiledFunction:
    """Return the offset of a shape of known sizes as a function; an empty array has no tiles."""
    dims = tuple(map(int, shape.dimensions if sizes is None else sizes))
    return _function(dims, shape.major_to_minor, shape.tiles if all(dims) else ())


@lru_cache(maxsize=256)
def _function(
    dims: tuple[int, ...], major_to_minor: tuple[int, ...], tiles: tuple[Tile, ...]
) -> TiledFunction:
    return TiledFunction(dims, major_to_minor, tiles)


def combined_of(shape: XlaShape, function: TiledFunction) -> CombinedLayout:
    """Return the layout over combined coordinates of a shape, from its function."""
    found = function.combined
    layout = layout_of_digits(found.digits, tuple(map(Int, found.reaches)))
    return CombinedLayout(shape, found.tiles, found.groups, found.extents, layout)


def layout_of_digits(modes: Sequence[Digits], origin: Sequence[IntLike]) -> AnyLayout:
    """Return the layout that has these digits for modes; all of them static."""
    parts = list(map(mode_of, modes))
    return Layout(tuple(s for s, _d in parts), tuple(d for _s, d in parts), tuple(origin))
