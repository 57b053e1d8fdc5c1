"""The terminal: colours where it has and wants them, and the same text everywhere."""

from __future__ import annotations

import io
import re

import pytest

from tla import layout_figure, parse, zN
from tla.ground.figure import AnyFigure, Bar, Bars, Panels, Steps
from tla.show import render
from tla.show.palette import INK, MARK, NOTHING, fill
from tla.show.terminal import write

SGR = r"\x1b\[[\d;]*m"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(
    figure: AnyFigure, monkeypatch: pytest.MonkeyPatch, terminal: io.StringIO, **environment: str
) -> str:
    """What is written to a terminal of 60 columns and all colours."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    variables = {"COLUMNS": "60", "LINES": "24", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    for name, value in {**variables, **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", terminal)
    write(figure)
    return terminal.getvalue()


def sgr(colour: str, ground: int) -> str:
    """The numbers that set a colour: 38 of letters, 48 behind them."""
    return f"{ground};2;{';'.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))}"


def padded_figure() -> AnyFigure:
    figure = layout_figure(zN(5, 6, block=(4, 4)))
    grid = figure.grids[0]
    first = (grid.cells[0][0]._replace(is_marked=True), *grid.cells[0][1:])
    return figure._replace(grids=(grid._replace(cells=(first, *grid.cells[1:])),))


FIGURES: list[AnyFigure] = [
    padded_figure(),
    Panels("a", (padded_figure(), layout_figure(parse("(2,2):(2,1)"))), ("=",)),
    Steps("f(x)", ("note",), ("a",), (("b",),), (), "r", ("one",), (padded_figure(),)),
    Bars("L1", 64, (Bar("A", 0, 20, 24, ((16, 20),)),)),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
def test_the_text_is_the_same_with_and_without_colour(
    figure: AnyFigure, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    coloured = shown(figure, monkeypatch, Terminal())
    assert "\x1b[" in coloured
    bare = re.sub(SGR, "", coloured)
    assert [line.rstrip() for line in bare.splitlines()] == render(figure, 60).splitlines()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
def test_colour_is_turned_off(
    figure: AnyFigure, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(figure, monkeypatch, Terminal(), **environment) == render(figure, 60) + "\n"


def test_a_pipe_has_neither_colour_nor_width(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = layout_figure(parse("(2,60):(60,1)"))
    out = shown(figure, monkeypatch, io.StringIO())
    assert out == render(figure) + "\n"
    forced = shown(figure, monkeypatch, io.StringIO(), FORCE_COLOR="1")
    assert [line.rstrip() for line in re.sub(SGR, "", forced).splitlines()] == out.splitlines()


@pytest.mark.parametrize("is_coloured", [True, False])
def test_no_text_is_a_code(is_coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "\x1b[31m\x07\u202ea\nb\x9b"
    steps = Steps(hostile, (hostile,), (hostile,), ((hostile,),), (), hostile, (hostile,))
    bars = Bars(hostile, 64, (Bar(hostile, 0, 20, 24, ()),), hostile, hostile)
    for figure in (steps, bars, Panels(hostile, (bars, steps), (hostile,), hostile)):
        out = shown(figure, monkeypatch, Terminal() if is_coloured else io.StringIO())
        assert re.sub(SGR if is_coloured else "\n", "", out).replace("\n", "").isprintable()
        assert out.count("\\x1b[31m\\x07") == render(figure, 60).count("\\x1b[31m\\x07") > 0


def test_cells_have_their_colour_behind_dark_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that they read on light and on dark terminals."""
    pytest.importorskip("rich")
    out = shown(padded_figure(), monkeypatch, Terminal())
    for number in (0, 3):  # the tiles of the first row
        assert f"{sgr(INK, 38)};{sgr(fill('tile', number), 48)}m" in out
    assert f"{sgr(NOTHING, 38)};{sgr(MARK, 48)}m" in out
    assert re.search(r"\x1b\[2m *\(\d+\)", out)  # padding is dim
