# SPDX-License-Identifier: Apache-2.0
"""L1 to the bias table: a vector, in whole blocks, whose elements become sums.

>>> from tla.ascend import make_layout
>>> bias = make_layout("float", "VectorLayout", 250)
>>> l1_to_bt(bias, "VectorLayout", arch="AtlasA2", element="float").calls[0].params
DataCopyParams(blockCount=1, blockLen=16, srcStride=0, dstStride=0)

Source: CATLASS gemm/tile/atlasa2/copy_l1_to_bt.hpp, ascend950/copy_l1_to_bt.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError
from ...numbers import ceil_div, round_up
from ..arch import arch as arch_named
from ..cube import BIASES
from ..elements import ELEMENTS, element as element_named
from ..tags import TaggedLayout
from .calls import Call
from .operands import Request, copy_of, element_of, transfer_of, untagged, whole_blocks
from .records import DataCopyParams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...numbers import IntTuple
    from ..arch import Arch
    from ..elements import Element, ElementLike
    from ..tags import Tag
    from .operands import Destination, Source
    from .transfer import Transfer

_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {"VectorLayout": ("VectorLayout",)}


def l1_to_bt(
    src: Source,
    dst: Destination = "VectorLayout",
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    accumulator: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
) -> Transfer:
    """Return the call that moves a vector of biases to the bias table, and converts them to sums.

    >>> from tla.ascend import make_layout
    >>> bias = make_layout("half", "VectorLayout", 40)
    >>> moved = l1_to_bt(bias, arch="Ascend950", element="half")
    >>> moved.calls[0].params.blockLen, moved.src.bytes, moved.dst.bytes
    (3, 80, 160)

    The call counts blocks of 64 bytes on 2201 (CATLASS catlass.hpp, BYTE_PER_C2). On 3510 it counts
    blocks of 32 bytes, an even number of them for elements of 32 bits.

    Args:
        element: The type of the biases; optional if ``src`` has one, as those of `parse_tagged` do.
        accumulator: The type of the sums; by default that of ``dst``, or the one that the core adds such
            a bias to.

    Raises:
        UnsupportedError: a layout is no vector, or the core adds no such bias to such a sum.
        CoordinateError: the tile lies outside the source.
        DivisibilityError: the tile starts within a block of 32 bytes.
        LayoutError: the bias table is smaller than the sums, or L1 than the biases.
    """
    core, of = arch_named(arch), element_of(element, src)
    sum_type = None if accumulator is None else element_named(accumulator)
    tag: str | Tag | None = None
    if isinstance(dst, TaggedLayout):
        sum_type = element_of(sum_type, dst, what="accumulator")
        dst, tag = untagged(dst, tag)
    sums = _sums(core, of, sum_type)
    copy = copy_of("L1->BT", _PAIRS, src, dst, Request(core, of, tile, at, dst_tag=tag))
    whole_blocks(copy, copy.src, (of.c0,), "it reads blocks of 32 bytes,")
    if core.code == 3510:
        unit, blocks = 1, ceil_div(copy.cut[0], of.c0)
        blocks = round_up(blocks, 2) if of.bits == 32 else blocks
    else:
        unit, blocks = 2, ceil_div(copy.room[0], 2 * of.c0)
    copy = copy._replace(dst=copy.dst._replace(element=sums))
    call = Call("DataCopy", copy.dst.start, copy.src.start, DataCopyParams(1, blocks), of, unit)
    return transfer_of(copy, call)


def _sums(arch: Arch, bias: Element, sums: Element | None) -> Element:
    """The type of a bias in the bias table."""
    pairs = BIASES[arch.code]
    name = next((s for s, b in pairs if b == bias.name and (sums is None or s == sums.name)), None)
    if name is None:
        to = f" to sums of {sums}" if sums else ""
        ways = "; ".join(f"{b} to {s}" for s, b in pairs)
        raise UnsupportedError(
            f"{arch} adds no bias of {bias}{to}",
            f"It adds {ways}.",
            arch=arch,
            element=bias,
            accumulator=sums,
        )
    return ELEMENTS[name]
