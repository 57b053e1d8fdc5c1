"""The C++ of a plan: what it declares is the plan, read back; both generations of types; what has none.

That the text compiles against CATLASS's headers, and that their assertions fail where ours do, was seen
with g++ on 440 random plans of both instruction sets.
"""

import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import UnsupportedError
from tla.ascend.plans.emit import emit_cpp
from tla.ascend.plans.families import FAMILIES
from tla.ascend.plans.plan import Plan, gemm
from tla.ascend.plans.policies import policy
from tla.ascend.schedules import swizzle
from tla.ascend.shapes import gemm_shape

KERNELS = [
    ("AtlasA2", "MmadAtlasA2Pingpong", "identity<3,0>", "BasicMatmul"),
    ("AtlasA2", "MmadAtlasA2Pingpong", "splitk<3,1>", "SplitkMatmul"),
    ("AtlasA2", "MmadAtlasA2PingpongBias", "identity", "MatmulBias"),
    ("AtlasA2", "MmadAtlasA2Preload", "identity", "BasicMatmulPreload"),
    ("AtlasA2", "MmadAtlasA2Small", "identity", "SmallMatmul"),
    ("AtlasA2", "MmadAtlasA2FullLoadA", "l1_full_load<1,0>", "MatmulFullLoadA"),
    ("AtlasA2", "MmadAtlasA2Streamk", "streamk<3,0>", "StreamkMatmul"),
    ("AtlasA2", "MmadAtlasA2SingleCoreSplitk", "single_core_splitk<20,0>", "SingleCoreSplitkMatmul"),
    ("AtlasA2", "MmadAtlasA2PreloadAsync", "identity", None),
    ("AtlasA2", "MmadPingpong", "identity<3,0>", "BasicMatmulTla"),
    ("AtlasA2", "MmadPingpong", "column", None),
    ("AtlasA2", "MmadFullLoadA", "identity", "MatmulFullLoadATla"),
    ("Ascend950", "MmadPingpong", "streamk", "StreamkMatmulTla"),
    ("Ascend950", "MmadPingpong", "splitk", "MultiCoreSplitkMatmulTla"),
    ("Ascend950", "MmadPingpong", "tail_splitk", "TailMultiCoreSplitkMatmulTla"),
    ("Ascend950", "MmadPingpong", "aswt", None),
    ("Ascend950", "MmadPingpongMutex", "identity", "BasicMatmulTla"),
    ("Ascend950", "MmadPreloadAsyncWithCallback", "identity", "BasicMatmulTla"),
    ("Ascend950", "MmadAscend950FullLoadA", "l1_full_load", "MatmulFullLoadATla"),
]


def made(arch: str, name: str, order: str, **more: Any) -> Plan:
    bias = "half" if name.endswith("Bias") else None
    tiles = ((128, 256, 256), (128, 256, 64)) if arch == "AtlasA2" else ((256, 256, 128), (256, 256, 64))
    of = more.pop("elements", "half")
    tags = more.pop("tags", "RowMajor")
    return gemm(arch, (1000, 576, 6144), of, tags, *tiles, FAMILIES[name](), order, bias=bias, **more)


def declared(text: str, name: str) -> str:
    """What an alias stands for."""
    found = re.findall(rf"^using {name} =\s+(.*?);$", text.replace("\n    ", " "), re.M)
    assert len(found) == 1, (name, text)
    return str(found[0])


@pytest.mark.parametrize(("arch", "name", "order", "kernel"), KERNELS)
def test_the_text_is_the_plan(arch: str, name: str, order: str, kernel: str | None) -> None:
    plan = made(arch, name, order)
    text = emit_cpp(plan)
    assert text == plan.emit_cpp()
    assert text.endswith(";\n")
    assert max(map(len, text.splitlines())) < 130
    assert declared(text, "ArchTag") == f"Arch::{arch}"
    read = policy(declared(text, "DispatchPolicy"))
    assert (read.name, read.arguments) == (plan.policy.name, plan.policy.arguments)
    assert swizzle(declared(text, "BlockScheduler")) == plan.swizzle
    assert gemm_shape(declared(text, "L1TileShape")) == plan.l1
    assert gemm_shape(declared(text, "L0TileShape")) == plan.l0
    tla = plan.policy.family.api == "tla"
    assert f"Gemm::Block::BlockMmad{'Tla' if tla else ''}<" in declared(text, "BlockMmad")
    tag = declared(text, "LayoutTagA" if tla else "LayoutA")
    assert tag == "layout::RowMajor"
    if kernel is None:
        assert "MatmulKernel" not in text
        assert f"// CATLASS has no kernel for a plain product by {name} and" in text
    else:
        assert declared(text, "MatmulKernel").startswith(f"Gemm::Kernel::{kernel}<")
    assert f"-DCATLASS_ARCH={plan.arch.code}" in text.splitlines()[0]
    assert "const GemmCoord problemShape{1000, 576, 6144};" in text


