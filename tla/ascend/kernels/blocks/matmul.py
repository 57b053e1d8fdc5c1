# SPDX-License-Identifier: Apache-2.0
"""Kernels of whole products, as CATLASS's gemm/kernel: C = A B, block by block.

>>> import numpy as np
>>> from tla.ascend.kernels import simulate
>>> a, b = (np.arange(m * n).reshape(m, n).astype(np.float16) % 5 for m, n in ((40, 16), (16, 24)))
>>> c = np.zeros((40, 24), np.float16)
>>> run = simulate(matmul, a, b, c, l1=(32, 16, 16), l0=(32, 16, 16), cores=2)
>>> bool((run["C"] == a @ b).all()), run.findings
(True, ())
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ....errors import CongruenceError, LayoutError, UnsupportedError
from ....layouts import get_tile
from ....numbers import ceil_div
from ...plans import policy as policy_named
from ...shapes import GemmShape, gemm_shape
from ...tags import MX_GROUP, mx_scales
from ..places import store_of
from ..simulation import kernel
from .pingpong import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...plans import Policy
    from ...schedules import BlockSwizzle, Task
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor
    from .mmad import Around, BlockMmad

L1_TILE: Final = GemmShape(128, 256, 256)
L0_TILE: Final = GemmShape(128, 256, 64)
MX_POLICY: Final = "MmadMx<Arch::Ascend950,true,16>"
MX_L1_TILE: Final = GemmShape(256, 256, 256)
MX_L0_TILE: Final = GemmShape(256, 256, 128)


def block_mmad(
    ctx: Context, policy: str | Policy, a: KernelTensor, b: KernelTensor, c: KernelTensor,
    l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE, bias: KernelTensor | None = None,
    beside: BlockMmad | None = None,
) -> BlockMmad:  # fmt: skip
    """Return CATLASS's block of a dispatch policy: ``with block_mmad(ctx, policy, A, B, C) as block:``.

    Raises:
        UnsupportedError: the block of the policy is not written.
        LayoutError: CATLASS does not compile the block; the text has its words.
    """
    found = policy_named(policy)
    made = BLOCKS.get(found.name)
    if made is None:
        words = f"{', '.join(BLOCKS)} are."
        raise UnsupportedError(f"the block of {found.name} is not written as a kernel", words)
    tiles = gemm_shape(l1, "l1 tile"), gemm_shape(l0, "l0 tile")
    return made(ctx, found, a, b, c, *tiles, bias, beside)


def problem_of(a: KernelTensor, b: KernelTensor, c: KernelTensor) -> GemmShape:
    """Return the extents of a product.

    Raises:
        CongruenceError: the matrices do not fit each other.
    """
    (m, k), (depth, n), (rows, columns) = (tuple(map(int, x.origin_shape)) for x in (a, b, c))
    if k != depth or (m, n) != (rows, columns):
        raise CongruenceError(
            f"A is {m} by {k}, B is {depth} by {n}, and C is {rows} by {columns}",
            f"C is {m} by {n} if C = A B." if k == depth else f"{k} is not {depth}.",
        )
    return GemmShape(m, n, k)


@kernel("AtlasA2", core="AIC")
def matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B. CATLASS's ``BasicMatmul``, ``BasicMatmulTla`` and ``BasicMatmulPreload``.

    With `MmadAtlasA2Small` it is ``SmallMatmul``: one block for each core, row by row. With a policy
    that keeps A in L1 it is ``MatmulFullLoadA``.

    Raises:
        LayoutError: with `MmadAtlasA2Small` C has more blocks than cores, or K several tiles.
    """
    part = Part(A, B, C)
    if policy_named(policy).family.one_tile:
        swizzle = _row_by_row(ctx, problem_of(A, B, C), gemm_shape(l1))
    multiply(ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0))


def _row_by_row(ctx: Context, problem: GemmShape, tile: GemmShape) -> str:
    rows, columns = ceil_div(problem.m, tile.m), ceil_div(problem.n, tile.n)
    if rows * columns > ctx.block_num:
        words = f"C has {rows * columns} blocks, and each of {ctx.block_num} cores computes one"
        raise LayoutError(words, "Take larger tiles, or another policy.", problem=problem)
    return f"GemmIdentityBlockSwizzle<{columns},1>"


