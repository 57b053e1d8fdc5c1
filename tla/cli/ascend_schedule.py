"""``tla ascend schedule``: which core computes which block when, and that all is computed once."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ..ascend.arch import ARCHES, arch
from ..ascend.elements import element
from ..ascend.schedules.swizzles import WORDS, default_swizzle, swizzle
from ..ascend.shapes import gemm_shape
from ..errors import UnsupportedError
from .ascend import SUBCOMMANDS
from .columns import columns, plural, wrapped
from .common import bytes_in_words, in_tenths, positive, short_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ascend.elements import Element
    from ..ascend.schedules import Balance, Reuse, Schedule, Swizzle, Task, Traffic
    from ..ascend.shapes import GemmShape

__all__ = ["run"]

_SHOWS_PROGRESS: Final = 1 << 17  # tasks

_EPILOG = f"""\
examples:
  tla ascend schedule 4096,4096,4096 --tile 128,256,256
  tla ascend schedule 4096,4096,4096 --tile 128,256,256 --swizzle 'GemmIdentityBlockSwizzle<3,0>'
  tla ascend schedule 160,6144,4096 --tile 128,256,256 --swizzle 'identity<3,1>' --versus 'identity<4,1>'
  tla ascend schedule 512,512,16384 --tile 128,256,256 --swizzle splitk --splitk 4 --blocks
  tla ascend schedule 900,512,512 --tile 128,256,256 --swizzle grouped_aswt --rows 300,0,600

SWIZZLE is a class of CATLASS, or in short one of
{chr(10).join(wrapped(WORDS, "  "))};
each takes its template arguments in < >. Without it CATLASS's advice is followed: <3,0> for M >= N, else
<3,1>. A round is a turn of the cores' loop. 'busy' is the work of the mean core over that of the
busiest, counted in products of elements, so that a tile at an edge counts as what it is.

The estimate of L2: the cores take their turns together, and what several of them read in one turn
comes from global memory, GM, once; what was read before stays in L2 until newer panels of A and B fill
it. 'none kept' is the same estimate of an L2 that is empty again at the end of each round.

