# SPDX-License-Identifier: Apache-2.0
"""The origin of a value of a module: the way back through instructions that move nothing.

A value is an array of an instruction's result. Some instructions only hand it on: ``tuple``,
``get-tuple-element``, ``bitcast``, ``reshape``, and a copy that keeps the layout. So do the parameters
of fusions and calls, and the state that a loop does not change. The way back through all of these ends
at the instruction that makes the array.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ..errors import UndecidedError
from ..hlo import names_in
from ..xla_bridge import XlaShape, XlaTuple, array_shape, equivalent, is_bitcast
from .renaming import Renaming, renaming, reshaping, transposing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..hlo import Computation, Instruction, Module
    from ..xla_bridge import AnyShape

Index: TypeAlias = tuple[int, ...]
"""The way through nested tuples to an array, from the outside in; empty for an array by itself."""

_UNCHANGED: Final = frozenset({"opt-barrier", "optimization-barrier", "domain", "add-dependency"})
_RANGE: Final = re.compile(r"\[([0-9]{1,18}):([0-9]{1,18})\]")
_CALLS: Final = frozenset({"fusion", "call", "async-start"})


class Value(NamedTuple):
    """An array of a module: the result of an instruction of a computation, at an index of its tuple."""

    computation: str
    instruction: str
    shape_index: Index = ()


class Origin(NamedTuple):
    """The array that a value comes from.

    Attributes:
        value: The array: an operation's result or a parameter of the entry.
        shape: Its shape.
        renamings: The renamings of its indices on the way, in order, without those that change nothing.
        through: The names of the instructions on the way, from the origin on.
    """

    value: Value
    shape: XlaShape
    renamings: tuple[Renaming, ...]
    through: tuple[str, ...]


class _Hop(NamedTuple):
    value: Value
    renaming: Renaming | None = None
    through: tuple[str, ...] = ()
    """The instructions that the hop skips."""


class Origins:
    """The origins of a module's values.

    >>> from ..hlo import read_module
    >>> origins = Origins(read_module('''
    ...     HloModule m
    ...     ENTRY e {
    ...       p = f32[6,4]{1,0} parameter(0)
    ...       b = f32[2,3,4]{2,1,0} bitcast(p)
    ...       t = (f32[2,3,4]{2,1,0}) tuple(b)
    ...       ROOT g = f32[2,3,4]{2,1,0} get-tuple-element(t), index=0
    ...     }'''))
    >>> origin = origins.of(Value("e", "g"))
    >>> origin.value.instruction, origin.through, origin.renamings[0].renamed((5, 1))
    ('p', ('b', 't', 'g'), (1, 2, 1))
    """

    __slots__ = ("_callers", "_module")

    def __init__(self, module: Module) -> None:
        self._module = module
        self._callers: dict[str, list[tuple[Computation, Instruction]]] = {}
        for computation in module.computations:
            for instruction in computation.instructions:
                for name in instruction.called:
                    self._callers.setdefault(name, []).append((computation, instruction))

    def of(self, value: Value) -> Origin:
        """Return the origin of a value."""
        renamings: list[Renaming] = []
        through: list[str] = []
        seen = {value}
        while True:
            instruction = self._instruction(value)
            hop = self._hop(value, instruction)
            if hop is None or hop.value in seen:  # a computation may call itself
                shape = array_at(instruction.shape, value.shape_index)
                return Origin(value, shape, tuple(reversed(renamings)), tuple(reversed(through)))
            through += [instruction.name, *hop.through]
            if hop.renaming is not None:
                renamings.append(hop.renaming)
            value = hop.value
            seen.add(value)

    def _instruction(self, value: Value) -> Instruction:
        return self._module.computation(value.computation).instruction(value.instruction)

    def _hop(self, value: Value, instruction: Instruction) -> _Hop | None:
        """The step back from a value to the array before it; None if the instruction makes the value."""
        opcode, index = instruction.opcode, value.shape_index
        if opcode == "parameter":
            return self._argument(value, instruction.parameter_number or 0)
        if opcode in _CALLS or opcode == "async-done":
            return self._root(value, instruction)
        if opcode == "while":
            return _hop_to(value, instruction, 0, index) if self._keeps(instruction, index) else None
        if opcode in _UNCHANGED:
            return _hop_to(value, instruction, 0, index)
        if opcode == "tuple":
            return _hop_to(value, instruction, index[0], index[1:]) if index else None
        if opcode == "get-tuple-element":
            return _element_hop(value, instruction)
        if opcode == "copy-done":
            return _hop_to(value, instruction, 0, (0, *index))
        if is_joined(instruction):
            return self._joined(value, instruction)
        return self._renaming(value, instruction)

    def _argument(self, value: Value, number: int) -> _Hop | None:
        """The operand of a parameter, if a single instruction calls its computation."""
        callers = self._callers.get(value.computation, ())
        if len(callers) != 1:
            return None
        computation, caller = callers[0]
        if caller.opcode == "while":
            if not self._keeps(caller, value.shape_index):
                return None
            number = 0
        elif caller.opcode == "conditional":
            number = 1 + caller.called.index(value.computation)
        elif caller.opcode not in _CALLS:
            return None
        here = Value(computation.name, caller.name)
        return _hop_to(here, caller, number, value.shape_index)

    def _root(self, value: Value, instruction: Instruction) -> _Hop | None:
        """The root of the computation that an instruction calls."""
        index = value.shape_index
        if instruction.opcode == "async-done":
            return _hop_to(value, instruction, 0, (1, *index))
        if instruction.opcode == "async-start":
            if index[:1] != (1,):
                return None
            index = index[1:]
        name = callee(instruction, "calls", "to_apply", "called_computations")
        if name is None:
            return None
        return _Hop(Value(name, self._module.computation(name).root.name, index))

    def _joined(self, value: Value, instruction: Instruction) -> _Hop | None:
        """The hop to the array whose pieces, fetched one by one, an instruction joins again."""
        computation = self._module.computation(value.computation)
        through: list[str] = []
        sources: set[str] = set()
        cuts: list[str] = []
        for operand in instruction.operands:
            piece = computation.instruction(operand.name)
            if piece.opcode == "slice-done":
                through.append(piece.name)
                piece = computation.instruction(piece.operands[0].name)
            if piece.opcode != "slice-start":
                return None
            through.append(piece.name)
            cuts.append(piece.attributes.get("slice", ""))
            sources.add(piece.operands[0].name)
        whole = computation.instruction(sources.pop()) if len(sources) == 1 else None
        after = array_at(instruction.shape, value.shape_index)
        if whole is None or not isinstance(whole.shape, XlaShape):
            return None
        if not _is_all(cuts, whole.shape.dimensions):
            return None
        name, before = whole.name, whole.shape
        if whole.opcode == "bitcast" and whole.operands:  # it may change the type
            through.append(name)
            name = whole.operands[0].name
            before = array_at(computation.instruction(name).shape, ())
        same = renaming(before, after)
        if same is None or not (same.is_total and same.is_onto):
            return None
        return _Hop(Value(value.computation, name), same, tuple(through))

    def _keeps(self, loop: Instruction, index: Index) -> bool:
        """Whether a loop leaves an array of its state unchanged."""
        body = callee(loop, "body")
        return body is not None and _keeps(self._module.computation(body), index)

    def _renaming(self, value: Value, instruction: Instruction) -> _Hop | None:
        """The hop to the operand of an instruction that changes only indices, or nothing."""
        opcode = instruction.opcode
        if opcode not in ("bitcast", "reshape", "transpose", "copy", "copy-start"):
            return None
        if opcode == "copy-start" and value.shape_index != (0,):
            return _hop_to(value, instruction, 0, ()) if value.shape_index == (1,) else None
        hop = _hop_to(value, instruction, 0, ())
        before = instruction.operands[0].shape if hop is not None else None
        after = array_at(instruction.shape, value.shape_index)
        if hop is None or not isinstance(before, XlaShape):
            return None
        if opcode == "transpose":
            order = permutation_of(instruction, before.rank)
            change = None if order is None else transposing(before.dimensions, order)
            free = change is not None and _is_free(before, after, change)
            return hop._replace(renaming=change) if free else None
        if opcode.startswith("copy"):
            return hop if same_layout(before, after) else None
        if opcode == "reshape":  # it keeps row-major numbers, but not places
            moved = reshaping(before.dimensions, after.dimensions)
            if moved is not None or not _is_bitcast(before, after):
                return None if moved is None else hop._replace(renaming=moved)
        same = renaming(before, after)
        free = same is not None and same.is_total and same.is_onto
        return hop._replace(renaming=same) if free else None


def is_joined(instruction: Instruction) -> bool:
    """Whether an instruction joins the pieces of an array that follow one another."""
    return "ConcatBitcast" in instruction.attributes.get("custom_call_target", "")


def _is_all(cuts: Sequence[str], dims: Sequence[int]) -> bool:
    """Whether slices follow each other along one dim, whole in the others, and cover the array."""
    ranges = [[(int(a), int(b)) for a, b in _RANGE.findall(cut)] for cut in cuts]
    whole = [(0, n) for n in dims]
    if not ranges or any(len(each) != len(dims) for each in ranges):
        return False
    along = [d for d, n in enumerate(whole) if any(each[d] != n for each in ranges)]
    if len(along) > 1:
        return False
    d = along[0] if along else 0
    ends = [0, *(each[d][1] for each in ranges)]
    return ends[-1] == dims[d] and [each[d][0] for each in ranges] == ends[:-1]


def array_at(shape: AnyShape, index: Index) -> XlaShape:
    """Return the array at an index of nested tuples.

    Raises:
        UnsupportedError: there is no array at that index.
    """
    for i in index:
        if not isinstance(shape, XlaTuple) or i >= len(shape.elements):
            break
        shape = shape.elements[i]
    return array_shape(shape)


def _is_bitcast(before: XlaShape, after: XlaShape) -> bool:
    """Whether a reshape is known to leave every element where it is."""
    try:
        return is_bitcast(before, after)
    except UndecidedError:
        return False


def same_layout(a: XlaShape, b: XlaShape) -> bool:
    """Whether a copy between the two is known to leave each element at its offset."""
    try:
        return equivalent(a, b)
    except UndecidedError:
        return False


def permutation_of(transpose: Instruction, rank: int) -> tuple[int, ...] | None:
    """Return the permutation of a transpose, the operand's dim for each dim; None if it states none."""
    dims = tuple(int(d) for d in re.findall(r"[0-9]{1,9}", transpose.attributes.get("dimensions", "")))
    return dims if sorted(dims) == list(range(rank)) else None


