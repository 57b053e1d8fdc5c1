# SPDX-License-Identifier: Apache-2.0
"""Products of int8 whose sums vector cores scale, by column and by row, block for block.

Source: CATLASS gemm/kernel/quant_matmul_multistage_workspace.hpp, grouped_matmul_slice_*_per_token_
dequant*.hpp; epilogue/block/block_epilogue_per_token_dequant.hpp, epilogue/tile/tile_broadcast_mul.hpp.
"""
# ruff: noqa: N803, N806 (tensors have the names of CATLASS)

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ....layouts import Layout, get_tile
from ....numbers import ceil_div
from ...plans import policy as policy_named
from ...schedules import positive
from ...shapes import GemmShape, gemm_shape
from ..places import part_of, store_of
from ..simulation import kernel
from .epilogue import Epilogue, with_epilogue
from .grouped import groups_of, rows_of
from .matmul import L0_TILE, L1_TILE, Part, deal, multiply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...elements import Element, ElementLike
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor
    from .matmul import Block
    from .mmad import Around

_L1_TILE: Final = GemmShape(128, 256, 512)
_L0_TILE: Final = GemmShape(128, 256, 128)
_LANES: Final = 64
_BLOCK: Final = 8
_REPEATS: Final = 255


class _ByTiles(Epilogue):
    """An epilogue whose tiles are dealt to the two vector cores in turn, column by column."""

    ctx: Context
    tile: tuple[int, int]

    def __call__(self, block: Block, sums: KernelTensor | None = None) -> None:
        """Scale a block.

        Args:
            sums: Its sums; by default they lie in its tile of C.
        """
        raise NotImplementedError

    def _tiles(self, d: KernelTensor) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """The first element and the extents of each tile of a block that is this core's."""
        (m, n), (rows, columns) = map(int, d.origin_shape), self.tile
        down, across = int(ceil_div(m, rows)), int(ceil_div(n, columns))
        for number in range(self.ctx.sub_block_idx, down * across, self.ctx.sub_block_num):
            at = number % down * rows, number // down * columns
            yield at, (min(rows, m - at[0]), min(columns, n - at[1]))

    def _by_rows(self, to: KernelTensor, x: KernelTensor, blocks: KernelTensor) -> None:
        """Multiply each row by its block of one scale. ``TileOneBlkColumnBroadcastMul``."""
        (rows, columns), pitch = self.tile, self.tile[1] // _BLOCK
        tall = {"dstBlkStride": pitch, "src0BlkStride": pitch, "dstRepStride": 1, "src0RepStride": 1}
        for row in range(0, rows, _BLOCK):
            for column in range(0, columns, _BLOCK * _REPEATS):
                lanes = min(_BLOCK, rows - row) * _BLOCK
                repeat = min(columns - column, _BLOCK * _REPEATS) // _BLOCK
                parts = [part_of(t, (row * columns + column,), (columns,)) for t in (to, x)]
                factor = part_of(blocks, (row * _BLOCK,), (_LANES,))
                self.ctx.mul(*parts, factor, mask=lanes, repeat=repeat, src1RepStride=0, **tall)


