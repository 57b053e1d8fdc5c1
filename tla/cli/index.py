# SPDX-License-Identifier: Apache-2.0
"""``tla index``: which elements an HLO instruction reads for which element of its result."""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ..errors import UnsupportedError
from ..ground import Panels, did_you_mean, near_words, plural, say, shortened
from ..hlo import ModuleError, hlo_of_stablehlo, read_module
from ..indexing import FORMS, MalformedError, inverse, map_figure, parse_map, simplify
from ..read import read
from .common import InputError, add_opcode, positive
from .index_maps import (
    Shown,
    array_lines,
    array_of,
    instruction_facts,
    instruction_figure,
    map_facts,
    map_lines,
)
from .index_use import USES, refuse_beside, report, report_module
from .messages import say_json
from .module_text import ModuleText
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure

if TYPE_CHECKING:
    import argparse

    from ..hlo import Computation, Instruction, Module
    from ..indexing import Devices

_EPILOG = """\
examples:
  tla index module.hlo
  tla index module.hlo --instruction pad.0 --to-output
  tla index module.hlo --all
  tla index 'b = f32[10,20,30] broadcast(f32[20] x), dimensions={1}'
  tla index 't = f32[64,8] transpose(f32[8,64]{1,0:T(8,128)} x), dimensions={1,0}' --physical
  tla index '(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]'
  tla index 'f32[3,5]{1,0:T(2,2)}'
  tla index 'b = f32[2,3] broadcast(f32[3] x), dimensions={1}' -o reads.svg
  tla index module.hlo --traffic
  tla index 'module.hlo:%pad.0' --traffic
  tla index 'module.hlo:%pad.0' --tile 1,8,80
  tla index 'module.hlo:%pad.0' --warp

TEXT is a file of HLO, HLO itself, StableHLO in its pretty form, an indexing map, or a layout; - is
standard input. Of HLO the ROOT of the entry is shown, of lines the last one, and of a tuple what makes
its elements: for each operand the maps from an element of the result to the elements that are read for
it. Their union is exact. Of a result of several arrays, each has the operands that are read for it, and
no others. An instruction that has no exact map says why; alone it is an error.

A map is simplified, or with --to-output inverted; --into says of what memory its results are an index.
Of a layout it is the map to offsets, with --to-output the one from an offset to the element there.

d0, d1 are the coordinates that a map starts from; s0, s1 take all values in their bounds; rt0, rt1 are
numbers read while the program runs, and the lines behind a map say from where. The replica id is that
of the replica whose element is read, where it is another one.

--svg, --html, --latex and -o draw the elements of the result, numbered, and in each operand the
numbers of those that an element is read for.

--traffic counts what is read and written: the elements, their bytes, the lines of 128 bytes and the
tiles of the real layout that hold them, for how many results an element is read, and what XLA's formula
says. Of a module it lists the fusions, those that waste most first, and their source lines. --tile has
what a tile of the result needs of each operand, for every tile, or why that is no box; --memory searches
for the tile that fits into a number of bytes and moves least. --to goes from the root to an instruction
before it. --warp counts the lines that a warp touches in one load under XLA's schedules. FILE:%name is
the instruction of that name; of a fusion --to names an instruction inside. With -o they draw the
operands: --traffic how many results read an element, --tile and --memory what a tile reads, --warp the
lines; --to draws the instruction.

--relation prints the pairs as a set of integers, by isl, and how many there are, how many points read an
element, and how many elements are read. It needs islpy: pip install 'tla-layouts[exact]'.
"""

# An instruction, or the head of a module or computation; layouts have no such text.
_HLO = re.compile(
    r"^\s*(ROOT\s+)?[%\w.-]+\s*=|=\s*\(*\s*[a-z]\w*\[|^\s*HloModule\b|\)\s*->.*\{\s*$"
    r"|^\s*([a-z]\w*\[\S*\s+)?[a-z][a-z0-9-]*\(.*\[",
    re.M,
)
_ARROW = re.compile("[-−–]>")  # a minus of a page too
_MAP = re.compile(r"\s*(\(|affine_map<|#xla\.indexing_map<)")  # as no text of HLO begins
_MLIR = re.compile(r"^\s*(module\b.*\{|func\.func\b)|\b(stablehlo|mhlo)\.\w", re.M)

