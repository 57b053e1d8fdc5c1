"""The XLA bridge beside XLA itself, in one run. Prints a table, asserts nothing.

Run: python tests/benchmarks/compare_xla.py, in an interpreter that has jaxlib for its columns.

A row times the same work here and in XLA, in rounds that alternate, so that both suffer the same
noise, and compares the medians. "ratio" is how many times as long as XLA this takes. Nothing is kept
between two readings of a text, here as there; a shape is read into a value with its rules checked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from tla.hlo import read_module
from tla.xla_bridge import parse_shape, parse_shape_at

ROUNDS = 21
REPEAT = 1000

Work = Callable[[], object]


class Row(NamedTuple):
    """Work done here, the same in XLA where it is installed, and how often to repeat it a round."""

    what: str
    ours: Work
    theirs: Work | None
    repeat: int = REPEAT


SHAPES = (
    "f32[]",
    "f32[3,5]{1,0}",
    "s32[8388608,8,4]{2,1,0:T(8,128)}",
    "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
    "s4[32,32,4096]{2,1,0:T(8,128)(8,1)E(4)S(1)}",
    "f32[<=17,1280]{0,1:T(4)S(1)}",
    "bf16[32,4096]{1,0:T(8,128)(2,1)SC(0:8,16)}",
    "(f32[2]{0}, u8[], bf16[8,128]{1,0:T(8,128)(2,1)})",
    f"({', '.join(['bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'] * 5)}, /*index=5*/u8[])",
)


def xla() -> Any:
    """XLA's parser of shapes, or None where jaxlib is not installed."""
    try:
        return import_module("jaxlib._hlo")
    except ImportError:
        return None


def shapes() -> list[Row]:
    """A shape that is a text by itself, and the same shape inside a longer text."""
    peer = xla()
    rows: list[Row] = []
    for text in SHAPES:
        theirs: Work | None = None if peer is None else partial(peer.Shape, text)
        line = f"  x = {text} negate(y)"
        rows += [
            Row(text, partial(parse_shape, text), theirs),
            Row("  in a line", partial(parse_shape_at, line, 6), theirs),
        ]
    return rows


MODULES = Path(__file__).parent.parent / "data" / "tpu_hlo"


def modules() -> list[tuple[Row, int]]:
    """Texts of TPU modules, from short to long, and all at once, with their characters.

    Values are made of every shape, operand and attribute; the JSON of a backend_config is read when
    it is asked for, there as here.
    """
    peer = xla()
    texts = {path.name: path.read_text() for path in sorted(MODULES.glob("*.hlo"))}
    few = {name: texts[name] for name in sorted(texts, key=lambda name: len(texts[name]))[::8]}
    rows: list[tuple[Row, int]] = []
    for name, chosen in [*((name, [text]) for name, text in few.items()), ("all", list(texts.values()))]:
        theirs: Work | None = None
        if peer is not None:
            theirs = partial(each_of, peer.hlo_module_from_text, chosen)
        size = sum(map(len, chosen))
        what = f"{name}, {size / 1e3:.0f} kB"
        rows.append((Row(what, partial(each_of, read_module, chosen), theirs, 1), size))
    return rows


def each_of(read: Callable[[str], object], texts: list[str]) -> None:
    for text in texts:
        read(text)


def speed(row: Row, size: int) -> str:
    """A line in megabytes a second in place of microseconds."""
    middle = medians(row)
    ratio = f" {size / middle[1]:8.2f} MB/s {middle[0] / middle[1]:8.2f}" if len(middle) > 1 else ""
    return f"{row.what:52} {size / middle[0]:8.2f} MB/s{ratio}"


def microseconds(work: Work, repeat: int) -> float:
    start = perf_counter()
    for _i in range(repeat):
        work()
    return (perf_counter() - start) / repeat * 1e6


def medians(row: Row) -> list[float]:
    works = [row.ours] if row.theirs is None else [row.ours, row.theirs]
    rounds = [[microseconds(work, row.repeat) for work in works] for _round in range(ROUNDS)]
    return [median(times) for times in zip(*rounds, strict=True)]


def report(row: Row) -> str:
    middle = medians(row)
    what = row.what if len(row.what) <= 52 else f"{row.what[:49]}..."
    ratio = f" {middle[1]:10.2f} us {middle[0] / middle[1]:8.2f}" if len(middle) > 1 else ""
    return f"{what:52} {middle[0]:10.2f} us{ratio}"


if __name__ == "__main__":
    print(f"{'reading':52} {'tla':>13} {'XLA':>13} {'ratio':>8}")
    for each in shapes():
        print(report(each))
    print(f"\n{'modules':52} {'tla':>13} {'XLA':>13} {'ratio':>8}")
    for module, size in modules():
        print(speed(module, size))
