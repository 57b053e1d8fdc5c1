"""Composition and complement where sizes are unknown: what the ranges and divisors settle.

The concrete algorithms of `tla.algebra.composition` and `tla.algebra.complement` branch on sizes. Here
each branch is taken only where it is right for every value of the unknowns, and a mode that may be of
size 1 is treated so that the result is the same function if it is. What is left open becomes an
`UndecidedError` with the condition that would settle it, which can be assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..errors import UndecidedError
from ..int_tuple import leaves
from ..ints import (
    _0,
    _1,
    compared,
    division,
    is_open,
    is_tuple,
    known_divides,
    known_eq,
    known_lt,
)
from .modes import flat

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..layout import AnyLayout
    from .modes import Mode, Modes

_M = TypeVar("_M", bound="tuple[Any, ...]")

__all__ = ["Needs", "gaps_between", "is_symbolic", "raw_modes", "walked_symbolically"]


def is_symbolic(*values: Any) -> bool:
    """Return whether an int among layouts, tuples and ints is unknown."""
    return any(is_open(x) or (is_tuple(x) and is_symbolic(*x)) for x in values)


def raw_modes(layout: AnyLayout) -> Modes:
    """Return the leaves of a layout with their strides, as they are."""
    return list(zip(flat(layout.shape), flat(layout.stride), strict=True))


class Needs:
    """The errors of one operation: what it asks, and raises where the answer is open.

    Args:
        what: The operation in words, made when an error needs it.
    """

    __slots__ = ("what",)

    what: Callable[[], str]

    def __init__(self, what: Callable[[], str]) -> None:
        self.what = what

    def refuse(self, left: Any, sign: str, right: Any) -> NoReturn:
        """Raise the error of a comparison that is open."""
        self._ask(compared(left, sign, right))

    def _ask(self, obligation: object) -> NoReturn:
        raise UndecidedError(
            f"{self.what()} needs {obligation}",
            "Its unknowns leave that open: give them a range or a divisor that settles it, or write"
            f" `with assume({obligation}):`.",
            obligation=obligation,
        )

    def less(self, a: Any, b: Any) -> bool:
        """Whether ``a < b``."""
        answer = known_lt(a, b)
        return self.refuse(a, "<", b) if answer is None else answer

    def positive(self, x: Any) -> bool:
        """Whether ``x > 0``."""
        answer = known_lt(_0, x)
        return self.refuse(x, ">", _0) if answer is None else answer

    def zero(self, x: Any) -> bool:
        """Whether ``x == 0``."""
        answer = known_eq(x, _0)
        return self.refuse(x, "==", _0) if answer is None else answer

    def divides(self, a: Any, b: Any) -> bool:
        """Whether ``a`` divides ``b``."""
        answer, obligation = division(a, b)
        return self._ask(obligation) if answer is None else answer

    def moves(self, d: Any) -> bool:
        """Whether a stride is not 0."""
        answer = known_eq(d, _0)
        if answer is None:
            below, above = known_lt(d, _0), known_lt(_0, d)
            if below is None or above is None:
                self.refuse(d, ">" if below is False else "!=", _0)
            answer = not (below or above)
        return not answer

    def moving(self, modes: Modes) -> Modes:
        """The modes that move, unless their size is 1; a mode that may be empty is refused."""
        real = [mode for mode in modes if known_eq(mode[0], _1) is not True]
        return [mode for mode in real if not self.positive(mode[0]) or self.moves(mode[1])]

    def by_stride(self, modes: list[_M]) -> list[_M]:
        """Modes sorted by their strides. Where two strides may be equal either mode may be first."""
        out: list[_M] = []
        for mode in modes:
            i = len(out)
            while i and known_lt(mode[1], out[i - 1][1]) is not False:
                if known_lt(out[i - 1][1], mode[1]) is None and known_lt(mode[1], out[i - 1][1]) is None:
                    self.refuse(mode[1], ">=", out[i - 1][1])
                i -= 1
            out.insert(i, mode)
        return out


# --- composition ------------------------------------------------------------------------------


def _growing(modes: Modes) -> Modes:
    """The modes of the function that grows, merged and dropped where that is known to be right."""
    out: Modes = []
    for s, d in modes[:-1]:
        _append(out, s, d)
    last, step = modes[-1] if modes else (_1, _0)
    if out and known_eq(out[-1][0] * out[-1][1], step) is True:
        size, stride = out.pop()
        return [*out, (size * last, stride)]
    return [*out, (last, step)]


def _append(out: Modes, s: Any, d: Any) -> None:
    if known_eq(s, _1) is True:
        return
    if out and known_eq(out[-1][0] * out[-1][1], d) is True:  # (i + size*j) * d == i*d + j*(size*d)
        size, d = out.pop()
        s = size * s
    out.append((s, d))


def walked_symbolically(
    left: Modes,
    right: Modes,
    needs: Needs,
    grows: bool = True,
    steps: list[Any] | None = None,
) -> list[Any] | None:
    """Return the shape and stride that each mode of ``b`` takes of ``a``; None where it is no layout.

    None says that some mode does not take whole digits, or that carries are sure: whether a layout
    exists all the same is for the search, which needs numbers.

    Args:
        left, right: The modes of ``a`` and ``b``.
        grows: Let the last mode of ``a`` grow.
        steps: Receives what each mode of ``b`` takes of ``a``, as in `tla.algebra.composition`.
    """
    if not all(needs.positive(size) for size, _d in left[:-1]):
        return None
    modes = _growing(left)
    last = len(modes) - 1
    used: list[Any] = [_0] * (last + 1)  # the greatest coordinate of each mode
    parts: list[Any] = []

    def note(*step: Any) -> None:
        if steps is not None:
            steps.append(step)

    for i, (s, e) in enumerate(right):
        # where the next mode goes on from here, whole digits are what it takes
        goes_on = i + 1 < len(right) and known_eq(right[i + 1][1], s * e) is True
        if known_eq(e, _0) is True:
            parts.append((s, _0))
            note("fit", None, None, 0, s, 0, s)
            continue
        if not needs.positive(e):
            return None
        taken: Modes = []
        k = 0
        while k < last:
            size, d = modes[k]
            if known_lt(size, e) is False:
                reach = (s - _1) * e
                if known_lt(reach, size) is True:  # it ends within this mode
                    break
                n = _whole_digit(s, e, size, reach, needs, goes_on)
                if n is None:
                    return None
                used[k] = used[k] + (size - e)
                if known_eq(n, _1) is not True:
                    taken.append((n, e * d))
                note("split", k, size, d, s, e, n)
                s, e = s // n, _1
            elif known_divides(size, e) is True:
                note("pass", k, size, d, s, e, e // size)
                e = e // size
            elif known_divides(size, e) is None and (isinstance(size, int) or known_lt(size, e)):
                needs.refuse(e % size, "==", _0)
            elif known_lt(size, e) is True:
                return None
            else:
                needs.refuse(e, "<=", size)
            k += 1
        d = modes[k][1]
        used[k] = used[k] + (s - _1) * e
        note("fit", k, modes[k][0] if k < last else None, d, s, e, s)
        if taken:
            taken.append((s, e * d))
            parts.append((tuple([m for m, _t in taken]), tuple([t for _m, t in taken])))
        else:
            parts.append((s, e * d))
    for k in range(last + (not grows)):
        if not needs.less(used[k], modes[k][0]):
            return None
    return parts


def _whole_digit(s: Any, e: Any, size: Any, reach: Any, needs: Needs, goes_on: bool) -> Any:
    """How many of a mode's coordinates fill what is left of a digit; None where they cannot."""
    divides = known_divides(e, size)
    if divides is True:
        n = size // e
        fills = known_divides(n, s)
        if fills is True:
            return n
        if known_lt(reach, size) is False and fills is False:
            return None
        if (isinstance(n, int) or known_lt(reach, size) is False) and not needs.divides(n, s):
            return None
    elif known_lt(reach, size) is False:
        if divides is False:
            return None
        needs.refuse(size % e, "==", _0)
    if goes_on and isinstance(s * e, int) and not needs.zero(size % (s * e)):
        return None
    needs.refuse(reach, "<", size)


