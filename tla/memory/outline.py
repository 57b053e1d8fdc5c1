# SPDX-License-Identifier: Apache-2.0
"""The facts of a whole module that the list of its buffers needs.

>>> from ..hlo import read_stream
>>> text = '''
... f { x = f32[8] parameter(0)
...   ROOT y = f32[8] negate(x) }
... ENTRY e { a = f32[8] parameter(0)
...   b = f32[8] fusion(a), kind=kLoop, calls=f
...   ROOT c = (f32[8]) tuple(b) }'''
>>> found = stream_outline(read_stream([text]))
>>> found.roles, found.given
({'f': 'fused', 'e': 'entry'}, {'e': frozenset({('b', ())})})

A computation stands before its callers, and a value before the root that hands it on. So the text must
be read twice, first for these facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..hlo import ComputationEnd, ComputationHead, Instruction, ModuleError
from .aliasing import Summary, arrays, results
from .roles import called_in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..hlo import Alias, Event, Module, ModuleStream
    from .aliasing import Index, Place, Result
    from .roles import Role

Key: TypeAlias = "tuple[str, Index]"
"""An array of an instruction's result: its name and the way through the tuples."""

_Lies: TypeAlias = "tuple[tuple[Key, ...], bool]"
"""The arrays in whose memory an array lies, and whether an instruction has written over them since."""


class Outline(NamedTuple):
    """The roles of the computations of a module, and the arrays that their roots hand on.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_outline
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> outline = module_outline(module)
    >>> outline.roles, outline.donated
    ({'e': 'entry'}, {})
    """

    roles: Mapping[str, Role]
    """The role of the entry and of each computation that is called, by name."""
    given: Mapping[str, frozenset[Key]]
    """The arrays with memory of their own that the root hands on, by computation. They do not include
    arrays that the root itself makes."""
    donated: Mapping[Key, Key]
    """The array of a parameter whose memory an array of the entry's result has, by that array."""
    summaries: Mapping[str, Summary]
    """The summaries of computations; only of those where an array of the root lies in a parameter."""


class Homes:
    """The arrays of one computation with the arrays in whose memory they lie, instruction by
    instruction.

    Its size grows with the arrays without memory of their own, and with the parameters.
    """

    __slots__ = ("_called", "_known", "_numbers", "_root")

    def __init__(self, called: Mapping[str, Summary]) -> None:
        self._called = called
        self._known: dict[Key, _Lies] = {}  # an array that is missing here has memory of its own
        self._numbers: dict[str, int] = {}
        self._root: Instruction | None = None

    @property
    def root(self) -> Instruction | None:
        """The root: the instruction with that mark, or else the last one so far."""
        return self._root

    def add(self, instruction: Instruction) -> list[tuple[Result, tuple[Key, ...]]]:
        """Return the arrays of a result, each with the arrays in which it lies; empty for its own
        memory.

        Add its operands before it.
        """
        out: list[tuple[Result, tuple[Key, ...]]] = []
        for result in results(instruction, self._called):
            sources = [
                self._lies(instruction.operands[number].name, index) for number, index in result.of
            ]
            owners: tuple[Key, ...] = ()
            if sources:
                lies = sources[0]
                if len(sources) > 1 or (result.is_written and not lies[1]):
                    together = dict.fromkeys(key for keys, _ in sources for key in keys)
                    written = result.is_written or any(before for _, before in sources)
                    lies = tuple(together), written
                self._known[instruction.name, result.shape_index] = lies
                owners = lies[0]
            out.append((result, owners))
        if instruction.parameter_number is not None:
            self._numbers[instruction.name] = instruction.parameter_number
        if self._root is None or instruction.is_root or not self._root.is_root:
            self._root = instruction
        return out

    def _lies(self, name: str, index: Index) -> _Lies:
        return self._known.get((name, index)) or (((name, index),), False)

    def _at_root(self) -> Iterator[tuple[Index, _Lies]]:
        if self._root is not None:
            for index, _ in arrays(self._root.shape):
                yield index, self._lies(self._root.name, index)

    def summary(self) -> Summary:
        """Return the summary that callers need."""
        places: dict[Index, Place] = {}
        written: list[Index] = []
        for index, (owners, was_written) in self._at_root():
            name, way = owners[0]
            if len(owners) == 1 and name in self._numbers:
                places[index] = self._numbers[name], way
                written += [index] if was_written else []
        return Summary(places, frozenset(written))

    def given(self) -> frozenset[Key]:
        """Return the entry of `Outline.given` for the computation."""
        marked = self._root.name if self._root is not None and self._root.is_root else ""
        return frozenset(
            key
            for _, (owners, _) in self._at_root()
            for key in owners
            if key[0] != marked and key[0] not in self._numbers
        )

    def donated(self, aliases: Iterable[Alias]) -> dict[Key, Key]:
        """Return `Outline.donated`, if this is the entry."""
        parameters = {number: name for name, number in self._numbers.items()}
        homes = {
            each.output_index: (parameters[each.parameter_number], each.parameter_index)
            for each in aliases
            if each.parameter_number in parameters
        }
        first: dict[Key, Key | None] = {}  # of two results that want the same array, the first decides
        for index, (owners, _) in self._at_root():
            for key in owners:
                first.setdefault(key, homes.get(index))
        return {key: home for key, home in first.items() if home is not None}


def stream_outline(stream: ModuleStream) -> Outline:
    """Return the outline of a module from its text, up to its end or to the place where it breaks off.

    >>> import io
    >>> from tla.hlo import read_stream
    >>> text = '''ENTRY e {
    ...   ROOT p = f32[8]{0:T(128)} parameter(0)
    ... }'''
    >>> stream_outline(read_stream(io.StringIO(text))).roles
    {'e': 'entry'}

    For each finished computation memory has its name, its role if something calls it, and the arrays
    that its root hands on.
    """
    return _outline(stream.events(), stream.header.input_output_alias)


def module_outline(module: Module) -> Outline:
    """Return the outline of a module.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> module_outline(module).roles
    {'e': 'entry'}
    """
    return _outline(_events(module), module.input_output_alias)


def _events(module: Module) -> Iterator[Event]:
    for each in module.computations:
        yield ComputationHead(each.name, each.is_entry, each.line)
        yield from each.instructions
        yield ComputationEnd(each.execution_thread)


def _outline(events: Iterable[Event], aliases: Iterable[Alias]) -> Outline:
    roles: dict[str, Role] = {}
    summaries: dict[str, Summary] = {}
    results: dict[str, frozenset[Key]] = {}
    donated: dict[Key, Key] = {}
    begun: list[tuple[ComputationHead, Homes]] = []
    ended: tuple[str, Homes] = "", Homes({})
    entry = ""
    try:
        for event in events:
            if isinstance(event, ComputationHead):
                begun.append((event, Homes(summaries)))
                entry = event.name if event.is_entry else entry
            elif isinstance(event, Instruction):
                begun[-1][1].add(event)
                roles.update(called_in_order(event))
            else:
                head, homes = begun.pop()
                ended = head.name, homes
                summary, keys = homes.summary(), homes.given()
                if summary.of:
                    summaries[head.name] = summary
                if keys:
                    results[head.name] = keys
                if head.is_entry:
                    donated = homes.donated(aliases)
        if not entry:  # XLA takes the last one
            entry, homes = ended
            donated = homes.donated(aliases)
    except ModuleError:
        pass  # the reader of the buffers raises the error again
    if entry:
        roles[entry] = "entry"
    return Outline(roles, results, donated, summaries)
