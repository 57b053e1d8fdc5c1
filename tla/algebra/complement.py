"""The complement: what a layout leaves free of a range of offsets, as a layout.

Sort the modes ``s_i:d_i`` that move by their strides. Where each mode ends before the next begins,
``s_i * d_i <= d_(i+1)``, the gap between them is a mode ``d_(i+1) // (s_i*d_i) : s_i*d_i``, and above
the last one the rest of the range follows.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

from ..assumed import call_assuming, keeps_assumptions
from ..constexpr import constexpr
from ..errors import LayoutError, OverlapError
from ..int_tuple import as_shape
from ..ints import PLAIN_INTS, Int, is_open, is_tuple
from .composition import tiler_layout
from .modes import (
    INT,
    STATIC,
    Modes,
    as_plain,
    both_static,
    flat,
    is_one,
    lifted,
    of_modes,
    read_modes,
)
from .symbolic import Needs, gaps_between, is_symbolic, raw_modes

if TYPE_CHECKING:
    from ..expr import Conditions
    from ..ints import IntTuple
    from ..layout import AnyLayout

__all__ = ["complement", "free", "gaps"]


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
                f"the cotarget {target} is negative", "It is how many offsets to fill.", cotarget=target
            )
        target = as_shape(target)
    whole = tiler_layout(layout)
    read = read_modes(whole)
    if read is not None and type(target) is (STATIC if read[1] else INT):  # what there mostly is
        return of_modes(gaps(read[0], as_plain(target), whole), read[1])
    return free(whole, target)


def free(
    layout: AnyLayout, cotarget: Any = None, steps: list[Any] | None = None, grows: bool = False
) -> AnyLayout:
    """`complement` of checked arguments. ``steps`` receives the sorted modes, each with its gap."""
    read = read_modes(layout)
    are_static = both_static(read, read if cotarget is None else _read(cotarget))
    if read is None or are_static is None:
        if is_symbolic(layout.shape, layout.stride, cotarget):
            found: AnyLayout = _free_symbolically(layout, cotarget, grows, steps)
            return found
        others = [] if cotarget is None else [cotarget]
        result: AnyLayout = lifted(partial(free, steps=steps, grows=grows), layout, *others)
        return result
    if are_static:
        cotarget = as_plain(cotarget)
    return of_modes(gaps(read[0], cotarget, layout, steps, grows), are_static)


@keeps_assumptions
def _free_symbolically(
    layout: AnyLayout, cotarget: Any, grows: bool, steps: list[Any] | None
) -> AnyLayout:
    """`free` where sizes are unknown."""
    needs = Needs(lambda: f"the complement of {layout}")
    found = gaps_between(raw_modes(layout), cotarget, needs, grows, steps)
    if isinstance(found, tuple):
        _refuse(layout, *found)
    return of_modes(found)


def _read(cotarget: Any) -> tuple[list[Any], bool] | None:
    """The ints of a cotarget, and whether all are static; None if one is symbolic: as `read_modes`."""
    ints = list(flat(cotarget))
    ready = not any(is_open(n) for n in ints)
    return (ints, all(type(n) is Int for n in ints)) if ready else None


def gaps(
    modes: Modes,
    cotarget: Any,
    layout: AnyLayout | None = None,
    steps: list[Any] | None = None,
    grows: bool = False,
) -> Modes:
    """Return the modes of the complement of some modes.

    Args:
        layout: What an error calls them.
        grows: Keep the last mode where its size is 1: the stride with which the complement goes on.
    """
    moving = [mode for mode in modes if mode[0] != 1 and (mode[1] != 0 or mode[0] == 0)]
    if len(moving) > 1:
        moving.sort(key=itemgetter(1))
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
        if steps is not None:
            steps.append((s, d, end, gap))
        below, end = mode, s * d
    rest = 1 if cotarget is None else _left(cotarget, end)
    if grows or (rest != 1 if type(rest) is INT else not is_one(rest)):
        out.append((rest, end))
    if steps is not None:
        steps.append((None, None, end, rest))
    return out or [(1, 0)]


def _left(cotarget: Any, end: Any) -> Any:
    """How many blocks of ``end`` offsets cover the cotarget, rounded up in each of its modes."""
    if not is_tuple(cotarget):
        return -(-cotarget // end) if end != 1 else cotarget
    count: Any = 1
    for n in flat(cotarget):
        if n == 0:
            return n
        count = count * -(-n // end)
        end = -(-end // n)
    return count


def _refuse(layout: AnyLayout, below: Any, mode: Any) -> NoReturn:
    s, d = mode
    if s == 0:
        raise LayoutError(f"{layout} has no coordinate, and so no complement", layout=layout)
    if d < 0:
        raise LayoutError(
            f"{layout} has no complement: the mode {s}:{d} runs backwards",
            "A complement needs strides that are not negative.",
            layout=layout,
            mode=mode,
        )
    size, step = below
    raise OverlapError(
        f"{layout} has no complement: its modes {size}:{step} and {s}:{d} overlap or interleave",
        f"The mode {size}:{step} takes up the offsets below {size} * {step} = {size * step}; the next"
        f" begins at {d}.",
        f"A stride of at least {size * step} in place of {d} keeps the two apart.",
        layout=layout,
        modes=(below, mode),
    )
