"""Reading XLA shape text in three modes, and what the errors point at."""

from __future__ import annotations

import pickle
import re
from typing import TYPE_CHECKING, Any

import pytest
from cases import over

from tla import LayoutError, ParseError
from tla.xla_bridge import (
    MODES,
    XlaBuffer,
    XlaShape,
    XlaTuple,
    logical_bytes,
    parse_array,
    parse_shape,
    parse_shape_at,
    physical_elements,
    to_layout,
)

from .rows import STRINGS, TILED

if TYPE_CHECKING:
    from tla.xla_bridge import Mode


@pytest.mark.parametrize("mode", MODES)
def test_canonical_text_is_a_fixpoint(mode: Mode) -> None:
    texts = [row["text"] for row in TILED]
    assert [str(parse_shape(text, mode)) for text in texts] == texts


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("f32[3,5]", "f32[3,5]{1,0}"),
        ("f32[]", "f32[]"),
        ("f32[]{:T(128)}", "f32[]{:T(128)}"),
        ("f32[008]", "f32[8]{0}"),
        ("s4[2,2]{1,0:T(8,128)(8,1)E(4)}", "s4[2,2]{1,0:T(8,128)(8,1)E(4)}"),
        ("f32[3]{0:L(1)E(0)S(0)}", "f32[3]{0}"),
        ("f32[3]{0:T(2)L(4)E(8)S(-1)}", "f32[3]{0:T(2)L(4)E(8)S(-1)}"),
        ("f32[2,3]{1,0:T(*,3)}", "f32[2,3]{1,0:T(*,3)}"),
        ("f32 [ 3 , 5 ]\t{ 1 , 0 : T ( 2 , 2 ) }\r\n", "f32[3,5]{1,0:T(2,2)}"),
        ("f32[3]/* three */{0} // elements", "f32[3]{0}"),
        ("(f32[2], (u8[], token[]))", "(f32[2]{0}, (u8[], token[]))"),
        ("(f32[2],/*index=1*/ f32[2])", "(f32[2]{0}, f32[2]{0})"),
        ("()", "()"),
        ("f32[<=5,?,3]", "f32[<=5,?,3]{2,1,0}"),
        ("f32[ <= 5 , ? ]{0,1:T(2,2)}", "f32[<=5,?]{0,1:T(2,2)}"),
        ("f32[<=0]{0:T(8)S(1)}", "f32[<=0]{0:T(8)S(1)}"),
        ("f32[3,5]{1,0:T(2,2)L(4)E(4)S(3)SC(1:2)M(9)}", "f32[3,5]{1,0:T(2,2)L(4)E(4)S(3)SC(1:2)M(9)}"),
        ("f32[3,5]{0,1:SC(0:2,4)(1:)}", "f32[3,5]{0,1:SC(0:2,4)(1:)}"),
        ("f32[<=3]{0: SC ( 0 : 2 ) M ( 0 ) }", "f32[<=3]{0:SC(0:2)}"),
        ("f32[?,3]{1,0:SC(1:2)}", "f32[?,3]{1,0:SC(1:2)}"),
        ("f32[3,5]{1,0:D(D,D)T(2)}", "f32[3,5]{1,0:T(2)}"),  # dense is all that XLA places
        ("f32[3]{0:D()}", "f32[3]{0}"),
        ("b(f32[3])", "b(f32[3]{0})"),
        ("b ( s4[2,2]{0,1:T(2)E(4)S(1)} )", "b(s4[2,2]{0,1:T(2)E(4)S(1)})"),
        ("((f32[3]), b(s32[]), opaque[])", "((f32[3]{0}), b(s32[]), opaque[])"),
        ("f32[-0]", "f32[0]{0}"),
        (f"f32[{'0' * 40}8]", "f32[8]{0}"),
        ("u1[9223372036854775807]", "u1[9223372036854775807]{0}"),
        ("c128[0,9223372036854775807,2]", "c128[0,9223372036854775807,2]{2,1,0}"),
        ("f32[3] // a line\r{0:T(2)}", "f32[3]{0:T(2)}"),  # a line ends at either of its characters
    ],
)
def test_all_modes_read(text: str, canonical: str) -> None:
    assert {str(parse_shape(text, mode)) for mode in MODES} == {canonical}
    assert str(parse_shape(canonical, "strict")) == canonical


