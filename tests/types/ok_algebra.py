"""The algebra: the exact type of each operation, on static layouts, on mixed ones and on declared ones."""

from typing import assert_type

from tla import (
    Int,
    Layout,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _6,
    _8,
    _16,
    _24,
    _32,
    append,
    blocked_product,
    coalesce,
    collision,
    complement,
    composition,
    domain_distribute,
    domain_offset,
    downcast,
    filter as filtered,
    filter_zeros,
    flat_divide,
    flat_product,
    group,
    group_modes,
    left_inverse,
    logical_divide,
    logical_product,
    make_layout,
    make_layout_tv,
    make_tile,
    max_alignment,
    max_common_layout,
    max_common_vector,
    mutual_refinement,
    nullspace,
    prepend,
    raked_product,
    recast_layout,
    replace,
    reveal,
    reverse,
    right_inverse,
    select,
    size_in_bytes,
    take,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    upcast,
    zipped_divide,
    zipped_product,
)

a = make_layout((_4, _8), (_8, _1))
b = make_layout((_6, _2), (_8, _2))
tile = make_layout((_2, _2), (_1, _2))
mixed = make_layout((_4, 8), (8, _1))

# coalescing
assert_type(coalesce(make_layout((_2, (_1, _6)), (_1, (_6, _2)))), Layout[Int[12], Int[1]])
assert_type(coalesce(a), Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(
    coalesce(make_layout((_2, (_3, _4))), (_1, _1)),
    Layout[tuple[Int[2], Int[12]], tuple[Int[1], Int[2]]],
)
assert_type(
    filter_zeros(make_layout((_4, _8), (_0, _1))), Layout[tuple[Int[1], Int[8]], tuple[Int[0], Int[1]]]
)
assert_type(filtered(make_layout((_4, (_2, _2)), (_1, (_0, _4)))), Layout[Int[8], Int[1]])

# composition
assert_type(
    composition(b, make_layout((_4, _3), (_3, _1))),
    Layout[tuple[tuple[Int[2], Int[2]], Int[3]], tuple[tuple[Int[24], Int[2]], Int[8]]],
)
assert_type(
    composition(a, make_layout((_2, _4), (_4, _8))), Layout[tuple[Int[2], Int[4]], tuple[Int[1], Int[2]]]
)
assert_type(composition(a, _4), Layout[Int[4], Int[8]])
assert_type(composition(a, (_2, _4)), Layout[tuple[Int[2], Int[4]], tuple[Int[8], Int[1]]])
assert_type(composition(a, 4), Layout[int, int])
assert_type(composition(mixed, (_2, _4)), Layout[tuple[Int[2], Int[4]], tuple[int, Int[1]]])

# complement and inverses
assert_type(complement(make_layout(_4, _2), _24), Layout[tuple[Int[2], Int[3]], tuple[Int[1], Int[8]]])
assert_type(complement(make_layout((_2, _2), (_1, _6))), Layout[Int[3], Int[2]])
assert_type(complement(make_layout(_4, _2), 24), Layout[tuple[Int[2], int], tuple[Int[1], Int[8]]])
assert_type(complement(tile, a.size), Layout[Int[8], Int[4]])
assert_type(right_inverse(a), Layout[tuple[Int[8], Int[4]], tuple[Int[4], Int[1]]])
assert_type(left_inverse(a), Layout[tuple[Int[8], Int[4]], tuple[Int[4], Int[1]]])
assert_type(
    left_inverse(make_layout((_4, _2), (_2, _16))),
    Layout[tuple[Int[2], Int[8], Int[2]], tuple[Int[0], Int[1], Int[4]]],
)
assert_type(nullspace(make_layout((_4, _2), (_0, _1))), Layout[Int[4], Int[1]])

# divides
assert_type(
    logical_divide(a, (_2, _4)),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[4], Int[2]]],
        tuple[tuple[Int[8], Int[16]], tuple[Int[1], Int[4]]],
    ],
)
assert_type(
    zipped_divide(a, (_2, _4)),
    Layout[
        tuple[tuple[Int[2], Int[4]], tuple[Int[2], Int[2]]],
        tuple[tuple[Int[8], Int[1]], tuple[Int[16], Int[4]]],
    ],
)
assert_type(
    tiled_divide(a, (_2, _4)),
    Layout[tuple[tuple[Int[2], Int[4]], Int[2], Int[2]], tuple[tuple[Int[8], Int[1]], Int[16], Int[4]]],
)
assert_type(
    flat_divide(a, (_2, _4)),
    Layout[tuple[Int[2], Int[4], Int[2], Int[2]], tuple[Int[8], Int[1], Int[16], Int[4]]],
)
assert_type(
    logical_divide(a, make_layout(_4, _2)),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[4]]],
        tuple[tuple[Int[16], Int[1]], tuple[Int[8], Int[2]]],
    ],
)
assert_type(
    zipped_divide(a, (make_layout(_2, _2), _4), exact=True),
    Layout[
        tuple[tuple[Int[2], Int[4]], tuple[Int[2], Int[2]]],
        tuple[tuple[Int[16], Int[1]], tuple[Int[8], Int[4]]],
    ],
)
assert_type(
    zipped_divide(a, (_2, 4)),
    Layout[
        tuple[tuple[Int[2], int], tuple[Int[2], int]], tuple[tuple[Int[8], int], tuple[Int[16], int]]
    ],
)
assert_type(
    zipped_divide(a, (_3, _4)),
    Layout[
        tuple[tuple[Int[3], Int[4]], tuple[Int[2], Int[2]]],
        tuple[tuple[Int[8], Int[1]], tuple[Int[24], Int[4]]],
    ],
)

