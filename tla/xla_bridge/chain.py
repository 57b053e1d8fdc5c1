# SPDX-License-Identifier: Apache-2.0
"""The digits of a layout, and the theorem that decides which layouts are XLA tiled layouts.

A digit is a part of a dim that counts on its own: ``size`` steps of ``stride``. A layout is an XLA tiled
layout without ``*`` if and only if its digits, sorted by stride, form a chain. In a chain each stride
is above 0, a multiple of the one below, and at least the room of the digit below. It can have ``size``
elements of memory if that is a multiple of the greatest stride and at least the room of the top digit.

The digits are unique: two layouts have equal digits if and only if they are equal as functions over
their dims.

Source: our own theorem; ``xla_bridge/peel.py`` makes tiles for every chain, and every tile of XLA
keeps one: each axis carries one digit, and strides are products of the extents below.
"""

from __future__ import annotations

from itertools import pairwise
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DivisibilityError, LayoutError, OverlapError
from ..layouts import leaves, rank, wrap
from ..numbers import (
    SymbolicInt,
    ceil_div,
    comparison,
    decide,
    divides,
    known_divides,
    known_eq,
    known_lt,
    less,
    max_,
    round_up,
)
from .arguments import commas
from .digits import in_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..layouts import AnyLayout


class Digit(NamedTuple):
    """A leaf with a stride: ``size`` steps of ``stride``, each worth ``weight`` indices of its dim.

    It fills ``pitch`` steps of memory; the steps beyond ``size`` are padding. In a dim of unknown size
    these ints may be symbolic.
    """

    dim: int
    weight: int
    size: int
    stride: int
    pitch: int = 0

    def __str__(self) -> str:
        return f"{self.size}:{self.stride} of dim {self.dim}"

    @property
    def padded(self) -> bool:
        """Whether memory has room for more steps than the digit has."""
        return less(self.size, self.pitch)


def layout_digits(layout: AnyLayout, dims: Sequence[int]) -> list[Digit]:
    """Return the digits that the indices below the dims reach, dim by dim, minor first.

    >>> from tla import parse
    >>> print(*layout_digits(parse("((2,2),(2,3)):((2,12),(1,2))"), (3, 5)))
    2:2 of dim 0 2:12 of dim 0 5:1 of dim 1
    """
    digits: list[Digit] = []
    for dim, (shape, stride) in enumerate(zip(wrap(layout.shape), wrap(layout.stride), strict=True)):
        parts = list(zip(leaves(shape), leaves(stride), strict=True))
        digits += _of_mode(dim, dims[dim], parts)
    return digits


def _of_mode(dim: int, extent: int, parts: list[tuple[Any, Any]]) -> list[Digit]:
    """The digits of the first ``extent`` indices of a mode; neighbours in line become one digit."""
    digits: list[Digit] = []
    weight = 1
    for n, d in in_line((_plain(n), _plain(d)) for n, d in parts):
        if known_lt(weight, extent) is False:
            break
        reach = ceil_div(extent, weight)
        low = _rounded_up_to(n, reach)
        if low > 1:  # n == low * ceil(reach / low): as a tile of low makes it
            digits.append(Digit(dim, weight, low, d))
            digits.append(Digit(dim, weight * low, ceil_div(reach, low), d * low))
        else:  # indices may not reach all of it: what they do not reach is padding
            digits.append(Digit(dim, weight, reach if known_lt(n, reach) is False else n, d))
        weight *= n
    return digits


def _rounded_up_to(n: Any, reach: Any) -> int:
    """The int ``c`` with ``n == round_up(reach, c)`` for an unknown ``n`` other than ``reach``, or 1."""
    if not isinstance(n, SymbolicInt) or known_eq(n, reach) is True:
        return 1
    c = _divisor(n)
    return c if known_eq(n, round_up(reach, c)) is True else 1


def _divisor(n: Any) -> int:
    divisor: int = n.divisor
    return divisor


def _plain(n: Any) -> Any:
    return n if isinstance(n, SymbolicInt) else int(n)


def same_digits(a: Sequence[Digit], b: Sequence[Digit]) -> bool | None:
    """Return whether two ordered lists of digits are equal; None if unknowns decide."""
    if len(a) != len(b) or any(x.dim != y.dim for x, y in zip(a, b, strict=True)):
        return False if _all_ints(a) and _all_ints(b) else None
    answers = {
        known_eq(m, n) for x, y in zip(a, b, strict=True) for m, n in zip(x[1:4], y[1:4], strict=True)
    }
    return False if False in answers else None if None in answers else True


def _all_ints(digits: Sequence[Digit]) -> bool:
    return not any(isinstance(n, SymbolicInt) for digit in digits for n in digit)


# --- the theorem ------------------------------------------------------------------------------


