"""Expressions: the values of texts, and errors that point at the character."""

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from cases import share
from hypothesis import example, given, settings, strategies as st

import tla
from tla import (
    Int,
    Layout,
    LayoutError,
    LeafError,
    ParseError,
    TlaError,
    _,
    _2,
    _4,
    algebra,
    same_static,
    to_text,
)
from tla.evaluation import OPERATIONS, evaluate, text_of_value
from tla.ground.limits import limit_of
from tla.layouts.swizzle import ComposedLayout, Swizzle
from tla.testing import coords_of, int_tuples, layouts, shapes

ANY = layouts(shapes(min_extent=0, max_depth=3), min_stride=-64, padded=True)
SWIZZLES = st.builds(Swizzle, st.integers(0, 3), st.integers(0, 4), st.integers(3, 5) | st.just(-4))
COMPOSED = st.builds(
    ComposedLayout, SWIZZLES | ANY, st.integers(-9, 9) | st.just(Int(4)), layouts(shapes())
)
VALUES = st.recursive(
    int_tuples() | ANY | st.booleans() | st.just(_) | SWIZZLES | COMPOSED,
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)
BOTH = Layout((4, 2), (2, 1))


# --- what is read ---


@given(ANY)
def test_layouts_round_trip(layout: Any) -> None:
    assert same_static(evaluate(str(layout)), layout)
    assert same_static(evaluate(repr(layout)), layout)


@given(int_tuples(st.integers(-(10**30), 10**30), max_depth=4))
def test_int_tuples_round_trip(x: Any) -> None:
    assert same_static(evaluate(to_text(x)), x)
    assert text_of_value(x) == to_text(x)


@given(VALUES)
def test_all_values_round_trip(value: Any) -> None:
    again = evaluate(text_of_value(value))
    assert again == value
    assert type(again) is type(value)
    assert text_of_value(again) == text_of_value(value)
    assert evaluate(repr(value)) == value


