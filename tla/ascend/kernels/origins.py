# SPDX-License-Identifier: Apache-2.0
"""Provenance: which element of which tensor lies in a buffer, and whether products fit together.

A copy from global memory gives each element a mark: the copy, and the byte that it read. Copies between
buffers move the marks, and what is computed has none. A product must meet columns of A and rows of B of
one k: between a tile of A and a tile of B in L1, all products have the same distance in k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .findings import Findings, place_of
from .lazy_numpy import np
from .numbers import bits_of, size_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from .boxes import Box
    from .instructions import Instruction
    from .memories import Memories
    from .programs import Operation, Program
    from .works import Ref, Step

    Marks = NDArray[np.int64]

FACTORS: Final = ("L1", "L0A", "L0B")
"""The buffers through which the factors of a product come."""
_SHIFT: Final = 40
"""The bits of an offset below the number of the copy."""
UNKNOWN: Final = -1
_WIDEST: Final = 8
"""The bytes of the largest element."""


class Element(NamedTuple):
    """The element of a tensor that a byte of a buffer is of."""

    tensor: str
    byte: int
    """The byte, from the tensor's start."""
    coord: tuple[int, ...] = ()
    """The place of the element in the array that the tensor was given as."""


class _Line(NamedTuple):
    """A row of A or a column of B along k: the copy of each element, and its byte of global memory."""

    loads: Any
    offsets: Any

    def steps(self) -> int:
        """The bytes from one k to the next; 0 if they differ."""
        gaps = np.diff(self.offsets)
        return int(gaps[0]) if gaps.size and (gaps == gaps[0]).all() else 0

    def first_k(self, load: Instruction) -> int | None:
        """The first k, counted from the first one of its copy; None if k is no row or column there."""
        src, p = load.operands["src"], load.params
        size = size_of(src.dtype)
        row, column = divmod(int(self.offsets[0]) - src.address, p["srcDValue"] * size)
        if p["ndNum"] > 1:
            return None
        return {size: column // size, p["srcDValue"] * size: row}.get(self.steps())


class Origins:
    """The marks of the elements in some buffers, after the instructions that have run."""

    def __init__(self, program: Program, memories: Memories, spaces: Collection[str] = FACTORS) -> None:
        self.program = program
        self._bases = memories.origins
        self._marks: dict[tuple[str, str], Marks] = {
            memory: np.full(array.size, UNKNOWN, np.int64)
            for memory, array in memories.bytes.items()
            if memory[0] in spaces
        }
        self._relative: dict[Box, Marks] = {}
        self._writers: dict[tuple[str, str, int], int] = {}
        self._pairs: dict[tuple[int, int], tuple[int, int]] = {}
        self.found: Findings = Findings("memcheck")

    def element_at(self, core: str, space: str, byte: int) -> Element | None:
        """Return the element that a byte of a buffer is of; None if it was not copied from one."""
        marks = self._marks.get((space, core))
        if marks is None:
            return None
        at = self._bases[space, core] + byte
        for inside in range(_WIDEST):
            mark = int(marks[at - inside]) if 0 <= at - inside < marks.size else UNKNOWN
            if mark != UNKNOWN:
                source = self.program.at(mark >> _SHIFT).operands["src"]
                if inside < size_of(source.dtype):
                    return Element(source.owner, (mark & ((1 << _SHIFT) - 1)) + inside)
        return None

    def run(self, number: int) -> None:
        """Move the marks as an instruction moves the elements."""
        op = self.program.operations[number]
        i = op.instruction
        for step in op.work.steps:
            dst = i.operands.get(step.out.operand)
            if dst is None or dst.memory not in self._marks:
                continue
            marks = self._moved(number, op, step)
            for ref in (step.out, *step.extra):
                self._bytes(ref, op)[...] = UNKNOWN
            if marks is not None:
                self._view(step.out, op, self._size(step.out, op))[...] = marks
        if i.op == "Mmad" and op.work.steps:
            self._product(number, op)
        dst = i.operands.get("dst")
        if dst is not None and dst.space in ("L0A", "L0B"):
            self._writers[(*dst.memory, dst.address)] = number

    def _moved(self, number: int, op: Operation, step: Step) -> Marks | None:
        """The marks of what a step moves; None if it computes, or fills."""
        if step.compute is not None or not step.ins:
            return None
        ref = step.ins[0]
        src, size = op.instruction.operands[ref.operand], self._size(step.out, op)
        if ref.box.item % size:
            return None
        if src.space == "GM":
            return self._offsets(ref.box.split(size)) + (src.address + (number << _SHIFT))
        if src.memory in self._marks and size_of(src.dtype) == size:
            return self._view(ref, op, size).copy()
        return None

    def _size(self, ref: Ref, op: Operation) -> int:
        return size_of(op.instruction.operands[ref.operand].dtype)

    def _bytes(self, ref: Ref, op: Operation) -> Marks:
        """The marks of the bytes of each item."""
        operand = op.instruction.operands[ref.operand]
        base = self._bases[operand.memory] + operand.address
        return ref.box.bytes_view(self._marks[operand.memory], base)

    def _view(self, ref: Ref, op: Operation, size: int) -> Marks:
        return self._bytes(ref._replace(box=ref.box.split(size)), op)[..., 0]

    def _offsets(self, box: Box) -> Marks:
        """The bytes at which the elements of a box start."""
        if box not in self._relative:
            made = np.full((1,) * len(box.dims), box.start, np.int64)
            for axis, (n, step) in enumerate(box.dims):
                shape = [1] * len(box.dims)
                shape[axis] = n
                made = made + (np.arange(n, dtype=np.int64) * step).reshape(shape)
            self._relative[box] = made
        return self._relative[box]

    def _product(self, number: int, op: Operation) -> None:
        """Compare the k of A's first row and of B's first column."""
        i, k = op.instruction, op.instruction.params["k"]
        if k < 2 or bits_of(i.operands["src"].dtype) < 8:
            return
        left, right = op.work.steps[0].ins[:2]
        if any(i.operands[ref.operand].space not in FACTORS for ref in (left, right)):
            return
        a = self._view(left, op, left.box.item)
        a = a[0, 0] if a.ndim == 4 else a[0]
        b = self._view(right, op, right.box.item)[:, 0]
        lines: list[_Line] = []
        for marks in (a.reshape(-1)[:k], b.reshape(-1)[:k]):
            if (marks == UNKNOWN).any():
                return
            lines.append(_Line(marks >> _SHIFT, marks & ((1 << _SHIFT) - 1)))
        x, y = lines
        loads = int(x.loads[0]), int(y.loads[0])
        if (x.loads != loads[0]).any() or (y.loads != loads[1]).any():
            return
        if any(self.program.at(load).form != "nd2nz" for load in loads):
            return
        if not (x.steps() and y.steps()):
            self._report(number, op, "the elements that it meets along k are not evenly apart")
            return
        copies = [self.program.at(load) for load in loads]
        here = [line.first_k(copy) for line, copy in zip(lines, copies, strict=True)]
        if here[0] is None or here[1] is None:
            return
        first = self._pairs.setdefault(loads, (here[0], here[1]))
        moved = [here[0] - first[0], here[1] - first[1]]
        if moved[0] != moved[1]:
            tensors = [copy.operands["src"].owner for copy in copies]
            where = f"is {moved[0]} from the first product of these tiles"
            text = f"k of {tensors[0]} {where}, and k of {tensors[1]} is {moved[1]}"
            self._report(number, op, text)

    def _report(self, number: int, op: Operation, text: str) -> None:
        i = op.instruction
        operands = [i.operands[name] for name in ("src", "src1")]
        found = [self._writers.get((*operand.memory, operand.address)) for operand in operands]
        writers = [self.program.operations[n].instruction for n in found if n is not None]
        place = place_of(i, self.program.pipe_of(number))
        words = f"Mmad meets elements of different k: {text}"
        self.found.at("provenance", words, *writers, place)
