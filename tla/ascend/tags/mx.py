# SPDX-License-Identifier: Apache-2.0
"""Layouts of MX scales: one scale of eight bits for each 32 elements along K, in pairs.

>>> print(make_mx_scale_layout("float8_e8m0_t", "zZ", 33, 5, is_b=False))
((_16,3),(_2,3)):((_2,96),(_1,_32)):(33,5)
>>> mx_scales(100), mx_aligned_k(100)
(4, 128)

The scales of A are a matrix of M by K / 32, those of B a matrix of K / 32 by N. Two neighbours along K
lie side by side. A pair has the role that a row of 32 bytes has in other layouts. Data are aligned to 64
elements along K, so each 64 elements have a whole pair of scales.

Source: CATLASS ``MakeMxScaleLayout``, tla/layout.hpp; ``MX_SCALE_GROUP_NUM``, ``MX_BASEK_FACTOR`` and
``MX_SCALE_COPY_GROUP_NUM``, catlass.hpp; for the instruction set 3510 alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...errors import UnsupportedError
from ...ground import constexpr, shortened
from ...layouts import AnyLayout, Layout, nN, zZ
from ...numbers import IntLike, _1, _2, _16, ceil_div, keeps_assumptions, round_up
from ..elements import element as element_named
from .sizes import size_of, sizes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...numbers import Conditions
    from ..elements import ElementLike

MX_GROUP: Final = 32
"""The number of elements along K that share one scale."""

MX_K: Final = 64
"""The alignment of data along K, in L1 and in L0. A tile's K is a multiple of it."""

SCALE: Final = "float8_e8m0_t"
"""The element type of a scale."""


@constexpr
def mx_scales(k: IntLike) -> int:
    """Return the number of scales for `k` elements along K; the last may be for fewer elements.

    >>> mx_scales(64), mx_scales(65)
    (2, 3)

    Raises:
        LayoutError: `k` is negative.
    """
    return ceil_div(size_of("a matrix with MX scales", "k", k), MX_GROUP)


@constexpr
def mx_aligned_k(k: IntLike) -> int:
    """Return the room for `k` elements along K in L1, in elements: the least multiple of 64 from `k` on.

    There are ``mx_aligned_k(k) // 32`` scales for them, whole pairs.

    >>> mx_aligned_k(65)
    128

    Raises:
        LayoutError: `k` is negative.
    """
    return round_up(size_of("a matrix with MX scales", "k", k), MX_K)


@constexpr
@keeps_assumptions
def make_mx_scale_layout(
    element: ElementLike,
    tag: str,
    rows: IntLike,
    cols: IntLike,
    is_b: bool,
    *,
    assume: Conditions | None = None,
) -> AnyLayout:
    """Return the layout of the scales of A, or of B: pairs along K stay together.

    >>> print(make_mx_scale_layout("e8m0", "RowMajor", 33, 64, is_b=False))
    (33,(_2,32)):(64,(_1,_2))
    >>> print(make_mx_scale_layout("e8m0", "RowMajor", 33, 64, is_b=True))
    ((_2,17),64):((_1,128),_2):(33,64)

    Args:
        tag: RowMajor or ColumnMajor in global memory, zZ in L1 for A, nN in L1 for B.
        rows, cols: The extents of the matrix of scales: (M, `mx_scales` of K) for A, the reverse with N
            for B.
        is_b: Whether the scales are those of B, whose K runs down the rows. The tags zZ and nN imply it.

    Raises:
        UnsupportedError: the tag is none of these, or the element is not float8_e8m0_t.
        LayoutError: a size is negative.
    Source: CATLASS ``MakeMxScaleLayout<Element, Tag, isMxScaleB>``, tla/layout.hpp.
    """
    kind = str(tag).rpartition("::")[2]
    name = f"MxScale{kind}" if kind in ("zZ", "nN") else f"MxScale{kind}{'B' if is_b else 'A'}"
    of = element_named(element)
    if name not in MX_SCALES:
        raise UnsupportedError(
            f"{shortened(kind)!r} is not a layout of MX scales",
            "They lie as RowMajor, ColumnMajor, zZ or nN.",
            tag=tag,
        )
    if of.name != SCALE:
        raise UnsupportedError(f"an MX scale is a {SCALE}, not {of}", tag=tag, element=of)
    return MX_SCALES[name](*sizes_of(name, ("rows", "cols"), (rows, cols)))


# K runs along the columns of A: (rows, pairs of columns). B is a transpose of A, and so is its layout.


def _row_major_a(rows: Any, cols: Any) -> AnyLayout:
    shape = (rows, (_2, ceil_div(cols, _2)))
    return Layout(shape, (round_up(cols, _2), (_1, _2)), (rows, cols))


def _column_major_a(rows: Any, cols: Any) -> AnyLayout:
    shape = (rows, (_2, ceil_div(cols, _2)))
    return Layout(shape, (_2, (_1, rows * _2)), (rows, cols))


def _transpose_of(make: Callable[[Any, Any], AnyLayout]) -> Callable[[Any, Any], AnyLayout]:
    def transpose(rows: Any, cols: Any) -> AnyLayout:
        layout = make(cols, rows)
        return Layout(layout.shape[::-1], layout.stride[::-1], layout.origin_shape[::-1])

    return transpose


MX_SCALES: Final[dict[str, Callable[[Any, Any], AnyLayout]]] = {
    "MxScaleRowMajorA": _row_major_a,
    "MxScaleColumnMajorA": _column_major_a,
    "MxScaleRowMajorB": _transpose_of(_column_major_a),
    "MxScaleColumnMajorB": _transpose_of(_row_major_a),
    "MxScalezZ": lambda rows, cols: zZ(rows, cols, (_16, _2)),
    "MxScalenN": lambda rows, cols: nN(rows, cols, (_2, _16)),
}
"""The layouts of scales by name, each of the rows and columns of its matrix."""
