"""The cases of an operation on unknown ints: each way that it can go, with what it gives there.

>>> def kind(n):
...     return "many" if n > 1 else "few"
>>> [case.result for case in cases(lambda unknown: kind(unknown(0)))]
['many', 'few']

An operation learns of its ints by asking: ``n == 1``, ``n < m``, ``n % 16 == 0``. An `Unknown` answers
every question. Where its facts leave the answer open, it says True in one run of the operation and False
in another. A run on numbers gets the same answers as one of these runs, and builds its result alike. So
whatever all cases have in common holds for all numbers.

A symbolic int (`tla.sym`) differs: a question that its facts leave open is an `UndecidedError`, and an
operation has one result.
"""

from __future__ import annotations

import re
from functools import reduce
from math import gcd
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from ..errors import TlaError, UndecidedError
from ..ground import limit_error, limit_of
from . import intervals
from .evaluation import rebind
from .ints import SymbolicInt, leaf
from .nodes import Atom, Expr, Symbol, Value, exact_quotient, key_of
from .symbols import value_of_symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .intervals import Bounds
    from .nodes import Monomial


class Case(NamedTuple):
    """One way that an operation goes: its result, or its error."""

    result: Any
    error: Exception | None


def cases(operation: Callable[[Callable[..., Unknown]], Any], most: int | None = None) -> Iterator[Case]:
    """Yield the cases of an operation. Some may be impossible: not every contradiction is noticed.

    Args:
        operation: A pure function. Its argument makes unknowns: ``unknown(least=None, greatest=None)``.
        most: The most cases; by default those of `tla.limits`.

    Raises:
        UndecidedError: there are more, or the operation needs the value itself, as ``range`` does.
    """
    answers: list[bool] = []
    asked = [0]
    most = limit_of("cases") if most is None else most
    for _count in range(most):
        run = _Run(answers, asked)
        result, error, impossible = None, None, False
        try:
            result = operation(run.unknown)
        except UndecidedError:
            raise
        except (TlaError, ArithmeticError) as found:
            error = found
        except AssertionError:
            if not run.given:
                raise
            impossible = True  # what was answered contradicts itself
        if not impossible:
            yield Case(result, error)
        answers = run.given
        while answers and not answers[-1]:
            answers.pop()
        if not answers:
            return
        answers[-1] = False
    raise limit_error("cases", f"an operation on unknown ints has more than {most} cases")


def _operator(compute: Callable[[_Run, Any, Any], Any]) -> Any:
    """The operator of an unknown and a number, computed on their values."""

    def operate(self: Unknown, other: Any) -> Any:
        if not isinstance(other, (int, Unknown)):
            return NotImplemented
        return compute(self.run, self.value, _plain(other))

    return operate


