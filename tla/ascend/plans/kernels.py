# SPDX-License-Identifier: Apache-2.0
"""The kernels of CATLASS for one product or several: their policies and swizzles, and how they cut k.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (128, 256, 4096), swizzle="splitk")
>>> kernel(plan).name, shared_by(plan.policy, plan.swizzle)
('MultiCoreSplitkMatmulTla', 'MultiCoreSplitkMatmulTla')
>>> slices(plan.policy, plan.swizzle, plan.problem, plan.l1, plan.cores)
16
>>> old = plan.replaced(policy="MmadAtlasA2Pingpong")
>>> kernel(old).name, slices(old.policy, old.swizzle, old.problem, old.l1, old.cores)
('SplitkMatmul', 8)

Source: CATLASS gemm/kernel, ToUnderlyingArguments and GetSplitkFactor of each; examples 00 to 03,
05, 07 to 13, 20, 21, 25, 27, 28, 31, 34, 37, 43, 45, 60, 66 to 69 and 73 combine the types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from ..decisions import multi_core_splitk_factor, splitk_factor
from .tiling import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..decisions import SplitKernel
    from ..schedules import BlockSwizzle
    from ..shapes import GemmCoord, GemmShape
    from .dispatch import Policy
    from .tiling import Tiling


class Kernel(NamedTuple):
    """A kernel of CATLASS, with the policies and swizzles that it takes."""

    name: str
    header: str
    policies: tuple[str, ...]
    swizzles: tuple[str, ...]
    sums: str = ""
    """The template that makes C from partial sums: it adds them, or casts them."""
    dense: str = ""
    """The operands that it reads or writes without gaps, whatever their leading dimension is."""
    groups: str = ""
    """The axis of the groups that it takes; "" for one product."""
    extra: str = ""
    """Its last template arguments, after the scheduler."""
    epilogues: tuple[str, ...] = ()
    """The epilogues of which it runs one; without them C is written as it is."""
    fills: bool = False
    """Whether a group without K has blocks too: the epilogue fills them with zeros."""


_ALL: Final = "ABC"
_IDENTITY: Final = ("GemmIdentityBlockSwizzle",)
_FULL: Final = ("GemmIdentityBlockSwizzle", "GemmIdentityBlockSwizzleL1FullLoad")
_SPLITK: Final = ("SplitkGemmIdentityBlockSwizzle",)
_STREAMK: Final = ("StreamkGemmIdentityBlockSwizzle",)
_TAIL: Final = ("TailSplitkGemmIdentityBlockSwizzle",)
_SINGLE: Final = ("SingleCoreSplitkGemmIdentityBlockSwizzle",)
_BIAS: Final = ("MmadAtlasA2PingpongBias",)
_OLD: Final = ("MmadAtlasA2Pingpong",)
_NEW: Final = ("MmadPingpong",)
_TLA: Final = ("MmadPingpong", "MmadPingpongMutex", "MmadPreloadAsyncWithCallback")
_FULL_TLA: Final = ("MmadFullLoadA", "MmadAscend950FullLoadA")
_IN_ONE: Final = ("MmadAtlasA2SingleCoreSplitk",)
_ASYNC: Final = (*_OLD, "MmadAtlasA2Preload", "MmadAtlasA2PreloadAsync")
_CALLED: Final = ("MmadAtlasA2PreloadAsyncWithCallback",)
_DEQUANT: Final = ("per_token_dequant",)
_SHARES: Final = ("MmadAtlasA2Streamk",)

_KERNELS: Final = (
    Kernel("BasicMatmul", "basic_matmul", _OLD, _IDENTITY, dense=_ALL),
    Kernel("MatmulBias", "matmul_bias", _BIAS, _IDENTITY, dense=_ALL),
    Kernel("BasicMatmulPreload", "basic_matmul_preload", ("MmadAtlasA2Preload",), _IDENTITY, dense=_ALL),
    Kernel("SmallMatmul", "small_matmul", ("MmadAtlasA2Small",), _IDENTITY, dense=_ALL),
    Kernel("MatmulFullLoadA", "matmul_full_loadA", ("MmadAtlasA2FullLoadA",), _FULL, dense=_ALL),
    Kernel("SplitkMatmul", "splitk_matmul", _OLD, _SPLITK, "SplitkReduceAdd", _ALL),
    Kernel("StreamkMatmul", "streamk_matmul", _SHARES, _STREAMK, "StreamkReduceAdd", _ALL),
    Kernel(
        "SingleCoreSplitkMatmul", "single_core_slicek_matmul", _IN_ONE, _SINGLE,
        "RemovePaddingNDAndCast", _ALL,
    ),
    Kernel("BasicMatmulTla", "basic_matmul_tla", _TLA, _IDENTITY),
    Kernel("StreamkMatmulTla", "streamk_matmul_tla", _NEW, _STREAMK),
    # Its vector cores add up all of C as one line.
    Kernel("MultiCoreSplitkMatmulTla", "multi_core_splitk_matmul_tla", _NEW, _SPLITK, dense="C"),
    Kernel("TailMultiCoreSplitkMatmulTla", "tail_multi_core_splitk_matmul_tla", _NEW, _TAIL),
    Kernel("MatmulFullLoadATla", "matmul_full_loadA_tla", _FULL_TLA, _FULL),
    Kernel("BatchedMatmul", "batched_matmul", _OLD, _IDENTITY, dense=_ALL, groups="batch"),
    Kernel("BatchedMatmulTla", "batched_matmul_tla", _TLA, _IDENTITY, groups="batch"),
    Kernel(
        "StridedBatchedMatmulTla", "strided_batched_matmul_tla", ("MmadPingpongTlaV2",), _IDENTITY,
        groups="batch",
    ),
    Kernel("GroupedMatmul", "grouped_matmul", _ASYNC, _IDENTITY, dense=_ALL, groups="list"),
    Kernel(
        "GroupedMatmulSliceM", "grouped_matmul_slice_m", _ASYNC, _IDENTITY, dense=_ALL, groups="m",
        extra="int64_t",
    ),
    Kernel(
        "GroupedMatmulSliceMTla", "grouped_matmul_slice_m_tla", _TLA, _IDENTITY, dense="B", groups="m",
        extra="int64_t",
    ),
    Kernel(
        "GroupedMatmulSliceK", "grouped_matmul_slice_k", _ASYNC, _IDENTITY, dense=_ALL, groups="k",
        extra="int64_t",
    ),
    Kernel("MatmulEpilogue", "matmul_epilogue", _OLD, _IDENTITY, dense=_ALL, epilogues=("add",)),
    Kernel(
        "MatmulActivation", "matmul_activation", _OLD, _IDENTITY, dense=_ALL, epilogues=("silu", "gelu"),
    ),
    Kernel(
        "QuantMatmulMultiStageWorkspace", "quant_matmul_multistage_workspace", _CALLED, _IDENTITY,
        dense=_ALL, extra="2", epilogues=_DEQUANT,
    ),
    Kernel(
        "GroupedMatmulSliceMPerTokenDequantMultiStageWorkspace",
        "grouped_matmul_slice_m_per_token_dequant_multistage_workspace", _CALLED, _IDENTITY,
        dense=_ALL, groups="m", extra="2, int64_t", epilogues=_DEQUANT,
    ),
    Kernel(
        "GroupedMatmulSliceMPerTokenDequant", "grouped_matmul_slice_m_per_token_dequant", _ASYNC,
        _IDENTITY, dense=_ALL, groups="m", extra="int64_t", epilogues=_DEQUANT,
    ),
    Kernel(
        "GroupedMatmulSliceKPerTokenDequant", "grouped_matmul_slice_k_per_token_dequant", _ASYNC,
        _IDENTITY, dense=_ALL, groups="k", extra="int64_t", epilogues=_DEQUANT, fills=True,
    ),
)  # fmt: skip

_SHARING: Final = (*_SPLITK, *_TAIL, *_STREAMK)
"""The swizzles with which cores share a block of C."""


def kernel(plan: Tiling) -> Kernel | None:
    """Return the kernel that takes a plan's policy, swizzle and layouts; None if there is none.

    No kernel takes matrices in blocks. The kernels that pad make them, from rows or columns.

    Source: CATLASS layout/matrix.hpp, where they have no MakeLayout; gemm/kernel/optimized_matmul.hpp.
    """
    if any(tag in BLOCKS for tag in plan.tags) or (plan.scale and not plan.epilogue):
        return None
    vector = plan.epilogue.family.name if plan.epilogue else ""
    return _find_kernel(plan.policy, plan.swizzle, plan.groups.axis if plan.groups else "", vector)


def kernels_of(plan: Tiling) -> tuple[Kernel, ...]:
    """Return the kernels that run a plan's epilogue on its groups, with any policy and swizzle."""
    vector = plan.epilogue.family.name if plan.epilogue else ""
    axis = plan.groups.axis if plan.groups else ""
    return tuple(k for k in _KERNELS if vector in k.epilogues and k.groups == axis)


