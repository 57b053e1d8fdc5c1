# SPDX-License-Identifier: Apache-2.0
"""``tla compose``: the composition of two layouts."""

from __future__ import annotations

from ..layouts import ComposedLayout, Swizzle
from .operation import Operands, operation_parser
from .show import layout_of

_EXAMPLES = """\
tla compose '(6,2):(8,2)' '(4,3):(3,1)'
tla compose '(6,2):(8,2)' '(4,3):(3,1)' --steps
tla compose '(6,8):(1,6)' '(2,4:2)'"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("compose", _EXAMPLES, tilers=True)
    parser.add_argument("a", metavar="A", help="the layout, or swizzle, that gives the offsets")
    parser.add_argument("b", metavar="B", help="the layout, or tiler, that picks indices of A")
    parser.add_argument(
        "--no-extend",
        action="store_true",
        help="refuse indices past the end of A; its last mode may not grow",
    )
    options = parser.parse_args(arguments)
    operands = Operands(parser, options, A=options.a, B=options.b)
    a, b = operands.value("A"), operands.value("B")
    if not isinstance(a, (Swizzle, ComposedLayout)):
        a = layout_of(a)
    extend = {"extend": False} if options.no_extend else {}
    return operands.write("composition", a, b, **extend)
