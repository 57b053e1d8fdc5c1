# SPDX-License-Identifier: Apache-2.0
"""An out-of-memory report and its allocations as values, and the readers of their fields.

>>> with_field(Allocation(1), "extra", "31.00G (32.0x expansion)")[0].expansion
'32.0x'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import ParseError, TlaError
from ..ground import Bar, html_of
from ..xla_bridge import XlaShape, parse_shape_at
from .picture import MOST_DRAWN, bars_of
from .sizes import SIZE, bytes_printed_as

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ground import Bars


class Allocation(NamedTuple):
    """One allocation of a report. A field is None if the report does not have it.

    >>> from tla.memory.oom import read_reports
    >>> (report,) = read_reports('''Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.
    ...   1. Size: 32.00G
    ...      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}''')
    >>> found = report.allocations[0]
    >>> found.line, found.number, found.size, str(found.shape)
    (2, 1, '32.00G', 's32[8388608,8,4]{2,1,0:T(8,128)}')
    """

    line: int
    """Where it starts in the text, from 1."""
    number: int | None = None
    """Its number in the report's list."""
    size: str | None = None
    """The size in XLA's text, such as ``32.00G``; also for a plain number of bytes."""
    size_bytes: int | None = None
    """The plain number of bytes, if the report has one."""
    shape: XlaShape | None = None
    shape_text: str | None = None
    not_read: str = ""
    """Why the text of the shape is no shape; "" if it is one."""
    unpadded: str | None = None
    extra: str | None = None
    expansion: str | None = None
    operator: str | None = None
    label: str | None = None
    """The instruction, ``%copy.1 = s32[...] copy(...)``; it ends in ``...`` if it is cut."""
    kind: str | None = None
    """The allocation type: ``HLO temp``, ``scoped``, ``arguments``, ..."""
    tag: str | None = None
    whole: bool = True
    """Whether the text has its end."""


class Report(NamedTuple):
    """One out-of-memory report; its sizes are texts.

    >>> from tla.memory.oom import read_reports
    >>> (report,) = read_reports("Ran out of memory in memory space vmem. Used 17.00M of 16.00M vmem.")
    >>> report.what, report.space, report.used, report.capacity
    ('out of memory', 'vmem', '17.00M', '16.00M')
    """

    line: int
    """Where it starts in the text, from 1."""
    what: str
    """The kind of the report, in words."""
    space: str | None = None
    """The memory that ran out: ``hbm``, ``vmem``, ``smem``, ..."""
    used: str | None = None
    """The size that the program needed."""
    capacity: str | None = None
    exceeded: str | None = None
    totals: tuple[tuple[str, str], ...] = ()
    """The sums of the report, such as ``("program", "41.22G")``."""
    allocations: tuple[Allocation, ...] = ()
    times: int = 1
    """How often the text has the report."""
    cut_at: int | None = None
    """The last line of a report that is cut; None for a whole report."""
    not_understood: tuple[tuple[int, str], ...] = ()
    """Lines that look like part of it but do not fit: the number, and the reason."""

    def figure(self) -> Bars:
        """Return the picture of its allocations, as data: one after another, up to the capacity.

        The sizes are those of the text, so they may be rounded. Allocations without a size have no bar.
        """
        bars: list[Bar] = []
        at = 0
        for each in self.allocations[:MOST_DRAWN]:
            padded = each.size_bytes if each.size_bytes is not None else _bytes(each.size)
            if padded is None:
                continue
            data = _bytes(each.unpadded)
            name = each.label.partition(" ")[0] if each.label else each.kind
            number = f"#{each.number} " if each.number is not None else ""
            end = at + (padded if data is None else min(data, padded))
            bars.append(Bar(f"{number}{name or ''}".strip() or "?", at, end, at + padded, ()))
            at += padded
        used = f"{self.used} used" if self.used else self.what
        space = f"{self.space}: " if self.space else ""
        of = f" of {self.capacity}" if self.capacity else ""
        return bars_of(f"{space}{used}{of}", _bytes(self.capacity) or at, bars)

    def _repr_html_(self) -> str | None:
        return html_of(self)


def _bytes(text: str | None) -> int | None:
    """The number of bytes of a printed size: the middle of all numbers with that text."""
    candidates = range(0) if text is None else bytes_printed_as(text)
    return candidates[len(candidates) // 2] if candidates else None


ONE_SIZE: Final = re.compile(SIZE)
_EXTRA: Final = re.compile(rf"(?P<extra>{SIZE})(?: \((?P<expansion>[\d.]+x) expansion\))?")
_LABEL_SHAPE: Final = re.compile(r"%?[\w.-]+ = (?=\(|[a-z][a-z0-9]*\[)")
FIELDS: Final = {
    "Operator": "operator", "Shape": "shape_text", "Unpadded size": "unpadded", "Tag": "tag",
    "Extra memory due to padding": "extra", "XLA label": "label", "Allocation type": "kind",
}  # fmt: skip


def fill(allocation: Allocation, values: Mapping[str, str | None]) -> Allocation:
    fields: dict[str, Any] = {**allocation._asdict(), **values}
    return Allocation(**fields)


def with_field(allocation: Allocation, field: str, value: str) -> tuple[Allocation, bool]:
    """The allocation with the value of a line, and whether the value is valid."""
    if field == "shape_text":
        return with_shape(allocation, value), True
    match = _EXTRA.fullmatch(value) if field == "extra" else None
    if match is not None:
        return fill(allocation, match.groupdict()), True
    if field in ("unpadded", "extra"):
        read = ONE_SIZE.fullmatch(value) is not None
    else:
        read = bool(value) or field in ("operator", "tag")
    return fill(allocation, {field: value or None}), read


def with_shape(allocation: Allocation, text: str | None) -> Allocation:
    if text is None:
        return allocation
    try:
        shape, _end = parse_shape_at(text, 0)
    except TlaError as error:
        return allocation._replace(shape_text=text, not_read=error.summary)
    if not isinstance(shape, XlaShape):
        return allocation._replace(shape_text=text, not_read="it is no array")
    return allocation._replace(shape=shape, shape_text=text)


def with_label_shape(allocation: Allocation) -> Allocation:
    """Read the shape from the instruction, if the report has no line ``Shape:``."""
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
    if allocation.label[end : end + 1] != " ":
        return allocation._replace(not_read="the label ends in it")
    return with_shape(allocation, text) if isinstance(shape, XlaShape) else allocation


def tail(text: str) -> dict[str, str]:
    """The kind, the tag and the instruction of ``size = 0x400, scoped, tag = '...'] :: name``."""
    match = re.search(r"(?:, (?P<kind>\w+))?, tag = '(?P<tag>[^']*)'?\]?(?: :: (?P<label>.*))?", text)
    return {key: value for key, value in match.groupdict().items() if value} if match else {}
