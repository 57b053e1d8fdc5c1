"""``tla ascend check``: what it prints of legal plans and of others, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend import batched, gemm, grouped

from .test_show import on_a_terminal

if TYPE_CHECKING:
    from .running import Run

SQUARE = ("AtlasA2", "half", "4096,4096,4096")
SQUARE_PLAN = gemm("AtlasA2", (4096, 4096, 4096), "half")
HOLE = ("Ascend950", "half", "4096,4096,4096", "--l1", "100,256,256")


def test_a_legal_plan(run: Run) -> None:
    code, out, err = run("ascend", "check", *SQUARE)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:5] == str(SQUARE_PLAN).splitlines()
    assert [line.split() for line in lines[6:8]] == [
        ["needed", "available", "margin", "unit", "buffer", "rule", "verdict"],
        ["393216", "524288", "131072", "bytes", "L1", "L1", "capacity", "holds"],
    ]
    assert lines[13].split() == ["1", "8", "7", "events", "L0C", "L0C", "events", "holds"]
    assert lines[14].endswith("rules more hold; --all lists them")
    assert lines[16] == "L1, 524288 bytes"
    assert [line.rpartition("  ")[2] for line in lines[17:21]] == [
        "[0,65536)",
        "[65536,131072)",
        "[131072,262144)",
        "[262144,393216)",
    ]
    assert lines[-1] == "legal"
    assert max(map(len, lines)) <= 110


def test_a_tile_that_does_not_fit(run: Run) -> None:
    code, out, err = run("ascend", "check", *HOLE)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    broken = [line.split() for line in lines if line.endswith("BROKEN")]
    assert broken == [
        ["56960", "51200", "-5760", "bytes", "L1", "L1", "overlap", "A", "0", "BROKEN"],
        ["56960", "51200", "-5760", "bytes", "L1", "L1", "overlap", "A", "1", "BROKEN"],
        ["14336", "12800", "-1536", "bytes", "L0A", "L0A", "overlap", "A", "0", "BROKEN"],
    ]
    assert "# written  ! written over  to: the end of the padded tile" in lines
    said = "L1 overlap A 0: A 0 [0,56960) is written into A 1, which starts at 51200: both hold"
    at = lines.index(f"{said} [51200,56960).")
    assert lines[at + 3] == "  Take m a multiple of 16."
    assert lines[-2:] == [
        "illegal: 3 rules broken; CATLASS compiles it all the same",
        "the nearest tile that fits: --l1 96,256,256 --l0 96,256,64",
    ]


def test_the_tile_that_is_proposed_is_legal(run: Run) -> None:
    _, out, _ = run("ascend", "check", *HOLE)
    proposed = out.splitlines()[-1].partition(": ")[2].split()
    code, out, err = run("ascend", "check", *HOLE[:3], *proposed)
    assert (code, err, out.splitlines()[-1]) == (0, "", "legal")


@pytest.mark.parametrize("of", ["int8_t", "float8_e4m3_t"])
def test_a_nearest_tile_of_bytes_on_950(run: Run, of: str) -> None:
    for m, k in ((250, 128), (300, 64)):
        code, out, _ = run("ascend", "check", "Ascend950", of, SQUARE[2], "--l1", f"{m},256,512")
        assert code == 1
        said = f"the nearest tile that fits: --l1 256,256,512 --l0 256,256,{k}"
        assert out.splitlines()[-1] == said


def test_what_no_tile_mends(run: Run) -> None:
    arguments = ("--l1", "256,256,512", "--policy", "MmadAtlasA2Pingpong<true>")
    code, out, _ = run("ascend", "check", "AtlasA2", "int8_t", SQUARE[2], *arguments)
    assert code == 1
    assert out.splitlines()[-1].endswith("; still broken: unit flag")


def test_leading_dimensions(run: Run) -> None:
    facts: dict[str, Any] = json.loads(run("ascend", "check", *SQUARE, "--ld", "5120", "--json").out)
    assert facts["plan"]["ld"] == [5120, 4096, 4096]
    facts = json.loads(run("ascend", "check", *SQUARE, "--ld", "0,5120", "--json").out)
    assert facts["plan"]["ld"] == [4096, 5120, 4096]


def test_what_the_compiler_says(run: Run) -> None:
    code, out, _ = run("ascend", "check", *SQUARE, "--l1", "256,256,256", "--l0", "256,256,64")
    assert code == 1
    assert "  the compiler says: L0TileShape exceeding the L0C space!" in out.splitlines()
    assert "CATLASS compiles" not in out
    assert out.splitlines()[-1] == "the nearest tile that fits: --l1 128,256,256 --l0 128,256,64"


def test_warnings_leave_a_plan_legal(run: Run) -> None:
    arguments = ("AtlasA2", "int8_t", "4096,4096,70000", "--bias", "int32_t", "--cores", "20")
    code, out, err = run("ascend", "check", *arguments)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("AtlasA2, 20 cores:")
    assert lines[-1] == "legal, with 2 warnings"
    assert any(
        line.startswith("stride limit of A: a leading dimension of 70000 exceeds") for line in lines
    )
    tail = "k tail: the cube takes k in rows of 32, and the last has 16 of data; the other 16 are"
    assert any(line.startswith(tail) for line in lines)


def test_more_cores_than_the_chip_has(run: Run) -> None:
    code, out, err = run("ascend", "check", *SQUARE, "--cores", "1000")
    assert (code, err) == (0, "tla: AtlasA2 has 24 cores, and the plan is for 1000\n")
    assert out.startswith("AtlasA2, 1000 cores:")
    assert run("ascend", "check", *SQUARE, "--cores", "24")[2] == ""


def test_every_rule(run: Run) -> None:
    _, out, _ = run("ascend", "check", *SQUARE, "--all")
    assert "more hold" not in out
    rows = [line.split(":")[0].split() for line in out.splitlines()]
    assert ["-", "-", "-", "-", "-", "tile", "alignment", "holds"] in rows
    report = SQUARE_PLAN.check()
    assert sum(row[-1:] == ["holds"] for row in rows) == len(report.checks)


def test_json(run: Run) -> None:
    code, out, err = run("ascend", "check", *HOLE, "--tags", "RowMajor,ColumnMajor", "--json")
    assert (code, err) == (1, "")
    facts: dict[str, Any] = json.loads(out)
    assert facts["ok"] is False
    assert facts["plan"]["tags"] == ["RowMajor", "ColumnMajor", "RowMajor"]
    assert facts["plan"]["policy"] == "MmadPingpong<Arch::Ascend950,true>"
    assert facts["nearest"] == {
        "l1": [96, 256, 256],
        "l0": [96, 256, 64],
        "distance": pytest.approx(0.0589, abs=1e-4),
        "still_broken": [],
    }
    assert facts["catlass"] == []
    overlap = next(check for check in facts["checks"] if check["rule"] == "L1 overlap")
    assert (overlap["needed"], overlap["available"], overlap["margin"]) == (56960, 51200, -5760)
    assert overlap["ranges"] == [[51200, 56960]]
    l1 = facts["buffers"][0]
    assert (l1["buffer"], l1["capacity"]) == ("L1", 524288)
    assert l1["stages"][0]["clashes"] == [[51200, 56960]]


def test_cpp(run: Run) -> None:
    code, out, err = run("ascend", "check", *SQUARE, "--emit")
    assert (code, err) == (0, "")
    assert out == SQUARE_PLAN.emit_cpp()
    assert "using DispatchPolicy = Gemm::MmadPingpong<ArchTag, true>;" in out
    code, out, err = run("ascend", "check", *HOLE, "--emit")
    assert code == 1
    assert out.splitlines()[-2].startswith("illegal")
    assert err == "tla: no C++ is written of a plan that is illegal\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("A7", "half", "64,64,64"), "there is no architecture 'A7'"),
        (("AtlasA2", "halff", "64,64,64"), "'halff' is not an element type"),
        (("AtlasA2", "half", "64,0,64"), "the problem has n = 0: an extent is at least 1"),
        (("AtlasA2", "half", "64,64"), "expected three extents m,n,k of the problem, found '64,64'"),
        ((*SQUARE[:2], "heads=16,q=1024,kv=1,head=64"), "Attention is planned by 'tla ascend search'"),
        ((*SQUARE, "--l1", "x"), "expected three extents m,n,k of the tile in L1, found 'x'"),
        (
            (*SQUARE, "--policy", "MmadPingpong(l1a_stages=0)"),
            "l1a_stages = 0, a tile has at least one stage",
        ),
        ((*SQUARE, "--policy", "Mmad"), "'Mmad' is not a dispatch policy"),
        ((*SQUARE, "--swizzle", "identity<0,0>"), "= 0: it must be at least 1"),
        (("AtlasA2", "half", "-1,512,64"), "line 1, column 1\n    -1,512,64\n    ^^"),
        ((*SQUARE, "--policy", "MmadPingpong<"), "Write MmadPingpong<ArchTag>.\n  line 1, column 14"),
        ((*SQUARE, "--tags", "RowMajor(9,9)"), "Write RowMajor,ColumnMajor,RowMajor.\n  line 1"),
        ((*SQUARE, "--tags", "zQ"), "'zQ' is not a layout tag"),
        ((*SQUARE, "--ld", "1,0,0"), "A, RowMajor of 4096 by 4096 has ld = 1: it must be at least 4096"),
        (
            (*SQUARE, "--ld", "0,0,0,1"),
            "--ld takes up to three numbers, of A, B and C, 0 for the shortest",
        ),
        ((*SQUARE, "--ld", "-1,0,0"), "expected leading dimensions with commas, found '-1,0,0'"),
        ((*SQUARE, "--tags", "zN", "--ld", "4096"), "A, zN, has no leading dimension, and ld gives it"),
        (
            (*SQUARE, "--policy", "MmadPingpong(unit_flag=x)"),
            "expected true or false for unit_flag, found 'x'",
        ),
        ((*SQUARE, "--ld", "a"), "expected leading dimensions with commas, found 'a'"),
    ],
)
def test_values_that_are_wrong(run: Run, arguments: tuple[str, ...], says: str) -> None:
    code, out, err = run("ascend", "check", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert says in err


def test_command_lines_that_are_wrong(run: Run) -> None:
    assert run("ascend", "check").code == 2
    assert run("ascend", "check", *SQUARE, "--cores", "0").code == 2
    assert run("ascend", "check", *SQUARE, "--emit", "--json").code == 2
    assert run("ascend", "check", "--help").code == 0


def test_the_picture_is_as_wide_as_the_terminal() -> None:
    lines = on_a_terminal("ascend", "check", *SQUARE).splitlines()
    assert max(len(line) for line in lines if line.startswith(("A 0", "B 0"))) == 80
    assert lines[-1] == "legal"


@pytest.mark.parametrize(
    ("arguments", "plan"),
    [
        (
            ("AtlasA2", "int8_t,int8_t,half", "256,512,1024", "--scale", "token"),
            gemm("AtlasA2", (256, 512, 1024), "int8_t,int8_t,half", scale="token"),
        ),
        (
            ("AtlasA2", "half,half,float", "256,512,1024", "--epilogue", "gelu"),
            gemm("AtlasA2", (256, 512, 1024), "half,half,float", epilogue="gelu"),
        ),
        (
            ("AtlasA2", "half", "1024,512,64", "--rows", "300,0,724"),
            grouped("AtlasA2", (1024, 512, 64), (300, 0, 724)),
        ),
        (
            ("Ascend950", "float", "300,256,64", "--batch", "5"),
            batched("Ascend950", (300, 256, 64), 5, "float"),
        ),
    ],
)
def test_scales_epilogues_groups_and_batches(run: Run, arguments: tuple[str, ...], plan: Any) -> None:
    code, out, err = run("ascend", "check", *arguments)
    assert (code, err) == (0, "")
    assert out.startswith(f"{plan}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--rows", "300,0,725"), "the groups, 300, 0, 725, sum to 1025: M is 1024"),
        (("--rows", "1024", "--batch", "2"), "not allowed with argument --rows"),
        (("--scale", "chanel"), "'chanel' is no kind of scales"),
        (("--epilogue", "geluu"), "Did you mean gelu"),
    ],
)
def test_bad_groups_scales_and_epilogues(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, _, err = run("ascend", "check", "AtlasA2", "half", "1024,512,64", *arguments)
    assert code != 0
    assert words in err
