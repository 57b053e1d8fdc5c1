# SPDX-License-Identifier: Apache-2.0
"""The lifetime of each buffer of a scheduled module, in steps of the schedule.

>>> from ..hlo import read_module
>>> module = read_module('''
... ENTRY e {
...   a = f32[8] parameter(0)
...   b = f32[8] negate(a)
...   c = f32[8] exponential(b)
...   ROOT d = f32[8] add(c, c)
... }''')
>>> [(each.buffer.name, each.held) for each in lifetimes(module).buffers]
[('a', ((0, 1),)), ('b', ((1, 2),)), ('c', ((2, 3),)), ('d', ((3, 3),))]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import UnsupportedError
from .aliasing import arrays, results, summary
from .buffers import module_buffers
from .schedule import called_once, schedule_of
from .simulated import Use, ValueSteps, counted_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..hlo import Instruction, Module
    from ..xla_bridge import XlaShape
    from .aliasing import Index, Summary
    from .buffers import Buffer
    from .schedule import Caller, Schedule


class Span(NamedTuple):
    """A value in a buffer: the step that makes it and the last step that needs it, both included.

    >>> Span(first=2, last=5, is_used=True)
    Span(first=2, last=5, is_used=True)
    """

    first: int
    last: int
    is_used: bool
    """Whether an instruction reads it."""


class Lifetime(NamedTuple):
    """A buffer and the values in it, one after another; a buffer off the schedule has none.

    >>> from tla.hlo import read_module
    >>> from tla.memory import lifetimes
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> lifetime = lifetimes(module).buffers[0]
    >>> lifetime.buffer.name, lifetime.spans
    ('p', (Span(first=0, last=1, is_used=True),))
    """

    buffer: Buffer
    spans: tuple[Span, ...]
    position: int
    """The place in the text of its first value."""
    simulated: tuple[tuple[int, int | None], ...]
    """The first and last steps that the compiler counts, outside main memory. The last step is None if
    the compiler has no end."""

    @property
    def held(self) -> tuple[tuple[int, int], ...]:
        """The steps at which the buffer is live, as pairs of the first and the last."""
        pairs: list[tuple[int, int]] = []
        for first, last, _ in sorted(self.spans):
            if pairs and first <= pairs[-1][1] + 1:
                pairs[-1] = pairs[-1][0], max(pairs[-1][1], last)
            else:
                pairs.append((first, last))
        return tuple(pairs)


class Lifetimes(NamedTuple):
    """The schedule of a module, and the lifetimes of its buffers.

    >>> from tla.hlo import read_module
    >>> from tla.memory import lifetimes
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> found = lifetimes(module)
    >>> len(found.schedule.steps), [lifetime.buffer.name for lifetime in found.buffers]
    (2, ['p', 'c'])
    """

    schedule: Schedule
    buffers: tuple[Lifetime, ...]


def lifetimes(module: Module) -> Lifetimes:
    """Return the lifetime of each buffer of a module.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> for lifetime in lifetimes(module).buffers:
    ...     print(lifetime.buffer.name, lifetime.spans)
    p (Span(first=0, last=1, is_used=True),)
    c (Span(first=1, last=1, is_used=True),)

    A value is live from the step that makes it to the last step that reads it or hands it on. A root is
    live to the end of its computation. A loop takes over its state when its condition begins. The parts
    of the state that its body does not change stay live throughout.

    Raises:
        UnsupportedError: a computation runs itself, or its caller has fewer operands than it has
            parameters.
    """
    module = called_once(module)
    schedule = schedule_of(module)
    walk = _Walk(module, schedule)
    for at, step in enumerate(schedule.steps):
        walk.step(at, step.computation, step.instruction)
    walk.join_donated(module)
    buffers = [buffer for computation in module_buffers(module) for buffer in computation.buffers]
    return Lifetimes(schedule, walk.lifetimes_of(buffers))


class _Home:
    """The memory of a buffer, or a link to the memory that it shares."""

    __slots__ = ("into",)

    def __init__(self) -> None:
        self.into: tuple[_Home, ...] = ()


def _final(homes: Iterable[_Home]) -> tuple[_Home, ...]:
    """The homes at the end of the links, each once."""
    ends: dict[_Home, None] = {}
    todo = list(homes)[::-1]
    while todo:
        home = todo.pop()
        if home.into:
            todo += home.into[::-1]
        else:
            ends[home] = None
    return tuple(ends)


def _move(homes: Iterable[_Home], into: Iterable[_Home]) -> None:
    """Link some homes to others, an array in pieces piece by piece."""
    old, new = _final(homes), _final(into)
    for i, home in enumerate(old):
        if home not in new:
            home.into = (new[i],) if len(old) == len(new) else new


class _Value:
    """A value: its place in the text, the steps at which it is live, and its memory."""

    __slots__ = ("begins", "ends", "first", "homes", "last", "position", "uses")

    def __init__(self, at: int, begins: int, position: int, homes: tuple[_Home, ...]) -> None:
        self.first = self.last = at
        # In XLA a parameter begins with its computation, and a root ends after it.
        self.begins, self.ends = begins, at
        self.position, self.homes = position, homes
        self.uses: list[Use] = []

    def needed(self, until: int, behind: int) -> None:
        self.last, self.ends = max(self.last, until), max(self.ends, behind)


_Values: TypeAlias = tuple[_Value, ...]


def _in_order(values: Iterable[_Value]) -> list[ValueSteps]:
    """The values of a buffer in order; a value that overlaps the next one hands its end over to it."""
    in_order: list[ValueSteps] = []
    for value in sorted(values, key=lambda value: (value.begins, value.ends)):
        steps = ValueSteps(value.begins, value.ends, value.uses)
        if in_order and steps.first <= in_order[-1].last:
            before = in_order[-1]
            in_order[-1] = before._replace(last=steps.first)
            steps = steps._replace(last=max(steps.last, before.last))
        in_order.append(steps)
    return in_order


class _Walk:
    """The values of a module, step by step."""

    __slots__ = (
        "_all",
        "_callers",
        "_known",
        "_position",
        "_positions",
        "_roots",
        "_spans",
        "_summaries",
    )

    def __init__(self, module: Module, schedule: Schedule) -> None:
        self._callers, self._spans = schedule.callers, schedule.spans
        self._summaries: dict[str, Summary] = {}
        for computation in module.computations:
            self._summaries[computation.name] = summary(computation.instructions, self._summaries)
        self._roots = {each.name: each.root.name for each in module.computations}
        self._known: dict[tuple[str, str], dict[Index, _Values]] = {}
        self._all: list[_Value] = []
        self._positions = {
            (computation.name, each.name): i
            for i, (computation, each) in enumerate(
                (c, each) for c in module.computations for each in c.instructions
            )
        }
        self._position = 0

    def step(self, at: int, computation: str, instruction: Instruction) -> None:
        """Add the values of an instruction, and the steps of the values that it reads."""
        self._read(at, computation, instruction)
        self._position = self._positions[computation, instruction.name]
        results: dict[Index, _Values] = {}
        self._known[computation, instruction.name] = results
        number, caller = instruction.parameter_number, self._callers.get(computation)
        leaves = arrays(instruction.shape)
        if number is not None and caller is not None:
            begins = self._spans[computation][0]
            results |= self._parameter(at, begins, leaves, caller, number)
        elif instruction.opcode == "while":
            results |= self._loop(at, computation, instruction, leaves)
        else:
            results |= self._plain(at, computation, instruction)
        until = self._spans[computation][1] if instruction.is_root else at
        for value in (value for values in results.values() for value in values):
            value.needed(until, until + instruction.is_root)
            if instruction.is_root:
                value.uses.append(Use(until, computation))

    def _new(self, at: int, there: _Values = (), begins: int | None = None) -> _Values:
        """A new value, in memory of its own or in that of other values."""
        homes = _homes(there) if there else (_Home(),)
        value = _Value(at, at if begins is None else begins, self._position, homes)
        self._all.append(value)
        return (value,)

    def _read(self, at: int, computation: str, instruction: Instruction) -> None:
        if instruction.opcode in ("tuple", "get-tuple-element", "domain"):
            return  # it reads only the tables of pointers
        called = instruction.called if instruction.opcode == "conditional" else ()
        use = Use(at, computation, tuple(name for name in called if name in self._spans))
        for operand in instruction.operands:
            for index, values in self._known.get((computation, operand.name), {}).items():
                until = (
                    self._loop_begins(at, instruction, index) if instruction.opcode == "while" else at
                )
                for value in values:
                    value.needed(until, until)
                    value.uses.append(use)

    def _loop_begins(self, at: int, loop: Instruction, index: Index) -> int:
        """The last step at which a loop needs an operand; a changed one ends where the loop's begin."""
        if self._hands_on(loop, index):
            return at
        begins = [self._spans[name][0] for name in loop.called if name in self._spans]
        return min(begins, default=at)

    def _hands_on(self, loop: Instruction, index: Index) -> bool:
        body = self._summaries.get(loop.attributes.get("body", "").removeprefix("%"))
        return body is None or body.hands_on(index)

    def _parameter(
        self, at: int, begins: int, leaves: list[tuple[Index, XlaShape]], caller: Caller, number: int
    ) -> dict[Index, _Values]:
        place = number if caller.operand is None else caller.operand
        operands = caller.instruction.operands
        if place >= len(operands):
            name, line = caller.instruction.name, caller.instruction.line
            raise UnsupportedError(
                f"the {caller.instruction.opcode} {name} of line {line} has no operand for parameter"
                f" {number} of a computation it calls: {place + 1} are needed, it has {len(operands)}",
                f"It is {caller.instruction}",
                instruction=name,
            )
        operand = operands[place]
        outer = self._known.get((caller.computation, operand.name), {})
        results: dict[Index, _Values] = {}
        for index, _ in leaves:
            values = outer.get(index, ())
            if caller.role == "callee" or (values and self._hands_on(caller.instruction, index)):
                results[index] = values or self._new(at)
                continue
            results[index] = self._new(at, values, begins)
            if caller.role == "condition":  # the state waits for the body
                body = caller.instruction.attributes.get("body", "").removeprefix("%")
                until = self._spans.get(body, (at, at))[0]
                results[index][0].needed(until, until)
        return results

    def _loop(
        self, at: int, computation: str, loop: Instruction, leaves: list[tuple[Index, XlaShape]]
    ) -> dict[Index, _Values]:
        initial = self._known.get((computation, loop.operands[0].name), {}) if loop.operands else {}
        body = loop.attributes.get("body", "").removeprefix("%")
        root = self._known.get((body, self._roots.get(body, "")), {})
        results: dict[Index, _Values] = {}
        for index, _ in leaves:
            values = initial.get(index, ())
            if values and self._hands_on(loop, index):
                results[index] = values
            else:
                results[index] = self._new(at, values)
                _move(_homes(root.get(index, ())), _homes(results[index]))
        return results

    def _plain(self, at: int, computation: str, instruction: Instruction) -> dict[Index, _Values]:
        callees = [name for name in instruction.called if name in self._callers]
        roots = [self._known.get((name, self._roots[name]), {}) for name in callees]
        # The result of a -start is its element 1.
        at_root: Index = (1,) if instruction.opcode.endswith("-start") else ()
        values_of: dict[Index, _Values] = {}
        for result in results(instruction, self._summaries):
            index, sources = result.shape_index, self._operands(computation, instruction, result.of)
            inner = index[len(at_root) :] if index[: len(at_root)] == at_root else None
            from_roots = [root[inner] for root in roots if inner is not None and root.get(inner)]
            if sources and not result.is_written:
                values_of[index] = tuple(dict.fromkeys(sources))
            elif len(from_roots) == 1 and instruction.opcode != "conditional":
                values_of[index] = from_roots[0]
            else:
                values_of[index] = self._new(at, tuple(sources))
                for values in from_roots:
                    _move(_homes(values), _homes(values_of[index]))
        return values_of

    def _operands(
        self, computation: str, instruction: Instruction, places: Iterable[tuple[int, Index]]
    ) -> list[_Value]:
        values: list[_Value] = []
        for number, index in places:
            if number < len(instruction.operands):
                name = instruction.operands[number].name
                values += self._known.get((computation, name), {}).get(index, ())
        return values

    def join_donated(self, module: Module) -> None:
        """Put results into the memory of the parameters that the module donates to them."""
        entry = module.entry
        names = {each.parameter_number: each.name for each in entry.parameters}
        root = self._known.get((entry.name, entry.root.name), {})
        for alias in module.input_output_alias:
            name = names.get(alias.parameter_number, "")
            parameters = self._known.get((entry.name, name), {}).get(alias.parameter_index, ())
            if parameters:
                _move(_homes(root.get(alias.output_index, ())), _homes(parameters))

    def lifetimes_of(self, buffers: Iterable[Buffer]) -> tuple[Lifetime, ...]:
        """The lifetimes of buffers, each with the values in its memory."""
        there: dict[_Home, list[_Value]] = {}
        for value in self._all:
            for home in _final(value.homes):
                there.setdefault(home, []).append(value)
        out: list[Lifetime] = []
        for buffer in buffers:
            known = self._known.get((buffer.computation, buffer.name), {})
            values = [
                v for home in _final(_homes(known.get(buffer.shape_index, ()))) for v in there[home]
            ]
            spans = tuple(Span(value.first, value.last, bool(value.uses)) for value in values)
            position = min((value.position for value in values), default=0)
            pieces: list[tuple[int, int | None]] = []
            if buffer.shape.memory_space:
                for steps in _in_order(values):
                    pieces += counted_pieces(steps, self._spans)
            out.append(Lifetime(buffer, spans, position, tuple(pieces)))
        return tuple(out)


def _homes(values: _Values) -> tuple[_Home, ...]:
    return tuple(home for value in values for home in value.homes)
