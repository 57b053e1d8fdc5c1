"""Steps that cancel: whether two coordinates of a layout share an offset, on plain ints.

Two coordinates differ by steps ``z_i`` with ``|z_i| <= b_i == s_i - 1``, not all 0. They share an offset
exactly where ``sum z_i * d_i == 0``. This module looks for such a z among terms ``(d, b, i)``. First it
splits and joins terms, in polynomial time. The terms that are left are tangled; a search decides those,
of as many ``steps`` as `limits` allows.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, combinations, islice
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from ..ground import limit_error, limit_of, shortened
from .modes import raw_modes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..errors import LimitError
    from ..layouts import AnyLayout

Steps: TypeAlias = "dict[int, int]"
"""The difference of two coordinates: the steps along each leaf that are not 0, by index."""

Term: TypeAlias = "tuple[int, int, int]"
Terms: TypeAlias = "list[Term]"

Log: TypeAlias = "list[tuple[int, ...]]"
"""How terms came about, to take z back: ``(i, t)``, z_i was t times as much; ``(i, j, q, b, c)``,
z_i with bound b and z_j with bound c were joined to z_i + q*z_j."""


def cancelling(terms: Terms, witness: bool, layout: AnyLayout) -> Steps | None:
    """Return the z of terms sorted by stride, by index; None if there is none.

    Args:
        witness: Find a z; else ``{}`` says that there is one.
        layout: What an error calls them; the index of a term is that of a leaf.

    Raises:
        LimitError: a search of the ``steps`` of `limits` did not settle it.
    """
    if not terms[0][0]:
        return {terms[0][2]: 1}
    log: Log = []
    groups = _groups(terms, log)
    if not witness and any(map(_crowded, [terms, *groups])):
        return {}
    for pair in filter(None, map(_pair, groups)):
        return _restored(pair, log)
    work = limit_of("steps")
    for group in sorted(groups, key=len):
        search = _Search(group, work)
        z = search.run()
        if z is not None:
            return _restored(z, log)
        if search.is_cut:
            raise _undecided(group, log, layout)
        work = search.left
    return None


def _undecided(group: Terms, log: Log, layout: AnyLayout) -> LimitError:
    tangled = {i for _d, _b, i in group}
    for i, j, *join in reversed(log):
        if i in tangled and join:
            tangled.add(j)
    most, modes = limit_of("steps"), raw_modes(layout)
    names = ", ".join([f"{modes[i][0]:d}:{modes[i][1]:d}" for i in sorted(tangled)])
    text, details = shortened(str(layout), 200), [f"{len(tangled)} of its modes are tangled: {names}."]
    if _crowded(group):
        summary = f"cannot find within {most} steps where {text} reaches an offset twice"
        details.append("Some must share one: they have more coordinates than offsets.")
    else:
        summary = f"cannot decide within {most} steps whether {text} is injective"
        details.append("No stride spans the smaller ones, and no common divisor separates them.")
    details.append("The time grows with the number and the extents of such modes: ask it of fewer.")
    at = tuple(sorted(tangled))
    return limit_error("steps", summary, *details, layout=layout, modes=at, steps=most)


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
    for (d, b, i), (e, c, j) in islice(combinations(terms, 2), limit_of("steps")):
        g = gcd(d, e)
        if e // g <= b and d // g <= c:
            return {i: e // g, j: -(d // g)}
    return None


def _groups(terms: Terms, log: Log) -> list[Terms]:
    """Split terms into groups, each sorted: they have a z if and only if one of the groups has one."""
    groups: list[Terms] = []
    todo = [terms]
    while todo:
        group = _reduced(todo.pop(), log)
        units = _gcds(reversed(group))[::-1]  # of group[k:]
        above = sum(d * b for d, b, _i in group)
        below = unit = start = 0
        parts: list[Terms] = []
        for k, (d, b, _i) in enumerate(group):
            # The terms from k on sum to a multiple of their gcd. The terms below cancel that sum, so it
            # is a multiple of their gcd too. Where neither side reaches the lcm, both sums are 0.
            if k and lcm(unit, units[k]) > min(below, above):
                parts.append(group[start:k])
                start = k
            unit, below, above = gcd(unit, d), below + d * b, above - d * b
        if parts:
            todo += [*parts, group[start:]]
        elif group:
            groups.append(group)
    return groups


def _reduced(terms: Terms, log: Log) -> Terms:
    """Fewer, or tighter, terms with a z if and only if ``terms`` have one; sorted, never one alone.

    A pass that calls for another halves a bound, or makes two terms one, which has no more values
    2*b + 1 than the two had together: so there are few.
    """
    again = True
    while again and len(terms) > 1:
        again = False
        reach = sum(d * b for d, b, _i in terms)
        tight: Terms = []
        for (d, b, i), unit in reversed(list(zip(terms, _gcds_of_others(terms), strict=True))):
            reach -= d * b
            # the other terms cancel z_i*d: so it is a multiple of their gcd, and within their reach
            t = unit // gcd(unit, d)
            fits = min(b // t, reach // (t * d))
            again = again or 2 * fits <= b
            if fits:
                tight.append((t * d, fits, i))
                reach += t * d * fits
                if t > 1:
                    log.append((i, t))
        tight.sort()
        terms = []
        for d, b, i in tight:
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


def _gcds(terms: Iterable[Term]) -> list[int]:
    """The gcd of the strides of the first 0, 1, 2, ... terms."""
    return list(accumulate([d for d, _b, _i in terms], gcd, initial=0))


def _gcds_of_others(terms: Terms) -> list[int]:
    """For each term the gcd of the strides of all others."""
    return list(map(gcd, _gcds(terms), _gcds(reversed(terms))[-2::-1]))


# --- the search -------------------------------------------------------------------------------

Cell: TypeAlias = "tuple[int, int, int, Any] | None"
"""How a sum came about: leaf, steps along it, the sign that makes it positive, and the sum before."""


class _Search:
    """Looks for z on two sides: sums of some terms, and sums of the others, that cancel.

    The term with the most steps is on neither side; it is solved for when the sides meet. Of z and -z
    one is enough, so a side holds the sums that are not negative. It holds a sum only if the terms
    outside can cancel it: the sum is a multiple of their gcd, and within their reach. The first side
    takes the large strides, whose sums are soon out of reach; the second takes the small ones.
    """

    def __init__(self, terms: Terms, work: int) -> None:
        self.last = max(terms, key=lambda term: (term[1], -term[0]))
        self.rest = [term for term in terms if term is not self.last]
        self.sides: list[dict[int, Cell]] = [{0: None}, {0: None}]
        self.terms: list[Terms] = [[], []]
        self.left = work
        self.is_cut = False

    def run(self) -> Steps | None:
        while self.rest and not self.is_cut:
            _cost, side, term, reach, unit = min(
                (self.cheapest(side) for side in (0, 1)), key=lambda plan: plan[0]
            )
            self.rest.remove(term)
            self.terms[side].append(term)
            z = self.extend(side, term, reach, unit)
            if z is not None:
                return z
        return self.meeting()

    def cheapest(self, side: int) -> tuple[int, int, Term, int, int]:
        """The term that makes the fewest sums of a side, with reach and gcd of what is then outside."""
        outside = [self.last, *self.terms[1 - side]]
        reach = sum(d * b for d, b, _i in outside + self.rest)
        unit = _gcds(outside)[-1]
        plans: list[tuple[int, int, Term, int, int]] = []
        for (d, b, i), others in zip(self.rest, _gcds_of_others(self.rest), strict=True):
            g = gcd(unit, others)
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
