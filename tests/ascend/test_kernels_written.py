# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python: equal to recorded ones of CATLASS, and to numpy."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from cases import over
from oracle import rows

import tla
from tla.ascend.kernels import gm, kernel, read_trace, simulate
from tla.ascend.kernels.blocks import (
    batched_matmul,
    block_mmad,
    grouped_matmul_slice_m,
    grouped_quant_matmul_slice_k,
    matmul,
    matmul_activation,
    matmul_add,
    matmul_bias,
    matmul_evg_add,
    matmul_through_ub,
    quant_matmul,
    splitk_matmul,
    streamk_matmul,
)
from tla.errors import (
    ArgumentError,
    CapacityError,
    CongruenceError,
    KindError,
    LayoutError,
    LimitError,
    UnsupportedError,
)

from .kernels_oracle import HERE, SHARED, entries

if TYPE_CHECKING:
    from tla.ascend.kernels import Context, Kernel, KernelTensor, Run

half = np.float16
OTHER_WAY: Any = {"swizzle": "GemmIdentityBlockSwizzle<3,1>"}


def any_(x: object) -> Any:
    """A value that the checkers know nothing of."""
    return x


def _ones(m: int, n: int, k: int, dtype: Any = half) -> list[Any]:
    return [np.ones((m, k), dtype), np.ones((k, n), dtype), np.zeros((m, n), dtype)]


def _in_zn() -> list[Any]:
    a, _, c = _ones(200, 300, 600)
    return [a, gm(np.ones(608 * 304, half), "zN<half>(600,300)"), c]


def _batch(count: int, extents: tuple[int, int, int]) -> list[Any]:
    m, n, k = extents
    return [
        gm(np.ones(count * rows * columns or 1, half), f"RowMajor<half>({rows},{columns},batch={count})")
        for rows, columns in ((m, k), (k, n), (m, n))
    ]


