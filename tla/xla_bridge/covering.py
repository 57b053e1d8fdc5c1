# SPDX-License-Identifier: Apache-2.0
"""The coverage of a shape's memory by its nested layout: exact, beyond its dims, or with gaps.

>>> coverage(parse_shape("f32[4,8]{1,0:T(2,4)(2,1)}"))
Coverage(is_bijective=True, over_covering_dims=(), gaps=0)
>>> coverage(parse_shape("f32[3,5]{1,0:T(2,2)}"))
Coverage(is_bijective=False, over_covering_dims=(0, 1), gaps=0)
>>> coverage(parse_shape("f32[3,5]{1,0:T(8,128)}"))
Coverage(is_bijective=False, over_covering_dims=(), gaps=1009)
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UndecidedError
from .tiling import array_shape, physical_elements
from .to_layout import to_layout

if TYPE_CHECKING:
    from .shape import AnyShape


class Coverage(NamedTuple):
    """The coverage of a shape's memory by its trimmed nested layout.

    >>> coverage(parse_shape("f32[3,5]{1,0}")).is_bijective
    True
    >>> coverage(parse_shape("f32[3,5]{1,0:T(2,2)}")).over_covering_dims
    (0, 1)

    Attributes:
        is_bijective: Whether every place of the memory holds an element, so that there is no padding.
        over_covering_dims: The dims whose digits count further than the dim, so that its bound matters.
        gaps: The number of places of the memory without a coordinate of the trimmed layout; negative if
            its box is larger than the memory.
    """

    is_bijective: bool
    over_covering_dims: tuple[int, ...]
    gaps: int


def coverage(shape: AnyShape) -> Coverage:
    """Return the coverage of a shape's memory by its nested layout; a bounded dim counts by its bound.

    >>> coverage(parse_array("f32[3,5]{1,0:T(2,2)}"))
    Coverage(is_bijective=False, over_covering_dims=(0, 1), gaps=0)

    Raises:
        UndecidedError, UnsupportedError: `to_layout` raises it, or the size of a dim is unknown.
    """
    shape = array_shape(shape)
    if shape.is_unbounded_dynamic:
        raise UndecidedError(f"what {shape} covers depends on its unknown size", shape=shape)
    bounds = {i: n for i, n in enumerate(shape.dimensions) if shape.dynamic_dimensions[i]}
    sizes = [int(mode.size) for mode in to_layout(shape, bounds).trimmed()]
    memory = int(physical_elements(shape))
    over = tuple(d for d, n in enumerate(shape.dimensions) if sizes[d] > max(n, 1))
    return Coverage(shape.elements == memory, over, memory - prod(sizes) * (shape.elements > 0))
