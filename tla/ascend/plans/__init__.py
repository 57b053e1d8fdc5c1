# SPDX-License-Identifier: Apache-2.0
"""Plans of a matrix product: its tiles on each core, whether they are legal, and their C++.

- ``plan``: a product, its tiles, policy and swizzle, with all that follows from them; ``defaults``;
- ``policies`` and ``families``: the dispatch policies of CATLASS as one table;
- ``footprint``: the bytes of a tile in each buffer, stage by stage; ``asserts``: the assertions of
  CATLASS;
- ``groups``: several products in one plan; ``scales`` and ``epilogues``: what scales the sums, and what
  the vector cores do with them;
- ``legality`` and its ``findings``: the rules, in ``buffer_rules``, ``copy_rules``, ``memory_rules``,
  ``group_rules``, ``vector_rules``; ``nearby``: the nearest tile that fits;
- ``attention``, ``conv``, ``gemv``: plans of attention, convolutions, products with a vector;
- ``dynamic``: the tile and kernel that CATLASS's dynamic host chooses;
- ``kernels``: the kernel of CATLASS that takes a policy and a swizzle; ``emit``: the C++ of a plan,
  ``programs``: with a host; ``examples``: an example of CATLASS with a plan's parameters.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .attention import AttentionPlan as AttentionPlan, attention as attention
    from .conv import ConvPlan as ConvPlan, conv as conv
    from .dispatch import Family as Family, Policy as Policy
    from .dynamic import (
        bandwidth as bandwidth,
        choose_kernel as choose_kernel,
        dynamic_tile as dynamic_tile,
    )
    from .epilogues import (
        EPILOGUES as EPILOGUES,
        Epilogue as Epilogue,
        EpilogueFamily as EpilogueFamily,
        epilogue as epilogue,
    )
    from .families import (
        FAMILIES as FAMILIES,
        GemmAtlasA2 as GemmAtlasA2,
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
        SparseMatmulMultiBlockOnKAxis as SparseMatmulMultiBlockOnKAxis,
    )
    from .findings import Finding as Finding, Report as Report
    from .footprint import Footprint as Footprint, fits as fits, footprints as footprints
    from .gemv import GemvPlan as GemvPlan, gemv as gemv
    from .groups import Groups as Groups
    from .kernels import slices as slices
    from .nearby import Nearest as Nearest, nearest as nearest
    from .plan import (
        ElementsLike as ElementsLike,
        Plan as Plan,
        batched as batched,
        gemm as gemm,
        grouped as grouped,
    )
    from .policies import policy as policy
    from .programs import CppProgram as CppProgram
    from .scales import Scale as Scale
    from .tile import Tile as Tile

if TYPE_CHECKING:
    # for the rooms above
    from .asserts import failures_of_block as failures_of_block
    from .programs import Memory as Memory, cpp_text as cpp_text, host_program as host_program

lazy(__name__, guard=True)
