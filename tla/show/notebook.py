# SPDX-License-Identifier: Apache-2.0
"""The page that a notebook shows of a value: its picture, its facts, and how to read the notation.

>>> page = html_of(Layout((2, 3), (3, 1)))
>>> "<svg" in page, "injective" in page, "how to read" in page
(True, True, True)

A notebook file keeps every page, so a page is small, whatever the value: at most `CELLS` cells, and
`CHARACTERS` characters in all.

>>> page = html_of(Layout((100000, 10000), (1, 100000)))
>>> "... 1000000000 cells" in page, len(page) < CHARACTERS
(True, True)

`tla.ground.display` calls this module when the first value is shown.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple, assert_never

from ..algebra import collision, is_contiguous
from ..errors import TlaError, UndecidedError, UnsupportedError
from ..explain import explain_error, number
from ..figures import composed_figure, layout_figure, tensor_figure
from ..ground import AnyFigure, Bars, Figure, Grid, Panels, Steps, Strip, Timeline, shortened
from ..layouts import is_composed, is_layout, is_tensor, product, text_of
from ..numbers import SymbolicInt, is_tuple
from .markup import html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import TypeIs

    from ..layouts import AnyLayout
    from ..xla_bridge import XlaShape

CELLS: Final = 1024
"""The most cells of a value that a page shows."""

CHARACTERS: Final = 1 << 19
"""The most characters of a page."""

_TEXT: Final = 2000
"""The most characters shown of a long text."""

_SIDE: Final = 64
"""The most rows, and columns, whose cells have text; and the most slices."""


def figure_of(value: object, **limits: Any) -> AnyFigure:
    """Return the figure of a value.

    >>> type(figure_of(Layout((2, 3), (3, 1)))).__name__
    'Figure'

    Args:
        limits: The size of the corner: ``rows``, ``columns``, ``slices``; and ``colour``, for cells.

    Raises:
        UnsupportedError: values of this class have no figure.
        TlaError: this value has no figure; the error says why.
    """
    if isinstance(value, AnyFigure):
        return value
    if is_layout(value):
        return layout_figure(value, **limits)
    if is_tensor(value):
        return tensor_figure(value, **limits)
    if is_composed(value):
        return composed_figure(value, **limits)
    draw = getattr(value, "figure", None)
    if draw is None:
        raise UnsupportedError(f"there is no figure of a {type(value).__name__}", value=value)
    figure: AnyFigure = draw(**limits)
    return figure


def html_of(value: object) -> str | None:
    """Return the page that a notebook shows of a value; None if the text of the value says as much.

    >>> html_of(Layout((2, 3), (3, 1)))[:23]
    '<div class="tla-value">'

    A picture with too many characters is drawn again with fewer cells.
    """
    if isinstance(value, TlaError):
        value = explain_error(value)
    if not isinstance(value, AnyFigure) and not hasattr(value, "figure"):
        return None
    cells = CELLS
    while cells:
        page = _page(value, cells)
        if len(page) <= CHARACTERS:
            return page
        cells //= 4
    return None


def _page(value: object, cells: int) -> str:
    """The page of a value with at most ``cells`` cells."""
    figure, reason = _picture(value, cells)
    parts = ['<div class="tla-value">']
    if figure is None:
        text = escape(shortened(str(value), _TEXT))
        parts.append(f'<pre style="white-space:pre-wrap">{text}</pre>')
        parts += [_line(reason)] if reason else []
    else:
        parts.append(html(figure, page=False))
        parts += map(_line, _left_out(figure))
    facts, signs = words_of(value)
    if facts:
        parts.append(_table(facts))
    if signs:
        items = "".join(f"<li>{sign}</li>" for sign in signs)
        parts.append(f"<details><summary>how to read it</summary><ul>{items}</ul></details>")
    return "\n".join([*parts, "</div>"])


def _line(text: str) -> str:
    return f'<div style="font-size:12px">{escape(shortened(text, _TEXT))}</div>'


def _table(facts: Sequence[tuple[str, str]]) -> str:
    """Facts as a table that looks the same in every notebook."""
    cell = 'style="text-align:left;padding:0 1em 0 0;border:none;font-size:12px;vertical-align:top"'
    rows = [
        f"<tr><th {cell}>{escape(name)}</th><td {cell}>{escape(shortened(text, _TEXT))}</td></tr>"
        for name, text in facts
    ]
    return f'<table style="border:none;margin:4px 0">{"".join(rows)}</table>'


# --- the picture ------------------------------------------------------------------------------


def _picture(value: object, cells: int) -> tuple[AnyFigure | None, str]:
    """The figure of a value with at most ``cells`` cells; or why there is none."""
    try:
        limits = _limits(value, cells)
        figure = figure_of(value, **limits)
    except TlaError as error:
        return None, error.summary
    return _cut(figure, cells), ""


def _limits(value: object, cells: int) -> dict[str, int]:
    """The limits of rows, columns and slices under which a figure has at most ``cells`` cells."""
    sizes = _sizes(value)
    if sizes is None:
        return {}
    *_, columns = [1, *sizes]
    rows = sizes[-2] if len(sizes) > 1 else 1
    side = max(1, int(cells**0.5))
    columns = max(1, min(columns, _SIDE, max(side, cells // max(rows, 1))))
    rows = max(1, min(rows, _SIDE, cells // columns))
    slices = max(1, min(_SIDE, cells // (rows * columns)))
    return {"rows": rows, "columns": columns, "slices": slices}


def _sizes(value: object) -> list[int] | None:
    """The sizes of the modes of a value that has cells; None for any other value."""
    layout: Any = None
    if is_layout(value) or is_tensor(value) or is_composed(value):
        layout = value
    elif _is_xla(value):
        layout = _layout_of(value)
    if layout is None:
        return None
    shape = layout.shape
    sizes = [product(mode) for mode in shape] if is_tuple(shape) else [product(shape)]
    if any(isinstance(n, SymbolicInt) for n in sizes):
        return [1]  # there is no picture
    return [int(n) for n in sizes]


def _is_xla(value: object) -> TypeIs[XlaShape]:
    from ..xla_bridge import XlaShape

    return isinstance(value, XlaShape)


def _layout_of(value: XlaShape) -> AnyLayout:
    from ..xla_bridge import to_layout

    return to_layout(value)


def _cut(figure: AnyFigure, cells: int) -> AnyFigure:
    """The beginning of a figure: at most ``cells`` cells, places, bars or rows of a table in all."""
    if isinstance(figure, Figure):
        grids: list[Grid] = []
        left = cells
        for grid in figure.grids:
            if left <= 0:
                break
            columns = len(grid.cells[0]) if grid.cells else 0
            wide = min(columns, _SIDE, left)
            high = min(len(grid.cells), _SIDE, left // wide if wide else 1)
            if wide < columns or high < len(grid.cells):  # a corner as square as it can be
                side = max(1, int(left**0.5))
                wide = min(columns, _SIDE, max(side, left // max(1, len(grid.cells))))
                high = min(len(grid.cells), _SIDE, left // wide if wide else 1)
                grid = grid.corner(high, wide)
            grids.append(grid)
            left -= wide * high
        return figure._replace(grids=tuple(grids))
    if isinstance(figure, Strip):
        return figure._replace(places=figure.places[:cells])
    if isinstance(figure, Panels):
        each = max(1, cells // max(1, len(figure.figures)))
        shown = tuple(_cut(panel, each) for panel in figure.figures[:_PANELS])
        return figure._replace(figures=shown, signs=figure.signs[: len(shown) - 1])
    if isinstance(figure, Steps):
        pictures = [_cut(each, cells // max(1, len(figure.pictures))) for each in figure.pictures]
        parts = [_cut(each, cells // max(1, len(figure.parts))) for each in figure.parts]
        return figure._replace(
            notes=figure.notes[:_LINES],
            rows=figure.rows[: min(cells, _LINES)],
            sentences=figure.sentences[:_LINES],
            parts=tuple(each for each in parts[:_PANELS] if isinstance(each, Steps)),
            pictures=tuple(pictures[:_PANELS]),
        )
    if isinstance(figure, Bars):
        return figure._replace(bars=figure.bars[: min(cells, _LINES)])
    if isinstance(figure, Timeline):  # pyright: ignore[reportUnnecessaryIsInstance]
        turns = figure.turns[: max(1, min(len(figure.turns), cells // max(1, len(figure.lanes))))]
        lanes = [lane._replace(cells=lane.cells[: len(turns)]) for lane in figure.lanes[:cells]]
        return figure._replace(turns=turns, lanes=tuple(lanes))
    assert_never(figure)


_PANELS: Final = 16
"""The most figures of several that are shown."""

_LINES: Final = 64
"""The most bars, sentences and rows of a table that are shown."""


def _left_out(figure: AnyFigure) -> Iterator[str]:
    """A note on the size of the whole, if only a part is shown."""
    if isinstance(figure, Figure):
        shown = sum(len(row) for grid in figure.grids for row in grid.cells)
        if shown < figure.size:
            yield f"... {figure.size} cells, the first {shown} shown"
    elif isinstance(figure, Panels):
        for panel in figure.figures:
            yield from _left_out(panel)


# --- words ------------------------------------------------------------------------------------


class _Words(NamedTuple):
    """Facts of a value by name, and the signs of its notation, in HTML."""

    facts: Sequence[tuple[str, str]] = ()
    signs: Sequence[str] = ()


_COLON: Final = (
    "<code>shape:stride</code>: left of the colon how many coordinates, right of it how far one step"
    " goes in memory; the offset of a coordinate is the sum of coordinate times stride"
)
_NUMBERS: Final = (
    "<code>_4</code> is static, known before the program runs; <code>4</code> is dynamic, known when it"
    " runs; a name is not known"
)
_NESTED: Final = (
    "<code>((4,2),3)</code>: a mode of 8 = 4 times 2 coordinates, of which the 4 run fastest, and a"
    " mode of 3"
)
_ORIGIN: Final = (
    "a third part is the shape of the data: what lies outside it is padding, hatched in the picture"
)
_TILES: Final = (
    "<code>f32[3,5]{1,0:T(2,2)}</code>: the dims; in braces their numbers, the one that runs fastest"
    " first, and behind <code>T</code> the tiles that they are cut into and padded to"
)


def words_of(value: object) -> _Words:
    """Return the facts of a value by name, and the signs of its notation, in HTML."""
    if is_layout(value):
        return _of_layout(value)
    if is_tensor(value):
        data = [("position", value.position), ("starts at", text_of(value.coord))]
        facts, signs = _of_layout(value.layout)
        return _Words([*data, *facts], signs)
    if is_composed(value):
        facts = [("offsets", f"{value.inner}, plus {value.offset}, then {value.outer}")]
        return _Words(facts, (_COLON, _NUMBERS))
    if _is_xla(value):
        return _of_xla(value)
    return _Words()


def _of_layout(layout: AnyLayout) -> _Words:
    facts = [
        ("shape", text_of(layout.shape)),
        ("stride", text_of(layout.stride)),
        ("size", f"{number(layout.size)} coordinates"),
        ("cosize", _if_known(lambda: f"{number(layout.cosize)} offsets from the least to the greatest")),
        ("injective", _if_known(lambda: _injective(layout))),
    ]
    if layout.is_padded:
        facts.append(("padding", _if_known(lambda: _padding(layout))))
    if layout.conditions:
        facts.append(("unknown", ", ".join(map(str, layout.conditions))))
    signs = [_COLON, _NUMBERS]
    if is_tuple(layout.shape) and any(map(is_tuple, layout.shape)):
        signs.append(_NESTED)
    if layout.is_padded:
        signs.append(_ORIGIN)
    return _Words(facts, signs)


def _if_known(find: Callable[[], str]) -> str:
    """Return a fact in words, or say that an unknown decides it."""
    try:
        return find()
    except UndecidedError:
        return "not known: it depends on what is unknown, or takes too long to find out"


def _injective(layout: AnyLayout) -> str:
    shared = collision(layout)
    if shared is not None:
        one, other = map(text_of, shared)
        return f"no: {one} and {other} have the offset {layout(shared[0])}"
    filled = ", and none is left out" if is_contiguous(layout) else ", and some are left out"
    return f"yes: each coordinate has an offset of its own{filled}"


def _padding(layout: AnyLayout) -> str:
    return f"{number(layout.size - layout.valid_size)} of {number(layout.size)} coordinates hold no data"


def _of_xla(shape: XlaShape) -> _Words:
    """The facts of an array of XLA: its layout in both notations, and its bytes."""
    from ..xla_bridge import size_of

    facts = [("XLA", str(shape))]
    try:
        facts.append(("TLA", str(_layout_of(shape))))
    except TlaError as error:
        facts.append(("TLA", error.summary))
    try:
        use = size_of(shape)
    except TlaError:
        return _Words(facts, (_TILES, _COLON))
    facts += [("data", f"{use.data_bytes} bytes"), ("memory", f"{use.physical_bytes} bytes")]
    if use.warning:
        facts.append(("XLA counts", use.warning))
    return _Words(facts, (_TILES, _COLON, _NUMBERS, _ORIGIN))
