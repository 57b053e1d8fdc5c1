# SPDX-License-Identifier: Apache-2.0
"""The text of a reader: whole, or in pieces, of which it keeps one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ParseError
from .lexing import UnclosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

_PIECE = 1 << 16


class Source:
    """A text and the current place in it.

    Args:
        text: The text, or its beginning.
        pieces: The rest of it, cut anywhere.

    Attributes:
        text: The current part: whole lines, up to the end of the whole text.
        at: The current place in that part.
    """

    __slots__ = ("_ended", "_first_line", "_line", "_marked", "_pieces", "_tail", "at", "text")

    text: str
    at: int

    def __init__(self, text: str = "", pieces: Iterable[str] = ()) -> None:
        self.text = text
        self.at = 0
        self._pieces = iter(pieces)
        self._tail = ""
        self._ended = False
        self._first_line = self._line = 1
        self._marked = 0

    @property
    def first_line(self) -> int:
        """The number of the first line of the current part, counted from 1."""
        return self._first_line

    def line(self, at: int) -> int:
        """The number of the line of a place; it is fast near the place of the last call."""
        self._line += self.text.count("\n", self._marked, at) - self.text.count("\n", at, self._marked)
        self._marked = at
        return self._line

    def more(self) -> bool:
        """Add more whole lines to the current part, and drop the old ones; False at the end."""
        if self._ended:
            return False
        begin = self.text.rfind("\n", 0, self.at) + 1  # whole lines, so that columns are right
        rest = self.text[begin:]
        parts, size = [self._tail], 0
        least = max(_PIECE, len(rest))  # so that each text is joined only a few times
        try:
            for piece in self._pieces:
                parts.append(piece)
                size += len(piece)
                if size >= least and "\n" in piece:
                    break
            else:
                self._ended = True
        except UnicodeDecodeError as error:
            self._ended = True
            raise ParseError(
                f"the text is no UTF-8 here or in the lines that follow: {error.reason}",
                self.text,
                len(self.text),
            ) from None
        new = "".join(parts)
        cut = len(new) if self._ended else new.rfind("\n") + 1
        new, self._tail = new[:cut], new[cut:]
        if not new:
            return False
        self._first_line = self.line(begin)
        self.text, self.at, self._marked = rest + new, self.at - begin, 0
        return True

    def step(self, production: Callable[[int], tuple[T, int]]) -> T:
        """Run a production at the current place, and go to the place after its text.

        If it meets the end of the current part, it runs again with more text.
        """
        while True:
            try:
                value, end = production(self.at)
            except ParseError as error:
                if (isinstance(error, UnclosedError) or self._is_open(error.start)) and self.more():
                    continue
                raise
            if self._is_open(end) and self.more():
                continue
            self.at = end
            return value

    def _is_open(self, at: int) -> bool:
        """Whether the current part ends at a place, or has a comment from there on."""
        return at >= len(self.text) or self.text.startswith("/*", at)
