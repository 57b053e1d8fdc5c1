# SPDX-License-Identifier: Apache-2.0
"""``tla divide``: a layout split into tiles and the rest."""

from __future__ import annotations

from ..errors import DivisibilityError
from .operation import Operands, operation_parser

_EXAMPLES = """\
tla divide '(4,2,3):(2,1,8)' 4:2
tla divide '(8,6):(1,8)' '(4,3)' --form zipped
tla divide 12:1 4 --exact"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("divide", _EXAMPLES, tilers=True)
    parser.add_argument("a", metavar="A", help="the layout")
    parser.add_argument("tiler", metavar="TILER", help="a layout, an int, or a tiler for each mode")
    parser.add_argument(
        "--form",
        choices=["logical", "zipped", "tiled", "flat"],
        default="logical",
        help="where the modes go: each tile beside its rest (logical, the default), all tiles in mode 0"
        " (zipped), the rests at the top (tiled), everything at the top (flat)",
    )
    parser.add_argument("--exact", action="store_true", help="refuse a tile that does not divide")
    options = parser.parse_args(arguments)
    operands = Operands(parser, options, A=options.a, TILER=options.tiler)
    a, tiler = operands.layout("A"), operands.value("TILER")
    exact = {"exact": True} if options.exact else {}
    try:
        return operands.write(f"{options.form}_divide", a, tiler, **exact)
    except DivisibilityError as error:
        details = [detail.replace("With exact=False", "Without --exact") for detail in error.details]
        raise DivisibilityError(error.summary, *details, **error.data) from None
