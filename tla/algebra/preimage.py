# SPDX-License-Identifier: Apache-2.0
"""From an offset back to the coordinates, where no layout is the inverse.

The walk takes the digits by falling stride. What the digits below can reach bounds each index, and the
walk follows only remainders that their strides can make.
"""

from __future__ import annotations

from itertools import accumulate, chain
from math import gcd
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnsupportedError
from ..ground import limit_error, limit_of
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    as_layout,
    crd2idx,
    flatten_to_tuple,
    idx2crd,
    is_composed,
    is_swizzle,
)
from ..numbers import Basis, IntTuple, is_open, known_int, leaf
from .coordinates import gives_coordinates, numbered_layout, place_in_box
from .modes import end_of, grown_to

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Digit(NamedTuple):
    size: int
    stride: int
    weight: int
    """How many coordinates lie below it."""
    low: int
    high: int
    """What the digits after it reach."""
    divisor: int
    """The greatest common divisor of the strides after it."""


def preimage(layout: AnyLayout | ComposedLayout, offset: IntTuple | Basis) -> Iterator[Any]:
    """Yield every coordinate ``c`` with ``layout(c) == offset``, as a natural coordinate.

    >>> list(preimage(Layout((4, 8), (8, 1)), 17)), list(preimage(Layout((2, 3), (1, 1)), 2))
    ([(2, 1)], [(1, 1), (0, 2)])

    Of an injective layout that is one coordinate at most. Where the strides divide each other the
    search goes straight to it. Behind a swizzle, which is its own inverse, they are those of the offset
    that the swizzle moves here. Where the values are coordinates, ``offset`` is one of them.

    >>> list(preimage(composition(Swizzle(1, 0, 3), Layout((4, 8), (8, 1))), 8))
    [(1, 1)]
    >>> list(preimage(make_identity_layout((4, (2, 3))), (1, (0, 2))))
    [(1, (0, 2))]

    Raises:
        UnsupportedError: the offset or the layout depends on unknowns.
        CoordinateError: the values of the layout are coordinates, and ``offset`` is none.
        UndecidedError: the search took too many steps: many digits of interleaving strides.
    """
    if is_composed(layout):
        inner, start = layout.inner, known_int(layout.offset)
        before = _before(layout, known_int(leaf(offset)))
        return chain.from_iterable(preimage(inner, x - start) for x in before)
    layout = as_layout(layout)
    if gives_coordinates(layout):
        place = place_in_box(layout, offset)
        return iter(()) if place is None else preimage(numbered_layout(layout), place)
    at: Any = leaf(offset)
    sizes, strides = flatten_to_tuple(layout.shape), flatten_to_tuple(layout.stride)
    if any(is_open(n) for n in (at, *sizes, *strides)):
        raise UnsupportedError(
            f"the coordinates of {layout} at the offset {at} depend on unknowns",
            "Bind them to numbers first.",
            layout=layout,
        )
    if any(n == 0 for n in sizes):
        return iter(())
    digits = _digits([*[int(n) for n in sizes], 1], [*[int(d) for d in strides], 0])
    return (idx2crd(i, layout.shape) for i in _indices(layout, digits, int(at)))


def _before(layout: ComposedLayout, offset: int) -> Iterator[int]:
    """The numbers that the function outside of a layout leads to an offset."""
    outer = layout.outer
    if is_swizzle(outer):
        return iter((outer(offset),) if offset >= 0 else ())
    whole = grown_to(outer, known_int(layout.offset) + end_of(layout.inner))
    return (known_int(crd2idx(c, whole.shape)) for c in preimage(whole, offset))


def _digits(sizes: list[int], strides: list[int]) -> list[_Digit]:
    """The digits by falling stride."""
    weights = accumulate([1, *sizes[:-1]], mul)
    moves = sorted(zip(sizes, strides, weights, strict=True), key=lambda m: (abs(m[1]), m[2]))
    digits: list[_Digit] = []
    low = high = divisor = 0
    for n, d, w in moves:
        digits.append(_Digit(n, d, w, low, high, divisor))
        low, high = low + min(0, (n - 1) * d), high + max(0, (n - 1) * d)
        divisor = gcd(divisor, d)
    return digits[::-1]


def _indices(layout: AnyLayout, digits: list[_Digit], offset: int) -> Iterator[int]:
    """Yield every index with the offset, by a lazy walk over the digits."""
    steps, most = 0, limit_of("steps")
    # for each digit: its choices, the offset left for it, the index so far
    walk = [(iter(_choices(digits[0], offset)), offset, 0)]
    while walk:
        choices, rest, index = walk[-1]
        k = len(walk) - 1
        i = next(choices, None)
        if i is None:
            walk.pop()
            continue
        steps += 1
        if steps > most:
            raise limit_error(
                "steps",
                f"whether a coordinate of {layout} has the offset {offset} was not decided",
                f"The search took {most} steps: too many of its digits interleave.",
                layout=layout,
                offset=offset,
            )
        digit = digits[k]
        left, at = rest - i * digit.stride, index + i * digit.weight
        if left % digit.divisor if digit.divisor else left:
            continue
        if k + 1 < len(digits):
            walk.append((iter(_choices(digits[k + 1], left)), left, at))
        else:
            steps = 0
            yield at


def _choices(digit: _Digit, rest: int) -> range:
    """The indices of a digit that leave what the digits after it can reach."""
    low, high, d = rest - digit.high, rest - digit.low, digit.stride
    if d == 0:
        return range(digit.size if low <= 0 <= high else 0)
    if d < 0:
        low, high, d = -high, -low, -d
    return range(max(0, -(-low // d)), min(digit.size - 1, high // d) + 1)
