# SPDX-License-Identifier: Apache-2.0
"""Several products in one kernel: batches, groups of rows of A, groups of K.

Source: CATLASS gemm/kernel/batched_matmul.hpp, grouped_matmul_slice_m.hpp, grouped_matmul_slice_k.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....errors import CongruenceError
from ....layouts import get_tile
from ...shapes import GemmShape, gemm_shape
from ..places import store_of
from ..simulation import kernel
from .matmul import L0_TILE, L1_TILE, MX_L0_TILE, MX_L1_TILE, MX_POLICY, Part, deal, multiply

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..places import KernelTensor

_L1_TILE: Final = GemmShape(256, 128, 256)
_L0_TILE: Final = GemmShape(256, 128, 64)


@kernel("AtlasA2", core="AIC")
def batched_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2Pingpong<true>", l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>",
) -> None:  # fmt: skip
    """C[batch] = A[batch] B[batch]. CATLASS's ``BatchedMatmul``, ``StridedBatchedMatmulTla``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, b, c = np.ones((2, 20, 32)), np.ones((2, 32, 16)), np.ones((2, 20, 16))
    >>> tensors = [
    ...     gm(x.astype(np.float16), f"RowMajor<half>({x.shape[1]},{x.shape[2]},batch=2)")
    ...     for x in (a, b, c)
    ... ]
    >>> run = simulate(batched_matmul, *tensors, cores=2)
    >>> bool((run["C"] == 32).all()), run.findings
    (True, ())

    Args:
        A, B, C: As many matrices each, one behind the other.

    Raises:
        CongruenceError: they are not as many, or do not fit each other.
    """
    count = int(A.origin_shape[0])
    require_matrices(count, "A has {} batches", B, C)
    parts = [
        Part(A[batch, None, None], B[batch, None, None], C[batch, None, None]) for batch in range(count)
    ]
    multiply(ctx, Part(A, B, C), deal(ctx, swizzle, l1, parts), (policy, l1, l0))


@kernel("Ascend950", core="AIC")
def mx_batched_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, MxScaleA: KernelTensor, MxScaleB: KernelTensor,
    C: KernelTensor, policy: str | Policy = MX_POLICY, l1: ShapeLike = MX_L1_TILE,
    l0: ShapeLike = MX_L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C[batch] = A[batch] B[batch] with MX scales, as `mx_matmul`. CATLASS's ``MxBatchedMatmulTla``.

    Raises:
        CongruenceError: A, B, C and the scales are not as many, or do not fit each other.
    """
    count = int(A.origin_shape[0])
    require_matrices(count, "A has {} batches", B, MxScaleA, MxScaleB, C)
    each = [[x[batch, None, None] for x in (A, B, C, MxScaleA, MxScaleB)] for batch in range(count)]
    parts = [Part(a, b, c, scales=(of_a, of_b)) for a, b, c, of_a, of_b in each]
    multiply(ctx, Part(A, B, C), deal(ctx, swizzle, l1, parts), (policy, l1, l0))


@kernel("AtlasA2", core="AIC")
def grouped_matmul(
    ctx: Context, A: KernelTensor, B: KernelTensor, C: KernelTensor, problems: Sequence[ShapeLike] = (),
    tags: tuple[str, str, str] = ("RowMajor", "RowMajor", "RowMajor"),
    policy: str | Policy = "MmadAtlasA2PreloadAsync<1,2,4,2,1,true,true>", l1: ShapeLike = L1_TILE,
    l0: ShapeLike = L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>",
) -> None:  # fmt: skip
    """C[i] = A[i] B[i], each of extents of its own. CATLASS's ``GroupedMatmul``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> a, b, c = (np.ones(n, np.float16) for n in (2 * 16 + 4 * 32, 16 * 3 + 32 * 5, 2 * 3 + 4 * 5))
    >>> run = simulate(grouped_matmul, a, b, c, problems=[(2, 3, 16), (4, 5, 32)], cores=2)
    >>> np.unique(run["C"][:6]).tolist(), np.unique(run["C"][6:]).tolist(), run.findings
    ([16.0], [32.0], ())

    Args:
        A, B, C: The elements of all matrices, one matrix behind the other.
        problems: The extents of the products, m, n and k each.
        tags: How the matrices of A, B and C lie.

    Raises:
        CongruenceError: the problems do not add up to the elements; or there is none.
    """
    sizes, ends = [gemm_shape(problem) for problem in problems], [0, 0, 0]
    parts: list[Part] = []
    for m, n, k in sizes:
        views: list[KernelTensor] = []
        for i, (x, shape) in enumerate(((A, (m, k)), (B, (k, n)), (C, (m, n)))):
            count = shape[0] * shape[1]
            part = get_tile(x, (ends[i],), (count,)) if ends[i] + count <= int(x.layout.cosize) else x
            views.append(ctx.make_tensor(part, shape, tag=tags[i]))
            ends[i] += count
        a, b, c = views
        parts.append(Part(a, b, c))
    found = [int(x.layout.cosize) for x in (A, B, C)]
    if ends != found or not parts:
        words = f"{len(sizes)} problems have {ends} elements of A, B and C, and the tensors {found}"
        raise CongruenceError(words, "The matrices lie one behind the other, without gaps.")
    like = max(parts, key=lambda part: int(part.a.origin_shape[1]))
    multiply(ctx, like, deal(ctx, swizzle, l1, parts), (policy, l1, l0))


def require_matrices(count: int, whose: str, *tensors: KernelTensor) -> None:
    """Require that each tensor has as many matrices or rows, one behind the other.

    Args:
        whose: What has the count, with a place for it.

    Raises:
        CongruenceError: one has more or fewer.
    """
    for x in tensors:
        found = int(x.origin_shape[0])
        if found != count:
            words = f"{whose.format(count)}, and {store_of(x).owner} has {found}"
            raise CongruenceError(words, "It has one for each, one behind the other.", count=count)


