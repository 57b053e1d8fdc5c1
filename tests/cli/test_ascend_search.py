"""``tla ascend search``: the table, what it explains, the tuner's file, JSON, bad input."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tla.ascend import attention, search_attention
from tla.ascend.tuning.estimates import in_us

from .running import COMMAND, ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

SEARCH = ("ascend", "search")
SMALL = ("910B3", "half", "200,300,200", "--step", "32")


def test_the_table(run: Run) -> None:
    code, out, err = run(*SEARCH, *SMALL, "--top", "3")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "C[200,300] half = A[200,200] half * B[200,300] half",
        "Ascend910B3, 20 cores; MmadPingpong<Arch::AtlasA2,true>; GemmIdentityBlockSwizzle<3,1>",
        "A RowMajor, B RowMajor, C RowMajor",
    ]
    assert lines[3].endswith("of L1 ranked, with the best of L0")
    head = "rank us blocks rounds waits loaded from GM bound L1 L0"
    assert lines[5].split() == head.split()
    assert [line.split()[0] for line in lines[6:]] == ["1", "2", "3", "default"]
    times = [float(line.split()[1]) for line in lines[6:9]]
    assert times == sorted(times)
    assert max(map(len, lines)) <= 100


def test_json_and_table_say_the_same(run: Run) -> None:
    facts = json.loads(run(*SEARCH, *SMALL, "--top", "2", "--json", "--explain", "2").out)
    table = run(*SEARCH, *SMALL, "--top", "2", "--explain", "2").out.splitlines()
    assert (facts["arch"], facts["cores"], facts["problem"]) == ("Ascend910B3", 20, [200, 300, 200])
    assert facts["elements"] == ["half", "half", "half"]
    for tile, line in zip([*facts["tiles"], facts["default"]], table[6:9], strict=True):
        cells = line.split()
        assert cells[1] == in_us(tile["microseconds"] / 1e6)
        assert cells[2:4] == [str(tile["blocks"]), str(tile["rounds"])]
        assert cells[-3:] == [tile["bound"], *(",".join(map(str, tile[x])) for x in ("l1", "l0"))]
    assert facts["tiles"][1]["bound"] in facts["tiles"][1]["pipes"]
    assert list(facts["explained"]) == ["rank 2", "default"]
    for name, (first, *_) in facts["explained"].items():
        assert f"{name}: {first}" in table


def test_explain_compares_with_the_default(run: Run) -> None:
    tags = ("--tags", "RowMajor,ColumnMajor", "--step", "64")
    out = run(*SEARCH, "910B3", "half", "1024,576,6144", *tags, "--explain", "1").out
    lines = out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("rank 1: "))
    assert lines[first + 1] == "  bound by the cube, its products, 28.2 us on the most loaded core"
    default = next(i for i, line in enumerate(lines) if line.startswith("default: "))
    assert "GemmShape<128,256,256>" in lines[default]
    assert lines[-1] == "rank 1 is 1.97 times as fast as the default, by this estimate"


def test_orders_stand_in_a_column_where_there_are_several(run: Run) -> None:
    orders = ("--swizzle", "<3,1>", "--swizzle", "identity<4,1>")
    lines = run(*SEARCH, *SMALL, *orders, "--top", "2").out.splitlines()
    assert lines[5].endswith("swizzle")
    assert all("GemmIdentityBlockSwizzle<" in line for line in lines[6:])


def test_jobs_change_nothing(run: Run) -> None:
    assert run(*SEARCH, *SMALL, "--jobs", "2") == run(*SEARCH, *SMALL)


def test_the_tuner_gets_its_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "search_space_config.py"
    out = run(*SEARCH, *SMALL, "--top", "7", "--tuner", str(path)).out
    assert out.splitlines()[-1] == f"7 tiles written to {path}, for msTuner_CATLASS"
    tree = ast.parse(path.read_text())
    table = next(node for node in tree.body if isinstance(node, ast.Assign))
    assert len(ast.literal_eval(table.value)) == 7


def test_the_tuner_gets_its_text_on_standard_output(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "search_space_config.py"
    run(*SEARCH, *SMALL, "--top", "7", "--tuner", str(path))
    code, out, err = run(*SEARCH, *SMALL, "--top", "7", "--tuner", "-")
    assert (code, out, err) == (0, path.read_text(), "")


def test_a_tile_of_yours_stands_in_a_row(run: Run) -> None:
    tile = ("--tile", "96,160,64", "--top", "2")
    code, out, _ = run(*SEARCH, *SMALL, *tile, "--explain", "1")
    lines = out.splitlines()
    assert code == 0
    assert [line.split()[0] for line in lines[6:10]] == ["1", "2", "--tile", "default"]
    facts = json.loads(run(*SEARCH, *SMALL, *tile, "--json").out)
    own = facts["tile"]
    assert (own["l1"], own["legal"], own["reasons"]) == ([96, 160, 64], True, [])
    assert lines[8].split()[1] == in_us(own["microseconds"] / 1e6)
    l0 = ",".join(map(str, own["l0"]))
    ranked = facts["ranked"]
    assert lines[11] == f"GemmShape<96,160,64> with GemmShape<{l0}> is rank {own['rank']} of {ranked}"
    assert own["microseconds"] > facts["tiles"][1]["microseconds"]
    assert any(line.startswith("--tile: GemmShape<96,160,64>") for line in lines)
    assert lines[-2].endswith("times as fast as that of --tile, by this estimate")


def test_a_tile_that_is_not_legal_is_told_why(run: Run) -> None:
    code, out, err = run(*SEARCH, *SMALL, "--tile", "100,256,256", "--top", "1")
    lines = out.splitlines()
    assert (code, err) == (1, "")
    assert lines[7].split()[0] == "default"
    assert lines[9] == "GemmShape<100,256,256> with GemmShape<100,256,64> is not legal:"
    assert lines[10].startswith("  L1 overlap: A 0 [0,")
    done = run(*SEARCH, *SMALL, "--tile", "100,256,256", "--top", "1", "--json")
    own = json.loads(done.out)["tile"]
    assert done.code == 1
    assert (own["legal"], own["rank"], own["l1"]) == (False, None, [100, 256, 256])
    assert "  " + own["reasons"][0] == lines[10]


def test_leading_dimensions_count(run: Run) -> None:
    tight, odd = (
        json.loads(run(*SEARCH, "910B3", "half", "256,512,1024", "--step", "64", *ld, "--json").out)
        for ld in ((), ("--ld", "1025,513"))
    )
    assert odd["tiles"][0]["microseconds"] > tight["tiles"][0]["microseconds"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("910B9", "half", "64,64,64"), 1, "there is no architecture '910B9'"),
        (("AtlasA2", "halb", "64,64,64"), 1, "Did you mean half"),
        (("AtlasA2", "half", "64,64"), 1, "expected three extents"),
        (("AtlasA2", "half", "64,0,64"), 1, "the problem has n = 0"),
        (("AtlasA2", "half", "64,64,64", "--tags", "RowMayor"), 1, "RowMayor"),
        (("AtlasA2", "half", "64,64,64", "--policy", "Mmad"), 1, "not a dispatch policy"),
        (("AtlasA2", "half", "64,64,64", "--swizzle", "streamk"), 1, "does not speak of Streamk"),
        (("AtlasA2", "half", "64,64,64", "--step", "20"), 1, "step is 20"),
        (("AtlasA2", "half", "64,64,64", "--step", "0"), 2, "needs a positive number"),
        (("AtlasA2", "half", "64,64,64", "--top", "0"), 2, "needs a positive number"),
        (("AtlasA2", "half", "64,64,64", "--explain", "11"), 2, "not among the best 10: say --top 11"),
        (("AtlasA2", "half", "16,16,16", "--explain", "5"), 1, "no rank 5, the last is 1"),
        (("AtlasA2", "half", "64,64,64", "--tuner", "-", "--json"), 2, "prints the search space alone"),
        (("AtlasA2", "half", "64,64,64", "--tuner", "-", "--explain", "1"), 2, "search space alone"),
        (("AtlasA2", "half", "64,64,64", "--tile", "64,64"), 1, "three extents m,n,k of the tile in L1"),
        (("AtlasA2", "half", "64,64,64", "--ld", "63"), 1, "ld"),
        (("AtlasA2", "half", "64,64,64", "--policy", "MmadAtlasA2Small(stages=3)"), 1, "L0A alignment"),
        (("Ascend950", "fp8_e4m3fn_t", "64,64,64", "--tuner", "x"), 1, "the tuner has no element type"),
        (("AtlasA2", "half", "64,64,64", "--policy", "MmadPingpong(l1a_stages=7)"), 1, "The smallest"),
        (("AtlasA2", "half"), 2, "required: M,N,K"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = run(*SEARCH, *arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err


def test_help_helps(run: Run) -> None:
    out = run(*SEARCH, "--help").out
    for word in ("examples:", "--tuner", "--explain", "launch", "exit code"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 105


_LONG = {
    "many orders": [
        *("AtlasA2", "half", "4096,4096,4096"),
        *(text for band in range(1, 60) for text in ("--swizzle", f"<{band},0>")),
    ],
    "many slices": ["Ascend950", "half", "180000,180000,180000", "--swizzle", "splitk<1,0>"],
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
@pytest.mark.parametrize(
    "work",
    [
        pytest.param(_LONG["many orders"], id="many orders"),
        pytest.param(_LONG["many slices"], id="many slices", marks=pytest.mark.slow),
    ],
)
def test_an_interruption_ends_all(jobs: str, work: list[str]) -> None:
    """A search that would take long ends at once, with one line and no worker left behind."""
    command = [*COMMAND, *SEARCH, *work, "--jobs", jobs]
    process = subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(4)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    begun = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"tla: interrupted\n")
    assert time.monotonic() - begun < 10


def test_many_problems(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tiles.jsonl"
    words = (
        *SEARCH,
        "910B3",
        "half",
        "200,300,200",
        "64,512,96",
        "--step",
        "32",
        "--results",
        str(path),
    )
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split()[:2] == ["M,N,K", "us"]
    assert [row.split()[0] for row in rows] == ["200,300,200", "64,512,96"]
    assert len(path.read_text().splitlines()) == 2
    code, text, _err = run(*words, "--json")
    facts = [json.loads(line) for line in text.splitlines()]
    assert [each["problem"] for each in facts] == [[200, 300, 200], [64, 512, 96]]
    assert in_us(facts[0]["tiles"][0]["microseconds"] / 1e6) == rows[0].split()[1]
    assert run(*words, "--explain", "1")[0] == 2
    code, _out, err = run(*words[:-1], str(tmp_path / "no" / "file"))
    assert code == 1
    assert err.startswith("tla: error: cannot go on with ")


def test_groups(run: Run) -> None:
    words = (
        *SEARCH,
        "910B3",
        "half",
        "200,300,200",
        "--step",
        "32",
        "--rows",
        "100,0,60,40",
        "--top",
        "1",
    )
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].endswith(", 4 groups of M: 100, 0, 60, 40")
    code, _out, err = run(*words[:-3], "100,60")
    assert code == 1
    assert "the groups, 100, 60, sum to 160: M is 200" in err


def test_attention(run: Run) -> None:
    heads, plan = (
        "heads=16,q=1024,kv=2048,head=128",
        attention("AtlasA2", heads=16, q=1024, kv=2048, head=128),
    )
    words = (*SEARCH, "AtlasA2", "half", heads, "--top", "2", "--step", "64")
    code, out, err = run(*words)
    best = search_attention(plan, 2, 64)
    assert (code, err) == (0, "")
    assert [line.split()[-1] for line in out.splitlines()[-3:]] == [
        *(",".join(map(str, each.tile)) for each in best), "128,128,128",
    ]  # fmt: skip
    code, out, err = run(*words, "--json")
    assert [each["tile"] for each in json.loads(out)["tiles"]] == [list(each.tile) for each in best]
    for text, said in (
        (heads.replace("q", "p"), "attention has no 'p'"),
        (heads.replace("2048", "x"), "kv is a number"),
        ("heads=16,q=1024,kv=2048", "head of the attention is missing"),
        (f"{heads},masked=yes", "masked is 0 or 1"),
    ):
        code, out, err = run(*SEARCH, "AtlasA2", "half", text)
        assert (code, out, said in err) == (1, "", True)
    for more in (("--jobs", "2"), ("64,64,64",)):
        assert run(*words, *more)[0] == 2
