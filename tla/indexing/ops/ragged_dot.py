# SPDX-License-Identifier: Apache-2.0
"""Ragged dots: products with one dim cut into groups, whose sizes the program reads.

The groups lie one after another; elements after the last group take no part. The start of a group is the
sum of the sizes before it. So each group has one map, with all those sizes as runtime variables. A size
above that of the dim counts as the size of the dim. The kind of the cut dim decides the result:

===========  ================  ==============================================================
the cut dim  result            an element of it
===========  ================  ==============================================================
free         [b, m, n]         uses the right side, [g, b, k, n], of the group its place is in
contracted   [g, b, m, n]      sums over the places in its group
batch        [b, m, n]         is that of a plain dot
===========  ================  ==============================================================

The dims of the sizes before the groups are the left side's batch dims and those of the cut dim's kind
before the cut dim; or there are none.

Source: StableHLO ``chlo.ragged_dot``; XLA's RaggedDotRewriter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ground import limit_of, way_out
from ...numbers import Interval
from ..maps import IndexingMap
from ..variables import Source, dim, rt
from .building import expect, lines, number
from .dot import sides
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Value
    from .op import Op
    from .rules import Maps


class Groups(NamedTuple):
    """The cut of a dim: the place in it, its size, the name and the row of the sizes."""

    place: Value
    size: int
    sizes: str
    row: tuple[Value, ...]

    def within(
        self, results: Sequence[Value], dims: Sequence[int], ranges: Sequence[int], first: int, end: int
    ) -> IndexingMap:
        """Return the map for places in the groups from ``first`` to ``end - 1``."""
        bounds = Interval(0, self.size)
        read = [(f"size{g}", bounds, Source(self.sizes, (*self.row, g), bounds)) for g in range(end)]
        ends = [self.place - sum((rt(g) for g in range(n)), 0 * rt(0)) for n in (first, end)]
        before_end: tuple[Value, Interval] = (ends[1], Interval(-end * self.size, -1))
        after_start: tuple[Value, Interval] = (ends[0], Interval(0, self.size))
        constraints = [before_end, after_start] if first else [before_end]
        return IndexingMap(results, dims, ranges, read, constraints)


@rule("ragged-dot")
def _ragged_dot(op: Op, output: int) -> Maps:
    expect(op, 3)
    cut = number(op, "lhs_ragged_dims", below=len(op.sizes(op.inputs[0].shape)))
    counts = op.sizes(op.inputs[2].shape)
    if not counts:
        op.refuse(f"its sizes {op.inputs[2].shape} are one number")
    contracting = op.ints("lhs_contracting_dims")
    by_group = cut in contracting
    left, right = sides(op, output, counts[-1:] if by_group else ())
    first = int(by_group)
    free = first + len(left.batch)
    dims, ranges = op.dims(output), left.size(contracting)
    places = left.results(first, free)

    def other(group: int = 0) -> list[Value]:
        return right.results(first, free + len(left.free), group)

    kind = next(kind for kind in (left.batch, contracting, left.free) if cut in kind)
    before = kind[: kind.index(cut)]
    if kind is not left.batch:
        before = left.batch + before
    if counts[:-1] not in ((), left.size(before)):
        op.fail(f"its sizes {op.inputs[2].shape} do not go along with dims {before} of {left.sizes}")
    if kind is left.batch:
        return [[IndexingMap(places, dims, ranges)], [IndexingMap(other(), dims, ranges)], []]
    count = counts[-1]
    if not by_group and right.size(right.group) != (count,):
        op.fail(f"dims {right.group} of its right side are not its {count} groups")
    if count > limit_of("groups"):
        summary = f"it has {count} groups, and a map for each is made of {limit_of('groups')} at most"
        op.refuse(f"{summary}. {way_out('groups', count)}".removesuffix("."))

    # an element reads the size of its batch, and all sizes along the other rows
    row = before if len(counts) > 1 else ()
    result_dims = {k: first + i for i, k in enumerate(left.batch + left.free)}
    read = lines(dims, counts, [*(result_dims.get(k) for k in row), None])
    groups = Groups(places[cut], left.sizes[cut], op.inputs[2].name, tuple(places[k] for k in row))
    if not by_group:
        return [
            [groups.within(places, dims, ranges, 0, count)] if count else [],
            [groups.within(other(g), dims, ranges, g, g + 1) for g in range(count)],
            [read],
        ]

    def own(results: list[Value]) -> list[IndexingMap]:
        maps = [groups.within(results, dims, ranges, g, g + 1) for g in range(count)]
        return [
            m.with_parts(constraints=[*m.constraints, (dim(0), Interval(g, g))])
            for g, m in enumerate(maps)
        ]

    return [own(places), own(other()), [read]]
