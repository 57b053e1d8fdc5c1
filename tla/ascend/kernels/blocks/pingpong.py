# SPDX-License-Identifier: Apache-2.0
"""A block of a product with several tiles of each operand: one in use, the next on its way.

The instructions are those of CATLASS, in its order and with its parameters.

Source: CATLASS gemm/block/block_mmad_pingpong_tla.hpp, block_mmad_pingpong.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ....layouts import get_tile
from ....numbers import ceil_div, round_up
from ...buffers import l1_tag
from ...shapes import GemmShape, gemm_shape
from ..places import store_of

if TYPE_CHECKING:
    from types import TracebackType

    from ....ground import Self
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor

L1_TILE: Final = GemmShape(128, 256, 256)
L0_TILE: Final = GemmShape(128, 256, 64)


class Stages:
    """The tiles of a buffer in turn, each with the id of its flag."""

    def __init__(self, tiles: tuple[KernelTensor, ...], first_id: int = 0) -> None:
        self.tiles = tiles
        self.ids = tuple(range(first_id, first_id + len(tiles)))
        self.at = 0

    @property
    def tile(self) -> KernelTensor:
        """The tile in use."""
        return self.tiles[self.at]

    @property
    def id(self) -> int:
        """The id of its flag."""
        return self.ids[self.at]

    def ahead(self, by: int = 1) -> tuple[KernelTensor, int]:
        """The tile that comes next, and the id of its flag."""
        at = (self.at + by) % len(self.tiles)
        return self.tiles[at], self.ids[at]

    def turn(self) -> None:
        """Go on to the next tile."""
        self.at = (self.at + 1) % len(self.tiles)


class MmadPingpong:
    """CATLASS's ``BlockMmadTla<MmadPingpong<...>>``: ``with MmadPingpong(ctx, A, B, C) as block_mmad:``.

    Args:
        ctx: The cube core.
        a, b, c: The matrices: their element types and tags decide.
        l1, l0: The tiles in L1 and in L0.
        unit_flag: Whether Fixpipe takes out each fractal of sums as soon as it is done.
        stages: How many tiles: of A and B in L1, of A in L0A, of B in L0B.
        l0c_stages: How many tiles of sums; with unit flag there is one.
    """

    def __init__(
        self,
        ctx: Context,
        a: KernelTensor,
        b: KernelTensor,
        c: KernelTensor,
        l1: ShapeLike = L1_TILE,
        l0: ShapeLike = L0_TILE,
        *,
        unit_flag: bool = True,
        stages: tuple[int, int, int, int] = (2, 2, 2, 2),
        l0c_stages: int = 1,
    ) -> None:
        self.ctx, self.l1, self.l0 = ctx, gemm_shape(l1, "l1 tile"), gemm_shape(l0, "l0 tile")
        self.unit_flag = unit_flag
        self.by_rows = unit_flag and store_of(c).tag == "RowMajor"
        kinds = store_of(a).element, store_of(b).element
        self.tags = tuple([l1_tag(store_of(x).tag or "RowMajor") for x in (a, b)])
        self.aligns_k = ctx.arch.code == 2201 and kinds[0].name == "float" and self.tags[0] == "nZ"
        sums = ctx.arch.product(*kinds).accumulator
        l1, l0, step = self.l1, self.l0, self._l0_step
        self.l1a = Stages(ctx.alloc("L1", a, (l1.m, l1.k), stages[0]))
        self.l1b = Stages(ctx.alloc("L1", b, (l1.k, l1.n), stages[1]), stages[0])
        self.l0a = Stages(step("L0A", kinds[0], (l0.m, l0.k), stages[2]))
        self.l0b = Stages(step("L0B", kinds[1], (l0.k, l0.n), stages[3]), stages[2])
        self.l0c = Stages(ctx.alloc("L0C", sums, (l1.m, l1.n), 1 if unit_flag else l0c_stages))

    def _l0_step(self, position: Any, of: Any, shape: tuple[int, int], stages: int) -> Any:
        return self.ctx.alloc(position, of, shape, stages)

    def __enter__(self) -> Self:
        ctx = self.ctx
        ctx.set_hf32_mode(False)
        if self.by_rows:
            ctx.set_mm_layout_transform(True)
        for number in (*self.l1a.ids, *self.l1b.ids):
            ctx.set_flag("MTE1_MTE2", number)
        for number in (*self.l0a.ids, *self.l0b.ids):
            ctx.set_flag("M_MTE1", number)
        if not self.unit_flag:
            for number in self.l0c.ids:
                ctx.set_flag("FIX_M", number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._end()

    def _end(self) -> None:
        ctx = self.ctx
        if self.by_rows:
            ctx.set_mm_layout_transform(False)
        for number in (*self.l1a.ids, *self.l1b.ids):
            ctx.wait_flag("MTE1_MTE2", number)
        for number in (*self.l0a.ids, *self.l0b.ids):
            ctx.wait_flag("M_MTE1", number)
        if not self.unit_flag:
            for number in self.l0c.ids:
                ctx.wait_flag("FIX_M", number)

    def _extents(self, m: int, n: int) -> tuple[int, int]:
        """The rows and columns that are multiplied; a single row would be a product of a vector."""
        return 16 if m == 1 and self.ctx.arch.code == 2201 else m, n

    def __call__(self, a: KernelTensor, b: KernelTensor, c: KernelTensor) -> None:
        """Multiply the tiles of a block into its tile of C."""
        ctx, l1 = self.ctx, self.l1
        (rows, k), columns = map(int, a.origin_shape), int(b.origin_shape[1])
        m, n = self._extents(rows, columns)
        sums = ctx.make_tensor(self.l0c.tile, (m, n))
        tiles = ceil_div(k, l1.k)
        self.load(a, b, 0, 0)
        if not self.unit_flag:
            ctx.wait_flag("FIX_M", self.l0c.id)
        for tile in range(tiles):
            if tile < tiles - 1:
                self.load(a, b, tile + 1, 1)
            extents = GemmShape(m, n, min(l1.k, k - tile * l1.k))
            self.multiply(sums, extents, tile == 0, tile == tiles - 1)
            self.l1a.turn()
            self.l1b.turn()
        self.take_out(c, sums)

    def load(self, a: KernelTensor, b: KernelTensor, tile: int, ahead: int) -> None:
        """Load a tile of A and one of B from global memory to L1."""
        ctx, at, (m, n, k) = self.ctx, tile * self.l1.k, self.l1
        l1a, number = self.l1a.ahead(ahead)
        ctx.wait_flag("MTE1_MTE2", number)
        ctx.copy_gm_to_l1(l1a, get_tile(a, (0, at), (m, k)))
        ctx.set_flag("MTE2_MTE1", number)
        l1b, number = self.l1b.ahead(ahead)
        ctx.wait_flag("MTE1_MTE2", number)
        ctx.copy_gm_to_l1(l1b, get_tile(b, (at, 0), (k, n)))
        ctx.set_flag("MTE2_MTE1", number)

    def multiply(self, sums: KernelTensor, extents: GemmShape, is_first: bool, is_last: bool) -> None:
        """Multiply the tiles in L1: tiles of L0A by tiles of L0B, each onto its sums."""
        ctx, l0, (m, n, k) = self.ctx, self.l0, extents
        m_tiles, n_tiles, k_tiles = l0.tiles_of(extents)
        for m0 in range(m_tiles):
            rows = min(l0.m, m - m0 * l0.m)
            for k0 in range(k_tiles):
                depth = min(l0.k, k - k0 * l0.k)
                l0a = ctx.make_tensor(self.l0a.tile, (rows, depth))
                ctx.wait_flag("M_MTE1", self.l0a.id)
                if m0 == k0 == 0:
                    ctx.wait_flag("MTE2_MTE1", self.l1a.id)
                ctx.copy_l1_to_l0a(l0a, get_tile(self.l1a.tile, (m0 * l0.m, k0 * l0.k), (rows, depth)))
                ends = m0 == m_tiles - 1 and k0 == k_tiles - 1
                if ends:
                    ctx.set_flag("MTE1_MTE2", self.l1a.id)
                for n0 in range(n_tiles):
                    columns = min(l0.n, n - n0 * l0.n)
                    l0b = ctx.make_tensor(self.l0b.tile, (depth, columns))
                    ctx.wait_flag("M_MTE1", self.l0b.id)
                    if m0 == k0 == n0 == 0:
                        ctx.wait_flag("MTE2_MTE1", self.l1b.id)
                    ctx.copy_l1_to_l0b(l0b, get_tile(self.l1b.tile, (k0 * l0.k, n0 * l0.n), (depth, columns)))
                    if ends and n0 == n_tiles - 1:
                        ctx.set_flag("MTE1_MTE2", self.l1b.id)
                    ctx.set_flag("MTE1_M", self.l0c.id)
                    ctx.wait_flag("MTE1_M", self.l0c.id)
                    unit_flag = (3 if is_last and ends and n0 == n_tiles - 1 else 2) if self.unit_flag else 0
                    ctx.tile_mmad(
                        get_tile(sums, (m0 * l0.m, n0 * l0.n), (rows, columns)), l0a, l0b, rows, columns, depth,
                        is_first and k0 == 0, unit_flag, k_direction_align=self.aligns_k,
                    )  # fmt: skip
                    ctx.set_flag("M_MTE1", self.l0b.id)
                    self.l0b.turn()
                ctx.set_flag("M_MTE1", self.l0a.id)
                self.l0a.turn()

    def take_out(self, c: KernelTensor, sums: KernelTensor) -> None:
        """Take the sums out to C."""
        ctx = self.ctx
        if self.unit_flag:
            ctx.copy_l0c_to_gm(c, sums, 3)
            return
        ctx.set_flag("M_FIX", self.l0c.id)
        ctx.wait_flag("M_FIX", self.l0c.id)
        ctx.copy_l0c_to_gm(c, sums)
        ctx.set_flag("FIX_M", self.l0c.id)
        self.l0c.turn()


class MmadAtlasA2Pingpong(MmadPingpong):
    """CATLASS's ``BlockMmad<MmadAtlasA2Pingpong<...>>``: two stages, blocks rounded up to fractals."""

    def _l0_step(self, position: Any, of: Any, shape: tuple[int, int], stages: int) -> Any:
        ctx = self.ctx
        step = ctx.arch.capacity(position) // stages
        return tuple([ctx.alloc(position, of, shape, start=i * step) for i in range(stages)])

    def __enter__(self) -> Self:
        ctx = self.ctx
        for stage in range(2):
            ctx.set_flag("MTE1_MTE2", self.l1a.ids[stage])
            ctx.set_flag("MTE1_MTE2", self.l1b.ids[stage])
            ctx.set_flag("M_MTE1", self.l0a.ids[stage])
            ctx.set_flag("M_MTE1", self.l0b.ids[stage])
        ctx.set_flag("FIX_M", 0)
        return self

    def _end(self) -> None:
        ctx = self.ctx
        for stage in range(2):
            ctx.wait_flag("MTE1_MTE2", self.l1a.ids[stage])
            ctx.wait_flag("MTE1_MTE2", self.l1b.ids[stage])
            ctx.wait_flag("M_MTE1", self.l0a.ids[stage])
            ctx.wait_flag("M_MTE1", self.l0b.ids[stage])
        ctx.wait_flag("FIX_M", 0)

    def _extents(self, m: int, n: int) -> tuple[int, int]:
        c0 = store_of(self.l1a.tile).element.c0
        rows, columns = 16 if self.tags[0] == "zN" else c0, 16 if self.tags[1] == "nZ" else c0
        return int(round_up(m, rows)), int(round_up(n, columns))
