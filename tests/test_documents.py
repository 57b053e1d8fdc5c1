"""Every block of code in the documents runs and prints what it says, from the top of a page to its end.

Python has no names but those the page imports. A console shows what a terminal does, in the root of the
repository: ``$ tla ...`` and ``$ python FILE ...`` with all they print. ``|| true`` stands behind a
command that exits with 1, except where an error that it prints says so. `types/test_docs.py` runs
``$ mypy ...`` and the blocks that are files, with a title. Each line of a figure draws one, of what is
refused where ``|| true`` stands behind it.

Write what is printed now into the pages, and read the difference: python tests/test_documents.py --write
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from difflib import ndiff
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from sybil import Document, Example, Region
from sybil.evaluators.doctest import KEEP_TRAILING_WHITESPACE, DocTestEvaluator
from sybil.example import SybilFailure
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.markdown.codeblock import PythonCodeBlockParser
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

from tla.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parent.parent
DOCUMENTS: Final = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if path.exists()
]

RUN: Final = {"python", "pycon", "console", "tla-figure"}
"""The languages of the blocks that run."""
SHOWN: Final = {"sh", "text", "py", "c++", "cpp", "toml"}
"""Those of what needs other machines, installs something, or is no program."""

_COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", re.M)
_COMPLAINT: Final = re.compile(r"^tla(?: [a-z-]+)*: error: ", re.M)


class Command(NamedTuple):
    """A line of a console, and what it prints."""

    line: str
    printed: str


def pycon(document: Document) -> Iterator[Region]:
    """The examples of the blocks of pycon."""
    examples = DocTestStringParser(DocTestEvaluator(KEEP_TRAILING_WHITESPACE))
    for block in FencedCodeBlockLexer("pycon")(document):
        source = block.lexemes["source"]
        for region in examples(source, document.path):
            region.adjust(block, source)
            yield region


def console(document: Document) -> Iterator[Region]:
    """The commands of the blocks of console, each by itself."""
    for block in FencedCodeBlockLexer("console")(document):
        source = block.lexemes["source"]
        for found in _COMMAND.finditer(source):
            region = Region(found.start(), found.end(), Command(found[1], found[2]), run_command)
            region.adjust(block, source)
            yield region


def figures(document: Document) -> Iterator[Region]:
    """The lines of the blocks of figures, each by itself."""
    for block in FencedCodeBlockLexer("tla-figure")(document):
        source = block.lexemes["source"]
        for found in re.finditer(r"^.*\S.*$", source, re.M):
            region = Region(found.start(), found.end(), found[0], draw)
            region.adjust(block, source)
            yield region


def outcome(command: Command) -> tuple[int, str] | None:
    """Return the exit code of a command, and what a terminal shows of it; None if it is not ours."""
    tool, *arguments = shlex.split(command.line.removesuffix(" || true"))
    if tool == "tla":
        return run(arguments)
    if tool != "python":
        return None
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def run_command(example: Example) -> str | None:
    """Run the command of an example, and return how what it does differs from what it says."""
    command: Command = example.parsed
    if command.line.startswith("mypy "):
        return None
    done = outcome(command)
    if done is None:
        return f"no way to run {command.line!r}"
    code, printed = done
    fails = command.line.endswith(" || true") or _COMPLAINT.search(command.printed)
    if (code == 0) is bool(fails):
        return f"$ {command.line}\nexit code {code}\n{printed}"
    if printed == command.printed:
        return None
    return "\n".join(["$ " + command.line, *ndiff(command.printed.splitlines(), printed.splitlines())])


def draw(example: Example) -> str | None:
    """Draw the line of a figure, and return what is wrong with it."""
    line: str = example.parsed
    is_refused = line.endswith(" || true")  # what is refused is drawn with the reason, which comes first
    for written, start in (("--svg", "<svg"), ("--html", "<!doctype html>")):
        code, printed = run([*shlex.split(line.removesuffix(" || true")), written])
        if code != is_refused or not (start in printed if is_refused else printed.startswith(start)):
            return f"tla {line} {written}\nexit code {code}\n{printed[:500]}"
    return None


def run(arguments: list[str]) -> tuple[int, str]:
    """Run ``tla`` and return its exit code, and what a terminal shows of it."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown), contextlib.chdir(ROOT):
        code = main(arguments)
    return code, shown.getvalue()


def parse(path: Path) -> Document:
    """Return a page and the examples in it."""
    plain = PythonCodeBlockParser(doctest_optionflags=KEEP_TRAILING_WHITESPACE)
    document = Document.parse(str(path), plain, pycon, console, figures)
    document.namespace["__name__"] = "__main__"
    return document


SLOW = {"choose_tiles.md"}  # searches for tiles, again and again
PAGES = [pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ()) for page in DOCUMENTS]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_code_of_a_document(page: Path) -> None:
    for example in parse(page):
        example.evaluate()


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_block_of_a_document_is_passed_over(page: Path) -> None:
    fences = re.findall(r"^ *(```+)(.*)$", page.read_text("utf-8"), re.M)
    languages = [info for _fence, info in fences[::2]]
    assert all(not info for _fence, info in fences[1::2]), "a fence is not closed"
    assert {info.partition(" ")[0] for info in languages} <= RUN | SHOWN
    assert all(not info.partition(" ")[2] or info.startswith("python title=") for info in languages)
    lexed = sum(len(list(FencedCodeBlockLexer(name)(parse(page)))) for name in RUN)
    assert lexed == sum(info in RUN for info in languages)


