# SPDX-License-Identifier: Apache-2.0
"""Values for symbols: evaluation on ints and arrays, and substitution.

>>> M, i = sym("M", divisible_by=16), sym("i", min=0)
>>> evaluate(M // 16 + i % 4, {"M": 96, "i": 7}), substitute(M // 16 + i, {"i": M // 4})
(9, 5 * M // 16)
"""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import BindingError, UndecidedError, ZeroDivisorError
from ..ground import described, guarded, written
from .basis import Basis
from .nodes import (
    COMPARISONS,
    Condition,
    Expr,
    Least,
    Quotient,
    Remainder,
    Symbol,
    Value,
    atom_expr,
    exact_quotient,
    inner_first,
    operators,
    required,
    sum_of,
    symbols_of,
    total,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .nodes import Atom


@guarded
def free_symbols(x: Value) -> tuple[Symbol, ...]:
    """Return the unknowns of a value, by name.

    >>> print(*free_symbols(sym("N") * 2 + sym("M", divisible_by=4)))
    Symbol('M') Symbol('N')
    """
    return symbols_of(x)


# --- evaluation -------------------------------------------------------------------------------


@guarded
def evaluate(x: Value, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression, exact: an int, or an array where a symbol is given one.

    >>> M, i = sym("M"), sym("i", min=0)
    >>> evaluate(M * i + i % 4, {"M": 10, "i": 7})
    73

    Args:
        values: An int or a numpy array of ints by the name of each symbol; arrays broadcast. Where
            64 bits might not hold an intermediate result, the arrays hold Python ints.

    Raises:
        BindingError: a symbol is given no value, or one outside its range or not a multiple of its
            divisor.
        ZeroDivisorError: a divisor is 0, which its range does not allow.
    """
    if type(x) is not Expr:
        return x
    found: dict[str, Any] = {}
    for symbol in x.symbols:
        found[symbol.name] = check(symbol, values)
    arrays = {name: v for name, v in found.items() if not isinstance(v, int)}
    if arrays:
        found.update(_wide_enough(x, arrays, found))
    return compute(x, found, {})


def compute(x: Value, values: Mapping[str, Any], known: dict[Atom, Any]) -> Any:
    """Return an expression's value from checked values by name; ``known`` keeps those of atoms."""
    if type(x) is not Expr:
        return x
    total: Any = x.constant
    for monomial, k in x.terms.items():
        term: Any = k
        for atom in monomial:
            if atom not in known:
                known[atom] = _atom_value(atom, values, known)
            term = term * known[atom]
        total = total + term
    return total


def _atom_value(atom: Atom, values: Mapping[str, Any], known: dict[Atom, Any]) -> Any:
    if type(atom) is Symbol:
        return values[atom.name] // atom.divisor
    parts: list[Any] = []
    for part in atom.parts:  # a comprehension would take a frame more for each level
        parts.append(compute(part, values, known))
    if type(atom) is Least:
        return reduce(_lesser, parts)
    a, b = parts
    if b == 0 if isinstance(b, int) else (b == 0).any():
        dividend, divisor = atom.parts
        raise ZeroDivisorError(f"{dividend} divided by {divisor}, which is 0 here")
    return a // b if type(atom) is Quotient else a % b


def _lesser(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    import numpy as np

    return np.minimum(a, b)


def check(symbol: Symbol, values: Mapping[str, Any]) -> Any:
    """Return the value given to a symbol: an int or an array of ints, within its facts."""
    name = symbol.name
    if name not in values:
        given = ", ".join(values) or "nothing"
        raise BindingError(f"{name} is given no value", f"Values are given for {given}.", symbol=name)
    value: Any = value_of(values[name])
    if type(value) is Expr:
        raise BindingError(
            f"{name} is given the symbolic {value}", "substitute takes expressions.", symbol=name
        )
    if value is None:
        value = values[name]
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        if kind not in ("i", "u") and not (kind == "O" and all(type(v) is int for v in value.flat)):
            raise BindingError(f"{name} is given {described(value)}, which is no int", symbol=name)
        if not value.size:
            return value
    for fact in facts_of(symbol):
        left, right = (evaluate(x, {**values, name: value}) for x in (fact.left, fact.right))
        fits: Any = COMPARISONS[fact.op](left, right)
        if not (fits if isinstance(fits, bool) else fits.all()):
            wrong = value if isinstance(value, int) else value[~fits].flat[0]  # pyright: ignore[reportDeprecated]
            raise BindingError(
                f"{name} = {written(wrong)} breaks {fact}", symbol=name, value=wrong, fact=fact
            )
    return value


def facts_of(symbol: Symbol) -> list[Condition]:
    """Return the declared facts of a symbol, as conditions on a bare symbol of its name.

    >>> facts_of(sym("M", divisible_by=16, max=256).symbols[0])
    [M % 16 == 0, M >= 1, M <= 256]
    """
    bare: Any = atom_expr(Symbol.make(symbol.name, cpp_type=symbol.cpp_type))
    facts: list[Condition] = []
    if symbol.divisor != 1:
        ranged: Any = atom_expr(Symbol.make(symbol.name, 1, symbol.least, cpp_type=symbol.cpp_type))
        facts.append(Condition(ranged % symbol.divisor, "==", 0))
    return facts + _range_of(symbol, bare)[::-1]


def _wide_enough(x: Expr, arrays: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The arrays as int64 where no intermediate result can leave it, as Python ints elsewhere."""
    sizes = {
        name: abs(v) if isinstance(v, int) else max(-int(v.min(initial=0)), int(v.max(initial=0)))
        for name, v in found.items()
    }
    wide = _largest(x, sizes) >= 1 << 62
    return {name: v.astype(object if wide else "int64") for name, v in arrays.items()}


def _largest(x: Expr, sizes: dict[str, int]) -> int:
    """A bound on the magnitude of every intermediate result, for symbols of these sizes."""
    seen = [0]
    size: dict[Atom, int] = {}

    def of(value: Value) -> int:
        if type(value) is not Expr:
            seen.append(abs(value))
        else:
            terms = [abs(k) * prod([max(1, size[a]) for a in m]) for m, k in value.terms.items()]
            seen.append(abs(value.constant) + sum(terms))
        return seen[-1]

    for atom in inner_first(x):
        if type(atom) is Symbol:
            seen.append(sizes[atom.name])
            size[atom] = seen[-1] // atom.divisor
        else:
            parts = list(map(of, atom.parts))
            size[atom] = parts[1] if type(atom) is Remainder else max(parts)
    of(x)
    return max(seen)


# --- substitution -----------------------------------------------------------------------------


@guarded
def substitute(x: Value, values: Mapping[str, Any], in_range: bool = False) -> Value:
    """Return an expression with ints or expressions in the place of symbols, by their names.

    >>> M, i = sym("M"), sym("i", min=0)
    >>> print(substitute(M * i, {"i": 3}))
    3*M

    Symbols that are given nothing stay.

    Args:
        in_range: Take for granted that the values lie in the ranges of their symbols.

    Raises:
        BindingError: a value is known to lie outside the range of its symbol, or not to be a multiple
            of its divisor.
        UndecidedError: whether it is a multiple, or in the range, is not known.
    """
    if type(x) is not Expr:
        parts: Any = x
        found: Any = parts.map(substitute, values, in_range) if isinstance(parts, Basis) else x
        return found  # type: ignore[no-any-return]
    by_symbol: dict[Symbol, Value] = {}
    for symbol in x.symbols:
        if symbol.name in values:
            value = required(values[symbol.name])
            by_symbol[symbol] = _over_divisor(symbol, value)
            for demand in () if in_range else _range_of(symbol, value):
                if not _substituted(demand, values).decide():
                    raise _broken(demand, symbol, values)
        elif type(symbol.least) is Expr or type(symbol.greatest) is Expr:
            least, greatest = (
                substitute(end, values, True) if type(end) is Expr else end
                for end in (symbol.least, symbol.greatest)
            )
            narrower = Symbol.make(symbol.name, symbol.divisor, least, greatest, symbol.cpp_type)
            if narrower is not symbol:
                by_symbol[symbol] = atom_expr(narrower)
    return rebind(x, by_symbol)


def _substituted(condition: Condition, values: Mapping[str, Any]) -> Condition:
    """A condition with ints or expressions for some of its symbols."""
    left, right = (substitute(x, values, True) for x in (condition.left, condition.right))
    return Condition(left, condition.op, right).normal()


def _range_of(symbol: Symbol, value: Value) -> list[Condition]:
    """That a value lies in the range of a symbol."""
    ends = (("<=", symbol.greatest), (">=", symbol.least))
    return [Condition(value, sign, end) for sign, end in ends if end is not None]


def open_conditions(
    assumptions: Iterable[Condition], symbols: Iterable[Symbol], values: Mapping[str, Any]
) -> list[Condition]:
    """Return the conditions that stay open when symbols get values.

    Args:
        assumptions: Conditions that must hold.
        symbols: Symbols whose ranges must hold, as those of the conditions must.

    Raises:
        BindingError: one is broken.
    """
    demands: list[tuple[Condition, Symbol | None]] = [(each, None) for each in assumptions]
    for symbol in dict.fromkeys((*symbols, *(s for each, _ in demands for s in each.symbols))):
        if symbol.name in values:
            ends = _range_of(symbol, required(values[symbol.name]))
            demands += [(each, symbol) for each in ends]
    rest: list[Condition] = []
    for condition, ranged in demands:
        try:
            bound = _substituted(condition, values)
            answer = bound.known()
        except ZeroDivisionError:  # a divisor that other conditions keep from being 0
            bound, answer = condition, False
        if answer is False:
            raise _broken(condition, ranged, values)
        if answer is None:
            rest.append(bound)
    return rest


def _broken(condition: Condition, ranged: Symbol | None, values: Mapping[str, Any]) -> BindingError:
    """The error of a broken condition; ``ranged`` is the symbol whose range it was."""
    names = dict.fromkeys(s.name for s in (ranged, *condition.symbols) if s and s.name in values)
    given = ", ".join(f"{name} = {written(values[name])}" for name in names)
    if ranged is None:
        return BindingError(f"{given} breaks {condition}", condition=condition)
    text = f"{ranged.name} {condition.op} {operators.to_python(condition.right)}"
    return BindingError(f"{given} breaks {text}", condition=condition, symbol=ranged.name)


def _over_divisor(symbol: Symbol, value: Value) -> Value:
    """The value of a symbol over its divisor."""
    d = symbol.divisor
    quotient = exact_quotient(value, d)
    if quotient is not None:
        return quotient
    if not Condition(operators.remainder(value, d), "==", 0).decide():
        raise BindingError(
            f"{symbol.name} = {written(value)} breaks {symbol.name} % {d} == 0", symbol=symbol.name
        )
    return operators.floor_divided(value, d)


def rebind(
    x: Value, values: Mapping[Symbol, Value], done: dict[Atom, Value | None] | None = None
) -> Value:
    """Return an expression built anew with other values for the atoms of some symbols.

    Args:
        done: The atoms that were built anew with the same values before; more are added.
    """
    return rebuild(x, values.get, done) if values else x


def rebuild(
    x: Value,
    value_for: Callable[[Symbol], Value | None],
    done: dict[Atom, Value | None] | None = None,
) -> Value:
    """Return an expression put together anew, by the rules, with values for some of its symbols."""
    if type(x) is not Expr:
        return x
    done = {} if done is None else done  # None for an atom that stays
    for atom in inner_first(x, done):
        if type(atom) is Symbol:
            value = value_for(atom)
        else:
            value = operate(type(atom), *[_put_together(part, done) for part in atom.parts])
        same = type(value) is Expr and value.terms == {(atom,): 1} and not value.constant
        done[atom] = None if same else value
    return _put_together(x, done)


def operate(kind: type[Any], *parts: Value) -> Value:
    """Return the quotient, remainder or minimum of some values; an atom if the divisor may be 0."""
    operation: Callable[..., Value] = getattr(operators, kind.operation)
    try:
        return operation(*parts)
    except UndecidedError:
        atom: Atom = kind.make(*parts)
        return atom_expr(atom)


def _put_together(x: Value, done: dict[Atom, Value | None]) -> Value:
    """The sum of an expression's terms, with other values for some of its atoms."""
    if type(x) is not Expr:
        return x
    if all(done[atom] is None for monomial in x.terms for atom in monomial):
        return total(x.terms, x.constant, x.kinds)
    products: list[Value] = []
    for monomial, k in x.terms.items():
        term: Any = k
        for atom in monomial:
            value: Any = done[atom]
            term = (atom_expr(atom) if value is None else value) * term
        products.append(term)
    return sum_of(products, x.constant)
