# SPDX-License-Identifier: Apache-2.0
"""A module instruction by instruction: its header, its computations, and the place of an error.

A text without the line ``HloModule`` is a fragment, as people paste it. It may have instructions outside
of a computation, undefined operands, and calls of computations that it does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias, Union

from ..errors import ParseError
from ..ground import limit_of, way_out
from .body import Body
from .frames import TABLES, SourceTables
from .grammar import Closing, Grammar, Signature, Statement
from .header import Header, header, table
from .instruction import Instruction, names_in
from .lexing import UnclosedError
from .module import Module
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from .inference import Program


_NAMELESS = "_"
"""XLA's name of a computation without one."""


class ModuleError(ParseError):
    """A text is not HLO from some character on; the error has the module up to there.

    Attributes:
        module: The module up to the error; its last computation may be cut. A stream has only the
            header.
        computations, instructions: The numbers of computations and instructions up to the error.
        is_cut: Whether the text ends before the module does.
    """

    is_cut: bool
    module: Module
    computations: int
    instructions: int
    first_line: int

    def __init__(
        self, error: ParseError, first_line: int, module: Module, computations: int, instructions: int
    ) -> None:
        super().__init__(error.summary, error.text, error.start, error.end, *error.details)
        # a last word may be wrong, or cut
        is_word = error.text[error.start : error.start + 1].isalnum()
        self.is_cut = isinstance(error, UnclosedError) and not is_word
        self.first_line = first_line
        self.module = module
        self.computations = computations
        self.instructions = instructions

    @property
    def line(self) -> int:
        return super().line + self.first_line - 1

    def __reduce__(self) -> tuple[object, ...]:
        plain = self._plain(self.summary, *self.details)
        facts = (self.first_line, self.module, self.computations, self.instructions)
        return type(self), (plain, *facts)

    def of_file(self, path: str) -> ModuleError:
        """Return the error with the name of the file before its text."""
        end = self.end_of(path)
        details = [self.summary, *self.details] if end else self.details
        error = self._plain(end or f"{path}: {self.summary}", *details)
        return ModuleError(error, self.first_line, self.module, self.computations, self.instructions)

    def end_of(self, name: str) -> str:
        """Return what is said of a file that is empty or cut short; "" of any other."""
        if self.is_cut and not self.text.strip() and self.first_line == 1:
            return f"{name} is empty"
        if self.is_cut and self.instructions:
            return f"{name} ends in line {self.line}, inside its module: it is cut short"
        return ""

    def _plain(self, summary: str, *details: str) -> ParseError:
        kind = UnclosedError if self.is_cut else ParseError
        return kind(summary, self.text, self.start, self.end, *details)


class ComputationHead(NamedTuple):
    """The first line of a computation: its name, and whether it is the entry.

    >>> import io
    >>> from tla.hlo import read_stream
    >>> stream = read_stream(io.StringIO('''ENTRY e {
    ...   ROOT p = f32[4] parameter(0)
    ... }'''))
    >>> head, _parameter = next(iter(stream))
    >>> head
    ComputationHead(name='e', is_entry=True, line=1)
    """

    name: str
    is_entry: bool
    line: int


class ComputationEnd(NamedTuple):
    """The end of a computation, and the thread on which it runs, "" for the main one.

    >>> import io
    >>> from tla.hlo import read_stream
    >>> stream = read_stream(io.StringIO('''ENTRY e {
    ...   ROOT p = f32[4] parameter(0)
    ... }'''))
    >>> [type(event).__name__ for event in stream.events()]
    ['ComputationHead', 'Instruction', 'ComputationEnd']
    """

    execution_thread: str


Event: TypeAlias = Union[ComputationHead, Instruction, ComputationEnd]


