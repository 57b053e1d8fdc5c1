# SPDX-License-Identifier: Apache-2.0
"""The results of a check of a plan: one finding for each rule, and the report of all of them.

>>> finding = Finding("L1 capacity", "error", "too much", "L1", 600000, 524288)
>>> print(finding, finding.margin)
error: L1 capacity: too much -75712
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ...errors import TlaError, UnsupportedError
from ...ground import Bar, Bars, Steps, html_of, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..copies import Transfer
    from .footprint import Footprint, Stage
    from .nearby import Nearest


Severity: TypeAlias = Literal["error", "warning", "note", "holds"]


class Finding(NamedTuple):
    """One rule, and whether a plan keeps it."""

    rule: str
    severity: Severity
    text: str = ""
    buffer: str = ""
    needed: int | None = None
    available: int | None = None
    unit: str = "bytes"
    """The unit of ``needed`` and ``available``."""
    fix: str = ""
    catlass: tuple[str, ...] = ()
    """The compiler's errors, if CATLASS asserts the rule and the plan breaks it."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The bytes of the buffer that break the rule, as start and end."""
    stage: str = ""
    """The stage that breaks the rule, if several may break it."""

    @classmethod
    def judge(
        cls,
        rule: str,
        text: str,
        buffer: str = "",
        needed: int | None = None,
        available: int | None = None,
        unit: str = "bytes",
        fix: str = "",
        catlass: tuple[str, ...] = (),
    ) -> Finding:
        """Return the finding that a rule is broken, with this text and fix, or that it holds.

        >>> [str(Finding.judge("tile", "too long", needed=n, available=2)) for n in (2, 3)]
        ['holds: tile: ', 'error: tile: too long']

        The rule is broken if ``needed`` exceeds ``available``, or if CATLASS has a text for it.
        """
        finding = cls(rule, "holds", "", buffer, needed, available, unit)
        if not catlass and (finding.margin is None or finding.margin >= 0):
            return finding
        return finding._replace(severity="error", text=text, fix=fix, catlass=catlass)

    @classmethod
    def require(
        cls, holds: bool, rule: str, text: str, buffer: str = "", fix: str = "",
        catlass: tuple[str, ...] = (),
    ) -> Finding:  # fmt: skip
        """Return the finding of a rule that holds or not; the text says what is wrong."""
        if holds:
            return cls(rule, "holds", "", buffer)
        return cls(rule, "error", text, buffer, fix=fix, catlass=catlass)

    @property
    def title(self) -> str:
        """The rule, and the stage that breaks it."""
        return f"{self.rule} {self.stage}".rstrip()

    @property
    def margin(self) -> int | None:
        """The rest: ``available`` minus ``needed``; negative if it does not suffice."""
        if self.needed is None or self.available is None:
            return None
        return self.available - self.needed

    def __str__(self) -> str:
        return f"{self.severity}: {self.title}: {self.text}"


