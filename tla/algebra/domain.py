# SPDX-License-Identifier: Apache-2.0
"""The domain of a layout: shifted, shared out, and the part of it that a layout sends to 0."""

from __future__ import annotations

from math import gcd, isqrt
from typing import TYPE_CHECKING, Any

from ..errors import LayoutError
from ..ground import limit_error, limit_of
from ..layouts import AnyLayout, as_layout, as_shape, is_composed, is_layout, text_of, trusted
from ..numbers import (
    Int,
    IntLike,
    IntTuple,
    differs,
    divides,
    is_open,
    is_static,
    known_divides,
    known_int,
    leaf,
    less,
    neither_divides,
)
from .coalesce import coalesced
from .modes import Modes, first_of, is_one, named, of_modes, operation

if TYPE_CHECKING:
    from ..numbers import Conditions


@operation
def domain_offset(
    coord: IntTuple, layout: AnyLayout, *, assume: Conditions | None = None
) -> tuple[AnyLayout, Any]:
    """Return a layout and an offset with ``offset + result(c) == layout(coord + c)``.

    The law holds where both coordinates have the profile of the shape, are added int by int, and lie
    inside it together. The layout is not cut: the caller leaves out what leads past its end.

    >>> moved, offset = domain_offset((1, (1, 2)), Layout((4, (2, 3)), (6, (3, 1))))
    >>> print(moved, offset, offset + moved(2, (0, 0)))
    (4,(2,3)):(6,(3,1)) 11 23

    An origin shape, which counts from the old first coordinate, is dropped.

    Raises:
        CoordinateError: ``coord`` lies outside the shape or has another profile.
    Source: CuTe ``domain_offset``, layout.hpp.
    """
    if is_composed(layout):
        seen: tuple[Any, Any] = layout.with_inner(domain_offset(coord, layout.inner))
        return seen
    as_layout(layout)
    return trusted(layout.shape, layout.stride), layout(coord)


@operation
def domain_distribute(
    shape: IntTuple | AnyLayout, n: IntLike, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return a layout of ``gcd(size(shape), n)`` indices of a shape, in steps that fit its modes.

    The indices increase strictly, from 0. The layout composes with every layout of the shape, and
    divides it: in each mode it takes an extent that divides the mode's.

    >>> taken = domain_distribute((15, 14), 6)  # although 6 divides neither
    >>> print(taken, [taken(i) for i in range(6)])
    (3,2):(1,15) [0, 1, 2, 15, 16, 17]

    Args:
        shape: A shape, or a layout of it.
        n: How many to share out, positive; fewer are found where ``n`` does not divide the size.

    Raises:
        LayoutError: ``n`` is not positive, or the shape has no coordinates.
    Source: CuTe ``domain_distribute``, layout.hpp.
    """
    sizes = shape if is_layout(shape) else as_shape(shape)
    layout = sizes if is_layout(sizes) else trusted(sizes, sizes)  # its strides do not matter
    return named("domain_distribute", _distributed, layout, leaf(n))


def _distributed(layout: AnyLayout, n: Any) -> AnyLayout:
    modes, one = first_of(layout)
    if less(n, 1):
        raise LayoutError(f"cannot share out {n} coordinates", "There is at least one.", n=n)
    if any(not differs(s, 0) for s, _d in modes):
        raise LayoutError(
            f"the shape {text_of(layout.shape)} has no coordinates to share out",
            "Give every mode a positive extent.",
            shape=layout.shape,
        )
    out: Modes = []
    below = one
    for s, _d in modes:
        part = common_divisor(s, n)
        out.append((part, below))
        n, below = n // part, below * s
    return of_modes(coalesced(out, one))


@operation
def nullspace(layout: AnyLayout, *, assume: Conditions | None = None) -> AnyLayout:
    """Return a layout of indices with ``layout(result(i)) == 0``: one for each way to broadcast.

    They are the coordinates that move only along modes of stride 0, in increasing order, so
    ``size(result) * size(filter_zeros(layout)) == size(layout)``. Its modes are those of stride 0, flat
    and not coalesced, without those of size 1, whose stride is a convention; ``1:0`` if none is left.

    >>> copies = nullspace(Layout((2, ((2, 4), 4)), (2, ((0, 0), 16))))
    >>> print(copies, [copies(i) for i in range(8)])
    (2,4):(2,4) [0, 2, 4, 6, 8, 10, 12, 14]

    Further indices may go to 0 where strides cancel each other, as in ``(2,2):(1,-1)``. An empty
    layout has no index at all, and the result is ``0:0``.

    Source: CuTe ``nullspace``, layout.hpp.
    """
    inner: Any = layout
    while is_composed(inner):  # what is outside goes from there to one offset
        inner = inner.inner
    return named("the nullspace", _broadcast, as_layout(inner))


def _broadcast(layout: AnyLayout) -> AnyLayout:
    modes, one = first_of(layout)
    below = one
    if any(not differs(s, 0) for s, _d in modes):
        return trusted(one - one, one - one)
    out: Modes = []
    for s, d in modes:
        if not is_one(s) and not differs(d, 0):
            out.append((s, below))
        below = below * s
    return of_modes(out or [(one, one - one)])


def common_divisor(a: Any, b: Any) -> Any:
    """Return the greatest common divisor of positive ints; raise `UndecidedError` where it is open.

    >>> common_divisor(12, 18)
    6
    """
    common: Any = next((i for i, j in ((a, b), (b, a)) if known_divides(i, j)), None)
    if common is None:
        are_numbers = isinstance(a, int) and isinstance(b, int)
        common = gcd(a, b) if are_numbers else _divisor_of_unknown(a, b)
    if isinstance(common, int):
        common = Int(common) if is_static((a, b)) else int(common)
    return common


def _divisor_of_unknown(x: Any, y: Any) -> Any:
    """The same where one is unknown: each divisor of a number in turn, from the greatest on."""
    unknown, n = (y, x) if isinstance(x, int) else (x, y)
    if is_open(n):
        neither_divides(x, y)
        return known_int(n)
    assert n > 0, n  # no positive int, no divisor
    if isqrt(n) > limit_of("steps"):
        raise limit_error(
            "steps",
            f"the greatest common divisor of {unknown} and {n} was not found",
            f"The number may have divisors beyond the {limit_of('steps')} that are tried.",
            needed=isqrt(n),
        )
    small = [d for d in range(1, isqrt(n) + 1) if n % d == 0]
    return next(d for d in [*[n // d for d in small], *small[::-1]] if divides(d, unknown))
