"""Ratios against the peers, in one run, on fresh objects. Prints a table and asserts nothing.

Run: python tests/benchmarks/compare.py

Each row times the same work here and in a peer, on objects built for that one evaluation, and
prints the median of interleaved rounds. A ratio above 1 means that the peer takes longer.
The start-up rows compare whole processes; run them from an installed wheel for a fair figure.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any

import tla

ROUNDS = 15
FRESH = 2000

NESTED = (((4, 2), (4, 3)), ((4, 16), (1, 32)))
FLAT = ((4, 8), (8, 1))
SEVEN_LEAVES = (
    ((4, 8, 32), (2, 4, 8, 16)),
    ((1, 4096, 8), (4, 32768, 32, 131072)),
)

Work = Callable[[], object]


def peer(name: str) -> Any:
    """Return a peer's module, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def seconds(work: Work) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def compare(what: str, works: Sequence[tuple[str, Work]], each: int) -> None:
    """Print one row: the time of the first work, and how the others compare with it."""
    times: list[list[float]] = [[] for _work in works]
    for _round in range(ROUNDS):  # interleaved, so that all suffer the same noise
        for at, (_name, work) in zip(times, works, strict=True):
            at.append(seconds(work))
    middle = [median(at) / each * 1e6 for at in times]
    ratios = "  ".join(
        f"{name} {t / middle[0]:.2f}x" for (name, _work), t in zip(works[1:], middle[1:], strict=True)
    )
    print(f"{what:44} {middle[0]:10.2f} us   {ratios}")


def constructing(make: Any, parts: tuple[Any, ...]) -> Work:
    def work() -> None:
        for _i in range(FRESH):
            make(*parts)

    return work


def evaluating(make: Any, parts: tuple[Any, ...], coord: tuple[Any, ...]) -> Work:
    """Each fresh layout is evaluated once; building them is not timed."""
    fresh = iter([[make(*parts) for _i in range(FRESH)] for _round in range(ROUNDS)])

    def work() -> None:
        for layout in next(fresh):
            layout(*coord)

    return work


def layouts() -> None:
    makers = [("tla", tla.Layout)]
    for name, module in (
        ("pycute", peer("pycute.layout")),
        ("tensor-layouts", peer("tensor_layouts")),
    ):
        if module is not None:
            makers.append((name, module.Layout))
    for what, parts in (
        ("construct ((4,2),(4,3)):((4,16),(1,32))", NESTED),
        ("construct (4,8):(8,1)", FLAT),
        ("construct (4,8), compact", FLAT[:1]),
        ("construct (8), compact", ((8,),)),
        ("construct 5:3", (5, 3)),
    ):
        compare(what, [(name, constructing(make, parts)) for name, make in makers], FRESH)
    # pycute and tensor-layouts read several arguments as one coordinate, as tla does
    for what, coord in (
        ("evaluate at ((1,1),(1,2))", ((1, 1), (1, 2))),
        ("evaluate at (1,5)", (1, 5)),
        ("evaluate at 41", (41,)),
    ):
        compare(what, [(name, evaluating(make, NESTED, coord)) for name, make in makers], FRESH)


def tables() -> None:
    np = peer("numpy")
    if np is None:
        return
    rows, columns = np.arange(1024) * 1024, np.arange(1024)
    repeat = 20

    def ours() -> None:
        for _i in range(repeat):
            tla.offsets(tla.Layout(*SEVEN_LEAVES))

    def broadcast() -> None:
        for _i in range(repeat):
            rows[:, None] + columns[None, :]  # pyright: ignore[reportUnusedExpression]

    compare("table 1024x1024, 7 leaves", [("tla", ours), ("numpy", broadcast)], repeat)


def processes() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def python(code: str) -> Work:
        return command([sys.executable, "-c", code])

    def command(arguments: list[str]) -> Work:
        return lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, env=environment)

    text = "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}"
    script = shutil.which("tla", path=os.path.dirname(sys.executable))
    rows = [("python -c pass", python("pass")), ("python -c 'import tla'", python("import tla"))]
    if script is not None:
        rows.append(("tla convert TEXT", command([script, "convert", text])))
    times: list[list[float]] = [[] for _row in rows]
    for _round in range(ROUNDS):
        for at, (_what, work) in zip(times, rows, strict=True):
            at.append(seconds(work))
    bare = median(times[0])
    for (what, _work), at in zip(rows, times, strict=True):
        added = (median(at) - bare) * 1e3
        print(
            f"{what:44} {median(at) * 1e3:10.2f} ms   {median(at) / bare:.2f}x bare, {added:.1f} ms more"
        )


if __name__ == "__main__":
    print(f"{'':44} {'tla':>13}   the same work elsewhere")
    layouts()
    tables()
    processes()
