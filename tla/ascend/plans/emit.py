# SPDX-License-Identifier: Apache-2.0
"""The C++ of a plan: CATLASS's types for its tiling, from the architecture to the kernel.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (1024, 576, 6144), "half", policy="MmadAtlasA2Pingpong<true>")
>>> print(emit_cpp(plan), end="")
// C[1024,576] half = A[1024,6144] half * B[6144,576] half on AtlasA2; with -DCATLASS_ARCH=2201.
#include "catlass/arch/arch.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/block/block_swizzle.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/kernel/basic_matmul.hpp"
#include "catlass/layout/layout.hpp"
<BLANKLINE>
using namespace Catlass;
<BLANKLINE>
using ArchTag = Arch::AtlasA2;
using DispatchPolicy = Gemm::MmadAtlasA2Pingpong<true>;
using L1TileShape = GemmShape<128, 256, 256>;
using L0TileShape = GemmShape<128, 256, 64>;
using ElementA = half;
using ElementB = half;
using ElementC = half;
using LayoutA = layout::RowMajor;
using LayoutB = layout::RowMajor;
using LayoutC = layout::RowMajor;
using AType = Gemm::GemmType<ElementA, LayoutA>;
using BType = Gemm::GemmType<ElementB, LayoutB>;
using CType = Gemm::GemmType<ElementC, LayoutC>;
using BlockMmad = Gemm::Block::BlockMmad<DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType>;
using BlockEpilogue = void;
using BlockScheduler = Gemm::Block::GemmIdentityBlockSwizzle<3,0>;
using MatmulKernel = Gemm::Kernel::BasicMatmul<BlockMmad, BlockEpilogue, BlockScheduler>;
<BLANKLINE>
const GemmCoord problemShape{1024, 576, 6144};
const LayoutA layoutA{1024, 6144};
const LayoutB layoutB{6144, 576};
const LayoutC layoutC{1024, 576};

A policy whose block is a ``BlockMmadTla`` gets the types of TLA. If CATLASS has no kernel for the policy
with the swizzle, or for a matrix in blocks, the text ends at the scheduler and says so.

Source: the CATLASS examples that `kernels` names combine the types; 06 and 14 have matrices in blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError
from .defaults import bias_family
from .kernels import kernel, kernels_of
from .tiling import BLOCKS, LINES, OPERANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .epilogues import Epilogue
    from .kernels import Kernel
    from .tile import Operand
    from .tiling import Tiling

_WORD: Final = 1 << 32
_SHAPE: Final = "GemmShape<{}, {}, {}>"
_TLA_SHAPE: Final = "tla::Shape<tla::Int<{}>, tla::Int<{}>, tla::Int<{}>>"


_OTHERS: Final = {
    "GemmAtlasA2": "its block is a BlockGemm, with alpha and beta",
    "MmadAtlasA2PingPongWithPrologue": "its tile copies have prologues for A and B",
    "MmadAtlasA2PingpongSliceKWithPrologue": "its tile copies have prologues for A and B",
    "MmadAtlasA2W8A16": "CATLASS has no block for it",
    "MmadPingpongSymmLeft": "its block is a BlockMmadTla of a symmetric A",
    "MmadPingpongSymmRight": "its block is a BlockMmadTla of a symmetric B",
}
"""Policies whose blocks need more than a plan's types, and why."""

_BLOCK_NAMES: Final = {
    "SparseMatmulMultiBlockOnKAxis": "BlockMmadSparseTla", "MmadMxPreload": "BlockMmadMxPreloadTla",
    "MmadA8W4Mx": "BlockMmadA8W4Mx",
}  # fmt: skip
"""The blocks of policies that are no BlockMmadTla."""
_GRANULARITIES: Final = {"tensor": "PER_TENSOR", "channel": "PER_CHANNEL"}
"""The scales that the fixpipe multiplies by."""
_SCHEDULERS: Final = {
    "BlockSchedulerAswt": "block_scheduler_aswt",
    "BlockSchedulerIterateK": "block_scheduler_iterateK",
    "GemmGroupedAswtTailSplitSwizzle": "block_swizzle_grouped_aswt",
}


