"""Laws of layouts and of pairs of them, for the fuzz: each returns what is wrong, or nothing.

A case has a ``shape``, its ``indices``, and the naive ``offsets`` and ``memory``.
"""

from __future__ import annotations

import random
from math import gcd
from typing import TYPE_CHECKING, Any, Protocol

from tla import UnsupportedError
from tla.xla_bridge import (
    XlaShape,
    combined_layout,
    common_run,
    common_vector,
    differences,
    equivalent,
    is_bitcast,
    to_layout,
)

from .naive import memory_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["same_combined", "same_layout", "same_pairs", "same_reshape"]


class Case(Protocol):
    """What a law asks of a case."""

    shape: XlaShape

    @property
    def indices(self) -> Sequence[tuple[int, ...]]: ...

    @property
    def offsets(self) -> Sequence[int]: ...

    @property
    def memory(self) -> Sequence[int]: ...


def same_layout(case: Case) -> str:
    """``to_layout`` is the offset of every element, or refuses exactly what has no layout."""
    try:
        layout = to_layout(case.shape)
    except UnsupportedError as error:
        if has_layout(case):
            return "it is refused although a layout exists"
        facts: Any = error
        place = dict(zip(case.indices, case.offsets, strict=True))
        one, other = facts.parts
        if tuple(x + y for x, y in zip(one, other, strict=True)) != facts.index:
            return "the proof's parts are not those of its index"
        return "" if place[one] + place[other] != place[facts.index] else "its proof proves nothing"
    for index, offset in zip(case.indices, case.offsets, strict=True):
        got = layout(*index), layout.trimmed()(*index)
        if got != (offset, offset):
            return f"the layout {layout} has {index} at {got} instead of {offset}"
    return ""


def has_layout(case: Case) -> bool:
    """Whether some nested layout with one mode for each dim has these offsets: all digits are tried."""
    place = dict(zip(case.indices, case.offsets, strict=True))
    dims = case.shape.dimensions
    zero = (0,) * len(dims)
    alone = [
        [place[(*zero[:d], x, *zero[d + 1 :])] for x in range(n)] if case.indices else []
        for d, n in enumerate(dims)
    ]
    is_sum = all(sum(alone[d][x] for d, x in enumerate(at)) == place[at] for at in case.indices)
    return is_sum and all(has_digits(values, 1, ()) for values in alone)


def has_digits(values: list[int], weight: int, digits: tuple[tuple[int, int, int], ...]) -> bool:
    """Whether digits that begin with some of (weight, size, stride) give these values."""
    if weight >= len(values):
        return True
    for size in range(2, len(values) + 2):
        longer = (*digits, (weight, size, values[weight]))
        reached = values[: weight * size]
        if [sum(i // w % n * d for w, n, d in longer) for i in range(len(reached))] != reached:
            return False  # nor does a greater size: its first values are these
        if has_digits(values, weight * size, longer):
            return True
    return False


def same_combined(case: Case) -> str:
    """There is a layout over combined coordinates, and it is the offset of every element."""
    combined = combined_layout(case.shape)
    for index, offset in zip(case.indices, case.offsets, strict=True):
        if combined(index) != offset:
            return f"{combined} has {index} at {combined(index)} instead of {offset}"
    return ""


def same_pairs(case: Case) -> str:
    """``equivalent``, ``differences`` and the common runs, of a shape and one that is a little else."""
    other = neighbour(case.shape)
    theirs = [int(x) for x in memory_of(other)]
    ours = list(case.memory)
    places = [-1] * len(case.indices)
    for offset, element in enumerate(theirs):
        if element >= 0:
            places[element] = offset
    if equivalent(case.shape, other) != (ours == theirs):
        return f"equivalent to {other} is {ours != theirs}"
    moved = [d for d in differences(case.shape, other) if d.kind == "offset"]
    if bool(moved) != (list(case.offsets) != places):
        return f"the offsets differ from those of {other}: {bool(moved)}"
    for each in moved:
        at = case.indices.index(each.at or ())
        if (each.a, each.b) != (case.offsets[at], places[at]) or each.a == each.b:
            return f"against {other} {each} is wrong"
    run, vector = common_run(case.shape, other), common_vector(case.shape, other)
    want = naive_run(ours, theirs)
    if run != want:
        return f"the common run with {other} is {run} instead of {want}"
    want = naive_vector(ours, theirs, run)
    return "" if vector == want else f"the vector with {other} is {vector} instead of {want}"


def naive_run(a: Sequence[int], b: Sequence[int]) -> int:
    """How many places from 0 on hold the same, an element or padding."""
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def naive_vector(a: Sequence[int], b: Sequence[int], run: int) -> int:
    """The widest block of which each that holds an element is one of the other, as a whole."""
    room = gcd(run, len(a), len(b))
    for n in range(room, 0, -1):
        if room % n == 0 and naive_blocks(a, n) == naive_blocks(b, n):
            return n
    return room


def naive_blocks(memory: Sequence[int], n: int) -> list[list[int]]:
    """The blocks that hold an element, in any order."""
    blocks = [list(memory[i : i + n]) for i in range(0, len(memory), n)]
    return sorted(block for block in blocks if max(block) >= 0)


def same_reshape(case: Case) -> str:
    """``is_bitcast`` of a row-major reshape: each place holds the same element."""
    other = reshaped(case.shape)
    want = list(case.memory) == [int(x) for x in memory_of(other)]
    got = is_bitcast(case.shape, other), is_bitcast(other, case.shape)
    return "" if got == (want, want) else f"is_bitcast with {other} is {got} instead of {want}"


def neighbour(shape: XlaShape) -> XlaShape:
    """A shape of the same dims, often of the same layout; the same one for a shape each time."""
    rng = random.Random(str(shape))
    order, tiles = list(shape.minor_to_major), list(shape.tiles)
    tail = shape.tail_padding_alignment_in_elements
    kind = rng.choice(["same", "order", "fewer", "one", "whole", "longer"])
    if kind == "order" and len(order) > 1:
        i = rng.randrange(len(order) - 1)
        order[i], order[i + 1] = order[i + 1], order[i]
    elif kind == "fewer":
        tiles = tiles[:-1]
    elif kind == "one":
        tiles.append((1,))
    elif kind == "whole" and all(shape.dimensions) and order:
        tiles.append(tuple(shape.dimensions[p] for p in reversed(order)))
    elif kind == "longer":
        tiles = [(1, *tile) if rng.random() < 0.5 else tile for tile in tiles]
    made = XlaShape("f32", shape.dimensions, order, tiles, tail)
    return made if len(tiles) <= len(shape.tiles) or made.elements < 60 else shape


def reshaped(shape: XlaShape) -> XlaShape:
    """A shape of other dims and the same elements, as a reshape makes it."""
    rng = random.Random(str(shape))
    dims: list[int] = []
    for n in shape.dimensions:
        cut = next((p for p in (2, 3) if n % p == 0 and n > p), 1)
        dims += [cut, n // cut] if cut > 1 and rng.random() < 0.5 else [n]
    if len(dims) > 1 and rng.random() < 0.5:
        i = rng.randrange(len(dims) - 1)
        dims[i : i + 2] = [dims[i] * dims[i + 1]]
    tail = shape.tail_padding_alignment_in_elements
    return XlaShape("f32", dims, None, shape.tiles[: 4 - (rng.random() < 0.3)], tail)
