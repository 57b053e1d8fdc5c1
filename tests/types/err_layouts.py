"""Mistakes in layouts: making them, evaluating them, taking modes and slices, tiles, notation."""

from typing import Final

from tla import (
    Int,
    Layout,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _8,
    col_major,
    cosize,
    crd2offset,
    fractal_layout,
    get,
    get_tile_layout,
    make_layout,
    make_layout_tile,
    make_ordered_layout,
    parse,
    rank,
    row_major,
    shape,
    size,
    slice_and_offset,
    stride,
    zN,
)

COLUMN: Final = 8
a = make_layout((_4, _8), (_8, _1))
nested = make_layout((_4, (_2, _4)), (_8, (_4, _1)))

# making them
make_layout((_4, _8), (_8,))  # E: shape (_4,_8) and stride (_8) are not congruent
make_layout((_4, _8), (_8, _1, _1))  # E: shape (_4,_8) and stride (_8,_1,_1) are not congruent
make_layout((_4, (_2, 4)), (_8, _1))  # E: shape (_4,(_2,4)) and stride (_8,_1) are not congruent
make_layout((_4, 8), _1)  # E: shape (_4,8) and stride _1 are not congruent
make_layout(shape=(_4, _8), stride=(_1, (_4, _8)))  # E: shape (_4,_8) and stride (_1,(_4,_8)) are not congruent
make_layout((_4, -_8))  # E: shape (_4,_-8) has the negative extent _-8
make_layout((4, -8), (8, 1))  # E: shape (4,-8) has the negative extent -8
make_layout((_4, True))  # E: expected an int, got bool True
make_layout((_4, "8"))  # E: expected an int, got str '8'
make_layout((_4, None), (_1, _4))  # E: expected an int, got NoneType None
Layout((_4, _8), (_1, _4, _2))  # E: shape (_4,_8) and stride (_1,_4,_2) are not congruent
Layout(-_1, _1)  # E: shape _-1 has the negative extent _-1
make_ordered_layout((_4, _8), (0, 1, 2))  # E: the order (0,1,2) does not fit the shape (_4,_8)
row_major(_4, -_1)  # E: shape (_4,_-1) has the negative extent _-1
col_major(-4, 8)  # E: shape (-4,8) has the negative extent -4
zN(_0, _4, _8)  # E: a block is two positive extents, not _8
zN(30, 40, 0)  # E: a block is two positive extents, not 0
fractal_layout(30, 40, "xN", 16)  # E: blocks are a tuple, the innermost first, as in ((16,16),(8,4)), not 16  # E[arg-type]: Argument 4 to "fractal_layout" has incompatible type "int"; ...

# a coordinate of it
a(4, 0)  # E: coordinate (4,0) lies outside the shape (_4,_8)
a(_4, 0)  # E: coordinate (_4,0) lies outside the shape (_4,_8)
a(0, COLUMN)  # E: coordinate (0,8) lies outside the shape (_4,_8)
a(32)  # E: coordinate 32 lies outside the shape (_4,_8)
a(-1, 0)  # E: coordinate (-1,0) lies outside the shape (_4,_8)
a(0, 0, 0)  # E: coordinate (0,0,0) does not fit the shape (_4,_8)
a()  # E: coordinate () does not fit the shape (_4,_8)
a((0, (0, 0)))  # E: coordinate (0,(0,0)) does not fit the shape (_4,_8)
a(_, 0)  # E: (_,0) keeps modes and so has no single offset  # E[arg-type]: Argument 1 to "__call__" of "Layout" has incompatible type "Underscore"; ...
nested(0, (2, 0))  # E: coordinate (0,(2,0)) lies outside the shape (_4,(_2,_4))
nested(0, (0, 0, 0))  # E: coordinate (0,(0,0,0)) does not fit the shape (_4,(_2,_4))
a.extended(-1)  # E: coordinate -1 lies outside the shape (_4,_8)
a.extended(0, 0, 0)  # E: coordinate (0,0,0) does not fit the shape (_4,_8)
crd2offset((4, 0), a.shape, a.stride)  # E: coordinate (4,0) lies outside the shape (_4,_8)

