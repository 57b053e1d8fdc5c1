# SPDX-License-Identifier: Apache-2.0
"""The machine's queues: which instruction runs when, and what it knows to have ended.

Each core's scalar unit issues instructions in order into the queues of its pipes. A pipe starts its
instructions in order, and waits where its first one waits. A pipe does not end them in order: only
flags, barriers, unit flags and cross-core flags tell that one has ended. So each instruction has a clock
at its start: for every pipe, how many of its instructions have ended for certain.

The k-th wait for a flag takes the k-th set, whatever the order of the pipes. So the clocks, a deadlock
and the flags that are left do not depend on that order; one run of the queues finds them for all.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from .instructions import group_of
from .programs import ALL, BARRIER, CROSS_SET, CROSS_WAIT, LOCK, SET, SYNC_ALL, UNLOCK, WAIT, WORK

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from .instructions import Instruction
    from .programs import Operation, Program

    Clock = dict[int, int]
    """How many instructions of each pipe have ended, where it is more than none."""
    Pick = Callable[[list[int]], int]


class Stuck(NamedTuple):
    """An instruction that waits for ever, and for what."""

    operation: int
    key: Hashable


class Course:
    """One run of the queues."""

    def __init__(self, program: Program, pick: Pick | None = None, drop: Collection[int] = ()) -> None:
        self.program = program
        count = len(program.pipes)
        self.order: list[int] = []
        """The instructions that have work, in the order in which they ran."""
        self.starts: dict[int, Clock] = {}
        self.positions: dict[int, int] = {}
        """The turn of each instruction on its pipe, from 1."""
        self.tokens: defaultdict[Hashable, deque[tuple[Clock, int]]] = defaultdict(deque)
        """The sets that no wait has taken yet, each with its clock and its instruction."""
        self.pairs: list[tuple[Hashable, int, int]] = []
        """The flag, its set and its wait."""
        self.most: dict[Hashable, tuple[int, int]] = {}
        """The most sets of a cross-core flag that were pending, and the set that made it so many."""
        self.unit_faults: list[tuple[int, str]] = []
        self.stuck: list[Stuck] = []
        self._clocks: list[Clock] = [{} for _ in range(count)]
        self._turns = [0] * count
        self._issue: list[Clock] = [{} for _ in program.cores]
        self._joined: list[Clock | None] = [None] * count
        self._queues: list[deque[tuple[int, Clock]]] = [deque() for _ in range(count)]
        self._next = [0] * len(program.cores)
        self._waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
        self._parts: defaultdict[Hashable, dict[int, deque[tuple[Clock, int]]]] = defaultdict(dict)
        self._met: set[int] = set()
        self._locks: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        self._held: dict[Hashable, Clock | None] = {}
        self._tiles: dict[tuple[int, int], tuple[bool, Clock, int]] = {}
        self._blocked: dict[int, Hashable] = {}
        self._core_pipes: list[list[int]] = [[] for _ in program.cores]
        numbers = {core: n for n, core in enumerate(program.cores)}
        for number, (core, _pipe) in enumerate(program.pipes):
            self._core_pipes[numbers[core]].append(number)
        self._scalar = [program.numbers[core, "S"] for core in program.cores]
        self._cores = numbers
        self._drop = frozenset(drop)
        self._run(pick)

    def _run(self, pick: Pick | None) -> None:
        """Run until nothing can go on. An agent is a scalar unit, or a pipe: its number behind them."""
        cores = len(self.program.cores)
        ready = self._ready = list(range(cores))[::-1]
        self._is_ready = [True] * cores + [False] * len(self.program.pipes)
        while ready:
            at = -1 if pick is None else pick(ready)
            agent = ready[at]
            key = self._issue_one(agent) if agent < cores else self._start_one(agent - cores)
            if key is False:
                continue
            if ready[at] != agent:  # woken agents went behind it
                at = ready.index(agent)
            ready.pop(at)
            self._is_ready[agent] = False
            if key is not True:
                self._waiting[key].append(agent)
                self._blocked[agent] = key
        for agent, key in self._blocked.items():
            if agent < cores:
                self.stuck.append(Stuck(self.program.streams[agent][self._next[agent]], key))
            else:
                self.stuck.append(Stuck(self._queues[agent - cores][0][0], key))

    def _wake(self, key: Hashable) -> None:
        waiting = self._waiting.pop(key, None)
        if waiting:
            for agent in waiting:
                self._blocked.pop(agent, None)
                self._push(agent)

    def _push(self, agent: int) -> None:
        if not self._is_ready[agent]:
            self._is_ready[agent] = True
            self._ready.append(agent)

    # --- the scalar unit: False to go on, True if it has nothing to do, else what it waits for
    def _issue_one(self, core: int) -> Any:
        stream = self.program.streams[core]
        at = self._next[core]
        while at < len(stream) and stream[at] in self._drop:
            at += 1
        self._next[core] = at
        if at >= len(stream):
            return True
        number = stream[at]
        op = self.program.operations[number]
        scalar = self._scalar[core]
        if op.kind in (ALL, SYNC_ALL):
            if any(self._queues[pipe] for pipe in self._core_pipes[core]):
                return "idle", core
            issue = self._issue[core]
            for pipe in self._core_pipes[core]:
                issue = _joined(issue, {**self._clocks[pipe], pipe: self._turns[pipe]})
            self._issue[core] = issue
            if op.kind == SYNC_ALL:
                waits = self._sync_all(op, core, number)
                if waits is not None:
                    return waits
            self._turns[scalar] += 1
            self.positions[number], self.starts[number] = self._turns[scalar], self._issue[core]
        elif op.pipe == scalar:
            self._clocks[scalar] = self._issue[core]
            key = self._perform(number, op, scalar)
            if key is not None:
                return key
            self._issue[core] = self._clocks[scalar]
        else:
            if op.kind == LOCK:
                self._locks[op.key].append(number)
            self._queues[op.pipe].append((number, self._issue[core]))
            agent = len(self.program.cores) + op.pipe
            if agent not in self._blocked:
                self._push(agent)
        self._next[core] = at + 1
        return False

    # --- a pipe
    def _start_one(self, pipe: int) -> Any:
        queue = self._queues[pipe]
        if not queue:
            return True
        number, issued = queue[0]
        if issued is not self._joined[pipe]:
            self._clocks[pipe] = _joined(self._clocks[pipe], issued)
            self._joined[pipe] = issued
        op = self.program.operations[number]
        key = self._perform(number, op, pipe)
        if key is not None:
            return key
        queue.popleft()
        if not queue:
            if ("idle", op.core) in self._waiting:
                self._wake(("idle", op.core))
            return True
        return False

    def _perform(self, number: int, op: Operation, pipe: int) -> Hashable | None:
        """Perform the first instruction of a pipe, or return what it waits for."""
        kind = op.kind
        key: Hashable = op.key
        clock = self._clocks[pipe]
        if kind == WORK:
            if op.work.unit_flag:
                waits = self._unit(number, op, pipe)
                if waits is not None:
                    return waits
                clock = self._clocks[pipe]
            self.order.append(number)
        elif kind in (WAIT, CROSS_WAIT):
            if not self.tokens[key]:
                return key
            token, setter = self.tokens[key].popleft()
            self.pairs.append((key, setter, number))
            clock = _joined(clock, token)
        elif kind == LOCK:
            turn = self._locks[key]
            if number not in turn:  # of the scalar unit, which has no queue
                turn.append(number)
            if turn[0] != number or key in self._held:
                return key
            before = self.tokens[key]
            if before:
                clock = _joined(clock, before.popleft()[0])
            self._held[key] = clock
        self._turns[pipe] += 1
        turns = self._turns[pipe]
        self.positions[number] = turns
        self.starts[number] = clock
        if kind == SET:
            self.tokens[key].append((_ended(clock, pipe, turns), number))
            if key in self._waiting:
                self._wake(key)
        elif kind == BARRIER:
            clock = _ended(clock, pipe, turns)
        elif kind == CROSS_SET:
            self._cross_set(number, op, _ended(clock, pipe, turns))
        elif kind == UNLOCK:
            self._held.pop(key, None)
            turn = self._locks[key]
            if turn:
                turn.popleft()
            self.tokens[key].append((_ended(clock, pipe, turns), number))
            self._wake(key)
        self._clocks[pipe] = clock
        return None

    # --- unit flags
    def _unit(self, number: int, op: Operation, pipe: int) -> Hashable | None:
        """Wait until the accumulators are empty for a product, or full for a Fixpipe."""
        blocks = self.program.unit_blocks(number)
        product = op.instruction.is_product
        tiles, core = self._tiles, op.core
        clock = self._clocks[pipe]
        seen = None
        for block in blocks:
            state = tiles.get((core, block))
            full = state is not None and state[0]
            if full == product:
                return "unit", core, block
            if state is not None and state[1] is not seen:
                seen = state[1]
                clock = _joined(clock, seen)
        self._clocks[pipe] = clock
        if not product and blocks:
            filler = tiles[core, blocks[0]][2]
            filled = self.program.unit_blocks(filler)
            if filled != blocks:
                line = self.program.operations[filler].instruction.line
                words = (
                    f"Fixpipe takes out {len(blocks)} fractals of L0C, and Mmad of line {line} filled"
                )
                self.unit_faults.append((number, f"{words} {len(filled)}: their extents must be equal"))
        if op.work.unit_flag == 3:
            after = _ended(clock, pipe, self._turns[pipe] + 1)
            for block in blocks:
                tiles[core, block] = (product, after, number)
            for block in blocks:
                if ("unit", core, block) in self._waiting:
                    self._wake(("unit", core, block))
        return None

    @property
    def full_tiles(self) -> dict[tuple[int, int], int]:
        """The accumulators that no Fixpipe has taken out, with the product that filled each."""
        return {at: number for at, (full, _, number) in self._tiles.items() if full}

    # --- between cores
    def _cross_set(self, number: int, op: Operation, token: Clock) -> None:
        mode, flag = op.instruction.params["mode"], op.instruction.params["flag"]
        core = op.instruction.core
        kind, group = core[:3], group_of(core)
        targets = reached(op.instruction, self.program.cores)
        if mode == 4 or (mode == 2 and kind == "AIC"):
            for target in targets.items():
                self._arrive(target, token, number)
            return
        members: tuple[str, ...] = tuple(targets) if mode == 0 else _vector_cores(group)
        key: Hashable = ("all", kind, flag) if mode == 0 else ("group", mode, group, flag)
        expected = [self._cores.get(member) for member in members]
        clock = self._gathered(key, op.core, expected, (token, number))
        for target in targets.items() if clock is not None else ():
            self._arrive(target, clock or token, number)

    def _gathered(
        self, key: Hashable, core: int, members: Sequence[int | None], part: tuple[Clock, int]
    ) -> Clock | None:
        """Keep a core's part of what a group does together; the joined clock once all have theirs."""
        parts = self._parts[key]
        mine: deque[tuple[Clock, int]] = parts.setdefault(core, deque())
        mine.append(part)
        if not all(member is not None and parts.get(member) for member in members):
            return None
        return reduce(_joined, [parts[m].popleft()[0] for m in members if m is not None])

    def _arrive(self, target: tuple[str, int], token: Clock, number: int) -> None:
        core = self._cores.get(target[0])
        if core is None:
            return
        key = ("cross", core, target[1])
        tokens = self.tokens[key]
        tokens.append((token, number))
        if len(tokens) > self.most.get(key, (0, 0))[0]:
            self.most[key] = (len(tokens), number)
        self._wake(key)

    def _sync_all(self, op: Operation, core: int, number: int) -> Hashable | None:
        """Meet all cores, or all vector cores: the last to arrive releases the others."""
        alone = op.instruction.params.get("isAIVOnly", True)
        members = [n for c, n in self._cores.items() if not alone or c.startswith("AIV")]
        key = ("sync", bool(alone))
        if number not in self._met and core in members:
            self._met.add(number)
            clock = self._gathered(key, core, members, (self._issue[core], number))
            for member in members if clock is not None else ():
                self.tokens[key, member].append((clock or {}, number))
                self._wake((key, member))
        if not self.tokens[key, core]:
            return key, core
        self._issue[core] = self.tokens[key, core].popleft()[0]
        return None

    @property
    def parts_left(self) -> dict[Hashable, dict[int, int]]:
        """The sets of group flags whose group is not complete, by core."""
        found: dict[Hashable, dict[int, int]] = {}
        for key, parts in self._parts.items():
            left = {core: sets[-1][1] for core, sets in parts.items() if sets}
            if left and key not in (("sync", True), ("sync", False)):
                found[key] = left
        return found

    @property
    def issued(self) -> list[int]:
        """How far each core's scalar unit came."""
        return self._next


