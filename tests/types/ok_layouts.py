"""Layouts: making them, evaluating them, taking modes and slices, tiles; static, dynamic and declared."""

from typing import Final, TypeVar, assert_type

from tla import (
    AnyLayout,
    Int,
    Layout,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _8,
    _16,
    _32,
    col_major,
    cosize,
    crd2offset,
    depth,
    dice,
    fractal_layout,
    get,
    get_tile_layout,
    make_layout,
    make_layout_like,
    make_layout_tile,
    make_ordered_layout,
    nN,
    nZ,
    parse,
    rank,
    reveal,
    row_major,
    shape,
    size,
    slice_,
    slice_and_offset,
    stride,
    zN,
    zZ,
)

S = TypeVar("S")
D = TypeVar("D")
ROWS: Final = 4
a = make_layout((_4, _8), (_8, _1))
mixed = make_layout((_4, 8), (8, _1))
nested = make_layout((_4, (_2, _4)), (_8, (_4, _1)))

# making them
assert_type(a, Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(mixed, Layout[tuple[Int[4], int], tuple[int, Int[1]]])
assert_type(make_layout((_4, _8)), Layout[tuple[Int[4], Int[8]], tuple[Int[1], Int[4]]])
assert_type(make_layout((4, _8)), Layout[tuple[int, Int[8]], tuple[Int[1], int]])
assert_type(
    make_layout(a, mixed),
    Layout[
        tuple[tuple[Int[4], Int[8]], tuple[Int[4], int]],
        tuple[tuple[Int[8], Int[1]], tuple[int, Int[1]]],
    ],
)
assert_type(slice_((None, _1), a), Layout[tuple[Int[4]], tuple[Int[8]]])
assert_type(dice((None, _1), a), Layout[tuple[Int[8]], tuple[Int[1]]])
assert_type(make_layout((_4, 8)), Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]])
assert_type(
    make_layout((_2, (_4, 3), _5)),
    Layout[tuple[Int[2], tuple[Int[4], int], Int[5]], tuple[Int[1], tuple[Int[2], Int[8]], int]],
)
assert_type(make_layout(_8), Layout[Int[8], Int[1]])
assert_type(make_layout(8, _2), Layout[int, Int[2]])
assert_type(make_layout(()), Layout[tuple[()], tuple[()]])
assert_type(make_layout((_4,), (-_1,)), Layout[tuple[Int[4]], tuple[Int[-1]]])
assert_type(
    make_layout(shape=(_4, _8), stride=(_1, _4)), Layout[tuple[Int[4], Int[8]], tuple[Int[1], Int[4]]]
)
assert_type(
    make_layout(stride=(_0, 7), shape=(ROWS, _8)), Layout[tuple[int, Int[8]], tuple[Int[0], int]]
)
assert_type(make_layout((Int(ROWS), _8)), Layout[tuple[Int[4], Int[8]], tuple[Int[1], Int[4]]])
assert_type(Layout((_4, _8), (_8, _1)), Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(Layout((_4, _8)), Layout[tuple[Int[4], Int[8]], tuple[Int[1], Int[4]]])
assert_type(make_layout((_4, _8), (_8, _1), (3, 5)).shape, tuple[Int[4], Int[8]])
assert_type(
    make_ordered_layout((_2, _3, _4), (2, 0, 1)),
    Layout[tuple[Int[2], Int[3], Int[4]], tuple[Int[12], Int[1], Int[3]]],
)
assert_type(make_layout_like(a), Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(row_major(_4, _8), Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(col_major(_4, 8), Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]])
assert_type(
    zN(_32, _16, (_16, _8)),
    Layout[
        tuple[tuple[Int[16], Int[2]], tuple[Int[8], Int[2]]],
        tuple[tuple[Int[8], Int[128]], tuple[Int[1], Int[256]]],
    ],
)
assert_type(
    nZ(_32, _16, (_16, _8)),
    Layout[
        tuple[tuple[Int[16], Int[2]], tuple[Int[8], Int[2]]],
        tuple[tuple[Int[1], Int[256]], tuple[Int[16], Int[128]]],
    ],
)
assert_type(
    zZ(_32, _16, (_16, _8)),
    Layout[
        tuple[tuple[Int[16], Int[2]], tuple[Int[8], Int[2]]],
        tuple[tuple[Int[8], Int[256]], tuple[Int[1], Int[128]]],
    ],
)
assert_type(
    nN(_32, _16, (_16, _8)),
    Layout[
        tuple[tuple[Int[16], Int[2]], tuple[Int[8], Int[2]]],
        tuple[tuple[Int[1], Int[128]], tuple[Int[16], Int[256]]],
    ],
)
assert_type(
    fractal_layout(_32, _16, "zN", ((_16, _8),)),
    Layout[
        tuple[tuple[Int[16], Int[2]], tuple[Int[8], Int[2]]],
        tuple[tuple[Int[8], Int[128]], tuple[Int[1], Int[256]]],
    ],
)
assert_type(parse("(_2,4):(_12,_1)"), Layout[tuple[Int[2], int], tuple[Int[12], Int[1]]])
assert_type(parse("((_4,2),_8)"), tuple[tuple[Int[4], int], Int[8]])
reveal(nested)  # N: (_4,(_2,_4)):(_8,(_4,_1))
reveal(mixed)  # N: (_4,int):(int,_1)

# what they are
assert_type(a.shape, tuple[Int[4], Int[8]])
assert_type(a.stride, tuple[Int[8], Int[1]])
assert_type(nested.shape[1], tuple[Int[2], Int[4]])
assert_type(a.rank, Int[2])
assert_type(nested.depth, Int[2])
assert_type(a.size, Int[32])
assert_type(mixed.size, int)
assert_type(a.cosize, Int[32])
assert_type(mixed.cosize, int)
assert_type(rank(nested, 1), Int[2])
assert_type(depth(nested), Int[2])
assert_type(size(nested, 1), Int[8])
assert_type(size(mixed, 0), Int[4])
assert_type(cosize(nested, 0), Int[25])
assert_type(shape(nested, 1), tuple[Int[2], Int[4]])
assert_type(shape(nested, 1, 0), Int[2])
assert_type(stride(nested, 1), tuple[Int[4], Int[1]])
assert_type(get(nested, 0), Layout[Int[4], Int[8]])
assert_type(get(nested, 1), Layout[tuple[Int[2], Int[4]], tuple[Int[4], Int[1]]])
assert_type(get(nested, 1, 1), Layout[Int[4], Int[1]])
assert_type(
    get(nested), Layout[tuple[Int[4], tuple[Int[2], Int[4]]], tuple[Int[8], tuple[Int[4], Int[1]]]]
)

# coordinates
assert_type(a(1, 2), int)
assert_type(a(_1, _2), Int[10])
assert_type(a(_1, 2), int)
assert_type(a((_1, _2)), Int[10])
assert_type(a(_5), Int[9])
assert_type(a(5), int)
assert_type(a(*(_1, _2)), Int[10])
assert_type(nested(_1, (_1, _3)), Int[15])
assert_type(nested(_1, _5), Int[14])
assert_type(mixed(_1, _2), int)
assert_type(a.extended(_32), Int[8])
assert_type(crd2offset((_1, _2), a.shape, a.stride), Int[10])

# slices and tiles
assert_type(a[_, 2], Layout[tuple[Int[4]], tuple[Int[8]]])
assert_type(a[_1, _], Layout[tuple[Int[8]], tuple[Int[1]]])
assert_type(a[_, _], Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(nested[_, (0, _)], Layout[tuple[Int[4], Int[4]], tuple[Int[8], Int[1]]])
assert_type(slice_and_offset((_, _2), a), tuple[Layout[tuple[Int[4]], tuple[Int[8]]], Int[2]])
assert_type(slice_and_offset((_, 2), a), tuple[Layout[tuple[Int[4]], tuple[Int[8]]], int])
assert_type(make_layout_tile(a, (_2, _4)), Layout[tuple[Int[2], Int[4]], tuple[Int[8], Int[1]]])
assert_type(
    make_layout_tile(a, (_2, _4), exact=True), Layout[tuple[Int[2], Int[4]], tuple[Int[8], Int[1]]]
)
assert_type(make_layout_tile(a, (_2, 4)), Layout[tuple[Int[2], int], tuple[Int[8], Int[1]]])
assert_type(make_layout_tile(mixed, (_2, _4)), Layout[tuple[Int[2], Int[4]], tuple[int, Int[1]]])
assert_type(get_tile_layout(a, (_2, _4), (1, 0)).shape, tuple[Int[2], Int[4]])


# what is declared
def parameters(
    n: int = 5,
    m: int = 6,
    t: Layout[tuple[Int[4], int], tuple[int, Int[1]]] = make_layout((_4, 6), (6, _1)),
    u: Layout[tuple[int, int], tuple[int, int]] = make_layout((4, 5), (5, 1)),
) -> None:
    assert_type(make_layout((n, m)), Layout[tuple[int, int], tuple[Int[1], int]])
    assert_type(make_layout((n, _4)), Layout[tuple[int, Int[4]], tuple[Int[1], int]])
    assert_type(make_layout((_4, n)), Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]])
    assert_type(make_layout((n, m), (m, _1)), Layout[tuple[int, int], tuple[int, Int[1]]])
    assert_type(
        make_layout((_8, (n, m))),
        Layout[tuple[Int[8], tuple[int, int]], tuple[Int[1], tuple[Int[8], int]]],
    )
    assert_type(t.rank, Int[2])
    assert_type(t.size, int)
    assert_type(t.shape, tuple[Int[4], int])
    assert_type(t(_1, 2), int)
    assert_type(t(n - 3, m - 4), int)
    assert_type(t[_, 2], Layout[tuple[Int[4]], tuple[int]])
    assert_type(t[2, _], Layout[tuple[int], tuple[Int[1]]])
    assert_type(get(t, 1), Layout[int, Int[1]])
    assert_type(u.rank, Int[2])
    assert_type(u.depth, Int[1])
    assert_type(u(n - 3, m - 4), int)
    assert_type(rank(u), Int[2])
    assert_type(row_major(n, m), Layout[tuple[int, int], tuple[int, Int[1]]])
    assert_type(zN(n, m, (_4, _8)).rank, Int[2])
    assert_type(make_layout_tile(t, (_2, _2)), Layout[tuple[Int[2], Int[2]], tuple[int, Int[1]]])
    assert_type(make_layout_tile(t, (_2, n - 3)), Layout[tuple[Int[2], int], tuple[int, Int[1]]])
    assert_type(make_layout(t.shape), Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]])
    assert_type(make_layout((t, u)[0].shape, t.stride), Layout[tuple[Int[4], int], tuple[int, Int[1]]])
    reveal(t)  # N: (_4,int):(int,_1)


