"""``tla explain``: how an operation, or the place of an element, comes about, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..explain import EXPLAINED
from ..read import read
from ..xla_bridge import size_of
from .common import argument_parser, signed, text_argument
from .operation import Operands, add_assume
from .where import index_argument, shape_of, steps_to

if TYPE_CHECKING:
    import argparse

    from ..figure import Steps

__all__ = ["run"]

_EPILOG = """\
examples:
  tla explain tiling 'f32[3,5]{1,0:T(2,2)}'
  tla explain tiling 'bf16[4,8]{1,0:T(2,4)(2,1)}' 3,5
  tla explain composition '(6,2):(8,2)' '(4,3):(3,1)'
  tla explain complement '(2,2):(1,6)' 24
  tla explain zipped_divide '(8,6):(1,8)' '(4,3)' exact=true --json

'tiling' shows the tiles of an XLA shape as its document defines them: pad, reshape, transpose; with an
index, also the way of that element. The shape may also be FILE:%name#i, of a file of HLO, or - for
standard input.

The operations of the algebra, with their arguments:

"""


def run(arguments: list[str]) -> int:
    from textwrap import fill

    names = fill(", ".join(sorted(EXPLAINED)), 100, initial_indent="  ", subsequent_indent="  ")
    parser = argument_parser("explain", f"{_EPILOG}{names}")
    parser.add_argument("what", metavar="WHAT", help="'tiling', or an operation of the algebra")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs="+", help="what it is applied to")
    parser.add_argument("--json", action="store_true", help="print the steps as one JSON object")
    add_assume(parser)
    parser.set_defaults(steps=True)
    options = parser.parse_args(signed(arguments))
    if options.what == "tiling":
        figure = _tiling(parser, options.arguments)
    elif options.what in EXPLAINED or options.what == "compose":
        figure = _operation(parser, options)
    else:
        parser.error(
            f"no steps are known of {options.what!r}; of tiling, {', '.join(sorted(EXPLAINED))}"
        )
    if options.json:
        import json

        print(json.dumps(_facts(figure)))
        return 0
    from ..show.terminal import write

    write(figure)
    return 0


def _tiling(parser: argparse.ArgumentParser, texts: list[str]) -> Steps:
    if len(texts) > 2:
        parser.error("tiling takes a shape, and the index of one element")
    shape = shape_of(read(text_argument(texts[0])))
    figure = steps_to(shape, index_argument(texts[1]) if len(texts) > 1 else None).figure()
    warning = size_of(shape).warning
    return figure._replace(notes=(f"warning: {warning}",)) if warning else figure


def _operation(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Steps:
    named: dict[str, bool] = {}
    texts: list[str] = []
    for text in options.arguments:
        key, equals, value = text.partition("=")
        if not (equals and key.isidentifier()):
            texts.append(text)
        elif value in ("true", "false"):
            named[key] = value == "true"
        else:
            parser.error(f"{key} is true or false, not {value!r}")
    names = [f"argument {i + 1}" for i in range(len(texts))]
    operands = Operands(parser, options, **dict(zip(names, texts, strict=True)))
    values: list[Any] = [operands.value(name) for name in names]
    return operands.explained(options.what, *values, **named).figure()


def _facts(figure: Steps) -> dict[str, Any]:
    """The steps as plain data, as they are written."""
    return {
        "title": figure.title,
        "notes": list(figure.notes),
        "columns": list(figure.columns),
        "rows": [list(row) for row in figure.rows],
        "parts": [_facts(part) for part in figure.parts],
        "result": figure.result,
    }
