"""tla: layouts, functions from coordinates to memory offsets, in the notations of CuTe, TLA and XLA.

>>> import tla
>>> print(tla.xla_bridge.to_layout(tla.read("f32[3,5]{1,0:T(2,2)}")))
((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)
"""

from . import xla_bridge
from .coord import (
    Underscore,
    _,
    colex_less,
    compact_col_major,
    compact_order,
    compact_row_major,
    coords,
    crd2crd,
    crd2idx,
    crd2offset,
    dice,
    elem_less,
    has_underscore,
    idx2crd,
    lex_less,
    slice_,
)
from .errors import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    LayoutError,
    LeafError,
    OverlapError,
    ParseError,
    StaticIntError,
    TlaError,
    UndecidedError,
    UnsupportedError,
)
from .figure import layout_figure
from .fractal import col_major, nN, nZ, row_major, zN, zZ
from .int_tuple import (
    IntTuple,
    append,
    compatible,
    congruent,
    elem_scale,
    evenly_divides,
    flatten,
    flatten_to_tuple,
    fold_leaf,
    group,
    inner_product,
    insert,
    is_tuple,
    make_tuple,
    prepend,
    product,
    product_each,
    product_like,
    remove,
    repeat,
    repeat_like,
    replace,
    select,
    shape_div,
    take,
    transform_leaf,
    unflatten,
    unwrap,
    weakly_congruent,
    wrap,
)
from .ints import (
    _0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _20, _24, _28, _32,
    _40, _48, _56, _64, _80, _96, _112, _128, _160, _192, _224, _256, _384, _512, _768, _1024,
    _2048, _4096, _8192, _16384, _32768, _65536, _131072,
    Int, SymbolicInt, add, ceil_div, known_divides, known_eq, known_lt, max_, min_, round_down,
    round_up, static_mask,
)  # fmt: skip
from .layout import (
    Layout,
    cosize,
    depth,
    get,
    is_static,
    make_coord,
    make_layout,
    make_layout_like,
    make_ordered_layout,
    make_shape,
    make_stride,
    make_tile,
    rank,
    same_static,
    shape,
    size,
    slice_and_offset,
    stride,
)
from .notation import parse, to_text
from .read import read
from .table import offset_lists, offsets
from .tile import get_tile_layout, make_layout_tile

__version__ = "0.1.0"

__all__ = [
    "CongruenceError", "CoordinateError", "DivisibilityError", "Int", "IntTuple", "Layout",
    "LayoutError", "LeafError", "OverlapError", "ParseError", "StaticIntError", "SymbolicInt",
    "TlaError", "UndecidedError", "Underscore", "UnsupportedError", "__version__",
    "_", "_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12", "_13",
    "_14", "_15", "_16", "_20", "_24", "_28", "_32", "_40", "_48", "_56", "_64", "_80", "_96",
    "_112", "_128", "_160", "_192", "_224", "_256", "_384", "_512", "_768", "_1024", "_2048",
    "_4096", "_8192", "_16384", "_32768", "_65536", "_131072",
    "add", "append", "ceil_div", "col_major", "colex_less", "compact_col_major", "compact_order",
    "compact_row_major", "compatible", "congruent", "coords", "cosize", "crd2crd", "crd2idx",
    "crd2offset", "depth", "dice", "elem_less", "elem_scale", "evenly_divides", "flatten",
    "flatten_to_tuple", "fold_leaf", "get", "get_tile_layout", "group", "has_underscore", "idx2crd",
    "inner_product", "insert", "is_static", "is_tuple", "known_divides", "known_eq", "known_lt",
    "layout_figure", "lex_less", "make_coord", "make_layout", "make_layout_like",
    "make_layout_tile", "make_ordered_layout", "make_shape", "make_stride", "make_tile",
    "make_tuple", "max_", "min_", "nN", "nZ", "offset_lists", "offsets", "parse", "prepend",
    "product", "product_each", "product_like", "rank", "read", "remove", "repeat", "repeat_like",
    "replace", "round_down", "round_up", "row_major", "same_static", "select", "shape", "shape_div",
    "size", "slice_", "slice_and_offset", "static_mask", "stride", "take", "to_text",
    "transform_leaf", "unflatten", "unwrap", "weakly_congruent", "wrap", "xla_bridge", "zN", "zZ",
]  # fmt: skip
