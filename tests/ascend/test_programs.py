"""Programs of plans: their texts; what an example contradicts; slow: their traces.

Where CATLASS and clang++ are, a program of each plan is compiled and recorded. Its trace equals that of
CATLASS's own example with the same problem, and that of the kernel in Python.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from fuzz_kernels import Draw, pages

from tla import ArgumentError, LayoutError, UnsupportedError
from tla.ascend import (
    Plan,
    attention,
    batched,
    conv,
    epilogue,
    gemm,
    gemv,
    grouped,
    parse_tagged,
    record,
)
from tla.ascend.kernels import gm, simulate
from tla.ascend.kernels.blocks import (
    batched_matmul,
    conv2d,
    flash_attention_infer,
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
    matmul_evg_add,
    matmul_relu,
    matmul_through_ub,
    mx_batched_matmul,
    mx_matmul,
    quant_matmul,
    silu,
    splitk_matmul,
    streamk_matmul,
    w4a4_matmul,
)
from tla.ascend.plans.examples import edited
from tla.ascend.plans.programs import emit_program, host_program
from tla.ascend.tags import SCALE

from .programs import CATLASS, EXAMPLE, expect_equal, issued, needs_catlass
from .test_emit import KERNELS, made
from .test_examples import NOT_PLANNED, ROWS, planned

if TYPE_CHECKING:
    from tla.ascend import Element
    from tla.ascend.kernels import Kernel


@pytest.mark.parametrize(("arch", "name", "order", "kernel"), KERNELS)
def test_a_program_of_each_kernel(arch: str, name: str, order: str, kernel: str | None) -> None:
    plan = made(arch, name, order)
    if kernel is None:
        with pytest.raises(UnsupportedError, match="there is no program of the plan"):
            emit_program(plan, "my_matmul")
        return
    program = emit_program(plan, "my_matmul")  # some of these tiles are too large
    text = program.source
    assert list(program.files()) == ["my_matmul.cpp", "CMakeLists.txt"]
    assert plan.emit_cpp().partition("\n\n")[2] in text
    assert all(
        text.count(opening) == text.count(closing) for opening, closing in (["{", "}"], ["(", ")"])
    )
    memories = re.findall(r"Load\(&device(\w+), (\d+), ", text)
    bias = [("Bias", str(2 * 576))] if plan.bias else []
    extents = [("A", 1000 * 6144), ("B", 6144 * 576), ("C", 1000 * 576)]
    whole = [(x, str(2 * n)) for x, n in extents]
    assert memories == [*whole[:2], *bias, *whole[2:]]
    assert text.count("aclrtFree(device") == len(memories)
    arguments = re.findall(r"arguments\{(.*)\};", text)[0].split(", ")
    assert [x for x in arguments if x.startswith("device")] == [
        *("deviceA", "deviceB", "deviceC"),
        *(f"device{x}" for x, _ in bias),
    ]
    kind = "mix" if "plit" in kernel or "Streamk" in kernel else "cube"
    assert program.cmake.endswith(f"(my_matmul {kind} my_matmul.cpp)\n")


def test_an_example_with_the_parameters_of_a_plan() -> None:
    plan = gemm("AtlasA2", (300, 200, 600), tags="ColumnMajor,RowMajor", l1=(128, 128, 256))
    text = edited(plan, EXAMPLE)
    for line in (
        "using LayoutTagA = layout::ColumnMajor;",
        "// using DispatchPolicy = Gemm::MmadAtlasA2Preload<enableUnitFlag>;",
        "constexpr uint32_t other = 3;\nusing DispatchPolicy = Gemm::MmadPingpong<ArchTag, true>;",
        "using L1TileShape = tla::Shape<tla::Int<128>, tla::Int<128>, tla::Int<256>>;",
        "if (m > n) {\n    using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3,0>;",
        "} else {\n    using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3,0>;",
    ):
        assert line in text, text
    assert "constexpr bool" not in text
    assert edited(plan, text) == text


OF_950 = EXAMPLE.replace("AtlasA2;", "Ascend950;")
_950 = {"arch": "Ascend950", "policy": "MmadPingpong"}


@pytest.mark.parametrize(
    ("changes", "text", "said"),
    [
        ({"elements": "float", "l1": (128, 128, 128)}, EXAMPLE, "an.cpp:1: ElementA is half, and the p"),
        (
            {"tags": "zN,RowMajor"},
            EXAMPLE,
            "an.cpp:2: LayoutA is layout::RowMajor, and the plan's is la",
        ),
        ({"arch": "AtlasA3"}, EXAMPLE, None),
        (
            {"policy": "MmadAtlasA2Preload"},
            EXAMPLE,
            "an.cpp:7: the policy is MmadPingpong, and the plan's is MmadAtlasA2Preload",
        ),
        (
            {"swizzle": "aswt"},
            EXAMPLE,
            "an.cpp:12: the scheduler is GemmIdentityBlockSwizzle, and the plan's is BlockSchedul",
        ),
        ({"bias": "float", **_950}, OF_950, "an.cpp has no bias, and the plan has one"),
        ({"ld": (640, None, None)}, EXAMPLE, "an example has no leading dimensions of its own"),
        ({}, EXAMPLE.replace("L0TileShape", "L0"), "an.cpp has no L0TileShape that could be replaced"),
    ],
)
def test_what_an_example_contradicts(changes: dict[str, Any], text: str, said: str | None) -> None:
    given: dict[str, Any] = {"arch": "AtlasA2", "problem": (300, 200, 600), **changes}
    if said is None:
        assert "MmadPingpong<ArchTag, true>" in edited(gemm(**given), text, "an.cpp")
        return
    with pytest.raises(UnsupportedError) as raised:
        edited(gemm(**given), text, "an.cpp")
    assert said in raised.value.summary


def test_an_epilogue_is_that_of_the_example_or_of_the_kernel() -> None:
    """CATLASS's gelu and silu have one policy and two tiles."""
    text = EXAMPLE.replace("BasicMatmulTla", "MatmulActivation").replace(
        "MmadPingpong<ArchTag, ", "MmadAtlasA2Pingpong<"
    )
    text += "using E = Epilogue::EpilogueAtlasA2ElemWiseNoSource;\n"
    text += "using T = Epilogue::Tile::TileElemWiseGelu<ArchTag>;\n"
    given: dict[str, Any] = {"policy": "MmadAtlasA2Pingpong<true>", "elements": "half"}
    for name in ("gelu", "silu"):
        plan = gemm("AtlasA2", (300, 200, 600), **given, epilogue=epilogue(name, 16384, c="float"))
        if name == "gelu":
            assert "TileElemWiseGelu" in edited(plan, text)
            continue
        with pytest.raises(
            UnsupportedError, match=f"the activation is TileElemWiseGelu, .* TileElemWise{name.title()}"
        ):
            edited(plan, text)
    with pytest.raises(UnsupportedError) as raised:
        emit_program(gemm("AtlasA2", (300, 200, 600), epilogue="gelu"), "my_matmul")
    takes = "with MmadAtlasA2Pingpong and GemmIdentityBlockSwizzle."
    assert raised.value.details[-1] == f"MatmulActivation runs EpilogueAtlasA2ElemWiseNoSource {takes}"


