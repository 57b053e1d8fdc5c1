"""``tla convert``: the other notations, the memory, the picture."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tla import parse
from tla.xla_bridge import (
    XlaShape,
    combined_layout,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout,
)

from .running import MODULES, process

if TYPE_CHECKING:
    from .running import Run

DOCUMENT = "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}"
PICTURE = """\

         0        1        2
        0   1    0   1    0   1
     +--------+--------+--------+
 0 0 |  0   1 |  4   5 |  8  (9)|
   1 |  2   3 |  6   7 | 10 (11)|
     +--------+--------+--------+
 1 0 | 12  13 | 16  17 | 20 (21)|
   1 |(14)(15)|(18)(19)|(22)(23)|
     +--------+--------+--------+
(n) is padding: 15 of 24 hold data
"""


# --- from XLA ---


def test_the_layout_of_the_document(run: Run) -> None:
    """shapes.md explains this line of HLO."""
    assert run("convert", DOCUMENT) == (
        0,
        f"xla       {DOCUMENT}\n"
        "tla       (_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))\n"
        "elements  167772160\n"
        "memory    335544320 bytes (320.00 MiB), no padding\n",
        "",
    )


def test_a_small_layout_is_drawn(run: Run) -> None:
    """tiled_layout.md: figure 1."""
    assert run("convert", "F32[3,5]{1,0:T(2,2)}") == (
        0,
        "xla       f32[3,5]{1,0:T(2,2)}\n"
        "tla       ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)\n"
        "elements  15 of data, 24 in memory\n"
        "memory    96 bytes, 60 bytes of data, 1.6x\n"
        "padding   dim 0: 3 -> 4 (1.33x); dim 1: 5 -> 6 (1.20x)\n" + PICTURE,
        "",
    )


def test_the_padded_box_and_its_trimmed_form(run: Run) -> None:
    code, out, _err = run("convert", "f32[3,5]{1,0:T(8,128)}")
    assert code == 0
    assert "tla       (_8,_128):(_128,_1):(_3,_5)\ntrimmed   (_3,_5):(_128,_1)\n" in out
    assert "elements  15 of data, 1024 in memory\n" in out
    assert "memory    4096 bytes (4.00 KiB), 60 bytes of data, 68.3x\n" in out
    assert "trimmed" not in run("convert", "f32[3,5]{1,0:T(2,2)}").out


def test_pictures_end_at_256_coordinates(run: Run) -> None:
    assert "+---" in run("convert", "f32[16,16]").out
    assert "+---" not in run("convert", "f32[16,17]").out
    assert "+---" not in run("convert", "f32[0,3]").out


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("f32[3,4]{1,0:T(3,4)(2,3)}", "warning   XLA counts 48 bytes, the tiles take 96: XLA sees"),
        ("f32[2,4]{1,0:T(*,2)}", "warning   XLA's array size has no meaning for f32[2,4]{1,0:T(*,2)}"),
        ("f32[]{:T(128)}", "note      to convert the layout back, give --size 128"),
    ],
)
def test_notes(run: Run, text: str, note: str) -> None:
    assert f"\n{note}" in run("convert", text).out


def test_no_note_where_there_is_nothing_to_say(run: Run) -> None:
    out = run("convert", "f32[3,5]{1,0:T(8,128)}").out
    assert "note" not in out
    assert "warning" not in out


def test_the_size_that_a_note_gives_is_one_that_converts(run: Run) -> None:
    """L(7) rounds 24 up to 28, which no tiles without L give: there is no --size to advise."""
    for text in ("f32[3,5]{1,0:T(2,2)L(7)}", "f32[]{:T(128)}", "f32[5]{0:T(8,128)}"):
        lines = run("convert", text).out.splitlines()
        layout = next(line.split()[1] for line in lines if line.startswith("tla "))
        advice = [line.split()[-1] for line in lines if "give --size" in line]
        if advice:
            assert run("convert", layout, "--size", *advice).code == 0


def test_a_layout_that_does_not_convert_back_says_so(run: Run) -> None:
    code, out, _err = run("convert", "f32[5,9,1,9]{2,1,0,3:T(3,2,3)(6,*,4)}")
    assert code == 0
    assert "note      the layout does not convert back: ((" in out
    assert "is no XLA layout without '*'" in out


def test_a_shape_without_nested_layout(run: Run) -> None:
    code, out, err = run("convert", "f32[3,5]{1,0:T(3,4)(2,3)}")
    assert code == 1
    assert out.startswith("xla       f32[3,5]{1,0:T(3,4)(2,3)}\ntla       none\n")
    assert "reason    f32[3,5]{1,0:T(3,4)(2,3)} has no nested layout with one mode for each dim\n" in out
    assert "elements  15 of data, 48 in memory\n" in out
    assert err.startswith(
        "tla: error: f32[3,5]{1,0:T(3,4)(2,3)} has no nested layout with one mode for each dim\n"
        "  A tile of 3 cuts the digit of size 4 of dim 1 unevenly"
    )


MERGED = "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"


def test_the_layout_over_combined_coordinates(run: Run) -> None:
    """tiled_layout.md, "Combining dimensions using tiling"."""
    code, out, err = run("convert", MERGED)
    combined = combined_layout(parse_shape(MERGED))
    assert code == 1
    assert f"\ncombined  {combined}\n" in out
    assert err
    facts = json.loads(run("convert", MERGED, "--json").out)
    assert facts["combined"] == {
        "tla": str(combined.layout),
        "dims": [[0, 1, 2], [3, 4]],
        "tiles": 0,
        "groups": [[0, 1, 2], [3, 4]],
        "extents": [[2, 7, 8], [11, 10]],
    }
    assert facts["warning"].startswith("XLA's array size has no meaning")
    axes = json.loads(run("convert", "f32[3,5]{1,0:T(3,4)(2,3)}", "--json").out)["combined"]
    assert (axes["dims"], axes["tiles"]) == (None, 1)


def test_a_buffer_is_its_array(run: Run) -> None:
    for option in ([], ["--json"]):
        assert run("convert", "b(f32[3,5]{1,0:T(2,2)})", *option) == run(
            "convert", "f32[3,5]{1,0:T(2,2)}", *option
        )


def test_an_instruction_of_a_file(run: Run) -> None:
    out = run("convert", f"{MODULES}/v5e_pad_window.hlo:%pad.0").out
    assert out.startswith("xla       f32[5,108,80]{1,2,0:T(8,128)S(1)}\ntla ")


def test_a_tuple_is_converted_one_by_one(run: Run) -> None:
    code, out, _err = run("convert", "(f32[2], (u8[3]{0:T(4)}, token[]))")
    assert code == 0
    blocks = [line for line in out.splitlines() if line.startswith("xla ")]
    assert blocks == ["xla       f32[2]{0}", "xla       u8[3]{0:T(4)}", "xla       token[]"]
    assert "xla       token[]\ntla       none\nreason    token[] carries no data: it has no size" in out


# --- from TLA ---


def test_the_type_is_assumed_and_said(run: Run) -> None:
    code, out, _err = run("convert", "((2,2),(2,3)):((2,12),(1,4)):(3,5)")
    assert (code, out) == (
        0,
        "tla       ((2,2),(2,3)):((2,12),(1,4)):(3,5)\n"
        "xla       f32[3,5]{1,0:T(2,2)}  (f32 assumed)\n"
        "elements  15 of data, 24 in memory\n"
        "memory    96 bytes, 60 bytes of data, 1.6x\n"
        "padding   dim 0: 3 -> 4 (1.33x); dim 1: 5 -> 6 (1.20x)\n" + PICTURE,
    )


@pytest.mark.parametrize("dtype", ["bf16", "BF16"])
def test_the_type_given(run: Run, dtype: str) -> None:
    out = run("convert", "(2,3):(3,1)", "--dtype", dtype).out
    assert "xla       bf16[2,3]{1,0}\n" in out
    assert "memory    12 bytes, no padding\n" in out
    assert "assumed" not in out


def test_the_size_given(run: Run) -> None:
    code, out, _err = run("convert", "(3,5):(128,1)", "--size", "1024")
    assert code == 0
    assert "xla       f32[3,5]{1,0:T(8,128)}  (f32 assumed)\n" in out
    assert "elements  15 of data, 1024 in memory\n" in out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["(3,5):(128,1)", "--size", "300"], "(3,5):(128,1) cannot take 300 elements in memory"),
        (
            ["(2,2):(3,2)"],
            "(2,2):(3,2) is no XLA layout without '*': the digits 2:2 of dim 1 and",
        ),
        (["(2,2):(0,1)"], "(2,2):(0,1) is no XLA layout: the digit 2:0 of dim 0 broadcasts"),
        (["(2,2):(2,-1)"], "(2,2):(2,-1) is no XLA layout: the digit 2:-1 of dim 1 runs backwards"),
        (["(2):(1)", "--dtype", "token"], "XLA has no shape for (2):(1): token carries no data"),
    ],
)
def test_a_layout_without_xla_shape(run: Run, arguments: list[str], why: str) -> None:
    code, out, err = run("convert", *arguments)
    assert code == 1
    assert f"xla       none\nreason    {why}" in out
    assert err.startswith(f"tla: error: {why}")
    facts = json.loads(run("convert", *arguments, "--json").out)
    assert facts["xla"] is None
    assert facts["reason"].startswith(why)


# --- dynamic dims ---


def test_a_bounded_dim(run: Run) -> None:
    assert run("convert", "f32[<=5,3]{1,0:T(2,2)}") == (
        0,
        "xla       f32[<=5,3]{1,0:T(2,2)}\n"
        "tla       ((_2,_3),(_2,_2)):((_2,_8),(_1,_4)):(d0{min=0,max=5},_3)\n"
        "trimmed   ((min(2,d0{min=0,max=5}),(d0+1)//2),(_2,_2)):((_2,_8),(_1,_4)):(d0,_3)\n"
        "elements  15 of data at most, 24 in memory\n"
        "memory    96 bytes, 60 bytes of data at most\n"
        "note      for a picture, give a layout with numbers for d0\n",
        "",
    )


def test_an_unknown_dim(run: Run) -> None:
    assert run("convert", "f32[?,3]{0,1:T(2,2)}") == (
        0,
        "xla       f32[?,3]{0,1:T(2,2)}\n"
        "tla       ((_2,(d0{min=0}+1)//2),(_2,_2)):((_1,_4),(_2,4*((d0+1)//2))):(d0,_3)\n"
        "trimmed   ((min(2,d0{min=0}),(d0+1)//2),(_2,_2)):((_1,_4),(_2,4*((d0+1)//2))):(d0,_3)\n"
        "elements  3*d0{min=0} of data, 8*((d0{min=0}+1)//2) in memory\n"
        "memory    32*((d0{min=0}+1)//2) bytes, 12*d0{min=0} bytes of data\n"
        "note      for a picture, give a layout with numbers for d0\n",
        "",
    )


def test_a_layout_with_unknowns(run: Run) -> None:
    out = run("convert", "(M{max=20},K):(K,_1)").out
    assert "xla       f32[<=20,?]{1,0}  (f32 assumed)\n" in out
    assert "elements  20*K of data at most, 20*K in memory\n" in out
    assert "note      for a picture, give a layout with numbers for K, M\n" in out
    code, out, err = run("convert", "(M,K):(ld,1)")
    assert code == 1
    assert "elements  K*M of data, offsets that span" in out
    assert err.startswith("tla: error: (M,K):(ld,1) has no XLA shape: ld is none of its dims")


@pytest.mark.parametrize(
    ("layout", "elements", "memory"),
    [
        ("(M,8):(8,1)", "8*M", "32*M"),
        ("((_16,M/16),K):((1,16),M)", "K*M{div=16}", "4*K*M{div=16}"),
        ("(5,N{min=0}):(N,1)", "5*N{min=0}", "20*N{min=0}"),
        ("(d1,d0,3):(3*d0,3,1)", "3*d0*d1", "12*d0*d1"),
    ],
)
def test_sizes_have_the_names_of_the_layout(run: Run, layout: str, elements: str, memory: str) -> None:
    facts = json.loads(run("convert", layout, "--json").out)
    assert (facts["elements"], facts["physical_bytes"]) == (elements, memory)
    out = run("convert", layout).out
    assert f"elements  {elements} of data, " in out
    assert f"memory    {memory} bytes, " in out


def test_what_depends_on_an_unknown_size(run: Run) -> None:
    code, out, err = run("convert", "f32[10,?]{1,0:T(*,5)}")
    assert code == 1
    assert "tla       none\nreason    cannot decide whether d1 % 5 == 0" in out
    assert "\nelements  10*d1{min=0} of data" in out
    assert err.endswith("\n  Write a number in place of '?', or a bound, '<=N'.\n")
    assert err.startswith(
        "tla: error: cannot decide whether d1 % 5 == 0, as a nested layout of f32[10,?]"
    )


def test_json_of_dynamic_dims(run: Run) -> None:
    """Symbolic ints are texts, and what is not known is null."""
    facts = json.loads(run("convert", "f32[?,<=3]{1,0:T(2,2)}", "--json").out)
    assert facts == {
        "tla": "((_2,(d0{min=0}+1)//2),(_2,_2)):((_2,_8),(_1,_4)):(d0,d1{min=0,max=3})",
        "combined": None,
        "warning": None,
        "trimmed": "((min(2,d0{min=0}),(d0+1)//2),(min(2,d1{min=0,max=3}),(d1+1)//2))"
        ":((_2,_8),(_1,_4)):(d0,d1)",
        "cosize": None,
        "xla": "f32[?,<=3]{1,0:T(2,2)}",
        "dtype_assumed": False,
        "reason": None,
        "elements": "3*d0{min=0}",
        "physical_elements": "8*((d0{min=0}+1)//2)",
        "bytes": "12*d0{min=0}",
        "physical_bytes": "32*((d0{min=0}+1)//2)",
    }


@pytest.mark.parametrize(
    "text",
    [
        "f32[<=5,3]{1,0:T(2,2)}",
        "f32[?,3]{0,1:T(2,2)}",
        "bf16[?,?]{1,0:T(8,128)(2,1)}",
        "f32[<=9,?]{1,0:T(8,128)}",
        "f32[<=5]{0}",
        "s8[?]{0:T(128)}",
    ],
)
def test_dynamic_there_and_back(run: Run, text: str) -> None:
    there = json.loads(run("convert", text, "--json").out)
    back = json.loads(run("convert", there["tla"], "--dtype", text[: text.index("[")], "--json").out)
    assert (back["xla"], back["physical_bytes"]) == (text, there["physical_bytes"])


# --- there and back ---


@pytest.mark.parametrize(
    "text",
    [
        DOCUMENT,
        "bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}",
        "f32[3,5]{1,0:T(2,2)}",
        "f32[3,5]{1,0:T(8,128)}",
        "f32[2,3]{0,1:T(5,3)}",
        "f32[4,8]{1,0:T(2,4)(2,1)}",
        "s8[100,200]{0,1:T(32,128)(4,1)}",
        "f32[2,7,8,12,9]{4,3,2,1,0:T(*,*,2,*,3)}",
        "f32[]{:T(128)}",
        "f32[6,5,16]{0,2,1:T(5)(8,8,6,8)}",
    ],
)
def test_there_and_back(run: Run, text: str) -> None:
    """The same function and size, not the same text."""
    there = json.loads(run("convert", text, "--json").out)
    shape = parse_shape(text)
    assert isinstance(shape, XlaShape)
    code, out, _err = run(
        *("convert", there["tla"], "--dtype", shape.element_type.name, "--json"),
        *("--size", str(there["physical_elements"])),
    )
    back = json.loads(out)
    assert (code, back["tla"]) == (0, there["tla"])
    assert back["physical_bytes"] == there["physical_bytes"]
    again = parse_shape(back["xla"])
    assert isinstance(again, XlaShape)
    assert again.dimensions == shape.dimensions
    corners = [sorted({0, 1 % d, d // 2, d - 1}) for d in shape.dimensions]
    for index in product(*corners):
        assert physical_offset(again, index) == physical_offset(shape, index)


# --- data, and standard input ---


def test_json_of_one_shape(run: Run) -> None:
    code, out, err = run("convert", "f32[3,5]{1,0:T(2,2)}", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out) == {
        "tla": "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)",
        "trimmed": "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)",
        "cosize": 24,
        "combined": None,
        "warning": None,
        "xla": "f32[3,5]{1,0:T(2,2)}",
        "dtype_assumed": False,
        "reason": None,
        "elements": 15,
        "physical_elements": 24,
        "bytes": 60,
        "physical_bytes": 96,
    }


def test_json_of_a_tuple_is_a_list(run: Run) -> None:
    code, out, _err = run("convert", "(f32[2], token[])", "--json")
    one, token = json.loads(out)
    assert (code, one["xla"], one["tla"]) == (0, "f32[2]{0}", "(_2):(_1)")
    assert (token["xla"], token["tla"]) == ("token[]", None)
    assert "carries no data" in token["reason"]


def test_json_holds_every_element(run: Run) -> None:
    """The texts of the JSON are the values: parsed again they place each element alike."""
    facts = json.loads(run("convert", "bf16[9,130]{1,0:T(8,128)(2,1)}", "--json").out)
    shape = parse_shape(facts["xla"])
    assert isinstance(shape, XlaShape)
    assert parse(facts["tla"]) == to_layout(shape)
    assert facts["physical_elements"] == physical_elements(shape)
    for i, j in product(range(9), range(130)):
        assert parse(facts["trimmed"])(i, j) == physical_offset(shape, (i, j))


@pytest.mark.parametrize("given", ["f32[2]", "  f32[2]\n", "\ufefff32[2]\r\n", "f32\n[2]"])
def test_standard_input(run: Run, given: str) -> None:
    assert run("convert", "-", stdin=given.encode()).out == run("convert", "f32[2]").out


# --- what is wrong ---


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            [""],
            "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA shape such as f32[2,3]",
        ),
        (["bad"], "expected a layout such as (2,3):(3,1)"),
        (["(2,3):(1)"], "shape (2,3) and stride (1) are not congruent"),
        (["((2,3):(3,1)"], "expected ',' or ')'"),
        (["f32[3,5]{0,0}"], "minor_to_major {0,0} is not an order of 2 dims"),
        (["f32[3,5]{1,0:T(0)}"], "tile size 0 is not positive"),
        (["bf61[2]"], "'bf61' is not an XLA element type"),
        (
            ["(2,3)"],
            "(2,3) is no layout: a layout is a shape, ':' and a stride\n  Compact, it would be (2,3):",
        ),
        (["5"], "5 is no layout: a layout is a shape, ':' and a stride"),
        (["()"], "() is no layout: a layout is a shape, ':' and a stride"),
        (["_"], "'_' alone keeps a mode"),
        (["4.5"], "expected a shape, found '4.5'"),
        (["True"], "expected a layout such as"),
        (["(" * 10**5], "nested deeper than"),
    ],
    ids=lambda x: str(x)[:20],
)
def test_wrong_input(run: Run, arguments: list[str], error: str) -> None:
    code, out, err = run("convert", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {error}")
    assert "Traceback" not in err


def test_the_caret_stands_below_the_fault(run: Run) -> None:
    err = run("convert", "f32[3,5]{1,0:T(2,0)}").err
    assert err.splitlines()[-2:] == ["    f32[3,5]{1,0:T(2,0)}", "                     ^"]


def test_empty_standard_input(run: Run) -> None:
    for words in (["convert", "-"], ["cpp", "--emit", "type"], ["eval", "-"], ["where", "-", "3"]):
        code, _out, err = run(*words, stdin=b"\n")
        assert (code, err.splitlines()[0]) == (1, "tla: error: standard input is empty")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: TEXT"),
        (["(2):(1)", "(3):(1)"], "this command takes 1 argument, TEXT; it got 2: (2):(1) and (3):(1)"),
        (["(2):(1)", "--size", "many"], "argument --size: needs a positive number, not 'many'"),
        (["(2):(1)", "--size", "0"], "argument --size: needs a positive number, not '0'"),
        (["(4):(1)", "--dtype", "bf61"], "'bf61' is not an XLA element type. Did you mean bf16?"),
        (["(2):(1)", "--size"], "argument --size: expected one argument"),
        (["(2):(1)", "--loud"], "there is no option --loud"),
        (["f32[3]", "--dtype", "bf16"], "--dtype and --size go with a TLA layout"),
        (["f32[3]", "--size", "8"], "--dtype and --size go with a TLA layout"),
    ],
)
def test_wrong_command_line(run: Run, arguments: list[str], error: str) -> None:
    code, out, err = run("convert", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("usage: tla convert")
    assert f"tla convert: error: {error}" in err


def test_as_a_process() -> None:
    done = process("convert", DOCUMENT)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1] == (
        "tla       (_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))"
    )
    assert process("convert", "-", stdin=DOCUMENT.encode()) == done


def test_the_memory_space_of_a_chip(run: Run) -> None:
    shape = "bf16[32,128]{1,0:T(8,128)(2,1)S(1)}"
    assert "space     S(1), VMEM of v5e" in run("convert", shape, "--chip", "TPU v5e").out
    assert "space" not in run("convert", shape).out
    done = run("convert", "f32[4]{0:S(9)}", "--chip", "v5e")
    assert (done.code, done.err) == (0, "tla: v5e has no known S(9)\n")
    assert run("convert", shape, "--chip", "h100").code == 1
