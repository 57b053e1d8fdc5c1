"""The reader of out-of-memory reports of TPU compilers and runtimes in any text.

>>> log = '''E0000 RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.
... E0000   1. Size: 32.00G
... E0000      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
... E0000      Unpadded size: 1.00G'''
>>> report, = read_reports(log)
>>> print(report.space, report.used, report.capacity, report.allocations[0].shape)
hbm 41.74G 16.00G s32[8388608,8,4]{2,1,0:T(8,128)}

The reader knows a line by its words, wherever they stand. So prefixes such as timestamps do no harm. It
skips lines of other programs inside a report. If lines of several processes do not fit together, the
reader separates them by their prefixes.

A report is whole if its last allocation ends with ``=====`` or has its last field, the allocation type.
A report with totals is whole if its list has begun. Otherwise it is cut in its last line.

Source: messages of libtpu, seen in reports from 2019 to 2026; XLA's pages on its errors E1000 and E1001.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..errors import TlaError
from ..ground import guarded, int_in
from .oom_report import (
    FIELDS,
    ONE_SIZE,
    Allocation,
    Report,
    fill,
    tail,
    with_field,
    with_label_shape,
    with_shape,
)
from .oom_text import lines, stream_key, stream_of
from .sizes import SIZE, printed_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Allocation", "NoReportError", "Report", "read_reports"]


class NoReportError(TlaError, ValueError):
    """A text has no out-of-memory report."""


@guarded
def read_reports(text: str, name: str = "the text") -> tuple[Report, ...]:
    """Return the out-of-memory reports of a text, in order. Equal reports come once, with their number.

    >>> (report,) = read_reports('''Ran out of memory in memory space vmem. Used 17.00M of 16.00M vmem.
    ...   1. Size: 17.00M''')
    >>> report.what, report.space, report.used, report.allocations[0].size_bytes
    ('out of memory', 'vmem', '17.00M', None)

    Args:
        text: A log, whole or in part.
        name: The name of the text in an error.

    Raises:
        NoReportError: the text has no report.
    """
    reports = _read(lines(text))
    if any(_misfits(report) for report in reports[:-1]) or (reports and _doubts(reports[-1])):
        # Lines of several processes may be mixed. Read each prefix alone if more lines fit then.
        apart = _read_apart(list(lines(text)))
        if sum(map(_misfits, apart)) < sum(map(_misfits, reports)):
            reports = apart
    reports = _count_equal(reports)
    if not reports:
        raise NoReportError(
            f"{name} holds no out-of-memory report",
            "A report starts as 'Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.'",
        )
    return tuple(reports)


_SIZES: Final = SIZE + "|unknown size"

# The first line of each kind of report; each has "memory" or "Attempting to". The groups are fields of
# `Report`.
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
_OUTPUT: Final = re.compile(
    rf"Output size (?:(?P<output>{SIZE}); shares (?P<shared>{SIZE}) with arguments|unknown)"
)
_LIST: Final = re.compile(r"Largest program allocations in (?P<space>\w+)")
_ITEM: Final = re.compile(r"(?:^|\s)(?P<number>\d{1,9})\\?\. Size:\s*(?P<size>\S*)")
_RULE: Final = re.compile(r"={10,}")
_LINE: Final = re.compile(
    r"(?<![\w-])(?P<name>Operator|Shape|Unpadded size|Extra memory due to padding|XLA label|Allocation"
    r" type|Tag):(?:\s+(?P<value>.*)|$)"
)
_SHAPE: Final = re.compile(r"\(|[a-z]\w*\[")
# A line with one of these belongs to a report. The words of other lines may be of any program.
_OWN: Final = {"Unpadded size", "Extra memory due to padding", "XLA label", "Allocation type"}
_LOOKS: Final = re.compile(r"(?:^|\s)(?:Total|Program) \w+ (?:usage >=|requirement)")
_LOOKS_TOTAL: Final = re.compile(rf"{_LOOKS.pattern}|(?:^|\s)Output size ")
# The starts of lines in which the text may end, with "1" for the number.
_STARTS: Final = (
    "1. Size: ", "Operator: ", "Shape: ", "Unpadded size: ", "Extra memory due to padding: ",
    "XLA label: ", "Allocation type: ", "Largest program allocations in ", "=" * 26,
)  # fmt: skip
_KINDS: Final = {"HLO temp", "scoped", "arguments", "global", "program", "reserved", "overlays"}
# Most lines of a log have none of these words, so that one search skips them.
_WORDS: Final = re.compile(
    r"emory|Attempting to|[Ss]ize|usage >=|requirement|Largest|Operator|Shape|label|type|Tag|={10}"
)
_HEADLESS: Final = "out of memory, its first lines missing"
_MIXED: Final = "lines of two reports may be mixed"


def _read(lines: Iterable[tuple[int, str, bool]]) -> list[Report]:
    """The reports of one stream of lines."""
    reader = _Reader()
    for at, line, ended in lines:
        reader.read(at, line, ended)
    return reader.end()


def _read_apart(lines: list[tuple[int, str, bool]]) -> list[Report]:
    """The reports of each prefix alone, in order."""
    patterns = (_TOTAL, _ITEM, _LIST, _SECTION, _OUTPUT, _RULE, _LINE)
    streams: dict[str, list[int]] = {}
    others: list[int] = []
    for i, (_number, line, ended) in enumerate(lines):
        if ended and _WORDS.search(line) is None and _TOTAL.search(line) is None:
            continue
        starts = [match.start() for match in (p.search(line) for p in patterns) if match is not None]
        if not starts or any(pattern.search(line) is not None for _what, pattern in _HEADS):
            others.append(i)
        else:
            streams.setdefault(stream_key(line[: min(starts)]), []).append(i)
    keys = set(streams)
    for i in others:
        streams.setdefault(stream_of(lines[i][1], keys), []).append(i)
    places = (sorted(stream) for stream in streams.values())
    reports = [report for stream in places for report in _read(lines[i] for i in stream)]
    return sorted(reports, key=lambda report: report.line)


def _doubts(report: Report) -> int:
    """The number of lines that do not fit, plus 1 if the head is missing."""
    return len(report.not_understood) + (report.what == _HEADLESS)


def _misfits(report: Report) -> int:
    return _doubts(report) + (report.cut_at is not None)


def _count_equal(reports: Iterable[Report]) -> list[Report]:
    """The first of each set of equal reports, with their number."""
    counts: dict[Report, tuple[Report, int]] = {}
    for report in reports:
        cut_at = None if report.cut_at is None else 0
        key = report._replace(  # without the fields that depend on the place
            line=0,
            allocations=tuple(a._replace(line=0) for a in report.allocations),
            cut_at=cut_at,
            not_understood=tuple((0, why) for _line, why in report.not_understood),
        )
        first, times = counts.get(key, (report, 0))
        counts[key] = (first, times + 1)
    return [report._replace(times=times) for report, times in counts.values()]


class _Reader:
    """The reports so far, and the current one."""

    def __init__(self) -> None:
        self._done: list[Report] = []
        self._reset()

    def _reset(self) -> None:
        self._report: Report | None = None
        self._allocations: list[Allocation] = []
        self._open: Allocation | None = None
        self._before: Allocation | None = None  # the open one without its last line, if that is odd
        self._totals: list[tuple[str, str]] = []
        self._parts: set[str] = set()
        self._odd: list[tuple[int, str]] = []
        self._last = 0  # the last line of the report
        self._cut = False  # the text ends inside a line of the report
        self._in_section = False
        self._awaits = False  # more lines must follow
        self._number: int | None = None  # the number of the last allocation of the list

    def read(self, at: int, line: str, ended: bool = True) -> None:
        if ended and not self._in_section and _WORDS.search(line) is None:
            return
        heads = _HEADS if "emory" in line or "Attempting to" in line else []
        for what, pattern in heads:
            match = pattern.search(line)
            if match is not None:
                self._start(at, what, match.groupdict(), ended)
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
        self._detail(at, line, ended)

    def _start(self, at: int, what: str, groups: dict[str, str | None], ended: bool) -> None:
        self._close_report()
        get = groups.get
        self._report = Report(at, what, get("space"), get("used"), get("capacity"), get("exceeded"))
        self._last = at
        rest = tail(get("tail") or "")
        self._cut = not ended and (None in groups.values() or ("tail" in groups and "label" not in rest))
        if "shape" in groups:  # its sizes are plain numbers of bytes
            count, capacity = int_in(groups["used"] or "0"), int_in(groups["capacity"] or "0")
            used = printed_bytes(count)
            self._report = self._report._replace(used=used, capacity=printed_bytes(capacity))
            allocation = fill(Allocation(at, size=used, size_bytes=count), rest)
            self._open = with_shape(allocation, groups["shape"])
        elif groups.get("label"):
            label = (groups["label"] or "").strip()
            self._open = Allocation(at, size=groups["used"], kind="scoped", label=label)
        self._close_allocation()

    def _item(self, at: int, match: re.Match[str]) -> None:
        number, size = int_in(match["number"]), match["size"]
        odd = ONE_SIZE.fullmatch(size) is None
        if odd and self._report is None:
            return
        self._ensure(at)
        self._close_allocation()
        self._in_section = self._awaits = False
        if self._number is not None and number <= self._number:
            self._odd.append((at, f"allocation {number} after allocation {self._number}; {_MIXED}"))
        self._number = number
        self._open = Allocation(at, number, size or None)
        if odd:
            self._odd_line(at, match[0], Allocation(at, number))

    def _list(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at, match["space"], match[0])
        self._close_allocation()
        self._in_section, self._awaits, self._number = False, True, None

    def _section(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at, match["space"], match["what"] + match["space"])
        self._close_allocation()
        self._in_section = self._awaits = True
        self._totals.append((f"{match['what'].lower()} {match['space']}", match["size"]))

    def _output(self, at: int, match: re.Match[str]) -> None:
        self._ensure(at)
        output, shared = match["output"] or "unknown size", match["shared"]
        self._totals.append(("output", output))
        if shared is not None:
            self._totals.append(("shared with arguments", shared))

    def _detail(self, at: int, line: str, ended: bool) -> None:
        """Read a line inside an allocation or a sum; skip any other line."""
        if self._report is None:
            return
        total = _TOTAL.search(line) if self._in_section else None
        match = _LINE.search(line)
        if total is not None:
            self._last = at
            self._totals.append((total["name"], total["size"]))
        elif match is not None:
            self._field(at, match["name"], (match["value"] or "").strip(), ended)
        elif _RULE.search(line):
            self._last = at
            self._close_allocation()
        elif not ended and line.strip():
            if self._awaits or (self._number is not None and _starts_a_line(line)):
                self._last, self._cut = at, True
        else:
            match = (_LOOKS_TOTAL if self._awaits else _LOOKS).search(line)
            if match is not None:
                self._odd_line(at, line[match.start() :], self._open)

    def _field(self, at: int, name: str, value: str, ended: bool) -> None:
        """Read a line ``name: value`` of the open allocation."""
        field = FIELDS[name]
        before = self._open
        if before is None or getattr(before, field) is not None:
            if name in _OWN or (before is not None and name == "Shape" and _SHAPE.match(value)):
                what = "of no allocation" if before is None else "a second one in its allocation"
                self._odd_line(at, f"{name}: {value}", before, f", {what}; {_MIXED}")
            return
        self._last, self._before = at, None
        self._open, read = with_field(before, field, value)
        if not ended and name == "Shape" and not value.endswith("}"):
            self._open, read = before._replace(not_read="the text ends in it", shape_text=value), True
        if not ended and name == "Allocation type":
            self._cut = value not in _KINDS
        if not read:
            self._odd_line(at, f"{name}: {value}", before)

    def _odd_line(self, at: int, text: str, before: Allocation | None, why: str = "") -> None:
        text = " ".join(text.split())
        self._odd.append((at, f"'{text if len(text) <= 60 else text[:57] + '...'}'{why}"))
        self._last, self._before = at, before

    def _ensure(self, at: int, space: str | None = None, part: str = "") -> None:
        """Start a report whose head is missing, with the first of its lines in the text.

        If a part comes a second time, it belongs to another report.
        """
        if part in self._parts:
            self._close_report()
        if part:
            self._parts.add(part)
        if self._report is None:
            self._report = Report(at, _HEADLESS, space)
        elif self._report.space is None and space is not None:
            self._report = self._report._replace(space=space)
        self._last, self._before, self._cut = at, None, False

    def _close_allocation(self) -> None:
        if self._open is not None:
            self._allocations.append(with_label_shape(self._open))
        self._open = None

    def _close_report(self) -> None:
        cut = self._cut or self._awaits
        if self._open is not None and (self._cut or self._open.kind is None):
            cut = True
            if self._before is not None and self._odd[-1:] and self._odd[-1][0] == self._last:
                self._open = self._before  # the odd line is the cut one
                self._odd.pop()
            self._open = self._open._replace(whole=False)
        self._close_allocation()
        if self._report is not None:
            report = self._report._replace(
                totals=tuple(self._totals),
                allocations=tuple(self._allocations),
                cut_at=self._last if cut else None,
                not_understood=tuple(self._odd),
            )
            self._done.append(report)
        self._reset()

    def end(self) -> list[Report]:
        self._close_report()
        return self._done


def _starts_a_line(text: str) -> bool:
    """Whether a text may be the start of a line of a report, cut before its value."""
    words = re.split(r"\s{2,}", text.strip())[-1]  # without the prefix and the indent
    text = re.sub(r"^\d+", "1", words)
    return bool(text) and any(start.startswith(text) for start in _STARTS)
