# SPDX-License-Identifier: Apache-2.0
"""Casts: a layout of elements as a layout of wider or narrower ones, and how wide they may be.

``upcast`` by ``n`` makes one element of ``n`` neighbours, a vector; ``downcast`` splits each element
into ``n``. In memory, vector ``w`` is the elements ``n*w`` to ``n*w + n - 1``.

>>> halves = Layout((8, 4), (1, 8))
>>> print(upcast(halves, 2), downcast(halves, 2), recast_layout(halves, "f16", "f32"))
(4,4):(1,4) (16,4):(1,16) (4,4):(1,4)
"""

from __future__ import annotations

from functools import reduce
from math import gcd
from typing import TYPE_CHECKING, Any

from ..errors import DivisibilityError, LayoutError, OverlapError, UnsupportedError
from ..ground import ElementType, constexpr, element_type, naming_call
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    Swizzle,
    as_layout,
    cosize,
    is_composed,
    is_swizzle,
    static_as,
    trusted,
)
from ..numbers import (
    Int,
    IntLike,
    SymbolicInt,
    ceil_div,
    differs,
    divides,
    equal,
    known_divides,
    known_int,
    leaf,
    less,
)
from .alignment import whole_vectors
from .coalesce import coalesce, coalesced
from .domain import common_divisor
from .modes import (
    Modes,
    end_of,
    first_of,
    grown_to,
    in_shape,
    is_one,
    leaf_names,
    magnitude,
    named,
    operation,
    raw_modes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..numbers import Conditions

# --- wider elements ---------------------------------------------------------------------------


@operation
def upcast(layout: AnyLayout, n: IntLike, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout of the vectors of ``n`` elements that hold the elements of a layout.

    Of a swizzle of offsets in elements, it is that of offsets in vectors.

    With ``k`` the factors by which the extents shrink, leaf by leaf,
    ``result(c // k) == floor(layout(c) / n)`` and ``n * result(c) == layout(k * c)``.

    >>> print(upcast(Layout((8, 4), (1, 8)), 2), upcast(Layout((2, (8, 4)), (32, (1, 8))), 4))
    (4,4):(1,4) (2,(2,4)):(8,(1,2))

    A stride that ``n`` divides is divided. A stride ``d`` that divides ``n`` becomes 1, and its extent
    shrinks by ``n / |d|``, or to 1 where it lies in one vector. A stride of 0 stays. A negative stride
    that becomes -1 runs down through its vectors. So the element at offset 0 then is not the first of
    its vector, but the last that such strides reach down from. The first law holds for
    ``layout(c) + z``, with ``z`` the sum of ``(k - 1) * |d|`` over them.

    Args:
        n: The elements of a vector, positive.

    Raises:
        DivisibilityError: neither of a stride and ``n`` divides the other, or an extent does not
            split into whole vectors; CuTe rounds such an extent up. ``mode`` and ``extent``,
            ``stride`` are those of the mode at fault.
        OverlapError: the modes that shrink reach, together, past one vector.
        LayoutError: ``n`` is not positive.
    Source: CuTe ``upcast``, layout.hpp.
    """
    if is_composed(layout):
        return _cast_seen(layout, leaf(n), upcast)
    if is_swizzle(layout):
        return _cast_swizzle(layout, layout, leaf(n), upcast)
    return named("upcast", _upcast, as_layout(layout), leaf(n))


def _upcast(layout: AnyLayout, n: Any) -> AnyLayout:
    modes = raw_modes(layout)
    _require_positive(n, "the elements of a vector")
    if is_one(n):
        return trusted(layout.shape, layout.stride)
    parts = [_in_vectors(layout, n, i, *mode) for i, mode in enumerate(modes)]
    _require_one_vector(layout, n, modes, [k for _s, _d, k in parts])
    return trusted(*in_shape([(s, d) for s, d, _k in parts], layout.shape))


def _in_vectors(layout: AnyLayout, n: Any, i: int, s: Any, d: Any) -> tuple[Any, Any, Any]:
    """Extent, stride and factor of one mode in vectors."""
    if is_one(s):
        return s, -(-d // n), s // s  # its stride is a convention
    step = magnitude(d)
    fits = known_divides(step, n) is True
    if not fits and divides(n, d):
        return s, d // n, n // n
    if fits or divides(step, n):
        k = n // step
        if known_divides(s, k) is not True and divides(k, s):
            return s // k, d // step, k
        if divides(s, k):
            return s // s * (k // k), d // step, s
    if not (equal(s, 0) or equal(s, 1)):  # of extent 1 it is as above
        raise _not_whole(layout, n, i, s, d)
    return s, d, n // n


def _require_one_vector(layout: AnyLayout, n: Any, modes: Modes, factors: list[Any]) -> None:
    """Raise `OverlapError` where elements that would share a vector are ``n`` or more apart."""
    small = [i for i, k in enumerate(factors) if not is_one(k)]
    if len(small) < 2:
        return  # one mode keeps within its vector: (k - 1) * |d| < k * |d| <= n
    reach = sum([(factors[i] - 1) * magnitude(modes[i][1]) for i in small])
    if less(reach, n) or any(not differs(s, 0) for s, _d in modes):
        return
    names = leaf_names(layout.shape)
    shares = [f"{factors[i]} coordinates of mode {names[i]}, of stride {modes[i][1]}" for i in small]
    raise OverlapError(
        f"upcast of {layout} by {n}: modes reach, together, past one vector",
        f"A vector would hold {', and '.join(shares)}: elements {reach} apart, at most {n - 1} in {n}.",
        "upcast(coalesce(layout), max_alignment(layout)) exists.",
        layout=layout,
        n=n,
        modes=tuple(names[i] for i in small),
        reach=reach,
    )


def _not_whole(layout: AnyLayout, n: Any, i: int, s: Any, d: Any) -> DivisibilityError:
    name, step = leaf_names(layout.shape)[i], magnitude(d)
    if not divides(step, n):
        why = f"Mode {name} is {s}:{d}, and neither of the stride {d} and {n} divides the other."
        out = f"A stride that is a multiple of {n} works, or one that divides it"
        fits = common_divisor(step, n)
    else:
        k = n // step
        why = f"Mode {name} is {s}:{d}. A vector takes {k} of its coordinates; {k} does not divide {s}."
        out = f"The extent {ceil_div(s, k) * k} works"
        fits = common_divisor(s, k) * step
    return DivisibilityError(
        f"upcast of {layout} by {n} does not give whole vectors",
        why,
        f"{out}." if not differs(fits, 1) else f"{out}; so does upcast by {fits}, for this mode.",
        layout=layout,
        n=n,
        mode=name,
        extent=s,
        stride=d,
    )


# --- narrower elements ------------------------------------------------------------------------


@operation
def downcast(layout: AnyLayout, n: IntLike, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout of the parts of elements, ``n`` parts to each; of a swizzle that of offsets.

    With ``k`` the factors by which the extents grow, ``result(k * c) == n * layout(c)``. They are
    ``n`` where the stride is 1 or -1, so that its elements become all their parts, and 1 elsewhere.

    >>> print(downcast(Layout((8, 4), (1, 8)), 2), downcast(Layout((8, 4), (4, 1)), 2))
    (16,4):(1,16) (8,8):(8,1)

    Without such a stride only the first part of each element is left, as in ``4:3`` to ``4:6``. Modes
    of extent 1 grow only where no other does, and of several the first. Parts run down from the
    last one where the stride is -1, as in `upcast`.

    Args:
        n: The parts of an element, positive.

    Raises:
        OverlapError: two modes of stride 1 or -1 would each list all the parts.
        LayoutError: ``n`` is not positive.
    Source: CuTe ``downcast``, layout.hpp, which asks for a static stride of 1 or -1.
    """
    if is_composed(layout):
        return _cast_seen(layout, leaf(n), downcast)
    if is_swizzle(layout):
        return _cast_swizzle(layout, layout, leaf(n), downcast)
    return named("downcast", _downcast, as_layout(layout), leaf(n))


def _downcast(layout: AnyLayout, n: Any) -> AnyLayout:
    modes = raw_modes(layout)
    _require_positive(n, "the parts of an element")
    if is_one(n):
        return trusted(layout.shape, layout.stride)
    growing = _growing(layout, n, modes)
    grown = [(s * n, d) if i == growing else (s, d * n) for i, (s, d) in enumerate(modes)]
    return trusted(*in_shape(grown, layout.shape))


def _growing(layout: AnyLayout, n: Any, modes: Modes) -> int | None:
    """The one mode whose extent grows, if any."""
    ones = [i for i, (_s, d) in enumerate(modes) if not differs(d, 1) or not differs(d, -1)]
    if len(ones) < 2:
        return ones[0] if ones else None
    long = [i for i in ones if differs(modes[i][0], 1)]
    if len(long) < 2 or any(not differs(s, 0) for s, _d in modes):
        return (long or ones)[0]
    names = leaf_names(layout.shape)
    listed = " and ".join(f"{names[i]}, {modes[i][0]}:{modes[i][1]}," for i in long)
    raise OverlapError(
        f"downcast of {layout} by {n} would list parts twice",
        f"Of the modes {listed} each holds neighbours, and one alone can grow to all their parts.",
        "Elements are already reached twice; a layout that reaches each once works.",
        layout=layout,
        n=n,
        modes=tuple(names[i] for i in long),
    )


# --- behind a swizzle -------------------------------------------------------------------------


def _cast_seen(layout: ComposedLayout, n: Any, cast: Callable[[AnyLayout, Any], AnyLayout]) -> Any:
    """A cast of a layout seen through a function: the bits of a swizzle move by those of ``n``."""
    if is_swizzle(layout.outer):
        outer = _cast_swizzle(layout, layout.outer, n, cast)
    else:
        outer, n = _cast_outer(layout, n, cast)
    if cast is downcast:
        return ComposedLayout(outer, layout.offset * n, cast(layout.inner, n))
    if not divides(n, layout.offset):
        raise DivisibilityError(
            f"upcast of {layout} by {n} does not give whole vectors",
            f"Its offset {layout.offset} is no multiple of {n}.",
            layout=layout,
            n=n,
        )
    return ComposedLayout(outer, layout.offset // n, cast(layout.inner, n))


def _cast_outer(layout: ComposedLayout, n: Any, cast: Any) -> tuple[AnyLayout, Any]:
    """A cast of the layout outside of another, and by how much to cast the other.

    Where the first extent alone changes, by a factor ``f``, the index changes by ``f`` as a whole.
    """
    outer: Any = layout.outer
    outer = grown_to(outer, known_int(layout.offset) + end_of(layout.inner))
    whole = cast(outer, n)
    (first, *rest), (now, *others) = ([known_int(s) for s, _d in raw_modes(x)] for x in (outer, whole))
    wide, narrow = max(first, now), min(first, now)
    if rest != others or not narrow or wide % narrow:
        raise UnsupportedError(
            f"{layout} cannot be cast by {n}: its outer layout {layout.outer} holds neighbours apart",
            "It works where an extent of its first mode alone changes.",
            layout=layout,
            n=n,
        )
    return whole, static_as(n, wide // narrow)


def _cast_swizzle(layout: Any, outer: Any, n: Any, cast: Any) -> Any:
    """A cast of the outer part of a layout, or of a swizzle alone.

    Of a vector, an upcast drops the bits that the swizzle writes inside it. Bits that it reads there
    would tear vectors apart.
    """
    _require_positive(n, "the elements of a vector")
    count = known_int(n)
    if count & (count - 1):
        if not outer.bits:
            return outer
        raise UnsupportedError(
            f"{layout} cannot be cast by {n}: its swizzle moves whole vectors of a power of 2",
            layout=layout,
            n=n,
        )
    low = count.bit_length() - 1
    bits, base, shift = outer.bits.real, outer.base.real, outer.shift.real
    if cast is downcast:
        return Swizzle(bits, base + low, shift)
    lost = max(0, low - base - max(0, -shift))  # written inside a vector
    if bits > lost and shift < 0 and base < low:
        raise DivisibilityError(
            f"upcast of {layout} by {n} does not give whole vectors",
            f"The swizzle reads bit {base}, inside a vector, and writes bit {base - shift}.",
            f"A base of {low} or more keeps vectors whole.",
            layout=layout,
            n=n,
        )
    left = max(0, bits - lost)
    return Swizzle(left, max(0, base - low), shift if left or abs(shift) else 0)


# --- by type ----------------------------------------------------------------------------------


@operation
def recast_layout(
    layout: AnyLayout,
    old_type: str | ElementType | IntLike,
    new_type: str | ElementType | IntLike,
    *,
    assume: Conditions | None = None,
) -> AnyLayout:
    """Return the layout in elements of another type: `upcast`, then `downcast`, by their widths.

    The widths are in lowest terms: from 6 to 8 bits, 4 elements become one vector of 3. It is the same
    memory where the contiguous mode fills whole elements of both types. An extent that lies within one
    element, or strides that leave gaps, are taken as `upcast` and `downcast` take them.

    >>> print(recast_layout(Layout((8, 4), (1, 8)), "bf16", "f32"))
    (4,4):(1,4)
    >>> print(recast_layout(Layout((8, 4), (1, 8)), 32, 8), recast_layout(Layout(8, 1), 6, 8))
    (32,4):(1,32) 6:1
    >>> print(recast_layout(Swizzle(3, 4, 3), "u8", "bf16"))  # of bytes, then of elements
    Sw<3,3,3>

    Args:
        old_type, new_type: Names of element types, or their widths in bits. Names are static.

    Raises:
        DivisibilityError: a stride or an extent does not split into vectors; see `upcast`.
        OverlapError: see `upcast` and `downcast`.
        UnsupportedError: a type is unknown, or has no width.
        LayoutError: a width is not positive.
    Source: CuTe ``recast_layout``, layout.hpp.
    """
    old, new = _bits(old_type), _bits(new_type)
    common = common_divisor(old, new)
    return downcast(upcast(layout, new // common), old // common)


@operation
def size_in_bytes(element: str | ElementType | IntLike, layout: AnyLayout | ComposedLayout) -> Any:
    """Return the bytes from the first element of a layout to its last: cosize times width, rounded up.

    >>> size_in_bytes("bf16", Layout((8, 8), (16, 1))), size_in_bytes("s4", Layout(5))
    (240, 3)

    Args:
        element: The name of an element type, or its width in bits. A name is static.

    Raises:
        UnsupportedError: the type is unknown, or has no width.
        LayoutError: the width is not positive.
    Source: CuTe's Python DSL ``size_in_bytes``, which takes the cosize inside a swizzle.
    """
    whole: Any = layout
    return ceil_div(cosize(whole) * _bits(element), Int(8))


def _bits(x: Any) -> int:
    if isinstance(x, (str, ElementType)):
        bits = element_type(x).bits
        if bits is None:
            raise UnsupportedError(
                f"the element type {element_type(x).name} has no width", "Give a type that holds data."
            )
        return Int(bits)
    width: Any = leaf(x)
    bits = known_int(width) if isinstance(width, SymbolicInt) else width
    _require_positive(bits, "the bits of a type")
    return bits


# --- alignment --------------------------------------------------------------------------------


@constexpr
def max_alignment(layout: AnyLayout) -> int:
    """Return the widest vector that the elements of a layout fill: all aligned, each one whole.

    The greatest ``n`` such that ``upcast(coalesce(layout), n)`` exists, and the coordinates that each
    coordinate of it stands for hold the elements ``n*w`` to ``n*w + n - 1``, each once.

    >>> max_alignment(Layout((8, 4), (1, 8))), max_alignment(Layout((8, 4), (1, 20)))
    (32, 4)
    >>> max_alignment(Layout((4, 8), (8, 1))), max_alignment(Layout(4, 2))
    (32, 1)

    Every int counts, whether static or not; CuTe takes its dynamic ones to be multiples of all.
    Where extents and strides are powers of 2, each divisor of ``n`` works as well. Elsewhere it need
    not, and the answer may divide CuTe's: ``(3,4,2):(4,1,18)`` gives 2, where CuTe says 6, by which
    the layout cannot be upcast. It is 1 for an empty layout, and where no stride is 1.

    Raises:
        UndecidedError: the answer depends on a symbolic int.
    Source: CuTe ``max_alignment``, layout.hpp.
    """
    inner, whole = whole_vectors(layout)
    widest: int = named("the widest vector", _widest, inner)
    if not whole:
        return widest
    both = gcd(known_int(widest), whole)
    shorter: int = next(n for n in range(both, 0, -1) if not both % n and _holds_vectors(layout, n))
    return static_as(layout, shorter)  # type: ignore[no-any-return]


def _holds_vectors(layout: AnyLayout, n: int) -> bool:
    """Whether a layout behind a function has vectors of some elements."""
    try:
        upcast(coalesce(layout), n)
    except (LayoutError, UnsupportedError):
        return False
    return True


def _widest(layout: AnyLayout) -> Any:
    modes, one = first_of(layout)
    if any(not differs(s, 0) for s, _d in modes):
        return one
    rest = coalesced([mode for mode in modes if differs(mode[1], 0)], one)
    chain: Modes = []  # modes that continue each other, from stride 1: mixed radix digits
    size: Any = one
    while (i := next((i for i, m in enumerate(rest) if _follows(m, size)), None)) is not None:
        chain.append(rest.pop(i))
        size = size * chain[-1][0]
    strides = [magnitude(d) for s, d in rest if differs(s, 1)]
    if not strides:
        return size
    for s, d in reversed(chain):
        # vectors of d * t, t a divisor of s, and no others
        if all(divides(d, step) for step in strides):
            return d * reduce(common_divisor, (step // d for step in strides), s)
    return one


def _follows(mode: Any, size: Any) -> bool:
    return differs(mode[0], 1) and not differs(mode[1], size)


# --- common -----------------------------------------------------------------------------------


def _require_positive(n: Any, what: str) -> None:
    if less(n, 1):
        raise naming_call(LayoutError(f"{what} cannot number {n}", "There is at least one.", n=n))
