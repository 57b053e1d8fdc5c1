"""Slices of a layout: the modes kept, and the offset of their first element."""

from math import prod
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import CoordinateError, Layout, LeafError, UnsupportedError, _, slice_and_offset
from tla.testing import coords_of, layouts, naive_coords, naive_size, shapes

ZN: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))


@st.composite
def slicers(draw: st.DrawFn, shape: Any) -> Any:
    """A coordinate of a shape, in which some modes are kept."""
    choices = ["keep", "int", "open"] if isinstance(shape, tuple) else ["keep", "int"]
    how = draw(st.sampled_from(choices))
    if how == "open":
        return tuple(draw(slicers(s)) for s in shape)
    return _ if how == "keep" else draw(coords_of(shape))


def put(coord: Any, parts: Any) -> Any:
    """``coord`` with the parts, in turn, at its underscores."""
    if isinstance(coord, tuple):
        return tuple(put(c, parts) for c in coord)
    return next(parts) if coord is _ else coord


def with_none(coord: Any) -> Any:
    """``coord`` as CuTe's Python DSL writes it."""
    return tuple(map(with_none, coord)) if isinstance(coord, tuple) else None if coord is _ else coord


@given(layouts(min_stride=-64), st.data())
def test_a_slice_agrees_with_its_parent(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(slicers(layout.shape).filter(tla.has_underscore))
    sliced, offset = slice_and_offset(coord, layout)
    assert sliced == layout[coord] == layout[with_none(coord)] == tla.slice_(with_none(coord), layout)
    if coord is _:
        assert (sliced, offset) == (layout, 0)
        return
    assert tla.congruent(sliced.shape, sliced.stride)
    assert sliced.shape == tla.slice_(coord, layout.shape)
    for kept in naive_coords(sliced.shape)[:50]:
        assert layout(put(coord, iter(kept))) == offset + sliced(kept)


@given(layouts(padded=True), st.data())
def test_the_origin_follows_the_data(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(slicers(layout.shape).filter(tla.has_underscore))
    if coord is _:
        return
    modes = tla.slice_(coord, layout.shape)
    boxed = tuple(map(naive_size, modes))
    valid = {at for at in naive_coords(boxed) if layout.is_valid(put(coord, iter(at)))}
    try:
        sliced: Any = layout[coord]
    except UnsupportedError:
        assert not is_box(valid)
    else:
        assert {at for at in naive_coords(boxed) if sliced.is_valid(at)} == valid
        assert tla.slice_(with_none(coord), layout).origin_shape == sliced.origin_shape


def turned(coord: Any) -> Any:
    if isinstance(coord, tuple):
        return tuple(map(turned, coord))
    return 0 if coord is _ else _


@given(layouts(padded=True), st.data())
def test_dice_has_the_modes_that_a_slice_leaves_out(layout: Any, data: st.DataObject) -> None:
    coord = data.draw(slicers(layout.shape))
    try:
        diced = tla.dice(with_none(coord), layout)
    except UnsupportedError:
        with pytest.raises(UnsupportedError):
            layout[turned(coord)]
        return
    if isinstance(coord, tuple):
        assert diced.shape == tla.dice(coord, layout.shape)
        assert diced.stride == tla.dice(coord, layout.stride)
    if tla.has_underscore(turned(coord)):
        assert diced == layout[turned(coord)]
    else:
        assert str(diced) == str(tla.slice_(turned(coord), layout)) == "():()"


def test_none_stands_for_an_underscore() -> None:
    tensor = tla.make_tensor("A", tla.row_major(8, 16))
    assert tensor[None, 3] == tensor[_, 3]
    swizzled = tla.composition(tla.Swizzle(1, 0, 2), Layout((4, 4)))
    assert swizzled[None, 1] == swizzled[_, 1] == tla.slice_((None, 1), swizzled)
    assert str(tla.slice_((1, 1), swizzled)) == "Sw<1,0,2> o 5 o ():()"
    assert str(tla.dice((None, 1), swizzled)) == "Sw<1,0,2> o _0 o (4):(4)"
    tiles = [tla.local_tile(Layout((8, 8)), (4, 2, 2), (1, 2, x), proj=(1, x, 1)) for x in (_, None)]
    assert tiles[0] == tiles[1]
    views: list[Any] = [ZN, tensor]
    for call in views:
        with pytest.raises(
            CoordinateError, match=r"\(_,3\) keeps modes.*\n  Write (layout|tensor)\[\.\.\.\]"
        ):
            call(None, 3)
    assert tla.make_coord(1, (None, 2)) == (1, (None, 2))
    assert tla.to_cpp((1, (None, 2)), kind="value") == tla.to_cpp((1, (_, 2)), kind="value")


def is_box(points: set[Any]) -> bool:
    """Whether points of one rank are all those below the greatest of them in each mode."""
    if not points:
        return True
    sides: list[int] = [1 + max(at) for at in zip(*points, strict=True)]
    return len(points) == prod(sides)


@given(layouts(shapes(static=True), static=True))
def test_slices_of_static_layouts_are_static(layout: Any) -> None:
    if isinstance(layout.shape, tuple) and layout.rank:
        sliced: Any
        sliced, offset = slice_and_offset((_,) * layout.rank, layout)
        assert tla.same_static(sliced, layout)
        assert tla.is_static(offset)


@pytest.mark.parametrize(
    ("coord", "text", "offset"),
    [
        ((_, 5), "((4,2)):((4,16))", 33),
        ((5, _), "((4,3)):((1,32))", 20),
        (((1, _), _), "(2,(4,3)):(16,(1,32))", 4),
        (((_, 1), (2, _)), "(4,3):(4,32)", 18),
        ((_, _), "((4,2),(4,3)):((4,16),(1,32))", 0),
        (_, "((4,2),(4,3)):((4,16),(1,32))", 0),
        (((_, _), 0), "(4,2):(4,16)", 0),
    ],
)
def test_slices(coord: Any, text: str, offset: int) -> None:
    sliced, first = slice_and_offset(coord, ZN)
    assert (str(sliced), first) == (text, offset)


@pytest.mark.parametrize(
    ("coord", "message"),
    [
        ((_, 12), "lies outside the shape"),
        ((-1, _), "lies outside the shape"),
        ((_,), "does not fit the shape"),
        ((_, 0, 0), "does not fit the shape"),
        ((_, (0, 0, 0)), "does not fit the shape"),
        (((_,), 0), "does not fit the shape"),
        ((1, 2), r"keeps no mode\n.*put `_`"),
        (3, "keeps no mode"),
        ((), "keeps no mode"),
    ],
)
def test_slices_that_do_not_exist(coord: Any, message: str) -> None:
    with pytest.raises(CoordinateError, match=message):
        ZN[coord]


@pytest.mark.parametrize("bad", [(_, 1.5), (_, "1"), (_, True), (_, [0])])
def test_only_ints_and_underscores_slice(bad: Any) -> None:
    with pytest.raises(LeafError):
        ZN[bad]
    with pytest.raises(CoordinateError, match="put `_` where a mode is to stay"):
        ZN[:, 3]


def test_empty_modes_may_be_kept() -> None:
    layout: Any = Layout((4, 0, 3), (1, 7, 9))
    assert slice_and_offset((2, _, _), layout) == (Layout((0, 3), (7, 9)), 2)
    with pytest.raises(CoordinateError):
        layout[_, 0, _]


# --- padding ---


PADDED: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)), (5, 10))


