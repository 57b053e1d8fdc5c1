"""Plans of several products: groups of M and of K, batches, lists; what they refuse, and how."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any, Literal

import pytest
from cases import share

from tla import KindError, LayoutError, LimitError, TlaError, UnsupportedError
from tla.ascend import Plan, batched, gemm, grouped


def random_plan(rng: Random) -> Plan:
    """A plan of either core with groups of any kind, some empty."""
    arch = rng.choice(("AtlasA2", "Ascend950"))
    extents = [rng.choice((rng.randint(1, 2000), 16 * rng.randint(1, 120))) for _ in range(3)]
    tile = (rng.choice((64, 128)), rng.choice((128, 256)), rng.choice((128, 256)))
    order = rng.choice((None, "identity<2,1>", "aswt", "grouped_aswt<4>"))
    cores = rng.choice((None, 1, 7))
    kind = rng.choice(("m", "k", "batch", "list"))
    more: dict[str, Any] = {"swizzle": order, "cores": cores, "l1": tile}
    count = rng.randint(1, 6)
    if kind == "batch":
        return batched(arch, extents, count, **more)
    if kind == "list":
        problems = [[rng.randint(1, extent) for extent in extents] for _ in range(count)]
        return grouped(arch, None, problems, **more)
    axis: Literal["m", "k"] = "m" if kind == "m" else "k"
    whole = extents["mnk".index(axis)]
    cuts = [0, *sorted(rng.randint(0, whole) for _ in range(count - 1)), whole]
    sizes = [b - a for a, b in pairwise(cuts)]
    return grouped(arch, extents, sizes, axis=axis, **more)


def test_a_plan_that_is_legal_has_a_proven_schedule() -> None:
    """The report says whether there is a schedule; each element of each product is computed once."""
    rng, legal = Random(1), 0
    for _ in range(share(150)):
        plan = random_plan(rng)
        report = plan.check()
        broken = [f for f in report.errors if f.rule == "schedule of groups"]
        if broken:
            with pytest.raises(LayoutError) as caught:
                plan.schedule()
            assert broken[0].text == caught.value.summary
            continue
        legal += report.ok
        proof = plan.schedule().proof()
        assert proof.points == sum(m * n * k for m, n, k in plan.problems)
        assert plan.groups is not None
        assert plan.groups.ends[-1] == sum(plan.groups.sizes)
        again = eval(repr(plan), {"grouped": grouped, "batched": batched})
        assert again == plan == plan.replaced()
    assert legal > 10


def test_a_group_without_k_gets_zeros_of_the_kernels_that_fill_it() -> None:
    """GroupedMatmulSliceK fills C; the epilogue that scales by token fills D. No kernel, no zeros."""
    more: list[dict[str, Any]] = [{}, {"elements": "int8_t,int8_t,half", "scale": "token"}]
    for arch, given, severity, result in (
        ("AtlasA2", more[0], "holds", "C of group 1 is filled with zeros"),
        ("AtlasA2", more[1], "holds", "D of group 1 is filled with zeros"),
        ("Ascend950", more[0], "warning", "C of group 1 is left as it is"),
    ):
        report = grouped(arch, (64, 64, 128), (64, 0, 64), axis="k", **given).check()
        (found,) = [finding for finding in report.checks if finding.rule == "empty groups"]
        assert (found.severity, found.text.startswith(result)) == (severity, True)
    early = grouped(
        "AtlasA2", (64, 64, 128), (64, 0, 64), axis="k", policy="MmadAtlasA2Pingpong<false>", **more[1]
    )
    (found,) = [finding for finding in early.check().errors if finding.rule == "empty groups"]
    assert "read every later block too early" in found.text


def test_a_group_without_k_has_blocks_where_the_epilogue_fills_them() -> None:
    """As the kernels deal them out, whose traces are CATLASS's: the next group starts behind them."""
    for scale, cores in ((None, [0, 1]), ("token", [0, 1, 2])):
        plan = grouped("AtlasA2", (64, 64, 128), (64, 0, 64), "int8_t", axis="k", scale=scale)
        schedule = plan.schedule()
        assert [task.core for task in schedule.tasks] == cores
        assert schedule.proof().points == 64 * 64 * 128 == sum(schedule.balance().work)
        assert schedule.timeline() is not None
        assert schedule.l2_reuse("int8_t").read <= schedule.traffic("int8_t").read


def test_one_group_is_the_product() -> None:
    for arch in ("AtlasA2", "Ascend950"):
        alone = gemm(arch, (500, 300, 200))
        for plan in (grouped(arch, (500, 300, 200), [500]), batched(arch, (500, 300, 200), 1)):
            pairs = zip(plan.schedule().tasks, alone.schedule().tasks, strict=False)
            assert plan.l1 != alone.l1 or all(x == y for x, y in pairs)


