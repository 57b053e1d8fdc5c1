"""Kernels of each family, written in Python: equal to numpy on random problems, without a finding."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import share

from tla.ascend.kernels import gm, kernel, simulate
from tla.ascend.kernels.blocks import (
    acc,
    aux,
    batched_matmul,
    cast,
    compute,
    conv2d,
    flash_attention,
    gelu,
    gemv_aic,
    gemv_aiv,
    grouped_matmul_slice_k,
    grouped_matmul_slice_m,
    grouped_quant_matmul_slice_k,
    grouped_quant_matmul_slice_m,
    matmul_activation,
    matmul_visitor,
    mla,
    quant_matmul,
    row,
    silu,
)
from tla.errors import CapacityError, CongruenceError, LayoutError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tla.ascend.kernels import Context, Kernel, KernelTensor

    Problem = tuple[Kernel, list[Any], dict[str, Any], Any]

half = np.float16


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
    ends, tokens = np.unique(draw.ends(groups, k)), draw.powers(groups, m, dtype=dtype)
    ends = ends[ends > 0]
    scale, tokens, starts = scale[: len(ends)], tokens[: len(ends)], [0, *ends[:-1]]
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
    options = {
        "strides": strides, "dilations": dilations, "pads": tuple(pads),
        "tile": (draw.rng.randint(1, 6), wide, 16 * draw.rng.randint(1, 2)),
        "channels": draw.rng.randint(1, 3), "depth": 16 * draw.rng.randint(1, 6),
        "policy": f"MmadPingpong<{str(wide >= places[1]).lower()}>",
    }  # fmt: skip
    return conv2d, arrays, options, made


FAMILIES: dict[str, Callable[[Draw], Problem]] = {
    "batched": _batched, "grouped by rows": _slice_m, "grouped by K": _slice_k, "quantised": _quantised,
    "activation": _activation, "tree": _tree, "gemv": _gemv, "attention": _attention,
    "convolution": _convolution, "four bits": _four_bits,
}  # fmt: skip


def check(family: str, seed: int) -> None:
    draw = Draw(seed)
    written, arrays, options, expected = FAMILIES[family](draw)
    run = simulate(written, *arrays, cores=draw.rng.randint(1, 3), seed=seed, **options)
    said = (family, seed, written, options)
    assert run.findings == (), said
    found = run[written.tensors[-1]]
    found = found if found.shape == expected.shape else found.reshape(expected.shape)
    if found.dtype == expected.dtype:
        assert np.array_equal(found, expected), said
    else:  # of sums that round, the weights to half
        assert np.allclose(found, expected, rtol=4e-3, atol=4e-3), said


@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_equal_numpy(family: str) -> None:
    for seed in range(share(10)):
        check(family, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_equal_numpy_200_times(family: str) -> None:
    for seed in range(200):
        check(family, 1000 + seed)


def test_activations() -> None:
    """Of `gelu` and `silu`, to the rounding of their float steps."""
    draw = Draw(0)
    a, b = draw.ints(40, 6), draw.ints(6, 48, most=1)
    x = (a.astype(np.float32) @ b).astype(np.float64)
    tiles: Any = {"l1": (32, 32, 32), "l0": (32, 32, 32)}
    made = {gelu: x / (1 + np.exp(-1.595769121 * (x + 0.044715 * x**3))), silu: x / (1 + np.exp(-x))}
    for activation, expected in made.items():
        run = simulate(matmul_activation, a, b, x.astype(np.float32), activation=activation, **tiles)
        assert np.allclose(run["D"], expected, rtol=1e-5, atol=1e-6)
        assert run.findings == ()


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ([10, 20], "group 1 of the list goes from 10 to 20, and all have 40"),
        ([30, 20], "group 1 of the list goes from 30 to 20"),
        ([10, 50], "group 1 of the list goes from 10 to 50"),
    ],
)
def test_groups_that_do_not_add_up(ends: list[int], words: str) -> None:
    a, b, c = np.ones((40, 32), half), np.ones((2, 32, 16), half), np.ones((40, 16), half)
    draw = Draw(0)
    with pytest.raises(CongruenceError, match=words):
        simulate(grouped_matmul_slice_m, np.array(ends), a, draw.matrices(b), c)
    with pytest.raises(CongruenceError, match=words):
        simulate(
            grouped_matmul_slice_k, np.array(ends), np.ones((32, 40), half), c,
            draw.matrices(np.ones((2, 32, 16), half), "RowMajor"),
        )  # fmt: skip


def test_trees_that_are_not() -> None:
    a, b, d = np.ones((40, 32), half), np.ones((32, 48), half), np.zeros((40, 48), half)
    tiles: Any = {"l1": (32, 32, 32), "l0": (32, 32, 32)}

    def run(tree: Callable[[Any], Any], **more: Any) -> None:
        def body(ctx: Context, a: KernelTensor, b: KernelTensor, d: KernelTensor) -> None:
            matmul_visitor(ctx, a, b, d, tree(d), **tiles, **more)

        simulate(kernel("Ascend950", core="MIX")(body), a, b, d)

    with pytest.raises(UnsupportedError, match="the tree is of float, and the result of half"):
        run(lambda _: acc())
    with pytest.raises(
        UnsupportedError, match="add takes inputs of one element type, not float and half"
    ):
        run(lambda d: compute("add", acc(), aux(d)))
    with pytest.raises(CapacityError, match="a row of 32 elements takes 32, and a tile of UB has 16"):
        run(lambda _: cast(acc(), "half"), length=16)
    run(lambda d: compute("add", cast(acc(), "half"), aux(d)))


def test_attention_of_equal_scores_is_the_mean() -> None:
    """Bit for bit: of scores that are all 0, and of those that a mask leaves."""
    draw, q = Draw(0), np.zeros((1, 32, 16), half)
    v = draw.numbers.integers(-8, 9, (1, 64, 16)).astype(half)
    k = np.zeros((1, 64, 16), half)
    arrays = [draw.matrices(x, "RowMajor") for x in (q, k, v, np.zeros((1, 32, 16), np.float32))]
    run = simulate(flash_attention, *arrays, tile=(16, 32), cores=2, orders=2)
    assert np.array_equal(
        run["O"].reshape(32, 16), np.tile(v[0].mean(axis=0, dtype=np.float32), (32, 1))
    )
    run = simulate(flash_attention, *arrays, tile=(16, 32), causal=True)
    assert np.array_equal(run["O"].reshape(32, 16)[-1], v[0].mean(axis=0, dtype=np.float32))


def test_attention_that_is_not() -> None:
    draw = Draw(0)

    def run(*shapes: tuple[int, int, int], **options: Any) -> None:
        arrays = [draw.matrices(np.zeros(shape, half), "RowMajor") for shape in shapes]
        simulate(flash_attention, *arrays, **options)

    with pytest.raises(CongruenceError, match=r"Q is \(2, 8, 16\), K \(1, 8, 32\)"):
        run((2, 8, 16), (1, 8, 32), (1, 8, 16), (2, 8, 16))
    with pytest.raises(CongruenceError, match="The heads of Q are a multiple of those of K"):
        run((3, 8, 16), (2, 8, 16), (2, 8, 16), (3, 8, 16))
    with pytest.raises(LayoutError, match="the first of 9 rows of Q sees none of the 8 of K"):
        run((1, 9, 16), (1, 8, 16), (1, 8, 16), (1, 9, 16), causal=True)
    with pytest.raises(UnsupportedError, match="no block of MmadAtlasA2Pingpong"):
        run(*[(1, 8, 16)] * 4, policy="MmadAtlasA2Pingpong<true>")
    with pytest.raises(
        CapacityError, match=r"UB of AtlasA2 has 196608\n  Take a tile of at most 32 rows of Q"
    ):
        run((1, 8, 16), (1, 8, 16), (1, 8, 800), (1, 8, 800))


def test_convolutions_that_are_not() -> None:
    def run(image: str, filters: str, output: str, **options: Any) -> None:
        memory = np.zeros(1 << 14, half)
        simulate(conv2d, *[gm(memory, text) for text in (image, filters, output)], **options)

    image, filters, output = (
        "NC1HWC0<half>(1,1,6,7)",
        "CI1KHKWCOCI0<half>(1,3,3,16)",
        "NC1HWC0<half>(1,1,4,5)",
    )
    run(image, filters, output)
    with pytest.raises(CongruenceError, match=r"The result is \(1, 1, 6, 7\)"):
        run(image, filters, output, pads=(1, 1, 1, 1))
    with pytest.raises(CongruenceError, match="1 groups of channels, the filter 2"):
        run(image, "CI1KHKWCOCI0<half>(2,3,3,16)", output)
    with pytest.raises(LayoutError, match="L0 a depth of 40\n  Each is a multiple of 16"):
        run(image, filters, output, depth=40)
    with pytest.raises(LayoutError, match="a filter of 3 by 3 lies beside the image"):
        run(image, filters, "NC1HWC0<half>(1,1,4,8)", pads=(3, 0, 0, 0))
    with pytest.raises(
        UnsupportedError, match="a convolution is of half or bfloat16_t, not of float and half"
    ):
        run(image, filters, "NC1HWC0<float>(1,1,4,5)")
    with pytest.raises(UnsupportedError, match="a block of 2 of 5 columns leaves L0C row by row"):
        run(image, filters, output, policy="MmadPingpong<true>", tile=(4, 2, 16))