@kernel("AtlasA2", core="AIC")
def matmul_bias(
    ctx: Context, A: KernelTensor, B: KernelTensor, Bias: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B + Bias, a vector for each row. CATLASS's ``MatmulBias``, ``BasicMatmulTla`` with a bias.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b, bias = np.ones((40, 32)), np.ones((32, 48)), np.arange(48)
    >>> a, b, bias, c = (x.astype(np.float32) for x in (a, b, bias, a @ b))
    >>> run = simulate(matmul_bias, a, b, bias, c, l1=(32, 32, 32), l0=(32, 32, 32))
    >>> bool((run.c == 32 + np.arange(48)).all()), run.findings
    (True, ())
    """
    part = Part(A, B, C, Bias)
    multiply(ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0))


@kernel("Ascend950", core="AIC")
def mx_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, MxScaleA: KernelTensor, MxScaleB: KernelTensor,
    C: KernelTensor, policy: str | Policy = MX_POLICY, l1: ShapeLike = MX_L1_TILE,
    l0: ShapeLike = MX_L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B; each 32 elements along K have a power of two as a scale. CATLASS's ``MxMatmulTla``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> tags = ("RowMajor<float8_e4m3_t>(16,64)", "ColumnMajor<float8_e4m3_t>(64,32)",
    ...         "MxScaleRowMajorA<float8_e8m0_t>(16,2)", "MxScaleColumnMajorB<float8_e8m0_t>(2,32)")
    >>> bits = (0x38, 0x40, 128, 126)  # 1, 2, and the exponents 1 and -1
    >>> given = [gm(np.full(2048, x, np.uint8), tag) for x, tag in zip(bits, tags)]
    >>> run = simulate(mx_matmul, *given, np.zeros((16, 32), np.float32))
    >>> bool((run["C"] == 64 * 1 * 2 * 2 / 2).all()), run.findings
    (True, ())

    Args:
        MxScaleA: A scale for each row and 32 elements of K, in pairs along K.
        MxScaleB: The same for each column of B.
    """
    part = Part(A, B, C, scales=(MxScaleA, MxScaleB))
    multiply(ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0))


