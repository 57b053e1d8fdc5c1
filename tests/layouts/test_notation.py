"""The notation of layouts: exactly round trip, and errors that point at the character."""

import re
from typing import Any

import pytest
from cases import share
from hypothesis import example, given, settings, strategies as st

import tla
from tla import (
    Int,
    Layout,
    ParseError,
    TlaError,
    UndecidedError,
    _1,
    _2,
    _3,
    _12,
    parse,
    same_static,
    to_text,
)
from tla.layouts import parse_int_tuple
from tla.numbers import Condition, ceil_divided, floor_divided, greatest, least, remainder, sym
from tla.testing import int_tuples, layouts, shapes

ANY = layouts(shapes(min_extent=0, max_depth=3), min_stride=-64, padded=True)


# --- round trip ---


@given(ANY)
def test_layouts_round_trip(layout: Any) -> None:
    again: Any = parse(str(layout))
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
        ("4_000", LEAF.format("a shape", "'4_000'"), 1, 5),
        ("--4", LEAF.format("a shape", "'--4'"), 1, 3),
        ("-_4", LEAF.format("a shape", "'-_4'"), 1, 3),
        ("٣", LEAF.format("a shape", "'٣'"), 1, 1),
        ("+4", "expected a shape, found '+'", 1, 1),
        ("[2,3]", "a layout has () and not []", 1, 1),
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
        ("2,3", "several modes need parentheses", 2, 2),
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
        parse("(2,3)\n:(1,\n  !)")
    assert (caught.value.line, caught.value.column) == (3, 3)
    assert str(caught.value).endswith("\n  line 3, column 3\n      !)\n      ^")


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
        assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["x" * 10**5 + "é", "(" + "y" * 10**5 + "?)", "(2,3)" + "z" * 10**5])
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


def test_only_a_tuple() -> None:
    with pytest.raises(ParseError, match="expected one tuple, found a layout") as caught:
        parse_int_tuple("(2,3):(3,1)")
    assert caught.value.column == 6
    assert parse_int_tuple("(2,_3)") == (2, 3)


# --- symbols ---

