# SPDX-License-Identifier: Apache-2.0
"""Tiles: what a tile of the result reads, as a box with strides, or why it is no box.

>>> from .reading import parse_map
>>> window = parse_map("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 7], s0 in [0, 2]")
>>> print(tile(window, [4]))
offset (8 * d0), size (9), stride (1)
>>> print(tile(parse_map("(d0) -> (d0 floordiv 3, d0 mod 3), domain: d0 in [0, 8]"), [4]).refusal)
the image of tile (0) is no box: it has no (1, 1)
"""

from __future__ import annotations

from itertools import product
from math import gcd
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CongruenceError, CoordinateError, UndecidedError
from ..numbers import Expr, Interval, bounds_of, compute, leaf, rebind
from .images import Own, TooManyError, groups
from .maps import IndexingMap, require_map
from .places import placed
from .simplify import simplify
from .variables import dim, place_of, rng, rt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..numbers import Symbol, Value


class Tile(NamedTuple):
    """The elements that a tile reads: ``offset + stride * i`` for ``0 <= i < size``, within ``bounds``.

    >>> from .reading import parse_map
    >>> odd = tile(parse_map("(d0) -> (d0 * 2 + 1), domain: d0 in [0, 9]"), [4])
    >>> odd.size, odd.stride, list(odd.elements((2,)))  # the last tile sticks out
    ((4,), (2,), [(17,), (19,)])

    Attributes:
        offset: The first index in each dim, an expression of the numbers ``dim(k)`` of the tile, and of
            the map's runtime variables ``rt(i)``.
        size: The number of indices in each dim.
        stride: The distance of two indices, at least 1.
        bounds: For each dim the indices that the map reaches at all: a tile that sticks out reads no
            others.
        refusal: Why there is no such box; "" if there is one.
        point: The number of a tile and an element, which shows that there is none.
    """

    offset: tuple[Value, ...] = ()
    size: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    bounds: tuple[Interval, ...] = ()
    refusal: str = ""
    point: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    def elements(self, place: Sequence[int], runtime: Sequence[int] = ()) -> Iterator[tuple[int, ...]]:
        """Yield the elements that a tile reads, in lexicographic order.

        Args:
            place: The number of the tile, in each dim.
            runtime: The values of the runtime variables.
        """
        known: dict[Any, Any] = {dim(k).symbols[0]: leaf(x) for k, x in enumerate(place)}
        known.update({rt(k).symbols[0]: leaf(x) for k, x in enumerate(runtime)})
        starts = [compute(x, {}, known) for x in self.offset]
        lines = [
            [i for i in range(x, x + n * by, by) if i in bounds]
            for x, n, by, bounds in zip(starts, self.size, self.stride, self.bounds, strict=True)
        ]
        return product(*lines)

    def __str__(self) -> str:
        if self.refusal:
            return self.refusal
        parts = [", ".join(map(repr, part)) for part in (self.offset, self.size, self.stride)]
        return "offset ({}), size ({}), stride ({})".format(*parts)


