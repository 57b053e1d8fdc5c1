"""Small programs for the recorder, in the words of AscendC, and where the compilers are."""

from __future__ import annotations

import shutil

import pytest

CLANG = next(
    (word for word in ("clang++", *(f"clang++-{n}" for n in range(22, 10, -1))) if shutil.which(word)),
    None,
)
GXX = "g++" if shutil.which("g++") else None
COMPILERS = [name for name in (CLANG, GXX) if name is not None]

needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no clang++ and no g++")

_MAIN = """
int main(int count, const char** words) {{
    uint8_t *deviceX, *deviceY;
    aclrtMalloc(reinterpret_cast<void**>(&deviceX), 512, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(reinterpret_cast<void**>(&deviceY), 512, ACL_MEM_MALLOC_HUGE_FIRST);
    reinterpret_cast<int32_t*>(deviceX)[3] = 7;
    uint32_t blocks = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    {launch}<<<blocks, nullptr, nullptr>>>(deviceX, deviceY, count > 1 ? atoi(words[1]) : 0);
}}
"""


def program(body: str, launch: str = "Kernel", before: str = "") -> str:
    """A program whose kernel has this body, of ``x``, ``y`` and a number ``n``."""
    kernel = f"__global__ __aicore__ void Kernel(GM_ADDR x, GM_ADDR y, int32_t n) {{\n{body}\n}}"
    head = (
        '#include "acl/acl.h"\n#include "tiling/platform/platform_ascendc.h"\nusing namespace AscendC;'
    )
    return f"{head}\n{before}\n{kernel}\n{_MAIN.format(launch=launch)}"


TWICE = program(
    """
    GlobalTensor<half> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
    LocalTensor<half> tile(TPosition::VECCALC, 256, 64);
    uint32_t start = GetBlockIdx() * 64;
    DataCopy(tile, from[start], DataCopyParams(1, 4, 0, 0));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls<half, false>(tile, tile[32], half(0.1f), MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
    DataCopy(to[start + 300], tile, DataCopyParams(1, 4, 0, 0));
"""
)
"""A kernel of the vector cores; the second core's copy ends behind its tensor."""

BOTH = program(
    """
    GlobalTensor<int32_t> list;
    list.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    int32_t unset, quotient = list.GetValue(3) % n;
    if ASCEND_IS_AIC {
        LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 512, 256);
        LocalTensor<float> c(TPosition::CO1, 1024, 256);
        MmadParams params(16, 16, 16, 3, false, true);
        Mmad(c, a, b, params);
        SetFlag<HardEvent::M_FIX>(unset);
        FixpipeParamsV220 out(16, 16, 16, 16, false);
        out.quantPre = F322F16;
        GlobalTensor<half> to;
        to.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y));
        Fixpipe<half, float, CFG_ROW_MAJOR>(to[quotient], c, out);
        CrossCoreSetFlag<2, PIPE_FIX>(5);
    }
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(5);
        LocalTensor<float> tile(TPosition::VECCALC, 0, 64);
        Double(reinterpret_cast<float*>(tile[8].GetPhyAddr()), GetSubBlockIdx());
        PipeBarrier<PIPE_V>();
    }
""",
    before="""
template <class T>
__simd_vf__ inline void Double(__ubuf__ T* x, uint16_t rows) {
    MicroAPI::RegTensor<T> r;
    uint32_t count = 40 + rows;
    MicroAPI::MaskReg mask = MicroAPI::UpdateMask<T>(count);
    MicroAPI::LoadAlign(r, x);
    MicroAPI::Add(r, r, r, mask);
    MicroAPI::StoreAlign<T, MicroAPI::StoreDist::DIST_NORM_B32>(x, r, mask);
}
""",
)
"""A kernel of both types of cores: a number of the host, x % 0, an unset id, a vector function."""
