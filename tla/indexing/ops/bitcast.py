# SPDX-License-Identifier: Apache-2.0
"""Bitcasts: the same bits, read as another array.

=================  =============================================================================
op                 an element of the result is made from
=================  =============================================================================
bitcast            what has bits at its place in memory, as the layouts of both arrays have it, tiles
                   and padding included; where the operand has padding, or ends, nothing. Both have
                   as many bytes, of memory or of data
bitcast-convert    the element at its index; where the widths differ, the narrower type has one more
                   dim, the most minor, for the parts of an element
=================  =============================================================================

>>> from tla.hlo import read_instruction
>>> from tla.indexing import output_to_input
>>> tiled = "%b = s32[129,5]{0,1:T(8,128)} bitcast(s32[5,129]{1,0:T(8,128)} %x)"
>>> print(*output_to_input(read_instruction(tiled))[0])
(d0, d1) -> (d1, d0), domain: d0 in [0, 128], d1 in [0, 4]
>>> narrow = "%b = u8[8] bitcast(f32[2] %x)"
>>> print(*output_to_input(read_instruction(narrow))[0])
(d0) -> (d0 floordiv 4), domain: d0 in [0, 7]

Source: XLA operation semantics; tiled_layout.md of XLA.
"""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, Any

from ...numbers import Expr, Interval, Remainder, ceil_div
from ...xla_bridge import cut_by, logical_bytes, physical_bytes, storage_bits, tiled_axes
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import dim, rng
from .movement import expect_sizes, only_input
from .reshape import coordinates, place, reshape_map, runs
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Value
    from ...xla_bridge import Cut, XlaShape
    from .op import Op
    from .rules import Maps

Bound = tuple["Value", Interval]


class MemoryAxes:
    """The axes into which the tiles of a shape split its dims: their sizes, and the map in both
    directions.

    >>> from tla.xla_bridge import parse_array
    >>> axes = MemoryAxes(parse_array("f32[3,5]{1,0:T(2,2)}"))
    >>> axes.sizes, axes.of((1, 4)), axes.index((0, 2, 1, 0))[0]
    ([2, 3, 2, 2], [0, 2, 1, 0], [1, 4])
    >>> print(IndexingMap(axes.of((dim(0), dim(1))), (3, 5)))
    (d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2), domain: d0 in [0, 2], d1 in [0, 4]

    The sizes of a dynamic dim are those of its bound.
    """

    def __init__(self, shape: XlaShape) -> None:
        self.shape = shape
        sizes = [int(shape.dimensions[k]) for k in shape.major_to_minor]
        self.cuts: list[Cut[int]] = []
        for tile in shape.tiles:
            cut = cut_by(tile, sizes, 1)
            self.cuts.append(cut)
            counts = [ceil_div(prod(group), t) for group, t in zip(cut.groups, cut.sizes, strict=True)]
            sizes = [*sizes[: cut.kept], *counts, *cut.sizes]
        self.sizes = sizes

    def of(self, index: Sequence[Any]) -> list[Value]:
        """Return the coordinates of an element on the axes."""
        return [x for x, _n in tiled_axes(self.shape, index)]

    def index(self, at: Sequence[Value]) -> tuple[list[Value], list[Bound]]:
        """Return the index at some coordinates, and the bounds within which an element is there."""
        bounds: list[Bound] = []
        now = list(at)
        for cut in reversed(self.cuts):
            split = cut.kept + len(cut.sizes)
            counts, inner = now[cut.kept : split], now[split:]
            now = now[: cut.kept]
            for group, t, c, i in zip(cut.groups, cut.sizes, counts, inner, strict=True):
                x = _join(c, i, t)
                bounds.append((x, Interval.of(prod(group))))
                now += coordinates(x, group)
            del now[cut.kept : cut.kept + cut.missing]
        index: list[Value] = [0] * len(now)
        for k, x in zip(self.shape.major_to_minor, now, strict=True):
            index[k] = x
            bounds.append((x, Interval.of(int(self.shape.dimensions[k]))))
        return index, bounds


