# SPDX-License-Identifier: Apache-2.0
"""Global memory to the unified buffer of a vector core and back: rows, each padded to whole blocks.

>>> from tla.ascend import make_layout
>>> c, rows = make_layout("half", "RowMajor", 1000, 777), make_layout("half", "RowMajor", 32, 112)
>>> moved = gm_to_ub(c, rows, arch="AtlasA2", element="half", tile=(32, 100), at=(64, 256))
>>> print(*moved.calls)
DataCopyPad(dst[0], src[49984], DataCopyExtParams{blockCount=32, blockLen=200, srcStride=1354,
    dstStride=0, to_gm=false})
>>> print(moved.proof())
3200 elements moved, each to its place; besides written: 384 zeros

The stride of global memory counts bytes from the end of a row to the next. That of UB counts blocks of
32 bytes, from the last block of a row on: a row is padded to whole blocks.

Source: CATLASS epilogue/tile/copy_gm_to_ub.hpp, copy_ub_to_gm.hpp: CopyGm2Ub, CopyUb2Gm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import DivisibilityError
from ...numbers import ceil_div
from .calls import Call
from .operands import Request, copy_of, store_of, transfer_of
from .records import DataCopyExtParams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...numbers import IntTuple
    from ..arch import Arch
    from ..elements import ElementLike
    from .matrix import Matrix
    from .operands import Copy, Source
    from .transfer import Transfer

_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "RowMajor": ("RowMajor",), "VectorLayout": ("VectorLayout",)
}  # fmt: skip
_BLOCK: Final = 32


def gm_to_ub(
    src: Source,
    dst: Source,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
) -> Transfer:
    """Return the call that moves rows of a matrix, or a part of a vector, to UB.

    >>> from tla.ascend import make_layout
    >>> scales = make_layout("float", "VectorLayout", 500)
    >>> part = make_layout("float", "VectorLayout", 64)
    >>> gm_to_ub(scales, part, arch="AtlasA2", element="float", at=(480,)).calls[0].params
    DataCopyExtParams(blockCount=1, blockLen=80, srcStride=0, dstStride=0, to_gm=False)

    Args:
        dst: The layout of the tile in UB, whose rows start at multiples of 32 bytes.
        tile: The extents of the tile; by default those of ``dst``.
        at: The first element of the tile in the matrix.

    Raises:
        UnsupportedError: a matrix is not RowMajor, or a vector no VectorLayout.
        CoordinateError: the tile lies outside the matrix.
        DivisibilityError: a row in UB does not start at a multiple of 32 bytes.
        LayoutError: UB is smaller than the tile, or a parameter does not fit its field.
    """
    copy = copy_of("GM->UB", _PAIRS, src, dst, Request(arch, element, tile, at))
    return _rows(copy, copy.src, copy.dst, False)


def ub_to_gm(
    src: Source,
    dst: Source,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
) -> Transfer:
    """Return the call that moves rows in UB, or a vector, to global memory.

    >>> from tla.ascend import make_layout
    >>> rows, d = make_layout("half", "RowMajor", 8, 112), make_layout("half", "RowMajor", 64, 100)
    >>> ub_to_gm(rows, d, arch="AtlasA2", element="half", tile=(8, 100)).calls[0].params
    DataCopyExtParams(blockCount=8, blockLen=200, srcStride=0, dstStride=0, to_gm=True)

    The arguments and errors are those of `gm_to_ub`; ``at`` is a place in global memory.
    """
    copy = store_of("UB->GM", _PAIRS, src, dst, Request(arch, element, tile, at))
    return _rows(copy, copy.dst, copy.src, True)


def _rows(copy: Copy, in_gm: Matrix, in_ub: Matrix, to_gm: bool) -> Transfer:
    of, rows, columns = copy.element, 1 if len(copy.cut) == 1 else copy.cut[0], copy.cut[-1]
    long = of.bytes_of(columns)
    gap = blocks = 0
    if rows > 1:
        apart = of.bytes_of(copy.step(in_ub, 0, 0))
        if apart % _BLOCK:
            raise DivisibilityError(
                f"rows in UB start every {apart} bytes, not at multiples of {_BLOCK}",
                f"Give rows of {ceil_div(apart, _BLOCK) * _BLOCK * 8 // of.bits} elements.",
                stride=apart,
            )
        gap = of.bytes_of(copy.step(in_gm, 0, 0)) - long
        blocks = apart // _BLOCK - ceil_div(long, _BLOCK)
    params = DataCopyExtParams(rows, long, *((blocks, gap) if to_gm else (gap, blocks)), to_gm)
    return transfer_of(copy, Call("DataCopyPad", copy.dst.start, copy.src.start, params, of))
