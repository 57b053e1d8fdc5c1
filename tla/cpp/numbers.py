# SPDX-License-Identifier: Apache-2.0
"""Ints in C++ text: literals, the names of their types, casts and arithmetic."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, NoReturn

from ..errors import ParseError, TlaError
from ..ground import Scanner
from ..numbers import Condition, Expr, Int, greatest, known_divides, known_lt, least
from .names import INTEGER_WORDS, canonical_type, is_unsigned

NAME: Final = re.compile(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
QUALIFIERS: Final = frozenset(("const", "volatile", "constexpr", "typename", "struct", "class"))
"""Words before a type that do not change its value."""

FACTS: Final = "from_cpp(text, symbols={'M': M}) reads names with the facts of symbolic ints."

_NUMBER: Final = re.compile(
    r"(0[xX][0-9a-fA-F](?:'?[0-9a-fA-F])*|0[bB][01](?:'?[01])*|[0-9](?:'?[0-9])*)([uUlLzZ]*)(?![\w.'])"
)
_LONGEST: Final = 80
"""The most digits of a literal: enough for all ints of 64 bits, also in binary."""

_RANKS: Final = (
    *("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"),
    *("__int128", "unsigned __int128"),
)
"""The types of arithmetic, from the narrowest."""
_BITS: Final = {"char": 8, "short": 16, "int": 32, "__int128": 128}


def _range(name: str) -> tuple[int, int]:
    """The least and the greatest int of a C++ type."""
    bits = _BITS.get(name.rpartition(" ")[2], 64)
    return (0, (1 << bits) - 1) if is_unsigned(name) else (-1 << bits - 1, (1 << bits - 1) - 1)


def _common(a: str, b: str) -> str:
    """The type in which C++ computes on ints of two types."""
    rank = max(_RANKS.index(name) if name in _RANKS else 0 for name in (a, b))
    if {a, b} == {"unsigned long", "long long"}:
        return "unsigned long long"
    return _RANKS[rank]


class Operand(NamedTuple):
    """A value in a text, and its place.

    Attributes:
        value: An int, another value, a `_Division` or a `_Comparison`.
        type: The C++ type of an int; "" for another value.
        start, end: Its span.
        order: ``<`` if it is the least of some items, ``>`` if it is the greatest, otherwise "". It is
            "" also in two pairs of parentheses, by which ``to_cpp`` marks one item of several.
        items: These items.
        in_parentheses: Whether it stands in parentheses.
    """

    value: Any
    type: str
    start: int
    end: int
    order: str = ""
    items: tuple[Any, ...] = ()
    in_parentheses: bool = False


class _Division(NamedTuple):
    """A part of a division that C++ rounds towards zero, because its dividend may be negative.

    Attributes:
        part: ``/`` for the quotient, ``%`` for the remainder, ``<`` for whether the remainder is
            negative, ``+`` for the sum of the remainder and the divisor.
    """

    part: str
    a: Any
    b: Any


class _Comparison(NamedTuple):
    """A comparison."""

    left: Any
    sign: str
    right: Any

    def condition(self) -> Condition:
        return Condition(self.left, self.sign, self.right)


def _same(a: Any, b: Any) -> bool:
    return isinstance(a, (int, Expr)) and isinstance(b, (int, Expr)) and bool(a == b)


class IntReader:
    """The part of a reader that reads ints."""

    def __init__(self, text: str) -> None:
        self.scan: Scanner = Scanner(text, comments=True)
        self.literal_type: str = "int"
        """The type of the last literal, or of the last template argument that is an int."""

    def next_word(self) -> str:
        match = NAME.match(self.scan.text, self.scan.at)
        return match[0] if match else ""

    def next_text(self) -> str:
        if self.scan.text.startswith("[...]", self.scan.at):
            return "'[...]', which g++ prints in full with -fno-elide-type"
        return self.scan.found()

    def fail_with(self, summary: str, start: int, end: int, *details: str) -> NoReturn:
        raise ParseError(summary, self.scan.text, start, end, *details)

    def int_of(self, value: Any, start: int) -> Operand:
        """The operand of a value that ends here; an int has the first type that it fits."""
        name = ""
        if isinstance(value, int):
            name = next((name for name in ("int", "long") if _fits(value, name)), "unsigned long")
        elif isinstance(value, Expr):
            name = self.type_of(value)
        return Operand(value, name, start, self.scan.last)

    @staticmethod
    def type_of(x: Expr) -> str:
        """The type of a variable: the one that its symbol names, or else ``long``."""
        names = {symbol.cpp_type for symbol in x.symbols}
        return (canonical_type(names.pop()) if len(names) == 1 else None) or "long"

    # --- literals and types ---

    def number(self) -> int:
        """The int literal that must come next."""
        scan, start = self.scan, self.scan.at
        match = _NUMBER.match(scan.text, scan.at)
        suffix = match[2].lower() if match else ""
        if match is None or suffix.replace("u", "", 1) not in ("", "l", "ll", "z"):
            end = scan.at + 1
            while end < len(scan.text) and (scan.text[end].isalnum() or scan.text[end] in "._'"):
                end += 1
            scan.fail("expected an int such as 4, 4u or 4L", end=end)
        digits = match[1].replace("'", "")
        if len(digits) > _LONGEST:
            scan.fail(f"an int of {len(digits)} digits", end=match.end())
        if digits[:2] in ("0x", "0X"):
            base = 16
        elif digits[:2] in ("0b", "0B"):
            base = 2
        else:
            base = 8 if digits[0] == "0" else 10
        if base == 8 and not set("89").isdisjoint(digits):
            scan.fail(f"{digits} is octal, and has a digit that is not", end=match.end())
        scan.accept(match[0])
        value = int(digits, base)
        for name in _RANKS[: _RANKS.index("__int128")]:
            unsigned = is_unsigned(name)
            if ("u" in suffix and not unsigned) or (unsigned and "u" not in suffix and base == 10):
                continue
            if ("l" in suffix or "z" in suffix) and "long" not in name:
                continue
            if "ll" in suffix and "long long" not in name:
                continue
            if _fits(value, name):
                self.literal_type = name
                return value
        return scan.fail("an int of more than 64 bits", start, scan.last)

    def constant(self) -> int:
        """The int of a template argument: ``16``, ``-16``, ``16u``, ``(int)16``."""
        scan, start = self.scan, self.scan.at
        if scan.accept("("):
            cast = self.integer_type()
            if cast is None:
                value = self.constant()
                scan.expect(")")
                return value
            scan.expect(")", "after the type")
            value = self.constant()
            self.literal_type = cast
            return int(self.fitting(value, cast, start))
        if scan.accept("-"):
            return int(self.fitting(-self.constant(), self.literal_type, start))
        if not scan.peek().isdigit():
            scan.fail(f"expected an int, found {self.next_text()}")
        return self.number()

    def require_extent(self, value: Any, place: str, start: int) -> None:
        """Raise ParseError for a negative int in the place of an extent."""
        if place in "so" and isinstance(value, int) and value < 0:
            what = "an extent" if place == "s" else "a size in an origin shape"
            self.scan.fail(f"{what} is negative: {value:d}", start, self.scan.last)

    def integral_constant(self, place: str) -> Any:
        scan, start = self.scan, self.scan.at
        scan.expect("<")
        name = self.integer_type()
        if name is None:
            scan.fail(f"expected an integer type, found {self.next_text()}")
        scan.expect(",")
        began = scan.at
        number = self.constant()
        self.require_extent(number, place, began)
        value = int(self.fitting(number, name, start))
        self.literal_type = name
        scan.expect(">")
        return Int(value)

    def integer_type(self) -> str | None:
        """The name of an integer type, if one comes next; the reader goes past it."""
        scan = self.scan
        words: list[str] = []
        start, last = scan.at, scan.last
        while (word := self.next_word()) in INTEGER_WORDS or word in QUALIFIERS:
            scan.accept(word)
            if word in INTEGER_WORDS:
                words.append(word)
        if not words and canonical_type(word):
            scan.accept(word)
            words.append(word)
            while self.next_word() in ("const", "volatile"):
                scan.accept(self.next_word())
        if not words:
            scan.at, scan.last = start, last
            return None
        name = canonical_type(" ".join(words))
        if name is None:
            scan.fail(f"{' '.join(words)!r} names no type", start, scan.last)
        return name

    # --- casts and arithmetic ---

    def fitting(self, value: Any, to: str, start: int, overflows: bool = False) -> Any:
        """An int of a type, checked as far as its value is known.

        Args:
            overflows: Whether it is the result of arithmetic, not of a conversion.
        """
        low, high = _range(to)
        smallest, largest = (value, value) if isinstance(value, int) else value.bounds
        if (largest is None or largest >= low) and (smallest is None or smallest <= high):
            return value
        details = ["C++ does not say what becomes of it."]
        if isinstance(value, int) and (is_unsigned(to) or not overflows):
            result = (value - low) % (high - low + 1) + low
            details = [f"C++ makes {result:d} of it: write that, or a wider type."]
        what = f"{value:d}" if isinstance(value, int) else str(value)
        return self.fail_with(f"{what} is no {to}", start, self.scan.last, *details)

    def computing(self, value: Any, to: str, start: int) -> Any:
        """An int in arithmetic of a type; it must not be negative if the type is unsigned."""
        if isinstance(value, Expr) and is_unsigned(to) and known_lt(value, 0) is not False:
            self.fail_with(
                f"{value} may be negative, and {to} has no negative ints",
                start,
                self.scan.last,
                "Cast to int64_t what it is computed of.",
                FACTS,
            )
        return self.fitting(value, to, start, overflows=True)

    def cast(self, operand: Operand, to: str, start: int) -> Operand:
        """A dynamic int of a type, which must hold it."""
        value = self.ready(operand)
        if not isinstance(value, (int, Expr)):
            self.scan.fail(f"expected an int to make {to} of", start, self.scan.last)
        value = self.fitting(value, to, start)
        return Operand(int(value) if isinstance(value, int) else value, to, start, self.scan.last)

    def ready(self, operand: Operand) -> Any:
        """The value of an operand that needs no other operand."""
        value = operand.value
        if isinstance(value, _Division):
            self.fail_with(
                f"cannot tell which way {self.scan.text[operand.start : operand.end]} is rounded",
                operand.start,
                operand.end,
                "C++ rounds towards zero, which is down where the dividend is known not to be negative.",
                "(a / b - (a % b < 0)) is read as rounded down, (a % b + b) % b as its remainder.",
                FACTS,
            )
        if isinstance(value, _Comparison):
            known = value.condition().known()
            if known is None:
                self.fail_with("a comparison is no int here", operand.start, operand.end)
            return int(known)
        return value

    def compute(self, sign: str, left: Operand, right: Operand, start: int) -> Operand:
        """The operand ``left sign right``, which C++ computes in the same way if nothing overflows."""
        end = self.scan.last
        name = _common(left.type, right.type)
        value = self._round_down(sign, left, right)
        if value is not None:
            return Operand(value, name, start, end)
        a, b = self.ready(left), self.ready(right)
        if not all(isinstance(x, (int, Expr)) for x in (a, b)):
            self.scan.fail(f"{sign!r} stands between ints", start, end)
        self.computing(a, name, left.start)
        self.computing(b, name, right.start)
        try:
            if sign in ("==", "!=", "<", "<=", ">", ">="):
                return Operand(_Comparison(a, sign, b), "int", start, end)
            value = self._result(sign, a, b, start)
        except TlaError as error:
            if isinstance(error, ParseError):
                raise
            self.fail_with(error.summary, start, end, *error.details)
        if not isinstance(value, _Division):
            self.computing(value, name, start)
        return Operand(value, name, start, end)

    @staticmethod
    def _round_down(sign: str, left: Operand, right: Operand) -> Any:
        """The value of two parts of a division that together round down, or None."""
        x, y = left.value, right.value
        if not isinstance(x, _Division):
            return None
        step = x.part + sign
        if isinstance(y, _Division):
            same = y.part == "<" and _same(x.a, y.a) and _same(x.b, y.b)
            return x.a // x.b if step == "/-" and same else None
        if step == "%<" and _same(y, 0):
            return x._replace(part="<")
        if not _same(x.b, y):
            return None
        if step == "%+":
            return x._replace(part="+")
        return x.a % x.b if step == "+%" else None

    def _result(self, sign: str, a: Any, b: Any, start: int) -> Any:
        if sign in "+-*":
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        if not isinstance(b, Expr) and b == 0:
            self.scan.fail("a division by 0", start, self.scan.last)
        if known_lt(0, b) is True:
            # C++ rounds towards zero
            if known_lt(a, 0) is False or (isinstance(a, Expr) and known_divides(b, a) is True):
                return a // b if sign == "/" else a % b
            if isinstance(a, Expr) or isinstance(b, Expr):
                return _Division(sign, a, b)
        if isinstance(a, int) and isinstance(b, int):
            quotient = abs(a) // abs(b)
            quotient = quotient if (a < 0) == (b < 0) else -quotient
            return quotient if sign == "/" else a - b * quotient
        return self.fail_with(
            f"cannot tell which way {self.scan.text[start : self.scan.last]} is rounded",
            start,
            self.scan.last,
            "C++ rounds towards zero, which is down where both sides are known not to be negative.",
            FACTS,
        )

    def choose(self, condition: Operand, first: Operand, second: Operand) -> Operand:
        """The operand ``condition ? first : second``, if that is the least or the greatest of two."""
        start, end = condition.start, self.scan.last
        comparison, name = condition.value, _common(first.type, second.type)
        a, b = self.ready(first), self.ready(second)
        if not (isinstance(comparison, _Comparison) and first.type and second.type):
            self.fail_with("only the least or the greatest of ints is read of '?:'", start, end)
        self.computing(a, name, first.start)
        self.computing(b, name, second.start)
        if isinstance(a, int) and isinstance(b, int):
            a, b = int(a), int(b)  # '?:' gives a dynamic int
        sign = comparison.sign[0]
        if sign in "<>" and (
            (_same(comparison.left, b) and _same(comparison.right, a))
            or (_same(comparison.left, a) and _same(comparison.right, b))
        ):
            if not _same(comparison.left, a):
                sign = "<" if sign == ">" else ">"
            items = (*(first.items if first.order == sign else (a,)), b)
            value = (least if sign == "<" else greatest)(*items)
            return Operand(value, name, start, end, sign, items)
        known = comparison.condition().known()
        if known is None:
            self.fail_with(
                "'?:' is read as the least of two, (a < b ? a : b), or as the greatest, with '>'",
                start,
                end,
                FACTS,
            )
        return Operand(a if known else b, name, start, end)

    def value_of(self, operand: Operand) -> Any:
        """The value of a whole text, which may be a condition."""
        if isinstance(operand.value, _Comparison):
            comparison = operand.value
            if isinstance(comparison.left, int) and isinstance(comparison.right, int):
                return comparison.condition().known()
            return comparison.condition()
        return self.ready(operand)


def _fits(value: int, name: str) -> bool:
    low, high = _range(name)
    return low <= value <= high
