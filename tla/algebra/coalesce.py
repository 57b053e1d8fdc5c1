# SPDX-License-Identifier: Apache-2.0
"""Coalescing: the fewest modes of a layout that leave its offsets as they are.

Two neighbouring modes ``s0:d0`` and ``s1:d1`` are one, ``s0*s1:d0``, exactly where ``d1 == s0 * d0``;
a mode of size 1 is none. What is left is the canonical form of the layout as a function of one
index, so `same_function` compares by it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import accumulate, chain, pairwise
from operator import mul
from typing import TYPE_CHECKING, Any

from ..errors import CongruenceError, CoordinateError, UndecidedError
from ..ground import constexpr, limit_error, limit_of
from ..layouts import (
    AnyLayout,
    Layout,
    as_int_tuple,
    as_layout,
    is_composed,
    is_swizzle,
    leaves,
    of_coordinates,
    of_static,
    product,
    text_of,
    transform_leaf,
    trusted,
)
from ..numbers import (
    INT,
    PLAIN_INTS,
    TUPLE,
    Int,
    IntTuple,
    Questions,
    _1,
    call_assuming,
    decide,
    equality,
    is_open,
    is_tuple,
    keeps_assumptions,
    known_eq,
    known_int,
    known_lt,
    min_,
    of_domain,
    order,
)
from .by_mode import by_mode, require_modes
from .modes import (
    Mode,
    Modes,
    collect,
    first_of,
    is_symbolic,
    of_modes,
    one_mode,
    operation,
    raw_modes,
    read_modes,
)
from .steps import CoalesceStep

if TYPE_CHECKING:
    from ..numbers import Conditions, Question


@constexpr
def coalesce(
    layout: AnyLayout, profile: IntTuple | None = None, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout with the fewest modes and ``result(i) == layout(i)`` for every index ``i``.

    The size is kept; the result is flat, and ``1:0`` for a layout of size 1.

    >>> print(coalesce(Layout((2, (1, 6)), (1, (7, 2)))), coalesce(Layout((2, 4), (4, 1))))
    12:1 (2,4):(4,1)

    Args:
        profile: Each of its ints stands for a mode: coalesce inside that mode, and keep it. Modes past
            the profile stay as they are.

    >>> print(coalesce(Layout((2, (1, 6)), (1, (6, 2))), (1, 1)))
    (2,6):(1,2)

    Raises:
        CongruenceError: ``profile`` has modes that the layout has not.
    Source: CuTe ``coalesce``, layout.hpp.
    """
    if assume is not None:
        return call_assuming(assume, coalesce, layout, profile)
    if profile is None:
        read = read_modes(layout)
        if read is not None:
            modes = coalesced(read[0])
            is_least = len(modes) == len(read[0]) > 1 and layout.beside is None
            if is_least and TUPLE not in map(type, layout.shape):
                return layout  # it has the fewest modes
            return of_modes(modes, read[1])
    elif type(layout) is Layout and layout.beside is None:
        s, d = layout.shape, layout.stride
        found = _by_profile(profile, s, d) or of_static(partial(_by_profile, profile), s, d)
        if found is not None:
            return trusted(*found)
    if is_composed(layout):
        seen: AnyLayout = layout.with_inner(coalesce(layout.inner, profile))
        return seen
    return _coalesced(layout, profile)


def _by_profile(profile: Any, shape: Any, stride: Any) -> Mode | None:
    """Shape and stride of `coalesce` by mode, for dynamic extents; None for others."""
    if type(profile) is not TUPLE:
        modes: Modes = []
        are_dynamic = collect(shape, stride, modes) and modes and type(profile) in PLAIN_INTS
        return one_mode(coalesced(modes)) if are_dynamic else None
    if type(shape) is not TUPLE or len(profile) > len(shape):
        return None
    shapes, strides = [*shape], [*stride]
    i = 0
    for part in profile:
        mode = _by_profile(part, shape[i], stride[i])
        if mode is None:
            return None
        shapes[i], strides[i] = mode
        i += 1  # noqa: SIM113 (counted in half the time of enumerate)
    return tuple(shapes), tuple(strides)


