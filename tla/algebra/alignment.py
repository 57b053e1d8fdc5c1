# SPDX-License-Identifier: Apache-2.0
"""What two layouts move together: the vectors of elements that lie alike in both."""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, Any

from ..errors import CoordinateError, LayoutError, UndecidedError
from ..ground import constexpr
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    Swizzle,
    as_layout,
    is_composed,
    is_static,
    is_swizzle,
    make_layout,
    static_as,
)
from ..numbers import _0, _1, is_asked, is_open, known_eq, known_int
from .coalesce import coalesced, same_function
from .composition import composed, composition
from .inverse import right_inverse
from .linear import run_of
from .modes import (
    Modes,
    end_of,
    grown_to,
    is_one,
    named,
    of_modes,
    operation,
    raw_modes,
    read_both,
)

if TYPE_CHECKING:
    from ..numbers import Conditions


@operation
def max_common_layout(a: AnyLayout, b: AnyLayout, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout ``r`` with ``a.extended(r(i)) == i`` and ``b(r(i)) == i`` for every ``i``.

    It lists the elements that a copy may move as one vector. It is the beginning of the right inverse of
    ``b``, as far as ``a`` is contiguous on it too. The last mode of ``a`` may grow, as in CuTe: where
    ``b`` is larger, the result may be larger than ``a``. Of layouts behind a swizzle the vectors are
    those that it leaves whole, wherever they lie: of ``2**base`` elements at most.

    >>> print(max_common_layout(Layout((4, 8), (1, 4)), Layout((4, 8), (1, 8))))
    4:1
    >>> print(max_common_layout(Layout((2, 4), (4, 1)), Layout((2, 4), (4, 1))))
    (4,2):(2,1)

    Raises:
        LayoutError: ``b`` has no coordinate.
        UndecidedError: symbolic ints, or a search that took too long, leave it open.
    Source: CuTe ``max_common_layout``, layout.hpp.
    """
    if is_composed(a) or is_composed(b):
        (inner_a, whole_a), (inner_b, whole_b) = whole_vectors(a), whole_vectors(b)
        common = max_common_layout(inner_a, inner_b)
        outer = _outer_of_both(a, b)
        if outer is not None:
            run = make_layout(run_of(outer, known_int(common.size)))
            found: Any = composition(common, ComposedLayout(outer, _0, run))
        else:
            found = composed(common, of_modes([(gcd(known_int(common.size), whole_a, whole_b), 1)]))
        both: AnyLayout = static_as(a, found) if is_static(b) else found
        return both
    return named("max_common_layout", _common, as_layout(a), as_layout(b), inner=True)


def _outer_of_both(a: Any, b: Any) -> Swizzle | None:
    """The swizzle that two plain layouts stand behind, without an offset."""
    for x in (a, b):
        if not is_composed(x) or x.offset or is_composed(x.inner) or x.outer != a.outer:
            return None
    return a.outer if is_swizzle(a.outer) else None


def whole_vectors(layout: Any) -> tuple[Any, int]:
    """Return what lies behind functions, and how long the aligned vectors are that they leave whole.

    Of a plain layout it is the layout, and 0: no length is too long.
    """
    if not is_composed(layout):
        return as_layout(layout), 0
    inner, longest = whole_vectors(layout.inner)
    outer, offset = layout.outer, known_int(layout.offset)
    if is_swizzle(outer):
        unmoved = 1 << outer.base.real if outer.bits else 0
    else:
        size, step = coalesced(raw_modes(grown_to(outer, offset + end_of(layout.inner))))[0]
        unmoved = known_int(size) if known_eq(step, 1) else 1
    return inner, gcd(longest, unmoved, offset)


def _common(a: AnyLayout, b: AnyLayout) -> AnyLayout:
    read = read_both(a, b)
    are_static = read is not None and read[2]
    one = _1 if read is None or are_static else 1
    return of_modes(coalesced(_shared(a, raw_modes(right_inverse(b)), one), one), are_static)


def _shared(a: AnyLayout, inverse: Modes, one: Any) -> Modes:
    """The beginning of some modes whose indices ``a`` numbers in order."""
    whole, step = 0, 1  # what holds for a number of modes holds for all below it
    while whole < len(inverse):
        try:
            more = _in_order(a, inverse[: whole + step], one)
        except UndecidedError:
            if step == 1:
                raise
            more = False
        if not more and step == 1:
            break
        whole, step = (min(whole + step, len(inverse)), 2 * step) if more else (whole, 1)
    shared = inverse[:whole]
    if whole < len(inverse):
        s, d = inverse[whole]
        length = _longest(a, shared, s, d, one)
        if not is_one(length):
            shared.append((length, d))
    return shared


def _in_order(a: AnyLayout, modes: Modes, one: Any) -> bool:
    """Whether ``a`` numbers the indices of some modes in order."""
    try:
        index = composed(a, of_modes(modes), hints=False)
    except (LayoutError, CoordinateError):  # no layout
        return False
    return same_function(index, of_modes([(prod([s for s, _d in modes], start=one), one)]))


def _longest(a: AnyLayout, shared: Modes, s: Any, d: Any, one: Any) -> Any:
    """The greatest ``n < s`` such that ``a`` numbers the indices of ``shared`` and ``n:d`` in order."""

    def in_order(n: Any) -> bool:
        return _in_order(a, [*shared, (n, d)], one)

    least, most = 1, s - 1
    if is_open(s):  # and not for the least value of s
        while least < _FAR and in_order(2 * least):
            least *= 2
        most = 2 * least - 1
    if is_asked(s) or least == _FAR:  # it would be halved, or doubled, without end
        raise UndecidedError(f"how far {a} numbers the indices {s}:{d} in order is not known")
    while least < most:
        n = (least + most + 1) // 2
        least, most = (n, most) if in_order(n) else (least, n - 1)
    return least


_FAR = 1 << 64
"""The length at which the search gives up if the size is unknown."""


@constexpr
def max_common_vector(a: AnyLayout, b: AnyLayout) -> Any:
    """Return how many elements, from index 0 on, lie next to each other in ``a`` and ``b`` alike.

    The size of `max_common_layout`, at least 1.

    >>> max_common_vector(Layout((4, 8), (1, 4)), Layout((4, 8), (1, 8)))
    4

    Raises:
        LayoutError, UndecidedError: as `max_common_layout`.
    Source: CuTe ``max_common_vector``, layout.hpp.
    """
    return max_common_layout(a, b).size
