"""Fuzz of the layout algebra: random layouts, each answer compared with naive brute force.

Run: python tests/fuzz.py [--count 200000] [--seed N] [--minutes M] [--only OPERATION]

Small cases are enumerated by the naive truths of `tla.testing`. Large ones, of 10^9 elements and
more, are built from digits so that their answer is known without counting. A fault is

- a wrong result: the law of the operation does not hold, or there is no answer to give;
- a wrong refusal: a `TlaError` although an answer exists;
- a crash: any other exception, or no answer in time.

Each fault is shrunk and printed as a line that reproduces it, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import groupby, pairwise
from math import prod
from typing import Any, NamedTuple

from limited import OutOfTimeError, limited_time

import tla
from tla import ComposedLayout, Int, Layout, Swizzle, TlaError, UndecidedError, UnsupportedError
from tla.layouts.layout import AnyLayout
from tla.numbers import Basis
from tla.testing import (
    naive_complement,
    naive_composition,
    naive_covers,
    naive_extended,
    naive_is_complement,
    naive_is_injective,
    naive_is_left_inverse,
    naive_is_right_inverse,
    naive_offsets,
    naive_reach,
    naive_refines,
    naive_size,
)

# --- what is asked of an answer ----------------------------------------------------------------


class Expect(Enum):
    """Whether the truth demands an answer, a refusal, or allows both."""

    YES = "an answer exists"
    NO = "there is no answer"
    OPEN = "both are right"
    LATER = "an answer exists, and more facts may be needed for it"


Fault = Callable[[Any], str]
"""What is wrong with a result; empty where nothing is."""


def nothing(_result: AnyLayout) -> str:
    return ""


class Truth(NamedTuple):
    """What is known of a case: whether it has an answer, and what any answer must satisfy."""

    expect: Expect
    fault: Fault = nothing
    where: str = ""


NO = Truth(Expect.NO)
OPEN = Truth(Expect.OPEN)


def every(*faults: Fault) -> Fault:
    """The first fault that is found."""
    return lambda result: next((text for fault in faults if (text := fault(result))), "")


def has_table(table: list[int]) -> Fault:
    def fault(result: AnyLayout) -> str:
        got = naive_offsets(result)
        if len(got) != len(table):
            return f"its size is {len(got)} instead of {len(table)}"
        return next(
            (
                f"its offset at {i} is {x} instead of {y}"
                for i, (x, y) in enumerate(zip(got, table, strict=True))
                if x != y
            ),
            "",
        )

    return fault


def refines(shape: Any) -> Fault:
    return lambda result: (
        "" if naive_refines(result.shape, shape) else f"its shape does not refine {tla.to_text(shape)}"
    )


def holds(law: Callable[[AnyLayout], bool], text: str) -> Fault:
    return lambda result: "" if law(result) else text


# --- parts of layouts, and tables of offsets ------------------------------------------------------

Table = list[int]
Mode = tuple[int, int]


def leaves(layout: AnyLayout) -> list[Mode]:
    flat = zip(tla.flatten_to_tuple(layout.shape), tla.flatten_to_tuple(layout.stride), strict=True)
    return [(int(s), int(d)) for s, d in flat]


def modes(layout: AnyLayout) -> list[AnyLayout]:
    """The top-level modes; an int is one."""
    if not isinstance(layout.shape, tuple):
        return [layout]
    return [Layout(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)]


def moving(layout: AnyLayout) -> list[Mode]:
    """The leaves that reach more than one offset, by growing stride."""
    return sorted(((s, d) for s, d in leaves(layout) if s != 1 and d), key=lambda leaf: leaf[::-1])


def size(layout: AnyLayout) -> int:
    return naive_size(layout.shape)


def span(layout: AnyLayout) -> int:
    """From the least offset to the greatest."""
    return 1 + sum((s - 1) * abs(d) for s, d in leaves(layout)) if size(layout) else 0


def paired(a: AnyLayout, b: AnyLayout) -> AnyLayout:
    return Layout((a.shape, b.shape), (a.stride, b.stride))


def merged(flat: Iterable[Mode]) -> list[Mode]:
    """The fewest modes with the same function: no size 1, no neighbours that continue each other."""
    out: list[Mode] = []
    for s, d in flat:
        if s == 1:
            continue
        if out and d == out[-1][0] * out[-1][1]:
            out[-1] = (out[-1][0] * s, out[-1][1])
        else:
            out.append((s, d))
    return out


def outer_sum(tables: Iterable[Table]) -> Table:
    """All sums of an entry of each table, the first table fastest."""
    out = [0]
    for table in tables:
        out = [x + y for y in table for x in out]
    return out


def composed(a: AnyLayout, b: AnyLayout) -> Table | None:
    """The table of a composition; None where there is none to have."""
    try:
        return naive_composition(a, b)
    except (ValueError, IndexError):  # a negative offset of b; one where a has no offset
        return None


def tiler_layout(tiler: Any) -> AnyLayout:
    """An int n is n:1."""
    return tiler if tla.is_layout(tiler) else Layout(tiler, 1)


def kept(a: AnyLayout) -> Truth:
    return Truth(Expect.YES, has_table(naive_offsets(a)))


def by_mode(
    truth: Callable[[AnyLayout, Any], Truth], a: AnyLayout, profile: tuple[Any, ...], keep: bool
) -> Truth:
    """The truth of each mode with its part of a tuple; the modes past the tuple stay or go."""
    parts = modes(a)
    if len(profile) > len(parts):
        return NO
    truths = [truth(part, p) for part, p in zip(parts, profile, strict=False)]
    truths += map(kept, parts[len(profile) :] if keep else [])

    def fault(result: AnyLayout) -> str:
        got = modes(result)
        if not isinstance(result.shape, tuple) or len(got) != len(truths):
            return f"it does not have {len(truths)} modes"
        found = ((i, truth.fault(mode)) for i, (truth, mode) in enumerate(zip(truths, got, strict=True)))
        return next((f"mode {i}: {text}" for i, text in found if text), "")

    return Truth(all_expected(truth.expect for truth in truths), fault)


def all_expected(found: Iterable[Expect]) -> Expect:
    seen = set(found)
    return next((e for e in (Expect.NO, Expect.OPEN) if e in seen), Expect.YES)


# --- truths of the operations, by enumeration -----------------------------------------------------


def true_coalesce(a: AnyLayout, profile: Any = None) -> Truth:
    """The same function with the fewest modes; of each mode on its own where the profile has one."""
    if isinstance(profile, tuple):
        return by_mode(true_coalesce, a, profile, keep=True)

    def fewest(result: AnyLayout) -> str:
        shape = result.shape if isinstance(result.shape, tuple) else (result.shape,)
        if any(isinstance(s, tuple) for s in shape):
            return "it is nested"
        flat = leaves(result)
        if len(flat) > 1 and size(a) and len(merged(flat)) < len(flat):
            return "it has more modes than needed"
        return ""

    return Truth(Expect.YES, every(has_table(naive_offsets(a)), fewest))


def true_composition(a: AnyLayout, b: Any, extend: bool = True) -> Truth:
    """``c(i) == a.extended(b(i))`` and the shape refines that of b; by mode for a tuple."""
    if isinstance(b, tuple):
        return by_mode(partial(true_composition, extend=extend), a, b, keep=False)
    if b is None:
        return kept(a)
    b = tiler_layout(b)
    table = composed(a, b)
    inside = max(naive_offsets(b), default=0) < size(a)
    if table is None or not (extend or inside or not table):
        return NO
    where = "inside" if inside else "beyond the size of the left side"
    return Truth(Expect.YES, every(refines(b.shape), has_table(table)), where)


def true_complement(a: AnyLayout, cotarget: Any = None) -> Truth:
    """Grows, is disjoint from a, has one offset for each gap; fills [0, n) where strides divide.

    A cotarget of several modes is rounded in each of them, and how far that fills is convention.
    """
    n = span(Layout(tuple(s for s, _d in moving(a)), tuple(d for _s, d in moving(a))))
    n = n if cotarget is None else naive_size(cotarget)
    if size(a) and n <= 0:
        return OPEN
    gaps = naive_complement(a, n)
    if gaps is None:
        return NO
    chain = [1, *(x for s, d in moving(a) for x in (d, s * d))]
    divides = not isinstance(cotarget, tuple) and all(not y % x for x, y in pairwise(chain))
    return Truth(
        Expect.YES,
        every(
            holds(partial(naive_is_complement, a), "it does not grow, or is not disjoint"),
            holds(
                lambda c: isinstance(cotarget, tuple) or size(c) == size(gaps),
                f"its size is not {size(gaps)}, that of the gaps",
            ),
            holds(
                lambda c: not divides or naive_covers(a, c, max(n, chain[-1])),
                f"it leaves out an offset below {max(n, chain[-1])}",
            ),
        ),
    )


def true_right_inverse(a: AnyLayout) -> Truth:
    """``a(r(i)) == i``, as long as can be where no offset is reached twice but by broadcast."""
    if not size(a):
        return OPEN
    base = moving(a)
    maximal = all(d > 0 for _s, d in base) and naive_is_injective(
        Layout(tuple(s for s, _d in base), tuple(d for _s, d in base))
    )
    return Truth(
        Expect.YES,
        every(
            holds(partial(naive_is_right_inverse, a), "a(r(i)) is not i"),
            holds(
                lambda r: not maximal or size(r) == naive_reach(a),
                f"its size is not {naive_reach(a)}, the longest possible",
            ),
        ),
    )


def true_left_inverse(a: AnyLayout) -> Truth:
    """``l(a(i)) == i``; must exist where each stride divides the next and the modes do not overlap."""
    if not size(a):
        return OPEN
    base = moving(a)
    if any(d < 0 for _s, d in base):
        return NO
    fits = all(s * d <= step and not step % d for (s, d), (_extent, step) in pairwise(base))
    top = max(naive_offsets(a))
    injective = naive_is_injective(a)
    law = every(
        holds(
            lambda inverse: not injective or top < size(inverse), f"it ends before {top}, an offset of a"
        ),
        holds(
            partial(naive_is_left_inverse, a),
            "l(a(i)) is not i" if injective else "a(l(a(i))) is not a(i)",
        ),
    )
    return Truth(Expect.YES if fits else Expect.OPEN, law)


class Part(NamedTuple):
    """What a division or product makes of a mode.

    Attributes:
        tile, rest: The tables of the two halves.
        order: The tables in the order in which the logical form has them.
    """

    expect: Expect
    tile: Table
    rest: Table
    order: list[Table]


Split = Callable[[AnyLayout, Any], Part]

MOST = 3000  # entries of a table that is built; of longer ones, and of empty ones, less is checked


def no_part(expect: Expect) -> Part:
    return Part(expect, [], [], [])


def halves(split: Split, a: AnyLayout, tiler: Any) -> Part:
    """A split by mode at any depth: all tiles together, and all rests with the modes left alone."""
    if tiler is None:
        return Part(Expect.YES, [0], naive_offsets(a), [naive_offsets(a)])
    if not isinstance(tiler, tuple):
        return split(a, tiler)
    parts = [halves(split, mode, t) for mode, t in zip(modes(a), tiler, strict=False)]
    parts += [halves(split, mode, None) for mode in modes(a)[len(tiler) :]]
    expect = all_expected(part.expect for part in parts)
    if len(tiler) > len(modes(a)) or expect is Expect.NO:
        return no_part(Expect.NO)
    if not 0 < prod(len(part.tile) * len(part.rest) for part in parts) <= MOST:
        return no_part(Expect.OPEN)
    order = [table for part in parts for table in part.order]
    tile, rest = outer_sum(part.tile for part in parts), outer_sum(part.rest for part in parts)
    return Part(expect, tile, rest, order)


def divided(a: AnyLayout, tiler: Any, exact: bool) -> Part:
    """a composed with the tiler and its complement."""
    b = tiler_layout(tiler)
    if not size(a) or not size(b):
        return no_part(Expect.OPEN)
    gaps = naive_complement(b, size(a))
    table = None if gaps is None else composed(a, paired(b, gaps))
    if gaps is None or table is None:
        return no_part(Expect.NO)
    expect, indices = Expect.YES, sorted(naive_offsets(paired(b, gaps)))
    if exact and indices != list(range(size(a))):
        expect = Expect.NO  # the tiles pass the end, leave gaps or repeat coordinates
    tile, rest = table[: size(b)], table[:: size(b)]
    return Part(expect, tile, rest, [tile, rest])


def multiplied(a: AnyLayout, tiler: Any) -> Part:
    """a, and its complement composed with the tiler."""
    b = tiler_layout(tiler)
    if not size(a) or not size(b):
        return no_part(Expect.OPEN)
    gaps = naive_complement(a, size(a) * span(b))
    table = None if gaps is None else composed(gaps, b)
    if gaps is None or table is None:
        return no_part(Expect.NO)
    beyond = leaves(gaps)[-1][0] == 1 and max(naive_offsets(b)) >= size(gaps)
    block = naive_offsets(a)
    return Part(Expect.OPEN if beyond else Expect.YES, block, table, [block, table])


def arranged(groups: Sequence[Sequence[Table]], whole_rank: bool = True) -> Fault:
    """The table of the groups one after the other, each group a top-level mode.

    Args:
        whole_rank: False where the modes after the first group may be split further.
    """
    sizes = [prod(map(len, group)) for group in groups]

    def grouped(result: AnyLayout) -> str:
        got = [size(mode) for mode in modes(result)]
        if (got if whole_rank else got[:1]) == (sizes if whole_rank else sizes[:1]):
            return ""
        return f"its modes have sizes {got} instead of {sizes}"

    return every(has_table(outer_sum(table for group in groups for table in group)), grouped)


def true_split(split: Split, kind: str, a: AnyLayout, tiler: Any) -> Truth:
    """The parts of a division or product in the order that its kind gives them."""
    whole = halves(split, a, tiler)
    if whole.expect is Expect.NO or not whole.tile:
        return Truth(whole.expect)
    if tiler is None and kind == "logical":
        return kept(a)
    if not isinstance(tiler, tuple):
        if kind == "flat":
            return Truth(whole.expect, has_table(outer_sum([whole.tile, whole.rest])))
        return Truth(whole.expect, arranged([[whole.tile], [whole.rest]], kind != "tiled"))
    parts = [halves(split, mode, t) for mode, t in zip(modes(a), tiler, strict=False)]
    tiles, rests = [part.tile for part in parts], [part.rest for part in parts]
    past = [naive_offsets(mode) for mode in modes(a)[len(tiler) :]]
    groups: dict[str, list[list[Table]]] = {
        "logical": [*(part.order for part in parts), *([table] for table in past)],
        "zipped": [tiles, rests + past],
        "tiled": [tiles, *([table] for table in rests + past)],
        "flat": [[table] for table in tiles + rests + past],
    }
    return Truth(whole.expect, arranged(groups[kind]))


def true_divide(kind: str, a: AnyLayout, tiler: Any, exact: bool = False) -> Truth:
    truth = true_split(partial(divided, exact=exact), kind, a, tiler)
    if tiler is None or isinstance(tiler, tuple) or kind not in ("logical", "zipped"):
        return truth
    shape = tiler_layout(tiler).shape
    tile = holds(lambda r: naive_refines(modes(r)[0].shape, shape), "its tile does not refine the tiler")
    return truth._replace(fault=every(truth.fault, tile))


def true_product(kind: str, a: AnyLayout, tiler: Any) -> Truth:
    truth = true_split(multiplied, kind, a, tiler)
    if tiler is None or isinstance(tiler, tuple) or kind == "flat":
        return truth

    def block_stays(result: AnyLayout) -> str:
        block = modes(result)[0]
        return "" if (block.shape, block.stride) == (a.shape, a.stride) else "mode 0 is not the block"

    return truth._replace(fault=every(truth.fault, block_stays, stays_injective(a, tiler)))


def stays_injective(a: AnyLayout, tiler: Any) -> Fault:
    both = naive_is_injective(a) and naive_is_injective(tiler_layout(tiler))
    return holds(lambda r: not both or naive_is_injective(r), "it reaches an offset twice")


def true_blocked(raked: bool, a: AnyLayout, tiler: Any) -> Truth:
    """Mode k is the block's mode k, then the tiler's; the other way round if raked."""
    b = tiler_layout(tiler)
    part = multiplied(a, b)
    if part.expect is Expect.NO or not part.tile:
        return Truth(part.expect)
    tiles, rests, step = [naive_offsets(mode) for mode in modes(a)], [], 1
    for mode in modes(b):
        rests.append(part.rest[: step * size(mode) : step])
        step *= size(mode)
    rank = max(len(tiles), len(rests))
    for tables in (tiles, rests):
        tables.extend([[0]] * (rank - len(tables)))
    pairs = zip(rests, tiles, strict=True) if raked else zip(tiles, rests, strict=True)
    return Truth(part.expect, every(arranged([list(pair) for pair in pairs]), stays_injective(a, b)))


# --- truths of large cases, by construction --------------------------------------------------------


def at_random(law: Callable[[AnyLayout, int], str], n: int) -> Fault:
    """A law tried at the ends of range(n) and at some indices between, always the same ones."""
    rng = random.Random(n)
    indices = sorted({0, 1 % n, n - 1, *(rng.randrange(n) for _ in range(12))})
    return lambda result: next((text for i in indices if (text := law(result, i))), "")


def has_leaves(*expected: Sequence[Mode]) -> Fault:
    """The merged leaves of the top-level modes, or of the whole where one list is given."""

    def fault(result: AnyLayout) -> str:
        parts = modes(result) if len(expected) > 1 else [result]
        got = [merged(leaves(part)) for part in parts]
        want = [merged(flat) for flat in expected]
        return "" if got == want else f"its modes merge to {got} instead of {want}"

    return fault


def composes(a: AnyLayout, b: AnyLayout) -> Fault:
    def law(result: AnyLayout, i: int) -> str:
        got, want = naive_extended(result, i), naive_extended(a, naive_extended(b, i))
        return "" if got == want else f"its offset at {i} is {got} instead of {want}"

    return every(refines(b.shape), at_random(law, size(b)))


def known_composition(a: AnyLayout, b: AnyLayout, expected: list[Mode]) -> Truth:
    return Truth(Expect.YES, every(composes(a, b), has_leaves(expected)))


def known_existence(a: AnyLayout, b: AnyLayout, small: tuple[AnyLayout, AnyLayout]) -> Truth:
    """The composition exists where that of the small pair within does."""
    where = f"{small[0]} o {small[1]} within"
    if composed(*small) is None:
        return Truth(Expect.NO, where=where)
    return Truth(Expect.YES, composes(a, b), where)


def known_leaves(*args: Any) -> Truth:
    """The case ends with the merged leaves that the result has, one list for each mode."""
    return Truth(Expect.YES, has_leaves(*args[-1]))


def known_refusal(*args: Any) -> Truth:
    """The case ends with the reason why there is no answer."""
    return Truth(Expect.NO, where=args[-1])


def known_left_inverse(a: AnyLayout) -> Truth:
    def law(result: AnyLayout, i: int) -> str:
        back = naive_extended(result, naive_extended(a, i))
        return "" if back == i else f"l(a({i})) is {back}"

    top = naive_extended(a, size(a) - 1)
    long = holds(lambda inverse: top < size(inverse), f"it ends before {top}, an offset of a")
    return Truth(Expect.YES, every(long, at_random(law, size(a))))


# --- random layouts -------------------------------------------------------------------------------


class Case(NamedTuple):
    """The arguments of an operation, and what its truth is told beside them."""

    args: tuple[Any, ...]
    known: tuple[Any, ...] = ()


class Digit(NamedTuple):
    """A factor of a mode: its extent, its weight in the index, its step in the offset."""

    extent: int
    weight: int
    step: int


class Draw:
    """Random layouts of the kinds that break a layout algebra. One object draws one case."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.static = rng.choices([0.0, 0.5, 1.0], [6, 1, 3])[0]

    def odds(self, p: float) -> bool:
        return self.rng.random() < p

    def leaf(self, n: int) -> int:
        return Int(n) if self.odds(self.static) else n

    # --- shapes ---

    def extents(self, most: int, count: int | None = None, largest: int = 8) -> list[int]:
        """Some extents whose product is at most ``most``."""
        out: list[int] = []
        for _ in range(count or self.rng.choices([1, 2, 3, 4, 5], [3, 5, 5, 2, 1])[0]):
            room = most // max(1, prod(out))
            common = self.rng.choice([1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8])
            n = common if self.odds(0.8) else self.rng.randint(1, largest)
            out.append(min(n, room, largest))
        self.rng.shuffle(out)
        if self.odds(0.01):
            out[self.rng.randrange(len(out))] = 0
        return out

    def profile(self, n: int, room: int = 3, hollow: float = 0.0) -> Any:
        """The numbers 0 to n - 1 as a nested tuple, in this order, at some odds with empty tuples."""
        numbers = iter(range(n))

        def level(n: int, room: int) -> Any:
            if n == 1 and (not room or self.odds(0.8)):
                return next(numbers)
            if not room or n == 1 or self.odds(0.6):
                return tuple(next(numbers) for _ in range(n))
            parts, left = [], n
            while left:
                parts.append(self.rng.randint(1, min(left, 3)))
                left -= parts[-1]
            out = [level(part, room - 1) for part in parts]
            if self.odds(hollow):
                out.insert(self.rng.randrange(len(out) + 1), ())
            return tuple(out)

        return level(n, room)

    def dressed(self, flat: Sequence[Mode], odd: float = 0.0) -> AnyLayout:
        """The leaves in a random profile, static or not; at some odds with an origin, or a ``()``."""

        def filled(profile: Any, values: Sequence[int]) -> Any:
            if isinstance(profile, tuple):
                return tuple(filled(p, values) for p in profile)
            return self.leaf(values[profile])

        profile = self.profile(len(flat), hollow=odd)
        shape = filled(profile, [s for s, _d in flat])
        stride = filled(profile, [d for _s, d in flat])
        if not self.odds(odd):
            return Layout(shape, stride)
        sizes = [naive_size(s) for s in (shape if isinstance(shape, tuple) else (shape,))]
        origin = tuple(self.leaf(self.rng.randint(0, n)) for n in sizes)
        return Layout(shape, stride, origin if isinstance(shape, tuple) else origin[0])

    # --- strides ---

    def packed(self, extents: Sequence[int], gap: float = 0.0) -> list[int]:
        """Strides without overlap, the leaves in any order, with gaps at some odds."""
        out, step = [0] * len(extents), 1
        for i in self.rng.sample(range(len(extents)), len(extents)):
            step *= self.rng.randint(2, 4) if self.odds(gap) else 1
            step += self.rng.randint(1, 3) if self.odds(gap / 4) else 0
            out[i], step = step, step * max(1, extents[i])
        return out

    def strides(self, extents: Sequence[int]) -> list[int]:
        kind = self.rng.choices(["packed", "gapped", "products", "small", "wide"], [4, 4, 2, 3, 1])[0]
        if kind in ("packed", "gapped"):
            out = self.packed(extents, 0.4 if kind == "gapped" else 0.0)
        elif kind == "products":  # multiples and divisors of each other
            out = [prod(self.rng.choices([1, 1, 2, *extents], k=2)) for _ in extents]
        else:
            out = [self.rng.randint(0, 6 if kind == "small" else 30) for _ in extents]
        i = self.rng.randrange(len(out))
        if self.odds(0.12):
            out[i] = 0
        if self.odds(0.08):
            out[i] += self.rng.choice([-1, 1])
        if self.odds(0.03):
            out[i] = -out[i]
        return out

    # --- layouts ---

    def layout(self, most: int = 48) -> AnyLayout:
        if self.odds(0.1):
            return self.tiled()
        extents = self.extents(most)
        return self.dressed(list(zip(extents, self.strides(extents), strict=True)), odd=0.01)

    def tiled(self) -> AnyLayout:
        """Two modes, each of an inner and an outer extent, in one of the orders of a tile."""
        extents = [self.rng.choice([1, 2, 2, 3, 4]) for _ in range(4)]
        steps = [self.leaf(d) for d in self.packed(extents)]
        shape = [self.leaf(s) for s in extents]
        return Layout(
            ((shape[0], shape[1]), (shape[2], shape[3])), ((steps[0], steps[1]), (steps[2], steps[3]))
        )

    def tiny(self) -> AnyLayout:
        """Of the few layouts with small ints, where each pair comes up and carries cancel."""
        extents = self.extents(12, self.rng.randint(1, 3), largest=4)
        return self.dressed([(s, self.rng.randint(0, 6)) for s in extents])

    def narrow(self) -> AnyLayout:
        """Many modes of size 2 with strides near the powers of 2: long carries, some of which cancel."""
        count = self.rng.randint(2, 6)
        steps = [max(0, 2**i + self.rng.choice([-1, 0, 0, 0, 1])) for i in range(count)]
        self.rng.shuffle(steps)
        return self.dressed([(2, d) for d in steps])

    def digits(self, a: AnyLayout) -> list[Digit]:
        """The leaves of a layout, each split into a few factors."""
        out, weight = [], 1
        for extent, step in leaves(a):
            while extent > 1:
                factors = [f for f in range(2, extent + 1) if extent % f == 0]
                f = self.rng.choice(factors)
                out.append(Digit(f, weight, step))
                extent, weight, step = extent // f, weight * f, step * f
        return out

    def picking(self, a: AnyLayout, most: int = 24) -> AnyLayout:
        """A right side that steps along the digits of a, sometimes off by one."""
        digits, flat = self.digits(a) or [Digit(1, 1, 1)], list[Mode]()
        for _ in range(self.rng.choices([1, 2, 3], [3, 4, 2])[0]):
            i = self.rng.randrange(len(digits))
            run = digits[i : i + self.rng.choice([1, 1, 2, 3])]
            extent = prod(d.extent for d in run)
            extent *= self.rng.choice([2, 3]) if self.odds(0.1) else 1
            step = digits[i].weight * (self.rng.choice([2, 3, 5]) if self.odds(0.1) else 1)
            if prod(s for s, _d in flat) * extent <= most:
                flat.append((extent, step))
        if self.odds(0.3) or not flat:
            flat.append((self.rng.choice([1, 1, 2, 3]), self.rng.randint(0, 8)))
        if self.odds(0.25):
            i = self.rng.randrange(len(flat))
            s, d = flat[i]
            flat[i] = (max(1, s + self.rng.choice([-1, 1])), d) if self.odds(0.5) else (s, d + 1)
        return self.dressed(flat)

    def tiler(self, a: AnyLayout) -> Any:
        """A tiler of a layout: an int, a layout that follows its digits, or any."""
        kind = self.rng.choices(["int", "picking", "any"], [2, 4, 2])[0]
        if kind == "int":
            factors = [f for f in range(1, size(a) + 1) if size(a) % f == 0]
            return self.leaf(
                self.rng.choice(factors) if factors and self.odds(0.7) else self.rng.randint(1, 9)
            )
        return self.picking(a, 12) if kind == "picking" else self.layout(8)

    def mode_tiler(self, a: AnyLayout) -> tuple[Any, ...]:
        """A tiler for each of the first modes, now and then by mode again, or none."""
        parts = modes(a)
        out: list[Any] = []
        for part in parts[: self.rng.randint(1, max(1, len(parts)))]:
            if self.odds(0.08):
                out.append(None)
            elif isinstance(part.shape, tuple) and self.odds(0.3):
                out.append(self.mode_tiler(part))
            else:
                out.append(self.tiler(part))
        return tuple(out)

    # --- large ---

    def many_digits(self) -> list[int]:
        """Extents whose product is 10^9 to some 10^12."""
        out: list[int] = []
        while prod(out) < 10**9:
            out.append(self.rng.choice([2, 2, 2, 3, 3, 4, 5, 7, 8, 16, 30, 128, 1000]))
        return out

    def large(self, gap: float = 0.2) -> tuple[AnyLayout, list[Digit]]:
        """A large layout without overlap, and the digits of its index."""
        groups = self.cut(self.many_digits())
        extents = [prod(group) for group in groups]
        steps = self.packed(extents, gap if self.odds(0.5) else 0.0)
        digits, weight = [], 1
        for group, step in zip(groups, steps, strict=True):
            for f in group:
                digits.append(Digit(f, weight, step))
                weight, step = weight * f, step * f
        return self.dressed(list(zip(extents, steps, strict=True))), digits

    def cut(self, items: Sequence[Any]) -> list[list[Any]]:
        """Consecutive groups of one to three."""
        out, left = list[list[Any]](), list(items)
        while left:
            n = self.rng.randint(1, 3)
            out.append(left[:n])
            left = left[n:]
        return out

    def runs(self, digits: Sequence[Digit], most: int = 6) -> list[list[Digit]]:
        """Some runs of consecutive digits that share none, in any order."""
        groups = self.cut(digits)
        return self.rng.sample(groups, self.rng.randint(1, min(most, len(groups))))


