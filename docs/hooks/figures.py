"""Figures of the documents, drawn while the site is built.

A fence ```` ```tla-figure ```` holds command lines without the word ``tla``, one on a line; each is run.
In the fence's place stands its picture, in the colours of the page, with the command below it.
A line that fails stops the build, and so does one that does not where ``|| true`` stands behind it: a
picture of what is refused.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from mkdocs.exceptions import BuildError
from pymdownx.superfences import SuperFencesException

from tla import show
from tla.cli import main
from tla.playground import address

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

LANGUAGE = "tla-figure"
REFUSED = " || true"
ROOT = Path(__file__).parents[2]

SMALLEST = 0.9
"""How much smaller a picture may get."""

_WIDTH = re.compile(r'<svg class="tla" width="([0-9.]+)"')
_page = ""
_top = ""
"""The way from the page that is being built to the top of the site."""


class FigureError(SuperFencesException, BuildError):
    """A line of a fence that gives no picture."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let superfences hand our fences to us."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": LANGUAGE, "class": LANGUAGE, "format": figures})
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Remember which page is being built, for what an error says."""
    global _page, _top
    _page, _top = page.file.src_uri, "../" * page.url.count("/")


def figures(source: str, language: str, css_class: str, *_others: Any, **_more: Any) -> str:
    """Return the pictures of the lines of a fence, one below the other."""
    return "\n".join(_figure(line) for line in source.splitlines() if line.strip())


def _figure(line: str) -> str:
    picture = _WIDTH.sub(_shrinking, _run(line.strip()))
    command = line.strip().removesuffix(REFUSED)
    said = f"<figcaption><code>tla {escape(command)}</code>{_play(command)}</figcaption>"
    return f'<figure class="tla-drawn">{picture}{said}</figure>'


def _play(command: str) -> str:
    """A link to the picture in the playground, where the site has one."""
    place = address(shlex.split(command)) if os.environ.get("TLA_PYODIDE") else ""
    return f' <a href="{_top}playground/page.html{escape(place)}">play with it</a>' if place else ""


def _shrinking(opening: re.Match[str]) -> str:
    """Let a picture be made smaller where a page is narrow, but only as far as its texts can be read."""
    return f'{opening[0]} style="min-width:{float(opening[1]) * SMALLEST:.0f}px"'


def _run(line: str) -> str:
    """Return what a command line draws, as a part of a page and not a page of its own."""
    out, complaint = io.StringIO(), io.StringIO()
    part_of_a_page = mock.patch.object(show, "html", partial(show.html, page=False))
    with (
        part_of_a_page,
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(complaint),
    ):
        code = main([*shlex.split(line.removesuffix(REFUSED)), "--html"])
    if code != line.endswith(REFUSED):
        raise FigureError(f"{_page}: tla {line}: exit code {code}\n{complaint.getvalue()}")
    picture = out.getvalue().strip()
    if not picture.startswith("<div"):
        raise FigureError(f"{_page}: tla {line}: no picture, but {picture[:60]!r}")
    return picture
