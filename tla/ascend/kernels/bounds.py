# SPDX-License-Identifier: Apache-2.0
"""memcheck: accesses outside a buffer or a tensor, operands that the hardware does not take, overlaps.

Copies read whole blocks, so a read of global memory may pass the end of its tensor, up to a multiple of
512 bytes: allocations begin at these. A write may not. Two allocated tiles may share bytes, but what is
written through one is not to be read through the other. An instruction may write what it reads, at the
same place, or behind its reading: not what a later repeat of it reads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from .findings import Findings
from .implied import BESIDE
from .lazy_numpy import np
from .numbers import is_known, known_type
from .programs import WORK
from .vectors import REPEAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .boxes import Box
    from .findings import Finding
    from .instructions import Instruction, Operand
    from .programs import Operation, Program

MMAD_START: Final = 1024
"""The alignment of the sums of a product, in bytes. Source: AscendC, Mmad."""
MMAD_MOST: Final = 4095
"""The largest extent of a product. Source: AscendC, Mmad."""
_GM_BLOCK: Final = 512
_ATOMIC_TYPES: Final = ("int8", "int16", "int32", "float16", "bfloat16", "float32")
"""What writes to global memory combine. Source: AscendC, SetAtomicAdd."""
_MMAD: Final = {"dst": "L0C", "src": "L0A", "src1": "L0B", "bias": "BT L0C"}
_LOAD: Final = {"dst": "L0A L0B L1", "src": "L1 GM", "src1": "L1"}
_TAKES: Final[dict[str, dict[str, str]]] = {
    "Mmad": _MMAD, "MmadWithSparse": _MMAD, "LoadData": _LOAD, "LoadDataWithTranspose": _LOAD,
    "LoadDataWithSparse": _LOAD, "LoadDataWithStride": _LOAD, "InitConstValue": {"dst": "L1 L0A L0B"},
    "Fixpipe": {"dst": "GM L1 UB", "src": "L0C", "quant": "L1 FB"},
    "GetValue": {"src": "GM UB"}, "SetValue": {"dst": "GM UB"},
    **{key: {"dst": "L0A", "src": "L1"} for key in ("load_cbuf_to_ca_s4", "load_cbuf_to_ca_mx")},
    **{key: {"dst": "L0B", "src": "L1"} for key in ("load_cbuf_to_cb_s4", "load_cbuf_to_cb_mx")},
}  # fmt: skip
"""The memories that each operand of an instruction may be in."""
_ROUTES: Final = {
    "MTE2": ("GM L1", "GM UB"), "MTE3": ("UB GM", "UB L1", "L1 GM"), "MTE1": ("L1 BT", "L1 UB"),
    "FIX": ("L0C GM", "L0C L1", "L0C UB", "L1 FB"), "V": ("UB UB",),
}  # fmt: skip
"""What DataCopy and DataCopyPad move on each pipe."""


def memory_findings(program: Program, sizes: Mapping[str, int], order: Sequence[int]) -> list[Finding]:
    """Return what memcheck finds: one finding for each line of source, kind and memory.

    Args:
        sizes: The bytes of each tensor of global memory.
        order: The instructions in an order in which they ran.
    """
    found = Findings("memcheck")
    seen: set[tuple[object, ...]] = set()
    for op in program.operations:
        i = op.instruction
        key = (
            op.kind,
            i.op,
            id(op.work),
            i.core[:3],
            op.atomic and op.atomic.line,
            *i.operands.values(),
        )
        if op.kind != WORK or not i.operands or key in seen:
            continue
        seen.add(key)
        if i.is_product:
            _judge_extents(i, found)
        if op.work.steps:
            _judge_places(i, found)
            _judge_atomic(op, found)
            _judge_bounds(program, op, sizes, found)
            _judge_overlaps(op, found)
    for i in program.absent:
        text = f"{i.core} leaves out {i.op} on {i.pipe}: such a core has no such instruction"
        found.at("core", text, i)
    for i, text in program.left_set:
        found.at("register", text, i)
    _judge_tiles(program, order, found)
    return found.all


def _judge_extents(i: Instruction, found: Findings) -> None:
    extents = [i.params.get(x) for x in "mnk"]
    if not all(type(x) is int and 1 <= x <= MMAD_MOST for x in extents):
        m, n, k = extents
        text = f"{i.op} of m = {m}, n = {n}, k = {k}: extents are 1 to {MMAD_MOST}"
        found.at("extent", text + (", and a product with a 0 does nothing" if 0 in extents else ""), i)


def _judge_places(i: Instruction, found: Findings) -> None:
    """Judge the memories that the operands are in."""
    if i.op in ("DataCopy", "DataCopyPad"):
        route = f"{i.operands['src'].space} {i.operands['dst'].space}"
        if route not in _ROUTES.get(i.pipe, ()):
            found.at("space", f"{i.op} on {i.pipe} moves nothing from {route.replace(' ', ' to ')}", i)
        return
    takes = dict.fromkeys(i.operands, "UB") if i.pipe == "V" else _TAKES.get(i.op, {})
    for name, spaces in takes.items():
        operand = i.operands.get(name)
        if operand is not None and operand.space not in spaces.split():
            where = " or ".join(spaces.split())
            text = f"{i.op} takes {name} in {where}, and it is at {operand.place}"
            found.at("space", text, i, memory=operand.name)


def _judge_atomic(op: Operation, found: Findings) -> None:
    """Judge that writes are of the type that the atomic mode combines."""
    i, call = op.instruction, op.atomic
    dtype: str = call.params.get("dtype") or "" if call is not None else ""
    if call is not None and is_known(dtype) and known_type(dtype) not in _ATOMIC_TYPES:
        text = f"{call.op} of {dtype}: it combines {', '.join(_ATOMIC_TYPES)}"
        found.at("atomic type", text, call)
    for name, _ in op.work.writes if call is not None and is_known(dtype) else ():
        operand = i.operands[name]
        if operand.space == "GM" and known_type(dtype) != known_type(operand.dtype) and call is not None:
            text = f"{i.op} writes {operand.dtype}, and {call.op} of line {call.line} is for {dtype}"
            found.at("atomic type", text, call, i, memory=operand.name)


def _judge_bounds(program: Program, op: Operation, sizes: Mapping[str, int], found: Findings) -> None:
    i = op.instruction
    for accesses, verb in ((op.work.reads, "reads"), (op.work.writes, "writes")):
        for name, box in accesses:
            operand = i.operands[name]
            what, tile = operand.name, operand.buffer
            low, high = operand.address + box.ends[0], operand.address + box.ends[1]
            size = end = _size(program, operand, sizes)
            if size is not None and operand.space == "GM" and verb == "reads":
                end = -(-size // _GM_BLOCK) * _GM_BLOCK
            text = f"{i.op} {verb} {what}[{low}, {high}), and "
            if low < 0 or (end is not None and high > end):
                text += f"{what} has {size} bytes"
            elif tile is not None and (low < tile[0] or high > tile[1]):
                text += f"its tile is {what}[{tile[0]}, {tile[1]})"
            else:
                continue
            found.at("bounds", text, i, memory=what, ends=(low, high))
    scalar = i.op in ("GetValue", "SetValue")
    for name in {name for name, _ in (*op.work.reads, *op.work.writes)}:
        operand = i.operands[name]
        unit = 1 if scalar else _alignment(program, op, operand, name)
        if operand.address % unit:
            text = f"{i.op} starts at {operand.place}, which is no multiple of {unit}"
            ends = operand.address, operand.address + 1
            found.at("misaligned", text, i, memory=operand.name, ends=ends)


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


# --- overlaps


def _judge_overlaps(op: Operation, found: Findings) -> None:
    """Judge what one instruction reads where it writes."""
    i = op.instruction
    for step in op.work.steps:
        target = i.operands.get(step.out.operand)
        for ref in step.ins:
            source = i.operands[ref.operand]
            if target is None or source.memory != target.memory:
                continue
            ends = _overlap(step.out.box, target.address, ref.box, source.address)
            if ends is not None:
                text = (
                    f"{i.op} writes {target.name}[{ends[0]}, {ends[1]}) before it may have read it: "
                    f"{step.out.operand} at {target.place} and {ref.operand} at {source.place} overlap"
                )
                found.at("overlap", text, i, memory=target.name, ends=ends)


def _overlap(out: Box, to: int, ins: Box, at: int) -> tuple[int, int] | None:
    """The bytes that an instruction writes before it may have read them.

    A repeat reads all that it takes before it writes, if both begin at one byte; AscendC demands that.
    """
    low, high = max(to + out.ends[0], at + ins.ends[0]), min(to + out.ends[1], at + ins.ends[1])
    if low >= high or (to + out.start == at + ins.start and out[1:] == ins[1:]):
        return None
    item = max(out.item, ins.item)
    (written, turns, firsts), (read, when, starts) = _touched(out, to, item), _touched(ins, at, item)
    first = min(written.min(), read.min())
    last = np.full(max(written.max(), read.max()) - first + 1, -1)
    np.maximum.at(last, read - first, when)
    fits = firsts == (starts if len(starts) == len(firsts) else None)
    late = last[written - first]
    bad = written[(late > turns) | ((late == turns) & ~fits[turns])]
    return (int(bad.min()), int(bad.max()) + 1) if bad.size else None


def _touched(box: Box, base: int, item: int) -> tuple[Any, Any, Any]:
    """The bytes of a box in its order, the repeat of each, and the first byte of each repeat."""
    places: Any = np.full((1,), base + box.start)
    for n, step in (*box.dims, (box.item, 1)):
        places = (places[:, None] + np.arange(n) * step).reshape(-1)
    repeats = box.dims[0][0] if len(box.dims) > 1 else 1
    per = places.size // repeats if repeats > 1 else REPEAT // item * box.item or box.item
    arange: Any = np.arange
    return places, arange(places.size) // per, places[::per]


def _judge_tiles(program: Program, order: Sequence[int], found: Findings) -> None:
    """Judge what is written through one tile and read through another that shares bytes with it."""
    tiles = sorted({
        (o.memory, o.buffer) for i in program.instructions for o in i.operands.values() if o.buffer
    })  # fmt: skip
    shared = {a[0] for a, b in pairwise(tiles) if a[0] == b[0] and b[1][0] < a[1][1]}
    ends = program.memories
    marks = {m: np.zeros(ends[m][1] - ends[m][0], np.int32) for m in shared & ends.keys()}
    writes: list[tuple[Instruction, Operand]] = []
    for op in [program.operations[number] for number in order] if marks else ():
        i = op.instruction
        for accesses in (op.work.reads, op.work.writes):
            for name, box in accesses:
                operand = i.operands[name]
                if operand.memory not in marks:
                    continue
                at = operand.address - ends[operand.memory][0]
                view = box.bytes_view(marks[operand.memory], at)
                if accesses is op.work.reads:
                    _judge_read(i, operand, writes, np.unique(view).tolist(), found)
                else:
                    writes.append((i, operand))
                    view[...] = len(writes)


def _judge_read(
    i: Instruction, operand: Operand, writes: Sequence[tuple[Instruction, Operand]],
    writers: Sequence[int], found: Findings,
) -> None:  # fmt: skip
    for number in writers:
        other, written = writes[number - 1] if number else (i, operand)
        if operand.buffer and written.buffer and operand.buffer != written.buffer:
            what, (a, b), (c, d) = operand.name, operand.buffer, written.buffer
            text = (
                f"{i.op} reads its tile {what}[{a}, {b}), and {other.op} has written bytes of it as "
                f"part of the tile {what}[{c}, {d})"
            )
            found.at("overlap", text, other, i, memory=what, ends=(max(a, c), min(b, d)))
