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

_NO_SHAPES = {
    "SparseMatmulMultiBlockOnKAxis": "BlockMmadSparseTla",
    "MmadMxPreload": "BlockMmadMxPreloadTla",
}


def block(tile: Tile) -> str:
    """The C++ type of a tile's block."""
    arch = f"Arch::{tile.arch.tag}"
    how = str(tile.policy.bound(tile.arch.tag)).replace("Arch::", "Catlass::Arch::")
    a, b, c = tile.a.name, tile.b.name, (tile.c or tile.a).name
    tags = [f"layout::{tag}" for tag in tile.tags]
    if tile.policy.family.api == "tla":
        shapes = ", ".join(
            "tla::Shape<" + ", ".join(f"tla::Int<{x}>" for x in shape) + ">"
            for shape in (tile.l1, tile.l0)
        )
        bias = tile.bias.name if tile.bias else "void"
        scale = {"tensor": "PER_TENSOR", "channel": "PER_CHANNEL"}.get(tile.scale or "", "NO_QUANT")
        copy = (
            f"Gemm::Tile::PackedTileCopyTla<{arch}, {a}, {tags[0]}, {b}, {tags[1]}, {c}, {tags[2]},"
            f" {bias}, false, Gemm::Tile::ScaleGranularity::{scale}>"
        )
        name = _NO_SHAPES.get(tile.policy.name, "BlockMmadTla")
        return f"Gemm::Block::{name}<Gemm::{how}, {shapes}, {a}, {b}, {c}, {bias}, {copy}>"
    shapes = ", ".join("GemmShape<" + ", ".join(map(str, shape)) + ">" for shape in (tile.l1, tile.l0))
    types = ", ".join(f"Gemm::GemmType<{x}, {tag}>" for x, tag in zip((a, b, c), tags, strict=True))
    if tile.bias:
        types += f", Gemm::GemmType<{tile.bias.name}, layout::VectorLayout>"
    if tile.scale == "channel":
        types += f", void, Gemm::Tile::QuantTileCopy<{arch}, {types}, void,"
        types += " Gemm::Tile::ScaleGranularity::PER_CHANNEL>"
    name = "BlockGemm" if tile.policy.name == "GemmAtlasA2" else "BlockMmad"
    return f"Gemm::Block::{name}<Gemm::{how}, {shapes}, {types}>"


def verdicts(tiles: Sequence[Tile], catlass: Path, room: Path) -> list[list[str]]:
    """The texts of the static assertions that fail, of each tile, each once, sorted."""
    code = {tile.arch.code for tile in tiles}.pop()
    source = room / f"ask{code}.cpp"
    first = _HEAD.count("\n") + 1
    asked = (f"template int Ask<{block(tile)}>();" for tile in tiles)
    source.write_text(_HEAD + "\n".join(asked) + "\n", "utf-8")
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
