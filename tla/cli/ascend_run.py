# SPDX-License-Identifier: Apache-2.0
"""``tla ascend run``: a kernel, recorded or in Python, executed on bytes and checked, without an NPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..ascend import ARCHES, kernels
from ..errors import ArgumentError
from ..ground import plural, say
from .ascend_written import is_source, run_written
from .columns import columns
from .commands import SUBCOMMANDS
from .common import InputError, positive
from .data_files import array_file, array_header, expect_numpy
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure
from .progress import progress_bar
from .saving import expect_place, mapped, save

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

_EPILOG: Final = """\
examples:
  tla ascend run trace.jsonl.gz
  tla ascend run trace.jsonl --tensor A=a.npy --tensor B=b.npy --expect C=c.npy
  tla ascend run trace.jsonl --tensor A=a.npy --save C=c.npy --check race,sync
  tla ascend run trace.jsonl --drop 104       what if line 104 were missing?
  tla ascend run trace.jsonl --drop-sync      what if each flag and barrier were missing, in turn?
  tla ascend run trace.jsonl --orders 100
  tla ascend run trace.jsonl --timeline --trace-events timeline.json
  tla ascend run trace.jsonl -o timeline.html

TRACE has a JSON object a line for each call of each core, as `tla ascend record` writes it. A tensor of
--tensor is the memory of a global tensor as it lies there; those that are not given are zero. Findings
do not depend on the order in which pipes run; --orders runs several and compares their tensors.

FILE.py:KERNEL is a function with the mark @tla.ascend.kernels.kernel. Each of its tensors has a file, or
a --shape: ints from -3 to 3, by --seed. M,N,K is short for the three matrices of a product, of half.

The checks: race, accesses to the same bytes that nothing orders; sync, deadlocks and flags that stay
set; init, bytes never written or left from an earlier tile that reach a result; mem, accesses out of
bounds and misaligned ones. --strict also reports what AscendC forbids and CATLASS relies on.

exit code 1: there is a finding, or a tensor differs from that of --expect.
"""


def run(arguments: list[str]) -> int:
    options = _options(arguments)
    np = expect_numpy("ascend run")
    tensors = {name: array_file(path) for name, path in map(_pair, options.tensor)}
    wanted = {name: array_file(path) for name, path in map(_pair, options.expect)}
    saved = dict(map(_pair, options.save))
    for path in (*saved.values(), options.trace_events):
        if path:
            expect_place(path)
    with progress_bar("instructions") as bar:
        done = _done(options, tensors, bar)
    return 1 if done is None else _told(np, options, done, wanted, saved)


def _done(
    options: argparse.Namespace, tensors: dict[str, Any], progress: Callable[[int, int], object] | None
) -> kernels.Run | None:
    """The run of a kernel or of a trace; None if the kernel raised an error, which is printed."""
    if is_source(options.trace):
        return run_written(options, tensors, progress)
    for option in ("shape", "set", "cores"):
        if getattr(options, option):
            raise ArgumentError(f"--{option} is for a kernel of Python, FILE.py:KERNEL")
    try:
        return kernels.replay(
            options.trace, tensors, checks=options.check, seed=options.seed, orders=options.orders,
            arch=options.arch, drop=options.drop, strict=options.strict, progress=progress,
        )  # fmt: skip
    except OSError as error:
        raise InputError.cannot("read", options.trace, error) from None


def _told(
    np: Any,
    options: argparse.Namespace,
    done: kernels.Run,
    wanted: dict[str, Any],
    saved: dict[str, str],
) -> int:
    """Say what came out, and return the exit code."""
    for name in (*wanted, *saved):
        if name not in done.tensors:
            known = ", ".join(done.tensors)
            raise ArgumentError(f"the kernel has no tensor {name!r}", f"It has {known}.", name=name)
    compared = {name: _difference(np, done, name, array) for name, array in wanted.items()}
    differing = [name for name, difference in compared.items() if difference]
    if options.trace_events:
        save(options.trace_events, done.timeline.trace_events())
    for name, path in saved.items():
        _save(done.tensors[name], path)
    drops = _dropped(done) if options.drop_sync else None
    if is_asked_for(options):
        write_figure(done.timeline.figure(24 if is_file_format(options) else 8), options)
    if options.json:
        say_json(_facts(done, differing, drops))
    elif not is_asked_for(options) or options.output not in (None, "-"):
        _report(done, compared, drops)
        if options.timeline and not is_asked_for(options):
            say(*str(done.timeline).split("\n"))
    return int(bool(done.findings or differing))


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argument_parser("ascend run", _EPILOG, SUBCOMMANDS["run"])
    parser.add_argument(
        "trace", metavar="TRACE", help="the recorded calls, .gz or not; or FILE.py:KERNEL"
    )
    parser.add_argument(
        "--shape", metavar="NAME=SHAPE", action="append", default=[],
        help="the array of a kernel's tensor, as A=half(300,600) or A=zN<half>(300,600); or M,N,K",
    )  # fmt: skip
    parser.add_argument("--cores", metavar="N", type=positive, help="the kernel's blocks (1)")
    parser.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the kernel"
    )
    for option, text in {
        "--tensor": "the memory of a global tensor, a file of numpy's; may be repeated",
        "--expect": "compare a tensor afterwards with this file; may be repeated",
        "--save": "write a tensor afterwards to this file; may be repeated",
    }.items():
        parser.add_argument(option, metavar="NAME=FILE", action="append", default=[], help=text)
    names = ",".join([check.removesuffix("check") for check in kernels.CHECKS])
    parser.add_argument("--check", metavar="NAMES", default=names, help=f"some of {names}; else all")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="the order of ready pipes")
    parser.add_argument(
        "--orders", metavar="N", type=positive, default=1, help="run N orders and compare their tensors"
    )
    parser.add_argument(
        "--arch", help=f"{', '.join(ARCHES)}, or a chip; else that whose calls the trace has"
    )
    parser.add_argument(
        "--drop", metavar="LINE", type=_line, action="append", default=[],
        help="leave a line out: of the trace, or FILE.py:LINE",
    )  # fmt: skip
    parser.add_argument(
        "--drop-sync",
        action="store_true",
        help="leave each set, wait and barrier out in turn; --drop-sync LINE is --drop LINE",
    )
    parser.add_argument(
        "--timeline", action="store_true", help="say when each pipe works, and what it waits for"
    )
    parser.add_argument(
        "--trace-events",
        metavar="FILE",
        help="write the timeline as Chrome's trace events, for Perfetto",
    )
    parser.add_argument("--strict", action="store_true", help="report what CATLASS relies on as well")
    add_formats(parser, json="print one JSON object")
    options = parser.parse_args(list(_one_line(arguments)))
    refuse_formats(parser, options, ["drop_sync"], "the picture is of the timeline")
    return options


def _one_line(arguments: list[str]) -> Iterator[str]:
    """The arguments, with ``--drop`` for a ``--drop-sync`` of one line."""
    for word, behind in zip(arguments, [*arguments[1:], ""], strict=True):
        option, equals, line = word.partition("=")
        if option == "--drop-sync" and (equals or re.fullmatch(r"\d+|.*:\d+", behind)):
            yield f"--drop{equals}{line}"
        else:
            yield word


def _line(text: str) -> int | str:
    return positive(text) if text.isdecimal() else text


def _pair(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise ArgumentError(f"expected NAME=FILE, as A=a.npy, not {text!r}", text=text)
    return name, path


def _difference(np: Any, done: kernels.Run, name: str, wanted: NDArray[Any]) -> str:
    """How a tensor's memory differs from an array; floats that are no number are equal."""
    found, given = done.tensors[name].reshape(-1), np.ascontiguousarray(wanted).reshape(-1)
    types = done.types_of(name)
    if not any(kernels.is_memory_of(given.dtype, dtype) for dtype in types):
        return f"is of {' and '.join(types)}, and the expected one of {given.dtype}"
    if found.nbytes != given.nbytes:
        return f"has {found.nbytes} bytes, and the expected one {given.nbytes}"
    held = found.view(given.dtype)
    same = (held == given) | ((held != held) & (given != given))
    if same.all():
        return ""
    first = int(np.argmin(same))
    return f"differs from the expected one in {plural(int((~same).sum()), 'element')}, first in {first}"


