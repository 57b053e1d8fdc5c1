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
    ".tla-figure svg:focus-visible{outline:2px solid currentColor;outline-offset:2px}"
    f".tla-at{{display:block;min-height:1.4em;{_MONO};font-size:12px}}"
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
  const ways = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  const scales = {"+": 1.25, "=": 1.25, "-": 0.8};
  let lit = [], at = null;
  const light = (cell) => {
    for (const one of lit) one.classList.remove("on");
    at = cell;
    if (!cell) return void (lit = []);
    const figure = cell.closest(".tla-figure");
    const keys = new Set(cell.dataset.k.split(" "));
    const all = [...figure.querySelectorAll("[data-k]")];
    lit = all.filter((one) => one.dataset.k.split(" ").some((key) => keys.has(key)));
    for (const one of lit) one.classList.add("on");
    const others = lit.length - 1;
    const more = others ? `; lit with ${others} more` : "";
    figure.querySelector(".tla-at").textContent = cell.textContent + more;
  };
  const next = (picture, [right, down]) => {
    const cells = [...picture.querySelectorAll("[data-k]")];
    if (!cells.includes(at)) return cells[0];
    const from = at.getBoundingClientRect();
    let best = at, least = Infinity;
    for (const cell of cells) {
      const to = cell.getBoundingClientRect();
      const x = to.x - from.x, y = to.y - from.y;
      const ahead = x * right + y * down, aside = Math.abs(x * down + y * right);
      const far = ahead > 1 ? ahead + 4 * aside : Infinity;
      if (least > far) [best, least] = [cell, far];
    }
    return best;
  };
  const zoom = (picture, scale) => {
    picture.style.width = `${picture.getBoundingClientRect().width * scale}px`;
    picture.style.height = "auto";
  };
  document.addEventListener("pointerover", (event) => {
    light(event.target.closest ? event.target.closest(".tla-figure [data-k]") : null);
  });
  document.addEventListener("keydown", (event) => {
    const picture = event.target.closest ? event.target.closest(".tla-figure svg") : null;
    if (!picture || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ways) {
      const cell = next(picture, ways[event.key]);
      light(cell || null);
      if (cell) cell.scrollIntoView({block: "nearest", inline: "nearest"});
    } else if (event.key in scales) zoom(picture, scales[event.key]);
    else if (event.key === "0") picture.style.width = picture.style.height = "";
    else if (event.key === "Escape") light(null);
    else return;
    event.preventDefault();
  });
  document.addEventListener("wheel", (event) => {
    const picture = event.target.closest ? event.target.closest(".tla-figure svg") : null;
    if (!picture || !event.ctrlKey) return;
    zoom(picture, event.deltaY > 0 ? 0.9 : 1.1);
    event.preventDefault();
  }, {passive: false});
})();
"""
"""Lights the cells that share an element with the one pointed at, or reached by arrow keys, in all
pictures of the figure, and names it; + and - zoom, and so does the wheel with Ctrl."""


def html(figure: AnyFigure, page: bool = True, width: float | None = None) -> str:
    """Return a figure as HTML: pictures as SVG, tables as tables, sentences as a list.

    >>> html(layout_figure(Layout(3)), page=False)[:24]
    '<div class="tla-figure">'

    A script lights the cells of an element together, by pointer and by arrow keys, and names them to
    screen readers; + and - zoom. The page reads as well without it.

    Args:
        page: Whether it is a whole document, or a part of one.
        width: The greatest width of a picture.
    """
    part = "\n".join(
        [
            f'<div class="tla-figure"><style>{_STYLE}</style>',
            *_part(figure, width),
            '<output class="tla-at" aria-live="polite"></output>',
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


def _part(figure: AnyFigure, width: float | None) -> list[str]:
    if isinstance(figure, Steps):
        return _steps(figure, width)
    if isinstance(figure, Panels):
        return _panels(figure, width)
    return [svg(figure, alone=False, is_linked=True, width=width)]


def _line(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def _panels(panels: Panels, width: float | None) -> list[str]:
    parts = [_line(panels.title, "tla-said")] if panels.title else []
    parts.append('<div class="tla-panels">')
    for i, figure in enumerate(panels.figures):
        if i and panels.signs and panels.signs[i - 1]:
            parts.append(f"<span>{escape(panels.signs[i - 1])}</span>")
        parts += ["<div>", *_part(figure, width), "</div>"]
    parts.append("</div>")
    return [*parts, _line(panels.note)] if panels.note else parts


def _steps(steps: Steps, width: float | None) -> list[str]:
    parts = ['<section class="tla-steps">', _line(steps.title, "tla-said")]
    parts += [_line(note) for note in steps.notes]
    for part in steps.parts:
        parts += _steps(part, width)
    if steps.rows:
        parts.append(f'<table class="tla-table">\n<thead>{_row(steps.columns, "th")}</thead>\n<tbody>')
        parts += [_row(row, "td") for row in steps.rows]
        parts.append("</tbody>\n</table>")
    if steps.sentences:
        parts += ["<ol>", *(f"<li>{escape(sentence)}</li>" for sentence in steps.sentences), "</ol>"]
    if steps.result:
        parts.append(_line(f"= {steps.result}", "tla-said"))
    for picture in steps.pictures:
        parts += _part(picture, width)
    return [*parts, "</section>"]


def _row(cells: tuple[str, ...], kind: str) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(text)}</{kind}>' for text in cells)}</tr>"