@pytest.mark.parametrize(("arch", "name", "order", "kernel"), KERNELS)
def test_every_name_is_declared_before_it_is_used(
    arch: str, name: str, order: str, kernel: str | None
) -> None:
    known = {"Gemm", "Kernel", "Block", "Arch", "GemmCoord", "GemmShape", "GemmType", "MakeLayout"}
    known |= {"Tile", "Catlass"}
    known |= {"Shape", "Int", "MakeShape", "MakeStride", "CATLASS", "AtlasA2", "Ascend950", "AscendC"}
    text = emit_cpp(made(arch, name, order)).replace("\n    ", " ")
    for line in text.splitlines():
        if line.startswith(("//", "#include")) or not line:
            continue
        alias = re.match(r"using (\w+) = ", line)
        used = re.findall(r"(?<!::)\b([A-Z]\w+)", line.split("=", 1)[1] if alias else line)
        assert set(used) <= known, line
        if alias:
            known.add(alias[1])


def test_headers_are_each_named_once_in_order() -> None:
    for arch, name, order, _kernel in KERNELS:
        lines = [x for x in emit_cpp(made(arch, name, order)).splitlines() if x.startswith("#include")]
        assert lines == sorted(set(lines))


def test_partial_sums() -> None:
    """Where slices of k are added up, the block writes what it sums in, and the vector cores make C."""
    text = emit_cpp(made("AtlasA2", "MmadAtlasA2Pingpong", "splitk"))
    assert declared(text, "CType") == "Gemm::GemmType<ElementAccumulator, LayoutC>"
    reduce = "Gemm::Kernel::SplitkReduceAdd<ArchTag, ElementAccumulator, ElementC, 1, 49152>"
    assert declared(text, "ReduceAdd") == reduce
    text = emit_cpp(made("AtlasA2", "MmadAtlasA2Streamk", "streamk"))
    assert declared(text, "CType") == "Gemm::GemmType<ElementC, LayoutC>"
    single = "MmadAtlasA2SingleCoreSplitk"
    text = emit_cpp(made("AtlasA2", single, "single_core_splitk"))
    assert "NO_PADDING, ArchTag, ElementAccumulator, ElementC, LayoutC>" in declared(text, "CastC")
    text = emit_cpp(made("AtlasA2", single, "single_core_splitk", elements="half,half,float"))
    assert declared(text, "CastC") == "void"
    assert "void, void, BlockMmad, BlockEpilogue, BlockScheduler, CastC" in text


def test_a_bias() -> None:
    old = emit_cpp(made("AtlasA2", "MmadAtlasA2PingpongBias", "identity"))
    assert declared(old, "BiasType") == "Gemm::GemmType<ElementBias, layout::VectorLayout>"
    assert declared(old, "BlockMmad").endswith("CType, BiasType>")
    new = emit_cpp(gemm("Ascend950", (64, 64, 64), "half", bias="float"))
    assert declared(new, "ElementBias") == "float"
    assert declared(new, "TileCopy").endswith("LayoutTagC, ElementBias>")
    assert declared(emit_cpp(gemm("Ascend950", (64, 64, 64))), "BlockMmad").endswith("void, TileCopy>")


@pytest.mark.parametrize(
    ("arch", "name", "tags", "ld", "lines"),
    [
        ("AtlasA2", "MmadAtlasA2Pingpong", "RowMajor", (6200, None, 640),
         ["const LayoutA layoutA{1000, 6144, 6200};", "const LayoutB layoutB{6144, 576};",
          "const LayoutC layoutC{1000, 576, 640};"]),
        ("AtlasA2", "MmadAtlasA2Pingpong", "ColumnMajor", (1024, None, None),
         ["const LayoutA layoutA{1000, 6144, 1024};"]),
        ("AtlasA2", "MmadAtlasA2Preload", "PaddingRowMajor,nZ,RowMajor", None,
         ["const LayoutA layoutA{1000, 6144, 128, 256};",
          "const LayoutB layoutB = LayoutB::MakeLayout<ElementB>(6144, 576);"]),
        ("Ascend950", "MmadPingpong", "RowMajor,ColumnMajor,RowMajor", (6200, 6145, None),
         ["const auto layoutA = tla::MakeLayout(tla::MakeShape(1000u, 6144u),"
          " tla::MakeStride(int64_t{6200}, tla::Int<1>{}));",
          "const auto layoutB = tla::MakeLayout(tla::MakeShape(6144u, 576u),"
          " tla::MakeStride(tla::Int<1>{}, int64_t{6145}));",
          "const auto layoutC = tla::MakeLayout<ElementC, LayoutTagC>(1000u, 576u);"]),
        ("Ascend950", "MmadPingpong", "PaddingColumnMajor,zN,RowMajor", None,
         ["const LayoutTagA layoutA{1000, 6144, 256, 128};",
          "const auto layoutB = tla::MakeLayout<ElementB, LayoutTagB>(6144u, 576u);"]),
    ],
)  # fmt: skip
def test_layouts(arch: str, name: str, tags: str, ld: Any, lines: list[str]) -> None:
    text = emit_cpp(made(arch, name, "identity", tags=tags, ld=ld)).splitlines()
    for line in lines:
        assert line in text


