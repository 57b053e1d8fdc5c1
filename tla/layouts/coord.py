# SPDX-License-Identifier: Apache-2.0
"""Coordinates of a shape: order, index and offset, the strides that number them, and which hold data.

A coordinate of a shape is an int, counted colexicographically (the first mode runs fastest), or a
tuple with one coordinate for each mode. So ``((4,2),(4,3))`` has the coordinates ``37``, ``(5, 4)``,
``((1, 1), 4)`` and ``((1, 1), (0, 1))``, all of one element.

An origin shape belongs to a shape that is rounded up to blocks. It says how many coordinates of each
top-level mode hold data: always the first ones of the mode. CATLASS calls it ``originShape``; XLA's
dims are one too.

>>> idx2crd(37, ((4, 2), (4, 3))), crd2idx((5, 4), ((4, 2), (4, 3)))
(((1, 1), (0, 1)), 37)
>>> crd2offset((1, 5), ((4, 2), (4, 3)), ((4, 16), (1, 32)))
37
"""

from __future__ import annotations

from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from ..errors import CongruenceError, CoordinateError, KindError, LayoutError, UndecidedError
from ..ground import LEVELS, WIDE, constexpr, described
from ..numbers import (
    INT,
    PLAIN_INTS,
    STATIC,
    TUPLE,
    E,
    IntLike,
    IntTuple,
    _0,
    _1,
    at_least,
    ceil_div,
    comparison,
    decide_all,
    equal,
    evaluated,
    is_plain_tuple,
    is_static,
    is_tuple,
    known_eq,
    known_int,
    known_lt,
    leaf,
    less,
    limit_nesting,
    min_,
    order,
    undecided,
)
from .int_tuple import (
    arity,
    as_int_tuple,
    as_shape,
    congruent,
    flatten_to_tuple,
    leaves,
    map_parts,
    not_congruent,
    of_static,
    plain_size,
    product,
    product_each,
    repeat_like,
    require_congruent,
    text_of,
    unflatten,
    weakly_congruent,
    wrap,
)
from .slicing import Coord, is_underscore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..numbers import Question

# --- order ------------------------------------------------------------------------------------


@constexpr
def elem_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether every leaf of ``a`` is less than the leaf of ``b`` at its place.

    ``elem_less(coord, shape)`` with ``coord >= 0`` says that a coordinate lies in its shape.

    >>> elem_less((3, (1, 2)), (4, (2, 3))), elem_less((3, (1, 3)), (4, (2, 3)))
    (True, False)

    Raises:
        CongruenceError: the profiles differ.
    """
    return decide_all(order(x, y) for x, y in _pairs(a, b))


@constexpr
def elem_leq(a: IntTuple, b: IntTuple) -> bool:
    """Whether no leaf of ``a`` is greater than the leaf of ``b`` at its place.

    >>> elem_leq((3, (2, 2)), (4, (2, 3))), elem_leq((1, 5), (2, 3))
    (True, False)

    Raises:
        CongruenceError: the profiles differ.
    Source: CuTe ``elem_leq``, int_tuple.hpp, which is True as soon as one leaf is not greater.
    """
    return decide_all(_at_most(x, y) for x, y in _pairs(a, b))


def _at_most(x: Any, y: Any) -> Question:
    is_greater = known_lt(y, x)
    return (None, comparison(x, "<=", y)) if is_greater is None else (not is_greater, None)


@constexpr
def lex_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a`` comes before ``b`` where the first leaf that differs decides.

    >>> lex_less((1, 9), (2, 0)), lex_less((1, 9), (1, 9))
    (True, False)

    Raises:
        CongruenceError: the profiles differ.
    """
    return _first_difference_less(_pairs(a, b))