@given(VALUES, st.lists(st.sampled_from(["", " ", "\t", "\n", "  "]), min_size=1))
def test_blanks_between_tokens_mean_nothing(value: Any, blanks: list[str]) -> None:
    tokens = re.findall(r" o |_?-?\d+|\w+|.", text_of_value(value))
    spaced = "".join(token + blanks[i % len(blanks)] for i, token in enumerate(tokens))
    assert evaluate(spaced) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("_4", _4),
        ("_-4", Int(-4)),
        ("()", ()),
        ("(3,)", (3,)),
        ("4:2", Layout(4, 2)),
        ("(4,8):(8,1):(3,5)", Layout((4, 8), (8, 1), (3, 5))),
        ("true", True),
        ("False", False),
        ("_", _),
        # tilers and coordinates
        ("(2:1, 4:2)", (Layout(2, 1), Layout(4, 2))),
        ("(_, (3, _))", (_, (3, _))),
        ("((2,3):(3,1), 4, _)", (Layout((2, 3), (3, 1)), 4, _)),
        ("((2:1))", ((Layout(2, 1),),)),
        # a coordinate, or a slice
        ("(4,2):(2,1)(3,1)", 7),
        ("(4,2):(2,1)((3,1))", 7),
        ("(4,2):(2,1)(7)", 7),
        ("4:2 (3)", 6),
        ("4:2:3(2)", 4),
        ("():()()", 0),
        ("(4,2):(2,1)(_,1)", Layout((4,), (2,))),
        ("(4,(2,3)):(1,(4,8))(_,(1,_))(2,1)", 10),
        ("(4,2):(2,1)(_)(3,1)", 7),
        ("(4,2):(2,1)(size(3:1),1)", 7),
        # int tuples that are computed
        ("size(4:2):rank((1,1)):3", Layout(4, 2, 3)),
        ("(size(4:2),2):(2,1)", Layout((4, 2), (2, 1))),
        ("shape((4,2):(2,1)):(1,4)", Layout((4, 2), (1, 4))),
        # operations
        ("make_layout((4,2))", Layout((4, 2))),
        ("make_layout( (4,2) , stride = (2,1) )", Layout((4, 2), (2, 1))),
        ("make_layout(shape=(4,2), stride=(2,1))", Layout((4, 2), (2, 1))),
        ("make_layout((4,2),)", Layout((4, 2))),
        ("get((4,(2,3)):(1,(4,8)), 1, 0)", Layout(2, 4)),
        ("size(get((4,(2,3)):(1,(4,8)), 1))", 6),
        ("zN(8, 12, block=(4,4))(1, 5)", 37),
        ("congruent((4,2), (1,1))", True),
        ("compatible(24, (4,5))", False),
        ("slice_and_offset((2,_), (4,3):(3,1))", (Layout((3,), (1,)), 6)),
        ("make_layout_tile((4,4):(4,1), (3,3), exact=false)", Layout((3, 3), (4, 1))),
        ("make_layout_tile((4,4):(4,1), (3,3), exact=False)", Layout((3, 3), (4, 1))),
        ("compact_col_major((4,2), start=3)", (3, 12)),
        ("Int(4)", _4),
        # arithmetic on values of operations
        ("size(4:2) * 2 + 1", 9),
        ("1 + 2 * size(4:2)", 9),
        ("(size(4:2) + 1) // 2:3", Layout(2, 3)),
        ("(4,2):(2,1)(3,1) - _3", 4),
        ("_1 + _2 * _4", Int(9)),
        ("_-9 // _4", Int(-3)),
        # C++
        ("Int<4>", _4),
        ("tla::C<4>{}", _4),
        ("_4{}", _4),
        ("int{2} + _2", 4),
        ("make_tuple(int{2}, Int<4>{})", (2, _4)),
        ("Shape<Shape<_4,_2>,_4>{}", ((_4, _2), _4)),
        ("Layout<Shape<_4>, Stride<_2>>{}(3)", Int(6)),
        # statements
        ("auto x = 4:2; size(x) + 1;", 5),
        ("const auto size = 4:2; // what\n// it is\nprint(size(size)); // 4", 4),
        ("x = 3; y = x + 1; x * y", 12),
        # swizzles
        ("Swizzle(2,0,3)", Swizzle(2, 0, 3)),
        ("Sw<2, 0, -3>", Swizzle(2, 0, -3)),
        ("Sw<2,0,3>(8)", 9),
        ("Sw<2,0,3> o 0 o (8,8):(8,1)", ComposedLayout(Swizzle(2, 0, 3), 0, Layout((8, 8), (8, 1)))),
        ("Sw<2,0,3> o 0 o (8,8):(8,1) (1,3)", 10),
        ("Sw<2,0,3> o 0 o (8,8):(8,1) (_,3)(1)", 10),
        ("Sw<2,0,3> o size(2:1) o row_major(8,8)(1,1)", 10),
        ("(4,2):(2,1) o 3 o 2:4", ComposedLayout(BOTH, 3, Layout(2, 4))),
    ],
)
def test_what_is_read(text: str, value: Any) -> None:
    assert evaluate(text) == value
    assert type(evaluate(text)) is type(value) or isinstance(value, int)
    assert evaluate(text_of_value(evaluate(text))) == value


@given(ANY, st.data())
def test_a_coordinate_gives_the_offset(layout: Any, data: st.DataObject) -> None:
    if layout.size:
        coord = data.draw(coords_of(layout.shape, static=None))
        assert same_static(evaluate(f"{layout} ({to_text(coord)})"), layout(coord))


def test_values_print() -> None:
    assert (
        text_of_value((True, (False,), _, (), Layout((_2, 4)))) == "(true,(false),_,(),(_2,4):(_1,_2))"
    )
    for bad in (None, "4", 2.0, [4], (None,)):
        with pytest.raises(LeafError, match="expected a layout, an int, a bool or a tuple of them"):
            text_of_value(bad)


# --- operations ---


def test_operations_exist() -> None:
    assert len(set(OPERATIONS)) == len(OPERATIONS)
    assert sorted(OPERATIONS) == list(OPERATIONS)
    for name in OPERATIONS:
        with pytest.raises(TlaError):
            evaluate(f"{name}(_=1)")


