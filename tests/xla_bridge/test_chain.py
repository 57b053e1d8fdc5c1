"""The digits of a layout, and the theorem that tells which layouts are XLA tiled layouts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import DivisibilityError, Layout, LayoutError, OverlapError, TlaError, parse, sym
from tla.xla_bridge.chain import (
    Digit,
    check_multiples,
    gives_room,
    in_order,
    is_chain,
    layout_digits,
    least_room,
    room_of,
    same_digits,
    spaced,
)

from .chains import chains
from .rows import indices


def digits(text: str, *dims: int) -> list[tuple[int, ...]]:
    layout = parse(text)
    return [tuple(d[:4]) for d in layout_digits(layout, dims or tuple(map(int, layout.origin_shape)))]


@pytest.mark.parametrize(
    ("text", "dims", "expected"),
    [
        ("(3,5):(5,1)", (), [(0, 1, 3, 5), (1, 1, 5, 1)]),
        ("(3,1):(5,7)", (), [(0, 1, 3, 5)]),  # a mode of size 1 does not move
        ("((2,2),3):((1,2),4)", (), [(0, 1, 4, 1), (1, 1, 3, 4)]),  # in line: one digit
        ("((2,1,2)):((1,9,2))", (), [(0, 1, 4, 1)]),
        ("((2,2)):((1,8)):(3)", (), [(0, 1, 2, 1), (0, 2, 2, 8)]),
        ("((4,4)):((1,8)):(9)", (), [(0, 1, 4, 1), (0, 4, 3, 8)]),  # no further than the dim
        ("((4,4)):((1,8)):(3)", (), [(0, 1, 3, 1)]),
        ("((2,2)):((0,-3))", (), [(0, 1, 2, 0), (0, 2, 2, -3)]),
        ("():()", (), []),
    ],
)
def test_known_digits(text: str, dims: tuple[int, ...], expected: list[tuple[int, ...]]) -> None:
    assert digits(text, *dims) == expected


@given(
    st.lists(
        st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=3),
        min_size=2,
        max_size=2,
    ),
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
)
def test_equal_digits_are_equal_functions(
    modes: list[list[tuple[int, int]]], wanted: tuple[int, int]
) -> None:
    """Both ways, where positive strides grow with the weight or not; the digits are unique."""
    one, other = (Layout((tuple(n for n, _d in mode),), (tuple(d for _n, d in mode),)) for mode in modes)
    extent = min(int(one.size), int(other.size), *wanted)
    function = [[layout(i) for i in range(extent)] for layout in (one, other)]
    a, b = (layout_digits(layout, (extent,)) for layout in (one, other))
    assert same_digits(a, b) is (function[0] == function[1])


def test_digits_with_unknowns_may_be_undecided() -> None:
    m: Any = sym("M")
    assert same_digits([Digit(0, 1, m, 1)], [Digit(0, 1, m, 1)]) is True
    assert same_digits([Digit(0, 1, m, 1)], [Digit(0, 1, 5, 1)]) is None
    assert same_digits([Digit(0, 1, m, 1)], [Digit(0, 1, m, 2)]) is False
    assert same_digits([Digit(0, 1, m, 1)], []) is None
    assert same_digits([Digit(0, 1, 5, 1)], []) is False


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("(2,2):(0,1)", LayoutError),
        ("(2,2):(-4,1)", LayoutError),
        ("(2,2):(3,2)", OverlapError),
        ("(2,4):(3,2)", OverlapError),
        ("(2,2):(2,5)", DivisibilityError),
        # an overlap is named before what is no multiple: no tiles at all are known for it
        ("(2,2,2):(7,2,1)", DivisibilityError),
        ("(2,3,2):(7,2,3)", OverlapError),
    ],
)
def test_the_failing_digits_are_named(text: str, error: type[TlaError]) -> None:
    layout = parse(text)
    with pytest.raises(error) as caught:
        check_multiples(
            in_order(layout_digits(layout, tuple(map(int, layout.origin_shape))), layout), layout
        )
    assert type(caught.value) is error
    named = caught.value.data.get("digits", (caught.value.data.get("digit"),))
    assert isinstance(named, tuple)
    for digit in named:
        assert isinstance(digit, Digit)
        assert str(digit) in str(caught.value)


@given(chains())
def test_a_chain_has_room(chain: tuple[Layout[object, object], int]) -> None:
    layout, size = chain
    dims = tuple(int(n) for n in layout.origin_shape)
    ordered = in_order(layout_digits(layout, dims), layout)
    check_multiples(ordered, layout)
    assert is_chain(ordered)
    assert gives_room(ordered, size)
    assert not gives_room(ordered, room_of(ordered) - 1)
    assert least_room(ordered, 0) == room_of(ordered)
    least = least_room(ordered, int(layout.cosize))
    assert gives_room(ordered, least)
    assert least >= layout.cosize
    if layout.valid_size <= 500:
        assert max((int(layout(*index)) for index in indices(dims)), default=0) < room_of(ordered)


@given(chains())
def test_pitches_fill_the_memory(chain: tuple[Layout[object, object], int]) -> None:
    """Each stride is the product of the pitches below it, and all of them are the size."""
    layout, size = chain
    ordered = in_order(layout_digits(layout, tuple(int(n) for n in layout.origin_shape)), layout)
    below = 1
    for digit in reversed(spaced(ordered, size, layout.rank)):
        assert digit.stride == below
        assert digit.pitch >= digit.size
        assert digit.padded == (digit.pitch > digit.size)
        below *= digit.pitch
    assert below == size
