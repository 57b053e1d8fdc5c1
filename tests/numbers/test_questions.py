"""Questions on ints: what is known, what is asked for where an answer is open, and in whose name."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import Int, UndecidedError
from tla.numbers import sym
from tla.numbers.questions import Questions, asking, differs, divides, equal, less, undecided

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
