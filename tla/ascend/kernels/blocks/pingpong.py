# SPDX-License-Identifier: Apache-2.0
"""Blocks with several tiles of each operand in L1: one in use, the next on its way.

Source: CATLASS gemm/block/block_mmad_pingpong_tla.hpp, block_mmad_pingpong.hpp, block_mmad_preload.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from .mmad import BlockMmad, flags_of

if TYPE_CHECKING:
    from ...arch import Position
    from ...elements import Element
    from ...shapes import GemmShape
    from ..issuing import HardEvent
    from .mmad import Job


class Pingpong(BlockMmad):
    """``BlockMmad<MmadAtlasA2Pingpong<...>>``: the next tile of the block is loaded during this one."""

    SHARES_L0: ClassVar[bool] = True

    def compute(self, job: Job) -> None:
        sums, last = self.sums(job.c), len(job.tiles) - 1
        self.load(job.a, job.b, 0)
        self.load_bias(job.bias)
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        for tile in job.tiles:
            if tile < last:
                self.load(job.a, job.b, tile + 1, ahead=1)
            self.multiply(sums, self.depth(job, tile), tile == 0, tile == last)
            self.turn_l1()
        self.take_out(job, sums)


class PingpongBias(Pingpong):
    """``BlockMmad<MmadAtlasA2PingpongBias<...>>``."""

    TAKES_BIAS: ClassVar[bool] = True


class PreloadAsync(BlockMmad):
    """``BlockMmad<MmadAtlasA2PreloadAsync<...>>``: loads run ahead of products, across blocks.

    With callbacks it is that of ``MmadAtlasA2PreloadAsyncWithCallback<...>``.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.loaded: list[tuple[Job, int]] = []
        """The tiles in L1: of which block, and which of its tiles."""

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free."""
        l1 = [n for pair in zip(self.l1a.ids, self.l1b.ids, strict=True) for n in pair]
        return flags_of(l1, (*self.l0a.ids, *self.l0b.ids), self.l0c.ids)

    def compute(self, job: Job) -> None:
        """Load a block, and multiply what was loaded before."""
        for turn, tile in enumerate(job.tiles):
            self.load(job.a, job.b, tile, ahead=len(self.loaded))
            if len(self.loaded) == self.policy.facts.preload:
                self.multiply_next()
            self.loaded.append((job, turn))

    def multiply_next(self) -> None:
        """Multiply the tiles that were loaded first."""
        job, turn = self.loaded.pop(0)
        sums, is_last = self.sums(job.c), turn == len(job.tiles) - 1
        if turn == 0 and not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        self.multiply(sums, self.depth(job, turn), turn == 0, is_last)
        self.turn_l1()
        if is_last:
            self.take_out(job, sums)

    def finish(self) -> None:
        """Multiply what is loaded. CATLASS's ``SynchronizeBlock``."""
        while self.loaded:
            self.multiply_next()


class PingpongTla(Pingpong):
    """``BlockMmadTla<MmadPingpong<...>>``: its stages are the policy's, each buffer with its own."""

    SHARES_L0: ClassVar[bool] = False
    TAKES_BIAS: ClassVar[bool] = True

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free, buffer by buffer."""
        l1 = (*self.l1a.ids, *self.l1b.ids)
        l0 = () if self.beside is not None else (*self.l0a.ids, *self.l0b.ids)
        return flags_of(l1, l0, () if self.unit_flag else self.l0c.ids) + self.bias_flags

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

    LOOKS_AHEAD: ClassVar[bool] = True
    is_loaded: bool = False

    def compute(self, job: Job) -> None:
        sums, last = self.sums(job.c), len(job.tiles) - 1
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        if not self.is_loaded:
            self.load(job.a, job.b, job.tiles[0])
        for turn in range(last + 1):
            if turn < last:
                self.load(job.a, job.b, job.tiles[turn + 1], ahead=1)
            elif job.following is not None:
                self.load(*job.following, self.start % self.k_tiles(job.following[0]), ahead=1)
            self.l0a.at = self.l0b.at = 0
            self.multiply(sums, self.depth(job, turn), turn == 0, turn == last)
            self.turn_l1()
        self.is_loaded = job.following is not None
        self.take_out(job, sums)


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
