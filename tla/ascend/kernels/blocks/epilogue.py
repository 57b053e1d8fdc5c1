# SPDX-License-Identifier: Apache-2.0
"""Products with an epilogue: cube cores hand each block to their two vector cores, half the rows each.

Source: CATLASS gemm/kernel/matmul_epilogue.hpp, matmul_activation.hpp, arch/cross_core_sync.hpp;
epilogue/block/block_epilogue_elemwise_*_source.hpp, epilogue/tile/tile_elemwise_*.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ....errors import CapacityError, UnsupportedError
from ....layouts import Layout, Tensor, get_tile
from ....numbers import ceil_div
from ...schedules import positive
from ...shapes import gemm_shape, rounded_up
from ...tags import make_layout_in_ub
from ..places import Store, store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE, Part, deal, multiply, problem_of
from .mmad import Flagged, behind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ....layouts import AnyLayout
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent, Pipe
    from ..places import KernelTensor
    from .matmul import Block
    from .mmad import Around

    Computing: TypeAlias = str | Callable[..., object]

REVERSE_DEPTH: Final = 15
"""How often a cross-core flag may be set before the other side answers: its counter ends at 15."""


class CrossCoreFlagWithReverse:
    """A flag from core to core, and one back after so many sets. CATLASS's class of the name."""

    def __init__(self, ctx: Context, flag: int, reverse: int, depth: int = REVERSE_DEPTH) -> None:
        self.ctx: Context = ctx
        self.flag: int = flag
        self.reverse: int = reverse
        self.depth: int = positive("depth", depth)
        self.count: int = 0

    def set(self, mode: int, pipe: Pipe) -> None:
        """Tell the other side that a pipe is done so far; now and then wait for its answer."""
        self.ctx.cross_core_set_flag(self.flag, mode, pipe)
        if self._is_full():
            self.ctx.cross_core_wait_flag(self.reverse)

    def wait(self, mode: int, pipe: Pipe) -> None:
        """Wait for the other side; now and then answer it."""
        self.ctx.cross_core_wait_flag(self.flag)
        if self._is_full():
            self.ctx.cross_core_set_flag(self.reverse, mode, pipe)

    def _is_full(self) -> bool:
        self.count = (self.count + 1) % self.depth
        return self.count == 0


def with_epilogue(
    ctx: Context, like: Part, blocks: Iterable[Block], how: tuple[str | Policy, ShapeLike, ShapeLike],
    epilogue: Callable[[], Epilogue], depth: int = REVERSE_DEPTH, pipe: Pipe = "MTE3",
) -> None:  # fmt: skip
    """Compute blocks on the cube core, and finish each on its two vector cores.

    Args:
        epilogue: What makes the epilogue of a vector core.
        depth: The blocks after which the cube core waits for the vector cores.
        pipe: The pipe that answers the cube core.
    """
    finished = CrossCoreFlagWithReverse(ctx, 0, 1, depth)
    if ctx.is_aic:
        full = (block for block in blocks if not block.part.is_empty)
        multiply(ctx, like, full, how, around=lambda _: behind(lambda: finished.set(2, "FIX")))
    else:
        with epilogue() as finish:
            for block in blocks:
                if block.part.is_empty:
                    finish.clear(block)
                    continue
                finished.wait(2, pipe)
                finish(block)
            ctx.pipe_barrier("ALL")


class Epilogue(Flagged):
    """What a vector core makes of each block of sums."""

    def __call__(self, block: Block) -> None:
        """Finish a block."""
        raise NotImplementedError

    def clear(self, block: Block) -> None:
        """Fill the result of a block with zeros."""
        raise NotImplementedError


