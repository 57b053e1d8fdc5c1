"""Layout tags: the layouts that CATLASS names, for every width of element, and which a layout is in.

- ``table``: every tag and the layout it makes; ``conv`` and ``mx`` for convolutions and scales;
  ``sizes``: the checks of their sizes;
- ``text``: ``zN<half>(20,48)`` read and written;
- ``recognise``: which tag a layout is in, and why it is in no other. It uses ``forms``, the part that
  all layouts of a tag share, and ``fitting``, one layout against one form;
- ``building``: how a tag builds a layout, step by step.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .building import figure_of as figure_of, steps_of as steps_of, tags_figure as tags_figure
    from .conv import make_layout_filter as make_layout_filter, make_layout_fmap as make_layout_fmap
    from .fitting import Reason as Reason
    from .forms import FORMS as FORMS
    from .mx import (
        MX_GROUP as MX_GROUP,
        MX_K as MX_K,
        SCALE as SCALE,
        make_mx_scale_layout as make_mx_scale_layout,
        mx_aligned_k as mx_aligned_k,
        mx_scales as mx_scales,
    )
    from .recognise import (
        Recognition as Recognition,
        is_column_major as is_column_major,
        is_L0C as is_L0C,
        is_mx_scale_column_major_a as is_mx_scale_column_major_a,
        is_mx_scale_column_major_b as is_mx_scale_column_major_b,
        is_mx_scale_nN as is_mx_scale_nN,
        is_mx_scale_row_major_a as is_mx_scale_row_major_a,
        is_mx_scale_row_major_b as is_mx_scale_row_major_b,
        is_mx_scale_zZ as is_mx_scale_zZ,
        is_nN as is_nN,
        is_nZ as is_nZ,
        is_padding_column_major as is_padding_column_major,
        is_padding_row_major as is_padding_row_major,
        is_row_major as is_row_major,
        is_vector as is_vector,
        is_weight_4bit_nZ as is_weight_4bit_nZ,
        is_zN as is_zN,
        is_zN_unaligned as is_zN_unaligned,
        is_zZ as is_zZ,
        recognition as recognition,
        recognitions as recognitions,
        tag_of as tag_of,
        tags_of as tags_of,
        why_not as why_not,
    )
    from .table import (
        TAGS as TAGS,
        Tag as Tag,
        make_layout as make_layout,
        make_layout_in_ub as make_layout_in_ub,
        tag_named as tag_named,
    )
    from .text import (
        TaggedLayout as TaggedLayout,
        parse_tag as parse_tag,
        parse_tagged as parse_tagged,
        tagged_at as tagged_at,
    )

lazy(__name__, guard=True)
