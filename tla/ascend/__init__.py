"""Kernel tiling for Ascend: architectures, layout tags, copies, plans, schedules, search.

>>> from tla.ascend import AtlasA2, gemm
>>> plan = gemm(AtlasA2, (4096, 4096, 4096), "half", l1=(128, 256, 256))
>>> plan.check().ok, plan.schedule().proof().tasks
(True, 512)

The words are CATLASS's. The rooms, by their subjects:

- what there is: ``arch`` with ``cube`` and ``limits``, ``elements``, ``shapes``;
- ``tags``: the layouts that have names, and which of them a layout is;
- ``buffers``: what a buffer holds, and how; ``allocation``: a tile in one;
- ``copies``: the instructions that move a tile;
- ``decisions``: padding, slices of K, workspaces, as CATLASS's hosts decide them;
- ``schedules``: which core computes which block when;
- ``plans``: policies, a plan of a product, whether it is legal, its C++;
- ``tuning``: what a plan costs, and the tiles that cost least.
"""

import typing as _typing

_ROOMS = ("copies", "decisions", "plans", "schedules", "tags", "tuning")

if _typing.TYPE_CHECKING:
    from . import copies, decisions, plans, schedules, tags, tuning
    from .allocation import allocate, allocate_stages
    from .arch import ARCHES, CHIPS, Arch, Ascend950, AtlasA2, AtlasA3, KnownArch
    from .cube import Product
    from .decisions import (
        Padded,
        balance_workload,
        data_read,
        data_written,
        judge_space,
        max_k1,
        multi_core_splitk_factor,
        needs_padding,
        padded,
        splitk_factor,
        workspace,
    )
    from .elements import ELEMENTS, Element, accumulator, element
    from .limits import Limit
    from .plans.dispatch import Family, Policy
    from .plans.dynamic import choose_kernel, dynamic_tile
    from .plans.families import (
        FAMILIES,
        GemmAtlasA2,
        MmadAscend950FullLoadA,
        MmadAtlasA2DynamicCommon,
        MmadAtlasA2DynamicPreloadAsyncWithCallback,
        MmadAtlasA2DynamicSingleCoreSplitk,
        MmadAtlasA2DynamicSmall,
        MmadAtlasA2DynamicStreamk,
        MmadAtlasA2FullLoadA,
        MmadAtlasA2Pingpong,
        MmadAtlasA2PingpongBias,
        MmadAtlasA2PingpongSliceKWithPrologue,
        MmadAtlasA2PingPongWithPrologue,
        MmadAtlasA2Preload,
        MmadAtlasA2PreloadAsync,
        MmadAtlasA2PreloadAsyncWithCallback,
        MmadAtlasA2SingleCoreSplitk,
        MmadAtlasA2Small,
        MmadAtlasA2Streamk,
        MmadAtlasA2W8A16,
        MmadDequant,
        MmadFullLoadA,
        MmadPingpong,
        MmadPingpongMutex,
        MmadPingpongSymmLeft,
        MmadPingpongSymmRight,
        MmadPingpongTlaV2,
        MmadPreloadAsyncWithCallback,
        MmadPreloadAsyncWithCallbackL0CToUB,
    )
    from .plans.findings import Finding, Report
    from .plans.footprint import Footprint, fits, footprints
    from .plans.nearby import Nearest, nearest
    from .plans.plan import Plan, gemm
    from .plans.policies import policy
    from .plans.tile import Tile
    from .schedules.swizzles import (
        BlockSchedulerAswt,
        BlockSchedulerIterateK,
        BlockSwizzle,
        ColumnBlockSwizzle,
        GemmGroupedAswtTailSplitSwizzle,
        GemmIdentityBlockSwizzle,
        GemmIdentityBlockSwizzleL1FullLoad,
        SingleCoreSplitkGemmIdentityBlockSwizzle,
        SplitkGemmIdentityBlockSwizzle,
        StreamkGemmIdentityBlockSwizzle,
        TailSplitkGemmIdentityBlockSwizzle,
        default_swizzle,
        swizzle,
    )
    from .shapes import GemmCoord, GemmShape, gemm_shape
    from .tags.conv import make_layout_filter, make_layout_fmap
    from .tags.mx import MX_GROUP, MX_K, make_mx_scale_layout, mx_aligned_k, mx_scales
    from .tags.recognise import (
        Reason,
        Recognition,
        is_column_major,
        is_L0C,
        is_mx_scale_column_major_a,
        is_mx_scale_column_major_b,
        is_mx_scale_nN,
        is_mx_scale_row_major_a,
        is_mx_scale_row_major_b,
        is_mx_scale_zZ,
        is_nN,
        is_nZ,
        is_padding_column_major,
        is_padding_row_major,
        is_row_major,
        is_vector,
        is_weight_4bit_nZ,
        is_zN,
        is_zN_unaligned,
        is_zZ,
        recognition,
        recognitions,
        tag_of,
        tags_of,
        why_not,
    )
    from .tags.table import TAGS, Tag, make_layout, make_layout_in_ub
    from .tags.text import TaggedLayout, parse_tagged
    from .tuning.cost import estimate
    from .tuning.estimates import Estimate
    from .tuning.tiles import Ranking, search
