# SPDX-License-Identifier: Apache-2.0
"""Slices whose starts the program reads: dynamic-slice and dynamic-update-slice.

A start is clamped so that the slice fits, along each dim separately. Along a dim that the slice takes
whole it is 0, whatever the program reads. Each element of the output depends on all of the starts.

Source: XLA operation semantics, DynamicSlice and DynamicUpdateSlice. XLA's own maps of the latter lack
the constraints: there each element depends on the source, and on elements outside of the update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..maps import IndexingMap
from ..variables import dim, rt
from .rules import rule
from .starts import not_empty, scalar_starts, starts_read

if TYPE_CHECKING:
    from ...numbers import Value
    from .op import Op
    from .rules import Maps


@rule("dynamic-slice")
def _dynamic_slice(op: Op, output: int) -> Maps:
    op.expect_shape()
    operand, *starts = op.inputs
    window = op.dims(output)
    variables = scalar_starts(op, starts, op.sizes(operand.shape), window)
    shifted = IndexingMap([dim(k) + rt(k) for k in range(len(window))], window, (), variables)
    return [not_empty(shifted), *starts_read(op, starts, output)]


@rule("dynamic-update-slice")
def _dynamic_update_slice(op: Op, output: int) -> Maps:
    op.expect_shape()
    _source, update, *starts = op.inputs
    sizes, window = op.dims(output), op.sizes(update.shape)
    variables = scalar_starts(op, starts, sizes, window)
    offsets = [dim(k) - rt(k) for k in range(len(sizes))]
    # if the update is as long as the source, its start is 0 and it covers the whole dim
    moving = [k for k, n in enumerate(sizes) if window[k] < n]
    inside = [(offsets[k], (0, window[k] - 1)) for k in moving]
    updated = IndexingMap(offsets, sizes, (), variables, inside)

    # The rest of the box in disjoint pieces: each is before or behind the update along one dim, and
    # within it along the dims to the left.
    kept = [op.identity(output)] if 0 in window else []
    within: list[tuple[Value, tuple[int, int]]] = []
    for i, k in enumerate(() if kept else moving):
        offset = dim(k) - rt(i)
        read = [variables[j]._replace(name=f"rt{place}") for place, j in enumerate(moving[: i + 1])]
        for outside in ((window[k] - sizes[k], -1), (window[k], sizes[k] - 1)):
            constraints = [*within, (offset, outside)]
            kept.append(op.identity(output).with_parts(runtime=read, constraints=constraints))
        within.append((offset, (0, window[k] - 1)))
    return [not_empty(*kept), not_empty(updated), *starts_read(op, starts, output)]