M, N, K = sym("M"), sym("N"), sym("K")
M16 = sym("M", divisible_by=16)


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("M", M, "M"),
        ("M_2b", sym("M_2b"), "M_2b"),
        ("M{div=16,min=0,max=64}", sym("M", 16, 0, 64), "M{div=16,min=0,max=64}"),
        ("M{ max = 64 , div = 16 }", sym("M", 16, 1, 64), "M{div=16,max=64}"),
        ("M{min=none}", sym("M", min=None), "M{min=none}"),
        ("M{min=none,max=none}", sym("M", min=None), "M{min=none}"),
        ("M{min=1}", M, "M"),
        ("i{min=0,max=N-1}", sym("i", min=0, max=N - 1), "i{min=0,max=N-1}"),
        ("i{max=N{div=4}/4}", sym("i", max=sym("N", 4) // 4), "i{max=N/4}"),
        ("M{type=uint32_t}", sym("M", cpp_type="uint32_t"), "M{type=uint32_t}"),
        ("M{type=unsigned int}", sym("M", cpp_type="unsigned int"), "M{type=unsigned int}"),
        # quotients
        ("M/16", M16 // 16, "M/16"),
        ("M{div=16}/16", M16 // 16, "M/16"),
        ("M{div=32}/16", sym("M", 32) // 16, "M{div=32}/16"),
        ("3*M/16", 3 * M16 // 16, "3*M/16"),
        ("4*M/16", sym("M", 4) // 4, "M/4"),
        ("M//16", M // 16, "M//16"),
        ("M%16", M % 16, "M%16"),
        ("M floordiv 16", M // 16, "M//16"),
        ("M mod 16", M % 16, "M%16"),
        ("M ceildiv 16", ceil_divided(M, 16), "(M+15)//16"),
        ("7//N", 7 // N, "7//N"),
        ("(M//4)%4*N", M // 4 % 4 * N, None),
        ("M//4//4", M // 16, "M//16"),
        ("M*N/N", M, "M"),
        # sums and products, from the left, products before sums
        ("M-N-K", M - N - K, None),
        ("M-(N-K)", M - N + K, None),
        ("2+3*M", 3 * M + 2, "3*M+2"),
        ("(2+3)*M", 5 * M, "5*M"),
        ("-M", -M, "-M"),
        ("--M", M, "M"),
        ("-(M-1)", 1 - M, "-M+1"),
        ("M - -3", M + 3, "M+3"),
        ("M*N*M", M * M * N, None),
        ("M-M", 0, "0"),
        ("2*3+4", 10, "10"),
        # the least and the greatest
        ("min(M,N,4)", least(M, N, 4), "min(4,M,N)"),
        ("max(M, 4)", greatest(M, 4), "max(4,M)"),
        ("min(M)", M, "M"),
        ("max(min(M,9),4)", greatest(least(M, 9), 4), None),
        # one name all over the text: its facts stand anywhere
        ("(M,M{div=16}/16)", (M16, M16 // 16), "(M,M/16)"),
        ("(M//3,M/16)", (M16 // 3, M16 // 16), None),
        ("(M/16,M/3)", (sym("M", 48) // 16, sym("M", 48) // 3), "(M/16,M/3)"),
        ("(M{min=2},M{min=2})", (sym("M", min=2),) * 2, "(M{min=2},M)"),
        ("(N{max=M},M{max=9})", (sym("N", max=sym("M", max=9)), sym("M", max=9)), None),
        # parentheses: a tuple of one, or a group that an operator follows
        ("(M)", (M,), "(M)"),
        ("((M+1))", ((M + 1,),), "((M+1))"),
        ("((M+1)*2,(M)//2)", ((M + 1) * 2, M // 2), None),
        ("((M,4),(N+1)*2)", ((M, 4), (N + 1) * 2), "((M,4),2*N+2)"),
    ],
)
def test_symbols(text: str, value: Any, written: str | None) -> None:
    read = parse(text)
    assert type(read) is type(value)
    assert same_static(read, value)
    assert written is None or to_text(read) == written
    assert same_static(parse(to_text(read)), value)


def test_symbolic_layouts() -> None:
    layout = parse("((_16,M/16),K):((K,16*K),_1)")
    assert same_static(layout, Layout(((Int(16), M16 // 16), K), ((K, 16 * K), _1)))
    assert str(layout) == "((_16,M/16),K):((K,16*K),_1)"
    assert str(layout.bind(M=96, K=8)) == "((_16,6),8):((8,128),_1)"
    padded = parse("(16,8):(8,1):(min(16,M),8)")
    assert str(padded) == "(16,8):(8,1):(min(16,M),8)"
    assert padded.bind(M=5) == Layout((16, 8), (8, 1), (5, 8))
    assert parse_int_tuple("(M,_4)") == (M, 4)
    assert parse("M:1") == Layout(M, 1)


def test_what_names_stand_for_may_be_given() -> None:
    long = sym("M", divisible_by=16, min=32)
    read = parse("(M/16,N)", symbols={"M": long})
    assert same_static(read, (long // 16, N))
    assert str(parse("M:N", {"M": 4, "N": K + 1})) == "4:K+1"
    assert parse("(M{div=16,min=32},M)", {"M": long}) == (long, long)
    assert parse("M:1", {"M": 4}) == parse("4:1")
    assert parse_int_tuple("(M,1)", {"M": 4}) == (4, 1)
    with pytest.raises(ParseError, match="M has other facts elsewhere"):
        parse("M{div=8}", {"M": long})
    with pytest.raises(ParseError, match="needs M % 32 == 0"):
        parse("M/32", {"M": long})


@pytest.mark.parametrize(
    ("text", "summary", "column", "carets"),
    [
        ("M/", f"expected a divisor, found {END}", 3, 1),
        ("M*", f"expected a factor, found {END}", 3, 1),
        ("M+", f"expected a summand, found {END}", 3, 1),
        ("M**2", "expected a factor, found '*'", 3, 1),
        ("M+_4", "expected a summand, found '_'", 3, 1),
        ("M 4", f"expected {END}, found '4'", 3, 1),
        ("4M", LEAF.format("a shape", "'4M'"), 1, 2),
        ("_M", LEAF.format("a shape", "'_M'"), 1, 2),
        ("é", "expected a shape, found 'é'; a leaf is an int such as 4 or _4", 1, 1),
        ("min", "'min' is a word of the notation", 1, 3),
        ("(2,o)", "'o' is a word of the notation", 4, 1),
        ("M+mod", "'mod' is a word of the notation", 3, 3),
        ("min(M", f"expected ')', found {END}", 6, 1),
        ("min()", "expected an expression, found ')'", 5, 1),
        ("(M", OPEN.format(1, END), 3, 1),
        ("((M+1)", OPEN.format(1, END), 7, 1),
        ("2*(M+1", f"expected ')', found {END}", 7, 1),
        # division
        ("M//0", "a division by 0", 2, 3),
        ("M%(N-N)", "a division by 0", 2, 6),
        ("4//N{min=0}", "cannot divide 4 by N{min=0}: it may be 0", 2, 10),
        ("M{div=8}/16", "'/' is the exact quotient, which needs M % 16 == 0; '//' rounds down", 9, 3),
        (
            "(M{div=8},M/16)",
            "'/' is the exact quotient, which needs M % 16 == 0; '//' rounds down",
            12,
            3,
        ),
        # facts
        ("M{dim=3}", "'dim' is no fact; facts are div, min, max and type", 3, 3),
        ("M{div=16,div=8}", "'div' stands twice; facts are div, min, max and type", 10, 3),
        ("M{}", "'}' is no fact; facts are div, min, max and type", 3, 1),
        ("M{div=16", f"expected '}}' after the facts, found {END}", 9, 1),
        ("M{div 16}", "expected '=' after div, found '1'", 7, 1),
        ("M{div=N}", "expected a divisor, found 'N'", 7, 1),
        ("M{div=-2}", "M cannot be divisible by -2", 1, 1),
        ("M{min=5,max=3}", "no M lies between 5 and 3", 1, 1),
        ("M{div=16,min=1,max=15}", "no M lies between 1 and 15 among the multiples of 16", 1, 1),
        ("M{max=M}", "the range of M refers to M itself", 7, 1),
        ("(N{max=M},M{max=N})", "the range of N refers to N itself", 17, 1),
        ("(M{div=16},M{div=8})", "M has other facts elsewhere", 13, 7),
        ("(M{min=2},M{min=3})", "M has other facts elsewhere", 12, 7),
        ("M{div=16}{div=16}", f"expected {END}, found '{{'", 10, 8),
        # it reads well, and is no layout
        ("(M,-N):(1,2)", "shape (M,-N) has the negative extent -N", 4, 2),
    ],
)
def test_bad_symbols(text: str, summary: str, column: int, carets: int) -> None:
    test_bad_text(text, summary, column, carets)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("M{div=0}", "M cannot be divisible by 0"),
        ("4/3", "'/' is the exact quotient, and 3 does not divide 4; '//' rounds down"),
        ("True", LEAF.format("a shape", "'True'")),
        ("(2,3):(1,True)", LEAF.format(ITEM, "'True'")),
    ],
)
def test_what_is_hardly_meant(text: str, summary: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.summary == summary


def test_deep_expressions_are_an_error_not_a_crash() -> None:
    assert parse("2*" + "(" * 90 + "M" + ")" * 90) == 2 * M
    for text in [
        "2*" + "(" * 10**4 + "M" + ")" * 10**4,
        "-" * 10**4 + "M",
        "min(" * 10**4 + "M" + ")" * 10**4,
        "M{max=N{max=" * 10**4,
        "".join(f"a{i}{{max=" for i in range(10**3)),
        "(" * 10**4 + "M" + "+1)" * 10**4,
    ]:
        with pytest.raises(ParseError) as caught:
            parse(text)
        assert len(str(caught.value)) < 600
    assert parse("+".join(["M"] * 1000)) == 1000 * M


SMALL = st.integers(-6, 20)


@st.composite
def symbol_sets(draw: st.DrawFn) -> list[Any]:
    """A few symbols of different names, bounded by ints, by those before them, or not at all."""
    out: list[Any] = []
    for name in draw(st.lists(st.sampled_from(list("MNKi")), min_size=1, unique=True)):
        divisor = draw(st.sampled_from([1, 1, 2, 3, 16]))
        low: Any = draw(st.none() | st.integers(-3, 9))
        highest: Any = st.none() | st.none() | st.integers(40, 90)
        high: Any = draw(highest)
        chosen: Any = st.booleans()
        if out and draw(chosen):
            high = draw(st.sampled_from(out)) * draw(st.integers(1, 3)) + draw(SMALL)
        try:
            out.append(sym(name, divisor, low, high))
        except TlaError:  # no int lies in the range
            out.append(sym(name, divisor))
    return out


def expressions(symbols: list[Any]) -> st.SearchStrategy[Any]:
    positive = st.integers(1, 40) | st.sampled_from([x for x in symbols if x.known_gt(0)] or [7])

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.one_of(
            st.tuples(inner, inner).map(lambda x: x[0] + x[1]),
            st.tuples(inner, inner).map(lambda x: x[0] - x[1]),
            st.tuples(inner, inner).map(lambda x: x[0] * x[1]),
            st.tuples(inner, positive).map(lambda x: floor_divided(*x)),
            st.tuples(inner, positive).map(lambda x: remainder(*x)),
            st.tuples(inner, positive).map(lambda x: ceil_divided(*x)),
            st.lists(inner, min_size=2, max_size=3).map(lambda x: least(*x)),
            st.lists(inner, min_size=2, max_size=3).map(lambda x: greatest(*x)),
        )

    return st.recursive(st.sampled_from(symbols) | SMALL, grown, max_leaves=6)


@given(st.data())
@settings(max_examples=share(150))
def test_symbolic_layouts_round_trip(data: st.DataObject) -> None:
    symbols = data.draw(symbol_sets())
    ints = expressions(symbols) | st.integers(0, 9).map(Int)
    plain: Any = data.draw(layouts(shapes(max_depth=2)))

    def some(x: Any) -> Any:
        return tla.transform_leaf(lambda n: data.draw(ints) if data.draw(st.booleans()) else n, x)

    shape, stride = some(plain.shape), some(plain.stride)
    try:
        layout = Layout(shape, stride)
        if tla.is_tuple(shape) and data.draw(st.booleans()):
            layout = Layout(shape, stride, tuple(least(tla.size(s), 3) for s in shape))
    except TlaError:  # an extent that is negative
        return
    again: Any = parse(str(layout))
    assert same_static(again, layout)
    assert str(again) == str(layout)
    assert again.symbols == layout.symbols
    given = {s.name: tla.numbers.sym(s.name, s.divisor, s.least, s.greatest) for s in layout.symbols}
    assert same_static(parse(str(layout), symbols=given), layout)


@given(st.text(alphabet="()_,:-+*/%{}=MNi0142 .minaxdvo\n", max_size=30))
@example("M{min=N}N{max=M}")
@example("(M,M/2,M{div=4})")
@example("1:0:a")
@settings(max_examples=share(400))
def test_any_symbolic_text_is_read_or_refused(text: str) -> None:
    try:
        test_any_text_is_read_or_refused.hypothesis.inner_test(text)  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]
    except UndecidedError as error:
        needed = error.obligation
    else:
        return
    assert isinstance(needed, Condition)  # a good text, but whether it is a layout depends on an unknown
