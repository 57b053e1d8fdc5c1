"""How fast rows of global memory are copied: where they begin, how long they are, how many there are.

>>> from tla.ascend import AtlasA2, element
>>> half = element("half")
>>> [round(row_efficiency(AtlasA2, half, 128, 256, ld, 256), 2) for ld in (4096, 4096 + 64, 4096 + 1)]
[1.0, 0.52, 0.31]
>>> round(write_efficiency(half, 256, 4096 + 1, 256), 2)
0.5
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Final

from ..plans import bandwidth

if TYPE_CHECKING:
    from ..arch import Arch
    from ..elements import Element

LINE: Final = 512
"""Bytes: rows that begin at multiples of it are moved at the full speed.

Source: CATLASS 04_matmul_summary.md; Ascend C best practices, 512-byte alignment of addresses."""

_FULL: Final = 80.0
"""GB/s of one core that copies what needs no change of layout. Source: `dynamic`."""
_LONGEST: Final = 512
"""Halves in a row: beyond them the polynomial of `dynamic.bandwidth` runs away."""
_ODD: Final = 255
"""A power of two up to 256 times this is aligned as it, below the stride limit, and no row's length."""


def row_efficiency(arch: Arch, element: Element, rows: int, length: int, ld: int, step: int) -> float:
    """Return what part of the full rate a copy of rows from global memory into fractals of L1 reaches.

    >>> from tla.ascend import AtlasA2, element
    >>> round(row_efficiency(AtlasA2, element("half"), 128, 320, 6144, 320), 2)
    0.6

    It is `dynamic.bandwidth`, which CATLASS fitted to measurements on A2 with halves, as a part of 80
    GB/s. Two things are stated more widely: its alignment is that of the places where rows of tiles
    begin, so both the leading dimension and the step from tile to tile count (CATLASS says of the
    latter that a multiple of 256 is faster, and gives no figure); and other elements count by their
    bytes. Rows are taken as 512 halves at most, and few rows are no faster than enough of them.

    Of other instruction sets no figures are published. The same are assumed: with them the estimates of
    Ascend950 come nearer to its published times, see `pipes`, than with none.

    Args:
        rows, length: Of the tile, as the matrix lies in memory.
        ld, step: From one row to the next, and from one tile to the next in a row, 0 where there is
            no next.

    Source: CATLASS examples/102_dynamic_optimized_matmul/include/select_kernel_b16.h GetBandwidth;
        docs/en/1_Practice/11_matmul_optimization.md, its note to case 3.
    """
    halves = max(1, min(length * element.bits // 16, _LONGEST))
    if arch.stride_limit is not None and ld >= arch.stride_limit:
        stride = max(ld, 1 << 16)
    elif ld == length:
        stride = halves
    else:
        starts = gcd(ld * element.bits // 16, step * element.bits // 16 if step < ld else 0, 256)
        stride = max(1, starts) * _ODD
    return min(1.0, bandwidth(min(rows, 64), halves, stride) / _FULL, _enough(rows, halves, stride))


def _enough(rows: int, halves: int, stride: int) -> float:
    """What enough rows reach: the factor of few rows, a polynomial too, exceeds 1 before its end."""
    return bandwidth(64, halves, stride) / _FULL if rows < 64 else 1.0


def write_efficiency(element: Element, length: int, ld: int, step: int) -> float:
    """Return what part of the bytes that a row of C costs is C's, as lines of 512 bytes are paid whole.

    >>> from tla.ascend import element
    >>> [round(write_efficiency(element("float"), 256, ld, 256), 2) for ld in (2048, 2038)]
    [1.0, 0.67]

    Assumed: CATLASS says that the bandwidth falls where rows are not aligned to 512 bytes, not how much.

    Args:
        length, ld, step: As `row_efficiency` has them.

    Source: CATLASS docs/en/2_Design/01_kernel_design/04_matmul_summary.md, on writing.
    """
    row = length * element.bits // 8
    starts = gcd(ld * element.bits // 8, step * element.bits // 8 if step < ld else 0, LINE)
    # The bytes of lines that a row touches, on average over all places where it may begin.
    return row / (-(-row // starts) * starts + LINE - starts)