# --- cases, small ---------------------------------------------------------------------------------


def some_layout(draw: Draw) -> Case:
    return Case((draw.layout(),))


def some_composition(draw: Draw) -> Case:
    kind = draw.rng.choices(["tiny", "narrow", "picking", "any"], [4, 1, 5, 1])[0]
    if kind == "tiny":
        return Case((draw.tiny(), draw.tiny()))
    if kind == "narrow":
        return Case((draw.narrow(), draw.narrow()))
    a = draw.layout(96)
    return Case((a, draw.picking(a) if kind == "picking" else draw.layout(16)))


def some_composition_by_mode(draw: Draw) -> Case:
    a = draw.layout()
    return Case((a, draw.mode_tiler(a) if draw.odds(0.8) else draw.tiler(a)))


def some_profile(draw: Draw) -> Case:
    def thinned(shape: Any) -> Any:
        if not isinstance(shape, tuple) or draw.odds(0.4):
            return draw.leaf(1)
        return tuple(thinned(s) for s in shape[: None if draw.odds(0.8) else 2])

    a = draw.layout()
    return Case((a, thinned(a.shape)))


def some_complement(draw: Draw) -> Case:
    a = draw.layout(32)
    if draw.odds(0.3):
        return Case((a,))
    if draw.odds(0.1):
        return Case((a, tuple(draw.leaf(draw.rng.randint(1, 8)) for _ in range(draw.rng.randint(1, 3)))))
    n = span(a) * draw.rng.randint(1, 3) if draw.odds(0.5) else draw.rng.randint(1, 100)
    return Case((a, draw.leaf(n)))


