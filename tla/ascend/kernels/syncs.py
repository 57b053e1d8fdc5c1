# SPDX-License-Identifier: Apache-2.0
"""synccheck: deadlocks, flags that stay set, counters that overflow, unit flags that do not match.

A flag counts its sets. AscendC calls a second set before the wait undefined, and CATLASS's own kernels
do that; it is a finding in the strict mode alone.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from .deadlocks import Deadlocks
from .findings import Findings
from .instructions import PIPES, group_of
from .programs import (
    BARRIER,
    CROSS_SET,
    CROSS_WAIT,
    LOCK,
    SET,
    SYNC_OPS,
    UNLOCK,
    WAIT,
    WORK,
    is_on_core,
)
from .queues import Course

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from .findings import Finding
    from .instructions import Instruction
    from .programs import Program

EVENT_IDS: Final = 8
COUNTER: Final = 15
"""The most sets of a cross-core flag that may be pending."""
CROSS_IDS: Final = {2201: {0: 16, 1: 16, 2: 16}, 3510: {0: 16, 1: 16, 2: 16, 4: 27}}
"""The modes of cross-core flags of each instruction set, and the ids of each, counted from 0."""
_LEGAL: Final = {
    "AIC": "M_MTE1 M_MTE2 M_FIX M_S MTE1_M MTE1_MTE2 MTE1_MTE3 MTE1_FIX MTE2_M MTE2_MTE1 MTE2_MTE3"
    " MTE2_FIX MTE2_S MTE3_MTE1 MTE3_MTE2 FIX_M FIX_MTE1 FIX_MTE2 FIX_MTE3 FIX_FIX FIX_S S_MTE2 S_MTE3"
    " MTE3_S S_M S_FIX",
    "AIV": "S_V S_MTE2 S_MTE3 V_S V_MTE2 V_MTE3 V_V MTE2_S MTE2_V MTE2_MTE3 MTE3_S MTE3_V MTE3_MTE2",
}
"""The events of each kind of core: those of AscendC's tables, and others that CATLASS uses."""


def sync_findings(
    program: Program, course: Course, drop: Collection[int] = (), strict: bool = False
) -> list[Finding]:
    """Return what is wrong with the flags of a program."""
    found = Findings("synccheck")
    _judge_ids(program, strict, found)
    _judge_cross(program, course, found)
    _judge_mutexes(program, drop, found)
    if not course.stuck:
        _judge_left(program, course, found)
    for number, text in course.unit_faults:
        found.at("unit flag", text, program.operations[number].instruction)
    _judge_counters(program, drop, found)
    if strict:
        for set_, before in double_sets(program, course):
            i, earlier = (program.operations[n].instruction for n in (set_, before))
            text = f"{i.words} may run while the set of line {earlier.line} is pending"
            found.at("set twice", text, earlier, i)
    return found.all + (Deadlocks(program, course, drop).findings() if course.stuck else [])


def _judge_ids(program: Program, strict: bool, found: Findings) -> None:
    """Judge what can be seen of each flag alone."""
    for op in program.operations:
        i, p = op.instruction, op.instruction.params
        if op.kind in (SET, WAIT):
            if p.get("id_uninitialised"):
                found.at("event id", f"{i.op}<{p['event']}> has an id that the kernel never sets", i)
            elif not 0 <= p["id"] < EVENT_IDS:
                found.at("event id", f"{i.words}: event ids are 0 to {EVENT_IDS - 1}", i)
            first, _, second = p["event"].partition("_")
            if p["event"] not in _LEGAL[i.core[:3]].split():
                found.at("event", f"{i.core} has no event {p['event']}", i)
            elif i.pipe != (first if op.kind == SET else second) and i.pipe in PIPES:
                found.at("event", f"{i.words} is on pipe {i.pipe}", i)
        elif op.kind == BARRIER and (i.pipe == "S" or not is_on_core(i, program.arch)):
            why = "the scalar unit has none" if i.pipe == "S" else f"{i.core} has no such pipe"
            found.at("barrier", f"{i.words}: {why}", i, key=i.pipe)
        elif strict and op.kind == WORK and i.op in SYNC_OPS:
            found.at("event", f"{i.core} has no such pipe: {i.words} does nothing", i)
        elif strict and op.work.unit_flag and i.is_product and i.operands["dst"].dtype == "int32":
            found.at("unit flag", "a product of ints has no unit flag", i)


