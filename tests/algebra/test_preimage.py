"""Every coordinate of an offset."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import Layout, LeafError, NotALayoutError, UndecidedError, UnsupportedError, parse
from tla.algebra.preimage import preimage
from tla.layouts.coord import coords
from tla.testing import layouts, naive_offsets

STRIDES = st.sampled_from([-6, -3, -1, 0, 1, 2, 3, 4, 5, 6, 8, 12])


@st.composite
def any_strides(draw: st.DrawFn) -> Any:
    """Layouts whose modes overlap, interleave, run backwards or stand still."""
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    return Layout(tuple(shape), tuple(draw(STRIDES) for _n in shape))


def check(layout: Any) -> None:
    offsets = naive_offsets(layout)
    places = list(coords(layout.shape))
    ends = (min(offsets), max(offsets)) if offsets else (0, 0)
    for offset in range(ends[0] - 2, ends[1] + 3):
        found = list(preimage(layout, offset))
        assert len(set(found)) == len(found)
        assert set(found) == {c for c, at in zip(places, offsets, strict=True) if at == offset}


@given(any_strides())
def test_it_is_every_coordinate_of_the_offset(layout: Any) -> None:
    check(layout)


@given(layouts())
def test_nested_layouts(layout: Any) -> None:
    if naive_offsets(layout) and max(naive_offsets(layout)) > 2000:
        return
    check(layout)


def test_a_large_layout_takes_few_steps() -> None:
    layout = parse("(8,1,(2,4,160),(128,128)):(20971520,0,(1,256,131072),(2,1024))")
    for coord in [(7, 0, (1, 3, 159), (127, 127)), (3, 0, (0, 2, 77), (5, 100))]:
        assert list(preimage(layout, layout(coord))) == [coord]
    assert list(preimage(layout, layout.cosize)) == []


def test_a_broadcast_is_walked_as_far_as_asked() -> None:
    layout = Layout((10**12, 3), (0, 1))
    assert list(islice(preimage(layout, 2), 3)) == [(0, 2), (1, 2), (2, 2)]


def test_a_search_that_takes_too_long_says_so() -> None:
    strides = tuple(10**9 + i * i for i in range(60))  # which of them add up to the offset?
    layout = Layout((2,) * 60, strides)
    offset = sum(strides[:30]) - 1
    with pytest.raises(UndecidedError, match="was not decided") as caught:
        list(preimage(layout, offset))
    assert caught.value.offset == offset


def test_a_layout_without_modes() -> None:
    assert list(preimage(Layout((), ()), 0)) == [()]
    assert list(preimage(Layout((), ()), 1)) == []


def test_what_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="depend on unknowns"):
        list(preimage(parse("(M,4):(4,1)"), 3))
    with pytest.raises(UnsupportedError, match="depend on unknowns"):
        list(preimage(parse("(3,4):(4,1)"), parse("M")))
    bad: Any = "(3,4)"
    with pytest.raises(NotALayoutError):
        list(preimage(bad, 3))
    with pytest.raises(LeafError):
        list(preimage(parse("(3,4):(4,1)"), 1.5))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