@pytest.mark.parametrize(
    ("text", "direct"),
    [
        ("coalesce((2,(1,6)):(1,(7,2)))", lambda f: f.coalesce(Layout((2, (1, 6)), (1, (7, 2))))),
        ("coalesce((2,(1,6)):(1,(7,2)), (1,1))", lambda f: f.coalesce(Layout((2, (1, 6))), (1, 1))),
        ("filter((2,3):(0,1))", lambda f: f.filter(Layout((2, 3), (0, 1)))),
        ("same_function((2,3):(1,2), 6:1)", lambda f: True),
        (
            "composition((6,2):(8,2), (4,3):(3,1))",
            lambda f: f.composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))),
        ),
        ("compose(20:2, 5:4)", lambda f: f.composition(Layout(20, 2), Layout(5, 4))),
        ("composition(20:2, 5:4, extend=false)", lambda f: f.composition(Layout(20, 2), Layout(5, 4))),
        (
            "composition(Sw<2,0,3>, (8,8):(8,1))",
            lambda f: f.composition(Swizzle(2, 0, 3), Layout((8, 8), (8, 1))),
        ),
        (
            "logical_divide((4,2,3):(2,1,8), 4:2)",
            lambda f: f.logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)),
        ),
        (
            "zipped_divide((9,(4,8)):(59,(13,1)), (3:3,(2,4):(1,8)))",
            lambda f: f.zipped_divide(
                Layout((9, (4, 8)), (59, (13, 1))), (Layout(3, 3), Layout((2, 4), (1, 8)))
            ),
        ),
        (
            "coalesce(complement(composition((4,2):(1,4), 4:2), 24))",
            lambda f: f.coalesce(f.complement(f.composition(Layout((4, 2)), Layout(4, 2)), 24)),
        ),
        (
            "right_inverse((4,2):(2,1))(left_inverse((4,2):(2,1))(5))",
            lambda f: f.right_inverse(BOTH)(f.left_inverse(BOTH)(5)),
        ),
        (
            "blocked_product((2,5):(5,1), (3,4):(1,3))",
            lambda f: f.blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4))),
        ),
        (
            "compose(Sw<2,0,3> o 1 o (8,8):(8,1), (2,4:2))",
            lambda f: ComposedLayout(Swizzle(2, 0, 3), 1, Layout((2, 4), (8, 2))),
        ),
        ("is_injective((2,3):(1,1))", lambda f: False),
        ("group((2,3,4):(1,2,6), 0, 2)", lambda f: f.group(Layout((2, 3, 4)), 0, 2)),
        ("append((4,2), 3)", lambda f: (4, 2, 3)),
    ],
)
def test_operations_of_the_algebra(text: str, direct: Any) -> None:
    assert evaluate(text) == direct(algebra)


def test_a_composition_with_a_swizzle_begins_at_a_static_0() -> None:
    composed = evaluate("compose(Sw<2,0,3>, (8,8):(8,1))")
    assert same_static(composed.offset, Int(0))
    assert text_of_value(composed) == "Sw<2,0,3> o _0 o (8,8):(8,1)"


def test_calls_are_noted_in_the_order_in_which_they_are_carried_out() -> None:
    calls: list[Any] = []
    evaluate("coalesce(compose(8:1, b=(2,2):(1,2), extend=false), (1))", calls)
    inner = ("compose", (Layout(8, 1),), {"b": Layout((2, 2), (1, 2)), "extend": False})
    assert calls == [inner, ("coalesce", (Layout((2, 2), (1, 2)), (1,)), {})]


# --- errors ---

END = "the end of text"
OPEN = "expected ',' or ')' of the '(' in column {}, found {}"
LEAF = "expected an expression, found {}; a leaf is an int such as 4 or _4"


