# SPDX-License-Identifier: Apache-2.0
"""CATLASS's blocks and kernels, written in Python with the instructions of its headers.

- ``mmad``: what blocks of a product share; ``pingpong``: tiles in turn, and the next block's first one;
- ``matmul``: whole products; ``grouped``: several in a kernel; ``splitk``, ``streamk``: in slices of K;
- ``epilogue``, ``dequant``: with a sum, and with scales, on the vector cores.
"""

from typing import TYPE_CHECKING

from ....ground import lazy

if TYPE_CHECKING:
    from .dequant import quant_matmul as quant_matmul
    from .epilogue import matmul_add as matmul_add
    from .grouped import grouped_matmul_slice_m as grouped_matmul_slice_m
    from .matmul import block_mmad as block_mmad, matmul as matmul, matmul_bias as matmul_bias
    from .mmad import BlockMmad as BlockMmad
    from .splitk import reduce_add as reduce_add, splitk_matmul as splitk_matmul
    from .streamk import streamk_matmul as streamk_matmul

lazy(__name__, guard=True)
