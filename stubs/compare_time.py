#!/usr/bin/env python3
"""Print how long pyright takes with the overlay, by the number of operands in its tables.

The file that it checks has 1,000 lines; every fourth, or each with `--dense`, has static arithmetic.
Times are the user time of one process, the least of several, and ratios to that without an overlay.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import tempfile
from pathlib import Path

from generate import NAMED, OPERANDS, STUBS, overlay

LINES = 1000


ARITHMETIC = ("{a} * {b}", "({a} + {b}) // {c}", "make_layout(({a} * {b}, n), ({c} % {a}, _1))")
OTHER = (
    "make_layout(({a}, n), ({b}, {c}))",
    "make_layout((({a}, {b}), {c}))(n, 0)",
    "n * {a} + {b}",
    "make_layout_tile(make_layout((n, {a})), ({b}, {c}))",
    "crd2offset((n, 1), ({a}, {b}), ({c}, _1))",
)


def program(dense: bool, seed: int = 0) -> str:
    """A file of assignments to new names, over all named ints."""
    choose = random.Random(seed)
    lines = ["from tla import *", "def f(n: int) -> None:"]
    for i in range(LINES - len(lines)):
        a, b, c = (f"_{choose.choice(NAMED)}" for _ in range(3))
        form = choose.choice(ARITHMETIC if dense or i % 4 == 0 else OTHER)
        lines.append(f"    x{i} = {form.format(a=a, b=b, c=c)}")
    return "\n".join(lines) + "\n"


def seconds(project: Path, repeat: int) -> float:
    """The least user time of a pyright run in a folder."""
    least = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["pyright", "program.py"], cwd=project, capture_output=True, check=True)
        least = min(least, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--operands", type=int, nargs="*", default=[8, 12, 16, 20, 24, 32])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--dense", action="store_true", help="static arithmetic in every line")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "program.py").write_text(program(options.dense))
        (project / "pyrightconfig.json").write_text(
            f'{{"stubPath": "stubs", "extraPaths": ["{STUBS.parent}"]}}'
        )
        without = seconds(project, options.repeat)
        print(f"{'operands':>8}  {'overloads':>9}  {'user time':>9}  ratio")
        print(f"{'none':>8}  {'':>9}  {without:8.2f}s")
        stub = project / "stubs" / "tla-stubs"
        stub.mkdir(parents=True)
        (stub / "py.typed").write_text("partial\n")
        for number in options.operands:
            text = overlay(sorted(sorted(NAMED, key=lambda v: v not in OPERANDS)[:number]))
            (stub / "numbers" / "ints.pyi").write_text(text)
            taken = seconds(project, options.repeat)
            print(f"{number:8}  {text.count('@overload'):9}  {taken:8.2f}s  {taken / without:5.2f}")


if __name__ == "__main__":
    main()
