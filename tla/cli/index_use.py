# SPDX-License-Identifier: Apache-2.0
"""``tla index --traffic``, ``--tile``, ``--memory``, ``--to`` and ``--warp``: maps put to use."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ..errors import TlaError
from ..ground import Panels, plural, say
from ..indexing import (
    IndexingMap,
    Op,
    Operand,
    accesses,
    inverse,
    leaves,
    maps_to,
    output_to_input,
    propagate_tile,
    reads_figure,
    schedule_of,
    tile_sizes,
    traffic,
)
from ..memory import source_text
from ..numbers import Interval
from ..xla_bridge import storage_bits
from .columns import columns
from .common import InputError, in_hundredths, short_bytes
from .index_maps import access_facts, array_lines, array_operand, dims_of
from .messages import say_json
from .pictures import is_asked_for, write_figure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from ..hlo import Instruction, Module
    from ..indexing import Accesses, ArrayTraffic, Propagation, Schedule, TiledArray, Traffic
    from .index_maps import Shown

USES = ("traffic", "tile", "memory", "to", "warp")
_OF_MAPS = ("to_output", "physical", "relation")


def sizes_of(text: str) -> tuple[int, ...]:
    """Return the sizes of ``8,128``."""
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise InputError(f"{text!r} is no tile", "Write its sizes: --tile 8,128.") from None


def refuse_beside(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with a sentence if --traffic or its kin stand beside an option that they do not take."""
    for use in USES:
        if getattr(options, use) in (None, False):
            continue
        others = ("all", "through") if use == "to" else ("all", "through", *_OF_MAPS)
        for name in others:
            if getattr(options, name):
                option = f"--{name.replace('_', '-')}"
                parser.error(f"--{use} does not go with {option}, which is about maps")


# --- modules ----------------------------------------------------------------------------------


def report_module(module: Module, shown: Shown, options: argparse.Namespace) -> int:
    """Print the fusions of a module, those that waste most first, and their source lines."""
    found: list[tuple[Traffic, str]] = []
    refused: list[tuple[str, str]] = []
    every = [each for computation in module.computations for each in computation.instructions]
    fusions = [each for each in every if each.opcode == "fusion"]
    inner = {part.name for each in fusions for of in each.computations for part in of.instructions}
    for each in fusions:
        if each.name not in inner:  # of a fusion in another one nothing moves
            try:
                found.append((traffic(each, devices=shown.devices), _source(each, module)))
            except TlaError as error:
                refused.append((each.name, error.summary))
    found.sort(key=lambda pair: pair[0].wasted_bytes, reverse=True)
    if options.json:
        say_json(
            {
                "fusions": [{**_facts(each), "source": source} for each, source in found],
                "not_supported": dict(refused),
            }
        )
        return 0
    if found:
        rows = [[*_sizes(each), f"%{each.name}", source] for each, source in found]
        say(*columns([*_HEAD, "fusion", "source"], rows, 4), "")
        by_line: dict[str, list[Traffic]] = defaultdict(list)
        for one, source in found:
            by_line[source].append(one)
        lines = sorted(by_line.items(), key=lambda pair: -sum(each.wasted_bytes for each in pair[1]))
        table = [
            [
                short_bytes(sum(each.wasted_bytes for each in group)),
                str(len(group)),
                source or "no source",
            ]
            for source, group in lines
        ]
        say(*columns(["wasted", "fusions", "source line"], table, 2), "")
    exact = sum(each.exact for each, _source in found)
    say(
        f"{plural(len(found), 'fusion')}, {exact} counted exactly"
        + ("; <= is an upper bound, ~ the difference of two" if exact < len(found) else "")
    )
    for name, why in refused:
        say(f"%{name} is not counted: {why}")
    return 0


_HEAD = ("wasted", "moved", "data", "XLA")


def _sizes(each: Traffic | ArrayTraffic) -> list[str]:
    """The cells of `_HEAD`."""
    about, most = ("", "") if each.exact else ("~", "<=")
    sizes = ((about, each.wasted_bytes), (most, each.moved_bytes), (most, each.bytes))
    return [*(mark + short_bytes(n) for mark, n in sizes), short_bytes(each.box_bytes)]