_SIDE: Final = 32
"""How many rows and columns of an array are drawn in a file; half as many as text."""

_PASSING: Final = frozenset(("tuple", "get-tuple-element"))
"""Opcodes whose result is their operands."""

_WITHOUT: Final = frozenset(("parameter", "constant", "iota", "partition-id", "replica-id"))
"""Opcodes that read no operand and are left out of a list of all instructions."""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    path, mark, name = options.text.rpartition(":%")
    if mark and (os.path.exists(path) or not re.search(r"[\[(\n]", path)):
        if options.instruction or options.all or options.through:
            parser.error(
                "FILE:%name names the instruction: leave out --instruction, --all and --through"
            )
        options.text, options.instruction = path, name
    beside = ["all", "to_output", "physical", "relation", "into"]
    refuse_formats(parser, options, beside, "the picture is of the elements that are read")
    refuse_beside(parser, options)
    if options.relation:
        from ..indexing import isl

        isl()  # so a missing package is reported once, not for each instruction
    text, file = _text(options.text)
    try:
        if _MLIR.search(text):
            text = hlo_of_stablehlo(text)
        if _MAP.match(text) and _ARROW.search(text):
            _refuse_for_modules(parser, options)
            return _of_map(text, options)
        is_short = file is None or (file.path == "-" and "\n" not in text.strip())
        if _HLO.search(text) or not is_short:  # for any other long text the reader says what is wrong
            _refuse_for_maps(parser, options)
            return _of_module(_module(text, file, options), options)
        _refuse_for_modules(parser, options)
        _refuse_for_maps(parser, options)
        return _of_map(text, options) if _ARROW.search(text) else _of_layout(text, options)
    finally:
        if file is not None:
            file.close()


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("index", _EPILOG)
    add = parser.add_argument
    add("text", metavar="TEXT", help="a file of HLO, HLO, a map or a layout; - is standard input")
    one_of = parser.add_mutually_exclusive_group().add_argument
    one_of("--instruction", metavar="NAME", help="the instruction of that name")
    one_of("--all", action="store_true", help="every instruction that reads an operand")
    one_of("--through", action="store_true", help="from the root through all of the entry")
    add("--to-output", action="store_true", help="from the elements of an operand to what they make")
    add("--physical", action="store_true", help="go on to the offset in memory, tiles and all")
    add("--into", metavar="LAYOUT", help="the memory that the results of a map are an index of")
    use = parser.add_mutually_exclusive_group().add_argument
    use("--traffic", action="store_true", help="what is read and written, in elements, lines and tiles")
    use("--tile", metavar="SIZES", help="what a tile of the result needs of each operand: --tile 8,128")
    use("--memory", type=positive, metavar="BYTES", help="the tile that moves least and fits")
    use("--to", metavar="NAME", help="the maps from the root to an instruction before it")
    use("--warp", action="store_true", help="the lines that the lanes of a warp touch in one load")
    add("--relation", action="store_true", help="the exact set of pairs and its counts; needs islpy")
    add("--form", choices=FORMS, default="2025", help="how maps are written: XLA's text of that year")
    add("--devices", type=positive, metavar="N", help="how many devices run the program")
    add_opcode(parser)
    add_formats(parser, json="print one JSON object")
    return parser


