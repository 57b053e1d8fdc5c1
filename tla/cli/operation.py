# SPDX-License-Identifier: Apache-2.0
"""The parts that the commands of the algebra share: their arguments, and the writing of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ParseError, UndecidedError
from ..evaluation import evaluate, text_of_value
from ..ground import MAX_DEPTH, say
from ..layouts import NamingScanner, is_composed
from ..numbers import Names, assume, condition_at
from ..read import layout_of_name, read
from .common import InputError, as_option, text_argument
from .parser import argument_parser
from .show import layout_of

if TYPE_CHECKING:
    import argparse

    from ..explain import Explanation
    from ..ground import Steps
    from ..numbers import Condition

_LAYOUTS = """
A layout is a text such as '(4,2):(2,1)', an XLA shape such as 'f32[3,5]{1,0:T(2,2)}', a tag such as
'zN<half>(20,48)', an expression such as 'right_inverse((4,8):(8,1))' ('tla eval --help' lists them), or
- for standard input.
"""
_TILERS = """\
A tiler is a layout, an int, or a tuple of tilers for the modes, such as '(4,3)' or '(2:1,_)'.
"""


_SYMBOLS = """\
A name such as M is an unknown size, of which more may be said: 'M{div=16,min=0,max=64}'.
"""


def operation_parser(name: str, examples: str, tilers: bool = False) -> argparse.ArgumentParser:
    """Return the parser of a command that makes a layout of layouts."""
    lines = "".join(f"  {line}\n" for line in examples.splitlines())
    parser = argument_parser(name, f"examples:\n{lines}{_LAYOUTS}{_TILERS if tilers else ''}{_SYMBOLS}")
    parser.add_argument("--steps", action="store_true", help="show how the result comes about")
    add_assume(parser)
    return parser


def add_assume(parser: argparse.ArgumentParser) -> None:
    """Give a parser the option ``--assume``."""
    parser.add_argument(
        "--assume",
        metavar="CONDITION",
        action="append",
        default=[],
        help="take a condition on unknown sizes for granted, such as 'M %% 48 == 0'; may be repeated",
    )


class Operands:
    """The operands of a command, by their names in errors. One name is one unknown in all operands.

    Args:
        texts: The text of each argument; None for an argument that was left out.
    """

    def __init__(
        self, parser: argparse.ArgumentParser, options: argparse.Namespace, **texts: str | None
    ) -> None:
        if list(texts.values()).count("-") > 1:
            parser.error("standard input, -, can stand for one argument only")
        contents = {name: text_argument(text) for name, text in texts.items() if text is not None}
        self._texts = contents
        self._names = Names(" ".join([*contents.values(), *options.assume]))
        self._steps: bool = options.steps
        self._colour = options.colour
        self._conditions = [_condition(text, self._names) for text in options.assume]

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def text(self, name: str) -> str:
        """Return the text of an argument."""
        return self._texts[name]

    def value(self, name: str) -> Any:
        """Return the value of an argument; an error names the argument."""
        text = self._texts[name]
        is_xla = "[" in text and text.partition("[")[0].strip().isalnum()
        try:
            with assume(*self._conditions):
                return (
                    layout_of(read(text))
                    if is_xla
                    else evaluate(text, None, self._names, layout_of_name)
                )
        except ParseError as error:
            raise error.named(name) from None

    def assumed(self) -> assume:
        """Return the context in which the conditions of ``--assume`` hold."""
        return assume(*self._conditions)

    def layout(self, name: str) -> Any:
        """Return the layout of an argument, perhaps behind a swizzle; no shape alone."""
        value = self.value(name)
        return value if is_composed(value) else layout_of(value)

    def explained(self, operation: str, *arguments: Any, **options: Any) -> Explanation:
        """Return the explanation of an operation, under the conditions of ``--assume``."""
        from ..explain import explain

        for seen in filter(is_composed, arguments if operation != "composition" else ()):
            raise InputError(f"steps are shown of plain layouts, and {seen} has a swizzle")
        try:
            with assume(*self._conditions):
                return explain(operation, *arguments, **options)
        except UndecidedError as error:
            raise as_option(error) from None

    def write(self, operation: str, *arguments: Any, **options: Any) -> int:
        """Carry out an operation and write its result, or its steps."""
        if self._steps:
            from ..show import write

            steps = self.explained(operation, *arguments, **options).figure(pictures=False)
            write(as_table(steps), self._colour)
            return 0
        try:
            with assume(*self._conditions):
                from .. import algebra

                say(text_of_value(getattr(algebra, operation)(*arguments, **options)))
        except UndecidedError as error:
            raise as_option(error) from None
        return 0


def as_table(steps: Steps) -> Steps:
    """Return the steps with the table alone, if the sentences repeat it."""
    return steps._replace(sentences=(), pictures=(), parts=tuple(map(as_table, steps.parts)))


def _condition(text: str, names: Names) -> Condition:
    """The condition that a text writes."""
    scan = NamingScanner(text, names)
    try:
        condition = condition_at(scan, names, MAX_DEPTH)
        scan.expect_end()
    except ParseError as error:
        raise error.named("--assume") from None
    return condition


def conditions_of(texts: list[str], expression: str) -> tuple[Names, list[Condition]]:
    """Return the names of an expression and of the conditions assumed for it, and the conditions."""
    names = Names(" ".join([expression, *texts]))
    return names, [_condition(text, names) for text in texts]
