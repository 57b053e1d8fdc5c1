# SPDX-License-Identifier: Apache-2.0
"""Split-K: cube cores write the products of slices of K side by side, vector cores add these up.

Source: CATLASS gemm/kernel/splitk_matmul.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING

from ....errors import CapacityError, LayoutError, UnsupportedError
from ....layouts import get_tile
from ....numbers import ceil_div, round_up
from ..places import store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE, Block, Part, multiply, problem_of

if TYPE_CHECKING:
    from ...plans import Policy
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor

_FLAG_AIC_FINISH = 0


@kernel("AtlasA2", core="MIX")
def splitk_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Pingpong<true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str = "SplitkGemmIdentityBlockSwizzle<3,0>",
    splitk: int | None = None, compute_length: int | None = None,
) -> None:  # fmt: skip
    """C = A B in slices of K. CATLASS's ``SplitkMatmul``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b = np.ones((20, 96), np.float16), np.ones((96, 24), np.float16)
    >>> c = np.zeros((20, 24), np.float16)
    >>> run = simulate(splitk_matmul, a, b, c, l1=(32, 32, 32), l0=(32, 32, 32), splitk=3, cores=2)
    >>> bool((run["C"] == 96).all()), run.findings
    (True, ())

    Args:
        splitk: The number of slices; by default that of CATLASS's host.
        compute_length: The sums that a vector core adds up at a time; by default all that UB holds.

    Raises:
        UnsupportedError: C is not RowMajor.
        LayoutError: a slice would be empty.
    """
    problem = problem_of(A, B, C)
    if store_of(C).tag != "RowMajor":
        raise UnsupportedError(f"split-K adds up rows, and C is {store_of(C).tag}", "Take a C of rows.")
    schedule = ctx.schedule(swizzle, problem, l1, splitk)
    if schedule.empty:
        tiles = schedule.loops.k
        raise LayoutError(
            f"K has {tiles} tiles of {schedule.tile.k}, and is cut into {schedule.factor} slices",
            f"A slice without a tile would add what nothing wrote: take at most splitk={tiles}.",
            splitk=schedule.factor,
        )
    m, n, _ = problem
    sums = ctx.arch.accumulator(store_of(A).element, store_of(B).element)
    workspace = ctx.workspace("Workspace", sums, (schedule.factor * m, n))
    if ctx.is_aic:
        part = Part(A, B, workspace)

        def place(block: Block) -> KernelTensor:
            (row, column, _), extents = block.task.start, block.task.shape[:2]
            return get_tile(workspace, (block.task.slice * m + row, column), extents)

        multiply(
            ctx, part, [Block(part, task, 0) for task in schedule.of_core(ctx.group_idx)],
            (policy, l1, l0), place,
            finish=lambda: ctx.cross_core_set_flag(_FLAG_AIC_FINISH, 2, "FIX"),
        )  # fmt: skip
    else:
        ctx.cross_core_wait_flag(_FLAG_AIC_FINISH, 0 if ctx.arch.code == 2201 else 2, "MTE2")
        ctx.cross_core_barrier(0, "MTE3" if ctx.arch.code == 2201 else "MTE2")
        length = ctx.arch.ub // 4 if compute_length is None else compute_length
        reduce_add(ctx, C, workspace, schedule.factor, length)
        ctx.pipe_barrier("ALL")


def add_up(
    ctx: Context, stage: int, loads: list[tuple[KernelTensor, KernelTensor]], parts: list[KernelTensor],
    out: KernelTensor, shape: tuple[int, ...], count: int,
) -> None:  # fmt: skip
    """Load slices to UB, add them onto the first, and store the sums in the type of their place.

    Args:
        stage: The id of the buffer's flags.
        loads: The tiles of UB, each with its source.
        parts: The slices in UB, each of `count` elements.
        out, shape: Where the sums go, and their extents in UB.
    """
    first, of = parts[0], store_of(out).element
    ctx.wait_flag("MTE3_MTE2", stage)
    for to, source in loads:
        ctx.copy_gm_to_ub(to, source)
    ctx.set_flag("MTE2_V", stage)
    ctx.wait_flag("MTE2_V", stage)
    for part in parts[1:]:
        ctx.add(first, first, part, count)
        ctx.pipe_barrier("V")
    result = ctx.make_tensor(first, shape, like=out)
    if of != store_of(first).element:
        ctx.cast(result, first, "CAST_NONE" if of.name == "half" else "CAST_RINT", count)
    ctx.set_flag("V_MTE3", stage)
    ctx.wait_flag("V_MTE3", stage)
    ctx.copy_ub_to_gm(out, result)
    ctx.set_flag("MTE3_MTE2", stage)


def reduce_add(
    ctx: Context, dst: KernelTensor, src: KernelTensor, splitk: int, compute_length: int, stages: int = 1
) -> None:
    """Add up slices, one behind the other in global memory. CATLASS's ``SplitkReduceAdd``.

    Args:
        dst: Where the sums go, rows without gaps.
        compute_length: How many elements a stage of UB has.
    """
    kind, out = store_of(src).element, store_of(dst)
    count = int(dst.layout.cosize)
    slices, whole = ctx.make_tensor(src, (splitk, count)), ctx.make_tensor(dst, (count,))
    buffers = ctx.alloc("UB", kind, (compute_length,), stages)
    for stage in range(stages):
        ctx.set_flag("MTE3_MTE2", stage)
    lanes, align = 256 // kind.bytes_of(1), 32 // out.element.bytes_of(1)
    cores = ctx.block_num * ctx.sub_block_num
    share = max(ceil_div(count // cores, lanes) * lanes, lanes)
    share = int(min(share, compute_length // splitk // lanes * lanes))
    if not share:
        words = f"{compute_length} elements of UB have no room for {lanes} of each of {splitk} slices"
        raise CapacityError(words, needed=splitk * lanes, available=compute_length)
    for turn, start in enumerate(range(ctx.block_idx * share, count, cores * share)):
        stage, length = turn % stages, min(share, count - start)
        pitch = int(round_up(length, align))
        sums = ctx.make_tensor(buffers[stage], (splitk, pitch))
        loads = [(sums, get_tile(slices, (0, start), (splitk, length)))]
        rows = [get_tile(sums, (number, 0), (1, pitch)) for number in range(splitk)]
        add_up(ctx, stage, loads, rows, get_tile(whole, (start,), (length,)), (length,), length)
    for stage in range(stages):
        ctx.wait_flag("MTE3_MTE2", stage)
