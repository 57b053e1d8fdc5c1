"""The offset of a tiled shape as a function of its dims: an exact answer without a look at each index.

The tiles are run backwards. After the last one every axis of the memory is linear: its coordinate times
its stride. A count and its inner axis make the function of the axis before the split. The function of
axes that ``*`` merged is split again. This works as long as digits can express the functions. If they
cannot:

- A dim that is merged with no other has a mode if and only if the split is even. If it is uneven, the
  proof is the index at which the tile ends. The digits below it make its offset a sum of two offsets on
  separate axes, but the tile puts it on one axis more.
- Dims that ``*`` merges are checked index by index, up to the ``indices`` of `limits`. Of more indices
  only a few are tried, which may refute a layout. If none does, the answer is `UndecidedError`.

Source: our own derivation.
"""

from __future__ import annotations

from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..ground import limit_of
from ..numbers import ceil_div
from .digits import Break, Digits, digits_of, join_digits, read_digits, split_digits, top_weight
from .tiling import cut_by, row_major

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .rules import Tile


class NoDigits(NamedTuple):
    """Why no nested layout with one mode for each dim has these offsets, with a proof.

    Such a layout would place the index ``at`` at the sum of the offsets of ``parts``.

    Attributes:
        reason: ``"broken-digit"``: a dim alone has no mode, because the digits below the index decide
            the sum. ``"misaligned-combine"``: the offset is not a sum over the dims.
        dim: The dim without a mode; if dims carry into each other, the one that is split.
        digit, tile: The size of the digit, and the tile that cuts it unevenly, if known.
    """

    reason: str
    dim: int
    at: tuple[int, ...]
    parts: tuple[tuple[int, ...], tuple[int, ...]]
    digit: int | None = None
    tile: int | None = None


class OpenDims(NamedTuple):
    """Dims merged by ``*`` with too many indices to try, if no tried index refutes a layout."""

    dims: tuple[int, ...]
    elements: int


class Combined(NamedTuple):
    """Axes merged into groups so that the offset is a sum over the groups.

    Attributes:
        tiles: The number of tiles that made the axes.
        groups: The numbers of the axes of each group, major first.
        extents: The sizes of the axes of each group.
        reaches: One more than the greatest row-major index of each group that has an element.
        digits: The digits of each group.
    """

    tiles: int
    groups: tuple[tuple[int, ...], ...]
    extents: tuple[tuple[int, ...], ...]
    reaches: tuple[int, ...]
    digits: tuple[Digits, ...]


class _Axis(NamedTuple):
    """An axis of the memory: its size, the end of its elements, and its dims.

    If it is a part of one dim, a step on it is ``weight`` steps in that dim. Otherwise ``weight`` is 0.
    """

    extent: int
    reach: int
    dims: frozenset[int]
    weight: int


class _Stage(NamedTuple):
    """One tile: it adds ``missing`` axes in front, keeps some, merges and splits the others."""

    missing: int
    untouched: tuple[_Axis, ...]
    parts: tuple[tuple[_Axis, ...], ...]
    merged: tuple[_Axis, ...]
    entries: tuple[int, ...]


