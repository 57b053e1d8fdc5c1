# SPDX-License-Identifier: Apache-2.0
"""Loads of instruction set 2201: rows of fractals, one after another.

LoadData moves fractals unchanged, or transposes those of 16 bits. LoadDataWithTranspose transposes
squares: 32 by 32 of 8 bits; 64 by 64 of 4 bits, to L0B alone; 16 by 16 of 32 bits, from nN and zZ. From
zN and nZ, LoadData3DV2 transposes elements of 32 bits as an image whose positions become columns.

Source: CATLASS gemm/tile/atlasa2/copy_l1_to_l0a.hpp, copy_l1_to_l0b.hpp: TileCopyTla; CopyL1ToL0B for
int4b_t, which TileCopyTla would transpose as if it had 16 bits; gemm/tile/tile_mmad.hpp,
kDirectionAlign. CANN, "CCE intrinsics", load_cbuf_to_ca_transpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import LayoutError, UnsupportedError
from ...numbers import ceil_div, round_up
from ..tags import make_layout
from .calls import Call
from .operands import transfer_of
from .records import LoadData2DParams, LoadData2dTransposeParams, LoadData3DParamsV2, Setting

if TYPE_CHECKING:
    from .operands import Copy
    from .transfer import Transfer


def load_2201(copy: Copy) -> Transfer:
    """Return the loads of a tile, to zZ or to nZ."""
    bits, pair = copy.element.bits, (copy.src.tag, copy.dst.tag)
    if pair == ("nZ", "nZ"):
        return _columns(copy)
    if bits == 32 and copy.src.tag in ("zN", "nZ"):
        return _image(copy)
    apart = 1 if _is_in_rows(copy) else copy.fractals_apart(copy.src, 1)
    if pair == ("zN", "zZ"):
        return _rows(copy, apart, False)
    if bits == 16:
        return _rows(copy, apart, True)
    if bits == 4 and pair == ("nZ", "zZ"):
        raise UnsupportedError(
            f"no instruction of {copy.route} moves nZ to zZ of {copy.element}",
            "It would transpose, and elements of 4 bits are transposed on the way to L0B alone; CATLASS"
            " would transpose them as if they had 16. Keep A row major, zN in L1.",
            route=copy.route,
            element=copy.element,
        )
    return _squares(copy)


def _is_in_rows(copy: Copy) -> bool:
    """Whether the fractals of the source follow one another in rows, not in columns."""
    return copy.src.tag.endswith("Z")


def _counts(copy: Copy) -> tuple[int, int]:
    """The fractals of the destination, down and across."""
    blocks = [int(mode[0]) for mode in copy.dst.layout.shape]
    rows, cols = [ceil_div(n, b) for n, b in zip(copy.room, blocks, strict=True)]
    return rows, cols


def _rows(copy: Copy, stride: int, transposed: bool) -> Transfer:
    """One call for each row of fractals of the destination, whose fractals lie side by side."""
    rows, cols = _counts(copy)
    params = LoadData2DParams(0, cols, stride, 0, transposed)
    return _stepped(copy, Call("LoadData", 0, copy.src.start, params, copy.element), rows)


def _stepped(copy: Copy, first: Call, count: int, src_rows: int = 1, dst_rows: int = 1) -> Transfer:
    """Calls that step down rows of fractals."""
    steps = copy.step(copy.dst, 0, 1) * dst_rows, copy.step(copy.src, 0, 1) * src_rows
    why = f"{count} rows of {'squares' if src_rows * dst_rows > 1 else 'fractals'}: one call each"
    return transfer_of(copy, first, count, *steps, why_many=why)


def _columns(copy: Copy) -> Transfer:
    """nZ to nZ: one call if both have rows of fractals of the same length."""
    rows, cols = _counts(copy)
    steps = {copy.step(copy.src, 0, 1), copy.step(copy.dst, 0, 1)}
    if rows == 1 or steps == {cols * copy.element.fractal}:
        params = LoadData2DParams(0, rows * cols, 1, 0, False)
        return transfer_of(copy, Call("LoadData", 0, copy.src.start, params, copy.element))
    return _rows(copy, 1, False)


def _squares(copy: Copy) -> Transfer:
    """Squares of fractals, each transposed, one call for each row of squares."""
    side = max(16, copy.element.c0)
    square = side * side // copy.element.fractal
    extents = copy.cut if copy.element.bits == 8 else copy.room  # as CATLASS, of 8 bits the data alone
    rows, cols = _counts(copy)
    if _is_in_rows(copy):
        row = copy.step(copy.dst, 0, 1) // copy.element.fractal if rows > 1 else cols
        params = LoadData2dTransposeParams(0, cols, 1, 0, row - 1)
        count, src_rows, dst_rows = ceil_div(extents[0], side), 1, square
    else:
        cols = ceil_div(extents[1], side)
        apart = copy.fractals_apart(copy.src, 1)
        # of one square CATLASS's unused step is rounded down, but up for 32 bits
        step = ceil_div(apart, square) if copy.element.bits == 32 else apart // square
        if apart % square and cols > 1:
            raise LayoutError(
                f"{copy.src} has {apart} fractals down each column, and squares take {square}",
                f"LoadDataWithTranspose steps in squares of {side} by {side}: give L1 a multiple of"
                f" {side} rows. CATLASS steps {step * square} fractals, to wrong ones.",
                apart=apart,
                square=square,
            )
        params = LoadData2dTransposeParams(0, cols, step, square - 1, 0)
        count, src_rows, dst_rows = rows, square, 1
    call = Call("LoadDataWithTranspose", 0, copy.src.start, params, copy.element)
    return _stepped(copy, call, count, src_rows, dst_rows)


def _image(copy: Copy) -> Transfer:
    """Elements of 32 bits: the tile is an image of one row, its channels the blocks of 8."""
    c0, pair = copy.element.c0, (copy.src.tag, copy.dst.tag)
    if pair == ("zN", "zZ"):
        width = copy.blocks_apart(copy.src, 1)
        params = LoadData3DParamsV2(
            kExtension=round_up(copy.room[1], c0),
            mExtension=round_up(copy.room[0], c0),
            channelSize=round_up(copy.cut[1], c0),
        )
        wide = params.kExtension * 16
    elif pair == ("nZ", "zZ"):
        width = round_up(copy.blocks_apart(copy.src, 0), 16)
        params = LoadData3DParamsV2(
            kExtension=round_up(copy.room[0], 16),
            mExtension=round_up(copy.room[1], 16),
            channelSize=round_up(copy.cut[0], 16),
            enTranspose=True,
        )
        wide = params.mExtension * 16
        if copy.is_made:
            layout = make_layout(copy.element, "zZ", copy.room[0], params.mExtension)
            copy = copy._replace(dst=copy.dst._replace(layout=layout))
    else:
        width = round_up(copy.blocks_apart(copy.src, 1), 16)
        params = LoadData3DParamsV2(
            kExtension=round_up(copy.room[1], 16),
            mExtension=round_up(copy.room[0], 16),
            channelSize=round_up(copy.cut[1], 16),
            fMatrixCtrl=True,
        )
        wide = params.kExtension * c0
    side = "FMATRIX_RIGHT" if params.fMatrixCtrl else "FMATRIX_LEFT"
    setting = Setting("SetFmatrix", (1, width, "{0,0,0,0}", side))
    _require_row(copy, wide)
    return transfer_of(copy, Call("LoadData", 0, copy.src.start, params, copy.element, setting=setting))


def _require_row(copy: Copy, wide: int) -> None:
    """The rows of fractals that come out follow one another as those of the destination do."""
    step = copy.step(copy.dst, 0, 1)
    if _counts(copy)[0] > 1 and step != wide:
        block = int(copy.dst.layout.shape[0][0])
        raise LayoutError(
            f"LoadData3DV2 writes rows of {wide // block} by {block} elements, and those of {copy.dst}"
            f" are {step} elements apart",
            f"It transposes {copy.element} in whole 16s along K, which Mmad takes with kDirectionAlign:"
            f" make the layout with {wide // block} columns.",
            wide=wide,
            step=step,
        )
