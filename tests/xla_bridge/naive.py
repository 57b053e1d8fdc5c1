"""The memory of a shape by the document's other definition, with numpy and nothing of the library.

Pad, reshape, transpose, for each tile. It is the second implementation that offsets are compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tla.xla_bridge import COMBINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tla.xla_bridge import XlaShape


def memory_of(shape: XlaShape) -> NDArray[np.int64]:
    """The row-major number of the element at each place of memory, -1 in the padding."""
    data: NDArray[Any] = np.arange(shape.elements).reshape(shape.dimensions)
    data = data.transpose(shape.minor_to_major[::-1])
    for tile in shape.tiles:
        data = data.reshape((1,) * (len(tile) - data.ndim) + data.shape)
        before = data.ndim - len(tile)
        merged, sizes, carried = list(data.shape[:before]), [], 1
        for d, t in zip(data.shape[before:], tile, strict=True):
            carried *= d
            if t != COMBINE:
                merged.append(carried)
                sizes.append(int(t))
                carried = 1
        data = data.reshape(merged)
        added = [-d % t for d, t in zip(merged[before:], sizes, strict=True)]
        data = np.pad(data, [(0, 0)] * before + [(0, n) for n in added], constant_values=-1)
        split = [n for d, t in zip(data.shape[before:], sizes, strict=True) for n in (d // t, t)]
        data = data.reshape(*merged[:before], *split)
        last = range(before, data.ndim)
        data = data.transpose(*range(before), *last[::2], *last[1::2])
    flat = data.reshape(-1)
    tail = -flat.size % shape.tail_padding_alignment_in_elements
    return np.pad(flat, (0, tail), constant_values=-1)
