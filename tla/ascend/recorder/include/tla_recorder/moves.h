// SPDX-License-Identifier: Apache-2.0
// Moves between memories: DataCopy, DataCopyPad and LoadData, with the records of their parameters.
#pragma once
#include "tensors.h"

namespace tla_recorder {

// The pipe that runs a move from one memory to another.
inline const char* move_pipe(const std::string& from, const std::string& to) {
    if (from == "GM") return "MTE2";
    if (from == "L0C" || to == "FB") return "FIX";
    if (from == "UB") return to == "UB" ? "V" : "MTE3";
    return to == "GM" ? "MTE3" : "MTE1";
}

template <class D, class S, class... P>
void move(const char* op, const char* form, const D& dst, const S& src, const P&... params) {
    Line line(op, move_pipe(src.space(), dst.space()));
    line.operand("dst", dst).operand("src", src).with("form", form);
    (line.with(params), ...);
}

}  // namespace tla_recorder

namespace AscendC {

using tla_recorder::move;

struct DataCopyParams {
    uint16_t blockCount = 1, blockLen = 0;
    union { uint16_t srcGap = 0; uint16_t srcStride; };
    union { uint16_t dstGap = 0; uint16_t dstStride; };
    DataCopyParams() = default;
    DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
        : blockCount(count), blockLen(len), srcGap(src), dstGap(dst) {}
    TLA_FIELDS(blockCount, blockLen, srcStride, dstStride)
};
struct DataCopyExtParams {
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    int64_t srcStride = 0, dstStride = 0;
    uint32_t rsv = 0;
    DataCopyExtParams() = default;
    DataCopyExtParams(uint16_t count, uint32_t len, int64_t src, int64_t dst, uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(reserved) {}
    TLA_FIELDS(blockCount, blockLen, srcStride, dstStride)
};
template <class T> struct DataCopyPadExtParams {
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    T paddingValue{};
    DataCopyPadExtParams() = default;
    DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    void fields(tla_recorder::Object& out) const {
        out.list("isPad, leftPadding, rightPadding", isPad, leftPadding, rightPadding);
        if constexpr (std::is_convertible_v<T, float>) out.value("paddingValue", paddingValue);
    }
};
struct DataCopyPadParams {
    bool isPad = false;
    uint8_t leftPadding = 0, rightPadding = 0;
    uint64_t paddingValue = 0;
    DataCopyPadParams() = default;
    DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
    TLA_FIELDS(isPad, leftPadding, rightPadding, paddingValue)
};
struct DataCopyEnhancedParams {};
struct Nd2NzParams {
    uint16_t ndNum = 0, nValue = 0;
    uint32_t dValue = 0;
    uint64_t srcNdMatrixStride = 0, srcDValue = 0;
    uint16_t dstNzC0Stride = 0, dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;
    Nd2NzParams() = default;
    Nd2NzParams(uint16_t nd, uint16_t n, uint32_t d, uint64_t matrix, uint64_t row, uint16_t c0, uint16_t step,
                uint32_t nz)
        : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(matrix), srcDValue(row), dstNzC0Stride(c0),
          dstNzNStride(step), dstNzMatrixStride(nz) {}
    TLA_FIELDS(ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride)
};
struct Dn2NzParams {
    uint16_t dnNum = 0, nValue = 0;
    uint32_t dValue = 0;
    uint64_t srcDnMatrixStride = 0, srcDValue = 0;
    uint16_t dstNzC0Stride = 0, dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;
    Dn2NzParams() = default;
    Dn2NzParams(uint16_t dn, uint16_t n, uint32_t d, uint64_t matrix, uint64_t row, uint16_t c0, uint16_t step,
                uint32_t nz)
        : dnNum(dn), nValue(n), dValue(d), srcDnMatrixStride(matrix), srcDValue(row), dstNzC0Stride(c0),
          dstNzNStride(step), dstNzMatrixStride(nz) {}
    TLA_FIELDS(dnNum, nValue, dValue, srcDnMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride)
};
struct DataCopyCO12DstParams {
    uint8_t sid = 0;
    uint16_t nSize = 0, mSize = 0;
    uint32_t dstStride = 0;
    uint16_t srcStride = 0;
    uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
    QuantMode_t quantPre = NoQuant;
    uint8_t reluPre = 0;
    bool channelSplit = false, nz2ndEn = false;
    DataCopyCO12DstParams() = default;
    DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst, uint16_t src, QuantMode_t quant, uint8_t relu,
                          bool split, bool nz2nd)
        : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split),
          nz2ndEn(nz2nd) {}
    TLA_FIELDS(nSize, mSize, dstStride, srcStride, unitFlag, quantPre, reluPre, channelSplit, nz2ndEn)
};
struct LoadData2DParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0;
    uint8_t sid = 0;
    uint16_t dstGap = 0;
    bool ifTranspose = false;
    uint8_t addrMode = 0;
    LoadData2DParams() = default;
    LoadData2DParams(uint16_t start, uint8_t times, uint16_t src, uint8_t stream, uint16_t dst, bool transpose,
                     uint8_t mode)
        : startIndex(start), repeatTimes(times), srcStride(src), sid(stream), dstGap(dst), ifTranspose(transpose),
          addrMode(mode) {}
    TLA_FIELDS(startIndex, repeatTimes, srcStride, sid, dstGap, ifTranspose, addrMode)
};
using LoadData2dParams = LoadData2DParams;
struct LoadData2DParamsV2 {
    uint32_t mStartPosition = 0, kStartPosition = 0;
    uint16_t mStep = 0, kStep = 0;
    int32_t srcStride = 0;
    uint16_t dstStride = 0;
    bool ifTranspose = false;
    uint8_t sid = 0;
    LoadData2DParamsV2() = default;
    LoadData2DParamsV2(uint32_t m_start, uint32_t k_start, uint16_t m, uint16_t k, int32_t src, uint16_t dst,
                       bool transpose, uint8_t stream)
        : mStartPosition(m_start), kStartPosition(k_start), mStep(m), kStep(k), srcStride(src), dstStride(dst),
          ifTranspose(transpose), sid(stream) {}
    TLA_FIELDS(mStartPosition, kStartPosition, mStep, kStep, srcStride, dstStride, ifTranspose, sid)
};
struct LoadData2DMxParams {
    uint16_t xStartPosition = 0, yStartPosition = 0;
    uint8_t xStep = 0, yStep = 0;
    uint16_t srcStride = 0, dstStride = 0;
    TLA_FIELDS(xStartPosition, yStartPosition, xStep, yStep, srcStride, dstStride)
};
struct LoadData2dTransposeParams {
    uint16_t startIndex = 0;
    uint8_t repeatTimes = 0;
    uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
    uint8_t addrMode = 0;
    LoadData2dTransposeParams() = default;
    LoadData2dTransposeParams(uint16_t start, uint8_t times, uint16_t src, uint16_t dst, uint16_t fractal,
                              uint8_t mode = 0)
        : startIndex(start), repeatTimes(times), srcStride(src), dstGap(dst), dstFracGap(fractal), addrMode(mode) {}
    TLA_FIELDS(startIndex, repeatTimes, srcStride, dstGap, dstFracGap, addrMode)
};
struct LoadDataRepeatParam {
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1, repeatMode = 0;
    uint16_t dstStride = 0;
    LoadDataRepeatParam() = default;
    LoadDataRepeatParam(uint16_t stride, uint8_t time, uint8_t mode, uint16_t dst = 0)
        : repeatStride(stride), repeatTime(time), repeatMode(mode), dstStride(dst) {}
    TLA_FIELDS(repeatStride, repeatTime, repeatMode, dstStride)
};
template <class T> struct LoadData3DParamsV2 {
    uint8_t padList[4] = {0, 0, 0, 0};
    uint16_t l1H = 0, l1W = 0, channelSize = 0, kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
    uint8_t strideW = 1, strideH = 1, filterW = 0, filterH = 0, dilationFilterW = 0, dilationFilterH = 0;
    bool enTranspose = false, enSmallK = false;
    T padValue{};
    bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
    LoadData3DParamsV2() = default;
    LoadData3DParamsV2(const uint8_t pads[4], uint16_t height, uint16_t width, uint16_t channels, uint16_t k,
                       uint16_t m, uint16_t k_start, uint16_t m_start, uint8_t stride_w, uint8_t stride_h,
                       uint8_t filter_w, uint8_t filter_h, uint8_t dilation_w, uint8_t dilation_h, bool transpose,
                       bool small_k, T pad, bool size_w = false, bool size_h = false, bool matrix = false)
        : padList{pads[0], pads[1], pads[2], pads[3]}, l1H(height), l1W(width), channelSize(channels),
          kExtension(k), mExtension(m), kStartPt(k_start), mStartPt(m_start), strideW(stride_w), strideH(stride_h),
          filterW(filter_w), filterH(filter_h), dilationFilterW(dilation_w), dilationFilterH(dilation_h),
          enTranspose(transpose), enSmallK(small_k), padValue(pad), filterSizeW(size_w), filterSizeH(size_h),
          fMatrixCtrl(matrix) {}
    TLA_FIELDS(l1H, l1W, channelSize, kExtension, mExtension, kStartPt, mStartPt, strideW, strideH, filterW, filterH,
               dilationFilterW, dilationFilterH, enTranspose, enSmallK, filterSizeW, filterSizeH, fMatrixCtrl,
               padList)
};
struct LoadData3DParamsV2Pro {
    uint16_t channelSize = 0;
    bool enTranspose = false, enSmallK = false, filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
    uint64_t extConfig = 0, filterConfig = 0x10101010101;
    TLA_FIELDS(channelSize, enTranspose, enSmallK, filterSizeW, filterSizeH, fMatrixCtrl, extConfig, filterConfig)
};
struct IsResetLoad3dConfig {
    bool isSetFMatrix, isSetPadding;
    constexpr IsResetLoad3dConfig(bool matrix = true, bool padding = true)
        : isSetFMatrix(matrix), isSetPadding(padding) {}
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG{true, true};
template <class T> struct InitConstValueParams {
    uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
    T initValue{};
    InitConstValueParams() = default;
    InitConstValueParams(uint16_t times, uint16_t blocks, uint16_t gap, T value)
        : repeatTimes(times), blockNum(blocks), dstGap(gap), initValue(value) {}
    void fields(tla_recorder::Object& out) const {
        out.list("repeatTimes, blockNum, dstGap", repeatTimes, blockNum, dstGap);
        out.value("initValue", float(initValue));
    }
};

// The number of elements of a plain copy, and the unit of blockLen, which the destination decides.
struct tla_count {
    uint32_t count;
    TLA_FIELDS(count)
};
struct tla_unit {
    const char* space;
    void fields(tla_recorder::Object& out) const {
        constexpr bool is_a2 = CATLASS_ARCH == 2201;
        bool is_bias = !strcmp(space, "BT"), is_quant = !strcmp(space, "FB");
        out.text("unit", is_bias && is_a2 ? "64B" : is_quant ? (is_a2 ? "128B" : "64B") : "32B");
    }
};

// From GM, inside the core, and to GM.
#define TLA_COPY(PARAMS, FORM, ...)                                                             \
    template <class T>                                                                          \
    void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, PARAMS params) {       \
        move("DataCopy", FORM, dst, src, __VA_ARGS__);                                          \
    }                                                                                           \
    template <class T, class U>                                                                 \
    void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, PARAMS params) {        \
        move("DataCopy", FORM, dst, src, __VA_ARGS__);                                          \
    }                                                                                           \
    template <class T, class U>                                                                 \
    void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, PARAMS params) {       \
        move("DataCopy", FORM, dst, src, __VA_ARGS__);                                          \
    }
