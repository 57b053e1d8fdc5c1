"""``tla hlo FILE.py:NAME``: functions of jax, compiled and compiled again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

PROGRAMS = """
def number():
    return 3

def fails():
    raise ValueError("of the program")

def rows():
    import jax
    t = jax.ShapeDtypeStruct((5000, 300), "float32")
    i = jax.ShapeDtypeStruct((64, 17), "int32")
    return (lambda t, i: t[i]), (t, i)

def here():
    import jax
    return jax.jit(lambda x: x.T @ x), (jax.numpy.ones((4, 3)),)
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.py"
    path.write_text(PROGRAMS)
    return path


def test_what_is_no_program_says_so(run: Run, programs: Path) -> None:
    how = "\n  It takes no arguments and returns a function of jax and a tuple of its arguments.\n"
    for name, says in (
        ("number", f"number() of {programs} returns something else{how}"),
        ("none", f"{programs} has no function none{how}"),
    ):
        for option in ([], ["--verify"], ["--copies"]):
            assert run("hlo", f"{programs}:{name}", *option) == (1, "", f"tla: error: {says}")
    code, _out, err = run("hlo", f"{programs}:fails")
    assert (code, err.splitlines()[-1]) == (1, "ValueError: of the program")
    assert "No such file" in run("hlo", f"{programs}x.py:rows").err
    assert "it takes FILE.py:NAME, not a module" in run("hlo", "module.hlo", "--verify").err


def test_a_program_is_compiled_where_its_arguments_are(run: Run, programs: Path) -> None:
    pytest.importorskip("jax", reason="jax is not installed")
    code, out, err = run("hlo", f"{programs}:here", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["module"] == "jit__lambda"
    assert run("hlo", f"{programs}:here", "--verify").out == "no advice\n"


@pytest.mark.slow
def test_a_program_is_compiled_again_with_its_advice(run: Run, programs: Path) -> None:
    pytest.importorskip("libtpu", reason="libtpu is not installed")
    code, out, _err = run("hlo", f"{programs}:rows", "--chip", "v5e", "--verify")
    assert code == 0
    assert "Format(Layout(major_to_minor=(0, 1), tiling=((8, 128),)), sharding)" in out
    assert out.splitlines()[-1] == "the advice holds"
    facts = json.loads(run("hlo", f"{programs}:rows", "--chip", "v5e", "--verify", "--json").out)
    assert facts["holds"]
    assert facts["cycles_before"] - facts["cycles_after"] > 20000
    copies = json.loads(run("hlo", f"{programs}:rows", "--chip", "v5e", "--copies", "--json").out)
    assert copies["copies"][0]["advice"][0] == facts["advice"][0]
