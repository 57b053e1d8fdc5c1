# SPDX-License-Identifier: Apache-2.0
"""The memory of an instruction's result: which arrays have their own, and which share an operand's.

>>> from ..hlo import read_instruction
>>> both = read_instruction("c = (f32[8], f32[8]) tuple(a, b)")
>>> [(r.shape_index, r.of, r.rule) for r in results(both)]
[((0,), ((0, ()),), 'forward'), ((1,), ((1, ()),), 'forward')]
>>> [r.rule for r in results(read_instruction("c = f32[8] add(a, b)"))]
['own']

`RULES` has the text of each rule. We compared the rules with the buffer assignments that the TPU
compiler (libtpu 0.0.42) writes under ``xla_dump_to``, for 96 programs on v2 to tpu7x. No buffer of these
4255 has values that lie at different places there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn, TypeAlias

from ..errors import UnsupportedError
from ..xla_bridge import XlaTuple, array_shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..hlo import Instruction
    from ..xla_bridge import AnyShape, XlaShape

Index: TypeAlias = tuple[int, ...]
"""The way through nested tuples to an array, from the outside in; empty for an array by itself."""

Place: TypeAlias = tuple[int, Index]
"""An array of an operand or of a parameter, whose number comes first."""

RULES: Final = {
    "own": "Each array of a result has memory of its own, where no other rule holds. So a fusion has"
    " one buffer for each array that it gives.",
    "argument": "A parameter of the entry computation lies where the caller put it.",
    "parameter": "A parameter of a computation that is called is the operand of the caller.",
    "inside": "Values inside a fusion, or inside what reduce, sort and the like do to single elements,"
    " are no buffers; constants of the latter are.",
    "forward": "bitcast, tuple, get-tuple-element, opt-barrier, domain, add-dependency and a custom"
    " call of ConcatBitcast hand on what they get.",
    "start": "The -start of an asynchronous instruction names its operands again; its results and"
    " flags are its own.",
    "done": "The -done and -update of an asynchronous instruction hand on what its -start made.",
    "in place": "dynamic-update-slice and scatter write over the array that they update, also as the"
    " root of a fusion.",
    "declared": "A result shares the memory that output_to_operand_aliasing, or aliasing_operands in"
    " the backend_config, says it shares.",
    "loop": "The state of a while stays where its operand lies; the root of the body is put there.",
    "callee": "What a call, a conditional or an asynchronous computation gives is the root of the"
    " computation that it runs.",
    "donated": "A part of the module's result named by input_output_alias lies in that parameter.",
}
"""The text of each rule, by its name."""

_FORWARDING = frozenset(
    {"bitcast", "tuple", "get-tuple-element", "opt-barrier", "domain", "add-dependency"}
)
_UPDATING = frozenset({"dynamic-update-slice", "scatter"})
_HANDING_ON = frozenset({"forward", "start", "done"})
_SAME_INDEX_DONE = frozenset({"all-reduce-done", "recv-done"})
_PAIR = re.compile(r"\{([\d,\s]*)\}\s*:\s*\(\s*(\d+)\s*,\s*\{([\d,\s]*)\}")
_INDICES = re.compile(r'"indices"\s*:\s*\[([^\]]*)\]')
_SHARING = re.compile(
    rf'"aliasing_operands"\s*:\s*\{{\s*"lists"\s*:\s*\[((?:[\s,]*\{{\s*{_INDICES.pattern}\s*\}})+)'
)


class Result(NamedTuple):
    """An array of an instruction's result, and the arrays whose memory it has."""

    shape_index: Index
    shape: XlaShape
    of: tuple[Place, ...]
    """The arrays of operands whose memory it has; empty if it has its own."""
    is_written: bool
    """Whether the instruction writes there. If not, it passes on the values that lie there."""
    rule: str


class Summary(NamedTuple):
    """The facts of a computation that a caller needs: the arrays of its root that lie in a parameter."""

    of: Mapping[Index, Place]
    written: frozenset[Index]
    """Those of them that the computation writes over."""

    def hands_on(self, index: Index) -> bool:
        """Whether an array of its first parameter is in the same place of its root, untouched."""
        return self.of.get(index) == (0, index) and index not in self.written


