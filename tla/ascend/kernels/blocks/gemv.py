# SPDX-License-Identifier: Apache-2.0
"""A matrix by a vector: on vector cores, lane by lane, or on the cube core as a product of one row.

Source: CATLASS gemv/kernel/kernel_gemv_aiv.hpp, gemv/block/block_gemv_aiv.hpp, gemv/tile/tile_vmad.hpp;
gemv/kernel/kernel_gemv_aic.hpp. These differ: where a row of A is no multiple of 32 bytes CATLASS's
DataCopy reads beyond it, and here a DataCopyPad does not; and each buffer has a flag of its own, where
CATLASS's Y and A share two.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING

from ....errors import CongruenceError, UnsupportedError
from ....layouts import Layout, get_tile
from ...schedules import positive
from ...shapes import rounded_up
from ..places import part_of, store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE
from .mmad import Flagged, Stages
from .visitors import acc, aux, cast, compute, matmul_visitor

if TYPE_CHECKING:
    from ...plans import Policy
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor

_LANES = 64
"""The floats of a repeat."""


class BlockGemv(Flagged):
    """Rows of A by X on a vector core, in tiles of X, two of them in UB. CATLASS's ``BlockGemv``.

    Args:
        a, x, y: The matrix and the vectors: their element type decides.
        tile: The rows and columns of a tile of A, ``GemvShape``.
    """

    def __init__(
        self, ctx: Context, a: KernelTensor, x: KernelTensor, y: KernelTensor, tile: tuple[int, int]
    ) -> None:
        self.ctx = ctx
        self.tile: tuple[int, int] = tile
        rows, columns = (positive(name, n) for name, n in zip(("tile m", "tile n"), tile, strict=True))
        of = store_of(a).element
        self.pitch: int = rounded_up(columns, 32 // of.bytes_of(1))
        self.a: Stages = Stages(ctx.alloc("UB", a, (rows * self.pitch,), 2))
        self.x: Stages = Stages(ctx.alloc("UB", x, (self.pitch,), 2), 2)
        self.y: Stages = Stages(ctx.alloc("UB", y, (rounded_up(rows, 16),), 2), 4)
        self.sums: KernelTensor = ctx.alloc("UB", "float", (rows * _LANES,))
        self.rounded: KernelTensor | None = None
        """The sums as elements of Y, if these are no floats."""
        if of.name != "float":
            self.rounded = ctx.alloc("UB", y, (rounded_up(rows, 16),))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of A and X, and of Y."""
        parts: tuple[tuple[HardEvent, Stages], ...] = (
            ("V_MTE2", self.a), ("V_MTE2", self.x), ("MTE3_MTE2", self.y)
        )  # fmt: skip
        return [(event, number) for event, x in parts for number in x.ids]

    def __call__(
        self,
        a: KernelTensor,
        x: KernelTensor,
        y: KernelTensor,
        z: KernelTensor,
        alpha: float,
        beta: float,
    ) -> None:
        """Z = alpha A X + beta Y, for some rows."""
        ctx, rows = self.ctx, int(a.origin_shape[0])
        ctx.wait_flag("MTE3_MTE2", self.y.id)
        ub_y = ctx.make_tensor(self.y.tile, (rows,))
        ctx.copy_gm_to_ub(ub_y, y)
        ctx.set_flag("MTE2_V", self.y.id)
        ctx.wait_flag("MTE2_V", self.y.id)
        ctx.muls(ub_y, ub_y, beta, rows)
        starts = range(0, int(a.origin_shape[1]), self.tile[1])
        tiles = [(at, min(self.tile[1], int(a.origin_shape[1]) - at)) for at in starts]
        self._load(a, x, *tiles[0], 0)
        for turn, (_, count) in enumerate(tiles):
            if turn + 1 < len(tiles):
                self._load(a, x, *tiles[turn + 1], 1)
            self._multiply(ub_y, (rows, count), alpha)
            self.a.turn()
            self.x.turn()
        ctx.set_flag("V_MTE3", self.y.id)
        ctx.wait_flag("V_MTE3", self.y.id)
        ctx.copy_ub_to_gm(z, ub_y)
        ctx.set_flag("MTE3_MTE2", self.y.id)
        self.y.turn()

    def _load(self, a: KernelTensor, x: KernelTensor, first: int, count: int, ahead: int) -> None:
        """Load a tile of X and one of A, to the stage in use or to the next."""
        ctx, rows, at = self.ctx, int(a.origin_shape[0]), (self.a.at + ahead) % 2
        ctx.wait_flag("V_MTE2", self.x.ids[at])
        ctx.copy_gm_to_ub(ctx.make_tensor(self.x.tiles[at], (count,)), get_tile(x, (first,), (count,)))
        ctx.set_flag("MTE2_V", self.x.ids[at])
        ctx.wait_flag("V_MTE2", self.a.ids[at])
        to = ctx.make_tensor(self.a.tiles[at], Layout((rows, count), (self.pitch, 1)))
        ctx.copy_gm_to_ub(to, get_tile(a, (0, first), (rows, count)))
        ctx.set_flag("MTE2_V", self.a.ids[at])

    def _multiply(self, y: KernelTensor, extents: tuple[int, int], alpha: float) -> None:
        """Multiply the tiles in use, 64 columns at a time, add up each row, and add that to Y.

        CATLASS's ``TileVmad``.
        """
        ctx, (rows, columns), sums = self.ctx, extents, self.sums
        ctx.wait_flag("MTE2_V", self.x.id)
        ctx.muls(self.x.tile, self.x.tile, alpha, columns)
        ctx.duplicate(sums, 0, rows * _LANES)
        ctx.wait_flag("MTE2_V", self.a.id)
        step = self.pitch * store_of(y).element.bytes_of(1) // 32
        for first in range(0, columns, _LANES):
            ctx.pipe_barrier("V")
            lanes = min(_LANES, columns - first)
            a, x = (part_of(t.tile, (first,), (lanes,)) for t in (self.a, self.x))
            ctx.mul_add_dst(sums, a, x, mask=lanes, repeat=rows, src0RepStride=step, src1RepStride=0)
        ctx.set_flag("V_MTE2", self.a.id)
        ctx.set_flag("V_MTE2", self.x.id)
        ctx.pipe_barrier("V")
        fields = {"mask": _LANES, "repeat": rows, "isSetMask": True, "dstRepStride": 1}
        sources = {"dst": sums, "src": sums}
        ctx.issue("WholeReduceSum", "V", sources, **fields, srcBlkStride=1, srcRepStride=8)
        ctx.pipe_barrier("V")
        if self.rounded is not None:
            ctx.cast(self.rounded, sums, "CAST_NONE", rows)
            ctx.pipe_barrier("V")
        ctx.add(y, y, sums if self.rounded is None else self.rounded, rows)
        ctx.pipe_barrier("V")


