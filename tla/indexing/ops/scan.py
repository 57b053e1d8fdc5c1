"""Scans: a computation that runs along a dim and hands on what it carries.

A step reads a slice of every input, without that dim, and the carries; it makes a slice of
every output and the next carries. So an element of an output depends on slices up to its own, or from
its own where the scan is reversed, and on the initial carries. XLA's maps say that it depends on its
own slice alone.

Where the computation is known, and makes each carry from the element of that carry at the same place, or
from none, and from no other carry, the maps are those of the computation: with

===========================  ==========================================================
through                      slices
===========================  ==========================================================
the computation alone        the own one
a carry that is kept         all before it
a carry that is made anew    the one before it
===========================  ==========================================================

Of any other computation every element may depend on all that it is handed.

Source: XLA ``ScanExpander``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...numbers import Interval
from ..compose import compose
from ..making import Constraint
from ..places import placed
from ..variables import dim, rng
from .building import lines, number, settled
from .inner import inner_maps
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...numbers import Symbol, Value
    from ..maps import IndexingMap
    from .op import Op
    from .rules import Maps


class Scan(NamedTuple):
    """How a scan runs.

    Attributes:
        axis: The dim it runs along.
        steps: The size of that dim.
        is_reverse: Whether it begins at the end.
        inputs: How many of its operands are inputs; the others are initial carries.
        outputs: How many of its results are outputs; the others are the last carries.
    """

    axis: int
    steps: int
    is_reverse: bool
    inputs: int
    outputs: int

    def ages(self, of: Value, low: int, high: int) -> Constraint:
        """Return that a slice lies from ``low`` to ``high`` steps before that of the output."""
        own = dim(self.axis)
        return Constraint(of - own if self.is_reverse else own - of, Interval(low, high))

    def numbers(self, low: int, high: int) -> Constraint:
        """Return that the output is made in step ``low`` to ``high``, counted from 0."""
        ends = (low, high)
        if self.is_reverse:
            ends = (self.steps - 1 - high, self.steps - 1 - low)
        return Constraint(dim(self.axis), Interval(*ends))


@rule("scan")
def _scan(op: Op, output: int) -> Maps:
    carries = number(op, "num_carries", below=min(len(op.inputs), len(op.outputs)) + 1)
    inputs, outputs = len(op.inputs) - carries, len(op.outputs) - carries
    arrays = [op.sizes(leaf.shape) for leaf in (*op.inputs[:inputs], *op.outputs[:outputs])]
    axis = number(op, "dimensions", below=min(map(len, arrays), default=0))
    steps = {sizes[axis] for sizes in arrays}
    if len(steps) != 1:
        op.refuse(f"its inputs and outputs have not one number of steps along dim {axis}")
    is_reverse = op.attribute("is_reverse") == "true"
    scan = Scan(axis, steps.pop(), is_reverse, inputs, outputs)
    own = inputs + output - outputs
    if scan.steps == 0 and own >= inputs:  # the carry as it was
        return [[op.identity(output)] if i == own else [] for i in range(len(op.inputs))]
    found = inner_maps(op, len(op.inputs), len(op.outputs))
    kept = None if found is None else _kept(op, scan, found)
    if found is None or kept is None:
        return _of_any(op, scan, output)
    maps = _maps_of_known(op, scan, output, found, kept)
    return [[m for m in each if not m.is_known_empty] for each in maps]


# --- a computation of which nothing is known --------------------------------------------------


def _of_any(op: Op, scan: Scan, output: int) -> Maps:
    dims = op.dims(output)
    maps: Maps = []
    for i, leaf in enumerate(op.inputs):
        sizes = op.sizes(leaf.shape)
        if scan.inputs == len(op.inputs):  # nothing is handed on
            own = [scan.axis if k == scan.axis else None for k in range(len(sizes))]
            maps.append([lines(dims, sizes, own)])
            continue
        whole = lines(dims, sizes, [None] * len(sizes))
        if i < scan.inputs and output < scan.outputs and scan.steps > 1:
            up_to = scan.ages(whole.results[scan.axis], 0, scan.steps - 1)
            whole = whole.with_parts(constraints=[up_to])
        maps.append([whole])
    return maps


# --- a computation that is known --------------------------------------------------------------


def _kept(op: Op, scan: Scan, found: list[Maps]) -> list[bool] | None:
    """For each carry whether it is made from itself; None where carries are made in another way."""
    if any(m.is_undefined or m.runtime or m.replica for maps in found for each in maps for m in each):
        return None
    kept: list[bool] = []
    for c, maps in enumerate(found[scan.outputs :]):
        for other, each in enumerate(maps[scan.inputs :]):
            if each and (other != c or each != [op.identity(scan.outputs + c)]):
                return None
        kept.append(bool(maps[scan.inputs + c]))
    return kept


def _maps_of_known(op: Op, scan: Scan, output: int, found: list[Maps], kept: list[bool]) -> Maps:
    direct, end = found[output], scan.steps - 1
    maps: Maps = [[] for _leaf in op.inputs]
    if output >= scan.outputs:
        carry = output - scan.outputs
        last = 0 if scan.is_reverse else end
        for i in range(scan.inputs):
            maps[i] = [_of_slice(scan, m, None if kept[carry] else last, ()) for m in direct[i]]
        maps[scan.inputs + carry] = [op.identity(output)] if kept[carry] else []
        return maps

    def map_of(m: IndexingMap, step: Value | None, *where: Constraint) -> IndexingMap:
        return _of_slice(scan, _of_output(scan, m), step, where)

    own_step = dim(scan.axis)
    step_before = own_step + (1 if scan.is_reverse else -1)
    for i in range(scan.inputs):
        own = dict.fromkeys(direct[i])
        through = _through(scan, direct, found, kept, i)
        maps[i] = [map_of(m, own_step) for m in own if m not in through]
        for m in through:
            age = scan.ages(rng(len(m.ranges)), 0 if m in own else 1, end)
            maps[i].append(map_of(m, None, age))
        renewed = _through(scan, direct, found, [not keeps for keeps in kept], i)
        maps[i] += [map_of(m, step_before, scan.numbers(1, end)) for m in renewed]
    for c, keeps in enumerate(kept):
        made_then = scan.numbers(0, end if keeps else 0)
        for m in direct[scan.inputs + c]:
            of = _of_output(scan, m)
            maps[scan.inputs + c].append(of.with_parts(constraints=[*of.constraints, made_then]))
    return maps


def _through(
    scan: Scan, direct: Maps, found: list[Maps], through: list[bool], i: int
) -> dict[IndexingMap, None]:
    """The maps of slices to input ``i`` through some of the carries."""
    return {
        compose(first, second): None
        for c, each in enumerate(direct[scan.inputs :])
        if through[c]
        for first in each
        for second in found[scan.outputs + c][i]
    }


def _of_output(scan: Scan, m: IndexingMap) -> IndexingMap:
    """The map of a slice as one of the output: with the dim it is scanned along."""
    values: dict[Symbol, Value] = {
        dim(k).symbols[0]: dim(k + (k >= scan.axis)) for k in range(len(m.dims))
    }
    dims = [v.bounds for v in m.dims]
    dims.insert(scan.axis, Interval(0, scan.steps - 1))
    return placed(m, values, dims, [v.bounds for v in m.ranges], ())


def _of_slice(
    scan: Scan, m: IndexingMap, step: Value | None, where: Iterable[Constraint]
) -> IndexingMap:
    """The map to elements of a slice as one to those of the input, at a step, or at each of them."""
    results = list(m.results)
    results.insert(scan.axis, rng(len(m.ranges)) if step is None else step)
    ranges = [v.bounds for v in m.ranges]
    if step is None:
        ranges.append(Interval(0, scan.steps - 1))
    return settled(results, [v.bounds for v in m.dims], ranges, [*m.constraints, *where])
