"""Ints in C++ text: literals, the names of their types, casts and arithmetic."""

from __future__ import annotations

import re
from typing import Any, Final

from ..errors import UndecidedError
from ..expr import Expr
from ..ints import Int, known_eq, known_lt
from ..text import Scanner
from .names import INTEGER_WORDS, canonical_type, is_unsigned

__all__ = ["NAME", "QUALIFIERS", "IntReader"]

NAME: Final = re.compile(r"(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
QUALIFIERS: Final = frozenset(("const", "volatile", "constexpr", "typename", "struct", "class"))
"""Words before a type that say nothing of its value."""

_NUMBER: Final = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)([uUlLzZ]*)(?![\w.])")
_LONGEST: Final = 40
"""The digits of the longest literal that is read: all ints of 128 bits."""


class IntReader:
    """A reading of one text, as far as ints go."""

    def __init__(self, text: str) -> None:
        self.scan = Scanner(text)

    def next_word(self) -> str:
        found = NAME.match(self.scan.text, self.scan.at)
        return found[0] if found else ""

    def shown(self) -> str:
        if self.scan.text.startswith("[...]", self.scan.at):
            return "'[...]', which g++ prints in full with -fno-elide-type"
        return self.scan.found()

    # --- literals and types ---

    def number(self) -> int:
        """An int literal, which must come next."""
        scan = self.scan
        found = _NUMBER.match(scan.text, scan.at)
        if found is None:
            end = scan.at + 1
            while end < len(scan.text) and (scan.text[end].isalnum() or scan.text[end] in "._"):
                end += 1
            scan.fail("expected an int such as 4, 4u or 4L", end=end)
        digits = found[1]
        if len(digits) > _LONGEST:
            scan.fail(f"an int of {len(digits)} digits", end=found.end())
        if digits[0] == "0" and digits.isdigit() and digits.strip("0"):
            scan.fail("an octal int: write it in decimal", end=found.end())
        scan.accept(found[0])
        return int(digits, 16 if digits[:2] in ("0x", "0X") else 10)

    def constant(self) -> int:
        """A template argument that is an int: ``16``, ``-16``, ``16u``, ``(int)16``."""
        scan, start = self.scan, self.scan.at
        if scan.accept("("):
            cast = self.integer_type()
            if cast is None:
                value = self.constant()
                scan.expect(")")
                return value
            scan.expect(")", "after the type")
            return int(self.cast(self.constant(), cast, start))
        if scan.accept("-"):
            return -self.constant()
        if not scan.peek().isdigit():
            scan.fail(f"expected an int, found {self.shown()}")
        return self.number()

    def integral_constant(self) -> Any:
        scan, start = self.scan, self.scan.at
        scan.expect("<")
        name = self.integer_type()
        if name is None:
            scan.fail(f"expected an integer type, found {self.shown()}")
        scan.expect(",")
        value = self.cast(self.constant(), name, start)
        scan.expect(">")
        return Int(value)

    def integer_type(self) -> str | None:
        """Pass the name of an integer type, if one comes next."""
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

    # --- what is done with ints ---

    def cast(self, value: Any, to: str, start: int) -> Any:
        """An int made dynamic, checked to be of the type."""
        if not isinstance(value, (int, Expr)):
            self.scan.fail(f"expected an int to make {to} of", start, self.scan.last)
        if isinstance(value, int):
            if is_unsigned(to) and value < 0:
                self.scan.fail(f"{value:d} is no {to}", start, self.scan.last)
            return int(value)
        return value

    def computed(self, sign: str, a: Any, b: Any, start: int) -> Any:
        """``a sign b``, as C++ computes it on ints without overflow."""
        if not all(isinstance(x, (int, Expr)) for x in (a, b)):
            self.scan.fail(f"{sign!r} stands between ints", start, self.scan.last)
        if sign in "+-*":
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        if known_eq(b, 0) is True:
            self.scan.fail("a division by 0", start, self.scan.last)
        if known_lt(a, 0) is False and known_lt(0, b) is True:  # C++ rounds towards zero
            return a // b if sign == "/" else a % b
        if isinstance(a, int) and isinstance(b, int):
            quotient = abs(a) // abs(b)
            quotient = quotient if (a < 0) == (b < 0) else -quotient
            return quotient if sign == "/" else a - b * quotient
        raise UndecidedError(
            f"cannot tell which way {self.scan.text[start : self.scan.last]} is rounded",
            "C++ rounds towards zero, which is down where both sides are known not to be negative.",
        )
