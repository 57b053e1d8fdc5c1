"""HTML: pictures as SVG, tables as tables, sentences as lists; one script, ours."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from hypothesis import given, strategies as st

from tla import Layout, layout_figure, strip_figure
from tla.ground.figure import AnyFigure, Panels, Steps
from tla.show import html, svg

from .figures import figures, said, steps


def read(figure: AnyFigure) -> Any:
    """A fragment as XML, which it is as well."""
    return ElementTree.fromstring(html(figure, page=False))


@given(figures())
def test_a_part_is_well_formed_and_has_every_text(figure: AnyFigure) -> None:
    root = read(figure)
    assert (root.tag, root.get("class")) == ("div", "tla-figure")
    drawn = [
        text.text for group in root.iter("g") if group.get("class") == "c"
        for text in group.findall("text")
    ]  # fmt: skip
    assert set(drawn) <= {*filter(None, said(figure))}


@given(steps())
def test_steps_are_tables_and_lists(figure: Steps) -> None:
    root = read(figure)
    cells = ["".join(cell.itertext()) for cell in root.iter("td")]
    assert cells == [text for part in depth_first(figure) for row in part.rows for text in row]
    heads = ["".join(cell.itertext()) for cell in root.iter("th")]
    assert heads == [text for part in depth_first(figure) if part.rows for text in part.columns]
    listed = ["".join(item.itertext()) for item in root.iter("li")]
    assert listed == [text for part in depth_first(figure) for text in part.sentences]
    assert len(list(root.iter("ol"))) == sum(bool(part.sentences) for part in depth_first(figure))
    assert "=" not in [
        (line.text or "").strip() for line in root.iter() if line.get("class") == "tla-said"
    ]


def depth_first(figure: Steps) -> list[Steps]:
    """Parts stand before the table of the whole."""
    return [inner for part in figure.parts for inner in depth_first(part)] + [figure]


@given(figures(), st.booleans())
def test_the_only_script_is_ours_and_nothing_is_asked_of_the_net(figure: AnyFigure, page: bool) -> None:
    text = html(figure, page)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(scripts) == text.count("<script") == 1
    assert scripts == re.findall(r"<script>(.*?)</script>", html(layout_figure(Layout(1))), re.S)
    assert not re.search(r"\s(on\w+|src|id)=|\w+://|@import|<link|url\(|innerHTML|eval", text)


@given(figures())
def test_a_page_is_a_document(figure: AnyFigure) -> None:
    text = html(figure)
    assert text.startswith("<!doctype html>\n")
    root = ElementTree.fromstring(text.partition("\n")[2])
    assert [child.tag for child in root] == ["head", "body"]
    assert root.findtext("head/title")
    assert "prefers-color-scheme: dark" in text.replace(":dark", ": dark")
    assert html(figure, page=False) in text


def test_cells_of_one_offset_share_a_key() -> None:
    """So that the script finds them: in the grid and in memory."""
    layout: Any = Layout((2, 3), (0, 1))
    figure = Panels("", (layout_figure(layout), strip_figure(layout)))
    keys = re.findall(r'data-k="(\w+)"', html(figure, page=False))
    assert keys == ["0", "1", "2", "0", "1", "2", "0", "1", "2"]
    assert "data-k" not in svg(figure)


def test_cells_of_one_element_share_a_key() -> None:
    figure = layout_figure(Layout(3, 2))
    grid = figure.grids[0]
    cells = tuple(
        cell._replace(elements=elements)
        for cell, elements in zip(grid.cells[0], ((7,), (7, 8), ()), strict=True)
    )
    figure = figure._replace(grids=(grid._replace(cells=(cells,)),), scheme="identity")
    assert re.findall(r'data-k="([^"]+)"', html(figure)) == ["e7", "e7 e8"]


def test_titles_signs_and_notes_of_panels_are_text() -> None:
    figure = layout_figure(Layout(2))
    root = read(Panels("a < b", (figure, figure), ("<",), "c & d"))
    assert [element.text for element in root.iter("p")] == ["a < b", "c & d"]
    assert [element.text for element in root.iter("span")] == ["<"]
    assert len(list(root.iter("svg"))) == 2