@pytest.mark.parametrize(
    ("name", "tags", "says"),
    [
        ("MmadAtlasA2Pingpong", "PaddingRowMajor,RowMajor",
         "A as PaddingRowMajor: OptimizedMatmul makes it, of RowMajor."),
        ("MmadAtlasA2Preload", "RowMajor,PaddingColumnMajor",
         "B as PaddingColumnMajor: OptimizedMatmul makes it, of ColumnMajor."),
        ("MmadPingpong", "PaddingRowMajor,RowMajor",
         "A as PaddingRowMajor: OptimizedMatmul makes it, of RowMajor."),
        ("MmadPingpong", "RowMajor,RowMajor,PaddingRowMajor", "C as PaddingRowMajor."),
    ],
)  # fmt: skip
def test_no_kernel_takes_matrices_in_blocks(name: str, tags: str, says: str) -> None:
    """Their classes have no MakeLayout, which every kernel of the table calls or has callers call."""
    text = emit_cpp(made("AtlasA2", name, "identity", tags=tags))
    assert f"// No kernel of CATLASS takes {says}" in text.splitlines()
    assert "MatmulKernel" not in text
    assert "gemm/kernel" not in text


def test_elements_are_those_of_cann() -> None:
    text = emit_cpp(gemm("AtlasA2", (64, 64, 64), "int4b_t", l1=(128, 256, 256)))
    assert declared(text, "ElementA") == "AscendC::int4b_t"
    assert declared(text, "ElementC") == "int32_t"
    text = emit_cpp(gemm("Ascend950", (64, 64, 64), "float8_e4m3_t,float8_e5m2_t,half"))
    assert [declared(text, f"Element{x}") for x in "ABC"] == ["float8_e4m3_t", "float8_e5m2_t", "half"]


@given(st.tuples(*[st.integers(1, 2**32 - 1)] * 3))
def test_any_problem_that_catlass_can_count(problem: tuple[int, int, int]) -> None:
    text = emit_cpp(gemm("AtlasA2", problem, l1=(128, 256, 256), l0=(128, 256, 64)))
    assert "problemShape{{{}, {}, {}}};".format(*problem) in text


def test_a_problem_that_it_cannot_count() -> None:
    with pytest.raises(UnsupportedError, match="K = 4294967296 does not fit CATLASS's uint32_t"):
        emit_cpp(gemm("AtlasA2", (1, 1, 2**32), l1=(128, 256, 256), l0=(128, 256, 64)))


@pytest.mark.parametrize(
    ("name", "bias", "text"),
    [
        ("GemmAtlasA2", None, "its block is a BlockGemm"),
        ("MmadPingpongSymmLeft", None, "of a symmetric A"),
        ("MmadAtlasA2PingPongWithPrologue", None, "prologues for A and B"),
        ("MmadAtlasA2PingpongBias", None, "adds a bias, and the plan has none"),
        ("MmadAtlasA2Preload", "half", "MmadAtlasA2Preload adds no bias"),
        ("MmadPingpong", "float", "MmadPingpong adds no bias on AtlasA2"),
    ],
)
def test_policies_that_take_more_than_a_plan_says(name: str, bias: str | None, text: str) -> None:
    tiles = ((128, 128, 128), (128, 128, 64))
    plan = gemm("AtlasA2", (64, 64, 64), "half", "RowMajor", *tiles, FAMILIES[name](), bias=bias)
    with pytest.raises(UnsupportedError, match=text):
        emit_cpp(plan)


def test_chips_are_of_their_architecture() -> None:
    text = emit_cpp(gemm("910B3", (64, 64, 64)))
    assert declared(text, "ArchTag") == "Arch::AtlasA2"
    assert "on Ascend910B3;" in text
    assert declared(emit_cpp(gemm("AtlasA3", (64, 64, 64))), "ArchTag") == "Arch::AtlasA2"
