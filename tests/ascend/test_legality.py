"""Whether a plan is legal: every rule broken on its own, with its numbers, and what would fit."""

from typing import Any

import pytest
from cases import share
from differences import BLOCKS
from hypothesis import given, settings, strategies as st
from oracle import rows

from tla.ascend import (
    FAMILIES,
    Ascend950,
    AtlasA2,
    Finding,
    MmadAtlasA2PingpongBias,
    MmadAtlasA2PreloadAsync,
    MmadAtlasA2Small,
    MmadPingpong,
    MmadPreloadAsyncWithCallback,
    Plan,
    Report,
    gemm,
    search,
)
from tla.ascend.copies import gm_to_l1
from tla.errors import UnsupportedError
from tla.show import render

SIZE = (4096, 4096, 4096)


def found(report: Report, rule: str) -> Finding:
    """The only finding of a rule."""
    (finding,) = (f for f in report.checks if f.rule == rule)
    return finding


def broken(plan: Plan) -> list[str]:
    return [f.rule for f in plan.check().errors]


# --- the two recorded holes ---


def test_the_hole_on_950() -> None:
    plan = gemm("Ascend950", SIZE, "half", l1=(100, 256, 256), l0=(100, 256, 64))
    report = plan.check()
    assert report.catlass == ()  # it compiles
    overlaps = [f for f in report.errors if f.rule == "L1 overlap"]
    assert [f.ranges for f in overlaps] == [((51200, 56960),), ((102400, 108160),)]
    assert [(f.needed, f.available, f.margin) for f in overlaps] == [(56960, 51200, -5760)] * 2
    assert [f.title for f in overlaps] == ["L1 overlap A 0", "L1 overlap A 1"]
    assert "A 0 [0,56960) is written into A 1, which starts at 51200" in overlaps[0].text
    assert "A 1 [51200,108160) is written into B 0, which starts at 102400" in overlaps[1].text
    assert "its extents 100 x 256 are padded to 112 x 256" in overlaps[0].text
    assert overlaps[0].fix == "Take m a multiple of 16."
    assert report.nearest is not None
    assert (report.nearest.l1, report.nearest.l0) == ((96, 256, 256), (96, 256, 64))
    assert plan.replaced(l1=report.nearest.l1, l0=report.nearest.l0).check().ok


def test_the_hole_on_a2() -> None:
    report = gemm("AtlasA2", SIZE, "float", l1=(24, 128, 256), l0=(24, 128, 64)).check()
    assert report.catlass == ()
    assert [f.ranges for f in report.errors if f.rule == "L1 overlap"] == [
        ((24576, 32512),),
        ((49152, 57088),),
    ]
    assert report.nearest is not None
    assert report.nearest.l1 == (32, 128, 256)


# --- CATLASS's verdict ---


def test_the_compiler_says_what_is_recorded() -> None:
    """And a plan that compiles is illegal exactly where the table of differences has it."""
    differ: dict[str, str] = {}
    for row in rows("catlass_tla.jsonl", "block_mmad_tla_legal"):
        arch = "AtlasA2" if row["arch"] == 2201 else "Ascend950"
        policy = MmadPingpong(unit_flag=row["unit_flag"])
        plan = gemm(arch, SIZE, row["element"], "RowMajor", row["l1"], row["l0"], policy)
        report = plan.check()
        assert list(report.catlass) == sorted(row["static_asserts"]), row
        if report.ok != row["ok"]:
            case = f"{row['arch']} {row['element']} ({','.join(map(str, row['l1']))})"
            differ[case] = ", ".join(sorted({f.rule for f in report.errors}))
    assert differ == {difference.case: difference.ours for difference in BLOCKS}


PROBLEM = st.tuples(*[st.integers(1, 5000)] * 3)
TILE = st.tuples(*[st.sampled_from([8, 16, 24, 48, 64, 96, 100, 128, 250, 256])] * 3)
TAGS = st.sampled_from(["RowMajor", "ColumnMajor", "zN", "nZ"])


@st.composite
def plans(draw: Any) -> Plan:
    family = draw(st.sampled_from(list(FAMILIES.values())))
    arch = draw(st.sampled_from(["AtlasA2", "AtlasA3", "Ascend950"]))
    of = draw(st.sampled_from(["half", "float", "int8_t", "bfloat16_t"]))
    values = {
        p.name: draw(st.integers(0, 1) if p.is_flag else st.integers(1, 3)) for p in family.parameters
    }
    l1 = draw(st.none() | TILE)
    bias = draw(st.sampled_from([None, "float"]))
    return gemm(arch, draw(PROBLEM), of, (draw(TAGS), draw(TAGS)), l1, None, family(**values), bias=bias)


