# SPDX-License-Identifier: Apache-2.0
"""``tla ascend schedule``: which core computes which block when, and that all is computed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..ascend import ARCHES, WORDS, block_map, swizzle, timeline
from ..ground import LIMITS, Panels, say
from . import ascend_schedule_text as text
from .ascend_schedule_facts import Entry, Request, difference
from .columns import wrapped
from .commands import SUBCOMMANDS
from .common import positive
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..ascend import BlockSwizzle
    from ..ground import AnyFigure

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
through one by one; more than {LIMITS["tasks"].default} are refused.

Exit code 1: a value is wrong, or the swizzle has no such schedule.
"""


_MAPPED: Final = 1 << 16
"""The most tasks whose blocks are drawn in their places."""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    request = Request.of(options)
    refuse_formats(parser, options, ["blocks"], "the picture is in place of the list")
    refusal = _refusal(request.orders, options)
    if refusal:
        parser.error(refusal)
    entries = [Entry.of(order, request) for order in request.orders]
    change = difference(entries[0].schedule, entries[1].schedule) if len(entries) > 1 else None
    if is_asked_for(options):
        write_figure(_figure(entries, options), options)
        return 0
    if options.json:
        facts = [entry.facts(request, options.blocks) for entry in entries]
        say_json({"schedules": facts, "differ": change._asdict()} if change else facts[0])
        return 0
    lines = text.one(entries[0], request) if change is None else text.two(entries, change, request)
    say(*text.head(request, entries[0].schedule), *lines)
    if options.blocks:
        for entry in entries:
            say("", *([] if change is None else [entry.schedule.swizzle]))
            for line in text.blocks(entry.schedule):
                say(line)
    elif change is None:
        from ..show import write

        say("")
        write(timeline(entries[0].schedule, balance=entries[0].balance))
    return 0


def _figure(entries: Sequence[Entry], options: argparse.Namespace) -> AnyFigure:
    """The schedule, core by turn, in a file below the map of its blocks; of two, one after the other."""
    of = _whole if is_file_format(options) else _by_core
    figures = tuple(map(of, entries))
    if len(figures) == 1:
        return figures[0]
    return Panels(" and ".join(each.schedule.swizzle for each in entries), figures)


def _by_core(entry: Entry) -> AnyFigure:
    return timeline(entry.schedule, balance=entry.balance)


def _whole(entry: Entry) -> AnyFigure:
    figure = timeline(entry.schedule, 64, 64, entry.balance)
    if entry.schedule.count > _MAPPED:
        return figure
    return Panels("", (block_map(entry.schedule, 64, 64), figure))


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("ascend schedule", _EPILOG, SUBCOMMANDS["schedule"])
    parser.add_argument("problem", metavar="M,N,K", help="the extents of the product, in elements")
    parser.add_argument(
        "--tile", metavar="m,n,k", help="the extents of a tile in L1; else those of a plan"
    )
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


_TAKES = {"splitk": "splits", "rows": "grouped"}
"""The options that only some swizzles take, and the property that tells of it."""


def _refusal(orders: Sequence[BlockSwizzle], options: argparse.Namespace) -> str:
    """Return the refusal of the first option that none of the swizzles takes; empty without one."""
    takes = {name: any(getattr(o, what) for o in orders) for name, what in _TAKES.items()}
    names = " and ".join(o.name for o in orders)
    for name, is_taken in takes.items():
        if getattr(options, name) is not None and not is_taken:
            takers = " or ".join(word for word in WORDS if getattr(swizzle(word), _TAKES[name]))
            return f"--{name} is not for the swizzle {names}: --swizzle {takers} takes it"
    return ""
