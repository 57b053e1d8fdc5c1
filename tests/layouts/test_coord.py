"""Coordinates: their order, index and offset, and the strides that number them."""

import copy
import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    Int,
    KindError,
    LeafError,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _8,
    _16,
    colex_less,
    crd2crd,
    crd2idx,
    crd2offset,
    elem_less,
    idx2crd,
    lex_less,
    same_static,
)
from tla.testing import coords_of, int_tuples, layouts, naive_coords, naive_offset, naive_size, shapes

BLOCKS = ((4, 2), (4, 3))


# --- index and coordinate ---


@given(shapes(min_extent=0))
def test_coordinates_come_in_colexicographic_order(shape: Any) -> None:
    order = naive_coords(shape)
    assert list(tla.coords(shape)) == order
    assert [idx2crd(i, shape) for i in range(naive_size(shape))] == order
    assert [crd2idx(c, shape) for c in order] == list(range(naive_size(shape)))
    assert all(colex_less(a, b) for a, b in pairwise(order))


@given(shapes(), st.data())
def test_idx2crd_and_crd2idx_are_inverse(shape: Any, data: st.DataObject) -> None:
    coord = data.draw(coords_of(shape))
    index = crd2idx(coord, shape)
    assert tla.congruent(natural := idx2crd(coord, shape), shape)
    assert crd2idx(natural, shape) == index
    assert idx2crd(index, shape) == idx2crd(natural, shape) == natural
    assert elem_less(natural, shape)
    assert crd2crd(coord, shape, shape) == natural
    assert crd2crd(coord, shape, naive_size(shape)) == index


@given(shapes(static=True), st.data())
def test_static_indices_give_static_coordinates(shape: Any, data: st.DataObject) -> None:
    coord = data.draw(coords_of(shape, static=True))
    assert tla.is_static(idx2crd(coord, shape))
    assert tla.is_static(crd2idx(coord, shape))


def test_crd2crd_renumbers() -> None:
    assert crd2crd((1, 2), (4, 6), (8, 3)) == (1, 1)
    assert crd2crd(((1, 1), (0, 1)), BLOCKS, (8, 12)) == (5, 4)
    assert crd2crd((5, 4), (8, 12), BLOCKS) == ((1, 1), (0, 1))


def test_empty_shapes() -> None:
    assert list(tla.coords(())) == [()]
    assert list(tla.coords((4, 0))) == []
    assert (idx2crd(0, ()), crd2idx((), ()), idx2crd(0, ((), 1))) == ((), 0, ((), 0))
    empty: list[Any] = [0, (0,), (4, 0), ((0, 2), 3)]
    for shape in empty:
        with pytest.raises(CoordinateError, match="Its size is 0"):
            idx2crd(0, shape)
    with pytest.raises(CoordinateError):
        idx2crd(1, ())


def test_a_negative_extent_is_no_empty_shape() -> None:
    negative: list[Any] = [-1, (2, -3)]
    for shape in negative:
        with pytest.raises(tla.TlaError):
            list(tla.coords(shape))
        with pytest.raises(tla.TlaError):
            idx2crd(0, shape)


# --- offsets ---


