# SPDX-License-Identifier: Apache-2.0
"""What is known of symbolic ints: sign, zero, divisibility. True, False, or None for "not known".

Ranges answer most questions. Where they do not, `is_nonnegative` looks for a proof: an expression is
at least 0 if a positive multiple of it is a sum of what is known to be at least 0. For an atom that is::

    x // c       x - c*(x // c) >= 0 and c*(x // c) + c - 1 - x >= 0
    x % c        c - 1 - x % c >= 0, and x - x % c >= 0 where x >= 0
    min(x, y)    x - min(x, y) >= 0, y - min(x, y) >= 0
    a symbol     its range, where that is symbolic

then the ranges of atoms that stand in products, and what is assumed. Each step takes a multiple of one
of them away that cancels a term, or goes from ``y`` to ``c*y + c - 1``, for the divisor ``c`` of a
quotient in it. For an int ``y`` that is at least 0 exactly if ``y`` is. An answer of True or False is a
proof; None says nothing.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from . import assumptions, intervals
from .context import assumed, use
from .evaluation import compute
from .nodes import (
    Expr,
    Least,
    Quotient,
    Remainder,
    Symbol,
    Value,
    alone,
    atom_expr,
    atoms_of,
    bounds_of,
    contains,
    exact_quotient,
    expr_of,
    key_of,
    operators,
    product_in_order,
    range_of,
    raw_product,
    raw_sum,
    term_of,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .nodes import Atom, Condition, Monomial, Terms


def known_zero(x: Value) -> bool | None:
    """Whether a value is 0."""
    if type(x) is not Expr:
        return x == 0
    answer = _zero_by_range(x)
    if answer is not None or not is_related(x):
        return answer
    factors = _factors(x)
    if factors:
        answers = {known_zero(factor) for factor in factors}
        if True in answers or answers == {False}:
            return True in answers
    if assumed.get() is not None:
        reduced = replace_equals(x)
        if type(reduced) is not Expr:
            return reduced == 0
        answer = None if reduced is x else _zero_by_range(reduced)
        if answer is not None:
            return answer
        x = reduced
        if is_never_zero(x):
            return False
    one = next(_values(x), None)  # only what agrees with it can be so for all
    if (one is None or one < 0) and is_nonnegative(-x - 1):
        return False
    if (one is None or one > 0) and is_nonnegative(x - 1):
        return False
    return True if not one and is_nonnegative(x) and is_nonnegative(-x) else None


def _zero_by_range(x: Expr) -> bool | None:
    low, high = x.bounds
    if (low is not None and low > 0) or (high is not None and high < 0):
        return False
    if x.constant % gcd(*x.terms.values()):  # multiples of g never meet a number that is none
        return False
    return True if low == 0 == high else None


def _factors(x: Expr) -> list[Expr]:
    """The factors of an expression that is a product of atoms; none of another."""
    if len(x.terms) > 1 or x.constant:
        return []
    ((monomial, _k),) = x.terms.items()
    return [atom_expr(atom) for atom in monomial] if len(monomial) > 1 else []


def _values(x: Expr) -> Iterator[int]:
    """Yield a few values of an expression; none where no point is at hand.

    A statement about all values holds for these too: they refute most claims before a proof is tried.
    """
    for spread, known in assumptions.points():
        point = {**known}
        try:
            for i, symbol in enumerate([a for a in atoms_of(x) if type(a) is Symbol]):
                assumptions.choose(symbol, spread * (5 + 4 * i), point)
            yield compute(x, {}, point)
        except (ZeroDivisionError, LookupError):
            continue


def known_negative(x: Value) -> bool | None:
    """Whether a value is below 0."""
    if type(x) is not Expr:
        return x < 0
    answer = intervals.is_below(x.bounds, 0)
    if answer is not None or not is_related(x):
        return answer
    factors = _factors(x)
    if factors and all(known_negative(-factor) is True for factor in factors):
        return min(x.terms.values()) < 0
    one = next(_values(x), None)
    if (one is None or one < 0) and is_nonnegative(-x - 1):
        return True
    return False if (one is None or one >= 0) and is_nonnegative(x) else None


def known_divides(a: Value, x: Value) -> bool | None:
    """Whether ``x`` is a multiple of ``a``; only 0 is one of 0."""
    if type(a) is not Expr and a == 0:
        return known_zero(x)
    if (type(x) is not Expr and x == 0) or exact_quotient(x, a) is not None:
        return True
    if type(a) is Expr and (known_negative(a) is None or known_zero(a) is not False):
        return None
    return known_zero(operators.remainder(x, a))


# --- inequalities -----------------------------------------------------------------------------


def is_related(x: Expr) -> bool:
    """Whether more can be known of an expression than its range tells."""
    return bool(x.kinds) or is_symbolic(x)


def is_symbolic(x: Value) -> bool:
    """Whether the atoms of a value are bounded by more than numbers, or multiplied.

    Ranges and digits decide the divisions of all other values by a number. A search for a proof seldom
    finds more there, and takes long where sums are long.
    """
    if type(x) is not Expr:
        return False
    if assumed.get() is not None:
        return True
    return any(len(m) > 1 or any(map(_is_bounded_by_symbols, m)) for m in x.terms)


def _is_bounded_by_symbols(atom: Atom) -> bool:
    return type(atom) is Symbol and (type(atom.greatest) is Expr or type(atom.least) is Expr)


def is_within(x: Value, low: Value, end: Value) -> bool:
    """Whether ``low <= x < end`` is known."""
    above = raw_sum(raw_sum(end, 1, x, -1), 1, 1, -1)
    return is_nonnegative(raw_sum(x, 1, low, -1)) and is_nonnegative(above)


def is_nonnegative(x: Value) -> bool:
    """Whether ``x >= 0`` is known."""
    if type(x) is not Expr:
        return x >= 0
    low = x.bounds[0]
    if low is not None and low >= 0:
        return True
    if not is_related(x):
        return False
    if _grows_from_0(x):
        return True
    if any(value < 0 for value in _values(x)):
        return False
    search = _Search()
    for depth in range(1, _DEPTH + 1):  # short proofs first
        if search.proves(x, depth):
            use(*search.used)
            return True
        if search.work <= 0:
            break
    unit = gcd(*x.terms.values())
    if unit == 1:
        return False
    # u*y + c >= 0 exactly if y + c // u >= 0
    reduced = {monomial: k // unit for monomial, k in x.terms.items()}
    return is_nonnegative(expr_of(reduced, x.constant // unit, 7))


def _grows_from_0(x: Expr) -> bool:
    """Whether ``x`` is at least 0 where each atom is least, and no atom that grows makes it less.

    With ``atom == low + t``, ``t >= 0``, multiplied out, no coefficient is negative. Multiplied out is
    one atom at a time, that of the fewest terms; a power of ``t`` whose terms have one sign is settled,
    however many atoms they have.
    """
    whole = {**x.terms, (): x.constant} if x.constant else x.terms
    lows: dict[Atom, Any] = {atom: atom.bounds[0] for monomial in whole for atom in monomial}
    if None in lows.values():
        return False
    below = {atom for atom, low in lows.items() if low < 0}
    if not below and (min(x.terms.values()) > 0 or max(x.terms.values()) < 0):
        return False  # what its range alone tells has been asked
    todo, room = [whole], _ROOM
    while todo:
        terms = todo.pop()
        if not below or not any(atom in below for monomial in terms for atom in monomial):
            if min(terms.values()) >= 0:
                continue
            if max(terms.values()) <= 0:
                return False
        counts: dict[Atom, int] = {}
        for monomial in terms:
            for atom in monomial:
                counts[atom] = counts.get(atom, 0) + 1
        room -= len(terms) + sum(counts.values())
        if room < 0:
            return False
        atom = min([a for a in counts if a in below] or counts, key=counts.__getitem__)
        low = lows[atom]
        powers: dict[int, dict[Monomial, int]] = {}  # of t
        for monomial, k in terms.items():
            n = monomial.count(atom)
            rest = tuple([a for a in monomial if a is not atom]) if n else monomial
            for j in range(n, -1, -1):
                power = powers.setdefault(j, {})
                power[rest] = power.get(rest, 0) + k
                k = k * low * j // (n - j + 1)  # comb(n, j) * low**(n - j)
        for power in powers.values():
            left = {m: k for m, k in power.items() if k}
            if left:
                todo.append(left)
    return True


_ROOM: Final = 1 << 13
_DEPTH: Final = 6
_WORK: Final = 60

_Fact: TypeAlias = "tuple[Any, tuple[Condition, ...]]"
"""An expression that is at least 0, and what was assumed for it."""


class _Search:
    """A search for a proof, of at most `_WORK` steps."""

    __slots__ = ("known", "seen", "used", "work")

    def __init__(self) -> None:
        self.work = _WORK
        self.used: list[Condition] = []
        self.seen: dict[Any, int] = {}
        self.known: dict[Atom, list[_Fact]] = {}

    def proves(self, x: Value, depth: int) -> bool:
        if type(x) is not Expr:
            return x >= 0
        low = x.bounds[0]
        if low is not None and low >= 0:
            return True
        key = key_of(x)
        if depth == 0 or self.work <= 0 or self.seen.get(key, 0) >= depth:
            return False
        self.seen[key] = depth
        self.work -= 1
        for monomial, k in x.terms.items():  # min(a, b) + x >= 0 exactly if a + x >= 0 and b + x >= 0
            least = next((atom for atom in monomial if type(atom) is Least), None) if k > 0 else None
            if least is not None:  # times what is not negative it is min(a*y, b*y)
                others = without(monomial, (least,))
                if intervals.is_nonnegative(range_of(others)):
                    rest = raw_sum(x, 1, 1, -k, monomial)
                    return all(
                        self.proves(raw_sum(rest, 1, item, k, others), depth - 1) for item in least.parts
                    )
        facts = [
            fact for atom in dict.fromkeys(a for m in x.terms for a in m) for fact in self.facts(atom)
        ]
        facts += [fact for m in x.terms if len(m) > 1 for atom in m for fact in _ends(atom)]
        facts += assumptions.known().inequalities
        # a term without a least value must go
        for monomial in sorted(x.terms, key=lambda m: range_of(m)[x.terms[m] < 0] is not None):
            k = x.terms[monomial]
            for fact, because in facts:
                for part, j in fact.terms.items():
                    if (j > 0) != (k > 0) or not contains(part, monomial):
                        continue
                    others = without(monomial, part)
                    if not intervals.is_nonnegative(range_of(others)):
                        continue
                    g = gcd(j, k)
                    less = raw_sum(x, abs(j) // g, fact, -abs(k) // g, others)
                    if self.proves(less, depth - 1):
                        self.used += because
                        return True
        for monomial in x.terms:
            atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Quotient:
                c = atom.divisor
                scaled = raw_sum(raw_sum(raw_product(x, c), 1, c, 1), 1, 1, -1)
                if self.proves(scaled, depth - 1):
                    return True
        return False

    def facts(self, atom: Atom) -> list[_Fact]:
        """Facts about an atom that follow from its definition."""
        known = self.known.get(atom)
        if known is not None:
            return known
        facts: list[_Fact] = [(f, ()) for f in _facts_of(atom) if type(f) is Expr]
        self.known[atom] = facts
        if type(atom) is Quotient and type(atom.dividend) is Expr:
            facts += _exact(atom, atom.dividend)
        return facts


def _exact(atom: Quotient, dividend: Expr) -> Iterator[_Fact]:
    """``c * (x // c) == x - n``, where it is assumed that ``x % c == n``."""
    c = atom.divisor
    n, because = congruent(dividend, c)
    if because and type(n) is not Expr and (type(c) is not Expr or n == 0):
        rest = raw_sum(raw_sum(dividend, 1, n, -1), 1, c, -1, (atom,))
        yield raw_sum(0, 0, rest, -1), because


def _ends(atom: Atom) -> Iterator[_Fact]:
    """The range of an atom, as facts: for products."""
    low, high = atom.bounds
    if low is not None:
        yield raw_sum(atom_expr(atom), 1, low, -1), ()
    if high is not None:
        yield raw_sum(high, 1, atom_expr(atom), -1), ()


def _facts_of(atom: Atom) -> Iterator[Any]:
    """Expressions that are at least 0 by the definition of an atom."""
    it: Any = atom_expr(atom)
    if type(atom) is Symbol:
        if type(atom.greatest) is Expr:
            yield raw_sum(atom.greatest, 1, it, -atom.divisor)
        if type(atom.least) is Expr:
            yield raw_sum(it, atom.divisor, atom.least, -1)
    elif type(atom) is Quotient:
        rest = raw_sum(atom.dividend, 1, atom.divisor, -1, (atom,))  # from 0 to below the divisor
        yield rest
        yield raw_sum(raw_sum(atom.divisor, 1, 1, -1), 1, rest, -1)
    elif type(atom) is Remainder:
        if type(atom.divisor) is Expr:
            yield raw_sum(raw_sum(atom.divisor, 1, 1, -1), 1, it, -1)
        if intervals.is_nonnegative(bounds_of(atom.dividend)):
            yield raw_sum(atom.dividend, 1, it, -1)
    elif type(atom) is Least:
        for item in atom.parts:
            yield raw_sum(item, 1, it, -1)


# --- what follows from what is assumed ------------------------------------------------------


def replace_equals(x: Expr) -> Value:
    """Return an expression with the symbols replaced that are assumed equal to something."""
    result: Value = x
    for symbol, value, because in assumptions.known().equalities:
        if type(result) is Expr and symbol in {*atoms_of(result)}:
            rest = assumptions.rebind_one(result, symbol, value)
            if rest is not result:
                result = rest
                use(*because)
    return result


def is_never_zero(x: Expr) -> bool:
    """Return whether a remainder, or a ``!=``, that is assumed rules 0 out."""
    state = assumptions.known()
    for apart, condition in state.unequal:
        if apart == assumptions.primitive(x):
            use(condition)
            return True
    for _y, c, _condition in state.congruences:
        if type(c) is not Expr:
            for same, g in ((x, c), _by_dividends(x, c)):
                rest, because = congruent(same, g)
                if type(rest) is not Expr and rest:
                    use(*because)
                    return True
    return False


def _by_dividends(x: Expr, c: int) -> tuple[Expr, int]:
    """``x`` with ``y`` for each ``y % a`` in it, and a divisor of ``c`` with one remainder for both."""
    for monomial, k in x.terms.items():
        atom = monomial[0]
        if len(monomial) == 1 and type(atom) is Remainder and type(atom.divisor) is not Expr:
            opened = raw_sum(raw_sum(x, 1, 1, -k, monomial), 1, atom.dividend, k)
            if type(opened) is Expr:
                return _by_dividends(opened, gcd(c, k * atom.divisor))
    return x, c


def reduce_remainder(is_remainder: bool, x: Value, c: Value) -> Value | None:
    """Return ``x % c``, or ``x // c``, where the assumptions make it simpler; None elsewhere."""
    if type(x) is not Expr:
        return None
    rest, because = congruent(x, c)
    if not because:
        return _by_whole_parts(is_remainder, x, c)
    if is_remainder:
        use(*because)
        return operators.remainder(rest, c)
    if type(rest) is not Expr and rest == 0:
        return _by_whole_parts(is_remainder, x, c)
    if not is_within(rest, 0, c):
        return None
    use(*because)
    return operators.floor_divided(x - rest, c)  # x % c == rest


def _by_whole_parts(is_remainder: bool, x: Expr, c: Value) -> Value | None:
    """``(y*z + x) // c == y // c * z + x // c``, and ``y // c`` as a divisor, where ``y % c == 0``."""
    for y, d, condition in assumptions.known().congruences:
        if y.constant or len(y.terms) > 1 or type(d) is Expr:
            continue
        ((part, k),) = y.terms.items()
        if type(c) is not Expr and not is_remainder and d % c == 0:
            for monomial, j in x.terms.items():
                if contains(part, monomial) and j % k == 0 and (monomial != part or abs(j) > abs(k)):
                    use(condition)
                    others = without(monomial, part)
                    term = expr_of({monomial: j}, 0, x.kinds)
                    factor: Any = term_of(others, j // k)
                    whole: Any = operators.floor_divided(y, c) * factor
                    return whole + operators.floor_divided(x - term, c)  # type: ignore[no-any-return]
        elif type(c) is Expr and d % k == 0:
            for quotient in [atom for atom in atoms_of(c) if type(atom) is Quotient]:
                if key_of(quotient.dividend) != key_of(y) or quotient.divisor != d:
                    continue
                wholes: Value = x.constant  # y is d times its quotient
                for monomial, j in x.terms.items():
                    if contains(part, monomial):
                        others = (*without(monomial, part), quotient)
                        wholes = raw_sum(wholes, 1, 1, j * (d // k), product_in_order(others))
                    else:
                        wholes = raw_sum(wholes, 1, 1, j, monomial)
                exact = exact_quotient(wholes, c)
                if exact is not None:
                    use(condition)
                    return 0 if is_remainder else exact
    return None


def congruent(x: Expr, c: Value) -> tuple[Value, tuple[Condition, ...]]:
    """Return an expression of fewer terms with the same remainder by ``c``, and what says so.

    The expression itself, and no condition, where there is none.
    """
    for y, d, condition in assumptions.known().congruences:
        if exact_quotient(d, c) is None:
            continue
        for monomial, k in y.terms.items():
            for whole, j in x.terms.items():
                if j % k or not contains(monomial, whole):
                    continue
                smaller = raw_sum(x, 1, y, -j // k, without(whole, monomial))
                if type(smaller) is not Expr:
                    return smaller if type(c) is Expr else smaller % c, (condition,)
                if len(smaller.terms) < len(x.terms):
                    rest, because = congruent(smaller, c)
                    return rest, (condition, *because)
    atom = alone(x, Quotient)
    if atom is not None and type(atom.dividend) is Expr:  # (y // a) % c == (y % (a*c)) // a
        a: Any = atom.divisor
        rest, because = congruent(atom.dividend, a * c)
        if type(rest) is not Expr and because and type(a) is not Expr and type(c) is not Expr:
            return rest % (a * c) // a, because
    return x, ()


def restore(terms: Terms, constant: int, kinds: int) -> Value | None:
    """Return a sum in which ``x // c * c`` is ``x - n`` where ``x % c == n`` is assumed."""
    if not kinds & 2:
        return None
    for monomial, k in terms.items():
        for i, atom in enumerate(monomial):
            if type(atom) is not Quotient or type(atom.dividend) is not Expr:
                continue
            factors = term_of((*monomial[:i], *monomial[i + 1 :]), k)
            over = exact_quotient(factors, atom.divisor)
            if over is None:
                continue
            rest, because = congruent(atom.dividend, atom.divisor)
            if because and type(rest) is not Expr and (type(atom.divisor) is not Expr or rest == 0):
                use(*because)
                one = expr_of({monomial: k}, 0, kinds)
                result: Value = expr_of(terms, constant, kinds) - one + (atom.dividend - rest) * over
                return result
    return None
