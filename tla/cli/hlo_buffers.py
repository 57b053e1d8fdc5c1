# SPDX-License-Identifier: Apache-2.0
"""``tla hlo``: the buffers of a module, counted as they are read, and their padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..ground import plural, say
from ..hlo import ModuleError, read_stream
from ..memory import MOST_DRAWN, RULES, Tally, label_of, source_of, stream_buffers
from ..xla_bridge import memory_space_name, to_layout
from .columns import columns
from .common import InputError, bytes_in_words, short_bytes
from .messages import complain, say_json
from .pictures import is_asked_for, write_figure
from .spaces import complain_of_spaces

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..memory import AliasedValue, Buffer, Group, Row, Waste
    from ..xla_bridge import XlaShape
    from .module_text import ModuleText

LISTED = 30
"""How many rows a report has by default."""


def report(text: ModuleText, options: argparse.Namespace) -> int:
    """Count buffers as they are read; if the text breaks off, the part before the break is reported."""
    stopped: ModuleError | None = None
    listed = options.top if options.top or options.json else LISTED
    tally = Tally(listed, keep_aliases=options.all)
    try:
        outline = text.outline(options.opcode)
        stream = read_stream(text.pieces("buffers"), options.opcode)
        tally = Tally(listed, options.by, stream.header.tables, options.all)
        for computation in stream_buffers(stream, outline):
            tally.add(computation)
        name, tables = stream.header.name, stream.header.tables
    except ModuleError as error:
        stopped, name, tables = error, error.module.name, error.module.tables
    problem = text.problem(stopped)
    if stopped is not None and not stopped.instructions:
        raise problem if problem is not None else stopped
    if is_asked_for(options):
        write_figure(tally.figure(options.top or MOST_DRAWN, options.chip), options)
    elif options.json:
        say_json(_facts(tally, name, tables, problem, stopped, options))
    elif problem is None or tally.buffers or options.all:  # of a broken text no table of nothing
        _write(tally, options)
    complain_of_spaces((total.memory_space for total in tally.spaces), options.chip)
    if problem is not None:
        complain(f"tla: error: {problem}")
    return int(problem is not None)


# --- for people ---


def _write(tally: Tally, options: argparse.Namespace) -> None:
    if options.by and tally.groups:
        say(*group_lines(tally.groups, options), "")
    elif tally.rows:
        say(*_row_lines(tally.rows, options), "")
    if options.all and tally.aliases:
        _write_aliases(tally.aliases[: options.top])
    if options.chip and tally.buffers and not tally.is_tiled:
        complain(f"tla: no array has tiles: a {options.chip} adds padding that is not in these sizes")
    for each in tally.unsized:
        complain(f"tla: not counted: {each.buffer.name}: {each.reason}")
    for total in tally.spaces:
        name = memory_space_name(total.memory_space, options.chip)
        size = f"{short_bytes(total.padded_bytes)}, of it {short_bytes(total.waste_bytes)} waste"
        say(f"{name}: {plural(total.buffers, 'buffer')}, {size}")
    outputs = tally.output_bytes(options.chip)
    if outputs is not None:
        say(f"arguments {bytes_in_words(tally.argument_bytes)}, results {bytes_in_words(outputs)}")
    unowned = sum(tally.by_rule.values())
    hint = "" if options.all or not unowned else " (--all lists them)"
    more = f", {len(tally.rows)} listed" if len(tally.rows) < tally.buffers and not options.by else ""
    have = "has" if unowned == 1 else "have"
    say(
        f"{plural(tally.buffers, 'buffer')}{more}; {plural(unowned, 'array')} {have} no memory of"
        f" {'its' if unowned == 1 else 'their'} own{hint}"
    )
    if tally.uncalled:
        say(f"not counted: {plural(len(tally.uncalled), 'computation')} that nothing read here calls")


def _row_lines(rows: Sequence[Row], options: argparse.Namespace) -> list[str]:
    head = ["waste", "padded", "data", "space", "kind", "buffer", "shape", "why"]
    table = [
        [
            short_bytes(waste.waste_bytes),
            short_bytes(waste.padded_bytes),
            short_bytes(waste.data_bytes),
            memory_space_name(buffer.shape.memory_space, options.chip),
            buffer.kind,
            buffer.label,
            str(buffer.shape),
            "; ".join(map(str, waste.factors)),
        ]
        for buffer, waste in rows
    ]
    if options.layouts:
        head.append("layout")
        for line, row in zip(table, rows, strict=True):
            layout, reason = _layout(row.buffer.shape)
            line.append(layout or f"none ({reason})")
    return columns(head, table, 3)


def group_lines(groups: Sequence[Group], options: argparse.Namespace) -> list[str]:
    """The table of groups, and the number of groups left out."""
    listed = groups[: options.top or LISTED]
    table = [
        [
            short_bytes(group.padded_bytes),
            short_bytes(group.waste_bytes),
            str(group.buffers),
            group.name or "(not said)",
        ]
        for group in listed
    ]
    return columns(["padded", "waste", "buffers", options.by], table, 3) + left_out(groups, listed)


def left_out(groups: Sequence[object], listed: Sequence[object]) -> list[str]:
    """A line with the number of groups, if not all are listed."""
    return [f"{plural(len(groups), 'group')}, {len(listed)} listed"] if len(listed) < len(groups) else []


def _write_aliases(aliases: Sequence[AliasedValue]) -> None:
    table = [
        [
            alias.label,
            str(alias.shape),
            ", ".join(label_of(*each) for each in alias.of) or "-",
            alias.rule,
        ]
        for alias in aliases
    ]
    say(*columns(["array", "shape", "lies in", "rule"], table, 0))
    say("")
    for rule in sorted({alias.rule for alias in aliases}):
        say(f"{rule}: {RULES[rule]}")
    say("")


def _layout(shape: XlaShape) -> tuple[str, str]:
    """The nested layout of a shape; or nothing, and why there is none."""
    try:
        return str(to_layout(shape)), ""
    except UnsupportedError as error:
        return "", str(getattr(error, "reason", error.summary))


# --- for programs ---


def _facts(
    tally: Tally,
    name: str,
    tables: Any,
    problem: InputError | None,
    stopped: ModuleError | None,
    options: argparse.Namespace,
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "module": name,
        "buffers": [row_facts(row.buffer, row.waste, tables, options.chip) for row in tally.rows],
        "not_counted": [
            {"buffer": each.buffer.label, "xla": str(each.buffer.shape), "reason": each.reason}
            for each in tally.unsized
        ],
        "spaces": [
            {
                "memory_space": total.memory_space,
                "name": memory_space_name(total.memory_space, options.chip),
                "buffers": total.buffers,
                "bytes": total.data_bytes,
                "physical_bytes": total.padded_bytes,
                "waste_bytes": total.waste_bytes,
            }
            for total in tally.spaces
        ],
        "argument_bytes": tally.argument_bytes if tally.root is not None else None,
        "output_bytes": tally.output_bytes(options.chip),
        "without_memory": tally.by_rule,
        "uncalled_computations": tally.uncalled,
        "stopped": None,
    }
    if options.all:
        facts["aliases"] = [
            {
                "array": alias.label,
                "computation": alias.computation,
                "xla": str(alias.shape),
                "lies_in": [label_of(*each) for each in alias.of],
                "rule": alias.rule,
            }
            for alias in tally.aliases[: options.top]
        ]
    if options.by:
        facts["groups"] = group_facts(tally.groups[: options.top])
    if problem is not None:
        facts["stopped"] = {
            "line": stopped.line if stopped is not None else None,
            "reason": problem.summary,
        }
    return facts


def group_facts(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Groups as data."""
    return [
        {
            "name": group.name,
            "buffers": group.buffers,
            "bytes": group.data_bytes,
            "physical_bytes": group.padded_bytes,
            "waste_bytes": group.waste_bytes,
        }
        for group in groups
    ]


def row_facts(buffer: Buffer, waste: Waste, tables: Any, chip: str | None) -> dict[str, Any]:
    """A buffer as data."""
    layout, reason = _layout(buffer.shape)
    return {
        "buffer": buffer.label,
        "computation": buffer.computation,
        "line": buffer.line,
        "opcode": buffer.opcode,
        "kind": buffer.kind,
        "memory_space": buffer.shape.memory_space,
        "memory_space_name": memory_space_name(buffer.shape.memory_space, chip),
        "xla": str(buffer.shape),
        "tla": layout or None,
        "reason": reason or None,
        "bytes": waste.data_bytes,
        "physical_bytes": waste.padded_bytes,
        "waste_bytes": waste.waste_bytes,
        "factors": [factor._asdict() for factor in waste.factors],
        "op_name": buffer.op_name,
        "source": source_of(buffer, tables),
    }
