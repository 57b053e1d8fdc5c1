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

from typing import TYPE_CHECKING, Final

from ....errors import CongruenceError, UnsupportedError
from ....layouts import get_tile
from ...plans import policy as policy_named
from ...shapes import GemmShape, gemm_shape
from ..simulation import kernel
from .pingpong import Pingpong, PingpongTla, Preload, PreloadAsync, Streamk

if TYPE_CHECKING:
    from ...plans import Policy
    from ...schedules import BlockSwizzle, Task
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor
    from .mmad import BlockMmad

L1_TILE: Final = GemmShape(128, 256, 256)
L0_TILE: Final = GemmShape(128, 256, 64)
_BLOCKS: Final[dict[str, type[BlockMmad]]] = {
    "MmadPingpong": PingpongTla, "MmadAtlasA2Pingpong": Pingpong, "MmadAtlasA2Preload": Preload,
    "MmadAtlasA2PreloadAsync": PreloadAsync, "MmadAtlasA2PreloadAsyncWithCallback": PreloadAsync,
    "MmadAtlasA2Streamk": Streamk,
}  # fmt: skip


def block_mmad(
    ctx: Context, policy: str | Policy, a: KernelTensor, b: KernelTensor, c: KernelTensor,
    l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE, bias: KernelTensor | None = None,
) -> BlockMmad:  # fmt: skip
    """Return CATLASS's block of a dispatch policy: ``with block_mmad(ctx, policy, A, B, C) as block:``.

    Raises:
        UnsupportedError: the block of the policy is not written.
        LayoutError: CATLASS does not compile the block; the text has its words.
    """
    found = policy_named(policy)
    made = _BLOCKS.get(found.name)
    if made is None:
        words = f"{', '.join(_BLOCKS)} are."
        raise UnsupportedError(f"the block of {found.name} is not written as a kernel", words)
    return made(ctx, found, a, b, c, gemm_shape(l1, "l1 tile"), gemm_shape(l0, "l0 tile"), bias)


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
    """C = A B. CATLASS's ``BasicMatmul``, ``BasicMatmulTla`` and ``BasicMatmulPreload``."""
    _multiply(ctx, A, B, C, None, (policy, l1, l0), swizzle)


@kernel("AtlasA2", core="AIC")
def matmul_bias(
    ctx: Context, A: KernelTensor, B: KernelTensor, Bias: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B + Bias, a vector for each row. CATLASS's ``BasicMatmulTla`` with a bias.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b, bias = np.ones((40, 32)), np.ones((32, 48)), np.arange(48)
    >>> a, b, bias, c = (x.astype(np.float32) for x in (a, b, bias, a @ b))
    >>> run = simulate(matmul_bias, a, b, bias, c, l1=(32, 32, 32), l0=(32, 32, 32))
    >>> bool((run.c == 32 + np.arange(48)).all()), run.findings
    (True, ())
    """
    _multiply(ctx, A, B, C, Bias, (policy, l1, l0), swizzle)


def _multiply(
    ctx: Context, a: KernelTensor, b: KernelTensor, c: KernelTensor, bias: KernelTensor | None,
    how: tuple[str | Policy, ShapeLike, ShapeLike], swizzle: str | BlockSwizzle,
) -> None:  # fmt: skip
    tasks = list(ctx.tasks(swizzle, problem_of(a, b, c), how[1]))
    with block_mmad(ctx, how[0], a, b, c, how[1], how[2], bias) as block:
        for task, after in zip(tasks, [*tasks[1:], None], strict=False):
            (m, n, _), (rows, columns, _) = task.start, task.shape
            following = tiles_of(a, b, after) if after is not None else None
            part = None if bias is None else get_tile(bias, (n,), (columns,))
            block(*tiles_of(a, b, task), get_tile(c, (m, n), (rows, columns)), following, part)
        block.finish()
        ctx.pipe_barrier("ALL")


def tiles_of(a: KernelTensor, b: KernelTensor, task: Task) -> tuple[KernelTensor, KernelTensor]:
    """The rows of A and the columns of B of a block."""
    (m, n, k), (rows, columns, depth) = task.start, task.shape
    return get_tile(a, (m, k), (rows, depth)), get_tile(b, (k, n), (depth, columns))
