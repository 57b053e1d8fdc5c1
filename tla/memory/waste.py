# SPDX-License-Identifier: Apache-2.0
"""The waste of one array, and the dim, tile or attribute that causes it.

>>> from ..xla_bridge import parse_array
>>> waste = array_waste(parse_array("s32[8388608,8,4]{2,1,0:T(8,128)}"))
>>> waste.data_bytes, waste.padded_bytes, waste.expansion
(1073741824, 34359738368, Fraction(32, 1))
>>> print(*waste.factors)
dim 2: 4 -> 128 (32.00x)

Each tile rounds the sizes of the last axes up: a dim ``d`` under an entry ``t`` becomes ``round_up(d,
t)``. A later tile rounds up the axes of the tile before it. ``L`` rounds up the number of elements, and
``E`` the bits of each.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import UnsupportedError
from ..ground import html_of
from ..numbers import ceil_div, round_up
from ..xla_bridge import COMBINE, array_shape, logical_bytes, physical_bytes
from .picture import Block, bars_of

if TYPE_CHECKING:
    from ..ground import Bars
    from ..xla_bridge import AnyShape, Tile, XlaShape

_Axis: TypeAlias = tuple[int, tuple[int, ...]]
"""The size of an axis, and its logical dims."""


class Factor(NamedTuple):
    """A size that is rounded up: the cause, the dims, the size before and after.

    >>> from tla.xla_bridge import parse_array
    >>> for factor in array_waste(parse_array("f32[5,100]{1,0:T(8,128)}")).factors:
    ...     print(factor.cause, factor.dims, factor.size, factor.padded, factor)
    tile (0,) 5 8 dim 0: 5 -> 8 (1.60x)
    tile (1,) 100 128 dim 1: 100 -> 128 (1.28x)

    ``cause`` is ``tile`` for the first tile, ``sub-tile`` for a later one, ``tail`` for ``L``,
    ``element`` for ``E``, ``byte`` if data or memory ends inside a byte. ``dims`` are the logical dims
    of the axis: several if ``*`` merges them, none if the tile has more entries than dims.
    """

    cause: str
    dims: tuple[int, ...]
    size: int
    padded: int

    @property
    def ratio(self) -> Fraction:
        """The factor by which the memory grows."""
        return Fraction(self.padded, self.size)

    def __str__(self) -> str:
        numbers = f"{self.size} -> {self.padded} ({_decimal(self.ratio)}x)"
        if self.cause in ("tile", "sub-tile"):
            names = f"dim{'s' * (len(self.dims) > 1)} {'*'.join(map(str, self.dims))}"
            inner = " in a sub-tile" if self.cause == "sub-tile" else ""
            return f"{names if self.dims else 'an axis without a dim'}{inner}: {numbers}"
        what = {"tail": "L: elements", "element": "E: bits of an element", "byte": "whole bytes: bits"}
        return f"{what[self.cause]} {numbers}"


class Waste(NamedTuple):
    """The bytes of an array's data and of its memory, and the factors between the two.

    >>> from tla.xla_bridge import parse_array
    >>> waste = array_waste(parse_array("f32[5,100]{1,0:T(8,128)}"))
    >>> waste.data_bytes, waste.padded_bytes, waste.factors[0]
    (2000, 4096, Factor(cause='tile', dims=(0,), size=5, padded=8))
    """

    data_bytes: int
    padded_bytes: int
    factors: tuple[Factor, ...]
    """The factors above 1; their product is the expansion."""

    @property
    def waste_bytes(self) -> int:
        return self.padded_bytes - self.data_bytes

    @property
    def expansion(self) -> Fraction:
        """The memory divided by the data; 1 for an array without elements."""
        return Fraction(self.padded_bytes, self.data_bytes) if self.data_bytes else Fraction(1)

    def block(self, label: str, memory_space: int = 0) -> Block:
        """Return the array as a block of a picture."""
        return Block(label, self.data_bytes, self.padded_bytes, memory_space)

    def figure(self, label: str = "array") -> Bars:
        """Return the picture of the array, as data: its data, and its padding after it.

        The title has the causes of the padding.
        """
        why = "; ".join(map(str, self.factors))
        title = f"{label}: {why}" if why else label
        return bars_of(title, self.padded_bytes, [self.block(label).bar()])

    def _repr_html_(self) -> str | None:
        return html_of(self)


def sized_array(shape: AnyShape) -> XlaShape:
    """Return an array shape; raise `UnsupportedError` if it is no array, or has a dim ``?``."""
    array = array_shape(shape)
    if array.is_unbounded_dynamic:
        raise UnsupportedError(f"the size of {array} is not known: it has a dim '?'", shape=array)
    return array


def array_waste(shape: AnyShape) -> Waste:
    """Return the waste of an array; the product of its factors is exactly its expansion.

    >>> from ..xla_bridge import parse_array
    >>> print(*array_waste(parse_array("pred[100,100]{1,0:T(8,128)E(32)}")).factors, sep="; ")
    dim 0: 100 -> 104 (1.04x); dim 1: 100 -> 128 (1.28x); E: bits of an element 8 -> 32 (4.00x)

    Raises:
        UnsupportedError: the shape is no array, or the size of a dim is unknown.
    """
    array = sized_array(shape)
    data, padded = logical_bytes(array), physical_bytes(array)
    if not data:
        return Waste(data, padded, ())
    factors, count = _of_tiles(array)
    tail = round_up(count, array.tail_padding_alignment_in_elements)
    factors.append(Factor("tail", (), count, tail))
    plain = 8 * (array.element_type.bytes or 0)
    bits = array.element_size_in_bits or plain
    factors.append(Factor("element", (), min(plain, bits), bits))
    # The growth of the memory by whole bytes, over the growth of the data.
    ends = Fraction(8 * padded, tail * bits) / Fraction(8 * data, array.elements * min(plain, bits))
    factors.append(Factor("byte", (), ends.denominator, ends.numerator))
    return Waste(data, padded, tuple(f for f in factors if f.size != f.padded))


def _of_tiles(shape: XlaShape) -> tuple[list[Factor], int]:
    """The factors of the tiles, and the number of elements after them."""
    axes: list[_Axis] = [(shape.dimensions[p], (p,)) for p in shape.major_to_minor]
    factors: list[Factor] = []
    for number, tile in enumerate(shape.tiles):
        axes = _under_tile(axes, tile, "sub-tile" if number else "tile", factors)
    return factors, prod(size for size, _dims in axes)


def _under_tile(axes: list[_Axis], tile: Tile, cause: str, factors: list[Factor]) -> list[_Axis]:
    """The sizes and dims of the axes after a tile: all counts of tiles before all inner axes."""
    axes = [(1, ())] * (len(tile) - len(axes)) + axes
    split = len(axes) - len(tile)
    counts: list[_Axis] = []
    inner: list[_Axis] = []
    merged: _Axis = (1, ())
    for (size, dims), entry in zip(axes[split:], tile, strict=True):
        merged = merged[0] * size, tuple(dict.fromkeys(merged[1] + dims))
        if entry == COMBINE:
            continue
        whole, of = merged
        factors.append(Factor(cause, of, whole, round_up(whole, int(entry))))
        counts.append((ceil_div(whole, int(entry)), of))
        inner.append((int(entry), of))
        merged = (1, ())
    return axes[:split] + counts + inner


def _decimal(ratio: Fraction) -> str:
    """A ratio with two decimals, computed in ints, because a size may exceed every float."""
    hundredths = (200 * ratio.numerator + ratio.denominator) // (2 * ratio.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02}"
