// SPDX-License-Identifier: Apache-2.0
// The vector unit: each operation takes a number of elements, or a mask and repeats with strides.
#pragma once
#include "tensors.h"

namespace AscendC {

struct BinaryRepeatParams {
    uint32_t blockNumber = 8;
    uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1, dstRepStride = 8, src0RepStride = 8,
            src1RepStride = 8;
    BinaryRepeatParams() = default;
    BinaryRepeatParams(uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst, uint8_t src0,
                       uint8_t src1)
        : dstBlkStride(dst_block), src0BlkStride(src0_block), src1BlkStride(src1_block), dstRepStride(dst),
          src0RepStride(src0), src1RepStride(src1) {}
    TLA_FIELDS(dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride, src1RepStride)
};
struct UnaryRepeatParams {
    uint32_t blockNumber = 8;
    uint16_t dstBlkStride = 1, srcBlkStride = 1;
    uint8_t dstRepStride = 8, srcRepStride = 8;
    bool halfBlock = false;
    UnaryRepeatParams() = default;
    UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst, uint8_t src, bool half_block = false)
        : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst), srcRepStride(src),
          halfBlock(half_block) {}
    TLA_FIELDS(dstBlkStride, srcBlkStride, dstRepStride, srcRepStride)
};
struct CopyRepeatParams {
    uint16_t dstStride = 0, srcStride = 0, dstRepeatSize = 0, srcRepeatSize = 0;
    CopyRepeatParams() = default;
    CopyRepeatParams(uint16_t dst_block, uint16_t src_block, uint16_t dst, uint16_t src)
        : dstStride(dst_block), srcStride(src_block), dstRepeatSize(dst), srcRepeatSize(src) {}
    TLA_FIELDS(dstStride, srcStride, dstRepeatSize, srcRepeatSize)
};
struct BrcbRepeatParams {
    uint16_t dstBlkStride = 1, dstRepStride = 8;
    BrcbRepeatParams() = default;
    BrcbRepeatParams(uint16_t block, uint16_t repeat) : dstBlkStride(block), dstRepStride(repeat) {}
    TLA_FIELDS(dstBlkStride, dstRepStride)
};
struct TransDataTo5HDParams {
    bool dstHighHalf = false, srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0, srcRepStride = 0;
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t times, uint16_t dst, uint16_t src)
        : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(times), dstRepStride(dst), srcRepStride(src) {}
    TLA_FIELDS(dstHighHalf, srcHighHalf, repeatTimes, dstRepStride, srcRepStride)
};

// A scalar takes the type of the tensors beside it.
template <class T> using tla_scalar = std::common_type_t<T>;

// A mask is a number of elements, or the bits of two words.
struct tla_repeat {
    std::string mask;
    int repeat;
    bool isSetMask;
    tla_repeat(bool set, uint64_t count, int times) : mask(std::to_string(count)), repeat(times), isSetMask(set) {}
    tla_repeat(bool set, const uint64_t* words, int times)
        : mask("[" + std::to_string(words[0]) + ", " + std::to_string(words[1]) + "]"), repeat(times),
          isSetMask(set) {}
    void fields(tla_recorder::Object& out) const {
        out.raw("mask", mask).list("repeat, isSetMask", repeat, isSetMask);
    }
};
struct tla_elements {
    bool isSetMask;
    uint32_t count;
    TLA_FIELDS(count, isSetMask)
};

#define TLA_OP(NAME) tla_recorder::Line(#NAME, "V").operand("dst", dst)

#define TLA_BINARY(NAME)                                                                                   \
    template <class T, bool S = true, class U>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,           \
              int32_t count) {                                                                             \
        TLA_OP(NAME).operand("src", src0).operand("src1", src1).with(tla_elements{S, uint32_t(count)});    \
    }                                                                                                      \
    template <class T, bool S = true, class U, class M>                                                    \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, M mask,   \
              uint8_t repeat, const BinaryRepeatParams& params) {                                          \
        TLA_OP(NAME).operand("src", src0).operand("src1", src1).with(tla_repeat(S, mask, repeat)).with(params); \
    }
TLA_BINARY(Add)
TLA_BINARY(Sub)
TLA_BINARY(Mul)
TLA_BINARY(Div)
TLA_BINARY(Max)
TLA_BINARY(Min)
TLA_BINARY(And)
TLA_BINARY(Or)
TLA_BINARY(Prelu)
#undef TLA_BINARY
// The product is added to a tensor of another type.
template <class T, class U, bool S = true>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, int32_t count) {
    TLA_OP(MulAddDst).operand("src", src0).operand("src1", src1).with(tla_elements{S, uint32_t(count)});
}
template <class T, class U, bool S = true, class M>
void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, M mask,
               uint8_t repeat, const BinaryRepeatParams& params) {
    TLA_OP(MulAddDst).operand("src", src0).operand("src1", src1).with(tla_repeat(S, mask, repeat)).with(params);
}