Exit code 1: a value is wrong, or the swizzle has no such schedule.
"""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    problem, tile = gemm_shape(options.problem, "problem"), gemm_shape(options.tile)
    machine = arch(options.arch)
    elements = options.element
    first = swizzle(options.swizzle) if options.swizzle else default_swizzle(problem)
    second = swizzle(options.versus) if options.versus else None
    orders = [first] if second is None else [first, second]
    untaken = _untaken(orders, options)
    if untaken:
        parser.error(untaken)
    cores = options.cores or machine.cores
    found = [_Found.of(order, problem, tile, cores, options, elements, machine.l2) for order in orders]
    if options.json:
        import json

        facts = [entry.facts(options.blocks) for entry in found]
        print(json.dumps(facts[0] if second is None else {"schedules": facts}))
        return 0
    origin = f"{machine.name} has {machine.cores}" if options.cores else machine.name
    for line in _given(found[0].schedule, elements, origin):
        print(line)
    if second is None:
        print(*_one(found[0], "" if options.swizzle else _why(problem)), sep="\n")
        print()
        if options.blocks:
            for line in _blocks(found[0].schedule):
                print(line)
        else:
            from ..show.terminal import write

            write(found[0].schedule.timeline())
    else:
        print(*_two(found), sep="\n")
        if options.blocks:
            for entry in found:
                print(f"\n{entry.schedule.swizzle}")
                for line in _blocks(entry.schedule):
                    print(line)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tla ascend schedule",
        description=SUBCOMMANDS["schedule"],
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("problem", metavar="M,N,K", help="the extents of the product, in elements")
    parser.add_argument("--tile", metavar="m,n,k", required=True, help="the extents of a tile in L1")
    parser.add_argument("--swizzle", metavar="SWIZZLE", help="what orders the blocks")
    parser.add_argument("--versus", metavar="SWIZZLE", help="compare with this one")
    parser.add_argument(
        "--arch", default="AtlasA2", metavar="ARCH", help=f"{', '.join(ARCHES)} (AtlasA2)"
    )
    parser.add_argument(
        "--cores", type=positive, metavar="N", help="not as many cores as ARCH has but N"
    )
    parser.add_argument(
        "--element",
        type=_elements,
        default="half",
        metavar="TYPE",
        help="of A, B and C, or three with commas (half)",
    )
    parser.add_argument(
        "--splitk", type=positive, metavar="N", help="cut K into N slices, where SWIZZLE takes a factor"
    )
    parser.add_argument(
        "--rows", type=_rows, metavar="R,R,..", help="the rows of each group, where SWIZZLE is grouped"
    )
    parser.add_argument("--blocks", action="store_true", help="list every block in place of the picture")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _rows(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise argparse.ArgumentTypeError(f"needs numbers with commas, not {text!r}")
    return tuple(map(int, parts))


def _elements(text: str) -> tuple[Element, Element, Element]:
    names = [part.strip() for part in text.split(",")]
    if len(names) == 1:
        names *= 3
    if len(names) != 3:
        raise argparse.ArgumentTypeError(f"takes one type or three, of A, B and C, not {len(names)}")
    try:
        a, b, c = map(element, names)
    except UnsupportedError as error:
        raise argparse.ArgumentTypeError(" ".join([error.summary + ".", *error.details])) from None
    return a, b, c


def _untaken(orders: list[Swizzle], options: argparse.Namespace) -> str:
    """An option that no swizzle asked for takes, or nothing; of two, the one that takes it has it."""
    takes = {"splitk": any(o.splits for o in orders), "rows": any(o.grouped for o in orders)}
    names = " and ".join(o.name for o in orders)
    for name, taken in takes.items():
        if getattr(options, name) is not None and not taken:
            return f"--{name} is not for {names}"
    return ""


class _Found(NamedTuple):
    """A schedule, proved, and its facts."""

    schedule: Schedule
    balance: Balance
    traffic: Traffic
    reuse: Reuse

    @classmethod
    def of(
        cls,
        order: Swizzle,
        problem: GemmShape,
        tile: GemmShape,
        cores: int,
        options: argparse.Namespace,
        elements: tuple[Element, Element, Element],
        l2: int,
    ) -> _Found:
        schedule = order.schedule(
            problem,
            tile,
            cores=cores,
            splitk=options.splitk if order.splits else None,
            rows=options.rows or () if order.grouped else (),
        )
        _prove(schedule)
        a, b, c = elements
        return cls(schedule, schedule.balance(), schedule.traffic(a, b, c), schedule.l2_reuse(a, b, l2))

    def facts(self, blocks: bool) -> dict[str, Any]:
        """The facts as JSON has them."""
        schedule, balance, traffic, reuse = self
        facts: dict[str, Any] = {
            "swizzle": schedule.swizzle,
            "problem": list(schedule.problem),
            "tile": list(schedule.tile),
            "cores": schedule.cores,
            "tiles": schedule.blocks,
            "tasks": len(schedule),
            "slices": schedule.factor,
            "empty_tasks": schedule.empty,
            "covered_once": True,
            "rounds": balance.rounds,
            "idle_cores": balance.idle,
            "work_of_cores": list(balance.work),
            "tasks_of_cores": list(balance.tasks),
            "busy": balance.efficiency,
            "bytes": {"a": traffic.a, "b": traffic.b, "c": traffic.c,
                      "workspace_written": traffic.workspace_written,
                      "workspace_read": traffic.workspace_read,
                      "read": traffic.read, "written": traffic.written},
            "l2": {"capacity": reuse.capacity, "read": reuse.read, "from_gm": reuse.from_gm,
                   "per_round": reuse.per_round, "once": reuse.once},
        }  # fmt: skip
        if blocks:
            facts["blocks"] = [_task_facts(task) for task in schedule.tasks]
        return facts


def _task_facts(task: Task) -> dict[str, Any]:
    facts = task._asdict()
    return {**facts, **{name: list(facts[name]) for name in ("coord", "start", "shape")}}


def _prove(schedule: Schedule) -> None:
    """Prove the schedule; on a terminal a long proof shows how far it is."""
    if len(schedule) < _SHOWS_PROGRESS or sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        schedule.proof()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (TextColumn("proving"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("proving", total=len(schedule))
        schedule.proof(lambda done: progress.update(bar, completed=done))


# --- text ---


def _given(schedule: Schedule, elements: tuple[Element, Element, Element], origin: str) -> Iterator[str]:
    problem, tile = (" x ".join(map(str, shape)) for shape in (schedule.problem, schedule.tile))
    types = elements[0].name if len(set(elements)) == 1 else ", ".join(e.name for e in elements)
    yield f"problem   {problem} of {types}, in tiles of {tile}"
    yield f"cores     {schedule.cores} ({origin})"


def _why(problem: GemmShape) -> str:
    return f", CATLASS's advice for M {'>=' if problem.m >= problem.n else '<'} N"


def _one(found: _Found, why: str) -> Iterator[str]:
    schedule, balance, traffic, reuse = found
    yield f"swizzle   {schedule.swizzle}{why}"
    yield f"cover     {_cover(schedule)}"
    if schedule.empty:
        yield f"note      {_empty(schedule)}"
    idle = f"{plural(balance.idle, 'core')} idle" if balance.idle else "no core idle"
    most = plural(balance.most, "product")
    yield f"balance   {_percent(balance)} busy, {plural(balance.rounds, 'round')}, {idle}"
    tasks = f"{plural(max(balance.tasks), 'task')} at most and {min(balance.tasks)} at least"
    yield f"          {tasks}; {most} on the busiest"
    workspace = f", workspace {short_bytes(traffic.workspace_read)}" if traffic.workspace_read else ""
    read = f"A {short_bytes(traffic.a)}, B {short_bytes(traffic.b)}{workspace}"
    yield f"read      {bytes_in_words(traffic.read)}: {read}"
    workspace = (
        f", workspace {short_bytes(traffic.workspace_written)}" if traffic.workspace_written else ""
    )
    yield f"written   {bytes_in_words(traffic.written)}: C {short_bytes(traffic.c)}{workspace}"
    cache = f"of A and B, by estimate, with {short_bytes(reuse.capacity)} of L2"
    yield f"from GM   {bytes_in_words(reuse.from_gm)} {cache}"
    none = f"{short_bytes(reuse.per_round)} if nothing stays in L2 between rounds"
    yield f"          {none}; {short_bytes(reuse.once)} is each byte once"


def _cover(schedule: Schedule) -> str:
    """What was proved, in words."""
    tiles = plural(schedule.blocks, "tile")
    each = "the one tile is" if schedule.blocks == 1 else f"every one of the {tiles} is"
    if len(schedule) == schedule.blocks:
        return f"{each} computed exactly once"
    how = f"in up to {schedule.factor} slices of K" if schedule.factor > 1 else "some in pieces"
    return f"{each} computed exactly once, {how}: {len(schedule)} tasks"


def _empty(schedule: Schedule) -> str:
    count = schedule.factor - schedule.loops.k
    beyond, verb = plural(count, "slice"), "has" if count == 1 else "have"
    return (
        f"K has {plural(schedule.loops.k, 'tile')}: {beyond} of {schedule.factor} {verb} nothing to"
        " compute, and what the workspace holds there is added up all the same"
    )


def _percent(balance: Balance) -> str:
    return f"{in_tenths(100 * sum(balance.work), balance.most * len(balance.work))} %"


def _blocks(schedule: Schedule) -> Iterator[str]:
    """A line for each task in the order of their numbers, each printed before the next is made."""
    ends = [*schedule.problem, len(schedule), schedule.cores]
    wide = max(len(str(max(ends))), len("number"))
    place = 2 * wide
    head = ("number", "core", "round")
    yield (
        "  ".join(f"{name:>{wide}}" for name in head)
        + f"  {'tile':<{place}}  {'first element':<{place}}  extents"
    )
    for task in schedule.tasks:
        numbers = "  ".join(f"{n:>{wide}}" for n in (task.number, task.core, task.round))
        notes = [f"slice {task.slice}"] if task.shape.k < schedule.problem.k else []
        notes += ["adds"] if task.adds else []
        notes += [f"group {task.group}"] if schedule.groups > 1 else []
        tail = f"  {', '.join(notes)}" if notes else ""
        yield f"{numbers}  {task.coord!s:<{place}}  {task.start!s:<{place}}  {task.shape!s}{tail}"


# --- two side by side ---


def _two(found: list[_Found]) -> Iterator[str]:
    one, two = found
    names = [entry.schedule.swizzle for entry in found]
    yield f"first     {names[0]}: {_cover(one.schedule)}"
    yield f"second    {names[1]}: {_cover(two.schedule)}"
    yield f"differ    {_moved(one.schedule, two.schedule)}"
    yield ""
    tasks = tuple(str(len(entry.schedule)) for entry in found)  # more is neither better nor worse
    rows = [("tasks", *tasks, "")]
    rows += [(name, *texts, _better(*values, more)) for name, texts, values, more in _figures(one, two)]
    head = ("", "first", "second", "better")
    yield from (line.rstrip() for line in columns(head, rows, 0))


def _figures(one: _Found, two: _Found) -> Iterator[_Figure]:
    """A figure: its name, both as texts, both as numbers, and whether more is better."""
    both = (one, two)

    def row(name: str, values: list[int], texts: list[str] | None = None) -> _Figure:
        shown = texts or list(map(str, values))
        return name, (shown[0], shown[1]), (values[0], values[1]), False

    yield row("rounds", [f.balance.rounds for f in both])
    yield row("idle cores", [f.balance.idle for f in both])
    yield row("most work of a core", [f.balance.most for f in both])
    busy = [f.balance.efficiency for f in both]
    yield "busy", (_percent(one.balance), _percent(two.balance)), (busy[0], busy[1]), True
    for name, values in (
        ("read", [f.traffic.read for f in both]),
        ("written", [f.traffic.written for f in both]),
        ("from GM, with L2", [f.reuse.from_gm for f in both]),
        ("from GM, none kept", [f.reuse.per_round for f in both]),
    ):
        yield row(name, values, [short_bytes(x) for x in values])


_Figure: TypeAlias = "tuple[str, tuple[str, str], tuple[float, float], bool]"


def _better(first: float, second: float, more: bool) -> str:
    if first == second:
        return "same"
    better, worse = (first, second) if (first > second) == more else (second, first)
    name = "first" if better == first else "second"
    high, low = max(better, worse), min(better, worse)
    if not low:
        return name
    gain = 100 * (high - low) / high
    return f"{name}, by {gain:.1f} %" if gain >= 0.05 else f"{name}, by less than 0.1 %"


def _moved(one: Schedule, two: Schedule) -> str:
    """How many blocks are computed on another core or in another round."""
    place = {(t.start, t.shape): (t.core, t.round) for t in one.tasks}
    same = other_core = other_round = 0
    for task in two.tasks:
        at = place.get((task.start, task.shape))
        if at is None:
            continue
        same += 1
        other_core += at[0] != task.core
        other_round += at[0] == task.core and at[1] != task.round
    if not same:
        return "no block is the same"
    if not other_core and not other_round and same == len(one) == len(two):
        return "nothing: every block is on the same core in the same round"
    alike = "" if same == len(one) == len(two) else f"{plural(same, 'block')} in both; "
    moved = f"{other_core} of {same} blocks are on another core"
    return f"{alike}{moved}, {other_round} on the same core in another round"
