# SPDX-License-Identifier: Apache-2.0
"""``tla hlo --copies``: what each copy moves and costs, and the layouts that make it needless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ground import plural, say
from ..memory import copies, copy_totals, source_text
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


def report(module: Module, options: argparse.Namespace) -> int:
    """Print the copies of a module."""
    found = copies(module, options.chip or "v5e")
    rows = sorted(found, key=_weight, reverse=True)
    totals = copy_totals(found)
    if options.json:
        facts = {
            "module": module.name,
            "copies": [_facts(copy) for copy in rows[: options.top]],
            "totals": [total._asdict() for total in totals],
        }
        say_json(facts)
    else:
        _write(rows, found.advice, totals, options)
    moved = [shape for copy in found if copy.moves for shape in (copy.before, copy.after)]
    complain_of_spaces((shape.memory_space for shape in moved), options.chip)
    return 0


def _is_free(copy: Copy) -> bool:
    """Whether the copy is known to move nothing by itself, so that it needs no row."""
    return not copy.moves and copy.proof != "none"


def _weight(copy: Copy) -> tuple[int, int]:
    """The known costs of a copy."""
    return copy.cycles or 0, (copy.read_bytes + copy.written_bytes) * copy.times


# --- for people ---


def _write(
    rows: list[Copy],
    advice: Sequence[Advice],
    totals: Sequence[CopyTotal],
    options: argparse.Namespace,
) -> None:
    shown = [copy for copy in rows if options.all or not _is_free(copy)]
    listed = shown[: options.top or LISTED]
    if shown and options.by:
        say(*_group_lines(shown, options), "")
    elif shown:
        say(*_row_lines(listed, options), "")
        named = {each for copy in listed for each in copy.advice}
        for each in sorted(filter(named.__contains__, advice), key=lambda each: each.is_costly):
            say(*advice_lines(each), "")
    for total in totals:
        say(_total_line(total))
    if not totals:
        say("no copies")
    if len(listed) < len(shown) and not options.by:
        say(f"{plural(len(shown), 'copy')}, {len(listed)} listed")
    if len(shown) < len(rows):
        still = plural(len(rows) - len(shown), "copy")
        say(f"not listed, as nothing is moved: {still} (--all lists them)")


def _row_lines(rows: Sequence[Copy], options: argparse.Namespace) -> list[str]:
    head = ["cycles", "read", "written", "run", "kind", "copy", "from", "to", "source"]
    table = [
        [
            "" if copy.cycles is None else str(copy.cycles),
            short_bytes(copy.read_bytes * copy.times) if copy.moves else "",
            short_bytes(copy.written_bytes * copy.times) if copy.moves else "",
            "?" if copy.run is None else str(copy.run),
            _kind(copy, options.chip),
            f"%{copy.name}",
            str(copy.before),
            str(copy.after),
            copy.origin,
        ]
        for copy in rows
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
    if copy.runs is None:
        return f"{kind} (in a loop, turns unknown: counted once)"
    return kind + (f" ({copy.runs} times)" if copy.runs != 1 else "")


def advice_lines(advice: Advice) -> list[str]:
    """Return the lines on a piece of advice: what, for jax, what it saves and takes."""
    names = ", ".join(f"%{name}" for name in advice.copies)
    verb = "needs" if len(advice.copies) == 1 else "need"
    if advice.what == "donation":
        first = f"{names} may go: {advice}, which a result of its shape can then take the place of"
        second = f"donate_argnums=({advice.for_parameter},)"
    else:
        stays = f"; {'its' if verb == 'needs' else 'the'} {advice.stays} stays" if advice.stays else ""
        first, second = f"{names} {verb} no relayout: {advice}{stays}", advice.jax or advice.reason
    facts = [second, _gain(advice), _price(advice)]
    if advice.what == "pair":
        facts.append("set both: with one alone the result may no longer lie in the donated parameter")
    if advice.together:
        others = ", ".join(advice.together)
        facts.append(f"take it together with {others}: alone it saves less")
    if advice.risk:
        facts.append(f"risk: {advice.risk}")
    if advice.other_users:
        facts.append(f"also read by {', '.join(f'%{name}' for name in advice.other_users)}")
    return [first, *(f"    {fact}" for fact in facts if fact)]


def _gain(advice: Advice) -> str:
    """The savings; if a space move stays, the cycles are a maximum."""
    parts: list[str] = []
    if advice.saves_cycles is not None:
        parts.append(f"{'up to ' if advice.stays else ''}{advice.saves_cycles} estimated cycles")
    if advice.saves_bytes > 0:
        parts.append(f"{short_bytes(advice.saves_bytes)} read and written")
    return f"saves {', '.join(parts)}" if parts else ""


def _price(advice: Advice) -> str:
    """The memory that the change takes, and the bytes that a remaining space move adds."""
    extra = advice.memory_change
    if not extra or advice.what == "donation":
        return ""
    advised = physical_bytes(advice.layout)
    sizes = f"by {short_bytes(abs(extra))} to {short_bytes(advised)}"
    if extra < 0:
        return f"its memory shrinks {sizes}"
    text = f"its memory grows {sizes}, {in_tenths(advised, advised - extra)} times"
    if advice.saves_bytes < 0:
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


def _group_lines(rows: Sequence[Copy], options: argparse.Namespace) -> list[str]:
    groups: dict[str, list[Copy]] = {}
    for copy in rows:
        groups.setdefault(copy.origin if options.by == "source" else copy.op_name, []).append(copy)
    table: list[tuple[int, int, int, str]] = []
    for name, made in groups.items():
        cycles = sum(copy.cycles or 0 for copy in made)
        written = sum(copy.written_bytes * copy.times for copy in made)
        table.append((cycles, written, len(made), name or "(not said)"))
    table.sort(reverse=True)
    listed = table[: options.top or LISTED]
    lines = [[str(cycles), short_bytes(written), str(n), name] for cycles, written, n, name in listed]
    return columns(["cycles", "written", "copies", options.by], lines, 3) + left_out(table, listed)


# --- for programs ---


def _facts(copy: Copy) -> dict[str, Any]:
    return {
        "instruction": copy.name,
        "computation": copy.computation,
        "opcode": copy.opcode,
        "line": copy.line,
        "kind": copy.kind,
        "proof": copy.proof,
        "from": str(copy.before),
        "to": str(copy.after),
        "array": copy.array,
        "in_fusion": copy.is_inside,
        "in_loop": copy.is_in_loop,
        "runs": copy.runs,
        "read_bytes": copy.read_bytes,
        "written_bytes": copy.written_bytes,
        "padded_bytes": copy.padded_bytes,
        "run_elements": copy.run,
        "estimated_cycles": copy.estimated_cycles,
        "op_name": copy.op_name,
        "source": source_text(copy.source),
        "advice": [advice_facts(advice) for advice in copy.advice],
    }


def advice_facts(advice: Advice) -> dict[str, Any]:
    """Return a piece of advice as data."""
    return {
        "what": advice.what,
        "parameter": advice.for_parameter,
        "result": None if advice.for_result is None else list(advice.for_result),
        "name": advice.name,
        "present": str(advice.present),
        "layout": str(advice.layout),
        "jax": advice.jax or None,
        "reason": advice.reason or None,
        "copies": list(advice.copies),
        "stays": advice.stays or None,
        "memory_change": advice.memory_change,
        "is_costly": advice.is_costly,
        "saves_bytes": advice.saves_bytes,
        "saves_cycles": advice.saves_cycles,
        "other_users": list(advice.other_users),
        "together": list(advice.together),
        "risk": advice.risk or None,
    }
