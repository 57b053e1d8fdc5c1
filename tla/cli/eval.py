# SPDX-License-Identifier: Apache-2.0
"""``tla eval``: the value of an expression over layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UndecidedError
from ..evaluation import OPERATIONS, evaluate, text_of_value
from ..ground import say
from ..numbers import assume
from ..read import layout_of_name
from .columns import wrapped
from .common import as_option, text_argument
from .operation import add_assume, as_table, conditions_of
from .parser import argument_parser

if TYPE_CHECKING:
    from ..evaluation import Call
    from ..show import Colour

_EPILOG = """\
examples:
  tla eval 'logical_divide((4,2,3):(2,1,8), 4:2)'
  tla eval 'is_injective((3,2):(2,3))'
  tla eval '(4,8):(8,1)(3,_)'
  tla eval 'coalesce(logical_divide((8,6):(1,8), 4))' --steps
  tla eval 'composition(zN<half>(32,48), (8,2):(1,16))'
  tla eval 'zipped_divide((M,K):(K,1), (48,K), exact=true)' --assume 'M % 48 == 0'

A layout applied to a coordinate is its offset; with _ in the coordinate it is the layout of the modes
kept. A name such as M, or M{div=16,max=64}, is an unknown size. Options are written key=value, such as
exact=true. Statements end with ;, as in x = 4:2; size(x) + 1. XLA shapes are not read here.
The operations:

"""


def run(arguments: list[str]) -> int:
    operations = "\n".join(wrapped(OPERATIONS, "  "))
    parser = argument_parser("eval", _EPILOG + operations)
    parser.add_argument("text", metavar="EXPRESSION", help="what to evaluate; - is standard input")
    parser.add_argument("--steps", action="store_true", help="show how each result comes about")
    add_assume(parser)
    options = parser.parse_args(arguments)
    calls: list[Call] = []
    text = text_argument(options.text)
    names, conditions = conditions_of(options.assume, text)
    try:
        with assume(*conditions):
            value = evaluate(text, calls, names, layout_of_name)
            if options.steps:
                _write_steps(calls, options.colour)
            say(text_of_value(value))
    except UndecidedError as error:
        raise as_option(error) from None
    return 0


def _write_steps(calls: list[Call], colour: Colour) -> None:
    """Write the steps of operations."""
    from ..explain import EXPLAINED, explain
    from ..show import write

    for name, positional, named in calls:
        if name in EXPLAINED or name == "compose":
            write(as_table(explain(name, *positional, **named).figure(pictures=False)), colour)
