"""``tla hlo``: the buffers of a module, what each takes in memory, and what of it is padding."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..hlo import ModuleError, read_module, read_stream
from ..memory import RULES, Tally, source_of, stream_buffers
from ..xla_bridge import to_layout
from ..xla_bridge.tpu import CHIPS, chip_named, memory_space_name
from . import complain
from .columns import columns
from .common import InputError, argument_parser, bytes_in_words, positive, short_bytes
from .module_text import ModuleText

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..hlo import Module
    from ..memory import AliasedValue, Buffer, Group, Row, Waste
    from ..xla_bridge import XlaShape

__all__ = ["run"]

_LISTED = 30
_WHOLE = ("against", "copies", "live")  # what needs all of a module; each has a report of its own

_EPILOG = f"""\
examples:
  tla hlo module.hlo --chip v5e
  tla hlo module.hlo --live --top 10
  tla hlo module.hlo --by source
  tla hlo module.hlo --copies
  tla hlo module.hlo --against before.hlo
  tla hlo - --json < module.hlo

A buffer is an array with memory of its own. What lies in the memory of another array is none: values
inside fusions, bitcasts, elements of tuples, what is handed on or written in place; --all lists these.
Waste is what padding takes, and 'why' the dims that are rounded up. Totals are of all buffers, whether
they are live at the same time or not; --live gives what is. A dynamic dim <=N counts as N.

With --copies: a relayout gives elements other offsets, a space move another memory, a duplicate neither;
a bitcast is free. 'run' is the longest run, in elements, that both layouts have in one piece; cycles are
the compiler's estimate. Advice is the layout of a parameter or result as jax takes it. --against says
what changed from OTHER to FILE.

