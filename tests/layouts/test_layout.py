"""Layouts: what they accept, the function they are, and their makers."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    Int,
    Layout,
    LayoutError,
    LeafError,
    _,
    _1,
    _2,
    _3,
    _4,
    _8,
    make_layout,
    same_static,
)
from tla.testing import coords_of, layouts, naive_coords, naive_offset, naive_offsets, shapes

ZN: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
FORWARD = layouts()
ANY = layouts(shapes(min_extent=0), min_stride=-64, padded=True)


def nest(levels: int, core: Any = 4) -> Any:
    for _level in range(levels):
        core = (core,)
    return core


# --- construction ---


def test_the_documents_examples() -> None:
    w2xh4: Any = make_layout(tla.make_shape(Int(2), 4), tla.make_stride(Int(12), Int(1)))
    assert str(w2xh4) == "(_2,4):(_12,_1)"
    w32xh48 = make_layout(((16, 2), (16, 3)), ((16, 256), (1, 512)))
    assert str(w32xh48) == "((16,2),(16,3)):((16,256),(1,512))"
    assert ZN(tla.make_coord(1, 5)) == ZN(1, 5) == ZN((1, (1, 1))) == ZN(41) == 37


@given(shapes(min_extent=0))
def test_the_default_stride_is_compact_with_the_first_mode_fastest(shape: Any) -> None:
    layout: Any = Layout(shape)
    assert [layout(i) for i in range(layout.size)] == list(range(layout.size))
    again: Any = make_layout(shape)
    assert same_static(layout, again)
    assert layout.is_static == tla.is_static(shape)


@given(layouts(compact=True))
def test_compact_layouts_are_bijections(layout: Any) -> None:
    assert sorted(naive_offsets(layout)) == list(range(layout.size))
    assert layout.cosize == layout.size


@pytest.mark.parametrize(
    ("shape", "stride", "reason"),
    [
        ((2, 3), (1,), "The shape (2,3) has 2 modes, the stride (1) has 1 mode."),
        ((2, 3), 1, "The shape (2,3) has 2 modes, the stride 1 has one int."),
        (2, (1,), "The shape 2 has one int, the stride (1) has 1 mode."),
        ((2, (3, 4)), (1, 2), "In mode 1 the shape (3,4) has 2 modes, the stride 2 has one int."),
        ((2, (3, (4, 5))), (1, (2, (3,))), "In mode 1.1 the shape (4,5) has 2 modes, the stride (3)"),
        ((), (1,), "The shape () has 0 modes, the stride (1) has 1 mode."),
    ],
)
def test_shape_and_stride_must_be_congruent(shape: Any, stride: Any, reason: str) -> None:
    with pytest.raises(CongruenceError) as caught:
        Layout(shape, stride)
    assert caught.value.summary.endswith("are not congruent")
    assert reason in str(caught.value)
    assert (caught.value.shape, caught.value.stride) == (shape, stride)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("bad", [True, 4.0, "4", None, [4], b"4", 4j, {4: 4}])
def test_leaves_must_be_ints(bad: Any) -> None:
    with pytest.raises(LeafError):
        Layout((2, bad))
    with pytest.raises(LeafError):
        Layout((2, 3), (bad, 1))
    with pytest.raises(LeafError):
        Layout((2, (3,)), (1, (bad,)))
    with pytest.raises(LeafError):
        Layout((2, 3), (1, 2), (2, bad))


def test_numpy_ints_become_dynamic_ints() -> None:
    np = pytest.importorskip("numpy")
    layout: Any = Layout((np.int64(4), (np.uint8(2), _3)), (1, (np.int32(8), _1)))
    assert [type(i) for i in tla.flatten(layout.shape)] == [int, int, Int]
    assert [type(i) for i in tla.flatten(layout.stride)] == [int, int, Int]
    assert type(layout(np.int64(3), 1)) is int


@pytest.mark.parametrize("shape", [-1, (-1,), (2, (3, -4)), Int(-1)])
def test_extents_are_not_negative(shape: Any) -> None:
    with pytest.raises(LayoutError, match=r"has the negative extent _?-\d"):
        Layout(shape)
    with pytest.raises(LayoutError, match="negative extent"):
        Layout(shape, shape)


def test_nesting_has_a_limit_and_no_stack_runs_out() -> None:
    assert Layout(nest(100)).size == 4
    for deep in (nest(101), nest(20_000)):
        for arguments in [(deep,), (deep, deep), (4, deep), (deep, 4), (4, 1, deep), ((4,), (deep,))]:
            with pytest.raises(LayoutError, match="nested deeper than 100 levels"):
                Layout(*arguments)


@pytest.mark.parametrize(
    "use",
    [
        lambda layout, deep: layout(deep),
        lambda layout, deep: layout((0, deep)),
        lambda layout, deep: layout.extended(deep),
        lambda layout, deep: layout.is_valid(deep),
        lambda layout, deep: layout[deep],
        lambda layout, deep: layout[_, deep],
        lambda layout, deep: tla.get_tile_layout(layout, deep, (0, 0)),
        lambda layout, deep: tla.make_ordered_layout((4, 8), deep),
    ],
)
def test_no_use_of_a_deep_tuple_runs_out_of_stack(use: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(tla.TlaError):
        use(Layout((4, 8)), nest(20_000))


@given(shapes(min_extent=0))
def test_zero_extents_make_empty_layouts(shape: Any) -> None:
    layout: Any = Layout((shape, 0))
    assert (layout.size, layout.cosize, layout.valid_size) == (0, 0, 0)
    for coord in [0, (0, 0)]:
        with pytest.raises(CoordinateError):
            layout(coord)


def test_a_layout_without_modes() -> None:
    layout: Any = tla.parse("():()")
    assert (layout(), layout(()), layout(0)) == (0, 0, 0)
    assert (layout.rank, layout.depth, layout.size, layout.cosize) == (0, 1, 1, 1)
    assert (str(layout), list(layout), layout.origin_shape) == ("():()", [], ())
    for coord in [1, (0,), -1]:
        with pytest.raises(CoordinateError):
            layout(coord)


def test_a_layout_of_one_int() -> None:
    layout: Any = tla.parse("5:2")
    assert [layout(i) for i in range(5)] == [0, 2, 4, 6, 8]
    assert (layout.rank, layout.depth, layout.size, layout.cosize) == (1, 0, 5, 9)
    assert (str(layout), list(layout), layout.origin_shape) == ("5:2", [layout], 5)
    assert tla.get(layout, 0) == layout
    for coord in [5, (0,), -1]:
        with pytest.raises(CoordinateError):
            layout(coord)


def test_strides_have_no_bound() -> None:
    layout: Any = Layout((2, 3), (2**64, -(10**30)))
    assert layout(1, 2) == 2**64 - 2 * 10**30
    assert layout.cosize == 2**64 + 2 * 10**30 + 1


# --- the function ---


@given(layouts(min_stride=-64), st.data())
def test_it_is_the_sum_over_leaves(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(coords_of(layout.shape))
    assert layout(coord) == layout.extended(coord) == naive_offset(layout, coord)
    if isinstance(coord, tuple) and len(coord) != 1:
        assert layout(*coord) == layout.extended(*coord) == layout(coord)


@given(ANY)
def test_sizes_are_those_of_its_table(layout: Any) -> None:
    table = naive_offsets(layout)
    assert layout.size == tla.size(layout) == len(table)
    assert layout.cosize == tla.cosize(layout) == (max(table) - min(table) + 1 if table else 0)
    assert layout.rank == tla.rank(layout)
    assert layout.depth == tla.depth(layout)


def test_static_sizes() -> None:
    assert same_static((Layout((_4, _2)).size, Layout((_4, _2), (_8, _1)).cosize), (_8, Int(26)))
    assert same_static(Layout((_4, Int(0)), (_8, _1)).cosize, Int(0))
    assert not tla.is_static(Layout((_4, _2), (_8, 1)).cosize)


@pytest.mark.parametrize("coord", [(4, 0), (0, 8), 32, -1, (-1, 0), (0,), (0, 0, 0), ((0, 0), 0)])
def test_coordinates_outside_raise(coord: Any) -> None:
    with pytest.raises(CoordinateError):
        Layout((4, 8))(coord)


def test_extended_grows_the_last_leaf() -> None:
    layout: Any = Layout((4, 2), (1, 4))
    assert (layout.extended(11), layout.extended(6, 0), layout.extended(0, 9)) == (11, 6, 36)
    assert ZN.extended(8, 12) == 32 + 96
    for coord in [-1, (0, -1), (0,), ((0, 0), 0)]:
        with pytest.raises(CoordinateError):
            layout.extended(coord)


def test_an_underscore_is_for_brackets() -> None:
    with pytest.raises(CoordinateError, match=r"keeps modes .*\n.*layout\[\.\.\.\]"):
        ZN(_, 3)
    with pytest.raises(LeafError):
        ZN(1.5, 3)


# --- parts ---


@given(FORWARD, st.data())
def test_modes_are_layouts_of_their_own(layout: Any, data: st.DataObject) -> None:
    modes = list(layout)
    assert len(modes) == layout.rank
    assert all(same_static(mode, tla.get(layout, i)) for i, mode in enumerate(modes))
    if isinstance(layout.shape, tuple) and layout.shape:
        coord = tuple(data.draw(coords_of(mode.shape)) for mode in modes)
        assert layout(coord) == sum(mode(c) for mode, c in zip(modes, coord, strict=True))


def test_paths() -> None:
    assert str(tla.get(ZN, 1)) == "(4,3):(1,32)"
    assert tla.get(ZN, 1, 1) == Layout(3, 32)
    assert tla.get(ZN) is ZN
    assert (tla.shape(ZN, 1, 0), tla.stride(ZN, 0, 1), tla.shape(ZN, 0)) == (4, 16, (4, 2))
    assert (tla.size(ZN, 1), tla.rank(ZN, 0), tla.depth(ZN, 0, 0), tla.cosize(ZN, 1)) == (12, 2, 0, 68)
    for path in [(2,), (-1,), (0, 2)]:
        for f in (tla.get, tla.shape, tla.stride, tla.size, tla.rank, tla.depth, tla.cosize):
            with pytest.raises(CoordinateError, match="there is no mode"):
                f(ZN, *path)


# --- makers ---


@given(shapes(), st.data())
def test_ordered_layouts_are_compact_in_the_order(shape: Any, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(count := len(tla.flatten_to_tuple(shape)))))
    layout: Any = tla.make_ordered_layout(shape, tla.unflatten(tuple(order), shape))
    assert sorted(naive_offsets(layout)) == list(range(layout.size))
    strides = tla.flatten_to_tuple(layout.stride)
    by_order = sorted(range(count), key=order.__getitem__)
    assert [strides[i] for i in by_order] == sorted(strides)


@given(layouts(min_stride=-64))
def test_layout_like_keeps_the_order_of_the_strides(layout: Any) -> None:
    like: Any = tla.make_layout_like(layout)
    assert like.shape == layout.shape
    old, new = tla.flatten_to_tuple(layout.stride), tla.flatten_to_tuple(like.stride)
    assert [d == 0 for d in old] == [d == 0 for d in new]
    assert len(set(naive_offsets(like))) == like.cosize
    pairs = [(abs(a), b) for a, b in zip(old, new, strict=True) if a]
    assert all(x[1] <= y[1] for x in pairs for y in pairs if x[0] < y[0])
    assert naive_offsets(tla.make_layout_like(like)) == naive_offsets(like)
    assert like.is_static or not layout.is_static


def test_makers_check_their_leaves() -> None:
    for make in (tla.make_shape, tla.make_stride, tla.make_coord, tla.make_tile):
        assert make(_4, (2, _3)) == (4, (2, 3))
        with pytest.raises(LeafError):
            make(4, 2.0)


@given(shapes())
def test_all_coordinates_of_a_layout_give_its_table(shape: Any) -> None:
    layout: Any = Layout(shape, tla.compact_row_major(shape))
    assert [layout(c) for c in naive_coords(shape)] == naive_offsets(layout)
