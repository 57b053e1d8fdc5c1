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
    dims, count = op.dims(output), len(op.inputs)
    along = number(op, "dimensions", below=len(dims))
    if any(op.sizes(leaf.shape) != dims for leaf in op.inputs) or count != len(op.outputs):
        op.fail(f"its {count} operands are not sorted into {len(op.outputs)} of {dims}")
    if dims[along] <= 1:
        return [[op.identity(output)] if i == output else [] for i in range(count)]
    read = read_parameters(op, 2 * count, 1)
    used = {output, *(range(count) if read is None else (i // 2 for i in read[0]))}
    whole = lines(dims, dims, [None if k == along else k for k in range(len(dims))])
    return [[whole] if i in used else [] for i in range(count)]


@rule("topk")
def _topk(op: Op, output: int) -> Maps:
    expect(op, 1)
    dims, sizes = op.dims(output), op.sizes(op.inputs[0].shape)
    if not dims or dims[:-1] != sizes[:-1] or dims[-1] > sizes[-1]:
        op.fail(f"the greatest of {op.inputs[0].shape} are not {op.outputs[output].shape}")
    if sizes[-1] == 1 and output == 1:
        return [[]]
    if sizes[-1] == 1:
        return [[op.identity(output)]]
    return [[lines(dims, sizes, [*range(len(dims) - 1), None])]]


@rule("fft")
def _fft(op: Op, output: int) -> Maps:
    expect(op, 1)
    dims, sizes = op.dims(output), op.sizes(op.inputs[0].shape)
    kind, lengths = op.attribute("fft_type", "FFT"), op.ints("fft_length", None)
    kept = len(dims) - len(lengths)
    halves = (*lengths[:-1], lengths[-1] // 2 + 1 if lengths and lengths[-1] else 0)
    wanted = {"FFT": (lengths, lengths), "IFFT": (lengths, lengths)}
    wanted |= {"RFFT": (lengths, halves), "IRFFT": (halves, lengths)}
    if kind not in wanted:
        op.fail(f"there is no fft_type {kind}")
    if kept < 0 or (sizes[kept:], dims[kept:]) != wanted[kind] or sizes[:kept] != dims[:kept]:
        op.fail(
            f"{kind} of length {lengths} does not make"
            f" {op.outputs[output].shape} of {op.inputs[0].shape}"
        )
    return [[lines(dims, sizes, [k if k < kept else None for k in range(len(sizes))])]]


@rule("rng-bit-generator")
def _from_whole_state(op: Op, output: int) -> Maps:
    """The algorithm decides the words of the state from which a number comes, and the next state."""
    expect(op, 1)
    shapes = [op.sizes(leaf.shape) for leaf in op.inputs]
    return [[lines(op.dims(output), sizes, [None] * len(sizes))] for sizes in shapes]
