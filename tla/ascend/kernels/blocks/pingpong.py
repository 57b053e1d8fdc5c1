# SPDX-License-Identifier: Apache-2.0
"""Blocks with several tiles of each operand in L1: one in use, the next on its way.

Source: CATLASS gemm/block/block_mmad_pingpong_tla.hpp, block_mmad_pingpong.hpp, block_mmad_preload.hpp.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ....errors import LayoutError
from ....layouts import get_tile
from ....numbers import ceil_div, round_up
from ...tags import MX_GROUP, MX_K, SCALE
from ..places import operand_of, part_of, require_one_type, store_of
from .mmad import BlockMmad, Stages, behind, flags_of

if TYPE_CHECKING:
    from ...arch import Position
    from ...elements import Element
    from ...shapes import GemmShape
    from ..instructions import Operand
    from ..issuing import HardEvent
    from ..places import KernelTensor
    from .mmad import Job


class Pingpong(BlockMmad):
    """``BlockMmad<MmadAtlasA2Pingpong<...>>``: the next tile of the block is loaded during this one."""

    def compute(self, job: Job) -> None:
        sums, last = self.sums(job.c), len(job.tiles) - 1
        self.load(job.a, job.b, job.tiles[0])
        self.load_bias(job.bias)
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        for turn in range(last + 1):
            if turn < last:
                self.load(job.a, job.b, job.tiles[turn + 1], ahead=1)
            self.multiply(sums, job, turn)
            self.turn_l1()
        self.take_out(job, sums)


class PingpongBias(Pingpong):
    """``BlockMmad<MmadAtlasA2PingpongBias<...>>``."""

    TAKES_BIAS: ClassVar[bool] = True


class Small(Pingpong):
    """``BlockMmad<MmadAtlasA2Small<...>>``: one tile of K.

    Raises:
        LayoutError: K has several tiles.
    """

    HAS_ONE_FLAG: ClassVar[bool] = True

    def compute(self, job: Job) -> None:
        if len(job.tiles) > 1:
            words = f"{self.policy} multiplies one tile of K, and K has {len(job.tiles)}"
            raise LayoutError(words, "Take a tile of L1 as long as K, or another policy.")
        if not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        self.load(job.a, job.b, 0)
        sums = self.sums(job.c)
        self.multiply(sums, job, 0)
        self.take_out(job, sums)


class FullLoadA(Pingpong):
    """``BlockMmad<MmadAtlasA2FullLoadA<...>>``: the rows of A stay in L1 from block to block.

    Columns of int8 take whole blocks of 32 of K in L1, which a load reads; CATLASS's take 16.
    """

    KEEPS_A: ClassVar[bool] = True
    rows: Operand | None = None
    """The rows in L1."""

    def l1_stages(self, a: KernelTensor, b: KernelTensor, first_id: int) -> tuple[Stages, Stages]:
        ctx, (m, n, k), facts = self.ctx, self.l1, self.policy.facts
        at = (None, 0) if self.policy.family.b_first else (0, ctx.arch.l1 // 2)
        ids = first_id + (1 if self.policy.family.api == "tla" else facts.l1b)
        l1b = Stages(ctx.alloc("L1", b, (k, n), facts.l1b, start=at[1]), ids)
        whole = int(round_up(a.origin_shape[-1], k))  # a load reads whole blocks of K
        self.room: KernelTensor = ctx.alloc("L1", a, (m, whole), start=at[0])
        return Stages((self.room,), first_id), l1b

    def compute(self, job: Job) -> None:
        ctx, rows, number = self.ctx, operand_of(job.a), self.l1a.id
        for call in job.around[:1]:
            call()
        if rows != self.rows:
            self.rows, c0 = rows, store_of(job.a).element.c0
            extents = self.l1.m, int(round_up(job.a.origin_shape[1], c0))
            self.l1a.tiles = (ctx.make_tensor(self.room, extents),)
            ctx.set_flag("MTE1_MTE2", number)
            self.load_to(self.l1a, self.tile_from(job.a))
            ctx.wait_flag("MTE2_MTE1", number)
        super().compute(job._replace(around=behind(job.around[1]) if job.around else ()))


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
        sums = self.sums(job.c)
        if turn == 0 and not self.unit_flag:
            self.ctx.wait_flag("FIX_M", self.l0c.id)
        self.multiply(sums, job, turn)
        self.turn_l1()
        if turn == len(job.tiles) - 1:
            self.take_out(job, sums)

    def finish(self) -> None:
        """Multiply what is loaded. CATLASS's ``SynchronizeBlock``."""
        while self.loaded:
            self.multiply_next()


