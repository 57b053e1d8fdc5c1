"""What is lost: where a type cannot tell the value, mypy's own type stays, and there is no false error.

No function here is run: what stands in it may be right or wrong for the values of a run.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any, Literal, NewType, TypeVar, assert_type

import numpy as np

from tla import (
    AnyLayout,
    Expr,
    Int,
    Layout,
    _,
    _1,
    _2,
    _4,
    _8,
    blocked_product,
    ceil_div,
    coalesce,
    complement,
    composition,
    crd2offset,
    get,
    get_tile_layout,
    left_inverse,
    make_layout,
    make_layout_tile,
    make_shape,
    make_tensor,
    parse,
    rank,
    reveal,
    right_inverse,
    size,
    sym,
    zipped_divide,
)

S = TypeVar("S")
D = TypeVar("D")
T = TypeVar("T")
N = TypeVar("N", bound=int)
Rows = NewType("Rows", int)
AnyOf = Layout[Any, Any]


class Core(IntEnum):
    CUBE = 4
    VECTOR = 8


class Side(Enum):
    LEFT = 4


# --- what an unknown int decides ---


def decided_by_the_run(n: int, t: Layout[tuple[Int[4], int], tuple[int, Int[1]]]) -> None:
    assert_type(coalesce(t), AnyOf)
    assert_type(composition(make_layout((n, n)), make_layout(n, _2)), AnyOf)
    assert_type(right_inverse(t), AnyOf)
    assert_type(left_inverse(t), AnyOf)
    assert_type(coalesce(make_layout((n, n))).rank, Int[int])
    # a stride of a mode that may be of size 1
    assert_type(make_layout_tile(t, (_2, n)), Layout[tuple[Int[2], int], tuple[int, Int[1]]])
    assert_type(zipped_divide(t, (_2, _2)).shape, tuple[tuple[Int[2], Int[2]], tuple[Int[2], int]])
    assert_type(get_tile_layout(t, (_2, _2), (n, n)).rank, Int[2])
    # these may be errors, or not
    t(n, n)
    t(4 - n, 0)
    t[_, n]
    zipped_divide(t, (_4, _2), exact=True)
    make_layout_tile(t, (_2, n), exact=True)
    make_layout((n, _4), (n, _1))
    complement(make_layout((_4, n), (_1, n)))
    complement(make_layout(n, n), n)
    composition(make_layout((_4, n), (n, _1)), make_layout(n, n))
    ceil_div(n, n)
    _8 // n
    _8 << n
    Int(n)
    blocked_product(make_layout(n, n), make_layout(n))


# --- names that the program gives anew ---


def reassigned(n: int) -> None:
    total: int = _1
    for _i in range(n):
        total = total * _2
    assert_type(total, int)
    shape: tuple[int, ...] = (_4,)
    while len(shape) < n:
        shape = (*shape, _2)
    assert_type(make_layout(shape), Layout[tuple[int, ...], Any])
    layout: AnyLayout = make_layout((_4, _8))
    for i in range(n):
        layout = zipped_divide(layout, (_2, i))
    assert_type(rank(shape), Int[int])
    assert_type(size(shape), Any)


def comprehended(n: int) -> None:
    rows = [make_layout((i, _4)) for i in range(n)]
    assert_type(rows[0].size, int)
    assert_type([_2 * i for i in range(n)], list[int])
    assert_type(tuple(_2 * i for i in (_2, _4)), tuple[Int[int], ...])
    assert_type(make_shape(*(i for i in range(n))), tuple[int, ...])
    layouts = {extent: make_layout((extent, _4)) for extent in (_2, _4)}
    assert_type(layouts[_2], Layout[tuple[Int[2] | Int[4], Int[4]], Any])


# --- types that are not one value ---


def unions(x: Int[4] | Int[8], y: int | None, z: Literal[4, 8], is_wide: bool) -> None:
    assert_type(x * _2, Int[8] | Int[16])
    assert_type(make_layout((x, _4)), Layout[tuple[Int[4] | Int[8], Int[4]], Any])
    assert_type(make_layout(z), Layout[Literal[4, 8], Any])
    either = make_layout((_4, _8)) if is_wide else make_layout((_8, _4))
    assert_type(either.size, Any)
    assert_type(make_layout((either.shape, _2)).rank, Int[int])
    if y is not None:
        assert_type(make_layout((y, _4)), Layout[tuple[int, Int[4]], tuple[Int[1], int]])


def kinds(rows: Rows, flag: bool, numbers: np.ndarray[Any, np.dtype[np.int64]]) -> None:
    assert_type(make_layout((_4, rows)), Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]])
    four = np.int64(4)
    assert_type(make_layout((_4, four)), Layout[tuple[Int[4], np.int64], tuple[Int[1], Int[4]]])
    assert_type(coalesce(make_layout((four, _4))), AnyOf)  # a layout in the context of another
    make_tensor("A", make_layout((four, _4), (_4, _1)))
    assert_type(make_layout((_4, Core.CUBE.value)).shape, tuple[Int[4], int])
    make_layout((_4, Core.CUBE))
    make_layout((_4, Side.LEFT.value))
    make_layout((_4, numbers[0]))
    make_layout((_4, len(numbers)))
    assert_type(size((_4, len("four"))), int)


def symbolic(n: int) -> None:
    m, k = sym("M"), sym("K", divisible_by=16)
    assert_type(m, Expr)
    row = make_layout((m, _8), (_8, _1))
    assert_type(row.shape, tuple[Expr, Int[8]])
    assert_type(row.stride, tuple[Int[8], Int[1]])
    row(m - 1, 7)
    row(n, 9)
    make_layout((m, k), (k, _1, _1))
    zipped_divide(row, (_4, _4), exact=True)
    composition(row, make_layout((m, n)))
    assert_type(rank((m, k)), Int[int])
    _4 * m
    m // _4 + _2
    size((m, _4)) * 2


def untyped(x, y):  # type: ignore[no-untyped-def]
    reveal(make_layout((_4, _8), (_1, _2, _3)))  # type: ignore[name-defined]  # noqa: F821
    return make_layout((x, _4), (y, _1, _1))


def of_any(x: Any, y: AnyLayout, z: object, items: Sequence[int]) -> None:
    assert_type(make_layout((x, _4)), Layout[tuple[Any, Int[4]], Any])
    assert_type(y.rank, Int[int])
    assert_type(get(y, 3), AnyLayout)
    assert_type(make_layout(z), Layout[object, Any])
    assert_type(composition(y, y), AnyOf)
    y(1, 2, 3)
    y[_, 5]
    make_shape(*items)
    x(make_layout((_4, _8)))
    zipped_divide(y, (_2, x))


# --- functions of functions, and of types ---


def generic(x: T, n: N, layout: Layout[S, D]) -> Layout[S, D]:
    assert_type(make_layout((x, _4)), Layout[tuple[T, Int[4]], Any])
    assert_type(layout.size, Any)
    assert_type(rank(layout), Int[int])
    layout(3, 3, 3)
    make_layout((n, _4), (_1, _4))
    composition(layout, layout)
    return layout


def starred(*args: int, **kwargs: Any) -> None:
    assert_type(make_layout(args), Layout[tuple[int, ...], Any])
    make_layout(*args)
    make_layout((_4, _8), **kwargs)
    make_layout(**kwargs)
    make_layout((_4, _8))(*args)
    make_shape(_4, *args, _8)
    crd2offset(args, args, **kwargs)


def passed(is_row: bool, extents: Iterable[Int[4]]) -> None:
    maker = make_layout
    assert_type(maker((_4, _8)), Layout[tuple[Int[4], Int[8]], Any])
    partial = functools.partial(make_layout, (_4, _8))
    partial()(9, 9)
    method = make_layout((_4, _8)).__call__
    assert_type(method(9, 9), Any)
    list(map(make_layout, [(_4, _8)]))
    sorted(extents, key=lambda extent: -extent)
    functools.reduce(composition, [make_layout((_4, _8)), make_layout(_4)])
    which = make_layout if is_row else Layout
    which((_4, _8))
    max(_2, _4, key=lambda n: n * _2)


def decorated(function: Callable[..., T]) -> Callable[..., T]:
    return function


@decorated
def made() -> Layout[tuple[Int[4], int], tuple[Int[1], Int[4]]]:
    return make_layout((_4, 4))


async def later(n: int) -> Layout[tuple[int, Int[4]], Any]:
    of_run = await later(n)
    assert_type(make_layout(of_run.shape), Layout[tuple[int, Int[4]], tuple[Int[1], int]])
    return make_layout((n, _4))


@dataclass
class Kept:
    layout: AnyLayout
    extents: list[Int[4]]

    def size(self) -> Any:
        assert_type(self.extents[0] * _2, Int[8])
        return self.layout.size


def read(text: str, n: int) -> None:
    parse(text)
    parse(f"({n},_4)")
    parse("(_2,M):(M,_1)")
    make_layout(parse(text))
