"""Consoles of the documents: a line after ``$`` is typed, all others are printed.

Pygments takes ``%`` and ``#`` for prompts too, with which much of what we print begins. Where doctest
writes a word for an empty line, an empty line is shown.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let superfences hand the blocks to us."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "console", "class": "highlight", "format": console})
    return config


def on_page_markdown(markdown: str, **_more: Any) -> str:
    """Return the text of a page with empty lines where they are printed.

    >>> on_page_markdown(">>> print('a\\\\n')\\na\\n<BLANKLINE>\\n")
    ">>> print('a\\\\n')\\na\\n\\n"
    """
    return re.sub(r"^( *)<BLANKLINE>$", r"\1", markdown, flags=re.M)


def console(source: str, *_others: Any, **_more: Any) -> str:
    """Return a block as HTML.

    >>> print(console("$ tla coalesce '(2,3):(1,2)'\\n6:1"))
    <div class="highlight"><pre><code><span class="gp">$ </span>tla coalesce '(2,3):(1,2)'
    <span class="go">6:1</span>
    </code></pre></div>
    """
    lines = "\n".join(map(_line, source.splitlines()))
    return f'<div class="highlight"><pre><code>{lines}\n</code></pre></div>'


def _line(text: str) -> str:
    if text.startswith("$ "):
        return f'<span class="gp">$ </span>{escape(text[2:], quote=False)}'
    return f'<span class="go">{escape(text, quote=False)}</span>' if text else ""
