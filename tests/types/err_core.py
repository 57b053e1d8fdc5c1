"""Mistakes in ints and tuples: operators, arithmetic, profiles, indices, what is no int."""

from typing import Final

from tla import (
    Int,
    _0,
    _1,
    _2,
    _3,
    _4,
    _8,
    add,
    ceil_div,
    compact_order,
    crd2crd,
    crd2idx,
    crd2offset,
    dice,
    elem_less,
    elem_scale,
    get,
    idx2crd,
    inner_product,
    insert,
    make_coord,
    make_shape,
    make_tuple,
    max_,
    min_,
    product_like,
    rank,
    remove,
    repeat,
    replace,
    round_down,
    round_up,
    select,
    shape_div,
    size,
    slice_,
    take,
    unflatten,
)

ZERO: Final = 0
pair = (_4, _8)

# static ints
_8 // _0  # E: integer division or modulo by zero
_8 % _0  # E: integer modulo by zero
divmod(_8, _0)  # E: integer division or modulo by zero
_1 << -_1  # E: negative shift count
_8 >> -_1  # E: negative shift count
Int(True)  # E: a static int needs an int, not bool True

# arithmetic
ceil_div(_8, _0)  # E: cannot round to multiples of _0: it is not positive
ceil_div(8, ZERO)  # E: cannot round to multiples of 0: it is not positive
round_up(_8, -_2)  # E: cannot round to multiples of _-2: it is not positive
round_down(5, 0)  # E: cannot round to multiples of 0: it is not positive
max_()  # E: the greatest of no ints does not exist
min_(())  # E: the least of no ints does not exist
add(pair, (_1, _2, _3))  # E: cannot add (_4, _8) and (_1, _2, _3): their profiles differ
add((_1, (_2, _3)), pair)  # E: cannot add (_2, _3) and _8: their profiles differ

# what is no int
make_tuple(_4, "4")  # E: expected an int, got str '4'
make_shape(_4, None)  # E: expected an int, got NoneType None
make_shape(_4, -_1)  # E: shape (_4,_-1) has the negative extent _-1
make_shape(4, -1)  # E: shape (4,-1) has the negative extent -1
make_coord(_4, "_")  # E: expected an int, got str '_'
size((_4, True))  # E: expected an int, got bool True

# indices
get(pair, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
get(pair, _2)  # E: there is no mode 2 in (_4,_8), of rank 2
get(pair, -1)  # E: there is no mode -1 in (_4,_8), of rank 2
get(pair, 0, 1)  # E: there is no mode 1 in _4, of rank 1
rank(pair, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
size(pair, 3)  # E: there is no mode 3 in (_4,_8), of rank 2
select(pair, 0, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
take(pair, 1, 3)  # E: modes 1 to 3 are not a range of (_4,_8), of rank 2
insert(pair, 4, _1)  # E: modes 4 to 4 are not a range of (_4,_8), of rank 2
remove(pair, 2)  # E: there is no mode 2 in (_4,_8), of rank 2
replace(pair, 2, _1)  # E: there is no mode 2 in (_4,_8), of rank 2
repeat(_4, -1)  # E: cannot repeat a mode -1 times

# profiles
unflatten((_1, _2, _3), pair)  # E: (_1,_2,_3) has 3 leaves, the profile (_4,_8) has 2
product_like(_8, pair)  # E: _8 and (_4,_8) have different profiles
inner_product(pair, (_1, _2, _3))  # E: (_4,_8) and (_1,_2,_3) have different profiles
elem_scale(pair, (_1, _2, _3))  # E: (_4,_8) and (_1,_2,_3) have different profiles
shape_div(_8, _3)  # E: neither of _8 and _3 divides the other
shape_div(pair, (_3, _8))  # E: neither of _4 and _3 divides the other
compact_order(pair, (0, 1, 2))  # E: the order (0,1,2) does not fit the shape (_4,_8)

# coordinates
crd2idx((4, 0), pair)  # E: coordinate (4,0) lies outside the shape (_4,_8)
crd2idx((_4, 0), pair)  # E: coordinate (_4,0) lies outside the shape (_4,_8)
crd2idx((0, 0, 0), pair)  # E: coordinate (0,0,0) does not fit the shape (_4,_8)
crd2idx(32, pair)  # E: coordinate 32 lies outside the shape (_4,_8)
idx2crd(_8 * _4, pair)  # E: coordinate _32 lies outside the shape (_4,_8)
idx2crd(-1, pair)  # E: coordinate -1 lies outside the shape (_4,_8)
crd2crd((3, 8), pair, 32)  # E: coordinate (3,8) lies outside the shape (_4,_8)
crd2offset((3, 8), pair, (_8, _1))  # E: coordinate (3,8) lies outside the shape (_4,_8)
crd2offset((3, 7), pair, (_8, _1, _1))  # E: shape (_4,_8) and stride (_8,_1,_1) are not congruent
elem_less((_1, _2), (_1, _2, _3))  # E: (_1,_2) and (_1,_2,_3) have different profiles
slice_((0, _1, 2), pair)  # E: (0,_1,2) does not fit (_4,_8)
dice((0, _1, 2), pair)  # E: (0,_1,2) does not fit (_4,_8)

def parameters(n: int = 5, s: Int[3] = _3, t: tuple[Int[4], int] = (_4, 5)) -> None:
    crd2idx((s + _1, n), t)  # E: coordinate (_4,int) lies outside the shape (_4,int)
    crd2idx((n, -1), t)  # E: coordinate (int,-1) lies outside the shape (_4,int)
    get(t, s)  # E: there is no mode 3 in (_4,int), of rank 2
    Int(n) // (s - _3)  # E: integer division or modulo by zero
    add(t, (n, n, n))  # E: cannot add (_4, int) and (int, int, int): their profiles differ
