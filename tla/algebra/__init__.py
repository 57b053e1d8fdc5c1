"""The layout algebra: operations that state a law and keep it at every coordinate, or raise."""

from .coalesce import coalesce, filter, filter_zeros, same_function
from .complement import complement
from .composition import composition
from .divide import flat_divide, logical_divide, tiled_divide, zipped_divide
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

__all__ = [
    "blocked_product",
    "coalesce",
    "complement",
    "composition",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_layout_tv",
    "raked_product",
    "right_inverse",
    "same_function",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]