def _source(instruction: Instruction, module: Module) -> str:
    metadata = instruction.metadata
    frame: Any = metadata.get("stack_frame_id", 0)
    lines = module.tables.trace(frame) if isinstance(frame, int) else ()
    file = metadata.get("source_file", "")
    own = f"{file}:{metadata.get('source_line', 0)}" if file else ""
    return source_text(lines) or own or instruction.op_name


# --- one instruction --------------------------------------------------------------------------


def report(instruction: Instruction, module: Module, shown: Shown, options: argparse.Namespace) -> int:
    """Print what the options ask of an instruction."""
    if options.to is not None:
        return _report_maps(instruction, module, shown, options)
    if options.tile is not None or options.memory is not None:
        return _report_tile(instruction, shown, options)
    if options.warp:
        return _report_warp(instruction, shown, options)
    return _report_traffic(instruction, shown, options)


def _head(instruction: Instruction) -> str:
    return f"%{instruction.name} = {instruction.shape} {instruction.opcode}"


def _operands(
    instruction: Instruction, shown: Shown, output: int = 0
) -> list[tuple[Any, list[IndexingMap]]]:
    op = Op(instruction, shown.devices)
    maps = output_to_input(instruction, output, devices=shown.devices)
    return list(zip(op.inputs, maps, strict=True))


def _report_traffic(instruction: Instruction, shown: Shown, options: argparse.Namespace) -> int:
    if is_asked_for(options):
        return _draw(instruction, shown, options, None)
    found = traffic(instruction, devices=shown.devices)
    if options.json:
        say_json(_facts(found))
        return 0
    say(_head(instruction), "")
    rows = [
        [
            *_sizes(each),
            str(each.elements),
            str(each.lines),
            str(each.tiles),
            kind,
            f"%{each.name} {each.shape}",
        ]
        for kind, arrays in (("read", found.reads), ("written", found.writes))
        for each in arrays
    ]
    say(*columns([*_HEAD, "elements", "lines", "tiles", "", "array"], rows, 7), "")
    for each in found.reads:
        if each.reuse:
            say(f"%{each.name}: {_reuse(each.reuse)}")
    for each in found.arrays:
        if not each.exact:
            counts = ", ".join(f"{n} {name}" for name, n in each.least._asdict().items())
            say(f"%{each.name} is not exact: {each.reason}; at least {counts}")
    total = f"{short_bytes(found.bytes)} of data in {short_bytes(found.moved_bytes)} of tiles and lines"
    total = total if found.exact else f"at most {total}"
    if found.bytes:
        total += f", {in_hundredths(found.moved_bytes, found.bytes)} times as much"
    cycles = "" if found.cycles is None else f"; the compiler estimates {plural(found.cycles, 'cycle')}"
    say(total + cycles)
    return 0


def _reuse(reuse: dict[int, int]) -> str:
    """How often elements are read, in words."""
    parts = [f"{plural(n, 'element')} read for {plural(times, 'result')}" for times, n in reuse.items()]
    return ", ".join(parts if len(parts) <= 3 else [*parts[:2], "...", parts[-1]])


def _facts(found: Traffic) -> dict[str, Any]:
    def array(each: ArrayTraffic) -> dict[str, Any]:
        return {
            "name": each.name,
            "xla": str(each.shape),
            **each.most._asdict(),
            "least": each.least._asdict(),
            "moved_bytes": each.moved_bytes,
            "box_bytes": each.box_bytes,
            "reuse": {str(times): n for times, n in each.reuse.items()},
            "exact": each.exact,
            "reason": each.reason or None,
        }

    return {
        "name": found.name,
        "reads": [array(each) for each in found.reads],
        "writes": [array(each) for each in found.writes],
        "bytes": found.bytes,
        "moved_bytes": found.moved_bytes,
        "exact": found.exact,
        "cycles": found.cycles,
    }


