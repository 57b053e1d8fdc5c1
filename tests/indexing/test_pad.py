"""Pad: negative, interior, and exactly where the padding value stands."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from cases import shapes_as_written

from tla.hlo import read_instruction
from tla.indexing import inverse, output_to_input, simplify

from .arrays import checked, indices, moved, numbered, read_at, refused, shape, sizes_of
from .truth import pairs

VALUE = -1


def padded(x: np.ndarray, config: list[tuple[int, int, int]]) -> np.ndarray:
    """The definition, a dim at a time: spread, then add or cut at the ends."""
    for k, (low, high, interior) in enumerate(config):
        rows = [x.take(i, axis=k) for i in range(x.shape[k])]
        blank = np.full(x.shape[:k] + x.shape[k + 1 :], VALUE)
        spread = [each for i, row in enumerate(rows) for each in ([blank] * interior * (i > 0) + [row])]
        spread = [blank] * max(low, 0) + spread[max(-low, 0) :] + [blank] * max(high, 0)
        spread = spread[: len(spread) - max(-high, 0)]
        sizes = (*x.shape[:k], len(spread), *x.shape[k + 1 :])
        x = np.stack(spread, axis=k) if spread else np.empty(sizes, dtype=int)
    return x


def config_of(random: Random, n: int) -> tuple[int, int, int]:
    """Padding of a dim; what is cut off at the ends is there."""
    interior = random.choice([0, 0, 1, 2])
    extent = n + max(n - 1, 0) * interior
    low = random.randint(-extent, 3)
    high = random.randint(-(extent + min(low, 0)), 3)
    return low, high, interior


def test_random_pads() -> None:
    random = Random(1)
    for _ in range(400):
        x = numbered(sizes_of(random, high=3, largest=4))
        config = [config_of(random, n) for n in x.shape]
        result = padded(x, config)
        entries = [f"{a}_{b}_{c}" if c or random.random() < 0.5 else f"{a}_{b}" for a, b, c in config]
        attribute = f", padding={'x'.join(entries)}" if entries else ""
        (data,) = moved(result, x)
        value = read_at(at for at in indices(result.shape) if result[at] == VALUE)
        checked(f"%r = {shape(result.shape)} pad({shape(x.shape)} %x, f32[] %v){attribute}", data, value)


def test_the_padding_value_is_the_box_less_the_data() -> None:
    text = "%pad = f32[12,16] pad(f32[4,4] %p0, f32[] %p1), padding=1_4_1x4_8_0"
    ((data,), value) = output_to_input(read_instruction(text))
    assert [str(simplify(m)) for m in (data, *value)] == [str(m) for m in (data, *value)]
    assert str(data) == (
        "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4),"
        " domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]"
    )
    box = set(indices((12, 16)))
    assert {at for at, _ in pairs(value)} == box - {at for at, _ in pairs([data])}
    assert len(pairs(value)) == 176
    assert str(inverse(data)) == "(d0, d1) -> (d0 * 2 + 1, d1 + 4), domain: d0 in [0, 3], d1 in [0, 3]"


def test_all_data_cut_off() -> None:
    checked("%r = f32[3] pad(f32[3] %x, f32[] %v), padding=-5_5", set(), read_at(indices((3,))))
    # of what is left between two elements nothing is data
    checked("%r = f32[1] pad(f32[2] %x, f32[] %v), padding=-1_-1_1", set(), read_at(indices((1,))))


def test_no_padding_reads_no_value() -> None:
    ((_data,), value) = output_to_input(
        read_instruction("%r = f32[2] pad(f32[4] %x, f32[] %v), padding=-1_-1")
    )
    assert value == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%r = f32[3] pad(f32[3] %x), padding=0_0", "it takes an array, and a scalar that fills"),
        (
            "%r = f32[3] pad(f32[3] %x, f32[] %v), padding=0_0x0_0",
            "padding=0_0x0_0 is of 2 dims, its operand has 1",
        ),
        (
            "%r = f32[5] pad(f32[3] %x, f32[] %v), padding=1_0",
            "its operands make [4], and its result is f32[5]{0}",
        ),
        (
            "%r = f32[<=4] pad(f32[<=3] %x, f32[] %v), padding=0_1",
            "where an element goes depends on the size of dim 0 of f32[<=3]{0} at run time",
        ),
    ],
)
@shapes_as_written
def test_refusals(text: str, why: str) -> None:
    assert refused(text) == why
