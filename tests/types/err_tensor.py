"""Mistakes with tensors: tiles, coordinates, slices, places."""

from tla import (
    Int,
    Tensor,
    _,
    _1,
    _3,
    _8,
    _16,
    _128,
    _256,
    get_tile,
    make_layout,
    make_tensor,
    tile_view,
)

a = make_tensor("A", make_layout((_128, _256), (_256, _1)))
fractal = make_layout(((_16, _3), (_16, _3)), ((_16, _256), (_1, Int(768))))
row = make_tensor("row", make_layout(_8, _1))
part = get_tile(a, (0, 0), (_16, _16))
l1 = make_tensor("A1", fractal, position="L1")

tile_view(a, (0, 0, 0), (4, 4, 4))  # E: tile (4,4,4) does not fit the layout (_128,_256):(_256,_1)
tile_view(row, (0, 0), 4)  # E: tile coordinate (0,0) does not fit the layout _8:_1
get_tile(a, 0, (4, 4))  # E: coordinate 0 does not fit the layout (_128,_256):(_256,_1)
get_tile(a, (0, 0), (4, 0))  # E: tile (4,0) has the extent 0
get_tile(a, (128, 0), (4, 4))  # E: a tile at (128,0) lies outside the shape (_128,_256)
get_tile(a, (-1, 0), (4, 4))  # E: the tile cannot start at (-1,0): coordinates count from 0
tile_view(a, (3, 1), (48, 48))  # E: a tile at (144,48) lies outside the shape (_128,_256)
tile_view(part, (1, 0), (16, 16))  # E: a tile at (16,0) lies outside the shape (_16,_16)
Tensor("A", fractal, position="L2")  # E: there is no position 'L2'

a(1, 256)  # E: coordinate (1,256) lies outside the shape (_128,_256)
a(1, 2, 3)  # E: coordinate (1,2,3) does not fit the shape (_128,_256)
a.offset((0, -1))  # E: coordinate (0,-1) lies outside the shape (_128,_256)
a[_, 256]  # E: coordinate (_,256) lies outside the shape (_128,_256)
a[1, 2]  # E: tensor[(1,2)] keeps no mode
l1[(_, 1), 0]  # E: a tensor is cut by whole modes, not by ((_,1),0)


def walked(rows: int = 100, cols: int = 60) -> None:
    whole = make_tensor("A", make_layout((rows, cols), (cols, _1)))
    tile_view(whole, (1, 0), (48,))  # E: tile (48) does not fit the layout (int,int):(int,_1)
    tile_view(whole, (1, 0), (48, 0))  # E: tile (48,0) has the extent 0
    tile = tile_view(whole, (1, 0), (_16, _16))
    tile(16, 0)  # E: coordinate (16,0) lies outside the shape (_16,_16)
