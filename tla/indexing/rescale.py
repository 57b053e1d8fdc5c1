# SPDX-License-Identifier: Apache-2.0
"""Ranges that have every n-th value, and variables as dims.

>>> from . import parse_map
>>> m = parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 41], s0 mod 6 in [3, 3]")
>>> print(rescale_symbols(m))
(d0)[s0] -> (d0, s0 * 6 + 3), domain: d0 in [0, 3], s0 in [0, 6]
>>> print(symbols_to_dims(m))
(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 41], d1 mod 6 in [3, 3]

Source: XLA ``IndexingMap::RescaleSymbols``, ``ConvertSymbolsToDimensions`` and
``ConvertRangeVariablesToDimensions``.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from ..errors import CoordinateError
from ..numbers import Interval, Symbol, Value
from .constraints import both, congruence
from .maps import require_map
from .places import placed, rearranged, symbol
from .variables import place_of, rng

if TYPE_CHECKING:
    from collections.abc import Collection

    from .making import Constraint
    from .maps import IndexingMap


def rescale_symbols(map: IndexingMap) -> IndexingMap:
    """Return the map with ``s*f + r`` for each range ``s`` that constraints keep to ``s mod f == r``.

    It has the same results at each point. Several congruences of one range become one, or the map is
    known empty if they contradict each other. The new bounds contain exactly the values within the old
    ones. Runtime variables stay, because the program decides their values.

    >>> from . import parse_map
    >>> text = "()[s0] -> (s0), domain: s0 in [-9, 20], s0 mod 4 in [3, 3], s0 mod 6 in "
    >>> print(rescale_symbols(parse_map(text + "[1, 1]")), rescale_symbols(parse_map(text + "[2, 2]")))
    ()[s0] -> (s0 * 12 + 7), domain: s0 in [-1, 1] KNOWN EMPTY

    Source: XLA ``IndexingMap::RescaleSymbols``, which rounds new bounds toward 0 and takes one
    congruence of a range at a time.
    """
    require_map(map)
    if map.is_undefined or map.is_known_empty:
        return map
    found: dict[int, tuple[int, int]] = {}
    rest: list[Constraint] = []
    for c in map.constraints:
        residue = _residue(c)
        if residue is None:
            rest.append(c)
            continue
        i, f, r = residue
        one = both(found.get(i, (1, 0)), (f, r)) if f else None
        if one is None:
            return map.with_parts(is_known_empty=True)
        found[i] = one
    if not found:
        return map
    ranges = list(map.ranges)
    values: dict[Symbol, Value] = {}
    for i, (f, r) in found.items():
        values[symbol(1, i)] = rng(i) * f + r
        ranges[i] = ranges[i]._replace(bounds=_rescale(ranges[i].bounds, f, r))
    return placed(map, values, map.dims, ranges, map.runtime, rest)


def _rescale(bounds: Interval, f: int, r: int) -> Interval:
    """The bounds of the ints ``n`` for which ``n*f + r`` lies in some bounds."""
    return Interval(-((r - bounds.lower) // f), (bounds.upper - r) // f)


def _residue(constraint: Constraint) -> tuple[int, int, int] | None:
    """``i, f, r`` if a constraint means that range ``i`` is ``r`` modulo ``f``, otherwise None.

    ``f`` is 0 if no int fulfils it.
    """
    residue = congruence(*constraint)
    if residue is None or len(residue[0].terms) > 1:
        return None
    y, m, r = residue
    (((atom, *others), a),) = y.terms.items()
    if others or type(atom) is not Symbol:
        return None
    kind, i = place_of(atom)
    if kind != 1:
        return None
    # a*s == r (mod m), and with g = gcd(a, m):  s == (r/g) * (a/g)^-1 (mod m/g)
    g = gcd(a, m)
    if r % g:
        return i, 0, 0
    f = m // g
    return i, f, r // g * pow(a // g, -1, f) % f


def symbols_to_dims(map: IndexingMap) -> IndexingMap:
    """Return the map with dims for its ranges and runtime variables, in their order after the others.

    The sources of runtime variables are lost: the result has every value of theirs.

    >>> from . import parse_map
    >>> m = parse_map("(d0)[s0]{of} -> (d0 + of, s0), domain: d0 in [0, 3], s0 in [0, 4], of in [0, 2]")
    >>> print(symbols_to_dims(m))
    (d0, d1, of) -> (d0 + of, d1), domain: d0 in [0, 3], d1 in [0, 4], of in [0, 2]

    Source: XLA ``IndexingMap::ConvertSymbolsToDimensions``.
    """
    require_map(map)
    if map.is_undefined:
        return map
    ranges = [(1, i) for i in range(len(map.ranges))]
    return _with_dims(map, ranges + [(2, i) for i in range(len(map.runtime))])


def ranges_to_dims(map: IndexingMap, indices: Collection[int]) -> IndexingMap:
    """Return the map with dims for some of its ranges, in their order after the other dims.

    >>> from . import parse_map
    >>> m = parse_map("(d0)[s0, n] -> (d0 + s0, n), domain: d0 in [0, 3], s0 in [0, 4], n in [0, 2]")
    >>> print(ranges_to_dims(m, [1]))
    (d0, n)[s0] -> (d0 + s0, n), domain: d0 in [0, 3], n in [0, 2], s0 in [0, 4]

    Raises:
        CoordinateError: the map has no such range.
    Source: XLA ``ConvertRangeVariablesToDimensions``.
    """
    require_map(map)
    if map.is_undefined:
        return map
    for i in indices:
        if not 0 <= i < len(map.ranges):
            raise CoordinateError(
                f"the map has no range number {i}", f"It has {len(map.ranges)}: {map}.", index=i
            )
    return _with_dims(map, [(1, i) for i in sorted(set(indices))])


def _with_dims(map: IndexingMap, moved: list[tuple[int, int]]) -> IndexingMap:
    """The map with dims for some ranges and runtime variables, after its own dims."""
    dims = [(0, i) for i in range(len(map.dims))]
    ranges = [(1, i) for i in range(len(map.ranges)) if (1, i) not in moved]
    runtime = [(2, i) for i in range(len(map.runtime)) if (2, i) not in moved]
    return rearranged(map, [dims + moved, ranges, runtime])
