"""What builds and checks the site: the parts of it that need no more than the standard library."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla import TlaError
from tla.cli import main

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
HOOKS = DOCS / "hooks"

pytestmark = pytest.mark.skipif(not HOOKS.exists(), reason="there are no documents here")


def hook(name: str) -> ModuleType:
    """A module that the documents keep for their site."""
    spec = spec_from_file_location(f"site_{name}", HOOKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGE = '<html><head><link href="{style}" rel="stylesheet"></head><body>{body}</body></html>'

RIGHT = (
    '<a href="#here">a</a><h2 id="here">b</h2>',
    '<a href="other/#there">a</a>',
    '<a href="other/index.html">a</a>',
    '<a href="./other/#a%20b">a</a>',
    '<a href="page.html?x=1">a</a>',
    '<a href="page.html#view=layout">a</a>',
    '<img src="data:image/png;base64,AA=="><a href="mailto:a@b.c">a</a>',
    '<a href="https://example.org/no/such#page">not followed</a>',
)

WRONG = {
    '<a href="#nowhere">a</a>': "page.html:1: #nowhere: there is no such anchor",
    '<a href="missing/">a</a>': "page.html:1: missing/: there is no such page",
    '<a href="other/#here">a</a>': "page.html:1: other/#here: there is no such anchor",
    '\n<img src="picture.png">': "page.html:2: picture.png: there is no such page",
    '<a href="../../etc/passwd">a</a>': "page.html:1: ../../etc/passwd: leaves the site",
    '<script src="//example.org/x.js"></script>': "page.html:1: loads //example.org/x.js",
    '<svg><image href="https://example.org/x.png"/></svg>': (
        "page.html:1: loads https://example.org/x.png"
    ),
}


def site(folder: Path, body: str) -> Path:
    """A site of two pages and a style."""
    (folder / "other").mkdir()
    (folder / "site.css").touch()
    (folder / "page.html").write_text(PAGE.format(style="site.css", body=body), "utf-8")
    other = '<p id="there"></p><a name="a b" href="../page.html"></a>'
    (folder / "other" / "index.html").write_text(PAGE.format(style="../site.css", body=other), "utf-8")
    return folder


@pytest.mark.parametrize("body", RIGHT)
def test_links_that_lead_somewhere(body: str, tmp_path: Path) -> None:
    inside, wrong, outside = hook("links").check(site(tmp_path, body))
    assert wrong == []
    assert inside >= 3
    assert [link.address for link in outside] == [
        "https://example.org/no/such#page" for _ in range(body.count("https:"))
    ]


@pytest.mark.parametrize(("body", "complaint"), WRONG.items())
def test_links_that_lead_nowhere(body: str, complaint: str, tmp_path: Path) -> None:
    assert hook("links").check(site(tmp_path, body))[1] == [complaint]


def test_the_links_of_a_site_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    links = hook("links")
    cases: list[tuple[list[str], int]] = [
        (["links.py", str(site(tmp_path, ""))], 0),
        (["links.py"], 2),
        (["links.py", str(tmp_path / "other" / "nothing")], 1),
    ]
    for arguments, code in cases:
        monkeypatch.setattr(sys, "argv", arguments)
        assert links.main() == code
    (tmp_path / "page.html").write_text('<a href="gone.html">a</a>', "utf-8")
    monkeypatch.setattr(sys, "argv", ["links.py", str(tmp_path)])
    assert hook("links").main() == 1
    assert capsys.readouterr().err.endswith("page.html:1: gone.html: there is no such page\n")


@pytest.mark.parametrize("name", ["console", "links", "notebooks"])
def test_examples_of_a_hook(name: str) -> None:
    out: list[Any] = []
    for example in doctest.DocTestFinder().find(hook(name), name):
        doctest.DocTestRunner().run(example, out=out.append)
    assert out == []


def test_a_line_of_a_console_that_looks_like_a_prompt_is_printed() -> None:
    shown = hook("console").console("$ tla hlo <x>\n%copy.4 is & stays\n\n# 3")
    assert '<span class="gp">$ </span>tla hlo &lt;x&gt;\n' in shown
    assert '<span class="go">%copy.4 is &amp; stays</span>\n\n<span class="go"># 3</span>' in shown
    assert shown.count('class="gp"') == 1


# the site has its own check; these pages are read in the repository
PAGES = [
    page
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md")
    if (page := ROOT / name).exists()
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_of_the_repository(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    headings = {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.M)
    }
    for address in re.findall(r"\]\(([^()\s]+)\)", text):
        if address.startswith("#"):
            assert address[1:] in headings, address
        elif "://" not in address:
            there = page.parent / address.partition("#")[0]
            known = there.exists() or (there.parent == ROOT and there.suffix == ".md")  # of the wheel
            assert known, address


CHAPTERS = sorted((DOCS / "tutorial").glob("[0-9]*.md"))


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)
def test_the_notebook_of_a_chapter_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the first cell to the last; what is refused is marked so."""
    names: dict[str, Any] = {}
    found = hook("notebooks").notebook(page.read_text("utf-8"))
    assert {cell["cell_type"] for cell in found["cells"]} == {"markdown", "code"}
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    for cell in found["cells"]:
        if cell["cell_type"] == "markdown":
            assert "```pycon" not in cell["source"]
        elif cell["source"].startswith("!tla "):
            for line in cell["source"].splitlines():
                assert main(shlex.split(line)[1:]) in (0, 1)
        elif cell["metadata"]:
            with pytest.raises((TlaError, TypeError)):
                exec(cell["source"], names)
        else:
            exec(cell["source"], names)
    assert "Traceback" not in capsys.readouterr().err


def test_code_of_the_site_breaks_its_lines() -> None:
    """So that no block scrolls sideways, at whatever width."""
    style = (DOCS / "stylesheets" / "site.css").read_text("utf-8")
    rule = re.search(r"\.md-typeset pre > code \{(.*?)\}", style, re.S)
    assert rule
    assert {"white-space: pre-wrap;", "overflow-wrap: anywhere;"} <= {
        line.strip() for line in rule[1].splitlines()
    }
