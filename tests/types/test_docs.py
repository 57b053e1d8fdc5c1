"""What the documents show of mypy is what mypy says.

Each ``$ mypy`` of a page is run in a project of the page's own. A block with a title, as
```` ```python title="tiles.py" ````, is a file of it from there on; a file that no block gives is the
example of that name. Without a ``mypy.ini`` or ``pyproject.toml`` of the page mypy has the plugin and no
other setting. ``# MISTAKE name`` behind a command is done first: in the example the code behind these
words takes the place of the comment.

Write what mypy says into the pages: python tests/types/test_docs.py --write
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest import mock

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("mypy")
from mypy import api

import tla

ROOT: Final = Path(__file__).parents[2]
LIBRARY: Final = Path(tla.__file__).parents[1]
PAGES: Final = [
    page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if page.exists()
]
EXAMPLE: Final = ROOT / "examples" / "typed_tiles.py"
HOW_TO: Final = ROOT / "docs" / "howto" / "let_mypy_check_your_tiles.md"
PLUGIN: Final = "[mypy]\nplugins = tla.mypy_plugin\n"

_BLOCK: Final = re.compile(r'^```(\w+)(?: title="([^"\n]+)")?\n(.*?)^```$', re.M | re.S)
_COMMAND: Final = re.compile(r"^\$ mypy (.*)\n((?:(?!\$ ).*\n)*)", re.M)
_MISTAKE: Final = re.compile(r"# MISTAKE (\w+): (.*)")


# --- running what a page says -------------------------------------------------------------------


def says(command: str, project: Path, cache: Path) -> str:
    """What ``mypy`` prints in a project, in a terminal that is wide enough for any line."""
    arguments = shlex.split(command, comments=True)
    wide = mock.patch.dict(os.environ, {"MYPY_FORCE_TERMINAL_WIDTH": "1000"})
    with wide, contextlib.chdir(project):
        out, err, _status = api.run(["--cache-dir", str(cache), *arguments])
    return out + err


_seconds: Final = count(1)


def put(file: Path, text: str) -> None:
    """Write a file at a time of its own: to mypy two of one second and size are one."""
    file.write_text(text, "utf-8")
    second = next(_seconds)
    os.utime(file, (second, second))


def shown(page: str, cache: Path) -> Iterator[tuple[re.Match[str], str]]:
    """Each command of a page with what is behind it there, and what mypy says."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        put(project / "mypy.ini", PLUGIN)
        for language, title, text in _BLOCK.findall(page):
            if title:
                put(project / title, text)
                if title == "pyproject.toml":
                    (project / "mypy.ini").unlink(missing_ok=True)
            if language != "console":
                continue
            for command in _COMMAND.finditer(text):
                for word in shlex.split(command[1], comments=True):
                    given = ROOT / "examples" / word
                    if word.endswith(".py") and given.exists():
                        put(project / word, with_mistake(given, command[1]))
                yield command, says(command[1], project, cache)


def with_mistake(example: Path, command: str) -> str:
    """The text of an example, with the mistake that a command names."""
    text = example.read_text("utf-8")
    _files, _sign, name = command.partition("# MISTAKE ")
    if name:
        text, found = re.subn(rf"# MISTAKE {name}: (.*)", r"\1", text)
        assert found == 1, f"{example.name} has {found} mistakes {name!r}"
    return text


def written(page: str, cache: Path) -> str:
    """The page with what mypy says behind each command."""
    said = list(shown(page, cache))

    def block(found: re.Match[str]) -> str:
        if found[1] != "console":
            return found[0]
        text = _COMMAND.sub(lambda command: f"$ mypy {command[1]}\n{said.pop(0)[1]}", found[3])
        return found[0].replace(found[3], text)

    return _BLOCK.sub(block, page)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "\n$ mypy " in page.read_text("utf-8")],
    ids=lambda page: page.name,
)
def test_mypy_says_what_a_page_shows(page: Path, cache: Path) -> None:
    for command, said in shown(page.read_text("utf-8"), cache):
        assert command[2] == said, f"{command[0]}\nTo rewrite: python tests/types/test_docs.py --write"


# --- the example --------------------------------------------------------------------------------


