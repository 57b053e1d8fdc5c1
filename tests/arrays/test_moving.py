"""Boxes moved against the definition, element by element: every width, direction, thread and way."""

from __future__ import annotations

from itertools import product as cartesian
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from tla import Layout, col_major, pack, row_major
from tla.arrays import Box, CopyPlan, Loop, moving
from tla.arrays.moving import move
from tla.arrays.strided import Memory

if TYPE_CHECKING:
    import pytest

WIDTHS = (1, 1, 2, 2, 3, 4, 4, 8, 8, 16, 5, 24)
EXTENTS = (1, 2, 2, 3, 4, 4, 8, 8, 15, 16, 17, 32, 40, 70)


def random_steps(rng: Random, extents: list[int]) -> list[int]:
    """Steps of which each element has its own offset."""
    steps, count = [0] * len(extents), 1
    for i in sorted(range(len(extents)), key=lambda _i: rng.random()):
        steps[i] = count * rng.choice((1, 1, 1, -1))
        count = count * extents[i] + rng.choice((0, 0, 0, 1, 5))
    return steps


def random_box(rng: Random) -> Box:
    extents = [rng.choice(EXTENTS) for _i in range(rng.randint(0, 4))]
    while prod(extents) > 5000:
        extents.pop()
    read, written = random_steps(rng, extents), random_steps(rng, extents)
    if extents and rng.random() < 0.1:
        read[0] = 0
    loops = [Loop(*each) for each in zip(extents, read, written, strict=True)]
    box = Box(0, 0, tuple(sorted(loops, key=lambda loop: -abs(loop.target))))
    starts = [rng.randint(0, 3) - box.span(side)[0] for side in (0, 1)]
    return box._replace(source=starts[0], target=starts[1])


def moved_by_hand(box: Box, source: Any, target: Any) -> None:
    for at in cartesian(*(range(loop.extent) for loop in box.loops)):
        i, j = (
            box.starts[side] + sum(n * loop.steps[side] for n, loop in zip(at, box.loops, strict=True))
            for side in (0, 1)
        )
        target[j] = source[i]


def test_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(210)
    for i in range(200):
        monkeypatch.setattr(moving, "_LARGE", rng.choice((0, 1 << 22)))
        box, width = random_box(rng), rng.choice(WIDTHS)
        sizes = [box.span(side)[1] + 1 for side in (0, 1)]
        shift = rng.choice((0, 0, 1, 16))
        source, found = (
            np.frombuffer(bytearray(rng.randbytes(n * width + shift)), np.uint8)[shift:].view(
                f"V{width}"
            )
            for n in sizes
        )
        expected = found.copy()
        moved_by_hand(box, source, expected)
        plan = CopyPlan(Layout(1), Layout(prod(loop.extent for loop in box.loops)), (box,))
        move(plan, Memory(source), Memory(found, is_new=bool(i % 2)))
        assert found.tobytes() == expected.tobytes(), (box, width, shift)


def test_threads_and_parts_move_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(96 * 160, dtype=np.int32).reshape(96, 160)
    tiled = Layout(((8, 12), (32, 5)), ((32, 1280), (1, 256)))
    layouts = (tiled, col_major(96, 160), row_major(96, 160))
    expected = [pack(array, layout) for layout in layouts]
    monkeypatch.setattr(moving, "_THREADED", 0)
    monkeypatch.setattr(moving, "_PIECE", 64)
    done: list[int] = []
    for part, most in ((1 << 28, 3), (5000, 99)):
        monkeypatch.setattr(moving, "_PART", part)
        for wanted, layout in zip(expected, layouts, strict=True):
            found = pack(array, layout, progress=lambda n, _whole: done.append(n), threads=3)
            assert np.array_equal(found, wanted)
        assert done.count(array.size) == 3
        assert 3 <= len(done) <= most
        done.clear()
