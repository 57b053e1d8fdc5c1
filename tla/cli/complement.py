"""``tla complement``: the offsets that a layout leaves free."""

from __future__ import annotations

from .operation import layout_argument, one_input, operation_parser, value_argument, write_result

__all__ = ["run"]

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
        help="how many offsets to fill, or a shape of so many, rounded up to whole blocks; by default"
        " what A spans",
    )
    options = parser.parse_args(arguments)
    one_input(parser, options.a, options.cotarget)
    target = [] if options.cotarget is None else [value_argument(options.cotarget, "N")]
    return write_result(options.steps, "complement", layout_argument(options.a, "A"), *target)
