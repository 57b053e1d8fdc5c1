# SPDX-License-Identifier: Apache-2.0
"""Stream-K: cores share the last blocks along K, and vector cores add up their parts.

Source: CATLASS gemm/kernel/streamk_matmul.hpp, gemm/block/block_mmad_streamk.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING

from ....errors import CapacityError, UnsupportedError
from ....layouts import get_tile
from ....numbers import ceil_div, round_up
from ...plans import policy as policy_named
from ...schedules import swizzle as swizzle_named
from ...shapes import gemm_shape
from ..places import store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE, block_mmad, problem_of, tiles_of
from .splitk import add_up

if TYPE_CHECKING:
    from ...plans import Policy
    from ...schedules import Task
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor


@kernel("AtlasA2", core="MIX")
def streamk_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Streamk<true,true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str = "StreamkGemmIdentityBlockSwizzle<3,1>",
    compute_length: int | None = None,
) -> None:  # fmt: skip
    """C = A B, the last blocks cut along K so that all cores have work.

    CATLASS's ``StreamkMatmul``, ``StreamkMatmulTla``; by its swizzle ``TailMultiCoreSplitkMatmulTla``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b = np.ones((80, 128), np.float16), np.ones((128, 24), np.float16)
    >>> c = np.zeros((80, 24), np.float16)
    >>> run = simulate(streamk_matmul, a, b, c, l1=(32, 32, 32), l0=(32, 32, 32), cores=2)
    >>> bool((run["C"] == 128).all()), run.findings
    (True, ())

    Raises:
        UnsupportedError: C is not RowMajor.
    """
    if store_of(C).tag != "RowMajor":
        raise UnsupportedError(f"stream-K adds up rows, and C is {store_of(C).tag}", "Take a C of rows.")
    l1, is_old = gemm_shape(l1), policy_named(policy).family.api == "legacy"
    order, flag = swizzle_named(swizzle), int(is_old)
    slots = 1 if order.name.startswith("Tail") else 2  # the end of a block, and the next one's head
    schedule = ctx.schedule(order, problem_of(A, B, C), l1)
    sums = ctx.arch.accumulator(store_of(A).element, store_of(B).element)
    workspace = ctx.workspace("Workspace", sums, (slots * l1.m * ctx.block_num, l1.n))
    parts: dict[int, tuple[Task, KernelTensor]] = {}
    for core in range(ctx.block_num):
        shared = [task for task in schedule.of_core(core) if task.partial]
        for slot, task in enumerate(shared):
            at = (slots * core + slot) * l1.m
            parts[task.number] = task, get_tile(workspace, (at, 0), task.shape[:2])
    if ctx.is_aic:
        tasks = schedule.of_core(ctx.group_idx)
        count = sum(task.partial for task in tasks)
        with block_mmad(ctx, policy, A, B, C, l1, l0) as block:
            if not count:
                ctx.cross_core_set_flag(flag, 2, "FIX")
            for task, after in zip(tasks, [*tasks[1:], None], strict=False):
                c = get_tile(C, task.start[:2], task.shape[:2])
                c = parts[task.number][1] if task.partial else c
                is_cross = task.partial and after is not None and after.partial
                block(
                    *tiles_of(A, B, task),
                    c,
                    None if is_cross or after is None else tiles_of(A, B, after),
                )
                count -= task.partial
                if task.partial and not count:
                    ctx.cross_core_set_flag(flag, 2, "FIX")
            ctx.pipe_barrier("ALL")
    else:
        ctx.cross_core_wait_flag(flag, 0 if is_old else 2, "S" if is_old else "MTE2")
        ctx.cross_core_barrier(0, "MTE2")
        if slots == 1 and not any(part.core == ctx.group_idx for part, _ in parts.values()):
            return
        length = ctx.arch.ub // 4 if compute_length is None else compute_length
        blocks: dict[tuple[int, int], list[tuple[Task, KernelTensor]]] = {}
        for part in parts.values():
            blocks.setdefault(part[0].start[:2], []).append(part)
        _reduce_add(ctx, C, workspace, list(blocks.values()), length)
        for _ in range(1 + is_old):
            ctx.pipe_barrier("ALL")


def _reduce_add(
    ctx: Context, dst: KernelTensor, workspace: KernelTensor,
    blocks: list[list[tuple[Task, KernelTensor]]], compute_length: int,
) -> None:  # fmt: skip
    """Add up the parts of each block, on the vector cores of those that computed them."""
    align = 32 // store_of(dst).element.bytes_of(1)
    buffer: KernelTensor = ctx.alloc("UB", workspace, (compute_length,))
    ctx.set_flag("MTE3_MTE2", 0)
    ends = [parts[0][0].core for parts in blocks[1:]] + [parts[-1][0].core + 1 for parts in blocks[-1:]]
    for parts, end in zip(blocks, ends, strict=True):
        task, first = parts[0][0], parts[0][0].core
        labor = (end - first) * ctx.sub_block_num
        if not first <= ctx.group_idx < end:
            continue
        (rows, columns, _), pitch = task.shape, int(round_up(task.shape.n, align))
        share = min(int(ceil_div(rows, labor)), compute_length // labor // pitch)
        if not share:
            words = f"{compute_length} elements of UB have no room for a row of {pitch} of {labor} parts"
            raise CapacityError(words, needed=labor * pitch, available=compute_length)
        mine = ctx.block_idx - first * ctx.sub_block_num
        for start in range(mine * share, rows, labor * share):
            count = min(share, rows - start)
            size = count * pitch
            sums = [get_tile(buffer, (number * size,), (size,)) for number in range(len(parts))]
            loads = [
                (ctx.make_tensor(to, (count, pitch)), get_tile(c, (start, 0), (count, columns)))
                for to, (_, c) in zip(sums, parts, strict=True)
            ]
            out = get_tile(dst, (task.start.m + start, task.start.n), (count, columns))
            add_up(ctx, 0, loads, sums, out, (count, pitch), size)
    ctx.wait_flag("MTE3_MTE2", 0)
