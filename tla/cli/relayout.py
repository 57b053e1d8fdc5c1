# SPDX-License-Identifier: Apache-2.0
"""``tla relayout``: memory by another layout, and the loops that move it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ground import say
from .common import GIVEN
from .data_files import (
    MEMORY,
    add_data_options,
    elements_read,
    elements_to_write,
    expect_numpy,
    fill_of,
    format_argument,
    mapped_file,
    plain_dtype,
    report,
    stepping,
)
from .messages import say_json
from .parser import argument_parser
from .pictures import write_figure
from .progress import progress_bar
from .saving import expect_place, mapped

if TYPE_CHECKING:
    import argparse

    from ..moves import Format

_EPILOG = """\
examples:
  tla relayout dump.bin 'bf16[20,96]{1,0:T(8,128)(2,1)}' 'bf16[20,96]{1,0}' -o rows.bin
  tla relayout 'f32[20,48]{1,0}' 'f32[20,48]{1,0:T(8,128)}'
  tla relayout '(20,48):(48,1)' 'zN<half>(20,48)' --cpp
  tla relayout '(4,6):(6,1)' '(4,6):(1,4)' --figure

Without FILE it describes the loops that move the data. --cpp and --numpy print them as a program, of
pointers to offset 0; --figure draws which run of elements goes where. 'tla diff A B' says what differs
between the two.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("relayout", _EPILOG + MEMORY)
    parser.usage = "tla relayout [-h] [FILE] A B [-o OUTPUT] [--cpp | --numpy | --figure] ..."
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="memory in layout A; - is standard input; without it the loops are described",
    )
    add("a", metavar="A", help=GIVEN)
    add("b", metavar="B", nargs="?", help="another one, of data of the same shape")
    add_data_options(parser, fill=True, is_required=False)
    source = parser.add_mutually_exclusive_group()
    for name, what in (("cpp", "C++"), ("numpy", "Python")):
        add_source = source.add_argument
        add_source(f"--{name}", action="store_const", const=name, dest="source", help=f"loops in {what}")
    what = "draw both memories; with -o PICTURE as SVG, HTML or LaTeX"
    source.add_argument("--figure", action="store_const", const="figure", dest="source", help=what)
    options = parser.parse_args(arguments)
    texts = [options.file, options.a, options.b]
    if texts.count("-") > 1:
        parser.error("standard input, -, can stand for one argument only")
    if (options.b is None) != (options.output is None) and options.source != "figure":
        parser.error("FILE A B and -o OUTPUT move data; A B alone print the loops")
    if options.source and options.json:
        verb = "draws" if options.source == "figure" else "prints"
        parser.error(f"--json lists the loops, --{options.source} {verb} them: give one")
    if options.source and options.b is not None:
        parser.error(f"--{options.source} goes with A and B alone")
    a, b = (
        format_argument(name, text, options.dtype)
        for name, text in zip("AB", texts[options.b is not None :], strict=False)
    )
    a.require_type_of(b)
    kind = a.type or b.type
    a, b = a._replace(type=kind), b._replace(type=kind)
    return _explain(a, b, options) if options.b is None else _move(a, b, options)


def _explain(a: Format, b: Format, options: argparse.Namespace) -> int:
    from ..arrays import copy_plan

    plan = copy_plan(a.layout, b.layout)
    if options.json:
        boxes = None if plan.boxes is None else [box._asdict() for box in plan.boxes]
        say_json({"elements": plan.size, "runs": None if boxes is None else plan.runs, "boxes": boxes})
    elif options.source == "figure":
        options.format = options.width = None
        write_figure(plan.figure(), options)
    elif options.source:
        say(*(plan.cpp() if options.source == "cpp" else plan.numpy()).split("\n"))
    else:
        say(*plan.explain())
    return 0


def _move(a: Format, b: Format, options: argparse.Namespace) -> int:
    expect_numpy("relayout")
    from ..arrays import copy_plan, relayout

    output: str = options.output
    expect_place(output)
    plain = plain_dtype(a)
    plan = copy_plan(a.layout, b.layout)  # refuses what does not fit before a file is made
    data, size = mapped_file(options.file), b.bytes_of(b.entries)
    with progress_bar("moving", True, plan.size * plain.itemsize) as bar:
        held = elements_read(a, plain, data, options.file, output)
        with mapped(output, size) as memory, elements_to_write(b, plain, memory, output) as out:
            step = stepping(bar, plain.itemsize, memory, data)
            relayout(held, a.layout, b.layout, fill_of(b, options.fill), out, step)
    report(options, b, size, plan.size, max(0, len(data) - a.bytes_of(a.entries)))
    return 0
