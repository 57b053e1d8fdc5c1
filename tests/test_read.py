"""One reader for every notation: what is pasted is recognised."""

from __future__ import annotations

import pytest

from tla import Int, Layout, ParseError, parse, read
from tla.xla_bridge import XlaShape, XlaTuple, parse_shape


@pytest.mark.parametrize(
    "text",
    [
        "(2,3):(3,1)",
        "  ((4,2),(4,3)):((4,16),(1,32)):(5,10)\n",
        "(_2,4):(_12,_1)",
        "5:1",
        "_5:_1",
        "()",
        "():()",
        "(3)",
        "(3,)",
        "((4,2),(4,3))",
        "_-2",
        "7",
    ],
)
def test_layouts_and_int_tuples(text: str) -> None:
    assert read(text) == parse(text)
    assert repr(read(text)) == repr(parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "f32[2,3]",
        "F32[3,5]{1,0:T(2;2)}",
        "f32[]",
        "  bf16[8]{0:T(4)}\n",
        "(f32[2], u8[3])",
        "((f32[2]), /*index=1*/token[])",
        "/* a shape */ f32[2]",
        "f32[3,5]<1,0>",
    ],
)
def test_shapes_of_xla_are_read_as_documents_write_them(text: str) -> None:
    assert read(text) == parse_shape(text, "document")


def test_what_is_read_has_its_type() -> None:
    assert isinstance(read("(2):(1)"), Layout)
    assert isinstance(read("f32[2]"), XlaShape)
    assert isinstance(read("(f32[2])"), XlaTuple)
    assert isinstance(read("_4"), Int)
    assert read("(2,3)") == (2, 3)


@pytest.mark.parametrize(
    "value", [Layout((2, 3)), Layout((4, 8), (8, 1), (3, 5)), XlaShape("f32", (2, 3), tiles=[(2, 2)])]
)
def test_what_prints_reads_back(value: object) -> None:
    assert read(str(value)) == value


@pytest.mark.parametrize(
    ("text", "summary", "column"),
    [
        ("", "expected a layout such as (2,3):(3,1) or an XLA shape such as", 1),
        ("   ", "expected a layout such as (2,3):(3,1) or an XLA shape such as", 4),
        ("bad", "expected a layout such as (2,3):(3,1) or an XLA shape such as", 1),
        ("  f32", "expected a layout such as (2,3):(3,1) or an XLA shape such as", 3),
        ("True", "expected a layout such as (2,3):(3,1) or an XLA shape such as", 1),
        (":(1)", "expected a shape, found ':'", 1),
        ("(2,3):(1)", "shape (2,3) and stride (1) are not congruent", 1),
        ("(2,3", "expected ',' or ')' of the '(' in column 1", 5),
        ("4.5", "expected a shape, found '4.5'", 1),
        ("_", "'_' alone keeps a mode when slicing", 1),
        ("f32[3,5]{0,0}", "minor_to_major {0,0} is not an order of 2 dims", 10),
        ("[2]", "expected an element type such as f32", 1),
        ("f32[3,5]{1,0:T(2,2)", "expected '}' at the end of the layout, found the end of text", 20),
        ("(f32[2], (u8[3], s8[4])", "expected ')' or ',' in the tuple of shapes", 24),
    ],
)
def test_errors_point_at_the_character(text: str, summary: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert caught.value.summary.startswith(summary)
    assert (caught.value.column, caught.value.text) == (column, text)


@pytest.mark.parametrize("text", ["(2,3):(3,1]", "(2,3]:(3,1)", "((4,2),3):((4,16),[1])", "5:[1]"])
def test_a_bracket_does_not_make_a_layout_a_shape(text: str) -> None:
    """The error is that of the layout, at the bracket; not that of an XLA shape, at the first digit."""
    with pytest.raises(ParseError) as caught:
        read(text)
    assert caught.value.text[caught.value.start] in "[]"
    assert "element type" not in str(caught.value)


@pytest.mark.parametrize("text", ["bad", "", "\N{SNOWMAN}"])
def test_the_error_shows_what_can_be_written(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert "(2,3):(3,1)" in caught.value.summary
    assert "f32[2,3]{1,0}" in caught.value.summary


@pytest.mark.parametrize(
    "text",
    ["(" * 10**5, "[" * 10**5, "(" * 10**5 + "[", "f32[" * 10**5],
    ids=["tuples", "brackets", "shapes", "dims"],
)
def test_deep_nesting_is_an_error_like_any_other(text: str) -> None:
    with pytest.raises(ParseError):
        read(text)
