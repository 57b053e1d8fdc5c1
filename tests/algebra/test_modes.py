"""One algebra for all kinds of ints: static, dynamic, both together, and unknown ones."""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import fuzz
import pytest
from hypothesis import given

import tla
from tla import Int, Layout, TlaError, UndecidedError, parse
from tla.algebra.modes import modes_of, of_modes, raw_modes, read_modes, row
from tla.numbers import Condition, assume, evaluate, sym
from tla.numbers.ints import is_open
from tla.testing import layouts

M = sym("M")
COUNT, SEED = 8, 7
OPERATIONS = [name for name in fuzz.OPS if not name.startswith("large")]


# --- layouts as lists -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "modes", "static"),
    [
        ("4:2", [(4, 2)], False),
        ("_4:_2", [(4, 2)], True),
        ("((2,3),4):((1,2),6)", [(2, 1), (3, 2), (4, 6)], False),
        ("((_2,_3),_4):((_1,_2),_6)", [(2, 1), (3, 2), (4, 6)], True),
        ("(_2,3):(1,_2)", [(2, 1), (3, 2)], False),
        ("((),(2)):((),(1))", [(2, 1)], False),
        ("(4,2):(1,4):(3,2)", [(4, 1), (2, 4)], False),
        ("():()", [], True),
    ],
)
def test_read_modes(layout: str, modes: Any, static: bool) -> None:
    read: Any = read_modes(parse(layout))
    assert read == (modes, static)
    assert not any(is_open(x) for mode in read[0] for x in mode)
    assert raw_modes(parse(layout)) == modes


def test_read_modes_of_what_is_unknown_or_no_layout() -> None:
    assert read_modes(Layout((M, 4), (1, 8))) is None
    assert read_modes(Layout((4, 4), (1, M))) is None
    assert raw_modes(Layout(M, 1)) == [(M, 1)]
    with pytest.raises(TypeError, match=r"^expected a layout, got int 4\n"):
        read_modes(4)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


@given(layouts(padded=True))
def test_modes_make_the_layout_again(layout: Any) -> None:
    bare = Layout(layout.shape, layout.stride)
    if tla.is_tuple(layout.shape):
        assert row(modes_of(layout)) == bare
    else:
        assert modes_of(layout) == (layout,)
    read: Any = read_modes(layout)
    assert tla.same_function(of_modes(*read), bare)
    assert of_modes(*read).is_static or not read[1]


def test_of_modes() -> None:
    assert [str(of_modes(modes)) for modes in ([], [(4, 2)], [(4, 2), (3, 8)])] == [
        "1:0",
        "4:2",
        "(4,3):(2,8)",
    ]
    assert str(of_modes([], True)) == "_1:_0"
    assert str(of_modes([(4, 2), (3, 8)], True)) == "(_4,_3):(_2,_8)"


# --- all operations ---------------------------------------------------------------------------


def mapped(f: Callable[[int], Any], x: Any) -> Any:
    """An argument with every int replaced."""
    if tla.is_layout(x):
        return Layout(mapped(f, x.shape), mapped(f, x.stride))
    if isinstance(x, tuple):
        return tuple(mapped(f, i) for i in x)
    return x if x is None else f(int(x))


def cases(name: str, count: int, seed: int = 0) -> Iterator[tuple[Any, Any, Random]]:
    """The operation with its options, and arguments of the fuzz in plain ints."""
    operation, rng = fuzz.OPS[name], Random(seed + count)

    def call(*args: Any) -> Any:
        return getattr(tla, operation.calls)(*args, **dict(operation.options))

    for _case in range(count):
        yield call, mapped(int, operation.draw(fuzz.Draw(rng)).args), rng


def outcome(call: Any, args: Any, keep: bool = False) -> Any:
    """The result, or the kind of the error, or the error itself."""
    try:
        return call(*args)
    except TlaError as error:
        return error if keep else type(error)


@pytest.mark.parametrize("name", OPERATIONS)
def test_static_and_dynamic_ints_agree(name: str) -> None:
    for call, args, rng in cases(name, 60):
        expected = outcome(call, args)
        static = outcome(call, mapped(Int, args))
        assert static == expected, args
        assert not tla.is_layout(static) or static.is_static, args
        mixed = mapped(lambda n, rng=rng: Int(n) if rng.random() < 0.5 else n, args)  # type: ignore[misc]
        assert outcome(call, mixed) == expected, mixed


