"""Kernels of each family, written in Python: equal to numpy on random problems, without a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import share
from fuzz_kernels import FAMILIES, Draw, half, run

from tla.ascend.kernels import gm, kernel, simulate
from tla.ascend.kernels.blocks import (
    acc,
    aux,
    cast,
    compute,
    conv2d,
    flash_attention,
    gelu,
    grouped_matmul_slice_k,
    grouped_matmul_slice_m,
    matmul_activation,
    matmul_visitor,
    silu,
)
from tla.errors import CapacityError, CongruenceError, LayoutError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tla.ascend.kernels import Context, KernelTensor


@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_equal_numpy(family: str) -> None:
    assert run(share(10), 0, family) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_kernels_equal_numpy_200_times(family: str) -> None:
    assert run(200, 1000, family) == []


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
