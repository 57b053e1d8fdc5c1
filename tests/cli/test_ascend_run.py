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
    assert "C: differs from the expected one" in out


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
    assert out[-1] == "116 instructions left out in turn, 2 of them redundant"


def test_a_timeline(run: Run, tmp_path: Path) -> None:
    events = tmp_path / "events.json"
    code, out, err = run(*RUN, TRACE, "--timeline", "--trace-events", str(events))
    assert (code, err) == (0, "")
    assert "critical path:" in out
    assert json.loads(events.read_text())["traceEvents"]
    assert "<svg" in run(*RUN, TRACE, "--svg").out
    assert "--timeline" in run(*RUN, TRACE, "--svg", "--timeline").err


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
    wrong.write_bytes(b"\xff\xfe")
    assert "is no trace: byte 0 is not UTF-8" in run(*RUN, str(wrong)).err
    assert "cannot read" in run(*RUN, str(tmp_path / "none")).err
    assert "there is no check 'rice'" in run(*RUN, TRACE, "--check", "rice").err
    assert "the kernel has no tensor 'Z'" in run(*RUN, TRACE, f"--save=Z={tmp_path / 'z.npy'}").err
