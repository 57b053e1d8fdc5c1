# SPDX-License-Identifier: Apache-2.0
"""racecheck: accesses to the same bytes that no flag, barrier or rule of the chip orders.

Two instructions are in order if the second starts when the first has certainly ended. Instructions of
one pipe start in order but may end in another, except where the chip holds them apart:

- those of the scalar unit; a read before a write on one pipe;
- writes of MTE1 and of the fixpipe, for which AscendC asks for no barrier; the strict mode does;
- products of at least 10 fractals that sum into one place;
- on 3510, vector instructions; on 2201, vector instructions over the same elements, of at least 16
  repeats, for a repeat has ended long before the same repeat of the next begins. AscendC asks for a
  barrier there as well, and CATLASS's gelu has none. So these are judged by the core's own custom: if
  none of them has a barrier, the kernel relies on their order; if some have, one was forgotten.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from .findings import Finding, Findings, place_of
from .instructions import group_of
from .lazy_numpy import np
from .programs import BARRIER, CROSS_SET, SET, WAIT
from .queues import reached
from .vectors import REPEAT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .boxes import Box
    from .conflicts import Pair
    from .programs import Operation, Program
    from .queues import Course

ORDERED_REPEATS: Final = 16
_VERBS: Final = {
    "RAW": ("writes", "reads"), "WAR": ("reads", "writes"), "WAW": ("writes", "writes"),
}  # fmt: skip


def _is_held(pair: Pair, program: Program, strict: bool) -> bool:
    """Whether the chip orders two instructions of one pipe that touch the same bytes."""
    first, second = program.operations[pair.first], program.operations[pair.second]
    pipe = program.pipes[second.pipe][1]
    if (
        pair.kind == "WAR"
        or pipe == "S"
        or (pipe in ("MTE1", "FIX") and pair.kind == "WAW" and not strict)
    ):
        return True
    if pipe == "V":
        return program.arch.code == 3510
    if first.instruction.is_product and second.instruction.is_product:
        return bool(first.work.marks and first.work.marks[0])
    return False


def _same_elements(first: Operation, second: Operation) -> bool:
    """Whether each box that one writes and the other touches is the same, and long."""
    written = {(first.instruction.operands[n].address, b.runs) for n, b in first.work.writes}
    for name, box in (*second.work.reads, *second.work.writes):
        address = second.instruction.operands[name].address
        low, high = address + box.ends[0], address + box.ends[1]
        for at, runs in written:
            end = at + runs.start + runs.length + sum([(n - 1) * step for n, step in runs.dims])
            if low < end and at + runs.start < high:
                same = at + runs.start == address + box.runs.start and runs[1:] == box.runs[1:]
                if not same or runs.bytes < ORDERED_REPEATS * REPEAT:
                    return False
    return True


class Pairs:
    """The pairs of a program that a clock must order, as arrays."""

    def __init__(self, program: Program, pairs: Sequence[Pair], strict: bool = False) -> None:
        self.program = program
        self.pairs: list[Pair] = [
            pair
            for pair in pairs
            if program.operations[pair.first].pipe != program.operations[pair.second].pipe
            or not _is_held(pair, program, strict)
        ]
        ops = program.operations
        loose = [
            not strict
            and program.pipe_of(a) == program.pipe_of(b) == "V"
            and _same_elements(ops[a], ops[b])
            for a, b, *_ in self.pairs
        ]
        self.loose: NDArray[np.bool_] = np.array(loose, bool)
        """Whether a pair needs an order only if others of its kind have one."""
        self.cores: NDArray[np.int64] = np.array([ops[b].core for _, b, *_ in self.pairs], np.int64)
        self.first: NDArray[np.int64] = np.array([pair.first for pair in self.pairs], np.int64)
        self.second: NDArray[np.int64] = np.array([pair.second for pair in self.pairs], np.int64)
        self.pipes: NDArray[np.int64] = np.array([op.pipe for op in program.operations], np.int64)

    def unordered(self, course: Course) -> list[Pair]:
        """Return the pairs that a run of the queues does not order."""
        if not self.pairs:
            return []
        count, width = len(self.program.operations), len(self.program.pipes)
        positions = np.zeros(count, np.int64)
        numbers = np.fromiter(course.positions, np.int64, len(course.positions))
        positions[numbers] = np.fromiter(course.positions.values(), np.int64, len(course.positions))
        rows: dict[int, int] = {}
        row_of = np.zeros(count, np.int64)
        places, turns = [-1], [0]  # of each clock, its row and pipe in one int, and its turns
        for number, clock in course.starts.items():
            row = rows.get(id(clock))
            if row is None:
                row = rows[id(clock)] = len(rows)
                places += [row * width + pipe for pipe in sorted(clock)]
                turns += [clock[pipe] for pipe in sorted(clock)]
            row_of[number] = row
        keys, values = np.array(places), np.array(turns)
        a, b = self.first, self.second
        ran = (positions[a] > 0) & (positions[b] > 0)

        def knows(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
            """Whether b starts when a has ended."""
            wanted = row_of[b] * width + self.pipes[a]
            at = np.searchsorted(keys, wanted, "right") - 1
            known: NDArray[np.bool_] = (keys[at] == wanted) & (values[at] >= positions[a])
            return known

        held = knows(a, b) | knows(b, a)
        relied_on = self.loose & ~np.isin(self.cores, self._careful_cores(positions))
        return [self.pairs[n] for n in np.flatnonzero(ran & ~held & ~relied_on)]

    def _careful_cores(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cores that have a barrier between two vector instructions over the same elements."""
        operations = self.program.operations
        barriers = [
            n for n, op in enumerate(operations) if op.kind == BARRIER and op.instruction.pipe == "V"
        ]
        at, of = positions[barriers], self.pipes[barriers]
        found = [
            self.cores[n]
            for n in np.flatnonzero(self.loose)
            if (
                (at > positions[self.first[n]])
                & (at < positions[self.second[n]])
                & (of == self.pipes[self.first[n]])
            ).any()
        ]
        return np.array(found, np.int64)


