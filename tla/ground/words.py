# SPDX-License-Identifier: Apache-2.0
"""Words in texts for errors: the nearest names, and a text cut short."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def near_words(word: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return up to three words that a misspelt one may mean, the nearest first.

    >>> near_words("haf", ["half", "float"])
    ['half']
    """
    from difflib import get_close_matches  # only an error needs it

    return get_close_matches(shortened(word), list(known), 3, cutoff)


def did_you_mean(near: Iterable[str], known: Iterable[str]) -> str:
    """Return the sentence of an error that suggests the near words, or lists all known ones.

    >>> did_you_mean(["zN", "zZ"], []), did_you_mean([], ["half", "float"])
    ('Did you mean zN or zZ?', 'Known: half, float.')
    """
    words = " or ".join(near)
    return f"Did you mean {words}?" if words else f"Known: {', '.join(known)}."


def plural(count: int, word: str) -> str:
    """Return a count of things in words.

    >>> plural(1, "buffer"), plural(2, "copy"), plural(0, "array")
    ('1 buffer', '2 copies', '0 arrays')
    """
    if count == 1:
        return f"1 {word}"
    if word[-1] == "y" and word[-2] not in "aeiou":
        return f"{count} {word[:-1]}ies"
    return f"{count} {word}s"


def shortened(text: str, limit: int = 40) -> str:
    """Return a text cut to a length that an error can carry.

    >>> shortened("x" * 100, 10)
    'xxxxxxx...'
    """
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def described(x: object) -> str:
    """Return the type and the repr of a value of any kind, short enough for an error.

    >>> described(None), described([1] * 100)
    ('NoneType None', 'list [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...')
    """
    return f"{type(x).__name__} {shown(x)}"


def shown(x: object) -> str:
    """Return the repr of a value of any kind, short enough for an error.

    >>> shown("x"), shown([1] * 100)
    ("'x'", '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...')
    """
    try:
        return shortened(" ".join((repr(x) if _has_few_parts(x) else _start_of(x)).split()))
    except RecursionError:
        return "nested too deeply to print"
    except Exception:  # an int of too many digits, or an object that refuses
        return "that cannot be printed"


# Types that tell a checker nothing.
_TUPLE: Any = tuple
_LIST: Any = list
_DICT: Any = dict
_CONTAINERS: Any = (tuple, list, dict, set, frozenset)


def _has_few_parts(x: object) -> bool:
    """Whether a value has at most 100 parts; shared ones, which its repr has as often, count again."""
    todo: list[Any] = [x]
    for part in todo:
        if isinstance(part, _CONTAINERS):
            todo += islice(part.items() if isinstance(part, _DICT) else part, 100)
            if len(todo) > 100:
                return False
    return True


def _start_of(x: Any, room: int = 200) -> str:
    """How the repr of a value of many parts starts."""
    if not isinstance(x, _CONTAINERS):
        return repr(x)
    opening, closing = "()" if isinstance(x, _TUPLE) else "[]" if isinstance(x, _LIST) else "{}"
    parts: list[str] = []
    for part in x:
        room -= 2
        if room <= 0:
            break
        value = f": {_start_of(x[part], room)}" if isinstance(x, _DICT) else ""
        parts.append(f"{_start_of(part, room)}{value}")
        room -= len(parts[-1])
    end = "" if len(parts) < len(x) else f",{closing}" if opening == "(" and len(x) == 1 else closing
    return f"{opening}{', '.join(parts)}{end}"
