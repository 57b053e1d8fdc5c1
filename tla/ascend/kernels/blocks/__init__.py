# SPDX-License-Identifier: Apache-2.0
"""CATLASS's blocks and kernels, written in Python with the instructions of its headers.

- ``mmad``: what blocks of a product share; ``pingpong``: tiles in turn, and the next block's first one;
- ``matmul``: whole products, and the loop of all kernels; ``grouped``: several in a kernel; ``splitk``,
  ``streamk``: in slices of K; ``gemv``: a matrix by a vector;
- ``attention``: of many heads, or to one latent K; ``infer``: on pages of K and V;
- ``conv``: of images and filters;
- ``epilogue``, ``visitors``, ``dequant``: with sums, trees, and scales, on the vector cores.
"""

from typing import TYPE_CHECKING

from ....ground import lazy

if TYPE_CHECKING:
    from .attention import flash_attention as flash_attention, mla as mla
    from .conv import conv2d as conv2d
    from .dequant import (
        grouped_quant_matmul_slice_k as grouped_quant_matmul_slice_k,
        grouped_quant_matmul_slice_m as grouped_quant_matmul_slice_m,
        quant_matmul as quant_matmul,
        w4a4_matmul as w4a4_matmul,
    )
    from .epilogue import (
        gelu as gelu,
        matmul_activation as matmul_activation,
        matmul_add as matmul_add,
        matmul_through_ub as matmul_through_ub,
        silu as silu,
        with_epilogue as with_epilogue,
    )
    from .gemv import gemv_aic as gemv_aic, gemv_aiv as gemv_aiv
    from .grouped import (
        batched_matmul as batched_matmul,
        grouped_matmul as grouped_matmul,
        grouped_matmul_slice_k as grouped_matmul_slice_k,
        grouped_matmul_slice_m as grouped_matmul_slice_m,
        mx_batched_matmul as mx_batched_matmul,
    )
    from .infer import flash_attention_infer as flash_attention_infer
    from .matmul import (
        Block as Block,
        Part as Part,
        block_mmad as block_mmad,
        deal as deal,
        matmul as matmul,
        matmul_bias as matmul_bias,
        matmul_relu as matmul_relu,
        multiply as multiply,
        mx_matmul as mx_matmul,
    )
    from .mmad import BlockMmad as BlockMmad
    from .splitk import reduce_add as reduce_add, splitk_matmul as splitk_matmul
    from .streamk import streamk_matmul as streamk_matmul
    from .visitors import (
        acc as acc,
        aux as aux,
        cast as cast,
        compute as compute,
        matmul_evg_add as matmul_evg_add,
        matmul_visitor as matmul_visitor,
        row as row,
    )

lazy(__name__, guard=True)