def race_findings(program: Program, course: Course, pairs: Sequence[Pair]) -> list[Finding]:
    """Return the races, one for each two lines of source; the first pair of bytes is the witness."""
    found = Findings("racecheck")
    for pair in pairs:
        one, two = program.at(pair.first), program.at(pair.second)
        memory = pair.memory[pair.memory[0] == "GM"]
        sides = [(i.site or i.line, i.pipe, i.core[:3]) for i in (one, two)]
        key = (*sides, one.core == two.core, pair.kind, memory)
        if not found.counts(key, two.core):
            found.by_key[key] = _finding(program, course, pair)
    return found.all


def _finding(program: Program, course: Course, pair: Pair) -> Finding:
    first, second = program.operations[pair.first], program.operations[pair.second]
    low, high = shared_bytes(first, second, pair.kind, pair.memory)
    space, owner = pair.memory
    name = owner if space == "GM" else space
    did, does = _VERBS[pair.kind]
    edge, why = _missing(program, course, pair)
    one, two = (op.instruction for op in (first, second))
    whose = "" if space == "GM" else f" of {owner}"
    text = (
        f"{pair.kind} on {name}[{low}, {high}){whose}: {two.op} {does} what {one.op} {did}, "
        f"and may run beside it; {why}"
    )
    places = (place_of(one, program.pipe_of(pair.first)), place_of(two, program.pipe_of(pair.second)))
    return Finding("racecheck", pair.kind, text, places, name, (low, high), edge)


def shared_bytes(
    first: Operation, second: Operation, kind: str, memory: tuple[str, str]
) -> tuple[int, int]:
    """Return the first range of bytes that both touch, at the least its ends."""
    sides: list[list[tuple[Box, int]]] = []
    for op, reads in ((first, kind == "WAR"), (second, kind == "RAW")):
        boxes = op.work.reads if reads else op.work.writes
        operands = op.instruction.operands
        sides.append([(box, operands[n].address) for n, box in boxes if operands[n].memory == memory])
    low = max(min(at + box.ends[0] for box, at in side) for side in sides)
    high = min(max(at + box.ends[1] for box, at in side) for side in sides)
    marks: list[NDArray[np.uint8]] = []
    for side in sides:
        start = min(at + box.ends[0] for box, at in side)
        touched = np.zeros(max(at + box.ends[1] for box, at in side) - start, np.uint8)
        for box, at in side:
            box.bytes_view(touched, at - start)[...] = 1
        marks.append(touched[low - start : high - start])
    both = np.flatnonzero(marks[0] & marks[1])
    return (low + int(both[0]), low + int(both[-1]) + 1) if both.size else (low, high)


