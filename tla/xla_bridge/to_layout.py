# SPDX-License-Identifier: Apache-2.0
"""From an XLA tiled layout to the nested layout of the same function.

Each dim of the shape becomes one mode, with its digits minor first. A digit is a factor of a dim: a dim
of 1280 rows under ``T(8,128)(2,1)`` has the digits 2, 4 and 160. Every tile splits the axes of the
digits. If a split is inexact, the offset is taken as a function of the dims. Its parts may merge again,
such as the 3 and 1 of ``f32[6]{0:T(4)(3)}``. If they do not, the error has a proof that there is no
layout.

>>> print(to_layout(parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")))
(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))

A dynamic dim is a symbolic int. For ``<=5`` memory is laid out for the bound, and the symbol is the size
of the data. For ``?`` the symbol is the size itself, and the strides above it contain it.

>>> print(to_layout(parse_shape("f32[<=5,3]")), to_layout(parse_shape("f32[3,?]")))
(_5,_3):(_3,_1):(d0{min=0,max=5},_3) (_3,d1{min=0}):(d1,_1)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import islice
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import CoordinateError, LayoutError, LeafError, UndecidedError, UnsupportedError
from ..ground import described
from ..layouts import AnyLayout, Layout
from ..numbers import (
    IntLike,
    SymbolicInt,
    at_least,
    ceil_div,
    comparison,
    keeps_assumptions,
    known_divides,
    known_eq,
    known_lt,
    leaf,
    round_up,
)
from .digits import in_line, mode_of, static
from .shape import AnyShape, XlaShape
from .tiling import array_shape, cut_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..numbers import Conditions
    from .shape import AnyShape, XlaShape


class _Digit:
    """A factor of a dim: ``(index of dim // weight) % size``, at ``place`` in its axis.

    The weight is the product of the digits below it in its dim, and ``rank`` orders the digits of a dim
    by weight. The last digit of a dim has no digit above it and is not reduced by its size. So it may
    extend into padding.
    """

    __slots__ = ("dim", "last", "place", "rank", "size")

    def __init__(self, dim: int, rank: tuple[int, ...], size: int, place: int, last: bool) -> None:
        self.dim, self.rank, self.size, self.place, self.last = dim, rank, size, place, last


class _Axis:
    """An axis of the memory: its extent, and the digits whose places make up its coordinate.

    The digits are in the order of their places, the greatest last.
    """

    __slots__ = ("digits", "extent")

    def __init__(self, extent: int, digits: list[_Digit]) -> None:
        self.extent, self.digits = extent, digits


@keeps_assumptions
def to_layout(
    shape: AnyShape,
    dims: Mapping[int, IntLike] | None = None,
    *,
    assume: Conditions | None = None,  # for `keeps_assumptions`
) -> AnyLayout:
    """Return the layout with ``layout(*index) == physical_offset(shape, index)`` for every element.

    The shape of the result is the padded box of each dim, and its origin shape the dims. Every int of a
    fixed dim is static. ``.trimmed()`` cuts the box to the data. If an uneven split merges again, the
    part of the box past the dims is no padding of the array, and may lie past its memory.

    >>> layout = to_layout(parse_shape("f32[3,5]{1,0:T(2,2)}"))
    >>> print(layout, layout.trimmed())
    ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5) ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)

    A dim ``<=5`` of number ``i`` is laid out as 5, and its origin is the symbolic int
    ``di{min=0,max=5}``. A dim ``?`` is ``di{min=0}``. With ``n`` for it, this is the layout of the shape
    with ``n`` in that place.

    >>> layout = to_layout(parse_shape("f32[?,<=3]{0,1:T(2,2)}"))
    >>> print(layout)
    ((_2,(d0{min=0}+1)//2),(_2,_2)):((_1,_4),(_2,4*((d0+1)//2))):(d0,d1{min=0,max=3})
    >>> print(layout.bind(d0=5, d1=2))
    ((_2,3),(_2,_2)):((_1,_4),(_2,12)):(5,2)

    Args:
        dims: Other symbolic ints, or ints, for dynamic dims, by their numbers: ``{0: sym("M")}``. So
            shapes may share an unknown.
        assume: Conditions that hold for the unknowns.

    Raises:
        LeafError: ``dims`` is no mapping of ints.
        LayoutError: an int of ``dims`` is negative, or exceeds the bound of its dim.
        CoordinateError: ``dims`` has a number that is no dynamic dim.
        UndecidedError: an unknown size decides whether tiles cut a digit evenly; tiles with ``*`` may
            need a multiple of an entry. Or an unknown of ``dims`` may exceed a bound. Or ``*`` merges
            dims of more than 65536 elements that have no digits, and no tried index refutes a layout.
        UnsupportedError: there is no nested layout with one mode for each dim. Its ``reason`` is
            ``"broken-digit"`` (a tile cuts a digit unevenly) or ``"misaligned-combine"`` (a tile cuts
            dims merged by ``*`` across their border). Its ``dim``, ``digit`` and ``tile`` are the place.
            A layout would place ``index`` at the sum of the two offsets of ``parts``, but the array has
            it elsewhere. ``combined`` is the layout over combined coordinates, which always exists. The
            error of a dim of unknown size does not have the last three, because digits alone refuse it.
    Source: tiled_layout.md of XLA for the tiles; shape_util.cc ``ByteStrides`` for bounded dims, whose
    bounds make the strides; the digits are our own derivation. XLA's CPU and GPU also pack dynamic
    arrays by their sizes (ir_emitter_unnested.cc, ``PadToStatic``); these have the layout of ``?``.
    """
    shape = array_shape(shape)
    sizes, origin = _sizes(shape, {} if dims is None else dims)
    try:
        return _layout_of(_split_axes(shape, sizes, grow=True), origin)
    except (UndecidedError, UnsupportedError):  # a tile may cut only the extended digit unevenly
        try:
            return _layout_of(_split_axes(shape, sizes, grow=False), origin)
        except UnsupportedError as error:
            if any(isinstance(n, SymbolicInt) for n in sizes):
                raise
            refusal = error
    from .by_function import layout_by_function

    return layout_by_function(shape, sizes, origin, refusal)


def _sizes(shape: XlaShape, dims: Mapping[int, IntLike]) -> tuple[list[Any], list[Any]]:
    """The size of each dim in memory, and the size of its data."""
    if not isinstance(dims, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LeafError(
            f"dims needs a mapping of the numbers of dims to sizes, not {described(dims)}",
            "Write dims={0: sym('M')}.",
            value=dims,
        )
    given: dict[int, Any] = {}
    for i, value in dims.items():
        size = shape.dimension(i)
        i %= shape.rank
        if not shape.dynamic_dimensions[i]:
            raise CoordinateError(f"dim {i} of {shape} is not dynamic: it is {size}", dim=i)
        given[i] = leaf(value)
        bounded = not isinstance(size, SymbolicInt)
        if not at_least(given[i], 0) or (bounded and not at_least(size, given[i])):
            limits = f"from 0 to {size}" if bounded else "0 or more"
            raise LayoutError(f"dim {i} of {shape} is {limits}, not {given[i]}", dim=i)
    sizes: list[Any] = []
    origin: list[Any] = []
    for i, (size, dynamic) in enumerate(zip(shape.dimensions, shape.dynamic_dimensions, strict=True)):
        if isinstance(size, SymbolicInt):
            size = given.get(i, size)
            data = size
        else:
            data = size if not dynamic else given[i] if i in given else _unknown(i, size)
        sizes.append(size)
        origin.append(data if dynamic else static(data))
    return sizes, origin


def _unknown(i: int, bound: int) -> Any:
    from ..numbers import sym

    return sym(f"d{i}", min=0, max=bound)


def _split_axes(shape: XlaShape, sizes: list[Any], grow: bool) -> list[_Axis]:
    """The axes of the memory after all tiles, major first, with their digits."""
    *_, (axes, _inside) = _axes_by_tile(shape, sizes, grow)
    return axes


def tile_boxes(shape: AnyShape) -> list[tuple[int, ...]] | None:
    """Return the box of elements in a tile of each level, a size for each dim, the largest first.

    >>> tile_boxes(parse_shape("bf16[2,32,256]{2,1,0:T(8,128)(2,1)}"))
    [(1, 8, 128), (1, 2, 1)]

    It is None if a dim is dynamic, or if the elements of a tile are no box.
    """
    shape = array_shape(shape)
    if any(shape.dynamic_dimensions):
        return None
    boxes: set[tuple[int, ...]] = set()
    try:
        for axes, inside in islice(_axes_by_tile(shape, list(shape.dimensions), grow=True), 1, None):
            digits = [(d, i >= len(axes) - inside) for i, axis in enumerate(axes) for d in axis.digits]
            box = [1] * shape.rank
            ended: set[int] = set()  # dims with a digit outside the tile
            for d, is_inside in sorted(digits, key=lambda each: each[0].rank):
                if not is_inside:
                    ended.add(d.dim)
                elif d.size > 1 and d.dim in ended:
                    return None
                else:
                    box[d.dim] *= d.size
            boxes.add(tuple(box))
    except UnsupportedError:
        return None
    return sorted(boxes, key=prod, reverse=True)


def _axes_by_tile(shape: XlaShape, sizes: list[Any], grow: bool) -> Iterator[tuple[list[_Axis], int]]:
    """The axes of the memory before all tiles and after each, and how many of the last are in a tile."""
    axes = [_Axis(sizes[p], [_Digit(p, (), sizes[p], 1, True)]) for p in shape.major_to_minor]
    yield axes, 0
    empty = any(known_eq(n, 0) is True for n in sizes)
    for tile in () if empty else shape.tiles:  # an empty array has nothing to place
        _missing, kept, groups, entries = cut_by(tile, axes, _Axis(1, []))
        merged = [reduce(_merge_axes, group) for group in groups]
        pairs = [_split(axis, t, shape, grow) for axis, t in zip(merged, entries, strict=True)]
        axes = axes[:kept] + [outer for outer, _inner in pairs] + [inner for _outer, inner in pairs]
        yield axes, len(pairs)


def _merge_axes(major: _Axis, minor: _Axis) -> _Axis:
    """One axis of two: ``x_major * extent_minor + x_minor``."""
    raised = [
        _Digit(d.dim, d.rank, d.size, d.place * minor.extent, d.last)
        for d in major.digits
        if known_eq(d.size, 1) is not True  # always 0, so its place does not matter
    ]
    kept = minor.digits if not raised else [d for d in minor.digits if known_eq(d.size, 1) is not True]
    return _Axis(major.extent * minor.extent, kept + raised)


def _split(axis: _Axis, t: int, shape: XlaShape, grow: bool) -> tuple[_Axis, _Axis]:
    """The counts and the inner axis of an axis under a tile of size ``t``.

    With ``grow`` the last digit of a dim takes the padding above it into its size.
    """
    outer, inner = _Axis(ceil_div(axis.extent, t), []), _Axis(t, [])
    padded = round_up(axis.extent, t)
    for d in axis.digits:
        size = d.size
        if grow and d is axis.digits[-1] and d.last and known_divides(d.place, padded) is True:
            size = padded // d.place
        # a digit counts place * (0 .. size-1) of the axis; x -> (x div t, x mod t)
        fits = known_lt(t, d.place * size)
        counts = known_divides(t, d.place)
        nests = known_divides(d.place, t)
        r = t // d.place if nests else 1
        even = nests and (True if d.last else known_divides(r, size))
        if fits is False:
            inner.digits.append(_Digit(d.dim, d.rank, size, d.place, d.last))
        elif counts:
            outer.digits.append(_Digit(d.dim, d.rank, size, d.place // t, d.last))
        elif even:  # digit = high * r + low; low stays inside, high counts tiles: none if it fits
            inner.digits.append(_Digit(d.dim, (*d.rank, 0), r, d.place, False))
            outer.digits.append(_Digit(d.dim, (*d.rank, 1), ceil_div(size, r), 1, d.last))
        elif fits and counts is False and even is False:
            raise _broken_digit_error(shape, axis, d, t)
        else:
            raise _cut_error(shape, d, t, (counts, d.place, t), (even if nests else False, size, r))
    return outer, inner


def _cut_error(shape: XlaShape, d: _Digit, t: int, *open_: tuple[bool | None, Any, Any]) -> Exception:
    """The error of a digit that a tile may cut unevenly, with the condition that it does not."""
    whole = next((x % n for answer, x, n in open_ if answer is None), None)
    needed = comparison(d.place * d.size, "<=", t) if whole is None else comparison(whole, "==", 0)
    return UndecidedError(
        f"cannot decide whether {needed}, as a nested layout of {shape} needs",
        f"A tile of {t} cuts dim {d.dim}, which counts by {d.place} there.",
        f"Give its unknowns a range or a divisor: dims={{...}}, or assume it: `with assume({needed}):`.",
        obligation=needed,
        shape=shape,
        dim=d.dim,
        tile=t,
    )


def _broken_digit_error(shape: XlaShape, axis: _Axis, d: _Digit, t: int) -> UnsupportedError:
    if len({other.dim for other in axis.digits}) > 1:
        reason = "misaligned-combine"
        text = f"a tile of {t} cuts across dims merged by '*': dim {d.dim} counts by {d.place} there"
    else:
        reason = "broken-digit"
        text = f"a tile of {t} cuts the digit of size {d.size} of dim {d.dim} unevenly"
    return UnsupportedError(
        f"{shape} has no nested layout that its digits give",
        f"{text[0].upper()}{text[1:]}, and carries into the digits above it.",
        "physical_offset still places every element.",
        shape=shape,
        reason=reason,
        dim=d.dim,
        digit=d.size,
        tile=t,
    )


def _layout_of(axes: list[_Axis], origin: list[Any]) -> AnyLayout:
    """The layout with one mode for each dim: its digits by weight, with the strides of their axes."""
    modes: list[list[tuple[tuple[int, ...], int, int]]] = [[] for _dim in origin]
    step = 1
    for axis in reversed(axes):
        for d in axis.digits:
            modes[d.dim].append((d.rank, d.size, d.place * step))
        step = axis.extent * step
    parts = [
        mode_of(in_line(part[1:] for part in sorted(digits, key=itemgetter(0)))) for digits in modes
    ]
    return Layout(tuple(s for s, _d in parts), tuple(d for _s, d in parts), tuple(origin))
