"""The tiles of a matrix product on AtlasA2, and what the types know of them.

M, N and K are dynamic, the tiles static. With `plugins = tla.mypy_plugin` mypy runs on the types of this
program what the program runs on its ints. Uncomment a mistake, and mypy says at its line what the run
would say; docs/types.md has each of them.

Run:   python examples/typed_tiles.py
Check: mypy examples/typed_tiles.py
"""

from typing import Literal, TypeAlias, assert_type

import tla
from tla import Int, Layout, _1, _16, _64, _128, _256, ascend

M1, N1, K1 = _128, _256, _256  # a block of C, and the part of K that lies in L1 at a time
K0 = _64  # the part of K1 that lies in L0A and L0B at a time
CORE = ascend.AtlasA2

Rows: TypeAlias = Layout[tuple[int, int], tuple[int, Int[Literal[1]]]]
"""A matrix whose rows are contiguous, of any size and however far apart."""
Tile: TypeAlias = Layout[tuple[Int[Literal[128]], Int[Literal[256]]], tuple[int, Int[Literal[1]]]]
"""Such rows, as many as M1, and as long as N1 and K1."""


def main(m: int, n: int, k: int) -> None:
    a = tla.make_layout((m, k), (k, _1))
    b = tla.make_layout((k, n), (_1, k))  # by columns
    c = tla.make_layout((m, n), (n, _1))
    print(f"A {a}\nB {b}\nC {c}\n")
    assert_type(a, Rows)
    blocks(a, c)
    # MISTAKE rows: blocks(a, b)
    buffers()


def blocks(a: Rows, c: Rows) -> None:
    """Walk over the blocks of C, and over K within each."""
    (m, k), (_m, n) = a.shape, c.shape
    for i in range(tla.ceil_div(m, M1)):
        for j in range(tla.ceil_div(n, N1)):
            tile: Tile = tla.get_tile_layout(c, (M1, N1), (i * M1, j * N1))
            # MISTAKE rank: tla.get_tile_layout(c, (M1, N1, K1), (i * M1, j * N1))
            print(f"block ({i},{j}): C from {c(i * M1, j * N1)} on, {bursts(tile)}")
            for step in range(tla.ceil_div(k, K1)):
                tile = tla.get_tile_layout(a, (M1, K1), (i * M1, step * K1))
                print(f"    A from {a(i * M1, step * K1)} on, {bursts(tile)}")


def bursts(tile: Rows) -> str:
    """How a tile of `half` is read from global memory: a burst for each row that holds data."""
    rows, cols = tile.origin_shape
    return f"{rows:d} bursts of {2 * cols} bytes, {2 * tile.stride[0]} apart"


def buffers() -> None:
    """Lay the tiles of a block out in the buffers of a core, and take them apart."""
    l1_a, l1_b = tla.zN(M1, K1), tla.zN(K1, N1)
    in_l1 = (
        ascend.allocate(CORE, "L1", l1_a, "half"),
        ascend.allocate(CORE, "L1", l1_b, "half", start=65536),
    )
    # MISTAKE misalignment: ascend.allocate(CORE, "L1", l1_b, "half", start=65552)

    # the same by hand: blocks of 16 by 16, 8 below one another, then 16 beside them
    l1_a = tla.make_layout(((_16, M1 // _16), (_16, K1 // _16)), ((_16, _256), (_1, _16 * M1)))
    # MISTAKE congruence: tla.make_layout(((_16, M1 // _16), (_16, K1 // _16)), (_16, _1))
    print(f"last of A in L1: {l1_a(M1 - _1, K1 - _1):d}")
    # MISTAKE coordinate: l1_a(M1, K1)

    piece = tla.make_layout_tile(l1_a, (M1, K0))
    # MISTAKE tile: tla.make_layout_tile(l1_a, (M1, Int(96)))
    print(f"a piece for L0A: {piece}, {K1 // K0:d} of them")
    print(f"its fractals:    {tla.zipped_divide(piece, (_16, _16))}")
    print(f"its first rows:  {tla.composition(l1_a, tla.make_layout((_16, K0), (_1, M1)))}")
    # MISTAKE composition: tla.composition(l1_a, tla.make_layout((_16, K0), (_1, Int(96))))

    l0_a = ascend.allocate_stages(CORE, "L0A", tla.zZ(M1, K0), "half", 2)
    # MISTAKE tag: ascend.allocate_stages(CORE, "L0A", piece, "half", 2)
    # MISTAKE overflow: ascend.allocate_stages(CORE, "L0A", tla.zZ(M1, K1), "half", 2)
    l0_b = ascend.allocate_stages(CORE, "L0B", tla.nZ(K0, N1), "half", 2)
    l0_c = ascend.allocate(CORE, "L0C", ascend.make_layout("float", "L0C", M1, N1), "float")
    for tile in (*in_l1, *l0_a, *l0_b, l0_c):
        print(f"{tile.position:3} from {tile(0, 0):5d} on: {tile.layout}")


if __name__ == "__main__":
    main(200, 300, 500)
