"""What a compiler says of CATLASS's blocks: random tiles, each on a line of one program.

``CATLASS`` names the checkout. The recorder's headers stand in for CANN's.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import tla.ascend.recorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tla.ascend import Tile

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


def verdicts(tiles: Sequence[Tile], catlass: Path, room: Path) -> list[list[str]]:
    """The texts of the static assertions that fail, of each tile, each once, sorted."""
    code = {tile.arch.code for tile in tiles}.pop()
    source = room / f"ask{code}.cpp"
    head = _HEAD + (_OF_MX if code == 3510 else "")
    first = head.count("\n") + 1
    asked = (f"template int Ask<{block(tile)}>();" for tile in tiles)
    source.write_text(head + "\n".join(asked) + "\n", "utf-8")
    assert GXX is not None
    folders = [f"-I{folder}" for folder in (HEADERS, catlass / "include")]
    done = subprocess.run(
        [GXX, "-std=c++20", "-w", "-fsyntax-only", "-fmax-errors=0", f"-DCATLASS_ARCH={code}", *folders,
         str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found: list[set[str]] = [set() for _ in tiles]
    where: int | None = None
    for line in done.stderr.splitlines():
        if at := re.match(rf"{re.escape(str(source))}:(\d+):\d+:\s+required from here", line):
            where = int(at[1]) - first
        elif ": error: " in line and where is not None:
            found[where].add(line.partition(": error: ")[2].removeprefix("static assertion failed: "))
    return [sorted(texts) for texts in found]