# modes and slices
get(a, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
get(a, _2)  # E: there is no mode 2 in (_4,_8), of rank 2
get(nested, 1, 2)  # E: there is no mode 2 in (_2,_4), of rank 2
rank(a, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
size(a, 0, 1)  # E: there is no mode 1 in _4, of rank 1
shape(nested, 1, 3)  # E: there is no mode 3 in (_2,_4), of rank 2
stride(a, 5)  # E: there is no mode 5 in (_8,_1), of rank 2
cosize(a, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
a[_, 8]  # E: coordinate (_,8) lies outside the shape (_4,_8)
a[4, _]  # E: coordinate (4,_) lies outside the shape (_4,_8)
a[0, 0]  # E: layout[(0,0)] keeps no mode
a[_, _, _]  # E: coordinate (_,_,_) does not fit the shape (_4,_8)
a[_, (0, _)]  # E: coordinate (_,(0,_)) does not fit the shape (_4,_8)
slice_and_offset((_, -1), a)  # E: coordinate (_,-1) lies outside the shape (_4,_8)
slice_and_offset(3, a)  # E: layout[3] keeps no mode

# tiles
make_layout_tile(a, (_4, _3), exact=True)  # E: tile (_4,_3) does not divide the shape (_4,_8)
make_layout_tile(a, (_2, _2, _2))  # E: tile (_2,_2,_2) does not fit the layout (_4,_8):(_8,_1)
make_layout_tile(a, (_2, (_2, _2)))  # E: tile (_2,(_2,_2)) does not fit the layout (_4,_8):(_8,_1)
make_layout_tile(a, (_0, _2))  # E: tile (_0,_2) does not divide the shape (_4,_8)
make_layout_tile(nested, (3, _4), exact=True)  # E: tile (3,_4) does not divide the shape (_4,(_2,_4))
get_tile_layout(a, (_2, _2), (0, 0, 0))  # E: coordinate (0,0,0) does not fit the layout (_4,_8):(_8,_1)
get_tile_layout(a, (_2, _2, _2), (0, 0))  # E: tile (_2,_2,_2) does not fit the layout (_4,_8):(_8,_1)
get_tile_layout(a, (-_2, _2), (0, 0))  # E: shape (_-2,_2) has the negative extent _-2

# notation
parse("(_2,4:(_12,_1)")  # E: expected ',' or ')' of the '(' in column 1, found ':'
parse("(_2,4):(_12)")  # E: shape (_2,4) and stride (_12) are not congruent
parse("(_2,4):(_12,_1))")  # E: expected the end of text, found ')'
parse("")  # E: expected a shape, found the end of text
parse("(_2,-4):(_12,_1)")  # E: shape (_2,-4) has the negative extent -4
parse("(_2,x!):(_12,_1)")  # E: expected ',' or ')' of the '(' in column 1, found '!'
get(parse("(_2,4):(_12,_1)"), 2)  # E: there is no mode 2 in (_2,int), of rank 2


def parameters(
    n: int = 5,
    t: Layout[tuple[Int[4], int], tuple[int, Int[1]]] = make_layout((_4, 6), (6, _1)),
    s: Layout[tuple[Int[8], Int[2]], tuple[Int[1], Int[8]]] = make_layout((_8, _2)),
) -> None:
    t(4, n)  # E: coordinate (4,int) lies outside the shape (_4,int)
    t(n, 0, 0)  # E: coordinate (int,0,0) does not fit the shape (_4,int)
    get(t, s.rank)  # E: there is no mode 2 in (_4,int), of rank 2
    s(n, _2)  # E: coordinate (int,_2) lies outside the shape (_8,_2)
    s[_, 2]  # E: coordinate (_,2) lies outside the shape (_8,_2)
    make_layout((_4, n), (_1, n, n))  # E: shape (_4,int) and stride (_1,int,int) are not congruent
    make_layout((_4, n), (_1, (n, n)))  # E: shape (_4,int) and stride (_1,(int,int)) are not congruent
    make_layout(t.shape, (s.stride, _1, _1))  # E: shape (_4,int) and stride ((_1,_8),_1,_1) are not congruent
    make_layout_tile(t, (_3, _2), exact=True)  # E: tile (_3,_2) does not divide the shape (_4,int)
    make_layout_tile(s, (_2, _4), exact=True)  # E: tile (_2,_4) does not divide the shape (_8,_2)
    make_layout_tile(t, (_2, _2, n))  # E: tile (_2,_2,int) does not fit the layout (_4,int):(int,_1)
    t[n, n]  # E: layout[(int,int)] keeps no mode


def either(is_wide: bool = True) -> None:
    one = make_layout((_4, _8)) if is_wide else make_layout((_8, _4))
    one(5, 0)  # E: coordinate (5,0) lies outside the shape (_4,_8)
