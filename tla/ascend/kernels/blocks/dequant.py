# SPDX-License-Identifier: Apache-2.0
"""Products of int8 whose sums vector cores scale, by column and by row, block for block.

Source: CATLASS gemm/kernel/quant_matmul_multistage_workspace.hpp;
epilogue/block/block_epilogue_per_token_dequant.hpp, epilogue/tile/tile_broadcast_mul.hpp.
"""
# ruff: noqa: N803, N806 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....layouts import Layout, get_tile
from ....numbers import ceil_div
from ...shapes import GemmShape, gemm_shape
from ..places import part_of
from ..simulation import kernel
from .matmul import block_mmad, problem_of, tiles_of
from .mmad import Flagged

if TYPE_CHECKING:
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor

_L1_TILE: Final = GemmShape(128, 256, 512)
_L0_TILE: Final = GemmShape(128, 256, 128)
_LANES: Final = 64
_BLOCK: Final = 8
_REPEATS: Final = 255


class PerTokenDequant(Flagged):
    """D = C * Scale * PerTokenScale on a vector core, every other tile of a block.

    CATLASS's ``BlockEpilogue<EpilogueAtlasA2PerTokenDequant<stages>, ...>``.

    Args:
        ctx: The vector core.
        c, scale, tokens, d: Tensors of the element types: sums of int32, scales of half or bfloat16.
        tile: The rows and columns of a tile in UB.
    """

    def __init__(
        self, ctx: Context, c: KernelTensor, scale: KernelTensor, tokens: KernelTensor, d: KernelTensor,
        tile: tuple[int, int] = (32, 256), stages: int = 2,
    ) -> None:  # fmt: skip
        self.ctx = ctx
        self.tile: tuple[int, int] = tile
        rows, columns = tile
        sizes = (rows * columns, columns, rows, rows * columns)
        self.stages: list[list[KernelTensor]] = [
            [ctx.alloc("UB", x, (n,)) for x, n in zip((c, scale, tokens, d), sizes, strict=True)]
            for _ in range(stages)
        ]
        """The buffers of C, both scales and D."""
        floats = (rows * columns, columns, rows * columns, rows, rows * _BLOCK)
        self.floats: list[KernelTensor] = [ctx.alloc("UB", "float", (n,)) for n in floats]
        """C, the scales of columns, the result, the scales of rows, and these in blocks."""
        self.at: int = 0

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of C, of both scales and of D, for each stage."""
        events: tuple[HardEvent, ...] = ("V_MTE2", "V_MTE2", "V_MTE2", "MTE3_V")
        return [
            (event, stage if part == 3 else 3 * stage + part)
            for stage in range(len(self.stages))
            for part, event in enumerate(events)
        ]

    def __call__(
        self, c: KernelTensor, scale: KernelTensor, tokens: KernelTensor, d: KernelTensor
    ) -> None:
        """Scale a block: its sums, the scales of its columns and rows, and where it goes."""
        ctx, (rows, columns) = self.ctx, self.tile
        m, n = map(int, d.origin_shape)
        down, across = int(ceil_div(m, rows)), int(ceil_div(n, columns))
        for number in range(ctx.sub_block_idx, down * across, ctx.sub_block_num):
            at = number % down * rows, number // down * columns
            extents = min(rows, m - at[0]), min(columns, n - at[1])
            ub_c, ub_scale, ub_tokens, ub_d = self.stages[self.at]
            layout = Layout(extents, (columns, 1))
            sources = (
                (ctx.make_tensor(ub_c, layout), get_tile(c, at, extents)),
                (ctx.make_tensor(ub_scale, extents[1:]), get_tile(scale, at[1:], extents[1:])),
                (ctx.make_tensor(ub_tokens, extents[:1]), get_tile(tokens, at[:1], extents[:1])),
            )
            for part, (to, x) in enumerate(sources):
                ctx.wait_flag("V_MTE2", 3 * self.at + part)
                ctx.copy_gm_to_ub(to, x)
                ctx.set_flag("MTE2_V", 3 * self.at + part)
            self._multiply()
            ctx.wait_flag("MTE3_V", self.at)
            ctx.cast(ub_d, self.floats[2], "CAST_RINT", rows * columns)
            ctx.set_flag("V_MTE3", self.at)
            ctx.wait_flag("V_MTE3", self.at)
            ctx.copy_ub_to_gm(get_tile(d, at, extents), ctx.make_tensor(ub_d, layout))
            ctx.set_flag("MTE3_V", self.at)
            self.at = (self.at + 1) % len(self.stages)

    def _multiply(self) -> None:
        """Cast a tile of sums and its scales to float, and multiply these."""
        ctx, (rows, columns) = self.ctx, self.tile
        sums, by_column, made, by_row, blocks = self.floats
        parts = (
            (sums, rows * columns, "CAST_RINT"),
            (by_column, columns, "CAST_NONE"),
            (by_row, rows, "CAST_NONE"),
        )
        for part, (to, count, mode) in enumerate(parts):
            ctx.wait_flag("MTE2_V", 3 * self.at + part)
            ctx.cast(to, self.stages[self.at][part], mode, count)
            ctx.set_flag("V_MTE2", 3 * self.at + part)
        ctx.pipe_barrier("V")
        pitch = columns // _BLOCK
        wide = {"dstRepStride": pitch, "src0RepStride": pitch, "src1RepStride": 0}
        for row in range(0, rows, _REPEATS):
            for column in range(0, columns, _LANES):
                lanes, repeat = min(_LANES, columns - column), min(_REPEATS, rows - row)
                to, x = (part_of(t, (row * columns + column,), (lanes,)) for t in (made, sums))
                factor = part_of(by_column, (column,), (lanes,))
                ctx.mul(to, x, factor, mask=lanes, repeat=repeat, **wide)
        ctx.brcb(blocks, by_row, int(ceil_div(rows, _BLOCK)))
        ctx.pipe_barrier("V")
        tall = {"dstBlkStride": pitch, "src0BlkStride": pitch, "dstRepStride": 1, "src0RepStride": 1}
        for row in range(0, rows, _BLOCK):
            for column in range(0, columns, _BLOCK * _REPEATS):
                lanes = min(_BLOCK, rows - row) * _BLOCK
                repeat = min(columns - column, _BLOCK * _REPEATS) // _BLOCK
                to = part_of(made, (row * columns + column,), (columns,))
                factor = part_of(blocks, (row * _BLOCK,), (_LANES,))
                ctx.mul(to, to, factor, mask=lanes, repeat=repeat, src1RepStride=0, **tall)
        ctx.pipe_barrier("V")


@kernel("AtlasA2", core="MIX")
def quant_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, Scale: KernelTensor, PerTokenScale: KernelTensor,
    D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsyncWithCallback<1,2,2,2,1,false,true>",
    l1: ShapeLike = _L1_TILE, l0: ShapeLike = _L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>", tile: tuple[int, int] = (32, 256),
    stages: int = 2,
) -> None:  # fmt: skip
    """D = A B * Scale[n] * PerTokenScale[m]. CATLASS's ``QuantMatmulMultiStageWorkspace``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b = np.ones((40, 64), np.int8), np.ones((64, 32), np.int8)
    >>> scale, tokens = np.full(32, 0.5, np.float16), np.arange(40, dtype=np.float16)
    >>> tiles = {"l1": (32, 32, 64), "l0": (32, 32, 32), "tile": (16, 64)}
    >>> d = np.zeros((40, 32), np.float16)
    >>> run = simulate(quant_matmul, a, b, scale, tokens, d, cores=1, **tiles)
    >>> bool((run["D"] == 32 * tokens[:, None]).all()), run.findings
    (True, ())

    Args:
        stages: How many blocks of sums each cube core hands over before it waits.
    """
    l1 = gemm_shape(l1)
    C = ctx.workspace("Workspace", "int32_t", (l1.m * ctx.block_num * stages, l1.n))
    tasks = ctx.tasks(swizzle, problem_of(A, B, D), l1)

    def place(turn: int, extents: tuple[int, int]) -> KernelTensor:
        return get_tile(C, ((turn % stages * ctx.block_num + ctx.group_idx) * l1.m, 0), extents)

    if ctx.is_aic:
        with block_mmad(ctx, policy, A, B, C, l1, l0) as block:
            for turn, task in enumerate(tasks):
                stage = turn % stages

                def before(turn: int = turn, stage: int = stage) -> None:
                    if turn >= stages:
                        ctx.cross_core_wait_flag(2 * stage + 1)

                def after(stage: int = stage) -> None:
                    ctx.cross_core_set_flag(2 * stage, 2, "FIX")

                c = place(turn, task.shape[:2])
                block(*tiles_of(A, B, task), c, around=(before, after))
            block.finish()
            for turn in range(max(0, len(tasks) - stages), len(tasks)):
                ctx.cross_core_wait_flag(2 * (turn % stages) + 1)
            ctx.pipe_barrier("ALL")
    else:
        with PerTokenDequant(ctx, C, Scale, PerTokenScale, D, tile, stages) as epilogue:
            for turn, task in enumerate(tasks):
                (row, column, _), (rows, columns, _) = task.start, task.shape
                ctx.cross_core_wait_flag(2 * (turn % stages))
                scale = get_tile(Scale, (column,), (columns,))
                tokens = get_tile(PerTokenScale, (row,), (rows,))
                d = get_tile(D, (row, column), (rows, columns))
                epilogue(place(turn, (rows, columns)), scale, tokens, d)
                ctx.cross_core_set_flag(2 * (turn % stages) + 1, 2, "MTE3")
            ctx.pipe_barrier("ALL")
