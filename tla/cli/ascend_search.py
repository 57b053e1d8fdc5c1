"""``tla ascend search``: the legal tiles of a product, ranked by how long they take."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ..ascend.arch import ARCHES
from ..ascend.tuning.estimates import PIPES
from ..ascend.tuning.tiles import search
from ..errors import UnsupportedError
from .ascend import SUBCOMMANDS
from .columns import columns, plural
from .common import InputError, positive, short_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from concurrent.futures import Executor

    from ..ascend.tuning.estimates import Estimate
    from ..ascend.tuning.tiles import Ranking

    Progress = Callable[[int, int], None]

__all__ = ["run"]

_EPILOG = """\
examples:
  tla ascend search AtlasA2 half 4096,4096,4096
  tla ascend search 910B3 half 1024,576,6144 --tags RowMajor,ColumnMajor --top 5
  tla ascend search 910B3 half 160,6144,2048 --tags RowMajor,zN --swizzle '<3,1>' --swizzle '<4,1>'
  tla ascend search Ascend950 half,half,float 1024,2368,2048 --explain 1
  tla ascend search AtlasA2 half 4096,4096,4096 --jobs 2 --top 200 --tuner search_space_config.py

ELEMENT is that of A and B, or A,B or A,B,C. Times are estimates, in microseconds, of peak rates and
without a launch: measured ones are longer, and what they are for is order. 'busy' is how long the mean
core works over how long the most loaded one does. 'loaded' is what all cores load into L1, 'from GM'
what of it is not in L2; a slow copy counts as so many more bytes. 'bound' is what works longest on the
most loaded core: MTE2 loads into L1, GM is the bandwidth of global memory, MTE1 loads into L0A and L0B,
the cube multiplies, the fixpipe writes C.

The last row is the tile that CATLASS's examples have. --explain N says what the time of rank N is made
of, and that of this tile. --tuner FILE writes the ranked tiles as a search space of CATLASS's tuner,
which compiles and measures each.

exit code 1: a value is wrong, or no tile is legal.
"""

_DEFAULT: Final = "default"
"""What stands in the place of a rank for the tile of CATLASS's examples."""