@settings(max_examples=share(60))
@given(plans())
def test_a_plan_that_is_legal_compiles_and_its_stages_have_bytes_of_their_own(plan: Plan) -> None:
    report = plan.check()
    if report.ok:
        assert report.catlass == ()
        assert all(footprint.sound for footprint in report.buffers)
        assert report.nearest is None
        assert str(report).startswith("legal")
    else:
        assert str(report).startswith(
            f"illegal: {len(report.errors)} of {len(report.checks)} rules broken"
        )
    for finding in report.checks:
        assert finding.severity == "holds" or finding.text
        assert not finding.catlass or finding.severity == "error"
    if report.nearest is not None and plan.policy.family.a_slot != "half":
        again = plan.replaced(l1=report.nearest.l1, l0=report.nearest.l0).check()
        of_tile = {f.rule for f in again.errors if f.buffer.startswith("L")}
        assert not {rule for rule in of_tile if rule.endswith(("capacity", "overlap", "alignment"))}
    assert eval(repr(plan), {"gemm": gemm}) == plan


# --- rule by rule ---


def test_a_plan_of_the_examples_is_legal() -> None:
    for arch, tile, part in (
        ("AtlasA2", (128, 256, 256), (128, 256, 64)),
        ("Ascend950", (256, 256, 128), (256, 256, 64)),
    ):
        report = gemm(arch, SIZE, "half", l1=tile, l0=part).check()
        assert report.ok
        assert not report.warnings


def test_capacity() -> None:
    report = gemm("AtlasA2", SIZE, "half", l1=(256, 256, 256), l0=(256, 256, 128)).check()
    for buffer, needed, capacity in (
        ("L0A", 131072, 65536),
        ("L0B", 131072, 65536),
        ("L0C", 262144, 131072),
    ):
        finding = found(report, f"{buffer} capacity")
        assert (finding.needed, finding.available, finding.margin) == (
            needed,
            capacity,
            capacity - needed,
        )
        assert finding.catlass == (f"L0TileShape exceeding the {buffer} space!",)
    assert found(report, "L1 capacity").margin == 0
    assert report.nearest is not None
    assert report.nearest.l1 == (128, 256, 256)


def test_padding_may_exceed_what_is_asserted() -> None:
    # 250 columns are asserted as such on 950, and lie in 256
    report = gemm("Ascend950", SIZE, "half", l1=(256, 250, 256), l0=(256, 250, 64)).check()
    finding = found(report, "L1 capacity")
    assert (finding.severity, finding.catlass) == ("holds", ())
    report = gemm("Ascend950", SIZE, "half", l1=(250, 262, 256), l0=(250, 262, 16)).check()
    finding = found(report, "L0C capacity")
    assert finding.catlass == ()
    assert "with padding" in finding.text
    assert (finding.needed, finding.available) == (256 * 272 * 4, 262144)


def test_int4_is_counted_as_bytes() -> None:
    report = gemm("AtlasA2", SIZE, "int4b_t", l1=(128, 256, 704), l0=(128, 256, 128)).check()
    finding = found(report, "L1 capacity")
    assert finding.catlass == ("L1TileShape exceeding the L1 space!",)
    assert "a whole byte for each int4b_t, and 450560 are written" in finding.text


def test_a_bias_needs_bt_and_l1() -> None:
    tile: Any = {"l1": (64, 512, 128), "l0": (64, 512, 32)}
    report = gemm("AtlasA2", SIZE, "half", **tile, bias="float").check()
    finding = found(report, "BT capacity")
    assert (finding.needed, finding.available, finding.severity) == (2048, 1024, "error")
    assert gemm("Ascend950", SIZE, "half", l1=(64, 512, 128), l0=(64, 512, 32), bias="float").check().ok
    report = gemm("AtlasA2", SIZE, "half", l1=(256, 256, 256), l0=(256, 256, 32), bias="half").check()
    assert found(report, "L1 capacity").margin == -512


def test_who_adds_a_bias() -> None:
    assert broken(gemm("AtlasA2", SIZE, policy="MmadPingpongTlaV2", bias="half")) == ["bias"]
    assert "bias" in broken(gemm("AtlasA2", SIZE, policy=MmadAtlasA2PingpongBias))
    assert broken(gemm("AtlasA2", SIZE, policy=MmadAtlasA2PingpongBias, bias="float")) == []
    report = gemm("AtlasA2", SIZE, policy=MmadAtlasA2PingpongBias, bias="bfloat16_t").check()
    assert found(report, "bias").catlass == ("Bias does not support bfloat16 yet",)