def test_the_text_read_is_kept() -> None:
    shape = parse_shape(" F32[3] ")
    assert (shape.text, str(shape)) == ("F32[3]", "f32[3]{0}")
    both = parse_shape("(f32[3], U8[]{:T(4)})")
    assert isinstance(both, XlaTuple)
    assert both.text == "(f32[3], U8[]{:T(4)})"
    assert [element.text for element in both.elements] == ["f32[3]", "U8[]{:T(4)}"]
    buffer = parse_shape("  b( F32[3] ) // held")
    assert isinstance(buffer, XlaBuffer)
    assert (buffer.text, buffer.array.text) == ("b( F32[3] )", "F32[3]")
    assert parse_shape(" f32[3]{0:#(f32 } ", "xla").text == "f32[3]{0:#(f32 }"


# --- what XLA itself reads ---


def verdict(row: dict[str, Any], mode: Mode) -> str | None:
    """The canonical text, or None where the text is refused."""
    try:
        return str(parse_shape(row["text"], mode))
    except ParseError:
        return None


def test_mode_xla_reads_what_xla_reads() -> None:
    """Source: jaxlib 0.10.2 on 450 texts; where it dies, the text is refused."""
    assert [verdict(row, "xla") for row in STRINGS] == [row.get("canonical") for row in STRINGS]
    assert [row["verdict"] == "ok" for row in STRINGS] == ["canonical" in row for row in STRINGS]


@over(
    "row", [row for row in STRINGS if row.get("kind") == "array"], ids=lambda row: str(row["text"])[:40]
)
def test_mode_xla_reads_the_fields_that_xla_reads(row: dict[str, Any]) -> None:
    (shape,) = parse_shape(row["text"], "xla").arrays()
    unknown = -(2**63)  # what XLA holds for "?"
    texts = map(str, shape.dimensions)
    assert [unknown if text.startswith("d") else int(text) for text in texts] == row["dims"]
    assert list(shape.minor_to_major) == row["minor_to_major"]
    assert [list(tile) for tile in shape.tiles] == row["tiles"]
    assert shape.element_size_in_bits == row["element_size_in_bits"]
    assert shape.is_static == row["is_static"]


def test_mode_strict_accepts_nothing_that_xla_rejects() -> None:
    read = {row["text"]: verdict(row, "strict") for row in STRINGS if verdict(row, "strict")}
    assert len(read) == 163
    assert read == {row["text"]: row["canonical"] for row in STRINGS if row["text"] in read}


def test_documents_mean_what_xla_reads() -> None:
    """A text that both read is one shape to both."""
    both = [row for row in STRINGS if row.get("canonical") and verdict(row, "document")]
    assert len(both) == 163
    assert [verdict(row, "document") for row in both] == [row["canonical"] for row in both]


NO_LAYOUTS = [
    ("f32[3,5]{1,1}", "f32[3,5]{1,1}", "is not an order of 2 dims"),
    ("f32[3]{-1}", "f32[3]{-1}", "is not an order of 1 dim"),
    ("f32[3]{18446744073709551615}", "f32[3]{-1}", "is not an order of 1 dim"),
    ("f32[3]{0:T}", "f32[3]{0:T()}", "a tile needs at least one entry"),
    ("f32[3]{0:T(8)(}", "f32[3]{0:T(8)()}", "a tile needs at least one entry"),
    ("f32[3]{0:T(0)}", "f32[3]{0:T(0)}", "tile entry 0 is not positive"),
    ("f32[3]{0:T(*)}", "f32[3]{0:T(*)}", "ends in '*'"),
    ("f32[3]{0:T(9223372036854775808)}", "f32[3]{0:T(*)}", "ends in '*'"),
    ("f32[3]{0:E(-4)}", "f32[3]{0:E(-4)}", "element size E(-4) is negative"),
    ("f32[3]{0:E(9223372036854775808)}", "f32[3]{0:E(-9223372036854775808)}", "is negative"),
    ("f32[3]{0:#(u8)*(u16)}", "f32[3]{0:#(u8)*(u16)}", "index type #(u8) is of a sparse array"),
    ("f32[3]{0:*u16}", "f32[3]{0:*(u16)}", "pointer type *(u16) is of a sparse array"),
    ("f32[3]{0:#(f32}", "f32[3]{0:#(invalid)}", "index type #(invalid) is of a sparse array"),
    ("f32[3]{0:#(pred)}", "f32[3]{0:#(invalid)}", "index type #(invalid) is of a sparse array"),
    ("f32[3]{0:SC(1:1)}", "f32[3]{0:SC(1:1)}", "is of physical dim 1"),
    ("f32[3]{0:SC(0:3)}", "f32[3]{0:SC(0:3)}", "split (0:3) has an index out of place, 3"),
    ("f32[?]{0:SC(0:1)}", "f32[?]{0:SC(0:1)}", "split (0:1) cuts a dim of unknown size"),
    ("f32[4294967296,4294967296]", "f32[4294967296,4294967296]{1,0}", "elements does not fit"),
    ("f32[?,4611686018427387904]", "f32[?,4611686018427387904]{1,0}", "bytes does not fit"),
    ("b(f32[3]{5})", "b(f32[3]{5})", "is not an order of 1 dim"),
]


