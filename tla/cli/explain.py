# SPDX-License-Identifier: Apache-2.0
"""``tla explain``: an operation, a layout of a tag, or the place of an element, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import ParseError, TlaError, UndecidedError
from ..explain import (
    EXPLAINED,
    divide_table,
    explain_coordinate,
    explain_error,
    explain_offset,
    explain_tile,
    tv_figure,
)
from ..figures import layout_figure
from ..ground import Panels, Steps, near_words
from ..layouts import is_composed
from ..read import read, tagged
from ..xla_bridge import size_of
from .columns import wrapped
from .common import (
    SAY_MORE,
    InputError,
    as_option,
    number_argument,
    on_command_line,
    text_argument,
)
from .messages import complain, say_json
from .operation import Operands, add_assume, as_table
from .parser import argument_parser
from .pictures import add_formats, is_file_format, write_figure
from .show import layout_of
from .where import expect_order, index_argument, shape_of, steps_to

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..ascend import Recognition
    from ..ground import AnyFigure, Figure

_EPILOG = """\
examples:
  tla explain '((4,2),(4,3)):((4,16),(1,32))' 1,5
  tla explain '((4,2),(4,3)):((4,16),(1,32))' --offset 37
  tla explain composition '(6,2):(8,2)' '(4,3):(3,1)'
  tla explain composition '(6,2):(8,2)' '(4,3):(3,1)' -o picture.svg
  tla explain divide '(12,32):(1,12)' '(4,8)'
  tla explain complement '(2,2):(1,6)' 24
  tla explain zipped_divide '(8,6):(1,8)' '(4,3)' exact=true --json
  tla explain tiling 'bf16[4,8]{1,0:T(2,4)(2,1)}' 3,5
  tla explain tv '((4,8),2):((16,1),8)' --tile '(8,8)'
  tla explain 'zN<half>(20,48)'
  tla explain '((16,2),(16,3)):((16,256),(1,512))' --tag 'zN<half>'
  tla explain '(20,48):(64,1)'

A layout and a coordinate: the coordinate has a digit for each mode; the offset is the sum of digit
times stride. --offset lists the coordinates that have an offset: none, one or many.

An operation of the algebra, with its arguments: its steps in sentences, and pictures before and after.
One colour is one element, or one tile. --table shows the steps as a table instead. If the operation
is refused, the picture marks the cells that speak against it, and the exit code is 1.

'divide' shows the four forms of a division side by side. If a shape and a layout of that shape divide
differently, it shows both. 'make_layout_tile' cuts out the first tile. 'tv' takes a layout from
(thread, value) to the index in a tile, and shows which thread and value hold each cell of the tile.

'tiling' shows the tiles of an XLA shape as its document defines them: pad, reshape, transpose; with an
index, also the way of that element. The shape may also be FILE:%name#i, of a file of HLO, or - for
standard input.

A tag with its element type and sizes: its layout leaf by leaf, in the order of memory. With --tag, any
layout: whether it is in that tag, and what the tag was given. If it is not, each part that differs,
with a coordinate that the tag places elsewhere, and the exit code is 1. Without --tag and coordinate:
the tags that a layout is in.

The operations of the algebra, with their arguments:

