"""``tla ascend translate``: the source of a kernel's program; what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .running import Run

FILE = Path(__file__).parents[2] / "examples" / "ascend_kernel.py"
SHAPES = ("--shape", "X=float(8,256)", "--shape", "Y=float(8,256)")


def test_a_program(run: Run, tmp_path: Path) -> None:
    code, out, err = run("ascend", "translate", f"{FILE}:double", *SHAPES)
    assert (code, err) == (0, "")
    assert "for (int64_t row = AscendC::GetBlockIdx(); row < 8;" in out
    folder = tmp_path / "twice"
    code, out, err = run("ascend", "translate", f"{FILE}:double", *SHAPES, "-o", str(folder), "--json")
    found = json.loads(out)
    assert (code, err, found["name"]) == (0, "", "twice")
    assert {name: (folder / name).read_text() for name in found["files"]} == found["files"]


def test_what_is_refused(run: Run, tmp_path: Path) -> None:
    for words, said in (
        ((f"{FILE}:double",), "double takes 2 tensors: X has no shape"),
        ((f"{FILE}",), "a kernel is FILE.py:KERNEL, not"),
        ((f"{FILE}:other", *SHAPES), "has no kernel 'other'"),
        ((f"{FILE}:double", *SHAPES, "--set", "stages=3"), "double: got an unexpected keyword argument"),
    ):
        code, out, err = run("ascend", "translate", *words)
        assert (code, out) == (1, "")
        assert said in err
    path = tmp_path / "kernels.py"
    path.write_text(
        "from tla.ascend.kernels import kernel\n"
        "@kernel('AtlasA2', core='AIV')\n"
        "def endless(ctx, X):\n"
        "    while True:\n"
        "        ctx.pipe_barrier()\n"
    )
    code, out, err = run("ascend", "translate", f"{path}:endless", "--shape", "X=float(8,256)")
    assert (code, out) == (1, "")
    assert "kernels.py:4: a while loop whose condition is known before the run has no C++ here" in err
    path.write_text(
        "from tla.ascend.kernels import kernel\n"
        "@kernel('AtlasA2', core='AIV')\n"
        "def large(ctx, X):\n"
        "    x = ctx.alloc('UB', X, (1, 1000000))\n"
    )
    code, out, err = run("ascend", "translate", f"{path}:large", "--shape", "X=float(8,256)")
    assert (code, out, err.splitlines()[2:]) == (1, "", ["  kernels.py:4"])
    path.write_text("broken = 1 / 0\n")
    code, out, err = run("ascend", "translate", f"{path}:large", "--shape", "X=float(8,256)")
    assert (code, out, err.splitlines()[-1]) == (1, "", f"while {path} was loaded")
