"""Layouts of XLA before tiles: padded dims and padding values."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, strategies as st

from tla import LayoutError, LeafError, LimitError, UnsupportedError
from tla.xla_bridge import (
    OldLayout,
    PaddingValue,
    XlaShape,
    parse_shape,
    physical_elements,
    physical_offset,
)

from .naive import memory_of
from .rows import array, indices
from .strategies import xla_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = OldLayout((0, 1), (3, 5), PaddingValue.ZERO_PAD)
"""shapes.md of 2018, "Padding": [2,3] padded to [3,5], column major."""


def naive_memory(old: OldLayout, dims: Sequence[int]) -> list[int]:
    """The row-major number of the element at each place of the padded array, -1 in the padding."""
    numbers = {index: i for i, index in enumerate(indices(dims))}
    padded = old.padded_dimensions or tuple(dims)
    order = old.minor_to_major[::-1]
    memory = []
    for at in product(*(range(padded[p]) for p in order)):
        index = tuple(at[order.index(d)] for d in range(len(dims)))
        memory.append(numbers.get(index, -1))
    return memory


@st.composite
def old_layouts(draw: st.DrawFn) -> tuple[OldLayout, tuple[int, ...]]:
    """An old layout and the dims of an array that has it."""
    dims = draw(st.lists(st.integers(1, 4), max_size=4))
    padded = [d + draw(st.sampled_from([0, 0, 1, 2])) for d in dims]
    order = draw(st.permutations(range(len(dims))))
    held = padded if padded != dims else []
    return OldLayout(order, held, draw(st.sampled_from(PaddingValue))), tuple(dims)


# --- the example of the document ---


def test_the_worked_example() -> None:
    assert EXAMPLE.linear_memory((2, 3), "abcdef") == "a d 0 b e 0 c f 0 0 0 0 0 0 0"
    shape, lost = EXAMPLE.to_xla("f32", (2, 3))
    assert str(shape) == "f32[2,3]{0,1:T(5,3)}"
    assert lost is PaddingValue.ZERO_PAD
    assert physical_elements(shape) == 15
    assert OldLayout.from_xla(shape, lost) == EXAMPLE


def test_the_examples_without_padding() -> None:
    """shapes.md: minor_to_major [0, 1] and [1, 0] of a 2x3 array."""
    assert OldLayout((0, 1)).linear_memory((2, 3), "abcdef") == "a d b e c f"
    assert OldLayout((1, 0)).linear_memory((2, 3), "abcdef") == "a b c d e f"


# --- laws ---


@given(old_layouts())
def test_today_s_shape_has_the_same_memory(case: tuple[OldLayout, tuple[int, ...]]) -> None:
    old, dims = case
    shape, lost = old.to_xla("f32", dims)
    assert lost is old.padding_value
    assert memory_of(shape).tolist() == naive_memory(old, dims)


@given(old_layouts())
def test_there_and_back(case: tuple[OldLayout, tuple[int, ...]]) -> None:
    old, dims = case
    shape, lost = old.to_xla("f32", dims)
    assert OldLayout.from_xla(shape, lost) == old


@given(old_layouts())
def test_linear_memory_lists_every_place(case: tuple[OldLayout, tuple[int, ...]]) -> None:
    old, dims = case
    numbers = [f"e{i}" for i in range(prod(dims))]
    memory = old.linear_memory(dims, numbers, ",").split(",")
    assert [int(x[1:]) if x.startswith("e") else -1 for x in memory] == naive_memory(old, dims)


def is_strided(shape: XlaShape) -> bool:
    """Whether some order and padded sizes give the memory of a shape: all of them are tried."""
    dims, room = shape.dimensions, physical_elements(shape)
    offsets = {index: physical_offset(shape, index) for index in indices(dims)}
    divisors = [n for n in range(1, room + 1) if room % n == 0]
    for padded in product(*([n for n in divisors if n >= d] for d in dims)):
        if prod(padded) != room:
            continue
        for order in _orders(len(dims)):
            strides, step = [0] * len(dims), 1
            for p in order:
                strides[p], step = step, step * padded[p]
            if all(
                at == sum(i * d for i, d in zip(index, strides, strict=True))
                for index, at in offsets.items()
            ):
                return True
    return False


def _orders(rank: int) -> list[tuple[int, ...]]:
    return [p for p in product(range(rank), repeat=rank) if len(set(p)) == rank]


@given(xla_shapes())
def test_a_shape_has_an_old_layout_or_none_exists(shape: XlaShape) -> None:
    assume(shape.rank <= 3 and physical_elements(shape) <= 300)  # the naive search is long
    try:
        old = OldLayout.from_xla(shape, PaddingValue.ONE_PAD)
    except UnsupportedError:
        assert not is_strided(shape)
        return
    assert old.padding_value is PaddingValue.ONE_PAD
    again, _lost = old.to_xla("f32", shape.dimensions)
    assert memory_of(again).tolist() == memory_of(shape).tolist()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("f32[3,5]{1,0}", "minor_to_major: [1, 0]"),
        ("f32[3,5]{1,0:T(8,128)}", "[1, 0] padded_dimensions: [8, 128] padding_value: UNKNOWN_PAD"),
        ("f32[1,1]{1,0:T(8,128)}", "[1, 0] padded_dimensions: [8, 128]"),
        ("f32[5]{0:T(8,128)}", "padded_dimensions: [1024]"),
        ("f32[3,5]{1,0:T(3,1)}", "minor_to_major: [0, 1]"),
        ("f32[3,1]{1,0:T(1,4)}", "[1, 0] padded_dimensions: [3, 4]"),
        ("f32[0,5]{0,1}", "minor_to_major: [0, 1]"),
        ("f32[]", "minor_to_major: []"),
        ("f32[3]{0:L(4)}", "padded_dimensions: [4]"),
    ],
)
def test_old_layouts_of_shapes(text: str, written: str) -> None:
    assert written in str(OldLayout.from_xla(array(text)))


# --- the value ---


def test_the_numbers_are_those_of_the_proto() -> None:
    assert [(v.name, v.value) for v in PaddingValue] == [
        ("INVALID_PAD", 0),
        ("ZERO_PAD", 1),
        ("ONE_PAD", 2),
        ("LOWEST_PAD", 3),
        ("HIGHEST_PAD", 4),
        ("UNKNOWN_PAD", 5),
    ]
    assert OldLayout((0,), (4,), PaddingValue(3)).padding_value is PaddingValue.LOWEST_PAD
    assert OldLayout((0,), (4,), 0).padding_value is PaddingValue.ZERO_PAD  # the value, not its number
    assert OldLayout((0,), (4,), 1).padding_value is PaddingValue.ONE_PAD


@pytest.mark.parametrize(
    ("value", "text"),
    list(zip(PaddingValue, ["invalid", "0", "1", "lowest", "highest", "?"], strict=True)),
)
def test_what_the_padding_is_written_as(value: PaddingValue, text: str) -> None:
    assert OldLayout((0,), (2,), value).linear_memory((1,), "a") == f"a {text}"


def test_it_is_a_value() -> None:
    again = OldLayout([0, 1], [3, 5], 0)
    assert again == EXAMPLE
    assert hash(again) == hash(EXAMPLE)
    assert OldLayout((0, 1), (3, 5)) != EXAMPLE
    assert EXAMPLE.__eq__("{0,1}") is NotImplemented
    assert eval(repr(EXAMPLE)) == EXAMPLE
    assert pickle.loads(pickle.dumps(EXAMPLE)) == copy.copy(EXAMPLE) == EXAMPLE
    with pytest.raises(AttributeError, match="immutable"):
        EXAMPLE.padded_dimensions = ()
    with pytest.raises(AttributeError, match="immutable"):
        del EXAMPLE.padded_dimensions


def test_a_promised_value_is_written_without_padding_too() -> None:
    assert str(OldLayout((0,), (), 0)) == "minor_to_major: [0] padding_value: ZERO_PAD"


# --- what is refused ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0, 0),), r"minor_to_major \[0, 0\] is not an order of 2 dims"),
        (((1,),), r"minor_to_major \[1\] is not an order of 1 dims"),
        (((0, 1), (3,)), r"padded_dimensions \[3\] has 1 sizes for 2 dims"),
        (((0,), (-1,)), r"padded_dimensions \[-1\] has a negative size"),
        (((0,), (4,), 9), "9 is no padding value"),
    ],
)
def test_rules_of_the_layout(arguments: Any, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        OldLayout(*arguments)


@pytest.mark.parametrize(
    ("dims", "message"),
    [
        ((2,), "an array of 1 dims cannot have minor_to_major"),
        ((4, 3), r"dim 0 of \[4, 3\] is larger than its padded size 3"),
        ((2, -1), r"dim 1 of \[2, -1\] is negative"),
    ],
)
def test_rules_with_an_array(dims: tuple[int, ...], message: str) -> None:
    for call in (
        lambda: EXAMPLE.check(dims),
        lambda: EXAMPLE.to_xla("f32", dims),
        lambda: EXAMPLE.linear_memory(dims, "abcdef"),
    ):
        with pytest.raises(LayoutError, match=message):
            call()


def test_an_empty_array_that_is_padded() -> None:
    assert EXAMPLE.linear_memory((0, 3), "") == " ".join("0" * 15)
    with pytest.raises(LayoutError, match=r"the empty array \[0, 3\] is padded to \[3, 5\]"):
        EXAMPLE.to_xla("f32", (0, 3))


def test_elements_of_another_number() -> None:
    with pytest.raises(LayoutError, match=r"an array \[2, 3\] has 6 elements, not 5"):
        EXAMPLE.linear_memory((2, 3), "abcde")


def test_leaves_that_are_no_ints() -> None:
    bad: Any = ("0",)
    with pytest.raises(LeafError):
        OldLayout(bad)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32[3,5]{1,0:T(2,2)}", "dim 0 is cut into tiles"),
        ("f32[<=3]{0}", "dim 0 is dynamic"),
        ("f32[?]{0}", "dim 0 is dynamic"),
        ("s4[3]{0:E(4)}", "it has E"),
        ("f32[3]{0:S(1)}", "it has S"),
        ("f32[3]{0:SC(0:1)}", "it has SC"),
        ("f32[3,8,9]{1,2,0:T(*,5)}", "no padded sizes give its strides"),
        ("f32[]{:T(128)}", "no padded sizes give its strides"),
        ("(f32[3])", "no layout of its own"),
    ],
)
def test_shapes_without_an_old_layout(text: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        OldLayout.from_xla(parse_shape(text))


def test_a_memory_too_large_to_write_out() -> None:
    with pytest.raises(LimitError, match="a memory of 10000000000 elements is too large"):
        OldLayout((0,), (10**10,)).linear_memory((1,), "a")


def test_rows_are_written_as_lists() -> None:
    rows = [["a", "b", "c"], ["d", "e", "f"]]
    assert OldLayout([0, 1], [3, 5], 0).linear_memory((2, 3), rows) == "a d 0 b e 0 c f 0 0 0 0 0 0 0"
