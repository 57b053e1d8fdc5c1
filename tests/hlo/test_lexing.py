"""The words under the grammar: brackets that match, strings with escapes."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from tla import ParseError
from tla.hlo.lexing import UnclosedError, end_of_brackets, escaped, unescaped
from tla.hlo.naming import near_names


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "([{}])",
        '{"a":"}"}',
        r'{"a\"}":[1]}',
        "{'}'}",
        "{/* } */}",
        "{ // }\n}",
        '{"//": "/*"}',
        "{a/b}",
    ],
)
@pytest.mark.parametrize("behind", ["", "}", " x", '"'])
def test_brackets_end_where_they_close(text: str, behind: str) -> None:
    assert end_of_brackets(text + behind, 0) == len(text)
    assert end_of_brackets(f"({text}){behind}", 1) == len(text) + 1


@pytest.mark.parametrize(
    ("text", "summary", "at"),
    [
        ("{[}]", "expected ']', found '}'", 2),
        ("(}", "expected ')', found '}'", 1),
        ("{" * 1001 + "}" * 1001, "brackets deeper than 1000 levels", 1000),
    ],
)
def test_brackets_that_do_not_match(text: str, summary: str, at: int) -> None:
    with pytest.raises(ParseError) as caught:
        end_of_brackets(text, 0)
    assert (caught.value.summary, caught.value.start) == (summary, at)
    assert not isinstance(caught.value, UnclosedError)


@pytest.mark.parametrize(
    ("text", "summary", "at"),
    [
        ("{", "'{' is not closed", 0),
        ("{ ([)]", "expected ']', found ')'", 4),
        ("{()[]", "'{' is not closed", 0),
        ("{(", "'(' is not closed", 1),
        ('{"a}', "a string that is not closed", 1),
        ("{ /* }", "a comment that is not closed", 2),
        ('{"a\\"}', "a string that is not closed", 1),
    ],
)
def test_brackets_that_stay_open(text: str, summary: str, at: int) -> None:
    with pytest.raises(ParseError) as caught:
        end_of_brackets(text, 0)
    assert (caught.value.summary, caught.value.start) == (summary, at)


def test_brackets_a_thousand_deep_are_read() -> None:
    assert end_of_brackets("{" * 1000 + "}" * 1000, 0) == 2000


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        ("\"p[\\'q\\']\"", "p['q']"),
        (r'"a\"b\\c"', 'a"b\\c'),
        (r'"\n\t\r"', "\n\t\r"),
        (r'"\316\261"', "\N{GREEK SMALL LETTER ALPHA}"),
        (r'"\xce\xb1"', "\N{GREEK SMALL LETTER ALPHA}"),
        (r'"\1012"', "A2"),
        ('"\N{SNOWMAN}"', "\N{SNOWMAN}"),
        (r'"\377"', "\\xff"),
        ("'x'", "x"),
        ('""', ""),
    ],
)
def test_escapes(quoted: str, text: str) -> None:
    assert unescaped(quoted) == text


@given(st.text())
def test_what_is_escaped_says_the_same(text: str) -> None:
    quoted = escaped(text)
    assert quoted.isascii()
    assert quoted.isprintable()
    assert unescaped(quoted) == text
    assert end_of_brackets(f"{{{quoted}}}", 0) == len(quoted) + 2


@given(st.text(st.characters(exclude_categories=())))
@example("\udcff")
def test_the_content_of_a_string_is_read_again(inside: str) -> None:
    """Even of a text with halves of surrogate pairs, which UTF-8 cannot write."""
    text = unescaped(f'"{inside}"')
    assert unescaped(escaped(text)) == text


def test_near_names() -> None:
    assert near_names("fusion.12", ["fusion.1", "copy.3", "fusion.122"]) == ("fusion.122", "fusion.1")
    assert near_names("x", []) == ()


def test_near_names_of_very_many() -> None:
    many = [f"{stem}.{i}" for stem in ("copy", "fusion") for i in range(20000)]
    assert "fusion.1" in near_names("fusion.1x", many)
    assert near_names("f" * 10**6, ["f" * 10**6]) == ()
