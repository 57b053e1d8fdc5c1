# SPDX-License-Identifier: Apache-2.0
"""Layouts of XLA before tiles: ``padded_dimensions`` and ``padding_value``.

Each dim was padded at its end to its own size, and the padded array stood in memory in the order of
``minor_to_major``. Today one tile over the whole array has the same effect.

>>> old = OldLayout((0, 1), (3, 5), PaddingValue.ZERO_PAD)
>>> print(old.linear_memory((2, 3), "abcdef"))
a d 0 b e 0 c f 0 0 0 0 0 0 0
>>> shape, lost = old.to_xla("f32", (2, 3))
>>> print(shape, lost.name)
f32[2,3]{0,1:T(5,3)} ZERO_PAD

The value of the padding has no counterpart today: it "need not contain any particular value". `to_xla`
returns it with the shape, and `from_xla` takes it.

Source: XLA's shapes document of 2017 to 2019, "Padding"; ``LayoutProto`` of that time, xla_data.proto,
with its rules in layout_util.cc and shape_util.cc.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from ..errors import ArgumentError, LayoutError, LeafError, UnsupportedError
from ..ground import described, limit_error, limit_of
from ..layouts import leaves, wrap
from ..numbers import SymbolicInt, leaf, round_up
from .rules import COMBINE
from .shape import Immutable, XlaShape
from .tiling import array_shape, physical_elements
from .to_layout import to_layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..ground import ElementType
    from .shape import AnyShape


class PaddingValue(IntEnum):
    """The value of the padding of an old layout; the numbers are those of the proto.

    >>> PaddingValue.ZERO_PAD, PaddingValue(1) is PaddingValue.ZERO_PAD
    (<PaddingValue.ZERO_PAD: 1>, True)
    """

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise ArgumentError(f"no value of padding is {described(value)}; it is 0 to {len(cls) - 1}")

    INVALID_PAD = 0
    ZERO_PAD = 1
    ONE_PAD = 2
    LOWEST_PAD = 3
    """The lowest value of the element type."""
    HIGHEST_PAD = 4
    UNKNOWN_PAD = 5


_TEXTS = ("invalid", "0", "1", "lowest", "highest", "?")
"""The word for a padding value in a text of memory, by its number."""


class FromOldLayout(NamedTuple):
    """The shape of today, and the value of the padding, which that shape does not have.

    >>> shape, value = OldLayout((0, 1), (3, 5), PaddingValue.ZERO_PAD).to_xla("f32", (2, 3))
    >>> print(shape, value.name)
    f32[2,3]{0,1:T(5,3)} ZERO_PAD
    """

    shape: XlaShape
    padding_value: PaddingValue


class OldLayout(Immutable):
    """The layout of an array in XLA before tiles. Immutable, hashable.

    >>> OldLayout((1, 0), (3, 5))
    OldLayout((1, 0), (3, 5), PaddingValue.UNKNOWN_PAD)
    >>> print(OldLayout((1, 0)))
    minor_to_major: [1, 0]

    Args:
        minor_to_major: Dim numbers from the one that changes fastest.
        padded_dimensions: The padded size of each dim, in the order of the dims; empty if there is no
            padding.
        padding_value: The value of the padding; 0 and 1 are `ZERO_PAD` and `ONE_PAD`, whose numbers in
            the proto are others.

    Raises:
        LayoutError: ``minor_to_major`` is not an order of the dims, there is not one padded size for
            each dim, or one is negative.
    """

    __slots__ = ("minor_to_major", "padded_dimensions", "padding_value")

    minor_to_major: tuple[int, ...]
    padded_dimensions: tuple[int, ...]
    padding_value: PaddingValue

    def __init__(
        self,
        minor_to_major: Iterable[SupportsIndex],
        padded_dimensions: Iterable[SupportsIndex] = (),
        padding_value: PaddingValue | int = PaddingValue.UNKNOWN_PAD,
    ) -> None:
        order, padded = _ints(minor_to_major), _ints(padded_dimensions)
        numbers = {0: PaddingValue.ZERO_PAD, 1: PaddingValue.ONE_PAD}  # "a padding value of 0"
        try:
            value = numbers[padding_value] if type(padding_value) is int else PaddingValue(padding_value)
        except (KeyError, ValueError):
            names = ", ".join(f"{v.value} {v.name}" for v in PaddingValue)
            raise LayoutError(f"{padding_value!r} is no padding value", f"There are {names}.") from None
        set_ = object.__setattr__
        set_(self, "minor_to_major", order)
        set_(self, "padded_dimensions", padded)
        set_(self, "padding_value", value)
        if sorted(order) != list(range(len(order))):
            raise LayoutError(
                f"minor_to_major {_list(order)} is not an order of {len(order)} dims",
                "It needs each of the numbers from 0 on once.",
                minor_to_major=order,
            )
        if padded and len(padded) != len(order):
            raise LayoutError(
                f"padded_dimensions {_list(padded)} has {len(padded)} sizes for {len(order)} dims",
                "It needs one for each dim, or none.",
                padded_dimensions=padded,
            )
        if any(n < 0 for n in padded):
            raise LayoutError(f"padded_dimensions {_list(padded)} has a negative size")

    def check(self, dimensions: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """Return the padded size of each dim of an array, or raise an error if the layout is not for it.

        >>> OldLayout((0, 1), (3, 5)).check((2, 3)), OldLayout((0, 1)).check((2, 3))
        ((3, 5), (2, 3))

        Raises:
            LayoutError: the array has another number of dims, or a dim larger than its padded size.
        """
        dims = _ints(dimensions)
        if len(dims) != len(self.minor_to_major):
            raise LayoutError(
                f"an array of {len(dims)} dims cannot have minor_to_major {_list(self.minor_to_major)}"
            )
        padded = self.padded_dimensions or dims
        for i, (d, p) in enumerate(zip(dims, padded, strict=True)):
            if d < 0 or p < d:
                fault = "is negative" if d < 0 else f"is larger than its padded size {p}"
                raise LayoutError(f"dim {i} of {_list(dims)} {fault}", dim=i, dimensions=dims)
        return padded

    def to_xla(
        self, element_type: str | ElementType, dimensions: Sequence[SupportsIndex]
    ) -> FromOldLayout:
        """Return the shape of today with the same offsets and size, and the padding value.

        If a dim has padding, one tile of the padded sizes covers the array.

        >>> print(OldLayout((0, 1)).to_xla("f32", (2, 3)).shape)
        f32[2,3]{0,1}

        Raises:
            LayoutError: the layout is not for such an array; see `check`. Or a dim of size 0 has
                padding: the array had room only for padding, and no shape of today has that.
        """
        dims = _ints(dimensions)
        padded = self.check(dims)
        if padded == dims:
            return FromOldLayout(XlaShape(element_type, dims, self.minor_to_major), self.padding_value)
        if 0 in dims:
            raise LayoutError(
                f"the empty array {_list(dims)} is padded to {_list(padded)}",
                "An array without elements takes no memory today.",
                dimensions=dims,
            )
        tile = tuple(padded[p] for p in reversed(self.minor_to_major))
        return FromOldLayout(
            XlaShape(element_type, dims, self.minor_to_major, [tile]), self.padding_value
        )

    @classmethod
    def from_xla(
        cls, shape: AnyShape, padding_value: PaddingValue = PaddingValue.UNKNOWN_PAD
    ) -> OldLayout:
        """Return the old layout with the offsets and size of a shape of today.

        Its ``minor_to_major`` may differ from the shape's if the shape has several tiles.

        >>> print(OldLayout.from_xla(parse_shape("f32[3,5]{1,0:T(8,128)}")))
        minor_to_major: [1, 0] padded_dimensions: [8, 128] padding_value: UNKNOWN_PAD

        Args:
            padding_value: The value of the padding, which the shape does not have.

        Raises:
            UnsupportedError: old layouts do not have a part of the shape: a dim is dynamic or cut into
                tiles, or there is one of ``E``, ``S``, ``SC``, ``M``.
        """
        array = array_shape(shape)
        _refuse_attributes(array)
        order, padded = _padded(array)
        is_padded = padded != array.dimensions
        return cls(order, padded if is_padded else (), padding_value)

    def linear_memory(
        self,
        dimensions: Sequence[SupportsIndex],
        elements: Iterable[object],
        separator: str = " ",
        limit: int | None = None,
    ) -> str:
        """Return linear memory as text: each element, or the value of the padding, in order.

        >>> print(OldLayout((1, 0), (2, 4), PaddingValue.LOWEST_PAD).linear_memory((2, 3), range(6)))
        0 1 2 lowest 3 4 5 lowest

        Args:
            elements: The elements of the array, row major, perhaps as a list for each row.
            limit: The largest memory, in elements; by default the ``coordinates`` of `tla.limits`.

        Raises:
            LayoutError: the layout is not for such an array, or there is not one element for each index.
            LimitError: the memory is larger than ``limit``.
        """
        dims, texts = _ints(dimensions), [str(x) for x in _flat(elements)]
        padded = self.check(dims)
        if len(texts) != prod(dims):
            raise LayoutError(f"an array {_list(dims)} has {prod(dims)} elements, not {len(texts)}")
        count, most = prod(padded), limit_of("coordinates") if limit is None else limit
        if count > most:
            summary, way = (
                f"a memory of {count} elements is too large to write out",
                f"At most {most} are.",
            )
            raise limit_error("coordinates", summary, way, needed=count, argument=limit)
        memory = [_TEXTS[self.padding_value]] * prod(padded)
        strides = [0] * len(dims)
        step = 1
        for p in self.minor_to_major:
            strides[p] = step
            step *= padded[p]
        for text, index in zip(texts, product(*map(range, dims)), strict=True):
            memory[sum(i * d for i, d in zip(index, strides, strict=True))] = text
        return separator.join(memory)

    # --- the value ---

    def _key(self) -> tuple[Any, ...]:
        return self.minor_to_major, self.padded_dimensions, self.padding_value

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, OldLayout) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return OldLayout, self._key()

    def __str__(self) -> str:
        """The fields in proto text, with the padding value if there is padding or the value is known."""
        text = f"minor_to_major: {_list(self.minor_to_major)}"
        if self.padded_dimensions:
            text += f" padded_dimensions: {_list(self.padded_dimensions)}"
        if self.padded_dimensions or self.padding_value != PaddingValue.UNKNOWN_PAD:
            text += f" padding_value: {self.padding_value.name}"
        return text

    def __repr__(self) -> str:
        value = f"PaddingValue.{self.padding_value.name}"
        return f"OldLayout({self.minor_to_major!r}, {self.padded_dimensions!r}, {value})"


def _refuse_attributes(shape: XlaShape) -> None:
    for i, dynamic in enumerate(shape.dynamic_dimensions):
        if dynamic:
            raise UnsupportedError(
                f"{shape} has no old layout: dim {i} is dynamic", "Old dims were fixed.", shape=shape
            )
    for letter, is_there in (
        ("E", shape.element_size_in_bits),
        ("S", shape.memory_space),
        ("SC", shape.split_configs),
        ("M", shape.dynamic_shape_metadata_prefix_bytes),
    ):
        if is_there:
            raise UnsupportedError(
                f"{shape} has no old layout: it has {letter}",
                "Old layouts have padded sizes alone. Take the same shape without it.",
                shape=shape,
                attribute=letter,
            )


def _padded(shape: XlaShape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The order and the padded sizes with the strides and the size of a shape."""
    room, strides = physical_elements(shape), _strides(shape)
    if not room:
        return shape.minor_to_major, shape.dimensions
    for order, padded in (_under_one_tile(shape), _between(shape, strides, room)):
        if prod(padded) != room or any(p < d for p, d in zip(padded, shape.dimensions, strict=True)):
            continue
        step = 1
        for dim in order:
            if strides[dim] not in (None, step):
                break
            step *= padded[dim]
        else:
            return order, padded
    raise UnsupportedError(
        f"{shape} has no old layout: no padded sizes give its strides",
        f"It takes {room} elements, its dims step by"
        f" {' and '.join(map(str, (d for d in strides if d is not None))) or 'nothing'}: each step, and"
        " the whole, would be a product of padded sizes.",
        shape=shape,
    )


