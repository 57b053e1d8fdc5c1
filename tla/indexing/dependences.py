# SPDX-License-Identifier: Apache-2.0
"""The dependences of an instruction: the maps from its outputs to its operands, and back.

>>> from tla.hlo import read_instruction
>>> ((m,),) = output_to_input(read_instruction("%n = f32[2,3] negate(f32[2,3] %x)"))
>>> print(m)
(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import CoordinateError
from .fusion import op_of
from .invert import inverse
from .ops import maps_of, of_one_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..hlo import Instruction
    from .maps import IndexingMap
    from .ops import Devices, Op


def output_to_input(
    instruction: Instruction, output: int = 0, *, devices: Devices = None
) -> list[list[IndexingMap]]:
    """Return for each operand the maps from an output's elements to the elements read for them.

    >>> from tla.hlo import read_instruction
    >>> line = read_instruction("out = f32[4] reduce(f32[2,4] x, f32[] init), dimensions={0}")
    >>> for maps in output_to_input(line):
    ...     print(*maps)
    (d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 1]
    (d0) -> (), domain: d0 in [0, 3]

    An element of the output depends on exactly the elements that the maps reach. An operand has several
    maps, each with its own domain, if one map cannot express the access. An unread operand has none.

    Args:
        output: The number of an array of the result, counted from 0 through all of a tuple's elements.
        devices: The number of devices, if the instruction leaves it open; or the numbers of replicas and
            of partitions of each.

    A tuple among the operands counts as its elements: ``Op(instruction).inputs`` lists the arrays of the
    maps.

    Raises:
        UnsupportedError: the instruction has no exact map; the error says why.
        MalformedError: the instruction contradicts itself; an error of the kind above.
        CoordinateError: the instruction has no such output.
    """
    op = op_of(instruction, devices)
    _check(op, "output", output, len(op.outputs))
    return maps_of(op, output)


def input_to_output(
    instruction: Instruction, operand: int = 0, *, devices: Devices = None
) -> list[list[IndexingMap]]:
    """Return for each output the maps from an operand's elements to the elements that depend on them.

    They are the exact inverses of `output_to_input`; an output that does not depend on the operand has
    none.

    >>> from tla.hlo import read_instruction
    >>> ((m,),) = input_to_output(read_instruction("%b = f32[2,3] broadcast(f32[] %x), dimensions={}"))
    >>> print(m)
    ()[s0, s1] -> (s0, s1), domain: s0 in [0, 1], s1 in [0, 2]

    Args:
        operand: The number of an array of the operands, counted from 0 through all of a tuple's
            elements.
        devices: The same as for `output_to_input`.

    Raises:
        UnsupportedError: the instruction has no exact map; the error says why.
        MalformedError: the instruction contradicts itself; an error of the kind above.
        CoordinateError: the instruction has no such operand.
    """
    op = op_of(instruction, devices)
    _check(op, "operand", operand, len(op.inputs))
    return [[inverse(m) for m in maps_of(op, i)[operand]] for i in range(len(op.outputs))]


def accesses_of(
    instruction: Instruction, *, devices: Devices = None
) -> Iterator[tuple[int, int, list[IndexingMap]]]:
    """Yield each output and operand with the maps of `output_to_input` between them.

    Of several outputs only the operands that are read: a tuple has as many outputs as operands.
    """
    op = op_of(instruction, devices)
    outputs = range(len(op.outputs))
    for output in outputs:
        one = of_one_input(op, output) if len(outputs) > 1 else None
        for operand, maps in enumerate(maps_of(op, output)) if one is None else [one]:
            if maps or len(outputs) == 1:
                yield output, operand, maps


def _check(op: Op, what: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        raise CoordinateError(
            f"instruction {op.instruction.name} has no {what} {number}",
            f"It has {count}.",
            number=number,
        )
