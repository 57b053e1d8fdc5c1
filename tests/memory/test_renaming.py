"""Renamings: the offset of an element is the same before and after, for every element."""

from __future__ import annotations

from itertools import product
from math import prod

from hypothesis import HealthCheck, assume, given, settings, strategies as st

from tla.memory.renaming import Renaming, renaming, reshaping, transposing
from tla.xla_bridge import XlaShape, parse_array, physical_offset
from tla.xla_bridge.digits import digits_of, value_at

TILINGS = st.sampled_from([(), ((2,),), ((4,),), ((2, 2),), ((2, 4),), ((2, 4), (2, 1)), ((4,), (2,))])


@st.composite
def shapes(draw: st.DrawFn, dims: tuple[int, ...] | None = None) -> XlaShape:
    if dims is None:
        dims = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
    return XlaShape("f32", dims, draw(st.permutations(range(len(dims)))), draw(TILINGS))


def indices(dims: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*map(range, dims)))


def row_major(index: tuple[int, ...], dims: tuple[int, ...]) -> int:
    number = 0
    for x, n in zip(index, dims, strict=True):
        number = number * n + x
    return number


def check(found: Renaming, before: XlaShape, after: XlaShape) -> None:
    """The law, naively: each element that has a name in both lies where it lay."""
    named = {i: found.renamed(i) for i in indices(before.dimensions)}
    inside = {
        i: j for i, j in named.items() if all(x < n for x, n in zip(j, after.dimensions, strict=True))
    }
    assert all(physical_offset(before, i) == physical_offset(after, j) for i, j in inside.items())
    if found.is_total:
        assert len(inside) == len(named)
    if found.is_onto:
        assert sorted(inside.values()) == indices(after.dimensions)


@given(st.data(), shapes())
def test_a_transposed_view_is_a_renaming(data: st.DataObject, before: XlaShape) -> None:
    order = data.draw(st.permutations(range(before.rank)))
    place = {dim: i for i, dim in enumerate(order)}
    after = XlaShape(
        "f32",
        [before.dimensions[d] for d in order],
        [place[d] for d in before.minor_to_major],
        before.tiles,
    )
    found = renaming(before, after)
    if found is None:  # a tile breaks a digit: then there is nothing to match
        assert before.tiles
        return
    assert found.is_total
    assert found.is_onto
    check(found, before, after)
    own = transposing(before.dimensions, order)
    assert all(own.renamed(i) == tuple(i[d] for d in order) for i in indices(before.dimensions))


@st.composite
def grouped(draw: st.DrawFn, factors: list[int]) -> XlaShape:
    """An array whose dims are products of the factors."""
    order = draw(st.permutations(factors))
    ends = sorted({*draw(st.lists(st.integers(1, len(order)))), len(order)})
    dims = [prod(order[a:b]) for a, b in zip([0, *ends], ends, strict=False)]
    last = draw(st.integers(0, 2)) if len(dims) > 1 else 0  # so that some dims end within a tile
    return draw(shapes((max(1, dims[0] - last), *dims[1:])))


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data(), st.lists(st.sampled_from([2, 2, 2, 3, 4]), min_size=1, max_size=4))
def test_any_two_shapes(data: st.DataObject, factors: list[int]) -> None:
    before, after = data.draw(grouped(factors)), data.draw(grouped(factors))
    found = renaming(before, after)
    assume(found is not None)
    assert found is not None
    assert found.is_total or found.is_onto
    check(found, before, after)
    check(found.inverse, after, before)


@given(shapes())
def test_a_shape_is_itself(shape: XlaShape) -> None:
    found = renaming(shape, shape)
    assume(found is not None)
    assert found is not None
    assert all(found.renamed(index) == index for index in indices(shape.dimensions))


@given(st.data(), st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_a_reshape(data: st.DataObject, given_dims: list[int]) -> None:
    dims = tuple(given_dims)
    cuts = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    to_dims = (*cuts, prod(dims) // prod(cuts)) if prod(dims) % prod(cuts) == 0 else tuple(cuts)
    found = reshaping(dims, to_dims)
    if prod(dims) != prod(to_dims):
        assert found is None
    elif found is not None:
        for index in indices(dims):
            assert row_major(found.renamed(index), to_dims) == row_major(index, dims)


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # most pairs are no renaming
@given(st.data(), shapes())
def test_carried_digits_are_the_same_function(data: st.DataObject, before: XlaShape) -> None:
    after = data.draw(shapes(tuple(data.draw(st.permutations(before.dimensions)))))
    found = renaming(before, after)
    assume(found is not None)
    assert found is not None
    assume(found.is_total and found.is_onto)
    digits = [
        digits_of([(data.draw(st.integers(1, 4)), 7 + d), (n, 50 + d)], n)
        for d, n in enumerate(after.dimensions)
    ]
    carried = found.carry(digits)
    assume(carried is not None)
    assert carried is not None
    for index in indices(before.dimensions):
        there = found.renamed(index)
        wanted = sum(value_at(mode, x) for mode, x in zip(digits, there, strict=True))
        assert sum(value_at(mode, x) for mode, x in zip(carried, index, strict=True)) == wanted


def test_what_is_dropped_at_the_end_of_a_dim() -> None:
    """Bitcasts of real modules that keep the first elements of padded dims."""
    for before, after in [
        ("s32[129,6]{0,1:T(8,128)S(1)}", "s32[129,5]{0,1:T(8,128)S(1)}"),
        ("f32[2,8,32,128]{3,1,2,0:T(8,128)S(1)}", "f32[10,4096]{1,0:T(8,128)S(1)}"),
        ("s32[17,8,5,128]{3,1,2,0:T(8,128)}", "s32[129,513]{1,0:T(8,128)}"),
    ]:
        found = renaming(parse_array(before), parse_array(after))
        assert found is not None
        assert (found.is_total, found.is_onto) == (False, True)
    small = parse_array("s32[3,5]{0,1:T(4,4)}"), parse_array("s32[3,2]{0,1:T(8,4)}")
    kept = renaming(*small)
    assert kept is not None
    check(kept, *small)


def test_no_renaming() -> None:
    for before, after in [
        ("f32[6,7]{1,0:T(8,128)}", "f32[42]{0:T(1024)}"),  # each lies where the other has padding
        ("f32[8,128]", "bf16[8,128]"),  # another size
        ("f32[8,128]", "f32[8,64]"),
        ("f32[6]", "f32[4,?]"),
        ("f32[0,3]", "f32[0,3]"),
        ("f32[7,5]{0,1:T(3)(4,2,2)}", "f32[7,5]{0,1:T(3)(4,2,2)}"),  # no digits
    ]:
        assert renaming(parse_array(before), parse_array(after)) is None


def test_the_greatest_index_counts_the_weight_of_a_digit() -> None:
    """The greatest index of 5 rows is 4, of which the digit above 2 is at most 4 // 2."""
    before, after = parse_array("f32[5,3]{1,0:T(1,8)}"), parse_array("f32[10,3]{0,1:T(4,2)}")
    found = renaming(before, after)
    assert found is not None
    assert (found.is_total, found.is_onto) == (True, False)
    check(found, before, after)
