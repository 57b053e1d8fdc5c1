# SPDX-License-Identifier: Apache-2.0
"""When each instruction of a run starts and ends, by the rates of the architecture: a model, no clock.

An instruction starts when its pipe is free and all that it waits for has ended; its clock names that. It
takes `START` cycles and its bytes, products or repeats at the rate of its pipe. The rates are those of
`tla.ascend.tuning`; that a vector repeat takes a cycle is assumed. L2 holds everything, the scalar unit
takes no time, and banks do not conflict.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import UnsupportedError
from ...ground import Lane, Stretch, Timeline, html_of
from ..elements import element
from .programs import WORK
from .vectors import REPEAT

if TYPE_CHECKING:
    from .programs import Operation, Program
    from .queues import Course

START: Final = 16
"""The cycles of an instruction before its first byte or product, as `tla.ascend.tuning` assumes."""
_WIDTH: Final = 64
"""The columns of a text's lanes."""


class Span(NamedTuple):
    """One instruction in time, in cycles."""

    number: int
    """Its place among the program's instructions."""
    start: float
    end: float
    ready: float
    """When its pipe was free."""
    after: int | None
    """The instruction whose end let it start; None if it is the first."""
    why: str
    """What it waited for, if it did: ``WaitFlag<MTE2_MTE1>(0)``."""


