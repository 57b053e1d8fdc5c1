"""Mistakes in the algebra: each operation asked for a layout that does not exist."""

from tla import (
    Int,
    Layout,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _6,
    _8,
    _16,
    coalesce,
    complement,
    composition,
    domain_offset,
    downcast,
    filter_zeros,
    flat_divide,
    flat_product,
    group,
    left_inverse,
    logical_divide,
    logical_product,
    make_layout,
    make_layout_tv,
    mutual_refinement,
    raked_product,
    recast_layout,
    replace,
    select,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    upcast,
    zipped_divide,
    zipped_product,
)

a = make_layout((_4, _8), (_8, _1))
b = make_layout((_4, _6), (_1, _4))

# composition
composition(make_layout((_6, _2), (_1, _8)), make_layout((_3, _2), (_2, _3)))  # E: the composition of (_6,_2):(_1,_8) with (_3,_2):(_2,_3) is not a layout
composition(make_layout((_4, _6), (_6, _1)), make_layout(_4, _3))  # E: the composition of (_4,_6):(_6,_1) with _4:_3 is not a layout
composition(a, make_layout(_4, -_1))  # E: the composition of (_4,_8):(_8,_1) with _4:_-1 is not defined
composition(a, make_layout(_8, _8), extend=False)  # E: the composition of (_4,_8):(_8,_1) with _8:_8 reaches past the left side, of size 32
composition(a, (_2, _2, _2))  # E: (_2,_2,_2) has 3 parts, (_4,_8):(_8,_1) has 2 modes
composition(a, make_layout((_3, _2), (_1, _3)))  # E: the composition of (_4,_8):(_8,_1) with (_3,_2):(_1,_3) is not a layout

# complement and inverses
complement(make_layout((_4, _2), (_1, _2)), _16)  # E: (_4,_2):(_1,_2) has no complement: its modes 4:1 and 2:2 overlap or interleave
complement(make_layout(_4, -_1))  # E: _4:_-1 has no complement: the mode 4:-1 runs backwards
complement(make_layout((_4, _2), (_2, _3)))  # E: (_4,_2):(_2,_3) has no complement: its modes 4:2 and 2:3 overlap or interleave
complement(a, -_1)  # E: the cotarget _-1 is negative
left_inverse(make_layout(_4, -_2))  # E: _4:_-2 has no left inverse: its mode 4:-2 reaches offsets below 0

# divides
logical_divide(a, (_3, _2), exact=True)  # E: the tile _3:_1 does not divide _4:_8
logical_divide(b, (_4, _4), exact=True)  # E: the tile _4:_1 does not divide _6:_4
logical_divide(a, (_2, _2, _2))  # E: (_2,_2,_2) has 3 parts, (_4,_8):(_8,_1) has 2 modes
zipped_divide(a, (_4, _3), exact=True)  # E: the tile _3:_1 does not divide _8:_1
zipped_divide(make_layout((_6, _4), (_1, _8)), make_layout(_4, _1), exact=True)  # E: dividing (_6,_4):(_1,_8) by _4:_1 does not give a layout
tiled_divide(a, (_3, _1), exact=True)  # E: the tile _3:_1 does not divide _4:_8
flat_divide(a, (_4, _5), exact=True)  # E: the tile _5:_1 does not divide _8:_1
zipped_divide(a, (_0, _2))  # E: _0:_1 has no coordinate, and so no complement
zipped_divide(a, make_layout((_4, _2), (_1, _2)))  # E: (_4,_2):(_1,_2) has no complement: its modes 4:1 and 2:2 overlap or interleave

# products
logical_product(make_layout((_4, _2), (_1, _2)), make_layout(_3))  # E: (_4,_2):(_1,_2) has no complement: its modes 4:1 and 2:2 overlap or interleave
zipped_product(make_layout(_4, -_1), make_layout(_2))  # E: _4:_-1 has no complement: the mode 4:-1 runs backwards
tiled_product(a, (_2, _2, _2))  # E: (_2,_2,_2) has 3 parts, (_4,_8):(_8,_1) has 2 modes
flat_product(a, (_2, _2, _2))  # E: (_2,_2,_2) has 3 parts, (_4,_8):(_8,_1) has 2 modes
raked_product(make_layout((_4, _2), (_1, _2)), make_layout((_2, _2)))  # E: (_4,_2):(_1,_2) has no complement: its modes 4:1 and 2:2 overlap or interleave
tile_to_shape(a, (_6, _8))  # E: (_4,_8):(_8,_1) does not tile the shape (_6,_8)
make_layout_tv(make_layout((_4, _2), (_1, _2)), make_layout(_4, -_1))  # E: (_4,_2):(_1,_2) has no complement: its modes 4:1 and 2:2 overlap or interleave

# edits
coalesce(a, (_1, _1, _1))  # E: (_1,_1,_1) has 3 parts, (_4,_8):(_8,_1) has 2 modes
filter_zeros(a, (_1, _0, _1))  # E: (_1,_0,_1) has 3 parts, (_4,_8) has 2 modes
group(a, 1, 3)  # E: modes 1 to 3 are not a range of (_4,_8), of rank 2
select(a, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
replace(a, 3, b)  # E: there is no mode 3 in (_4,_8), of rank 2

# other elements, domains, vectors
upcast(make_layout((_4, _3), (_1, _5)), _2)  # E: upcast of (_4,_3):(_1,_5) by _2 does not give whole vectors
upcast(a, _0)  # E: the elements of a vector cannot number _0
downcast(a, -_1)  # E: the parts of an element cannot number _-1
recast_layout(a, "half", "quarter")  # E: 'half' is not an XLA element type
domain_offset((4, 0), a)  # E: coordinate (4,0) lies outside the shape (_4,_8)
mutual_refinement((_4, _6), (_3, _8))  # E: (_4,_6) and (_3,_8) have no mutual refinement


def parameters(
    n: int = 5,
    t: Layout[tuple[Int[4], int], tuple[int, Int[1]]] = make_layout((_4, 6), (6, _1)),
) -> None:
    zipped_divide(t, (_3, _2), exact=True)  # E: the tile _3:_1 does not divide _4:int
    zipped_divide(t, (_2, _2, _2))  # E: (_2,_2,_2) has 3 parts, (_4,int):(int,_1) has 2 modes
    composition(make_layout((n, _4)), (_2, _2, n))  # E: (_2,_2,int) has 3 parts, (int,_4):(_1,int) has 2 modes
    complement(make_layout((_4, n), (-_1, _4)))  # E: (_4,int):(_-1,_4) has no complement: the mode _4:_-1 runs backwards
    logical_product(make_layout((_4, _2), (_1, _2)), make_layout(n))  # E: (_4,_2):(_1,_2) has no complement: its modes _4:_1 and _2:_2 overlap or interleave
    select(t, 2)  # E: there is no mode 2 in (_4,int), of rank 2
