# SPDX-License-Identifier: Apache-2.0
"""``tla ascend run FILE.py:KERNEL``: a kernel of Python, its arrays, its errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

RUN = ("ascend", "run")
SOURCE = """\
import tla
from tla.ascend.kernels import kernel
from tla.ascend.kernels.blocks import matmul

@kernel("AtlasA2", core="AIV")
def scaled(ctx, X, Y, by=2.0, stop=False):
    x = ctx.alloc("UB", X, (1, 64))
    ctx.copy_gm_to_ub(x, tla.tile_view(X, (ctx.block_idx, 0), (1, 64)))
    ctx.pipe_barrier()
    ctx.muls(x, x, by, 64)
    if stop == "interrupt":
        raise KeyboardInterrupt
    if stop:
        [][3]
    ctx.pipe_barrier()
    ctx.copy_ub_to_gm(tla.tile_view(Y, (ctx.block_idx, 0), (1, 64)), x)
"""
SHAPES = ("--shape", "X=float(2,64)", "--shape", "Y=float(2,64)")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return str(path)


def test_a_kernel_of_a_file_runs(run: Run, file: str, tmp_path: Path) -> None:
    x, y = np.arange(128, dtype=np.float32).reshape(2, 64), tmp_path / "y.npy"
    np.save(tmp_path / "x.npy", x)
    given = ("--tensor", f"X={tmp_path / 'x.npy'}", *SHAPES[2:], "--cores", "2", "--set", "by=3")
    code, out, err = run(*RUN, f"{file}:scaled", *given, "--save", f"Y={y}")
    assert (code, out, err) == (0, "AtlasA2, 2 cores, 10 instructions\nno findings\n", "")
    assert np.array_equal(np.load(y), 3 * x)
    code, out, err = run(*RUN, f"{file}:matmul", "--shape", "16,16,32")
    assert (code, err) == (0, "")
    assert "no findings" in out


def test_a_line_of_source_left_out(run: Run, file: str) -> None:
    code, out, _ = run(*RUN, f"{file}:scaled", *SHAPES, "--drop", "mine.py:9")
    assert code == 1
    assert "racecheck: RAW" in out
    assert "mine.py:8, line 1)" in out


def test_an_exception_keeps_its_traceback(run: Run, file: str) -> None:
    code, out, err = run(*RUN, f"{file}:scaled", *SHAPES, "--set", "stop=True")
    assert (code, out) == (1, "")
    lines = err.splitlines()
    assert lines[1] == f'  File "{file}", line 14, in scaled'
    assert lines[-2:] == [
        "IndexError: list index out of range",
        f"in kernel scaled on AIV0, block 0 of 1, at {file}:14, step 3, after AIV0 Muls",
    ]


def test_an_interrupt_names_the_core_and_the_line(run: Run, file: str) -> None:
    code, _, err = run(*RUN, f"{file}:scaled", *SHAPES, "--set", "stop=interrupt")
    assert code == 130
    assert err.startswith("tla: interrupted\n  in kernel scaled on AIV0, block 0 of 1, at ")
    assert err.endswith("mine.py:12, step 3, after AIV0 Muls\n")


def test_rows_that_are_never_written(run: Run, file: str) -> None:
    out = run(*RUN, f"{file}:scaled", "--shape", "X=float(4,64)", "--shape", "Y=float(4,64)").out
    assert out.splitlines()[1] == "Y: never written are rows 1 to 3"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("other", *SHAPES), "has no kernel 'other'\n  Its kernels are matmul, scaled."),
        (("scaled", *SHAPES[:2]), "scaled takes 2 tensors: Y has no shape\n  Give --shape Y="),
        (("scaled", "--shape", "2,3,4"), "scaled has the tensors X, Y, not those of a product"),
        (("scaled", "--shape", "Z=2,3"), "scaled has no tensor 'Z'"),
        (("scaled", *SHAPES, "--set", "by"), "expected NAME=VALUE"),
        (("scaled", *SHAPES, "--set", "on=1"), "scaled: got an unexpected keyword argument 'on'"),
        (
            ("scaled", "--shape", "X=2,64", *SHAPES[2:]),
            "takes tensors of one element type, not of float and half",
        ),
        (("matmul", "--shape", "16,16,32", "--set", "l1=(16,16,32)"), "L1 and L0 differ"),
        (("matmul", "--shape", "16,16,32", "--limit", "instructions=9"), "9 instructions, and goes on"),
        (("scaled", *SHAPES, "--cores", "5000"), "cores = 5000"),
    ],
)
def test_bad_input(run: Run, file: str, words: tuple[str, ...], error: str) -> None:
    code, _, err = run(*RUN, f"{file}:{words[0]}", *words[1:])
    assert code == 1
    assert error in err
    assert "Traceback" not in err


def test_files_that_are_no_kernels(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("x = 1 / 0\n")
    err = run(*RUN, f"{broken}:x").err
    assert err.endswith(f"ZeroDivisionError: division by zero\nwhile {broken} was loaded\n")
    assert "cannot read" in run(*RUN, f"{tmp_path}/none.py:x").err
    (tmp_path / "mine.py").write_text(SOURCE)
    err = run(*RUN, f"{tmp_path}/mine.py").err
    assert "a kernel is FILE.py:KERNEL, not" in err
    assert "Its kernels are matmul, scaled." in err
    assert "--shape is for a kernel of Python" in run(*RUN, "trace.jsonl", "--shape", "A=2").err
