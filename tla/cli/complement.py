# SPDX-License-Identifier: Apache-2.0
"""``tla complement``: the offsets that a layout leaves free."""

from __future__ import annotations

from .operation import Operands, operation_parser

_EXAMPLES = """\
tla complement '(2,2):(1,6)' 24
tla complement '4:2' 24 --steps
tla complement '(2,2):(1,6)'"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("complement", _EXAMPLES)
    parser.add_argument("a", metavar="A", help="the layout")
    parser.add_argument(
        "cotarget",
        metavar="N",
        nargs="?",
        help="how many offsets to fill, or a shape of that size, rounded up to whole blocks; by default"
        " what A spans",
    )
    options = parser.parse_args(arguments)
    operands = Operands(parser, options, A=options.a, N=options.cotarget)
    target = [operands.value("N")] if "N" in operands else []
    return operands.write("complement", operands.layout("A"), *target)
