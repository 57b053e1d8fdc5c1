"""The scanner under every grammar."""

from typing import Any

import pytest

from tla import ParseError
from tla.ground.text import Scanner
from tla.ground.words import near_words


def test_tokens_and_blanks() -> None:
    scan = Scanner("  ab_1 ( 12\t,\n-3) ")
    assert scan.at == 2
    assert scan.peek() == "a"
    assert not scan.accept("(")
    assert scan.word() == "ab_1"
    assert scan.last == 6
    assert scan.accept("(")
    assert scan.integer("a number") == 12
    scan.expect(",")
    assert scan.integer("a number") == -3
    assert not scan.done
    scan.expect(")")
    assert scan.done
    assert (scan.peek(), scan.word()) == ("", "")
    scan.expect_end()


def test_a_scanner_may_start_within_the_text() -> None:
    scan = Scanner("skip 12", start=4)
    assert (scan.at, scan.integer("a number")) == (5, 12)


def test_words_end_where_they_are_told() -> None:
    assert Scanner("a-b.c").word() == "a"
    assert Scanner("a-b.c").word("-.") == "a-b.c"


def test_comments_are_skipped_where_they_are_known() -> None:
    text = "/* a */ 1 // b\n/**/2 /* open"
    scan = Scanner(text, comments=True)
    assert (scan.integer("a number"), scan.integer("a number")) == (1, 2)
    assert scan.found() == "'/'"
    assert Scanner("1 // to the end", comments=True).integer("a number") == 1
    assert Scanner(text).peek() == "/"


def test_what_was_expected() -> None:
    scan = Scanner("(x")
    acts: list[tuple[Any, str]] = [
        (lambda: scan.expect(")", "to close"), r"expected '\)' to close, found '\('"),
        (lambda: scan.integer("a size"), r"expected a size, found '\('"),
        (scan.expect_end, r"expected the end of text, found '\('"),
    ]
    for act, message in acts:
        with pytest.raises(ParseError, match=message) as caught:
            act()
        assert (caught.value.start, scan.at) == (0, 0)  # nothing was passed
    with pytest.raises(ParseError, match="expected a size, found the end of text"):
        Scanner("").integer("a size")
    with pytest.raises(ParseError, match="expected a size, found '-'"):
        Scanner("- 3").integer("a size")


def test_a_failure_may_name_its_span() -> None:
    with pytest.raises(ParseError) as caught:
        Scanner("one two").fail("no two", 4, 7)
    assert str(caught.value) == "no two\n  line 1, column 5\n    one two\n        ^^^"


@pytest.mark.parametrize("place", [0, 1, 30, 99, 500, 998, 999])
def test_a_long_line_is_shown_around_the_fault(place: int) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(1000))
    with pytest.raises(ParseError) as caught:
        Scanner(text).fail("here", place)
    _summary, where, shown, pointer = str(caught.value).split("\n")
    assert where == f"  line 1, column {place + 1}"
    assert len(shown) <= 104
    assert shown[pointer.index("^")] == text[place]
    assert pointer.count("^") == 1


def test_a_span_never_runs_past_what_is_shown() -> None:
    with pytest.raises(ParseError) as caught:
        Scanner("x" * 1000).fail("here", 950, 1000)
    _summary, _where, shown, pointer = str(caught.value).split("\n")
    assert len(pointer) == len(shown)


def test_tabs_and_control_characters_do_not_move_the_caret() -> None:
    with pytest.raises(ParseError) as caught:
        Scanner("a\tb\x1b[31mc").fail("here", 8)
    _summary, _where, shown, pointer = str(caught.value).split("\n")
    assert shown == "    a b [31mc"
    assert pointer.index("^") == shown.index("c")


def test_lines_and_columns_count_from_one() -> None:
    text = "ab\ncd\n\nef"
    places = [(0, 1, 1), (2, 1, 3), (3, 2, 1), (6, 3, 1), (8, 4, 2), (9, 4, 3)]
    for start, line, column in places:
        error = ParseError("x", text, start)
        assert (error.line, error.column, error.end) == (line, column, start + 1)


def test_at_most_three_near_words() -> None:
    assert len(near_words("aab", ["aaa", "aac", "aad", "aae", "aaf"])) == 3
    assert near_words("zzz", ["aaa"]) == []
