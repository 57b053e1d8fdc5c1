"""Pictures of layouts beside tensor-layouts, in one run. Prints a table, asserts nothing.

Run: python tests/benchmarks/compare_pictures.py [SIZE ...], with tensor-layouts and matplotlib for their
columns. Without sizes these are 8, 64 and 256, of which the last takes the peer some minutes.

A picture is of a row-major layout, from the layout to the text of the file: the figure is computed, then
written. Rounds of both libraries alternate, so that both suffer the same noise, and the least times are
compared; the peer draws its large pictures once or twice. Up to 64 x 64 each cell has its number here; a
larger picture is an image of all cells with their colours. The peer writes a number into every cell.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tla import Layout, layout_figure, show

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (8, 64, 256)
ROUNDS = 15
BUDGET = 20.0
"""Seconds after which the peer draws a picture no more."""


class Times(NamedTuple):
    """What pictures took, in milliseconds, and how long the text of one is."""

    milliseconds: list[float]
    bytes: int

    def __str__(self) -> str:
        return f"{_short(min(self.milliseconds))} | {_short(self.bytes / 1000)}"


def _short(x: float) -> str:
    """A number with three digits that count, or more before the point."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def peer() -> tuple[Any, Any] | None:
    """tensor-layouts and its drawing, or None where it or matplotlib is not installed."""
    try:
        return import_module("tensor_layouts"), import_module("tensor_layouts.viz")
    except ImportError:
        return None


def ours(size: int, write: Callable[[Any], str]) -> int:
    """Draw a picture here, and return the length of its text in bytes."""
    layout = Layout((size, size), (size, 1))
    return len(write(layout_figure(layout, size, size)).encode())


def theirs(size: int, library: Any, file: Path) -> int:
    """Draw a picture with tensor-layouts, and return the length of the file."""
    layouts, viz = library
    viz.draw_layout(layouts.Layout((size, size), (size, 1)), str(file), colorize=True)
    return file.stat().st_size


def alternating(mine: Callable[[], int], other: Callable[[], int] | None) -> tuple[Times, Times | None]:
    """Time both in turns."""
    at: tuple[list[float], list[float]] = ([], [])
    lengths = [0, 0]
    for _round in range(ROUNDS):
        for i, work in enumerate((mine, other)):
            if work is None or sum(at[i]) > BUDGET * 1000:
                continue
            gc.collect()  # what the other has left behind
            start = perf_counter()
            lengths[i] = work()
            at[i].append((perf_counter() - start) * 1000)
    return Times(at[0], lengths[0]), Times(at[1], lengths[1]) if other else None


def main() -> None:
    sizes = tuple(map(int, sys.argv[1:])) or SIZES
    library = peer()
    print("| picture | tla, ms | kB | tensor-layouts, ms | kB | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            for kind, write in (("SVG", show.svg), ("HTML", show.html), ("LaTeX", show.latex)):
                file = Path(folder) / "picture.svg"
                has_peer = library is not None and kind == "SVG"
                mine, other = alternating(
                    partial(ours, size, write),
                    partial(theirs, size, library, file) if has_peer else None,
                )
                ratio = ""
                if other:
                    ratio = f"{min(other.milliseconds) / min(mine.milliseconds):,.0f}x"
                print(f"| {size} x {size}, {kind} | {mine} | {other or ' | '} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
