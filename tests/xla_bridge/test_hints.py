"""The tilings of TPUs come back as they are written."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

import pytest

from tla.xla_bridge import XlaShape, from_layout, parse_array, physical_elements, to_layout
from tla.xla_bridge.tpu import tpu_tilings

DATA = Path(__file__).parent.parent / "data"
WRITTEN = re.compile(r"\b[a-z0-9]+\[[0-9,]*\]\{[0-9,]*:T\([^}]*\}")


@pytest.mark.parametrize("element_type", ["f32", "s32", "bf16", "s8", "pred", "s4", "f64"])
@pytest.mark.parametrize("dims", [(), (100,), (100, 300), (7, 100, 300), (3, 1, 100, 300)])
def test_every_tiling_of_a_tpu_comes_back(element_type: str, dims: tuple[int, ...]) -> None:
    for tiles in tpu_tilings(element_type, len(dims)):
        shape = XlaShape(element_type, dims, tiles=tiles)
        if any(t == 1 < n for t, n in zip(tiles[0][::-1], dims[::-1], strict=False)):
            continue  # rows of one tile have no tile of their own
        back = from_layout(to_layout(shape), element_type, physical_elements(shape))
        assert back == shape


def test_a_row_of_one_keeps_its_tile() -> None:
    shape = parse_array("f32[1,5]{1,0:T(1,128)}")
    assert from_layout(to_layout(shape), "f32", 128) == shape


def test_shapes_of_real_modules_come_back() -> None:
    """As text, but for the places of dims of size 1, and for tiles that the dims fill evenly."""
    texts = {
        text for path in (DATA / "tpu_hlo").glob("*.hlo") for text in WRITTEN.findall(path.read_text())
    }
    assert len(texts) > 50
    for text in sorted(texts):
        shape = parse_array(text)
        size = physical_elements(shape)
        back = from_layout(to_layout(shape), shape.element_type, size)
        assert physical_elements(back) == size
        assert back.tiles == shape.tiles or (not back.tiles and size == prod(shape.dimensions))
        if back.tiles:
            moving = [[d for d in s.minor_to_major if s.dimensions[d] > 1] for s in (shape, back)]
            assert moving[0] == moving[1]