#define TLA_UNARY(NAME)                                                                                    \
    template <class T, bool S = true>                                                                      \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t count) {                       \
        TLA_OP(NAME).operand("src", src).with(tla_elements{S, uint32_t(count)});                           \
    }                                                                                                      \
    template <class T, bool S = true, class M>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, uint8_t repeat,                \
              const UnaryRepeatParams& params) {                                                           \
        TLA_OP(NAME).operand("src", src).with(tla_repeat(S, mask, repeat)).with(params);                   \
    }
TLA_UNARY(Exp)
TLA_UNARY(Ln)
TLA_UNARY(Abs)
TLA_UNARY(Sqrt)
TLA_UNARY(Rsqrt)
TLA_UNARY(Relu)
TLA_UNARY(Reciprocal)
TLA_UNARY(Not)
#undef TLA_UNARY

#define TLA_SCALAR(NAME)                                                                                   \
    template <class T, bool S = true>                                                                      \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const tla_scalar<T>& scalar,           \
              int32_t count) {                                                                             \
        TLA_OP(NAME).operand("src", src).with("scalar", scalar).with(tla_elements{S, uint32_t(count)});    \
    }                                                                                                      \
    template <class T, bool S = true, class M>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const tla_scalar<T>& scalar, M mask,   \
              uint8_t repeat, const UnaryRepeatParams& params) {                                           \
        TLA_OP(NAME).operand("src", src).with("scalar", scalar).with(tla_repeat(S, mask, repeat)).with(params); \
    }
TLA_SCALAR(Adds)
TLA_SCALAR(Subs)
TLA_SCALAR(Muls)
TLA_SCALAR(Divs)
TLA_SCALAR(Maxs)
TLA_SCALAR(Mins)
TLA_SCALAR(LeakyRelu)
TLA_SCALAR(ShiftLeft)
TLA_SCALAR(ShiftRight)
#undef TLA_SCALAR
// The scalar comes first: 1 / x.
#define TLA_SCALAR(NAME)                                                                                   \
    template <class T, bool S = true>                                                                      \
    void NAME(const LocalTensor<T>& dst, const tla_scalar<T>& scalar, const LocalTensor<T>& src,           \
              int32_t count) {                                                                             \
        TLA_OP(NAME).operand("src", src).with("scalar", scalar).with("scalarFirst", true)                  \
            .with(tla_elements{S, uint32_t(count)});                                                       \
    }
TLA_SCALAR(Subs)
TLA_SCALAR(Divs)
#undef TLA_SCALAR

template <class T, class U, bool S = true>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const tla_scalar<U>& scalar, int32_t count) {
    TLA_OP(Axpy).operand("src", src).with("scalar", scalar).with(tla_elements{S, uint32_t(count)});
}
template <class T, class U, bool S = true, class M>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const tla_scalar<U>& scalar, M mask, uint8_t repeat,
          const UnaryRepeatParams& params) {
    TLA_OP(Axpy).operand("src", src).with("scalar", scalar).with(tla_repeat(S, mask, repeat)).with(params);
}

template <class T, class U, bool S = true>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode, uint32_t count) {
    TLA_OP(Cast).operand("src", src).with("roundMode", mode).with(tla_elements{S, count});
}
template <class T, class U, bool S = true, class M>
void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode, M mask, uint8_t repeat,
          const UnaryRepeatParams& params) {
    TLA_OP(Cast).operand("src", src).with("roundMode", mode).with(tla_repeat(S, mask, repeat)).with(params);
}

// Of one number of the scalar unit, which is no instruction of the vector unit.
template <class From, class To, RoundMode M> To Cast(From value) { return To(value); }
inline bfloat16_t Cast(float value) { return bfloat16_t(value); }

template <class T, bool S = true>
void Duplicate(const LocalTensor<T>& dst, const tla_scalar<T>& scalar, int32_t count) {
    TLA_OP(Duplicate).with("scalar", scalar).with(tla_elements{S, uint32_t(count)});
}
template <class T, bool S = true, class M>
void Duplicate(const LocalTensor<T>& dst, const tla_scalar<T>& scalar, M mask, uint8_t repeat, uint16_t block,
               uint8_t step) {
    tla_recorder::Line line("Duplicate", "V");
    line.operand("dst", dst).with("scalar", scalar).with(tla_repeat(S, mask, repeat));
    line.with("dstBlkStride", block).with("dstRepStride", step);
}
template <class T, bool S = true, class M>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, uint8_t repeat,
          const CopyRepeatParams& params) {
    TLA_OP(Copy).operand("src", src).with(tla_repeat(S, mask, repeat)).with(params);
}
template <class T>
void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint8_t repeat, const BrcbRepeatParams& params) {
    TLA_OP(Brcb).operand("src", src).with("repeat", repeat).with(params);
}