def groups_of(
    ctx: Context, ends: KernelTensor, extent: int, *each: KernelTensor, empty: bool | None = False
) -> Iterator[tuple[int, int, int]]:
    """Yield each group, its first index and how many it has: with elements, without, or all.

    Args:
        ends: The list of groups, the end of each.
        extent: How many all groups have.
        each: Tensors with one matrix or row for each group.
        empty: Whether the groups are those without elements; None is all groups.

    Raises:
        CongruenceError: the list decreases, or does not end with the extent; or a tensor has another
            number of matrices.
    """
    groups = int(ends.origin_shape[0])
    require_matrices(groups, "the list has {} groups", *each)
    for group in range(groups):
        end = ctx.get_value(ends, group)
        first = ctx.get_value(ends, group - 1) if group else 0
        if not first <= end <= extent or (group == groups - 1 and end != extent):
            raise CongruenceError(
                f"group {group} of the list goes from {first} to {end}, and all have {extent}",
                "The list holds the end of each group: it never decreases, and its last is the extent.",
                group=group, first=first, end=end,
            )  # fmt: skip
        if empty is None or (first == end) == empty:
            yield group, first, end - first


def rows_of(x: KernelTensor, first: int, count: int) -> KernelTensor:
    """Return some rows of a matrix, or some elements of a vector."""
    extents = map(int, x.origin_shape[1:])
    return get_tile(x, (first, *[0 for _ in x.origin_shape[1:]]), (count, *extents))


@kernel("AtlasA2", core="AIC")
def grouped_matmul_slice_m(
    ctx: Context, GroupList: KernelTensor, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsync<1,2,2,4,1,true,true>", l1: ShapeLike = _L1_TILE,
    l0: ShapeLike = _L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C = A B[group] for the rows of each group. CATLASS's ``GroupedMatmulSliceM``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, c = np.ones((40, 32), np.float16), np.zeros((40, 16), np.float16)
    >>> b = np.arange(3, dtype=np.float16).repeat(32 * 16)
    >>> ends = np.array([10, 10, 40])
    >>> b = gm(b, "RowMajor<half>(32,16,batch=3)")
    >>> run = simulate(grouped_matmul_slice_m, ends, a, b, c, cores=2)
    >>> np.unique(run["C"][:10]).tolist(), np.unique(run["C"][10:]).tolist(), run.findings
    ([0.0], [64.0], ())

    Args:
        GroupList: The row behind the last of each group.
        B: One matrix behind the other.

    Raises:
        CongruenceError: the groups do not add up to the rows of A, or B has another number of matrices.
    """
    parts = (
        Part(rows_of(A, first, count), B[group, None, None], rows_of(C, first, count))
        for group, first, count in groups_of(ctx, GroupList, int(A.origin_shape[0]), B)
    )
    multiply(ctx, Part(A, B, C), deal(ctx, swizzle, l1, parts), (policy, l1, l0))


@kernel("AtlasA2", core="MIX")
def grouped_matmul_slice_k(
    ctx: Context, GroupList: KernelTensor, A: KernelTensor, B: KernelTensor, C: KernelTensor,
    policy: str | Policy = "MmadAtlasA2PreloadAsync<1,2,2,4,1,true,true>", l1: ShapeLike = _L1_TILE,
    l0: ShapeLike = _L0_TILE, swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,0>",
) -> None:  # fmt: skip
    """C[group] = A[:, group] B[group], where the groups cut K. CATLASS's ``GroupedMatmulSliceK``.

    A group without elements has zeros, which the vector cores write.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> a, b = np.ones((20, 48), np.float16, "F"), np.ones((48, 16), np.float16)
    >>> c = gm(np.ones((3, 20, 16), np.float16), "RowMajor<half>(20,16,batch=3)")
    >>> run = simulate(grouped_matmul_slice_k, np.array([16, 16, 48]), a, b, c)
    >>> run["C"].reshape(3, -1).mean(axis=1).tolist(), run.findings
    ([16.0, 0.0, 32.0], ())

    Args:
        GroupList: The element of K behind the last of each group.
        C: One matrix for each group, one behind the other.

    Raises:
        CongruenceError: the groups do not add up to K, or C has another number of matrices.
    """
    m, k = map(int, A.origin_shape)
    if ctx.is_aic:
        parts = (
            Part(get_tile(A, (0, first), (m, count)), rows_of(B, first, count), C[group, None, None])
            for group, first, count in groups_of(ctx, GroupList, k, C)
        )
        multiply(ctx, Part(A, B, C), deal(ctx, swizzle, l1, parts), (policy, l1, l0))
    else:
        hollow = groups_of(ctx, GroupList, k, C, empty=True)
        fill(ctx, [C[group, None, None] for group, _, _ in hollow])
        ctx.pipe_barrier("ALL")


def fill(ctx: Context, matrices: list[KernelTensor], scalar: float = 0) -> None:
    """Fill matrices of rows with a number, every other row on each vector core. ``MemFill``."""
    if not matrices:
        return
    rows, columns = map(int, matrices[0].origin_shape)
    unit = 32 // store_of(matrices[0]).element.bytes_of(1)
    ub = ctx.alloc("UB", matrices[0], (1, -(-columns // unit) * unit))
    ctx.duplicate(ub, scalar, int(ub.layout.cosize))
    ctx.set_flag("V_MTE3", 0)
    ctx.wait_flag("V_MTE3", 0)
    for matrix in matrices:
        for row in range(ctx.block_idx, rows, ctx.block_num * ctx.sub_block_num):
            ctx.copy_ub_to_gm(rows_of(matrix, row, 1), ub)
