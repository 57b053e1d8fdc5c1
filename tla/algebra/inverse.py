"""Inverses: from an offset back to the index, as a layout.

With the modes ``s_i:d_i`` of a coalesced layout and ``p_i`` the number of coordinates below mode ``i``,
an inverse sends the offset ``d_i`` to the index ``p_i``.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import DivisibilityError, LayoutError, OverlapError, TlaError
from ..layout import AnyLayout
from .coalesce import coalesced, same_function
from .composition import composed, tiler_layout
from .modes import Modes, flat_modes, lifted, of_modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ints import IntTuple

__all__ = ["left_inverse", "left_inverted", "right_inverse", "right_inverted"]


def right_inverse(layout: AnyLayout | IntTuple) -> AnyLayout:
    """Return the layout ``r`` with ``layout(r(i)) == i`` for every index ``i`` of it.

    >>> print(right_inverse(Layout((4, 8), (8, 1))), right_inverse(Layout((2, 4, 3), (0, 1, 8))))
    (8,4):(4,1) 4:2

    It is made of whole modes: from stride 1 on, each that begins where the one before ends. Where
    ``layout`` is injective no longer one exists: its size is the length of the run of offsets
    0, 1, 2, ... that are reached.

    Raises:
        LayoutError: the layout has no coordinate.
    Source: CuTe ``right_inverse``, layout.hpp.
    """
    return right_inverted(tiler_layout(layout))


def right_inverted(layout: AnyLayout, steps: list[Any] | None = None) -> AnyLayout:
    """`right_inverse` of a layout. ``steps`` receives the sorted modes and whether each is taken."""
    modes = flat_modes(layout)
    if modes is None:
        result: AnyLayout = lifted(lambda x: right_inverted(x, steps), layout)
        return result
    moving = _sorted(layout, modes)
    chosen, end = [], 1
    for mode in moving:
        if mode[1] == end:
            chosen.append(mode)
            end = mode[0] * end
    if any(1 <= d < end for _s, d, _p in moving if (_s, d, _p) not in chosen):
        chosen = _longest(moving)
    if steps is not None:
        steps += [(*mode, mode[1:] in [x[1:] for x in chosen]) for mode in moving]
    return of_modes(coalesced([(s, p) for s, _d, p in chosen]))


def _longest(moving: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any, Any]]:
    """The chain from stride 1 that reaches furthest, where modes overlap: each may be cut short.

    A mode ``s:d`` can be followed by ``s':d'`` if ``d`` divides ``d'`` and ``d' <= s*d``.
    """
    best: list[tuple[Any, list[tuple[Any, Any, Any]]]] = []  # where the chain from a mode on ends
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


def _sorted(layout: AnyLayout, modes: Modes) -> list[tuple[Any, Any, Any]]:
    """The coalesced modes that move, ``(s, d, p)`` by stride; the longest first of equal strides."""
    out: list[tuple[Any, Any, Any]] = []
    below: Any = 1
    for s, d in coalesced(modes):
        if s == 0:
            raise LayoutError(f"{layout} has no coordinate, and so no inverse", layout=layout)
        if s != 1 and d != 0:
            out.append((s, d, below))
        below = below * s
    if len(out) > 1:
        out.sort(key=itemgetter(0), reverse=True)
        out.sort(key=itemgetter(1))
    return out


# --- left -------------------------------------------------------------------------------------


def left_inverse(layout: AnyLayout | IntTuple) -> AnyLayout:
    """Return the layout ``r`` with ``r(layout(i)) == i`` for every index ``i``.

    Where ``layout`` sends several indices to one offset, ``r`` gives one of them:
    ``layout.extended(r.extended(layout(i))) == layout(i)``.

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
    return left_inverted(tiler_layout(layout))


def left_inverted(layout: AnyLayout, steps: list[Any] | None = None) -> AnyLayout:
    """`left_inverse` of a layout. ``steps`` receives the sorted modes and the gap below each."""
    modes = flat_modes(layout)
    if modes is None:
        result: AnyLayout = lifted(lambda x: left_inverted(x, steps), layout)
        return result
    moving = _sorted(layout, modes)
    for s, d, _p in moving:
        if d < 0:
            raise LayoutError(
                f"{layout} has no left inverse: its mode {s}:{d} reaches offsets below 0", layout=layout
            )
    refusal = _refusal(layout, moving)
    radix = moving
    if refusal is not None:
        last = coalesced(modes)[-1]
        for radix in _candidates(moving, last):
            inverse = of_modes(coalesced(_radix(radix)))
            if _returns(layout, inverse):
                break
        else:
            raise refusal
    if steps is not None:
        steps += [(*mode, part) for mode, part in zip(radix, _radix(radix), strict=False)]
    return of_modes(coalesced(_radix(radix)))


def _radix(moving: list[tuple[Any, Any, Any]]) -> Modes:
    """The digits of an offset: below the first stride nothing, then each mode's index."""
    out: Modes = []
    block, index = 1, 0
    for _s, d, p in moving:
        out.append((d // block, index))
        block, index = d // block * block, p
    if moving:
        out.append((moving[-1][0], index))
    return out


def _refusal(layout: AnyLayout, moving: list[tuple[Any, Any, Any]]) -> TlaError | None:
    """Why the digits of an offset are not the indices of the modes; None where they are."""
    for (s, d, _p), (t, e, _q) in zip(moving, moving[1:]):  # noqa: B905 (neighbours)
        if s * d > e:
            return OverlapError(
                f"{layout} has no left inverse: its modes {s}:{d} and {t}:{e} overlap",
                f"The mode {s}:{d} takes up the offsets to {s * d}, {s} * {d}; the next begins at {e}.",
                f"A stride of {s * d} or a greater multiple of {d} in place of {e} would do.",
                layout=layout,
                modes=((s, d), (t, e)),
            )
        if e % d:
            return DivisibilityError(
                f"{layout} has no left inverse: the stride {d} of its mode {s}:{d} does not divide"
                f" the next stride {e}",
                f"A stride of {-(-e // d) * d} in place of {e} would do.",
                layout=layout,
                modes=((s, d), (t, e)),
            )
    return None


def _candidates(
    moving: list[tuple[Any, Any, Any]], last: tuple[Any, Any]
) -> Iterator[list[tuple[Any, Any, Any]]]:
    """Modes whose digits may invert: all; those that do not overlap; those below the last mode."""
    yield moving
    clear: list[tuple[Any, Any, Any]] = []
    for mode in moving:
        if not clear or clear[-1][0] * clear[-1][1] <= mode[1]:
            clear.append(mode)
    yield clear
    for s, d, p in moving:
        if (s, d) == last:  # the mode that grows
            under = [x for x in clear if x[0] * x[1] <= d and d % x[1] == 0]
            yield [*under, (s, d, p)]


def _returns(layout: AnyLayout, inverse: AnyLayout) -> bool:
    """Whether ``inverse`` is a left inverse, up to indices of one offset; proved by composition."""
    try:
        index = composed(inverse, layout)
        return same_function(composed(layout, index), layout)
    except TlaError:
        return False
