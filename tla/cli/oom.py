# SPDX-License-Identifier: Apache-2.0
"""``tla oom``: out-of-memory reports of TPU compilers, computed again, with cheaper layouts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..ground import plural, say
from ..memory import check, chip_of, printed_bytes, printed_expansion, read_reports
from ..xla_bridge import CHIPS, chip_named
from .columns import columns, wrapped
from .common import name_of, positive, read_bytes
from .messages import complain, say_json
from .parser import argument_parser

if TYPE_CHECKING:
    from ..memory import Candidate, Checked, Report

_CHIP = "v5e"

_EPILOG = """\
examples:
  tla oom error.log
  tla oom - --top 3 < error.log
  tla oom error.log --chip v4 --json

Sizes are written as XLA writes them: powers of 1024, 32.00G is 32 GiB. 'agrees' means that every
number that the report states of an allocation is the one computed from its shape. Advice is for
layouts that the compiler of the chip accepts. A file that holds no report, ends inside one, has
lines of one that are not understood, or is no text: exit code 1, after what was read is reported.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("oom", _EPILOG)
    parser.add_argument("file", metavar="FILE", help="a log; - is standard input")
    parser.add_argument("--top", type=positive, metavar="N", help="list only the first N allocations")
    chips = f"one of {', '.join(CHIPS)}; else the one with the memory that the report names, or {_CHIP}"
    parser.add_argument("--chip", type=_chip, metavar="CHIP", help=chips)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    name = name_of(options.file)
    text, damage = _read(options.file, name)
    faults = [damage] if damage else []
    reports = read_reports(text, name)
    chips_of = [_chip_of(report, options.chip) for report in reports]
    checked = [
        [check(allocation, chip) for allocation in report.allocations]
        for report, (chip, _why) in zip(reports, chips_of, strict=True)
    ]
    if options.json:
        facts = [
            {"chip": chip, **_facts(report, entries[: options.top])}
            for report, entries, (chip, _why) in zip(reports, checked, chips_of, strict=True)
        ]
        say_json({"reports": facts})
    else:
        for report, entries, (chip, why) in zip(reports, checked, chips_of, strict=True):
            if report is not reports[0]:
                say("")
            _write(report, entries, options.top, f"{chip}, {why}")
    faults += [
        f"{name} stops in line {report.cut_at}, inside the report of line {report.line}"
        for report in reports
        if report.cut_at is not None
    ]
    odd = sorted(entry for report in reports for entry in report.not_understood)
    if odd:
        lines = f"{plural(len(odd), 'line')} not understood"
        first = f"the first in line {odd[0][0]}" if len(odd) > 1 else f"line {odd[0][0]}"
        faults.append(f"{name}: {lines}, {first}: {odd[0][1]}")
    for fault in faults:
        complain(f"tla: {fault}; what was read is reported")
    return 1 if faults else 0


def _chip(text: str) -> str:
    from ..errors import UnsupportedError

    try:
        return chip_named(text).name
    except UnsupportedError as error:
        raise argparse.ArgumentTypeError(f"{error.summary}; known: {', '.join(CHIPS)}") from None


def _chip_of(report: Report, name: str | None) -> tuple[str, str]:
    """The chip whose tiles a report is computed with, and the reason for it."""
    if name is not None:
        return name, "as asked"
    chip = chip_of(report)
    if chip is not None:
        return chip.name, f"which has {chip.hbm} of hbm"
    return _CHIP, "assumed"


def _read(path: str, name: str) -> tuple[str, str]:
    """The text of a file, as far as it is text, and the fault that ends it, or None."""
    data = read_bytes(path)
    text = data.decode("utf-8-sig", "replace")
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return text, f"{name} is not all text: byte {error.start}, in line {line}, is not UTF-8"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return text, f"{name} is not all text: line {line} has a zero byte"
    return text, ""


# --- text ---


def _write(report: Report, entries: list[Checked], top: int | None, chip: str) -> None:
    say(_headline(report))
    if report.totals:
        say(*wrapped((f"{name} {size}" for name, size in report.totals), "  "))
    if not entries:
        say("  it lists no allocation; 'tla hlo FILE --live' lists what is live, where FILE is the")
        say("  *.after_optimizations.txt that XLA writes with XLA_FLAGS=--xla_dump_to=FOLDER")
        return
    say(f"  tiles and advice for {chip}")
    listed = entries[:top]
    head = ("#", "size", "data", "padding", "times", "check", "shape")
    rows = [_row(i, entry) for i, entry in enumerate(listed, 1)]
    say(*columns(head, rows, 5, "  "))
    say(*_sum(report, entries, listed))
    for i, entry in enumerate(listed, 1):
        _write_advice(_number(i, entry), entry)


