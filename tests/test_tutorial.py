"""Every page of the tutorial asks, draws, lets the reader predict, and ends at a line of real code."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial"
PAGES = sorted(TUTORIAL.glob("[0-9]*.md"))

pytestmark = pytest.mark.skipif(not PAGES, reason="the wheel has no documents")

REAL = {"c++", "text"}
"""The languages of lines that are in use elsewhere: of a kernel, of a module of HLO."""


def sections(page: Path) -> dict[str, str]:
    """The text below each heading, that of the title under its own."""
    parts = re.split(r"^##? (.*)\n", page.read_text("utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts(page: Path) -> None:
    found = sections(page)
    title, *others = found
    assert re.match(r"\n> .*\?", found[title]), "it begins with a question"
    text = page.read_text("utf-8")
    assert text.index("```pycon") < text.index("```tla-figure"), "a function first, then a picture"
    assert {"Predict", "In real code"} <= set(others)
    question, answer = found["Predict"].split('<details markdown="1"><summary>Answer</summary>')
    assert "?" in question
    assert "```pycon" in answer
    assert answer.count("</details>") == 1
    assert set(re.findall(r"^```(\S+)", found["In real code"], re.M)) & REAL


def test_pages_are_numbered_and_lead_on() -> None:
    assert len(PAGES) == 15
    for number, page in enumerate(PAGES, 1):
        assert page.name.startswith(f"{number:02}_")
        assert page.read_text("utf-8").startswith(f"# {number}. ")
    for page, following in pairwise(PAGES):
        assert re.search(rf"^Next: \[.*\]\({following.name}\)\.$", page.read_text("utf-8"), re.M)


def test_the_first_page_lists_all() -> None:
    listed = re.findall(r"^\| \[(.*)\]\((.*)\) \| .*\? \|$", (TUTORIAL / "index.md").read_text(), re.M)
    titles = [(next(iter(sections(page))), page.name) for page in PAGES]
    assert listed == titles
