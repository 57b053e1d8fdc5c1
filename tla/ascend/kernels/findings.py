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
    cores: int = 1
    """On how many cores they do."""

    def __str__(self) -> str:
        where = f" on {self.cores} cores" if self.cores > 1 else ""
        more = f" ({self.times} times{where})" if self.times > 1 else ""
        places = [f"\n  at {place}" for place in self.at]
        return f"{self.check}: {self.kind}: {self.text}{more}{''.join(places)}"


class Findings:
    """Findings of one check: the first of each key, and how often and on how many cores it came."""

    def __init__(self, check: Check) -> None:
        self.check: Check = check
        self.by_key: dict[object, Finding] = {}
        self._cores: dict[object, set[str]] = {}

    def at(
        self, kind: str, text: str, *at: Instruction | Place, memory: str = "",
        ends: tuple[int, int] | None = None, edge: str = "", key: object = None,
    ) -> None:  # fmt: skip
        """Add a finding, or count it: one for each kind, memory, and lines of source.

        Args:
            key: What else makes it another finding.
        """
        places = tuple([x if isinstance(x, Place) else place_of(x) for x in at])
        lines = [(place.site or place.line, place.core[:3]) for place in places]
        key = (kind, memory, key, *lines)
        if not self.counts(key, places[-1].core):
            self.by_key[key] = Finding(self.check, kind, text, places, memory, ends, edge)

    def counts(self, key: object, core: str) -> bool:
        """Count what was found before; return False if it was not."""
        cores = self._cores.setdefault(key, set())
        cores.add(core)
        old = self.by_key.get(key)
        if old is not None:
            self.by_key[key] = old._replace(times=old.times + 1, cores=len(cores))
        return old is not None

    @property
    def all(self) -> list[Finding]:
        """The findings in the order in which they were found."""
        return [*self.by_key.values()]


def place_of(instruction: Instruction, pipe: str = "") -> Place:
    """Return an instruction as a place."""
    i = instruction
    return Place(i.core, str(i.op), pipe or i.pipe, i.site, i.line, i.via)
