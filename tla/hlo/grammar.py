# SPDX-License-Identifier: Apache-2.0
"""The productions of HLO text: each returns the value at a place in a text, and the place after it.

A production raises `ParseError` at the character. It changes no state. So if it meets the end of a piece
of the text, it can begin again with more text.

Source: hlo_parser.cc, checked against jaxlib.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from ..errors import ParseError
from ..ground import shortened
from ..xla_bridge import parse_shape_at
from .instruction import CALLING, names_in
from .lexing import BLANK, DEFINED, NAME, STRING, UnclosedError, end_of_brackets, unescaped
from .naming import near_hint, near_names
from .opcodes import OPCODES, wrapped_opcode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..xla_bridge import AnyShape
    from .source import Source

# The probable end of a shape. The shape's own grammar reads the match, which is also the key of a cache.
# Without a match that grammar reads the shape in its place.
_SHAPE: Final = (
    r"(?:[A-Za-z][A-Za-z0-9]*+\[[^\[\](){}\"%]*+\](?:\{[^{}\"%]*+\}|<[^<>\"%]*+>)?+"
    rf"(?!{BLANK}(?:\{{{BLANK}[-0-9:]|<))"
    r"|\((?:[^()\"%]++|\((?:[^()\"%]++|\([^()\"%]*+\))*+\))*+\))"
)
_BLANK = re.compile(BLANK)
_A_SHAPE = re.compile(_SHAPE)
_SHAPE_BEGINS = re.compile(rf"\(|b\(|[A-Za-z][A-Za-z0-9]*+{BLANK}\[")
_ROOT = re.compile(rf"ROOT(?![A-Za-z0-9_.-]){BLANK}")
_ENTRY = re.compile(rf"ENTRY(?![A-Za-z0-9_.-]){BLANK}")
_DEFINITION = re.compile(rf"{DEFINED}{BLANK}={BLANK}")
_WORD = re.compile(rf"{BLANK}%?({NAME}){BLANK}")
_HEAD = re.compile(rf"{DEFINED}{BLANK}")
_OPCODE = re.compile(rf"{BLANK}({NAME}){BLANK}\({BLANK}")
_OPERAND = re.compile(rf"%?({NAME}){BLANK}([,)]){BLANK}")
_ATTRIBUTE = re.compile(rf"{BLANK},{BLANK}({NAME}){BLANK}={BLANK}")
_COMMA = re.compile(rf"{BLANK},{BLANK}")
_PLAIN = re.compile(r"""(?:[^\x00-\x20,"'{}()\[\]/]++|/(?![*/]))++""")
_STRING = re.compile(STRING)
_MORE = re.compile(rf"{BLANK}(?=[({{\[\"'0-9-])")
_NUMBER = re.compile(rf"([0-9]{{1,9}}){BLANK}\)")
_FORMAL = re.compile(rf"%?({NAME}){BLANK}:{BLANK}")
_SIGNATURE = re.compile(rf"%?{NAME}{BLANK}:|\){BLANK}->")
_ARROW = re.compile(rf"{BLANK}->{BLANK}")
_OPEN = re.compile(rf"{BLANK}\{{{BLANK}")
_END = "the end of text"


class Signature(NamedTuple):
    """The line that begins a computation, with the shape of its result if the line has it."""

    name: str
    is_entry: bool
    start: int
    result: AnyShape | None = None


class Reference(NamedTuple):
    """An operand in the text: a name, perhaps with a shape, and the place of both.

    An instruction may stand in place of the name. Then ``nested`` is its number in the statement.
    """

    name: str
    shape: AnyShape | None
    start: int
    end: int
    nested: int = -1


class Closing(NamedTuple):
    """The brace that ends a computation, and the thread of the computation."""

    execution_thread: str
    start: int


class InlineBody(NamedTuple):
    """The braces of a computation in an attribute, where its name could stand."""

    attribute: str
    start: int
    end: int


class Statement(NamedTuple):
    """An instruction in the text. A nested one, in an operand, has no name and no attributes.

    The shape of its result is None if the text leaves it out.
    """

    name: str
    shape: AnyShape | None
    opcode: str
    operands: list[Reference]
    start: int
    literal: str | None = None
    parameter_number: int | None = None
    attributes: dict[str, str] = {}  # noqa: RUF012 - shared by nested ones, which have none
    bodies: tuple[InlineBody, ...] = ()
    is_root: bool = False


class _Call(NamedTuple):
    """An instruction with its first operands; the others are still to come."""

    shape: AnyShape | None
    opcode: str
    start: int
    operands: list[Reference]


class Grammar:
    """The productions of the text that a source holds at the moment.

    Args:
        opcodes: The opcodes to accept besides `OPCODES`.
    """

    __slots__ = ("_opcodes", "_shapes", "_source")

    def __init__(self, source: Source, opcodes: Collection[str] = ()) -> None:
        self._source = source
        self._shapes: dict[str, AnyShape] = {}
        self._opcodes = {*OPCODES, *opcodes}

    @property
    def text(self) -> str:
        """The text that the source holds at the moment."""
        return self._source.text

    # --- words ---

    def blank(self, at: int) -> int:
        """The place after blanks and comments."""
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def fail(self, expected: str, at: int, *details: str) -> NoReturn:
        """Raise the error that the text at a place is not ``expected``."""
        at = self.blank(at)
        if at >= len(self.text):
            raise UnclosedError(f"expected {expected}, found {_END}", self.text, at, at, *details)
        if self.text.startswith("/*", at):
            raise UnclosedError("a comment that is not closed", self.text, at, at + 2)
        word = _PLAIN.match(self.text, at)
        actual = word[0] if word else self.text[at]
        end = at + len(actual)
        error = UnclosedError if self.blank(end) >= len(self.text) else ParseError
        summary = f"expected {expected}, found {shortened(actual)!r}"
        raise error(summary, self.text, at, end, *details)

    def shape(self, at: int) -> tuple[AnyShape, int]:
        """Read a shape."""
        match = _A_SHAPE.match(self.text, at)
        if match:
            text = match[0]
            shape = self._shapes.get(text)
            if shape is not None:
                return shape, match.end()
            try:
                shape, end = parse_shape_at(text, 0, "document")
            except ParseError:
                pass  # the call below reports it at its place in the text
            else:
                if end == len(text):
                    self._shapes[text] = shape
                    return shape, match.end()
        if not _SHAPE_BEGINS.match(self.text, at):
            self.fail("a shape such as f32[2,3]{1,0}", at)
        return parse_shape_at(self.text, at, "document")

    def piece(self, at: int) -> int:
        """Return the place after a word, a string, or brackets with their content."""
        text = self.text
        first = text[at : at + 1] or " "
        if first in "{([":
            return end_of_brackets(text, at)
        match = (_STRING if first in "\"'" else _PLAIN).match(text, at)
        if match is None and first in "\"'":
            raise UnclosedError("a string that is not closed", text, at, at + 1)
        if match is None:
            self.fail("a value", at)
        return match.end()

    def value(self, at: int) -> int:
        """Return the place after an attribute's value: its pieces up to a comma."""
        text = self.text
        while True:
            at = self.piece(at)
            if at < len(text) and text[at] not in " \t\r\n,)}]/":
                continue
            more = _MORE.match(text, at)  # a literal is a shape, a blank, and its elements
            if more is None:
                return at
            at = more.end()

    def attributes(self, at: int) -> tuple[dict[str, str], dict[str, int], int]:
        """Read all ``, name=value``: the texts of the values, their places, and the place after them."""
        text = self.text
        texts: dict[str, str] = {}
        places: dict[str, int] = {}
        while match := _ATTRIBUTE.match(text, at):
            name, start = match[1], match.end()
            if name in texts:
                raise ParseError(f"attribute {name} is given twice", text, match.start(1), match.end(1))
            at = self.value(start)
            texts[name] = text[start:at]
            places[name] = start
        at = self.blank(at)
        if comma := _COMMA.match(text, at):
            self.fail("an attribute such as kind=kLoop after ','", comma.end())
        return texts, places, at

    # --- instructions ---

    def at_instruction(self, at: int, nameless: bool = False) -> bool:
        """Whether ``name =`` comes next, or an instruction without it, such as ``negate(f32[2] y)``."""
        at = self._past(_ROOT, at)
        return _DEFINITION.match(self.text, at) is not None or (nameless and self._at_call(at))

    def _at_call(self, at: int) -> bool:
        """Whether an opcode with its operands comes next, perhaps after a shape, and no signature."""
        shape = _A_SHAPE.match(self.text, at)
        match = _OPCODE.match(self.text, shape.end() if shape else at)
        if match is None or match[1] not in self._opcodes:
            return False
        return _SIGNATURE.match(self.text, match.end()) is None

    def _past(self, word: re.Pattern[str], at: int) -> int:
        """The place after a word that may come next."""
        match = word.match(self.text, at)
        return match.end() if match else at

    def instruction(self, at: int, nameless: bool = False) -> tuple[list[Statement], int]:
        """Read an instruction. Those nested in its operands come before it in the list.

        Args:
            nameless: Whether its name may be left out, as in a line by itself.
        """
        text = self.text
        name_at = self._past(_ROOT, at)
        is_root = name_at > at
        match = _DEFINITION.match(text, name_at)
        bare = match is None and nameless and self._at_call(name_at)
        if match is None and not bare:
            if _A_SHAPE.match(text, name_at):
                self.fail("a name and '=' before the shape of an instruction", name_at)
            head = _HEAD.match(text, name_at)
            if head is not None:
                self.fail(f"'=' after the name {shortened(head[1])} of an instruction", head.end())
            what = "a name after ROOT" if is_root else "an instruction such as '%x = f32[2] negate(%y)'"
            self.fail(what if is_root else f"{what} or '}}'", name_at)
        name, start, at = (match[1], match.start(1), match.end()) if match else ("", name_at, name_at)
        shape = None
        if _SHAPE_BEGINS.match(text, at) or _OPCODE.match(text, at) is None:
            shape, at = self.shape(at)
        statements, at = self._call(shape, at, start)
        attributes, places, at = self.attributes(at)
        before = attributes.get("control-predecessors")
        if before is not None and not names_in(before):
            self.fail("the name of an instruction", places["control-predecessors"] + 1)
        bodies = [
            body
            for key in CALLING.intersection(attributes)
            if "=" in attributes[key]
            for body in self._inline_bodies(key, places[key], places[key] + len(attributes[key]))
        ]
        bodies.sort(key=lambda body: body.start)
        statements[-1] = statements[-1]._replace(
            name=name, attributes=attributes, bodies=tuple(bodies), is_root=is_root
        )
        return statements, at

    def _inline_bodies(self, key: str, at: int, end: int) -> Iterator[InlineBody]:
        """The computations in the value of an attribute, which is one of them or a list."""
        if not self._at_body(at):
            at += 1
        while at < end:
            at = self.text.find("{", at, end)
            if at < 0:
                return
            stop = end_of_brackets(self.text, at)
            if self._at_body(at):
                yield InlineBody(key, at, stop)
            at = stop

    def _at_body(self, at: int) -> bool:
        opening = _OPEN.match(self.text, at)
        return opening is not None and self.at_instruction(opening.end())

    def _call(self, shape: AnyShape | None, at: int, start: int) -> tuple[list[Statement], int]:
        """Read ``opcode(operands)``. A stack holds the open calls, so their nesting has no limit."""
        nested: list[Statement] = []
        outer: list[_Call] = []
        call, at = self._begin_call(shape, start, at)
        while True:
            end = self._end_call(call, at)
            if end is not None:
                statement, at = end
                nested.append(statement)
                if not outer:
                    return nested, at
                call = outer.pop()
                call.operands.append(
                    Reference("", statement.shape, statement.start, at, len(nested) - 1)
                )
                at = self.separator(at)
                continue
            operand, at = self._operand(at)
            if operand.name:
                call.operands.append(operand)
            else:
                outer.append(call)
                call, at = self._begin_call(operand.shape, operand.start, at)

    def _begin_call(self, shape: AnyShape | None, start: int, at: int) -> tuple[_Call, int]:
        """Read ``opcode(`` after the shape of its result."""
        match = _OPCODE.match(self.text, at)
        if match is None:
            word = _WORD.match(self.text, at)
            if word:
                self.fail(f"'(' after the opcode {shortened(word[1])}", word.end())
            self.fail("an opcode such as negate", at)
        opcode = match[1]
        if opcode not in self._opcodes and wrapped_opcode(opcode) is None:
            raise ParseError(
                f"unknown opcode {shortened(opcode)}",
                self.text,
                match.start(1),
                match.end(1),
                *near_hint(near_names(opcode, self._opcodes)),
                f"An opcode of a newer XLA is read with opcodes=[{opcode!r}], or --opcode {opcode}.",
            )
        return _Call(shape, opcode, start, []), match.end()

    def _end_call(self, call: _Call, at: int) -> tuple[Statement, int] | None:
        """Read the number of a parameter, the literal of a constant, or the end of the operands."""
        shape, opcode, start, operands = call
        if opcode == "parameter":
            match = _NUMBER.match(self.text, at)
            if match is None:
                self.fail("the number of the parameter, of at most 9 digits, and ')'", at)
            return Statement("", shape, opcode, operands, start, None, int(match[1])), match.end()
        if opcode == "constant":
            end = end_of_brackets(self.text, self.text.rindex("(", 0, at))
            literal = self.text[at : end - 1].rstrip(" \t\r\n")
            if not literal:
                self.fail("the value of a constant", at)
            return Statement("", shape, opcode, operands, start, literal), end
        if self.text.startswith(")", at):
            return Statement("", shape, opcode, operands, start), at + 1
        return None

    def _operand(self, at: int) -> tuple[Reference, int]:
        """Read an operand and the comma after it, or only the shape of a nested instruction."""
        text, start = self.text, at
        shape: AnyShape | None = None
        if _SHAPE_BEGINS.match(text, at):
            shape, at = self.shape(at)
            at = self.blank(at)
        match = _OPERAND.match(text, at)
        if match is None:
            word = _WORD.match(text, at)
            if word and _OPCODE.match(text, at) is None:
                self.fail("',' or ')' after an operand", word.end())
            if word is None:
                self.fail("an operand such as %x or ')'", at)
            return Reference("", shape, start, at), at
        end = match.end() if match[2] == "," else match.start(2)
        return Reference(match[1], shape, start, match.end(1)), end

    def separator(self, at: int) -> int:
        """The place after a comma, or at the parenthesis that closes the operands."""
        if comma := _COMMA.match(self.text, at):
            return comma.end()
        at = self.blank(at)
        if not self.text.startswith(")", at):
            self.fail("',' or ')' after an operand", at)
        return at

    # --- computations ---

    def signature(self, at: int) -> tuple[Signature, int]:
        """Read the line that begins a computation, with its '{'."""
        text = self.text
        name_at = self._past(_ENTRY, at)
        is_entry = name_at > at
        match = _HEAD.match(text, name_at)
        if match is None:
            what = "a computation such as 'ENTRY %main (x: f32[2]) -> f32[2] {'"
            self.fail("the name of the computation after ENTRY" if is_entry else what, name_at)
        name, at = match[1], match.end()
        result: AnyShape | None = None
        if text.startswith("(", at):
            at = self._formals(self.blank(at + 1))
            result, at = self.result(at)
        brace = _OPEN.match(text, at)
        if brace is None:
            self.fail(f"'{{' and the instructions of {shortened(name)}", at)
        return Signature(name, is_entry, match.start(1), result), brace.end()

    def result(self, at: int) -> tuple[AnyShape, int]:
        """Read ``-> shape``."""
        arrow = _ARROW.match(self.text, at)
        if arrow is None:
            self.fail("'->' and the shape of the result", at)
        return self.shape(arrow.end())

    def _formals(self, at: int) -> int:
        """Go past ``name: shape, ...)``; the instructions have the same facts."""
        while not self.text.startswith(")", at):
            formal = _FORMAL.match(self.text, at)
            if formal is None:
                self.fail("a parameter such as 'x: f32[2]' or ')'", at)
            _, at = self.shape(formal.end())
            at = self.separator(at)
        return at + 1

    def closing(self, at: int) -> tuple[Closing, int] | None:
        """Read the end of a computation; None if something else comes next."""
        at = self.blank(at)
        if not self.text.startswith("}", at):
            return None
        attributes, places, end = self.attributes(at + 1)
        thread = attributes.get("execution_thread", '""')
        for name in attributes.keys() - {"execution_thread"}:
            self.fail('execution_thread="..." or the next computation', places[name])
        if thread[0] not in "\"'":
            self.fail("the name of a thread in quotes", places["execution_thread"])
        return Closing(unescaped(thread), at), end
