# SPDX-License-Identifier: Apache-2.0
"""Arrays split over several memories: ``SC(d:i,j)`` cuts one dim into pieces, one for each memory.

``d`` counts the dims in memory from the most major one. The pieces end before the indices ``i``, ``j``
and at the end of the dim. Each memory holds one piece, laid out as an array of its own.

>>> shape = parse_shape("f32[150,200]{0,1:T(8)SC(1:40)}")
>>> max_split_size(shape, 0), max_split_size(shape, 1)
(110, 200)
>>> print(*split_piece(shape, (47, 5)))
(1,) f32[110,200]{0,1:T(8)} (7, 5)

For the functions of the other modules, such as `physical_offset`, one memory holds the whole array. The
offsets of a `split_piece` are those in the memory of the piece.

Source: XLA ``SplitConfig``, xla_data.proto; ``LayoutUtil::MaxSplitSize``, layout_util.cc.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..numbers import less
from .shape import replaced
from .tiling import array_shape, index_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..numbers import IntLike
    from .shape import AnyShape, XlaShape


class SplitPiece(NamedTuple):
    """The place of an element of a split array: ``physical_offset(piece.shape, piece.element)``.

    >>> piece = split_piece(parse_shape("f32[100]{0:SC(0:40,70)}"), (75,))
    >>> piece.numbers, str(piece.shape), piece.element
    ((2,), 'f32[30]{0}', (5,))
    """

    numbers: tuple[int, ...]
    """The number of the piece in each split dim, in the order of ``split_configs``."""
    shape: XlaShape
    """The piece as an array of its own, without ``SC``."""
    element: tuple[int, ...]
    """The index of the element in it."""


def max_split_size(shape: AnyShape, dim: int) -> int:
    """Return the size of the largest piece of a dim, or of the dim if it is not split.

    >>> max_split_size(parse_shape("f32[100]{0:SC(0:40,70)}"), 0)
    40

    Raises:
        CoordinateError: there is no such dim.
        UnsupportedError: the shape is no array.
    """
    array = array_shape(shape)
    size = array.dimension(dim)
    ends = _ends(array).get(dim % array.rank)
    return size if ends is None else max(_sizes(ends))


def largest_piece(shape: AnyShape) -> XlaShape:
    """Return the largest piece as an array without ``SC``; one memory has room for it.

    >>> print(largest_piece(parse_shape("f32[100,8]{1,0:T(8)SC(0:30)}")))
    f32[70,8]{1,0:T(8)}
    """
    array = array_shape(shape)
    return _with_sizes(array, {dim: max(_sizes(ends)) for dim, ends in _ends(array).items()})


def split_piece(shape: AnyShape, index: Sequence[IntLike]) -> SplitPiece:
    """Return the piece of an element, and its index there.

    >>> piece = split_piece(parse_shape("f32[100]{0:SC(0:40,70)}"), (75,))
    >>> print(piece.numbers, piece.shape, piece.element)
    (2,) f32[30]{0} (5,)

    An array that is not split is its only piece.

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UnsupportedError: the shape is no array.
    """
    array = array_shape(shape)
    at = list(index_of(array, index))
    numbers: list[int] = []
    sizes: dict[int, int] = {}
    for dim, ends in _ends(array).items():
        number = sum(1 for end in ends[:-1] if not less(at[dim], end))
        numbers.append(number)
        sizes[dim] = _sizes(ends)[number]
        at[dim] -= ends[number - 1] if number else 0
    return SplitPiece(tuple(numbers), _with_sizes(array, sizes), tuple(at))


def _ends(shape: XlaShape) -> dict[int, list[int]]:
    """The ends of the pieces of each split dim, by the number of the dim."""
    out: dict[int, list[int]] = {}
    for place, indices in shape.split_configs:
        dim = shape.major_to_minor[place]
        out[dim] = [*indices, shape.dimensions[dim]]
    return out


def _sizes(ends: list[int]) -> list[int]:
    return [ends[0], *(above - below for below, above in pairwise(ends))]


def _with_sizes(shape: XlaShape, sizes: Mapping[int, int]) -> XlaShape:
    """The array without ``SC`` and with new sizes of some dims; dynamic dims stay dynamic."""
    dims = tuple(sizes.get(i, d) for i, d in enumerate(shape.dimensions))
    return replaced(shape, dimensions=dims, split_configs=())
