"""CuTe's own Python, the module ``pycute`` of the nvidia-cutlass wheel, on random layouts.

The ``pycute`` of the package index is another package, without layouts: it is skipped.
"""

from typing import Any

import fuzz
import pytest
from differences import OURS, PEERS, WRONG, PeerDifference, PeerError, right_answers
from hypothesis import given, settings, strategies as st

import tla
from tla import DivisibilityError, _
from tla.testing import coords_of, layouts, shapes

pytest.importorskip("pycute.layout", reason="pycute comes with nvidia-cutlass, and is not installed")
pycute: Any = pytest.importorskip("pycute")

SHAPES = shapes(static=False, max_depth=3, min_rank=1)
LAYOUTS = layouts(SHAPES, static=False, min_stride=-64)


@pytest.mark.parametrize("case", [d for d in PEERS if d.system == "pycute"], ids=lambda d: d.expression)
def test_where_it_differs(case: PeerDifference) -> None:
    assert case.outcome(OURS) == case.ours
    assert case.outcome(vars(pycute)) == case.theirs


@pytest.mark.parametrize("case", [c for c in WRONG if c.pycute], ids=lambda c: c.expression)
def test_where_it_is_wrong(case: PeerError) -> None:
    assert case.outcome(vars(pycute)) == case.pycute


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


# --- the algebra ------------------------------------------------------------------------------

COUNT = 150
SAME = [
    "coalesce",
    "coalesce by mode",
    "composition",
    "complement",
    *(f"{kind}_{what}" for kind in ("logical", "zipped", "tiled") for what in ("divide", "product")),
]


def cases_of(name: str) -> list[Any]:
    cases = list(right_answers(name, vars(pycute), pycute.Layout, COUNT))
    assert len(cases) > COUNT // 3
    return cases


@pytest.mark.parametrize("name", SAME)
def test_same_where_it_is_right(name: str) -> None:
    """The same modes; the strides of modes of size 1, or of none at all, are convention."""
    for args, theirs in cases_of(name):
        ours = getattr(tla, fuzz.OPS[name].calls)(*args)
        assert ours.shape == theirs.shape, args
        assert tla.same_function(ours, theirs), args


@pytest.mark.parametrize("name", ["right_inverse", "left_inverse"])
def test_an_inverse_wherever_it_has_one(name: str) -> None:
    """Where there are several inverses ours may be another."""
    for args, _theirs in cases_of(name):
        assert fuzz.OPS[name].truth(*args).fault(getattr(tla, name)(*args)) == ""


@settings(max_examples=40)
@given(layouts(SHAPES, static=False, max_stride=20))
def test_the_default_range_of_a_complement(layout: Any) -> None:
    """It is 1 there, and here the cosize of the modes that move, which comes to the same."""
    try:
        ours = tla.complement(layout)
    except tla.OverlapError:
        return
    theirs = pycute.complement(pycute.Layout(layout.shape, layout.stride))
    assert (ours.shape, ours.stride) == (theirs.shape, theirs.stride)


@settings(max_examples=40)
@given(layouts(SHAPES, static=False, min_stride=-9))
def test_filter(layout: Any) -> None:
    theirs = pycute.filter(pycute.Layout(layout.shape, layout.stride))
    ours = tla.filter(layout)
    assert (ours.shape, ours.stride) == (theirs.shape, theirs.stride)
