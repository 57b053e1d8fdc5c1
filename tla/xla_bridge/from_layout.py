"""From a nested layout to the XLA shape of the same function and size.

A layout is an XLA tiled layout without ``*`` exactly where its digits, sorted by stride, form a
chain: each stride is a multiple of the one below, and no smaller than the room the digit below
takes. The tiles are then peeled off from the major end: digits are cut into runs, in each of which
every dim appears at most once and in one common order; a run is what one tile counts, and the rest
of each dim is the tile.

>>> layout = parse("((2,2),(2,3)):((2,12),(1,4)):(3,5)")
>>> print(from_layout(layout, dtype="f32"))
f32[3,5]{1,0:T(2,2)}

An unknown size makes a dynamic dim: ``<=N`` where it has a bound and no stride depends on it, ``?``
elsewhere. Strides and sizes are then compared for every value that the unknowns may have.

>>> M, K = sym("M", max=100), sym("K")
>>> print(from_layout(Layout((M, K), (K, 1))), from_layout(Layout((K, M), (M, 1))))
f32[<=100,?]{1,0} f32[?,?]{1,0}

Source: our own theorem and construction; every tile chain gives such digits and the reverse.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DivisibilityError, LayoutError, OverlapError, UnsupportedError
from ..int_tuple import leaves, product, wrap
from ..ints import (
    IntLike,
    SymbolicInt,
    ceil_div,
    compared,
    decided,
    divides,
    known_divides,
    known_eq,
    known_lt,
    leaf,
    less,
    max_,
    round_up,
)
from ..layout import Layout, as_layout
from .shape import Tile, XlaShape

if TYPE_CHECKING:
    from ..dtypes import ElementType
    from ..expr import Condition, Symbol
    from ..layout import AnyLayout

__all__ = ["from_layout"]


class _Digit:
    """A leaf that moves: ``size`` steps of ``stride``, in a dim where it counts by ``weight``.

    Neighbours in memory are ``pitch`` of this stride apart; more than ``size`` is padding. Of these
    ints those of a dim of unknown size may be symbolic.
    """

    __slots__ = ("dim", "pitch", "run", "size", "stride", "weight")

    def __init__(self, dim: int, weight: int, size: int, stride: int) -> None:
        self.dim, self.weight, self.size, self.stride = dim, weight, size, stride
        self.pitch = size
        self.run = 0

    def __str__(self) -> str:
        return f"{self.size}:{self.stride} of dim {self.dim}"


def from_layout(
    layout: AnyLayout, dtype: str | ElementType = "f32", size: IntLike | None = None
) -> XlaShape:
    """Return an XLA shape with ``physical_offset(shape, index) == layout(*index)`` for all valid ones.

    >>> print(from_layout(parse("(3,5):(128,1)"), dtype="f32", size=1024))
    f32[3,5]{1,0:T(8,128)}
    >>> print(from_layout(parse("((2,(M+1)//2),4):((1,8),2):(M,4)")))
    f32[?,4]{1,0:T(2,1)}

    A dim of unknown size must be a lone symbol, as ``M``. It gives ``<=N`` if it is at most N, by its
    range or by its mode, and no stride depends on it; else it gives ``?``. XLA knows no more of it: a
    least size, a divisor and the name are lost, and with them that two dims are one unknown.

    Args:
        layout: One top-level mode for each dim; its origin shape gives the dims.
        dtype: The element type, by XLA's name.
        size: The elements that the shape is to take in memory; by default the least possible that
            holds the layout's cosize.

    Raises:
        LayoutError: no tiles without ``*`` give this function: a stride is 0 or negative
            (`LayoutError`), two digits overlap or interleave (`OverlapError`), a stride or the
            size is not a multiple of the stride below (`DivisibilityError`).
        UndecidedError: one of these depends on the value of an unknown.
        UnsupportedError: a dim is an expression of unknowns, an unknown is no dim, or a tile would have
            to be symbolic. Or the peel does not reach the layout: within one dim a greater part of the
            index has the smaller stride. An XLA shape exists then too.
    """
    as_layout(layout)
    given = None if size is None else leaf(size)
    if any(isinstance(n, SymbolicInt) for n in (*leaves(_parts(layout)), given)):
        from ..expr import assume  # few layouts need it

        reading = _read_symbolic(layout, given)
        with assume(*reading.assumptions):
            return _peeled(reading, dtype)
    dims = tuple(int(n) for n in leaves(layout.origin_shape))
    return _peeled(_Reading(layout, layout, dims, given, dims), dtype)


class _Reading(NamedTuple):
    """What the peel works on.

    Attributes:
        given: The layout as it was given, for what errors say.
        layout: The same with bounded dims at their bounds.
        dims: Its dims.
        room: How many elements it is to take in memory, or None.
        written: The dims as the shape has them.
        assumptions: What the layout stands on.
    """

    given: AnyLayout
    layout: AnyLayout
    dims: tuple[int, ...]
    room: int | None
    written: tuple[int | str, ...]
    assumptions: tuple[Condition, ...] = ()


def _peeled(reading: _Reading, dtype: str | ElementType) -> XlaShape:
    """The shape of a reading."""
    given, dims, room, written = reading.given, reading.dims, reading.room, reading.written
    if any(known_eq(n, 0) is True for n in dims):
        if room is not None and known_eq(room, 0) is not True:
            raise LayoutError(f"the empty layout {given} takes no memory, not {room} elements")
        return XlaShape(dtype, written)
    digits = _chain(reading)
    _set_pitches(reading, digits)
    _check_peels(given, digits)
    order = _set_runs(digits, dims)
    try:
        return XlaShape(dtype, written, order[::-1], _tiles(given, digits, dims, order))
    except LayoutError as error:
        taken = "" if room is None else f" in {room} elements"
        raise LayoutError(
            f"XLA has no shape for {given}{taken}: {error.summary}", layout=given
        ) from None


# --- unknown sizes ----------------------------------------------------------------------------


def _parts(layout: AnyLayout) -> tuple[Any, Any, Any]:
    return layout.shape, layout.stride, layout.origin_shape


def _read_symbolic(layout: AnyLayout, room: Any) -> _Reading:
    """The layout with every bounded dim at its bound, and its other unknowns at least 1.

    Of a dim of size 0 nothing is to be shown: the array has no element.
    """
    names, bounds = _symbolic_dims(layout)
    sizes: list[Any] = []  # of leaves at the end of a mode: the function does not follow them
    moving: list[Any] = []
    for shape, stride in zip(wrap(layout.shape), wrap(layout.stride), strict=True):
        parts = [
            part
            for part in zip(leaves(shape), leaves(stride), strict=True)
            if known_eq(part[0], 1) is not True
        ]
        sizes += [n for n, _d in parts[-1:]]
        moving += [n for n, _d in parts[:-1]] + [d for _n, d in parts]
    followed = {s.name for x in moving for s in _symbols(x)}
    bounds = {name: n for name, n in bounds.items() if name not in followed or n == 0}
    values: dict[str, Any] = {}
    for x in (*leaves(layout.origin_shape), *sizes, *moving, room):
        for s in _symbols(x):
            if s.name not in names:
                raise UnsupportedError(
                    f"{layout} has no XLA shape: {s.name} is none of its dims",
                    "All that XLA knows of an array follows from its dims and tiles."
                    f" Bind {s.name} to a number, or leave it to the tiles.",
                    layout=layout,
                    symbol=s.name,
                )
            if s.name not in bounds:
                values[s.name] = _at_least_1(s)
    read = layout.bind(**values)
    assumptions = read.assumptions  # what is assumed of a bounded dim need not hold of its bound
    values |= bounds
    read = Layout(*_parts(read)).bind(**bounds)
    written = tuple(
        int(n) if name is None else f"<={bounds[name]}" if name in bounds else "?"
        for name, n in zip(names, leaves(read.origin_shape), strict=True)
    )
    dims = tuple(leaves(read.origin_shape))
    return _Reading(layout, read, dims, _bound(room, values), written, assumptions)


def _symbolic_dims(layout: AnyLayout) -> tuple[list[str | None], dict[str, int]]:
    """The names of the dims, None for a fixed one, and the bounds of those that have one."""
    names: list[str | None] = []
    bounds: dict[str, int] = {}
    for i, (n, mode) in enumerate(zip(leaves(layout.origin_shape), wrap(layout.shape), strict=True)):
        if not isinstance(n, SymbolicInt):
            names.append(None)
            continue
        symbol = _lone_symbol(n)
        if symbol is None:
            raise UnsupportedError(
                f"{layout} has no XLA shape: dim {i} is {n}, an expression of unknowns",
                "A dynamic dim of XLA is a size of its own. Give the layout a lone symbol for it:"
                f" layout.bind(...), or an origin shape with sym('d{i}').",
                layout=layout,
                dim=i,
            )
        names.append(symbol.name)
        box: Any = product(mode)
        for limit in (_greatest(n), None if isinstance(box, SymbolicInt) else int(box)):
            if limit is not None:
                limit = limit // symbol.divisor * symbol.divisor
                bounds[symbol.name] = min(limit, bounds.get(symbol.name, limit))
    return names, bounds


def _symbols(x: Any) -> tuple[Symbol, ...]:
    symbols: tuple[Symbol, ...] = getattr(x, "symbols", ())
    return symbols


def _bound(x: Any, values: dict[str, Any]) -> Any:
    """An int with others for some of its unknowns."""
    if not _symbols(x):
        return x
    from ..expr import substitute

    return substitute(x, values)


def _at_least_1(s: Symbol) -> Any:
    """The symbol of the same facts that is not 0."""
    from ..expr import sym

    least = 1 if s.least is None else max_(s.least, 1)
    return sym(s.name, s.divisor, least, s.greatest, cpp_type=s.cpp_type)


def _lone_symbol(n: Any) -> Symbol | None:
    """The symbol that an expression is, and nothing more."""
    if len(n.symbols) != 1:
        return None
    symbol: Symbol = n.symbols[0]
    same = n.terms == {(symbol,): symbol.divisor} and n.constant == 0
    return symbol if same else None


def _greatest(n: Any) -> int | None:
    greatest: int | None = n.bounds[1]
    return greatest


def _divisor(n: Any) -> int:
    divisor: int = n.divisor
    return divisor


def _is_at_least(a: Any, b: Any) -> bool | None:
    """Whether ``a >= b``, for ``a`` above 0; a multiple of ``b`` is."""
    below = known_lt(a, b)
    if below is None and isinstance(a, SymbolicInt) and known_lt(0, a) and known_divides(b, a):
        return True
    return None if below is None else not below


# --- the chain test ---------------------------------------------------------------------------


def _chain(reading: _Reading) -> list[_Digit]:
    """The digits of the data, greatest stride first; raises where they form no chain."""
    layout, read = reading.given, reading.layout
    digits: list[_Digit] = []
    for dim, (shape, stride) in enumerate(zip(wrap(read.shape), wrap(read.stride), strict=True)):
        parts = list(zip(leaves(shape), leaves(stride), strict=True))
        digits += _digits(dim, reading.dims[dim], parts)
    for digit in digits:
        if less(digit.stride, 1):
            kind = "broadcasts" if known_eq(digit.stride, 0) else "runs backwards"
            raise LayoutError(
                f"{layout} is no XLA layout: the digit {digit} {kind}",
                "XLA gives every element its own place, and indices that grow growing offsets.",
                layout=layout,
            )
    digits = _sorted(digits)
    for above, below in pairwise(digits):
        room = below.size * below.stride
        if not _decided_at_least(above.stride, room):
            raise OverlapError(
                f"{layout} is no XLA layout without '*':"
                f" the digits {below} and {above} overlap or interleave",
                f"The first takes {room} elements, the second steps by only {above.stride}."
                " Whether tiles with '*' give it is not decided.",
                layout=layout,
            )
        if not divides(below.stride, above.stride):
            raise DivisibilityError(
                f"{layout} is no XLA layout without '*': the digits {below} and {above} do not nest",
                f"{above.stride} is not a multiple of {below.stride}. Whether tiles with '*'"
                " give it is not decided.",
                layout=layout,
            )
    return digits


def _sorted(digits: list[_Digit]) -> list[_Digit]:
    """The digits by stride, the greatest first."""
    if not any(isinstance(digit.stride, SymbolicInt) for digit in digits):
        return sorted(digits, key=lambda digit: -digit.stride)
    done: list[_Digit] = []
    for digit in digits:
        at = 0
        while at < len(done) and (
            _is_at_least(done[at].stride, digit.stride)
            or not _decided_at_least(digit.stride, done[at].stride)
        ):
            at += 1
        done.insert(at, digit)
    return done


def _decided_at_least(a: Any, b: Any) -> bool:
    answer = _is_at_least(a, b)
    return decided(None, compared(a, ">=", b)) if answer is None else answer


def _digits(dim: int, extent: int, parts: list[tuple[Any, Any]]) -> list[_Digit]:
    """The digits that the first ``extent`` indices of a mode reach: neighbours in line are one."""
    merged: list[list[int]] = []
    for n, d in parts:
        if known_eq(n, 1) is True:
            continue
        if merged and known_eq(d, merged[-1][0] * merged[-1][1]) is True:
            merged[-1][0] *= _plain(n)
        else:
            merged.append([_plain(n), _plain(d)])
    digits: list[_Digit] = []
    weight = 1
    for n, d in merged:
        if known_lt(weight, extent) is False:
            break
        reach = ceil_div(extent, weight)
        low = _rounded_up_to(n, reach)
        if low > 1:  # n == low * ceil(reach / low): as a tile of low makes it
            digits.append(_Digit(dim, weight, low, d))
            digits.append(_Digit(dim, weight * low, ceil_div(reach, low), d * low))
        else:  # where it is not known that all of it is reached, the rest of it is padding
            digits.append(_Digit(dim, weight, reach if known_lt(n, reach) is False else n, d))
        weight *= n
    return digits


def _rounded_up_to(n: Any, reach: Any) -> int:
    """The int ``c`` with ``n == round_up(reach, c)`` for an unknown ``n`` other than ``reach``, or 1."""
    if not isinstance(n, SymbolicInt) or known_eq(n, reach) is True:
        return 1
    c = _divisor(n)
    return c if known_eq(n, round_up(reach, c)) is True else 1


def _plain(n: Any) -> Any:
    return n if isinstance(n, SymbolicInt) else int(n)


def _set_pitches(reading: _Reading, digits: list[_Digit]) -> None:
    """Fill the chain: every pitch, the digits of size 1 that carry padding alone, and the size."""
    layout, size = reading.given, reading.room
    top = digits[0].stride if digits else 1
    least = _plain(round_up(max_(reading.layout.cosize, 1), top))
    if size is None:
        size = least
    elif not divides(top, size) or not _decided_at_least(size, digits[0].size * top if digits else 1):
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
    if less(1, above):  # the smallest stride is filled by a digit of size 1 and pitch `above`
        dim = digits[-1].dim if digits else len(reading.dims) - 1
        filler = _Digit(dim, 1, 1, 1)
        filler.pitch = above
        digits.append(filler)


# --- the peel ---------------------------------------------------------------------------------


def _check_peels(layout: AnyLayout, digits: list[_Digit]) -> None:
    """Raise where the digits of one dim do not shrink in weight along with their strides."""
    above: dict[int, _Digit] = {}
    for digit in digits:
        higher = above.get(digit.dim)
        if higher is not None and known_lt(higher.weight, digit.weight) is not False:
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
        first = last_run[digit.dim] + (2 if less(digit.size, digit.pitch) else 1)
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


def _tiles(
    layout: AnyLayout, digits: list[_Digit], dims: tuple[int, ...], order: list[int]
) -> list[Tile]:
    """The tiles between the runs, from the first to the last."""
    runs = max((digit.run for digit in digits), default=-1) + 1
    if not dims:
        full = [[digit.pitch] for digit in digits]
    else:
        by_dim = {dim: [d for d in digits if d.dim == dim] for dim in order}
        full = [[_entry(by_dim[dim], j) for dim in order] for j in range(1, runs)]
    symbolic = next((t for entries in full for t in entries if isinstance(t, SymbolicInt)), None)
    if symbolic is not None:
        raise UnsupportedError(
            f"{layout} has no XLA shape: a tile would have the entry {symbolic}",
            "Tiles of XLA are made of ints: an unknown size can only be counted in tiles.",
            layout=layout,
        )
    tiles: list[Tile] = []
    strip = max(len(dims) - 1, 0)  # leading ones place nothing, where no later tile needs the axis
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
