# SPDX-License-Identifier: Apache-2.0
"""Loads of instruction set 3510: boxes of fractals, at positions within the whole tile in L1.

A transposing load takes squares of fractals: two down of 8 bits, four of 4 bits, two across of 32 bits.
If the columns of the destination are no whole squares, a call loads one row of squares. The excess that
a square writes is then overwritten by the next call.

Source: CATLASS gemm/tile/ascend950/copy_l1_to_l0a.hpp, copy_l1_to_l0b.hpp: TileCopyTla. It lists the
types of 8 bits and leaves hifloat8_t out; squares of 4 bits are as where it takes the scales along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...numbers import ceil_div, round_up
from .calls import Call
from .operands import transfer_of
from .records import LoadData2DParamsV2

if TYPE_CHECKING:
    from .operands import Copy
    from .records import LoadData2DMxParams
    from .transfer import Transfer


def load_3510(copy: Copy, scales: LoadData2DMxParams | None = None) -> Transfer:
    """Return the loads of a tile, to zN or to nZ."""
    if copy.src.tag in ("nN", "zZ"):
        return _strips(copy)
    c0, transposed = copy.element.c0, copy.src.tag != copy.dst.tag
    # m counts the fractals that follow one another in L1, k the columns of them
    m, k = (0, 1) if copy.src.tag == "zN" else (1, 0)
    params = LoadData2DParamsV2(
        mStartPosition=ceil_div(copy.src.at[m], 16),
        kStartPosition=ceil_div(copy.src.at[k], c0),
        mStep=ceil_div(copy.room[m], 16),
        kStep=ceil_div(copy.room[k], c0),
        srcStride=copy.fractals_apart(copy.src, k),
        dstStride=copy.fractals_apart(copy.dst, m if transposed else k),
        ifTranspose=transposed,
    )
    first = Call("LoadData", 0, 0, params, copy.element)
    if not transposed or copy.element.bits == 16:
        return transfer_of(copy, first, scales=scales)
    if copy.element.bits == 32:
        return transfer_of(copy, first._replace(params=params._replace(kStep=round_up(params.kStep, 2))))
    deep = c0 // 16
    if round_up(copy.room[k], 16) % c0 == 0:
        params = params._replace(mStep=round_up(params.mStep, deep))
        return transfer_of(copy, first._replace(params=params), scales=scales)
    rows = ceil_div(copy.room[m], c0)
    why = f"{round_up(copy.room[k], 16)} is no multiple of {c0}: one call per row of squares"
    first = first._replace(params=params._replace(mStep=deep))
    step = copy.step(copy.dst, m, 1)
    return transfer_of(copy, first, rows, step, m_step=deep, why_many=why, scales=scales)


def _strips(copy: Copy) -> Transfer:
    """nN to zN, zZ to nZ: a row of fractals along K each, whose fractals follow one another."""
    across, down = (0, 1) if copy.src.tag == "nN" else (1, 0)  # down is K
    c0 = copy.element.c0
    wide = ceil_div(round_up(copy.room[across], 16), c0)
    params = LoadData2DParamsV2(
        mStartPosition=0,
        kStartPosition=0,
        mStep=1,
        kStep=round_up(wide, 2) if copy.element.bits == 32 else wide,
        srcStride=copy.fractals_apart(copy.src, across),
        dstStride=copy.fractals_apart(copy.dst, down),
        ifTranspose=True,
    )
    count = ceil_div(copy.room[down], 16)
    steps = copy.step(copy.dst, down, 1) * 16 // c0, copy.step(copy.src, down, 1)
    first = Call("LoadData", 0, copy.src.start, params, copy.element)
    why = f"{count} rows of fractals along K: one call each"
    return transfer_of(copy, first, count, *steps, why_many=why)