def _extents(a: KernelTensor, x: KernelTensor, y: KernelTensor, z: KernelTensor) -> tuple[int, int]:
    """The extents of A.

    Raises:
        CongruenceError: the vectors do not fit it.
        UnsupportedError: A is not RowMajor.
    """
    if store_of(a).tag != "RowMajor":
        raise UnsupportedError(f"a vector core takes rows of A, and A is {store_of(a).tag}", "Copy A.")
    (m, n), lengths = map(int, a.origin_shape), [int(v.origin_shape[0]) for v in (x, y, z)]
    if lengths != [n, m, m]:
        raise CongruenceError(
            f"A is {m} by {n}, and X, Y, Z have {lengths[0]}, {lengths[1]} and {lengths[2]}",
            f"They have {n}, {m} and {m}.",
        )
    return m, n


@kernel("AtlasA2", core="AIV")
def gemv_aiv(
    ctx: Context, A: KernelTensor, X: KernelTensor, Y: KernelTensor, Z: KernelTensor, alpha: float = 1,
    beta: float = 0, tile: tuple[int, int] = (32, 512),
) -> None:  # fmt: skip
    """Z = alpha A X + beta Y on vector cores. CATLASS's ``KernelGemvAiv``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, x, y = (np.ones(shape, np.float32) for shape in ((40, 100), 100, 40))
    >>> run = simulate(gemv_aiv, a, x, y, np.zeros(40, np.float32), alpha=2, beta=3, cores=2)
    >>> bool((run["Z"] == 203).all()), run.findings
    (True, ())

    Args:
        tile: The rows and columns of a tile of A in UB.

    Raises:
        CongruenceError: the vectors do not fit A.
        UnsupportedError: A is not RowMajor.
    """
    m, n = _extents(A, X, Y, Z)
    with BlockGemv(ctx, A, X, Y, tile) as block:
        for first in range(ctx.block_idx * tile[0], m, ctx.block_num * tile[0]):
            rows = min(tile[0], m - first)
            y, z = (get_tile(v, (first,), (rows,)) for v in (Y, Z))
            block(get_tile(A, (first, 0), (rows, n)), X, y, z, alpha, beta)
        ctx.pipe_barrier("ALL")


@kernel("AtlasA2", core="MIX")
def gemv_aic(
    ctx: Context, A: KernelTensor, X: KernelTensor, Y: KernelTensor, Z: KernelTensor, alpha: float = 1,
    beta: float = 0, policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE,
) -> None:  # fmt: skip
    """Z = alpha A X + beta Y, where a cube core multiplies X as a row by A transposed.

    CATLASS's ``KernelGemvAic``; its sums are scaled and added by a tree here.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, x, y = (np.ones(shape, np.float32) for shape in ((40, 100), 100, 40))
    >>> tiles = {"l1": (16, 32, 32), "l0": (16, 32, 32)}
    >>> run = simulate(gemv_aic, a, x, y, np.zeros(40, np.float32), alpha=2, beta=3, **tiles)
    >>> bool((run["Z"] == 203).all()), run.findings
    (True, ())

    Raises:
        CongruenceError: the vectors do not fit A.
        UnsupportedError: A is not RowMajor.
    """
    m, n = _extents(A, X, Y, Z)
    row, y, z = (ctx.make_tensor(v, (1, k), tag="RowMajor") for v, k in ((X, n), (Y, m), (Z, m)))
    is_float = store_of(Y).element.name == "float"
    source = aux(y) if is_float else cast(aux(y), "float")
    tree = compute("add", compute("muls", acc(), alpha), compute("muls", source, beta))
    tree = tree if is_float else cast(tree, store_of(Z).element)
    matmul_visitor(ctx, row, ctx.make_tensor(A, (n, m), tag="ColumnMajor"), z, tree, policy, l1, l0)
