# SPDX-License-Identifier: Apache-2.0
"""``tla hlo``: the buffers of a module, the memory of each, and the padding in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..hlo import ModuleError, read_module
from ..xla_bridge import CHIPS, chip_named
from . import hlo_buffers, hlo_dump, hlo_sweep
from .common import InputError, add_opcode, file_argument, positive
from .executors import EXECUTORS
from .hlo_program import compiled_text, is_program, report_verified
from .messages import complain
from .module_text import ModuleText
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from ..hlo import Module

_WHOLE = ("against", "collectives", "copies", "live")  # the reports that need the whole module

_OF_MODULE = (*_WHOLE, "verify", "by", "all", "layouts")
"""The options that ask for a report on the text of a module, not on its dump."""

_WITHOUT_EFFECT = {
    "live": ("all", "layouts"),
    "copies": ("layouts",),
    "collectives": ("layouts", "by", "all", "chip"),
    "against": ("layouts", "by"),
    "verify": ("layouts", "by", "top"),
    "by": ("layouts",),
}
"""The options that would change nothing in a report."""

_BEFORE = (
    "tla: {} is not compiled yet: these are its parameters and results in the default layouts of a {};"
    " compiled.as_text() has the rest"
)

_EPILOG = f"""\
examples:
  tla hlo module.hlo --chip v5e
  tla hlo module.hlo --live --top 10
  tla hlo module.hlo --live -o peak.svg
  tla hlo module.hlo --by source
  tla hlo module.hlo --copies
  tla hlo module.hlo --collectives
  tla hlo module.hlo --against before.hlo
  tla hlo DUMP --module jit_step
  tla hlo DUMP module.hlo --executor processes --results modules.jsonl --json
  tla hlo - --json < module.hlo

A buffer is an array with memory of its own. What lies in the memory of another array is none:
values inside fusions, bitcasts, elements of tuples, what is handed on or written in place; --all
lists these. Waste is what padding takes, and 'why' the dims that are rounded up. Totals are of all
buffers, whether they are live at the same time or not; --live gives what is. A dynamic dim <=N
counts as N. The name of a buffer, as %fusion.3{{1}}, is read by the other commands as the shape
module.hlo:%fusion.3{{1}}.

With --copies: a relayout gives elements other offsets, a space move another memory, a duplicate
neither; a bitcast is free. A copy in a loop counts with all turns. What is part of a fusion moves
nothing by itself. 'run' is the common run of both layouts: the copy moves pieces of that many
elements, shorter at the end of a dim. 1 is the slowest, and '?' is one that was not found, as for a
reshape that cuts dims unevenly. Cycles are the compiler's estimate. Advice is the layout of a
parameter, a result or a donated pair as jax takes it, what it saves and what it takes; 'costly' is
one that more than doubles its memory.

With --collectives: the bytes that all devices receive, over all turns of loops, and those of one
device in one turn, of elements without padding. Devices are positions in the mesh; the groups of a
permutation are source and target. An all-reduce counts as a reduce-scatter and an all-gather.

--svg, --html, --latex and -o draw the buffers with the most waste, or with --live what is live at
each peak, as bars: data, and behind them padding.

--against says what changed from OTHER to FILE. --by source takes the line of the program, or its
name for the operation where no line is known.

Of a folder that a compiler wrote, XLA_FLAGS=--xla_dump_to=FOLDER, the report is the compiler's own
buffer assignment: allocations, addresses, fragmentation; also after it ran out of memory. The other
reports take the module in it. A module may be text or, with the extra 'proto', .hlo.pb, which has
its buffer assignment with it: --xla_dump_hlo_as_proto.

Of FILE.py:NAME, NAME() returns a function of jax and a tuple of its arguments. It is compiled where
the arguments are, or for --chip, which need not be there; this needs the extra 'jax', and libtpu
for a TPU. --verify compiles it again with the advice and prints what changed; exit code 1: the
whole got slower, or a donation was lost.

Of StableHLO, lowered.as_text(), the parameters and results are listed as they will lie in memory,
so that padding shows before anything is compiled.

Of several files or folders, or with --executor or --results, there is a line for each module, the
largest peak first; a folder stands for its *.hlo, or for the modules of a dump. --results FILE adds
each to a file of JSON lines, and reads no module again that has not changed.