@pytest.mark.parametrize(("text", "canonical", "rule"), NO_LAYOUTS, ids=lambda x: str(x)[:40])
def test_shapes_that_are_no_layout(text: str, canonical: str, rule: str) -> None:
    """XLA reads them where they stand alone, and its validator refuses them: so does `validate`."""
    shape = parse_shape(text, "xla")
    assert str(shape) == canonical
    with pytest.raises(LayoutError, match=re.escape(rule)):
        shape.validate()
    (array,) = shape.arrays()
    for function in (physical_elements, logical_bytes, to_layout):
        with pytest.raises(LayoutError, match=re.escape(rule)):
            function(array)
    for mode in MODES:
        if mode != "xla" or "*" not in canonical.replace("*(", ""):  # XLA's validator takes T(*)
            with pytest.raises(ParseError):
                parse_shape(f"({text})", mode)
    assert shape == parse_shape(text, "xla") == pickle.loads(pickle.dumps(shape))
    assert eval(repr(shape)) == shape
    with pytest.raises(LayoutError, match=re.escape(rule)):
        pickle.loads(pickle.dumps(shape)).validate()


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("f32[3]{0:T(8}", "f32[3]{0:T(8)}"),
        ("f32[3]{0:T(8,}", "f32[3]{0:T(8)}"),
        ("f32[16384,128]{1,0:T(8L(1024}", "f32[16384,128]{1,0:T(8)L(1024)}"),
        ("f32[3]{0:S(1}", "f32[3]{0:S(1)}"),
        ("f32[3,5]{1,0:}", "f32[3,5]{1,0}"),
        ("f32[3]{0:S}", "f32[3]{0}"),
        ("f32[3]{0:L}", "f32[3]{0}"),
        ("f32[3]{0:T(8)E(}", "f32[3]{0:T(8)}"),
        ("f32[3]{0:T(8,L(4)}", "f32[3]{0:T(8)L(4)}"),
        ("f32[3]{0:T(8)(2}", "f32[3]{0:T(8)(2)}"),
        ("f32[3]{0:S(127)}", "f32[3]{0:S(127)}"),
        ("f32[3]{0:S(128)}", "f32[3]{0:S(-128)}"),
        ("f32[3]{0:S(255)}", "f32[3]{0:S(-1)}"),
        ("f32[3]{0:S(256)}", "f32[3]{0}"),
        ("f32[<=-9223372036854775808]", "f32[?]{0}"),
        ("f32[<=9223372036854775808]", "f32[?]{0}"),
        ("f32[3]{0:S(18446744073709551615)}", "f32[3]{0:S(-1)}"),
        ("f32[3]{0:M(-1)}", "f32[3]{0}"),
        ("f32[3]{0:M(4}", "f32[3]{0:M(4)}"),
        ("f32[3]{0:#}", "f32[3]{0}"),
        ("f32[3]{0:#(* E S SC M}", "f32[3]{0}"),
        ("f32[3]{0:D(C+,S~)}", "f32[3]{0}"),
        ("f32[3]{0:D(D,T(2)}", "f32[3]{0:T(2)}"),
        ("f32[3]{0:SC(0:1,}", "f32[3]{0:SC(0:1)}"),
        ("f32[3]{0:SC(0:1)(}", "f32[3]{0:SC(0:1)}"),
        ("f32[3]{0:SC(0 M(2)}", "f32[3]{0:SC(0:)M(2)}"),
    ],
)
def test_leniencies_of_xla(text: str, canonical: str) -> None:
    """XLA drops what it cannot finish, and keeps a memory space in eight bits."""
    assert str(parse_shape(text, "xla")) == canonical
    if text != canonical:
        with pytest.raises(ParseError):
            parse_shape(text, "strict")
        with pytest.raises(ParseError):
            parse_shape(text, "document")


