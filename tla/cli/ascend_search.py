# SPDX-License-Identifier: Apache-2.0
"""``tla ascend search``: the legal tiles of a product, ranked by how long they take."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ..ascend import ARCHES, PIPES, arch, in_us, search, search_many
from ..errors import TlaError, UnsupportedError
from ..ground import plural, say
from .ascend_check import leading_dimensions
from .ascend_search_attention import report
from .columns import columns
from .commands import SUBCOMMANDS
from .common import InputError, file_argument, numbers, positive, short_bytes, text_argument
from .executors import processes
from .messages import say_json
from .parser import argument_parser
from .progress import progress_bar
from .saving import expect_place, save

if TYPE_CHECKING:
    import argparse
    from collections.abc import Generator, Sequence

    from ..ascend import Estimate, Query, Ranking

_EPILOG = """\
examples:
  tla ascend search AtlasA2 half 4096,4096,4096
  tla ascend search 910B3 half 1024,576,6144 --tags RowMajor,ColumnMajor --top 5
  tla ascend search 910B3 half 160,6144,2048 --tags RowMajor,zN --swizzle '<3,1>' --swizzle '<4,1>'
  tla ascend search Ascend950 half,half,float 1024,2368,2048 --explain 1
  tla ascend search AtlasA2 half 4096,4096,4096 --tile 128,128,256
  tla ascend search AtlasA2 half 4096,4096,4096 --jobs 2 --top 200 --tuner search_space_config.py
  tla ascend search 910B3 half 1024,2048,4096 --rows 100,0,900,24
  tla ascend search 910B3 half 512,512,512 64,4096,128 --jobs 2 --results tiles.jsonl
  tla ascend search 910B3 half - --jobs 2 --results tiles.jsonl < shapes.txt
  tla ascend search AtlasA2 half heads=16,q=1024,kv=2048,head=128 --top 3

ELEMENT is that of A and B, or A,B or A,B,C. Times are estimates, in microseconds, of peak rates and
without a launch: measured ones are longer, and what they are for is order. 'waits' is the part of the
time in which the mean core waits for the most loaded one. 'loaded' is what all cores load into L1,
'from GM' what of it is not in L2; a slow copy counts as more bytes. 'bound' is what works
longest on the most loaded core: MTE2 loads into L1, GM is the bandwidth of global memory, MTE1 loads
into L0A and L0B, the cube multiplies, the fixpipe writes C.

--tile adds a row for a tile of yours, m, n and k in L1 and, if you say it, k in L0, and its rank among
all, or why it is not legal. The last row is the tile that CATLASS's examples have. --explain N says what
the time of rank N is made of, and that of these tiles. --tuner FILE writes the ranked tiles as a search
space of CATLASS's tuner, which compiles and measures each; --tuner - prints that alone.

--rows says how many rows of A each group of a grouped product has, MoE's experts: each has its own B.

More than one M,N,K, or - for those of standard input, gives the fastest tile of each; --json prints a
line for each. --results FILE adds the best --top of each problem to a file of JSON lines as soon as they
are found, and does not search again what the file has. So a run that was ended goes on.

heads=H,q=Q,kv=KV,head=D in place of M,N,K ranks the tiles of attention: rows of Q, columns of K, the
size of a head. kv_heads=, batch=, kind= and masked=1 say more of it; of the options it takes --cores,
--top, --step and --json.

