"""Whole offset tables, with numpy and without."""

import sys
from functools import reduce
from itertools import product
from operator import getitem
from typing import Any, Final

import pytest
from hypothesis import given

import tla
from tla import E, Layout, LayoutError, LimitError, make_identity_layout, offset_lists, offsets
from tla.layouts import flatten_to_tuple
from tla.testing import layouts, naive_table, shapes

np = pytest.importorskip("numpy")

ANY = layouts(shapes(min_extent=0, max_depth=3), min_stride=-64, padded=True)


@given(ANY)
def test_both_tables_are_the_naive_one(layout: Any) -> None:
    table = naive_table(layout)
    assert offset_lists(layout) == table
    array = offsets(layout)
    assert array.tolist() == table
    assert array.dtype == np.int64
    sizes = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    assert array.shape == tuple(map(int, map(tla.size, sizes)))


def test_shapes_without_modes_or_elements() -> None:
    assert offsets(Layout((), ())).shape == ()
    assert offset_lists(Layout((), ())) == 0
    assert offsets(Layout(5, 2)).tolist() == [0, 2, 4, 6, 8]
    assert offsets(Layout((4, 0, 3))).shape == (4, 0, 3)
    assert offset_lists(Layout((2, 0))) == [[], []]


COORDINATES: Final = (
    make_identity_layout(((2, 2), 3)),
    Layout((2, 3), (E(1), E(0, 1))),
    Layout((2, (2, 2)), (0, (E(0) + 2 * E(1), -E(1)))),
    Layout(4, E(1)),
    make_identity_layout((2, 0)),
)


@pytest.mark.parametrize("layout", COORDINATES, ids=str)
def test_coordinates_lie_along_a_last_axis(layout: Any) -> None:
    table, lists = offsets(layout), offset_lists(layout)
    for at in product(*map(range, table.shape[:-1])):
        value = layout(*at)
        assert tuple(table[at]) == flatten_to_tuple(value)
        assert reduce(getitem, at, lists) == value


def test_strides_at_the_edge_of_64_bits() -> None:
    top = 2**63 - 1
    assert offsets(Layout(2, top)).tolist() == [0, top]
    assert offsets(Layout(2, -(2**63))).tolist() == [0, -(2**63)]
    assert offsets(Layout((2, 2), (2**62, -(2**62)))).tolist() == [[0, -(2**62)], [2**62, 0]]
    assert offsets(Layout((1, 2), (10**30, 3))).tolist() == [[0, 3]]  # no step is taken


@pytest.mark.parametrize(
    ("shape", "stride", "low", "high"),
    [
        (2, 2**63, 0, 2**63),
        (2, -(2**63) - 1, -(2**63) - 1, 0),
        ((2, 2), (2**62, 2**62), 0, 2**63),
        ((3, 2), (2**64, -5), -5, 2**65),
    ],
)
def test_offsets_beyond_64_bits_are_refused(shape: Any, stride: Any, low: int, high: int) -> None:
    layout: Any = Layout(shape, stride)
    with pytest.raises(LayoutError) as caught:
        offsets(layout)
    assert "do not fit in 64 bits" in caught.value.summary
    assert f"from {low} to {high}; offset_lists" in str(caught.value)
    assert caught.value.layout == layout
    assert offset_lists(layout) == naive_table(layout)


def test_empty_tables_have_no_offset_to_refuse() -> None:
    for shape in [(0, 4), (4, 0)]:
        assert offsets(Layout(shape, (10**30, 10**30))).shape == shape


def test_without_numpy_the_table_is_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    layout: Any = Layout(((2, 2), 3), ((1, 6), 2))
    table: Any = offsets(layout)
    assert table == offset_lists(layout) == naive_table(layout)


def test_a_large_table_is_the_outer_sum() -> None:
    layout: Any = tla.zN(512, 512)
    table = offsets(layout)
    assert table.shape == (512, 512)
    assert sorted(table.reshape(-1).tolist()) == list(range(512 * 512))
    assert table[17, 33] == layout(17, 33)


def test_a_table_too_large_is_refused_before_it_is_begun() -> None:
    for layout in (Layout((10**7, 10**7)), Layout((2,) * 40), Layout((1,) * 65), Layout((2**70, 0))):
        with pytest.raises((LayoutError, LimitError), match="the table of"):
            offsets(layout)
    for layout in (Layout((10**5, 10**5)), Layout((2,) * 40)):
        with pytest.raises(LimitError, match="too large"):
            offset_lists(layout)
    assert offsets(Layout((4, 8)), limit=32).size == 32
    with pytest.raises(LimitError, match="At most 31"):
        offsets(Layout((4, 8)), limit=31)


def test_an_empty_table_may_still_be_too_wide_for_numpy() -> None:
    assert offsets(Layout((0, 2**40))).shape == (0, 2**40)
    for shape in ((0, 2**62), (0, 2**40, 2**40), (2**63, 0)):
        with pytest.raises(LayoutError, match="is too large: 0 offsets"):
            offsets(Layout(shape))


def test_what_is_no_layout_is_named() -> None:
    strange: list[Any] = [(2, 3), "(2,3):(3,1)", None]
    for bad in strange:
        for table in (offsets, offset_lists):
            with pytest.raises(TypeError, match="expected a layout, got"):
                table(bad)
