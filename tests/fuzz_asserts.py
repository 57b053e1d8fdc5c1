"""Fuzz of static assertions: what a compiler says of CATLASS's blocks, against what the library says.

    python tests/fuzz_asserts.py CATLASS [--count 20000] [--seed N]

Random tiles of every policy stand in one program, each an instantiation on a line of its own. The
recorder's headers stand in for CANN's. Some tiles compile and are refused here all the same. For each of
these a witness is found: a byte that two stages write, a byte behind the buffer's end, a start between
units, or a number that an instruction does not take. A fault is printed with its tile, and the exit
status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import tla.ascend.recorder
from tla import TlaError
from tla.ascend import (
    FAMILIES,
    Ascend950,
    AtlasA2,
    AttentionPlan,
    ConvPlan,
    GemmShape,
    GemvPlan,
    Plan,
    Tile,
    attention,
    batched,
    conv,
    element,
    epilogue,
    fits,
    footprints,
    gemm,
    gemv,
    grouped,
)
from tla.ascend.plans import failures_of_block
from tla.ascend.plans.asserts import ASSERTS, failures
from tla.ascend.plans.footprint import events, mmad_extents

if TYPE_CHECKING:
    from collections.abc import Sequence

AnyPlan: TypeAlias = "AttentionPlan | ConvPlan | GemvPlan"
PRODUCTS = {f.name: f for f in FAMILIES.values() if f.codes and f.kind == "product"}
PRODUCTS.pop("MmadAtlasA2PingpongSliceKWithPrologue")  # of its own tile copy, with prologues
CODES = (2201, 3510)
NOT_OF_A_BLOCK = ("bias BT", "bias L1", "scale L1", "MX bias L1", "split-K unit flag")
"""Assertions of a block's call, which asking for its size does not reach, and of a policy alone."""
TEXTS = {a.text for name, group in ASSERTS.items() if name not in NOT_OF_A_BLOCK for a in group}

GXX = shutil.which("g++")
"""clang++ stops at the first assertion of a class that fails; g++ reads on."""
HEADERS = Path(tla.ascend.recorder.__file__).parent / "include"

_HEAD = """\
#include "kernel_operator.h"
#include "catlass/arch/arch.hpp"
#include "catlass/gemm/block/block_mmad.hpp"
#include "catlass/gemm/dispatch_policy.hpp"
#include "catlass/gemm/gemm_type.hpp"
#include "catlass/gemm/tile/tile_copy.hpp"
#include "catlass/gemm/tile/tile_copy_tla.hpp"
#include "catlass/gemm/tile/tile_mmad.hpp"
#include "catlass/layout/layout.hpp"
#include "tla/layout.hpp"
using namespace Catlass;
using int4b_t = AscendC::int4b_t;
template <class Block> constexpr int Ask() { return sizeof(Block); }
"""

_OF_MX = """\
using E8 = float8_e8m0_t;
template <class Tag> using ScalesOfA = decltype(tla::MakeMxScaleLayout<E8, Tag, false>(1u, 1u));
template <class Tag> using ScalesOfB = decltype(tla::MakeMxScaleLayout<E8, Tag, true>(1u, 1u));
#include "catlass/gemm/block/block_mmad_mx_preload_tla.hpp"
"""

_OF_PLANS = """\
#include "catlass/conv/block/block_conv.hpp"
#include "catlass/conv/dispatch_policy.hpp"
#include "catlass/conv/tile/tile_copy.hpp"
#include "catlass/conv_coord.hpp"
#include "catlass/gemv/block/block_gemv.hpp"
#include "catlass/gemv/tile/tile_copy.hpp"
"""

_BLOCKS = {
    "SparseMatmulMultiBlockOnKAxis": "BlockMmadSparseTla", "MmadMxPreload": "BlockMmadMxPreloadTla",
    "MmadPingpongSymmLeft": "BlockMmadPingpongSymmLeftTla",
    "MmadPingpongSymmRight": "BlockMmadPingpongSymmRightTla",
    "MmadA8W4Mx": "BlockMmadA8W4Mx", "GemmAtlasA2": "BlockGemm",
}  # fmt: skip


