# SPDX-License-Identifier: Apache-2.0
"""The dispatch policies of CATLASS as one table: the parameters, assertions and stages of each.

>>> MmadPingpong.header, [p.name for p in MmadPingpongTlaV2.parameters]
('block_mmad_pingpong_tla.hpp', ['unit_flag'])

Each row follows the header of its block. `WITHOUT_BLOCK` has the names of the headers that have no row.

Source: CATLASS gemm/dispatch_policy.hpp, gemm/block/block_mmad_*.hpp.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from .dispatch import Family, Parameter

_Parts: TypeAlias = "tuple[tuple[int, ...], Literal['tla', 'legacy'], str, tuple[Parameter, ...]]"
_A2: Final = (2201,)
_950: Final = (3510,)
_BOTH: Final = (2201, 3510)

_UNIT: Final = Parameter("unit_flag", False)
_SHUFFLE: Final = Parameter("shuffle_k", False)
_HF32: Final = Parameter("hf32", False)
_RESIDENT: Final = Parameter("l1_resident", False)
_STAGES: Final = (
    Parameter("l1a_stages", 2),
    Parameter("l1b_stages", 2),
    Parameter("l0a_stages", 2),
    Parameter("l0b_stages", 2),
)
_FROM_ONE: Final = (Parameter("l1a_stages", 1), *_STAGES[1:])
_L0C: Final = Parameter("l0c_stages", 1)
_PINGPONG: Final = (_UNIT, _HF32, _L0C, _RESIDENT, *_STAGES)
_ASYNC: Final = (
    Parameter("preload_stages", 1, required=True),
    Parameter("l1_stages", 2, required=True),
    Parameter("l0a_stages", 2, required=True),
    Parameter("l0b_stages", 2, required=True),
    Parameter("l0c_stages", 1, required=True),
    Parameter("unit_flag", False, required=True),
    Parameter("shuffle_k", True, required=True),
)
_ASYNC_TLA: Final = (
    Parameter("preload_stages", 1, required=True),
    *(
        Parameter(name, 2, required=True)
        for name in ("l1a_stages", "l1b_stages", "l0a_stages", "l0b_stages")
    ),
    *_ASYNC[4:],
    _HF32,
    _RESIDENT,
)
_SPLITK: Final = (
    Parameter("l1a_stages", 2, required=True),
    Parameter("l1b_stages", 2, required=True),
    Parameter("l0c_stages", 1, required=True),
    _UNIT,
)

_SPACES: Final = ("L1", "L0A", "L0B", "L0C")
_SAME: Final = (*_SPACES, "L0 M,N", "L0 K")
_TLA: Final = ("HF32", "unit flag", "layout C", *_SAME)
_EVENTS: Final = ("L1 events", "L0 events", "bias BT", "bias L1")
_LEGACY: Final = ("layout C row major", *_SAME, "aligned")

MmadPingpong: Final = Family(
    "MmadPingpong", _BOTH, _PINGPONG, "tla", "pingpong_tla",
    (*_TLA, "aligned on 2201", *_EVENTS), "two stages of each tile, one loaded while the other is used",
    has_arch=True, sums_of_l1=True,
)  # fmt: skip
MmadPingpongMutex: Final = Family(
    "MmadPingpongMutex", _950, _PINGPONG, "tla", "pingpong_mutex_tla",
    (*_TLA, "mutexes", "bias BT", "bias L1"), "as MmadPingpong, with mutexes for events",
    has_arch=True, sums_of_l1=True, elsewhere=(
        "BlockMmadTla is not implemented for this DispatchPolicy",
        "MmadPingpongMutex only supports Arch::Ascend950",
    ),
)  # fmt: skip
MmadPingpongTlaV2: Final = Family(
    "MmadPingpongTlaV2", _BOTH, (_UNIT,), "tla", "pingpong_tla_v2",
    ("layout C", *_SAME, "aligned tiles"), "as MmadPingpong, tails by origin shapes alone",
    has_arch=True, sums_of_l1=True,
)  # fmt: skip
MmadPreloadAsyncWithCallback: Final = Family(
    "MmadPreloadAsyncWithCallback", _BOTH, _ASYNC_TLA, "tla", "preload_async_with_callback_tla",
    ("HF32", "layout C", *_SAME, "preload", "L1 events with bias", "L0 events", "bias BT", "bias L1"),
    "loads run ahead across blocks; a callback after each",
    has_arch=True, sums_of_l1=True, bias_stages="each",
)  # fmt: skip
MmadPreloadAsyncWithCallbackL0CToUB: Final = Family(
    "MmadPreloadAsyncWithCallbackL0CToUB", _950, _ASYNC_TLA, "tla",
    "preload_async_with_callback_tla_l0c_to_ub",
    ("equal L1 stages", "HF32", "layout C", "no bias", "L0 M,N", "L0 K", "preload", "L0 events",
     "L1 events"),
    "as MmadPreloadAsyncWithCallback, the result to UB, tiles at run time",
    has_arch=True, sums_of_l1=True, a_slot="share", l0_slot="share", l0c_slot="share", dynamic=True,
)  # fmt: skip
MmadFullLoadA: Final = Family(
    "MmadFullLoadA", _A2, (_UNIT, _SHUFFLE, _HF32, _L0C, _RESIDENT, *_FROM_ONE), "tla",
    "pingpong_full_loadA_tla", (*_TLA, *_EVENTS), "the rows of A stay in L1 for the whole k",
    has_arch=True, sums_of_l1=True, a_slot="half", swizzle="GemmIdentityBlockSwizzleL1FullLoad<1,0>",
)  # fmt: skip
MmadAscend950FullLoadA: Final = Family(
    "MmadAscend950FullLoadA", _950, (_UNIT, _HF32, _L0C, _RESIDENT, *_FROM_ONE), "tla",
    "pingpong_full_loadA_ascend950_tla",
    ("HF32", "one stage of A", "unit flag", "layout C", *_SAME[1:], *_EVENTS),
    "the rows of A stay in L1 for the whole k", has_arch=True, sums_of_l1=True, a_slot="half",
    b_first=True,
    swizzle="GemmIdentityBlockSwizzleL1FullLoad<1,0>",
)  # fmt: skip
MmadDequant: Final = Family(
    "MmadDequant", _BOTH, _PINGPONG, "tla", "pingpong_dequant_tla",
    (*_TLA, "L1 events with scale", "L0 events", "BT always", "bias L1", "scale L1"),
    "as MmadPingpong, dequantised on the way out",
    has_arch=True, sums_of_l1=True, scales=((3510, "tensor"), (3510, "channel")),
)  # fmt: skip
MmadPingpongSymmLeft: Final = Family(
    "MmadPingpongSymmLeft", _BOTH, (_UNIT,), "tla", "pingpong_symm_left_tla",
    ("square M,K", "layout C row major tla", *_SAME), "A symmetric, one half of it stored",
    has_arch=True, sums_of_l1=True, l0_slot="share",
)  # fmt: skip
MmadPingpongSymmRight: Final = Family(
    "MmadPingpongSymmRight", _BOTH, (_UNIT,), "tla", "pingpong_symm_right_tla",
    ("square K,N", "layout C row major tla", *_SAME), "B symmetric, one half of it stored",
    has_arch=True, sums_of_l1=True, l0_slot="share",
)  # fmt: skip
MmadAtlasA2Pingpong: Final = Family(
    "MmadAtlasA2Pingpong", _A2, (_UNIT,), "legacy", "pingpong", _LEGACY,
    "two stages of each tile, one loaded while the other is used", l0_slot="share",
    elsewhere=("Unsupported copy l1 to l0, can not find the specialization.",),
)  # fmt: skip
MmadAtlasA2PingPongWithPrologue: Final = Family(
    "MmadAtlasA2PingPongWithPrologue", _A2, (_UNIT,), "legacy", "pingpong_with_prologue",
    (*_SAME, "aligned"), "as MmadAtlasA2Pingpong, B made by the vector cores", l0_slot="share",
    scales=((2201, "tensor"),),
)  # fmt: skip
MmadAtlasA2PingpongSliceKWithPrologue: Final = Family(
    "MmadAtlasA2PingpongSliceKWithPrologue", _A2, (_UNIT,), "legacy",
    "pingpong_slice_k_with_prologue", ("L1", "L0A", "L0B", "aligned"),
    "as MmadAtlasA2PingPongWithPrologue, k in slices", l0_slot="share",
)  # fmt: skip
MmadAtlasA2PingpongBias: Final = Family(
    "MmadAtlasA2PingpongBias", _A2, (_UNIT,), "legacy", "pingpong_bias",
    (*_LEGACY, "bias not bfloat16", "bias BT legacy", "bias L1"), "as MmadAtlasA2Pingpong, with a bias",
    l0_slot="share",
)  # fmt: skip
MmadAtlasA2Preload: Final = Family(
    "MmadAtlasA2Preload", _A2, (_UNIT, _SHUFFLE), "legacy", "preload", _LEGACY,
    "the first tile of the next block is loaded during this one", l0_slot="share",
)  # fmt: skip
MmadAtlasA2PreloadAsync: Final = Family(
    "MmadAtlasA2PreloadAsync", _A2, _ASYNC, "legacy", "preload_async", _LEGACY,
    "loads run ahead across blocks", sums_of_l1=True,
)  # fmt: skip
MmadAtlasA2PreloadAsyncWithCallback: Final = Family(
    "MmadAtlasA2PreloadAsyncWithCallback", _A2, _ASYNC, "legacy", "preload_async_with_callback",
    _LEGACY, "loads run ahead across blocks; a callback after each", sums_of_l1=True,
)  # fmt: skip
MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant: Final = Family(
    "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant", _A2, _ASYNC, "legacy",
    "w4a4_per_token_per_channel_dequant",
    ("layout C row major", "scale L1 each", "L0A", "L0B", "L0C", "L0 M,N", "L0 K"),
    "as MmadAtlasA2PreloadAsyncWithCallback of int4b_t, scaled by channel", sums_of_l1=True, packed=True,
    scales=((2201, "channel"),), scale_stages="each",
)  # fmt: skip
MmadAtlasA2DynamicPreloadAsyncWithCallback: Final = Family(
    "MmadAtlasA2DynamicPreloadAsyncWithCallback", _A2, _ASYNC, "legacy",
    "dynamic_preload_async_with_callback", ("layout C row major",),
    "as MmadAtlasA2PreloadAsyncWithCallback, tiles at run time", dynamic=True,
)  # fmt: skip
GemmAtlasA2: Final = Family(
    "GemmAtlasA2", _A2, (_UNIT, _SHUFFLE, Parameter("abba", False)), "legacy", "gemm",
    ("layout C row major", "aligned"), "alpha A B + beta C", l0_slot="share", elsewhere=(),
    lines_alone=True,
)  # fmt: skip
MmadAtlasA2FullLoadA: Final = Family(
    "MmadAtlasA2FullLoadA", _A2, (_UNIT,), "legacy", "pingpong_full_loadA",
    ("layout C row major", "L0A", "L0B", "L0C", "L0 M,N", "aligned"),
    "the rows of A stay in L1 for the whole k", a_slot="half", l0_slot="share",
    swizzle="GemmIdentityBlockSwizzleL1FullLoad<1,0>",
)  # fmt: skip
MmadAtlasA2Small: Final = Family(
    "MmadAtlasA2Small", _A2, (Parameter("stages", 2, required=True), _UNIT, _SHUFFLE), "legacy",
    "small", _LEGACY, "one tile of k, at most one block for each core", l0_slot="share",
    one_tile=True,
)  # fmt: skip
MmadAtlasA2Streamk: Final = Family(
    "MmadAtlasA2Streamk", _A2, (_UNIT, _SHUFFLE), "legacy", "streamk", _LEGACY,
    "the last blocks are shared by all cores along k", l0_slot="share",
    swizzle="StreamkGemmIdentityBlockSwizzle",
)  # fmt: skip
MmadAtlasA2SingleCoreSplitk: Final = Family(
    "MmadAtlasA2SingleCoreSplitk", _A2, _SPLITK, "legacy", "single_core_splitk",
    ("split-K unit flag", "layout C row major", *_SPACES, "L0 K", "L0 M", "L0 N", "aligned"),
    "k outermost on a core, added up in global memory", l0_slot="share", l0c_slot="share",
    swizzle="SingleCoreSplitkGemmIdentityBlockSwizzle",
)  # fmt: skip
MmadAtlasA2DynamicCommon: Final = Family(
    "MmadAtlasA2DynamicCommon", _A2, (_UNIT, _SHUFFLE), "legacy", "dynamic_common",
    ("layout C row major",), "as MmadAtlasA2Preload, tiles at run time", l0_slot="share", dynamic=True,
)  # fmt: skip
MmadAtlasA2DynamicSmall: Final = Family(
    "MmadAtlasA2DynamicSmall", _A2, (Parameter("stages", 2, required=True), _UNIT), "legacy",
    "dynamic_small", ("layout C row major",), "as MmadAtlasA2Small, tiles at run time",
    l0_slot="share", dynamic=True, one_tile=True,
)  # fmt: skip
MmadAtlasA2DynamicStreamk: Final = Family(
    "MmadAtlasA2DynamicStreamk", _A2, (_UNIT, _SHUFFLE), "legacy", "dynamic_streamk",
    ("layout C row major",), "as MmadAtlasA2Streamk, tiles at run time", l0_slot="share",
    swizzle="StreamkGemmIdentityBlockSwizzle", dynamic=True,
)  # fmt: skip
MmadAtlasA2DynamicSingleCoreSplitk: Final = Family(
    "MmadAtlasA2DynamicSingleCoreSplitk", _A2, _SPLITK, "legacy", "dynamic_single_core_splitk",
    ("split-K unit flag", "layout C row major"), "as MmadAtlasA2SingleCoreSplitk, tiles at run time",
    l0_slot="share", l0c_slot="share", swizzle="SingleCoreSplitkGemmIdentityBlockSwizzle", dynamic=True,
)  # fmt: skip
MmadAtlasA2W8A16: Final = Family(
    "MmadAtlasA2W8A16", (), (_UNIT, _SHUFFLE), "legacy", "", (), "a name without a block",
)  # fmt: skip


# --- MX elements, sparse B, low ranks, complex numbers ---

_FACTOR: Final = Parameter("l1_scale_factor_k", 16)
_MX: Final = (
    "unit flag", "layout C", "MX k", "MX L1", "L0A", "L0B", "L0C", "L0 M,N", "L0 K", "L1 events",
    "L0 events",
)  # fmt: skip

MmadMx: Final = Family(
    "MmadMx", _950, (_UNIT, _FACTOR, _L0C, _RESIDENT, *_STAGES), "tla", "mx_tla",
    (*_MX, "bias BT", "MX bias L1"), "as MmadPingpong, with MX scales of A and B",
    has_arch=True, sums_of_l1=True, packed=True, mx=True,
)  # fmt: skip
MmadMxPreload: Final = Family(
    "MmadMxPreload", _950,
    (Parameter("preload_stages", 1), Parameter("unit_flag", True), _FACTOR, _L0C, _RESIDENT, *_STAGES),
    "tla", "mx_preload_tla",
    ("MX no bias", "unit flag", "MX k", "MX L1", "L0A", "L0B", "L0C", "MX L0 M,N", "L0 K", "MX preload",
     "MX L1 events", "MX L0 events"),
    "as MmadMx, loads run ahead across blocks", has_arch=True, sums_of_l1=True, packed=True, mx=True,
)  # fmt: skip
MmadA8W4Mx: Final = Family(
    "MmadA8W4Mx", _950,
    (_UNIT, _RESIDENT, Parameter("l1_scale_factor_k", 1), _L0C, _STAGES[0], Parameter("l1b_stages", 1),
     *_STAGES[2:]), "tla", "mx_a8w4",
    (*_MX, "bias BT", "MX bias L1"), "as MmadMx, B made of 4 bits by the vector cores",
    has_arch=True, sums_of_l1=True, packed=True, mx=True, b_first=True,
)  # fmt: skip
MmadSvd1: Final = Family(
    "MmadSvd1", _950, (_UNIT, _L0C, _RESIDENT, *_STAGES), "tla", "svd_quant_tla",
    ("unit flag", "layout C", *_SAME), "the first low-rank product of SVDQuant", has_arch=True,
    sums_of_l1=True,
)  # fmt: skip
MmadSvd2: Final = Family(
    "MmadSvd2", _950, (_UNIT, _L0C, _RESIDENT, *_STAGES), "tla", "svd_quant_tla",
    ("unit flag", "layout C", *_SAME, "L1 events", "L0 events"),
    "the second low-rank product of SVDQuant", has_arch=True, sums_of_l1=True,
)  # fmt: skip
MmadSvd3: Final = Family(
    "MmadSvd3", _950, (_UNIT, Parameter("l1_scale_factor_k", 8), _L0C, _RESIDENT, *_STAGES), "tla",
    "svd_quant_tla",
    ("unit flag", "layout C", "MX k", "MX L1", "L0A", "L0B", "L0C", "L0 M,N", "L0 K"),
    "the product of 4 bits of SVDQuant, with MX scales", has_arch=True, sums_of_l1=True, packed=True,
    mx=True,
)  # fmt: skip
MmadPingpongPertile: Final = Family(
    "MmadPingpongPertile", _950, (_UNIT,), "tla", "pingpong_per_group_per_block_tla",
    ("L0 M,N,K",), "sums of each 128 x 128 to UB, scaled there", has_arch=True,
)  # fmt: skip
SparseMatmulMultiBlockOnKAxis: Final = Family(
    "SparseMatmulMultiBlockOnKAxis", _A2, (_UNIT,), "tla", "sparse_tla",
    ("sparse L1", "L0A once", "L0B once", "L0C once", "L0 M,N", "L0 K", "sparse types",
     "sparse layout B"),
    "B with 2 of each 4 elements along k", has_arch=True, l0_slot="share", sparse=True,
)  # fmt: skip
MmadPlanarComplexFused: Final = Family(
    "MmadPlanarComplexFused", _A2, (_SHUFFLE,), "tla", "planar_complex_fused_tla",
    ("complex layout C", "complex L1", "complex L0C", "complex L0A", "complex L0B", "complex L0 M,N",
     "complex L0 K"),
    "complex numbers, real and imaginary parts apart", has_arch=True, sums_of_l1=True, l0_slot="share",
)  # fmt: skip

# --- names without tiles of a product ---

_PAGED: Final = (Parameter("paged_cache", False), _UNIT)
_FLASH: Final = (
    Parameter("paged_cache", False), Parameter("nz_layout", False), Parameter("pa_bnnbsd", False),
    Parameter("dn", False),
)  # fmt: skip


def _of(kind: Literal["attention", "vector"], about: str, **policies: _Parts) -> dict[str, Family]:
    """Rows of policies whose blocks are no products of tiles in L0: `gemm` refuses them."""
    return {
        name: Family(name, codes, parameters, api, block, (), about, has_arch=api == "tla", kind=kind)
        for name, (codes, api, block, parameters) in policies.items()
    }


_OTHERS: Final = {
    **_of(
        "attention", "a product of attention, with tiles of its own",
        MmadAtlasA2FAQK=(_A2, "legacy", "fa_qk", ()),
        MmadAtlasA2FAPV=(_A2, "legacy", "fa_pv", ()),
        MmadAtlasA2MLAQK=(_A2, "legacy", "mla_qk", ()),
        MmadAtlasA2MLAPV=(_A2, "legacy", "mla_pv", ()),
        MmadAtlasA2MLAQKTp1Spec=(_A2, "legacy", "mla_qk_tp1_spec", ()),
        MmadAtlasA2MLAPVTp1Spec=(_A2, "legacy", "mla_pv_tp1_spec", ()),
        MmadAtlasA2AMLAPVTp1Spec=(_A2, "legacy", "amla_pv_tp1_spec", ()),
        MmadAtlasA2FAIQK=(_A2, "legacy", "fai_qk_normal", _PAGED),
        MmadAtlasA2FAIPV=(_A2, "legacy", "fai_pv_normal", _PAGED),
        MmadAtlasA2FAITailQK=(_A2, "legacy", "fai_qk_head_tail", _PAGED),
        MmadAtlasA2FAITailPV=(_A2, "legacy", "fai_pv_head_tail", _PAGED),
        MmadFAIQK=(_BOTH, "tla", "fai_qk_tla", _PAGED),
        MmadFAIPV=(_BOTH, "tla", "fai_pv_tla", _PAGED),
        MmadFAITailQK=(_A2, "tla", "fai_qk_head_tail_tla", _PAGED),
        MmadFAITailPV=(_A2, "tla", "fai_pv_head_tail_tla", _PAGED),
        MmadFAIQKMx=(_950, "tla", "fai_qk_mx_tla", _PAGED),
        MmadFAIPVMx=(_950, "tla", "fai_pv_mx_tla", _PAGED),
        MmadFlashAttentionQK=(_950, "tla", "flash_attention_qk", _FLASH),
        MmadFlashAttentionPV=(_950, "tla", "flash_attention_pv", _FLASH),
    ),
    **_of(
        "vector", "a product with a vector, or of vector cores",
        GemvAtlasA2=(_A2, "legacy", "", ()),
        MmadAtlasA2DynamicAiv=(
            _A2, "legacy", "dynamic_aiv", (Parameter("scalar_elements", 256), Parameter("stages", 2)),
        ),
        MmadAtlasA2DynamicAivSimple=(
            _A2, "legacy", "dynamic_aiv", (Parameter("scalar_elements", 256), Parameter("tile_m", True)),
        ),
        MmadAtlasA2DynamicAivTrans=(
            _A2, "legacy", "dynamic_aiv", (Parameter("scalar_elements", 256),),
        ),
        MxA8W4Prologue=(_950, "tla", "", (Parameter("l1b_stages", 2),)),
    ),
}  # fmt: skip

WITHOUT_BLOCK: Final = {
    "MmadBase": "the base of all others",
    "MmadAtlasA2PingpongSymmLeft": "a name: the block is that of MmadPingpongSymmLeft",
    "MmadAtlasA2PingpongSymmRight": "a name: the block is that of MmadPingpongSymmRight",
    "MmadMultiBatch": "a name: BatchedMatmulTla asks for its stages, and no block in the headers has it",
    **dict.fromkeys(("MmadAtlasA2", "MmadAtlasA2Async", "ConvAtlasA2", "ConvAtlasA2Async"), "a base"),
    "ConvBase": "the base of the convolutions",
    "ConvAtlasA2Pingpong": "a convolution: `conv` plans it",
    "ConvPingpong": "a convolution: `conv` plans it",
    "EpilogueVisitor": "a tree of visitors: the epilogue `evg` has its nodes",
    **dict.fromkeys(
        ("EpilogueAtlasA2FASoftmax", "EpilogueAtlasA2FARescaleO"),
        "an epilogue of flash attention in no example; `attention` has others",
    ),
    **dict.fromkeys(
        ("EpilogueAtlasA2MLASoftmax", "EpilogueAtlasA2MLARescaleO", "EpilogueAtlasA2MLATP1Softmax",
         "EpilogueAtlasA2MLATP1RescaleO", "EpilogueAtlasA2MLAFDRescaleO"),
        "an epilogue of another kernel of example 19: `attention` plans its AMLA one",
    ),
    "BlockEpiloguePertile": "an epilogue of MmadPingpongPertile, with fixed places in UB",
    "EpilogueAscend950PerBlockQuantTla": "an epilogue whose kernel places its tiles in UB",
    **dict.fromkeys(
        ("BlockEpilogueSwigluMxQuant", "EpilogueAscend950DualLevelQuantMx",
         "EpilogueAscend950FinalizeRouting"),
        "an epilogue of an experiment of CATLASS, and of no example",
    ),
}  # fmt: skip
"""The policies of CATLASS's headers without a row above, in `EPILOGUES` or in `attention`, and why."""

FAMILIES: Final = {
    **{f.name: f for f in [*globals().values()] if isinstance(f, Family)},
    **_OTHERS,
}
"""Every dispatch policy by its CATLASS name."""
