# SPDX-License-Identifier: Apache-2.0
"""The speed of copies of rows of global memory, by their starts, their length and their number.

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
"""The alignment, in bytes, at which rows move at full speed.

Source: CATLASS 04_matmul_summary.md; Ascend C best practices, 512-byte alignment of addresses."""

_FULL: Final = 80.0
"""The GB/s of one core for a copy that does not change the layout. Source: `dynamic`."""
_LONGEST: Final = 512
"""The most halves in a row for which the polynomial of `dynamic.bandwidth` is right."""
_ODD: Final = 255
"""A power of two up to 256 times this is aligned as it, below the stride limit, and no row's length."""


def row_efficiency(arch: Arch, element: Element, rows: int, length: int, ld: int, step: int) -> float:
    """Return the part of the full rate that a copy of rows from global memory into fractals of L1
    reaches.

    >>> from tla.ascend import AtlasA2, element
    >>> round(row_efficiency(AtlasA2, element("half"), 128, 320, 6144, 320), 2)
    0.6

    It is `dynamic.bandwidth`, as a part of 80 GB/s. CATLASS fitted that to measurements on A2 with
    halves. Here it is wider in two points. The alignment is that of the starts of rows of tiles. So both
    the leading dimension and the step from tile to tile count. CATLASS says that a step of a multiple of
    256 is faster, without a figure. And other elements count by their bytes. A row counts as 512 halves
    at most, and few rows are no faster than many.

    CATLASS publishes no figures for other instruction sets, so these are assumed for them. With them the
    estimates of Ascend950 are nearer to its published times (see `pipes`) than without.

    Args:
        rows, length: The rows of the tile in memory, and their length, in elements.
        ld, step: The elements from one row to the next, and from one tile to the next in a row; 0 if
            there is no next.

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
    """The part that many rows reach. It limits the factor of few rows, a polynomial that exceeds 1."""
    return bandwidth(64, halves, stride) / _FULL if rows < 64 else 1.0


def write_efficiency(element: Element, length: int, ld: int, step: int) -> float:
    """Return the part of the bytes of a row of C that are C's, if a write moves whole lines of 512
    bytes.

    >>> from tla.ascend import element
    >>> [round(write_efficiency(element("float"), 256, ld, 256), 2) for ld in (2048, 2038)]
    [1.0, 0.67]

    This is an assumption. CATLASS says that the bandwidth falls for rows that are not aligned to 512
    bytes, but not how much.

    Args:
        length, ld, step: The same as for `row_efficiency`.

    Source: CATLASS docs/en/2_Design/01_kernel_design/04_matmul_summary.md, on writing.
    """
    row = length * element.bits // 8
    starts = gcd(ld * element.bits // 8, step * element.bits // 8 if step < ld else 0, LINE)
    # The bytes of the lines of a row, on average over all its possible starts.
    return row / (-(-row // starts) * starts + LINE - starts)
