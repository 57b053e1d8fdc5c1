# SPDX-License-Identifier: Apache-2.0
"""Layouts as values: int tuples, coordinates, shapes and strides, tiles, swizzles, tensors, notation."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .coord import (
        colex_less as colex_less,
        compact_col_major as compact_col_major,
        compact_order as compact_order,
        compact_row_major as compact_row_major,
        coords as coords,
        crd2crd as crd2crd,
        crd2idx as crd2idx,
        crd2offset as crd2offset,
        elem_leq as elem_leq,
        elem_less as elem_less,
        idx2crd as idx2crd,
        lex_less as lex_less,
        linear_index as linear_index,
        linear_index_with_tile as linear_index_with_tile,
        make_basis_like as make_basis_like,
    )
    from .fractal import (
        col_major as col_major,
        fractal_layout as fractal_layout,
        nN as nN,
        nZ as nZ,
        row_major as row_major,
        zN as zN,
        zZ as zZ,
    )
    from .int_tuple import (
        compatible as compatible,
        congruent as congruent,
        elem_scale as elem_scale,
        evenly_divides as evenly_divides,
        filter_tuple as filter_tuple,
        find as find,
        flatten_to_tuple as flatten_to_tuple,
        fold_leaf as fold_leaf,
        inner_product as inner_product,
        insert as insert,
        is_major as is_major,
        leading_dim as leading_dim,
        make_tuple as make_tuple,
        product as product,
        product_each as product_each,
        product_like as product_like,
        remove as remove,
        repeat as repeat,
        repeat_like as repeat_like,
        shape_div as shape_div,
        transform_apply as transform_apply,
        transform_leaf as transform_leaf,
        unflatten as unflatten,
        unwrap as unwrap,
        weakly_congruent as weakly_congruent,
        wrap as wrap,
    )
    from .layout import (
        AnyLayout as AnyLayout,
        Layout as Layout,
        cosize as cosize,
        depth as depth,
        dice as dice,
        flatten as flatten,
        get as get,
        is_layout as is_layout,
        is_static as is_static,
        make_coord as make_coord,
        make_identity_layout as make_identity_layout,
        make_layout as make_layout,
        make_layout_like as make_layout_like,
        make_ordered_layout as make_ordered_layout,
        make_shape as make_shape,
        make_stride as make_stride,
        make_tile as make_tile,
        rank as rank,
        same_static as same_static,
        shape as shape,
        size as size,
        slice_ as slice_,
        slice_and_offset as slice_and_offset,
        static_mask as static_mask,
        stride as stride,
    )
    from .notation import parse as parse, to_text as to_text
    from .slicing import (
        Coord as Coord,
        Underscore as Underscore,
        _ as _,
        has_underscore as has_underscore,
    )
    from .swizzle import (
        MAX_BITS as MAX_BITS,
        ComposedLayout as ComposedLayout,
        Swizzle as Swizzle,
        is_composed as is_composed,
        is_swizzle as is_swizzle,
    )
    from .table import offset_lists as offset_lists, offsets as offsets
    from .tensor import (
        Tensor as Tensor,
        get_tile as get_tile,
        make_tensor as make_tensor,
        make_tensor_like as make_tensor_like,
        tile_view as tile_view,
    )
    from .tile import get_tile_layout as get_tile_layout, make_layout_tile as make_layout_tile

if TYPE_CHECKING:
    # for the rooms above
    from . import int_tuple as int_tuple
    from .coord import (
        default_origin as default_origin,
        offset_at as offset_at,
        require_bool as require_bool,
    )
    from .fractal import batch_of as batch_of
    from .int_tuple import (
        as_int_tuple as as_int_tuple,
        as_shape as as_shape,
        as_static as as_static,
        leaves as leaves,
        map_parts as map_parts,
        of_static as of_static,
        text_of as text_of,
    )
    from .layout import (
        OfCoordinates as OfCoordinates,
        as_layout as as_layout,
        of_coordinates as of_coordinates,
        padded as padded,
        trusted as trusted,
    )
    from .notation import (
        NamingScanner as NamingScanner,
        accept_o as accept_o,
        blame_brackets as blame_brackets,
        items_at as items_at,
        leaf_at as leaf_at,
        parse_int_tuple as parse_int_tuple,
        swizzle_at as swizzle_at,
        swizzle_follows as swizzle_follows,
        tuple_or_expr as tuple_or_expr,
        value_at as value_at,
    )
    from .slicing import data_of_one as data_of_one, is_underscore as is_underscore
    from .swizzle import ends_of as ends_of, seen_through as seen_through, static_as as static_as
    from .table import offsets_between as offsets_between
    from .tensor import is_tensor as is_tensor

lazy(__name__)
