# SPDX-License-Identifier: Apache-2.0
"""Slices: what a coordinate with `_` keeps of a shape, a stride and an origin shape.

>>> slice_((_, 0), ((2, 3), 4)), dice((_, 0), ((2, 3), 4))
(((2, 3),), (4,))

`tla.layouts.layout` makes a layout of the modes that it keeps; `kept_origin` says what holds data there.
As in CuTe's Python DSL, None stands for `_`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final, SupportsIndex, TypeAlias, Union

from ..errors import CongruenceError, CoordinateError, UnsupportedError
from ..numbers import (
    IntTuple,
    SymbolicInt,
    _0,
    _1,
    ceil_div,
    comparison,
    decide,
    is_tuple,
    known_eq,
    leaf,
    less,
    limit_nesting,
    max_,
    min_,
)
from .int_tuple import product, text_of


class Underscore:
    """The coordinate that keeps its whole mode, written `_`: ``layout[_, 3]``.

    >>> print(parse("(2,3):(3,1)")[1, _])
    (3):(1)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "_"

    def __reduce__(self) -> str:
        return "_"  # by name, so that a copy is the one object


_: Final = Underscore()

Coord: TypeAlias = Union[SupportsIndex, SymbolicInt, Underscore, "tuple[Coord, ...]", None]
"""An int tuple that may have `_`, or None for it, at some places: what slicing takes."""


def is_underscore(x: object) -> bool:
    """Whether ``x`` is `_`, or None, which stands for it."""
    return x is _ or x is None


def no_single_offset(coord: Coord, whole: str) -> CoordinateError:
    """Return the error of a coordinate with `_` where an offset is asked for."""
    return CoordinateError(
        f"{text_of(coord)} keeps modes and so has no single offset",
        f"Write {whole} of the modes kept.",
        coord=coord,
    )


def no_mode_kept(coord: Coord, kind: str, instead: str) -> CoordinateError:
    """Return the error of a coordinate without `_` where a slice is asked for."""
    return CoordinateError(
        f"{kind}[{text_of(coord)}] keeps no mode",
        f"Write {kind}(...) for the offset of a coordinate, {instead},"
        f" or put `_` where a mode is to stay, as in {kind}[_, 3]; ':' does not stand for it.",
        coord=coord,
    )


@limit_nesting
def has_underscore(coord: Coord) -> bool:
    """Whether a coordinate keeps some mode.

    >>> has_underscore((1, (_, 2))), has_underscore((1, 2)), has_underscore((1, None))
    (True, False, True)
    """
    return _has_underscore(coord)


def _has_underscore(coord: Any) -> bool:
    return any(map(_has_underscore, coord)) if is_tuple(coord) else is_underscore(coord)


@limit_nesting
def slice_(coord: Coord, x: IntTuple) -> tuple[Any, ...]:
    """Return the modes of ``x`` at which ``coord`` has `_`, in one flat tuple of modes.

    >>> slice_((_, 0), ((2, 3), 4)), slice_((1, (None, _)), (8, ((2, 3), 5)))
    (((2, 3),), ((2, 3), 5))

    Raises:
        CongruenceError: the profiles do not fit.
    Source: CuTe ``slice``, int_tuple.hpp.
    """
    return _picked(coord, x, keep=True)


@limit_nesting
def dice(coord: Coord, x: IntTuple) -> tuple[Any, ...]:
    """Return the modes of ``x`` at which ``coord`` has an int: what `slice_` leaves out.

    >>> dice((_, 0), ((2, 3), 4)), dice((1, (_, 0)), (8, ((2, 3), 5)))
    ((4,), (8, 5))

    Raises:
        CongruenceError: the profiles do not fit.
    Source: CuTe ``dice``, int_tuple.hpp.
    """
    return _picked(coord, x, keep=False)


def _picked(coord: Any, x: Any, keep: bool) -> tuple[Any, ...]:
    if is_tuple(coord):
        if not is_tuple(x) or len(coord) != len(x):
            raise CongruenceError(f"{text_of(coord)} does not fit {text_of(x)}", coord=coord, value=x)
        return tuple(p for c, i in zip(coord, x, strict=True) for p in _picked(c, i, keep))
    is_kept = is_underscore(coord)
    if not is_kept:
        leaf(coord)
    return (x,) if is_kept is keep else ()


