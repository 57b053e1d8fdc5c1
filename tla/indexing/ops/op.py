# SPDX-License-Identifier: Apache-2.0
"""An HLO instruction in the form that the rules use: shapes without tuples, attributes as ints.

>>> from tla.hlo import read_instruction
>>> op = Op(read_instruction("%b = f32[2,3] broadcast(f32[3] %x), dimensions={1}"))
>>> op.ints("dimensions"), op.dims(0), op.sizes(op.inputs[0].shape)
((1,), (2, 3), (3,))

A tuple, of the operands or of the result, counts as its elements from left to right, at every depth. So
an operand, or an output, is always one array.
"""

from __future__ import annotations

import re
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from ...errors import KindError, UnsupportedError
from ...ground import int_in, near_words, shortened
from ...hlo import Program, ShapeInferenceError, bare_shape, differs, infer_shape
from ...xla_bridge import XlaBuffer, XlaShape, XlaTuple
from ..maps import IndexingMap
from ..variables import dim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ...hlo import Computation, Instruction
    from ...xla_bridge import AnyShape

    Follow = Callable[[Computation, int], list[list[IndexingMap]]]

Devices: TypeAlias = "int | tuple[int, int] | None"
"""The number of devices that run a program, or the numbers of replicas and of partitions of each."""


class MalformedError(UnsupportedError, ValueError):
    """An instruction of HLO contradicts itself.

    >>> from tla.hlo import read_instruction
    >>> from tla.indexing import output_to_input
    >>> output_to_input(read_instruction("r = f32[64,9] reshape(f32[8,64] x)"))
    Traceback (most recent call last):
        ...
    tla.indexing.ops.op.MalformedError: reshape r is wrong: the operand has 512 elements, the result 576

    The text says where, in numbers; ``instruction``, ``opcode`` and ``reason`` are its parts.
    """


class Leaf(NamedTuple):
    """An array that an instruction reads or makes: its name, its place in a tuple, its shape."""

    name: str
    path: tuple[int, ...]
    shape: XlaShape

    def __str__(self) -> str:
        return f"{self.name}{''.join(f'#{i}' for i in self.path)}"


def leaves(name: str, shape: AnyShape) -> Iterator[Leaf]:
    """Yield the arrays of a shape, which may be a tuple of tuples, from left to right."""
    todo: list[tuple[tuple[int, ...], AnyShape]] = [((), shape)]
    while todo:
        path, inner = todo.pop()
        if isinstance(inner, XlaTuple):
            todo += [((*path, i), each) for i, each in reversed(list(enumerate(inner.elements)))]
        else:
            yield Leaf(name, path, inner.array if isinstance(inner, XlaBuffer) else inner)


def called(instruction: Instruction, attribute: str = "") -> Computation | None:
    """Return the computation that an attribute names, or the first one; None if it is not known."""
    found = dict(zip(instruction.called, instruction.computations, strict=False))
    if not attribute:
        return next(iter(found.values()), None)
    return found.get(instruction.attributes.get(attribute, "").lstrip("%"))


_INT = re.compile(r"-?\d+")


