"""Scales and epilogues of plans: their bytes in UB and FB, their copies, their halves of a block."""

from __future__ import annotations

from itertools import groupby
from random import Random
from typing import Any

import pytest
from cases import share

from tla import KindError, LayoutError, TlaError, UnsupportedError
from tla.ascend import EPILOGUES, Epilogue, Plan, epilogue, gemm, grouped, make_layout
from tla.ascend.copies import gm_to_ub, ub_to_gm
from tla.ascend.schedules import prove
from tla.ascend.schedules.cover import box


def random_epilogue(rng: Random) -> Epilogue:
    """An epilogue of any kind, with any tile and types."""
    name = rng.choice((*EPILOGUES, "evg"))
    nodes = ("acc_load", "aux_load", "compute")[: rng.randint(1, 3)] if name == "evg" else ()
    tile = (rng.randint(1, 300), rng.choice((rng.randint(1, 300), 32 * rng.randint(1, 12))))
    stages = rng.randint(1, 3) if name == "evg" or EPILOGUES[name].stages else None
    out = rng.choice(("half", "bfloat16_t", "float"))
    scale = rng.choice((None, "float"))
    return epilogue(name, tile, stages=stages, out=out, scale=scale, nodes=nodes)


def test_slots_have_bytes_of_their_own_and_boxes_cover_a_block() -> None:
    rng = Random(2)
    for _ in range(share(300)):
        how = random_epilogue(rng)
        assert eval(repr(how), {"epilogue": epilogue}) == how
        for arch in ("AtlasA2", "Ascend950"):
            found = how.footprint(arch)
            assert not found.overlaps
            assert found.needed == found.counted == sum(s.end - s.start for s in found.stages)
        rows, columns = rng.randint(1, 300), rng.randint(1, 300)
        boxes = [
            box((*start, 0), (*shape, 1), core) for core, start, shape in how.boxes((rows, columns))
        ]
        assert prove((rows, columns, 1), boxes).points == rows * columns


def test_instructions_are_those_of_the_kernels() -> None:
    """Of the kernels that run: what a vector core issues between its copies."""
    np = pytest.importorskip("numpy")
    from tla.ascend.kernels import blocks, simulate

    a = np.ones((32, 32), np.float16)
    tokens = np.ones(32, np.float16)
    shapes: dict[str, Any] = {"l1": (32, 32, 32), "l0": (32, 32, 32), "cores": 1}
    runs = {
        name: simulate(blocks.matmul_activation, a, a, a, activation=what, **shapes)
        for name, what in (("silu", blocks.silu), ("gelu", blocks.gelu))
    }
    runs["add"] = simulate(blocks.matmul_add, a, a, a, **shapes)
    b = a.astype(np.int8)
    runs["per_token_dequant"] = simulate(
        blocks.quant_matmul, b, b, tokens, tokens, a, tile=(32, 64), **shapes
    )
    for name, run in runs.items():
        found = [x.op for x in run.program.instructions if x.core == "AIV0" and x.pipe == "V"]
        issued = [op for op in found if not op.endswith(("Flag", "Barrier"))]
        assert [op for op, _ in groupby(issued)] == [op for op, _ in groupby(EPILOGUES[name].steps)]


