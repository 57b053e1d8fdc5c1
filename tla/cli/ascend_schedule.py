"""``tla ascend schedule``: which core computes which block when, and that all is computed once."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ..ascend.arch import ARCHES, arch
from ..ascend.plans.plan import gemm
from ..ascend.schedules.facts import tally
from ..ascend.schedules.schedule import MOST_WALKED
from ..ascend.schedules.swizzles import WORDS, default_swizzle, swizzle
from ..ascend.shapes import gemm_shape
from ..errors import ParseError, UnsupportedError
from ..text import shortened
from .ascend import SUBCOMMANDS
from .columns import columns, plural, wrapped
from .common import bytes_in_words, in_tenths, positive, short_bytes, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from ..ascend.arch import Arch
    from ..ascend.elements import Element
    from ..ascend.schedules import Balance, BlockSwizzle, Reuse, Schedule, Task, Traffic
    from ..ascend.shapes import GemmCoord, GemmShape

__all__ = ["run"]

_SHOWS_PROGRESS: Final = 1 << 17  # tasks

_EPILOG = f"""\
examples:
  tla ascend schedule 4096,4096,4096 --tile 128,256,256
  tla ascend schedule 4096,4096,4096 --tile 128,256,256 --swizzle 'GemmIdentityBlockSwizzle<3,0>'
  tla ascend schedule 160,6144,4096 --tile 128,256,256 --swizzle 'identity<3,1>' --versus 'identity<4,1>'
  tla ascend schedule 512,512,16384 --tile 128,256,256 --swizzle splitk --splitk 4 --blocks
  tla ascend schedule 900,512,512 --tile 128,256,256 --arch Ascend950 --swizzle grouped_aswt \\
      --rows 300,0,600

SWIZZLE is a class of CATLASS, or in short one of
{chr(10).join(wrapped(WORDS, "  "))};
each takes its template arguments in < >. Without it CATLASS's advice is followed: <3,0> for M >= N, else
<3,1>. A round is a turn of the cores' loop. 'busy' is the work of the mean core over that of the
busiest, counted in products of elements, so that a tile at an edge counts as what it is.

The estimate of L2: the cores take their turns together, and what several of them read in one turn
comes from global memory, GM, once; what was read before stays in L2 until newer panels of A and B fill
it. 'none kept' is the same estimate of an L2 that is empty again at the end of each round.

Where TYPE says nothing of C, it is as A, or what 8 bits and fewer are summed up in. Every task is gone
through one by one; more than {MOST_WALKED} are refused.

