"""C++ text: written as the libraries deduce it, read as compilers print it, compiled where g++ is."""

from __future__ import annotations

import operator
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cases import share
from cli.running import ENVIRONMENT
from hypothesis import given, settings, strategies as st
from oracle import rows, value
from programs import STAND_INS, compiled, needs_gxx, printed

from tla import (
    ComposedLayout,
    Int,
    Layout,
    LeafError,
    NotALayoutError,
    ParseError,
    Swizzle,
    TlaError,
    UnsupportedError,
    _,
    _1,
    _2,
    _3,
    _4,
    _8,
    _16,
    _64,
    from_cpp,
    get,
    make_layout,
    parse,
    read,
    same_static,
    size,
    static_mask,
    to_cpp,
    transform_leaf,
    zN,
)
from tla.cpp import rewritten
from tla.errors import BindingError
from tla.numbers import Expr, evaluate, floor_divided, greatest, least, remainder, sym
from tla.testing import int_tuples, layouts, shapes

if TYPE_CHECKING:
    from collections.abc import Sequence

DIALECTS = ("catlass", "cute")
TYPES = rows("cpp_types.jsonl", "layout_type")

ZN = Layout(((_16, 2), (_16, 3)), ((_16, Int(256)), (_1, 512)), (20, 48))


# --- types that CATLASS's compiler printed ---


@pytest.mark.parametrize("row", TYPES, ids=lambda row: str(row.get("tag", "")))
def test_a_type_of_catlass(row: Any) -> None:
    """There and back, with the static ints of the layout that has it."""
    layout = from_cpp(row["cpp_type"])
    assert to_cpp(layout) == row["cpp_type"]
    shape, stride, origin = (value(row[part]) for part in ("shape", "stride", "origin_shape"))
    for got, expected in ((layout.shape, shape), (layout.stride, stride), (layout.origin_shape, origin)):
        assert static_mask(got) == static_mask(expected)
        assert static_leaves(got) == static_leaves(expected)


def static_leaves(x: Any) -> list[int]:
    if isinstance(x, tuple):
        return [n for i in x for n in static_leaves(i)]
    return [x] if type(x) is Int else []


def test_the_type_of_a_layout_is_catlass_s() -> None:
    """But for strides computed in 32 bits, and for origins whose kind their values do not tell."""
    same = 0
    for row in TYPES:
        layout = Layout(*(value(row[part]) for part in ("shape", "stride", "origin_shape")))
        if to_cpp(layout) == row["cpp_type"]:
            same += 1
        else:
            assert row["tag"].startswith("MxScale") or layout.origin_shape == tuple(
                get(layout, i).size for i in range(layout.rank)
            )
    assert same >= 40


@pytest.mark.parametrize("row", rows("cpp_types.jsonl", "value_type"), ids=lambda row: str(row["expr"]))
def test_the_type_of_a_result(row: Any) -> None:
    read_back, result = from_cpp(row["cpp_type"]), value(row["result"])
    assert to_cpp(read_back) == row["cpp_type"]
    assert static_mask(read_back) == static_mask(result)
    if row["cpp_type"] != "int":  # the arithmetic of C++ on ints; a layout's are unsigned or long
        assert to_cpp(result) == row["cpp_type"]


# --- written ---


@pytest.mark.parametrize(
    ("given", "dialect", "kind", "text"),
    [
        (_4, "catlass", "type", "tla::C<4>"),
        (_4, "catlass", "value", "tla::Int<4>{}"),
        (_64, "catlass", "value", "tla::_64{}"),
        (Int(-2), "catlass", "value", "tla::Int<-2>{}"),
        (_4, "cute", "value", "cute::_4{}"),
        (Int(-2), "cute", "value", "cute::_m2{}"),
        (Int(11), "cute", "value", "cute::Int<11>{}"),
        (Int(2**31), "catlass", "value", "tla::C<2147483648>{}"),
        (4, "catlass", "value", "4u"),
        (4, "cute", "value", "4"),
        (-4, "catlass", "value", "(int64_t)-4"),
        (-4, "catlass", "type", "long"),
        (2**32 - 1, "catlass", "value", "4294967295u"),
        (2**32, "catlass", "value", "(int64_t)4294967296"),
        (2**31, "cute", "type", "long"),
        ((), "catlass", "type", "tla::tuple<>"),
        ((), "cute", "value", "cute::make_tuple()"),
        ((_4,), "catlass", "type", "tla::tuple<tla::C<4> >"),
        ((3, (_4,)), "cute", "type", "cute::tuple<int, cute::tuple<cute::C<4> > >"),
        ((3, _), "catlass", "value", "tla::MakeCoord(3u, tla::_)"),
        ((3, _), "cute", "type", "cute::tuple<int, cute::Underscore>"),
        (parse("5:1"), "catlass", "type", "tla::Layout<unsigned int, long, tla::tuple<unsigned int> >"),
        (parse("5:1"), "catlass", "value", "tla::MakeLayout(5u, (int64_t)1)"),
        (parse("5:1"), "cute", "type", "cute::Layout<int, int>"),
        (Swizzle(2, 0, 3), "cute", "type", "cute::Swizzle<2, 0, 3>"),
        (Swizzle(2, 0, 3), "cute", "value", "cute::Swizzle<2, 0, 3>{}"),
        (
            (parse("_4:_1"), _2),
            "cute",
            "value",
            "cute::make_tile(cute::make_layout(cute::_4{}, cute::_1{}), cute::_2{})",
        ),
        (
            ComposedLayout(Swizzle(2, 0, 3), _1, parse("(8):(1)")),
            "cute",
            "type",
            "cute::ComposedLayout<cute::Swizzle<2, 0, 3>, cute::C<1>,"
            " cute::Layout<cute::tuple<int>, cute::tuple<int> > >",
        ),
        (
            ZN,
            "catlass",
            "value",
            "tla::MakeLayout(tla::MakeShape(tla::MakeShape(tla::Int<16>{}, 2u),"
            " tla::MakeShape(tla::Int<16>{}, 3u)), tla::MakeStride(tla::MakeStride(tla::Int<16>{},"
            " tla::_256{}), tla::MakeStride(tla::Int<1>{}, (int64_t)512)), tla::MakeShape(20u, 48u))",
        ),
    ],
    ids=str,
)
def test_text(given: Any, dialect: str, kind: str, text: str) -> None:
    assert to_cpp(given, dialect, kind) == text


def test_a_default_origin() -> None:
    """CATLASS derives dynamic ones; an all-static shape keeps static ones, so they are written out."""
    mixed, static = parse("(_16,4):(_1,16)"), parse("(_16,_4):(_1,_16)")
    assert to_cpp(mixed).endswith("tla::tuple<unsigned int, unsigned int> >")
    assert to_cpp(mixed, kind="value").count("MakeShape") == 1
    assert to_cpp(static).endswith("tla::tuple<tla::C<16>, tla::C<4> > >")
    assert to_cpp(static, kind="value").endswith("tla::MakeShape(tla::Int<16>{}, tla::Int<4>{}))")


