# SPDX-License-Identifier: Apache-2.0
"""What the page can show: each view has its arguments, its figure, and the command that prints the same.

>>> VIEWS["coalesce"].command(["(2,(1,6)):(1,(6,2))"])
['explain', 'coalesce', '(2,(1,6)):(1,(6,2))']
>>> print(VIEWS["coalesce"].show(["(2,(1,6)):(1,(6,2))"]).result)
12:1
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..algebra import gives_coordinates
from ..errors import LeafError, ParseError, TlaError, UnsupportedError
from ..evaluation import evaluate, text_of_value
from ..explain import (
    divide_table,
    explain,
    explain_coordinate,
    explain_offset,
    tv_figure,
)
from ..figures import BANK_SCHEMES, drawable, strip_figure
from ..ground import Panels, shortened
from ..layouts import Layout, is_composed, is_layout, parse_int_tuple, text_of
from ..learn import LEVELS, TOPICS, exercise
from ..numbers import Names, is_tuple
from ..read import layout_of_name, read, tagged
from ..show import figure_of
from ..xla_bridge import XlaShape, array_shape, tile_boxes, tiling_steps, to_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..explain import Explanation
    from ..ground import AnyFigure

ROWS: Final = 128
COLUMNS: Final = 128
SLICES: Final = 4
PLACES: Final = 256
"""The most that the page draws of a layout; the rest is counted."""


class Field(NamedTuple):
    """An argument of a view: its name, what it is, and what it begins with.

    >>> VIEWS["complement"].fields[1]
    Field(name='size', label='how far both reach', default='24', is_optional=True, choices=())
    """

    name: str
    label: str
    default: str
    is_optional: bool = False
    choices: tuple[str, ...] = ()
    """The only texts that it takes, if there are few."""


class Shown(NamedTuple):
    """What a view shows: the result as text, its figure, and what it was made of."""

    result: str
    figure: AnyFigure
    value: Any = None
    """The value whose facts the page lists, if it is one value."""
    explanation: Explanation | None = None
    """The steps, whose laws can be checked."""
    state: str = ""
    """Of an exercise: right, wrong, blank or unread."""
    command: tuple[str, ...] = ()
    """The arguments of ``tla``, where they are not those of the view."""


class View(NamedTuple):
    """One thing that the page can show.

    >>> VIEWS["tv"].group, VIEWS["tv"].title
    ('Hardware', 'Threads and values')
    """

    title: str
    group: str
    about: str
    """One sentence."""
    fields: tuple[Field, ...]
    show: Callable[[list[str]], Shown]
    command: Callable[[list[str]], list[str]]
    """The arguments of ``tla`` that print the same; an empty text is an argument that was left out."""


class ReadingError(Exception):
    """An argument that cannot be read: its number, and the error of the library."""

    def __init__(self, number: int, error: TlaError) -> None:
        super().__init__(number, error)
        self.number = number
        self.error = error


# --- reading ----------------------------------------------------------------------------------


def _values(texts: Sequence[str], needed: int) -> list[Any]:
    """The value of each argument, without those that may be left out; a name is one unknown in all."""
    names = Names(" ".join(texts))
    return [_read(i, text, names) for i, text in enumerate(texts) if text or i < needed]


def _read(number: int, text: str, names: Names | None = None) -> Any:
    """The value of an argument, in any notation of layouts or as an expression over them."""
    try:
        try:
            if not text.strip():
                raise ParseError("expected a layout such as (2,3):(3,1), found an empty text", text, 0)
            if tagged(text) is not None or "[" in text.split("(")[0]:
                return read(text)
            return evaluate(text, None, names or Names(text), layout_of_name)
        except ParseError:
            if text.partition("(")[0].strip().isidentifier():  # a call
                raise
            return read(text)
    except TlaError as error:
        raise ReadingError(number, error) from None


def _layout(number: int, value: Any) -> Any:
    """The layout of an argument, perhaps behind a swizzle."""
    try:
        if is_layout(value) or is_composed(value):
            return value
        if isinstance(value, XlaShape):
            return to_layout(value)
        is_short = is_tuple(value) or isinstance(value, int)
        what = text_of(value) if is_short else f"a {type(value).__name__}"
        hints = [f"Compact, it would be {Layout(value)}."] if _is_shape(value) else []
        raise UnsupportedError(f"{what} is no layout: a layout is a shape, ':' and a stride", *hints)
    except TlaError as error:
        raise ReadingError(number, error) from None


def _is_shape(value: Any) -> bool:
    if is_tuple(value):
        return bool(value) and all(map(_is_shape, value))
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _index(number: int, text: str) -> tuple[Any, ...]:
    """A coordinate, with or without parentheses, as the arguments of a call."""
    try:
        value = parse_int_tuple(text if text.strip().startswith("(") else f"({text})")
    except ParseError as error:
        raise ReadingError(number, error) from None
    return value if is_tuple(value) else (value,)


def _number(number: int, text: str) -> int:
    value = _read(number, text)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    fault = ParseError(f"expected a number, found {shortened(text)!r}", text, 0, len(text))
    raise ReadingError(number, fault)


# --- the views --------------------------------------------------------------------------------


def _shown_layout(texts: list[str]) -> Shown:
    value = _read(0, texts[0])
    is_plain = re.fullmatch(r"[\s\d_,()]*", texts[0])  # a shape, of which the strides are missing
    if not (is_plain or is_layout(value) or is_composed(value) or isinstance(value, XlaShape)):
        with suppress(LeafError):  # it is no value of an expression
            return Shown(text_of_value(value), Panels("", ()), command=("eval", texts[0]))
    layout = _layout(0, value)
    colour: Any = {"": None, "none": ""}.get(texts[1], texts[1])
    return Shown(_text(value), _picture(value, layout, colour), value)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, XlaShape) else text_of_value(value)


def _picture(value: Any, layout: Any, colour: Any) -> AnyFigure:
    """The grid of a layout, and memory beside it."""
    shape = array_shape(value) if isinstance(value, XlaShape) else None
    if is_layout(layout):
        drawable(layout)
    grid = figure_of(
        layout if shape is None else shape,
        rows=ROWS,
        columns=COLUMNS,
        slices=SLICES,
        colour=colour,
    )
    if is_composed(layout) or gives_coordinates(layout):
        return grid
    tiles = None if shape is None else tile_boxes(shape)
    strip = strip_figure(layout, PLACES, colour, tiles)._replace(title="in memory")
    return Panels("", (grid, strip))


def _operation(name: str, needed: int) -> Callable[[list[str]], Shown]:
    def show(texts: list[str]) -> Shown:
        values = _values(texts, needed)
        first = _layout(0, values[0]) if name != "composition" else _outer(values[0])
        found = explain(name, first, *values[1:])
        return Shown(str(found.result), found.figure(), None, found)

    return show


def _outer(value: Any) -> Any:
    """The outer part of a composition: a layout, or a swizzle as it is."""
    return value if hasattr(value, "bits") else _layout(0, value)


def _divide(texts: list[str]) -> Shown:
    values = _values(texts, 2)
    return Shown("", divide_table(_layout(0, values[0]), values[1]))


def _tv(texts: list[str]) -> Shown:
    values = _values(texts, 1)
    layout = _layout(0, values[0])
    return Shown(str(layout), tv_figure(layout, values[1] if len(values) > 1 else None, ROWS, COLUMNS))


def _coordinate(texts: list[str]) -> Shown:
    steps = explain_coordinate(_layout(0, _read(0, texts[0])), *_index(1, texts[1]))
    return Shown(steps.result, steps._replace(columns=(), rows=()))


def _offset(texts: list[str]) -> Shown:
    steps = explain_offset(_layout(0, _read(0, texts[0])), _number(1, texts[1]))
    return Shown(steps.result, steps)


def _tiling(texts: list[str]) -> Shown:
    shape = _read(0, texts[0])
    if not isinstance(shape, XlaShape):
        fault = UnsupportedError(
            f"{texts[0].strip()} is no XLA shape", "Write one with tiles, such as f32[3,5]{1,0:T(2,2)}."
        )
        raise ReadingError(0, fault)
    index = _index(1, texts[1]) if texts[1] else None
    steps = tiling_steps(array_shape(shape), index).figure()
    return Shown(str(to_layout(shape)), steps)


def _tag(texts: list[str]) -> Shown:
    from ..ascend import steps_of

    try:
        by_tag = tagged(texts[0])
        if by_tag is None:
            way = "Write a tag with its element type and sizes, such as zN<half>(20,48)."
            raise ParseError(f"{shortened(texts[0])} is no tag", texts[0], 0, len(texts[0]), way)
    except TlaError as error:
        raise ReadingError(0, error) from None
    picture = figure_of(drawable(by_tag.layout), rows=ROWS, columns=COLUMNS, colour="tile")
    return Shown(str(by_tag.layout), steps_of(by_tag)._replace(pictures=(picture,)), by_tag.layout)


def _banks(texts: list[str]) -> Shown:
    from ..gpu import Access, bank_conflicts, best_swizzle

    layout, access = (_layout(i, _read(i, text)) for i, text in enumerate(texts[:2]))
    bits = int(texts[2])
    read_by = Access(access, _number(3, texts[3]))
    found = bank_conflicts(layout, read_by, element_bits=bits)
    scheme: Any = "bank" if bits == 32 else f"bank{bits}"
    limits_of: dict[str, Any] = {"rows": 32, "columns": 64, "slices": 1, "colour": scheme}
    figures = [figure_of(layout, **limits_of)]
    note = f"colours are banks; {found}"
    if not is_composed(layout):
        best = best_swizzle(layout, [read_by], element_bits=bits)
        if best.swizzle.bits:
            figures.append(figure_of(best.layout, **limits_of))
            note += (
                f". {best.layout} has the fewest wavefronts of {best.tried} swizzles: {best.wavefronts}"
            )
    return Shown(str(found).partition(":")[0], Panels("", tuple(figures), (), note))


def _exercise(texts: list[str]) -> Shown:
    topic, level, seed, number, given, hint = texts
    one = exercise(f"{topic}/{level}/{_number(2, seed)}/{_number(3, number)}")
    verdict = one.check(given)
    said = one.hint(given, int(hint)) if hint else verdict.text
    return Shown(said, Panels(one.task, one.question.pictures), state=verdict.state)


def _exercise_command(texts: list[str]) -> list[str]:
    name = ["--exercise", "/".join(texts[:4])]
    action = "hint" if texts[5] else "check" if texts[4] else "show"
    return ["learn", action, *filter(None, texts[4:5]), *name]


def _plain(text: str) -> str:
    """What a command takes that takes no expression: the text itself, or the value of an expression."""
    try:
        read(text)
    except TlaError:
        with suppress(TlaError, ReadingError):
            return text_of_value(_read(0, text))
    return text


def _show_command(texts: list[str]) -> list[str]:
    colour = ["--colour-by", texts[1]] if texts[1] else []
    return ["show", _plain(texts[0]), *colour]


def _explain_command(*name: str) -> Callable[[list[str]], list[str]]:
    return lambda texts: ["explain", *name, *filter(None, texts)]


def _offset_command(texts: list[str]) -> list[str]:
    return ["explain", texts[0], "--offset", texts[1]]


def _banks_command(texts: list[str]) -> list[str]:
    return ["banks", *map(_plain, texts[:2]), "--element-bits", texts[2], "--vector", texts[3], "--cure"]


def _tv_command(texts: list[str]) -> list[str]:
    return ["explain", "tv", texts[0], *(["--tile", texts[1]] if texts[1] else [])]


_LAYOUT: Final = Field("layout", "any notation, or an expression", "((4,2),(4,3)):((4,16),(1,32))")


def _of_operation(name: str, title: str, group: str, about: str, *fields: Field) -> View:
    needed = sum(not field.is_optional for field in fields)
    return View(title, group, about, fields, _operation(name, needed), _explain_command(name))


def _divides() -> dict[str, View]:
    about = {
        "logical": "Each mode becomes (inside a tile, from tile to tile).",
        "zipped": "Mode 0 has all that is inside a tile, mode 1 all that runs over tiles.",
        "tiled": "Mode 0 has all that is inside a tile; each way over tiles has a mode.",
        "flat": "Each way inside a tile has a mode, then each way over tiles.",
    }
    fields = (
        Field("A", "the layout", "(8,6):(1,8)"),
        Field("tiler", "a layout, an int, or a tiler for each mode", "(4,3)"),
    )
    views = {
        f"{form}_divide": _of_operation(
            f"{form}_divide", f"{form.capitalize()} divide", "Tiles", text, *fields
        )
        for form, text in about.items()
    }
    every = "The four forms of a division side by side: the same cells in other groups."
    views["divide"] = View(
        "All four divides", "Tiles", every, fields, _divide, _explain_command("divide")
    )
    return views


def _products() -> dict[str, View]:
    about = {
        "logical": "Each mode becomes (inside the block, from copy to copy).",
        "zipped": "The block is mode 0, and mode 1 runs over its copies.",
        "tiled": "The block is mode 0; each way over its copies has a mode.",
        "flat": "Each way inside the block has a mode, then each way over its copies.",
        "blocked": "The copies stand side by side, each block whole.",
        "raked": "The copies are interleaved: neighbours come from different copies.",
    }
    fields = (
        Field("block", "the layout that is repeated", "(2,2):(2,1)"),
        Field("tiler", "how many copies, in which order", "(2,3):(3,1)"),
    )
    return {
        f"{form}_product": _of_operation(
            f"{form}_product", f"{form.capitalize()} product", "Tiles", text, *fields
        )
        for form, text in about.items()
    }


VIEWS: Final[dict[str, View]] = {
    "layout": View(
        "A layout",
        "Layouts",
        "A layout is a function: from a coordinate to an offset in memory.",
        (
            _LAYOUT,
            Field(
                "colours", "what colours mean", "", True, ("", "tile", "offset", *BANK_SCHEMES, "none")
            ),
        ),
        _shown_layout,
        _show_command,
    ),
    "coordinate": View(
        "Where is an element?",
        "Layouts",
        "The offset is the sum of digit times stride.",
        (_LAYOUT, Field("coordinate", "a number for each mode, or digits", "1,5")),
        _coordinate,
        _explain_command(),
    ),
    "offset": View(
        "Whose offset is this?",
        "Layouts",
        "The coordinates that have an offset: none, one or many.",
        (_LAYOUT, Field("offset", "a place in memory, in elements", "37")),
        _offset,
        _offset_command,
    ),
    "coalesce": _of_operation(
        "coalesce",
        "Coalesce",
        "Algebra",
        "The fewest modes with the same offset at each index.",
        Field("A", "the layout", "(2,(1,6)):(1,(6,2))"),
    ),
    "composition": _of_operation(
        "composition",
        "Composition",
        "Algebra",
        "B picks indices, and A gives their offsets.",
        Field("A", "the layout, or swizzle, that gives offsets", "(6,2):(8,2)"),
        Field("B", "the layout, or tiler, that picks indices of A", "(4,3):(3,1)"),
    ),
    "complement": _of_operation(
        "complement",
        "Complement",
        "Algebra",
        "The layout of the offsets that A leaves free.",
        Field("A", "the layout", "(2,2):(1,6)"),
        Field("size", "how far both reach", "24", True),
    ),
    "right_inverse": _of_operation(
        "right_inverse",
        "Right inverse",
        "Algebra",
        "From an offset back to the index, for each offset of an interval.",
        Field("A", "the layout", "(3,4):(4,1)"),
    ),
    "left_inverse": _of_operation(
        "left_inverse",
        "Left inverse",
        "Algebra",
        "From the offset of an index back to that index.",
        Field("A", "the layout", "(3,4):(6,1)"),
    ),
    **_divides(),
    **_products(),
    "tiling": View(
        "XLA's tiles",
        "Hardware",
        "How XLA's document tiles an array: pad, reshape, transpose.",
        (
            Field("shape", "an XLA shape", "f32[3,5]{1,0:T(2,2)}"),
            Field("index", "an element to follow", "2,3", True),
        ),
        _tiling,
        _explain_command("tiling"),
    ),
    "tag": View(
        "Ascend's fractals",
        "Hardware",
        "How a tag of CATLASS builds a layout, leaf by leaf, and which coordinates are padding.",
        (Field("tag", "a tag, its element type and its sizes", "zN<half>(20,48)"),),
        _tag,
        _explain_command(),
    ),
    "tv": View(
        "Threads and values",
        "Hardware",
        "Which thread holds each cell of a tile, as which of its values.",
        (
            Field("layout", "from (thread, value) to the index in a tile", "((4,8),2):((16,1),8)"),
            Field("tile", "the shape of the tile", "(8,8)", True),
        ),
        _tv,
        _tv_command,
    ),
    "banks": View(
        "Banks and swizzles",
        "Hardware",
        "What a warp reads at once should lie in different banks; a swizzle can help.",
        (
            Field("layout", "where the elements lie", "(32,32):(32,1)"),
            Field("access", "threads by values, as indices of the layout", "(32,1):(1,0)"),
            Field("bits", "bits of an element", "32", False, ("4", "8", "16", "32", "64")),
            Field("vector", "values that a thread takes at once", "1"),
        ),
        _banks,
        _banks_command,
    ),
    "exercise": View(
        "Exercises",
        "Course",
        "An exercise of the course. Hints point at the first place that is wrong.",
        (
            Field("topic", "", "function", False, tuple(TOPICS)),
            Field("level", "", "1", False, tuple(map(str, LEVELS))),
            Field("seed", "", "1"),
            Field("number", "", "1"),
            Field("answer", "values such as 4, 10, 5; or a layout, or an expression", "", True),
            Field("hint", "", "", True, ("", "1", "2", "3")),
        ),
        _exercise,
        _exercise_command,
    ),
}
"""Every view by its name."""
