"""A matrix product as CuTe's first tutorial kernel has it: sgemm_1.cu, gemm_nt, on numpy.

A block of 256 threads makes a tile of 128 by 128 of C, 8 columns of A and B at a time. Each array below
has the threads as its first axis: what a thread does, all of them do in one line.

Run: python examples/sgemm_1.py
Source: CUTLASS, examples/cute/tutorial/sgemm_1.cu.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tla import AnyLayout, Layout, _, local_partition, local_tile, offsets

M, N, K = 256, 128, 24
ALPHA, BETA = 2.0, 0.5
STEP_A, STEP_B, STEP_C = (
    (1, _, 1),
    (_, 1, 1),
    (1, 1, _),
)  # Step<_1, X,_1>, Step< X,_1,_1>, Step<_1,_1, X>

numbers = np.random.default_rng(0)
A, B, C = (numbers.integers(-4, 5, n).astype(np.float32) for n in (M * K, N * K, M * N))
mA, mB, mC = Layout((M, K), (1, M)), Layout((N, K), (1, N)), Layout((M, N), (1, M))

# The tiles of a block, and the threads that share them
tiler = 128, 128, 8  # BLK_M, BLK_N, BLK_K
sA, sB = Layout((128, 8)), Layout((128, 8))
tA, tB, tC = Layout((32, 8)), Layout((32, 8)), Layout((16, 16))


def of_threads(x: AnyLayout, threads: AnyLayout, proj: Any = None) -> NDArray[np.int64]:
    """Where each thread finds its part of ``x``: an array of threads by the modes of the part."""
    parts = [local_partition(x, threads, t, proj) for t in range(threads.size)]
    return np.stack([offsets(part) + first for part, first in parts])


# The tiles of all blocks have one layout; only where they begin depends on the block.
gA, _first = local_tile(mA, tiler, (0, 0, _), STEP_A)  # (BLK_M,BLK_K,k)
gB, _first = local_tile(mB, tiler, (0, 0, _), STEP_B)  # (BLK_N,BLK_K,k)
gC, _first = local_tile(mC, tiler, (0, 0, _), STEP_C)  # (BLK_M,BLK_N)
print(f"tile of A {gA}\ntile of B {gB}\ntile of C {gC}")

tAgA, tAsA = of_threads(gA, tA), of_threads(sA, tA)  # (THR_M,THR_K,k), (THR_M,THR_K)
tBgB, tBsB = of_threads(gB, tB), of_threads(sB, tB)
tCsA, tCsB = of_threads(sA, tC, (1, _)), of_threads(sB, tC, (_, 1))  # (THR_M,BLK_K), (THR_N,BLK_K)
tCgC = of_threads(gC, tC)  # (THR_M,THR_N)
print("a thread copies", tAsA[0].size, "elements of A, and adds to", tCgC[0].shape, "elements of C")


def block(x: int, y: int, out: NDArray[np.float32]) -> None:
    """What the kernel does in one block: all its threads."""
    at_a, at_b, at_c = (
        local_tile(whole, tiler, (x, y, 0), step)[1]
        for whole, step in ((mA, STEP_A), (mB, STEP_B), (mC, STEP_C))
    )
    smem_a, smem_b = (np.full(s.cosize, np.nan, np.float32) for s in (sA, sB))
    tCrC = np.zeros(tCgC.shape, np.float32)
    for k_tile in range(gA.shape[2]):
        smem_a[tAsA] = A[at_a + tAgA[..., k_tile]]  # copy(tAgA(_,_,k_tile), tAsA)
        smem_b[tBsB] = B[at_b + tBgB[..., k_tile]]
        assert not np.isnan(smem_a).any()  # each element was copied: so __syncthreads suffices
        tCrC += np.einsum("tmk,tnk->tmn", smem_a[tCsA], smem_b[tCsB])  # gemm(tCsA, tCsB, tCrC)
    out[at_c + tCgC] = ALPHA * tCrC + BETA * out[at_c + tCgC]  # axpby


found = C.copy()
grid = M // tiler[0], N // tiler[1]
for x, y in np.ndindex(grid):
    block(x, y, found)

a, b, c = (data[offsets(layout)] for data, layout in ((A, mA), (B, mB), (C, mC)))
assert np.array_equal(found[offsets(mC)], ALPHA * a @ b.T + BETA * c)
print(f"{grid[0]} by {grid[1]} blocks: equal to numpy's {ALPHA:g} * A @ B.T {BETA:+g} * C")