def _find_kernel(
    policy: Policy, swizzle: BlockSwizzle, groups: str = "", epilogue: str = ""
) -> Kernel | None:
    policies, swizzles = policy.name, swizzle.name
    takers = (k for k in _KERNELS if policies in k.policies and swizzles in k.swizzles)
    takes = (k for k in takers if (epilogue in k.epilogues if epilogue else not k.epilogues))
    return next((k for k in takes if k.groups == groups), None)


def shared_by(policy: Policy, swizzle: BlockSwizzle) -> SplitKernel | None:
    """Return the kernel whose cores share a block of C; None if cores share none with the swizzle.

    If no kernel takes the policy with the swizzle, it is a kernel that takes the swizzle. One with the
    same generation of types comes first.

    >>> from tla.ascend import MmadPingpong, MmadAtlasA2Preload, StreamkGemmIdentityBlockSwizzle
    >>> streamk = StreamkGemmIdentityBlockSwizzle()
    >>> shared_by(MmadPingpong(), streamk), shared_by(MmadAtlasA2Preload(), streamk)
    ('StreamkMatmulTla', 'StreamkMatmul')
    """
    if swizzle.name not in _SHARING:
        return None
    taker = _find_kernel(policy, swizzle)
    if taker is None:
        kin = [k for k in _KERNELS if swizzle.name in k.swizzles]
        tla = policy.family.api == "tla"
        taker = next((k for k in kin if k.name.endswith("Tla") == tla), kin[0])
    return cast("SplitKernel", taker.name)


def splits(policy: Policy, swizzle: BlockSwizzle) -> Callable[[GemmCoord, GemmShape, int], int]:
    """Return the function of problem, tile and cores that counts the slices of k."""
    new = shared_by(policy, swizzle) == "MultiCoreSplitkMatmulTla"
    return multi_core_splitk_factor if new else splitk_factor


def slices(
    policy: Policy, swizzle: BlockSwizzle, problem: GemmCoord, tile: GemmShape, cores: int
) -> int:
    """Return the number of slices of k, each at least a tile; 1 if the swizzle does not cut k."""
    if not swizzle.splits:
        return 1
    return min(splits(policy, swizzle)(problem, tile, cores), tile.tiles_of(problem).k)
