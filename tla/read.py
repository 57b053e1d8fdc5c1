"""One reader for every notation: what a person pastes is recognised by its first characters.

>>> read("(2,3):(3,1)"), read("f32[2,3]{1,0}")
(Layout((2, 3), (3, 1)), XlaShape('f32', (2, 3), minor_to_major=(1, 0)))
"""

from __future__ import annotations

from typing import Any

from .errors import ParseError
from .notation import parse
from .xla_bridge import parse_shape

__all__ = ["read"]


def read(text: str) -> Any:
    """Return the value that a text writes: a `Layout` or int tuple, an `XlaShape` or `XlaTuple`.

    Raises:
        ParseError: the text is in no notation known; the error points at the character.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected a text, got {type(text).__name__} {text!r}")
    start = len(text) - len(text.lstrip())
    # behind its opening parentheses a layout has an int, a shape the name of its element type
    first = text.lstrip(" \t\r\n(")[:1]
    if first in tuple("_-0123456789)") or (first == "" and text.strip()):
        return parse(text)
    if "[" in text:
        return parse_shape(text)
    found = repr(text[start]) if start < len(text) else "the end of text"
    raise ParseError(
        f"expected a layout such as (2,3):(3,1) or an XLA shape such as f32[2,3]{{1,0}}, found {found}",
        text,
        start,
        len(text.rstrip()) if start < len(text) else None,
    )
