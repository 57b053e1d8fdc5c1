# SPDX-License-Identifier: Apache-2.0
"""The maps of pad: to the data, and to the padding value at all other places.

>>> from tla.hlo import read_instruction
>>> from tla.indexing import output_to_input
>>> pad = read_instruction("%p = f32[12] pad(f32[4] %x, f32[] %v), padding=1_4_1")
>>> data, value = output_to_input(pad)
>>> print(*data, *value, sep="\\n")
(d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 7], (d0 - 1) mod 2 in [0, 0]
(d0) -> (), domain: d0 in [0, 0]
(d0) -> (), domain: d0 in [8, 11]
(d0) -> (), domain: d0 in [2, 6], (d0 - 1) mod 2 in [1, 1]

Element ``i`` of the operand is at ``low + i * (interior + 1)``, if this is within the result: a negative
``low`` or ``high`` cuts elements off. The padding value has a map for each piece of the result outside
the data. The pieces are disjoint.

Source: XLA operation semantics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...ground import int_in, plural
from ...numbers import Interval
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import dim
from .movement import expect_fixed, expect_sizes
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...numbers import Value
    from .op import Op
    from .rules import Maps


class Padding(NamedTuple):
    """The padding of a dim: its size, and ``low_high_interior``.

    >>> axis = Padding(4, 1, 4, 1)
    >>> print(axis.padded, axis.data, axis.step, IndexingMap([element_at(axis, 0)], [axis.data]))
    12 [1, 7] 2 (d0) -> ((d0 - 1) floordiv 2), domain: d0 in [1, 7]
    """

    size: int
    low: int
    high: int
    interior: int = 0

    @property
    def step(self) -> int:
        """The distance between elements; 1 if there are fewer than two."""
        return self.interior + 1 if self.size > 1 else 1

    @property
    def extent(self) -> int:
        """The length of the elements with the padding between them."""
        return (self.size - 1) * self.step + 1 if self.size else 0

    @property
    def padded(self) -> int:
        """The size of the result."""
        return self.low + self.extent + self.high

    @property
    def data(self) -> Interval:
        """The first and the last place in the result of the elements and the padding between them."""
        return Interval(max(0, self.low), min(self.padded, self.low + self.extent) - 1)

    @property
    def is_dense(self) -> bool:
        """Whether no padding is between the elements."""
        return self.step == 1

    @property
    def has_data(self) -> bool:
        """Whether an element is left."""
        first, last = self.data.lower - self.low, self.data.upper - self.low
        return -(-first // self.step) <= last // self.step

    def pieces(self) -> Iterator[tuple[Interval, bool]]:
        """Yield the bounds of the padding, and whether elements are within them."""
        yield Interval(0, self.data.lower - 1), False
        yield Interval(self.data.upper + 1, self.padded - 1), False
        if not self.is_dense:
            yield self.data, True


def element_at(axis: Padding, k: int) -> Value:
    """Return the element of a dim at coordinate ``dim(k)`` of the padded dim."""
    element: Value = (dim(k) - axis.low) // axis.step
    return element


_ENTRY = re.compile(r"(-?\d+)_(-?\d+)(?:_(\d+))?")


@rule("pad")
def _pad(op: Op, output: int) -> Maps:
    if len(op.inputs) != 2 or op.sizes(op.inputs[1].shape):
        op.fail("it takes an array, and a scalar that fills")
    sizes = op.sizes(op.inputs[0].shape)
    padding = op.attribute("padding", None if sizes else "")
    entries = _ENTRY.findall(padding)
    if len(entries) != len(sizes):
        op.fail(f"padding={padding} is of {plural(len(entries), 'dim')}, its operand has {len(sizes)}")
    axes = [
        Padding(n, *(int_in(x or "0") for x in entry)) for n, entry in zip(sizes, entries, strict=True)
    ]
    expect_sizes(op, tuple(max(0, axis.padded) for axis in axes))
    expect_fixed(op, 0, tuple(k for k, axis in enumerate(axes) if axis.high > 0))
    return [[_data(axes)], list(_value(axes))]


def _data(axes: list[Padding]) -> IndexingMap:
    results = [element_at(axis, k) for k, axis in enumerate(axes)]
    dims = [axis.data for axis in axes]
    is_empty = not all(axis.has_data for axis in axes)
    m = IndexingMap(results, dims, constraints=_on_elements(axes), is_known_empty=is_empty)
    return rewritten(m)


def _on_elements(axes: list[Padding]) -> list[tuple[Value, tuple[int, int]]]:
    return [
        ((dim(k) - axis.low) % axis.step, (0, 0)) for k, axis in enumerate(axes) if not axis.is_dense
    ]


def _value(axes: list[Padding]) -> Iterator[IndexingMap]:
    """The pieces without data: each has data in all dims before dim ``k``, and no data in dim ``k``."""
    if not all(axis.has_data for axis in axes):
        yield IndexingMap((), [axis.padded for axis in axes])
        return
    for k, axis in enumerate(axes):
        for bounds, is_between in axis.pieces():
            dims = [each.data for each in axes[:k]] + [bounds]
            dims += [Interval(0, each.padded - 1) for each in axes[k + 1 :]]
            constraints = _on_elements(axes[:k])
            if is_between:
                constraints.append(((dim(k) - axis.low) % axis.step, (1, axis.step - 1)))
            piece = rewritten(IndexingMap((), dims, constraints=constraints))
            if not piece.is_known_empty:
                yield piece
