# SPDX-License-Identifier: Apache-2.0
"""Inverses: from an offset back to the index, as a layout.

With the modes ``s_i:d_i`` of a coalesced layout and ``p_i`` the number of coordinates below mode ``i``,
an inverse sends the offset ``d_i`` to the index ``p_i``.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from ..errors import (
    CoordinateError,
    DivisibilityError,
    LayoutError,
    OverlapError,
    UnsupportedError,
)
from ..ground import constexpr
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    crd2idx,
    is_composed,
    is_layout,
    is_swizzle,
    make_layout,
    map_parts,
    seen_through,
    static_as,
    trusted,
)
from ..numbers import (
    INT,
    STATIC,
    Questions,
    SymbolicInt,
    _0,
    _1,
    call_assuming,
    differs,
    divides,
    equal,
    known_eq,
    known_int,
    known_lt,
    less,
    nested,
    static_int,
)
from .coalesce import coalesced, same_function
from .complement import overlapping
from .composition import composed, extended_modes, outside, tiler_layout
from .coordinates import by_coordinate, has_coordinates
from .facts import collision, is_injective, reaches
from .linear import run_of
from .modes import (
    Modes,
    by_stride,
    can_grow,
    end_of,
    first_of,
    grown_to,
    is_one,
    is_symbolic,
    listed,
    moving_modes,
    named,
    of_modes,
    raw_modes,
    read_modes,
    stride_of,
)
from .radices import inverse_modes
from .steps import InverseStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..numbers import Conditions, IntTuple

Moving: TypeAlias = "tuple[Any, Any, Any]"
"""A mode that moves: its size, its stride, and how many coordinates lie below it."""


@constexpr
def right_inverse(layout: AnyLayout | IntTuple, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout ``r`` with ``layout(r(i)) == i`` for every index ``i`` of it.

    >>> print(right_inverse(Layout((4, 8), (8, 1))), right_inverse(Layout((2, 4, 3), (0, 1, 8))))
    (8,4):(4,1) 4:2

    It is made of modes, from stride 1 on, each of which begins where the one before ends; where modes
    overlap, one may be cut where the next begins. Where ``layout`` is injective and no stride is
    negative no longer one exists: its size is the length of the run of offsets 0, 1, 2, ... reached.

    Raises:
        LayoutError: the layout has no coordinate.
    Source: CuTe ``right_inverse``, layout.hpp.
    """
    if assume is not None:
        return call_assuming(assume, right_inverse, layout)
    if is_composed(layout):
        return static_as(layout, _inverse_seen(layout, right_inverse))
    return _inverted("right", _right_digits, tiler_layout(layout))


def _inverted(
    side: str, digits_of: Callable[..., Modes], layout: AnyLayout, steps: list[InverseStep] | None = None
) -> AnyLayout:
    """The layout of the digits that an inverse has. ``steps`` receives what each mode gives.

    Args:
        digits_of: Returns the digits. It takes the layout, its modes, the coalesced ones, the moving
            ones, the questions, and the 1 to start from.
    """
    read = read_modes(layout)
    if read is not None and steps is None:
        modes = coalesced(read[0])
        moving = _moving(layout, modes, _ALL_KNOWN, 1)
        return of_modes(coalesced(digits_of(layout, read[0], modes, moving, _ALL_KNOWN, 1)), read[1])
    return named(f"the {side} inverse", partial(_inverse, side, digits_of, steps=steps), layout)


def _inverse(
    side: str, digits_of: Callable[..., Modes], layout: AnyLayout, steps: list[InverseStep] | None
) -> AnyLayout:
    """`_inverted` of any ints."""
    ask = Questions(lambda: f"the {side} inverse of {layout}")
    leaves, one = first_of(layout)
    if has_coordinates(leaves):
        return _from_coordinates(side, leaves, lambda along: _inverse(side, digits_of, along, None))
    modes = coalesced(leaves, one)
    moving = _moving(layout, modes, ask, one)
    digits = digits_of(layout, leaves, modes, moving, ask, one)
    if steps is not None and (side == "right" or _are_of_modes(digits, moving, one)):
        steps += _steps(moving, digits, one if side == "right" else None)
    return of_modes(coalesced(digits, one))


