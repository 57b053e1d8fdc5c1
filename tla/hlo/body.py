# SPDX-License-Identifier: Apache-2.0
"""The rules between the instructions of a computation.

The operands, control predecessors and computations of an instruction must be defined before it, as in
XLA. In a fragment an operand may be undefined. Then an operand with a shape becomes a parameter, as in
XLA, and an operand without a shape is only a name.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, NoReturn

from ..errors import ParseError
from ..ground import shortened
from .inference import RULES, Program, ShapeInferenceError, differs, infer_shape
from .instruction import Instruction, Operand, bare_shape
from .lexing import BLANK
from .naming import near_hint, near_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ..xla_bridge import AnyShape
    from .grammar import Reference, Signature, Statement
    from .source import Source


class Body:
    """The names that the instructions of a computation have defined so far.

    It keeps the name, the shape and the line of each instruction. Equal texts of shapes share one value.

    Args:
        programs: The computations before it, by name.
        is_fragment: Whether an instruction may call other computations, and an operand be undefined.
    """

    __slots__ = (
        "_anonymous",
        "_defined",
        "_is_fragment",
        "_last",
        "_lines",
        "_next",
        "_numbers",
        "_parameters",
        "_programs",
        "_root",
        "_source",
    )

    def __init__(
        self, source: Source, programs: Mapping[str, Program | None], is_fragment: bool
    ) -> None:
        self._source = source
        self._programs = programs
        self._is_fragment = is_fragment
        self._defined: dict[str, AnyShape] = {}
        self._lines = array("Q")  # in the order of the names
        self._numbers: dict[int, int] = {}
        self._parameters: dict[int, AnyShape] = {}
        self._next = 0
        self._anonymous: dict[str, int] = {}
        self._root: Instruction | None = None
        self._last: Instruction | None = None

    def _refuse(self, summary: str, start: int, end: int, *details: str) -> NoReturn:
        raise ParseError(summary, self._source.text, start, end, *details)

    def instructions(self, statements: list[Statement]) -> Iterator[Instruction]:
        """Yield an instruction, after its new parameters and the instructions nested in its operands."""
        names: list[str] = []
        for statement in statements:
            line = self._source.line(statement.start)
            operands: list[Operand] = []
            for reference in statement.operands:
                name = names[reference.nested] if reference.nested >= 0 else reference.name
                operand = self._operand(name, reference)
                operands.append(operand)
                if operand.shape is not None and name not in self._defined:
                    yield self._parameter(name, operand.shape, reference.start, line)
            names.append(statement.name or self._fresh(statement.opcode))
            instruction = Instruction(
                names[-1],
                self._shape(statement, operands),
                statement.opcode,
                operands,
                statement.attributes,
                statement.is_root,
                statement.literal,
                statement.parameter_number,
                line,
            )
            self._define(instruction, statement.start)
            yield instruction

    def _shape(self, statement: Statement, operands: list[Operand]) -> AnyShape:
        """The shape of the result as it is written, which must follow from the operands, or inferred."""
        written, opcode = statement.shape, statement.opcode
        if written is not None and opcode not in RULES:
            return written
        shapes = [operand.shape for operand in operands if operand.shape is not None]
        try:
            if len(shapes) < len(operands):
                unknown = next(operand.name for operand in operands if operand.shape is None)
                raise ShapeInferenceError(f"the shape of operand {shortened(unknown)} is not known")
            inferred = infer_shape(opcode, shapes, statement.attributes, self._programs)
        except ShapeInferenceError as error:
            if written is not None:
                return written  # it may say more than the operands do
            self._refuse(error.summary, *self._place(statement), "Write the shape before the opcode.")
        if written is None:
            return inferred
        if differs(opcode, written, inferred):
            summary = f"{opcode} is {bare_shape(written)} here, its operands give {bare_shape(inferred)}"
            missing = opcode == "dot" and "lhs_contracting_dims" not in statement.attributes
            names = ["It has no lhs_contracting_dims and no rhs_contracting_dims."] if missing else []
            self._refuse(summary, *self._place(statement), *names)
        return written

    def _place(self, statement: Statement) -> tuple[int, int]:
        """The place of the opcode."""
        pattern = re.compile(rf"(?<![\w.%-]){re.escape(statement.opcode)}(?={BLANK}\()")
        match = pattern.search(self._source.text, statement.start)
        return match.span() if match else (statement.start, statement.start + 1)

    def _operand(self, name: str, reference: Reference) -> Operand:
        """The operand with the shape of its definition; in a fragment perhaps only with its own."""
        shape = self._defined.get(name)
        if shape is not None:
            self._compare(name, shape, reference)
            return Operand(name, shape)
        if not self._is_fragment:
            self._refuse(
                f"no instruction {shortened(name)} stands before this one",
                reference.start,
                reference.end,
                *near_hint(near_names(name, self._defined)),
            )
        return Operand(name, reference.shape)

    def _parameter(self, name: str, shape: AnyShape, start: int, line: int) -> Instruction:
        number = self._next
        parameter = Instruction(name, shape, "parameter", parameter_number=number, line=line)
        self._define(parameter, start)
        return parameter

    def _fresh(self, opcode: str) -> str:
        """A name for a nested instruction, as XLA chooses it."""
        stem = f"{opcode}.anon"
        name, number = stem, self._anonymous.get(stem, 0)
        while name in self._defined:
            number += 1
            name = f"{stem}.{number}"
        self._anonymous[stem] = number
        return name

    def _define(self, instruction: Instruction, start: int) -> None:
        name, number, end = instruction.name, instruction.parameter_number, start + len(instruction.name)
        if name in self._defined:
            before = f"It is in line {dict(zip(self._defined, self._lines, strict=True))[name]}."
            self._refuse(f"there is an instruction {shortened(name)} already", start, end, before)
        if instruction.is_root and self._root is not None:
            before = f"The other one is {shortened(self._root.name)} in line {self._root.line}."
            self._refuse("a computation has one ROOT, this is another", start, end, before)
        if number is not None and number in self._numbers:
            before = f"It is in line {self._numbers[number]}."
            self._refuse(f"there is a parameter({number}) already", start, end, before)
        if not self._is_fragment:
            self._demand("computation", instruction.called, self._programs, start)
            self._demand("instruction", instruction.control_predecessors, self._defined, start)
        if number is not None:
            self._numbers[number] = instruction.line
            self._parameters[number] = instruction.shape
            self._next = max(self._next, number + 1)
        if instruction.is_root:
            self._root = instruction
        self._last = instruction
        self._defined[name] = instruction.shape
        self._lines.append(instruction.line)

    def _demand(self, what: str, names: tuple[str, ...], defined: Collection[str], start: int) -> None:
        """Raise ParseError if a name in an attribute after ``start`` is not defined."""
        for name in names:
            if name not in defined:
                text = self._source.text
                match = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])").search(text, start)
                place = match.span() if match else (start, start + 1)
                missing = f"no {what} {shortened(name)} stands before this one"
                self._refuse(missing, *place, *near_hint(near_names(name, defined)))

    def _compare(self, name: str, own: AnyShape, reference: Reference) -> None:
        """Raise ParseError if the shape at an operand differs from its own by more than the layout."""
        shape = reference.shape
        if shape is None or shape is own or shape == own:
            return
        if bare_shape(shape) != bare_shape(own):
            self._refuse(
                f"operand {shortened(name)} is {shape} here, {own} where it is defined",
                reference.start,
                reference.end,
            )

    def check(self, signature: Signature, line: int, end: int) -> Program | None:
        """Check the rules that need the whole computation: the shape of the root, and all parameters.

        Return the shapes of both, or None if a parameter is missing in a fragment.
        """
        root = self._root or self._last
        where = f"computation {shortened(signature.name)} of line {line}"
        if root is None:
            self._refuse(f"{where} has no instructions", end, end + 1)
        if signature.result is not None:
            stated, actual = bare_shape(signature.result), bare_shape(root.shape)
            if stated != actual:
                self._refuse(
                    f"{where} says that it returns {stated}, and its root {root.name} is {actual}",
                    end,
                    end + 1,
                )
        missing = next(i for i in range(len(self._numbers) + 1) if i not in self._numbers)
        count = len(self._numbers)
        if missing < count and not self._is_fragment:
            self._refuse(f"{where} has {count} parameters but no parameter({missing})", end, end + 1)
        if missing < count:
            return None
        return Program(tuple(self._parameters[i] for i in range(count)), root.shape)