def _join(count: Value, inner: Value, t: int) -> Value:
    """``count * t + inner``; one digit if the two are digits of one number."""
    c, i = _remainder(count), _remainder(inner)
    # (y // t mod m) * t + y mod t == y mod (t * m)
    if c and i and i.divisor == t and count == (i.dividend // t) % c.divisor:
        return i.dividend % (t * c.divisor)
    return count * t + inner


def _remainder(x: Value) -> Remainder | None:
    if type(x) is not Expr or x.constant or list(x.terms.values()) != [1]:
        return None
    (monomial,) = x.terms
    return monomial[0] if len(monomial) == 1 and type(monomial[0]) is Remainder else None


@rule("bitcast")
def _bitcast(op: Op, output: int) -> Maps:
    sizes, made = only_input(op), op.dims()
    operand, result = op.inputs[0].shape, op.outputs[0].shape
    if None in (operand.element_type.bits, result.element_type.bits):
        op.refuse("a token has no bits")
    bytes_ = [(physical_bytes(shape), logical_bytes(shape)) for shape in (operand, result)]
    if all(a != b for a, b in zip(*bytes_, strict=True)):
        op.fail(f"the operand has {bytes_[0][0]} bytes of memory, the result {bytes_[1][0]}")
    if 0 in made or 0 in sizes:
        return [[IndexingMap([0] * len(sizes), made, is_known_empty=True)]]
    # an axis of the bits that both widths are made of; a range runs through those of an element
    width, wide = storage_bits(result), storage_bits(operand)
    unit = gcd(width, wide)
    source, target = MemoryAxes(operand), MemoryAxes(result)
    parts = [width // unit] if width > unit else []
    at = [*target.of([dim(j) for j in range(len(made))]), *(rng(0) for _n in parts)]
    others = [wide // unit] if wide > unit else []
    found, bounds = _coordinates([*source.sizes, *others], [*target.sizes, *parts], at)
    index, inside = source.index(found[: len(source.sizes)])
    m = rewritten(IndexingMap(index, made, parts, (), bounds + inside))
    return [[_as_reshape(m, sizes, made)]]


def _as_reshape(m: IndexingMap, a: tuple[int, ...], b: tuple[int, ...]) -> IndexingMap:
    """The map in the form of a reshape, which places dims of size 1 differently, if it is a reshape."""
    if 1 in b and prod(a) == prod(b):
        plain = reshape_map(a, b)
        if rewritten(plain, replace=True) == rewritten(m, replace=True):
            return plain
    return m


def _coordinates(a: list[int], b: list[int], at: list[Value]) -> tuple[list[Value], list[Bound]]:
    """The coordinates on axes ``a`` of the place ``at`` on axes ``b``, and the bounds of that memory.

    The two memories begin together, and one may be longer. If their lengths differ, the axes are
    compared from the minor ones on, and the last run has all the others.
    """
    step = 1 if prod(a) == prod(b) else -1
    found: list[Value] = []
    bounds: list[Bound] = []
    for run in runs(a[::step], b[::step]):
        sizes = [a[::step][i] for i in run.a][::step]
        others = [b[::step][j] for j in run.b][::step]
        index = [at[::step][j] for j in run.b][::step]
        if sizes == others:
            found += index[::step]
            continue
        x = place(index, others)
        if prod(sizes) != prod(others):
            bounds.append((x, Interval.of(prod(sizes))))
        found += coordinates(x, sizes)[::step]
    return found[::step], bounds


@rule("bitcast-convert")
def _bitcast_convert(op: Op, output: int) -> Maps:
    sizes, made = only_input(op), op.dims()
    wide, width = op.inputs[0].shape.element_type.bits, op.outputs[0].shape.element_type.bits
    if wide is None or width is None:
        op.refuse("a token has no bits")
    if wide == width:
        expect_sizes(op, sizes)
        return [[op.identity()]]
    if wide > width and wide % width == 0:
        expect_sizes(op, (*sizes, wide // width))
        return [[IndexingMap([dim(k) for k in range(len(sizes))], made)]]
    if width % wide or sizes != (*made, width // wide):
        op.fail(f"it cannot make {op.outputs[0].shape} of {op.inputs[0].shape}")
    index = [*(dim(k) for k in range(len(made))), rng(0)]
    return [[IndexingMap(index, made, [width // wide])]]
