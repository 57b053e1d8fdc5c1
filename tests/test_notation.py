"""The notation of layouts: exactly round trip, and errors that point at the character."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tla
from tla import Int, Layout, ParseError, _1, _2, _3, _12, parse, same_static, to_text
from tla.notation import parse_int_tuple, parse_layout
from tla.testing import int_tuples, layouts, shapes

ANY = layouts(shapes(min_extent=0, max_depth=3), min_stride=-64, padded=True)


# --- round trip ---


@given(ANY)
def test_layouts_round_trip(layout: Any) -> None:
    for read in (parse, parse_layout):
        again: Any = read(str(layout))
        assert same_static(again, layout)
        assert str(again) == to_text(layout) == str(layout)


@given(int_tuples(st.integers(-(10**30), 10**30), max_depth=4))
def test_int_tuples_round_trip(x: Any) -> None:
    assert same_static(parse(to_text(x)), x)
    assert same_static(parse_int_tuple(to_text(x)), x)


@given(ANY, st.lists(st.sampled_from(["", " ", "\t", "\n", "  "]), min_size=1))
def test_blanks_between_tokens_mean_nothing(layout: Any, blanks: list[str]) -> None:
    tokens = re.findall(r"_?-?\d+|.", str(layout))
    spaced = "".join(token + blanks[i % len(blanks)] for i, token in enumerate(tokens))
    assert same_static(parse(spaced), layout)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-3", -3),
        ("_3", _3),
        ("_-3", Int(-3)),
        ("(3)", (3,)),
        ("(3,)", (3,)),
        ("()", ()),
        ("((),(()))", ((), ((),))),
        ("(_2,4):(_12,_1)", Layout((_2, 4), (_12, _1))),
        (" ( 2 , 3 ) : ( 3 , 1 ) ", Layout((2, 3), (3, 1))),
        ("5:2", Layout(5, 2)),
        ("_5:_-2", Layout(Int(5), Int(-2))),
        ("():()", Layout((), ())),
        ("(3):(1)", Layout((3,), (1,))),
        ("(4,8):(8,1):(3,5)", Layout((4, 8), (8, 1), (3, 5))),
        ("(4,8):(8,1):(4,8)", Layout((4, 8), (8, 1))),
        ("(0,3):(1,0)", Layout((0, 3), (1, 0))),
        (f"(2):({10**40})", Layout((2,), (10**40,))),
    ],
)
def test_what_is_read(text: str, value: Any) -> None:
    assert same_static(parse(text), value)
    assert type(parse(text)) is type(value)
    assert tla.read(text) == value


def test_printing() -> None:
    assert to_text((_2, (4, (5,)), ())) == "(_2,(4,(5)),())"
    assert str(Layout((_2, 4), (_12, _1))) == "(_2,4):(_12,_1)"
    assert str(Layout(8, 1, 5)) == "8:1:5"


# --- errors ---

OPEN = "expected ',' or ')' of the '(' in column {}, found {}"
LEAF = "expected {}, found {}; a leaf is an int such as 4 or _4"
STATIC = "'_' alone keeps a mode when slicing; a static int is '_' and digits, as _4"
END = "the end of text"
ITEM = "an int or '('"


@pytest.mark.parametrize(
    ("text", "summary", "column", "carets"),
    [
        ("", f"expected a shape, found {END}", 1, 1),
        ("   ", f"expected a shape, found {END}", 4, 1),
        ("_", STATIC, 1, 1),
        ("(2,_)", STATIC, 4, 1),
        ("4.5", LEAF.format("a shape", "'4.5'"), 1, 3),
        ("(2,4.5):(1,2)", LEAF.format(ITEM, "'4.5'"), 4, 3),
        ("True", LEAF.format("a shape", "'True'"), 1, 4),
        ("(2,3):(1,True)", LEAF.format(ITEM, "'True'"), 10, 4),
        ("4_000", LEAF.format("a shape", "'4_000'"), 1, 5),
        ("--4", LEAF.format("a shape", "'--4'"), 1, 3),
        ("-_4", LEAF.format("a shape", "'-_4'"), 1, 3),
        ("٣", LEAF.format("a shape", "'٣'"), 1, 1),
        ("+4", "expected a shape, found '+'", 1, 1),
        ("[2,3]", "expected a shape, found '['", 1, 1),
        # parentheses
        ("(", OPEN.format(1, END), 2, 1),
        ("(2,3", OPEN.format(1, END), 5, 1),
        ("((2,3)", OPEN.format(1, END), 7, 1),
        ("(2,(3,4):(1,2)", OPEN.format(1, "':'"), 9, 1),
        ("(2,3):(1", OPEN.format(7, END), 9, 1),
        ("(2 3)", OPEN.format(1, "'3'"), 4, 1),
        ("(2;3)", OPEN.format(1, "';'"), 3, 1),
        (")", "expected a shape, found ')'", 1, 1),
        ("(2,3))", f"expected {END}, found ')'", 6, 1),
        ("(2,3):(3,1))", f"expected {END}, found ')'", 12, 1),
        # commas and colons
        ("(2,,3)", f"expected {ITEM}, found ','", 4, 1),
        ("(,2)", f"expected {ITEM}, found ','", 2, 1),
        ("(2,3,)", f"expected {ITEM}, found ')'", 6, 1),
        ("2,3", f"expected {END}, found ','", 2, 2),
        (":(1)", "expected a shape, found ':'", 1, 1),
        ("(2,3):", f"expected a stride, found {END}", 7, 1),
        ("(2,3):(3,1):", f"expected an origin shape, found {END}", 13, 1),
        ("(2,3):(3,1):(2,3):", f"expected {END}, found ':'", 18, 1),
        ("(2,3):(3,1) then", f"expected {END}, found 't'", 13, 4),
        # it reads well, and is no layout
        ("(2,3):(1)", "shape (2,3) and stride (1) are not congruent", 1, 9),
        (" (2,3):1 ", "shape (2,3) and stride 1 are not congruent", 2, 7),
        ("(2,-3):(3,1)", "shape (2,-3) has the negative extent -3", 4, 2),
        ("(2,3):(3,1):(2,4)", "origin shape (2,4) does not lie in the shape (2,3)", 1, 17),
        ("(2,3):(3,1):6", "origin shape 6 does not fit the shape (2,3)", 1, 13),
    ],
)
def test_bad_text(text: str, summary: str, column: int, carets: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    error = caught.value
    assert error.summary == summary
    assert (error.text, error.line, error.column) == (text, 1, column)
    *_rest, where, shown, pointer = str(error).split("\n")
    assert where == f"  line 1, column {column}"
    assert shown == f"    {text}"
    assert pointer == " " * (4 + column - 1) + "^" * carets
    assert isinstance(error, ValueError)


def test_an_error_on_another_line_shows_that_line() -> None:
    with pytest.raises(ParseError) as caught:
        parse("(2,3)\n:(1,\n  x)")
    assert (caught.value.line, caught.value.column) == (3, 3)
    assert str(caught.value).endswith("\n  line 3, column 3\n      x)\n      ^")


@pytest.mark.parametrize("text", ["(2,3)\n:(1)", "(2,3):\n(1)"])
def test_a_span_over_lines_is_marked_on_its_first(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    first = text.split("\n")[0]
    assert str(caught.value).endswith(f"line 1, column 1\n    {first}\n    {'^' * len(first)}")


def test_huge_nesting_is_an_error_not_a_crash() -> None:
    assert parse("(" * 100 + "4" + ")" * 100) == parse("(" * 99 + "(4)" + ")" * 99)
    for text in ["(" * 101 + "4" + ")" * 101, "(" * 10**5, "4:" + "(" * 10**5]:
        with pytest.raises(ParseError, match="nested deeper than 100 levels") as caught:
            parse(text)
        assert caught.value.column == text.index("(") + 101
        assert len(str(caught.value)) < 400


def test_huge_ints_are_an_error_not_a_crash() -> None:
    assert parse("9" * 4300) == 10**4300 - 1
    for text in ["9" * 4301, "_" + "9" * 10**5, "-" + "9" * 10**5, f"(2):({'9' * 5000})"]:
        with pytest.raises(ParseError, match=r"an int of \d+ digits; at most 4300 are read") as caught:
            parse(text)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["x" * 10**5, "(" + "y" * 10**5 + ")", "(2,3)" + "z" * 10**5])
def test_errors_about_long_texts_stay_short(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert len(str(caught.value)) < 1000


@given(st.text(alphabet="()_,:-0123456789 .x\n", max_size=30))
@example("(2,3):(1,2):(1,1)")
@example("((((")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = parse(text)
    except ParseError as error:
        caught = error
    else:
        assert same_static(parse(to_text(value)), value)
        return
    assert 0 <= caught.start <= len(text)
    assert caught.start < caught.end
    assert set(str(caught).split("\n")[-1]) <= {" ", "^"}


def test_only_a_layout_or_only_a_tuple() -> None:
    with pytest.raises(ParseError, match="expected ':' and a stride after the shape") as caught:
        parse_layout("(2,3) ")
    assert caught.value.column == 6
    with pytest.raises(ParseError, match="expected one tuple, found a layout") as caught:
        parse_int_tuple("(2,3):(3,1)")
    assert caught.value.column == 6
    assert parse_int_tuple("(2,_3)") == (2, 3)
    assert parse_layout("_2:_1").is_static
