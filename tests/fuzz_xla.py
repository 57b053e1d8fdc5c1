"""Fuzz of XLA's tiled layouts: random shapes, and laws that hold of each.

Run: python tests/fuzz_xla.py [--count 100000] [--seed N] [--minutes M] [--only LAW]

A shape has rank 0 to 5 and up to four tiles, with and without ``*``, with and without padding; one in
forty has dims of many factors, so that its layout has ten digits and more. Its memory is made by
`memory_of`: pad, reshape, transpose, in numpy, which shares nothing with the library. A fault is a law
that does not hold, or any exception; a law whose operation may refuse catches what it expects. Each
fault is shrunk and printed, and the exit status is 1.

A law is a function of a `Case` that returns what is wrong, or nothing: add one to `LAWS`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from xla_bridge.chains import random_chain
from xla_bridge.layout_laws import same_combined, same_layout, same_pairs, same_reshape
from xla_bridge.naive import memory_of

from tla import LayoutError, UnsupportedError
from tla.xla_bridge import (
    COMBINE,
    XlaShape,
    canonicalize,
    from_layout,
    logical_index,
    padding_mask,
    padding_offsets,
    physical_elements,
    physical_offset,
    tiling_steps,
    to_layout,
)

MOST, MANY = 400, 4096  # elements in memory, of most shapes and of those with many digits


class Case:
    """A shape, and its memory by the naive definition, made once."""

    def __init__(self, shape: XlaShape) -> None:
        self.shape = shape

    @cached_property
    def memory(self) -> list[int]:
        """The row-major number of the element at each offset, -1 in the padding."""
        return [int(x) for x in memory_of(self.shape)]

    @cached_property
    def indices(self) -> list[tuple[int, ...]]:
        """Every index, row major."""
        return list(product(*map(range, self.shape.dimensions)))

    @cached_property
    def offsets(self) -> list[int]:
        """The offset of every element, row major."""
        offsets = [-1] * len(self.indices)
        for offset, element in enumerate(self.memory):
            if element >= 0:
                offsets[element] = offset
        return offsets


# --- laws -------------------------------------------------------------------------------------


def same_offset(case: Case) -> str:
    """``physical_offset`` is the place that padding, reshaping and transposing give."""
    for index, offset in zip(case.indices, case.offsets, strict=True):
        got = physical_offset(case.shape, index)
        if got != offset:
            return f"the offset of {index} is {got} instead of {offset}"
    return ""


def same_size(case: Case) -> str:
    got = physical_elements(case.shape)
    return "" if got == len(case.memory) else f"it takes {got} elements instead of {len(case.memory)}"


def offset_inverts(case: Case) -> str:
    """``logical_index`` gives every element back, and None on the rest."""
    for offset, element in enumerate(case.memory):
        want = case.indices[element] if element >= 0 else None
        got = logical_index(case.shape, offset)
        if got != want:
            return f"at {offset} lies {got} instead of {want}"
    return ""


def same_steps(case: Case) -> str:
    """The steps, carried out, give the memory; and each element moves through them to its offset."""
    data: Any = np.arange(case.shape.elements).reshape(case.shape.dimensions)
    for step in tiling_steps(case.shape).steps:
        if step.action == "transpose":
            data = data.transpose(step.argument)
        elif step.action == "reshape":
            data = data.reshape(step.argument)
        else:
            added = [(0, m - n) for n, m in zip(data.shape, step.argument, strict=True)]
            data = np.pad(data, added, constant_values=-1)
        if data.shape != step.dimensions:
            return (
                f"after {step.action} {step.argument} there is {data.shape}: {step.dimensions} is said"
            )
    if data.tolist() != case.memory:
        return "the steps carried out give another memory"
    for i in {0, len(case.indices) // 3, len(case.indices) - 1} if case.indices else ():
        got = tiling_steps(case.shape, case.indices[i]).offset
        if got != case.offsets[i]:
            return f"by the steps {case.indices[i]} is at {got} instead of {case.offsets[i]}"
    return ""


def same_padding(case: Case) -> str:
    want = [offset for offset, element in enumerate(case.memory) if element < 0]
    if np.flatnonzero(padding_mask(case.shape)).tolist() != want:
        return "the mask marks other places than the padding"
    return "" if list(padding_offsets(case.shape)) == want else "other offsets are called padding"


def comes_back(case: Case) -> str:
    """A nested layout goes back to a shape of its function and size; without ``*`` to one without."""
    shape, size = case.shape, len(case.memory)
    starred = any(COMBINE in tile for tile in shape.tiles)
    try:
        layout = to_layout(shape)
    except UnsupportedError:
        return ""
    try:
        back = from_layout(layout, shape.element_type, size)
    except LayoutError as error:  # digits that interleave, or less room than they take
        return "" if starred else f"it does not come back: {error.summary}"
    if not starred and any(COMBINE in tile for tile in back.tiles):
        return f"it comes back as {back}, with '*'"
    return _unlike(back, case)


def canonical_is_one(case: Case) -> str:
    """The canonical shape has the function and size, and a shape made from these has the same one."""
    shape, size = case.shape, len(case.memory)
    canonical = canonicalize(shape)
    if canonicalize(canonical) != canonical:
        return f"{canonical} is canonical, and its own canonical shape is {canonicalize(canonical)}"
    try:
        back = from_layout(to_layout(shape), shape.element_type, size)
    except (LayoutError, UnsupportedError):
        return _unlike(canonical, case)
    kept = shape.tail_padding_alignment_in_elements
    if back.tail_padding_alignment_in_elements == kept and canonicalize(back) != canonical:
        return f"{canonical} is canonical, and for the equal {back} it is {canonicalize(back)}"
    return _unlike(canonical, case)


def _unlike(other: XlaShape, case: Case) -> str:
    """How another shape differs as a function, or in size."""
    if physical_elements(other) != len(case.memory):
        return f"{other} takes {physical_elements(other)} elements instead of {len(case.memory)}"
    for index, offset in zip(case.indices, case.offsets, strict=True):
        if physical_offset(other, index) != offset:
            return f"{other} has {index} at {physical_offset(other, index)} instead of {offset}"
    return ""


def chains_come_back(case: Case) -> str:
    """Random digits, that the shape seeds, come back: a chain without ``*``, others with it."""
    rng = random.Random(str(case.shape))
    torn = rng.random() < 0.3
    layout, size = random_chain(rng, torn=torn)
    shape = from_layout(layout, case.shape.element_type, size)
    if not torn and any(COMBINE in tile for tile in shape.tiles):
        return f"{layout} in {size} elements comes back as {shape}, with '*'"
    if physical_elements(shape) != size:
        return f"{shape} takes {physical_elements(shape)} elements instead of {size}"
    for _sample in range(12):
        index = [rng.randrange(int(n)) for n in layout.origin_shape]
        if physical_offset(shape, index) != layout(*index):
            return f"{shape} has {index} at {physical_offset(shape, index)}, not at {layout(*index)}"
    return ""


Law = Callable[[Case], str]

LAWS: dict[str, Law] = {  # pyright: ignore[reportAssignmentType]
    "offset": same_offset,
    "size": same_size,
    "inverse": offset_inverts,
    "steps": same_steps,
    "padding": same_padding,
    "round trip": comes_back,
    "canonical": canonical_is_one,
    "chain": chains_come_back,
    "to layout": same_layout,
    "combined": same_combined,
    "pairs": same_pairs,
    "reshape": same_reshape,
}


# --- random shapes ----------------------------------------------------------------------------


def random_shape(rng: random.Random) -> XlaShape:
    """A shape with little memory: every place of it is looked at."""
    while True:
        many = rng.random() < 1 / 40
        shape = _shape_of_digits(rng) if many else _small_shape(rng)
        if physical_elements(shape) <= (MANY if many else MOST):
            return shape


def _small_shape(rng: random.Random) -> XlaShape:
    rank = rng.randint(0, 5)
    dims = [
        rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 9] if rng.random() < 0.05 else [1, 2, 3, 4, 5])
        for _ in range(rank)
    ]
    while prod(dims) > 120:
        dims[rng.randrange(rank)] = 1
    stars = rng.random() < 0.4
    tiles = [_tile(rng, rng.randint(1, rank + 1), stars) for _ in range(rng.randint(0, 4))]
    order = rng.sample(range(rank), rank)
    tail = rng.choice([1, 1, 1, 4, 6])
    return XlaShape("f32", dims, order, tiles, tail)


def _tile(rng: random.Random, entries: int, stars: bool) -> list[int | str]:
    sizes = [1, 1, 2, 2, 3, 4]
    tile: list[int | str] = [rng.choice(sizes) for _ in range(entries)]
    return [
        COMBINE if stars and i + 1 < entries and rng.random() < 0.3 else t for i, t in enumerate(tile)
    ]


def _shape_of_digits(rng: random.Random) -> XlaShape:
    """Ten digits of 2 in two to five dims, each tile cutting a digit off every dim, or almost."""
    rank = rng.randint(2, 5)
    digits = [2] * rank
    while sum(digits) < 10:
        digits[rng.randrange(rank)] += 1
    dims = [2**n - (rng.random() < 0.2) for n in digits]
    tiles: list[list[int | str]] = []
    while len(tiles) < 4 and any(n > 1 for n in digits):
        digits = [n - (n > 0 and rng.random() < 0.95) for n in digits]
        tiles.append([2**n for n in digits])
    if rng.random() < 0.3:
        tiles[-1][rng.randrange(rank)] = 3
    return XlaShape("f32", dims, rng.sample(range(rank), rank), tiles)


# --- faults -----------------------------------------------------------------------------------


def fault_of(law: Law, shape: XlaShape) -> str:
    """What is wrong with a law on a shape; any exception is."""
    try:
        return law(Case(shape))
    except Exception as error:  # (whatever it is, it is to be reported)
        return f"{type(error).__name__}: {error}".splitlines()[0]


def smaller(shape: XlaShape) -> Iterator[XlaShape]:
    """Shapes that are a little less: a tile, a dim, or some of an extent left out."""
    dims, order, tiles = shape.dimensions, shape.minor_to_major, shape.tiles
    tail = shape.tail_padding_alignment_in_elements
    made: list[tuple[Any, Any, Any, int]] = []
    if tail > 1:
        made.append((dims, order, tiles, 1))
    made += [(dims, order, tiles[:i] + tiles[i + 1 :], tail) for i in range(len(tiles))]
    for i, d in enumerate(dims):
        rest = [p - (p > i) for p in order if p != i]
        made.append((dims[:i] + dims[i + 1 :], rest, tiles, tail))
        made += [
            ((*dims[:i], n, *dims[i + 1 :]), order, tiles, tail) for n in {1, d // 2, d - 1} if 0 < n < d
        ]
    for i, tile in enumerate(tiles):
        cut = [tile[:k] + tile[k + 1 :] for k in range(len(tile)) if len(tile) > 1]
        cut += [(*tile[:k], 1, *tile[k + 1 :]) for k, t in enumerate(tile) if t != 1]
        made += [
            (dims, order, (*tiles[:i], less, *tiles[i + 1 :]), tail)
            for less in cut
            if less[-1] != COMBINE
        ]
    for parts in made:
        yield XlaShape("f32", *parts)


def shrunk(law: Law, shape: XlaShape) -> XlaShape:
    """The least shape on the way down on which the law still fails."""
    while True:
        for less in smaller(shape):
            if fault_of(law, less):
                shape = less
                break
        else:
            return shape


class Found(NamedTuple):
    """A law that fails, and the shape it fails on."""

    law: str
    shape: XlaShape
    note: str

    def __str__(self) -> str:
        return f"{self.law}: {self.shape}: {self.note}"


class Report(NamedTuple):
    """How many shapes were looked at, and the faults found."""

    seed: int
    seconds: float
    shapes: int
    elements: int
    faults: Counter[str]
    found: list[Found]

    @property
    def is_clean(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        head = (
            f"seed {self.seed}: {self.shapes} shapes, {self.elements} elements,"
            f" {sum(self.faults.values())} faults, {self.seconds:.0f} s"
        )
        return "\n".join([head, *map(str, self.found)])


SHRUNK = 4  # faults of one law that are shrunk and shown; all are counted


def run(
    count: int | None,
    seed: int,
    laws: dict[str, Law] | None = None,
    minutes: float | None = None,
    progress: bool = False,
) -> Report:
    """Judge random shapes by all laws, so many or so long."""
    start = shown = time.monotonic()
    laws = LAWS if laws is None else laws
    rng = random.Random(seed)
    faults: Counter[str] = Counter()
    found: list[Found] = []
    done = elements = 0
    while count is None or done < count:
        now = time.monotonic()
        if minutes is not None and now - start > minutes * 60:
            break
        if progress and now - shown > 1:
            shown = now
            print(f"\r{done} shapes, {sum(faults.values())} faults ", end="", file=sys.stderr)
        shape = random_shape(rng)
        case = Case(shape)
        for name, law in laws.items():
            try:
                note = law(case)
            except Exception:
                note = fault_of(law, shape)
            if note:
                faults[name] += 1
                if faults[name] <= SHRUNK:
                    least = shrunk(law, shape)
                    found.append(Found(name, least, fault_of(law, least)))
        done += 1
        elements += shape.elements
    if progress:
        print("\r\033[K", end="", file=sys.stderr)
    return Report(seed, time.monotonic() - start, done, elements, faults, found)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Fuzz XLA's tiled layouts against pad, reshape, transpose.",
        epilog="laws: " + ", ".join(LAWS),
    )
    parser.add_argument(
        "--count", type=int, help="how many shapes (default 100000, or no end with --minutes)"
    )
    parser.add_argument("--seed", type=int, help="the seed of the random shapes (default: a new one)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument(
        "--only", action="append", metavar="LAW", help="only the laws whose name contains this"
    )
    args = parser.parse_args(argv)
    laws = {
        name: law for name, law in LAWS.items() if not args.only or any(x in name for x in args.only)
    }
    if not laws:
        parser.error(f"no law is called {' or '.join(args.only)}; there are {', '.join(LAWS)}")
    count = 100_000 if args.count is None and args.minutes is None else args.count
    seed = random.randrange(2**32) if args.seed is None else args.seed
    report = run(count, seed, laws, args.minutes, progress=sys.stderr.isatty())
    print(report)
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
