"""The leaf protocol: on unknown ints the algebra answers rightly, or says that it cannot.

Each answer with unknowns is checked against the plain answer at many values of them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    DivisibilityError,
    Layout,
    SymbolicInt,
    TlaError,
    UndecidedError,
    _,
    _0,
    _1,
    _4,
    known_divides,
    known_eq,
    known_lt,
)
from tla.numbers import assume, evaluate, sym
from tla.numbers.questions import comparison
from tla.testing import coords_of, layouts

M: Any = sym("M")
N: Any = sym("N")
M16: Any = sym("M", divisible_by=16)
MAY_BE_EMPTY = sym("Z", min=0)
VALUES = (1, 2, 3, 16, 48)


def put(x: Any, **values: int) -> Any:
    """An int tuple with its unknowns given their values."""
    return tla.transform_leaf(lambda i: evaluate(i, values), x)


def test_questions_work_from_either_side() -> None:
    assert (known_eq(M, M), known_eq(M, 0), known_eq(0, M), known_eq(M, 5), known_eq(5, M16)) == (
        True,
        False,
        False,
        None,
        False,
    )
    assert (known_lt(M, M), known_lt(0, M), known_lt(M, 1), known_lt(M, 9), known_lt(9, M)) == (
        False,
        True,
        False,
        None,
        None,
    )
    assert known_divides(8, M16) is known_divides(M, M * 4) is known_divides(M, 0) is True
    assert known_divides(M16, 8) is False
    assert known_divides(5, M16) is known_divides(M, 8) is None


def test_unknowns_are_leaves_and_not_static() -> None:
    shape = tla.make_tuple(_4, (M, 8))
    assert shape == (_4, (M, 8))
    assert tla.static_mask(shape) == (True, (False, False))
    assert tla.flatten(shape) == (_4, M, 8)
    assert tla.rank(shape) == 2
    assert tla.congruent(shape, (1, (1, 1)))
    assert tla.to_text(shape) == "(_4,(M,8))"


@pytest.mark.parametrize("m", VALUES)
def test_products(m: int) -> None:
    assert put(tla.size(((M, 4), 3)), M=m) == m * 12
    assert put(tla.product_each(((M, 4), M)), M=m) == (m * 4, m)
    assert put(tla.inner_product((M, 2), (3, M)), M=m) == 5 * m
    assert put(tla.elem_scale((2, M), ((4, M), 6)), M=m) == (8 * m, 6 * m)


@pytest.mark.parametrize("m", VALUES)
def test_a_compact_layout(m: int) -> None:
    layout, plain = Layout((M, (4, N))), Layout((m, (4, 5)))
    assert str(layout) == "(M,(4,N)):(_1,(M,4*M))"
    assert put((layout.stride, layout.size, layout.cosize), M=m, N=5) == (
        plain.stride,
        plain.size,
        plain.cosize,
    )
    with assume(m <= M, N >= 5):
        for c in tla.coords(plain.shape):
            assert put(layout(c), M=m, N=5) == plain(c)
    assert put(tla.compact_row_major((M, N)), M=m, N=5) == (5, 1)
    assert put(tla.make_ordered_layout((M, 3), (1, 0)).stride, M=m) == (3, 1)


@given(layouts(), st.data())
def test_a_layout_with_an_unknown_extent_is_the_same_function(plain: Any, data: st.DataObject) -> None:
    flat = tla.flatten_to_tuple(plain.shape)
    if not flat:
        return
    i = data.draw(st.integers(0, len(flat) - 1))
    m = int(flat[i])
    some = sym("M", min=m)
    hidden = tla.unflatten((*flat[:i], some, *flat[i + 1 :]), plain.shape)
    layout = Layout(hidden, plain.stride)
    assert put(layout.size, M=m) == plain.size
    assert put(layout.cosize, M=m) == plain.cosize
    coord = data.draw(coords_of(plain.shape))
    with assume(m <= M):
        assert put(layout(coord), M=m) == plain(coord)
        assert put(tla.idx2crd(coord, hidden), M=m) == tla.idx2crd(coord, plain.shape)


@pytest.mark.parametrize("m", VALUES)
def test_coordinates_may_be_unknown(m: int) -> None:
    layout, i = Layout((8, 64), (64, 1)), sym("i", min=0, max=63)
    assert put(layout(i % 8, i), i=m) == m % 8 * 64 + m
    j, k = sym("j", min=0, max=M - 1), sym("k", min=0, max=N - 1)
    assert str(tla.crd2idx((j, k), (M, N))) == "M*k{min=0,max=N-1}+j{min=0,max=M-1}"
    assert put(tla.crd2idx((j, k), (M, N)), j=m - 1, k=7, M=m, N=9) == m * 8 - 1


def test_a_coordinate_that_may_lie_outside() -> None:
    i = sym("i", min=0)
    with pytest.raises(UndecidedError) as caught:
        Layout((8, 64), (64, 1))(i % 8, i)
    assert caught.value.obligation == (i < 64)
    with assume(i < 64):
        assert Layout((8, 64), (64, 1))(i % 8, i) == i % 8 * 64 + i
    with pytest.raises(tla.CoordinateError):
        Layout((M, N))(M, 0)


def test_a_negative_coordinate_is_known_to_be_outside() -> None:
    with pytest.raises(tla.CoordinateError):
        Layout((M, N))(-1, 0)


def test_equality_is_structural() -> None:
    assert Layout((M, 4)) == Layout((M, 4))
    assert hash(Layout((M, 4))) == hash(Layout((M, 4)))
    assert Layout((M, 4)) != Layout((N, 4))


# --- questions that the sizes leave open ---


def test_shape_div() -> None:
    assert put(tla.shape_div(M16, 16), M=48) == 3
    assert put(tla.shape_div((4, M16), 64), M=48) == (1, 3)
    assert tla.shape_div(16, M16) == 1
    with pytest.raises(DivisibilityError):
        tla.shape_div((5, M), 3)
    for a, b in [(M, 5), (M16, 32), (5, M), (M, N), ((M, 4), 8)]:
        with pytest.raises(UndecidedError, match="cannot decide whether"):
            tla.shape_div(a, b)


def test_compatible() -> None:
    assert tla.compatible(M * 4, (M, 4))
    assert tla.compatible((M, N), ((M,), N))
    assert not tla.compatible(5, (M16,))
    assert not tla.compatible((M, 4), (M, 5))
    assert not tla.compatible((M, N), (M, N, 1))
    for a, b in [(M, N), (M, 5), (5, M), (M, (M, N))]:
        with pytest.raises(UndecidedError) as caught:
            tla.compatible(a, b)
        n = tla.product(b)
        assert caught.value.obligation == (n == a if a == 5 else a == n)


def test_evenly_divides() -> None:
    assert tla.evenly_divides((M16, 4), (16, 2))
    assert not tla.evenly_divides((M16, 4), (16, 3))
    for a, b in [((M,), (5,)), ((M16,), (32,)), ((8,), (M,))]:
        with pytest.raises(UndecidedError):
            tla.evenly_divides(a, b)


def test_extremes() -> None:
    assert tla.max_(M, 0) == tla.max_(0, M) == M
    assert tla.min_(M, 0) == tla.min_(0, M) == 0
    assert (str(tla.max_(M, 5)), str(tla.min_(5, M))) == ("max(5,M)", "min(5,M)")
    for m in VALUES:
        assert put((tla.max_(M, (5, N)), tla.min_(5, M, N)), M=m, N=7) == (max(m, 7), min(m, 5))
    for f in (tla.max_, tla.min_):
        with pytest.raises(UndecidedError, match=r"^cannot decide whether K < 5\n") as caught:
            f(OnlyAsked(), 5)
        assert caught.value.obligation == "K < 5"


class OnlyAsked(SymbolicInt):
    """A leaf that knows nothing, of the protocol alone."""

    def __str__(self) -> str:
        return "K"

    def known_lt(self, other: Any) -> None:
        return None

    known_gt = known_lt


def test_a_comparison_of_the_bare_protocol_is_a_text() -> None:
    assert comparison(OnlyAsked(), "<", 5) == "K < 5"
    assert comparison(5, "<", OnlyAsked()) == "K > 5"


@pytest.mark.parametrize("order", [1, -1])
def test_extremes_where_equality_is_open(order: int) -> None:
    """``M >= 16`` settles the least of M and 16, though M may be 16."""
    assert tla.min_(*(16, M16)[::order]) == 16
    assert tla.max_(*(1, M)[::order]) == M
    assert tla.max_(*(0, MAY_BE_EMPTY)[::order]) == MAY_BE_EMPTY


@pytest.mark.parametrize("less", [tla.elem_less, tla.lex_less, tla.colex_less])
def test_an_order_that_is_open_is_not_false(less: Callable[[Any, Any], bool]) -> None:
    assert less((0, 0), (M, M))
    for a, b in [((3, 3), (M, M)), ((M, M), (3, 3)), ((M, N), (N, M))]:
        with pytest.raises(UndecidedError):
            less(a, b)


def test_a_leaf_that_decides_comes_before_an_open_one() -> None:
    assert not tla.elem_less((5, 5), (5, M))
    assert tla.lex_less((1, 5), (2, M))


def test_a_size_that_may_be_zero_leaves_the_span_open() -> None:
    for layout in (Layout((MAY_BE_EMPTY, 4), (1, 100)), Layout(MAY_BE_EMPTY, 5)):
        try:
            got = layout.cosize
        except UndecidedError:
            continue
        for z in (0, 1, 7):
            assert put(got, Z=z) == layout.bind(Z=z).cosize


@pytest.mark.parametrize(
    "whole",
    [tla.offsets, tla.offset_lists, tla.layout_figure, lambda x: list(tla.coords(x.shape))],
)
def test_what_needs_every_value_says_so(whole: Callable[[Any], Any]) -> None:
    with pytest.raises(TlaError):
        whole(Layout((M, 4)))


def test_layout_like_with_an_open_order_of_strides() -> None:
    assert tla.make_layout_like(Layout((4, 3), (M, 0))).stride == (1, 0)
    with pytest.raises(UndecidedError):
        tla.make_layout_like(Layout((4, 3), (M, N)))


# --- origin, slices, tiles ---


def test_origin() -> None:
    some = sym("M", max=16)
    layout = Layout((16, 8), (8, 1), (some, 8))
    assert layout.valid_size == some * 8
    assert layout.is_padded
    assert layout.is_valid(0, 7)
    assert not layout.is_valid(0, 8)
    with pytest.raises(UndecidedError):
        layout.is_valid(3, 0)
    cut = layout.trimmed()
    for m in (1, 5, 16):
        plain = layout.bind(M=m).trimmed()
        assert cut.bind(M=m).shape == plain.shape
        assert tla.same_function(cut.bind(M=m), plain)
    assert Layout((16, 8), (8, 1), (some // 2, 8)).is_padded
    with pytest.raises(UndecidedError, match="M <= 16"):
        Layout((16, 8), (8, 1), (M, 8))


@pytest.mark.parametrize("m", VALUES)
def test_slices(m: int) -> None:
    layout = Layout((M, N), (N, 1))
    sliced, offset = tla.slice_and_offset((_, 0), layout)
    assert (sliced, offset) == (Layout((M,), (N,)), 0)
    row, offset = tla.slice_and_offset((M - 1, _), layout)
    assert row == Layout((N,), (1,))
    assert put(offset, M=m, N=5) == (m - 1) * 5


def test_make_layout_tile() -> None:
    blocked = Layout(((16, M), N), ((1, 16), 1000))
    assert tla.make_layout_tile(blocked, (8, N)) == Layout(((8, 1), N), ((1, 16), 1000))
    assert tla.make_layout_tile(blocked, (16, N)) == Layout(((16, 1), N), ((1, 16), 1000))
    assert tla.make_layout_tile(Layout((M16, 4)), (8, 4)).shape == (8, 4)
    assert put(tla.make_layout_tile(blocked, (16 * M, N)).shape, M=3, N=5) == ((16, 3), 5)
    with pytest.raises(DivisibilityError):
        tla.make_layout_tile(blocked, (5, N))
    for tile in [(32, N), (16, 3)]:
        with pytest.raises(UndecidedError):
            tla.make_layout_tile(blocked, tile)


@pytest.mark.parametrize("m", [32, 48, 320])
def test_get_tile_layout(m: int) -> None:
    m32 = sym("M", divisible_by=16, min=32)
    tile = tla.get_tile_layout(Layout((m32, 64), (64, 1)), (16, 32), (16, 32))
    assert tile == Layout((16, 32), (64, 1))
    end = tla.get_tile_layout(Layout((m32, 64), (64, 1)), (16, 32), (m32 - 16, 32))
    plain = tla.get_tile_layout(Layout((m, 64), (64, 1)), (16, 32), (m - 16, 32))
    assert end.bind(M=m) == plain


@pytest.mark.parametrize("m", VALUES)
def test_get_tile_layout_where_the_tail_is_open(m: int) -> None:
    tile = tla.get_tile_layout(Layout((M, 64), (64, 1)), (16, 32), (0, 0))
    assert str(tile) == "(16,32):(64,1):(min(16,M),32)"
    assert tile.bind(M=m) == tla.get_tile_layout(Layout((m, 64), (64, 1)), (16, 32), (0, 0))
    assert tla.get_tile_layout(Layout((M, 64)), (_1, 32), (_0, _0)).origin_shape == (1, 32)
