# SPDX-License-Identifier: Apache-2.0
"""The scanner of the notations of layouts, shapes, tags, expressions and C++ types: a text and a place.

A grammar is a set of functions over a `Scanner`. A function passes an optional token with `accept`, and
demands a token with `expect`. An error points at the character where the text differs.

HLO (`tla.hlo.grammar`) has productions of its own: its text comes in pieces, has millions of lines, and
is matched by patterns. So have out-of-memory reports (`tla.memory.oom`), which are lines of a log.
"""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Final, NoReturn

from ..errors import KindError, LimitError, ParseError
from .limits import limit_of, most_digits, way_out
from .words import described

END: Final = "end of text"


class Scanner:
    """A text and the place reached in it. Blanks between tokens are skipped.

    Args:
        comments: Skip ``/* ... */`` and ``// ...`` as well.
        start: Where to begin in the text.

    Attributes:
        operations: Words of the notation that take arguments, and so can name nothing else;
            `call_at` has their values.
        at: Where the next token starts.
        last: Where the token before it ended.
    """

    __slots__ = ("at", "comments", "last", "text")

    operations: ClassVar[frozenset[str]] = frozenset()

    text: str
    comments: bool
    at: int
    last: int

    def __init__(self, text: str, comments: bool = False, start: int = 0) -> None:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise KindError(f"expected a text, got {described(text)}", value=text)
        self.text = text
        self.comments = comments
        self.pass_to(start)

    def pass_to(self, at: int) -> None:
        """Move behind a token that ends at ``at``, and past the blanks that follow it."""
        self.last = at
        text = self.text
        while at < len(text):
            if text[at] in " \t\r\n":
                at += 1
            elif self.comments and text.startswith("/*", at) and text.find("*/", at + 2) >= 0:
                at = text.find("*/", at + 2) + 2
            elif self.comments and text.startswith("//", at):
                stop = text.find("\n", at)
                at = len(text) if stop < 0 else stop
            else:
                break
        self.at = at

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    def peek(self) -> str:
        """The next character, or "" at the end."""
        return self.text[self.at] if self.at < len(self.text) else ""

    def accept(self, token: str) -> bool:
        """Pass ``token`` if it comes next."""
        if not self.text.startswith(token, self.at):
            return False
        self.pass_to(self.at + len(token))
        return True

    def expect(self, token: str, why: str = "") -> None:
        """Pass ``token``, which must come next; ``why`` ends the sentence of the error."""
        if not self.accept(token):
            self.fail(f"expected {token!r}{f' {why}' if why else ''}, found {self.found()}")

    def expect_end(self) -> None:
        """Require the end of the text."""
        if not self.done:
            self.fail(f"expected the {END}, found {self.found()}", end=len(self.text))

    def integer(self, what: str) -> int:
        """Pass an integer, which must come next; ``what`` names it in the error."""
        start = stop = self.at
        if self.text.startswith("-", stop):
            stop += 1
        first = stop
        while stop < len(self.text) and self.text[stop] in "0123456789":
            stop += 1
        if stop == first:
            self.fail(f"expected {what}, found {self.found()}")
        if stop - first > most_digits():
            raise too_long_in(self.text, start, stop, stop - first)
        self.pass_to(stop)
        return int(self.text[start:stop])

    def word(self, more: str = "_") -> str:
        """Pass a run of letters, digits and characters of ``more``, which may be empty."""
        start = stop = self.at
        while stop < len(self.text) and (self.text[stop].isalnum() or self.text[stop] in more):
            stop += 1
        self.pass_to(stop)
        return self.text[start:stop]

    def found(self) -> str:
        """The next token, in words for an error."""
        next_ = self.peek()
        if "\udc80" <= next_ <= "\udcff":  # how Python holds a byte of an argument that is no text
            return f"the byte \\x{ord(next_) - 0xDC00:02x}, which is not UTF-8"
        return repr(next_) if next_ else f"the {END}"

    def fail_unclosed(self, opened: int, close: str, found: str = "") -> NoReturn:
        """Raise a `ParseError`: neither a comma nor the end of the bracket at ``opened`` comes next."""
        column = opened - self.text.rfind("\n", 0, opened)
        line = self.text.count("\n", 0, opened) + 1
        here = line == self.text.count("\n", 0, self.at) + 1
        bracket = f"{self.text[opened]!r} in {f'column {column}' if here else f'line {line}'}"
        self.fail(f"expected ',' or {close!r} of the {bracket}, found {found or self.found()}")

    def typed_at(self) -> Any:
        """Pass an int with its type, as ``int{2}`` in C++, and return it; None if none comes next."""
        return None

    def call_at(self, start: int, name: str, room: int) -> Any:
        """Pass the arguments of an operation, and return its value; its name began at ``start``."""
        self.fail(f"{name} is an operation: it takes arguments", start, start + len(name))

    def fail(
        self, summary: str, start: int | None = None, end: int | None = None, *details: str
    ) -> NoReturn:
        """Raise a `ParseError` at the place reached, or at a span given."""
        begin = self.at if start is None else start
        raise ParseError(summary, self.text, begin, end, *details)


def too_long_in(text: str, start: int, end: int, digits: int) -> ParseError:
    """Return the error of an int with more digits than are read."""
    summary = f"an int of {digits} digits; at most {most_digits()} are read"
    ways = [way_out("digits", digits)] if digits > limit_of("digits") else []
    own = sys.get_int_max_str_digits()
    if own and digits > own:
        ways.append(f"Python's own limit is {own}: sys.set_int_max_str_digits raises that.")
    return ParseError(summary, text, start, end, *ways)


def int_in(digits: str) -> int:
    """Return the int that digits write; refuse more digits than Python reads.

    >>> int_in("12")
    12
    """
    try:
        return int(digits)
    except ValueError as error:
        raise refused_digits(error) from None


def refused_digits(error: ValueError) -> Exception:
    """Return the error of the library for an int of too many digits; another error as it is.

    Python does not convert longer ints to text and back, since that would take long.
    """
    if type(error) is not ValueError or "integer string conversion" not in str(error):
        return error
    own = sys.get_int_max_str_digits()
    return LimitError(
        f"an int of more than {own} digits is neither read nor written",
        "The limit is Python's own: sys.set_int_max_str_digits raises it.",
        limit="digits",
        most=own,
    )


def written(x: object) -> str:
    """Return the text of a value; refuse an int of too many digits.

    >>> written(12)
    '12'
    """
    try:
        return str(x)
    except ValueError as error:
        raise refused_digits(error) from None
