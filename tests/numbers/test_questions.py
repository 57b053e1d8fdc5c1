"""Questions on ints: what is known, what is asked for where an answer is open, and in whose name."""

from collections.abc import Callable
from typing import Any

import pytest
from cases import over
from hypothesis import given, strategies as st

from tla import Int, UndecidedError
from tla.numbers import (
    Questions,
    asking,
    at_least,
    decide_all,
    differs,
    divides,
    equal,
    less,
    neither_divides,
    sym,
)
from tla.numbers.questions import undecided

M, N, Z = sym("M"), sym("N"), sym("Z", min=0)
NUMBERS = st.integers(-9, 9)
KINDS = st.sampled_from([int, Int])


@given(a=NUMBERS, b=NUMBERS, first=KINDS, second=KINDS)
def test_numbers_answer_every_question(a: int, b: int, first: Any, second: Any) -> None:
    x, y = first(a), second(b)
    assert less(x, y) is (a < b)
    assert equal(x, y) is (a == b)
    assert differs(x, y) is (a != b)
    assert divides(x, y) is (b % a == 0 if a else b == 0)


@pytest.mark.parametrize(
    ("question", "obligation"),
    [
        (lambda: equal(M, 4), "M == 4"),
        (lambda: differs(M, 4), "M == 4"),
        (lambda: differs(Z, 0), "Z > 0"),
        (lambda: less(M, 4), "M < 4"),
        (lambda: less(4, M), "M > 4"),
        (lambda: equal(M, N), "M == N"),
        (lambda: divides(4, M), "M % 4 == 0"),
        (lambda: divides(Z, M), "Z > 0"),
    ],
)
def test_what_is_open_is_asked_for(question: Callable[[], Any], obligation: str) -> None:
    with pytest.raises(
        UndecidedError, match=rf"^cannot decide whether {obligation}\n".replace("%", "%")
    ):
        question()
    with pytest.raises(UndecidedError, match=rf"^it depends on whether {obligation}\n") as caught:
        asking(lambda: "it", question)
    assert str(caught.value.obligation) == obligation
    with pytest.raises(UndecidedError, match=r"^it depends on whether"):
        asking(lambda: "all", asking, lambda: "it", question)


def test_the_operation_says_its_name() -> None:
    ask = Questions(lambda: "the tiling")
    assert ask.less(M, M + 1)
    with pytest.raises(UndecidedError, match=r"^the tiling needs M < N\n"):
        asking(lambda: "all", ask.less, M, N)
    with pytest.raises(UndecidedError, match=r"^the tiling needs M % N == 0\n"):
        ask.divides(N, M)


def test_what_cannot_be_assumed_offers_no_assumption() -> None:
    assert "assume" not in str(undecided("", "they are one"))
    assert "assume(M > 4)" in str(undecided("", M > 4))


def answer(question: Callable[..., bool], *args: Any) -> Any:
    """What a question says: its answer, or what it asks for."""
    try:
        return question(*args)
    except UndecidedError as error:
        return str(error.data["obligation"])


@over(
    "a, b, expected",
    [
        (4, 6, True),
        (4, 8, False),
        (8, 4, False),
        (2 * M, M, False),
        (M, M * N, False),
        (0, M, False),
        (4 * M, 6 * M, True),
        (2 * M + 1, 2, True),
        # of two open questions: whether the lesser divides the greater, or a number an unknown
        (M, N, "N % M == 0"),
        (4, M, "M % 4 == 0"),
        (M, 4, "M % 4 == 0"),
        (4, Z, "Z % 4 == 0"),
        (Z, 4, "Z % 4 == 0"),
        # of which one is settled: the other
        (2 * M + 1, 4, "4 % (2 * M + 1) == 0"),
        (4, 2 * M + 1, "4 % (2 * M + 1) == 0"),
    ],
)
def test_of_two_divisions_one_is_asked_for(a: Any, b: Any, expected: Any) -> None:
    assert answer(neither_divides, a, b) == expected


@over(
    "a, b, expected",
    [
        (3, 4, False),
        (4, 4, True),
        (Int(4), 3, True),
        (M, 1, True),
        (M, M, True),
        (0, M, False),
        (M, 4, "M >= 4"),
        (4, M, "M <= 4"),
        (M, N, "M >= N"),
    ],
)
def test_at_least(a: Any, b: Any, expected: Any) -> None:
    assert answer(at_least, a, b) == expected


@over(
    "d, moves, zero",
    [
        (0, False, True),
        (3, True, False),
        (M, True, False),
        (-M, True, False),
        (Z, "Z > 0", "Z == 0"),
        (-Z, "Z != 0", "Z == 0"),
        (M - N, "M - N != 0", "M - N == 0"),
    ],
)
def test_strides_that_move(d: Any, moves: Any, zero: Any) -> None:
    ask = Questions(lambda: "it")
    assert answer(ask.moves, d) == moves
    assert answer(ask.zero, d) == zero


def test_of_all_questions_the_first_open_one_is_asked_for() -> None:
    settled, refuted = (True, M > 0), (False, M > 0)
    first, second = (None, M > 4), (None, N > 4)
    assert decide_all([]) is True
    assert decide_all([settled, settled]) is True
    assert decide_all([first, settled, refuted]) is False
    assert answer(decide_all, [settled, first, second]) == "M > 4"
    assert answer(decide_all, [second, settled, first]) == "N > 4"
