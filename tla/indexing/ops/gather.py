# SPDX-License-Identifier: Apache-2.0
"""Gather: one slice of the operand for each vector in an array of indices.

The dims of the output that are no offset dims number the vectors, in the order of the dims of the
indices. The offset dims are the dims of the slice, in the order of the operand's dims that are neither
collapsed nor batching. A start is clamped so that the slice fits.

An element of the output depends on each entry of its own vector.

Source: XLA operation semantics, Gather.
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
    "start_index_map",
    "collapsed_slice_dims",
    "operand_batching_dims",
    "start_indices_batching_dims",
    "offset_dims",
)


@rule("gather")
def _gather(op: Op, output: int) -> Maps:
    op.expect_shape()
    operand, indices = op.inputs
    sizes, slice_sizes = op.sizes(operand.shape), op.ints("slice_sizes", None)
    out, rank = op.dims(output), len(sizes)
    dims = vector_dims(op, rank, _NAMES)
    for k in (*dims.left_out, *dims.of_array):
        if not slice_sizes[k] and 0 not in out:
            op.fail(f"its slices are 0 long along dim {k}, which it leaves out")
    vectors = IndexVectors(op, indices, dims, sizes, slice_sizes)
    numbering = [i for i in range(len(out)) if i not in dims.in_slice]

    number = [dim(i) for i in numbering]
    place: list[Value] = [0] * rank
    for k, i in zip(dims.through, dims.in_slice, strict=True):
        place[k] = dim(i)
    for k, at in vectors.batching.items():
        place[k] = number[at]
    for j, k in enumerate(dims.targets):
        place[k] = place[k] + rt(j)
    data = IndexingMap(place, out, (), vectors.starts(number, is_clamped=True))
    entry, length = (rng(0), [len(dims.targets)]) if vectors.has_dim else (0, [])
    read = IndexingMap(vectors.element(number, entry), out, length)
    return [not_empty(data), not_empty(read)]
