# SPDX-License-Identifier: Apache-2.0
"""The complement: what a layout leaves free of a range of offsets, as a layout.

Sort the modes ``s_i:d_i`` that move by their strides. Where each mode ends before the next begins,
``s_i * d_i <= d_(i+1)``, the gap between them is a mode ``d_(i+1) // (s_i*d_i) : s_i*d_i``, and above
the last one the rest of the range follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import LayoutError, OverlapError, UnsupportedError
from ..ground import constexpr, naming_call, shown
from ..layouts import (
    AnyLayout,
    as_shape,
    is_composed,
    is_layout,
    is_swizzle,
    leaves,
    static_as,
    text_of,
    trusted,
)
from ..numbers import (
    INT,
    PLAIN_INTS,
    STATIC,
    Questions,
    _0,
    _1,
    call_assuming,
    is_dynamic,
    is_open,
    is_tuple,
    keeps_assumptions,
    known_divides,
    known_eq,
    known_int,
    known_lt,
)
from .composition import tiler_layout
from .coordinates import has_coordinates
from .facts import is_bijective
from .linear import run_of
from .modes import (
    Mode,
    Modes,
    by_stride,
    is_one,
    listed,
    moving_modes,
    of_modes,
    raw_modes,
    read_both,
    read_modes,
    stride_of,
)
from .steps import ComplementStep

if TYPE_CHECKING:
    from ..numbers import Conditions, IntTuple


@constexpr
def complement(
    layout: AnyLayout | IntTuple, cotarget: IntTuple | None = None, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout ``c`` whose offsets, added to those of ``layout``, fill a range without overlap.

    With ``a`` the modes of ``layout`` that move: ``(a, c)`` is injective, ``c`` increases strictly, and
    where every ``s_i * d_i`` divides the next stride, each offset below an int cotarget is reached.

    >>> print(complement(Layout(4, 2), 24), complement(Layout((2, 2), (1, 6)), 24))
    (2,3):(1,8) (3,2):(2,12)

    Args:
        layout: A layout, or a shape for its compact layout.
        cotarget: The length of the range; of a shape, each mode's part of it in turn, which rounds up
            mode by mode as CuTe does. By default the cosize of the modes that move.

    Raises:
        OverlapError: two modes overlap or interleave. The error holds both.
        LayoutError: a stride is negative, the layout has no coordinate, or the cotarget is negative.
    Source: CuTe ``complement``, layout.hpp; Shah, A Note on the Algebra of CuTe Layouts.
    """
    if assume is not None:
        return call_assuming(assume, complement, layout, cotarget)
    target: Any = cotarget
    if target is not None and (type(target) not in PLAIN_INTS or target < 0):
        if isinstance(target, int) and target < 0:
            raise LayoutError(
                f"the cotarget {text_of(target)} is negative",
                "It is how many offsets to fill.",
                cotarget=target,
            )
        target = as_shape(target)
    if is_composed(layout):
        return free(_filling(layout), target)
    return free(tiler_layout(layout), target)


def _filling(layout: Any) -> AnyLayout:
    """A layout that reaches the offsets of one behind a function, counted from the least of them.

    Behind a swizzle that maps a range onto itself it is that range; elsewhere the offsets are listed.
    """
    inner: Any = layout.inner
    while is_composed(inner) and not known_int(inner.size):
        inner = inner.inner
    n, is_plain = known_int(inner.size), is_swizzle(layout.outer) and is_layout(inner)
    is_range = is_plain and known_eq(layout.offset, 0) is True and is_bijective(layout.inner)
    if is_range and run_of(layout.outer, n) == n:
        return inner  # type: ignore[no-any-return]
    offsets = sorted({*listed(layout)})
    if not offsets:
        return inner  # type: ignore[no-any-return]
    modes: Modes = []
    end, left = 1, [x - offsets[0] for x in offsets]
    while len(left) > 1:  # the shortest step, as often as it goes on, and what is left of one period
        step = left[1]
        extent = next((i for i, x in enumerate(left) if x != i * step), len(left))
        first = left[::extent]
        if step < end or [x + i * step for x in first for i in range(extent)] != left:
            raise UnsupportedError(
                f"{layout} has no complement of known form",
                f"It has one where some layout reaches its offsets, mode above mode; they are"
                f" {shown(offsets)}.",
                layout=layout,
            )
        modes.append((extent, step))
        end, left = extent * step, first
    found: AnyLayout = static_as(layout, of_modes(modes or [(1, 0)]))
    return found


def free(
    layout: AnyLayout,
    cotarget: Any = None,
    steps: list[ComplementStep] | None = None,
    grows: bool = False,
) -> AnyLayout:
    """`complement` of checked arguments. ``steps`` receives the sorted modes, each with its gap."""
    read = read_modes(layout)
    if steps is None and read is not None:
        modes, are_static = read
        if cotarget is None or (type(cotarget) is STATIC if are_static else is_dynamic(cotarget)):
            length = int(cotarget) if are_static and cotarget is not None else cotarget
            return of_modes(gaps(modes, length, layout, grows), are_static)
    target = layout if cotarget is None else trusted(cotarget, cotarget)
    both = None if read is None or is_open(cotarget) else read_both(layout, target)
    return gaps_between(layout, cotarget, grows, steps, _1 if both is None or both[2] else 1)


