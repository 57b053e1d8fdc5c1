"""A transpose through shared memory: its bank conflicts, and their cure by padding or by a swizzle.

A block of 8 warps turns a tile of 32 by 32 floats. A warp writes rows to shared memory, and reads
columns. So global memory is read and written in whole lines, but the columns have bank conflicts.

Run: python examples/transpose_through_shared_memory.py
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tla import Layout, Swizzle, _, composition, cosize, local_tile, offsets, select
from tla.gpu import bank_conflicts, memory_lines, tiled_copy

M, N, TILE = 96, 64, (32, 32)
S = np.random.default_rng(0).random(M * N, np.float32)
source, target = Layout((M, N), (N, 1)), Layout((N, M), (M, 1))

# A warp takes a row of 32 floats, one for each lane, and then the next 3 rows.
copy = tiled_copy("UniversalCopy<uint32_t>", Layout((8, 32), (32, 1)), Layout((4, 1)))
write = copy.src  # from (thread, value) to the index in the tile, which runs down the columns
read = composition(Layout(TILE, (32, 1)), write)  # the same rows of the tile turned: its columns

# Three layouts for the tile in shared memory. `tla banks --cure` finds the swizzle.
plain, padded = Layout(TILE, (32, 1)), Layout(TILE, (33, 1))
swizzled = composition(Swizzle(5, 0, 5), plain)
in_shared: dict[str, Any] = {"plain": plain, "padded": padded, "swizzled": swizzled}


def of_threads(x: Any) -> NDArray[np.int64]:
    """Where each thread finds its part of a tile: an array of threads by values."""
    places: NDArray[np.int64] = offsets(copy.partition(x, _, "src")[0])  # _ for the thread: all of them
    return places


def transpose(tile: Any) -> NDArray[np.float32]:
    """The kernel, with a layout for the tile in shared memory: what all blocks write."""
    D = np.full_like(S, np.nan)
    thr_S, thr_D = (of_threads(local_tile(x, TILE, (0, 0))[0]) for x in (source, target))
    thr_rows, thr_columns = of_threads(tile), of_threads(select(tile, 1, 0))
    for i, j in np.ndindex(M // 32, N // 32):
        smem = np.full(cosize(tile), np.nan, np.float32)
        smem[thr_rows] = S[local_tile(source, TILE, (i, j))[1] + thr_S]
        D[local_tile(target, TILE, (j, i))[1] + thr_D] = smem[thr_columns]
    return D


lines = {max(memory_lines(Layout(TILE, x.stride), write, element_bits=32)) for x in (source, target)}
assert lines == {1}
print("each row of a tile is one line of global memory")
for name, tile in in_shared.items():
    found = transpose(tile)[offsets(target)]
    assert np.array_equal(found, S[offsets(source)].T)
    counts = [bank_conflicts(tile, x, element_bits=32).wavefronts for x in (write, read)]
    print(
        f"{name:9}{tile}, {4 * cosize(tile)} bytes: {counts[0]} wavefronts to write, {counts[1]} to read"
    )
print("each gives numpy's S.T")
