"""Out-of-memory reports of TPU compilers and runtimes, found in any text that holds them.

>>> log = '''E0000 RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.
... E0000   1. Size: 32.00G
... E0000      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
... E0000      Unpadded size: 1.00G'''
>>> report, = read_reports(log)
>>> print(report.space, report.used, report.capacity, report.allocations[0].shape)
hbm 41.74G 16.00G s32[8388608,8,4]{2,1,0:T(8,128)}

A line is known by its words, wherever they stand in it: so prefixes such as timestamps do no harm. Lines
of other programs between those of a report are passed over.

Source: messages of libtpu, seen in reports from 2019 to 2026; XLA's pages on its errors E1000 and E1001.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import ParseError, TlaError
from ..xla_bridge import XlaShape, parse_shape_at
from .sizes import SIZE, printed_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Allocation", "NoReportError", "Report", "read_reports"]


class NoReportError(TlaError, ValueError):
    """A text without one out-of-memory report."""


class Allocation(NamedTuple):
    """One allocation that a report lists. A text is None where the report does not say it."""

    line: int
    """Where it starts in the text, from 1."""
    number: int | None = None
    """Its number in the report's list."""
    size: str | None = None
    """As printed, ``32.00G``; a plain number of bytes is printed so too."""
    size_bytes: int | None = None
    """The plain number of bytes, where the report states one."""
    shape: XlaShape | None = None
    shape_text: str | None = None
    not_read: str = ""
    """Why the text of the shape was not read."""
    unpadded: str | None = None
    extra: str | None = None
    expansion: str | None = None
    operator: str | None = None
    label: str | None = None
    """The instruction, ``%copy.1 = s32[...] copy(...)``; it may be cut, then it ends in ``...``."""
    kind: str | None = None
    """The allocation type: ``HLO temp``, ``scoped``, ``arguments``, ..."""
    tag: str | None = None


class Report(NamedTuple):
    """One out-of-memory report; sizes as printed."""

    line: int
    """Where it starts in the text, from 1."""
    what: str
    """The kind of the report, in words."""
    space: str | None = None
    """The memory that ran out: ``hbm``, ``vmem``, ``smem``, ..."""
    used: str | None = None
    """What was needed."""
    capacity: str | None = None
    exceeded: str | None = None
    totals: tuple[tuple[str, str], ...] = ()
    """What the report sums up, such as ``("program", "41.22G")``."""
    allocations: tuple[Allocation, ...] = ()
    times: int = 1
    """How often the text repeats the report."""
    cut_at: int | None = None
    """The line where the text ends inside an allocation; None where it does not."""


def read_reports(text: str, name: str = "the text") -> tuple[Report, ...]:
    """Return the out-of-memory reports of a text, in order; equal ones once, with their number.

    Args:
        text: A log, whole or in part.
        name: What an error calls the text.

    Raises:
        NoReportError: there is none.
    """
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    reports = reader.end()
    if not reports:
        raise NoReportError(
            f"{name} holds no out-of-memory report",
            "A report starts as 'Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.'",
        )
    return reports


_SIZES: Final = SIZE + "|unknown size"

# What starts a report, by words that stand on one line; "memory" or "Attempting to" is among them. The
# groups are fields of `Report`.
_HEADS: Final = [
    (what, re.compile(pattern))
    for what, pattern in {
        "out of memory": (
            r"Ran out of memory in memory space (?P<space>\w+)\."
            rf"(?:.*?Used (?P<used>{SIZE}) of (?P<capacity>{SIZE}))?"
            rf"(?:.*?capacity by (?P<exceeded>{SIZE}))?"
        ),
        "out of scoped memory": (
            r"Ran out of memory in memory space (?P<space>\w+) while allocating on stack for"
            r"(?P<label> .*?)(?:\. Scoped allocation with"
            rf" size (?P<used>{SIZE}) and limit (?P<capacity>{SIZE})"
            rf"(?: exceeded .*? by (?P<exceeded>{SIZE}))?|$)"
        ),
        "out of memory for temporaries": (
            rf"Ran out of memory on (?P<space>\w+), .*?\((?P<used>{SIZE})\)"
            rf" exceeds available \w+ \((?P<capacity>{SIZE})\)"
        ),
        "compilation aborted early": (
            rf"Aborting compilation early.*?Requires (?P<used>{SIZE}), has (?P<capacity>{SIZE})"
        ),
        "no room at run time": (
            rf"Attempting to (?:reserve|allocate) (?P<used>{SIZE})"
            rf"(?:.*?There are (?P<capacity>{SIZE}) free)?"
        ),
        "an allocation larger than its memory": (
            r"Allocation \(size=(?P<used>\d{1,19})\) would exceed memory \(size=(?P<capacity>\d{1,19})\)"
            r"(?: :: #\w+ \[shape = '(?P<shape>[^']*)', space=(?P<space>\w+),(?P<tail>.*))?"
        ),
    }.items()
]