def mistakes() -> dict[str, str]:
    return dict(_MISTAKE.findall(EXAMPLE.read_text("utf-8"))) if EXAMPLE.exists() else {}


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the wheel has no examples")
def test_each_mistake_stands_in_the_page() -> None:
    page = (ROOT / "docs" / "types.md").read_text("utf-8")
    assert sorted(re.findall(r"^\$ mypy .*# MISTAKE (\w+)$", page, re.M)) == sorted(mistakes())
    assert {
        "rank", "congruence", "coordinate", "tile", "composition", "tag", "overflow", "misalignment"
    } < set(mistakes())  # fmt: skip


@pytest.mark.parametrize("name", list(mistakes()))
def test_the_run_says_the_same_of_a_mistake(name: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "types.md").read_text("utf-8")
    (said,) = re.findall(rf"# MISTAKE {name}\n.*? error: (.*)  \[([\w-]+)\]\n", page)
    program = tmp_path / "typed_tiles.py"
    program.write_text(with_mistake(EXAMPLE, f"# MISTAKE {name}"), "utf-8")
    done = subprocess.run(
        [sys.executable, program], env={**os.environ, "PYTHONPATH": str(LIBRARY)}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    text, code = said
    if code != "tla":  # a rule of the program's own, which no run checks
        assert done.returncode == 0
        return
    raised = re.findall(r"^tla\.errors\.\w+: (.*)$", done.stderr, re.M)[-1]
    assert re.fullmatch(re.sub(r"\bint\b", r"\\d+", re.escape(text)), raised)


CHECKERS: Final = {
    "mypy and the plugin": ["mypy", "--strict", "--config-file", "mypy.ini"],
    "mypy": ["mypy", "--strict", "--config-file", ""],
    "pyright": ["pyright"],
    "ty": ["ty", "check"],
}


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the wheel has no examples")
@pytest.mark.parametrize("checker", CHECKERS)
def test_no_checker_finds_anything_in_the_example(
    checker: str, tmp_path: Path, cache: Path, plain_mypy_cache: Path
) -> None:
    command, *options = CHECKERS[checker]
    shutil.copy(EXAMPLE, tmp_path)
    (tmp_path / "mypy.ini").write_text(PLUGIN)
    if command == "mypy":
        own = plain_mypy_cache if checker == "mypy" else cache
        assert says(shlex.join([*options, EXAMPLE.name]), tmp_path, own).startswith("Success")
        return
    found = shutil.which(command, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{command} is not installed")
    if command == "ty":
        options += ["--extra-search-path", str(LIBRARY)]
    else:
        (tmp_path / "pyrightconfig.json").write_text(
            f'{{"typeCheckingMode": "strict", "extraPaths": ["{LIBRARY}"]}}'
        )
    done = subprocess.run(
        [found, *options, EXAMPLE.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- the how-to ---------------------------------------------------------------------------------


@pytest.mark.skipif(
    not (HOW_TO.exists() and (ROOT / "tla").exists()), reason="there is no clone to install from"
)
def test_the_how_to_sets_up_a_fresh_project(tmp_path: Path, cache: Path) -> None:
    """Its three lines as they stand there, beside a clone in a folder ``tla``, give its first error."""
    page = HOW_TO.read_text("utf-8")
    lines = re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S)[0].splitlines()
    assert len(lines) == 3
    (source,) = [text for _, title, text in _BLOCK.findall(page)[:2] if title == "tiles.py"]
    error = next(shown(page, cache))[0][2]
    (tmp_path / "tla").symlink_to(ROOT)
    project = tmp_path / "project"
    project.mkdir()
    (project / "tiles.py").write_text(source)
    outside = {name: x for name, x in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    said = ""
    for number, line in enumerate(lines, 1):
        done = subprocess.run(
            line, shell=True, cwd=project, env=outside, capture_output=True, text=True, check=False
        )
        if number == 1 and re.search("connection|retries|No matching distribution", done.stderr, re.I):
            pytest.skip("offline")
        assert done.returncode == (number == 3), done.stdout + done.stderr
        said = done.stdout
    assert said == error


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        for each in PAGES:
            before = each.read_text("utf-8")
            after = written(before, Path(folder))
            if after != before:
                each.write_text(after, "utf-8")
                print(each.relative_to(ROOT))
