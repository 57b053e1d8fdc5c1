# SPDX-License-Identifier: Apache-2.0
"""The limits: what the library does before it refuses. One table, one context manager, one error.

>>> with limits(places=12):
...     strip_figure(Layout(16))
Traceback (most recent call last):
    ...
tla.errors.LimitError: a figure of 16 places; at most 12 are drawn
  The limit 'places' is 12. `with tla.limits(places=16):` raises it, so does --limit places=16.

`docs/limits.md` has the table. An algorithm asks `limit_of` where it knows how much it would do, and
before it does that.
"""

from __future__ import annotations

import sys
from contextvars import ContextVar, Token
from operator import index
from typing import Any, Final, NamedTuple

from ..errors import ArgumentError, KindError, LimitError
from .words import did_you_mean, near_words, shown


class Limit(NamedTuple):
    """A limit: its default, and what it counts.

    >>> LIMITS["rows"].default, LIMITS["rows"].counts
    (65536, 'rows of a picture')
    """

    default: int
    counts: str


LIMITS: Final[dict[str, Limit]] = {
    "terms": Limit(1 << 16, "factors in the terms of a product that is multiplied out"),
    "cells": Limit(1 << 20, "cells of a picture: rows times columns times slices"),
    "rows": Limit(1 << 16, "rows of a picture"),
    "columns": Limit(1 << 16, "columns of a picture"),
    "slices": Limit(1 << 12, "slices of a picture"),
    "places": Limit(1 << 16, "places of memory in a picture"),
    "characters": Limit(1 << 20, "characters of the text of a symbolic int"),
    "digits": Limit(4300, "digits of an int that is read or written"),
    "nesting": Limit(100, "levels of brackets, tuples and parentheses"),
    "brackets": Limit(1000, "levels of brackets in an instruction of HLO"),
    "calls": Limit(30, "levels of computations of HLO that call each other"),
    "leaves": Limit(1 << 20, "ints of nested tuples; a part counts as often as it occurs"),
    "modes": Limit(1 << 20, "modes that are copies of one"),
    "rank": Limit(1000, "modes that an expression asks for; variables or results of a map"),
    "coordinates": Limit(1 << 22, "coordinates, points or pairs in a list"),
    "offsets": Limit(1 << 28, "places of memory in an array of numpy"),
    "indices": Limit(1 << 16, "indices that are looked at one by one, where no rule decides"),
    "steps": Limit(100_000, "steps of a search over modes"),
    "operations": Limit(5_000_000, "operations of isl for one question"),
    "pieces": Limit(4096, "pieces of a relation"),
    "maps": Limit(1000, "indexing maps of one array"),
    "runs": Limit(10_000, "runs of devices in the groups of a collective op"),
    "groups": Limit(128, "groups of a ragged dot"),
    "devices": Limit(1 << 20, "devices of a collective op"),
    "cases": Limit(64, "cases of an operation on unknown ints"),
    "questions": Limit(2000, "questions that an operation asks about unknown ints"),
    "cores": Limit(4096, "cores of a plan, or of a kernel that runs"),
    "tasks": Limit(1 << 21, "tasks of a schedule that are gone through one by one"),
    "tiles": Limit(10_000, "tiles in a file for the tuner of CATLASS"),
    "instructions": Limit(1 << 21, "instructions that the cores of a kernel issue"),
}
"""Every limit by its name."""

_DEFAULTS: Final = {name: limit.default for name, limit in LIMITS.items()}

_now: Final[ContextVar[dict[str, int]]] = ContextVar("limits", default=_DEFAULTS)


class limits:  # noqa: N801 (a context manager, used as a word)
    """Raise or lower limits meanwhile.

    >>> with limits(rows=100_000, steps=1_000):
    ...     limit_of("rows"), limit_of("steps")
    (100000, 1000)

    It holds for the running thread or task; a new thread starts with the defaults. An inner block
    replaces what it names alone.

    Args:
        given: The new limits by their names, ints from 0 on; `LIMITS` has the names and the defaults.

    Raises:
        KindError: there is no such limit, or it is no such int.
    """

    __slots__ = ("_given", "_tokens")

    def __init__(self, **given: int) -> None:
        for name, n in given.items():
            if name not in LIMITS:
                near = did_you_mean(near_words(name, LIMITS), LIMITS)
                raise KindError(f"there is no limit {name!r}", near, name=name)
            try:
                is_count = not isinstance(n, bool) and index(n) >= 0
            except TypeError:
                is_count = False
            if not is_count:
                raise KindError(f"the limit {name!r} is an int from 0 on, not {shown(n)}", name=name)
        self._given = {name: index(n) for name, n in given.items()}
        self._tokens: list[Token[dict[str, int]]] = []

    def __enter__(self) -> None:
        self._tokens.append(_now.set({**_now.get(), **self._given}))

    def __exit__(self, *_error: object) -> None:
        _now.reset(self._tokens.pop())

    def set(self) -> None:
        """Hold until the block around it ends."""
        _now.set({**_now.get(), **self._given})


def limit_of(name: str) -> int:
    """Return a limit as it is now."""
    return _now.get()[name]


def way_out(name: str, needed: int | None = None) -> str:
    """Return the sentences that name a limit and say how to raise it.

    Args:
        needed: What would do; without it twice the limit is proposed.
    """
    most = limit_of(name)
    is_known = isinstance(needed, int) and not is_too_long(needed)  # a symbolic int may be asked for
    more = f"{name}={needed if is_known else 2 * most or 1}"
    return f"The limit {name!r} is {most}. `with tla.limits({more}):` raises it, so does --limit {more}."


def limit_error(
    name: str,
    summary: str,
    *details: str,
    needed: int | None = None,
    argument: int | None = None,
    **data: Any,
) -> LimitError:
    """Return the error of a request beyond a limit.

    Args:
        summary: What was asked, and the limit.
        details: What else to say, before the way out.
        needed: What would do, if that is known.
        argument: The limit that the caller gave in place of that of the table.
    """
    if argument is not None and argument < 0:
        raise ArgumentError(f"a limit is an int from 0 on, not {argument}", value=argument)
    most = limit_of(name) if argument is None else argument
    way = way_out(name, needed) if argument is None else f"The argument {most} sets the limit."
    return LimitError(summary, *details, way, limit=name, most=most, **data)


MAX_DEPTH: Final = LIMITS["nesting"].default
"""The levels of nesting that need no look at the limit."""


SMALL: Final = 1 << 16
"""The lengths of tuples inside each other, each plus 1, multiplied: up to here no leaf is counted."""

LEVELS: Final = 8
"""The levels that a quick walk takes. Deeper tuples, whose parts may be shared, are left to the general
walk, which counts their leaves."""

WIDE: Final = 64
"""A mode of so many modes is left to the general walk too: it may be shared."""


def is_too_deep(room: int) -> bool:
    """Whether no level of nesting is left, where ``room`` of `MAX_DEPTH` levels are left."""
    return MAX_DEPTH - room >= limit_of("nesting")


def most_digits() -> int:
    """Return the most digits of an int that is read: the limit, or that of Python if it is lower."""
    return min(limit_of("digits"), sys.get_int_max_str_digits() or limit_of("digits"))


def is_too_long(n: int) -> bool:
    """Whether an int has more digits than are read."""
    most = most_digits()
    return n.bit_length() > 3 * most and abs(n) >= 10**most