@pytest.mark.parametrize(
    ("coord", "text"),
    [
        ((_, 3), "((4,2)):((4,16)):(5)"),
        ((4, _), "((4,3)):((1,32)):(10)"),
        ((5, _), "((4,3)):((1,32)):(0)"),  # the row is padding
        ((_, 10), "((4,2)):((4,16)):(0)"),
        (((0, _), _), "(2,(4,3)):(16,(1,32)):(2,10)"),
        (((1, _), _), "(2,(4,3)):(16,(1,32)):(1,10)"),  # row 5 = (1, 1) is padding
        (((_, 1), 0), "(4):(4):(1)"),
        ((0, (_, 0)), "(4):(1)"),
        ((0, (_, 2)), "(4):(1):(2)"),
        ((0, (3, _)), "(3):(32):(2)"),
        ((_, _), "((4,2),(4,3)):((4,16),(1,32)):(5,10)"),
    ],
)
def test_slices_of_a_padded_layout(coord: Any, text: str) -> None:
    assert str(PADDED[coord]) == text


def test_valid_elements_that_are_no_box_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"keeps data that are not a box\n.*Drop the origin"):
        PADDED[(_, _), 0]
    whole = Layout(PADDED.shape, PADDED.stride)[(_, _), 0]
    assert str(whole) == "(4,2):(4,16)"