def _missing(program: Program, course: Course, pair: Pair) -> tuple[str, str]:
    """The order that is missing, and what there is of it."""
    first, second = program.operations[pair.first], program.operations[pair.second]
    one, two = program.pipe_of(pair.first), program.pipe_of(pair.second)
    if first.core != second.core:
        return _missing_between(program, course, pair, one, two)
    if one == two:
        return f"PIPE_{one}", f"PipeBarrier<PIPE_{one}> is missing between them"
    event = f"{one}_{two}"
    number = _usual_id(program, pair, event)
    sets = [
        n
        for n in program.streams[first.core]
        if program.operations[n].kind == SET
        and program.operations[n].instruction.params["event"] == event
        and number in (None, program.operations[n].instruction.params["id"])
        and n in course.positions
    ]
    after = [n for n in sets if pair.first < n]
    if not sets or (number is None and not after):
        return (
            event,
            f"no SetFlag<{event}> follows {first.instruction.op} of line {first.instruction.line}",
        )
    chosen = after[0] if after else sets[-1]
    set_ = program.operations[chosen].instruction
    edge, words = f"{event} id {set_.params['id']}", f"{set_.words} of line {set_.line}"
    if not after or chosen > pair.second:
        before = [n for n in sets if n < pair.first]
        if not before:
            return edge, f"{words} is behind both"
        words = f"{set_.words} of line {program.operations[before[-1]].instruction.line}"
        return edge, f"{words} is before {first.instruction.op} of line {first.instruction.line}"
    wait = next((w for _, setter, w in course.pairs if setter == chosen), None)
    if wait is None:
        return edge, f"no WaitFlag takes {words}"
    line = program.operations[wait].instruction.line
    return edge, f"{words} is taken by the WaitFlag of line {line}, which is not before it"


def _usual_id(program: Program, pair: Pair, event: str) -> int | None:
    """The id of the waits that stand before instructions on the second one's bytes."""
    ids: Counter[int] = Counter()
    second = program.operations[pair.second]
    places = {o.address for o in second.instruction.operands.values() if o.memory == pair.memory}
    waits: list[int] = []
    for n in program.streams[second.core]:
        op = program.operations[n]
        if op.pipe != second.pipe:
            continue
        if op.kind == WAIT and op.instruction.params["event"] == event:
            waits.append(op.instruction.params["id"])
        elif op.work.steps:
            operands = op.instruction.operands.values()
            if waits and any(o.memory == pair.memory and o.address in places for o in operands):
                ids.update(waits)
            waits = []
    return ids.most_common(1)[0][0] if ids else None


def _missing_between(
    program: Program, course: Course, pair: Pair, one: str, two: str, turned: bool = False
) -> tuple[str, str]:
    """The order of two cores that is missing: the next set of the first, and who takes it.

    If the second core takes the set before that one, too, behind its access, that access is to go first.
    """
    first, second = program.operations[pair.first], program.operations[pair.second]
    a, b = first.instruction, second.instruction
    alike, near = a.core[:3] == b.core[:3], group_of(a.core) == group_of(b.core)
    edge = f"{a.core} {one} -> {b.core} {two}"
    modes = (2, 4) if not alike else (1,) if near else (0,)
    sets = [
        (n, op.instruction)
        for n in program.streams[first.core]
        if (op := program.operations[n]).kind == CROSS_SET
        and op.instruction.params.get("mode") in modes
        and n in course.positions
        and (not near or b.core in reached(op.instruction, program.cores))
    ]
    after = [(n, i) for n, i in sets if n > pair.first]
    if not after:
        return edge, f"no CrossCoreSetFlag of mode {modes[0]} follows {a.op} of line {a.line}"
    chosen, set_ = after[0]
    flag, words = set_.params["flag"], f"{set_.words} of line {set_.line}"
    edge, flags = f"{edge} flag {flag}", reached(set_, program.cores)
    if b.core not in flags:
        return edge, f"{words} is for {', '.join(flags)}, and {b.core} is of another block"
    key = "cross", second.core, flags[b.core]
    turn = sum(n < chosen and i.params["flag"] == flag for n, i in sets)
    waits = [wait for name, _, wait in course.pairs if name == key]
    if turn >= len(waits):
        return edge, f"no CrossCoreWaitFlag({key[2]}) of {b.core} waits for {words}"
    wait = program.operations[waits[turn]].instruction
    taken = f"{words} is taken by the CrossCoreWaitFlag of line {wait.line}"
    if turn and waits[turn - 1] > pair.second and not turned:
        back = pair._replace(first=pair.second, second=pair.first)
        return _missing_between(program, course, back, two, one, turned=True)
    if waits[turn] > pair.second:
        before = [i for n, i in sets if n < pair.first and i.params["flag"] == flag]
        early = f"{set_.words} of line {before[-1].line} is before {a.op}, and " if before else ""
        return edge, f"{early}{taken}, which is not before {b.op}"
    if set_.pipe != one:
        return edge, f"{words} tells of {set_.pipe}, not of {one}"
    return edge, f"{taken}, which holds {wait.pipe}, not {two}"
