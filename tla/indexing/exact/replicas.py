# SPDX-License-Identifier: Apache-2.0
"""Relations to other replicas, in which the replica that asks is a parameter, or one more dim.

A relation has the replica that asks as a parameter, and the one that is read as its last result. For an
inverse or a composition both must be numbers of the pair. `replica_as_dim` does that, and
`replica_as_parameter` undoes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...numbers import Interval
from ..variables import REPLICA, RuntimeVariable, Source
from .budget import context, isl
from .building import tuple_text
from .parts import Part, condition, with_names, without_parameters
from .reads import Read, reads_of, same_names

if TYPE_CHECKING:
    from collections.abc import Sequence

ASKS = RuntimeVariable("replica", Interval(0, 0), Source(REPLICA))
"""The replica that asks, with any bounds."""


def with_replica(a: Part) -> Part:
    """Return the part with the replica that is read as the last result: the one that asks."""
    if a.has_replica:
        return a
    name, reads = _asking(a.reads)
    last = a.n_results
    head = f"{tuple_text('d', a.n_dims)} -> {tuple_text('e', last + 1)}"
    own = isl().Map.read_from_str(context(), f"[{name}] -> {{ {head} : e{last} = {name} }}")
    return Part(a.pairs.add_dims(isl().dim_type.out, 1).intersect(own), reads, True)


def replica_as_dim(a: Part) -> Part:
    """Return the part with the replica that asks as the last dim, not as a parameter.

    Its reads then have the replica as one of their indices.
    """
    a = with_replica(a)
    kind = isl().dim_type
    moved: list[Read] = []
    for read in a.reads:
        moved.append(_apart(read.somewhere(), moved))
    moved = same_names((), moved)
    names: dict[str, str] = {}
    on: list[str] = []  # the new indices
    for old, new in zip(a.reads, moved, strict=True):
        parameters = new.parameters
        if old.holes != new.holes:
            on.append(parameters.pop(1))
        names.update(zip(old.parameters, parameters, strict=True))
    pairs = with_names(a.pairs, names)
    asks, reads = _asking(moved)
    for name in on:
        pairs = pairs.intersect_params(condition([asks, name], f"{asks} = {name}"))
    place = pairs.find_dim_by_name(kind.param, asks)
    if place < 0:
        return Part(pairs.add_dims(kind.in_, 1), reads, True)
    return Part(pairs.move_dims(kind.in_, a.n_dims, kind.param, place, 1), reads, True)


def replica_as_parameter(pairs: Any, reads: Sequence[Read]) -> Part:
    """Return the part of pairs whose last dim is the replica that asks: that becomes a parameter."""
    kind = isl().dim_type
    asks, all_reads = _asking(reads)
    place, last = pairs.dim(kind.param), pairs.dim(kind.in_) - 1
    pairs = pairs.move_dims(kind.param, place, kind.in_, last, 1).set_dim_name(kind.param, place, asks)
    home = {read: _is_here(pairs, read, asks) for read in all_reads}
    kept = [read for read in all_reads if not home[read]]
    for read in all_reads:
        if not home[read]:
            continue
        pairs = without_parameters(pairs, read.parameters[1:2])
        fresh = read.here()
        twin = next((other for other in kept if other.key == fresh.key), None)
        if twin is not None and not fresh.holes:  # one number, read by both
            same = condition([twin.name, fresh.name], f"{twin.name} = {fresh.name}")
            pairs = without_parameters(pairs.intersect_params(same), [fresh.name])
            continue
        pairs = with_names(pairs, dict(zip(read.parameters[2:], fresh.parameters[1:], strict=True)))
        kept.append(_apart(fresh, kept))
    return Part(pairs, tuple(kept), True)


def _asking(reads: Sequence[Read]) -> tuple[str, tuple[Read, ...]]:
    """The parameter of the replica that asks, and the reads with it among them."""
    for read in reads:
        if read.is_replica:
            return read.name, tuple(reads)
    ((own, _indices),) = reads_of([ASKS])
    (fresh,) = same_names(reads, [own])
    return fresh.name, (*reads, fresh)


def _is_here(pairs: Any, read: Read, asks: str) -> bool:
    """Whether a read on any replica is always on the replica that asks."""
    if read.source is None or not read.source.elsewhere or 0 not in read.holes:
        return False
    on = read.parameters[1]
    here: bool = pairs.is_subset(pairs.intersect_params(condition([asks, on], f"{asks} = {on}")))
    return here


def _apart(read: Read, others: Sequence[Read]) -> Read:
    """The read with a number that no other read of its kind has."""
    while any(read.key == other.key for other in others):
        read = read._replace(number=read.number + 1)
    return read