class PerTokenDequant(_ByTiles):
    """D = C * Scale * PerTokenScale on a vector core, every other tile of a block.

    CATLASS's ``BlockEpilogue<EpilogueAtlasA2PerTokenDequant<stages>, ...>``.

    Args:
        ctx: The vector core.
        like: Tensors of the element types: sums of int32, and as `Part.more` the scales of columns, of
            rows and the result, of half, bfloat16 or float.
        tile: The rows and columns of a tile in UB.
        tla: Whether it is ``EpilogueAtlasA2PerTokenDequantTla``, whose scales are matrices.
    """

    def __init__(
        self, ctx: Context, like: Part, tile: tuple[int, int] = (32, 256), stages: int = 2,
        tla: bool = False,
    ) -> None:  # fmt: skip
        self.ctx = ctx
        self.tla: bool = tla
        self.tile = tile
        rows, columns = (positive(name, n) for name, n in zip(("tile m", "tile n"), tile, strict=True))
        sizes = (rows * columns, columns, rows, rows * columns)
        self.stages: list[list[KernelTensor]] = [
            [ctx.alloc("UB", x, (n,)) for x, n in zip((like.c, *like.more), sizes, strict=True)]
            for _ in range(stages)
        ]
        """The buffers of C, both scales and D."""
        self.has_floats: bool = all(store_of(x).element.name == "float" for x in like.more[:2])
        """Whether the scales are floats, which need no cast."""
        rest = (rows * columns, columns, rows * columns, rows, rows * _BLOCK)
        needed = rest[::2] if self.has_floats else rest
        self.floats: list[KernelTensor] = [ctx.alloc("UB", "float", (n,)) for n in needed]
        """C, the scales of columns, the result, the scales of rows, and these in blocks."""
        is_near = self.tla and self.has_floats and store_of(like.more[2]).element.name == "half"
        self.rounding: str = "CAST_NONE" if is_near else "CAST_RINT"
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

    def __call__(self, block: Block, sums: KernelTensor | None = None) -> None:
        """Scale a block.

        Args:
            sums: Its sums; by default they lie in its tile of C.
        """
        scale, tokens, d = block.part.more
        c = block.of(block.part.c) if sums is None else sums
        scale, tokens, d = block.of(scale), block.of_rows(tokens), block.of(d)
        ctx, (rows, columns) = self.ctx, self.tile
        for at, extents in self._tiles(d):
            ub_c, ub_scale, ub_tokens, ub_d = self.stages[self.at]
            layout = Layout(extents, (columns, 1))
            sources = (
                (ctx.make_tensor(ub_c, layout), get_tile(c, at, extents)),
                self._scales(ub_scale, block.part.more[0], get_tile(scale, at[1:], extents[1:])),
                self._scales(ub_tokens, block.part.more[1], get_tile(tokens, at[:1], extents[:1])),
            )
            for part, (to, x) in enumerate(sources):
                ctx.wait_flag("V_MTE2", 3 * self.at + part)
                ctx.copy_gm_to_ub(to, x)
                ctx.set_flag("MTE2_V", 3 * self.at + part)
            made = self._multiply()
            ctx.wait_flag("MTE3_V", self.at)
            ctx.cast(ub_d, made, self.rounding, rows * columns)
            self._take_out(get_tile(d, at, extents))

    def clear(self, block: Block) -> None:
        d = block.of(block.part.more[2])
        for at, extents in self._tiles(d):
            self.ctx.wait_flag("MTE3_V", self.at)
            self.ctx.duplicate(self.stages[self.at][3], 0, self.tile[0] * self.tile[1])
            self._take_out(get_tile(d, at, extents))

    def _take_out(self, d: KernelTensor) -> None:
        """Write the result in UB to a tile of D, and go on to the next stage."""
        ctx, layout = self.ctx, Layout(tuple(map(int, d.origin_shape)), (self.tile[1], 1))
        ctx.set_flag("V_MTE3", self.at)
        ctx.wait_flag("V_MTE3", self.at)
        ctx.copy_ub_to_gm(d, ctx.make_tensor(self.stages[self.at][3], layout))
        ctx.set_flag("MTE3_V", self.at)
        self.at = (self.at + 1) % len(self.stages)

    def _scales(
        self, to: KernelTensor, whole: KernelTensor, part: KernelTensor
    ) -> tuple[KernelTensor, KernelTensor]:
        """Some scales in UB and in global memory."""
        count = int(part.origin_shape[0])
        if not self.tla:
            return self.ctx.make_tensor(to, (count,)), part
        pitches = int(to.layout.cosize), int(whole.origin_shape[0])
        rows = [Layout((1, count), (pitch, 1)) for pitch in pitches]
        return self.ctx.make_tensor(to, rows[0]), self.ctx.make_tensor(part, rows[1])

    def _when_loaded(self, part: int, call: Callable[..., object], *given: Any) -> None:
        """Use one of the loads when it is there, and free its place."""
        self.ctx.wait_flag("MTE2_V", 3 * self.at + part)
        call(*given)
        self.ctx.set_flag("V_MTE2", 3 * self.at + part)

    def _multiply(self) -> KernelTensor:
        """Return a tile of sums as floats, times both scales."""
        ctx, (rows, columns), (c, scale, tokens, _) = self.ctx, self.tile, self.stages[self.at]
        sums, made, blocks = self.floats[:: 1 if self.has_floats else 2]
        self._when_loaded(0, ctx.cast, sums, c, "CAST_RINT", rows * columns)
        bring = int(ceil_div(rows, _BLOCK))
        if self.has_floats:
            ctx.pipe_barrier("V")
            self._when_loaded(1, self._by_columns, made, sums, scale)
            if self.tla:
                ctx.pipe_barrier("V")
            self._when_loaded(2, ctx.brcb, blocks, tokens, bring)
            result = sums
        else:
            by_column, by_row = self.floats[1::2]
            self._when_loaded(1, ctx.cast, by_column, scale, "CAST_NONE", columns)
            self._when_loaded(2, ctx.cast, by_row, tokens, "CAST_NONE", rows)
            ctx.pipe_barrier("V")
            self._by_columns(made, sums, by_column)
            ctx.brcb(blocks, by_row, bring)
            result = made
        ctx.pipe_barrier("V")
        self._by_rows(result, made, blocks)
        ctx.pipe_barrier("V")
        return result

    def _by_columns(self, to: KernelTensor, x: KernelTensor, scales: KernelTensor) -> None:
        """Multiply each row by the scales of columns. ``TileRowBroadcastMul``."""
        (rows, columns), pitch = self.tile, self.tile[1] // _BLOCK
        wide = {"dstRepStride": pitch, "src0RepStride": pitch, "src1RepStride": 0}
        for row in range(0, rows, _REPEATS):
            for column in range(0, columns, _LANES):
                lanes, repeat = min(_LANES, columns - column), min(_REPEATS, rows - row)
                parts = [part_of(t, (row * columns + column,), (lanes,)) for t in (to, x)]
                factor = part_of(scales, (column,), (lanes,))
                self.ctx.mul(*parts, factor, mask=lanes, repeat=repeat, **wide)


