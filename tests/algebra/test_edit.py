"""Edits of top-level modes: alike on int tuples and on layouts, whose origin shape follows."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    CoordinateError,
    Layout,
    LayoutError,
    LeafError,
    NotALayoutError,
    UnsupportedError,
    _,
    _1,
    _8,
    parse,
)
from tla.algebra.edit import append, group, prepend, replace, select, take
from tla.layouts import int_tuple
from tla.numbers import sym
from tla.testing import int_tuples, layouts, naive_coords, naive_offset, naive_offsets, shapes

ROWS = parse("(4,(2,3),8):(1,(4,64),8)")
PADDED = parse("(4,2,3):(1,4,8):(3,2,2)")


@given(int_tuples(), int_tuples(), st.data())
def test_int_tuples_are_edited_as_before(x: Any, item: Any, data: st.DataObject) -> None:
    n = int(tla.rank(x))
    begin, end = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    upto = data.draw(st.none() | st.integers(0, 5))
    assert group(x, begin, end) == int_tuple.group(x, begin, end)
    assert group(x, begin) == int_tuple.group(x, begin) == group(x, begin, n)
    assert tla.reverse(x) == (x[::-1] if isinstance(x, tuple) else x)
    assert take(x, begin, end) == int_tuple.take(x, begin, end)
    assert append(x, item, upto) == int_tuple.append(x, item, upto)
    assert prepend(x, item, upto) == int_tuple.prepend(x, item, upto)
    if n:
        mode = data.draw(st.integers(0, n - 1))
        assert replace(x, mode, item) == int_tuple.replace(x, mode, item)
        assert select(x, mode, 0) == int_tuple.select(x, mode, 0)


@given(layouts(shapes(max_size=24, max_depth=1), padded=True), st.data())
def test_modes_that_stay_keep_offsets_and_origin(layout: Any, data: st.DataObject) -> None:
    n = int(layout.rank)
    kept = data.draw(st.lists(st.integers(0, n - 1), max_size=3)) if n else []
    result = select(layout, *kept)
    shape, stride, origin = map(tla.wrap, (layout.shape, layout.stride, layout.origin_shape))
    expected = [tuple(x[i] for i in kept) for x in (shape, stride, origin)]
    assert [result.shape, result.stride, result.origin_shape] == expected
    begin, end = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    assert take(layout, begin, end) == select(layout, *range(begin, end))
    if isinstance(layout.shape, tuple):
        assert tla.reverse(layout) == select(layout, *reversed(range(n)))


@given(layouts(shapes(max_size=24, max_depth=1), min_stride=-9, padded=True), st.data())
def test_grouping_keeps_offsets_and_data(layout: Any, data: st.DataObject) -> None:
    n = int(layout.rank)
    begin, end = sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    valid = [layout.is_valid(c) for c in naive_coords(layout.shape)]
    try:
        result = group(layout, begin, end)
    except UnsupportedError:
        inner = take(layout, begin, end)
        data_of = [inner.is_valid(c) for c in naive_coords(inner.shape)]
        assert data_of != sorted(data_of, reverse=True)  # no first ones
        return
    assert result.shape == int_tuple.group(layout.shape, begin, end)
    assert naive_offsets(result) == naive_offsets(layout)
    assert [result.is_valid(c) for c in naive_coords(result.shape)] == valid


@given(layouts(shapes(max_size=6), padded=True), layouts(shapes(max_size=6), padded=True))
def test_what_is_joined_adds_its_offsets(layout: Any, item: Any) -> None:
    valid = [item.is_valid(c) for c in naive_coords(item.shape)]
    fits = valid == sorted(valid, reverse=True)
    for join, new_last in ((append, True), (prepend, False)):
        if not fits:
            with pytest.raises(UnsupportedError):
                join(layout, item)
            continue
        result = join(layout, item)
        for c in naive_coords(layout.shape):
            for d in naive_coords(item.shape):
                modes = tla.wrap(c)
                at = (*modes, d) if new_last else (d, *modes)
                assert naive_offset(result, at) == naive_offset(layout, c) + naive_offset(item, d)
                assert result.is_valid(at) == (layout.is_valid(c) and item.is_valid(d))
    if fits:
        try:
            both = prepend(tla.make_layout(item), layout)
        except UnsupportedError:
            with pytest.raises(UnsupportedError):
                tla.make_layout(layout, item)
        else:
            assert tla.make_layout(layout, item) == both


def test_layouts_are_modes() -> None:
    modes = [Layout(4, 2), Layout((2, 3), (1, 8)), Layout(5, 7), Layout(2, 9)]
    for n in range(1, 5):
        assert tla.make_layout(*modes[:n]) == Layout(
            tuple(x.shape for x in modes[:n]), tuple(x.stride for x in modes[:n])
        )
    wrongs: list[Any] = [(Layout(4), 4), (4, 4, 4, 4), (Layout(4), None, Layout(4))]
    for wrong in wrongs:
        with pytest.raises(NotALayoutError, match="expected a layout, got"):
            tla.make_layout(*wrong)
    with pytest.raises(LeafError, match="expected an int, got Layout"):
        tla.make_layout(4, Layout(4))
    with pytest.raises(LayoutError, match="do not add up"):
        tla.make_layout(Layout(4), tla.make_identity_layout((4, 4)))
    m = sym("M")
    with tla.assume(m % 3 == 0):
        third = tla.zipped_divide(Layout(m), 3, exact=True)
    assert tla.make_layout(third, Layout(4)).assumptions == third.assumptions != ()


def test_a_tile_has_layouts_and_underscores() -> None:
    tile = tla.make_tile(Layout(2, 2), _, None, (4, Layout(3)))
    assert tile == (Layout(2, 2), _, None, (4, Layout(3)))
    for wrong in (-1, (2, -1)):
        with pytest.raises(LayoutError, match="negative extent"):
            tla.make_tile(Layout(4), wrong)
    with pytest.raises(LeafError):
        tla.make_tile("4")
    whole = Layout((4, 6), (6, 1))
    assert str(tla.composition(whole, tla.make_tile(Layout(2, 2), None))) == "(2,6):(12,1)"


def test_group_modes_is_group() -> None:
    assert tla.group_modes is tla.group


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (select(ROWS, 2, 0), "(8,4):(8,1)"),
        (select(PADDED, 2, 1), "(3,2):(8,4):(2,2)"),
        (select(PADDED, 1), "(2):(4)"),
        (take(PADDED, 1, 3), "(2,3):(4,8):(2,2)"),
        (take(ROWS, 1, 1), "():()"),
        (group(ROWS, 0, 2), "((4,(2,3)),8):((1,(4,64)),8)"),
        (group(PADDED, 1, 3), "(4,(2,3)):(1,(4,8)):(3,4)"),
        (group(PADDED, 1, 1), "(4,(),2,3):(1,(),4,8):(3,_1,2,2)"),
        (group(parse("(4,2,3):(1,4,8):(3,1,3)"), 0, 2), "((4,2),3):((1,4),8):(3,3)"),
        (group(parse("(4,2,3):(1,4,8):(3,0,2)"), 0, 3), "((4,2,3)):((1,4,8)):(0)"),
        (group(parse("4:1:3"), 0, 1), "((4)):((1)):(3)"),
        (append(parse("4:1")), "(4,_1):(1,_0)"),
        (append(parse("4:1:3"), upto=3), "(4,_1,_1):(1,_0,_0):(3,_1,_1)"),
        (append(ROWS, parse("2:5"), upto=3), "(4,(2,3),8):(1,(4,64),8)"),
        (append(parse("4:1"), parse("(2,3):(4,8):(2,2)")), "(4,(2,3)):(1,(4,8)):(4,4)"),
        (prepend(parse("(4,2):(1,4)"), parse("3:8:2")), "(3,4,2):(8,1,4):(2,4,2)"),
        (prepend(parse("4:1"), upto=2), "(_1,4):(_0,1)"),
        (replace(PADDED, 0, parse("5:7")), "(5,2,3):(7,4,8):(5,2,2)"),
        (replace(PADDED, 2, parse("5:7")), "(4,2,5):(1,4,7):(3,2,5)"),
        (replace(parse("(4,2):(1,4):(3,2)"), 0, parse("5:7")), "(5,2):(7,4)"),
    ],
)
def test_layouts(result: Any, expected: str) -> None:
    assert str(result) == expected


@pytest.mark.parametrize(
    "edit",
    [
        lambda: select(ROWS, 3),
        lambda: select(ROWS, -1),
        lambda: take(ROWS, 2, 1),
        lambda: group(ROWS, 0, 4),
        lambda: replace(ROWS, 3, parse("2:1")),
    ],
)
def test_there_is_no_such_mode(edit: Callable[[], object]) -> None:
    with pytest.raises(CoordinateError, match=r"\(4,\(2,3\),8\)"):
        edit()


@pytest.mark.parametrize("edit", [lambda x, y: append(x, y), lambda x, y: replace(x, 0, y)])
def test_a_mode_of_a_layout_is_a_layout(edit: Callable[[Any, Any], object]) -> None:
    with pytest.raises(TypeError, match="expected a layout, got int"):
        edit(ROWS, 3)
    with pytest.raises(LeafError):
        edit((4, 2), ROWS)
    with pytest.raises(LeafError):
        edit((4, 2), None)


def test_data_must_be_the_first_coordinates() -> None:
    with pytest.raises(UnsupportedError) as error:
        group(PADDED, 0, 2)
    assert str(error.value) == (
        "the data of modes 0 to 2 of (4,2,3):(1,4,8):(3,2,2) are not the first coordinates of one mode\n"
        "  Of their sizes (4,2), (3,2) hold data: a padded mode stands below another.\n"
        "  Drop the origin shape first: Layout(layout.shape, layout.stride)."
    )
    assert (error.value.sizes, error.value.origin_shape) == ((4, 2), (3, 2))
    assert str(group(Layout(PADDED.shape, PADDED.stride), 0, 2)) == "((4,2),3):((1,4),8)"
    with pytest.raises(UnsupportedError, match=r"the data of the modes of \(4,2\):\(1,4\):\(3,2\) are"):
        append(parse("2:8"), parse("(4,2):(1,4):(3,2)"))


def test_static_and_unknown_ints_stay() -> None:
    static = parse("(_4,_2):(_1,_4)")
    for result in (group(static, 0, 2), append(static), prepend(static, upto=4), select(static, 1)):
        assert result.is_static
    assert append(Layout(_8, _1), Layout(2, 8)) == parse("(8,2):(1,8)")
    many = sym("M")
    assert str(group(Layout((many, 4), (1, many)), 0, 2)) == "((M,4)):((1,M))"
    padded = Layout((4, many), (1, 4), (4, 1))
    assert str(group(padded, 0, 2)) == "((4,M)):((1,4)):(4)"
    with pytest.raises(tla.UndecidedError, match="whether M == 1\n"):
        group(Layout((many, 4), (1, many), (1, 4)), 0, 2)
