# SPDX-License-Identifier: Apache-2.0
"""Reshapes: the same elements in the same order, under other dims.

>>> from tla.hlo import read_instruction
>>> from tla.indexing import output_to_input
>>> ((m,),) = output_to_input(read_instruction("%r = f32[2,12] reshape(f32[4,6] %x)"))
>>> print(m)
(d0, d1) -> (d0 * 2 + d1 floordiv 6, d1 mod 6), domain: d0 in [0, 1], d1 in [0, 11]

The dims are first cut into runs of equal size, each with the fewest dims. Each run has its own
expressions, so that their numbers stay small.

Source: XLA operation semantics; the runs are those of ``ComputeReshapeIndexing``,
indexing_analysis.cc.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ...numbers import Interval
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import RuntimeVariable, Source, dim, rt
from .movement import expect_fixed, only_input
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...numbers import Value
    from .op import Op
    from .rules import Maps


class Run(NamedTuple):
    """Neighbouring dims of one array, and those of another with as many elements."""

    a: range
    b: range


def runs(a: Sequence[int], b: Sequence[int]) -> Iterator[Run]:
    """Yield the runs of two arrays of as many elements, from the major dims on.

    >>> [(list(run.a), list(run.b)) for run in runs((4, 8, 12), (32, 3, 4))]
    [([0, 1], [0]), ([2], [1, 2])]

    A dim of size 1 belongs to the run before it. No dim is 0. If the numbers of elements differ, the
    last run has all the other dims.
    """
    i = j = 0
    while i < len(a) or j < len(b):
        first, second, held, other = i, j, 1, 1
        while True:
            a_is_short = held < other or (held > other and j == len(b))
            b_is_short = held > other or (held < other and i == len(a))
            if i < len(a) and (i == first or a[i] == 1 or a_is_short):
                held *= a[i]
                i += 1
            elif j < len(b) and (j == second or b[j] == 1 or b_is_short):
                other *= b[j]
                j += 1
            else:
                break
        yield Run(range(first, i), range(second, j))


def place(at: Sequence[Value], sizes: Sequence[Value]) -> Value:
    """Return the row-major place of coordinates: the number of elements before it."""
    total: Value = 0
    for x, n in zip(at, sizes, strict=True):
        total = total * n + x
    return total


def coordinates(at: Value, sizes: Sequence[int]) -> list[Value]:
    """Return the coordinates of a row-major place within the sizes, none of which is 0.

    >>> print(IndexingMap(coordinates(dim(0), (4, 1, 8)), [32]))
    (d0) -> (d0 floordiv 8, 0, d0 mod 8), domain: d0 in [0, 31]
    """
    out: list[Value] = []
    rest = prod(sizes)
    is_first = True
    for n in sizes:
        rest //= n
        x = at // rest
        out.append(x if n > 1 and is_first else x % n)
        is_first = is_first and n == 1
    return out


def reshaped(a: Sequence[int], b: Sequence[int], at: Sequence[Value]) -> list[Value]:
    """Return the index in an array of sizes ``a`` of the element at index ``at`` in one of sizes ``b``.

    >>> print(IndexingMap(reshaped((4, 6), (8, 3), [dim(0), dim(1)]), (8, 3)))
    (d0, d1) -> ((d0 * 3 + d1) floordiv 6, (d0 * 3 + d1) mod 6), domain: d0 in [0, 7], d1 in [0, 2]
    """
    out: list[Value] = []
    for run in runs(a, b):
        sizes = [a[i] for i in run.a]
        others = [b[j] for j in run.b]
        index = [at[j] for j in run.b]
        out += index if sizes == others else coordinates(place(index, others), sizes)
    return out


def reshape_map(a: Sequence[int], b: Sequence[int]) -> IndexingMap:
    """Return the map to an array of sizes ``a`` from one of sizes ``b``, none of which is 0.

    >>> print(reshape_map((4, 6), (8, 3)))
    (d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 3 + d1), domain: d0 in [0, 7], d1 in [0, 2]
    """
    return rewritten(IndexingMap(reshaped(a, b, [dim(j) for j in range(len(b))]), b))


@rule("reshape")
def _reshape(op: Op, output: int) -> Maps:
    sizes, made = only_input(op), op.dims()
    if prod(sizes) != prod(made):
        op.fail(f"the operand has {prod(sizes)} elements, the result {prod(made)}")
    if 0 in made:
        return [[IndexingMap([0] * len(sizes), made)]]
    source, result = (leaf.shape.dynamic_dimensions for leaf in (op.inputs[0], op.outputs[0]))
    for run in runs(sizes, made):
        a = [(sizes[i], source[i]) for i in run.a]
        b = [(made[j], result[j]) for j in run.b]
        if a != b and not _goes_by_bounds(a, b):
            op.refuse("where an element goes depends on sizes at run time")
    return [[reshape_map(sizes, made)]]


def _goes_by_bounds(a: Sequence[tuple[int, bool]], b: Sequence[tuple[int, bool]]) -> bool:
    """Whether the dims of a run, each a size and whether it is dynamic, count as their bounds.

    They do if no dim but the major one may be dynamic, and it is so on both sides. Then the sizes below
    it are known, and the run before this one is as long on both sides too.
    """
    flags, others = ([is_dynamic for n, is_dynamic in dims if n > 1] for dims in (a, b))
    return not any(flags[1:]) and not any(others[1:]) and flags[:1] == others[:1]


@rule("dynamic-reshape")
def _dynamic_reshape(op: Op, output: int) -> Maps:
    """A reshape to sizes that are read: the strides of the result, all but the most minor, are products
    of runtime variables. Of the major dim the size says no more than how many elements there are."""
    made, result = op.dims(), op.outputs[0].shape
    if len(op.inputs) != 1 + len(made) or any(op.sizes(leaf.shape) for leaf in op.inputs[1:]):
        op.fail("it takes an array, and a size for each dim of its result")
    sizes = op.sizes(op.inputs[0].shape)
    if 0 in made or 0 in sizes:
        return [[IndexingMap([0] * len(sizes), made, is_known_empty=True)], *([] for _n in made)]
    expect_fixed(op, 0, _below_major(sizes))
    maps: Maps = [[] for _leaf in op.inputs]
    strides: list[Value] = list(made)
    runtime: list[RuntimeVariable] = []
    constraints: list[tuple[Value, Interval]] = []
    for j in _below_major(made):
        if result.dynamic_dimensions[j]:
            strides[j] = rt(len(runtime))
            constraints.append((strides[j] - dim(j), Interval(1, made[j])))
            source = Source(op.inputs[1 + j].name)
            runtime.append(RuntimeVariable(f"rt{len(runtime)}", Interval(1, made[j]), source))
            maps[1 + j] = [op.to_scalar()]
    at = place([dim(j) for j in range(len(made))], strides)
    results = coordinates(at, sizes)
    constraints.append((at, Interval(0, prod(sizes) - 1)))
    maps[0] = [rewritten(IndexingMap(results, made, (), runtime, constraints))]
    return maps


def _below_major(sizes: Sequence[int]) -> tuple[int, ...]:
    """The dims after the first one that is larger than 1."""
    large = [k for k, n in enumerate(sizes) if n > 1]
    return tuple(range(large[0] + 1, len(sizes))) if large else ()
