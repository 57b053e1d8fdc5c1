"""What the project promises around the code: its commands and its examples run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tla

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: str(path.name))
def test_example_runs(example: Path) -> None:
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_readme_has_the_one_test_command_that_ci_runs() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(), re.M)
    assert len(commands) == 2
    install_and_run, install_and_test = commands
    assert ".venv/bin/tla convert" in install_and_run
    assert install_and_test.endswith("&& .venv/bin/pytest -q")


def test_version_is_in_the_changelog() -> None:
    changelog = ROOT / "CHANGELOG.md"
    if changelog.exists():  # absent where only the wheel is tested
        assert f"## {tla.__version__}" in changelog.read_text()


def test_every_public_name_exists_once() -> None:
    assert len(set(tla.__all__)) == len(tla.__all__)
    assert all(hasattr(tla, name) for name in tla.__all__)
    assert len(set(tla.xla_bridge.__all__)) == len(tla.xla_bridge.__all__)