RECORDED: dict[str, tuple[Kernel, list[Any], dict[str, Any]]] = {
    "basic_unitflag": (matmul, _ones(300, 300, 600), {"policy": "MmadAtlasA2Pingpong<true>"}),
    "basic_events": (matmul, _ones(300, 300, 600), {"policy": "MmadAtlasA2Pingpong<false>"}),
    "tla_unitflag": (matmul, _ones(300, 300, 600), OTHER_WAY),
    "tla_l0c2": (matmul, _ones(280, 300, 300), {
        **OTHER_WAY, "policy": "MmadPingpong<false,false,2>", "l1": (128, 128, 256),
        "l0": (128, 128, 64),
    }),
    "tla_f32": (matmul, _ones(140, 280, 150, np.float32), {
        **OTHER_WAY, "l1": (128, 256, 128), "l0": (128, 256, 32),
    }),
    "preload_zN": (matmul, _in_zn(), {"policy": "MmadAtlasA2Preload<true,true>"}),
    "a950_basic_half": (matmul.on("Ascend950"), _ones(300, 520, 600), {
        **OTHER_WAY, "l1": (256, 256, 256), "l0": (256, 256, 64),
    }),
    "a950_basic_f32": (matmul.on("Ascend950"), _ones(300, 300, 300, np.float32), {
        **OTHER_WAY, "l1": (256, 256, 128), "l0": (256, 256, 32),
    }),
    "a950_bias_f32": (matmul_bias.on("Ascend950"), [
        np.ones((260, 200), np.float32), np.ones((200, 300), np.float32), np.ones(300, np.float32),
        np.ones((260, 300), np.float32),
    ], {**OTHER_WAY, "l1": (256, 256, 64), "l0": (256, 256, 32)}),
    "bias": (matmul_bias, [
        *_ones(200, 300, 300)[:2], np.ones(300, half), np.ones((200, 300), half),
    ], {"policy": "MmadAtlasA2PingpongBias<true>"}),
    "splitk": (splitk_matmul, [
        np.ones((120, 1200), half), np.ones((1200, 200), half, "F"), np.ones((120, 200), half),
    ], {}),
    "grouped_slice_m": (grouped_matmul_slice_m, [
        np.array([50, 150, 300]), np.ones((300, 300), half),
        gm(np.ones(3 * 300 * 200, half), "ColumnMajor<half>(300,200,batch=3)"),
        np.ones((300, 200), half),
    ], {}),
    "streamk": (streamk_matmul, _ones(300, 200, 700), {}),
    "quant_per_token": (quant_matmul, [
        np.ones((200, 700), np.int8), np.ones((700, 300), np.int8, "F"), np.ones(300, half),
        np.ones(200, half), np.ones((200, 300), half),
    ], {}),
    "quant_full_loadA_tla": (quant_matmul, [
        np.ones((100, 290), np.int8), np.ones((290, 600), np.int8), np.ones(600, np.float32),
        np.ones(100, np.float32), gm(np.ones(60000, half), "RowMajor<bfloat16_t>(100,600)"),
    ], {"policy": "MmadFullLoadA<false,true>"}),
    "a950_fixpipe_opti": (matmul_through_ub, [
        np.ones((200, 300), half), np.ones((300, 300), half, "F"), np.ones((200, 300), np.float32),
    ], {}),
    "matmul_add": (matmul_add, _ones(200, 300, 150), {}),
    "gelu": (matmul_activation, _ones(200, 300, 150), {}),
    "a950_evg_add": (matmul_evg_add, _ones(200, 300, 150, np.float32), {}),
    "a950_splitk": (splitk_matmul.on("Ascend950"), _ones(120, 200, 1200, np.float32), {
        "policy": "MmadPingpong<true>", "l1": (256, 256, 128), "l0": (256, 256, 32),
    }),
    "batched": (batched_matmul, _batch(3, (100, 200, 150)), {}),
    "a950_grouped_slice_m": (grouped_matmul_slice_m.on("Ascend950"), [
        np.array([50, 150, 300]), np.ones((300, 300), half), _batch(3, (0, 200, 300))[1],
        np.ones((300, 200), half),
    ], {**OTHER_WAY, "policy": "MmadPingpong<true>", "l1": (256, 256, 256), "l0": (256, 256, 64)}),
    "grouped_slice_k_per_token_dequant": (grouped_quant_matmul_slice_k, [
        np.array([96, 290]), np.ones((100, 290), np.int8, "F"), np.ones((290, 300), np.int8),
        gm(np.ones(600, half), "RowMajor<bfloat16_t>(2,300)"),
        gm(np.ones(200, half), "RowMajor<bfloat16_t>(2,100)"),
        gm(np.ones(60000, half), "RowMajor<bfloat16_t>(100,300,batch=2)"),
    ], {}),
}  # fmt: skip
"""The recorded kernels that are written in Python too, with their arguments."""


DIFFERING = {"bias": [("blockLen", 3, 16)] * 2}
"""Parameters that differ: CATLASS copies 256 of a bias where 44 are left."""


def _in_the_checkout(name: str) -> bool:
    return (HERE / f"{name}.jsonl.gz").exists()


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if _in_the_checkout(n) else pytest.mark.slow) for n in RECORDED],
)
def test_a_kernel_issues_the_instructions_of_catlass(name: str) -> None:
    folder = HERE if _in_the_checkout(name) else SHARED
    if folder is None:
        pytest.skip("this trace is not in the checkout")
    path = folder / f"{name}.jsonl.gz"
    written, arrays, options = RECORDED[name]
    run = simulate(written, *arrays, cores=2, checks=(), **options)
    cores = {i.core for i in run.program.instructions}
    theirs = [i for i in read_trace(path) if i.core in cores]
    assert len(run.program.instructions) == len(theirs)
    differing = []
    for ours, other in zip(run.program.instructions, theirs, strict=True):
        params = {key: x for key, x in other.params.items() if key != "id_uninitialised"}
        operands = {key: x._replace(buffer=None) for key, x in ours.operands.items()}
        assert (*ours[:3], operands) == other[:4], (ours, other)
        assert ours.params.keys() == params.keys(), (ours.site, other.site)
        differing += [(key, x, params[key]) for key, x in ours.params.items() if x != params[key]]
    assert differing == DIFFERING.get(name, [])


