# SPDX-License-Identifier: Apache-2.0
"""HLO instructions and computations as values: results, operands, attributes.

An attribute is a text. The usual ones also have a property with a typed value.

>>> from . import read_instruction
>>> line = read_instruction('%y = f32[2] negate(%x), metadata={op_name="neg" source_line=3}')
>>> line.opcode, line.operands[0].name, line.metadata["op_name"], line.metadata["source_line"]
('negate', 'x', 'neg', 3)
"""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from ..errors import ArgumentError, ParseError
from ..xla_bridge import numbered
from .lexing import NAME, STRING, escaped, unescaped
from .naming import value_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..xla_bridge import AnyShape

Json: TypeAlias = Union[dict[str, "Json"], list["Json"], str, int, float, bool, None]
"""The value of a ``backend_config``."""

CALLING = frozenset(
    (
        "calls",
        "to_apply",
        "body",
        "condition",
        "branch_computations",
        "true_computation",
        "false_computation",
        "called_computations",
        "select",
        "scatter",
    )
)
"""The attributes that name computations."""

NAMING = CALLING | {"control-predecessors"}
"""The attributes that name anything. Two texts of such an attribute are equal if their names are."""

_NAMES = re.compile(NAME)
_PAIR = re.compile(rf"([A-Za-z_]\w*)=({STRING}|\{{[^{{}}]*\}}|[^\s{{}},]+)")
_BLANKS = re.compile(r"[ \t\r\n]+|/\*(?s:.*?)\*/|//[^\n]*")
_INT = re.compile(r"-?[0-9]{1,18}")
_LAYOUT = re.compile(r"\{[^{}]*\}")


def bare_shape(shape: AnyShape | str) -> str:
    """Return the text of a shape without its layouts, as in signatures.

    >>> from ..xla_bridge import parse_shape
    >>> bare_shape(parse_shape("(f32[2,3]{0,1:T(2,2)}, token[])"))
    '(f32[2,3], token[])'
    """
    return _LAYOUT.sub("", str(shape))


def names_in(text: str) -> tuple[str, ...]:
    """The names in an attribute's value, such as ``{%a, %b}``, without their ``%``."""
    return tuple(_NAMES.findall(_BLANKS.sub(" ", text)))


class Operand(NamedTuple):
    """The name of a value, and its shape; `None` if the text has no shape for it.

    >>> from tla.hlo import read_instruction
    >>> line = read_instruction("n = f32[4] add(f32[4]{0} a, b)")
    >>> [(operand.name, str(operand.shape)) for operand in line.operands]
    [('a', 'f32[4]{0}'), ('b', 'None')]
    """

    name: str
    shape: AnyShape | None = None


