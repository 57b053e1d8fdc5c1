"""``tla explain``: how an operation, a layout of a tag, or the place of an element comes about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import ParseError
from ..explain import EXPLAINED
from ..read import read, tagged
from ..xla_bridge import size_of
from .common import argument_parser, signed, text_argument
from .operation import Operands, add_assume
from .show import layout_of
from .where import index_argument, shape_of, steps_to

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..ascend.tags.recognise import Recognition
    from ..figure import Steps

__all__ = ["run"]

_EPILOG = """\
examples:
  tla explain tiling 'f32[3,5]{1,0:T(2,2)}'
  tla explain tiling 'bf16[4,8]{1,0:T(2,4)(2,1)}' 3,5
  tla explain composition '(6,2):(8,2)' '(4,3):(3,1)'
  tla explain complement '(2,2):(1,6)' 24
  tla explain zipped_divide '(8,6):(1,8)' '(4,3)' exact=true --json
  tla explain 'zN<half>(20,48)'
  tla explain '((16,2),(16,3)):((16,256),(1,512))' --tag 'zN<half>'
  tla explain '(20,48):(64,1)'

'tiling' shows the tiles of an XLA shape as its document defines them: pad, reshape, transpose; with an
index, also the way of that element. The shape may also be FILE:%name#i, of a file of HLO, or - for
standard input.

A tag with its element type and sizes is shown leaf by leaf, in the order of memory. Of another layout
--tag says whether the tag gives it, or a tile of what it gives: what it was made of, or each part that
is otherwise, with a coordinate that the tag places elsewhere; the exit code is 1 then. Without --tag it
is the list of tags that it is in.

The operations of the algebra, with their arguments:

"""


def run(arguments: list[str]) -> int:
    from textwrap import fill

    names = fill(", ".join(sorted(EXPLAINED)), 100, initial_indent="  ", subsequent_indent="  ")
    parser = argument_parser("explain", f"{_EPILOG}{names}")
    what = "'tiling', an operation of the algebra, or a layout"
    parser.add_argument("what", metavar="WHAT", help=what)
    parser.add_argument("arguments", metavar="ARGUMENT", nargs="*", help="what it is applied to")
    parser.add_argument("--tag", metavar="TAG", help="whether the layout is in a tag: zN, 'zN<half>'")
    parser.add_argument("--json", action="store_true", help="print the steps as one JSON object")
    add_assume(parser)
    parser.set_defaults(steps=True)
    options = parser.parse_args(signed(arguments))
    is_operation = options.what in EXPLAINED or options.what in ("tiling", "compose")
    if options.tag is not None and (is_operation or options.arguments):
        parser.error("--tag goes with one layout")
    if is_operation and not options.arguments:
        parser.error(f"{options.what} needs an ARGUMENT")
    found: Sequence[Recognition] | None = None
    if not options.arguments:
        figure, found = _layout(parser, options)
    elif options.what == "tiling":
        figure = _tiling(parser, options.arguments)
    elif is_operation:
        figure = _operation(parser, options)
    else:
        _refuse_unknown(parser, options.what)
    code = 1 if options.tag is not None and found and not found[0].answer else 0
    if options.json:
        import json

        print(json.dumps({**_facts(figure), **({} if found is None else {"tags": _tags(found)})}))
        return code
    from ..show.terminal import write

    write(figure)
    return code


def _refuse_unknown(parser: argparse.ArgumentParser, what: str) -> NoReturn:
    parser.error(f"no steps are known of {what!r}; of tiling, {', '.join(sorted(EXPLAINED))}")


def _layout(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[Steps, Sequence[Recognition] | None]:
    """How a layout comes about from its tag, or which tags it is in, with what is found of each."""
    operands = Operands(parser, options, WHAT=options.what)
    text = operands.text("WHAT")
    if text.isidentifier():
        _refuse_unknown(parser, text)
    by_tag = tagged(text) if options.tag is None else None
    if by_tag is not None:
        from ..ascend.tags.building import steps_of

        return steps_of(by_tag), None
    layout = layout_of(read(text)) if ":%" in text else operands.layout("WHAT")
    from ..ascend.tags.building import figure_of, tags_figure
    from ..ascend.tags.recognise import recognition, recognitions
    from ..ascend.tags.text import parse_tag

    with operands.assumed():
        if options.tag is None:
            every = recognitions(layout)
            return tags_figure(layout, every), every
        try:
            tag, element = parse_tag(options.tag)
        except ParseError as error:
            raise error.named("--tag") from None
        found = recognition(layout, tag, element)
        return figure_of(found), [found]


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


def _tags(found: Sequence[Recognition]) -> list[dict[str, Any]]:
    """Each tag asked about: the width of the elements where it shows; true, false, or null if open."""
    return [{"tag": each.tag, "bits": each.bits, "answer": each.answer} for each in found]


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
