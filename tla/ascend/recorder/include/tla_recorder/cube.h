// SPDX-License-Identifier: Apache-2.0
// The cube unit: matrix products into L0C, and Fixpipe, which takes results out of it.
#pragma once
#include "tensors.h"

namespace AscendC {

struct MmadParams {
    uint16_t m = 0, n = 0, k = 0;
    bool isBias = false;
    int32_t fmOffset = 0;
    bool enSsparse = false, enWinogradA = false, enWinogradB = false;
    int8_t unitFlag = 0;
    bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true, disableGemv = false;
    MmadParams() = default;
    MmadParams(uint16_t rows, uint16_t columns, uint16_t depth, uint8_t unit, bool source, bool init)
        : m(rows), n(columns), k(depth), unitFlag(int8_t(unit)), cmatrixSource(source), cmatrixInitVal(init) {}
    TLA_FIELDS(m, n, k, isBias, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal, disableGemv)
};

template <class C, class A, class B>
void Mmad(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b, const MmadParams& params) {
    tla_recorder::Line("Mmad", "M").operand("dst", c).operand("src", a).operand("src1", b).with(params);
}
template <class C, class A, class B, class D>
void Mmad(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b, const LocalTensor<D>& bias,
          const MmadParams& params) {
    tla_recorder::Line line("Mmad", "M");
    line.operand("dst", c).operand("src", a).operand("src1", b).operand("bias", bias).with(params);
}
template <class C, class A, class B>
void MmadWithSparse(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b,
                    const MmadParams& params) {
    tla_recorder::Line("MmadWithSparse", "M").operand("dst", c).operand("src", a).operand("src1", b).with(params);
}

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB;
    constexpr FixpipeConfig(CO2Layout layout = CO2Layout::ROW_MAJOR, bool to_ub = false)
        : format(layout), isToUB(to_ub) {}
};
constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ}, CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR},
    CFG_COLUMN_MAJOR{CO2Layout::COLUMN_MAJOR};

struct FixpipeParamsV220 {
    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = NoQuant;
    uint64_t deqScalar = 0;
    uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
    FixpipeParamsV220() = default;
    FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
        : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
    TLA_FIELDS(nSize, mSize, srcStride, dstStride, quantPre, deqScalar, ndNum, srcNdStride, dstNdStride, reluEn,
               unitFlag, isChannelSplit)
};
struct TransformParams {
    uint16_t ndNum = 1, srcNdStride = 0;
    uint32_t dstNdStride = 0;
    uint16_t dnNum = 1, srcNzMatrixStride = 0;
    uint32_t dstDnMatrixStride = 0;
    uint16_t srcNzC0Stride = 0;
    TLA_FIELDS(ndNum, srcNdStride, dstNdStride, dnNum, srcNzMatrixStride, dstDnMatrixStride, srcNzC0Stride)
};
template <CO2Layout L = CO2Layout::ROW_MAJOR> struct FixpipeParamsC310 {
    uint16_t nSize = 0, mSize = 0, srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = NoQuant;
    uint64_t deqScalar = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    bool isChannelSplit = false;
    uint8_t dualDstCtl = 0;
    bool subBlockId = false;
    TransformParams params;
    void fields(tla_recorder::Object& out) const {
        out.list("nSize, mSize, srcStride, dstStride, quantPre, deqScalar, reluEn, unitFlag, isChannelSplit, "
                 "dualDstCtl, subBlockId",
                 nSize, mSize, srcStride, dstStride, quantPre, deqScalar, reluEn, unitFlag, isChannelSplit,
                 dualDstCtl, subBlockId);
        params.fields(out);
    }
};

template <class D, class S, class P>
void tla_fixpipe(const D& dst, const S& src, const FixpipeConfig& config, const P& params) {
    tla_recorder::Line line("Fixpipe", "FIX");
    line.operand("dst", dst).operand("src", src).with("format", config.format).with(params);
}
// With a scale for each column.
template <class D, class S, class P>
void tla_fixpipe(const D& dst, const S& src, const LocalTensor<uint64_t>& quant, const FixpipeConfig& config,
                 const P& params) {
    tla_recorder::Line line("Fixpipe", "FIX");
    line.operand("dst", dst).operand("src", src).operand("quant", quant);
    line.with("format", config.format).with(params);
}
#define TLA_FIXPIPE(TENSOR, PARAMS)                                                                  \
    template <class T, class U, const FixpipeConfig& C = CFG_ROW_MAJOR>                              \
    void Fixpipe(const TENSOR<T>& dst, const LocalTensor<U>& src, const PARAMS& params) {            \
        tla_fixpipe(dst, src, C, params);                                                            \
    }                                                                                                \
    template <class T, class U, const FixpipeConfig& C = CFG_ROW_MAJOR, class S = uint64_t>          \
    void Fixpipe(const TENSOR<T>& dst, const LocalTensor<U>& src, const LocalTensor<uint64_t>& quant, \
                 const PARAMS& params) {                                                             \
        tla_fixpipe(dst, src, quant, C, params);                                                     \
    }
TLA_FIXPIPE(GlobalTensor, FixpipeParamsV220)
TLA_FIXPIPE(LocalTensor, FixpipeParamsV220)
TLA_FIXPIPE(GlobalTensor, FixpipeParamsC310<C.format>)
TLA_FIXPIPE(LocalTensor, FixpipeParamsC310<C.format>)
#undef TLA_FIXPIPE

template <class T, bool B = false> void SetFixPipeConfig(const LocalTensor<T>& src, bool = false) {
    tla_recorder::Line("SetFixPipeConfig", "FIX").operand("src", src);
}
inline void SetFixpipeNz2ndFlag(uint16_t count, uint16_t src, uint16_t dst) {
    tla_recorder::Line("SetFixpipeNz2ndFlag", "FIX").with("ndNum", count).with("srcNdStride", src).with("dstNdStride", dst);
}

}  // namespace AscendC
