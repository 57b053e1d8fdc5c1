"""What two layouts move together: the vectors of elements that lie alike in both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..assumed import keeps_assumptions
from ..constexpr import constexpr
from ..errors import CoordinateError, LayoutError, UndecidedError
from ..ints import is_asked, is_open, known_eq
from .coalesce import coalesce, coalesced, same_function
from .composition import composed, extended_modes
from .inverse import right_inverse
from .modes import both_static, is_one, lifted, of_modes, read_modes, unguarded
from .symbolic import is_symbolic, raw_modes

if TYPE_CHECKING:
    from ..expr import Conditions
    from ..layout import AnyLayout
    from .modes import Modes

__all__ = ["max_common_layout", "max_common_vector"]


@constexpr
@keeps_assumptions
def max_common_layout(a: AnyLayout, b: AnyLayout, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout ``r`` with ``a.extended(r(i)) == i`` and ``b(r(i)) == i`` for every ``i``.

    It is the beginning of the right inverse of ``b``, as long as ``a`` is contiguous on it too: the
    indices of the elements that a copy may move as one vector. The last mode of ``a`` may grow, as in
    CuTe: where ``b`` is larger so may be the result.

    >>> print(max_common_layout(Layout((4, 8), (1, 4)), Layout((4, 8), (1, 8))))
    4:1
    >>> print(max_common_layout(Layout((2, 4), (4, 1)), Layout((2, 4), (4, 1))))
    (4,2):(2,1)

    Raises:
        LayoutError: ``b`` has no coordinate.
        UndecidedError: symbolic ints, or a search that took too long, leave it open.
    Source: CuTe ``max_common_layout``, layout.hpp.
    """
    left, inverse = read_modes(a), read_modes(right_inverse(b))
    are_static = both_static(left, read_modes(b))
    if left is None or inverse is None or are_static is None:
        if is_symbolic(a.shape, a.stride, b.shape, b.stride):
            return _common_symbolically(a, b)
        common: AnyLayout = lifted(max_common_layout, a, b)
        return common
    numbers = of_modes(extended_modes(left[0]))
    return of_modes(coalesced(_shared(numbers, inverse[0])), are_static)


def _common_symbolically(a: AnyLayout, b: AnyLayout) -> AnyLayout:
    """`max_common_layout` where sizes are unknown."""
    inverse = raw_modes(right_inverse(b))
    try:
        return coalesce(of_modes(_shared(a, inverse)))
    except UndecidedError as error:
        obligation = error.data.get("obligation")
        if obligation is None:
            raise
        raise UndecidedError(
            f"max_common_layout of {a} and {b} depends on whether {obligation}",
            *error.details,
            **error.data,
        ) from None


def _shared(a: AnyLayout, inverse: Modes) -> Modes:
    """The beginning of some modes whose indices ``a`` numbers in order."""
    shared: Modes = []
    size: Any = 1
    for s, d in inverse:
        length = _longest(a, shared, size, s, d)
        if not is_one(length):
            shared.append((length, d))
            size = size * length
        if known_eq(unguarded(length), unguarded(s)) is not True:
            break
    return shared


def _longest(a: AnyLayout, shared: Modes, size: Any, s: Any, d: Any) -> Any:
    """The greatest ``n <= s`` such that ``a`` numbers the indices of ``shared`` and ``n:d`` in order."""

    def in_order(n: Any) -> bool:
        try:
            index = composed(a, of_modes([*shared, (n, d)]), hints=False)
        except (LayoutError, CoordinateError):  # no layout
            return False
        return same_function(index, of_modes([(size * n, 1)]))

    if in_order(s):
        return s
    if is_asked(unguarded(s)):  # it would be halved without end
        raise UndecidedError(f"how far {a} numbers the indices {s}:{d} in order is not known")
    # what holds for n holds for all below it
    least, most = 1, s - 1
    if is_open(s):  # and not for the least value of s
        for _bit in range(64):
            if not in_order(2 * least):
                break
            least *= 2
        else:
            raise UndecidedError(f"how far {a} numbers the indices {s}:{d} in order is not known")
        most = 2 * least - 1
    while least < most:
        n = (least + most + 1) // 2
        least, most = (n, most) if in_order(n) else (least, n - 1)
    return least


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
