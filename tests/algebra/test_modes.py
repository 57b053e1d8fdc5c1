"""One algebra for all kinds of ints: static, dynamic, both together, and unknown ones."""

from collections import Counter
from collections.abc import Callable, Iterator
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from random import Random
from typing import Any

import fuzz
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tla
from tla import Int, Layout, TlaError, UndecidedError, _2, _3, _4, _6, parse
from tla.algebra.modes import (
    Guarded,
    flat_modes,
    lifted,
    modes_of,
    of_modes,
    read_modes,
    row,
)
from tla.expr import Condition, assume, evaluate, sym
from tla.ints import is_open
from tla.layout import trusted
from tla.testing import layouts

M, N = sym("M"), sym("N")
LONG = sym("M", min=2)
COUNT, SEED = 15, 0
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
    assert flat_modes(parse(layout)) == (None if static else modes)


def test_read_modes_of_what_is_unknown_or_no_layout() -> None:
    assert read_modes(Layout((M, 4), (1, 8))) is None
    assert read_modes(Layout((4, 4), (1, M))) is None
    assert flat_modes(Layout(M, 1)) is None
    with pytest.raises(TypeError, match=r"^expected a layout, got int$"):
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


# --- guarded leaves ---------------------------------------------------------------------------

NUMBERS = st.integers(-9, 9)


@pytest.mark.parametrize("operation", [add, sub, mul, floordiv, mod, divmod])
@given(a=NUMBERS, b=NUMBERS.filter(bool), kind=st.sampled_from([int, Int]))
def test_arithmetic(operation: Any, a: int, b: int, kind: Any) -> None:
    """As of plain ints, whichever side is guarded; static where both are, and a constant is."""
    expected = operation(a, b)
    for result in (
        operation(Guarded(kind(a)), Guarded(kind(b))),
        operation(Guarded(kind(a)), b),
        operation(a, Guarded(kind(b))),
    ):
        assert bare(result) == expected
        parts = result if isinstance(result, tuple) else (result,)
        assert all(type(x.leaf) is kind for x in parts if type(x) is Guarded)
    assert bare((-Guarded(a), abs(Guarded(a)))) == (-a, abs(a))


def bare(x: Any) -> Any:
    return tuple(map(bare, x)) if isinstance(x, tuple) else x.leaf if type(x) is Guarded else x


@pytest.mark.parametrize("question", [eq, ne, lt, le, gt, ge])
@given(a=NUMBERS, b=NUMBERS)
def test_questions(question: Any, a: int, b: int) -> None:
    expected = question(a, b)
    assert question(Guarded(a), Guarded(Int(b))) is expected
    assert question(Guarded(a), b) is expected
    assert question(a, Guarded(b)) is expected
    assert bool(Guarded(a)) is bool(a)


@pytest.mark.parametrize(
    ("question", "obligation"),
    [
        (lambda: Guarded(M) == 4, "M == 4"),
        (lambda: Guarded(M) != 4, "M == 4"),
        (lambda: Guarded(M) < 4, "M < 4"),
        (lambda: Guarded(M) >= 4, "M < 4"),
        (lambda: Guarded(M) > 4, "M > 4"),
        (lambda: Guarded(M) <= 4, "M > 4"),
        (lambda: Guarded(M) == Guarded(N), "M == N"),
        (lambda: sorted([Guarded(M), Guarded(4)]), "M > 4"),
        (lambda: bool(Guarded(sym("M", min=0))), "M > 0"),
        (lambda: min(Guarded(M), 4), "M > 4"),
    ],
)
def test_what_is_open_is_said(question: Callable[[], Any], obligation: str) -> None:
    with pytest.raises(UndecidedError) as caught:
        question()
    assert str(caught.value.obligation).replace("_", "") == obligation


def test_what_is_known_of_an_unknown() -> None:
    assert Guarded(M) == Guarded(M)
    assert Guarded(M) > 0
    assert Guarded(M) != 0
    assert not Guarded(LONG) == 1  # noqa: SIM201 (the question itself)
    assert Guarded(M * 4) % 4 == 0
    assert bare(Guarded(M * N) // Guarded(N)) == M
    assert str(Guarded(M)) == repr(Guarded(M)) == "M"


def test_guarded_leaves_are_numbers_only_where_they_have_one() -> None:
    assert list(range(Guarded(3))) == [0, 1, 2]
    assert int(Guarded(_4)) == 4
    for use in (range, int, hash):
        with pytest.raises((UndecidedError, TypeError)):
            use(Guarded(M))
    with pytest.raises(UndecidedError, match=r"^the value of M is not known$"):
        range(Guarded(M))


# --- lifting ----------------------------------------------------------------------------------


def test_lifted() -> None:
    """Static arguments become plain and the result static; others are guarded, and it is bare."""
    seen: list[type] = []

    def doubled(layout: Any, n: Any) -> Any:
        seen.append(type(layout.shape))
        return trusted(layout.shape * n, layout.stride)

    assert repr(lifted(doubled, Layout(_3, _2), _2)) == "Layout(_6, _2)"
    assert repr(lifted(doubled, Layout(3, 2), _2)) == "Layout(6, 2)"
    assert repr(lifted(doubled, Layout(M, _2), 2)) == "Layout(2 * M, _2)"
    assert seen == [int, Guarded, Guarded]


def test_errors_hold_the_ints_as_they_were_written() -> None:
    def refuses(layout: Any) -> Any:
        raise tla.OverlapError("no", layout=layout, modes=((layout.shape, 1),), yes=True)

    for leaf in (_6, 6, M):
        with pytest.raises(tla.OverlapError) as caught:
            lifted(refuses, Layout(leaf, _2))
        error: Any = caught.value
        assert (error.layout, error.modes, error.yes) == (Layout(leaf, _2), ((leaf, 1),), True)
        assert type(error.layout.shape) is type(leaf)


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