def test_names_that_are_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = gemm("AtlasA2", (300, 200, 600))
    with pytest.raises(ArgumentError, match="cannot be named 'a b'"):
        host_program("a b", "cube", "", (), ())
    monkeypatch.delenv("CATLASS", raising=False)
    with pytest.raises(ArgumentError, match="is no file, and no folder of CATLASS is named"):
        plan.emit(into="13_basic_matmul_tla")
    with pytest.raises(ArgumentError, match=r"CATLASS has no example .13_basic_matmul_tla. in [^.]*$"):
        plan.emit(into="13_basic_matmul_tla", catlass=tmp_path)
    for name in ("13_basic_matmul_tla", "14_optimized_matmul_tla"):
        (tmp_path / "examples" / name).mkdir(parents=True)
        (tmp_path / "examples" / name / "main.cpp").write_text("int main() {}")
    for name in ("13", "13_basic_matmultla"):
        with pytest.raises(ArgumentError, match="Did you mean 13_basic_matmul_tla"):
            plan.emit(into=name, catlass=tmp_path)


def test_no_program_is_written_of_an_illegal_plan() -> None:
    heads = attention("AtlasA2", heads=8, q=200, kv=300, head=200)
    for plan, words in (
        (gemm("AtlasA2", (300, 200, 600), l1=(256, 256, 512)), "breaks 2 rules\n  L1 capacity: .*L0C"),
        (heads, "head size: a head of 200 elements"),
    ):
        with pytest.raises(UnsupportedError, match=f"(?s)no C.. is written of a plan .*{words}"):
            plan.emit(into="99_none")
    odd: Any = "yes"
    with pytest.raises(LayoutError, match="masked = 'yes', a flag is true or false"):
        attention("AtlasA2", heads=8, q=200, kv=300, head=64, masked=odd)


