# SPDX-License-Identifier: Apache-2.0
"""initcheck: bytes that were never written, or are left from an earlier tile, and reach a result.

Each byte has a mark. 0 is written; -1 is a zero that an instruction wrote as padding; -2 - n is what
load n brought; above 0 is a cause: never written, stale, or computed from such bytes. Marks move as the
bytes do. Padding may hold anything, so a finding needs a byte of a tensor that the kernel does not read
again. A tensor that the kernel writes and reads again is its workspace: if it is not given, or given as
zeros, its bytes are not written before the kernel writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .findings import Findings, place_of
from .lazy_numpy import np
from .numbers import bits_of
from .products import along_k

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from .boxes import Box
    from .memories import Memories
    from .programs import Operation, Program
    from .works import Ref, Step

    Memory = tuple[str, str]
    Marks = NDArray[np.int32]

WRITTEN: Final = 0
ZERO: Final = -1
NEVER: Final = 1


class Cause(NamedTuple):
    """Why a byte is not to be used: the instruction that used it first, and what it read."""

    kind: str
    """``never written``, ``stale``, or ``both``."""
    number: int | None
    text: str


class Shadow:
    """The marks of every byte of a machine."""

    def __init__(
        self, program: Program, memories: Memories, read_again: Collection[str], strict: bool = False
    ) -> None:
        self.program: Program = program
        self.strict: bool = strict
        self.origins: dict[Memory, int] = memories.origins
        self.read_again = read_again
        """The tensors that the kernel reads after it has written them."""
        self.marks: dict[Memory, Marks] = {}
        for memory, array in memories.bytes.items():
            is_workspace = memory[1] in read_again and not array.any()
            start = WRITTEN if memory[0] == "GM" and not is_workspace else NEVER
            marks = self.marks[memory] = np.full(array.size, start, np.int32)
            if memory[0] == "GM" and memory[1] in memories.given:  # what lies behind the tensor
                marks[self.origins[memory] + memories.given[memory[1]].nbytes :] = NEVER
        self.causes: list[Cause] = [
            Cause("", None, ""),
            Cause("never written", None, "bytes that were never written"),
        ]
        self.found: Findings = Findings("initcheck")
        for (_, what), i in program.registers.items() if strict else ():
            text = f"{i.op} uses the {what} that the kernel before it left: nothing has set it"
            self.found.at("register", text, i, key=what)
        self._slots: dict[tuple[Memory, int], tuple[int, int]] = {}
        self._stale: dict[int, int] = {}

    def run(self, number: int) -> None:
        """Move the marks as an instruction moves the bytes."""
        op = self.program.operations[number]
        if number in self.program.unknown:
            for memory in self._touched(op):
                self.marks[memory][...] = WRITTEN  # what it writes is not known, so it is not judged
        if not op.work.steps:
            return
        is_load = self.program.pipe_of(number) == "MTE2"
        if is_load:
            self._leave(number, op)
        for step in op.work.steps:
            marks = self._made(step, op, number)
            if marks is None:
                continue
            if is_load and step.out.operand and isinstance(marks, int) and marks == WRITTEN:
                marks = -2 - number
            self._put(step, op, marks, number)
            for ref in step.extra:
                self._view(ref, op)[...] = NEVER

    def _touched(self, op: Operation) -> list[Memory]:
        """The memories that an instruction that the machine does not know may write."""
        i = op.instruction
        named = [o.memory for name, o in i.operands.items() if name.startswith("dst")]
        return [
            m for m in (*named, ("UB", i.core)) if m in self.marks and (m[0] != "UB" or i.pipe == "V")
        ]

    def _leave(self, number: int, op: Operation) -> None:
        """Mark what the last load to this slot brought as stale."""
        dst = op.instruction.operands.get("dst")
        if dst is None or dst.space not in ("L1", "UB"):
            return
        key = dst.memory, dst.address
        old = self._slots.get(key)
        self._slots[key] = (number, dst.address)
        if old is None:
            return
        before = self.program.operations[old[0]]
        for step in before.work.steps:
            view = self._view(step.out, before)
            filler = ZERO if not step.ins else -2 - old[0]
            held = view == filler
            if held.any():
                cause = self._stale.get(old[0])
                if cause is None:
                    line = before.instruction.line
                    what = f"bytes of an earlier tile, which {before.instruction.op} of line {line} left"
                    cause = self._stale[old[0]] = self._cause("stale", None, what)
                view[...] = np.where(held, cause, view)

    def _cause(self, kind: str, number: int | None, text: str) -> int:
        self.causes.append(Cause(kind, number, text))
        return len(self.causes) - 1

    def _view(self, ref: Ref, op: Operation) -> Marks:
        operand = op.instruction.operands[ref.operand]
        memory = operand.memory
        marks: Marks = ref.box.bytes_view(self.marks[memory], self.origins[memory] + operand.address)
        return marks

    def _made(self, step: Step, op: Operation, number: int) -> Any:
        """The marks of a step's output, for each item or for all."""
        if not step.out.operand:
            marks = self._view(step.ins[0], op)
            if marks.max() > 0:
                self._report(op, number, int(marks.max()), step.ins[0], "the scalar unit uses")
            return None
        if step.compute is None:
            if not step.ins:
                return ZERO
            if op.instruction.operands[step.ins[0].operand].space == "GM":
                marks = self._view(step.ins[0], op)
                return marks if marks.max() > 0 else WRITTEN
            return self._view(step.ins[0], op)
        if step.spread == "clean" or not step.ins:
            return WRITTEN
        views = [self._view(ref, op) for ref in step.ins]
        if all(view.max() <= 0 for view in views) and step.spread != "product":
            return self._same_tile(step, op)
        items = [view.max(axis=-1) for view in views]
        if step.spread == "product":
            return self._product(step, op, number, items)
        if callable(step.spread):
            made: Any = step.spread(*items)
        elif step.spread == "all":
            made = np.asarray(max([int(item.max()) for item in items]))
        else:
            made = np.maximum.reduce(np.broadcast_arrays(*items))
        return self._used(np.maximum(made, 0), op, number, step)

    def _same_tile(self, step: Step, op: Operation) -> Any:
        """The marks of what good bytes make: in place, what a load brought stays of its tile."""
        places = op.instruction.operands
        out = places[step.out.operand]
        own = any(
            ref.box == step.out.box and places[ref.operand]._replace(dtype=out.dtype) == out
            for ref in step.ins
        )
        if step.spread != "elements" or not own or out.space != "UB":
            return WRITTEN
        marks = self._view(step.out, op)
        return np.where(marks < ZERO, marks, WRITTEN)

    def _used(self, marks: Any, op: Operation, number: int, step: Step) -> Any:
        """Give marks that an instruction computes from bad bytes a cause of their own."""
        if int(marks.max()) <= 0:
            return WRITTEN
        made = np.array(np.maximum(marks, 0))
        found: list[int] = np.unique(made).tolist()
        for worst in found:
            cause = self.causes[worst]
            if worst and cause.number is None:
                i = op.instruction
                at = f"{i.op} of {i.site or 'the kernel'}, line {i.line}"
                adds = "reads"
                if op.atomic:
                    adds = f"adds to: the atomic mode is on since line {op.atomic.line}"
                elif i.is_product and i.params["m"] == 1 and not i.params.get("disableGemv"):
                    adds = "reads: with m = 1 it reads A as a vector, not as fractals"
                text = f"{cause.text}, which {at}, {adds}"
                made[made == worst] = self._cause(cause.kind, number, text)
        return made

    def _product(self, step: Step, op: Operation, number: int, items: list[Any]) -> Any:
        """Rows of A and columns of B spread over their sums; the rounded part of K is judged apart."""
        rows, n, k = step.extents
        marks = {ref.operand: item for ref, item in zip(step.ins, items, strict=True)}
        left = marks["src"].reshape(rows, -1)
        right = marks["src1"].transpose(0, 2, 1).reshape(-1, marks["src1"].shape[1])
        lanes = 2 if bits_of(op.instruction.operands["src"].dtype) < 8 else 1
        used = -(-k // lanes)
        if "index" in marks:
            indices = marks["index"].transpose(0, 2, 1).reshape(-1, right.shape[1])
            right = np.maximum(right.repeat(2, axis=0), indices.repeat(8, axis=0))
        for name, side in (("scale", left), ("scale1", right.T)):
            if name in marks:
                scales = along_k(marks[name], 32 // lanes)[:, :used]
                side[:, :used] = np.maximum(side[:, :used], scales)
        m = op.instruction.params["m"]
        reach = left.shape[1]
        if op.instruction.params.get("kDirectionAlign") and not self.strict:
            reach = -(-k // 8) * 8  # the rest of 16 is what the transposing load leaves
        if reach > used:
            self._rounded(left[:m, :reach], right[:reach, :n], used, op, number)
        bad = np.maximum(left[:, :used].max(axis=1)[:, None], right[:used].max(axis=0)[None])
        made = np.maximum(bad, 0)
        if "bias" in marks:
            made[:, :n] = np.maximum(made[:, :n], marks["bias"])
        made = made.reshape(rows, -1, 16)
        if "dst" in marks:
            made = np.maximum(made, marks["dst"])
        return self._used(made, op, number, step)

    def _rounded(self, left: Marks, right: Marks, used: int, op: Operation, number: int) -> None:
        """Judge the bytes behind K, which the hardware reads in whole blocks.

        AscendC says that it ignores them. They are reported where they would meet data: the other
        operand is neither known to be zero there nor as bad itself, as with A in columns and B in rows,
        whose tiles end with K. Rows and columns that are padding themselves do not count.
        """
        rows, columns = left[:, :used].max(axis=1) <= 0, right[:used].max(axis=0) <= 0
        a, b = left[rows][:, used:], right[used:][:, columns]
        if not a.size or not b.size:
            return
        bad_a, bad_b = (a > 0).any(axis=0), (b > 0).any(axis=1)
        if not self.strict:
            data_a = ((a <= 0) & (a != ZERO)).any(axis=0)
            data_b = ((b <= 0) & (b != ZERO)).any(axis=1)
            bad_a, bad_b = bad_a & data_b, bad_b & data_a
        for name, bad, marks in (("src", bad_a, a.T), ("src1", bad_b, b)):
            if bad.any():
                self._report_rounded(op, name, int(bad.sum()), int(marks[bad].max()), number)

    def _report_rounded(self, op: Operation, name: str, count: int, cause: int, number: int) -> None:
        i = op.instruction
        space = i.operands[name].space
        text = (
            f"Mmad of k = {i.params['k']} reads whole blocks of K, and {count} of K behind it in "
            f"{space} are {self.causes[cause].text}"
        )
        place = place_of(i, self.program.pipe_of(number))
        self.found.at("rounded K", text, place, memory=space)

    def _put(self, step: Step, op: Operation, marks: Any, number: int) -> None:
        view = self._view(step.out, op)
        operand = op.instruction.operands[step.out.operand]
        before = int(view.max()) if op.atomic and operand.space == "GM" else 0
        if before > 0:  # what it adds to was never written
            marks = self._used(np.maximum(view, 0), op, number, step)
        if isinstance(marks, int) or marks.shape == view.shape or marks.ndim == 0:
            view[...] = marks
        else:
            view[...] = np.asarray(marks).reshape(view.shape[:-1])[..., None]
        if operand.space == "GM":
            worst = 0 if isinstance(marks, int) else int(view.max())
            if worst > 0 and operand.owner not in self.read_again:
                self._report(op, number, worst, step.out, f"{operand.owner} gets")
            if worst <= 0:
                view[...] = WRITTEN

    def _report(self, op: Operation, number: int, cause: int, ref: Ref, what: str) -> None:
        i, why = op.instruction, self.causes[cause]
        users = [] if why.number is None else [why.number]
        places = [
            place_of(self.program.operations[n].instruction, self.program.pipe_of(n))
            for n in (*users, number)
        ]
        bad = np.argwhere(self._view(ref, op) > 0)
        low, high = (_byte_of(ref.box, index) for index in (bad[0], bad[-1]))
        operand = i.operands[ref.operand]
        ends = (operand.address + min(low, high), operand.address + max(low, high) + 1)
        text = f"{what} bytes [{ends[0]}, {ends[1]}) made from {why.text}"
        self.found.at(why.kind, text, *places, memory=operand.name, ends=ends)


def _byte_of(box: Box, index: Any) -> int:
    return (
        box.start
        + sum([int(i) * step for i, (_, step) in zip(index, box.dims, strict=False)])
        + int(index[-1])
    )
