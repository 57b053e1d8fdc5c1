"""HLO values as the text that XLA prints of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..xla_bridge.arguments import numbered
from .frames import TABLES
from .lexing import escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..xla_bridge.shape import AnyShape
    from .frames import FileLocation, StackFrame
    from .instruction import Instruction
    from .module import Computation, Module

__all__ = ["bare_shape", "print_computation", "print_instruction", "print_module"]

_LAYOUT = re.compile(r"\{[^{}]*\}")


def bare_shape(shape: AnyShape | str) -> str:
    """Return a shape's text without its layouts, as signatures have it.

    >>> from ..xla_bridge import parse_shape
    >>> bare_shape(parse_shape("(f32[2,3]{0,1:T(2,2)}, token[])"))
    '(f32[2,3], token[])'
    """
    return _LAYOUT.sub("", str(shape))


def print_instruction(instruction: Instruction) -> str:
    """Return an instruction in one line, as XLA prints it."""
    if instruction.literal is not None:
        inside = instruction.literal
    elif instruction.parameter_number is not None:
        inside = str(instruction.parameter_number)
    else:
        inside = numbered(f"%{operand.name}" for operand in instruction.operands)
    root = "ROOT " if instruction.is_root else ""
    attributes = "".join(f", {name}={text}" for name, text in instruction.attributes.items())
    return f"{root}%{instruction.name} = {instruction.shape} {instruction.opcode}({inside}){attributes}"


def print_computation(computation: Computation) -> str:
    """Return a computation with its signature, an instruction a line."""
    entry = "ENTRY " if computation.is_entry else ""
    formals = ", ".join(f"{p.name}: {bare_shape(p.shape)}" for p in computation.parameters)
    result = bare_shape(computation.root.shape)
    thread = computation.execution_thread
    thread = f", execution_thread={escaped(thread)}" if thread else ""
    body = "".join(f"  {print_instruction(each)}\n" for each in computation.instructions)
    return f"{entry}%{computation.name} ({formals}) -> {result} {{\n{body}}}{thread}"


def print_module(module: Module) -> str:
    """Return a module's whole text, which reads back to an equal value; a fragment has no header."""
    attributes = "".join(f", {name}={text}" for name, text in module.attributes.items())
    rows_of: tuple[Mapping[int, str | FileLocation | StackFrame], ...] = module.tables
    texts: list[str] = []
    for name, rows in zip(TABLES, rows_of, strict=True):
        lines = "".join(f"{number} {_row(row)}\n" for number, row in rows.items())
        texts.append(f"{name}\n{lines}\n")
    tables = "".join(texts) + "\n" if any(module.tables) else ""
    computations = "".join(f"{print_computation(each)}\n\n" for each in module.computations)
    header = f"HloModule {module.name}{attributes}\n\n" if module.name else ""
    return f"{header}{tables}{computations}"


def _row(row: str | FileLocation | StackFrame) -> str:
    if isinstance(row, str):
        return escaped(row)
    fields = " ".join(f"{name}={n}" for name, n in zip(row._fields, row, strict=True))
    return f"{{{fields}}}"