def block(tile: Tile) -> str:
    """The C++ type of a tile's block."""
    family, arch = tile.policy.family, f"Arch::{tile.arch.tag}"
    how = f"Gemm::{tile.policy.bound(tile.arch.tag)}"
    types = (tile.a.name, tile.b.name, (tile.c or tile.a).name)
    tags = [f"layout::{tag}" for tag in tile.tags]
    name = f"Gemm::Block::{_BLOCKS.get(family.name, 'BlockMmad' + 'Tla' * (family.api == 'tla'))}"
    if family.api == "tla":
        copy = _tile_copy(tile, arch, types, tags)
        extents = (", ".join(f"tla::Int<{x}>" for x in shape) for shape in (tile.l1, tile.l0))
        bias = tile.bias.name if tile.bias else "void"
        rest = ", ".join([*(f"tla::Shape<{shape}>" for shape in extents), *types, bias, copy])
        return f"{name}<{how}, {rest}>"
    shapes = ", ".join(f"GemmShape<{','.join(map(str, shape))}>" for shape in (tile.l1, tile.l0))
    of = ", ".join(f"Gemm::GemmType<{x}, {tag}>" for x, tag in zip(types, tags, strict=True))
    if tile.bias:
        of += f", Gemm::GemmType<{tile.bias.name}, layout::VectorLayout>"
    if tile.scale == "channel":
        of += f", void, Gemm::Tile::QuantTileCopy<{arch}, {of}, void,"
        of += " Gemm::Tile::ScaleGranularity::PER_CHANNEL>"
    return f"{name}<{how}, {shapes}, {of}>"


def _tile_copy(tile: Tile, arch: str, types: Sequence[str], tags: Sequence[str]) -> str:
    pairs = [f"{x}, {tag}" for x, tag in zip(types, tags, strict=True)]
    bias = tile.bias.name if tile.bias else "void"
    name = tile.policy.name
    if tile.policy.family.mx:
        scales = [f"float8_e8m0_t, ScalesOf{x}<{tag}>" for x, tag in zip("AB", tags, strict=False)]
        if name == "MmadA8W4Mx":
            of_b = [f"float4_e2m1x2_t, {tags[1]}", f"{types[1]}, layout::nZ"]
            scale = "false, Gemm::Tile::ScaleGranularity::PER_TENSOR"
            parts = ", ".join([arch, pairs[0], *of_b, *scales, pairs[2], bias, scale])
            return f"Gemm::Tile::PackedMxA8W4TileCopyTla<{parts}>"
        return (
            f"Gemm::Tile::PackedMxTileCopyTla<{', '.join([arch, *pairs[:2], *scales, pairs[2], bias])}>"
        )
    if name == "SparseMatmulMultiBlockOnKAxis":
        return f"Gemm::Tile::SparseTileCopyTla<{', '.join([arch, *pairs])}>"
    if name == "MmadPingpongPertile":
        mode = "Gemm::Tile::CopyL0CToUBMode::SPLIT_M"
        return f"Gemm::Tile::PackedTileCopyTlaToUB<{', '.join([arch, *pairs, bias, mode])}>"
    kinds = {"tensor": "PER_TENSOR", "channel": "PER_CHANNEL"}
    scale = f"Gemm::Tile::ScaleGranularity::{kinds.get(tile.scale or '', 'NO_QUANT')}"
    return f"Gemm::Tile::PackedTileCopyTla<{', '.join([arch, *pairs, bias, 'false', scale])}>"


def _of_type(element: object, tag: str) -> str:
    return f"Gemm::GemmType<{element}, layout::{tag}>"


