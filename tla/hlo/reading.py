# SPDX-License-Identifier: Apache-2.0
"""The readers of HLO text: of a whole module, one instruction, or a stream of instructions.

>>> module = read_module("HloModule m ENTRY e { x = f32[2] parameter(0) y = f32[2] negate(x) }")
>>> print(module.entry.root)
ROOT %y = f32[2]{0} negate(%x)

A text without the line ``HloModule`` is a fragment: some instructions, or computations, of a module.
There an operand may be unknown. An unknown operand with a shape becomes a parameter, as in XLA.

>>> print(read_module("add.936 = f32[2] add(exp.183, f32[2] broadcast.3)").entry.parameters)
(Instruction('%broadcast.3 = f32[2]{0} parameter(0)'),)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import read_typed
from .body import Body
from .grammar import Grammar
from .instruction import Computation, Instruction
from .module import Module
from .source import Source
from .stream import ComputationHead, ModuleError, ModuleStream

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def read_module(text: str, opcodes: Collection[str] = ()) -> Module:
    """Return the module of a text. Its ``str`` reads back to an equal value.

    >>> module = read_module('''HloModule m, is_scheduled=true
    ... ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> module.name, module.entry.root.opcode, [operand.name for operand in module.entry.root.operands]
    ('m', 'copy', ['p'])

    Its instructions have the computations that they call, if these stand before them. In a whole module
    all do.

    Args:
        opcodes: The opcodes to accept besides `OPCODES`, for the text of a newer XLA.

    Raises:
        ModuleError: the text breaks off or breaks a rule. The error points at the character, and has the
            module up to there.
    """
    return read_typed(_module, text, opcodes, times="x")


def _module(text: str, opcodes: Collection[str]) -> Module:
    stream = ModuleStream(text, (), opcodes)
    computations: list[Computation] = []
    by_name: dict[str, Computation] = {}
    open_: list[tuple[ComputationHead, list[Instruction]]] = []
    try:
        for event in stream.events():
            if isinstance(event, Instruction):
                open_[-1][1].append(_with_computations(event, by_name))
            elif isinstance(event, ComputationHead):
                open_.append((event, []))
            else:
                computations.append(_computation(*open_.pop(), event.execution_thread))
                by_name[computations[-1].name] = computations[-1]
    except ModuleError as error:
        computations += [_computation(head, body) for head, body in open_ if body]
        error.module = _with(stream.header, computations)
        raise
    if not any(computation.is_entry for computation in computations):
        last = computations[-1]  # XLA takes the last one
        computations[-1] = Computation(
            last.name, last.instructions, True, last.execution_thread, last.line
        )
    return _with(stream.header, computations)


def _with_computations(instruction: Instruction, by_name: Mapping[str, Computation]) -> Instruction:
    """The instruction with the computations that it calls, if all of these are known."""
    names = instruction.called
    if not names or not by_name.keys() >= set(names):
        return instruction
    return instruction.calling([by_name[name] for name in names])


def _computation(
    head: ComputationHead, body: list[Instruction], execution_thread: str = ""
) -> Computation:
    return Computation(head.name, body, head.is_entry, execution_thread, head.line)


def _with(header: Module, computations: list[Computation]) -> Module:
    return Module(
        header.name,
        header.attributes,
        header.tables,
        computations,
        header.entry_computation_layout,
        header.input_output_alias,
    )


def read_instruction(text: str, opcodes: Collection[str] = ()) -> Instruction:
    """Return the instruction of a line; its operands may be unknown, with a shape or without.

    >>> line = read_instruction("add.936 = bf16[8]{0:T(128)} add(exponential.183, broadcast.3115)")
    >>> line.name, line.opcode, [operand.name for operand in line.operands]
    ('add.936', 'add', ['exponential.183', 'broadcast.3115'])

    If other instructions are nested in its operands, it is the outer one; `read_module` has all.

    Raises:
        ParseError: the text is no instruction, or has more than one.
    """
    return read_typed(_instruction, text, opcodes, times="x")


def _instruction(text: str, opcodes: Collection[str]) -> Instruction:
    source = Source(text)
    grammar = Grammar(source, opcodes)
    statements, end = grammar.instruction(grammar.blank(0), nameless=True)
    if end < len(text):
        grammar.fail("the end of the instruction", end)
    *_, outer = Body(source, {}, is_fragment=True).instructions(statements)
    return outer


def read_stream(pieces: Iterable[str], opcodes: Collection[str] = ()) -> ModuleStream:
    """Return the stream of a module: its header, and its instructions one by one, from pieces of text.

    >>> text = "HloModule m\\nENTRY e {\\n  x = f32[2] parameter(0)\\n  y = f32[2] negate(x)\\n}\\n"
    >>> [(head.name, each.name) for head, each in read_stream(text.splitlines(keepends=True))]
    [('e', 'x'), ('e', 'y')]

    Memory holds a piece or the longest line, the distinct shapes, the names of all computations, and the
    names of the instructions of one computation, with about 120 bytes for each.

    Args:
        pieces: The text in order, cut anywhere: an open file, or chunks of one.
        opcodes: The same as for `read_module`.

    Raises:
        ModuleError: the same as for `read_module`. An error in the header is raised at once, others
            during the iteration.
    """
    return ModuleStream("", pieces, opcodes)
