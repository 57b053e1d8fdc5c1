# SPDX-License-Identifier: Apache-2.0
"""Custom calls, which the program only names, and messages between devices.

A call without operands, such as ``AllocateBuffer``, reads none. Some targets, `TRANSPARENT`, are known
to make an element from those at its place. Some are known to concatenate arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .building import behind_each_other
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps

TRANSPARENT: Final = frozenset(
    (
        "AssumeGatherIndicesInBound",
        "LayoutConstraint",
        "MoveToDevice",
        "MoveToHost",
        "Sharding",
        "X64Combine",
        "X64SplitHigh",
        "X64SplitLow",
        "annotate_device_placement",
    )
)
"""The custom calls that make an element from the elements of their operands at its place."""


@rule("custom-call")
def _custom(op: Op, output: int) -> Maps:
    if not op.instruction.operands:
        return []
    target = op.attribute("custom_call_target").strip('"')
    if target == "ConcatBitcast":
        return _concatenation(op, output)
    dims = op.dims(output)
    if target in TRANSPARENT and all(op.sizes(leaf.shape) == dims for leaf in op.inputs):
        return [[op.identity(output)] for _ in op.inputs]
    return op.refuse(f"what its target {target} reads is not known" if target else "it has no target")


def _concatenation(op: Op, output: int) -> Maps:
    """Arrays one after another in memory, as one array: they differ only along its slowest dim."""
    shape = op.outputs[output].shape
    dims = op.dims(output)
    parts = [op.sizes(leaf.shape) for leaf in op.inputs]
    if not dims:
        op.refuse("it has no dim along which its operands lie")
    slowest = shape.minor_to_major[-1]
    whole = [(*part[:slowest], dims[slowest], *part[slowest + 1 :]) for part in parts]
    sizes = [part[slowest] for part in parts if len(part) == len(dims)]
    if any(each != dims for each in whole) or sum(sizes) != dims[slowest]:
        op.refuse(f"its operands do not fill {shape} along dim {slowest}")
    return behind_each_other(dims, slowest, sizes)


_SENT: Final = "what it makes comes from another device"

REFUSED: Final = {
    "recv": _SENT,
    "recv-done": _SENT,
    "send": "it hands its operand to another device",
    "send-done": "it waits for another device",
}
"""The reasons why some ops have no maps: their operands do not decide their results."""


@rule(*REFUSED)
def _refuse(op: Op, output: int) -> Maps:
    return op.refuse(REFUSED[op.opcode])
