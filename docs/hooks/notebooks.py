"""The pages of the tutorial as notebooks, to download: prose, code without its output, and commands.

A cell ends where the page prints something, so a notebook prints the same. A picture is a command.
"""

from __future__ import annotations

import json
import re
from doctest import DocTestParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_CHAPTER = re.compile(r"tutorial/(\d\d_\w+)\.md")
_FENCE = re.compile(r"^```([\w+-]+)\n(.*?)^```$", re.M | re.S)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebook of each chapter beside its page."""
    from mkdocs.structure.files import File

    for file in list(files):
        if chapter := _CHAPTER.fullmatch(file.src_uri):
            text = json.dumps(notebook(file.content_string), indent=1)
            place = file.dest_uri.rpartition("/")[0]
            files.append(File.generated(config, f"{place}/{chapter[1]}.ipynb", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_more: Any) -> str:
    """Put a link to the notebook below the title of a chapter."""
    chapter = _CHAPTER.fullmatch(page.file.src_uri)
    if not chapter:
        return markdown
    link = (
        f'<p class="tla-notebook"><a href="{chapter[1]}.ipynb" download>Download as a notebook</a></p>'
    )
    return re.sub(r"^(# .*\n)", rf"\1\n{link}\n", markdown, count=1)


def notebook(markdown: str) -> dict[str, Any]:
    r"""Return a page as a notebook, in nbformat 4.

    >>> page = "# One\n\n```pycon\n>>> x = 1\n>>> x\n1\n>>> x + 1\n2\n\n```\n"
    >>> [(cell["cell_type"], cell["source"]) for cell in notebook(page)["cells"]]
    [('markdown', '# One'), ('code', 'x = 1\nx'), ('code', 'x + 1')]
    """
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [{**cell, "id": f"cell-{i}"} for i, cell in enumerate(_cells(markdown))]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def _cells(markdown: str) -> Iterator[dict[str, Any]]:
    at = 0
    for fence in _FENCE.finditer(markdown):
        language, body = fence.groups()
        if language not in ("pycon", "console", "tla-figure"):
            continue
        yield from _prose(markdown[at : fence.start()])
        at = fence.end()
        if language == "pycon":
            yield from _code(body)
        else:
            prompt = "" if language == "tla-figure" else r"\$ tla "
            lines = re.findall(rf"^{prompt}(.+)$", body, re.M)
            yield _cell("\n".join([f"!tla {line.removesuffix(' || true')}" for line in lines]))
    yield from _prose(markdown[at:])


def _prose(text: str) -> Iterator[dict[str, Any]]:
    """Prose without what only a page has: folded answers, and links to other pages."""
    text = re.sub(r"<details[^>]*><summary>(.*?)</summary>|</details>", lambda m: _bold(m[1]), text)
    text = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", text).strip()
    if text:
        yield {"cell_type": "markdown", "metadata": {}, "source": text}


def _bold(text: str | None) -> str:
    return f"**{text}**" if text else ""


def _code(body: str) -> Iterator[dict[str, Any]]:
    source = ""
    for example in DocTestParser().get_examples(body):
        source += example.source
        if example.want:
            yield _cell(source, ["raises-exception"] if example.exc_msg else [])
            source = ""
    if source:
        yield _cell(source)


def _cell(source: str, tags: list[str] | None = None) -> dict[str, Any]:
    metadata = {"tags": tags} if tags else {}
    return {
        "cell_type": "code",
        "metadata": metadata,
        "execution_count": None,
        "outputs": [],
        "source": source.strip("\n"),
    }
