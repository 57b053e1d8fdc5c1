# SPDX-License-Identifier: Apache-2.0
"""What ``tla ascend schedule`` says of one schedule, of two side by side, and of every block of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ascend import ARCHES
from ..ground import plural
from .columns import columns
from .common import bytes_in_words, in_tenths, short_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ascend import Balance, Schedule
    from .ascend_schedule_facts import Difference, Entry, Request


def head(request: Request, schedule: Schedule) -> Iterator[str]:
    """Yield the request: the problem, its tiles, the cores."""
    problem, tile = (" x ".join(map(str, shape)) for shape in (schedule.problem, schedule.tile))
    elements, machine = request.elements, request.arch
    types = elements[0].name if len(set(elements)) == 1 else ", ".join(e.name for e in elements)
    yield f"problem   {problem} of {types}, in tiles of {tile}"
    has = "" if request.cores is None else f" has {machine.cores}"
    yield f"cores     {schedule.cores} ({machine.name}{has})"


def _why(entry: Entry, request: Request) -> str:
    """Where the swizzle, or its cut of K, comes from, if the command line has none."""
    m, n, _ = request.problem
    if request.advised and entry.order is request.orders[0]:
        return f", CATLASS's advice for M {'>=' if m >= n else '<'} N"
    if entry.order.splits and request.splitk is None:
        return f", K in {plural(entry.schedule.factor, 'slice')} as CATLASS's kernel has it"
    return ""


def _notes(entry: Entry, request: Request) -> Iterator[str]:
    schedule, code = entry.schedule, entry.order.code
    if schedule.empty:
        yield _empty(schedule)
    if code not in (None, request.arch.code):
        theirs = " and ".join(a.name for a in ARCHES.values() if a.code == code)
        yield f"CATLASS's kernels with it are for {theirs}, not for {request.arch.name}"


def one(entry: Entry, request: Request) -> Iterator[str]:
    """Yield the facts of one schedule."""
    _, schedule, balance, traffic, reuse = entry
    yield f"swizzle   {schedule.swizzle}{_why(entry, request)}"
    yield f"cover     {_cover(schedule)}"
    yield from (f"note      {note}" for note in _notes(entry, request))
    idle = f"{plural(balance.idle, 'core')} idle" if balance.idle else "no core idle"
    most = plural(balance.most, "product")
    yield f"balance   {_percent(balance)} busy, {plural(balance.rounds, 'round')}, {idle}"
    tasks = f"{plural(max(balance.tasks), 'task')} at most and {min(balance.tasks)} at least"
    yield f"          {tasks}; {most} on the busiest"
    read = f"A {short_bytes(traffic.a)}, B {short_bytes(traffic.b)}{_workspace(traffic.workspace_read)}"
    yield f"read      {bytes_in_words(traffic.read)}: {read}"
    written = f"C {short_bytes(traffic.c)}{_workspace(traffic.workspace_written)}"
    yield f"written   {bytes_in_words(traffic.written)}: {written}"
    cache = f"of A and B, by estimate, with {short_bytes(reuse.capacity)} of L2"
    yield f"from GM   {bytes_in_words(reuse.from_gm)} {cache}"
    none = f"{short_bytes(reuse.per_round)} if nothing stays in L2 between rounds"
    yield f"          {none}; {short_bytes(reuse.once)} is each byte once"


def _workspace(count: int) -> str:
    return f", workspace {short_bytes(count)}" if count else ""


def _cover(schedule: Schedule) -> str:
    """The proof in words."""
    tiles = plural(schedule.blocks, "tile")
    each = "the one tile is" if schedule.blocks == 1 else f"every one of the {tiles} is"
    if schedule.count == schedule.blocks:
        return f"{each} computed exactly once"
    how = f"in up to {schedule.factor} slices of K" if schedule.factor > 1 else "some in pieces"
    return f"{each} computed exactly once, {how}: {schedule.count} tasks"


def _empty(schedule: Schedule) -> str:
    count = schedule.factor - schedule.loops.k
    beyond, verb = plural(count, "slice"), "has" if count == 1 else "have"
    return (
        f"K has {plural(schedule.loops.k, 'tile')}: {beyond} of {schedule.factor} {verb} nothing to"
        " compute, and what the workspace holds there is added up all the same"
    )


def _percent(balance: Balance) -> str:
    return f"{in_tenths(100 * sum(balance.work), balance.most * len(balance.work))} %"


def blocks(schedule: Schedule) -> Iterator[str]:
    """A line for each task in the order of their numbers, each printed before the next is made."""
    wide = max(len(str(schedule.count)), len("number"))
    tile = max(len(str(schedule.loops)), len("tile"))  # a place is below the extents
    first = max(len(str(schedule.problem)), len("first element"))
    shape = max(len(str(schedule.problem)), len("extents"))
    head = ("number", "core", "round")
    names = "  ".join(f"{name:>{wide}}" for name in head)
    yield f"{names}  {'tile':<{tile}}  {'first element':<{first}}  extents"
    for task in schedule.tasks:
        numbers = "  ".join(f"{n:>{wide}}" for n in (task.number, task.core, task.round))
        notes = [f"slice {task.slice}"] if task.shape.k < schedule.problem.k else []
        notes += ["adds"] if task.adds else []
        notes += [f"group {task.group}"] if schedule.groups > 1 else []
        tail = f"  {', '.join(notes)}" if notes else ""
        places = f"{task.coord!s:<{tile}}  {task.start!s:<{first}}"
        yield f"{numbers}  {places}  {task.shape!s:<{shape if tail else 0}}{tail}"


# --- two side by side ---


def two(entries: list[Entry], difference: Difference, request: Request) -> Iterator[str]:
    """Yield what differs between two schedules, and every figure of both with the better of them."""
    names = ("first", "second")
    for name, entry in zip(names, entries, strict=True):
        chosen = _why(entry, request) if entry.order.splits else ""
        yield f"{name:<9} {entry.schedule.swizzle}{chosen}: {_cover(entry.schedule)}"
    yield f"differ    {difference}"
    for name, entry in zip(names, entries, strict=True):
        yield from (f"note      of the {name}: {note}" for note in _notes(entry, request))
    groups = [plural(entry.schedule.groups, "group") for entry in entries]
    if groups[0] != groups[1]:
        yield (
            f"note      not the same products: the first has {groups[0]} of rows, the second"
            f" {groups[1]}, each with its own B"
        )
    yield ""
    tasks = tuple(str(entry.schedule.count) for entry in entries)  # more is neither better nor worse
    rows = [("tasks", *tasks, ""), *_figures(entries)]
    yield from columns(("", *names, "better"), rows, 0)


def _figures(entries: list[Entry]) -> Iterator[tuple[str, ...]]:
    """A row for each figure: its name, both values, and the better one."""

    def row(
        name: str, values: list[float], texts: list[str] | None = None, more: bool = False
    ) -> tuple[str, ...]:
        return name, *(texts or map(str, values)), _better(values, more)

    yield row("rounds", [f.balance.rounds for f in entries])
    yield row("idle cores", [f.balance.idle for f in entries])
    yield row("most work of a core", [f.balance.most for f in entries])
    busy = [f.balance.efficiency for f in entries]
    yield row("busy", busy, [_percent(f.balance) for f in entries], more=True)
    for name, sizes in (
        ("read", [f.traffic.read for f in entries]),
        ("written", [f.traffic.written for f in entries]),
        ("from GM, with L2", [f.reuse.from_gm for f in entries]),
        ("from GM, none kept", [f.reuse.per_round for f in entries]),
    ):
        yield row(name, [*sizes], [short_bytes(size) for size in sizes])


def _better(values: list[float], more: bool) -> str:
    """The better of two, and the difference as a part of the larger."""
    first, second = values
    if first == second:
        return "same"
    better, worse = (first, second) if (first > second) == more else (second, first)
    name = "first" if better == first else "second"
    high, low = max(better, worse), min(better, worse)
    if not low:
        return name
    gain = 100 * (high - low) / high
    return f"{name}, by {gain:.1f} %" if gain >= 0.05 else f"{name}, by less than 0.1 %"