def some_divide(draw: Draw) -> Case:
    a = draw.layout(64)
    return Case((a, draw.mode_tiler(a) if draw.odds(0.4) else draw.tiler(a)))


def some_product(draw: Draw) -> Case:
    block = draw.layout(12)
    kind = draw.rng.choices(["int", "tiny", "any", "modes"], [1, 3, 5, 2])[0]
    if kind == "int":
        return Case((block, draw.leaf(draw.rng.randint(1, 6))))
    if kind == "modes":
        parts = modes(block)[: draw.rng.randint(1, 3)]
        return Case((block, tuple(None if draw.odds(0.1) else draw.tiny() for _part in parts)))
    return Case((block, draw.tiny() if kind == "tiny" else draw.layout(12)))


def some_blocks(draw: Draw) -> Case:
    return Case((draw.layout(12), draw.tiny() if draw.odds(0.5) else draw.layout(12)))


# --- cases, large ---------------------------------------------------------------------------------


def leaf_of(run: Sequence[Digit]) -> Mode:
    """The leaf of a right side that steps through a run of digits."""
    return prod(d.extent for d in run), run[0].weight


def steps_of(runs: Iterable[Sequence[Digit]]) -> list[Mode]:
    return [(d.extent, d.step) for run in runs for d in run]


def large_composition(draw: Draw) -> Case:
    """Each leaf of b is a run of digits of a, the last of them cut short or, at the top, grown.

    Two leaves may share a digit where their sum stays in it.
    """
    a, digits = draw.large()
    runs = draw.runs(digits)
    for run in list(runs):
        last = run[-1]
        if last == digits[-1] and draw.odds(0.3):
            run[-1] = last._replace(extent=last.extent * draw.rng.randint(2, 5))
        elif last.extent >= 4 and draw.odds(0.3):
            run[-1] = last._replace(extent=last.extent // 2)
            runs.insert(draw.rng.randrange(len(runs)), [run[-1]])
        elif draw.odds(0.3):
            run[-1] = last._replace(extent=draw.rng.randint(1, last.extent))
    b = draw.dressed([leaf_of(run) for run in runs])
    return Case((a, b), (steps_of(runs),))


def large_carry(draw: Draw) -> Case:
    """Two leaves of b step along one digit of a, and their sum leaves its mode."""
    while True:
        a, digits = draw.large()
        i = draw.rng.randrange(len(digits))
        digit = digits[i]
        first = digits[max(0, i - draw.rng.randint(0, 2)) : i + 1]
        low = digit.weight * (digit.extent - 1)
        got = naive_extended(a, low + digit.weight)
        if got == digit.step * digit.extent:
            continue  # the next digit goes on where this one ends
        more = [run for run in draw.runs(digits, 3) if not {*run} & {*first}]
        flat = [leaf_of(first), (draw.rng.randint(2, 4), digit.weight), *map(leaf_of, more)]
        draw.rng.shuffle(flat)
        why = f"a({low + digit.weight}) = {got} is not a({low}) + a({digit.weight})"
        return Case((a, draw.dressed(flat)), (why,))


def large_uneven(draw: Draw) -> Case:
    """A leaf of b has a prime extent, so its digits cannot end where those of a do."""
    while True:
        a, digits = draw.large()
        digit = draw.rng.choice(digits)
        prime = next(
            p for p in range(digit.extent + 1, 2 * digit.extent + 2) if all(p % f for f in range(2, p))
        )
        got = naive_extended(a, digit.weight * digit.extent)
        if got == digit.step * digit.extent:
            continue
        why = f"a({digit.weight * digit.extent}) = {got} is not {digit.extent} * a({digit.weight})"
        return Case((a, draw.dressed([(prime, digit.weight)])), (why,))


def large_embedded(draw: Draw) -> Case:
    """A small pair scaled up, between two large modes: b steps through those without a carry."""
    while True:
        a, b = (draw.narrow(), draw.narrow()) if draw.odds(0.3) else (draw.tiny(), draw.tiny())
        if size(a) and size(b) and 0 <= max(naive_offsets(b)) < size(a):
            break
    low, high = (prod(draw.many_digits()[:4]) for _ in range(2))
    scale, first, last = (draw.rng.randint(1, 10**6) for _ in range(3))
    factor = draw.rng.choice([f for f in range(1, 20) if low % f == 0])
    flat = [(low // factor, factor), *((s, d * low) for s, d in leaves(b)), (high, low * size(a))]
    draw.rng.shuffle(flat)
    outer = draw.dressed([(low, first), *((s, d * scale) for s, d in leaves(a)), (high, last)])
    return Case((outer, draw.dressed(flat)), ((a, b),))


def large_coalesce(draw: Draw) -> Case:
    _a, digits = draw.large()
    flat = steps_of([digits])
    return Case((draw.dressed(flat),), ([flat],))


def large_complement(draw: Draw) -> Case:
    """The digits of [0, n) that the layout leaves out."""
    digits = radix(draw.many_digits())
    runs = draw.runs(digits)
    top = max(d.weight * d.extent for run in runs for d in run)
    total = digits[-1].weight * digits[-1].extent
    a = draw.dressed([leaf_of(run) for run in runs])
    n = draw.rng.choice([total, total * 3, draw.rng.randint(1, total), None])
    room = -(-(span(a) if n is None else n) // top)
    rest = [(d.extent, d.weight) for d in others(digits, runs) if d.weight < top]
    return Case((a,) if n is None else (a, draw.leaf(n)), ([[*rest, (room, top)]],))


def radix(extents: Sequence[int]) -> list[Digit]:
    """The digits of a compact layout, the first fastest."""
    return [Digit(n, prod(extents[:i]), prod(extents[:i])) for i, n in enumerate(extents)]


def others(digits: Sequence[Digit], runs: Sequence[Sequence[Digit]]) -> list[Digit]:
    used = {d for run in runs for d in run}
    return [d for d in digits if d not in used]


def large_overlap(draw: Draw) -> Case:
    """One mode steps through part of another."""
    runs = draw.runs(radix(draw.many_digits()), 3)
    inner = draw.rng.choice([d for run in runs for d in run])
    other = (2, inner.weight * draw.rng.randint(1, inner.extent - 1))
    flat = [*map(leaf_of, runs), other]
    draw.rng.shuffle(flat)
    return Case((draw.dressed(flat), 10**12), (f"the mode 2:{other[1]} overlaps",))


def large_right_inverse(draw: Draw) -> Case:
    """By growing stride, as far as each mode begins where the last one ended."""
    a, _digits = draw.large(0.1)
    weights = [prod(s for s, _d in leaves(a)[:i]) for i in range(len(leaves(a)))]
    out, reach = list[Mode](), 1
    for (extent, step), weight in sorted(zip(leaves(a), weights, strict=True), key=lambda x: x[0][1]):
        if step == reach:
            out.append((extent, weight))
            reach *= extent
    return Case((a,), ([out],))


def large_left_inverse(draw: Draw) -> Case:
    """The modes are runs of digits of a compact layout, so each stride divides the next."""
    runs = draw.runs(radix(draw.many_digits()))
    return Case((draw.dressed([leaf_of(run) for run in runs]),))


def large_divide(draw: Draw) -> Case:
    """The tile takes some digits of the index, the rest keeps the others."""
    a, digits = draw.large()
    runs = draw.runs(digits, 3)
    b = draw.dressed([leaf_of(run) for run in runs])
    return Case((a, b), ([steps_of(runs), steps_of([others(digits, runs)])],))


def large_tile(draw: Draw) -> Case:
    """A matrix cut into rectangles."""
    tile = [draw.rng.choice([16, 48, 100, 128]) for _ in range(2)]
    count = [draw.rng.randint(1000, 9999) for _ in range(2)]
    steps = draw.packed([n * t for n, t in zip(count, tile, strict=True)])
    inner = list(zip(tile, steps, strict=True))
    outer = [(n, t * d) for n, (t, d) in zip(count, inner, strict=True)]
    shape = tuple(draw.leaf(n * t) for n, t in zip(count, tile, strict=True))
    a = Layout(shape, tuple(map(draw.leaf, steps)))
    return Case((a, tuple(map(draw.leaf, tile))), ([inner, outer],))


def large_product(draw: Draw) -> Case:
    """The block takes some digits of the offset, the tiler some of those left."""
    digits = radix(draw.many_digits())
    runs = draw.runs(digits, 3)
    left = others(digits, runs)
    free = [
        Digit(d.extent, weight.weight, d.weight)
        for d, weight in zip(left, radix([d.extent for d in left]), strict=True)
    ]
    picked = draw.runs(free, 3) if free else [[Digit(1, 1, 1)]]
    block = draw.dressed([leaf_of(run) for run in runs])
    tiler = draw.dressed([leaf_of(run) for run in picked])
    return Case((block, tiler), ([leaves(block), steps_of(picked)],))


# --- the operations -------------------------------------------------------------------------------


class Operation(NamedTuple):
    """What to draw, what to call with it, and what is true of the answer.

    Attributes:
        calls: The name of a function of `tla`, or Python that gives one.
        answers: Whether a result is of the right kind.
    """

    calls: str
    draw: Callable[[Any], Case]
    truth: Callable[..., Truth]
    weight: int = 2
    options: tuple[tuple[str, Any], ...] = ()
    seconds: float = 10.0
    answers: Callable[[Any], bool] = tla.is_layout

    def function(self, algebra: Any) -> Any:
        """What it calls; None where the algebra lacks it."""
        if self.calls.isidentifier():
            return getattr(algebra, self.calls, None)
        return eval(self.calls, {"tla": algebra})


def large(calls: str, draw: Callable[[Draw], Case], truth: Callable[..., Truth]) -> Operation:
    return Operation(calls, draw, truth, weight=1, seconds=1.0)


OPS: dict[str, Operation] = {
    "coalesce": Operation("coalesce", some_layout, true_coalesce),
    "coalesce by mode": Operation("coalesce", some_profile, true_coalesce),
    "composition": Operation("composition", some_composition, true_composition, 20),
    "composition inside": Operation(
        "composition", some_composition, partial(true_composition, extend=False), 4, (("extend", False),)
    ),
    "composition by mode": Operation("composition", some_composition_by_mode, true_composition, 4),
    "complement": Operation("complement", some_complement, true_complement, 6),
    "right_inverse": Operation("right_inverse", some_layout, true_right_inverse, 3),
    "left_inverse": Operation("left_inverse", some_layout, true_left_inverse, 4),
    **{
        f"{kind}_divide": Operation(f"{kind}_divide", some_divide, partial(true_divide, kind), 4)
        for kind in ("logical", "zipped", "tiled", "flat")
    },
    "logical_divide exact": Operation(
        "logical_divide",
        some_divide,
        partial(true_divide, "logical", exact=True),
        3,
        (("exact", True),),
    ),
    **{
        f"{kind}_product": Operation(f"{kind}_product", some_product, partial(true_product, kind))
        for kind in ("logical", "zipped", "tiled", "flat")
    },
    "blocked_product": Operation("blocked_product", some_blocks, partial(true_blocked, False), 3),
    "raked_product": Operation("raked_product", some_blocks, partial(true_blocked, True), 3),
    "large coalesce": large("coalesce", large_coalesce, known_leaves),
    "large composition": large("composition", large_composition, known_composition),
    "large embedded": large("composition", large_embedded, known_existence),
    "large carry": large("composition", large_carry, known_refusal),
    "large uneven": large("composition", large_uneven, known_refusal),
    "large complement": large("complement", large_complement, known_leaves),
    "large overlap": large("complement", large_overlap, known_refusal),
    "large right_inverse": large("right_inverse", large_right_inverse, known_leaves),
    "large left_inverse": large("left_inverse", large_left_inverse, known_left_inverse),
    "large logical_divide": large("logical_divide", large_divide, known_leaves),
    "large zipped_divide": large("zipped_divide", large_tile, known_leaves),
    "large logical_product": large("logical_product", large_product, known_leaves),
}


# --- the verdict on a case ------------------------------------------------------------------------


class Outcome(Enum):
    ACCEPTED = "accepted"
    REFUSED = "rightly refused"
    UNDECIDED = "undecided"
    WRONG = "wrong result"
    WRONG_REFUSAL = "wrong refusal"
    CRASH = "crash"


FAULTS = (Outcome.WRONG, Outcome.WRONG_REFUSAL, Outcome.CRASH)


class Verdict(NamedTuple):
    outcome: Outcome
    note: str = ""


def judge(op: Operation, case: Case, algebra: Any = tla) -> Verdict:
    """Call the operation and compare what it does with the truth."""
    truth = op.truth(*case.args, *case.known)
    try:
        with limited_time(op.seconds):
            result = op.function(algebra)(*case.args, **dict(op.options))
    except TlaError as error:
        text = f"{type(error).__name__}: {error.summary}"
        if truth.expect is Expect.NO and not isinstance(error, UndecidedError):
            return Verdict(Outcome.REFUSED)
        if truth.expect is Expect.OPEN or (
            truth.expect is Expect.LATER and isinstance(error, UndecidedError | UnsupportedError)
        ):
            return Verdict(Outcome.UNDECIDED)
        return Verdict(Outcome.WRONG_REFUSAL, "; ".join(filter(None, [text, truth.where])))
    except (Exception, OutOfTimeError) as error:
        return Verdict(Outcome.CRASH, f"{type(error).__name__}: {error}")
    if not op.answers(result):
        return Verdict(Outcome.WRONG, f"{result!r} is no layout")
    fault = fault_of(result, case.args, truth)
    return Verdict(Outcome.WRONG, f"{result}: {fault}") if fault else Verdict(Outcome.ACCEPTED)


def fault_of(result: AnyLayout, args: tuple[Any, ...], truth: Truth) -> str:
    if truth.expect is Expect.NO:
        return "; ".join(filter(None, ["there is no answer", truth.where]))
    if tla.is_static(to_leaves(args)) and not getattr(result, "is_static", True):
        return "it is not static although all arguments are"
    try:
        return truth.fault(result)
    except IndexError as error:  # the result leads where a layout has no offset
        return str(error)


def to_leaves(x: Any) -> Any:
    """Arguments as one int tuple."""
    if tla.is_layout(x):
        return (x.shape, x.stride)
    if isinstance(x, ComposedLayout):
        return (to_leaves(x.outer), x.offset, to_leaves(x.inner))
    if isinstance(x, tuple):
        return tuple(map(to_leaves, x))
    return x if isinstance(x, int | tla.SymbolicInt | Basis) else ()


# --- the smallest case of a fault -----------------------------------------------------------------


def text_of(x: Any) -> str:
    """A value as Python that makes it again."""
    if tla.is_layout(x):
        return f'parse("{x}")'
    if isinstance(x, tuple):
        return f"({', '.join(map(text_of, x))}{',' * (len(x) == 1)})"
    if isinstance(x, ComposedLayout):
        return f'parse("{x}")'
    return f"Int({int(x)})" if isinstance(x, Int) else "_" if x is tla._ else repr(x)


def line_of(op: Operation, case: Case) -> str:
    """The call as Python, after ``import tla; from tla import *``."""
    options = [f"{name}={value!r}" for name, value in op.options]
    return f"{op.calls}({', '.join([*map(text_of, case.args), *options])})"


def smaller(x: Any) -> Iterator[Any]:
    """Values a little simpler than x, the simplest first."""
    if tla.is_layout(x):
        yield from smaller_layouts(x)
    elif isinstance(x, ComposedLayout):
        parts: list[Any] = [x.outer, x.offset, x.inner]
        yield from (part for part in (x.inner, x.outer) if not isinstance(part, Swizzle))
        for i in range(3):
            for less in smaller(parts[i]):
                now = [*parts[:i], less, *parts[i + 1 :]]
                yield ComposedLayout(now[0], now[1], now[2])
    elif isinstance(x, Swizzle):
        numbers = [int(n) for n in (x.bits, x.base, x.shift)]
        moved = [
            (*numbers[:i], less, *numbers[i + 1 :])
            for i in range(3)
            for less in smaller_ints(numbers[i])
        ]
        yield from (Swizzle(*n) for n in moved if min(n[:2]) >= 0 and abs(n[2]) >= n[0])
    elif isinstance(x, tuple):
        if len(x) > 1:
            yield from (x[:i] + x[i + 1 :] for i in range(len(x)))
        yield from ((*x[:i], y, *x[i + 1 :]) for i in range(len(x)) for y in smaller(x[i]))
    elif isinstance(x, int):
        yield from smaller_ints(x)


def smaller_ints(n: int) -> Iterator[int]:
    kind = type(n)
    yield from dict.fromkeys(kind(i) for i in (0, 1, int(n) // 2, int(n) - 1) if abs(i) < abs(n))
    if n < 0:
        yield kind(-int(n))
    if kind is Int:
        yield int(n)


def smaller_layouts(x: AnyLayout) -> Iterator[AnyLayout]:
    flat = list(zip(tla.flatten_to_tuple(x.shape), tla.flatten_to_tuple(x.stride), strict=True))
    shape, stride = tuple(s for s, _d in flat), tuple(d for _s, d in flat)
    if x.origin_shape != Layout(x.shape, x.stride).origin_shape:
        yield Layout(x.shape, x.stride)
    if len(flat) == 1 and isinstance(x.shape, tuple):
        yield Layout(*flat[0])
    if len(flat) > 1:
        yield from (
            Layout(shape[:i] + shape[i + 1 :], stride[:i] + stride[i + 1 :]) for i in range(len(flat))
        )
        if any(isinstance(s, tuple) for s in x.shape):
            yield Layout(shape, stride)
    parts = (shape, stride)
    if any(isinstance(n, Int) for n in shape + stride):
        plain = [tuple(int(n) if isinstance(n, Int) else n for n in part) for part in parts]
        yield Layout(*(tla.unflatten(part, x.shape) for part in plain))
    for which in (0, 1):
        for i, n in enumerate(parts[which]):
            for less in smaller(n):
                if which == 1 or less > 0:
                    changed = list(parts)
                    changed[which] = (*parts[which][:i], less, *parts[which][i + 1 :])
                    yield Layout(*(tla.unflatten(part, x.shape) for part in changed))


def shrunk(op: Operation, case: Case, algebra: Any, tries: int = 2000) -> Case:
    """A case with the same outcome that no single step makes simpler."""
    if case.known or judge(op, case, algebra).note.startswith(OutOfTimeError.__name__):
        return case
    outcome = judge(op, case, algebra).outcome

    def is_alike(args: tuple[Any, ...]) -> bool:
        try:
            return len(args) == len(case.args) and judge(op, Case(args), algebra).outcome is outcome
        except (IndexError, ValueError, TypeError):  # it is no case
            return False

    smaller_args = smaller(case.args)
    for _ in range(tries):
        args = next(smaller_args, None)
        if args is None:
            break
        if is_alike(args):
            case = Case(args)
            smaller_args = smaller(args)
    return case


# --- the run --------------------------------------------------------------------------------------


class Found(NamedTuple):
    """A fault: the operation, the outcome, and the line that shows it."""

    name: str
    outcome: Outcome
    line: str
    note: str

    def __str__(self) -> str:
        return f"{self.outcome.value}: {self.line}\n    {self.note}"


class Report(NamedTuple):
    seed: int
    seconds: float
    counts: dict[str, Counter[Outcome]]
    found: list[Found]
    missing: list[str]

    @property
    def cases(self) -> int:
        return sum(sum(count.values()) for count in self.counts.values())

    @property
    def is_clean(self) -> bool:
        return not self.missing and not any(count[f] for count in self.counts.values() for f in FAULTS)

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("operation", "cases", *(outcome.value for outcome in Outcome))]
        for name, count in self.counts.items():
            numbers = [sum(count.values()), *(count[outcome] for outcome in Outcome)]
            rows.append((name, *(str(n or ".") for n in numbers)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join(
                [
                    row[0].ljust(widths[0]),
                    *(x.rjust(w) for x, w in zip(row[1:], widths[1:], strict=True)),
                ]
            )
            for row in rows
        ]
        faults = ["", "Each line runs after `import tla; from tla import *`.", *map(str, self.found)]
        return "\n".join(
            [
                f"seed {self.seed}: {self.cases} cases in {self.seconds:.1f} s",
                *table,
                *(f"missing: tla.{name}" for name in self.missing),
                *(faults if self.found else []),
            ]
        )


SHRUNK, SHOWN = 12, 4  # faults of one kind that are shrunk, and of these shown; all are counted


def run(
    count: int | None,
    seed: int,
    names: Sequence[str] = (),
    minutes: float | None = None,
    algebra: Any = tla,
    progress: bool = False,
    table: dict[str, Operation] = OPS,
    drawing: Callable[[random.Random], Any] = Draw,
) -> Report:
    """Judge random cases of the operations of a table, all or those named, so many or so long."""
    start = shown = time.monotonic()
    rng = random.Random(seed)
    named = {name: table[name] for name in names or table}
    ops = {name: op for name, op in named.items() if op.function(algebra) is not None}
    missing = sorted({op.calls for name, op in named.items() if name not in ops})
    counts = {name: Counter[Outcome]() for name in ops}
    found: dict[str, Found] = {}
    done, turns, weights = 0, list(ops), [op.weight for op in ops.values()]
    while turns and (count is None or done < count):
        now = time.monotonic()
        if minutes is not None and now - start > minutes * 60:
            break
        if progress and now - shown > 1:
            shown = now
            faults = sum(c[f] for c in counts.values() for f in FAULTS)
            print(f"\r{done} cases, {faults} faults, {now - start:.0f} s ", end="", file=sys.stderr)
        name = rng.choices(turns, weights)[0]
        case = ops[name].draw(drawing(rng))
        outcome = judge(ops[name], case, algebra).outcome
        counts[name][outcome] += 1
        done += 1
        if outcome in FAULTS and counts[name][outcome] <= SHRUNK:
            case = shrunk(ops[name], case, algebra)
            line = line_of(ops[name], case)
            found[line] = Found(name, outcome, line, judge(ops[name], case, algebra).note)
    if progress:
        print("\r\033[K", end="", file=sys.stderr)
    kinds = groupby(
        sorted(found.values(), key=lambda f: (f.name, f.outcome.value, len(f.line), f.line)),
        key=lambda f: f[:2],
    )
    smallest = [f for _kind, faults in kinds for f in list(faults)[:SHOWN]]
    return Report(seed, time.monotonic() - start, counts, smallest, missing)


def main(
    argv: Sequence[str] | None = None,
    table: dict[str, Operation] = OPS,
    drawing: Callable[[random.Random], Any] = Draw,
    what: str = "the layout algebra",
) -> int:
    parser = argparse.ArgumentParser(
        description=f"Fuzz {what} against naive brute force.",
        epilog="operations: " + ", ".join(table),
    )
    parser.add_argument(
        "--count", type=int, help="how many cases (default 200000, or no end with --minutes)"
    )
    parser.add_argument("--seed", type=int, help="the seed of the random cases (default: a new one)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument(
        "--only",
        action="append",
        metavar="OPERATION",
        help="only the operations whose name contains this; may be repeated",
    )
    args = parser.parse_args(argv)
    names = [name for name in table if not args.only or any(only in name for only in args.only)]
    if not names:
        parser.error(f"no operation is called {' or '.join(args.only)}; there are {', '.join(table)}")
    count = 200_000 if args.count is None and args.minutes is None else args.count
    seed = random.randrange(2**32) if args.seed is None else args.seed
    report = run(
        count, seed, names, args.minutes, progress=sys.stderr.isatty(), table=table, drawing=drawing
    )
    print(report)
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