# a static layout is one of every type that says less of it
less: Layout[tuple[int, int], tuple[int, Int[1]]] = a
least: AnyLayout = a


def rows(layout: Layout[tuple[int, int], tuple[int, Int[1]]]) -> int:
    assert_type(layout.stride[1], Int[1])
    return layout.shape[0]


count: int = rows(a)


def kept(layout: Layout[S, D]) -> Layout[S, D]:
    return layout


assert_type(kept(a), Layout[tuple[Int[4], Int[8]], tuple[Int[8], Int[1]]])
assert_type(kept(nested).size, Int[32])
layouts = [a, a]
assert_type(layouts[0].size, Int[32])
by_name = {"a": a}
assert_type(get(by_name["a"], 0), Layout[Int[4], Int[8]])


def chosen(is_row: bool = True, n: int = 2) -> None:
    compact = a if is_row else kept(a)
    assert_type(compact.size, Int[32])
    for i in range(n):
        assert_type(a(i, n), int)
        assert_type(a[i, _], Layout[tuple[Int[8]], tuple[Int[1]]])
        assert_type(make_layout((i, _4)), Layout[tuple[int, Int[4]], tuple[Int[1], int]])
    if is_row:
        assert_type(make_layout((n, _4), (_4, _1)), Layout[tuple[int, Int[4]], tuple[Int[4], Int[1]]])
