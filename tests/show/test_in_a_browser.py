"""The script of a page of HTML, in Chromium where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playground.browser import CHROMIUM, Browser

from tla import parse
from tla.explain import explain
from tla.show import html

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

LIT = "[...document.querySelectorAll('.on')].map((cell) => cell.querySelector('title').textContent)"


def test_cells_are_lit_by_element_and_reached_by_keys(tmp_path: Path) -> None:
    """Each cell of A o B lights its element in A and in B, and no other."""
    path = tmp_path / "picture.html"
    a, b = parse("(6,2):(8,2)"), parse("(4,3):(3,1)")
    path.write_text(html(explain("composition", a, b).figure()), "utf-8")
    browser = Browser()
    try:
        browser.open(path.as_uri(), is_ready=False)
        browser.wait("document.querySelectorAll('.tla-figure svg').length == 3")
        browser.do("document.querySelector('.tla-figure svg').focus()")
        browser.key("ArrowRight")  # the first cell
        for key, offset in (
            ("", 0),
            ("ArrowRight", 2),
            ("ArrowDown", 10),
            ("ArrowLeft", 8),
            ("ArrowUp", 0),
        ):
            if key:
                browser.key(key)
            lit = browser.do(LIT)
            assert {int(text.rpartition(" ")[2]) for text in (lit[0], lit[-1])} == {offset}
            assert len(lit) == 3  # in A, in B, in A o B
            assert browser.do("document.querySelector('.tla-at').textContent").startswith(lit[0])
        wide = "document.querySelector('.tla-figure svg').getBoundingClientRect().width"
        before = browser.do(wide)
        browser.key("+")
        assert browser.do(wide) == pytest.approx(1.25 * before, abs=1)
        browser.key("0")
        assert browser.do(wide) == before
        browser.key("Escape")
        assert browser.do(LIT) == []
        assert browser.said == []
    finally:
        browser.close()
