# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG: one file by itself, or a part of a page.

>>> text = svg(layout_figure(Layout((2, 3), (3, 1))))
>>> text[:5], text.count("<title>"), "<title>(1,2) -> 5</title>" in text
('<svg ', 6, True)

A file has a ground of its own, light or dark as the reader's screen; in a page, text outside of cells
has the colour of the text around it. Nothing has an id, so that pages may hold any number of figures.
Source: SVG 1.1 and 2, https://www.w3.org/TR/SVG2/.
"""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, Final

from ..ground import visible
from .palette import DARK, INK, LIGHT, MARK
from .scenes import scene_of

if TYPE_CHECKING:
    from ..ground import AnyFigure
    from .scene import Box, Image, Scene

_STYLE: Final = (
    ".tla text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "fill:currentColor;stroke:none}"
    f".tla .c text{{font-size:12px;text-anchor:middle;fill:{INK};pointer-events:none}}"
    f".tla .c rect{{stroke:{INK};stroke-opacity:.35;stroke-width:.6}}"
    f".tla .h{{fill:none;stroke:{INK};stroke-opacity:.3;stroke-width:.8;pointer-events:none}}"
    ".tla .l{pointer-events:none}.tla .l line{stroke:currentColor;stroke-width:.8}"
    ".tla .l .ed{stroke-width:1.6}"
    f".tla .l .in{{stroke:{INK};stroke-width:1.6}}"
    f".tla .l .out{{stroke:{INK};stroke-width:3}}"
    f".tla .l .far{{stroke:{INK};stroke-width:4.4}}"
    f".tla .l .mark{{stroke:{MARK};stroke-width:2.6;stroke-linecap:square}}"
    ".tla .ti{font-size:13px;font-weight:600}.tla .ax{font-size:10px}"
    ".tla .ou{font-size:10px;font-weight:700}.tla .si{font-size:18px}.tla .no{font-size:12px}"
    f".tla .ce{{font-size:10px;fill:{INK}}}"
)

LINKED: Final = f".tla .c .on{{fill:#ffe14d;stroke:{MARK};stroke-opacity:1;stroke-width:4}}"
"""The style of cells that are the same as the one pointed at, in a page that looks for them."""

_ALONE: Final = (
    f".tla{{color:{LIGHT.ink}}}.tla .g{{fill:{LIGHT.ground}}}"
    f"@media(prefers-color-scheme:dark){{.tla{{color:{DARK.ink}}}.tla .g{{fill:{DARK.ground}}}}}"
)

_CLASSES: Final = {"title": "ti", "axis": "ax", "outer": "ou", "sign": "si", "note": "no", "cell": "ce"}
_WEIGHTS: Final = {
    "thin": "",
    "edge": ' class="ed"',
    "thick": ' class="in"',
    "heavy": ' class="out"',
    "heavier": ' class="far"',
    "mark": ' class="mark"',
}
_HATCH: Final = 8
"""From one line of hatching to the next."""


def escape(text: str) -> str:
    """Return a text with the escapes of XML, also those of quotes; a character that is not printable,
    and may be one that XML forbids, has the escape of Python.

    >>> escape('a < "b" & c ≤ d')
    'a &lt; &quot;b&quot; &amp; c &#8804; d'

    Letters beyond ASCII are written as numbers.
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = text.replace('"', "&quot;")
    text = visible(text)
    return text if text.isascii() else text.encode("ascii", "xmlcharrefreplace").decode()


def svg(
    figure: AnyFigure, alone: bool = True, is_linked: bool = False, width: float | None = None
) -> str:
    """Return a figure as an SVG element.

    >>> "<title>(1,2) -> 5</title>" in svg(layout_figure(Layout((2, 3), (3, 1))))
    True

    Args:
        alone: Whether the element is a file by itself. If not, it is part of a page, and has the colour
            of the text there.
        is_linked: Whether cells name the cells that they share something with, for a script to find.
        width: The greatest width. Where numbers do not fit, each cell is a spot of colour, and each tile
            has the number of its first cell; rows of memory and of panels break.
    """
    return of_scene(scene_of(figure, width), alone, is_linked, getattr(figure, "title", ""))


