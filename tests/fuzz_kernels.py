"""Fuzz of the kernels of `tla.ascend.kernels.blocks`: random problems of each family, against numpy.

Run: python tests/fuzz_kernels.py [--count 200] [--seed N] [--only FAMILY]

A problem has random extents, tiles, tags, element types, policies and cores, of AtlasA2 or Ascend950.
Each run is checked for races, deadlocks, unwritten bytes and accesses out of bounds. Its result equals
numpy's bit for bit where sums of small ints are exact, and to the rounding of a half elsewhere. A fault
is printed with its seed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from tla.ascend.kernels import gm, kernel, simulate
from tla.ascend.kernels.blocks import (
    acc,
    aux,
    batched_matmul,
    cast,
    compute,
    conv2d,
    flash_attention,
    flash_attention_infer,
    gemv_aic,
    gemv_aiv,
    grouped_matmul,
    grouped_matmul_slice_k,
    grouped_matmul_slice_m,
    grouped_quant_matmul_slice_k,
    grouped_quant_matmul_slice_m,
    matmul,
    matmul_activation,
    matmul_add,
    matmul_bias,
    matmul_relu,
    matmul_through_ub,
    matmul_visitor,
    mla,
    mx_batched_matmul,
    quant_matmul,
    row,
    splitk_matmul,
    streamk_matmul,
    w4a4_matmul,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tla.ascend.kernels import Context, Kernel, KernelTensor

    Problem = tuple[Kernel, list[Any], dict[str, Any], Any]

half = np.float16
SHOWN = 5


class Draw:
    """Random extents, tiles and small ints, which any order of sums keeps exact."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def extent(self, most: int = 80) -> int:
        return self.rng.choice([1, self.rng.randint(2, 40), self.rng.randint(16, most)])

    def ints(self, *shape: int, dtype: Any = half, most: int = 3) -> Any:
        found = self.numbers.integers(-most, most + 1, shape).astype(dtype)
        return np.asfortranarray(found) if len(shape) == 2 and self.rng.random() < 0.5 else found

    def powers(self, *shape: int, dtype: Any = half) -> Any:
        return (2.0 ** self.numbers.integers(-3, 3, shape)).astype(dtype)

    def tiles(self, dtype: Any = half, most: int = 3) -> dict[str, Any]:
        c0 = 32 if dtype == np.int8 else 16
        l0 = [c0 * self.rng.randint(1, most), c0 * self.rng.randint(1, 3), c0 * self.rng.randint(1, 3)]
        return {"l1": (l0[0], l0[1], l0[2] * self.rng.randint(1, 3)), "l0": tuple(l0)}

    def matrices(self, x: Any, tag: str | None = None) -> Any:
        """Matrices one behind the other, in rows or in columns."""
        tag = tag or self.rng.choice(["RowMajor", "ColumnMajor"])
        name = {"float16": "half", "float32": "float", "int8": "int8_t"}[x.dtype.name]
        memory = x if tag == "RowMajor" else x.transpose(0, 2, 1)
        count, rows, columns = x.shape
        return gm(np.ascontiguousarray(memory), f"{tag}<{name}>({rows},{columns},batch={count})")

    def ends(self, count: int, extent: int) -> Any:
        """The ends of groups, of which some are empty."""
        inner = sorted(
            self.rng.choice([0, extent, self.rng.randint(0, extent)]) for _ in range(count - 1)
        )
        return np.array([*inner, extent])

    def policy(self, dtype: Any = half) -> str:
        flag = str(self.rng.random() < 0.5 and dtype != np.int8).lower()
        return self.rng.choice([
            f"MmadPingpong<{flag}>", f"MmadAtlasA2Pingpong<{flag}>",
            f"MmadAtlasA2PreloadAsync<1,2,2,{self.rng.randint(1, 3)},1,{flag},true>",
            f"MmadPingpongTlaV2<{flag}>", f"MmadFullLoadA<{flag},true>",
        ])  # fmt: skip