exit code 1: a value is wrong, no tile is legal, or that of --tile is not.
"""

_DEFAULT: Final = "default"
"""The mark, in place of a rank, of the tile of CATLASS's examples."""
_HEAD: Final = ("us", "blocks", "rounds", "waits", "loaded", "from GM", "bound", "L1", "L0")
_OWN: Final = "--tile"
"""The mark of the tile that the option ``--tile`` names."""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.tuner == "-" and (options.json or options.explain or options.tile):
        parser.error("--tuner - prints the search space alone, without --json, --explain and --tile")
    rank: int | None = options.explain
    if rank is not None and rank > options.top:
        parser.error(f"--explain {rank} is not among the best {options.top}: say --top {rank}")
    if options.tuner not in (None, "-"):
        expect_place(options.tuner)
    if "=" in options.problem[0]:
        return _of_attention(parser, options)
    if len(options.problem) > 1 or options.problem == ["-"] or options.results:
        return _many(parser, options)
    ranking = _ranked(options)
    if rank is not None and rank > len(ranking.tiles):
        raise UnsupportedError(f"there is no rank {rank}, the last is {len(ranking.tiles)}", rank=rank)
    legal = ranking.asked is None or not ranking.asked.reasons
    tuner: str | None = options.tuner
    space = ""
    if tuner is not None:
        from ..ascend import registration

        space = registration(ranking).removesuffix("\n")
        if tuner == "-":
            say(*space.split("\n"))
            return 0
    if options.json:
        say_json(_facts(ranking, rank))
    else:
        say(*_report(ranking), *([] if rank is None else ["", *_comparison(ranking, rank)]))
    if tuner is not None:
        save(tuner, space)
        if not options.json:
            written = plural(len(ranking.tiles), "tile")
            say("", f"{written} written to {tuner}, for msTuner_CATLASS")
    return 0 if legal else 1


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("ascend search", _EPILOG, SUBCOMMANDS["search"])
    parser.add_argument(
        "arch", metavar="ARCH", type=arch, help=f"{', '.join(ARCHES)}, or a chip such as 910B3"
    )
    parser.add_argument("element", metavar="ELEMENT", help="the element type, as half, int8_t or bf16")
    parser.add_argument(
        "problem", metavar="M,N,K", nargs="+", help="the extents of a product; - reads one each line"
    )
    parser.add_argument(
        "--tags", metavar="A,B,C", default="RowMajor", help="how they lie in global memory"
    )
    parser.add_argument("--ld", metavar="A,B,C", help="the leading dimensions; 0 is the shortest")
    parser.add_argument(
        "--policy", metavar="POLICY", help="the dispatch policy; MmadPingpong if not given"
    )
    parser.add_argument(
        "--swizzle",
        metavar="SWIZZLE",
        action="append",
        help="the order of the blocks; more than one are all tried; bands of 3 if not given",
    )
    parser.add_argument("--rows", metavar="R,R,..", help="the rows of each group of a grouped product")
    parser.add_argument("--cores", type=positive, metavar="N", help="how many cores compute")
    parser.add_argument("--top", type=positive, metavar="N", default=10, help="list the best N (10)")
    parser.add_argument(
        "--step",
        type=positive,
        metavar="N",
        default=16,
        help="m and n are multiples of it, it of 16 (16)",
    )
    parser.add_argument("--tile", metavar="m,n,k[,k0]", help="say how this tile stands")
    parser.add_argument(
        "--jobs",
        type=positive,
        metavar="N",
        default=1,
        help="processes that rank (1); at most two for each CPU",
    )
    parser.add_argument(
        "--results", metavar="FILE", type=file_argument, help="a file of JSON lines, which goes on"
    )
    parser.add_argument("--explain", type=positive, metavar="RANK", help="say what its time is made of")
    parser.add_argument(
        "--tuner",
        metavar="FILE",
        type=file_argument,
        help="write the tiles for CATLASS's tuner; - is standard output",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _ranked(options: argparse.Namespace) -> Ranking:
    with processes(options.jobs) as executor, progress_bar("ranking") as progress:
        return search(
            options.arch,
            options.problem[0],
            options.element,
            options.tags,
            options.policy,
            cores=options.cores,
            ld=leading_dimensions(options.ld) if options.ld else None,
            top=options.top,
            step=options.step,
            swizzles=options.swizzle,
            tile=options.tile,
            groups=None if options.rows is None else numbers(options.rows, "rows of groups"),
            executor=executor,
            progress=progress,
        )


def _of_attention(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Rank the tiles of attention."""
    if len(options.problem) > 1:
        parser.error("attention is searched alone, without another problem")
    for name in (
        "tags",
        "ld",
        "policy",
        "swizzle",
        "rows",
        "tile",
        "jobs",
        "results",
        "explain",
        "tuner",
    ):
        if getattr(options, name) != parser.get_default(name):
            parser.error(f"--{name} is not for attention")
    report(options)
    return 0


def _many(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Search many problems, and print the fastest tile of each."""
    single = {
        "--tile": options.tile,
        "--explain": options.explain,
        "--tuner": options.tuner,
        "--ld": options.ld,
        "--rows": options.rows,
    }
    for name, value in single.items():
        if value is not None:
            parser.error(f"{name} is for a single product, without --results")
    problems: list[str] = []
    for text in options.problem:
        lines = text_argument("-").splitlines() if text == "-" else [text]
        problems += [line for line in lines if line.strip()]
    with processes(options.jobs) as executor, progress_bar("problems") as progress, _writing(options):
        found = search_many(
            options.arch,
            problems,
            options.element,
            options.tags,
            options.policy,
            cores=options.cores,
            top=options.top,
            step=options.step,
            swizzles=options.swizzle,
            executor=executor,
            results=options.results,
            progress=progress,
        )
    if options.json:
        for each in found:
            say_json({
                "problem": list(each.problem), "legal": each.legal, "reason": each.reason or None,
                "tiles": [_tile_facts(tile) for tile in each.tiles],
            })  # fmt: skip
    else:
        rows = [
            [",".join(map(str, each.problem)), *_row("", each.best, True)[1:]]
            for each in found
            if each.best is not None
        ]
        say(*columns(["M,N,K", *_HEAD, "swizzle"], rows, 7))
        for each in found:
            if each.best is None:
                say("", ",".join(map(str, each.problem)), *each.reason.split("\n"))
    return 0 if all(each.best is not None for each in found) else 1


@contextmanager
def _writing(options: argparse.Namespace) -> Generator[None]:
    """Name the file of results that cannot be read or written."""
    try:
        yield
    except TlaError:
        raise
    except (OSError, ValueError) as error:
        raise InputError.cannot("go on with", options.results or "-", error) from None


# --- text ---


def _report(ranking: Ranking) -> list[str]:
    plan = ranking.plan
    lines = [
        plan.formula,
        f"{plan.arch}, {plural(plan.cores, 'core')}; {plan.policy}",
        f"A {plan.tags[0]}, B {plan.tags[1]}, C {plan.tags[2]}",
        f"{plural(ranking.legal, 'legal tile')}; {ranking.ranked} of L1 ranked, with the best of L0",
        "",
    ]
    shown = [*enumerate(ranking.tiles, 1)]
    swizzles = {tile.swizzle for _, tile in [*shown, *_others(ranking)]}
    rows = [_row(str(rank), tile, len(swizzles) > 1) for rank, tile in shown]
    rows += [_row(name, tile, len(swizzles) > 1) for name, tile in _others(ranking)]
    head = ["rank", *_HEAD]
    if len(swizzles) > 1:
        head.append("swizzle")
    else:
        lines[1] += f"; {swizzles.pop()}"
    lines += columns(head, rows, 7)
    return lines if ranking.asked is None else [*lines, "", *_standing(ranking, ranking.asked)]


def _others(ranking: Ranking) -> list[tuple[str, Estimate]]:
    """The lines below the ranks: the tile that the user named, and the default."""
    own = ranking.asked and ranking.asked.estimate
    both = ((_OWN, own), (_DEFAULT, ranking.default))
    return [(name, tile) for name, tile in both if tile is not None]


def _standing(ranking: Ranking, asked: Query) -> list[str]:
    plan = asked.plan
    if asked.reasons:
        return [f"{plan.l1} with {plan.l0} is not legal:", *(f"  {why}" for why in asked.reasons)]
    return [f"{plan.l1} with {plan.l0} is rank {asked.rank} of {asked.among}"]


def _row(rank: str, tile: Estimate, with_swizzle: bool) -> Sequence[str]:
    cells = [
        rank,
        in_us(tile.seconds),
        str(tile.blocks),
        str(tile.rounds),
        f"{tile.waits:.0%}",
        short_bytes(round(tile.l2_bytes)),
        short_bytes(round(tile.gm_bytes)),
        tile.bound,
        ",".join(map(str, tile.l1)),
        ",".join(map(str, tile.l0)),
    ]
    return [*cells, str(tile.swizzle)] if with_swizzle else cells


def _comparison(ranking: Ranking, rank: int) -> list[str]:
    first, lines, others = ranking.tiles[rank - 1], list[str](), _others(ranking)
    for name, (head, *rest) in _explained(ranking, rank).items():
        lines += [f"{name}: {head}", *(f"  {line}" for line in rest)]
    for name, tile in others:
        times = tile.seconds / first.seconds
        than = "the default" if name == _DEFAULT else f"that of {name}"
        lines.append(f"rank {rank} is {times:.2f} times as fast as {than}, by this estimate")
    return lines


def _explained(ranking: Ranking, rank: int) -> dict[str, list[str]]:
    tiles = [(f"rank {rank}", ranking.tiles[rank - 1]), *_others(ranking)]
    return {name: tile.lines() for name, tile in tiles}


# --- JSON ---


def _facts(ranking: Ranking, rank: int | None) -> dict[str, Any]:
    plan, default, asked = ranking.plan, ranking.default, ranking.asked
    return {
        "arch": plan.arch.name,
        "cores": plan.cores,
        "problem": list(plan.problem),
        "elements": [plan.a.name, plan.b.name, plan.c.name],
        "tags": list(plan.tags),
        "policy": str(plan.policy),
        "legal": ranking.legal,
        "ranked": ranking.ranked,
        "tiles": [_tile_facts(tile) for tile in ranking.tiles],
        "default": default and _tile_facts(default),
        "tile": asked and _asked_facts(asked),
        "explained": None if rank is None else _explained(ranking, rank),
    }


def _asked_facts(asked: Query) -> dict[str, Any]:
    facts = {"l1": list(asked.plan.l1), "l0": list(asked.plan.l0)}
    if asked.estimate is not None:
        facts = _tile_facts(asked.estimate)
    return {**facts, "legal": not asked.reasons, "rank": asked.rank, "reasons": list(asked.reasons)}


def _tile_facts(tile: Estimate) -> dict[str, Any]:
    return {
        "l1": list(tile.l1),
        "l0": list(tile.l0),
        "swizzle": str(tile.swizzle),
        "microseconds": tile.microseconds,
        "bound": tile.bound,
        "blocks": tile.blocks,
        "rounds": tile.rounds,
        "balance": tile.balance,
        "loaded_bytes": round(tile.l2_bytes),
        "gm_bytes": round(tile.gm_bytes),
        "written_bytes": round(tile.written),
        "pipes": {name: seconds * 1e6 for name, seconds in zip(PIPES, tile.pipes, strict=True)},
        "fill": tile.fill * 1e6,
        "reduction": tile.reduction * 1e6,
        "efficiency": list(tile.efficiency),
    }
