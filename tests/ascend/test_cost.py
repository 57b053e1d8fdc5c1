"""The cost model: its laws, and its order against the times that CATLASS publishes.

Where the model is wrong stands in MISSES, with the reason.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import assume, example, given, strategies as st

from tla.ascend import Ascend950, AtlasA2, Estimate, element, estimate
from tla.ascend.plans.plan import Plan, gemm
from tla.ascend.shapes import GemmShape
from tla.ascend.tuning.bandwidth import row_efficiency, write_efficiency
from tla.ascend.tuning.cost import model
from tla.ascend.tuning.estimates import PIPES
from tla.ascend.tuning.pipes import START
from tla.errors import LayoutError, UnsupportedError

from .walked import work_by_walk

# --- published times ---


class Measured(NamedTuple):
    """A time that CATLASS publishes."""

    case: str
    plan: Plan
    microseconds: float


_GUIDE = "docs/en/1_Practice/11_matmul_optimization.md"
_ASWT = "docs/en/2_Design/01_kernel_design/05_aswt.md"
_FIXPIPE = "examples/46_ascend950_matmul_fixpipe_opti/46_ascend950_matmul_fixpipe_opti_en.md"
_TUNER = "tools/tuner/README_en.md"


def _case(
    name: str,
    arch: str,
    problem: str,
    tags: str,
    l1: str,
    l0: str,
    time: float,
    swizzle: str | None = None,
) -> Measured:
    elements = {"Ascend950": "half,half,float", "910B2": "float"}.get(arch, "half")
    return Measured(name, gemm(arch, problem, elements, tags, l1, l0, swizzle=swizzle), time)


# Pairs of times for one problem; the guide has 20 cores where it says 910B3 here, 24 where 910B2.
GUIDE = [
    _case("case 1", "910B3", "1024,576,6144", "RowMajor,ColumnMajor", "128,256,256", "128,256,64", 72.5),
    _case("case 1", "910B3", "1024,576,6144", "RowMajor,ColumnMajor", "256,128,256", "256,128,64", 48.6),
    _case("case 2", "910B3", "20,6144,16384", "RowMajor,zN", "128,256,256", "128,256,64", 181.4),
    _case("case 2", "910B3", "20,6144,16384", "RowMajor,zN", "32,320,128", "32,320,32", 139.6),
    _case("case 3", "910B2", "1,768,5120", "RowMajor,ColumnMajor", "128,128,256", "128,128,64", 36.3),
    _case("case 3", "910B2", "1,768,5120", "RowMajor,ColumnMajor", "16,32,1024", "16,32,256", 15.5),
    _case("case 2, rows", "910B3", "20,6144,16384", "RowMajor", "128,256,256", "128,256,64", 238.8),
    _case("case 2, rows", "910B3", "20,6144,16384", "RowMajor", "32,320,128", "32,320,32", 252.4),
    _case(
        "swizzle", "910B3", "160,6144,2048", "RowMajor,zN", "128,256,256", "128,256,64", 40.6,
        "GemmIdentityBlockSwizzle<3,1>",
    ),
    _case(
        "swizzle", "910B3", "160,6144,2048", "RowMajor,zN", "128,256,256", "128,256,64", 35.3,
        "GemmIdentityBlockSwizzle<4,1>",
    ),
]  # fmt: skip

# The same tile by an identity order and by ASWT: M,N,K, both times.
_BOTH_ORDERS = [
    ("1024,1024,1024", 14.95, 15.08),
    ("2048,2048,256", 11.95, 12.09),
    ("2208,2048,512", 22.07, 18.65),
    ("2208,2048,1024", 38.15, 30.51),
    ("1024,2368,512", 16.02, 12.00),
    ("1024,2368,1024", 26.18, 19.82),
    ("1024,2368,2048", 45.88, 34.25),
]
ASWT = [
    _case(
        problem, "Ascend950", problem, "RowMajor,ColumnMajor", "256,256,128", "256,256,64", time, swizzle
    )
    for problem, by_identity, by_aswt in _BOTH_ORDERS
    for time, swizzle in ((by_identity, None), (by_aswt, "BlockSchedulerAswt"))
]
# Writing C where its rows are aligned and where not, by ASWT.
FIXPIPE = [
    _case(
        "fixpipe", "Ascend950", problem, "RowMajor,ColumnMajor", "256,256,128", "256,256,64", time,
        "BlockSchedulerAswt",
    )
    for problem, time in (
        ("567,488,399", 6.53), ("1226,1557,399", 15.06), ("2058,2038,256", 20.69),
        ("2048,2048,256", 11.97), ("2058,2048,256", 13.81), ("2048,2038,256", 19.09),
    )
]  # fmt: skip
# The first and the best of the tuner's space; which chip it ran on is not said.
TUNER = [
    _case("tuner", "910B3", "256,512,1024", "RowMajor", "32,128,128", "32,128,32", 19.38),
    _case("tuner", "910B3", "256,512,1024", "RowMajor", "64,128,128", "64,128,64", 12.74,
          "GemmIdentityBlockSwizzle<3,1>"),
]  # fmt: skip

MISSES = {
    "1024,1024,1024": "ASWT halves 16 blocks for 32 cores, and the model the time; measured is no gain",
    "2048,2048,256": "64 blocks on 32 cores are the same in both orders; the times differ by 1 %",
}
"""The pairs whose order the model does not have."""


def _pairs(cases: list[Measured]) -> list[tuple[Measured, Measured]]:
    return list(zip(cases[::2], cases[1::2], strict=True))


def _ordered(one: Measured, other: Measured) -> bool:
    faster = one.microseconds < other.microseconds
    times = estimate(one.plan).seconds, estimate(other.plan).seconds
    return times[0] < times[1] if faster else times[0] > times[1]


@pytest.mark.parametrize(
    "pair", [*_pairs(GUIDE), *_pairs(ASWT), *_pairs(TUNER)], ids=lambda pair: str(pair[0].case)
)
def test_the_order_of_published_pairs(pair: tuple[Measured, Measured]) -> None:
    """A miss that is none any more is to be taken off the table."""
    assert _ordered(*pair) == (pair[0].case not in MISSES), MISSES.get(pair[0].case)


def test_the_order_of_all_published_times() -> None:
    """Of all pairs of times on one chip, the model orders nine in ten as measured."""
    for cases, least in ((GUIDE, 0.9), ([*ASWT, *FIXPIPE], 0.9)):
        known = [(case.microseconds, estimate(case.plan).microseconds) for case in cases]
        pairs = [(a, b) for i, a in enumerate(known) for b in known[:i] if a[0] != b[0]]
        agree = sum((a[0] < b[0]) == (a[1] < b[1]) for a, b in pairs)
        assert agree / len(pairs) >= least, (agree, len(pairs))


def test_how_far_estimates_are_from_published_times() -> None:
    """On A2 a launch and more come on top; on Ascend950 the rates are near to what is reached."""
    guide = [case.microseconds / estimate(case.plan).microseconds for case in GUIDE]
    assert 1.1 < min(guide) < max(guide) < 2.6
    ours = [
        case.microseconds / estimate(case.plan).microseconds
        for case in (*ASWT, *FIXPIPE)
        if case.case not in MISSES
    ]
    assert 0.85 < min(ours) < max(ours) < 1.25


def test_the_best_of_the_tuner_is_among_the_best_here() -> None:
    """The tuner measured 1701 tiles and has 64,128,128 first: that is in the best 2 % by the model."""
    product = model(TUNER[0].plan)
    space = [
        (GemmShape(m, n, k), GemmShape(m, n, k0))
        for m in range(32, 129, 16)
        for n in range(128, 257, 16)
        for k in range(128, 257, 16)
        for k0 in range(32, 65, 16)
    ]
    assert len(space) == 1701
    ranked = sorted(space, key=lambda tile: product.estimate(*tile).seconds)
    assert ranked.index((GemmShape(64, 128, 128), GemmShape(64, 128, 64))) < 34


# --- the model ---

tile_extents = st.integers(1, 16).map(lambda n: 16 * n)
extents = st.integers(1, 3000)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    tags = st.sampled_from(["RowMajor", "RowMajor,ColumnMajor", "ColumnMajor,RowMajor", "RowMajor,zN"])
    m, n, k = draw(tile_extents), draw(tile_extents), draw(tile_extents)
    policy = draw(
        st.sampled_from(
            ["MmadPingpong(unit_flag)", "MmadPingpong(l1a_stages=1)", "MmadPingpong(l0c_stages=2)"]
        )
    )
    return gemm(
        draw(st.sampled_from(["AtlasA2", "Ascend950", "910B3"])),
        (draw(extents), draw(extents), draw(extents)),
        draw(st.sampled_from(["half", "float", "int8_t"])),
        draw(tags),
        (m, n, 2 * k),
        (m, n, k),
        policy,
        cores=draw(st.integers(1, 32)),
    )


def priced(plan: Plan) -> Estimate:
    """What the model says of a tile, whether a block takes it or not."""
    return model(plan).estimate(plan.l1, plan.l0)


def walked(plan: Plan) -> Estimate:
    product = model(plan)
    return product.estimate(plan.l1, plan.l0, work_by_walk(product, plan.l1))


def _sane(found: Estimate) -> None:
    assert found.seconds > 0
    assert 0 < found.balance <= 1 + 1e-9
    assert 0 <= found.gm_bytes <= found.l2_bytes * (1 + 1e-9)
    assert all(0 < part <= 1 for part in found.efficiency)
    assert found.seconds >= max(found.pipes) * (1 - 1e-9)
    assert found.pipes[PIPES.index(found.bound)] == max(found.pipes)


@given(plans())
def test_a_product_takes_as_long_as_its_slowest_pipe_at_least(plan: Plan) -> None:
    found = priced(plan)
    _sane(found)
    _sane(walked(plan))
    macs = plan.problem.m * plan.problem.n * plan.problem.k
    rate = plan.arch.macs_per_cycle(plan.a) * plan.arch.frequency * plan.cores
    assert found.seconds >= macs / rate
    assert len(found.lines()) >= 7


@given(plans())
def test_walking_finds_the_same_time(plan: Plan) -> None:
    """These problems fit in L2; `test_what_of_the_bytes_is_in_l2` has others."""
    closed, by_walk = priced(plan), walked(plan)
    assert (closed.blocks, closed.rounds) == (by_walk.blocks, by_walk.rounds)
    for field in ("seconds", "l2_bytes", "gm_bytes", "written", "balance", "fill"):
        assert getattr(closed, field) == pytest.approx(getattr(by_walk, field)), field


@st.composite
def large_plans(draw: st.DrawFn) -> Plan:
    """A and B are larger than L2, which holds the tiles of some rounds."""
    extent = st.integers(200, 3000)
    problem = draw(extent), draw(extent), draw(st.integers(64, 1500))
    m, n = draw(tile_extents), draw(tile_extents)
    order = f"GemmIdentityBlockSwizzle<{draw(st.integers(1, 6))},{draw(st.sampled_from([0, 1]))}>"
    tags = draw(st.sampled_from(["RowMajor", "ColumnMajor,RowMajor", "RowMajor,ColumnMajor"]))
    l2 = 1 << draw(st.integers(19, 24))
    cores = draw(st.integers(1, 32))
    return gemm(
        AtlasA2.replaced(l2=l2, cores=cores),
        problem,
        "half",
        tags,
        (m, n, 128),
        (m, n, 64),
        swizzle=order,
    )


def rounds_in_l2(plan: Plan) -> float:
    """How much of L2 two bands take, and the tiles across them that the cores have at once."""
    (m, n, k), (offset, direction) = plan.problem, plan.swizzle.arguments
    sizes, tiles = (m * k * 2, k * n * 2), (-(-m // plan.l1.m), -(-n // plan.l1.n))
    along, across = (1, 0) if direction else (0, 1)
    band = min(tiles[along], max(int(offset), -(-plan.cores // tiles[across])))
    at_once = 1 + -(-plan.cores // min(band, int(offset)))
    taken = 2 * band * sizes[along] / tiles[along] + at_once * sizes[across] / tiles[across]
    return taken / plan.arch.l2


@given(large_plans())
def test_what_of_the_bytes_is_in_l2(plan: Plan) -> None:
    """The closed form is near to what walking finds: exact in the band, mostly within 5 % across."""
    assume(rounds_in_l2(plan) < 0.5)
    reuse = plan.schedule().l2_reuse(plan.a, plan.b, plan.arch.l2)
    by_walk = reuse.a_from_gm, reuse.from_gm - reuse.a_from_gm
    closed = model(plan).work(plan.l1).from_gm
    assert 0.75 < sum(closed) / sum(by_walk) < 1.35
    along = 1 if plan.swizzle.arguments[1] else 0
    assert closed[along] == pytest.approx(by_walk[along], rel=0.05)


@pytest.mark.parametrize("order", ["aswt", "iterate_k", "column"])
def test_what_is_in_l2_by_other_orders(order: str) -> None:
    """The closed form for orders without an offset is what walking finds, where a round fits in L2."""
    chip = Ascend950 if order == "aswt" else AtlasA2
    for problem, tile, cores, l2 in (
        ((3000, 2000, 512), (64, 128), 3, 20),
        ((2000, 3000, 256), (128, 48), 5, 20),
        ((1000, 2900, 1024), (32, 64), 12, 22),
        ((2500, 700, 1400), (32, 80), 2, 20),
        ((2900, 2900, 300), (256, 128), 3, 21),
    ):
        core = chip.replaced(l2=1 << l2, cores=cores)
        product = model(gemm(core, problem, l1=(*tile, 64), l0=(*tile, 32), swizzle=order))
        l1 = GemmShape(*tile, 64)
        closed, by_walk = product.work(l1).from_gm, work_by_walk(product, l1).from_gm
        assert closed == pytest.approx(by_walk, rel=0.2)


def test_what_of_large_products_is_in_l2() -> None:
    """Of sizes that occur: bands of B, or of A, for which the other is read again and again."""
    for problem in (
        (24126, 11437, 11458),
        (8751, 70891, 11868),
        (42031, 1753, 2484),
        (32378, 9306, 10490),
    ):
        plan = gemm("AtlasA2", problem, l1="256,128,256")
        reuse = plan.schedule().l2_reuse(plan.a, plan.b, plan.arch.l2)
        assert sum(model(plan).work(plan.l1).from_gm) == pytest.approx(reuse.from_gm, rel=0.05)


def test_each_operand_has_its_own_part_of_l2() -> None:
    """A is read once, slowly, whatever of B is found in L2."""
    problem = (2965, 256, 1344)
    plan = gemm("AtlasA2", problem, "half", "ColumnMajor,RowMajor", "128,256,256", "128,256,64")
    found = estimate(plan)
    a, b = found.efficiency
    assert a < b
    least = 2 * 2965 * 1344 / a + 2 * 1344 * 256 / b
    assert found.gm_bytes == pytest.approx(least, rel=0.02)
    assert walked(plan).gm_bytes == pytest.approx(found.gm_bytes)


def test_a_chip_with_slower_memory_has_its_own_rate() -> None:
    """The 1.8 TB/s that CATLASS states are not of Ascend910B4."""
    fast, slow = (
        estimate(gemm(chip, (20, 6144, 16384), "half", "RowMajor,zN")) for chip in ("910B3", "910B4")
    )
    moved = [(found.gm_bytes + found.written) / max(found.pipes) for found in (fast, slow)]
    assert moved == pytest.approx([1.8e12, 0.96e12], rel=0.1)


@example(gemm("AtlasA2", (1, 305, 1), l1="16,256,32", l0="16,256,16", cores=2))
@example(gemm("AtlasA2", (1, 1, 97), "half", l1="16,96,192", l0="16,96,96", cores=1))
@given(plans())
def test_more_stages_are_no_slower(plan: Plan) -> None:
    """Of the same tiles: a policy alone would change the tile in L0 too."""
    one = "MmadPingpong(l1a_stages=1,l1b_stages=1,l0a_stages=1,l0b_stages=1)"
    single = plan.replaced(policy=one, l0=plan.l0)
    double = plan.replaced(policy="MmadPingpong", l0=plan.l0)
    assert priced(double).seconds <= priced(single).seconds * (1 + 1e-9)


def test_what_a_block_takes_by_hand() -> None:
    """One block on one core: 16384 cycles of products, 131072 * 2 bytes of A."""
    plan = gemm(
        AtlasA2.replaced(cores=1), (128, 256, 2048), "half", "zN,zN", "128,256,256", "128,256,64"
    )
    found = estimate(plan)
    mte2, _, mte1, cube, fixpipe = (seconds * AtlasA2.frequency for seconds in found.pipes)
    assert found.l2_bytes == (128 + 256) * 2048 * 2
    assert mte2 == pytest.approx(found.l2_bytes / 110 + 16 * START)
    assert mte1 == pytest.approx(128 * 2048 * 2 / 512 + 256 * 2048 * 2 / 256 + 64 * START)
    assert cube == pytest.approx(128 * 256 * 2048 / 4096 + 32 * START)
    assert fixpipe == pytest.approx(128 * 256 * 2 / 86 + START)
    assert found.bound == "cube"
    assert found.seconds * AtlasA2.frequency == pytest.approx(cube + mte2 / 8, rel=1e-6)


def test_k_is_padded_to_whole_fractals_and_a_split_k_is_added_up() -> None:
    odd, even = (estimate(gemm("AtlasA2", (256, 256, k))) for k in (1009, 1024))
    assert odd.pipes[3] == even.pipes[3]
    split = estimate(gemm("AtlasA2", (256, 256, 8192), swizzle="SplitkGemmIdentityBlockSwizzle<1,0>"))
    whole = estimate(gemm("AtlasA2", (256, 256, 8192)))
    assert split.blocks > whole.blocks
    assert split.reduction > 0 == whole.reduction
    assert split.seconds < whole.seconds
    assert split.lines()[-1].endswith("of adding up slices of k")


def test_what_does_not_fit_l2_is_read_again() -> None:
    small, large = (estimate(gemm("AtlasA2", (size, size, size))) for size in (4096, 16384))
    assert small.gm_bytes == 2 * 2 * 4096**2
    assert large.gm_bytes > 2 * 2 * 16384**2
    assert large.gm_bytes < large.l2_bytes


def test_a_leading_dimension_counts() -> None:
    tight = gemm("AtlasA2", (1024, 1024, 1024))
    assert estimate(tight.replaced(ld=(1025, None, None))).efficiency[0] < 0.4
    assert estimate(tight).efficiency == (1, 1)
    assert estimate(tight.replaced(ld=(70000, None, None))).efficiency[0] < 0.05  # a call for each row


def test_rows_of_global_memory() -> None:
    half = element("half")
    whole = row_efficiency(AtlasA2, half, 128, 256, 4096, 256)
    steps = [row_efficiency(AtlasA2, half, 128, 256, 4096 + d, 256) for d in (128, 64, 16, 1)]
    assert whole == 1 > steps[0] > steps[1] > steps[2] > steps[3] > 0.3
    few = [row_efficiency(AtlasA2, half, rows, 256, 4096, 256) for rows in range(1, 20)]
    assert few == sorted(few)
    assert row_efficiency(AtlasA2, element("float"), 128, 128, 4096, 128) == whole  # bytes count
    assert write_efficiency(half, 256, 256, 256) == 1
    assert write_efficiency(half, 1, 4096, 256) == 2 / 512


@given(
    st.integers(1, 400),
    st.integers(1, 1200),
    st.integers(0, 70000),
    st.sampled_from(["half", "float", "int8_t"]),
)
def test_an_efficiency_is_a_part(rows: int, length: int, more: int, name: str) -> None:
    of = element(name)
    for arch in (AtlasA2, Ascend950):
        assert 0 < row_efficiency(arch, of, rows, length, length + more, length) <= 1
    assert 0 < write_efficiency(of, length, length + more, length) <= 1


def test_a_given_rate_of_global_memory_is_taken() -> None:
    slow = AtlasA2.replaced(gm_rate=1)
    plans = [gemm(arch, (20, 6144, 16384), "half", "RowMajor,zN") for arch in (AtlasA2, slow)]
    fast_time, slow_time = (estimate(plan).seconds for plan in plans)
    assert slow_time > 20 * fast_time


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"swizzle": "StreamkGemmIdentityBlockSwizzle"},
            "does not speak of StreamkGemmIdentityBlockSwizzle",
        ),
        ({"policy": "MmadAtlasA2FullLoadA"}, "does not speak of MmadAtlasA2FullLoadA"),
        (
            {"policy": "MmadAtlasA2SingleCoreSplitk(unit_flag=false)"},
            "does not speak of MmadAtlasA2SingleCore",
        ),
        ({"policy": "MmadAscend950FullLoadA"}, "no block for AtlasA2"),
        ({"tags": ("zZ", "RowMajor", "RowMajor")}, "A is not loaded from zZ"),
        ({"tags": ("RowMajor", "RowMajor", "ColumnMajor")}, "C is not written to ColumnMajor"),
        ({"bias": "float"}, "bias"),
    ],
)
def test_what_the_model_does_not_speak_of(changes: dict[str, object], words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        estimate(gemm("AtlasA2", (64, 64, 64)).replaced(**changes))


def test_a_tile_that_no_block_takes_has_no_time() -> None:
    plan = gemm("AtlasA2", (4096, 4096, 4096), l1="512,512,512")
    with pytest.raises(LayoutError, match="need 2097152 of 524288 bytes") as caught:
        estimate(plan)
    assert caught.value.l1 == (512, 512, 512)
    assert estimate(plan.replaced(l1="128,256,256", l0="128,256,64")).seconds > 0


def test_bad_problems_are_named() -> None:
    with pytest.raises(LayoutError, match="n = 0"):
        estimate(gemm("AtlasA2", (64, 0, 64)))
    with pytest.raises(UnsupportedError, match="does not multiply"):
        estimate(gemm("Ascend950", (64, 64, 64), "int4b_t"))
