# SPDX-License-Identifier: Apache-2.0
"""Naive truths: facts of layouts, counted one by one from the definition, for comparison in tests.

They share no code with the functions that they check. They are simple to read, and slow.

>>> naive_offsets(Layout((2, 3), (3, 1)))
[0, 3, 1, 4, 2, 5]
"""

from __future__ import annotations

from math import prod
from typing import Any

from ..errors import CoordinateError, LayoutError
from ..layouts import AnyLayout, Layout, flatten_to_tuple, text_of
from ..numbers import is_tuple, known_int, leaf, limit_nesting


@limit_nesting
def naive_size(shape: Any) -> int:
    """Return the number of coordinates of a shape: the product of its ints.

    >>> naive_size(((4, 2), 3))
    24
    """
    return prod(naive_size(s) for s in shape) if is_tuple(shape) else known_int(leaf(shape))


def naive_coords(shape: Any) -> list[Any]:
    """Return every coordinate congruent to a shape, in colexicographic order: the first mode is fastest.

    >>> naive_coords((2, (1, 2)))
    [(0, (0, 0)), (1, (0, 0)), (0, (0, 1)), (1, (0, 1))]
    """
    if naive_size(shape) == 0:
        return []
    if naive_size(shape) > 1 << 16:
        raise LayoutError("a shape of more than 2**16 coordinates is not gone through one by one")
    if not is_tuple(shape):
        return list(range(known_int(leaf(shape))))
    out: list[Any] = [()]
    for s in shape:
        out = [(*front, c) for c in naive_coords(s) for front in out]
    return out


def naive_offset(layout: AnyLayout, coord: Any) -> int:
    """Return the offset of a coordinate: the sum over the leaves of coordinate times stride.

    An int over several modes is a number in the list of all coordinates.

    >>> naive_offset(Layout(((4, 2), (4, 3)), ((4, 16), (1, 32))), (1, 5))
    37

    Raises:
        CoordinateError: the coordinate lies outside the shape.
    """
    return _offset(coord, layout.shape, layout.stride)


def _offset(coord: Any, shape: Any, stride: Any) -> int:
    if is_tuple(coord):
        if not is_tuple(shape) or len(shape) != len(coord):
            raise CoordinateError(f"{text_of(coord)} is no coordinate of {text_of(shape)}")
        return sum(_offset(c, s, d) for c, s, d in zip(coord, shape, stride, strict=True))
    if not 0 <= leaf(coord) < naive_size(shape):
        raise CoordinateError(f"{text_of(coord)} is no coordinate of {text_of(shape)}")
    if is_tuple(shape):
        return _offset(naive_coords(shape)[coord], shape, stride)
    return int(coord) * int(stride)


def naive_offsets(layout: AnyLayout) -> list[int]:
    """Return the offsets of all coordinates, in colexicographic order.

    >>> naive_offsets(Layout((2, 3), (3, 1)))
    [0, 3, 1, 4, 2, 5]
    """
    return [naive_offset(layout, c) for c in naive_coords(layout.shape)]


def naive_table(layout: AnyLayout) -> Any:
    """Return the offsets as nested lists shaped like the top-level modes: ``table[i][j]`` at (i, j).

    >>> naive_table(Layout((2, (2, 2)), (1, (10, 100))))
    [[0, 10, 100, 110], [1, 11, 101, 111]]
    """
    if not is_tuple(layout.shape):
        return [naive_offset(layout, i) for i in naive_coords(layout.shape)]
    sizes = [naive_size(s) for s in layout.shape]

    def rows(at: tuple[int, ...]) -> Any:
        if len(at) == len(sizes):
            return naive_offset(layout, at)
        return [rows((*at, i)) for i in range(sizes[len(at)])]

    return rows(())


def naive_extended(layout: AnyLayout, index: int) -> int:
    """Return the offset at a 1-D index of any size: the law of ``layout.extended``.

    The index counts in colexicographic order. The quotient after the other modes is the index of the
    last mode, down to the last leaf, which has no end.

    >>> [naive_extended(Layout((2, 3), (10, 1)), i) for i in range(8)]
    [0, 10, 1, 11, 2, 12, 3, 13]

    Raises:
        CoordinateError: the index is negative, a mode before the last is empty, or no leaf can grow.
    """
    if index < 0 or _size_of_front(layout.shape) == 0:
        raise CoordinateError(f"{index} is no coordinate of {layout.shape}, extended or not")
    return _extended(index, layout.shape, layout.stride)


