# SPDX-License-Identifier: Apache-2.0
"""The text of a module from its protocol buffer: what XLA prints of it, for the reader of texts.

What a later XLA added and the table of fields lacks is listed in an attribute ``unknown_fields``.

Source: hlo_module.cc, hlo_instruction.cc and hlo_computation.cc; held against jaxlib's ``to_string``.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from ..errors import UnsupportedError
from ..xla_bridge import numbered
from .lexing import escaped
from .literals import ELEMENT_TYPES, literal_text
from .proto_attributes import PRINTED, SHOWN, TEXTS, accuracy_text, origin_text, statistics_text
from .proto_pieces import (
    OTHERWISE,
    braces,
    frontend_text,
    metadata_text,
    named,
    raw_text,
    shape_text,
    sharding_text,
)
from .schema import ProtoError, unknown_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .schema import Message

_APPLYING: Final = (
    *("call", "map", "reduce", "reduce-window", "scatter", "sort", "topk", "scan"),
    *("all-reduce", "all-reduce-start", "reduce-scatter"),
)
_ASYNC: Final = {"async-start": "-start", "async-update": "-update", "async-done": "-done"}


class ModulePrinter:
    """The text of a module, piece by piece.

    Args:
        module: An ``HloModuleProto``.
    """

    def __init__(self, module: Message) -> None:
        self._module = module
        self._computations = {each.id: each for each in module.computations}
        self._entry = module.entry_computation_id
        if self._entry not in self._computations:  # an older XLA wrote the name alone
            ids = {each.name: each.id for each in module.computations}
            self._entry = ids.get(module.entry_computation_name)
        self._orders = {each.key: each.value.instruction_ids for each in module.schedule.sequences}
        self._lines = {line.id: line for each in module.computations for line in each.instructions}
        self._called: dict[int, int] = {}  # the computation of each asynchronous instruction
        for line in self._lines.values():
            if line.opcode in _ASYNC:
                before = [self._called.get(i, 0) for i in line.operand_ids[:1]]
                self._called[line.id] = next(iter(line.called_computation_ids or before), 0)
        self._wrapped = {
            number: root
            for number in set(self._called.values())
            if (root := self._only_instruction(number)) is not None
        }

    def _only_instruction(self, number: int) -> Message | None:
        """The instruction of a computation that has, besides it, only parameters."""
        computation = self._computations.get(number)
        if computation is None:
            return None
        *others, root = sorted(computation.instructions, key=lambda line: line.id == computation.root_id)
        return root if all(line.opcode == "parameter" for line in others) else None

    def pieces(self) -> Iterator[str]:
        """Yield the header, then each computation."""
        module = self._module
        attributes = "".join(f", {name}={text}" for name, text in self._header() if text)
        yield f"HloModule {module.name}{attributes}\n\n{''.join(_tables(module.stack_frame_index))}"
        for computation in self._in_order():
            if computation.id not in self._wrapped:
                yield self._computation(computation)

    def _in_order(self) -> Iterator[Message]:
        """The computations, each after those it calls, in the order in which instructions were made."""
        called = {
            each.id: [
                number
                for line in sorted(each.instructions, key=attrgetter("id"))
                for number in line.called_computation_ids
                if number in self._computations
            ]
            for each in self._module.computations
        }
        inner = {number for numbers in called.values() for number in numbers}
        open_ = [(number, iter(called[number])) for number in reversed(called) if number not in inner]
        seen = {number for number, _ in open_}
        while open_:
            number, rest = open_[-1]
            next_ = next((each for each in rest if each not in seen), None)
            if next_ is None:
                open_.pop()
                yield self._computations[number]
            else:
                seen.add(next_)
                open_.append((next_, iter(called[next_])))

    def _header(self) -> Iterator[tuple[str, str]]:
        module = self._module
        yield "is_scheduled", "true" if module.HasField("schedule") else ""
        kinds = ("may-alias", "may-alias", "must-alias")
        yield (
            "input_output_alias",
            _spaced(
                f"{braces(e.output_shape_index)}: ({e.parameter_number},"
                f" {braces(e.parameter_shape_index)}, {named(kinds, e.kind, 'alias')})"
                for e in module.input_output_alias.entries
            ),
        )
        yield (
            "buffer_donor",
            _spaced(
                f"({e.parameter_number}, {braces(e.parameter_shape_index)})"
                for e in module.buffer_donor.entries
            ),
        )
        if module.HasField("host_program_shape"):
            shape = module.host_program_shape
            formals = numbered(map(shape_text, shape.parameters))
            yield "entry_computation_layout", f"{{({formals})->{shape_text(shape.result)}}}"
        yield "frontend_attributes", frontend_text(module.frontend_attributes)
        unknown = [
            each for each in unknown_fields(module, deep=False) if not each.startswith("computations")
        ]
        yield "unknown_fields", braces(dict.fromkeys(unknown)) if unknown else ""

    def _computation(self, computation: Message) -> str:
        entry = "ENTRY " if computation.id == self._entry else ""
        thread = computation.execution_thread
        last = "" if thread in ("", "main") else f", execution_thread={escaped(thread)}"
        order = self._orders.get(computation.id)
        lines = computation.instructions
        if order:
            lines = [self._line(number, computation.name) for number in order]
        texts = (self._instruction(line, line.id == computation.root_id) for line in lines)
        return f"{entry}%{computation.name} {{\n{''.join(texts)}}}{last}\n\n"

    def _line(self, number: int, where: str) -> Message:
        line = self._lines.get(number)
        if line is None:
            raise ProtoError(f"{where} names an instruction {number}, which the module lacks")
        return line

    def _instruction(self, line: Message, is_root: bool) -> str:
        root = "ROOT " if is_root else ""
        opcode = line.opcode
        if opcode in _ASYNC and self._called[line.id] in self._wrapped:
            opcode = self._wrapped[self._called[line.id]].opcode + _ASYNC[opcode]
        inside = ", ".join(f"%{self._line(i, line.name).name}" for i in line.operand_ids)
        if opcode == "parameter":
            inside = str(line.parameter_number)
        elif opcode == "constant":
            inside = literal_text(line.literal) if line.HasField("literal") else "{...}"
        attributes = [*self._own(line), *self._common(line)]
        texts = "".join(f", {name}={text}" for name, text in attributes if text)
        return f"  {root}%{line.name} = {shape_text(line.shape)} {opcode}({inside}){texts}\n"

    def _own(self, line: Message) -> Iterator[tuple[str, str]]:
        """The attributes of its opcode, and the computations that it calls."""
        for name in PRINTED.get(line.opcode, ()):
            yield SHOWN.get(name, name), TEXTS[name](line)
        if line.opcode == "compare":
            yield "type", self._comparison(line)
        if line.HasField("result_accuracy"):
            yield "result_accuracy", accuracy_text(line)
        if line.opcode not in _ASYNC:
            yield from self._calls(line)
        elif line.opcode == "async-start":
            thread = line.async_execution_thread
            yield "async_execution_thread", "" if thread in ("", "main") else escaped(thread)
            wrapped = self._wrapped.get(self._called[line.id])
            yield from self._calls(line) if wrapped is None else self._own(wrapped)

    def _comparison(self, line: Message) -> str:
        """The type of a comparison, if it is not the usual one of its operands' type."""
        number: int = self._line(line.operand_ids[0], line.name).shape.element_type
        type_ = ELEMENT_TYPES[number]
        usual = {"s": "SIGNED", "u": "UNSIGNED", "p": "UNSIGNED"}.get(type_[0], "FLOAT")
        return line.comparison_type if line.comparison_type != usual else ""

    def _calls(self, line: Message) -> Iterator[tuple[str, str]]:
        names = [f"%{self._name(i, line.name)}" for i in line.called_computation_ids]
        if not names:
            return
        opcode = line.opcode
        if opcode == "while":
            yield from zip(("condition", "body"), reversed(names), strict=True)
        elif opcode == "select-and-scatter":
            yield from zip(("select", "scatter"), names, strict=True)
        elif opcode == "conditional":
            first = self._line(line.operand_ids[0], line.name).shape
            if ELEMENT_TYPES[first.element_type] == "pred":
                yield from zip(("true_computation", "false_computation"), names, strict=True)
            else:
                yield "branch_computations", f"{{{', '.join(names)}}}"
        elif opcode == "custom-call":
            yield "called_computations", f"{{{', '.join(names)}}}"
        else:
            yield "to_apply" if opcode in _APPLYING else "calls", ", ".join(names)
            yield "is_composite", "true" if line.is_composite else ""

    def _name(self, number: int, where: str) -> str:
        computation = self._computations.get(number)
        if computation is None:
            raise ProtoError(f"{where} calls a computation {number}, which the module lacks")
        return str(computation.name)

    def _common(self, line: Message) -> Iterator[tuple[str, str]]:
        """The attributes that any instruction may have."""
        yield "sharding", sharding_text(line.sharding) if line.HasField("sharding") else ""
        yield "frontend_attributes", frontend_text(line.frontend_attributes)
        before = [f"%{self._line(i, line.name).name}" for i in line.control_predecessor_ids]
        yield "control-predecessors", f"{{{', '.join(before)}}}" if before else ""
        yield "statistics", statistics_text(line.statistics_viz)
        yield "origin", origin_text(line)
        unknown = list(unknown_fields(line))
        if shapes := [each for each in unknown if "shape" in each]:
            summary = f"the shape of {line.name} has fields of a newer XLA: {', '.join(shapes)}"
            raise UnsupportedError(summary, OTHERWISE)
        yield "unknown_fields", braces(dict.fromkeys(unknown)) if unknown else ""
        yield "metadata", metadata_text(line.metadata)
        config = line.backend_config or self._payload(line.backend_config_payload)
        yield "backend_config", raw_text(config) if config else ""

    def _payload(self, payload: Message) -> bytes:
        """The bytes of a payload, which may lie in the table of the module."""
        number: int = payload.id
        table: list[bytes] = list(self._module.payloads)
        found: bytes = payload.value
        return table[number - 1] if not found and 0 < number <= len(table) else found


def _spaced(texts: Iterable[str]) -> str:
    inside = ", ".join(texts)
    return f"{{ {inside} }}" if inside else ""


def _tables(index: Message) -> Iterator[str]:
    """The tables of the sources, as the text has them."""
    rows: dict[str, Iterable[str]] = {
        "FileNames": map(escaped, index.file_names),
        "FunctionNames": map(escaped, index.function_names),
        "FileLocations": (
            f"{{file_name_id={at.file_name_id} function_name_id={at.function_name_id} line={at.line}"
            f" end_line={at.end_line} column={at.column} end_column={at.end_column}}}"
            for at in index.file_locations
        ),
        "StackFrames": (
            f"{{file_location_id={at.file_location_id} parent_frame_id={at.parent_frame_id + 1}}}"
            for at in index.stack_frames
        ),
    }
    if not index.file_names:
        return
    for name, texts in rows.items():
        lines = (f"{i} {text}" for i, text in enumerate(texts, 1))
        yield "\n".join((name, *lines, "", ""))
    yield "\n"
