# SPDX-License-Identifier: Apache-2.0
"""The defaults of a plan: the policy, swizzle and tiles of CATLASS's examples.

>>> from tla.ascend import AtlasA2, GemmCoord, element
>>> half = element("half")
>>> how = default_policy(AtlasA2, half)
>>> print(how, default_swizzle(GemmCoord(1000, 600, 400), how), default_l1(AtlasA2, half, half, how))
MmadPingpong<ArchTag,true> GemmIdentityBlockSwizzle<3,0> GemmShape<128,256,256>

Source: CATLASS examples 00, 20 and 43; docs/en/1_Practice/11_matmul_optimization.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import LayoutError
from ...ground import limit_error, limit_of
from ..elements import accumulator
from ..shapes import GemmShape, index_of
from .families import (
    MmadAtlasA2Pingpong,
    MmadAtlasA2PingpongBias,
    MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant,
    MmadDequant,
    MmadPingpong,
)
from .footprint import fits
from .nearby import nearest
from .tile import Tile

if TYPE_CHECKING:
    from typing import SupportsIndex

    from ..arch import Arch
    from ..elements import Element
    from ..schedules import BlockSwizzle
    from ..shapes import GemmCoord
    from .dispatch import Family, Policy
    from .scales import ScaleKind


def bias_family(arch: Arch) -> Family:
    """Return the family that adds a bias on an architecture.

    >>> from tla.ascend import ARCHES
    >>> [bias_family(arch).name for arch in ARCHES.values()]
    ['MmadAtlasA2PingpongBias', 'MmadAtlasA2PingpongBias', 'MmadPingpong']
    """
    return MmadPingpong if MmadPingpong.adds_bias(arch.code) else MmadAtlasA2PingpongBias


def default_policy(
    arch: Arch, a: Element, bias: Element | None = None, scale: ScaleKind | None = None
) -> Policy:
    """Return MmadPingpong, or the policy that adds a bias; it has the unit flag unless A is of integers.

    >>> from tla.ascend import AtlasA2, element
    >>> print(default_policy(AtlasA2, element("int4b_t")))
    MmadAtlasA2Pingpong<>

    The copies of TLA do not know elements of 4 bits on 2201, so these have MmadAtlasA2Pingpong.
    """
    if scale is not None and (arch.code == 3510 or a.bits == 4):
        scaled = MmadDequant if arch.code == 3510 else MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant
        return scaled(unit_flag=arch.code == 3510)
    plain = MmadAtlasA2Pingpong if (arch.code, a.bits) == (2201, 4) else MmadPingpong
    family = plain if bias is None else bias_family(arch)
    return family(unit_flag=accumulator(a).name != "int32_t")


def default_swizzle(problem: GemmCoord, policy: Policy) -> BlockSwizzle:
    """Return the swizzle of the policy's kernel, with bands of 3 if the kernel allows any."""
    from ..schedules import default_swizzle as bands, swizzle

    order, kind = bands(problem), policy.family.swizzle
    return swizzle(kind) if "<" in kind else order._replace(name=kind or order.name)


def default_cores(arch: Arch, cores: SupportsIndex | None) -> int:
    """Return the number of cores of a plan: by default all of them.

    Raises:
        LayoutError: there is none.
        LimitError: there are more than the ``cores`` of `tla.limits`.
    """
    count = arch.cores if cores is None else index_of("cores", cores)
    if count < 1:
        raise LayoutError(f"there is at least 1 core, not {count}", cores=count)
    if count > limit_of("cores"):
        summary = f"a plan for {count} cores; at most {limit_of('cores')} are planned for"
        raise limit_error("cores", summary, needed=count, cores=count)
    return count


# CATLASS's examples: 00_basic_matmul and its kin; 43_ascend950_basic_matmul and its kin.
_L1: Final = {
    2201: {1: (128, 256, 512), 2: (128, 256, 256), 4: (128, 128, 256)},
    3510: {1: (256, 256, 256), 2: (256, 256, 128), 4: (256, 256, 128)},
}


def default_l1(
    arch: Arch,
    a: Element,
    b: Element,
    policy: Policy,
    bias: Element | None = None,
    tags: tuple[str, str, str] = ("RowMajor", "RowMajor", "RowMajor"),
    k: int | None = None,
    scale: ScaleKind | None = None,
) -> GemmShape:
    """Return the tile of CATLASS's examples for elements of this width, or the nearest that fits.

    >>> from tla.ascend import Ascend950, element
    >>> default_l1(Ascend950, element("half"), element("half"), MmadPingpong())
    GemmShape(m=256, n=256, k=128)
    """
    shape = GemmShape(*_L1.get(arch.code, _L1[2201]).get(max(a.sizeof, b.sizeof), (128, 128, 256)))
    tile = Tile(
        arch, a, b, shape, default_l0(arch, a, b, shape, policy), policy, bias, tags, k, scale=scale
    )
    if arch.code not in policy.family.codes or fits(tile):
        return shape
    near = nearest(tile)
    return shape if near is None else near.l1


def default_l0(arch: Arch, a: Element, b: Element, l1: GemmShape, policy: Policy) -> GemmShape:
    """Return the part of a tile in L0: its m and n, and the longest half, quarter ... of k that fits.

    >>> from tla.ascend import AtlasA2, element
    >>> half = element("half")
    >>> default_l0(AtlasA2, half, half, GemmShape(128, 256, 256), MmadPingpong())
    GemmShape(m=128, n=256, k=64)

    CATLASS's examples take a quarter. If no part fits, it is a quarter too.
    """
    facts = policy.facts
    room_a = arch.l0a // facts.l0a // max(1, l1.m * a.sizeof)
    room_b = arch.l0b // facts.l0b // max(1, l1.n * b.sizeof)
    least = max(16, a.c0, b.c0)
    k = l1.k
    while k > min(room_a, room_b) and k % 2 == 0 and k // 2 >= least:
        k //= 2
    if k > min(room_a, room_b) or k % least:
        k = min(room_a, room_b, l1.k) // least * least
    if not k:
        k = max(1, l1.k // 4)
    return l1._replace(k=k)