class ElemWise(Epilogue):
    """D = f(C) or f(C, X) on a vector core, half of the rows of a block.

    CATLASS's ``EpilogueAtlasA2ElemWiseNoSource`` and ``EpilogueAtlasA2ElemWiseOneSource``.

    Args:
        compute: What computes a tile: the name of an instruction, or a function of the core, the result,
            C, X and the count.
        d: The result.
        x: The other source.
        length: The elements of a buffer in UB.
        pitch: The elements from one row of UB to the next; by default a row's, in blocks of 32 bytes.
    """

    def __init__(
        self, ctx: Context, compute: Computing, like: Part, d: KernelTensor,
        x: KernelTensor | None = None, length: int = 16384, pitch: int | None = None,
    ) -> None:  # fmt: skip
        self.ctx = ctx
        self.compute: Computing = compute
        self.length: int = positive("length", length)
        self.pitch: int | None = pitch
        self.outputs: tuple[KernelTensor, KernelTensor | None] = d, x
        sources = [like.c] if x is None else [like.c, x]
        self.sources: list[KernelTensor] = [ctx.alloc("UB", tensor, (length,)) for tensor in sources]
        self.d: KernelTensor = ctx.alloc("UB", d, (length,))
        kinds = store_of(like.c).element, store_of(d).element
        self.made: KernelTensor = self.d if kinds[0] == kinds[1] else ctx.alloc("UB", like.c, (length,))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of the sources and of the result."""
        return [("V_MTE2", 0), ("MTE3_V", 0)]

    def __call__(self, block: Block) -> None:
        ctx, (d, x) = self.ctx, self.outputs
        tiles = [rows_of_core(ctx, block.of(t)) for t in (block.part.c, x) if t is not None]
        ctx.wait_flag("V_MTE2", 0)
        for to, tile in zip(self.sources, tiles, strict=True):
            if tile is not None:  # a block of one row is the first vector core's
                ctx.copy_gm_to_ub(ctx.make_tensor(to, self._in_ub(tile)), tile)
        ctx.set_flag("MTE2_V", 0)
        ctx.wait_flag("MTE2_V", 0)
        ctx.wait_flag("MTE3_V", 0)
        compute(ctx, self.compute, self.made, *self.sources, self.length)
        if self.made is not self.d:
            ctx.cast(self.d, self.made, "CAST_NONE", self.length)
        ctx.set_flag("V_MTE2", 0)
        ctx.set_flag("V_MTE3", 0)
        ctx.wait_flag("V_MTE3", 0)
        tile = rows_of_core(ctx, block.of(d))
        if tile is not None:
            ctx.copy_ub_to_gm(tile, ctx.make_tensor(self.d, self._in_ub(tile)))
        ctx.set_flag("MTE3_V", 0)

    def _in_ub(self, tile: KernelTensor) -> AnyLayout:
        rows, columns = map(int, tile.origin_shape)
        if self.pitch is None:
            return make_layout_in_ub(store_of(tile).element, "RowMajor", rows, columns)
        return Layout((rows, columns), (self.pitch, 1))


def rows_of_core(ctx: Context, tile: KernelTensor) -> KernelTensor | None:
    """Return the half of a block's rows that a vector core has; None if the first has the only row."""
    rows, columns = map(int, tile.origin_shape)
    half = int(ceil_div(rows, ctx.sub_block_num))
    first = ctx.sub_block_idx * half
    return get_tile(tile, (first, 0), (min(half, rows - first), columns)) if first < rows else None


def gelu(ctx: Context, to: KernelTensor, x: KernelTensor, count: int) -> None:
    """x / (1 + exp(-1.5957691 (x + 0.044715 x^3))), that of tanh. ``TileElemWiseGelu``."""
    ctx.mul(to, x, x, count)
    ctx.mul(to, to, x, count)
    ctx.axpy(to, x, 22.3638592, count)
    ctx.muls(to, to, -0.0713548139, count)
    _over_one_and_exp(ctx, to, x, count)


def silu(ctx: Context, to: KernelTensor, x: KernelTensor, count: int) -> None:
    """x / (1 + exp(-x)). ``TileElemWiseSilu``."""
    ctx.muls(to, x, -1, count)
    _over_one_and_exp(ctx, to, x, count)


def compute(ctx: Context, what: Computing, *given: Any) -> None:
    """Issue an instruction by its name, or call a function with the core.

    Raises:
        UnsupportedError: a core has no instruction of the name.
    """
    if isinstance(what, str) and not hasattr(ctx, what):
        raise UnsupportedError(f"a vector core has no instruction {what!r}", "relu and exp are two.")
    (getattr(ctx, what) if isinstance(what, str) else partial(what, ctx))(*given)


def _over_one_and_exp(ctx: Context, to: KernelTensor, x: KernelTensor, count: int) -> None:
    ctx.exp(to, to, count)
    ctx.adds(to, to, 1, count)
    ctx.div(to, x, to, count)


@kernel("AtlasA2", core="MIX")
def matmul_add(
    ctx: Context, A: KernelTensor, B: KernelTensor, D: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Pingpong<true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>",
    length: int = 16384, depth: int = REVERSE_DEPTH,
) -> None:  # fmt: skip
    """D = A B + D. CATLASS's ``MatmulEpilogue`` with the elementwise sum of one source.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b, d = (np.ones(shape, np.float16) for shape in ((40, 32), (32, 48), (40, 48)))
    >>> run = simulate(matmul_add, a, b, d, l1=(32, 32, 32), l0=(32, 32, 32), cores=2)
    >>> bool((run["D"] == 33).all()), run.findings
    (True, ())

    Args:
        length: The elements of a buffer in UB.
        depth: The blocks after which the cube core waits for the vector cores.
    """
    problem = problem_of(A, B, D)
    part = Part(A, B, ctx.workspace("Workspace", D, (problem.m, problem.n)))
    blocks = deal(ctx, swizzle, l1, [part])
    epilogue = partial(ElemWise, ctx, "add", part, D, D, length)
    with_epilogue(ctx, part, blocks, (policy, l1, l0), epilogue, depth)