MAIN = "int main() {}\n"
CONV = """\
using ArchTag = Arch::AtlasA2;
constexpr uint32_t L1A_STAGES = 2;
using DispatchPolicy = Conv::ConvAtlasA2Pingpong<L1A_STAGES, 2, 2, 2, 1, false>;
using FmapL1TileShape = Catlass::Conv2dFmapL1Shape<8, 12, 8>;
using FilterL1TileShape = Catlass::Conv2dFilterL1Shape<96, 8>;
using L0TileShape = Catlass::Conv2dL0Shape<16, 96, 16>;
using FmapType = Gemm::GemmType<half, LayoutFmap>;
using BlockScheduler = typename Conv::Block::Conv2dIdentityBlockSwizzle<3, 0>;
"""


def test_examples_of_convolutions_and_of_attention(tmp_path: Path) -> None:
    source = tmp_path / "conv.cpp"
    source.write_text(CONV + MAIN)
    (tmp_path / "other.hpp").write_text("// beside\n")
    plan = conv(
        "AtlasA2",
        image=(2, 32, 33, 43),
        filter=(80, 3, 3),
        block=(4, 12, 2),
        filter_block=(48, 2),
        swizzle=(2, 1),
    )
    program = plan.emit(str(source))
    assert " ".join(program.arguments) == "2 33 43 32 80 3 3 0 0 0 0 1 1 1 1"
    assert (
        program.source
        == CONV.replace("constexpr uint32_t L1A_STAGES = 2;\n", "")
        .replace("<L1A_STAGES, 2, 2, 2, 1, false>", "<2,2,2,2,1,false>")
        .replace("<8, 12, 8>", "<4, 12, 2>")
        .replace("<96, 8>", "<48, 2>")
        .replace(
            "typename Conv::Block::Conv2dIdentityBlockSwizzle<3, 0>",
            "Conv::Block::Conv2dIdentityBlockSwizzle<2, 1>",
        )
        + MAIN
    )
    assert program.files()["other.hpp"] == "// beside\n"
    assert (program.write(tmp_path / "to").parent / "other.hpp").exists()
    with pytest.raises(UnsupportedError, match=r"conv\.cpp has no Arch::Ascend950, which the plan"):
        conv("Ascend950", image=(2, 32, 33, 43), filter=(80, 3, 3)).emit(str(source))
    source = tmp_path / "vector" / "gemv.cpp"
    source.parent.mkdir()
    text = "Arch::AtlasA2 float\nusing DispatchPolicy = Gemm::GemvAtlasA2;\n"
    shapes = "using LayoutA = layout::RowMajor;\nusing UBTileShape = GemvShape<32, 512>;\n"
    source.write_text(text + shapes + MAIN)
    program = gemv("AtlasA2", (100, 70), "float", "ColumnMajor", tile=(64, 32)).emit(str(source))
    changed = shapes.replace("RowMajor", "ColumnMajor").replace("32, 512", "64, 32")
    assert program.source == text + changed + MAIN
    assert program.arguments == ("100", "70")
    heads = attention("AtlasA2", heads=8, q=200, kv=300, head=64, masked=True)
    source = tmp_path / "heads" / "fai.cpp"
    source.parent.mkdir()
    source.write_text(f"// Arch::AtlasA2 {' '.join(heads.kind.blocks)}\n{MAIN}")
    with pytest.raises(UnsupportedError, match=r"fai\.cpp has no Arch::AtlasA2, which"):
        heads.emit(str(source))
    source.write_text(source.read_text().replace("// ", ""))
    assert " ".join(heads.emit(str(source)).arguments) == "1 200 300 8 8 64 0 1 --dtype half"
    with pytest.raises(UnsupportedError, match=r"an example has no tile of \(64, 128, 128\)"):
        heads._replace(tile=heads.tile._replace(m=64)).emit(str(source))


