# SPDX-License-Identifier: Apache-2.0
"""Pairs of instructions that touch the same bytes, of which one writes.

Each byte has its last writer and, for every pipe, the last reader since. An instruction is paired with
these alone: an order of all such pairs is an order of all that touch the byte. So the pairs are found
once, and a program with another set of flags is checked by its clocks.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from .boxes import marks_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .boxes import Box, Runs
    from .programs import Operation, Program

    Memory = tuple[str, str]
    Marks = NDArray[np.int32]


class Pair(NamedTuple):
    """Two instructions, in the order in which they ran: what the second does to the first's bytes."""

    first: int
    second: int
    kind: str
    """RAW, WAR or WAW: the second's access, then the first's."""
    memory: Memory


class _Marked:
    """One memory: who wrote each of its units of bytes last, who has read it since."""

    def __init__(self, units: int, unit: int, origin: int) -> None:
        import numpy as np

        self.unit, self.origin = unit, origin
        self.units = units
        self.writer: Marks = np.zeros(units, np.int32)
        self.readers: dict[int, Marks] = {}
        self.adders: dict[int, Marks] = {}

    def view(self, marks: Marks, runs: Runs, address: int) -> Marks:
        return marks_view(marks, runs, self.origin + address, self.unit)

    def of(self, marks: dict[int, Marks], pipe: int) -> Marks:
        import numpy as np

        if pipe not in marks:
            marks[pipe] = np.zeros(self.units, np.int32)
        return marks[pipe]


def conflicts_of(program: Program, order: Sequence[int]) -> list[Pair]:
    """Return the pairs of a program, whose instructions ran in some order that its flags allow."""
    memories = _marked(program)
    found: dict[tuple[int, int, str], Pair] = {}
    for number in order:
        op = program.operations[number]
        operands = op.instruction.operands
        for name, box in op.work.reads:
            memory = operands[name].memory
            if memory in memories:
                _read(memories[memory], memory, number, op, box, operands[name].address, found)
        for name, box in op.work.writes:
            memory = operands[name].memory
            if memory in memories:
                _write(memories[memory], memory, number, op, box, operands[name].address, found)
    return list(found.values())


def _marked(program: Program) -> dict[Memory, _Marked]:
    """The memories that some instruction writes, with units that divide all their boxes."""
    units: dict[Memory, int] = {}
    written: set[Memory] = set()
    for op in program.operations:
        work = op.work
        if not work.steps:
            continue
        operands = op.instruction.operands
        for name, box in (*work.reads, *work.writes):
            operand = operands[name]
            runs = box.runs
            units[operand.memory] = gcd(
                units.get(operand.memory, 0), operand.address + runs.start, runs.unit
            )
        for name, _ in work.writes:
            written.add(operands[name].memory)
    made: dict[Memory, _Marked] = {}
    for memory in written:
        low, high = program.memories[memory]
        unit = units[memory]
        made[memory] = _Marked((high - low) // unit + 1, unit, -low)
    return made


def _read(
    marked: _Marked, memory: Memory, number: int, op: Operation, box: Box, address: int,
    found: dict[tuple[int, int, str], Pair],
) -> None:  # fmt: skip
    runs = box.runs
    for marks in (marked.writer, *marked.adders.values()):
        _pair(marked.view(marks, runs, address), number, "RAW", memory, found)
    marked.view(marked.of(marked.readers, op.pipe), runs, address)[...] = number + 1


def _write(
    marked: _Marked, memory: Memory, number: int, op: Operation, box: Box, address: int,
    found: dict[tuple[int, int, str], Pair],
) -> None:  # fmt: skip
    runs = box.runs
    adds = op.atomic is not None and memory[0] == "GM"
    writer = marked.view(marked.writer, runs, address)
    _pair(writer, number, "WAW", memory, found)
    for marks in marked.readers.values():
        readers = marked.view(marks, runs, address)
        _pair(readers, number, "WAR", memory, found)
        if not adds:
            readers[...] = 0
    if adds:
        marked.view(marked.of(marked.adders, op.pipe), runs, address)[...] = number + 1
        return
    for marks in marked.adders.values():
        adders = marked.view(marks, runs, address)
        _pair(adders, number, "WAW", memory, found)
        adders[...] = 0
    writer[...] = number + 1


def _pair(
    marks: Marks, number: int, kind: str, memory: Memory, found: dict[tuple[int, int, str], Pair]
) -> None:
    import numpy as np

    most = int(marks.max())
    if not most:
        return
    others = [most] if int(marks.min()) == most else np.unique(marks).tolist()
    for other in others:
        if other and other - 1 != number:
            found.setdefault((other - 1, number, kind), Pair(other - 1, number, kind, memory))