_SECTION: Final = re.compile(
    rf"(?P<what>Total|Program) (?P<space>\w+) (?:usage >=|requirement) (?P<size>{_SIZES}):"
)
_TOTAL: Final = re.compile(
    r"(?:^|\s)(?P<name>reserved|program|arguments|global|scoped|overlays|HLO temp)"
    rf"\s+(?P<size>{_SIZES})(?!\S)"
)
_OUTPUT: Final = re.compile(rf"Output size (?P<output>{SIZE}); shares (?P<shared>{SIZE}) with arguments")
_LIST: Final = re.compile(r"Largest program allocations in (?P<space>\w+)")
_ITEM: Final = re.compile(rf"(?:^|\s)(?P<number>\d+)\. Size: (?P<size>{SIZE})")
_RULE: Final = re.compile(r"={10,}")
_LINE: Final = re.compile(
    r"(?P<name>Operator|Shape|Unpadded size|Extra memory due to padding|XLA label|Allocation type|Tag): "
    r"(?P<value>.*)"
)
_EXTRA: Final = re.compile(rf"(?P<extra>{SIZE})(?: \((?P<expansion>[\d.]+x) expansion\))?")
_LABEL_SHAPE: Final = re.compile(r"%?[\w.-]+ = (?=\(|[a-z][a-z0-9]*\[)")
# Most lines of a log have none of these words: one search passes them over.
_WORDS: Final = re.compile(
    r"emory|Attempting to|[Ss]ize|usage >=|requirement|Largest|Operator|Shape|label|type|Tag|={10}"
)
_FIELDS: Final = {"Operator": "operator", "Allocation type": "kind", "Tag": "tag", "XLA label": "label"}


