"""Strategies of figures, and what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tla import layout_figure, strip_figure
from tla.ground.figure import (
    AnyFigure,
    Bar,
    Bars,
    Figure,
    Lane,
    Panels,
    Steps,
    Stretch,
    Strip,
    Timeline,
)
from tla.testing import layouts, shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = st.text("ab<&>\"'{}$%_^~\\#|:1,() ", max_size=12).map(str.strip)


@st.composite
def grids(draw: st.DrawFn, most: int = 120, *, marks: bool = True) -> Figure:
    """Layouts of any nesting, with padding, some cells marked and some with a text."""
    layout: Any = draw(layouts(shapes(max_size=most), min_stride=-9, padded=True))
    figure = layout_figure(layout, 128, 128, 4, draw(st.sampled_from(["", "tile", "offset", None])))
    if marks and draw(st.booleans()):
        figure = _changed(draw, figure)
    return figure._replace(title=draw(st.sampled_from([figure.title, "", "A < B & 'C'"])))


def _changed(draw: st.DrawFn, figure: Figure) -> Figure:
    changed = []
    for grid in figure.grids:
        rows = [list(row) for row in grid.cells]
        i, j = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(rows[0]) - 1))
        text = draw(st.sampled_from([None, "(0,1)", "a<b"]))
        rows[i][j] = rows[i][j]._replace(is_marked=True, text=text)
        changed.append(grid._replace(cells=tuple(map(tuple, rows))))
    return figure._replace(grids=tuple(changed))


@st.composite
def strips(draw: st.DrawFn) -> Strip:
    """Memory with holes, shared places and padding, the first place marked or not."""
    layout: Any = draw(layouts(shapes(max_size=60), min_stride=-5, padded=True))
    strip = strip_figure(layout, draw(st.integers(1, 70)))
    first = strip.places[0]._replace(is_marked=draw(st.booleans()))
    return strip._replace(places=(first, *strip.places[1:]))


@st.composite
def bars(draw: st.DrawFn) -> Bars:
    """Parts of a buffer, some written over, read past their end or outside of it."""
    length = draw(st.integers(1, 1 << 20))
    found = []
    for i in range(draw(st.integers(0, 40))):
        start = draw(st.integers(0, length))
        end = start + draw(st.integers(0, length))
        clash = ((start, (start + end + 1) // 2),) if end > start and draw(st.booleans()) else ()
        found.append(Bar(f"A {i}", start, end, end + draw(st.sampled_from([0, 0, 64])), clash))
    return Bars(draw(st.sampled_from(["L1", "UB<0>"])), length, tuple(found))


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Lanes and turns, from the first and the last of more."""
    count, turns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    left_out = draw(st.sampled_from([0, 3]))
    lanes = []
    for number in range(count):
        cells = tuple(
            tuple(
                Stretch(draw(st.sampled_from(["a", "b<1>", "0,12,3"])), draw(st.integers(0, 90)))
                for _ in range(draw(st.integers(0, 2)))
            )
            for _ in range(turns)
        )
        work = sum(stretch.work for cell in cells for stretch in cell)
        lanes.append(Lane(number, cells, work))
    numbers = (*range(turns - 1), turns - 1 + left_out)
    most = max(lane.work for lane in lanes)
    more = draw(st.sampled_from([0, 4]))
    return Timeline(
        "core", "round", "tile of M,N", numbers, tuple(lanes), count + more, turns + left_out, most
    )


@st.composite
def steps(draw: st.DrawFn, depth: int = 1) -> Steps:
    """A table, sentences, parts and pictures, of any of them none."""
    count = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[WORDS] * count), max_size=3))
    return Steps(
        draw(WORDS),
        tuple(draw(st.lists(WORDS, max_size=2))),
        draw(st.tuples(*[WORDS] * count)),
        tuple(rows),
        tuple(draw(st.lists(steps(depth - 1), max_size=2))) if depth else (),
        draw(st.just("") | WORDS),
        tuple(draw(st.lists(WORDS, max_size=3))),
        tuple(draw(st.lists(grids(30), max_size=2))) if depth else (),
    )


@st.composite
def panels(draw: st.DrawFn) -> Panels:
    """Figures of several kinds, with signs and without."""
    of = draw(st.lists(st.one_of(grids(40), strips(), bars(), steps(0)), max_size=4))
    signs = ("o", "=", "≤")[: max(len(of) - 1, 0)] if draw(st.booleans()) else ()
    return Panels(draw(WORDS), tuple(of), signs, draw(WORDS))


def figures() -> st.SearchStrategy[AnyFigure]:
    """Figures of every kind."""
    return st.one_of(grids(), strips(), bars(), timelines(), steps(), panels())


def said(figure: AnyFigure) -> Iterator[str]:
    """What stands in the cells and places of a figure, in the order they are drawn."""
    if isinstance(figure, Figure):
        for grid in figure.grids:
            for row in grid.cells:
                yield from (str(c.offset) if c.text is None else c.text for c in row)
    elif isinstance(figure, Strip):
        for place in figure.places:
            more = f" +{place.hits - 1}" if place.hits > 1 else ""
            yield from (f"{name}{more}" for name in place.coordinates[:1])
    elif isinstance(figure, Panels):
        for part in figure.figures:
            yield from said(part)
    elif isinstance(figure, Steps):
        for inner in figure.parts:
            yield from said(inner)
        for part in figure.pictures:
            yield from said(part)
    elif isinstance(figure, Timeline):
        for lane in figure.lanes:
            yield from (s.label for cell in lane.cells for s in cell if s.work)


def marked(figure: AnyFigure) -> int:
    """How many cells and places are marked."""
    if isinstance(figure, Figure):
        return sum(cell.is_marked for grid in figure.grids for row in grid.cells for cell in row)
    if isinstance(figure, Strip):
        return sum(place.is_marked for place in figure.places)
    return 0
