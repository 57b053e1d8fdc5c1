# SPDX-License-Identifier: Apache-2.0
"""``tla hlo --copies``: what each copy moves and costs, and the layouts that make it needless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..ground import plural, say
from ..memory import Formats, copy_totals, module_copies, source_text
from ..xla_bridge import memory_space_name, physical_bytes
from .columns import columns
from .common import in_tenths, short_bytes
from .hlo_buffers import LISTED, left_out
from .messages import say_json
from .spaces import complain_of_spaces

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..hlo import Module
    from ..memory import Advice, Copy, CopyTotal


class _Row(NamedTuple):
    copy: Copy
    advice: tuple[Advice, ...]

    @property
    def is_free(self) -> bool:
        """Whether the copy is known to move nothing by itself, so that it needs no row."""
        return not self.copy.moves and not self.advice and self.copy.proof != "none"


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
        say_json(facts)
    else:
        _write(rows, totals, options)
    moved = [shape for copy in copies if copy.moves for shape in (copy.before, copy.after)]
    complain_of_spaces((shape.memory_space for shape in moved), options.chip)
    return 0


def _weight(copy: Copy) -> tuple[int, int]:
    """The known costs of a copy."""
    return copy.estimated_cycles or 0, copy.read_bytes + copy.written_bytes


# --- for people ---


def _write(rows: list[_Row], totals: Sequence[CopyTotal], options: argparse.Namespace) -> None:
    shown = [row for row in rows if options.all or not row.is_free]
    listed = shown[: options.top or LISTED]
    if shown and options.by:
        say(*_group_lines(shown, options), "")
    elif shown:
        say(*_row_lines(listed, options), "")
        advised = [(row.copy, advice) for row in listed for advice in row.advice]
        for copy, advice in sorted(advised, key=lambda pair: pair[1].is_costly):
            say(*_advice_lines(copy, advice), "")
    for total in totals:
        say(_total_line(total))
    if not totals:
        say("no copies")
    if len(listed) < len(shown) and not options.by:
        say(f"{plural(len(shown), 'copy')}, {len(listed)} listed")
    if len(shown) < len(rows):
        still = plural(len(rows) - len(shown), "copy")
        say(f"not listed, as nothing is moved: {still} (--all lists them)")


def _row_lines(rows: Sequence[_Row], options: argparse.Namespace) -> list[str]:
    head = ["cycles", "read", "written", "run", "kind", "copy", "from", "to", "source"]
    table = [
        [
            "" if copy.estimated_cycles is None else str(copy.estimated_cycles),
            short_bytes(copy.read_bytes) if copy.moves else "",
            short_bytes(copy.written_bytes) if copy.moves else "",
            "?" if copy.run is None else str(copy.run),
            _kind(copy, options.chip),
            f"%{copy.name}",
            str(copy.before),
            str(copy.after),
            copy.origin,
        ]
        for row in rows
        for copy in (row.copy,)
    ]
    return columns(head, table, 4)


def _kind(copy: Copy, chip: str | None) -> str:
    """What a copy does, in words."""
    kind = str(copy.kind)
    if copy.is_space_move:
        spaces = [memory_space_name(s.memory_space, chip) for s in (copy.before, copy.after)]
        kind += f" {' to '.join(spaces)}"
    if copy.proof is not None:
        kind += ": not shown" if copy.proof == "none" else f": {copy.proof}"
    if copy.is_inside:
        return f"{kind} (in a fusion)"
    return kind + (" (in a loop)" if copy.is_in_loop else "")


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
    lines += [f"    {sentence}" for sentence in (_gain(copy, advice), _price(advice)) if sentence]
    if advice.other_users:
        names = ", ".join(f"%{name}" for name in advice.other_users)
        lines.append(f"    also read by {names}")
    return lines


def _gain(copy: Copy, advice: Advice) -> str:
    """The savings; if a space move stays, only the cycles are known, and only as a maximum."""
    if not copy.moves:
        return "saves no memory traffic: the copy is part of a fusion"
    parts: list[str] = []
    if advice.saved_cycles is not None:
        parts.append(f"{'up to ' if advice.stays else ''}{advice.saved_cycles} estimated cycles")
    if advice.saved_bytes > 0:
        parts.append(f"{short_bytes(advice.saved_bytes)} read and written")
    turns = " in each turn of the loop" if copy.is_in_loop else ""
    return f"saves {', '.join(parts)}{turns}" if parts else ""


def _price(advice: Advice) -> str:
    """The memory that the change takes, and the bytes that a remaining space move adds."""
    extra = advice.extra_bytes
    if not extra:
        return ""
    advised = physical_bytes(advice.advised)
    sizes = f"by {short_bytes(abs(extra))} to {short_bytes(advised)}"
    if extra < 0:
        return f"its memory shrinks {sizes}"
    text = f"its memory grows {sizes}, {in_tenths(advised, advised - extra)} times"
    if advice.saved_bytes < 0:
        text += f"; the {advice.stays} moves as much more"
    return f"costly: {text}" if advice.is_costly else text


def _total_line(total: CopyTotal) -> str:
    if not total.copies:
        return f"{total.kind}: {total.inside} in fusions only"
    parts = [f"{total.copies}"]
    if total.written_bytes:
        sizes = [total.read_bytes, total.written_bytes, total.padded_bytes]
        read, written, padded = map(short_bytes, sizes)
        parts += [f"{read} read", f"{written} written ({padded} padding)"]
    if total.estimated_cycles:
        parts.append(f"{total.estimated_cycles} cycles estimated")
    inside = f"; {total.inside} more in fusions" if total.inside else ""
    return f"{total.kind}: {', '.join(parts)}{inside}"


def _group_lines(rows: Sequence[_Row], options: argparse.Namespace) -> list[str]:
    groups: dict[str, list[Copy]] = {}
    for row in rows:
        name = row.copy.origin if options.by == "source" else row.copy.op_name
        groups.setdefault(name, []).append(row.copy)
    table: list[tuple[int, int, int, str]] = []
    for name, copies in groups.items():
        cycles = sum(copy.estimated_cycles or 0 for copy in copies)
        written = sum(copy.written_bytes for copy in copies)
        table.append((cycles, written, len(copies), name or "(not said)"))
    table.sort(reverse=True)
    listed = table[: options.top or LISTED]
    lines = [[str(cycles), short_bytes(written), str(n), name] for cycles, written, n, name in listed]
    return columns(["cycles", "written", "copies", options.by], lines, 3) + left_out(table, listed)


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
        "in_loop": copy.is_in_loop,
        "read_bytes": copy.read_bytes,
        "written_bytes": copy.written_bytes,
        "padded_bytes": copy.padded_bytes,
        "run_elements": copy.run,
        "estimated_cycles": copy.estimated_cycles,
        "op_name": copy.op_name,
        "source": source_text(copy.source),
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
        "is_costly": advice.is_costly,
        "saved_bytes": advice.saved_bytes,
        "saved_cycles": advice.saved_cycles,
        "other_users": list(advice.other_users),
    }