def _save(array: NDArray[Any], path: str) -> None:
    head = array_header(array.shape, array.dtype)
    with mapped(path, len(head) + array.nbytes) as memory:
        memory[: len(head)] = head
        memory[len(head) :] = array.tobytes()


def _dropped(done: kernels.Run) -> list[kernels.Drop]:
    found: list[kernels.Drop] = []
    with progress_bar("instructions left out") as bar:
        step: Callable[[int, int], None] = bar or (lambda _done, _whole: None)
        for drop in done.drops():
            found.append(drop)
            step(len(found), done.sync_count)
    return found


def _report(done: kernels.Run, compared: dict[str, str], drops: list[kernels.Drop] | None) -> None:
    cores, lines = len(done.program.cores), len(done.program.instructions)
    say(f"{done.arch.name}, {plural(cores, 'core')}, {plural(lines, 'instruction')}")
    for finding in done.findings:
        say(*str(finding).split("\n"))
    for name, rest in done.unwritten.items():
        say(f"{name}: never written are {rest}")
    for name, difference in compared.items():
        say(f"{name}: {difference or 'equals the expected one'}")
    say(plural(len(done.findings), "finding") if done.findings else "no findings")
    if drops is not None:
        rows = [
            [str(i.line), str(i), i.pipe, _verdict(d), i.site] for d in drops for i in [d.instruction]
        ]
        for row in columns(["line", "without", "pipe", "then", "at"], rows, 1):
            say(row)
        count = sum([drop.redundant for drop in drops])
        say(f"{plural(len(drops), 'instruction')} left out in turn, {count} of them redundant")


def _verdict(drop: kernels.Drop) -> str:
    if drop.redundant:
        return "redundant: every order holds without it"
    return ", ".join(dict.fromkeys([f"{f.check} {f.kind}" for f in drop.findings]))


def _facts(done: kernels.Run, differing: list[str], drops: list[kernels.Drop] | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "arch": done.arch.name,
        "cores": done.program.cores,
        "instructions": len(done.program.instructions),
        "findings": [_finding_facts(finding) for finding in done.findings],
        "pending_sets": done.pending_sets,
        "differing": differing,
        "unwritten": {name: list(rest.bytes) for name, rest in done.unwritten.items()},
    }
    if drops is not None:
        facts["drops"] = [
            {
                "line": drop.instruction.line,
                "site": drop.instruction.site,
                "pipe": drop.instruction.pipe,
                "findings": [_finding_facts(f) for f in drop.findings],
            }
            for drop in drops
        ]
    return facts


def _finding_facts(finding: kernels.Finding) -> dict[str, Any]:
    return {**finding._asdict(), "at": [place._asdict() for place in finding.at]}
