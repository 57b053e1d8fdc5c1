"""Plain sentences: short ones in documents and docstrings, and no words that are read twice."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tla.cli import COMMANDS, main
from tla.cli.commands import SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent

pytestmark = pytest.mark.skipif(not (ROOT / "docs").exists(), reason="the wheel has no documents")

MOST_WORDS = 30
"""In a sentence: code is one word, and so is a link; a number is none."""

RIDDLES = re.compile(
    r"\b(told|untold|thereof|as it stands|lies open|so many|(?:is|are) said of|needs to be known|"
    r"writes \w+ otherwise)\b",
    re.I,
)


def blocks(page: str) -> Iterator[str]:
    """The paragraphs and the points of lists of a page, without code and tables."""
    page = re.sub(r"^\s*```.*?^\s*```", "\n", page, flags=re.M | re.S)
    for block in re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) |^#+ .*$", page, flags=re.M):
        if block.strip() and not block.lstrip().startswith(("|", ">", "<", "---")):
            yield " ".join(block.split())


def sentences(block: str) -> list[str]:
    text = re.sub(r"\[[^\]]*\]\([^)]*\)", "link", re.sub(r"`[^`]*`", "code", block))
    return re.split(r"(?<=[.!?])\**\s|(?<=[:;])\s+(?=[A-Z])", text)


def words_of(sentence: str) -> int:
    return sum(any(map(str.isalpha, word)) for word in sentence.split())


def test_a_sentence_is_cut() -> None:
    page = "# A title\n\nOne `a b` [a link](x.md). **Two.** Three: 4\nfive.\n\n```\ncode\n```\n- six"
    found = [sentence for block in blocks(page) for sentence in sentences(block)]
    assert found == ["One code link.", "**Two.", "Three: 4 five.", "six"]
    assert list(map(words_of, found)) == [3, 1, 2, 1]


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_no_sentence_is_long() -> None:
    long = [
        (page.name, words_of(sentence), sentence)
        for page in PAGES
        for block in blocks(page.read_text("utf-8"))
        for sentence in sentences(block)
        if words_of(sentence) > MOST_WORDS
    ]
    assert long == []


MOST_WORDS_OF_A_DOCSTRING = 40
TABLE = re.compile(r"^ *==+ [= ]*$.*?^ *==+ [= ]*$(?:.*?^ *==+ [= ]*$)?", re.M | re.S)
EXAMPLE = re.compile(r"^ *>>>.*?(?=\n\s*\n|\Z)", re.M | re.S)


def docstrings(module: Path) -> Iterator[str]:
    """The docstrings of a module, without tables and examples."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = TABLE.sub("\n", ast.get_docstring(node) or "")
            yield EXAMPLE.sub("", text).replace("``", "`")


@pytest.mark.slow  # it reads every module
def test_no_sentence_of_a_docstring_is_long() -> None:
    long = [
        (module.name, words_of(sentence), sentence)
        for module in sorted((ROOT / "tla").rglob("*.py"))
        for text in docstrings(module)
        for block in blocks(text)
        for sentence in sentences(block)
        if words_of(sentence) > MOST_WORDS_OF_A_DOCSTRING
    ]
    assert long == []


def test_no_page_and_no_help_has_a_riddle(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {page.name: " ".join(blocks(page.read_text("utf-8"))) for page in PAGES}
    for words in [["help"], *([n] for n in COMMANDS), *(["ascend", n] for n in SUBCOMMANDS)]:
        assert main([*words, "--help"]) == 0
        texts[" ".join(words)] = capsys.readouterr().out
    found = {(name, match[0]) for name, text in texts.items() for match in RIDDLES.finditer(text)}
    assert found == set()
