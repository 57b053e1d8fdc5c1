"""Kernels of each family, written in Python: equal to numpy on random problems, without a finding."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import over, share
from fuzz_kernels import FAMILIES, Draw, half, pages, run

from tla.ascend import parse_tagged
from tla.ascend.kernels import gm, kernel, parse_trace, simulate
from tla.ascend.kernels.blocks import (
    acc,
    aux,
    batched_matmul,
    cast,
    compute,
    conv2d,
    flash_attention,
    flash_attention_infer,
    gelu,
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
    matmul_through_ub,
    matmul_visitor,
    mx_matmul,
    quant_matmul,
    silu,
    splitk_matmul,
    w4a4_matmul,
)
from tla.errors import (
    CapacityError,
    CongruenceError,
    CoordinateError,
    LayoutError,
    TlaError,
    UnsupportedError,
)

from .kernels_oracle import HERE
from .programs import expect_equal, issued

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


def ones(*shape: int, dtype: Any = half) -> Any:
    """Ones: a vector, a matrix, or several matrices one behind the other."""
    x = np.ones(shape, dtype)
    return x if len(shape) < 3 else Draw(0).matrices(x, "RowMajor")


def _quant(**more: Any) -> list[Any]:
    """The arguments of `quant_matmul`: 40 by 64 by 32."""
    arrays = {"a": ones(40, 64, dtype=np.int8), "b": ones(64, 32, dtype=np.int8)}
    return [*({**arrays, "scale": ones(32), "tokens": ones(40), "d": ones(40, 32)} | more).values()]


def _empty(*tags: str) -> list[Any]:
    """Zeros of layouts."""
    layouts = [parse_tagged(tag) for tag in tags]
    return [gm(np.zeros(x.element.bytes_of(int(x.layout.cosize)), np.int8), x) for x in layouts]


def _mx(a: tuple[int, int] = (16, 8), b: tuple[int, int] = (8, 32)) -> list[Any]:
    """The arguments of `mx_matmul`: 16 by 200 by 32, by the extents of the scales."""
    scales = f"MxScaleRowMajorA<float8_e8m0_t>{a}", f"MxScaleColumnMajorB<float8_e8m0_t>{b}"
    return _empty(
        "RowMajor<float8_e4m3_t>(16,200)", "ColumnMajor<float8_e4m3_t>(200,32)", *scales,
        "RowMajor<float>(16,32)",
    )  # fmt: skip


def _w4a4(scale: Any) -> list[Any]:
    """The arguments of `w4a4_matmul`: 64 by 64 by 64."""
    rest = [scale, ones(64, dtype=np.float32), ones(64, 64)]
    return [*_empty("RowMajor<int4b_t>(64,64)", "RowMajor<int4b_t>(64,64)"), *rest]


_OF_64 = {"l1": (64, 64, 64), "l0": (64, 64, 64)}
_PRODUCT = [ones(40, 32), ones(32, 48), ones(40, 48)]
_IN_GROUPS = [ones(40, 64, dtype=np.int8), ones(2, 64, 32, dtype=np.int8)]
BAD: list[tuple[Any, list[Any], dict[str, Any], str]] = [
    (
        quant_matmul,
        _quant(scale=ones(31)),
        {},
        "Scale is 31, and the product 40 by 32\n  It is 32: one for",
    ),
    (quant_matmul, _quant(scale=ones(2, 32)), {}, "Scale is 2 by 32, and the product 40 by 32"),
    (quant_matmul, _quant(tokens=ones(64)), {}, "PerTokenScale is 64.*\n  It is 40: one for each row"),
    (quant_matmul, _quant(), {"tile": (0, 64)}, "tile m = 0: it must be at least 1"),
    (quant_matmul, _quant(), {"stages": 0}, "stages = 0"),
    (
        grouped_quant_matmul_slice_m,
        [np.array([10, 40]), *_IN_GROUPS, ones(3, 32), ones(40), ones(40, 32)],
        {},
        "the list has 2 groups, and Scale has 3\n  It has one for each, one behind the other",
    ),
    (
        grouped_quant_matmul_slice_k,
        [np.array([32, 64]), *_quant()[:2], ones(2, 31), ones(2, 40), ones(2, 40, 32)],
        {},
        "Scale is 31, and the product 40 by 32",
    ),
    (
        grouped_matmul_slice_m,
        [np.array([10, 20, 40]), ones(40, 32), ones(2, 32, 16), ones(40, 16)],
        {},
        "the list has 3 groups, and B has 2",
    ),
    (
        grouped_matmul_slice_k,
        [np.array([16, 48]), ones(20, 48), ones(48, 16), ones(3, 20, 16)],
        {},
        "the list has 2 groups, and C has 3",
    ),
    (
        batched_matmul,
        [ones(2, 8, 16), ones(3, 16, 8), ones(2, 8, 8)],
        {},
        "A has 2 batches, and B has 3",
    ),
    (
        matmul_bias,
        [*_PRODUCT[:2], ones(47, dtype=np.float32), _PRODUCT[2]],
        {},
        "Bias is 47, and the prod",
    ),
    (
        matmul_activation,
        _PRODUCT,
        {"activation": "softmax"},
        "a vector core has no instruction 'softmax'",
    ),
    (
        matmul,
        _PRODUCT,
        {"policy": "MmadAtlasA2Small<2>", "l1": (32, 32, 32), "l0": (32, 32, 32)},
        "C has 4 blocks, and each of 1 cores computes one",
    ),
    (
        matmul,
        _PRODUCT,
        {"policy": "MmadAtlasA2Small<2>", "l1": (64, 64, 16), "l0": (64, 64, 16)},
        "MmadAtlasA2Small<2> multiplies one tile of K, and K has 2",
    ),
    (
        grouped_matmul,
        [ones(32), ones(32), ones(4)],
        {"problems": [(2, 2, 16), (2, 2, 1)]},
        r"2 problems have \[34, 34, 8\] elements of A, B and C, and the tensors \[32, 32, 4\]",
    ),
    (grouped_matmul, [ones(32), ones(32), ones(4)], {}, "0 problems have"),
    (matmul_through_ub, _PRODUCT, {}, "sums of float go to UB as rows, and C is half"),
    (
        matmul_through_ub,
        [*_PRODUCT[:2], ones(40, 48, dtype=np.float32)],
        {"l1": (512, 256, 32), "l0": (512, 256, 16)},
        "half of the rows of a block take 262144 bytes, and UB has 253952",
    ),
    (matmul_add, _PRODUCT, {"length": 0}, "length = 0"),
    (matmul_add, _PRODUCT, {"depth": 0}, "depth = 0"),
    (
        splitk_matmul,
        _PRODUCT,
        {"compute_length": 10},
        "10 elements of UB have no room for 64 of each of 1",
    ),
    (gemv_aiv, [ones(40, 32), ones(32), ones(40), ones(40)], {"tile": (8, -1)}, "tile n = -1"),
    (mx_matmul, _mx(a=(16, 4)), {}, "MxScaleA is 16 by 4, and .* 16 by 32 by 200\n  It is 16 by 7"),
    (mx_matmul, _mx(b=(8, 16)), {}, "MxScaleB is 8 by 16, .*\n  It is 7 by 32"),
    (mx_matmul, _mx(), {"l1": (64, 64, 96), "l0": (64, 64, 32)}, "K must be multiples of 64"),
    (
        matmul.on("Ascend950"),
        [*_mx()[:2], _mx()[4]],
        {"policy": "MmadMx<Arch::Ascend950,true>", "l1": (64, 64, 64), "l0": (64, 64, 64)},
        "MmadMx.* takes 2 tensors of scales, not 0",
    ),
    (w4a4_matmul, _w4a4(ones(32, dtype=np.uint64)), _OF_64, "Scale is 32, .*\n  It is 64"),
    (w4a4_matmul, _w4a4(ones(64, dtype=np.float32)), _OF_64, "not of uint64_t and float"),
    (flash_attention, [ones(1, 8, 16)] * 4, {"tile": (0, 16)}, "tile m = 0"),
]


@over("case", BAD, ids=lambda case: f"{case[0]} {case[3]}")
def test_what_does_not_fit_is_named(case: tuple[Any, list[Any], dict[str, Any], str]) -> None:
    written, arrays, options, words = case
    with pytest.raises(TlaError, match=words):
        simulate(written, *arrays, cores=1, **options)


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


@pytest.mark.parametrize("keys", [[384, 640], [300], [7, 513]])
def test_attention_on_pages(keys: list[int]) -> None:
    """Whole blocks of keys leave no finding; a rest of 16 meets stale bytes, in CATLASS too."""
    arrays, expected = pages(Draw(0), [(9, n) for n in keys], (6, 2), 48)
    run = simulate(flash_attention_infer, *arrays, head=48, cores=2)
    assert np.allclose(run["O"], expected, rtol=4e-3, atol=4e-3)
    assert {f.kind for f in run.findings} <= ({"rounded K"} if any(n % 16 for n in keys) else set())


def test_attention_on_pages_issues_what_catlass_does() -> None:
    arrays, _ = pages(Draw(0), [(100, 300)], (2, 1), 128)
    arrays[3] = gm(np.array([0, 1, 2, 0], np.int32), "RowMajor<int32_t>(1,3)")
    run = simulate(flash_attention_infer, *arrays, cores=2, checks=())
    lines = gzip.decompress((HERE / "flash_attention.jsonl.gz").read_bytes()).decode().splitlines()
    expect_equal(issued(run), issued(parse_trace(lines)))


def test_attention_on_pages_that_is_not() -> None:
    def run(head: int = 16, **other: Any) -> None:
        arrays, _ = pages(Draw(0), [(5, 200)], (2, 1), 16)
        given = dict(zip(flash_attention_infer.tensors, arrays, strict=True)) | other
        simulate(flash_attention_infer, *given.values(), head=head)

    run()
    for head in (0, -16, 24, 144):
        with pytest.raises(
            LayoutError, match=f"a head of {head} columns: .* multiple of 16, at most 128"
        ):
            run(head=head)
    with pytest.raises(CongruenceError, match="Q has 32 columns and K 16: heads of 32"):
        run(head=32)
    with pytest.raises(
        CongruenceError, match=r"Q is 5 by 32, K 200 by 16, V 256 by 16 [\s\S]* pages of 128"
    ):
        run(K=np.zeros((200, 16), half))
    with pytest.raises(CongruenceError, match=r"batches of \[\(5, 0\)\] rows and keys, and Q has 5"):
        run(KvSeq=np.array([0]))
    with pytest.raises(CongruenceError, match=r"batches of \[\(4, 200\)\] rows and keys"):
        run(QSeq=np.array([4]))
    with pytest.raises(CongruenceError, match="2 batches have rows and 1 keys"):
        run(QSeq=np.array([2, 3]))
    with pytest.raises(LayoutError, match="page 0 of batch 0 is number 2, and K has 2"):
        run(BlockTable=np.array([[2, 0, 0]]))
    with pytest.raises(CoordinateError, match="BlockTable has 2 numbers, and none at 2"):
        run(BlockTable=np.array([[1, 0]]))


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
    with pytest.raises(LayoutError, match="has 16 channels, and a block 40\n  Each is a multiple of 16"):
        run(image, filters, output, tile=(4, 5, 40))
    with pytest.raises(LayoutError, match="the filter has 3 groups of channels in L1, and the image 2"):
        run(image, filters, output, channels=(2, 3))
    with pytest.raises(CapacityError, match="a tile of 144 by 144 takes 41472 bytes of 32768 in L0A"):
        run(image, filters, output, tile=(12, 12, 16), channels=(1, 1))
    for more in ({"strides": (0, 1)}, {"channels": (0, 1)}, {"tile": (4, 0, 16)}):
        with pytest.raises(LayoutError, match="0: it must be at least 1"):
            run(image, filters, output, **more)
    with pytest.raises(LayoutError, match="a filter of 3 by 3 lies beside the image"):
        run(image, filters, "NC1HWC0<half>(1,1,4,8)", pads=(3, 0, 0, 0))
    with pytest.raises(
        UnsupportedError, match="a convolution is of half or bfloat16_t, not of float and half"
    ):
        run(image, filters, "NC1HWC0<float>(1,1,4,5)")
    with pytest.raises(UnsupportedError, match="a block of 2 of 5 columns leaves L0C in parts"):
        run(image, filters, output, policy="MmadPingpong<true>", tile=(4, 2, 16))
