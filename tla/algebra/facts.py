"""Facts about the offsets of a layout: whether each is reached once, and whether none is left out.

All are exact, and none looks at the offsets one by one. Order and nesting of the modes do not matter
to them, nor the sign of a stride: running a mode backwards mirrors and shifts the offsets.

Whether the offsets fill an interval is decided in polynomial time. Whether two coordinates share an
offset is NP-hard in the number of modes (subset sum is a case of it). It is reduced here, in polynomial
time, to those modes that are tangled in one another; for the layouts of practice, whatever their size,
none is left. A search over the rest takes at most `WORK` steps, then raises `UndecidedError`.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import combinations, islice
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import UndecidedError
from ..int_tuple import unflatten
from ..ints import (
    Int,
    SymbolicInt,
    decided,
    is_tuple,
    known_divides,
    known_eq,
    known_lt,
    leaf,
)
from ..layout import AnyLayout, as_layout
from ..text import shortened
from .modes import WORK, Guarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ints import IntLike
    from .modes import Modes

__all__ = ["collision", "is_bijective", "is_contiguous", "is_injective", "is_surjective_onto"]


def is_injective(layout: AnyLayout) -> bool:
    """Whether no two coordinates of ``layout`` share an offset.

    >>> is_injective(Layout((3, 2), (2, 3))), is_injective(Layout((4, 3), (2, 3)))
    (True, False)

    An empty layout is injective. `collision` has the two coordinates.

    Raises:
        UndecidedError: the answer depends on a symbolic int, or the modes are so tangled that a
            search of `WORK` steps did not settle it; see `collision`.
    """
    return _shared(layout, witness=False) is None


def collision(layout: AnyLayout) -> tuple[Any, Any] | None:
    """Return two coordinates ``a`` and ``b`` with ``layout(a) == layout(b)``, or None if there are none.

    >>> collision(Layout((4, 3), (2, 3))), collision(Layout((2, (2, 3)), (1, (0, 2))))
    (((3, 0), (0, 2)), ((0, (0, 0)), (0, (1, 0))))

    Both are congruent to the shape, no leaf is positive in both, and ``a`` comes before ``b`` in
    colexicographic order. They are static where the layout is.

    Raises:
        UndecidedError: the answer depends on a symbolic int, or the modes are so tangled that a
            search of `WORK` steps found nothing and left some out. Then ``modes`` are the leaves that
            it could not settle, counted from 0, and ``steps`` what it did.
    """
    found = _shared(layout, witness=True)
    if found is None:
        return None
    # the coordinate that holds the last leaf in which they differ is the later one
    a, b = sorted(found, key=lambda place: max(place, default=-1))
    return _coordinate(a, layout), _coordinate(b, layout)


def is_contiguous(layout: AnyLayout) -> bool:
    """Whether ``layout`` reaches each offset of one interval exactly once.

    >>> is_contiguous(Layout((4, 2), (-1, 4))), is_contiguous(Layout((3, 2), (2, 3)))
    (True, False)

    The interval begins below 0 where a stride is negative, and is empty for an empty layout. The same
    as ``size == cosize`` and injective, yet never hard: sorted, each stride must be the product of
    the sizes before it.
    """
    modes = _real(layout)
    return modes is None or _end([(s, _magnitude(d)) for s, d in modes], once=True) is not None


def is_bijective(layout: AnyLayout) -> bool:
    """Whether ``layout`` reaches each of ``range(size)`` exactly once, and no other offset.

    >>> is_bijective(Layout((4, (2, 3)), (6, (3, 1)))), is_bijective(Layout((4, 2), (-1, 4)))
    (True, False)
    """
    modes = _real(layout)
    return modes is None or (not _descends(modes) and _end(modes, once=True) is not None)


def is_surjective_onto(layout: AnyLayout, n: IntLike) -> bool:
    """Whether the offsets of ``layout`` are all of ``0 .. n-1``, each at least once, and no other.

    >>> is_surjective_onto(Layout((3, 2), (1, 2)), 5), is_surjective_onto(Layout((3, 2), (1, 4)), 7)
    (True, False)

    An empty layout is onto 0 offsets and no other layout is; nothing is onto a negative number.
    """
    wanted: Any = n.leaf if type(n) is Guarded else leaf(n)
    modes = _real(layout)
    if modes is None:
        return decided(known_eq(wanted, 0), f"{wanted} == 0")
    for s, _d in modes:
        decided(known_lt(0, s), f"{s} == 0")
    if _descends(modes):
        return False
    end = _end(modes, once=False)
    return end is not None and decided(known_eq(end, wanted), f"{end} == {wanted}")


# --- modes ------------------------------------------------------------------------------------


def _leaves(layout: AnyLayout) -> Modes:
    """The leaves with their strides: plain ints, and symbolic ints as they are."""
    as_layout(layout)
    return list(zip(map(_bare, _flat(layout.shape)), map(_bare, _flat(layout.stride)), strict=True))


def _flat(x: Any) -> Iterator[Any]:
    if is_tuple(x):
        for i in x:
            yield from _flat(i)
    else:
        yield x


def _bare(x: Any) -> Any:
    if type(x) is Guarded:
        x = x.leaf
    return int(x) if isinstance(x, int) else x


def _real(layout: AnyLayout) -> Modes | None:
    """The modes that may have two coordinates, sorted if plain; None for a layout known to be empty."""
    modes = _leaves(layout)
    if any(known_eq(s, 0) for s, _d in modes):
        return None
    real = [mode for mode in modes if not known_eq(mode[0], 1)]
    if all(map(_is_plain, real)):
        real.sort(key=lambda mode: abs(mode[1]))
    return real


def _magnitude(d: Any) -> Any:
    return -d if decided(known_lt(d, 0), f"{d} < 0") else d


def _descends(modes: Modes) -> bool:
    """Whether an offset is negative: then some mode of two coordinates has a negative stride."""
    descending = [s for s, d in modes if decided(known_lt(d, 0), f"{d} < 0")]
    return bool(descending) and _exist(modes, descending)


def _exist(modes: Modes, some: list[Any]) -> bool:
    """True where there are coordinates and one of ``some`` extents is above 1; else it is open."""
    for s, _d in modes:
        decided(known_lt(0, s), f"{s} == 0")
    return any(known_lt(1, s) for s in some) or decided(None, f"{some[0]} == 1")


def _end(modes: Modes, once: bool) -> Any:
    """Return the ``n`` for which modes of no negative stride fill ``range(n)``; None if they do not.

    ``once`` asks that each offset be reached by one coordinate alone. Modes that fill ``range(n)``
    fill ``range(n + (s-1)*d)`` with a mode ``s:d`` more if d <= n, and once if d == n. Where no mode
    left has such a stride: if all strides are above n, then n is never reached, though the last offset
    is above it. If all differ from n, then either that is so, or one is below n and reaches again what
    was reached.
    """
    n: Any = 1
    left = list(modes)
    while left:
        at = next((k for k, (_s, d) in enumerate(left) if _continues(d, n, once)), None)
        if at is None:
            for _s, d in left:
                decided(_continues(d, n, once), f"{d} {'==' if once else '<='} {n}")
            _exist(modes, [s for s, _d in left])
            return None
        s, d = left.pop(at)
        # n + (s-1)*n == n*s: written as a symbolic stride is
        n = n * s if known_eq(d, n) else n + (s - 1) * d
    return n


def _continues(d: Any, n: Any, once: bool) -> bool | None:
    if once:
        return known_eq(d, n)
    above = known_lt(n, d)
    return None if above is None else not above


# --- two coordinates of one offset ------------------------------------------------------------

Place: TypeAlias = "dict[int, Any]"
"""A coordinate: the leaves that are not 0, by index."""

Numbered: TypeAlias = "list[tuple[int, Any, Any]]"
"""Modes with the index of their leaf."""

Steps: TypeAlias = "dict[int, int]"
"""The difference of two coordinates: the steps along each leaf that are not 0, by index."""


def _coordinate(place: Place, layout: AnyLayout) -> Any:
    steps = [place.get(i, 0) for i, _s in enumerate(_flat(layout.shape))]
    if all(type(x) is Int for x in _flat((layout.shape, layout.stride))):
        steps = [Int(n) for n in steps]
    return unflatten(tuple(steps), layout.shape)


def _shared(layout: AnyLayout, witness: bool) -> tuple[Place, Place] | None:
    """Two coordinates of one offset, or None. Without ``witness``, two empty ones if there are some."""
    modes = [(i, s, d) for i, (s, d) in enumerate(_leaves(layout)) if not known_eq(s, 1)]
    if any(known_eq(s, 0) for _i, s, _d in modes):
        return None
    plain = [mode for mode in modes if _is_plain(mode)]
    if len(plain) < len(modes):
        return _shared_symbolic(modes, plain, witness, layout)
    return _shared_plain(modes, witness, layout)


def _is_plain(mode: tuple[Any, ...]) -> bool:
    return not any(isinstance(x, SymbolicInt) for x in mode)


def _shared_plain(modes: Numbered, witness: bool, layout: AnyLayout) -> tuple[Place, Place] | None:
    terms = sorted([(abs(d), s - 1, i) for i, s, d in modes])
    reach = 0
    for d, b, _i in terms:
        if d <= reach:
            break
        reach += d * b
    else:  # each stride exceeds all that the smaller ones reach together: a positional notation
        return None
    steps = _cancelling(terms, witness, layout)
    if steps is None:
        return None
    forward = {i for i, _s, d in modes if d >= 0}
    signed = {i: z if i in forward else -z for i, z in steps.items()}
    return (
        {i: z for i, z in signed.items() if z > 0},
        {i: -z for i, z in signed.items() if z < 0},
    )


def _shared_symbolic(
    modes: Numbered, plain: Numbered, witness: bool, layout: AnyLayout
) -> tuple[Place, Place] | None:
    """`_shared` where some ints are symbolic: what holds whatever they are, or `UndecidedError`."""
    if _nested(modes, 1):
        return None
    found = _shared_plain(plain, witness, layout)
    if found is None:
        end = 1 + sum((s - 1) * abs(d) for _i, s, d in plain)
        if _nested([mode for mode in modes if not _is_plain(mode)], end):
            return None
    if all(known_lt(0, s) for _i, s, _d in modes):  # else it may be empty
        found = found or next(_overlaps(modes), None)
        if found is not None:
            return found
    raise UndecidedError(
        f"cannot decide whether {shortened(str(layout), 200)} is injective",
        "The sizes are symbolic; give them a range or a divisor that settles it.",
        layout=layout,
        modes=tuple([i for i, _s, _d in modes]),
        steps=0,
    )


def _overlaps(modes: Numbered) -> Iterator[tuple[Place, Place]]:
    """Pairs of coordinates that are known to share an offset: a step of one mode is steps of another."""
    moving = [mode for mode in modes if known_lt(1, mode[1])]
    for i, _s, d in moving:
        if known_eq(d, 0):
            yield {}, {i: 1}
    for i, s, d in modes:
        for j, _n, e in moving:
            if i != j and known_lt(0, d) and known_divides(d, e):
                q = e // d
                if known_lt(-1, q) and known_lt(q, s):
                    yield {i: q}, {j: 1}


def _nested(modes: Numbered, end: Any) -> bool:
    """Whether the modes are known to have an order in which each stride spans what is below it.

    ``end`` spans what is below the first.
    """
    left = [(s, -d if known_lt(d, 0) else d) for _i, s, d in modes]
    while left:
        spans = [k for k, (_s, d) in enumerate(left) if known_eq(d, end)]
        if not spans:
            spans = [
                k
                for k, (_s, d) in enumerate(left)
                if known_lt(d, end) is False and all(known_lt(e, d) is False for _n, e in left)
            ]
        if not spans:
            return False
        s, d = left.pop(spans[0])
        # below d is at most d - 1, so below d and with it at most d - 1 + (s-1)*d == s*d - 1
        end = d * s
    return True


# --- steps that cancel ------------------------------------------------------------------------
#
# Two coordinates share an offset where their difference z, with |z_i| <= b_i == s_i - 1 and not all 0,
# has sum z_i * d_i == 0. What follows looks for z, on terms (d, b, i).

Term: TypeAlias = "tuple[int, int, int]"
Terms: TypeAlias = "list[Term]"

Log: TypeAlias = "list[tuple[int, ...]]"
"""How terms came about, to take z back: ``(i, t)``, z_i was t times as much; ``(i, j, q, b, c)``,
z_i with bound b and z_j with bound c were joined to z_i + q*z_j."""


def _cancelling(terms: Terms, witness: bool, layout: AnyLayout) -> Steps | None:
    """The z of terms sorted by stride; None if there is none. Without ``witness``, ``{}`` for any."""
    if not terms[0][0]:
        return {terms[0][2]: 1}
    if not witness and _crowded(terms):
        return {}
    log: Log = []
    groups = _groups(terms, log)
    for group in groups:
        if not witness and _crowded(group):
            return {}
        pair = _pair(group)
        if pair is not None:
            return _restored(pair, log)
    work = WORK
    for group in sorted(groups, key=len):
        search = _Search(group, work)
        found = search.run()
        if found is not None:
            return _restored(found, log)
        if search.is_cut:
            raise _undecided(group, log, layout)
        work = search.left
    return None


def _undecided(group: Terms, log: Log, layout: AnyLayout) -> UndecidedError:
    tangled = {i for _d, _b, i in group}
    for i, *joined in reversed(log):
        if i in tangled and len(joined) > 1:
            tangled.add(joined[0])
    modes = _leaves(layout)
    names = ", ".join([f"{modes[i][0]}:{modes[i][1]}" for i in sorted(tangled)])
    text, details = shortened(str(layout), 200), [f"{len(tangled)} of its modes are tangled: {names}."]
    if _crowded(group):
        summary = f"cannot find within {WORK} steps where {text} reaches an offset twice"
        details.append("Some must share one: they have more coordinates than offsets.")
    else:
        summary = f"cannot decide within {WORK} steps whether {text} is injective"
        details.append("No stride spans the smaller ones, and no common divisor separates them.")
    details.append("The time grows with the number and the extents of such modes: ask it of fewer.")
    return UndecidedError(summary, *details, layout=layout, modes=tuple(sorted(tangled)), steps=WORK)


def _restored(z: Steps, log: Log) -> Steps:
    """The steps along the leaves, from those of terms made of them."""
    z = dict(z)
    for entry in reversed(log):
        value = z.get(entry[0], 0)
        if len(entry) == 2:
            z[entry[0]] = value * entry[1]
        else:
            i, j, q, b, c = entry
            # value == z_i + q*z_j: the greatest z_j in bounds that leaves z_i >= -b; then z_i <= b
            z[j] = min((value + b) // q, c)
            z[i] = value - q * z[j]
    return {i: n for i, n in z.items() if n}


def _crowded(terms: Terms) -> bool:
    """Whether some of the smallest strides have more coordinates than offsets: then two share one."""
    size, reach, unit = 1, 0, 0
    for d, b, _i in terms:
        size *= b + 1
        reach += d * b
        unit = gcd(unit, d)
        if size > reach // unit + 1:
            return True
    return False


def _pair(terms: Terms) -> Steps | None:
    """The z of two terms alone: d*(e/g) == e*(d/g), the least multiple that they share."""
    for (d, b, i), (e, c, j) in islice(combinations(terms, 2), WORK):
        g = gcd(d, e)
        if e // g <= b and d // g <= c:
            return {i: e // g, j: -(d // g)}
    return None


def _groups(terms: Terms, log: Log) -> list[Terms]:
    """The groups of terms, each sorted, such that there is a z if and only if one of them has one."""
    done: list[Terms] = []
    waiting = [terms]
    while waiting:
        group = _reduced(waiting.pop(), log)
        units = _gcds([d for d, _b, _i in reversed(group)])[::-1]  # of group[k:]
        above = sum(d * b for d, b, _i in group)
        below = unit = start = 0
        parts: list[Terms] = []
        for k, (d, b, _i) in enumerate(group):
            # The terms from k on add to a multiple of their gcd, and the others to its opposite, a
            # multiple of theirs. So it is one of both gcds' lcm, or 0; and no more than either reaches.
            if k and lcm(unit, units[k]) > min(below, above):
                parts.append(group[start:k])
                start = k
            unit, below, above = gcd(unit, d), below + d * b, above - d * b
        if parts:
            waiting += [*parts, group[start:]]
        elif group:
            done.append(group)
    return done


def _reduced(terms: Terms, log: Log) -> Terms:
    """Fewer, or tighter, terms with a z if and only if ``terms`` have one; sorted, never one alone.

    A pass that calls for another halves a bound, or makes two terms one, which has no more values
    2*b + 1 than the two had together: so there are few.
    """
    again = True
    while again and len(terms) > 1:
        again = False
        strides = [d for d, _b, _i in terms]
        before, after = _gcds(strides), _gcds(strides[::-1])[::-1]
        others = [gcd(x, y) for x, y in zip([0, *before[:-1]], [*after[1:], 0], strict=True)]
        reach = sum(d * b for d, b, _i in terms)
        kept: Terms = []
        for (d, b, i), unit in zip(reversed(terms), reversed(others), strict=True):
            reach -= d * b
            # z_i*d is what the others add to, reversed: a multiple of their gcd, and in their reach
            t = unit // gcd(unit, d)
            fits = min(b // t, reach // (t * d))
            again = again or 2 * fits <= b
            if fits:
                kept.append((t * d, fits, i))
                reach += t * d * fits
                if t > 1:
                    log.append((i, t))
        kept.sort()
        terms = []
        for d, b, i in kept:
            if terms:
                e, c, j = terms[-1]
                q, rest = divmod(d, e)
                # z_j + q*z_i is every int up to c + q*b if q <= 2*c + 1, and not 0 twice if c < q
                if not rest and c < q <= 2 * c + 1:
                    log.append((j, i, q, c, b))
                    terms[-1] = (e, c + q * b, j)
                    again = True
                    continue
            terms.append((d, b, i))
    return terms if len(terms) > 1 else []


def _gcds(strides: list[int]) -> list[int]:
    """The gcd of each beginning of a list."""
    out: list[int] = []
    g = 0
    for d in strides:
        g = gcd(g, d)
        out.append(g)
    return out


# --- the search -------------------------------------------------------------------------------

Cell: TypeAlias = "tuple[int, int, int, Any] | None"
"""How a sum came about: leaf, steps along it, the sign that makes it positive, and the sum before."""


class _Search:
    """Looks for z on two sides: sums of some terms, and sums of the others, that cancel.

    One term, of the most steps, is kept out and solved for when the sides meet. Of z and -z one is
    enough, so a side holds the sums that are not negative. A sum is held only if the terms outside the
    side can cancel it: it is a multiple of their gcd, and in their reach. The first side takes the
    large strides, whose sums are soon out of reach; the second takes the small.
    """

    __slots__ = ("is_cut", "last", "left", "rest", "sides", "taken")

    def __init__(self, terms: Terms, work: int) -> None:
        self.last = max(terms, key=lambda term: (term[1], -term[0]))
        self.rest = [term for term in terms if term is not self.last]
        self.sides: list[dict[int, Cell]] = [{0: None}, {0: None}]
        self.taken: list[Terms] = [[], []]
        self.left = work
        self.is_cut = False

    def run(self) -> Steps | None:
        while self.rest and not self.is_cut:
            _cost, side, term, reach, unit = min(
                (self.cheapest(side) for side in (0, 1)), key=lambda plan: plan[0]
            )
            self.rest.remove(term)
            self.taken[side].append(term)
            found = self.extend(side, term, reach, unit)
            if found is not None:
                return found
        return self.meeting()

    def cheapest(self, side: int) -> tuple[int, int, Term, int, int]:
        """The term that makes the fewest sums of a side, with reach and gcd of what is then outside."""
        outside = [self.last, *self.taken[1 - side]]
        reach = sum(d * b for d, b, _i in outside + self.rest)
        strides = [d for d, _b, _i in self.rest]
        before, after = _gcds(strides), _gcds(strides[::-1])[::-1]
        unit = gcd(*[d for d, _b, _i in outside])
        plans: list[tuple[int, int, Term, int, int]] = []
        for k, (d, b, i) in enumerate(self.rest):
            g = gcd(unit, before[k - 1] if k else 0, after[k + 1] if k + 1 < len(after) else 0)
            width = 2 * min(b, (reach - d * b) // d) // (g // gcd(g, d)) + 1
            plans.append((len(self.sides[side]) * width, side, (d, b, i), reach - d * b, g))
        # of equal ones the greatest stride on side 0, the least on side 1
        return min(plans[::-1] if side == 0 else plans, key=lambda plan: plan[0])

    def extend(self, side: int, term: Term, reach: int, unit: int) -> Steps | None:
        """Put a term on a side, whose sums must be multiples of ``unit`` up to ``reach``."""
        d, b, i = term
        g = gcd(d, unit)
        t = unit // g
        inverse = pow(d // g, -1, t)
        new: dict[int, Cell] = {}
        for p, cell in self.sides[side].items():
            # p + z*d is in -reach..reach, and 0 mod unit where z == -(p/g) * (d/g)^-1 mod t; g divides
            # p, being the gcd of all that was outside. From p == 0 the steps z >= 0 are enough.
            least = max(-b, -((reach + p) // d)) if cell else 0
            least += (-(p // g) * inverse - least) % t
            for z in range(least, min(b, (reach - p) // d) + 1, t):
                if not self.left:
                    self.is_cut = True
                    self.sides[side] = {**self.sides[side], **new}
                    return None
                self.left -= 1
                total = p + z * d
                sign = 1 if total >= 0 else -1
                if not total and (z or cell):
                    return _steps((i, z, sign, cell))
                if sign * total not in new:
                    new[sign * total] = (i, z, sign, cell) if z else cell
        self.sides[side] = new
        return None

    def meeting(self) -> Steps | None:
        """The z of a sum p of side 0, a sum q of side 1 and the term kept out: p - q + z*d == 0."""
        d, b, i = self.last
        sums, others = self.sides
        # by residue, then by size: the q from p - b*d to p + b*d of the residue of p lie together
        order = sorted([(q * sign % d, q * sign, sign) for q in others for sign in (1, -1)])
        for p, cell in sums.items():
            place = bisect_left(order, (p % d, p - b * d, -1))
            while place < len(order):
                residue, q, sign = order[place]
                if residue != p % d or q > p + b * d:
                    break
                if p or q:
                    z = _steps(cell)
                    z.update(_steps(others[abs(q)], -sign))
                    z[i] = (q - p) // d
                    return z
                place += 1  # nothing on either side
        return None


def _steps(cell: Cell, sign: int = 1) -> Steps:
    """The steps of a sum, or of its opposite."""
    z: Steps = {}
    while cell is not None:
        i, steps, turn, cell = cell
        sign *= turn
        z[i] = sign * steps
    return z
