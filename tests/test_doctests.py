"""Every example in the library and its documents runs and prints what it says."""

from __future__ import annotations

import doctest
import pkgutil
import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tla
from tla.cli import main

ROOT = Path(__file__).parent.parent
MODULES = ["tla", *(m.name for m in pkgutil.walk_packages(tla.__path__, "tla."))]
DOCUMENTS = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if path.exists()
]

PUBLIC: dict[str, Any] = {
    **{name: getattr(tla, name) for name in tla.__all__},
    **{name: getattr(tla.xla_bridge, name) for name in tla.xla_bridge.__all__},
}


def failures(example: doctest.DocTest) -> str:
    """What an example printed otherwise than it says."""
    out: list[str] = []
    doctest.DocTestRunner().run(example, out=out.append, clear_globs=False)
    return "".join(out)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "tla.__main__"])
def test_examples_of_a_module(name: str) -> None:
    """The public names are there without an import, and the module's own."""
    rooms = {"tla.testing": "hypothesis", "tla.mypy_plugin": "mypy", "tla.indexing.exact": "islpy"}
    for room, needs in rooms.items():
        if name.startswith(room):
            pytest.importorskip(needs)
    module = import_module(name)
    names = {**PUBLIC, **vars(module)}
    examples = doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=names)
    assert "".join(map(failures, examples)) == ""


def test_modules_have_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ("tla.layout", "tla.coord", "tla.xla_bridge.tiling", "tla.read"):
        assert any(test.examples for test in finder.find(import_module(name), name)), name


def blocks(document: Path, languages: str) -> list[tuple[int, str]]:
    """The line and text of each code block of a document."""
    text = document.read_text("utf-8")
    found = re.finditer(rf"^```(?:{languages})\n(.*?)^```$", text, re.M | re.S)
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in found]


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if blocks(d, "python|pycon")], ids=lambda path: str(path.name)
)
def test_code_of_a_document(document: Path) -> None:
    """From top to bottom, one block after the other, with no names but those it imports."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for line, text in blocks(document, "python|pycon"):
        if ">>>" not in text:
            exec(compile("\n" * line + text, str(document), "exec"), names)
            continue
        name = f"{document.name}:{line}"
        example = doctest.DocTestParser().get_doctest(text, names, name, str(document), line)
        assert failures(example) == ""
        names.update(example.globs)


@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if blocks(d, "console")], ids=lambda path: str(path.name)
)
def test_commands_of_a_document(
    document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`$ tla ...` and what it prints, in the root of the repository; `|| true` where it exits with 1."""
    monkeypatch.chdir(ROOT)
    for _line, text in blocks(document, "console"):
        for command, printed in re.findall(r"^\$ tla (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
            expected = 1 if command.endswith(" || true") else 0
            assert main(shlex.split(command.removesuffix(" || true"))) == expected
            assert capsys.readouterr().out == printed
