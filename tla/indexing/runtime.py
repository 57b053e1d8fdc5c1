# SPDX-License-Identifier: Apache-2.0
"""Runtime variables whose values are known before the program runs: `fold`.

>>> from tla.hlo import read_module
>>> from .dependences import output_to_input
>>> module = read_module('''
... rows = s32[42,1] iota(), iota_dimension=0
... gather = f32[42,8] gather(f32[33,8] x, rows), offset_dims={1}, collapsed_slice_dims={0},
...     start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}''')
>>> named = {each.name: each for each in module.entry.instructions}
>>> (m,), _ = output_to_input(named["gather"])
>>> print(m)
(d0, d1){rt0} -> (rt0, d1), domain: d0 in [0, 41], d1 in [0, 7], rt0 in [0, 32]
>>> print(fold(m, named.get))
(d0, d1) -> (min(32, d0), d1), domain: d0 in [0, 41], d1 in [0, 7]

XLA folds an iota without the clamp of the slice, so it reads row ``d0`` for all 42.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..numbers import Expr, atom_expr, rebind
from .compose import merged_sources, with_names
from .constraints import lies_in
from .elements import Elements
from .making import Constraint
from .maps import IndexingMap, require_map
from .places import placed
from .variables import REPLICA, rt

if TYPE_CHECKING:
    from collections.abc import Container

    from ..numbers import Symbol, Value
    from .elements import ValueOf


def fold(map: IndexingMap, value_of: ValueOf) -> IndexingMap:
    """Return the map with expressions in the place of the runtime variables whose values are known.

    >>> from tla.hlo import read_instruction
    >>> from tla.indexing import output_to_input
    >>> line = read_instruction("ds = f32[2] dynamic-slice(f32[9] x, s32[] i), dynamic_slice_sizes={2}")
    >>> ((m,), _of_i) = output_to_input(line)
    >>> print(m)
    (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 1], rt0 in [0, 7]
    >>> four = read_instruction("i = s32[] constant(4)")
    >>> print(fold(m, {"i": four}.get))
    (d0) -> (d0 + 4), domain: d0 in [0, 1]

    It has the results of the map for all numbers that the program may read. A value is clamped like its
    source. If it lies outside the map's bounds, the map has no result. A clamp to a single number
    decides the variable.

    Args:
        value_of: The instruction of a name; None if it is unknown. A name such as ``fusion.3/start``
            belongs to a computation that ``fusion.3`` calls.

    A value is known if it comes from constants and iotas, by ops that move elements and by arithmetic on
    ints that cannot overflow. The possible numbers of a constant must be equal, or grow in equal steps
    along each dim.
    """
    require_map(map)
    if map.is_undefined or map.is_known_empty or not map.runtime:
        return map
    found = _Folding(map, Elements(value_of))
    return merged_sources(found.map()) if found.values else map


class _Folding:
    """The known values of a map's runtime variables, in unknowns that lie in the map's bounds."""

    def __init__(self, map: IndexingMap, elements: Elements) -> None:
        self.old = map
        self.elements = elements
        self.within: dict[Symbol, Value] = dict(map.within())
        self.values: dict[int, Value] = {}
        self.done: set[int] = set()
        for i in range(len(map.runtime)):
            self.find(i)

    def find(self, i: int) -> None:
        """Find the value of a variable, after those of the variables in its indices."""
        if i in self.done:
            return
        self.done.add(i)
        source = self.old.runtime[i].source
        if source is None or source.instruction == REPLICA:
            return
        for j in range(len(self.old.runtime)):
            if any(_holds(x, (rt(j).symbols[0],)) for x in source.indices):
                self.find(j)
        indices = [self.put(x) for x in source.place]
        value = self.elements.read(source.instruction, indices, source.clamp)
        if value is not None:
            self.values[i] = self.within[rt(i).symbols[0]] = value

    def put(self, x: Value) -> Value:
        return rebind(x, self.within)

    def map(self) -> IndexingMap:
        """The map over the remaining variables."""
        old = self.old
        known = {rt(i).symbols[0]: x for i, x in self.values.items()}
        left = [i for i in range(len(old.runtime)) if i not in self.values]
        into: dict[Symbol, Value] = {rt(i).symbols[0]: rt(place) for place, i in enumerate(left)}
        free: dict[Symbol, Value] = {  # from an unknown with bounds to its variable
            x.symbols[0]: into.get(variable, atom_expr(variable))
            for variable, x in old.within().items()
            if variable not in known
        }
        into.update({variable: rebind(x, free) for variable, x in known.items()})

        constraints = [
            constraint
            for constraint in old.constraints
            if not _holds(constraint.expr, known)
            or not lies_in(self.put(constraint.expr), constraint.bounds)
        ]
        constraints += [
            Constraint(rt(i), old.runtime[i].bounds)
            for i, x in self.values.items()
            if not lies_in(x, old.runtime[i].bounds)
        ]
        runtime = with_names([old.runtime[i] for i in left], "rt", [*old.dims, *old.ranges])
        return placed(old, into, old.dims, old.ranges, runtime, constraints)


def _holds(x: Value, symbols: Container[Symbol]) -> bool:
    """Whether an expression contains one of some variables."""
    return type(x) is Expr and any(symbol in symbols for symbol in x.symbols)