@pytest.mark.parametrize(
    "name", [f.name for f in FAMILIES.values() if 2201 in f.codes and f.kind == "product"]
)
def test_a_bias_on_2201_is_added_where_it_can_be_emitted(name: str) -> None:
    """TLA has no copy of a bias to BT there."""
    plan = gemm("AtlasA2", SIZE, l1=(64, 64, 64), policy=FAMILIES[name](), bias="float")
    finding = found(plan.check(), "bias")
    assert (finding.severity == "holds") == (name == "MmadAtlasA2PingpongBias")
    if name == "MmadPingpong":
        assert finding.catlass == ("Unsupported TileCopyTla, can not find the specialization.",)
        assert finding.fix == "Take MmadAtlasA2PingpongBias."
    assert gemm("Ascend950", SIZE, policy="MmadPingpong", bias="float").check().ok


@pytest.mark.parametrize(
    ("arch", "of", "legal"),
    [
        ("AtlasA2", "half", {"float", "half"}),
        ("AtlasA2", "int8_t", {"int32_t"}),
        ("Ascend950", "half", {"float", "half", "bfloat16_t"}),
        ("Ascend950", "int8_t", {"int32_t"}),
    ],
)
def test_the_element_type_of_a_bias(arch: str, of: str, legal: set[str]) -> None:
    names = ("float", "half", "bfloat16_t", "int32_t", "int8_t", "double")
    assert {x for x in names if gemm(arch, SIZE, of, bias=x).check().ok} == legal
    finding = found(gemm(arch, SIZE, of, bias="int16_t").check(), "bias")
    assert "no bias of int16_t is added to sums of" in finding.text


STAGES = ("l1a_stages=1, l1b_stages=1", "l0c_stages=2", "l1a_stages=4, l0a_stages=4")


@pytest.mark.parametrize("tags", ["RowMajor", "RowMajor,ColumnMajor", "ColumnMajor,RowMajor", "zN,nZ"])
@pytest.mark.parametrize("stages", STAGES)
def test_what_gemm_chooses_is_legal(tags: str, stages: str) -> None:
    elements = {
        "AtlasA2": ("half", "float", "int8_t"),
        "Ascend950": ("half", "float", "int8_t", "float8_e4m3_t"),
    }
    for arch, names in elements.items():
        for of in names:
            plan = gemm(arch, SIZE, of, tags, policy=f"MmadPingpong({stages})")
            assert broken(plan) == [], (plan, plan.check())


def test_one_tile_of_k_in_the_nearest() -> None:
    plan = gemm("AtlasA2", (512, 512, 250), "half", l1=(256, 256, 64), policy=MmadAtlasA2Small)
    report = plan.check()
    assert report.nearest is not None
    assert report.nearest.l1.k == 256
    assert report.left == ()
    assert plan.replaced(l1=report.nearest.l1, l0=report.nearest.l0).check().ok


def test_many_stages() -> None:
    report = gemm("Ascend950", SIZE, l1=(100, 64, 64), policy="MmadPingpong(l1a_stages=30000)").check()
    overlaps = [f.title for f in report.checks if f.rule == "L1 overlap"]
    assert overlaps == ["L1 overlap A 0", "L1 overlap A 29999"]
    lines = render(report.figures()[0], 72).splitlines()
    assert (len(lines), lines[33]) == (35, "and 29970 more")


def test_one_row_has_no_leading_dimension_to_mend() -> None:
    report = gemm("AtlasA2", (1, 512, 70001), "half").check()
    assert found(report, "leading dimension of A").severity == "holds"
    assert found(report, "stride limit of A").severity == "holds"
    assert found(report, "leading dimension of B").severity == "holds"


def test_more_k_than_half_of_l1_holds() -> None:
    report = gemm("AtlasA2", (128, 512, 4096), policy="MmadFullLoadA", l1=(128, 128, 128)).check()
    (overlap,) = (f for f in report.errors if f.rule == "L1 overlap")
    assert overlap.text.endswith("CATLASS gives a stage of A 262144 bytes, whatever it holds.")
    assert overlap.fix == "Take a smaller tile."


@pytest.mark.parametrize(
    ("k", "fix"), [(2000, "Take a smaller tile."), (1280, "Take m a multiple of 16.")]
)
def test_padding_is_blamed_where_it_is_to_blame(k: int, fix: str) -> None:
    """100 rows of 2000 halfs exceed half of L1 without padding, of 1280 with it."""
    plan = gemm("AtlasA2", (4096, 4096, k), "half", l1=(100, 256, 128), policy="MmadAtlasA2FullLoadA")
    (overlap,) = (f for f in plan.check().errors if f.rule == "L1 overlap")
    assert overlap.text.endswith("CATLASS gives a stage of A 262144 bytes, whatever it holds.")
    assert overlap.fix == fix


def test_what_the_nearest_tile_breaks_too() -> None:
    plan = gemm("AtlasA2", SIZE, "int8_t", l1=(256, 256, 512), policy="MmadAtlasA2Pingpong<true>")
    report = plan.check()
    assert report.nearest is not None
    assert report.left == ("unit flag",)
    assert str(report).endswith("; still broken: unit flag")
    assert gemm("AtlasA2", SIZE, l1=(256, 256, 512)).check().left == ()