def _is_free(before: XlaShape, after: XlaShape, transpose: Renaming) -> bool:
    """Whether a transpose leaves each element where it is."""
    same = renaming(before, after)
    return same is not None and sorted(same.parts) == sorted(transpose.parts)


def _hop_to(value: Value, instruction: Instruction, number: int, index: Index) -> _Hop | None:
    """The hop to an operand of an instruction of the value's computation, if there is one."""
    if number >= len(instruction.operands):
        return None
    return _Hop(Value(value.computation, instruction.operands[number].name, index))


def _element_hop(value: Value, element: Instruction) -> _Hop | None:
    """The hop from an element of a tuple to the tuple that holds it."""
    number = element.attributes.get("index", "")
    if not re.fullmatch("[0-9]{1,9}", number):
        return None
    return _hop_to(value, element, 0, (int(number), *value.shape_index))


def callee(instruction: Instruction, *attributes: str) -> str | None:
    """Return the computation that the first of some attributes names; None if none does."""
    for attribute in attributes:
        names = names_in(instruction.attributes.get(attribute, ""))
        if names:
            return names[0]
    return None


def _keeps(body: Computation, index: Index) -> bool:
    """Whether a loop's body leaves an array of its state unchanged."""
    value = Value(body.name, body.root.name, index)
    while True:
        instruction = body.instruction(value.instruction)
        hop: _Hop | None = None
        if instruction.opcode == "parameter":
            return value.shape_index == index
        if instruction.opcode == "tuple" and value.shape_index:
            hop = _hop_to(value, instruction, value.shape_index[0], value.shape_index[1:])
        elif instruction.opcode == "get-tuple-element":
            hop = _element_hop(value, instruction)
        if hop is None:
            return False
        value = hop.value
