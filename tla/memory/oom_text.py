r"""The lines of a log that may hold out-of-memory reports: taken out of strings, told apart by prefix.

>>> [line for _number, line, _ended in lines("a\r\n'Used 2.0K\\n  1. Size: 1.0K\\n'\n") if line]
['a', 'Used 2.0K', '  1. Size: 1.0K']

Logs keep a report as it was printed, as a string literal (``repr``, JSON) on one line, or with the lines
of several processes between each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# A line feed written as an escape, before words that start a line of a report, or in a line that starts
# as a string or a JSON object does. Other lines may hold such escapes too: the names of operators do.
_WRAPPED: Final = re.compile(
    r"\s*(?:b?['\"]|\{).*\\n"
    r"|.*\\n\s*(?:Total \w+ usage|Program \w+ req|Output size|Largest program|\d+\. Size: "
    r"|Operator: |Shape: |Unpadded size: |Extra memory|XLA label: |Allocation type: |={10})"
)
_QUOTE: Final = re.compile(r"['\"]")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))")
_ESCAPED: Final = {"n": "\n", "r": "\n", "t": "\t"}


def lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Give the lines of a text, each with its number from 1, and whether it ends before the text does.

    Lines out of a string literal have the number of the line with the literal. A carriage return ends a
    line; it counts as one only in a text without line feeds.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")
    split = text.split("\n")
    plain = "\r" not in text and "\\n" not in text
    for number, line in enumerate(split, 1):
        ended = number < len(split)
        if plain:
            yield number, line, ended
            continue
        pieces = [piece for part in line.split("\r") for piece in _unwrapped(part)]
        for i, piece in enumerate(pieces, 1):
            yield number, piece, ended or i < len(pieces)


def _unwrapped(line: str) -> list[str]:
    """The lines inside the string literals of a line, as often as they are nested; or the line."""
    out: list[str] = []
    left = [line]
    while left:
        piece = left.pop()
        if "\\n" not in piece or _WRAPPED.match(piece) is None:
            out.append(piece)
            continue
        left += reversed(_unescaped(piece).split("\n"))  # each is shorter: this ends
    return out


def _unescaped(line: str) -> str:
    """A line with its escapes read, and the quotes that hold the first one as line ends."""
    quote = _QUOTE.search(line, 0, line.index("\\n"))
    pattern = _ESCAPE if quote is None else re.compile(f"{_ESCAPE.pattern}|{quote[0]}")
    return pattern.sub(_character, line)


def _character(match: re.Match[str]) -> str:
    code, letter = match[1] or match[2], match[3]
    if code is not None:
        return chr(int(code, 16))
    return "\n" if letter is None else _ESCAPED.get(letter, letter)


# What changes from line to line in the prefix of one process: dates, times, places in its source.
_MOMENT: Final = re.compile(
    r"\d{4}[-/]\d\d[-/]\d\d[T ]?|\b[IWEF]\d{4}\b|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d+\.\d+|\d{9,}|(?<=\.cc:)\d+|(?<=\.py:)\d+"
)


def stream_key(prefix: str) -> str:
    """Return the key of the process that wrote a line: its prefix without the time.

    >>> stream_key("2021-07-30 11:02:33.12: [rank1]: "), stream_key("E0503 12:01:02.5 77 a.cc:80]")
    (': [rank1]:', '77 a.cc:]')
    """
    return " ".join(_MOMENT.sub("", prefix).split())


def stream_of(prefix: str, keys: set[str]) -> str:
    """Return the longest key that a prefix starts with."""
    whole = stream_key(prefix)
    return max((key for key in keys if whole.startswith(key)), key=len, default="")
