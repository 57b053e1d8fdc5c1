# SPDX-License-Identifier: Apache-2.0
"""memcheck: accesses outside a buffer or a tensor, and addresses that the hardware does not take.

Copies read whole blocks, so a read of global memory may pass the end of its tensor, up to a multiple of
512 bytes: allocations begin at these. A write may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .findings import Findings, line_of
from .implied import BESIDE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .findings import Finding
    from .instructions import Operand
    from .programs import Operation, Program

MMAD_START: Final = 1024
"""The alignment of the sums of a product, in bytes. Source: AscendC, Mmad."""
_GM_BLOCK: Final = 512


def memory_findings(program: Program, sizes: Mapping[str, int]) -> list[Finding]:
    """Return the accesses out of bounds and the misaligned operands, one for each line of source."""
    found = Findings("memcheck")
    seen: set[tuple[object, ...]] = set()
    for op in program.operations:
        key = (id(op.work), *[o[:3] for o in op.instruction.operands.values()])
        if op.work.steps and key not in seen:
            seen.add(key)
            _judge(program, op, sizes, found)
    for i in program.atomics_left:
        text = f"{i.op} is still on when the kernel ends: later copies add, and the next kernel's"
        found.add((i.core, "register"), "register", text, i)
    return found.all


def _judge(program: Program, op: Operation, sizes: Mapping[str, int], found: Findings) -> None:
    i = op.instruction
    for accesses, verb in ((op.work.reads, "reads"), (op.work.writes, "writes")):
        for name, box in accesses:
            operand = i.operands[name]
            low, high = operand.address + box.ends[0], operand.address + box.ends[1]
            size = end = _size(program, operand, sizes)
            if size is not None and operand.space == "GM" and verb == "reads":
                end = -(-size // _GM_BLOCK) * _GM_BLOCK
            if low < 0 or (end is not None and high > end):
                what = operand.name
                text = f"{i.op} {verb} {what}[{low}, {high}), and {what} has {size} bytes"
                found.add((line_of(i), "bounds", what), "bounds", text, i, memory=what, ends=(low, high))
    scalar = i.op in ("GetValue", "SetValue")
    for name in {name for name, _ in (*op.work.reads, *op.work.writes)}:
        operand = i.operands[name]
        unit = 1 if scalar else _alignment(program, op, operand, name)
        if operand.address % unit:
            text = f"{i.op} starts at {operand.place}, which is no multiple of {unit}"
            key, ends = (line_of(i), "misaligned", operand.space), (operand.address, operand.address + 1)
            found.add(key, "misaligned", text, i, memory=operand.name, ends=ends)


def _alignment(program: Program, op: Operation, operand: Operand, name: str) -> int:
    if name in BESIDE:
        return BESIDE[name]
    if op.instruction.is_product and name == "dst":
        return MMAD_START
    if operand.space == "FB":
        return program.arch.fixpipe_block
    return program.arch.start_alignment(operand.space)


def _size(program: Program, operand: Operand, sizes: Mapping[str, int]) -> int | None:
    if operand.space != "GM":
        return program.arch.capacity(operand.space)
    return sizes.get(operand.owner)
