"""What the types say without the plugin: mypy, pyright and ty find no error in ``ok_plain.py``.

Each ``assert_type`` of that file is exact: a checker that infers another type has an error. Of a false
one, put below the others, each checker has just that error.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parents[2]
PLAIN: Final = Path(__file__).with_name("ok_plain.py")
FALSE: Final = "\nassert_type(make_layout((_2, 4), (_12, _1)).shape, tuple[int, int])\n"


def mypy(path: Path, cache: Path) -> list[str]:
    """The errors of mypy, strict, by no configuration, and so with no plugin."""
    pytest.importorskip("mypy")
    from mypy import api

    options = ["--strict", "--config-file=", "--no-error-summary", "--cache-dir", str(cache)]
    out, err, status = api.run([*options, str(path)])
    assert not err, err
    assert status == bool(out), out
    return out.splitlines()


def pyright(path: Path, _cache: Path) -> list[str]:
    """The errors of pyright, strict."""
    lines = _said("pyright", path, "--pythonpath", sys.executable)
    return [line for line in lines if " - error: " in line]


def ty(path: Path, _cache: Path) -> list[str]:
    """The errors of ty."""
    python = ("--python", sys.prefix, "--project", str(path.parent))
    lines = _said(
        "ty", path, "check", "--output-format=concise", *python, "--extra-search-path", str(ROOT)
    )
    return [line for line in lines if ": error[" in line]


def _said(checker: str, path: Path, *options: str) -> list[str]:
    if find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed")
    command = [sys.executable, "-m", checker, *options, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=path.parent, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("checker", [mypy, pyright, ty], ids=lambda checker: checker.__name__)
def test_the_types_are_exact(
    checker: Callable[[Path, Path], list[str]], tmp_path: Path, plain_mypy_cache: Path
) -> None:
    file = tmp_path / "plain.py"
    text = PLAIN.read_text()
    file.write_text(f"# pyright: strict\n{text}")
    assert checker(file, plain_mypy_cache) == []
    file.write_text(f"# pyright: strict\n{text}{FALSE}")
    [line] = checker(file, plain_mypy_cache)
    number = text.count("\n") + 3
    assert f"plain.py:{number}:" in line
