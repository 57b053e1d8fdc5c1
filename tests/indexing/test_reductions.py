"""Reductions, whole or over windows, and scatters by selection: against their definitions in loops."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from cases import shapes_as_written, share

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing import input_to_output, output_to_input

from .marks import blank, check, indices, join, marked, text

RANDOM = share(200)


def maps_of(line: str, output: int = 0) -> list[str]:
    return ["; ".join(map(str, maps)) for maps in output_to_input(read_instruction(line), output)]


# --- reduce -----------------------------------------------------------------------------------


def test_reduce() -> None:
    draw = random.Random(1)
    for _ in range(RANDOM):
        shape = [
            draw.choice((0, 1, 2, 3, 4)) if draw.random() < 0.9 else 5 for _ in range(draw.randint(0, 4))
        ]
        reduced = draw.sample(range(len(shape)), draw.randint(0, len(shape)))
        count = draw.choice((1, 1, 2, 3))
        kept = [k for k in range(len(shape)) if k not in reduced]
        inputs = [marked(i, shape) for i in range(count)]
        inits = [marked(count + i, ()) for i in range(count)]
        outs = [blank([shape[k] for k in kept]) for _ in range(count)]
        for out, init in zip(outs, inits, strict=True):
            for index in np.ndindex(*out.shape):
                out[index] = join(init)
        for index in indices(shape):
            to = tuple(index[k] for k in kept)
            joined = join(*(out[to] for out in outs), *(x[index] for x in inputs))
            for out in outs:
                out[to] = joined
        one = text(outs[0].shape)
        made = one if count == 1 else f"({', '.join([one] * count)})"
        operands = [f"{text(shape)} %x{i}" for i in range(count)]
        operands += [f"f32[] %c{i}" for i in range(count)]
        dims = ",".join(map(str, reduced))
        check(
            f"%r = {made} reduce({', '.join(operands)}), dimensions={{{dims}}}, to_apply=%f",
            outs,
            2 * count,
        )


def test_ranges_of_a_reduction_follow_the_input() -> None:
    line = "%r = f32[4,8] reduce(f32[2,4,8,16] %x, f32[] %c), dimensions={3,0}, to_apply=%add"
    assert maps_of(line) == [
        "(d0, d1)[s0, s1] -> (s0, d0, d1, s1), domain: "
        "d0 in [0, 3], d1 in [0, 7], s0 in [0, 1], s1 in [0, 15]",
        "(d0, d1) -> (), domain: d0 in [0, 3], d1 in [0, 7]",
    ]


def test_reduce_to_its_inputs_and_back() -> None:
    line = read_instruction(
        "%r = (f32[10], s32[10]) reduce(f32[256,10] %x, s32[256,10] %y, f32[] %c, s32[] %d), "
        "dimensions={0}, to_apply=%argmax"
    )
    assert [str(m) for m in output_to_input(line)[0]] == [
        "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]"
    ]
    assert [[str(m) for m in maps] for maps in (input_to_output(line, i)[0] for i in (0, 2))] == [
        ["(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]"],
        ["()[s0] -> (s0), domain: s0 in [0, 9]"],
    ]


# --- windows ----------------------------------------------------------------------------------


def drawn_window(draw: random.Random, rank: int, dilated: bool = True) -> dict[str, list[Any]]:
    return {
        "size": [draw.choice((1, 1, 2, 3)) for _ in range(rank)],
        "stride": [draw.choice((1, 1, 2, 3)) for _ in range(rank)],
        "pad": [(draw.randint(-2, 3), draw.randint(-2, 3)) for _ in range(rank)],
        "lhs_dilate": [draw.choice((1, 1, 2, 3)) if dilated else 1 for _ in range(rank)],
        "rhs_dilate": [draw.choice((1, 1, 2, 3)) if dilated else 1 for _ in range(rank)],
    }


def window_text(window: dict[str, list[Any]]) -> str:
    def words(key: str) -> str:
        values = window[key]
        return "x".join(f"{v[0]}_{v[1]}" if isinstance(v, tuple) else str(v) for v in values)

    return "{" + " ".join(f"{key}={words(key)}" for key in window if window[key]) + "}"


def padded_places(size: int, pad: tuple[int, int], dilation: int) -> list[int | None]:
    """The padded array: at each place the number of the element there."""
    places: list[int | None] = []
    for i in range(size):
        places += [i] + [None] * (dilation - 1 if i < size - 1 else 0)
    for end, amount in ((0, pad[0]), (1, pad[1])):
        added: list[int | None] = [None] * amount
        if amount >= 0:
            places = added + places if end == 0 else places + added
        elif end == 0:
            places = places[-amount:] if -amount < len(places) else []
        else:
            places = places[:amount] if -amount < len(places) else []
    return places


def windows_of(
    places: list[int | None], size: int, stride: int, dilation: int
) -> list[list[int | None]]:
    """For each window the elements at its places."""
    span = (size - 1) * dilation + 1
    return [
        [places[start + s * dilation] for s in range(size)]
        for start in range(0, len(places) - span + 1, stride)
    ]


def along_each_dim(shape: list[int], window: dict[str, list[Any]]) -> list[list[list[int | None]]]:
    return [
        windows_of(
            padded_places(n, window["pad"][k], window["lhs_dilate"][k]),
            window["size"][k],
            window["stride"][k],
            window["rhs_dilate"][k],
        )
        for k, n in enumerate(shape)
    ]


def fits(shape: list[int], window: dict[str, list[Any]]) -> bool:
    """Negative padding cuts no more than there is, on either side."""
    return all(
        min(low, 0) + min(high, 0) + (n - 1) * d + 1 >= 0
        for n, (low, high), d in zip(shape, window["pad"], window["lhs_dilate"], strict=True)
    )


def test_reduce_window() -> None:
    draw = random.Random(2)
    done = 0
    while done < 2 * RANDOM:
        rank = draw.choice((0, 1, 1, 2, 2))
        shape = [draw.randint(1, 7) for _ in range(rank)]
        window = drawn_window(draw, rank)
        if not fits(shape, window):
            continue
        done += 1
        count = draw.choice((1, 1, 2))
        each = along_each_dim(shape, window)
        out = blank([len(windows) for windows in each])
        inputs = [marked(i, shape) for i in range(count)]
        inits = [marked(count + i, ()) for i in range(count)]
        for index in np.ndindex(*out.shape):
            marks = join(*inits)
            for place in indices(window["size"]):
                at = tuple(each[k][index[k]][place[k]] for k in range(rank))
                if None not in at:
                    marks = join(marks, *(x[at] for x in inputs))
            out[index] = marks
        one = text(out.shape)
        made = one if count == 1 else f"({', '.join([one] * count)})"
        operands = [f"{text(shape)} %x{i}" for i in range(count)]
        operands += [f"f32[] %c{i}" for i in range(count)]
        check(
            f"%r = {made} reduce-window({', '.join(operands)}), "
            f"window={window_text(window)}, to_apply=%f",
            [out] * count,
            2 * count,
        )


@pytest.mark.parametrize(
    ("shapes", "window", "expected"),
    [
        (
            "f32[1024,3] f32[1024,514]",
            "size=1x512 pad=0_0x0_0",
            "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]",
        ),
        (
            "f32[7,17] f32[13,17]",
            "size=3x2 stride=2x1 pad=1_1x0_1",
            "(d0, d1)[s0, s1] -> (d0 * 2 + s0 - 1, d1 + s1), domain: d0 in [0, 6], d1 in [0, 16], "
            "s0 in [0, 2], s1 in [0, 1], d0 * 2 + s0 in [1, 13], d1 + s1 in [0, 16]",
        ),
        (
            "f32[3,5] f32[2,3]",
            "size=1x1 pad=0_0x0_0 lhs_dilate=2x2",
            "(d0, d1) -> (d0 floordiv 2, d1 floordiv 2), domain: d0 in [0, 2], d1 in [0, 4], "
            "d0 mod 2 in [0, 0], d1 mod 2 in [0, 0]",
        ),
        (
            "f32[4,3] f32[7,3]",
            "size=2x1 pad=0_0x0_0 rhs_dilate=3x1",
            "(d0, d1)[s0] -> (d0 + s0 * 3, d1), domain: d0 in [0, 3], d1 in [0, 2], s0 in [0, 1]",
        ),
        (
            "f32[1,2] f32[2,3]",
            "size=2x2 pad=0_0x0_0",
            "(d0, d1)[s0, s1] -> (s0, d1 + s1), domain: d0 in [0, 0], d1 in [0, 1], s0 in [0, 1], "
            "s1 in [0, 1]",
        ),
        (  # a running sum
            "f32[4] f32[4]",
            "size=4 pad=3_0",
            "(d0)[s0] -> (d0 + s0 - 3), domain: d0 in [0, 3], s0 in [0, 3], d0 + s0 in [3, 6]",
        ),
    ],
)
def test_reduce_window_prints_as_in_xla(shapes: str, window: str, expected: str) -> None:
    made, operand = shapes.split()
    line = f"%r = {made} reduce-window({operand} %x, f32[] %c), window={{{window}}}, to_apply=%max"
    assert maps_of(line)[0] == expected


@pytest.mark.parametrize(
    ("window", "why"),
    [
        ("size=3x3", "a number for each dim; it has .* window={size=3x3}"),
        ("size=3 pad=1", "a number for each dim; it has .* window={size=3 pad=1}"),
        ("size=3 frob=1", "has no meaning at frob=1"),
        ("size=0", "positive sizes and strides; it has .* window={size=0}"),
        ("size=4", "its operands make f32.3., and its result is f32.4."),
    ],
)
@shapes_as_written
def test_windows_that_are_none(window: str, why: str) -> None:
    line = f"%r = f32[4] reduce-window(f32[6] %x, f32[] %c), window={{{window}}}, to_apply=%max"
    with pytest.raises(UnsupportedError, match=why):
        maps_of(line)


@pytest.mark.parametrize("dims", ["0,0", "2", "0,1", ""])
@shapes_as_written
def test_reduced_dims_that_do_not_fit(dims: str) -> None:
    line = f"%r = f32[6] reduce(f32[4,6] %x, f32[] %c), dimensions={{{dims}}}, to_apply=%max"
    with pytest.raises(UnsupportedError, match=r"its operands make|are not different dims of rank 2"):
        maps_of(line)


# --- select-and-scatter -----------------------------------------------------------------------


def test_select_and_scatter() -> None:
    draw = random.Random(3)
    done = 0
    while done < RANDOM:
        rank = draw.choice((0, 1, 1, 1, 2))
        shape = [draw.randint(1, 5) for _ in range(rank)]
        window = drawn_window(draw, rank, dilated=False)
        if not fits(shape, window):
            continue
        done += 1
        each = along_each_dim(shape, window)
        counts = [len(windows) for windows in each]
        operand, source, init = marked(0, shape), marked(1, counts), marked(2, ())
        out = blank(shape)
        for index in np.ndindex(*shape):
            out[index] = join(init)
        for at in np.ndindex(*counts):
            places = [tuple(each[k][at[k]][s[k]] for k in range(rank)) for s in indices(window["size"])]
            held = [place for place in places if None not in place]
            chosen = join(*(operand[place] for place in held)) if len(held) > 1 else frozenset()
            for place in held:  # each may be the one
                out[place] = join(out[place], chosen, source[at])
        made = text(shape)
        check(
            f"%r = {made} select-and-scatter({made} %x, {text(counts)} %s, f32[] %c), "
            f"window={window_text(window)}, select=%ge, scatter=%add",
            [out],
            3,
        )


def test_select_and_scatter_prints() -> None:
    line = (
        "%r = f32[8] select-and-scatter(f32[8] %x, f32[4] %s, f32[] %c), "
        "window={size=2 stride=2}, select=%ge, scatter=%add"
    )
    assert maps_of(line) == [
        "(d0)[s0] -> ((d0 floordiv 2) * 2 + s0), domain: d0 in [0, 7], s0 in [0, 1]",
        "(d0) -> (d0 floordiv 2), domain: d0 in [0, 7]",
        "(d0) -> (), domain: d0 in [0, 7]",
    ]


def test_a_window_over_one_element_chooses_nothing() -> None:
    """Windows at -1, 1 and 3: the first and the last have one element within the array."""
    line = (
        "%r = f32[4] select-and-scatter(f32[4] %x, f32[3] %s, f32[] %c), "
        "window={size=2 stride=2 pad=1_1}, select=%ge, scatter=%add"
    )
    (m,) = output_to_input(read_instruction(line))[0]
    assert sorted({point.dims[0] for point, _element in m.points()}) == [1, 2]
