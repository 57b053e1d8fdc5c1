"""Mutual refinement: the one pair with the fewest ints, or none where a cut does not divide."""

from itertools import pairwise, product as pairs_of
from math import prod
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import DivisibilityError, LeafError, UndecidedError, _2, _3, _6
from tla.algebra.modes import in_profile, leaf_names
from tla.algebra.refinement import mutual_refinement
from tla.numbers import evaluate, sym
from tla.testing import shapes


def is_prefix(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return a[: len(b)] == b[: len(a)]


def check(a: Any, b: Any) -> None:
    """What a mutual refinement is."""
    left, right = mutual_refinement(a, b)
    assert tla.compatible(a, left)
    assert tla.compatible(b, right)
    assert is_prefix(tla.flatten_to_tuple(left), tla.flatten_to_tuple(right))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # the example of the paper and of tract, and its mirror image
        ((6, 6), (2, 6, 6), (((2, 3), (2, 3)), (2, (3, 2), (3, 2)))),
        ((2, 6, 6), (6, 6), ((2, (3, 2), (3, 2)), ((2, 3), (2, 3)))),
        # the three of its animation
        ((12, 12, 6), (2, 6, 6, 6, 6), (((2, 6), (6, 2), (3, 2)), (2, 6, 6, (2, 3), (2, 3)))),
        (
            (8, 16, 8),
            (2, 2, 4, 2, 2, 4, 2, 4, 8),
            (((2, 2, 2), (2, 2, 2, 2), (2, 2, 2)), (2, 2, (2, 2), 2, 2, (2, 2), 2, (2, 2), 8)),
        ),
        (24, 24, (24, 24)),
        (24, (2, (3, 4)), ((2, 3, 4), (2, (3, 4)))),
        (((4,),), 2, (((((2, 2),),), 2))),
        ((2, 1, 3), 6, ((2, 1, 3), (2, 1, 3))),
        ((2, 3, 1), 6, ((2, 3, 1), (2, 3))),
        ((), (2, 3), ((), (2, 3))),
        ((0, 5), (2, 3), (((2, 3, 0), 5), (2, 3))),
    ],
)
def test_worked_examples(a: Any, b: Any, expected: Any) -> None:
    assert mutual_refinement(a, b) == expected
    check(a, b)


@given(shapes(min_extent=1), shapes(min_extent=1))
def test_the_laws_hold_or_there_is_an_error(a: Any, b: Any) -> None:
    try:
        check(a, b)
    except DivisibilityError:
        assert not chained(tla.flatten_to_tuple(a), tla.flatten_to_tuple(b))
    else:
        assert chained(tla.flatten_to_tuple(a), tla.flatten_to_tuple(b))


def chained(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether the products of the first ints, up to the first that reaches the end of one, divide."""
    cuts = sorted({prod(x[:i]) for x in (a, b) for i in range(len(x) + 1)})
    end = min(prod(a), prod(b))
    reached = [p for p in cuts if p <= end] + [p for p in cuts if p > end][:1]
    return all(q % p == 0 for p, q in pairs_in_row(reached))


def pairs_in_row(x: list[int]) -> list[tuple[int, int]]:
    return list(pairwise(x))


def factorings(n: int) -> list[tuple[int, ...]]:
    """All tuples of factors of at least 2 with the product n, and ``(n,)``."""
    out: list[tuple[int, ...]] = [(n,)]
    for first in range(2, n):
        if n % first == 0:
            out += [(first, *rest) for rest in factorings(n // first)]
    return out


def test_it_has_the_fewest_ints_and_exists_whenever_one_does() -> None:
    small = [x for r in (1, 2, 3) for x in pairs_of((2, 3, 4, 6, 12), repeat=r) if prod(x) <= 48]
    for a, b in pairs_of(small, repeat=2):
        options = [
            (left, right)
            for left in refinements(a)
            for right in refinements(b)
            if is_prefix(left, right)
        ]
        try:
            found = mutual_refinement(a, b)
        except DivisibilityError:
            assert not options, (a, b)
            continue
        fewest = min(len(left) + len(right) for left, right in options)
        best = [pair for pair in options if len(pair[0]) + len(pair[1]) == fewest]
        assert best == [tuple(map(tla.flatten_to_tuple, found))], (a, b)


def refinements(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(n for part in parts for n in part) for parts in pairs_of(*map(factorings, shape))]


@given(st.data())
def test_common_refinements_are_found(data: st.DataObject) -> None:
    """Two groupings of one list of ints."""
    flat = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=6)))

    def grouped() -> tuple[int, ...]:
        cuts = sorted(data.draw(st.sets(st.integers(1, len(flat)))) | {0, len(flat)})
        return tuple(prod(flat[i:j]) for i, j in pairs_in_row(cuts))

    check(grouped(), grouped())


def test_static_ints_stay_static() -> None:
    assert tla.static_mask(mutual_refinement((_6, _6), (_2, _6, _3))) == (
        ((True, True), (True, True)),
        (True, (True, True), True),
    )
    assert tla.static_mask(mutual_refinement((6,), (_2, _3))) == (((True, False),), (True, True))


def test_errors_name_both_ints() -> None:
    with pytest.raises(DivisibilityError) as error:
        mutual_refinement((6, (6, 2)), (2, (6, 4)))
    assert str(error.value) == (
        "(6,(6,2)) and (2,(6,4)) have no mutual refinement\n"
        "  On the left 3, left of the 6 of mode 1.0, meets 4 of mode 1.1 on the right:"
        " neither of 3 and 4 divides the other.\n"
        "  Pad one of them to a multiple of the other, or split both where their products agree."
    )
    assert (error.value.modes, error.value.extents) == (("1.0", "1.1"), (3, 4))
    with pytest.raises(DivisibilityError, match=r"On the left 6 of mode 0 meets 4 of mode 0 on the"):
        mutual_refinement(6, 4)
    with pytest.raises(DivisibilityError):
        mutual_refinement((0, 5), (0, 3))
    for bad in (1.5, True, "6", None, [2]):
        with pytest.raises(LeafError):
            mutual_refinement((6, bad), 6)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(tla.LayoutError, match="negative"):
        mutual_refinement(-6, 6)


@pytest.mark.parametrize("m", [4, 16, 48])
def test_unknown_extents(m: int) -> None:
    """An int that may be all of another is cut nevertheless; what is left may then be 1."""
    many = sym("M", divisible_by=4)
    left, right = mutual_refinement((many, 3), (4,))
    assert (tla.to_text(left), right) == ("((4,M/4),3)", (4,))
    assert tla.compatible((m, 3), tla.transform_leaf(lambda x: evaluate(x, {"M": m}), left))
    assert mutual_refinement((2, many), (2, (many, 5))) == ((2, many), (2, (many, 5)))
    assert mutual_refinement((many * 6, 5), many) == (((many, 6), 5), many)
    with pytest.raises(UndecidedError, match=r"cannot decide whether M % 6 == 0"):
        mutual_refinement(sym("M"), 6)


def test_profiles() -> None:
    assert leaf_names(((4, (2,)), 3, ())) == ["0.0", "0.1.0", "1"]
    assert in_profile([1, (2, 3)], (0, (0, ()))) == (1, ((2, 3), ()))
