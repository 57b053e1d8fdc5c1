# SPDX-License-Identifier: Apache-2.0
"""``tla ascend translate``: a kernel in Python as a program in C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..ascend import ARCHES, kernels
from ..errors import TlaError
from .ascend_emit import add_output, program_name, put_program
from .ascend_written import settings, written_kernel
from .commands import SUBCOMMANDS
from .data_files import array_file, expect_numpy
from .parser import argument_parser
from .python_files import complain_of

if TYPE_CHECKING:
    import argparse

_EPILOG: Final = """\
examples:
  tla ascend translate examples/ascend_kernel.py:double --shape 'X=float(8,256)' --shape 'Y=float(8,256)'
  tla ascend translate my_kernels.py:product --shape 300,200,600 -o catlass/examples/product
  tla ascend translate my_kernels.py:product --shape 300,200,600 --arch Ascend950 --json

The shapes and element types are those of the program. What depends on them, or on the kind of core, is
computed here; what depends on the core, or on a turn of a loop, is C++. The program has a host, as that
of `tla ascend emit`; `tla ascend record` compiles it on this machine, and its trace equals what
`tla ascend run` issues of the kernel.

exit code 1: the kernel does something that has no C++ here; the line says where.
"""


def run(arguments: list[str]) -> int:
    options = _options(arguments)
    expect_numpy("ascend translate")
    pairs = (text.partition("=") for text in options.tensor)
    tensors: dict[str, Any] = {name: array_file(path) for name, _, path in pairs}
    options.seed = 0
    try:
        kernel, arrays = written_kernel(options.kernel, options, tensors)
        name = program_name(options, kernel.name)
        program = kernels.translate(kernel, *arrays, name=name, **settings(options))
    except TlaError:
        raise
    except Exception as error:
        complain_of(error)
        return 1
    put_program(program, options)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argument_parser("ascend translate", _EPILOG, SUBCOMMANDS["translate"])
    parser.add_argument("kernel", metavar="FILE.py:KERNEL", help="a function with the mark @kernel")
    for option, metavar, text in (
        ("--shape", "NAME=SHAPE", "the shape of a tensor, as A=half(300,600); or M,N,K"),
        ("--tensor", "NAME=FILE", "the shape of a tensor, that of a file of numpy's"),
        ("--set", "NAME=VALUE", "a parameter of the kernel"),
    ):
        parser.add_argument(option, metavar=metavar, action="append", default=[], help=text)
    parser.add_argument("--arch", help=f"{', '.join(ARCHES)}, or a chip; else that of the kernel")
    add_output(parser)
    return parser.parse_args(arguments)