class Unknown(SymbolicInt):
    """An int of unknown value in one run of an operation; it answers every question."""

    __slots__ = ("run", "value")

    is_open = False

    value: Expr

    def __init__(self, run: _Run, value: Expr) -> None:
        self.run: _Run = run
        self.value = value

    # --- questions ---

    def known_eq(self, other: Any) -> bool:
        return self.run.is_zero(self.value - _plain(other))

    def known_lt(self, other: Any) -> bool:
        return self.run.is_negative(self.value - _plain(other))

    def known_gt(self, other: Any) -> bool:
        return self.run.is_negative(_plain(other) - self.value)

    def known_divides(self, other: Any) -> bool:
        return self.run.divides(self.value, _plain(other))

    def known_multiple(self, other: Any) -> bool:
        return self.run.divides(_plain(other), self.value)

    def either(self) -> bool:
        return self.run.either()

    def lesser(self, other: Any) -> Any:
        return self if self.known_lt(other) else other

    def greater(self, other: Any) -> Any:
        return other if self.known_lt(other) else self

    if not TYPE_CHECKING:  # as in the base
        __eq__ = _operator(lambda run, x, y: run.is_zero(x - y))
        __ne__ = _operator(lambda run, x, y: not run.is_zero(x - y))
        __lt__ = _operator(lambda run, x, y: run.is_negative(x - y))
        __le__ = _operator(lambda run, x, y: not run.is_negative(y - x))
        __gt__ = _operator(lambda run, x, y: run.is_negative(y - x))
        __ge__ = _operator(lambda run, x, y: not run.is_negative(x - y))

    def __bool__(self) -> bool:
        return not self.known_eq(0)

    def __hash__(self) -> int:
        self._needed()

    def __index__(self) -> int:
        self._needed()

    __int__ = __index__

    def _needed(self) -> NoReturn:
        raise UndecidedError("an operation needs the value of an unknown int")

    # --- arithmetic ---

    if not TYPE_CHECKING:  # as in the base
        __add__ = __radd__ = _operator(lambda run, x, y: run.number(x + y))
        __sub__ = _operator(lambda run, x, y: run.number(x - y))
        __rsub__ = _operator(lambda run, x, y: run.number(y - x))
        __mul__ = __rmul__ = _operator(lambda run, x, y: run.number(x * y))
        __divmod__ = _operator(lambda run, x, y: run.divided(x, y))
        __rdivmod__ = _operator(lambda run, x, y: run.divided(y, x))
        __floordiv__ = _operator(lambda run, x, y: run.divided(x, y)[0])
        __rfloordiv__ = _operator(lambda run, x, y: run.divided(y, x)[0])
        __mod__ = _operator(lambda run, x, y: run.divided(x, y)[1])
        __rmod__ = _operator(lambda run, x, y: run.divided(y, x)[1])

    def __neg__(self) -> Any:
        return self.run.number(-self.value)

    def __pos__(self) -> Unknown:
        return self

    def __abs__(self) -> Any:
        return -self if self.known_lt(0) else self

    def __pow__(self, other: Any) -> Any:
        return self._needed() if isinstance(other, (int, Unknown)) else NotImplemented

    def __invert__(self) -> Any:
        self._needed()

    if not TYPE_CHECKING:  # powers and bits need the value, as `__pow__` says
        __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __pow__
        __rpow__ = __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __pow__

    # --- texts ---

    def __str__(self) -> str:
        value = self.value
        is_bare = not value.constant and len(value.symbols) == 1 and value.terms == {value.symbols: 1}
        return value.symbols[0].name if is_bare else _FACTS.sub("", str(value))

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), "" if spec == "d" else spec)


_FACTS: Final = re.compile(r"\{[^{}]*\}")
"""The facts that a text writes behind a name, as ``{min=0}``."""


def _plain(x: Any) -> Value:
    return x.value if isinstance(x, Unknown) else int(leaf(x))


