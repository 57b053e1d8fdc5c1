"""Facts about offsets, against counting them one by one, and at sizes that nobody can count."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from itertools import product
from math import prod
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import Int, Layout, UndecidedError, _2, _3, _4
from tla.algebra.facts import (
    collision,
    is_bijective,
    is_contiguous,
    is_injective,
    is_surjective_onto,
)
from tla.ground.limits import limit_of, limits
from tla.numbers import assume, evaluate, sym
from tla.testing import layouts, naive_offset, naive_offsets, shapes

FACTS = (is_injective, collision, is_bijective, is_contiguous)

M, N = sym("M"), sym("N")
MAY_BE_EMPTY = sym("Z", min=0)


def check(layout: Any) -> None:
    """Each fact, by its definition, on the offsets of all coordinates."""
    offsets = naive_offsets(layout)
    reached = set(offsets)
    injective = len(reached) == len(offsets)
    gapless = not reached or max(reached) - min(reached) + 1 == len(reached)
    from_zero = gapless and (not reached or min(reached) == 0)
    assert is_injective(layout) is injective
    assert is_contiguous(layout) is (injective and gapless)
    assert is_bijective(layout) is (injective and from_zero)
    for n in {-1, 0, 1, len(reached), len(reached) + 1, len(offsets), max(reached, default=0) + 1}:
        assert is_surjective_onto(layout, n) is (from_zero and n == len(reached))
    pair = collision(layout)
    assert (pair is None) is injective
    if pair is not None:
        check_witness(layout, pair)


def check_witness(layout: Any, pair: tuple[Any, Any]) -> None:
    a, b = pair
    assert a != b
    assert tla.congruent(a, layout.shape)
    assert tla.congruent(b, layout.shape)
    assert tla.crd2idx(a, layout.shape) < tla.crd2idx(b, layout.shape)
    assert naive_offset(layout, a) == naive_offset(layout, b)
    for i, j, s in zip(*map(tla.flatten_to_tuple, (a, b, layout.shape)), strict=True):
        assert 0 <= min(i, j) <= max(i, j) < s
        assert min(i, j) == 0


# --- against brute force ---


@given(layouts(shapes(min_extent=0)))
def test_facts(layout: Any) -> None:
    check(layout)


@given(layouts(min_stride=-9, max_stride=9))
def test_facts_where_modes_run_backwards(layout: Any) -> None:
    check(layout)


@given(layouts(shapes(max_size=600, min_extent=2, min_rank=3, max_rank=8, max_depth=1), max_stride=900))
def test_facts_of_many_modes(layout: Any) -> None:
    check(layout)


@given(st.integers(1, 9), st.data())
def test_facts_of_modes_of_two(bits: int, data: st.DataObject) -> None:
    """Each an instance of subset sum, near the size where it is hard."""
    strides = st.integers(1, 2 ** data.draw(st.integers(0, bits + 3)))
    check(Layout((2,) * bits, tuple(data.draw(st.lists(strides, min_size=bits, max_size=bits)))))


@pytest.mark.parametrize(
    ("extents", "strides", "rank"),
    [
        (range(5), range(-6, 7), 1),
        (range(1, 5), range(-4, 10), 2),
        ((0, 2, 3), range(6), 3),
        ((2, 5), range(1, 8), 3),
        ((2, 3), (1, 2, 3), 4),
    ],
)
def test_facts_of_every_small_layout(extents: Any, strides: Any, rank: int) -> None:
    for shape in product(extents, repeat=rank):
        for stride in product(strides, repeat=rank):
            check(Layout(shape, stride))


@given(layouts(compact=True))
def test_a_compact_layout_has_every_fact(layout: Any) -> None:
    assert is_bijective(layout)
    assert is_contiguous(layout)
    assert is_injective(layout)
    assert is_surjective_onto(layout, layout.size)
    assert is_surjective_onto(layout, tla.max_(layout.size, 0))
    assert not is_surjective_onto(layout, layout.size + 1)


@given(layouts(min_stride=-9))
def test_contiguous_is_injective_without_room(layout: Any) -> None:
    assert is_contiguous(layout) is (layout.size == layout.cosize and is_injective(layout))
    assert is_bijective(layout) is (is_injective(layout) and is_surjective_onto(layout, layout.size))


# --- named cases ---


def test_layouts_without_coordinates_or_with_one() -> None:
    for empty in (Layout(0, 5), Layout((0, 4), (1, 0)), Layout((3, (0, 2)), (-1, (7, -7)))):
        assert is_injective(empty)
        assert collision(empty) is None
        assert is_bijective(empty)
        assert is_contiguous(empty)
        assert is_surjective_onto(empty, 0)
        assert not is_surjective_onto(empty, 1)
        assert not is_surjective_onto(empty, -1)
    for one in (Layout((), ()), Layout(1, -7), Layout((1, (1, 1)), (0, (-3, 9)))):
        assert all(fact(one) for fact in (is_injective, is_bijective, is_contiguous))
        assert is_surjective_onto(one, 1)
        assert not is_surjective_onto(one, 0)


def test_a_broadcast_is_not_injective() -> None:
    assert collision(Layout(5, 0)) == (0, 1)
    assert collision(Layout((4, (2, 3)), (6, (0, 1)))) == ((0, (0, 0)), (0, (1, 0)))
    assert is_injective(Layout((4, 1), (1, 0)))
    assert is_surjective_onto(Layout((4, 5), (1, 0)), 4)


def test_modes_that_interleave() -> None:
    assert is_injective(Layout((3, 2), (2, 3)))
    assert not is_contiguous(Layout((3, 2), (2, 3)))
    assert collision(Layout((4, 3), (2, 3))) == ((3, 0), (0, 2))
    assert is_injective(Layout((4, 2), (2, 3)))


def test_one_mode_backwards() -> None:
    layout = Layout((4, 2), (-1, 4))
    assert is_contiguous(layout)
    assert not is_bijective(layout)
    assert not is_surjective_onto(layout, 8)
    assert collision(Layout((4, 4), (1, -1))) == ((0, 0), (1, 1))


def test_static_layouts() -> None:
    assert is_injective(Layout((_3, _2), (_2, _3)))
    pair = collision(Layout((_4, (_3, _2)), (_2, (_3, Int(90)))))
    assert pair is not None
    assert pair == ((3, (0, 0)), (0, (2, 0)))
    assert tla.is_static(pair)
    mixed = collision(Layout((_4, (3, _2)), (2, (_3, 90))))
    assert mixed is not None
    assert mixed == pair
    assert not tla.is_static(mixed)
    assert is_surjective_onto(Layout((_4, _2)), Int(8))


@pytest.mark.parametrize("fact", FACTS)
def test_only_of_layouts(fact: Any) -> None:
    with pytest.raises(TypeError, match="expected a layout, got tuple"):
        fact((4, 2))


def test_only_onto_an_int() -> None:
    with pytest.raises(TypeError, match="expected a layout"):
        is_surjective_onto("4:1", 4)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    for n in (4.0, True, "4", None):
        with pytest.raises(tla.LeafError):
            is_surjective_onto(Layout(4), n)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- sizes beyond counting ---


def permuted(modes: list[tuple[int, int]]) -> Layout[Any, Any]:
    """The layout of modes in another order."""
    modes = Random(len(modes)).sample(modes, len(modes))
    return Layout(tuple(s for s, _d in modes), tuple(d for _s, d in modes))


def test_large_and_compact() -> None:
    for sizes in ([10**4] * 3, [2] * 60, [3, 5, 2] * 20):
        modes = [(s, prod(sizes[:i])) for i, s in enumerate(sizes)]
        layout = permuted(modes)
        assert is_injective(layout)
        assert is_bijective(layout)
        assert is_contiguous(layout)
        assert is_surjective_onto(layout, layout.size)
        assert not is_surjective_onto(layout, layout.size - 1)
        padded = permuted([(s, 2 * d) for s, d in modes])
        assert is_injective(padded)
        assert not is_contiguous(padded)
        last, step = modes[-1]
        overlapping = permuted([*modes[:-1], (last, step - 1)])
        assert not is_injective(overlapping)
        assert is_surjective_onto(overlapping, layout.size - last + 1)
        pair = collision(overlapping)
        assert pair is not None
        check_witness(overlapping, pair)


def test_large_and_overlapping() -> None:
    window = Layout((10**6, 10**6, 3, 3), (1, 10**6 + 2, 1, 10**6 + 2))
    pair = collision(window)
    assert pair is not None
    check_witness(window, pair)


def test_two_modes_meet_at_their_least_common_multiple() -> None:
    d, e = 10**9 + 7, 10**9
    assert is_injective(Layout((e, d), (d, e)))
    assert is_injective(Layout((10**12, d), (d, e)))
    assert collision(Layout((e + 1, d + 1), (d, e))) == ((e, 0), (0, d))
    assert collision(Layout((e + 1, d + 1), (6 * d, 6 * e))) == ((e, 0), (0, d))


def test_groups_of_interleaved_modes() -> None:
    modes = [(s, d * 100**i) for i in range(30) for s, d in ((2, 3), (3, 2))]
    assert is_injective(permuted(modes))
    layout = permuted([*modes, (2, 5 * 100**17)])
    pair = collision(layout)
    assert pair is not None
    check_witness(layout, pair)
    assert sum(map(bool, tla.flatten_to_tuple(pair))) == 3  # 2 + 3 == 5, and nothing else


def test_strides_that_only_divisors_separate() -> None:
    primes = [p for p in range(2, 150) if all(p % q for q in range(2, p))]
    strides = [prod(primes) // p for p in primes]
    assert is_injective(permuted(list(zip(primes, strides, strict=True))))
    assert not is_injective(permuted([(p + 1, d) for p, d in zip(primes, strides, strict=True)]))


def test_distinct_subset_sums() -> None:
    """The Conway-Guy sequence: 9 numbers, as small as known, of which no two sets have one sum."""
    guy = (77, 117, 137, 148, 154, 157, 159, 160, 161)
    assert is_injective(Layout((2,) * 9, guy))
    assert not is_injective(Layout((2,) * 9, (*guy[:-1], 162)))


def test_fibonacci() -> None:
    f = [1, 2]
    while len(f) < 120:
        f.append(f[-1] + f[-2])
    pair = collision(permuted([(2, d) for d in f[:60]]))
    assert pair is not None
    check_witness(permuted([(2, d) for d in f[:60]]), pair)
    assert is_injective(permuted([(2, d) for d in f[::2]]))


def test_more_coordinates_than_offsets() -> None:
    """Sixty numbers below 2**50: where two sets of them have one sum is open, that they do is not."""
    random = Random(7)
    layout = Layout((2,) * 60, tuple(random.getrandbits(50) for _ in range(60)))
    assert not is_injective(layout)
    with pytest.raises(UndecidedError, match="cannot find within 100000 steps where") as caught:
        collision(layout)
    assert "more coordinates than offsets" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("(2,2):(A,B)", ["A >= B", "A >= 2 * B"]),
        ("(2,3):(A,3)", ["A >= 3", "A >= 9"]),
        ("(4,A):(B,1)", ["B >= A"]),
        ("(A,B):(C,1)", ["C >= B"]),
        ("(A,B,C):(B,1,D)", ["D >= A * B"]),
        ("(A,B):(0,C)", ["A == 1"]),
    ],
)
def test_what_is_asked_settles_which_modes_nest(text: str, asked: list[str]) -> None:
    with ExitStack() as conditions:
        for condition in asked:
            with pytest.raises(UndecidedError, match="cannot decide whether") as caught:
                is_injective(tla.parse(text))
            obligation: Any = caught.value.obligation
            assert str(obligation) == condition
            conditions.enter_context(assume(obligation))
        assert is_injective(tla.parse(text))


@pytest.mark.parametrize(("count", "bits"), [(22, 60), (60, 70), (60, 100), (200, 300)])
@pytest.mark.parametrize("fact", [is_injective, collision])
def test_a_search_ends(fact: Any, count: int, bits: int) -> None:
    random = Random(count)
    stride = tuple(random.getrandbits(bits) for _ in range(count))
    layout = Layout(((2,) * count, 5), (stride, 2 ** (bits + 20)))
    with pytest.raises(UndecidedError, match="cannot decide within 100000 steps whether") as caught:
        fact(layout)
    error = caught.value
    assert (error.layout, error.modes, error.steps) == (layout, tuple(range(count)), limit_of("steps"))
    assert f"{count} of its modes are tangled: 2:{stride[0]}, 2:{stride[1]}, " in str(error)
    assert "5:" not in error.details[0]  # the mode above them all has no part in it


def test_an_undecided_part_names_the_modes_joined_in_it() -> None:
    layout = Layout((2, 2, 1, 2, 3, 2, 2, 2), (101, 202, 5, 997, 10**6, 787, 617, 529))
    with limits(steps=10), pytest.raises(UndecidedError) as caught:
        is_injective(layout)
    assert caught.value.summary == (
        "cannot decide within 10 steps whether "
        "(2,2,1,2,3,2,2,2):(101,202,5,997,1000000,787,617,529) is injective"
    )
    assert caught.value.details[0] == (
        "6 of its modes are tangled: 2:101, 2:202, 2:997, 2:787, 2:617, 2:529."
    )
    assert (caught.value.modes, caught.value.steps) == ((0, 1, 3, 5, 6, 7), 10)


@given(layouts(shapes(max_size=300, min_extent=2, min_rank=3, max_rank=8, max_depth=1), max_stride=600))
def test_a_short_search_never_guesses(layout: Any) -> None:
    for work in (0, 5, 30):
        with limits(steps=work):
            try:
                pair = collision(layout)
            except UndecidedError:
                continue
        assert (pair is None) is not repeats(naive_offsets(layout))
        if pair is not None:
            check_witness(layout, pair)


def repeats(offsets: list[int]) -> bool:
    return len(set(offsets)) < len(offsets)


def test_no_layout_of_few_coordinates_is_undecided() -> None:
    """Where the work is greatest: modes of one size, strides that are no multiples of each other."""
    for extent, count in [(2, 13), (3, 8), (5, 5), (9, 4), (20, 3), (99, 2)]:
        random = Random(extent)
        for bits in (14, 16, 20, 40):
            strides = tuple(random.getrandbits(bits) | 1 for _ in range(count))
            sums = [0]
            for d in strides:
                sums = [p + i * d for i in range(extent) for p in sums]
            assert is_injective(Layout((extent,) * count, strides)) is not repeats(sums)


def test_three_large_modes() -> None:
    """``x*(k+a) + y*(k+b) + z*k == 0`` with k large is x + y + z == 0 and x*a + y*b == 0."""
    n, k = 10**4, 10**13
    assert is_injective(Layout((n, n, n), (k + 10007, k + 20011, k)))
    assert collision(Layout((n, n, n), (k + 101, k + 103, k))) == ((103, 0, 0), (0, 101, 2))


# --- symbolic ---


@pytest.mark.parametrize(
    "layout",
    [
        Layout((M, 4)),
        Layout((4, (M, N))),
        Layout((M, N), (N, 1)),
        Layout((MAY_BE_EMPTY, 4)),
        Layout((4, MAY_BE_EMPTY)),
        Layout((M, 1), (1, N)),
    ],
)
def test_symbolic_and_compact(layout: Any) -> None:
    assert is_injective(layout)
    assert collision(layout) is None
    assert is_contiguous(layout)
    assert is_bijective(layout)


def test_symbolic_modes_above_plain_ones() -> None:
    assert is_injective(Layout((4, M), (1, -8)))
    assert is_injective(Layout(((3, 2), M), ((2, 3), 8)))
    assert is_injective(Layout((0, M), (0, 0)))
    assert not is_injective(Layout((M, 4), (1, 0)))
    assert collision(Layout(((4, 3), M), ((2, 3), 100))) == (((3, 0), 0), ((0, 2), 0))


def test_symbolic_and_colliding() -> None:
    many = sym("K", min=2)
    for layout in (
        Layout((many, M), (0, 1)),
        Layout((many, many), (1, 1)),
        Layout((many, 4), (M, M)),
        Layout((many * 4, M, many), (3, 1, 6)),
    ):
        pair = collision(layout)
        assert pair is not None
        assert not is_injective(layout)
        plain = layout.bind(K=3, M=7)
        check_witness(plain, tla.transform_leaf(lambda x: evaluate(x, {"K": 3, "M": 7}), pair))


def test_symbolic_and_onto() -> None:
    assert is_surjective_onto(Layout((M, 4)), M * 4)
    assert is_surjective_onto(Layout((4, M), (1, 2)), 4 + (M - 1) * 2)
    assert is_surjective_onto(Layout((0, M)), 0)
    assert not is_surjective_onto(Layout((4, M), (2, 8)), M)
    assert not is_surjective_onto(Layout((4, M), (-1, 4)), M)
    assert not is_contiguous(Layout((4, M), (2, 8)))
    assert not is_bijective(Layout((4, M), (-1, 4)))


@given(layouts(shapes(min_rank=1), min_stride=-3, max_stride=9), st.data())
def test_an_answer_with_unknowns_holds_for_their_values(plain: Any, data: st.DataObject) -> None:
    """One extent and one stride hidden, the stride perhaps the same unknown."""
    shape, stride = (list(tla.flatten_to_tuple(x)) for x in (plain.shape, plain.stride))
    if not shape:
        return
    i, j = (data.draw(st.integers(0, len(shape) - 1)) for _ in range(2))
    values = {"M": int(shape[i])}
    shape[i] = sym("M", min=data.draw(st.integers(0, int(shape[i]))))
    if stride[j] == values["M"]:
        stride[j] = shape[i]
    elif data.draw(st.booleans()):
        values["N"] = int(stride[j])
        stride[j] = sym("N", min=int(stride[j]))
    hidden = Layout(tuple(shape), tuple(stride))
    known = hidden.bind(**values)
    for fact in (is_injective, is_bijective, is_contiguous):
        with suppress(UndecidedError):
            assert fact(hidden) is fact(known)
    for n in (hidden.size, len(set(naive_offsets(known)))):
        with suppress(UndecidedError):
            assert is_surjective_onto(hidden, n) is is_surjective_onto(known, evaluate(n, values))


@pytest.mark.parametrize(
    ("layout", "facts"),
    [
        (Layout((M, N), (1, 1)), FACTS),
        (Layout((4, 3), (1, M)), FACTS),
        (Layout((M, 4), (1, 5)), FACTS),
        (Layout((MAY_BE_EMPTY, 4), (2, 2)), FACTS),
        (Layout(M, N), (is_bijective, is_contiguous)),  # injective, since N is at least 1
    ],
)
def test_open_facts(layout: Any, facts: Any) -> None:
    for fact in facts:
        with pytest.raises(UndecidedError, match="cannot decide whether"):
            fact(layout)
    with pytest.raises(UndecidedError, match="cannot decide whether"):
        is_surjective_onto(layout, 12)


def test_onto_an_open_number() -> None:
    for layout, n in [
        (Layout((M, 4)), 16),
        (Layout((M, 4)), N),
        (Layout(4), M),
        (Layout(0), MAY_BE_EMPTY),
        (Layout((MAY_BE_EMPTY, 4)), MAY_BE_EMPTY * 4),
    ]:
        with pytest.raises(UndecidedError, match="cannot decide whether"):
            is_surjective_onto(layout, n)


def test_facts_of_static_dynamic_and_unknown_ints() -> None:
    def fact(layout: Any, n: Any) -> bool:
        return is_injective(layout) and is_bijective(layout) and is_surjective_onto(layout, n)

    assert fact(Layout((M, 4)), M * 4)
    assert fact(Layout((_3, 4)), 12)
    assert fact(Layout((_3, _4)), Int(12))
