"""The plugin as a plugin: caches, the daemon, workers, options, versions; what becomes of a defect."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import tla

if TYPE_CHECKING:
    from collections.abc import Sequence

pytest.importorskip("mypy")
from mypy_runs import CONFIG, said
from test_types import FILES

from tla import mypy_plugin
from tla.mypy_plugin import MYPY, plugin

ERRORS: Final = [path for path in FILES if path.stem in ("err_core", "err_layouts", "err_algebra")]
WRONG: Final = "from tla import _0, _8, ceil_div\nceil_div(_8, _0)\n"
SAID: Final = "wrong.py:2: error: cannot round to multiples of _0: it is not positive  [tla]"


class Project:
    """A folder with a file, a setting and a cache, and perhaps a library of its own."""

    def __init__(self, folder: Path, text: str = WRONG, library: Path | None = None) -> None:
        self.folder = folder
        self.file = folder / "wrong.py"
        self.file.write_text(text)
        (folder / "mypy.ini").write_text(CONFIG)
        own = str(library or Path(tla.__file__).parents[1])
        self.environment = {**os.environ, "PYTHONPATH": own, "MYPY_FORCE_TERMINAL_WIDTH": "1000"}

    def run(self, *command: str) -> tuple[int, list[str], str]:
        """Return the status, the lines and the errors of a command of mypy's."""
        ended = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stdout.splitlines(), ended.stderr

    def mypy(self, *options: str) -> tuple[int, list[str], str]:
        return self.run("mypy", "--no-error-summary", *options, "wrong.py")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the library, to be changed."""
    folder = tmp_path_factory.mktemp("library")
    shutil.copytree(
        Path(tla.__file__).parent, folder / "tla", ignore=shutil.ignore_patterns("__pycache__")
    )
    return folder


def _checked(path: Path, text: str, mypy_cache: Path) -> list[tuple[int, str]]:
    path.write_text(text)
    return [(m.line, m.kind) for m in said([path], mypy_cache)[path.name] if m.kind != "note"]


# --- caches, workers, the daemon ------------------------------------------------------------------


def test_a_warm_cache_says_the_same(mypy_cache: Path) -> None:
    cold = said(ERRORS, mypy_cache, "--no-incremental")
    assert all(cold[path.name] for path in ERRORS)
    assert said(ERRORS, mypy_cache) == cold
    assert said(ERRORS, mypy_cache) == cold


@pytest.mark.parametrize(
    "options", [["--sqlite-cache"], ["--no-sqlite-cache"], ["-n", "2"]], ids=" ".join
)
def test_every_cache_and_workers_say_the_same(options: Sequence[str], tmp_path: Path) -> None:
    project = Project(tmp_path)
    ended = project.mypy(*options)
    if ended[0] == 2 and project.mypy(*options, "--config-file=")[0] == 2:
        pytest.skip("this mypy does not have it, with no plugin either")
    assert ended == (1, [SAID], "")
    assert project.mypy(*options) == (1, [SAID], "")


def test_a_changed_algebra_drops_the_cache(tmp_path: Path, library: Path) -> None:
    project = Project(tmp_path, library=library)
    assert project.mypy() == (1, [SAID], "")
    ints = library / "tla" / "numbers" / "ints.py"
    text = ints.read_text()
    ints.write_text(text.replace("cannot round to multiples of", "cannot round now to multiples of"))
    assert project.mypy() == (1, [SAID.replace("round", "round now")], "")
    ints.write_text(text)


def test_the_daemon_says_the_same(tmp_path: Path) -> None:
    project = Project(tmp_path)
    daemon = ("mypy.dmypy", "--status-file", "status.json")
    try:
        status, out, err = project.run(*daemon, "run", "--", "wrong.py", "--no-error-summary")
        assert (status, out[-1:], err) == (1, [SAID], "")
        project.file.write_text(WRONG.replace("_8, _0)", "_8, 3)"))
        assert project.run(*daemon, "check", "wrong.py") == (0, [], "")
        project.file.write_text(f"{WRONG}ceil_div(_0, -_8)\n")
        other = SAID.replace(":2:", ":3:").replace("_0", "_-8")
        assert project.run(*daemon, "recheck") == (1, [SAID, other], "")
    finally:
        project.run(*daemon, "stop")


# --- a defect -----------------------------------------------------------------------------------------

_DEFECT: Final = """

@constexpr
def _defective(n: int) -> int:
    return n.bits
"""


def test_a_defect_is_a_crash(tmp_path: Path, library: Path) -> None:
    ints = library / "tla" / "numbers" / "ints.py"
    text = ints.read_text()
    ints.write_text(text + _DEFECT)
    project = Project(tmp_path, "from tla.numbers.ints import _defective\n_defective(4)\n", library)
    status, out, err = project.mypy("--show-traceback")
    ints.write_text(text)
    assert status == 2
    assert "wrong.py:2: error: INTERNAL ERROR" in err
    assert any("AttributeError: 'int' object has no attribute 'bits'" in line for line in (*out, err))


# --- options and annotations --------------------------------------------------------------------------


def test_an_error_can_be_ignored_by_its_code(tmp_path: Path, mypy_cache: Path) -> None:
    path = tmp_path / "ignored.py"
    assert _checked(path, WRONG, mypy_cache) == [(2, "tla")]
    assert _checked(path, WRONG.replace("_0)\n", "_0)  # type: ignore[tla]\n"), mypy_cache) == []
    other = WRONG.replace("_0)\n", "_0)  # type: ignore[misc]\n")
    assert set(_checked(path, other, mypy_cache)) == {(2, "tla"), (2, "unused-ignore")}
    assert _checked(path, f'# mypy: disable-error-code="tla"\n{WRONG}', mypy_cache) == []


def test_a_number_stands_for_its_literal_in_an_annotation(tmp_path: Path, mypy_cache: Path) -> None:
    path = tmp_path / "annotated.py"
    text = "from tla import Int, _4, _8\nx: Int[4] = _4\ny: 'tuple[Int[8], Int[-1]]' = (_8, -Int(1))\n"
    assert _checked(path, text, mypy_cache) == []
    assert _checked(path, f"{text}x = _8\nz: Int[4, 8] = _4\n", mypy_cache) == [
        (4, "assignment"),
        (5, "type-arg"),
    ]


# --- versions -----------------------------------------------------------------------------------------


def test_a_version_out_of_range_is_said_and_no_crash(capsys: pytest.CaptureFixture[str]) -> None:
    (first, last) = (".".join(map(str, version)) for version in MYPY)
    assert plugin(first) is plugin("2.4.1+dev.0123abc") is mypy_plugin.TlaPlugin
    assert capsys.readouterr().err == ""
    for other in ("0.991", last):
        assert plugin(other) is mypy_plugin.TlaPlugin
        said = f"tla.mypy_plugin is tested with mypy >={first},<{last}; this is mypy {other}\n"
        assert capsys.readouterr().err == said


def test_the_range_is_the_one_of_the_extra() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    (first, last) = (".".join(map(str, version)) for version in MYPY)
    assert re.search(rf'^mypy = \["mypy>={first},<{last}"\]$', project.read_text(), re.M)


def test_the_range_is_the_one_of_the_page() -> None:
    page = Path(__file__).parents[2] / "docs" / "types.md"
    (first, last) = (".".join(map(str, version)) for version in MYPY)
    assert f"made for mypy from {first} on, below {last};" in page.read_text()
