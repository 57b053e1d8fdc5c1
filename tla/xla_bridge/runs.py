# SPDX-License-Identifier: Apache-2.0
"""The pieces in which a copy between two layouts can move.

>>> a, b = parse_shape("f32[1000,1024]{1,0:T(8,128)}"), parse_shape("f32[1000,1024]")
>>> common_run(a, b), common_vector(a, b)
(128, 128)
>>> common_run(a, parse_shape("f32[1000,1024]{0,1}"))
1

Both functions compare memory: padding at the same offset in both counts as equal. `max_common_vector` of
the layout algebra is the same idea for nested layouts of one shape, but there padding ends a run.

Source: our own derivation; CuTe's ``max_common_vector``, layout.hpp, for the idea.
"""

from __future__ import annotations

from itertools import product
from math import gcd, isqrt, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ..algebra import gives_coordinates, is_injective
from ..errors import LayoutError
from ..ground import limit_error, limit_of
from ..layouts import is_composed, is_layout
from ..numbers import ceil_div
from .digits import value_at
from .shape import XlaShape
from .views import View, view_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..layouts import AnyLayout, ComposedLayout
    from .digits import Digits
    from .shape import AnyShape


class _Step(NamedTuple):
    """A digit of both layouts: ``size`` steps of ``a`` in one and of ``b`` in the other."""

    size: int
    a: int
    b: int


def common_run(
    a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout
) -> int:
    """Return the number of offsets from 0 on that hold the same in both: one element, or padding.

    A copy from one XLA shape to the other moves in pieces of that many neighbours, which are shorter at
    the end of a dim. For equal functions it is their common memory.

    >>> common_run(parse_shape("f32[8,8]{1,0:T(2,4)}"), parse_shape("f32[8,8]{1,0:T(4,4)}"))
    8
    >>> common_run(parse("(3,5):(8,1)"), parse("(3,5):(16,1)"))
    8

    Raises:
        LayoutError: the dims differ, or a layout has two elements at one offset, or one below 0.
        UndecidedError: a size is unknown, or there are no common digits and too many elements.
        UnsupportedError: one is a tuple, a token or opaque.
    """
    one, other, room = _pair(a, b)
    steps = _steps(one, other)
    if steps is not None:
        return min([room, *(min(step.a, step.b) for step in steps if step.a != step.b)])
    places = _places(one, other)
    return min([room, *(min(x, y) for x, y in places if x != y)])


def common_vector(
    a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout
) -> int:
    """Return the width of the widest aligned vectors in which a copy between the two can move.

    It is the greatest ``n`` with two properties. It divides the common run and both memories. And every
    block of ``n`` offsets from a multiple of ``n`` on that holds an element lies as a whole, in the same
    order, in such a block of the other. For more elements than the ``indices`` of `limits` it is the
    greatest ``n`` that the digits prove; a wider one may exist if their strides are no multiples of it.

    >>> a, b = parse_shape("f32[1000,1000]{1,0:T(8,128)}"), parse_shape("f32[1000,1000]")
    >>> common_run(a, b), common_vector(a, b)
    (128, 8)

    Raises:
        TlaError: the same as for `common_run`.
    """
    run = common_run(a, b)
    one, other, _room = _pair(a, b)
    room = gcd(run, _memory(one), _memory(other))
    steps = _steps(one, other)
    if steps is None:
        places = _places(one, other)
        shared = gcd(room, *(x - y for x, y in places))
        return next(n for n in _divisors(shared) if _moves_whole(places, n))
    shared = gcd(room, *(step.a - step.b for step in steps))
    if all(step.a == step.b for step in steps):
        return room
    shown = _greatest(_merged(steps), shared)
    if shown == shared or prod(one.dims) > limit_of("indices"):
        return shown
    places = _places(one, other)
    return next(n for n in _divisors(shared) if n == shown or _moves_whole(places, n))


def _pair(
    a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout
) -> tuple[View, View, int]:
    """Both views, and the size of their common memory."""
    one, other = view_of(a, None), view_of(b, None)
    if one.dims != other.dims:
        raise LayoutError(f"{a} and {b} have no common run: their dims differ", a=a, b=b)
    for view in (one, other):
        if not isinstance(view.given, XlaShape):
            _check_places(view)
    return one, other, min(_memory(one), _memory(other))