class ScaledAsync(PreloadAsync):
    """``BlockMmad<MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant<...>>``: Fixpipe scales each column.

    CATLASS copies the scales of a whole tile, here those of the block are copied.
    """

    SCALES: ClassVar[int] = 1

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        n, alloc = self.l1.n, self.ctx.alloc
        self.scales: Stages = Stages(alloc("L1", "uint64_t", (n,), self.policy.facts.l1a))
        self.in_use: KernelTensor = alloc("FB", "uint64_t", (n,))
        self.loaded_scales: list[tuple[int, int]] = []
        """Where the scales of the blocks lie that are not finished, and how many they are."""

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free, of A, B and their scales in turn."""
        found, count = super().flags, len(self.scales.ids)
        scales: list[tuple[HardEvent, int]] = [("FIX_MTE2", number) for number in self.scales.ids]
        each = [[*found[2 * stage : 2 * stage + 2], scales[stage]] for stage in range(count)]
        return [flag for flags in each for flag in flags] + found[2 * count :]

    def compute(self, job: Job) -> None:
        (scales,), number = job.scales, self.scales.id
        require_one_type("a copy of scales for Fixpipe", self.scales.tile, scales)
        count = int(scales.origin_shape[0])
        self.ctx.wait_flag("FIX_MTE2", number)
        self._bring("MTE2", self.scales.tile, scales, count, 32)
        self.ctx.set_flag("MTE2_FIX", number)
        self.loaded_scales.append((number, count))
        self.scales.turn()
        super().compute(job)

    def _bring(self, pipe: str, dst: KernelTensor, src: KernelTensor, count: int, unit: int) -> None:
        """Copy scales in blocks of some bytes."""
        blocks, zeros = int(ceil_div(8 * count, unit)), {"srcStride": 0, "dstStride": 0}
        fields = {"form": "block", "blockCount": 1, "blockLen": blocks, **zeros, "unit": f"{unit}B"}
        self.ctx.issue("DataCopy", pipe, {"dst": operand_of(dst), "src": operand_of(src)}, **fields)

    def _to_gm(self, c: KernelTensor, sums: KernelTensor, unit_flag: int = 0) -> None:
        ctx, (number, count) = self.ctx, self.loaded_scales.pop(0)
        ctx.wait_flag("MTE2_FIX", number)
        self._bring("FIX", self.in_use, self.scales.tiles[number], count, 128)
        ctx.set_flag("FIX_MTE2", number)
        ctx.pipe_barrier("FIX")
        ctx.issue("SetFixPipeConfig", "FIX", {"src": operand_of(self.in_use)})
        ctx.pipe_barrier("FIX")
        ctx.copy_l0c_to_gm(c, sums, unit_flag, scale="channel")


class _Unrounded(BlockMmad):
    """A block whose products are as large as its tiles."""

    def extents(self, m: int, n: int) -> tuple[int, int]:
        """The rows and columns themselves; on 2201 a single row would be a product of a vector."""
        return (16 if m == 1 and self.ctx.arch.code == 2201 else m), n


class PingpongTla(_Unrounded, Pingpong):
    """``BlockMmadTla<MmadPingpong<...>>``: its stages are the policy's, each buffer with its own."""

    TAKES_BIAS: ClassVar[bool] = True

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free, buffer by buffer."""
        l1 = (() if self.KEEPS_A else self.l1a.ids) + self.l1b.ids
        l0 = () if self.beside is not None else (*self.l0a.ids, *self.l0b.ids)
        return flags_of(l1, l0, () if self.unit_flag else self.l0c.ids) + self.bias_flags

    def begin(self) -> None:
        """Set the modes of the core and the flags of all buffers."""
        if "hf32" in self.policy.values:
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


class Mx(PingpongTla):
    """``BlockMmadTla<MmadMx<...>>``: with scales, those of several tiles along K at once."""

    SCALES: ClassVar[int] = 2
    K_UNIT: ClassVar[int] = MX_K
    first_scale: int = 0
    """Of the tile in use, in its tile of scales."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        (m, n, k), facts, alloc = self.l1, self.policy.facts, self.ctx.alloc
        self.factor: int = self.policy.values["l1_scale_factor_k"]
        groups = k // MX_GROUP * self.factor
        self.scales: tuple[Stages, Stages] = (
            Stages(alloc("L1", SCALE, (m, groups), facts.l1a, tag="MxScalezZ")),
            Stages(alloc("L1", SCALE, (groups, n), facts.l1b, tag="MxScalenN")),
        )

    def compute(self, job: Job) -> None:
        self.job = job
        super().compute(job)

    def load(self, a: KernelTensor, b: KernelTensor, tile: int, ahead: int = 0) -> None:
        at, (m, n, k) = tile * self.l1.k, self.l1
        tiles = get_tile(a, (0, at), (m, k)), get_tile(b, (at, 0), (k, n))
        for side, (stages, x) in enumerate(zip((self.l1a, self.l1b), tiles, strict=True)):
            self.load_to(stages, partial(self._copy_in, side, x, tile, ahead), ahead)

    def _copy_in(self, side: int, x: KernelTensor, tile: int, ahead: int, to: KernelTensor) -> None:
        """Copy a tile of A or B, zeros behind its K, and with the first of several their scales."""
        self.ctx.copy_gm_to_l1(to, x)
        self._fill(to, tuple(map(int, x.origin_shape)), 1 - side)
        if tile % self.factor == 0:
            scales = self.scales[side]
            place = scales.tiles[(scales.at + ahead) % len(scales.tiles)]
            first = tile * self.l1.k // MX_GROUP
            at = (first, 0) if side else (0, first)
            self.ctx.copy_gm_to_l1(place, get_tile(self.job.scales[side], at, place.origin_shape))

    def _fill(self, tile: KernelTensor, extents: tuple[int, ...], axis: int) -> None:
        """Fill a tile with zeros to a multiple of 64 along K, the axis."""
        c0, k, lines = store_of(tile).element.c0, extents[axis], extents[1 - axis]
        in_blocks = self.l1_tags[1 - axis] == ("nZ", "zN")[axis]
        valid = round_up(k, c0) if in_blocks else k
        count, gap = round_up(k, MX_K) - valid, 0
        if not count:
            return
        repeat, number = 1, lines
        if not in_blocks:
            repeat, number, gap = int(ceil_div(lines, c0)), count, self.l1.k - count
        first = int(tile.layout((0, valid) if axis else (valid, 0)))
        where = operand_of(tile, store_of(tile).element.bytes_of(first))._replace(dtype="uint16")
        fields = {"repeatTimes": repeat, "blockNum": number, "dstGap": gap, "initValue": 0}
        self.ctx.issue("InitConstValue", "MTE2", {"dst": where}, **fields)

    def multiply(self, sums: KernelTensor, job: Job, turn: int) -> None:
        self.first_scale = job.tiles[turn] % self.factor * self.l1.k // MX_GROUP
        super().multiply(sums, job, turn)
        if (turn + 1) % self.factor == 0 or turn == len(job.tiles) - 1:
            for scales in self.scales:
                scales.turn()

    def bring_a(self, l0a: KernelTensor, k: int, extents: tuple[int, int]) -> None:
        at, groups = self.first_scale + k // MX_GROUP, extents[1] // MX_GROUP
        scales = part_of(self.scales[0].tile, (0, at), (extents[0], groups))
        self.ctx.copy_l1_to_l0a(l0a, part_of(self.l1a.tile, (0, k), extents), scales)

    def bring_b(self, l0b: KernelTensor, at: tuple[int, int], extents: tuple[int, int]) -> None:
        first, groups = self.first_scale + at[0] // MX_GROUP, extents[0] // MX_GROUP
        scales = part_of(self.scales[1].tile, (first, at[1]), (groups, extents[1]))
        self.ctx.copy_l1_to_l0b(l0b, part_of(self.l1b.tile, at, extents), scales)


