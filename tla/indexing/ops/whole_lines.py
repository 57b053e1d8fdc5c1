# SPDX-License-Identifier: Apache-2.0
"""Ops whose elements depend on whole lines of an operand: sorts, transforms, random bits.

=======  ==========================================================================================
op       an element depends on
=======  ==========================================================================================
sort     the line of its own operand, and those of the operands that are compared; on its own
         element alone where lines have one element
topk     the line; an index not on anything where lines have one element
fft      all of the last dims that are transformed, of real and of complex ends alike
rng      the whole state, as the next state does: ``rng-bit-generator``
=======  ==========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .building import expect, lines, number
from .calls import read_parameters
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps


@rule("sort")
def _sort(op: Op, output: int) -> Maps:
    """Parameters ``2*i`` and ``2*i + 1`` of the computation are elements of operand ``i``."""
    op.expect_shape()
    dims, count = op.dims(output), len(op.inputs)
    along = number(op, "dimensions", below=len(dims))
    if dims[along] <= 1:
        return [[op.identity(output)] if i == output else [] for i in range(count)]
    read = read_parameters(op, 2 * count, 1)
    used = {output, *(range(count) if read is None else (i // 2 for i in read[0]))}
    whole = lines(dims, dims, [None if k == along else k for k in range(len(dims))])
    return [[whole] if i in used else [] for i in range(count)]


@rule("topk")
def _topk(op: Op, output: int) -> Maps:
    op.expect_shape()
    dims, sizes = op.dims(output), op.sizes(op.inputs[0].shape)
    if sizes[-1] == 1 and output == 1:
        return [[]]
    if sizes[-1] == 1:
        return [[op.identity(output)]]
    return [[lines(dims, sizes, [*range(len(dims) - 1), None])]]


@rule("fft")
def _fft(op: Op, output: int) -> Maps:
    op.expect_shape()
    dims, sizes = op.dims(output), op.sizes(op.inputs[0].shape)
    kept = len(dims) - len(op.ints("fft_length", None))
    return [[lines(dims, sizes, [k if k < kept else None for k in range(len(sizes))])]]


@rule("rng-bit-generator")
def _from_whole_state(op: Op, output: int) -> Maps:
    """The algorithm decides the words of the state from which a number comes, and the next state."""
    expect(op, 1)
    shapes = [op.sizes(leaf.shape) for leaf in op.inputs]
    return [[lines(op.dims(output), sizes, [None] * len(sizes))] for sizes in shapes]
