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
        layouts as layouts,
        memory as memory,
        numbers as numbers,
        show as show,
        xla_bridge as xla_bridge,
    )
    from .algebra import *
    from .cpp import from_cpp, to_cpp
    from .errors import *
    from .evaluation import evaluate
    from .figures import layout_figure, strip_figure
    from .ground import limits, reveal
    from .layouts import *
    from .layouts import _
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
    "append", "ascend", "assume", "blocked_product", "ceil_div", "coalesce", "col_major", "collision",
    "compact_col_major", "compact_order", "compact_row_major", "compatible", "complement",
    "composition", "congruent", "coords", "cosize", "cpp", "crd2crd", "crd2idx", "crd2offset", "depth",
    "dice", "domain_distribute", "domain_offset", "downcast", "elem_less", "evaluate", "explain",
    "filter_zeros", "flat_divide", "flat_product", "flatten", "fractal_layout", "from_cpp", "get",
    "get_tile", "get_tile_layout", "group", "has_underscore", "hlo", "idx2crd", "indexing",
    "inner_partition", "is_bijective", "is_contiguous", "is_injective", "is_layout", "is_static",
    "is_surjective_onto", "known_divides", "known_eq", "known_lt", "layout_figure", "left_inverse",
    "limits", "local_partition", "local_tile", "logical_divide", "logical_product", "make_coord",
    "make_identity_layout", "make_layout", "make_layout_like", "make_layout_tile", "make_layout_tv",
    "make_ordered_layout", "make_shape", "make_stride", "make_tensor", "make_tensor_like", "make_tile",
    "make_tuple", "max_", "max_alignment", "max_common_layout", "max_common_vector", "memory", "min_",
    "mutual_refinement", "nN", "nZ", "nullspace", "offset_lists", "offsets", "outer_partition", "parse",
    "prepend", "product", "raked_product", "rank", "read", "recast_layout", "replace", "reveal",
    "right_inverse", "round_down", "round_up", "row_major", "same_function", "same_static", "select",
    "shape", "show", "size", "slice_", "slice_and_offset", "stride", "strip_figure", "sym", "take",
    "tile_to_shape", "tile_view", "tiled_divide", "tiled_product", "to_cpp", "to_text", "upcast",
    "xla_bridge", "zN", "zZ", "zipped_divide", "zipped_product", "_", "__version__", "_0", "_1", "_2",
    "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12", "_13", "_14", "_15", "_16", "_20",
    "_24", "_28", "_32", "_40", "_48", "_56", "_64", "_80", "_96", "_112", "_128", "_160", "_192",
    "_224", "_256", "_384", "_512", "_768", "_1024", "_2048", "_4096", "_8192", "_16384", "_32768",
    "_65536", "_131072",
]  # fmt: skip

lazy(__name__)