@pytest.mark.parametrize(
    ("text", "summary", "column", "carets"),
    [
        ("", f"expected an expression, found {END}", 1, 1),
        ("4.5", LEAF.format("'4.5'"), 1, 3),
        ("(4,4x)", LEAF.format("'4x'"), 4, 2),
        ("_x", LEAF.format("'_x'"), 1, 2),
        ("[2]", "expected an expression, found '['", 1, 1),
        ("2,3", "several modes need parentheses", 2, 2),
        ("4:2 4", f"expected {END}, found '4'", 5, 1),
        # parentheses
        ("(", OPEN.format(1, END), 2, 1),
        ("size(4:2", OPEN.format(5, END), 9, 1),
        ("get((4,2):(2,1), 0", OPEN.format(4, END), 19, 1),
        ("size(4:2))", f"expected {END}, found ')'", 10, 1),
        ("size(4:2 3)", OPEN.format(5, "'3'"), 10, 1),
        ("4:2(1", OPEN.format(4, END), 6, 1),
        ("size(,)", "expected an expression, found ','", 6, 1),
        ("size", f"expected '(' and the arguments of size, found {END}", 5, 1),
        ("(size, 2)", "expected '(' and the arguments of size, found ','", 6, 1),
        # layouts
        ("4:", f"expected a stride, found {END}", 3, 1),
        ("4:2:", f"expected an origin shape, found {END}", 5, 1),
        ("4:2:4:2", f"expected {END}, found ':'", 6, 2),
        ("(2:1,3:1):4", "a shape is an int tuple, not the tuple (2:1,3:1)", 1, 9),
        ("4:(2:1)", "a stride is an int tuple, not the tuple (2:1)", 3, 5),
        ("4:2:zN(8,8)", "an origin shape is an int tuple, not the layout", 5, 7),
        ("true:1", "a shape is an int tuple, not true", 1, 4),
        ("(_,2):(1,2)", "a shape is an int tuple, not the tuple (_,2)", 1, 5),
        (" (2,3):1", "shape (2,3) and stride 1 are not congruent", 2, 7),
        ("size((2,-3):(3,1))", "shape (2,-3) has the negative extent -3", 9, 2),
        ("(2,_-3):(3,1)", "shape (2,_-3) has the negative extent _-3", 5, 2),
        ("Sw<2,0,1>", "a swizzle of 2 bits needs a shift of at least 2, got 1", 1, 9),
        ("Sw<2,0>", "expected ',', found '>'", 7, 1),
        ("Sw<2,0,3> o 4:1 o 4:1", "expected 'o' and the inner layout, found ':'", 14, 1),
        ("Sw<2,0,3> o (4,2) o 4:1", "an offset is an int, not the int tuple (4,2)", 13, 5),
        ("Sw<2,0,3> o 0 o 4", "the inner part is a layout, not int", 1, 17),
        ("4 o 0 o 4:1", "the outer part is a swizzle or a layout, not int", 1, 11),
        # coordinates
        ("(4,2)(3)", "only a layout takes a coordinate, not the int tuple (4,2)", 6, 1),
        ("(4:2)(3)", "only a layout takes a coordinate, not the tuple (4:2)", 6, 1),
        ("4:2(3)(0)", "only a layout takes a coordinate, not the int 6", 7, 1),
        ("true(0)", "only a layout takes a coordinate, not true", 5, 1),
        ("(4,2):(2,1)(3, 2:1)", "a coordinate is made of ints and '_', not the layout 2:1", 16, 3),
        ("Sw<2,0,3>(_)", "a swizzle takes an int; it has no modes to keep", 10, 3),
        # operations and their arguments
        ("mak_layout(4)", "there is no operation 'mak_layout'; did you mean make_layout?", 1, 10),
        ("size(Layuot(4))", "there is no operation 'Layuot'; did you mean Layout?", 6, 6),
        ("qqqqq(4)", "there is no operation 'qqqqq'", 1, 5),
        ("size()", "size is not given 'x'", 6, 1),
        ("make_layout_tile(4:1)", "make_layout_tile is not given 'tile'", 21, 1),
        ("congruent(4, 4, (8))", "congruent takes 2 arguments in place, and this is one more", 17, 3),
        ("make_layout(4, strid=2)", "make_layout has no argument 'strid'; did you mean stride?", 16, 5),
        ("make_layout(4, qqqqq=2)", "make_layout has no argument 'qqqqq'", 16, 5),
        ("make_layout(4, shape=2)", "make_layout is given 'shape' twice", 16, 5),
        ("make_layout(shape=4, stride=2, stride=2)", "make_layout is given 'stride' twice", 32, 6),
        (
            "make_layout(shape=4, (2))",
            "an argument without a key stands after one with a key",
            22,
            3,
        ),
        ("cosize((4,2))", "cosize takes a layout as 'x', not the int tuple (4,2)", 8, 5),
        ("make_layout_like(_)", "make_layout_like takes a layout as 'layout', not _", 18, 1),
        (
            "make_layout_tile(4:1, 4, exact=0)",
            "make_layout_tile takes true or false as 'exact', not the int 0",
            26,
            7,
        ),
    ],
)
def test_bad_text(text: str, summary: str, column: int, carets: int) -> None:
    with pytest.raises(ParseError) as caught:
        evaluate(text)
    error = caught.value
    assert error.summary.startswith(summary)
    assert (error.text, error.line, error.column) == (text, 1, column)
    *_rest, where, shown, pointer = str(error).split("\n")
    assert where == f"  line 1, column {column}"
    assert shown == f"    {text}"
    assert pointer == " " * (4 + column - 1) + "^" * carets