def test_the_document_lists_the_recorded_kernels_that_are_equal_and_those_that_differ() -> None:
    text = (HERE.parents[2] / "docs" / "kernel_machine.md").read_text("utf-8")
    section = text.partition("## Recorded kernels")[2].partition("\n## ")[0]
    equal = set(re.findall(r"`(\w+)`", section.partition("The others differ")[0])) - {"blocks"}
    differ = set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE))
    assert equal - {"flash_attention"} == RECORDED.keys() - DIFFERING.keys()  # see test_programs
    assert differ >= DIFFERING.keys()
    if SHARED is not None:
        names = {entry["name"] for entry in entries(SHARED)}
        assert equal | differ == names, (equal | differ) ^ names


@over("row", rows("catlass_tla.jsonl", "block_mmad_trace"), str)
def test_a_block_copies_and_multiplies_as_catlass_does(row: dict[str, Any]) -> None:
    l1, (top, left), (height, width, k) = row["l1"], row["block_origin"], row["actual"]

    def body(ctx: Context, a: KernelTensor, b: KernelTensor, c: KernelTensor) -> None:
        policy = row["policy"].replace("ARCH,", "")
        with block_mmad(ctx, policy, a, b, c, l1, [*l1[:2], row["l0k"]]) as block:
            rows, columns = (
                tla.get_tile(a, (top, 0), (height, k)),
                tla.get_tile(b, (0, left), (k, width)),
            )
            block(rows, columns, tla.get_tile(c, (top, left), (height, width)))

    m, n, _ = row["problem"]
    orders = ["F" if row[key] == "ColumnMajor" else "C" for key in ("layoutA", "layoutB")]
    a, b = np.zeros((m, k), half, order=any_(orders[0])), np.zeros((k, n), half, order=any_(orders[1]))
    arch = {2201: "AtlasA2", 3510: "Ascend950"}[row["arch"]]
    run = simulate(kernel(arch, core="AIC")(body), a, b, np.zeros((m, n), half), cores=1, checks=())
    letters = {"MTE2": "G", "MTE1": "L", "M": "M", "FIX": "F"}
    issued = [i for i in run.program.instructions if i.operands.keys() >= {"dst"} and i.pipe in letters]
    counts = Counter(letters[i.pipe] for i in issued)
    names = {"G": "gm_l1_copies", "L": "l1_l0_loads", "M": "mmads", "F": "fixpipes"}
    assert counts == {letter: row[name] for letter, name in names.items()}
    assert re.sub("L+", "L", "".join(letters[i.pipe] for i in issued)) == row["sequence"]
    products = [i.params for i in issued if i.pipe == "M"]
    assert [[p[x] for x in ("m", "n", "k", "cmatrixInitVal")] for p in products] == row["mmad_mnk_init"]


# --- products


SMALL: Any = {"l1": (16, 16, 32), "l0": (16, 16, 16)}


def test_an_epilogue_far_behind_its_product() -> None:
    """Of 16 blocks the cube core may be ahead by as many sets as the reverse flag allows."""
    a, b, d = _ones(64, 64, 16)
    for depth, kinds in ((15, []), (16, ["counter"])):
        run = simulate(matmul_add, a, b, d, depth=depth, length=1024, **SMALL)
        assert [finding.kind for finding in run.findings] == kinds
        assert (run.d == 16).all()


def test_tiles_of_l0_that_are_parts_of_rows_and_columns_meet_in_k() -> None:
    def body(ctx: Context, a: KernelTensor, b: KernelTensor, c: KernelTensor) -> None:
        l1a, l1b = ctx.alloc("L1", a, (32, 32)), ctx.alloc("L1", b, (32, 64))
        l0a, l0b = ctx.alloc("L0A", a, (16, 16)), ctx.alloc("L0B", b, (16, 32))
        l0c = ctx.alloc("L0C", "float", (16, 32))
        ctx.copy_gm_to_l1(l1a, a)
        ctx.copy_gm_to_l1(l1b, b)
        for m, n, k in itertools.product((0, 16), (0, 32), (0, 16)):
            ctx.pipe_barrier()
            ctx.copy_l1_to_l0a(l0a, tla.get_tile(l1a, (m, k), (16, 16)))
            ctx.copy_l1_to_l0b(l0b, tla.get_tile(l1b, (wrong or k, n), (16, 32)))
            ctx.pipe_barrier()
            ctx.mmad(l0c, l0a, l0b, 16, 32, 16, init_c=not k)
            ctx.pipe_barrier()
            if k:
                ctx.copy_l0c_to_gm(tla.get_tile(c, (m, n), (16, 32)), l0c)

    rng = np.random.default_rng(0)
    for order in ("C", "F"):
        a, b = (np.asarray(rng.integers(-3, 4, (32, n)), half, order=any_(order)) for n in (32, 64))
        for wrong, kinds in ((0, set[str]()), (16, {"provenance"})):
            run = simulate(kernel("AtlasA2", core="AIC")(body), a, b, np.zeros((32, 64), half))
            assert {finding.kind for finding in run.findings} == kinds
            assert np.array_equal(run.c, a @ b) == (not wrong)


