"""Origin shapes: which coordinates of a shape rounded up to blocks hold data.

An origin shape gives, for each top-level mode, how many of its coordinates hold data: always the
first ones, counted within the mode. CATLASS calls it ``originShape``; XLA's dims are one.
Everything here works on int tuples, below `tla.layout.Layout`.
"""

from __future__ import annotations

from typing import Any

from .coord import crd2idx, idx2crd
from .errors import CongruenceError, CoordinateError, LayoutError
from .int_tuple import (
    as_int_tuple,
    congruent,
    flatten_to_tuple,
    leaves,
    product,
    product_each,
    text_of,
)
from .ints import IntTuple, _0, _1, ceil_div, is_static, is_tuple, known_eq, known_lt, min_
from .questions import at_least

__all__ = ["checked_origin", "default_origin", "mode_indices", "says_more", "trimmed_parts"]


def default_origin(shape: IntTuple) -> Any:
    """Return the size of each top-level mode, or of the one int: all coordinates hold data."""
    return product_each(shape) if is_tuple(shape) else shape


def checked_origin(shape: IntTuple, origin: IntTuple) -> Any:
    """Return the origin shape checked, or None where it says no more than the shape does.

    It says more where a value differs, or is static where the size of the mode is not.

    Raises:
        CongruenceError: it is not one int for each top-level mode.
        LayoutError: an int is negative or exceeds the size of its mode.
    """
    origin, sizes = as_int_tuple(origin), default_origin(shape)
    if not congruent(sizes, origin):
        raise CongruenceError(
            f"origin shape {text_of(origin)} does not fit the shape {text_of(shape)}",
            "It needs one int for each top-level mode.",
            shape=shape,
            origin_shape=origin,
        )
    for o, n in zip(leaves(origin), leaves(sizes), strict=True):
        if not (at_least(o, 0) and at_least(n, o)):
            raise LayoutError(
                f"origin shape {text_of(origin)} does not lie in the shape {text_of(shape)}",
                f"{o} is not between 0 and the {n} coordinates of its mode.",
                shape=shape,
                origin_shape=origin,
            )
    return origin if says_more(shape, origin) else None


def says_more(shape: IntTuple, origin: IntTuple) -> bool:
    """Whether an origin shape differs from the sizes of the modes, or is static where they are not."""
    sizes = default_origin(shape)
    return origin != sizes or any(
        is_static(o) and not is_static(n) for o, n in zip(leaves(origin), leaves(sizes), strict=True)
    )


def mode_indices(coord: IntTuple, shape: IntTuple) -> tuple[Any, ...]:
    """Return the index of a coordinate within each top-level mode: what an origin shape bounds.

    >>> mode_indices(((1, 1), 3), ((4, 2), 8)), mode_indices(29, ((4, 2), 8))
    ((5, 3), (5, 3))
    """
    if not is_tuple(shape):
        return (crd2idx(coord, shape),)
    if not is_tuple(coord):
        return flatten_to_tuple(idx2crd(coord, product_each(shape)))
    if len(coord) != len(shape):
        raise CoordinateError(
            f"coordinate {text_of(coord)} does not fit the shape {text_of(shape)}", coord=coord
        )
    return tuple(crd2idx(c, s) for c, s in zip(coord, shape, strict=True))


# --- trimming ---------------------------------------------------------------------------------


def trimmed_parts(shape: Any, stride: Any, origin: Any) -> tuple[Any, Any]:
    """Return shape and stride with every padded mode cut to the leaves that its data reach.

    >>> trimmed_parts(((2, 4), (4, 2)), ((4, 16), (1, 32)), (5, 3))
    (((2, 3), 3), ((4, 16), 1))
    """
    if not is_tuple(shape):
        return _cut(shape, stride, origin)
    modes = [
        (s, d) if known_eq(n, product(s)) is True else _cut(s, d, n)
        for s, d, n in zip(shape, stride, origin, strict=True)
    ]
    return tuple(s for s, _d in modes), tuple(d for _s, d in modes)


def _cut(shape: Any, stride: Any, n: Any) -> tuple[Any, Any]:
    """The leaves of a mode that its first ``n`` coordinates reach, the last of them cut."""
    if known_lt(_1, n) is False:
        return n, _0 if is_static((n, stride)) else 0
    if not is_tuple(shape):
        return n, stride
    kept: list[tuple[Any, Any]] = []
    below: Any = _1  # coordinates of the leaves kept so far
    for s, d in zip(shape, stride, strict=True):
        reach, here = ceil_div(n, below), product(s)
        if known_lt(_1, reach) is False:
            break
        is_cut = known_lt(reach, here)
        if is_cut is None:  # cut or not: where it is, no more than 1 of each leaf above is reached
            reach = min_(reach, here)
        if is_cut is not False:
            kept.append(_cut(s, d, reach))
        elif known_lt(_1, here) is not False:
            kept.append((s, d))
        if is_cut:
            break
        below = below * here
    if len(kept) == 1:
        return kept[0]
    return tuple(s for s, _d in kept), tuple(d for _s, d in kept)
