"""``tla ascend copy``: the instructions of a copy as a table and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend import make_layout
from tla.ascend.copies import gm_to_l1

if TYPE_CHECKING:
    from .running import Run


def facts(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("ascend", "copy", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_table(run: Run) -> None:
    code, out, err = run(
        "ascend", "copy", "gm-l1", "RowMajor<half>(100,100)", "--to", "zN", "--tile", "32,48",
        "--at", "96,96", "--prove",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "GM->L1     RowMajor<half> to zN<half>",
        "source     (100,100):(100,_1) at (96,96)",
        "to         ((_16,2),(_16,3)):((_16,_256),(_1,512))",
        "data       4 by 4 elements, 32 bytes",
        "calls      1",
        "",
        "DataCopy with Nd2NzParams",
        "  ndNum                1  matrices",
        "  nValue               4  rows",
        "  dValue               4  elements of each",
        "  srcNdMatrixStride    0  from one matrix to the next",
        "  srcDValue          100  from one row to the next, in elements",
        "  dstNzC0Stride       32  from a block of 32 bytes to the next of its row, in blocks",
        "  dstNzNStride         1  from a block of 32 bytes to that of the next row, in blocks",
        "  dstNzMatrixStride    0  from one matrix to the next",
        "",
        "call  dst   src",
        "   0    0  9696",
        "proof      16 elements moved, each to its place; besides written: 48 zeros",
    ]


def test_many_calls(run: Run) -> None:
    wide = ("ascend", "copy", "gm-l1", "RowMajor<half>(64,70000)", "--tile", "64,128")
    code, out, _ = run(*wide)
    assert code == 0
    assert "calls      64: leading dimension 70000 >= 65536: one call per row" in out
    assert out.splitlines()[-2:] == [
        "   3   48  210000",
        "and 60 calls more; --all lists every one",
    ]
    _, out, _ = run(*wide, "--all")
    assert out.splitlines()[-1] == "  63  1008  4410000"
    assert len(facts(run, *wide[2:])["calls"]) == 4
    assert len(facts(run, *wide[2:], "--all")["calls"]) == 64


def test_a_last_call_of_its_own(run: Run) -> None:
    _, out, _ = run("ascend", "copy", "gm-l1", "RowMajor<half>(40,64)", "--to", "zZ")
    assert "calls      2: 8 rows are left over" in out
    assert "in the last call ndNum=1, nValue=8, dstNzMatrixStride=0" in out


def test_json_is_the_library(run: Run) -> None:
    found = facts(run, "gm-l1", "nZ<half>(1000,777)", "--tile", "128,256", "--at", "(896,768)")
    src = make_layout("half", "nZ", 1000, 777)
    ours = gm_to_l1(src, "nZ", arch="AtlasA2", element="half", tile=(128, 256), at=(896, 768))
    assert found["calls"] == [call.as_dict() for call in ours.calls]
    assert (found["n_calls"], found["why_many"], found["setting"]) == (1, None, None)
    assert found["src"] == {
        "tag": "nZ",
        "element": "half",
        "layout": str(src),
        "at": [896, 768],
    }
    assert (found["tile"], found["bytes"]) == ([104, 9], 1872)


def test_every_route(run: Run) -> None:
    a = facts(run, "l1-l0a", "nZ<float>(32,32)")
    assert a["setting"] == {"name": "SetFmatrix", "arguments": [1, 32, "{0,0,0,0}", "FMATRIX_LEFT"]}
    boxes = run("ascend", "copy", "l1-l0a", "nZ<int8>(48,64)", "--arch", "Ascend950").out
    assert "mStartPosition" in boxes.splitlines()[-3]
    assert facts(run, "l1-l0b", "zN<half>(32,32)")["dst"]["tag"] == "nZ"
    stored = facts(run, "l0c-gm", "L0C<float>(4,4)", "--to", "RowMajor<half>(100,100)", "--at", "96,96")
    assert stored["calls"][0]["params"]["quantPre"] == "F322F16"
    assert stored["calls"][0]["dst"] == 9696
    assert facts(run, "l1-bt", "VectorLayout<float>(250)")["calls"][0]["params"]["blockLen"] == 16
    scales = facts(run, "gm-l1", "RowMajor<half>(8,8)", "--prove")
    assert scales["proof"] == {"elements": 64, "zeros": 64, "padding": 0, "spill": 0}


def test_plain_layouts_and_standard_input(run: Run) -> None:
    told = ("--to", "((16,2),(16,3)):((16,256),(1,512))", "--element", "half")
    plain = facts(run, "gm-l1", "(100,100):(100,1)", *told, "--at", "96,96")
    assert (plain["src"]["tag"], plain["dst"]["tag"], plain["tile"]) == ("RowMajor", "zN", [4, 4])
    done = run(
        "ascend", "copy", "gm-l1", "-", "--to", "zN", "--json", stdin=b"RowMajor<half>(100,100)\n"
    )
    assert json.loads(done.out)["tile"] == [100, 100]


def test_what_is_left_out_is_recognised(run: Run) -> None:
    rows = facts(run, "gm-l1", "(100,100):(100,1)", "--element", "half")
    assert (rows["src"]["tag"], rows["dst"]["tag"], rows["dst"]["element"]) == ("RowMajor", "zN", "half")
    columns = facts(run, "gm-l1", "(100,100):(1,100)", "--element", "half")
    assert (columns["src"]["tag"], columns["dst"]["tag"]) == ("ColumnMajor", "nZ")
    said = facts(run, "gm-l1", "ColumnMajor<half>(1,48)")  # a row, which is RowMajor too
    assert (said["src"]["tag"], said["dst"]["tag"]) == ("ColumnMajor", "nZ")


def test_each_side_has_its_element(run: Run) -> None:
    sums = facts(run, "l0c-gm", "L0C<int32_t>(64,64)", "--to", "RowMajor<int32_t>(256,256)")
    assert (sums["src"]["element"], sums["calls"][0]["params"]["quantPre"]) == ("int32_t", "NoQuant")
    plain = ("--to", "(256,256):(256,1)", "--element", "half")
    assert facts(run, "l0c-gm", "L0C<float>(64,64)", *plain)["dst"]["element"] == "half"
    bias = facts(run, "l1-bt", "VectorLayout<half>(250)", "--to", "VectorLayout<float>(250)", "--prove")
    assert (bias["src"]["element"], bias["dst"]["element"]) == ("half", "float")
    assert facts(run, "l1-bt", "VectorLayout<half>(250)", "--prove") == bias
    same = ("--to", "zN<half>(32,48)", "--element", "f16")
    assert facts(run, "gm-l1", "RowMajor<half>(32,48)", *same)["bytes"] == 3072
    out = run("ascend", "copy", "l1-bt", "VectorLayout<half>(250)").out
    assert "  blockLen    8  blocks of a run, of 64 bytes each\n" in out


ROWS = "RowMajor<half>(100,100)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("l0c-gm", "L0C<float>(4,4)"), "l0c-gm needs --to: the matrix that the sums go to"),
        (("l0c-gm", "L0C<float>(4,4)", "--to", "zN"), "l0c-gm needs --to: the matrix"),
        (("gm-l1", "(4,4):(4,1)"), "the layouts do not say what the elements are"),
        (("gm-l1", "(4,4):(4,1)", "--to", "zN"), "the layouts do not say what the elements are"),
        (("gm-l1", "(4,4):(4,2)", "--element", "half"), "gm-l1 moves no layout such as (4,4):(4,2)"),
        (("gm-l1", "zZ<half>(64,64)"), "gm-l1 moves no zZ\n  It moves VectorLayout, RowMajor, zN"),
        (
            ("gm-l1", ROWS, "--to", "zN<float>(100,100)"),
            "gm-l1 moves elements of one type, not of half and float",
        ),
        (("gm-l1", ROWS, "--element", "float"), "not of float and half"),
        (("l1-l0a", "zN<half>(32,32)", "--element", "int8_t"), "not of int8_t and half"),
        (
            ("l0c-gm", "L0C<int32_t>(128,128)", "--to", "RowMajor<half>(256,256)"),
            "the fixpipe makes no half of int32_t without a scale",
        ),
        (("l0c-gm", "L0C<half>(128,128)", "--to", ROWS), "the fixpipe makes no half of half"),
        (
            ("l0c-gm", "L0C<float>(4,4)", "--to", ROWS, "--element", "float"),
            "l0c-gm moves elements of one type, not of float and half\n  Leave --element out",
        ),
        (
            ("l0c-gm", "L0C<float>(4,4)", "--to", "(4,4):(4,1)"),
            "the output's layout does not say what the elements are",
        ),
        (
            ("l1-bt", "VectorLayout<half>(250)", "--to", "VectorLayout<int32_t>(250)"),
            "AtlasA2 adds no bias of half to sums of int32_t",
        ),
        (("l1-bt", "VectorLayout<half>(500)"), "VectorLayout<float> of 500 takes 2000 bytes"),
        (("l1-bt", "VectorLayout<bfloat16_t>(8)"), "AtlasA2 adds no bias of bfloat16_t"),
        (("gm-l1", "RowMajor<half>(60000,60000)"), "L1 of AtlasA2 has 524288\n  A tile of 512 by 512"),
        (("l1-l0a", "zN<half>(512,256)"), "L0A of AtlasA2 has 65536\n  A tile of 128 by 256 fits."),
        (("gm-l1", "RowMajor<half>(1,48)", "--to", "nZ"), "moves RowMajor to nZ"),
        (
            ("gm-l1", "RowMajor<half>(4,4)", "--to", "nZ"),
            "no instruction of GM->L1 moves RowMajor to nZ",
        ),
        (("l1-l0a", "zN<half>(96,64)", "--at", "5,3"), "L1->L0A cannot start at (5,3)"),
        (("gm-l1", "RowMajor<half>(4,4)", "--at", "4,0"), "holds no data of the layout"),
        (("gm-l1", "RowMajor<half>(4,4)", "--at", "1;2"), "--at"),
        (("gm-l1", "RowMajor<half>(4,4)", "--arch", "AtlasA9"), "there is no architecture 'AtlasA9'"),
        (("gm-l1", "RowMajor<half>(M,4)"), "depends on M"),
        (("gm-l1", "RowMajer<half>(4,4)"), "RowMajer"),
    ],
)
def test_what_is_wrong(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run("ascend", "copy", *arguments)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_the_command_line_is_wrong(run: Run) -> None:
    assert run("ascend", "copy", "gm-l0", "RowMajor<half>(4,4)").code == 2
    assert run("ascend", "copy").code == 2
    code, out, _ = run("ascend", "copy", "--help")
    assert code == 0
    assert "l0c-gm" in out
