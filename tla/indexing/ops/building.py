# SPDX-License-Identifier: Apache-2.0
"""Parts from which rules build their maps: whole lines, ranges, constraints.

They simplify the map of an op if XLA does, for example for windows.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ...ground import plural
from ...numbers import Interval
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..unused import remove_unused_symbols
from ..variables import dim, rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...numbers import Value
    from .op import Op


def expect(op: Op, count: int) -> None:
    """Refuse an op unless it has ``count`` operands."""
    if len(op.inputs) != count:
        op.fail(f"it has {plural(len(op.inputs), 'operand')}, and takes {count}")


def number(op: Op, name: str, below: int, default: int | None = None) -> int:
    """Return an attribute that is one int, at least 0 and below a bound, such as the number of dims."""
    found = op.ints(name, None if default is None else (default,))
    if len(found) != 1 or not 0 <= found[0] < below:
        op.fail(f"{name}={op.attribute(name)} is no int from 0 to {below - 1}")
    return found[0]


class Ranges:
    """The ranges of a map while it is built, in the order in which they are asked for."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def new(self, size: int) -> Value:
        """Return a further range; for size 1 return 0, because XLA has no such ranges."""
        if size == 1:
            return 0
        self.sizes.append(size)
        return rng(len(self.sizes) - 1)


def at(dims: Sequence[int], i: int) -> Value:
    """Return dim ``i`` of a map, or 0 if its size is 1."""
    return 0 if dims[i] == 1 else dim(i)


def simple_map(
    results: Iterable[Value],
    dims: Sequence[int | Interval],
    ranges: Sequence[int | Interval] = (),
    constraints: Iterable[tuple[Value, Interval]] = (),
) -> IndexingMap:
    """Return a map in its final form: simple, and without superfluous ranges.

    >>> inside = [(dim(0) + rng(0), Interval(0, 9)), (dim(0) - rng(0) + 1, Interval(0, 4))]
    >>> print(simple_map([dim(0) + rng(0)], [4], [3], inside))
    (d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 2], d0 - s0 in [-1, 3]
    """
    made = IndexingMap(results, dims, ranges, constraints=constraints)
    return remove_unused_symbols(rewritten(made, replace=True))


def order(*ascending: Value, below: int) -> list[tuple[Value, Interval]]:
    """Return the constraints ``x <= y <= ...`` on expressions in ``[0, below)``."""
    return [(y - x, Interval(0, below - 1)) for x, y in pairwise(ascending)]


def behind_each_other(dims: Sequence[int], along: int, sizes: Sequence[int]) -> list[list[IndexingMap]]:
    """Return the maps to operands of some sizes along a dim, which lie behind each other there.

    >>> for (m,) in behind_each_other([5], 0, [2, 3]):
    ...     print(m)
    (d0) -> (d0), domain: d0 in [0, 1]
    (d0) -> (d0 - 2), domain: d0 in [2, 4]
    """
    maps: list[list[IndexingMap]] = []
    for size, end in zip(sizes, accumulate(sizes), strict=True):
        within: list[Interval | int] = list(dims)
        within[along] = Interval(end - size, end - 1)
        results = [dim(k) - (end - size) * (k == along) for k in range(len(dims))]
        maps.append([IndexingMap(results, within)])
    return maps


def lines(dims: Sequence[int], sizes: Sequence[int], places: Sequence[int | None]) -> IndexingMap:
    """Return the map to whole lines of an operand.

    >>> print(lines([4, 8], [4, 16], [0, None]))
    (d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 15]

    Args:
        dims: The dims of the output.
        sizes: The dims of the operand.
        places: For each dim of the operand the dim of the output with the same index; None for a dim
            that is read whole, as a range.
    """
    whole = [k for k, place in enumerate(places) if place is None]
    results = [rng(whole.index(k)) if place is None else dim(place) for k, place in enumerate(places)]
    return IndexingMap(results, dims, [sizes[k] for k in whole])
