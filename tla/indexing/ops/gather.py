"""Gather: one slice of the operand for each vector in an array of indices.

The dims of the output that are no offset dims number the vectors, in the order of the dims of the
indices; the offset dims go through the slice, in the order of the operand's dims that are neither
collapsed nor batching. A start is moved to where the slice fits.

An element of the output depends on each entry of its own vector.

Source: XLA operation semantics, Gather.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..maps import IndexingMap
from ..variables import dim, rng, rt
from .building import number as int_of
from .rules import rule
from .starts import IndexVectors, needed, reached

if TYPE_CHECKING:
    from ...numbers import Value
    from .op import Op
    from .rules import Maps


@rule("gather")
def _gather(op: Op, output: int) -> Maps:
    operand, indices = needed(op, 2, 2)
    sizes, slice_sizes = op.sizes(operand.shape), op.ints("slice_sizes", None)
    out, result = op.dims(output), op.outputs[output].shape
    rank = len(sizes)
    targets = op.ints("start_index_map")
    left_out = op.ints("collapsed_slice_dims")
    batching = op.ints("operand_batching_dims")
    along_batch = op.ints("start_indices_batching_dims")
    offset_dims = op.ints("offset_dims")
    along = int_of(op, "index_vector_dim", below=len(op.sizes(indices.shape)) + 1)

    through = [k for k in range(rank) if k not in left_out and k not in batching]
    numbering = [i for i in range(len(out)) if i not in offset_dims]
    if (
        len(slice_sizes) != rank
        or len(batching) != len(along_batch)
        or sorted({*targets, *batching}) != sorted([*targets, *batching])
        or not {*targets, *left_out, *batching} <= set(range(rank))
        or any(w > n for n, w in zip(sizes, slice_sizes, strict=True))
        or not set(offset_dims) <= set(range(len(out)))
        or [out[i] for i in offset_dims] != [slice_sizes[k] for k in through]
    ):
        op.refuse(f"slices of {slice_sizes} from {operand.shape} do not make up {result}")
    for k in (*left_out, *batching):
        if slice_sizes[k] != 1 and 0 not in out:
            op.refuse(f"its slices are {slice_sizes[k]} long along dim {k}, which it leaves out")
    pairs = zip(batching, along_batch, strict=True)
    vectors = IndexVectors(op, indices, along, targets, sizes, slice_sizes, pairs)
    if vectors.counts != tuple(out[i] for i in numbering):
        op.refuse(f"{indices.shape} holds {vectors.counts} vectors, its result is {result}")

    number = [dim(i) for i in numbering]
    place: list[Value] = [0] * rank
    for k, i in zip(through, offset_dims, strict=True):
        place[k] = dim(i)
    for k, at in vectors.batching.items():
        place[k] = number[at]
    for j, k in enumerate(targets):
        place[k] = place[k] + rt(j)
    data = IndexingMap(place, out, (), vectors.starts(number, is_clamped=True))
    entry, length = (rng(0), [len(targets)]) if vectors.has_dim else (0, [])
    read = IndexingMap(vectors.element(number, entry), out, length)
    return [reached(data), reached(read)]
