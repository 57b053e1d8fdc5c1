"""Expressions that nest deeply: time and stack grow with what is written, not with what could be."""

from __future__ import annotations

import inspect
import sys
from functools import partial
from typing import Any

import pytest

from tla import UndecidedError
from tla.indexing import IndexingMap, compose, dim, parse_map, simplify, to_layout
from tla.indexing.exact.building import isl_text


def nested(depth: int) -> IndexingMap:
    """Sums under so many divisions, each of several terms."""
    x: Any = dim(0)
    for i in range(depth):
        x = (x * 3 + dim(i % 3) * 2 + 1) // 7
    return IndexingMap([x], [100] * 3)


@pytest.mark.parametrize("form", ["2025", "2026", "old"])
def test_each_summand_is_written_once(form: str) -> None:
    m = nested(60)
    assert parse_map(m.text(form)) == m
    assert len(repr(m.results[0])) < 60 * 40


def test_maps_nest_deeper_than_the_stack(request: pytest.FixtureRequest) -> None:
    request.addfinalizer(partial(sys.setrecursionlimit, sys.getrecursionlimit()))
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    m = nested(60)
    assert simplify(m, exact=False) == m
    shift = IndexingMap([dim(2), dim(0), dim(1)], [100] * 3)
    turned = compose(shift, compose(shift, compose(shift, m)))
    assert turned.with_parts(constraints=()) == m
    assert simplify(compose(shift, m), exact=False).dims == shift.dims


def test_a_part_that_stands_in_many_places_has_one_name() -> None:
    x: Any = dim(0)
    for _ in range(40):  # written out it would have 2**40 parts
        x = (x * 3 + x % 5 * 4 + dim(1)) // 7
    text = isl_text(IndexingMap([x], [100] * 2), [], False)
    assert text.count("= floor(") == 80
    assert len(text) < 80 * 1000


def test_a_large_box_is_never_held_whole() -> None:
    m = IndexingMap([dim(0)], [2**600], constraints=[(dim(0) % 2**599, (0, 2**598))])
    with pytest.raises(UndecidedError, match="leave its domain a box"):
        to_layout(m)