TLA_COPY(const DataCopyParams&, "block", params, tla_unit{dst.space()})
TLA_COPY(const Nd2NzParams&, "nd2nz", params)
TLA_COPY(const Dn2NzParams&, "dn2nz", params)
TLA_COPY(const DataCopyCO12DstParams&, "co12dst", params)
TLA_COPY(uint32_t, "count", tla_count{params})
#undef TLA_COPY

template <PaddingMode M> constexpr const char* tla_padding = M == PaddingMode::Compact ? "compact" : "ext";

template <class T, PaddingMode M = PaddingMode::Normal>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& params,
                 const DataCopyPadExtParams<T>& padding) {
    move("DataCopyPad", tla_padding<M>, dst, src, params, padding);
}
template <class T, PaddingMode M = PaddingMode::Normal>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& params) {
    move("DataCopyPad", tla_padding<M>, dst, src, params);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params,
                 const DataCopyPadParams& padding) {
    move("DataCopyPad", "bytes", dst, src, params, padding);
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) {
    move("DataCopyPad", "bytes", dst, src, params);
}

template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params) {
    move("LoadData", "2d", dst, src, params);
}
template <class T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params) {
    move("LoadData", "2d", dst, src, params);
}
template <class T, class U>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LoadData2DParamsV2& params) {
    move("LoadData", "2dv2", dst, src, params);
}
// With the scales of an MX type, which come from `scales`.
template <class T, class U, class V>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<V>& scales,
              const LoadData2DParamsV2& params, const LoadData2DMxParams& mx) {
    tla_recorder::Object inner;
    mx.fields(inner);
    tla_recorder::Line line("LoadData", "MTE1");
    line.operand("dst", dst).operand("src", src).operand("src1", scales);
    line.with("form", "2dv2mx").with(params).raw("mx", inner.json_text());
}
template <class T, const IsResetLoad3dConfig& C = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params) {
    move("LoadData", "3dv2", dst, src, params);
}
template <class T, const IsResetLoad3dConfig& C = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& params) {
    move("LoadData", "3dv2pro", dst, src, params);
}
template <class T, const IsResetLoad3dConfig& C = IS_RESER_LOAD3D_DEFAULT_CONFIG>
void LoadDataWithStride(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<T>& params,
                        uint32_t stride = 1) {
    move("LoadDataWithStride", "3dv2", dst, src, params, tla_count{stride});
}
template <class T>
void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LoadData2dTransposeParams& params) {
    move("LoadDataWithTranspose", "2dtranspose", dst, src, params);
}
template <class T, class U, class V>
void LoadDataWithSparse(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<V>& index,
                        const LoadData2DParams& params) {
    tla_recorder::Line line("LoadDataWithSparse", "MTE1");
    line.operand("dst", dst).operand("src", src).operand("src1", index).with(params);
}