else:
    _NAMES = {
        "allocation": "allocate allocate_stages",
        "arch": "ARCHES Arch Ascend950 AtlasA2 AtlasA3 CHIPS KnownArch",
        "cube": "Product",
        "elements": "ELEMENTS Element accumulator element",
        "limits": "Limit",
        "shapes": "GemmCoord GemmShape gemm_shape",
        "decisions": """
            Padded balance_workload data_read data_written judge_space max_k1
            multi_core_splitk_factor needs_padding padded splitk_factor workspace
        """,
        "plans.dispatch": "Family Policy",
        "plans.dynamic": "choose_kernel dynamic_tile",
        "plans.families": """
            FAMILIES GemmAtlasA2 MmadAscend950FullLoadA MmadAtlasA2DynamicCommon
            MmadAtlasA2DynamicPreloadAsyncWithCallback MmadAtlasA2DynamicSingleCoreSplitk
            MmadAtlasA2DynamicSmall MmadAtlasA2DynamicStreamk MmadAtlasA2FullLoadA
            MmadAtlasA2PingPongWithPrologue MmadAtlasA2Pingpong MmadAtlasA2PingpongBias
            MmadAtlasA2PingpongSliceKWithPrologue MmadAtlasA2Preload MmadAtlasA2PreloadAsync
            MmadAtlasA2PreloadAsyncWithCallback MmadAtlasA2SingleCoreSplitk MmadAtlasA2Small
            MmadAtlasA2Streamk MmadAtlasA2W8A16 MmadDequant MmadFullLoadA MmadPingpong
            MmadPingpongMutex MmadPingpongSymmLeft MmadPingpongSymmRight MmadPingpongTlaV2
            MmadPreloadAsyncWithCallback MmadPreloadAsyncWithCallbackL0CToUB
        """,
        "plans.findings": "Finding Report",
        "plans.footprint": "Footprint fits footprints",
        "plans.nearby": "Nearest nearest",
        "plans.plan": "Plan gemm",
        "plans.policies": "policy",
        "plans.tile": "Tile",
        "schedules.swizzles": """
            BlockSchedulerAswt BlockSchedulerIterateK BlockSwizzle ColumnBlockSwizzle
            GemmGroupedAswtTailSplitSwizzle GemmIdentityBlockSwizzle
            GemmIdentityBlockSwizzleL1FullLoad SingleCoreSplitkGemmIdentityBlockSwizzle
            SplitkGemmIdentityBlockSwizzle StreamkGemmIdentityBlockSwizzle
            TailSplitkGemmIdentityBlockSwizzle default_swizzle swizzle
        """,
        "tags.conv": "make_layout_filter make_layout_fmap",
        "tags.mx": "MX_GROUP MX_K make_mx_scale_layout mx_aligned_k mx_scales",
        "tags.recognise": """
            Reason Recognition is_L0C is_column_major is_mx_scale_column_major_a
            is_mx_scale_column_major_b is_mx_scale_nN is_mx_scale_row_major_a
            is_mx_scale_row_major_b is_mx_scale_zZ is_nN is_nZ is_padding_column_major
            is_padding_row_major is_row_major is_vector is_weight_4bit_nZ is_zN
            is_zN_unaligned is_zZ recognition recognitions tag_of tags_of why_not
        """,
        "tags.table": "TAGS Tag make_layout make_layout_in_ub",
        "tags.text": "TaggedLayout parse_tagged",
        "tuning.cost": "estimate",
        "tuning.estimates": "Estimate",
        "tuning.tiles": "Ranking search",
    }
    _LATER = {name: module for module, names in _NAMES.items() for name in names.split()}

    def __getattr__(name):
        """Load what is public and not here yet."""
        from importlib import import_module

        if name in _ROOMS:
            return import_module(f".{name}", __name__)
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f".{_LATER[name]}", __name__), name)
        return value

    def __dir__():
        return sorted({*globals(), *_LATER, *_ROOMS})


