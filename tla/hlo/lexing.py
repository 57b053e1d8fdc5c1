# SPDX-License-Identifier: Apache-2.0
"""The words of HLO text: names, blanks and comments, strings, pairs of brackets.

Every pattern is possessive, so that no text makes it backtrack.

>>> end_of_brackets('{"a":["}"]}, next', 0)
11
>>> unescaped(r'"p[\\'q\\']"')
"p['q']"

Source: hlo_lexer.cc.
"""

from __future__ import annotations

import re
from typing import Final

from ..errors import ParseError
from ..ground import limit_of, way_out

BLANK: Final = r"(?:[ \t\r\n]++|/\*(?s:.*?)\*/|//[^\n]*+)*+"
"""Blanks and comments between two words."""

NAME: Final = r"[A-Za-z_][A-Za-z0-9_.-]*+"
DEFINED: Final = rf"(?:%|(?!(?:ROOT|ENTRY|HloModule)(?![A-Za-z0-9_.-])))({NAME})"
"""A name at its definition, as a group. A keyword can be a name only after a %."""

STRING: Final = r"""(?:"(?:[^"\\]|\\(?s:.))*+"|'(?:[^'\\]|\\(?s:.))*+')"""

_STOP = re.compile(rf'{STRING}|/\*(?s:.*?)\*/|//[^\n]*+|/\*|[()\[\]{{}}"\']')
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9A-Fa-f]{1,2})|(.))", re.S)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class UnclosedError(ParseError):
    """An error at the end of the text, such as an open bracket: more text might mend it."""


def end_of_brackets(text: str, start: int) -> int:
    """Return the index after the bracket that closes the one at ``start``.

    Raises:
        ParseError: a bracket of another kind closes one, or the nesting is too deep.
        UnclosedError: the text ends first.
    """
    closers = [_CLOSER[text[start]]]
    openings, most = [start], limit_of("brackets")
    for stop in _STOP.finditer(text, start + 1):
        sign = stop[0]
        if sign in _CLOSER:
            closers.append(_CLOSER[sign])
            openings.append(stop.start())
            if len(openings) > most:
                summary, at = f"brackets deeper than {most} levels", stop.start()
                raise ParseError(summary, text, at, at + 1, way_out("brackets"))
        elif sign == closers[-1]:
            closers.pop()
            openings.pop()
            if not closers:
                return stop.end()
        elif sign in ")]}":
            at = stop.start()
            raise ParseError(f"expected {closers[-1]!r}, found {sign!r}", text, at, at + 1)
        elif sign == "/*":
            raise UnclosedError("a comment that is not closed", text, stop.start(), stop.end())
        elif sign in "\"'":
            raise UnclosedError("a string that is not closed", text, stop.start(), stop.end())
    raise UnclosedError(f"{text[openings[-1]]!r} is not closed", text, openings[-1], openings[-1] + 1)


def unescaped(quoted: str) -> str:
    """Return the content of a string in quotes, without C's escapes.

    Bytes that are no UTF-8 become ``\\x..``, escaped or not.
    """
    inside = quoted[1:-1]
    if "\\" not in inside and inside.isascii():
        return inside
    raw = _ESCAPE.sub(_resolve, inside.encode("utf-8", "surrogatepass"))
    return raw.decode("utf-8", "backslashreplace")


def _resolve(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, letter = match.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 255])
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    return _LETTERS.get(letter, letter)


def escaped(text: str | bytes) -> str:
    r"""Return a text, or bytes that may be none, in quotes, with the escapes that XLA prints.

    >>> print(escaped("p['q']"))
    "p[\'q\']"
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return '"' + "".join(map(_ESCAPES.__getitem__, data)) + '"'


_ESCAPES = [chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in range(256)]
for _byte, _text in ((10, "n"), (13, "r"), (9, "t"), (34, '"'), (39, "'"), (92, "\\")):
    _ESCAPES[_byte] = f"\\{_text}"
