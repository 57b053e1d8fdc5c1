# SPDX-License-Identifier: Apache-2.0
"""memcheck: accesses outside a buffer or a tensor, and addresses that the hardware does not take.

Copies read whole blocks, so a read of global memory may pass the end of its tensor, up to a multiple of
512 bytes: allocations begin at these. A write may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .findings import Finding, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .instructions import Operand
    from .programs import Operation, Program

MMAD_START: Final = 1024
"""The alignment of the sums of a product, in bytes. Source: AscendC, Mmad."""
_GM_BLOCK: Final = 512


def memory_findings(program: Program, sizes: Mapping[str, int]) -> list[Finding]:
    """Return the accesses out of bounds and the misaligned operands, one for each line of source."""
    found: dict[tuple[object, ...], Finding] = {}
    seen: set[tuple[object, ...]] = set()
    for op in program.operations:
        if not op.work.steps:
            continue
        i = op.instruction
        key = (id(op.work), tuple([(o.space, o.owner, o.address) for o in i.operands.values()]))
        if key in seen:
            continue
        seen.add(key)
        for finding in _judge(program, op, sizes):
            where = (i.site or i.line, finding.kind, finding.memory)
            old = found.get(where)
            found[where] = finding if old is None else old._replace(times=old.times + 1)
    for i in program.atomics_left:
        text = f"{i.op} is still on when the kernel ends: later copies add, and the next kernel's"
        found[i.core, "register"] = Finding("memcheck", "register", text, (place_of(i),))
    return list(found.values())


def _judge(program: Program, op: Operation, sizes: Mapping[str, int]) -> list[Finding]:
    i = op.instruction
    found: list[Finding] = []
    for accesses, verb in ((op.work.reads, "reads"), (op.work.writes, "writes")):
        for name, box in accesses:
            operand = i.operands[name]
            low, high = operand.address + box.ends[0], operand.address + box.ends[1]
            size = _size(program, operand, sizes)
            end = size
            if size is not None and operand.space == "GM" and verb == "reads":
                end = -(-size // _GM_BLOCK) * _GM_BLOCK
            if low < 0 or (end is not None and high > end):
                what = operand.owner if operand.space == "GM" else operand.space
                text = f"{i.op} {verb} {what}[{low}, {high}), and {what} has {size} bytes"
                found.append(_finding(op, "bounds", text, operand, (low, high)))
    units = {"UB": 1} if i.op in ("GetValue", "SetValue") else {}
    touched = {name for name, _ in (*op.work.reads, *op.work.writes)}
    for name in touched:
        operand = i.operands[name]
        unit = units.get(operand.space) or _alignment(program, op, operand, name)
        if operand.address % unit:
            text = f"{i.op} starts at {operand.place}, which is no multiple of {unit}"
            found.append(
                _finding(op, "misaligned", text, operand, (operand.address, operand.address + 1))
            )
    return found


def _alignment(program: Program, op: Operation, operand: Operand, name: str) -> int:
    if op.instruction.op == "Mmad" and name == "dst":
        return MMAD_START
    if operand.space == "FB":
        return program.arch.fixpipe_block
    return program.arch.start_alignment(operand.space)


def _size(program: Program, operand: Operand, sizes: Mapping[str, int]) -> int | None:
    if operand.space != "GM":
        return program.arch.capacity(operand.space)
    return sizes.get(operand.owner)


def _finding(op: Operation, kind: str, text: str, operand: Operand, ends: tuple[int, int]) -> Finding:
    name = operand.owner if operand.space == "GM" else operand.space
    return Finding("memcheck", kind, text, (place_of(op.instruction),), name, ends)
