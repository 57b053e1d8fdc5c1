# SPDX-License-Identifier: Apache-2.0
"""Symbolic ints: a polynomial with integer coefficients over symbols, quotients, remainders, minima.

Every expression has one form, ``constant + sum of coefficient * product of atoms``:

=============  ==================================  =============================================
atom           value                               facts
=============  ==================================  =============================================
`Symbol`       a named unknown over its divisor    its range
`Quotient`     ``dividend // divisor``, rounded    ``divisor`` is positive
               down
`Remainder`    ``dividend % divisor``              ``divisor`` is positive
`Least`        the least of some expressions       two of them at least
=============  ==================================  =============================================

The rest comes down to these: ``-(x // y)`` has a coefficient of -1, a ceiling is a floor of a negated
dividend, ``max(x, y) == -min(-x, -y)``. A symbol that is a multiple of 16 is 16 times its atom, so what
a divisor implies follows from the coefficients alone: ``M // 4`` is 4 times the atom of ``M``.

Atoms are interned: equal ones are one object, and expressions compare as their dictionaries of terms.
A constant is a plain int and no `Expr`.

The operators build by the rules of `tla.numbers.rules` and ask the proofs of `tla.numbers.facts`, which
stand above this module: `tla.numbers.symbols`, where unknowns come from, hands their functions to
`operators`.
"""

from __future__ import annotations

from functools import reduce
from itertools import count, repeat
from math import gcd
from operator import attrgetter, eq, ge, gt, le, lt, mul, ne
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final, SupportsIndex, TypeAlias, TypeVar, Union, final
from weakref import WeakValueDictionary

from ..errors import ArgumentError, LayoutError, LeafError, UndecidedError
from ..ground import Immutable, Record, described, guarded, limit_error, limit_of, naming_argument, shown
from . import intervals
from .context import assumed, nothing_assumed
from .ints import SymbolicInt, plain_int
from .questions import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import Self

    from .intervals import Bounds


class Operators:
    """The functions behind the operators of `Expr`, and behind its comparisons and texts."""

    floor_divided: Callable[[Value, Value], Value]
    remainder: Callable[[Value, Value], Value]
    least: Callable[..., Value]
    summed: Callable[[Terms, int, int], Value]
    known_zero: Callable[[Value], bool | None]
    known_negative: Callable[[Value], bool | None]
    known_divides: Callable[[Value, Value], bool | None]
    normal: Callable[[Condition], Condition]
    evaluate: Callable[[Value, dict[str, int]], Any]
    to_notation: Callable[[Value], str]
    to_python: Callable[[Value], str]
    restore: Callable[[tuple[tuple[Monomial, int], ...], int], Value]


operators: Final = Operators()


class Atom:
    """A factor of a term, interned. ``bounds`` is the range of its value.

    ``order`` numbers the atoms as they are first made; it sorts the factors of a product.
    """

    __slots__ = ("__weakref__", "bounds", "inside", "is_final", "order", "size")

    bounds: Bounds
    order: int
    is_final: bool
    """Whether no rule changes it while nothing is assumed, if none changes what it is made of."""
    size: int
    """Its operators, symbols and constants, once someone has asked for them."""
    inside: frozenset[Symbol]
    """The symbols that it is made of, once someone has asked for them; a symbol has none."""
    kind: int = 0
    """The bit that tells sums which rules to try."""
    operation: ClassVar[str] = ""
    """Which of the `operators` makes it of its parts."""
    parts: tuple[Value, ...] = ()
    """The values that it is made of."""


