# SPDX-License-Identifier: Apache-2.0
"""Kernel tiling for Ascend: architectures, layout tags, copies, plans, schedules, search.

>>> from tla.ascend import AtlasA2, gemm
>>> plan = gemm(AtlasA2, (4096, 4096, 4096), "half", l1=(128, 256, 256))
>>> plan.check().ok, plan.schedule().proof().tasks
(True, 512)

The words are CATLASS's. The rooms, by their subjects:

- the hardware: ``arch`` with ``cube`` and ``limits``; ``elements`` and ``shapes``;
- ``tags``: the layouts that have names, and which tags a layout is in;
- ``buffers``: the rules of each buffer; ``allocation``: a tile in a buffer;
- ``copies``: the instructions that move a tile;
- ``decisions``: padding, slices of K, workspaces, as CATLASS's hosts decide them;
- ``schedules``: which core computes which block when;
- ``kernels``: kernels that run, and are checked, without an NPU;
- ``plans``: policies, a plan of a product, whether it is legal, its C++;
- ``tuning``: the time of a plan, and the fastest tiles;
- ``recorder``: what a CATLASS kernel in C++ issues on each core, as a trace.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from . import (
        copies as copies,
        decisions as decisions,
        kernels as kernels,
        plans as plans,
        recorder as recorder,
        schedules as schedules,
        tags as tags,
        tuning as tuning,
    )
    from .allocation import allocate as allocate, allocate_stages as allocate_stages
    from .arch import (
        ARCHES as ARCHES,
        CHIPS as CHIPS,
        Arch as Arch,
        Ascend950 as Ascend950,
        AtlasA2 as AtlasA2,
        AtlasA3 as AtlasA3,
        KnownArch as KnownArch,
    )
    from .cube import Product as Product
    from .decisions import (
        Padded as Padded,
        balance_workload as balance_workload,
        data_read as data_read,
        data_written as data_written,
        judge_space as judge_space,
        max_k1 as max_k1,
        multi_core_splitk_factor as multi_core_splitk_factor,
        needs_padding as needs_padding,
        padded as padded,
        splitk_factor as splitk_factor,
        workspace as workspace,
    )
    from .elements import (
        ELEMENTS as ELEMENTS,
        Element as Element,
        accumulator as accumulator,
        element as element,
    )
    from .limits import Limit as Limit
    from .plans import (
        EPILOGUES as EPILOGUES,
        FAMILIES as FAMILIES,
        AttentionPlan as AttentionPlan,
        ConvPlan as ConvPlan,
        CppProgram as CppProgram,
        Epilogue as Epilogue,
        EpilogueFamily as EpilogueFamily,
        Family as Family,
        Finding as Finding,
        Footprint as Footprint,
        GemmAtlasA2 as GemmAtlasA2,
        GemvPlan as GemvPlan,
        Groups as Groups,
        MmadA8W4Mx as MmadA8W4Mx,
        MmadAscend950FullLoadA as MmadAscend950FullLoadA,
        MmadAtlasA2DynamicCommon as MmadAtlasA2DynamicCommon,
        MmadAtlasA2DynamicPreloadAsyncWithCallback as MmadAtlasA2DynamicPreloadAsyncWithCallback,
        MmadAtlasA2DynamicSingleCoreSplitk as MmadAtlasA2DynamicSingleCoreSplitk,
        MmadAtlasA2DynamicSmall as MmadAtlasA2DynamicSmall,
        MmadAtlasA2DynamicStreamk as MmadAtlasA2DynamicStreamk,
        MmadAtlasA2FullLoadA as MmadAtlasA2FullLoadA,
        MmadAtlasA2Pingpong as MmadAtlasA2Pingpong,
        MmadAtlasA2PingpongBias as MmadAtlasA2PingpongBias,
        MmadAtlasA2PingpongSliceKWithPrologue as MmadAtlasA2PingpongSliceKWithPrologue,
        MmadAtlasA2PingPongWithPrologue as MmadAtlasA2PingPongWithPrologue,
        MmadAtlasA2Preload as MmadAtlasA2Preload,
        MmadAtlasA2PreloadAsync as MmadAtlasA2PreloadAsync,
        MmadAtlasA2PreloadAsyncWithCallback as MmadAtlasA2PreloadAsyncWithCallback,
        MmadAtlasA2SingleCoreSplitk as MmadAtlasA2SingleCoreSplitk,
        MmadAtlasA2Small as MmadAtlasA2Small,
        MmadAtlasA2Streamk as MmadAtlasA2Streamk,
        MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant as MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant,
        MmadAtlasA2W8A16 as MmadAtlasA2W8A16,
        MmadDequant as MmadDequant,
        MmadFullLoadA as MmadFullLoadA,
        MmadMx as MmadMx,
        MmadMxPreload as MmadMxPreload,
        MmadPingpong as MmadPingpong,
        MmadPingpongMutex as MmadPingpongMutex,
        MmadPingpongPertile as MmadPingpongPertile,
        MmadPingpongSymmLeft as MmadPingpongSymmLeft,
        MmadPingpongSymmRight as MmadPingpongSymmRight,
        MmadPingpongTlaV2 as MmadPingpongTlaV2,
        MmadPlanarComplexFused as MmadPlanarComplexFused,
        MmadPreloadAsyncWithCallback as MmadPreloadAsyncWithCallback,
        MmadPreloadAsyncWithCallbackL0CToUB as MmadPreloadAsyncWithCallbackL0CToUB,
        MmadSvd1 as MmadSvd1,
        MmadSvd2 as MmadSvd2,
        MmadSvd3 as MmadSvd3,
        Nearest as Nearest,
        Plan as Plan,
        Policy as Policy,
        Report as Report,
        Scale as Scale,
        SparseMatmulMultiBlockOnKAxis as SparseMatmulMultiBlockOnKAxis,
        Tile as Tile,
        attention as attention,
        batched as batched,
        choose_kernel as choose_kernel,
        conv as conv,
        dynamic_tile as dynamic_tile,
        epilogue as epilogue,
        fits as fits,
        footprints as footprints,
        gemm as gemm,
        gemv as gemv,
        grouped as grouped,
        nearest as nearest,
        policy as policy,
    )
    from .recorder import RecordedTensor as RecordedTensor, Recording as Recording, record as record
    from .schedules import (
        BlockSchedulerAswt as BlockSchedulerAswt,
        BlockSchedulerIterateK as BlockSchedulerIterateK,
        BlockSwizzle as BlockSwizzle,
        ColumnBlockSwizzle as ColumnBlockSwizzle,
        GemmGroupedAswtTailSplitSwizzle as GemmGroupedAswtTailSplitSwizzle,
        GemmIdentityBlockSwizzle as GemmIdentityBlockSwizzle,
        GemmIdentityBlockSwizzleL1FullLoad as GemmIdentityBlockSwizzleL1FullLoad,
        SingleCoreSplitkGemmIdentityBlockSwizzle as SingleCoreSplitkGemmIdentityBlockSwizzle,
        SplitkGemmIdentityBlockSwizzle as SplitkGemmIdentityBlockSwizzle,
        StreamkGemmIdentityBlockSwizzle as StreamkGemmIdentityBlockSwizzle,
        TailSplitkGemmIdentityBlockSwizzle as TailSplitkGemmIdentityBlockSwizzle,
        default_swizzle as default_swizzle,
        swizzle as swizzle,
    )
    from .shapes import GemmCoord as GemmCoord, GemmShape as GemmShape, gemm_shape as gemm_shape
    from .tags import (
        MX_GROUP as MX_GROUP,
        MX_K as MX_K,
        TAGS as TAGS,
        Reason as Reason,
        Recognition as Recognition,
        Tag as Tag,
        TaggedLayout as TaggedLayout,
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
        make_layout as make_layout,
        make_layout_filter as make_layout_filter,
        make_layout_fmap as make_layout_fmap,
        make_layout_in_ub as make_layout_in_ub,
        make_mx_scale_layout as make_mx_scale_layout,
        mx_aligned_k as mx_aligned_k,
        mx_scales as mx_scales,
        parse_tagged as parse_tagged,
        recognition as recognition,
        recognitions as recognitions,
        tag_of as tag_of,
        tags_of as tags_of,
        why_not as why_not,
    )
    from .tuning import (
        AttentionEstimate as AttentionEstimate,
        Estimate as Estimate,
        Found as Found,
        Ranking as Ranking,
        estimate as estimate,
        estimate_attention as estimate_attention,
        search as search,
        search_attention as search_attention,
        search_many as search_many,
    )

if TYPE_CHECKING:
    # for the rooms above
    from .arch import (
        C0_BYTES as C0_BYTES,
        FRACTAL_ROWS as FRACTAL_ROWS,
        Position as Position,
        arch as arch,
    )
    from .copies import (
        PAIRS as PAIRS,
        Call as Call,
        Matrix as Matrix,
        Transfer as Transfer,
        cpp_text as cpp_text,
        fields_of as fields_of,
        gm_to_l1 as gm_to_l1,
        l0c_to_gm as l0c_to_gm,
        l1_to_bt as l1_to_bt,
        l1_to_l0a as l1_to_l0a,
        l1_to_l0b as l1_to_l0b,
    )
    from .schedules import (
        WORDS as WORDS,
        Balance as Balance,
        Reuse as Reuse,
        Schedule as Schedule,
        Task as Task,
        Traffic as Traffic,
        block_map as block_map,
        tally as tally,
        timeline as timeline,
    )
    from .tags import (
        SCALE as SCALE,
        figure_of as figure_of,
        parse_tag as parse_tag,
        steps_of as steps_of,
        tagged_at as tagged_at,
        tags_figure as tags_figure,
    )
    from .tuning import PIPES as PIPES, Query as Query, in_us as in_us, registration as registration

lazy(__name__, guard=True)