def _judge_cross(program: Program, course: Course, found: Findings) -> None:
    """Judge the modes and ids of cross-core flags, and whether the kernel has such flags at all."""
    modes = CROSS_IDS[program.arch.code]
    waits: dict[tuple[int, int, int], list[int]] = {}
    pairs: list[tuple[Any, int, int]] = course.pairs
    for key, setter, wait in pairs:
        if key[0] == "cross":
            waits.setdefault((*key[1:], program.at(setter).params["mode"]), []).append(wait)
    sets: dict[tuple[int, int], list[int]] = {}
    for number, op in enumerate(program.operations):
        if op.kind != CROSS_SET:
            continue
        i, mode, flag = op.instruction, op.instruction.params["mode"], op.instruction.params["flag"]
        if mode not in modes:
            known = ", ".join(map(str, modes))
            found.at("flag mode", f"{i.words} has mode {mode}: {program.arch} has {known}", i)
        elif not 0 <= flag < modes[mode]:
            found.at("flag id", f"{i.words}: flags of mode {mode} have no such id", i)
        if len({core[:3] for core in program.cores}) == 1:
            what = "vector" if i.core.startswith("AIV") else "cube"
            text = f"{i.words} in a kernel of {what} cores alone: cross-core flags need both kinds"
            found.at("cross-core flag", text, i)
        mine = sets.setdefault((op.core, flag), [])
        before = program.at(mine[-1]) if mine else i
        old = before.params["mode"]
        clock = course.starts.get(number)
        if old != mode and clock is not None:
            count = sum([program.at(n).params["mode"] == old for n in mine])
            near = [c for c, name in enumerate(program.cores) if _may_wait(name, i.core)]
            taken = [wait for c in near for wait in waits.get((c, flag, old), [])[:count]]
            if any(clock.get(program.operations[w].pipe, 0) < course.positions[w] for w in taken):
                text = f"{i.words} of mode {mode} may run before the waits of mode {old} have ended"
                found.at("flag mode", text, before, i)
        mine.append(number)


def _may_wait(name: str, core: str) -> bool:
    """Whether a core may wait for the cross-core flags of another one."""
    return group_of(name) == group_of(core) or name[:3] == core[:3]


def _judge_mutexes(program: Program, drop: Collection[int], found: Findings) -> None:
    """Judge that each pipe locks and unlocks a mutex in turn."""
    held: dict[tuple[int, int, int], Instruction] = {}
    for number, op in enumerate(program.operations):
        if op.kind not in (LOCK, UNLOCK) or number in drop:
            continue
        i = op.instruction
        key = op.core, op.pipe, i.params["id"]
        if (op.kind == LOCK) == (key in held):
            words = "is locked already" if op.kind == LOCK else "is not locked"
            found.at("mutex", f"{i.words}: the mutex {words} on {i.core} {i.pipe}", i)
        held.pop(key, None)
        if op.kind == LOCK:
            held[key] = i
    for i in held.values():
        found.at("mutex", f"{i.words} on {i.core} {i.pipe} is never unlocked", i)


def _judge_left(program: Program, course: Course, found: Findings) -> None:
    """Judge the flags that are set when the kernel ends."""
    keys: list[Any] = [*course.tokens]
    # of a mutex and of SyncAll the last token stays
    for key in [key for key in keys if key[0] != "lock" and not isinstance(key[0], tuple)]:
        for _, number in course.tokens[key]:
            i = program.operations[number].instruction
            text = f"{i.words} is set when the kernel ends: no wait takes it, the next kernel finds it"
            found.at("left set", text, i)
    for cores in course.parts_left.values():
        i = program.operations[next(iter(cores.values()))].instruction
        alone = ", ".join([program.cores[c] for c in cores])
        found.at("left set", f"{i.words} of mode {i.params['mode']} is set by {alone} alone", i)
    for number in dict.fromkeys(course.full_tiles.values()):
        text = (
            "the unit flag of its sums is set when the kernel ends: no Fixpipe with one takes them out"
        )
        found.at("unit flag", text, program.operations[number].instruction)


def _judge_counters(program: Program, drop: Collection[int], found: Findings) -> None:
    """Judge the cross-core counters in the order that fills them most: their core runs last."""
    crossing = [op for op in program.operations if op.kind in (CROSS_SET, CROSS_WAIT)]
    sets = Counter([op.instruction.params["flag"] % 16 for op in crossing if op.kind == CROSS_SET])
    for core, name in enumerate(program.cores) if max(sets.values(), default=0) > COUNTER else ():
        late = {core, *[len(program.cores) + n for n, (c, _) in enumerate(program.pipes) if c == name]}
        run = Course(program, _Last(late), drop)
        flags: list[tuple[Any, tuple[int, int]]] = [*run.most.items()]
        for (_, owner, flag), (most, number) in flags:
            if most > COUNTER and owner == core:
                i = program.operations[number].instruction
                ours = [op.instruction for op in crossing if op.core == core and op.kind == CROSS_WAIT]
                waits = [w for w in ours if w.params["flag"] == flag][:1]
                text = (
                    f"the counter of flag {flag} on {name} can reach {most}, above {COUNTER}, when "
                    f"{i.core} is ahead; a flag back from {name} every {COUNTER} sets would hold it"
                )
                found.at("counter", text, i, *waits)


class _Last:
    """The choice of what runs next: some agents only when nothing else can."""

    def __init__(self, late: Collection[int]) -> None:
        self.late = late

    def __call__(self, ready: list[int]) -> int:
        first = [at for at, agent in enumerate(ready) if agent not in self.late]
        return first[-1] if first else len(ready) - 1


def double_sets(program: Program, course: Course) -> list[tuple[int, int]]:
    """Return the sets that may run before the set before them is waited for, each with that one."""
    waits: dict[tuple[Hashable, int], int] = {}
    sets: dict[Hashable, list[int]] = {}
    pairs: list[tuple[Any, int, int]] = course.pairs
    for key, setter, wait in pairs:
        if key[0] != "cross":
            waits[key, setter] = wait
            sets.setdefault(key, []).append(setter)
    found: list[tuple[int, int]] = []
    for key, setters in sets.items():
        for before, after in pairwise(setters):
            wait = waits[key, before]
            pipe = program.operations[wait].pipe
            if course.starts[after].get(pipe, 0) < course.positions[wait]:
                found.append((after, before))
    return found