def _batched(draw: Draw) -> Problem:
    count, m, n, k = draw.rng.randint(1, 4), draw.extent(), draw.extent(), draw.extent()
    dtype: Any = draw.rng.choice([half, np.float32])
    a, b = draw.numbers.integers(-3, 4, (count, m, k)), draw.numbers.integers(-3, 4, (count, k, n))
    arrays = [draw.matrices(x.astype(dtype)) for x in (a, b)]
    c = draw.matrices(np.zeros((count, m, n), dtype), "RowMajor")
    return batched_matmul, [*arrays, c], {"policy": draw.policy(), **draw.tiles()}, (a @ b).astype(dtype)


def _slice_m(draw: Draw) -> Problem:
    groups, m, n, k = draw.rng.randint(1, 4), draw.extent(), draw.extent(), draw.extent()
    ends, a = draw.ends(groups, m), draw.ints(m, k)
    b = draw.numbers.integers(-3, 4, (groups, k, n)).astype(half)
    group = np.searchsorted(ends, np.arange(m), side="right")
    expected = np.stack([x.astype(np.float32) @ b[g] for x, g in zip(a, group, strict=True)])
    arrays = [ends, a, draw.matrices(b), np.zeros((m, n), half)]
    return (
        grouped_matmul_slice_m,
        arrays,
        {"policy": draw.policy(), **draw.tiles()},
        expected.astype(half),
    )


def _lists(draw: Draw) -> Problem:
    """Products of extents of their own, their matrices one behind the other."""
    sizes = [tuple(draw.extent() for _ in range(3)) for _ in range(draw.rng.randint(1, 4))]
    tags = draw.rng.choice(["RowMajor", "ColumnMajor"]), draw.rng.choice(["RowMajor", "ColumnMajor"])
    a: list[Any] = []
    b: list[Any] = []
    for m, n, k in sizes:
        a.append(draw.numbers.integers(-3, 4, (m, k)).astype(half))
        b.append(draw.numbers.integers(-3, 4, (k, n)).astype(half))
    turned = [tag == "ColumnMajor" for tag in tags]
    made = [x.astype(np.float32) @ y for x, y in zip(a, b, strict=True)]
    arrays = [
        np.concatenate([(x.T if is_turned else x).reshape(-1) for x in many])
        for many, is_turned in zip((a, b, made), (*turned, False), strict=True)
    ]
    options = {"problems": sizes, "tags": (*tags, "RowMajor"), "policy": draw.policy(), **draw.tiles()}
    expected = arrays[2].astype(half)
    return grouped_matmul, [*arrays[:2], np.zeros_like(expected)], options, expected


def _slice_k(draw: Draw) -> Problem:
    groups, m, n, k = draw.rng.randint(1, 4), draw.extent(), draw.extent(), draw.extent()
    ends, a, b = draw.ends(groups, k), draw.ints(m, k), draw.ints(k, n)
    starts = [0, *ends[:-1]]
    expected = np.stack(
        [a[:, i:j].astype(np.float32) @ b[i:j] for i, j in zip(starts, ends, strict=True)]
    )
    arrays = [ends, a, b, draw.matrices(np.ones((groups, m, n), half), "RowMajor")]
    return (
        grouped_matmul_slice_k,
        arrays,
        {"policy": draw.policy(), **draw.tiles()},
        expected.astype(half),
    )


