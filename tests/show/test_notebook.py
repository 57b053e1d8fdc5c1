"""What notebooks show of values: small, whole, and never an error."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from html import unescape
from math import prod
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st

import tla
from tla import Layout, UndecidedError, UnsupportedError, parse
from tla.ascend.kernels import replay
from tla.ground import display
from tla.ground.figure import AnyFigure, Bar, Bars, Lane, Panels, Steps, Stretch, Timeline
from tla.memory.sizes import bytes_printed_as
from tla.show import notebook
from tla.show.notebook import CELLS, CHARACTERS, figure_of, html_of
from tla.testing import int_tuples, layouts, naive_coords, shapes

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(tla.__file__).parent.parent


def shown(value: object) -> str:
    """What a notebook shows, where whatever goes wrong is an error here."""
    page = html_of(value)
    assert page is not None
    return page


def cells(page: str) -> list[str]:
    """What is said of each cell of the pictures."""
    return [unescape(text) for text in re.findall(r"<title>(.*?)</title>", page)]


def offsets(page: str) -> list[int]:
    return [int(re.split("(?:->|\N{RIGHTWARDS ARROW}) ", text)[1].split(",")[0]) for text in cells(page)]


# --- size ---

huge = layouts(shapes(max_size=10**30, min_extent=0, max_rank=4, max_depth=3), min_stride=-(10**20))


@given(huge)
@settings(max_examples=30, deadline=None)
def test_what_is_shown_is_small_and_a_part_of_a_page(layout: Any) -> None:
    page = shown(layout)
    assert len(page) <= CHARACTERS
    assert len(cells(page)) <= CELLS
    ElementTree.fromstring(page)


@pytest.mark.parametrize(
    "layout",
    [
        Layout((10**400, 10**400), (1, 10**400)),
        Layout((2,) * 300),
        Layout(tuple((2, 2) for _ in range(60))),
        Layout(10**9),
        Layout((100000, 10000), (1, 100000)),
        Layout((10**9, 1), (1, 0)),
        Layout((1, 10**9), (0, 7)),
        Layout((3,) * 3 + (10**5,)),
    ],
    ids=lambda layout: str(layout)[:20],
)
def test_a_layout_of_any_size_is_small_at_once(layout: Any) -> None:
    page = layout._repr_html_()
    assert page is not None
    assert len(page) <= CHARACTERS
    shown_cells = len(cells(page))
    assert 0 < shown_cells <= CELLS
    assert f"the first {shown_cells} shown" in page


def test_a_thousand_million_elements_are_a_corner_and_their_number() -> None:
    page = shown(Layout((100000, 10000), (1, 100000)))
    assert "... 1000000000 cells, the first 1024 shown" in page
    assert len(page) < 250_000


@given(layouts(shapes(max_size=CELLS, max_depth=2), min_stride=-64, padded=True))
@settings(max_examples=40, deadline=None)
def test_a_small_layout_is_shown_in_full(layout: Any) -> None:
    tuples = isinstance(layout.shape, tuple)
    sizes = tuple(int(tla.size(mode)) for mode in layout) if tuples else (int(layout.size),)
    if max(*sizes[-2:], prod(sizes[:-2]), 1) > 64:  # so many cells in a row, and slices, have text
        return
    page = shown(layout)
    at = sorted(naive_coords(sizes))
    expected = [int(layout(c)) for c in at] if tuples else [int(layout(c[0])) for c in at]
    assert offsets(page) == expected
    assert " shown" not in page


# --- facts ---


@given(layouts(shapes(max_size=32)))
@settings(max_examples=30, deadline=None)
def test_what_is_said_of_offsets_is_so(layout: Any) -> None:
    found = [int(layout(i)) for i in range(int(layout.size))]
    is_injective = len(set(found)) == len(found)
    page = shown(layout)
    assert ("yes: each coordinate has an offset of its own" in page) == is_injective
    if is_injective:
        is_filled = len(found) == max(found) + 1 - min(found)
        assert ("none is left out" in page) == is_filled
    assert f"{max(found) + 1 - min(found)} offsets from the least to the greatest" in page
    assert f"{len(found)} coordinates" in page


def test_two_coordinates_of_one_offset_are_named() -> None:
    assert "no: (0,0) and (1,0) have the offset 0" in shown(parse("(4,4):(0,2)"))


def test_padding_is_counted() -> None:
    page = shown(parse("((2,2),(2,3)):((2,12),(1,4)):(3,5)"))
    assert "9 of 24 coordinates hold no data" in page
    assert "a third part is the shape of the data" in page


def test_how_to_read_is_folded_and_fits_the_layout() -> None:
    plain, nested = shown(parse("(2,3):(3,1)")), shown(parse("((2,2),3):((1,2),4)"))
    for page in (plain, nested):
        assert "<details><summary>how to read it</summary>" in page
        assert "_4</code> is static" in page
    assert "((4,2),3)" in nested
    assert "((4,2),3)" not in plain


@pytest.mark.parametrize("text", ["(4,2):(M,1)", "8:4*M", "(M,0):(1,4)"])
def test_where_any_int_is_unknown_it_is_said_that_there_is_no_picture(text: str) -> None:
    layout: Any = parse(text)
    with pytest.raises(UndecidedError):
        figure_of(layout)
    page = layout._repr_html_()
    assert page is not None
    assert "not known" in page


def test_a_layout_with_unknowns_is_its_text() -> None:
    page = shown(parse("((_16,M/16),K):((K,16*K),_1)"))
    assert "<svg" not in page
    assert "((_16,M/16),K):((K,16*K),_1)" in page
    assert "M % 16 == 0" in page
    assert cells(shown(parse("(M,4):(4,1)").bind(M=2))) != []


# --- every value ---

MODULE = (Path(__file__).parent.parent / "data" / "tpu_hlo" / "v5e_pad_window.hlo").read_text("utf-8")


KERNEL = Path(__file__).parent.parent / "data" / "kernels" / "batched.jsonl.gz"


def values() -> dict[str, Any]:
    from tla import ascend, gpu, hlo, indexing, memory, xla_bridge
    from tla.ascend.copies import gm_to_l1
    from tla.ascend.schedules import identity
    from tla.explain import explain

    module = hlo.read_module(MODULE)
    buffers = memory.module_buffers(module)
    tally = memory.Tally()
    for computation in buffers:
        tally.add(computation)
    found = memory.live(module)
    shape = xla_bridge.parse_shape
    matrix = ascend.make_layout("half", "RowMajor", 100, 100)
    swizzle = tla.ComposedLayout(tla.Swizzle(2, 0, 3), 0, Layout((8, 8), (8, 1)))
    plan = ascend.gemm("AtlasA2", (4096, 4096, 4096), "half")
    grid = tla.layout_figure(Layout((2, 3)))
    mma = gpu.tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 1, 1)))
    return {
        "layout": Layout((2, 3)),
        "empty": Layout((0, 3)),
        "point": Layout((), ()),
        "tensor": tla.make_tensor([1, 2, 3, 4], tla.row_major(2, 2)),
        "tile": tla.tile_view(tla.make_tensor("A", tla.row_major(100, 60)), (2, 1), (48, 32)),
        "exercise": tla.learn.exercise("strides/1/1/1"),
        "composed": swizzle,
        "linear layout": gpu.to_linear(swizzle),
        "shape": shape("f32[3,5]{1,0:T(2,2)}"),
        "scalar": shape("f32[]"),
        "tiled": shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}"),
        "tuple": shape("(f32[2], token[], s32[2,2])"),
        "buffer of XLA": shape("b(f32[3]{0})"),
        "use": xla_bridge.size_of(shape("f32[3,5]{1,0:T(3,4)(2,3)}")),
        "map": indexing.parse_map(
            "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 4]"
        ),
        "steps of XLA": xla_bridge.tiling_steps(shape("f32[3,5]{1,0:T(2,2)}"), (2, 3)),
        "operation": explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))),
        "architecture": ascend.arch("910B3"),
        "plan": plan,
        "attention": ascend.attention("AtlasA2", heads=16, q=128, kv=2048, head=128),
        "convolution": ascend.conv("AtlasA2", image=(1, 64, 32, 32), filter=(64, 3, 3)),
        "vector": ascend.gemv("AtlasA2", (4096, 2048), kind="aic"),
        "report": plan.check(),
        "broken": ascend.gemm("Ascend950", (512, 512, 512), "half", l1=(100, 256, 256)).check(),
        "schedule": identity((2048, 2048, 2048), (128, 256, 256)),
        "transfer": gm_to_l1(matrix, "zN", arch="AtlasA2", element="half", tile=(20, 24), at=(32, 48)),
        "liveness": found,
        "compiled function": tla.jax.Report(module, memory.copies(module), found, "v5e", None),
        "peak": found.peaks[0],
        "buffer": found.peaks[0].buffers[0],
        "tally": tally,
        "waste": memory.array_waste(shape("f32[3,5]{1,0:T(8,128)}")),
        "out of memory": memory_report(),
        "atom": mma.atom,
        "tiled MMA": mma,
        "tiled copy": gpu.tiled_copy_of("SM75_U32x4_LDSM_N", mma, "a"),
        "copy plan": tla.copy_plan(tla.row_major(4, 6), "((2,2),6):((1,12),2)"),
        "sharding": tla.xla_bridge.parse_sharding("{devices=[2,2]<=[4]}"),
        "grid": grid,
        "strip": tla.strip_figure(Layout((2, 2), (3, 1))),
        "panels": Panels("", (grid, grid), ("is",)),
        "steps": Steps("f(x)", (), ("mode",), (("4:2",),), (), "4:2", pictures=(grid,)),
        "bars": Bars("L1", 64, (Bar("A 0", 0, 20, 24, ()),)),
        "run of a kernel": replay(KERNEL, checks=()).timeline,
        "timeline": Timeline(
            "core", "round", "job", (0,), (Lane(0, ((Stretch("a", 4),),), 4),), 1, 1, 4
        ),
    }


def memory_report() -> Any:
    from tla.memory.oom_report import Allocation, Report

    allocations = (
        Allocation(2, 1, size="12.00G", unpadded="3.00G", label="%copy.1 = f32[3] copy(x)"),
        Allocation(3, 2, size="8.00G", kind="HLO temp"),
        Allocation(4, 3),
    )
    return Report(1, "ran out", "hbm", "20.00G", "16.00G", allocations=allocations)


VALUES = values()
FIGURES = ("grid", "strip", "panels", "steps", "bars", "timeline")


def test_every_kind_of_figure_is_shown() -> None:
    assert {type(VALUES[name]) for name in FIGURES} == set(get_args(AnyFigure))


def with_a_figure() -> Iterator[tuple[str, str, bool]]:
    """The module and name of each class with a picture, and whether a notebook asks it for one."""
    for path in sorted(Path(tla.__file__).parent.rglob("*.py")):
        for part in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(part, ast.ClassDef):
                names = {each.name for each in part.body if isinstance(each, ast.FunctionDef)}
                if "figure" in names:
                    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                    yield module, part.name, "_repr_html_" in names


def test_every_class_with_a_picture_is_shown() -> None:
    shown = {(each.__module__, each.__name__) for x in VALUES.values() for each in type(x).__mro__}
    found = {(module, name): asks for module, name, asks in with_a_figure() if module != "tla.cli.show"}
    assert found.keys() <= shown
    assert all(found.values()), found


@pytest.mark.parametrize("name", VALUES)
def test_every_value_is_shown(name: str) -> None:
    value = VALUES[name]
    page = value._repr_html_()
    assert page == shown(value)
    assert len(page) <= CHARACTERS
    ElementTree.fromstring(page)
    assert "<svg" in page


@pytest.mark.parametrize("name", VALUES)
def test_every_value_has_a_figure(name: str) -> None:
    value = VALUES[name]
    figure = figure_of(value)
    assert name in FIGURES or value.figure() == figure
    assert tla.show.render(figure)
    assert tla.show.svg(figure)
    assert tla.show.latex(figure)


def test_an_out_of_memory_report_ends_at_the_capacity() -> None:
    bars = memory_report().figure()
    assert bars.length in bytes_printed_as("16.00G")
    assert [(bar.label, bar.reach > bars.length) for bar in bars.bars] == [
        ("#1 %copy.1", False),
        ("#2 HLO temp", True),
    ]


def test_of_very_many_tasks_the_text_is_shown() -> None:
    from tla.ascend.schedules import identity

    assert identity((2**20, 2**20, 256), (128, 256, 256))._repr_html_() is None


# --- both notations ---


def test_a_shape_of_xla_stands_beside_its_layout() -> None:
    page = shown(VALUES["shape"])
    assert "f32[3,5]{1,0:T(2,2)} = ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)" in page
    assert "60 bytes" in page
    assert "96 bytes" in page


@pytest.mark.parametrize("text", ["token[]", "f32[?,3]", "f32[3,5]{1,0:T(3,4)(2,3)}", "(token[])"])
def test_a_shape_without_a_picture_is_its_text(text: str) -> None:
    page = shown(tla.xla_bridge.parse_shape(text))
    assert "<svg" not in page
    assert text.split("{")[0] in page


# --- large figures ---


def large(count: int) -> list[AnyFigure]:
    lane = Lane(0, tuple((Stretch("a", 1),) for _ in range(count)), count)
    grid = tla.layout_figure(Layout((count, count)), count, count)
    rows = tuple(("x" * 9,) * 9 for _ in range(count))
    return [
        grid,
        tla.strip_figure(Layout(10 * count), 10 * count),
        Panels("", (grid,) * 40),
        Steps("f", ("n",) * count, ("a",) * 9, rows, (), "r", ("s",) * count, (grid,) * 40),
        Bars("L1", count, tuple(Bar(str(i), i, i + 1, i + 1, ()) for i in range(count))),
        Timeline("c", "r", "j", tuple(range(count)), (lane,) * count, count, count, count),
    ]


@pytest.mark.parametrize("number", range(6))
def test_a_large_figure_is_cut(number: int) -> None:
    page = shown(large(300)[number])
    assert len(page) <= CHARACTERS
    assert len(cells(page)) <= 2 * CELLS


def test_a_timeline_shows_as_many_turns_as_there_are_cells_for() -> None:
    assert [len(cells(shown(large(count)[5]))) for count in (5, 300)] == [5 * 5, 300 * (CELLS // 300)]


# --- what goes wrong ---


def test_what_goes_wrong_shows_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_named: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(notebook, "html", broken)
    assert Layout((2, 3))._repr_html_() is None
    monkeypatch.setattr(notebook, "html_of", broken)
    assert Layout((2, 3))._repr_html_() is None


@given(int_tuples() | st.text() | st.none())
def test_what_is_no_value_has_no_figure(value: object) -> None:
    assert html_of(value) is None
    with pytest.raises(UnsupportedError):
        figure_of(value)


def test_nothing_is_shown_where_nobody_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "_SHOWN_BY", [])
    assert Layout((2, 3))._repr_html_() is None


def test_the_drawing_is_loaded_when_something_is_shown() -> None:
    code = (
        "import json, sys, tla\n"
        "names = ('tla.show.notebook', 'tla.show.vector', 'tla.xla_bridge')\n"
        "def here(): return [name in sys.modules for name in names]\n"
        "one = here()\n"
        "text = tla.Layout((2, 3))._repr_html_()\n"
        "print(json.dumps([one, here()[:2], text.startswith('<div'), 'tla.ascend' in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert json.loads(done.stdout) == [[False] * 3, [True, True], True, False]


# --- errors ---


def test_a_refusal_has_our_frames_left_out_and_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    shown_by: Any = ModuleType("IPython.display")
    shown_by.HTML, shown_by.display = str, pages.append
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", shown_by)
    with pytest.raises(tla.DivisibilityError) as caught:
        tla.composition(parse("(6,2):(1,7)"), parse("(3,2):(2,3)"))
    lines = caught.value._render_traceback_()
    frames = [line for line in lines if line.startswith("  File ")]
    assert frames
    assert all(__file__ in line for line in frames)
    assert "".join(lines).endswith("".join(str(caught.value).splitlines()[1:]))
    (page,) = pages
    assert "at (2,1) B is 7, and A(7) = 8; a layout would give 7" in unescape(page)
    with pytest.raises(tla.ParseError) as caught_text:
        parse("(4")
    assert "tla" in "".join(caught_text.value._render_traceback_())
    assert len(pages) == 1, "an error without a picture shows none"


def test_a_static_size_is_a_plain_number() -> None:
    assert "8192 coordinates" in shown(tla.row_major(tla.Int(128), tla.Int(64)))
