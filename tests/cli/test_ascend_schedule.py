"""``tla ascend schedule``: what it prints, proves and refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend import Ascend950, gemm, schedules
from tla.ascend.schedules.swizzles import WORDS

from .running import COMMAND, ENVIRONMENT, process
from .test_show import on_a_terminal

if TYPE_CHECKING:
    from .running import Run

SQUARE = ("4096,4096,4096", "--tile", "128,256,256")
THIN = ("160,6144,2048", "--tile", "128,256,256", "--cores", "20")


def facts(run: Run, *arguments: str) -> Any:
    done = run("ascend", "schedule", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def lines(run: Run, *arguments: str) -> list[str]:
    done = run("ascend", "schedule", *arguments)
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def test_the_report(run: Run) -> None:
    out = lines(run, *SQUARE)
    assert out[:11] == [
        "problem   4096 x 4096 x 4096 of half, in tiles of 128 x 256 x 256",
        "cores     24 (AtlasA2)",
        "swizzle   GemmIdentityBlockSwizzle<3,0>, CATLASS's advice for M >= N",
        "cover     every one of the 512 tiles is computed exactly once",
        "balance   97.0 % busy, 22 rounds, no core idle",
        "          22 tasks at most and 21 at least; 2952790016 products on the busiest",
        "read      1610612736 bytes (1.50 GiB): A 512.00 MiB, B 1.00 GiB",
        "written   33554432 bytes (32.00 MiB): C 32.00 MiB",
        "from GM   67108864 bytes (64.00 MiB) of A and B, by estimate, with 192.00 MiB of L2",
        "          416.00 MiB if nothing stays in L2 between rounds; 64.00 MiB is each byte once",
        "",
    ]
    assert out[11].split()[:4] == ["round", "0", "1", "2"]
    assert out[12].split()[:2] == ["0", "[0,0"]
    assert len([line for line in out[12:] if "%" in line]) == 24
    assert max(map(len, out)) <= 100


def test_the_tile_is_that_of_a_plan(run: Run) -> None:
    for of in (("AtlasA2", "half"), ("Ascend950", "float"), ("910B3", "int8_t")):
        plan = gemm(of[0], "1024,2048,4096", of[1])
        out = lines(run, "1024,2048,4096", "--arch", of[0], "--element", of[1])
        assert out[0].endswith(f"tiles of {' x '.join(map(str, plan.l1))}")


def test_the_advice_for_wide_products(run: Run) -> None:
    out = lines(run, "1024,4096,512", "--tile", "128,256,256")
    assert out[2] == "swizzle   GemmIdentityBlockSwizzle<3,1>, CATLASS's advice for M < N"


def test_facts_are_those_of_the_schedule(run: Run) -> None:
    found = facts(run, *SQUARE, "--swizzle", "streamk<3,1>", "--arch", "Ascend950", "--blocks")
    schedule = schedules.streamk((4096, 4096, 4096), (128, 256, 256), 3, 1, cores=32)
    balance, traffic = schedule.balance(), schedule.traffic("half")
    assert found["swizzle"] == "StreamkGemmIdentityBlockSwizzle<3,1>"
    assert (found["cores"], found["tasks"], found["tiles"]) == (32, len(schedule), 512)
    assert found["covered_once"] is True
    assert found["work_of_cores"] == list(balance.work)
    assert found["busy"] == balance.efficiency
    assert found["bytes"]["read"] == traffic.read
    assert found["l2"]["capacity"] == Ascend950.l2
    assert [block["start"] for block in found["blocks"]] == [list(t.start) for t in schedule.tasks]
    assert set(found["blocks"][0]) == {
        "number", "core", "round", "coord", "start", "shape", "slice", "adds", "partial", "group",
    }  # fmt: skip


@pytest.mark.parametrize("word", list(WORDS))
def test_every_word(run: Run, word: str) -> None:
    out = lines(run, "1000,777,900", "--tile", "128,256,256", "--swizzle", word)
    assert "computed exactly once" in out[3]


def test_slices_and_a_workspace(run: Run) -> None:
    out = lines(run, "512,512,2048", "--tile", "128,256,256", "--swizzle", "splitk", "--splitk", "4")
    text = "\n".join(out)
    assert "every one of the 8 tiles is computed exactly once, in up to 4 slices of K: 32 tasks" in text
    assert "A 4.00 MiB, B 8.00 MiB, workspace 4.00 MiB" in text
    assert "tile of M,N,K" in text


def test_more_slices_than_tiles_of_k_are_noted(run: Run) -> None:
    out = lines(run, "100,100,100", "--tile", "128,256,256", "--swizzle", "splitk", "--splitk", "3")
    assert out[3:5] == [
        "cover     the one tile is computed exactly once, in up to 3 slices of K: 3 tasks",
        "note      K has 1 tile: 2 slices of 3 have nothing to compute, and what the workspace holds"
        " there is added up all the same",
    ]


def test_groups(run: Run) -> None:
    out = lines(
        run, "900,512,512", "--tile", "128,256,256", "--swizzle", "grouped_aswt", "--rows", "300,0,600"
    )
    assert any("[0,0@2" in line for line in out)
    out = lines(run, "900,512,512", "--tile", "128,256,256", "--rows", "300,0,600")
    assert any("[0,0@2" in line for line in out)


def test_blocks(run: Run) -> None:
    out = lines(run, "256,512,64", "--tile", "128,256,64", "--swizzle", "identity<1,0>", "--blocks")
    start = next(i for i, line in enumerate(out) if line.startswith("number"))
    assert [line.split() for line in out[start:]] == [
        ["number", "core", "round", "tile", "first", "element", "extents"],
        ["0", "0", "0", "(0,0,0)", "(0,0,0)", "(128,256,64)"],
        ["1", "1", "0", "(0,1,0)", "(0,256,0)", "(128,256,64)"],
        ["2", "2", "0", "(1,1,0)", "(128,256,0)", "(128,256,64)"],
        ["3", "3", "0", "(1,0,0)", "(128,0,0)", "(128,256,64)"],
    ]


@pytest.mark.parametrize("swizzle", ["identity", "single_core_splitk", "column", "grouped_aswt"])
def test_columns_of_blocks_stand_below_their_heads(run: Run, swizzle: str) -> None:
    """However long the places are."""
    out = lines(run, "100000,70000,512", "--tile", "12800,25600,128", "--swizzle", swizzle, "--blocks")
    start = next(i for i, line in enumerate(out) if line.startswith("number"))
    heads = [out[start].index(word) for word in ("tile", "first element", "extents")]
    for line in out[start + 1 :]:
        assert [match.start() for match in re.finditer(r"\(", line)] == heads
    notes = {line.find("slice") for line in out[start + 1 :]}
    assert len(notes) == 1


def test_c_where_nothing_is_said_of_it(run: Run) -> None:
    """As a plan has it: integers are summed up in int32_t."""
    assert facts(run, *SQUARE, "--element", "int8_t")["elements"] == {
        "a": "int8_t", "b": "int8_t", "c": "int32_t",
    }  # fmt: skip
    assert lines(run, *SQUARE, "--element", "half,half,float")[0].startswith(
        "problem   4096 x 4096 x 4096 of half, half, float,"
    )
    quantised = facts(run, *SQUARE, "--element", "int8_t,int8_t,int8_t")
    assert quantised["bytes"]["c"] == 4096 * 4096


def test_how_many_slices_are_taken_is_said(run: Run) -> None:
    out = lines(run, *SQUARE, "--swizzle", "splitk")
    assert out[2] == (
        "swizzle   SplitkGemmIdentityBlockSwizzle<1,0>, K in 1 slice as CATLASS's kernel has it"
    )
    out = lines(run, "512,512,512", "--tile", "128,256,256", "--versus", "splitk")
    assert out[3].startswith(
        "second    SplitkGemmIdentityBlockSwizzle<1,0>, K in 2 slices as CATLASS's kernel has it: every"
    )
    out = lines(run, *SQUARE, "--swizzle", "splitk", "--splitk", "2")
    assert out[2] == "swizzle   SplitkGemmIdentityBlockSwizzle<1,0>"


def test_kernels_of_another_architecture_are_noted(run: Run) -> None:
    note = "note      CATLASS's kernels with it are for Ascend950, not for AtlasA2"
    assert note in lines(run, *SQUARE, "--swizzle", "aswt")
    for arguments in (("--swizzle", "aswt", "--arch", "Ascend950"), ("--swizzle", "identity")):
        assert not [line for line in lines(run, *SQUARE, *arguments) if line.startswith("note")]
    out = lines(run, *SQUARE, "--versus", "iterate_k", "--arch", "Ascend950")
    assert out[5] == (
        "note      of the second: CATLASS's kernels with it are for AtlasA2 and AtlasA3, not for"
        " Ascend950"
    )


def test_versus_of_groups_and_of_none(run: Run) -> None:
    """They are not the same product, and that is said."""
    grouped = ("900,512,512", "--tile", "128,256,256", "--arch", "Ascend950", "--rows", "300,0,600")
    out = lines(run, *grouped, "--swizzle", "grouped_aswt", "--versus", "column")
    assert out[5] == (
        "note      not the same products: the first has 2 groups of rows, the second 1 group, each with"
        " its own B"
    )
    both = facts(run, *grouped, "--swizzle", "grouped_aswt", "--versus", "column")
    assert [(entry["groups"], entry["rows"]) for entry in both["schedules"]] == [
        (2, [300, 0, 600]),
        (1, [900]),
    ]
    out = lines(run, *grouped, "--swizzle", "grouped_aswt", "--versus", "grouped_aswt<2>")
    assert not [line for line in out if line.startswith("note")]


def test_versus_of_one_block(run: Run) -> None:
    out = lines(
        run,
        "1,512,1",
        "--tile",
        "1,256,1",
        "--swizzle",
        "identity",
        "--versus",
        "column",
        "--cores",
        "1",
    )
    assert out[4] == "differ    nothing: every block is on the same core in the same round"
    one = ("256,256,64", "--tile", "128,256,64", "--swizzle", "identity")
    out = lines(run, *one, "--versus", "l1_full_load", "--cores", "1")
    assert out[4].startswith("differ    nothing")


def test_versus_with_one_block_in_both(run: Run) -> None:
    out = lines(
        run, "128,512,256", "--tile", "128,256,64", "--cores", "3",
        "--swizzle", "streamk", "--versus", "single_core_splitk",
    )  # fmt: skip
    assert out[4] == (
        "differ    1 block in both; 1 of 1 block is on another core, 0 on the same core in another round"
    )


def test_versus_as_json_says_what_differs(run: Run) -> None:
    both = facts(run, *THIN, "--swizzle", "identity<3,1>", "--versus", "column")
    assert both["differ"] == {
        "same_blocks": 40, "other_core": 37, "other_round": 0, "all_blocks": False,
    }  # fmt: skip


def test_facts_say_what_was_asked(run: Run) -> None:
    found = facts(run, *SQUARE, "--arch", "910B3", "--element", "half,half,float")
    assert (found["arch"], found["cores"]) == ("Ascend910B3", 20)
    assert found["elements"] == {"a": "half", "b": "half", "c": "float"}
    assert (found["groups"], found["rows"]) == (1, [4096])
    l2 = found["l2"]
    assert l2["hits"] == (l2["read"] - l2["from_gm"]) / l2["read"]


def test_versus(run: Run) -> None:
    """The case of 11_matmul_optimization.md: <4,1> is better, for the busiest cores do less."""
    out = lines(run, *THIN, "--swizzle", "identity<3,1>", "--versus", "identity<4,1>")
    assert out[:4] == [
        "problem   160 x 6144 x 2048 of half, in tiles of 128 x 256 x 256",
        "cores     20 (AtlasA2 has 24)",
        "first     GemmIdentityBlockSwizzle<3,1>: every one of the 48 tiles is computed exactly once",
        "second    GemmIdentityBlockSwizzle<4,1>: every one of the 48 tiles is computed exactly once",
    ]
    rows = {line[:20].strip(): line[20:].split() for line in out[6:]}
    assert rows["busy"] == ["66.7", "%", "75.0", "%", "second,", "by", "11.1", "%"]
    assert rows["rounds"] == ["3", "3", "same"]
    assert out[4] == "differ    42 of 48 blocks are on another core, 0 on the same core in another round"


def test_versus_bands(run: Run) -> None:
    out = lines(run, *SQUARE, "--swizzle", "identity<3,0>", "--versus", "identity<1,0>")
    row = next(line for line in out if line.startswith("from GM, none kept"))
    assert row.split("  ")[-1].strip() == "first, by 43.1 %"


def test_versus_itself_and_another_kind(run: Run) -> None:
    out = lines(run, *THIN, "--swizzle", "identity<3,1>", "--versus", "identity<3,1>")
    assert out[4] == "differ    nothing: every block is on the same core in the same round"
    assert {line.split()[-1] for line in out[8:]} == {"same"}
    out = lines(run, *THIN, "--swizzle", "identity<3,1>", "--versus", "column")
    assert out[4] == (
        "differ    40 blocks in both; 37 of 40 blocks are on another core, 0 on the same core in another"
        " round"
    )
    assert out[3].endswith(
        "every one of the 48 tiles is computed exactly once, some in pieces: 80 tasks"
    )
    both = facts(run, *THIN, "--versus", "splitk", "--splitk", "2")["schedules"]
    assert [entry["slices"] for entry in both] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("4096,4096", "--tile", "1,1,1"), "expected three extents m,n,k of the problem"),
        (("0,4,4", "--tile", "1,1,1"), "the problem has m = 0: an extent is at least 1"),
        (("4,4,4", "--tile", "1,1"), "expected three extents m,n,k of the tile"),
        (
            (*SQUARE, "--swizzle", "identity<0>"),
            "offset of GemmIdentityBlockSwizzle = 0: it must be at least 1",
        ),
        ((*SQUARE, "--swizzle", "identity<1,2>"), "direction = 2: a swizzle has direction 0 or 1"),
        ((*SQUARE, "--swizzle", "zigzag"), "'zigzag' is no swizzle"),
        ((*SQUARE, "--versus", "zigzag"), "'zigzag' is no swizzle"),
        ((*SQUARE, "--arch", "H100"), "H100"),
        ((*SQUARE, "--cores", "100000"), "cores = 100000: a kernel is started on at most 65535"),
        ((*SQUARE, "--swizzle", "grouped_aswt", "--rows", "1,2"), "sum to 3: M is 4096"),
        ((*SQUARE, "--element", "half,int8_t,half"), "no cube core multiplies half by int8_t"),
        ((*SQUARE, "--element", "hlaf"), "'hlaf' is not an element type\n  Did you mean half"),
        ((*SQUARE, "--element", "half,half,half,half"), "there are 4 element types"),
        (
            (*SQUARE, "--element", "int4b_t", "--arch", "Ascend950"),
            "the cube core of Ascend950 does not multiply int4b_t by int4b_t",
        ),
        (
            (*SQUARE, "--element", "float8_e4m3_t"),
            "the cube core of AtlasA2 does not multiply float8_e4m3_t by float8_e4m3_t\n"
            "  It multiplies half",
        ),
        (
            (*SQUARE, "--element", "half,half,uint64_t"),
            "no C of uint64_t is made of sums of half by half\n  It is one of float, half, bfloat16_t",
        ),
        ((*SQUARE, "--element", "half,half,int32_t"), "no C of int32_t is made of sums of half"),
        ((*SQUARE, "--swizzle", ""), "'' is no swizzle"),
        ((*SQUARE, "--versus", ""), "'' is no swizzle"),
        ((*SQUARE, "--swizzle", "identty"), "'identty' is no swizzle\n  Did you mean identity?"),
        (
            (*SQUARE, "--swizzle", "identity<3,0"),
            "'<' is not closed behind identity\n  line 1, column 9",
        ),
        (
            (*SQUARE, "--swizzle", "grouped_aswt", "--rows", "1,x"),
            "expected the rows of each group with commas, found '1,x'",
        ),
        (("-1,1,1", "--tile", "1,1,1"), "the problem has m = -1: an extent is at least 1"),
        (
            ("10000000000,10000000000,1", "--tile", "1,1,1"),
            "100000000000000000000 tasks are too many to go through one by one: at most 2097152\n"
            "  A tile larger than GemmShape<1,1,1> makes fewer.",
        ),
        (
            ("100,100,100", "--tile", "16,16,16", "--swizzle", "splitk", "--splitk", "999999"),
            "48999951 tasks are too many to go through one by one: at most 2097152\n"
            "  A tile larger than GemmShape<16,16,16> makes fewer, and so do fewer slices of K than"
            " 999999.",
        ),
    ],
)
def test_input_that_is_wrong(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run("ascend", "schedule", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert words in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (),
            "arguments are required: M,N,K. M,N,K is the extents of the product, in elements",
        ),
        ((*SQUARE, "--cores", "0"), "needs a positive number, not '0'"),
        ((*SQUARE, "--cores", "-1"), "needs a positive number, not '-1'"),
        (
            (*SQUARE, "--splitk", "2"),
            "GemmIdentityBlockSwizzle: --swizzle splitk takes it",
        ),
        (
            (*SQUARE, "--rows", "1,2", "--swizzle", "column"),
            "ColumnBlockSwizzle: --swizzle identity or aswt or grouped_aswt takes it",
        ),
    ],
)
def test_a_command_line_that_is_wrong(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run("ascend", "schedule", *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_help(run: Run) -> None:
    code, out, _ = run("ascend", "schedule", "--help")
    assert code == 0
    assert "prove that every tile is computed once" in out.replace("\n", " ")
    assert "identity, splitk, tail_splitk" in out
    assert "more than 2097152 are refused" in out
    assert max(map(len, out.splitlines())) <= 110


def test_on_a_terminal() -> None:
    """Colour, and as many rounds as are as wide as the terminal."""
    pytest.importorskip("rich")
    assert "\x1b[" in on_a_terminal("ascend", "schedule", *SQUARE)
    out = on_a_terminal("ascend", "schedule", *SQUARE, NO_COLOR="1", COLUMNS="50")
    table = [line for line in out.splitlines() if line.startswith(("round", "    "))]
    assert max(map(len, (line for line in table if "[" in line))) <= 50
    assert any(line.startswith("round") and "..." in line for line in table)


def test_a_long_walk_shows_how_far_it_is() -> None:
    """Each of them, where standard error is a terminal."""
    pytest.importorskip("rich")
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [*COMMAND, "ascend", "schedule", "363,363,1", "--tile", "1,1,1"]
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as done:
        os.close(theirs)
        said = b""
        with suppress(OSError):  # Linux says so where the other end is closed
            while part := os.read(ours, 65536):
                said += part
        assert done.stdout is not None
        assert b"every one of the 131769 tiles" in done.stdout.read()
    os.close(ours)
    assert done.returncode == 0
    for what in (b"proving", b"counting", b"estimating L2"):
        assert what in said


def test_as_a_process() -> None:
    done = process("ascend", "schedule", "256,512,64", "--tile", "128,256,64")
    assert (done.code, done.err) == (0, "")
    assert "every one of the 4 tiles" in done.out
