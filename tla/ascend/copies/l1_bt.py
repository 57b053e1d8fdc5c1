"""L1 to the bias table: a vector, in whole blocks.

>>> from tla.ascend import make_layout
>>> bias = make_layout("float", "VectorLayout", 250)
>>> l1_to_bt(bias, "VectorLayout", arch="AtlasA2", element="float").calls[0].params
DataCopyParams(blockCount=1, blockLen=16, srcStride=0, dstStride=0)

Source: CATLASS gemm/tile/atlasa2/copy_l1_to_bt.hpp, ascend950/copy_l1_to_bt.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import LayoutError
from ...ints import ceil_div, round_up
from .operands import Asked, copy_of, finished, whole_blocks
from .records import Call, DataCopyParams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ints import IntTuple
    from ...layout import AnyLayout
    from ..arch import Arch
    from .operands import Destination, ElementLike
    from .transfer import Transfer

__all__ = ["l1_to_bt"]

_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {"VectorLayout": ("VectorLayout",)}
_BT_BLOCK: Final = 64
"""The bytes of a block of the bias table. Source: CATLASS catlass.hpp, BYTE_PER_C2."""


def l1_to_bt(
    src: AnyLayout,
    dst: Destination = "VectorLayout",
    *,
    arch: str | Arch,
    element: ElementLike,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
) -> Transfer:
    """Return the call that moves a vector of biases to the bias table.

    >>> from tla.ascend import make_layout
    >>> bias = make_layout("half", "VectorLayout", 40)
    >>> l1_to_bt(bias, arch="Ascend950", element="half").calls[0].params.blockLen
    3

    It counts blocks of 64 bytes in 2201, and of 32 in 3510, an even number of them for 32 bits.

    Raises:
        UnsupportedError: a layout is no vector.
        CoordinateError: the tile lies outside the source.
        DivisibilityError: the tile starts within a block of 32 bytes.
        LayoutError: the bias table is smaller.
    """
    copy = copy_of("L1->BT", _PAIRS, src, dst, Asked(arch, element, tile, at))
    element, of_3510 = copy.element, copy.arch.code == 3510
    whole_blocks(copy, copy.src, (element.c0,), "it reads blocks of 32 bytes,")
    if of_3510:
        blocks = ceil_div(copy.cut[0], element.c0)
        blocks = round_up(blocks, 2) if element.bits == 32 else blocks
    else:
        blocks = ceil_div(copy.room[0], _BT_BLOCK // element.sizeof)
    written, room = blocks * (32 if of_3510 else _BT_BLOCK), copy.arch.capacity("BT")
    if written > room:
        raise LayoutError(
            f"{copy.cut[0]} biases of {element} take {written} bytes, and the bias table of {copy.arch}"
            f" has {room}",
            "Load fewer at a time.",
            needed=written,
            available=room,
        )
    call = Call("DataCopy", copy.dst.start, copy.src.start, DataCopyParams(1, blocks), element)
    return finished(copy, call)
