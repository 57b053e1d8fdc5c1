"""A layout by its tag, ``zN<half>(20,48)``, wherever a command takes a layout; ``tla explain --tag``."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from .running import ENVIRONMENT

if TYPE_CHECKING:
    from .running import Run

ZN = "zN<half>(20,48)"
LAYOUT = "((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)"


@pytest.mark.parametrize(
    "line",
    [
        "show {} --json",
        "what {} 300",
        "diff {} 'nZ<half>(20,48)'",
        "cpp --emit type {}",
        "cpp --emit value {}",
        "coalesce {}",
        "compose {} '(8,2):(1,16)'",
        "divide {} '(16,16)'",
        "product {} 2:1",
        "complement {} 4096",
        "inverse --right {}",
        "eval 'composition({},(8,2):(1,16))'",
        "eval 'size({})'",
        "eval '{}(17,33)'",
        "eval '({},2:1)'",
        "explain coalesce {}",
        "explain composition {} '(8,2):(1,16)'",
        "convert {} --dtype f16",
        "explain {} --tag zN",
    ],
)
def test_a_tag_is_the_layout_that_it_writes(run: Run, line: str) -> None:
    def done(layout: str) -> tuple[int, str, str]:
        text = line.replace("{}", layout if "'" in line.split("{}")[0] else f"'{layout}'")
        return run(*shlex.split(text))

    by_tag, by_numbers = done(ZN), done(LAYOUT)
    assert by_tag == by_numbers
    assert by_tag[1]


def test_the_picture_of_a_tag_names_both(run: Run) -> None:
    (title, *picture), (numbers, *same) = (
        run("show", text, "--rows", "4").out.splitlines() for text in (ZN, LAYOUT)
    )
    assert (title, picture) == (f"{ZN} = {numbers}", same)
    assert numbers == LAYOUT


def test_from_standard_input(run: Run) -> None:
    assert run("show", "-", stdin=ZN.encode()).out == run("show", ZN).out
    assert run("explain", "-", stdin=ZN.encode()).out == run("explain", ZN).out


def test_convert_takes_the_element_of_the_tag(run: Run) -> None:
    out = run("convert", "RowMajor<bfloat16_t>(20,48,ld=64)").out
    assert "xla       bf16[20,48]{1,0:T(64)}\n" in out
    facts: dict[str, Any] = json.loads(run("convert", "RowMajor<half>(20,48)", "--json").out)
    assert (facts["xla"], facts["dtype_assumed"]) == ("f16[20,48]{1,0}", False)


@pytest.mark.parametrize(
    ("text", "options", "memory"),
    [
        ("zN<hifloat8_t>(20,48)", (), "2048 bytes (2.00 KiB), 960 bytes of data"),
        ("zN<hifloat8_t>(20,48)", ("--dtype", "u8"), "2048 bytes (2.00 KiB), 960 bytes of data, 2.1x"),
        ("zN<float4_e1m2x2_t>(20,48)", (), "1024 bytes (1.00 KiB), 480 bytes of data"),
        ("zN<float4_e2m1x2_t>(20,48)", (), "1024 bytes (1.00 KiB), 480 bytes of data, 2.1x"),
        ("RowMajor<int4b_t>(20,48)", (), "480 bytes, no padding"),
        ("RowMajor<hifloat8_t>(M,48)", (), "48*M bytes, 48*M bytes of data"),
        ("zN<half>(20,48)", ("--dtype", "bf16"), "3072 bytes (3.00 KiB), 1920 bytes (1.88 KiB)"),
    ],
)
def test_convert_counts_the_bits_of_the_tag(
    run: Run, text: str, options: tuple[str, ...], memory: str
) -> None:
    done = run("convert", text, *options)
    assert f"memory    {memory}" in done.out
    assert "assumed" not in done.out
    facts: dict[str, Any] = json.loads(run("convert", text, *options, "--json").out)
    assert str(facts["physical_bytes"]) == memory.split(" bytes")[0]


def test_convert_without_an_xla_type(run: Run) -> None:
    done = run("convert", "zN<hifloat8_t>(20,48)")
    assert (done.code, "xla       none\n" in done.out) == (1, True)
    assert "tla: error: XLA has no type hifloat8_t\n  Give one of 8 bits in its place" in done.err
    done = run("convert", "zN<half>(20,48)", "--dtype", "f32")
    assert (done.code, done.out) == (2, "")
    assert "--dtype f32 has 32 bits, and the half of the tag has 16" in done.err


def test_a_byte_of_memory_is_found_by_the_width_of_the_tag(run: Run) -> None:
    assert run("what", ZN, "601", "--bytes").out == run("what", ZN, "300").out
    four = "zN<int4b_t>(20,70)"
    both = run("what", four, "36").out + run("what", four, "37").out
    assert run("what", four, "18", "--bytes").out == both
    facts: Any = json.loads(run("what", four, "18", "--bytes", "--json").out)
    assert [(each["offset"], each["byte"]) for each in facts] == [(36, 18), (37, 18)]
    assert run("what", LAYOUT, "3", "--bytes").code == 2
    assert run("what", ZN, "3072", "--bytes").code == 1


def test_a_name_is_one_unknown_in_all_operands(run: Run) -> None:
    done = run("compose", "RowMajor<half>(M{div=16},8)", "(M/16,8):(16,M)")
    assert (done.code, done.out) == (0, "(M/16,8):(128,_1)\n"), done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("show", "zN<hlaf>(20,48)"),
            "'hlaf' is not an element type\n  Did you mean half?\n  line 1, column 4",
        ),
        (("show", "zn<half>(20,48)"), "Did you mean zN?"),
        (("show", "zN(20,48)"), "zN needs an element type\n  Write zN<half>(20,48)."),
        (("convert", "zN<half>(20,48"), "expected ',' or ')' of the '(' in column 9"),
        (("where", "zN<half>(20)", "1,2"), "zN takes 2 sizes"),
        (("compose", "zN<half>(2,-3)", "2:1"), "cols = -3"),
        (("eval", "size(zN<half>(2,3,ld=4))"), "line 1, column 19"),
        (("eval", "size(zn<half>(2,3))"), "'zn' is not a layout tag"),
        (("show", "zN<half>(M,48)"), "there is no picture"),
        (("explain", "zN<half>(20"), "expected ',' or ')'"),
        (("explain", LAYOUT, "--tag", "zn"), "--tag: 'zn' is not a layout tag\n  Did you mean zN?"),
        (("explain", LAYOUT, "--tag", "zN<hlaf>"), "--tag: 'hlaf' is not an element type"),
        (("explain", LAYOUT, "--tag", "zN<half>(2,3)"), "--tag: expected no sizes after the tag"),
        (("explain", "(20,48)", "--tag", "zN"), "(20,48) is no layout"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "rotation"), "no steps are known of 'rotation'"),
        (("explain", "coalesce"), "coalesce needs an ARGUMENT"),
        (("explain", "coalesce", ZN, "--tag", "zN"), "--tag goes with one layout"),
        (("explain", "tiling", "--tag", "zN"), "--tag goes with one layout"),
        (("diff", ZN, "zN<half>(2,3,ld=4)"), "zN takes no 'ld'"),  # where 1 says that they differ
    ],
)
def test_a_wrong_command_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err


# --- tla explain -------------------------------------------------------------------------------


def test_how_a_tag_builds_a_layout(run: Run) -> None:
    code, out, err = run("explain", ZN, "--table")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "zN<half>(20,48)",
        "  rows in a fractal, columns of fractals",
        "  it spans 1536 elements of 16 bits, 960 of them data",
        "  leaf                     size  stride",
        "  inside the column block  _16   _1      C0: as many elements of 16 bits as 32 bytes hold",
        "  inside the row block     _16   _16     fixed by the tag",
        "  the row blocks           2     _256    20 rows, 12 of padding",
        "  the column blocks        3     512     48 columns",
        f"  = {LAYOUT}",
    ]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("RowMajor<half>(5,7,ld=8)", ["the rows", "5", "8", "5 rows, ld apart"]),
        ("zN<half>(20,48,batch=4)", ["the batches", "4", "1536", "copies, one footprint apart"]),
        ("PaddingRowMajor<half>(9,9,block=(4,2))", ["inside the row block", "4", "2", "as given"]),
        ("NC1HWC0<half>(1,2,3,4,c0=8)", ["C0", "8", "_1", "as given"]),
        (
            "NC1HWC0<half>(1,2,3,4)",
            ["C0", "_16", "_1", "C0: as many elements of 16 bits as 32 bytes hold"],
        ),
        ("zN<half>(M{div=16},48)", ["the row blocks", "M/16", "_256", "M{div=16} rows"]),
        ("Fmap<half>(1,2,7,9)", ["h", "7", "144", ""]),
    ],
)
def test_the_leaves_of_other_tags(run: Run, text: str, row: list[str]) -> None:
    facts: dict[str, Any] = json.loads(run("explain", text, "--json").out)
    assert row in facts["rows"]
    assert facts["title"] == text


def test_a_layout_that_is_in_a_tag(run: Run) -> None:
    code, out, _err = run("explain", LAYOUT, "--tag", "zN<half>")
    assert code == 0
    assert out.splitlines() == [
        f"{LAYOUT} as zN of 16 bits",
        "  made of",
        "  rows                         20",
        "  columns                      48",
        "  stride of the column blocks  512",
        "  = it is zN of 16 bits",
    ]


def test_a_layout_that_is_not(run: Run) -> None:
    code, out, _err = run("explain", LAYOUT, "--tag", "layout::zZ<half>")
    assert code == 1
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        f"{LAYOUT} as zZ of 16 bits",
        "part is zZ has",
        "stride of the column blocks 512 256 (0,16) lies at 512, not at 256",
        "stride of the row blocks _256 a multiple of 256, at least 768",
        "= it is not zZ of 16 bits",
    ]
    facts: dict[str, Any] = json.loads(run("explain", LAYOUT, "--tag", "zZ", "--json").out)
    assert facts["rows"][0] == [
        "stride of the column blocks",
        "512",
        "256",
        "(0,16) lies at 512, not at 256",
    ]
    assert run("explain", LAYOUT, "--tag", "zN<float>").code == 1


def test_what_unknowns_decide(run: Run) -> None:
    layout = "((16,2),(16,C)):((16,256),(1,M))"
    code, out, _err = run("explain", layout, "--tag", "zN")
    assert code == 1
    assert out.splitlines()[-1] == "  = open: whether it is zN of 16 bits depends on M % 256 == 0"
    assumed = ["--assume", "M % 256 == 0", "--assume", "M >= 512"]
    assert run("explain", layout, "--tag", "zN", *assumed).code == 0


def test_the_tags_of_a_layout(run: Run) -> None:
    code, out, _err = run("explain", "((16,2),(16,3)):((16,256),(1,512))")
    assert code == 0
    lines = out.splitlines()
    assert lines[2].startswith("  zN of 16 bits ")
    assert lines[2].endswith(" yes  rows 32, columns 48, stride of the column blocks 512")
    assert lines[-1] == "  = it is zN of 16 bits, L0C"
    assert run("explain", "(4,4):(3,5)").out.splitlines()[-1] == "  = it is in no tag"
    open_ = run("explain", "(M,K):(K,1)").out.splitlines()[-1]
    assert open_ == "  = it is RowMajor; open: ColumnMajor"
    assert "PaddingRowMajor" in run("explain", "f32[4,8]{1,0:T(2,2)}").out


# --- what is loaded ----------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "loads"), [("(2,3):(3,1)", False), ("f32[2,3]", False), (ZN, True)])
def test_the_tags_are_loaded_for_a_tag(text: str, loads: bool) -> None:
    code = (
        "import sys\nfrom tla.cli import main\n"
        f"assert main(['convert', {text!r}]) == 0\n"
        f"assert ('tla.ascend.tags.table' in sys.modules) is {loads}\n"
        "for name in ('numpy', 'rich', 'dataclasses', 'typing_extensions'):\n"
        "    assert name not in sys.modules or name == 'rich', name\n"
    )
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True, capture_output=True)


def test_explain_answers_as_data(run: Run) -> None:
    def tags(*arguments: str) -> dict[str, Any]:
        found: Any = json.loads(run("explain", *arguments, "--json").out)["tags"]
        return {each["tag"]: (each["bits"], each["answer"]) for each in found}

    assert tags(LAYOUT, "--tag", "zN<half>") == {"zN": (16, True)}
    assert tags(LAYOUT, "--tag", "nZ") == {"nZ": (16, False)}
    assert tags("(M,48):(K,1)", "--tag", "RowMajor") == {"RowMajor": (None, None)}
    every = tags(LAYOUT)
    assert (every["zN"], every["L0C"], every["zZ"][1]) == ((16, True), (None, True), False)
    assert "tags" not in json.loads(run("explain", ZN, "--json").out)


def test_explain_knows_the_tag_of_one_block(run: Run) -> None:
    done = run("explain", LAYOUT, "--tag", "zNUnAlign<half>")
    assert (done.code, done.err) == (1, "")
    assert "count of the row blocks" in done.out
    assert run("explain", "((20,1),(16,3)):((16,320),(1,320))", "--tag", "zNUnAlign").code == 0