@given(layouts(min_stride=-64), st.data())
def test_the_offset_is_the_sum_of_coordinate_times_stride(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(coords_of(layout.shape))
    wanted = naive_offset(layout, coord)
    assert crd2offset(coord, layout.shape, layout.stride) == wanted
    assert crd2offset(coord, layout.shape, layout.stride, extend=True) == wanted
    assert crd2idx(coord, layout.shape, layout.stride) == wanted
    assert crd2offset(idx2crd(coord, layout.shape), layout.shape, layout.stride) == wanted


@given(layouts(static=True), st.data())
def test_static_everywhere_is_a_static_offset(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(coords_of(layout.shape, static=True))
    assert tla.is_static(crd2offset(coord, layout.shape, layout.stride))


@pytest.mark.parametrize(
    ("coord", "shape", "stride", "offset"),
    [
        ((_1, _2), (4, 8), (_8, _1), Int(10)),  # a shape that is only compared may be dynamic
        (_5, (4, 8), (_8, _1), 9),  # one that is divided by may not
        (_5, (_4, 8), (_8, _1), Int(9)),  # the last extent is never divided by
        ((_1, 2), (_4, _8), (_8, _1), 10),
        ((_1, _2), (_4, _8), (8, _1), 10),
        ((), (), (), _0),
        (_0, (), (), _0),
    ],
)
def test_what_makes_an_offset_static(coord: Any, shape: Any, stride: Any, offset: Any) -> None:
    assert same_static(crd2offset(coord, shape, stride), offset)


@given(shapes(), st.integers(0, 10**6))
def test_extending_lets_the_last_leaf_grow(shape: Any, index: int) -> None:
    last = shape
    while isinstance(last, tuple) and last:
        last = last[-1]
    assume(last != ())  # there is no leaf to grow
    grown = tla.unflatten((*tla.flatten_to_tuple(shape)[:-1], 10**6 + 1), shape)
    stride = tla.compact_col_major(shape)
    assert crd2offset(index, shape, stride, extend=True) == index
    assert idx2crd(index, shape, extend=True) == idx2crd(index, grown)


def test_each_mode_of_a_tuple_extends_for_itself() -> None:
    stride = ((4, 16), (1, 32))
    assert crd2offset((9, 13), BLOCKS, stride, extend=True) == 4 + 2 * 16 + 1 + 3 * 32
    assert crd2offset(((4, 0), 0), BLOCKS, stride, extend=True) == 16
    assert idx2crd((9, 13), BLOCKS, extend=True) == ((1, 2), (1, 3))
    with pytest.raises(CoordinateError):
        crd2offset((-1, 0), BLOCKS, stride, extend=True)


@pytest.mark.parametrize("extend", [None, 1, (4, 2)])
def test_extending_is_asked_for_with_a_bool(extend: Any) -> None:
    with pytest.raises(KindError, match="extend is a bool, not"):
        idx2crd(96, BLOCKS, extend)
    with pytest.raises(KindError, match="extend is a bool, not"):
        crd2offset(96, BLOCKS, BLOCKS, extend)
    with pytest.raises(KindError, match="extend is a bool, not"):
        tla.composition(tla.Layout(4), tla.Layout(2), extend=extend)


@pytest.mark.parametrize(
    ("coord", "summary", "detail"),
    [
        (96, "coordinate 96 lies outside the shape ((4,2),(4,3))", "It has the coordinates 0 to 95."),
        (-1, "coordinate -1 lies outside the shape ((4,2),(4,3))", "Coordinates count from 0."),
        ((8, 0), "coordinate (8,0) lies outside", "of shape (4,2). It has the coordinates 0 to 7."),
        ((0, 12), "coordinate (0,12) lies outside", "Mode 1 is 12, of shape (4,3). It has the"),
        ((1, (1, 3)), "coordinate (1,(1,3)) lies", "Mode 1.1 is 3, of size 3. Coordinates count"),
        ((1, (-1, 0)), "coordinate (1,(-1,0)) lies", "Mode 1.0 is -1, of size 4. Coordinates count"),
        ((1,), "coordinate (1) does not fit", "(1) stands where ((4,2),(4,3)) takes 2 modes."),
        ((1, (2, 0, 0)), "does not fit", "Mode 1 is (2,0,0), of shape (4,3)."),
        ((1, ((2, 0), 0)), "does not fit", "(2,0) stands where 4 takes one int."),
    ],
)
@pytest.mark.parametrize(
    "f", [idx2crd, crd2idx, lambda c, s: crd2offset(c, s, s), lambda c, s: tla.Layout(s)(c)]
)
def test_coordinates_outside(f: Callable[..., Any], coord: Any, summary: str, detail: str) -> None:
    with pytest.raises(CoordinateError) as caught:
        f(coord, BLOCKS)
    assert summary in caught.value.summary
    assert detail in str(caught.value)
    assert isinstance(caught.value, IndexError)
    assert (caught.value.coord, caught.value.shape) == (coord, BLOCKS)


@given(shapes(min_extent=0), int_tuples(st.integers(-3, 30)))
def test_any_tuple_is_a_coordinate_or_refused(shape: Any, coord: Any) -> None:
    def fits(c: Any, s: Any) -> bool:
        if isinstance(c, tuple):
            return isinstance(s, tuple) and len(c) == len(s) and all(map(fits, c, s))
        return bool(0 <= c < naive_size(s))

    if fits(coord, shape):
        assert 0 <= crd2idx(coord, shape) < naive_size(shape)
    else:
        with pytest.raises(CoordinateError):
            crd2idx(coord, shape)


@pytest.mark.parametrize("bad", [True, 1.0, "1", None, [1, 2], (1, True), (1, (0.0, 0)), _])
def test_coordinates_are_ints(bad: Any) -> None:
    for f in (idx2crd, crd2idx, lambda c, s: crd2offset(c, s, s)):
        with pytest.raises(LeafError):
            f(bad, BLOCKS)


def test_shape_and_stride_must_be_congruent() -> None:
    strides: list[Any] = [1, (1, 2), ((1, 2), 3), ((1, 2), (3, 4), 5)]
    for stride in strides:
        with pytest.raises(CongruenceError, match="are not congruent"):
            crd2offset(0, BLOCKS, stride)


# --- order ---


same_profile = shapes(max_size=9).flatmap(lambda s: st.tuples(*[st.sampled_from(naive_coords(s))] * 2))


@given(same_profile)
def test_orders_compare_from_either_end(pair: tuple[Any, Any]) -> None:
    a, b = pair
    x, y = tla.flatten_to_tuple(a), tla.flatten_to_tuple(b)
    assert lex_less(a, b) == (x < y)
    assert colex_less(a, b) == (x[::-1] < y[::-1])
    assert elem_less(a, b) == all(i < j for i, j in zip(x, y, strict=True))
    assert tla.elem_leq(a, b) == all(i <= j for i, j in zip(x, y, strict=True))


@pytest.mark.parametrize("less", [elem_less, tla.elem_leq, lex_less, colex_less])
def test_orders_need_one_profile(less: Callable[[Any, Any], bool]) -> None:
    for a, b in [(1, (1,)), ((1, 2), (1, 2, 3)), (((1,), 2), (1, 2))]:
        with pytest.raises(CongruenceError):
            less(a, b)


# --- compact strides ---


@given(shapes())
def test_compact_strides_number_the_coordinates(shape: Any) -> None:
    size = range(naive_size(shape))
    col = tla.Layout(shape, tla.compact_col_major(shape))
    row = tla.Layout(shape, tla.compact_row_major(shape))
    assert [col(c) for c in naive_coords(shape)] == list(size)
    assert [row(c) for c in sorted(naive_coords(shape))] == list(size)


@given(shapes(static=True))
def test_compact_strides_of_static_shapes_are_static(shape: Any) -> None:
    assert tla.is_static(tla.compact_col_major(shape))
    assert tla.is_static(tla.compact_row_major(shape))
    assert tla.is_static(tla.compact_order(shape, 0))


def test_compact_strides_may_start_higher() -> None:
    assert tla.compact_col_major((4, (2, 3)), 10) == (10, (40, 80))
    assert same_static(tla.compact_row_major((_4, _2), _16), (Int(32), _16))


@given(shapes(min_extent=2), st.data())
def test_compact_order_permutes_the_leaves(shape: Any, data: st.DataObject) -> None:
    sizes = tla.flatten_to_tuple(shape)
    ranks = data.draw(st.permutations(range(len(sizes))))
    strides = tla.flatten_to_tuple(tla.compact_order(shape, tla.unflatten(tuple(ranks), shape)))
    step = 1
    for i in sorted(range(len(sizes)), key=ranks.__getitem__):
        assert strides[i] == step
        step *= sizes[i]


@given(shapes())
def test_compact_order_knows_both_majors(shape: Any) -> None:
    up = tla.unflatten(tuple(range(len(tla.flatten_to_tuple(shape)))), shape)
    down = tla.transform_leaf(lambda i: -i, up)
    assert tla.compact_order(shape, up) == tla.compact_col_major(shape)
    assert tla.compact_order(shape, down) == tla.compact_row_major(shape)
    assert tla.compact_order(shape, 0) == tla.compact_col_major(shape)  # equal ranks: first fastest


@pytest.mark.parametrize("order", [(1, 0, 2), ((1, 0), 2), (0, (1, 2, 3))])
def test_an_order_that_does_not_fit(order: Any) -> None:
    with pytest.raises(CongruenceError, match="does not fit the shape"):
        tla.compact_order((2, (3, 4)), order)


# --- slicing of tuples ---


@given(shapes(), st.data())
def test_slice_and_dice_share_out_the_modes(x: Any, data: st.DataObject) -> None:
    def coord(s: Any) -> Any:
        keep: Any = data.draw(st.sampled_from([_, 0, None]))
        if keep is None:
            return tuple(map(coord, s)) if isinstance(s, tuple) else 0
        return keep

    c = coord(x)
    kept, left = tla.slice_(c, x), tla.dice(c, x)
    assert naive_size(kept) * naive_size(left) == naive_size(x)
    assert tla.has_underscore(c) is bool(kept) or not naive_coords(x)
    assert tla.slice_(_, x) == (x,)
    assert tla.dice(_, x) == ()


def test_slices_keep_the_nesting_below_the_underscore() -> None:
    assert tla.slice_((_, 0), ((2, 3), 4)) == ((2, 3),)
    assert tla.slice_(((_, 1), _), ((2, 3), 4)) == (2, 4)
    assert tla.dice(((_, 1), 2), ((2, 3), (4, 5))) == (3, (4, 5))
    for c in [(_,), (_, 0, 0), ((_, 0), _), ((_,), _)]:
        with pytest.raises(CongruenceError, match="does not fit"):
            tla.slice_(c, (4, (2, 3)))
    with pytest.raises(LeafError):
        tla.slice_((_, "0"), (4, 2))  # type: ignore[arg-type]  # ty: ignore[no-matching-overload]


def test_the_underscore_is_one_object() -> None:
    assert repr(_) == "_"
    assert copy.copy(_) is copy.deepcopy(_) is pickle.loads(pickle.dumps(_)) is _
    assert tla.has_underscore((1, (_3, _)))
    assert not tla.has_underscore((1, (_3, _2)))


def test_the_linear_indices_of_the_document() -> None:
    """German document, figure 1: element (2,3) of F32[3,5] in tiles of 2 x 2."""
    assert tla.linear_index((1, 1, 0, 1), (2, 3, 2, 2)) == 17
    assert tla.linear_index_with_tile((2, 3), (3, 5), (2, 2)) == 17
    offsets = {tla.linear_index_with_tile((i, j), (3, 5), (2, 2)) for i in range(3) for j in range(5)}
    assert offsets == {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 17, 20}
    with pytest.raises(CoordinateError):
        tla.linear_index_with_tile((3, 0), (3, 5), (2, 2))
    with pytest.raises(CongruenceError):
        tla.linear_index_with_tile((2, 3), (3, 5), (2,))


def test_a_layout_in_place_of_shape_and_stride() -> None:
    layout = tla.Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
    assert crd2offset((1, 5), layout) == 37
    assert crd2offset((8, 0), layout, extend=True) == 32
    with pytest.raises(tla.LayoutError, match=r"the shape \(4,2\) needs a stride"):
        crd2offset((1, 5), (4, 2))