"""

_VIEWS = ("tiling", "divide", "make_layout_tile", "tv")
"""The other things that the command explains."""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    _require_fitting(parser, options)
    results: Sequence[Recognition] | None = None
    figure: AnyFigure
    try:
        if options.offset is not None:
            figure = explain_offset(_layout_given(parser, options), options.offset)
        elif options.what == "tiling":
            figure = _tiling(parser, options.arguments)
        elif options.what == "tv":
            figure = _threads(parser, options)
        elif _is_operation(options.what):
            figure = _operation(parser, options)
        elif options.arguments:
            figure = _coordinate(parser, options)
        else:
            figure, results = _layout(parser, options)
    except TlaError as error:
        panels = None if options.json else explain_error(error)
        if panels is None:
            raise
        complain(f"tla: error: {error}")
        write_figure(panels, options)
        return 1
    code = 1 if options.tag is not None and results and not results[0].answer else 0
    if options.json:
        facts = _facts(figure) if isinstance(figure, Steps) else _cells(figure)
        say_json({**facts, **({} if results is None else {"tags": _tags(results)})})
        return code
    if isinstance(figure, Steps) and options.table:
        figure = as_table(figure)
    elif isinstance(figure, Steps) and options.what != "divide":
        figure = _without_tables(figure)
    is_text = not isinstance(figure, Steps) and not is_file_format(options)
    write_figure(Panels("", (figure,)) if is_text else figure, options)
    return code


def _parser() -> argparse.ArgumentParser:
    names = "\n".join(wrapped(sorted(EXPLAINED), "  "))
    parser = argument_parser("explain", f"{_EPILOG}{names}")
    what = f"a layout; or an operation of the algebra, {', '.join(_VIEWS)}"
    parser.add_argument("what", metavar="WHAT", help=what)
    parser.add_argument(
        "arguments",
        metavar="ARGUMENT",
        nargs="*",
        default=[],
        help="what it is applied to; of a layout a coordinate",
    )
    parser.add_argument(
        "--offset", type=number_argument, metavar="N", help="the coordinates that lead to an offset"
    )
    parser.add_argument("--tag", metavar="TAG", help="whether the layout is in a tag: zN, 'zN<half>'")
    parser.add_argument("--tile", metavar="TILE", help="the shape of the tile of 'tv': '(8,8)'")
    parser.add_argument(
        "--table", action="store_true", help="show the steps as a table, without pictures"
    )
    add_formats(parser, json="print the steps as one JSON object")
    add_assume(parser)
    parser.set_defaults(steps=True)
    return parser


def _is_operation(what: str) -> bool:
    return what in EXPLAINED or what in ("compose", *_TWO)


_TWO = {"divide": divide_table, "make_layout_tile": explain_tile}
"""The operations that take a layout, and a tiler or tile."""


def _require_fitting(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that do not fit the operation."""
    is_named = _is_operation(options.what) or options.what in _VIEWS
    if options.tag is not None and (is_named or options.arguments):
        parser.error("--tag goes with one layout")
    if options.offset is not None and (is_named or options.tag is not None):
        parser.error("--offset goes with one layout")
    if options.offset is not None and options.arguments:
        parser.error("one layout takes a coordinate or --offset, not both")
    if options.tile is not None and options.what != "tv":
        parser.error("--tile goes with 'tv'")
    if is_named and not options.arguments:
        parser.error(f"{options.what} needs an ARGUMENT")


def _refuse_unknown(parser: argparse.ArgumentParser, what: str) -> NoReturn:
    known = [*_VIEWS, *sorted(EXPLAINED)]
    near = " or ".join(near_words(what, known))
    hint = f"did you mean {near}?" if near else f"of {', '.join(known)}"
    parser.error(f"no steps are known of {what!r}; {hint}")


