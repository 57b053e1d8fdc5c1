"""Pictures of buffers: their bytes, as the reports count them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tla.hlo import read_module
from tla.memory import Tally, array_waste, live, module_buffers
from tla.memory.oom_report import Allocation, Report
from tla.memory.sizes import printed_bytes
from tla.show import render
from tla.show.scenes import scene_of
from tla.xla_bridge import parse_array

if TYPE_CHECKING:
    from tla.hlo import Module

MODULES = sorted((Path(__file__).parent.parent / "data" / "tpu_hlo").glob("*.hlo"))[:6]


def module(path: Path) -> Module:
    return read_module(path.read_text("utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_what_is_live_fills_the_peak(path: Path) -> None:
    for peak in live(module(path)).peaks:
        figure = peak.figure()
        ends = [0, *(bar.reach for bar in figure.bars)]
        assert [bar.start for bar in figure.bars] == ends[:-1]
        assert figure.length == peak.bytes >= ends[-1]
        data = sum(array_waste(buffer.shape).data_bytes for buffer in peak.buffers)
        assert sum(bar.end - bar.start for bar in figure.bars) == data


def test_of_a_split_array_one_piece_is_live() -> None:
    text = "ENTRY e { a = f32[100]{0:SC(0:30)} parameter(0) ROOT b = f32[100]{0:SC(0:30)} negate(a) }"
    (peak,) = live(read_module(text)).peaks
    figure = peak.figure()
    assert [(bar.start, bar.reach) for bar in figure.bars] == [(0, 280), (280, 560)]
    assert figure.length == peak.bytes == 560


@pytest.mark.parametrize("path", MODULES[:2], ids=lambda path: path.stem)
def test_of_many_buffers_the_rest_is_one_bar(path: Path) -> None:
    peak = live(module(path)).peaks[0]
    whole, some = peak.figure(), peak.figure(most=1)
    more = len(peak.buffers) - 1
    start, end = some.bars[0].reach, whole.bars[-1].reach
    rest = f"{more} more {printed_bytes(end - start)}"
    assert [bar.label for bar in some.bars] == [whole.bars[0].label, rest]
    assert (some.bars[-1].start, some.bars[-1].reach) == (start, end)
    assert len(peak.figure(most=len(peak.buffers)).bars) == len(peak.buffers)


def test_a_colour_for_each_memory() -> None:
    text = """ENTRY e {
    a = f32[8,128]{1,0:T(8,128)} parameter(0)
    b = f32[8,128]{1,0:T(8,128)S(1)} copy(a)
    ROOT c = f32[8,128]{1,0:T(8,128)} negate(b) }"""
    tally = Tally()
    for computation in module_buffers(read_module(text)):
        tally.add(computation)
    figure = tally.figure(chip="v5e")
    assert {(bar.label.split()[0], bar.colour, bar.space) for bar in figure.bars} == {
        ("%a", 0, "HBM"),
        ("%b", 1, "VMEM"),
        ("%c", 0, "HBM"),
    }
    shown = render(figure).splitlines()
    assert sum(line.endswith(" VMEM") for line in shown) == 1
    boxes = {box.tip.split()[0]: box.fill for box in scene_of(figure).boxes}
    assert boxes["%a"] == boxes["%c"] != boxes["%b"]
    assert [bar.colour for peak in live(read_module(text)).peaks for bar in peak.figure().bars] == [
        *[0] * 2,
        *[1] * 1,
    ]


@pytest.mark.parametrize("path", MODULES[:2], ids=lambda path: path.stem)
def test_rows_are_data_and_padding(path: Path) -> None:
    tally = Tally()
    for computation in module_buffers(module(path)):
        tally.add(computation)
    figure = tally.figure(len(tally.rows))
    assert [(bar.start, bar.end, bar.reach) for bar in figure.bars] == [
        (0, row.waste.data_bytes, row.waste.padded_bytes) for row in tally.rows
    ]
    assert figure.length == max(row.waste.padded_bytes for row in tally.rows)
    assert tally.figure(2).title == f"the 2 of {tally.buffers} buffers with the most waste"


def test_the_title_says_what_pads() -> None:
    figure = array_waste(parse_array("f32[3,5]{1,0:T(8,128)}")).figure("%x")
    assert figure.title == "%x: dim 0: 3 -> 8 (2.67x); dim 1: 5 -> 128 (25.60x)"
    assert [(bar.end, bar.reach) for bar in figure.bars] == [(60, 4096)]


def test_what_bars_stand_for_is_in_the_legend() -> None:
    from tla.show import html, latex, render, svg

    figure = array_waste(parse_array("f32[3,5]{1,0:T(8,128)}")).figure()
    assert render(figure).splitlines()[-1] == "# data  . padding  to: the end of the padding"
    for text in (svg(figure), html(figure), latex(figure)):
        assert "hatched: padding; to: the end of the padding" in text


def test_an_array_without_bytes_is_drawn() -> None:
    from tla.show import render, svg

    figure = array_waste(parse_array("f32[0,5]")).figure()
    assert figure.length == 0
    assert render(figure)
    assert svg(figure)


def test_at_most_31_buffers_are_drawn_one_by_one() -> None:
    lines = [f"p{n} = f32[8]{{0}} parameter({n})" for n in range(40)]
    module = read_module("ENTRY e {" + "\n".join(lines) + "\nROOT r = f32[8]{0} negate(p0) }")
    (peak,) = live(module).peaks
    bars = peak.figure().bars
    assert (len(bars), bars[-1].label) == (32, "10 more 320B")
    tally = Tally()
    for computation in module_buffers(module):
        tally.add(computation)
    assert len(tally.figure().bars) == 31


def test_an_allocation_without_a_name_or_a_size() -> None:
    allocations = (Allocation(2, size_bytes=1000), Allocation(3), Allocation(4, size="4.0K"))
    bars = Report(1, "ran out", allocations=allocations).figure().bars
    middle = (4045 + 4148) // 2  # of the sizes that print so
    assert [(bar.label, bar.start, bar.reach) for bar in bars] == [
        ("?", 0, 1000),
        ("?", 1000, 1000 + middle),
    ]
