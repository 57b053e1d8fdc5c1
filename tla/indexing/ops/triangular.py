# SPDX-License-Identifier: Apache-2.0
"""Factors of triangular form, and solutions with them.

Element ``i, j`` of the lower factor of ``a`` depends on the rows of the lower triangle of ``a`` up to
row ``j``, and on its own row up to column ``j``. The values of the other triangle are not defined, so
they depend on nothing. With a lower ``a``, row ``i`` of the solution ``x`` of ``a x = b`` depends on the
rows of the triangle of ``a``, and of ``b``, up to row ``i``. It does not depend on the diagonal of
``a`` if that counts as 1. An upper triangle runs from the other end, and a transposed one swaps its
indices.

Source: XLA ``operation_semantics``, Cholesky, TriangularSolve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...numbers import Interval
from ..variables import dim, rng
from .building import order, simple_map
from .rules import rule

if TYPE_CHECKING:
    from ...numbers import Value
    from .op import Op
    from .rules import Maps


@rule("cholesky")
def _cholesky(op: Op, output: int) -> Maps:
    op.expect_shape()
    dims, batch = op.dims(output), len(op.dims(output)) - 2
    n = dims[-1]
    first = [dim(k) for k in range(batch)]
    is_lower = op.attribute("lower") == "true"
    i, j = (dim(batch), dim(batch + 1)) if is_lower else (dim(batch + 1), dim(batch))

    def element(row: Value, column: Value) -> list[Value]:
        return [*first, row, column] if is_lower else [*first, column, row]

    row, column = rng(0), rng(1)
    rows_above = simple_map(
        element(row, column), dims, [n, n], order(column, row, j, i, below=max(n, 1))
    )
    below_diagonal = (i - j, Interval(1, n - 1))
    own_row = simple_map(
        element(i, rng(0)), dims, [n], [below_diagonal, *order(rng(0), j, below=max(n, 1))]
    )
    return [[m for m in (rows_above, own_row) if not m.is_known_empty]]


_TRANSPOSED: Final = {"NO_TRANSPOSE": False, "TRANSPOSE": True, "ADJOINT": True}


@rule("triangular-solve")
def _triangular_solve(op: Op, output: int) -> Maps:
    op.expect_shape()
    dims, batch = op.dims(output), len(op.dims(output)) - 2
    on_left = op.attribute("left_side") == "true"
    along = batch if on_left else batch + 1
    transpose = op.attribute("transpose_a", "NO_TRANSPOSE")
    if transpose not in _TRANSPOSED:
        op.fail(f"there is no transpose_a {transpose}")
    # x a = b is a^T x^T = b^T
    is_swapped = _TRANSPOSED[transpose] == on_left
    is_forward = (op.attribute("lower") == "true") != is_swapped
    n = dims[along]
    first = [dim(k) for k in range(batch)]

    def up_to(*ascending: Value) -> list[tuple[Value, Interval]]:
        return order(*(ascending if is_forward else ascending[::-1]), below=max(n, 1))

    i, row, column = dim(along), rng(0), rng(1)
    inside = up_to(column, row, i)
    if op.attribute("unit_diagonal") == "true":
        strict = (row - column if is_forward else column - row, Interval(1, n - 1))
        inside[0 if is_forward else -1] = strict
    a = simple_map([*first, *((column, row) if is_swapped else (row, column))], dims, [n, n], inside)
    results = [*first, *(rng(0) if k == along else dim(k) for k in (batch, batch + 1))]
    b = simple_map(results, dims, [n], up_to(rng(0), i))
    return [[] if a.is_known_empty else [a], [b]]
