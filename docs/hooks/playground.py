"""The playground in the site, where the npm package ``pyodide`` is at hand when the site is built.

The variable TLA_PYODIDE names the folder of the package, as for `tla playground`. Without it the site is
built too; its page then says in a sentence how to make the playground.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from tla.playground import page

if TYPE_CHECKING:
    from typing import Any

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PLACE = "<!-- the playground -->"
FILE = "playground/page.html"

FRAME = (
    '<p><a href="page.html">Open it on a page of its own</a></p>\n'
    '<iframe class="tla-playground" src="page.html" title="The playground" allow="clipboard-write">'
    "</iframe>"
)
SENTENCE = "This site was built without Pyodide, so the playground is not in it: make it as below."


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page itself."""
    if folder := os.environ.get("TLA_PYODIDE"):
        files.append(File.generated(config, FILE, content=page(folder)))
    return files


def on_page_markdown(markdown: str, **_more: Any) -> str:
    """Put the page, or the sentence, in its place.

    >>> on_page_markdown("a <!-- the playground --> b") != "a <!-- the playground --> b"
    True
    """
    return markdown.replace(PLACE, FRAME if os.environ.get("TLA_PYODIDE") else SENTENCE)
