"""``tla ascend record``: what it writes and prints, with a stand-in for the compiler; bad input."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

RECORD = ("ascend", "record")
_LINES = """{"core": "AIV0", "op": "PipeBarrier", "pipe": "V"\t0
{"core": "AIV0", "op": "GetValue", "pipe": "S", "src": {"space": "GM", "tensor": @1, "offset": 0}\t0
"""
_FACTS = {
    "end": "ran", "core": "AIV0", "launches": 2, "blocks": 1, "stacks": [[], []],
    "tensors": [{"expression": "&deviceA", "stack": 0, "bytes": 96},
                {"expression": "(void**)&aDevice", "stack": 0, "bytes": 2048}],
    "divisions_by_zero": [[1, 3]], "missing_files": ["data/q.bin"],
}  # fmt: skip


@pytest.fixture
def compiler(tmp_path: Path) -> str:
    """A stand-in whose every program leaves the same trace and writes down its arguments."""
    (tmp_path / "lines").write_text(_LINES)
    (tmp_path / "facts").write_text(json.dumps(_FACTS))
    program = tmp_path / "program"
    program.write_text(
        f"#!/bin/sh\ncp {tmp_path}/lines $TLA_TRACE; cp {tmp_path}/facts $TLA_TRACE.facts\n"
        f'echo "$TLA_CORES $TLA_KIND $@" > {tmp_path}/asked\n'
    )
    script = tmp_path / "c++"
    script.write_text(
        f"#!/bin/sh\nfor last; do :; done\necho $@ > {tmp_path}/options\ncp {program} $last\n"
    )
    for file in (program, script):
        file.chmod(0o755)
    (tmp_path / "kernel.cpp").write_text("int main() {}")
    return str(script)


def test_the_trace_and_the_report(
    run: Run, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--compiler", compiler, "--core", "vec", "--cores", "3", "-D", "N=4", "-I", "own")
    code, out, err = run(*RECORD, "kernel.cpp", *options, "--", "--help", "-o", "--")
    assert (code, err) == (0, "tla: 1 file of data not there, read as zeros: data/q.bin\n")
    assert out.splitlines() == [
        "kernel.jsonl.gz: 2 calls on AtlasA2, 1 block in 2 launches, one after the other",
        *("", "calls", "         1  PipeBarrier", "         1  GetValue"),
        *("", "tensors in global memory", "  A: 96 bytes", "  a: 2048 bytes (2.00 KiB)"),
        *("", "divisions by zero, taken as 0", "         3  ?"),
    ]
    assert (tmp_path / "asked").read_text() == "3 vec --help -o --\n"
    given = (tmp_path / "options").read_text()
    assert " -DN=4 " in given
    assert f" -I{tmp_path}/own " in given
    with gzip.open(tmp_path / "kernel.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    assert rows[1]["src"] == {"space": "GM", "tensor": "a", "offset": 0}
    code, out, _ = run(*RECORD, "kernel.cpp", "--compiler", compiler, "-o", "t.jsonl", "--json")
    facts = json.loads(out)
    assert (facts["trace"], facts["lines"], facts["calls"]) == (
        "t.jsonl",
        4,
        {"PipeBarrier": 2, "GetValue": 2},
    )
    assert [json.loads(line)["op"] for line in (tmp_path / "t.jsonl").read_text().splitlines()] == [
        *("PipeBarrier", "GetValue") * 2
    ]


def test_bad_input(run: Run, compiler: str, tmp_path: Path) -> None:
    source = str(tmp_path / "kernel.cpp")
    assert "there is no file none.cpp" in run(*RECORD, "none.cpp").err
    assert "cannot write" in run(*RECORD, source, "-o", str(tmp_path / "no" / "t.jsonl")).err
    assert "there is no compiler no-c++" in run(*RECORD, source, "--compiler", "no-c++").err
    assert run(*RECORD, source, "--core", "cub").code == 2
    code, _, err = run(*RECORD, source, "300", "300")
    assert (code, err.endswith("the arguments of the program stand behind --: -- 300 300\n")) == (
        2,
        True,
    )
    assert "examples:" in run(*RECORD, "--help").out