class TiledFunction:
    """The offset of an array as a function of its index, in stages of one tile each.

    >>> function = TiledFunction((3, 5), (0, 1), [(2, 2)])
    >>> function.offset((2, 3)), function.elements, function.digits()
    (17, 24, (((2, 2), (2, 12)), ((2, 1), (3, 4))))

    Args:
        sizes: The dims; none is 0.
        major_to_minor: The order of the dims in memory.
        tiles: The tiles.
    """

    __slots__ = (
        "_axes",
        "_broken",
        "_digits",
        "_found",
        "_order",
        "_sizes",
        "_stages",
        "_strides",
        "combined",
    )

    def __init__(
        self, sizes: Sequence[int], major_to_minor: Sequence[int], tiles: Iterable[Tile]
    ) -> None:
        self._sizes, self._order = tuple(map(int, sizes)), tuple(major_to_minor)
        extents = [self._sizes[p] for p in self._order]
        axes = [_Axis(n, n, frozenset([p]), 1) for n, p in zip(extents, self._order, strict=True)]
        self._stages: list[_Stage] = []
        for tile in tiles:
            stage = _stage(axes, tile)
            self._stages.append(stage)
            axes = _after(stage)
        self._axes = axes
        self._strides = [prod(axis.extent for axis in axes[i + 1 :]) for i in range(len(axes))]
        self._digits: tuple[Digits, ...] | NoDigits | OpenDims | None = None
        self._broken: dict[int, tuple[int, int, int]] = {}
        pairs = zip(axes, self._strides, strict=True)
        linear = [digits_of([(axis.reach, d)], axis.reach) for axis, d in pairs]
        self.combined: Combined = Combined(
            len(self._stages),
            tuple((i,) for i in range(len(axes))),
            tuple((axis.extent,) for axis in axes),
            tuple(axis.reach for axis in axes),
            tuple(linear),
        )
        """The coordinates over which a layout exists, after the fewest tiles."""
        self._found = self._backwards(linear)

    @property
    def elements(self) -> int:
        """The number of elements of the array's memory."""
        return prod(axis.extent for axis in self._axes)

    def offset(self, index: Sequence[int]) -> int:
        """Return the offset of an element; the index is not checked."""
        at = self.coordinates(index, len(self._stages))
        return sum(x * d for x, d in zip(at, self._strides, strict=True))

    def coordinates(self, index: Sequence[int], tiles: int) -> list[int]:
        """Return the coordinates of an element in the axes after the first ``tiles`` tiles."""
        at = [index[p] for p in self._order]
        for stage in self._stages[:tiles]:
            at = [0] * stage.missing + at
            start = len(stage.untouched)
            tail: list[int] = []
            end = start
            for axes in stage.parts:
                begin, end = end, end + len(axes)
                tail.append(row_major(at[begin:end], [axis.extent for axis in axes]))
            counts = [x // t for x, t in zip(tail, stage.entries, strict=True)]
            inner = [x % t for x, t in zip(tail, stage.entries, strict=True)]
            at = at[:start] + counts + inner
        return at

    def over_combined(self) -> tuple[object, ...]:
        """Return the coordinates and the digits over them; only equal functions have equal ones."""
        return self._sizes, self._order, tuple(self._stages[: self.combined.tiles]), self.combined

    def digits(self) -> tuple[Digits, ...] | NoDigits | OpenDims:
        """Return the digits of each dim, or a proof that there are none, or the undecided dims."""
        if self._digits is None:
            self._digits = self._decided()
        return self._digits

    def _decided(self) -> tuple[Digits, ...] | NoDigits | OpenDims:
        found = list(self._found)
        for dims in self._components():
            if all(found[d] is not None for d in dims):
                continue
            answer: Sequence[Digits] | NoDigits | OpenDims
            if len(dims) == 1 and dims[0] in self._broken:
                answer = self._proof(dims[0])
            else:
                answer = self._looked_at(dims)
            if isinstance(answer, (NoDigits, OpenDims)):
                return answer
            for d, digits in zip(dims, answer, strict=True):
                found[d] = digits
        return tuple(digits for digits in found if digits is not None)

    def suspects(self, dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Indices at the ends of some dims and of tiles, along one or two dims at a time."""
        points = {d: self._points(d) for d in dims}
        zero = (0,) * len(self._sizes)
        for d, xs in points.items():
            yield from (_with(zero, {d: x}) for x in xs)
        for d, e in combinations(dims, 2):
            yield from (_with(zero, {d: x, e: y}) for x, y in product(points[d], points[e]))
        yield _with(zero, {d: self._sizes[d] - 1 for d in dims})

    # --- backwards ---

    def _backwards(self, linear: list[Digits]) -> tuple[Digits | None, ...]:
        """The digits of each dim from those of the axes; None for a dim that they do not decide."""
        axes: list[Digits | None] = [*linear]
        for number in reversed(range(len(self._stages))):
            stage = self._stages[number]
            start, k = len(stage.untouched), len(stage.entries)
            merged: list[Digits | None] = []
            tail: list[Digits | None] = []
            for i, (parts, axis, t) in enumerate(
                zip(stage.parts, stage.merged, stage.entries, strict=True)
            ):
                high, low = axes[start + i], axes[start + k + i]
                whole = None if high is None or low is None else join_digits(low, high, t, axis.reach)
                if low and axis.weight and axis.reach > t and t % top_weight(low):
                    self._break(min(axis.dims), t * axis.weight, t, top_weight(low))
                merged.append(whole)
                tail += _taken_apart(whole, parts)
            self._keep_combined(number, axes[:start] + merged)
            axes = (axes[:start] + tail)[stage.missing :]
        by_dim = dict(zip(self._order, axes, strict=True))
        return tuple(by_dim[d] for d in range(len(self._sizes)))

    def _break(self, dim: int, index: int, t: int, tile: int) -> None:
        """Remember the least index at which a dim has no digits; the digits below it are certain."""
        if dim not in self._broken or index < self._broken[dim][0]:
            self._broken[dim] = index, t, tile

    def _keep_combined(self, number: int, found: Sequence[Digits | None]) -> None:
        """Remember the coordinates before a tile splits, if a layout over them exists."""
        digits = [each for each in found if each is not None]
        if len(digits) < len(found):
            return
        stage = self._stages[number]
        parts = [*((axis,) for axis in stage.untouched), *stage.parts]
        reaches = [axis.reach for axis in (*stage.untouched, *stage.merged)]
        at = -stage.missing
        groups: list[tuple[int, ...]] = []
        for part in parts:
            groups.append(tuple(i for i in range(at, at + len(part)) if i >= 0))
            at += len(part)
        kept = [i for i, group in enumerate(groups) if group]
        self.combined = Combined(
            number,
            tuple(groups[i] for i in kept),
            tuple(tuple(axis.extent for axis in parts[i][-len(groups[i]) :]) for i in kept),
            tuple(reaches[i] for i in kept),
            tuple(digits[i] for i in kept),
        )

    # --- dims that digits do not decide ---

    def _components(self) -> list[tuple[int, ...]]:
        """Groups of dims such that the offset is a sum over the groups; ``*`` merges only within one."""
        parts = [frozenset([d]) for d in range(len(self._sizes))]
        for stage in self._stages:
            for axis in stage.merged:
                touched = [part for part in parts if part & axis.dims]
                if len(touched) > 1:
                    parts = [part for part in parts if part not in touched]
                    parts.append(frozenset[int]().union(*touched))
        return sorted(tuple(sorted(part)) for part in parts)

    def _proof(self, dim: int) -> NoDigits:
        """The proof that a dim that is merged with no other has no digits."""
        index, t, tile = self._broken[dim]
        zero = (0,) * len(self._sizes)
        low = t % tile * (index // t)
        parts = _with(zero, {dim: low}), _with(zero, {dim: index - low})
        return NoDigits("broken-digit", dim, _with(zero, {dim: index}), parts, t, tile)

    def _looked_at(self, dims: tuple[int, ...]) -> Sequence[Digits] | NoDigits | OpenDims:
        """The digits of dims that ``*`` merges, index by index."""
        elements, most = prod(self._sizes[d] for d in dims), limit_of("indices")
        refuted = self._carry(dims, self.suspects(dims))
        if refuted is None and elements <= most:
            zero = (0,) * len(self._sizes)
            ranges = [range(self._sizes[d]) for d in dims]
            refuted = self._carry(
                dims, (_with(zero, dict(zip(dims, at, strict=True))) for at in product(*ranges))
            )
        if refuted is not None:
            return refuted
        found: list[Digits] = []
        for d in dims:
            answer = self._alone(d, most if elements <= most else most >> 4)
            if isinstance(answer, NoDigits):
                return answer
            found.append(answer)
        return found if elements <= most else OpenDims(dims, elements)

    def _carry(self, dims: tuple[int, ...], indices: Iterable[tuple[int, ...]]) -> NoDigits | None:
        """A proof that the offset is no sum over the dims, from one of the indices."""
        zero = (0,) * len(self._sizes)
        for index in indices:
            moved = [d for d in dims if index[d]]
            for d in moved[:-1]:
                one, rest = _with(zero, {d: index[d]}), _with(index, {d: 0})
                if self.offset(index) != self.offset(one) + self.offset(rest):
                    minor = max(moved, key=self._order.index)
                    return NoDigits("misaligned-combine", minor, index, (one, rest))
        return None

    def _alone(self, dim: int, work: int) -> Digits | NoDigits:
        """The digits of the first ``work`` indices of one dim, while the others are 0."""
        zero = (0,) * len(self._sizes)
        n = min(self._sizes[dim], work)
        answer = read_digits([self.offset(_with(zero, {dim: x})) for x in range(n)])
        if not isinstance(answer, Break):
            return answer
        parts = _with(zero, {dim: answer.low}), _with(zero, {dim: answer.high})
        return NoDigits("broken-digit", dim, _with(zero, {dim: answer.at}), parts)

    def _points(self, dim: int) -> list[int]:
        """Indices of a dim at which a digit may end: the ends of the dim, of tiles and their parts."""
        n = self._sizes[dim]
        ends = {1, 2, n - 1, n - 2}
        for stage in self._stages:
            for axis, t in zip(stage.merged, stage.entries, strict=True):
                if dim in axis.dims:
                    ends |= {t + i for i in (-1, 0, 1)}
        return sorted(x for x in ends if 0 < x < n)


def _with(index: tuple[int, ...], values: dict[int, int]) -> tuple[int, ...]:
    return tuple(values.get(d, x) for d, x in enumerate(index))


def _taken_apart(whole: Digits | None, parts: tuple[_Axis, ...]) -> Sequence[Digits | None]:
    found = None
    if whole is not None:
        found = split_digits(whole, [axis.extent for axis in parts], [axis.reach for axis in parts])
    return [None] * len(parts) if found is None else found


def _stage(axes: list[_Axis], tile: Tile) -> _Stage:
    missing, kept, groups, sizes = cut_by(tile, axes, _Axis(1, 1, frozenset(), 1))
    return _Stage(missing, tuple(axes[:kept]), groups, tuple(map(_merged, groups)), sizes)


def _merged(parts: tuple[_Axis, ...]) -> _Axis:
    """The axis that ``*`` makes of some; a part of one dim if one axis moves and none below it does."""
    moving = [i for i, axis in enumerate(parts) if axis.reach > 1]
    is_part = len(moving) == 1 and all(axis.extent == 1 for axis in parts[moving[0] + 1 :])
    extent = prod(axis.extent for axis in parts)
    reach = row_major([axis.reach - 1 for axis in parts], [axis.extent for axis in parts]) + 1
    dims = frozenset[int]().union(*(parts[i].dims for i in moving))
    return _Axis(extent, reach, dims, parts[moving[0]].weight if is_part else 0)


def _after(stage: _Stage) -> list[_Axis]:
    """The axes that the tile of a stage makes."""
    pairs = list(zip(stage.merged, stage.entries, strict=True))
    counts = [
        _Axis(ceil_div(axis.extent, t), ceil_div(axis.reach, t), axis.dims, axis.weight * t)
        for axis, t in pairs
    ]
    inner = [_Axis(t, min(axis.reach, t), axis.dims, axis.weight) for axis, t in pairs]
    return [*stage.untouched, *counts, *inner]
