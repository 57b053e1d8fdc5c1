# SPDX-License-Identifier: Apache-2.0
"""The rewrite rules of symbolic ints, in tables, and the operations that apply them.

Each rule states its identity and what it needs; it returns None where it does not apply. The tables
are tried from the top: the first rule that applies gives the result. Every rule is proved in the
tests: by enumeration, and by integer sets where islpy is installed.

The names P, M, R, D, S are those of the rules of XLA's indexing simplifier that they come from, without
the unsound ones. Here a rule also takes a symbolic divisor where its identity holds for one. ``x``,
``y`` are any expressions, ``a``, ``b``, ``c``, ``g`` are positive, ``k``, ``n`` any ints.

Source: XLA ``indexing_map.cc``, ``AffineExprSimplifier``; the identities are proved anew.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import LeafError, ZeroDivisorError
from ..ground import guarded, limit_error, limit_of
from . import facts, intervals, printers
from .context import assumed
from .evaluation import rebuild
from .nodes import (
    Condition,
    Expr,
    Least,
    Monomial,
    Quotient,
    Remainder,
    Terms,
    Value,
    alone,
    atom_expr,
    atoms_of,
    bounds_of,
    contains,
    exact_quotient,
    expr_of,
    key_of,
    over,
    product_in_order,
    required,
    shorten,
    size_of,
    sum_of,
    term_of,
    without,
)
from .questions import undecided

if TYPE_CHECKING:
    from collections.abc import Callable

    from .nodes import Symbol


class Rule(NamedTuple):
    """A rule: its name, its identity, what that needs; the step gives None where it does not apply."""

    name: str
    identity: str
    needs: str
    step: Callable[..., Value | None]


DIVISION: Final[list[Rule]] = []
"""Rules of ``x // c``, for ``c`` an int above 1 or an expression known to be positive."""
REMAINDER: Final[list[Rule]] = []
"""Rules of ``x % c``, for the same."""
SUM: Final[list[Rule]] = []
"""Rules of a sum: one tried at each remainder in its products, one at each quotient."""
MINIMUM: Final[list[Rule]] = []
"""Rules of the least of several expressions."""


def _rule(table: list[Rule], name: str, identity: str, needs: str = "") -> Callable[..., Any]:
    def add(step: Callable[..., Value | None]) -> Callable[..., Value | None]:
        table.append(Rule(name, identity, needs, step))
        return step

    return add


# --- quotients --------------------------------------------------------------------------------


@_rule(DIVISION, "P", "x // c == n", "every x lies in [n*c, (n+1)*c)")
def _one_quotient(x: Value, c: Value) -> Value | None:
    low, high = intervals.floor_divide(bounds_of(x), bounds_of(c))
    if low is not None and low == high and (type(c) is not Expr or low in (-1, 0)):
        return low  # n*c of a symbolic c may be longer than what it comes from
    if type(c) is Expr or facts.is_symbolic(x):
        if facts.is_within(x, 0, c):
            return 0
        if facts.is_within(x, -c, 0):
            return -1
    return None


