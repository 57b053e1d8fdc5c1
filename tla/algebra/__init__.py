# SPDX-License-Identifier: Apache-2.0
"""The layout algebra: operations that state a law and keep it at every coordinate, or raise."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .alignment import max_common_layout as max_common_layout, max_common_vector as max_common_vector
    from .cast import (
        downcast as downcast,
        max_alignment as max_alignment,
        recast_layout as recast_layout,
        size_in_bytes as size_in_bytes,
        upcast as upcast,
    )
    from .coalesce import (
        coalesce as coalesce,
        filter as filter,
        filter_zeros as filter_zeros,
        same_function as same_function,
    )
    from .complement import complement as complement
    from .composition import composition as composition
    from .divide import (
        flat_divide as flat_divide,
        logical_divide as logical_divide,
        tiled_divide as tiled_divide,
        zipped_divide as zipped_divide,
    )
    from .domain import (
        domain_distribute as domain_distribute,
        domain_offset as domain_offset,
        nullspace as nullspace,
    )
    from .edit import (
        append as append,
        group as group,
        group_modes as group_modes,
        prepend as prepend,
        replace as replace,
        reverse as reverse,
        select as select,
        take as take,
    )
    from .facts import (
        collision as collision,
        is_bijective as is_bijective,
        is_contiguous as is_contiguous,
        is_injective as is_injective,
        is_surjective_onto as is_surjective_onto,
    )
    from .inverse import left_inverse as left_inverse, right_inverse as right_inverse
    from .linear import (
        LinearLayout as LinearLayout,
        from_linear as from_linear,
        to_linear as to_linear,
    )
    from .partition import (
        inner_partition as inner_partition,
        local_partition as local_partition,
        local_tile as local_tile,
        outer_partition as outer_partition,
    )
    from .product import (
        blocked_product as blocked_product,
        flat_product as flat_product,
        logical_product as logical_product,
        make_layout_tv as make_layout_tv,
        raked_product as raked_product,
        tile_to_shape as tile_to_shape,
        tiled_product as tiled_product,
        zipped_product as zipped_product,
    )
    from .refinement import mutual_refinement as mutual_refinement

if TYPE_CHECKING:
    # for the rooms above
    from .by_mode import Tiler as Tiler, is_left_alone as is_left_alone, tiler_text as tiler_text
    from .coalesce import coalesce_steps as coalesce_steps, coalesced as coalesced
    from .complement import free as free
    from .composition import (
        composed as composed,
        extended_modes as extended_modes,
        tiler_layout as tiler_layout,
    )
    from .coordinates import (
        gives_coordinates as gives_coordinates,
        numbered_layout as numbered_layout,
    )
    from .inverse import left_inverted as left_inverted, right_inverted as right_inverted
    from .linear import (
        MOST_WIDTH as MOST_WIDTH,
        bits_of_extent as bits_of_extent,
        split as split,
        swizzles as swizzles,
    )
    from .modes import (
        collect as collect,
        is_one as is_one,
        is_symbolic as is_symbolic,
        modes_of as modes_of,
        of_modes as of_modes,
        raw_modes as raw_modes,
        read_modes as read_modes,
        row as row,
    )
    from .partition import cut as cut
    from .preimage import preimage as preimage
    from .product import same_rank as same_rank
    from .steps import (
        CoalesceStep as CoalesceStep,
        ComplementStep as ComplementStep,
        CompositionStep as CompositionStep,
        InverseStep as InverseStep,
    )

lazy(__name__)
