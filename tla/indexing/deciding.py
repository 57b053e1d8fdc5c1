# SPDX-License-Identifier: Apache-2.0
"""Questions about the points of maps: whether conditions can hold, whether one map lies inside another.

The answer is a proof, by enumeration of a small box or by integer sets. If islpy is not installed, or
needs more than `MOST` operations, the answer of integer sets is None: not known.

>>> from . import parse_map
>>> one = parse_map("(d0) -> (d0), domain: d0 in [0, 3]")
>>> all = parse_map("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]")
>>> print(*union([one, all]))
(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 3]
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from operator import contains
from typing import TYPE_CHECKING, Any, Final

from ..errors import UndecidedError, UnsupportedError
from ..numbers import Expr, Interval, bounds_of, compute, rebind
from .maps import IndexingMap, require_map
from .places import symbol
from .variables import dim, place_of, rng

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..numbers import Symbol, Value
    from .exact import Relation
    from .making import Constraint

    Place = tuple[int, int]

MOST: Final = 1 << 15
"""The most operations of isl for one answer: some milliseconds. And the most points of a small box."""


def union(maps: Iterable[IndexingMap]) -> list[IndexingMap]:
    """Return some of the maps of one operand, with the pairs of all: none lies inside another one.

    >>> from . import parse_map
    >>> even = parse_map("(d0)[s0] -> (s0 * 2), domain: d0 in [0, 3], s0 in [0, 3]")
    >>> row = parse_map("(d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 7]")
    >>> other = parse_map("(d0)[s0] -> (s0), domain: d0 in [0, 4], s0 in [0, 1]")
    >>> for m in union([even, row, other]):
    ...     print(m)
    (d0)[s0] -> (s0), domain: d0 in [0, 3], s0 in [0, 7]
    (d0)[s0] -> (s0), domain: d0 in [0, 4], s0 in [0, 1]

    Of maps with the same pairs the one with fewest ranges and constraints stays, or else the first. A
    map goes only by a proof: by bounds where the results of the other are dims and ranges of their own,
    or of islpy within its budget. Undefined maps stay.
    """
    distinct = list(dict.fromkeys(maps))
    for each in distinct:
        require_map(each)
    sets = [_proof(partial(_with_hull, m)) for m in distinct]
    simple = sorted(
        range(len(distinct)), key=lambda i: len(distinct[i].ranges + distinct[i].constraints)
    )
    kept: list[int] = []

    def is_inside(a: int, b: int) -> bool:
        if _has_all(distinct[b], distinct[a]):
            return True
        if sets[a] is None or sets[b] is None:
            return False
        (one, hull), (other, outer) = sets[a], sets[b]
        return all(map(contains, outer, hull)) and bool(_proof(partial(one.is_subset, other)))

    for i in simple:
        if not any(is_inside(i, j) for j in kept):
            kept = [*(j for j in kept if not is_inside(j, i)), i]
    return [distinct[i] for i in sorted(kept)]


def _has_all(map: IndexingMap, one: IndexingMap) -> bool:
    """Whether bounds prove that a map has all pairs of another one.

    Each of its results is one of a range of its own, which holds what the other has there, or the same
    expression of the dims.
    """
    if map.constraints or map.runtime or one.runtime or map.is_undefined or one.is_undefined:
        return False
    if len(map.dims) != len(one.dims) or len(map.results) != len(one.results):
        return False
    if not all(contains(v.bounds, u.bounds) for v, u in zip(map.dims, one.dims, strict=True)):
        return False
    free: dict[Any, Interval] = {rng(i): v.bounds for i, v in enumerate(map.ranges)}
    within = dict(one.within())
    for x, y in zip(one.results, map.results, strict=True):
        if y in free:
            least, most = bounds_of(rebind(x, within))
            row = free.pop(y)
            if least is None or most is None or least < row.lower or most > row.upper:
                return False
        elif x != y or (type(y) is Expr and any(place_of(s)[0] for s in y.symbols)):
            return False
    return True


def _proof(question: Callable[[], Any]) -> Any:
    """The answer of integer sets; None if they have none."""
    try:
        return question()
    except (UnsupportedError, UndecidedError):
        return None


def is_empty(map: IndexingMap) -> bool:
    """Return whether a map has no point; raise the errors of `relation` if that is not known."""
    return _relation(map).is_empty()


def _relation(map: IndexingMap) -> Relation:
    from .exact import relation

    return relation(map, MOST)


def _with_hull(map: IndexingMap) -> tuple[Relation, tuple[Interval, ...]]:
    """The relation of a map, and the least interval of each dim and result."""
    pairs = _relation(map)
    return pairs, (*pairs.dim_bounds, *pairs.result_bounds)


def can_hold(
    map: IndexingMap, free: Sequence[Place], given: Sequence[Place], constraints: Sequence[Constraint]
) -> bool | None:
    """Return whether, for all values of the given variables, some of the free ones meet constraints.

    It is False if no values do for any of them, and None if they do for some, or if that is unknown.
    """
    bounds = [map.kinds[kind][i].bounds for kind, i in (*given, *free)]
    if prod(each.size for each in bounds) > MOST:
        answer: bool | None = _proof(partial(_can_hold, map, free, given, constraints))
        return answer
    symbols = [symbol(*place) for place in (*given, *free)]

    def holds(*values: int) -> bool:
        known: dict[Any, Any] = dict(zip(symbols, values, strict=True))
        return all(compute(x, {}, known) in bounds for x, bounds in constraints)

    found: bool | None = None
    for outer in product(*bounds[: len(given)]):
        here = any(holds(*outer, *inner) for inner in product(*bounds[len(given) :]))
        if found is not None and found != here:
            return None
        found = here
    return found


def _can_hold(
    map: IndexingMap, free: Sequence[Place], given: Sequence[Place], constraints: Sequence[Constraint]
) -> bool | None:
    """The same by integer sets."""
    values: dict[Symbol, Value] = {symbol(*place): dim(i) for i, place in enumerate(given)}
    values.update({symbol(*place): rng(i) for i, place in enumerate(free)})
    dims, ranges = ([map.kinds[kind][i].bounds for kind, i in each] for each in (given, free))
    some = _relation(IndexingMap([], dims, ranges, (), [(rebind(x, values), b) for x, b in constraints]))
    return False if some.is_empty() else some.is_equal(_relation(IndexingMap([], dims))) or None
