# SPDX-License-Identifier: Apache-2.0
"""``tla hlo DUMP/``: what a compiler's dump folder says of the memory of its modules."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import UnsupportedError
from ..ground import plural, say
from ..hlo import ModuleError, parsed_proto, read_module
from ..memory import array_waste, read_assignment, read_live_ranges, read_proto_assignment
from ..xla_bridge import XlaShape, memory_space_name
from .columns import columns
from .common import InputError, bytes_in_words, is_proto, of_proto, read_file, short_bytes
from .hlo_buffers import LISTED, report as buffers_report
from .messages import complain, say_json
from .module_text import ModuleText
from .spaces import complain_of_spaces, room_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from ..memory import Allocation, Assignment, LiveRanges, PlacedValue

_STAGES: Final = (
    "after_codegen",
    "after_optimizations_after_buffer_assignment",
    "after_optimizations",
    "oom_intermediate_module",
    "after_optimizations_before_buffer_assignment",
)
"""The stages at which a dump has the compiled module, the one that says most first."""

_ASSIGNED: Final = _STAGES[1:3]
"""The stages whose protocol buffer has the buffer assignment, too."""

_FILE: Final = re.compile(
    rf"(.*?)(?:[a-z]+_|sm_[\d.]+_gpu_)?({'|'.join(_STAGES)})(-buffer-assignment|-live-range|-memory-usage-report)?"
    r"(\.txt|\.hlo\.pb)"
)
_TOTAL: Final = re.compile(r"\(color=(\d{1,9})\)\s+Total bytes: (\d{1,18})")
_HOW: Final = "Dump with XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_text'."

_WITHOUT: Final = {
    "module": "no text of the module: programs' names of arrays are not known",
    "-buffer-assignment": "no *buffer-assignment.txt: allocations and addresses are not known",
    "-live-range": "no *live-range.txt: what is live at once, and fragmentation, are not known",
    "-memory-usage-report": "no *memory-usage-report.txt: nothing to hold the totals against",
}


class Dumped(NamedTuple):
    """The files of one module, by what they hold: ``module``, or the end of their name."""

    name: str
    files: dict[str, str]

    @property
    def missing(self) -> list[str]:
        """What is not known without the files that are not there."""
        return [sentence for what, sentence in _WITHOUT.items() if what not in self.files]


def dumped_modules(folder: str) -> list[Dumped]:
    """Return the modules of a dump folder, by name.

    Raises:
        InputError: the folder cannot be read, or has no file of a compiled module.
    """
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise InputError.cannot("read", folder, error) from None
    found: dict[str, dict[str, tuple[bool, int, str]]] = {}
    for name in names:
        match = _FILE.fullmatch(name)
        if match is None:
            continue
        what, stage, path = match[3] or "module", _STAGES.index(match[2]), os.path.join(folder, name)
        files = found.setdefault(match[1].rstrip("."), {})
        rank = is_proto(name), stage, path
        files[what] = min(files.get(what, rank), rank)
        if rank[0] and match[2] in _ASSIGNED:
            files["-buffer-assignment"] = min(files.get("-buffer-assignment", rank), rank)
    if not found:
        raise InputError(f"{folder} has no text of a compiled module", _HOW, path=folder)
    return [
        Dumped(name, {what: path for what, (*_rank, path) in files.items()})
        for name, files in found.items()
    ]


def one_of(modules: list[Dumped], wanted: str | None, folder: str) -> Dumped:
    """Return the module whose name contains a text, or the only one.

    Raises:
        InputError: no module, or more than one, has such a name.
    """
    found = [each for each in modules if wanted is None or wanted in each.name]
    if len(found) == 1:
        return found[0]
    how = "--module NAME takes the one whose name contains NAME."
    names = [f"  {each.name}" for each in (found or modules)[:LISTED]]
    what = f"{plural(len(found), 'module')}" + (f" with {wanted!r} in the name" if wanted else "")
    raise InputError(f"{folder} has {what}", how, *names, path=folder)


def text_of(folder: str, wanted: str | None) -> str:
    """Return the path of the text of a dumped module.

    Raises:
        InputError: the folder has no such text, or several modules.
    """
    dumped = one_of(dumped_modules(folder), wanted, folder)
    if "module" not in dumped.files:
        raise InputError(f"{folder} has no text of the module {dumped.name}", _HOW, path=folder)
    return dumped.files["module"]


def report(path: str, options: argparse.Namespace) -> int:
    """Print what the dump of a module says, a folder or an ``.hlo.pb``; of many modules a line each."""
    if is_proto(path):
        name = os.path.basename(path).removesuffix(".pb").removesuffix(".hlo")
        dumped = Dumped(name, {"module": path, "-buffer-assignment": path})
    else:
        modules = dumped_modules(path)
        if options.module is None and len(modules) > 1:
            return _overview(modules, options)
        dumped = one_of(modules, options.module, path)
    if "-buffer-assignment" not in dumped.files:
        complain(f"tla: {_WITHOUT['-buffer-assignment']}; these are the buffers of the module")
        text = ModuleText(text_of(path, options.module))
        try:
            return buffers_report(text, options)
        finally:
            text.close()
    facts = _Facts(dumped)
    if options.json:
        say_json(_as_data(facts, options))
    else:
        _write(facts, options)
    complain_of_spaces(facts.assignment.totals, options.chip)
    return 0


def has_assignment(path: str) -> bool:
    """Whether a file is a protocol buffer with a buffer assignment.

    Raises:
        InputError: it is a protocol buffer without a module.
    """
    return is_proto(path) and of_proto(
        path, lambda data: parsed_proto(data).HasField("buffer_assignment")
    )


class _Facts:
    """What the files of a module say together."""

    def __init__(self, dumped: Dumped) -> None:
        files = dumped.files
        self.dumped = dumped
        self.assignment: Assignment = _assignment(files["-buffer-assignment"])
        self.ranges: LiveRanges = (
            read_live_ranges(read_file(files["-live-range"])) if "-live-range" in files else {}
        )
        report = read_file(files["-memory-usage-report"]) if "-memory-usage-report" in files else ""
        self.reported = {int(color): int(size) for color, size in _TOTAL.findall(report)}
        self.names = _names(files["module"]) if "module" in files else {}

    def rows(self) -> list[tuple[Allocation, PlacedValue]]:
        """The largest value of each allocation, and all of a temporary one, the largest first."""
        found: list[tuple[Allocation, PlacedValue]] = []
        for each in self.assignment.allocations:
            values = sorted(each.values, key=lambda value: -value.bytes)
            found += [(each, value) for value in (values if _is_temporary(each) else values[:1])]
        return sorted(found, key=lambda pair: (-pair[1].bytes, pair[0].number, pair[1].offset))

    def spaces(self) -> Iterator[tuple[int, int, int, int | None]]:
        """Each memory space with its bytes, those of temporaries, and the most of these that live."""
        for space, total in self.assignment.totals.items():
            own = [each for each in self.assignment.allocations if each.memory_space == space]
            temporary = [each for each in own if _is_temporary(each)]
            live = [each.most_live_bytes(self.ranges) for each in temporary]
            known = [each for each in live if each is not None]
            most = sum(known) if len(known) == len(live) else None
            yield space, total, sum(each.bytes for each in temporary), most


def _assignment(path: str) -> Assignment:
    if is_proto(path):
        return of_proto(path, read_proto_assignment)
    return read_assignment(read_file(path))


def _is_temporary(allocation: Allocation) -> bool:
    return allocation.kind in ("preallocated-temp", "temp")


def _names(path: str) -> dict[str, str]:
    """The program's name of each instruction of the module."""
    try:
        module = read_module(read_file(path))
    except ModuleError as error:
        complain(f"tla: {path}: {error.summary}; what was read is used")
        module = error.module
    return {each.name: each.op_name for one in module.computations for each in one.instructions}


