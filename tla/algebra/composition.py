# SPDX-License-Identifier: Apache-2.0
"""Composition: ``c(i) == a.extended(b(i))``, where such a layout ``c`` exists, and the proof where not.

Let ``a`` be coalesced, with extents ``M_k``, strides ``d_k`` and ``P_k = M_0 * ... * M_(k-1)``; the last
mode grows. Then ``a`` is a linear function with corrections where an index carries from mode to mode::

    A(x) = d_0 * x + sum_k delta_k * floor(x / P_k)        delta_k = d_k - M_(k-1) * d_(k-1) != 0

A layout whose shape refines that of ``b`` and that equals ``A(B(i))`` exists exactly if

1. each mode ``s:e`` of ``b`` alone has a mixed-radix image. Where ``c -> A(e*c)`` is linear up to, not
   including, ``c = L``, a layout must begin with a mode of size ``L``: so ``L`` divides ``s``, and the
   rest is the mode ``s/L : e*L``. This splits every mode of ``b`` into parts ``m_j : e_j``;
2. the parts add up: ``sum_k delta_k * floor(sum_j c_j * (e_j mod P_k) / P_k) == 0`` for all ``c``.

Without any carry (each floor is 0 at the greatest ``c``) the second holds, which settles what people
write in time linear in the modes; a carry that no other carry cancels refutes it. Carries can cancel,
as in ``(2,2,2):(1,3,5) o (2,2):(1,3) == (2,2):(1,4)``; whether they always do is a subset-sum problem
in the number of modes, so there a search decides within the ``steps`` of `limits`, or raises
`LimitError`.

Source: CuTe 02_layout_algebra.md, "Composition"; Shah, A Note on the Algebra of CuTe Layouts, whose
disjoint intervals of definition are "no carry".
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any, overload

from ..errors import LayoutError, NotALayoutError, UndecidedError, UnsupportedError
from ..ground import constexpr
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    Layout,
    Swizzle,
    as_layout,
    as_shape,
    is_composed,
    is_layout,
    is_swizzle,
    make_layout,
    require_bool,
    trusted,
)
from ..numbers import (
    INT,
    Int,
    Questions,
    _0,
    _1,
    asking,
    call_assuming,
    is_dynamic,
    is_tuple,
    keeps_assumptions,
    known_divides,
    known_eq,
    known_int,
    known_lt,
    of_domain,
)
from .by_mode import Tiler, by_mode, is_left_alone
from .coalesce import coalesced
from .coordinates import indexing
from .existence import Search
from .linear import as_swizzle, conjugate, to_linear
from .modes import Modes, can_grow, in_shape, is_one, of_modes, one_mode, raw_modes, read_both
from .steps import CompositionStep

if TYPE_CHECKING:
    from ..numbers import Conditions

_LAYOUT: Any = Layout


@overload
def composition(
    a: AnyLayout | Swizzle | ComposedLayout,
    b: Swizzle | ComposedLayout,
    *,
    extend: bool = True,
    assume: Conditions | None = None,
) -> Any: ...
@overload
def composition(
    a: Swizzle | ComposedLayout, b: Tiler, *, extend: bool = True, assume: Conditions | None = None
) -> ComposedLayout: ...
@overload
def composition(
    a: AnyLayout, b: Tiler, *, extend: bool = True, assume: Conditions | None = None
) -> AnyLayout: ...
@constexpr
def composition(
    a: AnyLayout | Swizzle | ComposedLayout,
    b: Tiler | Swizzle | ComposedLayout,
    *,
    extend: bool = True,
    assume: Conditions | None = None,
) -> AnyLayout | ComposedLayout | Swizzle:
    """Return the layout ``c`` with ``c(i) == a.extended(b(i))`` for every coordinate ``i`` of ``b``.

    >>> print(composition(parse("(6,2):(8,2)"), parse("(4,3):(3,1)")))
    ((2,2),3):((24,2),8)

    The shape of the result refines the shape of ``b``; its offsets are elements of ``a``'s memory.

    It exists exactly if each mode of ``b`` alone has a mixed-radix image and the carries of their sums
    cancel: with ``a`` coalesced, ``A(x) = d_0*x + sum_k delta_k * floor(x / P_k)``, and
    ``sum_k delta_k * carry_k == 0`` for every carry vector reached. Where nothing carries, or a carry
    stands alone, that is settled at once. Otherwise the question is NP-hard: a search of at most 100,000
    steps decides it. The module `tla.algebra.composition` has the argument in its docstring.

    Args:
        a: A layout, or a `Swizzle` or `ComposedLayout`, for which the result is a `ComposedLayout`.
        b: A layout, a `Swizzle`, or a `ComposedLayout`.
            An int ``n`` stands for ``n:1``. A tuple composes by mode, each part with the
            mode of ``a`` at its place; `_` and None keep the mode, and modes past the tuple go.
        extend: Let the last mode of ``a`` grow where ``b`` reaches past it, as CuTe always does.

    >>> print(composition(parse("(6,8):(1,6)"), (2, Layout(4, 2))))
    (2,4):(1,12)

    Raises:
        DivisibilityError: no layout has these offsets: a mode of ``b`` cuts a mode of ``a`` unevenly,
            or modes of ``b`` carry into each other. The error holds a coordinate where any layout
            that agrees below differs, and both values.
        CoordinateError: ``b`` reaches below 0, or past the end where ``a`` may not grow.
        UndecidedError: the search for carries that do not cancel exceeded its steps; it holds the
            modes.
    Source: CuTe ``composition``, layout.hpp; by mode it drops modes as CuTe C++ does.
    """
    if assume is not None:
        result: AnyLayout | ComposedLayout | Swizzle
        result = call_assuming(assume, composition, a, b, extend=extend)
        return result
    if extend is not True:
        require_bool(extend)
    left: Any = a
    right: Any = b
    if type(right) is _LAYOUT and type(left) is _LAYOUT:
        return composed(left, right, extend)
    if is_swizzle(a):
        found: ComposedLayout = _of_swizzle(a, b)
        return found
    if is_composed(a):
        inner: Any = composition(a.inner, right, extend=extend)
        seen: ComposedLayout = a.with_inner(inner)
        return seen
    if is_swizzle(b) or is_composed(b):
        return _of_seen(as_layout(a), b)
    if not is_tuple(b):
        return as_layout(a) if is_left_alone(b) else composed(a, tiler_layout(right), extend)
    return _by_mode(a, b) if extend else _by_mode(a, b, extend=False)  # quicker with two arguments


def _of_swizzle(a: Swizzle, b: Any) -> Any:
    """The composition of a swizzle with a layout, a swizzle, or a layout seen through one."""
    if not is_swizzle(b) and not (is_composed(b) and is_swizzle(b.outer)):
        return ComposedLayout(a, _0, b if is_composed(b) else tiler_layout(b))
    inner = b if is_swizzle(b) else b.outer
    f, g = (to_linear(x) for x in (a, inner))
    width = max(len(f.columns), len(g.columns))
    both = as_swizzle(f.widened(width).compose(g.widened(width)))
    if is_swizzle(b):
        return (
            ComposedLayout(a, _0, ComposedLayout(b, _0, make_layout(Int(1 << width))))
            if both is None
            else both
        )
    return ComposedLayout(a, _0, b) if both is None else ComposedLayout(both, b.offset, b.inner)


def _of_seen(a: AnyLayout, b: Swizzle | ComposedLayout) -> ComposedLayout:
    """The composition of a layout with a swizzle, or with a layout seen through one.

    Where ``a`` moves the bits of the swizzle together, the swizzle goes outside. Elsewhere ``a`` does.
    """
    seen = b if is_composed(b) else ComposedLayout(b, _0, make_layout(a.size))
    outer, moves = seen.outer, known_eq(seen.offset, 0)
    swizzle = outside(a, outer, seen.inner) if moves and is_swizzle(outer) else None
    if swizzle is not None:
        with suppress(LayoutError):  # the inner layouts may not compose
            return ComposedLayout(swizzle, _0, a if is_swizzle(b) else composition(a, seen.inner))
    return ComposedLayout(a, _0, seen)


def outside(a: AnyLayout, swizzle: Swizzle, inner: Any) -> Swizzle | None:
    """Return the swizzle ``t`` with ``a(swizzle(x)) == t(a(x))`` of all that a layout gives, or None.

    The last mode of ``a`` grows to a power of 2, as far as the swizzle leads.
    """
    *first, (extent, step) = extended_modes(raw_modes(a))
    below = prod([s for s, _d in first])
    try:
        end = _end(ComposedLayout(swizzle, _0, inner))
        last = max(known_int(extent), -(-end // known_int(below)))
    except (UndecidedError, UnsupportedError, ZeroDivisionError):
        return None
    return conjugate(of_modes([*first, (1 << (last - 1).bit_length(), step)]), swizzle)


def _end(x: Any) -> int:
    """A number above all that a layout gives."""
    if not is_composed(x):
        return known_int(x.cosize)
    if not is_swizzle(x.outer):
        raise UnsupportedError("only a swizzle maps a range onto itself")
    block = int(x.outer.size)
    return -(-(known_int(x.offset) + _end(x.inner)) // block) * block


@keeps_assumptions
@of_domain
def _by_mode(a: AnyLayout, tiler: Tiler, *, extend: bool = True) -> AnyLayout:
    """`composition` with a tuple."""

    def of_mode(mode: AnyLayout, tiler: Any) -> AnyLayout:
        shape = mode.shape
        if extend and is_dynamic(tiler) and tiler >= 0 and (type(shape) is Int or is_dynamic(shape)):
            return trusted(tiler, mode.stride)  # one mode, which grows
        return composed(mode, tiler_layout(tiler), extend)

    return by_mode(of_mode, a, tiler, False)


def tiler_layout(tiler: Any) -> AnyLayout:
    """Return the layout that a tiler stands for: an int ``n`` for ``n:1``."""
    if is_layout(tiler):
        return tiler
    if is_dynamic(tiler) and tiler >= 0:
        return trusted(tiler, 1)
    if is_swizzle(tiler) or is_composed(tiler):
        raise NotALayoutError(f"{tiler} is seen through a function, and here a layout is needed")
    return make_layout(as_shape(tiler))


def composed(
    a: AnyLayout,
    b: AnyLayout,
    extend: bool = True,
    steps: list[CompositionStep] | None = None,
    hints: bool = True,
) -> AnyLayout:
    """`composition` of two layouts.

    Args:
        steps: Receives what each mode of ``b`` takes of ``a``.
        hints: Look for what would work, for the error of a reader.
    """
    read = read_both(a, b)
    if read is None or steps is not None:
        return _composed(a, b, extend, steps, hints, _1 if read is None or read[2] else 1)
    left, right, are_static = read
    modes = extended_modes(left)
    parts = walk_ints(modes, right) if extend and can_grow(a.shape) else None
    if parts is None:
        parts = Search(a, b, modes, right, extend, hints, 1).parts(walk_ints, steps)
    return trusted(*in_shape(parts, b.shape, are_static))


@keeps_assumptions
def _composed(
    a: AnyLayout, b: AnyLayout, extend: bool, steps: list[CompositionStep] | None, hints: bool, one: Any
) -> AnyLayout:
    """`composed` of any ints, with the 1 to start from."""
    b = indexing(b, a.shape)
    modes, right = raw_modes(a), raw_modes(b)
    left, grows = extended_modes(modes, one), extend and can_grow(a.shape)
    parts: list[Any] | None = None
    ask = Questions(lambda: f"composition of {a} with {b}")
    if modes and all(ask.positive(size) for size, _d in modes[:-1]):
        parts = walk(left, right, ask, grows, steps, one)
    if parts is None:
        search = Search(a, b, left, right, extend, hints, one)
        parts = asking(ask.operation, search.parts, walk_ints, steps)
    return trusted(*in_shape(parts, b.shape))


# --- the walk, for modes that take whole digits -----------------------------------------------


def extended_modes(modes: Modes, one: Any = 1) -> Modes:
    """Return the coalesced modes of the function that grows: a last mode of size 1 keeps its stride."""
    if len(modes) == 1:
        return modes
    below = coalesced(modes[:-1], one)
    for s, _d in below:
        if s == 0 if type(s) is INT else known_eq(s, 0):  # no index lies in it, not even 0
            return [(0, 0), (1, 0)]
    last, step = modes[-1] if modes else (one, one - one)
    size, stride = below.pop()
    if size == 1 if type(size) is INT else is_one(size):
        return [(last, step)]
    joins = size * stride == step
    if joins is True or (joins is not False and known_eq(size * stride, step)):
        return [*below, (size * last, stride)]
    return [*below, (size, stride), (last, step)]


def walk_ints(modes: Modes, right: Modes) -> list[Any] | None:
    """`walk` of ints that answer all questions, with Python's operators.

    ``modes`` are the `extended_modes` of ``a``, which grows.
    """
    last = len(modes) - 1
    if last and modes[0][0] == 0:
        return None
    used = [0] * last  # the greatest coordinate of each mode that does not grow
    parts: list[Any] = []
    for s, e in right:
        if e <= 0:
            if e == 0:
                parts.append((s, 0))
                continue
            return None
        digits: Modes = []
        k = 0
        while k < last:
            size, d = modes[k]
            if e < size:
                reach = (s - 1) * e
                if reach < size:  # it ends within this mode
                    used[k] += reach
                    break
                n, rest = divmod(size, e)
                if rest or s % n:
                    return None
                used[k] += size - e
                digits.append((n, e * d))
                s, e = s // n, 1
            else:
                q, rest = divmod(e, size)
                if rest:
                    return None
                e = q
            k += 1
        d = modes[k][1]
        parts.append(one_mode([*digits, (s, e * d)]) if digits else (s, e * d))
    for k in range(last):
        if used[k] >= modes[k][0]:
            return None
    return parts


def walk(
    modes: Modes,
    right: Modes,
    ask: Questions,
    grows: bool = True,
    steps: list[CompositionStep] | None = None,
    one: Any = _1,
) -> list[Any] | None:
    """Return the shape and stride that each mode of ``b`` takes of ``a``; None where it is no layout.

    None says that some mode does not take whole digits, or that carries are sure: whether a layout
    exists all the same is for the search, which needs numbers.

    Args:
        modes: The `extended_modes` of ``a``.
        right: The modes of ``b``.
        grows: Let the last mode of ``a`` grow.
        steps: Receives what each mode of ``b`` takes of ``a``.
        one: The 1 to start from.
    """
    last = len(modes) - 1
    used: list[Any] = [_0] * (last + 1)  # the greatest coordinate of each mode
    parts: list[Any] = []

    def note(k: int | None, action: str, n: Any) -> None:
        if steps is not None:
            size, d = (None, e) if k is None else modes[k]
            taken = None if n is None else of_modes([(n, e if k is None else e * d)])
            steps.append(CompositionStep(i, s, e, k, None if k == last else size, d, action, taken))

    for i, (s, e) in enumerate(right):
        # the next mode continues this one: then this one must take whole digits
        goes_on = i + 1 < len(right) and known_eq(right[i + 1][1], s * e) is True
        if known_eq(e, _0) is True:
            parts.append((s, one - one))
            note(None, "fit", s)
            continue
        if not ask.positive(e):
            return None
        digits: Modes = []
        k = 0
        while k < last:
            size, d = modes[k]
            is_same = known_eq(size, e) is True
            if known_lt(size, e) is False and not is_same:
                reach = (s - one) * e
                if known_lt(reach, size) is True:  # it ends within this mode
                    break
                n = _whole_digit(s, e, size, reach, ask, goes_on)
                if n is None:
                    return None
                used[k] = used[k] + (size - e)
                if known_eq(n, _1) is not True:
                    digits.append((n, e * d))
                note(k, "split", n)
                s, e = s // n, one
            elif is_same or known_divides(size, e) is True:
                note(k, "pass", None)
                e = one if is_same else e // size
            elif known_divides(size, e) is None and (isinstance(size, int) or known_lt(size, e)):
                ask.refuse(e % size, "==", _0)
            elif known_lt(size, e) is True:
                return None
            else:
                ask.refuse(e, "<=", size)
            k += 1
        d = modes[k][1]
        used[k] = used[k] + (s - one) * e
        note(k, "fit", s)
        parts.append(one_mode([*digits, (s, e * d)]) if digits else (s, e * d))
    for k in range(last + (not grows)):
        if not ask.less(used[k], modes[k][0]):
            return None
    return parts


def _whole_digit(s: Any, e: Any, size: Any, reach: Any, ask: Questions, goes_on: bool) -> Any:
    """How many of a mode's coordinates fill what is left of a digit; None where they cannot."""
    divides, is_past = known_divides(e, size), known_lt(reach, size) is False
    if divides is True:
        n = size // e
        if known_divides(n, s) is True:
            return n
        if (isinstance(n, int) or is_past) and not ask.divides(n, s):
            return None
    elif is_past:
        return None if divides is False else ask.refuse(size % e, "==", _0)
    if goes_on and isinstance(s * e, int) and not ask.zero(size % (s * e)):
        return None
    ask.refuse(reach, "<", size)