# --- tiles ------------------------------------------------------------------------------------


def _report_tile(instruction: Instruction, shown: Shown, options: argparse.Namespace) -> int:
    others: list[Propagation] = []
    if options.memory is not None:
        found, *others = tile_sizes(instruction, options.memory, devices=shown.devices)
    else:
        found = propagate_tile(instruction, sizes_of(options.tile), devices=shown.devices)
    if is_asked_for(options):
        return _draw(instruction, shown, options, found.sizes)
    if options.json:
        say_json(_tile_facts(found))
        return 0
    if options.memory is not None:
        say(f"of {plural(len(others) + 1, 'tile')} that fit, {list(found.sizes)} moves least", "")
    say(_head(instruction), "")
    for each in (found.output, *found.inputs):
        say(f"%{each.name} {each.shape}")
        for part in each.tiles:
            say(f"  {part}")
        sizes = (short_bytes(each.tile_bytes), short_bytes(each.moved_bytes))
        say("  {} a tile, {} moved by all".format(*sizes) + _times(each))
        for why in each.faults:
            say(f"  {why}")
    say("")
    for each in found.recomputed:
        say(f"%{each.name} is computed{_times(each).removeprefix(', each element')}")
    say(f"one tile has {short_bytes(found.tile_bytes)}, all move {short_bytes(found.moved_bytes)}")
    parts = [part for each in found.inputs for part in each.tiles]
    if any("read anew" in part.refusal or "rt" in repr(part.offset) for part in parts):
        say("numbers that are read at run time count with their least values")
    return 0


def _times(each: TiledArray) -> str:
    if each.computed == each.elements:
        return ""
    return f", each element {in_hundredths(each.computed, each.elements)} times"


def _tile_facts(found: Propagation) -> dict[str, Any]:
    def array(each: TiledArray) -> dict[str, Any]:
        return {
            "name": each.name,
            "xla": str(each.shape),
            "tiles": [
                {
                    "offset": [*map(repr, part.offset)],
                    "size": part.size,
                    "stride": part.stride,
                    "refusal": part.refusal or None,
                }
                for part in each.tiles
            ],
            "computed": each.computed,
            "elements": each.elements,
            "moved_bytes": each.moved_bytes,
            "faults": each.faults,
        }

    return {
        "sizes": found.sizes,
        "output": array(found.output),
        "inputs": [array(each) for each in found.inputs],
        "recomputed": [array(each) for each in found.recomputed],
        "tile_bytes": found.tile_bytes,
        "moved_bytes": found.moved_bytes,
    }


# --- pictures ---------------------------------------------------------------------------------


def _draw(
    instruction: Instruction, shown: Shown, options: argparse.Namespace, sizes: Sequence[int] | None
) -> int:
    """Draw the operands with the number of results that read each element, or with what a tile reads."""
    dims = dims_of(Op(instruction, shown.devices).outputs[0])
    corner = dims if sizes is None else tuple(min(n, size) for n, size in zip(dims, sizes, strict=True))
    operands: list[Operand] = []
    for leaf, maps in _operands(instruction, shown):
        if sizes is not None:
            maps = [
                m.with_parts(dims=[_below(v, n) for v, n in zip(m.dims, corner, strict=True)])
                for m in maps
            ]
        if maps:
            operands.append(array_operand(leaf, maps))
    of = "" if sizes is None else f"the first tile {list(corner)} of "
    figure = reads_figure(f"{of}{_head(instruction)}", corner, operands, 32, 32, counts=sizes is None)
    write_figure(figure, options)
    return 0


def _below(variable: Any, end: int) -> Any:
    bounds = variable.bounds
    return variable._replace(bounds=type(bounds)(bounds.lower, min(bounds.upper, end - 1)))


# --- maps to an instruction -------------------------------------------------------------------


