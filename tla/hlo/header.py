# SPDX-License-Identifier: Apache-2.0
"""The productions of the text before the computations: the header and the tables of sources.

>>> from .grammar import Grammar
>>> from .source import Source
>>> text = "HloModule m, is_scheduled=true, input_output_alias={ {0}: (1, {}, must-alias) }"
>>> print(header(Grammar(Source(text)), 0)[0].input_output_alias[0])
Alias(output_index=(0,), parameter_number=1, parameter_index=(), kind='must-alias')

Source: hlo_parser.cc ``ParseHloModule``, ``ParseInputOutputAliasConfig``, ``ParseStackFrameIndex``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ParseError
from .frames import FileLocation, StackFrame
from .lexing import BLANK, DEFINED, unescaped
from .module import Alias, EntryLayout

if TYPE_CHECKING:
    from ..xla_bridge import AnyShape
    from .grammar import Grammar

_HLO_MODULE = re.compile(rf"HloModule(?![A-Za-z0-9_.-]){BLANK}")
_SHAPES = re.compile(rf"\{{{BLANK}\({BLANK}")
_MODULE_NAME = re.compile(DEFINED)
_TABLE = re.compile(
    rf"(FileNames|FunctionNames|FileLocations|StackFrames)(?![A-Za-z0-9_.-]){BLANK}(?![({{])"
)
_NUMBER = re.compile(rf"([0-9]{{1,9}}){BLANK}")
_INDEX = r"\{[ ]*+((?:[0-9]{1,9}(?:[ ]*+,[ ]*+[0-9]{1,9})*+)?+)[ ]*+\}"
_ALIAS = re.compile(
    rf"\s*{_INDEX}\s*:\s*\(\s*([0-9]{{1,9}})\s*,\s*{_INDEX}\s*(?:,\s*(may-alias|must-alias)\s*)?\)\s*(,|(?=\}}))"
)


class Header(NamedTuple):
    """The first line of a module."""

    name: str
    attributes: dict[str, str]
    entry_computation_layout: EntryLayout | None
    input_output_alias: tuple[Alias, ...]


class Table(NamedTuple):
    """One of the tables after the header, and its place."""

    name: str
    rows: dict[int, str | FileLocation | StackFrame]
    start: int


def header(grammar: Grammar, at: int) -> tuple[Header | None, int]:
    """Read ``HloModule name, ...``; None if the text has no header."""
    at = grammar.blank(at + grammar.text.startswith("\ufeff", at))  # the byte order mark
    start = _HLO_MODULE.match(grammar.text, at)
    if start is None:
        return None, at
    name = _MODULE_NAME.match(grammar.text, start.end())
    if name is None:
        grammar.fail("the name of the module", start.end())
    attributes, places, at = grammar.attributes(name.end())
    layout: EntryLayout | None = None
    aliases: tuple[Alias, ...] = ()
    if "entry_computation_layout" in places:
        layout = _entry_layout(grammar, places["entry_computation_layout"])
    if "input_output_alias" in places:
        aliases = _aliases(grammar, places["input_output_alias"])
    return Header(name[1], attributes, layout, aliases), at


def _entry_layout(grammar: Grammar, at: int) -> EntryLayout:
    text = grammar.text
    opening = _SHAPES.match(text, at)
    if opening is None:
        grammar.fail("'{(' and the shapes of the parameters", at)
    at = opening.end()
    parameters: list[AnyShape] = []
    while not text.startswith(")", at):
        shape, at = grammar.shape(at)
        parameters.append(shape)
        at = grammar.separator(at)
    result, at = grammar.result(at + 1)
    if not text.startswith("}", grammar.blank(at)):
        grammar.fail("'}' after the shape of the result", at)
    return EntryLayout(tuple(parameters), result)


def _aliases(grammar: Grammar, at: int) -> tuple[Alias, ...]:
    aliases: list[Alias] = []
    at += 1
    while match := _ALIAS.match(grammar.text, at):
        output, number, index, kind, _ = match.groups()
        aliases.append(Alias(_ints(output), int(number), _ints(index), kind or "may-alias"))
        at = match.end()
    if not grammar.text.startswith("}", grammar.blank(at)):
        grammar.fail("an alias such as {0}: (1, {}, may-alias)", at)
    return tuple(aliases)


def table(grammar: Grammar, at: int) -> tuple[Table | None, int]:
    """Read one of the tables after the header, its name and rows; None if no table comes next."""
    match = _TABLE.match(grammar.text, at)
    if match is None:
        return None, at
    name, at = match[1], match.end()
    rows: dict[int, str | FileLocation | StackFrame] = {}
    while number := _NUMBER.match(grammar.text, at):
        start, at = number.end(), grammar.piece(number.end())
        if int(number[1]) in rows:
            summary = f"row {number[1]} of {name} is given twice"
            raise ParseError(summary, grammar.text, number.start(1), number.end(1))
        rows[int(number[1])] = _row(grammar, name, start, at)
        at = grammar.blank(at)
    return Table(name, rows, match.start()), at


def _row(grammar: Grammar, table: str, start: int, end: int) -> str | FileLocation | StackFrame:
    text = grammar.text[start:end]
    if table in ("FileNames", "FunctionNames"):
        if text[0] not in "\"'":
            grammar.fail("a text in quotes", start)
        return unescaped(text)
    kind = FileLocation if table == "FileLocations" else StackFrame
    words = text.strip("{}").replace(",", " ").split()
    fields = dict(re.findall(r"([a-z_]+)=(-?[0-9]{1,18})(?![^ ])", " ".join(words)))
    if len(words) != len(fields) or set(fields) != set(kind._fields):
        form = " ".join(f"{name}=..." for name in kind._fields)
        raise ParseError(f"expected {{{form}}}", grammar.text, start, end)
    return kind(**{name: int(number) for name, number in fields.items()})


def _ints(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.replace(",", " ").split())