class _Asked(dict[str, str]):
    """Attributes, with the names that were asked for."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        super().__init__(attributes)
        self.names: dict[str, None] = {}

    def get(self, key: Any, default: Any = None, /) -> Any:
        self.names[key] = None
        return super().get(key, default)


class Op:
    """An instruction, its operands and outputs.

    Args:
        devices: The number of devices that run the program, or the numbers of replicas and of partitions
            of each; for instructions that do not give it.
        follow: A function that returns the maps of an output of a computation that the instruction
            calls. Without it those are not known.
    """

    def __init__(
        self, instruction: Instruction, devices: Devices = None, follow: Follow | None = None
    ) -> None:
        if not hasattr(instruction, "opcode"):
            found = type(instruction).__name__
            raise KindError(
                f"expected an instruction, got {found}",
                *(["read_instruction reads the text of one."] if found == "str" else []),
                value=instruction,
            )
        self.instruction = instruction
        self.devices = devices
        self._follow = follow
        self._asked: set[str] = set()

    @property
    def device_count(self) -> int | None:
        """The number of devices that run the program; None if it is not known."""
        return prod(self.devices) if isinstance(self.devices, tuple) else self.devices

    @property
    def partitions(self) -> int | None:
        """The number of devices of a replica; None if it is not known."""
        return self.devices[1] if isinstance(self.devices, tuple) else None

    @property
    def opcode(self) -> str:
        """Its opcode."""
        return self.instruction.opcode

    @cached_property
    def inputs(self) -> tuple[Leaf, ...]:
        """The arrays of its operands."""
        found: list[Leaf] = []
        for operand in self.instruction.operands:
            if operand.shape is None:
                way = f"Write its shape before it, as in {self.opcode}(f32[2,3] {operand.name}, ...)."
                self.refuse(f"the shape of operand {operand.name} is not known", way)
            found += leaves(operand.name, operand.shape)
        return tuple(found)

    @cached_property
    def outputs(self) -> tuple[Leaf, ...]:
        """The arrays of its result."""
        return tuple(leaves(self.instruction.name, self.instruction.shape))

    def sizes(self, shape: XlaShape) -> tuple[int, ...]:
        """Return the dims of a shape; for a dynamic dim its bound.

        Raises:
            UnsupportedError: a dim has no bound.
        """
        if not all(type(n) is int for n in shape.dimensions):  # it is symbolic there
            self.refuse(f"{shape} has a dim of unknown size")
        return shape.dimensions

    def dims(self, output: int = 0) -> tuple[int, ...]:
        """Return the dims of an output."""
        return self.sizes(self.outputs[output].shape)

    def ints(self, name: str, default: Iterable[int] | None = ()) -> tuple[int, ...]:
        """Return the ints of an attribute such as ``dimensions={0,2}``, in their order.

        Raises:
            MalformedError: it is missing, and there is no default.
        """
        if default is not None and name not in self.instruction.attributes:
            self._asked.add(name)
            return tuple(default)
        return tuple(map(int_in, _INT.findall(self.attribute(name, None))))

    def attribute(self, name: str, default: str | None = "") -> str:
        """Return the text of an attribute.

        Raises:
            MalformedError: it is missing, and there is no default.
        """
        self._asked.add(name)
        text = self.instruction.attributes.get(name, default)
        if text is None:
            self.fail(f"it has no {name}")
        return text

    def refuse(self, why: str, *details: str) -> NoReturn:
        """Raise the error of an instruction that has no map; ``why`` is the text after "because"."""
        summary = f"instruction {self.instruction.name}: op {self.opcode} is not supported because {why}"
        raise UnsupportedError(summary, *details, **self._data(why))

    def fail(self, why: str) -> NoReturn:
        """Raise the error of an instruction that contradicts itself; ``why`` says it in numbers."""
        summary = f"{self.opcode} {self.instruction.name} is wrong: {why}"
        raise MalformedError(summary, *self._misspelt(), **self._data(why))

    def _data(self, why: str) -> dict[str, str]:
        """What an error holds."""
        return {"instruction": self.instruction.name, "opcode": self.opcode, "reason": why}

    def expect_no_misspelt(self) -> None:
        """Refuse an instruction with an attribute that nearly has the name of one that it lacks."""
        for why in self._misspelt():
            self.fail(why[0].lower() + why[1:].removesuffix("."))

    def _misspelt(self) -> list[str]:
        given = self.instruction.attributes
        return [
            f"Its attribute {word!r} is not known; did you mean {name!r}?"
            for name in sorted(self._asked.difference(given))
            for word in given.keys() - self._asked
            if abs(len(word) - len(name)) < 3 and near_words(word, [name], 0.8)
        ]

    def expect_shape(self) -> None:
        """Refuse an instruction whose operands and attributes do not make its result, by `infer_shape`.

        A dynamic dim counts as its bound. A computation that is not known is not checked.

        Raises:
            MalformedError: the two contradict each other.
        """
        it, asked = self.instruction, _Asked(self.instruction.attributes)
        shapes = [XlaShape(leaf.shape.element_type, self.sizes(leaf.shape)) for leaf in self.inputs]
        programs = {
            name: Program(tuple(each.shape for each in of.parameters), of.root.shape)
            for name, of in zip(it.called, it.computations, strict=False)
        }
        try:
            inferred = infer_shape(it.opcode, shapes, asked, programs)
        except ShapeInferenceError as error:
            for name in asked.names:
                self.ints(name)  # a number of too many digits says so
            if not error.data["rule"]:
                self.fail(error.data["reason"])
            given = [f"{name}={it.attributes[name]}" for name in asked.names if name in it.attributes]
            has = ", ".join([*map(bare_shape, shapes), *given])
            self.fail(
                f"the rule is that {error.data['rule']}; it has {shortened(has, 200) or 'no operand'}"
            )
        if differs(it.opcode, it.shape, inferred):
            made = bare_shape(it.shape)
            self.fail(f"its operands make {bare_shape(inferred)}, and its result is {made}")

    def of(self, instruction: Instruction) -> Op:
        """Return another instruction in the place of this one."""
        return Op(instruction, self.devices, self._follow)

    # --- maps that many ops have ---

    def computation_maps(self, computation: Computation, output: int) -> list[list[IndexingMap]]:
        """Return the maps of an output of a computation that it calls, for each parameter."""
        if self._follow is None:
            self.refuse(f"computation {computation.name} is not followed")
        return self._follow(computation, output)

    def identity(self, output: int = 0) -> IndexingMap:
        """Return the map from each element of an output to the element at its place."""
        dims = self.dims(output)
        return IndexingMap([dim(i) for i in range(len(dims))], dims)

    def to_scalar(self, output: int = 0) -> IndexingMap:
        """Return the map from each element of an output to an operand of rank 0."""
        return IndexingMap((), self.dims(output))
