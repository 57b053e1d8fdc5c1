# SPDX-License-Identifier: Apache-2.0
"""The changes from one module to another, although every compile gives instructions new numbers.

>>> from ..hlo import read_module
>>> text = '''
...     HloModule m
...     ENTRY e {
...       p = f32[64,256]{1,0:T(8,128)} parameter(0)
...       copy.7 = f32[64,256]{0,1:T(8,128)} copy(p)
...       ROOT n.8 = f32[64,256]{0,1:T(8,128)} negate(copy.7)
...     }'''
>>> other = '''
...     HloModule m
...     ENTRY e {
...       p = f32[64,256]{0,1:T(8,128)} parameter(0)
...       ROOT n.3 = f32[64,256]{0,1:T(8,128)} negate(p)
...     }'''
>>> found = compare(read_module(text), read_module(other))
>>> print(*found.shapes, *found.groups, sep="\\n")
parameter 0 changed from {1,0:T(8,128)} to {0,1:T(8,128)}
1 copy (128.0K) is gone: copy.7
>>> print([str(total) for total in found.totals if total.name == "arguments"])
['arguments: 65536 -> 131072 bytes']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..errors import TlaError, UnsupportedError
from ..numbers import SymbolicInt
from ..xla_bridge import differences, memory_space_name, physical_bytes
from .aliasing import Index, arrays
from .buffers import module_buffers
from .copying import copy_totals, module_copies
from .entry import argument_bytes, output_bytes
from .live import live
from .matching import Item, Match, items_of, matched
from .sizes import printed_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..hlo import Module
    from ..xla_bridge import Chip, XlaShape

Unit: TypeAlias = Literal["bytes", "cycles", ""]

_PLURALS: Final = {"copy": "copies"}


class Total(NamedTuple):
    """One number in both modules; None in a module where it is unknown.

    Attributes:
        name: The name of the number.
        memory_space: The memory space of the number; None if it is not of one memory space.
    """

    name: str
    unit: Unit
    before: int | None
    after: int | None
    memory_space: int | None = None

    @property
    def change(self) -> int | None:
        """The number after minus the number before."""
        return None if self.before is None or self.after is None else self.after - self.before

    def __str__(self) -> str:
        before, after = ("unknown" if n is None else str(n) for n in (self.before, self.after))
        return f"{self.name}: {before} -> {after}" + (f" {self.unit}" if self.unit else "")


class ShapeChange(NamedTuple):
    """A parameter or result that has another shape; None in the module that has none.

    Attributes:
        what: ``"parameter"`` or ``"result"``.
        place: The number of the parameter and the index in its tuples, or the index in the result's.
        name: The program's name of the parameter.
        differences: The differences in words; empty if both shapes place all elements alike.
    """

    what: Literal["parameter", "result"]
    place: Index
    name: str
    before: XlaShape | None
    after: XlaShape | None
    differences: tuple[str, ...]

    def __str__(self) -> str:
        named = " ".join([self.what, *(str(i) for i in self.place)])
        named += f" ({self.name})" if self.name else ""
        if self.after is None:
            return f"{named}, {self.before}, is gone"
        if self.before is None:
            return f"{named} is new: {self.after}"
        before, after = str(self.before), str(self.after)
        bare = before.partition("{")[0]
        if bare == after.partition("{")[0] and bare not in (before, after):
            before, after = before[len(bare) :], after[len(bare) :]
        return f"{named} changed from {before} to {after}"


class ShapeGroup(NamedTuple):
    """Instructions of one opcode with the same kind of change.

    Attributes:
        what: ``"gone"``, ``"new"`` or ``"changed"``.
        opcode: Their opcode.
        is_inside: Whether they are within fusions, where nothing has memory of its own.
        matches: Each of them, before and after.
        bytes: The bytes that they write after the change; if they are gone, those that they wrote
            before.
    """

    what: Literal["gone", "new", "changed"]
    opcode: str
    is_inside: bool
    matches: tuple[Match, ...]
    bytes: int

    @property
    def subject(self) -> str:
        """The number and the kind: ``3 copies``, ``1 copy within fusions``."""
        n = len(self.matches)
        noun = self.opcode if n == 1 else _PLURALS.get(self.opcode, f"{self.opcode}s")
        return f"{n} {noun}" + (" within fusions" if self.is_inside else "")

    @property
    def predicate(self) -> str:
        """The change in words, and their names: ``are gone: copy.4, copy.5``."""
        verb = "changed" if self.what == "changed" else f"is {self.what}"
        verb = verb.replace("is ", "are ") if len(self.matches) > 1 else verb
        items = [match.before or match.after for match in self.matches]
        return f"{verb}: {', '.join(item.name for item in items if item is not None)}"

    def __str__(self) -> str:
        size = "" if self.is_inside else f" ({printed_bytes(self.bytes)})"
        return f"{self.subject}{size} {self.predicate}"


class Comparison(NamedTuple):
    """The changes between two modules.

    >>> from tla.hlo import read_module
    >>> from tla.memory import compare
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> found = compare(module, module)
    >>> found.unchanged, found.shapes, found.groups
    (1, (), ())

    Attributes:
        before, after: The names of the modules.
        totals: Numbers of both, also those that are equal.
        shapes: The parameters and results whose shapes differ.
        groups: The instructions that are gone, new or changed; the most bytes first, and those within
            fusions last.
        unchanged: The number of instructions with an equal one in the other module.
    """

    before: str
    after: str
    totals: tuple[Total, ...]
    shapes: tuple[ShapeChange, ...]
    groups: tuple[ShapeGroup, ...]
    unchanged: int


def compare(before: Module, after: Module, chip: str | Chip | None = None) -> Comparison:
    """Return the changes from one module to another.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> other = read_module('''ENTRY e {
    ...   ROOT p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ... }''')
    >>> found = compare(module, other)
    >>> for total in found.totals:
    ...     print(total)
    arguments: 4096 -> 4096 bytes
    results: 53248 -> 4096 bytes
    buffers in HBM: 57344 -> 4096 bytes
    estimated cycles: 0 -> 0 cycles
    instructions: 1 -> 0
    copies, relayout: 1 -> 0
    copies, relayout: 53248 -> 0 bytes

    `tla.memory.matching` matches instructions by their operation, not by their numbers.

    Args:
        chip: The chip of both modules. It decides the names of the memory spaces, and the size of the
            tables of pointers of results.

    Raises:
        NoSuchNameError: a module has no entry computation.
    """
    one, other = _Facts(before, chip), _Facts(after, chip)
    matches = matched(one.items, other.items)
    return Comparison(
        before.name,
        after.name,
        _totals(one, other),
        (*_parameters(before, after), *_results(before, after)),
        _groups(matches),
        sum(match.is_same for match in matches),
    )


class _Facts:
    """A module with its copies and instructions, for all counts."""

    __slots__ = ("chip", "copies", "items", "module")

    def __init__(self, module: Module, chip: str | Chip | None) -> None:
        self.module, self.chip = module, chip
        self.copies = module_copies(module)
        self.items = items_of(module, self.copies)


# --- numbers ----------------------------------------------------------------------------------


class _Key(NamedTuple):
    """The kind of a number."""

    name: str
    unit: Unit
    memory_space: int | None = None


_ARGUMENTS: Final = _Key("arguments", "bytes")
_RESULTS: Final = _Key("results", "bytes")
_PEAKS: Final = ("compiler's peak", "peak")
_ORDER: Final = ("arguments", "results", *_PEAKS, "buffers", "estimated cycles", "instructions")


def _totals(before: _Facts, after: _Facts) -> tuple[Total, ...]:
    one, other = _numbers(before), _numbers(after)
    return tuple(
        Total(
            _name(key, before.chip), key.unit, _number(one, key), _number(other, key), key.memory_space
        )
        for key in sorted({*one, *other, _ARGUMENTS, _RESULTS}, key=_order)
    )


def _name(key: _Key, chip: str | Chip | None) -> str:
    if key.memory_space is None:
        return key.name
    preposition = "of" if key.name == "peak" else "in"
    return f"{key.name} {preposition} {memory_space_name(key.memory_space, chip)}"


def _order(key: _Key) -> tuple[int, str, int, Unit]:
    first = _ORDER.index(key.name) if key.name in _ORDER else len(_ORDER)
    return first, key.name, key.memory_space or 0, key.unit


def _number(numbers: dict[_Key, int], key: _Key) -> int | None:
    """A number of a module: 0 if there is nothing to count, None if the number is unknown."""
    if key in (_ARGUMENTS, _RESULTS):
        return numbers.get(key)
    is_known = key.name not in _PEAKS or any(other.name in _PEAKS for other in numbers)
    return numbers.get(key, 0 if is_known else None)


def _numbers(facts: _Facts) -> dict[_Key, int]:
    """All counts of a module."""
    module, items = facts.module, facts.items
    counts: dict[_Key, int] = {}
    for key, size in (
        (_ARGUMENTS, argument_bytes(module)),
        (_RESULTS, output_bytes(module, facts.chip)),
    ):
        if not isinstance(size, SymbolicInt):  # a dim '?'
            counts[key] = size
    for computation in module_buffers(module):
        for buffer in computation.buffers:
            if not buffer.shape.is_unbounded_dynamic:
                key = _Key("buffers", "bytes", buffer.shape.memory_space)
                counts[key] = counts.get(key, 0) + physical_bytes(buffer.shape)
    counts |= _peaks(facts)
    for total in copy_totals(facts.copies):
        counts[_Key(f"copies, {total.kind}", "")] = total.copies
        counts[_Key(f"copies, {total.kind}", "bytes")] = total.written_bytes
    counts[_Key("instructions", "")] = len(items)
    counts[_Key("estimated cycles", "cycles")] = sum(item.estimated_cycles or 0 for item in items)
    return counts


def _peaks(facts: _Facts) -> dict[_Key, int]:
    """The peak of each memory space, if the module has a schedule."""
    if not facts.module.is_scheduled:
        return {}
    try:
        liveness = live(facts.module, facts.chip)
    except UnsupportedError:
        return {}
    peaks = {_Key("peak", "bytes", peak.memory_space): peak.bytes for peak in liveness.peaks}
    return {_Key("compiler's peak", "bytes"): liveness.compiler_peak_bytes, **peaks}


# --- parameters and results -------------------------------------------------------------------


def _parameters(before: Module, after: Module) -> list[ShapeChange]:
    names = {
        parameter.parameter_number: parameter.op_name
        for module in (after, before)
        for parameter in module.entry.parameters
    }
    return [
        change._replace(name=names.get(change.place[0], ""))
        for change in _changes("parameter", _parameter_arrays(before), _parameter_arrays(after))
    ]


def _parameter_arrays(module: Module) -> dict[Index, XlaShape]:
    return {
        (parameter.parameter_number or 0, *index): shape
        for parameter in module.entry.parameters
        for index, shape in arrays(parameter.shape)
    }


def _results(before: Module, after: Module) -> list[ShapeChange]:
    one, other = (dict(arrays(module.entry.root.shape)) for module in (before, after))
    return _changes("result", one, other)


def _changes(
    what: Literal["parameter", "result"], one: dict[Index, XlaShape], other: dict[Index, XlaShape]
) -> list[ShapeChange]:
    return [
        ShapeChange(what, place, "", one.get(place), other.get(place), _differences(one, other, place))
        for place in sorted({*one, *other})
        if one.get(place) != other.get(place)
    ]


def _differences(
    one: dict[Index, XlaShape], other: dict[Index, XlaShape], place: Index
) -> tuple[str, ...]:
    if place not in one or place not in other:
        return ()
    try:
        return tuple(str(each) for each in differences(one[place], other[place]))
    except TlaError as error:
        return (error.summary,)


# --- instructions -----------------------------------------------------------------------------


def _groups(matches: Iterable[Match]) -> tuple[ShapeGroup, ...]:
    by_key: dict[tuple[Literal["gone", "new", "changed"], str, bool], list[Match]] = {}
    for match in matches:
        item = match.after or match.before
        if item is None or match.is_same:
            continue
        what: Literal["gone", "new", "changed"] = (
            "gone" if match.after is None else "new" if match.before is None else "changed"
        )
        by_key.setdefault((what, item.opcode, item.is_inside), []).append(match)
    groups = [
        ShapeGroup(*key, tuple(like), sum(_bytes(match.after or match.before) for match in like))
        for key, like in by_key.items()
    ]
    return tuple(sorted(groups, key=lambda group: (group.is_inside, -group.bytes)))


def _bytes(item: Item | None) -> int:
    return 0 if item is None else item.bytes
