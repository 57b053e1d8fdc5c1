"""Programs in C++ and kernels in Python, instruction by instruction."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tla.ascend.kernels import Run, parse_trace
from tla.ascend.recorder import Recording

from .recorder_kernels import CLANG

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tla.ascend.kernels import Instruction

CATLASS = Path(os.environ.get("CATLASS", Path(__file__).parents[3] / "catlass"))
needs_catlass = pytest.mark.skipif(
    not ((CATLASS / "include").is_dir() and CLANG), reason="needs CATLASS and clang++"
)

EXAMPLE = """\
using ElementA = half;
using LayoutTagA = layout::RowMajor;
using ArchTag = Arch::AtlasA2;
// using DispatchPolicy = Gemm::MmadAtlasA2Preload<enableUnitFlag>;
constexpr bool enableUnitFlag = true;
constexpr uint32_t other = 3;
using DispatchPolicy = Gemm::MmadPingpong<ArchTag, enableUnitFlag>;
using L1TileShape = Shape<_128, _256, _256>;
using L0TileShape = Shape<_128, _256, _64>;
if (m > n) {
    // Swizzle offset is 3 and direction is 0.
    using BlockScheduler = typename Gemm::Block::GemmIdentityBlockSwizzle<3, 0>;
    using MatmulKernel = Gemm::Kernel::BasicMatmulTla<BlockMmad, BlockEpilogue, BlockScheduler>;
} else {
    using BlockScheduler = typename Gemm::Block::GemmIdentityBlockSwizzle<3, 1>;
}
"""
"""The lines of an example that a plan replaces."""


def issued(of: Recording | Run | Iterable[Instruction]) -> list[tuple[Any, ...]]:
    """What a program or a kernel issued, without the places in the sources.

    Tensors go by their names without regard to case, scalars as the floats that the core has.
    """
    if isinstance(of, Recording):
        of = parse_trace(of.trace.decode().splitlines())
    elif isinstance(of, Run):
        of = of.program.instructions
    return [
        (
            *i[:3],
            {name: (x[0], x[1].lower(), *x[2:4]) for name, x in i.operands.items()},
            {
                name: float(np.float32(x)) if isinstance(x, float) else x
                for name, x in i.params.items()
                if name != "id_uninitialised"
            },
        )
        for i in of
    ]


def expect_equal(ours: Sequence[Any], theirs: Sequence[Any]) -> None:
    """Require equal instructions; the first that differs is named."""
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        assert one == other, f"instruction {number}"
    assert len(ours) == len(theirs)