def test_l0_is_a_part_of_l1() -> None:
    report = gemm("AtlasA2", SIZE, l1=(64, 64, 64), l0=(32, 64, 128)).check()
    finding = found(report, "L0 k")
    assert (finding.needed, finding.available, finding.unit) == (128, 64, "elements")
    assert "m and n are 32 x 64 in L0 and 64 x 64 in L1" in found(report, "L0 m and n").text
    single = gemm(
        "AtlasA2", SIZE, l1=(256, 256, 128), l0=(128, 128, 64), policy="MmadAtlasA2SingleCoreSplitk"
    )
    assert single.check().ok
    assert broken(single.replaced(l0=(512, 128, 64))) != []


def test_alignment_is_asserted_on_2201_alone() -> None:
    report = gemm("AtlasA2", SIZE, "half", l1=(24, 64, 64)).check()
    assert found(report, "tile alignment").catlass == ("L1TileShape::M must be 32B aligned.",)
    report = gemm("Ascend950", SIZE, "half", l1=(24, 64, 64)).check()
    assert found(report, "tile alignment").severity == "holds"
    # there the starts of stages are wrong: 24 x 64 half are 3072 bytes, 24 x 16 are 768
    report = gemm("Ascend950", SIZE, "half", l1=(24, 64, 64), l0=(24, 64, 16)).check()
    finding = found(report, "L0A alignment")
    assert (finding.severity, finding.needed, finding.available) == ("error", 512, 256)
    assert finding.text == "A 1 starts at 768, not at a multiple of 512 bytes"
    # a third of a buffer is none either, whatever the tile
    report = gemm("AtlasA2", (64, 64, 64), l1=(64, 64, 64), policy=MmadAtlasA2Small(stages=3)).check()
    finding = found(report, "L0A alignment")
    assert finding.text == "A 1 starts at 21845, not at a multiple of 512 bytes"
    assert finding.fix == "Take stages that share 65536 bytes in multiples of 512."
    assert report.catlass == ()
    assert report.nearest is None


def test_flags() -> None:
    report = gemm(
        "AtlasA2", SIZE, policy=MmadPingpong(unit_flag=True, l0c_stages=2), l1=(64, 64, 64)
    ).check()
    finding = found(report, "unit flag")
    assert (finding.needed, finding.available) == (2, 1)
    assert finding.catlass == ("L0C_STAGES must be 1 when UnitFlag is true!",)
    assert report.nearest is None  # no tile mends it
    assert broken(gemm("AtlasA2", SIZE, policy="MmadPingpong(hf32)")) == ["HF32"]
    assert broken(gemm("AtlasA2", SIZE, "float", policy="MmadPingpong(hf32)")) == []
    # CATLASS's page of MmadAtlasA2Pingpong forbids it; its examples 52 and 57 do it with MmadPingpong
    assert broken(gemm("AtlasA2", SIZE, "int8_t", policy="MmadAtlasA2Pingpong<true>")) == ["unit flag"]
    for arch in ("AtlasA2", "Ascend950"):
        assert gemm(arch, SIZE, "int8_t", policy="MmadPingpong(unit_flag)").check().errors == ()


@pytest.mark.parametrize(
    ("stages", "bias", "needed"),
    [((4, 4), None, 8), ((4, 5), None, 9), ((4, 4), "float", 9), ((4, 3), "float", 8)],
)
def test_event_ids(stages: tuple[int, int], bias: str | None, needed: int) -> None:
    policy = MmadPingpong(l1a_stages=stages[0], l1b_stages=stages[1])
    finding = found(
        gemm("AtlasA2", SIZE, l1=(64, 64, 64), policy=policy, bias=bias).check(), "L1 events"
    )
    assert (finding.needed, finding.available) == (needed, 8)
    assert (finding.severity == "error") == (needed > 8) == bool(finding.catlass)


def test_event_ids_that_nobody_asserts() -> None:
    policy = MmadAtlasA2PreloadAsync(l1_stages=5)
    report = gemm("AtlasA2", SIZE, l1=(32, 32, 32), policy=policy).check()
    finding = found(report, "L1 events")
    assert (finding.severity, finding.catlass) == ("error", ())
    assert "MmadAtlasA2PreloadAsync asserts nothing of it" in finding.text
    each = MmadPreloadAsyncWithCallback(l1a_stages=3, l1b_stages=3)
    finding = found(
        gemm("AtlasA2", SIZE, l1=(32, 32, 32), policy=each, bias="float").check(), "L1 events"
    )
    assert finding.needed == 9