class PingpongTlaV2(_Unrounded, Pingpong):
    """``BlockMmadTla<MmadPingpongTlaV2<...>>``."""


class FullLoadATla(FullLoadA, PingpongTla):
    """``BlockMmadTla<MmadFullLoadA<...>>`` and ``BlockMmadTla<MmadAscend950FullLoadA<...>>``."""


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
            self.multiply(sums, job, turn)
            self.turn_l1()
        self.is_loaded = job.following is not None
        self.take_out(job, sums)


class Streamk(Preload):
    """``BlockMmad<MmadAtlasA2Streamk<...>>``: as `Preload`; tiles of L0 are as long as L0 has room."""

    HAS_ONE_FLAG: ClassVar[bool] = True

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


BLOCKS: Final[dict[str, type[BlockMmad]]] = {
    "MmadPingpong": PingpongTla, "MmadAtlasA2Pingpong": Pingpong, "MmadAtlasA2Preload": Preload,
    "MmadAtlasA2PreloadAsync": PreloadAsync, "MmadAtlasA2PreloadAsyncWithCallback": PreloadAsync,
    "MmadAtlasA2Streamk": Streamk, "MmadAtlasA2PingpongBias": PingpongBias,
    "MmadAtlasA2Small": Small, "MmadAtlasA2FullLoadA": FullLoadA, "MmadFullLoadA": FullLoadATla,
    "MmadAscend950FullLoadA": FullLoadATla, "MmadPingpongTlaV2": PingpongTlaV2, "MmadMx": Mx,
    "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant": ScaledAsync,
}  # fmt: skip