@constexpr
def colex_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a`` comes before ``b`` where the last leaf that differs decides.

    This is the order of coordinates: ``colex_less(a, b) == (crd2idx(a, s) < crd2idx(b, s))``.

    >>> colex_less((1, 9), (2, 0)), colex_less((9, 1), (0, 2))
    (False, True)

    Raises:
        CongruenceError: the profiles differ.
    """
    return _first_difference_less(_pairs(a, b)[::-1])


def _pairs(a: Any, b: Any) -> list[tuple[Any, Any]]:
    if not congruent(a, b):
        raise not_congruent(a, b)
    return list(zip(leaves(a), leaves(b), strict=True))


def _first_difference_less(pairs: list[tuple[Any, Any]]) -> bool:
    for x, y in pairs:
        if not equal(x, y):
            return less(x, y)
    return False


# --- compact strides --------------------------------------------------------------------------


@constexpr
@limit_nesting
def compact_col_major(shape: IntTuple, start: IntLike = _1) -> Any:
    """Return the strides of ``shape`` packed without gaps, the first leaf fastest.

    >>> compact_col_major((4, (2, 3))), compact_col_major((_4, _8))
    ((_1, (4, 8)), (_1, _4))
    """
    return _compact(shape, leaf(start), forward=True)[0]


@constexpr
@limit_nesting
def compact_row_major(shape: IntTuple, start: IntLike = _1) -> Any:
    """Return the strides of ``shape`` packed without gaps, the last leaf fastest.

    >>> compact_row_major((4, (2, 3))), compact_row_major((_4, _8))
    ((6, (3, _1)), (_8, _1))
    """
    return _compact(shape, leaf(start), forward=False)[0]


def plain_col_major(shape: Any, step: Any, room: int) -> Any:
    """Return the `compact_col_major` of plain ints; None if a leaf is another, negative, or too deep."""
    if not is_plain_tuple(shape):
        plain: Any = shape
        return step if type(plain) in PLAIN_INTS and plain >= 0 else None
    if not room:
        return None
    strides: list[Any] = []
    for s in shape:
        if type(s) in PLAIN_INTS and s >= 0:
            strides.append(step)
            step = s if step is _1 else step * s  # _1 * s == s, static or not
        else:
            inner = plain_col_major(s, step, room - 1) if type(s) is TUPLE and len(s) < WIDE else None
            if inner is None:
                return None
            strides.append(inner)
            step = step * product(s)
    return tuple(strides)


def _compact(shape: Any, step: Any, forward: bool) -> tuple[Any, Any]:
    """The packed strides of a shape from ``step`` on, and the step after it."""
    if not is_tuple(shape):
        return step, step * leaf(shape)
    strides: list[Any] = []
    for s in shape if forward else reversed(shape):
        d, step = _compact(s, step, forward)
        strides.append(d)
    return tuple(strides if forward else reversed(strides)), step


@constexpr
@limit_nesting
def compact_order(shape: IntTuple, order: IntTuple) -> Any:
    """Return the strides of ``shape`` packed without gaps, leaves with the least ``order`` fastest.

    ``order`` is weakly congruent to ``shape``; an int over several leaves keeps them together,
    first leaf fastest, as do equal orders.

    >>> compact_order((2, 3, 4), (2, 0, 1)), compact_order((2, (3, 4)), (1, 0))
    ((12, _1, 3), (12, (_1, 3)))

    Raises:
        CongruenceError: ``order`` is not weakly congruent to ``shape``.
    Source: CuTe ``compact_order``, layout.hpp.
    """
    if not weakly_congruent(order, shape):
        raise CongruenceError(
            f"the order {text_of(order)} does not fit the shape {text_of(shape)}",
            "It needs one rank for each mode, or one for several modes together.",
            order=order,
            shape=shape,
        )
    sizes, ranks = flatten_to_tuple(shape), flatten_to_tuple(map_parts(_spread, order, shape))
    strides: list[Any] = [_1] * len(sizes)
    step: Any = _1

    def compared(i: int, j: int) -> int:  # raises `UndecidedError` where their order is open
        return -less(ranks[i], ranks[j])

    for i in sorted(range(len(sizes)), key=cmp_to_key(compared)):
        strides[i], step = step, step * sizes[i]
    return unflatten(tuple(strides), shape)


def _spread(place: Any, part: Any) -> Any:
    return repeat_like(part, place)


@constexpr
@limit_nesting
def make_basis_like(shape: IntTuple) -> Any:
    """Return the basis element of each leaf of ``shape``: strides that give the coordinate itself.

    >>> make_basis_like((4, (2, 3)))
    (E(0), (E(1, 0), E(1, 1)))

    Source: CuTe ``make_basis_like``, arithmetic_tuple.hpp.
    """
    return _basis_like(shape, ())


def _basis_like(shape: Any, path: tuple[int, ...]) -> Any:
    if not is_tuple(shape):
        leaf(shape)
        return E(*path)
    return tuple([_basis_like(s, (*path, i)) for i, s in enumerate(shape)])


# --- index and coordinate ---------------------------------------------------------------------


@constexpr
def idx2crd(coord: IntTuple, shape: IntTuple, extend: bool = False) -> Any:
    """Return the coordinate congruent to ``shape`` of the element at an int, or any, coordinate.

    >>> idx2crd(37, ((4, 2), (4, 3))), idx2crd((5, 4), ((4, 2), (4, 3))), idx2crd(_5, (_4, _8))
    (((1, 1), (0, 1)), ((1, 1), (0, 1)), (_1, _1))

    Args:
        extend: Let the last leaf of each mode grow, as CuTe always does, instead of raising.

    Raises:
        CoordinateError: the coordinate is negative, outside the shape, or of another profile.
    Source: CuTe ``idx2crd``, stride.hpp.
    """
    require_bool(extend)
    if not extend:
        full = _plain_coord(coord, shape)
        if full is None:
            full = of_static(_plain_coord, coord, shape)
        if full is not None:
            return full
    coord, shape = as_int_tuple(coord), as_shape(shape)
    try:
        return _full_coord(coord, shape, extend)
    except _OUTSIDE:
        raise _misfit(coord, shape, extend) from None
    except UndecidedError as error:
        raise _open_coordinate(error, coord, shape) from None


def require_bool(extend: object) -> None:
    """Raise KindError if what asks to extend a layout is no bool."""
    if extend is not False and extend is not True:
        raise KindError(f"extend is a bool, not {described(extend)}")


def _plain_coord(coord: Any, shape: Any, room: int = LEVELS) -> Any:
    """`idx2crd` of dynamic ints inside their shape; None of others."""
    if type(shape) is not TUPLE:
        is_plain = type(coord) is INT and type(shape) is INT and 0 <= coord < shape
        return coord if is_plain else None
    if not shape or not room:
        return None
    out: list[Any] = []
    if type(coord) is TUPLE:
        if len(coord) != len(shape):
            return None
        for i in range(len(coord)):
            part = _plain_coord(coord[i], shape[i], room - 1)
            if part is None:
                return None
            out.append(part)
        return tuple(out)
    if type(coord) is not INT or coord < 0:
        return None
    for s in shape:
        n = s if type(s) is INT else plain_size(s, room - 1)
        if n is None or n <= 0:
            return None
        digit = coord % n
        out.append(digit if s is n else _plain_coord(digit, s, room - 1))
        coord //= n
    return None if coord else tuple(out)


def _full_coord(coord: Any, shape: Any, extend: bool) -> Any:
    if is_tuple(coord):
        if not is_tuple(shape) or len(coord) != len(shape):
            raise _OutsideError
        return tuple(_full_coord(c, s, extend) for c, s in zip(coord, shape, strict=True))
    if not is_tuple(shape):
        _in_range(coord, shape, extend)
        return coord
    if not shape:
        _in_range(coord, _1, False)
        return ()
    out: list[Any] = []
    for s in shape[:-1]:
        n = product(s)
        out.append(_full_coord(coord % n, s, False))
        coord = coord // n
    out.append(_full_coord(coord, shape[-1], extend))
    return tuple(out)


@constexpr
def crd2idx(coord: IntTuple, shape: IntTuple, stride: IntTuple | None = None) -> Any:
    """Return the place of a coordinate in its shape: the inverse of `idx2crd`.

    With ``stride`` it is `crd2offset`, as in CuTe, which has one name for both.

    >>> crd2idx((5, 4), ((4, 2), (4, 3))), crd2idx(((1, 1), (0, 1)), ((4, 2), (4, 3)))
    (37, 37)
    """
    if stride is None:
        index: Any = _plain_index(coord, shape)
        if index is None:
            index = of_static(_plain_index, coord, shape)
        if index is not None:
            return index
        return crd2offset(coord, shape, compact_col_major(shape))
    return crd2offset(coord, shape, stride)


def _plain_index(coord: Any, shape: Any, room: int = LEVELS) -> int | None:
    """`crd2idx` of dynamic ints inside their shape; None of others."""
    if type(coord) is INT:
        size = shape if type(shape) is INT else plain_size(shape, room)
        return coord if size is not None and 0 <= coord < size else None
    if not (type(coord) is TUPLE is type(shape) and room and 0 < len(coord) == len(shape)):
        return None
    index, step = 0, 1
    i = 0
    for s in shape:
        c = coord[i]
        i += 1
        if type(c) is INT and type(s) is INT and 0 <= c < s:
            index, step = index + c * step, step * s
            continue
        size, part = plain_size(s, room - 1), _plain_index(c, s, room - 1)
        if size is None or part is None:
            return None
        index, step = index + part * step, step * size
    return index


@constexpr
def crd2crd(coord: IntTuple, shape: IntTuple, to_shape: IntTuple) -> Any:
    """Return the coordinate in ``to_shape`` of the element at ``coord`` of ``shape``.

    >>> crd2crd((1, 2), (4, 6), (8, 3)), crd2crd((1, 2), (4, 6), 24)
    ((1, 1), 9)
    """
    return idx2crd(crd2idx(coord, shape), to_shape)


def coords(shape: IntTuple) -> Iterator[Any]:
    """Yield every coordinate of ``shape``, congruent to it, in colexicographic order.

    >>> list(coords((2, (1, 2))))
    [(0, (0, 0)), (1, (0, 0)), (0, (0, 1)), (1, (0, 1))]
    """
    shape = as_shape(shape)
    for i in range(known_int(product(shape))):
        yield _full_coord(i, shape, False)


# --- coordinate to offset ---------------------------------------------------------------------


@constexpr
def crd2offset(
    coord: IntTuple,
    shape: IntTuple | Callable[..., Any],
    stride: IntTuple | None = None,
    extend: bool = False,
) -> Any:
    """Return the offset of a coordinate: the sum over the leaves of coordinate times stride.

    >>> crd2offset((1, 5), ((_4, _2), (_4, _3)), ((_4, _16), (_1, _32)))
    37
    >>> crd2offset(8, (4, 2), (2, 1)), crd2offset(8, (4, 2), (2, 1), extend=True)
    Traceback (most recent call last):
        ...
    tla.errors.CoordinateError: coordinate 8 lies outside the shape (4,2)
      It has the coordinates 0 to 7.

    Args:
        coord: An int, or a tuple weakly congruent to ``shape``; in elements.
        shape: The shape, or without a stride a layout: ``crd2offset(c, layout)`` is ``layout(c)``.
        extend: Let the last leaf of each mode grow, as TLA and CuTe always do.

    Returns:
        The offset in elements; static where coordinate and strides are.

    Raises:
        CoordinateError: the coordinate is negative, outside the shape, or of another profile.
        CongruenceError: shape and stride have different profiles.
    Source: CATLASS ``crd2offset``, layout.hpp.
    """
    if stride is None:
        layout: Any = shape
        if not callable(layout):
            raise LayoutError(f"the shape {text_of(layout)} needs a stride, or a layout in its place")
        return getattr(layout, "extended", layout)(coord) if extend else layout(coord)
    offset = plain_offset(coord, shape, stride)
    if offset is not None:
        return offset
    require_bool(extend)
    sizes, steps = as_shape(shape), as_int_tuple(stride)
    require_congruent(sizes, steps)
    return offset_at(as_int_tuple(coord), sizes, steps, extend)


@constexpr
def linear_index(index: IntTuple, bounds: IntTuple) -> Any:
    """Return the row-major position of an element in an array, as XLA's document on tiled layout has it.

    >>> linear_index((1, 1, 0, 1), (2, 3, 2, 2))
    17
    """
    return crd2offset(index, bounds, compact_row_major(bounds))


@constexpr
def linear_index_with_tile(index: IntTuple, bounds: IntTuple, tile: IntTuple) -> Any:
    """Return the position of an element in an array in tiles: tiles and what is in them are row-major.

    >>> linear_index_with_tile((2, 3), (3, 5), (2, 2))
    17

    Args:
        tile: A size for each dim. Of tiles with fewer dims, ``*`` or more levels
            `tla.xla_bridge.physical_offset` gives the position.
    """
    e: Any = wrap(as_int_tuple(index))
    d, t = wrap(as_shape(bounds)), wrap(as_shape(tile))
    require_congruent(d, t)
    crd2offset(e, d, d)  # the element exists
    pairs = list(zip(e, t, strict=True))
    at: Any = (*(x // size for x, size in pairs), *(x % size for x, size in pairs))
    return linear_index(at, (*map(ceil_div, d, t), *t))


def plain_offset(coord: Any, shape: Any, stride: Any, room: int = LEVELS) -> Any:
    """`crd2offset` of plain ints inside their shape, checked as it goes; None of others."""
    if type(coord) is STATIC:
        offset = of_static(plain_offset, coord, shape, stride)
        if offset is not None:
            return offset
    if type(shape) is not TUPLE:
        is_plain = type(coord) in PLAIN_INTS and type(shape) in PLAIN_INTS and type(stride) in PLAIN_INTS
        return coord * stride if is_plain and 0 <= coord < shape else None
    if type(stride) is not TUPLE or len(shape) != len(stride) or not room:
        return None
    is_index = type(coord) in PLAIN_INTS and coord >= 0
    if not is_index and (type(coord) is not TUPLE or len(coord) != len(shape)):
        return None
    total: Any = None
    last = len(shape) - 1
    i = 0
    for s in shape:
        d = stride[i]
        if not is_index:
            c = coord[i]
        elif i == last:
            c = coord
        else:
            if type(s) is STATIC and type(coord) is INT:
                n = s.real  # no operator of `Int` slows it down
            else:
                n = s if type(s) in PLAIN_INTS else plain_size(s, room - 1)
            if n is None or n <= 0:
                return None
            c = coord % n
            coord = coord // n
        i += 1  # noqa: SIM113 (counted in half the time of enumerate; this path is hot)
        if type(c) is INT and type(s) is INT and type(d) is INT and 0 <= c < s:
            term: Any = c * d
        elif type(c) is INT and type(s) is STATIC is type(d) and 0 <= c < s.real:
            term = c * d.real
        else:
            term = plain_offset(c, s, d, room - 1)
            if term is None:
                return None
        total = term if total is None else total + term
    return total


def offset_at(
    coord: Coord, shape: IntTuple, stride: IntTuple, extend: bool, kept: list[Any] | None = None
) -> Any:
    """`crd2offset` for a shape and stride known to be checked and congruent.

    Args:
        kept: Receives the shape and the stride of each mode at which ``coord`` has `_`; each stands at
            its coordinate 0. If None, a coordinate is made of ints alone.
    """
    try:
        offset = _offset(coord, shape, stride, extend, kept)
    except _OUTSIDE:
        raise _misfit(coord, shape, extend) from None
    except UndecidedError as error:
        raise _open_coordinate(error, coord, shape) from None
    return offset if type(offset) in PLAIN_INTS else evaluated(offset, leaves(stride))


def _offset(coord: Any, shape: Any, stride: Any, extend: bool, kept: list[Any] | None) -> Any:
    # The first term starts the sum, so that static terms give a static sum. Leaves are taken in
    # place rather than by a call each: this is the path that every evaluation runs.
    total: Any = None
    if is_tuple(coord):
        if not is_tuple(shape) or len(coord) != len(shape):
            raise _OutsideError
        for c, s, d in zip(coord, shape, stride):  # noqa: B905 (lengths are equal; this path is hot)
            if type(c) in PLAIN_INTS and type(s) in PLAIN_INTS and 0 <= c < s:
                term = c * d
            else:
                term = _offset(c, s, d, extend, kept)
            total = term if total is None else total + term
        return _0 if total is None else total
    if type(coord) not in PLAIN_INTS:
        if kept is not None and is_underscore(coord):
            kept.append((shape, stride))
            return _0
        coord = leaf(coord)
    if not is_tuple(shape):
        _in_range(coord, shape, extend)
        return coord * stride
    if not shape:
        _in_range(coord, _1, False)
        return _0
    last = len(shape) - 1
    for i in range(last):
        n = s = shape[i]
        if type(s) in PLAIN_INTS:
            term = coord % s * stride[i]
        else:
            n = product(s)
            term = _offset(coord % n, s, stride[i], False, None)
        coord = coord // n
        total = term if total is None else total + term
    term = _offset(coord, shape[last], stride[last], extend, None)
    return term if total is None else total + term


class _OutsideError(Exception):
    """A coordinate does not fit; `_misfit` says where and why."""


_OUTSIDE = (_OutsideError, ZeroDivisionError)  # an empty mode has no coordinate to divide out


def _in_range(coord: Any, extent: Any, extend: bool) -> None:
    """Raise unless ``0 <= coord < extent``; without the upper end if extended."""
    if type(coord) in PLAIN_INTS and type(extent) in PLAIN_INTS and 0 <= coord < extent:
        return
    if not at_least(coord, 0) or not (extend or less(coord, extent)):
        raise _OutsideError


def _open_coordinate(error: UndecidedError, coord: Any, shape: Any) -> UndecidedError:
    """The error of a coordinate that may lie outside, in place of that of the question itself."""
    obligation = error.data.get("obligation")
    if obligation is None or error.data.get("operation"):
        return error
    needs = f"as the coordinate {text_of(coord)} of the shape {text_of(shape)} needs"
    return undecided("", obligation, summary=f"cannot decide whether {obligation}, {needs}")


def _misfit(coord: Any, shape: Any, extend: bool) -> CoordinateError:
    """The error of a coordinate that does not fit: its smallest part that does not."""
    at: list[int] = []
    c, s = coord, shape
    while is_tuple(c) and is_tuple(s) and len(c) == len(s):
        for i, (part, extent) in enumerate(zip(c, s, strict=True)):
            try:
                _offset(part, extent, extent, extend, [])
            except _OUTSIDE:
                at.append(i)
                c, s = part, extent
                break
    fits, kind = "does not fit", "shape"
    if is_tuple(c):
        reason = f"{text_of(c)} stands where {text_of(s)} takes {arity(s)}."
    else:
        fits, kind = "lies outside", "shape" if is_tuple(s) else "size"
        is_said = (at and kind == "size") or known_lt(c, 0) is True
        size = product(s)
        reason = "Coordinates count from 0." if is_said else f"Its size is {size}."
        if not is_said and known_lt(0, size) is True:
            reason = f"It has the coordinates 0 to {text_of(leaf(size) - 1)}."
    if at:
        reason = f"Mode {'.'.join(map(str, at))} is {text_of(c)}, of {kind} {text_of(s)}. {reason}"
    summary = f"coordinate {text_of(coord)} {fits} the shape {text_of(shape)}"
    return CoordinateError(summary, reason, coord=coord, shape=shape, mode=tuple(at))


# --- origin shapes ----------------------------------------------------------------------------


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
    try:
        if not is_tuple(coord):
            return flatten_to_tuple(idx2crd(coord, product_each(shape)))
        if len(coord) == len(shape):
            return tuple(crd2idx(c, s) for c, s in zip(coord, shape, strict=True))
    except CoordinateError:
        pass
    raise _misfit(coord, shape, False)


def trim_parts(shape: Any, stride: Any, origin: Any) -> tuple[Any, Any]:
    """Return shape and stride with every padded mode cut to the leaves that its data reach.

    >>> trim_parts(((2, 4), (4, 2)), ((4, 16), (1, 32)), (5, 3))
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
