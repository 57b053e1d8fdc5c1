"""Layouts by their tag as text: read, written, and refused at the place."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import (
    Int,
    ParseError,
    TlaError,
    UndecidedError,
    UnsupportedError,
    evaluate,
    read,
    same_static,
    sym,
)
from tla.ascend import ELEMENTS, TAGS, make_layout, parse_tagged
from tla.ascend.tags.building import steps_of
from tla.ascend.tags.text import parse_tag, tagged, tagged_at

# --- what is read ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "element", "tag", "sizes", "options"),
    [
        ("zN<half>(20,48)", "half", "zN", (20, 48), {}),
        ("zN<half>(_20,_48)", "half", "zN", (Int(20), Int(48)), {}),
        (" zN < half > ( 20 , 48 ) ", "half", "zN", (20, 48), {}),
        ("zN<half>(20,48,)", None, None, None, None),
        ("layout::nZ<int8_t>(20,48)", "int8_t", "nZ", (20, 48), {}),
        ("Catlass::layout::zN<AscendC::int4b_t>(20,48)", "int4b_t", "zN", (20, 48), {}),
        ("::Catlass::layout::zZ<signed char>(2,3)", "int8_t", "zZ", (2, 3), {}),
        ("zN<bf16>(20,48)", "bfloat16_t", "zN", (20, 48), {}),
        ("RowMajor<half>(100,100,ld=128)", "half", "RowMajor", (100, 100), {"ld": 128}),
        (
            "PaddingRowMajor<half>(9,9,block=(4,_2))",
            "half",
            "PaddingRowMajor",
            (9, 9),
            {"block": (4, Int(2))},
        ),
        ("zN<half>(20,48,batch=4)", "half", "zN", (20, 48), {"batch": 4}),
        ("ColumnMajor<float>(5,7,batch=3,ld=8)", "float", "ColumnMajor", (5, 7), {"ld": 8, "batch": 3}),
        ("VectorLayout<float>(100)", "float", "VectorLayout", (100,), {}),
        ("Fmap<int8_t>(1,2,7,9)", "int8_t", "Fmap", (1, 2, 7, 9), {}),
        ("Filter<half>(3,3,3,20,position=L1)", "half", "Filter", (3, 3, 3, 20), {"position": "L1"}),
        ("NC1HWC0<half>(1,2,3,4,c0=8)", "half", "NC1HWC0", (1, 2, 3, 4), {"c0": 8}),
        ("MxScalezZ<float8_e8m0_t>(33,5)", "float8_e8m0_t", "MxScalezZ", (33, 5), {}),
    ],
)
def test_read(text: str, element: Any, tag: Any, sizes: Any, options: Any) -> None:
    if element is None:
        with pytest.raises(ParseError):
            parse_tagged(text)
        return
    found = parse_tagged(text)
    assert (found.element.name, found.tag, found.sizes) == (element, tag, sizes)
    assert dict(found.options) == options
    assert same_static(found.layout, make_layout(element, tag, *sizes, **options))
    assert found.layout == make_layout(element, tag, *sizes, **options)
    assert read(text) == found.layout


def test_symbolic_sizes() -> None:
    found = parse_tagged("zN<half>(M{div=16},K)")
    m, k = sym("M", divisible_by=16), sym("K")
    assert found.layout == make_layout("half", "zN", m, k)
    assert str(found) == "zN<half>(M{div=16},K)"
    assert parse_tagged("zN<half>(M,M{div=16})") == parse_tagged("zN<half>(M{div=16},M)")
    assert parse_tagged("zN<half>(M,48)", {"M": 32}).layout == make_layout("half", "zN", 32, 48)
    assert str(parse_tagged("zN<half>(20,M{min=2}+3,batch=M)")) == "zN<half>(20,M{min=2}+3,batch=M)"


def test_what_it_prints_of_names() -> None:
    assert str(parse_tagged("Catlass::layout::zN<AscendC::int4b_t>(2,3)")) == "zN<int4b_t>(2,3)"
    assert (
        str(parse_tagged("ColumnMajor<f32>(5,7,batch=3,ld=8)")) == "ColumnMajor<float>(5,7,ld=8,batch=3)"
    )
    assert (
        str(tagged("half", "Filter", 3, 3, 3, 20, position="L1")) == "Filter<half>(3,3,3,20,position=L1)"
    )


# --- round trip --------------------------------------------------------------------------------

SIZES = st.one_of(
    st.integers(0, 300),
    st.integers(0, 300).map(Int),
    st.sampled_from([sym("M"), sym("K", divisible_by=16), sym("N", min=2, max=9), sym("M") + 3]),
)


@st.composite
def made(draw: st.DrawFn) -> Any:
    tag = draw(st.sampled_from(sorted(TAGS)))
    kind = TAGS[tag]
    element = draw(st.sampled_from(list(kind.elements or ELEMENTS)))
    options: dict[str, Any] = {}
    if "block" in kind.options:
        options["block"] = (draw(st.integers(1, 40)), draw(st.integers(1, 40).map(Int)))
    if "c0" in kind.options and draw(st.booleans()):
        options["c0"] = draw(st.integers(1, 40))
    if "position" in kind.options and draw(st.booleans()):
        options["position"] = draw(st.sampled_from(["GM", "L1"]))
    sizes = [draw(SIZES) for _name in kind.sizes]
    if "ld" in kind.options and draw(st.booleans()):
        options["ld"] = draw(st.sampled_from([600, Int(600)]))
        sizes = [draw(st.integers(0, 300)) for _name in kind.sizes]
    if draw(st.booleans()):
        options["batch"] = draw(SIZES | st.tuples(SIZES, SIZES))
    return tagged(element, tag, *sizes, **options)


@given(made())
def test_a_print_reads_back_equal(found: Any) -> None:
    again = parse_tagged(str(found))
    assert again == found
    assert same_static(again.layout, found.layout)
    assert str(again) == str(found)
    assert evaluate(str(found), tagged=lambda scan: tagged_at(scan).layout) == found.layout


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("zN<hlaf>(2,3)", "'hlaf' is not an element type\n  Did you mean half?", "hlaf"),
        ("zn<half>(2,3)", "'zn' is not a layout tag\n  Did you mean zN?", "zn"),
        ("Catlass::layout::Zn<half>(2,3)", "ZN of CANN, which", "Zn"),
        ("RowMajr<half>(2,3)", "Did you mean RowMajor", "RowMajr"),
        ("zN(2,3)", "expected '<' and the element type, as zN<half>, found '('", "("),
        ("zN<half>", "expected '(' and the sizes, as zN<half>(rows,cols), found the end", ""),
        ("zN<half>(2)", "zN takes 2 sizes", "(2)"),
        ("zN<half>(2,3,4)", "zN takes 2 sizes", "(2,3,4)"),
        ("zN<half>(2,-3)", "zN has cols = -3: a size is 0 or more", "-3"),
        ("zN<half>(2,3,ld=4)", "zN takes no 'ld'\n  RowMajor takes it. zN takes batch.", "ld"),
        ("zN<half>(2,3", "expected ',' or ')' of the '(' in column 9", ""),
        ("zN<half(2,3)", "expected '>' after the element type of zN", "<half(2,3)"),
        ("RowMajor<half>(5,7,ld=6)", "RowMajor of 5 by 7 has ld = 6: it must be at least 7", "ld=6"),
        ("RowMajor<float4_e2m1x2_t>(5,7,ld=9)", "even", "ld=9"),
        ("zN<half>(2,x.y)", "expected ',' or ')'", "."),
        ("PaddingRowMajor<half>(2,3)", "needs block=(rows, cols)", "(2,3)"),
        ("PaddingRowMajor<half>(2,3,block=3)", "expected '(' and the rows and columns of a block", "3)"),
        ("PaddingRowMajor<half>(2,3,block=(3,4,5))", "two extents, not (3,4,5)", "block=(3,4,5)"),
        ("PaddingRowMajor<half>(2,3,block=(0,4))", "rows = 0: it must be at least 1", ""),
        ("zN<half>(2,3)x", "expected the end of text, found 'x'", "x"),
        ("Filter<half>(3,3,3,20,position=UB)", "not in 'UB'", "position=UB"),
        ("MxScalezZ<half>(2,3)", "MxScalezZ is a layout of float8_e8m0_t, not of half", "(2,3)"),
        ("zN<half>(batch=3,2,3)", "a size stands after an argument with a name", "2"),
        ("zN<half>(2,(3,4))", "expected the cols of zN, found '('", "("),
        ("<half>(2,3)", "expected a layout tag such as zN, found '<'", "<"),
        ("zN<>(2,3)", "expected an element type such as half, found '>'", ">"),
        ("zN<half>(2,,3)", "expected the cols of zN, found ','", ","),
        ("RowMajor<half>(5,7,ld=8,ld=9)", "ld is given twice", "ld"),
        ("zN<half>(2,true)", "found 'true'", "true"),
        ("zN<half>(2,1e3)", "expected", ""),
        (f"zN<half>(2,{'9' * 4000})", "", None),
        (f"zN<half>({'9' * 4000},{'9' * 4000},batch=2)", "an int of more than 4300 digits", None),
    ],
)
def test_refused_at_the_place(text: str, message: str, span: str | None) -> None:
    if not message:
        parse_tagged(text)
        return
    with pytest.raises(ParseError) as caught:
        parse_tagged(text)
    error = caught.value
    assert message in str(error)
    if span:
        assert text[error.start :].startswith(span)


def test_what_unknowns_leave_open() -> None:
    with pytest.raises(UndecidedError, match="N >= M"):
        parse_tagged("RowMajor<half>(5,M,ld=N)")


@pytest.mark.parametrize(
    ("text", "name", "element"),
    [
        ("zN", "zN", None),
        ("zN<half>", "zN", "half"),
        ("layout::zN<f32>", "zN", "float"),
        ("zNUnAlign<half>", "zNUnAlign", "half"),
    ],
)
def test_a_tag_alone(text: str, name: str, element: str | None) -> None:
    tag, of = parse_tag(text)
    assert (tag, of and of.name) == (name, element)


def test_a_batch_of_several_extents_reads_back() -> None:
    made = tagged("half", "zN", 20, 48, batch=(2, 3))
    assert str(made) == "zN<half>(20,48,batch=(2,3))"
    assert parse_tagged(str(made)) == made
    assert parse_tagged("zN<half>(20,48,batch=())").layout == make_layout("half", "zN", 20, 48)
    steps = steps_of(made).rows
    assert [row[0] for row in steps[-2:]] == ["the batches", "the batches"]
    assert [row[1:] for row in steps[-2:]] == [
        ("3", "1536", "copies, one footprint apart"),
        ("2", "4608", "copies of those"),
    ]


@pytest.mark.parametrize("text", ["zN<half>(2,3)", "zN half", "", "zN<half", "zN<>", "zN<half>x"])
def test_a_tag_alone_refused(text: str) -> None:
    with pytest.raises(ParseError):
        parse_tag(text)


# --- fuzz --------------------------------------------------------------------------------------

TOKENS = st.sampled_from([
    "zN", "RowMajor", "Filter", "PaddingRowMajor", "half", "float", "int4b_t", "<", ">", "(", ")", ",",
    "=", "::", "layout", "20", "_48", "-3", "M", "M{div=16}", "M/16", "{", "}", "ld", "block", "batch",
    "position", "L1", " ", "\n", "_", "0", "*", "min(", "o", "+", "ⅷ", "\0", "[", ":",
])  # fmt: skip


def is_read_or_refused(text: str) -> None:
    try:
        found = parse_tagged(text)
    except TlaError as error:
        assert isinstance(error, ParseError | UndecidedError), error  # noqa: PT017
        str(error)
        return
    assert parse_tagged(str(found)) == found


@given(st.lists(TOKENS, max_size=14).map("".join))
def test_any_tokens_are_read_or_refused(text: str) -> None:
    is_read_or_refused(text)
    is_read_or_refused(f"zN<half>({text}")
    is_read_or_refused(f"PaddingRowMajor<half>(20,48,{text})")


@given(made().map(str), st.data())
def test_a_changed_text_is_read_or_refused(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    is_read_or_refused(text[:at] + data.draw(st.one_of(st.just(""), TOKENS)) + text[at + cut :])


@given(st.lists(TOKENS, max_size=14).map("".join))
def test_read_refuses_the_same_way(text: str) -> None:
    with suppress(TlaError):
        read(text)


def test_bad_names_of_python() -> None:
    with pytest.raises(UnsupportedError, match="'zn' is not a layout tag"):
        tagged("half", "zn", 2, 3)
    with pytest.raises(TypeError, match="expected a text"):
        parse_tagged(3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
