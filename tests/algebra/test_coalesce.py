"""Coalescing: the same function in the fewest modes, the one form by which functions are compared."""

from collections import defaultdict
from itertools import pairwise, product as tuples_of
from math import prod
from typing import Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

import tla
from tla import (
    CongruenceError,
    Layout,
    UndecidedError,
    coalesce,
    filter_zeros,
    parse,
    same_function as same,
)
from tla.algebra.coalesce import filter as without_zeros
from tla.numbers import sym
from tla.testing import layouts, naive_coords, naive_offset, naive_offsets, naive_size, shapes

ANY = layouts(shapes(max_size=48, min_extent=0), min_stride=-9, max_stride=24)
NESTED = layouts(shapes(max_size=48, min_extent=0, max_depth=3).filter(tla.is_tuple), min_stride=-9)
M, N = sym("M"), sym("N")
LONG = sym("M", min=2)


def leaves_of(layout: Any) -> list[tuple[int, int]]:
    shape, stride = tla.flatten_to_tuple(layout.shape), tla.flatten_to_tuple(layout.stride)
    return list(zip(shape, stride, strict=True))


def is_canonical(layout: Any) -> bool:
    """Flat, no mode of size 1 but where it is all there is, no two modes that are one."""
    if not tla.is_tuple(layout.shape):
        return bool(layout.shape != 1 or layout.stride == 0)
    modes = leaves_of(layout)
    return bool(
        layout.depth == 1
        and len(modes) > 1
        and all(s != 1 for s, _d in modes)
        and all(s * d != e for (s, d), (_t, e) in pairwise(modes))
    )


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("(2,(1,6)):(1,(6,2))", "12:1"),  # CuTe 02_layout_algebra.md, "Coalesce"
        ("(2,(1,6)):(1,(7,2))", "12:1"),
        ("((2,2),2):((4,1),2)", "(2,4):(4,1)"),
        ("(4,3,2):(1,4,0)", "(12,2):(1,0)"),
        ("(2,3):(0,0)", "6:0"),
        ("(2,3):(-1,-2)", "6:-1"),
        ("(2,2):(-4,8)", "(2,2):(-4,8)"),
        ("(1,1):(7,9)", "1:0"),
        ("1:5", "1:0"),
        ("(1,5):(7,3)", "5:3"),
        ("(4,0):(1,4)", "0:1"),
        ("(0,2):(1,5)", "(0,2):(1,5)"),
        ("():()", "_1:_0"),
        ("((),(2,())):((),(3,()))", "2:3"),
        ("(_2,(_1,_6)):(_1,(_6,_2))", "_12:_1"),
        ("4:1:3", "4:1"),
    ],
)
def test_coalesce(layout: str, expected: str) -> None:
    assert str(coalesce(parse(layout))) == expected


@given(ANY)
def test_same_offsets_in_the_fewest_modes(layout: Any) -> None:
    result = coalesce(layout)
    assert naive_offsets(result) == naive_offsets(layout)
    assert is_canonical(result)
    assert coalesce(result) == result


@given(layouts(shapes(max_size=48, min_extent=0, static=True), min_stride=-9, static=True))
def test_static_in_static_out(layout: Any) -> None:
    plain = Layout(*map(dynamic, (layout.shape, layout.stride)))
    for operation in (coalesce, filter_zeros, without_zeros):
        assert operation(layout).is_static
        assert operation(layout) == operation(plain)


def dynamic(x: Any) -> Any:
    return tla.transform_leaf(int, x)


# --- one form for each function ---


def small_layouts() -> list[Any]:
    found: list[Any] = [Layout(s, d) for s in range(1, 13) for d in range(-3, 4)]
    for pair in tuples_of((1, 2, 3, 4), (1, 2, 3)):
        found += [Layout(pair, steps) for steps in tuples_of(range(-2, 7), repeat=2)]
    for triple in tuples_of((1, 2, 3), (2, 3), (1, 2)):
        found += [Layout(triple, steps) for steps in tuples_of((0, 1, 2, 4, 6), repeat=3)]
    return found


def test_one_form_for_each_function() -> None:
    forms: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for layout in small_layouts():
        forms[tuple(naive_offsets(layout))].add(str(coalesce(layout)))
    assert {len(found) for found in forms.values()} == {1}
    assert len({form for found in forms.values() for form in found}) == len(forms) > 1000


