"""The offset as a function: digits in one form, layouts over combined coordinates, what is left open."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from tla import CoordinateError, UndecidedError
from tla.ground.limits import limit_of
from tla.xla_bridge import XlaShape, combined_layout, physical_offset, to_layout
from tla.xla_bridge.digits import (
    Break,
    difference_of,
    digits_of,
    join_digits,
    read_digits,
    split_digits,
    value_at,
)
from tla.xla_bridge.functions import NoDigits, OpenDims, TiledFunction

from .rows import TILED, array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from tla.xla_bridge.digits import Digits

PARTS = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 12)), max_size=4)


def function(shape: XlaShape) -> TiledFunction:
    return TiledFunction(shape.dimensions, shape.major_to_minor, shape.tiles)


def naive(parts: list[tuple[int, int]], i: int) -> int:
    """The function of digits; the last one is not reduced."""
    total = 0
    for k, (n, d) in enumerate(parts):
        total += (i % n if k < len(parts) - 1 else i) * d
        i //= n
    return total


# --- digits of one index ---


@given(PARTS, st.integers(1, 40))
def test_one_form_for_each_function(parts: list[tuple[int, int]], extent: int) -> None:
    digits = digits_of(parts, extent)
    values = [naive(parts, i) if parts else 0 for i in range(extent)]
    if extent <= prod(n for n, _d in parts):
        assert [value_at(digits, i) for i in range(extent)] == values
        assert read_digits(values) == digits
    assert all(n > 1 for n, _d in digits)


@given(PARTS, PARTS, st.integers(1, 40))
def test_the_first_difference(a: list[tuple[int, int]], b: list[tuple[int, int]], extent: int) -> None:
    one, other = digits_of([*a, (extent, 7)], extent), digits_of([*b, (extent, 7)], extent)
    first = next((i for i in range(extent) if value_at(one, i) != value_at(other, i)), None)
    assert difference_of(one, other) == first


@given(st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_values_are_digits_or_break(values: list[int]) -> None:
    values[0] = 0
    found = read_digits(values)
    if isinstance(found, Break):
        assert found.low + found.high == found.at
        assert values[found.at] != values[found.low] + values[found.high]
    else:
        assert [value_at(found, i) for i in range(len(values))] == values


@given(PARTS, PARTS, st.integers(1, 9), st.integers(1, 40))
def test_joined_is_low_and_high(
    a: list[tuple[int, int]], b: list[tuple[int, int]], t: int, extent: int
) -> None:
    low = digits_of([*a, (t, 3)], min(t, extent))
    high = digits_of([*b, (extent, 5)], -(-extent // t))
    found = join_digits(low, high, t, extent)
    if found is not None:
        want = [value_at(low, i % t) + value_at(high, i // t) for i in range(extent)]
        assert [value_at(found, i) for i in range(extent)] == want


@given(PARTS, st.lists(st.tuples(st.integers(1, 6), st.integers(0, 2)), min_size=1, max_size=3))
def test_parted_adds_up(parts: list[tuple[int, int]], axes: list[tuple[int, int]]) -> None:
    extents = [n for n, _gap in axes]
    reaches = [max(1, n - gap) for n, gap in axes]
    reach = sum((r - 1) * prod(extents[i + 1 :]) for i, r in enumerate(reaches)) + 1
    whole = digits_of([*parts, (reach, 11)], reach)
    found = split_digits(whole, extents, reaches)
    if found is None:
        return
    for at in product(*map(range, reaches)):
        row = sum(x * prod(extents[i + 1 :]) for i, x in enumerate(at))
        assert sum(value_at(part, x) for part, x in zip(found, at, strict=True)) == value_at(whole, row)


def test_parts_that_are_not_aligned_have_no_digits() -> None:
    digits: Digits = ((4, 1), (6, 5))
    assert split_digits(digits, (3, 6), (3, 6)) is None
    assert split_digits(digits, (3, 6), (1, 6)) == ((), ((4, 1), (2, 5)))
    last: Digits = ((4, 1), (5, 5))  # the last digit is not reduced: any extent cuts it evenly
    assert split_digits(last, (3, 8), (3, 8)) == (((3, 10),), ((4, 1), (2, 5)))


# --- shapes ---


@given(xla_shapes())
def test_the_offset_of_the_stages_is_the_offset(shape: XlaShape) -> None:
    if all(shape.dimensions):
        f = function(shape)
        assert [f.offset(index) for index in indices(shape.dimensions)] == offsets(shape)


@given(xla_shapes())
def test_digits_or_a_proof(shape: XlaShape) -> None:
    found = function(shape).digits()
    assert not isinstance(found, OpenDims)
    if isinstance(found, NoDigits):
        one, other = (physical_offset(shape, part) for part in found.parts)
        assert physical_offset(shape, found.at) != one + other
        return
    for index in indices(shape.dimensions):
        places = [value_at(digits, x) for digits, x in zip(found, index, strict=True)]
        assert sum(places) == physical_offset(shape, index)


@given(xla_shapes())
def test_there_is_always_a_layout_over_combined_coordinates(shape: XlaShape) -> None:
    combined = combined_layout(shape)
    for index in indices(shape.dimensions):
        at = combined.coordinates(index)
        assert combined.layout(*at) == combined(index) == physical_offset(shape, index)
    axes = [axis for group in combined.groups for axis in group]
    assert axes == list(range(len(axes)))
    if combined.dims is not None:
        assert [d for group in combined.dims for d in group] == list(shape.major_to_minor)


@pytest.mark.parametrize(
    "row", [row for row in TILED if row["nested_verdict"] == "not"], ids=lambda row: str(row["text"])
)
def test_refused_rows_have_one(row: dict[str, object]) -> None:
    shape = array(str(row["text"]))
    combined = combined_layout(shape)
    for index in indices(shape.dimensions)[:: max(1, shape.elements // 200)]:
        assert combined(index) == physical_offset(shape, index)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        # tiled_layout.md, combining dimensions
        (
            "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
            "((_2,_56),(_3,_37)):((_3,_222),(_1,_6)):(_112,_110) over dims (0,1,2) and (3,4)",
        ),
        ("f32[3,5]{0,1}", "(_5,_3):(_3,_1) over dims (1) and (0)"),
        (
            "f32[7,2]{0,1:T(3,4)(*,*,5)(6)}",
            "(_1,(_5,_4)):(_0,(_1,_6)) over axes (0) and (1,2,3) of those that the first tile makes",
        ),
        ("f32[]", "():(), a scalar"),
        ("f32[3,0]{1,0:T(2,2)}", "(_3,_1):(_0,_0):(_3,_0) over dims (0) and (1)"),
    ],
)
def test_how_it_is_written(text: str, written: str) -> None:
    assert str(combined_layout(array(text))) == written


def test_bad_input_of_combined_layouts() -> None:
    with pytest.raises(UndecidedError, match="depend on its unknown size"):
        combined_layout(array("f32[?,3]{1,0:T(*,2)}"))
    with pytest.raises(CoordinateError):
        combined_layout(array("f32[3,5]")).coordinates((3, 0))


# --- what is too large to look at ---


def test_merged_dims_too_large_to_look_at_are_left_open() -> None:
    """Digits do not say it and nothing tried refutes it: it is not guessed."""
    shape = array("f32[6,5,7000021]{2,0,1:T(4)(4,*,4,6)}")
    most = limit_of("indices")
    assert shape.elements > most
    with pytest.raises(UndecidedError, match=r"cannot decide whether .* has a nested layout") as caught:
        to_layout(shape)
    error: Any = caught.value
    assert f"of {prod(shape.dimensions[d] for d in error.dims)} elements; at most {most}" in str(error)
    for index in [(5, 4, 7000020), (1, 2, 3), (0, 0, 6999999)]:
        assert error.combined(index) == physical_offset(shape, index)


def test_smaller_they_are_looked_at() -> None:
    found = function(array("f32[6,5,21]{2,0,1:T(4)(4,*,4,6)}")).digits()
    assert isinstance(found, NoDigits)
    assert (found.reason, found.at) == ("misaligned-combine", (1, 0, 8))


def test_only_dims_that_are_merged_count() -> None:
    """Dim 0 is merged with none, so its 2**20 indices are not looked at."""
    layout = to_layout(array("f32[1048576,6,1,1,5]{4,3,1,2,0:T(*,*,5)(2,4)(*,4)}"))
    assert str(layout) == (
        "(_1048576,(_2,_3),_1,_1,(_4,_2)):(_48,(_4,_16),_0,_0,(_1,_8)):(_1048576,_6,_1,_1,_5)"
    )