def _strides(shape: XlaShape) -> list[int | None]:
    """The step of each dim; None for a dim of size 1, which may have any."""
    layout = to_layout(shape).trimmed()
    strides: list[int | None] = []
    for i, mode in enumerate(wrap(layout.stride)):
        steps = [int(d) for d in leaves(mode)]
        if len(steps) > 1:
            raise UnsupportedError(
                f"{shape} has no old layout: dim {i} is cut into tiles",
                f"Its index steps by {' and '.join(map(str, steps))}. Old layouts pad, and do no more.",
                shape=shape,
                dim=i,
            )
        strides.append(None if shape.dimensions[i] == 1 else steps[0])
    return strides


def _under_one_tile(shape: XlaShape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The order of the shape, and its dims rounded up to the first tile, as a person would expect."""
    padded = list(shape.dimensions)
    for p, t in zip(shape.minor_to_major, reversed(shape.tiles[0] if shape.tiles else ()), strict=False):
        padded[p] = round_up(padded[p], 1 if t == COMBINE else t)
    return shape.minor_to_major, tuple(padded)


def _between(
    shape: XlaShape, strides: list[int | None], room: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dims by stride, each padded up to the next; those of size 1 lie below all."""
    still = [p for p in shape.minor_to_major if strides[p] is None]
    moving = sorted((d, p) for p, d in enumerate(strides) if d is not None)
    padded = [1] * shape.rank
    if still:
        padded[still[0]] = moving[0][0] if moving else room
    tops = [*(d for d, _p in moving[1:]), room]
    for (below, p), above in zip(moving, tops, strict=False):
        padded[p] = above // below
    return (*still, *(p for _d, p in moving)), tuple(padded)


def _ints(items: Iterable[SupportsIndex]) -> tuple[int, ...]:
    out = tuple(map(leaf, items))
    for n in out:
        if isinstance(n, SymbolicInt):
            raise LeafError(f"an old layout needs known ints, not {n}", value=n)
    return tuple(map(int, out))


def _flat(elements: Iterable[Any]) -> Iterator[object]:
    """The elements of an array that is written as lists of lists."""
    for each in elements:
        rows: Any = each
        yield from _flat(rows) if isinstance(each, list | tuple) else (each,)


def _list(items: Sequence[int]) -> str:
    return f"[{', '.join(map(str, items))}]"
