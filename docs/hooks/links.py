"""Check the links of a built site: ``python docs/hooks/links.py SITE``.

Each link, image, script and style to a place in the site must be there, and so must each anchor. Links
that lead out are listed, and are not followed.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit


class Link(NamedTuple):
    """An address on a page, and the line on which it stands."""

    page: Path
    line: int
    address: str


class _Reader(HTMLParser):
    """Collects what a page links to, what it loads, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self.loaded: list[tuple[int, str]] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.found.append((self.getpos()[0], value))
            elif name in ("href", "src") and tag in ("link", "script", "img", "iframe", "image", "use"):
                self.loaded.append((self.getpos()[0], value))


@cache
def _read(page: Path) -> _Reader:
    reader = _Reader()
    reader.feed(page.read_text("utf-8"))
    reader.close()
    return reader


def check(site: Path) -> tuple[int, list[str], list[Link]]:
    """Return how many links stay in the site, what is wrong with some, and those that lead out.

    What a page loads from outside of the site is wrong: it is to be read without a network.
    """
    site = site.resolve()
    inside, wrong, outside = 0, [], []
    for page in sorted(site.rglob("*.html")):
        reader = _read(page)
        loads = {*reader.loaded}
        for line, address in [*reader.found, *reader.loaded]:
            link = Link(page.relative_to(site), line, address)
            scheme, host, path, _query, anchor = urlsplit(address)
            if scheme in ("data", "mailto", "javascript"):
                continue
            if scheme or host:
                if (line, address) in loads:
                    wrong.append(f"{link.page}:{line}: loads {address}")
                outside.append(link)
                continue
            inside += 1
            complaint = _complaint(site, page, unquote(path), unquote(anchor))
            if complaint:
                wrong.append(f"{link.page}:{line}: {address}: {complaint}")
    return inside, wrong, outside


def _complaint(site: Path, page: Path, path: str, anchor: str) -> str:
    """Return what is wrong with a path and an anchor on a page, or nothing."""
    start = site if path.startswith("/") or page.name == "404.html" else page.parent
    target = (start / path.lstrip("/")).resolve() if path else page
    if not target.is_relative_to(site):
        return "leaves the site"
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return "there is no such page"
    is_state = "=" in anchor  # what the playground shows, and no place of it
    if anchor and target.suffix == ".html" and not is_state and anchor not in _read(target).anchors:
        return "there is no such anchor"
    return ""


def main() -> int:
    """Print what is wrong with the links of the site that the command line names."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    inside, wrong, outside = check(Path(sys.argv[1]))
    for address in sorted({link.address for link in outside}):
        print(f"not followed: {address}")
    for text in wrong:
        print(text, file=sys.stderr)
    print(f"{inside} links in the site, {len(wrong)} wrong")
    return 1 if wrong or not inside else 0


if __name__ == "__main__":
    sys.exit(main())
