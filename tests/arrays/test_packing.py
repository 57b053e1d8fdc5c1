"""Packing against the definition: element ``array[c]`` lies at ``memory[layout(c)]``."""

from __future__ import annotations

from itertools import product as cartesian
from math import prod
from random import Random
from shutil import which
from subprocess import run
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tla
from tla import ComposedLayout, Layout, Swizzle, parse
from tla.arrays import copy_plan, mask, pack, relayout, unpack, view
from tla.errors import CongruenceError, CoordinateError, LayoutError, OverlapError, UnsupportedError
from tla.layouts import leaves

if TYPE_CHECKING:
    from pathlib import Path

TYPES = (np.uint8, np.int16, np.float32, np.complex64, np.complex128)


def random_layout(rng: Random, sizes: tuple[int, ...]) -> Any:
    """A layout that holds data of some sizes: nested, padded, with gaps, backwards, swizzled."""
    shape = []
    for n in sizes:
        below = [rng.choice([1, 2, 3, 4, 8]) for _i in range(rng.randint(0, 2))]
        shape.append((*below, -(-n // prod(below)) + rng.choice([0, 0, 1])))
    extents = list(leaves(tuple(shape)))
    steps, count = [0] * len(extents), 1
    for i in rng.sample(range(len(extents)), len(extents)):
        steps[i] = count * rng.choice([1, 1, 1, -1])
        count *= extents[i] + (rng.random() < 0.2)
    if rng.random() < 0.2 and steps:
        steps[rng.randrange(len(steps))] = 1
    layout = Layout(tuple(shape), tla.unflatten(tuple(steps), tuple(shape)), sizes)
    if rng.random() < 0.6:
        return layout
    bits = rng.randint(0, 3)
    swizzle = Swizzle(bits, rng.randint(0, 3), rng.choice([1, -1]) * rng.randint(bits, 4))
    return ComposedLayout(swizzle, rng.choice([0, 3, 16]), layout)


def places(layout: Any, sizes: tuple[int, ...]) -> Any:
    """The offsets of the coordinates that hold data, by the definition."""
    return tla.offsets(layout)[tuple(map(slice, sizes))]


def test_elements_lie_where_the_layout_says() -> None:
    rng = Random(21)
    outcomes = dict.fromkeys(("packed", "seen", "moved", "overlapping", "below 0"), 0)
    for i in range(200):
        sizes = tuple([rng.randint(i % 50 != 0, rng.choice([3, 9, 20])) for _i in range(i % 4)])
        a, b = random_layout(rng, sizes), random_layout(rng, sizes)
        array = np.array([rng.randint(1, 250) for _i in range(prod(sizes))], rng.choice(TYPES))
        order: Any = rng.choice(("C", "F"))
        array = array.reshape(sizes, order=order)[(..., slice(None, None, -1))[: len(sizes)]]
        try:
            memory = pack(array, a, fill=7)
        except OverlapError:
            assert len(np.unique(places(a, sizes))) < array.size
            outcomes["overlapping"] += 1
            continue
        except CoordinateError:  # a swizzle has no offsets below 0
            outcomes["below 0"] += 1
            continue
        least = min([0, *tla.offsets(a).ravel()])
        expected = np.full(len(memory), 7, array.dtype)
        expected[places(a, sizes) - least] = array
        assert np.array_equal(memory, expected), a
        assert np.array_equal(unpack(memory, a), array), a
        assert sorted(places(a, sizes).ravel() - least) == list(np.flatnonzero(mask(a)))
        outcomes["packed"] += 1
        try:
            seen = view(memory, a)
        except UnsupportedError:
            pass
        else:
            assert np.array_equal(seen, array)
            assert np.shares_memory(seen, memory) or not array.size
            outcomes["seen"] += 1
        try:
            moved = relayout(memory, a, b, fill=7)
        except (OverlapError, CoordinateError):
            continue
        assert np.array_equal(moved, pack(array, b, fill=7)), (a, b)
        outcomes["moved"] += 1
    assert all(outcomes.values()), outcomes


@pytest.mark.parametrize("sizes", [(7, 9), (12, 30)])
def test_boxes_reach_each_coordinate_once(sizes: tuple[int, ...]) -> None:
    rng = Random(22)
    for _i in range(40):
        a, b = random_layout(rng, sizes), random_layout(rng, sizes)
        try:
            expected = zip(places(a, sizes).ravel(), places(b, sizes).ravel(), strict=True)
            boxes = copy_plan(a, b).boxes
        except CoordinateError:
            continue
        if boxes is not None:
            assert sorted(expected) == sorted(
                tuple(
                    box.starts[side]
                    + sum(n * loop.steps[side] for n, loop in zip(at, box.loops, strict=True))
                    for side in (0, 1)
                )
                for box in boxes
                for at in cartesian(*(range(loop.extent) for loop in box.loops))
            )


def test_a_plan_of_too_many_boxes_moves_by_tables() -> None:
    a = Layout(((2, 3, 5, 7, 11, 13),), ((1, 2, 6, 30, 210, 2310),))
    b = Layout(((13, 11, 7, 5, 3, 2),), ((2310, 210, 30, 6, 2, 1),))
    assert copy_plan(a, b).boxes is None
    array = np.arange(30030)
    assert np.array_equal(unpack(relayout(pack(array, a), a, b), b), array)


@pytest.mark.parametrize(
    "text", ["Sw<2,1,3> o 0 o (20,(4,8)):(4,(1,80))", "((16,2),32):((1,512),16):(20,32)"]
)
def test_sources_do_what_the_plan_does(text: str, tmp_path: Path) -> None:
    plan = copy_plan(tla.row_major(20, 32), parse(text))
    source = np.arange(640, dtype=np.int32)
    expected = relayout(source, plan.source, plan.target)
    names: dict[str, Any] = {}
    exec(plan.numpy(), names)
    target = np.zeros_like(expected)
    names["copy"](source, target)
    assert np.array_equal(target, expected)
    compiler = which("g++")
    if compiler is None:
        return
    program = (
        f"#include <cstdio>\n{plan.cpp()}\n"
        + """int main() {
      static int a[640], b[1024];
      for (int i = 0; i < 640; ++i) a[i] = i;
      copy(a, b);
      for (int x : b) std::printf("%d\\n", x);
    }"""
    )
    (tmp_path / "copy.cpp").write_text(program, "utf-8")
    run([compiler, "copy.cpp", "-o", "copy"], cwd=tmp_path, check=True)
    printed = run([tmp_path / "copy"], capture_output=True, check=True).stdout.split()
    assert [*map(int, printed)][: len(expected)] == list(expected)


def test_elements_of_many_bytes() -> None:
    array = np.arange(600, dtype=np.uint8).view("V100").reshape(2, 3)
    memory = pack(array, Layout((2, 3), (3, 1)))
    assert memory.tobytes() == array.tobytes()
    assert unpack(memory, Layout((2, 3), (3, 1))).tobytes() == array.tobytes()


def test_memory_given() -> None:
    out = np.zeros(10, dtype=int)
    assert pack([[1, 2], [3, 4]], Layout((2, 2), (1, 4)), 9, out) is out
    assert list(out) == [1, 3, 9, 9, 2, 4, 9, 9, 9, 9]
    relayout(out, Layout((2, 2), (1, 4)), Layout((2, 2)), 0, out)
    assert list(out) == [1, 3, 2, 4, 0, 0, 0, 0, 0, 0]
    seen = view(out, Layout((2, 2), (1, 2)))
    seen[0, 1] = 8
    assert out[2] == 8
    assert not view(out, Layout((2, 2), (1, 0))).flags.writeable


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: pack([1, 2, 3], Layout(2)), LayoutError, "shape (3) does not fit 2:"),
        (lambda: pack([[1, 2], [3, 4]], Layout((2, 2), (1, 1))), OverlapError, "(1,0) and (0,1) share"),
        (lambda: unpack([1, 2], Layout((2, 2), (1, 2))), LayoutError, "2 elements is too short"),
        (lambda: view(range(12), parse("(2,(2,2)):(1,(4,2)):(2,3)")), UnsupportedError, "mode 1 of"),
        (lambda: view(range(4), parse("Sw<1,0,1> o 0 o 4:1")), UnsupportedError, "no strides"),
        (lambda: view(np.arange(8)[::2], Layout(4)), UnsupportedError, "memory in one piece"),
        (lambda: mask(parse("M:1")), LayoutError, "while M has no value"),
        (lambda: relayout([1, 2], Layout(2), Layout(3)), CongruenceError, "holds data of shape (2), 3:"),
        (lambda: pack([1, 2], Layout(2), 0, np.zeros(2)), LayoutError, "float64, not int64"),
        (lambda: pack([1, 2], Layout(2), 0, np.zeros(1, int)), LayoutError, "1 elements is too short"),
        (lambda: pack([1, 2], Layout(2), 0, np.zeros((2, 2), int)), LayoutError, "one axis"),
    ],
)
def test_what_does_not_fit_is_named(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
