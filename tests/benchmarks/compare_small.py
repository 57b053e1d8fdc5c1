"""The smallest operations beside their peers, in one run, on fresh objects. Prints tables.

Run: python tests/benchmarks/compare_small.py [WORD ...], for all rows or those whose name has a word

These calls stand in every inner loop. Layouts and tuples are built for one call alone, before the clock
starts. Short rounds of the libraries are interleaved, and the least time of each is compared: "of
pycute" is our time divided by pycute's on the same ints,
"static" the same with every int of ours static, "of tensor-layouts" our time divided by theirs. Only
ours checks its arguments. The second table has our operations on swizzled layouts: "of plain" is the
time divided by that of the same call on the layout inside. The third one times processes. Needs pycute,
from nvidia-cutlass, and tensor-layouts for their columns.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from time import perf_counter
from typing import Any, NamedTuple

import tla

ROUNDS = 200
FRESH = 25

Work = Callable[..., Any]


class Of(NamedTuple):
    """A layout among the arguments of a row."""

    shape: Any
    stride: Any


class Sw(NamedTuple):
    """A swizzle among the arguments of a row."""

    bits: int
    base: int
    shift: int


def static(x: Any) -> Any:
    return tuple([static(i) for i in x]) if isinstance(x, tuple) else tla.Int(x)


class Seen(NamedTuple):
    """A layout behind a swizzle among the arguments of a row."""

    swizzle: Sw
    inner: Of


class Row(NamedTuple):
    """An operation on some lists of arguments, by its name in each library, or as it is spelt there."""

    what: str
    cases: tuple[tuple[Any, ...], ...]
    ours: str | Work
    pycute: str | Work
    other: str | Work = ""
    """What tensor-layouts calls it; empty for nothing."""


class Library(NamedTuple):
    """A library as seen here."""

    layout: Work
    swizzle: Work
    composed: Work
    names: Any
    keep: Any
    """What keeps a mode of a slice."""
    static: bool = False


FLAT, MATRIX = Of((4, 8), (8, 1)), Of((8, 6), (1, 8))
MERGES = Of((2, (1, 6)), (1, (6, 2)))
ZN = Of(((4, 2), (4, 3)), ((4, 16), (1, 32)))
SEVEN = Of(((4, 8, 32), (2, 4, 8, 16)), ((1, 4096, 8), (4, 32768, 32, 131072)))
ORDERED = Of(SEVEN.shape, ((2, 64, 8192), (1, 262144, 8, 512)))
GAPS = Of(SEVEN.shape, ((1, 8, 64), (4096, 8192, 65536, 524288)))
EACH = ((FLAT,), (ZN,), (SEVEN,))
TILE = Of((8, 64), (64, 1))
BLOCKS = Of(((8, 16), (64, 2)), ((64, 512), (1, 8192)))
SWIZZLED = (Seen(Sw(3, 3, 3), TILE), Seen(Sw(3, 3, 3), BLOCKS))


def apply(function: Work, *x: Any) -> object:
    return function(*x)


def refused(a: Any, b: Any) -> None:
    with suppress(tla.DivisibilityError):
        tla.composition(a, b)
        raise AssertionError("it was not refused")


ROWS = (
    Row("Layout(shape, stride)", tuple((*x,) for (x,) in EACH), "Layout", "Layout", "Layout"),
    Row("Layout(shape)", tuple((x.shape,) for (x,) in EACH), "Layout", "Layout", "Layout"),
    Row(
        "Swizzle(x)",
        tuple((Sw(*s), x) for s in ((3, 3, 3), (2, 0, 3)) for x in (37, 1000)),
        apply,
        apply,
    ),
    Row("c(i, j)", tuple((c, 5, 37) for c in SWIZZLED), apply, apply),
    Row("c(i)", tuple((c, 437) for c in SWIZZLED), apply, apply),
    Row("get(x, 1).size", EACH, lambda x: tla.get(x, 1).size, lambda x: x[1].size()),
    Row("size", EACH, "size", "size", "size"),
    Row("x.size", EACH, attrgetter("size"), lambda x: x.size()),
    Row("cosize", EACH, "cosize", "cosize", "cosize"),
    Row("str", EACH, str, str, str),
    Row(
        "crd2idx",
        (
            (5, FLAT.shape),
            ((1, 5), FLAT.shape),
            (37, ZN.shape),
            ((1, 5), ZN.shape),
            (((1, 1), (1, 2)), ZN.shape),
            ((1, 5), *FLAT),
            (37, *ZN),
            (((1, 1), (1, 2)), *ZN),
            (4000, *SEVEN),
        ),
        "crd2idx",
        "crd2idx",
        "crd2idx",
    ),
    Row(
        "idx2crd",
        ((5, FLAT.shape), (37, ZN.shape), ((1, 5), ZN.shape), (4000, SEVEN.shape)),
        "idx2crd",
        "idx2crd",
        "idx2crd",
    ),
    Row(
        "shape_div",
        ((12, 4), (4, 12), ((4, 2, 2), 8), ((8, 6), (2, 3)), (((4, 2), 6), (4, 3))),
        "shape_div",
        "shape_div",
    ),
    Row(
        "slice_and_offset",
        (
            ((tla._, 5), MATRIX),
            ((tla._, 5), ZN),
            (((1, tla._), tla._), ZN),
            ((tla._, (1, tla._, tla._, 2)), SEVEN),
        ),
        "slice_and_offset",
        "slice_and_offset",
        "slice_and_offset",
    ),
    Row("coalesce", (*EACH, (MERGES,)), "coalesce", "coalesce", "coalesce"),
    Row(
        "coalesce by mode",
        tuple((x, (1, 1)) for x in (FLAT, MERGES, ZN, SEVEN)),
        "coalesce",
        "coalesce",
        "coalesce",
    ),
    Row(
        "complement",
        ((Of(4, 2), 24), (Of((2, 2), (1, 6)), 24), (ZN, 192), (GAPS, 1 << 24)),
        "complement",
        "complement",
        "complement",
    ),
    Row(
        "right_inverse", ((FLAT,), (ZN,), (ORDERED,)), "right_inverse", "right_inverse", "right_inverse"
    ),
    Row(
        "a refused composition",
        (
            (Of((6, 2), (1, 7)), Of((3, 2), (2, 3))),
            (FLAT, Of((6,), (1,))),
            (ZN, Of((12,), (1,))),
        ),
        refused,
        "composition",
    ),
)

Operation = tuple[str, tuple[Any, ...], str | Work]

OPERATIONS: tuple[Operation, ...] = (
    ("x(i, j)", (5, 37), apply),
    ("x[_, j]", ((tla._, 37),), lambda x, at: x[at]),
    ("get", (1,), "get"),
    ("x.size", (), attrgetter("size")),
    ("coalesce", (), "coalesce"),
    ("flatten", (), "flatten"),
    ("group", (0, 2), "group"),
    ("composition", (Of((4, 8), (2, 8)),), "composition"),
    ("composition by mode", ((4, 8),), "composition"),
    ("logical_divide", ((4, 8),), "logical_divide"),
    ("zipped_divide", ((4, 8),), "zipped_divide"),
    ("local_tile", ((4, 8), (1, 2)), "local_tile"),
    ("local_partition", (Of((4, 8), (8, 1)), 5), "local_partition"),
    ("logical_product", (Of(4, 1),), "logical_product"),
    ("tile_to_shape", ((128, 256),), "tile_to_shape"),
    ("upcast", (4,), "upcast"),
    ("downcast", (2,), "downcast"),
    ("right_inverse", (), "right_inverse"),
    ("left_inverse", (), "left_inverse"),
    ("is_injective", (), "is_injective"),
    ("offsets", (), "offsets"),
    ("str", (), str),
)
"""Operations on a layout and further arguments: plain, and behind a swizzle."""

SEARCH = ["-m", "tla", "ascend", "search", "Ascend950", "half"]
COMMANDS = (
    ("python -c pass", ["-c", "pass"], 15),
    ("import tla", ["-c", "import tla"], 15),
    ("import tla.indexing", ["-c", "import tla.indexing"], 15),
    ("tla ascend search 16384^3, aswt", [*SEARCH, "16384,16384,16384", "--swizzle", "aswt"], 2),
    ("tla ascend search 16384,16384,4096, aswt", [*SEARCH, "16384,16384,4096", "--swizzle", "aswt"], 2),
)
"""What each process is called, its arguments, and how often it runs."""


def libraries() -> dict[str, Library]:
    """The libraries that are installed; "static" is ours with static ints."""
    found = {
        "tla": Library(tla.Layout, tla.Swizzle, tla.ComposedLayout, tla, tla._),
        "static": Library(tla.Layout, tla.Swizzle, tla.ComposedLayout, tla, tla._, static=True),
    }
    for name, swizzle in (("pycute", "pycute.swizzle"), ("tensor_layouts", "tensor_layouts")):
        try:
            names = import_module(name)
            seen = import_module(swizzle)
            composed: Any = getattr(seen, "ComposedLayout", None)
            found[name] = Library(names.Layout, seen.Swizzle, composed, names, None)
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)
    return found


def built(x: Any, library: Library) -> Any:
    """An argument as a library has it: layouts and tuples are new ones."""
    if isinstance(x, Of):
        return library.layout(built(x.shape, library), built(x.stride, library))
    if isinstance(x, Sw):
        return library.swizzle(*x)
    if isinstance(x, Seen):
        return library.composed(built(x.swizzle, library), 0, built(x.inner, library))
    if isinstance(x, tuple):
        return tuple([built(i, library) for i in x])
    if x is tla._:
        return library.keep
    return tla.Int(x) if library.static else x


def least_times(works: dict[str, tuple[Library, Work]], case: tuple[Any, ...]) -> dict[str, float]:
    """The least time of one call in each library, in microseconds."""
    least: dict[str, float] = {}
    for _round in range(ROUNDS):
        for name, (library, work) in works.items():
            calls = [tuple([built(x, library) for x in case]) for _i in range(FRESH)]
            start = perf_counter()
            for arguments in calls:
                work(*arguments)
            took = (perf_counter() - start) / FRESH * 1e6
            least[name] = min(took, least.get(name, took))
    return least


def shown(x: Any) -> str:
    if isinstance(x, Seen):
        return f"{shown(x.swizzle)} o 0 o {shown(x.inner)}"
    if isinstance(x, Of):
        return f"{tla.to_text(x.shape)}:{tla.to_text(x.stride)}"
    return f"Sw<{','.join(map(str, x))}>" if isinstance(x, Sw) else repr(x)


def operations(words: list[str]) -> None:
    print("| operation | of | tla, us | of pycute | static, of pycute | of tensor-layouts |")
    print("| --- | --- | --- | --- | --- | --- |")
    known = libraries()
    for row in ROWS:
        if words and not any(word in row.what for word in words):
            continue
        works: dict[str, tuple[Library, Work]] = {}
        spelt = {"pycute": row.pycute, "tensor_layouts": row.other}
        for name, library in known.items():
            work = spelt.get(name, row.ours)
            if work:
                works[name] = library, getattr(library.names, work) if isinstance(work, str) else work
        for case in row.cases:
            at = least_times(works, case)
            mine, peer, other = at["tla"], at.get("pycute"), at.get("tensor_layouts")
            cells = [
                row.what,
                f"`{', '.join(map(shown, case))}`",
                f"{mine:.2f}",
                f"{mine / peer:.2f}x" if peer else "",
                f"{at['static'] / peer:.2f}x" if peer else "",
                f"{mine / other:.2f}x" if other else "",
            ]
            print(f"| {' | '.join(cells)} |", flush=True)


def swizzled(words: list[str]) -> None:
    print("\n| operation | of | swizzled, us | of plain |")
    print("| --- | --- | --- | --- |")
    library = Library(tla.Layout, tla.Swizzle, tla.ComposedLayout, tla, tla._)
    for what, arguments, name in OPERATIONS:
        if words and not any(word in what for word in words):
            continue
        work = getattr(tla, name) if isinstance(name, str) else name
        for x in SWIZZLED:
            took = least_times({"": (library, work)}, (x, *arguments))[""]
            plain = least_times({"": (library, work)}, (x.inner, *arguments))[""]
            cells = (what, f"`{shown(x)}`", f"{took:.2f}", f"{took / plain:.2f}x")
            print(f"| {' | '.join(cells)} |", flush=True)


def processes() -> None:
    print("\n| process | ms | more than bare Python, ms |")
    print("| --- | --- | --- |")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    least: dict[str, float] = {}
    for round_number in range(max(times for _what, _arguments, times in COMMANDS)):
        for what, arguments, times in COMMANDS:
            if round_number >= times:
                continue
            start = perf_counter()
            subprocess.run(
                [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment
            )
            took = (perf_counter() - start) * 1e3
            least[what] = min(took, least.get(what, took))
    bare = least[COMMANDS[0][0]]
    for what, took in least.items():
        print(f"| {what} | {took:.1f} | {took - bare:.1f} |")


if __name__ == "__main__":
    operations(sys.argv[1:])
    swizzled(sys.argv[1:])
    if not sys.argv[1:]:
        processes()
