"""The strategies draw what they say, and everything they say; the naive truths are right by hand."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings, strategies as st
from hypothesis.errors import NoSuchExample

import tla
from tla import Int, Layout, is_static
from tla.testing import (
    coords_of,
    int_tuples,
    layouts,
    naive_coords,
    naive_offset,
    naive_offsets,
    naive_size,
    naive_table,
    shapes,
)

ZN: Any = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))


def leaves(x: Any) -> tuple[Any, ...]:
    return tla.flatten_to_tuple(x)


QUICK = settings(max_examples=1000, database=None, derandomize=True, phases=[Phase.generate])


def can_draw(strategy: st.SearchStrategy[Any], what: Any) -> bool:
    """Whether a strategy comes to draw a value of the kind described."""
    try:
        find(strategy, what, settings=QUICK)
    except NoSuchExample:
        return False
    return True


# --- truths, by hand ---


def test_naive_truths() -> None:
    assert naive_size(((4, 2), (4, 3))) == 96
    assert (naive_size(()), naive_size((4, 0)), naive_size(5)) == (1, 0, 5)
    assert naive_coords((2, 3)) == [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
    assert (naive_coords(()), naive_coords((4, 0)), naive_coords(2)) == ([()], [], [0, 1])
    assert [naive_offset(ZN, c) for c in (41, (1, 5), (1, (1, 1)), ((1, 0), (1, 1)))] == [37] * 4
    assert naive_offsets(Layout((2, 2), (10, -1))) == [0, 10, -1, 9]
    assert naive_table(Layout(3, 7)) == [0, 7, 14]
    assert naive_table(Layout((), ())) == 0
    assert naive_table(Layout((2, 1, 2), (1, 9, 5))) == [[[0, 5]], [[1, 6]]]


@pytest.mark.parametrize("coord", [96, -1, (8, 0), (0, -1), ((4, 0), 0)])
def test_naive_offset_knows_its_domain(coord: Any) -> None:
    with pytest.raises(IndexError, match="is no coordinate of"):
        naive_offset(ZN, coord)


# --- strategies ---


@given(int_tuples(st.integers(5, 9), max_rank=2, max_depth=1))
def test_int_tuples_stay_in_their_bounds(x: Any) -> None:
    assert tla.depth(x) <= 1
    assert tla.rank(x) <= 2
    assert all(5 <= i <= 9 for i in leaves(x))


@given(shapes(max_size=30, min_extent=2, max_rank=2, max_depth=3))
def test_shapes_stay_in_their_bounds(shape: Any) -> None:
    assert naive_size(shape) <= 30
    assert all(n >= 2 for n in leaves(shape))
    assert tla.depth(shape) <= 3


@given(layouts(padded=True, min_stride=-5, max_stride=5, static=True))
def test_layouts_are_legal(layout: Any) -> None:
    assert tla.congruent(layout.shape, layout.stride)
    assert layout.size <= 64
    assert layout.is_static


@given(shapes(min_extent=0), st.data())
def test_coordinates_lie_in_their_shape(shape: Any, data: st.DataObject) -> None:
    if naive_size(shape):
        coord = data.draw(coords_of(shape, static=None))
        assert 0 <= tla.crd2idx(coord, shape) < naive_size(shape)


def test_an_empty_shape_has_no_coordinate_to_draw() -> None:
    assert coords_of((4, 0)).is_empty


@pytest.mark.parametrize(
    "what",
    [
        lambda s: s == (),
        lambda s: isinstance(s, int),
        lambda s: tla.depth(s) == 2 and len(leaves(s)) >= 4,
        lambda s: naive_size(s) >= 32 and len(leaves(s)) >= 3,
        lambda s: 0 in leaves(s),
        lambda s: leaves(s).count(1) >= 2,
        lambda s: len({type(i) for i in leaves(s)}) == 2,
    ],
)
def test_shapes_of_every_kind_are_drawn(what: Any) -> None:
    assert can_draw(shapes(min_extent=0), what)


@pytest.mark.parametrize(
    "what",
    [
        lambda x: min(leaves(x.stride), default=0) < 0,
        lambda x: 0 in leaves(x.stride),
        lambda x: len(set(naive_offsets(x))) == x.size == x.cosize > 8,
        lambda x: len(set(naive_offsets(x))) < x.size,
        lambda x: x.is_padded and x.valid_size > 1,
        lambda x: x.valid_size == 0,
        lambda x: is_static(x.shape) and not is_static(x.stride),
    ],
)
def test_layouts_of_every_kind_are_drawn(what: Any) -> None:
    assert can_draw(layouts(min_stride=-64, padded=True), what)


@pytest.mark.parametrize(
    "form",
    [
        0,
        (0, 0),
        ((0, 0), 0),
        (0, (0, 0)),
        ((0, 0), (0, 0)),
    ],
)
def test_coordinates_of_every_form_are_drawn(form: Any) -> None:
    assert can_draw(coords_of(ZN.shape), lambda coord: tla.congruent(coord, form))


def test_nothing_else_loads_hypothesis() -> None:
    code = "import sys, tla, tla.cli, tla.read; sys.exit('hypothesis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(shapes(static=False), shapes(static=True))
def test_static_ints_are_drawn_where_asked(dynamic: Any, static: Any) -> None:
    assert not any(type(i) is Int for i in leaves(dynamic))
    assert is_static(static)