def test_preloading_no_more_than_there_are_stages() -> None:
    policy = MmadPreloadAsyncWithCallback(preload_stages=3)
    finding = found(gemm("AtlasA2", SIZE, l1=(64, 64, 64), policy=policy).check(), "preload")
    assert (finding.needed, finding.available, finding.unit) == (3, 2, "stages")


def test_mutexes() -> None:
    stages: dict[str, Any] = {f"{x}_stages": 6 for x in ("l1a", "l1b", "l0a", "l0b", "l0c")}
    plan = gemm("Ascend950", SIZE, l1=(16, 16, 16), policy=FAMILIES["MmadPingpongMutex"](**stages))
    finding = found(plan.check(), "mutexes")
    assert (finding.needed, finding.available, finding.severity) == (30, 28, "error")


@pytest.mark.parametrize(
    ("arch", "policy", "says"),
    [
        (
            "AtlasA2",
            "MmadPingpongMutex",
            "MmadPingpongMutex is made for 3510 (Ascend950); AtlasA2 runs 2201",
        ),
        ("Ascend950", "MmadAtlasA2Pingpong", "made for 2201 (AtlasA2, AtlasA3); Ascend950 runs 3510"),
        ("Ascend950", "MmadPingpong<Arch::AtlasA2>", "names another architecture than Ascend950"),
        ("AtlasA2", "MmadAtlasA2W8A16", "CATLASS has the name MmadAtlasA2W8A16, and no block for it"),
    ],
)
def test_the_wrong_architecture_for_a_policy(arch: str, policy: str, says: str) -> None:
    report = gemm(arch, SIZE, policy=policy).check()
    assert says in found(report, "architecture").text
    assert report.nearest is None


def test_what_the_compiler_says_of_the_wrong_architecture() -> None:
    """As g++ does of CATLASS's blocks."""
    usual = "{} is not implemented for this DispatchPolicy"
    others = {
        "MmadPingpongMutex": (
            usual.format("BlockMmadTla"),
            "MmadPingpongMutex only supports Arch::Ascend950",
        ),
        "MmadAtlasA2Pingpong": ("Unsupported copy l1 to l0, can not find the specialization.",),
        "GemmAtlasA2": (),
    }
    for name, family in FAMILIES.items():
        arch = "Ascend950" if family.codes == (2201,) else "AtlasA2"
        if family.codes == (2201, 3510) or family.kind != "product":
            continue
        block = "BlockMmadTla" if family.api == "tla" else "BlockMmad"
        finding = found(gemm(arch, SIZE, policy=family).check(), "architecture")
        assert finding.catlass == others.get(name, (usual.format(block),)), name


@pytest.mark.parametrize(
    ("arch", "of"),
    [("Ascend950", "int4b_t"), ("AtlasA2", "float8_e4m3_t"), ("AtlasA2", "float4_e2m1x2_t")],
)
def test_the_wrong_architecture_for_an_element_type(arch: str, of: str) -> None:
    finding = found(gemm(arch, SIZE, of).check(), "element types")
    assert finding.text == f"the cube core of {arch} does not multiply {of} by {of}"
    assert "It multiplies" in finding.fix


def test_scaled_elements_need_a_policy_with_scales() -> None:
    assert "(MX)" in found(gemm("Ascend950", SIZE, "float4_e2m1x2_t").check(), "element types").text


def test_layouts() -> None:
    report = gemm("AtlasA2", SIZE, "int8_t", "RowMajor,RowMajor,zN").check()
    assert found(report, "layouts").catlass == (
        "LayoutC only supports zN in half or bfloat16 or float, RowMajor in all dtype yet!",
    )
    assert broken(gemm("AtlasA2", SIZE, "half", "RowMajor,RowMajor,zN")) == []
    assert broken(gemm("AtlasA2", SIZE, "half", "zZ,RowMajor")) == ["layouts"]
    assert broken(gemm("AtlasA2", SIZE, "half", "RowMajor,RowMajor,nZ")) == ["layouts"]


@pytest.mark.parametrize(("arch", "policy", "legal"), [
    ("AtlasA2", "MmadPingpong", False), ("AtlasA3", "MmadPingpongTlaV2", False),
    ("AtlasA2", "MmadPreloadAsyncWithCallback", False), ("Ascend950", "MmadPingpong", False),
    ("AtlasA2", "MmadAtlasA2Preload", True), ("AtlasA2", "MmadAtlasA2Pingpong", True),
])  # fmt: skip
@pytest.mark.parametrize(
    "tags", ["PaddingRowMajor,RowMajor", "RowMajor,PaddingColumnMajor", "PaddingRowMajor"]
)
def test_who_takes_padded_matrices(arch: str, policy: str, legal: bool, tags: str) -> None:
    """`TileCopyTla` has no copy of them on either architecture; `CopyGmToL1` has one."""
    plan = gemm(arch, SIZE, "half", tags, policy=policy)
    assert set(broken(plan)) == (set() if legal else {"layouts"})
    if not legal:
        (finding, *_) = plan.check().errors
        assert f"no copy of {policy} brings" in finding.text
        assert ("MmadAtlasA2Preload" in finding.fix) == (arch != "Ascend950")


