# SPDX-License-Identifier: Apache-2.0
r"""The lines of a log with out-of-memory reports: also those inside strings, separated by prefix.

>>> [line for _number, line, _ended in lines("a\r\n'Used 2.0K\\n  1. Size: 1.0K\\n'\n") if line]
['a', 'Used 2.0K', '  1. Size: 1.0K']

A log has a report as plain text, as a string literal (``repr``, JSON) on one line, or with lines of
several processes mixed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

# An escape of a line feed, before words that start a line of a report, or in a line that starts as a
# string or a JSON object. Other lines may have such escapes too, as in the names of operators.
_WRAPPED: Final = re.compile(
    r"\s*(?:b?['\"]|\{).*\\n"
    r"|.*\\n\s*(?:Total \w+ usage|Program \w+ req|Output size|Largest program|\d+\. Size: "
    r"|Operator: |Shape: |Unpadded size: |Extra memory|XLA label: |Allocation type: |={10})"
)
_QUOTE: Final = re.compile(r"['\"]")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))")
_ESCAPED: Final = {"n": "\n", "r": "\n", "t": "\t"}


def lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the lines of a text, each with its number from 1, and whether the text goes on after it.

    Lines inside a string literal have the number of the line with the literal. A carriage return ends a
    line, but it starts a new number only in a text without line feeds.
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
        pieces = [piece for part in line.split("\r") for piece in _inner_lines(part)]
        for i, piece in enumerate(pieces, 1):
            yield number, piece, ended or i < len(pieces)


def _inner_lines(line: str) -> list[str]:
    """The lines inside the string literals of a line, at any depth, or the line itself."""
    out: list[str] = []
    left = [line]
    while left:
        piece = left.pop()
        if "\\n" not in piece or _WRAPPED.match(piece) is None:
            out.append(piece)
            continue
        left += reversed(_unescape(piece).split("\n"))  # each one is shorter, so this ends
    return out


def _unescape(line: str) -> str:
    """A line without escapes, and with line ends for the quotes around the first escape."""
    quote = _QUOTE.search(line, 0, line.index("\\n"))
    pattern = _ESCAPE if quote is None else re.compile(f"{_ESCAPE.pattern}|{quote[0]}")
    return pattern.sub(_character, line)


def _character(match: re.Match[str]) -> str:
    code, letter = match[1] or match[2], match[3]
    if code is not None:
        return chr(int(code, 16))
    return "\n" if letter is None else _ESCAPED.get(letter, letter)


# The parts of the prefix of one process that change: dates, times, places in its source.
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