class Symbol(Atom):
    """A named unknown; the atom is its value over its divisor.

    >>> (m,) = Layout(sym("M", divisible_by=16, max=64)).symbols
    >>> m.name, m.divisor, m.least, m.greatest
    ('M', 16, 1, 64)

    Attributes:
        name: The name; one that binds gives one value to all symbols of the name.
        divisor: What divides the value, positive.
        least, greatest: The range of the value: ints, expressions, or None.
        cpp_type: The C++ type that the value has, or "".
    """

    __slots__ = ("cpp_type", "divisor", "greatest", "least", "name")

    name: str
    divisor: int
    least: Value | None
    greatest: Value | None
    cpp_type: str

    @guarded
    def __init__(
        self, name: str, divisor: int, least: Value | None, greatest: Value | None, cpp_type: str
    ) -> None:
        self.name, self.divisor, self.least, self.greatest = name, divisor, least, greatest
        self.cpp_type = cpp_type
        if divisor < 1:
            raise LayoutError(f"{name} cannot be divisible by {divisor}", "A divisor is a positive int.")
        low = None if self.least is None else bounds_of(self.least)[0]
        high = None if self.greatest is None else bounds_of(self.greatest)[1]
        self.bounds: Bounds = (
            None if low is None else -(-low // divisor),
            None if high is None else high // divisor,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Symbol.make, (self.name, self.divisor, self.least, self.greatest, self.cpp_type)

    def __repr__(self) -> str:
        return f"Symbol({self.name!r})"

    @staticmethod
    @guarded
    def make(
        name: str,
        divisor: int = 1,
        least: Value | None = None,
        greatest: Value | None = None,
        cpp_type: str = "",
    ) -> Symbol:
        """Return the symbol of these facts."""
        return symbol_of(name, divisor, least, greatest, cpp_type)


def symbol_of(
    name: str, divisor: int, least: Value | None, greatest: Value | None, cpp_type: str
) -> Symbol:
    """Return the symbol of some facts; `Symbol.make` is this with errors that name an argument."""
    key = (Symbol, name, divisor, key_of(least), key_of(greatest), cpp_type)
    return _interned(key, Symbol, name, divisor, least, greatest, cpp_type)


class _Operation(Atom):
    """An atom made of values, its parts."""

    __slots__ = ("parts",)

    parts: tuple[Value, ...]
    range: ClassVar[staticmethod[[Bounds, Bounds], Bounds]]
    """The range of the value, by those of the parts."""

    def __init__(self, *parts: Value) -> None:
        self.parts = parts
        self.bounds: Bounds = reduce(self.range, map(bounds_of, parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).make, self.parts

    @classmethod
    def make(cls, *parts: Value) -> Self:
        """Return the atom; no rule is tried."""
        keys = map(key_of, parts)
        return _interned((cls, frozenset(keys) if cls is Least else tuple(keys)), cls, *parts)


class _Division(_Operation):
    """An expression and a positive divisor."""

    __slots__ = ("dividend", "divisor")

    parts: tuple[Value, ...]
    dividend: Value
    divisor: Value

    def __init__(self, dividend: Value, divisor: Value) -> None:
        self.parts = self.dividend, self.divisor = dividend, divisor
        self.bounds: Bounds = self.range(bounds_of(dividend), bounds_of(divisor))


class Quotient(_Division):
    """``dividend // divisor``, rounded down."""

    __slots__ = ()
    kind = 2
    operation: ClassVar[str] = "floor_divided"
    range: ClassVar[staticmethod[[Bounds, Bounds], Bounds]] = staticmethod(intervals.floor_divide)


class Remainder(_Division):
    """``dividend % divisor``, from 0 to below the divisor."""

    __slots__ = ("_whole",)
    kind = 1
    operation: ClassVar[str] = "remainder"
    range: ClassVar[staticmethod[[Bounds, Bounds], Bounds]] = staticmethod(intervals.remainder)

    _whole: Value

    @property
    def whole(self) -> Value:
        """``divisor * (dividend // divisor)``: what it leaves of the dividend."""
        try:
            return self._whole
        except AttributeError:
            with nothing_assumed():  # it is kept, whatever is assumed now
                try:
                    self._whole = operators.floor_divided(self.dividend, self.divisor) * self.divisor
                except UndecidedError:  # a divisor that is positive by assumption alone
                    self._whole = 0
            return self._whole


class Least(_Operation):
    """The least of some expressions."""

    __slots__ = ()
    kind = 4
    operation: ClassVar[str] = "least"
    range: ClassVar[staticmethod[[Bounds, Bounds], Bounds]] = staticmethod(intervals.minimum)


_A = TypeVar("_A", bound=Atom)

_atoms: WeakValueDictionary[Any, Any] = WeakValueDictionary()
_numbers: Iterator[int] = count()
_lock: Final = Lock()


def _interned(key: Any, kind: type[_A], *arguments: Any) -> _A:
    atom: _A | None = _atoms.get(key)
    if atom is None:
        fresh = kind(*arguments)
        low, high = fresh.bounds
        fresh.is_final = type(fresh) is Symbol and (low is None or low != high)
        with _lock:  # whole before others can see it
            atom = _atoms.get(key)
            if atom is None:
                fresh.order = next(_numbers)
                atom = _atoms[key] = fresh
    return atom


Monomial: TypeAlias = tuple[Atom, ...]
Terms: TypeAlias = dict[Monomial, int]
_by_order: Final = attrgetter("order")


def product_in_order(atoms: Iterable[Atom]) -> Monomial:
    """Return the product of some atoms: the same atoms give the same tuple."""
    return tuple(sorted(atoms, key=_by_order))


# --- expressions ------------------------------------------------------------------------------


@final
class Expr(Immutable, SymbolicInt):
    """A symbolic int: ``constant + sum of coefficient * product of atoms``, immutable.

    >>> M = sym("M", divisible_by=16)
    >>> print(M // 16, M // 16 * 16, M % 48, (M + 3) % 16, -(-M // 32))
    M/16 M{div=16} M{div=16}%48 3 (M{div=16}+16)//32

    Operators with ints and with each other give expressions by the rules of `tla.numbers.rules`, or a
    plain int where no unknown is left. Division rounds down, as Python's.

    ``==`` makes a `Condition`, for `assume`; as a bool it tells whether both have one structure. The
    order operators make conditions too. `known_eq`, `known_lt` and `known_divides` tell what is known.

    Raises:
        UndecidedError: the divisor of a division may be 0, or its sign is not known.
    """

    __slots__ = ("_bounds", "_key", "constant", "kinds", "terms")

    _bounds: Bounds
    _key: Any

    terms: Terms
    """Coefficients, none of them 0, by their products of atoms; never empty, never changed."""
    constant: int
    kinds: int
    """The kinds of its atoms, as bits."""

    # --- facts ---

    @property
    def bounds(self) -> Bounds:
        """The least and the greatest value that its symbols allow, each None where there is none.

        It holds every value, yet may hold more: terms that share symbols count as independent.
        """
        try:
            return self._bounds
        except AttributeError:
            total: Bounds = (self.constant, self.constant)
            for monomial, k in self.terms.items():
                total = intervals.add(total, intervals.scale(range_of(monomial), k))
            _set_bounds(self, total)
            return total

    @property
    def key(self) -> Any:
        """What equal expressions, and only they, have in common, hashable."""
        try:
            return self._key
        except AttributeError:
            key = (frozenset(self.terms.items()), self.constant)
            _set_key(self, key)
            return key

    @property
    def divisor(self) -> int:
        """The greatest int found to divide every value.

        >>> (sym("M", divisible_by=16) * 3 + 24).divisor
        24
        """
        return gcd(self.constant, *self.terms.values())

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The unknowns, by name: those of its atoms, not those that only bound a symbol's range."""
        return symbols_of(self)

    @property
    def size(self) -> int:
        """How many operators, symbols and constants it has: what rewriting must not let grow."""
        return size_of(self)

    # --- arithmetic ---

    def __add__(self, other: IntLikeValue) -> Any:
        if type(other) is Expr:
            if len(other.terms) > len(self.terms):
                self, other = other, self
            terms = self.terms.copy()
            _add_terms(terms, other.terms)
            return total(terms, self.constant + other.constant, self.kinds | other.kinds)
        n = plain_int(other)
        if n is None:
            return NotImplemented
        return expr_of(self.terms, self.constant + n, self.kinds) if n else self

    __radd__ = __add__

    def __neg__(self) -> Any:
        return expr_of({m: -k for m, k in self.terms.items()}, -self.constant, self.kinds)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Any:
        return -operators.least(-self, self)

    def __sub__(self, other: IntLikeValue) -> Any:
        n = other if type(other) is Expr else plain_int(other)
        return NotImplemented if n is None else self + -n

    def __rsub__(self, other: IntLikeValue) -> Any:
        n = plain_int(other)
        return NotImplemented if n is None else -self + n

    def __mul__(self, other: IntLikeValue) -> Any:
        if type(other) is Expr:
            return total(*_product(self, other), self.kinds | other.kinds)
        n = plain_int(other)
        if n is None:
            return NotImplemented
        if n == 1:
            return self
        if n == 0:
            return 0
        terms = {m: k * n for m, k in self.terms.items()}
        if self.kinds & 2 and assumed.get() is not None:
            return total(terms, self.constant * n, self.kinds)
        return expr_of(terms, self.constant * n, self.kinds)

    __rmul__ = __mul__

    def __pow__(self, exponent: SupportsIndex) -> Any:
        n = plain_int(exponent)
        if n is None:
            return NotImplemented
        if n < 0:
            raise ArgumentError("an int to a negative power is no int")
        ((monomial, k), *more) = self.terms.items()
        count = n * (len(monomial) + k.bit_length() // 64)
        if count > limit_of("terms"):
            raise limit_error("terms", f"a power with the exponent {shown(n)}", needed=count)
        if n and not more and not self.constant:
            return expr_of({tuple([atom for atom in monomial for _ in range(n)]): k**n}, 0, self.kinds)
        return reduce(mul, repeat(self, n), 1)

    def __floordiv__(self, other: IntLikeValue) -> Any:
        n = value_of(other)
        return NotImplemented if n is None else operators.floor_divided(self, n)

    def __rfloordiv__(self, other: IntLikeValue) -> Any:
        n = value_of(other)
        return NotImplemented if n is None else operators.floor_divided(n, self)

    def __mod__(self, other: IntLikeValue) -> Any:
        n = value_of(other)
        return NotImplemented if n is None else operators.remainder(self, n)

    def __rmod__(self, other: IntLikeValue) -> Any:
        n = value_of(other)
        return NotImplemented if n is None else operators.remainder(n, self)

    def __divmod__(self, other: IntLikeValue) -> tuple[Any, Any]:
        n = value_of(other)
        return NotImplemented if n is None else (self // n, self % n)

    def __rdivmod__(self, other: IntLikeValue) -> tuple[Any, Any]:
        n = value_of(other)
        return NotImplemented if n is None else (n // self, n % self)

    # --- questions ---

    def known_eq(self, other: Any) -> bool | None:
        if type(other) is not Expr:  # mostly ranges tell, without a difference
            if type(other) is not int:
                other = required(other)
            low, high = self.bounds
            if (low is not None and other < low) or (high is not None and other > high):
                return False
        return operators.known_zero(self - other)

    def known_lt(self, other: Any) -> bool | None:
        if type(other) is not int and type(other) is not Expr:
            other = required(other)
        answer = None if type(other) is Expr else intervals.is_below(self.bounds, other)
        return operators.known_negative(self - other) if answer is None else answer

    def known_gt(self, other: Any) -> bool | None:
        if type(other) is not int and type(other) is not Expr:
            other = required(other)
        answer = None if type(other) is Expr else intervals.is_below(self.bounds, other + 1)
        return operators.known_negative(other - self) if answer is None else not answer

    def known_divides(self, other: Any) -> bool | None:
        return operators.known_divides(self, other if type(other) is int else required(other))

    def known_multiple(self, other: Any) -> bool | None:
        return operators.known_divides(other if type(other) is int else required(other), self)

    @guarded
    def comparison(self, sign: str, other: Any) -> Condition:
        if sign not in COMPARISONS:
            raise ArgumentError(f"a sign is one of {', '.join(COMPARISONS)}, not {shown(sign)}")
        return Condition(self, sign, required(other)).normal()

    def lesser(self, other: Any) -> Any:
        return operators.least(self, required(other))

    def greater(self, other: Any) -> Any:
        return -operators.least(-self, -required(other))

    def _condition(self, sign: str, other: object) -> Condition:
        n = value_of(other)
        return NotImplemented if n is None else Condition(self, sign, n)

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # ty: ignore[incompatible-method-override]
        return self._condition("==", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]  # ty: ignore[incompatible-method-override]
        return self._condition("!=", other)

    def __lt__(self, other: Any) -> Condition:
        return self._condition("<", other)

    def __le__(self, other: Any) -> Condition:
        return self._condition("<=", other)

    def __gt__(self, other: Any) -> Condition:
        return self._condition(">", other)

    def __ge__(self, other: Any) -> Condition:
        return self._condition(">=", other)

    def __hash__(self) -> int:
        return hash(key_of(self))

    def __bool__(self) -> bool:
        return not Condition(self, "==", 0).decide()

    # --- texts and copies ---

    def __str__(self) -> str:
        return operators.to_notation(self)

    def __repr__(self) -> str:
        return operators.to_python(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return operators.restore, (tuple(self.terms.items()), self.constant)


Value: TypeAlias = Union[Expr, int]
"""What an operation gives: an expression, or a plain int where no unknown is left."""

IntLikeValue: TypeAlias = Any


# --- conditions -------------------------------------------------------------------------------

COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt,
}  # fmt: skip
"""The functions of the signs; none stands behind one that it begins with."""


_set: Final = object.__setattr__


class Condition(Record):
    """A comparison of two values, as ``==`` and ``<`` of symbolic ints make it.

    >>> condition = sym("M") % 16 == 0
    >>> print(condition)
    M % 16 == 0
    >>> condition.left, condition.op, condition.right
    (M % 16, '==', 0)
    >>> (sym("M") % 48 == 0).known(), (sym("M") > 0).known()
    (None, True)

    As a bool, ``==`` and ``!=`` tell whether both sides have one structure, so that expressions work
    in sets and tuples; an order decides, or raises `UndecidedError`.
    """

    __slots__ = ("left", "op", "right")
    parts_in_order: ClassVar[tuple[str, ...]] = ("left", "op", "right")

    left: Value
    op: str
    right: Value

    def __init__(self, left: Value, op: str, right: Value) -> None:
        _set(self, "left", left)
        _set(self, "op", op)
        _set(self, "right", right)

    def __bool__(self) -> bool:
        if self.op in ("==", "!="):
            return (key_of(self.left) == key_of(self.right)) is (self.op == "==")
        return self.decide()

    def known(self) -> bool | None:
        """Whether it holds: True, False, or None where its symbols leave it open."""
        difference: Any = self.left - self.right
        if self.op in ("==", "!="):
            answer, wanted = operators.known_zero(difference), self.op == "=="
        elif self.op in ("<", ">="):
            answer, wanted = operators.known_negative(difference), self.op == "<"
        else:
            answer, wanted = operators.known_negative(-difference), self.op == ">"
        return None if answer is None else answer is wanted

    def decide(self) -> bool:
        """Whether it holds; raise `UndecidedError` where that is open."""
        return decide(self.known(), self)

    def normal(self) -> Condition:
        """The same condition as a reader says it: ``M % 64 == 0`` for ``(M + 63) // 64 * 64 == M``."""
        return operators.normal(self)

    @guarded
    def holds(self, **values: int) -> bool:
        """Whether it holds for some values of its symbols."""
        left, right = (operators.evaluate(x, values) for x in (self.left, self.right))
        return bool(COMPARISONS[self.op](left, right))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The unknowns of both sides, by name."""
        return symbols_of(self.left, self.right)

    def __str__(self) -> str:
        return f"{operators.to_python(self.left)} {self.op} {operators.to_python(self.right)}"

    __repr__ = __str__


# --- terms ------------------------------------------------------------------------------------

_new: Final = object.__new__
_set_terms: Final = Expr.__dict__["terms"].__set__
_set_constant: Final = Expr.__dict__["constant"].__set__
_set_kinds: Final = Expr.__dict__["kinds"].__set__
_set_bounds: Final = Expr.__dict__["_bounds"].__set__
_set_key: Final = Expr.__dict__["_key"].__set__


def expr_of(terms: Terms, constant: int, kinds: int) -> Expr:
    """Return the expression of terms in their final form, not empty, and the kinds of their atoms."""
    expr = _new(Expr)
    _set_terms(expr, terms)
    _set_constant(expr, constant)
    _set_kinds(expr, kinds)
    return expr


def total(terms: Terms, constant: int, kinds: int) -> Value:
    """Return the sum of some terms: by the rules of sums where it has what they speak of."""
    if not terms:
        return constant
    if kinds & 3 and (len(terms) > 1 or assumed.get() is not None):
        return operators.summed(terms, constant, kinds)
    return expr_of(terms, constant, kinds)


def sum_of(values: Iterable[Value], constant: int = 0) -> Value:
    """Return a constant plus some values; the rules of sums are applied once, to all terms together."""
    terms: Terms = {}
    kinds = 0
    for x in values:
        if type(x) is not Expr:
            constant += x
            continue
        constant += x.constant
        kinds |= x.kinds
        _add_terms(terms, x.terms)
    return total(terms, constant, kinds)


def _add_terms(terms: Terms, more: Terms) -> None:
    for monomial, k in more.items():
        k += terms.get(monomial, 0)
        if k:
            terms[monomial] = k
        else:
            del terms[monomial]


def raw_sum(x: Value, j: int, y: Value, k: int, monomial: Monomial = ()) -> Value:
    """Return ``x*j + y*k*monomial`` as it comes, without the rules of sums: for proofs."""
    terms: Terms = {}
    constant = 0
    if type(x) is not Expr:
        constant += x * j
    elif j:
        terms = {m: n * j for m, n in x.terms.items()}
        constant += x.constant * j
    for m, n in _with_constant(y):
        if monomial:
            m = product_in_order(m + monomial) if m else monomial
        if m:
            total = terms.get(m, 0) + n * k
            if total:
                terms[m] = total
            else:
                terms.pop(m, None)
        else:
            constant += n * k
    return expr_of(terms, constant, 7) if terms else constant


def _product(a: Value, b: Value) -> tuple[Terms, int]:
    """The terms and the constant of a product, multiplied out."""
    terms: Terms = {}
    constant = 0
    left, right = _with_constant(a), _with_constant(b)
    if len(left) * len(right) > 16 or (left and right and len(left[0][0]) + len(right[0][0]) > 16):
        _check_product(left, right)
    for m, k in left:
        for n, j in right:
            both = product_in_order(m + n) if m and n else m + n
            if both:
                terms[both] = terms.get(both, 0) + k * j
            else:
                constant += k * j
    return {m: k for m, k in terms.items() if k} if 0 in terms.values() else terms, constant


def _check_product(a: list[tuple[Monomial, int]], b: list[tuple[Monomial, int]]) -> None:
    """Raise LimitError for a product whose terms have too many factors."""
    ours, theirs = (sum([len(monomial) for monomial, _k in x]) for x in (a, b))
    count, most = ours * len(b) + theirs * len(a), limit_of("terms")
    if count > most:
        product = f"{len(a)} terms times {len(b)} terms"
        summary = f"{product} have {count} factors; at most {most} are multiplied out"
        raise limit_error("terms", summary, needed=count)


def _with_constant(x: Value) -> list[tuple[Monomial, int]]:
    """The terms of a value; its constant is one without atoms."""
    if type(x) is not Expr:
        return [((), x)] if x else []
    return [*x.terms.items(), ((), x.constant)] if x.constant else list(x.terms.items())


def raw_product(x: Value, c: Value) -> Value:
    """Return ``x * c`` as it comes, without the rules of sums: for proofs."""
    terms, constant = _product(x, c)
    return expr_of(terms, constant, 7) if terms else constant


def term_of(monomial: Monomial, k: int) -> Value:
    """Return ``k`` times a product of atoms, which may have none."""
    return expr_of({monomial: k}, 0, 7) if monomial else k


def atom_expr(atom: Atom) -> Expr:
    """Return the expression of one atom."""
    return expr_of({(atom,): 1}, 0, atom.kind)


def alone(x: Value, kind: type[_A]) -> _A | None:
    """Return the atom that an expression consists of, if it is of a kind."""
    if type(x) is not Expr or len(x.terms) > 1 or x.constant:
        return None
    ((monomial, k),) = x.terms.items()
    atom = monomial[0]
    return atom if k == 1 and len(monomial) == 1 and isinstance(atom, kind) else None


def value_of(x: object) -> Value | None:
    """Return an expression, or the plain value of an int of any kind; None of anything else."""
    return x if type(x) is Expr else plain_int(x)


def required(x: object) -> Value:
    """Return `value_of`; raise `LeafError` of what has none."""
    value = value_of(x)
    if value is None:
        refusal = LeafError(f"expected an int or a symbolic int, got {described(x)}", value=x)
        raise naming_argument(refusal)
    return value


def key_of(x: Value | None) -> Any:
    """Return what equal values, and only they, have in common, hashable."""
    return x.key if type(x) is Expr else x


def bounds_of(x: Value) -> Bounds:
    """Return the range of a value."""
    return (x, x) if type(x) is not Expr else x.bounds


def range_of(monomial: Monomial) -> Bounds:
    """Return the range of a product of atoms; a square is not negative."""
    if len(monomial) == 1:
        return monomial[0].bounds
    result: Bounds = (1, 1)
    for atom in dict.fromkeys(monomial):
        n = monomial.count(atom)
        power = atom.bounds if n == 1 else intervals.power(atom.bounds, n)
        result = intervals.multiply(result, power)
    return result


def contains(part: Monomial, monomial: Monomial) -> bool:
    """Return whether a product has these factors."""
    if len(part) == 1:
        return part[0] in monomial
    return all(monomial.count(atom) >= part.count(atom) for atom in part)


def without(monomial: Monomial, part: Monomial) -> Monomial:
    """Return a product without some of its factors."""
    rest = list(monomial)
    for atom in part:
        rest.remove(atom)
    return tuple(rest)


def atoms_of(x: Value, known: Container[Atom] = ()) -> Iterator[Atom]:
    """Yield the atoms of an expression and of what they are made of, each once.

    Args:
        known: Atoms to leave out, and what they are made of.
    """
    seen: set[Atom] = set()
    todo: list[Value] = [x]
    while todo:
        value = todo.pop()
        if type(value) is not Expr:
            continue
        for monomial in value.terms:
            for atom in monomial:
                if atom in seen or atom in known:
                    continue
                seen.add(atom)
                yield atom
                todo += atom.parts


def symbols_of(*values: Value) -> tuple[Symbol, ...]:
    """Return the unknowns of some values, by name."""
    found = frozenset[Symbol]().union(*map(symbols_in, values))
    return tuple(sorted(found, key=lambda s: (s.name, s.order)))


def symbols_in(x: Value) -> frozenset[Symbol]:
    """Return the unknowns of a value; each atom is asked once."""
    for atom in inner_first(x, _SYMBOLS_KNOWN):
        if type(atom) is not Symbol:
            atom.inside = frozenset[Symbol]().union(*map(_symbols_at_hand, atom.parts))
    return _symbols_at_hand(x)


def _symbols_at_hand(x: Value) -> frozenset[Symbol]:
    """The unknowns of a value whose atoms have been asked."""
    atoms = {atom for monomial in x.terms for atom in monomial} if type(x) is Expr else ()
    own = [atom for atom in atoms if type(atom) is Symbol]
    return frozenset(own).union(*[atom.inside for atom in atoms if type(atom) is not Symbol])


class _SymbolsKnown:
    """The atoms that have been asked for their symbols, as a container."""

    def __contains__(self, atom: object) -> bool:
        return hasattr(atom, "inside")


_SYMBOLS_KNOWN: Final = _SymbolsKnown()


def inner_first(x: Value, known: Container[Atom] = ()) -> list[Atom]:
    """Return the same atoms, each behind those it is made of: these were made before it."""
    return sorted(atoms_of(x, known), key=_by_order)


def over(terms: Terms, g: int, constant: int, kinds: int) -> Value:
    """Return the terms, all multiples of ``g``, divided by it; plus a constant."""
    return expr_of({m: k // g for m, k in terms.items()}, constant, kinds) if terms else constant


def shorten(x: Expr, c: Expr) -> tuple[Value | None, Value]:
    """Return a multiple of ``c``, over ``c``, and its difference from ``x``, which has fewer terms."""
    top, n = max(c.terms.items(), key=lambda term: len(term[0]))
    for monomial, k in x.terms.items():
        if k % n or not contains(top, monomial):
            continue
        others = without(monomial, top)
        factor = term_of(others, k // n)
        smaller: Any = x - c * factor
        if type(smaller) is not Expr or len(smaller.terms) < len(x.terms):
            return factor, smaller
    return None, x


def exact_quotient(x: Value, c: Value) -> Value | None:
    """Return ``y`` with ``y * c == x`` where the terms alone show one; None elsewhere."""
    if type(x) is not Expr:
        return None if type(c) is Expr or x % c else x // c
    if type(c) is not Expr:
        rest, constant = divmod(x.constant, c)
        if constant or any(k % c for k in x.terms.values()):
            return None
        return over(x.terms, c, rest, x.kinds)
    quotient: Any = 0
    while type(x) is Expr:
        factor, x = shorten(x, c)
        if factor is None:
            return None
        quotient = quotient + factor
    return quotient if x == 0 else None


def size_of(x: Value) -> int:
    """Return how many operators, symbols and numbers an expression has."""
    if type(x) is not Expr:
        return 1
    count = len(x.terms) - 1 + (2 if x.constant else 0)
    for monomial, k in x.terms.items():
        count += len(monomial) - 1 + (0 if abs(k) == 1 else 2)
        for atom in monomial:
            try:
                count += atom.size
            except AttributeError:  # kept, since a part may stand in many places
                parts = atom.parts
                atom.size = sum(map(size_of, parts)) + len(parts) - 1 if parts else 1
                count += atom.size
    return count
