# SPDX-License-Identifier: Apache-2.0
"""Blocks with several tiles of each operand in L1: one in use, the next on its way.

Source: CATLASS gemm/block/block_mmad_pingpong_tla.hpp, block_mmad_pingpong.hpp, block_mmad_preload.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .mmad import BlockMmad, flags_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ...arch import Position
    from ...elements import Element
    from ...shapes import GemmShape
    from ..issuing import HardEvent
    from ..places import KernelTensor

    Around: TypeAlias = tuple[()] | tuple[Callable[[], object], Callable[[], object]]


class Pingpong(BlockMmad):
    """``BlockMmad<MmadAtlasA2Pingpong<...>>``: the next tile of the block is loaded during this one."""

    SHARES_L0: ClassVar[bool] = True

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


class PreloadAsync(BlockMmad):
    """``BlockMmad<MmadAtlasA2PreloadAsync<...>>``: loads run ahead of products, across blocks.

    With callbacks it is that of ``MmadAtlasA2PreloadAsyncWithCallback<...>``.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.loaded: list[tuple[KernelTensor, int, bool, bool, Around]] = []
        """The tiles in L1: C, the extent along K, whether the block's first and its last, callbacks."""

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free."""
        l1 = [n for pair in zip(self.l1a.ids, self.l1b.ids, strict=True) for n in pair]
        return flags_of(l1, (*self.l0a.ids, *self.l0b.ids), self.l0c.ids)

    def __call__(
        self,
        a: KernelTensor,
        b: KernelTensor,
        c: KernelTensor,
        following: tuple[KernelTensor, KernelTensor] | None = None,
        around: Around = (),
    ) -> None:
        """Load a block, and multiply what was loaded before.

        Args:
            around: What is done before Fixpipe and after it: CATLASS's callbacks.
        """
        tiles, k = self.k_tiles(a), int(a.origin_shape[1])
        start = self.ctx.block_idx if self.policy.values["shuffle_k"] else 0
        for turn in range(tiles):
            tile = (start + turn) % tiles
            self.load(a, b, tile, ahead=len(self.loaded))
            if len(self.loaded) == self.policy.facts.preload:
                self.multiply_next()
            depth = min(self.l1.k, k - tile * self.l1.k)
            self.loaded.append((c, depth, turn == 0, turn == tiles - 1, around))

    def multiply_next(self) -> None:
        """Multiply the tiles that were loaded first."""
        c, depth, is_first, is_last, around = self.loaded.pop(0)
        sums = self.sums(c)
        if is_first and not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        self.multiply(sums, depth, is_first, is_last)
        self.l1a.turn()
        self.l1b.turn()
        if is_last:
            for call in around[:1]:
                call()
            self.take_out(c, sums)
            for call in around[1:]:
                call()

    def finish(self) -> None:
        """Multiply what is loaded. CATLASS's ``SynchronizeBlock``."""
        while self.loaded:
            self.multiply_next()


class PingpongTla(Pingpong):
    """``BlockMmadTla<MmadPingpong<...>>``: its stages are the policy's, each buffer with its own."""

    SHARES_L0: ClassVar[bool] = False

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free, buffer by buffer."""
        l1, l0 = (*self.l1a.ids, *self.l1b.ids), (*self.l0a.ids, *self.l0b.ids)
        return flags_of(l1, l0, () if self.unit_flag else self.l0c.ids)

    def begin(self) -> None:
        """Set the modes of the core and the flags of all buffers."""
        self.ctx.set_hf32_mode(self.policy.facts.hf32)
        if self.by_rows:
            self.ctx.set_mm_layout_transform(True)
        super().begin()

    def end(self) -> None:
        """Leave the modes, and wait until all buffers are free."""
        if self.policy.facts.hf32:
            self.ctx.set_hf32_mode(False)
        if self.by_rows:
            self.ctx.set_mm_layout_transform(False)
        super().end()

    @property
    def mmad_id(self) -> int:
        """The id of the tile of sums."""
        return self.l0c.id

    def extents(self, m: int, n: int) -> tuple[int, int]:
        """The rows and columns themselves; on 2201 a single row would be a product of a vector."""
        return (16 if m == 1 and self.ctx.arch.code == 2201 else m), n


class Preload(Pingpong):
    """``BlockMmad<MmadAtlasA2Preload<...>>``: the next block's first tile is loaded during this one.

    With ``shuffle_k`` each core begins with another tile along K, so that they do not read the same
    bytes at once.
    """

    is_loaded: bool = False

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


class Streamk(Preload):
    """``BlockMmad<MmadAtlasA2Streamk<...>>``: as `Preload`; tiles of L0 are as long as L0 has room."""

    def l0_tile(self, a: Element, b: Element) -> GemmShape:
        """The tile with all of K that half of L0A and half of L0B hold."""
        parts: tuple[tuple[Position, Element, int], ...] = (
            ("L0A", a, self.l1.m), ("L0B", b, self.l1.n)
        )  # fmt: skip
        room = min(
            self.ctx.arch.capacity(position) // 2 // of.bytes_of(1) // extent // of.c0 * of.c0
            for position, of, extent in parts
        )
        room = room // 16 * 16 if a.name == b.name == "float" else room
        return self.l1._replace(k=min(room, self.l1.k))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free."""
        return super().flags[: -1 if self.unit_flag else None]
