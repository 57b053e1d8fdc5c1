"""Many modules: the same summaries by any executor, and from the file of results."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tla.errors import ParseError
from tla.hlo import read_module
from tla.memory import ModuleSummary, live, scoped_vmem, sweep

MODULES = Path(__file__).parent.parent / "data" / "tpu_hlo"
SMALL = sorted(MODULES.glob("*.hlo"), key=lambda path: path.stat().st_size)[:4]


def test_the_summaries_are_those_of_the_reports() -> None:
    found = sweep(SMALL)
    assert [each.peak_bytes for each in found] == sorted((s.peak_bytes for s in found), reverse=True)
    for each in found:
        module = read_module(Path(each.path).read_text("utf-8"))
        peaks = {peak.memory_space: peak.bytes for peak in live(module).peaks}
        assert (each.module, dict(each.peaks)) == (module.name, peaks)
        assert each.compiler_peak_bytes == live(module).compiler_peak_bytes
        assert each.scoped_bytes == scoped_vmem(module).peak_bytes
    with ThreadPoolExecutor(2) as executor:
        assert sweep(SMALL, executor) == found


def test_a_run_goes_on(tmp_path: Path) -> None:
    paths = [tmp_path / path.name for path in SMALL]
    for path, source in zip(paths, SMALL, strict=True):
        path.write_text(source.read_text("utf-8"), "utf-8")
    results = tmp_path / "modules.jsonl"
    whole = sweep(paths, results=results)
    lines = results.read_text("utf-8").splitlines(keepends=True)
    results.write_text("".join(lines[:2]) + lines[2][:30], "utf-8")  # a run that was ended
    calls: list[tuple[int, int]] = []
    assert sweep(paths, results=results, progress=lambda *call: calls.append(call)) == whole
    assert calls == [(3, 4), (4, 4)]
    os.utime(paths[0], (1, 1))  # this file has changed
    calls.clear()
    assert sweep([*paths, paths[0]], results=results, progress=lambda *call: calls.append(call)) == whole
    assert calls == [(4, 4)]
    results.write_text(json.dumps({"stamp": "a"}) + "\n", "utf-8")
    with pytest.raises(ParseError, match="is no result"):
        sweep(paths, results=results)


def test_files_that_are_no_module_come_last(tmp_path: Path) -> None:
    other, data = tmp_path / "other.hlo", tmp_path / "data.hlo"
    other.write_text("HloModule m\nENTRY e {", "utf-8")
    data.write_bytes(b"\xff\x00")
    absent = str(tmp_path / "absent.hlo")
    found = sweep([absent, other, data, SMALL[0]])
    assert found[0].path == str(SMALL[0])
    reasons = {Path(each.path).stem: each.reason for each in found[1:]}
    assert reasons["data"] == "no text: byte 0 is not UTF-8"
    assert reasons["absent"].startswith("cannot be read: No such file")
    assert reasons["other"]
    assert sweep([]) == []
    assert ModuleSummary("a", peaks=((0, 4), (1, 8))).peak_bytes == 8