def _headline(report: Report) -> str:
    space = f" in {report.space}" if report.space else ""
    sizes = f": {report.used}" if report.used else ""
    sizes += f" of {report.capacity}" if report.used and report.capacity else ""
    sizes += f", {report.exceeded} too much" if report.exceeded else ""
    times = f", {report.times} times" if report.times > 1 else ""
    return f"line {report.line}: {report.what}{space}{sizes}{times}"


def _number(i: int, entry: Checked) -> int:
    return i if entry.allocation.number is None else entry.allocation.number


def _row(i: int, entry: Checked) -> tuple[str, ...]:
    allocation, padding = entry.allocation, entry.padding
    # All figures of a row are of one origin: where the two differ, they are those of the report.
    known = padding if padding and not entry.differences else allocation
    sizes = (allocation.size or known.size, known.unpadded, known.extra, known.expansion)
    verdict = "differs" if entry.differences else "agrees" if padding else "not computed"
    shape = allocation.shape_text or allocation.label or allocation.tag or "-"
    return (
        str(_number(i, entry)),
        *(size or "-" for size in sizes),
        verdict,
        shape if padding or len(shape) < 60 else f"{shape[:60]}...",
    )


def _sum(report: Report, entries: list[Checked], shown: list[Checked]) -> list[str]:
    known = [entry for entry in entries if entry.padding is not None]
    size = sum(entry.padding.size_bytes for entry in known if entry.padding)
    data = sum(entry.padding.unpadded_bytes for entry in known if entry.padding)
    saved = sum(entry.saved_bytes for entry in known)
    listed = f", {len(shown)} listed" if len(shown) < len(entries) else ""
    out = f"{plural(len(entries), 'allocation')}{listed}"
    if not known:
        return [f"  {out}"]
    out += f": {printed_bytes(size)} computed"
    out += f", data {printed_bytes(data)}"
    out += f" ({printed_expansion(size, data)})" if data else ""
    goal = f"; {report.exceeded} must go" if saved and report.exceeded else ""
    best = [f"  in their best layouts {printed_bytes(saved)} less{goal}"] if saved else []
    return [f"  {out}", *best]


def _write_advice(number: int, entry: Checked) -> None:
    if not (entry.differences or entry.notes or entry.factors or entry.layouts or entry.shapes):
        return
    shape = entry.padding.shape if entry.padding else entry.allocation.shape_text or ""
    say("", f"  {number}. {shape}".rstrip())
    for text in (*entry.differences, *entry.notes):
        say(f"     {text}")
    if entry.factors:
        say(f"     padded: {'; '.join(entry.factors)}")
    for candidate in (*entry.layouts[:1], *entry.shapes):
        _write_candidate(candidate)
    if entry.factors and not entry.layouts and not entry.shapes and entry.allocation.kind != "scoped":
        say("     no order of the dims costs less")


def _write_candidate(candidate: Candidate) -> None:
    size = printed_bytes(candidate.bytes)
    times = printed_expansion(candidate.bytes, candidate.data_bytes)
    say(f"     {size} ({times}), {printed_bytes(candidate.saved_bytes)} less: {candidate.how}")
    say(f"       {candidate.xla}")
    if candidate.change == "order" and candidate.jax is not None:
        say(f"       jax: {candidate.jax}")


# --- JSON ---


def _facts(report: Report, entries: list[Checked]) -> dict[str, Any]:
    facts = report._asdict()
    facts["totals"] = [list(total) for total in report.totals]
    facts["allocations"] = [_allocation_facts(entry) for entry in entries]
    return facts


def _allocation_facts(entry: Checked) -> dict[str, Any]:
    report = entry.allocation._asdict()
    del report["shape"]
    padding = entry.padding
    computed = padding and {
        "shape": str(padding.shape),
        "assumed": padding.assumed,
        "size": padding.size,
        "size_bytes": padding.size_bytes,
        "unpadded": padding.unpadded,
        "unpadded_bytes": padding.unpadded_bytes,
        "extra": padding.extra,
        "extra_bytes": padding.extra_bytes,
        "expansion": padding.expansion,
    }
    return {
        "report": report,
        "computed": computed,
        "differences": list(entry.differences),
        "notes": list(entry.notes),
        "padded": list(entry.factors),
        "layouts": [_candidate_facts(candidate) for candidate in entry.layouts],
        "shapes": [_candidate_facts(candidate) for candidate in entry.shapes],
    }


def _candidate_facts(candidate: Candidate) -> dict[str, Any]:
    return {
        "change": candidate.change,
        "how": candidate.how,
        "xla": candidate.xla,
        "jax": candidate.jax,
        "bytes": candidate.bytes,
        "saved_bytes": candidate.saved_bytes,
        "expansion": candidate.expansion,
    }
