# SPDX-License-Identifier: Apache-2.0
"""Reductions over whole dims, and the common part of all reductions.

A reduction has inputs, and an initial value for each. Its computation combines the results so far with
the next elements: parameter ``i`` is result ``i``, and parameter ``count + i`` is an element of input
``i``. So a result depends on its inputs in the computation, and in turn on the inputs of these.

The reduced dims are ranges, in the order of the input's dims and not of the attribute, as in XLA.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .building import lines
from .calls import read_parameters
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..maps import IndexingMap
    from .op import Op
    from .rules import Maps


@rule("reduce")
def _reduce(op: Op, output: int) -> Maps:
    op.expect_shape()
    sizes, dims = op.sizes(op.inputs[0].shape), op.dims(output)
    reduced = op.ints("dimensions")
    kept = [k for k in range(len(sizes)) if k not in reduced]
    places = [None if k in reduced else kept.index(k) for k in range(len(sizes))]
    nothing = any(sizes[k] == 0 for k in reduced)
    return inputs_and_inits(op, output, lines(dims, sizes, places), nothing)


def inputs_and_inits(op: Op, output: int, elements: IndexingMap, nothing: bool = False) -> Maps:
    """Return the maps of a reduction.

    Args:
        elements: The map to the elements of each input.
        nothing: Whether there are no elements, so that a result is its initial value.
    """
    count = len(op.inputs) // 2
    used = {output} if nothing else _used(op, output, count)
    inits = [[op.to_scalar(output)] if i in used else [] for i in range(count)]
    return [[elements] if i in used else [] for i in range(count)] + inits


def _used(op: Op, output: int, count: int) -> Collection[int]:
    """The inputs on which an output depends.

    >>> from tla.hlo import read_module
    >>> from tla.indexing.fusion import op_of
    >>> module = read_module('''HloModule m
    ... add { a = f32[] parameter(0)  b = s32[] parameter(1)
    ...   c = f32[] parameter(2)  d = s32[] parameter(3)
    ...   e = f32[] add(a, c)  f = s32[] add(b, d)  ROOT g = (f32[], s32[]) tuple(e, f) }
    ... ENTRY e { x = f32[9] parameter(0)  y = s32[9] parameter(1)  i = f32[] parameter(2)
    ...   j = s32[] parameter(3)
    ...   ROOT r = (f32[], s32[]) reduce(x, y, i, j), dimensions={0}, to_apply=add }''')
    >>> _used(op_of(module.entry.root), 1, 2)
    {1}
    """
    read = read_parameters(op, 2 * count, count) if count > 1 else None
    if read is None:
        return range(count)
    used, todo = {output}, [output]
    while todo:
        for parameter in read[todo.pop()]:
            if parameter % count not in used:
                used.add(parameter % count)
                todo.append(parameter % count)
    return used
