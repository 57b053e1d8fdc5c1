"""CuTe's own Python, the module ``pycute`` of the nvidia-cutlass wheel, on random layouts.

The ``pycute`` of the package index is another package, without layouts: it is skipped.
"""

from typing import Any

import pytest
from differences import PEERS, PeerDifference
from hypothesis import given
from hypothesis import strategies as st

import tla
from tla import DivisibilityError, _
from tla.testing import coords_of, layouts, shapes

pytest.importorskip("pycute.layout", reason="pycute comes with nvidia-cutlass, and is not installed")
pycute: Any = pytest.importorskip("pycute")

SHAPES = shapes(static=False, max_depth=3, min_rank=1)
LAYOUTS = layouts(SHAPES, static=False, min_stride=-64)


@pytest.mark.parametrize("case", [d for d in PEERS if d.system == "pycute"], ids=lambda d: d.expression)
def test_where_it_differs(case: PeerDifference) -> None:
    assert case.outcome(vars(tla)) == case.ours
    assert case.outcome(vars(pycute)) == case.theirs


@given(LAYOUTS, st.data())
def test_function_and_size(layout: Any, data: st.DataObject) -> None:
    theirs = pycute.Layout(layout.shape, layout.stride)
    coord = data.draw(coords_of(layout.shape))
    assert layout.size == theirs.size()
    assert layout(coord) == theirs(coord)
    assert layout(coord) == pycute.crd2idx(coord, layout.shape, layout.stride)
    assert tla.crd2idx(coord, layout.shape) == pycute.crd2idx(coord, layout.shape)


@given(layouts(SHAPES, static=False))
def test_cosize_of_forward_layouts(layout: Any) -> None:
    assert layout.cosize == pycute.Layout(layout.shape, layout.stride).cosize()


@given(layouts(SHAPES, static=False), st.integers(0, 300))
def test_extended(layout: Any, index: int) -> None:
    assert layout.extended(index) == pycute.Layout(layout.shape, layout.stride)(index)


@given(SHAPES, st.data())
def test_idx2crd(shape: Any, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, tla.size(shape) - 1))
    assert tla.idx2crd(index, shape) == pycute.idx2crd(index, shape)
    assert tla.compact_col_major(shape) == pycute.prefix_product(shape)


@given(layouts(SHAPES.filter(lambda s: isinstance(s, tuple)), static=False), st.data())
def test_slices(layout: Any, data: st.DataObject) -> None:
    ints = [data.draw(coords_of(mode) | st.none()) for mode in layout.shape]
    if None not in ints:
        ints[0] = None
    coord = tuple(_ if c is None else c for c in ints)
    sliced, offset = tla.slice_and_offset(coord, layout)
    theirs, their_offset = pycute.slice_and_offset(
        tuple(ints), pycute.Layout(layout.shape, layout.stride)
    )
    assert (sliced.shape, sliced.stride, offset) == (theirs.shape, theirs.stride, their_offset)
    assert tla.slice_(coord, layout.shape) == pycute.slice_(tuple(ints), layout.shape)


@given(SHAPES, st.integers(1, 24))
def test_shape_div(shape: Any, divisor: int) -> None:
    try:
        ours = tla.shape_div(shape, divisor)
    except DivisibilityError:
        with pytest.raises(AssertionError):
            pycute.shape_div(shape, divisor)
    else:
        assert ours == pycute.shape_div(shape, divisor)


@given(SHAPES, st.data())
def test_products(shape: Any, data: st.DataObject) -> None:
    other = tla.transform_leaf(lambda _n: data.draw(st.integers(-9, 9)), shape)
    assert tla.product(shape) == pycute.product(shape)
    assert tla.inner_product(shape, other) == pycute.inner_product(shape, other)
    assert tla.elem_scale(other, shape) == pycute.elem_scale(other, shape)
    assert tla.flatten_to_tuple(shape) == pycute.flatten(shape)