Exit code 1: a value is wrong, or the swizzle has no such schedule.
"""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(signed(arguments))
    asked = _Asked.of(options)
    untaken = _untaken(asked.orders, options)
    if untaken:
        parser.error(untaken)
    found = [_Found.of(order, asked) for order in asked.orders]
    differ = _differ(found[0].schedule, found[1].schedule) if len(found) > 1 else None
    if options.json:
        import json

        facts = [entry.facts(asked, options.blocks) for entry in found]
        print(json.dumps({"schedules": facts, "differ": differ._asdict()} if differ else facts[0]))
        return 0
    for line in _given(asked, found[0].schedule):
        print(line)
    if differ is None:
        print(*_one(found[0], asked), sep="\n")
        print()
        if options.blocks:
            for line in _blocks(found[0].schedule):
                print(line)
        else:
            from ..ascend.schedules.picture import timeline
            from ..show.terminal import write

            write(timeline(found[0].schedule, balance=found[0].balance))
    else:
        print(*_two(found, differ, asked), sep="\n")
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
        default="half",
        metavar="TYPE",
        help="the type of A, B and C; or two or three, with commas (half)",
    )
    parser.add_argument(
        "--splitk", type=positive, metavar="N", help="cut K into N slices, where SWIZZLE takes a factor"
    )
    parser.add_argument(
        "--rows", metavar="R,R,..", help="the rows of each group, where SWIZZLE is grouped"
    )
    parser.add_argument("--blocks", action="store_true", help="list every block in place of the picture")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _rows(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise ParseError(
            f"expected the rows of each group with commas, found {shortened(text)!r}", text, 0, len(text)
        )
    return tuple(map(int, parts))


def _untaken(orders: Sequence[BlockSwizzle], options: argparse.Namespace) -> str:
    """An option that no swizzle asked for takes, or nothing; of two, the one that takes it has it."""
    takes = {"splitk": any(o.splits for o in orders), "rows": any(o.grouped for o in orders)}
    names = " and ".join(o.name for o in orders)
    for name, taken in takes.items():
        if getattr(options, name) is not None and not taken:
            return f"--{name} is not for {names}"
    return ""


class _Asked(NamedTuple):
    """What the command line asks for."""

    arch: Arch
    problem: GemmCoord
    tile: GemmShape
    elements: tuple[Element, Element, Element]
    orders: tuple[BlockSwizzle, ...]
    advised: bool
    """Whether the first swizzle is CATLASS's advice."""
    cores: int | None
    splitk: int | None
    rows: tuple[int, ...]

    @classmethod
    def of(cls, options: argparse.Namespace) -> _Asked:
        """Read the options.

        Raises:
            UnsupportedError: the cube core does not multiply the elements, or sums make no such C.
        """
        machine = arch(options.arch)
        problem, tile = gemm_shape(options.problem, "problem"), gemm_shape(options.tile)
        plan = gemm(machine, problem, options.element, l1=tile, l0=tile)  # it knows what C is
        sums = machine.accumulator(plan.a, plan.b)
        written = dict.fromkeys((sums.name, "half", "bfloat16_t", "float", "int8_t", "uint8_t"))
        if plan.c.name not in written:
            raise UnsupportedError(
                f"no C of {plan.c} is made of sums of {plan.a} by {plan.b}",
                f"It is one of {', '.join(written)}.",
                element=plan.c,
            )
        first = default_swizzle(problem) if options.swizzle is None else swizzle(options.swizzle)
        second = () if options.versus is None else (swizzle(options.versus),)
        return cls(
            machine, plan.problem, tile, (plan.a, plan.b, plan.c), (first, *second),
            options.swizzle is None, options.cores, options.splitk,
            () if options.rows is None else _rows(options.rows),
        )  # fmt: skip


class _Found(NamedTuple):
    """A schedule, proved, and its facts."""

    order: BlockSwizzle
    schedule: Schedule
    balance: Balance
    traffic: Traffic
    reuse: Reuse

    @classmethod
    def of(cls, order: BlockSwizzle, asked: _Asked) -> _Found:
        schedule = order.schedule(
            asked.problem,
            asked.tile,
            cores=asked.arch.cores if asked.cores is None else asked.cores,
            splitk=asked.splitk if order.splits else None,
            rows=asked.rows if order.grouped else (),
        )
        a, b, c = asked.elements
        with _progress("proving", schedule) as progress:
            schedule.proof(progress)
        with _progress("counting", schedule) as progress:
            balance, moved = tally(schedule, progress)
        with _progress("estimating L2", schedule) as progress:
            reuse = schedule.l2_reuse(a, b, asked.arch.l2, progress)
        return cls(order, schedule, balance, moved.traffic(a, b, c), reuse)

    def facts(self, asked: _Asked, blocks: bool) -> dict[str, Any]:
        """The facts as JSON has them."""
        _, schedule, balance, traffic, reuse = self
        facts: dict[str, Any] = {
            "swizzle": schedule.swizzle,
            "arch": asked.arch.name,
            "elements": dict(zip("abc", (e.name for e in asked.elements), strict=True)),
            "problem": list(schedule.problem),
            "tile": list(schedule.tile),
            "cores": schedule.cores,
            "tiles": schedule.blocks,
            "tasks": schedule.count,
            "slices": schedule.factor,
            "groups": schedule.groups,
            "rows": list(asked.rows) if self.order.grouped and asked.rows else [schedule.problem.m],
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
                   "per_round": reuse.per_round, "once": reuse.once, "hits": reuse.hits},
        }  # fmt: skip
        if blocks:
            facts["blocks"] = [_task_facts(task) for task in schedule.tasks]
        return facts


def _task_facts(task: Task) -> dict[str, Any]:
    facts = task._asdict()
    return {**facts, **{name: list(facts[name]) for name in ("coord", "start", "shape")}}


