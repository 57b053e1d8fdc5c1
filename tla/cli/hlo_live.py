# SPDX-License-Identifier: Apache-2.0
"""``tla hlo --live``: the buffers that are live at the peak of each memory space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ground import plural, say
from ..memory import (
    MOST_DRAWN,
    alias_bytes,
    argument_bytes,
    array_waste,
    grouped,
    is_tiled,
    live,
    output_bytes,
)
from ..xla_bridge import memory_space_name
from .columns import columns
from .common import bytes_in_words, short_bytes
from .hlo_buffers import group_facts, group_lines, row_facts
from .messages import say_json
from .pictures import is_asked_for, write_figure
from .spaces import capacity, complain_of_spaces, room_line

if TYPE_CHECKING:
    import argparse

    from ..hlo import Module
    from ..memory import Liveness, Peak, VmemPeak

_LISTED = 10
_WIDTH = 40
"""The length of the longest bar."""


def report(module: Module, options: argparse.Namespace) -> int:
    """Print the buffers that are live at the peaks of a module."""
    liveness = live(module, options.chip)
    if is_asked_for(options):
        write_figure(liveness.figure(options.chip, options.top or MOST_DRAWN), options)
    elif options.json:
        say_json(_facts(module, liveness, options))
    else:
        _write(module, liveness, options)
    complain_of_spaces((peak.memory_space for peak in liveness.peaks), options.chip)
    return 0


def _write(module: Module, liveness: Liveness, options: argparse.Namespace) -> None:
    if not module.is_scheduled:
        say("The module is not scheduled: the order of its text is taken.", "")
    for each in liveness.peaks:
        _write_peak(module, each, liveness.steps, options)
    if liveness.vmem is not None:
        _write_vmem(liveness.vmem, liveness.steps, options)
    space = memory_space_name(liveness.simulated_space, options.chip)
    figure = bytes_in_words(liveness.compiler_peak_bytes)
    if is_tiled(module):
        say(f"peak_memory_in_bytes as the TPU compiler counts it: {figure}")
    else:
        say(f"arguments, results and temporaries: {figure}; no array has tiles: it is not a TPU's")
    say(f"  {bytes_in_words(liveness.reserved_bytes)} of arguments, constants and results,")
    say(f"  {bytes_in_words(liveness.simulated_bytes)} of temporaries in the space with most, {space}")
    if liveness.left_over_bytes:
        more = bytes_in_words(liveness.left_over_bytes)
        say(f"  it may count up to {more} more: of a conditional, in an order that the text leaves open")


def _write_vmem(peak: VmemPeak, steps: int, options: argparse.Namespace) -> None:
    """The VMEM of buffers and of the instruction that runs, together."""
    where = f"%{peak.step.instruction.name} of {peak.step.computation}"
    say(f"VMEM in use: {bytes_in_words(peak.bytes)} at step {peak.at + 1} of {steps}, {where}")
    say(f"  {bytes_in_words(peak.scoped_bytes)} of it are scoped: the instruction takes them for itself")
    _write_room("VMEM", peak.bytes, options)
    say("")


def _write_room(name: str, used: int, options: argparse.Namespace) -> None:
    line = room_line(name, used, options.chip)
    if line:
        say(f"  {line}")


def _write_peak(module: Module, peak: Peak, steps: int, options: argparse.Namespace) -> None:
    name = memory_space_name(peak.memory_space, options.chip)
    where = f"%{peak.step.instruction.name} of {peak.step.computation}"
    say(f"{name}: {bytes_in_words(peak.bytes)} at step {peak.at + 1} of {steps}, {where}")
    if peak.reserved_bytes:
        say(f"  {bytes_in_words(peak.reserved_bytes)} of it are live for the whole run")
    if name == "HBM":
        _write_room(name, peak.bytes, options)
    if options.by == "step":
        say(*_over_steps(peak), "")
        return
    if options.by:
        say(*group_lines(grouped(peak.buffers, options.by, module.tables), options))
        say("")
        return
    listed = peak.buffers[: options.top or _LISTED]
    table: list[list[str]] = []
    for buffer in listed:
        waste = array_waste(buffer.shape)
        sizes = [short_bytes(waste.padded_bytes), short_bytes(waste.waste_bytes)]
        table.append([*sizes, buffer.kind, buffer.label, str(buffer.shape), buffer.op_name])
    say(*columns(["padded", "waste", "kind", "buffer", "shape", "op_name"], table, 2))
    more = f", {len(listed)} listed" if len(listed) < len(peak.buffers) else ""
    say(f"{plural(len(peak.buffers), 'buffer')}{more}", "")


def _over_steps(peak: Peak) -> list[str]:
    """The memory over the program order: the most of each part of the steps, and a bar of it."""
    table = [
        [
            f"{first + 1}-{last + 1}" if first < last else f"{first + 1}",
            short_bytes(peak.usage[at]),
            "#" * (peak.usage[at] * _WIDTH // peak.bytes) if peak.bytes else "",
            str(at + 1),
        ]
        for first, last, at in peak.parts()
    ]
    return columns(["steps", "most", "", "at"], table, 2)


def _facts(module: Module, liveness: Liveness, options: argparse.Namespace) -> dict[str, Any]:
    vmem = liveness.vmem
    return {
        "module": module.name,
        "is_scheduled": module.is_scheduled,
        "steps": liveness.steps,
        "argument_bytes": argument_bytes(module),
        "output_bytes": output_bytes(module, options.chip),
        "alias_bytes": alias_bytes(module),
        "compiler_peak_bytes": liveness.compiler_peak_bytes,
        "reserved_bytes": liveness.reserved_bytes,
        "simulated_bytes": liveness.simulated_bytes,
        "simulated_space": liveness.simulated_space,
        "left_over_bytes": liveness.left_over_bytes,
        "vmem": None if vmem is None else _vmem_facts(vmem, options.chip),
        "peaks": [_peak_facts(module, peak, options) for peak in liveness.peaks],
    }


def _vmem_facts(peak: VmemPeak, chip: str | None) -> dict[str, Any]:
    return {
        "bytes": peak.bytes,
        "scoped_bytes": peak.scoped_bytes,
        "capacity_bytes": capacity("VMEM", chip),
        "step": peak.at,
        "instruction": peak.step.instruction.name,
        "computation": peak.step.computation,
    }


def _peak_facts(module: Module, peak: Peak, options: argparse.Namespace) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "memory_space": peak.memory_space,
        "name": memory_space_name(peak.memory_space, options.chip),
        "bytes": peak.bytes,
        "reserved_bytes": peak.reserved_bytes,
        "capacity_bytes": capacity(memory_space_name(peak.memory_space, options.chip), options.chip),
        "step": peak.at,
        "instruction": peak.step.instruction.name,
        "computation": peak.step.computation,
        "live": len(peak.buffers),
    }
    if options.by == "step":
        names = ("first", "last", "at")
        facts["parts"] = [
            dict(zip(names, part, strict=True)) | {"bytes": peak.usage[part[2]]} for part in peak.parts()
        ]
    elif options.by:
        groups = grouped(peak.buffers, options.by, module.tables)
        facts["groups"] = group_facts(groups[: options.top])
    else:
        facts["buffers"] = [
            row_facts(buffer, array_waste(buffer.shape), module.tables, options.chip)
            | {"read_by": [step.instruction.name for step in readers]}
            for buffer, readers in zip(peak.buffers[: options.top], peak.readers, strict=False)
        ]
    return facts
