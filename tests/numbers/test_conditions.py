"""Conditions: what is assumed is used soundly, recorded, and refused where it contradicts."""

import copy
import pickle
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from random_exprs import (
    Draw,
    Point,
    Tree,
    Unknown,
    box_of,
    build,
    condition_holds,
    source_of_tree,
    source_of_value,
    symbols_of,
    table_of,
    unknowns,
)

from tla.errors import ContradictionError, UndecidedError
from tla.numbers import Condition, assume, simplify, sym
from tla.numbers.context import assumed, used_conditions

SEED = 11
FEW, COUNT = 80, 2000

M, N, K = sym("M"), sym("N"), sym("K")
X, J = sym("i", min=0), sym("j", min=None)

COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

Comparison = tuple[str, Tree, Tree]


class System(NamedTuple):
    """Some comparisons of trees, and the points of the box that satisfy all of them."""

    unknowns: tuple[Unknown, ...]
    comparisons: tuple[Comparison, ...]
    trees: tuple[Tree, ...]
    points: list[Point]

    @property
    def names(self) -> list[str]:
        return [u.name for u in self.unknowns]

    def conditions(self) -> list[Any]:
        symbols = symbols_of(self.unknowns)
        return [COMPARE[op](build(a, symbols), build(b, symbols)) for op, a, b in self.comparisons]

    def __str__(self) -> str:
        texts = [f"{source_of_tree(a)} {op} {source_of_tree(b)}" for op, a, b in self.comparisons]
        return f"assume({', '.join(texts)}) with {', '.join(map(str, self.unknowns))}"


def comparison(draw: Draw) -> Comparison:
    """One of the conditions that layouts need, or any other."""
    rng = draw.rng
    name = draw.name()
    pick = rng.random()
    if pick < 0.35:
        c = rng.choice([2, 3, 4, 6, 8])
        left = name if rng.random() < 0.7 else draw.tree(1)
        return "==", ("%", left, ("int", c)), ("int", rng.randrange(c))
    if pick < 0.45:
        return "==", ("//", name, ("int", rng.choice([2, 3, 4]))), ("int", rng.randint(-1, 2))
    if pick < 0.55 and len(draw.unknowns) > 1:
        return "==", name, rng.choice([draw.tree(1), draw.name(), ("int", rng.randint(-2, 4))])
    if pick < 0.62:
        return "!=", draw.tree(1), ("int", rng.randint(-2, 4))
    if pick < 0.7 and draw.positive and not draw.affine:
        return "==", ("%", draw.tree(1), rng.choice(draw.positive)), ("int", 0)
    op = rng.choice(["<", "<=", ">", ">=", "==", "!="])
    other = rng.choice([("int", rng.randint(-3, 6)), draw.tree(1), draw.name()])
    return op, draw.tree(1), other


def systems(seed: int, count: int) -> Iterator[System]:
    rng = Random(seed)
    for _ in range(count):
        found = unknowns(rng, rng.choice([1, 2, 2, 3]))
        draw = Draw(rng, found, affine=rng.random() < 0.7)
        comparisons = tuple(comparison(draw) for _ in range(rng.choice([1, 1, 2, 2, 3])))
        trees = [draw.tree(rng.choice([1, 2, 2, 3])) for _ in range(2)]
        for op, a, b in comparisons[:2]:  # what the conditions speak of, again
            if op == "==" and a[0] == "%":
                trees += [("//", a[1], a[2]), ("%", ("+", a[1], draw.name()), a[2])]
                trees.append(("*", ("//", a[1], a[2]), a[2]))
            trees.append(("-", a, b))
        names = [u.name for u in found]
        tests = [
            table_of(f"{source_of_tree(a)} {op} {source_of_tree(b)}", names, box_of(found))
            for op, a, b in comparisons
        ]
        points = [p for p, *held in zip(box_of(found), *tests, strict=True) if all(held)]
        yield System(tuple(found), comparisons, tuple(trees), points)


def check_under(used: set[Condition], system: System, tree: Tree, value: Any, simpler: Any) -> None:
    """Both values are the tree's wherever the conditions hold that were used."""
    points = satisfying(used, system)
    truth = table_of(source_of_tree(tree), system.names, points)
    for x in (value, simpler):
        got = table_of(source_of_value(x), system.names, points)
        assert got == truth, f"{system}: {source_of_tree(tree)} becomes {x!r}, used {used}"