def test_an_error_of_arguments_says_how_to_call() -> None:
    with pytest.raises(ParseError) as caught:
        evaluate("get()")
    assert caught.value.details == ("It is called as get(x, *path).",)
    with pytest.raises(ParseError) as caught:
        evaluate("make_layout()")
    assert caught.value.details == (
        "It is called as make_layout(shape, [stride], [origin_shape], *layouts).",
    )


def test_an_error_of_parentheses_says_what_they_make() -> None:
    with pytest.raises(ParseError) as caught:
        evaluate("((4,2):(2,1))(3)")
    assert caught.value.details == ("Parentheses make a tuple of one: leave them out.",)


@pytest.mark.parametrize(
    ("text", "direct"),
    [
        ("(4,2):(2,1)(8)", lambda: BOTH(8)),
        ("(4,2):(2,1)(0,2)", lambda: BOTH(0, 2)),
        ("(4,2):(2,1)(_,2)", lambda: BOTH[_, 2]),
        ("get((4,2):(2,1), 2)", lambda: tla.get(BOTH, 2)),
        ("make_layout_tile((4,2):(2,1), (3,2))", lambda: tla.make_layout_tile(BOTH, (3, 2))),
        ("Swizzle(2,0,1)", lambda: Swizzle(2, 0, 1)),
        ("Swizzle(2,0,3)(-1)", lambda: Swizzle(2, 0, 3)(-1)),
        ("size(true)", lambda: tla.size(True)),
        ("zN(4, 4, block=4)", lambda: tla.zN(4, 4, block=4)),
    ],
)
def test_errors_of_operations_are_their_own(text: str, direct: Any) -> None:
    with pytest.raises(TlaError) as ours:
        direct()
    with pytest.raises(TlaError) as caught:
        evaluate(text)
    assert type(caught.value) is type(ours.value)
    assert not isinstance(caught.value, ParseError)
    assert str(caught.value) == str(ours.value)


def test_an_operation_that_fails_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(x: Any) -> Any:
        return x.shape

    monkeypatch.setattr(algebra, "coalesce", failing)
    with pytest.raises(
        ParseError, match="coalesce does not take such arguments: 'int' object"
    ) as caught:
        evaluate("size(coalesce(4))")
    assert caught.value.column == 6


def test_huge_nesting_is_an_error_not_a_crash() -> None:
    assert evaluate("(" * 100 + "4" + ")" * 100) == tla.parse("(" * 100 + "4" + ")" * 100)
    assert evaluate("size(" * 100 + "4" + ")" * 100) == 4
    assert evaluate("size(x=" * 100 + "4:1" + ")" * 100) == 4
    for text in ["(" * 10**4, "size(" * 10**4, "4:1(" * 10**4, "4:(" * 10**4, "(2:1," * 10**4]:
        with pytest.raises(ParseError, match="nested deeper than 100 levels") as caught:
            evaluate(text)
        assert caught.value.start == [m.start() for m in re.finditer(r"\(", text)][100]
        assert len(str(caught.value)) < 400


