# SPDX-License-Identifier: Apache-2.0
"""Scans: a computation that runs along a dim and passes its carries from step to step.

A step reads a slice of every input, without that dim, and the carries; it makes a slice of
every output and the next carries. So an element of an output depends on the slices up to its own, and on
the initial carries; if the scan is reversed, on the slices from its own. XLA's maps say that it depends
only on its own slice.

The computation may be known, and each carry may depend on no carry but the element of itself at the same
place. Then the maps are those of the computation, with these slices:

===========================  ==========================================================
through                      slices
===========================  ==========================================================
the computation alone        the own one
a carry that is kept         all before it
a carry that is made anew    the one before it
===========================  ==========================================================

For any other computation, every element may depend on all its arguments.

Source: XLA ``ScanExpander``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...numbers import Interval
from ..compose import compose
from ..making import Constraint
from ..places import placed
from ..variables import dim, rng
from .building import lines, number, simple_map
from .calls import inner_maps
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...numbers import Symbol, Value
    from ..maps import IndexingMap
    from .op import Op
    from .rules import Maps


class Scan(NamedTuple):
    """The form of a scan.

    Attributes:
        axis: The dim along which it runs.
        steps: The size of that dim.
        is_reverse: Whether it begins at the end.
        inputs: The number of operands that are inputs; the others are initial carries.
        outputs: The number of results that are outputs; the others are the last carries.
    """

    axis: int
    steps: int
    is_reverse: bool
    inputs: int
    outputs: int

    def ages(self, of: Value, low: int, high: int) -> Constraint:
        """Return the constraint that a slice is ``low`` to ``high`` steps before that of the output."""
        own = dim(self.axis)
        return Constraint(of - own if self.is_reverse else own - of, Interval(low, high))

    def numbers(self, low: int, high: int) -> Constraint:
        """Return the constraint that the output is of step ``low`` to ``high``, counted from 0."""
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
        op.fail(f"its inputs and outputs have not one number of steps along dim {axis}")
    is_reverse = op.attribute("is_reverse") == "true"
    scan = Scan(axis, steps.pop(), is_reverse, inputs, outputs)
    own = inputs + output - outputs
    if scan.steps == 0 and own >= inputs:  # the initial carry
        return [[op.identity(output)] if i == own else [] for i in range(len(op.inputs))]
    inner = inner_maps(op, len(op.inputs), len(op.outputs))
    kept = None if inner is None else _self_carries(op, scan, inner)
    if inner is None or kept is None:
        return _of_any(op, scan, output)
    maps = _maps_of_known(op, scan, output, inner, kept)
    return [[m for m in each if not m.is_known_empty] for each in maps]


# --- a computation of which nothing is known --------------------------------------------------


def _of_any(op: Op, scan: Scan, output: int) -> Maps:
    dims = op.dims(output)
    maps: Maps = []
    for i, leaf in enumerate(op.inputs):
        sizes = op.sizes(leaf.shape)
        if scan.inputs == len(op.inputs):  # there are no carries
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


def _self_carries(op: Op, scan: Scan, inner: list[Maps]) -> list[bool] | None:
    """For each carry whether it depends on itself; None if a carry depends on another element."""
    if any(m.is_undefined or m.runtime or m.replica for maps in inner for each in maps for m in each):
        return None
    kept: list[bool] = []
    for c, maps in enumerate(inner[scan.outputs :]):
        for other, each in enumerate(maps[scan.inputs :]):
            if each and (other != c or each != [op.identity(scan.outputs + c)]):
                return None
        kept.append(bool(maps[scan.inputs + c]))
    return kept


def _maps_of_known(op: Op, scan: Scan, output: int, inner: list[Maps], kept: list[bool]) -> Maps:
    direct, end = inner[output], scan.steps - 1
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
        through = _through(scan, direct, inner, kept, i)
        maps[i] = [map_of(m, own_step) for m in own if m not in through]
        for m in through:
            age = scan.ages(rng(len(m.ranges)), 0 if m in own else 1, end)
            maps[i].append(map_of(m, None, age))
        renewed = _through(scan, direct, inner, [not keeps for keeps in kept], i)
        maps[i] += [map_of(m, step_before, scan.numbers(1, end)) for m in renewed]
    for c, keeps in enumerate(kept):
        made_then = scan.numbers(0, end if keeps else 0)
        for m in direct[scan.inputs + c]:
            of = _of_output(scan, m)
            maps[scan.inputs + c].append(of.with_parts(constraints=[*of.constraints, made_then]))
    return maps


def _through(
    scan: Scan, direct: Maps, inner: list[Maps], through: list[bool], i: int
) -> dict[IndexingMap, None]:
    """The maps of slices to input ``i`` through some of the carries."""
    return {
        compose(first, second): None
        for c, each in enumerate(direct[scan.inputs :])
        if through[c]
        for first in each
        for second in inner[scan.outputs + c][i]
    }


def _of_output(scan: Scan, m: IndexingMap) -> IndexingMap:
    """The map of a slice as a map of the output, which has the scan's dim too."""
    values: dict[Symbol, Value] = {
        dim(k).symbols[0]: dim(k + (k >= scan.axis)) for k in range(len(m.dims))
    }
    dims = [v.bounds for v in m.dims]
    dims.insert(scan.axis, Interval(0, scan.steps - 1))
    return placed(m, values, dims, [v.bounds for v in m.ranges], ())


def _of_slice(
    scan: Scan, m: IndexingMap, step: Value | None, where: Iterable[Constraint]
) -> IndexingMap:
    """The map to elements of a slice as a map to those of the input, at one step or at every step."""
    results = list(m.results)
    results.insert(scan.axis, rng(len(m.ranges)) if step is None else step)
    ranges = [v.bounds for v in m.ranges]
    if step is None:
        ranges.append(Interval(0, scan.steps - 1))
    return simple_map(results, [v.bounds for v in m.dims], ranges, [*m.constraints, *where])
