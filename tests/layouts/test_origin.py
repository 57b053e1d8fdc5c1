"""Origin shapes: what holds data where a shape is rounded up to blocks."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import CongruenceError, CoordinateError, Layout, LayoutError, _4, _8, same_static, zN
from tla.layouts.coord import mode_indices
from tla.testing import coords_of, layouts, naive_coords, naive_offset, naive_size, shapes

PADDED: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)), (5, 10))

any_padded = layouts(shapes(min_extent=0), min_stride=-64, padded=True)


def sizes_of(shape: Any) -> tuple[int, ...]:
    """The size of each top-level mode, one for a bare int."""
    return tuple(map(naive_size, shape)) if isinstance(shape, tuple) else (naive_size(shape),)


def places(layout: Any) -> list[tuple[int, ...]]:
    """The index in each top-level mode, for all coordinates in order."""
    return naive_coords(sizes_of(layout.shape))


# --- construction ---


@given(shapes(min_extent=0))
def test_by_default_every_coordinate_holds_data(shape: Any) -> None:
    layout: Any = Layout(shape)
    assert layout.origin_shape == (sizes_of(shape) if isinstance(shape, tuple) else shape)
    assert layout.valid_size == layout.size
    assert not layout.is_padded
    explicit: Any = Layout(shape, layout.stride, layout.origin_shape)
    assert same_static(explicit, layout)
    assert str(explicit) == str(layout)


def test_a_default_origin_is_as_static_as_its_mode() -> None:
    layout: Any = Layout(((_4, _8), (_4, 3)))
    assert same_static(layout.origin_shape, (tla.Int(32), 12))


@pytest.mark.parametrize("origin", [5, (5,), (5, 10, 1), ((4, 1), 10), ((5,), 10), ()])
def test_it_has_one_int_for_each_mode(origin: Any) -> None:
    with pytest.raises(
        CongruenceError, match=r"does not fit the shape .*\n.*one int for each top-level"
    ):
        Layout(PADDED.shape, PADDED.stride, origin)


@pytest.mark.parametrize("origin", [(9, 10), (5, 13), (-1, 10), (5, -2)])
def test_it_lies_in_the_shape(origin: Any) -> None:
    with pytest.raises(LayoutError, match="does not lie in the shape") as caught:
        Layout(PADDED.shape, PADDED.stride, origin)
    assert caught.value.origin_shape == origin


def test_it_prints_only_where_it_differs() -> None:
    assert str(PADDED) == "((4,2),(4,3)):((4,16),(1,32)):(5,10)"
    assert str(Layout((4, 8), (8, 1), (4, 8))) == "(4,8):(8,1)"
    assert repr(Layout(8, 1, 5)) == "Layout(8, 1, 5)"


# --- what holds data ---


@given(any_padded)
def test_valid_coordinates_are_the_first_of_each_mode(layout: Any) -> None:
    bounds = layout.origin_shape if isinstance(layout.shape, tuple) else (layout.origin_shape,)
    count = 0
    for index, (at, coord) in enumerate(zip(places(layout), naive_coords(layout.shape), strict=True)):
        wanted = all(i < n for i, n in zip(at, bounds, strict=True))
        assert layout.is_valid(index) == layout.is_valid(coord) == wanted
        count += wanted
    assert layout.valid_size == count
    assert layout.is_padded == (count < layout.size) or layout.size == 0


@given(any_padded, st.data())
def test_every_form_of_a_coordinate_is_as_valid(layout: Any, data: st.DataObject) -> None:
    if naive_size(layout.shape):
        coord = data.draw(coords_of(layout.shape))
        natural = tla.idx2crd(coord, layout.shape)
        assert layout.is_valid(coord) == layout.is_valid(natural)
        assert mode_indices(coord, layout.shape) == mode_indices(natural, layout.shape)


def test_is_valid() -> None:
    assert PADDED.is_valid(4, 9)
    assert PADDED.is_valid((0, 1), (1, 2))
    assert not PADDED.is_valid(5, 0)
    assert not PADDED.is_valid((1, 1), 0)
    for outside in [(8, 0), (0, 12), (-1, 0), 96, -1]:
        assert not PADDED.is_valid(outside)
    for misfit in [(0,), (0, 0, 0), ((0, 0, 0), 0), (0, ((0, 0), 0))]:
        with pytest.raises(CoordinateError, match="does not fit"):
            PADDED.is_valid(misfit)
    for bad in [True, 1.5, "1", None]:
        with pytest.raises(TypeError):
            PADDED.is_valid(bad)


def test_sizes_speak_of_the_shape() -> None:
    assert (PADDED.size, PADDED.cosize, PADDED.valid_size) == (96, 96, 50)


# --- trimming ---


@given(any_padded)
def test_trimming_keeps_every_valid_offset(layout: Any) -> None:
    trimmed = layout.trimmed()
    assert trimmed.origin_shape == layout.origin_shape
    assert trimmed.valid_size == layout.valid_size
    assert trimmed.size <= layout.size
    for at in places(layout):
        coord = at if isinstance(layout.shape, tuple) else at[0]
        assert trimmed.is_valid(coord) == layout.is_valid(coord)
        if layout.is_valid(coord):
            assert trimmed(coord) == naive_offset(layout, coord)
    assert trimmed.trimmed() == trimmed


@given(layouts())
def test_trimming_leaves_a_layout_without_padding_alone(layout: Any) -> None:
    assert layout.trimmed() is layout


@given(layouts(shapes(static=True), padded=True, static=True))
def test_trimming_keeps_static_layouts_static(layout: Any) -> None:
    assert layout.trimmed().is_static


@given(layouts(shapes(static=False), padded=True, static=False))
def test_trimming_makes_no_dynamic_int_static(layout: Any) -> None:
    trimmed = layout.trimmed()
    assert not any(map(tla.is_static, tla.flatten_to_tuple((trimmed.shape, trimmed.stride))))


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [
        ("((2,4),(4,2)):((4,16),(1,32)):(5,3)", "((2,3),3):((4,16),1):(5,3)"),
        ("((_2,_4),_8):((_4,_16),_1):(_8,_5)", "((_2,_4),_5):((_4,_16),_1)"),
        ("((2,4),8):((4,16),1):(4,8)", "((2,2),8):((4,16),1)"),
        ("((2,4),8):((4,16),1):(2,8)", "(2,8):(4,1)"),
        ("((2,(2,2)),8):((1,(2,4)),8):(7,8)", "((2,(2,2)),8):((1,(2,4)),8):(7,8)"),
        ("((2,(2,2)),8):((1,(2,4)),8):(5,8)", "((2,(2,2)),8):((1,(2,4)),8):(5,8)"),
        ("((2,(2,2)),8):((1,(2,4)),8):(3,8)", "((2,2),8):((1,2),8):(3,8)"),
        ("8:3:5", "5:3"),
        ("((2,2),3):((3,6),1):(1,3)", "(1,3):(0,1)"),
        ("(_4,_3):(_3,_1):(_1,_3)", "(_1,_3):(_0,_1)"),
    ],
)
def test_trimmed(text: str, trimmed: str) -> None:
    assert str(tla.parse(text).trimmed()) == trimmed


def test_nothing_valid_trims_to_nothing() -> None:
    layout: Any = Layout(((2, 4), 8), ((4, 16), 1), (0, 8))
    assert layout.trimmed().size == 0
    assert layout.trimmed().valid_size == 0


def test_fractal_padding() -> None:
    layout: Any = zN(20, 48)
    assert (layout.size, layout.valid_size) == (32 * 48, 20 * 48)
    assert str(layout.trimmed()) == "((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)"
    assert str(zN(10, 10).trimmed()) == "(10,10):(_16,_1)"


def test_data_that_do_not_fill_the_shape_tell_layouts_apart() -> None:
    assert Layout(8, 1, 5) != Layout(8, 1)
    assert Layout(8, 1) != Layout(8, 1, 5)
    assert Layout(8, 1, 5) != Layout(8, 1, 4)
    assert Layout(8, 1, 8) == Layout(8, 1)
