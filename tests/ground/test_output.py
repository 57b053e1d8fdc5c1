"""Lines on a terminal: as wide as it is, and whole."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from cases import share
from hypothesis import given, settings, strategies as st

from tla.ground.output import fitted, say

if TYPE_CHECKING:
    import pytest

TEXTS = st.text("ab, ()^=1", max_size=90).map(lambda text: text.rstrip(" ^") + "x")


@settings(max_examples=share(200))
@given(st.lists(TEXTS, max_size=4), st.integers(12, 60))
def test_a_wide_line_goes_on_in_the_next(lines: list[str], width: int) -> None:
    fit = fitted(lines, width)
    assert all(len(line) <= width for line in fit)
    assert "".join("".join(fit).split()) == "".join("".join(lines).split())
    assert all(line in fit for line in lines if len(line) <= width)


@settings(max_examples=share(200))
@given(st.text("ab,", min_size=1, max_size=60), st.integers(0, 4), st.integers(8, 30), st.data())
def test_a_mark_stays_below_what_it_marks(text: str, indent: int, width: int, data: Any) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    marked = text[:at] + "X" + text[at + 1 :]
    fit = fitted([" " * indent + marked, " " * (indent + at) + "^", "behind"], width)
    (row,) = [i for i, line in enumerate(fit) if "^" in line]
    assert fit[row - 1][fit[row].index("^")] == "X"
    assert fit[-1] == "behind"


def test_only_a_terminal_has_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    stream = io.StringIO()
    say("one two three four five six", file=stream)
    assert stream.getvalue() == "one two three four five six\n"
    monkeypatch.setattr(stream, "isatty", lambda: True)
    say("one two three four five six", file=stream)
    assert stream.getvalue().splitlines()[1:] == ["one two three four", "  five six"]