# --- what is wrong is found ---------------------------------------------------------------------

WRONG: Final = {
    "python": ("```python\nx = 1\nassert x == 2\n```\n", 2, "AssertionError"),
    "python with a prompt": ("```python\n>>> 1 + 1\n3\n```\n", 3, "Got:\n    2"),
    "pycon": ("```pycon\n>>> x = 1\n>>> x\n2\n```\n", 4, "Got:\n    1"),
    "pycon, a blank at the end": ("```pycon\n>>> 1\n1 \n```\n", 3, "Got:\n    1"),
    "console": ("```console\n$ tla coalesce '(2,3):(1,2)'\n7:1\n```\n", 3, "+ 6:1"),
    "the second command": (
        "```console\n$ tla coalesce '(2,3):(1,2)'\n6:1\n$ tla coalesce '(2,4):(1,2)'\n7:1\n```\n",
        5,
        "+ 8:1",
    ),
    "no output": ("```console\n$ tla coalesce '(2,3):(1,2)'\n```\n", 3, "+ 6:1"),
    "a command that fails": ("```console\n$ tla coalesce '(2,3'\n```\n", 3, "exit code 1"),
    "one that does not": ("```console\n$ tla coalesce '2:1' || true\n2:1\n```\n", 3, "exit code 0"),
    "python of a console": ("```console\n$ python -c 'print(2)'\n1\n```\n", 3, "+ 2"),
    "another command": ("```console\n$ rm x\n```\n", 3, "no way to run 'rm x'"),
    "figure": ("```tla-figure\nshow '(2,3):(3,1)'\nshow '(2,3):(3'\n```\n", 4, "exit code 1"),
    "figure of no refusal": ("```tla-figure\nshow '(2,3):(3,1)' || true\n```\n", 3, "exit code 0"),
    "no picture": ("```tla-figure\ncoalesce '(2,3):(3,1)'\n```\n", 3, "exit code 2"),
}


@pytest.mark.parametrize(("text", "line", "said"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_fails_with_file_and_line(text: str, line: int, said: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"\n{text}", "utf-8")
    *before, example = parse(page)
    for right in before:
        right.evaluate()
    with pytest.raises(AssertionError) as caught:
        example.evaluate()
    if isinstance(caught.value, SybilFailure):
        assert str(caught.value).startswith(f"Example at {page}, line {line}, ")
        assert said in str(caught.value)
    else:
        assert (str(caught.traceback[-1].path), caught.traceback[-1].lineno + 1) == (str(page), line + 2)
        assert caught.typename == said


def test_what_a_page_says_right_passes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```pycon\n>>> x = 1\n>>> x\n1\n```\n\n```python\nassert x == 1\n```\n\n"
        "- In a list:\n\n  ```pycon\n  >>> print('a\\n\\nb')\n  a\n  <BLANKLINE>\n  b\n  ```\n\n"
        "```console\n$ tla coalesce '2'\n"
        "tla: error: 2 is no layout: a layout is a shape, ':' and a stride\n"
        "  Compact, it would be 2:_1.\n$ tla coalesce '2:1'\n2:1\n```\n",
        "utf-8",
    )
    for example in parse(page):
        example.evaluate()


# --- writing what is printed into the pages -----------------------------------------------------


def rewritten(page: Path) -> str:
    """Return the text of a page with what its examples print now, where that is not an error."""
    document = parse(page)
    text, edits = document.text, list[tuple[int, str, str]]()
    for example in document:
        said = example.parsed
        try:
            example.evaluate()
        except SybilFailure as failure:
            if isinstance(said, Command) and (done := outcome(said)):
                edits.append((example.start + len(f"$ {said.line}\n"), said.printed, done[1]))
            elif isinstance(said, doctest.Example) and "\nGot:\n" in failure.result:
                got = textwrap.dedent(failure.result.partition("\nGot:\n")[2])
                edits.append((text.index(said.want, example.start), said.want, got))
    for start, before, after in reversed(edits):
        if text.startswith(before, start):
            text = text[:start] + after + text[start + len(before) :]
    return text


def test_what_is_printed_is_written_into_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "# 1\n\n```pycon\n>>> x = 2\n>>> x\n{}\n>>> print('a\\n\\nb')\n{}\n\n```\n\n" + (
        "```console\n$ tla coalesce '(2,3):(1,2)'\n{}\n$ tla coalesce 2:1\n2:1\n```\n"
    )
    page.write_text(text.format(1, "a", "5:1"), "utf-8")
    assert rewritten(page) == text.format(2, "a\n<BLANKLINE>\nb", "6:1")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    os.environ["TLA_PROGRESS"] = os.devnull  # what the reader has solved is in no page
    for each in DOCUMENTS:
        if each.read_text("utf-8") != (now := rewritten(each)):
            each.write_text(now, "utf-8")
            print(each.relative_to(ROOT))
