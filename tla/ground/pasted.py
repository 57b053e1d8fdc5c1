# SPDX-License-Identifier: Apache-2.0
"""Signs that pages print in place of those one types, such as ``∗`` for ``*``: read, and never printed.

>>> typed("T(∗,2) d0 − 1 “neg” ‹x›")
'T(*,2) d0 - 1 "neg" <x>'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from ..errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")

_SIGNS: Final = {
    sign: plain
    for plain, signs in {
        "*": "∗⁎∙⋅·×",
        "-": "‐‑‒–—―−",
        '"': "“”„‟«»",
        "'": "‘’‚‛′",
        "<": "‹⟨〈",
        ">": "›⟩〉",
        " ": "\u00a0\u2002\u2003\u2009\u200a\u200b\u200e\u200f\u202f\u3000\ufeff",
    }.items()
    for sign in signs
}
_SIGNS.update({chr(0xFEE0 + ord(plain)): plain for plain in map(chr, range(0x21, 0x7F))})  # wide ones
_TABLE: Final = str.maketrans(_SIGNS)
_STRING: Final = re.compile(r'("(?:[^"\\]|\\.)*")', re.S)


def typed(text: str, times: str = "*") -> str:
    """Return a text with the signs that are typed, each in its place. Strings in quotes stay.

    Args:
        times: What ``×`` means: in HLO it is ``x``, as in ``size=3x3``.
    """
    parts = _STRING.split(text)
    parts[::2] = (part.replace("×", times).translate(_TABLE) for part in parts[::2])
    return "".join(parts)


def read_typed(reader: Callable[..., R], text: str, *arguments: object, times: str = "*") -> R:
    """Return what a reader makes of a text, or else of the text as it is typed.

    An error points into the text as it was pasted, and says which sign is meant.
    """
    try:
        return reader(text, *arguments)
    except ParseError:
        if text.isascii() or text == (plain := typed(text, times)):
            raise
    try:
        return reader(plain, *arguments)
    except ParseError as error:
        if error.text == plain:
            signs = {s: f"{s!r} is read as {p!r}." for s, p in zip(text, plain, strict=True) if s != p}
            error.text = text
            error.args = (error.summary, text, error.start, error.end, *error.details, *signs.values())
        raise
