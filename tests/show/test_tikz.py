"""LaTeX: every special character is written so that it prints, and what is opened is closed."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tla import Layout, layout_figure, strip_figure, zN
from tla.ground.figure import AnyFigure, Panels, Steps
from tla.show import latex
from tla.show.scenes import scene_of
from tla.show.tikz import escape

from .figures import figures

if TYPE_CHECKING:
    from pathlib import Path

    from tla.show.scene import Scene

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


@pytest.mark.parametrize(("char", "written"), SPECIAL.items())
def test_special_characters_are_escaped(char: str, written: str) -> None:
    assert escape(f"a{char}b") == f"a{written}b"


@given(st.text("\\{}$&#%_^~ab<>|\"'`- →∘"))
def test_nothing_in_a_text_is_an_instruction(text: str) -> None:
    """But those that print a character: without them no special one is left."""
    rest = re.sub(r"\\(text\w+\{\}|ensuremath\{\\\w+\}|[{}$&#%_ ])", "", escape(text))
    assert not set(rest.replace("{-}", "")) & set("\\{}$&#%_^~")


@given(st.text())
def test_every_letter_is_one_that_latex_has(text: str) -> None:
    """What it does not have is told by its number, and nothing stops it."""
    assert all(c.isascii() or "\u00a1" <= c <= "\u00ff" for c in escape(text))
    assert escape(text).isprintable()


def test_a_letter_from_afar_is_a_number() -> None:
    assert escape("é中") == "éU+4E2D"


def test_blanks_are_kept() -> None:
    assert escape("  a  b c") == r"\ \ a\ \ b c"
    assert escape(" a") == r"\ a"


@given(figures(), st.booleans())
def test_what_is_opened_is_closed(figure: AnyFigure, alone: bool) -> None:
    text = latex(figure, alone)
    opened: list[str] = []
    for begins, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if begins == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    bare = re.sub(r"\\[\\{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert text.count("\\begin{tikzpicture}") == 1
    assert ("\\documentclass" in text) == alone


def things(scene: Scene) -> tuple[int, int, int]:
    """Boxes, hatched boxes and texts."""
    parts = list(scene.all())
    boxes = [box for part in parts for box in part.boxes]
    texts = sum(len(part.texts) for part in parts) + sum(bool(box.text) for box in boxes)
    return len(boxes), sum(box.is_hatched for box in boxes), texts


@given(figures())
def test_there_is_one_of_each(figure: AnyFigure) -> None:
    text = latex(figure, alone=False)
    boxes, hatched, texts = things(scene_of(figure))
    assert text.count("\\filldraw[tla cell") == boxes
    assert text.count("\\fill[tla hatch]") == hatched
    assert text.count("\\node[") == texts
    used = set(re.findall(r"fill=(tla\w+)|\\fill\[(tla[0-9a-f]{6})\]", text))
    defined = set(re.findall(r"\\definecolor\{(tla\w+)\}\{HTML\}\{[0-9A-F]{6}\}", text))
    assert {a or b for a, b in used} <= defined


def test_the_numbers_are_those_of_the_cells() -> None:
    figure = layout_figure(zN(8, 12, block=(4, 4)))
    nodes = re.findall(r"\\node\[anchor=base\] at \([^)]*\) \{(\d+)\};", latex(figure))
    assert nodes == [str(cell.offset) for row in figure.grids[0].cells for cell in row]


def test_y_grows_downwards() -> None:
    assert "y=-0.75bp" in latex(layout_figure(Layout(2)))


def test_an_image_is_boxes_of_one_colour() -> None:
    text = latex(layout_figure(Layout((100, 2), (0, 5)), 128, 128))
    assert text.count("\\fill[") == 2
    assert text.count("\\fill[") < latex(layout_figure(zN(100, 64), 128, 128)).count("\\fill[") < 9000


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
def test_it_compiles(tmp_path: Path) -> None:
    grid = layout_figure(zN(5, 6, block=(4, 4)))
    odd = "".join(SPECIAL) + "<>|\"'`-- →∘×≤≥≠…é中ªµß"
    steps = Steps(odd, (odd,), ("a", odd), ((odd, "b"),), (), odd, (odd,), (grid,))
    figure = Panels(odd, (steps, strip_figure(Layout((2, 2), (3, 1)))), ("→",), odd)
    (tmp_path / "a.tex").write_text(latex(figure), "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    if b"standalone.cls' not found" in done.stdout:
        pytest.skip("there is no class standalone")
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "a.pdf").exists()
