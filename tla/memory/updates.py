# SPDX-License-Identifier: Apache-2.0
"""Which values lie in the same memory one after another, and which of them are written over.

>>> from ..hlo import read_module
>>> memory = SharedMemory(read_module('''ENTRY e { p = f32[8] parameter(0)
...   u = f32[1] parameter(1)
...   i = s32[] parameter(2)
...   c = f32[8] copy(p)
...   d = f32[8] dynamic-update-slice(c, u, i)
...   ROOT n = f32[8] negate(d) }'''))
>>> memory.is_overwritten(Value("e", "c")), memory.is_overwritten(Value("e", "d"))
(True, False)
>>> memory.first(Value("e", "d")).instruction
'c'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hlo import ELEMENTWISE
from ..xla_bridge import XlaShape, remade
from .aliasing import Result, Summary, arrays, results, summary
from .origins import Value, array_at, callee

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..hlo import Instruction, Module
    from .origins import Index


class SharedMemory:
    """The values of a module's computations by the memory that they share."""

    __slots__ = ("_called", "_module")

    def __init__(self, module: Module) -> None:
        self._module = module
        self._called: dict[str, Summary] = {}
        for computation in module.computations:
            self._called[computation.name] = summary(computation.instructions, self._called)

    def first(self, value: Value) -> Value:
        """Return the first value of the computation in the memory of a value."""
        seen: set[Value] = set()
        while value not in seen:
            seen.add(value)
            instruction = self._instruction(value)
            for result in results(instruction, self._called):
                if result.shape_index == value.shape_index and len(result.of) == 1:
                    number, index = result.of[0]
                    value = Value(value.computation, instruction.operands[number].name, index)
        return value

    def is_overwritten(self, value: Value) -> bool:
        """Whether an instruction writes over a value, so that it must be nobody else's."""
        return any(self._writes(each, result) for each, result in self._following(value))

    def loops(self, value: Value) -> list[tuple[Instruction, Index]]:
        """Return the loops that keep the memory of a value as a part of their state, and which part."""
        following = self._following(self.first(value))
        return [(each, result.shape_index) for each, result in following if each.opcode == "while"]

    def operands(self, value: Value) -> dict[Value, list[int]]:
        """Return the values in whose memory the operands of an instruction lie, with their numbers."""
        found: dict[Value, list[int]] = {}
        for number, operand in enumerate(self._instruction(value).operands):
            for index, _ in arrays(self._instruction(Value(value.computation, operand.name)).shape):
                first = self.first(Value(value.computation, operand.name, index))
                found.setdefault(first, []).append(number)
        return found

    def may_overwrite(self, value: Value, operand: Value) -> bool:
        """Whether the instruction that makes a value may write it over an operand that ends there.

        It may if it works on each element by itself, or is a loop fusion of such instructions, and both
        have the same shape. A sort may write an array over the same one of its operands.

        Source: CanShareOperandBufferWithUser of XLA's hlo_dataflow_analysis.cc.
        """
        instruction = self._instruction(value)
        numbers = self.operands(value).get(operand, [])
        after = array_at(instruction.shape, value.shape_index)
        shapes = [instruction.operands[number].shape for number in numbers]
        if not shapes or any(not isinstance(s, XlaShape) or not _is_same(s, after) for s in shapes):
            return False
        if instruction.opcode == "sort":
            return (numbers[0],) == (value.shape_index or (0,))
        if instruction.opcode != "fusion":
            return instruction.opcode in ELEMENTWISE
        kind = instruction.attributes.get("kind")
        return kind in ("kLoop", "kInput") and all(self._is_elementwise(instruction, n) for n in numbers)

    def _is_elementwise(self, fusion: Instruction, number: int) -> bool:
        """Whether a fusion makes each element of the element of an operand at the same place."""
        inside = self._module.computation(fusion.called[0])
        names = {each.name for each in inside.parameters if each.parameter_number == number}
        for each in inside.instructions:
            if any(operand.name in names for operand in each.operands):
                if each.opcode not in ELEMENTWISE and each.opcode != "tuple":
                    return False
                names.add(each.name)
        return True

    def _instruction(self, value: Value) -> Instruction:
        return self._module.computation(value.computation).instruction(value.instruction)

    def _following(self, value: Value) -> Iterator[tuple[Instruction, Result]]:
        """Yield the instructions whose results lie in the memory of a value, each with that result."""
        todo, seen = [value], {value}
        instructions = self._module.computation(value.computation).instructions
        while todo:
            value = todo.pop()
            for instruction in instructions:
                for result in self._in_memory_of(value, instruction):
                    yield instruction, result
                    following = Value(value.computation, instruction.name, result.shape_index)
                    if following not in seen:
                        seen.add(following)
                        todo.append(following)

    def _in_memory_of(self, value: Value, instruction: Instruction) -> list[Result]:
        if all(operand.name != value.instruction for operand in instruction.operands):
            return []
        return [
            result
            for result in results(instruction, self._called)
            for number, index in result.of
            if instruction.operands[number].name == value.instruction and index == value.shape_index
        ]

    def _writes(self, instruction: Instruction, result: Result) -> bool:
        if instruction.opcode != "while":
            return result.is_written
        body = self._called.get(callee(instruction, "body") or "")
        return body is not None and not body.hands_on(result.shape_index)


def _is_same(shape: XlaShape, other: XlaShape) -> bool:
    """Whether two shapes are the same but for their memory spaces."""
    return remade(shape, memory_space=0) == remade(other, memory_space=0)
