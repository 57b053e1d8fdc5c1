# SPDX-License-Identifier: Apache-2.0
"""MX scales on their way to L0: the box of them that belongs to a tile of the data.

A scale is for 32 elements along K, so the tile of scales follows from the tile of data. The load
puts them where the cube core reads them, at a sixteenth of the address of the data. So they have no
layout.

Source: CATLASS gemm/tile/ascend950/copy_l1_to_l0a.hpp, copy_l1_to_l0b.hpp, with a scale tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import DivisibilityError, LayoutError, UnsupportedError
from ...layouts import product, text_of
from ...numbers import ceil_div
from ..cube import FP4, FP8
from ..tags import MX_GROUP, MX_K, SCALE, why_not
from .operands import require_numbers, untagged, whole
from .records import LoadData2DMxParams

if TYPE_CHECKING:
    from .operands import Copy, Source

_SCALED: Final = (*FP8, *FP4)
"""The element types that have scales. Source: CATLASS, the static assertions of the same calls."""


def scales_of(copy: Copy, scales: Source) -> LoadData2DMxParams:
    """Return the parameters that load the scales of a tile.

    Args:
        scales: The scales of the whole source, MxScalezZ for A, MxScalenN for B.

    Raises:
        UnsupportedError: the architecture or the element type has no scales.
        LayoutError: the scales have another layout, or are too few.
        DivisibilityError: the tile starts within a pair of scales.
    """
    if copy.arch.code != 3510 or copy.element.name not in _SCALED:
        raise UnsupportedError(
            f"{copy.element} has no MX scales on {copy.arch}",
            f"Ascend950 has them for {', '.join(_SCALED)}.",
            element=copy.element,
            arch=copy.arch,
        )
    layout, _tag = untagged(scales, None)
    require_numbers(layout, "scales")
    tag, k = ("MxScalezZ", 1) if copy.route.endswith("A") else ("MxScalenN", 0)
    reasons = why_not(layout, tag, SCALE)
    if reasons:
        raise LayoutError(
            f"the scales {layout} are no {tag}", *map(str, reasons), layout=layout, tag=tag
        )
    start, room = copy.src.at, copy.room
    if start[k] % MX_K:
        raise DivisibilityError(
            f"{copy.route} with scales cannot start at {text_of(start)}: K is no multiple of {MX_K}",
            f"A pair of scales is for {MX_K} elements along K.",
            coord=start,
            block=MX_K,
        )
    ends = [s + c for s, c in zip(start, copy.cut, strict=True)]
    needed = [ceil_div(end, MX_GROUP if axis == k else 1) for axis, end in enumerate(ends)]
    extents = [int(product(mode)) for mode in layout.shape]
    if any(h < n for h, n in zip(extents, needed, strict=True)):
        raise LayoutError(
            f"the scales {layout} are fewer than the tile needs",
            f"They are {text_of(tuple(extents))}; it needs {text_of(tuple(needed))}.",
            layout=layout,
        )
    pairs = ceil_div(ceil_div(room[k], MX_GROUP), 2)
    return LoadData2DMxParams(
        xStartPosition=ceil_div(start[1 - k], 16),
        yStartPosition=ceil_div(start[k] // MX_GROUP, 2),
        xStep=ceil_div(room[1 - k], 16),
        yStep=pairs,
        srcStride=whole(int(layout.stride[1 - k][1]), 32, f"a row of fractals of the scales {layout}"),
        dstStride=pairs,
    )