def run(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    ranking = _ranked(options)
    if options.tuner is not None:
        from ..ascend.tuning.tuner import registration

        _write(options.tuner, registration(ranking))
    rank: int | None = options.explain
    if rank is not None and rank > len(ranking.tiles):
        raise UnsupportedError(f"there is no rank {rank}, the last is {len(ranking.tiles)}", rank=rank)
    if options.json:
        import json

        print(json.dumps(_facts(ranking, rank)))
        return 0
    lines = _report(ranking)
    if rank is not None:
        lines += ["", *_comparison(ranking, rank)]
    if options.tuner is not None:
        lines += [
            "",
            f"{plural(len(ranking.tiles), 'tile')} written to {options.tuner}, for msTuner_CATLASS",
        ]
    print(*lines, sep="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tla ascend search",
        description=SUBCOMMANDS["search"],
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("arch", metavar="ARCH", help=f"{', '.join(ARCHES)}, or a chip such as 910B3")
    parser.add_argument("element", metavar="ELEMENT", help="the element type, as half, int8_t or bf16")
    parser.add_argument("problem", metavar="M,N,K", help="the extents of the product")
    parser.add_argument(
        "--tags", metavar="A,B,C", default="RowMajor", help="how they lie in global memory"
    )
    parser.add_argument(
        "--policy", metavar="POLICY", help="the dispatch policy; MmadPingpong if not given"
    )
    parser.add_argument(
        "--swizzle",
        metavar="SWIZZLE",
        action="append",
        help="the order of the blocks; more than one are all tried; bands of 3 if not given",
    )
    parser.add_argument("--cores", type=positive, metavar="N", help="how many cores compute")
    parser.add_argument("--top", type=positive, metavar="N", default=10, help="list the best N (10)")
    parser.add_argument(
        "--step",
        type=positive,
        metavar="N",
        default=16,
        help="m and n are multiples of it, it of 16 (16)",
    )
    parser.add_argument("--jobs", type=positive, metavar="N", default=1, help="processes that rank (1)")
    parser.add_argument("--explain", type=positive, metavar="RANK", help="say what its time is made of")
    parser.add_argument("--tuner", metavar="FILE", help="write the tiles for CATLASS's tuner")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _ranked(options: argparse.Namespace) -> Ranking:
    with _executor(options.jobs) as executor, _progress() as progress:
        return search(
            options.arch,
            options.problem,
            options.element,
            options.tags,
            options.policy,
            cores=options.cores,
            top=options.top,
            step=options.step,
            swizzles=[_swizzle(text) for text in options.swizzle or ()] or None,
            executor=executor,
            progress=progress,
        )


def _swizzle(text: str) -> str:
    """The template arguments alone are those of the identity."""
    return f"GemmIdentityBlockSwizzle{text}" if text.lstrip().startswith("<") else text


@contextmanager
def _executor(jobs: int) -> Generator[Executor | None]:
    """Processes for the work, which end with it; none for one job."""
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(jobs, initializer=_deaf)
    try:
        executor.submit(int).result()  # all begin here, before the bar has a thread: forks copy no lock
        yield executor
    finally:  # after an interruption nothing that waits is begun
        executor.shutdown(cancel_futures=True)


def _deaf() -> None:
    """An interruption is for the process that has begun the others."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _progress() -> Generator[Progress | None]:
    """What shows how far the work is, on a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (TextColumn("ranking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("ranking", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}", path=path) from None


# --- text ---


def _report(ranking: Ranking) -> list[str]:
    plan = ranking.plan
    m, n, k = plan.problem
    lines = [
        f"C[{m},{n}] {plan.c} = A[{m},{k}] {plan.a} * B[{k},{n}] {plan.b}",
        f"{plan.arch}, {plural(plan.cores, 'core')}; {plan.policy}",
        f"A {plan.tags[0]}, B {plan.tags[1]}, C {plan.tags[2]}",
        f"{plural(ranking.legal, 'legal tile')}; {ranking.ranked} of L1 ranked, with the best of L0",
        "",
    ]
    swizzles = {tile.swizzle for tile in ranking.tiles}
    shown = [*enumerate(ranking.tiles, 1)]
    rows = [_row(str(rank), tile, len(swizzles) > 1) for rank, tile in shown]
    if ranking.default is not None:
        rows.append(_row(_DEFAULT, ranking.default, len(swizzles) > 1))
    head = ["rank", "us", "blocks", "rounds", "busy", "loaded", "from GM", "bound", "L1", "L0"]
    if len(swizzles) > 1:
        head.append("swizzle")
    else:
        lines[1] += f"; {swizzles.pop()}"
    return [*lines, *columns(head, rows, 7)]


def _row(rank: str, tile: Estimate, with_swizzle: bool) -> Sequence[str]:
    cells = [
        rank,
        f"{tile.microseconds:.1f}",
        str(tile.blocks),
        str(tile.rounds),
        f"{tile.balance:.2f}",
        short_bytes(round(tile.l2_bytes)),
        short_bytes(round(tile.gm_bytes)),
        tile.bound,
        ",".join(map(str, tile.l1)),
        ",".join(map(str, tile.l0)),
    ]
    return [*cells, str(tile.swizzle)] if with_swizzle else cells


def _comparison(ranking: Ranking, rank: int) -> list[str]:
    tile = ranking.tiles[rank - 1]
    lines = [f"rank {rank}: {tile.lines()[0]}", *(f"  {line}" for line in tile.lines()[1:])]
    default = ranking.default
    if default is None:
        return lines
    times = default.seconds / tile.seconds
    lines += [f"default: {default.lines()[0]}", *(f"  {line}" for line in default.lines()[1:])]
    return [*lines, f"rank {rank} is {times:.2f} times as fast as the default, by this estimate"]


# --- JSON ---


def _facts(ranking: Ranking, rank: int | None) -> dict[str, Any]:
    plan, default = ranking.plan, ranking.default
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
        "explained": None if rank is None else ranking.tiles[rank - 1].lines(),
    }


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
