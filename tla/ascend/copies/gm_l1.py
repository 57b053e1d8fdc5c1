# SPDX-License-Identifier: Apache-2.0
"""Global memory to L1: Nd2Nz from rows or columns, plain DataCopy from fractals and vectors.

>>> from tla.ascend import make_layout
>>> matrix = make_layout("half", "RowMajor", 100, 100)
>>> transfer = gm_to_l1(matrix, "zN", arch="AtlasA2", element="half", tile=(32, 48), at=(96, 96))
>>> print(*transfer.calls)
DataCopy(dst[0], src[9696], Nd2NzParams{ndNum=1, nValue=4, dValue=4, srcNdMatrixStride=0,
    srcDValue=100, dstNzC0Stride=32, dstNzNStride=1, dstNzMatrixStride=0})

Source: CATLASS gemm/tile/atlasa2/copy_gm_to_l1.hpp and ascend950/copy_gm_to_l1.hpp: TileCopyTla and
TileCopyTlaExt; CopyGmToL1 for zZ and nN, which the products of `L1AndL0TypeSelectorGemm` keep in L1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...errors import DivisibilityError, LayoutError
from ...layouts import text_of
from ...numbers import ceil_div
from ..elements import ELEMENTS
from .calls import Call
from .operands import LINES, Request, copy_of, transfer_of, whole, whole_blocks
from .records import DataCopyParams, Dn2NzParams, Nd2NzParams

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...numbers import IntTuple
    from ..arch import Arch
    from ..elements import ElementLike
    from ..tags import Tag
    from .operands import Copy, Destination, Source
    from .transfer import Transfer

PAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "VectorLayout": ("VectorLayout",),
    "zN": ("RowMajor", "zN", "PaddingRowMajor"),
    "nZ": ("ColumnMajor", "nZ", "PaddingColumnMajor"),
    "zZ": ("RowMajor",),
    "nN": ("ColumnMajor",),
    "MxScalezZ": ("MxScaleRowMajorA", "MxScaleColumnMajorA"),
    "MxScalenN": ("MxScaleRowMajorB", "MxScaleColumnMajorB"),
}
"""For each tag in L1 the tags in global memory that are copied to it."""

BLOCK_LIMIT: Final = 65536
"""The greatest step between runs, in blocks of 32 bytes; beyond it each run takes its own DataCopy."""


def gm_to_l1(
    src: Source,
    dst: Destination,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
    src_tag: str | Tag | None = None,
    dst_tag: str | Tag | None = None,
) -> Transfer:
    """Return the calls that move a tile of a matrix in global memory to L1.

    >>> from tla.ascend import make_layout
    >>> blocks = make_layout("half", "nZ", 1000, 777)
    >>> moved = gm_to_l1(blocks, "nZ", arch="AtlasA2", element="half", tile=(128, 256), at=(896, 768))
    >>> moved.calls[0].params
    DataCopyParams(blockCount=7, blockLen=9, srcStride=775, dstStride=247)

    Args:
        dst: The layout of the tile in L1, or the tag to make it with; it is not cropped.
        element: The element type; optional if a layout has one, as those of `parse_tagged` do.
        tile: Rows and columns; by default those of ``dst``, or the rest of the matrix. The part of the
            tile outside the matrix is not moved.
        at: The first element of the tile; by default the first of the matrix.
        src_tag, dst_tag: The tag that decides, if a layout is in several.

    Raises:
        UnsupportedError: no instruction takes the pair of tags, or the architecture the element.
        CoordinateError: the tile lies outside the matrix.
        DivisibilityError: the tile starts within a block that is moved as a whole.
        LayoutError: a layout is not in its tag or larger than L1, the tile crosses a block of a padded
            matrix, or a parameter does not fit its field.
        UndecidedError: a size is symbolic.
    """
    request = Request(arch, element, tile, at, src_tag, dst_tag)
    copy = copy_of("GM->L1", PAIRS, src, dst, request)
    if copy.dst.tag == "VectorLayout":
        return _vector(copy)
    if copy.dst.tag.startswith("MxScale"):
        return _scales(copy)
    if copy.src.tag == copy.dst.tag:
        return _blocks(copy)
    return _lines_of_blocks(copy) if copy.dst.tag in ("zZ", "nN") else _lines(copy)


def _lines(copy: Copy) -> Transfer:
    """Rows to zN, columns to nZ, by Nd2Nz: n counts the lines, d runs along them."""
    n = 0 if copy.dst.tag == "zN" else 1
    _require_one_block(copy)
    first, leading = _nd2nz(copy, n)
    limit = copy.arch.stride_limit
    if limit is None or leading < limit or copy.src.tag.startswith("Padding"):
        return transfer_of(copy, first)
    return _line_by_line(copy, first, n, leading, limit)


def _line_by_line(copy: Copy, first: Call, n: int, leading: int, limit: int) -> Transfer:
    """One call for each line, if the leading dimension is too long a step for one Nd2Nz."""
    one = _changed(first, nValue=1, srcDValue=0, dstNzNStride=0)
    why = f"leading dimension {leading} >= {limit}: one call per {LINES[n]}"
    return transfer_of(copy, one, copy.cut[n], copy.element.c0, leading, why_many=why)


def _lines_of_blocks(copy: Copy) -> Transfer:
    """Rows to zZ, columns to nN: each 16 lines are one matrix, the remaining lines another."""
    n = 0 if copy.dst.tag == "zZ" else 1
    first, leading = _nd2nz(copy, n)
    full, left = divmod(copy.cut[n], 16)
    to, apart = copy.step(copy.dst, n, 1), 16 * leading
    lines = f"{LINES[n]}s"
    if leading >= BLOCK_LIMIT:
        if copy.cut[n] > 16:
            raise LayoutError(
                f"leading dimension {leading} >= {BLOCK_LIMIT}: {lines} to {copy.dst.tag} go one by one,"
                f" and {copy.cut[n]} are more than 16",
                "CATLASS multiplies the place of a fractal by the number of the line."
                f" Copy 16 {lines} at a time.",
                leading=leading,
            )
        return _line_by_line(copy, first, n, leading, BLOCK_LIMIT)
    many = apart < BLOCK_LIMIT
    matrix = apart // first.unit if many else 0
    rest = _changed(first, nValue=left, srcNdMatrixStride=matrix)
    rest = rest._replace(dst=first.dst + full * to, src=first.src + full * apart)
    if not full:
        return transfer_of(copy, rest)
    tail = rest if left else None
    if many:
        first = _changed(
            first, ndNum=full, nValue=16, srcNdMatrixStride=matrix, dstNzMatrixStride=to // first.unit
        )
        return transfer_of(copy, first, tail=tail, why_many=f"{left} {lines} are left over")
    why = f"16 {lines} span {apart} elements >= {BLOCK_LIMIT}: one call each 16"
    return transfer_of(copy, _changed(first, nValue=16), full, to, apart, why_many=why, tail=tail)


def _changed(call: Call, **fields: Any) -> Call:
    """A call with some of its parameters changed."""
    return call._replace(params=call.params._replace(**fields))


def _nd2nz(copy: Copy, n: int) -> tuple[Call, int]:
    """One Nd2Nz for a whole tile of lines along axis ``n``, and the leading dimension."""
    d, line = 1 - n, LINES[n]
    element, c0 = copy.element, copy.element.c0
    leading = copy.step(copy.src, n, 0)
    unit = 2 if element.bits == 4 else 1  # Nd2Nz counts two elements of 4 bits as a byte
    if unit == 2 and (copy.src.at[d] % 2 or (leading % 2 and copy.cut[n] > 1)):
        raise DivisibilityError(
            f"{copy.route} of {element}: two elements share a byte, and a {line} starts within one",
            f"It starts at {copy.src.at[d]} and the leading dimension is {leading}: both must be even.",
            coord=copy.src.at,
            leading=leading,
        )
    params = Nd2NzParams(
        nValue=copy.cut[n],
        dValue=ceil_div(copy.cut[d], unit),
        srcDValue=ceil_div(leading, unit),
        dstNzC0Stride=copy.blocks_apart(copy.dst, d),
        dstNzNStride=whole(copy.step(copy.dst, n, 0), c0, f"the step of a {line} of {copy.dst}"),
    )
    return Call("DataCopy", copy.dst.start, copy.src.start, params, element, unit), leading


def _require_one_block(copy: Copy) -> None:
    """Require the tile of a padded matrix to lie in one block, where lines are evenly apart."""
    if not copy.src.tag.startswith("Padding"):
        return
    block = tuple(int(mode[0]) for mode in copy.src.layout.shape)
    ends = [c % b + x for c, b, x in zip(copy.src.at, block, copy.cut, strict=True)]
    if any(end > b for end, b in zip(ends, block, strict=True)):
        raise LayoutError(
            f"the tile of {copy.cut[0]} by {copy.cut[1]} at {text_of(copy.src.at)} crosses a block of"
            f" {block[0]} by {block[1]}",
            f"One Nd2Nz reads one block of {copy.src.tag}: copy block by block.",
            coord=copy.src.at,
            tile=copy.cut,
            block=block,
        )


def _blocks(copy: Copy) -> Transfer:
    """Fractals to fractals: columns of 32-byte blocks of zN, rows of them of nZ."""
    n, d = (0, 1) if copy.dst.tag == "zN" else (1, 0)
    c0 = copy.element.c0
    whole_blocks(copy, copy.src, (1, c0) if d == 1 else (c0, 1), "it moves blocks of 32 bytes,")
    count, length = ceil_div(copy.cut[d], c0), copy.cut[n]
    src_step, dst_step = copy.step(copy.src, d, 1), copy.step(copy.dst, d, 1)
    call = Call("DataCopy", copy.dst.start, copy.src.start, DataCopyParams(1, length), copy.element)
    blocks = copy.blocks_apart(copy.src, d)
    is_one = copy.arch.code == 3510 and copy.dst.tag == "nZ"  # CATLASS has no second way there
    if blocks <= BLOCK_LIMIT or (is_one and blocks - length < BLOCK_LIMIT):
        gap = copy.blocks_apart(copy.dst, d) - length
        params = DataCopyParams(count, length, blocks - length, gap)
        if count == 1:  # the gaps of one run are not used
            params = params._replace(srcStride=max(0, params.srcStride), dstStride=max(0, gap))
        return transfer_of(copy, call._replace(params=params))
    why = f"{blocks} blocks from one {LINES[d]} of blocks to the next > {BLOCK_LIMIT}: one call each"
    if is_one:
        gap = blocks - length
        why += f" (CATLASS issues one here, whose srcStride {gap} wraps to {gap % BLOCK_LIMIT})"
    return transfer_of(copy, call, count, dst_step, src_step, why_many=why)


def _vector(copy: Copy) -> Transfer:
    """A vector: whole blocks of 32 bytes; the last may reach past its end."""
    blocks = ceil_div(copy.cut[0], copy.element.c0)
    return transfer_of(
        copy,
        Call("DataCopy", copy.dst.start, copy.src.start, DataCopyParams(1, blocks), copy.element),
    )


def _scales(copy: Copy) -> Transfer:
    """MX scales, in pairs along K that are read as one half: a fractal holds 16 of them."""
    n, d = (1, 0) if copy.dst.tag == "MxScalezZ" else (0, 1)  # n runs along K
    pairs = ceil_div(copy.cut[n], 2)
    whole_blocks(copy, copy.src, (1, 2) if n == 1 else (2, 1), "a pair of scales is one half,")
    block = whole(copy.step(copy.dst, d, 1), 32, f"the row of fractals of {copy.dst}")
    kind: type[Nd2NzParams | Dn2NzParams]
    if copy.src.tag.endswith(("ColumnMajorA", "RowMajorB")):
        kind, leading = Nd2NzParams, copy.step(copy.src, n, 1)
    else:
        kind, leading = Dn2NzParams, copy.step(copy.src, d, 0)
    params = kind(pairs, copy.cut[d], ceil_div(leading, 2), block, 1)
    call = Call("DataCopy", copy.dst.start, copy.src.start, params, ELEMENTS["float8_e8m0_t"], 2)
    return transfer_of(copy, call)
