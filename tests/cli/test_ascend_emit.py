"""``tla ascend emit``: the source, the folder, an example; what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ascend.programs import EXAMPLE

from tla.ascend import gemm

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

EMIT = ("ascend", "emit", "AtlasA2", "half")


def test_a_program_printed_and_in_a_folder(run: Run, tmp_path: Path) -> None:
    plan = gemm("AtlasA2", (300, 200, 600), "half")
    code, out, err = run(*EMIT, "300,200,600")
    assert (code, out, err) == (0, plan.emit().source, "")
    folder = tmp_path / "my_matmul"
    code, out, err = run(*EMIT, "300,200,600", "-o", str(folder))
    files = plan.emit("my_matmul").files()
    assert (code, err, out.splitlines()) == (0, "", [str(folder / name) for name in files])
    assert {name: (folder / name).read_text() for name in files} == files
    code, out, err = run(*EMIT, "300,200,600", "--json")
    assert json.loads(out) == {"name": "tla_matmul", "arguments": [], "files": plan.emit().files()}


def test_an_example(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "example.cpp"
    path.write_text(EXAMPLE)
    code, out, err = run(*EMIT, "300,200,600", "--into", str(path), "--json")
    found = json.loads(out)
    assert (code, err, found["arguments"]) == (0, "", ["300", "200", "600"])
    assert "GemmIdentityBlockSwizzle<3,0>" in found["files"]["example.cpp"]
    code, out, err = run("ascend", "emit", "AtlasA2", "float", "300,200,600", "--into", str(path))
    assert (code, out) == (1, "")
    assert "example.cpp:1: ElementA is half, and the plan's is float" in err


def test_what_is_refused(run: Run, tmp_path: Path) -> None:
    code, out, err = run(*EMIT, "300,200,600", "--l1", "256,256,512")
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: no C++ is written of a plan that is illegal: it breaks ")
    assert "L1 capacity: " in err
    code, out, err = run(*EMIT, "300,200,600", "--swizzle", "aswt")
    assert (code, out) == (1, "")
    assert "no kernel for a plain product by MmadPingpong and BlockSchedulerAswt" in err
    (tmp_path / "file").write_text("")
    code, out, err = run(*EMIT, "300,200,600", "-o", str(tmp_path / "file" / "my_matmul"))
    assert (code, out) == (1, "")
    assert "cannot write" in err