def _check_places(view: View) -> None:
    layout: Any = view.given
    if is_layout(layout) and gives_coordinates(layout):
        raise LayoutError(f"{layout} has no run in memory: its values are coordinates", layout=layout)
    if any(d < 0 for mode in view.digits or () for _n, d in mode) or not is_injective(layout.trimmed()):
        raise LayoutError(
            f"{layout} has no run in memory: two elements share an offset, or one lies below 0",
            layout=layout,
        )


def _memory(view: View) -> int:
    """The elements of the memory of a layout; for a nested layout its cosize."""
    if is_composed(view.given):
        return 1 + max([x for x, _x in _places(view, view)], default=-1)
    return int(view.given.cosize) if is_layout(view.given) else view.size or 0


def _steps(a: View, b: View) -> list[_Step] | None:
    """The digits of both layouts with the same sizes, or None."""
    if a.digits is None or b.digits is None:
        return None
    steps: list[_Step] = []
    for ours, theirs, n in zip(a.digits, b.digits, a.dims, strict=True):
        refined = _common_steps(ours, theirs, n)
        if refined is None:
            return None
        steps += refined
    return steps


def _common_steps(a: Digits, b: Digits, extent: int) -> list[_Step] | None:
    """The digits of two modes, cut at each other's weights; None if these do not nest."""
    weights = sorted({1, *_weights(a), *_weights(b)})
    steps: list[_Step] = []
    for low, high in zip(weights, [*weights[1:], extent], strict=True):
        if high % low and high != extent:
            return None
        if low < extent:
            steps.append(_Step(ceil_div(high, low), value_at(a, low), value_at(b, low)))
    return steps


def _weights(digits: Digits) -> list[int]:
    return [prod(n for n, _d in digits[:k]) for k in range(len(digits))]


def _merged(steps: Sequence[_Step]) -> list[_Step]:
    """The steps; those that are in line in both layouts become one step."""
    done: list[_Step] = []
    for step in sorted(steps, key=lambda step: (step.a != step.b, step.a)):
        last = done[-1] if done else None
        if last and last.a == last.b and step.a == step.b == last.a * last.size:
            done[-1] = _Step(last.size * step.size, last.a, last.b)
        else:
            done.append(step)
    return done


def _greatest(steps: Sequence[_Step], shared: int) -> int:
    """The greatest block, a divisor of ``shared``, that stays whole by the digits."""
    candidates = {shared}
    for step in steps:  # a greater block with the same strides outside also stays whole
        candidates |= {gcd(n, step.a) for n in candidates}
    return max(n for n in candidates if _keeps_blocks(steps, n))


def _keeps_blocks(steps: Sequence[_Step], n: int) -> bool:
    """Whether blocks of ``n`` stay whole, for ``n`` that divides each difference of strides."""
    inside_a = inside_b = 0
    for size, a, b in steps:
        if a % n:
            # steps past the end of a block are steps between blocks
            count = min(size, n // a) if n % a == 0 and a == b else size
            inside_a += (count - 1) * a
            inside_b += (count - 1) * b
    return inside_a < n and inside_b < n


def _places(a: View, b: View) -> list[tuple[int, int]]:
    """The two offsets of every element."""
    if prod(a.dims) > limit_of("indices"):
        count, most = prod(a.dims), limit_of("indices")
        raise limit_error(
            "indices",
            f"cannot compare the runs of {a.given} and {b.given}",
            f"They have no common digits and {count} elements; at most {most} are looked at.",
            needed=count,
            a=a.given,
            b=b.given,
        )
    return [(a.offset(index), b.offset(index)) for index in product(*map(range, a.dims))]


def _moves_whole(places: Sequence[tuple[int, int]], n: int) -> bool:
    blocks = {(x // n, y // n) for x, y in places}
    return len({x for x, _y in blocks}) == len({y for _x, y in blocks}) == len(blocks)


def _divisors(n: int) -> list[int]:
    """The divisors of a number, the greatest first; raise `LimitError` after many trials."""
    found = [1]
    p = 2
    while n > 1:
        if p * p > n:
            p = n
        elif p > limit_of("indices"):
            summary = f"cannot decide the width of vectors: {n} has no small divisor"
            raise limit_error("indices", summary, needed=isqrt(n))
        power = 1
        stems = found
        while n % p == 0:
            n //= p
            power *= p
            found = [*found, *(d * power for d in stems)]
        p += 1
    return sorted(found, reverse=True)
