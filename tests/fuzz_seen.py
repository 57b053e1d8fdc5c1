"""Fuzz of layouts behind swizzles and of layouts of coordinates, each answer against naive evaluation.

Run: python tests/fuzz_seen.py [--count 100000] [--seed N] [--minutes M] [--only OPERATION]

The cases, the verdicts and the report are those of `fuzz`. A layout behind functions is evaluated bit by
bit; coordinates are weighed as ints so far apart that no two sums of few of them are equal.
"""

from __future__ import annotations

import sys
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import fuzz
from fuzz import (
    NO,
    OPEN,
    Case,
    Draw,
    Expect,
    Fault,
    Operation,
    Truth,
    every,
    halves,
    modes,
    true_blocked,
    true_coalesce,
    true_composition,
    true_divide,
    true_product,
)

import tla
from tla import ComposedLayout, E, Layout, Swizzle, TlaError, _
from tla.numbers import Basis
from tla.testing import (
    naive_complement,
    naive_coords,
    naive_extended,
    naive_is_injective,
    naive_offset,
    naive_offsets,
    naive_reach,
    naive_size,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# --- values, from the definitions ------------------------------------------------------------------

PATHS = ((0,), (1, 0), (1, 1), (2,))
"""The modes of the coordinates that are drawn."""


def leaf_paths(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """The ints of a coordinate, each with its place."""
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from leaf_paths(part, (*path, i))
    else:
        yield path, int(value)


def weight_of(path: tuple[int, ...]) -> int:
    """What one step along a mode is worth: sums of few steps are far apart. A mode is its first part."""
    i, j = (*path, 0)[:2]
    return (1_009 + 10 * i + j) << 20 * (4 * i + j)


def weighed(x: Any) -> Any:
    """A coordinate as an int, a layout of coordinates as one of ints; others as they are."""
    if isinstance(x, Basis):
        return sum(int(n) * weight_of(path) for path, n in x.terms.items())
    if isinstance(x, tuple):
        return sum(n * weight_of(path) for path, n in leaf_paths(x) if n)
    if tla.is_layout(x) and gives_coordinates(x):
        return Layout(x.shape, mapped(weighed, x.stride))
    return x


def mapped(f: Callable[[Any], Any], x: Any) -> Any:
    return tuple(mapped(f, part) for part in x) if isinstance(x, tuple) else f(x)


def gives_coordinates(x: Any) -> bool:
    return tla.is_layout(x) and any(isinstance(d, Basis) for d in tla.flatten_to_tuple(x.stride))


def moved(outer: Any, at: int) -> int:
    """Where a swizzle or a layout leads an offset."""
    if not isinstance(outer, Swizzle):
        return naive_extended(weighed(outer), at)
    if at < 0:
        raise IndexError(f"{outer} has no value at {at}")
    bits, base, shift = int(outer.bits), int(outer.base), int(outer.shift)
    for bit in range(bits):
        if at >> (base + max(0, shift) + bit) & 1:
            at ^= 1 << base + max(0, -shift) + bit  # the bits read are none of those written
    return at


def naive(x: Any, index: int, grown: bool = False) -> int:
    """The value of any layout at an index."""
    if isinstance(x, ComposedLayout):
        return moved(x.outer, int(x.offset) + naive(x.inner, index, grown))
    if isinstance(x, Swizzle):
        return moved(x, index)
    plain = weighed(x)
    if grown:
        return naive_extended(plain, index)
    if not 0 <= index < naive_size(plain.shape):
        raise IndexError(f"{index} is no index of {x}")
    return sum(c * d for c, (_s, d) in zip(_digits(index, plain.shape), fuzz.leaves(plain), strict=True))


def table(x: Any) -> list[int]:
    """The values at all indices: those of a plain layout, led on by the functions outside."""
    if isinstance(x, ComposedLayout):
        return [moved(x.outer, int(x.offset) + at) for at in table(x.inner)]
    return fuzz.outer_sum([i * d for i in range(s)] for s, d in fuzz.leaves(weighed(x)))


def index_of(coord: Any, shape: Any) -> int:
    """The number of a coordinate in the list of all."""
    if isinstance(coord, tuple):
        if not isinstance(shape, tuple) or len(coord) != len(shape):
            raise IndexError(f"{coord} is of another profile")
        index, below = 0, 1
        for c, s in zip(coord, shape, strict=True):
            index, below = index + below * index_of(c, s), below * naive_size(s)
        return index
    if not 0 <= coord < naive_size(shape):
        raise IndexError(f"{coord} lies outside")
    return int(coord)


def inmost(x: Any) -> Any:
    """The plain layout behind all functions, of ints."""
    while isinstance(x, ComposedLayout):
        x = x.inner
    return weighed(x)


def outside(x: Any) -> list[tuple[Any, int]]:
    """The functions that a layout is seen through, each with its offset."""
    return [(x.outer, int(x.offset)), *outside(x.inner)] if isinstance(x, ComposedLayout) else []


# --- what is asked of an answer --------------------------------------------------------------------


def anything(_result: object) -> bool:
    return True


def is_function(x: object) -> bool:
    return tla.is_layout(x) or isinstance(x, ComposedLayout | Swizzle)


def is_value(wanted: Any) -> Fault:
    return lambda result: "" if result == wanted else f"it is {result!r} instead of {wanted!r}"


def yes(wanted: Any) -> Truth:
    return Truth(Expect.YES, is_value(wanted))


def gives(wanted: list[int]) -> Fault:
    """Of a layout, a pair of a layout and an offset, or a tensor: these values."""

    def fault(result: Any) -> str:
        offset = 0
        if isinstance(result, tuple):
            result, offset = result[0], weighed(result[1])
        if isinstance(result, tla.Tensor):
            got = [weighed(result(i)) for i in range(naive_size(result.shape))]
        else:
            got = [offset + x for x in table(result)]
        return "" if got == wanted else f"its values are {got[:20]} instead of {wanted[:20]}"

    return fault


def has_shape(shape: Any) -> Fault:
    return lambda r: "" if r.shape == shape else f"its shape is {r.shape} instead of {shape}"


def behind(truth: Callable[..., Truth]) -> Callable[..., Truth]:
    """The same truth of what lies behind functions; they stay."""

    def of_seen(x: Any, *rest: Any) -> Truth:
        found = truth(inmost(x), *rest)

        def fault(result: Any) -> str:
            if outside(result) != outside(x):
                return "it stands behind another function"
            return found.fault(inmost(result))

        return found._replace(fault=fault)

    return of_seen


def only_ints(truth: Callable[..., Truth]) -> Callable[..., Truth]:
    """Of coordinates, which have no order, there is no answer."""
    return lambda x, *rest: no_order(x) if gives_coordinates(x) else truth(x, *rest)


def no_order(x: Any) -> Truth:
    """Coordinates have none; a layout of one value needs none."""
    return NO if any(d for s, d in fuzz.leaves(weighed(x)) if s != 1) else OPEN


# --- random layouts --------------------------------------------------------------------------------


class Seen(Draw):
    """Layouts behind functions, and layouts of coordinates."""

    def swizzle(self) -> Swizzle:
        bits = self.rng.randint(0, 3)
        shift = self.rng.randint(bits, 4)
        return Swizzle(bits, self.rng.randint(0, 3), self.rng.choice([shift, shift, -shift]))

    def small(self) -> Any:
        """A layout of few offsets, none of them negative."""
        extents = self.extents(24)
        kind = self.odds(0.5)
        return self.dressed(
            list(
                zip(
                    extents,
                    self.packed(extents) if kind else [self.rng.randint(0, 9) for _n in extents],
                    strict=True,
                )
            )
        )

    def outer(self) -> Any:
        return self.small() if self.odds(0.12) else self.swizzle()

    def of_bits(self) -> Any:
        """Extents and strides that are powers of 2."""
        extents = [self.rng.choice([1, 2, 2, 4, 4, 8]) for _i in range(self.rng.randint(1, 4))]
        kind = self.rng.random()
        strides = (
            self.packed(extents)
            if kind < 0.6
            else [self.rng.choice([0, 1, 2, 4, 8, 16]) for _n in extents]
        )
        return self.dressed(list(zip(extents, strides, strict=True)))

    def plain(self, most: int = 48) -> Any:
        return self.of_bits() if self.odds(0.5) else self.layout(most)

    def seen(self, most: int = 48) -> ComposedLayout:
        """Behind one function, at times behind two; defined at every coordinate."""
        while True:
            x: Any = self.plain(most)
            try:
                for _i in range(1 + self.odds(0.2)):
                    least = min(table(x), default=0)
                    offset = self.leaf(max(-least, self.rng.choice([0, 0, 0, 1, 4, 8, 13, 64])))
                    x = ComposedLayout(self.outer(), offset, x)
                table(x)
            except IndexError:
                continue
            seen: ComposedLayout = x
            return seen

    def coordinates(self, most: int = 48) -> Any:
        """Each stride counts along some modes of a coordinate."""
        extents = self.extents(most)
        if self.odds(0.3):
            return tla.make_identity_layout(
                tuple(self.extents(8)) if self.odds(0.5) else (*extents[:1], tuple(self.extents(4, 2)))
            )
        strides: list[Any] = []
        if self.odds(0.5):
            strides = [self.leaf(d) * E(*self.rng.choice(PATHS)) for d in self.packed(extents)]
        else:
            for _n in extents:
                paths = self.rng.sample(PATHS, self.rng.choice([0, 1, 1, 1, 2]))
                strides.append(sum([self.rng.randint(-1, 4) * E(*path) for path in paths], 0))
        if not any(isinstance(d, Basis) for d in strides):
            strides[0] = E(0)
        profile = self.profile(len(extents))

        def filled(part: Any, values: Sequence[Any]) -> Any:
            return tuple(filled(p, values) for p in part) if isinstance(part, tuple) else values[part]

        return Layout(filled(profile, [*map(self.leaf, extents)]), filled(profile, strides))

    def any(self, most: int = 48) -> Any:
        return self.coordinates(most) if self.odds(0.3) else self.seen(most)

    def coord(self, shape: Any, outside: float = 0.05) -> Any:
        """A coordinate in any form; at some odds one that lies outside."""
        if isinstance(shape, tuple) and self.odds(0.7):
            return tuple(self.coord(s, outside) for s in shape)
        n = naive_size(shape)
        if self.odds(outside):
            return self.rng.choice([-1, n, n + 3])
        return self.leaf(self.rng.randrange(max(1, n)))

    def kept(self, shape: Any) -> Any:
        """What a slice keeps, and where it is fixed."""
        if self.odds(0.4):
            return _
        return (
            tuple(map(self.kept, shape))
            if isinstance(shape, tuple) and self.odds(0.5)
            else self.coord(shape)
        )

    def dividing(self, a: Any) -> tuple[int, ...]:
        """An int that divides each of the first modes."""
        sizes = [max(1, size) for size in map(naive_size, top(a))]
        sizes = sizes[: self.rng.randint(1, max(1, len(sizes)))]
        return tuple(
            self.leaf(self.rng.choice([d for d in range(1, n + 1) if not n % d])) for n in sizes
        )


def top(x: Any) -> tuple[Any, ...]:
    return x.shape if isinstance(x.shape, tuple) else (x.shape,)


# --- values, texts and parts -----------------------------------------------------------------------


def some(draw: Seen) -> Case:
    return Case((draw.any(),))


def some_seen(draw: Seen) -> Case:
    return Case((draw.seen(),))


def some_call(draw: Seen) -> Case:
    x = draw.any()
    return Case((x, draw.coord(x.shape)))


def true_call(x: Any, coord: Any) -> Truth:
    try:
        wanted = naive(x, index_of(coord, x.shape))
    except IndexError:
        return NO
    return Truth(Expect.YES, lambda r: is_value(wanted)(weighed(r)))


def some_index(draw: Seen) -> Case:
    return Case((draw.any(), draw.rng.randint(0, 200)))


def true_extended(x: Any, index: int) -> Truth:
    try:
        wanted = naive(x, index, grown=True)
    except IndexError:
        return NO
    return Truth(Expect.YES, lambda r: is_value(wanted)(weighed(r)))


def true_same(x: Any) -> Truth:
    return Truth(Expect.YES, every(is_value(x), lambda r: is_value(hash(x))(hash(r))))


def true_offsets(x: Any) -> Truth:
    return yes(table(x))


def true_cosize(x: Any) -> Truth:
    values = table(x)
    return yes(max(values) - min(values) + 1 if values else 0)


def true_structure(x: Any) -> Truth:
    def depth(s: Any) -> int:
        return 1 + max(map(depth, s), default=0) if isinstance(s, tuple) else 0

    shape = inmost(x).shape
    return yes((len(top(x)), depth(shape), naive_size(shape), shape))


def some_slice(draw: Seen) -> Case:
    x = draw.any()
    return Case((x, tuple(map(draw.kept, x.shape)) if isinstance(x.shape, tuple) else _))


def indices_kept(coord: Any, shape: Any) -> list[int]:
    """The indices of a slice, those of the modes kept fastest first."""
    if coord is _:
        return [*range(naive_size(shape))]
    if not isinstance(coord, tuple):
        return [index_of(coord, shape)]
    if not isinstance(shape, tuple) or len(coord) != len(shape):
        raise IndexError(f"{coord} is of another profile")
    below, out = 1, [0]
    for c, s in zip(coord, shape, strict=True):
        out = [i + below * j for j in indices_kept(c, s) for i in out]
        below *= naive_size(s)
    return out


def has_kept(coord: Any) -> bool:
    return coord is _ or (isinstance(coord, tuple) and any(map(has_kept, coord)))


def true_slice(x: Any, coord: Any, is_moved: bool = True) -> Truth:
    """The values at the coordinates kept; of a plain layout they count from the first."""
    try:
        values = [naive(x, i) for i in indices_kept(coord, x.shape)]
    except IndexError:
        return NO
    if not has_kept(coord):
        return NO
    if not is_moved and not isinstance(x, ComposedLayout):
        values = [v - values[0] for v in values]
    return Truth(Expect.YES, gives(values))


def true_view(x: Any, coord: Any) -> Truth:
    """A tensor is cut by whole modes."""
    truth = true_slice(x, coord)
    is_torn = isinstance(coord, tuple) and any(isinstance(c, tuple) for c in coord)
    return truth._replace(expect=Expect.OPEN) if is_torn or not naive_size(x.shape) else truth


# --- operations of coordinates ---------------------------------------------------------------------


def parts_of(a: Any) -> Any:
    return (
        [Layout(s, d) for s, d in zip(a.shape, a.stride, strict=True)]
        if isinstance(a.shape, tuple)
        else None
    )


def as_one(parts: Sequence[Any]) -> Any:
    return Layout(tuple(p.shape for p in parts), tuple(p.stride for p in parts))


def equals(wanted: Any) -> Truth:
    """The same shape and strides."""
    return Truth(
        Expect.YES,
        lambda r: (
            ""
            if (r.shape, r.stride) == (wanted.shape, wanted.stride)
            else f"it is {r} instead of {wanted}"
        ),
    )


def true_flatten(a: Any) -> Truth:
    flat = fuzz.leaves(a)
    if not isinstance(a.shape, tuple):
        return equals(Layout(a.shape, a.stride))
    return equals(Layout(tuple(s for s, _d in flat), tuple(d for _s, d in flat)))


def some_mode(draw: Seen) -> Case:
    x = draw.any()
    return Case((x, draw.rng.randrange(len(top(x)) + draw.odds(0.05))))


def true_get(a: Any, i: int) -> Truth:
    parts = modes(a)
    return equals(parts[i]) if i < len(parts) else NO


def some_modes(draw: Seen) -> Case:
    x = draw.any()
    rank = len(top(x))
    return (
        Case((x, *[draw.rng.randrange(rank) for _i in range(draw.rng.randint(1, rank))]))
        if rank
        else Case((x, 0))
    )


def true_select(a: Any, *which: int) -> Truth:
    parts = modes(a)
    return equals(as_one([parts[i] for i in which])) if max(which) < len(parts) else NO


def some_range(draw: Seen) -> Case:
    x = draw.any()
    first = draw.rng.randint(0, len(top(x)))
    return Case((x, first, draw.rng.randint(first, len(top(x)))))


def true_take(a: Any, first: int, last: int) -> Truth:
    return equals(as_one(modes(a)[first:last])) if first < last else OPEN


def true_group(a: Any, first: int, last: int) -> Truth:
    parts = modes(a)
    if first >= last or not isinstance(a.shape, tuple):
        return OPEN
    return equals(as_one([*parts[:first], as_one(parts[first:last]), *parts[last:]]))


def true_reverse(a: Any) -> Truth:
    return equals(as_one(modes(a)[::-1])) if isinstance(a.shape, tuple) else equals(a)


def true_filter_zeros(a: Any) -> Truth:
    flat = [(min(s, 1) if d == 0 else s, d) for s, d in fuzz.leaves(a)]
    return Truth(Expect.YES, gives(fuzz.outer_sum([i * d for i in range(s)] for s, d in flat)))


def true_filter(a: Any) -> Truth:
    flat = fuzz.merged([(s, d) for s, d in fuzz.leaves(a) if d])
    wanted = fuzz.outer_sum([i * d for i in range(s)] for s, d in flat)
    return Truth(Expect.YES, every(gives(wanted), fuzz.has_leaves(flat))) if fuzz.size(a) else OPEN


def some_profile(draw: Seen) -> Case:
    def thinned(shape: Any) -> Any:
        if not isinstance(shape, tuple) or draw.odds(0.4):
            return draw.leaf(1)
        return tuple(thinned(s) for s in shape[: None if draw.odds(0.8) else 2])

    x = draw.any()
    return Case((x, thinned(x.shape)))


def some_tiler(draw: Seen) -> Case:
    x = draw.any()
    kind = draw.rng.random()
    if kind < 0.4:
        return Case((x, draw.dividing(x)))
    return Case((x, draw.mode_tiler(inmost(x)) if kind < 0.6 else draw.tiler(inmost(x))))


def some_block(draw: Seen) -> Case:
    x = draw.any(12)
    return Case((x, draw.tiny() if draw.odds(0.6) else draw.leaf(draw.rng.randint(1, 6))))


def some_copies(draw: Seen) -> Case:
    return Case((draw.any(12), draw.tiny()))


def some_whole(draw: Seen) -> Case:
    """An atom, the shape that it tiles, and an order of the modes."""
    x = draw.any(12)
    shape = tuple(draw.leaf(naive_size(s) * draw.rng.randint(1, 3)) for s in top(x))
    if draw.odds(0.1):
        shape = (*shape[:-1], draw.leaf(shape[-1] + 1)) if shape else (3,)
    if draw.odds(0.5):
        return Case((x, shape))
    return Case((x, shape, tuple(draw.rng.sample(range(len(shape)), len(shape)))))


def true_tile_to_shape(a: Any, shape: Any, order: Any = None) -> Truth:
    sizes = [*map(naive_size, top(a))]
    if len(shape) < len(sizes):
        return NO
    sizes += [1] * (len(shape) - len(sizes))
    if any(not n or whole % n for n, whole in zip(sizes, shape, strict=True)):
        return NO
    if not all(shape):
        return OPEN
    counts = [int(whole) // n for n, whole in zip(sizes, shape, strict=True)]
    steps, step = [0] * len(counts), 1
    for i in sorted(range(len(counts)), key=lambda i: (order or [*range(len(counts))])[i]):
        steps[i], step = step, step * counts[i]
    return true_blocked(False, a, Layout(tuple(counts), tuple(steps)))


def some_start(draw: Seen) -> Case:
    x = draw.any()
    return Case((draw.coord(x.shape), x))


def true_domain_offset(coord: Any, x: Any) -> Truth:
    try:
        start = index_of(coord, x.shape)
    except IndexError:
        return NO
    shape = inmost(x).shape
    at = _digits(start, shape)
    inside = [
        [c + d for c, d in zip(_digits(i, shape), at, strict=True)] for i in range(naive_size(shape))
    ]
    extents = [int(s) for s in tla.flatten_to_tuple(shape)]
    weights = [prod(extents[:i]) for i in range(len(extents))]

    def fault(result: Any) -> str:
        layout, offset = result
        for i, c in enumerate(inside):
            if all(n < s for n, s in zip(c, extents, strict=True)):
                wanted = naive(x, sum(n * w for n, w in zip(c, weights, strict=True)))
                if naive(layout, i) + weighed(offset) != wanted:
                    return f"at index {i} it is {naive(layout, i) + weighed(offset)}, not {wanted}"
        return ""

    return Truth(Expect.YES, fault)


def _digits(index: int, shape: Any) -> list[int]:
    out = []
    for s in tla.flatten_to_tuple(shape):
        out.append(index % int(s))
        index //= int(s)
    return out


def true_nullspace(x: Any) -> Truth:
    a = inmost(x)
    indices = [
        i
        for i in range(naive_size(a.shape))
        if all(not c or not d for c, (_s, d) in zip(_digits(i, a.shape), fuzz.leaves(a), strict=True))
    ]
    return Truth(Expect.YES, gives(indices))


# --- compositions with what stands behind a function ------------------------------------------------


def some_left(draw: Seen) -> Case:
    """A layout, a swizzle, or one seen through a function, of one that is."""
    kind = draw.rng.random()
    left = draw.swizzle() if kind < 0.3 else draw.plain() if kind < 0.8 else draw.any()
    return Case((left, draw.seen(24)))


def extended(x: Any, at: int) -> int:
    return naive(x, at) if isinstance(x, Swizzle) else naive(x, at, grown=True)


def true_left(a: Any, b: Any, extend: bool = True) -> Truth:
    values = table(b)
    try:
        wanted = [extended(a, x) for x in values]
    except IndexError:
        return OPEN  # it leads where the left side has no offset
    if not extend and not isinstance(a, Swizzle) and max(values, default=-1) >= naive_size(a.shape):
        return NO
    if (
        not isinstance(b, ComposedLayout)
        or not values
        or (not isinstance(a, Swizzle) and not naive_size(a.shape))
    ):
        return OPEN
    return Truth(Expect.YES, every(gives(wanted), fuzz.refines(b.shape)))


def some_swizzles(draw: Seen) -> Case:
    kind = draw.rng.random()
    left = draw.swizzle() if kind < 0.5 else draw.plain() if kind < 0.8 else draw.any()
    return Case((left, draw.swizzle()))


def true_of_swizzle(a: Any, b: Swizzle) -> Truth:
    """Of every offset, or of each index of the layout."""

    def fault(result: Any) -> str:
        n = 512 if isinstance(result, Swizzle) else int(result.size)
        least = 0 if isinstance(a, Swizzle) else naive_size(a.shape)
        if n < least:
            return f"its size is {n}, less than {least}"
        try:
            wanted = [extended(a, moved(b, i)) for i in range(n)]
            got = [naive(result, i) for i in range(n)]
        except IndexError:
            return ""
        return "" if got == wanted else f"its values are {got[:20]} instead of {wanted[:20]}"

    return Truth(Expect.YES if isinstance(a, Swizzle) or naive_size(a.shape) else Expect.OPEN, fault)


def some_coordinates_of(draw: Seen) -> Case:
    """A layout, and a layout of coordinates of its shape."""
    a = draw.seen() if draw.odds(0.4) else draw.plain()
    paths = [path for path, _s in _places(a.shape)]
    flat: list[tuple[int, Any]] = []
    for _i in range(draw.rng.randint(1, 3)):
        extent = draw.rng.choice([1, 2, 2, 3, 4])
        if not paths:
            flat.append((extent, 0))
            continue
        path = draw.rng.choice(paths)
        flat.append((extent, draw.rng.choice([1, 1, 2]) * E(*path)))
        # no mode together with its parts
        paths = [p for p in paths if p == path or (p[: len(path)] != path and path[: len(p)] != p)]
    return Case((a, Layout(tuple(s for s, _d in flat), tuple(d for _s, d in flat))))


def _places(shape: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    if not isinstance(shape, tuple):
        return
    for i, s in enumerate(shape):
        yield (*path, i), s
        yield from _places(s, (*path, i))


def true_of_coordinates(a: Any, b: Any) -> Truth:
    shape = inmost(a).shape
    places = dict(_places(shape))
    below: dict[tuple[int, ...], int] = {}
    step = 1
    for path, s in places.items():
        below[path] = step
        step *= 1 if isinstance(s, tuple) else int(s)
    flat = [*zip(tla.flatten_to_tuple(b.shape), tla.flatten_to_tuple(b.stride), strict=True)]
    reach: dict[tuple[int, ...], int] = {}
    steps = []
    for s, d in flat:
        terms = d.terms if isinstance(d, Basis) else {}
        for path, n in terms.items():
            reach[path] = reach.get(path, 0) + (int(s) - 1) * int(n)
        steps.append(sum(int(n) * below[path] for path, n in terms.items()))
    if any(n >= naive_size(places[path]) for path, n in reach.items()):
        return NO
    if not naive_size(shape):
        return OPEN
    indices = Layout(tuple(int(s) for s, _d in flat), tuple(steps))
    if not any(isinstance(d, Basis) for _s, d in flat):
        return OPEN
    return behind(true_composition)(a, indices)


# --- inverses --------------------------------------------------------------------------------------


def inverts(x: Any, side: Callable[[Any], Any]) -> Any:
    """The inverse of a plain layout, or None; a layout outside is grown as far as it is asked."""
    try:
        return side(x)
    except TlaError:
        return None


def parts_invert(x: Any, side: Callable[[Any], Any]) -> bool:
    """Whether the functions outside are swizzles, and the layout behind them has an inverse."""
    plain = inmost(x)
    up = Layout(plain.shape, mapped(abs, plain.stride))
    up = up if naive_is_injective(up) else plain  # modes that run down are turned round
    return all(isinstance(f, Swizzle) for f, _n in outside(x)) and inverts(up, side) is not None


def true_left_inverse(x: Any) -> Truth:
    if gives_coordinates(x):
        return true_left_of_coordinates(x)
    values = table(x)
    if not values:
        return OPEN
    injective = len({*values}) == len(values)

    def fault(result: Any) -> str:
        back = [naive(result, v, grown=True) for v in values]
        wrong = [
            i
            for i, j in enumerate(back)
            if (j != i if injective else naive(x, j, grown=True) != values[i])
        ]
        return (
            f"at index {wrong[0]}, of offset {values[wrong[0]]}, it gives {back[wrong[0]]}"
            if wrong
            else ""
        )

    return Truth(Expect.YES if parts_invert(x, tla.left_inverse) else Expect.OPEN, fault)


def true_left_of_coordinates(x: Any) -> Truth:
    values = [x(i) for i in range(naive_size(x.shape))]
    if not values:
        return OPEN
    injective = len({*map(weighed, values)}) == len(values)

    def fault(result: Any) -> str:
        if not injective:
            return "" if not _has_two_ways(x) else "the layout reaches a coordinate twice"
        for i, c in enumerate(values):
            back = result.extended(_fitted(c, result.shape))
            if back != i:
                return f"at {c} it gives {back} instead of {i}"
        return ""

    flat = [d for s, d in zip(*map(tla.flatten_to_tuple, (x.shape, x.stride)), strict=True) if s != 1]
    along = [[p for p, n in d.terms.items() if n] if isinstance(d, Basis) else [] for d in flat]
    one_each = all(len(paths) == 1 for paths in along) and all(
        next(iter(d.terms.values())) > 0 for d in flat
    )
    single = one_each and len({paths[0] for paths in along}) == len(along)
    return Truth(Expect.YES if single and injective else Expect.OPEN, fault)


def _has_two_ways(x: Any) -> bool:
    """Whether coordinates repeat, but not along modes of stride 0 alone."""
    flat = [(s, d) for s, d in fuzz.leaves(weighed(x)) if d]
    return not naive_is_injective(Layout(tuple(s for s, _d in flat), tuple(d for _s, d in flat)))


def _fitted(c: Any, shape: Any) -> Any:
    """A coordinate with the modes of a shape, 0 where it has none."""
    if not isinstance(shape, tuple):
        while isinstance(c, tuple):
            c = c[0] if c else 0
        return c
    if not isinstance(c, tuple):
        return c
    return tuple(_fitted(c[i] if i < len(c) else 0, s) for i, s in enumerate(shape))


def true_right_inverse(x: Any) -> Truth:
    if gives_coordinates(x):
        return OPEN
    values = table(x)
    if not values:
        return OPEN
    reach = next(n for n in range(len(values) + 1) if n not in values)
    run = naive_reach(inmost(x)) if isinstance(x, ComposedLayout) else 0
    plain = inmost(x)
    simple = len(outside(x)) == 1 and isinstance(x.outer, Swizzle) and not int(x.offset)
    simple = simple and all(d >= 0 for _s, d in fuzz.leaves(plain)) and naive_is_injective(plain)
    least = next((n for n in range(run) if moved(x.outer, n) >= run), run) if simple else 0

    def fault(result: Any) -> str:
        n = naive_size(result.shape)
        if n < least or n > reach:
            return f"its size is {n}; {least} to {reach} offsets can be given back"
        back = [naive(result, i) for i in range(n)]
        wrong = [i for i, j in enumerate(back) if not 0 <= j < len(values) or values[j] != i]
        return f"at {wrong[0]} it gives {back[wrong[0]]}, of another offset" if wrong else ""

    if not reach:
        return NO
    return Truth(Expect.YES if simple else Expect.OPEN, fault)


# --- complement and facts ---------------------------------------------------------------------------


def growing(values: set[int]) -> list[tuple[int, int]] | None:
    """The modes of a layout that reaches these offsets, counted from the least, or None."""
    found: list[tuple[int, int]] = []
    left = sorted(values)
    left = [x - left[0] for x in left]
    while len(left) > 1:
        step = left[1]
        extent = next((n for n in range(1, len(left)) if left[n] != n * step), len(left))
        if len(left) % extent:
            return None
        first = left[::extent]
        if [x + i * step for x in first for i in range(extent)] != left:
            return None
        found.append((extent, step))
        left = first
    return found


def some_range_of(draw: Seen) -> Case:
    x = draw.any(24)
    return Case((x, draw.leaf(draw.rng.choice([16, 24, 64, 100, 128]))) if draw.odds(0.8) else (x,))


def true_complement(x: Any, n: int | None = None) -> Truth:
    if gives_coordinates(x):
        return no_order(x)
    values = {*table(x)}

    def fault(result: Any) -> str:
        more = table(result)
        if more != sorted({*more}):
            return "it does not grow"
        if len({a + b for a in values for b in more}) != len(values) * len(more):
            return "it is not disjoint"
        return ""

    if not values:
        return OPEN
    flat = growing(values)
    alike = flat is not None and naive_complement(
        Layout(*zip(*flat, strict=True)) if flat else Layout(1), 64
    )
    return Truth(Expect.YES if alike and isinstance(x, ComposedLayout) else Expect.OPEN, fault)


def true_fact(law: Callable[[list[int]], bool], x: Any) -> Truth:
    return yes(law(table(x)))


def is_range(values: list[int]) -> bool:
    return not values or (
        {*values} == {*range(min(values), max(values) + 1)} and len({*values}) == len(values)
    )


def true_collision(x: Any) -> Truth:
    values = table(x)
    injective = len({*values}) == len(values)

    def fault(pair: Any) -> str:
        if injective or pair is None:
            return "" if injective and pair is None else f"it is {pair}"
        i, j = (index_of(c, x.shape) for c in pair)
        return "" if i != j and values[i] == values[j] else f"it is {pair}"

    return Truth(Expect.YES, fault)


def some_onto(draw: Seen) -> Case:
    x = draw.seen()
    return Case(
        (x, draw.rng.choice([len({*table(x)}), max(table(x), default=0) + 1, draw.rng.randint(0, 40)]))
    )


def true_onto(x: Any, n: int) -> Truth:
    return yes({*table(x)} == {*range(n)})


def some_two(draw: Seen) -> Case:
    """A layout and another of the same function, or nearly."""
    x = draw.any()
    kind = draw.rng.random()
    other = (
        tla.flatten(x)
        if kind < 0.3
        else tla.coalesce(x)
        if kind < 0.5
        else draw.any()
        if kind < 0.7
        else Layout(x.shape)
    )
    return Case((x, other) if draw.odds(0.5) else (other, x))


def true_two(a: Any, b: Any) -> Truth:
    return yes(table(a) == table(b))


def some_place(draw: Seen) -> Case:
    x = draw.any()
    values = table(x)
    if gives_coordinates(x):
        at = x(draw.rng.randrange(len(values))) if values else 0
        return Case((x, at if isinstance(at, tuple) else (at,)))
    return Case((x, draw.rng.choice(values) if values and draw.odds(0.8) else draw.rng.randint(-1, 90)))


def true_place(x: Any, offset: Any) -> Truth:
    wanted = {i for i, v in enumerate(table(x)) if v == weighed(offset)}
    if not naive_size(x.shape):
        return OPEN
    return Truth(
        Expect.YES, lambda found: is_value(sorted(wanted))(sorted(index_of(c, x.shape) for c in found))
    )


# --- functions of bits -----------------------------------------------------------------------------


def some_bits(draw: Seen) -> Case:
    x: Any = draw.of_bits() if draw.odds(0.7) else draw.plain()
    seen = ComposedLayout(draw.outer(), draw.rng.choice([0, 0, 1, 8, 24]), x)
    try:
        table(seen)
    except IndexError:
        return Case((x,))
    return Case((seen,))


def is_linear(x: Any) -> bool:
    if any(int(s) & (int(s) - 1) or not s for s in tla.flatten_to_tuple(x.shape)):
        return False
    values = table(x)
    columns = [values[1 << i] ^ values[0] for i in range(len(values).bit_length() - 1)]
    if min(values) < 0:
        return False
    for i, value in enumerate(values):
        of_bits = values[0]
        for bit, column in enumerate(columns):
            of_bits ^= column if i >> bit & 1 else 0
        if of_bits != value:
            return False
    return True


def true_linear(x: Any) -> Truth:
    if not is_linear(x):
        return NO
    values = table(x)
    return Truth(Expect.YES, lambda f: is_value(values)([f(i) for i in range(len(values))]))


def true_back(x: Any) -> Truth:
    if not is_linear(x):
        return NO
    one = len(outside(x)) < 2 and all(isinstance(f, Swizzle) for f, _n in outside(x))
    return Truth(Expect.YES if one else Expect.OPEN, gives(table(x)))


# --- casts and vectors -----------------------------------------------------------------------------


def some_cast(draw: Seen) -> Case:
    return Case(
        (
            draw.swizzle() if draw.odds(0.1) else draw.seen(),
            draw.leaf(draw.rng.choice([1, 2, 2, 4, 4, 8, 3])),
        )
    )


def _shrunk(wide: Any, narrow: Any) -> list[int]:
    pairs = zip(tla.flatten_to_tuple(wide), tla.flatten_to_tuple(narrow), strict=True)
    return [int(n) // int(m) if m else 1 for n, m in pairs]


def _at(digits: Sequence[int], shape: Any) -> int:
    extents = [int(s) for s in tla.flatten_to_tuple(shape)]
    return sum(c * prod(extents[:i]) for i, c in enumerate(digits))


def inside_vector(swizzle: Swizzle, n: int) -> bool:
    return bool(int(swizzle.bits)) and int(swizzle.base) < n.bit_length() - 1


def true_upcast(x: Any, n: int) -> Truth:
    """``result(c // k) == x(c) // n`` for the factors ``k`` by which the extents shrink."""
    if isinstance(x, Swizzle):
        return true_swizzle_cast(
            x, n, lambda s, r: all(moved(r, i // n) == moved(s, i) // n for i in range(512))
        )

    runs_down = any(d < 0 for _s, d in fuzz.leaves(inmost(x)))

    def fault(result: Any) -> str:
        if runs_down:  # what is first of a vector is another element
            return ""
        by = _shrunk(x.shape, result.shape)
        for i in range(naive_size(x.shape)):
            at = _at([c // k for c, k in zip(_digits(i, x.shape), by, strict=True)], result.shape)
            if naive(result, at) != naive(x, i) // n:
                return f"at index {i} it gives {naive(result, at)} instead of {naive(x, i) // n}"
        return ""

    def fits() -> bool:
        if runs_down or inverts(inmost(x), lambda a: tla.upcast(a, n)) is None or n & (n - 1):
            return False
        return all(
            isinstance(f, Swizzle) and not inside_vector(f, n) and not k % n for f, k in outside(x)
        )

    return Truth(Expect.YES if fits() else Expect.OPEN, fault)


def true_swizzle_cast(x: Swizzle, n: int, law: Callable[[Swizzle, Swizzle], bool]) -> Truth:
    good = not n & (n - 1) and not inside_vector(x, n)
    return Truth(
        Expect.YES if good else Expect.OPEN, lambda r: "" if law(x, r) else "it is another function"
    )


def true_downcast(x: Any, n: int) -> Truth:
    """The parts of an element at ``v`` are at ``n * v`` and on."""
    if isinstance(x, Swizzle):
        return true_swizzle_cast(
            x, n, lambda s, r: all(moved(r, n * i) == n * moved(s, i) for i in range(256))
        )

    def fault(result: Any) -> str:
        by = _shrunk(result.shape, x.shape)
        for i in range(naive_size(result.shape)):
            c = _digits(i, result.shape)
            at = _at([j // k for j, k in zip(c, by, strict=True)], x.shape)
            part = next((j % k for j, k in zip(c, by, strict=True) if k > 1), 0)
            if naive(result, i) != n * naive(x, at) + part:
                return f"at index {i} it gives {naive(result, i)} instead of {n * naive(x, at) + part}"
        return ""

    plain = inverts(inmost(x), lambda a: tla.downcast(a, n)) is not None and not n & (n - 1)
    good = plain and all(isinstance(f, Swizzle) for f, _k in outside(x))
    down = any(abs(d) == 1 and d < 0 for _s, d in fuzz.leaves(inmost(x)))
    return Truth(
        Expect.OPEN if down else Expect.YES if good else Expect.OPEN, (lambda _r: "") if down else fault
    )


def some_vectors(draw: Seen) -> Case:
    a, b = draw.seen(), draw.plain()
    kind = draw.rng.random()
    other: Any = b if kind < 0.5 else draw.seen() if kind < 0.7 else ComposedLayout(a.outer, a.offset, b)
    try:
        table(other)
    except IndexError:
        other = a
    return Case((a, other) if draw.odds(0.5) else (other, a))


def true_vectors(a: Any, b: Any) -> Truth:
    """The elements of the first vector lie next to each other in both."""

    def fault(result: Any) -> str:
        for x in (a, b):
            at = [naive(x, i, grown=x is a) for i in table(result)]
            if at != [*range(at[0], at[0] + len(at))]:
                return f"the elements of {x} are at {at[:20]}"
        return ""

    swizzled = all(isinstance(f, Swizzle) for x in (a, b) for f, _n in outside(x))
    if not naive_size(a.shape) or not naive_size(b.shape):
        return OPEN
    return Truth(Expect.YES if swizzled else Expect.OPEN, fault)


def true_aligned(x: Any) -> Truth:
    def fault(n: int) -> str:
        try:
            up = tla.upcast(tla.coalesce(x), n)
        except TlaError as error:
            return f"upcast by {n}: {error}"
        values, vectors = {*table(x)}, {*table(up)}
        whole = {n * w + i for w in vectors for i in range(n)}
        return "" if n == 1 or values == whole else f"vectors of {n} are not whole"

    return Truth(
        Expect.YES
        if naive_size(x.shape) and all(isinstance(f, Swizzle) for f, _n in outside(x))
        else Expect.OPEN,
        fault,
    )


# --- partitions ------------------------------------------------------------------------------------


def some_tile(draw: Seen, projects: bool = True) -> Case:
    """A tile that divides, and which of the tiles."""
    x = draw.any()
    tiler = draw.dividing(x)
    at = []
    for n, t in zip(top(x), tiler, strict=False):
        count = max(1, naive_size(n) // max(1, t))
        at.append(_ if draw.odds(0.3) else count if draw.odds(0.03) else draw.rng.randrange(count))
    if projects and draw.odds(0.4):
        keep = [draw.odds(0.6) for _n in tiler]
        more = iter(zip(tiler, at, strict=True))
        wide = [next(more) if k else (draw.rng.randint(1, 9), draw.rng.randint(0, 3)) for k in keep]
        rest = [*more]
        wide, keep = [*wide, *rest], [*keep, *[True] * len(rest)]
        proj = tuple(1 if k else _ for k in keep)
        return Case((x, tuple(t for t, _c in wide), tuple(c for _t, c in wide), proj))
    return Case((x, tiler, tuple(at)))


def tiles_of(x: Any, tiler: Any) -> tuple[Expect, list[list[int]]]:
    """For each mode its indices, those of a tile fastest; whether the division exists."""
    expect = halves(partial(fuzz.divided, exact=False), inmost(x), tuple(tiler)).expect
    if len(tiler) > len(top(x)):
        expect = Expect.NO
    return expect, [[*range(naive_size(n))] for n in top(x)]


def picked(x: Any, tiler: Any, inside: Any, tile_at: Any) -> list[int] | None:
    """The values of x: first along what is kept inside of the tiles, then along the tiles kept."""
    below, firsts, seconds = 1, [[0]], [[0]]
    firsts, seconds = [], []
    for i, n in enumerate(top(x)):
        size = naive_size(n)
        t = int(tiler[i]) if i < len(tiler) else 1
        a: Any = inside[i] if i < len(inside) else _
        b: Any = tile_at[i] if i < len(tile_at) else _
        for value, count in ((a, t), (b, size // t)):
            if value is not _ and not 0 <= value < count:
                return None
        firsts.append([below * j for j in (range(t) if a is _ else [int(a)])])
        seconds.append([below * t * j for j in (range(size // t) if b is _ else [int(b)])])
        below *= size
    return [naive(x, i) for i in fuzz.outer_sum([*firsts, *seconds])]


def true_tile(x: Any, tiler: Any, at: Any, proj: Any = None) -> Truth:
    if proj is not None:
        tiler = tuple(t for t, k in zip(tiler, proj, strict=True) if k is not _)
        at = tuple(c for c, k in zip(at, proj, strict=True) if k is not _)
    expect, _sizes = tiles_of(x, tiler)
    if expect is not Expect.YES or not naive_size(x.shape) or not tiler:
        return Truth(expect if tiler else Expect.OPEN)
    wanted = picked(x, tiler, (), at)
    return NO if wanted is None else Truth(Expect.YES, gives(wanted))


def some_inside(draw: Seen) -> Case:
    x = draw.any()
    tiler = draw.dividing(x)
    at = tuple(_ if draw.odds(0.2) else t if draw.odds(0.03) else draw.rng.randrange(t) for t in tiler)
    return Case((x, tiler, at))


def true_inside(x: Any, tiler: Any, at: Any) -> Truth:
    expect, _sizes = tiles_of(x, tiler)
    if expect is not Expect.YES or not naive_size(x.shape):
        return Truth(expect)
    wanted = picked(x, tiler, at, ())
    return NO if wanted is None else Truth(Expect.YES, gives(wanted))


def some_thread(draw: Seen) -> Case:
    """Threads over a tile that divides, in any order, at times with numbers that no thread has."""
    x = draw.any()
    tiler = [int(t) for t in draw.dividing(x)]
    steps = draw.packed(tiler, 0.3 if draw.odds(0.2) else 0.0)
    if draw.odds(0.1):
        steps[draw.rng.randrange(len(steps))] = 0
    if draw.odds(0.1):
        steps = [draw.rng.randint(0, 4) for _n in steps]
    threads = Layout(tuple(map(draw.leaf, tiler)), tuple(map(draw.leaf, steps)))
    top_one = max(naive_offsets(threads), default=0)
    return Case((x, threads, draw.rng.randint(-1 if draw.odds(0.1) else 0, top_one + draw.odds(0.1))))


def true_thread(x: Any, threads: Any, index: int) -> Truth:
    """One place in each tile. Threads along modes of stride 0 share it: it is the first."""
    tiler = tuple(int(n) for n in top(threads))
    expect, _sizes = tiles_of(x, tiler)
    found = [c for c in naive_coords(tiler) if naive_offset(threads, c) == index]
    if not found:
        return NO
    if expect is not Expect.YES or not naive_size(x.shape):
        return Truth(expect)
    every_one = [picked(x, tiler, c, ()) for c in found]
    return Truth(
        Expect.YES,
        lambda r: (
            ""
            if any(not gives(w)(r) for w in every_one if w is not None)
            else gives(every_one[0] or [])(r)
        ),
    )


def some_all(draw: Seen) -> Case:
    """Threads over a tile that divides, and at times over more modes that are not used."""
    x = draw.any()
    keep, extents, tiler = list[bool](), list[int](), [int(t) for t in draw.dividing(x)]
    for t in tiler:
        while draw.odds(0.15):
            keep, extents = [*keep, False], [*extents, draw.rng.randint(1, 3)]
        keep, extents = [*keep, True], [*extents, t]
    threads = Layout(tuple(map(draw.leaf, extents)), tuple(map(draw.leaf, draw.packed(extents))))
    return Case((x, threads, tuple(1 if k else _ for k in keep)))


def true_all(x: Any, threads: Any, proj: Any) -> Truth:
    """Of each thread what `local_partition` gives it, the threads fastest."""
    tiler = tuple(int(n) for n, k in zip(top(threads), proj, strict=True) if k is not _)
    expect, _sizes = tiles_of(x, tiler)
    if expect is not Expect.YES or not naive_size(x.shape):
        return Truth(expect)
    numbers = naive_offsets(threads)
    if sorted(numbers) != [*range(len(numbers))]:
        return NO
    at = [naive_coords(threads.shape)[numbers.index(n)] for n in range(len(numbers))]
    places = [tuple(c for c, k in zip(place, proj, strict=True) if k is not _) for place in at]
    parts = [picked(x, tiler, place, ()) or [] for place in places]
    return Truth(Expect.YES, gives([values[k] for k in range(len(parts[0])) for values in parts]))


# --- sizes that are bound afterwards ------------------------------------------------------------------

LATER: dict[str, tuple[Callable[[Seen], Case], Callable[..., Truth]]] = {}
"""The operations that are tried with symbolic ints too."""


def some_later(draw: Seen) -> Case:
    """The case of an operation, with unknowns for some of the ints of its layout."""
    name = draw.rng.choice([*LATER])
    case = LATER[name][0](draw)
    values: dict[str, int] = {}

    def opened(x: Any) -> Any:
        if isinstance(x, tuple):
            return tuple(map(opened, x))
        if isinstance(x, ComposedLayout):
            return ComposedLayout(x.outer, opened(x.offset), opened(x.inner))
        if tla.is_layout(x):
            return Layout(opened(x.shape), opened(x.stride))
        if isinstance(x, Basis) or draw.odds(0.7) or x < 1:
            return x
        unknown = f"n{len(values)}"
        values[unknown] = int(x)
        by = draw.rng.choice([d for d in range(1, int(x) + 1) if not int(x) % d])
        least = draw.rng.choice([0, 1, 2]) if x > 1 else draw.rng.choice([0, 1])
        return tla.sym(unknown, min=least, divisible_by=by)

    return Case((name, opened(case.args[0]), values, *case.args[1:]), (case.args[0],))


def true_later(name: str, _x: Any, _values: Any, *rest: Any) -> Truth:
    """The answer of the numbers; where it hangs on them, it may be undecided."""
    *arguments, x = rest
    truth = LATER[name][1](x, *arguments)
    if truth.expect is Expect.YES:
        return truth._replace(expect=Expect.LATER)
    return truth if truth.expect is Expect.OPEN else Truth(Expect.OPEN, lambda _r: "there is no answer")


# --- the operations ---------------------------------------------------------------------------------


def seen(
    calls: str, draw: Any, truth: Any, weight: int = 2, options: tuple[tuple[str, Any], ...] = ()
) -> Operation:
    return Operation(calls, draw, truth, weight, options, answers=is_function)


def open_to(calls: str, draw: Any, truth: Any, weight: int = 2) -> Operation:
    return Operation(calls, draw, truth, weight, answers=anything)


DIVIDES = {kind: behind(partial(true_divide, kind)) for kind in ("logical", "zipped", "tiled", "flat")}
PRODUCTS = {
    kind: only_ints(behind(partial(true_product, kind)))
    for kind in ("logical", "zipped", "tiled", "flat")
}
_AS_TENSOR = "(lambda f: lambda x, *rest: f(tla.make_tensor(None, x), *rest))(tla.{})"

OPS: dict[str, Operation] = {
    "call": open_to("(lambda x, c: x(c))", some_call, true_call, 4),
    "extended": open_to("(lambda x, i: x.extended(i))", some_index, true_extended),
    "parse(str)": seen("(lambda x: tla.parse(str(x)))", some, true_same),
    "read(str)": seen("(lambda x: tla.read(str(x)))", some, true_same, 1),
    "eval(repr)": seen(
        "(lambda x: eval(repr(x), {name: getattr(tla, name) for name in tla.__all__}))", some, true_same
    ),
    "pickle": seen("(lambda x: (p := __import__('pickle')).loads(p.dumps(x)))", some, true_same),
    "offsets": open_to(
        "(lambda x: tla.offsets(x).flatten(order='F').tolist())", some_seen, true_offsets
    ),
    "cosize": open_to("cosize", some_seen, true_cosize),
    "structure": open_to("(lambda x: (x.rank, x.depth, x.size, x.shape))", some, true_structure),
    "slice": open_to("(lambda x, c: x[c])", some_slice, partial(true_slice, is_moved=False), 4),
    "slice_and_offset": open_to("(lambda x, c: tla.slice_and_offset(c, x))", some_slice, true_slice, 3),
    "flatten": seen("flatten", some, behind(true_flatten)),
    "coalesce": seen("coalesce", some, behind(true_coalesce)),
    "coalesce by mode": seen("coalesce", some_profile, behind(true_coalesce)),
    "filter": seen("tla.algebra.filter", some, behind(true_filter)),
    "filter_zeros": seen("filter_zeros", some, behind(true_filter_zeros)),
    "get": seen("get", some_mode, behind(true_get)),
    "select": seen("select", some_modes, behind(true_select)),
    "take": seen("take", some_range, behind(true_take)),
    "group": seen("group", some_range, behind(true_group)),
    "reverse": seen("reverse", some, behind(true_reverse)),
    "nullspace": seen("nullspace", some, true_nullspace),
    "domain_offset": open_to("domain_offset", some_start, true_domain_offset),
    "composition": seen("composition", some_tiler, behind(true_composition), 5),
    "composition of what is seen": seen("composition", some_left, true_left, 6),
    "composition inside": seen(
        "composition", some_left, partial(true_left, extend=False), 3, options=(("extend", False),)
    ),
    "composition with a swizzle": seen("composition", some_swizzles, true_of_swizzle, 3),
    "composition of coordinates": seen("composition", some_coordinates_of, true_of_coordinates, 3),
    **{
        f"{kind}_divide": seen(f"{kind}_divide", some_tiler, truth, 3) for kind, truth in DIVIDES.items()
    },
    "zipped_divide exact": seen(
        "zipped_divide",
        some_tiler,
        behind(partial(true_divide, "zipped", exact=True)),
        options=(("exact", True),),
    ),
    **{
        f"{kind}_product": seen(f"{kind}_product", some_block, truth) for kind, truth in PRODUCTS.items()
    },
    "blocked_product": seen(
        "blocked_product", some_copies, only_ints(behind(partial(true_blocked, False)))
    ),
    "raked_product": seen("raked_product", some_copies, only_ints(behind(partial(true_blocked, True)))),
    "tile_to_shape": seen("tile_to_shape", some_whole, only_ints(behind(true_tile_to_shape)), 3),
    "left_inverse": seen("left_inverse", some, true_left_inverse, 4),
    "right_inverse": seen("right_inverse", some, true_right_inverse, 4),
    "complement": seen("complement", some_range_of, true_complement, 3),
    "is_injective": open_to("is_injective", some, partial(true_fact, lambda v: len({*v}) == len(v))),
    "is_contiguous": open_to("is_contiguous", some_seen, partial(true_fact, is_range)),
    "is_bijective": open_to(
        "is_bijective", some_seen, partial(true_fact, lambda v: sorted(v) == [*range(len(v))])
    ),
    "is_surjective_onto": open_to("is_surjective_onto", some_onto, true_onto),
    "collision": open_to("collision", some, true_collision),
    "same_function": open_to("same_function", some_two, true_two, 3),
    "preimage": open_to("(lambda x, n: [*tla.algebra.preimage(x, n)])", some_place, true_place, 3),
    "to_linear": open_to("tla.gpu.to_linear", some_bits, true_linear, 3),
    "from_linear": seen(
        "(lambda x: tla.gpu.from_linear(tla.gpu.to_linear(x)))", some_bits, true_back, 3
    ),
    "upcast": seen("upcast", some_cast, true_upcast, 3),
    "downcast": seen("downcast", some_cast, true_downcast, 3),
    "max_common_layout": seen("max_common_layout", some_vectors, true_vectors, 3),
    "max_alignment": open_to("max_alignment", some_seen, true_aligned),
    "local_tile": open_to("local_tile", some_tile, true_tile, 3),
    "inner_partition": open_to("inner_partition", partial(some_tile, projects=False), true_tile, 2),
    "outer_partition": open_to("outer_partition", some_inside, true_inside, 2),
    "local_partition": open_to("local_partition", some_thread, true_thread, 3),
    "local_partition of all": open_to(
        "(lambda x, threads, proj: tla.local_partition(x, threads, tla._, proj))", some_all, true_all, 2
    ),
    "local_tile of a tensor": open_to(_AS_TENSOR.format("local_tile"), some_tile, true_tile, 3),
    "local_partition of a tensor": open_to(
        _AS_TENSOR.format("local_partition"), some_thread, true_thread, 3
    ),
    "slice of a tensor": open_to("(lambda x, c: tla.make_tensor(None, x)[c])", some_slice, true_view, 2),
    "symbolic": open_to(
        "(lambda name, x, values, *rest: (lambda r: r.bind(**values))(getattr(tla, name)(x, *rest)))",
        some_later,
        true_later,
        8,
    ),
}

LATER |= {
    "flatten": (some, behind(true_flatten)),
    "coalesce": (some, behind(lambda a: Truth(Expect.YES, fuzz.has_table(naive_offsets(a))))),
    "composition": (some_tiler, behind(true_composition)),
    **{f"{kind}_divide": (some_tiler, truth) for kind, truth in DIVIDES.items()},
    "get": (some_mode, behind(true_get)),
    "logical_product": (some_block, PRODUCTS["logical"]),
    "left_inverse": (some_seen, true_left_inverse),
    "downcast": (lambda d: Case((d.seen(), d.rng.choice([2, 4]))), true_downcast),
    "upcast": (lambda d: Case((d.seen(), d.rng.choice([2, 4]))), true_upcast),
}


def main(argv: Sequence[str] | None = None) -> int:
    argv = sys.argv[1:] if argv is None else argv
    if not {"--count", "--minutes"} & {*argv}:
        argv = [*argv, "--count", "100000"]
    return fuzz.main(argv, OPS, Seen, "layouts behind swizzles and layouts of coordinates")


if __name__ == "__main__":
    sys.exit(main())