inline void SetLoadDataRepeatWithStride(const LoadDataRepeatParam& params) {
    tla_recorder::Line("SetLoadDataRepeatWithStride", "MTE1").with(params);
}
inline std::string tla_pads(const uint8_t pads[4]) {
    return "[" + std::to_string(pads[0]) + ", " + std::to_string(pads[1]) + ", " + std::to_string(pads[2]) + ", " +
           std::to_string(pads[3]) + "]";
}
inline void SetFmatrix(uint16_t height, uint16_t width, const uint8_t pads[4], const FmatrixMode& mode) {
    tla_recorder::Line line("SetFmatrix", "MTE1");
    line.with("l1H", height).with("l1W", width).raw("padList", tla_pads(pads));
    line.with("mode", mode == FmatrixMode::FMATRIX_LEFT ? "LEFT" : "RIGHT");
}
inline void Load3DSetFMatrixCal(uint16_t height, uint16_t width, const uint8_t pads[4]) {
    tla_recorder::Line line("Load3DSetFMatrixCal", "MTE1");
    line.with("l1H", height).with("l1W", width).raw("padList", tla_pads(pads));
}
template <class T> void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<T>& params) {
    tla_recorder::Line("InitConstValue", strcmp(dst.space(), "L1") ? "MTE1" : "MTE2").operand("dst", dst).with(params);
}

}  // namespace AscendC

