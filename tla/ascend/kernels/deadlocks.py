# SPDX-License-Identifier: Apache-2.0
"""Deadlocks: which waits nothing can end, why, and what waits behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .findings import Findings, place_of
from .products import TILE
from .programs import CROSS_SET, SET, WAIT

if TYPE_CHECKING:
    from collections.abc import Collection

    from .findings import Finding
    from .programs import Operation, Program
    from .queues import Course

    Reason = tuple[str, int | None]
    """Why an instruction waits, and the stuck instruction that it waits behind."""

_NAMED: Final = 6
"""How many others that wait are named."""


class Deadlocks:
    """The instructions of a run that wait for ever."""

    def __init__(self, program: Program, course: Course, drop: Collection[int]) -> None:
        self.program: Program = program
        self.course: Course = course
        self.drop: Collection[int] = drop
        self.stuck: dict[int, Any] = {s.operation: s.key for s in course.stuck}
        self.reasons: dict[int, Reason] = {n: self._reason(n, key) for n, key in self.stuck.items()}

    def findings(self) -> list[Finding]:
        """Return one finding for each wait that no other one delays, or one for a circle of waits."""
        roots = [n for n, (_, behind) in self.reasons.items() if behind is None] or [*self.stuck][:1]
        found = Findings("synccheck")
        for number in roots:
            i = self.program.at(number)
            text = f"{i.words} on {i.core} {self.program.pipe_of(number)} waits for ever: "
            text += self.reasons[number][0]
            others = [n for n in self.stuck if n != number] if number == roots[0] else []
            if others:
                words = [self._where(n) for n in others[:_NAMED]]
                more = f" and {len(others) - _NAMED} others" if len(others) > _NAMED else ""
                text += f"; with it wait {'; '.join(words)}{more}"
            places = [place_of(self.program.at(n), self.program.pipe_of(n)) for n in self._chain(number)]
            found.at("deadlock", text, *places, edge=i.flag)
        return found.all

    def _where(self, number: int) -> str:
        i = self.program.at(number)
        return f"{i.words} of {i.core} {self.program.pipe_of(number)}, line {i.line}"

    def _chain(self, number: int) -> list[int]:
        """The waits from one that is stuck to what it waits for, round a circle if there is one."""
        chain: list[int] = []
        at: int | None = number
        while at is not None and at not in chain:
            chain.append(at)
            at = self.reasons[at][1]
        return chain

    def _reason(self, number: int, key: Any) -> Reason:
        op = self.program.operations[number]
        p = op.instruction.params
        if key[0] == "unit":
            return self._unit_reason(op, number, key[2])
        if key[0] == "idle":
            mine = [n for n in self.stuck if self.program.operations[n].core == op.core]
            blocked = [n for n in mine if self._issued(n)]
            names = [self._where(n) for n in blocked[:1]]
            text = f"it waits for all pipes, and {''.join(names)} does not end"
            return text, next(iter(blocked), None)
        if key[0] == "lock":
            return f"the mutex {p['id']} is not unlocked before", None
        name = op.instruction.flag or "flag"
        numbers = enumerate(self.program.operations)
        sets = [n for n, other in numbers if n not in self.drop and _reaches(other, op)]
        later = [n for n in sets if n not in self.course.positions]
        if later:
            return self._behind(f"its next set is {self._where(later[0])}", later[0], number)
        if not sets:
            return f"nothing sets {name}", None
        whose = "" if op.kind == WAIT else ", or not made by every core of the group"
        return f"no set of {name} is left after the {len(sets)} that other waits took{whose}", None

    def _issued(self, number: int) -> bool:
        core = self.program.operations[number].core
        at = self.course.issued[core]
        stream = self.program.streams[core]
        return at >= len(stream) or number < stream[at]

    def _behind(self, text: str, later: int, number: int) -> Reason:
        """The reason, with the stuck instruction that stands before one that did not run."""
        op = self.program.operations[later]
        mine = [n for n in self.stuck if self.program.operations[n].core == op.core]
        same = [n for n in mine if self.program.operations[n].pipe == op.pipe]
        scalar = [n for n in mine if not self._issued(n)]
        behind = next(iter(same if self._issued(later) and same else scalar or same), None)
        if behind is None or behind == number:
            return text, None
        i = self.program.at(behind)
        return f"{text}, which stands behind {i.words} of line {i.line}", behind

    def _unit_reason(self, op: Operation, number: int, block: int) -> Reason:
        """Why a product waits for empty sums, or a Fixpipe for full ones."""
        place = f"L0C[{block * TILE}]"
        product, operations = op.instruction.is_product, self.program.operations
        filled = self.course.full_tiles.get((op.core, block), 0) if product else 0
        others = [
            n
            for n in self.program.streams[op.core]
            if filled <= n < number
            and operations[n].work.unit_flag
            and self.program.at(n).is_product != product
            and block in self.program.unit_blocks(n)
        ]
        if product:
            line = self.program.at(filled).line
            text = f"its sums at {place} were filled by line {line}, and no Fixpipe has taken them out"
            later = [n for n in others if n not in self.course.positions]
        else:
            text = f"no Mmad with unitFlag 3 has filled {place}"
            done = [n for n in others if n in self.course.positions]
            later = [n for n in others if n not in done and operations[n].work.unit_flag == 3]
            if done and not later:
                i = self.program.at(done[-1])
                which = f"Mmad of {i.site or 'the kernel'}, line {i.line}, has unitFlag"
                text = f"{which} {i.params['unitFlag']} and leaves {place} unfinished: the last needs 3"
        if not later:
            return text, None
        return self._behind(f"{text}: {self._where(later[0])}", later[0], number)


def _reaches(setter: Operation, waiter: Operation) -> bool:
    """Whether a set is for the flag that an instruction waits for."""
    p, q = waiter.instruction.params, setter.instruction.params
    if waiter.kind == WAIT:
        return setter.kind == SET and setter.key == waiter.key
    if setter.kind != CROSS_SET:
        return False
    same = setter.instruction.core[:3] == waiter.instruction.core[:3]
    if q["mode"] == 4:
        return not same and q["flag"] % 16 == p.get("flag", -1) % 16
    return bool(q["flag"] == p.get("flag") and same == (q["mode"] in (0, 1)))