def _refuse_for_modules(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for name in ("instruction", "all", "through", "physical", "devices", *USES):
        if getattr(options, name):
            parser.error(f"--{name} goes with HLO")


def _refuse_for_maps(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if options.into is not None:
        parser.error("--into goes with a map; HLO says what memory it reads: --physical")


def _text(argument: str) -> tuple[str, ModuleText | None]:
    """The text to read, and the file that it comes from."""
    if not os.path.exists(argument) and not re.search(r"[\[(:\n./\\]", argument) and argument != "-":
        raise InputError(
            f"{shortened(argument)!r} is no file, and no HLO, map or layout",
            "See tla index --help.",
        )
    if argument != "-" and not os.path.exists(argument) and re.search(r"[\[(:\n]", argument):
        return argument, None
    file = ModuleText(argument)
    text = "".join(file.pieces())
    problem = file.problem(None)
    if problem is None and not text.strip():
        problem = InputError(f"{file.name} is empty", path=argument)
    if problem is not None:
        file.close()
        raise problem
    return text, file


# --- HLO --------------------------------------------------------------------------------------


def _module(text: str, file: ModuleText | None, options: argparse.Namespace) -> Module:
    try:
        return read_module(text, options.opcode)
    except ModuleError as error:
        problem = None if file is None else file.problem(error)
        raise (error if problem is None else problem) from None


def _of_module(module: Module, options: argparse.Namespace) -> int:
    shown = _shown(options, module)
    if any(getattr(options, name) not in (None, False) for name in USES):
        return _use(module, shown, options)
    if options.through:
        chosen = [(module.entry, module.entry.root)]
    elif options.all:
        chosen = [
            (computation, each)
            for computation in module.computations
            for each in computation.instructions
            if each.opcode not in _WITHOUT
        ]
    elif options.instruction is not None:
        chosen = [_named(module, options.instruction)]
    else:
        chosen = [(module.entry, each) for each in _makers(module.entry)]
    if is_asked_for(options):
        _draw_instructions(chosen, shown, options)
        return 0
    rows: list[dict[str, Any]] = []
    refused: Counter[str] = Counter()
    for computation, instruction in chosen:
        try:
            through = computation if options.through else None
            facts = instruction_facts(instruction, shown, through)
        except UnsupportedError as error:
            if not options.all:
                raise
            refused[instruction.opcode] += 1
            why = error.data.get("reason", error.summary)
            why = f"it is wrong: {why}" if isinstance(error, MalformedError) else why
            facts = {**_head(instruction), "reason": why}
        rows.append({"computation": computation.name, "line": instruction.line, **facts})
    if options.json:
        _print_json({"instructions": rows, "not_supported": dict(refused)})
        return 0
    for i, facts in enumerate(rows):
        if i:
            say("")
        say(*_instruction_lines(facts))
    if options.all:
        say("")
        say(*_summary(len(rows), refused))
    elif not options.through and (more := _made(chosen)):
        say("")
        say(f"{', '.join(more)}: made by instructions before; --through goes on to what these read")
    return 0


def _use(module: Module, shown: Shown, options: argparse.Namespace) -> int:
    """Answer --traffic and its kin, of an instruction or of all fusions of a module."""
    if options.instruction is not None:
        return report(_named(module, options.instruction)[1], module, shown, options)
    lines = sum(len(computation.instructions) for computation in module.computations)
    if options.to is None and lines - len(module.entry.parameters) > 1:
        if options.traffic and not is_asked_for(options):
            return report_module(module, shown, options)
        raise InputError(
            f"the module has {lines} instructions", "Name one: FILE:%name, or --instruction NAME."
        )
    return report(module.entry.root, module, shown, options)


def _made(chosen: list[tuple[Computation, Instruction]]) -> list[str]:
    """The operands of instructions that other instructions make."""
    found: dict[str, None] = {}
    for computation, instruction in chosen:
        made = {each.name for each in computation.instructions if each.opcode not in _WITHOUT}
        found.update((f"%{each.name}", None) for each in instruction.operands if each.name in made)
    names = list(found)
    return names if len(names) <= 4 else [*names[:4], f"and {len(names) - 4} more"]


def _draw_instructions(
    chosen: list[tuple[Computation, Instruction]], shown: Shown, options: argparse.Namespace
) -> None:
    side = _SIDE if is_file_format(options) else _SIDE // 2
    figures = [
        instruction_figure(instruction, shown, computation if options.through else None, side)
        for computation, instruction in chosen
    ]
    write_figure(figures[0] if len(figures) == 1 else Panels("", tuple(figures)), options)


def _shown(options: argparse.Namespace, module: Module | None = None) -> Shown:
    devices: Devices = options.devices
    if devices is None and module is not None:
        counts = [module.attributes.get(name, "") for name in ("replica_count", "num_partitions")]
        replicas, partitions = (int(count) if count.isdigit() else 1 for count in counts)
        devices = (replicas, partitions) if any(counts) else None
    return Shown(options.form, options.to_output, options.physical, options.relation, devices)


def _named(module: Module, name: str) -> tuple[Computation, Instruction]:
    """The instruction of a name, in the entry if it is there."""
    bare = name.removeprefix("%")
    order = [module.entry, *(c for c in module.computations if c is not module.entry)]
    for computation in order:
        for instruction in computation.instructions:
            if instruction.name == bare:
                return computation, instruction
    every = [each.name for computation in order for each in computation.instructions]
    near = near_words(bare, every)
    if near and near[0] not in {each.name for each in module.entry.instructions}:
        raise InputError(f"the module has no instruction {bare}", did_you_mean(near, every))
    return module.entry, module.entry.instruction(name)  # its error names near names


def _makers(computation: Computation) -> list[Instruction]:
    """The instructions that make a computation's result: the root, or those of a tuple's elements."""
    makers: dict[str, Instruction] = {}
    seen: set[str] = set()
    todo = [computation.root]
    while todo:
        instruction = todo.pop()
        if instruction.name in seen:
            continue
        seen.add(instruction.name)
        if instruction.opcode in _PASSING:
            todo += [computation.instruction(each.name) for each in reversed(instruction.operands)]
        elif instruction.opcode not in _WITHOUT:
            makers[instruction.name] = instruction
    return [*makers.values()] or [computation.root]


def _head(instruction: Instruction) -> dict[str, Any]:
    return {
        "name": instruction.name,
        "opcode": instruction.opcode,
        "xla": str(instruction.shape),
        "accesses": [],
        "reason": None,
    }


def _instruction_lines(facts: dict[str, Any]) -> list[str]:
    lines = [f"%{facts['name']} = {facts['xla']} {facts['opcode']}"]
    if facts["reason"] is not None:
        return [*lines, f"  not supported: {facts['reason']}"]
    if not facts["accesses"]:
        return [*lines, "  reads no operand"]
    for access in facts["accesses"]:
        lines += [f"  {line}" for line in array_lines(access)]
    return lines


def _summary(count: int, refused: Counter[str]) -> list[str]:
    lines = [f"{plural(count, 'instruction')}, {count - refused.total()} with maps"]
    if refused:
        counts = ", ".join(f"{opcode} {n}" for opcode, n in sorted(refused.items()))
        lines.append(f"{refused.total()} not supported: {counts}")
    return lines


# --- maps and layouts -------------------------------------------------------------------------


def _of_map(text: str, options: argparse.Namespace) -> int:
    shown = _shown(options)
    parsed = parse_map(text)
    memory = None if options.into is None else array_of(read(options.into))
    after = inverse(parsed) if options.to_output else simplify(parsed)
    if is_asked_for(options):
        write_figure(map_figure(after), options)
        return 0
    facts: dict[str, Any] = {
        "before": " ".join(text.split()),
        "after": map_facts(after, shown, memory, given=True),
        "is_inverse": bool(options.to_output),
    }
    if options.json:
        _print_json(facts)
        return 0
    say(f"before  {facts['before']}")
    label = "inverse" if options.to_output else "after"
    first, *rest = map_lines(facts["after"])
    say(f"{label:7} {first}", *(f"        {line}" for line in rest))
    return 0


def _of_layout(text: str, options: argparse.Namespace) -> int:
    from ..indexing import from_layout

    shown = _shown(options)
    m = from_layout(array_of(read(text.strip())))
    if options.to_output:
        m = inverse(m)
    if is_asked_for(options):
        write_figure(map_figure(m), options)
        return 0
    facts: dict[str, Any] = {"layout": text.strip(), "map": map_facts(m, shown, given=True)}
    if options.json:
        _print_json(facts)
    else:
        say(*map_lines(facts["map"]))
    return 0


def _print_json(facts: Any) -> None:
    say_json(facts)
