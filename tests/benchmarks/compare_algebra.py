"""The layout algebra beside its peers, in one run, on fresh objects. Prints a table, asserts nothing.

Run: python tests/benchmarks/compare_algebra.py

Every call gets layouts built for it alone, before the clock starts; what an operation checks and builds
is timed. Rounds of the libraries are interleaved, so that all suffer the same noise, and the medians
compared: "of pycute" is our time divided by pycute's on the same ints, "static" the same with every int
of ours static, "tensor-layouts" how many times as long that takes. Needs pycute, from nvidia-cutlass,
and tensor-layouts for their columns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import tla

ROUNDS = 21
FRESH = 300

Build = Callable[[], tuple[Any, ...]]


class Library(NamedTuple):
    """A library as seen here: how it makes a layout, its operations, and its sign for a kept mode."""

    layout: Callable[[Any, Any], Any]
    operations: Any
    keep: Any
    slice: Callable[[Any, Any], Any]
    composition: str = "composition"


class Row(NamedTuple):
    """An operation on layouts, given as (shape, stride), and ints or tuples of these."""

    what: str
    operation: str
    arguments: tuple[Any, ...]


class Of(NamedTuple):
    """A layout among the arguments."""

    shape: Any
    stride: Any


ZN = Of(((4, 2), (4, 3)), ((4, 16), (1, 32)))
MATRIX, TILE = Of((8, 6), (1, 8)), Of(4, 2)

ROWS = (
    Row(
        "composition `(6,2):(8,2) o (4,3):(3,1)`",
        "composition",
        (Of((6, 2), (8, 2)), Of((4, 3), (3, 1))),
    ),
    Row(
        "composition `(8,8):(8,1)` o TV",
        "composition",
        (Of((8, 8), (8, 1)), Of(((4, 2), (2, 2)), ((1, 16), (4, 8)))),
    ),
    Row("complement `(2,2):(1,6), 24`", "complement", (Of((2, 2), (1, 6)), 24)),
    Row("coalesce `(2,(1,6)):(1,(6,2))`", "coalesce", (Of((2, (1, 6)), (1, (6, 2))),)),
    Row("coalesce zN", "coalesce", (ZN,)),
    Row("logical_divide `(4,2,3):(2,1,8), 4:2`", "logical_divide", (Of((4, 2, 3), (2, 1, 8)), TILE)),
    Row("zipped_divide by ints `(4,3)`", "zipped_divide", (MATRIX, (4, 3))),
    Row("zipped_divide by layouts", "zipped_divide", (MATRIX, (TILE, Of(3, 1)))),
    Row("right_inverse `(4,8):(8,1)`", "right_inverse", (Of((4, 8), (8, 1)),)),
    Row("left_inverse `(4,8):(1,5)`", "left_inverse", (Of((4, 8), (1, 5)),)),
    Row("logical_product `(2,2):(4,1), 6:1`", "logical_product", (Of((2, 2), (4, 1)), Of(6, 1))),
    Row("slice zN `(_,5)`", "slice", (ZN,)),
    Row("slice `(8,6):(1,8)` `(_,5)`", "slice", (MATRIX,)),
)


def libraries() -> dict[str, Library]:
    """The libraries that are installed; "static" is ours with static ints."""

    def static(x: Any) -> Any:
        return tuple(map(static, x)) if isinstance(x, tuple) else tla.Int(x)

    def ours(layout: Any, coord: Any) -> Any:
        return layout[coord]

    def called(layout: Any, coord: Any) -> Any:
        return layout(*coord)

    found = {
        "tla": Library(tla.Layout, tla, tla._, ours),
        "static": Library(lambda s, d: tla.Layout(static(s), static(d)), tla, tla._, ours),
    }
    try:
        pycute = import_module("pycute.layout")
        found["pycute"] = Library(pycute.Layout, pycute, None, called)
    except ImportError:
        print("pycute is not installed", file=sys.stderr)
    try:
        theirs = import_module("tensor_layouts")
        found["tensor-layouts"] = Library(theirs.Layout, theirs, None, called, "compose")
    except ImportError:
        print("tensor-layouts is not installed", file=sys.stderr)
    return found


def built(x: Any, library: Library, name: str) -> Any:
    if isinstance(x, Of):
        return library.layout(x.shape, x.stride)
    if isinstance(x, tuple):
        return tuple(built(i, library, name) for i in x)
    return tla.Int(x) if name == "static" else x


def times(row: Row) -> dict[str, float]:
    """The median time of one call in each library, in microseconds."""
    known = libraries()
    rounds: dict[str, list[float]] = {name: [] for name in known}
    for _round in range(ROUNDS):
        for name, library in known.items():
            calls = [built(row.arguments, library, name) for _i in range(FRESH)]
            if row.operation == "slice":
                coord = (library.keep, 5)
                calls = [(layout, coord) for (layout,) in calls]
                work = library.slice
            elif row.operation == "composition":
                work = getattr(library.operations, library.composition)
            else:
                work = getattr(library.operations, row.operation)
            start = perf_counter()
            for arguments in calls:
                work(*arguments)
            rounds[name].append((perf_counter() - start) / FRESH * 1e6)
    return {name: median(at) for name, at in rounds.items()}


def main() -> None:
    print("| operation | tla, us | of pycute | static, of pycute | tensor-layouts |")
    print("| --- | --- | --- | --- | --- |")
    for row in ROWS:
        at = times(row)
        mine, peer, other = at["tla"], at.get("pycute"), at.get("tensor-layouts")
        cells = [
            row.what,
            f"{mine:.2f}",
            f"{mine / peer:.2f}x" if peer else "",
            f"{at['static'] / peer:.2f}x" if peer else "",
            f"{other / mine:.1f}x" if other else "",
        ]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
