"""Indexing maps: the time each takes, and how it grows. Prints tables, asserts nothing.

Run: python tests/benchmarks/compare_indexing.py

The maps are those of XLA's indexing document. "cold" is the first time in the process, "warm" the median
of later ones. A module is a chain of instructions; "growth" is its time over that of half as many.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tla.hlo import read_instruction, read_module
from tla.indexing import inverse, output_to_input, parse_map, simplify
from tla.indexing.fusion import computation_maps

if TYPE_CHECKING:
    from collections.abc import Callable

    from tla.indexing import IndexingMap

ROUNDS = 21
SEED = Path(__file__).parent.parent / "data" / "indexing_seed.jsonl"


def texts() -> list[tuple[str, str]]:
    """The maps of the document, with their names."""
    rows = [json.loads(line) for line in SEED.read_text("utf-8").splitlines()]
    found: list[tuple[str, str]] = []
    for row in rows:
        maps = row.get("seed_map", row.get("before"))
        found += [(row["name"], text) for text in ([maps] if isinstance(maps, str) else maps)]
    return found


def microseconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return (perf_counter() - start) * 1e6


def each(what: str, work: Callable[[str], object], given: list[tuple[str, str]]) -> None:
    """One row: the slowest cold, and the medians warm."""
    cold = {name: microseconds(partial(work, text)) for name, text in given}
    warm = [median(microseconds(partial(work, text)) for _ in range(ROUNDS)) for _, text in given]
    slowest = max(cold, key=cold.__getitem__)
    print(f"{what:34}{median(warm):9.0f}{max(warm):9.0f}{cold[slowest]:9.0f}  {slowest}")


def chain(length: int) -> str:
    """A module of so many instructions: transposes, reshapes, reversals, elementwise ops in turn."""
    lines = ["x0 = f32[64,48] parameter(0)"]
    kinds = (
        "f32[48,64] transpose({}), dimensions={{1,0}}",
        "f32[48,8,8] reshape({})",
        "f32[48,8,8] reverse({}), dimensions={{1}}",
        "f32[48,64] reshape({})",
        "f32[48,64] negate({})",
        "f32[64,48] transpose({}), dimensions={{1,0}}",
    )
    for i in range(1, length):
        lines.append(f"x{i} = {kinds[(i - 1) % len(kinds)].format(f'x{i - 1}')}")
    return "ENTRY e {\n  " + "\n  ".join(lines) + "\n}"


def growth(what: str, work: Callable[[Any], object], sizes: tuple[int, ...]) -> None:
    """One row for each size of a module."""
    before = 0.0
    for size in sizes:
        entries = [read_module(chain(size)).entry for _ in range(3)]  # what is found of one is kept
        time = min(microseconds(partial(work, entry)) for entry in entries)
        ratio = f"{time / before:9.2f}" if before else ""
        print(f"{f'{what}, {size} instructions':44}{time / 1e3:9.1f} ms{ratio}")
        before = time


def all_maps(computation: Any) -> None:
    for instruction in computation.instructions:
        if instruction.opcode != "parameter":
            output_to_input(instruction)


def there_and_back(m: IndexingMap) -> IndexingMap:
    return inverse(simplify(m))


def main() -> None:
    given = texts()
    print(f"{'a map of the document, us':34}{'median':>9}{'most':>9}{'cold':>9}")
    each("read", parse_map, given)
    each("read and simplify", lambda text: simplify(parse_map(text), exact=False), given)
    each("read, simplify, write", lambda text: str(simplify(parse_map(text), exact=False)), given)
    each("read, invert, write", lambda text: str(inverse(parse_map(text))), given)
    print()
    growth("the maps of each", all_maps, (1000, 2000, 4000))
    # lengths that differ by whole turns of the chain: the map at its end is then of the same form
    growth("the maps of all to the parameters", computation_maps, (600, 1200, 2400))
    print()
    for rank in (6, 12, 24):
        halves = ",".join(["2"] * rank)
        text = f"r = f32[{2 ** (rank // 2)},{2 ** (rank - rank // 2)}] reshape(f32[{halves}] x)"
        maps = output_to_input(read_instruction(text))
        time = microseconds(partial(there_and_back, maps[0][0]))
        print(f"{f'a reshape of rank {rank}, there and back':44}{time / 1e3:9.1f} ms")


if __name__ == "__main__":
    main()
