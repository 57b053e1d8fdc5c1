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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import CongruenceError, CoordinateError, UndecidedError
from ..numbers import Expr, Interval, bounds_of, compute, leaf, rebind, symbols_in
from .images import Own, TooManyError, groups
from .maps import IndexingMap, require_map
from .places import placed
from .simplify import simplify
from .variables import dim, place_of, rng, rt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..numbers import Symbol, Value


_FEW: Final = (1, 16, 256)
"""The tiles of the last two dims that may refuse, where all are too many."""


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

    def settled(parts: list[IndexingMap], at: list[int]) -> Tile:
        found = _proved(parts, _box(free, at))
        if found.refusal and whole.constraints:  # they may leave out points in equal steps
            again = _proved(parts, _box(whole, middle))
            found = found if again.refusal else again
        return found

    try:
        found = settled([whole], first)
    except TooManyError:
        found = _tried(whole, first, middle, settled=settled)
        if not found.size and not found.refusal:
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


def _proved(parts: Sequence[IndexingMap], box: Tile) -> Tile:
    """Return a box with its bounds, or the refusal if a tile reads anything else.

    Args:
        parts: The map from tiles to what they read, on parts of the tiles.
    """
    if box.refusal:
        return box
    lines = [x + rng(i) * n for i, (x, n) in enumerate(zip(box.offset, box.stride, strict=True))]
    reach: list[list[int]] = [[] for _x in lines]
    read: list[tuple[list[int], list[tuple[Own, Own, set[Any]]]]] = []
    for part in (part for part in parts if not part.is_known_empty):
        place = [v.bounds.lower for v in part.dims]
        boxes = IndexingMap(lines, part.dims, box.size)
        moved = [x - y for x, y in zip(part.results, box.offset, strict=True)]
        pair = [boxes, part]
        if not part.constraints and not any(place_of(s)[0] == 0 for x in moved for s in symbols_in(x)):
            # every tile reads the same, but for the offset
            pair = [m.with_parts(dims=[Interval(x, x) for x in place]) for m in pair]
            within = dict(IndexingMap(box.offset, part.dims).within())
            for ends, x, n, by in zip(reach, box.offset, box.size, box.stride, strict=True):
                low, high = bounds_of(rebind(x, within))
                ends += [low or 0, (high or 0) + (n - 1) * by]
        own_parts: list[tuple[Own, Own, set[Any]]] = []
        for expected, own in groups([simplify(m, "replace") for m in pair], (0, 0)):
            found = {*own.rows(own.related, {})}
            own_parts.append((expected, own, found))
            for c, j in enumerate(own.results):
                reach[j] += {row[c] for row in found}
        if all(found for _expected, _own, found in own_parts):
            read.append((place, own_parts))
    if not read:
        return Tile(refusal="the map reads nothing")
    bounds = [Interval(min(ends), max(ends)) for ends in reach]
    for at, own_parts in read:
        element = [0] * len(lines)  # of some tile
        wrong: list[tuple[Own, tuple[int, ...], bool]] = []
        for expected, own, found in own_parts:
            tiles = {row[len(own.results) :] for row in found}
            true = {
                row
                for row in expected.rows(expected.related, {})
                if row[len(own.results) :] in tiles
                and all(x in bounds[j] for x, j in zip(row, own.results, strict=False))
            }
            _note(own, min(found), at, element)
            if found != true:
                row = min(found ^ true, key=lambda row: (row[len(own.results) :], row))
                wrong.append((own, row, row not in found))
        for own, row, is_extra in wrong[:1]:
            _note(own, row, at, element)
            where, named = (f"({', '.join(map(str, part))})" for part in (at, element))
            why = f"it has no {named}" if is_extra else f"it has {named} too"
            why = f"the image of tile {where} is no box: {why}"
            return Tile(refusal=why, point=(tuple(at), tuple(element)))
    return box._replace(bounds=tuple(bounds))


def _tried(whole: IndexingMap, *places: list[int], settled: Callable[..., Tile]) -> Tile:
    """Return what few tiles refuse, or what all prove if those at the ends count by themselves."""
    rows = [v.bounds for v in whole.dims]
    for count in _FEW:
        for at in places:
            few = [Interval(x, min(row.upper, x + count - 1)) for row, x in zip(rows, at, strict=True)]
            few[:-2] = [Interval(x, x) for x in at[:-2]]
            try:
                found = settled([simplify(whole.with_parts(dims=few), "replace")], at)
            except TooManyError:
                continue
            if found.point is not None:
                return found
    cuts: list[list[Interval]] = []
    for row in rows:
        a, b = row.lower, row.upper
        parts = dict.fromkeys((Interval(a, a), Interval(a + 1, b - 1), Interval(b, b)))
        cuts.append([part for part in parts if part.is_feasible])
    try:
        each = [simplify(whole.with_parts(dims=dims), "replace") for dims in product(*cuts)]
        return settled(each, places[0])
    except TooManyError:
        return Tile()


def _note(own: Own, row: tuple[int, ...], at: list[int], element: list[int]) -> None:
    """Write the values of a group's results and dims to their places."""
    for j, x in zip(own.results, row, strict=False):
        element[j] = x
    for s, x in zip(own.dims, row[len(own.results) :], strict=False):
        at[place_of(s)[1]] = x
