"""The page in a browser: what it draws, lights, keeps in its address, and says of bad input.

It runs where Chromium is, and the variable TLA_PYODIDE names the unpacked npm package ``pyodide``.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tla.playground import PRESETS, VIEWS, answer, page

from .browser import CHROMIUM, CTRL, SHIFT, Browser

if TYPE_CHECKING:
    from collections.abc import Iterator

PYODIDE = os.environ.get("TLA_PYODIDE", "")

pytestmark = pytest.mark.skipif(
    not PYODIDE or CHROMIUM is None, reason="needs Chromium, and the npm package pyodide in TLA_PYODIDE"
)

MOST_BYTES = 9_000_000


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "playground.html"
    path.write_text(page(PYODIDE), "utf-8")
    assert path.stat().st_size <= MOST_BYTES
    return path.as_uri()


@pytest.fixture(scope="module")
def opened(url: str) -> Iterator[Browser]:
    browser = Browser()
    browser.open(url)
    yield browser
    browser.close()


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    """The browser at the usual size; a test leaves no word in the console, and asks for nothing."""
    opened.resize(1280, 900)
    opened.said.clear()
    yield opened
    assert opened.said == []
    assert [each for each in opened.requests if not each.startswith(("file:", "blob:", "data:"))] == []


def go(browser: Browser, view: str, *args: str) -> dict[str, Any]:
    """Show a view, and return its answer as Python gives it."""
    browser.do("window.tlaAnswer = null")
    browser.do(f"go({json.dumps(view)}, {json.dumps(args)})")
    browser.wait("window.tlaAnswer")
    found: dict[str, Any] = json.loads(answer(json.dumps({"view": view, "args": args})))
    return found


def pictures(figure: dict[str, Any] | None) -> Iterator[list[tuple[str, frozenset[str]]]]:
    """The cells of each picture of an answer: their texts, and the elements that they are."""
    if figure is None:
        return
    for grid in figure.get("grids", ()):
        offsets = [offset for row in grid["offsets"] for offset in row]
        texts = grid.get("texts") or [None] * len(offsets)
        elements = grid.get("elements") or [None] * len(offsets)
        yield [
            (str(offset) if text is None else text, _keys(offset, which))
            for offset, text, which in zip(offsets, texts, elements, strict=True)
        ]
    if figure["kind"] == "strip":
        yield [("", _keys(place[0], None)) for place in figure["places"]]
    for part in (*figure.get("figures", ()), *figure.get("pictures", ()), *figure.get("parts", ())):
        yield from pictures(part)


def _keys(offset: int, elements: list[int] | None) -> frozenset[str]:
    return frozenset([f"o{offset}"] if elements is None else [f"e{n}" for n in elements])


SHOWN = [(preset.view, preset.args) for preset in PRESETS]
SHOWN += [(name, tuple(field.default for field in view.fields)) for name, view in VIEWS.items()]

DRAWN = """stage.pictures.map((each) => ({
  isGrid: !each.scene.gap, isText: each.scene.isText && !each.canvas,
  drawn: [...each.box.querySelectorAll("text.on, text.off")].map((text) => text.textContent),
  cells: each.scene.cells.map((cell) => cell.text),
}))"""


@pytest.mark.parametrize(("view", "args"), SHOWN)
def test_the_page_draws_the_numbers_of_python(
    browser: Browser, view: str, args: tuple[str, ...]
) -> None:
    found = go(browser, view, *args)
    assert browser.do("window.tlaAnswer") == found
    drawn = browser.do(DRAWN)
    wanted = list(pictures(found["figure"]))
    assert len(drawn) == len(wanted)
    for shown, cells in zip(drawn, wanted, strict=True):
        if shown["isGrid"]:
            texts = [text for text, _keys in cells]
            assert shown["cells"] == texts
            assert shown["drawn"] == [text for text in texts if text] * shown["isText"]


POINTED = """(() => {
  const found = [];
  const lit = (each) => [...each.box.querySelectorAll(".lit .pointed")].map((rect) => {
    const [x, y] = ["x", "y"].map((name) => rect.getAttribute(name) - 1);
    return each.scene.cells.findIndex((cell) => cell.x == x && cell.y == y);
  }).sort((a, b) => a - b);
  for (const picture of stage.pictures.filter((each) => !each.canvas)) {
    const {left, top} = picture.surface.getBoundingClientRect();
    for (const cell of picture.scene.cells) {
      const at = {clientX: left + cell.x + cell.w / 2, clientY: top + cell.y + cell.h / 2};
      picture.box.dispatchEvent(new PointerEvent("pointermove", {...at, bubbles: true}));
      found.push(stage.pictures.map(lit));
    }
  }
  stage.point(stage.pictures[0], -1);
  return found;
})()"""

LINKED = [
    ("composition", "(6,2):(8,2)", "(4,3):(3,1)"),
    ("composition", "(6,8):(1,6)", "(12,2):(1,12)"),
    ("coalesce", "(2,(1,6)):(1,(6,2))"),
    ("complement", "(2,2):(1,6)", "24"),
    ("right_inverse", "(3,4):(4,1)"),
    ("left_inverse", "(3,4):(6,1)"),
    *((f"{form}_divide", "(8,6):(1,8)", "(4,3)") for form in ("logical", "zipped", "tiled", "flat")),
    *(
        (f"{form}_product", "(2,2):(2,1)", "(2,3):(3,1)")
        for form in ("logical", "zipped", "tiled", "flat", "blocked", "raked")
    ),
    ("layout", "(3,4):(1,1)"),
    ("layout", "Sw<2,0,3> o 0 o (8,8):(8,1)"),
    ("tv", "((4,8),2):((16,1),8)", "(8,8)"),
]


@pytest.mark.parametrize("shown", LINKED)
def test_pointing_lights_the_cells_of_the_element(browser: Browser, shown: tuple[str, ...]) -> None:
    found = go(browser, *shown)
    each = [[keys for _text, keys in cells] for cells in pictures(found["figure"])]
    wanted = [
        [[i for i, other in enumerate(cells) if keys & other] for cells in each]
        for picture in each
        for keys in picture
    ]
    assert browser.do(POINTED) == wanted
    assert sum(map(len, each)) > 8


def cell(browser: Browser, picture: int, number: int) -> tuple[float, float]:
    """Where a cell is on the screen."""
    browser.do(f"stage.pictures[{picture}].box.scrollIntoView({{block: 'center'}})")
    x, y = browser.do(
        f"(() => {{ const p = stage.pictures[{picture}], c = p.scene.cells[{number}],"
        " r = p.surface.getBoundingClientRect();"
        " return [r.left + c.x + c.w / 2, r.top + c.y + c.h / 2]; })()"
    )
    return x, y


def selected(browser: Browser) -> list[str]:
    return sorted(browser.do("[...stage.selected]"))


def test_selection_by_click_drag_shift_and_ctrl(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(4,1)")
    first, last = cell(browser, 0, 1), cell(browser, 0, 6)
    browser.drag(first, first)
    assert selected(browser) == ["o1"]
    browser.wait("!document.getElementById('detail').hidden")
    assert "(0,1) -> 0*4 + 1*1 = 1" in browser.do("document.getElementById('detail').textContent")
    browser.drag(first, last)
    block = ["o1", "o2", "o5", "o6"]
    assert selected(browser) == block
    more = cell(browser, 0, 8)
    browser.drag(more, more, CTRL)
    assert selected(browser) == sorted([*block, "o8"])
    browser.drag(first, first, CTRL)
    assert selected(browser) == ["o2", "o5", "o6", "o8"]
    browser.drag(first, first)
    browser.drag(last, last, SHIFT)
    assert selected(browser) == block
    assert "4 cells selected: 1, 2, 5, 6" in browser.do("document.getElementById('readout').textContent")


@pytest.mark.parametrize(("offset", "said"), [(2, "(0,2), (1,1), (2,0), 3 coordinates"), (0, "(0,0)")])
def test_an_offset_back_to_its_coordinates(browser: Browser, offset: int, said: str) -> None:
    go(browser, "layout", "(3,4):(1,1)")
    x, y = cell(browser, 1, offset)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    shown = browser.do("document.getElementById('readout').textContent")
    assert sorted(shown.split(": ")[1].split(", ")) == sorted(said.split(", "))


def test_a_hole_has_no_coordinate(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(6,1)")
    at = cell(browser, 1, 4)
    browser.drag(at, at)
    browser.wait("!document.getElementById('detail').hidden")
    assert "no coordinate: a hole" in browser.do("document.getElementById('detail').textContent")


def test_a_number_is_dragged(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(4,1)")
    box = "document.querySelectorAll('.handle')[2].getBoundingClientRect()"
    x, y = browser.do(f"[{box}.left + {box}.width / 2, {box}.top + {box}.height / 2]")
    browser.drag((x, y), (x + 24, y))
    browser.wait("window.tlaAnswer.args[0] === '(3,4):(6,1)'")
    assert browser.do("document.querySelector('[data-argument]').value") == "(3,4):(6,1)"


def test_the_address_keeps_the_state(browser: Browser, url: str) -> None:
    go(browser, "composition", "(6,2):(8,2)", "(4,3):(3,1)")
    at = cell(browser, 2, 4)
    browser.drag(at, at)
    state = browser.do("JSON.stringify(state)")
    address = browser.do("location.href")
    assert address.startswith(f"{url}#view=composition&a=(6,2):(8,2)&a=(4,3):(3,1)&on=e")
    browser.open(address)
    browser.wait("window.tlaAnswer")
    assert browser.do("JSON.stringify(state)") == state
    assert browser.do("[...stage.selected]") == json.loads(state)["selected"]


def test_the_way_back_shows_what_was_before(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(4,1)")
    go(browser, "coalesce", "(2,3):(1,2)")
    browser.do("history.back()")
    browser.wait("window.tlaAnswer.args[0] === '(3,4):(4,1)'")
    assert browser.do("document.getElementById('view').value") == "layout"


def test_nothing_overflows_a_narrow_page(browser: Browser) -> None:
    browser.resize(390, 844)
    for view, args in SHOWN:
        go(browser, view, *args)
        wide = browser.do("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, (view, args)


def test_all_is_reached_by_the_keyboard(browser: Browser) -> None:
    go(browser, "composition", "(6,2):(8,2)", "(4,3):(3,1)")
    browser.do("document.activeElement.blur(), window.scrollTo(0, 0)")
    wanted = browser.do(
        "(window.reached = [],"
        " [...document.querySelectorAll('button, select, input, summary, [tabindex]')]"
        ".filter((each) => each.checkVisibility() && !each.disabled).length)"
    )
    for _press in range(wanted + 5):
        browser.key("Tab")
        browser.do("reached.includes(document.activeElement) || reached.push(document.activeElement)")
    assert browser.do("reached.filter((each) => each !== document.body).length") == wanted


def test_keys_move_select_and_turn(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(4,1)")
    browser.do("stage.pictures[0].box.focus()")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"):
        browser.key(key)
    assert browser.do("document.getElementById('readout').textContent").startswith(
        "(3,4):(4,1): (2,1) → 9"
    )
    browser.key(" ")
    assert selected(browser) == ["o9"]
    browser.key("ArrowLeft", SHIFT)
    assert selected(browser) == ["o8", "o9"]
    browser.key("Escape")
    assert selected(browser) == []
    browser.do("document.querySelectorAll('.handle')[0].focus()")
    browser.key("ArrowUp")
    browser.wait("window.tlaAnswer.args[0] === '(4,4):(4,1)'")


def test_bad_input_shows_the_character_and_the_page_lives_on(browser: Browser) -> None:
    go(browser, "layout", "(3,4):(4,1)")
    browser.do("document.querySelector('[data-argument]').select()")
    browser.write_text("(2,3:(3,1)")
    browser.wait("window.tlaAnswer.error")
    shown = browser.do("document.getElementById('refusal').textContent")
    assert shown.startswith("expected ',' or ')' of the '(' in column 1, found ':'")
    assert browser.do("document.querySelector('#refusal mark').textContent") == ":"
    browser.do("document.querySelector('[data-argument]').select()")
    browser.write_text("[2,3]:[3,1]")
    browser.wait("document.querySelector('.repairs button')")
    browser.do("document.querySelector('.repairs button').click()")
    browser.wait("window.tlaAnswer.args[0] === '(2,3):(3,1)' && !window.tlaAnswer.error")
    assert browser.do("document.getElementById('refusal').hidden")


def test_the_witness_is_marked_and_the_repair_works(browser: Browser) -> None:
    go(browser, "composition", "(6,2):(1,7)", "(3,2):(2,3)")
    assert browser.do("document.querySelectorAll('.mark').length") == 2
    browser.do("document.querySelector('.repairs button').click()")
    browser.wait("!window.tlaAnswer.error")
    assert browser.do("state.args[1]") == "(2,2):(2,3)"


def test_many_cells_are_drawn_on_a_canvas(browser: Browser) -> None:
    go(browser, "layout", "(64,64):(64,1)")
    assert browser.do("[stage.pictures[0].canvas !== null, stage.pictures[0].scene.cells.length]") == [
        True,
        4096,
    ]
    assert browser.do("stage.pictures[1].canvas === null")
    browser.do("stage.pictures[0].box.focus()")
    browser.key("+")
    assert browser.do("stage.pictures[0].zoom") > 1


def test_what_takes_too_long_is_stopped(browser: Browser) -> None:
    browser.do("document.documentElement.dataset.limit = 1")
    browser.do("window.tlaAnswer = null")
    heavy = ["(512,512):(512,1)", "(1024,256):(256,1)", "32", "1"]
    browser.do(f"go('banks', {json.dumps(heavy)})")
    browser.wait("window.tlaAnswer")
    assert "longer than the limit of 1 s" in browser.do("document.getElementById('refusal').textContent")
    browser.do("document.documentElement.dataset.limit = 10")
    browser.wait("library.isReady")
    go(browser, "layout", "(2,3):(3,1)")
    assert browser.do("document.getElementById('refusal').hidden")


def test_a_failure_of_the_library_is_said(browser: Browser) -> None:
    script = "new Promise((done) => library.ask({view: 'none', args: []}, done, done))"
    assert "The library failed at this: " in browser.do(script)
    browser.wait("library.isReady")
    go(browser, "layout", "(2,3):(3,1)")


def test_the_svg_is_that_of_the_library(browser: Browser) -> None:
    go(browser, "layout", "(2,3):(3,1)")
    script = """new Promise((done) => {
      const asked = {view: "layout", args: ["(2,3):(3,1)"], form: "svg"};
      library.ask(asked, (found) => done(found.svg), done);
    })"""
    asked = json.dumps({"view": "layout", "args": ["(2,3):(3,1)"], "form": "svg"})
    assert browser.do(script) == json.loads(answer(asked))["svg"]


def test_a_picture_is_there_before_python(browser: Browser, url: str) -> None:
    browser.open(url, is_ready=False)
    shown = (
        "[document.querySelectorAll('#stage text.on').length, document.documentElement.dataset.ready]"
    )
    count, ready = browser.do(shown)
    assert count >= 96
    assert ready is None
    browser.wait("document.documentElement.dataset.ready")