@keeps_assumptions
def _coalesced(layout: AnyLayout, profile: IntTuple | None) -> AnyLayout:
    """`coalesce` of any ints."""
    if profile is None:
        return of_modes(coalesced(raw_modes(layout), _1))
    return by_mode(lambda mode, _int: coalesce(mode), layout, as_int_tuple(profile), same=True)


def coalesced(modes: Modes, one: Any = 1) -> Modes:
    """Coalesce a list of modes; ``one:0`` if none is left. Two modes that may or may not merge stay."""
    out: Modes = []
    size: Any = None
    stride: Any = None
    for s, d in modes:
        if s == 1 if type(s) is INT else known_eq(s, 1):
            continue
        if size is not None:
            joins = size * stride == d  # of unknown ints no bool
            if joins is True or (joins is not False and known_eq(size * stride, d)):
                size = size * s  # (i + size*j) * stride == i*stride + j*d
                continue
            out.append((size, stride))
        size, stride = s, d
    out.append((one, one - one) if size is None else (size, stride))
    return out


def coalesce_steps(layout: AnyLayout) -> list[CoalesceStep]:
    """Return what `coalesce` does with each mode, none where sizes are unknown."""
    steps: list[CoalesceStep] = []
    if read_modes(layout) is None:
        return steps
    modes, one = first_of(layout)
    count = 0
    for i, (s, d) in enumerate(modes):
        now = coalesced(modes[: i + 1], one)  # the modes so far, by the algorithm itself
        moved = len([n for n, _d in now if n != 1])
        action = "skip" if s == 1 else "keep" if moved > count else "merge"
        steps.append(CoalesceStep(s, d, action, of_modes(now)))
        count = moved
    return steps


def same_function(a: AnyLayout, b: AnyLayout) -> bool:
    """Whether ``a`` and ``b`` have one size and ``a(i) == b(i)`` for every index ``i``.

    >>> same_function(Layout((2, 3), (1, 2)), Layout(6)), same_function(Layout(6), Layout(8))
    (True, False)

    Layouts without coordinates are all the same function. The answer is exact for every layout, since
    coalescing gives each function one form. Its first mode is as long as the offsets grow by one step;
    the rest is the function at the multiples of that length.

    Raises:
        UndecidedError: symbolic ints leave it open.
    Source: Cecka, CuTe Layout Representation and Algebra, on coalescing.
    """
    if is_composed(a) or is_composed(b):
        return _same_seen(a, b)
    forms = [raw_modes(coalesce(x)) for x in (a, b)]
    if not is_symbolic(*forms[0], *forms[1]):
        empty = [any(s == 0 for s, _d in form) for form in forms]
        return all(empty) if any(empty) else forms[0] == forms[1]
    answer, obligation = _one_form(*forms)
    return answer or decide(_may_differ(a, b), obligation)


def _same_seen(a: Any, b: Any) -> bool:
    """`same_function`, one of the two behind a function: by what is outside, else one by one."""
    a, b = of_coordinates(a), of_coordinates(b)
    if known_int(a.size) != known_int(b.size):
        return False
    of_one = is_composed(a) and is_composed(b) and (a.outer, a.offset) == (b.outer, b.offset)
    if of_one and is_swizzle(a.outer):
        return same_function(a.inner, b.inner)
    size, most = known_int(a.size), limit_of("indices")
    if size > most:
        summary = f"whether {a} and {b} are one function is looked at one by one: {size} coordinates"
        raise limit_error("indices", summary, needed=size, a=a, b=b)
    return all(a(i) == b(i) for i in range(size))


