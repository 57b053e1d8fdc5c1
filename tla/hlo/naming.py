"""Values by their names, and the names most like one that is not there."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ..errors import TlaError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

V = TypeVar("V")


class NoSuchNameError(TlaError, KeyError):
    """A module has no computation, or a computation no instruction, of that name."""

    def __str__(self) -> str:
        return TlaError.__str__(self)


def value_named(named: Mapping[str, V], name: str, what: str, where: str) -> V:
    """Return the value of a name, with its ``%`` or without.

    Raises:
        NoSuchNameError: there is none; the error lists ``near`` names.
    """
    bare = name.removeprefix("%")
    if bare in named:
        return named[bare]
    near = near_names(bare, named)
    hint = near_hint(near) or [f"It has {len(named)} names."]
    raise NoSuchNameError(f"{where} has no {what} {bare}", *hint, name=bare, near=near)


def near_hint(near: Collection[str]) -> list[str]:
    """Return the line of an error that lists near names; no line without them."""
    return [f"Near names: {', '.join(near)}."] if near else []


_MOST_COMPARED = 2000
_LONGEST_NAME = 200
"""To compare two names takes a while: more names, and longer ones, are not compared."""


def near_names(name: str, names: Collection[str]) -> tuple[str, ...]:
    """The names most like one that was asked for, the most like first."""
    from difflib import get_close_matches  # where something is wrong already

    if len(name) > _LONGEST_NAME:
        return ()
    likely = iter(names)
    if len(names) > _MOST_COMPARED:  # to compare two names takes a while
        likely = (each for each in names if each[:3] == name[:3])
    return tuple(get_close_matches(name, list(islice(likely, _MOST_COMPARED)), 3))