def test_valid_elements_that_are_a_box_after_all() -> None:
    assert PADDED[(_, _), 10].origin_shape == (0, 0)  # column 10 is padding throughout
    assert Layout(PADDED.shape, PADDED.stride, (4, 12))[(_, _), 0].origin_shape == (4, 1)
    assert Layout(PADDED.shape, PADDED.stride, (3, 12))[(_, _), 0].origin_shape == (3, 1)


@given(shapes())
def test_keeping_every_mode_changes_nothing(shape: Any) -> None:
    layout: Any = Layout((shape, 2))
    assert layout[_, _] == layout
    assert naive_size(layout[_, 1].shape) == naive_size(shape)


@pytest.mark.parametrize(
    ("shape", "coord", "mode", "reason"),
    [
        ((2, 3), (_, 3), (1,), "Mode 1 is 3"),
        ((2, 3, (4, 5)), (_, 1, (_, 7)), (2, 1), "Mode 2.1 is 7"),
    ],
)
def test_the_error_names_the_mode_of_the_layout(
    shape: Any, coord: Any, mode: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(CoordinateError, match=reason) as caught:
        Layout(shape)[coord]
    assert caught.value.mode == mode


def test_a_slice_that_keeps_no_data_keeps_none() -> None:
    layout: Any = Layout(((2, 3), (2,)), None, (5, 0))
    assert layout[(_, _), _].valid_size == 0


def test_empty_parts_of_a_padded_layout_hold_no_data() -> None:
    for shape, coord in (
        (((0, 4), 3), ((_, _), _)),
        (((0, 4), 3), ((_, 1), _)),
        (((2, 0), 3), ((_, _), 0)),
    ):
        layout: Any = Layout(shape, None, (0, 1))
        assert layout[coord].valid_size == 0


def test_make_coord_checks_each_part() -> None:
    assert tla.make_coord(1, (_, tla.Int(2))) == (1, (_, 2))
    with pytest.raises(tla.LeafError):
        tla.make_coord(1, (_, 2.0))


def test_an_int_at_a_mode_of_nested_parts() -> None:
    """The fast way does not look into such a mode; it must leave the whole slice to the other."""
    for inner in ((2, 2), tla.sym("M")):
        layout: Any = Layout((3, (2, inner), 3), (8, (1, (2, 4) if inner == (2, 2) else 2), 24))
        assert layout[_, 1, _] == Layout((3, 3), (8, 24))
    nested: Any = Layout((3, (2, (2, 2)), 3), (8, (1, (2, 4)), 24))
    assert slice_and_offset((_, 5, _), nested) == (Layout((3, 3), (8, 24)), 5)
    for outside in ((_, 8, 2), (_, 5, 3)):
        with pytest.raises(CoordinateError):
            nested[outside]
