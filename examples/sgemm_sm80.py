"""The pipelined kernel of CuTe's tutorial, on numpy: sgemm_sm80.cu, gemm_tn of half_t.

Shared memory has a swizzled layout, `tile_to_shape` of an atom. Tiled copies bring A and B there in a
pipeline of three stages. `ldmatrix` takes them to registers, and the tiled MMA multiplies these. Each
array of places has the threads as its first axis.

Run: python examples/sgemm_sm80.py
Source: CUTLASS, examples/cute/tutorial/sgemm_sm80.cu.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tla import Layout, Swizzle, _, composition, local_tile, make_layout, offsets, tile_to_shape
from tla.gpu import Access, TiledCopy, TiledMma, bank_conflicts, tiled_copy, tiled_copy_of, tiled_mma

M, N, K = 128, 128, 256
numbers = np.random.default_rng(0)
A, B = (numbers.integers(-2, 3, n * K).astype(np.float16) for n in (M, N))
mA, mB, mC = Layout((M, K), (K, 1)), Layout((N, K), (K, 1)), Layout((M, N), (1, M))

# The parameters of gemm_tn: the tile of a block, its stages, the swizzled atom of 8 rows of 128 bytes
bM, bN, bK, bP = 128, 128, 64, 3
atom: Any = composition(Swizzle(3, 3, 3), Layout((8, (8, 8)), (8, (1, 64))))
sA: Any = tile_to_shape(atom, (bM, bK, bP))
sB: Any = tile_to_shape(atom, (bN, bK, bP))

COPY = "SM80_CP_ASYNC_CACHEALWAYS<uint128_t>"
copy = tiled_copy(COPY, Layout((16, 8), (8, 1)), Layout((1, 8)), element_bits=16)  # of A, and of B
mma = tiled_mma("SM80_16x8x8_F16F16F16F16_TN", Layout((2, 2, 1)), (32, 32, 16))
s2r_a, s2r_b = (tiled_copy_of("SM75_U32x4_LDSM_N", mma, x, element_bits=16) for x in ("a", "b"))
THREADS = mma.threads.size
print(f"sA   {sA}\ncopy {copy.tile} by {copy.atom.name}\nmma  {mma.shape_mnk} by {THREADS} threads")


def of_threads(tiles: TiledCopy | TiledMma, x: Any, part: Any) -> NDArray[np.int64]:
    """Where each thread finds its part of ``x``: an array of threads by the modes of the part."""
    places: NDArray[np.int64] = offsets(tiles.partition(x, _, part)[0])  # _ for the thread: all of them
    return places


# Global to shared memory: (CPY,CPY_M,CPY_K,k) and (CPY,CPY_M,CPY_K,PIPE)
gA, _first = local_tile(mA, (bM, bN, bK), (0, 0, _), (1, _, 1))
gB, _first = local_tile(mB, (bM, bN, bK), (0, 0, _), (_, 1, 1))
tAgA, tBgB = (of_threads(copy, g, "src") for g in (gA, gB))
tAsA, tBsB = (of_threads(copy, s, "dst") for s in (sA, sB))

# Shared memory to registers. A thread points ldmatrix to a row, "src"; "dst" is what it gets.
tXsA, tXsB = (of_threads(s2r, s, "dst") for s2r, s in ((s2r_a, sA), (s2r_b, sB)))
# The fragments in registers, compact: (MMA,MMA_M,MMA_K), (MMA,MMA_N,MMA_K), (MMA,MMA_M,MMA_N)
tCrA = make_layout(mma.partition(Layout((bM, bK)), 0, "a")[0].shape)
tCrB = make_layout(mma.partition(Layout((bN, bK)), 0, "b")[0].shape)
tCrC = make_layout(mma.partition(Layout((bM, bN)), 0, "c")[0].shape)
tXrA, tXrB = s2r_a.retile(tCrA), s2r_b.retile(tCrB)  # the same registers, as ldmatrix fills them
print(f"tCrA {tCrA}\ntXrA {tXrA}\ntCrC {tCrC}")

# Why the swizzle: the first write and the first read of the warps, with it and without
for s in (sA, sA.inner):
    for what, parts, side in (("cp.async", copy, "dst"), ("ldmatrix", s2r_a, "src")):
        tile, _first = local_tile(s, (*parts.tile, 1), (0, 0, 0))
        found = bank_conflicts(tile, Access(getattr(parts, side), vector=8), element_bits=16)
        name = "swizzled" if s is sA else "not swizzled"
        print(f"{what}, {name}: {found.wavefronts} wavefronts for {found.ideal} phases")


def multiply(acc: NDArray[np.float16], a: NDArray[np.float16], b: NDArray[np.float16]) -> None:
    """Each warp's MMA atoms for one k: lanes give and take what the layouts of the atom say."""
    one = mma.atom
    for warp in range(0, THREADS, 32):
        lanes = slice(warp, warp + 32)
        tile_a, tile_b = np.empty((128, a.shape[2])), np.empty((64, b.shape[2]))
        tile_a[offsets(one.a)], tile_b[offsets(one.b)] = a[lanes], b[lanes]
        # the index in a tile of an atom runs down its columns: m + 16 * k, n + 8 * k, m + 16 * n
        products = np.einsum("kmi,knj->nmij", tile_a.reshape(8, 16, -1), tile_b.reshape(8, 8, -1))
        acc[lanes] += products.reshape(128, *products.shape[2:])[offsets(one.c)].astype(np.float16)


smem_a, smem_b = (np.full(s.cosize, np.nan, np.float16) for s in (sA, sB))
regs_a, regs_b = (np.empty((THREADS, r.size), np.float16) for r in (tCrA, tCrB))
acc = np.zeros((THREADS, *map(int, (4, *tCrC.shape[1:]))), np.float16)
tiles = gA.shape[2]


def load(k_tile: int) -> None:
    """cp.async of a tile of A and one of B into the next stage."""
    if k_tile < tiles:
        smem_a[tAsA[..., k_tile % bP]] = A[tAgA[..., k_tile]]
        smem_b[tBsB[..., k_tile % bP]] = B[tBgB[..., k_tile]]


for k_tile in range(bP - 1):  # the pipeline is filled but for one stage
    load(k_tile)
for k_tile in range(tiles):
    load(k_tile + bP - 1)
    regs_a[:, offsets(tXrA)] = smem_a[tXsA[..., k_tile % bP]]  # copy(s2r_a, tXsA_p, tXrA)
    regs_b[:, offsets(tXrB)] = smem_b[tXsB[..., k_tile % bP]]
    for k in range(tCrA.shape[2]):  # gemm(mma, tCrA(_,_,k), tCrB(_,_,k), tCrC)
        multiply(acc, regs_a[:, offsets(tCrA)[..., k]], regs_b[:, offsets(tCrB)[..., k]])

C = np.zeros(M * N, np.float16)
C[of_threads(mma, mC, "c")] = acc
a, b, c = (data[offsets(layout)] for data, layout in ((A, mA), (B, mB), (C, mC)))
assert np.array_equal(c, a.astype(np.float32) @ b.T.astype(np.float32))
print(f"{tiles} tiles of k through {bP} stages: equal to numpy's A @ B.T")
