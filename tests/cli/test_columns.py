"""Tables and lists on the terminal."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, strategies as st

from tla.cli.columns import columns, wrapped
from tla.ground import plural

WORDS = st.text("abc XY", min_size=1, max_size=60).map(str.strip).filter(bool)


@given(st.lists(WORDS), st.sampled_from(["", "  "]))
def test_a_wrapped_list_holds_its_items_and_no_line_is_too_long(items: list[str], indent: str) -> None:
    lines = wrapped(items, indent)
    assert " ".join(line.removeprefix(indent) for line in lines) == ", ".join(items)
    assert all(len(line) <= 100 for line in lines)
    for line, after in pairwise(lines):
        assert line.endswith(",")
        assert len(f"{line} {after.removeprefix(indent).split(',')[0]},") > 100


def test_an_item_that_is_longer_than_a_line_stands_alone() -> None:
    assert wrapped(["a", "b" * 120, "c"], " ") == [" a,", f" {'b' * 120},", " c"]
    assert wrapped([], "  ") == []


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1), st.integers(0, 3))
def test_the_columns_stand_below_each_other(rows: list[tuple[str, str, str]], numbers: int) -> None:
    lines = columns(("a", "b", "c"), rows, numbers)
    widths = [max(map(len, column)) for column in zip(("a", "b", "c"), *rows, strict=True)]
    for row, line in zip([("a", "b", "c"), *rows], lines, strict=True):
        start = 0
        for i, (cell, width) in enumerate(zip(row, widths, strict=True)):
            found = line[start : start + width]
            assert found.strip() == cell
            assert found.rstrip() == found if i < numbers else found.lstrip() == found
            start += width + 2


def test_counts() -> None:
    assert [plural(n, word) for n, word in ((1, "copy"), (2, "copy"), (0, "array"), (3, "group"))] == [
        "1 copy",
        "2 copies",
        "0 arrays",
        "3 groups",
    ]
