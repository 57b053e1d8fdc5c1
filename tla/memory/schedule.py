# SPDX-License-Identifier: Apache-2.0
"""The order in which the instructions of a module run, with those of loops and branches between.

>>> from ..hlo import read_module
>>> module = read_module('''
... f { ROOT x = f32[] parameter(0) }
... ENTRY e { a = f32[] parameter(0)
...   ROOT b = f32[] call(a), to_apply=f }''')
>>> [step.instruction.name for step in schedule_of(module).steps]
['a', 'x', 'b']

The body of a loop comes once, after its condition and before the loop itself. The branches of a
conditional come one after another. A computation that runs from two places has a copy for the second,
which XLA makes, too, before it schedules. XLA's own analysis of live ranges, hlo_live_range.cc, has
the same order.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import UnsupportedError
from ..hlo import Computation, Module
from .roles import called_in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..hlo import Instruction
    from .roles import Role

_RUN: Final = ("body", "condition", "callee")
_MOST: Final = 1 << 16
"""The most instructions of all copies of computations, unless the module itself has a fourth of them."""
_DEEPEST: Final = 300
"""The most levels of calls among copies."""


class Step(NamedTuple):
    """An instruction, and its computation.

    >>> from tla.hlo import read_module
    >>> from tla.memory import schedule_of
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> step = schedule_of(module).steps[1]
    >>> step.computation, step.instruction.name, step.instruction.opcode
    ('e', 'c', 'copy')
    """

    computation: str
    instruction: Instruction


class Caller(NamedTuple):
    """The instruction that runs a computation."""

    computation: str
    instruction: Instruction
    role: Role
    operand: int | None
    """The operand of the only parameter; None if the number of a parameter is that of its operand."""


class Schedule(NamedTuple):
    """The steps of a module, the first and last of each computation that runs, and their callers.

    >>> from tla.hlo import read_module
    >>> from tla.memory import schedule_of
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> schedule = schedule_of(module)
    >>> len(schedule.steps), schedule.spans
    (2, {'e': (0, 1)})
    """

    steps: tuple[Step, ...]
    spans: Mapping[str, tuple[int, int]]
    callers: Mapping[str, Caller]


def called_once(module: Module) -> Module:
    """Return the module where each instruction that runs a computation has a copy of its own.

    >>> from tla.hlo import read_module
    >>> module = read_module('''
    ... f { ROOT x = f32[] parameter(0) }
    ... ENTRY e { a = f32[] parameter(0)
    ...   b = f32[] call(a), to_apply=f
    ...   ROOT c = f32[] call(b), to_apply=f }''')
    >>> [each.name for each in called_once(module).computations]
    ['f', 'f.2', 'e']

    Raises:
        UnsupportedError: a computation runs itself, or the copies have more than 65,536 instructions and
            more than four times those of the module.
    """
    runs = [
        name
        for computation in module.computations
        for instruction in computation.instructions
        for name, role in called_in_order(instruction)
        if role in _RUN
    ]
    if len(set(runs)) == len(runs):
        return module
    copies = _Copies(module)
    copies.add(module.entry, module.entry.name, ())
    computations = [each for each in module.computations if each.name not in copies.taken]
    return Module(
        module.name,
        module.attributes,
        module.tables,
        [*computations, *copies.made],
        module.entry_computation_layout,
        module.input_output_alias,
    )


class _Copies:
    """The copies of computations so far."""

    __slots__ = ("_left", "_module", "_most", "_names", "_numbers", "made", "taken")

    def __init__(self, module: Module) -> None:
        self._module = module
        own = sum(len(each.instructions) for each in module.computations)
        self._left = self._most = max(_MOST, 4 * own)
        self._names = {each.name for each in module.computations}
        self._numbers: Counter[str] = Counter()
        self.taken: set[str] = set()
        self.made: list[Computation] = []

    def add(self, computation: Computation, name: str, callers: tuple[str, ...]) -> None:
        """Add a computation under a name, after those that it runs."""
        self._left -= len(computation.instructions)
        if computation.name in callers or self._left < 0 or len(callers) > _DEEPEST:
            why = "itself" if computation.name in callers else "too often"
            raise UnsupportedError(
                f"computation {computation.name} runs {why}",
                "In the order of steps there is a copy for each instruction that runs a computation:"
                f" at most {self._most} instructions, in {_DEEPEST} levels.",
                computation=computation.name,
            )
        self.taken.add(computation.name)
        body = [self._own(each, (*callers, computation.name)) for each in computation.instructions]
        thread, line = computation.execution_thread, computation.line
        self.made.append(Computation(name, body, computation.is_entry, thread, line))

    def _own(self, instruction: Instruction, callers: tuple[str, ...]) -> Instruction:
        """The instruction with computations of its own."""
        runs = [name for name, role in called_in_order(instruction) if role in _RUN]
        own: dict[str, list[str]] = {}
        for callee in runs:
            name = callee
            while name in (self.taken if name == callee else self._names):
                self._numbers[callee] += 1
                name = f"{callee}.{self._numbers[callee] + 1}"
            self._names.add(name)
            own.setdefault(callee, []).append(name)
            self.add(self._module.computation(callee), name, callers)
        return instruction.renaming_calls(own) if own else instruction


def schedule_of(module: Module) -> Schedule:
    """Return the steps of a module, in the order of the text and of calls.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> [(step.computation, step.instruction.name) for step in schedule_of(module).steps]
    [('e', 'p'), ('e', 'c')]

    A module with ``is_scheduled=true`` runs in this order; for any other module it is one possible
    order.

    Raises:
        UnsupportedError: a computation runs from two places; `called_once` gives each call its own.
    """
    by_name = {computation.name: computation for computation in module.computations}
    steps: list[Step] = []
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    callers: dict[str, Caller] = {}
    todo: list[tuple[Computation, int, bool]] = [(module.entry, 0, False)]
    while todo:
        computation, at, is_called = todo.pop()
        name = computation.name
        first.setdefault(name, len(steps))
        if at == len(computation.instructions):
            last[name] = len(steps) - 1
            continue
        instruction = computation.instructions[at]
        runs = [] if is_called else _runs(instruction, name, by_name)
        if runs:
            todo.append((computation, at, True))
            for callee, caller in reversed(runs):
                if callee in callers or callee == module.entry.name:
                    raise _run_twice(callee, caller, callers.get(callee))
                callers[callee] = caller
                todo.append((by_name[callee], 0, False))
            continue
        steps.append(Step(name, instruction))
        todo.append((computation, at + 1, False))
    return Schedule(tuple(steps), {name: (first[name], last[name]) for name in last}, callers)


def _run_twice(callee: str, caller: Caller, before: Caller | None) -> UnsupportedError:
    first = f"{before.instruction.name} of {before.computation}" if before else "the module"
    second = f"{caller.instruction.name} of {caller.computation}"
    return UnsupportedError(
        f"computation {callee} is run from two places: by {first} and by {second}",
        "In the order of steps a computation stands once.",
        computation=callee,
    )


def _runs(
    instruction: Instruction, computation: str, by_name: Mapping[str, Computation]
) -> list[tuple[str, Caller]]:
    """The computations that an instruction runs, in order."""
    runs: list[tuple[str, Caller]] = []
    for number, (name, role) in enumerate(called_in_order(instruction)):
        if role not in _RUN or name not in by_name:
            continue
        operand = number + 1 if instruction.opcode == "conditional" else None
        runs.append((name, Caller(computation, instruction, role, operand)))
    return runs
