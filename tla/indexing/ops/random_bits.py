# SPDX-License-Identifier: Apache-2.0
"""Random bits: each depends on the whole state, and so does the next state.

The algorithm decides the words of the state from which a number comes.

Source: XLA ``operation_semantics``, RngBitGenerator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .building import expect, lines
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps


@rule("rng-bit-generator")
def _from_whole_state(op: Op, output: int) -> Maps:
    expect(op, 1)
    shapes = [op.sizes(leaf.shape) for leaf in op.inputs]
    return [[lines(op.dims(output), sizes, [None] * len(sizes))] for sizes in shapes]
