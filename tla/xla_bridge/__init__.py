# SPDX-License-Identifier: Apache-2.0
"""XLA's tiled layouts: their text, their exact meaning, and their nested layouts.

>>> shape = parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")
>>> print(to_layout(shape))
(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))

The modules, by their subjects:

- a shape as value and text: ``shape rules arguments``, ``parse attributes``, ``jax_text``;
- the places of its elements: ``tiling places addresses splits padding sizes steps``;
- layouts before there were tiles: ``old_layout``;
- its nested layout: ``to_layout covering``, with ``by_function functions digits groups``;
- the way back: ``from_layout canonical``, with ``chain dynamic candidates hints peel starred``;
- comparisons: ``equivalence runs``, with ``views every_size``;
- facts about TPUs: ``tpu``;
- which device has which slice: ``sharding``, and what moves when that changes: ``reshard``.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .addresses import (
        bit_address as bit_address,
        byte_address as byte_address,
        offsets_in_byte as offsets_in_byte,
        storage_bits as storage_bits,
    )
    from .canonical import canonicalize as canonicalize
    from .covering import Coverage as Coverage, coverage as coverage
    from .equivalence import (
        Difference as Difference,
        differences as differences,
        equivalent as equivalent,
        is_bitcast as is_bitcast,
    )
    from .from_layout import from_layout as from_layout
    from .groups import CombinedLayout as CombinedLayout, combined_layout as combined_layout
    from .old_layout import (
        FromOldLayout as FromOldLayout,
        OldLayout as OldLayout,
        PaddingValue as PaddingValue,
    )
    from .padding import padding_mask as padding_mask
    from .parse import (
        MODES as MODES,
        Mode as Mode,
        parse_array as parse_array,
        parse_shape as parse_shape,
        parse_shape_at as parse_shape_at,
    )
    from .places import (
        PaddedAxis as PaddedAxis,
        Padding as Padding,
        element_at as element_at,
        logical_index as logical_index,
        padding_offsets as padding_offsets,
    )
    from .reshard import Move as Move, moved_elements as moved_elements, moves_to as moves_to
    from .rules import COMBINE as COMBINE, Split as Split, Tile as Tile, TileDim as TileDim
    from .runs import common_run as common_run, common_vector as common_vector
    from .shape import (
        AnyShape as AnyShape,
        XlaBuffer as XlaBuffer,
        XlaShape as XlaShape,
        XlaTuple as XlaTuple,
    )
    from .sharding import Iota as Iota, Sharding as Sharding, parse_sharding as parse_sharding
    from .sizes import (
        MemoryUse as MemoryUse,
        size_of as size_of,
        xla_array_size_bytes as xla_array_size_bytes,
    )
    from .splits import (
        SplitPiece as SplitPiece,
        largest_piece as largest_piece,
        max_split_size as max_split_size,
        split_piece as split_piece,
    )
    from .steps import (
        TilingExplanation as TilingExplanation,
        TilingStep as TilingStep,
        tiling_steps as tiling_steps,
    )
    from .tiling import (
        array_shape as array_shape,
        linear_index as linear_index,
        linear_index_with_tile as linear_index_with_tile,
        logical_bytes as logical_bytes,
        physical_bytes as physical_bytes,
        physical_dimensions as physical_dimensions,
        physical_elements as physical_elements,
        physical_index as physical_index,
        physical_offset as physical_offset,
    )
    from .to_layout import (
        tile_boxes as tile_boxes,
        to_layout as to_layout,
    )
    from .tpu import (
        CHIPS as CHIPS,
        Chip as Chip,
        Tiling as Tiling,
        chip_named as chip_named,
        default_layout as default_layout,
        default_tiling as default_tiling,
        laid_out as laid_out,
        memory_space_name as memory_space_name,
        packed_bits as packed_bits,
        tilings_of_order as tilings_of_order,
        tpu_tilings as tpu_tilings,
    )

if TYPE_CHECKING:
    # for the rooms above
    from .arguments import numbered as numbered
    from .digits import (
        Break as Break,
        Digits as Digits,
        digits_of as digits_of,
        read_digits as read_digits,
        split_digits as split_digits,
    )
    from .every_size import is_open as is_open
    from .groups import layout_of_digits as layout_of_digits
    from .jax_text import jax_fields as jax_fields, jax_format as jax_format
    from .shape import remade as remade
    from .tiling import Cut as Cut, cut_by as cut_by, row_major as row_major, tiled_axes as tiled_axes
    from .tpu import minor_pairs as minor_pairs
    from .views import view_of as view_of

lazy(__name__, guard=True)
