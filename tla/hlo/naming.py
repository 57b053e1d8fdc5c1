# SPDX-License-Identifier: Apache-2.0
"""Values by their names, and the names most like a missing one."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from ..errors import TlaError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

V = TypeVar("V")


class NoSuchNameError(TlaError, KeyError):
    """A module has no computation of a name, or a computation has no instruction of a name."""

    def __str__(self) -> str:
        return TlaError.__str__(self)


def value_named(by_name: Mapping[str, V], name: str, what: str, where: str) -> V:
    """Return the value of a name, with its ``%`` or without.

    Raises:
        NoSuchNameError: no value has the name; the error lists ``near`` names.
    """
    bare = name.removeprefix("%")
    if bare in by_name:
        return by_name[bare]
    near = near_names(bare, by_name)
    few = len(by_name) <= _LISTED
    known = f"Known: {', '.join(by_name)}." if few else f"It has {len(by_name)} names."
    hint = near_hint(near) or [known]
    raise NoSuchNameError(f"{where} has no {what} {bare}", *hint, name=bare, near=near)


def near_hint(near: Collection[str]) -> list[str]:
    """Return the line of an error that lists near names; no line if there are none."""
    return [f"Near names: {', '.join(near)}."] if near else []


_MOST_COMPARED = 2000
_LONGEST_NAME = 200
_LISTED = 8
"""The comparison of two names is slow, so longer names, and more names, are not compared."""


def near_names(name: str, names: Collection[str]) -> tuple[str, ...]:
    """The names most like a missing one, the most like first."""
    from difflib import get_close_matches  # only errors need it

    if len(name) > _LONGEST_NAME:
        return ()
    likely = iter(names)
    if len(names) > _MOST_COMPARED:
        likely = (each for each in names if each[:3] == name[:3])
    return tuple(get_close_matches(name, list(islice(likely, _MOST_COMPARED)), 3))