// Instructions that CATLASS calls by their own names: 4-bit elements, and scales of MX types. Addresses are bytes
// in the buffer; that of the scales beside L0A and L0B counts 16 bytes of the elements.
namespace tla_recorder {
struct Address {
    const char* space;
    uint64_t bytes;
    const char* dtype;
    std::string operand() const {
        return Object().text("space", space).value("addr", bytes).text("dtype", dtype).json_text();
    }
};
template <class T> Address address(const char* space, const T* pointer) { return {space, uint64_t(pointer), dtype<T>()}; }
}  // namespace tla_recorder
#define TLA_LOAD(NAME, SPACE)                                                                                       \
    template <class T>                                                                                              \
    void NAME##_s4(T* dst, T* src, uint32_t m_start, uint32_t k_start, uint16_t m, uint16_t k, int32_t src_stride,   \
                   uint16_t dst_stride, bool transpose) {                                                           \
        AscendC::LoadData2DParamsV2 params(m_start, k_start, m, k, src_stride, dst_stride, transpose, 0);           \
        tla_recorder::Line line(#NAME "_s4", "MTE1");                                                               \
        line.operand("dst", tla_recorder::address(SPACE, dst)).operand("src", tla_recorder::address("L1", src));    \
        line.with(params);                                                                                          \
    }                                                                                                               \
    inline void NAME##_mx(uint64_t dst, void* src, uint16_t x_start, uint16_t y_start, uint8_t x, uint8_t y,        \
                          uint16_t src_stride, uint16_t dst_stride) {                                               \
        AscendC::LoadData2DMxParams params{x_start, y_start, x, y, src_stride, dst_stride};                         \
        tla_recorder::Line line(#NAME "_mx", "MTE1");                                                               \
        line.operand("dst", tla_recorder::Address{SPACE, 16 * dst, "float8_e8m0"});                                 \
        line.operand("src", tla_recorder::Address{"L1", uint64_t(src), "float8_e8m0"}).with(params);                \
    }
TLA_LOAD(load_cbuf_to_ca, "L0A")
TLA_LOAD(load_cbuf_to_cb, "L0B")
#undef TLA_LOAD