def gaps(modes: Modes, cotarget: Any, layout: AnyLayout | None = None, grows: bool = False) -> Modes:
    """`gaps_between` of ints that answer all questions, with Python's operators.

    Args:
        cotarget: An int, or None.
        layout: What an error calls the modes.
        grows: Keep the last mode where its size is 1: the stride with which the complement goes on.
    """
    moving = [mode for mode in modes if mode[0] != 1 and (mode[1] != 0 or mode[0] == 0)]
    if len(moving) > 1:
        moving.sort(key=stride_of)
    out: Modes = []
    end: Any = 1  # of the offsets below the mode
    below: Any = None
    for mode in moving:
        s, d = mode
        if d < end or s == 0:
            _refuse(layout or of_modes(modes), below, mode)
        gap = d // end
        if gap != 1 if type(gap) is INT else not is_one(gap):
            out.append((gap, end))
        below, end = mode, s * d
    rest = 1 if cotarget is None else -(-cotarget // end) if end != 1 else cotarget
    if grows or (rest != 1 if type(rest) is INT else not is_one(rest)):
        out.append((rest, end))
    return out or [(1, 0)]


@keeps_assumptions
def gaps_between(
    layout: AnyLayout, cotarget: Any, grows: bool, steps: list[ComplementStep] | None, one: Any
) -> AnyLayout:
    """`free` of any ints, with the 1 to start from.

    A size that may be 1 is not asked for where the gaps are the same without the mode: it leaves no gap
    below itself, or all that follows divides.
    """
    ask = Questions(lambda: f"the complement of {layout}")
    moving = moving_modes(raw_modes(layout), ask)
    if has_coordinates(moving):
        raise LayoutError(
            f"{layout} has no complement: coordinates have no order",
            "A complement is made of the gaps between offsets that grow.",
            layout=layout,
        )
    for mode in moving:
        s, d = mode
        if known_lt(_0, s) is False:
            _refuse(layout, None, (_0, d))
        if not ask.positive(d):
            _refuse(layout, None, mode)
    out: Modes = []
    end = one
    below: Any = None
    # sizes that may be 1, of modes above a gap: the first, and one with no other above it
    doubtful: Any = None
    on_top: Any = None
    for mode in by_stride(moving, ask):
        s, d = mode
        below_end = known_lt(d, end)
        if below_end is None:
            ask.refuse(d, ">=", end)
        if below_end:
            if doubtful is not None:
                ask.refuse(doubtful, "==", _1)
            _refuse(layout, below, mode)
        gap, may_be_one = d // end, known_lt(_1, s) is not True
        is_gap = known_eq(d, end) is not True
        if not may_be_one:
            on_top = None
        if is_gap:
            if may_be_one:
                doubtful, on_top = (s if doubtful is None else doubtful), s
            if doubtful is not None and known_divides(end, d) is not True:
                ask.refuse(doubtful, ">", _1)
        is_mode = is_gap and known_eq(gap, _1) is not True
        if is_mode:
            out.append((gap, end))
        if steps is not None:
            steps.append(ComplementStep(s, d, end, gap, of_modes(out[-1:]) if is_mode else None))
        below, end = mode, s * d
    if cotarget is None and on_top is not None:
        ask.refuse(on_top, ">", _1)
    rest = one
    above = end
    for n in () if cotarget is None else leaves(cotarget):  # as many blocks as cover it, mode by mode
        if doubtful is not None and known_divides(above, n) is not True:
            ask.refuse(doubtful, ">", _1)
        rest = rest * -(-n // above)
        if is_tuple(cotarget):
            if not ask.positive(n):
                break
            above = -(-above // n)
    is_mode = grows or known_eq(rest, _1) is not True
    if is_mode:
        out.append((rest, end))
    if steps is not None:
        steps.append(ComplementStep(None, None, end, rest, of_modes(out[-1:]) if is_mode else None))
    return of_modes(out or [(one, one - one)])


def _refuse(layout: AnyLayout, below: Any, mode: Any) -> NoReturn:
    s, d = mode
    if known_lt(_1, s) is None:  # of size 1 it is not at fault
        Questions(lambda: f"the complement of {layout}").refuse(s, "==", _1)
    if s == 0:
        refusal = LayoutError(f"{layout} has no coordinate, and so no complement", layout=layout)
        raise naming_call(refusal)
    if d < 0:
        raise LayoutError(
            f"{layout} has no complement: the mode {s}:{d} runs backwards",
            "A complement needs strides that are not negative.",
            layout=layout,
            mode=mode,
        )
    raise overlapping(f"{layout} has no complement", layout, below, mode)


def overlapping(what: str, layout: AnyLayout, below: Mode, mode: Mode) -> OverlapError:
    """Return the error of two modes of a layout, the second of which begins before the first ends."""
    (size, step), (s, d) = below, mode
    return OverlapError(
        f"{what}: its modes {size}:{step} and {s}:{d} overlap or interleave",
        f"The mode {size}:{step} takes up the offsets below {size} * {step} = {size * step}; the next"
        f" begins at {d}.",
        f"A stride of at least {size * step} in place of {d} keeps the two apart.",
        layout=layout,
        modes=(below, mode),
    )
