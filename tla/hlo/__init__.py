"""HLO modules: computations, instructions, attributes, read from text and printed as XLA prints them."""

from .frames import FileLocation, SourceLine, SourceTables, StackFrame
from .instruction import Computation, Instruction, Json, Operand
from .module import Alias, EntryLayout, Module
from .naming import NoSuchNameError
from .opcodes import OPCODES, is_opcode, wrapped_opcode
from .reading import read_instruction, read_module, read_stream
from .stream import ComputationEnd, ComputationHead, Event, ModuleError, ModuleStream

__all__ = [
    "OPCODES",
    "Alias",
    "Computation",
    "ComputationEnd",
    "ComputationHead",
    "EntryLayout",
    "Event",
    "FileLocation",
    "Instruction",
    "Json",
    "Module",
    "ModuleError",
    "ModuleStream",
    "NoSuchNameError",
    "Operand",
    "SourceLine",
    "SourceTables",
    "StackFrame",
    "is_opcode",
    "read_instruction",
    "read_module",
    "read_stream",
    "wrapped_opcode",
]
