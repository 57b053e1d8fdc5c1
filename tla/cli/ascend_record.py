# SPDX-License-Identifier: Apache-2.0
"""``tla ascend record``: the calls that a CATLASS kernel issues on each core, as a trace."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ascend import record
from ..ground import plural, say
from .commands import SUBCOMMANDS
from .common import bytes_in_words, file_argument, name_of, positive
from .messages import complain, say_json
from .parser import argument_parser
from .progress import progress_bar
from .saving import expect_place, is_standard_output, mapped

if TYPE_CHECKING:
    from ..ascend import Recording

_EPILOG = """\
examples:
  tla ascend record examples/00_basic_matmul/basic_matmul.cpp -- 300 300 600
  tla ascend record my_kernel.cpp --catlass ~/catlass --cores 4 -o trace.jsonl.gz -- 512 512 512
  tla ascend record fai.cpp --arch AtlasA2 --json -- 1 100 300 2 1 128 0 0 --datapath data

An ordinary clang++ compiles the program against headers that stand for AscendC and the ACL runtime, once
for the cube cores and once for the vector cores, and the program runs on this machine: record only what
you would run. It needs no CANN and no NPU. Words behind -- are its arguments.

A line of the trace is one call: its core, pipe, operands, parameters, and the place in the sources.
Nothing is computed: a scalar that a kernel reads from a buffer is zero, and one from global memory is
what the host wrote there. On Ascend950 each function on vector registers is one line, with its calls.

What you do not say comes from the example: the architecture from the names in its source; the type of
its cores, macros and other sources from the CMakeLists.txt beside it; CATLASS from the folders around.

exit code 1: no compiler, no CATLASS, a program that does not compile, or a kernel that does not end.
"""


def run(arguments: list[str]) -> int:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    options = parser.parse_args(arguments[:at])
    if options.words:
        parser.error(f"the arguments of the program stand behind --: -- {' '.join(options.words)}")
    name: str = options.output or f"{Path(options.source).stem}.jsonl.gz"
    if not is_standard_output(name):
        expect_place(name)
    recording = _recorded(options, arguments[at + 1 :])
    data = recording.packed(name)
    with mapped(name, len(data)) as memory:
        memory[:] = data
    if is_standard_output(name):
        return 0
    if options.json:
        say_json({"trace": name, **_facts(recording)})
    else:
        say(*_report(name, recording))
    return 0


def _recorded(options: argparse.Namespace, arguments: list[str]) -> Recording:
    with progress_bar("recording") as progress:
        recording = record(
            options.source,
            arguments,
            catlass=options.catlass,
            arch=options.arch,
            kind=options.core,
            cores=options.cores,
            defines=options.define,
            includes=options.include,
            compiler=options.compiler,
            seconds=options.seconds,
            lines=options.lines,
            progress=progress,
        )
    if recording.missing_files:
        missing = plural(len(recording.missing_files), "file")
        complain(
            f"tla: {missing} of data not there, read as zeros: {', '.join(recording.missing_files)}"
        )
    return recording


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("ascend record", _EPILOG, SUBCOMMANDS["record"])
    parser.add_argument("source", metavar="SOURCE", help="the C++ file of a CATLASS program")
    parser.add_argument("words", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--catlass", metavar="DIR", help="the folder of CATLASS; else that of $CATLASS")
    parser.add_argument("--arch", metavar="ARCH", help="AtlasA2, AtlasA3 or Ascend950")
    parser.add_argument(
        "--core", choices=("cube", "vec", "mix"), help="the cores that the kernel is for"
    )
    parser.add_argument("--cores", type=positive, default=2, metavar="N", help="cube cores (2)")
    parser.add_argument("--compiler", metavar="PATH", help="a C++ compiler; clang++ if not given")
    parser.add_argument(
        "-D",
        dest="define",
        action="append",
        default=[],
        metavar="MACRO",
        help="define a macro, NAME or NAME=VALUE",
    )
    parser.add_argument(
        "-I",
        dest="include",
        action="append",
        default=[],
        metavar="DIR",
        help="look for headers here too",
    )
    parser.add_argument(
        "--seconds", type=positive, default=60, metavar="N", help="stop the kernel then (60)"
    )
    parser.add_argument(
        "--lines",
        type=positive,
        default=1_000_000,
        metavar="N",
        help="stop the kernel after this number of calls (1000000)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=file_argument,
        metavar="FILE",
        help="the trace, .jsonl or .jsonl.gz; - is standard output",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _facts(recording: Recording) -> dict[str, Any]:
    return {
        "arch": recording.arch,
        "blocks": recording.blocks,
        "lines": sum(recording.calls.values()),
        "launches": recording.launches,
        "calls": recording.calls,
        "tensors": [tensor._asdict() for tensor in recording.tensors],
        "divisions_by_zero": recording.divisions_by_zero,
        "missing_files": recording.missing_files,
    }


def _report(name: str, recording: Recording) -> list[str]:
    count = plural(sum(recording.calls.values()), "call")
    blocks = plural(recording.blocks, "block")
    if recording.launches > 1:
        blocks += f" in {recording.launches} launches, one after the other"
    lines = [f"{name_of(name)}: {count} on {recording.arch}, {blocks}", "", "calls"]
    lines += [f"  {times:>8}  {call}" for call, times in recording.calls.items()]
    lines += ["", "tensors in global memory"]
    lines += [f"  {tensor.name}: {bytes_in_words(tensor.bytes)}" for tensor in recording.tensors]
    if recording.divisions_by_zero:
        lines += ["", "divisions by zero, taken as 0"]
        lines += [f"  {times:>8}  {place}" for place, times in recording.divisions_by_zero.items()]
    return lines
