# SPDX-License-Identifier: Apache-2.0
"""Instructions as data: a catalogue of records, found by the names that CuTe gives.

A family of instructions is one pattern. A pattern is a name with choices. ``{m:64,128}`` is one of the
listed texts and is called m, and ``{8..256..8}`` counts as a shell does. ``{K;MN}`` accepts MN but does
not list it, ``#`` is any number, and ``[...]`` may be absent.

>>> len(list(names_of("SM80_{16x8x8,16x8x16}_{t:F16F16F16F16,F32F16F16F32}_TN")))
4
>>> found = matcher("SM90_64x{n:8..256..8}x16_F16F16F16_SS[<GMMA::Major::{K;MN}>]")
>>> found("SM90_64x24x16_F16F16F16_SS<Major::MN>"), found("SM90_64x25x16_F16F16F16_SS")
({'n': 24}, None)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from ..errors import LayoutError
from ..ground import did_you_mean, near_words, shortened

_CHOICE: Final = re.compile(r"\{(?:([a-z]+):)?([^{}]*)\}|([\[\]])|([^{}\[\]]+)")
_COUNT: Final = re.compile(r"(\d+)\.\.(\d+)(?:\.\.(\d+))?")
_NAMESPACES: Final = re.compile(r"\b(?:cute|cutlass)::|\s+")

_R = TypeVar("_R")
_Matcher: TypeAlias = Callable[[str], "dict[str, Any] | None"]


def _items(text: str) -> list[str]:
    """The texts of one side of a choice."""
    items: list[str] = []
    for item in text.split(","):
        count = _COUNT.fullmatch(item)
        if count:
            first, last, step = (int(n or 1) for n in count.groups())
            items += map(str, range(first, last + 1, step))
        else:
            items.append(item)
    return items


def matcher(pattern: str) -> _Matcher:
    """Return what finds the labelled choices of a name, or None where the pattern does not fit it.

    A number is an int; what is absent is an empty text.
    """
    parts: list[str] = []
    for label, choice, bracket, text in _CHOICE.findall(pattern):
        if bracket:
            parts.append("(?:" if bracket == "[" else ")?")
        elif text:
            # the namespace of an argument may be absent
            parts.append(re.sub("(?<=[<,])([UG]MMA::)", r"(?:\1)?", re.escape(text).replace("\\,", ",")))
        else:
            items = [item for side in choice.split(";") for item in _items(side)]
            parts.append(f"(?P<{label}>" if label else "(?:")
            parts.append(
                "|".join("[1-9][0-9]*" if item == "#" else re.escape(item) for item in items) + ")"
            )
    expression = re.compile("".join(parts))

    def found(name: str) -> dict[str, Any] | None:
        match = expression.fullmatch(name)
        texts = match.groupdict(default="").items() if match else ()
        return {n: int(x) if x.isdigit() else x for n, x in texts} if match else None

    return found


def names_of(pattern: str) -> Iterator[str]:
    """Yield the names that a pattern lists: every listed choice, without the parts in ``[...]``."""
    parts: list[list[str]] = []
    absent = 0
    for _label, choice, bracket, text in _CHOICE.findall(pattern):
        absent += {"[": 1, "]": -1}.get(bracket, 0)
        if not absent and not bracket:
            parts.append([text] if text else _items(choice.split(";")[0]))
    return map("".join, product(*parts))


class Family(NamedTuple):
    """Instructions of one pattern, and the rule that makes the record of each.

    Attributes:
        pattern: The names.
        rule: Takes the name and the labelled choices, and returns the fields of the record.
        source: Where the facts are from.
    """

    pattern: str
    rule: Callable[..., Mapping[str, Any]]
    source: str


class Catalogue(Mapping[str, _R], Generic[_R]):
    """A mapping from names to records.

    Blanks and the namespaces ``cute::`` and ``cutlass::`` do not count.

    >>> from tla import gpu
    >>> gpu.atoms["SM80_8x8x4_F64F64F64F64_TN"].shape_mnk
    (_8, _8, _4)
    >>> gpu.atoms["SM80_16x8x4_F16F16F16F16_TN"]
    Traceback (most recent call last):
    tla.errors.LayoutError: no MMA atom is named SM80_16x8x4_F16F16F16F16_TN
      Did you mean SM80_16x8x8_F16F16F16F16_TN or SM80_16x8x16_F16F16F16F16_TN?

    Iteration lists one name for each shape and type. Of arguments that change no layout it lists the
    first.
    """

    __slots__ = ("_families", "_matchers", "_record", "_what")

    def __init__(self, what: str, record: Callable[..., _R], families: tuple[Family, ...]) -> None:
        self._what = what
        self._record = record
        self._families = families
        self._matchers: list[_Matcher] | None = None

    def _find(self, name: str) -> tuple[Family, dict[str, Any]] | None:
        if self._matchers is None:
            self._matchers = [matcher(family.pattern) for family in self._families]
        for family, found in zip(self._families, self._matchers, strict=True):
            choices = found(name)
            if choices is not None:
                return family, choices
        return None

    def __getitem__(self, name: str) -> _R:
        plain = _NAMESPACES.sub("", name)
        found = self._find(plain)
        if not found:
            near = near_words(plain, self)[:2]
            advice = did_you_mean(near, []) if near else "Iterate over the mapping to list the names."
            raise LayoutError(
                f"no {self._what} atom is named {shortened(plain, 200)}", advice, name=name
            )
        family, choices = found
        return self._record(plain, source=family.source, **family.rule(plain, **choices))

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(_NAMESPACES.sub("", name)) is not None

    def __iter__(self) -> Iterator[str]:
        for family in self._families:
            yield from names_of(family.pattern)

    def __len__(self) -> int:
        return sum(1 for _name in self)

    def __repr__(self) -> str:
        return f"<{len(self)} {self._what} atoms>"