class ModuleStream:
    """A module as a stream: its header at once, its instructions one by one.

    >>> text = "HloModule m\\nENTRY e {\\n  x = f32[2] parameter(0)\\n  y = f32[2] negate(x)\\n}\\n"
    >>> stream = ModuleStream("", text.splitlines(keepends=True))
    >>> stream.header.name, [(head.name, instruction.name) for head, instruction in stream]
    ('m', [('e', 'x'), ('e', 'y')])

    Args:
        text: The text, or its beginning.
        pieces: The rest of it, cut anywhere.
        opcodes: The opcodes to accept besides `OPCODES`.

    Attributes:
        header: The module without its computations.
        computations, instructions: The numbers of computations and instructions so far.

    Raises:
        ModuleError: the text breaks off or breaks a rule. An error in the header is raised at once.
    """

    __slots__ = (
        "_computations",
        "_entry",
        "_finished",
        "_grammar",
        "_is_fragment",
        "_source",
        "computations",
        "header",
        "instructions",
    )

    header: Module
    computations: int
    instructions: int

    def __init__(self, text: str, pieces: Iterable[str] = (), opcodes: Collection[str] = ()) -> None:
        self._source = Source(text, pieces)
        self._grammar = Grammar(self._source, opcodes)
        self._computations: dict[str, int] = {}
        self._finished: dict[str, Program | None] = {}
        self._entry = 0
        self.header = Module("")
        self.computations = self.instructions = 0
        try:
            first = self._source.step(lambda at: header(self._grammar, at))
            self._is_fragment = first is None
            if first is not None:
                self.header = self._with_tables(first)
        except ParseError as error:
            raise self._module_error(error) from None

    def __iter__(self) -> Iterator[tuple[ComputationHead, Instruction]]:
        heads: list[ComputationHead] = []
        for event in self.events():
            if isinstance(event, ComputationHead):
                heads.append(event)
            elif isinstance(event, Instruction):
                yield heads[-1], event
            else:
                heads.pop()

    def events(self) -> Iterator[Event]:
        """Yield the head of each computation, its instructions, and its end.

        A computation inside an instruction comes whole, before that instruction.
        """
        try:
            for event in self._all():
                self.computations += isinstance(event, ComputationHead)
                self.instructions += isinstance(event, Instruction)
                yield event
        except ParseError as error:
            if isinstance(error, ModuleError):  # the caller threw it into the generator
                raise
            raise self._module_error(error) from None

    def _module_error(self, error: ParseError) -> ModuleError:
        first = self._source.first_line
        return ModuleError(error, first, self.header, self.computations, self.instructions)

    def _with_tables(self, first: Header) -> Module:
        tables: dict[str, dict[int, Any] | None] = dict.fromkeys(TABLES)
        while (entry := self._source.step(lambda at: table(self._grammar, at))) is not None:
            name, rows, start = entry
            if tables[name] is not None:
                self._refuse(f"the table {name} is given twice", start, start + len(name))
            tables[name] = rows
        return Module(
            first.name,
            first.attributes,
            SourceTables(*(rows or {} for rows in tables.values())),
            (),
            first.entry_computation_layout,
            first.input_output_alias,
        )

    def _refuse(self, summary: str, start: int, end: int, *details: str) -> NoReturn:
        raise ParseError(summary, self._source.text, start, end, *details)

    # --- computations ---

    def _all(self) -> Iterator[Event]:
        loose: Body | None = None
        while True:
            item = self._source.step(self._outside)
            if item is None:
                break
            if isinstance(item, Signature):
                if loose is not None:
                    yield ComputationEnd("")
                    loose = None
                head = self._head(item)
                yield head
                yield from self._body(item, head.line)
                continue
            if loose is None:
                start = item[0].start
                yield self._head(Signature(_NAMELESS, True, start))
                loose = Body(self._source, self._finished, self._is_fragment)
            yield from self._hoist(item, limit_of("nesting"))
            yield from loose.instructions(item)
        if loose is not None:
            yield ComputationEnd("")
        if not self._computations:
            self._grammar.fail("a computation or an instruction", self._source.at)
        if not self._entry and self.header.entry_computation_layout is not None:
            # XLA takes the last computation, but in a text that breaks off the last one may be any
            self._grammar.fail("the ENTRY computation that the header describes", self._source.at)

    def _outside(self, at: int) -> tuple[list[Statement] | Signature | None, int]:
        """The next computation, or instruction in a fragment; None at the end of the text."""
        at = self._grammar.blank(at)
        if at >= len(self._source.text):
            return None, at
        if self._is_fragment and self._grammar.at_instruction(at, nameless=True):
            return self._grammar.instruction(at, nameless=True)
        return self._grammar.signature(at)

    def _head(self, signature: Signature) -> ComputationHead:
        name, start = signature.name, signature.start
        line = self._source.line(start)
        if name in self._computations:
            before = f"It is in line {self._computations[name]}."
            self._refuse(f"there is a computation {name} already", start, start + len(name), before)
        if signature.is_entry and self._entry:
            before = f"The other one is in line {self._entry}."
            self._refuse("a module has one ENTRY, this is another", start, start + len(name), before)
        self._entry = line if signature.is_entry else self._entry
        self._computations[name] = line
        return ComputationHead(name, signature.is_entry, line)

    def _body(self, signature: Signature, line: int) -> Iterator[Event]:
        body = Body(self._source, self._finished, self._is_fragment)
        while True:
            item = self._source.step(self._inside)
            if isinstance(item, Closing):
                break
            yield from self._hoist(item, limit_of("nesting"))
            yield from body.instructions(item)
        self._finished[signature.name] = body.check(signature, line, item.start)
        yield ComputationEnd(item.execution_thread)

    def _hoist(self, statements: list[Statement], room: int) -> list[Event]:
        """The events of the computations inside an instruction; their names replace them there."""
        events: list[Event] = []
        *_, outer = statements
        names: list[str] = []
        for body in outer.bodies:
            if not room:
                what = f"computations inside instructions, deeper than {limit_of('nesting')} levels"
                self._refuse(what, body.start, body.start + 1, way_out("nesting"))
            inner = Body(self._source, self._finished, self._is_fragment)
            at = self._grammar.blank(body.start + 1)
            instructions: list[Instruction] = []
            while at < body.end - 1:
                inner_statements, at = self._grammar.instruction(at)
                events += self._hoist(inner_statements, room - 1)
                instructions += inner.instructions(inner_statements)
            names.append(self._fresh())
            signature = Signature(names[-1], False, body.start)
            head = self._head(signature)
            self._finished[names[-1]] = inner.check(signature, head.line, body.end - 1)
            events += [head, *instructions, ComputationEnd("")]
        for key in {body.attribute for body in outer.bodies}:
            outer.attributes[key] = self._with_names(outer, key, names)
        return events

    def _with_names(self, outer: Statement, key: str, names: list[str]) -> str:
        """The text of an attribute with names in place of its computations."""
        text = outer.attributes[key]
        for name, body in zip(names, outer.bodies, strict=True):
            if body.attribute == key:
                text = text.replace(self._source.text[body.start : body.end], f"%{name}", 1)
        list_ = ", ".join(f"%{name}" for name in names_in(text))
        return f"{{{list_}}}" if text.startswith("{") else list_

    def _fresh(self) -> str:
        """A name for a computation inside an instruction, as XLA chooses it."""
        name, number = _NAMELESS, 0
        while name in self._computations:
            number += 1
            name = f"{_NAMELESS}.{number}"
        return name

    def _inside(self, at: int) -> tuple[list[Statement] | Closing, int]:
        """The next instruction of a computation, or its end."""
        return self._grammar.closing(at) or self._grammar.instruction(at)