@_rule(DIVISION, "D3", "(y*c + x) // c == y + x // c")
def _pulled_out(x: Expr, c: Value) -> Value | None:
    if type(c) is not Expr:
        rest = _left(x, c)
        if rest == x.terms and 0 <= x.constant < c:
            return None
        whole = {m: n for m, k in x.terms.items() if (n := k - rest.get(m, 0))}
        constant = x.constant % c
        outside = over(whole, c, x.constant // c, x.kinds)
        return floor_divided(summed(rest, constant, x.kinds) if rest else constant, c) + outside
    quotient, smaller = shorten(x, c)
    return None if quotient is None else quotient + floor_divided(smaller, c)


def _left(x: Expr, c: int) -> Terms:
    """The terms of a dividend without multiples of ``c``.

    Where there are divisions, coefficients of the others come near 0 too, or they grow with each
    division of a chain of them. Without, they stay, as they do in XLA.
    """
    if not x.kinds:
        return {m: k for m, k in x.terms.items() if k % c}
    return {m: j for m, k in x.terms.items() if (j := k % c if k > 0 else -(-k % c))}


@_rule(DIVISION, "D4", "(x*g + n) // (c*g) == (x + n // g) // c")
def _cancelled(x: Expr, c: Value) -> Value | None:
    common = _common_factor(x, c)
    return None if common is None else floor_divided(_divided(x, common), _divided(c, common))


@_rule(DIVISION, "D2, D6", "(x // a + y) // c == (x + y*a) // (a*c)", "no other quotient in y")
def _flattened(x: Expr, c: Value) -> Value | None:
    if not x.kinds & 2:
        return None
    inner = [(m, k) for m, k in x.terms.items() if any(type(atom) is Quotient for atom in m)]
    if len(inner) != 1:
        return None
    (monomial, k), *_ = inner
    atom: Any = monomial[0]
    if len(monomial) > 1 or k != 1:
        return None
    return floor_divided(atom.dividend + (x - atom_expr(atom)) * atom.divisor, atom.divisor * c)


@_rule(DIVISION, "D1", "(x % (a*c)) // c == (x // c) % a")
def _remainder_divided(x: Expr, c: Value) -> Value | None:
    atom = alone(x, Remainder)
    if atom is None:
        return None
    a = exact_quotient(atom.divisor, c)
    return None if a is None else remainder(floor_divided(atom.dividend, c), a)


@_rule(DIVISION, "N", "(-x) // c == -((x + c - 1) // c)")
def _negated(x: Expr, c: Value) -> Value | None:
    if max(x.terms.values()) > 0 or (type(c) is Expr and max(c.terms.values()) < 0):
        return None
    return -floor_divided(-x + c - 1, c)


@_rule(DIVISION, "D5", "(x*g + y) // (g*c) == x // c", "every y lies in [0, g), g > 1")
def _digit_dropped(x: Expr, c: Value) -> Value | None:
    found = _digit(x, c)
    return None if found is None else floor_divided(found[1], found[3])


# --- remainders -------------------------------------------------------------------------------


@_rule(REMAINDER, "R1", "x % c == x - n*c", "every x lies in [n*c, (n+1)*c)")
def _one_period(x: Expr, c: Value) -> Value | None:
    n = _one_quotient(x, c)
    return None if n is None else x - c * n


@_rule(REMAINDER, "R3", "(y*c + x) % c == x % c, (x % (a*c) * k) % c == (x * k) % c")
def _dropped(x: Expr, c: Value) -> Value | None:
    if type(c) is Expr:
        quotient, smaller = shorten(x, c)
        if quotient is not None:
            return remainder(smaller, c)
        whole = alone(x, Remainder)
        if whole is not None and exact_quotient(whole.divisor, c) is not None:
            return remainder(whole.dividend, c)
        return None
    constant = x.constant % c
    if x.kinds & 1:
        opened = {m: y for m, k in x.terms.items() if (y := _opened(m, k, c)) is not None}
        left = {m: k for m, k in x.terms.items() if m not in opened}
        count = len(left) + sum(len(y.terms) for y in opened.values() if type(y) is Expr)
        if opened and count <= _LONGEST:  # all at once: each call of `remainder` begins with proofs
            return remainder(sum_of([over(left, 1, x.constant, x.kinds), *opened.values()]), c)
    terms = _left(x, c)
    if constant == x.constant and terms == x.terms:
        return None
    return remainder(summed(terms, constant, x.kinds), c) if terms else constant


_LONGEST: Final = 8
"""The most terms of a sum into which remainders are opened: a longer one is no simpler."""


def _opened(monomial: Monomial, k: int, c: int) -> Value | None:
    """A term with the dividend in place of a remainder that ``% c`` takes anew; None without one."""
    for i, atom in enumerate(monomial):
        if type(atom) is Remainder and exact_quotient(atom.divisor * k, c) is not None:
            rest: Any = term_of((*monomial[:i], *monomial[i + 1 :]), k)
            opened: Value = rest * atom.dividend
            return opened
    return None


@_rule(REMAINDER, "R2, R4", "(x*g + n) % (c*g) == (x + n // g) % c * g + n % g")
def _factored(x: Expr, c: Value) -> Value | None:
    common = _common_factor(x, c)
    if common is None:
        return None
    rest = 0 if type(common) is Expr else x.constant % common
    return remainder(_divided(x, common), _divided(c, common)) * common + rest


@_rule(REMAINDER, "R5", "(x*g + y) % (g*c) == x % c * g + y", "every y lies in [0, g), g > 1")
def _digit_kept(x: Expr, c: Value) -> Value | None:
    found = _digit(x, c)
    if found is None:
        return None
    g, above, below, high = found
    return remainder(above, high) * g + below


# --- sums -------------------------------------------------------------------------------------


@_rule(SUM, "S1", "x % c + x // c * c == x", "both times the same factor")
def _joined(terms: Terms, constant: int, kinds: int, monomial: Monomial, i: int) -> Value | None:
    atom: Any = monomial[i]
    factor: Any = term_of((*monomial[:i], *monomial[i + 1 :]), terms[monomial])
    if not _has_product(terms, atom.whole, factor):
        return None
    one = expr_of({monomial: terms[monomial]}, 0, kinds)
    result: Value = expr_of(terms, constant, kinds) - one - atom.whole * factor + atom.dividend * factor
    return result


@_rule(SUM, "S2", "x - x // c * c == x % c", "both times the same factor")
def _leftover(terms: Terms, constant: int, kinds: int, monomial: Monomial, i: int) -> Value | None:
    atom: Any = monomial[i]
    k, c = terms[monomial], atom.divisor
    others = (*monomial[:i], *monomial[i + 1 :])
    factor: Any = None
    if type(c) is Expr:
        factor = exact_quotient(term_of(others, -k), c)
    elif not k % c:
        factor = term_of(others, -k // c)
    if factor is None or not _has_product(terms, atom.dividend, factor):
        return None
    one = expr_of({monomial: k}, 0, kinds)
    rest: Any = remainder(atom.dividend, c)
    result: Value = expr_of(terms, constant, kinds) - one - atom.dividend * factor + rest * factor
    return result


def _has_product(terms: Terms, x: Value, factor: Value) -> bool:
    """Whether a sum has the terms of ``x``, each times a term. No rule is tried: it is asked often."""
    ((others, k),) = factor.terms.items() if type(factor) is Expr else [((), factor)]
    if type(x) is not Expr:
        return bool(others and x) and terms.get(others) == x * k
    if others and x.constant and terms.get(others) != x.constant * k:
        return False
    for m, j in x.terms.items():
        if terms.get(product_in_order(m + others) if others else m) != j * k:
            return False
    return True


# --- minima -----------------------------------------------------------------------------------


@_rule(MINIMUM, "L1", "min(x, y) == x", "x <= y is known")
def _ordered(items: list[Value]) -> Value | None:
    kept: list[Value] = []
    for y in items:
        greater = None
        for x in kept[:]:
            greater = y if facts.is_nonnegative(y - x) else None
            if facts.is_nonnegative(x - y) and (greater is None or _after(x, y)):
                greater = None
                kept = [z for z in kept if z is not x]
            if greater is not None:
                break
        if greater is None:
            kept.append(y)
        if len(kept) > 16 and len(kept) ** 2 > limit_of("steps"):
            summary = f"the least of {len(items)} values compares each with each"
            raise limit_error("steps", summary, needed=len(items) ** 2)
    return least(*kept) if len(kept) < len(items) else None


def _after(x: Value, y: Value) -> bool:
    """Whether the first of two equal values is the one to leave out."""
    return (size_of(x), printers.to_python(x)) > (size_of(y), printers.to_python(y))


@_rule(MINIMUM, "L2", "min(min(x, y), z) == min(x, y, z)")
def _nested(items: list[Value]) -> Value | None:
    for i, x in enumerate(items):
        atom = alone(x, Least)
        if atom is not None:
            return least(*items[:i], *atom.parts, *items[i + 1 :])
    return None


@_rule(MINIMUM, "L3", "min(x*g, y*g) == min(x, y) * g")
def _least_factored(items: list[Value]) -> Value | None:
    g = gcd(*(x.divisor if type(x) is Expr else x for x in items))
    if g == 1:
        return None
    return least(*[_divided(x, g) for x in items]) * g


# --- the operations ---------------------------------------------------------------------------

_known: Final[dict[Any, Value]] = {}
_MOST_KNOWN: Final = 4096


def floor_divided(x: Value, c: Value) -> Value:
    """Return ``x // c``, rounded down.

    >>> print(floor_divided(8 * sym("i", min=0) + 5, 8), floor_divided(-1, 4))
    i{min=0} -1

    Raises:
        LeafError: one of them is no int.
        ZeroDivisorError: ``c`` is 0.
        UndecidedError: ``c`` may be 0, or its sign is not known.
    """
    if type(x) is int and type(c) is int and c:
        return x // c
    if type(c) is not int:
        c = required(c)
    if type(x) is not Expr:
        x = required(x)
        if type(c) is int and c:
            return x // c
    x, c = _positive(x, c)
    return x if c == 1 and type(c) is not Expr else _rewritten(DIVISION, Quotient, x, c)


def remainder(x: Value, c: Value) -> Value:
    """Return ``x % c``, of the sign of ``c``.

    >>> print(remainder(8 * sym("i", min=0) + 5, 8), remainder(-1, 4))
    5 3

    Raises:
        LeafError: one of them is no int.
        ZeroDivisorError: ``c`` is 0.
        UndecidedError: ``c`` may be 0, or its sign is not known.
    """
    if type(x) is int and type(c) is int and c:
        return x % c
    if type(c) is not int:
        c = required(c)
    if type(x) is not Expr:
        x = required(x)
        if type(c) is int and c:
            return x % c
    if (c < 0) if type(c) is not Expr else facts.known_negative(c) is True:
        return -remainder(-x, -c)
    x, c = _positive(x, c)
    return 0 if c == 1 and type(c) is not Expr else _rewritten(REMAINDER, Remainder, x, c)


def ceil_divided(x: Value, c: Value) -> Value:
    """Return ``x / c``, rounded up.

    >>> print(ceil_divided(sym("M", divisible_by=4), 8), ceil_divided(7, 4))
    (M{div=4}+4)//8 2
    """
    return -floor_divided(-required(x), c)


def least(*items: Value) -> Value:
    """Return the least of some values.

    >>> print(least(sym("i", min=0, max=7), 7), least(3, 5))
    i{min=0,max=7} 3
    """
    numbers = [required(x) for x in items if type(x) is not Expr]
    unknown: dict[Any, Value] = {key_of(x): x for x in items if type(x) is Expr}
    rest: list[Value] = list(unknown.values())
    if numbers:
        rest.append(min(numbers))
    if len(rest) == 1:
        return rest[0]
    if not rest:
        raise LeafError("the least of no ints does not exist")
    for rule in MINIMUM:
        result = rule.step(rest)
        if result is not None:
            return result
    atom = Least.make(*rest)
    atom.is_final = atom.is_final or assumed.get() is None
    return atom_expr(atom)


def greatest(*items: Value) -> Value:
    """Return the greatest of some values: ``-min(-x, -y)``.

    >>> print(greatest(sym("M"), 1), greatest(sym("i", min=0, max=7), 5))
    M max(5,i{min=0,max=7})
    """
    return -least(*[-required(x) for x in items])


def summed(terms: Terms, constant: int, kinds: int) -> Value:
    """Return the sum of some terms, rewritten by the rules of sums until none applies."""
    for monomial in terms:
        for i, atom in enumerate(monomial):
            if atom.kind & 3 and (not i or atom is not monomial[i - 1]):  # equal factors stand together
                result = SUM[atom.kind - 1].step(terms, constant, kinds, monomial, i)
                if result is not None:
                    return result
    if assumed.get() is not None:
        result = facts.restore(terms, constant, kinds)
        if result is not None:
            return result
    return expr_of(terms, constant, kinds)


@guarded
def simplify(x: Value) -> Value:
    """Return an expression of equal value for all that its symbols may be, in the form the rules give.

    The operators have applied the rules as they built it. This applies them to all its parts anew, with
    what is assumed now, until nothing changes. A symbol that has but one value becomes that number.

    >>> x = sym("i", min=0) % 48 // 16
    >>> with assume(sym("i", min=0) < 16):
    ...     print(simplify(x))
    0
    """

    def single(symbol: Symbol) -> Value | None:
        low, high = symbol.bounds
        return low if low == high else None

    if assumed.get() is None and all(atom.is_final for atom in atoms_of(x)):
        return x  # the operators have done it
    for _time in range(_ROUNDS):
        simpler = rebuild(x, single)
        if type(simpler) is Expr:
            simpler = facts.replace_equals(simpler)
        if key_of(simpler) == key_of(x):
            return x
        x = simpler
    return x


_ROUNDS: Final = 16


def _positive(x: Value, c: Value) -> tuple[Value, Value]:
    """Dividend and divisor with a divisor above 0."""
    if type(c) is not Expr:
        if c == 0:
            raise ZeroDivisorError(f"{printers.to_python(x)} divided by 0")
        return (x, c) if c > 0 else (-x, -c)
    negative = facts.known_negative(c)
    if negative:
        return -x, -c
    if negative is False and facts.known_zero(c) is False:
        return x, c
    if facts.known_zero(c) is True:
        raise ZeroDivisorError(f"{printers.to_python(x)} divided by {c}, which is 0")
    sign = "0" if negative is False else "0 or negative"
    raise undecided(
        "",
        Condition(c, ">", 0),
        summary=f"cannot divide {printers.to_python(x)} by {c}: it may be {sign}",
    )


def _rewritten(table: list[Rule], atom: type[Quotient] | type[Remainder], x: Value, c: Value) -> Value:
    """What the first rule that applies gives, or the atom; remembered where nothing is assumed."""
    is_free = assumed.get() is None
    key = (atom, key_of(x), key_of(c))
    result = _known.get(key) if is_free else facts.reduce_remainder(atom is Remainder, x, c)
    if result is not None:
        return result
    result = _first(table, x, c)
    if result is None:
        made_of = atom.make(x, c)
        made_of.is_final = made_of.is_final or is_free
        result = atom_expr(made_of)
    if is_free:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = result
    return result


def _first(table: list[Rule], x: Value, c: Value) -> Value | None:
    if type(x) is not Expr:  # of a symbolic divisor: an expression without terms
        return _of_constant(table, x, c)
    if type(c) is not Expr and not x.kinds and not x.constant and list(x.terms.values()) == [1]:
        return table[0].step(x, c)  # of symbols alone only their range can tell
    for rule in table:
        result = rule.step(x, c)
        if result is not None:
            return result
    return None


def _of_constant(table: list[Rule], x: int, c: Value) -> Value | None:
    """P and R1 for an int over a symbolic divisor; ``n // c == -((c - 1 - n) // c)`` below 0."""
    n = _one_quotient(x, c)
    if n is not None:
        rest: Value = x - c * n
        return n if table is DIVISION else rest
    if x < 0 and table is DIVISION:
        return -floor_divided(c - 1 - x, c)
    return None


# --- parts of the rules -----------------------------------------------------------------------


def _common_factor(x: Expr, c: Value) -> Value | None:
    """A factor, other than 1 and known to be positive, of ``c`` and every term but a number's rest."""
    if type(c) is not Expr:
        g = gcd(c, *x.terms.values())
        return g if g > 1 else None
    g = gcd(x.divisor, c.divisor)
    monomials = [*x.terms, *c.terms]
    common: Monomial = ()
    if not x.constant and not c.constant:
        for atom in dict.fromkeys(monomials[0]):
            if (atom.bounds[0] or 0) > 0:
                n = min(m.count(atom) for m in monomials)
                common = common + (atom,) * n
    if common:
        return term_of(product_in_order(common), g)
    return g if g > 1 else None


def _divided(x: Value, g: Value) -> Value:
    """The expression over a factor of all its terms; of an int, rounded down."""
    if type(x) is not Expr:
        return x // g
    if type(g) is not Expr:
        return over(x.terms, g, x.constant // g, x.kinds)
    ((common, n),) = g.terms.items()
    terms: Terms = {}
    constant = x.constant
    for m, k in x.terms.items():
        rest = without(m, common)
        if rest:
            terms[rest] = k // n
        else:
            constant = k // n
    return expr_of(terms, constant, x.kinds) if terms else constant


def _digit(x: Expr, c: Value) -> tuple[Value, Value, Value, Value] | None:
    """``g, y, z, b`` with ``x == y*g + z``, every ``z`` in ``[0, g)`` and ``c == b*g``; None without."""
    if type(c) is not Expr:
        for g in sorted({gcd(k, c) for k in x.terms.values()}, reverse=True):
            if 1 < g < c:
                high = {m: k for m, k in x.terms.items() if not k % g}
                low = {m: k for m, k in x.terms.items() if k % g}
                n = x.constant % g
                below: Value = expr_of(low, n, x.kinds) if low else n
                if _is_digit(below, g):
                    return g, over(high, g, x.constant // g, x.kinds), below, c // g
        return None
    if len(c.terms) > 1 or c.constant:
        return None
    ((all_of_c, n),) = c.terms.items()
    for monomial, k in x.terms.items():
        common = tuple(a for a in dict.fromkeys(all_of_c) if a in monomial)
        for factor in ((common, gcd(k, n)), ((), gcd(k, n)), (common, 1)):
            unit: Any = term_of(*factor)
            if type(unit) is not Expr and unit == 1:
                continue
            parts: list[Terms] = [{}, {}]
            for m, j in x.terms.items():
                parts[contains(factor[0], m) and not j % factor[1]][m] = j
            if not parts[1]:
                continue
            below = expr_of(parts[0], x.constant, x.kinds) if parts[0] else x.constant
            if _is_digit(below, unit):
                above = expr_of(parts[1], 0, x.kinds)
                return unit, _divided(above, unit), below, _divided(c, unit)
    return None


def _is_digit(x: Value, g: Value) -> bool:
    """Whether every ``x`` lies in ``[0, g)``."""
    if type(g) is not Expr:
        low, high = bounds_of(x)
        if low is not None and high is not None and low >= 0 and high < g:
            return True
        if not facts.is_symbolic(x):
            return False
    return facts.is_within(x, 0, g)