def in_order(digits: Sequence[Digit], layout: AnyLayout) -> list[Digit]:
    """Return the digits by stride, the greatest first; raise an error if two overlap.

    >>> from tla import parse
    >>> layout = parse("((2,2),(2,3)):((2,12),(1,4))")
    >>> print(*in_order(layout_digits(layout, (3, 5)), layout), sep=", ")
    2:12 of dim 0, 3:4 of dim 1, 2:2 of dim 0, 2:1 of dim 1

    Args:
        layout: The layout, for the errors.

    Raises:
        LayoutError: a stride is 0 or negative.
        OverlapError: two digits overlap or interleave.
        UndecidedError: one of these depends on an unknown.
    """
    for digit in digits:
        if less(digit.stride, 1):
            kind = "broadcasts" if known_eq(digit.stride, 0) else "runs backwards"
            raise LayoutError(
                f"{layout} is no XLA layout: the digit {digit} {kind}",
                "XLA gives every element its own place, and indices that grow growing offsets.",
                layout=layout,
                digit=digit,
            )
    digits = _by_stride(digits)
    for above, below in pairwise(digits):
        room = below.size * below.stride
        if not _decided_at_least(above.stride, room):
            twins = _at_one_offset(below, above, layout)
            if twins is not None:
                first, second, offset = twins
                raise OverlapError(
                    f"{layout} is no XLA layout: its elements {first} and {second} both lie at offset"
                    f" {offset}",
                    "XLA gives every element its own place.",
                    layout=layout,
                    digits=(below, above),
                )
            raise OverlapError(
                f"{layout} is no XLA layout without '*':"
                f" the digits {below} and {above} overlap or interleave",
                f"The first takes {room} elements, the second steps by only {above.stride}."
                " Whether tiles with '*' give it is not decided.",
                layout=layout,
                digits=(below, above),
            )
    return digits


def _at_one_offset(a: Digit, b: Digit, layout: AnyLayout) -> tuple[str, str, int] | None:
    """Two elements at one offset, and the offset, where each has steps of one digit alone."""
    if any(type(n) is not int for n in (*a, *b)):
        return None
    offset = lcm(a.stride, b.stride)
    if offset >= min(a.size * a.stride, b.size * b.stride):
        return None
    indices: list[str] = []
    for digit in (a, b):
        at = [0] * rank(layout.shape)
        at[digit.dim] = offset // digit.stride * digit.weight
        indices.append(f"({commas(at)})")
    return indices[0], indices[1], offset


def check_multiples(digits: Sequence[Digit], layout: AnyLayout) -> None:
    """Raise an error if digits without overlaps, the greatest stride first, form no chain.

    Raises:
        DivisibilityError: a stride is no multiple of the one below.
        UndecidedError: this depends on an unknown.
    """
    for above, below in pairwise(digits):
        if not divides(below.stride, above.stride):
            raise DivisibilityError(
                f"{layout} is no XLA layout without '*': the digits {below} and {above} do not nest",
                f"{above.stride} is not a multiple of {below.stride}. Whether tiles with '*'"
                " give it is not decided.",
                layout=layout,
                digits=(below, above),
            )


def is_chain(digits: Sequence[Digit]) -> bool:
    """Return whether each stride, the greatest first, is a multiple of the one below."""
    return all(divides(below.stride, above.stride) for above, below in pairwise(digits))


def _by_stride(digits: Sequence[Digit]) -> list[Digit]:
    """The digits by stride, the greatest first."""
    if not any(isinstance(digit.stride, SymbolicInt) for digit in digits):
        return sorted(digits, key=lambda digit: -digit.stride)
    done: list[Digit] = []
    for digit in digits:
        at = 0
        while at < len(done) and (
            _is_at_least(done[at].stride, digit.stride)
            or not _decided_at_least(digit.stride, done[at].stride)
        ):
            at += 1
        done.insert(at, digit)
    return done


def _is_at_least(a: Any, b: Any) -> bool | None:
    """Whether ``a >= b``, for ``a`` above 0; True for a multiple of ``b``."""
    below = known_lt(a, b)
    if below is None and isinstance(a, SymbolicInt) and known_lt(0, a) and known_divides(b, a):
        return True
    return None if below is None else not below


def _decided_at_least(a: Any, b: Any) -> bool:
    answer = _is_at_least(a, b)
    return decide(None, comparison(a, ">=", b)) if answer is None else answer


# --- the size ---------------------------------------------------------------------------------


def room_of(chain: Sequence[Digit]) -> int:
    """Return the number of elements that the digits span."""
    return chain[0].size * chain[0].stride if chain else 1


def least_room(chain: Sequence[Digit], elements: int) -> int:
    """Return the least memory of tiles without ``*`` that has at least ``elements`` elements."""
    least: Any = max_(elements, room_of(chain))
    size: int = _plain(round_up(least, chain[0].stride) if chain else least)
    return size


def gives_room(chain: Sequence[Digit], size: int) -> bool:
    """Return whether tiles without ``*`` can give the chain this size of memory."""
    stride = chain[0].stride if chain else 1
    return divides(stride, size) and _decided_at_least(size, room_of(chain))


def spaced(chain: Sequence[Digit], size: int, rank: int) -> list[Digit]:
    """Return the chain in a memory of this size, with the pitch of every digit, down to stride 1.

    If the smallest stride is above 1, a digit of size 1 and that pitch fills the room below it.

    >>> print([(d.stride, d.pitch) for d in spaced([Digit(0, 1, 3, 8), Digit(1, 1, 2, 2)], 32, 2)])
    [(8, 4), (2, 4), (1, 2)]
    """
    out: list[Digit] = []
    above = size
    for digit in chain:
        out.append(digit._replace(pitch=above // digit.stride))
        above = digit.stride
    if less(1, above):
        dim = chain[-1].dim if chain else max(rank - 1, 0)
        out.append(Digit(dim, 1, 1, 1, above))
    return out
