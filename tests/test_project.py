"""What the project promises around the code: its commands run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import tla
from tla.cli.commands import COMMANDS, SUBCOMMANDS

ROOT = Path(__file__).parent.parent

HOW_TO = ROOT / "docs" / "howto" / "choose_tiles.md"


@pytest.mark.skipif(not HOW_TO.exists(), reason="the wheel has no documents")
def test_the_tuner_file_of_the_how_to(tmp_path: Path) -> None:
    """Its command writes a module, of which the page shows the beginning."""
    text = HOW_TO.read_text("utf-8")
    (command,) = re.findall(r"^```sh\n(tla .*)\n```$", text, re.M)
    arguments = shlex.split(command)[1:]
    done = subprocess.run(
        [sys.executable, "-m", "tla", *arguments],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    written = (tmp_path / "search_space_config.py").read_text("utf-8")
    compile(written, "search_space_config.py", "exec")
    assert written.count(" us\n") == int(arguments[arguments.index("--top") + 1])
    shown = text.partition("registration(found)")[2].partition("\n")[2].partition("\n\n```")[0]
    assert written.startswith(shown.replace("<BLANKLINE>", ""))


def test_readme_has_the_one_test_command_that_ci_runs() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(), re.M)
    assert len(commands) == 2
    install, install_and_test = commands
    assert install.endswith("&& .venv/bin/pip install -q . && . .venv/bin/activate")
    assert install_and_test.endswith("&& .venv/bin/pytest -q -n auto")


@pytest.mark.parametrize("command", [*COMMANDS, *(f"ascend {name}" for name in SUBCOMMANDS)])
def test_readme_has_every_command(command: str) -> None:
    table = "".join(re.findall(r"^\| `tla .*\|$", (ROOT / "README.md").read_text(), re.M))
    assert re.search(rf"`(tla )?{command}[` ]", table)


CONTRIBUTING = ROOT / "CONTRIBUTING.md"


@pytest.mark.skipif(not CONTRIBUTING.exists(), reason="the wheel has no documents")
@pytest.mark.parametrize(
    "fuzzer", sorted((ROOT / "tests").rglob("fuzz*.py")), ids=lambda path: path.name
)
def test_contributing_says_how_a_fuzzer_is_run(fuzzer: Path) -> None:
    assert f"`python {fuzzer.relative_to(ROOT)} " in CONTRIBUTING.read_text()


@pytest.mark.skipif(not CONTRIBUTING.exists(), reason="the wheel has no documents")
def test_the_places_that_contributing_names_are_there() -> None:
    tables = re.findall(
        r"^\| (?!change|---).*$", CONTRIBUTING.read_text().split("## Find your room")[1], re.M
    )
    named = re.compile(r"((?:`[^`]+`(?:, | and | or )?)+)(?: \([^)]*\))?(?: there)? in `([^`]+\.py)`")
    missing, count = [], 0
    for row in tables:
        for names, file in named.findall(row):
            if "NAME" in file:
                continue
            found = [ROOT / folder / file for folder in ("", "tla/ascend", "tests/ascend")]
            text = "".join(path.read_text() for path in found if path.is_file())
            for name in re.findall(r"`(?:[A-Z]\w+\.)?(\w+)`", names.replace("is_NAME", "")):
                count += 1
                if not re.search(rf"\b{name}\b", text):
                    missing.append((name, file))
    assert not missing
    assert count > 60


def test_version_is_in_the_changelog() -> None:
    changelog = ROOT / "CHANGELOG.md"
    if changelog.exists():  # absent where only the wheel is tested
        assert f"## {tla.__version__}" in changelog.read_text()


def test_every_public_name_exists_once() -> None:
    assert len(set(tla.__all__)) == len(tla.__all__)
    assert all(hasattr(tla, name) for name in tla.__all__)
    names = vars(tla.xla_bridge)["__all__"]
    assert len(set(names)) == len(names)
