"""From a nested layout to the XLA shape of the same function and size.

A layout is an XLA tiled layout without ``*`` exactly where its digits, sorted by stride, form a
chain: each stride is a multiple of the one below, and no smaller than the room the digit below
takes. The tiles are then peeled off from the major end: digits are cut into runs, in each of which
every dim appears at most once and in one common order; a run is what one tile counts, and the rest
of each dim is the tile.

>>> layout = parse("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
>>> print(from_layout(layout, dtype="f32"))
f32[3,5]{1,0:T(2,2)}

Source: our own theorem and construction; every tile chain gives such digits and the reverse.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, SupportsIndex

from ..errors import DivisibilityError, LayoutError, OverlapError, UnsupportedError
from ..int_tuple import leaves, wrap
from ..ints import SymbolicInt, ceil_div, known_int, leaf, round_up
from ..layout import as_layout
from .shape import Tile, XlaShape

if TYPE_CHECKING:
    from ..dtypes import ElementType
    from ..layout import AnyLayout

__all__ = ["from_layout"]


class _Digit:
    """A leaf that moves: ``size`` steps of ``stride``, in a dim where it counts by ``weight``.

    Neighbours in memory are ``pitch`` of this stride apart; more than ``size`` is padding.
    """

    __slots__ = ("dim", "pitch", "run", "size", "stride", "weight")

    def __init__(self, dim: int, weight: int, size: int, stride: int) -> None:
        self.dim, self.weight, self.size, self.stride = dim, weight, size, stride
        self.pitch = size
        self.run = 0

    def __str__(self) -> str:
        return f"{self.size}:{self.stride} of dim {self.dim}"


def from_layout(
    layout: AnyLayout, dtype: str | ElementType = "f32", size: SupportsIndex | None = None
) -> XlaShape:
    """Return an XLA shape with ``physical_offset(shape, index) == layout(*index)`` for all valid ones.

    >>> print(from_layout(parse("(3,5):(128,1)"), dtype="f32", size=1024))
    f32[3,5]{1,0:T(8,128)}

    Args:
        layout: One top-level mode for each dim; its origin shape gives the dims.
        dtype: The element type, by XLA's name.
        size: The elements that the shape is to take in memory; by default the least possible that
            holds the layout's cosize.

    Raises:
        LayoutError: no tiles without ``*`` give this function: a stride is 0 or negative
            (`LayoutError`), two digits overlap or interleave (`OverlapError`), a stride or the
            size is not a multiple of the stride below (`DivisibilityError`).
        UnsupportedError: the layout has symbolic ints, or the peel does not reach it: within one
            dim a greater part of the index has the smaller stride. An XLA shape exists then too.
    """
    as_layout(layout)
    room: int | None = None if size is None else leaf(size)
    if any(isinstance(n, SymbolicInt) for n in leaves((layout.shape, layout.stride))):
        raise UnsupportedError(f"the symbolic layout {layout} has no XLA shape", layout=layout)
    dims = tuple(known_int(n) for n in leaves(layout.origin_shape))
    if 0 in dims:
        if room:
            raise LayoutError(f"the empty layout {layout} takes no memory, not {room} elements")
        return XlaShape(dtype, dims)
    digits = _chain(layout, dims)
    _set_pitches(layout, digits, room, len(dims))
    _check_peels(layout, digits)
    order = _set_runs(digits, dims)
    try:
        return XlaShape(dtype, dims, order[::-1], _tiles(digits, dims, order))
    except LayoutError as error:
        taken = "" if room is None else f" in {room} elements"
        raise LayoutError(
            f"XLA has no shape for {layout}{taken}: {error.summary}", layout=layout
        ) from None


# --- the chain test ---------------------------------------------------------------------------


def _chain(layout: AnyLayout, dims: tuple[int, ...]) -> list[_Digit]:
    """The digits of the data, greatest stride first; raises where they form no chain."""
    digits: list[_Digit] = []
    for dim, (shape, stride) in enumerate(zip(wrap(layout.shape), wrap(layout.stride), strict=True)):
        digits += _digits(dim, dims[dim], list(zip(leaves(shape), leaves(stride), strict=True)))
    digits.sort(key=lambda digit: -digit.stride)
    for digit in digits:
        if digit.stride < 1:
            kind = "broadcasts" if digit.stride == 0 else "runs backwards"
            raise LayoutError(
                f"{layout} is no XLA layout: the digit {digit} {kind}",
                "XLA gives every element its own place, and indices that grow growing offsets.",
                layout=layout,
            )
    for above, below in pairwise(digits):
        room = below.size * below.stride
        if above.stride < room:
            raise OverlapError(
                f"{layout} is no XLA layout without '*':"
                f" the digits {below} and {above} overlap or interleave",
                f"The first takes {room} elements, the second steps by only {above.stride}."
                " Whether tiles with '*' give it is not decided.",
                layout=layout,
            )
        if above.stride % below.stride:
            raise DivisibilityError(
                f"{layout} is no XLA layout without '*': the digits {below} and {above} do not nest",
                f"{above.stride} is not a multiple of {below.stride}. Whether tiles with '*'"
                " give it is not decided.",
                layout=layout,
            )
    return digits


def _digits(dim: int, extent: int, parts: list[tuple[Any, Any]]) -> list[_Digit]:
    """The digits that the first ``extent`` indices of a mode reach: neighbours in line are one."""
    merged: list[list[int]] = []
    for n, d in parts:
        if n == 1:
            continue
        if merged and d == merged[-1][0] * merged[-1][1]:
            merged[-1][0] *= int(n)
        else:
            merged.append([int(n), int(d)])
    digits: list[_Digit] = []
    weight = 1
    for n, d in merged:
        if weight >= extent:
            break
        digits.append(_Digit(dim, weight, min(n, ceil_div(extent, weight)), d))
        weight *= n
    return digits


def _set_pitches(layout: AnyLayout, digits: list[_Digit], size: int | None, rank: int) -> None:
    """Fill the chain: every pitch, the digits of size 1 that carry padding alone, and the size."""
    top = digits[0].stride if digits else 1
    least = round_up(max(int(layout.cosize), 1), top)
    if size is None:
        size = least
    elif size % top or size < (digits[0].size * top if digits else 1):
        raise DivisibilityError(
            f"{layout} cannot take {size} elements in memory without '*' and L",
            f"The size must be a multiple of {top}, at least {digits[0].size * top if digits else 1};"
            f" {least} is the least that holds its padding.",
            layout=layout,
            size=size,
        )
    above = size
    for digit in digits:
        digit.pitch, above = above // digit.stride, digit.stride
    if above > 1:  # the smallest stride is filled by a digit of size 1 and pitch `above`
        dim = digits[-1].dim if digits else rank - 1
        filler = _Digit(dim, 1, 1, 1)
        filler.pitch = above
        digits.append(filler)


# --- the peel ---------------------------------------------------------------------------------


def _check_peels(layout: AnyLayout, digits: list[_Digit]) -> None:
    """Raise where the digits of one dim do not shrink in weight along with their strides."""
    above: dict[int, _Digit] = {}
    for digit in digits:
        higher = above.get(digit.dim)
        if higher is not None and higher.weight < digit.weight:
            raise UnsupportedError(
                f"no XLA shape of {layout} is found",
                f"In dim {digit.dim} the greater part of the index, {digit.size}:{digit.stride},"
                f" lies inside the smaller one, {higher.size}:{higher.stride}.",
                "Tiles that reach across tiles, as (8,128)(2,1,1,1), give such layouts.",
                layout=layout,
            )
        above[digit.dim] = digit


def _set_runs(digits: list[_Digit], dims: tuple[int, ...]) -> list[int]:
    """Give each digit its run, and return the physical order of the dims, major first.

    A digit stands in a later run than the digit above it in its dim. Where it is padded it stands
    two later: one tile ends the digit above, the next one makes the padding.
    """
    after: dict[int, set[int]] = {dim: set() for dim in range(len(dims))}  # dims more minor than it
    last_run = dict.fromkeys(range(-1, len(dims)), -1)
    run = 0
    members = set[int]()  # the dims of the run
    for digit in digits:
        first = last_run[digit.dim] + (2 if digit.pitch > digit.size else 1)
        if run < first or any(m in _reach(after, digit.dim) for m in members):
            run, members = max(run + 1, first), set[int]()
        for member in members:
            after[member].add(digit.dim)
        members.add(digit.dim)
        digit.run = last_run[digit.dim] = run
    order: list[int] = []
    rest = list(range(len(dims)))
    while rest:  # of the dims that nothing left must precede, the first: row major where free
        free = next(d for d in rest if not any(d in after[other] for other in rest if other != d))
        order.append(free)
        rest.remove(free)
    return order


def _reach(after: dict[int, set[int]], dim: int) -> set[int]:
    """The dims that must be more minor than ``dim``."""
    found: set[int] = set()
    todo = list(after.get(dim, ()))
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo.extend(after[at])
    return found


def _tiles(digits: list[_Digit], dims: tuple[int, ...], order: list[int]) -> list[Tile]:
    """The tiles between the runs, from the first to the last."""
    runs = max((digit.run for digit in digits), default=-1) + 1
    if not dims:
        return [(digits[0].pitch,)] if digits else []
    by_dim = {dim: [d for d in digits if d.dim == dim] for dim in order}
    full = [[_entry(by_dim[dim], j) for dim in order] for j in range(1, runs)]
    tiles: list[Tile] = []
    strip = len(dims) - 1  # leading ones place nothing, where no later tile needs the axis
    for entries in reversed(full):
        ones = next((i for i, t in enumerate(entries) if t != 1), len(entries) - 1)
        strip = min(strip, ones)
        tiles.append(tuple(entries[strip:]))
    return tiles[::-1]


def _entry(digits: list[_Digit], j: int) -> int:
    """The entry of tile ``j`` for a dim: the extent of what later runs hold of it, padded."""
    above = -1  # the run of the digit above the first one held
    for k, digit in enumerate(digits):
        if digit.run >= j:
            # right below the digit above, the tile is exact, so that it ends that digit
            exact = k > 0 and j == above + 1
            return digit.weight * (digit.size if exact else digit.pitch)
        above = digit.run
    return 1
