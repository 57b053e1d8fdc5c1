# SPDX-License-Identifier: Apache-2.0
"""synccheck: deadlocks, flags that stay set, counters that overflow, unit flags that do not match.

A flag counts its sets. AscendC calls a second set before the wait undefined, and CATLASS's own kernels
do that; it is a finding in the strict mode alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from .findings import Finding, Place, place_of, words_of
from .instructions import PIPES
from .products import TILE
from .programs import CROSS_SET, CROSS_WAIT, LOCK, SET, UNLOCK, WAIT
from .queues import Course

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

    from .instructions import Instruction
    from .programs import Operation, Program

EVENT_IDS: Final = 8
COUNTER: Final = 15
"""The most sets of a cross-core flag that may be pending."""
CROSS_IDS: Final = {0: 16, 1: 16, 2: 16, 4: 27}
"""The ids of each mode of a cross-core flag, counted from 0."""
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
    found = _Found()
    _judge_ids(program, found)
    _judge_mutexes(program, drop, found)
    if course.stuck:
        found.findings += _deadlock(program, course, drop)
    else:
        _judge_left(program, course, found)
    for number, text in course.unit_faults:
        found.add("unit flag", text, program.operations[number].instruction)
    _judge_counters(program, course, drop, found)
    if strict:
        for set_, before in double_sets(program, course):
            i, earlier = (program.operations[n].instruction for n in (set_, before))
            text = f"{words_of(i)} may run while the set of line {earlier.line} is pending"
            found.add("set twice", text, earlier, i)
    return list(found.by_line.values()) + found.findings


class _Found:
    """Findings, one for each line of source."""

    def __init__(self) -> None:
        self.by_line: dict[tuple[object, ...], Finding] = {}
        self.findings: list[Finding] = []

    def add(self, kind: str, text: str, *instructions: Instruction) -> None:
        key = (kind, *[(i.site or i.line, i.core[:3]) for i in instructions])
        old = self.by_line.get(key)
        places = tuple([place_of(i) for i in instructions])
        new = Finding("synccheck", kind, text, places)
        self.by_line[key] = new if old is None else old._replace(times=old.times + 1)


def _judge_ids(program: Program, found: _Found) -> None:
    """Judge what can be seen of each flag alone."""
    for op in program.operations:
        i, p = op.instruction, op.instruction.params
        if op.kind in (SET, WAIT):
            if p.get("id_uninitialised"):
                found.add("event id", f"{i.op}<{p['event']}> has an id that the kernel never sets", i)
            elif not 0 <= p["id"] < EVENT_IDS:
                found.add("event id", f"{words_of(i)}: event ids are 0 to {EVENT_IDS - 1}", i)
            first, _, second = p["event"].partition("_")
            if p["event"] not in _LEGAL[i.core[:3]].split():
                found.add("event", f"{i.core} has no event {p['event']}", i)
            elif i.pipe != (first if op.kind == SET else second) and i.pipe in PIPES:
                found.add("event", f"{words_of(i)} is on pipe {i.pipe}", i)
        elif op.kind == CROSS_SET and not 0 <= p["flag"] < CROSS_IDS.get(p["mode"], 16):
            found.add("flag id", f"{words_of(i)}: flags of mode {p['mode']} have no such id", i)
        elif op.work.unit_flag and i.op == "Mmad" and i.operands["dst"].dtype == "int32":
            found.add("unit flag", "a product of ints has no unit flag", i)


def _judge_mutexes(program: Program, drop: Collection[int], found: _Found) -> None:
    """Judge that each pipe locks and unlocks a mutex in turn."""
    held: dict[tuple[int, int, int], Instruction] = {}
    for number, op in enumerate(program.operations):
        if op.kind not in (LOCK, UNLOCK) or number in drop:
            continue
        i = op.instruction
        key = op.core, op.pipe, i.params["id"]
        if (op.kind == LOCK) == (key in held):
            words = "is locked already" if op.kind == LOCK else "is not locked"
            found.add("mutex", f"{words_of(i)}: the mutex {words} on {i.core} {i.pipe}", i)
        held.pop(key, None)
        if op.kind == LOCK:
            held[key] = i
    for i in held.values():
        found.add("mutex", f"{words_of(i)} on {i.core} {i.pipe} is never unlocked", i)


def _judge_left(program: Program, course: Course, found: _Found) -> None:
    """Judge the flags that are set when the kernel ends."""
    for key, tokens in course.tokens.items():
        if not tokens or _is_internal(key):
            continue
        for _, number in tokens:
            i = program.operations[number].instruction
            text = (
                f"{words_of(i)} is set when the kernel ends: no wait takes it; the next kernel finds it"
            )
            found.add("left set", text, i)
    for cores in course.parts_left.values():
        number = next(iter(cores.values()))
        i = program.operations[number].instruction
        alone = ", ".join([program.cores[c] for c in cores])
        text = f"{words_of(i)} of mode {i.params['mode']} is set by {alone} alone"
        found.add("left set", text, i)
    tiles = course.full_tiles
    for number in dict.fromkeys(tiles.values()):
        i = program.operations[number].instruction
        text = (
            "the unit flag of its sums is set when the kernel ends: no Fixpipe with one takes them out"
        )
        found.add("unit flag", text, i)


def _is_internal(key: Any) -> bool:
    """Whether tokens are those of a mutex or of SyncAll, of which the last one stays."""
    return key[0] == "lock" or isinstance(key[0], tuple)


def _judge_counters(program: Program, course: Course, drop: Collection[int], found: _Found) -> None:
    """Judge the cross-core counters in the order that fills them most: their core runs last."""
    sets: dict[Any, int] = {}
    for op in program.operations:
        if op.kind == CROSS_SET:
            flag = op.instruction.params["flag"] % 16
            sets[flag] = sets.get(flag, 0) + 1
    if max(sets.values(), default=0) <= COUNTER:
        return
    for core, name in enumerate(program.cores):
        agents = {core, *[len(program.cores) + n for n, (c, _) in enumerate(program.pipes) if c == name]}

        def pick(ready: list[int], late: set[int] = agents) -> int:
            return next(
                (at for at in range(len(ready) - 1, -1, -1) if ready[at] not in late), len(ready) - 1
            )

        run = Course(program, pick, drop)
        flags: list[tuple[Any, tuple[int, int]]] = [*run.most.items()]
        for key, (most, number) in flags:
            if most > COUNTER and key[1] == core:
                i = program.operations[number].instruction
                waits = [
                    op.instruction
                    for op in program.operations
                    if op.kind == CROSS_WAIT
                    and op.core == core
                    and op.instruction.params["flag"] == key[2]
                ]
                text = (
                    f"the counter of flag {key[2]} on {name} can reach {most}, above {COUNTER}, when "
                    f"{i.core} is ahead; a flag back from {name} every {COUNTER} sets would hold it"
                )
                found.add("counter", text, i, *waits[:1])


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
            if course.starts[after][pipe] < course.positions[wait]:
                found.append((after, before))
    return found


# --- deadlocks
def _deadlock(program: Program, course: Course, drop: Collection[int]) -> list[Finding]:
    """One finding for each wait that nothing can end; those that wait for it are named in its text."""
    stuck = {s.operation: s.key for s in course.stuck}
    reasons = {number: _reason(program, course, number, key, drop) for number, key in stuck.items()}
    roots = [number for number, (_, behind) in reasons.items() if behind is None or behind not in stuck]
    found: list[Finding] = []
    for number in roots or [next(iter(stuck))]:
        chain = _chain(program, number, reasons)
        i = program.operations[number].instruction
        text = (
            f"{words_of(i)} on {i.core} {program.pipe_of(number)} waits for ever: {reasons[number][0]}"
        )
        others = [n for n in stuck if n != number]
        if others and number == (roots or [number])[0]:
            words = [_where(program, n) for n in others[:6]]
            more = f" and {len(others) - 6} others" if len(others) > 6 else ""
            text += f"; with it wait {'; '.join(words)}{more}"
        found.append(Finding("synccheck", "deadlock", text, chain, edge=_edge(program, number)))
    return found


def _where(program: Program, number: int) -> str:
    i = program.operations[number].instruction
    return f"{words_of(i)} of {i.core} {program.pipe_of(number)}, line {i.line}"


def _edge(program: Program, number: int) -> str:
    p = program.operations[number].instruction.params
    if "event" in p:
        return f"{p['event']} id {p['id']}"
    return f"flag {p['flag']}" if "flag" in p else ""


def _chain(
    program: Program, number: int, reasons: dict[int, tuple[str, int | None]]
) -> tuple[Place, ...]:
    """The waits from one that is stuck to what it waits for, round a circle if there is one."""
    chain: list[int] = []
    at: int | None = number
    while at is not None and at not in chain and at in reasons:
        chain.append(at)
        at = reasons[at][1]
    return tuple([place_of(program.operations[n].instruction, program.pipe_of(n)) for n in chain])


def _reason(
    program: Program, course: Course, number: int, key: Any, drop: Collection[int]
) -> tuple[str, int | None]:
    """Why an instruction waits, and the stuck instruction that it waits behind."""
    op = program.operations[number]
    p = op.instruction.params
    if key[0] == "unit":
        return _unit_reason(program, course, number, key)
    if key[0] == "idle":
        return _behind(program, course, [n for s in course.stuck for n in [s.operation]], op.core)
    if key[0] == "lock":
        return f"the mutex {p['id']} is not unlocked before", None
    if op.kind == WAIT:
        events = [
            n
            for n in program.streams[op.core]
            if n not in drop
            and program.operations[n].kind == SET
            and program.operations[n].instruction.params["event"] == p["event"]
            and program.operations[n].instruction.params["id"] == p["id"]
        ]
        name = f"{p['event']} id {p['id']}"
    else:
        events = [
            n
            for n, o in enumerate(program.operations)
            if n not in drop and _reaches(program, n, o, op, p)
        ]
        name = f"flag {p.get('flag', '')}".strip()
    later = [n for n in events if n not in course.positions]
    if not later:
        if op.kind == WAIT and events:
            return f"no set of {name} is left after the {len(events)} that other waits took", None
        if events:
            return (
                f"the {len(events)} sets of {name} are taken, or not made by every core of the group",
                None,
            )
        return f"nothing sets {name}", None
    setter = program.operations[later[0]]
    i = setter.instruction
    text = f"its next set is {words_of(i)} of {i.core} {program.pipe_of(later[0])}, line {i.line}"
    behind = _blocking(program, course, later[0])
    if behind is None:
        return text, None
    other = program.operations[behind].instruction
    return f"{text}, which stands behind {words_of(other)} of line {other.line}", behind


def _reaches(program: Program, n: int, other: Any, op: Any, p: Any) -> bool:
    """Whether a cross-core set is for the flag that an instruction waits for."""
    if other.kind != CROSS_SET:
        return False
    q = other.instruction.params
    core, target = other.instruction.core, op.instruction.core
    same = core[:3] == target[:3]
    if q["mode"] == 4:
        return not same and q["flag"] % 16 == p.get("flag", -1) % 16
    return bool(q["flag"] == p.get("flag") and same == (q["mode"] in (0, 1)))


def _blocking(program: Program, course: Course, number: int) -> int | None:
    """The stuck instruction that stands before one that did not run."""
    op = program.operations[number]
    stream = program.streams[op.core]
    same_pipe = [s.operation for s in course.stuck if program.operations[s.operation].pipe == op.pipe]
    issued = set(stream[: course.issued[op.core]])
    if number in issued and same_pipe:
        return same_pipe[0]
    scalar = [
        s.operation
        for s in course.stuck
        if program.operations[s.operation].core == op.core and s.operation not in issued
    ]
    return next(iter(scalar or same_pipe), None)


def _behind(program: Program, course: Course, stuck: list[int], core: int) -> tuple[str, int | None]:
    mine = [n for n in stuck if program.operations[n].core == core and n in set(program.streams[core])]
    blocked = [n for n in mine if n in set(program.streams[core][: course.issued[core]])]
    if not blocked:
        return "its core's queues do not become empty", None
    i = program.operations[blocked[0]].instruction
    return f"it waits for all pipes, and {words_of(i)} of line {i.line} does not end", blocked[0]


def _unit_reason(program: Program, course: Course, number: int, key: Any) -> tuple[str, int | None]:
    op = program.operations[number]
    place = f"L0C[{key[2] * TILE}]"
    if op.instruction.op == "Mmad":
        filled = course.full_tiles.get((op.core, key[2]))
        line = program.operations[filled].instruction.line if filled is not None else 0
        text = f"its sums at {place} were filled by line {line}, and no Fixpipe has taken them out"
        others = _with_unit_flag(program, op, key[2], filled or 0, number, "Fixpipe")
    else:
        text = f"no Mmad with unitFlag 3 has filled {place}"
        others = _with_unit_flag(program, op, key[2], 0, number, "Mmad")
        done = [n for n in others if n in course.positions]
        others = [
            n for n in others if n not in course.positions and program.operations[n].work.unit_flag == 3
        ]
        if done and not others:
            i = program.operations[done[-1]].instruction
            where = f"{i.site or 'the kernel'}, line {i.line}"
            text = (
                f"Mmad of {where}, has unitFlag {i.params.get('unitFlag')} and leaves {place} "
                "unfinished; the last Mmad of a sum needs 3"
            )
    later = [n for n in others if n not in course.positions]
    behind = _blocking(program, course, later[0]) if later else None
    if behind is None or behind == number:
        return text, None
    other, i = (program.operations[n].instruction for n in (behind, later[0]))
    return (
        f"{text}: {i.op} of line {i.line} stands behind {words_of(other)} of line {other.line}",
        behind,
    )


def _with_unit_flag(
    program: Program, op: Operation, block: int, first: int, last: int, name: str
) -> list[int]:
    """The instructions with a unit flag on a fractal of sums, between two of its core."""
    return [
        n
        for n in program.streams[op.core]
        if first <= n < last
        and program.operations[n].work.unit_flag
        and (program.operations[n].instruction.op == "Mmad") == (name == "Mmad")
        and block in program.unit_blocks(n)
    ]
