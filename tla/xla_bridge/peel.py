# SPDX-License-Identifier: Apache-2.0
"""Tiles for a chain of digits, peeled off from the major end.

The chain is cut into runs, from the greatest stride down. In a run every axis has at most one digit, and
the axes have one common order. One tile counts a run, and the other digits of each axis are inside the
tile. The peel needs digits whose weights on one axis shrink with their strides.

In other dims a greater part of the index lies inside a smaller one, as under ``T(8,128)(2,1,1,1)``.
Tiles in front of the peel cut such a dim into axes that are in order. At the latest each digit is an
axis of its own. So this ends for every chain. The number of tiles, and of entries of a tile, is at most
linear in the number of digits.

Source: our own construction.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..numbers import SymbolicInt, known_eq, known_lt
from .chain import Digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .rules import Tile

_Axis = tuple[int, int]
"""A part of a dim: the number of tiles that cut it off from the parts above, and the dim."""

_Cuts = list[dict[int, int]]
"""The entries of each tile in front of the peel, by dim: the extent of the part inside the tile."""

_Ranked = tuple[int, int]
"""The weight of a digit, and its place in the chain: the greatest stride is first."""


class Tiling(NamedTuple):
    """The dims from the major one to the minor one, and the tiles. An entry may be symbolic."""

    order: tuple[int, ...]
    tiles: tuple[Tile, ...]

    @property
    def cost(self) -> tuple[Any, ...]:
        """The key of simplicity: fewer tiles, lower rank, row major, smaller entries."""
        return len(self.tiles), sum(map(len, self.tiles)), self.order, self.tiles

    @property
    def unknown_entry(self) -> SymbolicInt | None:
        """A symbolic entry, if there is one; XLA has no such tiles."""
        entries: list[Any] = [t for tile in self.tiles for t in tile]
        return next((t for t in entries if isinstance(t, SymbolicInt)), None)


def tilings(chain: Sequence[Digit], dims: Sequence[int]) -> Iterator[Tiling]:
    """Yield tilings of the chain: by the peel alone, or after tiles that cut dims.

    There is one for every chain of known ints.

    >>> from .chain import Digit
    >>> chain = [Digit(1, 1, 4, 4, 4), Digit(0, 1, 2, 2, 2), Digit(0, 2, 2, 1, 2)]
    >>> min(tilings(chain, (4, 4)), key=lambda tiling: tiling.cost)
    Tiling(order=(1, 0), tiles=((2,), (2, 1)))

    Args:
        chain: Digits with their pitches, the greatest stride first.
        dims: The sizes of the dims; none for a scalar.
    """
    for spread, sizes in _with_padding(chain, dims):
        if first_out_of_order(spread) is None:
            yield from _peel(spread, sizes, len(dims), [])
            continue
        if any(isinstance(digit.weight, SymbolicInt) for digit in spread):
            continue  # the place of a cut is unknown
        seen: list[_Cuts] = []
        for rest in (_of_smaller_strides, _nothing, _all):
            cuts = _cuts(spread, sizes, rest)
            if cuts not in seen:
                seen.append(cuts)
                yield from _peel(spread, sizes, len(dims), cuts)


def first_out_of_order(chain: Sequence[Digit]) -> tuple[Digit, Digit] | None:
    """Return two digits of a dim of which the one of greater weight has the smaller stride, or None."""
    above: dict[int, Digit] = {}
    for digit in chain:
        higher = above.get(digit.dim)
        if higher is not None and known_lt(higher.weight, digit.weight) is not False:
            return digit, higher
        above[digit.dim] = digit
    return None


# --- the place of the padding -----------------------------------------------------------------


def _with_padding(
    chain: Sequence[Digit], dims: Sequence[int]
) -> Iterator[tuple[list[Digit], tuple[int, ...]]]:
    """Yield chains with padding on its own digits, or on dims of size 1.

    A dim of size 1 has its padding in one tile, where a digit needs two. It is a dim of the array, or
    one more dim in front, which a tile with more entries than dims adds.
    """
    yield list(chain), tuple(dims) or (1,)  # for tiles a scalar is an array of one element
    paddings = sum(map(_moves, chain))
    ones = [dim for dim, n in enumerate(dims) if known_eq(n, 1) is True][::-1]
    for count in sorted({1, paddings} if paddings else ()):
        added = max(count - len(ones), 0)
        spare = (ones + list(range(len(dims), len(dims) + added)))[:count]
        yield _on_spare(chain, spare), (*dims, *[1] * added)


def _moves(digit: Digit) -> bool:
    """Whether the padding of a digit is a digit of its own, above it."""
    known = not isinstance(digit.pitch, SymbolicInt) and not isinstance(digit.size, SymbolicInt)
    return known and digit.size < digit.pitch and digit.pitch % digit.size == 0


def _on_spare(chain: Sequence[Digit], spare: list[int]) -> list[Digit]:
    """The chain with its padding on dims of size 1, each on its own dim, or all on the only one."""
    out: list[Digit] = []
    weights = dict.fromkeys(spare, 1)
    tops: dict[int, int] = {}
    for digit in reversed(chain):
        if not _moves(digit):
            out.append(digit)
            continue
        if digit.size > 1:
            out.append(digit._replace(pitch=digit.size))
        dim = spare[min(len(tops), len(spare) - 1)]
        n = digit.pitch // digit.size
        tops[dim] = len(out)
        out.append(Digit(dim, weights[dim], n, digit.stride * digit.size, n))
        weights[dim] *= n
    for top in tops.values():
        out[top] = out[top]._replace(size=1)  # the dim has size 1, so a tile makes all of it
    return out[::-1]


# --- the cuts ---------------------------------------------------------------------------------


def _cuts(
    chain: Sequence[Digit], dims: Sequence[int], rest: Callable[[list[_Ranked], int, int], int]
) -> _Cuts:
    """Entries of tiles that cut every dim into parts whose digits are in order.

    Args:
        rest: The entry of a dim that needs no cut, by its digits, its extent and the first place in
            the chain of the part inside the tile.
    """
    inside: dict[int, list[_Ranked]] = {dim: [] for dim in range(len(dims))}
    for place, digit in enumerate(chain):
        if known_lt(digit.size, 2) is not True:  # a filler for a digit may stand anywhere
            inside[digit.dim].append((digit.weight, place))
    for digits in inside.values():
        digits.sort(reverse=True)
    extents = dict(enumerate(dims))
    out: _Cuts = []
    while True:
        heads = {dim: _head(digits) for dim, digits in inside.items()}
        broken = [dim for dim, head in heads.items() if head < len(inside[dim])]
        if not broken:
            return out
        first = min(place for dim in broken for _w, place in inside[dim][heads[dim] :])
        extents = {
            dim: digits[heads[dim] - 1][0] if dim in broken else rest(digits, extents[dim], first)
            for dim, digits in inside.items()
        }
        inside = {
            dim: [d for d in digits if known_lt(d[0], extents[dim]) is not False]
            for dim, digits in inside.items()
        }
        out.append(extents)


def _head(digits: list[_Ranked]) -> int:
    """The number of digits, from the greatest weight down, that are in order."""
    for i, (above, below) in enumerate(pairwise(digits)):
        if below[1] < above[1]:
            return i + 1
    return len(digits)


def _of_smaller_strides(digits: list[_Ranked], extent: int, first: int) -> int:
    """The extent of the digits with strides no greater than those inside the tile."""
    for weight, place in reversed(digits):
        if place < first:
            return weight
    return extent


def _nothing(_digits: list[_Ranked], _extent: int, _first: int) -> int:
    return 1


def _all(_digits: list[_Ranked], extent: int, _first: int) -> int:
    return extent


# --- the peel ---------------------------------------------------------------------------------


def _peel(chain: Sequence[Digit], dims: Sequence[int], rank: int, cuts: _Cuts) -> Iterator[Tiling]:
    """The tilings whose first tiles make the cuts, and whose other tiles peel off the runs.

    If the runs allow several orders of the dims, it is row major, or dims that fewer tiles split come
    first, which makes the tiles shorter.
    """
    after, runs = _runs(chain, len(dims), rank, cuts)
    placed: dict[_Axis, list[tuple[Digit, int]]] = {}
    ends: dict[int, tuple[int, int]] = dict.fromkeys(after, (0, -1))
    for digit, run in zip(chain, runs, strict=True):
        level, dim = axis = _axis(digit, cuts)
        placed.setdefault(axis, []).append((digit, run))
        ends[dim] = max(ends[dim], (level, run))
    row_major = _order(after, list(after))
    short = _order(after, sorted(after, key=lambda dim: ends[dim]))
    for order in [row_major] if row_major == short else [row_major, short]:
        tiles = tuple(_tiles(placed, max(runs, default=0), order, cuts))
        yield Tiling(tuple(dim for dim in order if dim < rank), tiles)


def _tiles(
    placed: dict[_Axis, list[tuple[Digit, int]]], last_run: int, order: list[int], cuts: _Cuts
) -> Iterator[tuple[int, ...]]:
    """The tiles of an order: those of the cuts, and one between each two runs."""
    # leading dims that no tile in front of the peel cuts stay where they are
    kept = next((i for i, dim in enumerate(order) if any(cut[dim] != 1 for cut in cuts)), 0)
    for cut in cuts:
        yield tuple(cut[dim] for dim in order[kept:])
    bases = [*cuts, dict.fromkeys(order, 1)]
    axes = [(level, dim) for level in range(len(bases)) for dim in (order[kept:] if level else order)]
    yield from _strip_ones(
        [
            [_entry(placed.get((level, dim), []), bases[level][dim], j) for level, dim in axes]
            for j in range(1, last_run + 1)
        ]
    )


def _axis(digit: Digit, cuts: _Cuts) -> _Axis:
    level = sum(known_lt(digit.weight, cut[digit.dim]) is True for cut in cuts)
    return level, digit.dim


def _runs(
    chain: Sequence[Digit], axes: int, rank: int, cuts: _Cuts
) -> tuple[dict[int, set[int]], list[int]]:
    """The dims that must be more minor than each dim, and the run of each digit.

    A digit stands in a later run than the digit above it on its axis. With padding it stands two runs
    later: one tile ends the digit above, and the next one makes the padding.
    """
    after: dict[int, set[int]] = {dim: set() for dim in range(axes)}  # dims more minor than it
    for added in range(rank, axes):  # it stands in front
        after[added].update(range(rank))
    last: dict[_Axis, int] = {}
    run = 0
    members: list[_Axis] = []  # the axes of the run
    runs: list[int] = []
    for digit in chain:
        axis = level, dim = _axis(digit, cuts)
        first = last.get(axis, -1) + (2 if digit.padded else 1)
        if run < first or any(
            at > level or (at == level and member in _reach(after, dim)) for at, member in members
        ):
            run, members = max(run + 1, first), []
        for at, member in members:
            if at == level:
                after[member].add(dim)
        members.append(axis)
        last[axis] = run
        runs.append(run)
    return after, runs


def _order(after: dict[int, set[int]], wanted: list[int]) -> list[int]:
    """The dims in an order that `after` allows, as near to the wanted order as possible."""
    order: list[int] = []
    rest = list(wanted)
    while rest:
        free = next(d for d in rest if not any(d in after[other] for other in rest if other != d))
        order.append(free)
        rest.remove(free)
    return order


def _reach(after: dict[int, set[int]], dim: int) -> set[int]:
    """The dims that must be more minor than ``dim``."""
    found: set[int] = set()
    todo = list(after[dim])
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo.extend(after[at])
    return found


def _entry(placed: list[tuple[Digit, int]], base: int, j: int) -> int:
    """The entry of tile ``j`` for an axis: the padded extent of its digits in later runs."""
    above = -1  # the run of the digit above the first of these
    for k, (digit, run) in enumerate(placed):
        if run >= j:
            if k == 0 and j < run and known_eq(digit.size, 1) is True:
                return 1  # only padding: a later tile makes it
            # directly below the digit above, the tile is exact, so that it ends that digit
            exact = k > 0 and j == above + 1
            return digit.weight // base * (digit.size if exact else digit.pitch)
        above = run
    return 1


def _strip_ones(full: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """The tiles without leading ones, which place nothing, if no later tile needs the axis."""
    strip = len(full[0]) - 1 if full else 0
    tiles: list[tuple[int, ...]] = []
    for entries in reversed(full):
        ones = next((i for i, t in enumerate(entries) if t != 1), len(entries) - 1)
        strip = min(strip, ones)
        tiles.append(tuple(entries[strip:]))
    return reversed(tiles)