def _one_form(a: Modes, b: Modes) -> Question:
    """Whether two coalesced layouts are known to be one; else what would make them more alike."""
    if len(a) == len(b):
        open_ones = [question for m, n in zip(a, b, strict=True) for question in map(equality, m, n)]
    else:
        longer = max(a, b, key=len)
        merged = [(s * d, e) for (s, d), (_s, e) in pairwise(longer)]
        # two of which the first is never the lesser are equal only where they are least
        open_ones = [equality(end, d) for end, d in merged if known_lt(end, d) is not False]
        open_ones += [order(1, s) for s, _d in longer]
        open_ones.append(equality(*[product(tuple([s for s, _d in x])) for x in (a, b)]))
    undecided = next((question for question in open_ones if question[0] is None), None)
    if undecided is None and len(a) == len(b) and all(answer for answer, _obligation in open_ones):
        return True, None
    return undecided or (None, "they are the same function")


def _may_differ(a: AnyLayout, b: AnyLayout) -> bool | None:
    """False where the sizes, or two offsets, are known to differ; None where that is open."""
    if known_eq(a.size, b.size) is False:
        return False
    ends = [accumulate(leaves(x.shape), mul) for x in (a, b)]  # where the modes end
    for index in chain([1], *ends):
        with suppress(CoordinateError, UndecidedError):  # no index, or not known to be one
            if known_lt(index, a.size) is True and known_eq(a(index), b(index)) is False:
                return False
    return None


# --- filter -----------------------------------------------------------------------------------


@operation
@of_domain
def filter_zeros(
    layout: AnyLayout, profile: IntTuple | None = None, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout with extent 1 wherever the stride is 0: the same offsets, without repetition
    by a stride of 0.

    >>> print(filter_zeros(Layout((2, (3, 4)), (1, (0, 2)))))
    (2,(1,4)):(1,(0,2))

    Args:
        profile: Look for the zeros here instead, an int tuple whose ints stand for whole modes.

    Source: CuTe ``filter_zeros``, layout.hpp.
    """
    as_layout(layout)
    zeros = layout.stride if profile is None else as_int_tuple(profile)
    return trusted(_filtered(layout.shape, zeros), layout.stride)


def _filtered(shape: Any, zeros: Any) -> Any:
    """``shape`` with 1 at every int under a 0 of ``zeros``."""
    if is_tuple(zeros):
        if not is_tuple(shape):
            raise CongruenceError(
                f"{text_of(zeros)} has modes where the layout has the int {text_of(shape)}",
                profile=zeros,
            )
        require_modes(shape, len(shape), zeros)
        return (*map(_filtered, shape, zeros), *shape[len(zeros) :])
    if is_open(zeros) and all(known_eq(n, 1) is True for n in leaves(shape)):
        return shape
    if Questions(lambda: f"whether {text_of(shape)} is repeated").moves(zeros):
        return shape
    return transform_leaf(_one, shape)


def _one(extent: Any) -> Any:
    if is_open(extent):  # no offset stays no offset
        return min_(extent, 1)
    return extent if extent == 0 else _1 if type(extent) is Int else 1


@operation
@of_domain
def filter(
    layout: AnyLayout, profile: IntTuple | None = None, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout without modes of stride 0 and of size 1, coalesced.

    It has the same offsets, and each of its steps moves.

    >>> print(filter(Layout((2, (3, 4)), (1, (0, 2)))), filter(Layout((2, 3), (0, 0))))
    8:1 1:0

    Args:
        profile: Each of its ints stands for a mode: filter inside that mode, and keep it.

    Kept out of ``tla.__all__``, since it would hide Python's own ``filter``.
    Source: CuTe ``filter``, layout.hpp.
    """
    if profile is not None:
        return by_mode(lambda mode, _int: filter(mode), layout, as_int_tuple(profile))
    ask = Questions(lambda: f"filter of {layout}")
    modes, one = first_of(layout)
    real = [mode for mode in modes if known_eq(mode[0], 1) is not True]
    moving = [mode for mode in real if ask.moves(mode[1]) or not ask.positive(mode[0])]
    return of_modes(coalesced(moving, one))