def of_scene(scene: Scene, alone: bool = True, is_linked: bool = False, label: str = "") -> str:
    """Return a scene as an SVG element."""
    width, height = _number(scene.width), _number(scene.height)
    space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    named = f' aria-label="{escape(label)}"' if label else ""
    focus = ' tabindex="0"' if is_linked else ""
    parts = [
        f'<svg{space} class="tla" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img"{named}{focus}>'
        f"<style>{_STYLE}{_ALONE if alone else ''}</style>"
    ]
    if alone:
        parts.append('<rect class="g" width="100%" height="100%"/>')
    _write(scene, parts, is_linked)
    parts.append("</svg>")
    return "\n".join(parts)


def _write(scene: Scene, parts: list[str], is_linked: bool) -> None:
    parts += [_image(image) for image in scene.images]
    if scene.boxes:
        parts.append('<g class="c">')
        parts += _boxes(scene.boxes, is_linked)
        parts.append("</g>")
    if scene.lines:
        parts.append('<g class="l">')
        parts += [
            f'<line x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
            f"{_WEIGHTS[weight]}/>"
            for x1, y1, x2, y2, weight in scene.lines
        ]
        parts.append("</g>")
    for x, y, text, role, anchor in scene.texts:
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        space = ' xml:space="preserve"' if "  " in text else ""
        parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" class="{_CLASSES[role]}"{at}{space}>'
            f"{escape(text)}</text>"
        )
    for x, y, part in scene.parts:
        parts.append(f'<g transform="translate({_number(x)},{_number(y)})">')
        _write(part, parts, is_linked)
        parts.append("</g>")


def _boxes(boxes: list[Box], is_linked: bool) -> list[str]:
    """The cells: their backgrounds, the hatching of some, and the texts."""
    out: list[str] = []
    texts: list[str] = []
    hatches: list[str] = []
    for x, y, w, h, fill, text, tip, is_hatched, keys in boxes:
        is_plain = tip.isascii() and tip.isprintable() and "<" not in tip and "&" not in tip
        pointed = tip if is_plain else escape(tip)
        link = f' data-k="{escape(_words(keys))}"' if is_linked and keys else ""
        out.append(
            f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}"{link}>'
            f"<title>{pointed}</title></rect>"
        )
        if text:
            escaped = text if text.isdecimal() else escape(text)
            texts.append(f'<text x="{x + w / 2}" y="{y + h / 2 + 4}">{escaped}</text>')
        if is_hatched:
            hatches.append(_hatch(x, y, w, h))
    if hatches:
        out.append(f'<path class="h" d="{"".join(hatches)}"/>')
    return out + texts


def _words(keys: tuple[int | str, ...]) -> str:
    """Keys as words with a space between them."""
    return " ".join(["".join(str(key).split()) for key in keys])


def _hatch(x: float, y: float, w: float, h: float) -> str:
    """Slanted lines across a box, each from the left or lower side to the upper or right side."""
    lines: list[str] = []
    k = _HATCH
    while k < w + h:
        left, low = max(k - h, 0), min(k, h)
        right, high = min(k, w), max(k - w, 0)
        lines.append(f"M{x + left:g} {y + low:g}L{x + right:g} {y + high:g}")
        k += _HATCH
    return "".join(lines)


def _number(x: float) -> str:
    return f"{x:g}" if x < 100000 else f"{x:.0f}"


def _image(image: Image) -> str:
    from base64 import b64encode

    png = b64encode(png_of(image)).decode("ascii")
    return (
        f'<image x="{_number(image.x)}" y="{_number(image.y)}" width="{_number(image.width)}" '
        f'height="{_number(image.height)}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{png}"/>'
    )


def png_of(image: Image) -> bytes:
    """Return an image as a PNG file with a palette. Source: the PNG specification, W3C."""
    import zlib

    colours = b"".join(bytes.fromhex(colour[1:]) for colour in image.colours)
    rows = [b"\0" + image.pixels[i * image.columns : (i + 1) * image.columns] for i in range(image.rows)]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(data)) + kind + data + pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", pack(">IIBBBBB", image.columns, image.rows, 8, 3, 0, 0, 0)),
            (b"PLTE", colours),
            (b"IDAT", zlib.compress(b"".join(rows), 6)),
            (b"IEND", b""),
        )
    )
