# SPDX-License-Identifier: Apache-2.0
"""Runtime variables as the parameters of integer sets: one parameter for each number of the program.

An element at indices that are numbers is one parameter. If the indices depend on the point, as in a
gather, each such index is a parameter too: ``idx = 5`` with ``idx_i0 = 2`` means that element 2 of
``idx`` is 5. So a parameter has one meaning everywhere, and relations have inverses and compositions.
Two reads of one element are one number, which lies in the clamp of the variable: `facts_of`.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..variables import REPLICA, RuntimeVariable, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...numbers import Interval, Value

_HELD: Final = frozenset(
    {
        *("and", "or", "not", "exists", "implies", "true", "false", "mod", "floor", "ceil"),
        *("floord", "ceild", "min", "max", "infty", "infinity", "NaN", "rat", "coalesce"),
        *("domain", "range", "card"),
    }
)
"""Words of isl's notation."""


class Read(NamedTuple):
    """A number that is read.

    Attributes:
        name: The parameter's.
        source: Its source, with the indices that are numbers, and 0 for the others. None if only its
            name is known.
        holes: The numbers of the indices that depend on the point.
        number: The number that separates reads of equal sources with different indices by the point, and
            variables of one name without a source.
        label: The name of a variable without a source.
    """

    name: str
    source: Source | None
    holes: tuple[int, ...] = ()
    number: int = 0
    label: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """The key that is equal for reads of one number, or with equal indices."""
        if self.source is None:
            return "", self.label, self.number
        return (*self.source.key, self.holes, self.number)

    @property
    def is_replica(self) -> bool:
        """Whether it is the number of the replica that asks."""
        return self.source is not None and self.source.instruction == REPLICA

    @property
    def parameters(self) -> list[str]:
        """The parameters: the number, and its indices that depend on the point."""
        return [self.name, *(f"{self.name}_i{k}" for k in self.holes)]

    @property
    def indices(self) -> list[Value | str]:
        """All its indices: numbers, and the names of parameters."""
        given: Sequence[Value] = () if self.source is None else self.source.indices
        return [f"{self.name}_i{k}" if k in self.holes else x for k, x in enumerate(given)]

    def somewhere(self) -> Read:
        """The read with its replica as the first of its indices."""
        source = self.source
        if source is None or source.elsewhere or self.is_replica:
            return self
        moved = source._replace(indices=(0, *source.indices), elsewhere=True)
        return self._replace(source=moved, holes=(0, *(k + 1 for k in self.holes)))

    def here(self) -> Read:
        """The read on the replica that asks, from a read whose first index is that replica."""
        source = self.source
        if source is None or not source.elsewhere:
            return self
        moved = source._replace(indices=source.indices[1:], elsewhere=False)
        holes = tuple(k - 1 for k in self.holes if k)
        return self._replace(source=moved, holes=holes, number=self.number if holes else 0)


def reads_of(variables: Iterable[RuntimeVariable]) -> list[tuple[Read, tuple[Value, ...]]]:
    """Return the read of each variable, and its indices that depend on the point."""
    found: dict[Any, Read] = {}
    out: list[tuple[Read, tuple[Value, ...]]] = []
    ways: dict[Any, list[Any]] = {}
    for variable in variables:
        source = variable.source
        if source is None:
            numbers = ways.setdefault(variable.name, [])
            numbers.append(variable)
            unknown = Read(variable.name, None, (), len(numbers) - 1, variable.name)
            out.append((_unique(unknown, found), ()))
            continue
        holes = tuple(k for k, x in enumerate(source.indices) if not isinstance(x, int))
        kept = tuple(x if isinstance(x, int) else 0 for x in source.indices)
        skeleton = Read("", source._replace(indices=kept), holes)
        indices = tuple(source.indices[k] for k in holes)
        numbers = ways.setdefault(skeleton.key, [])
        if indices not in numbers:
            numbers.append(indices)
        name = "replica" if source.instruction == REPLICA else source.instruction
        fixed = [str(x) for k, x in enumerate(kept) if k not in holes]
        read = skeleton._replace(name="_".join([name, *fixed]), number=numbers.index(indices))
        out.append((_unique(read, found), indices))
    return out


def _unique(read: Read, found: dict[Any, Read]) -> Read:
    """The read under a valid and unique name in isl's notation."""
    if read.key not in found:
        taken = {name for other in found.values() for name in other.parameters}
        found[read.key] = _with_free_name(read, taken)
    return found[read.key]


def _with_free_name(read: Read, taken: set[str]) -> Read:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", read.name)
    if not re.match(r"[A-Za-z_]", plain) or plain in _HELD or re.fullmatch(r"[desq]\d+", plain):
        plain = f"rt_{plain}"
    name, number = plain, 1
    while not taken.isdisjoint(read._replace(name=name).parameters):
        number += 1
        name = f"{plain}_{number}"
    return read._replace(name=name)


def same_names(reads: Sequence[Read], others: Sequence[Read]) -> list[Read]:
    """Return the other reads, under the names of equal reads among the first, or under free names."""
    names = {read.key: read.name for read in reads}
    out: list[Read] = []
    taken = {name for read in reads for name in read.parameters}
    for read in others:
        known = names.get(read.key)
        fresh = _with_free_name(read, taken) if known is None else read._replace(name=known)
        taken |= set(fresh.parameters)
        out.append(fresh)
    return out


def renumbered(reads: Sequence[Read], others: Sequence[Read]) -> list[Read]:
    """Return the other reads with new numbers, so that those with indices by the point differ."""
    counts: dict[Any, int] = {}
    for read in reads:
        if read.holes:
            base = read._replace(number=0).key
            counts[base] = max(counts.get(base, 0), read.number + 1)
    return [
        read._replace(number=read.number + counts.get(read._replace(number=0).key, 0))
        if read.holes
        else read
        for read in others
    ]


def facts_of(reads: Sequence[Read]) -> list[str]:
    """Return the conditions on the parameters that hold in every run, in isl's notation."""
    facts: list[str] = []
    for read in reads:
        clamp = None if read.source is None else read.source.clamp
        if clamp is not None:
            facts.append(f"{clamp.lower} <= {read.name} <= {clamp.upper}")
    asks = next((read.name for read in reads if read.is_replica), None)
    for a, b in combinations(reads, 2):
        if a.source is None or b.source is None or a.source.instruction != b.source.instruction:
            continue
        at, there = a.indices, b.indices
        if a.source.elsewhere != b.source.elsewhere:  # one is read on the replica that asks
            if asks is None:
                continue
            (at if b.source.elsewhere else there).insert(0, asks)
        if len(at) != len(there):
            continue
        pairs = [(i, j) for i, j in zip(at, there, strict=True) if i != j]
        if any(type(i) is int and type(j) is int for i, j in pairs):
            continue  # two elements
        apart = [f"{i} != {j}" for i, j in pairs]
        same = f"{a.name} = {b.name}"
        if a.source.clamp != b.source.clamp:
            raw = f"{a.name}_or_{b.name}_"
            at_home = [f"{r.name} = {_moved(raw, r.source.clamp if r.source else None)}" for r in (a, b)]
            same = f"exists ({raw}: {' and '.join(at_home)})"
        facts.append(f"({' or '.join([*apart, same])})")
    return facts


def _moved(x: str, clamp: Interval | None) -> str:
    return x if clamp is None else f"min(max({x}, {clamp.lower}), {clamp.upper})"
