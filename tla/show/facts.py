# SPDX-License-Identifier: Apache-2.0
"""The facts that every way of drawing shows of a figure, before any style: its cut, borders and notes.

Cells have text up to `MOST_TEXT` of them a side, and are drawn as pixels up to `MOST_CELLS`. Of a larger
figure the corner is drawn, with the totals of the whole.

>>> figure = layout_figure(Layout((100, 100), (100, 1)), 100, 100)
>>> cut_to(figure, MOST_TEXT).grids[0].cells[-1][-1].offset
6363
>>> corner_note(cut_to(figure, MOST_TEXT))
'a corner of 100 x 100: 10000 coordinates, offsets that span 10000'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ground import Axis, Bar, Bars, Cell, Figure, Grid, Place, Strip

T = TypeVar("T")

MOST_TEXT: Final = 64
"""Rows, and columns, up to which cells have text."""

MOST_CELLS: Final = 512
"""Rows, and columns, up to which cells are drawn at all."""

MOST_BARS: Final = 32

_MOST_IN_ROW: Final = 32


# --- text -------------------------------------------------------------------------------------


def wrapped(text: str, letters: int | None, after: str = "") -> list[str]:
    """Return a text in lines of at most ``letters``; all lines but the first begin with ``after``.

    Lines end between words, or in a long word after a bracket, comma or colon.

    >>> wrapped("the tile ((4,2),(4,3)) of it", 14, "  ")
    ['the tile', '  ((4,2),(4,3)', '  ) of it']
    """
    if letters is None:
        return [text]
    letters = max(letters, len(after) + 1)
    lines: list[str] = []
    line = " " * (len(text) - len(text.lstrip()))
    for word in text.strip().split(" "):
        joined = f"{line} {word}" if line.strip() else line + word
        if len(joined) <= letters:
            line = joined
            continue
        if line.strip():
            lines.append(line)
            line = after
        line += word
        while len(line) > letters:
            end = max((line.rfind(c, len(after) + 1, letters) for c in "),:/"), default=-1) + 1
            end = end if end > len(after) + 1 else letters
            lines.append(line[:end])
            line = after + line[end:]
    return [*lines, line]


# --- grids ------------------------------------------------------------------------------------


def cut_to(figure: Figure, side: int) -> Figure:
    """Return the corners of the grids, at most ``side`` rows and columns of each."""
    return figure._replace(grids=tuple([_corner(grid, side) for grid in figure.grids]))


def _corner(grid: Grid, side: int) -> Grid:
    if len(grid.cells) <= side and all(len(row) <= side for row in grid.cells):
        return grid
    return grid.corner(side, side)


def cell_text(cell: Cell) -> str:
    """The text of a cell."""
    return str(cell.offset) if cell.text is None else cell.text


def runs(level: Sequence[T]) -> Iterator[tuple[T, int, int]]:
    """Stretches of one value: the value, where it begins and where it ends.

    >>> list(runs((0, 0, 1, 1, 1)))
    [(0, 0, 2), (1, 2, 5)]
    """
    start = 0
    for i in range(1, len(level) + 1):
        if i == len(level) or level[i] != level[start]:
            yield level[start], start, i
            start = i


def borders(axis: Axis) -> dict[int, int]:
    """Where tiles meet: the place after the border, and how many levels of tiles end there.

    >>> from tla.ground.figure import Axis
    >>> borders(Axis(8, (), (), ((0, 0, 1, 1, 2, 2, 3, 3), (0, 0, 0, 0, 1, 1, 1, 1))))
    {2: 1, 4: 2, 6: 1}
    """
    levels_at: dict[int, int] = {}
    for level, numbers in enumerate(axis.tiles, 1):
        levels_at.update((start, level) for _number, start, _end in runs(numbers) if start)
    return dict(sorted(levels_at.items()))


def padding_note(figure: Figure, sign: str) -> str:
    """The note on padding, which is drawn as ``sign`` says; empty for a figure without padding."""
    held = f"{figure.valid_size} of {figure.size} hold data"
    if any(grid.has_padding for grid in figure.grids):
        return f"{sign} is padding: {held}"
    return f"the padding lies outside: {held}" if figure.valid_size < figure.size else ""


def corner_note(figure: Figure, is_narrowed: bool = False) -> str:
    """The totals of a figure, if only a part is shown; empty if all is.

    Args:
        is_narrowed: Whether less is shown than the figure holds.
    """
    is_cut = is_narrowed or any(grid.is_cut for grid in figure.grids)
    if not is_cut and len(figure.grids) >= figure.slices:
        return ""
    grid = figure.grids[0]
    matrix = f"{grid.rows} x {grid.columns}" if grid.rows is not None else f"{grid.columns}"
    whole = f"{figure.slices} slices of {matrix}" if figure.slices > 1 else matrix
    return f"a corner of {whole}: {figure.size} coordinates, offsets that span {figure.cosize}"


# --- memory -----------------------------------------------------------------------------------


def place_text(place: Place) -> str:
    """The text of a place of memory: its first coordinate, and the number of the others."""
    if not place.hits:
        return ""
    first = place.coordinates[0]
    return first if place.hits == 1 else f"{first} +{place.hits - 1}"


def tip_of(place: Place) -> str:
    """All facts of a place of memory."""
    if not place.hits:
        return f"{place.offset}: no coordinate"
    more = place.hits - len(place.coordinates)
    named = ", ".join(place.coordinates) + (f" and {more} more" if more else "")
    return f"{place.offset}: {named}{'' if place.valid else ', padding'}"


def places_in_row(count: int, fitting: int) -> int:
    """How many places of memory a row has: all, or a power of two, so that steps line up.

    >>> places_in_row(12, 20), places_in_row(24, 20), places_in_row(3, 1)
    (12, 16, 1)
    """
    fitting = max(1, min(fitting, _MOST_IN_ROW))
    return count if count <= fitting else 1 << (fitting.bit_length() - 1)


def memory_notes(strip: Strip) -> list[str]:
    """The notes below memory: places that are empty, shared or not shown."""
    notes: list[str] = []
    if strip.holes:
        notes.append(f"{strip.holes} empty: no coordinate leads there")
    if strip.shared:
        notes.append(f"{strip.shared} of several coordinates: +n are n more")
    if strip.is_cut:
        notes.append(f"the first {len(strip.places)} of {strip.end - strip.start} places")
    return notes


# --- bars -------------------------------------------------------------------------------------


def first_bars(bars: Bars) -> tuple[Bars, int]:
    """The bars that are drawn, the first of very many, and the number of the others."""
    more = max(len(bars.bars) - MOST_BARS, 0)
    return bars._replace(bars=bars.bars[:MOST_BARS]), more


def reach_of(bars: Bars) -> int:
    """How many bytes are drawn: the whole buffer; if it is hardly used, the used part."""
    used = max((bar.reach for bar in bars.bars), default=0)
    return bars.length if 4 * used > bars.length or not used else used


def bars_title(bars: Bars) -> str:
    """The name and length of a buffer, and how much of it is drawn."""
    shown = reach_of(bars)
    cut = f", the first {shown} shown" if shown < bars.length else ""
    return f"{bars.title}, {bars.length} bytes{cut}"


def span_of(bar: Bar) -> str:
    """The bytes of a bar, and the memory they lie in if it is named."""
    words = [f"[{bar.start},{bar.end})"]
    words += [f"to {bar.reach}"] if bar.reach > bar.end else []
    return " ".join([*words, bar.space] if bar.space else words)
