"""Named unknowns: facts, equality, bad input."""

import pickle
from typing import Any

import numpy as np
import pytest

from tla import Int, LayoutError, LeafError
from tla.numbers import Expr, Symbol, sym
from tla.numbers.symbols import RESERVED, is_name


def symbol_of(x: Expr) -> Symbol:
    (symbol,) = x.symbols
    return symbol


def test_by_default_it_is_what_an_extent_is() -> None:
    M = sym("M")  # noqa: N806
    assert M.bounds == (1, None)
    assert M.divisor == 1
    assert (symbol_of(M).least, symbol_of(M).greatest, symbol_of(M).cpp_type) == (1, None, "")


@pytest.mark.parametrize(
    ("facts", "bounds", "divisor"),
    [
        ({"divisible_by": 16}, (16, None), 16),
        ({"divisible_by": 16, "min": 0}, (0, None), 16),
        ({"divisible_by": 16, "min": 17, "max": 100}, (32, 96), 16),
        ({"min": None}, (None, None), 1),
        ({"min": None, "max": -1}, (None, -1), 1),
        ({"divisible_by": 4, "min": -7, "max": 7}, (-4, 4), 4),
        ({"min": 5, "max": 5}, (5, 5), 1),
        ({"min": 0, "max": sym("N") - 1}, (0, None), 1),
        ({"min": 0, "max": sym("N", max=8) - 1}, (0, 7), 1),
        ({"min": sym("N"), "max": 9}, (1, 9), 1),
    ],
)
def test_range_and_divisor(facts: dict[str, Any], bounds: Any, divisor: int) -> None:
    x = sym("x", **facts)
    assert x.bounds == bounds
    assert x.divisor == divisor


def test_ints_of_every_kind_are_facts() -> None:
    plain = sym("x", 4, 8, 40)
    for kind in (Int, np.int64, np.uint8):
        assert bool(sym("x", kind(4), kind(8), kind(40)) == plain)
    assert type(symbol_of(sym("x", min=Int(3))).least) is int


def test_equal_if_all_facts_are() -> None:
    assert bool(sym("x") == sym("x", 1, 1, None))
    for other in (sym("y"), sym("x", 2), sym("x", min=2), sym("x", max=9), sym("x", cpp_type="int")):
        assert not bool(sym("x") == other)


@pytest.mark.parametrize("name", ["M", "m", "M1", "tile_m", "a_", "Mtot"])
def test_names(name: str) -> None:
    assert is_name(name)
    assert symbol_of(sym(name)).name == name
    assert bool(pickle.loads(pickle.dumps(sym(name))) == sym(name))


@pytest.mark.parametrize(
    "name", ["", "_", "_4", "4", "M-1", "M 1", "M.x", "é", "²", "M²", *sorted(RESERVED)]
)
def test_what_names_nothing(name: str) -> None:
    assert not is_name(name)
    with pytest.raises(LayoutError) as caught:
        sym(name)
    assert caught.value.summary == f"{name!r} does not name a symbol"
    assert caught.value.name == name


@pytest.mark.parametrize("name", [None, 4, b"M", ["M"], {"M": 1}])
def test_a_name_that_is_no_text(name: Any) -> None:
    with pytest.raises(LayoutError) as caught:
        sym(name)
    assert caught.value.summary == f"{name!r} does not name a symbol"


@pytest.mark.parametrize("divisor", [0, -4, sym("N")])
def test_a_divisor_that_is_not_positive(divisor: Any) -> None:
    with pytest.raises(LayoutError) as caught:
        sym("M", divisible_by=divisor)
    assert caught.value.summary == f"M cannot be divisible by {divisor}"


@pytest.mark.parametrize("bad", [True, 4.0, "4", [4]])
def test_facts_that_are_no_ints(bad: Any) -> None:
    given: Any
    for given in ({"divisible_by": bad}, {"min": bad}, {"max": bad}):
        with pytest.raises(LeafError) as caught:
            sym("M", **given)
        assert (
            caught.value.summary
            == f"expected an int or a symbolic int, got {type(bad).__name__} {bad!r}"
        )


@pytest.mark.parametrize(
    ("facts", "summary"),
    [
        ({"max": 0}, "no M lies between 1 and 0"),
        ({"min": 5, "max": 4}, "no M lies between 5 and 4"),
        ({"divisible_by": 16, "max": 15}, "no M lies between 1 and 15 among the multiples of 16"),
        (
            {"divisible_by": 8, "min": 9, "max": 15},
            "no M lies between 9 and 15 among the multiples of 8",
        ),
        ({"max": sym("n", max=5) - 6}, "no M lies between 1 and n{max=5}-6"),
    ],
)
def test_an_empty_range(facts: dict[str, Any], summary: str) -> None:
    with pytest.raises(LayoutError) as caught:
        sym("M", **facts)
    assert caught.value.summary == summary


def test_nothing_else_is_taken() -> None:
    make: Any = sym
    with pytest.raises(TypeError):
        make("M", lowest=3)
    with pytest.raises(TypeError):
        make("M", 1, 1, None, "int")
