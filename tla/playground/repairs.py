# SPDX-License-Identifier: Apache-2.0
"""Repairs of what is refused: the way out that an error names, as arguments that work.

>>> from tla.playground.views import VIEWS
>>> view, texts = VIEWS["composition"], ["(4,4):(16,1)", "6:1"]
>>> try:
...     view.show(texts)
... except TlaError as error:
...     print(*repairs(error, view, texts, None), sep="\\n")
Repair(argument=1, text='4:1')
Repair(argument=1, text='8:1')

Each repair was tried: with it the view shows something. No other change is offered than one that the
error names, and so a refusal may have none.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ParseError, TlaError
from .views import ReadingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .views import View

_MOST: Final = 3
"""The most repairs that are offered."""


class Repair(NamedTuple):
    """An argument by its number, and the text to put there.

    >>> Repair(0, "(2,3):(3,1)").text
    '(2,3):(3,1)'
    """

    argument: int
    text: str


def repairs(error: TlaError, view: View, texts: list[str], number: int | None) -> list[Repair]:
    """Return the repairs that an error of a view names.

    Args:
        number: The argument that could not be read; None if all could.
    """
    found: list[Repair] = []
    fields = view.fields
    for repair in _named(error, texts, number):
        if repair in found or texts[repair.argument] == repair.text or fields[repair.argument].choices:
            continue
        changed = [*texts[: repair.argument], repair.text, *texts[repair.argument + 1 :]]
        with suppress(TlaError, ReadingError):
            view.show(changed)
            found.append(repair)
        if len(found) == _MOST:
            break
    return found


def _named(error: TlaError, texts: list[str], number: int | None) -> Iterator[Repair]:
    """The changes that the sentences of an error name, one by one."""
    places = range(len(texts)) if number is None else [number]
    for sentence in (error.summary, *error.details):
        if isinstance(error, ParseError) and number is not None:
            for word in _words(sentence):
                begin, end = error.start, error.end
                if error.text == texts[number]:
                    yield Repair(number, texts[number][:begin] + word + texts[number][end:])
        for text in _notations(sentence):
            for place in places:
                yield Repair(place, text)
        for new, old in _IN_PLACE.findall(sentence):
            for place in places:
                for changed in _with_number(texts[place], old, [new]):
                    yield Repair(place, changed)
        if sizes := _SIZES.search(sentence):
            wanted = re.findall("[0-9]+", sizes[0])
            for old in _extents(error):
                for place in reversed(places):
                    for changed in _with_number(texts[place], old, wanted):
                        yield Repair(place, changed)


_DID_YOU_MEAN: Final = re.compile(r"[Dd]id you mean ([^?]+)\?")
_WRITE: Final = re.compile(r"(?:Write|it would be|it is) (?=(\S.*?)\.?$)")
_IN_PLACE: Final = re.compile(r"of (?:at least )?([0-9]+) in place of ([0-9]+)")
_SIZES: Final = re.compile(r"^A (?:mode|tile) of (?:size )?[0-9]+(?: or [0-9]+)*")


def _words(sentence: str) -> list[str]:
    """The words that a sentence asks whether they were meant."""
    asked = _DID_YOU_MEAN.search(sentence)
    return asked[1].split(" or ") if asked else []


def _notations(sentence: str) -> list[str]:
    """The layouts, or other texts of a notation, that a sentence says to write."""
    return [found[1].strip("'") for found in _WRITE.finditer(sentence)]


def _extents(error: TlaError) -> list[str]:
    """The sizes of the modes that an error speaks of."""
    return re.findall(r"\b([0-9]+):[0-9]+", " ".join(error.details))


def _with_number(text: str, old: str, new: list[str]) -> Iterator[str]:
    """A text with one of its numbers replaced by others."""
    for place in re.finditer(rf"(?<![0-9A-Za-z]){old}(?![0-9A-Za-z])", text):
        for number in new:
            yield text[: place.start()] + number + text[place.end() :]
