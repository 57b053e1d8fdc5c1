"""One reader for every notation: what is pasted is recognised."""

from __future__ import annotations

from pathlib import Path

import pytest

from tla import ComposedLayout, Int, Layout, ParseError, Swizzle, parse, read
from tla.hlo import ModuleError
from tla.read import FileError, tagged
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


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("tensor<20xf32>", "f32[20]"),
        ("tensor< 4 x ? x i1 >", "pred[4,?]"),
        ("tensor<f8E4M3FN>", "f8e4m3fn[]"),
        ("tensor<2x3xui8>", "u8[2,3]"),
        ("ShapeUtil::MakeShape(F32, {2, 3})", "f32[2,3]"),
        ("xla::ShapeUtil::MakeShape(S8, {});", "s8[]"),
    ],
)
def test_shapes_of_other_spellings(text: str, shape: str) -> None:
    assert read(text) == parse_shape(shape)
    assert tagged(text) is None


@pytest.mark.parametrize(
    ("text", "summary", "column"),
    [
        ("tensor<4xfoo>", "'foo' is no element type", 10),
        ("ShapeUtil::MakeShape(F32, {A, B})", "the size of a dim is a number, not 'A'", 28),
    ],
)
def test_other_spellings_of_no_shape(text: str, summary: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        read(text)
    assert (caught.value.summary, caught.value.column) == (summary, column)


def test_what_is_read_has_its_type() -> None:
    assert isinstance(read("(2):(1)"), Layout)
    assert isinstance(read("f32[2]"), XlaShape)
    assert isinstance(read("(f32[2])"), XlaTuple)
    assert isinstance(read("_4"), Int)
    assert read("(2,3)") == (2, 3)


@pytest.mark.parametrize(
    "value",
    [
        Layout((2, 3)),
        Layout((4, 8), (8, 1), (3, 5)),
        XlaShape("f32", (2, 3), tiles=[(2, 2)]),
        Swizzle(2, 0, 3),
        ComposedLayout(Swizzle(2, 0, 3), 5, Layout((8, 8), (8, 1))),
    ],
)
def test_what_prints_reads_back(value: object) -> None:
    assert read(str(value)) == value


@pytest.mark.parametrize(
    ("text", "summary", "column"),
    [
        ("", "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA", 1),
        ("   ", "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA", 4),
        ("bad", "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA", 1),
        ("  f32", "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA", 3),
        ("True", "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA", 1),
        (":(1)", "expected a shape, found ':'", 1),
        ("(2,3):(1)", "shape (2,3) and stride (1) are not congruent", 1),
        ("(2,3", "expected ',' or ')' of the '(' in column 1", 5),
        ("4.5", "expected a shape, found '4.5'", 1),
        ("_", "'_' alone keeps a mode when slicing", 1),
        ("f32[3,5]{0,0}", "minor_to_major {0,0} is not an order of 2 dims", 10),
        ("[2]", "expected an element type such as f32", 1),
        (" Sw<2,0,3> o 0 o (8,8):", "expected a stride", 24),
        ("f32[3,5]{1,0:T(2,2)", "expected '}' at the end of the layout, found the end of text", 20),
        ("(f32[2], (u8[3], s8[4])", "expected ')' or ',' in the tuple of shapes", 24),
        ("(d0)[s0] -> (s0, d0)", "this is an indexing map, or its bounds, and no layout", 1),
        ("d0 + s0 in [0, 20]", "this is an indexing map, or its bounds, and no layout", 1),
        ("domain: d_i in [0, 9]", "this is an indexing map, or its bounds, and no layout", 1),
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


def test_the_error_underlines_the_word_and_says_how_an_element_type_goes_on() -> None:
    for text, hints in (
        ("  f32 x", ("A shape has dims: f32[2,3], or f32[] for a scalar.",)),
        (" bad", ()),
    ):
        with pytest.raises(ParseError) as caught:
            read(text)
        assert text[caught.value.start : caught.value.end] == text.split()[0]
        assert caught.value.details == hints


@pytest.mark.parametrize(
    "text",
    [
        *("(" * 10**5, "[" * 10**5, "(" * 10**5 + "[", "f32[" * 10**5),
        *(
            " " * 10**5,
            " " * 10**5 + ":%{",
            "x:%y{" + " " * 10**5,
            "x:" * 10**5,
            "x:" + "y." * 10**5 + "?",
        ),
    ],
    ids=[
        *("tuples", "brackets", "shapes", "dims"),
        *("spaces", "no pointer", "no way", "colons", "a long name"),
    ],
)
def test_a_long_text_is_an_error_like_any_other(text: str) -> None:
    with pytest.raises(ParseError):
        read(text)


# --- an instruction of a file ---

HLO = """HloModule m
%c (x: f32[2]) -> f32[2] {
  %x = f32[2]{0:T(128)} parameter(0)
  ROOT %y.1 = f32[2] negate(%x)
}
ENTRY %e (x: f32[3]) -> (f32[2], (u8[4], s32[])) {
  %x = f32[3] parameter(0)
  %f = f32[2] fusion(%x), kind=kLoop, calls=%c
  %u = u8[4]{0:S(1)} custom-call(%f)
  %s = s32[] constant(1)
  %v = (u8[4]{0:S(1)}, s32[]) tuple(%u, %s)
  ROOT %tuple-1 = (f32[2], (u8[4]{0:S(1)}, s32[])) tuple(%f, %v)
}
"""

LONG = "9" * 5000


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "m.hlo"
    path.write_text(HLO)
    return str(path)


@pytest.mark.parametrize(
    ("pointer", "shape"),
    [
        ("%f", "f32[2]"),
        ("%y.1", "f32[2]"),
        ("%u", "u8[4]{0:S(1)}"),
        ("%e/%x", "f32[3]"),
        ("%c/%x", "f32[2]{0:T(128)}"),
        ("%tuple-1", "(f32[2], (u8[4]{0:S(1)}, s32[]))"),
        ("%tuple-1#0", "f32[2]"),
        ("%tuple-1#1", "(u8[4]{0:S(1)}, s32[])"),
        ("%tuple-1#1#0", "u8[4]{0:S(1)}"),
        ("%e/%tuple-1#1#1", "s32[]"),
        ("%tuple-1{}", "(f32[2], (u8[4]{0:S(1)}, s32[]))"),
        ("%tuple-1{0}", "f32[2]"),
        ("%tuple-1{1,0}", "u8[4]{0:S(1)}"),
        ("%e/%tuple-1{ 1, 1 } ", "s32[]"),
        ("%f \n", "f32[2]"),
    ],
)
def test_an_instruction_of_a_file(file: str, pointer: str, shape: str) -> None:
    assert read(f"{file}:{pointer}") == parse_shape(shape)
    assert read(f"  {file}:{pointer}") == parse_shape(shape)


@pytest.mark.parametrize(
    ("pointer", "summary", "found", "detail"),
    [
        ("%g", "{file} has no instruction %g", "g", ""),
        ("%tuple-2", "{file} has no instruction %tuple-2", "tuple-2", "Near names: %tuple-1."),
        ("%c/%f", "{file} has no instruction %f in %c", "f", ""),
        ("%x", "{file} has %x in 2 computations", "x", "Say in which one, as {file}:%c/%x."),
        ("%f#0", "f32[2]{{0}} has no elements: it is no tuple", "#0", ""),
        ("%f{0}", "f32[2]{{0}} has no elements: it is no tuple", "{0}", ""),
        ("%tuple-1{2}", "the tuple has 2 elements, no element 2", "{2}", "They are counted from 0."),
        (
            "%tuple-1{0}{1}",
            "expected an element as {{i}} or #i, or nothing more, found '{{0}}{{1}}'",
            "{0}{1}",
            "",
        ),
        ("%f{a}", "expected an element as {{i}} or #i, or nothing more, found '{{a}}'", "{a}", ""),
        ("%f#", "expected an element as {{i}} or #i, or nothing more, found '#'", "#", ""),
        ("%1", "expected the name of an instruction, found '1'", "1", ""),
        ("%", "expected the name of an instruction, found the end of text", "", ""),
        ("%c/%", "expected the name of an instruction, found the end of text", "", ""),
        ("f", "the name of an instruction begins with '%', found 'f'", "f", "Write {file}:%f."),
        (
            "tuple-1{1,0}",
            "the name of an instruction begins with '%', found 'tuple-1{{1,0}}'",
            "tuple-1{1,0}",
            "Write {file}:%tuple-1{{1,0}}.",
        ),
        ("c/x", "the name of an instruction begins with '%', found 'x'", "x", "Write {file}:%c/%x."),
        ("%c/x", "the name of an instruction begins with '%', found 'x'", "x", "Write {file}:%c/%x."),
        ("%tuple-1#0#0", "f32[2]{{0}} has no elements: it is no tuple", "#0#0", ""),
        ("%tuple-1#2", "the tuple has 2 elements, no element 2", "#2", "They are counted from 0."),
        (
            "%v#" + "9" * 5000,
            "the tuple has 2 elements, no element 999999999999999999",
            "#" + "9" * 5000,
            "",
        ),
    ],
)
def test_an_instruction_that_is_not_there(
    file: str, pointer: str, summary: str, found: str, detail: str
) -> None:
    text = f"{file}:{pointer}"
    with pytest.raises(ParseError) as caught:
        read(text)
    error = caught.value
    assert error.summary == summary.format(file=file)
    assert (error.text, error.text[error.start : error.end]) == (text, found)
    assert detail.format(file=file) in "".join(error.details)


def test_the_name_of_every_buffer_that_a_report_prints_is_read(file: str) -> None:
    """`tla hlo` and this reader write one way into a tuple."""
    from tla.hlo import read_module
    from tla.memory import AliasedValue, Buffer, module_buffers

    path = str(Path(__file__).parent / "data" / "tpu_hlo" / "v5e_attention_train.hlo")
    for name in (path, file):
        module = read_module(Path(name).read_text("utf-8"))
        arrays: list[Buffer | AliasedValue] = []
        for each in module_buffers(module):
            arrays += [*each.buffers[:9], *each.aliases[:9]]
        assert any("{" in array.label for array in arrays)
        for array in arrays[-40:]:
            assert read(f"{name}:%{array.computation}/{array.label}") == array.shape


def test_a_layout_means_the_same_whatever_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = read("M:f")
    (tmp_path / "M").write_text(HLO)
    assert read("M:f") == before
    assert read("M:%f") == parse_shape("f32[2]")


def test_a_file_that_is_not_there(file: str) -> None:
    for path in (f"{file}x", str(Path(file).parent), "a\0b"):
        with pytest.raises(FileError, match="cannot read") as caught:
            read(f"{path}:%x")
        assert caught.value.path == path


def test_a_file_that_is_no_module(file: str) -> None:
    Path(file).write_text('{"a": 1}')
    with pytest.raises(ModuleError, match="expected a computation") as caught:
        read(f"{file}:%x")
    assert caught.value.summary.startswith(f"{file}: ")
    Path(file).write_bytes(b"\xff\xff")
    with pytest.raises(FileError, match=r"m\.hlo is not text: byte 0 is not UTF-8"):
        read(f"{file}:%x")


def test_a_file_that_breaks_off_is_read_to_there(file: str) -> None:
    Path(file).write_text(HLO[: HLO.index("  %u")])
    assert read(f"{file}:%f") == parse_shape("f32[2]")
    with pytest.raises(ModuleError, match="found the end of text"):
        read(f"{file}:%u")


@pytest.mark.parametrize("text", [":%", ":%x", "a:%", "a:%1", "a:%x#", "a:%x#y", "(2,3):%x"])
def test_what_points_at_nothing_is_no_pointer(text: str) -> None:
    with pytest.raises((ParseError, FileError)) as caught:
        read(text)
    assert text.split(":")[0] in str(caught.value)


def test_an_instruction_gives_the_shape_of_its_result() -> None:
    text = "add.936 = bf16[8,1]{0,1:T(8,128)(2,1)} add(exponential.183, broadcast.3115)"
    assert str(read(text)) == "bf16[8,1]{0,1:T(8,128)(2,1)}"
    assert str(read("ROOT %n = negate(f32[2,3] y)")) == "f32[2,3]{1,0}"
    with pytest.raises(ParseError, match="the shape of operand y is not known"):
        read("n = negate(y)")
