"""Static ints: what stays static, what is refused, and the arithmetic of blocks."""

import copy
import json
import operator
import pickle
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    CongruenceError,
    Int,
    LeafError,
    StaticIntError,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _7,
    _12,
    add,
    ceil_div,
    is_static,
    known_divides,
    known_eq,
    known_lt,
    max_,
    min_,
    round_down,
    round_up,
    same_static,
    static_mask,
)
from tla.testing import int_tuples

ints = st.integers(-(2**70), 2**70)
small = st.integers(-1000, 1000)
positive = st.integers(1, 1000)

OPERATORS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.or_,
    operator.xor,
]


# --- one object for each value ---


def test_equal_values_are_one_object() -> None:
    assert Int(4) is Int(4) is _4 is Int(_4)
    assert Int(70000) is Int(70000)
    assert Int(2) + Int(2) is _4
    assert Int(-3) is -_3


@pytest.mark.parametrize("n", [0, 4, -2, 131072, 70000, -(2**70)])
def test_copies_are_the_object(n: int) -> None:
    x = Int(n)
    assert copy.copy(x) is copy.deepcopy(x) is x
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(x, protocol)) is x
    assert copy.deepcopy([x, (x,)]) == [x, (x,)]


def test_every_named_int_has_its_value() -> None:
    named = [name for name in tla.__all__ if name[0] == "_" and name[1:].isdigit()]
    assert {f"_{n}" for n in range(129)} <= {*named}
    assert {*named} <= {*tla.numbers.ints.__all__}
    for name in named:
        assert getattr(tla, name) is Int(int(name[1:]))
        assert repr(getattr(tla, name)) == name


@pytest.mark.parametrize("bad", [True, False, 4.0, "4", b"4", None, 4j, [4], (4,)])
def test_only_an_int_makes_a_static_int(bad: Any) -> None:
    with pytest.raises(StaticIntError, match="a static int needs an int, not") as caught:
        Int(bad)
    assert isinstance(caught.value, TypeError)
    assert caught.value.value is bad


def test_annotations_at_run_time() -> None:
    assert Int[4] == Int[Literal[4]]  # type: ignore[valid-type]  # ty: ignore[invalid-type-form]
    assert Int[4] != Int[Literal[5]]  # type: ignore[valid-type]  # ty: ignore[invalid-type-form]


# --- what stays static ---


@pytest.mark.parametrize("op", OPERATORS)
@given(a=ints, b=ints.filter(bool))
def test_static_with_static_is_static(op: Callable[[Any, Any], Any], a: int, b: int) -> None:
    assert op(Int(a), Int(b)) is Int(op(a, b))


@pytest.mark.parametrize("op", OPERATORS)
@given(a=ints, b=ints.filter(bool))
def test_anything_else_is_dynamic(op: Callable[[Any, Any], Any], a: int, b: int) -> None:
    for got in (op(Int(a), b), op(a, Int(b))):
        assert type(got) is int
        assert got == op(a, b)


@given(a=ints, b=st.integers(0, 80))
def test_shifts_and_powers(a: int, b: int) -> None:
    assert Int(a) << Int(b) is Int(a << b)
    assert Int(a) >> Int(b) is Int(a >> b)
    assert Int(a) ** Int(b) is Int(a**b)
    for got in (Int(a) << b, a << Int(b), Int(a) >> b, a >> Int(b), Int(a) ** b, a ** Int(b)):
        assert type(got) is int


def test_power_with_a_modulus() -> None:
    assert pow(_3, _4, _7) is _4
    assert [type(x) for x in (pow(_3, 4, _7), pow(_3, _4, 7), pow(3, _4, _7))] == [int] * 3
    assert _2**-1 == 0.5


@given(a=ints, b=ints.filter(bool))
def test_divmod(a: int, b: int) -> None:
    q, r = divmod(Int(a), Int(b))
    assert (q, r) == divmod(a, b)
    assert type(q) is type(r) is Int
    for mixed in (divmod(Int(a), b), divmod(a, Int(b))):
        assert mixed == divmod(a, b)
        assert [type(x) for x in mixed] == [int, int]