@pytest.mark.parametrize("tag", ["RowMajor", "ColumnMajor", "zN", "nZ", "PaddingRowMajor"])
def test_a_gemm_takes_lines_alone(tag: str) -> None:
    report = gemm("AtlasA2", SIZE, "half", ("RowMajor", tag), policy="GemmAtlasA2").check()
    if tag in ("RowMajor", "ColumnMajor"):
        assert report.ok
    else:
        (finding,) = report.errors
        assert finding.rule == "layouts"
        assert finding.text == f"GemmAtlasA2 takes B in lines, not as {tag}"
        assert finding.catlass == ("Unsupported layout selector, can not find the specialization.",)
        assert report.nearest is None


_TO_L1, _TO_L0 = ("copy of A to L1", "copy of B to L1"), ("copy of A to L0A", "copy of B to L0B")


@pytest.mark.parametrize(("policy", "tags", "rules"), [
    *(
        (name, tags, rules)
        for name in ("MmadPingpong", "MmadPingpongTlaV2", "MmadFullLoadA", "MmadDequant",
                     "MmadPreloadAsyncWithCallback", "MmadPingpongSymmLeft", "MmadPingpongSymmRight")
        for tags, rules in (
            ("RowMajor", (*_TO_L1, _TO_L0[1])), ("RowMajor,ColumnMajor", _TO_L1),
            ("zN", _TO_L0[1:]), ("zN,ColumnMajor", _TO_L1[1:]), ("zN,nZ", ()), ("nZ,nZ", _TO_L0[:1]),
        )
    ),
    *(
        (name, tags, rules)
        for name in ("MmadAtlasA2Pingpong", "MmadAtlasA2Preload", None)
        for tags, rules in (
            ("RowMajor", ()), ("RowMajor,ColumnMajor", ()), ("zN", ()), ("zN,nZ", ()),
            ("PaddingRowMajor,RowMajor", _TO_L1[:1]), ("RowMajor,PaddingColumnMajor", _TO_L1[1:]),
            ("ColumnMajor,RowMajor", _TO_L0[:1]),
        )
    ),
    ("GemmAtlasA2", "RowMajor", (*_TO_L1, _TO_L0[1])),
])  # fmt: skip
def test_copies_of_4_bits_on_2201(policy: str | None, tags: str, rules: tuple[str, ...]) -> None:
    """Of the copies `CopyGmToL1` from lines and `CopyL1ToL0B` from zN alone know them."""
    report = gemm("AtlasA2", (256, 256, 256), "int4b_t", tags, (64, 64, 64), policy=policy).check()
    copies = {f.rule: f for f in report.errors if f.rule.startswith("copy of ")}
    assert set(copies) == set(rules)
    assert report.ok == (not rules)
    for rule, finding in copies.items():
        assert "int4b_t" in finding.text
        assert finding.fix
        assert rule != "copy of B to L0B" or "as if it had 16 bits" in finding.text


@pytest.mark.parametrize(("of", "tags", "rule"), [
    ("int4b_t", "RowMajor", "copy of A to L1"), ("int4b_t", "zN", "copy of B to L0B"),
    ("half", "RowMajor,PaddingRowMajor", "layouts"),
])  # fmt: skip
def test_no_tile_mends_a_copy(of: str, tags: str, rule: str) -> None:
    with pytest.raises(UnsupportedError, match="no tile of") as raised:
        search("AtlasA2", (512, 512, 512), of, tags=tags, policy="MmadPingpong", step=64)
    assert f" {rule}: " in raised.value.details[0]


@pytest.mark.parametrize(("arch", "of", "bias", "name"), [
    ("AtlasA2", "int4b_t", None, "MmadAtlasA2Pingpong"),
    ("AtlasA3", "int4b_t", None, "MmadAtlasA2Pingpong"),
    ("AtlasA2", "int4b_t", "int32_t", "MmadAtlasA2PingpongBias"),
    ("AtlasA2", "int8_t", None, "MmadPingpong"),
])  # fmt: skip
def test_what_gemm_chooses_for_integers_is_legal(
    arch: str, of: str, bias: str | None, name: str
) -> None:
    plan = gemm(arch, SIZE, of, bias=bias)
    assert plan.policy.name == name
    assert plan.check().ok


