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
from typing import TYPE_CHECKING

from ...ground import int_in, plural
from ...numbers import Interval
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import dim
from .movement import expect_fixed, expect_sizes
from .rules import rule
from .window import WindowDim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...numbers import Value
    from .op import Op
    from .rules import Maps


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
    axes = [_axis(*(int_in(x or "0") for x in entry)) for entry in entries]
    made = tuple(axis.count(n) for axis, n in zip(axes, sizes, strict=True))
    expect_sizes(op, made)
    expect_fixed(op, 0, tuple(k for k, axis in enumerate(axes) if axis.high > 0))
    places = [axis.element(n, dim(k), 0) for k, (axis, n) in enumerate(zip(axes, sizes, strict=True))]
    inside = [conditions for _index, conditions in places]
    elements = [index for index, _conditions in places]
    data = rewritten(IndexingMap(elements, made, constraints=[c for each in inside for c in each]))
    return [[data], list(_value(axes, made, [] if data.is_known_empty else inside))]


def _axis(low: int, high: int, interior: int) -> WindowDim:
    """The padding of a dim: a window of one place that moves over it."""
    return WindowDim(low=low, high=high, base_dilation=interior + 1)


def _value(
    axes: list[WindowDim], made: tuple[int, ...], inside: list[list[tuple[Value, Interval]]]
) -> Iterator[IndexingMap]:
    """The pieces without data: each has data in all dims before dim ``k``, and no data in dim ``k``.

    Args:
        inside: For each dim the constraints of data: its ends, and the step; [] if there is no data.
    """
    if not inside and made:
        yield IndexingMap((), made)
    before: list[tuple[Value, Interval]] = []
    for k, (n, axis, (ends, *steps)) in enumerate(zip(made, axes, inside, strict=False)):
        between = Interval(1, axis.base_dilation - 1)
        outside: list[list[tuple[Value, Interval]]] = [
            [(dim(k), Interval(0, ends[1].lower - 1))],
            [(dim(k), Interval(ends[1].upper + 1, n - 1))],
            *([ends, (offset, between)] for offset, _zero in steps),
        ]
        for conditions in outside:
            piece = rewritten(IndexingMap((), made, constraints=[*before, *conditions]))
            if not piece.is_known_empty:
                yield piece
        before += inside[k]
