"""``tla hlo``: the array shapes of a module, the largest waste first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tla.xla_bridge import XlaShape, logical_bytes, parse_shape, physical_bytes, to_layout

from .running import MODULES, process

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

NAMES = sorted(path.stem for path in MODULES.glob("*.hlo"))


def shapes(run: Run, name: str) -> list[dict[str, Any]]:
    """The shapes of a module, as data."""
    done = run("hlo", str(MODULES / f"{name}.hlo"), "--json")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    assert facts["not_read"] == []
    listed: list[dict[str, Any]] = facts["shapes"]
    return listed


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_of_each_shape(run: Run, name: str) -> None:
    for entry in shapes(run, name):
        shape = parse_shape(entry["xla"], "strict")
        assert isinstance(shape, XlaShape)
        assert entry["xla"] == str(shape)
        assert (entry["tla"], entry["reason"]) == (str(to_layout(shape)), None)
        assert entry["bytes"] == logical_bytes(shape)
        assert entry["physical_bytes"] == physical_bytes(shape)
        assert entry["waste_bytes"] == entry["physical_bytes"] - entry["bytes"]
        assert entry["times"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_the_largest_waste_comes_first(run: Run, name: str) -> None:
    order = [(-e["waste_bytes"], -e["physical_bytes"]) for e in shapes(run, name)]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("name", "distinct", "results"),
    [
        ("v5e_attention_block", 38, 274),
        ("v5e_int4_dequant", 4, 11),
        ("v5e_int8_matmul", 5, 16),
        ("v5e_pad_window", 4, 8),
    ],
)
def test_the_modules(run: Run, name: str, distinct: int, results: int) -> None:
    listed = shapes(run, name)
    assert (len(listed), sum(e["times"] for e in listed)) == (distinct, results)
    out = run("hlo", str(MODULES / f"{name}.hlo")).out
    assert out.splitlines()[-1] == f"{distinct} distinct array shapes of {results} results"


def test_the_table(run: Run) -> None:
    code, out, err = run("hlo", str(MODULES / "v5e_int8_matmul.hlo"), "--top", "2")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["waste", "padded", "data", "times", "xla", "tla"],
        [
            *("281.25", "KiB", "11.72", "MiB", "11.44", "MiB", "2", "s32[1000,3000]{1,0:T(8,128)}"),
            "((_8,_125),(_128,_24)):((_128,_24576),(_1,_1024)):(_1000,_3000)",
        ],
        [
            *("0", "B", "2.20", "MiB", "2.20", "MiB", "4", "s8[768,3000]{0,1:T(8,128)(4,1)S(1)}"),
            "((_128,_6),(_4,_2,_375)):((_4,_1024),(_1,_512,_6144))",
        ],
        ["5", "distinct", "array", "shapes", "of", "16", "results,", "2", "listed"],
    ]


def test_the_columns_stand_below_each_other(run: Run) -> None:
    head, *lines, _total = run("hlo", str(MODULES / "v5e_attention_block.hlo")).out.splitlines()
    for name in ("xla", "tla"):
        column = head.index(name)
        assert all(line[column - 1] == " " and line[column] != " " for line in lines)


def test_packed_elements_are_packed_data(run: Run) -> None:
    """Four bits each: 512 x 1000 take 250 KiB and no padding."""
    packed = next(e for e in shapes(run, "v5e_int4_dequant") if e["xla"].startswith("s4["))
    assert packed["bytes"] == packed["physical_bytes"] == 256000


def test_standard_input(run: Run) -> None:
    path = MODULES / "v5e_pad_window.hlo"
    assert run("hlo", "-", stdin=path.read_bytes()) == run("hlo", str(path))


def test_a_module_of_the_document(run: Run) -> None:
    """shapes.md: an instruction without header, its operands without shapes."""
    text = (
        b"add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}\n add(exponential.183, broadcast.3115)"
    )
    code, out, _err = run("hlo", "-", stdin=text)
    assert code == 0
    assert "(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))" in out


def test_a_shape_without_nested_layout_is_listed_with_the_reason(run: Run) -> None:
    text = b"x = u8[6]{0:T(5)(3,2)} a()"
    assert "none (broken-digit)" in run("hlo", "-", stdin=text).out
    (entry,) = json.loads(run("hlo", "-", "--json", stdin=text).out)["shapes"]
    assert (entry["tla"], entry["reason"], entry["physical_bytes"]) == (None, "broken-digit", 18)


def test_what_is_not_read_is_said_and_stops_nothing(run: Run) -> None:
    text = b"x = b(f32[3]) a()\ny = f32[2] b()\nz = b(f32[3]) c()"
    code, out, err = run("hlo", "-", stdin=text)
    assert code == 0
    assert "f32[2]{0}" in out
    assert err == "tla: not read: b(f32[3]) (2 times): buffer shapes b(...) are not read\n"
    code, out, err = run("hlo", "-", "--json", stdin=text)
    assert (code, err) == (0, "")
    assert json.loads(out)["not_read"] == [
        {"text": "b(f32[3])", "times": 2, "reason": "buffer shapes b(...) are not read"}
    ]


def test_a_bounded_dim_counts_as_its_bound_and_an_unknown_one_not_at_all(run: Run) -> None:
    text = b"x = f32[<=3]{0:T(4)} a()\ny = f32[?] b()"
    code, out, err = run("hlo", "-", stdin=text)
    assert code == 0
    assert "4 B    16 B  12 B      1  f32[<=3]{0:T(4)}  (_4):(_1):(d0{min=0,max=3})" in out
    assert err == "tla: not read: f32[?]{0} (1 times): its size is not known: it has a dim '?'\n"
    (entry,) = json.loads(run("hlo", "-", "--json", stdin=text).out)["shapes"]
    assert (entry["bytes"], entry["physical_bytes"]) == (12, 16)


# --- what is wrong ---


def refused(run: Run, path: Path | str) -> str:
    """The error of a file that is no module."""
    code, out, err = run("hlo", str(path))
    assert (code, out) == (1, "")
    return err


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.hlo"
    assert refused(run, path) == f"tla: error: cannot read {path}: No such file or directory\n"


def test_a_directory(run: Run, tmp_path: Path) -> None:
    assert refused(run, tmp_path) == f"tla: error: cannot read {tmp_path}: Is a directory\n"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x7fELF\xff\xfe", "is not text: byte 4 is not UTF-8"),
        (b"x = f32[2] a()\0", "is not text: it holds a zero byte"),
    ],
)
def test_a_file_that_is_no_text(run: Run, tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "binary"
    path.write_bytes(data)
    assert refused(run, path) == f"tla: error: {path} {why}\n"


@pytest.mark.parametrize("text", ["", "\n", "a text about shapes\n", "def f(x):\n    return x[0]\n"])
def test_a_file_that_is_no_module(run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "text"
    path.write_text(text, "utf-8")
    assert refused(run, path).startswith(f"tla: error: {path} is no HLO module\n")


def test_standard_input_that_is_no_text(run: Run) -> None:
    code, _out, err = run("hlo", "-", stdin=b"\xff")
    assert (code, err) == (1, "tla: error: standard input is not text: byte 0 is not UTF-8\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: FILE"),
        (["a", "b"], "unrecognized arguments: b"),
        (["a", "--top", "0"], "argument --top: needs a positive number"),
        (["a", "--top", "-1"], "argument --top: needs a positive number"),
        (["a", "--top", "x"], "argument --top: needs a positive number, not 'x'"),
    ],
)
def test_wrong_command_line(run: Run, arguments: list[str], error: str) -> None:
    code, out, err = run("hlo", *arguments)
    assert (code, out) == (2, "")
    assert f"tla hlo: error: {error}" in err


def test_as_a_process() -> None:
    path = MODULES / "v5e_attention_block.hlo"
    done = process("hlo", str(path))
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("38 distinct array shapes of 274 results\n")
    assert process("hlo", "-", stdin=path.read_bytes()) == done
