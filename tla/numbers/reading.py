# SPDX-License-Identifier: Apache-2.0
"""Symbolic ints read from the notation of layouts.

========================== =================================================================
text                       value
========================== =================================================================
``M``                      the unknown `M`, 1 or more
``M{div=16,min=0,max=64}`` with its facts, which may stand where any of its names does
``M/16``                   the exact quotient, which says that 16 divides ``M``
``M//16``, ``M%16``        quotient rounded down, and remainder; also ``floordiv``, ``mod``
``+ - *``, ``ceildiv``     as usual; parentheses group; ``min(x,y)``, ``max(x,y)``
========================== =================================================================

A `Names` holds the values of the names in one text; `expr_at` reads an expression at a scanner.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import count
from operator import add, mul
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..errors import KindError, LayoutError, LimitError, ParseError, TlaError, ZeroDivisorError
from ..ground import Scanner, is_too_deep, shortened, way_out
from . import rules
from .ints import Int
from .nodes import COMPARISONS, Condition, Expr, Value, exact_quotient, required, sum_of
from .printers import implied_divisors
from .symbols import RESERVED, is_name, sym

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Names:
    """The values of the names in a text.

    Args:
        given: Expressions by name; the text need not repeat their facts.
    """

    __slots__ = ("_braces", "_divisors", "_fresh", "_known", "_reading", "_text")

    slash_rounds: ClassVar[bool] = False
    """Whether ``x / n`` rounds down, rather than say that ``n`` divides ``x``."""

    def __init__(self, text: str, given: Mapping[str, Value] | None = None) -> None:
        self._text = text
        if given is not None and not hasattr(given, "items"):
            raise KindError(f"names are given as a mapping, not {type(given).__name__}", value=given)
        self._known: dict[str, Value] = {name: required(x) for name, x in (given or {}).items()}
        self._reading: list[str] = []
        self._fresh: set[str] = set()
        self._divisors: dict[str, int] | None = None
        self._braces: dict[str, int] = {}

    def operate(self, sign: str, left: Value, right: Value) -> Value:
        """Return the result of an operation of the text."""
        result: Any = _OPERATIONS[sign](left, right)
        return Int(result) if type(left) is Int and type(right) is Int else result

    def value_at(self, scan: Scanner, start: int, name: str, room: int) -> Value:
        """Return the value of a name, read from ``start`` on; pass its facts."""
        if not is_name(name):
            why = "is a word of the notation" if name in RESERVED else "is no name"
            scan.fail(f"{shortened(name)!r} {why}", start, start + len(name))
        if name in scan.operations:
            return scan.call_at(start, name, room)  # type: ignore[no-any-return]
        if name not in self._known:
            self._known[name] = self._described(scan, start, name, room)
        if scan.peek() == "{":
            self._pass_facts(scan, name, room)
        return self._known[name]

    def define(self, name: str, value: Any) -> None:
        """Let a name of the text have a value from here on."""
        self._known[name] = value

    def fresh(self, prefix: str, **facts: Any) -> Value:
        """Return a new unknown, with the first name not in the text, or what is given for it."""
        names = (f"{prefix}{n}" for n in count())
        name = next(n for n in names if n not in self._fresh and not re.search(rf"\b{n}\b", self._text))
        self._fresh.add(name)
        return self._known.setdefault(name, sym(name, **facts))

    def _described(self, scan: Scanner, start: int, name: str, room: int) -> Value:
        """The symbol of a name: its facts may stand at any of its places in the text."""
        if name in self._reading:
            scan.fail(f"the range of {name} refers to {name} itself", start, start + len(name))
        facts: dict[str, Any] = {}
        if self._divisors is None:
            self._divisors = implied_divisors(self._text)
            for found in _WITH_FACTS.finditer(self._text):
                self._braces.setdefault(found[1], found.end() - 1)
        if name in self._braces:
            self._reading.append(name)
            facts = self._facts(Scanner(self._text, start=self._braces[name]), room)
            self._reading.pop()
        divisor = facts.pop("divisible_by", self._divisors.get(name, 1))
        try:
            return sym(name, divisor, **facts)
        except LayoutError as error:
            reason = error.summary
        scan.fail(reason, start, start + len(name))

    def _pass_facts(self, scan: Scanner, name: str, room: int) -> None:
        start = scan.at
        facts = self._facts(scan, room)
        known = self._known[name]
        symbol: Any = known.symbols[0] if type(known) is Expr else None
        if symbol is None or any(not _same(getattr(symbol, _SLOTS[key]), x) for key, x in facts.items()):
            scan.fail(f"{name} has other facts elsewhere", start, scan.last)

    def _facts(self, scan: Scanner, room: int) -> dict[str, Any]:
        """``{div=16,min=0,max=M-1}`` as the arguments of `sym`."""
        scan.expect("{")
        facts: dict[str, Any] = {}
        while True:
            start = scan.at
            key = scan.word()
            if key not in _FACTS or _FACTS[key] in facts:
                why = "stands twice" if key in _FACTS else "is no fact"
                shown = repr(shortened(key)) if key else scan.found()
                end = start + max(1, len(key))
                scan.fail(f"{shown} {why}; facts are div, min, max and type", start, end)
            scan.expect("=", f"after {key}")
            if key == "div":
                facts["divisible_by"] = scan.integer("a divisor")
            elif key == "type":
                cpp_type = re.split("[,}]", scan.text[scan.at :], maxsplit=1)[0]
                facts["cpp_type"] = cpp_type.strip()
                scan.at += len(cpp_type)
            elif scan.accept("none"):
                facts[key] = None
            else:
                facts[key] = expr_at(scan, self, room, "a bound")
            if not scan.accept(","):
                break
        scan.expect("}", "after the facts")
        return facts


_WITH_FACTS: Final = re.compile(r"(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]*+)\s*\{")
_SLOTS: Final = {"divisible_by": "divisor", "min": "least", "max": "greatest", "cpp_type": "cpp_type"}
_FACTS: Final = {"div": "divisible_by", "min": "min", "max": "max", "type": "cpp_type"}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


# --- the grammar ------------------------------------------------------------------------------

_SIGN: Final = re.compile(r"\+|-|\*|//?|%|(?:floor[dD]iv|ceildiv|mod)(?!\w)")


def goes_on(scan: Scanner) -> bool:
    """Return whether an operator comes next."""
    return scan.peek() in _STARTS and _sign(scan) != ""


_STARTS: Final = frozenset("+-*/%fcm")


def _sign(scan: Scanner) -> str:
    found = _SIGN.match(scan.text, scan.at)
    return found[0] if found else ""


def expr_at(scan: Scanner, names: Names, room: int, what: str, left: Any = None) -> Value:
    """Pass an expression, which must come next; ``what`` names it in the error.

    Args:
        left: The value of its first factor, if that has been passed.

    Raises:
        ParseError: it is none, or a quotient ``x/n`` is not known to be exact.
    """
    left = _factor(scan, names, room, what) if left is None else left
    parts: list[Any] = [_term(scan, names, room, left)]
    while scan.peek() in ("+", "-"):
        minus = scan.accept("-") or not scan.accept("+")
        right: Any = _term(scan, names, room, _factor(scan, names, room, "a summand"))
        parts.append(-right if minus else right)
    return sum_of(parts) if any(type(part) is Expr for part in parts) else reduce(add, parts)


def condition_at(scan: Scanner, names: Names, room: int) -> Condition:
    """Pass a comparison of two expressions, such as ``M % 48 == 0``, which must come next."""
    left = expr_at(scan, names, room, "an expression")
    sign = next((s for s in COMPARISONS if scan.accept(s)), "")
    if not sign:
        scan.fail(f"expected a comparison such as '==' or '<=', found {scan.found()}")
    return Condition(left, sign, expr_at(scan, names, room, "an expression"))


def _term(scan: Scanner, names: Names, room: int, left: Any) -> Value:
    while True:
        start = scan.at
        sign = _sign(scan)
        if sign in ("", "+", "-"):
            return left  # type: ignore[no-any-return]
        scan.accept(sign)
        right: Any = _factor(scan, names, room, "a factor" if sign == "*" else "a divisor")
        try:
            if sign == "/" and not names.slash_rounds:
                left = _exact_quotient(scan, start, left, right)
            else:
                left = names.operate(sign, left, right)
            continue
        except ZeroDivisionError:
            reason = "a division by 0"
        except ParseError:
            raise
        except LimitError as error:
            scan.fail(error.summary, start, scan.last, *error.details)
        except TlaError as error:
            reason = error.summary
        scan.fail(reason, start, scan.last)


_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "*": mul,
    **dict.fromkeys(("//", "/", "floordiv", "floorDiv"), rules.floor_divided),
    **dict.fromkeys(("%", "mod"), rules.remainder),
    "ceildiv": rules.ceil_divided,
}


def _exact_quotient(scan: Scanner, start: int, left: Value, right: Value) -> Value:
    if right == 0 and type(right) is not Expr:
        raise ZeroDivisorError("a division by 0")
    quotient = exact_quotient(left, right)
    if quotient is None:
        rest = rules.remainder(left, right)
        need = (
            f"which needs {Condition(rest, '==', 0)}"
            if type(rest) is Expr
            else f"and {right} does not divide {left}"
        )
        scan.fail(f"'/' is the exact quotient, {need}; '//' rounds down", start, scan.last)
    return quotient


def _factor(scan: Scanner, names: Names, room: int, what: str) -> Value:
    start = scan.at
    char = scan.peek()
    if is_too_deep(room):
        scan.fail("an expression is nested too deeply", None, None, way_out("nesting"))
    if scan.accept("-"):
        negated: Any = _factor(scan, names, room - 1, what)
        return -negated  # type: ignore[no-any-return]
    if (value := scan.typed_at()) is not None:
        return value  # type: ignore[no-any-return]
    if char == "(":
        scan.accept("(")
        value = expr_at(scan, names, room - 1, "an expression")
        scan.expect(")")
        return value
    if char.isdigit():
        number = scan.integer(what)
        if names.slash_rounds and scan.last == scan.at and scan.peek() == "d":
            # in maps 10d1 is 10 * d1, as XLA's document writes it
            return names.value_at(scan, scan.at, scan.word(), room - 1) * number
        return number
    if char == "_" and scan.operations and scan.text[start + 1 : start + 2].isdigit():
        scan.at += 1
        return Int(scan.integer(what))
    if not char.isalpha():
        scan.fail(f"expected {what}, found {scan.found()}")
    name = scan.word()
    if name in ("min", "max") and scan.peek() == "(":
        scan.accept("(")
        items = [expr_at(scan, names, room - 1, "an expression")]
        while scan.accept(","):
            items.append(expr_at(scan, names, room - 1, "an expression"))
        scan.expect(")")
        return rules.least(*items) if name == "min" else rules.greatest(*items)
    return names.value_at(scan, start, name, room - 1)
