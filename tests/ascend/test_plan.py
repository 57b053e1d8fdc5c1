"""Plans: what texts and values they are made from, the layouts of their operands, what they refuse."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import LayoutError, ParseError, UnsupportedError
from tla.ascend import (
    AtlasA2,
    GemmCoord,
    GemmIdentityBlockSwizzle,
    GemmShape,
    MmadPingpong,
    StreamkGemmIdentityBlockSwizzle,
    element,
    gemm,
    make_layout,
    multi_core_splitk_factor,
    splitk_factor,
    tag_of,
)
from tla.ascend.plans.kernels import shared_by, slices
from tla.ascend.tuning.cost import estimate, model

SIZE = (1000, 600, 400)


def test_texts_and_values_make_the_same_plan() -> None:
    values = gemm(
        AtlasA2,
        GemmCoord(1000, 600, 400),
        (element("half"), element("half"), element("float")),
        ("RowMajor", "ColumnMajor", "RowMajor"),
        GemmShape(128, 256, 256),
        (128, 256, 64),
        MmadPingpong(arch="AtlasA2", unit_flag=True),
        GemmIdentityBlockSwizzle(3, 0),
        bias=element("float"),
        cores=24,
    )
    texts = gemm(
        "atlasa2",
        "1000x600x400",
        "half, half, float",
        "RowMajor, ColumnMajor",
        "GemmShape<128,256,256>",
        "Shape<_128, _256, Int<64>>",
        "MmadPingpong<true>",
        "GemmIdentityBlockSwizzle<3,0>",
        bias="float",
    )
    assert values == texts
    assert hash(values) == hash(texts)


@pytest.mark.parametrize(
    ("arch", "of", "l1", "l0", "c", "policy"),
    [
        ("AtlasA2", "half", (128, 256, 256), 64, "half", "MmadPingpong<Arch::AtlasA2,true>"),
        ("AtlasA3", "bfloat16_t", (128, 256, 256), 64, "bfloat16_t", "MmadPingpong<Arch::AtlasA2,true>"),
        ("AtlasA2", "float", (128, 128, 256), 64, "float", "MmadPingpong<Arch::AtlasA2,true>"),
        ("AtlasA2", "int8_t", (128, 256, 512), 128, "int32_t", "MmadPingpong<Arch::AtlasA2>"),
        ("Ascend950", "half", (256, 256, 128), 64, "half", "MmadPingpong<Arch::Ascend950,true>"),
        ("Ascend950", "float", (256, 256, 128), 32, "float", "MmadPingpong<Arch::Ascend950,true>"),
        (
            "Ascend950",
            "float8_e4m3_t",
            (256, 256, 256),
            128,
            "float",
            "MmadPingpong<Arch::Ascend950,true>",
        ),
    ],
)
def test_defaults(arch: str, of: str, l1: tuple[int, ...], l0: int, c: str, policy: str) -> None:
    plan = gemm(arch, SIZE, of)
    assert (plan.l1, plan.l0) == (l1, (*l1[:2], l0))
    assert (plan.c.name, str(plan.policy)) == (c, policy)
    assert plan.tags == ("RowMajor", "RowMajor", "RowMajor")
    assert plan.check().ok


def test_a_default_tile_fits() -> None:
    # the tile of the examples fills L1 of 950 with floats, and leaves no room for a bias
    plan = gemm("Ascend950", SIZE, "float", bias="float")
    assert plan.l1 != (256, 256, 128)
    assert plan.check().ok
    plan = gemm("AtlasA2", SIZE, "half", policy="MmadPingpong(l1a_stages=4, l1b_stages=4)")
    assert plan.check().ok


def test_a_swizzle_follows_the_policy_and_the_problem() -> None:
    assert gemm("AtlasA2", (100, 200, 10)).swizzle == GemmIdentityBlockSwizzle(3, 1)
    assert gemm("AtlasA2", (200, 100, 10)).swizzle == GemmIdentityBlockSwizzle(3, 0)
    streamk = gemm("AtlasA2", (200, 100, 10), policy="MmadAtlasA2Streamk")
    assert streamk.swizzle == StreamkGemmIdentityBlockSwizzle(3, 0)
    full = gemm("AtlasA2", (200, 100, 10), policy="MmadAtlasA2FullLoadA")
    assert str(full.swizzle) == "GemmIdentityBlockSwizzleL1FullLoad<1,0>"


def test_layouts_at_every_level() -> None:
    plan = gemm("AtlasA2", SIZE, "half", "RowMajor,ColumnMajor", bias="half")
    half = element("half")
    assert plan.layout("A") == make_layout(half, "RowMajor", 1000, 400)
    assert plan.layout("B") == make_layout(half, "ColumnMajor", 400, 600)
    assert plan.layout("C") == make_layout(half, "RowMajor", 1000, 600)
    assert plan.layout("A", "L1") == make_layout(half, "zN", 128, 256)
    assert plan.layout("B", "L1") == make_layout(half, "nZ", 256, 256)
    assert plan.layout("A", "L0A") == make_layout(half, "zZ", 128, 64)
    assert plan.layout("B", "L0B") == make_layout(half, "nZ", 64, 256)
    assert plan.layout("C", "L0C") == make_layout("float", "L0C", 128, 256)
    assert plan.layout("bias") == make_layout(half, "VectorLayout", 600)
    assert plan.layout("bias", "BT") == make_layout("float", "VectorLayout", 256)
    assert gemm("Ascend950", SIZE, "half").layout("A", "L0A") == make_layout(half, "zN", 256, 64)
    # tiles are static, as in a kernel
    assert str(plan.layout("A", "L1")) == "((_16,_8),(_16,_16)):((_16,_256),(_1,_2048))"


def test_blocks_and_leading_dimensions() -> None:
    plan = gemm("AtlasA2", SIZE, "half", "PaddingRowMajor,PaddingColumnMajor")
    assert plan.layout("A") == make_layout("half", "PaddingRowMajor", 1000, 400, block=(128, 256))
    assert plan.layout("B") == make_layout("half", "PaddingColumnMajor", 400, 600, block=(256, 256))
    apart = gemm("AtlasA2", SIZE, "half", ld=(512, None, 608))
    assert apart.layout("A") == make_layout("half", "RowMajor", 1000, 400, ld=512)
    assert [apart.leading(x) for x in ("A", "B", "C")] == [512, 600, 608]
    assert gemm("AtlasA2", SIZE, "half", "zN").leading("A") == 0
    assert gemm("AtlasA2", SIZE, "half", ld=(512,)) == gemm("AtlasA2", SIZE, ld=(512, None, None))


def test_all_rows_of_a_in_l1() -> None:
    plan = gemm("AtlasA2", SIZE, "half", policy="MmadFullLoadA")
    assert plan.layout("A", "L1") == make_layout("half", "zN", plan.l1.m, 400)


@given(
    st.sampled_from(["AtlasA2", "Ascend950"]),
    st.sampled_from(["half", "float", "int8_t"]),
    st.sampled_from(["RowMajor", "ColumnMajor", "zN", "nZ"]),
    st.sampled_from(["A", "B"]),
)
def test_a_tile_in_l1_keeps_rows_or_columns(arch: str, of: str, tag: str, operand: Any) -> None:
    plan = gemm(arch, SIZE, of, (tag, tag))
    wanted = "zN" if tag in ("RowMajor", "zN") else "nZ"
    assert tag_of(plan.layout(operand, "L1"), of) == wanted


def test_schedules() -> None:
    plan = gemm("AtlasA2", (1024, 1024, 1024))
    assert len(plan.schedule()) == 8 * 4
    assert plan.schedule().cores == 24
    assert len(plan.schedule("streamk<3>")) > 32
    assert gemm("AtlasA2", (1024, 1024, 1024), cores=20).schedule().cores == 20
    assert plan.tiles == (8, 4, 4)


@pytest.mark.parametrize(
    ("policy", "problem", "kernel", "factor", "bytes_"),
    [
        ("MmadPingpong", (128, 256, 4096), "MultiCoreSplitkMatmulTla", 16, 128 * 256 * 4 * 16),
        ("MmadPingpong", (1024, 1024, 8192), "MultiCoreSplitkMatmulTla", 2, 1024 * 1024 * 4 * 2),
        ("MmadPingpong", (128, 128, 2048), "MultiCoreSplitkMatmulTla", 8, 2 << 20),
        ("MmadAtlasA2Pingpong", (128, 256, 4096), "SplitkMatmul", 8, 128 * 256 * 4 * 8),
        ("MmadAtlasA2Pingpong", (1024, 1024, 8192), "SplitkMatmul", 1, 1024 * 1024 * 4),
        ("MmadAtlasA2Pingpong", (128, 128, 2048), "SplitkMatmul", 4, 128 * 128 * 4 * 4),
    ],
)
def test_k_is_cut_as_by_the_kernel_that_is_emitted(
    policy: str, problem: tuple[int, int, int], kernel: str, factor: int, bytes_: int
) -> None:
    plan = gemm("AtlasA2", problem, "half", l1=(128, 256, 256), policy=policy, swizzle="splitk")
    assert f"Gemm::Kernel::{kernel}<" in plan.emit_cpp()
    (space,) = (f for f in plan.check().checks if f.rule == "workspace")
    assert (
        space.text
        == f"{kernel} keeps partial sums in {bytes_} bytes of workspace; it cuts k into {factor}"
    )
    schedule = plan.schedule()
    schedule.proof()
    assert schedule.factor == factor
    assert model(plan).slices(plan.l1) == factor
    found = estimate(plan)
    assert found.blocks == len(schedule)
    assert found.rounds == schedule.balance().rounds
    # another order of the plan is cut by its own kernel
    whole = gemm("AtlasA2", problem, "half", l1=(128, 256, 256), policy=policy)
    assert whole.schedule("splitk").factor == factor


def test_streamk_keeps_sums_by_the_kernel_that_is_emitted() -> None:
    kernels = {"MmadPingpong": "StreamkMatmulTla", "MmadAtlasA2Streamk": "StreamkMatmul"}
    for policy, kernel in kernels.items():
        plan = gemm("AtlasA2", SIZE, policy=policy, swizzle="streamk<3,0>")
        assert f"Gemm::Kernel::{kernel}<" in plan.emit_cpp()
        (space,) = (f for f in plan.check().checks if f.rule == "workspace")
        assert space.text.startswith(f"{kernel} keeps partial sums in ")


def test_swizzles_that_share_k_without_a_kernel_of_the_policy() -> None:
    for policy, word, kernel in (
        ("MmadAtlasA2Pingpong", "tail_splitk", "TailMultiCoreSplitkMatmulTla"),
        ("MmadAtlasA2Preload", "splitk", "SplitkMatmul"),
        ("MmadPingpongMutex", "splitk", "MultiCoreSplitkMatmulTla"),
        ("MmadPingpong", "identity", None),
    ):
        plan = gemm("Ascend950", SIZE, policy=policy, swizzle=word)
        assert shared_by(plan.policy, plan.swizzle) == kernel
        assert ("MatmulKernel" in plan.emit_cpp()) == (kernel is None)


@given(
    st.tuples(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 50000)),
    st.integers(1, 40),
    st.sampled_from(["MmadPingpong", "MmadPingpongMutex", "MmadAtlasA2Pingpong", "MmadAtlasA2Preload"]),
)
def test_k_is_cut_into_whole_tiles(problem: tuple[int, int, int], cores: int, policy: str) -> None:
    plan = gemm("AtlasA2", problem, l1=(128, 256, 256), policy=policy, swizzle="splitk", cores=cores)
    tla = plan.policy.family.api == "tla"
    factor = (multi_core_splitk_factor if tla else splitk_factor)(problem, plan.l1, cores)
    cut = slices(plan.policy, plan.swizzle, plan.problem, plan.l1, cores)
    assert 1 <= cut <= plan.tiles.k
    assert cut == min(factor, plan.tiles.k)
    assert slices(plan.policy, GemmIdentityBlockSwizzle(), plan.problem, plan.l1, cores) == 1


@pytest.mark.parametrize(
    ("policy", "kernel", "ignored"),
    [
        ("MmadAtlasA2Preload", "BasicMatmulPreload", "ABC"),
        ("MmadAtlasA2Pingpong", "BasicMatmul", "ABC"),
        ("MmadAtlasA2Streamk", "StreamkMatmul", "ABC"),
        ("MmadPingpong", "BasicMatmulTla", ""),
        ("MmadAtlasA2PreloadAsync", None, ""),  # its kernels take layouts
    ],
)
def test_a_leading_dimension_that_a_kernel_does_not_read(
    policy: str, kernel: str | None, ignored: str
) -> None:
    plan = gemm("AtlasA2", (1024, 1024, 256), "half", policy=policy, ld=(512, 2048, 1536))
    report = plan.check()
    found = [f for f in report.findings if f.rule.startswith("given leading dimension")]
    assert [f.rule[-1] for f in found] == list(ignored)
    for finding in found:
        operand, given_ = finding.rule[-1], finding.needed
        least = 256 if operand == "A" else 1024
        assert finding.severity == "warning"
        does = "writes" if operand == "C" else "reads"
        assert finding.text == (
            f"{kernel} takes no leading dimension: it {does} {operand} as if its rows were {least} "
            f"elements apart, not {given_}"
        )
        assert finding.fix == "Take MmadPingpong: BasicMatmulTla takes layouts."
    assert report.ok
    taken = plan.replaced(policy="MmadPingpong").check()
    assert not [f for f in taken.findings if f.rule.startswith("given")]


def test_a_leading_dimension_that_changes_nothing() -> None:
    old: Any = {"policy": "MmadAtlasA2Pingpong"}
    for plan in (
        gemm("AtlasA2", SIZE, **old),
        gemm("AtlasA2", SIZE, ld=(400, 600, 600), **old),
        gemm("AtlasA2", (1, 600, 400), ld=(512, None, 608), **old),  # one row of A and of C
    ):
        assert not [f for f in plan.check().findings if f.rule.startswith("given")]
    column = gemm("AtlasA2", SIZE, "half", "ColumnMajor", ld=(1024,), **old)
    (found,) = (f for f in column.check().findings if f.rule.startswith("given"))
    assert "as if its columns were 1000 elements apart, not 1024" in found.text


def test_slices_are_added_up_into_a_dense_c() -> None:
    plan = gemm("AtlasA2", SIZE, ld=(512, 608, 608), swizzle="splitk")
    (found,) = (f for f in plan.check().findings if f.rule.startswith("given"))
    assert found.rule == "given leading dimension of C"
    assert found.text.startswith(
        "MultiCoreSplitkMatmulTla takes no leading dimension: it writes C as if"
    )
    assert found.fix == "Take another swizzle."


def test_the_nearest_plan() -> None:
    plan = gemm("AtlasA2", SIZE)
    assert plan.nearest() is plan
    found = plan.replaced(l1=(512, 512, 512), l0=None).nearest()
    assert found is not None
    assert found.check().ok
    assert plan.replaced(policy="MmadPingpong(hf32)").nearest() is None


def test_a_plan_with_changes() -> None:
    plan = gemm("AtlasA2", SIZE)
    changed = plan.replaced(l1="64,128,256", l0=None, tags="RowMajor,ColumnMajor", cores=8)
    assert (changed.l1, changed.l0.k, changed.tags[1], changed.cores) == (
        (64, 128, 256),
        128,
        "ColumnMajor",
        8,
    )
    assert changed.problem == plan.problem
    with pytest.raises(UnsupportedError, match="a plan has no tile"):
        plan.replaced(tile=(1, 2, 3))


def test_what_gemm_chose_follows_a_change() -> None:
    plan = gemm("AtlasA2", SIZE)
    there = plan.replaced(arch="Ascend950")
    assert there == gemm("Ascend950", SIZE, l1=plan.l1)
    assert there.check().ok
    assert plan.replaced(elements="int8_t").check().ok  # without the unit flag
    assert plan.replaced(problem=(100, 200, 10)).swizzle == GemmIdentityBlockSwizzle(3, 1)
    assert plan.replaced(policy="MmadAtlasA2Streamk").swizzle == StreamkGemmIdentityBlockSwizzle(3, 0)
    assert plan.replaced(l1=(64, 64, 64)).l0 == (64, 64, 64)
    assert plan.replaced(bias="float").check().ok


def test_what_was_given_stays() -> None:
    own = MmadPingpong(l1a_stages=3)
    plan = gemm(
        "AtlasA2", SIZE, l1=(64, 64, 128), l0=(64, 64, 32), policy=own, swizzle="column", cores=8
    )
    there = plan.replaced(arch="Ascend950")
    assert (there.l1, there.l0, there.cores) == (plan.l1, plan.l0, 8)
    assert there.swizzle == plan.swizzle
    assert there.policy == own.bound("Ascend950")
    foreign = gemm("AtlasA2", SIZE, policy=own.bound("Ascend950"))
    assert foreign.replaced(cores=8).policy == own.bound("Ascend950")


@given(
    st.sampled_from(["AtlasA2", "910B4", "Ascend950"]),
    st.sampled_from(["half", "int8_t", "float,float,half"]),
    st.sampled_from(["RowMajor,zN", "ColumnMajor"]),
    st.sampled_from([None, (96, 64, 128)]),
    st.sampled_from([None, MmadPingpong(unit_flag=True, l0a_stages=3)]),
    st.sampled_from([None, 5]),
)
def test_nothing_changed_is_the_same_plan(
    arch: str, of: str, tags: str, l1: Any, policy: Any, cores: int | None
) -> None:
    plan = gemm(arch, SIZE, of, tags, l1, policy=policy, cores=cores)
    assert plan.replaced() == plan


def test_text() -> None:
    plan = gemm("AtlasA2", SIZE, "half", ld=(512, None, None), bias="float", cores=20)
    assert str(plan).splitlines() == [
        "AtlasA2, 20 cores: C[1000,600] half = A[1000,400] half * B[400,600] half + bias[600] float",
        "  layouts   A RowMajor ld 512, B RowMajor, C RowMajor",
        "  tiles     L1 GemmShape<128,256,256>, L0 GemmShape<128,256,64>",
        "  policy    MmadAtlasA2PingpongBias<true>",
        "  swizzle   GemmIdentityBlockSwizzle<3,0>",
    ]
    assert eval(repr(plan), {"gemm": gemm}) == plan


# --- what is refused ---


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"problem": (64, 0, 64)}, "the problem has n = 0: an extent is at least 1"),
        ({"l1": (64, 64, -1)}, "the tile in L1 has k = -1: an extent is at least 1"),
        ({"l0": (0, 64, 64)}, "the tile in L0 has m = 0: an extent is at least 1"),
        ({"policy": "MmadPingpong(l0b_stages=0)"}, "l0b_stages = 0, a tile has at least one stage"),
        ({"swizzle": "GemmIdentityBlockSwizzle<0,0>"}, "= 0: it must be at least 1"),
        ({"cores": 0}, "there is at least 1 core, not 0"),
        ({"ld": (32, None, None)}, "A, RowMajor of 1000 by 400 has ld = 32: it must be at least 400"),
        ({"ld": (400, 599)}, "B, RowMajor of 400 by 600 has ld = 599: it must be at least 600"),
        (
            {"ld": (600, None, None), "tags": "zN,zN"},
            "A, zN, has no leading dimension, and ld gives it 600",
        ),
        ({"ld": ()}, "ld is up to three leading dimensions, of A, B and C, not ()"),
        ({"ld": (512, None, 600, 1)}, "ld is up to three leading dimensions, of A, B and C, not"),
        ({"elements": ("half",) * 4}, "there are 4 element types, not those of A, B and C"),
        ({"tags": ("zN",) * 4}, "there are 4 layout tags, not those of A, B and C"),
    ],
)
def test_values_that_are_none(given_: dict[str, Any], says: str) -> None:
    with pytest.raises(LayoutError) as caught:
        gemm(**dict[str, Any]({"arch": "AtlasA2", "problem": SIZE, **given_}))
    assert says in caught.value.summary


@pytest.mark.parametrize(
    ("given_", "says"),
    [
        ({"arch": "Atlas"}, "there is no architecture 'Atlas'"),
        ({"elements": "halff"}, "'halff' is not an element type"),
        ({"elements": "half,int8_t"}, "no cube core multiplies half by int8_t"),
        ({"tags": "zQ"}, "'zQ' is not a layout tag"),
        ({"tags": "VectorLayout"}, "A cannot be VectorLayout"),
        ({"policy": "Mmad"}, "'Mmad' is not a dispatch policy"),
        ({"swizzle": "Swizzle<1>"}, "'Swizzle<1>' is no swizzle"),
        ({"bias": "flt"}, "'flt' is not an element type"),
    ],
)
def test_names_that_are_not_known(given_: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        gemm(**dict[str, Any]({"arch": "AtlasA2", "problem": SIZE, **given_}))
    assert says in caught.value.summary


def test_texts_that_are_no_shapes() -> None:
    with pytest.raises(
        ParseError, match="expected three extents m,n,k of the tile in L1, found '64,64'"
    ):
        gemm("AtlasA2", SIZE, l1="64,64")
    with pytest.raises(TypeError, match="cores is an int, not str"):
        gemm("AtlasA2", SIZE, cores=str(3))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="tags is a text or a sequence, not int 5"):
        gemm("AtlasA2", SIZE, tags=5)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="elements is a text or a sequence, not NoneType None"):
        gemm("AtlasA2", SIZE, None)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_operands_that_are_not_there() -> None:
    plan = gemm("AtlasA2", SIZE)
    with pytest.raises(UnsupportedError, match="A is never in L0B"):
        plan.layout("A", "L0B")
    for ask in (plan.element, plan.tag, plan.layout, plan.extents, plan.leading):
        with pytest.raises(UnsupportedError, match="a product has no operand 'D'"):
            ask("D")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UnsupportedError, match="the plan has no bias"):
        plan.layout("bias")
