# SPDX-License-Identifier: Apache-2.0
"""The meaning of each copy instruction: which element it moves where.

Each instruction has a model, element by element, from the vendor's description. Parameters are proved
against the model, and a simulator runs it.

>>> from tla.ascend import element
>>> from tla.ascend.copies import Call, LoadData2DParams
>>> load = Call("LoadData", 0, 0, LoadData2DParams(0, 1, 1, 0, True), element("half"))
>>> [(m.src, m.dst) for m in load.moves()][:3]  # a fractal of 16 by 16, transposed
[(0, 0), (1, 16), (2, 32)]

Source: CANN, "CCE intrinsics": copy_gm_to_cbuf_multi_nd2nz writes zeros behind a row that does not fill
its last 32 bytes. load_cbuf_to_ca moves whole fractals of 512 bytes, and transposes those of 16 bits
alone. load_cbuf_to_ca_transpose transposes squares of 4 fractals of 4 bits, 2 of 8 and of 32, 1 of 16.
CATLASS, gemm/tile/ascend950, for LoadData2DParamsV2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, assert_never

from ...numbers import ceil_div
from .records import (
    DataCopyCO12DstParams,
    DataCopyExtParams,
    DataCopyParams,
    Dn2NzParams,
    FixpipeParamsC310,
    FixpipeParamsV220,
    LoadData2DParams,
    LoadData2DParamsV2,
    LoadData2dTransposeParams,
    LoadData3DParamsV2,
    Nd2NzParams,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..elements import Element
    from .records import Params


class Move(NamedTuple):
    """One element: its place in the source tensor, and its place in the destination.

    >>> from tla.ascend.copies import gm_to_l1
    >>> moved = gm_to_l1(row_major(100, 60), "zN", arch="AtlasA2", element="half", tile=(48, 32))
    >>> list(moved.moves())[16:18]
    [Move(src=16, dst=768), Move(src=17, dst=769)]
    """

    src: int | None
    """The place read; None if a zero is written."""
    dst: int


def meaning(
    params: Params, element: Element, unit: int = 1, image_width: int | None = None
) -> Iterator[tuple[int | None, int]]:
    """Return the moves of an instruction: the place read and the place written, from its first elements.

    Args:
        unit: `Call.unit`.
        image_width: The width of ``SetFmatrix``; by default the extent of LoadData3DV2 itself.
    """
    if isinstance(params, (Nd2NzParams, Dn2NzParams)):
        return _to_nz(params, element.c0 // unit, unit)
    if isinstance(params, DataCopyParams):
        return _runs(params, element.c0 * unit)
    if isinstance(params, LoadData2DParams):
        return _fractals(params, element.fractal)
    if isinstance(params, LoadData2dTransposeParams):
        return _squares(params, element.c0)
    if isinstance(params, LoadData2DParamsV2):
        return _box(params, element.c0)
    if isinstance(params, LoadData3DParamsV2):
        return _image(params, element.c0, image_width or params.mExtension)
    if isinstance(params, DataCopyExtParams):
        return _padded_rows(params, element)
    kinds = (FixpipeParamsV220, FixpipeParamsC310, DataCopyCO12DstParams)
    if isinstance(params, kinds):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _accumulators(params, element.c0)
    assert_never(params)


def _to_nz(p: Nd2NzParams | Dn2NzParams, c0: int, unit: int) -> Iterator[tuple[int | None, int]]:
    """Rows n of d elements go to columns of blocks; a last block that is not full ends in zeros."""
    matrices = p.ndNum if isinstance(p, Nd2NzParams) else p.dnNum
    matrix_step = p.srcNdMatrixStride if isinstance(p, Nd2NzParams) else p.srcDnMatrixStride
    n_step, d_step = (p.srcDValue, 1) if isinstance(p, Nd2NzParams) else (1, p.srcDValue)
    for matrix in range(matrices):
        for n in range(p.nValue):
            for d in range(ceil_div(p.dValue, c0) * c0):
                src = matrix * matrix_step + n * n_step + d * d_step
                block = d // c0 * p.dstNzC0Stride + n * p.dstNzNStride
                dst = matrix * p.dstNzMatrixStride + block * c0 + d % c0
                for lane in range(unit):
                    yield src * unit + lane if d < p.dValue else None, dst * unit + lane


def _runs(p: DataCopyParams, block: int) -> Iterator[tuple[int, int]]:
    """Runs of whole blocks."""
    for run in range(p.blockCount):
        for i in range(p.blockLen * block):
            src = run * (p.blockLen + p.srcStride) * block + i
            yield src, run * (p.blockLen + p.dstStride) * block + i


def _padded_rows(p: DataCopyExtParams, element: Element) -> Iterator[tuple[int | None, int]]:
    """Rows of bytes; in UB each ends with whole blocks, and a copy to there fills them with zeros."""
    block = element.c0
    long = p.blockLen * 8 // element.bits
    whole = ceil_div(long, block) * block
    for row in range(p.blockCount):
        gap, blocks = (p.dstStride, p.srcStride) if p.to_gm else (p.srcStride, p.dstStride)
        outside, inside = row * (p.blockLen + gap) * 8 // element.bits, row * (whole + blocks * block)
        for i in range(long if p.to_gm else whole):
            if p.to_gm:
                yield inside + i, outside + i
            else:
                yield outside + i if i < long else None, inside + i


def _fractals(p: LoadData2DParams, fractal: int) -> Iterator[tuple[int, int]]:
    """Whole fractals; those of 16 bits are transposed on request."""
    for repeat in range(p.repeatTimes):
        src = (p.startIndex + repeat * p.srcStride) * fractal
        dst = repeat * (1 + p.dstGap) * fractal
        for i in range(fractal):
            row, col = divmod(i, 16)
            yield src + i, dst + (col * 16 + row if p.ifTranspose else i)


def _square(c0: int) -> Iterator[tuple[int, int, int, int]]:
    """The transposed square: each element's fractal and place in it, read and written.

    The rows of a fractal are 32 bytes. Up to 16 bits a square is fractals one below the other; of 32
    bits it is two side by side.
    """
    size = max(16, c0)
    for row in range(size):
        for col in range(size):
            read_at = row // 16 + col // c0, row % 16 * c0 + col % c0
            written_at = col // 16 + row // c0, col % 16 * c0 + row % c0
            yield *read_at, *written_at


def _squares(p: LoadData2dTransposeParams, c0: int) -> Iterator[tuple[int, int]]:
    """Squares of fractals that follow one another, each transposed."""
    fractal, count = 16 * c0, max(c0, 16) // min(c0, 16)
    for repeat in range(p.repeatTimes):
        first = (p.startIndex + repeat * p.srcStride) * count
        # the gap is from the tail of a square's first fractal to the head of the next square's
        to = repeat * (1 + p.dstGap)
        for source, i, target, j in _square(c0):
            yield (
                (first + source) * fractal + i,
                (to + target * (1 + p.dstFracGap)) * fractal + j,
            )


def _box(p: LoadData2DParamsV2, c0: int) -> Iterator[tuple[int, int]]:
    """Fractals (m, k) of the source; transposed, squares of them go to (k, m)."""
    fractal = 16 * c0
    deep, wide = (max(1, c0 // 16), max(1, 16 // c0)) if p.ifTranspose else (1, 1)
    for k in range(0, p.kStep, wide):
        for m in range(0, p.mStep, deep):
            src = (p.kStartPosition + k) * p.srcStride + p.mStartPosition + m
            if not p.ifTranspose:
                for i in range(fractal):
                    yield src * fractal + i, (k * p.dstStride + m) * fractal + i
                continue
            # square (m / deep, k / wide): its columns become rows of fractals
            row, col = k // wide * deep, m // deep * wide
            for source, i, target, j in _square(c0):
                across = source * p.srcStride if wide == 2 else source
                at = col * p.dstStride + row
                at += target * p.dstStride if wide == 2 else target
                yield (src + across) * fractal + i, at * fractal + j


def _image(p: LoadData3DParamsV2, c0: int, width: int) -> Iterator[tuple[int, int]]:
    """Positions m by channels k of an image 1 high, with a filter of 1 by 1.

    L0A receives zZ, transposed on request; L0B, with `fMatrixCtrl`, receives nZ. Both extents are
    rounded up to whole fractals.
    """
    positions, channels = ceil_div(p.mExtension, 16) * 16, ceil_div(p.kExtension, c0) * c0
    for m in range(positions):
        for k in range(channels):
            src = k // c0 * width * c0 + m * c0 + k % c0
            if p.fMatrixCtrl:
                block, within = m // c0 * (channels // 16) + k // 16, k % 16 * c0 + m % c0
            elif p.enTranspose:
                block, within = k // 16 * (positions // c0) + m // c0, k % 16 * c0 + m % c0
            else:
                block, within = m // 16 * (channels // c0) + k // c0, m % 16 * c0 + k % c0
            yield src, block * 16 * c0 + within


def _accumulators(
    p: FixpipeParamsV220 | FixpipeParamsC310 | DataCopyCO12DstParams, c0: int
) -> Iterator[tuple[int | None, int]]:
    """Columns of 16 accumulators come out as rows, or as columns of 32-byte blocks, whole ones."""
    rows = p.nz2ndEn if isinstance(p, DataCopyCO12DstParams) else p.nz2nd
    width = p.nSize if rows else ceil_div(p.nSize, c0) * c0
    for n in range(width):
        for m in range(p.mSize):
            src = n // 16 * p.srcStride * 16 + m * 16 + n % 16
            yield src, m * p.dstStride + n if rows else (n // c0 * p.dstStride + m) * c0 + n % c0
