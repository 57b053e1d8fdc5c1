# SPDX-License-Identifier: Apache-2.0
"""Assumptions: conditions on symbolic ints that hold inside a block.

>>> M = sym("M")
>>> with assume(M % 48 == 0):
...     print(M % 16, M // 48 * 48)
0 M

Inside the block the rules and the proofs use the conditions. Each use is recorded, so that a layout
carries the conditions that it depends on.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..errors import ContradictionError, KindError, UndecidedError
from ..ground import MAX_DEPTH, described
from . import evaluation
from .context import assumed, nothing_assumed, used_conditions
from .nodes import (
    COMPARISONS,
    Condition,
    Expr,
    Remainder,
    Symbol,
    Value,
    atoms_of,
    exact_quotient,
    expr_of,
    operators,
    raw_sum,
    symbols_of,
    term_of,
)
from .printers import denominator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .nodes import Atom

Conditions: TypeAlias = "Condition | bool | Iterable[Condition | bool]"
"""One condition or several; a bool is a comparison of two plain ints."""

_Congruence: TypeAlias = "tuple[Expr, Value, Condition]"
"""``x, c``: ``x % c == 0``, and the condition that says so."""


class _Assumed:
    """The conditions assumed in a block, in the forms that rules and proofs use."""

    def __init__(self, outer: _Assumed | None) -> None:
        self.conditions: list[Condition] = []
        self.inequalities: list[tuple[Expr, tuple[Condition, ...]]] = []
        self.congruences: list[_Congruence] = []
        self.equalities: list[tuple[Symbol, Value, tuple[Condition, ...]]] = []
        self.unequal: list[tuple[Any, Condition]] = []
        if outer is not None:
            for name, known in vars(self).items():
                known.extend(vars(outer)[name])
        self.points: list[tuple[int, dict[Any, Any]]] | None = None
        self.owner: assume | None = None
        self.outer: _Assumed | None = None
        self.used: dict[Condition, None] = {}
        """The conditions used in the block: for layouts that no operation makes, but a constructor."""

    def found_points(self) -> list[tuple[int, dict[Any, Any]]]:
        """The values of `points`: multiples of what is assumed to divide, small and large."""
        symbols = symbols_of(*(x for c in self.conditions for x in (c.left, c.right)))
        period = lcm(*(c for _x, c, _why in self.congruences if type(c) is not Expr))
        found: list[tuple[int, dict[Any, Any]]] = []
        with nothing_assumed():
            for spread in (0, period, 1, period * 2, 3, -1):
                for slope in (0, 1):
                    point: dict[Any, Any] = {}
                    try:
                        for i, symbol in enumerate(symbols):
                            low = symbol.bounds[0] or 0
                            up = -low % period if spread % period == 0 else 0
                            choose(symbol, max(0, up + spread * (1 + slope * i)), point)
                        if all(_holds_at(c, point) for c in self.conditions):
                            found.append((min(max(spread, 0), 2), point))
                    except (ZeroDivisionError, LookupError):
                        continue
        return found[:3]

    def add(self, condition: Condition | bool) -> None:
        """Take a condition in; raise where the conditions before rule it out."""
        if isinstance(condition, bool):
            raise ContradictionError(
                "a condition assumed is false: assume got False, which no values make true",
                "A comparison that never holds is False before assume sees it, as 3 < 2 or M == M + 1.",
            )
        self._check(condition)
        self.take(condition)

    def take(self, condition: Condition) -> None:
        """Take a condition in without a check."""
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
            self.unequal.append((primitive(difference), condition))
            for x in (difference, raw_sum(0, 0, difference, -1)):
                with used_conditions() as used:
                    is_negative = operators.known_negative(x)
                if is_negative is False:  # and not 0
                    self._at_least_zero(x, -1, condition, *used)
        else:
            sign = -1 if op in ("<", "<=") else 1
            self._at_least_zero(raw_sum(0, 0, difference, sign), -int(op in "<>"), condition)

    def _at_least_zero(self, x: Value, more: int, *because: Condition) -> None:
        """Take in that ``x + more >= 0``."""
        fact = raw_sum(x, 1, more, 1)
        if type(fact) is Expr:
            self.inequalities.append((fact, because))

    def _equal(self, x: Expr, condition: Condition) -> None:
        self._at_least_zero(x, 0, condition)
        self._at_least_zero(raw_sum(0, 0, x, -1), 0, condition)
        if len(x.terms) == 1:
            ((monomial, k),) = x.terms.items()
            atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Remainder:
                n = -x.constant // k  # k*(y % c) + constant == 0; that it divides has been checked
                self._congruent(raw_sum(atom.dividend, 1, n, -1), atom.divisor, condition)
        self._solve(x, condition)

    def _solve(self, x: Expr, condition: Condition) -> None:
        """Take in a symbol's value where ``x == 0``, unless it follows from earlier equalities."""
        because = [condition]
        for symbol, value, why in self.equalities:
            if symbol in {*atoms_of(x)}:
                with nothing_assumed():
                    rest = rebind_one(x, symbol, value)
                if type(rest) is not Expr:
                    return
                x = rest
                because += why
        g = gcd(x.constant, *x.terms.values())
        for monomial, k in x.terms.items():
            atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Symbol and abs(k) == g:
                value = expr_of({monomial: 1}, 0, 0) - exact_quotient(x, k)
                if type(value) is not Expr or atom not in {*atoms_of(value)}:
                    self.equalities.append((atom, value, tuple(because)))
                    return

    def _congruent(self, x: Value, c: Value, condition: Condition) -> None:
        if type(x) is not Expr:
            return
        self.congruences.append((x, c, condition))
        if type(c) is not Expr:  # the range begins and ends with a multiple
            low, high = x.bounds
            if low is not None:
                self._at_least_zero(x, -low // c * c, condition)
            if high is not None:
                self._at_least_zero(raw_sum(0, 0, x, -1), high // c * c, condition)

    def check_all(self) -> None:
        """Raise where the conditions after a condition rule it out."""
        for i, condition in enumerate(self.conditions):
            later = _Assumed(None)
            for other in self.conditions[i + 1 :]:
                later.take(other)
            token = assumed.set(later)
            try:
                later._check(condition)
            finally:
                assumed.reset(token)

    def _check(self, condition: Condition) -> None:
        """Raise where the assumptions rule a condition out."""
        with used_conditions() as used:
            contradicts = condition.known() is False
        if contradicts:
            facts = sorted(map(str, used)) or [
                str(fact) for s in condition.symbols for fact in evaluation.facts_of(s)
            ]
            own = [s.name for s in condition.symbols if not used and [f"{s.name} >= 1"] == facts]
            raise ContradictionError(
                f"{condition} contradicts {' and '.join(facts) or 'arithmetic'}",
                "Both cannot hold for any value.",
                *(
                    f"An unknown is 1 or more, unless it says otherwise: {name}{{min=0}}."
                    for name in own[:1]
                ),
                condition=condition,
                contradicted=tuple(used) or tuple(facts),
            )


_NOTHING: Final = _Assumed(None)
_NOTHING.points = [(0, {}), (1, {})]


def known() -> _Assumed:
    """Return what is assumed here."""
    return assumed.get() or _NOTHING


class assume:  # noqa: N801 (a context manager, used as a word)
    """Assume conditions inside a block: ``with assume(M % 48 == 0, K <= N):``.

    >>> M, K = sym("M"), sym("K")
    >>> with assume(M % 4 == 0, K < 4):
    ...     print((M + K) // 4, (M + K) % 4)
    M//4 K

    Blocks nest. A layout made inside carries the conditions that were used, as ``assumptions``.
    Give several conditions as several arguments: ``and`` would keep only one of them.

    A generator shares its context with its caller. So a ``yield`` inside the block leaves the conditions
    assumed in the caller, until the generator goes on or is closed: end the block before a ``yield``.

    Raises:
        ContradictionError: a condition cannot hold, given the ranges, the divisors and the others.
    """

    __slots__ = ("_given",)

    def __init__(self, *conditions: Conditions) -> None:
        self._given = tuple(conditions_in(conditions))

    def __enter__(self) -> None:
        outer = assumed.get()
        state = _Assumed(outer)
        state.owner = self
        state.outer = outer
        assumed.set(state)
        try:
            known = len(state.conditions)
            for condition in self._given:
                if condition is not True and condition not in state.conditions:
                    state.add(condition)
            if len(state.conditions) > known:
                state.check_all()
        except BaseException:
            assumed.set(outer)
            raise

    def __exit__(self, *_error: object) -> None:
        assumed.set(_left(assumed.get(), self))


def _left(state: _Assumed | None, owner: assume) -> _Assumed | None:
    """A state without the last block of an owner: blocks in generators may end in any order."""
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


def conditions_in(conditions: Iterable[Any], room: int = MAX_DEPTH) -> Iterator[Condition | bool]:
    """Yield the conditions of a nested collection; raise `KindError` at anything else."""
    for condition in conditions:
        if isinstance(condition, (Condition, bool)):
            yield condition
        else:
            try:
                parts = iter(condition) if room and not isinstance(condition, (Expr, str)) else None
            except TypeError:
                parts = None
            if parts is None:
                raise KindError(f"expected a condition such as M % 16 == 0, got {described(condition)}")
            yield from conditions_in(parts, room - 1)


def points() -> list[tuple[int, dict[Any, Any]]]:
    """Return points at which all assumptions hold: values of the symbols in them.

    With each comes how far above its least value to try any other symbol. Empty where no point is found.
    """
    state = known()
    if state.points is None:
        state.points = state.found_points()
    return state.points


def choose(symbol: Symbol, above: int, point: dict[Atom, Any]) -> None:
    """Add a symbol to a point, ``above`` its least value; raise `LookupError` where it has none."""
    if symbol in point:
        return
    low, high = symbol.bounds
    for bound in (symbol.least, symbol.greatest):
        if type(bound) is Expr:
            for other in bound.symbols:
                choose(other, above, point)
            end = evaluation.compute(bound, {}, point)
            if bound is symbol.least:  # the atom counts divisors: the bound is rounded inwards
                end = -(-end // symbol.divisor)
                low = end if low is None else max(end, low)
            else:
                end //= symbol.divisor
                high = end if high is None else min(end, high)
    if low is None:
        low = 0 if high is None else min(high, 0)
    if high is not None and low > high:
        raise LookupError
    point[symbol] = low + above if high is None else min(low + above, high)


def _holds_at(condition: Condition, point: dict[Any, Any]) -> bool:
    """Whether a condition holds for some values of atoms."""
    left, right = (evaluation.compute(x, {}, {**point}) for x in (condition.left, condition.right))
    return bool(COMPARISONS[condition.op](left, right))


def consistent(conditions: Iterable[Any]) -> tuple[Condition, ...]:
    """Return conditions one by one; raise what `assume` raises of them."""
    given = list(conditions_in(conditions))
    with assume(*given):
        return tuple(dict.fromkeys(c for c in given if not isinstance(c, bool)))


def rebind_one(x: Expr, symbol: Symbol, value: Value) -> Value:
    """An expression with a value for a symbol; itself where a divisor would lose its sign."""
    try:
        return evaluation.rebind(x, {symbol: value})
    except (UndecidedError, ZeroDivisionError):
        return x


def primitive(x: Expr) -> Any:
    """The key of an expression in lowest terms, of either sign: what is 0 where it is."""
    g = x.divisor
    terms = frozenset((m, k // g) for m, k in x.terms.items())
    negated = frozenset((m, -k // g) for m, k in x.terms.items())
    return frozenset(((terms, x.constant // g), (negated, -x.constant // g)))


# --- what a condition says --------------------------------------------------------------------


def normal(condition: Condition) -> Condition:
    """Return a condition in its shortest words: ``M % 64 == 0`` for ``(M + 63) // 64 * 64 == M``."""
    left, op, right = condition.left, condition.op, condition.right
    difference: Any = left - right
    if type(difference) is Expr and len(difference.terms) == 1:
        for simpler in (_of_remainder(op, difference), _of_factor(op, difference)):
            if simpler is not None:  # as a bool it would compare structures
                return simpler
    if type(left) is Expr and left.constant and max(left.terms.values()) > 0:
        if type(right) is not Expr:
            return Condition(left - left.constant, op, right - left.constant)
        if left.constant == -1 and op == "<" and not right.constant:
            return Condition(left + 1, "<=", right)
    return condition


def _of_remainder(op: str, difference: Expr) -> Condition | None:
    """``(y + a) % c == n`` without its constant: ``y % c == n - a``."""
    ((monomial, k),) = difference.terms.items()
    atom = monomial[0]
    if op != "==" or len(monomial) > 1 or type(atom) is not Remainder:
        return None
    x: Any = atom.dividend
    n, odd = divmod(-difference.constant, k)
    if odd or type(x) is not Expr or type(atom.divisor) is Expr or not 0 <= n < atom.divisor:
        return None
    scale = denominator(x)
    bare = operators.remainder((x - x.constant) * scale, atom.divisor * scale)
    return Condition(bare, "==", (n - x.constant) % atom.divisor * scale)


def _of_factor(op: str, difference: Expr) -> Condition | None:
    """A product against 0 by the one factor that may be 0: ``x > 0`` of ``x*x*y > 0``, ``y > 0``."""
    ((monomial, k),) = difference.terms.items()
    order = op == ">"
    if difference.constant or op not in ("==", "!=", ">") or (order and k < 0):
        return None
    with nothing_assumed():
        factors = [term_of((x,), 1) for x in monomial]
        signs = [operators.known_negative(x) is False for x in factors]
        rest = {x for x in factors if operators.known_negative(-x) is not True}
    if len(rest) != 1 or (k, len(monomial)) == (1, 1) or (order and not all(signs)):
        return None
    return normal(Condition(rest.pop(), op, 0))
