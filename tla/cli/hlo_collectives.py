# SPDX-License-Identifier: Apache-2.0
"""``tla hlo --collectives``: the devices of each collective, and the bytes that they move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import say
from ..memory import collectives, source_text
from .columns import columns
from .common import short_bytes
from .hlo_buffers import LISTED, left_out
from .messages import say_json

if TYPE_CHECKING:
    import argparse

    from ..hlo import Module
    from ..memory import Collective

_NAMED = 4
"""The most groups that a row names."""


def report(module: Module, options: argparse.Namespace) -> int:
    """Print the collectives of a module, those that move most first."""
    found = sorted(collectives(module), key=lambda each: -_moved(each))
    if options.json:
        say_json({"module": module.name, "collectives": [_facts(each) for each in found[: options.top]]})
        return 0
    if not found:
        say("no collectives")
        return 0
    listed = found[: options.top or LISTED]
    head = ["moved", "each device", "times", "opcode", "name", "groups", "source"]
    say(*columns(head, [_row(each) for each in listed], 3), *left_out(found, listed))
    total = sum(map(_moved, found))
    unknown = sum(each.moved_bytes is None for each in found)
    rest = f"; of {unknown} it is unknown" if unknown else ""
    say("", f"all devices together receive {total} bytes ({short_bytes(total)}){rest}")
    return 0


def _moved(each: Collective) -> int:
    return (each.moved_bytes or 0) * (1 if each.runs is None else each.runs)


def _row(each: Collective) -> list[str]:
    groups = "".join(f"{{{','.join(map(str, group))}}}" for group in each.groups[:_NAMED])
    return [
        "?" if each.moved_bytes is None else short_bytes(_moved(each)),
        "?" if each.received_bytes is None else short_bytes(each.received_bytes),
        "?" if each.runs is None else str(each.runs),
        each.opcode,
        f"%{each.name}",
        groups + ("..." if len(each.groups) > _NAMED else ""),
        source_text(each.source) or each.op_name,
    ]


def _facts(each: Collective) -> dict[str, object]:
    return {
        "instruction": each.name,
        "computation": each.computation,
        "opcode": each.opcode,
        "line": each.line,
        "groups": [list(group) for group in each.groups],
        "operand_bytes": each.operand_bytes,
        "result_bytes": each.result_bytes,
        "received_bytes": each.received_bytes,
        "moved_bytes": each.moved_bytes,
        "runs": each.runs,
        "op_name": each.op_name,
        "source": source_text(each.source),
    }
