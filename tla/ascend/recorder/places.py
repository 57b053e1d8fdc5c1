# SPDX-License-Identifier: Apache-2.0
"""Places in the sources and names of tensors, of what a program left of its addresses."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from .tools import places_of

if TYPE_CHECKING:
    from .tools import Place


class Malloc(TypedDict):
    """An allocation in global memory."""

    expression: str
    stack: int
    bytes: int


class Facts(TypedDict):
    """What a program leaves beside its trace; addresses are those of its code."""

    end: str
    core: str
    launches: int
    blocks: int
    tensors: list[Malloc]
    stacks: list[list[int]]
    divisions_by_zero: list[tuple[int, int]]
    missing_files: list[str]


_OWN: Final = (f"{Path(__file__).parent}{os.sep}", "/usr/include/", "/usr/lib/")
_WAY_IN: Final = re.compile(r"catlass/(?:detail|\w+/device)/")
"""CATLASS's way from a launch into a kernel."""


class Places:
    """The places of the calls of a program, and the names of its tensors."""

    def __init__(self, program: str, facts: Facts, catlass: Path | None) -> None:
        stacks = facts["stacks"]
        zeros = [place for place, _ in facts["divisions_by_zero"]]
        found = places_of(program, [*zeros, *(call for stack in stacks for call in stack)])
        self.calls: list[list[str]] = [
            [
                text
                for call in stack
                if (text := _text(found.get(call), catlass)) and not _WAY_IN.match(text)
            ]
            for stack in stacks
        ]
        """The calls of each stack in CATLASS and in the program, the innermost first."""
        self.ends: list[str] = [_end(calls) for calls in self.calls]
        """The end of a line of the trace, for each stack."""
        self.divisions_by_zero: dict[str, int] = {
            _text(found.get(place), catlass) or "?": times for place, times in facts["divisions_by_zero"]
        }
        self.names: list[str] = []
        taken: Counter[str] = Counter()
        for one in facts["tensors"]:
            places = [found[call] for call in stacks[one["stack"]][:4] if call in found]
            name = _name([one["expression"], *map(_line, places)])
            self.names.append(f"{name}#{taken[name]}" if taken[name] else name)
            taken[name] += 1

    def named(self, line: str) -> str:
        """Return a line with the name of each tensor in place of its number."""
        return re.sub(r'"tensor": @(\d+)', lambda one: f'"tensor": "{self.names[int(one[1])]}"', line)


def _text(place: Place | None, catlass: Path | None) -> str | None:
    """A place as the trace has it: in CATLASS from its folder on; None outside of the sources."""
    if place is None or place[0].startswith(_OWN):
        return None
    for folder in (*([] if catlass is None else [catlass / "include", catlass]), Path.cwd()):
        if place[0].startswith(f"{folder}{os.sep}"):
            return f"{os.path.relpath(place[0], folder)}:{place[1]}"
    return f"{place[0]}:{place[1]}"


def _end(calls: list[str]) -> str:
    """The innermost call, and the next one in another file that is no tile's."""
    if not calls:
        return "}\n"
    file = calls[0].rpartition(":")[0]
    others = (one for one in calls[1:] if "/tile/" not in one and one.rpartition(":")[0] != file)
    via = next(others, None)
    return f', "site": {json.dumps(calls[0])}' + (f', "via": {json.dumps(via)}' if via else "") + "}\n"


def _name(texts: list[str]) -> str:
    """The name of a tensor: of ``&deviceA`` A. Where a function allocates, its caller's line has it."""
    for text in texts:
        pointers: list[str] = re.findall(r"&\s*(\w+)", text)
        own = [name for name in pointers if "device" in name.lower()] or pointers[-1:]
        if own:
            return re.sub(r"^device(?=.)|(?<=.)Device$", "", own[0])
    return "T"


def _line(place: Place) -> str:
    """A line of a source."""
    try:
        with open(place[0], encoding="utf-8", errors="replace") as file:
            return next((text for number, text in enumerate(file, 1) if number == place[1]), "")
    except OSError:
        return ""