def block_of_plan(plan: AnyPlan) -> str:
    """The C++ type of the block of a plan that is no product of matrices."""
    of, arch = plan.element, f"Arch::{plan.arch.tag}"
    if isinstance(plan, ConvPlan):
        shapes = (
            f"Conv2dFmapL1Shape<{','.join(map(str, plan.block))}>, "
            f"Conv2dFilterL1Shape<{','.join(map(str, plan.filter_block))}>, "
            f"Conv2dL0Shape<{','.join(map(str, plan.l0))}>"
        )
        types = ", ".join(_of_type(of, tag) for tag in ("NC1HWC0", "CI1KHKWCOCI0", "NC1HWC0"))
        flags = ",".join([*map(str, plan.stages), str(plan.unit_flag).lower()])
        return f"Conv::Block::BlockConv2d<Conv::ConvAtlasA2Pingpong<{flags}>, {shapes}, {types}>"
    if isinstance(plan, GemvPlan):
        shapes = ", ".join(f"GemvShape<{m},{n}>" for m, n in (plan.tile, plan.l0))
        a, x, y = (_of_type(of, tag) for tag in (plan.tag, "VectorLayout", "RowMajor"))
        copy = f"Gemv::Tile::TileCopyGemvAic<{arch}, {a}, {x}, {y}, void>"
        mmad = f"Gemm::Tile::TileMmad<{arch}, {x}, {a}, void>"
        parts = f"Gemm::{plan.policy}, {shapes}, {a}, {x}, {y}, void, {copy}, {mmad}"
        return f"Gemv::Block::BlockGemv<{parts}>"
    shape = f"tla::Shape<{', '.join(f'tla::Int<{x}>' for x in plan.tile)}>"
    tags = f"{of}, layout::RowMajor, {of}, layout::ColumnMajor, float, layout::RowMajor, void"
    copy = f"Gemm::Tile::PackedTileCopyTlaToUB<{arch}, {tags}, Gemm::Tile::CopyL0CToUBMode::SPLIT_M>"
    mmad = f"Gemm::Tile::TileMmadTla<{arch}, {of}, typename {copy}::LayoutTagL1A>"
    parts = f"{shape}, {shape}, {of}, {of}, float, void, {copy}, {mmad}"
    return f"Gemm::Block::BlockMmadTla<Gemm::{plan.kind.blocks[0]}<{arch}>, {parts}>"


def verdicts(code: int, blocks: Sequence[str], catlass: Path, head: str = "") -> list[list[str]]:
    """The texts of the static assertions that fail, of each type of a block, each once, sorted."""
    return verdicts_of_lines(code, [f"template int Ask<{block}>();" for block in blocks], catlass, head)


def verdicts_of_lines(code: int, lines: Sequence[str], catlass: Path, head: str = "") -> list[list[str]]:
    """The errors of each line of a program, each once, sorted; of assertions their texts."""
    with TemporaryDirectory() as room:
        return _verdicts(code, lines, catlass, Path(room), head)