class _Reader:
    """The reports so far, and the one that is being read."""

    def __init__(self) -> None:
        self._done: dict[Report, tuple[Report, int]] = {}  # keyed by what does not depend on the place
        self._report: Report | None = None
        self._allocations: list[Allocation] = []
        self._open: Allocation | None = None
        self._totals: list[tuple[str, str]] = []
        self._in_section = False

    def read(self, at: int, line: str) -> None:
        if not self._in_section and _WORDS.search(line) is None:
            return
        heads = _HEADS if "emory" in line or "Attempting to" in line else []
        for what, pattern in heads:
            match = pattern.search(line)
            if match is not None:
                self._start(at, what, match.groupdict())
                return
        steps: list[tuple[re.Pattern[str], Callable[[int, re.Match[str]], None]]] = [
            (_ITEM, self._item),
            (_LIST, self._list),
            (_SECTION, self._section),
            (_OUTPUT, self._output),
        ]
        for pattern, step in steps:
            match = pattern.search(line)
            if match is not None:
                step(at, match)
                return
        self._detail(line)

    def _start(self, at: int, what: str, found: dict[str, str | None]) -> None:
        self._close_report()
        get = found.get
        self._report = Report(at, what, get("space"), get("used"), get("capacity"), get("exceeded"))
        if "shape" in found:  # plain numbers of bytes
            count, capacity = int(found["used"] or 0), int(found["capacity"] or 0)
            used = printed_bytes(count)
            self._report = self._report._replace(used=used, capacity=printed_bytes(capacity))
            allocation = _filled(Allocation(at, size=used, size_bytes=count), _tail(found["tail"] or ""))
            self._open = _with_shape(allocation, found["shape"])
        elif found.get("label"):
            label = (found["label"] or "").strip()
            self._open = Allocation(at, size=found["used"], kind="scoped", label=label)
        self._close_allocation()

    def _item(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at)
        self._close_allocation()
        self._in_section = False
        self._open = Allocation(at, int(match["number"]), match["size"])

    def _list(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at, match["space"])
        self._close_allocation()
        self._in_section = False

    def _section(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at, match["space"])
        self._close_allocation()
        self._in_section = True
        self._totals.append((f"{match['what'].lower()} {match['space']}", match["size"]))

    def _output(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at)
        self._totals += [("output", match["output"]), ("shared with arguments", match["shared"])]

    def _detail(self, line: str) -> None:
        """A line inside an allocation or a sum; any other is passed over."""
        if self._in_section:
            total = _TOTAL.search(line)
            if total is not None:
                self._totals.append((total["name"], total["size"]))
        if self._open is None:
            return
        if _RULE.search(line):
            self._close_allocation()
            return
        match = _LINE.search(line)
        if match is not None:
            self._open = _with_line(self._open, match["name"], match["value"].strip())

    def _ensure(self, at: int, space: str | None = None) -> None:
        """A report whose head is not in the text starts with the first line of it that is."""
        if self._report is None:
            self._report = Report(at, "out of memory, its first lines missing", space)
        elif self._report.space is None and space is not None:
            self._report = self._report._replace(space=space)

    def _close_allocation(self) -> None:
        if self._open is not None:
            self._allocations.append(_with_label_shape(self._open))
        self._open = None

    def _close_report(self, cut_at: int | None = None) -> None:
        self._close_allocation()
        if self._report is not None:
            report = self._report._replace(
                totals=tuple(self._totals), allocations=tuple(self._allocations), cut_at=cut_at
            )
            key = report._replace(
                line=0, allocations=tuple(a._replace(line=0) for a in report.allocations)
            )
            first, times = self._done.get(key, (report, 0))
            self._done[key] = (first, times + 1)
        self._report, self._allocations, self._totals = None, [], []
        self._in_section = False

    def end(self) -> tuple[Report, ...]:
        cut = self._open is not None and self._open.shape_text is None and self._open.kind is None
        self._close_report(self._open.line if cut and self._open is not None else None)
        return tuple(report._replace(times=times) for report, times in self._done.values())


def _filled(allocation: Allocation, values: Mapping[str, str | None]) -> Allocation:
    fields: dict[str, Any] = {**allocation._asdict(), **values}
    return Allocation(**fields)


def _with_line(allocation: Allocation, name: str, value: str) -> Allocation:
    if name == "Shape":
        return _with_shape(allocation, value)
    if name == "Unpadded size":
        return allocation._replace(unpadded=value)
    if name == "Extra memory due to padding":
        match = _EXTRA.match(value)
        return _filled(allocation, match.groupdict()) if match is not None else allocation
    return _filled(allocation, {_FIELDS[name]: value})


def _with_shape(allocation: Allocation, text: str | None) -> Allocation:
    if text is None:
        return allocation
    try:
        shape, _end = parse_shape_at(text, 0)
    except TlaError as error:
        return allocation._replace(shape_text=text, not_read=error.summary)
    if not isinstance(shape, XlaShape):
        return allocation._replace(shape_text=text, not_read="it is no array")
    return allocation._replace(shape=shape, shape_text=text)


def _with_label_shape(allocation: Allocation) -> Allocation:
    """Reports without a line ``Shape:`` say the shape in the instruction."""
    if allocation.shape_text is not None or allocation.label is None:
        return allocation
    match = _LABEL_SHAPE.match(allocation.label)
    if match is None:
        return allocation
    try:
        shape, end = parse_shape_at(allocation.label, match.end())
    except ParseError as error:
        return allocation._replace(not_read=error.summary)
    text = allocation.label[match.end() : end]
    return _with_shape(allocation, text) if isinstance(shape, XlaShape) else allocation


def _tail(text: str) -> dict[str, str]:
    """The kind, the tag and the instruction of ``size = 0x400, scoped, tag = '...'] :: name``."""
    match = re.search(r"(?:, (?P<kind>\w+))?, tag = '(?P<tag>[^']*)'?\]?(?: :: (?P<label>.*))?", text)
    return {key: value for key, value in match.groupdict().items() if value} if match else {}