def _write(facts: _Facts, options: argparse.Namespace) -> None:
    name = facts.dumped.name
    paths = dict.fromkeys(facts.dumped.files.values())
    files = [os.path.basename(path).removeprefix(f"{name}.") for path in paths]
    say(f"{name or 'the module'}, by {', '.join(files)}")
    for sentence in facts.dumped.missing:
        say(f"  {sentence}")
    say("")
    rows = facts.rows()
    listed = rows[: options.top or LISTED]
    table = [
        [
            short_bytes(value.bytes),
            _waste(value),
            str(allocation.number),
            str(value.offset),
            memory_space_name(allocation.memory_space, options.chip),
            allocation.kind,
            value.label,
            str(value.shape),
            facts.names.get(value.name, ""),
        ]
        for allocation, value in listed
    ]
    head = ["bytes", "waste", "allocation", "at", "space", "kind", "value", "shape", "op_name"]
    say(*columns(head, table, 4))
    more = f", {len(listed)} listed" if len(listed) < len(rows) else ""
    count = plural(len(facts.assignment.allocations), "allocation")
    say(f"{plural(len(rows), 'value')} in {count}{more}", "")
    for space, total, temporary, most in facts.spaces():
        name = memory_space_name(space, options.chip)
        say(f"{name}: {bytes_in_words(total)}")
        room = room_line(name, total, options.chip)
        if room:
            say(f"  {room}")
        if temporary:
            live = "" if most is None else f", at most {bytes_in_words(most)} live at once"
            say(f"  {bytes_in_words(temporary)} of temporaries{live}")
        if most is not None and temporary > most:
            say(f"  {bytes_in_words(temporary - most)} between them: fragmentation")
        stated = facts.reported.get(space, total if not facts.reported else 0)
        if stated != total:
            say(f"  the memory usage report says {bytes_in_words(stated)}")


