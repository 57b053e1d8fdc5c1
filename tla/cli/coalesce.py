# SPDX-License-Identifier: Apache-2.0
"""``tla coalesce``: a layout with the fewest modes."""

from __future__ import annotations

from .operation import Operands, operation_parser

_EXAMPLES = """\
tla coalesce '(2,(1,6)):(1,(7,2))'
tla coalesce '((4,2),(4,3)):((1,4),(8,32))' --profile '(1,1)'
tla coalesce 'f32[128,256]{1,0}' --steps"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("coalesce", _EXAMPLES)
    parser.add_argument("a", metavar="A", help="the layout")
    parser.add_argument(
        "--profile", help="coalesce within each of the modes that this tuple has, such as (1,1)"
    )
    options = parser.parse_args(arguments)
    operands = Operands(parser, options, A=options.a, PROFILE=options.profile)
    profile = [operands.value("PROFILE")] if "PROFILE" in operands else []
    return operands.write("coalesce", operands.layout("A"), *profile)
