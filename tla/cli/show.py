"""``tla show``: the offsets of a layout as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UndecidedError
from ..figure import layout_figure
from ..ints import is_tuple, round_up
from ..layout import AnyLayout, Layout, is_layout
from ..read import read
from ..xla_bridge import XlaBuffer, XlaShape, XlaTuple, to_layout
from .common import (
    GIVEN,
    NUMBER_OR_BOUND,
    POINTERS,
    InputError,
    argument_parser,
    on_command_line,
    positive,
    text_argument,
)

if TYPE_CHECKING:
    from typing import Any

__all__ = ["run"]

_EPILOG = """\
examples:
  tla show '(2,3):(3,1)'
  tla show '((4,2),(4,3)):((4,16),(1,32))'
  tla show 'f32[3,5]{1,0:T(2,2)}'
  tla show 'module.hlo:%pad.0' --rows 4

Rows and columns are the last two modes; each coordinate of the modes before them is a slice.
Offsets in brackets are padding: they lie outside the origin shape.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("show", _EPILOG + POINTERS)
    parser.add_argument("text", metavar="TEXT", help=GIVEN)
    parser.add_argument("--rows", type=positive, default=16, help="rows at most (default 16)")
    parser.add_argument("--columns", type=positive, default=64, help="columns at most (default 64)")
    parser.add_argument("--slices", type=positive, default=4, help="slices at most (default 4)")
    parser.add_argument("--json", action="store_true", help="print the figure as JSON")
    options = parser.parse_args(arguments)
    layout = layout_of(read(text_argument(options.text)))
    if layout.symbols:
        raise _unbound(layout)
    figure = layout_figure(layout, options.rows, options.columns, options.slices)
    if options.json:
        import json

        grids = [
            {
                "title": grid.title,
                "rows": grid.rows,
                "columns": grid.columns,
                "offsets": [[cell.offset for cell in row] for row in grid.cells],
                "valid": [[cell.valid for cell in row] for row in grid.cells],
            }
            for grid in figure.grids
        ]
        totals = {
            "layout": str(layout),
            "size": figure.size,
            "valid_size": figure.valid_size,
            "cosize": figure.cosize,
            "slices": figure.slices,
        }
        print(json.dumps({**totals, "grids": grids}))
        return 0
    from ..show.terminal import write

    print(layout)
    write(figure)
    return 0


def layout_of(value: Any) -> AnyLayout:
    """Return the layout that a value read stands for; a shape without strides stands for none."""
    if is_layout(value):
        return value
    if isinstance(value, (XlaShape, XlaTuple, XlaBuffer)):
        try:
            return to_layout(value)
        except UndecidedError as error:
            raise on_command_line(error, NUMBER_OR_BOUND) from None
    hints = [f"Compact, it would be {Layout(value)}."] if _is_shape(value) else []
    raise InputError(f"{_text(value)} is no layout: a layout is a shape, ':' and a stride", *hints)


def _unbound(layout: AnyLayout) -> UndecidedError:
    """The error of a layout with unknowns: a picture needs a number for each."""
    values: dict[str, int] = {}
    for s in layout.symbols:
        least = round_up(s.least or 0, s.divisor)
        wanted = 2 * s.divisor if s.greatest is None else (s.greatest + 1) // 2
        values[s.name] = max(least, wanted // s.divisor * s.divisor)
    some = ", ".join(f"{name} = {n}" for name, n in values.items())
    return UndecidedError(
        f"there is no picture of {layout} without numbers for {', '.join(values)}",
        f"Write them into the layout: with {some} it is {layout.bind(**values)}",
        layout=layout,
    )


def _is_shape(value: Any) -> bool:
    if is_tuple(value):
        return all(map(_is_shape, value))
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _text(value: Any) -> str:
    """The notation of an int tuple, or of what else an expression may give."""
    if is_tuple(value):
        return f"({','.join(map(_text, value))})"
    return str(value).lower() if isinstance(value, bool) else str(value)
