"""Domains: a layout shifted, indices of a shape shared out, and the indices that go to 0."""

from math import gcd
from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows, value

import tla
from tla import CoordinateError, Layout, LayoutError, LeafError, UndecidedError, _, _6, parse
from tla.algebra.domain import common_divisor, domain_distribute, domain_offset, nullspace
from tla.numbers import evaluate, sym
from tla.testing import (
    layouts,
    naive_coords,
    naive_offset,
    naive_offsets,
    naive_size,
    shapes,
)

FILE = "layout_algebra.jsonl"
SMALL = shapes(max_size=36)


def layout_of(pair: Any) -> Any:
    return Layout(*map(value, pair))


# --- offset -----------------------------------------------------------------------------------


@given(layouts(SMALL, min_stride=-20, padded=True), st.data())
def test_law_of_domain_offset(layout: Any, data: st.DataObject) -> None:
    coords = naive_coords(layout.shape)
    at = data.draw(st.sampled_from(coords))
    moved, offset = domain_offset(at, layout)
    assert (moved.shape, moved.stride, moved.is_padded) == (layout.shape, layout.stride, False)
    for c in coords:
        both = tla.transform_leaf(lambda i, j: i + j, at, c)
        if both in coords:
            assert offset + naive_offset(moved, c) == naive_offset(layout, both)
    assert domain_offset(coords.index(at), layout)[1] == offset


def test_what_domain_offset_does_not_take() -> None:
    with pytest.raises(CoordinateError, match=r"coordinate \(9,0\) lies outside the shape \(4,2\)"):
        domain_offset((9, 0), Layout((4, 2)))
    with pytest.raises(CoordinateError, match="keeps modes"):
        domain_offset((_, 0), Layout((4, 2)))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="expected a layout"):
        domain_offset(Layout((4, 2)), (1, 0))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    many = sym("M")
    assert evaluate(domain_offset((many, 1), Layout((many + 1, 2), (3, 1)))[1], {"M": 4}) == 13


# --- distribute -------------------------------------------------------------------------------


@given(shapes(max_size=96), st.integers(1, 100))
def test_laws_of_domain_distribute(shape: Any, n: int) -> None:
    result = domain_distribute(shape, n)
    assert result == domain_distribute(Layout(shape), n) == tla.coalesce(result)
    indices = naive_offsets(result)
    assert len(indices) == gcd(naive_size(shape), n)  # all that could be hoped for
    assert indices[0] == 0
    assert indices == sorted(set(indices))
    assert indices[-1] < naive_size(shape)
    assert tla.evenly_divides(n, result.size)
    # along each mode it takes the first coordinates, as many as divide the extent
    coords = [tla.flatten_to_tuple(tla.idx2crd(i, shape)) for i in indices]
    for extent, taken in zip(tla.flatten_to_tuple(shape), zip(*coords, strict=True), strict=True):
        assert sorted(set(taken)) == list(range(max(taken) + 1))
        assert extent % (max(taken) + 1) == 0


@given(layouts(shapes(max_size=48), min_stride=-5, max_stride=60), st.integers(1, 50))
def test_what_is_distributed_composes_with_every_layout(layout: Any, n: int) -> None:
    taken = domain_distribute(layout, n)
    composed = tla.composition(layout, taken)
    table = naive_offsets(layout)
    assert naive_offsets(composed) == [table[i] for i in naive_offsets(taken)]


@pytest.mark.parametrize(
    ("shape", "n", "expected"),
    [
        ((15, 14), 6, "(3,2):(1,15)"),  # the example of layout.hpp
        ((4, 6), 12, "12:1"),
        ((4, (6, 9)), 7, "1:0"),
        ((6, 4), 4, "(2,2):(1,6)"),
        (24, 24, "24:1"),
        ((), 5, "1:0"),
        ((_6, _6), _6, "_6:_1"),
        ((_6, 6), _6, "_6:1"),
    ],
)
def test_domain_distribute(shape: Any, n: int, expected: str) -> None:
    result = domain_distribute(shape, n)
    assert str(result).replace("_", "") == expected.replace("_", "")
    assert result.is_static is (tla.is_static((shape, n)) or shape == ())


def test_what_domain_distribute_does_not_take() -> None:
    with pytest.raises(LayoutError, match="cannot share out 0 coordinates\n  There is at least one"):
        domain_distribute((4, 2), 0)
    with pytest.raises(LayoutError, match=r"the shape \(4,0\) has no coordinates to share out"):
        domain_distribute((4, 0), 2)
    with pytest.raises(LayoutError, match="negative"):
        domain_distribute((4, -2), 2)
    for bad in (1.0, True, "4", None):
        with pytest.raises(LeafError):
            domain_distribute((4, 2), bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        with pytest.raises(LeafError):
            domain_distribute((4, bad), 2)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    many = sym("M", divisible_by=16)
    assert str(domain_distribute((many, 3), 8)).replace("_", "") == "8:1"
    assert domain_distribute((3, many), 48).bind(M=16).shape == 48
    with pytest.raises(UndecidedError):
        domain_distribute((many, 3), 7)


def test_common_divisor() -> None:
    assert (common_divisor(12, 18), common_divisor(6, 18), common_divisor(18, 6)) == (6, 6, 6)
    assert tla.is_static(common_divisor(_6, _6))
    assert not tla.is_static(common_divisor(_6, 6))


# --- nullspace --------------------------------------------------------------------------------


def test_oracle() -> None:
    for row in rows(FILE, "nullspace"):
        assert nullspace(layout_of(row["inputs"]["A"])) == layout_of(row["layout"]), row


@given(layouts(SMALL, min_stride=0, max_stride=3))
def test_laws_of_nullspace(layout: Any) -> None:
    result = nullspace(layout)
    zeros = [i for i, offset in enumerate(naive_offsets(layout)) if offset == 0]
    assert naive_offsets(result) == zeros  # strides of one sign do not cancel
    assert result.size * tla.filter_zeros(layout).size == layout.size
    assert str(nullspace(result)).replace("_", "") == "1:0"


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("(4,2):(1,4)", "1:0"),
        ("(2,((2,4),4)):(2,((0,0),16))", "(2,4):(2,4)"),
        ("(1,4):(0,1)", "1:0"),
        ("(1,4,3):(0,0,1)", "4:1"),
        ("(2,2):(1,-1)", "1:0"),
        ("(4,0):(0,1)", "0:0"),
        ("(_2,_4):(_0,_1)", "_2:_1"),
        ("(_2,_4):(_1,_2)", "_1:_0"),
        ("(2,4):(0,1)", "2:1"),
        ("():()", "_1:_0"),
    ],
)
def test_nullspace(layout: str, expected: str) -> None:
    assert str(nullspace(parse(layout))) == expected


def test_nullspace_of_unknowns() -> None:
    many = sym("M")
    assert nullspace(Layout((many, 3), (1, 0))).bind(M=7).stride == 7
    with pytest.raises(UndecidedError, match="depends on whether M > 0\n"):
        nullspace(Layout((4, 3), (1, sym("M", min=0))))
    with pytest.raises(TypeError, match="expected a layout"):
        nullspace((4, 2))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
