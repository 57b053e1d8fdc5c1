# SPDX-License-Identifier: Apache-2.0
"""``tla inverse``: from an offset back to the index."""

from __future__ import annotations

from .operation import Operands, operation_parser

_EXAMPLES = """\
tla inverse '(4,8):(8,1)'
tla inverse '(4,8):(1,5)' --left --steps
tla inverse '((4,2),(4,3)):((4,16),(1,32))' --right"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("inverse", _EXAMPLES)
    parser.add_argument("a", metavar="A", help="the layout")
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--right", action="store_true", help="R with A(R(i)) = i, for the offsets 0, 1, 2, ... (default)"
    )
    side.add_argument("--left", action="store_true", help="R with R(A(i)) = i")
    options = parser.parse_args(arguments)
    operation = "left_inverse" if options.left else "right_inverse"
    operands = Operands(parser, options, A=options.a)
    return operands.write(operation, operands.layout("A"))
