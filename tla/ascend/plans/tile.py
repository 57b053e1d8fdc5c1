# SPDX-License-Identifier: Apache-2.0
"""A tile of a product, with all facts that decide whether a block accepts it.

>>> from tla.ascend import AtlasA2, GemmShape, MmadPingpong, element, fits
>>> half = element("half")
>>> tile = Tile(AtlasA2, half, half, GemmShape(128, 256, 256), GemmShape(128, 256, 64), MmadPingpong())
>>> fits(tile), fits(tile._replace(l1=GemmShape(128, 256, 512)))
(True, False)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from ..arch import Arch
    from ..elements import Element
    from ..shapes import GemmShape
    from .dispatch import Policy
    from .scales import ScaleKind

Operand: TypeAlias = Literal["A", "B", "C", "bias", "scale"]


class Tile(NamedTuple):
    """The argument of `fits`, `footprints` and `nearest`; `Plan.tile` is the tile of a plan.

    >>> from tla.ascend import gemm
    >>> tile = gemm("AtlasA2", (64, 64, 40), "half").tile
    >>> print(tile.l1, tile.policy, tile.k)
    GemmShape<128,256,256> MmadPingpong<Arch::AtlasA2,true> 40
    """

    arch: Arch
    a: Element
    b: Element
    l1: GemmShape
    """The tile in L1."""
    l0: GemmShape
    """The tile in L0A, L0B and L0C."""
    policy: Policy
    bias: Element | None = None
    tags: tuple[str, str, str] = ("RowMajor", "RowMajor", "RowMajor")
    """The tags of A, B and C in global memory. Those of A and B decide the tags in L1."""
    k: int | None = None
    """The k of the problem, for policies that keep all of it in L1."""
    c: Element | None = None
    """The element type of C; None is that of A."""
    scale: ScaleKind | None = None
    """The kind of scales; those of channels lie in L1 and in FB."""