def _quantised(draw: Draw) -> Problem:
    """Products of int8 with scales of rows and of columns: one, groups of rows, groups of K."""
    kind, groups = draw.rng.choice(["", "m", "k"]), draw.rng.randint(1, 3)
    m, n, k = draw.extent(), draw.extent(), draw.extent()
    dtype: Any = draw.rng.choice([half, np.float32])
    tiles = draw.tiles(np.int8)
    options = {"policy": draw.policy(np.int8), **tiles, "tile": (8 * draw.rng.randint(1, 4), 64)}
    a, b = draw.ints(m, k, dtype=np.int8, most=2), draw.ints(k, n, dtype=np.int8, most=2)
    out: Any = np.zeros((m, n), half)
    if not kind:
        scale, tokens = draw.powers(n, dtype=dtype), draw.powers(m, dtype=dtype)
        sums = a.astype(int) @ b.astype(int)
        expected = sums * scale.astype(float) * tokens.astype(float)[:, None]
        return quant_matmul, [a, b, scale, tokens, out], options, expected.astype(half)
    scale = draw.powers(groups, n, dtype=dtype)
    if kind == "m":
        ends, tokens = draw.ends(groups, m), draw.powers(m, dtype=dtype)
        many = draw.numbers.integers(-2, 3, (groups, k, n)).astype(np.int8)
        group = np.searchsorted(ends, np.arange(m), side="right")
        sums = np.stack([x.astype(int) @ many[g] for x, g in zip(a, group, strict=True)])
        expected = sums * scale.astype(float)[group] * tokens.astype(float)[:, None]
        arrays = [ends, a, draw.matrices(many), scale, tokens, out]
        return grouped_quant_matmul_slice_m, arrays, options, expected.astype(half)
    ends, tokens = draw.ends(groups, k), draw.powers(groups, m, dtype=dtype)
    starts = [0, *ends[:-1]]
    sums = np.stack([a[:, i:j].astype(int) @ b[i:j] for i, j in zip(starts, ends, strict=True)])
    expected = sums * scale.astype(float)[:, None] * tokens.astype(float)[:, :, None]
    out = draw.matrices(np.zeros((len(ends), m, n), half), "RowMajor")
    return grouped_quant_matmul_slice_k, [ends, a, b, scale, tokens, out], options, expected.astype(half)


def _four_bits(draw: Draw) -> Problem:
    """Products of int4b_t, two to a byte, with scales of rows and of columns."""
    m, n, k = draw.extent(), 2 * draw.extent(50), 2 * draw.extent(60)
    a, b = draw.numbers.integers(-8, 8, (m, k)), draw.numbers.integers(-8, 8, (k, n))
    scale, tokens = draw.powers(n), draw.powers(m)

    def packed(x: Any, rows: int, columns: int, tag: str) -> Any:
        words = (x & 15).astype(np.uint8).reshape(-1)
        return gm(words[::2] | words[1::2] << 4, f"{tag}<int4b_t>({rows},{columns})")

    in_rows = draw.rng.random() < 0.5
    arrays = [
        packed(a, m, k, "RowMajor"),
        packed(b if in_rows else b.T, k, n, ("ColumnMajor", "RowMajor")[in_rows]),
    ]
    l0 = [64 * draw.rng.randint(1, 2) for _ in range(3)]
    options = {"l1": (*l0[:2], l0[2] * draw.rng.randint(1, 2)), "l0": l0, "tile": (16, 64)}
    made = (a @ b * scale.astype(float) * tokens.astype(float)[:, None]).astype(half)
    return quant_matmul, [*arrays, scale, tokens, np.zeros((m, n), half)], options, made


