"""``tla hlo --copies``: what each copy moves and costs, and the layouts that make it needless."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ..memory.copies import copy_totals, module_copies
from ..memory.formats import Formats
from ..xla_bridge.tpu import memory_space_name
from .columns import columns
from .common import short_bytes

if TYPE_CHECKING:
    import argparse

    from ..hlo import Module
    from ..memory.copies import Copy, CopyTotal
    from ..memory.formats import Advice

__all__ = ["report"]

_LISTED = 30


class _Row(NamedTuple):
    copy: Copy
    advice: tuple[Advice, ...]

    @property
    def is_free(self) -> bool:
        """Whether there is nothing to say of it: it moves nothing by itself, and that is known."""
        quiet = self.copy.kind == "free" or self.copy.is_inside
        return quiet and not self.advice and self.copy.proof != "none"

    @property
    def source(self) -> str:
        for line in self.copy.source[:1]:
            return f"{line.file}:{line.line}" + (f" ({line.function})" if line.function else "")
        return ""


def report(module: Module, options: argparse.Namespace) -> int:
    """Print the copies of a module."""
    formats = Formats(module)
    copies = module_copies(module)
    rows = [_Row(copy, formats.of(copy)) for copy in copies]
    rows.sort(key=lambda row: _weight(row.copy), reverse=True)
    totals = copy_totals(copies)
    if options.json:
        facts = {
            "module": module.name,
            "copies": [_facts(row) for row in rows[: options.top]],
            "totals": [total._asdict() for total in totals],
        }
        print(json.dumps(facts))
        return 0
    listed = [row for row in rows if options.all or not row.is_free]
    if options.by:
        _write_groups(listed, options)
    else:
        _write(listed[: options.top or _LISTED], options)
    print()
    for total in totals:
        print(_total_line(total))
    more = len(listed) - len(listed[: options.top or _LISTED])
    if more and not options.by:
        print(f"{more} not listed")
    return 0


def _weight(copy: Copy) -> tuple[int, int]:
    """What a copy costs, as far as it is known."""
    return copy.estimated_cycles or 0, copy.read_bytes + copy.written_bytes


# --- for people ---


def _write(rows: list[_Row], options: argparse.Namespace) -> None:
    head = ["cycles", "read", "written", "run", "kind", "copy", "from", "to", "source"]
    table = [
        [
            "" if copy.estimated_cycles is None else str(copy.estimated_cycles),
            short_bytes(copy.read_bytes),
            short_bytes(copy.written_bytes),
            "?" if copy.run is None else str(copy.run),
            _kind(copy, options.chip),
            f"%{copy.name}",
            str(copy.before),
            str(copy.after),
            row.source or copy.op_name,
        ]
        for row in rows
        for copy in (row.copy,)
    ]
    print(*columns(head, table, 4), sep="\n")
    for row in rows:
        for advice in row.advice:
            print(*_advice_lines(row.copy, advice), sep="\n")


def _kind(copy: Copy, chip: str | None) -> str:
    """What a copy does, in words."""
    words: dict[str, str] = {"both": "relayout, space move"}
    kind = words.get(copy.kind, str(copy.kind))
    if copy.kind in ("space move", "both"):
        spaces = [memory_space_name(s.memory_space, chip) for s in (copy.before, copy.after)]
        kind += f" {' to '.join(spaces)}"
    if copy.proof is not None:
        kind += ": not shown" if copy.proof == "none" else f": {copy.proof}"
    if copy.is_inside:
        return f"{kind} (in a fusion)"
    return kind + (" (in a loop)" if copy.role in ("body", "condition") else "")


def _advice_lines(copy: Copy, advice: Advice) -> list[str]:
    if advice.what == "donation":
        lines = [
            f"%{copy.name} may go: {advice}, which a result of its shape can then take the place of"
        ]
        lines.append(f"    donate_argnums=({advice.number},)")
    else:
        rest = f"; its {advice.stays} stays" if advice.stays else ""
        lines = [f"%{copy.name} needs no relayout: {advice}{rest}"]
        lines.append(f"    {advice.jax or advice.reason}")
    if advice.extra_bytes:
        word = "more" if advice.extra_bytes > 0 else "less"
        lines.append(f"    takes {short_bytes(abs(advice.extra_bytes))} {word} of memory")
    if advice.other_users:
        names = ", ".join(f"%{name}" for name in advice.other_users)
        lines.append(f"    also read by {names}")
    return ["", *lines]


def _total_line(total: CopyTotal) -> str:
    parts = [f"{total.copies}"]
    if total.written_bytes:
        sizes = [total.read_bytes, total.written_bytes, total.padded_bytes]
        read, written, padded = map(short_bytes, sizes)
        parts += [f"{read} read", f"{written} written ({padded} padding)"]
    if total.estimated_cycles:
        parts.append(f"{total.estimated_cycles} cycles estimated")
    if total.inside:
        parts.append(f"{total.inside} more in fusions")
    name = "relayout, space move" if total.kind == "both" else total.kind
    return f"{name}: {', '.join(parts)}"


def _write_groups(rows: list[_Row], options: argparse.Namespace) -> None:
    groups: dict[str, list[Copy]] = {}
    for row in rows:
        name = row.source if options.by == "source" else row.copy.op_name
        groups.setdefault(name, []).append(row.copy)
    table: list[tuple[int, int, int, str]] = []
    for name, copies in groups.items():
        cycles = sum(copy.estimated_cycles or 0 for copy in copies)
        written = sum(copy.written_bytes for copy in copies)
        table.append((cycles, written, len(copies), name or "(not said)"))
    table.sort(reverse=True)
    lines = [
        [str(cycles), short_bytes(written), str(n), name]
        for cycles, written, n, name in table[: options.top or _LISTED]
    ]
    print(*columns(["cycles", "written", "copies", options.by], lines, 3), sep="\n")


# --- for programs ---


def _facts(row: _Row) -> dict[str, Any]:
    copy = row.copy
    return {
        "instruction": copy.name,
        "computation": copy.computation,
        "opcode": copy.opcode,
        "line": copy.line,
        "kind": copy.kind,
        "proof": copy.proof,
        "from": str(copy.before),
        "to": str(copy.after),
        "in_fusion": copy.is_inside,
        "in_loop": copy.role in ("body", "condition"),
        "read_bytes": copy.read_bytes,
        "written_bytes": copy.written_bytes,
        "padded_bytes": copy.padded_bytes,
        "run_elements": copy.run,
        "estimated_cycles": copy.estimated_cycles,
        "op_name": copy.op_name,
        "source": row.source,
        "advice": [_advice_facts(advice) for advice in row.advice],
    }


def _advice_facts(advice: Advice) -> dict[str, Any]:
    return {
        "what": advice.what,
        "parameter": advice.number,
        "result": list(advice.result) if advice.what == "result" else None,
        "name": advice.name,
        "present": str(advice.present),
        "advised": str(advice.advised),
        "jax": advice.jax or None,
        "reason": advice.reason or None,
        "stays": advice.stays or None,
        "extra_bytes": advice.extra_bytes,
        "other_users": list(advice.other_users),
    }