class Timing:
    """Every instruction of a run in time."""

    def __init__(self, program: Program, course: Course) -> None:
        self.program = program
        self.spans: dict[int, Span] = {}
        self._flags = course.pairs
        self._place(course)

    def _place(self, course: Course) -> None:
        """Place the instructions in the order in which they ran: each after all that its clock knows."""
        count = len(self.program.pipes)
        ends: list[list[tuple[float, int | None]]] = [[(0.0, None)] for _ in range(count)]
        free: list[tuple[float, int | None]] = [(0.0, None)] * count
        for number in course.positions:
            op = self.program.operations[number]
            pipe, clock = op.pipe, course.starts[number]
            known = [ends[other][turn] for other, turn in clock.items() if turn]
            latest, cause = max(known, key=lambda end: end[0], default=(0.0, None))
            ready, before = free[pipe]
            start, after = (latest, cause) if latest > ready else (ready, before)
            end = start + self.cycles(op)
            why = ""
            if start > ready:
                named = op.instruction.words if op.kind != WORK else "the scalar unit"
                why = "its sums" if op.work.unit_flag else named
            self.spans[number] = Span(number, start, end, ready, after, why)
            free[pipe] = (end, number)
            ends[pipe].append(max(ends[pipe][-1], (end, number), key=lambda pair: pair[0]))

    def cycles(self, op: Operation) -> float:
        """Return how long an instruction takes; flags and barriers take no time of their own."""
        if not op.work.steps:
            return 0.0
        arch, i = self.program.arch, op.instruction
        pipe = self.program.pipes[op.pipe][1]
        if pipe == "S":
            return 1.0
        if i.is_product:
            p = i.params
            try:
                rate = arch.macs_per_cycle(element(i.operands["src"].dtype))
            except UnsupportedError:
                rate = arch.macs_per_cycle("half")
            products: int = p["m"] * p["n"] * p["k"]
            return START + products / rate
        moved = sum([box.runs.bytes for _, box in op.work.writes])
        if pipe == "V":
            return START + moved / REPEAT
        if pipe == "MTE1":
            to_b = i.operands["dst"].space == "L0B"
            return START + moved / (arch.l1_to_l0b_rate if to_b else arch.l1_to_l0a_rate)
        return START + moved / (arch.l2_rate if pipe == "MTE2" else arch.l2_write_rate)

    @cached_property
    def total(self) -> float:
        """The cycles of the whole run."""
        return max([span.end for span in self.spans.values()], default=0.0)

    @cached_property
    def busy(self) -> dict[tuple[str, str], float]:
        """The cycles in which each pipe of each core works."""
        found: defaultdict[tuple[str, str], float] = defaultdict(float)
        for span in self.spans.values():
            found[self._pipe(span)] += span.end - span.start
        return {pipe: cycles for pipe, cycles in found.items() if cycles and pipe[1] != "S"}

    def _pipe(self, span: Span) -> tuple[str, str]:
        return self.program.pipes[self.program.operations[span.number].pipe]

    @cached_property
    def stalls(self) -> dict[tuple[str, str, str], float]:
        """The cycles that each pipe of each core waits, by what it waits for."""
        found: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        for span in self.spans.values():
            if span.why:
                found[*self._pipe(span), span.why] += span.start - span.ready
        return dict(found)

    @cached_property
    def critical(self) -> list[Span]:
        """The instructions that fix the time of the run: the end of each starts the next."""
        last = max(self.spans.values(), key=lambda span: span.end, default=None)
        path: list[Span] = []
        while last is not None:
            if last.end > last.start:
                path.append(last)
            last = None if last.after is None else self.spans[last.after]
        return path[::-1]

    def figure(self, parts: int = 16) -> Timeline:
        """Return the picture of the run: pipes by parts of the time, each box as wide as the pipe works.

        A box has the name of the instruction that takes most of it.

        Args:
            parts: How many parts of equal length the time has.
        """
        unit, cells = self.total / parts or 1.0, self._cells(parts)
        lanes: list[Lane] = []
        for pipe, cycles in self.busy.items():
            boxes: list[tuple[Stretch, ...]] = []
            for cell in cells[pipe]:
                name, whole = max(cell, key=lambda op: cell[op], default=""), int(sum(cell.values()))
                boxes.append((Stretch(name, whole),) if whole else ())
            lanes.append(Lane(len(lanes), tuple(boxes), int(cycles), " ".join(pipe)))
        legend = f"the instruction that takes most; a part is {unit:.0f} cycles"
        most = int(max(self.busy.values(), default=0))
        return Timeline(
            "pipe", "part", legend, tuple(range(parts)), tuple(lanes), len(lanes), parts, most
        )

    def _cells(self, parts: int) -> dict[tuple[str, str], list[dict[str, float]]]:
        """The cycles of each instruction's name, by pipe and part of the run."""
        unit = self.total / parts or 1.0
        cells: dict[tuple[str, str], list[dict[str, float]]] = {}
        for span in self.spans.values():
            lane = cells.setdefault(self._pipe(span), [{} for _ in range(parts)])
            op = self.program.at(span.number).op
            for part in range(int(span.start // unit), min(int(span.end // unit) + 1, parts)):
                inside = min(span.end, (part + 1) * unit) - max(span.start, part * unit)
                lane[part][op] = lane[part].get(op, 0.0) + max(inside, 0.0)
        return cells

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def trace_events(self) -> str:
        """Return the run as Chrome's trace events, JSON that Perfetto shows; a cycle is a microsecond.

        Arrows lead from a set to the wait that takes it.
        """
        events: list[dict[str, Any]] = []
        cores = {core: n for n, core in enumerate(self.program.cores)}
        for core, n in cores.items():
            events.append({"name": "process_name", "ph": "M", "pid": n, "args": {"name": core}})
        for n, (core, pipe) in enumerate(self.program.pipes):
            named = {"name": "thread_name", "ph": "M", "pid": cores[core], "tid": n}
            events.append({**named, "args": {"name": pipe}})
        flags = {number for _, *ends in self._flags for number in ends}
        for span in self.spans.values():
            if span.end > span.start or span.number in flags:
                i = self.program.operations[span.number].instruction
                facts = {"line": i.line, "site": i.site, "waited for": span.why}
                event = self._event(span.number, i.op, "X", span.start) | {"dur": span.end - span.start}
                events.append({**event, "args": {k: v for k, v in facts.items() if v}})
        for n, (_, setter, wait) in enumerate(self._flags):
            for number, phase in ((setter, "s"), (wait, "f")):
                event = self._event(number, "flag", phase, self.spans[number].end)
                events.append({**event, "cat": "flag", "id": n, "bp": "e"})
        return json.dumps({"traceEvents": events})

    def _event(self, number: int, name: str, phase: str, time: float) -> dict[str, Any]:
        op = self.program.operations[number]
        return {"name": name, "ph": phase, "ts": time, "pid": op.core, "tid": op.pipe}

    def __str__(self) -> str:
        total = self.total
        microseconds = total / self.program.arch.frequency * 1e6
        lines = [f"{total:.0f} cycles, {microseconds:.1f} us of a model"]
        cells, unit = self._cells(_WIDTH), total / _WIDTH
        for (core, pipe), cycles in self.busy.items():
            waits = [(c, why) for (k, p, why), c in self.stalls.items() if (k, p) == (core, pipe)]
            worst = max(waits, default=None)
            words = f"  waits {worst[0] / total:.0%} for {worst[1]}" if worst and worst[0] else ""
            shares = [sum(cell.values()) / unit for cell in cells[core, pipe]]
            lane = "".join([" .:-=+*#%@"[min(int(share * 9.99), 9)] for share in shares])
            lines.append(f"{core} {pipe:4} {lane} {cycles / total:4.0%}{words}")
        counts: defaultdict[str, float] = defaultdict(float)
        for span in self.critical:
            counts[self._pipe(span)[1]] += span.end - span.start
        parts = [f"{pipe} {c / total:.0%}" for pipe, c in sorted(counts.items(), key=lambda x: -x[1])]
        lines.append(f"critical path: {len(self.critical)} instructions, {', '.join(parts)}")
        return "\n".join(lines)
