"""``tla hlo DUMP/``: the buffer assignment of a compiler's dump."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from .running import MODULES

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

DUMP = MODULES.parent / "tpu_dumps"
MLP = "module_0001.jit_mlp.cl_1"


def test_a_folder_of_modules_has_a_line_for_each(run: Run) -> None:
    code, out, err = run("hlo", str(DUMP), "--chip", "v5e")
    assert (code, err) == (0, "")
    assert [line.split()[-1] for line in out.splitlines()[:3]] == [
        *("module", "module_0004.jit_top.cl_1", MLP),
    ]
    facts = json.loads(run("hlo", str(DUMP), "--json").out)
    assert facts["modules"][1]["bytes"] == {"0": 18874880, "1": 8388608, "2": 4}


def test_a_module_that_ran_out_of_memory(run: Run) -> None:
    """The error was: total memory required for HLO temporaries 64.29G, available HBM 15.75G."""
    code, out, err = run("hlo", str(DUMP), "--module", "top", "--chip", "v5e", "--top", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[3].split()[:7] == ["32.00", "GiB", "0", "B", "38", "0", "HBM"]
    assert lines[3].endswith("jit(oom_softmax)/div")
    at = lines.index("HBM: 69025685504 bytes (64.29 GiB)")
    assert lines[at + 1] == "  a v5e has 16911433728 bytes (15.75 GiB): it does not fit"
    assert lines[at + 2].startswith(
        "  68719493632 bytes (64.00 GiB) of temporaries, at most 68719477248"
    )
    assert lines[at + 3] == "  16384 bytes (16.00 KiB) between them: fragmentation"


def test_a_module_as_data(run: Run) -> None:
    facts = json.loads(run("hlo", str(DUMP), "--module", "mlp", "--json").out)
    assert facts["missing"] == []
    assert [(each["memory_space"], each["bytes"]) for each in facts["spaces"]] == [
        *((0, 18874880), (1, 8388608), (2, 4)),
    ]
    assert all(each["bytes"] == each["reported_bytes"] for each in facts["spaces"])
    first = facts["values"][0]
    assert (first["value"], first["op_name"], first["offset"]) == ("%a_2_.1", "a[2]", 0)


@pytest.mark.parametrize(
    ("left_out", "says"),
    [
        ("after_codegen", "  no text of the module: "),
        ("live-range", "  no *live-range.txt: what is live at once, and fragmentation, are not known"),
        ("memory-usage-report", "  no *memory-usage-report.txt: "),
    ],
)
def test_what_is_said_without_a_file(run: Run, tmp_path: Path, left_out: str, says: str) -> None:
    for path in DUMP.glob(f"{MLP}.*"):
        if left_out not in path.name:
            shutil.copy(path, tmp_path)
    code, out, err = run("hlo", str(tmp_path), "--top", "1")
    assert (code, err) == (0, "")
    assert says in out
    assert "HBM: 18874880 bytes (18.00 MiB)\n" in out


def test_without_the_assignment_the_buffers_are_those_of_the_module(run: Run, tmp_path: Path) -> None:
    shutil.copy(DUMP / f"{MLP}.after_codegen.txt", tmp_path)
    code, out, err = run("hlo", str(tmp_path), "--chip", "v5e")
    assert code == 0
    assert err.startswith("tla: no *buffer-assignment.txt: allocations and addresses are not known")
    assert "HBM: 4 buffers, 18.00 MiB, of it 0 B waste" in out


def test_the_other_reports_take_the_text_of_the_module(run: Run) -> None:
    path = DUMP / f"{MLP}.after_codegen.txt"
    for option in ("--live", "--copies", "--all"):
        assert run("hlo", str(DUMP), "--module", "mlp", option) == run("hlo", str(path), option)


def test_bad_folders(run: Run, tmp_path: Path) -> None:
    assert "has no text of a compiled module\n  Dump with XLA_FLAGS=" in run("hlo", str(tmp_path)).err
    assert "has 2 modules\n" in run("hlo", str(DUMP), "--live").err
    assert "has 0 modules with 'none' in the name" in run("hlo", str(DUMP), "--module", "none").err
    file = str(DUMP / f"{MLP}.after_codegen.txt")
    assert "--module chooses from a dump folder" in run("hlo", file, "--module", "mlp").err
    (tmp_path / "m.after_optimizations-buffer-assignment.txt").write_text(
        "BufferAssignment:\nallocation x\n"
    )
    code, _out, err = run("hlo", str(tmp_path))
    assert code == 1
    assert err.startswith("tla: error: line 2 of the buffer assignment is not understood\n")
