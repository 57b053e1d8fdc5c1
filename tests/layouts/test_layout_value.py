"""Layouts as values: immutable, hashable, equal by value, copied and printed exactly."""

import copy
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from differences import OURS
from hypothesis import given

import tla
from tla import Layout, LeafError, _1, _3, _4, _8, same_static
from tla.testing import layouts, shapes

ANY = layouts(shapes(min_extent=0), min_stride=-64, padded=True)


def test_it_is_immutable() -> None:
    layout: Any = Layout((4, 8))
    for name in ("shape", "stride", "origin_shape", "_origin", "other"):
        with pytest.raises(AttributeError):
            setattr(layout, name, 1)
        with pytest.raises(AttributeError):
            delattr(layout, name)
    assert not hasattr(layout, "__dict__")
    assert layout == Layout((4, 8))


@given(ANY)
def test_copies_are_equal(layout: Any) -> None:
    assert copy.copy(layout) is copy.deepcopy(layout) is layout
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(layout, protocol))
        assert same_static(again, layout)
        assert hash(again) == hash(layout)


@given(ANY)
def test_repr_evaluates_to_the_layout(layout: Any) -> None:
    again = eval(repr(layout), OURS)
    assert same_static(again, layout)
    assert repr(again) == repr(layout)


@given(ANY)
def test_equality_is_by_value(layout: Any) -> None:
    def plain(x: Any) -> Any:
        return tla.transform_leaf(int, x)

    same: Any = Layout(plain(layout.shape), plain(layout.stride), plain(layout.origin_shape))
    assert same == layout
    assert hash(same) == hash(layout)
    assert same_static(same, layout) == (
        tla.static_mask(layout.shape) == tla.static_mask(same.shape)
        and tla.static_mask(layout.stride) == tla.static_mask(same.stride)
        and tla.static_mask(layout.origin_shape) == tla.static_mask(same.origin_shape)
    )


def test_equality_tells_apart() -> None:
    base: Any = Layout((4, 8), (8, 1))
    different: list[Any] = [
        Layout((4, 8), (1, 8)),
        Layout((8, 4), (8, 1)),
        Layout(((4,), 8), ((8,), 1)),
        Layout((4, 8), (8, 1), (4, 7)),
        ((4, 8), (8, 1)),
        "(4,8):(8,1)",
        None,
    ]
    for other in different:
        assert base != other
    assert base == Layout((_4, 8), (8, _1))
    assert base == Layout((4, 8), (8, 1), (4, 8))
    assert hash(base) == hash(Layout((4, 8), (8, 1), (4, 8)))
    assert not tla.same_static(base, ((4, 8), (8, 1)))


def test_it_is_static_where_all_of_it_is() -> None:
    assert Layout((_4, _8)).is_static
    assert Layout((_4, _8), (_8, _1), (_4, _3)).is_static
    for layout in (Layout((_4, 8)), Layout((_4, _8), (8, _1)), Layout((_4, _8), (_8, _1), (_4, 3))):
        assert not layout.is_static


def test_a_layout_is_made_once() -> None:
    layout: Any = Layout((2, 3))
    layout.__init__((5, 6))
    assert layout == Layout((2, 3))


def test_named_tuples_become_tuples() -> None:
    class Pair(NamedTuple):
        rows: int
        columns: int

    layout: Any = Layout(Pair(2, 3), Pair(3, 1))
    assert type(layout.shape) is type(layout.stride) is tuple
    assert repr(layout) == "Layout((2, 3), (3, 1))"


def test_arrays_are_no_int_tuples() -> None:
    for bad in (np.array([2, 3]), np.array([[4]])):
        with pytest.raises(LeafError, match="expected an int, got ndarray"):
            Layout(bad)
        with pytest.raises(LeafError):
            Layout((2, 3))((bad, 0))


def test_a_cache_can_tell_static_layouts_apart() -> None:
    one, other = Layout((_4, 8), (1, 4)), Layout((4, 8), (1, 4))
    assert one == other
    assert tla.static_mask(one) != tla.static_mask(other)
