# SPDX-License-Identifier: Apache-2.0
"""Pairs of instructions that touch the same bytes, of which one writes.

Each byte has its last writer and, for every pipe, the last reader since. An instruction is paired with
these alone: an order of all such pairs is an order of all that touch the byte. So the pairs are found
once, and a program with another set of flags is checked by its clocks.
"""

from __future__ import annotations

from collections import defaultdict
from math import gcd
from typing import TYPE_CHECKING, Final, NamedTuple

from .boxes import marks_view
from .lazy_numpy import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .boxes import Runs
    from .programs import Program

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

    def __init__(self, memory: Memory, ends: tuple[int, int], unit: int) -> None:
        self.memory, self.unit, self.origin = memory, unit, -ends[0]
        self.units = (ends[1] - ends[0]) // unit + 1
        self.marks: defaultdict[str, dict[int, Marks]] = defaultdict(dict)
        """The last writer of all pipes, the last reader and the last adder of each."""
        self.found: dict[tuple[int, int, str], Pair] = {}

    def touch(self, number: int, pipe: int, runs: Runs, address: int, how: str) -> None:
        """Pair an instruction with those before it, and put it in their place."""
        base = self.origin + address
        for other in _AGAINST[how]:
            for marks in self.marks[other].values():
                view = marks_view(marks, runs, base, self.unit)
                self._pair(view, number, f"{_LETTERS[how]}A{_LETTERS[other]}")
                if how == "writes":
                    view[...] = 0
        place = 0 if how == "writes" else pipe
        mine = self.marks[how]
        if place not in mine:
            mine[place] = np.zeros(self.units, np.int32)
        marks_view(mine[place], runs, base, self.unit)[...] = number + 1

    def _pair(self, marks: Marks, number: int, kind: str) -> None:
        most = int(marks.max())
        others = [most] if int(marks.min()) == most else np.unique(marks).tolist()
        for other in others if most else ():
            if other and other - 1 != number:
                pair = Pair(other - 1, number, kind, self.memory)
                self.found.setdefault((other - 1, number, kind), pair)


_AGAINST: Final = {
    "reads": ("writes", "adds"), "writes": ("writes", "reads", "adds"), "adds": ("writes", "reads"),
}  # fmt: skip
"""The accesses that must be in order with each; atomic ones commute, so they are of their own kind."""
_LETTERS: Final = {"reads": "R", "writes": "W", "adds": "W"}


def conflicts_of(program: Program, order: Sequence[int]) -> list[Pair]:
    """Return the pairs of a program, whose instructions ran in some order that its flags allow."""
    memories = _marked(program)
    for number in order:
        op = program.operations[number]
        operands = op.instruction.operands
        for accesses, how in ((op.work.reads, "reads"), (op.work.writes, "writes")):
            for name, box in accesses:
                operand = operands[name]
                marked = memories.get(operand.memory)
                if marked is not None:
                    adds = how == "writes" and op.atomic and operand.space == "GM"
                    marked.touch(number, op.pipe, box.runs, operand.address, "adds" if adds else how)
    return [pair for marked in memories.values() for pair in marked.found.values()]


def _marked(program: Program) -> dict[Memory, _Marked]:
    """The memories that some instruction writes, with units that divide all their boxes."""
    units: dict[Memory, int] = {}
    written: dict[Memory, None] = {}
    for op in program.operations:
        for accesses in (op.work.reads, op.work.writes):
            for name, box in accesses:
                operand, runs = op.instruction.operands[name], box.runs
                first = operand.address + runs.start
                units[operand.memory] = gcd(units.get(operand.memory, 0), first, runs.unit)
                if accesses is op.work.writes:
                    written[operand.memory] = None
    return {memory: _Marked(memory, program.memories[memory], units[memory]) for memory in written}
