# SPDX-License-Identifier: Apache-2.0
"""``tla ascend run``: a recorded kernel, its tensors, its findings, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .running import Run

RUN = ("ascend", "run")
TRACE = str(Path(__file__).parents[1] / "data" / "kernels" / "batched.jsonl.gz")


def test_a_product_as_a_user_gives_it(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, shape).astype(np.float16) for shape in ((3, 100, 150), (3, 150, 200)))
    names = {"A": a, "B": b, "C": np.matmul(a.astype(np.float32), b).astype(np.float16)}
    for name, array in names.items():
        np.save(tmp_path / f"{name}.npy", array)
    given = [f"--tensor={name}={tmp_path / name}.npy" for name in "AB"]
    saved = tmp_path / "out.npy"
    code, out, err = run(*RUN, TRACE, *given, f"--expect=C={tmp_path / 'C.npy'}", f"--save=C={saved}")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "AtlasA2, 2 cores, 227 instructions",
        "C: equals the expected one",
        "no findings",
    ]
    assert np.array_equal(np.load(saved).view(np.float16), names["C"].reshape(-1))
    code, out, _ = run(*RUN, TRACE, given[0], f"--expect=C={tmp_path / 'C.npy'}")
    assert code == 1
    assert "C: differs from the expected one in 59517 elements, first in 0" in out
    for other, words in {
        "float32": "C: is of float16, and the expected one of float32",
        "uint16": "C: equals the expected one",
    }.items():
        np.save(tmp_path / "other.npy", names["C"].view(other))
        assert words in run(*RUN, TRACE, *given, f"--expect=C={tmp_path / 'other.npy'}").out
    for count, words in {1000: "120000 bytes, and the expected one 2000", 60001: "one 120002"}.items():
        np.save(tmp_path / "other.npy", np.resize(names["C"], count))
        code, out, _ = run(*RUN, TRACE, *given, f"--expect=C={tmp_path / 'other.npy'}")
        assert (code, words in out) == (1, True), out
    code, _, err = run(*RUN, TRACE, given[0].replace("=A=", "=AA="))
    assert (code, err) == (1, "tla: error: the kernel has no tensor 'AA'\n  Did you mean A?\n")
    np.save(tmp_path / "wide.npy", a.astype(np.float32))
    err = run(*RUN, TRACE, f"--tensor=A={tmp_path / 'wide.npy'}").err
    assert "tensor 'A' is of float16, and the array of float32" in err


def test_a_line_left_out(run: Run) -> None:
    lines = ("--drop", "26", "--check", "race,sync")
    code, out, err = run(*RUN, TRACE, *lines)
    assert (code, err) == (1, "")
    assert "synccheck: left set" in out
    facts = json.loads(run(*RUN, TRACE, *lines, "--json").out)
    assert facts["pending_sets"] > 0  # of MTE1_M, as CATLASS has it; --strict reports them
    checks = {finding["check"] for finding in facts["findings"]}
    assert checks <= {"synccheck", "racecheck"}
    assert facts["findings"][0]["at"][0]["core"] == "AIC0"


def test_each_flag_left_out_in_turn(run: Run) -> None:
    out = run(*RUN, TRACE, "--drop-sync").out.splitlines()
    row = next(line for line in out if line.startswith("  26"))
    assert row.split()[:4] == ["26", "AIC0", "WaitFlag<MTE2_MTE1>(2)", "MTE1"]
    assert "  racecheck RAW, synccheck left set  " in row
    assert row.endswith("  catlass/gemm/block/block_mmad_pingpong.hpp:303")
    assert out[-1] == "116 instructions left out in turn, 2 of them redundant"
    one = run(*RUN, TRACE, "--drop", "26")
    for words in (("--drop-sync", "26", TRACE), (TRACE, "--drop-sync=block_mmad_pingpong.hpp:303")):
        assert run(*RUN, *words).code == 1
    assert run(*RUN, "--drop-sync", "26", TRACE) == one
    assert run(*RUN, "--drop-sync", TRACE).code == 0


def test_a_timeline(run: Run, tmp_path: Path) -> None:
    events = tmp_path / "events.json"
    code, out, err = run(*RUN, TRACE, "--timeline", "--trace-events", str(events))
    assert (code, err) == (0, "")
    assert "critical path:" in out
    assert json.loads(events.read_text())["traceEvents"]
    assert "<svg" in run(*RUN, TRACE, "--svg", "--timeline").out
    page = tmp_path / "t.html"
    code, out, err = run(*RUN, TRACE, "--check", "race,mem", "--timeline", "-o", str(page))
    assert (code, out, err) == (0, "AtlasA2, 2 cores, 227 instructions\nno findings\n", "")
    assert "<svg" in page.read_text()
    assert "--drop-sync" in run(*RUN, TRACE, "--svg", "--drop-sync").err


def test_bad_input(run: Run, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    for text, message in {
        "no json\n": "line 1 of the trace is no call",
        '{"core": "AIC0", "op": "SetFlag", "pipe": "M"}\n': "it has no 'event'",
        '{"core": "AIC0", "op": "Add", "pipe": "Q"}\n': "there is no pipe 'Q'",
        '{"core": "AIC0", "op": "Add", "src": {"space": "XX", "dtype": "a"}}\n': "no space 'XX'",
    }.items():
        wrong.write_text(text)
        code, _, err = run(*RUN, str(wrong))
        assert (code, message in err) == (1, True), err
    for text, message in {
        "\n": "is no trace: it has no calls",
        "[1]\n": "list [1] is no object",
        '{"core": 3, "op": "Add"}\n': "its core is int 3, not a text",
        '{"core": "AIC0", "op": ["Add"]}\n': "its op is list ['Add'], not a text",
        '{"core": "AIC0", "op": "Add", "params": [1]}\n': "its params is list [1], not an object",
        '{"core": "AIC0", "op": "Add", "site": 5}\n': "its site is int 5, not a text",
        '{"core": "AIC0", "op": "Add", "src": {"space": "UB", "dtype": "half", "addr": 1.5}}\n':
            "its addr is float 1.5, not an int",
        '{"core": "AIC0", "op": "SetFlag", "params": {"event": "M_S", "id": true}}\n':
            "its id is bool True, not an int",
    }.items():  # fmt: skip
        wrong.write_text(text)
        code, _, err = run(*RUN, str(wrong))
        assert (code, message in err) == (1, True), err
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(Path(TRACE).read_bytes()[:500])
    assert "damaged.jsonl.gz is damaged, or no gzip file" in run(*RUN, str(damaged)).err
    err = run(*RUN, TRACE, "--drop", "300").err
    assert err == (
        "tla: error: the kernel has no instruction 300 to leave out\n"
        "  Its last is 227; a line of source is FILE:LINE.\n"
    )
    assert "--cores is for a kernel of Python" in run(*RUN, TRACE, "--cores", "3").err
    wrong.write_bytes(b"\xff\xfe")
    assert "is no trace: byte 0 is not UTF-8" in run(*RUN, str(wrong)).err
    assert "cannot read" in run(*RUN, str(tmp_path / "none")).err
    assert "there is no check 'rice'" in run(*RUN, TRACE, "--check", "rice").err
    assert "the kernel has no tensor 'Z'" in run(*RUN, TRACE, f"--save=Z={tmp_path / 'z.npy'}").err
