# SPDX-License-Identifier: Apache-2.0
"""Layouts as indexing maps, and back: from an index to its place in memory.

>>> from tla.xla_bridge import parse_shape
>>> m = from_layout(parse_shape("f32[3,5]{1,0:T(2,2)}"))
>>> m.evaluate((2, 3))
(17,)
>>> print(to_layout(m))
((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)
>>> from .invert import inverse
>>> at = inverse(m)  # from a place in memory back to the element; no place of padding is in its domain
>>> at.evaluate((17,)), at.contains((17,)), at.contains((18,))
((2, 3), True, False)

So the map of an op extends to memory: ``compose(m, from_layout(shape))`` has the offset of the element
that is read, if ``m`` leads to an array of that shape.

Source: XLA ``GetIndexingMapForLogicalToPhysicalLayout``, which leaves tiles out; here they are in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ..errors import CongruenceError, KindError, UnsupportedError
from ..layouts import AnyLayout, flatten_to_tuple, is_layout, leaves, unflatten
from ..numbers import (
    Expr,
    Int,
    Interval,
    Symbol,
    SymbolicInt,
    Value,
    bounds_of,
    is_tuple,
    known_eq,
    rebind,
    required,
    sym,
)
from ..xla_bridge import XlaBuffer, XlaShape, XlaTuple, array_shape, layout_of_digits, physical_offset
from .compose import compose
from .making import listed
from .maps import IndexingMap, require_map
from .recognition import Recognition
from .variables import RuntimeVariable, bounded, dim, rt

if TYPE_CHECKING:
    from ..xla_bridge import AnyShape

Memory: TypeAlias = Union[AnyLayout, "AnyShape", Sequence[int]]
"""The places of indices in memory: a layout, an XLA shape, or sizes for row-major order."""

# --- from layouts to maps ---------------------------------------------------------------------


def from_layout(x: Memory, *, by_leaf: bool = False) -> IndexingMap:
    """Return the map from an index to its offset, on all indices that hold data.

    >>> from tla.layouts.notation import parse
    >>> zN = parse("((4,2),(4,3)):((4,16),(1,32))")
    >>> print(from_layout(zN))
    (d0, d1) -> ((d1 floordiv 4) * 32 + d0 * 4 + d1 mod 4), domain: d0 in [0, 7], d1 in [0, 11]
    >>> by_leaf = from_layout(zN, by_leaf=True)
    >>> by_leaf.evaluate((1, 0, 1, 1)), [str(v.bounds) for v in by_leaf.dims]
    ((37,), ['[0, 3]', '[0, 1]', '[0, 3]', '[0, 2]'])

    For a layout the dims of the map are the top-level modes, and the domain is the origin shape. For an
    XLA shape they are the dims of the array; a bounded dim has its bound. Sizes stand for an array in
    row-major order.

    Args:
        by_leaf: Whether each leaf of a layout is a dim instead; constraints leave out padding.

    An unknown of a layout becomes a runtime variable of its name, which has no source.

    Raises:
        UnsupportedError: the size of a dim is unknown, an unknown has no bounds, or a shape is no array.
    """
    if is_layout(x):
        return _from_layout(x, by_leaf)
    if isinstance(x, (XlaShape, XlaTuple, XlaBuffer)):
        shape = array_shape(x)
        sizes = known_sizes(shape)
        if not all(sizes):
            return IndexingMap([0], sizes)
        at = [_coordinate(i, n) for i, n in enumerate(sizes)]
        put: dict[Symbol, Value] = {d.symbols[0]: dim(i) for i, d in enumerate(at) if type(d) is Expr}
        return IndexingMap([rebind(_value(physical_offset(shape, at)), put)], sizes)
    if isinstance(x, (str, bytes)) or not isinstance(x, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"expected a layout, an XLA shape or sizes, got {x!r}", value=x)
    counts = listed(x)
    offset: Any = 0
    for i, n in enumerate(counts):
        offset = offset * required(n) + dim(i)
    return IndexingMap([offset], counts)


def known_sizes(shape: XlaShape) -> tuple[int, ...]:
    """Return the dims of a shape; a bounded dim has its bound."""
    for i, n in enumerate(shape.dimensions):
        if isinstance(n, SymbolicInt):
            raise UnsupportedError(
                f"the map of {shape} depends on the unknown size of dim {i}",
                f"Write a number in place of '?', or a bound, '<=N', for dim {i}.",
                shape=shape,
                dim=i,
            )
    return tuple(map(int, shape.dimensions))


def _coordinate(i: int, n: Any) -> Any:
    """A coordinate of a mode or dim of a size, for the rules of ints; 0 for size 1."""
    if type(n) is Expr:
        return sym(f"d{i}", min=0, max=n - 1)
    return bounded(0, i, 0, int(n) - 1) if n > 1 else 0


def _value(x: Any) -> Value:
    """An int of a layout, static or not, as a value of an expression."""
    value: Value = x if type(x) is Expr else int(x)
    return value


def _from_layout(layout: AnyLayout, by_leaf: bool) -> IndexingMap:
    names, put = _unknowns(layout)

    def plain(x: Any) -> Value:
        return rebind(_value(x), put)

    shape: Any = layout.shape
    modes: Any = shape if is_tuple(shape) else (shape,)
    origin: tuple[Any, ...] = flatten_to_tuple(layout.origin_shape)
    sizes: list[Any] = list(leaves(shape)) if by_leaf else list(origin)
    ends = [_end(n) for n in sizes]
    if 0 in ends:
        return IndexingMap([0], ends, (), names)
    at = [_coordinate(i, n) for i, n in enumerate(sizes)]
    coord = unflatten(tuple(at), shape) if by_leaf else tuple(at)
    put.update({d.symbols[0]: dim(i) for i, d in enumerate(at) if type(d) is Expr})
    offset = plain(layout(coord if by_leaf or is_tuple(shape) else at[0]))
    constraints: list[tuple[Value, Interval]] = []
    for i, n in enumerate(sizes):
        if type(n) is Expr:  # d_i < n
            constraints.append((plain(n) - dim(i), Interval(1, ends[i])))
    if by_leaf:
        coords: Any = coord if is_tuple(shape) else (coord,)
        for digits, mode, n in zip(coords, modes, origin, strict=True):
            index, size = _index_and_size(digits, mode)
            if known_eq(n, size) is not True:
                room = plain(n) - plain(index)
                constraints.append((room, Interval(1, _end(n))))
    for i, symbol in enumerate(layout.symbols):
        if symbol.divisor > 1:
            constraints.append((rt(i) % symbol.divisor, Interval(0, 0)))
    return IndexingMap([offset], ends, (), names, constraints)


def _end(n: Any) -> int:
    """The greatest value of a size."""
    high = bounds_of(_value(n))[1]
    if high is None:
        raise UnsupportedError(
            f"the size {n} has no greatest value", "Give its unknowns one: M{max=64}.", size=n
        )
    return high


def _index_and_size(coord: Any, shape: Any) -> tuple[Any, Any]:
    """The index of digits within a mode, the first leaf fastest, and the size of the mode."""
    index: Any = 0
    weight: Any = 1
    for c, n in zip(flatten_to_tuple(coord), flatten_to_tuple(shape), strict=True):
        index = index + weight * c
        weight = weight * n
    return index, weight


def _unknowns(layout: AnyLayout) -> tuple[list[RuntimeVariable], dict[Symbol, Value]]:
    """A runtime variable for each unknown of a layout, and the expression that replaces the unknown."""
    if layout.assumptions:
        raise UnsupportedError(
            f"the map of {layout} stands on conditions",
            "Bind its unknowns to numbers first: layout.bind(M=64).",
        )
    names: list[RuntimeVariable] = []
    put: dict[Symbol, Value] = {}
    for i, symbol in enumerate(layout.symbols):
        low, high = symbol.bounds
        if low is None or high is None:
            raise UnsupportedError(
                f"the unknown {symbol.name} of {layout} has no bounds",
                f"Give it some, {symbol.name}{{min=1,max=64}}, or a number.",
                symbol=symbol.name,
            )
        d = symbol.divisor  # the atom is the value over the divisor
        names.append(RuntimeVariable(symbol.name, Interval(low * d, high * d)))
        put[symbol] = rt(i) // d
    return names, put


# --- from maps to layouts ---------------------------------------------------------------------


def to_layout(map: IndexingMap, into: Memory | None = None) -> AnyLayout:
    """Return the layout of a map: ``layout(*dims, *ranges) == result`` on its whole domain.

    >>> from . import parse_map
    >>> m = parse_map("(d0, d1)[s0] -> (d0, s0, d1), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 4]")
    >>> print(to_layout(m, into=(4, 5, 8)))
    (_4,_8,_5):(_40,_1,_8)

    Each dim of the map is a mode, and each range is one more mode after them. The rules of ints prove
    that the two agree, or a check of each point of a small map.

    Args:
        into: The memory of the array whose index the results are: a layout, an XLA shape, or sizes for
            row-major order. Without it the map has one result, an offset.

    Raises:
        UnsupportedError: no layout agrees with the map; the error has a ``point``, the values of dims
            and ranges, where it fails, its ``value`` there, and a layout's value, ``expected``.
        UndecidedError: there is neither a proof nor such a point within the limit of work.
        CongruenceError: the map has more or fewer results than ``into`` has dims.
    """
    layout, offset = layout_and_offset(map, into)
    if type(offset) is Expr or offset:
        raise UnsupportedError(
            "the map is no layout: it does not begin at offset 0",
            f"It is the layout {layout} behind an offset: layout_and_offset(map) gives both.",
            f"map: {map}",
            point=(0,) * (len(map.dims) + len(map.ranges)),
            value=offset,
            expected=0,
        )
    return layout


def layout_and_offset(map: IndexingMap, into: Memory | None = None) -> tuple[AnyLayout, Value]:
    """Return a layout and an offset with ``offset + layout(*dims, *ranges) == result``.

    >>> from . import parse_map
    >>> m = parse_map("(d0){rt0} -> (d0 * 3 + rt0 * 8 + 2), domain: d0 in [0, 4], rt0 in [0, 1]")
    >>> layout, offset = layout_and_offset(m)
    >>> print(layout, offset - rt(0) * 8)
    (_5):(_3) 2

    It is like `to_layout`, for a map that does not begin at 0. The offset may be an expression of the
    map's runtime variables.

    Raises:
        UnsupportedError, UndecidedError, CongruenceError: see `to_layout`.
    """
    require_map(map)
    if map.is_undefined:
        raise UnsupportedError(f"an undefined map is no layout: {map.reason}")
    if into is not None:
        memory = from_layout(into)
        if len(map.results) != len(memory.dims):
            raise CongruenceError(
                f"a map with {len(map.results)} results leads to no memory of {len(memory.dims)} dims",
                f"map: {map}",
                f"memory: {memory}",
            )
        map = compose(map, memory)
    if len(map.results) != 1:
        raise UnsupportedError(
            f"a map with {len(map.results)} results is no layout, which gives one offset",
            "Say of what memory they are an index: to_layout(map, into=shape).",
            f"map: {map}",
        )
    count = len(map.dims) + len(map.ranges)
    if map.is_known_empty:
        return layout_of_digits([((0, 0),)] * count, [Int(0)] * count), 0
    return Recognition(map).layout_and_offset()
