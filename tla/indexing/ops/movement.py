# SPDX-License-Identifier: Apache-2.0
"""Ops that put the elements of arrays at other places: one dim of the result for one of an operand.

=============  =================================================================================
op             dim ``k`` of the operand, at element ``d`` of the result
=============  =================================================================================
broadcast      ``d[dimensions[k]]``
transpose      ``d[j]`` with ``dimensions[j] == k``
reverse        ``size - 1 - d[k]`` where ``k`` is one of the ``dimensions``
slice          ``d[k] * stride + start``
concatenate    ``d[k]`` minus the sizes of the operands before, if ``k`` is the dim of ``dimensions``
=============  =================================================================================

A dynamic dim counts as its bound if its size makes no difference.
Source: XLA operation semantics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ground import int_in, plural
from ..maps import IndexingMap
from ..variables import dim
from .building import behind_each_other, expect
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps


def only_input(op: Op) -> tuple[int, ...]:
    """Return the dims of the only operand, an array.

    >>> from tla.hlo import read_instruction
    >>> from tla.indexing.ops import Op
    >>> only_input(Op(read_instruction("%r = f32[2,3] reverse(f32[2,3] %x), dimensions={0}")))
    (2, 3)

    Raises:
        MalformedError: there are more operands, or none.
    """
    expect(op, 1)
    return op.sizes(op.inputs[0].shape)


def expect_sizes(op: Op, sizes: tuple[int, ...]) -> None:
    """Raise an error unless the result has the dims that the operands give.

    Raises:
        MalformedError: it has others.
    """
    if op.dims() != sizes:
        written = ",".join(map(str, sizes))
        op.fail(f"its operands make [{written}], and its result is {op.outputs[0].shape}")


def expect_fixed(op: Op, which: int, dims: tuple[int, ...]) -> None:
    """Raise an error if the places of the elements depend on the size of a dynamic dim.

    Raises:
        UnsupportedError: one of the dims of that input is dynamic.
    """
    shape = op.inputs[which].shape
    for k in dims:
        if shape.dynamic_dimensions[k]:
            op.refuse(f"where an element goes depends on the size of dim {k} of {shape} at run time")


def _expect_dims(op: Op, dims: tuple[int, ...], rank: int) -> None:
    written = f"dimensions={op.attribute('dimensions')}"
    for k in dims:
        if not 0 <= k < rank:
            op.fail(f"{written} names dim {k}, and the array has {plural(rank, 'dim')}, from 0 on")
        if dims.count(k) > 1:
            op.fail(f"{written} has {k} twice")


# --- one operand ------------------------------------------------------------------------------


@rule("broadcast")
def _broadcast(op: Op, output: int) -> Maps:
    sizes, dims, made = only_input(op), op.ints("dimensions"), op.dims()
    _expect_dims(op, dims, len(made))
    if len(dims) != len(sizes):
        if not dims:
            op.fail("it has no dimensions={...}, the dim of the result for each dim of the operand")
        written = f"dimensions={op.attribute('dimensions')}"
        op.fail(f"{written} name {plural(len(dims), 'dim')}, the operand has {len(sizes)}")
    for k, (j, n) in enumerate(zip(dims, sizes, strict=True)):
        if made[j] != n:
            op.fail(f"dim {k} of the operand has {n}, dim {j} of the result has {made[j]}")
    return [[IndexingMap([dim(j) for j in dims], made)]]


@rule("transpose")
def _transpose(op: Op, output: int) -> Maps:
    sizes = only_input(op)
    dims = op.ints("dimensions", None if sizes else ())
    _expect_dims(op, dims, len(sizes))
    if len(dims) != len(sizes):
        left_out = ", ".join(str(k) for k in range(len(sizes)) if k not in dims)
        written = op.attribute("dimensions", "{}")
        op.fail(f"dimensions={written} leaves out {left_out}: a transpose needs each dim once")
    expect_sizes(op, tuple(sizes[k] for k in dims))
    return [[IndexingMap([dim(dims.index(k)) for k in range(len(dims))], op.dims())]]


@rule("reverse")
def _reverse(op: Op, output: int) -> Maps:
    sizes, dims = only_input(op), op.ints("dimensions")
    _expect_dims(op, dims, len(sizes))
    expect_sizes(op, sizes)
    expect_fixed(op, 0, dims)
    results = [n - 1 - dim(k) if k in dims else dim(k) for k, n in enumerate(sizes)]
    return [[IndexingMap(results, sizes)]]


_RANGE = re.compile(r"\[\s*(\d+)\s*:\s*(\d+)\s*(?::\s*(\d+)\s*)?\]")


@rule("slice")
def _slice(op: Op, output: int) -> Maps:
    sizes = only_input(op)
    found = _RANGE.findall(op.attribute("slice"))
    ranges = [(int_in(start), int_in(limit), int_in(stride or "1")) for start, limit, stride in found]
    if len(ranges) != len(sizes) or any(
        not (start <= limit <= n and stride)
        for (start, limit, stride), n in zip(ranges, sizes, strict=True)
    ):
        if not found:
            op.fail("it has no slice={[start:limit], ...}")
        op.fail(f"slice={op.attribute('slice')} does not fit {op.inputs[0].shape}")
    expect_sizes(op, tuple(len(range(*each)) for each in ranges))
    results = [dim(k) * stride + start for k, (start, _limit, stride) in enumerate(ranges)]
    return [[IndexingMap(results, op.dims())]]


# --- several ----------------------------------------------------------------------------------


@rule("concatenate")
def _concatenate(op: Op, output: int) -> Maps:
    along = op.ints("dimensions", None)
    made = op.dims()
    _expect_dims(op, along, len(made))
    if len(along) != 1:
        op.fail("its dimensions do not name the one dim along which arrays are joined")
    (c,) = along
    parts = [op.sizes(leaf.shape) for leaf in op.inputs]
    for i, (leaf, sizes) in enumerate(zip(op.inputs, parts, strict=True)):
        if sizes[:c] + sizes[c + 1 :] != made[:c] + made[c + 1 :]:
            op.fail(f"operand {leaf} is {leaf.shape}, its result {op.outputs[0].shape}")
        if i + 1 < len(op.inputs):
            expect_fixed(op, i, (c,))
    expect_sizes(op, (*made[:c], sum(sizes[c] for sizes in parts), *made[c + 1 :]))
    return behind_each_other(made, c, [sizes[c] for sizes in parts])