def arrays(shape: AnyShape) -> list[tuple[Index, XlaShape]]:
    """Return the arrays in a shape that carry data, each with its way through the tuples.

    >>> from ..xla_bridge import parse_shape
    >>> [(index, str(array)) for index, array in arrays(parse_shape("(f32[2], (u8[3], token[]))"))]
    [((0,), 'f32[2]{0}'), ((1, 0), 'u8[3]{0}')]
    """
    leaves: list[tuple[Index, XlaShape]] = []
    todo: list[tuple[Index, AnyShape]] = [((), shape)]
    while todo:
        index, each = todo.pop()
        if isinstance(each, XlaTuple):
            todo += [((*index, i), element) for i, element in enumerate(each.elements)][::-1]
        elif each.arrays()[0].element_type.bits is not None:
            leaves.append((index, array_shape(each)))
    return leaves


def results(instruction: Instruction, called: Mapping[str, Summary] | None = None) -> list[Result]:
    """Return the arrays of an instruction's result, each with the arrays whose memory it has.

    Args:
        called: The summaries of the computations it calls, by name. If the summary of a fusion or call
            is missing, its results count as memory of its own.

    Raises:
        UnsupportedError: an array stands in place of a tuple, or a tuple does not have an element.
    """
    leaves = arrays(instruction.shape)
    shared = _sharing(instruction, [index for index, _ in leaves], called or {})
    count = len(instruction.operands)
    out: list[Result] = []
    for index, shape in leaves:
        rule, places = shared.get(index, ("own", ()))
        places = tuple(place for place in places if place[0] < count)  # the text may lack an operand
        if places:
            out.append(Result(index, shape, places, rule not in _HANDING_ON, rule))
        else:
            out.append(Result(index, shape, (), True, "own"))
    return out


def summary(instructions: Iterable[Instruction], called: Mapping[str, Summary]) -> Summary:
    """Return the arrays of a computation's root that lie in its parameters.

    Args:
        instructions: The instructions of one computation, each after its operands.
        called: The summaries of the computations called before.
    """
    known: dict[str, dict[Index, tuple[Place, bool]]] = {}
    root: dict[Index, tuple[Place, bool]] = {}
    for each in instructions:
        number = each.parameter_number
        if number is not None:
            places_of = {index: ((number, index), False) for index, _ in arrays(each.shape)}
        else:
            places_of = {}
            for result in results(each, called):
                origin = _origin(each, result, known)
                if origin is not None:
                    places_of[result.shape_index] = origin
        known[each.name] = places_of
        if each.is_root:
            root = places_of
    places = {index: place for index, (place, _) in root.items()}
    return Summary(places, frozenset(index for index, (_, written) in root.items() if written))


def _origin(
    instruction: Instruction, result: Result, known: Mapping[str, Mapping[Index, tuple[Place, bool]]]
) -> tuple[Place, bool] | None:
    """The place of a parameter in which a result lies, and whether an instruction wrote over it."""
    if len(result.of) != 1:
        return None
    ((number, index),) = result.of
    before = known.get(instruction.operands[number].name, {}).get(index)
    return before and (before[0], before[1] or result.is_written)


_Places: TypeAlias = dict[Index, tuple[Place, ...]]


def _sharing(
    instruction: Instruction, leaves: list[Index], called: Mapping[str, Summary]
) -> dict[Index, tuple[str, tuple[Place, ...]]]:
    """The rule for an array that has no memory of its own, and the places that the rule gives it."""
    opcode = instruction.opcode
    if opcode in _FORWARDING or "ConcatBitcast" in instruction.attributes.get("custom_call_target", ""):
        return _by("forward", _forwarding(instruction, leaves))
    if opcode == "while":
        return _by("loop", {index: ((0, index),) for index in leaves})
    if opcode.endswith(("-done", "-update")):
        return _by("done", _handed_on(opcode, leaves))
    if opcode.endswith("-start") or opcode == "send":
        return _by("start", _named_again(opcode, leaves))
    if opcode == "conditional":
        return _by("callee", _handed_on_by_branches(instruction, called))
    names = instruction.called if opcode in ("call", "fusion") else ()
    callee = next((called[name] for name in names if name in called), Summary({}, frozenset()))
    if opcode == "call":
        return _by("callee", {index: (place,) for index, place in callee.of.items()})
    in_place: _Places = {index: (callee.of[index],) for index in callee.written}
    if opcode in _UPDATING:
        in_place = {index: ((index[0] if index else 0, ()),) for index in leaves}
    return _by("in place", in_place) | _by("declared", _declared(instruction, leaves))


