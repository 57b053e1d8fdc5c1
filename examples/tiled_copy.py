"""A copy by tiles, each thread with vectors of 16 bytes: CuTe's tiled_copy.cu on numpy.

A matrix of 256 by 512 floats is divided into tiles of 128 by 64, one for each block. A block has 32 by 8
threads, and each thread takes 4 floats with one instruction.

Run: python examples/tiled_copy.py
Source: CUTLASS, examples/cute/tutorial/tiled_copy.cu.
"""

import numpy as np

from tla import Layout, _, local_partition, max_common_vector, offsets, slice_and_offset, tiled_divide
from tla.gpu import memory_lines, tiled_copy

matrix = Layout((256, 512))
S = np.random.default_rng(0).random(matrix.size, np.float32)
tiles = tiled_divide(matrix, (128, 64))  # ((M,N),m',n')
print(f"tiles {tiles}")

# One element at a time: 32 by 8 threads, (ThrValM,ThrValN) elements each
thr_layout, val_layout = Layout((32, 8)), Layout((4, 1))
tile_S, _first = slice_and_offset(((_, _), 0, 0), tiles)  # (M,N), the same in each block
thread, first = local_partition(tile_S, thr_layout, 37)
print(f"thread 37, one by one: {thread} from {first}")

# Four at a time: the instruction moves what the value layout says, 4 floats of a column
copy = tiled_copy("UniversalCopy<uint128_t>", thr_layout, val_layout)
thr_tile_S, first = copy.partition(tile_S, 37, "src")  # (CopyOp,CopyM,CopyN)
print(f"thread 37, by vectors: {thr_tile_S} from {first}")
print(f"elements of one vector: {max_common_vector(thr_tile_S, thr_tile_S)}")
((holder, value),) = copy.holders((21, 3), "src")
print(f"element (21,3) of a tile of {copy.tile} is value {value} of thread {holder}")

# What a warp reaches at once: 32 vectors of 16 bytes are at least 4 lines of 128 bytes
in_matrix = Layout(copy.tile, matrix.stride)
lines = memory_lines(in_matrix, copy.src, element_bits=copy.element_bits, vector=4)
print(f"lines of 128 bytes that an instruction of a warp reaches: {max(lines)}")

# The kernel: all blocks, and in each all threads
thr_tiles = offsets(copy.partition(tile_S, _, "src")[0])  # (thread,CopyOp,CopyM,CopyN)
D = np.full_like(S, np.nan)
for m, n in np.ndindex(tiles.shape[1:]):
    begin = tiles(0, m, n)
    fragment = S[begin + thr_tiles]  # copy(tiled_copy, thr_tile_S, fragment)
    D[begin + thr_tiles] = fragment  # copy(tiled_copy, fragment, thr_tile_D)
assert np.array_equal(S, D)
print(f"{thr_layout.size} threads copied {thr_tiles[0].size} elements each in every block")