# --- complement -------------------------------------------------------------------------------


def gaps_between(
    modes: Modes,
    cotarget: Any,
    needs: Needs,
    grows: bool = False,
    steps: list[Any] | None = None,
) -> Modes | Mode:
    """Return the modes of the complement of some modes; the two that overlap, as a pair, if they do.

    A mode that may be of size 1 is kept where the gaps are the same without it: if it leaves none below,
    or if all that follows divides, since what a range leaves is one set.
    """
    moving = needs.moving(modes)
    for mode in moving:
        s, d = mode
        if known_lt(_0, s) is False:
            return None, (_0, d)
        if not needs.positive(d):
            _demand_more_than_one(mode, needs)
            return None, mode
    out: Modes = []
    end: Any = _1
    below: Any = None
    # sizes that may be 1, of modes above a gap: the first, and one with no other above it
    doubtful: Any = None
    on_top: Any = None
    for mode in needs.by_stride(moving):
        s, d = mode
        below_end = known_lt(d, end)
        if below_end is None:
            needs.refuse(d, ">=", end)
        if below_end:
            if doubtful is not None:
                needs.refuse(doubtful, "==", _1)
            _demand_more_than_one(mode, needs)
            return below, mode
        gap, may_be_one = d // end, known_lt(_1, s) is not True
        if not may_be_one:
            on_top = None
        if known_eq(d, end) is not True:
            if may_be_one:
                doubtful, on_top = (s if doubtful is None else doubtful), s
            if doubtful is not None and known_divides(end, d) is not True:
                needs.refuse(doubtful, ">", _1)
            if known_eq(gap, _1) is not True:
                out.append((gap, end))
        if steps is not None:
            steps.append((s, d, end, gap))
        below, end = mode, s * d
    if cotarget is None and on_top is not None:
        needs.refuse(on_top, ">", _1)
    rest: Any = _1
    above = end
    for n in () if cotarget is None else leaves(cotarget):  # as many blocks as cover it, mode by mode
        if doubtful is not None and known_divides(above, n) is not True:
            needs.refuse(doubtful, ">", _1)
        rest = rest * -(-n // above)
        if is_tuple(cotarget):
            if not needs.positive(n):
                break
            above = -(-above // n)
    if grows or known_eq(rest, _1) is not True:
        out.append((rest, end))
    if steps is not None:
        steps.append((None, None, end, rest))
    return out or [(_1, _0)]


def _demand_more_than_one(mode: Mode, needs: Needs) -> None:
    """Raise where a mode that is at fault is none if its size is 1."""
    if known_lt(_1, mode[0]) is None:
        needs.refuse(mode[0], "==", _1)