@pytest.mark.slow
def test_clean_products() -> None:
    shapes = [(1, 40, 70), (33, 17, 7), (40, 48, 96)]
    for (m, n, k), stages, unit_flag in itertools.product(shapes, (1, 2, 3), ("true", "false")):
        options: Any = {"policy": f"MmadPingpong<{unit_flag},false,1,false,{stages},{stages}>", **SMALL}
        for written in (matmul, matmul.on("Ascend950")):
            run = simulate(written, *_ones(m, n, k), cores=2, **options)
            assert run.findings == ()
            assert (run.c == k).all()
    for splitk in (1, 2, 3):
        assert simulate(splitk_matmul, *_ones(40, 48, 96), splitk=splitk, **SMALL).findings == ()


def test_groups_of_rows_and_an_empty_one() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 4, (70, 40)).astype(half), rng.integers(-3, 4, (4, 40, 50)).astype(half)
    ends = np.array([0, 30, 30, 70])
    batch = gm(b.reshape(-1), "RowMajor<half>(40,50,batch=4)")
    tiles: Any = {"l1": (32, 32, 32), "l0": (32, 32, 16)}
    run = simulate(grouped_matmul_slice_m, ends, a, batch, np.zeros((70, 50), half), cores=2, **tiles)
    assert np.array_equal(run["C"], np.concatenate([a[:30] @ b[1], a[30:] @ b[3]]))
    assert run.findings == ()


@pytest.mark.parametrize(
    "policy", ["MmadAtlasA2PreloadAsyncWithCallback<1,2,2,2,1,false,true>", "Pingpong"]
)
def test_sums_are_scaled_by_row_and_column(policy: str) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-5, 6, (75, 70), np.int8), rng.integers(-5, 6, (70, 90), np.int8)
    scale, tokens = 2.0 ** rng.integers(-3, 3, 90), 2.0 ** rng.integers(-3, 3, 75)
    vectors = scale.astype(half), tokens.astype(half)
    tiles: Any = {"l1": (32, 64, 32), "l0": (32, 64, 32), "tile": (16, 32), "policy": policy}
    run = simulate(quant_matmul, a, b, *vectors, np.zeros((75, 90), half), cores=2, orders=3, **tiles)
    sums = a.astype(int) @ b.astype(int)
    assert np.array_equal(run["D"], (sums * scale * tokens[:, None]).astype(half))
    assert run.findings == ()


# --- a kernel of one's own


@kernel("AtlasA2", core="AIV")
def scaled(ctx: Context, X: KernelTensor, Y: KernelTensor, by: float = 2.0) -> None:  # noqa: N803
    """Each vector core multiplies every other row."""
    x = ctx.alloc("UB", X, (1, 64), 2)
    ctx.set_flag("MTE3_MTE2", 0)
    ctx.set_flag("MTE3_MTE2", 1)
    for turn, row in enumerate(range(ctx.block_idx, X.shape[0], ctx.block_num)):
        at = turn % 2
        ctx.wait_flag("MTE3_MTE2", at)
        ctx.copy_gm_to_ub(x[at], tla.tile_view(X, (row, 0), (1, 64)))
        ctx.set_flag("MTE2_V", at)
        ctx.wait_flag("MTE2_V", at)
        ctx.muls(x[at], x[at], by, 64)
        ctx.set_flag("V_MTE3", at)
        ctx.wait_flag("V_MTE3", at)
        ctx.copy_ub_to_gm(tla.tile_view(Y, (row, 0), (1, 64)), x[at])
        ctx.set_flag("MTE3_MTE2", at)
    ctx.wait_flag("MTE3_MTE2", 0)
    ctx.wait_flag("MTE3_MTE2", 1)


