# SPDX-License-Identifier: Apache-2.0
"""Figures as HTML: a page by itself, or a part of one.

>>> from tla.ground.figure import Steps
>>> steps = Steps("f(x)", (), ("mode", "gives"), (("4:2", "4:1"),), (), "r", ("4 goes into 4.",))
>>> text = html(steps, page=False)
>>> "<th>mode</th>" in text, "<td>4:1</td>" in text, "<li>4 goes into 4.</li>" in text
(True, True, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..ground import Panels, Steps
from .palette import DARK, LIGHT
from .vector import LINKED, escape, svg

if TYPE_CHECKING:
    from ..ground import AnyFigure

_MONO: Final = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

_STYLE: Final = (
    ".tla-figure{overflow-x:auto;line-height:1.4}"
    ".tla-figure svg{display:block;max-width:none;margin-left:-6px}"
    ".tla-panels{display:flex;flex-wrap:wrap;align-items:flex-start;gap:.5em 1em}"
    ".tla-panels>span{font-size:1.4em;align-self:center}"
    ".tla-steps{margin:.5em 0}.tla-steps .tla-steps{margin-left:1.2em}"
    ".tla-figure table{display:table;border-collapse:collapse;margin:.5em 0;width:auto}"
    ".tla-figure th,.tla-figure td{border:1px solid currentColor;padding:.15em .6em;text-align:left;"
    f"{_MONO};font-size:12px;white-space:pre-wrap;min-width:0;background:none;color:inherit}}"
    f".tla-figure .tla-said{{{_MONO};font-size:13px;font-weight:600;overflow-wrap:anywhere}}"
    ".tla-figure p{margin:.3em 0;white-space:pre-line}.tla-figure ol{margin:.3em 0;padding-left:2em}"
    + LINKED
)

_PAGE: Final = (
    f":root{{color-scheme:light dark;--tla-ink:{LIGHT.ink};--tla-ground:{LIGHT.ground}}}"
    f"@media(prefers-color-scheme:dark){{:root{{--tla-ink:{DARK.ink};--tla-ground:{DARK.ground}}}}}"
    "body{color:var(--tla-ink);background:var(--tla-ground);margin:1.5em;"
    "font-family:system-ui,sans-serif}"
)

_SCRIPT: Final = """\
(() => {
  if (window.tlaLinked) return;
  window.tlaLinked = true;
  let lit = [];
  document.addEventListener("pointerover", (event) => {
    for (const cell of lit) cell.classList.remove("on");
    const at = event.target.closest ? event.target.closest(".tla-figure [data-k]") : null;
    const all = at ? at.closest(".tla-figure").querySelectorAll("[data-k]") : [];
    const keys = new Set(at ? at.dataset.k.split(" ") : []);
    lit = [...all].filter((cell) => cell.dataset.k.split(" ").some((key) => keys.has(key)));
    for (const cell of lit) cell.classList.add("on");
  });
})();
"""
"""Lights the cells that share an element with the one pointed at, in all pictures of the figure."""


def html(figure: AnyFigure, page: bool = True) -> str:
    """Return a figure as HTML: pictures as SVG, tables as tables, sentences as a list.

    >>> html(layout_figure(Layout(3)), page=False)[:24]
    '<div class="tla-figure">'

    A script lights the cells of an element together; the page reads as well without it.

    Args:
        page: Whether it is a whole document, or a part of one.
    """
    part = "\n".join(
        [
            f'<div class="tla-figure"><style>{_STYLE}</style>',
            *_part(figure),
            f"<script>\n{_SCRIPT}</script>",
            "</div>",
        ]
    )
    if not page:
        return part
    named: AnyFigure = figure
    while isinstance(named, Panels) and not named.title and named.figures:
        named = named.figures[0]
    title = escape(getattr(named, "title", "") or "a figure")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width"/>\n'
        f"<title>{title}</title>\n<style>{_PAGE}</style>\n</head>\n<body>\n{part}\n</body>\n</html>"
    )


def _part(figure: AnyFigure) -> list[str]:
    if isinstance(figure, Steps):
        return _steps(figure)
    if isinstance(figure, Panels):
        return _panels(figure)
    return [svg(figure, alone=False, is_linked=True)]


def _line(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _panels(panels: Panels) -> list[str]:
    parts = [_line(panels.title, "tla-said")] if panels.title else []
    parts.append('<div class="tla-panels">')
    for i, figure in enumerate(panels.figures):
        if i and panels.signs and panels.signs[i - 1]:
            parts.append(f"<span>{escape(panels.signs[i - 1])}</span>")
        parts += ["<div>", *_part(figure), "</div>"]
    parts.append("</div>")
    return [*parts, _line(panels.note)] if panels.note else parts


def _steps(steps: Steps) -> list[str]:
    parts = ['<section class="tla-steps">', _line(steps.title, "tla-said")]
    parts += [_line(note) for note in steps.notes]
    for part in steps.parts:
        parts += _steps(part)
    if steps.rows:
        parts.append(f'<table class="tla-table">\n<thead>{_row(steps.columns, "th")}</thead>\n<tbody>')
        parts += [_row(row, "td") for row in steps.rows]
        parts.append("</tbody>\n</table>")
    if steps.sentences:
        parts += ["<ol>", *(f"<li>{escape(sentence)}</li>" for sentence in steps.sentences), "</ol>"]
    parts.append(_line(f"= {steps.result}", "tla-said"))
    for picture in steps.pictures:
        parts += _part(picture)
    return [*parts, "</section>"]


def _row(cells: tuple[str, ...], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(text)}</{kind}>' for text in cells)}</tr>"
