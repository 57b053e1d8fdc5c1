"""The examples run from top to bottom, say something, and write only where they are told to."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HERE = ROOT / "examples"
EXAMPLES = sorted(HERE.glob("*.py"))
DRAWING = [path for path in EXAMPLES if "sys.argv" in path.read_text("utf-8")]
WALKS = [path for path in EXAMPLES if path.name.startswith("walk_")]

LINES = 110
"""As many as a person reads in a minute, or of a walk in a few."""


def run(example: Path, where: Path, *arguments: str) -> str:
    """What an example prints, run in a directory; the package is the one that is tested."""
    import tla

    here = str(Path(tla.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-W", "error", example, *arguments],
        cwd=where, env={**os.environ, "PYTHONPATH": here, "PYTHONIOENCODING": "utf-8"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: str(path.name))
def test_an_example_runs_and_writes_nothing(example: Path, tmp_path: Path) -> None:
    assert len(run(example, tmp_path).splitlines()) >= 5
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("example", DRAWING, ids=lambda path: str(path.name))
def test_pictures_go_to_the_directory_that_is_given(example: Path, tmp_path: Path) -> None:
    given = ["((2,2),3):((1,6),2)"] if "TEXT = sys.argv" in example.read_text("utf-8") else []
    run(example, tmp_path, *given, "pictures/mine")
    assert [path.name for path in tmp_path.iterdir()] == ["pictures"]
    written = list((tmp_path / "pictures" / "mine").iterdir())
    assert written
    for path in written:
        text = path.read_text("utf-8")
        if path.suffix == ".svg":
            assert text.startswith("<svg ")
            assert text.rstrip().endswith("</svg>")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: str(path.name))
def test_an_example_says_what_it_answers_and_how_to_run_it(example: Path) -> None:
    text = example.read_text("utf-8")
    doc = ast.get_docstring(ast.parse(text))
    assert doc is not None
    assert f"python examples/{example.name}" in doc
    assert len(text.splitlines()) <= LINES


@pytest.mark.parametrize("walk", WALKS, ids=lambda path: str(path.name))
def test_a_walk_is_made_of_cells(walk: Path) -> None:
    cells = re.findall(r"^# %% (.*)$", walk.read_text("utf-8"), re.M)
    assert len(cells) >= 6
    assert len(set(cells)) == len(cells)


def test_there_is_a_walk_for_each_kind_of_reader() -> None:
    assert [path.stem for path in WALKS] == [
        "walk_kernel_tiling",
        "walk_layout_algebra",
        "walk_xla_and_tla",
    ]


def test_the_list_of_examples_is_whole() -> None:
    listed = re.findall(
        r"^\| \[`(\w+\.py)`\]\((\w+\.py)\) \|", (HERE / "README.md").read_text("utf-8"), re.M
    )
    assert all(name == link for name, link in listed)
    assert sorted(name for name, _link in listed) == [path.name for path in EXAMPLES]
