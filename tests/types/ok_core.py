"""Ints, tuples and what Python does with them: the type is the value wherever the program says it.

Static ints stay static through operators, names, tuples, fields and calls; what the run decides is ``int``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, assert_type

from tla import (
    Int,
    Underscore,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _8,
    _12,
    _16,
    _17,
    _100,
    add,
    append,
    ceil_div,
    compact_col_major,
    compact_order,
    compact_row_major,
    crd2crd,
    crd2idx,
    crd2offset,
    depth,
    dice,
    elem_scale,
    find,
    flatten,
    flatten_to_tuple,
    get,
    group,
    idx2crd,
    inner_product,
    insert,
    leading_dim,
    make_coord,
    make_shape,
    make_stride,
    make_tile,
    make_tuple,
    max_,
    min_,
    prepend,
    product,
    product_each,
    product_like,
    rank,
    remove,
    repeat,
    repeat_like,
    replace,
    reveal,
    reverse,
    round_down,
    round_up,
    select,
    shape_div,
    size,
    slice_,
    take,
    unflatten,
    unwrap,
    wrap,
)

T = TypeVar("T")
Column: TypeAlias = tuple[Int[Literal[4]], int]
N: Final = 4 * 16
BLOCK: Final = (_4, _8)
nested = (_2, (4, _8))

# operators: static with static is static, anything else is dynamic
assert_type(_2 + _3, Int[5])
assert_type(_17 + _100, Int[117])
assert_type(_2 - _3, Int[-1])
assert_type(_2 * _12, Int[24])
assert_type(_12 // _5, Int[2])
assert_type(-_12 // _5, Int[-3])
assert_type(_12 % _5, Int[2])
assert_type(-_12 % _5, Int[3])
assert_type(_12 & _5, Int[4])
assert_type(_12 | _5, Int[13])
assert_type(_12 ^ _5, Int[9])
assert_type(_1 << _4, Int[16])
assert_type(_12 >> _2, Int[3])
assert_type(_2**_4, Int[16])
assert_type(divmod(_12, _5), tuple[Int[2], Int[2]])
assert_type(-_2, Int[-2])
assert_type(+_2, Int[2])
assert_type(~_2, Int[-3])
assert_type((_2 * _3 + _4) // _5, Int[2])
assert_type(_2 + 3, int)
assert_type(3 + _2, int)
assert_type(_2 * 3, int)
assert_type(12 // _5, int)
assert_type(12 % _5, int)
assert_type(_1 << 4, int)
assert_type(_12 & 4, int)
assert_type(_8 == 8, bool)
assert_type(_2 < _3, bool)
assert_type(_12 / _5, float)
assert_type(Int(4), Int[4])
assert_type(Int(70000), Int[70000])
assert_type(Int(N), Int[64])
assert_type(Int(_8), Int[8])
assert_type(Int(-7), Int[-7])

# arithmetic on leaves and on tuples
assert_type(ceil_div(_12, _5), Int[3])
assert_type(round_up(_12, _5), Int[15])
assert_type(round_down(_12, _5), Int[10])
assert_type(ceil_div(12, _5), int)
assert_type(max_(_2, _3), Int[3])
assert_type(max_(_2, (3, _1)), int)
assert_type(min_(_4, (_3, _5)), Int[3])
assert_type(add(_2, _3), Int[5])
assert_type(add((_2, (_3, 4)), (_1, (_1, _1))), tuple[Int[3], tuple[Int[4], int]])

# tuples
assert_type(nested[1], tuple[int, Int[8]])
assert_type(nested[-1][1], Int[8])
assert_type(BLOCK[0], Int[4])
assert_type(BLOCK[:1], tuple[Int[4]])
assert_type((*BLOCK, _2), tuple[Int[4], Int[8], Int[2]])
assert_type(BLOCK + nested, tuple[Int[4], Int[8], Int[2], tuple[int, Int[8]]])
assert_type(get(nested, 1), tuple[int, Int[8]])
assert_type(get(nested, 1, 1), Int[8])
assert_type(get(nested, _1, _0), int)
assert_type(rank(nested), Int[2])
assert_type(rank(nested, 1), Int[2])
assert_type(depth(nested), Int[2])
assert_type(depth(_4), Int[0])
assert_type(size(nested), int)
assert_type(size(BLOCK), Int[32])
assert_type(size(nested, 1), int)
assert_type(make_shape(_4, (2, _8)), tuple[Int[4], tuple[int, Int[8]]])
assert_type(make_stride(_1, _0), tuple[Int[1], Int[0]])
assert_type(make_coord(_1, _), tuple[Int[1], Underscore])
assert_type(make_tile(_4, 8), tuple[Int[4], int])
assert_type(make_tuple(_4, (_2, -3)), tuple[Int[4], tuple[Int[2], int]])
assert_type(flatten(nested), tuple[Int[2], int, Int[8]])
assert_type(flatten_to_tuple(_4), tuple[Int[4]])
assert_type(unflatten((_1, 2, _3), nested), tuple[Int[1], tuple[int, Int[3]]])
assert_type(product(BLOCK), Int[32])
assert_type(product_each(nested), tuple[Int[2], int])
assert_type(product_like(nested, (_1, _1)), tuple[Int[2], int])
assert_type(inner_product(BLOCK, (_8, _1)), Int[40])
assert_type(elem_scale((_2, 3), (_4, _5)), tuple[Int[8], int])
assert_type(shape_div(BLOCK, (_2, _4)), tuple[Int[2], Int[2]])
assert_type(wrap(_4), tuple[Int[4]])
assert_type(unwrap(((_4,),)), Int[4])
assert_type(select(nested, 1, 0), tuple[tuple[int, Int[8]], Int[2]])
assert_type(take(nested, 0, 1), tuple[Int[2]])
assert_type(group((_1, _2, _3), 0, 2), tuple[tuple[Int[1], Int[2]], Int[3]])
assert_type(append(BLOCK, _2), tuple[Int[4], Int[8], Int[2]])
assert_type(prepend(BLOCK, _2), tuple[Int[2], Int[4], Int[8]])
assert_type(replace(BLOCK, 0, nested), tuple[tuple[Int[2], tuple[int, Int[8]]], Int[8]])
assert_type(insert(BLOCK, 1, _2), tuple[Int[4], Int[2], Int[8]])
assert_type(remove(BLOCK, 0), tuple[Int[8]])
assert_type(repeat(_4, 3), tuple[Int[4], Int[4], Int[4]])
assert_type(repeat_like(nested, _0), tuple[Int[0], tuple[Int[0], Int[0]]])

# coordinates
assert_type(crd2idx((_1, _2), BLOCK), Int[9])
assert_type(crd2idx((1, 2), BLOCK), int)
assert_type(idx2crd(_5, BLOCK), tuple[Int[1], Int[1]])
assert_type(idx2crd(5, BLOCK), tuple[int, int])
assert_type(crd2crd((_1, _2), BLOCK, (_2, _16)), tuple[Int[1], Int[4]])
assert_type(crd2offset((_1, _2), BLOCK, (_8, _1)), Int[10])
assert_type(crd2offset(_5, (_4, 8), (_8, _1)), Int[9])
assert_type(compact_col_major(nested), tuple[Int[1], tuple[Int[2], int]])
assert_type(compact_row_major(BLOCK), tuple[Int[8], Int[1]])
assert_type(compact_order((_2, _3, _4), (_2, _0, _1)), tuple[Int[12], Int[1], Int[3]])
assert_type(slice_((_, _1), BLOCK), tuple[Int[4]])
assert_type(slice_((None, _1), BLOCK), tuple[Int[4]])
assert_type(find((_4, (_8, _2)), _2), tuple[int, int])
assert_type(leading_dim((_4, _8), (_8, _1)), int)
assert_type(reverse(nested), tuple[tuple[int, Int[8]], Int[2]])
assert_type(dice((_, _1), BLOCK), tuple[Int[8]])
reveal(nested)  # N: (_2,(int,_8))


# parameters and what is declared
def parameters(
    n: int = 5,
    four: Int[4] = _4,
    column: Column = (_4, 5),
    pair: tuple[tuple[Int[2], Int[Literal[3]]], int] = ((_2, _3), 5),
    k: Literal[8] = 8,
) -> None:
    assert_type(four * _3, Int[12])
    assert_type(four * n, int)
    assert_type(n * four, int)
    assert_type(column, tuple[Int[4], int])
    assert_type(product(column), int)
    assert_type(product_each(pair), tuple[Int[6], int])
    assert_type(flatten(pair), tuple[Int[2], Int[3], int])
    assert_type(compact_col_major((four, n)), tuple[Int[1], Int[4]])
    assert_type(compact_col_major((n, four)), tuple[Int[1], int])
    assert_type(Int(k), Int[8])
    assert_type(crd2idx((_1, n), (four, _8)), int)
    assert_type(rank((n, n)), Int[2])
    assert_type(max_(four, n), int)
    reveal(pair)  # N: ((_2,_3),int)


# what returns what it takes, and what keeps it
def same(x: T) -> T:
    return x


def either(first: T, second: T) -> T:
    return first if second is None else second


def called(function: Callable[[], T]) -> T:
    return function()


assert_type(same(_4), Int[4])
assert_type(same(BLOCK), tuple[Int[4], Int[8]])
assert_type(called(lambda: _4 * _2), Int[8])


@dataclass(frozen=True)
class Tile:
    rows: Int[16]
    cols: int
    shape: tuple[Int[4], int]

    @property
    def size(self) -> int:
        assert_type(product((self.rows, self.cols)), int)
        return product(self.shape) * self.cols


class Extents(NamedTuple):
    m: Int[16]
    n: Int[8]


class Kept:
    rows = _4 * _4
    shape = (rows, 8)

    def halves(self) -> tuple[Int[8], int]:
        return self.rows // _2, self.shape[1] // 2


tile = Tile(_16, 32, (_4, 5))
assert_type(tile.rows * _2, Int[32])
assert_type(flatten((tile.rows, tile.shape)), tuple[Int[16], Int[4], int])
assert_type(Extents(_16, _8).m // _8, Int[2])
assert_type(Kept().halves(), tuple[Int[8], int])
assert_type(Kept.rows + _1, Int[17])

blocks = {"L1": (_4, _8), "L0": (_2, _16)}
wide = dict.fromkeys(blocks, _8)
assert_type(wide["L1"] * _2, Int[16])
of_one = {"L1": (_4, _8)}
assert_type(product(of_one["L1"]), Int[32])
assert_type([_4, _4][0] * _2, Int[8])


def chosen(is_wide: bool = False, n: int = 2) -> None:
    one = _4 if is_wide else _8
    assert_type(one * _2, Int[8] | Int[16])
    same_rank = (_4, n) if is_wide else (_4, 2 * n)
    assert_type(product_each(same_rank), tuple[Int[4], int])
    total: int = _1
    for i in range(_3):
        total += i * _4
        assert_type((_4, i), tuple[Int[4], int])
        assert_type(compact_col_major((_4, i)), tuple[Int[1], Int[4]])
    assert_type(total, int)
    rest = _12
    while n < rest:
        n += rest
        assert_type(rest // _4, Int[3])
    for extent in (_4, _4):
        assert_type(extent * _2, Int[8])
    of_any: Any = 5
    assert_type(rank((_4, of_any)), Int[int])
