# SPDX-License-Identifier: Apache-2.0
"""A matrix by a vector: on vector cores, lane by lane, or on the cube core as a product of one row.

Source: CATLASS gemv/kernel/kernel_gemv_aiv.hpp, gemv/block/block_gemv_aiv.hpp, gemv/tile/tile_vmad.hpp;
gemv/tile/tile_vmuls.hpp; gemv/kernel/kernel_gemv_aic.hpp. These differ: where a row of A is no multiple
of 32 bytes CATLASS's DataCopy reads beyond it, and here a DataCopyPad does not.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

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
    from collections.abc import Generator

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
        self.is_float: bool = of.name == "float"
        self.pitch: int = rounded_up(columns, _LANES)
        self.used: int = 0
        self.a: Stages = self._stages(a, rows * self.pitch, 128, 0)
        self.x: Stages = self._stages(x, self.pitch, 16, 2)
        self.y: Stages = self._stages(y, rounded_up(rows, 16), 16, 0)
        if not self.is_float:
            self.sums: KernelTensor = ctx.alloc("UB", "float", (rows * _LANES,))
            self.rounded: KernelTensor = ctx.alloc("UB", y, (rounded_up(rows, 16),))

    def _stages(self, like: KernelTensor, count: int, room: int, first_id: int) -> Stages:
        """Two tiles, each in a half of CATLASS's KiB for both, or in as much as it takes."""
        needed = rounded_up(store_of(like).element.bytes_of(count), 32)
        step, first = max(room * 512, needed), self.used
        self.used += 2 * step
        tiles = [self.ctx.alloc("UB", like, (count,), start=first + i * step) for i in range(2)]
        return Stages(tuple(tiles), first_id)

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of A and X, and of Y."""
        parts: tuple[tuple[HardEvent, Stages], ...] = (
            ("V_MTE2", self.a), ("V_MTE2", self.x), ("MTE3_MTE2", self.y)
        )  # fmt: skip
        return [(event, x.ids[stage]) for stage in range(2) for event, x in parts]

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
        self._copy(ub_y, y)
        ctx.set_flag("MTE2_V", self.y.id)
        ctx.wait_flag("MTE2_V", self.y.id)
        self._scale(ub_y, beta, rows)
        ctx.set_flag("V_MTE2", self.y.id)
        ctx.wait_flag("V_MTE2", self.y.id)
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
        self._copy(ctx.make_tensor(self.x.tiles[at], (count,)), get_tile(x, (first,), (count,)))
        ctx.set_flag("MTE2_V", self.x.ids[at])
        ctx.wait_flag("V_MTE2", self.a.ids[at])
        to = ctx.make_tensor(self.a.tiles[at], Layout((rows, count), (self.pitch, 1)))
        self._copy(to, get_tile(a, (0, first), (rows, count)))
        ctx.set_flag("MTE2_V", self.a.ids[at])

    def _copy(self, to: KernelTensor, x: KernelTensor) -> None:
        """Copy rows to UB: whole blocks by DataCopy, others by DataCopyPad."""
        unit = 32 // store_of(x).element.bytes_of(1)
        *rows, count = map(int, x.origin_shape)
        pitches = [int(t.layout.stride[0]) if rows else count for t in (x, to)]
        if count % unit or pitches[0] % unit:
            self.ctx.copy_gm_to_ub(to, x)
            return
        gaps = [(pitch - count) // unit for pitch in pitches]
        fields = {"blockCount": rows[0] if rows else 1, "blockLen": count // unit, "srcStride": gaps[0]}
        self.ctx.issue(
            "DataCopy", "MTE2", {"dst": to, "src": x}, form="block", unit="32B", dstStride=gaps[1],
            **fields,
        )  # fmt: skip

    def _scale(self, x: KernelTensor, factor: float, count: int) -> None:
        """Multiply a vector by a number. ``TileVmuls``."""
        with self._counting(count):
            self.ctx.muls(x, x, factor, mask=0, repeat=1, isSetMask=False)

    @contextmanager
    def _counting(self, count: int) -> Generator[None, None, None]:
        """Mask the first lanes of all repeats, as many as are counted."""
        self.ctx.issue("SetMaskCount", "V")
        self.ctx.issue("SetVectorMask", "V", mode="COUNTER", len=count)
        yield
        self.ctx.issue("SetMaskNorm", "V")
        self.ctx.issue("ResetMask", "V")

    def _multiply(self, y: KernelTensor, extents: tuple[int, int], alpha: float) -> None:
        """Multiply the tiles in use, 64 columns at a time, add up each row, and add that to Y.

        CATLASS's ``TileVmad``.
        """
        ctx, (rows, columns) = self.ctx, extents
        ctx.wait_flag("MTE2_V", self.x.id)
        self._scale(self.x.tile, alpha, columns)
        ctx.pipe_barrier("V")
        ctx.wait_flag("MTE2_V", self.a.id)
        a, step = self.a.tile, self.pitch // (32 // store_of(y).element.bytes_of(1))
        sums, apart = (a, step) if self.is_float else (self.sums, 8)
        if not self.is_float:
            ctx.duplicate(sums, 0, rows * _LANES)
            ctx.pipe_barrier("V")
        strides = {"dstRepStride": apart, "src0RepStride": step, "src1RepStride": 0}
        whole, rest = columns // _LANES * _LANES, columns % _LANES

        def add(first: int, lanes: int, **how: Any) -> None:
            parts = [part_of(t, (first,), (lanes,)) for t in (a, self.x.tile)]
            word = ctx.mul if self.is_float and not first else ctx.mul_add_dst
            word(sums, *parts, **how, **strides)

        with self._counting(rows * _LANES):
            for first in range(0, whole, _LANES):
                add(first, _LANES, mask=0, repeat=1, isSetMask=False)
                ctx.pipe_barrier("V")
        if rest:
            add(whole, rest, mask=rest, repeat=rows)
        ctx.pipe_barrier("V")
        fields = {"mask": _LANES if whole or not self.is_float else rest, "repeat": rows}
        fields |= {"isSetMask": True, "dstRepStride": 1, "srcBlkStride": 1, "srcRepStride": apart}
        ctx.issue("WholeReduceSum", "V", {"dst": sums, "src": sums}, **fields)
        ctx.pipe_barrier("V")
        if not self.is_float:
            ctx.cast(self.rounded, sums, "CAST_NONE", rows)
            ctx.pipe_barrier("V")
            sums = self.rounded
        lanes = {"mask": rows, "repeat": 1} if rows <= _LANES else {"count": rows}
        ctx.add(y, sums, y, **lanes)
        ctx.set_flag("V_MTE2", self.a.id)
        ctx.set_flag("V_MTE2", self.x.id)


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
    ctx.set_atomic_none()
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
