"""Kernels in Python that have a form in C++: each with its arrays and options."""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Any

import numpy as np

from tla import ceil_div, get_tile, round_up
from tla.ascend.kernels import kernel
from tla.ascend.kernels.blocks import block_mmad

if TYPE_CHECKING:
    from tla.ascend.kernels import Context, Kernel
    from tla.ascend.kernels.issuing import HardEvent

half, single = np.float16, np.float32


EXAMPLES = Path(__file__).parents[2] / "examples"
double: Kernel = run_path(str(EXAMPLES / "ascend_kernel.py"))["double"]
"""Rows in two stages."""


@kernel("AtlasA2", core="AIC")
def product(ctx: Context, A: Any, B: Any, C: Any) -> None:
    """One tile of each buffer."""
    (m, k), n = A.shape, B.shape[1]
    l1a, l1b = ctx.alloc("L1", A, (m, k)), ctx.alloc("L1", B, (k, n))
    l0a, l0b = ctx.alloc("L0A", A, (m, k)), ctx.alloc("L0B", B, (k, n))
    l0c = ctx.alloc("L0C", "float", (m, n))
    ctx.copy_gm_to_l1(l1a, A)
    ctx.copy_gm_to_l1(l1b, B)
    ctx.set_flag("MTE2_MTE1", 0)
    ctx.wait_flag("MTE2_MTE1", 0)
    ctx.copy_l1_to_l0a(l0a, l1a)
    ctx.copy_l1_to_l0b(l0b, l1b)
    ctx.set_flag("MTE1_M", 0)
    ctx.wait_flag("MTE1_M", 0)
    ctx.mmad(l0c, l0a, l0b, m, n, k, k_direction_align=False)
    ctx.set_flag("M_FIX", 0)
    ctx.wait_flag("M_FIX", 0)
    ctx.copy_l0c_to_gm(C, l0c)


@kernel("AtlasA2", core="AIC")
def lower(
    ctx: Context, A: Any, B: Any, C: Any, policy: str = "MmadPingpong<true>", tile: int = 64
) -> None:
    """The blocks of C = A B on the diagonal and below it, by CATLASS's own block."""
    (m, k), n = A.shape, B.shape[1]
    l1 = (tile, tile, 2 * tile)
    with block_mmad(ctx, policy, A, B, C, l1, (tile, tile, tile)) as block:
        for task in ctx.tasks("GemmIdentityBlockSwizzle<3,1>", (m, n, k), l1):
            (row, column, _), (rows, columns, depth) = task.start, task.shape
            if row >= column:
                a, b = get_tile(A, (row, 0), (rows, depth)), get_tile(B, (0, column), (depth, columns))
                block(a, b, get_tile(C, (row, column), (rows, columns)))
        ctx.pipe_barrier()


@kernel("AtlasA2", core="AIC")
def tiled(
    ctx: Context, A: Any, B: Any, C: Any, tile: tuple[int, int, int] = (32, 48, 64), depth: int = 32
) -> None:
    """All blocks of C = A B, each in steps of K, two stages of each buffer."""
    (m, k), n, (tm, tn, tk) = A.shape, B.shape[1], tile
    l1a, l1b = ctx.alloc("L1", A, (tm, tk), 2), ctx.alloc("L1", B, (tk, tn), 2)
    l0a, l0b = ctx.alloc("L0A", A, (tm, depth), 2), ctx.alloc("L0B", B, (depth, tn), 2)
    l0c = ctx.alloc("L0C", "float", (tm, tn))
    free: list[tuple[HardEvent, int]] = [("MTE1_MTE2", 2), ("M_MTE1", 2), ("FIX_M", 1)]
    for event, count in free:
        for number in range(count):
            ctx.set_flag(event, number)
    columns, l0 = ceil_div(n, tn), 0
    for block in range(ctx.block_idx, ceil_div(m, tm) * columns, ctx.block_num):
        row, column = block // columns * tm, block % columns * tn
        rows, width = min(tm, m - row), min(tn, n - column)
        sums = ctx.make_tensor(l0c, (round_up(rows, 16), round_up(width, 16)))
        ctx.wait_flag("FIX_M", 0)
        for turn, start in enumerate(range(0, k, tk)):
            stage = turn % 2
            length = min(tk, k - start)
            ctx.wait_flag("MTE1_MTE2", stage)
            ctx.copy_gm_to_l1(l1a[stage], get_tile(A, (row, start), (rows, length)))
            ctx.copy_gm_to_l1(l1b[stage], get_tile(B, (start, column), (length, width)))
            ctx.set_flag("MTE2_MTE1", stage)
            ctx.wait_flag("MTE2_MTE1", stage)
            for step in range(0, length, depth):
                part = min(depth, length - step)
                a = ctx.make_tensor(l0a[l0], (round_up(rows, 16), part))
                b = ctx.make_tensor(l0b[l0], (part, round_up(width, 16)))
                ctx.wait_flag("M_MTE1", l0)
                ctx.copy_l1_to_l0a(a, get_tile(l1a[stage], (0, step), (round_up(rows, 16), part)))
                ctx.copy_l1_to_l0b(b, get_tile(l1b[stage], (step, 0), (part, round_up(width, 16))))
                ctx.set_flag("MTE1_M", 0)
                ctx.wait_flag("MTE1_M", 0)
                is_last = start + step + part == k
                ctx.tile_mmad(
                    sums, a, b, round_up(rows, 16), round_up(width, 16), part, start + step == 0,
                    3 if is_last else 2,
                )  # fmt: skip
                ctx.set_flag("M_MTE1", l0)
                l0 = (l0 + 1) % 2
            ctx.set_flag("MTE1_MTE2", stage)
        ctx.copy_l0c_to_gm(get_tile(C, (row, column), (rows, width)), sums, 3)
        ctx.set_flag("FIX_M", 0)
    for event, count in free:
        for number in range(count):
            ctx.wait_flag(event, number)


