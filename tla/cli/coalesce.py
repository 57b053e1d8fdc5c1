"""``tla coalesce``: a layout with the fewest modes."""

from __future__ import annotations

from .operation import layout_argument, one_input, operation_parser, value_argument, write_result

__all__ = ["run"]

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
    one_input(parser, options.a, options.profile)
    profile = [] if options.profile is None else [value_argument(options.profile, "PROFILE")]
    return write_result(options.steps, "coalesce", layout_argument(options.a, "A"), *profile)