def test_copies_of_rows_move_each_element_to_its_place() -> None:
    rng = Random(3)
    for _ in range(share(100)):
        of = rng.choice(("int8_t", "half", "float"))
        block = {"int8_t": 32, "half": 16, "float": 8}[of]
        rows, columns = rng.randint(1, 12), rng.randint(1, 40)
        m, n = rows + rng.randint(0, 5), columns + rng.randint(0, 20)
        at = (rng.randint(0, m - rows), rng.randint(0, n - columns))
        wide = block * (-(-columns // block) + rng.randint(0, 2))
        matrix = make_layout(of, "RowMajor", m, n)
        inside = make_layout(of, "RowMajor", rows, wide)
        more: dict[str, Any] = {"arch": "AtlasA2", "element": of, "tile": (rows, columns), "at": at}
        assert gm_to_ub(matrix, inside, **more).proof().elements == rows * columns
        proof = ub_to_gm(inside, matrix, **more).proof()
        assert (proof.elements, proof.padding, proof.spill) == (rows * columns, 0, 0)


@pytest.mark.parametrize(
    ("plan", "bytes_"),
    [
        # example 12: C of int32_t, a scale of each row and column, tiles of 32 x 256 in two stages
        (
            gemm(
                "AtlasA2", (1024, 1024, 1024), "int8_t,int8_t,half", "RowMajor,ColumnMajor",
                "128,256,512", "128,256,128",
                "MmadAtlasA2PreloadAsyncWithCallback<1,2,2,2,1,false,true>", scale="token",
            ),
            {"L1": 393216, "L0C": 131072, "UB": 167168},
        ),
        # example 48: a scale of each channel on the way out of L0C
        (
            grouped(
                "Ascend950", (2048, 1024, 512), (512, 1536), "int8_t,int8_t,half", "RowMajor",
                "256,256,256", "256,256,64", "MmadDequant<Arch::Ascend950,true>", "aswt",
                scale="channel", cores=32,
            ),
            {"L1": 264192, "L0C": 262144, "FB": 2048},
        ),
        # example 52: k in slices, and then a scale of each row and column
        (
            gemm(
                "AtlasA2", (256, 512, 8192), "int8_t,int8_t,bfloat16_t", "RowMajor,ColumnMajor",
                "128,256,512", "128,256,128", "MmadPingpong<Arch::AtlasA2,true>", "splitk<3,0>",
                epilogue=epilogue("per_token_dequant", out="bfloat16_t", scale="float"),
            ),
            {"L1": 393216, "L0C": 131072, "UB": 167168},
        ),
    ],
    ids=["12", "48", "52"],
)  # fmt: skip
def test_the_tilings_of_quantised_examples_are_legal(plan: Plan, bytes_: dict[str, int]) -> None:
    report = plan.check()
    assert report.ok, str(report)
    of_rules = {f.buffer: f.needed for f in report.checks if f.rule.endswith("capacity")}
    assert bytes_.items() <= of_rules.items()
    assert plan.schedule().proof().points == plan.problem.m * plan.problem.n * plan.problem.k
    assert eval(repr(plan), {"gemm": gemm, "grouped": grouped, "epilogue": epilogue}) == plan


ASK = ("AtlasA2", (512, 512, 512), "int8_t")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: gemm(*ASK, scale="chanel"), UnsupportedError, "Did you mean channel"),
        (lambda: gemm(*ASK, scale=("channel", (511,))), LayoutError, r"one by channel has \(512,\)"),
        (lambda: gemm(*ASK, scale=("token", (512, 2))), LayoutError, r"shape \(512, 2\): one by token"),
        (lambda: gemm(*ASK, scale=("tensor", (3,))), LayoutError, r"has \(\), a number for all"),
        (lambda: gemm(*ASK, scale=(3, 3)), KindError, "a scale is a kind and a shape, not"),
        (lambda: gemm(*ASK, epilogue="ad"), UnsupportedError, "Did you mean add"),
        (lambda: epilogue("relu", 9), UnsupportedError, "no epilogue"),
        (lambda: epilogue("add", 9, stages=2), LayoutError, "(?s)add has no stages.*per_token_dequant"),
        (lambda: epilogue("add", 9, nodes=("cast",)), LayoutError, "add has no nodes"),
        (lambda: epilogue("add", 0), LayoutError, "at least 1, not"),
        (lambda: epilogue("per_token_dequant", stages=0), LayoutError, "at least one stage, not 0"),
        (lambda: epilogue("evg", nodes=("load",)), UnsupportedError, "'load' is no node of a tree"),
        (lambda: epilogue("evg"), UnsupportedError, "an EVG has at least one node"),
    ],
)  # fmt: skip
def test_bad_input(call: Any, error: type[TlaError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("plan", "rule", "words", "numbers"),
    [
        (gemm(*ASK, scale="channel"), "scale", "has no scale by channel on AtlasA2", (None, None)),
        (
            gemm("Ascend950", (64, 64, 64), "half", policy="MmadPingpong", scale="tensor"),
            "scale", "MmadPingpong has no scale by tensor on Ascend950", (None, None),
        ),
        (
            gemm("Ascend950", (64, 64, 64), "int8_t,int8_t,int32_t", scale="tensor"),
            "copy of C to GM", "makes no int32_t of int32_t with a scale by tensor", (None, None),
        ),
        (
            gemm("AtlasA2", (64, 4096, 64), "int4b_t,int4b_t,half", l1="16,1024,64", scale="channel"),
            "FB capacity", "1024 scales of 8 bytes", (8192, 7168),
        ),
        (
            gemm(*ASK, scale="token", epilogue=epilogue("per_token_dequant", (64, 256), out="half")),
            "UB capacity", "2 of C, 2 of scale", (332288, 196608),
        ),
        (
            gemm("AtlasA2", (512, 512, 512), "half", epilogue=epilogue("add", 65536)),
            "UB capacity", "1 of C, 1 of X, 1 of D, need 393216", (393216, 196608),
        ),
        (
            gemm("AtlasA2", (512, 512, 512), "half", epilogue=epilogue("add", 4096)),
            "epilogue tile", "half a block, 64 x 256, takes 16384 elements of the 4096", (16384, 4096),
        ),
        (
            gemm("Ascend950", (512, 512, 512), "half", epilogue=epilogue("add", 16384)),
            "epilogue", "made for 2201; Ascend950 runs 3510", (None, None),
        ),
        (
            gemm(*ASK, epilogue=epilogue("per_token_dequant", (32, 100))),
            "epilogue tile", "a row of 100 int32_t is not whole blocks of 32 bytes", (None, None),
        ),
        (
            gemm(*ASK, epilogue=epilogue("per_token_dequant", out="half", token="float", scale="half")),
            "epilogue types", "scales of half and float: both are of float, or of half", (None, None),
        ),
        (
            gemm(*ASK, epilogue=epilogue("per_token_dequant", (16, 64), stages=5)),
            "UB events MTE2", "15 slots and stages hold an event id each", (15, 8),
        ),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_words_and_bytes(
    plan: Plan, rule: str, words: str, numbers: tuple[int | None, int | None]
) -> None:
    found = [finding for finding in plan.check().errors if finding.rule == rule]
    assert len(found) == 1
    assert words in found[0].text
    assert numbers in ((found[0].needed, found[0].available), (None, None))


def test_what_the_compiler_says_of_a_tile_in_ub() -> None:
    """A tile that passes CATLASS's assertion may not pass ours: it counts no compute buffer of D."""
    plan = gemm(*ASK, epilogue=epilogue("per_token_dequant", (64, 256)))
    assert plan.check().catlass == ("TileShape is too large to fit in UB",)
    plan = gemm("AtlasA2", (512, 512, 512), "half", epilogue=epilogue("gelu", 19660))
    assert "UB out of bounds" not in plan.check().catlass
    plan = gemm("AtlasA2", (512, 512, 512), "half", epilogue=epilogue("gelu", 19661))
    assert plan.check().catlass == ("UB out of bounds",)
    tree = epilogue("evg", 10568, out="float", nodes=("acc_load", "aux_load", "compute"))
    plan = gemm("Ascend950", (512, 512, 512), "float", epilogue=tree)
    assert plan.check().catlass == ("COMPUTE_LENGTH must be divisible by BYTE_PER_C0",)