Without --chip memory spaces have their numbers; the chips are {", ".join(CHIPS)}. Without --top
the first {_LISTED} buffers are listed, with --json all.
"""


def run(arguments: list[str]) -> int:
    options = _parser().parse_args(arguments)
    if options.chip is not None:
        options.chip = chip_named(options.chip).name
    text = ModuleText(options.file)
    try:
        wanted = next((each for each in _WHOLE if getattr(options, each)), None)
        if wanted is not None and (module := _whole(text, options)) is not None:
            return int(import_module(f".hlo_{wanted}", __package__).report(module, options))
        return _report(text, options)
    finally:
        text.close()


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("hlo", _EPILOG)
    add = parser.add_argument
    add("file", metavar="FILE", help="the text of an HLO module; - is standard input")
    add("--chip", help="the chip it is compiled for: names memory spaces")
    add("--top", type=positive, metavar="N", help="list only the first N")
    one_of = parser.add_mutually_exclusive_group().add_argument
    one_of("--live", action="store_true", help="what is live at the peak of each memory space")
    one_of("--copies", action="store_true", help="what each copy moves, and what would save it")
    one_of("--against", metavar="OTHER", help="what changed from another module to this one")
    add("--by", choices=("source", "op_name"), help="one line for each origin in the program")
    add("--all", action="store_true", help="list the arrays without memory of their own, too")
    add("--layouts", action="store_true", help="show the nested layout of each buffer")
    add("--opcode", action="append", default=[], help="take an opcode that a newer XLA has")
    add("--json", action="store_true", help="print one JSON object")
    return parser


def _whole(text: ModuleText, options: argparse.Namespace) -> Module | None:
    """The module, if all of its text can be read."""
    try:
        module = read_module("".join(text.pieces()), options.opcode)
    except ModuleError:
        return None
    return None if text.error is not None else module


def _report(text: ModuleText, options: argparse.Namespace) -> int:
    """Count buffers as they are read; what stands before a break is reported too."""
    stopped: ModuleError | None = None
    listed = options.top if options.top or options.json else _LISTED
    tally = Tally(listed, keep_aliases=options.all)
    try:
        roles = text.roles()
        stream = read_stream(text.pieces(), options.opcode)
        tally = Tally(listed, options.by, stream.header.tables, options.all)
        for computation in stream_buffers(stream, roles):
            tally.add(computation)
        name, tables = stream.header.name, stream.header.tables
    except ModuleError as error:
        stopped, name, tables = error, error.module.name, error.module.tables
    problem = _problem(text, stopped, options)
    if stopped is not None and not stopped.instructions:
        raise problem if problem is not None else stopped
    if options.json:
        print(json.dumps(_facts(tally, name, tables, problem, stopped, options)))
    else:
        _write(tally, options)
    if problem is not None:
        complain(f"tla: error: {problem}")
    return int(problem is not None)


def _problem(
    text: ModuleText, stopped: ModuleError | None, options: argparse.Namespace
) -> InputError | None:
    """Why the text ends before the module does, and where that is."""
    if stopped is None:
        return text.error
    if text.error is not None:
        summary, details = text.error.summary, []
    elif stopped.instructions:
        summary, details = f"{text.name} stops being a module in line {stopped.line}", [str(stopped)]
    else:
        summary, details = f"{text.name} is no HLO module", [str(stopped)]
    if stopped.instructions:
        details.append(f"{stopped.instructions} instructions before were read.")
        details += [f"--{each} needs the whole module." for each in _WHOLE if getattr(options, each)]
    return InputError(summary, *details, path=text.path)


# --- for people ---


def _write(tally: Tally, options: argparse.Namespace) -> None:
    if options.by:
        print(*group_lines(tally.groups, options), sep="\n")
    else:
        print(*_row_lines(tally.rows, options), sep="\n")
    if options.all:
        _write_aliases(tally.aliases[: options.top])
    for each in tally.unsized:
        complain(f"tla: not counted: {each.buffer.name}: {each.reason}")
    print()
    for total in tally.spaces:
        name = memory_space_name(total.memory_space, options.chip)
        size = f"{short_bytes(total.padded_bytes)}, of it {short_bytes(total.waste_bytes)} waste"
        print(f"{name}: {plural(total.buffers, 'buffer')}, {size}")
    outputs = tally.output_bytes(options.chip)
    if outputs is not None:
        print(f"arguments {bytes_in_words(tally.argument_bytes)}, results {bytes_in_words(outputs)}")
    unowned = sum(tally.by_rule.values())
    hint = "" if options.all or not unowned else " (--all lists them)"
    more = f", {len(tally.rows)} listed" if len(tally.rows) < tally.buffers and not options.by else ""
    have = "has" if unowned == 1 else "have"
    print(
        f"{plural(tally.buffers, 'buffer')}{more}; {plural(unowned, 'array')} {have} no memory of"
        f" {'its' if unowned == 1 else 'their'} own{hint}"
    )
    if tally.uncalled:
        print(f"not counted: {plural(len(tally.uncalled), 'computation')} that nothing read here calls")


def _row_lines(rows: Sequence[Row], options: argparse.Namespace) -> list[str]:
    head = ["waste", "padded", "data", "space", "kind", "buffer", "shape", "why"]
    table = [
        [
            short_bytes(waste.waste_bytes),
            short_bytes(waste.padded_bytes),
            short_bytes(waste.data_bytes),
            memory_space_name(buffer.shape.memory_space, options.chip),
            buffer.kind,
            label(buffer),
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
    """The table of groups."""
    table = [
        [
            short_bytes(group.padded_bytes),
            short_bytes(group.waste_bytes),
            str(group.buffers),
            group.name or "(not said)",
        ]
        for group in groups[: options.top or _LISTED]
    ]
    return columns(["padded", "waste", "buffers", options.by], table, 3)


def _write_aliases(aliases: Sequence[AliasedValue]) -> None:
    print()
    table = [
        [
            label(alias),
            str(alias.shape),
            ", ".join(f"%{name}{_way(way)}" for name, way in alias.of) or "-",
            alias.rule,
        ]
        for alias in aliases
    ]
    print(*columns(["array", "shape", "lies in", "rule"], table, 0), sep="\n")
    print()
    for rule in sorted({alias.rule for alias in aliases}):
        print(f"{rule}: {RULES[rule]}")


def label(array: Buffer | AliasedValue) -> str:
    """The name of an array of a result, as ``%sort.3{1}``."""
    return f"%{array.name}{_way(array.shape_index)}"


def _way(index: tuple[int, ...]) -> str:
    return f"{{{','.join(map(str, index))}}}" if index else ""


def plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


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
            {"buffer": label(each.buffer), "xla": str(each.buffer.shape), "reason": each.reason}
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
                "array": label(alias),
                "computation": alias.computation,
                "xla": str(alias.shape),
                "lies_in": [f"%{name}{_way(way)}" for name, way in alias.of],
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
        "buffer": label(buffer),
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
