"""``tla hlo`` of many modules."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from .running import MODULES

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from .running import Run

COPIES = MODULES.parent / "copies"
DUMP = MODULES.parent / "tpu_dumps"


def test_a_line_for_each_module(run: Run, tmp_path: Path) -> None:
    results = str(tmp_path / "modules.jsonl")
    arguments = "hlo", str(COPIES), "--executor", "processes", "--results", results, "--json"
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    facts = [json.loads(line) for line in out.splitlines()]
    assert len(facts) == len(list(COPIES.glob("*.hlo")))
    peaks = [each["compiler_peak_bytes"] for each in facts]
    assert peaks == sorted(peaks, reverse=True)
    assert run(*arguments).out == out
    table = run("hlo", str(COPIES), "--results", results, "--chip", "v5e", "--top", "2").out.splitlines()
    assert table[0].split()[:2] == ["peak", "HBM"]
    assert (len(table), table[-1]) == (4, f"{len(facts)} modules")


def test_the_modules_of_a_dump_and_files_that_are_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.hlo").write_text("no module", "utf-8")
    code, out, err = run("hlo", str(DUMP), str(tmp_path))
    assert code == 1
    assert "jit_mlp" in out
    assert f"tla: {tmp_path / 'x.hlo'}: " in err


def test_dask_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _out, err = run("hlo", str(COPIES), "--executor", "dask")
    assert code == 1
    assert err.startswith("tla: error: --executor dask needs dask.distributed, which is not installed\n")