@kernel("AtlasA2", core="MIX")
def matmul_relu(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Preload<true,true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = max(A B, 0), on the way out of L0C. CATLASS's ``OptimizedMatmul`` with ``ReluTileCopy``.

    CATLASS's vector cores first copy an A or B whose rows are no multiple of 512 bytes to padded tiles.
    Here they do not.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a = np.ones((40, 32), np.float16)
    >>> b = np.arange(32 * 48).reshape(32, 48).astype(np.float16) % 7 - 3
    >>> run = simulate(matmul_relu, a, b, a @ b, l1=(32, 32, 32), l0=(32, 32, 32), cores=2)
    >>> bool((run["C"] == np.maximum(a @ b, 0)).all()), run.findings
    (True, ())
    """
    part = Part(A, B, C)
    if ctx.is_aic:
        multiply(ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0), relu=True)
    else:
        ctx.pipe_barrier("ALL")


class Part(NamedTuple):
    """One of the products of a kernel: C = A B, with the bias of its columns or without."""

    a: KernelTensor
    b: KernelTensor
    c: KernelTensor
    bias: KernelTensor | None = None
    more: tuple[KernelTensor, ...] = ()
    """What an epilogue takes besides."""
    is_empty: bool = False
    """Whether it has none of K. Its A and B then lie somewhere in theirs, and no core reads them."""
    scales: tuple[KernelTensor, ...] = ()
    """The MX scales of A and B, or the scales of columns for Fixpipe."""


class Block(NamedTuple):
    """A block of a part that this core computes."""

    part: Part
    task: Task
    turn: int
    """How many blocks the core had before."""

    def of(self, x: KernelTensor) -> KernelTensor:
        """The tile of a matrix as large as C, or the part of a vector of its columns."""
        return self._cut(x, slice(2) if len(x.shape) > 1 else slice(1, 2))

    def of_rows(self, x: KernelTensor) -> KernelTensor:
        """The part of a vector of its rows."""
        return self._cut(x, slice(1))

    def _cut(self, x: KernelTensor, axes: slice) -> KernelTensor:
        whole = (int(self.part.a.origin_shape[0]), int(self.part.b.origin_shape[1]))
        found, wanted = tuple(map(int, x.origin_shape)), tuple([*whole][axes])
        if found != wanted:
            words = f"{store_of(x).owner} is {joined(found)}, and the product {joined(whole)}"
            raise CongruenceError(words, f"It is {joined(wanted)}: {_ROLES[axes.start, axes.stop]}.")
        return get_tile(x, self.task.start[axes], self.task.shape[axes])


def joined(extents: tuple[int, ...]) -> str:
    """Return extents in words: ``40 by 32``."""
    return " by ".join(map(str, extents))


_ROLES: Final = {
    (None, 2): "its rows and columns", (1, 2): "one for each column", (None, 1): "one for each row",
}  # fmt: skip


def deal(
    ctx: Context, swizzle: str | BlockSwizzle, l1: ShapeLike, parts: Iterable[Part]
) -> Iterator[Block]:
    """Yield the blocks of this core: the blocks of the parts one behind the other, core by core."""
    first = turn = 0
    for part in parts:
        schedule = ctx.schedule(swizzle, problem_of(part.a, part.b, part.c), l1)
        for task in schedule.of_core((ctx.group_idx - first) % ctx.block_num):
            yield Block(part, task, turn)
            turn += 1
        first += schedule.count


def multiply(
    ctx: Context, like: Part, blocks: Iterable[Block], how: tuple[str | Policy, ShapeLike, ShapeLike],
    place: Callable[[Block], KernelTensor] | None = None,
    around: Callable[[Block], Around] | None = None, finish: Callable[[], object] | None = None,
    relu: bool = False,
) -> None:  # fmt: skip
    """Compute blocks on a cube core: the loop of every kernel.

    Args:
        like: Tensors with the element types and tags of all parts.
        how: The policy, and the tiles in L1 and L0.
        place: Where the sums of a block go; by default to its tile of C.
        around: What is done before and after they go.
        finish: What is done behind the last block.
        relu: Whether negative sums become 0 on their way out.
    """
    with block_mmad(ctx, how[0], like.a, like.b, like.c, how[1], how[2], like.bias) as mmad:
        mmad.relu = relu
        for block, after in mmad.with_next(blocks):
            part, c = block.part, block.of(block.part.c) if place is None else place(block)
            following = None if after is None else tiles_of(after.part.a, after.part.b, after.task)
            bias = None if part.bias is None else block.of(part.bias)
            calls = () if around is None else around(block)
            scales = scales_of(part, block.task)
            mmad(*tiles_of(part.a, part.b, block.task), c, following, bias, calls, scales)
        mmad.finish()
        if finish is not None:
            finish()
        ctx.pipe_barrier("ALL")


def tiles_of(a: KernelTensor, b: KernelTensor, task: Task) -> tuple[KernelTensor, KernelTensor]:
    """The rows of A and the columns of B of a block."""
    (m, n, k), (rows, columns, depth) = task.start, task.shape
    return get_tile(a, (m, k), (rows, depth)), get_tile(b, (k, n), (depth, columns))


def scales_of(part: Part, task: Task) -> tuple[KernelTensor, ...]:
    """The MX scales of the rows and columns of a block, or the scales of its columns.

    Raises:
        CongruenceError: they are not as many as the product has.
    """
    m, n, k = int(part.a.origin_shape[0]), int(part.b.origin_shape[1]), int(part.a.origin_shape[1])
    (row, column, depth), (rows, columns, count) = task.start, task.shape
    first, count, groups = depth // MX_GROUP, mx_scales(count), mx_scales(k)
    # one scale of a pair may be for elements behind K
    wholes: Any = [((m, each), (each, n)) for each in (groups, groups + groups % 2)]
    boxes: Any = ((row, first), (rows, count)), ((first, column), (count, columns))
    if len(part.scales) == 1:
        wholes, boxes = [((n,),)], (((column,), (columns,)),)
    for i, x in enumerate(part.scales):
        found = tuple(map(int, x.origin_shape))
        if found not in [whole[i] for whole in wholes]:
            words = f"{store_of(x).owner} is {joined(found)}, and the product {joined((m, n, k))}"
            raise CongruenceError(words, f"It is {joined(wholes[0][i])}.")
    return tuple([get_tile(x, *box) for x, box in zip(part.scales, boxes, strict=False)])