class PerTokenScaleOfHalf(_ByTiles):
    """D = C * PerTokenScale on a vector core, every other tile of a block; C is of half.

    CATLASS's ``BlockEpilogue<EpilogueAtlasA2W4A4PerTokenPerChannelDequant, ...>``.
    """

    def __init__(self, ctx: Context, like: Part, tile: tuple[int, int] = (48, 256)) -> None:
        self.ctx = ctx
        self.tile = tile
        rows, columns = (positive(name, n) for name, n in zip(("tile m", "tile n"), tile, strict=True))
        counts = (rows * columns, rows, rows * columns)
        self.loads: list[KernelTensor] = [
            ctx.alloc("UB", x, (n,)) for x, n in zip((like.c, *like.more), counts, strict=True)
        ]
        """The buffers of C, the scales and D."""
        self.floats: KernelTensor = ctx.alloc("UB", "float", (rows * columns,))
        self.blocks: KernelTensor = ctx.alloc("UB", "float", (rows * _BLOCK,))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flag that says that the buffers are free."""
        return [("MTE3_MTE2", 0)]

    def __call__(self, block: Block, sums: KernelTensor | None = None) -> None:
        """Scale the sums of a block."""
        ctx, (c, tokens, d), (rows, columns) = self.ctx, self.loads, self.tile
        scales, result = block.of_rows(block.part.more[0]), block.of(block.part.more[1])
        whole = block.of(block.part.c) if sums is None else sums
        for at, extents in self._tiles(result):
            layout, count = Layout(extents, (columns, 1)), extents[0] * columns
            ctx.wait_flag("MTE3_MTE2", 0)
            ctx.copy_gm_to_ub(ctx.make_tensor(c, layout), get_tile(whole, at, extents))
            row = ctx.make_tensor(tokens, extents[:1])
            ctx.copy_gm_to_ub(row, get_tile(scales, at[:1], extents[:1]))
            ctx.set_flag("MTE2_V", 0)
            ctx.wait_flag("MTE2_V", 0)
            ctx.cast(self.floats, c, "CAST_NONE", count)
            ctx.pipe_barrier("V")
            ctx.brcb(self.blocks, tokens, int(ceil_div(rows, _BLOCK)))
            ctx.pipe_barrier("V")
            self._by_rows(self.floats, self.floats, self.blocks)
            ctx.pipe_barrier("V")
            ctx.cast(d, self.floats, "CAST_RINT", count)
            ctx.set_flag("V_MTE3", 0)
            ctx.wait_flag("V_MTE3", 0)
            ctx.copy_ub_to_gm(get_tile(result, at, extents), ctx.make_tensor(d, layout))
            ctx.set_flag("MTE3_MTE2", 0)


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

    Raises:
        CongruenceError: the scales are not one for each column, and one for each row.
    """
    part, tla = Part(A, B, D, None, (Scale, PerTokenScale, D)), policy_named(policy).family.api == "tla"
    made = partial(PerTokenDequant, ctx, tile=tile, stages=stages, tla=tla)
    _in_stages(ctx, [part], part, (policy, l1, l0), swizzle, stages, _sums(ctx, A, B), made)