def _by(rule: str, places: _Places) -> dict[Index, tuple[str, tuple[Place, ...]]]:
    return {index: (rule, at) for index, at in places.items()}


def _forwarding(instruction: Instruction, leaves: list[Index]) -> _Places:
    if instruction.opcode == "tuple":
        if leaves == [()]:
            _refuse(instruction, "it gives no tuple")
        return {index: ((index[0], index[1:]),) for index in leaves}
    if instruction.opcode == "get-tuple-element":
        at = _ints(instruction.attributes.get("index", ""))[:1]
        shape = instruction.operands[0].shape if instruction.operands else None
        count = len(shape.elements) if isinstance(shape, XlaTuple) else 0
        if shape is not None and at and at[0] >= count:
            _refuse(instruction, f"its operand {shape} has no element {at[0]}")
        return {index: ((0, (*at, *index)),) for index in leaves if at}
    if instruction.opcode == "custom-call":  # pieces that follow one another become one array
        return {index: tuple((i, ()) for i in range(len(instruction.operands))) for index in leaves}
    return {index: ((0, index),) for index in leaves}


def _refuse(instruction: Instruction, why: str) -> NoReturn:
    raise UnsupportedError(
        f"the {instruction.opcode} {instruction.name} of line {instruction.line} breaks a rule: {why}",
        f"It is {instruction}",
        instruction=instruction.name,
    )


def _handed_on_by_branches(instruction: Instruction, called: Mapping[str, Summary]) -> _Places:
    """The places of branches. Operand 0 selects the branch, operand 1 is the parameter of the first."""
    of: _Places = {}
    for number, name in enumerate(instruction.called, 1):
        for index, (_, way) in called[name].of.items() if name in called else ():
            of.setdefault(index, ((number, way),))
    return of


def _handed_on(opcode: str, leaves: list[Index]) -> _Places:
    """The place of the result in a -start: element 0 for a copy, element 1 for others with operands."""
    if opcode.endswith("-update") or opcode in _SAME_INDEX_DONE:
        return {index: ((0, index),) for index in leaves}
    at = 0 if opcode == "copy-done" else 1
    return {index: ((0, (at, *index)),) for index in leaves}


def _named_again(opcode: str, leaves: list[Index]) -> _Places:
    """The place of the operand in a -start: element 1 for a copy-start, element 0 for others."""
    if opcode == "all-reduce-start":
        return {}
    at = 1 if opcode == "copy-start" else 0
    operands = [index for index in leaves if index[:1] == (at,)]
    return {index: ((index[1], index[2:]) if index[1:] else (0, ()),) for index in operands}


def _declared(instruction: Instruction, leaves: list[Index]) -> _Places:
    """The pairs of result and operand that an attribute lets share memory."""
    pairs = _PAIR.findall(instruction.attributes.get("output_to_operand_aliasing", ""))
    of: _Places = {_ints(result): ((int(number), _ints(index)),) for result, number, index in pairs}
    config = instruction.attributes.get("backend_config", "")
    lists = _SHARING.search(config) if "aliasing_operands" in config else None
    # The attribute counts the operands first, and then the arrays of the result.
    first = len(instruction.operands)
    for text in _INDICES.findall(lists[1]) if lists is not None else ():
        together = _ints(text.replace('"', ""))
        operands = [n for n in together if n < first]
        shared = [leaves[n - first] for n in together if first <= n < first + len(leaves)]
        of |= {index: ((operands[0], ()),) for index in shared if operands}
    return of


def _ints(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part.strip().isdecimal())