__all__ = [
    "ARCHES",
    "CHIPS",
    "ELEMENTS",
    "FAMILIES",
    "MX_GROUP",
    "MX_K",
    "TAGS",
    "Arch",
    "Ascend950",
    "AtlasA2",
    "AtlasA3",
    "BlockSchedulerAswt",
    "BlockSchedulerIterateK",
    "BlockSwizzle",
    "ColumnBlockSwizzle",
    "Element",
    "Estimate",
    "Family",
    "Finding",
    "Footprint",
    "GemmAtlasA2",
    "GemmCoord",
    "GemmGroupedAswtTailSplitSwizzle",
    "GemmIdentityBlockSwizzle",
    "GemmIdentityBlockSwizzleL1FullLoad",
    "GemmShape",
    "KnownArch",
    "Limit",
    "MmadAscend950FullLoadA",
    "MmadAtlasA2DynamicCommon",
    "MmadAtlasA2DynamicPreloadAsyncWithCallback",
    "MmadAtlasA2DynamicSingleCoreSplitk",
    "MmadAtlasA2DynamicSmall",
    "MmadAtlasA2DynamicStreamk",
    "MmadAtlasA2FullLoadA",
    "MmadAtlasA2PingPongWithPrologue",
    "MmadAtlasA2Pingpong",
    "MmadAtlasA2PingpongBias",
    "MmadAtlasA2PingpongSliceKWithPrologue",
    "MmadAtlasA2Preload",
    "MmadAtlasA2PreloadAsync",
    "MmadAtlasA2PreloadAsyncWithCallback",
    "MmadAtlasA2SingleCoreSplitk",
    "MmadAtlasA2Small",
    "MmadAtlasA2Streamk",
    "MmadAtlasA2W8A16",
    "MmadDequant",
    "MmadFullLoadA",
    "MmadPingpong",
    "MmadPingpongMutex",
    "MmadPingpongSymmLeft",
    "MmadPingpongSymmRight",
    "MmadPingpongTlaV2",
    "MmadPreloadAsyncWithCallback",
    "MmadPreloadAsyncWithCallbackL0CToUB",
    "Nearest",
    "Padded",
    "Plan",
    "Policy",
    "Product",
    "Ranking",
    "Reason",
    "Recognition",
    "Report",
    "SingleCoreSplitkGemmIdentityBlockSwizzle",
    "SplitkGemmIdentityBlockSwizzle",
    "StreamkGemmIdentityBlockSwizzle",
    "Tag",
    "TaggedLayout",
    "TailSplitkGemmIdentityBlockSwizzle",
    "Tile",
    "accumulator",
    "allocate",
    "allocate_stages",
    "balance_workload",
    "choose_kernel",
    "copies",
    "data_read",
    "data_written",
    "decisions",
    "default_swizzle",
    "dynamic_tile",
    "element",
    "estimate",
    "fits",
    "footprints",
    "gemm",
    "gemm_shape",
    "is_L0C",
    "is_column_major",
    "is_mx_scale_column_major_a",
    "is_mx_scale_column_major_b",
    "is_mx_scale_nN",
    "is_mx_scale_row_major_a",
    "is_mx_scale_row_major_b",
    "is_mx_scale_zZ",
    "is_nN",
    "is_nZ",
    "is_padding_column_major",
    "is_padding_row_major",
    "is_row_major",
    "is_vector",
    "is_weight_4bit_nZ",
    "is_zN",
    "is_zN_unaligned",
    "is_zZ",
    "judge_space",
    "make_layout",
    "make_layout_filter",
    "make_layout_fmap",
    "make_layout_in_ub",
    "make_mx_scale_layout",
    "max_k1",
    "multi_core_splitk_factor",
    "mx_aligned_k",
    "mx_scales",
    "nearest",
    "needs_padding",
    "padded",
    "parse_tagged",
    "plans",
    "policy",
    "recognition",
    "recognitions",
    "schedules",
    "search",
    "splitk_factor",
    "swizzle",
    "tag_of",
    "tags",
    "tags_of",
    "tuning",
    "why_not",
    "workspace",
]
