# SPDX-License-Identifier: Apache-2.0
"""Blocks with several tiles of each operand in L1: one in use, the next on its way.

Source: CATLASS gemm/block/block_mmad_pingpong_tla.hpp, block_mmad_pingpong.hpp, block_mmad_preload.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .mmad import BlockMmad

if TYPE_CHECKING:
    from ..places import KernelTensor


class Pingpong(BlockMmad):
    """``BlockMmad<MmadAtlasA2Pingpong<...>>``: the next tile of the block is loaded during this one."""

    SHARES_L0 = True

    def __call__(
        self,
        a: KernelTensor,
        b: KernelTensor,
        c: KernelTensor,
        following: tuple[KernelTensor, KernelTensor] | None = None,
    ) -> None:
        sums, tiles, k = self.sums(c), self.k_tiles(a), int(a.origin_shape[1])
        self.load(a, b, 0)
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        for tile in range(tiles):
            if tile < tiles - 1:
                self.load(a, b, tile + 1, ahead=1)
            depth = min(self.l1.k, k - tile * self.l1.k)
            self.multiply(sums, depth, tile == 0, tile == tiles - 1)
            self.l1a.turn()
            self.l1b.turn()
        self.take_out(c, sums)


class PingpongTla(Pingpong):
    """``BlockMmadTla<MmadPingpong<...>>``: its stages are the policy's, each buffer with its own."""

    SHARES_L0 = False

    def begin(self) -> None:
        ctx = self.ctx
        ctx.set_hf32_mode(self.policy.facts.hf32)
        if self.by_rows:
            ctx.set_mm_layout_transform(True)
        for number in (*self.l1a.ids, *self.l1b.ids):
            ctx.set_flag("MTE1_MTE2", number)
        for number in (*self.l0a.ids, *self.l0b.ids):
            ctx.set_flag("M_MTE1", number)
        if not self.unit_flag:
            for number in self.l0c.ids:
                ctx.set_flag("FIX_M", number)

    def end(self) -> None:
        ctx = self.ctx
        if self.policy.facts.hf32:
            ctx.set_hf32_mode(False)
        if self.by_rows:
            ctx.set_mm_layout_transform(False)
        for number in (*self.l1a.ids, *self.l1b.ids):
            ctx.wait_flag("MTE1_MTE2", number)
        for number in (*self.l0a.ids, *self.l0b.ids):
            ctx.wait_flag("M_MTE1", number)
        if not self.unit_flag:
            for number in self.l0c.ids:
                ctx.wait_flag("FIX_M", number)

    def extents(self, m: int, n: int) -> tuple[int, int]:
        """The rows and columns themselves; on 2201 a single row would be a product of a vector."""
        return (16 if m == 1 and self.ctx.arch.code == 2201 else m), n


class Preload(Pingpong):
    """``BlockMmad<MmadAtlasA2Preload<...>>``: the next block's first tile is loaded during this one.

    With ``shuffle_k`` each core begins with another tile along K, so that they do not read the same
    bytes at once.
    """

    is_loaded = False

    def __call__(
        self,
        a: KernelTensor,
        b: KernelTensor,
        c: KernelTensor,
        following: tuple[KernelTensor, KernelTensor] | None = None,
    ) -> None:
        sums, tiles, k = self.sums(c), self.k_tiles(a), int(a.origin_shape[1])
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        start = self.ctx.block_idx if self.policy.values["shuffle_k"] else 0
        if not self.is_loaded:
            self.load(a, b, start % tiles)
        for turn in range(tiles):
            tile = (start + turn) % tiles
            if turn < tiles - 1:
                self.load(a, b, (tile + 1) % tiles, ahead=1)
            elif following is not None:
                self.load(*following, start % self.k_tiles(following[0]), ahead=1)
            self.l0a.at = self.l0b.at = 0
            depth = min(self.l1.k, k - tile * self.l1.k)
            self.multiply(sums, depth, turn == 0, turn == tiles - 1)
            self.l1a.turn()
            self.l1b.turn()
        self.is_loaded = following is not None
        self.take_out(c, sums)
