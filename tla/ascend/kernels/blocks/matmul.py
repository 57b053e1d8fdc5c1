# SPDX-License-Identifier: Apache-2.0
"""Kernels of whole products, as CATLASS's gemm/kernel: C = A B, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....errors import CongruenceError
from ....layouts import get_tile
from ...shapes import GemmShape, gemm_shape
from ..simulation import kernel
from .pingpong import L0_TILE, L1_TILE, MmadPingpong

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor


def problem_of(a: KernelTensor, b: KernelTensor, c: KernelTensor) -> GemmShape:
    """Return the extents of a product.

    Raises:
        CongruenceError: the matrices do not fit each other.
    """
    (m, k), (depth, n), (rows, columns) = (map(int, x.origin_shape) for x in (a, b, c))
    if k != depth or (m, n) != (rows, columns):
        raise CongruenceError(
            f"A is {m} by {k}, B {depth} by {n}, and C {rows} by {columns}",
            f"C = A B of such A and B would be {m} by {n}." if k == depth else f"{k} is not {depth}.",
        )
    return GemmShape(m, n, k)


def _matmul(
    ctx: Context,
    A: KernelTensor,
    B: KernelTensor,
    C: KernelTensor,
    l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
    block_mmad: Callable[..., Any] = MmadPingpong,
    **policy: Any,
) -> None:
    l1 = gemm_shape(l1)
    with block_mmad(ctx, A, B, C, l1, l0, **policy) as mmad:
        for task in ctx.tasks(swizzle, problem_of(A, B, C), l1):
            (m, n, _), (rows, columns, k) = task.start, task.shape
            mmad(
                get_tile(A, (m, 0), (rows, k)),
                get_tile(B, (0, n), (k, columns)),
                get_tile(C, (m, n), (rows, columns)),
            )
        ctx.pipe_barrier("ALL")


matmul = kernel("AtlasA2", core="AIC")(_matmul)
