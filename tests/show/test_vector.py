"""SVG: well-formed, with the numbers of the figure, readable in light, dark and without colours."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from itertools import combinations, pairwise
from math import dist
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from tla import Layout, layout_figure, parse, zN
from tla.figures.layouts import tile_colour
from tla.ground.figure import AnyFigure, Figure, Scheme, Timeline
from tla.ground.output import visible
from tla.show import svg
from tla.show.palette import CHEQUER, DARK, INK, LIGHT, MARK, NOTHING, PADDING, fill
from tla.show.scene import Image
from tla.show.scenes import scene_of
from tla.show.vector import escape, png_of

from .figures import figures, grids, said

NAME = "{http://www.w3.org/2000/svg}"


def read(figure: AnyFigure) -> Any:
    return ElementTree.fromstring(svg(figure))


@given(figures())
def test_it_is_well_formed_and_has_every_text(figure: AnyFigure) -> None:
    root = read(figure)
    assert root.tag == f"{NAME}svg"
    texts = [
        element.text for group in root.iter(f"{NAME}g") if group.get("class") == "c"
        for element in group.findall(f"{NAME}text")
    ]  # fmt: skip
    boxes = [box.text for scene in scene_of(figure).all() for box in scene.boxes]
    assert sorted(texts) == sorted(filter(None, boxes))
    if isinstance(figure, Figure) and boxes:
        assert texts == list(said(figure))


@given(figures(), st.booleans())
def test_it_brings_nothing_that_acts_or_comes_from_outside(figure: AnyFigure, alone: bool) -> None:
    text = svg(figure, alone)
    assert not re.search(r"<script|\bon\w+=|\bid=|url\(|@import|<foreignObject", text)
    assert re.findall(r"\w+://[^\"]*", text) == ["http://www.w3.org/2000/svg"] * alone


@given(grids(marks=False))
def test_every_cell_says_its_coordinate_when_pointed_at(figure: Figure) -> None:
    titles = [element.text for element in read(figure).iter(f"{NAME}title")]
    names = [
        name if grid.row_axis is None else f"({','.join([*map(str, grid.at), row, name])})"
        for grid in figure.grids
        for row in (grid.row_axis.names if grid.row_axis else ("",))
        for name in grid.column_axis.names
    ]
    assert [title.split(" -> ")[0] for title in titles] == names[: len(titles)]


@pytest.mark.parametrize("text", ["(2,2,3):(6,3,1)", "((2,2),3,(2,2),2):((1,8),16,(2,48),4)"])
def test_the_coordinate_of_a_cell_is_one_of_the_layout(text: str) -> None:
    """Of slices too: it leads to the offset that is said."""
    layout: Any = parse(text)
    titles = [element.text for element in read(layout_figure(layout, slices=99)).iter(f"{NAME}title")]
    pairs = [title.split(" -> ") for title in titles]
    assert [int(offset) for _coordinate, offset in pairs] == [
        layout(parse(coordinate)) for coordinate, _offset in pairs
    ]
    assert len({coordinate for coordinate, _offset in pairs}) == layout.size


def test_a_part_of_a_page_has_the_colour_of_its_text() -> None:
    figure = layout_figure(Layout((2, 3)))
    assert "prefers-color-scheme" in svg(figure)
    assert 'class="g"' in svg(figure)
    part = svg(figure, alone=False)
    assert "prefers-color-scheme" not in part
    assert 'class="g"' not in part
    assert "xmlns" not in part
    assert "currentColor" in part
    # rules of the part are of no other text of the page
    rules = re.findall(r"([^{}]+)\{", part[part.index("<style>") + 7 : part.index("</style>")])
    assert all(one.strip().startswith(".tla ") for rule in rules for one in rule.split(","))


def lightness(colour: str) -> float:
    """Relative luminance. Source: WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    low, high = sorted([lightness(a), lightness(b)])
    return (high + 0.05) / (low + 0.05)


SCHEMES: tuple[Scheme, ...] = ("", "tile", "identity", "offset")


def test_all_text_reads() -> None:
    """Contrast of 4.5, on cells and around them, and of the frame of what is marked 3."""
    paints = {fill(scheme, i) for scheme in SCHEMES for i in range(-1, 20)} | {NOTHING, PADDING}
    assert min(contrast(INK, paint) for paint in paints) >= 4.5
    assert min(contrast(page.ink, page.ground) for page in (LIGHT, DARK)) >= 7
    lit = ["#ffe14d", NOTHING, PADDING, *(fill("tile", i) for i in range(8))]
    assert min(contrast(MARK, paint) for paint in lit) >= 3
    assert contrast(*CHEQUER) >= 2