# products
assert_type(
    logical_product(tile, make_layout(_4)),
    Layout[tuple[tuple[Int[2], Int[2]], Int[4]], tuple[tuple[Int[1], Int[2]], Int[4]]],
)
assert_type(
    zipped_product(tile, (_2, _1)),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[1]]],
        tuple[tuple[Int[1], Int[2]], tuple[Int[2], Int[1]]],
    ],
)
assert_type(
    tiled_product(tile, (_2, _1)),
    Layout[tuple[tuple[Int[2], Int[2]], Int[2], Int[1]], tuple[tuple[Int[1], Int[2]], Int[2], Int[1]]],
)
assert_type(
    flat_product(tile, (_2, _1)),
    Layout[tuple[Int[2], Int[2], Int[2], Int[1]], tuple[Int[1], Int[2], Int[2], Int[1]]],
)
assert_type(
    blocked_product(tile, make_layout((_2, _3))),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[3]]],
        tuple[tuple[Int[1], Int[4]], tuple[Int[2], Int[8]]],
    ],
)
assert_type(
    raked_product(tile, make_layout((_2, _3))),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[3], Int[2]]],
        tuple[tuple[Int[4], Int[1]], tuple[Int[8], Int[2]]],
    ],
)
assert_type(
    tile_to_shape(tile, (_4, _8)),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[4]]],
        tuple[tuple[Int[1], Int[4]], tuple[Int[2], Int[8]]],
    ],
)
assert_type(
    tile_to_shape(tile, (_4, 8)),
    Layout[
        tuple[tuple[Int[2], Int[2]], tuple[Int[2], int]],
        tuple[tuple[Int[1], Int[4]], tuple[Int[2], Int[8]]],
    ],
)
assert_type(
    make_layout_tv(make_layout((_2, _2)), make_layout((_2, _4))),
    tuple[
        tuple[Int[4], Int[8]],
        Layout[
            tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[4]]],
            tuple[tuple[Int[2], Int[16]], tuple[Int[1], Int[4]]],
        ],
    ],
)

# edits
assert_type(select(a, 1, 0), Layout[tuple[Int[8], Int[4]], tuple[Int[1], Int[8]]])
assert_type(take(make_layout((_2, _3, _4)), 0, 2), Layout[tuple[Int[2], Int[3]], tuple[Int[1], Int[2]]])
assert_type(
    group(make_layout((_2, _3, _4)), 1, 3),
    Layout[tuple[Int[2], tuple[Int[3], Int[4]]], tuple[Int[1], tuple[Int[2], Int[6]]]],
)
assert_type(group_modes(a, 0, 2), Layout[tuple[tuple[Int[4], Int[8]]], tuple[tuple[Int[8], Int[1]]]])
assert_type(reverse(a), Layout[tuple[Int[8], Int[4]], tuple[Int[1], Int[8]]])
assert_type(size_in_bytes("bf16", a), Int[64])
every_second = make_tile(make_layout(_2, _2), _)
assert_type(composition(a, every_second), Layout[tuple[Int[2], Int[8]], tuple[Int[16], Int[1]]])
assert_type(
    append(a, tile),
    Layout[tuple[Int[4], Int[8], tuple[Int[2], Int[2]]], tuple[Int[8], Int[1], tuple[Int[1], Int[2]]]],
)
assert_type(
    prepend(a, tile),
    Layout[tuple[tuple[Int[2], Int[2]], Int[4], Int[8]], tuple[tuple[Int[1], Int[2]], Int[8], Int[1]]],
)
assert_type(
    replace(a, 0, tile),
    Layout[tuple[tuple[Int[2], Int[2]], Int[8]], tuple[tuple[Int[1], Int[2]], Int[1]]],
)