def _layout_given(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Any:
    """The layout in the place of an operation's name."""
    operands = Operands(parser, options, WHAT=options.what)
    text = operands.text("WHAT")
    if text.isidentifier():
        _refuse_unknown(parser, text)
    return _one_layout(operands, "WHAT")


def _one_layout(operands: Operands, name: str) -> Any:
    """The layout of an argument: in any notation, or of an instruction in a file."""
    text = operands.text(name)
    return layout_of(read(text)) if ":%" in text else operands.layout(name)


# --- a layout ---------------------------------------------------------------------------------


def _layout(
    parser: argparse.ArgumentParser, options: argparse.Namespace
) -> tuple[Steps, Sequence[Recognition] | None]:
    """How a tag builds a layout; or which tags a layout is in, with the result for each."""
    operands = Operands(parser, options, WHAT=options.what)
    text = operands.text("WHAT")
    if text.isidentifier():
        _refuse_unknown(parser, text)
    by_tag = tagged(text) if options.tag is None else None
    if by_tag is not None:
        from ..ascend import steps_of

        figure = steps_of(by_tag)
        is_drawn = not by_tag.layout.symbols and by_tag.layout.size
        pictures = (layout_figure(by_tag.layout, rows=32, colour="tile"),) if is_drawn else ()
        return figure._replace(pictures=pictures), None
    layout = _one_layout(operands, "WHAT")
    if is_composed(layout):
        raise InputError(
            f"{layout} is in no tag: it stands behind a function",
            "With a coordinate, or --offset, its steps are shown; 'tla show' draws it.",
        )
    from ..ascend import figure_of, parse_tag, recognition, recognitions, tags_figure

    with operands.assumed():
        if options.tag is None:
            every = recognitions(layout)
            return tags_figure(layout, every), every
        try:
            tag, element = parse_tag(options.tag)
        except ParseError as error:
            raise error.named("--tag") from None
        result = recognition(layout, tag, element)
        return figure_of(result), [result]


def _coordinate(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Steps:
    """The arithmetic of one coordinate."""
    if len(options.arguments) > 1:
        if options.what.isidentifier():
            _refuse_unknown(parser, options.what)
        parser.error("a layout takes one coordinate, as 1,5 or '(1,5)'")
    operands = Operands(parser, options, WHAT=options.what)
    text = operands.text("WHAT")
    if text.isidentifier():
        _refuse_unknown(parser, text)
    expect_order("explain", text, options.arguments[0])
    layout = _one_layout(operands, "WHAT")
    index = index_argument(options.arguments[0], "ARGUMENT")
    try:
        with operands.assumed():
            return explain_coordinate(layout, index[0] if len(index) == 1 else index)
    except UndecidedError as error:
        raise on_command_line(error, SAY_MORE) from None


# --- what has a name --------------------------------------------------------------------------


def _tiling(parser: argparse.ArgumentParser, texts: list[str]) -> Steps:
    if len(texts) > 2:
        parser.error("tiling takes a shape, and the index of one element")
    shape = shape_of(read(text_argument(texts[0])))
    figure = steps_to(shape, index_argument(texts[1]) if len(texts) > 1 else None).figure()
    warning = size_of(shape).warning
    return figure._replace(notes=(f"warning: {warning}",)) if warning else figure


def _threads(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Figure:
    if len(options.arguments) > 1:
        parser.error("tv takes one layout, from (thread, value) to the index in a tile")
    texts = {"argument 1": options.arguments[0]}
    if options.tile is not None:
        texts["--tile"] = options.tile
    operands = Operands(parser, options, **texts)
    layout = _one_layout(operands, "argument 1")
    if options.tile is None:
        return tv_figure(layout)
    return tv_figure(layout, operands.value("--tile"))


def _require_call(
    parser: argparse.ArgumentParser, operation: str, count: int, named: dict[str, bool]
) -> None:
    """Require as many arguments as the operation takes in place, and of its flags only."""
    from inspect import signature  # slow to load

    from .. import algebra

    function = getattr(algebra, "composition" if operation == "compose" else operation)
    every = [p for p in signature(function).parameters.values() if p.name != "assume"]
    takes = [p for p in every if p.kind is not p.KEYWORD_ONLY]
    flags = [p.name for p in every if p.kind is p.KEYWORD_ONLY]
    least = len([p for p in takes if p.default is p.empty])
    if least <= count <= len(takes) and named.keys() <= set(flags):
        return
    words = [p.name.upper() if i < least else f"[{p.name.upper()}]" for i, p in enumerate(takes)]
    words += [f"[{name}=true|false]" for name in flags]
    parser.error(f"{operation} takes {' '.join(words)}")


def _operation(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Steps:
    named: dict[str, bool] = {}
    texts: list[str] = []
    for text in options.arguments:
        key, equals, value = text.partition("=")
        if not (equals and key.isidentifier()):
            texts.append(text)
        elif value.lower() in ("true", "false"):  # False too, as the message of a refusal writes it
            named[key] = value.lower() == "true"
        else:
            parser.error(f"{key} is true or false, not {value!r}")
    names = [f"argument {i + 1}" for i in range(len(texts))]
    operands = Operands(parser, options, **dict(zip(names, texts, strict=True)))
    values: list[Any] = [operands.value(name) for name in names]
    if options.what not in _TWO:
        _require_call(parser, options.what, len(values), named)
        is_listed = options.table or options.json
        return operands.explained(options.what, *values, **named).figure(pictures=not is_listed)
    if len(values) != 2 or not named.keys() <= {"exact"}:
        parser.error(f"{options.what} takes a layout and a tiler, and exact=true or exact=false")
    try:
        with operands.assumed():
            return _TWO[options.what](layout_of(values[0]), values[1], **named)
    except UndecidedError as error:
        raise as_option(error) from None


# --- as data ----------------------------------------------------------------------------------


def _without_tables(figure: Steps) -> Steps:
    """The steps without tables that repeat their sentences."""
    parts = tuple(map(_without_tables, figure.parts))
    if figure.sentences:
        return figure._replace(parts=parts, columns=(), rows=())
    return figure._replace(parts=parts)


def _tags(results: Sequence[Recognition]) -> list[dict[str, Any]]:
    """Each tag: the width of the elements, if it shows; and true, false, or null for undecided."""
    return [{"tag": each.tag, "bits": each.bits, "answer": each.answer} for each in results]


def _facts(figure: Steps) -> dict[str, Any]:
    """The steps as plain data, as they are written."""
    return {
        "title": figure.title,
        "notes": list(figure.notes),
        "columns": list(figure.columns),
        "rows": [list(row) for row in figure.rows],
        "parts": [_facts(part) for part in figure.parts],
        "result": figure.result,
        "sentences": list(figure.sentences),
    }


def _cells(figure: AnyFigure) -> dict[str, Any]:
    """The texts in the cells of a figure."""
    from ..ground import Figure

    if not isinstance(figure, Figure):
        raise InputError("there are no cells to print")
    return {
        "title": figure.title,
        "size": figure.size,
        "held": figure.valid_size,
        "grids": [
            {
                "title": grid.title,
                "rows": grid.rows,
                "columns": grid.columns,
                "texts": [[cell.text for cell in row] for row in grid.cells],
            }
            for grid in figure.grids
        ],
    }
