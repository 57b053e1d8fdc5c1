# SPDX-License-Identifier: Apache-2.0
r"""Figures as LaTeX: a document by itself, or a ``tikzpicture`` for one.

>>> escape("100% of a_b & {c}")
'100\\% of a\\_b \\& \\{c\\}'

Needs the packages tikz and, by itself, standalone. Source: the manual of TikZ and PGF, 3.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..ground import visible
from .facts import runs
from .palette import INK, MARK
from .scenes import scene_of

if TYPE_CHECKING:
    from ..ground import AnyFigure
    from .scene import Image, Scene

_BEFORE: Final = r"""\documentclass[tikz,border=4bp]{standalone}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usetikzlibrary{patterns}
\begin{document}
"""

_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "'": r"\textquotesingle{}",
        "`": r"\textasciigrave{}",
        "-": r"{-}",
        "\N{RIGHTWARDS ARROW}": r"\ensuremath{\to}",
        "\N{LEFTWARDS ARROW}": r"\ensuremath{\leftarrow}",
        "\N{RING OPERATOR}": r"\ensuremath{\circ}",
        "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
        "\N{MIDDLE DOT}": r"\ensuremath{\cdot}",
        "\N{LESS-THAN OR EQUAL TO}": r"\ensuremath{\le}",
        "\N{GREATER-THAN OR EQUAL TO}": r"\ensuremath{\ge}",
        "\N{NOT EQUAL TO}": r"\ensuremath{\ne}",
        "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
        "\n": " ",
    }
)

_FONTS: Final = {
    "title": r"\bfseries\fontsize{9.75bp}{12bp}\selectfont",
    "axis": r"\fontsize{7.5bp}{9bp}\selectfont",
    "outer": r"\bfseries\fontsize{7.5bp}{9bp}\selectfont",
    "sign": r"\fontsize{13.5bp}{16bp}\selectfont",
    "note": "",
    "cell": r"\fontsize{7.5bp}{9bp}\selectfont",
}
_ANCHORS: Final = {"start": "base west", "middle": "base", "end": "base east"}
_STYLE: Final = (
    "x=0.75bp,y=-0.75bp,inner sep=0pt,outer sep=0pt,"
    "every node/.style={font=\\frenchspacing\\ttfamily\\fontsize{9bp}{11bp}\\selectfont,text=tlaink},"
    "tla thin/.style={line width=0.6bp,draw=tlaink},tla thick/.style={line width=1.2bp,draw=tlaink},"
    "tla edge/.style={line width=1.2bp,draw=tlaink},"
    "tla heavy/.style={line width=2.2bp,draw=tlaink},tla heavier/.style={line width=3.3bp,draw=tlaink},"
    "tla mark/.style={line width=2bp,draw=tlamark},tla cell/.style={line width=0.4bp,draw=tlaink!50},"
    "tla hatch/.style={pattern=north east lines,pattern color=tlaink!35}"
)


def escape(text: str) -> str:
    """Return the LaTeX that prints a text: no character is a command, and all blanks are kept."""
    out = "".join(map(_letter, visible(text))).translate(_SPECIAL).replace("  ", "\\ \\ ")
    return f"\\ {out[1:]}" if out.startswith(" ") else out


def _letter(letter: str) -> str:
    """The LaTeX of one letter: a number if LaTeX has no name for it."""
    code = ord(letter)
    if code in _SPECIAL or 0x20 <= code < 0x7F or (0xA0 < code <= 0xFF and letter.isalpha()):
        return letter
    return f"U+{code:04X}"


def latex(figure: AnyFigure, alone: bool = True, width: float | None = None) -> str:
    r"""Return a figure as LaTeX with TikZ.

    >>> latex(layout_figure(Layout(3)), alone=False).split("\n")[-1]
    '\\end{tikzpicture}'

    Args:
        alone: Whether it is a whole document. If not, it is a picture for a document that has
            ``\usepackage{tikz}`` and ``\usetikzlibrary{patterns}``.
        width: The greatest width, of which an inch has 96.
    """
    picture = of_scene(scene_of(figure, width))
    return f"{_BEFORE}{picture}\n\\end{{document}}" if alone else picture


def of_scene(scene: Scene) -> str:
    """Return a scene as a ``tikzpicture``, with the colours it needs before it."""
    used: set[str] = set()
    for part in scene.all():
        used.update(box.fill for box in part.boxes)
        used.update(*(image.colours for image in part.images))
    named = [("tlaink", INK), ("tlamark", MARK), *((_name(colour), colour) for colour in sorted(used))]
    return "\n".join(
        [
            *(f"\\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}" for name, colour in named),
            f"\\begin{{tikzpicture}}[{_STYLE}]",
            *_commands(scene),
            "\\end{tikzpicture}",
        ]
    )


def _commands(scene: Scene) -> list[str]:
    out = [line for image in scene.images for line in _image(image)]
    for x, y, w, h, fill, text, _tip, is_hatched, _key in scene.boxes:
        place = f"({x:g},{y:g}) rectangle ({x + w:g},{y + h:g});"
        out.append(f"\\filldraw[tla cell,fill={_name(fill)}] {place}")
        if is_hatched:
            out.append(f"\\fill[tla hatch] {place}")
        if text:
            out.append(f"\\node[anchor=base] at ({x + w / 2:g},{y + h / 2 + 4:g}) {{{escape(text)}}};")
    for x1, y1, x2, y2, weight in scene.lines:
        out.append(f"\\draw[tla {weight}] ({x1:g},{y1:g}) -- ({x2:g},{y2:g});")
    for x, y, text, role, anchor in scene.texts:
        font = f",font=\\frenchspacing\\ttfamily{_FONTS[role]}" if _FONTS[role] else ""
        out.append(f"\\node[anchor={_ANCHORS[anchor]}{font}] at ({x:g},{y:g}) {{{escape(text)}}};")
    for x, y, part in scene.parts:
        out += [f"\\begin{{scope}}[shift={{({x:g},{y:g})}}]", *_commands(part), "\\end{scope}"]
    return out


def _name(colour: str) -> str:
    return f"tla{colour[1:]}"


def _image(image: Image) -> list[str]:
    """Boxes of one colour: each is a run along a row, and spans the rows below with the same run."""
    out: list[str] = []
    wide, high = image.width / image.columns, image.height / image.rows
    rows = [image.pixels[i * image.columns : (i + 1) * image.columns] for i in range(image.rows)]
    for row, top, bottom in runs(rows):
        y1, y2 = image.y + top * high, image.y + bottom * high
        for colour, start, end in runs(row):
            x1, x2 = image.x + start * wide, image.x + end * wide
            out.append(
                f"\\fill[{_name(image.colours[colour])}] ({x1:g},{y1:g}) rectangle ({x2:g},{y2:g});"
            )
    return out
