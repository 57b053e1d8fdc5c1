"""The examples run from top to bottom, say something, and write only where they are told to."""

from __future__ import annotations

import ast
import re
import runpy
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parent.parent
HERE = ROOT / "examples"
EXAMPLES = sorted(HERE.glob("*.py"))
DRAWING = [path for path in EXAMPLES if "sys.argv" in path.read_text("utf-8")]
WALKS = [path for path in EXAMPLES if path.name.startswith("walk_")]

LINES = 110
"""As many as a person reads in a minute, or of a walk in a few."""


def run(example: Path, where: Path, *arguments: str) -> str:
    """What an example prints, run as a program in a directory; a warning is an error."""
    said, complained = StringIO(), StringIO()
    with (
        chdir(where), redirect_stdout(said), redirect_stderr(complained), warnings.catch_warnings(),
        mock.patch.object(sys, "argv", [str(example), *arguments]),
    ):  # fmt: skip
        warnings.simplefilter("error")
        runpy.run_path(str(example), run_name="__main__")
    assert complained.getvalue() == ""
    return said.getvalue()


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