def diced(coord: Any) -> Any:
    """Return the coordinate that keeps the modes at which another has an int; 0 fixes the others."""
    if is_tuple(coord):
        return tuple([diced(c) for c in coord])
    return _0 if is_underscore(coord) else _


@limit_nesting
def as_coord(x: Any) -> Any:
    """Return ``x`` checked as a coordinate, which may have `_` at some places."""
    return _as_coord(x)


def _as_coord(x: Any) -> Any:
    if is_tuple(x):
        return tuple(map(_as_coord, x))
    return x if is_underscore(x) else leaf(x)


def kept_origin(coord: Any, shape: Any, origin: Any) -> tuple[Any, ...]:
    """Return how many coordinates of each mode kept hold data: always the first ones.

    Raises:
        UnsupportedError: several parts of one padded mode are kept, and their data are not a box.
    """
    modes = [(_parts(c, s, _1), n) for c, s, n in zip(coord, shape, origin, strict=True)]
    if not all(less(base, n) for (base, kept), n in modes if not kept):
        # the ints stand in the padding: nothing kept holds data
        return tuple(size - size for (_base, kept), _n in modes for _weight, size in kept)
    boxes = [_box(n - base, kept) if kept else [] for (base, kept), n in modes]
    if any(box is not None and any(known_eq(n, 0) is True for n in box) for box in boxes):
        return tuple(size - size for (_base, kept), _n in modes for _weight, size in kept)
    if None in boxes:
        raise UnsupportedError(
            f"slice {text_of(coord)} of the shape {text_of(shape)} with origin {text_of(origin)}"
            " keeps data that are not a box",
            "Drop the origin shape first: Layout(layout.shape, layout.stride).",
            coord=coord,
            shape=shape,
            origin_shape=origin,
        )
    return tuple(n for box in boxes if box is not None for n in box)


def data_of_one(sizes: Any, data: Any, what: str, layout: object) -> Any:
    """Return how many coordinates of one mode hold data, given those of the modes that it is made of.

    The coordinates with every ``c_i < data_i`` are the first ones of the mode exactly where there are
    none, or of any two modes the lower is full or the upper holds data at coordinate 0 alone.
    """
    total = product(data)
    if known_eq(total, 0) is True:
        return total
    for (size, n), (_size, above) in combinations(zip(sizes, data, strict=True), 2):
        full, one = known_eq(n, size), known_eq(above, 1)
        if full is False and one is False:
            raise UnsupportedError(
                f"the data of {what} {layout} are not the first coordinates of one mode",
                f"Of their sizes {text_of(sizes)}, {text_of(data)} hold data:"
                " a padded mode stands below another.",
                "Drop the origin shape first: Layout(layout.shape, layout.stride).",
                layout=layout,
                sizes=sizes,
                origin_shape=data,
            )
        if not (full or one):
            at, end = (n, size) if full is None else (above, 1)
            decide(None, comparison(at, "==", end))
    return total


def _parts(coord: Any, shape: Any, weight: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """A mode's index as ``base + sum(weight_i * x_i)``: the base, and each part's weight and size."""
    if is_underscore(coord):
        return _0, [(weight, product(shape))]
    if not is_tuple(coord):
        return weight * coord, []
    base: Any = _0
    kept: list[tuple[Any, Any]] = []
    for c, s in zip(coord, shape, strict=True):
        part, more = _parts(c, s, weight)
        base, kept, weight = base + part, kept + more, weight * product(s)
    return base, kept


def _box(room: Any, parts: list[tuple[Any, Any]]) -> list[Any] | None:
    """The extents of the box of ``x`` with ``sum(weight_i * x_i) < room``, or None if it is none.

    ``parts`` are (weight, size), the smallest weight first.
    """
    if any(known_eq(n, 0) is True for _w, n in parts):
        return [n - n for _w, n in parts]
    *below, (weight, size) = parts
    reach = sum(w * (n - 1) for w, n in below)  # what the parts below add at the most
    most = max_(_0, min_(size, ceil_div(room, weight)))
    least = max_(_0, min_(size, ceil_div(room - reach, weight)))
    if not less(least, most):  # whatever the parts below are
        return [*(n for _w, n in below), most]
    if less(_1, most):
        return None
    inner = _box(room, below)  # only 0 of the last part, and not for all of those below
    return None if inner is None else [*inner, most]
