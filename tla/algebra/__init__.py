"""The layout algebra: operations that state a law and keep it at every coordinate, or raise."""

from .alignment import max_common_layout, max_common_vector
from .cast import downcast, max_alignment, recast_layout, upcast
from .coalesce import coalesce, filter, filter_zeros, same_function
from .complement import complement
from .composition import composition
from .divide import flat_divide, logical_divide, tiled_divide, zipped_divide
from .domain import domain_distribute, domain_offset, nullspace
from .edit import append, group, prepend, replace, select, take
from .facts import collision, is_bijective, is_contiguous, is_injective, is_surjective_onto
from .inverse import left_inverse, right_inverse
from .product import (
    blocked_product,
    flat_product,
    logical_product,
    make_layout_tv,
    raked_product,
    tile_to_shape,
    tiled_product,
    zipped_product,
)
from .refinement import mutual_refinement

__all__ = [
    "append",
    "blocked_product",
    "coalesce",
    "collision",
    "complement",
    "composition",
    "domain_distribute",
    "domain_offset",
    "downcast",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "group",
    "is_bijective",
    "is_contiguous",
    "is_injective",
    "is_surjective_onto",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_layout_tv",
    "max_alignment",
    "max_common_layout",
    "max_common_vector",
    "mutual_refinement",
    "nullspace",
    "prepend",
    "raked_product",
    "recast_layout",
    "replace",
    "right_inverse",
    "same_function",
    "select",
    "take",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "zipped_divide",
    "zipped_product",
]