X = np.arange(9 * 64, dtype=np.float32).reshape(9, 64)


def _scaled(**options: Any) -> Run:
    return simulate(scaled, X, np.zeros_like(X), cores=2, **options)


def _line(word: str, number: int = 0) -> str:
    """The place of a line of `scaled`, by what it says."""
    import inspect

    lines, first = inspect.getsourcelines(scaled.function)
    found = [first + i for i, line in enumerate(lines) if word in line]
    return f"test_kernels_written.py:{found[number]}"


def test_a_kernel_of_ones_own_runs() -> None:
    run = _scaled(orders=5)
    assert np.array_equal(run["Y"], 2 * X)
    assert run.findings == ()
    assert np.array_equal(_scaled(by=-3.0)["Y"], -3 * X)
    with pytest.raises(ArgumentError, match="no tensor 'Z'"):
        _ = run["Z"]


@pytest.mark.parametrize(
    ("word", "number", "kind"),
    [
        ('wait_flag("MTE2_V"', 0, "RAW"),
        ('wait_flag("V_MTE3"', 0, "RAW"),
        ('wait_flag("MTE3_MTE2"', 0, "WAR"),
        ('set_flag("MTE2_V"', 0, "deadlock"),
    ],
)
def test_a_missing_line_is_found_with_both_lines(word: str, number: int, kind: str) -> None:
    run = _scaled(drop=_line(word, number))
    (found,) = [f for f in run.findings if f.kind == kind][:1]
    places = [place.site for place in found.at]
    assert all(re.search(r"test_kernels_written\.py:\d+$", place) for place in places), places
    if kind == "RAW":
        lines = ("copy_gm_to_ub", "muls") if "MTE2" in word else ("muls", "copy_ub_to_gm")
        assert [p.rpartition("/")[2] for p in places] == [_line(x) for x in lines]


def test_lines_are_those_of_the_block_and_of_its_caller() -> None:
    instructions = simulate(matmul, *_ones(16, 16, 16), checks=()).program.instructions
    (product,) = [i for i in instructions if i.op == "Mmad"]
    assert re.fullmatch(r"tla/ascend/kernels/blocks/mmad\.py:\d+", product.site)
    assert re.fullmatch(r"tla/ascend/kernels/blocks/pingpong\.py:\d+", product.via)


# --- words


def _one_core(body: Any, *arrays: Any, arch: Any = "AtlasA2", core: Any = "AIV", **options: Any) -> Run:
    return simulate(kernel(arch, core=core)(body), *arrays, **options)


def test_repeats_have_masks_and_strides() -> None:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        a, b = ctx.alloc("UB", x, (8, 64), 2)
        ctx.copy_gm_to_ub(a, x)
        ctx.copy_gm_to_ub(b, y)
        ctx.set_flag("MTE2_V", 0)
        ctx.wait_flag("MTE2_V", 0)
        ctx.add(b, a, a, mask=5, repeat=4, dstRepStride=16, src0RepStride=16, src1RepStride=8)
        ctx.pipe_barrier("V")
        ctx.set_vector_mask(0, 0b110)
        ctx.adds(b, b, 1000, repeat=8)
        ctx.reset_mask()
        ctx.set_flag("V_MTE3", 0)
        ctx.wait_flag("V_MTE3", 0)
        ctx.copy_ub_to_gm(y, b)

    x, y = np.arange(512, dtype=np.float32).reshape(8, 64), np.full((8, 64), -1, np.float32)
    run = _one_core(body, x, y)
    for repeat in range(4):
        y[2 * repeat, :5] = x[2 * repeat, :5] + x[repeat, :5]
    y[:, 1:3] += 1000
    assert np.array_equal(run["y"], y)
    assert run.findings == ()


