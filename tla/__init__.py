# SPDX-License-Identifier: Apache-2.0
"""tla: layouts, functions from coordinates to memory offsets, in the notations of CuTe, TLA and XLA.

>>> import tla
>>> print(tla.xla_bridge.to_layout(tla.read("f32[3,5]{1,0:T(2,2)}")))
((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)

A name of `tla` is a name of one of its rooms. ``__all__`` lists the words that programs are written in;
what else the rooms below hold, such as the algorithms of int tuples in `tla.layouts`, they give by name.
"""

import sys

# The command that is interrupted while this is imported ends without a traceback. It asks for the part
# of `signal` that is there: the whole takes as long to load as all else here.
_signal = sys.modules.get("_signal")
_words = sys.orig_argv[1:3]
if (
    (_words == ["-m", "tla"] or "".join(_words[:1]).endswith(("/tla", "\\tla.exe")))
    and _signal is not None
    and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
):
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from typing import TYPE_CHECKING

from .ground import lazy, register

if TYPE_CHECKING:
    from . import (
        algebra as algebra,
        arrays as arrays,
        ascend as ascend,
        cpp as cpp,
        errors as errors,
        evaluation as evaluation,
        explain as explain,
        figures as figures,
        gpu as gpu,
        ground as ground,
        hlo as hlo,
        indexing as indexing,
        ints as ints,
        jax as jax,
        layouts as layouts,
        learn as learn,
        memory as memory,
        numbers as numbers,
        objects as objects,
        show as show,
        xla_bridge as xla_bridge,
    )
    from .algebra import *
    from .arrays import pack_bits, unpack_bits
    from .cpp import from_cpp, to_cpp
    from .errors import *
    from .evaluation import evaluate
    from .exports import (
        from_array,
        to_cute_dsl,
        to_jax_format,
        to_memref,
        to_numpy_view,
        to_pycute,
        to_tensor_layouts,
        to_torch,
        to_zarr,
    )
    from .figures import layout_figure, strip_figure
    from .ground import limits, reveal
    from .layouts import *
    from .layouts import _
    from .moves import copy_plan, mask, pack, relayout, unpack, view
    from .numbers import Condition, E, Expr, assume, sym
    from .numbers.ints import *
    from .read import read

register("tla.show.notebook")  # imported when the first value is shown

__version__ = "0.1.0"

__all__ = [
    "AnyLayout", "ArgumentError", "BindingError", "CapacityError", "ComposedLayout", "Condition",
    "CongruenceError", "ContradictionError", "CoordinateError", "DivisibilityError", "E", "Expr", "Int",
    "IntLike", "IntTuple", "KindError", "Layout", "LayoutError", "LeafError", "LimitError",
    "NotALayoutError", "OverlapError", "ParseError", "StaticIntError", "Swizzle", "SymbolicInt",
    "Tensor", "TlaError", "UndecidedError", "Underscore", "UnsupportedError", "ZeroDivisorError", "add",
    "append", "arrays", "ascend", "assume", "blocked_product", "ceil_div", "coalesce", "col_major",
    "collision", "compact_col_major", "compact_order", "compact_row_major", "compatible", "complement",
    "composition", "congruent", "coords", "copy_plan", "cosize", "cpp", "crd2crd", "crd2idx",
    "crd2offset", "depth", "dice", "domain_distribute", "domain_offset", "downcast", "elem_leq",
    "elem_less", "evaluate", "explain", "filter_tuple", "filter_zeros", "find", "flat_divide",
    "flat_product", "flatten", "fractal_layout", "from_array", "from_cpp", "get", "get_tile",
    "get_tile_layout", "group", "group_modes", "has_underscore", "hlo", "idx2crd", "indexing",
    "inner_partition", "is_bijective", "is_contiguous", "is_injective", "is_layout", "is_major",
    "is_static", "is_surjective_onto", "known_divides", "known_eq", "known_lt", "layout_figure",
    "leading_dim", "learn", "left_inverse", "limits", "local_partition", "local_tile", "logical_divide",
    "logical_product", "make_coord", "make_identity_layout", "make_layout", "make_layout_like",
    "make_layout_tile", "make_layout_tv", "make_ordered_layout", "make_shape", "make_stride",
    "make_tensor", "make_tensor_like", "make_tile", "make_tuple", "mask", "max_", "max_alignment",
    "max_common_layout", "max_common_vector", "memory", "min_", "mutual_refinement", "nN", "nZ",
    "nullspace", "offset_lists", "offsets", "outer_partition", "pack", "pack_bits", "parse",
    "prepend", "product", "raked_product", "rank", "read", "recast_layout", "relayout", "replace",
    "reveal", "reverse", "right_inverse", "round_down", "round_up", "row_major", "same_function",
    "same_static", "select", "shape", "show", "size", "size_in_bytes", "slice_", "slice_and_offset",
    "stride", "strip_figure", "sym", "take", "tile_to_shape", "tile_view", "tiled_divide",
    "tiled_product", "to_cpp", "to_cute_dsl", "to_jax_format", "to_memref", "to_numpy_view",
    "to_pycute", "to_tensor_layouts", "to_text", "to_torch", "to_zarr", "transform_apply", "unpack",
    "unpack_bits", "upcast", "view", "xla_bridge", "zN", "zZ", "zipped_divide", "zipped_product",
    "_", "__version__", "_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11",
    "_12", "_13", "_14", "_15", "_16", "_17", "_18", "_19", "_20", "_21", "_22", "_23", "_24", "_25",
    "_26", "_27", "_28", "_29", "_30", "_31", "_32", "_33", "_34", "_35", "_36", "_37", "_38", "_39",
    "_40", "_41", "_42", "_43", "_44", "_45", "_46", "_47", "_48", "_49", "_50", "_51", "_52", "_53",
    "_54", "_55", "_56", "_57", "_58", "_59", "_60", "_61", "_62", "_63", "_64", "_65", "_66", "_67",
    "_68", "_69", "_70", "_71", "_72", "_73", "_74", "_75", "_76", "_77", "_78", "_79", "_80", "_81",
    "_82", "_83", "_84", "_85", "_86", "_87", "_88", "_89", "_90", "_91", "_92", "_93", "_94", "_95",
    "_96", "_97", "_98", "_99", "_100", "_101", "_102", "_103", "_104", "_105", "_106", "_107",
    "_108", "_109", "_110", "_111", "_112", "_113", "_114", "_115", "_116", "_117", "_118", "_119",
    "_120", "_121", "_122", "_123", "_124", "_125", "_126", "_127", "_128", "_160", "_192", "_224",
    "_256", "_384", "_512", "_768", "_1024", "_2048", "_4096", "_8192", "_16384", "_32768", "_65536",
    "_131072",
]  # fmt: skip

lazy(__name__)
