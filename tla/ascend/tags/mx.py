"""Layouts of MX scales: one scale of eight bits for each 32 elements along K, held in pairs.

>>> print(make_mx_scale_layout("float8_e8m0_t", "zZ", 33, 5, is_b=False))
((_16,3),(_2,3)):((_2,96),(_1,_32)):(33,5)
>>> mx_scales(100), mx_aligned_k(100)
(4, 128)

The scales of A are a matrix of M by K / 32, those of B one of K / 32 by N. Two neighbours along K lie
side by side: a pair is to these layouts what a row of 32 bytes is to others. Data are aligned to 64
along K, and so a whole pair belongs to them.

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
"""How many elements along K one scale is for."""

MX_K: Final = 64
"""What data are aligned to along K, in L1 and in L0, and a tile's K is a multiple of."""

SCALE: Final = "float8_e8m0_t"
"""The element type of a scale."""


@constexpr
def mx_scales(k: IntLike) -> int:
    """Return how many scales `k` elements along K have; the last may be for fewer elements.

    >>> mx_scales(64), mx_scales(65)
    (2, 3)

    Raises:
        LayoutError: there are fewer than 0.
    """
    return ceil_div(size_of("a matrix with MX scales", "k", k), MX_GROUP)


@constexpr
def mx_aligned_k(k: IntLike) -> int:
    """Return what `k` elements along K take in L1: the least multiple of 64 that holds them.

    ``mx_aligned_k(k) // 32`` scales belong to them, whole pairs.

    >>> mx_aligned_k(65)
    128

    Raises:
        LayoutError: there are fewer than 0.
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
        rows, cols: Of the matrix of scales: M by `mx_scales` of K for A, those by N for B.
        is_b: Whether K runs down the rows, as it does in B. The tags zZ and nN say so themselves.

    Raises:
        UnsupportedError: the tag is another, or the element is not float8_e8m0_t.
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


# K runs along the columns of A: (rows, pairs of columns). B is the transpose, so is its layout.


def _row_major_a(rows: Any, cols: Any) -> AnyLayout:
    shape = (rows, (_2, ceil_div(cols, _2)))
    return Layout(shape, (round_up(cols, _2), (_1, _2)), (rows, cols))


def _column_major_a(rows: Any, cols: Any) -> AnyLayout:
    shape = (rows, (_2, ceil_div(cols, _2)))
    return Layout(shape, (_2, (_1, rows * _2)), (rows, cols))


def _transposed(make: Callable[[Any, Any], AnyLayout]) -> Callable[[Any, Any], AnyLayout]:
    def transpose(rows: Any, cols: Any) -> AnyLayout:
        layout = make(cols, rows)
        return Layout(layout.shape[::-1], layout.stride[::-1], layout.origin_shape[::-1])

    return transpose


MX_SCALES: Final[dict[str, Callable[[Any, Any], AnyLayout]]] = {
    "MxScaleRowMajorA": _row_major_a,
    "MxScaleColumnMajorA": _column_major_a,
    "MxScaleRowMajorB": _transposed(_column_major_a),
    "MxScaleColumnMajorB": _transposed(_row_major_a),
    "MxScalezZ": lambda rows, cols: zZ(rows, cols, (_16, _2)),
    "MxScalenN": lambda rows, cols: nN(rows, cols, (_2, _16)),
}
"""The layouts of scales by name, each of the rows and columns of its matrix."""