@kernel("AtlasA2", core="MIX")
def w4a4_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, Scale: KernelTensor, PerTokenScale: KernelTensor,
    D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant<1,2,2,2,1,false,true>",
    l1: ShapeLike = (128, 256, 1024), l0: ShapeLike = (128, 256, 256),
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>", tile: tuple[int, int] = (48, 256),
    stages: int = 2,
) -> None:  # fmt: skip
    """D = half(A B * Scale[n]) * PerTokenScale[m]. CATLASS's ``W4A4MatmulPerTokenPerChannelDequant``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, b = (gm(np.full(2048, 0x11, np.uint8), tag) for tag in ("RowMajor<int4b_t>(64,64)",) * 2)
    >>> scale = np.full(64, 0.5, np.float32).view(np.uint32).astype(np.uint64)
    >>> tokens, d = np.arange(64, dtype=np.float32), np.zeros((64, 64), np.float16)
    >>> tiles = {"l1": (64, 64, 64), "l0": (64, 64, 64), "tile": (16, 64)}
    >>> run = simulate(w4a4_matmul, a, b, scale, tokens, d, **tiles)
    >>> bool((run["D"] == 64 * 0.5 * tokens[:, None]).all()), run.findings
    (True, ())

    Args:
        Scale: A word of 64 bits for each column, as Fixpipe takes it: its low half is a float.
        PerTokenScale: A float for each row.
        stages: How many blocks of sums each cube core hands over before it waits.

    Raises:
        CongruenceError: the scales are not one for each column, and one for each row.
    """
    part = Part(A, B, D, None, (PerTokenScale, D), scales=(Scale,))
    made = partial(PerTokenScaleOfHalf, ctx, tile=tile)
    _in_stages(ctx, [part], part, (policy, l1, l0), swizzle, stages, "half", made)


@kernel("AtlasA2", core="MIX")
def grouped_quant_matmul_slice_m(
    ctx: Context, GroupList: KernelTensor, A: KernelTensor, B: KernelTensor, Scale: KernelTensor,
    PerTokenScale: KernelTensor, D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsyncWithCallback<1,2,2,2,1,false,true>",
    l1: ShapeLike = _L1_TILE, l0: ShapeLike = _L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>", tile: tuple[int, int] = (32, 256),
    stages: int = 2,
) -> None:  # fmt: skip
    """D = A B[group] * Scale[group] * PerTokenScale for the rows of each group.

    CATLASS's ``GroupedMatmulSliceMPerTokenDequantMultiStageWorkspace``; with a policy without callbacks
    its ``GroupedMatmulSliceMPerTokenDequant``, whose workspace has all sums.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, b = np.ones((40, 64), np.int8), np.ones((2, 64, 32), np.int8)
    >>> b = gm(b, "RowMajor<int8_t>(64,32,batch=2)")
    >>> scale, tokens = np.arange(64, dtype=np.float16).reshape(2, 32), np.ones(40, np.float16)
    >>> tiles = {"l1": (32, 32, 64), "l0": (32, 32, 32), "tile": (16, 64)}
    >>> ends, d = np.array([10, 40]), np.zeros((40, 32), np.float16)
    >>> run = simulate(grouped_quant_matmul_slice_m, ends, a, b, scale, tokens, d, **tiles)
    >>> bool((run["D"] == 64 * scale[[0] * 10 + [1] * 30]).all()), run.findings
    (True, ())

    Args:
        GroupList: The row behind the last of each group.
        Scale: The scales of columns, a row for each group.
    """
    is_staged = policy_named(policy).name.endswith("WithCallback")
    C = D if is_staged else ctx.workspace("Workspace", _sums(ctx, A, B), tuple(D.origin_shape))
    parts = (
        Part(
            rows_of(A, first, count), B[group, None, None], rows_of(C, first, count), None,
            (Scale[group, None], rows_of(PerTokenScale, first, count), rows_of(D, first, count)),
        )
        for group, first, count in groups_of(ctx, GroupList, int(A.origin_shape[0]), B, Scale)
    )  # fmt: skip
    like, how = Part(A, B, C, None, (Scale, PerTokenScale, D)), (policy, l1, l0)
    if is_staged:
        made = partial(PerTokenDequant, ctx, tile=tile, stages=stages)
        _in_stages(ctx, parts, like, how, swizzle, stages, _sums(ctx, A, B), made)
    else:
        _at_once(ctx, parts, like, how, swizzle, tile)


