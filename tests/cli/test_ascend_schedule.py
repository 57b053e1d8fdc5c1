"""``tla ascend schedule``: what it prints, proves and refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tla.ascend import Ascend950, schedules
from tla.ascend.schedules.swizzles import WORDS

from .running import process
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
        ((*SQUARE, "--swizzle", "identity<0>"), "offset = 0: it is at least 1"),
        ((*SQUARE, "--swizzle", "identity<1,2>"), "direction = 2: a swizzle has direction 0 or 1"),
        ((*SQUARE, "--swizzle", "zigzag"), "'zigzag' is no swizzle"),
        ((*SQUARE, "--versus", "zigzag"), "'zigzag' is no swizzle"),
        ((*SQUARE, "--arch", "H100"), "H100"),
        ((*SQUARE, "--cores", "100000"), "cores = 100000: a kernel is started on at most 65535"),
        ((*SQUARE, "--swizzle", "grouped_aswt", "--rows", "1,2"), "sum to 3: M is 4096"),
        ((*SQUARE, "--element", "half,int8_t,half"), "no cube core multiplies half by int8_t"),
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
        ((), "the following arguments are required: M,N,K, --tile"),
        (("4,4,4",), "the following arguments are required: --tile"),
        ((*SQUARE, "--cores", "0"), "needs a positive number, not '0'"),
        ((*SQUARE, "--splitk", "2"), "--splitk is not for GemmIdentityBlockSwizzle"),
        ((*SQUARE, "--rows", "1,2"), "--rows is not for GemmIdentityBlockSwizzle"),
        (
            (*SQUARE, "--swizzle", "grouped_aswt", "--rows", "1,x"),
            "needs numbers with commas, not '1,x'",
        ),
        ((*SQUARE, "--element", "half,half"), "takes one type or three, of A, B and C, not 2"),
        ((*SQUARE, "--element", "hlaf"), "'hlaf' is not an element type. Did you mean half"),
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
    assert max(map(len, out.splitlines())) <= 110


def test_on_a_terminal() -> None:
    """Colour, and as many rounds as are as wide as the terminal."""
    pytest.importorskip("rich")
    assert "\x1b[" in on_a_terminal("ascend", "schedule", *SQUARE)
    out = on_a_terminal("ascend", "schedule", *SQUARE, NO_COLOR="1", COLUMNS="50")
    table = [line for line in out.splitlines() if line.startswith(("round", "    "))]
    assert max(map(len, (line for line in table if "[" in line))) <= 50
    assert any(line.startswith("round") and "..." in line for line in table)


def test_as_a_process() -> None:
    done = process("ascend", "schedule", "256,512,64", "--tile", "128,256,64")
    assert (done.code, done.err) == (0, "")
    assert "every one of the 4 tiles" in done.out