def _from_coordinates(side: str, modes: Modes, inverse: Callable[[AnyLayout], AnyLayout]) -> AnyLayout:
    """The inverse of a layout of coordinates: what each mode of a coordinate says of the index."""
    parts: list[tuple[tuple[int, ...], AnyLayout]] = []
    for path, along in by_coordinate(modes).items():
        steps, indices = (of_modes([(m[0], m[i]) for m in along] or [(_1, _0)]) for i in (1, 2))
        if side == "left" and not is_injective(steps):
            raise OverlapError(
                f"no left inverse: {steps} along mode {'.'.join(map(str, path))} of the coordinates"
                " reaches some of them twice",
                layout=steps,
            )
        parts.append((path, composed(indices, inverse(steps))))
    layouts = nested(parts, make_layout(_1, _0))
    return trusted(map_parts(attrgetter("shape"), layouts), map_parts(attrgetter("stride"), layouts))


def _right_digits(
    _layout: AnyLayout, _leaves: Modes, _modes: Modes, moving: list[Moving], ask: Questions, end: Any
) -> Modes:
    """The modes from stride 1 on, each beginning where the one before ends.

    A mode of size 1 ends where it begins, so the next may begin there too. Where modes overlap, one may
    be cut.
    """
    digits: Modes = []
    for s, d, p in moving:
        begins = d == end  # of unknown ints no bool
        if begins is True or (begins is not False and known_eq(d, end)):
            digits.append((s, p))
            end = s * end
            continue
        is_below = known_lt(d, end)
        if is_below is None:
            ask.refuse(d, ">=", end)
        if not is_below:
            if known_lt(end, d) is None:
                ask.refuse(d, "==", end)
            break  # nor does any further
        if known_lt(d, 1) is not True:
            digits = [(s, p) for s, _d, p in _longest(moving)]
            break
    return digits