# other elements, domains, vectors
assert_type(upcast(a, _2), Layout[tuple[Int[4], Int[4]], tuple[Int[4], Int[1]]])
assert_type(downcast(a, _2), Layout[tuple[Int[4], Int[16]], tuple[Int[16], Int[1]]])
assert_type(recast_layout(a, "s8", "s16"), Layout[tuple[Int[4], Int[4]], tuple[Int[4], Int[1]]])
assert_type(recast_layout(a, "s16", "s8"), Layout[tuple[Int[4], Int[16]], tuple[Int[16], Int[1]]])
assert_type(
    domain_offset((_1, _2), a), tuple[Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]], Int[10]]
)
assert_type(
    mutual_refinement((_4, _6), (_8, _3)),
    tuple[tuple[Int[4], tuple[Int[2], Int[3]]], tuple[tuple[Int[4], Int[2]], Int[3]]],
)
assert_type(max_common_vector(a, a), Int[32])
assert_type(max_common_layout(a, a), Layout[tuple[Int[8], Int[4]], tuple[Int[4], Int[1]]])
assert_type(max_alignment(a), Int[32])
assert_type(
    collision(make_layout((_4, _2), (_1, _2))), tuple[tuple[Int[2], Int[0]], tuple[Int[0], Int[1]]]
)
assert_type(domain_distribute((_4, _8), _8), Layout[Int[8], Int[1]])

# one after the other
assert_type(
    zipped_divide(composition(a, (_4, _4)), (_2, _2)).shape,
    tuple[tuple[Int[2], Int[2]], tuple[Int[2], Int[2]]],
)
assert_type(complement(composition(tile, _2), zipped_divide(a, tile).size), Layout[Int[16], Int[2]])
assert_type(right_inverse(composition(right_inverse(a), a)).size, Int[32])
assert_type(blocked_product(tile, complement(tile, _32)).cosize, Int[116])
reveal(zipped_divide(a, (_2, _4)))  # N: ((_2,_4),(_2,_2)):((_8,_1),(_16,_4))


# what is declared: the rank and the profile are known, and all that no unknown decides
def parameters(
    n: int = 5,
    t: Layout[tuple[Int[4], int], tuple[int, Int[1]]] = make_layout((_4, 6), (6, _1)),
    u: Layout[tuple[int, Int[4]], tuple[Int[1], int]] = make_layout((8, _4), (_1, 8)),
) -> None:
    assert_type(tiled_divide(t, (_4, _1)).rank, Int[3])
    assert_type(composition(t, (_2, _2)), Layout[tuple[Int[2], Int[2]], tuple[int, Int[1]]])
    assert_type(composition(t, (_2, n)), Layout[tuple[Int[2], int], tuple[int, Int[1]]])
    assert_type(
        logical_product(tile, make_layout(n)),
        Layout[tuple[tuple[Int[2], Int[2]], int], tuple[tuple[Int[1], Int[2]], Int[4]]],
    )
    assert_type(right_inverse(make_layout((_4, n))), Layout[int, int])
    assert_type(select(t, 1, 0), Layout[tuple[int, Int[4]], tuple[Int[1], int]])
    assert_type(
        append(t, tile),
        Layout[tuple[Int[4], int, tuple[Int[2], Int[2]]], tuple[int, Int[1], tuple[Int[1], Int[2]]]],
    )
    assert_type(tile_to_shape(tile, (_4, _8)).size, Int[32])
    assert_type(domain_offset((_1, 0), t), tuple[Layout[tuple[Int[4], int], tuple[int, Int[1]]], int])
