"""One reader for every notation: what a person pastes is recognised by its first characters.

>>> read("(2,3):(3,1)"), read("f32[2,3]{1,0}")
(Layout((2, 3), (3, 1)), XlaShape('f32', (2, 3), minor_to_major=(1, 0)))
"""

from __future__ import annotations

import re
from typing import Any

from .dtypes import ELEMENT_TYPES
from .errors import ParseError
from .notation import parse
from .text import shortened
from .xla_bridge import parse_shape

__all__ = ["read"]

_CPP = re.compile(r"(const\s+)?(\w+::)*(Layout\s*<|MakeLayout\s*[(<]|make_layout\s*\()")
"""How a C++ type or expression of a layout begins."""


def read(text: str) -> Any:
    """Return the value that a text writes: a `Layout` or int tuple, an `XlaShape` or `XlaTuple`.

    A C++ type or expression of a layout is read as by `from_cpp`; a name is an unknown size.

    >>> print(read("((_16,M/16),K):((1,16),M)"), read("cute::Layout<cute::C<8>, cute::C<2>>"))
    ((_16,M/16),K):((1,16),M) _8:_2

    Raises:
        ParseError: the text is in no notation known; the error points at the character.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected a text, got {type(text).__name__} {text!r}")
    # behind its opening parentheses a layout has an int, a shape the name of its element type
    start = len(text) - len(text.lstrip())
    inside = text[start:].lstrip("( \t\r\n")
    looks_like_a_layout = inside[:1] in tuple("_-0123456789):")
    if "[" in text and not looks_like_a_layout:
        return parse_shape(text)
    if looks_like_a_layout or text.startswith("(", start):
        return parse(text)
    if _CPP.match(text, start):
        from .cpp import from_cpp  # few texts are C++

        return from_cpp(text)
    if ":" in text and inside[:1].isalpha():  # a layout that begins with an unknown
        return parse(text)
    word = inside.split(maxsplit=1)[0] if inside else ""
    found = repr(shortened(word)) if word else "the end of text"
    hints = (
        [f"A shape has dims: {word}[2,3], or {word}[] for a scalar."] if word in ELEMENT_TYPES else []
    )
    raise ParseError(
        f"expected a layout such as (2,3):(3,1) or an XLA shape such as f32[2,3]{{1,0}}, found {found}",
        text,
        start,
        start + max(1, len(word)),
        *hints,
    )
