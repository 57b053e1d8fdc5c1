"""The text that is read: whole, or in pieces of which only the one in hand is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..errors import ParseError
from .lexing import UnclosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

_PIECE = 1 << 16


class Source:
    """A text and the place reached in it.

    Args:
        text: The text, or its beginning.
        pieces: The rest of it, cut anywhere.

    Attributes:
        text: The part in hand: whole lines, the last one to where the whole text ends.
        at: The place reached in that part.
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
        """The number of the line that the part in hand begins in, counted from 1."""
        return self._first_line

    def line(self, at: int) -> int:
        """The number of the line of a place; quick where it is near the one asked for last."""
        self._line += self.text.count("\n", self._marked, at) - self.text.count("\n", at, self._marked)
        self._marked = at
        return self._line

    def more(self) -> bool:
        """Take in more whole lines, and drop those behind; False at the end of the text."""
        if self._ended:
            return False
        begin = self.text.rfind("\n", 0, self.at) + 1  # whole lines, so that columns are right
        kept = self.text[begin:]
        parts, size = [self._tail], 0
        wanted = max(_PIECE, len(kept))  # no text is joined over and over
        try:
            for piece in self._pieces:
                parts.append(piece)
                size += len(piece)
                if size >= wanted and "\n" in piece:
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
        self.text, self.at, self._marked = kept + new, self.at - begin, 0
        return True

    def step(self, production: Callable[[int], tuple[T, int]]) -> T:
        """Run a production at the place reached, and go behind what it read.

        Where it meets the end of the part in hand it runs again with more.
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
        """Whether the part in hand ends at a place, or in a comment that begins there."""
        return at >= len(self.text) or self.text.startswith("/*", at)