@contextmanager
def _progress(what: str, schedule: Schedule) -> Generator[Callable[[int], None] | None]:
    """How far a long walk over the tasks is, on a terminal."""
    if schedule.count < _SHOWS_PROGRESS or sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(what, total=schedule.count)
        yield lambda done: progress.update(bar, completed=done)


# --- text ---


def _given(asked: _Asked, schedule: Schedule) -> Iterator[str]:
    problem, tile = (" x ".join(map(str, shape)) for shape in (schedule.problem, schedule.tile))
    elements, machine = asked.elements, asked.arch
    types = elements[0].name if len(set(elements)) == 1 else ", ".join(e.name for e in elements)
    yield f"problem   {problem} of {types}, in tiles of {tile}"
    has = "" if asked.cores is None else f" has {machine.cores}"
    yield f"cores     {schedule.cores} ({machine.name}{has})"


def _why(found: _Found, asked: _Asked) -> str:
    """What chose the swizzle, or how it cuts K, where the command line did not."""
    m, n, _ = asked.problem
    if asked.advised and found.order is asked.orders[0]:
        return f", CATLASS's advice for M {'>=' if m >= n else '<'} N"
    if found.order.splits and asked.splitk is None:
        return f", K in {plural(found.schedule.factor, 'slice')} as CATLASS's kernel has it"
    return ""


def _notes(found: _Found, asked: _Asked) -> Iterator[str]:
    schedule, code = found.schedule, found.order.code
    if schedule.empty:
        yield _empty(schedule)
    if code not in (None, asked.arch.code):
        theirs = " and ".join(a.name for a in ARCHES.values() if a.code == code)
        yield f"CATLASS's kernels with it are for {theirs}, not for {asked.arch.name}"


def _one(found: _Found, asked: _Asked) -> Iterator[str]:
    _, schedule, balance, traffic, reuse = found
    yield f"swizzle   {schedule.swizzle}{_why(found, asked)}"
    yield f"cover     {_cover(schedule)}"
    yield from (f"note      {note}" for note in _notes(found, asked))
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


def _blocks(schedule: Schedule) -> Iterator[str]:
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


def _two(found: list[_Found], differ: _Differ, asked: _Asked) -> Iterator[str]:
    one, two = found
    names = ("first", "second")
    for name, entry in zip(names, found, strict=True):
        chosen = _why(entry, asked) if entry.order.splits else ""
        yield f"{name:<9} {entry.schedule.swizzle}{chosen}: {_cover(entry.schedule)}"
    yield f"differ    {differ}"
    for name, entry in zip(names, found, strict=True):
        yield from (f"note      of the {name}: {note}" for note in _notes(entry, asked))
    groups = [plural(entry.schedule.groups, "group") for entry in found]
    if groups[0] != groups[1]:
        yield (
            f"note      not the same products: the first has {groups[0]} of rows, the second"
            f" {groups[1]}, each with its own B"
        )
    yield ""
    tasks = tuple(str(entry.schedule.count) for entry in found)  # more is neither better nor worse
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


class _Differ(NamedTuple):
    """How many blocks two schedules share, and how many of them they place differently."""

    same_blocks: int
    other_core: int
    other_round: int
    """Of those on the same core."""
    all_blocks: bool
    """Whether they share all."""

    def __str__(self) -> str:
        same, core, turn, whole = self
        if not same:
            return "no block is the same"
        if whole and not core and not turn:
            return "nothing: every block is on the same core in the same round"
        alike = "" if whole else f"{plural(same, 'block')} in both; "
        moved = f"{core} of {plural(same, 'block')} {'is' if core == 1 else 'are'} on another core"
        return f"{alike}{moved}, {turn} on the same core in another round"


def _differ(one: Schedule, two: Schedule) -> _Differ:
    place: dict[tuple[GemmCoord, GemmCoord], tuple[int, int]] = {}
    with _progress("comparing", one) as progress:
        place.update(((t.start, t.shape), (t.core, t.round)) for t in one.walk(progress))
    same = other_core = other_round = 0
    with _progress("comparing", two) as progress:
        for task in two.walk(progress):
            at = place.get((task.start, task.shape))
            if at is None:
                continue
            same += 1
            other_core += at[0] != task.core
            other_round += at[0] == task.core and at[1] != task.round
    return _Differ(same, other_core, other_round, same == one.count == two.count)
