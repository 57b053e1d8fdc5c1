"""What the types say without any plugin: mypy, pyright and ty read this file alike.

Ints are static where the program writes them so, tuples are exact, a layout holds the types of its shape
and of its stride, and is covariant in both.
"""

from typing import Any, Final, Literal, TypeVar, assert_type

from tla import (
    AnyLayout,
    Int,
    IntTuple,
    Layout,
    Tensor,
    Underscore,
    _,
    _1,
    _2,
    _4,
    _8,
    _12,
    _117,
    get,
    make_coord,
    make_layout,
    make_layout_like,
    make_shape,
    make_stride,
    make_tensor,
    make_tile,
    make_tuple,
    reveal,
    size,
)

S = TypeVar("S")
D = TypeVar("D")
Bounded = TypeVar("Bounded", bound=IntTuple)
ROWS: Final = 64

# --- ints ---

assert_type(Int(4), Int[Literal[4]])
assert_type(Int(1024), Int[Literal[1024]])
assert_type(Int(ROWS), Int[Literal[64]])
assert_type(_12, Int[Literal[12]])
assert_type(_117, Int[Literal[117]])
assert_type(Int(117), Int[Literal[117]])


def ints(n: int = 5) -> None:
    assert_type(Int(n), Int[int])
    assert_type(Int(n) * _2, Int[int])
    assert_type(_2 * Int(n), Int[int])
    assert_type(_2 * n, int)
    assert_type(n * _2, int)
    assert_type(_12 // n, int)
    assert_type(n - _2, int)
    assert_type(_12 % 5, int)


# --- tuples ---


def tuples(n: int = 5) -> None:
    nested = (_2, (n, _8), _1)
    assert_type(nested, tuple[Int[Literal[2]], tuple[int, Int[Literal[8]]], Int[Literal[1]]])
    assert_type(nested[0], Int[Literal[2]])
    assert_type(nested[1], tuple[int, Int[Literal[8]]])
    assert_type(nested[1][1], Int[Literal[8]])
    assert_type(nested[-1], Int[Literal[1]])
    assert_type(nested[1:], tuple[tuple[int, Int[Literal[8]]], Int[Literal[1]]])
    assert_type(nested[:1], tuple[Int[Literal[2]]])
    assert_type((*nested[1], _4), tuple[int, Int[Literal[8]], Int[Literal[4]]])
    assert_type(nested[1] + (_1,), tuple[int, Int[Literal[8]], Int[Literal[1]]])
    first, (second, third), _last = nested
    assert_type((third, second, first), tuple[Int[Literal[8]], int, Int[Literal[2]]])

    assert_type(make_shape(_2, n), tuple[Int[Literal[2]], int])
    assert_type(make_shape(_2, (n, _4)), tuple[Int[Literal[2]], tuple[int, Int[Literal[4]]]])
    assert_type(make_stride(_12, _1), tuple[Int[Literal[12]], Int[Literal[1]]])
    assert_type(make_tile(_4, n), tuple[Int[Literal[4]], int])
    assert_type(make_tile(_4, _), tuple[Int[Literal[4]], Underscore])
    assert_type(make_tuple(_4, (_2, n)), tuple[Int[Literal[4]], tuple[Int[Literal[2]], int]])
    assert_type(make_coord(n, _), tuple[int, Underscore])
    assert_type(make_coord((_, _2), n), tuple[tuple[Underscore, Int[Literal[2]]], int])


# --- layouts ---


def layouts(n: int = 5, name: str = "A") -> None:
    layout = make_layout((_2, n), (_12, _1))
    assert_type(layout, Layout[tuple[Int[Literal[2]], int], tuple[Int[Literal[12]], Int[Literal[1]]]])
    assert_type(layout.shape, tuple[Int[Literal[2]], int])
    assert_type(layout.shape[0], Int[Literal[2]])
    assert_type(layout.stride, tuple[Int[Literal[12]], Int[Literal[1]]])
    assert_type(layout.stride[1], Int[Literal[1]])
    assert_type(
        Layout((_2, n), (_12, _1)),
        Layout[tuple[Int[Literal[2]], int], tuple[Int[Literal[12]], Int[Literal[1]]]],
    )
    assert_type(make_layout(make_shape(_4, n), make_stride(n, _1)).stride, tuple[int, Int[Literal[1]]])
    assert_type(make_layout(n, _2), Layout[int, Int[Literal[2]]])
    assert_type(make_layout((_2, n)).shape, tuple[Int[Literal[2]], int])
    assert_type(make_layout_like(layout).shape, tuple[Int[Literal[2]], int])
    assert_type(reveal(layout).shape, tuple[Int[Literal[2]], int])
    tensor = make_tensor(name, layout)
    assert_type(
        tensor,
        Tensor[str, Layout[tuple[Int[Literal[2]], int], tuple[Int[Literal[12]], Int[Literal[1]]]]],
    )
    assert_type(tensor.layout.shape, tuple[Int[Literal[2]], int])


# --- layouts as parameters ---

RowMajor = Layout[tuple[int, int], tuple[int, Int[Literal[1]]]]


def columns(layout: RowMajor) -> int:
    assert_type(layout.stride[1], Int[Literal[1]])
    return layout.shape[1]


def rows(layout: Layout[tuple[IntTuple, ...], IntTuple]) -> int:
    return len(layout.shape)


def same(layout: Layout[S, D]) -> Layout[S, D]:
    shape: S = layout.shape
    assert_type(get(shape, 0), Any)
    return make_layout(shape, layout.stride)


def extent_of(layout: Layout[Bounded, Any]) -> Any:
    return size(layout.shape)


def covariant(n: int = 5) -> None:
    static = make_layout((_2, _4), (_4, _1))
    mixed = make_layout((n, _4), (n, _1))
    columns(static)
    columns(mixed)
    assert_type(columns(make_layout((n, n), (n, _1))), int)
    assert_type(rows(static), int)
    assert_type(same(mixed), Layout[tuple[int, Int[Literal[4]]], tuple[int, Int[Literal[1]]]])
    wider: Layout[tuple[int, int], tuple[int, int]] = static
    anything: AnyLayout = wider
    plain: tuple[int, int] = static.shape
    extent_of(mixed)
    every: list[AnyLayout] = [static, mixed, anything]
    assert_type(sum(plain) + len(every), int)
