# SPDX-License-Identifier: Apache-2.0
"""``tla hlo --against OTHER``: what changed from another module to this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ground import plural, say
from ..hlo import ModuleError, read_module
from ..memory import compare
from .columns import columns
from .common import InputError, name_of, read_file, short_bytes
from .messages import say_json
from .spaces import complain_of_spaces

if TYPE_CHECKING:
    import argparse

    from ..hlo import Module
    from ..memory import Comparison, Item, ShapeChange, ShapeGroup, Total


def report(module: Module, options: argparse.Namespace) -> int:
    """Print what changed from the module of another file to this one."""
    comparison = compare(_other(options), module, options.chip)
    if options.json:
        say_json(_facts(comparison, options))
    else:
        _write(comparison, options)
    spaces = (total.memory_space for total in comparison.totals)
    complain_of_spaces((space for space in spaces if space is not None), options.chip)
    return 0


def _write(comparison: Comparison, options: argparse.Namespace) -> None:
    say(f"from {options.against} to {options.file}")
    write_totals(comparison.totals, options)
    for change in comparison.shapes:
        say(change)
    if comparison.shapes:
        say("")
    groups = [group for group in comparison.groups if options.all or not group.is_inside]
    for group in groups[: options.top]:
        say(*_group_lines(group))
    inside = [group for group in comparison.groups if group.is_inside]
    if inside and not options.all:
        changed = sum(len(group.matches) for group in inside)
        say(f"{plural(changed, 'instruction')} within fusions changed (--all lists them)")
    alike = "" if comparison.groups else "nothing changed; "
    say(f"{alike}{plural(comparison.unchanged, 'instruction')} as before")


def _other(options: argparse.Namespace) -> Module:
    name = name_of(options.against)
    try:
        return read_module(read_file(options.against), options.opcode)
    except ModuleError as error:
        why = f"{name} is no whole HLO module"
        raise InputError(why, str(error), path=options.against) from None


def write_totals(totals: tuple[Total, ...], options: argparse.Namespace) -> None:
    """Print the numbers that changed, with ``--all`` every one."""
    table = [
        [_number(total, total.before), _number(total, total.after), _change(total), total.name]
        for total in totals
        if options.all or total.change != 0
    ]
    if table:
        say(*columns(["before", "after", "change", ""], table, 3))
    say("")


def _number(total: Total, n: int | None) -> str:
    if n is None:
        return "?"
    return short_bytes(n) if total.unit == "bytes" else str(n)


def _change(total: Total) -> str:
    change = total.change
    if change is None:
        return "?"
    return f"{'-' if change < 0 else '+'}{_number(total, abs(change))}"


def _group_lines(group: ShapeGroup) -> list[str]:
    """A sentence on a group; for changes, with the shape before and after."""
    size = "" if group.is_inside else f" ({short_bytes(group.bytes)})"
    lines = [f"{group.subject}{size} {group.predicate}"]
    if group.what == "changed":
        for before, after in group.matches:
            if before is not None and after is not None:
                what = "shape" if before.shape != after.shape else "op_name"
                old, new = getattr(before, what), getattr(after, what)
                lines.append(f"    %{after.name}: {old or '(none)'} -> {new or '(none)'}")
    return lines


def _facts(comparison: Comparison, options: argparse.Namespace) -> dict[str, Any]:
    return {
        "before": comparison.before,
        "after": comparison.after,
        "totals": [total_facts(total) for total in comparison.totals],
        "shapes": [_shape_facts(change) for change in comparison.shapes],
        "groups": [_group_facts(group) for group in comparison.groups[: options.top]],
        "unchanged": comparison.unchanged,
    }


def total_facts(total: Total) -> dict[str, Any]:
    """Return a number of both modules, as data."""
    return {**total._asdict(), "change": total.change}


def _shape_facts(change: ShapeChange) -> dict[str, Any]:
    return {
        "what": change.what,
        "place": list(change.place),
        "name": change.name,
        "before": None if change.before is None else str(change.before),
        "after": None if change.after is None else str(change.after),
        "differences": list(change.differences),
    }


def _group_facts(group: ShapeGroup) -> dict[str, Any]:
    return {
        "what": group.what,
        "opcode": group.opcode,
        "in_fusion": group.is_inside,
        "bytes": group.bytes,
        "instructions": [
            {"before": _item_facts(match.before), "after": _item_facts(match.after)}
            for match in group.matches
        ],
    }


def _item_facts(item: Item | None) -> dict[str, Any] | None:
    return None if item is None else item._asdict()