def _verdicts(code: int, lines: Sequence[str], catlass: Path, room: Path, more: str) -> list[list[str]]:
    source = room / f"ask{code}.cpp"
    head = _HEAD + (_OF_MX if code == 3510 else "") + more
    first = head.count("\n") + 1
    source.write_text(head + "\n".join(lines) + "\n", "utf-8")
    assert GXX is not None
    folders = [f"-I{folder}" for folder in (HEADERS, catlass / "include")]
    done = subprocess.run(
        [GXX, "-std=c++20", "-w", "-fsyntax-only", "-fmax-errors=0", f"-DCATLASS_ARCH={code}", *folders,
         str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[set[str]] = [set() for _ in lines]
    where: int | None = None
    for line in done.stderr.splitlines():
        if at := re.match(rf"{re.escape(str(source))}:(\d+):\d+:\s+required from here", line):
            where = int(at[1]) - first
        elif at := re.match(rf"{re.escape(str(source))}:(\d+):\d+: error: (.*)", line):
            found[int(at[1]) - first].add(at[2].removeprefix("static assertion failed: "))
        elif ": error: " in line and where is not None:
            found[where].add(line.partition(": error: ")[2].removeprefix("static assertion failed: "))
    return [sorted(texts) for texts in found]


# --- random tiles ---


def random_tile(rng: Random, name: str, code: int) -> Tile:
    """A tile of a policy, of which about half break an assertion."""
    family = PRODUCTS[name]
    if name == "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant":
        a = c = "int4b_t"
    elif family.mx:
        a = "float4_e2m1x2_t" if name == "MmadSvd3" or rng.random() < 0.5 else "float8_e4m3_t"
        a = "float8_e4m3_t" if name == "MmadA8W4Mx" else a
    elif family.sparse or name == "MmadPingpongPertile":
        a = "int8_t"
    else:
        a = rng.choice(("half", "bfloat16_t", "float", "int8_t"))
    of = element(a)
    c = {"int8_t": "int32_t", "int4b_t": "half"}.get(a, "float" if family.mx else a)
    unit = 64 if family.mx else of.c0
    m, n = (rng.choice((8 * rng.randint(1, 40), 64 * rng.randint(1, 4))) for _ in range(2))
    k = rng.choice((unit, 2 * unit, 4 * unit, 8 * unit, 6 * unit))
    l1, l0 = (
        GemmShape(m, n, k),
        GemmShape(m, n, rng.choice((k, max(unit, k // 2), max(unit, k // 4), 2 * k))),
    )
    if rng.random() < 0.2:
        l0 = l0._replace(m=rng.choice((16, 32)), n=rng.choice((32, 64)))
    values: dict[str, Any] = {
        p.name: rng.random() < 0.4 if p.is_flag else rng.choice((1, 2, 2, 2, 3, 4))
        for p in family.parameters
        if p.name != "hf32" and p.name != "scalar_elements"
    }
    if name == "MmadPingpongPertile":
        l0 = l1 if rng.random() < 0.6 else l0
    tags = ("RowMajor", "ColumnMajor" if family.mx or family.sparse else "RowMajor", "RowMajor")
    arch = AtlasA2 if code == 2201 else Ascend950
    scale: Literal["channel"] | None = (
        "channel" if name == "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant" else None
    )
    bias = element("float") if name == "MmadAtlasA2PingpongBias" and a != "int8_t" else None
    bias = element("int32_t") if name == "MmadAtlasA2PingpongBias" and a == "int8_t" else bias
    return Tile(arch, of, of, l1, l0, family(**values), bias, tags, c=element(c), scale=scale)


# --- both verdicts ---


class Compared(NamedTuple):
    """The verdicts of two readers on some tiles."""

    tiles: int
    clean: int
    """How many compile."""
    witnesses: Counter[str]
    """Why tiles that compile are refused."""
    wrong: list[str]


def witness(tile: Tile) -> str:
    """Why a tile that compiles is refused, found byte by byte; "" if there is no reason."""
    for footprint in footprints(tile):
        taken: dict[int, int] = {}  # each block of 32 bytes, and the stage that is written there
        for number, stage in enumerate(footprint.stages):
            if stage.start % footprint.unit:
                return "a start between units"
            if stage.reach > footprint.capacity:
                return "a byte behind the end"
            for block in range(stage.start // 32, -(-stage.end // 32)):
                if taken.setdefault(block, number) != number:
                    return "a byte of two stages"
    if any(count > tile.arch.events for _, count in events(tile)):
        return "no event id is left"
    if any(extent > most for _, extent, most in mmad_extents(tile.arch, tile.l0)):
        return "an extent that Mmad does not take"
    return ""


def compare(code: int, count: int, seed: int, catlass: Path) -> Compared:
    """Hold random tiles of an instruction set against the compiler."""
    rng = Random(f"{code} {seed}")
    names = [name for name, family in PRODUCTS.items() if code in family.codes]
    drawn = [random_tile(rng, names[i % len(names)], code) for i in range(count)]
    # a type has its errors once, and so has the class that checks the alignment of a shape
    tiles = [*{(tile.l1, tile.l0, tile.a): tile for tile in drawn}.values()]
    compiled = verdicts(code, [block(tile) for tile in tiles], catlass)
    clean, witnesses, wrong = 0, Counter[str](), list[str]()
    for tile, texts in zip(tiles, compiled, strict=True):
        theirs = [text for text in texts if text in TEXTS]
        ours = sorted({text for text in failures_of_block(tile) if text in TEXTS})
        what = f"{tile.policy}, {tile.l1}, {tile.l0}, {tile.a}"
        if theirs != ours:
            wrong.append(f"{what}: the compiler says {theirs}, here {ours}")
        clean += not texts
        if not texts and not fits(tile):
            reason = "an assertion of its call" if failures_of_block(tile) else witness(tile)
            witnesses[reason] += 1
            if not reason:
                wrong.append(f"{what}: refused, and without a witness")
    return Compared(len(tiles), clean, witnesses, wrong)


def random_plan(rng: Random, code: int) -> AnyPlan:
    """A plan of attention, of a convolution, or of a product with a vector."""
    of = rng.choice(("half", "bfloat16_t"))
    if code == 3510:
        shape = (32 * rng.randint(1, 8), 16 * rng.randint(1, 16), 16 * rng.randint(1, 16))
        return attention("Ascend950", heads=8, q=512, kv=512, head=64, element=of, tile=shape)
    if rng.random() < 0.5:
        tag: Any = rng.choice(("RowMajor", "ColumnMajor"))
        tile, l0 = ((16 * rng.randint(1, 20), 32 * rng.randint(1, 20)) for _ in range(2))
        kinds = rng.choice(("half", "float"))
        return gemv("AtlasA2", (1000, 1000), kinds, tag, kind="aic", tile=tile, l0=l0)
    return conv(
        "AtlasA2", image=(1, 64, 32, 32), filter=(64, 3, 3), element=rng.choice((of, of, "float")),
        block=(rng.randint(1, 12), rng.randint(1, 12), rng.randint(1, 8)),
        filter_block=(16 * rng.randint(1, 6), rng.randint(1, 9)),
        l0=(16, 16 * rng.randint(1, 16), 16 * rng.randint(1, 16)),
        stages=[rng.randint(1, 3) for _ in range(4)] + [1],
    )  # fmt: skip


def compare_plans(code: int, count: int, seed: int, catlass: Path) -> Compared:
    """Hold random plans of other operators against the compiler."""
    rng = Random(f"plans {code} {seed}")
    asked = {block_of_plan(plan): plan for plan in (random_plan(rng, code) for _ in range(count))}
    compiled = verdicts(code, list(asked), catlass, _OF_PLANS if code == 2201 else "")
    known = TEXTS.union(*(plan.check().catlass for plan in asked.values()))
    pairs = [
        (plan, list(plan.check().catlass), [text for text in texts if text in known])
        for plan, texts in zip(asked.values(), compiled, strict=True)
    ]
    wrong = [f"{plan!r}: {theirs}, here {ours}" for plan, ours, theirs in pairs if ours != theirs]
    return Compared(len(asked), sum(not texts for texts in compiled), Counter(), wrong)


# --- emitted texts ---

_SWIZZLES = (
    "identity<3,0>", "identity<3,1>", "splitk<3,0>", "streamk<3,0>", "tail_splitk<3,0>", "aswt",
    "SingleCoreSplitkGemmIdentityBlockSwizzle<20,0>", "GemmIdentityBlockSwizzleL1FullLoad<1,0>",
)  # fmt: skip


def _has_own_tags(tile: Tile) -> bool:
    """Whether the copies of a policy take one pair of tags alone."""
    return tile.policy.family.mx or tile.policy.family.sparse


def random_product(rng: Random, name: str, code: int) -> Plan:
    """A plan of one product or several, with or without a bias or an epilogue."""
    tile = random_tile(rng, name, code)
    problem = GemmShape(*(rng.randint(1, 4000) for _ in range(3)))
    ways: dict[str, Any] = {
        "arch": tile.arch, "elements": (tile.a, tile.b, tile.c), "l1": tile.l1, "l0": tile.l0,
        "tags": tile.tags if _has_own_tags(tile) else rng.choices(("RowMajor", "ColumnMajor"), k=2),
        "policy": tile.policy, "swizzle": rng.choice(_SWIZZLES), "bias": tile.bias, "scale": tile.scale,
    }  # fmt: skip
    if code == 2201 and rng.random() < 0.3 and tile.a.name in ("half", "int8_t"):
        scaled = tile.a.name == "int8_t"
        of = "per_token_dequant" if scaled else rng.choice(("add", "silu", "gelu"))
        size = (8 * rng.randint(1, 6), 256) if scaled else 1024 * rng.randint(1, 20)
        ways |= {"epilogue": epilogue(of, size), "swizzle": "identity<3,1>"}
    kinds = [kind for of, kind in tile.policy.family.scales if of == code]
    if kinds and tile.a.name == "int8_t" and rng.random() < 0.7:
        ways |= {"elements": "int8_t,int8_t,half", "scale": rng.choice(kinds)}
    axis: Any = rng.choice(("", "", "batch", "m", "k", "list"))
    if axis == "batch":
        return batched(problem=problem, count=rng.randint(1, 5), **ways)
    if axis == "list":
        return grouped(problem=None, groups=[problem, (16, 32, 48)], **ways)
    if axis:
        whole = getattr(problem, axis)
        cut = rng.randint(0, whole)
        return grouped(problem=problem, groups=(cut, whole - cut), axis=axis, **ways)
    return gemm(problem=problem, **ways)


def _is_written(rule: str, text: str) -> bool:
    """Whether a text has what a rule is of: an epilogue belongs to a kernel."""
    return "using EpilogueDispatchPolicy" in text or not rule.startswith(("UB", "epilogue"))


def compare_emitted(code: int, count: int, seed: int, catlass: Path) -> Compared:
    """Hold the emitted texts of random plans of all families against the compiler.

    A text has the errors that its plan's report names, and no other.
    """
    rng = Random(f"emitted {code} {seed}")
    names = [name for name, family in PRODUCTS.items() if code in family.codes]
    texts: dict[str, Plan] = {}
    shapes = set[object]()  # the class that checks the alignment of a shape has its errors once
    for i in range(count):
        with contextlib.suppress(TlaError):  # of a plan that has no text
            plan = random_product(rng, names[i % len(names)], code)
            shape = plan.l1, plan.l0, plan.a
            if shape not in shapes:
                texts[plan.emit_cpp()] = plan
                shapes.add(shape)
    headers = {line for text in texts for line in text.splitlines() if line.startswith("#include")}
    lines: list[str] = []
    for number, text in enumerate(texts):
        code_of = [
            x for x in text.splitlines() if x and not x.startswith(("//", "#", "using namespace"))
        ]
        asked = [x for x in ("BlockMmad", "MatmulKernel") if f"using {x} =" in text]
        if "using CastC = void;" in text:  # g++ asks this kernel for members of void
            asked.remove("MatmulKernel")
        asked += ["BlockEpilogue"] * ("using EpilogueDispatchPolicy" in text)
        sizes = " ".join(f"static_assert(sizeof({x}) > 0);" for x in asked)
        lines.append(f"namespace plan{number} {{ {' '.join(code_of)} {sizes} }}")
    found = verdicts_of_lines(code, lines, catlass, "".join(f"{x}\n" for x in sorted(headers)))
    wrong: list[str] = []
    for (text, plan), errors in zip(texts.items(), found, strict=True):
        rules = plan.policy.family.asserts
        of_call = {*failures(plan.tile, [x for x in rules if x in NOT_OF_A_BLOCK])}
        of_call -= {*failures(plan.tile, [x for x in rules if x not in NOT_OF_A_BLOCK])}
        said = {x for f in plan.check().checks for x in f.catlass if _is_written(f.rule, text)}
        if said - of_call != {*errors} - of_call:
            wrong.append(f"{plan!r}: {errors}, here {sorted(said)}")
    return Compared(len(texts), sum(not x for x in found), Counter(), wrong)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("catlass", type=Path, help="the folder of CATLASS")
    parser.add_argument("--count", type=int, default=20000, help="distinct tiles in all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    tiles = clean = 0
    witnesses, wrong, seed = Counter[str](), list[str](), options.seed
    while tiles < options.count:
        code = CODES[seed % 2]
        for found in (
            compare(code, 1500, seed, options.catlass),
            compare_plans(code, 150, seed, options.catlass),
            compare_emitted(code, 150, seed, options.catlass),
        ):
            tiles, clean = tiles + found.tiles, clean + found.clean
            witnesses += found.witnesses
            wrong += found.wrong
        seed += 1
    print(f"{tiles} tiles, {clean} compile, {witnesses.total()} of these are refused: {dict(witnesses)}")
    print(f"{len(wrong)} verdicts differ", *wrong[:5], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