def test_copies() -> None:
    report = gemm("AtlasA2", SIZE, "int4b_t", "ColumnMajor,ColumnMajor").check()
    assert "no instruction" in found(report, "copy of A to L0A").text
    assert report.nearest is None
    report = gemm("AtlasA2", SIZE).check()
    assert found(report, "copy of A to L0A").text == "8 calls for a tile"


def test_leading_dimensions() -> None:
    report = gemm("AtlasA2", (512, 512, 511), "half").check()
    finding = found(report, "leading dimension of A")
    assert (finding.severity, finding.needed) == ("warning", 1022)
    assert "PADDING_ND (524288 bytes of workspace)" in finding.fix
    assert "PADDING_NZ (524288 bytes of workspace)" in finding.fix
    assert "a leading dimension of 512" in finding.fix
    assert found(report, "leading dimension of B").severity == "holds"
    wide = found(gemm("AtlasA2", (512, 512, 70001), "half").check(), "leading dimension of A").fix
    assert wide == (
        "Lay A out anew before: PADDING_BLOCK_ND (71827456 bytes of workspace) or PADDING_NZ"
        " (71696384 bytes of workspace)."
    )
    assert "70144" in found(gemm("Ascend950", (512, 512, 70001)).check(), "leading dimension of A").fix
    mended = gemm("AtlasA2", (512, 512, 511), "half", ld=(512, None, None)).check()
    assert found(mended, "leading dimension of A").severity == "holds"


@pytest.mark.parametrize(("tag", "what"), [("RowMajor", "row"), ("ColumnMajor", "column")])
def test_a_call_for_each_row(tag: str, what: str) -> None:
    size = (100, 512, 70144) if tag == "RowMajor" else (70144, 512, 100)
    plan = gemm("AtlasA2", size, "half", f"{tag},RowMajor")
    finding = found(plan.check(), "stride limit of A")
    assert (finding.severity, finding.needed, finding.available) == ("warning", 70144, 65535)
    rows_, cols = plan.extents("A", plan.l1)
    tile = (min(rows_, size[0]), min(cols, size[2]))
    calls = gm_to_l1(
        plan.layout("A"), plan.layout("A", "L1"), arch="AtlasA2", element="half", tile=tile
    ).count
    assert f"takes {calls} calls, one for each {what}" in finding.text
    assert (
        found(gemm("Ascend950", size, "half", f"{tag},RowMajor").check(), "stride limit of A").severity
        == "holds"
    )


@pytest.mark.parametrize(
    ("of", "tags", "k", "severity", "says"),
    [
        ("int8_t", "RowMajor,RowMajor", 1040, "note", "zeros in A and what an earlier tile left in B"),
        ("int8_t", "RowMajor,ColumnMajor", 1040, "note", "are zeros in A and B"),
        ("int8_t", "ColumnMajor,RowMajor", 1040, "warning", "in A and B, and their products are added"),
        ("half", "ColumnMajor,RowMajor", 1000, "warning", "in A and B, and their products are added"),
        ("half", "RowMajor,RowMajor", 1000, "warning", "an infinity or a NaN there times zero is a NaN"),
        ("half", "zN,RowMajor", 1000, "warning", "what pads it in global memory in A"),
        ("half", "RowMajor,ColumnMajor", 1000, "note", "are zeros in A and B"),
        ("half", "RowMajor,RowMajor", 1040, "holds", ""),
    ],
)
def test_a_tail_of_k(of: str, tags: str, k: int, severity: str, says: str) -> None:
    finding = found(gemm("AtlasA2", (512, 512, k), of, tags).check(), "k tail")
    assert finding.severity == severity
    assert says in finding.text
    if severity != "holds":
        assert finding.needed == k % (32 if of == "int8_t" else 16)


def test_tile_starts() -> None:
    report = gemm("AtlasA2", SIZE, l1=(128, 256, 64)).check()
    finding = found(report, "tile starts of A")
    assert (finding.severity, finding.needed) == ("note", 128)
    assert found(report, "tile starts of B").needed == 512
    assert found(gemm("AtlasA2", (64, 64, 64)).check(), "tile starts of A").text == "one tile"
    # on 950 nothing is asserted of a tile that begins inside a fractal of zN
    finding = found(
        gemm("Ascend950", SIZE, "half", "zN,RowMajor", (120, 256, 128)).check(), "tile starts of A"
    )
    assert (finding.severity, finding.needed, finding.available) == ("error", 120, 16)


def test_32_bits() -> None:
    assert broken(gemm("AtlasA2", (1 << 32, 16, 16))) == ["32-bit extents"]
    assert "32-bit blocks" in broken(gemm("AtlasA2", (1 << 31, 1 << 31, 16), l1=(16, 16, 16)))
    report = gemm("AtlasA2", (1 << 28, 16, 16), "half", "zN,RowMajor").check()
    finding = found(report, "32-bit offsets in A")
    assert (finding.severity, finding.needed) == ("error", 1 << 32)
    finding = found(
        gemm("AtlasA2", ((1 << 28) - 16, 16, 16), "half", "zN").check(), "32-bit offsets in A"
    )
    assert finding.severity == "holds"