def test_the_words_of_hosts(tmp_path: Path) -> None:
    """A folder may have several programs; hosts take a count, lists, or the kind of scale."""
    folder = tmp_path / "examples" / "99_lists"
    folder.mkdir(parents=True)
    other = EXAMPLE.replace("GemmIdentityBlockSwizzle", "BlockSchedulerAswt")
    (folder / "a.cpp").write_text(other + MAIN)
    (folder / "b.cpp").write_text(EXAMPLE + MAIN + "problemCount = std::atoi(argv[1]);\n")
    program = gemm("AtlasA2", (300, 200, 600)).emit(into="99_lists", catlass=tmp_path)
    assert (program.name, program.arguments) == ("b", ("1", "300", "200", "600"))
    text = EXAMPLE.replace("BasicMatmulTla", "GroupedMatmul") + MAIN + "std::vector<uint32_t> mList;\n"
    (folder / "b.cpp").write_text(text)
    plan = grouped("AtlasA2", None, [(16, 32, 48), (64, 80, 96)], policy="MmadPingpong")
    assert plan.emit(into="99_lists", catlass=tmp_path).arguments == ("2", "16,64", "32,80", "48,96")


class Example(NamedTuple):
    """An example of CATLASS as a plan, and the kernel in Python."""

    plan: dict[str, Any]
    kernel: Kernel | None = None
    problem: tuple[int, int, int] = (300, 200, 600)
    arch: str = "AtlasA2"
    elements: str = "half"
    l1: tuple[int, int, int] = (128, 256, 256)
    l0: tuple[int, int, int] = (128, 256, 64)
    groups: Any = None
    epilogue: tuple[Any, ...] = ()
    options: Any = None
    """Of the kernel in Python, besides those of the plan."""
    is_whole: bool = True
    """Whether a whole program equals it: 07 lists its groups in int32_t, a program in int64_t."""
    is_edited: bool = True
    """Whether it takes the plan's tiles and is all of the plan: 64 computes its own, 26 has a relu."""

    def made(self) -> Plan:
        """The plan."""
        how: dict[str, Any] = {"elements": self.elements, "l1": self.l1, "l0": self.l0, **self.plan}
        if self.epilogue:
            name, tile, *out = self.epilogue
            how["epilogue"] = epilogue(name, tile, **(out[0] if out else {}))
        if isinstance(self.groups, int):
            return batched(self.arch, self.problem, self.groups, **how)
        if self.groups is None:
            return gemm(self.arch, self.problem, **how)
        if "axis" in how:
            return grouped(self.arch, self.problem, self.groups, **how)
        return grouped(self.arch, None, self.groups, **how)


_ON_950: Any = {"arch": "Ascend950", "elements": "float", "l1": (256, 256, 128), "l0": (256, 256, 32)}
_ASYNC = "MmadAtlasA2PreloadAsync<1,2,4,2,1,true,true>"
_CALLED = "MmadAtlasA2PreloadAsyncWithCallback<1,2,2,2,1,false,true>"
_INT8: Any = {"elements": "int8_t", "l1": (128, 256, 512), "l0": (128, 256, 128)}
_HALF: Any = {**_ON_950, "elements": "half"}
_MX: Any = {"policy": "MmadMx<Arch::Ascend950,true,16>", "tags": "RowMajor,ColumnMajor"}