def satisfying(used: set[Condition], system: System) -> list[Point]:
    held = [condition_holds(condition, system.names) for condition in used]
    return [p for p in box_of(system.unknowns) if all(test(*p) for test in held)]


def check_known(system: System, tree: Tree, value: Any, before: set[Condition], n: int) -> None:
    questions: list[tuple[Callable[[], Any], Callable[[int], bool]]] = [
        (lambda: value.known_eq(n), lambda v: v == n),
        (lambda: value.known_lt(n), lambda v: v < n),
        (lambda: value.known_gt(n), lambda v: v > n),
        (lambda: value.known_multiple(abs(n) + 2), lambda v: v % (abs(n) + 2) == 0),
    ]
    for answers, test in questions:
        with used_conditions() as used:
            answer = answers()
        if answer is None:
            continue
        points = satisfying(used | before, system)
        truth = table_of(source_of_tree(tree), system.names, points)
        assert {test(v) for v in truth} <= {answer}, (
            f"{system}: {source_of_tree(tree)}, {value!r} with {n}: {answer}, used {used}"
        )


def under(system: System) -> None:
    """Everything built under a system that has a solution is right there; nothing stays behind."""
    symbols = symbols_of(system.unknowns)
    rng = Random(len(system.points))
    outside = [build(tree, symbols) for tree in system.trees]
    with assume(*system.conditions()):
        for tree, before in zip(system.trees, outside, strict=True):
            with used_conditions() as used:
                value = build(tree, symbols)
                simpler = simplify(value)
            check_under(used, system, tree, value, simpler)
            with used_conditions() as other:
                rewritten = simplify(before)
            check_under(other, system, tree, before, rewritten)
            assert bool(simplify(simpler) == simpler), f"{system}: {simpler!r} is not simplified"
            if not isinstance(value, int):
                check_known(system, tree, value, used, rng.randint(-2, 6))
    for tree in system.trees:
        with used_conditions() as used:
            value = build(tree, symbols)
            simpler = simplify(value)
        assert not used
        check_under(set(), system, tree, value, simpler)


@pytest.mark.parametrize("count", [FEW, pytest.param(COUNT, marks=pytest.mark.slow)])
def test_random_systems(count: int) -> None:
    satisfiable = refused = unnoticed = 0
    for system in systems(SEED, count):
        if system.points:
            satisfiable += 1
            under(system)
            continue
        try:
            with assume(*system.conditions()):
                unnoticed += 1
        except ContradictionError:
            refused += 1
    assert satisfiable > count / 3
    assert refused > unnoticed, (
        f"{refused} of {refused + unnoticed} systems without a solution are refused"
    )


@pytest.mark.parametrize("count", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_normal_forms_hold_where_the_conditions_do(count: int) -> None:
    for system in systems(SEED + 1, count):
        for condition in system.conditions():
            if isinstance(condition, bool):
                continue
            normal = condition.normal()
            for text in (normal, condition):
                held = condition_holds(text, system.names)
                want = condition_holds(condition, system.names)
                for point in box_of(system.unknowns):
                    assert held(*point) == want(*point), f"{condition} becomes {normal}, at {point}"
                    values = dict(zip(system.names, point, strict=True))
                    assert condition.holds(**values) == want(*point)


# --- what they are --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (M % 48 == 0, "M % 48 == 0"),
        (M != N, "M != N"),
        (M < 4, "M < 4"),
        (M + 1 <= N, "M + 1 <= N"),
        (M > N * 2, "M > 2 * N"),
        (M >= 1, "M >= 1"),
        (M // 4 * K == N, "K * (M // 4) == N"),
    ],
)
def test_text_equality_and_copies(condition: Condition, text: str) -> None:
    assert str(condition) == repr(condition) == text
    assert not hasattr(condition, "__dict__")
    for other in (copy.copy(condition), copy.deepcopy(condition), pickle.loads(pickle.dumps(condition))):
        assert other == condition
        assert hash(other) == hash(condition)
    assert condition != "M"
    assert len({condition, M < 5}) == 2


def test_the_operators_of_an_int_on_the_left() -> None:
    left: list[Any] = [M == 4, M != 4, M > 4, M >= 4, M < 4, M <= 4]
    assert list(map(str, left)) == ["M == 4", "M != 4", "M > 4", "M >= 4", "M < 4", "M <= 4"]