@pytest.mark.parametrize(
    "text",
    [
        # a letter and what follows it are one word to XLA's lexer, which is no attribute
        "f32[3]{0:S1)}",
        "f32[3]{0:T(8)S1}",
        "f32[3]{0:L4}",
        "f32[3]{0:T(8)E4)}",
        "f32[3]{0:T(8)S-1)}",
        "f32[3]{0:LS(1)}",
        "f32[3]{0:T(8)L(4)E4S(1)}",
        # a value needs its parenthesis
        "f32[3]{0:S 1)}",
        "f32[3]{0:T8)}",
        # an unfinished tile may end the tiles, but no other tile may follow it
        "f32[3]{0:T(8(2)}",
        "f32[3]{0:T(8,(2)}",
        # a number with a letter in it is no number
        "f32[3]{0:T(1E8)}",
        "f32[3]{0:T(1L28)}",
        "f32[3]{0:T(8,L2)}",
        "f32[3]{0:L(16E4)}",
        "f32[3]{0:E(S2)}",
        "f32[3]{0:S(18446744073709551616)}",
        "f32[3]{0:S(-9223372036854775809)}",
        # what XLA dies of
        "f32[3]{0:T(-1)}",
        "f32[3]{0:T(8)(2,-3}",
        "f32[3]{0:L(0}",
        "f32[3]{0:L(9223372036854775808)}",
        "token[]{:}",
        "opaque[3]",
        # relics
        "f32[3]{0:P}",
        "f32[3]{0:P(f32[3])}",
        "f32[3]{0:D(X)}",
        "f32[3]{0:#(u32E(4)}",
        # a comment is one token, without a character 0
        "f32[3]/*\0*/",
        "f32[3]//\0",
        # what is in a buffer
        "b(token[])",
        "b((f32[3]))",
        "b(b(f32[3]))",
        "b()",
        "b(f32[3]",
    ],
)
def test_leniencies_end_somewhere(text: str) -> None:
    """Source: jaxlib 0.10.2, which rejects each of these."""
    with pytest.raises(ParseError):
        parse_shape(text, "xla")


# --- what people write ---


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("F32[3,5]{1,0:T(2,2)}", "f32[3,5]{1,0:T(2,2)}"),  # tiled_layout.md
        ("F32[3,5]{1,0:T(2;2)}", "f32[3,5]{1,0:T(2,2)}"),  # its German translation
        ("F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"),
        ("f32[2,3]{1,0:T(-1,3)}", "f32[2,3]{1,0:T(*,3)}"),
        ("f32[3,5]<1,0:T(2,2)>", "f32[3,5]{1,0:T(2,2)}"),
        ("BF16[8]{0:T(4;2)(2;1)S(1)}", "bf16[8]{0:T(4,2)(2,1)S(1)}"),
        ("F8E4M3B11FNUZ[2]", "f8e4m3b11fnuz[2]{0}"),
        ("(Pred[2], TOKEN[])", "(pred[2]{0}, token[])"),
    ],
)
def test_document_spellings(text: str, canonical: str) -> None:
    assert str(parse_shape(text)) == canonical
    assert parse_shape(text) == parse_shape(text, "document") == parse_shape(canonical, "strict")
    strict_modes: list[Mode] = ["strict", "xla"]
    for mode in strict_modes:
        if text != canonical:
            with pytest.raises(ParseError):
                parse_shape(text, mode)


def test_strict_says_that_document_reads_upper_case() -> None:
    with pytest.raises(ParseError, match="XLA writes the type in lower case, f32; mode 'document'") as e:
        parse_shape("(bf16[2], F32[3])", "strict")
    assert (e.value.column, e.value.end - e.value.start) == (11, 3)


def test_an_unknown_mode_is_named() -> None:
    with pytest.raises(ValueError, match="document, strict, xla; got 'lenient'"):
        parse_shape("f32[3]", "lenient")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- bad input: the sentence, the column of the caret and its width ---