@given(ints)
def test_unary_operators(n: int) -> None:
    assert -Int(n) is Int(-n)
    assert +Int(n) is Int(n)
    assert abs(Int(n)) is Int(abs(n))
    assert ~Int(n) is Int(~n)


def test_zero_times_a_dynamic_int_is_dynamic() -> None:
    assert [type(x) for x in (_0 * 5, 5 * _0)] == [int, int]


@pytest.mark.parametrize("op", OPERATORS)
def test_bools_are_dynamic(op: Callable[[Any, Any], Any]) -> None:
    assert type(op(_4, True)) is int
    assert type(op(True, _4)) is int


def test_floats_and_true_division_stay_floats() -> None:
    assert (_7 / _2, _7 * 0.5, 0.5 * _7, _7 - 0.5, _7 // 2.0) == (3.5, 3.5, 3.5, 6.5, 3.0)


def test_division_by_static_zero_raises() -> None:
    for op in (operator.floordiv, operator.mod, divmod):
        with pytest.raises(ZeroDivisionError):
            op(_4, _0)


@pytest.mark.parametrize("op", OPERATORS)
def test_numpy_ints_are_dynamic_on_both_sides(op: Callable[[Any, Any], Any]) -> None:
    np = pytest.importorskip("numpy")
    for kind in (np.int64, np.int32, np.uint8):
        for got in (op(_12, kind(5)), op(kind(5), _12)):
            assert isinstance(got, np.integer)
        assert op(_12, kind(5)) == op(12, 5)


def test_numpy_takes_and_makes_static_ints() -> None:
    np = pytest.importorskip("numpy")
    assert np.zeros((_2, _3)).shape == (2, 3)
    assert Int(np.int64(4)) is _4
    for flag in (np.True_, np.float64(4)):
        with pytest.raises(StaticIntError):
            Int(flag)
    assert type(tla.make_tuple(np.int64(4))[0]) is int


# --- it is an int ---


def test_equality_and_hash_are_those_of_the_value() -> None:
    assert _2 == 2 == _2
    assert hash(_2) == hash(2)
    assert {2: "two"}[_2] == "two"
    assert len({2, _2}) == 1
    assert _2 != 3
    assert _2 < 3 < _4


def test_it_works_where_an_int_does() -> None:
    assert list(range(_3)) == [0, 1, 2]
    assert "abc"[_1] == "b"
    assert [0] * _3 == [0, 0, 0]
    assert json.dumps({"n": [_2, Int(-3)]}) == '{"n": [2, -3]}'
    assert isinstance(_2, int)
    assert not _0
    assert _12.bit_length() == 4


def test_text() -> None:
    assert str(_2) == f"{_2}" == f"{_2!s}" == "_2"
    assert (str(Int(-4)), repr(Int(-4)), repr(Int(70000))) == ("_-4", "Int(-4)", "Int(70000)")
    assert (f"{_12:d}", f"{_12:04x}", f"{_12:>5d}", "%d" % _12) == ("12", "000c", "   12", "12")  # noqa: UP031
    assert f"{_12!r}" == "_12"


NAMES = {name: getattr(tla, name) for name in tla.__all__}


@given(ints)
def test_repr_evaluates_to_the_object(n: int) -> None:
    assert eval(repr(Int(n)), NAMES) is Int(n)


def test_traps_that_remain_have_a_way_out() -> None:
    assert is_static(max(_2, 1))  # builtin max returns an argument
    assert not is_static(max_(_2, 1))
    assert not is_static(sum([_2, _3]))
    assert is_static(sum([_2, _3], start=_0))


# --- functions of ints ---


@given(a=small, b=positive)
def test_rounding_laws(a: int, b: int) -> None:
    up, down = round_up(a, b), round_down(a, b)
    assert down <= a <= up < down + 2 * b
    assert up % b == down % b == 0
    assert up - b < a < down + b
    assert ceil_div(a, b) * b == up
    assert (ceil_div(a, b) - 1) * b < a <= ceil_div(a, b) * b


@given(a=small, b=positive)
def test_rounding_is_static_where_both_are(a: int, b: int) -> None:
    for f in (ceil_div, round_up, round_down):
        assert f(Int(a), Int(b)) is Int(f(a, b))
        assert type(f(Int(a), b)) is type(f(a, Int(b))) is int


@given(st.lists(int_tuples(small), min_size=1, max_size=4))
def test_max_and_min_are_of_all_leaves(xs: list[Any]) -> None:
    leaves = tla.flatten_to_tuple(tuple(xs))
    if not leaves:
        with pytest.raises(LeafError):
            max_(*xs)
        return
    assert max_(*xs) == max(leaves)
    assert min_(*xs) == min(leaves)
    assert is_static(max_(*xs)) == is_static(min_(*xs)) == all(map(is_static, leaves))


@given(int_tuples(small), st.data())
def test_add_is_leaf_by_leaf(x: Any, data: st.DataObject) -> None:
    y = tla.transform_leaf(lambda _n: data.draw(small), x)
    total = add(x, y)
    assert tla.congruent(total, x)
    flat = zip(*map(tla.flatten_to_tuple, (x, y, total)), strict=True)
    assert all(a + b == c for a, b, c in flat)
    assert add(x, y) == add(y, x)


def test_add_keeps_what_is_static() -> None:
    assert same_static(add((_0, (_2, 3)), (3, (_4, _5))), (3, (Int(6), 8)))


@pytest.mark.parametrize(
    ("a", "b"), [((1, 2), 3), (3, (1, 2)), ((1, 2), (1, 2, 3)), ((1, (2,)), (1, 2))]
)
def test_add_needs_one_profile(a: Any, b: Any) -> None:
    with pytest.raises(CongruenceError, match="profiles differ"):
        add(a, b)


@pytest.mark.parametrize("f", [max_, min_, lambda x: add(x, 1), is_static, static_mask])
@pytest.mark.parametrize("bad", [True, 1.5, "1", None])
def test_leaves_are_ints(f: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(LeafError, match="expected an int, got"):
        f(bad)


@pytest.mark.parametrize("f", [ceil_div, round_up, round_down])
@pytest.mark.parametrize("zero", [0, _0])
def test_nothing_is_a_multiple_of_zero(f: Callable[[Any, Any], Any], zero: int) -> None:
    with pytest.raises(tla.DivisibilityError):
        f(4, zero)


@given(int_tuples(small), int_tuples(small))
def test_same_static_compares_values_and_what_is_static(a: Any, b: Any) -> None:
    assert same_static(a, a)
    assert same_static(a, b) == (repr(a) == repr(b))
    assert not same_static(a, b) or a == b


def test_static_mask() -> None:
    assert static_mask((_4, (8, _2), ())) == (True, (False, True), ())
    assert is_static(())


@given(a=small, b=small)
def test_questions_about_plain_ints_have_answers(a: int, b: int) -> None:
    assert known_eq(a, b) is (a == b)
    assert known_lt(Int(a), b) is (a < b)
    assert known_divides(a, b) is any(b == k * a for k in range(-1000, 1001))


def test_int_tuples_are_known_by_isinstance() -> None:
    kind: Any = tla.IntTuple  # a checker takes it for the alias that it stands for in annotations
    m = tla.sym("M")
    known: list[Any] = [2, Int(3), m, (), (2, (Int(3), (m,))), np.int64(4), (np.uint8(1), 2)]
    assert all(isinstance(x, kind) for x in known)
    others: list[Any] = [True, 2.0, "2", None, [2, 3], (2, False), (2, (3.5,))]
    assert not any(isinstance(x, kind) for x in others)
    static: Any = Int
    assert static[_4] == static[4] == Int[Literal[4]]
