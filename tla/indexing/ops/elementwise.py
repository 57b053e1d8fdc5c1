# SPDX-License-Identifier: Apache-2.0
"""Ops that make an element from the elements at its place.

An operand of rank 0 beside a result of higher rank, such as the bounds of a clamp, is read whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...hlo import ELEMENTWISE
from .building import expect
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps

# fmt: off
_TWO: Final = frozenset(
    (
        "add", "and", "atan2", "compare", "complex", "divide", "maximum", "minimum", "mulhi",
        "multiply", "or", "power", "remainder", "shift-left", "shift-right-arithmetic",
        "shift-right-logical", "stochastic-convert", "subtract", "xor",
    )
)
# fmt: on


def operand_count(opcode: str) -> int | None:
    """Return how many operands an elementwise op has; None for any number.

    >>> operand_count("abs"), operand_count("add"), operand_count("clamp"), operand_count("map")
    (1, 2, 3, None)
    """
    if opcode in ("clamp", "select"):
        return 3
    return None if opcode == "map" else 2 if opcode in _TWO else 1


@rule(*ELEMENTWISE)
def _elementwise(op: Op, output: int) -> Maps:
    count = operand_count(op.opcode)
    if count is not None:
        expect(op, count)
    rank = len(op.dims(output))
    maps: Maps = []
    for leaf in op.inputs:
        sizes = op.sizes(leaf.shape)
        if rank and not sizes:
            maps.append([op.to_scalar(output)])
        elif sizes != op.dims(output):
            op.fail(f"operand {leaf} is {leaf.shape}, the result {op.outputs[output].shape}")
        else:
            maps.append([op.identity(output)])
    return maps
