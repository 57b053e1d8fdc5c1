"""``tla ascend schedule``: which core computes which block when, and that all is computed once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..ascend.arch import ARCHES, arch
from ..ascend.plans.plan import gemm
from ..ascend.schedules.facts import tally
from ..ascend.schedules.swizzles import WORDS, default_swizzle, swizzle
from ..ascend.schedules.tasks import MOST_WALKED
from ..ascend.shapes import gemm_shape
from ..errors import UnsupportedError
from ..figure import Panels
from . import ascend_schedule_text as text
from .ascend import SUBCOMMANDS
from .columns import plural, wrapped
from .common import argument_parser, numbers, positive, signed
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure
from .progress import progress_bar

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Sequence

    from ..ascend.arch import Arch
    from ..ascend.elements import Element
    from ..ascend.schedules import Balance, BlockSwizzle, Reuse, Schedule, Task, Traffic
    from ..ascend.shapes import GemmCoord, GemmShape
    from ..figure import AnyFigure

__all__ = ["Asked", "Differ", "Found", "run"]

_SHOWS_PROGRESS: Final = 1 << 17  # tasks

_EPILOG = f"""\
examples:
  tla ascend schedule 4096,4096,4096 --tile 128,256,256
  tla ascend schedule 4096,4096,4096 --tile 128,256,256 --swizzle 'GemmIdentityBlockSwizzle<3,0>'
  tla ascend schedule 160,6144,4096 --tile 128,256,256 --swizzle 'identity<3,1>' --versus 'identity<4,1>'
  tla ascend schedule 512,512,16384 --tile 128,256,256 --swizzle splitk --splitk 4 --blocks
  tla ascend schedule 900,512,512 --tile 128,256,256 --arch Ascend950 --swizzle grouped_aswt \\
      --rows 300,0,600
  tla ascend schedule 4096,4096,4096 --tile 128,256,256 -o schedule.svg

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
    asked = Asked.of(options)
    refuse_formats(parser, options, ["blocks"], "the picture is in place of the list")
    untaken = _untaken(asked.orders, options)
    if untaken:
        parser.error(untaken)
    found = [Found.of(order, asked) for order in asked.orders]
    differ = _differ(found[0].schedule, found[1].schedule) if len(found) > 1 else None
    if is_asked_for(options):
        write_figure(_figure(found, options), options)
        return 0
    if options.json:
        import json

        facts = [entry.facts(asked, options.blocks) for entry in found]
        print(json.dumps({"schedules": facts, "differ": differ._asdict()} if differ else facts[0]))
        return 0
    told = text.one(found[0], asked) if differ is None else text.two(found, differ, asked)
    print(*text.given(asked, found[0].schedule), *told, sep="\n")
    if options.blocks:
        for entry in found:
            print("" if differ is None else f"\n{entry.schedule.swizzle}")
            for line in text.blocks(entry.schedule):
                print(line)
    elif differ is None:
        from ..ascend.schedules.picture import timeline
        from ..show.terminal import write

        print()
        write(timeline(found[0].schedule, balance=found[0].balance))
    return 0


def _figure(found: Sequence[Found], options: argparse.Namespace) -> AnyFigure:
    """The schedule, core by turn; of two, one beside the other."""
    from ..ascend.schedules.picture import timeline

    limits = (64, 64) if is_file_format(options) else (32, 16)
    figures = tuple(timeline(each.schedule, *limits, balance=each.balance) for each in found)
    if len(figures) == 1:
        return figures[0]
    return Panels(" and ".join(each.schedule.swizzle for each in found), figures)


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("ascend schedule", _EPILOG, SUBCOMMANDS["schedule"])
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
    add_formats(parser, json="print one JSON object")
    return parser


def _untaken(orders: Sequence[BlockSwizzle], options: argparse.Namespace) -> str:
    """An option that no swizzle asked for takes, or nothing; of two, the one that takes it has it."""
    takes = {"splitk": any(o.splits for o in orders), "rows": any(o.grouped for o in orders)}
    names = " and ".join(o.name for o in orders)
    for name, taken in takes.items():
        if getattr(options, name) is not None and not taken:
            return f"--{name} is not for {names}"
    return ""


class Asked(NamedTuple):
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
    def of(cls, options: argparse.Namespace) -> Asked:
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
            () if options.rows is None else tuple(numbers(options.rows, "the rows of each group")),
        )  # fmt: skip


class Found(NamedTuple):
    """A schedule, proved, and its facts."""

    order: BlockSwizzle
    schedule: Schedule
    balance: Balance
    traffic: Traffic
    reuse: Reuse

    @classmethod
    def of(cls, order: BlockSwizzle, asked: Asked) -> Found:
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

    def facts(self, asked: Asked, blocks: bool) -> dict[str, Any]:
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
    if schedule.count < _SHOWS_PROGRESS:
        yield None
        return
    with progress_bar(what) as tell:
        yield (lambda done: tell(done, schedule.count)) if tell else None


class Differ(NamedTuple):
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


def _differ(one: Schedule, two: Schedule) -> Differ:
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
    return Differ(same, other_core, other_round, same == one.count == two.count)