class Report(NamedTuple):
    """The finding of every rule about a plan, and the nearest tile that fits if its own does not.

    >>> from tla.ascend import gemm
    >>> report = gemm("AtlasA2", (4096, 4096, 4096), "half", l1=(256, 256, 256)).check()
    >>> report.ok, [finding.rule for finding in report.errors]
    (False, ['L0C capacity'])
    >>> report.nearest
    Nearest(l1=GemmShape(m=128, n=256, k=256), l0=GemmShape(m=128, n=256, k=64), distance=1.0)
    """

    plan: Any
    """The plan: of products, or of attention."""
    checks: tuple[Finding, ...]
    """The findings of all rules, also of those that hold."""
    buffers: tuple[Footprint, ...]
    nearest: Nearest | None
    left: tuple[str, ...] = ()
    """The rules that the nearest tile breaks too, because they are not about tiles."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that are an error, a warning or a note."""
        return tuple(f for f in self.checks if f.severity != "holds")

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.checks if f.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.checks if f.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether no rule is broken; there may be warnings."""
        return not self.errors

    def expect_legal(self) -> None:
        """Require a plan that breaks no rule, for its C++.

        Raises:
            UnsupportedError: it breaks one; the error has all of them.
        """
        if self.errors:
            raise UnsupportedError(
                "no C++ is written of a plan that is illegal: it breaks "
                f"{plural(len(self.errors), 'rule')}",
                *(f"{one.title}: {one.text}" for one in self.errors),
                rules=[one.rule for one in self.errors],
            )

    @property
    def catlass(self) -> tuple[str, ...]:
        """The compiler's errors for the plan, each text once, sorted."""
        return tuple(sorted({text for f in self.checks for text in f.catlass}))

    def figures(self) -> tuple[Bars, ...]:
        """The pictures of the stages in each buffer, as data."""
        return tuple(_bars(footprint) for footprint in self.buffers)

    def figure(self) -> Steps:
        """Return the picture of the report, as data: the bytes that each buffer needs, and its stages.

        >>> from tla.ascend import gemm
        >>> figure = gemm("AtlasA2", (4096, 4096, 4096), "half").check().figure()
        >>> figure.result, [bars.title for bars in figure.pictures]
        ('legal', ['L1', 'L0A', 'L0B', 'L0C'])
        """
        rows = tuple(
            (each.buffer, str(each.needed), str(each.capacity), str(each.margin))
            for each in self.buffers
        )
        verdict = "legal" if self.ok else f"illegal: {plural(len(self.errors), 'rule')} broken"
        title, *facts = str(self.plan).splitlines()
        texts = [str(finding) for finding in self.findings if finding.text]
        return Steps(
            title,
            (*map(str.strip, facts), *texts),
            ("buffer", "bytes needed", "available", "margin"),
            rows,
            (),
            verdict,
            pictures=self.figures(),
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        head = "legal" if self.ok else f"illegal: {len(self.errors)} of {len(self.checks)} rules broken"
        lines = [head, *(f"  {finding}" for finding in self.findings)]
        if self.nearest is not None:
            left = f"; still broken: {', '.join(self.left)}" if self.left else ""
            lines.append(f"  nearest tile that fits: L1 {self.nearest.l1}, L0 {self.nearest.l0}{left}")
        return "\n".join(lines)


def stage_rules(
    footprint: Footprint, fix: str = "Take a smaller tile.", catlass: tuple[str, ...] = (),
    more: str = "",
) -> Iterator[Finding]:  # fmt: skip
    """Yield the findings of a buffer: its capacity, the overlaps and the starts of its stages.

    Args:
        fix: The way out.
        catlass: The compiler's errors, if CATLASS asserts the capacity.
        more: What the text of the capacity says besides.
    """
    buffer, needed, room = footprint.buffer, footprint.needed, footprint.capacity
    text = f"the stages, {footprint.words}, need {needed} of {room} bytes{more}"
    yield Finding.judge(f"{buffer} capacity", text, buffer, needed, room, "bytes", fix, catlass)
    for x, y in footprint.overlaps[:1]:
        both = x.shared(y)
        text = f"{x} is written into {y}: both hold [{both[0]},{both[1]})"
        yield Finding(
            f"{buffer} overlap", "error", text, buffer, x.end - x.start, y.start - x.start, fix=fix,
            ranges=(both,),
        )  # fmt: skip
    wrong = next((stage for stage in footprint.stages if stage.start % footprint.unit), None)
    text = f"{wrong} does not start at a multiple of {footprint.unit} bytes"
    yield Finding.require(wrong is None, f"{buffer} alignment", text, buffer, fix)


def copy_rule(rule: str, buffer: str, make: Callable[[], Transfer]) -> Finding:
    """Return the finding of a copy: whether instructions can do it, and how many calls it takes."""
    try:
        count = make().count
    except TlaError as error:
        if "available" in error.data:  # another rule checks that a tile fits its buffer
            return Finding(rule, "holds", "", buffer)
        return Finding(rule, "error", error.summary, buffer, fix=" ".join(error.details))
    return Finding(rule, "holds", f"{plural(count, 'call')} for a tile", buffer)


def _bars(footprint: Footprint) -> Bars:
    clashes: dict[Stage, list[tuple[int, int]]] = {stage: [] for stage in footprint.stages}
    for x, y in footprint.overlaps:
        clashes[x].append(x.shared(y))
        clashes[y].append(x.shared(y))
    bars = tuple(
        Bar(f"{s.operand} {s.number}", s.start, s.end, s.reach, tuple(clashes[s]), _colour(s.operand))
        for s in footprint.stages
    )
    return Bars(footprint.buffer, footprint.capacity, bars)


def _colour(operand: str) -> int:
    """The colour of an operand, the same in each buffer."""
    return "ABC".index(operand) if operand in ("A", "B", "C") else 3