def test_atomics_add_and_scalars_are_read() -> None:
    def body(ctx: Context, counts: KernelTensor, x: KernelTensor, y: KernelTensor) -> None:
        ub = ctx.alloc("UB", x, (64,))
        ctx.copy_gm_to_ub(ub, x)
        ctx.set_flag("MTE2_MTE3", 0)
        ctx.wait_flag("MTE2_MTE3", 0)
        ctx.set_atomic_add(y)
        for _ in range(ctx.get_value(counts, 2)):
            ctx.data_copy(y, ub, 64)
        ctx.set_atomic_none()

    x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
    run = _one_core(body, np.array([9, 9, 3], np.int32), x, y, cores=2)
    assert np.array_equal(run["y"], 1 + 6 * x)
    assert [f.kind for f in run.findings] == []


def test_casts_and_lane_words() -> None:
    words = ("sub", "mul", "max", "min")
    single = ("exp", "ln", "abs", "sqrt", "relu")
    scalars = ("muls", "maxs", "mins", "axpy")

    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        a, b, c = ctx.alloc("UB", "float", (256,), 3)
        narrow = ctx.alloc("UB", "half", (256,))
        ctx.copy_gm_to_ub(a, x)
        ctx.pipe_barrier()
        ctx.duplicate(b, 3.0, 256)
        for word in words:
            ctx.pipe_barrier("V")
            getattr(ctx, word)(b, b, a, 256)
        for word in single:
            ctx.pipe_barrier("V")
            getattr(ctx, word)(c, b, 256)
        for word in scalars:
            ctx.pipe_barrier("V")
            getattr(ctx, word)(b, a, 2.0, 256)
        ctx.pipe_barrier("V")
        ctx.div(b, b, a, 256)
        ctx.pipe_barrier("V")
        ctx.cast(narrow, b, "CAST_RINT", 256)
        ctx.pipe_barrier()
        ctx.copy_ub_to_gm(y, narrow)

    x = np.arange(1, 257, dtype=np.float32)
    run = _one_core(body, x, np.zeros(256, half))
    expected = (np.minimum(x, 2) + 2 * x) / x
    assert np.array_equal(run["y"], expected.astype(half))
    assert run.findings == ()


@pytest.mark.parametrize(("rows", "kinds"), [(1, ["never written"]), (16, [])])
def test_a_product_of_one_row_says_that_it_reads_a_vector(rows: int, kinds: list[str]) -> None:
    def body(ctx: Context, a: KernelTensor, b: KernelTensor, c: KernelTensor) -> None:
        l1a, l1b = ctx.alloc("L1", a, (1, 64)), ctx.alloc("L1", b, (64, 32))
        l0a, l0b = ctx.alloc("L0A", a, (1, 64)), ctx.alloc("L0B", b, (64, 32))
        l0c = ctx.alloc("L0C", "float", (1, 32))
        ctx.copy_gm_to_l1(l1a, a)
        ctx.copy_gm_to_l1(l1b, b)
        ctx.pipe_barrier()
        ctx.copy_l1_to_l0a(l0a, l1a)
        ctx.copy_l1_to_l0b(l0b, l1b)
        ctx.pipe_barrier()
        ctx.mmad(l0c, l0a, l0b, rows, 32, 64)
        ctx.pipe_barrier()
        ctx.copy_l0c_to_gm(c, l0c)

    run = _one_core(body, *_ones(1, 32, 64), core="AIC")
    assert [finding.kind for finding in run.findings] == kinds
    assert all("with m = 1 it reads A as a vector" in finding.text for finding in run.findings)
    assert bool((run.c == 64).all()) == (rows == 16)


