# SPDX-License-Identifier: Apache-2.0
"""``tla show``: the offsets of a layout as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import TlaError, UndecidedError, UnsupportedError
from ..figures import BANK_SCHEMES, drawable, layout_figure, strip_figure
from ..ground import Figure, Panels
from ..layouts import AnyLayout, Layout, is_composed, is_layout
from ..numbers import is_tuple
from ..read import read, tagged
from ..show import MOST_CELLS
from ..xla_bridge import XlaBuffer, XlaShape, XlaTuple, array_shape, tile_boxes, to_layout
from .common import (
    GIVEN,
    NUMBER_OR_BOUND,
    POINTERS,
    InputError,
    on_command_line,
    positive,
    text_argument,
)
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, format_of, is_file_format, refuse_formats, write_figure

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..ground import AnyFigure, Scheme, Strip
    from ..layouts import ComposedLayout

_EPILOG = """\
examples:
  tla show '(2,3):(3,1)'
  tla show '((4,2),(4,3)):((4,16),(1,32))' --strip
  tla show '((4,2),(4,3)):((4,16),(1,32))' -o picture.svg
  tla show 'f32[3,5]{1,0:T(2,2)}' --html -o picture.html
  tla show 'zN<half>(20,48)' 'nZ<half>(20,48)' --colour-by offset
  tla show 'Sw<2,0,3> o 0 o (8,8):(8,1)'
  tla show '(1000000,1000):(1000,1)'
  tla show 'module.hlo:%pad.0' --rows 4

Rows and columns are the last two modes; each coordinate of the modes before them is a slice. Nested
modes have an axis for each level, the one that runs slowest outside. Tiles have lines around them,
tiles of tiles thicker ones. Offsets in brackets are padding: they lie outside the origin shape. Of dims
that '*' combines the combined ones are drawn. Of a large layout the first corner is drawn: 16 rows and
64 columns as text, in a file up to 512, with offsets in the cells up to 64.

--strip adds memory in its order, and which coordinate lies at each place. Several TEXTs stand side by
side. Up to eight of the largest tiles have a colour each; otherwise a colour says how far an offset is.
'tla pack' writes the bytes that are drawn, 'tla unpack' reads them.
"""

_TEXT = (16, 64, 64)
"""Rows, columns and places of memory that are shown as text."""

_FILE = (MOST_CELLS, MOST_CELLS, 256)
"""The same in a file."""


class _Shown(NamedTuple):
    """A layout to show, perhaps seen through a swizzle, and its title."""

    layout: AnyLayout | ComposedLayout
    title: str
    shape: XlaShape | None = None

    @classmethod
    def of(cls, text: str) -> _Shown:
        """Read a text; a text that is not in TLA's notation is part of the title."""
        value = read(text)
        if is_composed(value):
            return cls(value, str(value))
        try:
            layout = drawable(layout_of(value))
        except UnsupportedError as error:
            if error.data.get("reason") != "misaligned-combine":
                raise
            combined = error.data["combined"]
            return cls(combined.layout, f"{value} = {combined}")
        if isinstance(value, (XlaShape, XlaTuple, XlaBuffer)):
            return cls(layout, f"{value} = {layout}", array_shape(value))
        if tagged(text) is not None:
            return cls(layout, f"{' '.join(text.split())} = {layout}")
        return cls(layout, str(layout))


class _Drawn(NamedTuple):
    """The pictures of a layout."""

    layout: AnyLayout | ComposedLayout
    grid: Figure
    strip: Strip | None

    @property
    def figure(self) -> AnyFigure:
        """The grid, and memory beside it."""
        return self.grid if self.strip is None else Panels("", (self.grid, self.strip))


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    refuse_formats(parser, options)
    limits = _FILE if is_file_format(options) else _TEXT
    pairs = zip((options.rows, options.columns, options.places), limits, strict=True)
    rows, columns, places = (limit if n is None else n for n, limit in pairs)
    colour: Scheme | None = "" if options.colour_by == "none" else options.colour_by
    drawn: list[_Drawn] = []
    for text in options.text:
        layout, title, shape = _Shown.of(text_argument(text))
        tiles = None if shape is None else tile_boxes(shape)
        strip = None
        is_strip = options.strip or options.places is not None
        if is_composed(layout):
            if is_strip:
                raise InputError(f"memory is not drawn of {layout}: leave --strip and --places out")
            from ..figures import composed_figure

            grid = composed_figure(layout, rows, columns, options.slices, colour)
            drawn.append(_Drawn(layout, grid._replace(title=title), None))
            continue
        limits_of = (rows, columns, options.slices, colour)
        grid = layout_figure(layout, *limits_of) if shape is None else shape.figure(*limits_of)
        if is_strip:
            strip = strip_figure(layout, places, colour, tiles)._replace(title="in memory")
        drawn.append(_Drawn(layout, grid._replace(title=title), strip))
    if options.json:
        facts = [_facts(each) for each in drawn]
        say_json(facts[0] if len(facts) == 1 else {"layouts": facts})
        return 0
    figures = [each.figure for each in drawn]
    if format_of(options) == "html" and (note := _way_to_bytes(options.text, drawn)):
        write_figure(Panels("", tuple(figures), (), note), options)
        return 0
    is_bare = len(figures) == 1 and (is_file_format(options) or isinstance(figures[0], Panels))
    write_figure(figures[0] if is_bare else Panels("", tuple(figures)), options)
    return 0


