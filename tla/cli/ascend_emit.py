# SPDX-License-Identifier: Apache-2.0
"""``tla ascend emit``: the C++ program of a plan, whole or as an example of CATLASS."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from ..ground import say
from .ascend_check import add_plan, plan_of
from .commands import SUBCOMMANDS
from .common import InputError, file_argument
from .messages import say_json
from .parser import argument_parser
from .saving import save

if TYPE_CHECKING:
    import argparse

    from ..ascend import CppProgram

_EPILOG: Final = """\
examples:
  tla ascend emit AtlasA2 half 1024,576,6144
  tla ascend emit AtlasA2 half 1024,576,6144 -o catlass/examples/my_matmul
  tla ascend emit AtlasA2 half 1024,576,6144 --l1 128,128,256 --into 13_basic_matmul_tla

The program has a host, which reads A.bin and B.bin from the folder that it is given and writes C.bin,
and the kernel of CATLASS that takes the plan. -o writes it to a folder, with the CMakeLists.txt that
CATLASS's build takes; without it the source is printed. `tla ascend record` compiles it on this machine.

--into takes an example of CATLASS, by the name of its folder, or a source, and replaces its tiles,
policy, swizzle and layouts. Its host stays: what that contradicts is refused with the line.

Exit code 1: the plan is illegal, or there is no program of it.
"""


def run(arguments: list[str]) -> int:
    options = _options(arguments)
    plan = plan_of(options)
    program = plan.emit(program_name(options, "tla_matmul"), into=options.into, catlass=options.catlass)
    put_program(program, options)
    return 0


def program_name(options: argparse.Namespace, otherwise: str) -> str:
    """Return the name of a program: that of its folder."""
    return os.path.basename(os.path.abspath(options.output)) if options.output else otherwise


def put_program(program: CppProgram, options: argparse.Namespace) -> None:
    """Write a program to the folder of ``-o``, or print its source, or all of it as JSON."""
    if options.output:
        try:
            os.makedirs(options.output, exist_ok=True)
        except (OSError, ValueError) as error:
            raise InputError.cannot("write", options.output, error) from None
        for file, text in program.files().items():
            save(os.path.join(options.output, file), text.removesuffix("\n"))
    if options.json:
        say_json({"name": program.name, "arguments": program.arguments, "files": program.files()})
    elif options.output:
        say(*(os.path.join(options.output, file) for file in program.files()))
    else:
        say(*program.source.splitlines())


def add_output(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments that `put_program` takes."""
    parser.add_argument(
        "-o", "--output", type=file_argument, metavar="DIR", help="the folder of the program"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argument_parser("ascend emit", _EPILOG, SUBCOMMANDS["emit"])
    add_plan(parser)
    parser.add_argument("--into", metavar="EXAMPLE", help="an example of CATLASS, or a source")
    parser.add_argument("--catlass", metavar="DIR", help="the folder of CATLASS; else that of $CATLASS")
    add_output(parser)
    return parser.parse_args(arguments)
