"""``tla oom``: out-of-memory reports computed again, and what would cost less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.xla_bridge import parse_array, physical_bytes

from .running import process

if TYPE_CHECKING:
    from .running import Run

REPORTS = Path(__file__).parent.parent / "data" / "oom"
LONG = REPORTS / "hbm_program.txt"


def test_the_table_and_the_advice(run: Run) -> None:
    code, out, err = run("oom", str(LONG), "--top", "1")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "line 1: out of memory in hbm: 41.74G of 16.00G, 25.74G too much"
    assert lines[1:3] == [
        "  total hbm 41.74G, reserved 528.00M, program 41.22G, arguments unknown size, output 0B,",
        "  shared with arguments 0B, program hbm 41.22G, global 204.0K, scoped 20.5K, HLO temp 41.19G",
    ]
    assert lines[3] == "  tiles and advice for v5e, assumed"
    assert [line.split() for line in lines[4:6]] == [
        ["#", "size", "data", "padding", "times", "check", "shape"],
        ["1", "32.00G", "1.00G", "31.00G", "32.0x", "agrees", "s32[8388608,8,4]{2,1,0:T(8,128)}"],
    ]
    assert lines[6:8] == [
        "  4 allocations, 1 listed: 32.11G computed, data 1.08G (29.8x)",
        "  in their best layouts 31.03G less; 25.74G must go",
    ]
    assert lines[9:] == [
        "  1. s32[8388608,8,4]{2,1,0:T(8,128)}",
        "     padded: dim 2: 4 -> 128 (32.00x)",
        "     1.00G (1.0x), 31.00G less: order the dims in memory as {0,2,1}",
        "       s32[8388608,8,4]{0,2,1:T(4,128)}",
        "       jax: Format(Layout(major_to_minor=(1, 2, 0), tiling=((4, 128),)), sharding)",
        "     1.00G (1.0x), 31.00G less: transpose the dims to (1,2,0)",
        "       s32[8,4,8388608]{2,1,0:T(4,128)}",
        "     4.00G (4.0x), 28.00G less: merge dims 1 and 2 (8*4) into one of 32",
        "       s32[8388608,32]{1,0:T(8,128)}",
        "     1.00G (1.0x), 31.00G less: merge dims 0 to 2 (8388608*8*4) into one of 268435456",
        "       s32[268435456]{0:T(1024)}",
    ]


def test_an_assumed_tile_and_a_difference_are_said(run: Run) -> None:
    out = run("oom", str(LONG)).out
    assert "f32[32,128,32,64]{3,0,2,1:T(8,128)}\n     layout has no tiles; the TPU default" in out
    assert (
        "4. f32[8,128]{1,0:T(8,128)}\n     the instruction takes it while it runs; the shape is" in out
    )


@pytest.mark.parametrize("path", sorted(REPORTS.glob("*.txt")), ids=lambda path: path.stem)
def test_every_report_is_read(run: Run, path: Path) -> None:
    done = run("oom", str(path))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("line ")
    assert run("oom", "-", stdin=path.read_bytes()) == done


def facts(run: Run, *options: str) -> dict[str, Any]:
    done = run("oom", str(LONG), "--json", *options)
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_json(run: Run) -> None:
    found = facts(run)
    (report,) = found["reports"]
    assert report["chip"] == "v5e"
    assert (report["used"], report["capacity"], report["line"]) == ("41.74G", "16.00G", 1)
    assert ["arguments", "unknown size"] in report["totals"]
    assert len(report["allocations"]) == 4
    assert report["allocations"][-1]["computed"] is None  # scratch memory
    for entry in report["allocations"][:-1]:
        computed = entry["computed"]
        assert computed["size_bytes"] == physical_bytes(parse_array(computed["shape"]))
        for candidate in (*entry["layouts"], *entry["shapes"]):
            assert candidate["bytes"] == physical_bytes(parse_array(candidate["xla"]))
            assert candidate["bytes"] == computed["size_bytes"] - candidate["saved_bytes"]
    first, second, *_ = report["allocations"]
    assert first["report"]["expansion"] == first["computed"]["expansion"] == "32.0x"
    assert first["layouts"][0]["xla"] == "s32[8388608,8,4]{0,2,1:T(4,128)}"
    assert (first["computed"]["assumed"], second["computed"]["assumed"]) == (False, True)
    assert len(facts(run, "--top", "2")["reports"][0]["allocations"]) == 2


def test_the_chip_decides_the_tiles(run: Run) -> None:
    text = b"1. Size: 6.00G\n Shape: u32[12582912,1]{1,0:T(8,128)}\n Allocation type: HLO temp\n"
    assert "u32[12582912,1]{0,1:T(1,128)}" in run("oom", "-", stdin=text).out
    assert "u32[12582912,1]{0,1:T(2,128)}" in run("oom", "-", "--chip", "TPU v3", stdin=text).out


def test_the_chip_of_a_report_is_the_one_with_its_memory(run: Run) -> None:
    head = "Ran out of memory in memory space hbm. Used 41.74G of {} hbm.\n"
    item = "1. Size: 6.00G\n Shape: u32[12582912,1]{1,0:T(8,128)}\n Allocation type: HLO temp\n"
    for memory, chip, tiles in (
        ("15.48G", "v3, which has 15.48G of hbm", "T(2,128)"),
        ("31.25G", "v6e, which has 31.25G of hbm", "T(1,128)"),
        ("16.00G", "v5e, assumed", "T(1,128)"),
    ):
        text = (head.format(memory) + item).encode()
        out = run("oom", "-", stdin=text).out
        assert f"\n  tiles and advice for {chip}\n" in out
        assert f"u32[12582912,1]{{0,1:{tiles}}}" in out
        out = run("oom", "-", "--chip", "v4", stdin=text).out
        assert "\n  tiles and advice for v4, as asked\n" in out


def test_nothing_to_advise(run: Run) -> None:
    text = b"1. Size: 4.0K\n Shape: f32[8,128]{1,0:T(8,128)}\n Allocation type: HLO temp\n"
    assert run("oom", "-", stdin=text).out.splitlines()[3:] == [
        "  1  4.0K  4.0K       0B   1.0x  agrees  f32[8,128]{1,0:T(8,128)}",
        "  1 allocation: 4.0K computed, data 4.0K (1.0x)",
    ]
    text = b"1. Size: 4.0K\n Shape: f32[7,127]{1,0:T(8,128)}\n Allocation type: HLO temp\n"
    assert "no order of the dims costs less" in run("oom", "-", stdin=text).out


def test_a_report_without_allocations_has_a_way_out(run: Run) -> None:
    done = run("oom", str(REPORTS / "v5e_hbm_temporaries.txt"))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "line 1: out of memory for temporaries in HBM: 116.44G of 15.75G",
        "  it lists no allocation; 'tla hlo FILE --live' lists what is live, where FILE is the",
        "  *.after_optimizations.txt that XLA writes with XLA_FLAGS=--xla_dump_to=FOLDER",
    ]


# --- what is wrong ---


def test_no_report(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("all went well\n")
    code, out, err = run("oom", str(path))
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {path} holds no out-of-memory report\n  A report starts as ")


def test_a_text_that_ends_inside_an_allocation(run: Run) -> None:
    text = LONG.read_bytes()
    code, out, err = run("oom", "-", stdin=text[: text.index(b"Shape: f32[32,128")])
    assert code == 1
    assert "agrees        s32[8388608,8,4]{2,1,0:T(8,128)}" in out
    assert "64.00M      -        -      -  not computed  -" in out
    fault = "standard input stops in line 25, inside the report of line 1"
    assert err == f"tla: {fault}; what was read is reported\n"


def test_lines_that_are_not_understood(run: Run) -> None:
    text = LONG.read_bytes().replace(b"Size: 32.00G", b"Size: -32.00G")
    code, out, err = run("oom", "-", stdin=text)
    assert code == 1
    assert "-32.00G   1.00G   31.00G  32.0x  differs       s32[8388608,8,4]{2,1,0:T(8,128)}" in out
    why = "standard input: 1 line not understood, line 16: '1. Size: -32.00G'"
    assert err == f"tla: {why}; what was read is reported\n"
    err = run("oom", "-", stdin=text.replace(b"size: 32.00M", b"size: ?")).err
    assert "2 lines not understood, the first in line 16: '1. Size: -32.00G'" in err
    (report,) = json.loads(run("oom", "-", "--json", stdin=text).out)["reports"]
    assert report["not_understood"] == [[16, "'1. Size: -32.00G'"]]


def test_the_figures_of_a_row_are_of_one_origin(run: Run) -> None:
    out = run("oom", str(LONG)).out.splitlines()
    (row,) = [line.split() for line in out if line.startswith("  4  ")]
    assert row[:-1] == ["4", "16.00M", "-", "-", "-", "not", "computed"]
    text = LONG.read_bytes().replace(b"Size: 32.00G", b"Size: 33.00G")
    out = run("oom", "-", stdin=text).out.splitlines()
    (row,) = [line.split() for line in out if line.startswith("  1  ")]
    assert row[:6] == ["1", "33.00G", "1.00G", "31.00G", "32.0x", "differs"]
    assert "     size: the report says 33.00G, 32.00G is computed" in out


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\n\xff\xfe", "byte {at}, in line {line}, is not UTF-8"),
        (b"\n\0", "line {line} has a zero byte"),
    ],
)
def test_a_file_that_is_not_all_text(run: Run, tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "binary"
    text = LONG.read_bytes()
    path.write_bytes(text + data)
    code, out, err = run("oom", str(path))
    assert (code, out) == (1, run("oom", str(LONG)).out)
    fault = why.format(at=len(text) + 1, line=text.count(b"\n") + 2)
    assert err == f"tla: {path} is not all text: {fault}; what was read is reported\n"
    path.write_bytes(data)
    code, out, err = run("oom", str(path))
    assert (code, out) == (1, "")
    assert "holds no out-of-memory report" in err


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none"
    done = run("oom", str(path))
    assert done == (1, "", f"tla: error: cannot read {path}: No such file or directory\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: FILE"),
        (["a", "--top", "0"], "argument --top: needs a positive number"),
        (["a", "--chip", "h100"], "argument --chip: there is no TPU 'h100'; known: v2, v3, v4, v5e"),
    ],
)
def test_wrong_command_line(run: Run, arguments: list[str], error: str) -> None:
    code, out, err = run("oom", *arguments)
    assert (code, out) == (2, "")
    assert f"tla oom: error: {error}" in err


def test_as_a_process(run: Run) -> None:
    assert process("oom", str(LONG)) == run("oom", str(LONG))


def test_a_report_that_is_repeated_is_counted(run: Run, tmp_path: Path) -> None:
    report = "Ran out of memory in memory space vmem. Used 17.00M of 16.00M vmem.\n"
    file = tmp_path / "log.txt"
    for times, words in ((1, ""), (2, ", 2 times"), (3, ", 3 times")):
        file.write_text("x\n".join([report] * times))
        first = run("oom", str(file)).out.splitlines()[0]
        assert first == f"line 1: out of memory in vmem: 17.00M of 16.00M{words}"