@kernel("AtlasA2", core="MIX")
def matmul_activation(
    ctx: Context, A: KernelTensor, B: KernelTensor, D: KernelTensor,
    activation: Computing = gelu, policy: str | Policy = "MmadAtlasA2Pingpong<true>",
    l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>", length: int = 16384,
) -> None:  # fmt: skip
    """D = f(A B). CATLASS's ``MatmulActivation``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b = np.ones((40, 32), np.float16), np.full((32, 48), -1, np.float16)
    >>> tiles = {"l1": (32, 32, 32), "l0": (32, 32, 32)}
    >>> run = simulate(matmul_activation, a, b, a @ b, activation="relu", **tiles)
    >>> bool((run["D"] == 0).all()), run.findings
    (True, ())

    Args:
        activation: `gelu`, `silu`, the name of an instruction, or a function as these two.
    """
    problem = problem_of(A, B, D)
    sums = ctx.arch.accumulator(store_of(A).element, store_of(B).element)
    part = Part(A, B, ctx.workspace("Workspace", sums, (problem.m, problem.n)))
    pitch = gemm_shape(l1).n
    epilogue = partial(ElemWise, ctx, activation, part, D, length=length, pitch=pitch)
    with_epilogue(ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0), epilogue)


_FREE: Final = 6
_READY: Final = 8
_OTHER: Final = 16
"""Flags of mode 4: of a vector core for the cube core, and back; of its second vector core."""


@kernel("Ascend950", core="MIX")
def matmul_through_ub(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = (256, 256, 128),
    l0: ShapeLike = (256, 256, 64), swizzle: str | BlockSwizzle = "BlockSchedulerAswt",
) -> None:  # fmt: skip
    """C = A B, where sums leave L0C to UB, and vector cores write half of the rows of a block each.

    CATLASS's ``KernelMatmulMixFixpipeOpti`` of float sums. It has two stages in UB, and uses the second
    also where the rows of a block take more than half of UB; here such rows have one stage.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b = np.ones((40, 32), np.float16), np.ones((32, 48), np.float16)
    >>> tiles = {"l1": (32, 32, 32), "l0": (32, 32, 32)}
    >>> run = simulate(matmul_through_ub, a, b, np.zeros((40, 48), np.float32), cores=2, **tiles)
    >>> bool((run["C"] == 32).all()), run.findings
    (True, ())

    Raises:
        CapacityError: half of the rows of a block do not fit UB.
        UnsupportedError: C has another element type than the sums, or no rows.
    """
    sums = ctx.arch.accumulator(store_of(A).element, store_of(B).element)
    if store_of(C).element != sums or store_of(C).tag != "RowMajor":
        words = f"sums of {sums} go to UB as rows, and C is {store_of(C).element}, {store_of(C).tag}"
        raise UnsupportedError(words, f"Take rows of {sums}.")
    part, tile, room = Part(A, B, C), gemm_shape(l1), ctx.arch.ub // 2
    needed = ceil_div(tile.m, 2) * sums.bytes_of(rounded_up(tile.n, 8))
    if needed > ctx.arch.ub:
        words = f"half of the rows of a block take {needed} bytes, and UB has {ctx.arch.ub}"
        raise CapacityError(words, needed=int(needed), available=ctx.arch.ub)
    blocks = deal(ctx, swizzle, l1, [part])

    def stage_of(block: Block) -> int:
        return 0 if needed > room else block.turn // ctx.block_num % 2

    def in_ub(block: Block, rows: int) -> KernelTensor:
        """A block in UB of the group's first vector core, or of this one."""
        columns, first = int(block.task.shape[1]), stage_of(block) * room
        layout = Layout((rows, columns), (rounded_up(columns, 8), 1))
        core = f"AIV{2 * ctx.group_idx}" if ctx.is_aic else ctx.core
        store = Store("UB", core, sums, None, layout, (first, first + max(room, int(needed))))
        return Tensor(store, layout, None, "UB", data_offset=first * 8 // sums.bits)

    def when_free() -> Iterator[Block]:
        for block in blocks:
            _wait_for_both(ctx, _FREE + stage_of(block))
            yield block

    def ready(block: Block) -> Around:
        flag = _READY + stage_of(block)
        return behind(lambda: _set_for_both(ctx, flag))

    if ctx.is_aic:
        how = policy, l1, l0
        multiply(ctx, part, when_free(), how, lambda x: in_ub(x, int(x.task.shape[0])), ready)
        for stage in range(2):
            _wait_for_both(ctx, _FREE + stage)
        return
    for stage in range(2):
        ctx.cross_core_set_flag(_FREE + stage, 4, "MTE3")
    for block in blocks:
        ctx.cross_core_wait_flag(_READY + stage_of(block), 4, "MTE3")
        c = rows_of_core(ctx, block.of(C))
        if c is not None:
            ctx.copy_ub_to_gm(c, in_ub(block, int(c.origin_shape[0])))
        ctx.cross_core_set_flag(_FREE + stage_of(block), 4, "MTE3")
    ctx.pipe_barrier("ALL")


def _set_for_both(ctx: Context, flag: int) -> None:
    for i in (0, _OTHER):
        ctx.cross_core_set_flag(flag + i, 4, "FIX")


def _wait_for_both(ctx: Context, flag: int) -> None:
    for i in (0, _OTHER):
        ctx.cross_core_wait_flag(flag + i, 4, "FIX")