def _longest(moving: list[Moving]) -> list[Moving]:
    """The chain from stride 1 that reaches furthest, where modes overlap: each may be cut short.

    A mode ``s:d`` can be followed by ``s':d'`` if ``d`` divides ``d'`` and ``d' <= s*d``.
    """
    best: list[tuple[Any, list[Moving]]] = []  # where the chain from a mode on ends
    for i in range(len(moving) - 1, -1, -1):
        s, d, p = moving[i]
        end_of_mode: Any = s * d
        end, chain = end_of_mode, [(s, d, p)]
        for further, rest in best:
            follows = rest[0][1]
            if (
                less(end, further)
                and less(d, follows)
                and divides(d, follows)
                and not less(end_of_mode, follows)
            ):
                end, chain = further, [(follows // d, d, p), *rest]
        best.append((end, chain))
    starts = [x for x in best if equal(x[1][0][1], 1)]
    return max(starts, key=lambda start: start[0])[1] if starts else []


def _moving(layout: AnyLayout, modes: Modes, ask: Questions, below: Any) -> list[Moving]:
    """The modes that move, ``(s, d, p)`` by stride."""
    out: list[Moving] = []
    for s, d in modes:
        if type(s) is INT and s > 1 and (type(d) is INT or type(d) is STATIC) and d != 0:
            out.append((s, d, below))
        elif known_lt(_0, s) is False:
            raise LayoutError(f"{layout} has no coordinate, and so no inverse", layout=layout)
        elif moving_modes([(s, d)], ask) and (not is_symbolic(d) or known_lt(d, _0) or ask.positive(d)):
            out.append((s, d, below))
        below = below * s
    if ask is not _ALL_KNOWN:
        return by_stride(out, ask)
    if len(out) > 1:
        out.sort(key=stride_of)
    return out


_ALL_KNOWN: Final = Questions(str)
"""The questions of ints that answer all of them."""


# --- left -------------------------------------------------------------------------------------


@constexpr
def left_inverse(layout: AnyLayout | IntTuple, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout ``r`` with ``r(layout(i)) == i`` for every index ``i``.

    Where ``layout`` sends several indices to one offset, ``r`` gives one with that offset, which may
    lie where the last mode, grown, reaches: ``layout.extended(r.extended(layout(i))) == layout(i)``.

    >>> print(left_inverse(Layout((4, 8), (1, 5))), left_inverse(Layout((2, 4), (0, 3))))
    (5,8):(1,4) (3,4):(0,2)

    Of an injective layout of known ints it is found wherever any layout is one; its strides may be
    negative. Where each stride divides the next greater one and no two modes overlap, that takes no
    search, and the ints may be unknown. Where offsets repeat along modes of stride 0 alone, the same
    holds of the inverse that gives the first index. Where they repeat otherwise, only an inverse whose
    digits are those of the strides is found: ``(2,2,2):(4,5,4)`` is refused, though it has the inverse
    ``(2,8):(-2,2)``.

    >>> print(left_inverse(Layout((4, 2), (6, 59))), left_inverse(Layout((4, 2), (8, 5))))
    (6,9,2):(0,1,4) (5,3,2):(-1,4,3)

    Raises:
        OverlapError: two modes overlap, and no layout is an inverse, or none was found.
        DivisibilityError: a stride does not divide the next, and no layout is an inverse, or none was
            found.
        LayoutError: a stride is negative, or the layout has no coordinate.
        LimitError: the search ended at the ``steps`` of `limits`. It is long where modes interleave and
            strides are in the thousands.
    Source: CuTe ``left_inverse``, layout.hpp.
    """
    if assume is not None:
        return call_assuming(assume, left_inverse, layout)
    if is_composed(layout):
        return static_as(layout, _inverse_seen(layout, left_inverse))
    return _inverted("left", _left_digits, tiler_layout(layout))


def _inverse_seen(layout: ComposedLayout, inverse: Callable[[Any], Any]) -> Any:
    """The inverse of a layout behind a function: undo the function, take the offset off, invert.

    A swizzle is its own inverse. Of a right inverse the offsets that are reached run from 0 on; a
    function that leads out of the run of the inner layout cuts it.
    """
    outer, offset, inside = layout.outer, known_int(layout.offset), layout.inner
    if not offset and not is_swizzle(outer) and is_layout(inside):
        with suppress(LayoutError, CoordinateError):
            whole = composed(outer, inside)
            if inverse is right_inverse or is_injective(whole):  # else an index may lie beyond its end
                return inverse(whole)
    turned = _turned(layout)
    if turned is not None and (inverse is left_inverse or not turned[0].offset):
        back = inverse(turned[0])
        return _after(make_layout(inside.size), turned[2], _after(turned[1], _0, back))
    if inverse is right_inverse and offset:
        if known_eq(layout(0), 0):
            return make_layout(_1, _0)
        if reaches(layout, 0):
            raise UnsupportedError(
                f"{layout} has no right inverse of known form",
                "It reaches offset 0, but not at index 0.",
                layout=layout,
            )
        raise LayoutError(
            f"{layout} has no right inverse: offset 0 is not reached where the offset is {offset}",
            layout=layout,
        )
    inner: Any = inverse(inside)
    if not is_swizzle(outer):
        grown = grown_to(outer, offset + end_of(inside))
        if inverse is left_inverse and not is_injective(grown):
            raise UnsupportedError(
                f"{layout} has no left inverse of known form",
                "Its outer layout leads {} and {} to one offset.".format(
                    *[crd2idx(c, grown.shape) for c in collision(grown) or ()]
                ),
                layout=layout,
            )
        back = inverse(grown)
        if inverse is right_inverse:
            known = known_int(inner.size)
            run = next((i for i, x in enumerate(listed(back)) if x >= known), None)
            back = back if run is None else ComposedLayout(back, _0, make_layout(run))
        return _after(inner, -layout.offset, back)
    if inverse is right_inverse:
        size = run_of(outer, known_int(inner.size))
    else:
        size = -(-(offset + end_of(inside)) // outer.size.real) * outer.size.real
    swizzle = None if offset or is_composed(inner) else outside(inner, outer, make_layout(size))
    if swizzle is not None:
        if known_int(inner.size) == size:
            return seen_through(swizzle, _0, inner)
        with suppress(LayoutError):  # the inverse may not be cut there
            cut: Any = inner
            return seen_through(swizzle, _0, composed(cut, make_layout(size)))
    return _after(inner, -layout.offset, ComposedLayout(outer, _0, make_layout(size)))


def _turned(layout: ComposedLayout) -> tuple[ComposedLayout, AnyLayout, int] | None:
    """A layout with its modes that run down turned round, or None if there are none.

    With it come the index of an index of the turned one, as a layout and what is added to it.
    """
    given = [] if is_composed(layout.inner) else raw_modes(layout.inner)
    if not any(known_lt(d, 0) for _s, d in given) or not known_int(layout.inner.size):
        return None
    modes = [(known_int(s), known_int(d)) for s, d in given]
    steps: Modes = []
    below, start, least = 1, 0, 0
    for s, d in modes:
        steps.append((s, below if d >= 0 else -below))
        if d < 0:
            start, least = start + (s - 1) * below, least + (s - 1) * d
        below *= s
    up = of_modes([(s, abs(d)) for s, d in modes])
    if not is_injective(up):  # the index of an offset may then lie beyond the end, where none is turned
        return None
    return ComposedLayout(layout.outer, layout.offset + least, up), of_modes(steps), start


def _after(f: Any, offset: Any, inner: Any) -> ComposedLayout:
    """The function ``f(offset + inner(c))``, where ``f`` may itself stand behind functions."""
    if is_composed(f):
        return ComposedLayout(f.outer, f.offset, _after(f.inner, offset, inner))
    return ComposedLayout(f, offset, inner)


def _steps(moving: list[Moving], digits: Modes, end: Any) -> list[InverseStep]:
    """What each mode gives to an inverse; ``end`` is where a right one begins, None of a left one."""
    sizes = {index: size for size, index in digits if known_eq(index, 0) is not True}
    steps: list[InverseStep] = []
    if end is None and not is_one(digits[0][0]):
        steps.append(InverseStep(None, None, digits[0][1], None, of_modes(digits[:1])))
    for s, d, p in moving:
        taken = of_modes([(sizes[p], p)]) if p in sizes else None
        steps.append(InverseStep(s, d, p, end, taken))
        end = end if end is None or taken is None else sizes[p] * d
    return steps


def _are_of_modes(digits: Modes, moving: list[Moving], one: Any) -> bool:
    """Whether each digit of a left inverse is the index of a mode, but for one below all strides."""
    chosen = [mode for mode in moving if any(known_eq(mode[2], t) is True for _r, t in digits)]
    return _radix(chosen, one, one)[:-1] == digits[:-1]


def _left_digits(
    layout: AnyLayout, leaves: Modes, modes: Modes, moving: list[Moving], ask: Questions, one: Any
) -> Modes:
    """The digits of a left inverse."""
    if ask is not _ALL_KNOWN:
        whole = _whole_digits(moving, ask, one)
        if whole is not None:
            return whole
        moving = [mode for mode in moving if differs(mode[0], 1)]  # what follows is right of these
    if moving and moving[0][1] < 0:
        s, d, _p = moving[0]
        raise LayoutError(
            f"{layout} has no left inverse: its mode {s}:{d} reaches offsets below 0", layout=layout
        )
    grows = can_grow(layout.shape) and not is_one(extended_modes(leaves)[-1][0])
    size, step = modes[-1]
    last = next((m for m in reversed(moving) if grows and m[0] is size and m[1] is step), None)
    digits = _digits(moving, last, one)
    if digits is None:
        digits = next((x for x in _candidates(moving, last, one) if _returns(layout, x)), None)
    if digits is not None:
        return digits
    if any(isinstance(n, SymbolicInt) for mode in moving for n in mode):
        _refuse(layout, moving)
    found = inverse_modes(layout, [(int(s), int(d), int(p)) for s, d, p in moving])
    if found is None:
        _refuse(layout, moving, is_proved=is_injective(layout))
    return [(static_int(r), static_int(t)) for r, t in found] if type(one) is STATIC else found


def _digits(moving: list[Moving], last: Moving | None, one: Any) -> Modes | None:
    """The inverse of mixed radix where each stride divides the next: the digits of an offset.

    Where a mode is longer than the gap to the next stride its index carries into the next digit, which
    is another index of the same offset. No digit may exceed its mode, except the last one, if it grows.
    """
    carry = one - one
    for (s, d, _p), (_s, e, _q) in pairwise(moving):
        gap, rest = divmod(e, d)
        if rest or (carry and gap > s):
            return None
        carry = (s - one + carry) // gap
    top = moving[-1] if moving else (one, 0, 0)
    if carry and top != last:
        return None
    return _radix(moving, top[0] + carry, one)


def _radix(moving: list[Moving], top: Any, one: Any) -> Modes:
    """Below the first stride nothing, then the index of each mode; ``top`` is the last extent."""
    out: Modes = []
    block, index = one, one - one
    for _s, d, p in moving:
        out.append((d // block, index))
        block, index = d // block * block, p
    out.append((top, index))
    return out


def _candidates(moving: list[Moving], last: Moving | None, one: Any) -> Iterator[Modes]:
    """Digits that may invert: of all modes; of those that do not overlap; of those below the last."""
    span = _1 + sum([(s - _1) * d for s, d, _p in moving], _0)
    clear: list[Moving] = []
    for mode in moving:
        if not clear or clear[-1][0] * clear[-1][1] <= mode[1]:
            clear.append(mode)
    choices = [moving, clear]
    if last is not None:
        choices.append([x for x in clear if x[0] * x[1] <= last[1] and divides(x[1], last[1])] + [last])
    for choice in choices:
        digits = _radix(choice, one, one)
        block = prod([s for s, _p in digits], start=_1)
        if block:
            yield [*digits[:-1], (-(-span // block), digits[-1][1])]


def _returns(layout: AnyLayout, digits: Modes) -> bool:
    """Whether digits make a left inverse, proved by composition.

    Of an injective layout it gives each index back, else one with the same offset.
    """
    try:
        index = composed(of_modes(coalesced(digits)), layout, hints=False)
        if same_function(index, trusted(layout.size, 1)):
            return True
        return not is_injective(layout) and same_function(composed(layout, index, hints=False), layout)
    except (LayoutError, CoordinateError):  # it does not compose; what is undecided passes through
        return False


def _refuse(layout: AnyLayout, moving: list[Moving], is_proved: bool = False) -> NoReturn:
    of = f"left inverse of {layout}"
    what = f"no layout is a {of}" if is_proved else f"no {of} was found"
    for (s, d, _p), (t, e, _q) in pairwise(moving):
        if s * d > e:
            raise overlapping(what, layout, (s, d), (t, e))
        if e % d:
            raise DivisibilityError(
                f"{what}: the stride {d} of its mode {s}:{d} does not divide the next stride {e}",
                f"A stride of {-(-e // d) * d} in place of {e} is a multiple of it.",
                layout=layout,
                modes=((s, d), (t, e)),
            )
    raise AssertionError("strides that divide each other without overlap are the digits of offsets")


def _whole_digits(moving: list[Moving], ask: Questions, one: Any) -> Modes | None:
    """The digits of an offset where each stride divides the next, and none carries; None elsewhere.

    If the size of a mode turns out to be 1, its digit belongs to the one below. That changes nothing
    where the mode fills all up to the next stride. For the top mode it changes nothing where the mode
    below fills all up to its stride, or its stride is 1.
    """
    if any(known_lt(d, _0) for _s, d, _p in moving):
        return None
    fills = [not moving or known_eq(moving[0][1], _1) is True]
    for (s, d, _p), (_s, e, _q) in pairwise(moving):
        end = s * d
        is_below = known_lt(e, end)
        if is_below is None:
            ask.refuse(e, ">=", end)
        if is_below or not ask.divides(d, e):
            return None
        fills.append(known_eq(e, end) is True)
    is_top = True
    for i in range(len(moving) - 1, -1, -1):
        s = moving[i][0]
        if known_lt(_1, s) is True:
            is_top = False
        elif not (is_top or fills[i + 1]) or (is_top and not fills[i]):
            ask.refuse(s, ">", _1)
    return _radix(moving, moving[-1][0] if moving else one, one)


right_inverted: Callable[..., AnyLayout] = partial(_inverted, "right", _right_digits)
"""`right_inverse` of a layout."""

left_inverted: Callable[..., AnyLayout] = partial(_inverted, "left", _left_digits)
"""`left_inverse` of a layout."""
