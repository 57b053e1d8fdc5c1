# SPDX-License-Identifier: Apache-2.0
"""Scatter: one window of the operand updated for each vector in an array of indices.

The dims of the updates that are no window dims number the vectors, in the order of the dims of the
indices. The window dims are the dims of the window, in the order of the operand's dims that are neither
inserted nor batching. A window that does not fit into the operand at its start has no effect at all.

An element of an output depends on these elements:

=========  ======================================================================================
operand    the element at its place: it is an argument of the combiner, or it stays
updates    the element of each window that lies on it; the starts are runtime variables, whose places
           in the indices go through all vectors
indices    each entry of each vector whose window can lie on it
=========  ======================================================================================

A scatter of several arrays gives an element of each to the combiner, so each output depends on all of
them alike.

Source: XLA operation semantics, Scatter; ``HloEvaluator::HandleScatter`` for windows that do not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..maps import IndexingMap
from ..variables import dim, rng, rt
from .rules import rule
from .starts import IndexVectors, not_empty, vector_dims

if TYPE_CHECKING:
    from ...numbers import Value
    from .op import Op
    from .rules import Maps


_NAMES: Final = (
    "scatter_dims_to_operand_dims",
    "inserted_window_dims",
    "input_batching_dims",
    "scatter_indices_batching_dims",
    "update_window_dims",
)


@rule("scatter")
def _scatter(op: Op, output: int) -> Maps:
    op.expect_shape()
    leaves, count = op.inputs, len(op.inputs) // 2
    operands, indices, updates = leaves[:count], leaves[count], leaves[count + 1 :]
    sizes, shape = op.dims(output), op.sizes(updates[0].shape)
    rank = len(sizes)
    dims = vector_dims(op, rank, _NAMES)
    window = [1] * rank
    for k, i in zip(dims.through, dims.in_slice, strict=True):
        window[k] = shape[i]
    vectors = IndexVectors(op, indices, dims, sizes, window)
    numbering = [i for i in range(len(shape)) if i not in dims.in_slice]

    # A batching dim decides the vectors along it; a range counts those along the other dims.
    number: list[Value] = [0] * len(numbering)
    for k, at in vectors.batching.items():
        number[at] = dim(k)
    free = [at for at in range(len(numbering)) if at not in vectors.batching.values()]
    for i, at in enumerate(free):
        number[at] = rng(i)
    ranges = [vectors.counts[at] for at in free]

    offsets: list[Value] = [0 if k in vectors.batching else dim(k) for k in range(rank)]
    for j, k in enumerate(dims.targets):
        offsets[k] = offsets[k] - rt(j)
    inside = [(offsets[k], (0, window[k] - 1)) for k in range(rank) if window[k] < sizes[k]]
    place: list[Value] = [0] * len(shape)
    for at, i in enumerate(numbering):
        place[i] = number[at]
    for k, i in zip(dims.through, dims.in_slice, strict=True):
        place[i] = offsets[k]
    hit = IndexingMap(place, sizes, ranges, vectors.starts(number, is_clamped=False), inside)

    # Along a dim without a start a window covers only its own length.
    fixed = [(dim(k), window[k]) for k in range(rank) if k not in {*dims.targets, *dims.of_array}]
    entry, length = (rng(len(free)), [len(dims.targets)]) if vectors.has_dim else (0, [])
    read = IndexingMap(vectors.element(number, entry), sizes, [*ranges, *length], (), fixed)
    kept = not_empty(op.identity(output))
    if 0 in shape:  # there is no window, or it is empty
        read = hit = IndexingMap((), is_known_empty=True)
    return [[*kept] for _ in operands] + [not_empty(read)] + [not_empty(hit) for _ in updates]