class Value:
    """An immutable value of slots; equality ignores the place in the text."""

    __slots__ = ()

    def _key(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __reduce__(self) -> tuple[object, ...]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable: cannot delete {name!r}")


class Instruction(Value):
    """An instruction: the name and shape of its result, its opcode, operands and attributes.

    >>> from tla.hlo import read_instruction
    >>> line = read_instruction("ROOT %sum = f32[2,3]{1,0} add(f32[2,3]{1,0} %a, %b)")
    >>> line.name, str(line.shape), line.opcode, line.is_root
    ('sum', 'f32[2,3]{1,0}', 'add', True)
    >>> line.operands[1]
    Operand(name='b', shape=None)

    Args:
        attributes: The texts of the attributes by their names, in the order of the text.
        literal: The text of a constant.
        parameter_number: The number of a parameter.
        line: The line of the text in which it begins, counted from 1; equality ignores it.
        computations: The computations it calls, in the order of `called`; empty if they are unknown, as
            for `read_instruction`. Equality ignores them.
    """

    __slots__ = (
        "attributes",
        "computations",
        "is_root",
        "line",
        "literal",
        "name",
        "opcode",
        "operands",
        "parameter_number",
        "shape",
    )

    name: str
    shape: AnyShape
    opcode: str
    operands: tuple[Operand, ...]
    attributes: Mapping[str, str]
    is_root: bool
    literal: str | None
    parameter_number: int | None
    line: int
    computations: tuple[Computation, ...]

    def __init__(
        self,
        name: str,
        shape: AnyShape,
        opcode: str,
        operands: Iterable[Operand] = (),
        attributes: Mapping[str, str] = MappingProxyType({}),
        is_root: bool = False,
        literal: str | None = None,
        parameter_number: int | None = None,
        line: int = 0,
        computations: Iterable[Computation] = (),
    ) -> None:
        set_ = object.__setattr__
        set_(self, "name", name)
        set_(self, "shape", shape)
        set_(self, "opcode", opcode)
        set_(self, "operands", tuple(operands))
        set_(self, "attributes", MappingProxyType(dict(attributes)))
        set_(self, "is_root", is_root)
        set_(self, "literal", literal)
        set_(self, "parameter_number", parameter_number)
        set_(self, "line", line)
        set_(self, "computations", tuple(computations))

    def _key(self) -> tuple[object, ...]:
        return (
            self.name,
            self.shape,
            self.opcode,
            self.operands,
            tuple((k, names_in(text) if k in NAMING else text) for k, text in self.attributes.items()),
            self.is_root,
            self.literal and _BLANKS.sub("", self.literal),
            self.parameter_number,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return Instruction, self._arguments(self.is_root, self.computations)

    def _arguments(self, is_root: bool, computations: Iterable[Computation]) -> tuple[Any, ...]:
        return (
            self.name,
            self.shape,
            self.opcode,
            self.operands,
            dict(self.attributes),
            is_root,
            self.literal,
            self.parameter_number,
            self.line,
            computations,
        )

    def as_root(self, is_root: bool = True) -> Instruction:
        """Return the instruction as the root of its computation, or as another instruction."""
        return Instruction(*self._arguments(is_root, self.computations))

    def calling(self, computations: Iterable[Computation]) -> Instruction:
        """Return the instruction with the values of the computations that it calls."""
        return Instruction(*self._arguments(self.is_root, computations))

    @property
    def called(self) -> tuple[str, ...]:
        """The names of the computations that it calls, in the order of its attributes.

        In a conditional the branch for true comes first, like its operand.
        """
        if CALLING.isdisjoint(self.attributes):
            return ()
        keys = [key for key in self.attributes if key in CALLING]
        keys.sort(key="false_computation".__eq__)  # last; the others keep their order
        return tuple(name for key in keys for name in names_in(self.attributes[key]))

    def renaming_calls(self, names: Mapping[str, Sequence[str]]) -> Instruction:
        """Return the instruction with other names for computations that it calls.

        >>> from tla.hlo import read_instruction
        >>> line = read_instruction("c = f32[] conditional(p, a, b), branch_computations={%f, %f}")
        >>> line.renaming_calls({"f": ["f", "g"]}).called
        ('f', 'g')

        Args:
            names: The names that take the place of a name, in the order of `called`.
        """
        left = {name: iter(others) for name, others in names.items()}
        attributes = {
            key: _NAMES.sub(lambda name: next(left.get(name[0], iter(())), name[0]), text)
            if key in CALLING
            else text
            for key, text in self.attributes.items()
        }
        name, shape, opcode, operands, _, *rest, _ = self._arguments(self.is_root, ())
        return Instruction(name, shape, opcode, operands, attributes, *rest)

    @property
    def control_predecessors(self) -> tuple[str, ...]:
        """The names of the instructions that must end before it begins, besides its operands."""
        return names_in(self.attributes.get("control-predecessors", ""))

    @property
    def metadata(self) -> Mapping[str, str | int]:
        """Its metadata: ``op_name``, ``source_file``, ``source_line``, ``stack_frame_id``."""
        pairs = _PAIR.findall(self.attributes.get("metadata", ""))
        return MappingProxyType({name: _metadatum(text) for name, text in pairs})

    @property
    def op_name(self) -> str:
        """The program's name of the operation; "" if the metadata has none."""
        return str(self.metadata.get("op_name", ""))

    @property
    def backend_config(self) -> Json:
        """Its backend config: the value of its JSON, or the text of a string; `None` if it has none.

        Raises:
            ParseError: the text in braces is no JSON.
        """
        text = self.attributes.get("backend_config")
        if text is None:
            return None
        if text[0] in "\"'":
            return unescaped(text)
        try:
            config: Json = json.loads(text)
        except ValueError as error:
            why, at = (
                (error.msg, error.pos)
                if isinstance(error, json.JSONDecodeError)
                else (f"{error}", 0)  # an int of very many digits
            )
            summary = f"the backend_config of {self.name} is no JSON: {why}"
            raise ParseError(summary, text, at) from None
        except RecursionError:
            raise ParseError(f"the backend_config of {self.name} is nested too deep", text, 0) from None
        return config

    def __str__(self) -> str:
        """The instruction in one line, as XLA prints it."""
        inside = self.literal
        if inside is None:
            inside = str(self.parameter_number)
            if self.parameter_number is None:
                inside = numbered(f"%{operand.name}" for operand in self.operands)
        root = "ROOT " if self.is_root else ""
        attributes = "".join(f", {name}={text}" for name, text in self.attributes.items())
        return f"{root}%{self.name} = {self.shape} {self.opcode}({inside}){attributes}"

    def __repr__(self) -> str:
        return f"Instruction({str(self)!r})"


def _metadatum(text: str) -> str | int:
    if text[0] in "\"'":
        return unescaped(text)
    return int(text) if _INT.fullmatch(text) else text


class Computation(Value):
    """A computation: its instructions in the order of the text, each after its operands.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, is_scheduled=true
    ... ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> entry = module.entry
    >>> entry.name, entry.is_entry, [line.name for line in entry.instructions], entry.root.opcode
    ('e', True, ['p', 'c'], 'copy')

    Args:
        instructions: At least one. The last is the root if no other one is.
        execution_thread: The thread on which it runs, "" for the main one.
    """

    __slots__ = ("_by_name", "execution_thread", "instructions", "is_entry", "line", "name", "root")

    name: str
    instructions: tuple[Instruction, ...]
    root: Instruction
    is_entry: bool
    execution_thread: str
    line: int
    _by_name: dict[str, Instruction]

    def __init__(
        self,
        name: str,
        instructions: Iterable[Instruction],
        is_entry: bool = False,
        execution_thread: str = "",
        line: int = 0,
    ) -> None:
        body = list(instructions)
        if not body:
            raise ArgumentError("a computation has at least one instruction")
        if not any(instruction.is_root for instruction in body):
            body[-1] = body[-1].as_root()
        set_ = object.__setattr__
        set_(self, "name", name)
        set_(self, "instructions", tuple(body))
        set_(self, "root", next(each for each in body if each.is_root))
        set_(self, "is_entry", is_entry)
        set_(self, "execution_thread", execution_thread)
        set_(self, "line", line)
        set_(self, "_by_name", {each.name: each for each in body})

    def _key(self) -> tuple[object, ...]:
        return self.name, self.instructions, self.is_entry, self.execution_thread

    def __reduce__(self) -> tuple[object, ...]:
        return Computation, (*self._key(), self.line)

    def instruction(self, name: str) -> Instruction:
        """Return the instruction of a name, with its ``%`` or without.

        Raises:
            NoSuchNameError: no instruction has the name; the error lists ``near`` names.
        """
        return value_named(self._by_name, name, "instruction", f"computation {self.name}")

    @property
    def parameters(self) -> tuple[Instruction, ...]:
        """Its parameters, by number."""
        pairs = [(i.parameter_number, i) for i in self.instructions if i.parameter_number is not None]
        return tuple(i for _, i in sorted(pairs, key=lambda pair: pair[0]))

    def __str__(self) -> str:
        """The computation with its signature, one instruction in each line."""
        entry = "ENTRY " if self.is_entry else ""
        formals = ", ".join(f"{p.name}: {bare_shape(p.shape)}" for p in self.parameters)
        thread = f", execution_thread={escaped(self.execution_thread)}" if self.execution_thread else ""
        body = "".join(f"  {each}\n" for each in self.instructions)
        return f"{entry}%{self.name} ({formals}) -> {bare_shape(self.root.shape)} {{\n{body}}}{thread}"

    def __repr__(self) -> str:
        return f"<Computation {self.name} of {len(self.instructions)} instructions>"