def _waste(value: PlacedValue) -> str:
    if not isinstance(value.shape, XlaShape):
        return ""
    try:
        return short_bytes(array_waste(value.shape).waste_bytes)
    except UnsupportedError:
        return ""


def _overview(modules: list[Dumped], options: argparse.Namespace) -> int:
    rows: list[tuple[dict[int, int], str]] = []
    for dumped in modules:
        path = dumped.files.get("-buffer-assignment")
        totals = dict(_assignment(path).totals) if path else {}
        rows.append((totals, dumped.name))
    rows.sort(key=lambda row: (-sum(row[0].values()), row[1]))
    listed = rows[: options.top]
    if options.json:
        say_json({"modules": [{"module": name, "bytes": totals} for totals, name in listed]})
        return 0
    spaces = sorted({space for totals, _name in rows for space in totals})
    table = [
        [*(short_bytes(totals[space]) if space in totals else "" for space in spaces), name]
        for totals, name in listed
    ]
    head = [memory_space_name(space, options.chip) for space in spaces]
    say(*columns([*head, "module"], table, len(spaces)))
    say(f"{plural(len(rows), 'module')}; --module NAME takes the one whose name contains NAME")
    return 0


def _as_data(facts: _Facts, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "module": facts.dumped.name,
        "files": facts.dumped.files,
        "missing": facts.dumped.missing,
        "spaces": [
            {
                "memory_space": space,
                "bytes": total,
                "temporary_bytes": temporary,
                "most_live_bytes": most,
                "reported_bytes": facts.reported.get(space),
            }
            for space, total, temporary, most in facts.spaces()
        ],
        "values": [
            {
                "allocation": allocation.number,
                "kind": allocation.kind,
                "memory_space": allocation.memory_space,
                "value": value.label,
                "shape": str(value.shape),
                "bytes": value.bytes,
                "offset": value.offset,
                "op_name": facts.names.get(value.name, ""),
            }
            for allocation, value in facts.rows()[: options.top]
        ],
    }
