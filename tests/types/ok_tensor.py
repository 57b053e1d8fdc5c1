"""Tensors: the type tells what the data are and their layout, through tiles and slices."""

from typing import Any, Literal, TypeVar, assert_type

from tla import (
    Int,
    Layout,
    Tensor,
    _,
    _1,
    _2,
    _3,
    _4,
    _16,
    _32,
    _48,
    _64,
    _128,
    _256,
    get_tile,
    make_layout,
    make_tensor,
    make_tensor_like,
    reveal,
    row_major,
    tile_view,
)
from tla.layouts.layout import AnyLayout

# --- what a tensor is made of ---

rows = make_layout((_128, _256), (_256, _1))
a = make_tensor("A", rows)
assert_type(
    a,
    Tensor[
        str,
        Layout[tuple[Int[Literal[128]], Int[Literal[256]]], tuple[Int[Literal[256]], Int[Literal[1]]]],
    ],
)
assert_type(
    a.layout,
    Layout[tuple[Int[Literal[128]], Int[Literal[256]]], tuple[Int[Literal[256]], Int[Literal[1]]]],
)
assert_type(a.data, str)
assert_type(a.shape, tuple[Int[128], Int[256]])
assert_type(a.stride, tuple[Int[256], Int[1]])
assert_type(Tensor([1, 2], Layout(_2, _1)), Tensor[list[int], Layout[Int[Literal[2]], Int[Literal[1]]]])
assert_type(Tensor(None, Layout(2, _1), position="UB"), Tensor[None, Layout[int, Int[1]]])
assert_type(make_tensor(b"abcd", Layout((4, _1))).layout, Layout[tuple[int, Int[1]], tuple[Int[1], int]])
reveal(a)  # N: (_128,_256):(_256,_1)

# from a coordinate on: what is left of each mode, which depends on the origin shape
assert_type(make_tensor("A", rows, (1, 2)).layout, AnyLayout)

# --- tiles: of the tile's shape and the tensor's stride, wherever they lie ---

assert_type(
    get_tile(a, (0, 8), (_32, _64)),
    Tensor[str, Layout[tuple[Int[32], Int[64]], tuple[Int[256], Int[1]]]],
)
assert_type(
    tile_view(a, (3, 1), (_32, _64)).layout, Layout[tuple[Int[32], Int[64]], tuple[Int[256], Int[1]]]
)
assert_type(tile_view(a, (3, 1), (32, _64)).shape, tuple[int, Int[64]])
assert_type(tile_view(tile_view(a, (0, 0), (_64, _64)), (1, 1), (_16, 16)).shape, tuple[Int[16], int])

l1 = Tensor("A1", make_layout(((_16, _3), (_16, _3)), ((_16, _256), (_1, Int(768)))), position="L1")
assert_type(
    get_tile(l1, (16, 0), (_32, _32)).shape, tuple[tuple[Int[16], Int[2]], tuple[Int[16], Int[2]]]
)
assert_type(
    tile_view(l1, (1, 0), (_16, _48), aligned=False).shape,
    tuple[tuple[Int[16], Int[1]], tuple[Int[16], Int[3]]],
)
reveal(tile_view(l1, (1, 1), (16, 16)))  # N: ((_16,int),(_16,int)):((_16,_256),(_1,_768))


def walked(rows: int = 100, cols: int = 60) -> None:
    whole = make_tensor("A", make_layout((rows, cols), (cols, _1)))
    assert_type(whole, Tensor[str, Layout[tuple[int, int], tuple[int, Int[1]]]])
    tile = tile_view(whole, (1, 0), (_48, _32))
    assert_type(tile.layout, Layout[tuple[Int[48], Int[32]], tuple[int, Int[1]]])
    tile = tile_view(whole, (0, 1), (_48, _32))
    assert_type(tile(1, 2), int)


# --- slices and offsets ---

assert_type(a[_, 3].layout, Layout[tuple[Int[128]], tuple[Int[256]]])
assert_type(a[_, _], Tensor[str, Layout[tuple[Int[128], Int[256]], tuple[Int[256], Int[1]]]])
assert_type(get_tile(a, (2, 2), (_4, _4))[1, _].layout, Layout[tuple[Int[4]], tuple[Int[1]]])
offset: int = a(1, 2) + a.offset((3, 4))

# --- others of the same data or room ---

assert_type(make_tensor_like(1.5, a, row_major, "UB").data, float)
assert_type(
    make_tensor_like("C", a, base=rows),
    Tensor[str, Layout[tuple[Int[128], Int[256]], tuple[Int[256], Int[1]]]],
)

# --- types that say less ---

T = TypeVar("T")
L = TypeVar("L", bound=AnyLayout)


def first(tensor: Tensor[T, L]) -> tuple[T, L]:
    return tensor.data, tensor.layout


assert_type(first(a), tuple[str, Layout[tuple[Int[128], Int[256]], tuple[Int[256], Int[1]]]])
contiguous: Tensor[object, Layout[tuple[int, int], tuple[int, Int[Literal[1]]]]] = a
some: Tensor[Any, AnyLayout] = l1
assert_type(tile_view(some, (0, 0), (_16, _16)), Tensor[Any, AnyLayout])