def tile(map: IndexingMap, sizes: Sequence[int]) -> Tile:
    """Return what each tile of the dims reads, as one box for all tiles, or the reason against it.

    >>> from .reading import parse_map
    >>> split = parse_map("(d0) -> (d0 floordiv 6, d0 mod 6), domain: d0 in [0, 47]")
    >>> print(tile(split, [12]))
    offset (2 * d0, 0), size (2, 6), stride (1, 1)
    >>> print(tile(split, [3]))
    offset (d0 // 2, 3 * (d0 % 2)), size (1, 3), stride (1, 1)
    >>> tile(split, [4]).point
    ((1,), (1, 0))

    Tile ``t`` has the points with ``t * size <= d < (t + 1) * size`` in each dim. Every tile that reads
    anything reads exactly ``elements(t)``. That is proved, by points or by integer sets.

    Args:
        sizes: The size of a tile in each dim.

    Raises:
        CongruenceError: there is not one size for each dim.
        CoordinateError: a size is below 1.
        UndecidedError: the proof has too many points.
    """
    require_map(map)
    if map.is_undefined:
        return Tile(refusal=f"what is read is not known: {map.reason}")
    if len(sizes) != len(map.dims):
        raise CongruenceError(
            f"{len(sizes)} sizes are no tile of a map with {len(map.dims)} dims", f"map: {map}"
        )
    if any(leaf(n) < 1 for n in sizes):
        raise CoordinateError(f"a tile has at least 1 element in each dim, not {min(sizes)}")
    for v in map.runtime:
        inner = [s for x in (v.source.indices if v.source else ()) if type(x) is Expr for s in x.symbols]
        one = {dim(k).symbols[0] for k, n in enumerate(sizes) if n == 1}
        if not one.issuperset(inner):
            name = v.source.instruction if v.source else v.name
            return Tile(refusal=f"the image is no box: %{name} is read anew within a tile")
    whole = tiled(map, sizes)
    free = simplify(whole.with_parts(constraints=()), "replace")
    first = [v.bounds.lower for v in whole.dims]
    count = len(map.dims)
    if whole.is_known_empty:
        return Tile(refusal="the map reads nothing")
    middle = [(v.bounds.lower + v.bounds.upper) // 2 for v in whole.dims]
    try:
        found = _proved(whole, _box(free, first), first)
        if found.refusal and whole.constraints:  # they may leave out points in equal steps
            again = _proved(whole, _box(whole, middle), first)
            found = found if again.refusal else again
    except TooManyError:
        raise UndecidedError(
            f"tiles of {list(sizes)} have too many points for a proof of their boxes"
        ) from None
    names: dict[Symbol, Value] = {dim(count + k).symbols[0]: rt(k) for k in range(len(map.runtime))}
    point = found.point and (found.point[0][:count], found.point[1])
    return found._replace(offset=tuple(rebind(x, names) for x in found.offset), point=point)


def tiled(map: IndexingMap, sizes: Sequence[int]) -> IndexingMap:
    """Return the map from the numbers of a tile to all elements that it reads.

    >>> from .reading import parse_map
    >>> print(tiled(parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 4]"), [4]))
    (d0)[s0, s1] -> (d0 * 4 + s0, s1), domain: d0 in [0, 1], s0 in [0, 3], s1 in [0, 4]

    The runtime variables follow, as dims.
    """
    count = len(map.dims)
    put: dict[Symbol, Value] = {dim(k).symbols[0]: dim(k) * n + rng(k) for k, n in enumerate(sizes)}
    put.update({rng(k).symbols[0]: rng(count + k) for k in range(len(map.ranges))})
    put.update({rt(k).symbols[0]: dim(count + k) for k in range(len(map.runtime))})
    places = [
        Interval(v.bounds.lower // n, v.bounds.upper // n) for v, n in zip(map.dims, sizes, strict=True)
    ]
    out = placed(
        map,
        put,
        [*places, *(v.bounds for v in map.runtime)],
        [*(Interval(0, n - 1) for n in sizes), *(v.bounds for v in map.ranges)],
        (),
    )
    inside = [
        (dim(k) * n + rng(k), v.bounds)
        for k, (v, n) in enumerate(zip(map.dims, sizes, strict=True))
        if v.bounds.lower % n or (v.bounds.upper + 1) % n
    ]
    return simplify(out.with_parts(constraints=[*out.constraints, *inside]), "replace")


def _box(m: IndexingMap, place: Sequence[int]) -> Tile:
    """Return the least box of the tile at a place, with its offset as an expression of any place."""
    here = simplify(m.with_parts(dims=[Interval(x, x) for x in place]), "replace")
    count = len(m.results)
    offset: list[Value] = [0] * count
    size, stride = [1] * count, [1] * count
    first: dict[Symbol, Value] = {rng(k).symbols[0]: v.bounds.lower for k, v in enumerate(m.ranges)}
    if here.is_known_empty:
        return Tile(refusal=f"the tile {tuple(place)} reads nothing")
    for (own,) in groups([here]):
        symbols = [s for s in own.variables if place_of(s)[0] == 1]
        rows = own.rows([*own.results.values(), *(rng(place_of(s)[1]) for s in symbols)], {})
        for n, j in enumerate(own.results):
            values = sorted({row[n] for row in rows})
            stride[j] = gcd(*(x - values[0] for x in values)) or 1
            size[j] = (values[-1] - values[0]) // stride[j] + 1
            least = min(rows, key=itemgetter(n))
            corner = dict(zip(symbols, least[len(own.results) :], strict=True))
            offset[j] = rebind(m.results[j], {**first, **corner})
    settled = simplify(IndexingMap(offset, m.dims), "replace")
    return Tile(settled.results, tuple(size), tuple(stride))


def _proved(whole: IndexingMap, box: Tile, place: Sequence[int]) -> Tile:
    """Return a box with its bounds, or the refusal if a tile reads anything else."""
    if box.refusal:
        return box
    lines = [x + rng(i) * n for i, (x, n) in enumerate(zip(box.offset, box.stride, strict=True))]
    boxes = IndexingMap(lines, whole.dims, box.size)
    moved = [x - y for x, y in zip(whole.results, box.offset, strict=True)]
    is_same = not whole.constraints and not any(
        place_of(s)[0] == 0 for x in moved if type(x) is Expr for s in x.symbols
    )  # in every tile, but for the offset
    pair = [boxes, whole]
    if is_same:
        pair = [m.with_parts(dims=[Interval(x, x) for x in place]) for m in pair]
    bounds = [Interval(0, 0)] * len(lines)
    at, element = list(place), [0] * len(lines)  # of some tile
    wrong: list[tuple[Own, tuple[int, ...], bool]] = []
    for expected, own in groups([simplify(m, "replace") for m in pair], (0, 0)):
        found = {*own.rows(own.related, {})}
        if not found:
            return Tile(refusal="the map reads nothing")
        columns = [(j, {row[c] for row in found}) for c, j in enumerate(own.results)]
        for j, values in columns:
            bounds[j] = Interval(min(values), max(values))
        n = len(columns)
        tiles = {row[n:] for row in found}
        true = {
            row
            for row in expected.rows(expected.related, {})
            if row[n:] in tiles and all(x in bounds[j] for x, j in zip(row, own.results, strict=False))
        }
        extra, missing = found - true, true - found
        _note(own, min(found, default=()), at, element)
        if extra or missing:
            row = min(extra | missing, key=lambda row: (row[n:], row))
            wrong.append((own, row, row in missing))
    if wrong:
        own, row, is_missing = wrong[0]
        _note(own, row, at, element)
        where, named = (f"({', '.join(map(str, part))})" for part in (at, element))
        why = f"it has {'no ' if is_missing else ''}{named}{'' if is_missing else ' too'}"
        point = tuple(at), tuple(element)
        return Tile(refusal=f"the image of tile {where} is no box: {why}", point=point)
    if is_same:
        within = dict(IndexingMap(box.offset, whole.dims).within())
        starts: list[Any] = [bounds_of(rebind(x, within)) for x in box.offset]
        ends = [(n - 1) * by for n, by in zip(box.size, box.stride, strict=True)]
        bounds = [Interval(low, high + end) for (low, high), end in zip(starts, ends, strict=True)]
    return box._replace(bounds=tuple(bounds))


def _note(own: Own, row: tuple[int, ...], at: list[int], element: list[int]) -> None:
    """Write the values of a group's results and dims to their places."""
    for j, x in zip(own.results, row, strict=False):
        element[j] = x
    for s, x in zip(own.dims, row[len(own.results) :], strict=False):
        at[place_of(s)[1]] = x