// The strides of a reduction: between results, between blocks of a repeat, between repeats.
struct tla_reduction {
    int32_t dstRepStride, srcBlkStride, srcRepStride;
    TLA_FIELDS(dstRepStride, srcBlkStride, srcRepStride)
};
#define TLA_WHOLE(NAME)                                                                                    \
    template <class T, bool S = true, class M>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeat, int32_t step,  \
              int32_t block, int32_t src_step, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {       \
        TLA_OP(NAME).operand("src", src).with(tla_repeat(S, mask, repeat))                                 \
            .with(tla_reduction{step, block, src_step}).with("order", order);                              \
    }
TLA_WHOLE(WholeReduceMax)
TLA_WHOLE(WholeReduceMin)
#undef TLA_WHOLE
template <class T, bool S = true, class M>
void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, M mask, int32_t repeat, int32_t step,
                    int32_t block, int32_t src_step) {
    TLA_OP(WholeReduceSum).operand("src", src).with(tla_repeat(S, mask, repeat))
        .with(tla_reduction{step, block, src_step});
}
#define TLA_BLOCKS(NAME)                                                                                   \
    template <class T, bool S = true, class M>                                                             \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeat, M mask, int32_t step,  \
              int32_t block, int32_t src_step) {                                                           \
        TLA_OP(NAME).operand("src", src).with(tla_repeat(S, mask, repeat))                                 \
            .with(tla_reduction{step, block, src_step});                                                   \
    }
TLA_BLOCKS(BlockReduceSum)
TLA_BLOCKS(BlockReduceMax)
TLA_BLOCKS(BlockReduceMin)
TLA_BLOCKS(PairReduceSum)
#undef TLA_BLOCKS
template <class T, bool S = true>
void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, int32_t repeat, int32_t elements,
                     int32_t dst_block, int32_t src_block, int32_t step, int32_t src_step) {
    tla_recorder::Line line("RepeatReduceSum", "V");
    line.operand("dst", dst).operand("src", src).with("repeat", repeat).with("elemsInOneRepeat", elements);
    line.with("isSetMask", S).with("dstBlkStride", dst_block).with("srcBlkStride", src_block);
    line.with("dstRepStride", step).with("srcRepStride", src_step);
}
#define TLA_REDUCE(NAME)                                                                                    \
    template <class T>                                                                                      \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, int32_t count) { \
        TLA_OP(NAME).operand("src", src).operand("work", work).with("count", count);                        \
    }
TLA_REDUCE(ReduceSum)
#undef TLA_REDUCE
#define TLA_REDUCE(NAME)                                                                                    \
    template <class T>                                                                                      \
    void NAME(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work, int32_t count, \
              bool index = false) {                                                                         \
        TLA_OP(NAME).operand("src", src).operand("work", work).with("count", count).with("calIndex", index); \
    }
TLA_REDUCE(ReduceMax)
TLA_REDUCE(ReduceMin)
#undef TLA_REDUCE

template <class D, class T>
void CompareScalar(const LocalTensor<D>& dst, const LocalTensor<T>& src, const tla_scalar<T>& scalar, CMPMODE mode,
                   uint32_t count) {
    TLA_OP(CompareScalar).operand("src", src).with("scalar", scalar).with("cmp", mode).with("count", count);
}
template <class D, class T>
void Compare(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode,
             uint32_t count) {
    TLA_OP(Compare).operand("src", src0).operand("src1", src1).with("cmp", mode).with("count", count);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& chosen, const LocalTensor<T>& src,
            const tla_scalar<T>& scalar, SELMODE mode, uint32_t count) {
    tla_recorder::Line line("Select", "V");
    line.operand("dst", dst).operand("sel", chosen).operand("src", src);
    line.with("scalar", scalar).with("selMode", mode).with("count", count);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& chosen, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE mode, uint32_t count) {
    tla_recorder::Line line("Select", "V");
    line.operand("dst", dst).operand("sel", chosen).operand("src", src0).operand("src1", src1);
    line.with("selMode", mode).with("count", count);
}
template <class T, bool B = false> void Silu(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count) {
    TLA_OP(Silu).operand("src", src).with("count", count);
}

// Sixteen addresses each, as bytes from the start of the buffer.
template <class T, class List>
void TransDataTo5HD(const List& dst, const List& src, const TransDataTo5HDParams& params) {
    std::string lists[2];
    for (int i = 0; i < 16; ++i) {
        lists[0] += (i ? ", " : "") + std::to_string(uint64_t(dst[i]));
        lists[1] += (i ? ", " : "") + std::to_string(uint64_t(src[i]));
    }
    tla_recorder::Line line("TransDataTo5HD", "V");
    line.raw("dstList", "[" + lists[0] + "]").raw("srcList", "[" + lists[1] + "]");
    line.with("dtype", tla_recorder::dtype<T>()).with(params);
}
#undef TLA_OP

}  // namespace AscendC