def test_products_have_a_bias() -> None:
    def body(
        ctx: Context, a: KernelTensor, b: KernelTensor, bias: KernelTensor, c: KernelTensor
    ) -> None:
        l1a, l1b, l1c = (
            ctx.alloc("L1", a, (16, 32)),
            ctx.alloc("L1", b, (32, 16)),
            ctx.alloc("L1", bias, (32,)),
        )
        l0a, l0b = ctx.alloc("L0A", a, (16, 32)), ctx.alloc("L0B", b, (32, 16))
        sums, table = ctx.alloc("L0C", "float", (16, 16)), ctx.alloc("BT", "float", (32,))
        for to, x in ((l1a, a), (l1b, b), (l1c, bias)):
            ctx.copy_gm_to_l1(to, x)
        ctx.set_flag("MTE2_MTE1", 0)
        ctx.wait_flag("MTE2_MTE1", 0)
        ctx.copy_l1_to_l0a(l0a, l1a)
        ctx.copy_l1_to_l0b(l0b, l1b)
        ctx.copy_l1_to_bt(table, l1c)
        ctx.set_flag("MTE1_M", 0)
        ctx.wait_flag("MTE1_M", 0)
        ctx.tile_mmad(sums, l0a, l0b, 16, 16, 32, bias=table)
        ctx.set_flag("M_FIX", 0)
        ctx.wait_flag("M_FIX", 0)
        ctx.copy_l0c_to_gm(c, sums)

    a, b = np.ones((16, 32), half), np.ones((32, 16), half)
    bias = np.arange(32, dtype=half)
    for arch in ("AtlasA2", "Ascend950"):
        run = _one_core(body, a, b, bias, np.zeros((16, 16), half), arch=arch, core="AIC")
        assert np.array_equal(run["c"], np.tile(32 + bias[:16], (16, 1))), arch
        assert run.findings == (), arch


# --- bad input


def test_arrays_of_another_shape_are_both_said() -> None:
    a, b, c = _ones(16, 16, 32)
    with pytest.raises(CongruenceError, match=r"A is 16 by 32, B is 16 by 16, and C is 16 by 16"):
        simulate(matmul, a, b[:16], c)
    with pytest.raises(UnsupportedError, match=r"half.*int8_t"):
        simulate(matmul, a, b.astype(np.int8), c)
    with pytest.raises(LayoutError, match=r"x has the shape \(2, 2, 2\)"):
        _one_core(lambda ctx, x: None, np.zeros((2, 2, 2)))
    with pytest.raises(KindError, match="A is no array of numpy"):
        simulate(matmul, "a", b, c)
    with pytest.raises(ArgumentError, match="matmul takes 3 arrays, not 2"):
        simulate(matmul, a, b)
    with pytest.raises(ArgumentError, match="tile"):
        simulate(matmul, a, b, c, tile=3)
    with pytest.raises(KindError, match="expected a kernel"):
        simulate(any_(print), a)
    with pytest.raises(ArgumentError, match="cores = 0"):
        simulate(matmul, a, b, c, cores=0)
    with pytest.raises(ArgumentError, match=r"no instruction 'matmul.py:9999'"):
        simulate(matmul, a, b, c, drop="matmul.py:9999")
    with pytest.raises(CongruenceError, match="takes 2048 bytes, and the memory has 4"):
        gm(np.zeros(2, half), "zN<half>(20,20)")


def test_some_blocks_of_many() -> None:
    a, b = np.ones((64, 32), half), np.ones((32, 64), half)
    tiles: Any = {"l1": (32, 32, 32), "l0": (32, 32, 32), "swizzle": "GemmIdentityBlockSwizzle<1,0>"}
    run = simulate(matmul, a, b, np.zeros((64, 64), half), cores=4, only=(3,), **tiles)
    assert run.program.cores == ["AIC3"]
    assert np.count_nonzero(run["C"]) == 32 * 32
    assert run.findings == ()
    for none in ((), (4,), (-1, 0)):
        with pytest.raises(ArgumentError, match="the blocks are 0 to 3, and one at least is to run"):
            simulate(matmul, a, b, b, cores=4, only=none, **tiles)


def test_an_exception_names_the_core_and_the_step() -> None:
    def body(ctx: Context, x: KernelTensor) -> None:
        ctx.set_flag("V_MTE3", 0)
        if ctx.block_idx == 1:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError) as caught:
        _one_core(body, np.zeros(8), cores=2)
    (note,) = caught.value.__notes__
    assert re.fullmatch(
        r"in kernel body on AIV1, block 1 of 2, at .*written\.py:\d+, step 1,"
        r" after AIV1 SetFlag<V_MTE3>\(0\)",
        note,
    )


