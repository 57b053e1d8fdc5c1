"""mypy with the plugin beside plain mypy, in one run. Prints a table, asserts nothing.

Run: python tests/benchmarks/compare_mypy.py [--lines N] [--rounds N]

A file of tilings is generated and checked by plain mypy and by mypy with the plugin, in rounds that
alternate, each in a process of its own. "changed" is the everyday case: the file has changed, all it
imports is cached; "cold" begins without a cache, and checks the library as well. What is
compared is the least user time of the rounds.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD: str = """\"\"\"Tilings, generated.\"\"\"

from tla import Int, ceil_div, coalesce, complement, composition, get, make_layout, make_layout_tile
from tla import make_shape, rank, right_inverse, size, zipped_divide, _1, _2, _16
"""


def functions(rng: random.Random) -> Iterator[list[str]]:
    """Yield functions as a kernel writer has them: a dynamic matrix, a static block of it, and tiles."""
    number = 0
    while True:
        rows, cols = (16 * rng.randint(1, 24) for _ in range(2))
        high, wide = rng.choice((2, 4, 8, 16)), rng.choice((2, 4, 8, 16))
        yield [
            "",
            "",
            f"def block_{number}(m: int, n: int) -> list[int]:",
            f'    """Return where the blocks of {rows} x {cols} begin in a matrix of m x n."""',
            "    matrix = make_layout(make_shape(m, n), (n, _1))",
            "    starts: list[int] = []",
            f"    for i in range(ceil_div(m, {rows})):",
            f"        for j in range(ceil_div(n, {cols})):",
            f"            starts.append(matrix({rows} * i, {cols} * j))",
            "    return starts",
            "",
            "",
            f"def tiles_{number}(core: int) -> dict[str, int]:",
            f'    """Return what a core does with a block of {rows} x {cols}."""',
            f"    block = make_layout((Int({rows}), Int({cols})), (Int({cols}), _1))",
            f"    tile = make_layout_tile(block, (Int({high}), Int({wide})))",
            f"    fractal = make_layout(((_16, Int({rows // 16})), (_16, Int({cols // 16}))))",
            f"    grid = zipped_divide(block, (Int({high}), Int({wide})))",
            f"    column = composition(block, make_layout(Int({high}), Int({rows // high})))",
            f"    rest = complement(make_layout(Int({high}), _2), Int({2 * rows}))",
            "    inverse = right_inverse(coalesce(get(fractal, 0)))",
            "    report = {",
            '        "tiles": size(grid) // size(tile),',
            '        "rank": rank(column) + rank(rest),',
            f'        "first": block(Int({rng.randrange(rows)}), core % {cols}),',
            '        "span": rest.cosize + inverse.cosize,',
            "    }",
            "    for name, value in report.items():",
            "        if value < 0:",
            '            raise ValueError(f"{name} of core {core} is {value}")',
            "    return report",
        ]
        number += 1


def program(lines: int) -> str:
    """Return a program of so many lines, always the same."""
    text = HEAD.splitlines()
    for function in functions(random.Random(7)):
        if len(text) + len(function) > lines:
            return "\n".join(text) + "\n"
        text.extend(function)
    raise AssertionError


def user_time(arguments: list[str]) -> float:
    """Return the user time of mypy on a file without errors, in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def hooks(path: Path, cache: Path) -> int:
    """Return how many calls of a file the plugin runs."""
    from mypy import api

    from tla import mypy_plugin

    plugin: Any = mypy_plugin.TlaPlugin
    called, count = plugin._called, 0

    def counted(*args: object) -> object:
        nonlocal count
        count += 1
        return called(*args)

    plugin._called = counted
    api.run(["--config-file", str(path.with_name("tla.ini")), "--cache-dir", str(cache), str(path)])
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=1000, help="of the file (default: 1000)")
    parser.add_argument("--rounds", type=int, default=7, help="of each case (default: 7)")
    given = parser.parse_args()
    text = program(given.lines)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        path = here / "tilings.py"
        path.write_text(text)
        silent = "[mypy-tla.*]\nfollow_imports = silent\n"
        (here / "plain.ini").write_text(f"[mypy]\nstrict = true\n{silent}")
        (here / "tla.ini").write_text(f"[mypy]\nstrict = true\nplugins = tla.mypy_plugin\n{silent}")

        def checked(config: str, cold: bool, number: int) -> float:
            cache = here / f"{config}-{number}" if cold else here / config
            path.write_text(f"{text}# {cold} {number}\n")
            arguments = ["--config-file", str(here / f"{config}.ini"), "--cache-dir", str(cache)]
            return user_time([*arguments, str(path)])

        print(f"{len(text.splitlines())} lines; {given.rounds} rounds; user time in seconds, the least")
        for what, cold, rounds in (("cold", True, 2), ("changed", False, given.rounds)):
            times = [[checked(x, cold, number) for x in ("plain", "tla")] for number in range(rounds)]
            plain, ours = map(min, zip(*times, strict=True))
            print(f"{what:8} plain {plain:.2f}   plugin {ours:.2f}   ratio {ours / plain:.2f}")
        path.write_text(f"{text}# last\n")
        print(f"{hooks(path, here / 'tla')} calls run by the plugin")


if __name__ == "__main__":
    main()