def _size_of_front(shape: Any) -> int:
    """The number of coordinates without the last leaf."""
    if not is_tuple(shape) or not shape:
        return 1
    return naive_size(shape[:-1]) * _size_of_front(shape[-1])


def _extended(index: int, shape: Any, stride: Any) -> int:
    if not is_tuple(shape):
        return index * int(stride)
    if not shape:
        if index:
            raise CoordinateError(f"{index} is no coordinate of (), which has no leaf to grow")
        return 0
    total = 0
    for s, d in zip(shape[:-1], stride[:-1], strict=True):
        index, inside = divmod(index, naive_size(s))
        total += _extended(inside, s, d)
    return total + _extended(index, shape[-1], stride[-1])


def naive_refines(shape: Any, coarse: Any) -> bool:
    """Whether a shape is another one in which some ints are replaced by tuples of the same size.

    >>> naive_refines(((2, 2), (3,)), (4, 3)), naive_refines((4, 3), 12), naive_refines(4, (4,))
    (True, True, False)
    """
    if not is_tuple(coarse):
        return naive_size(shape) == known_int(leaf(coarse))
    if not is_tuple(shape) or len(shape) != len(coarse):
        return False
    return all(naive_refines(s, c) for s, c in zip(shape, coarse, strict=True))


def naive_composition(a: AnyLayout, b: AnyLayout) -> list[int] | None:
    """Return the table of ``a.extended(b(c))`` over the coordinates of ``b``, if a layout has it.

    It is None if no layout has that function with a shape that refines the shape of ``b``. Such a layout
    is a sum over the leaves of ``b``, and on each leaf a sum over the digits of a mixed radix. Both sums
    are compared at every coordinate.

    >>> naive_composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
    [0, 24, 2, 26, 8, 32, 10, 34, 16, 40, 18, 42]
    >>> naive_composition(Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3))) is None
    True

    Raises:
        LayoutError: ``b`` has a negative offset.
        CoordinateError: ``a`` has no offset at an offset of ``b``.
    """
    images = naive_offsets(b)
    if min(images, default=0) < 0:
        raise LayoutError(f"{b} has the negative offset {min(images)}")
    table = [naive_extended(a, i) for i in images]
    coords: list[tuple[int, ...]] = [flatten_to_tuple(c) for c in naive_coords(b.shape)]
    axes: list[list[int]] = [[] for _leaf in flatten_to_tuple(b.shape)]
    for coord, offset in zip(coords, table, strict=True):
        for k, axis in enumerate(axes):
            if coord[k] == sum(coord):  # all others are 0
                axis.append(offset)
    for coord, offset in zip(coords, table, strict=True):
        if offset != sum(axis[c] for axis, c in zip(axes, coord, strict=True)):
            return None
    return table if all(map(_is_mixed_radix, axes)) else None


def _is_mixed_radix(table: list[int]) -> bool:
    """Whether some flat layout has this table: some first extent fits, and then the rest."""
    size = len(table)
    if size <= 1:
        return not any(table)
    return any(
        all(table[i] == i * table[1] for i in range(m))
        and all(table[i] == table[i - i % m] + table[i % m] for i in range(size))
        and _is_mixed_radix(table[::m])
        for m in range(2, size + 1)
        if size % m == 0
    )


def naive_is_injective(layout: AnyLayout) -> bool:
    """Whether no two coordinates have the same offset.

    >>> naive_is_injective(Layout((3, 2), (2, 3))), naive_is_injective(Layout((3, 2), (1, 2)))
    (True, False)
    """
    offsets = naive_offsets(layout)
    return len(set(offsets)) == len(offsets)


def _moving(layout: AnyLayout) -> list[tuple[int, int]]:
    """The extent and stride of the leaves with more than one offset, in the order of strides."""
    flat = zip(flatten_to_tuple(layout.shape), flatten_to_tuple(layout.stride), strict=True)
    moving = [(known_int(s), known_int(d)) for s, d in flat if s != 1 and d != 0]
    return sorted(moving, key=lambda mode: (mode[1], mode[0]))