def _scaled(kernel: Kernel, of: str, c: str = "float", k: int = 256, **more: Any) -> Example:
    """An example with MX scales, and tiles of `k` along K."""
    tiles = (256, 256, k), (256, 256, k // 2)
    return Example(
        _MX, kernel, (300, 200, 600), "Ascend950", f"{of},{of},{c}", *tiles, is_whole=False, **more
    )


EXAMPLES = {
    "00_basic_matmul": Example({"policy": "MmadAtlasA2Pingpong<true>"}, matmul),
    "09_splitk_matmul": Example({
        "policy": "MmadAtlasA2Pingpong<true>", "tags": "RowMajor,ColumnMajor", "swizzle": "splitk<3,0>",
    }, splitk_matmul),
    "13_basic_matmul_tla": Example({"policy": "MmadPingpong<true>"}, matmul),
    "20_matmul_bias": Example(
        {"policy": "MmadAtlasA2PingpongBias<true>", "bias": "half"}, matmul_bias, (300, 256, 600)
    ),
    "22_padding_splitk_matmul": Example({
        "policy": "MmadAtlasA2Pingpong<true>", "tags": "RowMajor,ColumnMajor", "swizzle": "splitk<3,0>",
    }, splitk_matmul, (512, 256, 1024)),
    "21_basic_matmul_preload_zN": Example(
        {"policy": "MmadAtlasA2Preload<true,true>", "tags": "RowMajor,zN"}, matmul
    ),
    "26_matmul_relu": Example(
        {"policy": "MmadAtlasA2Preload<true,true>", "tags": "RowMajor,ColumnMajor"}, matmul_relu,
        (512, 256, 1024), is_whole=False, is_edited=False,
    ),
    "25_matmul_full_loadA": Example({"policy": "MmadAtlasA2FullLoadA<true>"}, matmul),
    "31_small_matmul": Example({"policy": "MmadAtlasA2Small<2,true,false>"}, matmul, (100, 500, 200)),
    "37_streamk_matmul": Example(
        {"policy": "MmadAtlasA2Streamk<true,true>", "swizzle": "streamk<3,0>"}, streamk_matmul
    ),
    "43_ascend950_basic_matmul": Example({}, matmul, **_ON_950),
    "66_ascend950_streamk_matmul": Example(
        {"swizzle": "streamk<3,0>"}, streamk_matmul, (700, 200, 1500), **_ON_950
    ),
    "68_ascend950_multi_core_splitk_matmul": Example(
        {"swizzle": "splitk<3,0>"}, splitk_matmul, **_ON_950
    ),
    "69_ascend950_tail_multi_core_splitk_matmul": Example(
        {"swizzle": "tail_splitk<3,0>"}, streamk_matmul, (600, 200, 600), **_ON_950
    ),
    "73_ascend950_matmul_full_loadA": Example(
        {"policy": "MmadAscend950FullLoadA<true,false,1,false,1>"}, matmul, **_HALF
    ),
    "01_batched_matmul": Example({"policy": "MmadAtlasA2Pingpong<true>"}, batched_matmul, groups=3),
    "02_grouped_matmul_slice_m": Example({
        "policy": "MmadAtlasA2PreloadAsync<1,2,2,4,1,true,true>", "tags": "RowMajor,ColumnMajor",
        "axis": "m",
    }, grouped_matmul_slice_m, groups=(50, 100, 150), l1=(256, 128, 256), l0=(256, 128, 64)),
    "05_grouped_matmul_slice_k": Example(
        {"policy": _ASYNC, "swizzle": "identity<3,1>", "axis": "k"}, grouped_matmul_slice_k,
        groups=(100, 200, 300),
    ),
    "08_grouped_matmul": Example(
        {"policy": _ASYNC, "tags": "ColumnMajor,RowMajor", "swizzle": "identity<3,1>"},
        grouped_matmul, groups=[(300, 200, 100), (300, 200, 200), (300, 200, 300)],
        options={"problems": [(300, 200, 100), (300, 200, 200), (300, 200, 300)],
                 "tags": ("ColumnMajor", "RowMajor", "RowMajor")},
    ),
    "03_matmul_add": Example(
        {"policy": "MmadAtlasA2Pingpong<true>"}, matmul_add, epilogue=("add", 16384)
    ),
    "27_matmul_gelu": Example(
        {"policy": "MmadAtlasA2Pingpong<true>"}, matmul_activation, epilogue=("gelu", 16384)
    ),
    "28_matmul_silu": Example(
        {"policy": "MmadAtlasA2Pingpong<true>"}, matmul_activation, epilogue=("silu", 16384),
        options={"activation": silu},
    ),
    "12_quant_matmul": Example(
        {"policy": _CALLED, "tags": "RowMajor,ColumnMajor"}, quant_matmul, **_INT8,
        epilogue=("per_token_dequant", (32, 256)),
    ),
    "10_grouped_matmul_slice_m_per_token_dequant": Example(
        {"policy": _CALLED, "axis": "m"}, grouped_quant_matmul_slice_m, groups=(50, 100, 150), **_INT8,
        epilogue=("per_token_dequant", (32, 256), {"out": "bfloat16_t"}),
    ),
    "07_grouped_matmul_slice_m_per_token_dequant_moe": Example(
        {"policy": "MmadAtlasA2PreloadAsync<1,2,2,4,1,false,true>", "axis": "m"},
        grouped_quant_matmul_slice_m, groups=(50, 100, 150), elements="int8_t",
        epilogue=("per_token_dequant", (32, 256), {"scale": "float"}), is_whole=False,
    ),
    "11_grouped_matmul_slice_k_per_token_dequant": Example(
        {"policy": "MmadAtlasA2PreloadAsync<1,2,2,4,1,false,true>", "axis": "k"},
        grouped_quant_matmul_slice_k, groups=(100, 200, 300), elements="int8_t",
        epilogue=("per_token_dequant", (32, 256), {"out": "bfloat16_t"}),
    ),
    "38_w4a4_matmul_per_token_per_channel_dequant": Example(
        {"policy": "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant<1,2,2,2,1,false,true>",
         "tags": "RowMajor,zN", "scale": "channel", "swizzle": "identity<3,0>"},
        w4a4_matmul, (300, 512, 1104), elements="int4b_t,int4b_t,bfloat16_t", l1=(128, 256, 1024),
        l0=(128, 256, 256), epilogue=("w4a4_dequant", (48, 256), {"out": "bfloat16_t", "c": "half"}),
        is_whole=False,
    ),
    "44_quant_matmul_full_loadA_tla": Example(
        {"policy": "MmadFullLoadA<false,true>"}, quant_matmul, **_INT8, is_whole=False,
        epilogue=("per_token_dequant", (32, 256), {"out": "bfloat16_t", "scale": "float"}),
    ),
    "45_strided_batched_matmul_tla": Example(
        {"policy": "MmadPingpongTlaV2<true>"}, batched_matmul, groups=3
    ),
    "46_ascend950_matmul_fixpipe_opti": Example(
        {"tags": "RowMajor,ColumnMajor", "swizzle": "BlockSchedulerAswt"}, matmul_through_ub,
        (300, 500, 200), "Ascend950", "half,half,float", (256, 256, 128), (256, 256, 64),
        epilogue=("fixpipe", (128, 256), {"out": "float"}), is_whole=False,
    ),
    "64_ascend950_matmul_evg": Example(
        {}, matmul_evg_add, **_ON_950, is_whole=False, is_edited=False,
        epilogue=("evg", 10560, {
            "stages": 2, "out": "float", "nodes": ["acc_load", "aux_load", "compute"],
        }),
    ),
    "60_ascend950_grouped_matmul_slice_m": Example(
        {"axis": "m"}, grouped_matmul_slice_m, groups=(50, 100, 150), arch="Ascend950",
        l1=(256, 256, 256), l0=(256, 256, 64),
    ),
    "53_ascend950_fp8_mx_matmul": _scaled(mx_matmul, "float8_e4m3_t"),
    "54_ascend950_fp4_mx_matmul": _scaled(mx_matmul, "float4_e2m1x2_t", k=512),
    "58_ascend950_fp8_mx_batch_matmul": _scaled(
        mx_batched_matmul, "float8_e4m3_t", "bfloat16_t", groups=3
    ),
    "67_ascend950_batched_matmul": Example({}, batched_matmul, groups=3, **_ON_950),
}  # fmt: skip
"""Of each example the plan that has its parameters."""


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_trace_of_a_program_is_that_of_the_example(name: str, tmp_path: Path) -> None:
    example = EXAMPLES[name]
    plan = example.made()
    assert plan.check().ok
    folder = CATLASS / "examples" / name
    count = () if plan.groups is None else (len(plan.groups.problems),)
    words = (*count, *example.problem)
    theirs = issued(record(min(folder.glob("*.cpp")), words, catlass=CATLASS))
    programs = [plan.emit()] if example.is_whole else []
    if example.is_edited:
        into = plan.emit(into=name, catlass=CATLASS)
        programs.append(into._replace(arguments=tuple(map(str, words))))
    for program in programs:
        source = program.write(tmp_path / program.name)
        expect_equal(issued(record(source, program.arguments, catlass=CATLASS)), theirs)
    if example.kernel is not None:
        arrays = _arrays(plan, example.kernel, np.int64 if example.is_whole else np.int32)
        options: Any = {"policy": plan.policy, "l1": plan.l1, "l0": plan.l0, "swizzle": plan.swizzle}
        options |= example.options or {}
        run = simulate(example.kernel.on(plan.arch), *arrays, cores=2, checks=(), **options)
        expect_equal(issued(run), theirs)


@pytest.mark.slow
@needs_catlass
def test_a_matrix_by_a_vector_is_that_of_the_example() -> None:
    m, n, (alpha, beta) = 120, 1200, (0.6803754568099976, -0.21123415231704712)  # the host's rand()
    theirs = record(CATLASS / "examples" / "17_gemv_aiv" / "gemv_aiv.cpp", (m, n), catlass=CATLASS)
    arrays = [np.zeros(shape, np.float32) for shape in ((m, n), n, m, m)]
    run = simulate(gemv_aiv, *arrays, cores=4, checks=(), alpha=alpha, beta=beta)
    expect_equal(issued(run), issued(theirs))


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("name", ["33_basic_conv2d", "56_ascend950_basic_conv2d_tla"])
def test_a_convolution_is_that_of_the_example(name: str) -> None:
    for more in (
        {},
        {"stride": (2, 1), "dilation": (1, 2), "filter": (112, 2, 3), "pads": (3, 2, 1, 0)},
    ):
        row = next(row for row in ROWS if row["example"] == name[:2])
        plan = planned({**row, **more})
        program = plan.emit(name, catlass=CATLASS)
        source = next((CATLASS / "examples" / name).glob("*.cpp"))
        theirs = issued(record(source, program.arguments, catlass=CATLASS))
        (batch, channels, *image), (cout, *taps), element = plan.image, plan.filter, np.float16
        groups = channels // 16
        shapes = (batch, groups, *image), (groups, *taps, cout), (batch, cout // 16, *plan.out)
        arrays = [
            gm(np.zeros((*shape, 16), element), f"{tag}<half>({','.join(map(str, shape))})")
            for tag, shape in zip(("NC1HWC0", "CI1KHKWCOCI0", "NC1HWC0"), shapes, strict=True)
        ]
        run = simulate(
            conv2d.on(plan.arch), *arrays, strides=plan.stride, dilations=plan.dilation, pads=plan.pads,
            tile=(*plan.block[:2], plan.filter_block[0]), channels=(plan.block.k, plan.filter_block[1]),
            l0=plan.l0[1:], policy="MmadPingpong<false>", swizzle=plan.swizzle, cores=2, checks=(),
        )  # fmt: skip
        expect_equal(issued(run), theirs)


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("name", ["23_flash_attention_infer", "40_flash_attention_infer_tla"])
@pytest.mark.parametrize(
    ("lengths", "heads", "depth"),
    [([(100, 300)], (2, 1), 128), ([(20, 1300)] * 2, (4, 2), 64), ([(1, 513)], (3, 1), 80)],
)
def test_attention_on_pages_is_that_of_the_example(
    name: str, lengths: list[tuple[int, int]], heads: tuple[int, int], depth: int, tmp_path: Path
) -> None:
    arrays, _ = pages(Draw(0), lengths, heads, depth)
    (rows, keys), batches = lengths[0], len(lengths)
    files: dict[str, Any] = dict(
        zip(("q", "k", "v", "block_table", "q_seqlen", "kv_seqlen"), arrays, strict=False)
    )
    files["block_table"] = files["block_table"].memory[:-1]
    files["q_ntokens"] = np.array([batches * rows], np.int32)
    files["golden"] = np.zeros(arrays[0].shape, np.float32)
    for file, array in files.items():
        array.tofile(tmp_path / f"{file}.bin")
    sizes = batches, rows, keys, *heads, depth, 0, 0, "--datapath", tmp_path
    source = CATLASS / "examples" / name / "fai.cpp"
    theirs = record(source, [str(x) for x in sizes], catlass=CATLASS)
    ours = simulate(flash_attention_infer, *arrays, head=depth, cores=2, checks=())
    expect_equal(issued(ours), issued(theirs))


def test_the_page_names_the_examples_that_are_equal_and_the_others() -> None:
    page = (Path(__file__).parents[2] / "docs" / "kernel_machine.md").read_text("utf-8")
    equal, _, others = page.partition("## CATLASS's examples")[2].partition("The others:")
    written = {name[:2] for name, example in EXAMPLES.items() if example.kernel is not None}
    written |= {"17", "23", "40", "33", "56"}  # in tests of their own
    listed = equal.partition("They are ")[2].partition(".")[0]
    assert set(re.findall(r"\d+", listed)) == written
    assert f"examples of CATLASS {len(written)} are" in equal
    rows = re.findall(r"^\| (\d[\d, ]*) \|", others.partition("\n## ")[0], re.M)
    rest = {x for row in rows for x in row.split(", ")}
    names = {row["example"] for row in ROWS} | NOT_PLANNED.keys()
    assert rest == names - written


NOT_EMITTED = {
    "55": "its tiles are arguments of a template, by element type",
    "61": "three products in one kernel, each with a policy and tiles",
    **dict.fromkeys(("102", "103"), "its tiles are chosen when it runs"),
}
"""Examples with a plan that do not take its parameters, and why."""
STOPS = ("57", "62")
"""Hosts that end before the launch where the data of their scripts are not there."""


def test_the_page_names_the_examples_that_take_no_plan() -> None:
    page = (Path(__file__).parents[2] / "docs/howto/run_a_plan_on_the_device.md").read_text("utf-8")
    rest = {*NOT_EMITTED, *NOT_PLANNED}
    table = page[page.index("take a plan's parameters") : page.index("## 3.")]
    assert f"{72 - len(rest)} of the 72 examples" in page
    assert {x for row in re.findall(r"^\| ([\d, ]+) \|", table, re.M) for x in row.split(", ")} == rest


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['example']} {row.get('policy', '')}")
def test_an_example_takes_its_own_plan(row: dict[str, Any], tmp_path: Path) -> None:
    """Compiled by the recorder, each launches its kernel."""
    number, plan = row["example"], planned(row)
    name = next(x.name for x in (CATLASS / "examples").glob(f"{number}_*"))
    if number in NOT_EMITTED:
        with pytest.raises(UnsupportedError):
            plan.emit(into=name, catlass=CATLASS)
        return
    program = plan.emit(into=name, catlass=CATLASS)
    with contextlib.ExitStack() as stack:
        if number in STOPS:
            stack.enter_context(pytest.raises(UnsupportedError, match="launched"))
        source = program.write(tmp_path)
        cores = plan.cores if number == "31" else 2  # it has a block for each core at most
        found = record(source, program.arguments, catlass=CATLASS, cores=cores)
        assert found.calls


def _arrays(plan: Plan, kernel: Kernel, list_of: Any) -> list[Any]:
    """Zeros for the tensors of a kernel in Python, by their names, and the list of groups."""
    axis = plan.groups.axis if plan.groups else ""
    problems = plan.problems
    extents, count = [max(x) for x in zip(*problems, strict=True)], len(problems)
    if axis in ("m", "k"):
        extents["m k".index(axis)] = sum(x["m k".index(axis)] for x in problems)
    m, n, k = extents
    of_bias = np.float16 if plan.bias is not None and plan.bias.name == "half" else np.float32
    made: dict[str, Any] = {"Bias": np.zeros(n, of_bias)}
    if axis in ("m", "k"):
        made["GroupList"] = np.cumsum([x["m k".index(axis)] for x in problems]).astype(list_of)

    def zeros(tag: str, of: Element | str, *shape: int) -> Any:
        rows = ",".join(map(str, shape[-2:])) + (f",batch={shape[0]}" if shape[2:] else "")
        tagged = parse_tagged(f"{tag}<{of}>({rows})")
        return gm(np.zeros(tagged.element.bytes_of(int(tagged.layout.cosize)), np.int8), tagged)

    sides: dict[Any, tuple[int, int]] = {"A": (m, k), "B": (k, n), "C": (m, n)}
    batch = [count] if axis == "batch" else []
    repeated = {"batch": "ABC", "m": "B", "k": "C"}.get(axis, "")
    for name, shape in sides.items():
        of = plan.epilogue.out if plan.epilogue and name == "C" else plan.element(name)
        made[name] = zeros(plan.tag(name), of, *([count] if name in repeated else []), *shape)
    made["D"] = made["C"]
    if plan.policy.family.mx:
        groups = 2 * -(-k // 64)
        made["MxScaleA"] = zeros("MxScaleRowMajorA", SCALE, *batch, m, groups)
        made["MxScaleB"] = zeros("MxScaleColumnMajorB", SCALE, *batch, groups, n)
    for name, of in plan.epilogue.elements if plan.epilogue else ():
        whose = {"scale": ("Scale", n, axis in ("m", "k")), "token": ("PerTokenScale", m, axis == "k")}
        if name in whose:
            tensor, extent, many = whose[name]
            tag, first = ("RowMajor", [count]) if many else ("VectorLayout", [])
            made[tensor] = zeros(tag, of, *first, extent)
    if plan.policy.name.startswith("MmadAtlasA2W4A4"):
        made["Scale"], made["PerTokenScale"] = np.zeros(n, np.uint64), np.zeros(m, np.float32)
    if axis == "list":
        for name, (i, j) in {"A": (0, 2), "B": (2, 1), "C": (0, 1)}.items():
            made[name] = np.zeros(sum(x[i] * x[j] for x in problems), np.float16)
    return [made[name] for name in kernel.tensors]
