"""``tla compose``: the composition of two layouts."""

from __future__ import annotations

from .operation import layout_argument, operation_parser, value_argument, write_result

__all__ = ["run"]

_EXAMPLES = """\
tla compose '(6,2):(8,2)' '(4,3):(3,1)'
tla compose '(6,2):(8,2)' '(4,3):(3,1)' --steps
tla compose '(6,8):(1,6)' '(2,4:2)'"""


def run(arguments: list[str]) -> int:
    parser = operation_parser("compose", _EXAMPLES)
    parser.add_argument("a", metavar="A", help="the layout that gives the offsets")
    parser.add_argument("b", metavar="B", help="the layout, or tiler by mode, that picks indices of A")
    parser.add_argument(
        "--no-extend",
        action="store_true",
        help="refuse indices past the end of A; its last mode may not grow",
    )
    options = parser.parse_args(arguments)
    a, b = layout_argument(options.a), value_argument(options.b)
    return write_result(options.steps, "composition", a, b, extend=not options.no_extend)
