# SPDX-License-Identifier: Apache-2.0
"""Reductions over the places of a moving window, and the scatter of one value to one place of each.

Each element of ``source`` has a window over ``operand``. A select-and-scatter adds the element at the
place in its window that ``select`` chooses. So an element of the output depends

- on the elements of ``source`` whose window holds its place,
- on all elements of ``operand`` in those windows, for the choice; except in windows with one
  element within the array, which have no choice,
- on the initial value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...numbers import Interval
from .building import Ranges, at, simple_map
from .reduce import inputs_and_inits
from .rules import rule
from .window import read_window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Value
    from .op import Op
    from .rules import Maps
    from .window import WindowDim


@rule("reduce-window")
def _reduce_window(op: Op, output: int) -> Maps:
    op.expect_shape()
    sizes, dims = op.sizes(op.inputs[0].shape), op.dims(output)
    ranges = Ranges()
    results: list[Value] = []
    constraints: list[tuple[Value, Interval]] = []
    for k, w in enumerate(read_window(op, len(sizes))):
        index, inside = w.element(sizes[k], at(dims, k), ranges.new(w.size))
        results.append(index)
        constraints += inside
    return inputs_and_inits(op, output, simple_map(results, dims, ranges.sizes, constraints))


@rule("select-and-scatter")
def _select_and_scatter(op: Op, output: int) -> Maps:
    op.expect_shape()
    dims, source = op.dims(output), op.sizes(op.inputs[1].shape)
    window = read_window(op, len(dims))
    if any(w.base_dilation > 1 or w.window_dilation > 1 for w in window):
        op.refuse("its window is dilated")
    ranges = Ranges()
    windows: list[Value] = []
    holding: list[tuple[Value, Interval]] = []
    for k, w in enumerate(window):
        # windows t with t*stride <= place <= t*stride + size-1, from the last one back
        place = at(dims, k) + w.low
        back = ranges.new(-(-w.size // w.stride))
        t = place // w.stride - back
        windows.append(t)
        holding += [
            (place % w.stride + back * w.stride, Interval(0, w.size - 1)),
            (t, Interval(0, source[k] - 1)),
        ]
    first = simple_map(windows, dims, ranges.sizes, holding)

    elements: list[Value] = []
    inside = list(holding)
    for k, w in enumerate(window):
        element = windows[k] * w.stride - w.low + ranges.new(w.size)
        elements.append(element)
        inside.append((element, Interval(0, dims[k] - 1)))
    choice_maps = [
        simple_map(elements, dims, ranges.sizes, inside + choice)
        for choice in _choices(window, dims, source, windows)
    ]
    return [[m for m in choice_maps if not m.is_known_empty], [first], [op.to_scalar(output)]]


def _choices(
    window: Sequence[WindowDim], dims: Sequence[int], source: Sequence[int], windows: Sequence[Value]
) -> list[list[tuple[Value, Interval]]]:
    """Lists of constraints; one list holds exactly if a window has two elements within the array."""
    choices: list[list[tuple[Value, Interval]]] = []
    for w, size, count, t in zip(window, dims, source, windows, strict=True):
        # places start, ..., start + w.size - 1: two of them within [0, size)
        starts = Interval(-w.low, (count - 1) * w.stride - w.low)
        two = Interval(2 - w.size, size - 2)
        if w.size > 1 and size > 1:
            if starts in two:
                return [[]]
            choices.append([(t * w.stride - w.low, two)])
    return choices