@kernel("AtlasA2", core="MIX")
def grouped_quant_matmul_slice_k(
    ctx: Context, GroupList: KernelTensor, A: KernelTensor, B: KernelTensor, Scale: KernelTensor,
    PerTokenScale: KernelTensor, D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsync<1,2,2,4,1,false,true>",
    l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>", tile: tuple[int, int] = (32, 256),
) -> None:  # fmt: skip
    """D[group] = A[:, group] B[group] * Scale[group] * PerTokenScale[group], where the groups cut K.

    CATLASS's ``GroupedMatmulSliceKPerTokenDequant``. D of a group without elements is filled with zeros,
    block for block.

    Args:
        GroupList: The element of K behind the last of each group.
        Scale, PerTokenScale: The scales of columns and of rows, a row for each group.
        D: One matrix for each group, one behind the other.
    """
    (groups, m, n), k = map(int, D.origin_shape), int(A.origin_shape[1])
    C = ctx.workspace("Workspace", _sums(ctx, A, B), (groups * m, n))
    parts = (
        Part(
            get_tile(A, (0, min(first, k - 1)), (m, max(count, 1))),
            rows_of(B, min(first, k - 1), max(count, 1)), rows_of(C, group * m, m), None,
            (Scale[group, None], PerTokenScale[group, None], D[group, None, None]), not count,
        )
        for group, first, count in groups_of(ctx, GroupList, k, Scale, PerTokenScale, D, empty=None)
    )  # fmt: skip
    like = Part(A, B, C, None, (Scale, PerTokenScale, D))
    _at_once(ctx, parts, like, (policy, l1, l0), swizzle, tile)


def _sums(ctx: Context, a: KernelTensor, b: KernelTensor) -> Element:
    return ctx.arch.accumulator(store_of(a).element, store_of(b).element)


def _at_once(
    ctx: Context, parts: Iterable[Part], like: Part, how: tuple[str | Policy, ShapeLike, ShapeLike],
    swizzle: str | BlockSwizzle, tile: tuple[int, int],
) -> None:  # fmt: skip
    """Scale blocks whose sums all have a place."""
    blocks = deal(ctx, swizzle, how[1], parts)
    with_epilogue(ctx, like, blocks, how, lambda: PerTokenDequant(ctx, like, tile))


def _in_stages(
    ctx: Context, parts: Iterable[Part], like: Part, how: tuple[str | Policy, ShapeLike, ShapeLike],
    swizzle: str | BlockSwizzle, stages: int, of: ElementLike, make: Callable[[Part], _ByTiles],
) -> None:  # fmt: skip
    """Scale blocks through a workspace of some blocks for each core."""
    l1, stages = gemm_shape(how[1]), positive("stages", stages)
    C = ctx.workspace("Workspace", of, (l1.m * ctx.block_num * stages, l1.n))
    blocks = deal(ctx, swizzle, l1, parts)
    turns = 0

    def place(block: Block) -> KernelTensor:
        first = (block.turn % stages * ctx.block_num + ctx.group_idx) * l1.m
        return get_tile(C, (first, 0), block.task.shape[:2])

    def around(block: Block) -> Around:
        nonlocal turns
        turns = block.turn + 1
        stage = block.turn % stages

        def before() -> None:
            if block.turn >= stages:
                ctx.cross_core_wait_flag(2 * stage + 1)

        return before, lambda: ctx.cross_core_set_flag(2 * stage, 2, "FIX")

    def finish() -> None:
        for turn in range(max(0, turns - stages), turns):
            ctx.cross_core_wait_flag(2 * (turn % stages) + 1)

    if ctx.is_aic:
        multiply(ctx, like._replace(c=C), blocks, how, place, around, finish)
    else:
        with make(like._replace(c=C)) as scaled:
            for block in blocks:
                stage = block.turn % stages
                ctx.cross_core_wait_flag(2 * stage)
                scaled(block, place(block))
                ctx.cross_core_set_flag(2 * stage + 1, 2, "MTE3")
            ctx.pipe_barrier("ALL")
