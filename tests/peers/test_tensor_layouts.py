"""The tensor-layouts package on random layouts."""

from typing import Any

import fuzz
import pytest
from differences import LEVEL, OURS, PEERS, WRONG, PeerDifference, PeerError, right_answers
from hypothesis import given, settings, strategies as st

import tla
from tla import DivisibilityError, _
from tla.testing import coords_of, layouts, shapes

peer: Any = pytest.importorskip("tensor_layouts", reason="tensor-layouts is not installed")

SHAPES = shapes(static=False, max_depth=3, min_rank=1)
LAYOUTS = layouts(SHAPES, static=False, min_stride=-64)
THEIRS = {**vars(peer), "composition": peer.compose}
CASES = [d for d in PEERS if d.system == "tensor_layouts"]


@pytest.mark.parametrize("case", CASES, ids=lambda d: d.expression)
def test_where_it_differs(case: PeerDifference) -> None:
    assert case.outcome(OURS) == case.ours
    assert case.outcome(THEIRS) == case.theirs


@pytest.mark.parametrize("case", [c for c in WRONG if c.tensor_layouts], ids=lambda c: c.expression)
def test_where_it_is_wrong(case: PeerError) -> None:
    assert case.outcome(THEIRS) == case.tensor_layouts


@given(LAYOUTS, st.data())
def test_function_and_sizes(layout: Any, data: st.DataObject) -> None:
    theirs = peer.Layout(layout.shape, layout.stride)
    coord = data.draw(coords_of(layout.shape))
    assert (layout.size, layout.cosize) == (peer.size(theirs), peer.cosize(theirs))
    assert layout(coord) == theirs(coord)
    assert layout(coord) == peer.crd2offset(coord, layout.shape, layout.stride)
    assert tla.crd2idx(coord, layout.shape) == peer.crd2idx(coord, layout.shape)
    assert tla.idx2crd(coord, layout.shape) == peer.idx2crd(coord, layout.shape)


@given(shapes(static=False, max_depth=3, min_rank=1, min_extent=2))
def test_compact_strides(shape: Any) -> None:
    assert tla.compact_col_major(shape) == peer.compute_col_major_strides(shape)
    assert tla.compact_row_major(shape) == peer.compute_row_major_strides(shape)
    assert tla.Layout(shape).stride == peer.Layout(shape).stride


@given(layouts(SHAPES.filter(lambda s: isinstance(s, tuple)), static=False), st.data())
def test_slices(layout: Any, data: st.DataObject) -> None:
    ints = [data.draw(coords_of(mode) | st.none()) for mode in layout.shape]
    if None not in ints:
        ints[0] = None
    sliced, offset = tla.slice_and_offset(tuple(_ if c is None else c for c in ints), layout)
    theirs, their_offset = peer.slice_and_offset(tuple(ints), peer.Layout(layout.shape, layout.stride))
    assert offset == their_offset
    # up to the level that the next test is about
    assert tla.unwrap(sliced.shape) == tla.unwrap(theirs.shape)
    assert tla.unwrap(sliced.stride) == tla.unwrap(theirs.stride)


def test_a_slice_that_loses_a_level() -> None:
    layout = peer.Layout((2, (25,), 1), (1, (2,), 50))
    assert peer.slice_and_offset((0, None, 0), layout)[0].shape == (25,), LEVEL
    assert tla.parse("(2,(25),1):(1,(2),50)")[0, _, 0].shape == ((25,),)


@given(SHAPES, st.integers(1, 24))
def test_shape_div(shape: Any, divisor: int) -> None:
    try:
        ours = tla.shape_div(shape, divisor)
    except DivisibilityError:
        with pytest.raises(ValueError, match="one must divide the other"):
            peer.shape_div(shape, divisor)
    else:
        assert ours == peer.shape_div(shape, divisor)


@given(SHAPES, SHAPES)
def test_predicates(a: Any, b: Any) -> None:
    assert tla.congruent(a, b) == peer.congruent(a, b)
    assert tla.weakly_congruent(a, b) == peer.weakly_congruent(a, b)
    assert not tla.compatible(a, b) or peer.compatible(a, b)
    assert tla.depth(a) == peer.depth(a)


# --- the algebra ------------------------------------------------------------------------------

COUNT = 150
SAME = ["coalesce", "composition", "complement", "logical_product"]
GATHERED = ["zipped_product", "tiled_product", "flat_product", "flat_divide"]


@pytest.mark.parametrize("name", [*SAME, *GATHERED, "logical_divide", "raked_product"])
def test_same_where_it_is_right(name: str) -> None:
    """The same function; the same modes too, but where a tile of one mode loses its level."""
    cases = list(right_answers(name, THEIRS, peer.Layout, COUNT))
    assert len(cases) > COUNT // 5
    for args, theirs in cases:
        ours = getattr(tla, fuzz.OPS[name].calls)(*args)
        assert tla.same_function(ours, theirs), args
        assert name not in SAME or ours.shape == theirs.shape, args


@pytest.mark.parametrize("name", ["right_inverse", "left_inverse"])
def test_an_inverse_wherever_it_has_one(name: str) -> None:
    """Where there are several inverses ours may be another."""
    cases = list(right_answers(name, THEIRS, peer.Layout, COUNT))
    assert len(cases) > COUNT // 3
    for args, _theirs in cases:
        assert fuzz.OPS[name].truth(*args).fault(getattr(tla, name)(*args)) == ""


@settings(max_examples=40)
@given(SHAPES, st.data())
def test_max_common_vector(shape: Any, data: st.DataObject) -> None:
    a, b = (data.draw(layouts(st.just(shape), compact=True, static=False)) for _layout in range(2))
    theirs = peer.max_common_vector(*(peer.Layout(x.shape, x.stride) for x in (a, b)))
    assert tla.max_common_vector(a, b) == theirs