@pytest.mark.parametrize(
    ("arch", "axis", "policy", "kernel"),
    [
        ("AtlasA2", "m", None, "GroupedMatmulSliceM<BlockMmad, BlockEpilogue, BlockScheduler, int64_t>"),
        ("AtlasA2", "k", None, "GroupedMatmulSliceK<BlockMmad, BlockEpilogue, BlockScheduler, int64_t>"),
        ("AtlasA2", "list", None, "GroupedMatmul<BlockMmad, BlockEpilogue, BlockScheduler>"),
        ("AtlasA2", "batch", "MmadAtlasA2Pingpong", "BatchedMatmul<"),
        ("Ascend950", "batch", None, "BatchedMatmulTla<"),
        ("Ascend950", "batch", "MmadPingpongTlaV2", "StridedBatchedMatmulTla<"),
        ("Ascend950", "m", None, "GroupedMatmulSliceMTla<"),
        ("Ascend950", "k", None, None),
    ],
)
def test_the_kernel_is_that_of_the_groups(
    arch: str, axis: str, policy: str | None, kernel: str | None
) -> None:
    problem = (512, 256, 512)
    if axis == "batch":
        plan = batched(arch, problem, 3, policy=policy)
    elif axis == "list":
        plan = grouped(arch, None, [problem, problem], policy=policy)
    else:
        plan = grouped(arch, problem, (256, 256), axis="m" if axis == "m" else "k", policy=policy)
    text = plan.emit_cpp()
    assert (f"Gemm::Kernel::{kernel}" in text) if kernel else "MatmulKernel" not in text


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: grouped("AtlasA2", (64, 64, 64), (30, 30)), LayoutError, "sum to 60: M is 64"),
        (
            lambda: grouped("AtlasA2", None, [(64, 64, 64)], axis="k"),
            LayoutError,
            "not divided along an",
        ),
        (lambda: grouped("AtlasA2", (64, 64, 64), (30, 64)), LayoutError, r"the sizes are \[30, 34\]"),
        (lambda: grouped("AtlasA2", (64, 64, 64), (-1, 65)), LayoutError, "of which -1 is negative"),
        (lambda: grouped("AtlasA2", (64, 64, 64), ()), LayoutError, "the groups, none, sum to 0"),
        (lambda: grouped("AtlasA2", (64, 64, 64), (8,) * 9), LayoutError, "8, ..., sum to 72"),
        (lambda: grouped("AtlasA2", (64, 64, 64), "64"), KindError, "a sequence of ints, not"),
        (lambda: grouped("AtlasA2", None, []), LayoutError, "a list of products has at least one"),
        (lambda: grouped("AtlasA2", None, [(0, 1, 1)]), LayoutError, "m = 0: an extent is at least 1"),
        (lambda: batched("AtlasA2", (64, 64, 64), 0), LayoutError, "at least 1 product, not 0"),
        (
            lambda: batched("AtlasA2", (64, 64, 64), 1 << 40),
            LimitError,
            "a plan of 1099511627776 products",
        ),
        (
            lambda: batched("AtlasA2", (64, 64, 64), 2).replaced(problem="1,1,1"),
            UnsupportedError,
            "keeps",
        ),
    ],
)
def test_bad_input(call: Any, error: type[TlaError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("plan", "rule", "words"),
    [
        (
            grouped("AtlasA2", (64, 64, 64), (32, 32), tags="ColumnMajor,RowMajor"),
            "groups",
            "takes each group of A as rows that follow one another, and in ColumnMajor the columns do",
        ),
        (
            grouped("AtlasA2", (64, 64, 64), (32, 32), tags="RowMajor,RowMajor", axis="k"),
            "groups",
            "each group of A as columns that follow one another, and in RowMajor the rows do",
        ),
        (
            grouped("Ascend950", (64, 64, 64), (30, 34), tags="zN,RowMajor"),
            "group starts of A",
            "A of group 1 starts at row 30 of zN, inside a fractal of 16",
        ),
        (
            grouped("AtlasA2", (64, 64, 64), (31, 33), "int4b_t", "RowMajor,nZ", axis="k"),
            "group starts of A",
            "A of group 1 starts at column 31 of int4b_t, inside a byte",
        ),
        (
            grouped("AtlasA2", (512, 256, 64), (256, 256), swizzle="splitk", l1="128,256,64"),
            "schedule of groups",
            "no kernel takes groups in the order of SplitkGemmIdentityBlockSwizzle",
        ),
        (
            grouped("Ascend950", (512, 256, 64), (128, 384), swizzle="aswt", l1="128,256,64", cores=8),
            "schedule of groups",
            "as if group 1 began at core 0, and it begins at core 1: tiles of C are lost",
        ),
        (
            grouped("Ascend950", (128, 256, 64), (128, 0), swizzle="aswt", l1="128,256,64", cores=8),
            "schedule of groups",
            "the last group, which is empty: they write past C",
        ),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_words(plan: Plan, rule: str, words: str) -> None:
    found = [finding.text for finding in plan.check().errors if finding.rule == rule]
    assert len(found) == 1
    assert words in found[0]
