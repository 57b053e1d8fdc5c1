"""The best tiles of a product as Python text that registers them in CATLASS's tuner, msTuner_CATLASS.

>>> from tla.ascend.tuning.tiles import search
>>> text = registration(search("910B3", (256, 512, 64), top=2, step=64))
>>> print(*text.splitlines()[10:14], sep="\\n")
# The tiles in L1 and in L0, and the order of the blocks.
TILES = [
    ((64, 256, 64), (64, 256, 64), "Gemm::Block::GemmIdentityBlockSwizzle<3,1>"),  # 0.445 us
    ((64, 256, 48), (64, 256, 48), "Gemm::Block::GemmIdentityBlockSwizzle<3,1>"),  # 0.538 us

The tuner compiles one kernel for each tile and runs all of them. Its own space is a range of each
extent, limited by bytes alone. That is 1701 kernels by default. It advises 5000 at most, and 10,000 are
an error. This space has the tiles of a ranking, in their order.

Source: CATLASS tools/library/scripts/search_space.py, search_space_config.py, gemm_operation.py,
manifest.py, library.py; tools/tuner/README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import UnsupportedError
from ...ground import guarded, limit_error, limit_of
from ..plans import fits, policy
from .estimates import in_us

if TYPE_CHECKING:
    from ..elements import Element
    from ..plans import Plan
    from .estimates import Estimate
    from .tiles import Ranking

__all__ = ["registration"]

MOST: Final = 10_000
"""The most kernels that the tuner's manifest takes."""


class _Kernel(NamedTuple):
    """An operator of the tuner that is a plain product."""

    name: str
    arch_tag: str
    policy: str
    """The policy in its template."""


_KERNELS: Final = {
    2201: _Kernel("00_basic_matmul", "A2", "MmadAtlasA2Pingpong<true>"),
    3510: _Kernel("43_ascend950_basic_matmul", "ASCEND_950", "MmadPingpong<Arch::Ascend950, true>"),
}
_DATA_TYPES: Final = { "uint8_t": "uint8", "int8_t": "int8", "int32_t": "int32", "half": "fp16",
    "bfloat16_t": "bf16", "float": "fp32", }  # fmt: skip

_TEXT: Final = '''\
"""Tiles of {problem} for msTuner_CATLASS, the fastest first by an estimate.

This file stands in the place of tools/library/scripts/search_space_config.py. Build the tuner with
-DCATLASS_LIBRARY_KERNELS={kernel}.
"""

import library
from gemm_operation import GemmOperation
from manifest import OperationRegistry

# The tiles in L1 and in L0, and the order of the blocks.
TILES = [
{tiles}
]


@OperationRegistry.register_high_priority("{kernel}", [library.ArchTag.{arch}])
def register(manifest):
    a = library.GemmTypeDescription(library.DataType.{a}, library.LayoutType.{tag_a})
    b = library.GemmTypeDescription(library.DataType.{b}, library.LayoutType.{tag_b})
    c = library.GemmTypeDescription(library.DataType.{c}, library.LayoutType.{tag_c})
    for l1, l0, swizzle in TILES:
        manifest.append(
            GemmOperation(
                kernel_type="{kernel}",
                l1_tile_shape=l1,
                l0_tile_shape=l0,
                a_type=a,
                b_type=b,
                c_type=c,
                block_swizzle=swizzle,
                arch=library.ArchTag.{arch},
            )
        )
'''


@guarded
def registration(ranking: Ranking) -> str:
    """Return the text of a Python module that registers each tile of a ranking with the tuner.

    >>> from tla.ascend import search
    >>> text = registration(search("910B3", (512, 512, 512), "half", top=1, step=128))
    >>> text[text.index("((128") : text.index("),  #")]
    '((128, 128, 256), (128, 128, 128), "Gemm::Block::GemmIdentityBlockSwizzle<3,0>"'

    The operator is ``00_basic_matmul`` on instruction set 2201 and ``43_ascend950_basic_matmul`` on
    3510.

    Raises:
        UnsupportedError: the tuner does not have an element type, its operator does not have a swizzle
            or the room for a tile, a plan with its policy breaks another rule of `Plan.check`, or there
            are too many tiles.
    """
    plan, tiles = ranking.plan, ranking.tiles
    kernel = _KERNELS[plan.arch.code]
    count, most = len(tiles), limit_of("tiles")
    if count > most:
        summary = f"the tuner takes {most} tiles at most, not {count}"
        raise limit_error("tiles", summary, needed=count, tiles=count)
    lines = [_line(plan, kernel, tile) for tile in tiles]
    errors = ranking.plan_of(ranking.best).replaced(policy=kernel.policy).check().errors
    if errors:
        raise UnsupportedError(
            f"{kernel.name} of the tuner, which has {kernel.policy}, is not legal here",
            *(f"{error.rule}: {error.text}." for error in errors),
            policy=kernel.policy,
        )
    a, b, c = (_data_type(element) for element in (plan.a, plan.b, plan.c))
    m, n, k = plan.problem
    return _TEXT.format(
        problem=f"C[{m},{n}] = A[{m},{k}] B[{k},{n}] on {plan.arch}",
        kernel=kernel.name,
        arch=kernel.arch_tag,
        tiles="\n".join(lines),
        a=a,
        b=b,
        c=c,
        tag_a=plan.tags[0],
        tag_b=plan.tags[1],
        tag_c=plan.tags[2],
    )


def _line(plan: Plan, kernel: _Kernel, tile: Estimate) -> str:
    if tile.swizzle.name != "GemmIdentityBlockSwizzle":
        raise UnsupportedError(
            f"{kernel.name} of the tuner orders blocks by GemmIdentityBlockSwizzle, not {tile.swizzle}",
            swizzle=tile.swizzle,
        )
    stages = policy(kernel.policy)
    if not fits(plan.tile._replace(l1=tile.l1, l0=tile.l0, policy=stages, bias=None)):
        raise UnsupportedError(
            f"{tile.l1} with {tile.l0} does not fit {kernel.name} of the tuner, which has {stages}",
            f"Rank tiles of that policy: {stages}.",
            tile=tile.l1,
        )
    swizzle = f"Gemm::Block::{tile.swizzle}"
    return f'    ({tuple(tile.l1)}, {tuple(tile.l0)}, "{swizzle}"),  # {in_us(tile.seconds)} us'


def _data_type(element: Element) -> str:
    name = _DATA_TYPES.get(element.name)
    if name is None:
        names = f"It has {', '.join(_DATA_TYPES)}."
        raise UnsupportedError(f"the tuner has no element type {element}", names, element=element)
    return name