@pytest.fixture
def usual_stack() -> Iterator[None]:
    """The stack that Python starts with; mypy, which other tests run, wants a deeper one."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("usual_stack")
def test_no_room_on_the_stack_is_an_error_not_a_crash() -> None:
    def deeper(levels: int) -> Any:
        return deeper(levels - 1) if levels else evaluate("size(" * 90 + "4" + ")" * 90)

    raised: set[type] = set()
    for levels in range(300, 900, 7):
        try:
            deeper(levels)
        except RecursionError:
            break
        except LayoutError as error:
            raised.add(type(error))
    assert raised == {LayoutError}


def test_huge_numbers_are_an_error_not_a_crash() -> None:
    digits = "9" * limit_of("digits")
    assert evaluate(digits) == 10 ** len(digits) - 1
    for text in [
        f"{digits}9",
        f"product(({digits},10))",
        f"4:{digits}(3)",
        f"({digits},{digits}):(1,1)({digits},{digits})",
        f"make_layout(({digits},{digits},2))",
        f"Sw<1,0,1> o {digits} o 4:{digits}(3)",
    ]:
        with pytest.raises(TlaError) as caught:
            evaluate(text)
        assert str(caught.value)
    for text in ["append(4, 1, upto=1000000000000)", f"prepend(4, 1, {digits})"]:
        with pytest.raises(ParseError, match="takes at most 1000 as 'upto'"):
            evaluate(text)
    assert len(evaluate("append(4, 1, upto=1000)")) == 1000


@pytest.mark.parametrize(
    "text", ["x" * 10**5 + "(4)", f"size({'y' * 10**5}=4)", f"size({'z' * 10**5}+)"]
)
def test_errors_about_long_texts_stay_short(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        evaluate(text)
    assert len(str(caught.value)) < 1000


# --- any text ---

TOKENS = st.sampled_from(OPERATIONS) | st.sampled_from(
    [
        *"()()()()::,,,,_=<>o-.x \n٣é", "4", "2", "0", "-1", "_4", "true", "Sw<", "Sw<2,0,3>",
        "(4,2):(2,1)", "4:2", "exact=", "(_,", " o 0 o ",
    ]
)  # fmt: skip


def is_read_or_refused(text: str) -> None:
    try:
        value = evaluate(text)
    except TlaError as error:
        caught = error
    else:
        assert evaluate(text_of_value(value)) == value
        return
    assert str(caught)
    if isinstance(caught, ParseError):
        assert 0 <= caught.start <= len(text)
        assert caught.start < caught.end
        assert set(str(caught).split("\n")[-1]) <= {" ", "^"}


@given(st.text(max_size=30) | st.text(alphabet="()_,:-0123 .xo<>=\n", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    is_read_or_refused(text)


@given(st.lists(TOKENS, max_size=12).map("".join))
@example("size(o)")
@example("--ComposedLayout")
@example("Sw<2,0,3>o0o4:2o")
@settings(max_examples=share(200))
def test_any_tokens_are_read_or_refused(text: str) -> None:
    is_read_or_refused(text)


ARGUMENTS = st.one_of(
    layouts(shapes(max_size=24)).map(str),
    int_tuples(st.integers(-3, 12)).map(text_of_value),
    st.integers(0, 8).map(str),
    VALUES.map(text_of_value),
)


@given(
    st.sampled_from(OPERATIONS),
    st.lists(ARGUMENTS, max_size=4),
    st.sampled_from(["", "", "", ", exact=true", ", extend=false", ", upto=3"]),
)
@settings(max_examples=share(300))
def test_any_call_has_a_value_or_an_error(name: str, arguments: list[str], more: str) -> None:
    is_read_or_refused(f"{name}({', '.join(arguments)}{more})")


def test_the_spelling_of_cpp() -> None:
    for text, same in (
        ("get<1,0>((2,(3,4)))", "get((2,(3,4)), 1, 0)"),
        ("rank<1>((2,(3,4)))", "rank((2,(3,4)), 1)"),
        ("Int<4>{}", "_4"),
        ("tla::MakeLayout(MakeShape(Int<2>{}, 4), MakeStride(Int<12>{}, Int<1>{}))", "(_2,4):(_12,_1)"),
        ("MakeLayoutTile((8,6):(6,1), cute::make_shape(4,3))", "make_layout_tile((8,6):(6,1), (4,3))"),
    ):
        assert evaluate(text) == evaluate(same)
    for text in ("get<1((2,3))", "get<>((2,3))", "MakeFoo(2)", "get<x>((2,3))", "rank<9>((2,3))"):
        with pytest.raises(tla.TlaError):
            evaluate(text)
    assert str(evaluate("Size:1")) == "Size:1"
