"""What follows for an expression from what is assumed: what the rules and the proofs ask.

>>> M = sym("M")
>>> with assume(M % 48 == 0):
...     print(M % 16, M // 48 * 48)
0 M

Every answer that stands on a condition records it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import assumptions
from .nodes import (
    Expr,
    Quotient,
    Terms,
    Value,
    atoms_of,
    combined,
    contained,
    key_of,
    made,
    product_in_order,
    term_of,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conditions import Condition

__all__ = ["congruent", "inequalities", "is_never_zero", "reduced", "restored", "substituted"]


def inequalities() -> Iterator[tuple[Expr, tuple[Condition, ...]]]:
    """Yield what is assumed to be at least 0, each with its conditions."""
    state = assumptions.active()
    return iter(()) if state is None else iter(state.inequalities)


def substituted(x: Expr) -> Value:
    """Return an expression with the symbols replaced that are assumed equal to something."""
    state = assumptions.active()
    result: Value = x
    for symbol, value, because in () if state is None else state.equalities:
        if type(result) is Expr and symbol in {*atoms_of(result)}:
            rest = assumptions.replaced(result, symbol, value)
            if rest is not result:
                result = rest
                assumptions.use(*because)
    return result


def is_never_zero(x: Expr) -> bool:
    """Return whether a remainder, or a ``!=``, that is assumed rules 0 out."""
    state = assumptions.active()
    for apart, condition in () if state is None else state.unequal:
        if apart == assumptions.primitive(x):
            assumptions.use(condition)
            return True
    for _y, c, _n, _condition in () if state is None else state.congruences:
        if type(c) is not Expr:
            rest, because = congruent(x, c)
            if type(rest) is not Expr and rest % c:
                assumptions.use(*because)
                return True
    return False


def reduced(is_remainder: bool, x: Value, c: Value) -> Value | None:
    """Return ``x % c``, or ``x // c``, where the assumptions make it simpler; None elsewhere."""
    if type(x) is not Expr:
        return None
    rest, because = congruent(x, c)
    if not because:
        return _by_whole_parts(is_remainder, x, c)
    if is_remainder:
        assumptions.use(*because)
        return rules.remainder(rest, c)
    if type(rest) is not Expr and type(c) is not Expr:
        rest %= c
    if type(rest) is not Expr and rest == 0:
        return _by_whole_parts(is_remainder, x, c)
    if not proof.is_within(rest, 0, c):
        return None
    assumptions.use(*because)
    return rules.floor_divided(x - rest, c)  # x % c == rest


def _by_whole_parts(is_remainder: bool, x: Expr, c: Value) -> Value | None:
    """``(y*z + x) // c == y // c * z + x // c``, and ``y // c`` as a divisor, where ``y % c == 0``."""
    state = assumptions.active()
    for y, d, n, condition in () if state is None else state.congruences:
        if n or y.constant or len(y.terms) > 1 or type(d) is Expr:
            continue
        ((part, k),) = y.terms.items()
        if type(c) is not Expr and not is_remainder and d % c == 0:
            for monomial, j in x.terms.items():
                if contained(part, monomial) and j % k == 0 and (monomial != part or abs(j) > abs(k)):
                    assumptions.use(condition)
                    others = without(monomial, part)
                    term = made({monomial: j}, 0, x.kinds)
                    factor: Any = term_of(others, j // k)
                    whole: Any = rules.floor_divided(y, c) * factor
                    return whole + rules.floor_divided(x - term, c)  # type: ignore[no-any-return]
        elif type(c) is Expr and d % k == 0:
            for quotient in [atom for atom in atoms_of(c) if type(atom) is Quotient]:
                if key_of(quotient.dividend) != key_of(y) or quotient.divisor != d:
                    continue
                wholes: Value = x.constant  # y is d times its quotient
                for monomial, j in x.terms.items():
                    if contained(part, monomial):
                        others = (*without(monomial, part), quotient)
                        wholes = combined(wholes, 1, 1, j * (d // k), product_in_order(others))
                    else:
                        wholes = combined(wholes, 1, 1, j, monomial)
                exact = rules.exact_quotient(wholes, c)
                if exact is not None:
                    assumptions.use(condition)
                    return 0 if is_remainder else exact
    return None


def congruent(x: Expr, c: Value) -> tuple[Value, tuple[Condition, ...]]:
    """Return an expression of fewer terms with the same remainder by ``c``, and what says so.

    The expression itself, and no condition, where there is none.
    """
    state = assumptions.active()
    for y, d, n, condition in () if state is None else state.congruences:
        if rules.exact_quotient(d, c) is None:
            continue
        for monomial, k in y.terms.items():
            for whole, j in x.terms.items():
                if j % k or not contained(monomial, whole):
                    continue
                others = without(whole, monomial)
                less = combined(x, 1, y, -j // k, others)
                smaller = combined(less, 1, n, j // k, others)
                if type(smaller) is not Expr:
                    return smaller, (condition,)
                if len(smaller.terms) < len(x.terms):
                    rest, because = congruent(smaller, c)
                    return rest, (condition, *because)
    if len(x.terms) == 1 and not x.constant:  # (y // a) % c == (y % (a*c)) // a
        ((monomial, k),) = x.terms.items()
        atom = monomial[0]
        if k == 1 and len(monomial) == 1 and type(atom) is Quotient and type(atom.dividend) is Expr:
            a: Any = atom.divisor
            rest, because = congruent(atom.dividend, a * c)
            if type(rest) is not Expr and because and type(a) is not Expr and type(c) is not Expr:
                return rest % (a * c) // a, because
    return x, ()


def restored(terms: Terms, constant: int, kinds: int) -> Value | None:
    """Return a sum in which ``x // c * c`` is ``x - n`` where ``x % c == n`` is assumed."""
    if not kinds & 2:
        return None
    for monomial, k in terms.items():
        for i, atom in enumerate(monomial):
            if type(atom) is not Quotient or type(atom.dividend) is not Expr:
                continue
            factors = term_of((*monomial[:i], *monomial[i + 1 :]), k)
            over = rules.exact_quotient(factors, atom.divisor)
            if over is None:
                continue
            rest, because = congruent(atom.dividend, atom.divisor)
            if type(rest) is not Expr and type(atom.divisor) is not Expr:
                rest %= atom.divisor
            if because and type(rest) is not Expr and (type(atom.divisor) is not Expr or rest == 0):
                assumptions.use(*because)
                one = made({monomial: k}, 0, kinds)
                result: Value = made(terms, constant, kinds) - one + (atom.dividend - rest) * over
                return result
    return None


from . import proof, rules  # noqa: E402  (they ask what follows)
