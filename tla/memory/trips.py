# SPDX-License-Identifier: Apache-2.0
"""How often the computations of a module run: the turns of its loops, multiplied.

A loop has a known number of turns if its condition compares a counter with a constant, the counter
begins at a constant, and each turn adds a constant to it. Or the compiler states ``known_trip_count``.

>>> from ..hlo import read_module
>>> module = read_module('''
...   body { s = (s32[]) parameter(0)
...     i = s32[] get-tuple-element(s), index=0
...     one = s32[] constant(1)
...     next = s32[] add(i, one)
...     ROOT t = (s32[]) tuple(next) }
...   less { s = (s32[]) parameter(0)
...     i = s32[] get-tuple-element(s), index=0
...     n = s32[] constant(8)
...     ROOT c = pred[] compare(i, n), direction=LT }
...   ENTRY e { zero = s32[] constant(0)
...     t = (s32[]) tuple(zero)
...     ROOT w = (s32[]) while(t), condition=less, body=body }''')
>>> module_runs(module)
{'e': 1, 'less': 9, 'body': 8}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ParseError, UnsupportedError
from ..numbers import ceil_div
from .origins import Origins, Value, callee
from .roles import called_in_order

if TYPE_CHECKING:
    from ..hlo import Computation, Instruction, Module
    from .origins import Index

_TURNED: Final = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}
_INT: Final = re.compile(r"-?[0-9]{1,18}")


def module_runs(module: Module) -> dict[str, int | None]:
    """Return how often each computation runs when the module runs once; None if that is unknown.

    Each branch of a conditional counts as if it always runs. A computation that nothing runs is absent.
    """
    origins = Origins(module)
    runs: dict[str, int | None] = {module.entry.name: 1}
    for computation in _callers_first(module):
        own = runs[computation.name]
        for instruction in computation.instructions:
            turns = None if own is None else loop_trips(module, origins, computation.name, instruction)
            for name, role in called_in_order(instruction):
                before = runs.get(name, 0)
                if own is None or turns is None or before is None:
                    runs[name] = None
                else:
                    runs[name] = before + own * (turns + (role == "condition"))
    return runs


def _callers_first(module: Module) -> list[Computation]:
    """The computations that run, each after those that call it."""
    by_name = {computation.name: computation for computation in module.computations}
    done: list[Computation] = []
    seen = {module.entry.name}
    todo = [(module.entry, iter(_called(module.entry)))]
    while todo:
        computation, rest = todo[-1]
        name = next((each for each in rest if each in by_name and each not in seen), None)
        if name is None:
            done.append(computation)
            todo.pop()
        else:
            seen.add(name)
            todo.append((by_name[name], iter(_called(by_name[name]))))
    return done[::-1]


def _called(computation: Computation) -> list[str]:
    return [name for each in computation.instructions for name, _role in called_in_order(each)]


def loop_trips(module: Module, origins: Origins, computation: str, loop: Instruction) -> int | None:
    """Return the turns of a loop; 1 for an instruction that is no loop, None if they are unknown."""
    if loop.opcode != "while":
        return 1
    try:
        config = loop.backend_config
    except ParseError:
        config = None
    stated = config.get("known_trip_count") if isinstance(config, dict) else None
    count = stated.get("n") if isinstance(stated, dict) else None
    if isinstance(count, (int, str)) and str(count).isdigit():
        return int(count)
    body, condition = callee(loop, "body"), callee(loop, "condition")
    if body is None or condition is None:
        return None
    try:
        test = _test(module, origins, condition)
        if test is None:
            return None
        begins = origins.of(Value(computation, loop.operands[0].name, test.place)).value
        first, step = _constant(module, begins), _step(module, origins, body, test.place)
    except UnsupportedError:  # a tuple where an array is expected
        return None
    return None if first is None or step is None else trips(first, step, test.direction, test.bound)


def trips(first: int, step: int, direction: str, bound: int) -> int | None:
    """Return how often ``i`` passes a test if it begins at ``first`` and grows by ``step``; or None.

    >>> trips(0, 1, "LT", 8), trips(10, -3, "GE", 1), trips(0, 2, "NE", 5), trips(0, 0, "LT", 5)
    (8, 4, None, None)
    """
    if direction in ("GT", "GE"):
        first, step, bound = -first, -step, -bound
        direction = _TURNED[direction]
    if direction == "LE":
        bound, direction = bound + 1, "LT"
    distance = bound - first
    if direction == "NE":
        exact = step and distance % step == 0 and distance // step >= 0
        return distance // step if exact else 0 if not distance else None
    if direction != "LT":
        return None
    if distance <= 0:
        return 0
    return ceil_div(distance, step) if step > 0 else None


class _Test(NamedTuple):
    """The test of a loop: the counter's place in the loop's state, and what it is compared with."""

    place: Index
    direction: str
    bound: int


def _test(module: Module, origins: Origins, condition: str) -> _Test | None:
    compare = origins.of(Value(condition, module.computation(condition).root.name)).value
    instruction = _instruction(module, compare)
    direction = instruction.attributes.get("direction", "")
    if instruction.opcode != "compare" or direction not in _TURNED:
        return None
    one, other = _operands(origins, compare, instruction)
    for counter, bound, way in ((one, other, direction), (other, one, _TURNED[direction])):
        limit = _constant(module, bound)
        if limit is not None and _is_state(module, counter, condition):
            return _Test(counter.shape_index, way, limit)
    return None


def _step(module: Module, origins: Origins, body: str, index: Index) -> int | None:
    """The constant that a turn adds to an int of the loop's state."""
    following = origins.of(Value(body, module.computation(body).root.name, index)).value
    instruction = _instruction(module, following)
    if instruction.opcode not in ("add", "subtract"):
        return None
    one, other = _operands(origins, following, instruction)
    if instruction.opcode == "add" and _constant(module, other) is None:
        one, other = other, one
    step = _constant(module, other)
    if step is None or not _is_state(module, one, body) or one.shape_index != index:
        return None
    return step if instruction.opcode == "add" else -step


def _operands(origins: Origins, value: Value, instruction: Instruction) -> tuple[Value, Value]:
    """The origins of the operands of a binary operation."""
    one, other = (origins.of(Value(value.computation, each.name)).value for each in instruction.operands)
    return one, other


def _instruction(module: Module, value: Value) -> Instruction:
    return module.computation(value.computation).instruction(value.instruction)


def _is_state(module: Module, value: Value, computation: str) -> bool:
    """Whether a value is part of the state that a turn of a loop begins with."""
    return value.computation == computation and _instruction(module, value).opcode == "parameter"


def _constant(module: Module, value: Value) -> int | None:
    literal = _instruction(module, value).literal
    return int(literal) if literal is not None and _INT.fullmatch(literal.strip()) else None
