"""From an XLA tiled layout to the nested layout of the same function.

Each dim of the shape becomes one mode, its digits minor first. A digit is a factor of a dim: a dim
of 1280 rows under ``T(8,128)(2,1)`` has the digits 2, 4 and 160. Every tile splits the axes that the
digits stand on, exactly or not at all; an inexact split is refused with the digit at fault.

>>> print(to_layout(parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")))
(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))
"""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedError
from ..ints import Int, _0, _1, ceil_div, round_up
from ..layout import AnyLayout, Layout
from .shape import COMBINE, AnyShape, XlaShape
from .tiling import array_shape

__all__ = ["to_layout"]


class _Digit:
    """A factor of a dim: ``(index of dim // weight) % size``, at ``place`` in its axis.

    The last digit of a dim has no digit above it and is not reduced by its size, so it may grow
    into padding.
    """

    __slots__ = ("dim", "last", "place", "size", "weight")

    def __init__(self, dim: int, weight: int, size: int, place: int, last: bool) -> None:
        self.dim, self.weight, self.size, self.place, self.last = dim, weight, size, place, last


class _Axis:
    """An axis of the memory: its extent, and the digits whose places make up its coordinate."""

    __slots__ = ("digits", "extent")

    def __init__(self, extent: int, digits: list[_Digit]) -> None:
        self.extent, self.digits = extent, digits


def to_layout(shape: AnyShape) -> AnyLayout:
    """Return the layout with ``layout(*index) == physical_offset(shape, index)`` for every element.

    The shape of the result is the padded box of each dim, its origin shape the dims; every int is
    static. ``.trimmed()`` cuts the box to the data.

    >>> layout = to_layout(parse_shape("f32[3,5]{1,0:T(2,2)}"))
    >>> print(layout, layout.trimmed())
    ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5) ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)

    Raises:
        UnsupportedError: no nested layout with one mode for each dim is found by digits. Its
            ``reason`` is ``"broken-digit"`` (a tile cuts a digit unevenly) or
            ``"misaligned-combine"`` (a tile cuts dims merged by ``*`` across their border).
    Source: tiled_layout.md of XLA for the tiles; the digits are our own derivation.
    """
    shape = array_shape(shape)
    try:
        return _assembled(shape, _split_axes(shape, grow=True))
    except UnsupportedError:  # a tile may cut a digit unevenly just because it has grown
        return _assembled(shape, _split_axes(shape, grow=False))


def _split_axes(shape: XlaShape, grow: bool) -> list[_Axis]:
    """The axes of the memory after all tiles, major first, with the digits that stand on them."""
    axes = [
        _Axis(shape.dimensions[p], [_Digit(p, 1, shape.dimensions[p], 1, True)])
        for p in shape.major_to_minor
    ]
    for tile in shape.tiles if shape.elements else ():  # an empty array has nothing to place
        axes = [_Axis(1, []) for _missing in range(len(tile) - len(axes))] + axes
        split = len(axes) - len(tile)
        majors, tail, entries = axes[:split], axes[split:], list(tile)
        while COMBINE in entries:
            i = entries.index(COMBINE)
            tail[i : i + 2] = [_combined(tail[i], tail[i + 1])]
            del entries[i]
        pairs = [_split(axis, int(t), shape, grow) for axis, t in zip(tail, entries, strict=True)]
        axes = majors + [outer for outer, _inner in pairs] + [inner for _outer, inner in pairs]
    return axes


def _combined(major: _Axis, minor: _Axis) -> _Axis:
    """One axis of two: ``x_major * extent_minor + x_minor``."""
    raised = [
        _Digit(d.dim, d.weight, d.size, d.place * minor.extent, d.last)
        for d in major.digits
        if d.size != 1  # always 0: where it stands does not matter
    ]
    kept = minor.digits if not raised else [d for d in minor.digits if d.size != 1]
    return _Axis(major.extent * minor.extent, kept + raised)


def _split(axis: _Axis, t: int, shape: XlaShape, grow: bool) -> tuple[_Axis, _Axis]:
    """The counts and the inner axis of an axis under a tile of size ``t``.

    With ``grow`` the last digit of a dim takes the padding above it into its size.
    """
    outer, inner = _Axis(ceil_div(axis.extent, t), []), _Axis(t, [])
    top = max(axis.digits, key=lambda d: d.place, default=None)
    padded = round_up(axis.extent, t)
    for d in axis.digits:
        size = d.size
        if grow and d is top and d.last and padded % d.place == 0:
            size = padded // d.place
        # a digit counts place * (0 .. size-1) of the axis; x -> (x div t, x mod t)
        if d.place * size <= t:
            inner.digits.append(_Digit(d.dim, d.weight, size, d.place, d.last))
        elif d.place % t == 0:
            outer.digits.append(_Digit(d.dim, d.weight, size, d.place // t, d.last))
        elif t % d.place == 0 and (d.last or size % (t // d.place) == 0):
            r = t // d.place  # digit = high * r + low; low stays inside, high counts tiles
            inner.digits.append(_Digit(d.dim, d.weight, r, d.place, False))
            outer.digits.append(_Digit(d.dim, d.weight * r, ceil_div(size, r), 1, d.last))
        else:
            raise _refused(shape, axis, d, t)
    return outer, inner


def _refused(shape: XlaShape, axis: _Axis, d: _Digit, t: int) -> UnsupportedError:
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


def _assembled(shape: XlaShape, axes: list[_Axis]) -> AnyLayout:
    """One mode for each dim: its digits by weight, with the strides of the axes they stand on."""
    modes: list[list[tuple[int, int, int]]] = [[] for _dim in shape.dimensions]
    step = 1
    for axis in reversed(axes):
        for d in axis.digits:
            modes[d.dim].append((d.weight, d.size, d.place * step))
        step *= axis.extent
    parts = [_mode(sorted(digits)) for digits in modes]
    origin = tuple(Int(n) for n in shape.dimensions)
    return Layout(tuple(s for s, _d in parts), tuple(d for _s, d in parts), origin)


def _mode(digits: list[tuple[int, int, int]]) -> tuple[Any, Any]:
    """Shape and stride of one mode: digits of size 1 left out, neighbours in line merged."""
    merged: list[tuple[int, int]] = []
    for _weight, size, stride in digits:
        if size == 1:
            continue
        if merged and stride == merged[-1][0] * merged[-1][1]:
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        else:
            merged.append((size, stride))
    if not merged:
        return _1, _0
    if len(merged) == 1:
        return Int(merged[0][0]), Int(merged[0][1])
    return tuple(Int(n) for n, _d in merged), tuple(Int(d) for _n, d in merged)