def _sum_of(ctx: Context, to: Any, parts: Any, count: Any) -> None:
    """A function of the kernel's own."""
    for part in parts[1:]:
        ctx.add(to, to, part, count)
        ctx.pipe_barrier("V")


@kernel("AtlasA2", core="AIV")
def tails(ctx: Context, X: Any, Y: Any, Z: Any, length: int = 96) -> None:
    """Vectors in parts, the last of them shorter; a cast, masks and repeats, a choice of the run."""
    whole = X.shape[0]
    x, y = ctx.alloc("UB", X, (length,)), ctx.alloc("UB", Y, (length,))
    wide, other = ctx.alloc("UB", "float", (length,), 2)
    blocks = ctx.alloc("UB", "float", (8 * length,))

    def wait(event: Any) -> None:
        ctx.set_flag(event, 0)
        ctx.wait_flag(event, 0)

    turns = 0
    for start in range(ctx.block_idx * length, whole, ctx.block_num * length):
        count = min(length, whole - start)
        ctx.copy_gm_to_ub(ctx.make_tensor(x, (count,)), get_tile(X, (start,), (count,)))
        ctx.copy_gm_to_ub(ctx.make_tensor(y, (count,)), get_tile(Y, (start,), (count,)))
        wait("MTE2_V")
        ctx.cast(wide, x, "CAST_NONE", count)
        ctx.cast(other, y, "CAST_NONE", count)
        _sum_of(ctx, wide, [wide, other], count)
        if count < length:
            ctx.duplicate(other, 1.0, length)
            turns += 1
        else:
            ctx.muls(other, other, 0.5, mask=32, repeat=3, dstRepStride=4, srcRepStride=4)
            ctx.mul(wide, wide, other, mask=[255, 0], repeat=1)
        ctx.brcb(blocks, wide, length // 8)
        ctx.cast(x, wide, "CAST_RINT", count)
        wait("V_MTE3")
        ctx.copy_ub_to_gm(get_tile(Z, (start,), (count,)), ctx.make_tensor(x, (count,)))
        wait("MTE3_MTE2")
    while turns > 0:
        ctx.pipe_barrier("MTE3")
        turns -= 1


@kernel("AtlasA2", core="MIX")
def halves(ctx: Context, A: Any, B: Any, C: Any) -> None:
    """Cube cores multiply blocks of rows into a workspace, vector cores add C, half of the rows each."""
    (m, k), n, rows = A.shape, B.shape[1], 32
    made = ctx.workspace("Workspace", C, (m, n))
    if ctx.is_aic:
        l1a, l1b = ctx.alloc("L1", A, (rows, k)), ctx.alloc("L1", B, (k, n))
        l0a, l0b = ctx.alloc("L0A", A, (rows, k)), ctx.alloc("L0B", B, (k, n))
        l0c = ctx.alloc("L0C", "float", (rows, n))
        for start in range(ctx.group_idx * rows, m, ctx.block_num * rows):
            height = min(rows, m - start)
            ctx.copy_gm_to_l1(l1a, get_tile(A, (start, 0), (height, k)))
            ctx.copy_gm_to_l1(l1b, B)
            ctx.pipe_barrier()
            ctx.copy_l1_to_l0a(l0a, l1a)
            ctx.copy_l1_to_l0b(l0b, l1b)
            ctx.pipe_barrier()
            ctx.tile_mmad(l0c, l0a, l0b, rows, n, k)
            ctx.pipe_barrier()
            ctx.copy_l0c_to_gm(get_tile(made, (start, 0), (height, n)), l0c)
            ctx.cross_core_set_flag(3, 2, "FIX")
    else:
        x, y = ctx.alloc("UB", C, (rows // 2, n), 2)
        for start in range(ctx.group_idx * rows, m, ctx.block_num * rows):
            ctx.cross_core_wait_flag(3)
            first = start + ctx.sub_block_idx * (rows // 2)
            height = min(rows // 2, m - first)
            if height > 0:
                ctx.copy_gm_to_ub(x, get_tile(made, (first, 0), (height, n)))
                ctx.copy_gm_to_ub(y, get_tile(C, (first, 0), (height, n)))
                ctx.pipe_barrier()
                ctx.add(x, x, y, rows // 2 * n)
                ctx.pipe_barrier()
                ctx.copy_ub_to_gm(get_tile(C, (first, 0), (height, n)), x)
        ctx.cross_core_barrier(0, "MTE3")


@kernel("AtlasA2", core="AIV")
def parts(ctx: Context, Ends: Any, X: Any, Y: Any) -> None:
    """Slices whose ends the kernel reads; sums are added in global memory."""
    x = ctx.alloc("UB", X, (16, 64))
    first = 0
    ctx.set_atomic_add(Y)
    for number in range(Ends.shape[0]):
        last = ctx.get_value(Ends, number)
        if number % 2 == 0 and last > first and not ctx.block_idx:
            ctx.copy_gm_to_ub(x, get_tile(X, (first, 0), (min(last - first, 16), 64)))
            ctx.pipe_barrier()
            ctx.issue("Exp", "V", {"dst": x, "src": x}, count=64, isSetMask=True)
            ctx.pipe_barrier()
            ctx.copy_ub_to_gm(get_tile(Y, (first, 0), (min(last - first, 16), 64)), x)
        first = last
    ctx.set_atomic_none()


@kernel("AtlasA2", core="AIC")
def modes(ctx: Context, A: Any, C: Any) -> None:
    """Modes of a core; a load that is transposed; an unrolled loop over buffers of several types."""
    m, k = A.shape
    ctx.set_hf32_mode(True)
    ctx.set_mm_layout_transform(True)
    l1 = ctx.alloc("L1", A, (m, k))
    ctx.copy_gm_to_l1(l1, A)
    ctx.pipe_barrier()
    buffers: Any = [("L0A", "half"), ("L0B", "half")]
    tiles = [ctx.alloc(buffer, of, (m, k) if buffer == "L0A" else (k, m)) for buffer, of in buffers]
    ctx.copy_l1_to_l0a(tiles[0], l1)
    sums = ctx.alloc("L0C", "float", (m, m))
    ctx.mmad(sums, tiles[0], tiles[1], m, m, k, init_c=ctx.block_idx == 0, unit_flag=3)
    ctx.copy_l0c_to_gm(C, sums, 3)
    ctx.set_mm_layout_transform(False)
    ctx.set_hf32_mode(False)


def _ones(m: int, n: int, k: int, dtype: Any = half) -> list[Any]:
    return [np.ones((m, k), dtype), np.ones((k, n), dtype), np.zeros((m, n), dtype)]


def _lines(m: int, n: int, k: int, dtype: Any = half) -> list[Any]:
    a, b, c = _ones(m, n, k, dtype)
    return [np.asfortranarray(a), np.asfortranarray(b), c]


TRANSLATED: dict[str, tuple[Kernel, list[Any], dict[str, Any]]] = {
    "double": (double, [np.ones((9, 256), single), np.ones((9, 256), single)], {}),
    "product": (product, _ones(45, 33, 70), {}),
    "product of columns": (product, _lines(45, 33, 70), {}),
    "product on 950": (product.on("Ascend950"), _ones(45, 33, 70), {}),
    "lower": (lower, _ones(200, 150, 300), {}),
    "lower, an older block": (lower, _lines(200, 150, 300), {"policy": "MmadAtlasA2Pingpong<false>"}),
    "lower on 950": (lower.on("Ascend950"), _ones(200, 150, 300, single), {"tile": 32}),
    "tiled": (tiled, _ones(100, 120, 150), {}),
    "tiled, columns": (tiled, _lines(70, 50, 96), {"tile": (16, 32, 32), "depth": 16}),
    "tiled on 950": (tiled.on("Ascend950"), _ones(100, 120, 150), {}),
    "tails": (tails, [np.ones(1000, half) for _ in range(3)], {}),
    "halves": (halves, _ones(100, 64, 48), {}),
    "parts": (
        parts, [np.array([10, 10, 30, 41]), np.ones((41, 64), single), np.ones((41, 64), single)], {},
    ),
    "modes": (modes, [np.ones((32, 48), half), np.zeros((32, 32), half)], {}),
}  # fmt: skip
