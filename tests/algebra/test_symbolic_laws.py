"""Operations on layouts of unknowns: what they give, bound to numbers, is the naive table."""

from __future__ import annotations

from itertools import product as tuples_of
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import ContradictionError, Layout, LayoutError, UndecidedError, assume
from tla.numbers import sym
from tla.testing import (
    naive_extended,
    naive_is_complement,
    naive_is_left_inverse,
    naive_is_right_inverse,
    naive_offsets,
)

from .test_symbolic import bound

if TYPE_CHECKING:
    from collections.abc import Iterator

M, N = sym("M"), sym("N")
EXTENTS: Any = st.sampled_from([2, 3, 4, 8, M, N, 2 * M, 4 * N])
STRIDES: Any = st.sampled_from([0, 1, 2, 3, 4, 8, 100, M, 2 * M, 8 * N, M * N])


@st.composite
def layouts_of_unknowns(draw: st.DrawFn, most: int) -> Any:
    """Layouts whose modes follow each other, or step as they like."""
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=most)))
    compact: Any = Layout(shape)
    steps = zip(shape, compact.stride, strict=True)
    return Layout(shape, tuple(d if draw(st.booleans()) else draw(STRIDES) for _s, d in steps))


def answers(call: Any, *args: Any) -> Iterator[tuple[Any, Any]]:
    """The arguments and the result, in numbers, for all small numbers that meet what is asked."""
    needs: list[Any] = []
    result: Any = None
    while result is None:
        try:
            with assume(*needs):
                result = call(*args)
        except (ContradictionError, LayoutError):  # what it asks for is false, or there is no answer
            return
        except UndecidedError as error:
            need = getattr(error, "obligation", None)
            if need is None:
                return
            assert need not in needs
            needs.append(need)
    for m, n in tuples_of((1, 2, 3, 6), repeat=2):
        if all(need.holds(M=m, N=n) for need in needs):
            yield tuple(bound(x, {"M": m, "N": n}) for x in args), bound(result, {"M": m, "N": n})


@given(layouts_of_unknowns(3), layouts_of_unknowns(2))
def test_a_composition_is_the_table(a: Any, b: Any) -> None:
    for (outer, inner), found in answers(tla.composition, a, b):
        assert naive_offsets(found) == [naive_extended(outer, i) for i in naive_offsets(inner)]


@pytest.mark.parametrize("step", [1, 2, 4])
def test_modes_that_carry_are_asked_about(step: int) -> None:
    """(8,2):(2,2) counts 0 to 16: its modes together pass the 8 of the other's first mode."""
    outer, inner = Layout((8, M), (step, 100)), Layout((8, 2), (2, 2))
    for (a, b), found in answers(tla.composition, outer, inner):
        assert naive_offsets(found) == [naive_extended(a, i) for i in naive_offsets(b)]


@given(layouts_of_unknowns(3))
def test_a_coalesced_layout_is_the_same_function(layout: Any) -> None:
    for (plain,), found in answers(tla.coalesce, layout):
        assert naive_offsets(found) == naive_offsets(plain)


@given(layouts_of_unknowns(2))
def test_a_complement_fills_up(layout: Any) -> None:
    for (plain,), found in answers(tla.complement, layout):
        assert naive_is_complement(plain, found)


@given(layouts_of_unknowns(2))
def test_inverses_undo(layout: Any) -> None:
    for (plain,), left in answers(tla.left_inverse, layout):
        assert naive_is_left_inverse(plain, left)
    for (plain,), right in answers(tla.right_inverse, layout):
        assert naive_is_right_inverse(plain, right)


@given(layouts_of_unknowns(2), st.sampled_from([2, 4, M, Layout(2, 2), Layout(4, 3)]))
def test_a_division_keeps_every_element_once(layout: Any, tile: Any) -> None:
    for (plain, _tile), found in answers(exactly, layout, tile):
        assert sorted(naive_offsets(found)) == sorted(naive_offsets(plain))


def exactly(layout: Any, tile: Any) -> Any:
    return tla.logical_divide(layout, tile, exact=True)