def _vector_cores(group: int) -> tuple[str, str]:
    return f"AIV{2 * group}", f"AIV{2 * group + 1}"


def reached(i: Instruction, cores: Sequence[str]) -> dict[str, int]:
    """Return the cores that a ``CrossCoreSetFlag`` is for, each with the flag that it waits for."""
    flag: int = i.params["flag"]
    kind, group = i.core[:3], group_of(i.core)
    pair = _vector_cores(group)
    match i.params["mode"], kind:
        case 0, _:
            return dict.fromkeys([core for core in cores if core.startswith(kind)], flag)
        case 4, "AIC":
            return {pair[flag >= 16]: flag % 16}
        case 4, _:
            return {f"AIC{group}": flag + 16 * pair.index(i.core)}
        case (1, _) | (2, "AIC"):
            return dict.fromkeys(pair, flag)
        case _:
            return {f"AIC{group}": flag}


def _joined(a: Clock, b: Clock) -> Clock:
    made = a.copy()
    for pipe, turns in b.items():
        if made.get(pipe, 0) < turns:
            made[pipe] = turns
    return made


def _ended(clock: Clock, pipe: int, turns: int) -> Clock:
    """The clock of those who know that all instructions of a pipe, up to this turn, have ended."""
    return {**clock, pipe: turns}