def _four_bits_in_fixpipe(draw: Draw) -> Problem:
    """Products of int4b_t, scaled by columns in Fixpipe to half, and by rows behind it."""
    m, n, k = draw.extent(), 64 * draw.rng.randint(1, 3), 16 * draw.rng.randint(1, 12)
    a, b = draw.numbers.integers(-8, 8, (m, k)), draw.numbers.integers(-8, 8, (k, n))
    scale, tokens = draw.powers(n, dtype=np.float32) / 16, draw.powers(m, dtype=np.float32)
    blocks = b.reshape(k, n // 64, 64).transpose(1, 0, 2)

    def packed(x: Any, tag: str, *shape: int) -> Any:
        words = (x & 15).astype(np.uint8).reshape(-1)
        return gm(words[::2] | words[1::2] << 4, f"{tag}<int4b_t>({shape[0]},{shape[1]})")

    in_blocks = draw.rng.random() < 0.5
    given = packed(blocks, "zN", k, n) if in_blocks else packed(b, "RowMajor", k, n)
    arrays = [packed(a, "RowMajor", m, k), given, scale.view(np.uint32).astype(np.uint64), tokens]
    l0 = [64 * draw.rng.randint(1, 2) for _ in range(3)]
    options = {"l1": (*l0[:2], l0[2] * draw.rng.randint(1, 2)), "l0": l0, "tile": (16, 64)}
    made = ((a @ b * scale).astype(half).astype(np.float32) * tokens[:, None]).astype(half)
    return w4a4_matmul, [*arrays, np.zeros((m, n), half)], options, made


_SMALL = {"float8_e4m3_t": "00 38 40 44", "float8_e5m2_t": "00 3c 40 42", "float4_e2m1x2_t": "0 2 4 5"}
"""The bits of 0, 1, 2 and 3."""


def _scaled(draw: Draw) -> Problem:
    """Products of 8 or 4 bits, each 32 elements along K with a power of two as a scale."""
    of = draw.rng.choice([*_SMALL])
    bits = np.array([int(x, 16) for x in _SMALL[of].split()], np.uint8)
    unit = 8 * (4 if of.startswith("float8") else 8)
    batch, (m, n, k) = draw.rng.randint(1, 2), (2 * draw.extent(60) for _ in range(3))
    l0 = [unit * draw.rng.randint(1, 3), unit * draw.rng.randint(1, 3), 64 * draw.rng.randint(1, 2)]
    l1 = (*l0[:2], l0[2] * draw.rng.randint(1, 2))
    flag = str(draw.rng.random() < 0.5).lower()

    def matrix(*shape: int) -> tuple[Any, Any]:
        values = draw.numbers.integers(-3, 4, shape)
        tag = draw.rng.choice(["RowMajor", "ColumnMajor"])
        stored = bits[abs(values)] | np.where(values < 0, 0x80 if unit == 32 else 8, 0).astype(np.uint8)
        lines = (stored if tag == "RowMajor" else stored.transpose(0, 2, 1)).reshape(-1)
        memory = lines if unit == 32 else lines[::2] | lines[1::2] << 4
        return values, gm(np.ascontiguousarray(memory), f"{tag}<{of}>({shape[1]},{shape[2]},{many})")

    def scales(side: str, lines: int) -> tuple[Any, Any]:
        powers = draw.numbers.integers(125, 130, (batch, lines, groups)).astype(np.uint8)
        along_k = draw.rng.random() < 0.5
        pairs = powers.reshape(batch, lines, -1, 2).transpose((0, 1, 2, 3) if along_k else (0, 2, 1, 3))
        shape = (lines, groups) if side == "A" else (groups, lines)
        tag = f"MxScale{'RowMajor' if along_k == (side == 'A') else 'ColumnMajor'}{side}"
        given = gm(np.ascontiguousarray(pairs), f"{tag}<float8_e8m0_t>({shape[0]},{shape[1]},{many})")
        return np.repeat(2.0 ** (powers - 127.0), 32, -1)[..., :k], given

    groups, many = 2 * -(-k // 64), f"batch={batch}"
    (a, of_a), (b, of_b) = matrix(batch, m, k), matrix(batch, k, n)
    (scale_a, given_a), (scale_b, given_b) = scales("A", m), scales("B", n)
    made = ((a * scale_a) @ (b * scale_b.transpose(0, 2, 1))).astype(np.float32)
    c = gm(np.zeros(made.size, np.float32), f"RowMajor<float>({m},{n},batch={batch})")
    policy = f"MmadMx<Arch::Ascend950,{flag},{draw.rng.randint(1, 3)}>"
    options = {"l1": l1, "l0": tuple(l0), "policy": policy}
    return mx_batched_matmul, [of_a, of_b, given_a, given_b, c], options, made


def _activation(draw: Draw) -> Problem:
    m, n, k = draw.extent(), draw.extent(), draw.extent()
    a, b = draw.ints(m, k), draw.ints(k, n)
    sums = a.astype(np.float32) @ b
    word, made = draw.rng.choice([("relu", np.maximum(sums, 0)), ("abs", np.abs(sums))])
    dtype: Any = draw.rng.choice([half, np.float32])
    options = {"activation": word, "policy": draw.policy(), **draw.tiles()}
    return matmul_activation, [a, b, np.zeros((m, n), dtype)], options, made.astype(dtype)


def _tree(draw: Draw) -> Problem:
    """A tree of random operations on the sums, a matrix and a vector."""
    m, n, k = draw.extent(), draw.extent(), draw.extent()
    dtype: Any = draw.rng.choice([half, np.float32])
    a, b = draw.ints(m, k, most=2), draw.ints(k, n, most=2)
    x, bias = np.ascontiguousarray(draw.ints(m, n, dtype=np.float32)), draw.ints(n, dtype=np.float32)
    kinds = [draw.rng.choice(["add", "sub", "max", "min", "mul", "muls", "relu"]) for _ in range(3)]
    order = draw.rng.sample([0, 1, 2], 3)
    tiles, is_950 = draw.tiles(), draw.rng.random() < 0.5

    @kernel("Ascend950" if is_950 else "AtlasA2", core="MIX")
    def body(
        ctx: Context,
        a: KernelTensor,
        b: KernelTensor,
        x: KernelTensor,
        bias: KernelTensor,
        d: KernelTensor,
    ) -> None:
        leaves = [acc(), aux(x), row(bias)]
        node = leaves[order[0]]
        for kind, other in zip(kinds, [*order[1:], order[0]], strict=True):
            one_sided = {"muls": (2.0,), "relu": ()}.get(kind)
            node = compute(kind, node, *((leaves[other],) if one_sided is None else one_sided))
        node = node if dtype == np.float32 else cast(node, "half")
        policy = draw_policy if not is_950 else "MmadPingpong<true>"
        matmul_visitor(ctx, a, b, d, node, policy, **tiles, length=length)

    draw_policy, length = draw.policy(), draw.rng.choice([None, 128])
    words: dict[str, Callable[[Any, Any], Any]] = {
        "add": np.add, "sub": np.subtract, "max": np.maximum, "min": np.minimum, "mul": np.multiply,
        "muls": lambda y, _: 2 * y, "relu": lambda y, _: np.maximum(y, 0),
    }  # fmt: skip
    values = [a.astype(np.float32) @ b.astype(np.float32), x, np.broadcast_to(bias, (m, n))]
    made = values[order[0]]
    for kind, other in zip(kinds, [*order[1:], order[0]], strict=True):
        made = words[kind](made, values[other])
    return body, [a, b, x, bias, np.zeros((m, n), dtype)], {}, made.astype(dtype)


def _gemv(draw: Draw) -> Problem:
    m, n = draw.extent(), draw.extent(300)
    dtype: Any = draw.rng.choice([half, np.float32])
    a = draw.numbers.integers(-2, 3, (m, n)).astype(dtype)
    x, y = (draw.numbers.integers(-2, 3, k).astype(dtype) for k in (n, m))
    alpha, beta = draw.rng.randint(-2, 2), draw.rng.randint(-2, 2)
    made = alpha * (a.astype(float) @ x.astype(float)) + beta * y.astype(float)
    options: dict[str, Any] = {"alpha": alpha, "beta": beta}
    arrays = [a, x, y, np.zeros(m, dtype)]
    if draw.rng.random() < 0.5:
        return gemv_aiv, arrays, {**options, "tile": (draw.rng.randint(1, 40), 64)}, made.astype(dtype)
    return gemv_aic, arrays, {**options, **draw.tiles()}, made.astype(dtype)


def attention(q: Any, k: Any, v: Any, scale: float | None, causal: bool) -> Any:
    """Softmax(scale Q K^T) V of each head, in double."""
    repeats = len(q) // len(k)
    q, k, v = (x.astype(float) for x in (q, np.repeat(k, repeats, 0), np.repeat(v, repeats, 0)))
    s = q @ k.transpose(0, 2, 1) * (q.shape[2] ** -0.5 if scale is None else scale)
    if causal:
        rows, columns = s.shape[1:]
        s[:, np.triu(np.ones((rows, columns), bool), columns - rows + 1)] = -np.inf
    weights = np.exp(s - s.max(axis=2, keepdims=True))
    return weights @ v / weights.sum(axis=2, keepdims=True)


def _attention(draw: Draw) -> Problem:
    """Scores that differ by little, so that no block of K and V is lost beside another."""
    groups, repeats = draw.rng.randint(1, 2), draw.rng.randint(1, 2)
    rows, columns, depth, width = draw.extent(50), draw.extent(150), draw.extent(48), draw.extent(48)
    causal, latent = draw.rng.random() < 0.5, draw.rng.random() < 0.3
    columns = max(columns, rows) if causal else columns
    width = min(width, depth) if latent else width
    out: Any = draw.rng.choice([half, np.float32])
    q = draw.numbers.normal(0, 1, (groups * repeats, rows, depth)).astype(half)
    k = draw.numbers.normal(0, 1, (groups, columns, depth)).astype(half)
    v = draw.numbers.normal(0, 1, (groups, columns, width)).astype(half)
    tile = (16 * draw.rng.randint(1, 3), 16 * draw.rng.randint(1, 5))
    options: dict[str, Any] = {
        "scale": draw.rng.choice([None, 0.5]), "tile": tile, "depth": 16 * draw.rng.randint(1, 4),
    }  # fmt: skip
    arrays = [draw.matrices(x, "RowMajor") for x in (q, k, v, np.zeros((*q.shape[:2], width), out))]
    if latent:
        expected = attention(q, k, k[:, :, :width], options["scale"], causal=False)
        return mla, [*arrays[:2], arrays[3]], options, expected
    options["causal"] = causal
    return flash_attention, arrays, options, attention(q, k, v, options["scale"], causal)


def pages(
    draw: Draw, lengths: list[tuple[int, int]], heads: tuple[int, int], depth: int, of: Any = half
) -> tuple[list[Any], Any]:
    """Batches of rows and keys for attention, K and V in pages of some order, and the result."""
    counts = [-(-keys // 128) for _, keys in lengths]
    order = draw.numbers.permutation(sum(counts)).astype(np.int32)
    table, first, made = np.zeros((len(lengths), max(counts)), np.int32), 0, []
    rows = sum(q for q, _ in lengths)
    q = draw.numbers.normal(0, 1, (rows, heads[0], depth)).astype(of)
    k, v = (draw.numbers.normal(0, 1, (len(order), 128, heads[1], depth)).astype(of) for _ in range(2))
    for batch, ((count, keys), number) in enumerate(zip(lengths, counts, strict=True)):
        mine, order = order[:number], order[number:]
        table[batch, :number] = mine
        parts = [x[mine].reshape(-1, *x.shape[2:])[:keys].transpose(1, 0, 2) for x in (k, v)]
        rows_of_batch = q[first : first + count].transpose(1, 0, 2)
        weighed = attention(rows_of_batch, parts[0], parts[1], None, causal=False)
        made.append(weighed.transpose(1, 0, 2).reshape(count, -1))
        first += count
    memory = np.append(table, np.int32(0))  # CATLASS reads an entry behind the last
    flat = [q.reshape(rows, -1), *(x.reshape(-1, heads[1] * depth) for x in (k, v))]
    ends = [np.array(x) for x in zip(*lengths, strict=True)]
    given = [*flat, gm(memory, f"RowMajor<int32_t>({','.join(map(str, table.shape))})"), *ends]
    return [*given, np.zeros_like(flat[0])], np.concatenate(made)


def _pages(draw: Draw) -> Problem:
    """Behind keys that are no multiple of 16 stale bytes meet, in CATLASS too; AscendC ignores them."""
    rng, groups, depth = draw.rng, draw.rng.randint(1, 2), 16 * draw.rng.randint(1, 8)
    lengths = [(draw.extent(150), draw.extent(700)) for _ in range(rng.randint(1, 2))]
    arrays, expected = pages(draw, lengths, (groups * rng.randint(1, 3), groups), depth)
    return flash_attention_infer, arrays, {"head": depth}, expected


def _convolution(draw: Draw) -> Problem:
    batches, groups, cout = draw.rng.randint(1, 2), draw.rng.randint(1, 3), 16 * draw.rng.randint(1, 3)
    taps = draw.rng.randint(1, 3), draw.rng.randint(1, 3)
    strides, dilations = [(draw.rng.randint(1, 2), draw.rng.randint(1, 2)) for _ in range(2)]
    reach = [d * (n - 1) for d, n in zip(dilations, taps, strict=True)]
    pads = [draw.rng.randint(0, reach[axis]) for axis in (1, 1, 0, 0)]
    size = [draw.rng.randint(r + 1, 12) for r in reach]
    image = draw.numbers.integers(-2, 3, (batches, groups, *size, 16)).astype(half)
    filters = draw.numbers.integers(-2, 3, (groups, *taps, cout, 16)).astype(half)
    padded = np.pad(image, ((0, 0), (0, 0), pads[2:], pads[:2], (0, 0))).astype(np.float32)
    places = [(padded.shape[2 + i] - reach[i] - 1) // strides[i] + 1 for i in range(2)]
    made = np.zeros((batches, *places, cout), np.float32)
    for at in np.ndindex(*taps):
        cuts = [
            slice(
                at[i] * dilations[i], at[i] * dilations[i] + (places[i] - 1) * strides[i] + 1, strides[i]
            )
            for i in range(2)
        ]
        weights = filters[:, at[0], at[1]].astype(np.float32)
        made += np.einsum("bgyxc,gnc->byxn", padded[:, :, cuts[0], cuts[1]], weights)
    made = made.reshape(batches, *places, cout // 16, 16).transpose(0, 3, 1, 2, 4).astype(half)
    tags = ("NC1HWC0", "CI1KHKWCOCI0", "NC1HWC0")
    arrays = [
        gm(x, f"{tag}<half>({','.join(map(str, x.shape[:-1]))})")
        for x, tag in zip((image, filters, np.zeros_like(made)), tags, strict=True)
    ]
    wide = draw.rng.randint(1, 8)
    options: dict[str, Any] = {
        "strides": strides, "dilations": dilations, "pads": tuple(pads),
        "tile": (draw.rng.randint(1, 6), wide, 16 * draw.rng.randint(1, 3)),
        "channels": draw.rng.choice([(1, 1), (1, 2), (1, 3), (2, 2), (3, 3)]),
        "l0": (16 * draw.rng.randint(1, 3), 16 * draw.rng.randint(1, 20)),
        "swizzle": (draw.rng.randint(1, 3), draw.rng.randint(0, 1)),
    }  # fmt: skip
    is_whole = wide >= places[1] and options["l0"][0] >= min(options["tile"][2], cout)
    return conv2d, arrays, {**options, "policy": f"MmadPingpong<{str(is_whole).lower()}>"}, made


def _product(draw: Draw, written: Kernel, types: Sequence[Any]) -> Problem:
    """A whole product, with a bias or without; one in slices of K; a sum with a matrix."""
    rng = draw.rng
    dtype: Any = rng.choice(types)
    m, n, k = [draw.extent(160) for _ in range(3)]
    tiles = draw.tiles(dtype)
    flag, shuffle = (str(rng.random() < 0.5).lower() for _ in range(2))
    flag = "false" if dtype == np.int8 else flag
    policies = [
        f"MmadPingpong<{flag},false,1,false,{rng.randint(1, 3)},{rng.randint(1, 3)}>",
        f"MmadAtlasA2Pingpong<{flag}>",
    ]
    if written is matmul or written is matmul_add:
        policies.append(f"MmadAtlasA2Preload<{flag},{shuffle}>")
        policies.append(f"MmadAtlasA2PreloadAsync<1,2,2,{rng.randint(1, 3)},1,{flag},{shuffle}>")
        policies += [f"MmadAtlasA2FullLoadA<{flag}>", f"MmadFullLoadA<{flag},{shuffle}>"]
        policies += [f"MmadAscend950FullLoadA<{flag}>", f"MmadPingpongTlaV2<{flag}>"]
    options: dict[str, Any] = {**tiles}
    if written is matmul and m <= tiles["l1"][0] and n <= tiles["l1"][1] and k <= tiles["l1"][2]:
        policies = [f"MmadAtlasA2Small<2,{flag}>"]
    if written is matmul_through_ub:
        policies = [f"MmadPingpong<{flag}>", f"MmadAscend950FullLoadA<{flag}>"]
    if written is streamk_matmul:
        policies = [f"MmadAtlasA2Streamk<{flag},true>", f"MmadPingpong<{flag}>"]
        options["swizzle"] = rng.choice(["streamk<3,1>", "tail_splitk<3,0>"])
    policy = options["policy"] = rng.choice(policies)
    a, b, d = draw.ints(m, k, dtype=dtype), draw.ints(k, n, dtype=dtype), draw.ints(m, n, dtype=dtype)
    wide: Any = np.int32 if dtype == np.int8 else np.float32
    made, out = a.astype(wide) @ b.astype(wide), dtype
    arrays = [a, b]
    if written is matmul:
        out = wide if dtype == np.int8 else rng.choice([dtype, wide])
        if "Pingpong<" in policy and rng.random() < 0.5:
            options["policy"] = policy.replace("A2Pingpong", "A2PingpongBias")
            bias = draw.ints(n, dtype=wide, most=9)
            written, made, arrays = matmul_bias, made + bias, [a, b, bias]
        elif rng.random() < 0.2 and "Small" not in policy:
            written, made = matmul_relu, np.maximum(made, 0)
    if written is matmul_through_ub:
        out = np.float32
    if written is splitk_matmul:
        options["splitk"] = rng.randint(1, min(4, -(-k // tiles["l1"][2])))
    made = made.astype(out)
    if written is matmul_add:
        made = (made.astype(wide) + d).astype(out)
    d = np.ascontiguousarray(d.astype(out))
    return written, [*arrays, d], options, made


def _of(written: Kernel, *types: Any) -> Callable[[Draw], Problem]:
    return lambda draw: _product(draw, written, types)


FAMILIES: dict[str, Callable[[Draw], Problem]] = {
    "products": _of(matmul, half, np.float32, np.int8),
    "slices of K": _of(splitk_matmul, half, np.float32),
    "through UB": _of(matmul_through_ub, half, np.float32),
    "stream-K": _of(streamk_matmul, half, np.float32),
    "sums with a matrix": _of(matmul_add, half, np.float32),
    "batched": _batched,
    "grouped by rows": _slice_m,
    "grouped by K": _slice_k,
    "lists": _lists,
    "quantised": _quantised,
    "four bits": _four_bits,
    "four bits in Fixpipe": _four_bits_in_fixpipe,
    "MX": _scaled,
    "activation": _activation,
    "tree": _tree,
    "gemv": _gemv,
    "attention": _attention,
    "attention on pages": _pages,
    "convolution": _convolution,
}
_ONE_ARCH = "four bits", "four bits in Fixpipe", "tree", "attention on pages"
"""The families whose kernels are of one instruction set."""


def check(family: str, seed: int) -> None:
    draw = Draw(seed)
    written, arrays, options, expected = FAMILIES[family](draw)
    policy = options.get("policy", "MmadPingpong")
    is_of_both = family not in _ONE_ARCH and policy.startswith("MmadPing")
    if "Ascend950" in policy or family == "through UB" or (is_of_both and draw.rng.random() < 0.5):
        written = written.on("Ascend950")
    run = simulate(written, *arrays, cores=draw.rng.randint(1, 3), seed=seed, **options)
    said = (family, seed, written, options)
    known = "rounded K" if family == "attention on pages" else ""
    assert [f for f in run.findings if f.kind != known] == [], said
    found = run[written.tensors[-1]]
    found = found if found.shape == expected.shape else found.reshape(expected.shape)
    if found.dtype == expected.dtype:
        assert np.array_equal(found, expected), said
    else:  # of sums that round, the weights to half
        assert np.allclose(found, expected, rtol=4e-3, atol=4e-3), said


def run(count: int, seed: int, family: str) -> list[str]:
    """The faults of a family: of its problems with the seeds from one on."""
    faults = []
    for number in range(seed, seed + count):
        try:
            check(family, number)
        except Exception as error:
            faults.append(f"{family}, seed {number}: {type(error).__name__}: {error}")
    return faults


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="problems per family")
    parser.add_argument("--seed", type=int, default=0, help="that of the first problem")
    parser.add_argument("--only", choices=FAMILIES, help="one family")
    options = parser.parse_args(arguments)
    bad = 0
    for family in [options.only] if options.only else FAMILIES:
        begun = time.perf_counter()
        faults = run(options.count, options.seed, family)
        bad += len(faults)
        seconds = time.perf_counter() - begun
        print(f"{family:18} {options.count} problems, {len(faults)} faults, {seconds:.1f} s", flush=True)
        print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
