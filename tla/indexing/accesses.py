"""What an instruction reads: the maps from its outputs to its operands, and back.

>>> from tla.hlo import read_instruction
>>> ((m,),) = output_to_input(read_instruction("%n = f32[2,3] negate(f32[2,3] %x)"))
>>> print(m)
(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import CoordinateError
from .ops import RULES, Op

if TYPE_CHECKING:
    from ..hlo import Instruction
    from .maps import IndexingMap

__all__ = ["output_to_input"]


def output_to_input(
    instruction: Instruction, output: int = 0, *, devices: int | None = None
) -> list[list[IndexingMap]]:
    """Return for each operand the maps from an output's elements to those that are read for them.

    An element of the output depends on just the elements that one of the maps reaches; maps of one
    operand are told apart by their domains where one cannot say it all. An operand that is not read has
    none.

    Args:
        output: Which array of the result, counted from 0 through all of a tuple's elements.
        devices: How many replicas, or devices, run the program, where the instruction leaves it open.

    A tuple among the operands counts as its elements: ``Op(instruction).inputs`` lists what the maps
    lead to.

    Raises:
        UnsupportedError: the instruction has no exact map; the error says why.
        CoordinateError: it has no such output.
    """
    op = Op(instruction, devices)
    rule = RULES.get(instruction.opcode)
    if rule is None:
        op.refuse("what it reads is not described")
    count = len(op.outputs)
    if not 0 <= output < count:
        raise CoordinateError(
            f"instruction {instruction.name} has no output {output}", f"It has {count}.", output=output
        )
    return rule(op, output)