def emit_cpp(plan: Tiling) -> str:
    """Return C++ that declares a plan's types, problem, layouts and kernel.

    The plan need not be legal. The static assertions of the block show what CATLASS itself refuses.

    Raises:
        UnsupportedError: an extent has more than 32 bits; the policy's block needs more than a plan has;
            the plan has a bias that the block does not add, or no bias for a block that adds one.
    """
    for name, extent in zip(("M", "N", "K"), plan.problem, strict=True):
        if extent >= _WORD:
            raise UnsupportedError(
                f"{name} = {extent} does not fit CATLASS's uint32_t", problem=plan.problem
            )
    name, tla = plan.policy.name, plan.policy.family.api == "tla"
    if name in _OTHERS:
        raise UnsupportedError(f"{name} is not of a plan's types alone: {_OTHERS[name]}", policy=name)
    if plan.bias is None and name == "MmadAtlasA2PingpongBias":
        raise UnsupportedError(f"{name} adds a bias, and the plan has none", policy=name)
    if plan.bias is not None and not plan.policy.family.adds_bias(plan.arch.code):
        does = f"Here {bias_family(plan.arch).name} adds one."
        raise UnsupportedError(f"{name} adds no bias on {plan.arch}", does, policy=name)
    taker = kernel(plan)
    head = f"// {plan.formula} on {plan.arch}; with -DCATLASS_ARCH={plan.arch.code}."
    parts = [
        [head, *_includes(plan, taker, tla)],
        ["using namespace Catlass;"],
        [*(_tla_types(plan) if tla else _types(plan, taker)), *_end(plan, taker)],
        [*_values(plan, tla)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _includes(plan: Tiling, kernel: Kernel | None, tla: bool) -> Iterator[str]:
    headers = {"arch/arch", "gemm/block/block_mmad", "gemm/block/block_swizzle", "gemm/dispatch_policy"}
    headers |= {"layout/layout", "gemm/tile/tile_copy" if tla else "gemm/gemm_type"}
    if plan.swizzle.name in _SCHEDULERS:
        headers.add(f"gemm/block/{_SCHEDULERS[plan.swizzle.name]}")
    if kernel:
        headers.add(f"gemm/kernel/{kernel.header}")
        headers |= {"gemm/kernel/padding_matmul"} if kernel.sums == "RemovePaddingNDAndCast" else set()
    yield from (f'#include "catlass/{header}.hpp"' for header in sorted(headers))
    if tla:
        yield '#include "tla/layout.hpp"'
    if plan.epilogue and kernel:
        parts = ["block/block_epilogue", "dispatch_policy", "tile/tile_copy", "tile/tile_swizzle"]
        tiles = {"add": ["elemwise_add"], "silu": ["elemwise_silu"], "gelu": ["elemwise_gelu"]}
        own = tiles.get(plan.epilogue.family.name, ["broadcast_mul", "broadcast_one_blk"])
        yield from (
            f'#include "catlass/epilogue/{x}.hpp"' for x in (*parts, *(f"tile/tile_{t}" for t in own))
        )


# --- types ---


def _common(plan: Tiling, shape: str) -> Iterator[str]:
    yield f"using ArchTag = Arch::{plan.arch.tag};"
    own = plan.policy.arch in (None, plan.arch.tag)
    policy = plan.policy._replace(arch=None) if own else plan.policy
    yield f"using DispatchPolicy = Gemm::{str(policy).replace(',', ', ')};"
    for name, tile in (("L1TileShape", plan.l1), ("L0TileShape", plan.l0)):
        yield f"using {name} = {shape.format(*tile)};"
    for operand in OPERANDS:
        yield f"using Element{operand} = {_cpp(plan.element(operand).name)};"
    if plan.bias:
        yield f"using ElementBias = {_cpp(plan.bias.name)};"


def aliases(plan: Tiling, tla: bool) -> dict[str, str]:
    """Return the C++ types of a plan's parameters, by the names that CATLASS's examples give them.

    A matrix in blocks has the tag of the one that the kernel makes it of.
    """
    lines = _common(plan, _TLA_SHAPE if tla else _SHAPE)
    made = {name: value for line in lines for name, value in [line[6:-1].split(" = ", 1)]}
    for operand in OPERANDS:
        tag = plan.tag(operand)
        made[f"Layout{operand}"] = f"layout::{tag[7:] if tag in BLOCKS else tag}"
    return {**made, "BlockScheduler": f"Gemm::Block::{plan.swizzle}"}


def _cpp(element: str) -> str:
    return "AscendC::int4b_t" if element == "int4b_t" else element


def _tla_types(plan: Tiling) -> Iterator[str]:
    yield from _common(plan, _TLA_SHAPE)
    for operand in OPERANDS:
        yield f"using LayoutTag{operand} = layout::{plan.tag(operand)};"
    yield from _tile_copy(plan)
    yield f"using BlockMmad = Gemm::Block::{_BLOCK_NAMES.get(plan.policy.name, 'BlockMmadTla')}<"
    elements = f"ElementA, ElementB, ElementC, {'ElementBias' if plan.bias else 'void'}"
    yield f"    DispatchPolicy, L1TileShape, L0TileShape, {elements}, TileCopy>;"


def _tile_copy(plan: Tiling) -> Iterator[str]:
    """The types of the copies of a block of TLA: with scales of MX types, to UB, of an A with holes."""
    a, b, c = (f"Element{x}, LayoutTag{x}" for x in OPERANDS)
    bias = "ElementBias" if plan.bias else "void"
    name, parts = "PackedTileCopyTla", [a, b, c, *([bias] if plan.bias else [])]
    if plan.policy.family.mx:
        yield "using ElementMxScale = float8_e8m0_t;"
        for x, is_b in (("A", "false"), ("B", "true")):
            made = f"tla::MakeMxScaleLayout<ElementMxScale, LayoutTag{x}, {is_b}>(1u, 1u)"
            yield f"using LayoutMxScale{x} = decltype({made});"
        scales = [f"ElementMxScale, LayoutMxScale{x}" for x in "AB"]
        name, parts = "PackedMxTileCopyTla", [a, b, *scales, c, bias]
        if plan.policy.name == "MmadA8W4Mx":
            of_b = ("float4_e2m1x2_t, LayoutTagB", "ElementB, layout::nZ")
            name, parts = "PackedMxA8W4TileCopyTla", [a, *of_b, *scales, c, bias]
            parts += ["false", "Gemm::Tile::ScaleGranularity::PER_TENSOR"]
    elif plan.policy.family.sparse:
        name, parts = "SparseTileCopyTla", [a, b, c]
    elif plan.policy.name == "MmadPingpongPertile":
        name, parts = "PackedTileCopyTlaToUB", [a, b, c, bias, "Gemm::Tile::CopyL0CToUBMode::SPLIT_M"]
    elif plan.scale and plan.scale.kind in _GRANULARITIES:
        granularity = f"Gemm::Tile::ScaleGranularity::{_GRANULARITIES[plan.scale.kind]}"
        parts = [a, b, c, bias, "false", granularity]
    yield f"using TileCopy = Gemm::Tile::{name}<"
    yield f"    {', '.join(['ArchTag', *parts])}>;"


def _types(plan: Tiling, kernel: Kernel | None) -> Iterator[str]:
    yield from _common(plan, _SHAPE)
    for operand in OPERANDS:
        yield f"using Layout{operand} = layout::{plan.tag(operand)};"
    partial = kernel is not None and kernel.sums in ("SplitkReduceAdd", "RemovePaddingNDAndCast")
    if kernel is not None and kernel.sums:
        yield f"using ElementAccumulator = {plan.accumulator};"
    for operand in OPERANDS:
        of = "ElementAccumulator" if partial and operand == "C" else f"Element{operand}"
        yield f"using {operand}Type = Gemm::GemmType<{of}, Layout{operand}>;"
    bias = ""
    if plan.bias:
        yield "using BiasType = Gemm::GemmType<ElementBias, layout::VectorLayout>;"
        bias = ", BiasType"
    if plan.scale and plan.scale.kind in _GRANULARITIES:
        granularity = f"Gemm::Tile::ScaleGranularity::{_GRANULARITIES[plan.scale.kind]}"
        yield "using TileCopy ="
        yield f"    Gemm::Tile::QuantTileCopy<ArchTag, AType, BType, CType, void, {granularity}>;"
        bias = f"{bias or ', void'}, TileCopy"
    types = f"DispatchPolicy, L1TileShape, L0TileShape, AType, BType, CType{bias}"
    yield f"using BlockMmad = Gemm::Block::BlockMmad<{types}>;"


def _end(plan: Tiling, kernel: Kernel | None) -> Iterator[str]:
    if plan.epilogue is None or kernel is None:
        yield "using BlockEpilogue = void;"
    else:
        yield from _epilogue(plan, plan.epilogue)
    yield f"using BlockScheduler = Gemm::Block::{plan.swizzle};"
    if kernel is None:
        yield f"// {_why_none(plan)}"
        return
    arguments = f"BlockMmad, BlockEpilogue, BlockScheduler{f', {kernel.extra}' if kernel.extra else ''}"
    if kernel.sums:
        yield from _sums(plan, kernel)
        adds = kernel.sums.endswith("ReduceAdd")
        arguments = f"{arguments}, ReduceAdd" if adds else f"void, void, {arguments}, CastC"
    yield f"using MatmulKernel = Gemm::Kernel::{kernel.name}<{arguments}>;"


def _epilogue(plan: Tiling, epilogue: Epilogue) -> Iterator[str]:
    """The types of an epilogue's block."""
    policy = epilogue.family.policy(plan.arch.code)
    stages = f"<{epilogue.stages}>" if epilogue.family.stages else ""
    yield f"using EpilogueDispatchPolicy = Epilogue::{policy}{stages};"
    yield f"using ElementD = {_cpp(epilogue.out.name)};"
    yield "using DType = Gemm::GemmType<ElementD, LayoutC>;"
    if epilogue.family.flat:
        sources = "CType, DType, DType" if epilogue.family.name == "add" else "CType, DType"
        name = f"TileElemWise{epilogue.family.name.title()}"
        of = "DType" if epilogue.family.name == "add" else "CType"
        yield f"constexpr uint32_t computeLength = {epilogue.columns};"
        yield f"using TileElemWiseEpilogue = Epilogue::Tile::{name}<ArchTag, {of}, computeLength>;"
        yield f"using EpilogueTileCopy = Epilogue::Tile::TileCopy<ArchTag, {sources}>;"
        yield "using BlockEpilogue = Epilogue::Block::BlockEpilogue<"
        yield f"    EpilogueDispatchPolicy, {sources}, TileElemWiseEpilogue, EpilogueTileCopy>;"
        return
    of_scale, of_token = (dict(epilogue.elements)[x].name for x in ("scale", "token"))
    yield f"using ElementScale = {of_scale};"
    yield f"using ElementPerTokenScale = {of_token};"
    yield "using ScaleType = Gemm::GemmType<ElementScale, layout::VectorLayout>;"
    yield "using PerTokenScaleType = Gemm::GemmType<ElementPerTokenScale, layout::VectorLayout>;"
    yield "using ComputeType = Gemm::GemmType<float, layout::RowMajor>;"
    yield f"using EpilogueTileShape = MatrixShape<{epilogue.rows}, {epilogue.columns}>;"
    yield "using TileRowBroadcastMul ="
    yield "    Epilogue::Tile::TileRowBroadcastMul<ArchTag, ComputeType, EpilogueTileShape>;"
    yield "using TileBroadcastOneBlk ="
    yield "    Epilogue::Tile::TileBroadcastOneBlk<ArchTag, ComputeType, EpilogueTileShape::ROW>;"
    yield "using TileOneBlkColumnBroadcastMul ="
    yield "    Epilogue::Tile::TileOneBlkColumnBroadcastMul<ArchTag, ComputeType, EpilogueTileShape>;"
    sources = "CType, ScaleType, PerTokenScaleType, DType"
    yield f"using EpilogueTileCopy = Epilogue::Tile::TileCopy<ArchTag, {sources}>;"
    yield "using BlockEpilogue = Epilogue::Block::BlockEpilogue<"
    yield f"    EpilogueDispatchPolicy, {sources},"
    yield "    TileRowBroadcastMul, TileBroadcastOneBlk, TileOneBlkColumnBroadcastMul, EpilogueTileCopy,"
    yield "    Epilogue::Tile::EpilogueHorizontalTileSwizzle>;"


def _why_none(plan: Tiling) -> str:
    """Why no kernel takes the plan."""
    in_blocks: Operand | None = next((x for x in OPERANDS if plan.tag(x) in BLOCKS), None)
    if plan.epilogue is not None or plan.scale is not None:
        what = plan.scale if plan.epilogue is None else plan.epilogue.family.policy(plan.arch.code)
        for other in kernels_of(plan):
            if plan.policy.name not in other.policies or plan.swizzle.name not in other.swizzles:
                ways = [" or ".join(words) for words in (other.policies, other.swizzles)]
                return f"{other.name} runs {what} with {ways[0]} and {ways[1]}."
        return (
            f"A kernel for {plan.policy.name} with {what} is written into an example of CATLASS alone."
        )
    if in_blocks is None:
        both = f"{plan.policy.name} and {plan.swizzle.name}"
        return f"CATLASS has no kernel for a plain product by {both}."
    none = f"No kernel of CATLASS takes {in_blocks} as {plan.tag(in_blocks)}"
    if in_blocks == "C":
        return f"{none}."
    return f"{none}: OptimizedMatmul makes it, of {plan.tag(in_blocks)[7:]}."


def _sums(plan: Tiling, kernel: Kernel) -> Iterator[str]:
    """The type with which the vector cores add or cast the partial sums."""
    length = plan.arch.ub // plan.accumulator.sizeof
    if kernel.sums == "SplitkReduceAdd":
        arguments = f"ArchTag, ElementAccumulator, ElementC, 1, {length}"
    elif kernel.sums == "StreamkReduceAdd":
        arguments = f"ArchTag, BlockScheduler, ElementAccumulator, ElementC, {length}"
    elif plan.c.name == plan.accumulator.name:
        yield "using CastC = void;"
        return
    else:
        tag = "Gemm::Kernel::PaddingTag::NO_PADDING"
        yield f"using CastC = Gemm::Kernel::{kernel.sums}<"
        yield f"    {tag}, ArchTag, ElementAccumulator, ElementC, LayoutC>;"
        return
    yield f"using ReduceAdd = Gemm::Kernel::{kernel.sums}<{arguments}>;"


# --- values ---


def _values(plan: Tiling, tla: bool) -> Iterator[str]:
    m, n, k = plan.problem
    yield f"const GemmCoord problemShape{{{m}, {n}, {k}}};"
    for operand in OPERANDS:
        yield _layout(plan, operand, tla)


def _layout(plan: Tiling, operand: Operand, tla: bool) -> str:
    """The declaration of an operand's layout in global memory."""
    (rows, cols), tag, name = plan.extents(operand), plan.tag(operand), f"layout{operand}"
    kind = f"LayoutTag{operand}" if tla else f"Layout{operand}"
    if tag in BLOCKS:
        by_row, by_col = plan.extents(operand, plan.l1)
        return f"const {kind} {name}{{{rows}, {cols}, {by_row}, {by_col}}};"
    ld, least = plan.leading(operand), cols if tag == "RowMajor" else rows
    has_gaps = tag in LINES and ld != least
    if tla and has_gaps:
        far, near = f"int64_t{{{ld}}}", "tla::Int<1>{}"
        strides = f"{far}, {near}" if tag == "RowMajor" else f"{near}, {far}"
        shape = f"tla::MakeShape({rows}u, {cols}u)"
        return f"const auto {name} = tla::MakeLayout({shape}, tla::MakeStride({strides}));"
    if tla:
        return f"const auto {name} = tla::MakeLayout<Element{operand}, {kind}>({rows}u, {cols}u);"
    if tag in LINES:
        return f"const {kind} {name}{{{rows}, {cols}{f', {ld}' if has_gaps else ''}}};"
    return f"const {kind} {name} = {kind}::MakeLayout<Element{operand}>({rows}, {cols});"