def _report_maps(
    instruction: Instruction, module: Module, shown: Shown, options: argparse.Namespace
) -> int:
    is_inside = options.instruction is not None and instruction.opcode == "fusion"
    computation = instruction.computations[0] if is_inside else module.entry
    goal = computation.instruction(options.to)
    arrays = list(leaves(goal.name, goal.shape))
    outputs = list(leaves(computation.root.name, computation.root.shape))
    found: list[dict[str, Any]] = []
    figures: list[Panels] = []
    for o, output in enumerate(outputs):
        behind = maps_to(computation, goal, o, devices=shown.devices)
        if is_asked_for(options):
            parts = [array_operand(leaf, maps) for leaf, maps in zip(arrays, behind, strict=True)]
            figures.append(reads_figure(f"%{output} {output.shape}", dims_of(output), parts, 32, 32))
            continue
        for leaf, maps in zip(arrays, behind, strict=True):
            start, end = (leaf, output) if shown.to_output else (output, leaf)
            what = "offset in " if shown.physical else ""
            label = f"%{start} {start.shape} -> {what}%{end} {end.shape}"
            maps = [inverse(m) for m in maps] if shown.to_output else maps
            found.append(access_facts(maps, shown, end.shape, label))
    if figures:
        write_figure(figures[0] if len(figures) == 1 else Panels("", tuple(figures)), options)
        return 0
    if options.json:
        say_json({"maps": found})
        return 0
    for each in found:
        say(*array_lines(each))
    return 0


# --- warps ------------------------------------------------------------------------------------


def _accesses(instruction: Instruction, shown: Shown) -> Iterator[tuple[Any, Schedule, Accesses]]:
    """Yield each operand that a map leads to, the schedule, and what its warps touch."""
    for leaf, maps in _operands(instruction, shown):
        for m in maps:
            schedule = schedule_of(instruction, m)
            yield leaf, schedule, accesses(m, leaf.shape, schedule.map, lanes=schedule.lanes)


def _draw_warp(instruction: Instruction, shown: Shown, options: argparse.Namespace) -> int:
    """Draw the first load: the lanes, and the lines of each operand that they touch."""
    operands: list[Operand] = []
    lanes = 1
    for leaf, _schedule, found in _accesses(instruction, shown):
        size = found.vector * storage_bits(leaf.shape) // 8
        starts = [(k, divmod(at, found.line)) for k, at in enumerate(found.addresses) if at is not None]
        lines = sorted({line for _k, (line, _byte) in starts})
        reads = [
            IndexingMap([lines.index(line), byte // size], [Interval(k, k)])
            for k, (line, byte) in starts
        ]
        title = f"lines of %{leaf} {leaf.shape}"
        operands.append(Operand(title, (len(lines), found.line // size), tuple(reads)))
        lanes = len(found.addresses)
    title = f"the lanes of the first load of {_head(instruction)}"
    write_figure(reads_figure(title, (lanes,), operands, 32, 128, of="lanes"), options)
    return 0


def _report_warp(instruction: Instruction, shown: Shown, options: argparse.Namespace) -> int:
    if is_asked_for(options):
        return _draw_warp(instruction, shown, options)
    rows: list[dict[str, Any]] = [
        {
            "name": str(leaf),
            "xla": str(leaf.shape),
            "schedule": schedule.kind,
            **found._asdict(),
            "lines_per_load": found.lines_per_load,
            "coalesced": found.coalesced,
        }
        for leaf, schedule, found in _accesses(instruction, shown)
    ]
    if options.json:
        say_json({"reads": rows})
        return 0
    say(_head(instruction), "")
    table = [
        [
            f"{row['lines_per_load']:.2f}",
            f"{row['least_lines'] / max(1, row['loads']):.2f}",
            f"{row['tiles'] / max(1, row['loads']):.2f}" if row["tiles"] else "",
            str(row["vector"]),
            "coalesced" if row["coalesced"] else "not coalesced",
            row["schedule"],
            f"%{row['name']} {row['xla']}",
        ]
        for row in rows
    ]
    say(*columns(["lines", "at least", "tiles", "vector", "verdict", "schedule", "read"], table, 4), "")
    say("lines of 128 bytes, and tiles, that a warp or a register touches in one load, on average")
    return 0
