# SPDX-License-Identifier: Apache-2.0
"""Data that moves: arrays packed into memory by a layout, unpacked, viewed, and moved to another layout.

A copy is first a plan, the loops over both sides (`plan`). Then the bytes move.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .bits import pack_bits as pack_bits, unpack_bits as unpack_bits
    from .loops import Box as Box, Loop as Loop
    from .packing import (
        mask as mask,
        pack as pack,
        relayout as relayout,
        unpack as unpack,
        view as view,
    )
    from .plan import CopyPlan as CopyPlan, copy_plan as copy_plan

if TYPE_CHECKING:
    # for the rooms above
    from .elements import (
        as_array as as_array,
        as_type as as_type,
        bytes_in as bytes_in,
        dtype_of as dtype_of,
        elsewhere as elsewhere,
        is_bytes as is_bytes,
        require_native as require_native,
        type_of as type_of,
    )
    from .packing import require_shape as require_shape, view_strides as view_strides
    from .plan import (
        data_shape as data_shape,
        require_one_rank as require_one_rank,
        span_of as span_of,
    )
    from .strided import read_strided as read_strided

lazy(__name__, guard=True)
