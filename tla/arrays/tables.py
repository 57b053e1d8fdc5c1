# SPDX-License-Identifier: Apache-2.0
"""Tables of offsets, part by part: elements moved one by one where a plan has no loops, and overlaps.

>>> from tla import Layout
"""

from __future__ import annotations

from itertools import islice, product as cartesian
from typing import TYPE_CHECKING, Final

from ..layouts import offsets_between
from .plan import data_shape, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..layouts import AnyLayout, ComposedLayout
    from .plan import CopyPlan
    from .strided import Memory

_TABLE: Final = 1 << 18
"""The elements that move at once: so tables of offsets stay in the cache."""

_Ranges = tuple[tuple[int, int], ...]


def move_by_tables(plan: CopyPlan, source: Memory, target: Memory) -> Iterator[int]:
    """Move the elements of a plan, and yield after each part how many those were."""
    for ranges in _ranges(data_shape(plan.source), _TABLE):
        read, written = (offsets_between(side, ranges) for side in (plan.source, plan.target))
        low, first = int(written.min()), int(read.min())
        theirs = source.view(first, [int(read.max()) - first + 1], [1])[read - first]
        target.view(low, [int(written.max()) - low + 1], [1])[written - low] = theirs
        yield read.size


def shared_offset(layout: AnyLayout | ComposedLayout) -> list[tuple[int, ...]] | None:
    """Return two coordinates whose data share an offset, None if there are none.

    It keeps a byte for each offset that the layout spans.

    >>> shared_offset(Layout((4, 3), (2, 3))), shared_offset(Layout((3, 4), (1, 3)))
    ([(0, 2), (3, 0)], None)
    """
    import numpy as np

    low, last = span_of(layout)
    seen = np.zeros(last + 1 - low, bool)
    sizes = data_shape(layout)
    for ranges in _ranges(sizes, _TABLE):
        places = offsets_between(layout, ranges).reshape(-1) - low
        near = np.sort(places)
        twice = [*near[1:][near[1:] == near[:-1]][:1], *places[seen[places]][:1]]
        if twice:
            alike = (
                tuple([int(i) + start for i, (start, _end) in zip(at, part, strict=True)])
                for part in _ranges(sizes, _TABLE)
                for at in np.argwhere(offsets_between(layout, part) == twice[0] + low)
            )
            return [*islice(alike, 2)]
        seen[places] = True
    return None


def _ranges(sizes: tuple[int, ...], most: int) -> Iterator[_Ranges]:
    """Coordinates in parts of at most so many: of each mode a range.

    >>> list(_ranges((3, 4), 8))
    [((0, 2), (0, 4)), ((2, 3), (0, 4))]
    """
    steps: list[int] = []
    for n in reversed(sizes):
        steps.insert(0, min(n, most))
        most = max(1, most // n)
    axes = zip(sizes, steps, strict=True)
    yield from cartesian(*([(i, min(i + d, n)) for i in range(0, n, d)] for n, d in axes))
