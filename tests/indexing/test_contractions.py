"""Dots and convolutions against their definitions in loops."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cases import share

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing import input_to_output

from .marks import NONE, blank, check, indices, join, marked, text
from .test_reductions import (
    along_each_dim,
    drawn_window,
    fits,
    maps_of,
    window_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

RANDOM = share(200)


# --- dots -------------------------------------------------------------------------------------


class Dot:
    """A random dot: letters for its dims, with a size for each, in the order of each array."""

    def __init__(self, draw: random.Random, most: int = 3) -> None:
        kinds = {kind: draw.choice((0, 1, 1, 2)) for kind in "bkmn"}
        self.letters = {kind: [f"{kind}{i}" for i in range(n)] for kind, n in kinds.items()}
        self.size = {
            x: draw.choice((0, 1, 2, 2, 3)) if draw.random() < 0.3 else draw.randint(1, most)
            for each in self.letters.values()
            for x in each
        }
        self.batch = draw.sample(self.letters["b"], kinds["b"])
        self.contracted = draw.sample(self.letters["k"], kinds["k"])
        self.left = draw.sample(
            [x for kind in "bkm" for x in self.letters[kind]], sum(kinds[k] for k in "bkm")
        )
        self.right = draw.sample(
            [x for kind in "bkn" for x in self.letters[kind]], sum(kinds[k] for k in "bkn")
        )

    @property
    def result(self) -> list[str]:
        return [
            *self.batch,
            *(x for x in self.left if x[0] == "m"),
            *(x for x in self.right if x[0] == "n"),
        ]

    def shape(self, letters: list[str]) -> list[int]:
        return [self.size[x] for x in letters]

    @property
    def attributes(self) -> str:
        parts = []
        for side, name in ((self.left, "lhs"), (self.right, "rhs")):
            for kind, letters in (("batch", self.batch), ("contracting", self.contracted)):
                places = ",".join(str(side.index(x)) for x in letters)
                if places:
                    parts.append(f"{name}_{kind}_dims={{{places}}}")
        return ", ".join(parts)

    def everywhere(self) -> Iterator[dict[str, int]]:
        """All values of all letters, as dicts."""
        names = list(self.size)
        for values in indices(self.size.values()):
            yield dict(zip(names, values, strict=True))


def test_dot() -> None:
    draw = random.Random(4)
    for _ in range(RANDOM):
        dot = Dot(draw)
        left, right = marked(0, dot.shape(dot.left)), marked(1, dot.shape(dot.right))
        out = blank(dot.shape(dot.result))
        for at in dot.everywhere():
            to = tuple(at[x] for x in dot.result)
            terms = (left[tuple(at[x] for x in dot.left)], right[tuple(at[x] for x in dot.right)])
            out[to] = join(out[to], *terms)
        tail = f", {dot.attributes}" if dot.attributes else ""
        check(
            f"%d = {text(out.shape)} dot({text(left.shape)} %a, {text(right.shape)} %b){tail}", [out], 2
        )


DOT = (
    "%d = f32[4,128,64] dot(f32[4,128,256] %a, f32[4,256,64] %b), lhs_batch_dims={0}, "
    "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"
)


def test_dot_prints_as_in_xla() -> None:
    box = "d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]"
    assert maps_of(DOT) == [
        f"(d0, d1, d2)[s0] -> (d0, d1, s0), domain: {box}",
        f"(d0, d1, d2)[s0] -> (d0, s0, d2), domain: {box}",
    ]


def test_dot_back() -> None:
    dot = read_instruction(DOT)
    assert [str(m) for i in (0, 1) for m in input_to_output(dot, i)[0]] == [
        "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: "
        "d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], s0 in [0, 63]",
        "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: "
        "d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
    ]


def test_scaled_dot() -> None:
    draw = random.Random(5)
    for _ in range(RANDOM):
        dot = Dot(draw, most=4)
        sides = [dot.left, dot.right]
        shapes = [dot.shape(side) for side in sides]
        scaled = [
            [draw.choice([m for m in range(1, n + 1) if n % m == 0] or [0]) for n in shape]
            for shape in shapes
        ]
        if draw.random() < 0.1:
            scaled[draw.randint(0, 1)] = []
        arrays = [marked(i, shape) for i, shape in enumerate(shapes + scaled)]
        out = blank(dot.shape(dot.result))
        for at in dot.everywhere():
            to = tuple(at[x] for x in dot.result)
            terms = []
            for i, side in enumerate(sides):
                place = tuple(at[x] for x in side)
                terms.append(arrays[i][place])
                counts = scaled[i]
                block = (
                    tuple(p * m // n for p, m, n in zip(place, counts, shapes[i], strict=True))
                    if counts
                    else ()
                )
                terms.append(arrays[2 + i][block])
            out[to] = join(out[to], *terms)
        operands = ", ".join(f"{text(a.shape)} %x{i}" for i, a in enumerate(arrays))
        tail = f", {dot.attributes}" if dot.attributes else ""
        check(f"%d = {text(out.shape)} scaled-dot({operands}){tail}", [out], 4)


def test_scaled_dot_prints() -> None:
    line = (
        "%d = f32[32,16] scaled-dot(f8e4m3fn[32,256] %a, f8e4m3fn[16,256] %b, f8e8m0fnu[32,8] %s, "
        "f8e8m0fnu[16,8] %t), lhs_contracting_dims={1}, rhs_contracting_dims={1}"
    )
    box = "domain: d0 in [0, 31], d1 in [0, 15], s0 in [0, 255]"
    assert maps_of(line)[2:] == [
        f"(d0, d1)[s0] -> (d0, s0 floordiv 32), {box}",
        f"(d0, d1)[s0] -> (d1, s0 floordiv 32), {box}",
    ]


@pytest.mark.parametrize("form", ["free", "contracted", "batch"])
def test_ragged_dot(form: str) -> None:
    draw = random.Random(6)
    for _ in range(100):
        groups = draw.randint(1, 3)
        has_batch, has_before = draw.random() < 0.4, draw.random() < 0.4
        # letters: b batch, p dim of the kind before the cut one, m n free, k contracted, g group
        size = {x: draw.randint(1, 3) for x in "bpmnk"} | {"g": groups}
        if form == "batch":
            cut, has_before = "b", False
            batch, contracted, left, right = "b", "k", "bmk", "bkn"
        else:
            batch = "b" if has_batch else ""
            p = "p" if has_before else ""
            if form == "free":
                cut, contracted, left, right = "m", "k", batch + p + "mk", "g" + batch + "kn"
            else:
                cut, contracted, left, right = "k", p + "k", batch + "m" + p + "k", batch + p + "kn"
        size[cut] = draw.randint(1, 5)
        before = "" if form == "batch" else batch + ("p" if has_before else "")
        row = before if draw.random() < 0.6 else ""
        sizes_of: dict[tuple[int, ...], list[int]] = {}
        for index in indices(size[x] for x in row):
            ends = sorted(draw.randint(0, size[cut] + 2) for _ in range(groups))  # one may lie outside
            sizes_of[index] = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        left = "".join(draw.sample(left, len(left))) if not has_before else left
        right = "".join(draw.sample(right, len(right)))
        result = batch + "".join(x for x in left if x not in batch + contracted)
        result += "".join(x for x in right if x not in batch + contracted + "g")
        if form == "contracted":
            result = "g" + result

        def shape(letters: str, size: dict[str, int] = size) -> list[int]:
            return [size[x] for x in letters]

        arrays = [marked(0, shape(left)), marked(1, shape(right)), marked(2, shape(row + "g"))]
        out = blank(shape(result))
        letters = "".join(dict.fromkeys(left + right + ("g" if form == "contracted" else "")))
        for values in indices(shape(letters)):
            at = dict(zip(letters, values, strict=True))
            to = tuple(at[x] for x in result)
            if form != "batch":  # which of the groups there are is told by all the sizes of the row
                out[to] = join(out[to], arrays[2][tuple(at[x] for x in row)])
                ends = list(accumulate(sizes_of[tuple(at[x] for x in row)]))
                group = next((g for g, end in enumerate(ends) if at[cut] < end), None)
                if group != at["g"]:
                    continue
            terms = (arrays[0][tuple(at[x] for x in left)], arrays[1][tuple(at[x] for x in right)])
            out[to] = join(out[to], *terms)
        attributes = [f"lhs_ragged_dims={{{left.index(cut)}}}"]
        for side, name in ((left, "lhs"), (right, "rhs")):
            for kind, each in (("batch", batch), ("contracting", contracted)):
                attributes.append(f"{name}_{kind}_dims={{{','.join(str(side.index(x)) for x in each)}}}")
        if form == "free":
            attributes.append(f"rhs_group_dims={{{right.index('g')}}}")
        operands = ", ".join(f"{text(a.shape)} %x{i}" for i, a in enumerate(arrays))

        def read(
            name: str, index: tuple[int, ...], sizes_of: dict[tuple[int, ...], list[int]] = sizes_of
        ) -> int:
            assert name == "x2"
            return sizes_of[index[:-1]][index[-1]]

        check(f"%d = {text(out.shape)} ragged-dot({operands}), {', '.join(attributes)}", [out], 3, read)


def test_one_scale_for_a_whole_dim_is_read_at_0() -> None:
    line = (
        "%d = f32[2,4] scaled-dot(f32[2,3] %a, f32[3,4] %b, f32[1,3] %s, f32[3,1] %t), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    )
    box = "domain: d0 in [0, 1], d1 in [0, 3], s0 in [0, 2]"
    assert maps_of(line)[2:] == [f"(d0, d1)[s0] -> (0, s0), {box}", f"(d0, d1)[s0] -> (s0, 0), {box}"]


def test_ragged_dot_prints() -> None:
    line = (
        "%d = f32[11,7] ragged-dot(f32[11,5] %a, f32[2,5,7] %b, s64[2] %sizes), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"
    )
    box = "domain: d0 in [0, 10], d1 in [0, 6], s0 in [0, 4]"
    first, second = maps_of(line)[1].split("; ")
    assert (
        first
        == f"(d0, d1)[s0]{{size0}} -> (0, s0, d1), {box}, size0 in [0, 11], d0 - size0 in [-11, -1]"
    )
    assert second == (
        f"(d0, d1)[s0]{{size0, size1}} -> (1, s0, d1), {box}, size0 in [0, 11], size1 in [0, 11], "
        "d0 - size0 - size1 in [-22, -1], d0 - size0 in [0, 11]"
    )


# --- convolutions -----------------------------------------------------------------------------


def test_convolution() -> None:
    draw = random.Random(7)
    done = 0
    while done < 2 * RANDOM:
        rank = draw.choice((0, 1, 1, 1, 2))
        shape = [draw.randint(1, 5) for _ in range(rank)]
        window = drawn_window(draw, rank)
        if not fits(shape, window):
            continue
        done += 1
        window["rhs_reversal"] = [draw.choice((0, 0, 1)) for _ in range(rank)]
        feature_groups, batch_groups = draw.choice(((1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)))
        batch, features = draw.randint(1, 2), draw.choice((0, 1, 1, 2, 2))
        outputs = draw.randint(1, 2) * feature_groups * batch_groups
        spatial = [str(k) for k in range(rank)]
        labels = [draw.sample([*others, *spatial], rank + 2) for others in ("bf", "io", "bf")]
        each = along_each_dim(shape, window)
        sizes = [
            {"b": batch * batch_groups, "f": features * feature_groups}
            | {name: shape[k] for k, name in enumerate(spatial)},
            {"i": features, "o": outputs} | {name: window["size"][k] for k, name in enumerate(spatial)},
            {"b": batch, "f": outputs} | {name: len(each[k]) for k, name in enumerate(spatial)},
        ]
        arrays = [[size[name] for name in label] for size, label in zip(sizes, labels, strict=True)]
        x, kernel, out = marked(0, arrays[0]), marked(1, arrays[1]), blank(arrays[2])
        for to in np.ndindex(*out.shape):
            at = dict(zip(labels[2], to, strict=True))
            marks = NONE
            group = at["f"] // (outputs // feature_groups)
            batch_group = at["f"] // (outputs // batch_groups)
            for place in indices(window["size"]):
                inner = [each[k][at[name]][place[k]] for k, name in enumerate(spatial)]
                if None in inner:
                    continue
                taps = [
                    n - 1 - s if r else s
                    for n, s, r in zip(window["size"], place, window["rhs_reversal"], strict=True)
                ]
                for i in range(features):
                    here = {"b": batch_group * batch + at["b"], "f": group * features + i}
                    here |= dict(zip(spatial, inner, strict=True))
                    there = {"i": i, "o": at["f"]} | dict(zip(spatial, taps, strict=True))
                    marks = join(
                        marks,
                        x[tuple(here[name] for name in labels[0])],
                        kernel[tuple(there[name] for name in labels[1])],
                    )
            out[to] = marks
        names = ["".join(label) for label in labels]
        line = f"%c = {text(out.shape)} convolution({text(x.shape)} %x, {text(kernel.shape)} %k)"
        if rank:
            line += f", window={window_text(window)}"
        line += f", dim_labels={names[0]}_{names[1]}->{names[2]}"
        if feature_groups > 1:
            line += f", feature_group_count={feature_groups}"
        if batch_groups > 1:
            line += f", batch_group_count={batch_groups}"
        check(line, [out], 2)


BOX = (
    "d0 in [0, 0], d1 in [0, {}], d2 in [0, {}], d3 in [0, {}], s0 in [0, 2], s1 in [0, 4], s2 in [0, 3]"
)


@pytest.mark.parametrize(
    ("shapes", "rest", "box", "results", "constraints"),
    [
        (
            "1,10,6,8 1,12,10,4 4,3,5,8",
            "window={size=3x5 pad=0_0x0_0}",
            (9, 5, 7),
            "0, d1 + s0, d2 + s1, s2",
            "",
        ),
        (
            "1,6,5,8 1,12,10,4 4,3,5,8",
            "window={size=3x5 stride=2x2 pad=1_1x2_2}",
            (5, 4, 7),
            "0, d1 * 2 + s0 - 1, d2 * 2 + s1 - 2, s2",
            ", d1 * 2 + s0 in [1, 12], d2 * 2 + s1 in [2, 11]",
        ),
        (
            "1,21,15,8 1,12,10,4 4,3,5,8",
            "window={size=3x5 pad=0_0x0_0 lhs_dilate=2x2}",
            (20, 14, 7),
            "0, (d1 + s0) floordiv 2, (d2 + s1) floordiv 2, s2",
            ", (d1 + s0) mod 2 in [0, 0], (d2 + s1) mod 2 in [0, 0]",
        ),
        (
            "1,8,2,8 1,12,10,4 4,3,5,8",
            "window={size=3x5 pad=0_0x0_0 rhs_dilate=2x2}",
            (7, 1, 7),
            "0, d1 + s0 * 2, d2 + s1 * 2, s2",
            "",
        ),
        (
            "1,10,6,48 1,12,10,24 4,3,5,48",
            "window={size=3x5 pad=0_0x0_0}, feature_group_count=6",
            (9, 5, 47),
            "0, d1 + s0, d2 + s1, (d3 floordiv 8) * 4 + s2",
            "",
        ),
    ],
)
def test_convolution_prints_as_in_xla(
    shapes: str, rest: str, box: tuple[int, int, int], results: str, constraints: str
) -> None:
    made, x, kernel = (f"f32[{shape}]" for shape in shapes.split())
    line = f"%c = {made} convolution({x} %x, {kernel} %k), {rest}, dim_labels=b01f_i01o->b01f"
    first, second = maps_of(line)
    assert (
        first == f"(d0, d1, d2, d3)[s0, s1, s2] -> ({results}), domain: {BOX.format(*box)}{constraints}"
    )
    # where the window is partly over nothing, so is the kernel; XLA has no constraints here
    expected = (
        f"(d0, d1, d2, d3)[s0, s1, s2] -> (s2, s0, s1, d3), domain: {BOX.format(*box)}{constraints}"
    )
    assert second == expected


def test_batch_groups_have_their_own_batch() -> None:
    line = (
        "%c = f32[2,10,6,21] convolution(f32[14,12,10,4] %x, f32[4,3,5,21] %k), "
        "window={size=3x5 pad=0_0x0_0}, dim_labels=b01f_i01o->b01f, batch_group_count=7"
    )
    assert maps_of(line)[0].split(", domain")[0] == (
        "(d0, d1, d2, d3)[s0, s1, s2] -> ((d3 floordiv 3) * 2 + d0, d1 + s0, d2 + s1, s2)"
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "%d = f32[2,2] dot(f32[2,3] %a, f32[4,2] %b), "
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
            "the contracted dims differ, 3 on the left",
        ),
        (
            "%d = f32[2] dot(f32[2,3] %a, f32[3] %b), "
            "lhs_contracting_dims={7}, rhs_contracting_dims={0}",
            "has no dim 7",
        ),
        ("%d = f32[2,3,2] dot(f32[2,3] %a, f32[2] %b, u16[2] %m)", "has 3 operands"),
        (
            "%c = f32[2,2] convolution(f32[2,3] %a, f32[3,2] %b), dim_labels=bf_io",
            "a number for each dim",
        ),
        (
            "%c = f32[2,2] convolution(f32[2,3] %a, f32[3,2] %b), dim_labels=bb_io->bf",
            "dim_labels= has each dim once",
        ),
        (
            "%c = f32[2,2] convolution(f32[2,4] %a, f32[3,2] %b), dim_labels=bf_io->bf",
            "features of groups fit the kernel; it has f32.2,4., f32.3,2.",
        ),
        (
            "%c = f32[1,4,1] convolution(f32[1,6,1] %a, f32[1,2,1] %b), window={size=3}, "
            "dim_labels=b0f_i0o->b0f",
            "its window has the size of the kernel; it has .* window={size=3}",
        ),
    ],
)
def test_what_is_no_product(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        maps_of(line)
