"""A copy of a matrix that the tiles do not divide: CuTe's tiled_copy_if.cu on numpy.

528 by 300 in tiles of 128 by 64: the last tiles stick out. An identity layout is cut as the data are, so
each thread has the coordinates of its elements and asks which of them exist.

Run: python examples/predicated_copy.py
Source: CUTLASS, examples/cute/tutorial/tiled_copy_if.cu.
"""

import numpy as np

from tla import Layout, _, ceil_div, elem_less, local_tile, make_identity_layout, offsets
from tla.gpu import tiled_copy

SHAPE, TILE = (528, 300), (128, 64)
matrix, identity = Layout(SHAPE), make_identity_layout(SHAPE)
S = np.random.default_rng(0).random(matrix.size, np.float32)
D = np.full_like(S, np.nan)
threads = Layout((32, 8))
copy = tiled_copy("UniversalCopy<uint128_t>", threads, Layout((4, 1)))

# Data and coordinates are cut in the same way
tile, _first = local_tile(matrix, TILE, (0, 0))
coords, _first = local_tile(identity, TILE, (0, 0))
part, first = copy.partition(tile, 37, "src")
where, corner = copy.partition(coords, 37, "src")
print(f"thread 37 has {part} from {first},\n         at {where} from {corner}")
_tile, last = local_tile(identity, TILE, (4, 4))
at = last + corner + where((0, 0), 0, 2)
print(f"in the last tile its vector 2 begins at {at}: inside {elem_less(at, SHAPE)}")

thr_S = offsets(copy.partition(tile, _, "src")[0])  # (thread,CPY,CPY_M,CPY_N)
thr_C = offsets(copy.partition(coords, _, "src")[0])  # and a last axis with both coordinates

grid = tuple(ceil_div(n, size) for n, size in zip(SHAPE, TILE, strict=True))
done, vectors = 0, 0
for block in np.ndindex(*grid):
    begin = local_tile(matrix, TILE, block)[1]
    corner = local_tile(identity, TILE, block)[1]
    thr_P = (thr_C + corner < SHAPE).all(axis=-1)  # elem_less(thr_C(i), SHAPE), of all threads
    vector = thr_P.reshape(threads.size, 4, -1)
    assert (vector.all(1) == vector.any(1)).all()  # 4 divides 528: no vector is cut
    D[begin + thr_S[thr_P]] = S[begin + thr_S[thr_P]]  # copy_if(copy, thr_P, thr_S, thr_D)
    done, vectors = done + int(thr_P.sum()), vectors + vector.shape[2] * threads.size
assert np.array_equal(S, D)
print(f"{grid[0]} by {grid[1]} tiles: {done} elements were copied, each once;")
print(f"{4 * vectors - done} more would have been touched outside without the predicate")
