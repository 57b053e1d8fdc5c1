# SPDX-License-Identifier: Apache-2.0
"""The end of the page's address that shows what a command prints."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from .views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Sequence


def address(arguments: Sequence[str]) -> str:
    """Return the end of the page's address that shows what ``tla`` prints; empty if no view does.

    >>> address(["explain", "composition", "(6,2):(8,2)", "(4,3):(3,1)"])
    '#view=composition&a=(6,2):(8,2)&a=(4,3):(3,1)'
    >>> address(["show", "(2,4):(12,1)", "--latex"])
    ''
    """
    words = [word for word in arguments if word != "--strip"]  # the page shows memory anyway
    texts = [word for word in words[1:] if not word.startswith("--")]
    for name, view in VIEWS.items():
        needed = sum(not field.is_optional for field in view.fields)
        for given in (texts, texts[1:]):
            if not needed <= len(given) <= len(view.fields) or given[0] in VIEWS:
                continue
            if view.command([*given, *[""] * (len(view.fields) - len(given))]) == words:
                asked = [f"view={name}", *(f"a={quote(text, safe='(),:<>{}[]')}" for text in given)]
                return f"#{'&'.join(asked)}"
    return ""