def _way_to_bytes(texts: list[str], drawn: list[_Drawn]) -> str:
    """How to have the bytes of an array that lies so; empty where an array cannot."""
    from ..algebra import collision
    from ..arrays import data_shape

    try:
        for each in drawn:
            layout: Any = each.layout
            data_shape(layout)
            if collision(layout) is not None:
                return ""
    except TlaError:  # it has coordinates, or an unknown
        return ""
    is_one = len(texts) == 1 and texts[0] != "-"
    text = f'"{" ".join(texts[0].split())}"' if is_one else "layout"
    return f"tla.pack(array, {text}) gives the bytes of an array that lies so, and tla pack writes them."


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("show", _EPILOG + POINTERS)
    parser.add_argument("text", metavar="TEXT", nargs="+", help=GIVEN)
    sizes = zip(("rows", "columns"), _TEXT, _FILE, strict=False)
    for name, few, many in sizes:
        default = f"{name} at most (default {few}, in a file {many})"
        parser.add_argument(f"--{name}", type=positive, metavar="N", help=default)
    parser.add_argument(
        "--slices", type=positive, default=4, metavar="N", help="slices at most (default 4)"
    )
    parser.add_argument("--strip", action="store_true", help="show memory in its order too")
    parser.add_argument(
        "--places",
        type=positive,
        metavar="N",
        help=f"show memory, at most N places (default {_TEXT[2]}, in a file {_FILE[2]})",
    )
    parser.add_argument(
        "--colour-by",
        "--color-by",
        choices=("tile", "offset", *BANK_SCHEMES, "none"),
        help="what the colours stand for; bank16 is the bank of elements of 16 bits",
    )
    add_formats(parser, json="print the figure as JSON")
    return parser


def _facts(drawn: _Drawn) -> dict[str, Any]:
    """The figures of a layout as JSON has them."""
    figure, strip = drawn.grid, drawn.strip
    facts: dict[str, Any] = {
        "layout": str(drawn.layout),
        "size": figure.size,
        "valid_size": figure.valid_size,
        "cosize": figure.cosize,
        "slices": figure.slices,
        "grids": [
            {
                "title": grid.title,
                "rows": grid.rows,
                "columns": grid.columns,
                "offsets": [[cell.offset for cell in row] for row in grid.cells],
                "valid": [[cell.valid for cell in row] for row in grid.cells],
            }
            for grid in figure.grids
        ],
    }
    if strip is not None:
        facts["strip"] = {
            "start": strip.start,
            "end": strip.end,
            "places": [
                {
                    "offset": place.offset,
                    "coordinates": list(place.coordinates),
                    "hits": place.hits,
                    "valid": place.hits > 0 and place.valid,
                }
                for place in strip.places
            ],
        }
    return facts


def layout_of(value: Any) -> AnyLayout:
    """Return the layout of a value that was read; a shape without strides is refused."""
    if is_layout(value):
        return value
    if isinstance(value, (XlaShape, XlaTuple, XlaBuffer)):
        try:
            return to_layout(value)
        except UndecidedError as error:
            raise on_command_line(error, NUMBER_OR_BOUND) from None
    if is_composed(value):
        raise InputError(
            f"{value} is a layout behind a swizzle, which this command does not take",
            "'tla show' draws it, 'tla eval' gives its offsets.",
        )
    from ..algebra import LinearLayout

    if isinstance(value, LinearLayout):
        raise InputError(
            "the text is a linear layout of Triton, which this command does not take",
            "from_linear(read(text).inverse()) gives the layout of it, if it has one.",
        )
    hints = [f"Compact, it would be {Layout(value)}."] if _is_shape(value) else []
    raise InputError(f"{_text(value)} is no layout: a layout is a shape, ':' and a stride", *hints)


def _is_shape(value: Any) -> bool:
    if is_tuple(value):
        return all(map(_is_shape, value))
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _text(value: Any) -> str:
    """The notation of an int tuple, or of any other value of an expression."""
    if is_tuple(value):
        return f"({','.join(map(_text, value))})"
    return str(value).lower() if isinstance(value, bool) else str(value)
