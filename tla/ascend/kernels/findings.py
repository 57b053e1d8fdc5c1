# SPDX-License-Identifier: Apache-2.0
"""Findings: what a check found, where, and the bytes that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .instructions import Instruction

Check: TypeAlias = Literal["memcheck", "racecheck", "initcheck", "synccheck", "unknown"]
CHECKS: Final[tuple[Check, ...]] = ("memcheck", "racecheck", "initcheck", "synccheck")


class Place(NamedTuple):
    """An instruction that a finding names."""

    core: str
    op: str
    pipe: str
    site: str
    line: int
    via: str = ""

    def __str__(self) -> str:
        where = f"{self.site}, line {self.line}" if self.site else f"line {self.line}"
        return f"{self.op} on {self.core} {self.pipe} ({where})"


class Finding(NamedTuple):
    """A fault, with its witness.

    >>> place = Place("AIC0", "WaitFlag", "MTE1", "", 7)
    >>> print(Finding("synccheck", "deadlock", "WaitFlag<M_MTE1>(0) waits for ever", (place,)))
    synccheck: deadlock: WaitFlag<M_MTE1>(0) waits for ever
      at WaitFlag on AIC0 MTE1 (line 7)
    """

    check: Check
    kind: str
    """RAW, WAR, WAW, deadlock, bounds and so on."""
    text: str
    at: tuple[Place, ...]
    """The instructions: of a race, the one that comes first in the source stands first."""
    memory: str = ""
    bytes: tuple[int, int] | None = None
    """The first byte of the memory that shows the fault, and the first behind the last."""
    edge: str = ""
    """The order that is missing, as ``MTE2_MTE1 id 0``."""
    times: int = 1
    """How many times the same lines show it."""

    def __str__(self) -> str:
        more = f" ({self.times} times)" if self.times > 1 else ""
        places = [f"\n  at {place}" for place in self.at]
        return f"{self.check}: {self.kind}: {self.text}{more}{''.join(places)}"


class Findings:
    """Findings of one check: the first of each key, with how often it was found."""

    def __init__(self, check: Check) -> None:
        self.check: Check = check
        self.by_key: dict[object, Finding] = {}

    def add(
        self, key: object, kind: str, text: str, *at: Instruction | Place, memory: str = "",
        ends: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        """Add a finding, or count it."""
        old = self.by_key.get(key)
        if old is not None:
            self.by_key[key] = old._replace(times=old.times + 1)
            return
        places = tuple([x if isinstance(x, Place) else place_of(x) for x in at])
        self.by_key[key] = Finding(self.check, kind, text, places, memory, ends)

    @property
    def all(self) -> list[Finding]:
        """The findings in the order in which they were found."""
        return [*self.by_key.values()]


def line_of(instruction: Instruction) -> object:
    """Return the line of source, or of the trace, by which findings are counted together."""
    return instruction.site or instruction.line


def place_of(instruction: Instruction, pipe: str = "") -> Place:
    """Return an instruction as a place."""
    i = instruction
    return Place(i.core, str(i.op), pipe or i.pipe, i.site, i.line, i.via)


def words_of(instruction: Instruction) -> str:
    """Return a synchronisation as C++ writes it.

    >>> from .instructions import Instruction
    >>> words_of(Instruction("AIC0", "SetFlag", "M", {}, {"event": "M_FIX", "id": 0}))
    'SetFlag<M_FIX>(0)'
    """
    p = instruction.params
    if "event" in p:
        return f"{instruction.op}<{p['event']}>({p['id']})"
    if "flag" in p:
        return f"{instruction.op}({p['flag']})"
    if instruction.op == "PipeBarrier":
        return f"PipeBarrier<PIPE_{instruction.pipe}>"
    return f"{instruction.op}({p['id']})" if "id" in p else instruction.op
