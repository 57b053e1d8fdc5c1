# SPDX-License-Identifier: Apache-2.0
"""Asynchronous ops: the part that starts one, the part that ends it, and updates between them.

The part that starts an op makes a tuple of its operands, its results and contexts of its run; the part
that ends it takes the results out. A short form, such as ``slice-start``, wraps the op at the start of
its name; the long form wraps a computation. A context reads no element.

===========================================  ===================================  ================
started by                                   makes                                the result is
===========================================  ===================================  ================
``async-start``, ``slice-start`` and others  ``((operands), result, contexts)``   element 1
``all-gather-start``,                        ``(operand, result, contexts)``      element 1
``collective-permute-start``
``copy-start``                               ``(copy, operand, context)``         element 0
``all-reduce-start``                         ``result``                           all there is
===========================================  ===================================  ================

Source: XLA ``hlo_instructions.h``, ``shape_inference.cc``, ``hlo_verifier.cc``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...hlo import OPCODES, Instruction, wrapped_opcode
from ...xla_bridge import XlaTuple
from .calls import called_maps, computation_of, operand_names
from .passing import from_input, from_same
from .rules import maps_of, rule

if TYPE_CHECKING:
    from ...xla_bridge import AnyShape
    from .op import Op
    from .rules import Maps

_COPY: Final = "copy-start"


def _below(op: Op, index: int, output: int) -> int | None:
    """The number of an output among the arrays of one element of the result; None if it is elsewhere."""
    found = [i for i, leaf in enumerate(op.outputs) if leaf.path[:1] == (index,)]
    return found.index(output) if output in found else None


def _start(op: Op, output: int) -> Maps:
    """The part that starts an op: the operands, the results, contexts."""
    opcode, shape = op.opcode, op.instruction.shape
    result, operands = (0, 1) if opcode == _COPY else (1, 0)
    if opcode == "all-reduce-start":  # its results are not put beside its operands
        return _maps_of_wrapped(op, shape, output)
    if not isinstance(shape, XlaTuple):
        op.fail(f"its result {shape} is no tuple")
    operand = _below(op, operands, output)
    if operand is not None:
        return from_input(op, output, operand)
    number = _below(op, result, output)
    if number is None:
        return [[] for _ in op.inputs]  # a context of the run, which holds no data
    return _maps_of_wrapped(op, shape.elements[result], number)


def _maps_of_wrapped(op: Op, shape: AnyShape, output: int) -> Maps:
    """The maps of the op that an asynchronous one wraps."""
    it = op.instruction
    if op.opcode == "async-start":
        return called_maps(op, computation_of(op), operand_names(op), output)
    opcode = op.opcode.removesuffix("-start")
    inner = Instruction(it.name, shape, opcode, it.operands, it.attributes, computations=it.computations)
    return maps_of(op.of(inner), output)


def _finish(op: Op, output: int) -> Maps:
    """The part that ends an op: it takes the results out of the tuple."""
    if op.opcode == "all-reduce-done":
        return from_same(op, output)
    result = 0 if op.opcode == "copy-done" else 1
    numbers = [i for i, leaf in enumerate(op.inputs) if leaf.path[:1] == (result,)]
    if output >= len(numbers):
        op.fail(f"its operand has no result number {output}")
    return from_input(op, output, numbers[output])


COLLECTIVES: Final = ("all-gather", "all-reduce", "collective-permute")
"""Collectives with parts that have opcodes of their own."""


def _opcodes(suffix: str) -> list[str]:
    """The opcodes of a part: the short form of each op, and those of the collectives."""
    short = [f"{each}{suffix}" for each in OPCODES if wrapped_opcode(f"{each}{suffix}")]
    return list(dict.fromkeys([*short, *(f"{each}{suffix}" for each in COLLECTIVES)]))


rule("async-start", _COPY, *_opcodes("-start"))(_start)
rule("async-update", *(each for each in _opcodes("-update") if wrapped_opcode(each)))(from_same)
rule("async-done", "copy-done", *_opcodes("-done"))(_finish)