def test_an_interrupt_says_where_the_kernel_was() -> None:
    def body(ctx: Context, x: KernelTensor) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        _one_core(body, np.zeros(8))
    assert "on AIV0, block 0 of 1" in caught.value.__notes__[0]


def test_a_run_says_how_far_it_is_and_has_its_tensors_by_name() -> None:
    told: list[tuple[int, int]] = []
    a, b, c = _ones(128, 128, 128)
    run = simulate(
        matmul, a, b, c, l1=(32, 32, 32), l0=(32, 32, 32), orders=3,
        progress=lambda *at: told.append(at),
    )  # fmt: skip
    assert run.c is run["C"]
    assert (run.c == 128).all()
    with pytest.raises(AttributeError, match="no 'd', and the kernel no such tensor"):
        _ = run.d
    done, whole = zip(*told, strict=True)
    assert list(done) == sorted(done)
    assert {*whole} == {5 * len(run.program.instructions)}
    assert done[-1] <= whole[0]


def test_an_endless_kernel_is_stopped() -> None:
    def body(ctx: Context, x: KernelTensor) -> None:
        while True:
            ctx.set_flag("V_MTE3", 0)

    with tla.limits(instructions=100), pytest.raises(LimitError, match="100 instructions, and goes on"):
        _one_core(body, np.zeros(8))


def test_what_the_architecture_lacks() -> None:
    ctx = tla.ascend.kernels.Context("AtlasA2", "AIV0", 1)
    with pytest.raises(UnsupportedError, match="AIV0 has no L1"):
        ctx.alloc("L1", "half", (16, 16))
    with pytest.raises(CapacityError, match="UB of AtlasA2 has 196608"):
        ctx.alloc("UB", "float", (1 << 20,))
    with pytest.raises(ArgumentError, match="no event 'MTE2_MTE9'"):
        ctx.set_flag(any_("MTE2_MTE9"), 0)
    with pytest.raises(UnsupportedError, match="no pipe 'MTE9'"):
        ctx.pipe_barrier(any_("MTE9"))
    with pytest.raises(KindError, match="the id of a flag is an int"):
        ctx.set_flag("MTE2_V", any_("0"))
    with pytest.raises(UnsupportedError, match="architecture"):
        kernel("A2")
    with pytest.raises(ArgumentError, match="no core 'CUBE'"):
        kernel("AtlasA2", core=any_("CUBE"))
    with pytest.raises(AttributeError, match=r"^a core has no word 'SetFlag'. Did you mean set_flag\?$"):
        ctx.SetFlag("MTE2_V", 0)
    tile = ctx.alloc("UB", "half", (16,))
    with pytest.raises(UnsupportedError, match="no rounding mode 'RINT'"):
        ctx.cast(tile, tile, "RINT", 16)
    with pytest.raises(KindError, match="a copy UB->GM is given UB->UB"):
        ctx.copy_ub_to_gm(tile, tile)
    with pytest.raises(KindError, match="matmul is called with the context of a core"):
        matmul(any_(X), X, X, X)
    with pytest.raises(KindError, match="kernel takes the architecture first"):
        kernel(any_(lambda ctx: None))
    ctx.cross_core_set_flag(0)
    assert ctx.instructions[-1].pipe == "MTE3"
    cube = tla.ascend.kernels.Context("AtlasA2", "AIC0", 1)
    l1 = cube.alloc("L1", "half", (16, 16))
    with pytest.raises(KindError, match="a copy GM->L1 is given L1->L1"):
        cube.copy_gm_to_l1(l1, l1)
    with pytest.raises(LayoutError, match="L1 and L0 differ"):
        simulate(matmul, *_ones(64, 64, 64), l1=(64, 64, 64), l0=(32, 64, 64))
    with pytest.raises(UnsupportedError, match="MmadPingpongSymmLeft is not written"):
        simulate(matmul, *_ones(64, 64, 64), policy="MmadPingpongSymmLeft")
    with pytest.raises(LayoutError, match="K has 1 tiles of 256, and is cut into 3 slices"):
        simulate(splitk_matmul, *_ones(64, 64, 64), splitk=3)
