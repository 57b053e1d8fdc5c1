# SPDX-License-Identifier: Apache-2.0
"""Bitcasts and transposes as renamings: the same elements under other indices.

Two shapes name the same memory if the digits of their dims, cut into parts, are the same, although they
belong to other dims. A transpose moves whole dims, a reshape cuts them, and a compiler's ``bitcast``
does both. Some bitcasts drop elements at the end of a dim. The others stay in their places, and the
dropped ones become padding.

>>> before, after = parse_array("f32[4,30,50]{2,1,0}"), parse_array("f32[30,4,5,10]{3,2,0,1}")
>>> for part in renaming(before, after).parts:
...     print(part.size, "of dim", part.dim, "is of dim", part.to_dim)
10 of dim 2 is of dim 3
5 of dim 2 is of dim 2
30 of dim 1 is of dim 0
4 of dim 0 is of dim 1

Source: our own derivation; the digits are those of `tla.xla_bridge.to_layout`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..numbers import ceil_div
from ..xla_bridge import Digits, digits_of, split_digits, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..xla_bridge import XlaShape


class Part(NamedTuple):
    """``index of dim // weight % size == index of to_dim // to_weight % size``."""

    size: int
    dim: int
    weight: int
    to_dim: int
    to_weight: int


class Renaming(NamedTuple):
    """A map from the indices of one shape to those of another, digit by digit.

    Attributes:
        dims, to_dims: The sizes of the dims of both.
        parts: The digits.
    """

    dims: tuple[int, ...]
    to_dims: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def is_total(self) -> bool:
        """Whether every index of ``dims`` has an index of ``to_dims``."""
        return all(reach < n for reach, n in zip(self._reaches(), self.to_dims, strict=True))

    @property
    def is_onto(self) -> bool:
        """Whether every index of ``to_dims`` has an index of ``dims``."""
        return self.inverse.is_total

    def _reaches(self) -> list[int]:
        """Upper bounds of the indices of each dim after the renaming.

        Digits that follow each other in both dims count together. So the greatest index of a dim of 20
        in digits of 8 is 19, and not 23.
        """
        out = [0] * len(self.to_dims)
        for run in _runs(self.parts):
            size = prod(part.size for part in run)
            low = run[0]
            out[low.to_dim] += min(size - 1, (self.dims[low.dim] - 1) // low.weight) * low.to_weight
        return out

    @property
    def inverse(self) -> Renaming:
        """The inverse renaming."""
        turned = (Part(p.size, p.to_dim, p.to_weight, p.dim, p.weight) for p in self.parts)
        return Renaming(self.to_dims, self.dims, tuple(turned))

    def renamed(self, index: Sequence[int]) -> tuple[int, ...]:
        """Return the index of an element after the renaming.

        >>> renaming(parse_array("f32[6,4]"), parse_array("f32[2,3,4]")).renamed((5, 1))
        (1, 2, 1)
        """
        out = [0] * len(self.to_dims)
        for part in self.parts:
            out[part.to_dim] += index[part.dim] // part.weight % part.size * part.to_weight
        return tuple(out)

    def carry(self, digits: Sequence[Digits]) -> tuple[Digits, ...] | None:
        """Return the digits over ``dims`` with the same offsets as these digits over ``to_dims``.

        >>> rename = renaming(parse_array("f32[6,4]"), parse_array("f32[2,3,4]"))
        >>> rename.carry([((2, 1),), ((3, 2),), ((4, 6),)])
        (((3, 2), (2, 1)), ((4, 6),))

        It is None if they cut a digit of the renaming unevenly, because no digits over ``dims`` exist
        then.
        """
        out: list[Digits] = []
        for dim, extent in enumerate(self.dims):
            kept: list[tuple[int, int]] = []
            weight = 1
            for part in sorted((p for p in self.parts if p.dim == dim), key=lambda p: p.weight):
                section = _section(digits[part.to_dim], part, self.to_dims[part.to_dim])
                if section is None:
                    return None
                weight *= part.size
                if weight < extent and prod(n for n, _d in section) != part.size:
                    return None  # it would carry into the digit above
                kept += section
            out.append(digits_of(kept, extent))
        return tuple(out)


def _section(digits: Digits, part: Part, extent: int) -> Digits | None:
    """The digits of the part of a dim that one digit of a renaming covers."""
    low, size = part.to_weight, part.size
    sizes = (max(1, ceil_div(extent, low * size)), size, low)
    reaches = (sizes[0], min(size, ceil_div(extent, low)), min(low, extent))
    parts = split_digits(digits, sizes, reaches)
    return None if parts is None else parts[1]


def _runs(parts: Sequence[Part]) -> list[list[Part]]:
    """The runs of digits that are adjacent in both dims, each with the minor digit first."""
    runs: list[list[Part]] = []
    for part in sorted(parts, key=lambda p: (p.dim, p.weight)):
        last = runs[-1][-1] if runs else None
        follows = last is not None and part == last._replace(
            size=part.size, weight=last.weight * last.size, to_weight=last.to_weight * last.size
        )
        if follows:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def renaming(before: XlaShape, after: XlaShape) -> Renaming | None:
    """Return the renaming under which the elements of one shape are elements of the other, in place.

    ``physical_offset(before, i) == physical_offset(after, found.renamed(i))`` if both are indices. One
    of ``is_total`` and ``is_onto`` holds, and both hold if no element is dropped.

    >>> six, five = (parse_array(f"s32[129,{n}]{{0,1:T(8,128)}}") for n in (6, 5))
    >>> found = renaming(six, five)
    >>> found.is_total, found.is_onto
    (False, True)

    It is None if no renaming by digits exists: elements of each lie in padding of the other, their sizes
    differ, or one cuts a digit of the other unevenly. It ignores memory spaces.

    >>> print(renaming(parse_array("f32[6,7]{1,0:T(8,128)}"), parse_array("f32[42]{0:T(1024)}")))
    None
    """
    if not (before.is_static and after.is_static and before.elements and after.elements):
        return None
    one, other = view_of(before, None), view_of(after, None)
    if one.bits != other.bits or one.size != other.size or one.splits != other.splits:
        return None
    if one.digits is None or other.digits is None:
        return None
    ours, theirs = (_fill(_digits_of(view.digits or ()), view.size or 0) for view in (one, other))
    match = _match_digits(before.dimensions, after.dimensions, ours, theirs)
    return match if match is not None and (match.is_total or match.is_onto) else None


def reshaping(dims: Sequence[int], to_dims: Sequence[int]) -> Renaming | None:
    """Return the renaming of a row-major reshape; None if the dims cut each other unevenly.

    >>> reshaping((6, 4), (2, 12)).renamed((5, 1)), reshaping((6, 4), (3, 8)) is None
    ((1, 9), False)
    >>> print(reshaping((6, 4), (5, 4)), reshaping((6, 5), (10, 3)))
    None None
    """
    if prod(dims) != prod(to_dims):
        return None
    return _match_digits(dims, to_dims, _row_major(dims), _row_major(to_dims))


def _row_major(dims: Sequence[int]) -> list[_Digit]:
    return _digits_of([digits_of([(n, prod(dims[d + 1 :]))], n) for d, n in enumerate(dims)])


def transposing(dims: Sequence[int], permutation: Sequence[int]) -> Renaming:
    """Return the renaming of a transpose: dim ``i`` of the result is dim ``permutation[i]``."""
    parts = (Part(dims[d], d, 1, i, 1) for i, d in enumerate(permutation) if dims[d] > 1)
    return Renaming(tuple(dims), tuple(dims[d] for d in permutation), tuple(parts))


# --- digits against digits --------------------------------------------------------------------


class _Digit(NamedTuple):
    stride: int
    size: int
    dim: int
    weight: int
    is_top: bool


def _digits_of(modes: Sequence[Digits]) -> list[_Digit]:
    """The digits of all dims, the greatest stride first."""
    out: list[_Digit] = []
    for dim, digits in enumerate(modes):
        weight = 1
        for place, (size, stride) in enumerate(digits, 1):
            out.append(_Digit(stride, size, dim, weight, place == len(digits)))
            weight *= size
    return sorted(out, reverse=True)


def _fill(digits: list[_Digit], size: int) -> list[_Digit]:
    """The digits, where the last digit of each dim fills the memory up to the next stride.

    So a dim and its padding are one digit.
    """
    ends = [size, *(digit.stride for digit in digits)]
    return [
        digit._replace(size=end // digit.stride) if digit.is_top else digit
        for digit, end in zip(digits, ends, strict=False)
    ]


def _match_digits(
    dims: Sequence[int], to_dims: Sequence[int], ours: Sequence[_Digit], theirs: Sequence[_Digit]
) -> Renaming | None:
    """The renaming of digits. It cuts both lists until their strides and sizes agree."""
    left, right = list(ours), list(theirs)
    parts: list[Part] = []
    while left and right:
        x, y = left.pop(), right.pop()
        if x.stride != y.stride:
            return None
        size = min(x.size, y.size)
        for digit, rest in ((x, left), (y, right)):
            if digit.size % size:
                return None
            if digit.size > size:
                rest.append(
                    digit._replace(
                        stride=digit.stride * size, size=digit.size // size, weight=digit.weight * size
                    )
                )
        parts.append(Part(size, x.dim, x.weight, y.dim, y.weight))
    if left or right:
        return None
    return Renaming(tuple(dims), tuple(to_dims), tuple(parts))
