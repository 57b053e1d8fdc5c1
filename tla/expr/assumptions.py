"""What is assumed of symbolic ints, and what the rules and proofs learn from it.

>>> M = sym("M")
>>> with assume(M % 48 == 0):
...     print(M % 16, M // 48 * 48)
0 M

While a condition is assumed the rules and the proofs use it; what has used it is recorded, so that a
layout made under it can say what it stands on.
"""

from __future__ import annotations

from contextvars import ContextVar
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import ContradictionError, UndecidedError
from ..ints import EVER_ASSUMED
from .conditions import Condition
from .nodes import (
    Expr,
    Quotient,
    Remainder,
    Symbol,
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
    from collections.abc import Iterable, Iterator

__all__ = [
    "NO_SYMBOL",
    "Conditions",
    "active",
    "assume",
    "congruent",
    "consistent",
    "inequalities",
    "is_never_zero",
    "nothing_assumed",
    "points",
    "recorded",
    "reduced",
    "restored",
    "substituted",
    "use",
    "used_here",
]

Conditions: TypeAlias = "Condition | bool | Iterable[Condition | bool]"
"""One condition or several; a bool is a condition that the operators settled at once."""

_Congruence: TypeAlias = "tuple[Expr, Value, int, Condition]"
"""``x, c, n``: ``x % c == n``, and the condition that says so."""


class _Assumed:
    """What some conditions say, in the forms that the rules ask for."""

    __slots__ = (
        "conditions",
        "congruences",
        "equalities",
        "inequalities",
        "outer",
        "owner",
        "points",
        "unequal",
        "used",
    )

    def __init__(self, outer: _Assumed | None) -> None:
        self.conditions: list[Condition] = [*outer.conditions] if outer else []
        self.inequalities: list[tuple[Expr, tuple[Condition, ...]]] = (
            [*outer.inequalities] if outer else []
        )
        self.congruences: list[_Congruence] = [*outer.congruences] if outer else []
        self.equalities: list[tuple[Symbol, Value, tuple[Condition, ...]]] = (
            [*outer.equalities] if outer else []
        )

        self.unequal: list[tuple[Any, Condition]] = [*outer.unequal] if outer else []
        self.points: list[tuple[int, dict[Any, Any]]] | None = None
        self.owner: assume | None = None
        self.outer: _Assumed | None = None
        self.used: dict[Condition, None] = {}
        """What has been used in the block, for layouts that are made in it as they are."""

    def found_points(self) -> list[tuple[int, dict[Any, Any]]]:
        """The values of `points`: multiples of what is assumed to divide, small and large."""
        symbols = list(dict.fromkeys(s for c in self.conditions for s in c.symbols))
        period = lcm(*(c for _x, c, _n, _why in self.congruences if type(c) is not Expr))
        found: list[tuple[int, dict[Any, Any]]] = []
        with nothing_assumed():
            for spread in (0, period, 1, period * 2, 3, -1):
                for slope in (0, 1):
                    point: dict[Any, Any] = {}
                    try:
                        for i, symbol in enumerate(symbols):
                            low = symbol.bounds[0] or 0
                            up = -low % period if spread % period == 0 else 0
                            proof.choose(symbol, max(0, up + spread * (1 + slope * i)), point)
                        if all(c.at(point) for c in self.conditions):
                            found.append((min(max(spread, 0), 2), point))
                    except (ZeroDivisionError, LookupError):
                        continue
        return found[:3]

    def add(self, condition: Condition | bool) -> None:
        """Take a condition in; the others are assumed already."""
        if isinstance(condition, bool):
            raise ContradictionError(
                "a condition assumed is false for all values of its unknowns",
                "Its two sides are different numbers, or an unknown and what it never is.",
            )
        self._check(condition)
        self.take(condition)

    def take(self, condition: Condition) -> None:
        """Take a condition in unchecked."""
        with nothing_assumed():
            difference: Any = condition.left - condition.right
        self.conditions.append(condition)
        self.points = None
        op = condition.op
        if type(difference) is not Expr:
            return
        if op == "==":
            self._equal(difference, condition)
        elif op == "!=":
            self.unequal.append((_primitive(difference), condition))
            for x in (difference, combined(0, 0, difference, -1)):
                with recorded() as used:
                    is_nonnegative = proof.is_nonnegative(x)
                if is_nonnegative:  # and not 0
                    self._at_least_zero(x, -1, condition, *used)
        else:
            sign = -1 if op in ("<", "<=") else 1
            self._at_least_zero(combined(0, 0, difference, sign), -int(op in "<>"), condition)

    def _at_least_zero(self, x: Value, more: int, *because: Condition) -> None:
        """Take in that ``x + more >= 0``."""
        fact = combined(x, 1, more, 1)
        if type(fact) is Expr:
            self.inequalities.append((fact, because))

    def _equal(self, x: Expr, condition: Condition) -> None:
        self._at_least_zero(x, 0, condition)
        self._at_least_zero(combined(0, 0, x, -1), 0, condition)
        if len(x.terms) == 1:
            ((monomial, k),) = x.terms.items()
            atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Remainder:
                n = -x.constant // k  # k*(y % c) + constant == 0; that it divides has been checked
                self._congruent(atom.dividend, atom.divisor, n, condition)
        self._solve(x, condition)

    def _solve(self, x: Expr, condition: Condition) -> None:
        """Take in what a symbol is where ``x == 0``, unless that follows from what is solved already."""
        because = [condition]
        for symbol, value, why in self.equalities:
            if symbol in {*atoms_of(x)}:
                with nothing_assumed():
                    rest = _replaced(x, symbol, value)
                if type(rest) is not Expr:
                    return
                x = rest
                because += why
        g = gcd(x.constant, *x.terms.values())
        for monomial, k in x.terms.items():
            atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Symbol and abs(k) == g:
                value = made({monomial: 1}, 0, 0) - rules.exact_quotient(x, k)
                if type(value) is not Expr or atom not in {*atoms_of(value)}:
                    self.equalities.append((atom, value, tuple(because)))
                    return

    def _congruent(self, x: Value, c: Value, n: int, condition: Condition) -> None:
        if type(x) is not Expr:
            return
        self.congruences.append((x, c, n, condition))
        if type(c) is not Expr:  # the range begins and ends with a multiple
            low, high = x.bounds
            if low is not None:
                self._at_least_zero(x, -(low + (n - low) % c), condition)
            if high is not None:
                self._at_least_zero(combined(0, 0, x, -1), high - (high - n) % c, condition)

    def check_all(self) -> None:
        """Raise where a condition is ruled out by those that came after it."""
        for i, condition in enumerate(self.conditions):
            later = _Assumed(None)
            for other in self.conditions[i + 1 :]:
                later.take(other)
            token = _state.set(later)
            try:
                later._check(condition)
            finally:
                _state.reset(token)

    def _check(self, condition: Condition) -> None:
        """Raise where what is assumed already rules a condition out."""
        with recorded() as used:
            contradicts = condition.known() is False
        others = sorted(map(str, used))
        if not contradicts and condition.op == "==":
            other = self._other_residue(condition)
            if other is not None:
                contradicts, others = True, [str(other)]
        if contradicts:
            facts = others or [str(fact) for s in condition.symbols for fact in evaluation.facts_of(s)]
            raise ContradictionError(
                f"{condition} contradicts {' and '.join(facts) or 'arithmetic'}",
                "Both cannot hold for any value.",
                condition=condition,
                contradicted=tuple(used) or tuple(facts),
            )

    def _other_residue(self, condition: Condition) -> Condition | None:
        """A condition assumed that gives another remainder by a common divisor."""
        apart = _Assumed(None)
        difference: Any = condition.left - condition.right
        if type(difference) is Expr and len(difference.terms) == 1:
            apart._equal(difference, condition)
        for x, c, n, _condition in apart.congruences:
            for y, d, m, other in self.congruences:
                gap: Any = x - y
                if (
                    type(c) is not Expr
                    and type(d) is int
                    and type(gap) is int
                    and (n - m - gap) % gcd(c, d)
                ):
                    return other
        return None


_state: ContextVar[_Assumed | None] = ContextVar("assumed", default=None)
_records: ContextVar[tuple[set[Condition], ...]] = ContextVar("records", default=())


class nothing_assumed:  # noqa: N801 (a context manager, used as a word)
    """Set what is assumed aside: for what outlives it."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _state.set(None)

    def __exit__(self, *_error: object) -> None:
        _state.reset(self._token)


def active() -> _Assumed | None:
    """Return what is assumed here, None for nothing."""
    return _state.get()


class assume:  # noqa: N801 (a context manager, used as a word)
    """Let what is done inside take conditions for granted: ``with assume(M % 48 == 0, K <= N):``.

    >>> M, K = sym("M"), sym("K")
    >>> with assume(M % 4 == 0, K < 4):
    ...     print((M + K) // 4, (M + K) % 4)
    M//4 K

    Contexts nest. A layout made inside carries the conditions that were used, as ``assumptions``.
    Several conditions are several arguments: ``and`` would keep but one of them.

    Raises:
        ContradictionError: a condition cannot hold, given the ranges, the divisors and the others.
    """

    __slots__ = ("_given",)

    def __init__(self, *conditions: Conditions) -> None:
        self._given = tuple(_flat(conditions))

    def __enter__(self) -> None:
        outer = _state.get()
        state = _Assumed(outer)
        state.owner = self
        state.outer = outer
        _state.set(state)
        try:
            known = len(state.conditions)
            for condition in self._given:
                if condition is not True and condition not in state.conditions:
                    state.add(condition)
            if len(state.conditions) > known:
                state.check_all()
        except BaseException:
            _state.set(outer)
            raise
        if self._given and not EVER_ASSUMED:
            EVER_ASSUMED.append(True)

    def __exit__(self, *_error: object) -> None:
        _state.set(_left(_state.get(), self))


def _left(state: _Assumed | None, owner: assume) -> _Assumed | None:
    """A state without the last block of an owner; blocks of generators need not end in their order."""
    if state is None or state.owner is owner:
        return None if state is None else state.outer
    below = _left(state.outer, owner)
    if below is state.outer:
        return state
    rest = _Assumed(below)
    rest.owner, rest.outer, rest.used = state.owner, below, state.used
    for condition in state.conditions[len(state.outer.conditions) if state.outer else 0 :]:
        rest.take(condition)
    return rest


def _flat(conditions: Iterable[Any]) -> Iterator[Condition | bool]:
    for condition in conditions:
        if isinstance(condition, (Condition, bool)):
            yield condition
        elif isinstance(condition, (Expr, str)) or not hasattr(condition, "__iter__"):
            raise TypeError(
                f"expected a condition such as M % 16 == 0, got {type(condition).__name__} {condition!r}"
            )
        else:
            yield from _flat(condition)


def points() -> list[tuple[int, dict[Any, Any]]]:
    """Return some values of the symbols that conditions speak of, at which all of them hold.

    Each with how far above their least values other symbols may be tried. Empty where nothing is
    assumed, and a single one without a value where no such values are at hand.
    """
    state = _state.get()
    if state is None:
        return []
    if state.points is None:
        state.points = state.found_points() or [(0, {NO_SYMBOL: 0})]
    return state.points


NO_SYMBOL: Final = Symbol.make("", cpp_type="none")


class recorded:  # noqa: N801 (a context manager, used as a word)
    """Collect the conditions that are used meanwhile: ``with recorded() as used: ...``."""

    __slots__ = ("_token",)

    def __enter__(self) -> set[Condition]:
        used: set[Condition] = set()
        self._token = _records.set((*_records.get(), used))
        return used

    def __exit__(self, *_error: object) -> None:
        _records.reset(self._token)


def use(*conditions: Condition) -> None:
    """Record that an answer stands on some conditions."""
    for record in _records.get():
        record.update(conditions)
    state = _state.get()
    if state is not None:
        state.used.update(dict.fromkeys(conditions))


def used_here() -> Iterable[Condition]:
    """Return what has been used by the operation that runs, or else in the block of `assume`."""
    records = _records.get()
    if records:
        return records[-1]
    state = _state.get()
    return () if state is None else state.used


def consistent(conditions: Iterable[Any]) -> tuple[Condition, ...]:
    """Return conditions one by one; raise what `assume` raises of them."""
    given = list(_flat(conditions))
    with assume(*given):
        return tuple(dict.fromkeys(c for c in given if not isinstance(c, bool)))


# --- what the rules ask -----------------------------------------------------------------------


def inequalities() -> Iterator[tuple[Expr, tuple[Condition, ...]]]:
    """Yield what is assumed to be at least 0, each with its conditions."""
    state = _state.get()
    return iter(()) if state is None else iter(state.inequalities)


def substituted(x: Expr) -> Value:
    """Return an expression with the symbols replaced that are assumed equal to something."""
    state = _state.get()
    result: Value = x
    for symbol, value, because in () if state is None else state.equalities:
        if type(result) is Expr and symbol in {*atoms_of(result)}:
            rest = _replaced(result, symbol, value)
            if rest is not result:
                result = rest
                use(*because)
    return result


def _replaced(x: Expr, symbol: Symbol, value: Value) -> Value:
    """An expression with a value for a symbol; itself where a divisor would lose its sign."""
    try:
        return evaluation.replaced(x, {symbol: value})
    except (UndecidedError, ZeroDivisionError):
        return x


def _primitive(x: Expr) -> Any:
    """The key of an expression in lowest terms, of either sign: what is 0 where it is."""
    g = x.divisor
    terms = frozenset((m, k // g) for m, k in x.terms.items())
    negated = frozenset((m, -k // g) for m, k in x.terms.items())
    return frozenset(((terms, x.constant // g), (negated, -x.constant // g)))


def is_never_zero(x: Expr) -> bool:
    """Return whether a remainder, or a ``!=``, that is assumed rules 0 out."""
    state = _state.get()
    for apart, condition in () if state is None else state.unequal:
        if apart == _primitive(x):
            use(condition)
            return True
    for _y, c, _n, _condition in () if state is None else state.congruences:
        if type(c) is not Expr:
            rest, because = congruent(x, c)
            if type(rest) is not Expr and rest % c:
                use(*because)
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
        use(*because)
        return rules.remainder(rest, c)
    if type(rest) is not Expr and type(c) is not Expr:
        rest %= c
    if type(rest) is not Expr and rest == 0:
        return _by_whole_parts(is_remainder, x, c)
    if not proof.is_within(rest, 0, c):
        return None
    use(*because)
    return rules.floor_divided(x - rest, c)  # x % c == rest


def _by_whole_parts(is_remainder: bool, x: Expr, c: Value) -> Value | None:
    """``(y*z + x) // c == y // c * z + x // c``, and ``y // c`` as a divisor, where ``y % c == 0``."""
    state = _state.get()
    for y, d, n, condition in () if state is None else state.congruences:
        if n or y.constant or len(y.terms) > 1 or type(d) is Expr:
            continue
        ((part, k),) = y.terms.items()
        if type(c) is not Expr and not is_remainder and d % c == 0:
            for monomial, j in x.terms.items():
                if contained(part, monomial) and j % k == 0 and (monomial != part or abs(j) > abs(k)):
                    use(condition)
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
                    use(condition)
                    return 0 if is_remainder else exact
    return None


def congruent(x: Expr, c: Value) -> tuple[Value, tuple[Condition, ...]]:
    """Return an expression of fewer terms with the same remainder by ``c``, and what says so.

    The expression itself, and no condition, where there is none.
    """
    state = _state.get()
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
                use(*because)
                one = made({monomial: k}, 0, kinds)
                result: Value = made(terms, constant, kinds) - one + (atom.dividend - rest) * over
                return result
    return None


from . import evaluation, proof, rules  # noqa: E402  (they ask what is assumed)