Without --chip most memory spaces have their numbers; the chips are
{", ".join(CHIPS)}. Without --top the first {hlo_buffers.LISTED} buffers are listed,
with --json all.
"""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    refuse_formats(
        parser,
        options,
        ["copies", "collectives", "against", "by", "all", "layouts"],
        "the picture is of buffers",
    )
    for report, names in _WITHOUT_EFFECT.items():
        for name in names if getattr(options, report) else ():
            if getattr(options, name):
                parser.error(f"--{name} changes nothing with --{report}: leave it out")
    if options.chip is not None:
        options.chip = chip_named(options.chip).name
    if len(options.file) > 1 or options.executor or options.results:
        for each in (*_OF_MODULE, "module"):
            if getattr(options, each):
                parser.error(f"--{each} is for one module, without --executor and --results")
        refuse_formats(parser, options, ["file"], "the picture is of one module")
        return hlo_sweep.report(options)
    (options.file,) = options.file
    is_folder = os.path.isdir(options.file)
    if options.module is not None and not is_folder:
        parser.error(f"--module chooses from a dump folder, and {options.file} is none")
    if is_folder or hlo_dump.has_assignment(options.file):
        if not (is_asked_for(options) or any(getattr(options, each) for each in _OF_MODULE)):
            return hlo_dump.report(options.file, options)
        if is_folder:
            options.file = hlo_dump.text_of(options.file, options.module)
    made: str | None = None
    if is_program(options.file):
        if options.verify:
            return report_verified(options.file, options)
        made = compiled_text(options.file, options)
        if made is None:
            return 1
    elif options.verify:
        parser.error("--verify compiles again: it takes FILE.py:NAME, not a module")
    text = ModuleText(options.file, made)
    try:
        wanted = next((each for each in _WHOLE if getattr(options, each)), None)
        if text.as_hlo(options.chip):
            if wanted is not None:
                what = f"{text.name} is StableHLO, of which --{wanted} says nothing"
                raise InputError(what, "It is of what is compiled: compiled.as_text().", path=text.path)
            complain(_BEFORE.format(text.name, options.chip or "v5e"))
        if wanted is None:
            return hlo_buffers.report(text, options)
        module = _whole(text, wanted, options)
        return _report_of(wanted)(module, options)
    finally:
        text.close()


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("hlo", _EPILOG)
    add = parser.add_argument
    what = "HLO, as text or .hlo.pb, StableHLO, or a dump folder; - is standard input; or many of them"
    add("file", metavar="FILE", nargs="+", help=what)
    add("--chip", help="the chip it is compiled for: names memory spaces")
    add("--module", metavar="NAME", help="of a dump folder: the module whose name contains NAME")
    add("--top", type=positive, metavar="N", help="list only the first N")
    one_of = parser.add_mutually_exclusive_group().add_argument
    one_of("--live", action="store_true", help="what is live at the peak of each memory space")
    one_of("--copies", action="store_true", help="what each copy moves, and what would save it")
    one_of("--collectives", action="store_true", help="what the devices send each other")
    one_of("--against", metavar="OTHER", help="what changed from another module to this one")
    one_of("--verify", action="store_true", help="of FILE.py:NAME: compile again with the advice")
    add("--by", choices=("source", "op_name"), help="one line for each origin in the program")
    add("--all", action="store_true", help="list the arrays without memory of their own, too")
    add("--layouts", action="store_true", help="show the nested layout of each buffer")
    add("--executor", choices=EXECUTORS, help="read many modules on all cores, or by dask")
    results = "keep the line of each module there, and go on"
    add("--results", metavar="FILE", type=file_argument, help=results)
    add_opcode(parser)
    add_formats(parser, json="print one JSON object; of many modules a line for each")
    return parser


def _report_of(wanted: str) -> Callable[[Module, argparse.Namespace], int]:
    """The report on a whole module; the other reports are not loaded."""
    if wanted == "live":
        from .hlo_live import report
    elif wanted == "copies":
        from .hlo_copies import report
    elif wanted == "collectives":
        from .hlo_collectives import report
    elif wanted == "against":
        from .hlo_against import report
    else:
        raise AssertionError(f"no module for the report {wanted}")
    return report


def _whole(text: ModuleText, wanted: str, options: argparse.Namespace) -> Module:
    """The whole module, for a report on copies or lifetimes."""
    stopped: ModuleError | None = None
    try:
        module = read_module("".join(text.pieces()), options.opcode)
    except ModuleError as error:
        module, stopped = error.module, error
    problem = text.problem(stopped)
    if problem is None:
        return module
    if stopped is not None and not stopped.instructions:
        raise problem
    needs = f"--{wanted} needs the whole module; without it the buffers of what was read are listed."
    raise InputError(problem.summary, *problem.details, needs, path=text.path)
