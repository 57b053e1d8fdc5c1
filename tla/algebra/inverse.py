"""Inverses: from an offset back to the index, as a layout.

With the modes ``s_i:d_i`` of a coalesced layout and ``p_i`` the number of coordinates below mode ``i``,
an inverse sends the offset ``d_i`` to the index ``p_i``.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from ..assumed import call_assuming, keeps_assumptions
from ..constexpr import constexpr
from ..errors import CoordinateError, DivisibilityError, LayoutError, OverlapError
from ..ints import _0, _1, known_eq, known_lt
from ..layout import trusted
from .coalesce import coalesce, coalesced, same_function
from .composition import composed, extended_modes, tiler_layout
from .facts import is_injective
from .modes import Modes, can_grow, lifted, of_modes, read_modes
from .symbolic import Needs, is_symbolic, raw_modes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..expr import Conditions
    from ..ints import IntTuple
    from ..layout import AnyLayout

Moving: TypeAlias = "tuple[Any, Any, Any]"
"""A mode that moves: its size, its stride, and how many coordinates lie below it."""

__all__ = ["left_inverse", "left_inverted", "right_inverse", "right_inverted"]


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
    return right_inverted(tiler_layout(layout))


def right_inverted(layout: AnyLayout, steps: list[Any] | None = None) -> AnyLayout:
    """`right_inverse` of a layout. ``steps`` receives the sorted modes, then those taken."""
    read = read_modes(layout)
    if read is None:
        return _inverted("right inverse", right_inverted, _right_chain, layout, steps)
    moving = _sorted(layout, coalesced(read[0]))
    chosen: Modes = []
    end: Any = 1
    overlap = False
    for s, d, p in moving:
        if d == end:
            chosen.append((s, p))
            end = s * end
        elif 1 <= d < end:
            overlap = True
    if overlap:
        chosen = [(s, p) for s, _d, p in _longest(moving)]
    if steps is not None:
        steps += [moving, chosen]
    return of_modes(coalesced(chosen), read[1])


def _longest(moving: list[Moving]) -> list[Moving]:
    """The chain from stride 1 that reaches furthest, where modes overlap: each may be cut short.

    A mode ``s:d`` can be followed by ``s':d'`` if ``d`` divides ``d'`` and ``d' <= s*d``.
    """
    best: list[tuple[Any, list[Moving]]] = []  # where the chain from a mode on ends
    for i in range(len(moving) - 1, -1, -1):
        s, d, p = moving[i]
        end, chain = s * d, [(s, d, p)]
        for further, rest in best:
            follows = rest[0][1]
            if further > end and follows > d and follows % d == 0 and follows <= s * d:
                end, chain = further, [(follows // d, d, p), *rest]
        best.append((end, chain))
    starts = [x for x in best if x[1][0][1] == 1]
    return max(starts, key=itemgetter(0))[1] if starts else []


def _sorted(layout: AnyLayout, modes: Modes) -> list[Moving]:
    """The modes that move, ``(s, d, p)`` by stride."""
    out: list[Moving] = []
    below: Any = 1
    for s, d in modes:
        if s == 0:
            raise LayoutError(f"{layout} has no coordinate, and so no inverse", layout=layout)
        if s != 1 and d != 0:
            out.append((s, d, below))
        below = below * s
    if len(out) > 1:
        out.sort(key=itemgetter(1))
    return out


# --- left -------------------------------------------------------------------------------------


@constexpr
def left_inverse(layout: AnyLayout | IntTuple, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout ``r`` with ``r(layout(i)) == i`` for every index ``i``.

    Where ``layout`` sends several indices to one offset, ``r`` gives one with that offset, which may
    lie where the last mode, grown, reaches: ``layout.extended(r.extended(layout(i))) == layout(i)``.

    >>> print(left_inverse(Layout((4, 8), (1, 5))), left_inverse(Layout((2, 4), (0, 3))))
    (5,8):(1,4) (3,4):(0,2)

    It exists where each stride divides the next greater one and no two modes overlap. Beyond that
    an inverse is returned where one is found among those of mixed radix, and proved by composition.

    >>> print(left_inverse(Layout((4, 2), (6, 59))))
    (6,9,2):(0,1,4)

    Raises:
        OverlapError: two modes overlap, and no inverse was found.
        DivisibilityError: a stride does not divide the next, and no inverse was found.
        LayoutError: a stride is negative, or the layout has no coordinate.
    Source: CuTe ``left_inverse``, layout.hpp.
    """
    if assume is not None:
        return call_assuming(assume, left_inverse, layout)
    return left_inverted(tiler_layout(layout))


def left_inverted(layout: AnyLayout, steps: list[Any] | None = None) -> AnyLayout:
    """`left_inverse` of a layout. ``steps`` receives the sorted modes, then the digits."""
    read = read_modes(layout)
    if read is None:
        return _inverted("left inverse", left_inverted, _left_digits, layout, steps)
    modes = coalesced(read[0])
    moving = _sorted(layout, modes)
    if moving and moving[0][1] < 0:
        s, d, _p = moving[0]
        raise LayoutError(
            f"{layout} has no left inverse: its mode {s}:{d} reaches offsets below 0", layout=layout
        )
    grows = can_grow(layout.shape) and extended_modes(read[0])[-1][0] != 1
    size, step = modes[-1]
    last = next((m for m in reversed(moving) if grows and m[0] is size and m[1] is step), None)
    digits = _digits(moving, last)
    if digits is None:
        digits = next((x for x in _candidates(moving, last) if _returns(layout, x)), None)
    if digits is None:
        _refuse(layout, moving)
    if steps is not None:
        steps += [moving, digits]
    return of_modes(coalesced(digits), read[1])