class _Run:
    """One run of an operation: the answers that it repeats, and the facts that follow from its answers.

    Of each linear combination of unknowns, in lowest terms and without its constant, it keeps the range
    that the answers leave, and the ints in it that they exclude.
    """

    __slots__ = ("_asked", "_facts", "_fixed", "_made", "_path", "given")

    def __init__(self, path: list[bool], asked: list[int]) -> None:
        self._path = tuple(path)
        self._asked = asked
        self.given: list[bool] = []
        self._facts: dict[Any, tuple[Bounds, frozenset[int]]] = {}
        self._fixed: dict[Symbol, Value] = {}
        self._made: dict[Any, Any] = {}

    def unknown(self, least: int | None = None, greatest: int | None = None) -> Unknown:
        """A new int of which only the range is known."""
        # the type keeps symbols of one name apart
        symbol = Symbol.make("int", 1, least, greatest, str(len(self._made)))
        self._made[symbol] = symbol
        return Unknown(self, value_of_symbol(symbol))

    def _between(self, interval: Bounds) -> Any:
        low, high = interval
        return low if low is not None and low == high else self.unknown(low, high)

    def number(self, value: Value) -> Any:
        return Unknown(self, value) if type(value) is Expr else value

    def either(self) -> bool:
        """True in one run, False in another."""
        place = len(self.given)
        answer = self._path[place] if place < len(self._path) else True
        self.given.append(answer)
        return answer

    # --- signs ---

    def is_zero(self, x: Value) -> bool:
        part = self._in_lowest_terms(x)
        if not isinstance(part, tuple):
            return part == 0
        key, k, constant = part
        n, odd = divmod(-constant, k)  # whether key == n
        if odd:
            return False
        (low, high), without = self._known(key)
        if low == high == n:
            return True
        if n in without or (low is not None and n < low) or (high is not None and n > high):
            return False
        answer = self.either()
        if answer:
            self._learn(key, (n, n), frozenset())
        else:
            self._learn(key, (low, high), without | {n})
        return answer

    def is_negative(self, x: Value) -> bool:
        part = self._in_lowest_terms(x)
        if not isinstance(part, tuple):
            return part < 0
        key, k, constant = part
        (low, high), without = self._known(key)
        sign = 1 if k > 0 else -1
        low, high = intervals.scale((low, high), sign)
        n = -(constant // abs(k)) - 1  # whether sign * key <= n
        answer = intervals.is_below((low, high), n + 1)
        if answer is not None:
            return answer
        answer = self.either()
        self._learn(key, intervals.scale((low, n) if answer else (n + 1, high), sign), without)
        return answer

    def divides(self, a: Value, x: Value) -> bool:
        if type(a) is not Expr and type(x) is not Expr:
            return x % a == 0 if a else x == 0
        if self.is_zero(a):
            return self.is_zero(x)
        return self.is_zero(_plain(self.divided(x, a)[1]))

    def _in_lowest_terms(self, x: Value) -> tuple[Any, int, int] | int:
        """``key, k, constant`` with ``x == k * key + constant``, or the value of ``x``."""
        self._asked[0] += 1
        most = limit_of("questions")
        if self._asked[0] > most:
            raise limit_error(
                "questions", f"an operation on unknown ints asks more than {most} questions"
            )
        if type(x) is Expr and self._fixed:
            x = rebind(x, self._fixed)
        if type(x) is not Expr:
            return x
        terms = x.terms
        k = gcd(*terms.values())
        if min(terms.items(), key=_place)[1] < 0:
            k = -k
        return frozenset([(monomial, c // k) for monomial, c in terms.items()]), k, x.constant

    def _known(self, key: Any) -> tuple[Bounds, frozenset[int]]:
        """The range of a combination, and what is missing in it."""
        (low, high), without = self._facts.get(key, (intervals.EVERY, frozenset()))
        if len(key) > 1 or len(next(iter(key))[0]) > 1:
            found: Bounds = (0, 0)
            for monomial, k in key:
                factors = [self._known(frozenset([((atom,), 1)]))[0] for atom in monomial]
                found = intervals.add(found, intervals.scale(reduce(intervals.multiply, factors), k))
        else:
            found = next(iter(key))[0][0].bounds
        if found[0] is not None and (low is None or low < found[0]):
            low = found[0]
        if found[1] is not None and (high is None or high > found[1]):
            high = found[1]
        while low is not None and low in without:
            low += 1
        while high is not None and high in without:
            high -= 1
        return (low, high), without

    def _range_of(self, x: Value) -> Bounds:
        part = self._in_lowest_terms(x)
        if not isinstance(part, tuple):
            return part, part
        key, k, constant = part
        return intervals.add(intervals.scale(self._known(key)[0], k), (constant, constant))

    def _learn(self, key: Any, interval: Bounds, without: frozenset[int]) -> None:
        self._facts[key] = interval, without
        (low, high), _without = self._known(key)
        if low is not None and low == high and len(key) == 1:
            ((monomial, _k),) = key
            atom: Atom = monomial[0]
            if len(monomial) == 1 and type(atom) is Symbol:
                self._fixed[atom] = low

    # --- division ---

    def divided(self, x: Value, a: Value) -> tuple[Any, Any]:
        """Return ``divmod(x, a)``; a quotient that the terms do not show is a new unknown."""
        if self.is_zero(a):
            raise ZeroDivisionError("integer division or modulo by zero")
        exact = exact_quotient(x, a)
        if exact is not None:
            return self.number(exact), 0
        if type(a) is not Expr and a > 0:
            return self.number(x // a), self.number(x % a)
        is_negative = self.is_negative(a)
        key = key_of(x), key_of(a)
        if key not in self._made:
            sign = -1 if is_negative else 1  # floor(x / a) == floor(-x / -a)
            above, below = (intervals.scale(self._range_of(n), sign) for n in (x, a))
            whole = self._between(intervals.floor_divide(above, below))
            rest = self._between(intervals.scale((0, None if below[1] is None else below[1] - 1), sign))
            self._made[key] = whole, rest
        pair: tuple[Any, Any] = self._made[key]
        return pair


def _place(term: tuple[Monomial, int]) -> Any:
    return len(term[0]), [atom.order for atom in term[0]]