def test_the_ramp_is_even_in_lightness() -> None:
    """So that no place in an order looks like a border."""
    ramp = [seen(fill("identity", i), "whole")[0] for i in range(16)]
    steps = [a - b for a, b in pairwise(ramp)]
    assert min(steps) > 0
    assert max(steps) < 5


def test_far_offsets_are_darker_than_near_ones() -> None:
    ramp = [lightness(fill("offset", i)) for i in range(16)]
    assert ramp == sorted(ramp, reverse=True)
    assert ramp[0] > 2.5 * ramp[-1]


# What red, green and blue become: without long, middle and short cones, and without colour at all.
# Source: Machado, Oliveira, Fernandes, 2009, severity 1.0; sRGB.
VISION = {
    "whole": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039),
    ),
}  # fmt: skip


def lab(linear: list[float]) -> tuple[float, float, float]:
    """CIE Lab of linear red, green and blue, with the white of D65."""
    r, g, b = (min(max(c, 0), 1) for c in linear)

    def curve(t: float) -> float:
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116

    x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047)
    y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b)
    z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: str, kind: str) -> tuple[float, float, float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return lab([sum(m * c for m, c in zip(row, linear, strict=True)) for row in VISION[kind]])


@pytest.mark.parametrize("kind", VISION)
def test_every_eye_tells_tiles_apart(kind: str) -> None:
    colours = [seen(fill("tile", i), kind) for i in range(8)]
    assert min(dist(a, b) for a, b in combinations(colours, 2)) > 10


def test_tiles_side_by_side_differ_without_colour() -> None:
    """One is light and the other darker, as on a chequerboard."""
    dark = [seen(fill("tile", i), "whole")[0] for i in range(8)]
    for i in range(8):
        for j in range(8):
            at = dark[tile_colour(i, j)]
            for other in (tile_colour(i + 1, j), tile_colour(i, j + 1)):
                assert abs(at - dark[other]) > 9


def test_an_image_is_a_png_of_its_pixels() -> None:
    (image,) = scene_of(layout_figure(zN(90, 70), 128, 128)).images
    found = re.search(r'href="data:image/png;base64,([^"]+)"', svg(layout_figure(zN(90, 70), 128, 128)))
    assert found
    png = b64decode(found[1])
    assert png == png_of(image)
    assert unpacked(png) == (image.columns, image.rows, image.pixels)


def unpacked(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and pixels, read as the specification says, with the checks of each chunk."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert int.from_bytes(png[at + 8 + length : at + 12 + length]) == zlib.crc32(kind + data)
        chunks[kind] = data
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height = (int.from_bytes(chunks[b"IHDR"][i : i + 4]) for i in (0, 4))
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[i * (width + 1) : (i + 1) * (width + 1)] for i in range(height)]
    assert all(row[0] == 0 for row in rows)
    return width, height, b"".join(row[1:] for row in rows)


@given(st.integers(1, 9), st.integers(1, 9), st.randoms(use_true_random=False))
def test_pngs_of_any_size(columns: int, rows: int, rng: Any) -> None:
    pixels = bytes(rng.randrange(3) for _ in range(columns * rows))
    image = Image(0, 0, 1, 1, columns, rows, pixels, ("#000000", "#ffffff", "#123456"))
    assert unpacked(png_of(image)) == (columns, rows, pixels)


@given(st.text())
def test_any_text_can_stand_in_it(text: str) -> None:
    assert escape(text).isascii()
    root = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    assert (root.text or "") == root.get("b") == visible(text)


def test_a_large_picture_is_small() -> None:
    figure = layout_figure(Layout((256, 256), (256, 1)), 512, 512)
    assert len(svg(figure)) < 20_000
    assert len(svg(layout_figure(Layout((64, 64)), 64, 64))) < 700_000


@pytest.mark.parametrize("title", ["", "a & b"])
def test_a_picture_is_named_for_those_who_do_not_see_it(title: str) -> None:
    root = read(layout_figure(Layout(3))._replace(title=title))
    assert root.get("aria-label") == (title or None)
    assert root.get("role") == "img"


def test_a_timeline_has_no_title() -> None:
    assert read(Timeline("core", "round", "x", (), (), 0, 0, 0)).get("aria-label") is None