ATTRIBUTES = "(D T L # * E S SC P M)"
PERMUTATION = "minor_to_major {} is not an order of {} dims"


@pytest.mark.parametrize(
    ("text", "summary", "column", "width"),
    [
        # the end of text
        ("", "expected an element type such as f32, found the end of text", 1, 1),
        ("f32", "expected '[' and the dims after the element type, found the end of text", 4, 1),
        ("f32[3", "expected ']' or ',' after a dim, found the end of text", 6, 1),
        ("f32[3,5]{1,0", "expected ',', ':' or '}' after a dim number, found the end of text", 13, 1),
        ("f32[3,5]{1,0:T(2,2", "expected ')' or ',' in a tile, found the end of text", 19, 1),
        ("(f32[2]", "expected ')' or ',' in the tuple of shapes, found the end of text", 8, 1),
        ("(()", "expected ')' or ',' in the tuple of shapes, found the end of text", 4, 1),
        # more than a shape
        ("f32[2]{0} x", "expected the end of text, found 'x'", 11, 1),
        ("(f32[2]))", "expected the end of text, found ')'", 9, 1),
        ("(f32[2]){0}", "expected the end of text, found '{'", 9, 3),
        ("f32[3]/* open", "expected the end of text, found a comment without its '*/'", 7, 7),
        ("f32[3/* open", "expected ']' or ',' after a dim, found a comment without its '*/'", 6, 1),
        ("f32[3]/", "expected the end of text, found '/'", 7, 1),
        # dims
        ("f32[3,]", "expected a dim, found ']'", 7, 1),
        ("f32[3;5]", "expected ']' or ',' after a dim, found ';'", 6, 1),
        ("f32[-1]", "dim -1 is negative", 5, 2),
        ("f32[3.5]", "expected ']' or ',' after a dim, found '.'", 6, 1),
        ("f32[0x8]", "expected ']' or ',' after a dim, found 'x'", 6, 1),
        ("f32[+3]", "expected a dim, found '+'", 5, 1),
        ("f32[3,<=]", "expected a bound, found ']'", 9, 1),
        ("f32[<=-5]", "bound -5 is negative", 5, 4),
        ("f32[<5]", "expected a dim, found '<'", 5, 1),
        ("f32[< =5]", "expected a dim, found '<'", 5, 1),
        ("f32[<=?]", "expected a bound, found '?'", 7, 1),
        ("f32[?8]", "expected ']' or ',' after a dim, found '8'", 6, 1),
        ("f32[8?]", "expected ']' or ',' after a dim, found '?'", 6, 1),
        ("f32[<=9223372036854775807,2]", "the number of elements does not fit in 64 bits", 1, 28),
        ("f32[?,9223372036854775807]", "the size in bytes does not fit in 64 bits", 1, 26),
        ("f32[<=-9223372036854775808]", "bound -9223372036854775808 is negative", 5, 22),
        ("f32[\N{ARABIC-INDIC DIGIT THREE}]", "expected a dim, found '\u0663'", 5, 1),
        ("f32[99999999999999999999]", "a dim does not fit in 64 bits", 5, 20),
        (f"f32[{'9' * 5000}]", "an int of 5000 digits; at most 4300 are read", 5, 5000),
        ("f32[4294967296,4294967296]", "the number of elements does not fit in 64 bits", 1, 26),
        ("[2]", "expected an element type such as f32, found '['", 1, 1),
        # minor_to_major
        ("f32[3,5]{}", "an empty layout {}: leave it out", 10, 1),
        ("f32[]{}", "an empty layout {}: leave it out", 7, 1),
        ("f32[3,5]{0,0}", PERMUTATION.format("{0,0}", 2), 10, 3),
        ("f32[3,5]{2,0}", PERMUTATION.format("{2,0}", 2), 10, 3),
        ("f32[3,5]{0}", PERMUTATION.format("{0}", 2), 10, 1),
        ("f32[]{0}", PERMUTATION.format("{0}", 0), 7, 1),
        ("(u8[], f32[3,5]{0,0})", PERMUTATION.format("{0,0}", 2), 17, 3),
        ("f32[3,5]{1,}", "expected a dim number, found '}'", 12, 1),
        ("f32[3,5]<1,0}", "expected ',', ':' or '>' after a dim number, found '}'", 13, 1),
        # attributes
        ("f32[3]{0:S(1)T(2)}", "T must stand before S: the order is D T L # * E S SC P M", 14, 1),
        ("f32[3]{0:E(4)L(4)}", "L must stand before E: the order is D T L # * E S SC P M", 14, 1),
        ("f32[3]{0:T(2)T(2)}", "T is given twice", 14, 1),
        ("f32[3]{0:S(1)S(2)}", "S is given twice", 14, 1),
        (
            "f32[3]{0:T(2),S(1)}",
            "no ',' stands between layout attributes",
            14,
            1,
        ),
        (
            "f32[3]{0:X(1)}",
            "expected a layout attribute (D T L # * E S SC P M) or '}', found 'X'",
            10,
            1,
        ),
        ("f32[3]{0:L(0)}", "tail padding L(0) is not positive", 10, 4),
        ("f32[3]{0:E(-4)}", "element size E(-4) is negative", 10, 5),
        ("f32[3]{0:S}", "expected '(' after S, found '}'", 11, 1),
        ("f32[3]{0:S(1}", "expected ')' after the value of S, found '}'", 13, 1),
        ("f32[3]{0:S(128)}", "memory space S(128) does not fit in 8 bits", 10, 6),
        ("f32[3]{0:L(9223372036854775808)}", "the value of L does not fit in 64 bits", 12, 19),
        # tiles
        ("f32[3]{0:T}", "expected '(' of a tile after T, found '}'", 11, 1),
        ("f32[3]{0:T()}", "expected a tile size or '*', found ')'", 12, 1),
        ("f32[3]{0:T(0)}", "tile size 0 is not positive", 12, 1),
        ("f32[3,5]{1,0:T(2,0)}", "tile size 0 is not positive", 18, 1),
        ("f32[3,5]{1,0:T(2,-2)}", "tile size -2 is not positive", 18, 2),
        ("f32[3,5]{1,0:T(2,)}", "expected a tile size or '*', found ')'", 18, 1),
        ("f32[3,5]{1,0:T(2,2)(}", "expected a tile size or '*', found '}'", 21, 1),
        (
            "f32[3,5]{1,0:T2,2)}",
            "expected a layout attribute (D T L # * E S SC P M) or '}', found 'T2'",
            14,
            2,
        ),
        ("f32[3,5]{1,0:T(2,*)}", "tile (2,*) ends in '*'", 15, 5),
        # tuples
        ("(f32[2],)", "expected an element type such as f32, found ')'", 9, 1),
        ("(f32[2] u8[])", "expected ')' or ',' in the tuple of shapes, found 'u'", 9, 1),
        # types without data
        ("token[3]", "token carries no data: it has no dims and no layout", 1, 8),
        ("token[]{:T(2)}", "token carries no data: it has no layout", 8, 1),
        # buffers
        ("(u8[], b((f32[3])))", "expected an element type such as f32, found '('", 10, 1),
        ("b(b(f32[3]))", "'b' is not an XLA element type", 3, 1),
        ("b(token[])", "token[] carries no data: it has no buffer", 3, 7),
        ("b(f32[3]", "expected ')' at the end of the buffer, found the end of text", 9, 1),
        ("b(f32[3]{1})", "minor_to_major {1} is not an order of 1 dim", 10, 1),
        # splits
        ("f32[3]{0:SC}", "expected '(' of a split after SC, found '}'", 12, 1),
        ("f32[3]{0:SC()}", "expected the physical dim of a split, found ')'", 13, 1),
        ("f32[3]{0:SC(0)}", "expected ':' after the physical dim of a split, found ')'", 14, 1),
        ("f32[3]{0:SC(0:1,)}", "expected a split index, found ')'", 17, 1),
        ("f32[3]{0:SC(0:1}", "expected ')' or ',' in a split, found '}'", 16, 1),
        (
            "f32[3]{0:SC(1:1)}",
            "split (1:1) is of physical dim 1, which the shape does not have",
            10,
            7,
        ),
        ("f32[3,5]{0,1:SC(0:5)}", "split (0:5) has an index out of place, 5", 14, 7),
        ("f32[3]{0:S(1)SC(0:0)}", "split (0:0) has an index out of place, 0", 14, 7),
        ("f32[9]{0:SC(0:2,2)}", "split (0:2,2) has an index out of place, 2", 10, 9),
        ("f32[3]{0:SC(0:1)(0:2)}", "split (0:2) is the second of physical dim 0", 10, 12),
        # the metadata prefix
        ("f32[3]{0:M(-1)}", "metadata prefix M(-1) is negative", 10, 5),
        ("f32[3]{0:M(4)S(1)}", "S must stand before M: the order is D T L # * E S SC P M", 14, 1),
        # what sparse arrays have left behind
        (
            "f32[3]{0:D(C+)T(2)}",
            "dim level types D(C+) are of a sparse array: all that is read is D",
            10,
            5,
        ),
        ("f32[3]{0:D(X)}", "expected a dim level type (D, C, S or H), found 'X'", 12, 1),
        ("f32[3]{0:#(u32)}", "index type #(u32) is of a sparse array", 10, 6),
        ("f32[3]{0:T(2)*(u32)}", "pointer type *(u32) is of a sparse array", 14, 6),
        ("f32[3]{0:#(f33)}", "expected an integer type, found 'f'", 12, 1),
        ("f32[3]{0:#u32}", "expected '(' after #, found 'u'", 11, 1),
        (
            "f32[3]{0:S(1)P(u8[])}",
            "a physical shape P(...) is of a sparse array: XLA refuses it",
            14,
            1,
        ),
    ],
    ids=lambda x: str(x)[:40],
)
def test_bad_text(text: str, summary: str, column: int, width: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse_shape(text)
    error = caught.value
    assert (error.summary, error.column, error.end - error.start) == (summary, column, width)
    assert (error.text, error.line) == (text, 1)
    *_above, shown, carets = str(error).splitlines()
    if len(text) <= 100:
        assert shown == f"    {text}"
        assert carets == f"    {' ' * (column - 1)}{'^' * width}"


@pytest.mark.parametrize(
    ("text", "name", "advice"),
    [
        ("bf61[2]", "bf61", "Did you mean bf16?"),
        ("float32[2]", "float32", "Did you mean f32?"),
        ("f31[2]", "f31", "Did you mean f32 or f16?"),
        ("int[2]", "int", "Did you mean s32?"),
    ],
)
def test_unknown_type_is_met_with_a_suggestion(text: str, name: str, advice: str) -> None:
    with pytest.raises(ParseError, match=f"'{name}' is not an XLA element type") as caught:
        parse_shape(f"(u8[], {text})")
    assert (caught.value.column, caught.value.end - caught.value.start) == (8, len(name))
    assert advice in str(caught.value)


def test_an_order_that_is_none_says_what_it_needs() -> None:
    with pytest.raises(ParseError, match="It needs each of the numbers 0 to 1 once"):
        parse_shape("f32[3,5]{1,1}")
    with pytest.raises(ParseError, match="It needs none: a scalar has no dims"):
        parse_shape("f32[]{0}")


@pytest.mark.parametrize("opened", [101, 1000, 10**5])
def test_deep_tuples_do_not_exhaust_the_stack(opened: int) -> None:
    with pytest.raises(ParseError, match="tuples nested deeper than 100 levels") as caught:
        parse_shape("(" * opened)
    assert caught.value.column == 101
    assert max(map(len, str(caught.value).splitlines())) < 120


def test_tuples_a_hundred_deep_are_read() -> None:
    assert str(parse_shape("(" * 100 + ")" * 100)) == "(" * 100 + ")" * 100


def test_the_caret_stands_in_the_line_of_the_fault() -> None:
    with pytest.raises(ParseError) as caught:
        parse_shape("f32[3]\n{0:\n T(2)\n\t!}")
    assert (caught.value.line, caught.value.column) == (4, 2)
    assert str(caught.value).endswith("line 4, column 2\n     !}\n     ^")


def test_the_caret_stays_in_view_of_a_long_line() -> None:
    text = f"({', '.join(['f32[2]{0}'] * 100)}, f32[-2])"
    with pytest.raises(ParseError) as caught:
        parse_shape(text)
    shown, carets = str(caught.value).splitlines()[-2:]
    assert len(shown) <= 104
    assert shown[carets.index("^") :].startswith("-2])")


# --- a shape inside a longer text ---


def test_parse_shape_at_says_where_the_shape_ends() -> None:
    line = "ROOT %x = (f32[2]{0:T(8)}, u8[]) fusion(%y)"
    shape, end = parse_shape_at(line, 10)
    assert str(shape) == "(f32[2]{0:T(8)}, u8[])"
    assert line[end:] == " fusion(%y)"
    assert shape.text == line[10:end]


def test_parse_shape_at_points_into_the_whole_text() -> None:
    with pytest.raises(ParseError) as caught:
        parse_shape_at("x = f32[2,!]{1,0} negate(y)", 4)
    assert caught.value.column == 11


def test_parse_shape_at_is_strict_unless_told() -> None:
    with pytest.raises(ParseError):
        parse_shape_at("F32[2]", 0)
    assert parse_shape_at("F32[2]", 0, "document") == (XlaShape("f32", (2,)), 6)


def test_an_array_is_no_tuple() -> None:
    assert parse_array("F32[3,5]").dimensions == (3, 5)
    with pytest.raises(ParseError, match="expected one array shape, found a tuple"):
        parse_array("(f32[3], u8[])")
    with pytest.raises(ParseError, match="expected one array shape, found a buffer"):
        parse_array("b(f32[3])")
    assert parse_array("f32[3]{0:T(8}", "xla").tiles == ((8,),)


@pytest.mark.parametrize(
    ("text", "shape", "rest"),
    [
        ("f32[3]{0} negate(x)", "f32[3]{0}", " negate(x)"),
        ("f32[] constant(1)", "f32[]", " constant(1)"),
        ("f32[3] {\n  ROOT x = f32[3] negate(y)\n}", "f32[3]{0}", " {\n  ROOT x = f32[3] negate(y)\n}"),
        ("f32[3]{ }", "f32[3]{0}", "{ }"),
        ("f32[3]\n {0:T(2)}, x", "f32[3]{0:T(2)}", ", x"),
        ("f32[]/* scalar */ {:T(2)}}", "f32[]{:T(2)}", "}"),
        ("(f32[2], /*index=1*/u8[]) x", "(f32[2]{0}, u8[])", " x"),
        ("b(f32[2]) x", "b(f32[2]{0})", " x"),
        ("f32[<=2]->x", "f32[<=2]{0}", "->x"),
        ("token[] {", "token[]", " {"),
    ],
)
def test_where_a_shape_ends(text: str, shape: str, rest: str) -> None:
    """A brace opens a layout where a number or ':' follows it, else a computation, as XLA has it."""
    modes: list[Mode] = [*MODES]
    for mode in modes:
        read, end = parse_shape_at(f"-> {text}", 3, mode)
        assert (str(read), text[end - 3 :]) == (shape, rest)
        assert read.text == text[: end - 3]


# --- one meaning, two ways to read ---

COMMON = [
    "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
    "s4[2,3]{0,1:T(8,128)(8,1)L(2)E(4)S(-1)M(8)}",
    "f32[]{:T(128)S(6)}",
    "f32[3,5]{0,1:SC(0:2,4)(1:)M(3)}",
    "f32[3,5]{0,1:SC(0:2,2)}",
    "f32[]{:SC(0:)}",
    "f32[<=3,5]{0,1:SC(1:2)}",
    "f32[0,3]",
    "u8[1,2,3,4,5,6,7,8,9,10,11]{10,9,8,7,6,5,4,3,2,1,0:S(5)}",
    "f32[3]{0:L(0)}",
    "f32[3,5]{1,1:T(2)}",
    "f32[3,5]{2,0}",
    "f32[3]{0,1}",
    "f32[99999999999,99999999999]{1,0:T(2,2)}",
    "f32[3]{0:}",
    "f32[]{}",
    "token[]",
    "token[]{:S(1)}",
    "f32[3]{0:T(0)}",
    "f32[3]{0:S(128)}",
    "x32[3]{0}",
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", COMMON)
def test_a_blank_changes_nothing(text: str, mode: Mode) -> None:
    """What is read in one step means what the grammar reads, also where it is refused."""
    outcomes = []
    for written in (text, text.replace("[", "[ ", 1)):
        try:
            outcomes.append(repr(parse_shape(written, mode)).replace("[ ", "["))
        except ParseError as error:
            outcomes.append(error.summary)
    assert outcomes[0] == outcomes[1]


def test_a_shape_starts_inside_the_text() -> None:
    with pytest.raises(ValueError, match="starts at 0 or later, not at -1"):
        parse_shape_at("f32[2]", -1)