def test_as_a_bool() -> None:
    assert bool(sym("M") == M)
    assert not bool(M == N)
    assert bool(M != N)
    assert not bool(sym("M") != M)
    assert bool(M > 0)
    assert not bool(M < 1)
    with pytest.raises(UndecidedError, match=r"cannot decide whether M < 4") as caught:
        bool(M < 4)
    assert caught.value.obligation == (M < 4)
    assert "with assume(M < 4)" in str(caught.value)


def test_symbols_and_known() -> None:
    condition = M * K < N % 4
    assert [s.name for s in condition.symbols] == ["K", "M", "N"]
    assert (M % 2 == 0).known() is None
    assert (sym("M", divisible_by=4) % 2 == M - M) is True  # an int each: Python's own comparison
    assert (M >= 1).known() is True
    assert (M == 0).known() is False
    assert (M * 2 == 3).known() is False
    assert (M * 2 != 3).known() is True
    assert (M % 4 > 3).known() is False


# --- assuming -------------------------------------------------------------------------------------


def test_the_example() -> None:
    with assume(M % 48 == 0):
        assert M % 16 == 0
        assert bool(M // 48 * 48 == M)
    assert not bool(M // 48 * 48 == M)
    assert assumed.get() is None


@pytest.mark.parametrize(
    ("conditions", "x", "want"),
    [
        ((M % 48 == 0,), lambda: M % 16, 0),
        ((M % 48 == 5,), lambda: M % 16, 5),
        ((M % 48 == 5,), lambda: M // 16 * 16, M - 5),
        ((M % 12 == 7,), lambda: (M + 2) % 6, 3),
        ((M % 16 == 0,), lambda: M // 4 % 4, 0),
        ((X < 16,), lambda: X // 16, 0),
        ((X < 16,), lambda: X % 16, X),
        ((X < N,), lambda: X // N, 0),
        ((X < N, N <= K), lambda: X % K, X),
        ((X == 3,), lambda: simplify(X + M), M + 3),
        ((M == N * 4,), lambda: simplify(M // 4), N),
        ((M % N == 0,), lambda: M // N * N, M),
        ((M % N == 0,), lambda: (M * 3) % N, 0),
        ((M % 4 == 0, N % 4 == 0), lambda: (M + N) % 4, 0),
        ((M % 4 == 0,), lambda: M * N // 4, M // 4 * N),
        ((M % 16 == 0,), lambda: (M * N + M) // (M // 16 * N + M // 16), 16),
        ((M % 16 == 0,), lambda: (M * N + M) % (M // 16 * N + M // 16), 0),
        ((M <= N,), lambda: min_of(M, N), M),
        ((J >= 0, J < 8), lambda: J % 8, J),
    ],
)
def test_what_follows(conditions: tuple[Any, ...], x: Callable[[], Any], want: Any) -> None:
    with assume(*conditions), used_conditions() as used:
        got = x()
    assert type(got) is type(want)
    assert bool(got == want), f"{got!r} is not {want!r}"
    assert used == set(conditions)


def min_of(*items: Any) -> Any:
    from tla.numbers import least

    return least(*items)


def test_only_what_is_used_is_recorded() -> None:
    with assume(M % 4 == 0, N % 8 == 0), used_conditions() as used:
        assert N % 4 == 0
    assert used == {N % 8 == 0}


def test_contexts_nest_and_records_too() -> None:
    first, second = M % 4 == 0, N % 4 == 0
    with used_conditions() as outer, assume(first):
        with assume(second), used_conditions() as inner:
            assert (M + N) % 4 == 0
        assert inner == {first, second}
        assert N % 4 != 0
    assert outer == inner
    assert M % 4 != 0


def test_a_context_may_be_entered_again() -> None:
    given = assume(M % 4 == 0)
    for _time in range(2):
        with given:
            assert M % 4 == 0
            with given:
                assert M % 2 == 0
            assert M % 4 == 0
    assert assumed.get() is None


def test_an_error_inside_ends_it() -> None:
    with pytest.raises(KeyError), assume(M % 4 == 0):
        raise KeyError
    assert assumed.get() is None
    with pytest.raises(ContradictionError), assume(M % 4 == 0, M % 4 == 1):
        pass
    assert assumed.get() is None


def test_several_ways_to_give_conditions() -> None:
    for given in (
        assume([M % 4 == 0, N % 4 == 0]),
        assume((M % 4 == 0,), N % 4 == 0),
        assume(True, {M % 4 == 0}),
    ):
        with given:
            assert M % 4 == 0
    with assume():
        assert M % 4 != 0


def test_what_is_assumed_leaves_nothing_behind() -> None:
    """An atom that two contexts share keeps no answer of one of them."""
    i, j = sym("left_behind", min=0), sym("j")
    r = i % 8
    with assume(i % 16 == 3):
        assert r + j is not None
    assert not bool(r + i - 3 == i)
    assert bool(r + i // 8 * 8 == i)
    i = sym("left_behind_2", min=0)
    r = i % 8
    with assume(i < 8):
        assert r + j is not None
    assert bool(r + i // 8 * 8 == i)


# --- contradictions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "named"),
    [
        ((M % 4 == 0, M % 4 == 1), ("M % 4 == 1", "M % 4 == 0")),
        ((M % 4 == 1, M % 6 == 0), ("M % 6 == 0", "M % 4 == 1")),
        ((M % 6 == 2, M % 4 == 3), ("M % 4 == 3", "M % 6 == 2")),
        ((M < 4, M > 6), ("M > 6", "M < 4")),
        ((M <= 4, M == 5), ("M == 5", "M <= 4")),
        ((M == 4, M == 5), ("M == 5", "M == 4")),
        ((M == N, M < N), ("M < N", "M == N")),
        ((M <= N, M > N), ("M > N", "M <= N")),
        ((M == 4, M % 4 == 1), ("M % 4 == 1", "M == 4")),
        ((M % 4 == 1, M == 4), ("M == 4", "M % 4 == 1")),
        ((M == 5, M != 5), ("M != 5", "M == 5")),
        ((M != 5, M == 5), ("M == 5", "M != 5")),
        ((M == N, M != N), ("M != N", "M == N")),
        ((M % 4 == 0, M % 4 != 0), ("M % 4 != 0", "M % 4 == 0")),
        ((M // 4 == 2, M < 5), ("M < 5", "M // 4 == 2")),
        ((M < N, N < K, K < M), ("K < M", "M < N", "N < K")),
        ((M % 4 == 2, M < 2), ("M < 2", "M % 4 == 2")),
        ((M < 2, M % 4 == 2), ("M % 4 == 2", "M < 2")),
        ((M % N == 0, M % N == 1, N == 4), ("M % N == 1", "M % N == 0")),
        (((M + 1) % 4 == 0, M % 4 == 1), ("M % 4 == 1", "(M + 1) % 4 == 0")),
    ],
)
def test_two_that_contradict_are_both_named(conditions: tuple[Any, ...], named: tuple[str, ...]) -> None:
    with pytest.raises(ContradictionError) as caught, assume(*conditions):
        pass
    for text in named:
        assert text in caught.value.summary
    with pytest.raises(ContradictionError):
        nested(conditions)


def nested(conditions: tuple[Any, ...]) -> None:
    if conditions:
        with assume(conditions[0]):
            nested(conditions[1:])


@pytest.mark.parametrize(
    ("condition", "summary"),
    [
        (lambda: M < 1, "M < 1 contradicts M >= 1"),
        (lambda: sym("M", divisible_by=4) == 6, "M == 6 contradicts M % 4 == 0"),
        (lambda: sym("i", min=0, max=7) > 7, "i > 7 contradicts i >= 0 and i <= 7"),
        (lambda: M % 4 > 3, "M % 4 > 3 contradicts"),
    ],
)
def test_what_contradicts_a_declaration(condition: Callable[[], Any], summary: str) -> None:
    with pytest.raises(ContradictionError) as caught, assume(condition()):
        pass
    assert caught.value.summary.startswith(summary.partition(" contradicts")[0])
    assert all(
        text in caught.value.summary for text in summary.partition("contradicts ")[2].split(" and ")
    )


def test_false_cannot_be_assumed() -> None:
    false: Any = (sym("M", divisible_by=4) % 2) != 0
    assert false is False
    with pytest.raises(ContradictionError, match="a condition assumed is false"), assume(false):
        pass


@pytest.mark.parametrize("bad", [M, 3, None, "M % 4 == 0", [M], 1.5])
def test_what_is_no_condition(bad: Any) -> None:
    with pytest.raises(TypeError, match="expected a condition such as M % 16 == 0, got"):
        assume(bad)


def test_a_remainder_excludes_others_by_a_common_divisor() -> None:
    m: Any = sym("m")
    with assume(m % 4 == 0):
        assert (m % 6).known_eq(1) is False
        assert (m % 6 + m % 10).known_eq(5) is False
        assert (m % 6).known_eq(2) is None
