"""Layouts of threads and values, seen from the tile."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from seeing import cells, offsets

from tla import CoordinateError, LayoutError, LimitError, UnsupportedError, parse
from tla.explain import tv_figure
from tla.ground.figure import NO_COLOUR
from tla.testing import layouts


def test_the_accumulator_of_a_matrix_product() -> None:
    """CuTe 0t_mma_atom.md: C of SM70_8x8x4_F32, 8 threads with 8 values of a tile of 8 by 8."""
    layout: Any = parse("((2,2,2),(2,2,2)):((1,16,4),(8,2,32))")
    figure = tv_figure(layout, (8, 8))
    rows = [[cell.text for cell in row] for row in figure.grids[0].cells]
    assert rows[0] == ["T0 V0", "T0 V1", "T2 V0", "T2 V1", "T0 V4", "T0 V5", "T2 V4", "T2 V5"]
    assert rows[1][:3] == ["T1 V0", "T1 V1", "T3 V0"]
    assert rows[2][:2] == ["T0 V2", "T0 V3"]
    assert rows[7][7] == "T7 V7"
    assert figure.valid_size == 64


@given(layouts(st.sampled_from([(4, 2), (2, 3), ((2, 2), 2), (4, (2, 2)), (1, 4)]), max_stride=9))
def test_each_cell_names_who_leads_there(layout: Any) -> None:
    figure = tv_figure(layout)
    every = offsets(layout)
    threads = parse(str(layout)).shape[0]
    count = threads if isinstance(threads, int) else parse(f"{threads}:{threads}".replace(" ", "")).size
    held = cells(figure, parse(f"{figure.size}:1"))
    assume(len(held) == figure.size)
    for x, cell in held.items():
        holders = [i for i, offset in enumerate(every) if offset == x]
        if not holders:
            assert (cell.text, cell.valid, cell.colour) == ("-", False, NO_COLOUR)
            continue
        first, _plus, more = (cell.text or "").partition(" +")
        assert len(holders) == 1 + int(more or 0)
        t, v = (int(part[1:]) for part in first.split())
        assert t + v * count in holders
    assert figure.valid_size == len(set(every))
    is_shared = len(set(every)) < len(every)
    assert figure.title.endswith("; +n: n more hold the cell") == is_shared


def test_a_thread_has_one_colour() -> None:
    figure = tv_figure(parse("((4,8),(2,2)):((32,1),(16,8))"), (16, 8))
    colours: dict[str, set[int]] = {}
    for cell in cells(figure, parse("(16,8):(1,16)")).values():
        colours.setdefault((cell.text or "").split()[0], set()).add(cell.colour)
    assert len(colours) == 32
    assert all(len(each) == 1 for each in colours.values())


@pytest.mark.parametrize("text", ["((2,4),(2,2)):((2,8),(1,4))", "((4,2),2):((1,8),4)", "(8,0):(1,1)"])
def test_a_few_threads_have_different_colours(text: str) -> None:
    figure = tv_figure(parse(text), (4, 8))
    pairs = {
        ((c.text or "").split()[0], c.colour) for row in figure.grids[0].cells for c in row if c.valid
    }
    assert len(dict(pairs)) == len({colour for _thread, colour in pairs}) == len(pairs)


def test_a_tile_larger_than_what_is_shown() -> None:
    figure = tv_figure(parse("(1024,1024):(1,1024)"), (1024, 1024))
    assert figure.size == figure.valid_size == 1 << 20
    assert sum(len(row) for row in figure.grids[0].cells) == 512


def test_a_huge_tile_is_shown_at_once() -> None:
    figure = tv_figure(parse("(100000,100000):(1,100000)"), (100000, 100000))
    assert figure.size == figure.valid_size == 10**10
    shared = tv_figure(parse("(4096,4096):(1,2)"), (16384,))
    assert shared.valid_size == 4095 + 2 * 4095 + 1
    with pytest.raises(LimitError, match="was not counted"):
        tv_figure(parse("(100000,100000):(3,2)"), (100000, 100000))


@pytest.mark.parametrize("text", ["8:1", "(2,2,2):(1,2,4)", "():()"])
def test_it_takes_a_thread_and_a_value(text: str) -> None:
    with pytest.raises(LayoutError, match="mode 0 is the thread, mode 1 the value"):
        tv_figure(parse(text))


def test_a_value_outside_the_tile_is_named() -> None:
    with pytest.raises(CoordinateError) as caught:
        tv_figure(parse("((2,2),2):((1,4),2)"), (4, 1))
    assert caught.value.summary == "value 1 of thread 3 lies outside the tile"
    assert caught.value.data["index"] == 7
    with pytest.raises(CoordinateError, match="Its index is -3; the tile 8 has 8 cells"):
        tv_figure(parse("(4,2):(-1,4)"), 8)


def test_unknowns_have_no_picture() -> None:
    with pytest.raises(UnsupportedError):
        tv_figure(parse("(M,2):(1,M)"))
    with pytest.raises(UnsupportedError):
        tv_figure(parse("(4,2):(1,4)"), parse("(M,2)"))


def test_an_empty_one_is_empty() -> None:
    assert tv_figure(parse("(0,2):(1,4)"), (4, 2)).valid_size == 0