def naive_complement(layout: AnyLayout, cotarget: int) -> AnyLayout | None:
    """Return the gaps between the modes of a layout in the order of their strides, up to a cotarget.

    The gap below a mode of stride ``d`` has the extent ``d // n``, where ``n`` is the span of the modes
    below. The gap above the last mode has the extent ``ceil(cotarget / n)``, and stays even if that is
    1. The result is None if a mode begins inside the span below or has a negative stride, or if the
    layout is empty.

    >>> print(naive_complement(Layout((2, 2), (2, 12)), 48))
    (2,3,2):(1,4,24)
    >>> print(naive_complement(Layout((4, 4), (5, 2)), 64))
    None
    """
    if naive_size(layout.shape) == 0:
        return None
    gaps: list[tuple[int, int]] = []
    span = 1
    for extent, step in _moving(layout):
        if step < span:
            return None
        gaps.append((step // span, span))
        span = extent * step
    modes = [gap for gap in gaps if gap[0] != 1] + [(-(-cotarget // span), span)]
    return Layout(tuple(s for s, _d in modes), tuple(d for _s, d in modes))


def naive_is_complement(layout: AnyLayout, other: AnyLayout) -> bool:
    """Whether the offsets of ``other`` grow, and all sums of an offset of each layout differ.

    Only leaves of the layout with more than one offset count.

    >>> tile = Layout((2, 3), (1, 0))
    >>> [naive_is_complement(tile, other) for other in (Layout(4, 2), Layout(4, 1), Layout(2, -2))]
    [True, False, False]
    """
    steps = naive_offsets(other)
    moving = _moving(layout)
    base = naive_offsets(Layout(tuple(s for s, _d in moving), tuple(d for _s, d in moving)))
    sums = [i + j for j in steps for i in base]
    return sorted(set(steps)) == steps and len(set(sums)) == len(sums)


def naive_covers(layout: AnyLayout, other: AnyLayout, n: int) -> bool:
    """Whether every offset of ``range(n)`` is the sum of an offset of each layout.

    >>> naive_covers(Layout(2, 1), Layout(4, 2), 8), naive_covers(Layout(2, 1), Layout(2, 3), 5)
    (True, False)
    """
    base = naive_offsets(layout)
    return {i + j for j in naive_offsets(other) for i in base}.issuperset(range(n))


def naive_reach(layout: AnyLayout) -> int:
    """Return the least int from 0 on that is no offset of a layout.

    >>> naive_reach(Layout((2, 2), (1, 3))), naive_reach(Layout((4, 2), (2, 1)))
    (2, 8)
    """
    offsets = set(naive_offsets(layout))
    return next(i for i in range(len(offsets) + 1) if i not in offsets)


def naive_is_right_inverse(layout: AnyLayout, inverse: AnyLayout) -> bool:
    """Whether ``layout(inverse(i)) == i`` for every index of the inverse.

    >>> layout = Layout((2, 4), (4, 1))
    >>> naive_is_right_inverse(layout, Layout((4, 2), (2, 1))), naive_is_right_inverse(layout, layout)
    (True, False)
    """
    offsets, indices = naive_offsets(layout), naive_offsets(inverse)
    if not all(0 <= i < len(offsets) for i in indices):
        return False
    return [offsets[i] for i in indices] == list(range(len(indices)))


def naive_is_left_inverse(layout: AnyLayout, inverse: AnyLayout) -> bool:
    """Whether ``inverse(layout(i)) == i`` for every ``i``.

    No function can do that if two coordinates share an offset. Then it is enough that
    ``layout.extended(inverse.extended(layout(i))) == layout(i)``.

    >>> naive_is_left_inverse(Layout((2, 2), (1, 3)), Layout((3, 2), (1, 2)))
    True
    >>> naive_is_left_inverse(Layout((2, 4), (0, 1)), Layout(4, 2))
    True
    """
    offsets = naive_offsets(layout)
    if min(offsets, default=0) < 0:
        return False
    if len(set(offsets)) == len(offsets):
        inside = max(offsets, default=-1) < naive_size(inverse.shape)
        return inside and all(naive_extended(inverse, n) == i for i, n in enumerate(offsets))
    back = [naive_extended(inverse, n) for n in offsets]
    return min(back) >= 0 and [naive_extended(layout, i) for i in back] == offsets
