"""Sorts, transforms, factors, norms and random bits: against their definitions in loops."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from cases import shapes_as_written, share

from tla.errors import UnsupportedError

from .marks import NONE, blank, check, join, marked, text
from .test_reductions import maps_of

RANDOM = share(200)


def drawn_shape(draw: random.Random, least: int, most: int, sizes: tuple[int, ...]) -> list[int]:
    return [draw.choice(sizes) for _ in range(draw.randint(least, most))]


def lines_of(array: Any, axis: int) -> Any:
    """The lines along a dim, each with the indices of its elements."""
    for index in np.ndindex(*array.shape[:axis], *array.shape[axis + 1 :]):
        yield [(*index[:axis], i, *index[axis:]) for i in range(array.shape[axis])]


# --- sort, topk, fft --------------------------------------------------------------------------


def test_sort() -> None:
    draw = random.Random(8)
    for _ in range(RANDOM):
        shape = drawn_shape(draw, 1, 3, (0, 1, 2, 3, 4))
        axis, count = draw.randrange(len(shape)), draw.randint(1, 3)
        operands = [marked(i, shape) for i in range(count)]
        outs = [blank(shape) for _ in range(count)]
        for line in lines_of(outs[0], axis):
            order = join(*(x[at] for x in operands for at in line)) if len(line) > 1 else NONE
            for x, out in zip(operands, outs, strict=True):
                for at in line:  # each of the line may come here
                    out[at] = join(order, *(x[other] for other in line))
        one = text(shape)
        made = one if count == 1 else f"({', '.join([one] * count)})"
        names = ", ".join(f"{one} %x{i}" for i in range(count))
        check(f"%s = {made} sort({names}), dimensions={{{axis}}}, to_apply=%less", outs, count)


def test_topk() -> None:
    draw = random.Random(9)
    for _ in range(RANDOM):
        shape = [*drawn_shape(draw, 0, 2, (0, 1, 2, 3)), draw.randint(1, 5)]
        k = draw.randint(0, shape[-1])
        x = marked(0, shape)
        values, places = blank([*shape[:-1], k]), blank([*shape[:-1], k])
        for at in np.ndindex(*values.shape):
            line = join(*x[at[:-1]])
            values[at], places[at] = line, line if shape[-1] > 1 else NONE
        made = f"({text(values.shape)}, {text(values.shape, 's32')})"
        check(f"%t = {made} topk({text(shape)} %x), k={k}, largest=true", [values, places], 1)


@pytest.mark.parametrize("kind", ["FFT", "IFFT", "RFFT", "IRFFT"])
@shapes_as_written
def test_fft(kind: str) -> None:
    """By the sums of the definition: a real end takes the half that it has for the other."""
    draw = random.Random(10)
    for _ in range(60):
        rank = draw.randint(1, 3)
        batch, lengths = drawn_shape(draw, 0, 1, (0, 1, 2)), [draw.randint(1, 4) for _ in range(rank)]
        half = [*lengths[:-1], lengths[-1] // 2 + 1]
        before = batch + (half if kind == "IRFFT" else lengths)
        after = batch + (half if kind == "RFFT" else lengths)
        x, out = marked(0, before), blank(after)
        for at in np.ndindex(*after):
            terms = NONE
            for frequency in np.ndindex(*lengths):
                if kind == "IRFFT" and frequency[-1] >= half[-1]:  # the conjugate of its mirror image
                    frequency = tuple(-f % n for f, n in zip(frequency, lengths, strict=True))
                terms = join(terms, x[at[: len(batch)] + frequency])
            out[at] = terms
        ends = [(before, "RFFT"), (after, "IRFFT")]
        real, whole = (text(sizes, "f32" if kind == of else "c64") for sizes, of in ends)
        length = ",".join(map(str, lengths))
        check(f"%f = {whole} fft({real} %x), fft_type={kind}, fft_length={{{length}}}", [out], 1)


def test_whole_lines_print() -> None:
    line = "%f = f32[2,8] fft(c64[2,5] %x), fft_type=IRFFT, fft_length={8}"
    assert maps_of(line) == [
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 7], s0 in [0, 4]"
    ]
    line = "%s = f32[9,2] sort(f32[9,2] %x), dimensions={0}, to_apply=%less"
    assert maps_of(line) == [
        "(d0, d1)[s0] -> (s0, d1), domain: d0 in [0, 8], d1 in [0, 1], s0 in [0, 8]"
    ]


# --- triangular forms -------------------------------------------------------------------------


@pytest.mark.parametrize("is_lower", [True, False])
def test_cholesky(is_lower: bool) -> None:
    """By the algorithm of Cholesky and Banachiewicz, row by row."""
    draw = random.Random(11)
    for _ in range(RANDOM):
        n = draw.randint(0, 5)
        batch = drawn_shape(draw, 0, 2, (0, 1, 1, 2))
        a, out = marked(0, [*batch, n, n]), blank([*batch, n, n])
        for b in np.ndindex(*batch):
            of = a[b] if is_lower else a[b].T
            low = out[b] if is_lower else out[b].T
            for i in range(n):
                for j in range(i + 1):
                    value = of[i, j]
                    for k in range(j):
                        value = join(value, low[i, k], low[j, k])
                    low[i, j] = value if i == j else join(value, low[j, j])
        shape = text(a.shape)
        tail = ", lower=true" if is_lower else ""
        check(f"%l = {shape} cholesky({shape} %a){tail}", [out], 1)


@pytest.mark.parametrize("on_left", [True, False])
@pytest.mark.parametrize("is_lower", [True, False])
@pytest.mark.parametrize("transpose", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
def test_triangular_solve(on_left: bool, is_lower: bool, transpose: str) -> None:
    """By substitution: each unknown from those that the triangle lets come before it."""
    draw = random.Random(12)
    for _ in range(40):
        n, m, is_unit = draw.randint(0, 4), draw.randint(0, 3), draw.random() < 0.5
        batch = drawn_shape(draw, 0, 1, (0, 1, 1, 2))
        a = marked(0, [*batch, n, n])
        b = marked(1, [*batch, n, m] if on_left else [*batch, m, n])
        out = blank(b.shape)
        for at in np.ndindex(*batch):
            of = a[at] if transpose == "NO_TRANSPOSE" else a[at].T
            right, x = b[at], out[at]
            if not on_left:  # x a = b, transposed
                of, right, x = of.T, right.T, x.T
            lower = is_lower ^ (transpose != "NO_TRANSPOSE") ^ (not on_left)
            forward = range(n) if lower else range(n - 1, -1, -1)
            for column in range(m):
                done: list[int] = []
                for i in forward:
                    value = right[i, column]
                    for k in done:
                        value = join(value, of[i, k], x[k, column])
                    x[i, column] = value if is_unit else join(value, of[i, i])
                    done.append(i)
        flags = f"left_side={str(on_left).lower()}, lower={str(is_lower).lower()}"
        flags += f", unit_diagonal={str(is_unit).lower()}, transpose_a={transpose}"
        line = f"%x = {text(b.shape)} triangular-solve({text(a.shape)} %a, {text(b.shape)} %b), {flags}"
        check(line, [out], 2)


def test_triangles_print() -> None:
    assert maps_of("%l = f32[5,5] cholesky(f32[5,5] %a), lower=true") == [
        "(d0, d1)[s0, s1] -> (s0, s1), domain: d0 in [0, 4], d1 in [0, 4], s0 in [0, 4], s1 in [0, 4], "
        "-d1 + d0 in [0, 4], -s1 + s0 in [0, 4], d1 - s0 in [0, 4]; "
        "(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 4], d1 in [0, 4], s0 in [0, 4], "
        "-d1 + d0 in [1, 4], d1 - s0 in [0, 4]"
    ]


# --- batch norm -------------------------------------------------------------------------------


def drawn_batch(draw: random.Random) -> tuple[list[int], int, dict[int, Any]]:
    shape = drawn_shape(draw, 1, 3, (1, 2, 3))
    feature = draw.randrange(len(shape))
    return (
        shape,
        feature,
        {f: [at for at in np.ndindex(*shape) if at[feature] == f] for f in range(shape[feature])},
    )


def test_batch_norm_training() -> None:
    draw = random.Random(13)
    for _ in range(RANDOM):
        shape, feature, places = drawn_batch(draw)
        n = [shape[feature]]
        x, scale, offset = marked(0, shape), marked(1, n), marked(2, n)
        out, mean, variance = blank(shape), blank(n), blank(n)
        for f, elements in places.items():
            mean[f] = join(*(x[at] for at in elements))
            variance[f] = join(mean[f], *(x[at] for at in elements))
            for at in elements:
                out[at] = join(x[at], mean[f], variance[f], scale[f], offset[f])
        line = f"%b = ({text(shape)}, {text(n)}, {text(n)}) batch-norm-training({text(shape)} %x, "
        line += f"{text(n)} %s, {text(n)} %o), epsilon=0.001, feature_index={feature}"
        check(line, [out, mean, variance], 3)


def test_batch_norm_inference() -> None:
    draw = random.Random(14)
    for _ in range(RANDOM):
        shape, feature, _places = drawn_batch(draw)
        n = [shape[feature]]
        arrays = [marked(0, shape), *(marked(i, n) for i in range(1, 5))]
        out = blank(shape)
        for at in np.ndindex(*shape):
            out[at] = join(arrays[0][at], *(x[at[feature]] for x in arrays[1:]))
        operands = ", ".join(f"{text(x.shape)} %x{i}" for i, x in enumerate(arrays))
        line = f"%b = {text(shape)} batch-norm-inference({operands}), epsilon=0, feature_index={feature}"
        check(line, [out], 5)


def test_batch_norm_grad() -> None:
    draw = random.Random(15)
    for _ in range(RANDOM):
        shape, feature, places = drawn_batch(draw)
        n = [shape[feature]]
        arrays = [marked(0, shape), *(marked(i, n) for i in range(1, 4)), marked(4, shape)]
        x, scale, mean, variance, grad = arrays
        of_x, of_scale, of_offset = blank(shape), blank(n), blank(n)
        for f, elements in places.items():
            of_offset[f] = join(*(grad[at] for at in elements))
            centred = {at: join(x[at], mean[f]) for at in elements}
            weighted = join(*(join(grad[at], centred[at]) for at in elements))
            of_scale[f] = join(weighted, variance[f])
            for at in elements:
                rest = join(grad[at], of_offset[f], centred[at], weighted)
                of_x[at] = join(scale[f], variance[f], rest)
        operands = ", ".join(f"{text(array.shape)} %x{i}" for i, array in enumerate(arrays))
        line = f"%b = ({text(shape)}, {text(n)}, {text(n)}) batch-norm-grad({operands}), epsilon=0, "
        check(f"{line}feature_index={feature}", [of_x, of_scale, of_offset], 5)


# --- random bits ------------------------------------------------------------------------------


def test_rng_bit_generator() -> None:
    draw = random.Random(16)
    for _ in range(RANDOM):
        shape, words = drawn_shape(draw, 0, 3, (0, 1, 2, 3)), draw.randint(1, 4)
        state = marked(0, [words])
        bits, after = blank(shape), blank([words])
        for out in (bits, after):
            for at in np.ndindex(*out.shape):
                out[at] = join(state)
        made = f"({text([words], 'u64')}, {text(shape, 'u32')})"
        line = f"%r = {made} rng-bit-generator({text([words], 'u64')} %s), algorithm=rng_default"
        check(line, [after, bits], 1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("%s = f32[4] sort(f32[4] %x), dimensions={1}, to_apply=%less", r"is no int from 0 to 0"),
        ("%s = f32[4] sort(f32[4] %x), to_apply=%less", "it has no dimensions"),
        (
            "%t = (f32[4,9], s32[4,9]) topk(f32[4,8] %x), k=9",
            "the last dim has 9 elements; it has .*, k=9",
        ),
        ("%f = f32[8] fft(c64[8] %x), fft_type=IRFFT, fft_length={8}", "IRFFT takes fft_length"),
        ("%f = c64[8] fft(c64[8] %x), fft_type=FTT, fft_length={8}", "fft_type=FTT"),
        (
            "%l = f32[4,5] cholesky(f32[4,5] %x), lower=true",
            "square matrices of floats; it has f32.4,5.",
        ),
        (
            "%l = f32[4,2] triangular-solve(f32[3,3] %a, f32[4,2] %b), left_side=true",
            "square matrices of floats; it has f32.3,3., f32.4,2.",
        ),
        (
            "%b = f32[4,2] batch-norm-inference(f32[4,2] %x), feature_index=0",
            "it takes 5 arrays; it has f32.4,2.",
        ),
    ],
)
def test_what_has_no_map(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        maps_of(line)
