# SPDX-License-Identifier: Apache-2.0
"""The picture of a copy: memory before and after, and in each place the run that moves it.

>>> figure = plan_figure(copy_plan(row_major(2, 2), col_major(2, 2)))
>>> [[place.coordinates for place in strip.places] for strip in figure.figures]
[[('0',), ('2',), ('1',), ('3',)], [('0',), ('1',), ('2',), ('3',)]]
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from ..errors import LayoutError
from ..figures import tile_colour
from ..ground import NO_COLOUR, Panels, Place, Strip, limit_error, limit_of, plural
from .plan import span_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .loops import Box
    from .plan import CopyPlan

_MOST_NAMES = 4
"""The most runs of one place whose names are in the picture."""


def plan_figure(plan: CopyPlan, places: int = 64) -> Panels:
    """Return the figure of a plan, of which each side shows at most so many places.

    Runs count in the order in which they are moved.

    Raises:
        LayoutError: nothing would be shown.
        LimitError: the plan moves more elements than `tla.limits` lets it look at one by one.
        UnsupportedError: the plan has no boxes.
    """
    if places < 1:
        raise LayoutError(f"a figure of {places} places is empty")
    if plan.size > limit_of("indices"):
        summary = f"the plan moves {plan.size} elements; at most {limit_of('indices')} are drawn"
        raise limit_error("indices", summary, needed=plan.size)
    loops, is_long = plan.explain(), plan.runs < plan.size
    names: tuple[dict[int, list[str]], ...] = ({}, {})
    for run, (starts, length) in enumerate(_runs(plan.boxes or ())):
        for at in range(length):
            for of, start in zip(names, starts, strict=True):
                of.setdefault(start + at, []).append(f"{run}.{at}" if is_long else str(run))
    layouts = ("source", plan.source), ("target", plan.target)
    strips = [_strip(*side, of, places) for side, of in zip(layouts, names, strict=True)]
    about = "element j of run k is at k.j" if is_long else "a run is one element"
    note = f"{plural(plan.runs, 'run')} in all: {about}. {' '.join(loops)}"
    return Panels(f"copy of {plural(plan.size, 'element')}", tuple(strips), ("to",), note.strip())


def _runs(boxes: Iterable[Box]) -> Iterator[tuple[tuple[int, int], int]]:
    """Where each run starts in source and target, and how long it is."""
    for box in boxes:
        loops, length = box.loops, 1
        if loops and loops[-1].steps == (1, 1):
            loops, length = loops[:-1], loops[-1].extent
        for at in product(*(range(loop.extent) for loop in loops)):
            steps = list(zip(at, loops, strict=True))
            source = box.source + sum(n * loop.source for n, loop in steps)
            yield (source, box.target + sum(n * loop.target for n, loop in steps)), length


def _strip(what: str, layout: Any, names: dict[int, list[str]], places: int) -> Strip:
    low, last = span_of(layout)
    row: list[Place] = []
    for offset in range(low, min(last + 1, low + places)):
        runs = names.get(offset, [])
        colour = tile_colour(int(runs[0].partition(".")[0]), 0) if runs else NO_COLOUR
        row.append(Place(offset, tuple(runs[:_MOST_NAMES]), len(runs), True, colour))
    return Strip(f"{what} {layout}", low, last + 1, tuple(row), "tile")
