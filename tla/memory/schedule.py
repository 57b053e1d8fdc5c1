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
conditional come one after another. XLA's own analysis of live ranges, hlo_live_range.cc, has the same
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import UnsupportedError
from .roles import called_in_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..hlo import Computation, Instruction, Module
    from .roles import Role

_RUN: Final = ("body", "condition", "callee")


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
        UnsupportedError: a computation runs from two places. XLA schedules a copy for each call.
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
        "In the order of steps a computation stands once. The compiler makes a copy for each caller"
        " before it schedules: its scheduled module, with is_scheduled=true, has none that runs twice.",
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