def test_an_origin_that_would_wrap_is_written_out() -> None:
    wide = Layout(((2**20, 2**20), 1), ((1, 2**20), 0))
    assert to_cpp(wide, kind="value").endswith("tla::MakeShape((int64_t)1099511627776, 1u))")
    assert from_cpp(to_cpp(wide, kind="value")) == wide


def test_symbolic_ints() -> None:
    m, k = sym("M", divisible_by=16), sym("K", cpp_type="uint32_t")
    layout = Layout((_16, m // 16, k), (k, _1, m))
    assert to_cpp(layout, kind="value") == (
        "tla::MakeLayout(tla::MakeShape(tla::Int<16>{}, (uint32_t)(M / 16), K),"
        " tla::MakeStride(K, tla::Int<1>{}, (int64_t)M))"
    )
    assert to_cpp(layout) == (
        "tla::Layout<tla::tuple<tla::C<16>, unsigned int, unsigned int>,"
        " tla::tuple<unsigned int, tla::C<1>, long>,"
        " tla::tuple<unsigned int, unsigned int, unsigned int> >"
    )
    assert to_cpp(layout, "cute", "value").startswith(
        "cute::make_layout(cute::make_shape(cute::_16{}, (int)(M"
    )
    assert to_cpp(m % 48 == 0, kind="value") == "M % 48 == 0"
    assert to_cpp(m // 32, kind="value") == "M / 32"


@pytest.mark.parametrize(
    "name",
    [
        "unsigned long",
        "uint64_t",
        "std::size_t",
        "size_t",
        "unsigned long long",
        "int",
        "uint32_t",
        "short",
    ],
)
def test_what_has_not_64_bits_and_a_sign_is_cast(name: str) -> None:
    a = sym("a", cpp_type=name)
    assert to_cpp(2 * a, kind="value") == "2 * (int64_t)a"
    assert to_cpp(-a, kind="value") == "-(int64_t)a"
    assert to_cpp((a, 1), kind="value") == "tla::MakeTuple(a, 1u)"


@pytest.mark.parametrize("name", ["", "long", "int64_t", "std::int64_t", "long long", "long int"])
def test_what_has_64_bits_and_a_sign_is_not_cast(name: str) -> None:
    assert to_cpp(2 * sym("a", cpp_type=name), kind="value") == "2 * a"


def test_numbers_in_expressions_have_64_bits() -> None:
    m = sym("M", divisible_by=16)
    for x in (m * 10**30, m + 2**63, m - 2**63, m // 16 - 2**63, least(m, 2**63), m % 2**64, m < 2**63):
        with pytest.raises(UnsupportedError, match="no int of more than 64 bits: "):
            to_cpp(x, kind="value")
    with pytest.raises(UnsupportedError, match=f"no int of more than 64 bits: {2**63}"):
        to_cpp(Layout((m,), (m * 2**63,)), kind="value")
    assert to_cpp(m + (2**63 - 1), kind="value") == "M + 9223372036854775807"
    assert to_cpp(sym("x9223372036854775808") + 1, kind="value") == "x9223372036854775808 + 1"


def test_an_extent_that_does_not_fit_32_bits_is_long() -> None:
    wide = Layout((sym("M", min=1) * 2**32,), (1,))
    assert to_cpp(wide, kind="value").count("(int64_t)(4294967296 * M)") == 2
    assert from_cpp(to_cpp(wide, kind="value")) == wide
    assert to_cpp(wide).startswith("tla::Layout<tla::tuple<long>")
    assert to_cpp(wide.shape, "cute") == "cute::tuple<long>"


@pytest.mark.parametrize(
    ("given", "dialect", "error"),
    [
        (ZN, "cute", "CuTe has no place for the origin shape (20,48)"),
        (Swizzle(2, 0, 3), "catlass", "CATLASS has no layout seen through a swizzle: Sw<2,0,3>"),
        (
            ComposedLayout(Swizzle(1, 0, 1), 0, parse("4:1")),
            "catlass",
            "CATLASS has no layout seen through a swizzle: Sw<1,0,1> o 0 o 4:1",
        ),
        (2**63, "catlass", f"CATLASS has no int of more than 64 bits: {2**63}"),
        (Int(-(2**63)), "cute", f"CuTe has no int of more than 64 bits: {-(2**63)}"),
        (_4, "hip", "no dialect 'hip'"),
        (sym("M") == 4, "cute", "a condition has no type of its own"),
    ],
    ids=str,
)
def test_what_has_no_text(given: Any, dialect: str, error: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        to_cpp(given, dialect)
    assert caught.value.summary == error
    assert caught.value.details


def test_what_is_no_value() -> None:
    for wrong in ("(2,3):(3,1)", read("f32[2,3]")):
        with pytest.raises(NotALayoutError, match="expected a layout or ints"):
            to_cpp(wrong)
    for leafless in (True, 1.5, None, (1, 2.5)):
        with pytest.raises(LeafError):
            to_cpp(leafless)
    with pytest.raises(UnsupportedError, match="no kind 'name'"):
        to_cpp(_4, kind="name")


# --- there and back ---


@given(layouts(padded=True, min_stride=-64), st.sampled_from(DIALECTS))
def test_an_expression_comes_back(layout: Any, dialect: str) -> None:
    if dialect == "cute":
        layout = Layout(layout.shape, layout.stride)
    back = from_cpp(to_cpp(layout, dialect, "value"))
    assert same_static(back, layout)


@given(layouts(padded=True, min_stride=-64, static=True), st.sampled_from(DIALECTS))
def test_a_static_type_comes_back(layout: Any, dialect: str) -> None:
    if dialect == "cute":
        layout = Layout(layout.shape, layout.stride)
    back = from_cpp(to_cpp(layout, dialect))
    assert same_static(back, layout)


@given(layouts(padded=True, min_stride=-64), st.sampled_from(DIALECTS))
def test_a_type_comes_back_to_itself(layout: Any, dialect: str) -> None:
    if dialect == "cute":
        layout = Layout(layout.shape, layout.stride)
    text = to_cpp(layout, dialect)
    back = from_cpp(text)
    assert to_cpp(back, dialect) == text
    assert static_mask((back.shape, back.stride)) == static_mask((layout.shape, layout.stride))


@given(int_tuples(st.integers(1 - 2**63, 2**63 - 1)), st.sampled_from(DIALECTS))
def test_a_tuple_comes_back(x: Any, dialect: str) -> None:
    assert same_static(from_cpp(to_cpp(x, dialect, "value")), x)
    text = to_cpp(x, dialect)
    assert to_cpp(from_cpp(text), dialect) == text


@st.composite
def symbol_sets(draw: st.DrawFn) -> dict[str, Any]:
    """A few symbols by name; some names mean something else in C++ text."""
    out: dict[str, Any] = {}
    for name in draw(st.lists(st.sampled_from(["M", "N", "C", "X", "E"]), min_size=1, unique=True)):
        divisor = draw(st.sampled_from([1, 1, 2, 3, 16]))
        low = draw(st.none() | st.integers(-3, 9))
        high = draw(st.none() | st.integers(40, 90))
        cpp_type = draw(st.sampled_from(["", "", "int64_t", "int", "size_t"]))
        out[name] = sym(name, divisor, low, high, cpp_type=cpp_type)
    return out


def expressions(symbols: dict[str, Any]) -> st.SearchStrategy[Any]:
    positive = st.integers(1, 40) | st.sampled_from(
        [x for x in symbols.values() if x.known_gt(0)] or [7]
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.one_of(
            st.tuples(inner, inner).map(lambda x: x[0] + x[1]),
            st.tuples(inner, inner).map(lambda x: x[0] - x[1]),
            st.tuples(inner, inner).map(lambda x: x[0] * x[1]),
            st.tuples(inner, positive).map(lambda x: floor_divided(*x)),
            st.tuples(inner, positive).map(lambda x: remainder(*x)),
            st.lists(inner, min_size=2, max_size=3).map(lambda x: least(*x)),
            st.lists(inner, min_size=2, max_size=3).map(lambda x: greatest(*x)),
        )

    return st.recursive(
        st.sampled_from(list(symbols.values())) | st.integers(-20, 20), grown, max_leaves=6
    )


@given(st.data())
@settings(max_examples=share(150))
def test_an_expression_of_symbols_comes_back(data: st.DataObject) -> None:
    symbols = data.draw(symbol_sets())
    x, y = data.draw(expressions(symbols)), data.draw(expressions(symbols))
    assert same_static(from_cpp(to_cpp(x, kind="value"), symbols), x)
    if isinstance(x, Expr) or isinstance(y, Expr):
        condition: Any = HOLDS[data.draw(st.sampled_from(sorted(HOLDS)))](x, y)
        back: Any = from_cpp(to_cpp(condition, kind="value"), symbols)
        assert (back.left, back.op, back.right) == (condition.left, condition.op, condition.right)


@given(st.data(), st.sampled_from(DIALECTS))
@settings(max_examples=share(150))
def test_a_layout_of_symbols_comes_back(data: st.DataObject, dialect: str) -> None:
    symbols = data.draw(symbol_sets())
    ints = expressions(symbols) | st.integers(0, 9).map(Int)
    plain: Any = data.draw(layouts(shapes(max_depth=2)))

    def some(x: Any) -> Any:
        return transform_leaf(lambda n: data.draw(ints) if data.draw(st.booleans()) else n, x)

    shape, stride = some(plain.shape), some(plain.stride)
    try:
        layout = Layout(shape, stride)
        if dialect == "catlass" and isinstance(shape, tuple) and data.draw(st.booleans()):
            layout = Layout(shape, stride, tuple(least(size(s), 3) for s in shape))
    except TlaError:  # an extent that is negative
        return
    assert same_static(from_cpp(to_cpp(layout, dialect, "value"), symbols), layout)


def test_layouts_of_sizes_come_back() -> None:
    """Without symbols where they are sizes with no other facts; else with them."""
    m, k = sym("M", divisible_by=16), sym("K", divisible_by=16)
    n, i = sym("N"), sym("i", min=0, max=15)
    for x in (Layout((n,), (0,)), Layout((n, 4), (4, 1)), n, 2 * n + 3, n % 4, least(n, 7), (n, _4)):
        assert from_cpp(to_cpp(x, kind="value")) == x
    thrice = sym("T", divisible_by=3, min=None)
    nested = least(least(15, thrice), thrice // 7)  # one of two is three times a minimum
    assert to_cpp(nested, kind="value").startswith("(((15 < T ? 15 : T)) < (T / 7 - (T % 7 < 0)) ? ")
    assert from_cpp(to_cpp(nested, kind="value"), {"T": thrice}) == nested
    for x in (zN(m, k), zN(n, k), zN(n + 3, k), Layout((16,), (n,), (i,)), m // 16 * i, k - m, (m, -i)):
        assert from_cpp(to_cpp(x, kind="value"), {"M": m, "K": k, "N": n, "i": i}) == x


@pytest.mark.parametrize("kind", ["type", "value"])
def test_what_cute_alone_has_comes_back(kind: str) -> None:
    for x in (
        Swizzle(3, 4, -3),
        ComposedLayout(Swizzle(2, 0, 3), _1, parse("(_8,_4):(_4,_1)")),
        (parse("(_4,_2):(_1,_8)"), _2),
        (_3, (_, _1)),
    ):
        assert from_cpp(to_cpp(x, "cute", kind)) == x


def test_a_composition_is_read() -> None:
    """The first line of `sgemm_sm80.cu` at which a reader of layouts alone stops."""
    atom = "Layout<Shape <_8,Shape <_8, _8>>,\n  Stride<_8,Stride<_1,_64>>>{}"
    found = read(f"composition(Swizzle<3,3,3>{{}}, {atom})")
    assert found == ComposedLayout(Swizzle(3, 3, 3), 0, from_cpp(atom))
    assert read("cute::composition(Layout<_8,_2>{}, Layout<_4>{})") == Layout(_4, _2)
    for text in (
        "composition(Layout<Shape<_6,_2>,Stride<_8,_2>>{}, Layout<_4,_4>{})",
        "composition(3, 4)",
    ):
        with pytest.raises(ParseError):
            read(text)


# --- read ---

STATIC = Layout((_16, _4), (_1, _16))


@pytest.mark.parametrize(
    "text",
    [
        "tla::Layout<tla::tuple<tla::C<16>, tla::C<4>>, tla::tuple<tla::C<1>, tla::C<16>>,"
        " tla::tuple<tla::C<16>, tla::C<4>>>",
        "cute::Layout<cute::tuple<cute::C<16>, cute::C<4> >, cute::tuple<cute::C<1>, cute::C<16> > >",
        "cute::Layout<cute::Shape<cute::_16, cute::_4>, cute::Stride<cute::_1, cute::_16>>",
        "Layout<Shape<_16,_4>,Stride<_1,_16>>{}",
        "const cute::Layout<cute::tuple<cute::C<(int)16>, cute::C<(int)4> >,"
        " cute::tuple<cute::C<(int)1>, cute::C<(int)16> > > &",
        "::cute::Layout<Shape<C<16U>, C<4ul>>, Stride<Int<1>, Int<0x10>>> const&",
        "struct cute::Layout<tuple<std::integral_constant<int, 16>, C<4>>,"
        "tuple<integral_constant<int,1>, C<16>>>",
        "make_layout(make_shape(Int<16>{}, _4{}))",
        "make_layout(make_shape(Int<16>{}, _4{}), LayoutLeft{})",
        "cute::make_layout(cute::Shape<cute::_16, cute::_4>{},"
        " cute::make_stride(cute::_1{}, cute::_16{}));",
        "tla::MakeLayout(tla::MakeShape(tla::Int<16>{}, tla::Int<4>()),\n"
        "    tla::MakeStride(tla::Int<1>{}, tla::Int<16>{}))",
    ],
    ids=range(11),
)
def test_spellings_of_one_layout(text: str) -> None:
    assert same_static(from_cpp(text), STATIC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1'000u", 1000),
        ("0b11", 3),
        ("0B1'0ul", 2),
        ("017", 15),
        ("0", 0),
        ("00", 0),
        ("tla::C<0x10>", _16),
        ("0xffffffffffffffff", 2**64 - 1),
        ("4294967295u", 2**32 - 1),
        ("2147483648 * 2", 2**32),
        ("2147483648u * 2l", 2**32),
        ("(uint64_t)2147483648u * 2u", 2**32),
        ("-2147483647 - 1", -(2**31)),
        ("/* a */ tla::MakeShape(4u, // b\n 3u /* c * / */)", (4, 3)),
        ("(3 < 4 ? 3 : 4)", 3),
        ("3 > 4 ? 3 : 4", 4),
        ("(-7 / 2 - (-7 % 2 < 0))", -4),
        ("(-7 % 2 + 2) % 2", 1),
        ("M", sym("M")),
        ("2 * M + 3", 2 * sym("M") + 3),
        ("(M < 4 ? M : 4)", least(sym("M"), 4)),
        ("(M < 4 ? 4 : M)", greatest(sym("M"), 4)),
        ("(M >= 0 ? M : 4)", sym("M")),
        ("((M - 9) / 4 - ((M - 9) % 4 < 0))", (sym("M") - 9) // 4),
        ("((M - 9) % 4 + 4) % 4", (sym("M") - 9) % 4),
        ("MakeShape((uint32_t)(M / 4))", (sym("M") // 4,)),
        (
            "tuple<cuda::std::__4::integral_constant<int, 4>, std::__1::integral_constant<int, 2>>",
            (_4, _2),
        ),
        ("4u", 4),
        ("4", 4),
        ("0x10UL", 16),
        ("(int64_t)16", 16),
        ("(int64_t)-16", -16),
        ("(unsigned int)16", 16),
        ("int64_t{4}", 4),
        ("uint32_t(4)", 4),
        ("int64_t{}", 0),
        ("static_cast<long long>(4l)", 4),
        ("-4", -4),
        ("2 + 3 * 4 - 10 / 4", 12),
        ("(2 + 3) * 4 % 7", 6),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("tla::Int<4>{} * tla::_64{}", Int(256)),
        ("-tla::Int<4>{}", Int(-4)),
        ("tla::C<4>", _4),
        ("tla::_64", _64),
        ("cute::_m2{}", Int(-2)),
        ("tla::_", _),
        ("cute::Underscore", _),
        ("tla::MakeTuple()", ()),
        ("cute::make_coord(1, cute::_, make_coord(_2{}))", (1, _, (_2,))),
        ("make_layout(make_shape(2, 3), LayoutRight{})", Layout((2, 3), (3, 1))),
        ("Layout<Shape<_2,_4>>{}", Layout((_2, _4))),
        ("cute::Layout<cute::tuple<_2, tuple<_3, _4> > >", Layout((_2, (Int(3), _4)))),
        ("cute::Layout<_8>", Layout(_8)),
        ("make_layout(make_layout(2, 3), Layout<_4>{})", make_layout(Layout(2, 3), Layout(_4))),
        ("tla::MakeLayout(tla::Int<8>{})", Layout((_8,), (_1,))),
        (
            "tla::MakeLayout(tla::MakeShape(4u), tla::MakeStride(1), tla::MakeShape(3u))",
            parse("(4):(1):(3)"),
        ),
        ("tla::MakeLayout(4u, 1, tla::MakeShape(3u))", parse("4:1:3")),
        ("cute::Swizzle<3, 4>", Swizzle(3, 4, 3)),
    ],
)
def test_values(text: str, expected: Any) -> None:
    got = from_cpp(text)
    assert got == expected
    if isinstance(expected, (int, Layout)):
        assert same_static(got, expected) or "Right" in text


def test_dynamic_ints_of_a_type() -> None:
    """Distinct unknowns of the C++ types."""
    layout = from_cpp(
        "tla::Layout<tla::tuple<tla::tuple<tla::C<16>, unsigned int>, int>,"
        " tla::tuple<tla::tuple<int64_t, tla::C<1> >, unsigned long>,"
        " tla::tuple<unsigned int, tla::C<2> > >"
    )
    names = [(s.name, s.cpp_type, s.least) for part in unknowns(layout) for s in part.symbols]
    assert names == [
        ("s0", "unsigned int", 0),
        ("s1", "int", 0),
        ("d0", "long", None),
        ("d1", "unsigned long", 0),
        ("o0", "unsigned int", 0),
    ]
    assert bool(layout.origin_shape[0].symbols[0].greatest == 16 * layout.shape[0][1])
    with pytest.raises(BindingError):
        layout.bind(s0=2, s1=2, o0=33)
    with pytest.raises(BindingError):
        layout.bind(s0=2, s1=1, o0=32)
    text = "tla::Layout<tla::tuple<int>, tla::tuple<long>, tla::tuple<tla::C<4> > >"
    assert [str(c) for c in from_cpp(text).assumptions] == ["s0 >= 4"]
    (x,) = unknowns(from_cpp("int"))
    assert (str(x.symbols[0].name), x.bounds) == ("x0", (None, None))


def unknowns(x: Any) -> list[Any]:
    """The symbolic ints, in order."""
    if isinstance(x, Layout):
        return unknowns((x.shape, x.stride, x.origin_shape))
    if isinstance(x, tuple):
        return [e for i in x for e in unknowns(i)]
    return [x] if isinstance(x, Expr) else []


def test_the_default_of_the_third_argument() -> None:
    two = "tla::Layout<tla::tuple<tla::C<4>, tla::C<2> >, tla::tuple<tla::C<1>, tla::C<4> > >"
    three = two[:-2] + ", tla::tuple<unsigned int, unsigned int> >"
    assert from_cpp(two) == from_cpp(three)
    assert to_cpp(from_cpp(two)) == three


def test_names_of_a_program() -> None:
    """Sizes, as in the notation; what is given of them goes before."""
    text = "tla::MakeLayout(tla::MakeShape(m, n / 16), tla::MakeStride(ld, (int64_t)m * 2))"
    n, m, ld = sym("n"), sym("m"), sym("ld")
    assert from_cpp(text) == Layout((m, n // 16), (ld, m * 2))
    long = sym("n", divisible_by=16, min=32)
    assert from_cpp(text, {"n": long, "ld": 7}) == Layout((m, long // 16), (7, m * 2))
    assert from_cpp("MakeShape(X, cute::X, E)") == (sym("X"), _, sym("E"))
    with pytest.raises(LeafError):
        from_cpp("n", {"n": 1.5})


def test_the_origin_of_names() -> None:
    """What it says of them is assumed: each mode has that many coordinates at least."""
    text = "tla::MakeLayout(tla::MakeShape(M / 16 * 16), tla::MakeStride(1), tla::MakeShape(M))"
    layout = from_cpp(text)
    assert [str(c) for c in layout.assumptions] == ["M <= 16 * (M // 16)"]
    assert layout.bind(M=32) == Layout((32,), (1,))
    with pytest.raises(BindingError):
        layout.bind(M=33)
    assert not from_cpp(text, {"M": sym("M", divisible_by=16)}).assumptions
    with pytest.raises(ParseError, match="does not lie in the shape") as caught:
        from_cpp("MakeLayout(MakeShape(M), MakeStride(1), MakeShape(M + 1))")
    assert (caught.value.start, caught.value.end) == (0, 57)


def test_what_is_not_known_is_an_error_of_the_text() -> None:
    for text in (
        "tla::MakeStride((x - 3) / 2)",
        "(x - 3) % 2",
        "MakeStride(x / (x - 1))",
        "4 % (x - 9)",
    ):
        with pytest.raises(ParseError, match=re.escape("symbols={'M': M}")) as caught:
            from_cpp(text)
        assert caught.value.summary.startswith("cannot tell which way ")
    assert from_cpp("(x - 3) / 2", {"x": sym("x", min=3)}) == (sym("x", min=3) - 3) // 2


WANTED = "expected a type or an expression of a layout, found "
ELIDED = "'[...]', which g++ prints in full with -fno-elide-type"
UNCLOSED = "expected ',' or '>' of the '<' in column 11, found "
CHOSEN = "the least of two, (a < b ? a : b), or as the greatest, with '>'"
UNCLOSED_CALL = "expected ',' or ')' of the '(' in column 10, found "


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("(int8_t)300", "C++ makes 44 of it: write that, or a wider type."),
        ("(unsigned)-1", "C++ makes 4294967295 of it: write that, or a wider type."),
        ("2147483647 + 1", "C++ does not say what becomes of it."),
    ],
)
def test_an_int_outside_its_type_is_named_as_cpp_makes_it(text: str, detail: str) -> None:
    with pytest.raises(ParseError) as error:
        from_cpp(text)
    assert detail in str(error.value)


@pytest.mark.parametrize(
    ("text", "column", "width", "summary"),
    [
        ("", 1, 1, f"{WANTED}the end of text"),
        ("float", 1, 5, "'float' alone is no layout"),
        ("std::vector<int>", 1, 11, "'std::vector' is no name of a layout"),
        ("tla::Layout<foo::bar, int>", 13, 8, "'foo::bar' is no name of a layout"),
        ("tla::Layout<tla::Tensor<int>, int>", 13, 11, "'tla::Tensor' is no template of a layout"),
        ("tla::tuple<tla::C<4>", 21, 1, f"{UNCLOSED}the end of text"),
        ("tla::tuple<tla::C<4>>>", 22, 1, "expected the end of text, found '>'"),
        ("tla::tuple<int float>", 16, 1, f"{UNCLOSED}'f'"),
        ("tla::tuple<float>", 12, 5, "'float' alone is no layout"),
        ("tla::C<x>", 8, 1, "expected an int, found 'x'"),
        ("tla::C<1.5>", 8, 3, "expected an int such as 4, 4u or 4L"),
        ("tla::C<018>", 8, 3, "018 is octal, and has a digit that is not"),
        ("1''0", 1, 4, "expected an int such as 4, 4u or 4L"),
        ("4lu4", 1, 4, "expected an int such as 4, 4u or 4L"),
        ("18446744073709551616u", 1, 21, "an int of more than 64 bits"),
        ("9223372036854775808", 1, 19, "an int of more than 64 bits"),
        ("4 /* 5", 4, 1, "expected a type or an expression of a layout, found '*'"),
        ("unsigned long short", 1, 19, "'unsigned long short' names no type"),
        ("(uint32_t)-1", 1, 12, "-1 is no unsigned int"),
        ("MakeShape((int)4294967297)", 11, 15, "4294967297 is no int"),
        ("tla::MakeShape(2147483648u*2u)", 16, 14, "4294967296 is no unsigned int"),
        ("MakeShape(2u-3u)", 11, 5, "-1 is no unsigned int"),
        ("MakeTuple(-4u)", 11, 3, "-4 is no unsigned int"),
        ("65536 * 65536", 1, 13, "4294967296 is no int"),
        ("-7 / 2u", 1, 7, "-7 is no unsigned int"),
        ("0xffffffffffffffff + 1", 1, 22, "18446744073709551616 is no unsigned long"),
        ("tla::C<-16u>", 8, 4, "-16 is no unsigned int"),
        ("integral_constant<int, 4294967296>", 18, 16, "4294967296 is no int"),
        ("M - 4ul", 1, 7, "M-4 may be negative, and unsigned long has no negative ints"),
        (
            "tla::Layout<tla::tuple<tla::C<-16> >, tla::tuple<tla::C<1> >, tla::tuple<tla::C<2> > >",
            31,
            3,
            "an extent is negative: -16",
        ),
        ("Layout<tuple<std::integral_constant<int, -16> >, int>", 42, 3, "an extent is negative: -16"),
        ("Layout<Shape<_m4>, Stride<_1>>", 14, 3, "an extent is negative: -4"),
        ("Layout<C<4>, C<1>, tuple<C<-2>>>", 28, 2, "a size in an origin shape is negative: -2"),
        ("MakeLayout(MakeShape(-4), MakeStride(1))", 22, 2, "an extent is negative: -4"),
        ("M - 5 < 2 ? M : 4", 1, 17, f"'?:' is read as {CHOSEN}"),
        ("_ ? M : 4", 3, 7, "expected the end of text, found '?'"),
        ("M ? M : 4", 1, 9, "only the least or the greatest of ints is read of '?:'"),
        ("(M < 4) * 2", 1, 7, "a comparison is no int here"),
        ("MakeTuple(M < 4)", 11, 5, "a comparison is no int here"),
        ("K * ((M - 5) / 2)", 5, 13, "cannot tell which way ((M - 5) / 2) is rounded"),
        ("(M - 5) % 2 + 3", 1, 11, "cannot tell which way (M - 5) % 2 is rounded"),
        ("(M - 5) / (K - 2)", 1, 17, "cannot tell which way (M - 5) / (K - 2) is rounded"),
        ("(M - 5) / 2 - ((M - 4) % 2 < 0)", 1, 11, "cannot tell which way (M - 5) / 2 is rounded"),
        ("tla::tuple<[...], int>", 12, 1, f"{WANTED}{ELIDED}"),
        ("Layout<tuple<C<4> >, C<1> >", 1, 27, "shape (_4) and stride _1 are not congruent"),
        ("tla::Layout<tla::C<4> >", 1, 23, "tla::Layout takes 2 arguments, not 1"),
        ("cute::Layout<int, int, int>", 1, 27, "a layout of CuTe has no origin shape"),
        ("tla::Layout<int, int>{}", 1, 23, "a type with dynamic ints says nothing of their values"),
        ("MakeShape(4u, MakeCoord(1u)", 28, 1, f"{UNCLOSED_CALL}the end of text"),
        ("tla::MakeShape(4u) + 1", 1, 22, "'+' stands between ints"),
        ("4 / 0", 1, 5, "a division by 0"),
        ("tla::GetTile(x)", 1, 12, "'tla::GetTile' makes no layout"),
        ("cute::Swizzle<3,4,1>", 1, 20, "a swizzle of 3 bits needs a shift of at least 3, got 1"),
        ("MakeLayout(\n  MakeShape(4u),\n    MakeStride(?))", 16, 1, f"{WANTED}'?'"),
    ],
)
def test_the_caret(text: str, column: int, width: int, summary: str) -> None:
    with pytest.raises(ParseError) as caught:
        from_cpp(text)
    error = caught.value
    assert (error.summary, error.column, error.end - error.start) == (summary, column, width)


def test_an_error_in_print() -> None:
    with pytest.raises(ParseError) as caught:
        from_cpp("tla::Layout<tla::tuple<Foo>, tla::tuple<int> >")
    assert str(caught.value) == (
        "'Foo' alone is no layout\n"
        "  line 1, column 24\n"
        "    tla::Layout<tla::tuple<Foo>, tla::tuple<int> >\n"
        "                           ^^^"
    )


def test_what_is_not_read() -> None:
    for text in (
        "cute::ScaledBasis<cute::C<1>, 0>",
        "cute::ArithmeticTuple<int, int>",
        "cute::Layout<cute::tuple<int>, cute::tuple<cute::E<0>>>",
        "tla::MakeLayout<half, Catlass::layout::zN>(m, n)",
    ):
        with pytest.raises(UnsupportedError):
            from_cpp(text)
    with pytest.raises(TypeError, match="expected a text"):
        from_cpp(4)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_deep_text() -> None:
    for opened, closed in (("tla::tuple<", ">"), ("tla::MakeTuple(", ")"), ("(", ")"), ("-", "")):
        with pytest.raises(ParseError, match="nested deeper than 100 levels"):
            from_cpp(opened * 5000 + "4" + closed * 5000)


# --- rewritten ---

T = (
    "tla::Layout<tla::tuple<tla::C<16>, unsigned int>, tla::tuple<tla::C<1>, long>,"
    " tla::tuple<unsigned int, unsigned int> >"
)
SHORT = "tla::Layout[(_16,unsigned):(_1,long)]"
PIECES = [
    "tla::tuple<",
    "tla::C<",
    "Layout<",
    "4",
    "int",
    ",",
    ">",
    " ",
    "x",
    "\n",
    "(",
    "::",
    "[...]",
    "\x1b[m",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (T, SHORT),
        (T.replace("> >", ">>"), SHORT),
        (T.replace("long", "long int"), SHORT),
        (T.replace(", unsigned int> >", ", tla::C<4> > >"), f"{SHORT[:-1]}:(unsigned,_4)]"),
        (f"std::vector<{T}, foo>", f"std::vector<{SHORT}, foo>"),
        (f"error: ‘{T}’ has no ‘x’\r\n", f"error: ‘{SHORT}’ has no ‘x’\r\n"),
        ("f<Layout<Shape<C<16>,int>,Stride<C<1>,int>>>(x)", "f<Layout[(_16,int):(_1,int)]>(x)"),
        ("cute::Layout<cute::C<8>, cute::C<1> >::size()", "cute::Layout[_8:_1]::size()"),
        ("[with Shape = tla::tuple<tla::C<16>, int>; int I = 0]", "[with Shape = (_16,int); int I = 0]"),
        ("f<tla::C<4> >, f<int >", "f<_4>, f<int >"),
        ("tla::tuple<>", "()"),
        ("tla::C<16u>, tla::C<(unsigned int)16>, tla::C<-2>, tla::C<3ul>", "_16u, _16u, _-2, _3ul"),
        ("cute::tuple<int, cute::Underscore>", "(int,_)"),
        ("class cute::tuple<struct cute::C<4>,int>", "class (_4,int)"),
        ("cute::tuple<cute::_4, cute::Int<3>>", "(_4,_3)"),
        (
            "cute::ComposedLayout<cute::Swizzle<3, 4, 3>, cute::C<0>, cute::Layout<int, int> >",
            "Sw<3,4,3> o _0 o cute::Layout[int:int]",
        ),
        (
            "cute::Layout<cute::tuple<int>, cute::tuple<cute::ScaledBasis<cute::C<1>, 0> > >",
            "cute::Layout[(int):(_1@0)]",
        ),
        ("tla::Layout<[...], tla::tuple<tla::C<1>, [...]> >", "tla::Layout[...:(_1,...)]"),
        (
            "\x1b[01mtla::Layout<[...],\x1b[32mtla::tuple<\x1b[35mtla::C<2> >\x1b[m\x1b[K>\x1b[m\x1b[K",
            "\x1b[01mtla::Layout[...:\x1b[32m(\x1b[35m_2)\x1b[m\x1b[K]\x1b[m\x1b[K",
        ),
        (
            "tla::Layout<tla::tuple<std::integral_constant<int, 16> >, tla::tuple<tla::C<1> > >",
            "tla::Layout[(_16(std)):(_1)]",
        ),
        (
            "cute::Layout<cuda::std::__4::integral_constant<unsigned int, 16u>,"
            " cute::integral_constant<long, -3> >",
            "cute::Layout[_16u(cuda::std):_-3l(cute)]",
        ),
        ("tla::tuple<std::__1::integral_constant<short, (short)4> >", "(_4(short)(std))"),
        # of a type that is not read, what can be
        ("tla::tuple<const tla::C<4>, Foo>", "tla::tuple<const _4, Foo>"),
        ("tla::Tensor<half, tla::C<2>, (TPosition)0>", "tla::Tensor<half, _2, (TPosition)0>"),
    ],
)  # fmt: skip
def test_rewritten(text: str, expected: str) -> None:
    assert rewritten(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "no layout here",
        "tuple<int, C<4>>",
        "std::tuple<int> and std::integral_constant<int, 4>",
        "tla::tuple<std::integral_constant<int, 4>, T>",
        "f<cuda::std::__4::integral_constant<int, 4>>, cute::integral_constant<int, 4>",
        "tla::tuple<std::integral_constant<bool, true>>, tla::tuple<mine::integral_constant<int, 4>>",
        "mine::Layout<int, int>",
        "Layout<Shape, Stride, OriginShape>",
        "tla::Layout<tla::tuple<T...>, S>",
        "tla::Layout<int>",
        "cute::Layout<int, int, int>",
        "tla::C<x>, tla::C<1, 2>, tla::C<>, tla::C<16",
        "tla::tuple<int, >, tla::tuple<, int>, tla::tuple<int int>, tla::tuple<int (*)(int)>",
        "if (a < b && c > d) x << y >> z; i<n; operator<",
        "tla::tuple<int->",
        "   12 |   tla::Layout<tla::tuple<tla::C<16> >, int> l;",
        "\x1b[01;32m   12 |\x1b[m tla::C<4> x;",
        "tla::tuple<unsigned int",
        ">>>> tla::tuple",
        "\udcff\x00 a<b\x0b>\x85\u2028x",
    ],
)
def test_what_stays_as_it_is(text: str) -> None:
    assert rewritten(text) == text


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_text_is_taken(text: str) -> None:
    """It ends, keeps the lines, and is done once."""
    once = rewritten(text)
    assert once.count("\n") == text.count("\n")
    assert rewritten(once) == once


@given(layouts(padded=True), layouts(padded=True), st.sampled_from(DIALECTS))
def test_different_types_stay_different(a: Any, b: Any, dialect: str) -> None:
    if dialect == "cute":
        a, b = Layout(a.shape, a.stride), Layout(b.shape, b.stride)
    texts = [to_cpp(x, dialect) for x in (a, b)]
    assert (rewritten(texts[0]) == rewritten(texts[1])) == (texts[0] == texts[1])


@given(layouts(static=True))
def test_a_static_type_is_rewritten_to_the_notation(layout: Any) -> None:
    name, _opened, notation = rewritten(to_cpp(layout, "cute")).partition("[")
    assert name == "cute::Layout"
    assert same_static(parse(notation.removesuffix("]")), layout)


@pytest.mark.parametrize(
    "noise",
    [
        T + ", foo<bar<",
        "a<",
        "tla::tuple<",
        "tla::tuple<tla::C<1>, ",
        "tla::Layout<tla::tuple<int>, ",
        "<>",
        "(unsigned ",
        "\x1b]8;;",
        "1 ",
    ],
)
def test_the_work_grows_with_the_length(noise: str) -> None:
    """Four times the text takes some four times the calls; sixteen times would be quadratic."""

    def calls(length: int) -> int:
        text = (noise * (length // len(noise) + 1))[:length] + "<"
        count = 0

        def step(*_event: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            rewritten(text)
        finally:
            sys.setprofile(None)
        return count

    assert calls(80_000) <= 5 * calls(20_000)


# --- compiled ---


def random_layout(rng: random.Random, padded: bool) -> Any:
    """A layout of a few hundred elements at most, with ints of both kinds."""

    def leaf(n: int) -> int:
        return Int(n) if rng.random() < 0.5 else n

    def shape(room: int) -> Any:
        if room == 0 or rng.random() < 0.5:
            return leaf(rng.choice((1, 1, 2, 3, 4, 8)))
        return tuple(shape(room - 1) for _i in range(rng.randint(1, 3)))

    def stride(s: Any) -> Any:
        if isinstance(s, tuple):
            return tuple(map(stride, s))
        return leaf(rng.choice((0, 1, 2, 16, 64, 512, -1, -16, rng.randint(-999, 999))))

    extents: Any = shape(0) if rng.random() < 0.1 else tuple(shape(2) for _i in range(rng.randint(1, 3)))
    layout = Layout(extents, stride(extents))
    if not padded or rng.random() < 0.5:
        return layout
    sizes = layout.origin_shape
    inside = [leaf(rng.randint(0, n)) for n in (sizes if isinstance(sizes, tuple) else (sizes,))]
    return Layout(extents, layout.stride, tuple(inside) if isinstance(sizes, tuple) else inside[0])


def leafwise(x: Any, dialect: str) -> str:
    """A coordinate, of 64-bit ints: what CATLASS multiplies in 32 bits is not the subject here."""
    if not isinstance(x, tuple):
        return f"(int64_t){x}"
    make = "tla::MakeCoord" if dialect == "catlass" else "cute::make_coord"
    return f"{make}({', '.join(leafwise(i, dialect) for i in x)})"


def offsets(coords: Sequence[Any], dialect: str) -> str:
    """What prints the offsets of a layout x; a CATLASS layout of one int cannot be called with one."""
    how = "tla::crd2offset({}, x.shape(), x.stride())" if dialect == "catlass" else "x({})"
    return " << ' ' << ".join(f"(long){how.format(leafwise(c, dialect))}" for c in coords)


def random_coord(rng: random.Random, shape: Any) -> Any:
    if not isinstance(shape, tuple):
        return rng.randrange(shape)
    if rng.random() < 0.3:
        n = 1
        for i in unnested(shape):
            n *= i
        return rng.randrange(n)
    return tuple(random_coord(rng, s) for s in shape)


def unnested(x: Any) -> list[int]:
    return [n for i in x for n in unnested(i)] if isinstance(x, tuple) else [int(x)]


def case(rng: random.Random, dialect: str) -> tuple[str, list[str]]:
    """A block that makes a random layout, and what it must print: its type and some offsets."""
    layout = random_layout(rng, padded=dialect == "catlass")
    made, type_ = to_cpp(layout, dialect, "value"), to_cpp(layout, dialect)
    coords = [random_coord(rng, layout.shape) for _i in range(6)]
    calls = offsets(coords, dialect)
    block = (
        f"auto x = {made}; static_assert(std::is_same_v<decltype(x), {type_}>);"
        f" print_type<{type_}>(); std::cout << {calls} << '\\n';"
    )
    return block, [type_, " ".join(str(int(layout(c))) for c in coords)]


def symbolic_case(rng: random.Random, dialect: str) -> tuple[str, list[str]]:
    """The same of a layout with symbolic ints, at values for them."""
    m = sym("M", divisible_by=16)
    n = sym("N", max=2**20)
    k = sym("K", cpp_type=rng.choice(("unsigned int", "int", "int64_t")))
    layout = rng.choice(
        [
            Layout(((_16, m // 16), (_16, n)), ((_16, Int(256)), (_1, m * 16))),
            Layout((m, n, k), (n * k, k, 1)),
            Layout((n, k), (k, _1)),
            Layout(((_4, m // 8), (m + 16) // 16), ((1, n), k)),
        ]
    )
    values = {"M": 16 * rng.randint(1, 9), "N": rng.randint(1, 99), "K": rng.randint(1, 99)}
    bound = layout.bind(**values)
    types = {s.name: s.cpp_type or "int64_t" for s in (m + n + k).symbols}
    names = " ".join(f"{types[name]} {name} = {v};" for name, v in values.items())
    coords = [random_coord(rng, bound.shape) for _i in range(6)]
    type_ = to_cpp(layout, dialect)
    calls = offsets(coords, dialect)
    block = (
        f"{names} auto x = {to_cpp(layout, dialect, 'value')};"
        f" static_assert(std::is_same_v<decltype(x), {type_}>); std::cout << {calls} << '\\n';"
    )
    return block, [" ".join(str(int(bound(c))) for c in coords)]


HOLDS: dict[str, Any] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def expression_case(rng: random.Random) -> tuple[str, list[str]]:
    """A random expression, and a condition on it, at random values, negative ones among them."""
    type_ = rng.choice(("unsigned int", "uint64_t", "size_t", "unsigned long long", "int", "short"))
    unknowns = [
        *(sym("i", min=0, max=999), sym("j", min=-99, max=99), sym("k", min=None)),
        sym("u", cpp_type=type_),
    ]

    def grown(depth: int) -> Any:
        if depth == 0:
            return rng.choice([*unknowns, rng.randint(-20, 20)])
        a, b, n = grown(depth - 1), grown(rng.randrange(depth)), rng.randint(1, 12)
        kind = rng.randrange(7)
        if kind < 2:
            return a + b
        return (a - b, a * n, a // n, a % n, least(a, b) if rng.random() < 0.5 else greatest(a, b))[
            kind - 2
        ]

    x = grown(4)
    values = {"i": rng.randint(0, 999), "j": rng.randint(-99, 99), "k": rng.randint(-999, 999)}
    values["u"] = rng.randint(1, 999)
    types = {"u": type_}
    names = " ".join(f"{types.get(name, 'int64_t')} {name} = {n};" for name, n in values.items())
    expected = evaluate(x, values) if isinstance(x, Expr) else x
    text = to_cpp(x, "catlass", "value")
    block = f"{names} std::cout << (long)({text})"
    line = f"{int(expected)}"
    if isinstance(x, Expr):
        n = rng.randint(1, 9)
        condition: Any = rng.choice([x % n == 0, x < n, x >= expected, x != expected])
        if not isinstance(condition, bool):
            left, right = (evaluate(side, values) for side in (condition.left, condition.right))
            block += f" << ' ' << ({to_cpp(condition, kind='value')})"
            line += f" {int(HOLDS[condition.op](left, right))}"
    return block + " << '\\n';", [line]


def agree(cases: Sequence[tuple[str, list[str]]], at: Path, **how: Any) -> None:
    lines = printed([block for block, _lines in cases], at, **how)
    assert lines == [line for _block, expected in cases for line in expected]


@needs_gxx
@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_what_is_written_compiles_and_agrees(tmp_path: Path, share: int) -> None:
    """``decltype`` of each expression is the type written, as g++ prints it; the offsets agree."""
    rng = random.Random(20)
    cases = [case(rng, dialect) for dialect in DIALECTS for _i in range(150 // share)]
    cases += [symbolic_case(rng, dialect) for dialect in DIALECTS for _i in range(30 // share)]
    cases += [expression_case(rng) for _i in range(200 // share)]
    agree(cases, tmp_path)


SWIZZLED = ComposedLayout(Swizzle(2, 0, 3), 4, parse("(_8,8):(8,_1)"))


def other_values(dialect: str) -> list[str]:
    """Blocks that hold ``decltype`` of what is no layout against its type."""
    ints = (_4, _64, Int(-3), Int(2**40), 4, 2**31, 2**32, -5, -(2**40), 2**63 - 1, Int(1 - 2**63))
    given: list[Any] = [
        *ints,
        Int(-(2**31)),
        -(2**31),
        (),
        (_4,),
        ((_4,),),
        (3, (_4, -7)),
        (3, _, (_, _2)),
    ]
    if dialect == "cute":
        given += [(parse("(_4,2):(_1,8)"), _2), Swizzle(3, 4, -3), SWIZZLED]
    return [
        f"using X = std::decay_t<decltype({to_cpp(x, dialect, 'value')})>;"
        f" static_assert(std::is_same_v<X, {to_cpp(x, dialect)}>);"
        for x in given
    ]


@needs_gxx
def test_values_that_are_no_layouts_compile(tmp_path: Path) -> None:
    made = to_cpp(SWIZZLED, "cute", "value")
    swizzled = f"auto x = {made}; for (int i = 0; i < 64; ++i) std::cout << (long)x(i) << '\\n';"
    lines = printed([*other_values("catlass"), *other_values("cute"), swizzled], tmp_path)
    assert lines == [str(int(SWIZZLED(i))) for i in range(64)]


def own_headers(dialect: str, at: Path, options: Sequence[str]) -> None:
    rng = random.Random(21)
    cases = [case(rng, dialect) for _i in range(150)]
    cases += [symbolic_case(rng, dialect) for _i in range(30)]
    agree([*cases, *((block, []) for block in other_values(dialect))], at, options=options)


@needs_gxx
@pytest.mark.skipif("CATLASS_INCLUDE" not in os.environ, reason="CATLASS_INCLUDE names no headers")
def test_with_catlass_s_own_headers(tmp_path: Path) -> None:
    """``CATLASS_INCLUDE``: the directory that has ``tla/layout.hpp``."""
    needed = ["-DCATLASS_ARCH=2201", "-include", str(STAND_INS / "ascendc" / "kernel_operator.h")]
    own_headers("catlass", tmp_path, [f"-I{os.environ['CATLASS_INCLUDE']}", *needed])


@needs_gxx
@pytest.mark.skipif("CUTE_INCLUDE" not in os.environ, reason="CUTE_INCLUDE names no headers")
def test_with_cute_s_own_headers(tmp_path: Path) -> None:
    """``CUTE_INCLUDE``: the directory that has ``cute/layout.hpp``; CUDA's own go by ``CPATH``."""
    whole = ["-include", "cute/swizzle_layout.hpp"]
    own_headers("cute", tmp_path, [f"-I{os.environ['CUTE_INCLUDE']}", *whole])


# --- the errors of a compiler ---

FAULTY = """\
#include "tla/layout.hpp"
template <class T> struct Wanted;
int main()
{
    auto steps = tla::MakeStride(tla::Int<1>{}, (int64_t)16);
    auto a = tla::MakeLayout(tla::MakeShape(tla::Int<16>{}, 4u), steps);
    auto b = tla::MakeLayout(tla::MakeShape(16u, 4u), steps);
    a = b;
    Wanted<decltype(a)> c;
}
"""


@needs_gxx
@pytest.mark.parametrize("colour", ["never", "always"])
def test_real_errors(tmp_path: Path, colour: str) -> None:
    done = compiled(FAULTY, tmp_path, ["-c", f"-fdiagnostics-color={colour}", "-o", os.devnull])
    assert done.returncode
    out = rewritten(done.stderr)
    plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", out)
    assert "Wanted<tla::Layout[(_16,unsigned):(_1,long)]>" in plain
    quoted = re.compile(r"^\s*[0-9]+ \|.*$", re.M)
    assert quoted.findall(plain)
    others = "\n".join(line for line in plain.splitlines() if not quoted.match(line))
    assert "tla::C<" not in others
    assert len(out) < len(done.stderr)
    assert out.count("\n") == done.stderr.count("\n")


HOW_TO = Path(__file__).parents[2] / "docs" / "howto" / "template_error.md"


@needs_gxx
@pytest.mark.skipif(not HOW_TO.exists(), reason="the wheel has no documents")
def test_the_error_of_the_how_to(tmp_path: Path) -> None:
    """Its program, put through its command, gives its line."""
    (program,), (command,), (line,) = (
        re.findall(rf"^```{language}\n(.*?)^```$", HOW_TO.read_text("utf-8"), re.M | re.S)
        for language in ("cpp", "sh", "text")
    )
    (tmp_path / "kernel.cpp").write_text(program, "utf-8")
    script = f'tla() {{ {shlex.join([sys.executable, "-m", "tla"])} "$@"; }}; {command}'
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env={**ENVIRONMENT, "CPATH": str(STAND_INS), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert line.strip() in done.stdout.decode()
