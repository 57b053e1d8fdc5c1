"""What a release says of itself is one and the same everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import tla

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "pyproject.toml"

pytestmark = pytest.mark.skipif(not (ROOT / "CITATION.cff").exists(), reason="only in a clone")


def test_one_version_and_one_date() -> None:
    version, date = re.findall(
        r"^## (\S+), (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )[0]
    citation = dict(re.findall(r"^(\S+): (.*)$", (ROOT / "CITATION.cff").read_text(), re.M))
    assert version == tla.__version__ == citation["version"]
    assert date == citation["date-released"]


def test_the_licence_is_named_in_every_source() -> None:
    licence = tomllib.loads(PROJECT.read_text())["project"]["license"]
    line = f"# SPDX-License-Identifier: {licence}\n"
    sources = [path for path in sorted((ROOT / "tla").rglob("*")) if path.suffix in (".py", ".pyi")]
    assert len(sources) > 200
    assert [str(path) for path in sources if not path.read_text().startswith(line)] == []
    assert f"\nlicense: {licence}\n" in (ROOT / "CITATION.cff").read_text()


def test_every_interpreter_has_its_classifier() -> None:
    project = tomllib.loads(PROJECT.read_text())["project"]
    lowest = int(project["requires-python"].removeprefix(">=3."))
    minors = [int(n) for n in re.findall(r"Python :: 3\.(\d+)'", str(project["classifiers"]))]
    assert minors == list(range(lowest, 15))
