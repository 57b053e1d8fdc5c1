# SPDX-License-Identifier: Apache-2.0
"""An HLO module as a value: its header, the tables of its sources, its computations of instructions.

Equality ignores the places in the text.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from .frames import TABLES, SourceLine, SourceTables
from .instruction import Value
from .lexing import escaped
from .naming import NoSuchNameError, value_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..xla_bridge import AnyShape
    from .frames import FileLocation, StackFrame
    from .instruction import Computation, Instruction


class EntryLayout(NamedTuple):
    """The shapes of the entry computation with the layouts that its caller sees.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
    ... ENTRY e {
    ...   ROOT p = f32[2,3] parameter(0)
    ... }''')
    >>> layout = module.entry_computation_layout
    >>> [str(shape) for shape in layout.parameters], str(layout.result)
    (['f32[2,3]{0,1}'], 'f32[2,3]{1,0}')
    """

    parameters: tuple[AnyShape, ...]
    result: AnyShape


class Alias(NamedTuple):
    """A part of the result that shares the buffer of a part of a parameter.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, input_output_alias={ {1}: (0, {}, must-alias) }
    ... ENTRY e {
    ...   p = f32[4] parameter(0)
    ...   n = f32[4] negate(p)
    ...   ROOT t = (f32[4], f32[4]) tuple(n, p)
    ... }''')
    >>> module.input_output_alias[0]
    Alias(output_index=(1,), parameter_number=0, parameter_index=(), kind='must-alias')

    Indices lead through tuples, from the outside in; ``kind`` is ``may-alias`` or ``must-alias``.
    """

    output_index: tuple[int, ...]
    parameter_number: int
    parameter_index: tuple[int, ...]
    kind: str


class Module(Value):
    """A module: its header, the tables of its sources, its computations.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, input_output_alias={ {}: (0, {}, may-alias) },
    ...   entry_computation_layout={(f32[4]{0})->f32[4]{0}}
    ... ENTRY e {
    ...   p = f32[4] parameter(0)
    ...   ROOT n = f32[4] negate(p)
    ... }''')
    >>> module.name, len(module.computations), module.entry.name
    ('m', 1, 'e')
    >>> module.input_output_alias
    (Alias(output_index=(), parameter_number=0, parameter_index=(), kind='may-alias'),)
    >>> type(module.entry_computation_layout).__name__, str(module.entry_computation_layout.result)
    ('EntryLayout', 'f32[4]{0}')

    Args:
        name: Its name; "" for a fragment, a text without a header.
        attributes: The texts of the header's attributes by their names.
        computations: The computations in the order of the text, each after those it calls.
        entry_computation_layout: The shapes that its caller sees; None if the header has none.
        input_output_alias: The parts of the result that share buffers of parameters.
    """

    __slots__ = (
        "_by_name",
        "attributes",
        "computations",
        "entry_computation_layout",
        "input_output_alias",
        "name",
        "tables",
    )

    name: str
    attributes: Mapping[str, str]
    tables: SourceTables
    computations: tuple[Computation, ...]
    entry_computation_layout: EntryLayout | None
    input_output_alias: tuple[Alias, ...]
    _by_name: dict[str, Computation]

    def __init__(
        self,
        name: str,
        attributes: Mapping[str, str] = MappingProxyType({}),
        tables: SourceTables | None = None,
        computations: Iterable[Computation] = (),
        entry_computation_layout: EntryLayout | None = None,
        input_output_alias: Iterable[Alias] = (),
    ) -> None:
        all_ = tuple(computations)
        set_ = object.__setattr__
        set_(self, "name", name)
        set_(self, "attributes", MappingProxyType(dict(attributes)))
        set_(self, "tables", SourceTables() if tables is None else tables.frozen())
        set_(self, "computations", all_)
        set_(self, "entry_computation_layout", entry_computation_layout)
        set_(self, "input_output_alias", tuple(input_output_alias))
        set_(self, "_by_name", {each.name: each for each in all_})

    def _key(self) -> tuple[object, ...]:
        tables = tuple(tuple(table.items()) for table in self.tables)
        return self.name, tuple(self.attributes.items()), tables, self.computations

    def __reduce__(self) -> tuple[object, ...]:
        return Module, (
            self.name,
            dict(self.attributes),
            self.tables.to_dicts(),
            self.computations,
            self.entry_computation_layout,
            self.input_output_alias,
        )

    @property
    def entry(self) -> Computation:
        """The computation that the module runs.

        Raises:
            NoSuchNameError: there is none, because the text of the module breaks off.
        """
        for computation in self.computations:
            if computation.is_entry:
                return computation
        raise NoSuchNameError(f"module {self.name} has no entry computation")

    def computation(self, name: str) -> Computation:
        """Return the computation of a name, with its ``%`` or without.

        Raises:
            NoSuchNameError: no computation has the name; the error lists ``near`` names.
        """
        return value_named(self._by_name, name, "computation", f"module {self.name}")

    @property
    def is_scheduled(self) -> bool:
        """Whether the instructions run in their order in the text."""
        return self.attributes.get("is_scheduled") == "true"

    @property
    def file_names(self) -> Mapping[int, str]:
        return self.tables.file_names

    @property
    def function_names(self) -> Mapping[int, str]:
        return self.tables.function_names

    @property
    def file_locations(self) -> Mapping[int, FileLocation]:
        return self.tables.file_locations

    @property
    def stack_frames(self) -> Mapping[int, StackFrame]:
        return self.tables.stack_frames

    def source(self, instruction: Instruction) -> tuple[SourceLine, ...]:
        """Return the lines of the program that made an instruction, the innermost first.

        They come from the stack frame in its metadata, or else from ``source_file`` and ``source_line``.
        """
        metadata = instruction.metadata
        frame = metadata.get("stack_frame_id")
        lines = self.tables.trace(frame) if isinstance(frame, int) else ()
        if lines or "source_file" not in metadata:
            return lines
        line = metadata.get("source_line", 0)
        number = line if isinstance(line, int) else 0
        return (SourceLine("", str(metadata["source_file"]), number),)

    def __str__(self) -> str:
        """The whole text, which `read_module` reads back to an equal value; a fragment has no header."""
        attributes = "".join(f", {name}={text}" for name, text in self.attributes.items())
        rows_of: tuple[Mapping[int, str | FileLocation | StackFrame], ...] = self.tables
        texts: list[str] = []
        for name, rows in zip(TABLES, rows_of, strict=True):
            lines = "".join(f"{number} {_row(row)}\n" for number, row in rows.items())
            texts.append(f"{name}\n{lines}\n")
        tables = "".join(texts) + "\n" if any(self.tables) else ""
        computations = "".join(f"{each}\n\n" for each in self.computations)
        header = f"HloModule {self.name}{attributes}\n\n" if self.name else ""
        return f"{header}{tables}{computations}"

    def __repr__(self) -> str:
        return f"<Module {self.name} of {len(self.computations)} computations>"


def _row(row: str | FileLocation | StackFrame) -> str:
    if isinstance(row, str):
        return escaped(row)
    fields = " ".join(f"{name}={n}" for name, n in zip(row._fields, row, strict=True))
    return f"{{{fields}}}"