def test_small_takes_one_tile_of_k() -> None:
    assert broken(gemm("AtlasA2", (128, 256, 256), policy=MmadAtlasA2Small)) == []
    tile = (128, 256, 256)
    assert broken(gemm("AtlasA2", (128, 256, 257), l1=tile, policy=MmadAtlasA2Small)) == [
        "one tile of k"
    ]
    chosen = gemm("AtlasA2", (128, 256, 257), policy=MmadAtlasA2Small)
    assert chosen.l1.k == 272
    assert broken(chosen) == []


def test_workspace_and_swizzles() -> None:
    report = gemm("AtlasA2", (128, 256, 8192), swizzle="splitk").check()
    finding = found(report, "workspace")
    assert (finding.severity, finding.needed) == ("note", 128 * 256 * 4 * 24)
    assert "cuts k into 24" in finding.text
    report = gemm("AtlasA2", SIZE, policy="MmadAtlasA2Streamk", swizzle="identity<3,0>").check()
    assert found(report, "swizzle").severity == "warning"
    report = gemm("AtlasA2", SIZE, policy="MmadAtlasA2Streamk").check()
    assert found(report, "swizzle").severity == "holds"
    assert found(report, "workspace").needed == 128 * 256 * 4 * 24 * 2
    plan = gemm(
        "AtlasA2",
        (512, 512, 512),
        policy="MmadAtlasA2SingleCoreSplitk",
        l1=(256, 256, 128),
        l0=(128, 256, 64),
    )
    assert found(plan.check(), "workspace").needed == 512 * 512 * 4


def test_l2() -> None:
    finding = found(gemm("AtlasA2", (20000, 20000, 20000)).check(), "L2")
    assert (finding.severity, finding.needed, finding.available) == (
        "note",
        3 * 2 * 20000**2,
        AtlasA2.l2,
    )


def test_another_architecture() -> None:
    large = Ascend950.replaced(name="large", l1=1 << 20)
    assert broken(gemm("Ascend950", SIZE, l1=(256, 256, 256), l0=(256, 256, 32))) == []
    plan = gemm(large, SIZE, l1=(256, 256, 512), l0=(256, 256, 32))
    assert broken(plan) == []
    assert broken(plan.replaced(arch="Ascend950")) == ["L1 capacity"]


# --- pictures ---


def test_what_lies_where() -> None:
    report = gemm("Ascend950", SIZE, "half", l1=(100, 256, 256)).check()
    l1 = report.figures()[0]
    assert (l1.title, l1.length) == ("L1", 524288)
    assert [bar.clashes for bar in l1.bars] == [
        ((51200, 56960),),
        ((51200, 56960), (102400, 108160)),
        ((102400, 108160),),
        (),
    ]
    lines = render(l1, 72).splitlines()
    assert lines[0] == "L1, 524288 bytes"
    assert lines[1].startswith("A 0  [###!!")
    assert lines[1].endswith("[0,56960) to 57344")
    assert lines[-1] == "# written  ! written over  to: the end of the padded tile"
    assert {len(line.split("[")[1].split("]")[0]) for line in lines[1:5]} == {
        72 - 9 - len("[51200,108160) to 108544")
    }


def test_what_leaves_a_buffer() -> None:
    report = gemm("AtlasA2", SIZE, "half", l1=(256, 256, 512), l0=(256, 256, 128)).check()
    lines = render(report.figures()[1], 60).splitlines()
    assert lines[1].count("#") > 20
    assert ">  [0,65536)" not in lines[1]
    assert ">  [65536,131072)" in lines[2]
    assert lines[-1] == "# written  > outside"


def test_an_mmad_takes_the_tile_of_l0() -> None:
    stages = MmadPingpong(l0a_stages=1, l0b_stages=1, l1a_stages=1, l1b_stages=1)
    plan = gemm(
        AtlasA2, (64, 64, 8192), "int8_t", "RowMajor,ColumnMajor",
        l1=(32, 32, 4096), l0=(32, 32, 4096), policy=stages,
    )  # fmt: skip
    room = AtlasA2.replaced(l0a=1 << 20, l0b=1 << 20)
    finding = found(plan.replaced(arch=room).check(), "Mmad k")
    assert (finding.severity, finding.needed, finding.available) == ("error", 4096, 4095)
    assert finding.text == "k of L0 is 4096, and an Mmad takes 4095 at most"
    nearest = plan.replaced(arch=room).nearest()
    assert nearest is not None
    assert nearest.l0.k < 4096
