# SPDX-License-Identifier: Apache-2.0
"""L1 to L0A and L0B: loads of whole fractals, transposed where the tile lies the other way.

>>> from tla.ascend import make_layout
>>> tile = make_layout("half", "zN", 128, 256)
>>> transfer = l1_to_l0a(tile, "zZ", arch="AtlasA2", element="half", tile=(128, 64))
>>> transfer.count, transfer.calls[1].dst, transfer.calls[1].src, transfer.calls[1].params
(8, 1024, 256, LoadData2DParams(startIndex=0, repeatTimes=4, srcStride=8, dstGap=0, ifTranspose=False))

Instruction set 2201 loads rows of fractals (`l1_l0_2201`), 3510 loads boxes of them (`l1_l0_3510`).

Source: CATLASS gemm/tile/atlasa2 and ascend950, copy_l1_to_l0a.hpp and copy_l1_to_l0b.hpp: TileCopyTla;
CopyL1ToL0A from nN, CopyL1ToL0B from zZ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError
from ..arch import arch as arch_named
from .l1_l0_2201 import load_2201
from .l1_l0_3510 import load_3510
from .mx_scales import scales_of
from .operands import Request, copy_of, whole_blocks

if TYPE_CHECKING:
    from ...numbers import IntTuple
    from ..arch import Arch
    from ..elements import ElementLike
    from ..tags import Tag
    from .operands import Destination, Source
    from .transfer import Transfer

_SOURCES: Final = {"L0A": ("zN", "nZ", "nN"), "L0B": ("zN", "nZ", "zZ")}
_L0A_TAGS: Final = {2201: "zZ", 3510: "zN"}
"""The tags of A in L0A, by instruction set."""


def l1_to_l0a(
    src: Source,
    dst: Destination | None = None,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
    src_tag: str | Tag | None = None,
    dst_tag: str | Tag | None = None,
    scales: Source | None = None,
) -> Transfer:
    """Return the calls that move a tile of A, of M rows and K columns, from L1 to L0A.

    >>> from tla.ascend import make_layout
    >>> tile = make_layout("half", "nZ", 96, 64)
    >>> l1_to_l0a(tile, arch="Ascend950", element="half").calls[0].params.ifTranspose
    True

    Args:
        dst: The layout in L0A, or its tag; by default `Arch.l0a_tag`. For a transposed float of 2201 the
            layout made has multiples of 16 along K, as the load writes them.
        element: The element type; optional if a layout has one, as those of `parse_tagged` do.
        tile: Rows and columns; by default those of ``dst``, or the rest of the source.
        at: The first element of the tile; it must start a fractal.
        src_tag, dst_tag: The tag that decides, if a layout is in several.
        scales: The MX scales of the whole source in L1; the load moves those of the tile as well.

    Raises:
        UnsupportedError: no instruction takes the pair of tags, or the architecture the element or its
            scales.
        CoordinateError: the tile lies outside the source.
        DivisibilityError: the tile starts within a fractal, which CATLASS rounds up in silence on one
            architecture and reads across on the other; or a stride is no whole number of fractals.
        LayoutError: a layout is not in its tag or larger than its buffer, or a parameter does not fit
            its field.
        UndecidedError: a size is symbolic.
    """
    core = arch_named(arch)
    own = _L0A_TAGS[core.code]
    if core.l0a_tag != own:
        raise UnsupportedError(
            f"{core} has A as {core.l0a_tag} in L0A, and loads of {core.code} make it {own}",
            f"Give the architecture the l0a_tag of its instruction set: {own}.",
            arch=core,
        )
    request = Request(core, element, tile, at, src_tag, dst_tag)
    return _load("L0A", core.l0a_tag, src, dst, request, scales)


def l1_to_l0b(
    src: Source,
    dst: Destination | None = None,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
    src_tag: str | Tag | None = None,
    dst_tag: str | Tag | None = None,
    scales: Source | None = None,
) -> Transfer:
    """Return the calls that move a tile of B, of K rows and N columns, from L1 to L0B, where it is nZ.

    >>> from tla.ascend import make_layout
    >>> tile = make_layout("int8_t", "zN", 64, 48)
    >>> l1_to_l0b(tile, arch="AtlasA2", element="int8_t").calls[1].params
    LoadData2dTransposeParams(startIndex=0, repeatTimes=2, srcStride=2, dstGap=1, dstFracGap=0)

    Arguments and errors are those of `l1_to_l0a`.
    """
    return _load("L0B", "nZ", src, dst, Request(arch, element, tile, at, src_tag, dst_tag), scales)


def _load(
    side: str,
    tag: str,
    src: Source,
    dst: Destination | None,
    request: Request,
    scales: Source | None,
) -> Transfer:
    pairs = {tag: _SOURCES[side]}
    copy = copy_of(f"L1->{side}", pairs, src, tag if dst is None else dst, request)
    c0 = copy.element.c0
    block = (16, c0) if copy.src.tag.startswith("z") else (c0, 16)
    whole_blocks(copy, copy.src, block, "it loads fractals")
    boxes = None if scales is None else scales_of(copy, scales)
    if copy.src.tag in ("nN", "zZ") and copy.element.bits not in (16, 32):
        raise UnsupportedError(
            f"no instruction of {copy.route} moves {copy.src.tag} to {copy.dst.tag} of {copy.element}",
            "CATLASS keeps its tiles as zN or nZ in L1.",
            route=copy.route,
            element=copy.element,
        )
    return load_3510(copy, boxes) if copy.arch.code == 3510 else load_2201(copy)
