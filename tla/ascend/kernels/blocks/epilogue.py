# SPDX-License-Identifier: Apache-2.0
"""Products with an epilogue: cube cores hand each block to their two vector cores, half the rows each.

Source: CATLASS gemm/kernel/matmul_epilogue.hpp, arch/cross_core_sync.hpp; epilogue/block/
block_epilogue_elemwise_one_source.hpp.
"""
# ruff: noqa: N803, N806 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....layouts import get_tile
from ....numbers import ceil_div
from ...tags import make_layout_in_ub
from ..places import store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE, block_mmad, problem_of, tiles_of
from .mmad import Flagged

if TYPE_CHECKING:
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent, Pipe
    from ..places import KernelTensor

REVERSE_DEPTH: Final = 15
"""How often a cross-core flag may be set before the other side answers: its counter ends at 15."""


class CrossCoreFlagWithReverse:
    """A flag from core to core, and one back after so many sets. CATLASS's class of the name."""

    def __init__(self, ctx: Context, flag: int, reverse: int, depth: int = REVERSE_DEPTH) -> None:
        self.ctx: Context = ctx
        self.flag: int = flag
        self.reverse: int = reverse
        self.depth: int = depth
        self.count: int = 0

    def set(self, mode: int, pipe: Pipe) -> None:
        """Tell the other side that a pipe is done so far; now and then wait for its answer."""
        self.ctx.cross_core_set_flag(self.flag, mode, pipe)
        if self._is_full():
            self.ctx.cross_core_wait_flag(self.reverse)

    def wait(self, mode: int, pipe: Pipe) -> None:
        """Wait for the other side; now and then answer it."""
        self.ctx.cross_core_wait_flag(self.flag)
        if self._is_full():
            self.ctx.cross_core_set_flag(self.reverse, mode, pipe)

    def _is_full(self) -> bool:
        self.count = (self.count + 1) % self.depth
        return self.count == 0


class ElemWiseOneSource(Flagged):
    """D = C + X on a vector core, half of the rows of a block. ``EpilogueAtlasA2ElemWiseOneSource``."""

    def __init__(self, ctx: Context, c: KernelTensor, x: KernelTensor, length: int = 16384) -> None:
        self.ctx = ctx
        self.length: int = length
        self.c: KernelTensor = ctx.alloc("UB", c, (length,))
        self.x: KernelTensor = ctx.alloc("UB", x, (length,))
        self.d: KernelTensor = ctx.alloc("UB", x, (length,))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of the sources and of the result."""
        return [("V_MTE2", 0), ("MTE3_V", 0)]

    def __call__(self, c: KernelTensor, x: KernelTensor, d: KernelTensor) -> None:
        """Add the tiles of a block.

        Args:
            c, x, d: The block of the product, of the other source and of the result.
        """
        ctx = self.ctx
        rows, columns = map(int, c.origin_shape)
        half = int(ceil_div(rows, ctx.sub_block_num))
        first = ctx.sub_block_idx * half
        extents = min(half, rows - first), columns
        is_empty = extents[0] < 1  # a block of one row is the first vector core's
        layout = make_layout_in_ub(store_of(c).element, "RowMajor", max(extents[0], 1), columns)
        ctx.wait_flag("V_MTE2", 0)
        if not is_empty:
            ctx.copy_gm_to_ub(ctx.make_tensor(self.c, layout), get_tile(c, (first, 0), extents))
            ctx.copy_gm_to_ub(ctx.make_tensor(self.x, layout), get_tile(x, (first, 0), extents))
        ctx.set_flag("MTE2_V", 0)
        ctx.wait_flag("MTE2_V", 0)
        ctx.wait_flag("MTE3_V", 0)
        ctx.add(self.d, self.c, self.x, self.length)
        ctx.set_flag("V_MTE2", 0)
        ctx.set_flag("V_MTE3", 0)
        ctx.wait_flag("V_MTE3", 0)
        if not is_empty:
            ctx.copy_ub_to_gm(get_tile(d, (first, 0), extents), ctx.make_tensor(self.d, layout))
        ctx.set_flag("MTE3_V", 0)


@kernel("AtlasA2", core="MIX")
def matmul_add(
    ctx: Context, A: KernelTensor, B: KernelTensor, D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Pingpong<true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>",
    length: int = 16384, depth: int = REVERSE_DEPTH,
) -> None:  # fmt: skip
    """D = A B + D. CATLASS's ``MatmulEpilogue`` with the elementwise sum of one source.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b, d = (np.ones(shape, np.float16) for shape in ((40, 32), (32, 48), (40, 48)))
    >>> run = simulate(matmul_add, a, b, d, l1=(32, 32, 32), l0=(32, 32, 32), cores=2)
    >>> bool((run["D"] == 33).all()), run.findings
    (True, ())

    Args:
        length: The elements of a buffer in UB.
        depth: The blocks after which the cube core waits for the vector cores.
    """
    problem = problem_of(A, B, D)
    C = ctx.workspace("Workspace", D, (problem.m, problem.n))
    finished = CrossCoreFlagWithReverse(ctx, 0, 1, depth)
    tasks = ctx.tasks(swizzle, problem, l1)
    if ctx.is_aic:
        with block_mmad(ctx, policy, A, B, C, l1, l0) as block:
            for task in tasks:
                block(*tiles_of(A, B, task), get_tile(C, task.start[:2], task.shape[:2]))
                finished.set(2, "FIX")
            ctx.pipe_barrier("ALL")
    else:
        with ElemWiseOneSource(ctx, C, D, length) as epilogue:
            for task in tasks:
                finished.wait(2, "MTE3")
                c, d = (get_tile(x, task.start[:2], task.shape[:2]) for x in (C, D))
                epilogue(c, d, d)
            ctx.pipe_barrier("ALL")
