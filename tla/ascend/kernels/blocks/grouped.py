# SPDX-License-Identifier: Apache-2.0
"""Several products in one kernel: groups of rows of A, each with its own B.

Source: CATLASS gemm/kernel/grouped_matmul_slice_m.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....layouts import get_tile
from ...shapes import GemmShape
from ..simulation import kernel
from .matmul import block_mmad, tiles_of

if TYPE_CHECKING:
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor

_L1_TILE: Final = GemmShape(256, 128, 256)
_L0_TILE: Final = GemmShape(256, 128, 64)


@kernel("AtlasA2", core="AIC")
def grouped_matmul_slice_m(
    ctx: Context, GroupList: KernelTensor, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsync<1,2,2,4,1,true,true>", l1: ShapeLike = _L1_TILE,
    l0: ShapeLike = _L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B[group] for the rows of each group. CATLASS's ``GroupedMatmulSliceM``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, c = np.ones((40, 32), np.float16), np.zeros((40, 16), np.float16)
    >>> b = np.arange(3, dtype=np.float16).repeat(32 * 16)
    >>> ends = np.array([10, 10, 40])
    >>> b = gm(b, "RowMajor<half>(32,16,batch=3)")
    >>> run = simulate(grouped_matmul_slice_m, ends, a, b, c, cores=2)
    >>> np.unique(run["C"][:10]).tolist(), np.unique(run["C"][10:]).tolist(), run.findings
    ([0.0], [64.0], ())

    Args:
        GroupList: The row behind the last of each group.
        B: One matrix behind the other.
    """
    n, k, first, turn = int(B.origin_shape[2]), int(A.origin_shape[1]), 0, 0
    with block_mmad(ctx, policy, A, B, C, l1, l0) as block:
        for group in range(int(GroupList.origin_shape[0])):
            end = ctx.get_value(GroupList, group)
            if group:
                first = ctx.get_value(GroupList, group - 1)
            if first < end:
                a, c = (get_tile(x, (first, 0), (end - first, int(x.origin_shape[1]))) for x in (A, C))
                schedule = ctx.schedule(swizzle, (end - first, n, k), l1)
                for task in schedule.of_core((ctx.block_idx - turn) % ctx.block_num):
                    tiles = tiles_of(a, B[group, None, None], task)
                    block(*tiles, get_tile(c, task.start[:2], task.shape[:2]))
                turn += schedule.count
        block.finish()
        ctx.pipe_barrier("ALL")
