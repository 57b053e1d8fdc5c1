"""The vectors that two layouts have in common, against trying out every length."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import tla
from tla import (
    Layout,
    LayoutError,
    TlaError,
    UndecidedError,
    max_common_layout,
    max_common_vector,
    parse,
    right_inverse,
)
from tla.numbers import assume, sym
from tla.testing import layouts, naive_extended, naive_offset, naive_offsets, shapes

LONG = sym("M", min=2)
ANY = layouts(shapes(max_size=36, min_rank=1, static=False), min_stride=-2, max_stride=12, static=False)
PACKED = layouts(shapes(max_size=36, min_rank=1, static=False), compact=True, static=False)


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("(4,8):(1,4)", "(4,8):(1,8)", "4:1"),
        ("(2,4):(4,1)", "(2,4):(4,1)", "(4,2):(2,1)"),
        ("(_2,_4):(_4,_1)", "(_2,_4):(_4,_1)", "(_4,_2):(_2,_1)"),
        ("(2,4):(4,1)", "(2,4):(1,2)", "1:0"),
        ("(4,6):(1,20)", "12:1", "4:1"),
        ("(2,3,4):(1,2,6)", "(2,3,4):(1,2,12)", "6:1"),
        ("(2,2,6):(1,0,2)", "(2,2,6):(1,0,2)", "(2,6):(1,4)"),
        # the last mode of the first grows
        ("4:1", "8:1", "8:1"),
        ("8:1", "4:1", "4:1"),
        ("0:1", "8:1", "8:1"),
        # nothing in common but the first element
        ("4:3", "8:1", "1:0"),
        ("8:1", "8:-1", "1:0"),
        ("():()", "4:2", "1:0"),
        ("_4:_3", "_8:_1", "_1:_0"),
    ],
)
def test_max_common_layout(a: str, b: str, expected: str) -> None:
    result = max_common_layout(parse(a), parse(b))
    assert str(result) == expected
    assert max_common_vector(parse(a), parse(b)) == result.size


def longest(a: Any, b: Any) -> int:
    """The most elements that ``b``'s inverse, cut short, names in the order of both."""
    inverse = right_inverse(b)
    extents, steps = tla.flatten_to_tuple(inverse.shape), tla.flatten_to_tuple(inverse.stride)
    best = 1
    for k in range(len(extents)):
        for n in range(1, extents[k] + 1):
            cut = Layout((*extents[:k], n), steps[: k + 1])
            images = [naive_extended(a, i) for i in naive_offsets(cut)]
            if images == list(range(len(images))):
                best = max(best, len(images))
    return best


@given(st.one_of(st.tuples(ANY, ANY), st.tuples(PACKED, PACKED)))
def test_law(pair: tuple[Any, Any]) -> None:
    a, b = pair
    result = max_common_layout(a, b)
    indices = naive_offsets(result)
    assert [naive_offset(b, i) for i in indices] == list(range(len(indices)))
    assert [naive_extended(a, i) for i in indices] == list(range(len(indices)))
    assert result.size == max_common_vector(a, b) == longest(a, b)
    assert tla.coalesce(result) == result


@given(PACKED)
def test_a_layout_has_all_in_common_with_itself(layout: Any) -> None:
    assert max_common_vector(layout, layout) == layout.size
    assert max_common_layout(layout, layout) == right_inverse(layout)


@given(shapes(max_size=36, min_rank=1, static=False), st.data())
def test_both_orders_agree_on_permutations(shape: Any, data: st.DataObject) -> None:
    a, b = (data.draw(layouts(st.just(shape), compact=True, static=False)) for _ in range(2))
    assert max_common_vector(a, b) == max_common_vector(b, a)


@settings(max_examples=40)
@given(ANY, ANY)
def test_static_in_static_out(a: Any, b: Any) -> None:
    static = [Layout(*(tla.transform_leaf(tla.Int, x) for x in (y.shape, y.stride))) for y in (a, b)]
    result = max_common_layout(*static)
    assert result.is_static
    assert result == max_common_layout(a, b)
    assert isinstance(max_common_vector(*static), tla.Int)


# --- edges ------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", [max_common_layout, max_common_vector])
def test_arguments(operation: Any) -> None:
    with pytest.raises(LayoutError, match=r"^0:1 has no coordinate, and so no inverse$"):
        operation(Layout(8, 1), Layout(0, 1))
    with pytest.raises(TypeError, match=r"^expected a layout, got int 4\n"):
        operation(4, Layout(4))


def test_no_modes() -> None:
    for layout in ("_4:_1", "4:1", "4:2"):
        assert max_common_vector(parse(layout), parse("():()")) == 1


def test_sixty_modes_and_large_ints() -> None:
    a = Layout((2,) * 60)
    b = Layout((2,) * 60, (*a.stride[:40], *reversed(a.stride[40:])))
    assert max_common_layout(a, b) == Layout(2**40, 1)
    tall = Layout((10**20, 10**12), (10**12, 1))
    assert max_common_vector(tall, tall) == 10**32
    assert max_common_vector(tall, Layout((10**20, 10**12), (10**15, 1))) == 10**12


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Layout((4, LONG), (1, 4)), Layout((4, LONG), (1, 8)), "4:_1"),
        (Layout((4, LONG), (1, 4)), Layout((4, LONG), (1, 4)), "4*M{min=2}:_1"),
        (Layout((4, 6), (1, 4)), Layout((4, LONG), (1, 0)), "4:_1"),
    ],
)
def test_unknown_ints(a: Any, b: Any, expected: str) -> None:
    result = max_common_layout(a, b)
    assert str(result) == expected
    for m in (2, 7):
        left, right = (x.bind(M=m) for x in (a, b))
        assert result.bind(M=m).size == max_common_vector(left, right)


def test_what_an_unknown_leaves_open() -> None:
    with pytest.raises(UndecidedError, match=r"^max_common_layout of .* whether M > 31\n") as caught:
        max_common_layout(Layout((LONG, 4), (1, 8)), Layout((8, 4), (1, 8)))
    assert isinstance(caught.value, TlaError)
    need: Any = caught.value.obligation
    with assume(need):
        assert max_common_layout(Layout((LONG, 4), (1, 8)), Layout((8, 4), (1, 8))) == Layout(32, 1)


def test_a_length_that_is_open_is_not_cut() -> None:
    """For a longer M the vector is as long as M; 2 is only the least that it can be."""
    assert max_common_vector(Layout((4, 3), (1, 0)), Layout(4, 1)) == 4
    with pytest.raises(UndecidedError, match=r"M > 3$|M > 3\n"):
        max_common_vector(Layout((LONG, 3), (1, 0)), Layout(4, 1))