@st.composite
def regrouped(draw: st.DrawFn) -> tuple[Any, Any]:
    """A layout, and the same function in other modes: cut in two, or with a mode of size 1 between."""
    layout = draw(layouts(shapes(max_size=48), min_stride=-9))
    modes: list[Any] = []
    for s, d in leaves_of(layout):
        first = draw(st.sampled_from([n for n in range(1, s + 1) if s % n == 0]))
        pair = Layout((first, s // first), (d, d * first))
        modes += [pair] if draw(st.booleans()) else list(pair)
        if draw(st.booleans()):
            modes.append(Layout(1, draw(st.integers(-5, 5))))
    return layout, Layout(tuple(m.shape for m in modes), tuple(m.stride for m in modes))


@given(regrouped())
def test_the_form_does_not_depend_on_the_modes(pair: tuple[Any, Any]) -> None:
    layout, other = pair
    assert naive_offsets(other) == naive_offsets(layout)
    assert coalesce(other) == coalesce(layout)
    assert same(layout, other)


@given(ANY, ANY)
def test_same_function(a: Any, b: Any) -> None:
    assert same(a, b) is (naive_offsets(a) == naive_offsets(b)) is same(b, a)


def test_same_function_of_layouts_without_coordinates() -> None:
    assert same(Layout((0, 2), (1, 5)), Layout(0, 7))
    assert not same(Layout(0), Layout(1))
    assert same(Layout((), ()), Layout(1, 9))


# --- by mode ----------------------------------------------------------------------------------


def profiles(shape: Any) -> st.SearchStrategy[Any]:
    """A profile that fits a shape: an int for a whole mode, or a tuple for its first modes."""
    whole: st.SearchStrategy[Any] = st.just(1)
    if not tla.is_tuple(shape):
        return whole
    inner = st.integers(0, len(shape)).flatmap(lambda n: st.tuples(*map(profiles, shape[:n])))
    return whole | inner


@settings(max_examples=share(60))
@given(NESTED, st.data())
def test_by_mode(layout: Any, data: st.DataObject) -> None:
    profile = data.draw(profiles(layout.shape).filter(tla.is_tuple))
    for operation in (coalesce, without_zeros):
        result = operation(layout, profile)
        assert result.rank == layout.rank
        for i, mode in enumerate(layout):
            if i < len(profile):
                assert tla.get(result, i) == operation(mode, profile[i])
            else:
                assert tla.get(result, i) == mode


@given(ANY)
def test_an_int_is_a_profile_of_the_whole(layout: Any) -> None:
    assert coalesce(layout, 1) == coalesce(layout)
    assert without_zeros(layout, 1) == without_zeros(layout)


def test_modes_keep_their_origin() -> None:
    layout = parse("((2,2),(4,2),6):((1,2),(4,16),32):(3,5,6)")
    assert str(coalesce(layout, (1,))) == "(4,(4,2),6):(1,(4,16),32):(3,5,6)"
    assert str(coalesce(layout, (1, 1, 1))) == "(4,8,6):(1,4,32):(3,5,6)"
    assert str(coalesce(layout, ((),))) == "((2,2),(4,2),6):((1,2),(4,16),32):(3,5,6)"


@pytest.mark.parametrize("operation", [coalesce, without_zeros])
def test_a_profile_with_too_many_modes(operation: Any) -> None:
    with pytest.raises(CongruenceError) as caught:
        operation(parse("(2,(3,4)):(1,(2,6))"), (1, 1, 1))
    assert str(caught.value) == (
        "(1,1,1) has 3 parts, (2,(3,4)):(1,(2,6)) has 2 modes\n"
        "  A tuple by mode has at most one part for each mode."
    )
    with pytest.raises(CongruenceError, match=r"^\(1,1\) has 2 parts, 3:_1 has 1 mode\n"):
        operation(Layout(3), (1, 1))


# --- filters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "zeros", "modes"),
    [
        ("(2,(3,4)):(1,(0,2))", "(2,(1,4)):(1,(0,2))", "8:1"),
        ("(2,3):(0,0)", "(1,1):(0,0)", "1:0"),
        ("(_2,_3):(_0,_5)", "(_1,_3):(_0,_5)", "_3:_5"),
        ("(2,0):(0,1)", "(1,0):(0,1)", "0:1"),
        ("(0,3):(0,1)", "(0,3):(0,1)", "(0,3):(0,1)"),
        ("0:0", "0:0", "0:0"),
        ("(1,4):(3,-2)", "(1,4):(3,-2)", "4:-2"),
        ("():()", "():()", "_1:_0"),
    ],
)
def test_filters(layout: str, zeros: str, modes: str) -> None:
    assert str(filter_zeros(parse(layout))) == zeros
    assert str(without_zeros(parse(layout))) == modes


@given(layouts(shapes(max_size=48, min_extent=0), min_stride=-3, max_stride=6))
def test_laws_of_the_filters(layout: Any) -> None:
    kept = filter_zeros(layout)
    assert tla.congruent(kept.shape, layout.shape)
    assert kept.stride == layout.stride
    assert kept.size == prod(s for s, d in leaves_of(layout) if d != 0 or s == 0)
    assert set(naive_offsets(kept)) == set(naive_offsets(layout))
    for coord in naive_coords(kept.shape):
        assert naive_offset(kept, coord) == naive_offset(layout, coord)
    result = without_zeros(layout)
    assert naive_offsets(result) == naive_offsets(kept)
    assert is_canonical(result)
    assert all(d != 0 or s in (0, 1) for s, d in leaves_of(result))


def test_zeros_of_a_profile() -> None:
    layout = parse("(2,(3,4)):(1,(0,2))")
    assert str(filter_zeros(layout, (0, 1))) == "(1,(3,4)):(1,(0,2))"
    assert str(filter_zeros(layout, (1, (1, 0)))) == "(2,(3,1)):(1,(0,2))"
    assert str(filter_zeros(layout, (1, 0))) == "(2,(1,1)):(1,(0,2))"
    assert str(filter_zeros(layout, (0,))) == "(1,(3,4)):(1,(0,2))"
    assert str(filter_zeros(layout, 0)) == "(1,(1,1)):(1,(0,2))"
    with pytest.raises(CongruenceError, match=r"^\(1,1,1\) has 3 parts, \(2,\(3,4\)\) has 2 modes"):
        filter_zeros(layout, (1, 1, 1))


# --- large and symbolic -----------------------------------------------------------------------


def test_sixty_modes_and_large_ints() -> None:
    whole = Layout((2,) * 60)
    assert coalesce(whole) == Layout(2**60, 1)
    assert same(whole, Layout((2**20, 2**40)))
    backwards = Layout(whole.shape, tuple(reversed(whole.stride)))
    assert coalesce(backwards) == backwards
    assert not same(whole, backwards)
    tall = Layout((10**12, (10**30, 3)), (-(2**70), (-(2**70) * 10**12, 5)))
    assert coalesce(tall) == Layout((10**42, 3), (-(2**70), 5))


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (Layout((4, LONG), (1, 4)), "4*M{min=2}:1"),
        (Layout((LONG, 4), (1, LONG)), "4*M{min=2}:1"),
        (Layout((LONG, 4), (1, 0)), "(M{min=2},4):(1,0)"),
        (Layout((4, LONG), (1, 8)), "(4,M{min=2}):(1,8)"),
        (Layout((1, LONG, 1), (N, 3, N)), "M{min=2}:3"),
        (Layout((4, M), (1, 4)), "4*M:1"),
        (Layout((M, 4), (1, M)), "4*M:1"),
        # whether the modes are one is open: they stay two
        (Layout((LONG, 4), (1, 8)), "(M{min=2},4):(1,8)"),
        (Layout((M, 4), (1, 8)), "(M,4):(1,8)"),
        (Layout((2, M, 4), (1, 2, N)), "(2*M,4):(1,N)"),
    ],
)
def test_unknown_extents(layout: Any, expected: str) -> None:
    result = coalesce(layout)
    assert str(result).replace("_", "") == expected
    for m, n in ((2, 1), (3, 2), (5, 7), (8, 16)):
        assert naive_offsets(put_in(result, m, n)) == naive_offsets(put_in(layout, m, n))


def put_in(layout: Any, m: int, n: int) -> Any:
    return layout.bind(M=m, N=n)


def test_what_an_unknown_leaves_open() -> None:
    """Of the comparison; the coalesced layout itself is right at every M."""
    assert same(Layout((4, LONG), (1, 4)), Layout((2, 2, LONG), (1, 2, 4)))
    with pytest.raises(UndecidedError):
        same(Layout((LONG, 4), (1, 8)), Layout((8, 4), (1, 8)))


def test_a_difference_at_every_value_of_an_unknown_is_seen() -> None:
    """M is at least 2, so both have an offset at 4: it is 4 and 8."""
    assert not same(Layout((4, LONG), (1, 4)), Layout((4, LONG), (1, 8)))


def test_sizes_of_zero_are_counted() -> None:
    assert all(naive_size(coalesce(Layout(s)).shape) == 0 for s in (0, (0, 3), (3, 0), ((0,), 2)))
