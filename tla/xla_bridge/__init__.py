"""XLA's tiled layouts: their text, their exact meaning, and the nested layouts they equal.

>>> shape = parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")
>>> print(to_layout(shape))
(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))

The modules, by their subjects:

- a shape as value and text: ``shape rules arguments``, ``parse attributes``, ``jax_text``;
- where its elements lie: ``tiling places addresses splits padding sizes steps``;
- before there were tiles: ``old_layout``;
- its nested layout: ``to_layout covering``, and ``by_function functions digits groups`` at need;
- and back: ``from_layout canonical`` on ``chain dynamic candidates``, with ``hints peel starred``;
- two layouts: ``equivalence runs`` on ``views every_size``;
- what TPUs do: ``tpu``.
"""

import typing as _typing

from .from_layout import from_layout
from .parse import MODES, Mode, parse_array, parse_shape, parse_shape_at
from .shape import COMBINE, AnyShape, Split, Tile, TileDim, XlaBuffer, XlaShape, XlaTuple
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
)
from .to_layout import to_layout

if _typing.TYPE_CHECKING:
    from .addresses import bit_address, byte_address, offsets_in_byte, storage_bits
    from .canonical import canonicalize
    from .covering import Coverage, coverage
    from .equivalence import Difference, differences, equivalent, is_bitcast
    from .groups import CombinedLayout, combined_layout
    from .old_layout import FromOldLayout, OldLayout, PaddingValue
    from .padding import padding_mask
    from .places import PaddedAxis, Padding, element_at, logical_index, padding_offsets
    from .runs import common_run, common_vector
    from .sizes import MemoryUse, size_of, xla_array_size_bytes
    from .splits import SplitPiece, largest_piece, max_split_size, split_piece
    from .steps import TilingExplanation, TilingStep, tiling_steps
else:  # few programs need more than shapes and their layouts
    _LATER = {
        "bit_address": "addresses",
        "byte_address": "addresses",
        "offsets_in_byte": "addresses",
        "storage_bits": "addresses",
        "canonicalize": "canonical",
        "Coverage": "covering",
        "coverage": "covering",
        "Difference": "equivalence",
        "differences": "equivalence",
        "equivalent": "equivalence",
        "is_bitcast": "equivalence",
        "CombinedLayout": "groups",
        "combined_layout": "groups",
        "FromOldLayout": "old_layout",
        "OldLayout": "old_layout",
        "PaddingValue": "old_layout",
        "padding_mask": "padding",
        "PaddedAxis": "places",
        "Padding": "places",
        "element_at": "places",
        "logical_index": "places",
        "padding_offsets": "places",
        "common_run": "runs",
        "common_vector": "runs",
        "MemoryUse": "sizes",
        "size_of": "sizes",
        "xla_array_size_bytes": "sizes",
        "SplitPiece": "splits",
        "largest_piece": "splits",
        "max_split_size": "splits",
        "split_piece": "splits",
        "TilingExplanation": "steps",
        "TilingStep": "steps",
        "tiling_steps": "steps",
    }

    def __getattr__(name):
        """Load what is public and not here yet."""
        from importlib import import_module

        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})


__all__ = [
    "COMBINE",
    "MODES",
    "AnyShape",
    "CombinedLayout",
    "Coverage",
    "Difference",
    "FromOldLayout",
    "MemoryUse",
    "Mode",
    "OldLayout",
    "PaddedAxis",
    "Padding",
    "PaddingValue",
    "Split",
    "SplitPiece",
    "Tile",
    "TileDim",
    "TilingExplanation",
    "TilingStep",
    "XlaBuffer",
    "XlaShape",
    "XlaTuple",
    "array_shape",
    "bit_address",
    "byte_address",
    "canonicalize",
    "combined_layout",
    "common_run",
    "common_vector",
    "coverage",
    "differences",
    "element_at",
    "equivalent",
    "from_layout",
    "is_bitcast",
    "largest_piece",
    "linear_index",
    "linear_index_with_tile",
    "logical_bytes",
    "logical_index",
    "max_split_size",
    "offsets_in_byte",
    "padding_mask",
    "padding_offsets",
    "parse_array",
    "parse_shape",
    "parse_shape_at",
    "physical_bytes",
    "physical_dimensions",
    "physical_elements",
    "physical_index",
    "physical_offset",
    "size_of",
    "split_piece",
    "storage_bits",
    "tiling_steps",
    "to_layout",
    "xla_array_size_bytes",
]
