"""What the commands of the algebra share: their arguments, and how a result is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ParseError
from ..evaluation import evaluate, text_of_value
from ..read import read
from .common import argument_parser, text_argument
from .show import layout_of

if TYPE_CHECKING:
    import argparse

__all__ = ["layout_argument", "one_input", "operation_parser", "value_argument", "write_result"]

_LAYOUTS = """
A layout is a text such as '(4,2):(2,1)', an XLA shape such as 'f32[3,5]{1,0:T(2,2)}', an expression
such as 'right_inverse((4,8):(8,1))' ('tla eval --help' lists them), or - for standard input.
"""
_TILERS = """\
A tiler is a layout, an int, or a tuple of tilers for the modes, such as '(4,3)' or '(2:1,_)'.
"""


def operation_parser(name: str, examples: str, tilers: bool = False) -> argparse.ArgumentParser:
    """Return the parser of a command that makes a layout of layouts."""
    lines = "".join(f"  {line}\n" for line in examples.splitlines())
    parser = argument_parser(name, f"examples:\n{lines}{_LAYOUTS}{_TILERS if tilers else ''}")
    parser.add_argument("--steps", action="store_true", help="show how the result comes about")
    return parser


def one_input(parser: argparse.ArgumentParser, *texts: str | None) -> None:
    """Refuse a command line that reads standard input twice."""
    if texts.count("-") > 1:
        parser.error("standard input, -, can stand for one argument only")


def value_argument(text: str, name: str) -> Any:
    """Return the value that an argument writes; an error in it names the argument."""
    text = text_argument(text)
    is_xla = "[" in text and text.partition("[")[0].strip().isalnum()
    try:
        return layout_of(read(text)) if is_xla else evaluate(text)
    except ParseError as error:
        summary, details = f"{name}: {error.summary}", error.details
        raise ParseError(summary, error.text, error.start, error.end, *details) from None


def layout_argument(text: str, name: str) -> Any:
    """Return the layout that an argument writes; a shape without strides stands for none."""
    return layout_of(value_argument(text, name))


def write_result(steps: bool, operation: str, *arguments: Any, **options: Any) -> int:
    """Carry out an operation and write its result, or its steps."""
    if steps:
        from ..explain import explain
        from ..show.terminal import write

        write(explain(operation, *arguments, **options).figure())
        return 0
    from .. import algebra

    print(text_of_value(getattr(algebra, operation)(*arguments, **options)))
    return 0
