# SPDX-License-Identifier: Apache-2.0
"""The index of a layout at each coordinate of a composition, division or product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import algebra
from ..algebra import free, is_left_alone, modes_of, preimage, row, tiler_layout
from ..figures import tile_colour
from ..layouts import Layout, crd2idx, ends_of, flatten_to_tuple, idx2crd, product, trusted
from ..numbers import is_tuple, known_int
from .painting import counting

if TYPE_CHECKING:
    from ..layouts import AnyLayout


def reach(layout: AnyLayout) -> int:
    """Return one more than the greatest offset; 0 if there is no coordinate."""
    return 1 + ends_of(layout)[1]


def extend_to(layout: AnyLayout, tiler: Any, is_divided: bool) -> AnyLayout:
    """Return a layout with the last leaf of each mode as long as its tiler needs.

    >>> print(extend_to(parse("10:1"), 4, True), extend_to(parse("(4,3):(3,1)"), (8, 2), False))
    12:1 (8,3):(3,1)
    """
    if is_tuple(tiler):
        modes = [extend_to(m, t, is_divided) for m, t in zip(modes_of(layout), tiler)]  # noqa: B905
        modes += modes_of(layout)[len(modes) :]
        every = row(modes) if is_tuple(layout.shape) else modes[0]
        return layout if (every.shape, every.stride) == (layout.shape, layout.stride) else every
    if is_left_alone(tiler):
        return layout
    by = tiler_layout(tiler)
    size = reach(row((by, free(by, layout.size))) if is_divided else by)
    if size <= known_int(layout.size):
        return layout
    sizes = [known_int(n) for n in flatten_to_tuple(layout.shape)]
    if not sizes:
        return layout
    below = 1
    for n in sizes[:-1]:
        below *= n
    return trusted(_with_last(layout.shape, -(-size // below)), layout.stride)


def _with_last(shape: Any, size: int) -> Any:
    """A shape with a new size of its last leaf."""
    if not is_tuple(shape):
        return size
    if is_tuple(shape[-1]) and not flatten_to_tuple(shape[-1]):
        return (*_with_last(shape[:-1], size), shape[-1])
    return (*shape[:-1], _with_last(shape[-1], size))


def is_inside(index: int, whole: AnyLayout, layout: AnyLayout) -> bool:
    """Whether an index of an extended layout lies in the layout itself, and holds data."""
    at: Any = idx2crd(index, whole.shape)
    pairs = zip(flatten_to_tuple(at), flatten_to_tuple(layout.shape), strict=True)
    return all(c < n for c, n in pairs) and layout.is_valid(at)


class Tiles:
    """The tiles of a division, by the indices of the layout."""

    def __init__(self, layout: AnyLayout, tiler: Any) -> None:
        self.layout: AnyLayout = layout
        self.tiler: Any = tiler
        self.whole: AnyLayout = extend_to(layout, tiler, True)
        self._zipped = algebra.zipped_divide(counting(self.whole), tiler)
        tile, rest = modes_of(self._zipped)
        self.tile_size: int = known_int(tile.size)
        self.count: int = known_int(rest.size)
        self._first = _first_size(rest)

    def number(self, index: int) -> int | None:
        """Return the number of the tile of an index; None if it is in no tile."""
        for at in preimage(self._zipped, index):
            return known_int(crd2idx(at[1], self._zipped.shape[1]))
        return None

    def colour(self, index: int) -> int:
        """Return the colour of the tile of an index; -1 if it is in no tile."""
        number = self.number(index)
        return -1 if number is None else tile_colour(number % self._first, number // self._first)

    def indices(self, operation: str) -> AnyLayout:
        """Return the layout that maps a coordinate of a division to its index."""
        return getattr(algebra, operation)(counting(self.whole), self.tiler)  # type: ignore[no-any-return]


def _first_size(layout: AnyLayout) -> int:
    """The number of coordinates in the first column."""
    shape = layout.shape
    while is_tuple(shape) and len(shape) == 1:
        shape = shape[0]
    first = product(shape[0]) if is_tuple(shape) and shape else layout.size
    return max(1, known_int(first))


class Copies:
    """The copies of a product, by the coordinates of the result."""

    def __init__(self, operation: str, block: AnyLayout, tiler: Any) -> None:
        still = Layout(block.shape, _zeros(block.shape))
        labels, count, first = _labels(tiler)
        self.count: int = count
        self._first: int = first
        self._labels: AnyLayout = getattr(algebra, operation)(still, labels)

    def number(self, index: int) -> int:
        """Return the number of the copy of an index of the result."""
        return known_int(self._labels(index))

    def colour(self, index: int) -> int:
        """Return the colour of the copy of an index of the result."""
        return self.colour_of(self.number(index))

    def colour_of(self, number: int) -> int:
        """Return the colour of a copy by its number."""
        return tile_colour(number % self._first, number // self._first)


def _zeros(shape: Any) -> Any:
    return tuple(map(_zeros, shape)) if is_tuple(shape) else 0


def _labels(tiler: Any) -> tuple[Any, int, int]:
    """A tiler whose offsets number its coordinates, their count, and the count of its first mode."""
    firsts: list[int] = []
    count = 1

    def one(part: Any) -> Any:
        nonlocal count
        if is_tuple(part):
            return tuple(map(one, part))
        if is_left_alone(part):
            return part
        by = tiler_layout(part)
        if not firsts:
            firsts.append(_first_size(by) if not is_tuple(tiler) else known_int(by.size))
        step, count = count, count * known_int(by.size)
        return Layout(by.shape, _scale(counting(by).stride, step))

    labels = one(tiler)
    return labels, count, max(1, firsts[0]) if firsts else 1


def _scale(stride: Any, by: int) -> Any:
    return tuple([_scale(d, by) for d in stride]) if is_tuple(stride) else stride * by