def _digits(moving: list[Moving], last: Moving | None) -> Modes | None:
    """The inverse of mixed radix where each stride divides the next: the digits of an offset.

    Where a mode is longer than the gap to the next stride its index carries into the next digit, which
    is another index of the same offset. No digit may exceed its mode; but of the last one, if it grows.
    """
    carried: Any = 0
    for (s, d, _p), (_s, e, _q) in pairwise(moving):
        gap, rest = divmod(e, d)
        if rest or (carried and gap > s):
            return None
        carried = (s - 1 + carried) // gap
    top = moving[-1] if moving else (1, 0, 0)
    if carried and top != last:
        return None
    return _radix(moving, top[0] + carried)


def _radix(moving: list[Moving], top: Any) -> Modes:
    """Below the first stride nothing, then the index of each mode; ``top`` is the last extent."""
    out: Modes = []
    block, index = 1, 0
    for _s, d, p in moving:
        out.append((d // block, index))
        block, index = d // block * block, p
    out.append((top, index))
    return out


def _candidates(moving: list[Moving], last: Moving | None) -> Iterator[Modes]:
    """Digits that may invert: of all modes; of those that do not overlap; of those below the last."""
    span = 1 + sum([(s - 1) * d for s, d, _p in moving])
    clear: list[Moving] = []
    for mode in moving:
        if not clear or clear[-1][0] * clear[-1][1] <= mode[1]:
            clear.append(mode)
    choices = [moving, clear]
    if last is not None:
        choices.append([x for x in clear if x[0] * x[1] <= last[1] and last[1] % x[1] == 0] + [last])
    for chosen in choices:
        digits = _radix(chosen, 1)
        block = prod([s for s, _p in digits])
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


def _refuse(layout: AnyLayout, moving: list[Moving]) -> NoReturn:
    for (s, d, _p), (t, e, _q) in pairwise(moving):
        if s * d > e:
            raise OverlapError(
                f"no left inverse of {layout} was found: its modes {s}:{d} and {t}:{e} overlap or"
                " interleave",
                f"The mode {s}:{d} takes up the offsets below {s} * {d} = {s * d}; the next begins at"
                f" {e}.",
                f"A stride of at least {s * d} in place of {e} keeps the two apart.",
                layout=layout,
                modes=((s, d), (t, e)),
            )
        if e % d:
            raise DivisibilityError(
                f"no left inverse of {layout} was found: the stride {d} of its mode {s}:{d} does not"
                f" divide the next stride {e}",
                f"A stride of {-(-e // d) * d} in place of {e} is a multiple of it.",
                layout=layout,
                modes=((s, d), (t, e)),
            )
    raise AssertionError("strides that divide each other without overlap are the digits of offsets")


# --- where sizes are unknown ------------------------------------------------------------------


@keeps_assumptions
def _inverted(
    what: str,
    inverted: Callable[..., AnyLayout],
    chain: Callable[[list[Moving], Needs], Modes | None],
    layout: AnyLayout,
    steps: list[Any] | None,
) -> AnyLayout:
    """An inverse by the chain of its modes where that is one function for all that they may be."""
    if is_symbolic(layout.shape, layout.stride):
        needs = Needs(lambda: f"the {what} of {layout}")
        below: Any = _1
        moving: list[Moving] = []
        for mode in raw_modes(coalesce(layout)):
            if needs.moving([mode]):
                moving.append((*mode, below))
            below = below * mode[0]
        if all(known_lt(_0, s) and (known_lt(d, _0) or needs.positive(d)) for s, d, _p in moving):
            moving = needs.by_stride(moving)
            found = chain(moving, needs)
            if found is not None:
                if steps is not None:
                    steps += [moving, found]
                return coalesce(of_modes(found))
    result: AnyLayout = lifted(partial(inverted, steps=steps), layout)
    return result


def _right_chain(moving: list[Moving], needs: Needs) -> Modes | None:
    """The modes from stride 1 on, each beginning where the one before ends; None where some overlap.

    One of size 1 that begins there leaves what follows to begin there too.
    """
    chosen: Modes = []
    end: Any = _1
    for s, d, p in moving:
        if known_eq(d, end) is True:
            chosen.append((s, p))
            end = s * end
            continue
        is_below = known_lt(d, end)
        if is_below is None:
            needs.refuse(d, ">=", end)
        if not is_below:
            if known_lt(end, d) is None:
                needs.refuse(d, "==", end)
            break  # nor does any further
        if known_lt(d, _0) is not True:
            return None
    return chosen


def _left_digits(moving: list[Moving], needs: Needs) -> Modes | None:
    """The digits of an offset where each stride divides the next, and none carries; None elsewhere.

    Without a mode of size 1 its digit is part of the one below: that makes no difference where the mode
    fills what is below the next stride. At the top it is where the mode below does so, or stride 1.
    """
    if any(known_lt(d, _0) for _s, d, _p in moving):
        return None
    fills = [not moving or known_eq(moving[0][1], _1) is True]
    for (s, d, _p), (_s, e, _q) in pairwise(moving):
        end = s * d
        is_below = known_lt(e, end)
        if is_below is None:
            needs.refuse(e, ">=", end)
        if is_below or not needs.divides(d, e):
            return None
        fills.append(known_eq(e, end) is True)
    is_top = True
    for i in range(len(moving) - 1, -1, -1):
        s = moving[i][0]
        if known_lt(_1, s) is True:
            is_top = False
        elif not (is_top or fills[i + 1]) or (is_top and not fills[i]):
            needs.refuse(s, ">", _1)
    return _radix(moving, moving[-1][0] if moving else _1)
