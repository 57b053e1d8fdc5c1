"""What is known: every answer holds at every point, and the ones that layouts need are found."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from cases import over
from random_exprs import Draw, box_of, build, source_of_tree, symbols_of, table_of, unknowns

from tla import UndecidedError, ceil_div, max_
from tla.numbers import Expr, known_lt, least, sym
from tla.numbers.facts import (
    is_nonnegative,
    is_within,
    known_divides,
    known_negative,
    known_zero,
)

M, N, K = sym("M", divisible_by=16), sym("N"), sym("K")
X, J = sym("i", min=0), sym("j", min=None)
D = sym("d", min=0, max=N - 1)
E = sym("e", min=0, max=K - 1)


@pytest.mark.parametrize("count", [500, pytest.param(4000, marks=pytest.mark.slow)])
def test_answers_about_pairs_hold_everywhere(count: int) -> None:
    """Differences and divisions of two random expressions, which share their symbols."""
    rng = Random(5)
    answered = 0
    for _ in range(count):
        found = unknowns(rng, rng.choice([2, 3]))
        draw = Draw(rng, found, affine=rng.random() < 0.6)
        a, b = draw.tree(rng.choice([1, 2])), draw.tree(rng.choice([0, 1, 2]))
        symbols = symbols_of(found)
        x, y = build(a, symbols), build(b, symbols)
        names, box = [u.name for u in found], box_of(found)
        xs = table_of(source_of_tree(a), names, box)
        ys = table_of(source_of_tree(b), names, box)
        pairs = list(zip(xs, ys, strict=True))
        where = f"{x!r} and {y!r}, from {source_of_tree(a)} and {source_of_tree(b)}"
        for answer, seen in (
            (known_zero(x - y), {v == w for v, w in pairs}),
            (known_negative(x - y), {v < w for v, w in pairs}),
            (known_divides(x, y), {w % v == 0 if v else w == 0 for v, w in pairs}),
            (is_nonnegative(x - y) or None, {v >= w for v, w in pairs}),
            (is_within(x, 0, y) or None, {0 <= v < w for v, w in pairs}),
        ):
            if answer is not None:
                answered += 1
                assert seen == {answer}, where
    assert answered > count


@pytest.mark.parametrize(
    "x",
    [
        lambda: N - 1 - D,
        lambda: 32 * ceil_div(N, 8) - 32 * ceil_div(max_(N - D, 0), 8) + 31,
        lambda: N * K - 1 - (D * K + E),
        lambda: X - X // 4 * 4,
        lambda: X // 4 * 4 + 3 - X,
        lambda: N - 1 - X % N,
        lambda: X - X % N,
        lambda: X - least(X, J),
        lambda: least(X, N) + 0,
        lambda: J * J,
        lambda: J * J * X,
        lambda: (N + 3) // 4 * 4 - N,
        lambda: N - N // 4 * 4,
        lambda: (N - 1) // 16 * 16 + 15 - (N - 1),
    ],
)
def test_what_is_found_not_negative(x: Callable[[], Any]) -> None:
    value = x()
    assert is_nonnegative(value), f"{value!r}"
    assert known_negative(value) is False


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (lambda: 4, lambda: M, True),
        (lambda: 16, lambda: M * 3 + 32, True),
        (lambda: 48, lambda: M, None),
        (lambda: 16, lambda: M + 8, False),
        (lambda: 2, lambda: N * 2 + 1, False),
        (lambda: N, lambda: N * K, True),
        (lambda: N * K, lambda: N * K * 4, True),
        (lambda: N * K, lambda: N, None),
        (lambda: N, lambda: N * K + N, True),
        (lambda: N, lambda: N + 1, None),
        (lambda: N + 1, lambda: N * N + 2 * N + 1, True),
        (lambda: N, lambda: 0, True),
        (lambda: J, lambda: 0, True),
        (lambda: 0, lambda: N, False),
        (lambda: 0, lambda: X, None),
        (lambda: N + 1, lambda: D + 1, False),
        (lambda: N, lambda: D + 1, None),
        (lambda: N, lambda: D, None),
        (lambda: -4, lambda: M, True),
        (lambda: -N, lambda: N * 3, True),
        (lambda: 1, lambda: J, True),
    ],
)
def test_divisibility(a: Callable[[], Any], b: Callable[[], Any], answer: bool | None) -> None:
    assert known_divides(a(), b()) is answer


def test_zero_and_sign() -> None:
    assert known_zero(0) is True
    assert known_zero(3) is False
    assert known_zero(X) is None
    assert known_zero(N) is False
    assert known_zero(N * 2 - 1) is False
    assert known_zero(sym("z", min=0, max=0)) is True
    assert known_zero(D // N) is True
    assert known_negative(-N) is True
    assert known_negative(J) is None
    assert known_negative(D - N) is True
    assert known_negative(-1) is True


def test_comparisons_of_symbolic_ints() -> None:
    assert D.known_lt(N) is True
    assert N.known_gt(D) is True
    assert N.known_eq(D) is False
    assert N.known_eq(K) is None
    assert N.known_eq(N) is True
    assert M.known_divides(M * N) is True
    assert (M * N).known_multiple(M) is True
    assert M.known_multiple(8) is True


def test_a_search_ends() -> None:
    """Many atoms with bounds that refer to each other: the work is limited, so None comes soon."""
    names = [sym("s0")]
    for k in range(1, 12):
        names.append(sym(f"s{k}", min=0, max=names[-1] * 2 - 1))
    total: Any = 0
    for k, x in enumerate(names):
        total = total + x * (-1) ** k + x // (k + 2) * 3 - least(x, names[k - 1]) * 2
    assert known_negative(total) is None
    assert type(total) is Expr


def test_an_undecided_question_names_its_obligation() -> None:
    with pytest.raises(UndecidedError) as caught:
        bool(N <= K)
    assert caught.value.summary == "cannot decide whether N <= K"
    assert str(caught.value) == (
        "cannot decide whether N <= K\n"
        "  Its unknowns leave that open: give them a range or a divisor that settles it,"
        " or write `with assume(N <= K):`."
    )


@over(
    "a, b, less",
    [
        (K, K * N + 1, True),
        (K * N, K, False),
        (K * N + 1, K, False),
        (K * N - K, 0, False),
        ((K - 1) * (N - 1), 0, False),
        (K * X, X, False),
        (K * X + X, 2 * X, False),
    ],
)
def test_products_of_unknowns_are_ordered(a: Any, b: Any, less: bool) -> None:
    assert known_lt(a, b) is less
