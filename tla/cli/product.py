# SPDX-License-Identifier: Apache-2.0
"""``tla product``: a block repeated over a tiler."""

from __future__ import annotations

from .operation import Operands, operation_parser

_EXAMPLES = """\
tla product '(2,2):(4,1)' 6:1
tla product '(2,5):(5,1)' '(3,4):(1,3)' --form blocked
tla product '(2,5):(5,1)' '(3,4):(1,3)' --form raked --steps"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("product", _EXAMPLES, tilers=True)
    parser.add_argument("block", metavar="BLOCK", help="the layout to repeat")
    parser.add_argument("tiler", metavar="TILER", help="a layout, an int, or a tiler for each mode")
    parser.add_argument(
        "--form",
        choices=["logical", "zipped", "tiled", "flat", "blocked", "raked"],
        default="logical",
        help="where the modes go: the block beside its copies (logical, the default; zipped, tiled and"
        " flat as in 'tla divide'), mode by mode blocks side by side (blocked) or interleaved (raked)",
    )
    options = parser.parse_args(arguments)
    operands = Operands(parser, options, BLOCK=options.block, TILER=options.tiler)
    block, tiler = operands.layout("BLOCK"), operands.value("TILER")
    if options.form in ("blocked", "raked") and isinstance(tiler, tuple):
        parser.error(f"--form {options.form} takes a layout as TILER, not a tuple of tilers")
    return operands.write(f"{options.form}_product", block, tiler)
