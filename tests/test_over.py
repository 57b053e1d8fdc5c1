"""One test over many cases fails if one of them fails, and says which."""

from pathlib import Path

import pytest
from cases import check_all, over


@over("a, b", [(1, 2), (3, 4)])
def test_each_row_is_checked_and_fixtures_stay(a: int, b: int, tmp_path: Path) -> None:
    assert a < b
    assert tmp_path.exists()


def test_all_failures_are_reported() -> None:
    def check(n: int) -> None:
        assert n % 2 == 0, f"{n} is odd"

    check_all(check, [0, 2])
    with pytest.raises(AssertionError, match="2 of 3 cases fail") as caught:
        check_all(check, [1, 2, 3])
    assert "1 is odd" in str(caught.value)
    assert "3 is odd" in str(caught.value)


def test_no_cases_and_a_case_that_is_skipped_are_failures() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        check_all(print, [])
    with pytest.raises(AssertionError, match="no reason"):
        check_all(lambda _case: pytest.skip("no reason"), [1])