def hidden(args: Any, rng: Random) -> tuple[Any, list[dict[str, int]]]:
    """Some ints as unknowns with a divisor, a least value and sometimes a greatest; and values of them.

    A later int that is a multiple of one hidden before may hide as that multiple of its unknown.
    """
    values: list[dict[str, int]] = [{}, {}, {}]
    known: list[tuple[Any, int]] = []

    def hide(n: int) -> Any:
        multiples = [x * (n // value) for x, value in known if n and n % value == 0]
        if multiples and rng.random() < 0.6:
            return rng.choice(multiples)
        if n < 1 or rng.random() < 0.65:
            return n
        name = f"x{len(values[0])}"
        divisor = rng.choice([d for d in range(1, n + 1) if n % d == 0])
        steps = [0, rng.randint(0, 2), rng.randint(0, 3)]
        most = n + divisor * max(steps) if rng.random() < 0.3 else None
        x = sym(name, divisor, rng.choice([1, rng.randint(1, n), n]), most)
        for valuation, step in zip(values, steps, strict=True):
            valuation[name] = n + divisor * step
        for y, value in known[:1]:
            known.append((x * y, n * value))
        known.append((x, n))
        return x

    return mapped(hide, args), values


def bound(x: Any, values: dict[str, int]) -> Any:
    """An argument or a result with the unknowns given their values."""
    if tla.is_layout(x):
        return x.bind(**values)
    return tuple(bound(i, values) for i in x) if isinstance(x, tuple) else evaluate(x, values)


def check(name: str, call: Any, unknowns: Any, found: Any, values: dict[str, int]) -> None:
    """What is found of unknowns is right for their values: a layout is one with the function due."""
    numbers = bound(unknowns, values)
    expected = outcome(call, numbers)
    if not tla.is_layout(found):
        assert not tla.is_layout(expected), (unknowns, values)
        return
    layout = bound(found, values)
    assert not layout.symbols
    truth = fuzz.OPS[name].truth(*numbers)
    assert truth.expect is not fuzz.Expect.NO, (unknowns, values)
    if not tla.is_layout(expected) or not tla.same_function(layout, expected):
        assert fuzz.fault_of(layout, numbers, truth) == "", (unknowns, values, found)


@pytest.mark.parametrize("name", OPERATIONS)
def test_unknown_ints(name: str) -> None:
    """An answer with unknowns is right for their values, as is a refusal.

    Where something is undecided, what is asked for is assumed, or its opposite: whichever holds for
    some of the values. So each question is answered after a few.
    """
    seen = Counter[str]()
    for call, args, rng in cases(name, COUNT, SEED):
        unknowns, valuations = hidden(args, rng)
        if not valuations[0]:
            continue
        asked: list[Condition] = []
        seen["undecided"] += examined(name, call, unknowns, valuations, asked)
        seen["answers"] += not asked
    assert seen["answers"], seen


def examined(
    name: str, call: Any, unknowns: Any, valuations: list[dict[str, int]], asked: list[Condition]
) -> int:
    """Check the outcome, and under each condition that it asks for; return how often that stays open."""
    with assume(*asked):
        if asked and not asked[-1].known():
            assert asked[-1].op == "!=", f"{asked[-1]} is assumed and not known"
            return 1  # what lies on both sides of a number is no range
        found = outcome(call, unknowns, keep=True)
    if not isinstance(found, UndecidedError):
        for values in valuations:
            check(name, call, unknowns, found, values)
        return 0
    need: Any = found.data.get("obligation")
    if not isinstance(need, Condition) or len(asked) == 4:
        return 1
    with assume(*asked):
        assert need.known() is not True, f"asks for {need}, which is assumed: {asked}"
        if need.known() is False:  # there are other ways, which are not tried
            return 1
    opposite = Condition(need.left, OPPOSITES[need.op], need.right)
    open_ones = 0
    for condition in (need, opposite):
        those = [values for values in valuations if condition.holds(**values)]
        if those:
            open_ones += examined(name, call, unknowns, those, [*asked, condition])
    return open_ones


OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
