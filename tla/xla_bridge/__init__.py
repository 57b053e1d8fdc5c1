"""XLA's tiled layouts: their text, their exact meaning, and the nested layouts they equal.

>>> shape = parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")
>>> print(to_layout(shape))
(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))
"""

from .from_layout import from_layout
from .parse import MODES, Mode, parse_array, parse_shape, parse_shape_at
from .shape import COMBINE, AnyShape, Tile, TileDim, XlaShape, XlaTuple
from .tiling import (
    array_shape,
    linear_index,
    linear_index_with_tile,
    logical_bytes,
    physical_bytes,
    physical_dimensions,
    physical_elements,
    physical_index,
    physical_offset,
    xla_array_size_bytes,
)
from .to_layout import to_layout

__all__ = [
    "COMBINE",
    "MODES",
    "AnyShape",
    "Mode",
    "Tile",
    "TileDim",
    "XlaShape",
    "XlaTuple",
    "array_shape",
    "from_layout",
    "linear_index",
    "linear_index_with_tile",
    "logical_bytes",
    "parse_array",
    "parse_shape",
    "parse_shape_at",
    "physical_bytes",
    "physical_dimensions",
    "physical_elements",
    "physical_index",
    "physical_offset",
    "to_layout",
    "xla_array_size_bytes",
]
